"""Masked arrays: what is masked has no edges and no influence."""

from __future__ import annotations

from typing import Any

import cuesta
import numpy as np
import pytest

YY, XX = np.mgrid[0:160, 0:200]
DISK = np.where(np.hypot(YY - 80, XX - 60) < 40, 180, 60).astype(np.uint8)
HOLE = (YY >= 60) & (YY < 110) & (XX >= 120) & (XX < 170)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int16", "int32", "float32", "float64"])
@pytest.mark.parametrize("function", [cuesta.canny, cuesta.edges])
def test_holes_have_no_edges(function: Any, dtype: Any) -> None:
    samples = DISK.astype(dtype)
    samples[HOLE] = 99 if dtype == "uint8" else 30_000  # whatever is there
    clean = DISK.astype(np.float32)
    got = function(np.ma.masked_array(samples, HOLE))
    assert type(got) is np.ndarray and got.dtype == np.uint8
    around = cuesta.dilate(HOLE, "rect:31")
    assert (got[around] == 0).all()
    assert (got[~around] == function(clean)[~around]).all() and (got > 0).sum() > 200


def test_no_mask_is_no_change() -> None:
    for array in (np.ma.masked_array(DISK), np.ma.masked_array(DISK, np.zeros_like(HOLE))):
        assert np.array_equal(cuesta.gaussian(array, 2), cuesta.gaussian(DISK, 2))
        assert cuesta.gaussian(array, 2).dtype == np.uint8


def test_masked_masks_are_background() -> None:
    for mask in (DISK > 100, (DISK > 100).astype(np.uint8)):
        found = cuesta.label(np.ma.masked_array(mask, XX < 60))
        assert found.count == 1 and found.boxes[0, 0] == 60


def test_results_are_no_masked_arrays() -> None:
    with pytest.raises(TypeError, match="out is a masked array"):
        cuesta.gaussian(DISK, 2, out=np.ma.masked_array(DISK.copy(), HOLE))

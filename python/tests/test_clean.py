"""`remove_small` and `fill_holes` against scikit-image and SciPy."""

from __future__ import annotations

from typing import Any

import cuesta
import numpy as np
import pytest

ndimage = pytest.importorskip("scipy.ndimage")

CROSS = ndimage.generate_binary_structure(2, 1)
SQUARE = np.ones((3, 3), bool)


def masks() -> Any:
    random = np.random.default_rng(4)
    yy, xx = np.mgrid[0:150, 0:131]
    return [
        random.random((90, 71)) < 0.4,
        random.random((90, 71)) < 0.7,
        np.abs(np.hypot(yy % 50 - 25, xx % 43 - 20) - 14) < 2,
        np.hypot(yy - 75, xx - 65) < 60,  # larger than any window
        np.zeros((4, 5), bool),
        np.ones((4, 5), bool),
        random.random((1, 64)) < 0.5,
        random.random((64, 1)) < 0.5,
    ]


def without_small(mask: Any, area: Any, structure: Any) -> Any:
    labels, _ = ndimage.label(mask, structure)
    sizes = np.bincount(labels.ravel())
    keep = sizes >= area
    keep[0] = False
    return keep[labels]


@pytest.mark.parametrize("mask", masks())
@pytest.mark.parametrize("connectivity", [4, 8])
def test_equals_scipy(mask: Any, connectivity: Any) -> None:
    structure, other = (CROSS, SQUARE) if connectivity == 4 else (SQUARE, CROSS)
    for area in (0, 1, 2, 7, 64, 1000):
        expected = without_small(mask, area, structure)
        got = cuesta.remove_small(mask, area, connectivity=connectivity)
        assert got.dtype == bool and np.array_equal(got, expected)
        bytes_ = cuesta.remove_small(mask.astype(np.uint8) * 7, area, connectivity=connectivity)
        assert np.array_equal(bytes_, expected * np.uint8(255))
    filled = ndimage.binary_fill_holes(mask, other)
    assert np.array_equal(cuesta.fill_holes(mask, connectivity=connectivity), filled)
    for area in (1, 5, 30):
        holes = filled & ~mask
        small = holes & ~without_small(holes, area + 1, other)
        got = cuesta.fill_holes(mask, area, connectivity=connectivity)
        assert np.array_equal(got, mask | small)


def test_equals_scikit_image() -> None:
    morphology = pytest.importorskip("skimage.morphology")
    mask = np.random.default_rng(8).random((200, 200)) < 0.45
    for area in (3, 20, 90):
        expected = morphology.remove_small_objects(mask, max_size=area - 1, connectivity=2)
        assert np.array_equal(cuesta.remove_small(mask, area), expected)


def test_threads_and_strategies_agree() -> None:
    mask = np.random.default_rng(2).random((300, 333)) < 0.55
    small = cuesta.remove_small(mask, 30, strategy="serial")
    whole = cuesta.fill_holes(mask, 30, strategy="serial")
    for threads in (1, 2, 7):
        assert np.array_equal(cuesta.remove_small(mask, 30, threads=threads), small)
        assert np.array_equal(cuesta.fill_holes(mask, 30, threads=threads), whole)
    batch = np.stack([mask, ~mask, mask])
    many = cuesta.fill_holes(batch, 30, layout="NHW")
    assert np.array_equal(many[0], whole) and np.array_equal(many[2], whole)


def test_wrong_requests() -> None:
    mask = np.ones((4, 4), np.uint8)
    for words, wrong in (
        ("min_area is -1", lambda: cuesta.remove_small(mask, -1)),
        ("connectivity is 6", lambda: cuesta.fill_holes(mask, connectivity=6)),
        ("float32", lambda: cuesta.fill_holes(mask.astype(np.float32))),
        ("3 channels", lambda: cuesta.remove_small(np.ones((9, 9, 3), np.uint8))),
    ):
        with pytest.raises((cuesta.InvalidArgument, cuesta.Unsupported), match=words):
            wrong()

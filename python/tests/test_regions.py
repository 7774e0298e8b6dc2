"""`regions` and the strengths of `boundaries`, from arrays of every kind."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

import cuesta

rng = np.random.default_rng(4)


def photo() -> Any:
    """A square of another color, and noise."""
    image = rng.integers(90, 110, (80, 100, 3), np.uint8)
    image[20:60, 30:70] = rng.integers(40, 60, (40, 40, 3), np.uint8) + np.array(
        [0, 90, 150], np.uint8
    )
    return image


def test_labels_are_written_in_sixteen_bits(tmp_path: pathlib.Path) -> None:
    labels = cuesta.edges(photo(), "regions", labels=True)
    assert labels.dtype == np.int32
    assert labels.max() == 2
    cuesta.imwrite(tmp_path / "labels.png", labels)
    read = cuesta.imread(tmp_path / "labels.png")
    assert read.dtype == np.uint16
    np.testing.assert_array_equal(read, labels)
    for one in (65536, -1):
        labels[3, 4] = one
        with pytest.raises(cuesta.OutputError, match=f"a label is {one}; pictures hold labels"):
            cuesta.imwrite(tmp_path / "labels.png", labels)


def test_results_agree() -> None:
    strengths = cuesta.boundaries(photo(), quality="high", strength=True)
    assert strengths.dtype == np.uint16
    assert strengths.shape == (80, 100)
    contours_of_all = cuesta.regions(strengths, output="strengths")
    for threshold in (0.0, 0.2, 0.45, 1.0):
        labels = cuesta.regions(strengths, threshold)
        contours = cuesta.regions(strengths, threshold, output="contours")
        edges = np.zeros(labels.shape, bool)
        edges[:, :-1] |= labels[:, :-1] != labels[:, 1:]
        edges[:-1] |= labels[:-1] != labels[1:]
        np.testing.assert_array_equal(contours > 0, edges)
        np.testing.assert_array_equal(contours_of_all > int(threshold * 65535), edges)
        assert sorted(set(labels.ravel().tolist())) == list(range(1, labels.max() + 1))
    labels = cuesta.regions(strengths, 0.3)
    assert labels[40, 50] not in {labels[0, 0], labels[79, 99]}


def test_batches_and_threads() -> None:
    many = np.stack([cuesta.boundaries(photo(), strength=True) for _ in range(3)])
    found = cuesta.regions(many, 0.1, out=np.empty(many.shape, np.int32))
    for one, labels in zip(many, found, strict=True):
        np.testing.assert_array_equal(cuesta.regions(one, 0.1, threads=1), labels)
    small = (many >> 8).astype(np.uint8)
    np.testing.assert_array_equal(
        cuesta.regions(small, 0.1), cuesta.regions(small.astype(np.uint16) * 257, 0.1)
    )


def test_strengths_of_every_strategy_are_equal() -> None:
    image = photo()
    for quality in ("fast", "high"):
        wanted = cuesta.boundaries(image, quality=quality, strength=True)
        for strategy in ("serial", "rows"):
            found = cuesta.boundaries(image, quality=quality, strength=True, strategy=strategy)
            np.testing.assert_array_equal(found, wanted)


def test_what_is_wrong_is_named() -> None:
    image = np.zeros((9, 9), np.uint8)
    with pytest.raises(cuesta.InvalidArgument, match="output is 'mask'; it must be 'labels'"):
        cuesta.regions(image, output="mask")  # type: ignore[arg-type]
    with pytest.raises(cuesta.InvalidArgument, match="regions: threshold is 2"):
        cuesta.regions(image, 2)
    with pytest.raises(cuesta.InvalidArgument, match="3 channels"):
        cuesta.regions(np.zeros((9, 9, 3), np.uint8))
    with pytest.raises(cuesta.InvalidArgument, match="threshold is given with strength=True"):
        cuesta.boundaries(image, 4, strength=True)

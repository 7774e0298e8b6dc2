"""Canny after a wide Gaussian: an outline of a disk, and no contour lines of rounding."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest
from command import COMMAND, run

import cuesta

pytest.importorskip("cuesta._files", reason="this cuesta was built without libvips")
Y, X = np.mgrid[:400, :400] - 200
DISK = np.where(np.hypot(Y, X) < 100, 200, 50)
PICTURES: dict[str, Any] = {
    "disk.png": DISK.astype(np.uint8),
    "deep.png": (DISK * 257).astype(np.uint16),
    "colors.png": np.dstack([DISK, DISK // 2, 255 - DISK]).astype(np.uint8),
    "floats.tif": DISK.astype(np.float32),
}


@pytest.mark.parametrize("sigma", [1, 3, 6, 8, 12, 20, 42])
@pytest.mark.parametrize("name", PICTURES)
def test_a_disk_has_one_outline(tmp_path: pathlib.Path, name: str, sigma: float) -> None:
    path = tmp_path / name
    cuesta.imwrite(path, PICTURES[name])
    made = cuesta.edges(path, sigma=sigma)
    assert 650 < (made > 0).sum() < 750
    assert cuesta.label(made).count == 1
    np.testing.assert_array_equal(cuesta.canny(PICTURES[name], sigma=sigma), made)
    np.testing.assert_array_equal(cuesta.edges(PICTURES[name], sigma=sigma), made)
    for rows in (None, 77):
        cuesta.edges_file(path, tmp_path / "made.png", sigma=sigma, rows=rows)
        np.testing.assert_array_equal(cuesta.imread(tmp_path / "made.png"), made)
    if COMMAND.exists():
        for more in ([], ["--memory=20MB"], ["--lines", tmp_path / "lines.svg"]):
            run("edges", path, "-o", tmp_path / "made.png", "--sigma", sigma, *more)
            np.testing.assert_array_equal(cuesta.imread(tmp_path / "made.png"), made)


def near(some: Any, others: Any) -> float:
    """The part of some edge pixels within a pixel of others."""
    return float((cuesta.dilate(others, "rect:3")[some > 0] > 0).mean())


@pytest.mark.parametrize("sigma", [2, 3, 3.5, 5, 6, 10, 20])
def test_photographs_have_the_edges_of_their_numbers(sigma: float) -> None:
    data = pytest.importorskip("skimage.data")
    for gray in (data.camera(), data.coins()):
        expected = cuesta.edges(gray.astype(np.float32), sigma=sigma)
        for picture in (gray, gray.astype(np.uint16) * 257):
            assert near(cuesta.edges(picture, sigma=sigma), expected) >= 0.97
            assert near(cuesta.canny(picture, sigma=sigma), expected) >= 0.97


def test_strengths_have_the_type_of_their_fractions() -> None:
    torch = pytest.importorskip("torch")
    disk = PICTURES["disk.png"]
    for sigma, dtype in ((3, np.uint16), (8, np.float32)):
        strengths = cuesta.edges(disk, sigma=sigma, strength=True)
        np.testing.assert_array_equal(cuesta.canny(disk, sigma=sigma, strength=True), strengths)
        assert strengths.dtype == dtype
        tensor = cuesta.edges(torch.from_numpy(disk), sigma=sigma, strength=True)
        np.testing.assert_array_equal(tensor.numpy(), strengths)


@pytest.mark.parametrize("border", ["reflect101", "replicate", "constant"])
def test_the_plain_operation_keeps_them_too(border: Any) -> None:
    disk = PICTURES["disk.png"]
    for sigma in (4, 8):
        expected = cuesta.canny(disk.astype(np.float32), sigma=sigma, border=border)
        made = cuesta.canny(disk, sigma=sigma, border=border)
        np.testing.assert_array_equal(made, expected)
        assert cuesta.label(made).count == 1
    rounded = cuesta.canny(cuesta.gaussian(disk, 8), sigma=0)
    assert cuesta.label(rounded).count > 100


def test_which_reports_the_floats() -> None:
    disk = PICTURES["disk.png"]
    steps = [step.operation for step in cuesta.which_all(lambda: cuesta.canny(disk, sigma=8))]
    assert steps == ["pixel", "canny"]
    steps = [step.operation for step in cuesta.which_all(lambda: cuesta.canny(disk, sigma=3))]
    assert steps == ["canny"]

"""Canny's strengths: thresholds compared with them, and hysteresis, give the edges."""

from __future__ import annotations

import json
import pathlib
import subprocess
from typing import Any

import numpy as np
import pytest
from command import COMMAND, run

import cuesta

#: Of samples from 0 to 255, times this.
UNITS = {"uint8": 1.0, "uint16": 257.0, "float32": 1 / 255}


def picture(dtype: str, *shape: int) -> Any:
    """Slopes, steps and some noise: 0 to 255 levels of this type."""
    has_colors = shape[-1] == 3
    rows, columns = shape[:2] if has_colors else shape[-2:]
    y, x = np.mgrid[:rows, :columns]
    slope = (x * 2 + y * 3) % 97 + 90 * (x > 40)
    noise = np.random.default_rng(3).integers(0, 25, shape)
    levels = (slope[..., None] if has_colors else slope) + noise
    return (levels * UNITS[dtype]).astype(dtype)


def hysteresis(strengths: Any, low: float, high: float) -> Any:
    candidates, edges = strengths > low, strengths > high
    while True:
        padded = np.pad(edges, 1)
        height, width = edges.shape
        near = np.zeros_like(edges)
        for down in range(3):
            for across in range(3):
                near |= padded[down : down + height, across : across + width]
        if ((edges | (near & candidates)) == edges).all():
            return edges.astype(np.uint8) * 255
        edges |= near & candidates


@pytest.mark.parametrize("dtype", UNITS)
@pytest.mark.parametrize("aperture", [3, 5, 7])
@pytest.mark.parametrize("norm", ["l1", "l2"])
@pytest.mark.parametrize("color", [None, "strongest", "structure"])
def test_hysteresis_of_strengths_gives_the_edges(
    dtype: str, aperture: int, norm: str, color: str | None
) -> None:
    image = picture(dtype, 60, 75) if color is None else picture(dtype, 60, 75, 3)
    options: dict[str, Any] = {"aperture": aperture, "norm": norm, "sigma": 1}
    if color:
        options["color"] = color
    strengths = cuesta.canny(image, strength=True, **options)
    fits = dtype == "uint8" and aperture != 7
    assert strengths.dtype == ("uint16" if fits else "float32") and strengths.shape == (60, 75)
    gain = {3: 1, 5: 12, 7: 50}[aperture] * UNITS[dtype]
    for low, high in ((0, 0), (20 * gain, 50 * gain), (50 * gain, 50 * gain)):
        if dtype == "float32":
            low, high = float(np.float32(low)), float(np.float32(high))
        else:
            low, high = int(low), int(high)
        expected = cuesta.canny(image, low, high, **options)
        np.testing.assert_array_equal(hysteresis(strengths, low, high), expected)
    assert expected.any()


@pytest.mark.parametrize("dtype", ["int16", "float32"])
def test_of_gradients(dtype: str) -> None:
    gx, gy = cuesta.sobel(picture("uint8", 60, 75), outputs=("gx", "gy"), dtype="int16")
    gx, gy = gx.astype(dtype), gy.astype(dtype)
    strengths = cuesta.canny_of_gradients(gx, gy, strength=True, norm="l2")
    assert strengths.dtype == np.float32
    expected = cuesta.canny_of_gradients(gx, gy, 60, 130, norm="l2")
    np.testing.assert_array_equal(hysteresis(strengths, 60, 130), expected)


def test_batches_masks_and_out() -> None:
    images = picture("uint8", 3, 40, 50)
    mask = np.zeros((3, 40, 50), bool)
    mask[:, 5:30, 10:45] = True
    out = np.empty((3, 40, 50), np.uint16)
    assert cuesta.canny(images, strength=True, mask=mask, out=out) is out
    for image, inside, made in zip(images, mask, out, strict=True):
        np.testing.assert_array_equal(made, cuesta.canny(image, strength=True, mask=inside))
        assert not made[~inside].any() and made.any()


def test_lazy_arrays_are_made_chunk_by_chunk() -> None:
    da = pytest.importorskip("dask.array")
    image = picture("uint8", 200, 150)
    lazy: Any = cuesta.canny(da.from_array(image, chunks=(64, 50)), strength=True, sigma=2)
    assert lazy.numblocks == (4, 3) and lazy.dtype == np.uint16
    expected = cuesta.canny(image, strength=True, sigma=2)
    np.testing.assert_array_equal(lazy.compute(), expected)


@pytest.mark.parametrize(
    "given", [{"low": 1, "high": 2}, {"threshold": "otsu"}, {"return_thresholds": True}], ids=str
)
def test_thresholds_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(cuesta.InvalidArgument, match="strength=True, which applies no thresholds"):
        cuesta.canny(picture("uint8", 20, 20), strength=True, **given)
    with pytest.raises(cuesta.InvalidArgument, match="strength is set"):
        cuesta.edges(picture("uint8", 20, 20), strength=True, threshold=50)


@pytest.mark.parametrize(
    ("dtype", "name"), [("uint8", "made.png"), ("uint16", "made.tif"), ("float32", "made.tif")]
)
def test_files_by_every_interface(tmp_path: pathlib.Path, dtype: str, name: str) -> None:
    source, target = tmp_path / "photo.tif", tmp_path / name
    cuesta.imwrite(source, picture(dtype, 90, 70, 3))
    expected = cuesta.edges(source, strength=True, sigma=1.5)
    image = cuesta.imread(source)
    np.testing.assert_array_equal(expected, cuesta.edges(image, strength=True, sigma=1.5))
    np.testing.assert_array_equal(expected, cuesta.canny(image, strength=True, sigma=1.5))
    cuesta.edges_file(source, target, strength=True, sigma=1.5, rows=16)
    np.testing.assert_array_equal(cuesta.imread(target), expected)
    run("edges", source, "-o", target, "--strength", "--sigma", 1.5)
    np.testing.assert_array_equal(cuesta.imread(target), expected)
    found, used = cuesta.edges(source, strength=True, return_thresholds=True)
    made = cuesta.edges_file(source, target, strength=True, rows=16)
    assert made.sigma == used[0].sigma and made.bands > 1
    np.testing.assert_array_equal(cuesta.imread(target), found)


@pytest.mark.parametrize("options", [{"sigma": 6.0}, {"aperture": 7}], ids=str)
def test_strengths_of_fractions_by_every_interface(
    tmp_path: pathlib.Path, options: dict[str, Any]
) -> None:
    source, target = tmp_path / "photo.tif", tmp_path / "made.tif"
    cuesta.imwrite(source, picture("uint8", 90, 70, 3))
    expected = cuesta.edges(source, strength=True, **options)
    assert expected.dtype == np.float32 and expected.any()
    cuesta.edges_file(source, target, strength=True, **options)
    np.testing.assert_array_equal(cuesta.imread(target), expected)
    (name, value) = next(iter(options.items()))
    run("edges", source, "-o", target, "--strength", f"--{name}", value)
    np.testing.assert_array_equal(cuesta.imread(target), expected)


def test_the_command_finds_their_sigma_in_bands(tmp_path: pathlib.Path) -> None:
    image = np.random.default_rng(2).integers(0, 256, (1500, 700), dtype=np.uint8)
    source, target = tmp_path / "noise.tif", tmp_path / "made.tif"
    cuesta.imwrite(source, image)
    expected, used = cuesta.edges(image, strength=True, return_thresholds=True)
    if not COMMAND.exists():
        pytest.skip("the command is not built")
    words = [COMMAND, "edges", source, "-o", target, "--strength", "--memory=9MB", "--json"]
    said = subprocess.run(
        [str(word) for word in words], check=True, capture_output=True, text=True
    ).stdout
    facts = json.loads(said)
    assert facts["bands"] > 1 and facts["sigma"] == used[0].sigma and "low" not in facts
    np.testing.assert_array_equal(cuesta.imread(target), expected)

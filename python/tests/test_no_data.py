"""GDAL's number for samples without data: read as NaN, with no edges around it, by every interface."""

from __future__ import annotations

import pathlib
import warnings
from typing import Any

import numpy as np
import pytest
from command import run
from test_numbers import scene

import cuesta

pytest.importorskip("cuesta._files", reason="this cuesta was built without libvips")
tifffile: Any = pytest.importorskip("tifffile")

NO_DATA = 42113
HOLE = (slice(30, 52), slice(40, 70))


def picture(dtype: str, hole: float, channels: int = 1) -> Any:
    """A scene of this type whose hole has the number for no data, and its numbers with NaN there."""
    levels = scene().astype(np.float64) % 200 + 20
    if channels > 1:
        levels = np.stack([levels, levels[::-1], levels[:, ::-1]], -1)
    stored = levels.astype(dtype)
    numbers = stored.astype(np.float32)
    stored[HOLE], numbers[HOLE] = hole, np.nan
    return stored, numbers


def save(path: pathlib.Path, stored: Any, text: str, **options: Any) -> pathlib.Path:
    tags = [(NO_DATA, "s", len(text) + 1, text, True)]
    tifffile.imwrite(path, stored, extratags=tags, **options)
    return path


KINDS = [
    ("uint8", 255, "255"),
    ("uint8", 0, "0"),
    ("uint16", 65535, "65535"),
    ("int16", -9999, "-9999"),
    ("int32", -(2**31), "-2147483648"),
    ("float32", -9999, "-9999.0"),
    ("float32", float(np.finfo(np.float32).min), "-3.4028234663852886e+38"),
]


@pytest.mark.parametrize(("dtype", "hole", "text"), KINDS, ids=[f"{k[0]} {k[2]}" for k in KINDS])
def test_samples_without_data_are_outside(
    tmp_path: pathlib.Path, dtype: str, hole: float, text: str
) -> None:
    stored, numbers = picture(dtype, hole)
    source = save(tmp_path / "dem.tif", stored, text)
    read = cuesta.imread(source)
    assert read.dtype == np.float32
    np.testing.assert_array_equal(read, numbers)
    expected, used = cuesta.edges(numbers, return_thresholds=True)
    assert expected.any()
    grown = np.zeros(expected.shape, bool)
    grown[HOLE[0].start - 1 : HOLE[0].stop + 1, HOLE[1].start - 1 : HOLE[1].stop + 1] = True
    assert not expected[grown].any()
    np.testing.assert_array_equal(cuesta.edges(source), expected)
    np.testing.assert_array_equal(cuesta.canny(source), cuesta.canny(numbers))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = cuesta.edges_file(source, tmp_path / "bands.png", rows=37)
    assert made.sigma == used[0].sigma
    np.testing.assert_array_equal(cuesta.imread(tmp_path / "bands.png"), expected)
    run("edges", source, "-o", tmp_path / "edges.png")
    np.testing.assert_array_equal(cuesta.imread(tmp_path / "edges.png"), expected)


def test_results_of_floats_declare_their_holes(tmp_path: pathlib.Path) -> None:
    stored, numbers = picture("int16", -9999)
    source = save(tmp_path / "dem.tif", stored, "-9999")
    for name, make in (
        ("file.tif", lambda to: cuesta.filter_file(source, to, "gaussian", ksize=5)),
        ("command.tif", lambda to: run("filter", source, "-o", to, "--kernel", "gaussian:5")),
    ):
        make(tmp_path / name)
        with tifffile.TiffFile(tmp_path / name) as file:
            assert file.pages[0].tags[NO_DATA].value == "nan"
        smooth = cuesta.imread(tmp_path / name)
        np.testing.assert_array_equal(smooth, cuesta.gaussian(numbers, ksize=5))
        assert np.isnan(smooth[HOLE]).all() and not np.isnan(smooth).all()
    run("edges", source, "-o", tmp_path / "edges.tif")
    with tifffile.TiffFile(tmp_path / "edges.tif") as file:
        assert NO_DATA not in file.pages[0].tags  # a mask has no holes


@pytest.mark.parametrize("kind", ["int16", "uint8", "float32"])
def test_formats_without_holes_are_told_of(tmp_path: pathlib.Path, kind: str) -> None:
    value = "7" if kind == "uint8" else "-9999"
    source = save(tmp_path / "dem.tif", picture(kind, float(value))[0], value)
    sentence = ".png files have no value for no data; the source has one, which .tif keeps"
    said = run("filter", source, "-o", tmp_path / "soft.png", "--kernel", "gaussian:5")
    assert sentence in said
    with pytest.warns(UserWarning, match=sentence):
        made = cuesta.filter_file(source, tmp_path / "file.png", "gaussian", ksize=5)
    assert sentence in made.warning
    for verb, target in (("edges", "edges.png"), ("filter", "soft.tif")):
        options = ("--kernel", "gaussian:5") if verb == "filter" else ()
        assert "no data" not in run(verb, source, "-o", tmp_path / target, *options)
    other = save(tmp_path / "other.tif", picture("uint8", 7)[0], "300")  # no sample is that
    soft = run("filter", other, "-o", tmp_path / "other.png", "--kernel", "gaussian:5")
    assert "no data" not in soft


@pytest.mark.parametrize(
    "options", [{"byteorder": ">"}, {"bigtiff": True}, {"tile": (32, 32)}], ids=str
)
def test_any_layout_of_the_file(tmp_path: pathlib.Path, options: dict[str, Any]) -> None:
    stored, numbers = picture("uint16", 7)
    source = save(tmp_path / "dem.tif", stored, "7", **options)
    numbers[stored == 7] = np.nan
    np.testing.assert_array_equal(cuesta.imread(source), numbers)


@pytest.mark.parametrize("text", ["nan", "-9999", "300", "0.5", "none", ""])
def test_bytes_without_such_a_number_stay_bytes(tmp_path: pathlib.Path, text: str) -> None:
    stored, _ = picture("uint8", 0)
    read = cuesta.imread(save(tmp_path / "photo.tif", stored, text))
    assert read.dtype == np.uint8
    np.testing.assert_array_equal(read, stored)


def test_colors_have_holes_by_channel(tmp_path: pathlib.Path) -> None:
    stored, numbers = picture("uint8", 0, 3)
    source = save(tmp_path / "orthophoto.tif", stored, "0", photometric="rgb")
    np.testing.assert_array_equal(cuesta.imread(source), numbers)
    np.testing.assert_array_equal(cuesta.edges(source), cuesta.edges(numbers))

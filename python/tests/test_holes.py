"""Holes, where there are no data: no method finds edges in them or around them."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import numpy as np
import pytest
from command import COMMAND, run

import cuesta

pytest.importorskip("cuesta._files", reason="this cuesta was built without libvips")
tifffile: Any = pytest.importorskip("tifffile")

Y, X = np.mgrid[:160, :200]
HOLE = (Y >= 60) & (Y < 110) & (X >= 120) & (X < 170)
#: Keywords of `cuesta.edges`, the same for the command, and rows that a hole reaches at most.
METHODS: list[tuple[dict[str, Any], list[str], int]] = [
    ({"method": "canny"}, [], 2),
    ({"method": "sobel", "threshold": 60}, ["--threshold=60"], 1),
    ({"method": "log"}, [], 2),
    ({"method": "log", "mode": "threshold"}, ["--mode=threshold"], 2),
    ({"method": "boundaries"}, [], 2),
    ({"method": "boundaries", "quality": "high"}, ["--quality=high"], 2),
    ({"method": "regions"}, [], 2),
]


def picture(channels: int = 1) -> Any:
    """A disk, a bar that the hole cuts, and a slope."""
    levels = 60 + 120 * (np.hypot(Y - 80, X - 60) < 40) + 80 * (X > 150) + Y // 20
    if channels == 3:
        levels = np.dstack([levels, levels // 2, 250 - levels])
    return levels


def stored(path: pathlib.Path, levels: Any, dtype: str, hole: int) -> pathlib.Path:
    samples = levels.astype(dtype)
    samples[HOLE] = hole
    text = str(hole)
    more = {"photometric": "rgb"} if samples.ndim == 3 else {}
    tifffile.imwrite(path, samples, extratags=[(42113, "s", len(text) + 1, text, True)], **more)
    return path


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize(("dtype", "hole"), [("int16", -9999), ("uint8", 0), ("uint16", 65535)])
@pytest.mark.parametrize(("keywords", "words", "around"), METHODS, ids=lambda value: str(value))
def test_every_interface_leaves_them_out(
    tmp_path: pathlib.Path,
    keywords: dict[str, Any],
    words: list[str],
    around: int,
    dtype: str,
    hole: int,
    channels: int,
) -> None:
    levels = picture(channels)
    numbers = levels.astype(np.float32)
    numbers[HOLE] = np.nan
    path = stored(tmp_path / "dem.tif", levels, dtype, hole)
    made = cuesta.edges(numbers, **keywords)
    grown = cuesta.dilate(HOLE, f"rect:{2 * around + 1}")
    assert not made[grown].any()
    assert (made[~grown] > 0).sum() > 200
    np.testing.assert_array_equal(cuesta.edges(path, **keywords), made)
    masked = np.ma.masked_array(levels.astype(dtype), np.broadcast_to(HOLE.T, levels.T.shape).T)
    np.testing.assert_array_equal(cuesta.edges(masked, **keywords), made)
    for rows in (None, 41):
        cuesta.edges_file(path, tmp_path / "made.png", rows=rows, **keywords)
        np.testing.assert_array_equal(cuesta.imread(tmp_path / "made.png"), made)
    if COMMAND.exists():
        method = f"--method={keywords['method']}"
        run("edges", path, "-o", tmp_path / "made.png", method, *words, "--device=cpu")
        np.testing.assert_array_equal(cuesta.imread(tmp_path / "made.png"), made)


# Regions are merged by the strengths of all of the picture.
@pytest.mark.parametrize(
    ("keywords", "words", "around"), METHODS[:-1], ids=lambda value: str(value)
)
def test_what_is_far_from_them_is_as_without(
    keywords: dict[str, Any], words: list[str], around: int
) -> None:
    # What was in the hole is everywhere else, too, so that levels and thresholds are the same.
    levels = picture().astype(np.float32)
    levels[HOLE] = 60 + 80 * (X > 150)[HOLE]
    numbers = np.where(HOLE, np.nan, levels).astype(np.float32)
    keywords = {"low": 50, "high": 100, "sigma": 1, **keywords} if around == 2 else keywords
    if keywords["method"] != "canny":
        keywords = {n: v for n, v in keywords.items() if n not in ("low", "high", "sigma")}
    far = ~cuesta.dilate(HOLE, "rect:61")
    made, whole = cuesta.edges(numbers, **keywords), cuesta.edges(levels, **keywords)
    np.testing.assert_array_equal(made[far], whole[far])


def test_strengths_of_sobel_in_levels(tmp_path: pathlib.Path) -> None:
    path = stored(tmp_path / "dem.tif", picture(), "int16", -9999)
    for name in ("made.png", "made.tif"):
        run("edges", path, "-o", tmp_path / name, "--method=sobel", "--device=cpu")
        made = np.nan_to_num(cuesta.imread(tmp_path / name).astype(np.float32))
        assert not made[cuesta.dilate(HOLE, "rect:3")].any() and made.any()


def test_levels_that_are_given_have_the_same_holes(tmp_path: pathlib.Path) -> None:
    path = stored(tmp_path / "dem.tif", picture(), "int16", -9999)
    for method in ("canny", "sobel", "log"):
        run("edges", path, "-o", tmp_path / "made.png", f"--method={method}", "--white=255")
        made = cuesta.imread(tmp_path / "made.png")
        assert not made[cuesta.dilate(HOLE, "rect:3")].any() and made.any(), method


def test_regions_do_not_have_them(tmp_path: pathlib.Path) -> None:
    path = stored(tmp_path / "dem.tif", picture(), "int16", -9999)
    labels = cuesta.edges(path, "regions", labels=True)
    assert (labels[HOLE] == 0).all() and (labels[~HOLE] > 0).all()
    assert set(np.unique(labels)) == set(range(labels.max() + 1)) and labels.max() >= 2
    areas = {k: int((labels == k).sum()) for k in range(1, labels.max() + 1)}
    run("edges", path, "--method=regions", "--lines", tmp_path / "areas.geojson", "--min-length=0")
    features = json.loads((tmp_path / "areas.geojson").read_text())["features"]
    assert {one["properties"]["label"]: one["properties"]["area"] for one in features} == areas
    outlines = cuesta.edge_lines(path, "regions", min_length=0)
    assert {one.label: one.area for one in outlines} == areas


@pytest.mark.parametrize("method", ["canny", "log"])
def test_lines_end_at_them(tmp_path: pathlib.Path, method: Any) -> None:
    numbers = picture().astype(np.float32)
    numbers[HOLE] = np.nan
    path = stored(tmp_path / "dem.tif", picture(), "int16", -9999)
    lines = cuesta.edge_lines(numbers, method)
    assert len(lines) >= 3
    assert not all(line.closed for line in lines)
    for line in lines:
        x, y = line.points.T
        assert not ((x > 119) & (x < 170) & (y > 59) & (y < 110)).any()
        assert line.length >= 10
    again = cuesta.edge_lines(path, method)
    assert all(np.array_equal(a.points, b.points) for a, b in zip(lines, again, strict=True))
    run("edges", path, "--method", method, "--lines", tmp_path / "e.json")
    written = json.loads((tmp_path / "e.json").read_text())["lines"]
    assert len(written) == len(lines)


def test_a_picture_of_holes_alone_has_no_edges() -> None:
    for method in ("canny", "sobel", "log", "boundaries", "regions"):
        assert not np.nan_to_num(
            cuesta.edges(np.full((40, 50), np.nan, np.float32), method=method)
        ).any()

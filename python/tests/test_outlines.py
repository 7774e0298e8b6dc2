"""Outlines of regions: what `edge_lines` returns, and what the command writes in one pass."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import numpy as np
import pytest
from command import run

import cuesta

pytest.importorskip("cuesta._files", reason="this cuesta was built without libvips")


def picture() -> Any:
    """A square with a square hole of another color in it."""
    made = np.full((80, 100, 3), (40, 90, 160), np.uint8)
    made[10:70, 20:80] = 200, 60, 40
    made[30:50, 40:60] = 40, 190, 60
    return made


def area_of(ring: Any) -> float:
    x, y = ring.T
    return float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y) / 2)


def test_rings_enclose_their_regions() -> None:
    image = picture()
    labels = cuesta.edges(image, "regions", labels=True)
    outlines = cuesta.edge_lines(image, "regions", tolerance=0, min_length=0)
    assert [one.label for one in outlines] == list(range(1, labels.max() + 1))
    assert sorted(len(one.rings) for one in outlines) == [1, 2]
    gray = cuesta.to_gray(image)
    for one in outlines:
        assert one.area == (labels == one.label).sum()
        assert sum(area_of(ring) for ring in one.rings) == one.area
        assert one.mean == pytest.approx(gray[labels == one.label].mean())
        x, y = one.rings[0].T
        sides = np.hypot(x - np.roll(x, -1), y - np.roll(y, -1))
        assert one.length == sides.sum()
    few = cuesta.edge_lines(image, "regions", min_length=300)
    assert [one.length for one in few] == [one.length for one in outlines if one.length >= 300]
    assert len(few) == 1


@pytest.mark.parametrize("kind", ["uint8", "uint16", "float32"])
def test_the_command_writes_the_same(tmp_path: pathlib.Path, kind: str) -> None:
    path = tmp_path / "picture.tif"
    cuesta.imwrite(path, picture().astype(kind) * (257 if kind == "uint16" else 1))
    outlines = cuesta.edge_lines(path, "regions", threshold=0.3)
    words = ("edges", path, "--method=regions", "--threshold=0.3", "--device=cpu")
    run(*words, "-o", tmp_path / "alone.png")
    run(*words, "-o", tmp_path / "beside.png", "--lines", tmp_path / "areas.json")
    alone = cuesta.imread(tmp_path / "alone.png")
    assert alone.any() and alone.dtype == np.uint8
    np.testing.assert_array_equal(cuesta.imread(tmp_path / "beside.png"), alone)
    areas = json.loads((tmp_path / "areas.json").read_text())
    written = next(value for value in areas.values() if isinstance(value, list))
    assert [one["area"] for one in written] == [one.area for one in outlines]


def test_regions_are_found_once(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "picture.png"
    cuesta.imwrite(path, picture())
    words = (
        "edges",
        path,
        "-o",
        tmp_path / "o.png",
        "--method=regions",
        "--explain",
        "--device=cpu",
    )
    alone, beside = run(*words), run(*words, "--lines", tmp_path / "areas.svg")
    assert beside.count("boundaries") == alone.count("boundaries") > 0


def test_what_is_refused() -> None:
    for given, words in (
        ({"threshold": "otsu"}, "threshold is 'otsu'"),
        ({"low": 10, "high": 20}, "low is 10"),
    ):
        with pytest.raises(cuesta.InvalidArgument, match=words):
            cuesta.edge_lines(picture(), "regions", **given)
    with pytest.raises(cuesta.InvalidArgument, match="boundaries does not support lines"):
        cuesta.edge_lines(picture(), "boundaries")  # type: ignore[call-overload]

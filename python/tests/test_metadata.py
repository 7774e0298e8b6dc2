"""Resolution and georeference of files: kept in results of the same grid, and moved with a region."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import numpy as np
import pytest
from command import run
from test_numbers import scene

import cuesta
import cuesta.bands

pytest.importorskip("cuesta._files", reason="this cuesta was built without libvips")
tifffile: Any = pytest.importorskip("tifffile")
PIL: Any = pytest.importorskip("PIL.Image")

SCALE, TIE, TRANSFORM, KEYS, DOUBLES, ASCII = 33550, 33922, 34264, 34735, 34736, 34737
UTM = (1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, 32633)
TIED = [
    (SCALE, "d", 3, (10.0, 20.0, 0.0), True),
    (TIE, "d", 6, (0.0, 0.0, 0.0, 5e5, 4.6e6, 0.0), True),
    (KEYS, "H", 16, UTM, True),
    (DOUBLES, "d", 1, (6378137.0,), True),
    (ASCII, "s", 8, "UTM 33N|", True),
]
MATRIX = (10.0, 1.0, 0.0, 5e5, 2.0, -20.0, 0.0, 4.6e6, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
TURNED = [(TRANSFORM, "d", 16, MATRIX, True), (KEYS, "H", 16, UTM, True)]


def levels() -> Any:
    return scene().astype(np.uint8)


def save(path: pathlib.Path, tags: Any, **options: Any) -> pathlib.Path:
    tifffile.imwrite(path, levels(), resolution=(300, 150), extratags=tags, **options)
    return path


def tags_of(path: pathlib.Path) -> dict[int, Any]:
    """The georeference and the resolution in dots per inch of a TIFF's first page."""
    with tifffile.TiffFile(path) as file:
        tags = file.pages[0].tags
        found = {
            code: tags[code].value
            for code in (SCALE, TIE, TRANSFORM, KEYS, DOUBLES, ASCII)
            if code in tags
        }
        per_inch = 2.54 if tags["ResolutionUnit"].value == 3 else 1
        for name, code in (("XResolution", 282), ("YResolution", 283)):
            top, bottom = tags[name].value
            found[code] = round(top / bottom * per_inch)
    return found


@pytest.mark.parametrize("tags", [TIED, TURNED], ids=["tied", "turned"])
@pytest.mark.parametrize("options", [{}, {"byteorder": ">"}, {"bigtiff": True}], ids=str)
def test_results_have_the_grid_of_their_files(
    tmp_path: pathlib.Path, tags: Any, options: dict[str, Any]
) -> None:
    source, target = save(tmp_path / "geo.tif", tags, **options), tmp_path / "made.tif"
    expected = tags_of(source)
    assert expected[282] == 300 and expected[283] == 150 and KEYS in expected
    edges, box = cuesta.edges(levels()), cuesta.box(levels())
    for more in ({}, {"rows": 17}, {"tiff": "tiled"}, {"tiff": "pyramid", "rows": 17}):
        made = cuesta.edges_file(source, target, **more)
        assert made.warning == ""
        assert tags_of(target) == expected
        np.testing.assert_array_equal(cuesta.imread(target), edges)
        np.testing.assert_array_equal(tifffile.imread(target), edges)
        cuesta.filter_file(source, target, "box", **more)
        assert tags_of(target) == expected
        np.testing.assert_array_equal(cuesta.imread(target), box)
    run("edges", source, "-o", target)
    assert tags_of(target) == expected
    run("filter", source, "-o", target, "--kernel", "average:3")
    assert tags_of(target) == expected


@pytest.mark.parametrize("tags", [TIED, TURNED], ids=["tied", "turned"])
def test_a_region_has_another_origin(tmp_path: pathlib.Path, tags: Any) -> None:
    source, target = save(tmp_path / "geo.tif", tags), tmp_path / "made.tif"
    expected = tags_of(source)
    for more in ((), ("--memory", "30kB", "--sigma", "1")):
        run("edges", source, "-o", target, "--region", "7,5,80,60", *more)
        found = tags_of(target)
        if tags is TIED:
            assert found[TIE] == (-7, -5, 0, 5e5, 4.6e6, 0)
        else:
            a, b, _, x, d, e, _, y = MATRIX[:8]
            assert found[TRANSFORM][3] == x + 7 * a + 5 * b
            assert found[TRANSFORM][7] == y + 7 * d + 5 * e
        changed = {code for code in expected if found[code] != expected[code]}
        assert changed == {TIE if tags is TIED else TRANSFORM}


def test_bands_of_several_processes_keep_it(tmp_path: pathlib.Path) -> None:
    source, target = save(tmp_path / "geo.tif", TIED), tmp_path / "made.tif"
    work = cuesta.bands.filter_work("box")
    join, maker = work.join(str(source), str(target), rows=40), work.maker(str(source))
    found = join.find()
    for y in range(0, 70, 40):
        join.add(maker.make(y, min(70, y + 40), found))
    join.finish()
    assert tags_of(target) == tags_of(source)


def positions(path: pathlib.Path) -> Any:
    """The points of GeoJSON's lines, without the one that closes a line."""
    features = json.loads(path.read_text())["features"]
    lines = [(one["geometry"]["coordinates"], one["properties"]["closed"]) for one in features]
    return np.concatenate([np.array(line[:-1] if closed else line) for line, closed in lines])


@pytest.mark.parametrize("is_point", [False, True])
@pytest.mark.parametrize("tags", [TIED, TURNED], ids=["tied", "turned"])
def test_lines_are_on_the_map(tmp_path: pathlib.Path, tags: Any, is_point: bool) -> None:
    keys = list(UTM)
    keys[11] = 2 if is_point else 1
    tags = [one if one[0] != KEYS else (KEYS, "H", 16, tuple(keys), True) for one in tags]
    source = save(tmp_path / "geo.tif", tags)
    plain, placed = tmp_path / "plain.json", tmp_path / "placed.geojson"
    for region in ((), ("--region", "7,5,80,60")):
        run("edges", source, "--lines", plain, *region)
        run("edges", source, "--lines", placed, *region)
        head = json.loads(placed.read_text())
        assert head["crs"]["properties"]["name"] == "urn:ogc:def:crs:EPSG::32633"
        assert "coordinates" not in head
        points = np.concatenate(
            [np.array(line["points"])[:, :2] for line in json.loads(plain.read_text())["lines"]]
        )
        x, y = (points + (7, 5) if region else points).T + (0 if is_point else 0.5)
        if any(one[0] == SCALE for one in tags):
            expected = np.stack([5e5 + 10 * x, 4.6e6 - 20 * y], 1)
        else:
            expected = np.stack([5e5 + 10 * x + y, 4.6e6 + 2 * x - 20 * y], 1)
        np.testing.assert_allclose(positions(placed), expected, rtol=0, atol=0.02)


def test_lines_of_degrees_have_enough_decimals(tmp_path: pathlib.Path) -> None:
    keys = (1, 1, 0, 2, 1024, 0, 1, 2, 2048, 0, 1, 4326)
    tags = [
        (SCALE, "d", 3, (1e-5, 1e-5, 0.0), True),
        (TIE, "d", 6, (0.0, 0.0, 0.0, 14.5, 41.5, 0.0), True),
        (KEYS, "H", 12, keys, True),
    ]
    source, placed = save(tmp_path / "geo.tif", tags), tmp_path / "placed.geojson"
    run("edges", source, "--lines", placed)
    assert "EPSG::4326" in placed.read_text()
    points = (positions(placed) - (14.5, 41.5)) / (1e-5, -1e-5)
    assert points.min() > 0 and points.max() < 90
    assert len(np.unique(points[:, 0].round(2))) > 20
    plain = tmp_path / "plain.tif"
    cuesta.imwrite(plain, levels())
    run("edges", plain, "--lines", placed)
    assert json.loads(placed.read_text())["coordinates"] == "pixels"
    assert "crs" not in placed.read_text()


def test_what_a_format_cannot_hold_is_said_once(tmp_path: pathlib.Path) -> None:
    source, target = save(tmp_path / "geo.tif", TIED), tmp_path / "made.png"
    for more in ({}, {"rows": 17}):
        with pytest.warns(UserWarning, match=r"geo.tif: .png files have no georeference") as said:
            made = cuesta.edges_file(source, target, **more)  # type: ignore[arg-type]
        assert len(said) == 1 and "georeference" in made.warning
        assert [round(dots) for dots in PIL.open(target).info["dpi"]] == [300, 150]
    assert run("edges", source, "-o", target).count("georeference") == 1
    plain = tmp_path / "plain.tif"
    cuesta.imwrite(plain, levels())
    assert "georeference" not in run("edges", plain, "-o", target)
    assert cuesta.edges_file(plain, target).warning == ""


def test_turned_pictures_have_turned_resolutions(tmp_path: pathlib.Path) -> None:
    source, target = tmp_path / "turned.jpg", tmp_path / "made.png"
    picture = PIL.fromarray(levels())
    exif = picture.getexif()
    exif[274] = 6
    picture.save(source, dpi=(300, 150), exif=exif)
    cuesta.edges_file(source, target)
    assert cuesta.imread(target).shape == levels().shape[::-1]
    assert [round(dots) for dots in PIL.open(target).info["dpi"]] == [150, 300]
    tags = [*TIED, (274, "H", 1, (6,), True)]
    with_place = save(tmp_path / "turned.tif", tags)
    cuesta.edges_file(with_place, tmp_path / "made.tif")
    assert not {SCALE, TIE, KEYS} & tags_of(tmp_path / "made.tif").keys()


def test_files_that_end_before_their_georeference_are_refused(tmp_path: pathlib.Path) -> None:
    source, target = save(tmp_path / "geo.tif", TIED), tmp_path / "made.tif"
    data = bytearray(source.read_bytes())
    with tifffile.TiffFile(source) as file:
        at = file.pages[0].tags[TIE].offset
    data[at + 8 : at + 12] = (0x7FFFFFFF).to_bytes(4, "little")  # beyond the file's end
    source.write_bytes(bytes(data))
    with pytest.raises(cuesta.InputError, match=f"ends before the values of its tag {TIE}$"):
        cuesta.edges_file(source, target)
    assert not target.exists()

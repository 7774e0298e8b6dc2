"""Pixel sizes and names of channels of microscopes' files, in results of every interface."""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from command import run
from test_numbers import scene

import cuesta

pytest.importorskip("cuesta._files", reason="this cuesta was built without libvips")
tifffile: Any = pytest.importorskip("tifffile")

SIZES = {
    "PhysicalSizeX": 0.65,
    "PhysicalSizeXUnit": "µm",
    "PhysicalSizeY": 0.5,
    "PhysicalSizeYUnit": "µm",
}
NAMES = ["DAPI", 'GFP "488" & <far>', "Cy5"]


def levels(count: int) -> Any:
    return np.stack([(scene() * 300 + 17 * i).astype(np.uint16) for i in range(count)])


def ome(path: pathlib.Path, axes: str = "CYX", count: int = 3) -> pathlib.Path:
    metadata = {"axes": axes, **SIZES, "Channel": {"Name": NAMES}}
    pages = levels(count)
    if axes == "TCYX":
        pages = pages.reshape(count // 3, 3, *pages.shape[1:])
    tifffile.imwrite(path, pages, ome=True, photometric="minisblack", metadata=metadata)
    return path


def imagej(path: pathlib.Path, count: int) -> pathlib.Path:
    metadata = {"axes": "ZYX", "unit": "micron", "spacing": 2.0}
    tifffile.imwrite(path, levels(count), imagej=True, resolution=(5, 4), metadata=metadata)
    return path


def pixels_of(path: pathlib.Path) -> dict[str, Any]:
    with tifffile.TiffFile(path) as file:
        assert file.is_ome
        image = tifffile.xml2dict(file.ome_metadata)["OME"]["Image"]
    found: dict[str, Any] = image["Pixels"]
    return found


def by_file(source: Any, target: Any) -> None:
    cuesta.edges_file(source, target, sigma=1, page=2)


def by_bands(source: Any, target: Any) -> None:
    cuesta.edges_file(source, target, sigma=1, page=2, rows=16)


def by_command(source: Any, target: Any) -> None:
    run("edges", source, "-o", target, "--sigma", 1, "--page", 2)


def by_bands_of_the_command(source: Any, target: Any) -> None:
    run("edges", source, "-o", target, "--sigma", 1, "--page", 2, "--memory", "1MB")


WAYS = [by_file, by_bands, by_command, by_bands_of_the_command]


@pytest.mark.parametrize("way", WAYS)
def test_a_page_keeps_its_pixel_size_and_channel(
    tmp_path: pathlib.Path, way: Callable[[Any, Any], None]
) -> None:
    source, target = ome(tmp_path / "cells.ome.tif"), tmp_path / "edges.ome.tif"
    way(source, target)
    pixels = pixels_of(target)
    assert {key: pixels[key] for key in SIZES} == SIZES
    assert (pixels["SizeX"], pixels["SizeY"], pixels["SizeC"]) == (90, 70, 1)
    assert pixels["Type"] == "uint8" and pixels["Channel"]["Name"] == NAMES[1]
    expected = cuesta.edges(levels(3)[1], sigma=1)
    np.testing.assert_array_equal(tifffile.imread(target), expected)


def test_all_pages_keep_their_dimensions(tmp_path: pathlib.Path) -> None:
    source, target = ome(tmp_path / "cells.ome.tif", "TCYX", 6), tmp_path / "smooth.ome.tif"
    run("filter", source, "-o", target, "--median", 3)
    pixels = pixels_of(target)
    assert (pixels["SizeC"], pixels["SizeT"], pixels["SizeZ"]) == (3, 2, 1)
    assert [one["Name"] for one in pixels["Channel"]] == NAMES
    with tifffile.TiffFile(target) as file:
        assert file.series[0].axes == "TCYX" and file.series[0].shape == (2, 3, 70, 90)
        made = file.asarray()
    np.testing.assert_array_equal(made[1, 2], cuesta.median(levels(6)[5], 3))


def test_a_page_of_several_dimensions_has_the_name_of_its_channel(tmp_path: pathlib.Path) -> None:
    source, target = ome(tmp_path / "cells.ome.tif", "TCYX", 6), tmp_path / "edges.tif"
    cuesta.edges_file(source, target, page=6)
    assert pixels_of(target)["Channel"]["Name"] == NAMES[2]


@pytest.mark.parametrize("way", WAYS)
def test_imagej_keeps_its_unit(tmp_path: pathlib.Path, way: Callable[[Any, Any], None]) -> None:
    source, target = imagej(tmp_path / "cells.tif", 3), tmp_path / "edges.tif"
    way(source, target)
    with tifffile.TiffFile(target) as file:
        tags = file.pages[0].tags
        assert file.is_imagej and file.imagej_metadata["unit"] == "micron"
        assert tags["XResolution"].value == (5, 1) and tags["YResolution"].value == (4, 1)
        assert tags["ResolutionUnit"].value == 1
        assert len(file.pages) == 1 and "spacing" not in file.imagej_metadata


def test_imagej_keeps_its_stack(tmp_path: pathlib.Path) -> None:
    source, target = imagej(tmp_path / "cells.tif", 4), tmp_path / "smooth.tif"
    run("filter", source, "-o", target, "--median", 3)
    with tifffile.TiffFile(target) as file:
        assert file.imagej_metadata["spacing"] == 2.0 and file.imagej_metadata["slices"] == 4
        assert file.series[0].shape == (4, 70, 90)


def test_what_a_format_cannot_hold_is_said_once(tmp_path: pathlib.Path) -> None:
    source = ome(tmp_path / "cells.ome.tif")
    text = run("edges", source, "-o", tmp_path / "edges.png", "--page", 1)
    assert text.count("no pixel size or channel names") == 1
    with pytest.warns(UserWarning, match="no pixel size"):
        cuesta.edges_file(source, tmp_path / "edges.png", page=1)


@pytest.mark.parametrize(
    "text",
    [
        "<OME><Image><Pixels",
        "<OME><Pixels SizeC='-4' SizeZ='99999999999999999999' PhysicalSizeX='&#x0;&#xFFFFFFFF;&'>",
        "<OME><Pixels DimensionOrder='CCCCC' SizeC='2'><Channel Name='a></Pixels>",
        "<OME " + "a='" * 1000,
        "<OME><Pixels " + "a='' " * 150_000 + ">",
        "<OME><Pixels a='" + "&" * 500_000 + ";'>",
        "ImageJ=",
        "ImageJ=1\nimages=-1\nunit",
        "ImageJ=1\nimages=9223372036854775808\n",
    ],
)
def test_damaged_descriptions_do_no_harm(tmp_path: pathlib.Path, text: str) -> None:
    source, target = tmp_path / "cells.tif", tmp_path / "edges.tif"
    tifffile.imwrite(source, levels(1)[0], description=text, metadata=None)
    cuesta.edges_file(source, target, sigma=1)
    np.testing.assert_array_equal(tifffile.imread(target), cuesta.edges(levels(1)[0], sigma=1))

"""Picture files of every kind that people have: one answer from each interface."""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from command import COMMAND, run

import cuesta

pytest.importorskip("cuesta._files", reason="this cuesta was built without libvips")
pil: Any = pytest.importorskip("PIL.Image")
tifffile: Any = pytest.importorskip("tifffile")

Y, X = np.mgrid[:60, :80]
DISK = (60 + 100 * (np.hypot(Y - 30, X - 40) < 18)).astype(np.uint8)
COLORS = np.dstack([DISK, 255 - DISK, DISK // 2])
PICTURE = pil.fromarray(COLORS)
Save = Callable[[str], Any]


def tiff(values: Any, **options: Any) -> Save:
    return lambda name: tifffile.imwrite(name, values, **options)


def text(content: bytes) -> Save:
    return lambda name: pathlib.Path(name).write_bytes(content)


def turned(name: str) -> None:
    exif = pil.Exif()
    exif[274] = 6
    PICTURE.save(name, exif=exif)


def samples(kind: str) -> bytes:
    made: bytes = DISK[::-1].astype(kind).tobytes()
    return made


#: What is written under each name, and the type and shape of its samples.
FILES: dict[str, tuple[Save, str, tuple[int, ...]]] = {
    "cmyk.jpg": (PICTURE.convert("CMYK").save, "uint8", (60, 80, 3)),
    "cmyk.tif": (PICTURE.convert("CMYK").save, "uint8", (60, 80, 3)),
    "lab.tif": (tiff(COLORS, photometric="cielab"), "uint8", (60, 80, 3)),
    "ycc.tif": (PICTURE.convert("YCbCr").save, "uint8", (60, 80, 3)),
    "palette.png": (PICTURE.convert("P").save, "uint8", (60, 80, 3)),
    "clear.png": (lambda n: PICTURE.convert("P").save(n, transparency=0), "uint8", (60, 80, 4)),
    "four.png": (lambda n: PICTURE.quantize(5).save(n, bits=4), "uint8", (60, 80, 3)),
    "palette.tif": (PICTURE.convert("P").save, "uint8", (60, 80, 3)),
    "palette.gif": (PICTURE.save, "uint8", (60, 80, 3)),
    "palette.bmp": (PICTURE.convert("P").save, "uint8", (60, 80, 3)),
    "bit.png": (pil.fromarray(DISK > 100).save, "uint8", (60, 80)),
    "bit.tif": (pil.fromarray(DISK > 100).save, "uint8", (60, 80)),
    "fax.tif": (
        lambda n: pil.fromarray(DISK > 100).save(n, compression="group4"),
        "uint8",
        (60, 80),
    ),
    "alpha.png": (PICTURE.convert("LA").save, "uint8", (60, 80, 2)),
    "lossless.webp": (lambda n: PICTURE.save(n, lossless=True), "uint8", (60, 80, 3)),
    "turned.jpg": (turned, "uint8", (80, 60, 3)),
    "turned.png": (turned, "uint8", (80, 60, 3)),
    "turned.tif": (
        tiff(COLORS, photometric="rgb", extratags=[(274, "H", 1, 6, True)]),
        "uint8",
        (80, 60, 3),
    ),
    "planar.tif": (
        tiff(np.moveaxis(COLORS, -1, 0), photometric="rgb", planarconfig="separate"),
        "uint8",
        (60, 80, 3),
    ),
    "tiled.tif": (
        tiff(COLORS, photometric="rgb", tile=(16, 16), compression="zlib"),
        "uint8",
        (60, 80, 3),
    ),
    "big.tif": (tiff(COLORS, photometric="rgb", bigtiff=True), "uint8", (60, 80, 3)),
    "negative.tif": (tiff(255 - DISK, photometric="miniswhite"), "uint8", (60, 80)),
    "float.tif": (tiff(COLORS.astype(np.float32), photometric="rgb"), "float32", (60, 80, 3)),
    "deep.png": (pil.fromarray(DISK.astype(np.uint16) * 257).save, "uint16", (60, 80)),
    "deep.pgm": (
        text(b"P5 80 60 65535\n" + (DISK.astype(">u2") * 257).astype(">u2").tobytes()),
        "uint16",
        (60, 80),
    ),
    "text.pgm": (
        text(b"P2 80 60 255\n" + " ".join(map(str, DISK.ravel())).encode()),
        "uint8",
        (60, 80),
    ),
    "bit.pbm": (
        text(b"P4 80 60\n" + np.packbits(DISK > 100, axis=1).tobytes()),
        "uint8",
        (60, 80),
    ),
    "little.pfm": (text(b"Pf\n80 60\n-1.0\n" + samples("<f4")), "float32", (60, 80)),
    "big.pfm": (text(b"Pf\n80 60\n1.0\n" + samples(">f4")), "float32", (60, 80)),
    "true.bmp": (PICTURE.save, "uint8", (60, 80, 3)),
}


@pytest.mark.parametrize("name", FILES)
def test_one_answer(tmp_path: pathlib.Path, name: str) -> None:
    save, dtype, shape = FILES[name]
    path = tmp_path / name
    save(str(path))
    array = cuesta.imread(path)
    assert (array.dtype, array.shape) == (np.dtype(dtype), shape)
    expected = cuesta.edges(array)
    disk = cuesta.edges(COLORS) if shape[0] == 60 else cuesta.edges(COLORS.swapaxes(0, 1).copy())
    assert 100 < (expected > 0).sum() < 150
    assert not expected[cuesta.dilate(disk, "rect:5") == 0].any()
    np.testing.assert_array_equal(cuesta.edges(path), expected)
    for rows in (None, 23):
        if rows and (name.startswith("turned") or name in ("true.bmp", "palette.bmp", "text.pgm")):
            continue  # they are read whole
        cuesta.edges_file(path, tmp_path / "made.png", rows=rows)
        np.testing.assert_array_equal(cuesta.imread(tmp_path / "made.png"), expected)
    if COMMAND.exists():
        run("edges", path, "-o", tmp_path / "made.png", "--device=cpu")
        np.testing.assert_array_equal(cuesta.imread(tmp_path / "made.png"), expected)


@pytest.mark.parametrize("name", ["moves.gif", "moves.webp", "pages.tif"])
def test_one_of_several(tmp_path: pathlib.Path, name: str) -> None:
    path, other = tmp_path / name, PICTURE.transpose(pil.Transpose.ROTATE_180)
    more = {"lossless": True} if name.endswith("webp") else {}
    PICTURE.save(path, save_all=True, append_images=[other], **more)
    for function in (cuesta.edges, cuesta.imread, cuesta.canny):
        with pytest.raises(cuesta.InputError, match="2 (frames|pages); choose one with page=N"):
            function(path)
    np.testing.assert_array_equal(cuesta.imread(path, page=1)[..., :3], COLORS)
    np.testing.assert_array_equal(cuesta.imread(path, page=2)[..., :3], COLORS[::-1, ::-1])
    second = cuesta.edges(COLORS[::-1, ::-1])
    np.testing.assert_array_equal(cuesta.edges(path, page=2), second)
    run("edges", path, "-o", tmp_path / "made.png", "--page=2", "--device=cpu")
    np.testing.assert_array_equal(cuesta.imread(tmp_path / "made.png"), second)


@pytest.mark.parametrize("name", ["picture.tga", "picture.pcx", "picture.ico"])
def test_what_is_no_format_of_this_build(tmp_path: pathlib.Path, name: str) -> None:
    PICTURE.save(tmp_path / name)
    with pytest.raises(cuesta.InputError, match="not a picture in a format that this build reads"):
        cuesta.edges(tmp_path / name)

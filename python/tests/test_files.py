"""cuesta.imread and imwrite, and paths as pictures."""

from __future__ import annotations

import pathlib
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import cuesta
import cuesta.bands

try:
    import cuesta._files  # type: ignore[import-not-found,unused-ignore]
except ImportError:
    here = False
else:
    here = True
with_files = pytest.mark.skipif(not here, reason="this cuesta was built without libvips")
rng = np.random.default_rng(3)


def picture(*shape: int, dtype: str = "uint8") -> Any:
    return (rng.integers(0, 65536, shape) >> (0 if dtype == "uint16" else 8)).astype(dtype)


@with_files
@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
@pytest.mark.parametrize("shape", [(31, 45), (31, 45, 2), (31, 45, 3), (31, 45, 4)])
def test_what_is_written_is_read(
    tmp_path: pathlib.Path, dtype: str, shape: tuple[int, ...]
) -> None:
    values = picture(*shape, dtype=dtype)
    for name in ("a.png", "a.tif"):
        cuesta.imwrite(tmp_path / name, values)
        read = cuesta.imread(tmp_path / name)
        assert (read.dtype, read.shape) == (values.dtype, values.shape)
        np.testing.assert_array_equal(read, values)
    gray = cuesta.imread(str(tmp_path / "a.png"), gray=True)
    plain = (
        values if values.ndim == 2 else values[..., 0] if shape[-1] == 2 else cuesta.to_gray(values)
    )
    np.testing.assert_array_equal(gray, plain)


@with_files
def test_files_are_those_of_other_libraries(tmp_path: pathlib.Path) -> None:
    image = pytest.importorskip("PIL.Image")
    color = picture(31, 45, 3)
    image.fromarray(color).save(tmp_path / "theirs.png")
    np.testing.assert_array_equal(cuesta.imread(tmp_path / "theirs.png"), color)
    cuesta.imwrite(tmp_path / "ours.png", color[:, ::-1])
    np.testing.assert_array_equal(np.asarray(image.open(tmp_path / "ours.png")), color[:, ::-1])
    exif = image.Exif()
    exif[0x112] = 6  # turned by 90 degrees
    image.fromarray(color).save(tmp_path / "turned.tif", exif=exif)
    np.testing.assert_array_equal(cuesta.imread(tmp_path / "turned.tif"), np.rot90(color, -1))
    cuesta.imwrite(tmp_path / "mask.png", color[..., 0] > 128)
    np.testing.assert_array_equal(
        np.asarray(image.open(tmp_path / "mask.png")), (color[..., 0] > 128) * np.uint8(255)
    )


@with_files
def test_operations_take_paths(tmp_path: pathlib.Path) -> None:
    color = picture(31, 45, 3)
    cuesta.imwrite(tmp_path / "a.png", color)
    np.testing.assert_array_equal(
        cuesta.gaussian(tmp_path / "a.png", 1.0), cuesta.gaussian(color, 1.0)
    )
    np.testing.assert_array_equal(
        cuesta.canny(str(tmp_path / "a.png"), 50, 120), cuesta.canny(color, 50, 120)
    )


@with_files
def test_what_cannot_be_read_or_written(tmp_path: pathlib.Path) -> None:
    with pytest.raises(cuesta.InputError, match="absent.png"):
        cuesta.canny(str(tmp_path / "absent.png"))
    (tmp_path / "text.png").write_text("no picture")
    with pytest.raises(cuesta.InputError, match="text.png"):
        cuesta.imread(tmp_path / "text.png")
    with pytest.raises(cuesta.Error, match="abc"):
        cuesta.imwrite(tmp_path / "a.abc", picture(4, 5))
    cuesta.imwrite(tmp_path / "a.png", picture(40, 50))
    with pytest.raises(cuesta.InputError, match="50 x 40 pixels exceed the limit of 1000"):
        cuesta.imread(tmp_path / "a.png", max_pixels=1000)
    whole = (tmp_path / "a.png").read_bytes()
    (tmp_path / "half.png").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(cuesta.InputError, match="half.png"):
        cuesta.imread(tmp_path / "half.png")
    with pytest.raises(cuesta.InvalidArgument, match="max_pixels is 0"):
        cuesta.imread(tmp_path / "a.png", max_pixels=0)
    for call in (lambda: cuesta.imread(3), lambda: cuesta.imwrite(3, picture(4, 5))):  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="file is int; it must be a path"):
            call()


def test_without_libvips_the_rest_works() -> None:
    code = (
        "import sys; sys.modules['cuesta._files'] = None\n"
        "import numpy, cuesta; cuesta.canny(numpy.zeros((9, 9), numpy.uint8))\n"
        "try: cuesta.imread('a.png')\n"
        "except cuesta.Unsupported as error: assert 'libvips' in str(error) and error.value == 'libvips'\n"
        "else: raise AssertionError\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def tiff(pages: list[Any]) -> bytes:
    """An uncompressed little-endian TIFF of (H, W) or (H, W, C) pages of uint8."""
    data = bytearray(b"II*\0\0\0\0\0")
    link = 4
    for page in pages:
        channels = 1 if page.ndim == 2 else page.shape[2]
        extra = max(channels - 1, 1)
        strip, samples = len(data), page.tobytes()
        data += samples + b"\0" * (len(samples) % 2)
        bits = len(data)
        data += b"\x08\0" * channels + b"\0\0" * extra
        data[link : link + 4] = len(data).to_bytes(4, "little")
        tags = [(256, 4, 1, page.shape[1]), (257, 4, 1, page.shape[0]), (259, 3, 1, 1)]
        tags += [(258, 3, channels, bits if channels > 2 else 0x80008 if channels == 2 else 8)]
        tags += [(262, 3, 1, 1), (273, 4, 1, strip), (277, 3, 1, channels)]
        tags += [(278, 4, 1, page.shape[0]), (279, 4, 1, len(samples))]
        if channels > 1:
            tags += [(338, 3, extra, bits + 2 * channels if extra > 2 else 0)]
        data += len(tags).to_bytes(2, "little")
        for tag, kind, count, value in sorted(tags):
            data += tag.to_bytes(2, "little") + kind.to_bytes(2, "little")
            data += count.to_bytes(4, "little") + value.to_bytes(4, "little")
        link = len(data)
        data += b"\0\0\0\0"
    return bytes(data)


@with_files
def test_a_page_of_several(tmp_path: pathlib.Path) -> None:
    pages = [picture(40, 60) for _ in range(3)]
    file, target = tmp_path / "stack.tif", tmp_path / "made.tif"
    file.write_bytes(tiff(pages))
    assert cuesta.count_pages(file) == 3
    for number, page in enumerate(pages, 1):
        np.testing.assert_array_equal(cuesta.imread(file, page=number), page)
        edges = cuesta.edges(page)
        np.testing.assert_array_equal(cuesta.edges(file, page=number), edges)
        assert len(cuesta.edge_lines(file, page=number)) == len(cuesta.edge_lines(page))
        cuesta.edges_file(file, target, page=number)
        np.testing.assert_array_equal(cuesta.imread(target), edges)
        cuesta.filter_file(file, target, "box", page=number)
        np.testing.assert_array_equal(cuesta.imread(target), cuesta.box(page))
        work = cuesta.bands.edges_work(page=number)
        assert work.join(str(file), str(target)).height == len(page)
        labels = cuesta.label((page > 128).astype(np.uint8))
        assert cuesta.label_file(file, threshold=128, page=number).count == labels.count
    calls: list[Any] = [
        lambda **page: cuesta.imread(file, **page),
        lambda **page: cuesta.edges(file, **page),
        lambda **page: cuesta.edge_lines(file, **page),
        lambda **page: cuesta.edges_file(file, target, **page),
        lambda **page: cuesta.filter_file(file, target, "box", **page),
        lambda **page: cuesta.label_file(file, **page),
    ]
    for call in calls:
        with pytest.raises(cuesta.InputError, match=r"3 pages; choose one with page=N"):
            call()
        with pytest.raises(cuesta.InputError, match="page 4 does not exist; the file has 3"):
            call(page=4)
        for wrong in (0, -1):
            with pytest.raises(cuesta.InvalidArgument, match=f"page is {wrong}"):
                call(page=wrong)
        with pytest.raises(TypeError, match="page is 'one'; it must be a whole number"):
            call(page="one")
    with pytest.raises(cuesta.InputError, match="3 pages"):
        cuesta.canny(file)
    with pytest.raises(cuesta.InvalidArgument, match="image is an array"):
        cuesta.edges(pages[0], page=1)


@with_files
def test_one_channel_of_many(tmp_path: pathlib.Path) -> None:
    stack = picture(40, 60, 6)
    file, target = tmp_path / "six.tif", tmp_path / "made.tif"
    file.write_bytes(tiff([stack]))
    with pytest.raises(cuesta.InputError, match="6 channels .* choose one with band=N"):
        cuesta.imread(file)
    with pytest.raises(cuesta.InputError, match="band 7 does not exist; the picture has 6"):
        cuesta.imread(file, band=7)
    for number in range(1, 7):
        plane = np.ascontiguousarray(stack[..., number - 1])
        np.testing.assert_array_equal(cuesta.imread(file, band=number), plane)
        np.testing.assert_array_equal(cuesta.edges(file, band=number), cuesta.edges(plane))
        cuesta.edges_file(file, target, band=number, rows=13)
        np.testing.assert_array_equal(cuesta.imread(target), cuesta.edges(plane))

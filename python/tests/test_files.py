"""cuesta.imread and imwrite, and paths as pictures."""

from __future__ import annotations

import pathlib
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import cuesta

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

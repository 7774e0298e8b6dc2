"""Picture files, read and written as the command does."""

from __future__ import annotations

from typing import IO, Any

import numpy as np

from cuesta._options import flag, whole
from cuesta._reading import Path, files_extension, path_of, read_picture
from cuesta._sources import Source
from cuesta.errors import InvalidArgument

__all__ = ["count_pages", "imread", "imwrite"]


def imread(
    file: Path | bytes | bytearray | memoryview | IO[bytes],
    *,
    gray: bool = False,
    max_pixels: int | None = None,
    allow_partial: bool = False,
    page: int | None = None,
    band: int | None = None,
) -> np.ndarray[Any, Any]:
    """Reads a picture file.

    Parameters
    ----------
    file : path, bytes or binary file
        A path, the bytes of a picture file, or an object whose `read()` returns them. JPEG, PNG, TIFF, WebP, PNM, GIF, HEIF, JPEG 2000, JPEG XL, BMP, PFM, Radiance or OpenEXR.
        The format is found from the content, not from the name.
    gray : bool
        Return gray levels, as `to_gray` makes them. Alpha is ignored.
    max_pixels : int, optional
        Larger pictures raise InputError before a sample is decoded. The default is 2^28.
    allow_partial : bool
        Read what a truncated file still holds; the rest is 0.
    page : int, optional
        The page of a TIFF or HEIF file or the frame of an animation, from 1. Files with several
        pages require it; `count_pages` counts them.
    band : int, optional
        Read only this channel, from 1. Pictures with more than four channels require it.

    Returns
    -------
    numpy array
        uint8, uint16 or float32: (H, W) gray, (H, W, 2) gray and alpha, (H, W, 3) RGB, (H, W, 4)
        RGB and alpha. Upright: EXIF's orientation is applied. cv2.imread returns BGR.

    Raises
    ------
    InputError
        The file cannot be read. The message names the file and the reason.
    Unsupported
        libvips is not installed.

    Notes
    -----
    Files of int8, int16, int32, uint32 and float32 become float32 with the file's numbers. Integers
    above 2^24 are rounded. Floats of 16 or 64 bits raise InputError. Radiance and OpenEXR, which
    store light, become uint16: white is the value that 1 sample in 100 exceeds, and levels follow
    sRGB's curve. A warning reports if more samples are clipped.
    """
    gray, allow_partial = flag("gray", gray), flag("allow_partial", allow_partial)
    if max_pixels is not None and whole("max_pixels", max_pixels) < 1:
        raise InvalidArgument(f"max_pixels is {max_pixels}; it must be 1 or more", str(max_pixels))
    return read_picture(
        _path_or_bytes(file),
        gray=gray,
        max_pixels=max_pixels or 0,
        allow_partial=allow_partial,
        page=page,
        band=band,
    )


def _path_or_bytes(file: Any) -> str | bytes:
    """Returns a path as text, or all bytes of a file in memory."""
    data = file.read() if hasattr(file, "read") else file
    if isinstance(data, (bytes, bytearray, memoryview)):
        return bytes(data)
    if data is not file:
        raise TypeError(f"file.read() returned {type(data).__name__}; open the file as binary")
    return path_of("file", file, " or the bytes of a picture file")


def count_pages(file: Path) -> int:
    """Counts the pages of a picture file.

    Parameters
    ----------
    file : path
        A picture in a format that `imread` reads.

    Returns
    -------
    int
        TIFF and HEIF pages, frames of an animated GIF, WebP or PNG; 1 for other formats. Overviews of reduced
        resolution and transparency masks of a TIFF do not count.

    Raises
    ------
    InputError
        For a file that is no picture.
    Unsupported
        Where there is no libvips.
    """
    return int(files_extension().count_pages(path_of("file", file)))


def imwrite(file: Path, image: Any, *, layout: str | None = None) -> None:
    """Writes a picture file in the format that its extension names.

    The file appears when it is complete.

    Parameters
    ----------
    file : path
        The name of the file; an existing one is replaced.
    image : array
        As `imread` returns it, on the CPU: uint8, uint16 or float32 (TIFF only), which `imread`
        reads back as they are. 8-bit formats store the high byte of uint16. int32 (labels from 0 to
        65535) is written as uint16, bool as 0 and 255. The last of 2 or 4 channels is alpha.
    layout : str, optional
        See `canny`.

    Raises
    ------
    OutputError
        The file cannot be written. The message names the file and the reason.
    Unsupported
        libvips is not installed.
    """
    name = path_of("file", file)
    s = Source(image, layout, "image")
    if s.device >= 0:
        raise InvalidArgument(
            "image is on a CUDA device; bring it to the CPU to write it", f"cuda:{s.device}"
        )
    if s.dtype == "bool":
        zeros_and_ones: Any = np.from_dlpack(s.kind.cast(s.array, "uint8"))
        s = Source(zeros_and_ones * np.uint8(255), s.layout_name())
    files_extension().write_file(name, s.handle, s.layout)

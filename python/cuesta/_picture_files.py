"""Picture files, read and written as the command does."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from cuesta._reading import Path, files_extension, read_picture
from cuesta._sources import Source
from cuesta.errors import InvalidArgument

__all__ = ["imread", "imwrite"]


def imread(
    file: Path, *, gray: bool = False, max_pixels: int | None = None, allow_partial: bool = False
) -> np.ndarray[Any, Any]:
    """Reads a picture file.

    Parameters
    ----------
    file : path
        JPEG, PNG, TIFF, WebP, PNM, GIF, HEIF, JPEG 2000, JPEG XL, BMP, PFM, Radiance or OpenEXR, whatever it is
        called. Of several pictures the first.
    gray : bool
        Gray levels, as `to_gray` makes them; alpha is ignored.
    max_pixels : int, optional
        Refused above, before a sample is decoded; 2^28 by default.
    allow_partial : bool
        Take what a truncated file still holds; the rest is 0.

    Returns
    -------
    numpy array
        uint8, or uint16 (of float files too: 0 is black, and white 1, 255 or 65535, the first that the picture
        stays below but for half as much again, else its largest number; of Radiance and OpenEXR, which hold light,
        what 1 sample in 100 exceeds): (H, W) gray, (H, W, 2) gray and alpha, (H, W, 3) RGB, (H, W, 4) RGB and alpha.
        Upright: EXIF's orientation is applied. cv2.imread gives BGR.

    Raises
    ------
    InputError
        Naming the file and the reason.
    Unsupported
        Where there is no libvips.
    """
    if max_pixels is not None and max_pixels < 1:
        raise InvalidArgument(f"max_pixels is {max_pixels}; it must be 1 or more", str(max_pixels))
    if not isinstance(file, (str, os.PathLike)):
        raise TypeError(f"file is {type(file).__name__}; it must be a path")
    return read_picture(file, gray=gray, max_pixels=max_pixels or 0, allow_partial=allow_partial)


def imwrite(file: Path, image: Any, *, layout: str | None = None) -> None:
    """Writes a picture file in the format that its extension names; it appears when it is whole.

    Parameters
    ----------
    file : path
    image : array
        As `imread` returns them, on the CPU: uint8, uint16 (8-bit formats get the high byte) or float32 (TIFF only);
        bool is written as 0 and 255. The last of 2 or 4 channels is alpha.
    layout
        As `canny` has it.

    Raises
    ------
    OutputError
        Naming the file and the reason.
    Unsupported
        Where there is no libvips.
    """
    if not isinstance(file, (str, os.PathLike)):
        raise TypeError(f"file is {type(file).__name__}; it must be a path")
    s = Source(image, layout, "image")
    if s.device >= 0:
        raise InvalidArgument(
            "image is on a CUDA device; bring it to the CPU to write it", f"cuda:{s.device}"
        )
    if s.dtype == "bool":
        zeros_and_ones: Any = np.from_dlpack(s.kind.cast(s.array, "uint8"))
        s = Source(zeros_and_ones * np.uint8(255), s.layout_name())
    files_extension().write_file(os.fspath(file), s.handle, s.layout)

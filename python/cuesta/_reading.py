"""Picture files as numpy arrays, and their gray levels."""

from __future__ import annotations

import os
import sys
import warnings
from importlib import import_module
from typing import Any, Union

import numpy as np

from cuesta import _core
from cuesta._layouts import LAYOUTS
from cuesta._options import whole
from cuesta.errors import InvalidArgument, Unsupported

Path = Union[str, "os.PathLike[str]"]


def files_extension() -> Any:
    """Imports the extension that links libvips.

    Raises
    ------
    Unsupported
        libvips is not installed.
    """
    try:
        return import_module("cuesta._files")
    except ImportError as error:
        raise Unsupported(
            f"picture files need libvips: {error}; install it (Debian: libvips42) and a cuesta built with it, "
            "or read the file with another library",
            "libvips",
        ) from error


def path_of(name: str, file: Any, others: str = "") -> str:
    """Returns the path that a caller gives as text. Raises TypeError for other objects."""
    if isinstance(file, (str, os.PathLike)):
        return os.fspath(file)
    raise TypeError(f"{name} is {type(file).__name__}; it must be a path{others}")


def chosen(name: str, number: int | None) -> int:
    """Returns the page or band that a caller names, from 1; 0 for None.

    Raises
    ------
    InvalidArgument
        The number is below 1.
    TypeError
        It is not an int.
    """
    if number is None:
        return 0
    value = whole(name, number)
    if not 1 <= value < 2**31:
        raise InvalidArgument(f"{name} is {value}; it must be 1 or more", str(value))
    return value


def read_picture(
    file: Path | bytes,
    *,
    gray: bool = False,
    max_pixels: int = 0,
    allow_partial: bool = False,
    page: int | None = None,
    band: int | None = None,
    raw: bool = False,
) -> np.ndarray[Any, Any]:
    """Reads what `imread` returns. max_pixels 0 is the default limit.

    With `raw` files that store light give their numbers, too.
    """
    read, warning = files_extension().read_file(
        file if isinstance(file, bytes) else os.fspath(file),
        max_pixels,
        allow_partial,
        chosen("page", page),
        chosen("band", band),
        raw,
    )
    tell(file, warning)
    picture: np.ndarray[Any, Any] = read
    return gray_levels(picture) if gray else picture


def tell(file: Any, warning: str) -> None:
    """Warns about a file or image at the line of the caller's code. An empty warning is none."""
    if not warning:
        return
    depth, frame = 1, sys._getframe(0)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("cuesta."):
        frame, depth = frame.f_back, depth + 1
    name = "file" if isinstance(file, bytes) else "image"
    name = os.fspath(file) if isinstance(file, (str, os.PathLike)) else name
    warnings.warn(f"{name}: {warning}", stacklevel=depth)


def gray_levels(picture: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Returns (H, W) from 1 to 4 channels last, without alpha; colors as `to_gray` converts them."""
    if picture.ndim == 2:
        return picture
    picture = np.ascontiguousarray(picture)
    if picture.shape[2] < 3:
        return np.ascontiguousarray(picture[..., 0])
    made = np.empty(picture.shape[:2], picture.dtype)
    _core.to_gray(picture, LAYOUTS["HWC"], made, LAYOUTS["HW"], "rgb", {}, 0)
    return made

"""Conversion of cv2's arguments to Cuesta's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

import numpy as np

from cuesta.compat._dispatch import Array, Left, leave
from cuesta.compat.cv2._constants import *
from cuesta.compat.cv2._table import original

Border = Literal["constant", "replicate", "symmetric", "reflect101", "wrap"]
_BORDERS: Final[dict[int, Border]] = {
    BORDER_CONSTANT: "constant",
    BORDER_REPLICATE: "replicate",
    BORDER_REFLECT: "symmetric",
    BORDER_REFLECT_101: "reflect101",
}
_DEPTHS: Final[dict[int, np.dtype[Any]]] = {
    CV_8U: np.dtype(np.uint8),
    CV_16U: np.dtype(np.uint16),
    CV_16S: np.dtype(np.int16),
    CV_32F: np.dtype(np.float32),
    CV_64F: np.dtype(np.float64),
}
MAX_SIDE: Final = 255


def picture_of(function: str, value: Any) -> Array:
    """Returns the picture, with adjacent pixels in every row."""
    picture = original.picture(function, value)
    packed = picture.itemsize
    inner = picture.strides[1:] if picture.ndim == 2 else picture.strides[:0:-1]
    for axis, stride in enumerate(inner):
        if stride != packed and picture.shape[-1 - axis] > 1:
            return np.ascontiguousarray(picture)
        packed *= picture.shape[-1 - axis]
    return picture if picture.strides[0] >= packed else np.ascontiguousarray(picture)


def layout_of(picture: Array) -> str:
    """Returns the layout of a picture, HW or HWC."""
    return "HW" if picture.ndim == 2 else "HWC"


def deliver(result: Array, dst: Any) -> Array:
    """Applies cv2's rule for output arguments: written only where shape and type match."""
    if dst is None:
        return result
    if not isinstance(dst, np.ndarray):
        raise Left(f"the result is {type(dst).__name__}, not a numpy array")
    if dst.dtype != result.dtype or dst.shape not in (result.shape, (*result.shape, 1)):
        return result
    leave(not dst.flags.writeable, "the result is read-only")
    np.copyto(dst.reshape(result.shape), result)
    return dst


def border_of(border_type: int, *, wraps: bool = False) -> Border:
    """Returns the border of a borderType."""
    mode = border_type & ~BORDER_ISOLATED
    name: Border | None = "wrap" if wraps and mode == BORDER_WRAP else _BORDERS.get(mode)
    if name is None:
        raise Left(f"borderType is {border_type}")
    return name


def depth_of(ddepth: int, picture: Array) -> np.dtype[Any]:
    """Returns the type of the result."""
    target = picture.dtype if ddepth == -1 else _DEPTHS.get(ddepth)
    if target is None:
        raise Left(f"ddepth is {ddepth}")
    return target


def anchor_of(anchor: Sequence[int], width: int, height: int) -> tuple[int, int]:
    """Returns the anchor as x, y; -1 is the centre."""
    x, y = (int(value) for value in anchor)
    x, y = width // 2 if x == -1 else x, height // 2 if y == -1 else y
    leave(not (0 <= x < width and 0 <= y < height), f"anchor is {tuple(anchor)}")
    return x, y


def around(cells: Array, anchor: tuple[int, int]) -> Array:
    """Pads an element, or a kernel, with zeros until its anchor is its centre."""
    if anchor == (cells.shape[1] // 2, cells.shape[0] // 2):
        return cells
    pads = []
    for side, at in zip(cells.shape, reversed(anchor), strict=True):
        before = max(side - 1 - 2 * at, 0)
        pads.append((before, max(2 * (at + before) - (side + before), 0)))
    return np.pad(cells, pads)

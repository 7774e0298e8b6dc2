"""cv2's arguments as Cuesta's."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

import cuesta
from cuesta._options import element_of, stencil_of
from cuesta.compat._original import Original
from cuesta.compat.cv2._constants import *

original = Original("cv2", "cuesta.compat.cv2")

Array = np.ndarray[Any, np.dtype[Any]]

Border = Literal["constant", "replicate", "symmetric", "reflect101", "wrap"]
BORDERS: Final[dict[int, Border]] = {
    BORDER_CONSTANT: "constant",
    BORDER_REPLICATE: "replicate",
    BORDER_REFLECT: "symmetric",
    BORDER_REFLECT_101: "reflect101",
}
BORDER_NAMES: Final = "BORDER_CONSTANT, BORDER_REPLICATE, BORDER_REFLECT and BORDER_REFLECT_101"
SHAPES: Final = {MORPH_RECT: "rect", MORPH_CROSS: "cross", MORPH_ELLIPSE: "ellipse"}
DEPTHS: Final[dict[int, np.dtype[Any]]] = {
    CV_8U: np.dtype(np.uint8),
    CV_16U: np.dtype(np.uint16),
    CV_16S: np.dtype(np.int16),
    CV_32F: np.dtype(np.float32),
    CV_64F: np.dtype(np.float64),
}
MAX_SIDE: Final = 255
# Samples. Below, what a call costs before its picture does is most of its time, and cv2's costs less.
SMALL: Final = 1 << 18


def invalid(message: str, value: object) -> cuesta.InvalidArgument:
    return cuesta.InvalidArgument(message, str(value))


def unsupported(message: str, value: object) -> cuesta.Unsupported:
    return cuesta.Unsupported(message, str(value))


def picture_of(value: object, name: str, types: Sequence[type], channels: int) -> Array:
    """The array as (H, W) or (H, W, C), C >= 2, with adjacent pixels in every row."""
    if not isinstance(value, np.ndarray):
        raise TypeError(f"{name} is {type(value).__name__}; it must be a numpy array")
    if value.ndim not in (2, 3):
        raise unsupported(
            f"{name} has {value.ndim} dimensions; (H, W) and (H, W, C) are taken", value.ndim
        )
    picture = value[..., 0] if value.ndim == 3 and value.shape[2] == 1 else value
    if picture.size == 0:
        raise invalid(f"{name} is empty: its shape is {value.shape}", value.shape)
    if picture.ndim == 3 and picture.shape[2] > channels:
        hint = "; cuesta.to_gray makes one of three" if channels == 1 else ""
        raise unsupported(
            f"{name} has {picture.shape[2]} channels; at most {channels} is taken{hint}",
            picture.shape[2],
        )
    if picture.dtype not in [np.dtype(t) for t in types]:
        listed = ", ".join(np.dtype(t).name for t in types)
        raise unsupported(f"{name} is {picture.dtype}; {listed} are taken", picture.dtype)
    packed = picture.itemsize
    inner = picture.strides[1:] if picture.ndim == 2 else picture.strides[:0:-1]
    for axis, stride in enumerate(inner):
        if stride != packed and picture.shape[-1 - axis] > 1:
            return np.ascontiguousarray(picture)
        packed *= picture.shape[-1 - axis]
    return picture if picture.strides[0] >= packed else np.ascontiguousarray(picture)


def layout_of(picture: Array) -> str:
    return "HW" if picture.ndim == 2 else "HWC"


def deliver(result: Array, dst: object, name: str = "dst") -> Array:
    """cv2's rule for output arguments: written when shape and type fit, left alone otherwise."""
    if dst is None:
        return result
    if not isinstance(dst, np.ndarray):
        raise TypeError(f"{name} is {type(dst).__name__}; it must be a numpy array or None")
    if dst.dtype != result.dtype or dst.reshape(-1).shape != result.reshape(-1).shape:
        return result
    if dst.shape != result.shape and dst.shape != (*result.shape, 1):
        return result
    if not dst.flags.writeable:
        raise invalid(f"{name} is read-only; it must be writable", name)
    np.copyto(dst.reshape(result.shape), result)
    return dst


def border_of(border_type: int, *, wraps: bool = False) -> Border:
    mode = border_type & ~BORDER_ISOLATED
    name: Border | None = "wrap" if wraps and mode == BORDER_WRAP else BORDERS.get(mode)
    if name is None:
        raise unsupported(
            f"borderType is {border_type}; {BORDER_NAMES} are taken, alone or with"
            " BORDER_ISOLATED",
            border_type,
        )
    return name


@functools.lru_cache(maxsize=256)
def _stencil(taps: bytes, height: int, width: int, kind: str, divisor: int | None) -> Any:
    return stencil_of(np.frombuffer(taps, kind).reshape(height, width), divisor)


def correlated(
    picture: Array,
    taps: Array,
    border: Border,
    dtype: str = "float32",
    *,
    offset: int = 0,
    divisor: int | None = None,
) -> Array:
    return cuesta.correlate(
        picture,
        _stencil(taps.tobytes(), *taps.shape, taps.dtype.str, divisor),
        border=border,
        dtype=dtype,
        offset=offset,
        layout=layout_of(picture),
    )


@functools.lru_cache(maxsize=256)
def _element(cells: bytes, height: int, width: int) -> Any:
    return element_of(np.frombuffer(cells, np.uint8).reshape(height, width))


def element(cells: NDArray[np.uint8]) -> Any:
    """The structuring element of those cells."""
    return _element(cells.tobytes(), *cells.shape)


def anchor_of(anchor: Sequence[int], width: int, height: int) -> tuple[int, int]:
    x, y = (int(value) for value in anchor)
    x, y = width // 2 if x == -1 else x, height // 2 if y == -1 else y
    if not (0 <= x < width and 0 <= y < height):
        raise invalid(
            f"anchor is {tuple(anchor)}; it must lie inside the element of {width} x {height}",
            tuple(anchor),
        )
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

"""Erosion, dilation and their combinations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cuesta
from cuesta.compat._dispatch import Array, Left, leave
from cuesta.compat.cv2._arguments import MAX_SIDE, anchor_of, around, border_of, deliver, picture_of
from cuesta.compat.cv2._constants import *
from cuesta.compat.cv2._table import original


def _color(value: Any) -> tuple[float, ...]:
    """Returns a cv::Scalar: one number is the first channel's, and the others have 0."""
    parts = value if isinstance(value, (Sequence, np.ndarray)) else (value,)
    numbers = [float(part) for part in parts]
    leave(not 1 <= len(numbers) <= 4, f"borderValue has {len(numbers)} numbers")
    return (*numbers, *[0.0] * (4 - len(numbers)))


def _cells(kernel: Any) -> NDArray[np.uint8]:
    leave(
        not isinstance(kernel, np.ndarray) or kernel.ndim > 2,
        "the element is not an array with 2 dimensions",
    )
    cells = kernel[:, np.newaxis] if kernel.ndim == 1 else kernel
    full = bool((cells != 0).all())
    leave(
        cells.dtype not in (np.uint8, np.bool_) and not full, f"the element has type {cells.dtype}"
    )
    members: NDArray[np.uint8] = (cells != 0).astype(np.uint8)
    return members


def _grown(
    kernel: Any, anchor: Sequence[int], iterations: int
) -> tuple[NDArray[np.uint8], tuple[int, int], int]:
    """Returns the element, its anchor, and the number of times it is applied.

    Elements without holes are grown instead of iterated. cv2 does the same, and it matters at a
    border.
    """
    if kernel is None or np.size(kernel) == 0:
        side = 1 + 2 * iterations
        return np.ones((side, side), np.uint8), (iterations, iterations), 1
    cells = _cells(kernel)
    height, width = cells.shape
    at = anchor_of(anchor, width, height)
    if iterations > 1 and cells.all():
        more = iterations - 1
        cells = np.ones((height + more * (height - 1), width + more * (width - 1)), np.uint8)
        return cells, (at[0] * iterations, at[1] * iterations), 1
    if not cells.any():
        # cv2 uses an element without cells as its first cell alone.
        cells = cells.copy()
        cells[0, 0] = 1
    return cells, at, iterations


def _morph(
    picture: Array,
    step: Callable[..., Any],
    kernel: Any,
    anchor: Sequence[int],
    iterations: int,
    border_type: int,
    border_value: Any,
) -> Array:
    """Computes cv::erode or cv::dilate."""
    leave(iterations < 0, f"iterations is {iterations}")
    cells, at, rounds = _grown(kernel, anchor, iterations)
    if iterations == 0 or cells.size == 1:
        return picture.copy()
    members = around(cells, at)
    leave(max(members.shape) > MAX_SIDE, f"the element with anchor {at} has shape {members.shape}")
    border: str | None = border_of(border_type)
    if border == "constant" and border_value is None:
        border = None
    values = _color(0 if border_value is None else border_value)
    result = np.empty(picture.shape, picture.dtype)
    for channel in np.ndindex(picture.shape[2:]):
        plane = np.ascontiguousarray(picture[(..., *channel)])
        outside = values[channel[0] if channel else 0]
        for _ in range(rounds):
            plane = np.asarray(
                step(plane, members, border=border, border_value=outside, layout="HW")
            )
        result[(..., *channel)] = plane
    return result


def _is_slower(picture: Array, kernel: Any, op: int) -> bool:
    """Whether cv2 is faster.

    It is for rectangles, crosses and small elements, and for colors except with large elements.
    """
    cells = np.ones((3, 3), np.uint8) if kernel is None or np.size(kernel) == 0 else kernel
    if not isinstance(cells, np.ndarray):
        return True
    side, full = max(cells.shape), bool(np.all(cells))
    if picture.ndim == 3:
        return full or side < 31
    if side <= 5 and op in (MORPH_GRADIENT, MORPH_TOPHAT, MORPH_BLACKHAT):
        return True
    if full:
        return side > 3 or picture.dtype != np.uint8
    return side < 5 or int(np.count_nonzero(cells)) <= 2 * side


def _less(a: Array, b: Array) -> Array:
    """Returns a - b, at least 0."""
    return np.asarray(np.maximum(a, b) - b)


def _morphed(name: str, op: int, src: Any, kernel: Any, dst: Any, *how: Any) -> Array:
    """Computes one operation of ``cv2.morphologyEx``.

    As in cv2, both steps of opening and closing use the element unreflected. ``cuesta.open`` and
    ``cuesta.close`` reflect it for the second step.
    """
    picture = picture_of(name, src)
    if op not in (MORPH_ERODE, MORPH_DILATE) and (kernel is None or np.size(kernel) == 0):
        kernel = np.ones((3, 3), np.uint8)
    original.slower(_is_slower(picture, kernel, op))

    def eroded(source: Array) -> Array:
        return _morph(source, cuesta.erode, kernel, *how)

    def dilated(source: Array) -> Array:
        return _morph(source, cuesta.dilate, kernel, *how)

    steps: dict[int, Callable[[Array], Array]] = {
        MORPH_ERODE: eroded,
        MORPH_DILATE: dilated,
        MORPH_OPEN: lambda p: dilated(eroded(p)),
        MORPH_CLOSE: lambda p: eroded(dilated(p)),
        MORPH_GRADIENT: lambda p: _less(dilated(p), eroded(p)),
        MORPH_TOPHAT: lambda p: _less(p, dilated(eroded(p))),
        MORPH_BLACKHAT: lambda p: _less(eroded(dilated(p)), p),
    }
    if op not in steps:
        raise Left(f"op is {op}")
    return deliver(steps[op](picture), dst)


@original.answers
def erode(
    src: Array,
    kernel: Array | None,
    dst: Array | None = None,
    anchor: Sequence[int] = (-1, -1),
    iterations: int = 1,
    borderType: int = BORDER_CONSTANT,
    borderValue: Any = None,
) -> Array:
    """Computes the minimum over the element as ``cv2.erode``, byte for byte.

    The parameters are those of ``cv2.erode``. `dst` may be `src`.
    """
    return _morphed(
        "erode", MORPH_ERODE, src, kernel, dst, anchor, iterations, borderType, borderValue
    )


@original.answers
def dilate(
    src: Array,
    kernel: Array | None,
    dst: Array | None = None,
    anchor: Sequence[int] = (-1, -1),
    iterations: int = 1,
    borderType: int = BORDER_CONSTANT,
    borderValue: Any = None,
) -> Array:
    """Computes the maximum over the element as ``cv2.dilate``, byte for byte.

    The parameters are those of ``cv2.dilate``. `dst` may be `src`.
    """
    return _morphed(
        "dilate", MORPH_DILATE, src, kernel, dst, anchor, iterations, borderType, borderValue
    )


@original.answers
def morphologyEx(
    src: Array,
    op: int,
    kernel: Array | None,
    dst: Array | None = None,
    anchor: Sequence[int] = (-1, -1),
    iterations: int = 1,
    borderType: int = BORDER_CONSTANT,
    borderValue: Any = None,
) -> Array:
    """Computes morphological operations as ``cv2.morphologyEx``, byte for byte.

    The parameters are those of ``cv2.morphologyEx``. `iterations` repeats each step, not their
    sequence.
    """
    return _morphed(
        "morphologyEx", op, src, kernel, dst, anchor, iterations, borderType, borderValue
    )

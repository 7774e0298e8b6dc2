"""Morphology."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cuesta
from cuesta import _core
from cuesta.compat.cv2._arguments import *
from cuesta.compat.cv2._constants import *

@original.replaces()
def getStructuringElement(
    shape: int, ksize: Sequence[int], anchor: Sequence[int] = (-1, -1)
) -> NDArray[np.uint8]:
    """The elements of ``cv2.getStructuringElement``: uint8 array (height, width) of 0 and 1.

    Parameters
    ----------
    shape : MORPH_RECT, MORPH_CROSS or MORPH_ELLIPSE
    ksize : (width, height), 1 to 255 each
    anchor : (x, y)
        Where the cross has its arms; -1 is the centre, side // 2.
    """
    width, height = (int(side) for side in ksize)
    if width < 1 or height < 1:
        raise invalid(f"ksize is {tuple(ksize)}; both sides must be 1 or more", tuple(ksize))
    name = SHAPES.get(shape)
    if name is None:
        raise unsupported(
            f"shape is {shape}; MORPH_RECT, MORPH_CROSS and MORPH_ELLIPSE are taken", shape
        )
    x, y = anchor_of(anchor, width, height)
    if max(width, height) > MAX_SIDE:
        raise unsupported(f"ksize is {(width, height)}; at most {MAX_SIDE} is taken", ksize)
    cells = _core.StructuringElement.parse(f"{name}:{width}x{height}").cells()
    if shape == MORPH_CROSS and (x, y) != (width // 2, height // 2):
        cells[:] = 0
        cells[y], cells[:, x] = 1, 1
    return cells


def _color(value: Any) -> tuple[float, ...]:
    """A cv::Scalar: one number is the first channel's, the others have 0."""
    parts = value if isinstance(value, (Sequence, np.ndarray)) else (value,)
    numbers = [float(part) for part in parts]
    if not 1 <= len(numbers) <= 4:
        raise invalid(f"borderValue has {len(numbers)} numbers; 1 to 4 are taken", value)
    return (*numbers, *[0.0] * (4 - len(numbers)))


def _morph(
    picture: Array,
    step: Callable[..., Any],
    kernel: Array | None,
    anchor: Sequence[int],
    iterations: int,
    border_type: int,
    border_value: object,
) -> Array:
    """cv::erode or cv::dilate. Elements without holes are grown instead of iterated, which is what
    cv2 does and matters where a border is read."""
    if iterations < 0:
        raise invalid(f"iterations is {iterations}; it must be 0 or more", iterations)
    if kernel is None or np.size(kernel) == 0:
        side = 1 + 2 * iterations
        cells, at, rounds = np.ones((side, side), np.uint8), (iterations, iterations), 1
    else:
        cells = _cells(kernel)
        height, width = cells.shape
        at, rounds = anchor_of(anchor, width, height), iterations
        if iterations > 1 and cells.all():
            at, rounds = (at[0] * iterations, at[1] * iterations), 1
            cells = np.ones(
                (height + (iterations - 1) * (height - 1), width + (iterations - 1) * (width - 1)),
                np.uint8,
            )
    if iterations == 0 or cells.size == 1:
        return picture.copy()
    if not cells.any():
        # cv2 reads an element without cells as its first cell alone.
        cells = cells.copy()
        cells[0, 0] = 1
    padded = around(cells, at)
    if max(padded.shape) > MAX_SIDE:
        raise unsupported(
            f"the element of {cells.shape[1]} x {cells.shape[0]} about {at} spans"
            f" {max(padded.shape)} pixels; at most {MAX_SIDE} is taken",
            max(padded.shape),
        )
    members = element(padded)
    border: Border | None = border_of(border_type)
    if border == "constant" and border_value is None:
        border = None
    values = _color(0 if border_value is None else border_value)
    result = np.empty(picture.shape, picture.dtype)
    for channel in np.ndindex(picture.shape[2:]):
        plane = np.ascontiguousarray(picture[(..., *channel)])
        for _ in range(rounds):
            plane = np.asarray(
                step(
                    plane,
                    members,
                    border=border,
                    border_value=values[channel[0] if channel else 0],
                    layout="HW",
                )
            )
        result[(..., *channel)] = plane
    return result


def _is_slower(picture: Array, kernel: Array | None, op: int = MORPH_ERODE) -> bool:
    """Whether cv2 is the faster one: of rectangles, crosses and small elements, of colors all but large ones, and of small
    pictures."""
    cells = np.ones((3, 3), np.uint8) if kernel is None or np.size(kernel) == 0 else kernel
    if not isinstance(cells, np.ndarray) or picture.size < SMALL or op == MORPH_HITMISS:
        return True
    side, full = max(cells.shape), bool(np.all(cells))
    if picture.ndim == 3:
        return full or side < 31
    plain = op in (MORPH_ERODE, MORPH_DILATE, MORPH_OPEN, MORPH_CLOSE)
    if side <= 5 and not plain:
        return True
    if full:
        return side > 3 or picture.dtype != np.uint8
    return side < 5 or int(np.count_nonzero(cells)) <= 2 * side


def _cells(kernel: object) -> NDArray[np.uint8]:
    if not isinstance(kernel, np.ndarray):
        raise TypeError(f"kernel is {type(kernel).__name__}; it must be a numpy array or None")
    cells = kernel[:, np.newaxis] if kernel.ndim == 1 else kernel
    if cells.ndim != 2:
        raise invalid(f"kernel has {cells.ndim} dimensions; it must have 2", cells.ndim)
    full = bool((cells != 0).all())
    if cells.dtype not in (np.uint8, np.bool_) and not full:
        raise invalid(
            f"kernel is {cells.dtype}; it must be uint8, unless no cell of it is 0", cells.dtype
        )
    members: NDArray[np.uint8] = (cells != 0).astype(np.uint8)
    return members


@original.replaces()
def erode(
    src: Array,
    kernel: Array | None,
    dst: Array | None = None,
    anchor: Sequence[int] = (-1, -1),
    iterations: int = 1,
    borderType: int = BORDER_CONSTANT,
    borderValue: object = None,
) -> Array:
    """The least sample under the element, as ``cv2.erode``, byte for byte.

    Parameters
    ----------
    src : uint8 or uint16 array (H, W) or (H, W, C), 1 to 4 channels
    kernel : uint8 array (h, w), or None
        Non-zero cells belong; None is 3 x 3. About its anchor it must fit into 255 x 255.
    dst : array like src, optional
        Written and returned; may be src.
    anchor : (x, y)
        The cell over the output pixel; -1 is the centre, side // 2.
    iterations : int
        0 copies.
    borderType : int
        As in GaussianBlur, without BORDER_WRAP.
    borderValue : number or up to 4 numbers, optional
        What BORDER_CONSTANT reads outside, one a channel (0 where there is none); by default
        nothing outside wins.

    Returns
    -------
    array like src.
    """
    picture = picture_of(src, "src", (np.uint8, np.uint16), 4)
    original.answers(_is_slower(picture, kernel))
    done = _morph(picture, cuesta.erode, kernel, anchor, iterations, borderType, borderValue)
    return deliver(done, dst)


@original.replaces()
def dilate(
    src: Array,
    kernel: Array | None,
    dst: Array | None = None,
    anchor: Sequence[int] = (-1, -1),
    iterations: int = 1,
    borderType: int = BORDER_CONSTANT,
    borderValue: object = None,
) -> Array:
    """The largest sample under the element, as ``cv2.dilate``, byte for byte. See erode."""
    picture = picture_of(src, "src", (np.uint8, np.uint16), 4)
    original.answers(_is_slower(picture, kernel))
    done = _morph(picture, cuesta.dilate, kernel, anchor, iterations, borderType, borderValue)
    return deliver(done, dst)


@original.replaces()
def morphologyEx(
    src: Array,
    op: int,
    kernel: Array | None,
    dst: Array | None = None,
    anchor: Sequence[int] = (-1, -1),
    iterations: int = 1,
    borderType: int = BORDER_CONSTANT,
    borderValue: object = None,
) -> Array:
    """Erosion, dilation and what is made of them, as ``cv2.morphologyEx``, byte for byte.

    Both steps of opening and closing read the element unturned, as cv2's do; ``cuesta.open`` and
    ``cuesta.close`` turn it for the second one, which differs for elements that are not equal to
    themselves turned by 180 degrees, even-sized ones included.

    Parameters
    ----------
    src : uint8 or uint16 array (H, W) or (H, W, C), 1 to 4 channels
        For MORPH_HITMISS uint8 (H, W).
    op : int
        MORPH_ERODE, MORPH_DILATE, MORPH_OPEN, MORPH_CLOSE, MORPH_GRADIENT, MORPH_TOPHAT,
        MORPH_BLACKHAT or MORPH_HITMISS.
    kernel : uint8 array (h, w), or None
        As in erode; for MORPH_HITMISS any signed type: 1 must be set, -1 must not be.
    dst, anchor, iterations, borderType, borderValue
        As in erode. ``iterations`` repeats each step, not their sequence.

    Returns
    -------
    array like src.
    """
    if op == MORPH_HITMISS:
        picture = picture_of(src, "src", (np.uint8,), 1)
    else:
        picture = picture_of(src, "src", (np.uint8, np.uint16), 4)
    if kernel is None or np.size(kernel) == 0:
        kernel = np.ones((3, 3), np.uint8)

    original.answers(_is_slower(picture, kernel, op))

    def eroded(source: Array, cells: Array) -> Array:
        return _morph(source, cuesta.erode, cells, anchor, iterations, borderType, borderValue)

    def dilated(source: Array, cells: Array) -> Array:
        return _morph(source, cuesta.dilate, cells, anchor, iterations, borderType, borderValue)

    if op == MORPH_ERODE:
        result = eroded(picture, kernel)
    elif op == MORPH_DILATE:
        result = dilated(picture, kernel)
    elif op == MORPH_OPEN:
        result = dilated(eroded(picture, kernel), kernel)
    elif op == MORPH_CLOSE:
        result = eroded(dilated(picture, kernel), kernel)
    elif op == MORPH_GRADIENT:
        result = _less(dilated(picture, kernel), eroded(picture, kernel))
    elif op == MORPH_TOPHAT:
        result = _less(picture, dilated(eroded(picture, kernel), kernel))
    elif op == MORPH_BLACKHAT:
        result = _less(eroded(dilated(picture, kernel), kernel), picture)
    elif op == MORPH_HITMISS:
        result = np.full_like(picture, 255)
        wanted, unwanted = (kernel == 1).astype(np.uint8), (kernel == -1).astype(np.uint8)
        if not np.any(kernel):
            result = picture.copy()
        if wanted.any():
            result = result & eroded(picture, wanted)
        if unwanted.any():
            result = result & eroded(~picture, unwanted)
    else:
        raise unsupported(
            f"op is {op}; MORPH_ERODE, MORPH_DILATE, MORPH_OPEN, MORPH_CLOSE, MORPH_GRADIENT,"
            " MORPH_TOPHAT, MORPH_BLACKHAT and MORPH_HITMISS are taken",
            op,
        )
    return deliver(result, dst)


def _less(a: Array, b: Array) -> Array:
    """a - b, not below 0."""
    return np.asarray(np.maximum(a, b) - b)

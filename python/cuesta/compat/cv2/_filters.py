"""Smoothing, derivatives, and correlation with whole numbers."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cuesta
from cuesta.compat._dispatch import Array, leave
from cuesta.compat.cv2._arguments import (
    MAX_SIDE,
    Border,
    anchor_of,
    around,
    border_of,
    deliver,
    depth_of,
    layout_of,
    picture_of,
)
from cuesta.compat.cv2._constants import *
from cuesta.compat.cv2._table import original


@original.answers
def GaussianBlur(
    src: Array,
    ksize: Sequence[int],
    sigmaX: float,
    dst: Array | None = None,
    sigmaY: float = 0,
    borderType: int = BORDER_DEFAULT,
    hint: int | None = None,
) -> Array:
    """Smooths with square Gaussian windows as ``cv2.GaussianBlur``, byte for byte.

    The parameters are those of ``cv2.GaussianBlur``. `hint` exists in newer versions and has no
    effect.
    """
    picture = picture_of("GaussianBlur", src)
    border = border_of(borderType, wraps=True)
    width, height = (int(side) for side in ksize)
    sigma_x, sigma_y = float(sigmaX), float(sigmaY) if sigmaY > 0 else float(sigmaX)
    if width <= 0 and sigma_x > 0:
        width = round(sigma_x * 6 + 1) | 1
    if height <= 0 and sigma_y > 0:
        height = round(sigma_y * 6 + 1) | 1
    leave(
        width != height or width % 2 == 0 or not 0 < width <= MAX_SIDE,
        f"ksize is {(width, height)}",
    )
    leave(abs(sigma_x - sigma_y) >= 2.0**-52, f"sigmaX is {sigma_x} and sigmaY {sigma_y}")
    if width == 1:
        return deliver(picture.copy(), dst)
    smooth = cuesta.gaussian(
        picture, max(sigma_x, 0.0), ksize=width, border=border, layout=layout_of(picture)
    )
    return deliver(smooth, dst)


@original.answers
def medianBlur(src: Array, ksize: int, dst: Array | None = None) -> Array:
    """Computes the median of ksize × ksize samples as ``cv2.medianBlur``.

    The parameters are those of ``cv2.medianBlur``. The bytes are the same unless floats have a NaN
    or -0. Here -0 comes before +0, and NaNs come at both ends by their sign. In cv2 both zeros are
    equal, and NaNs have no order.
    """
    picture = picture_of("medianBlur", src)
    two = picture.ndim == 3 and picture.shape[2] == 2
    largest = MAX_SIDE if picture.dtype == np.uint8 and not two else 5
    leave(not 1 <= ksize <= largest or ksize % 2 == 0, f"ksize is {ksize}")
    original.slower(ksize == 3 or (ksize == 1 and picture.size < 1 << 18))
    return deliver(cuesta.median(picture, ksize, layout=layout_of(picture)), dst)


@functools.cache
def _derivative(order: int, size: int) -> NDArray[np.int64]:
    """Returns cv::getDerivKernels without normalisation: (1 1)^(size - 1 - order) * (-1 1)^order."""
    taps = np.ones(1, np.int64)
    for _ in range(size - 1 - order):
        taps = np.convolve(taps, (1, 1))
    for _ in range(order):
        taps = np.convolve(taps, (-1, 1))
    return taps


def _leave_inexact(
    picture: Array, taps: NDArray[np.int64], target: np.dtype[Any], scale: float, delta: float
) -> None:
    """Leaves derivatives to cv2 whose sums it rounds, differently from build to build."""
    reach = int(np.abs(taps).sum()) * int(np.iinfo(picture.dtype).max)
    # Some of cv2's columns saturate to 16 bits before delta is added, and again after it.
    twice = target.itemsize == 2 and delta != 0 and reach * abs(scale) > np.iinfo(np.int16).max
    whole = math.frexp(abs(scale))[0] == 0.5 and (delta / scale).is_integer()
    inexact = twice or not whole or reach + abs(delta / scale) >= 1 << 24
    leave(inexact, f"sums with scale {scale} and delta {delta} are rounded")


def _filtered(
    picture: Array,
    taps: NDArray[np.int64],
    target: np.dtype[Any],
    scale: float,
    delta: float,
    border: Border,
) -> Array:
    """Applies whole taps, then ``scale`` and ``delta``, then rounding half to even and saturation."""
    correlated = functools.partial(
        cuesta.correlate, picture, taps, border=border, layout=layout_of(picture)
    )
    plain = scale == 1 and float(delta).is_integer() and abs(delta) <= 1 << 16
    if plain and target in (picture.dtype, np.dtype(np.int16), np.dtype(np.float32)):
        return correlated(dtype=target.name, offset=int(delta))
    sums: Array = correlated(dtype="float32")
    values = sums if scale == 1 and delta == 0 else sums.astype(np.float64) * scale + delta
    if target.kind == "f":
        return values.astype(target, copy=False)
    limits = np.iinfo(target)
    return np.clip(np.rint(values), limits.min, limits.max).astype(target)


@original.answers
def Sobel(
    src: Array,
    ddepth: int,
    dx: int,
    dy: int,
    dst: Array | None = None,
    ksize: int = 3,
    scale: float = 1,
    delta: float = 0,
    borderType: int = BORDER_DEFAULT,
) -> Array:
    """Computes derivatives as ``cv2.Sobel``.

    The parameters are those of ``cv2.Sobel``. The bytes are the same for uint8, and for uint16 up
    to ksize 5, where scale is a power of two and delta a multiple of it.
    """
    picture = picture_of("Sobel", src)
    target = depth_of(ddepth, picture)
    taps = _sobel_taps(dx, dy, ksize)
    _leave_inexact(picture, taps, target, scale, delta)
    original.slower(ksize == 7 and picture.dtype == np.uint8 and target in (np.uint8, np.float32))
    return deliver(_filtered(picture, taps, target, scale, delta, border_of(borderType)), dst)


def _sobel_taps(dx: int, dy: int, ksize: int) -> NDArray[np.int64]:
    if ksize == FILTER_SCHARR:
        leave((dx, dy) not in ((1, 0), (0, 1)), f"dx, dy are {dx}, {dy}")
        smooth, edge = np.array((3, 10, 3)), np.array((-1, 0, 1))
        return np.outer(smooth, edge) if dx else np.outer(edge, smooth)
    leave(ksize not in (1, 3, 5, 7), f"ksize is {ksize}")
    # A derivative needs three taps; without one, ksize 1 smooths nothing.
    width, height = (3 if ksize == 1 and order > 0 else ksize for order in (dx, dy))
    leave(
        min(dx, dy) < 0 or dx + dy == 0 or dx >= max(width, 2) or dy >= max(height, 2),
        f"dx, dy are {dx}, {dy}",
    )
    return np.outer(_derivative(dy, height), _derivative(dx, width))


@original.answers
def Scharr(
    src: Array,
    ddepth: int,
    dx: int,
    dy: int,
    dst: Array | None = None,
    scale: float = 1,
    delta: float = 0,
    borderType: int = BORDER_DEFAULT,
) -> Array:
    """Computes Scharr's derivative, 3 10 3 across -1 0 1, as ``cv2.Scharr``.

    The parameters are those of ``cv2.Scharr``. The bytes are the same under the conditions of
    `Sobel`.
    """
    picture = picture_of("Scharr", src)
    target = depth_of(ddepth, picture)
    taps = _sobel_taps(dx, dy, FILTER_SCHARR)
    _leave_inexact(picture, taps, target, scale, delta)
    return deliver(_filtered(picture, taps, target, scale, delta, border_of(borderType)), dst)


@original.answers
def Laplacian(
    src: Array,
    ddepth: int,
    dst: Array | None = None,
    ksize: int = 1,
    scale: float = 1,
    delta: float = 0,
    borderType: int = BORDER_DEFAULT,
) -> Array:
    """Computes the sum of both second derivatives as ``cv2.Laplacian``.

    The parameters are those of ``cv2.Laplacian``. The bytes are the same under the conditions of
    `Sobel`.
    """
    picture = picture_of("Laplacian", src)
    target = depth_of(ddepth, picture)
    leave(ksize not in (1, 3, 5, 7), f"ksize is {ksize}")
    if ksize == 1:
        taps = np.array(((0, 1, 0), (1, -4, 1), (0, 1, 0)))
    else:
        second, smooth = _derivative(2, ksize), _derivative(0, ksize)
        taps = np.outer(smooth, second) + np.outer(second, smooth)
    _leave_inexact(picture, taps, target, scale, delta)
    original.slower(ksize == 3 and picture.ndim == 2 and target == np.int16)
    return deliver(_filtered(picture, taps, target, scale, delta, border_of(borderType)), dst)


def _whole(kernel: Any) -> NDArray[np.int64]:
    """Returns taps as whole numbers."""
    numbers = isinstance(kernel, np.ndarray) and kernel.size > 0 and kernel.dtype.kind in "iuf"
    leave(not numbers or not np.isfinite(kernel).all(), "the kernel does not hold numbers")
    taps: NDArray[np.int64] = np.rint(kernel).astype(np.int64)
    leave(bool((taps != kernel).any()), "the kernel holds fractions")
    return taps


def _correlated(
    picture: Array,
    ddepth: int,
    taps: NDArray[np.int64],
    anchor: Sequence[int],
    delta: float,
    border_type: int,
) -> Array:
    """Correlates where the sums are exact in any order.

    From 50 taps on cv2 may filter by a Fourier transform, which rounds.
    """
    leave(taps.ndim != 2 or taps.size >= 50, f"the kernel has shape {taps.shape}")
    top = int(np.abs(taps).sum()) * int(np.iinfo(picture.dtype).max)
    inexact = top >= 1 << 24 or not float(delta).is_integer() or abs(delta) > 1 << 16
    leave(inexact, f"the sums reach {top} and delta is {delta}")
    target = depth_of(ddepth, picture)
    taps = around(taps, anchor_of(anchor, taps.shape[1], taps.shape[0]))
    original.slower(picture.ndim == 3 and target == np.float64)
    return _filtered(picture, taps, target, 1, delta, border_of(border_type))


@original.answers
def filter2D(
    src: Array,
    ddepth: int,
    kernel: Array,
    dst: Array | None = None,
    anchor: Sequence[int] = (-1, -1),
    delta: float = 0,
    borderType: int = BORDER_DEFAULT,
) -> Array:
    """Correlates with fewer than 50 whole numbers as ``cv2.filter2D``, byte for byte.

    The parameters are those of ``cv2.filter2D``.
    """
    picture = picture_of("filter2D", src)
    return deliver(_correlated(picture, ddepth, _whole(kernel), anchor, delta, borderType), dst)


@original.answers
def sepFilter2D(
    src: Array,
    ddepth: int,
    kernelX: Array,
    kernelY: Array,
    dst: Array | None = None,
    anchor: Sequence[int] = (-1, -1),
    delta: float = 0,
    borderType: int = BORDER_DEFAULT,
) -> Array:
    """Correlates rows and columns with whole numbers as ``cv2.sepFilter2D``, byte for byte.

    The parameters are those of ``cv2.sepFilter2D``.
    """
    picture = picture_of("sepFilter2D", src)
    taps = np.outer(_whole(kernelY), _whole(kernelX))
    return deliver(_correlated(picture, ddepth, taps, anchor, delta, borderType), dst)

"""Smoothing and derivatives."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cuesta
from cuesta import _core
from cuesta.compat.cv2._arguments import *
from cuesta.compat.cv2._constants import *

def _fixed_taps(size: int, sigma: float, bits: int) -> NDArray[np.int64]:
    """A Gaussian's taps in units of 2^-bits: each is rounded with the error of those outside it, and
    the centre takes the rest (cv::GaussianBlur's taps for integers)."""
    one = 1 << bits
    taps = np.zeros(size, np.int64)
    error = 0.0
    for i, tap in enumerate(_core.gaussian_taps(size, sigma)[: size // 2]):
        exact = tap * one + error
        taps[i] = taps[size - 1 - i] = round(exact)
        error = exact - float(taps[i])
    taps[size // 2] = one - int(taps.sum())
    return taps


def _blur_u8(
    picture: Array, row: NDArray[np.int64], column: NDArray[np.int64], border: Border
) -> Array:
    """Exact sums over 2^16, rounded half up. They stay below 2^24, so f32 holds them."""
    quotients = correlated(picture, np.outer(column, row), border, divisor=1 << 16)
    return np.floor(quotients + np.float32(0.5)).astype(np.uint8)


def _blur_u16(
    picture: Array, row: NDArray[np.int64], column: NDArray[np.int64], border: Border
) -> Array:
    """Both passes exact in 64 bits, one rounding. Samples go through byte by byte: taps add up to
    2^16, so the sums of one byte stay below 2^24 and f32 holds them."""

    def weigh(values: NDArray[np.uint64], size: int, taps: Array) -> NDArray[np.uint64]:
        total = np.zeros_like(values)
        for byte in range(size):
            part = ((values >> np.uint64(8 * byte)) & np.uint64(255)).astype(np.uint8)
            sums = correlated(part, taps, border).astype(np.uint64)
            total += sums << np.uint64(8 * byte)
        return total

    rows = weigh(picture.astype(np.uint64), 2, row[np.newaxis])
    sums = weigh(rows, 4, column[:, np.newaxis])
    return ((sums + np.uint64(1 << 31)) >> np.uint64(32)).astype(np.uint16)


@original.replaces()
def GaussianBlur(
    src: Array,
    ksize: Sequence[int],
    sigmaX: float,
    dst: Array | None = None,
    sigmaY: float = 0,
    borderType: int = BORDER_DEFAULT,
    hint: int | None = None,
) -> Array:
    """Gaussian smoothing as ``cv2.GaussianBlur``.

    Parameters
    ----------
    src : uint8, uint16 or float32 array (H, W) or (H, W, C), 1 to 4 channels
    ksize : (width, height)
        Odd, at most 255; 0 takes the size from the sigma, 6 sigma + 1 for uint8 and 8 sigma + 1
        for the others, rounded and made odd.
    sigmaX, sigmaY : float, pixels
        sigmaY 0 is sigmaX; sigmaX 0 is 0.3 ((k - 1) / 2 - 1) + 0.8.
    dst : array like src, optional
        Written and returned.
    borderType : int
        BORDER_CONSTANT (0 outside), BORDER_REPLICATE, BORDER_REFLECT or BORDER_REFLECT_101; for
        uint8 and uint16, as in cv2, also BORDER_WRAP.
    hint : optional
        Taken for the sake of newer versions; the answer is always the accurate one.

    Returns
    -------
    array like src. uint8 and uint16 have cv2's bytes; float32 differs by rounding, at most
    (width + height + 4) 2^-24 of the largest sample in the window from either side.
    """
    picture = picture_of(src, "src", (np.uint8, np.uint16, np.float32), 4)
    border = border_of(borderType, wraps=picture.dtype != np.float32)
    width, height = (int(side) for side in ksize)
    sigma_x, sigma_y = float(sigmaX), float(sigmaY) if sigmaY > 0 else float(sigmaX)
    reach = 3 if picture.dtype == np.uint8 else 4
    if width <= 0 and sigma_x > 0:
        width = round(sigma_x * reach * 2 + 1) | 1
    if height <= 0 and sigma_y > 0:
        height = round(sigma_y * reach * 2 + 1) | 1
    for side in (width, height):
        if side <= 0 or side % 2 == 0:
            raise invalid(
                f"ksize is {tuple(ksize)}; both sides must be odd, or 0 with a sigma above 0",
                tuple(ksize),
            )
        if side > MAX_SIDE:
            raise unsupported(f"ksize is {(width, height)}; at most {MAX_SIDE} is taken", side)
    square = width == height and abs(sigma_x - sigma_y) < np.finfo(np.float64).eps
    # Sums of floats differ by rounding; the others are slower here.
    original.answers(picture.size < SMALL or picture.dtype != np.uint8 or not square)
    if (width, height) == (1, 1):
        result = picture.copy()
    elif square and picture.dtype != np.uint16:
        result = cuesta.gaussian(
            picture, max(sigma_x, 0.0), ksize=width, border=border, layout=layout_of(picture)
        )
    elif picture.dtype == np.float32:
        rows, columns = (
            np.array(_core.gaussian_taps(side, sigma), np.float32)
            for side, sigma in ((width, sigma_x), (height, sigma_y))
        )
        smooth = correlated(picture, rows[np.newaxis], border)
        result = correlated(smooth, columns[:, np.newaxis], border)
    else:
        bits = 8 if picture.dtype == np.uint8 else 16
        blur = _blur_u8 if picture.dtype == np.uint8 else _blur_u16
        result = blur(
            picture,
            _fixed_taps(width, sigma_x, bits),
            _fixed_taps(height, sigma_y, bits),
            border,
        )
    return deliver(result, dst)


@original.replaces()
def medianBlur(src: Array, ksize: int, dst: Array | None = None) -> Array:
    """The median of ksize x ksize samples as ``cv2.medianBlur``; the border is BORDER_REPLICATE.

    Parameters
    ----------
    src : uint8, uint16 or float32 array (H, W) or (H, W, C), 1 to 4 channels
    ksize : int
        Odd: of uint8 up to 255 (of two channels, as in cv2, 1, 3 or 5), of the others 1, 3 or 5.
    dst : array like src, optional
        Written and returned.

    Returns
    -------
    array like src, with cv2's bytes: of floats, where src has no NaN and no -0.

    Notes
    -----
    Among floats -0 comes before +0, and NaNs come at both ends by their sign; cv2 takes the zeros
    for equal and has no order for NaNs.
    """
    picture = picture_of(src, "src", (np.uint8, np.uint16, np.float32), 4)
    if ksize < 1 or ksize % 2 == 0:
        raise invalid(f"ksize is {ksize}; it must be odd and at least 1", ksize)
    if ksize > 5 and picture.dtype != np.uint8:
        raise invalid(f"ksize is {ksize}; of {picture.dtype} it must be 1, 3 or 5", ksize)
    if ksize > 5 and picture.ndim == 3 and picture.shape[2] == 2:
        raise invalid(f"ksize is {ksize}; of two channels it must be 1, 3 or 5", ksize)
    if ksize > MAX_SIDE:
        raise unsupported(f"ksize is {ksize}; at most {MAX_SIDE} is taken", ksize)
    original.answers(ksize == 3 or (ksize == 1 and picture.size < SMALL))
    return deliver(cuesta.median(picture, ksize, layout=layout_of(picture)), dst)


@functools.cache
def _derivative(order: int, size: int) -> NDArray[np.int64]:
    """cv::getDerivKernels without normalisation: (1 1)^(size - 1 - order) * (-1 1)^order."""
    taps = np.ones(1, np.int64)
    for _ in range(size - 1 - order):
        taps = np.convolve(taps, (1, 1))
    for _ in range(order):
        taps = np.convolve(taps, (-1, 1))
    return taps


def _target(ddepth: int, source: Array) -> np.dtype[Any]:
    if ddepth == -1:
        return source.dtype
    target = DEPTHS.get(ddepth)
    if target is None:
        raise unsupported(
            f"ddepth is {ddepth}; -1, CV_8U, CV_16U, CV_16S, CV_32F and CV_64F are taken", ddepth
        )
    return target


def _source(
    src: object, ddepth: int, types: Sequence[type] = (np.uint8, np.uint16, np.float32)
) -> tuple[Array, np.dtype[Any]]:
    picture = picture_of(src, "src", types, 4)
    original.answers(picture.size < SMALL)
    return picture, _target(ddepth, picture)


def _sums_are_exact(
    picture: Array, taps: NDArray[np.int64], target: np.dtype[Any], scale: float, delta: float
) -> bool:
    """Whether cv2's sums in float, and so its bytes, are the same on every build."""
    if picture.dtype == np.float32:
        return False
    reach = int(np.abs(taps).sum()) * int(np.iinfo(picture.dtype).max)
    if target.itemsize == 2 and delta != 0 and reach * abs(scale) > np.iinfo(np.int16).max:
        return False  # some of its columns saturate before delta is added too
    whole = math.frexp(abs(scale))[0] == 0.5 and (delta / scale).is_integer()
    return whole and reach + abs(delta / scale) < 1 << 24


def _filtered(
    picture: Array,
    taps: NDArray[np.int64],
    target: np.dtype[Any],
    scale: float,
    delta: float,
    border: Border,
) -> Array:
    """Whole taps, then ``scale`` and ``delta``, then rounding half to even and saturation."""
    plain = scale == 1 and float(delta).is_integer() and abs(delta) <= 1 << 16
    direct = target in (picture.dtype, np.dtype(np.int16), np.dtype(np.float32))
    if plain and direct and picture.dtype != np.float32:
        return correlated(picture, taps, border, target.name, offset=int(delta))
    sums = correlated(picture, taps, border)
    values = sums if scale == 1 and delta == 0 else sums.astype(np.float64) * scale + delta
    if target.kind == "f":
        return values.astype(target, copy=False)
    limits = np.iinfo(target)
    return np.clip(np.rint(values), limits.min, limits.max).astype(target)


@original.replaces()
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
    """Derivatives as ``cv2.Sobel``.

    Parameters
    ----------
    src : uint8, uint16 or float32 array (H, W) or (H, W, C), 1 to 4 channels
    ddepth : int
        Type of the result: -1 (src's), CV_8U, CV_16U, CV_16S, CV_32F or CV_64F. Integers saturate.
    dx, dy : int
        Orders of the derivative, not both 0, each below the window's side (3 for ksize 1).
    dst : array, optional
        Written and returned.
    ksize : 1, 3, 5, 7 or FILTER_SCHARR (-1)
        1 is a window of 3 x 1 or 1 x 3 without smoothing.
    scale, delta : float
        The result is derivative * scale + delta.
    borderType : int
        As in GaussianBlur, without BORDER_WRAP.

    Returns
    -------
    array of src's shape. Equal bytes on uint8 (uint16 up to ksize 5) while scale is a power of two
    and delta a multiple of it; else rounding may differ by one, and in float by a few ulps.
    """
    picture, target = _source(src, ddepth)
    return deliver(_sobel(picture, target, dx, dy, ksize, scale, delta, borderType), dst)


def _sobel(
    picture: Array,
    target: np.dtype[Any],
    dx: int,
    dy: int,
    ksize: int,
    scale: float,
    delta: float,
    border_type: int,
) -> Array:
    border = border_of(border_type)
    if ksize not in (FILTER_SCHARR, 1, 3, 5, 7):
        raise unsupported(f"ksize is {ksize}; 1, 3, 5, 7 and FILTER_SCHARR are taken", ksize)
    if ksize == FILTER_SCHARR:
        if min(dx, dy) < 0 or dx + dy != 1:
            raise invalid(f"dx, dy are {dx}, {dy}; Scharr takes 1, 0 or 0, 1", (dx, dy))
        smooth, edge = np.array((3, 10, 3)), np.array((-1, 0, 1))
        row, column = (edge, smooth) if dx else (smooth, edge)
    else:
        # A derivative needs three taps; without one, ksize 1 smooths nothing.
        width, height = (3 if ksize == 1 and order > 0 else ksize for order in (dx, dy))
        if min(dx, dy) < 0 or dx + dy == 0 or dx >= max(width, 2) or dy >= max(height, 2):
            raise invalid(
                f"dx, dy are {dx}, {dy} with ksize {ksize}; they must not both be 0, and each must"
                f" be below {max(ksize, 3)}",
                (dx, dy),
            )
        row, column = _derivative(dx, width), _derivative(dy, height)
    taps = np.outer(column, row)
    original.answers(not _sums_are_exact(picture, taps, target, scale, delta))
    original.answers(ksize == 7 and picture.dtype == np.uint8 and target in (np.uint8, np.float32))
    return _filtered(picture, taps, target, scale, delta, border)


@original.replaces()
def Laplacian(
    src: Array,
    ddepth: int,
    dst: Array | None = None,
    ksize: int = 1,
    scale: float = 1,
    delta: float = 0,
    borderType: int = BORDER_DEFAULT,
) -> Array:
    """The sum of both second derivatives as ``cv2.Laplacian``.

    Parameters
    ----------
    src : uint8, uint16 or float32 array (H, W) or (H, W, C), 1 to 4 channels
    ddepth : int
        As in Sobel.
    dst : array, optional
        Written and returned.
    ksize : 1, 3, 5 or 7
        1 is 0 1 0; 1 -4 1; 0 1 0, and 3 is 2 0 2; 0 -8 0; 2 0 2.
    scale, delta, borderType
        As in Sobel.

    Returns
    -------
    array of src's shape, equal to cv2's as far as Sobel's is.
    """
    picture, target = _source(src, ddepth)
    border = border_of(borderType)
    if ksize == 1:
        taps = np.array(((0, 1, 0), (1, -4, 1), (0, 1, 0)))
    elif ksize in (3, 5, 7):
        second, smooth = _derivative(2, ksize), _derivative(0, ksize)
        taps = np.outer(smooth, second) + np.outer(second, smooth)
    else:
        raise unsupported(f"ksize is {ksize}; 1, 3, 5 and 7 are taken", ksize)
    original.answers(not _sums_are_exact(picture, taps, target, scale, delta))
    original.answers(ksize == 3 and picture.ndim == 2 and target == np.int16)
    return deliver(_filtered(picture, taps, target, scale, delta, border), dst)


@original.replaces()
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
    """Scharr's derivative, 3 10 3 across -1 0 1, as ``cv2.Scharr``: Sobel with FILTER_SCHARR.

    Parameters
    ----------
    src, ddepth, dx, dy, dst, scale, delta, borderType
        As in Sobel.
    """
    picture, target = _source(src, ddepth)
    return deliver(_sobel(picture, target, dx, dy, FILTER_SCHARR, scale, delta, borderType), dst)


@original.replaces()
def spatialGradient(
    src: Array,
    dx: Array | None = None,
    dy: Array | None = None,
    ksize: int = 3,
    borderType: int = BORDER_DEFAULT,
) -> tuple[Array, Array]:
    """Both of Sobel's 3 x 3 derivatives as ``cv2.spatialGradient``, byte for byte.

    Parameters
    ----------
    src : uint8 array (H, W)
    dx, dy : int16 arrays (H, W), optional
        Written and returned.
    ksize : 3
    borderType : BORDER_DEFAULT or BORDER_REPLICATE
    """
    picture = picture_of(src, "src", (np.uint8,), 1)
    original.answers(True)
    if ksize != 3:
        raise invalid(f"ksize is {ksize}; it must be 3", ksize)
    if borderType not in (BORDER_DEFAULT, BORDER_REPLICATE):
        raise invalid(f"borderType is {borderType}; BORDER_DEFAULT and BORDER_REPLICATE are taken", borderType)
    across, down = cuesta.sobel(
        picture, outputs=("gx", "gy"), border=border_of(borderType), layout="HW"
    )
    return deliver(across, dx, "dx"), deliver(down, dy, "dy")


def _whole(kernel: object, name: str) -> NDArray[np.int64]:
    """Taps that are whole numbers and small enough for exact sums in any order."""
    if not isinstance(kernel, np.ndarray):
        raise TypeError(f"{name} is {type(kernel).__name__}; it must be a numpy array")
    if kernel.size == 0 or kernel.dtype.kind not in "iuf" or not np.isfinite(kernel).all():
        raise invalid(f"{name} has shape {kernel.shape} and type {kernel.dtype}; it must hold numbers", kernel.shape)
    taps = np.rint(kernel).astype(np.int64)
    if (taps != kernel).any():
        raise unsupported(f"{name} holds fractions; whole numbers are taken", name)
    return taps


def _exactly(picture: Array, taps: NDArray[np.int64], delta: float) -> None:
    """Refuses what cv2 may round: from 50 taps on it may filter by a Fourier transform."""
    if taps.size >= 50:
        raise unsupported(f"the kernel has {taps.size} cells; fewer than 50 are taken", taps.size)
    top = int(np.abs(taps).sum()) * int(np.iinfo(picture.dtype).max)
    if top >= 1 << 24 or not float(delta).is_integer() or abs(delta) > 1 << 16:
        raise unsupported(
            f"the sums reach {top} and delta is {delta}; below 2^24 and whole numbers up to 65536 are taken",
            top,
        )


@original.replaces()
def filter2D(
    src: Array,
    ddepth: int,
    kernel: Array,
    dst: Array | None = None,
    anchor: Sequence[int] = (-1, -1),
    delta: float = 0,
    borderType: int = BORDER_DEFAULT,
) -> Array:
    """Correlation with a kernel of whole numbers as ``cv2.filter2D``, byte for byte; of fractions it is cv2's.

    Parameters
    ----------
    src : uint8 or uint16 array (H, W) or (H, W, C), 1 to 4 channels
    ddepth : int
        As in Sobel.
    kernel : array (h, w) of any type
        Fewer than 50 whole numbers, whose absolute values sum to less than 2^24 / 255 (uint16: 2^24 / 65535).
    anchor : (x, y)
        The cell over the output pixel; -1 is the centre, side // 2.
    delta : whole number
    dst, borderType
        As in Sobel.
    """
    picture, target = _source(src, ddepth, (np.uint8, np.uint16))
    taps = _whole(kernel, "kernel")
    if taps.ndim != 2:
        raise unsupported(f"kernel has {taps.ndim} dimensions; 2 are taken", taps.ndim)
    _exactly(picture, taps, delta)
    taps = around(taps, anchor_of(anchor, taps.shape[1], taps.shape[0]))
    original.answers(picture.ndim == 3 and target == np.float64)
    return deliver(_filtered(picture, taps, target, 1, delta, border_of(borderType)), dst)


@original.replaces()
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
    """Correlation along the rows and down the columns with whole numbers as ``cv2.sepFilter2D``, byte for byte.

    Parameters
    ----------
    kernelX, kernelY : arrays of w and h numbers
        Whose outer product is as filter2D's kernel.
    src, ddepth, dst, anchor, delta, borderType
        As in filter2D.
    """
    picture, target = _source(src, ddepth, (np.uint8, np.uint16))
    taps = np.outer(_whole(kernelY, "kernelY"), _whole(kernelX, "kernelX"))
    _exactly(picture, taps, delta)
    taps = around(taps, anchor_of(anchor, taps.shape[1], taps.shape[0]))
    original.answers(picture.ndim == 3)
    return deliver(_filtered(picture, taps, target, 1, delta, border_of(borderType)), dst)


def _mean(picture: Array, ksize: Sequence[int], anchor: Sequence[int], border_type: int) -> Array:
    original.answers(True)
    width, height = (int(side) for side in ksize)
    if width < 1 or height < 1:
        raise invalid(f"ksize is {tuple(ksize)}; both sides must be 1 or more", tuple(ksize))
    if width * height % 2 == 0 or width * height > 1 << 12:
        raise unsupported(
            f"ksize is {(width, height)}; odd sides with an area up to 4096 are taken", width * height
        )  # of even areas cv2's builds round ties differently
    if border_type == BORDER_CONSTANT | BORDER_ISOLATED and 1 in picture.shape[:2]:
        raise unsupported("borderType is BORDER_CONSTANT | BORDER_ISOLATED; on one row cv2 takes no other", border_type)
    if anchor_of(anchor, width, height) != (width // 2, height // 2):
        raise unsupported(f"anchor is {tuple(anchor)}; the centre is taken", tuple(anchor))
    border = border_of(border_type)
    if width == height:
        return cuesta.box(picture, width, border=border, layout=layout_of(picture))
    taps = np.ones((height, width), np.int64)
    return correlated(picture, taps, border, picture.dtype.name, divisor=width * height)


@original.replaces()
def blur(
    src: Array,
    ksize: Sequence[int],
    dst: Array | None = None,
    anchor: Sequence[int] = (-1, -1),
    borderType: int = BORDER_DEFAULT,
) -> Array:
    """The mean of a window of odd sides as ``cv2.blur``, byte for byte.

    Parameters
    ----------
    src : uint8 array (H, W) or (H, W, C), 1 to 4 channels
    ksize : (width, height)
        Odd, an area up to 4096.
    dst : array like src, optional
        Written and returned.
    anchor : the centre
    borderType : int
        As in Sobel.
    """
    return deliver(_mean(picture_of(src, "src", (np.uint8,), 4), ksize, anchor, borderType), dst)


@original.replaces()
def boxFilter(
    src: Array,
    ddepth: int,
    ksize: Sequence[int],
    dst: Array | None = None,
    anchor: Sequence[int] = (-1, -1),
    normalize: bool = True,
    borderType: int = BORDER_DEFAULT,
) -> Array:
    """``blur`` as ``cv2.boxFilter``, byte for byte.

    Parameters
    ----------
    ddepth : -1 or CV_8U
    normalize : True
    src, ksize, dst, anchor, borderType
        As in blur.
    """
    if ddepth not in (-1, CV_8U) or not normalize:
        raise unsupported(
            f"ddepth is {ddepth} and normalize {normalize}; -1 or CV_8U, and True are taken", ddepth
        )
    return deliver(_mean(picture_of(src, "src", (np.uint8,), 4), ksize, anchor, borderType), dst)

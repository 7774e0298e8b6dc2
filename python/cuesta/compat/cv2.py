"""OpenCV's arguments, OpenCV's bytes: edges, filters, morphology and components of ``cv2``.

``from cuesta.compat import cv2`` replaces ``import cv2`` where a program calls what is here. The
reference is OpenCV 4.6; the README beside this file has the table of what newer versions do
differently. On uint8 (and, where the README says so, uint16) the answers have cv2's bytes.

Notes
-----
- Pictures are numpy arrays ``(H, W)`` or ``(H, W, C)`` with 1 to 4 channels; as in cv2 the last
  axis of ``(H, W, 1)`` is dropped. Any strides are taken.
- ``dst`` (``edges``, ``labels``, ...) is written and returned when it has the shape and type of the
  result; otherwise a new array is returned, as by cv2.
- ``borderType`` may hold ``BORDER_ISOLATED``, which changes nothing: arrays have nothing outside.
- Arguments that cv2 takes and Cuesta does not raise ``cuesta.Unsupported`` with what is taken;
  arguments that cv2 refuses raise ``cuesta.InvalidArgument``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

import cuesta
from cuesta import _core

__all__ = [
    "Canny",
    "GaussianBlur",
    "Laplacian",
    "Sobel",
    "connectedComponents",
    "connectedComponentsWithStats",
    "dilate",
    "erode",
    "getStructuringElement",
    "medianBlur",
    "morphologyEx",
]

CV_8U: Final = 0
CV_8S: Final = 1
CV_16U: Final = 2
CV_16S: Final = 3
CV_32S: Final = 4
CV_32F: Final = 5
CV_64F: Final = 6

BORDER_CONSTANT: Final = 0
BORDER_REPLICATE: Final = 1
BORDER_REFLECT: Final = 2
BORDER_WRAP: Final = 3
BORDER_REFLECT_101: Final = 4
BORDER_REFLECT101: Final = 4
BORDER_DEFAULT: Final = 4
BORDER_TRANSPARENT: Final = 5
BORDER_ISOLATED: Final = 16

MORPH_RECT: Final = 0
MORPH_CROSS: Final = 1
MORPH_ELLIPSE: Final = 2

MORPH_ERODE: Final = 0
MORPH_DILATE: Final = 1
MORPH_OPEN: Final = 2
MORPH_CLOSE: Final = 3
MORPH_GRADIENT: Final = 4
MORPH_TOPHAT: Final = 5
MORPH_BLACKHAT: Final = 6
MORPH_HITMISS: Final = 7

CC_STAT_LEFT: Final = 0
CC_STAT_TOP: Final = 1
CC_STAT_WIDTH: Final = 2
CC_STAT_HEIGHT: Final = 3
CC_STAT_AREA: Final = 4
CC_STAT_MAX: Final = 5

FILTER_SCHARR: Final = -1

Array = np.ndarray[Any, np.dtype[Any]]

_Border = Literal["constant", "replicate", "symmetric", "reflect101", "wrap"]
_BORDERS: Final[dict[int, _Border]] = {
    BORDER_CONSTANT: "constant",
    BORDER_REPLICATE: "replicate",
    BORDER_REFLECT: "symmetric",
    BORDER_REFLECT_101: "reflect101",
}
_BORDER_NAMES: Final = "BORDER_CONSTANT, BORDER_REPLICATE, BORDER_REFLECT and BORDER_REFLECT_101"
_SHAPES: Final = {MORPH_RECT: "rect", MORPH_CROSS: "cross", MORPH_ELLIPSE: "ellipse"}
_DEPTHS: Final[dict[int, np.dtype[Any]]] = {
    CV_8U: np.dtype(np.uint8),
    CV_16U: np.dtype(np.uint16),
    CV_16S: np.dtype(np.int16),
    CV_32F: np.dtype(np.float32),
    CV_64F: np.dtype(np.float64),
}
_MAX_SIDE: Final = 255


def _invalid(message: str, value: object) -> cuesta.InvalidArgument:
    return cuesta.InvalidArgument(message, str(value))


def _unsupported(message: str, value: object) -> cuesta.Unsupported:
    return cuesta.Unsupported(message, str(value))


def _picture(value: object, name: str, types: Sequence[type], channels: int) -> Array:
    """The array as (H, W) or (H, W, C), C >= 2, with adjacent pixels in every row."""
    if not isinstance(value, np.ndarray):
        raise TypeError(f"{name} is {type(value).__name__}; it must be a numpy array")
    if value.ndim not in (2, 3):
        raise _unsupported(
            f"{name} has {value.ndim} dimensions; (H, W) and (H, W, C) are taken", value.ndim
        )
    picture = value[..., 0] if value.ndim == 3 and value.shape[2] == 1 else value
    if picture.size == 0:
        raise _invalid(f"{name} is empty: its shape is {value.shape}", value.shape)
    if picture.ndim == 3 and picture.shape[2] > channels:
        hint = "; cuesta.to_gray makes one of three" if channels == 1 else ""
        raise _unsupported(
            f"{name} has {picture.shape[2]} channels; at most {channels} is taken{hint}",
            picture.shape[2],
        )
    if picture.dtype not in [np.dtype(t) for t in types]:
        listed = ", ".join(np.dtype(t).name for t in types)
        raise _unsupported(f"{name} is {picture.dtype}; {listed} are taken", picture.dtype)
    packed = picture.itemsize
    inner = picture.strides[1:] if picture.ndim == 2 else picture.strides[:0:-1]
    for axis, stride in enumerate(inner):
        if stride != packed and picture.shape[-1 - axis] > 1:
            return np.ascontiguousarray(picture)
        packed *= picture.shape[-1 - axis]
    return picture if picture.strides[0] >= packed else np.ascontiguousarray(picture)


def _layout(picture: Array) -> str:
    return "HW" if picture.ndim == 2 else "HWC"


def _deliver(result: Array, dst: object, name: str = "dst") -> Array:
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
        raise _invalid(f"{name} is read-only; it must be writable", name)
    np.copyto(dst.reshape(result.shape), result)
    return dst


def _border(border_type: int, *, wraps: bool = False) -> _Border:
    mode = border_type & ~BORDER_ISOLATED
    name: _Border | None = "wrap" if wraps and mode == BORDER_WRAP else _BORDERS.get(mode)
    if name is None:
        raise _unsupported(
            f"borderType is {border_type}; {_BORDER_NAMES} are taken, alone or with"
            " BORDER_ISOLATED",
            border_type,
        )
    return name


def _correlate(
    picture: Array,
    taps: Array,
    border: _Border,
    dtype: str = "float32",
    *,
    offset: int = 0,
    divisor: int | None = None,
) -> Array:
    return cuesta.correlate(
        picture,
        taps,
        divisor=divisor,
        border=border,
        dtype=dtype,
        offset=offset,
        layout=_layout(picture),
    )


# --------------------------------------------------------------------------------------- edges


def Canny(
    image: Array,
    threshold1: float,
    threshold2: float,
    edges: Array | None = None,
    apertureSize: int = 3,
    L2gradient: bool = False,
) -> Array:
    """Edges as ``cv2.Canny`` finds them, byte for byte.

    Parameters
    ----------
    image : uint8 array (H, W)
    threshold1, threshold2 : float
        The thresholds of the hysteresis in gradient units, in any order.
    edges : uint8 array (H, W), optional
        Written and returned.
    apertureSize : 3, 5 or 7
    L2gradient : bool
        sqrt(gx² + gy²) instead of |gx| + |gy|.

    Returns
    -------
    uint8 array (H, W), 255 on edges and 0 elsewhere.

    Raises
    ------
    cuesta.Unsupported
        For more than one channel (cv2 follows the strongest one of each pixel), and for the form
        that takes gradients, ``Canny(dx, dy, threshold1, threshold2)``.
    cuesta.InvalidArgument
        For other apertures.
    """
    if isinstance(threshold1, np.ndarray) and threshold1.ndim >= 2:
        raise _unsupported(
            "Canny(dx, dy, ...) is not supported; give the picture,"
            " Canny(image, threshold1, threshold2), and the gradients are made inside",
            "dx, dy",
        )
    picture = _picture(image, "image", (np.uint8,), 1)
    if apertureSize not in (3, 5, 7):
        raise _invalid(f"apertureSize is {apertureSize}; it must be 3, 5 or 7", apertureSize)
    found = cuesta.canny(
        picture,
        float(threshold1),
        float(threshold2),
        sigma=0,
        aperture=apertureSize,
        norm="l2" if L2gradient else "l1",
        layout="HW",
    )
    return _deliver(found, edges, "edges")


# ------------------------------------------------------------------------------------- filters

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
    picture: Array, row: NDArray[np.int64], column: NDArray[np.int64], border: _Border
) -> Array:
    """Exact sums over 2^16, rounded half up. They stay below 2^24, so f32 holds them."""
    quotients = _correlate(picture, np.outer(column, row), border, divisor=1 << 16)
    return np.floor(quotients + np.float32(0.5)).astype(np.uint8)


def _blur_u16(
    picture: Array, row: NDArray[np.int64], column: NDArray[np.int64], border: _Border
) -> Array:
    """Both passes exact in 64 bits, one rounding. Samples go through byte by byte: taps add up to
    2^16, so the sums of one byte stay below 2^24 and f32 holds them."""

    def weigh(values: NDArray[np.uint64], size: int, taps: Array) -> NDArray[np.uint64]:
        total = np.zeros_like(values)
        for byte in range(size):
            part = ((values >> np.uint64(8 * byte)) & np.uint64(255)).astype(np.uint8)
            sums = _correlate(part, taps, border).astype(np.uint64)
            total += sums << np.uint64(8 * byte)
        return total

    rows = weigh(picture.astype(np.uint64), 2, row[np.newaxis])
    sums = weigh(rows, 4, column[:, np.newaxis])
    return ((sums + np.uint64(1 << 31)) >> np.uint64(32)).astype(np.uint16)


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
    picture = _picture(src, "src", (np.uint8, np.uint16, np.float32), 4)
    border = _border(borderType, wraps=picture.dtype != np.float32)
    width, height = (int(side) for side in ksize)
    sigma_x, sigma_y = float(sigmaX), float(sigmaY) if sigmaY > 0 else float(sigmaX)
    reach = 3 if picture.dtype == np.uint8 else 4
    if width <= 0 and sigma_x > 0:
        width = round(sigma_x * reach * 2 + 1) | 1
    if height <= 0 and sigma_y > 0:
        height = round(sigma_y * reach * 2 + 1) | 1
    for side in (width, height):
        if side <= 0 or side % 2 == 0:
            raise _invalid(
                f"ksize is {tuple(ksize)}; both sides must be odd, or 0 with a sigma above 0",
                tuple(ksize),
            )
        if side > _MAX_SIDE:
            raise _unsupported(f"ksize is {(width, height)}; at most {_MAX_SIDE} is taken", side)
    square = width == height and abs(sigma_x - sigma_y) < np.finfo(np.float64).eps
    if (width, height) == (1, 1):
        result = picture.copy()
    elif square and picture.dtype != np.uint16:
        result = cuesta.gaussian(
            picture, max(sigma_x, 0.0), ksize=width, border=border, layout=_layout(picture)
        )
    elif picture.dtype == np.float32:
        rows, columns = (
            np.array(_core.gaussian_taps(side, sigma), np.float32)
            for side, sigma in ((width, sigma_x), (height, sigma_y))
        )
        smooth = _correlate(picture, rows[np.newaxis], border)
        result = _correlate(smooth, columns[:, np.newaxis], border)
    else:
        bits = 8 if picture.dtype == np.uint8 else 16
        blur = _blur_u8 if picture.dtype == np.uint8 else _blur_u16
        result = blur(
            picture,
            _fixed_taps(width, sigma_x, bits),
            _fixed_taps(height, sigma_y, bits),
            border,
        )
    return _deliver(result, dst)


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
    picture = _picture(src, "src", (np.uint8, np.uint16, np.float32), 4)
    if ksize < 1 or ksize % 2 == 0:
        raise _invalid(f"ksize is {ksize}; it must be odd and at least 1", ksize)
    if ksize > 5 and picture.dtype != np.uint8:
        raise _invalid(f"ksize is {ksize}; of {picture.dtype} it must be 1, 3 or 5", ksize)
    if ksize > 5 and picture.ndim == 3 and picture.shape[2] == 2:
        raise _invalid(f"ksize is {ksize}; of two channels it must be 1, 3 or 5", ksize)
    if ksize > _MAX_SIDE:
        raise _unsupported(f"ksize is {ksize}; at most {_MAX_SIDE} is taken", ksize)
    return _deliver(cuesta.median(picture, ksize, layout=_layout(picture)), dst)


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
    target = _DEPTHS.get(ddepth)
    if target is None:
        raise _unsupported(
            f"ddepth is {ddepth}; -1, CV_8U, CV_16U, CV_16S, CV_32F and CV_64F are taken", ddepth
        )
    return target


def _filtered(
    picture: Array,
    taps: NDArray[np.int64],
    target: np.dtype[Any],
    scale: float,
    delta: float,
    border: _Border,
) -> Array:
    """Whole taps, then ``scale`` and ``delta``, then rounding half to even and saturation."""
    plain = scale == 1 and float(delta).is_integer() and abs(delta) <= 1 << 16
    direct = target in (picture.dtype, np.dtype(np.int16), np.dtype(np.float32))
    if plain and direct and picture.dtype != np.float32:
        return _correlate(picture, taps, border, target.name, offset=int(delta))
    sums = _correlate(picture, taps, border)
    values = sums if scale == 1 and delta == 0 else sums.astype(np.float64) * scale + delta
    if target.kind == "f":
        return values.astype(target, copy=False)
    limits = np.iinfo(target)
    return np.clip(np.rint(values), limits.min, limits.max).astype(target)


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
    picture = _picture(src, "src", (np.uint8, np.uint16, np.float32), 4)
    target, border = _target(ddepth, picture), _border(borderType)
    if ksize not in (FILTER_SCHARR, 1, 3, 5, 7):
        raise _unsupported(f"ksize is {ksize}; 1, 3, 5, 7 and FILTER_SCHARR are taken", ksize)
    if ksize == FILTER_SCHARR:
        if min(dx, dy) < 0 or dx + dy != 1:
            raise _invalid(f"dx, dy are {dx}, {dy}; Scharr takes 1, 0 or 0, 1", (dx, dy))
        smooth, edge = np.array((3, 10, 3)), np.array((-1, 0, 1))
        row, column = (edge, smooth) if dx else (smooth, edge)
    else:
        # A derivative needs three taps; without one, ksize 1 smooths nothing.
        width, height = (3 if ksize == 1 and order > 0 else ksize for order in (dx, dy))
        if min(dx, dy) < 0 or dx + dy == 0 or dx >= max(width, 2) or dy >= max(height, 2):
            raise _invalid(
                f"dx, dy are {dx}, {dy} with ksize {ksize}; they must not both be 0, and each must"
                f" be below {max(ksize, 3)}",
                (dx, dy),
            )
        row, column = _derivative(dx, width), _derivative(dy, height)
    taps = np.outer(column, row)
    return _deliver(_filtered(picture, taps, target, scale, delta, border), dst)


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
    picture = _picture(src, "src", (np.uint8, np.uint16, np.float32), 4)
    target, border = _target(ddepth, picture), _border(borderType)
    if ksize == 1:
        taps = np.array(((0, 1, 0), (1, -4, 1), (0, 1, 0)))
    elif ksize in (3, 5, 7):
        second, smooth = _derivative(2, ksize), _derivative(0, ksize)
        taps = np.outer(smooth, second) + np.outer(second, smooth)
    else:
        raise _unsupported(f"ksize is {ksize}; 1, 3, 5 and 7 are taken", ksize)
    return _deliver(_filtered(picture, taps, target, scale, delta, border), dst)


# ---------------------------------------------------------------------------------- morphology


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
        raise _invalid(f"ksize is {tuple(ksize)}; both sides must be 1 or more", tuple(ksize))
    name = _SHAPES.get(shape)
    if name is None:
        raise _unsupported(
            f"shape is {shape}; MORPH_RECT, MORPH_CROSS and MORPH_ELLIPSE are taken", shape
        )
    x, y = _anchor(anchor, width, height)
    if max(width, height) > _MAX_SIDE:
        raise _unsupported(f"ksize is {(width, height)}; at most {_MAX_SIDE} is taken", ksize)
    cells = _core.StructuringElement.parse(f"{name}:{width}x{height}").cells()
    if shape == MORPH_CROSS and (x, y) != (width // 2, height // 2):
        cells[:] = 0
        cells[y], cells[:, x] = 1, 1
    return cells


def _anchor(anchor: Sequence[int], width: int, height: int) -> tuple[int, int]:
    x, y = (int(value) for value in anchor)
    x, y = width // 2 if x == -1 else x, height // 2 if y == -1 else y
    if not (0 <= x < width and 0 <= y < height):
        raise _invalid(
            f"anchor is {tuple(anchor)}; it must lie inside the element of {width} x {height}",
            tuple(anchor),
        )
    return x, y


def _around(cells: Array, anchor: tuple[int, int]) -> NDArray[np.uint8]:
    """Pads the element with cells that do not belong until its anchor is its centre."""
    pads = []
    for side, at in zip(cells.shape, reversed(anchor), strict=True):
        before = max(side - 1 - 2 * at, 0)
        pads.append((before, max(2 * (at + before) - (side + before), 0)))
    return np.pad(cells, pads)


def _color(value: Any) -> tuple[float, ...]:
    """A cv::Scalar: one number is the first channel's, the others have 0."""
    parts = value if isinstance(value, (Sequence, np.ndarray)) else (value,)
    numbers = [float(part) for part in parts]
    if not 1 <= len(numbers) <= 4:
        raise _invalid(f"borderValue has {len(numbers)} numbers; 1 to 4 are taken", value)
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
        raise _invalid(f"iterations is {iterations}; it must be 0 or more", iterations)
    if kernel is None or np.size(kernel) == 0:
        side = 1 + 2 * iterations
        cells, at, rounds = np.ones((side, side), np.uint8), (iterations, iterations), 1
    else:
        cells = _cells(kernel)
        height, width = cells.shape
        at, rounds = _anchor(anchor, width, height), iterations
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
    element = _around(cells, at)
    if max(element.shape) > _MAX_SIDE:
        raise _unsupported(
            f"the element of {cells.shape[1]} x {cells.shape[0]} about {at} spans"
            f" {max(element.shape)} pixels; at most {_MAX_SIDE} is taken",
            max(element.shape),
        )
    border: _Border | None = _border(border_type)
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
                    element,
                    border=border,
                    border_value=values[channel[0] if channel else 0],
                    layout="HW",
                )
            )
        result[(..., *channel)] = plane
    return result


def _cells(kernel: object) -> NDArray[np.uint8]:
    if not isinstance(kernel, np.ndarray):
        raise TypeError(f"kernel is {type(kernel).__name__}; it must be a numpy array or None")
    cells = kernel[:, np.newaxis] if kernel.ndim == 1 else kernel
    if cells.ndim != 2:
        raise _invalid(f"kernel has {cells.ndim} dimensions; it must have 2", cells.ndim)
    full = bool((cells != 0).all())
    if cells.dtype not in (np.uint8, np.bool_) and not full:
        raise _invalid(
            f"kernel is {cells.dtype}; it must be uint8, unless no cell of it is 0", cells.dtype
        )
    members: NDArray[np.uint8] = (cells != 0).astype(np.uint8)
    return members


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
    picture = _picture(src, "src", (np.uint8, np.uint16), 4)
    done = _morph(picture, cuesta.erode, kernel, anchor, iterations, borderType, borderValue)
    return _deliver(done, dst)


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
    picture = _picture(src, "src", (np.uint8, np.uint16), 4)
    done = _morph(picture, cuesta.dilate, kernel, anchor, iterations, borderType, borderValue)
    return _deliver(done, dst)


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
        picture = _picture(src, "src", (np.uint8,), 1)
    else:
        picture = _picture(src, "src", (np.uint8, np.uint16), 4)
    if kernel is None or np.size(kernel) == 0:
        kernel = np.ones((3, 3), np.uint8)

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
        raise _unsupported(
            f"op is {op}; MORPH_ERODE, MORPH_DILATE, MORPH_OPEN, MORPH_CLOSE, MORPH_GRADIENT,"
            " MORPH_TOPHAT, MORPH_BLACKHAT and MORPH_HITMISS are taken",
            op,
        )
    return _deliver(result, dst)


def _less(a: Array, b: Array) -> Array:
    """a - b, not below 0."""
    return np.asarray(np.maximum(a, b) - b)


# ---------------------------------------------------------------------------------- components


def _numbers_of_blocks(labels: NDArray[np.int32], count: int) -> NDArray[np.intp]:
    """OpenCV's number of each label of ours. It numbers 8-way components by the first block of
    2 x 2 pixels, in raster order of blocks, that they touch; ours count by the first pixel."""
    height, width = labels.shape
    even = np.zeros((height + height % 2, width + width % 2), labels.dtype)
    even[:height, :width] = labels
    # The set pixels of one block are one component, and a component's first block begins a run.
    rows = np.maximum(even[::2], even[1::2])
    blocks = np.maximum(rows[:, ::2], rows[:, 1::2]).ravel()
    begins = blocks != 0
    begins[1:] &= blocks[1:] != blocks[:-1]
    at = np.flatnonzero(begins)[::-1]
    first = np.zeros(count + 1, np.intp)
    first[blocks[at]] = at  # the last write, of the first block, stays
    numbers = np.zeros(count + 1, np.intp)
    numbers[1 + np.argsort(first[1:], kind="stable")] = np.arange(1, count + 1)
    return numbers


def _components(
    image: Array, connectivity: int, ltype: int
) -> tuple[NDArray[np.int32], Any, NDArray[np.intp]]:
    """Labels in OpenCV's order, our components, and OpenCV's number of each of ours."""
    mask = _picture(image, "image", (np.uint8, np.int8, np.bool_), 1).view(np.uint8)
    if connectivity not in (4, 8):
        raise _invalid(f"connectivity is {connectivity}; it must be 4 or 8", connectivity)
    if ltype not in (CV_32S, CV_16U):
        raise _invalid(f"ltype is {ltype}; it must be CV_32S or CV_16U", ltype)
    found = cuesta.label(mask, connectivity=connectivity, layout="HW")
    labels = np.asarray(found.labels, np.int32)
    if ltype == CV_16U and found.count > 65534:
        raise _invalid(
            f"ltype is CV_16U and there are {found.count} components; CV_32S holds more than 65534",
            found.count,
        )
    if connectivity == 4:
        return labels, found, np.arange(found.count + 1)
    numbers = _numbers_of_blocks(labels, found.count)
    return np.take(numbers.astype(np.int32), labels), found, numbers


def connectedComponents(
    image: Array,
    labels: Array | None = None,
    connectivity: int = 8,
    ltype: int = CV_32S,
) -> tuple[int, Array]:
    """Components as ``cv2.connectedComponents``: their number, background included, and labels.

    See connectedComponentsWithStats.
    """
    numbered, found, _ = _components(image, connectivity, ltype)
    result = numbered if ltype == CV_32S else numbered.astype(np.uint16)
    return int(found.count) + 1, _deliver(result, labels, "labels")


def connectedComponentsWithStats(
    image: Array,
    labels: Array | None = None,
    stats: Array | None = None,
    centroids: Array | None = None,
    connectivity: int = 8,
    ltype: int = CV_32S,
) -> tuple[int, Array, Array, Array]:
    """Components as ``cv2.connectedComponentsWithStats``, with its order of labels.

    Parameters
    ----------
    image : uint8, int8 or bool array (H, W)
        Non-zero pixels are set.
    labels, stats, centroids : array, optional
        Written and returned.
    connectivity : 4 or 8
    ltype : CV_32S or CV_16U
        Type of the labels. CV_16U holds 65534 components.

    Returns
    -------
    count : int
        With the background.
    labels : int32 or uint16 array (H, W)
        0 is the background.
    stats : int32 array (count, 5)
        Columns CC_STAT_LEFT, CC_STAT_TOP, CC_STAT_WIDTH, CC_STAT_HEIGHT and CC_STAT_AREA, pixels.
        Row 0 is the background's; where all pixels are set it is -1, 2147483647, 0, 0, 0.
    centroids : float64 array (count, 2)
        x, y; NaN for a background without pixels.
    """
    numbered, found, numbers = _components(image, connectivity, ltype)
    count = int(found.count) + 1
    areas, middles = np.asarray(found.areas), np.asarray(found.centroids)
    boxes = np.zeros((count, 5), np.int32)
    points = np.empty((count, 2), np.float64)
    boxes[numbers[1:], :4] = np.asarray(found.boxes)
    boxes[numbers[1:], 4] = areas
    points[numbers[1:]] = middles

    height, width = numbered.shape
    area = height * width - int(areas.sum())
    if area == 0:
        boxes[0, :2] = -1, np.iinfo(np.int32).max
        points[0] = np.nan
    else:
        background = numbered == 0
        xs = np.flatnonzero(background.any(axis=0))
        ys = np.flatnonzero(background.any(axis=1))
        boxes[0] = xs[0], ys[0], xs[-1] - xs[0] + 1, ys[-1] - ys[0] + 1, area
        # Sums of coordinates are whole: what the centroids stand for is found by rounding.
        sums = np.rint(middles * areas[:, np.newaxis]).astype(np.int64).sum(axis=0)
        whole = (height * (width * (width - 1) // 2), width * (height * (height - 1) // 2))
        points[0] = [(all_of - part) / area for all_of, part in zip(whole, sums, strict=True)]
    result = numbered if ltype == CV_32S else numbered.astype(np.uint16)
    return (
        count,
        _deliver(result, labels, "labels"),
        _deliver(boxes, stats, "stats"),
        _deliver(points, centroids, "centroids"),
    )

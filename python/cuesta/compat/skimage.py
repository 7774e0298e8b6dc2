"""scikit-image's arguments and types: edges, filters, labels and morphology.

``skimage.feature.canny``, ``skimage.filters.sobel``, ``gaussian`` and ``laplace``, ``skimage.measure.label``
and ``skimage.morphology.erosion``, ``dilation``, ``opening`` and ``closing`` with Cuesta behind them. Where
scikit-image computes integers in float64, this computes in float32 and returns float64: the answers differ
by rounding. How far is in the README beside this file. What Cuesta does not take, and float64, goes to the
scikit-image that is installed; without one, float64 is computed in float32 and the rest raises.

Notes
-----
- Pictures are numpy arrays of bool, uint8, uint16, float16, float32 or float64. Integers become
  floats as ``skimage.util.img_as_float`` makes them, 255 or 65535 becoming 1.
- ``mode`` has scipy's names, ``reflect`` being the one that repeats the edge sample.
- ``canny`` is scikit-image's definition, not ``cuesta.canny``: float gradients, suppression that
  interpolates between neighbours, and thresholds that a pixel may equal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

import cuesta
from cuesta.compat._original import Calls, Original

__all__ = ["calls", "canny", "closing", "dilation", "erosion", "gaussian", "label", "laplace", "opening", "sobel"]

original = Original("skimage", "cuesta.compat.skimage")


def calls() -> dict[str, Calls]:
    """Of each function here that was called: how often Cuesta answered, and how often scikit-image did."""
    return original.calls()


Array = np.ndarray[Any, np.dtype[Any]]

_Border = Literal["constant", "replicate", "symmetric", "reflect101", "wrap"]
_MODES: Final[dict[str, _Border]] = {
    "reflect": "symmetric",
    "constant": "constant",
    "nearest": "replicate",
    "mirror": "reflect101",
    "wrap": "wrap",
}
_TYPES: Final = ("bool", "uint8", "uint16", "float16", "float32", "float64")
_MAX_SIDE: Final = 255
# Lengths of gradients that differ by less, relatively, count as equal: a few roundings of float32.
_TIE: Final = 4e-6


def _invalid(message: str, value: object) -> cuesta.InvalidArgument:
    return cuesta.InvalidArgument(message, str(value))


def _unsupported(message: str, value: object) -> cuesta.Unsupported:
    return cuesta.Unsupported(message, str(value))


def _picture(image: object, dimensions: int = 2) -> Array:
    if not isinstance(image, np.ndarray):
        raise TypeError(f"image is {type(image).__name__}; it must be a numpy array")
    if image.ndim != dimensions:
        axes = "(H, W)" if dimensions == 2 else "(H, W) and a channel axis"
        raise _unsupported(f"image has {image.ndim} dimensions; {axes} is taken", image.ndim)
    if image.dtype.name not in _TYPES:
        raise _unsupported(f"image is {image.dtype}; {', '.join(_TYPES)} are taken", image.dtype)
    if image.size == 0:
        raise _invalid(f"image is empty: its shape is {image.shape}", image.shape)
    return image


def _float_type(image: Array) -> np.dtype[Any]:
    """What scikit-image computes in and returns."""
    return np.dtype(np.float32 if image.dtype in (np.float16, np.float32) else np.float64)


def _top(image: Array) -> float:
    """The value that becomes 1."""
    return float(np.iinfo(image.dtype).max) if image.dtype.kind == "u" else 1.0


def _as_f32(image: Array) -> NDArray[np.float32]:
    values = image * (1.0 / _top(image)) if image.dtype.kind == "u" else image
    return np.ascontiguousarray(values, np.float32)


def _border(mode: object) -> _Border:
    border = _MODES.get(mode) if isinstance(mode, str) else None
    if border is None:
        raise _unsupported(f"mode is {mode!r}; {', '.join(_MODES)} are taken", mode)
    return border


def _correlate(picture: NDArray[np.float32], taps: Array, mode: str, cval: float) -> Array:
    return cuesta.correlate(
        picture, taps, border=_border(mode), border_value=float(cval), layout="HW"
    )


def _smooth(
    picture: NDArray[np.float32],
    sigmas: Sequence[float],
    mode: str,
    cval: float,
    truncate: float,
) -> NDArray[np.float32]:
    """scipy.ndimage.gaussian_filter: down the columns, then along the rows."""
    for axis, sigma in enumerate(sigmas):
        if sigma <= 1e-15:
            continue
        radius = int(truncate * sigma + 0.5)
        if 2 * radius + 1 > _MAX_SIDE:
            raise _unsupported(
                f"sigma is {sigma} and truncate {truncate}, a window of {2 * radius + 1} pixels; at"
                f" most {_MAX_SIDE} is taken",
                sigma,
            )
        x = np.arange(-radius, radius + 1, dtype=np.float64)
        taps = np.exp(x * x * (-0.5 / (sigma * sigma)))
        line = (taps / taps.sum()).astype(np.float32)
        picture = _correlate(
            picture, line[:, np.newaxis] if axis == 0 else line[np.newaxis], mode, cval
        )
    return picture


def _sigmas(sigma: Any) -> tuple[float, float]:
    values = (
        np.broadcast_to(np.asarray(sigma, np.float64), (2,)) if np.size(sigma) in (1, 2) else None
    )
    if values is None or not np.isfinite(values).all() or values.min() < 0:
        raise _invalid(f"sigma is {sigma}; it must be one or two numbers, 0 or more", sigma)
    return float(values[0]), float(values[1])


@original.replaces("filters.gaussian")
def gaussian(
    image: Array,
    sigma: float | Sequence[float] = 1.0,
    *,
    mode: str = "nearest",
    cval: float = 0,
    preserve_range: bool = False,
    truncate: float = 4.0,
    channel_axis: int | None = None,
    out: Array | None = None,
) -> Array:
    """Gaussian smoothing as ``skimage.filters.gaussian``.

    Parameters
    ----------
    image : array (H, W), or with a channel axis of any length
    sigma : float or (float, float), pixels
        One for both axes, or one for rows and one for columns; 0 leaves an axis as it is.
    mode : "reflect", "constant", "nearest", "mirror" or "wrap"
    cval : float
        What lies outside with "constant", in the units of the result.
    preserve_range : bool
        Keep integers' range instead of making 255 or 65535 a 1.
    truncate : float
        Radius in sigmas. A window of more than 255 pixels is unsupported.
    channel_axis : int, optional
        The axis that is not smoothed.
    out : float array of the result's shape, optional
        Written and returned.

    Returns
    -------
    float array of the image's shape: float32 for float16 and float32, float64 for the others. It
    differs from scikit-image's by at most (n + 4) 2^-23 of the largest sample, n being the longer
    side of the window.
    """
    if channel_axis is None:
        planes = _picture(image)[np.newaxis]
        original.answers(image.dtype == np.float64)
    else:
        original.answers(_picture(image, 3).dtype == np.float64)
        if not -3 <= channel_axis < 3:
            raise _invalid(f"channel_axis is {channel_axis}; it must be -3..2", channel_axis)
        planes = np.moveaxis(image, channel_axis, 0)
    sigmas = _sigmas(sigma)
    result = np.empty(planes.shape, _float_type(image))
    for target, plane in zip(result, planes, strict=True):
        floats = np.ascontiguousarray(plane, np.float32) if preserve_range else _as_f32(plane)
        target[...] = _smooth(floats, sigmas, mode, cval, truncate)
    answer = result[0] if channel_axis is None else np.moveaxis(result, 0, channel_axis)
    if out is None:
        return answer
    if out.dtype.kind != "f" or out.shape != answer.shape:
        raise _invalid(
            f"out is {out.dtype} {out.shape}; it must be a float array {answer.shape}", out.shape
        )
    np.copyto(out, answer, casting="same_kind")
    return out


def _inside(mask: Array, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Pixels of the mask whose eight neighbours are in it too; none at the border."""
    mask = np.asarray(mask)
    if mask.shape != shape:
        raise _invalid(
            f"mask has shape {mask.shape}; it must have the image's, {shape}", mask.shape
        )
    bits = np.ascontiguousarray(mask.astype(bool)).view(np.uint8)
    full = np.ones((3, 3), np.uint8)
    return np.asarray(
        cuesta.erode(bits, full, border="constant", border_value=0, layout="HW")
    ).astype(bool)


_SOBEL_ROWS: Final = np.array(((-1, -2, -1), (0, 0, 0), (1, 2, 1)))


@original.replaces("filters.sobel")
def sobel(
    image: Array,
    mask: Array | None = None,
    *,
    axis: int | Sequence[int] | None = None,
    mode: str = "reflect",
    cval: float = 0.0,
) -> Array:
    """Sobel's gradient as ``skimage.filters.sobel``.

    Parameters
    ----------
    image : array (H, W)
    mask : bool array (H, W), optional
        The result is 0 outside it and beside what is outside it.
    axis : 0, 1, both or None
        One axis: the signed derivative along it, of samples 2 apart, smoothed across. Both, or
        None: their magnitude, sqrt((g0² + g1²) / 2).
    mode, cval
        As in gaussian.

    Returns
    -------
    float array (H, W), as gaussian's. It differs from scikit-image's by at most 2^-20 of the
    largest sample.
    """
    picture = _picture(image)
    original.answers(picture.dtype == np.float64)
    axes = (0, 1) if axis is None else tuple(np.atleast_1d(np.asarray(axis)).tolist())
    if axes not in ((0,), (1,), (0, 1), (1, 0)):
        raise _invalid(f"axis is {axis}; it must be 0, 1, (0, 1) or None", axis)
    floats = _as_f32(picture)
    sums = [_correlate(floats, _SOBEL_ROWS if a == 0 else _SOBEL_ROWS.T, mode, cval) for a in axes]
    result: Array = sums[0] if len(sums) == 1 else _length(*sums) / np.float32(math.sqrt(2))
    result = result / np.float32(4)
    if mask is not None:
        result *= _inside(mask, picture.shape)
    return result.astype(_float_type(picture), copy=False)


def _length(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.float32]:
    squares = a * a
    squares += b * b
    np.sqrt(squares, out=squares)
    return squares


def _maxima(
    rows: NDArray[np.float32],
    columns: NDArray[np.float32],
    magnitude: NDArray[np.float32],
    candidates: NDArray[np.intp],
) -> NDArray[np.intp]:
    """The candidates, places in the flat picture and none at its border, that no magnitude on the
    line of their gradient exceeds, one pixel away and interpolated between two neighbours."""
    stride = magnitude.shape[1]
    flat = magnitude.ravel()
    down, right = rows.ravel()[candidates], columns.ravel()[candidates]
    steep = np.abs(down) > np.abs(right)
    falling = down * right >= 0  # along \, rows counting downwards
    nearer, farther = (
        np.minimum(np.abs(down), np.abs(right)),
        np.maximum(np.abs(down), np.abs(right)),
    )
    weight = nearer / farther
    diagonal = np.where(falling, stride + 1, stride - 1)
    straight = np.where(steep, stride, np.where(falling, 1, -1))
    # Neighbours on either side of a straight edge are equal, but for the last bits.
    limit = flat[candidates] * np.float32(1 + _TIE)

    def exceeds(side: int) -> NDArray[np.bool_]:
        beside = flat[candidates + side * straight]
        return np.asarray(beside + weight * (flat[candidates + side * diagonal] - beside) > limit)

    return candidates[~(exceeds(1) | exceeds(-1))]


@original.replaces("feature.canny")
def canny(
    image: Array,
    sigma: float | Sequence[float] = 1.0,
    low_threshold: float | None = None,
    high_threshold: float | None = None,
    mask: Array | None = None,
    use_quantiles: bool = False,
    *,
    mode: str = "constant",
    cval: float = 0.0,
) -> NDArray[np.bool_]:
    """Edges as ``skimage.feature.canny`` defines them.

    Parameters
    ----------
    image : array (H, W)
    sigma : float or (float, float), pixels
    low_threshold, high_threshold : float, optional
        Of the gradient's length in the image's own units, with Sobel's sum of weights of 8; a tenth
        and a fifth of the type's largest value (1 for floats) by default. An edge has a pixel that
        reaches the high one, and all its pixels reach the low one.
    mask : bool array (H, W), optional
        Pixels outside it are left out of the smoothing; those at its edge are no edges.
    use_quantiles : bool
        The thresholds are quantiles, 0 to 1, of all gradients' lengths.
    mode, cval
        As in gaussian. With "constant", as with a mask, what lies outside is left out.

    Returns
    -------
    bool array (H, W). The outermost pixels are never edges.

    Notes
    -----
    Gradients are made in float32. Two lengths that differ by less than 4e-6 of themselves count as
    equal, as they are in exact arithmetic beside a straight edge; scikit-image's float64 decides
    these by its own rounding. The README beside this file has the measured agreement.
    """
    picture = _picture(image)
    original.answers(picture.dtype == np.float64)
    sigmas = _sigmas(sigma)
    low, high = (
        default
        if given is None
        else _quantile(given, name)
        if use_quantiles
        else float(given) / _top(picture)
        for given, default, name in (
            (low_threshold, 0.1, "low_threshold"),
            (high_threshold, 0.2, "high_threshold"),
        )
    )
    if high < low:
        raise _invalid(
            f"low_threshold is {low_threshold} and high_threshold {high_threshold}: the low one"
            " must not be above the high one (a default stands for None)",
            low_threshold,
        )

    floats = _as_f32(picture)
    if mask is None:
        inside = np.zeros(picture.shape, bool)
        inside[1:-1, 1:-1] = True
        weights = np.ones(picture.shape, np.float32)
    else:
        inside = _inside(mask, picture.shape)
        weights = np.asarray(mask).astype(bool).astype(np.float32, order="C")
        floats = floats * weights
    smooth = _smooth(floats, sigmas, mode, cval, 4.0)
    if mode == "constant" or mask is not None:
        smooth = smooth / (_smooth(weights, sigmas, mode, cval, 4.0) + np.finfo(np.float32).eps)

    rows = _correlate(smooth, _SOBEL_ROWS, "reflect", 0)
    columns = _correlate(smooth, _SOBEL_ROWS.T, "reflect", 0)
    magnitude = _length(rows, columns)
    if use_quantiles:
        low, high = np.percentile(magnitude, (100 * low, 100 * high)).tolist()

    candidates = np.flatnonzero(inside & (magnitude >= low * (1 - _TIE)) & (magnitude > 0))
    weak = np.zeros(picture.shape, np.uint8)
    weak.ravel()[_maxima(rows, columns, magnitude, candidates)] = 1
    found = cuesta.label(weak, connectivity=8, layout="HW")
    labels = np.asarray(found.labels, np.int32)
    is_edge = np.zeros(found.count + 1, bool)
    is_edge[labels[magnitude >= high * (1 - _TIE)]] = True
    is_edge[0] = False
    return np.asarray(is_edge[labels])


def _quantile(value: float, name: str) -> float:
    if not 0 <= value <= 1:
        raise _invalid(f"{name} is {value}; with use_quantiles it must be within 0..1", value)
    return float(value)


@original.replaces("filters.laplace")
def laplace(image: Array, ksize: int = 3, mask: Array | None = None) -> Array:
    """4 v - (above + below + left + right) as ``skimage.filters.laplace``.

    Parameters
    ----------
    image : uint8 or uint16 array (H, W)
    ksize : 3
    mask : bool array (H, W), optional
        The result is 0 outside it and beside what is outside it.

    Returns
    -------
    float64 array (H, W). The sums are exact, and divided by 255 or 65535 once; scikit-image's are of rounded
    quotients.
    """
    picture = _picture(image)
    if picture.dtype.kind != "u":
        raise _unsupported(f"image is {picture.dtype}; uint8 and uint16 are taken", picture.dtype)
    if ksize != 3:
        raise _unsupported(f"ksize is {ksize}; 3 is taken", ksize)
    taps = np.array(((0, -1, 0), (-1, 4, -1), (0, -1, 0)))
    sums = cuesta.correlate(picture, taps, dtype="float32", border="symmetric", layout="HW")
    result: Array = sums.astype(np.float64) / _top(picture)
    return result if mask is None else result * _inside(mask, picture.shape)


@original.replaces("measure.label")
def label(
    label_image: Array, background: int | None = None, return_num: bool = False, connectivity: int | None = None
) -> Any:
    """Components of a mask as ``skimage.measure.label``, in its order.

    Parameters
    ----------
    label_image : bool array (H, W)
        Arrays of numbers, whose regions are of one number each, are scikit-image's.
    background : None or 0
    return_num : bool
        Also return how many there are.
    connectivity : 1 or 2, optional
        4 or 8 ways; by default 8.

    Returns
    -------
    int32 array (H, W), 0 on the background, or (array, int)
    """
    mask = _picture(label_image)
    if mask.dtype != np.bool_:
        raise _unsupported(f"label_image is {mask.dtype}; bool is taken", mask.dtype)
    if background not in (None, 0) or connectivity not in (None, 1, 2):
        raise _unsupported(
            f"background is {background} and connectivity {connectivity}; None or 0, and 1 or 2 are taken", connectivity
        )
    found = cuesta.label(mask, connectivity=4 if connectivity == 1 else 8, layout="HW")
    labels = np.asarray(found.labels, np.int32)
    return (labels, int(found.count)) if return_num else labels


_MorphologyBorder = Literal["symmetric", "replicate", "reflect101"]
_MORPHOLOGY_MODES: Final[dict[str, _MorphologyBorder | None]] = {
    "reflect": "symmetric",
    "nearest": "replicate",
    "mirror": "reflect101",
    "ignore": None,
}


def _morph(
    step: Any, image: Array, footprint: object, out: Array | None, mode: str
) -> Array:
    picture = _picture(image)
    if picture.dtype not in (np.bool_, np.uint8, np.uint16):
        raise _unsupported(f"image is {picture.dtype}; bool, uint8 and uint16 are taken", picture.dtype)
    if mode not in _MORPHOLOGY_MODES:
        raise _unsupported(f"mode is {mode!r}; {', '.join(_MORPHOLOGY_MODES)} are taken", mode)
    cells: Any = np.array(((0, 1, 0), (1, 1, 1), (0, 1, 0))) if footprint is None else footprint
    if not isinstance(cells, np.ndarray) or cells.ndim != 2 or not all(side % 2 for side in cells.shape):
        raise _unsupported("footprint is no array of two odd sides, which is taken", type(footprint).__name__)
    if max(cells.shape) > _MAX_SIDE or not cells.any():
        raise _unsupported(f"footprint is {cells.shape}; 1 to {_MAX_SIDE} a side, with a cell, are taken", cells.shape)
    if out is not None and (out.shape != picture.shape or out.dtype != picture.dtype):
        raise _invalid(f"out is {out.dtype} {out.shape}; it must be as image", out.shape)
    done: Array = step(picture, cells, border=_MORPHOLOGY_MODES[mode], layout="HW")
    if out is None:
        return done
    np.copyto(out, done)
    return out


@original.replaces("morphology.erosion")
def erosion(
    image: Array, footprint: object = None, out: Array | None = None, *, mode: str = "reflect", cval: float = 0.0
) -> Array:
    """The least sample under the footprint, as ``skimage.morphology.erosion``, byte for byte.

    Parameters
    ----------
    image : bool, uint8 or uint16 array (H, W)
    footprint : array (h, w) of odd sides up to 255, optional
        By default a cross of 3 x 3.
    out : array like image, optional
        Written and returned.
    mode : "reflect", "nearest", "mirror" or "ignore"
    cval
        Not read with these modes.
    """
    return _morph(cuesta.erode, image, footprint, out, mode)


@original.replaces("morphology.dilation")
def dilation(
    image: Array, footprint: object = None, out: Array | None = None, *, mode: str = "reflect", cval: float = 0.0
) -> Array:
    """The largest sample under the footprint, as ``skimage.morphology.dilation``, byte for byte. See erosion."""
    return _morph(cuesta.dilate, image, footprint, out, mode)


@original.replaces("morphology.opening")
def opening(
    image: Array, footprint: object = None, out: Array | None = None, *, mode: str = "reflect", cval: float = 0.0
) -> Array:
    """Erosion, then dilation with the footprint turned, as ``skimage.morphology.opening``. See erosion."""
    return _morph(cuesta.open, image, footprint, out, mode)


@original.replaces("morphology.closing")
def closing(
    image: Array, footprint: object = None, out: Array | None = None, *, mode: str = "reflect", cval: float = 0.0
) -> Array:
    """Dilation, then erosion with the footprint turned, as ``skimage.morphology.closing``. See erosion."""
    return _morph(cuesta.close, image, footprint, out, mode)

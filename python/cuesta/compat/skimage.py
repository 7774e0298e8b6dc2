"""scikit-image's arguments and types: ``canny``, ``sobel`` and ``gaussian``.

``skimage.feature.canny``, ``skimage.filters.sobel`` and ``skimage.filters.gaussian`` with Cuesta's
filters and labels behind them. Where scikit-image computes in float64, this computes in float32 and
returns float64: the answers differ by rounding. How far is in the README beside this file.

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

__all__ = ["canny", "gaussian", "sobel"]

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
    else:
        _picture(image, 3)
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

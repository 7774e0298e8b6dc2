"""scikit-image's arguments and types: edges, filters, labels and morphology.

Cuesta computes ``skimage.feature.canny``, ``skimage.filters.sobel``, ``gaussian`` and ``laplace``,
``skimage.measure.label``, and ``skimage.morphology.erosion``, ``dilation``, ``opening`` and
``closing``. Where scikit-image computes integers in float64, this module computes in float32 and
returns float64. The results differ by rounding; the README beside this file reports by how much.
Requests that Cuesta does not support, such as float64 pictures, go to the installed scikit-image.

Notes
-----
- Integers become floats as in ``skimage.util.img_as_float``: 255 or 65535 becomes 1.
- ``mode`` has scipy's names. ``reflect`` repeats the edge sample.
- ``canny`` is scikit-image's definition, not ``cuesta.canny``. Its gradients are floats, its
  suppression interpolates between neighbours, and its thresholds may be equalled.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

import cuesta
from cuesta.compat._dispatch import Array, Calls, Left, Original, Row, leave

__all__ = [
    "calls",
    "canny",
    "closing",
    "dilation",
    "erosion",
    "gaussian",
    "label",
    "laplace",
    "opening",
    "sobel",
]

_SAMPLES = ("bool", "uint8", "uint16", "float16", "float32")
_ALL_MODES = "modes reflect, constant, nearest, mirror and wrap"
_STEPS = "footprints of odd sides up to 255; modes reflect, nearest, mirror and ignore"
TABLE: Final = {
    row.path.split(".")[1]: row
    for row in (
        Row("feature.canny", _SAMPLES, (1,), f"without a mask and quantiles; {_ALL_MODES}"),
        Row(
            "filters.gaussian",
            _SAMPLES,
            (1,),
            f"windows up to 255; without out and channel_axis; {_ALL_MODES}",
        ),
        Row("filters.sobel", _SAMPLES, (1,), f"one axis or both; without a mask; {_ALL_MODES}"),
        Row("filters.laplace", ("uint8", "uint16"), (1,), "ksize 3; without a mask"),
        Row("measure.label", ("bool",), (1,), "background 0; connectivity 1 and 2"),
        Row("morphology.erosion", ("bool", "uint8", "uint16"), (1,), _STEPS),
        Row("morphology.dilation", ("bool", "uint8", "uint16"), (1,), _STEPS),
        Row("morphology.opening", ("bool", "uint8", "uint16"), (1,), _STEPS),
        Row("morphology.closing", ("bool", "uint8", "uint16"), (1,), _STEPS),
    )
}
original = Original("skimage", "scikit-image", "cuesta.compat.skimage", TABLE)

_Border = Literal["constant", "replicate", "symmetric", "reflect101", "wrap"]
_MODES: Final[dict[str, _Border]] = {
    "reflect": "symmetric",
    "constant": "constant",
    "nearest": "replicate",
    "mirror": "reflect101",
    "wrap": "wrap",
}
_MAX_SIDE: Final = 255
# Magnitudes that differ by less, relatively, count as equal: a few roundings of float32.
_TIE: Final = 4e-6
_SOBEL_ROWS: Final = np.array(((-1, -2, -1), (0, 0, 0), (1, 2, 1)))


def calls() -> dict[str, Calls]:
    """Counts the calls of each function here that Cuesta computed, and those that scikit-image did.

    Returns
    -------
    dict of str to Calls
        By the names of the functions that were called.
    """
    return original.calls()


def _float_type(image: Array) -> np.dtype[Any]:
    """Returns the type that scikit-image computes in and returns."""
    return np.dtype(np.float32 if image.dtype in (np.float16, np.float32) else np.float64)


def _top(image: Array) -> float:
    """Returns the value that becomes 1."""
    return float(np.iinfo(image.dtype).max) if image.dtype.kind == "u" else 1.0


def _as_f32(image: Array) -> NDArray[np.float32]:
    values = image * (1.0 / _top(image)) if image.dtype.kind == "u" else image
    return np.ascontiguousarray(values, np.float32)


def _correlate(picture: NDArray[np.float32], taps: Array, mode: Any, cval: float) -> Array:
    border = _MODES.get(mode) if isinstance(mode, str) else None
    if border is None:
        raise Left(f"mode is {mode!r}")
    return cuesta.correlate(picture, taps, border=border, border_value=float(cval), layout="HW")


def _smooth(
    picture: NDArray[np.float32], sigma: Any, mode: Any, cval: float, truncate: float = 4.0
) -> NDArray[np.float32]:
    """Computes scipy.ndimage.gaussian_filter: down the columns, then along the rows."""
    values = np.asarray(sigma, np.float64)
    leave(
        values.size not in (1, 2) or not np.isfinite(values).all() or values.min() < 0,
        f"sigma is {sigma}",
    )
    for axis, one in enumerate(np.broadcast_to(values, (2,)).tolist()):
        if one <= 1e-15:
            continue
        radius = int(truncate * one + 0.5)
        leave(
            2 * radius + 1 > _MAX_SIDE,
            f"sigma is {one} and truncate {truncate}, a window of {2 * radius + 1}",
        )
        x = np.arange(-radius, radius + 1, dtype=np.float64)
        taps = np.exp(x * x * (-0.5 / (one * one)))
        line = (taps / taps.sum()).astype(np.float32)
        picture = _correlate(
            picture, line[:, np.newaxis] if axis == 0 else line[np.newaxis], mode, cval
        )
    return picture


@original.answers
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
    """Smooths with a Gaussian as ``skimage.filters.gaussian``.

    The parameters are those of ``skimage.filters.gaussian``. The result is float32 for float16 and
    float32, and float64 for the others. It differs from scikit-image's by at most (n + 4) 2^-23 of
    the largest sample, where n is the longer side of the window.
    """
    picture = original.picture("gaussian", image, 2)
    leave(channel_axis is not None or out is not None, "channel_axis or out is given")
    floats = np.ascontiguousarray(picture, np.float32) if preserve_range else _as_f32(picture)
    return _smooth(floats, sigma, mode, cval, truncate).astype(_float_type(picture))


@original.answers
def sobel(
    image: Array,
    mask: Array | None = None,
    *,
    axis: int | Sequence[int] | None = None,
    mode: str = "reflect",
    cval: float = 0.0,
) -> Array:
    """Computes Sobel's gradient as ``skimage.filters.sobel``.

    The parameters are those of ``skimage.filters.sobel``. With one axis the result is the signed
    derivative, with both their magnitude. It differs from scikit-image's by at most 2^-20 of the
    largest sample.
    """
    picture = original.picture("sobel", image, 2)
    leave(mask is not None, "a mask is given")
    axes = (0, 1) if axis is None else tuple(np.atleast_1d(np.asarray(axis)).tolist())
    leave(axes not in ((0,), (1,), (0, 1), (1, 0)), f"axis is {axis}")
    floats = _as_f32(picture)
    sums = [_correlate(floats, _SOBEL_ROWS if a == 0 else _SOBEL_ROWS.T, mode, cval) for a in axes]
    result: Array = sums[0] if len(sums) == 1 else _length(*sums) / np.float32(math.sqrt(2))
    return (result / np.float32(4)).astype(_float_type(picture), copy=False)


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
    """Returns the candidates that are maxima along their gradient.

    Candidates are indices into the flat picture, none of them at its border. Their magnitude is
    compared with those one pixel away on the line of the gradient, interpolated between two
    neighbours.
    """
    stride = magnitude.shape[1]
    flat = magnitude.ravel()
    down, right = rows.ravel()[candidates], columns.ravel()[candidates]
    steep = np.abs(down) > np.abs(right)
    falling = down * right >= 0  # along \, rows counting downwards
    weight = np.minimum(np.abs(down), np.abs(right)) / np.maximum(np.abs(down), np.abs(right))
    diagonal = np.where(falling, stride + 1, stride - 1)
    straight = np.where(steep, stride, np.where(falling, 1, -1))
    # Neighbours on either side of a straight edge are equal up to the last bits.
    limit = flat[candidates] * np.float32(1 + _TIE)

    def exceeds(side: int) -> NDArray[np.bool_]:
        beside = flat[candidates + side * straight]
        return np.asarray(beside + weight * (flat[candidates + side * diagonal] - beside) > limit)

    return candidates[~(exceeds(1) | exceeds(-1))]


@original.answers
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
    """Finds edges as ``skimage.feature.canny`` defines them.

    The parameters are those of ``skimage.feature.canny``. Gradients are computed in float32. Two
    magnitudes that differ by less than 4e-6 of themselves count as equal. In exact arithmetic they
    are equal beside a straight edge, where scikit-image's float64 decides by its own rounding. The
    README beside this file reports the measured agreement.
    """
    picture = original.picture("canny", image, 2)
    leave(mask is not None or use_quantiles, "a mask or quantiles are given")
    low = 0.1 if low_threshold is None else float(low_threshold) / _top(picture)
    high = 0.2 if high_threshold is None else float(high_threshold) / _top(picture)
    leave(high < low, f"low_threshold is {low_threshold} and high_threshold {high_threshold}")

    smooth = _smooth(_as_f32(picture), sigma, mode, cval)
    if mode == "constant":  # pixels outside the picture have no weight
        weights = _smooth(np.ones(picture.shape, np.float32), sigma, mode, cval)
        smooth = smooth / (weights + np.finfo(np.float32).eps)
    rows = _correlate(smooth, _SOBEL_ROWS, "reflect", 0)
    columns = _correlate(smooth, _SOBEL_ROWS.T, "reflect", 0)
    magnitude = _length(rows, columns)

    inside = np.zeros(picture.shape, bool)
    inside[1:-1, 1:-1] = True
    candidates = np.flatnonzero(inside & (magnitude >= low * (1 - _TIE)) & (magnitude > 0))
    weak = np.zeros(picture.shape, np.uint8)
    weak.ravel()[_maxima(rows, columns, magnitude, candidates)] = 1
    found = cuesta.label(weak, connectivity=8, layout="HW")
    labels = np.asarray(found.labels, np.int32)
    is_edge = np.zeros(found.count + 1, bool)
    is_edge[labels[magnitude >= high * (1 - _TIE)]] = True
    is_edge[0] = False
    return np.asarray(is_edge[labels])


@original.answers
def laplace(image: Array, ksize: int = 3, mask: Array | None = None) -> Array:
    """Computes 4 v - (above + below + left + right) as ``skimage.filters.laplace``.

    The parameters are those of ``skimage.filters.laplace``. The sums are exact and divided once, by
    255 or 65535. scikit-image adds rounded quotients.
    """
    picture = original.picture("laplace", image, 2)
    leave(ksize != 3 or mask is not None, f"ksize is {ksize}, or a mask is given")
    taps = np.array(((0, -1, 0), (-1, 4, -1), (0, -1, 0)))
    sums = cuesta.correlate(picture, taps, dtype="float32", border="symmetric", layout="HW")
    return np.asarray(sums.astype(np.float64) / _top(picture))


@original.answers
def label(
    label_image: Array,
    background: int | None = None,
    return_num: bool = False,
    connectivity: int | None = None,
) -> Any:
    """Labels the components of a mask as ``skimage.measure.label``, in its order.

    The parameters are those of ``skimage.measure.label``.
    """
    mask = original.picture("label", label_image, 2)
    leave(background not in (None, 0), f"background is {background}")
    leave(connectivity not in (None, 1, 2), f"connectivity is {connectivity}")
    found = cuesta.label(mask, connectivity=4 if connectivity == 1 else 8, layout="HW")
    labels = np.asarray(found.labels, np.int32)
    return (labels, int(found.count)) if return_num else labels


_STEP_MODES: Final = {
    "reflect": "symmetric",
    "nearest": "replicate",
    "mirror": "reflect101",
    "ignore": None,
}


def _morph(name: str, step: Any, image: Any, footprint: Any, out: Any, mode: str) -> Array:
    picture = original.picture(name, image, 2)
    leave(mode not in _STEP_MODES, f"mode is {mode!r}")
    cells = np.array(((0, 1, 0), (1, 1, 1), (0, 1, 0))) if footprint is None else footprint
    leave(
        not isinstance(cells, np.ndarray) or cells.ndim != 2,
        "the footprint is not an array with 2 dimensions",
    )
    odd = all(side % 2 == 1 and side <= _MAX_SIDE for side in cells.shape)
    leave(not odd or not cells.any(), f"the footprint has shape {cells.shape}, or no cells")
    leave(
        out is not None and (out.shape, out.dtype) != (picture.shape, picture.dtype),
        "out has another shape or type than the image",
    )
    done: Array = step(picture, cells, border=_STEP_MODES[mode], layout="HW")
    if out is None:
        return done
    np.copyto(out, done)
    return np.asarray(out)


@original.answers
def erosion(
    image: Array,
    footprint: Any = None,
    out: Array | None = None,
    *,
    mode: str = "reflect",
    cval: float = 0.0,
) -> Array:
    """Computes the minimum over the footprint as ``skimage.morphology.erosion``, byte for byte.

    The parameters are those of ``skimage.morphology.erosion``.
    """
    return _morph("erosion", cuesta.erode, image, footprint, out, mode)


@original.answers
def dilation(
    image: Array,
    footprint: Any = None,
    out: Array | None = None,
    *,
    mode: str = "reflect",
    cval: float = 0.0,
) -> Array:
    """Computes the maximum over the footprint as ``skimage.morphology.dilation``, byte for byte.

    The parameters are those of ``skimage.morphology.dilation``.
    """
    return _morph("dilation", cuesta.dilate, image, footprint, out, mode)


@original.answers
def opening(
    image: Array,
    footprint: Any = None,
    out: Array | None = None,
    *,
    mode: str = "reflect",
    cval: float = 0.0,
) -> Array:
    """Computes an erosion, then a dilation, as ``skimage.morphology.opening``, byte for byte.

    The parameters are those of ``skimage.morphology.opening``. The dilation uses the footprint
    turned by 180 degrees.
    """
    return _morph("opening", cuesta.open, image, footprint, out, mode)


@original.answers
def closing(
    image: Array,
    footprint: Any = None,
    out: Array | None = None,
    *,
    mode: str = "reflect",
    cval: float = 0.0,
) -> Array:
    """Computes a dilation, then an erosion, as ``skimage.morphology.closing``, byte for byte.

    The parameters are those of ``skimage.morphology.closing``. The erosion uses the footprint
    turned by 180 degrees.
    """
    return _morph("closing", cuesta.close, image, footprint, out, mode)

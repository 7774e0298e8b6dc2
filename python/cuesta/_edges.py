"""Edges: Canny, Laplacian of Gaussian, Sobel, boundaries. Pictures of one channel; Canny and boundaries of three as well."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from cuesta import _core
from cuesta._keywords import (
    BoundaryOptions,
    CannyGradientOptions,
    CannyOptions,
    LogOptions,
    SobelOptions,
)
from cuesta._options import default_of, described, threshold_pairs
from cuesta._sources import Result, Source, companion
from cuesta.errors import InvalidArgument

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["boundaries", "canny", "canny_of_gradients", "log_edges", "sobel"]

A = TypeVar("A")


@overload
def canny(
    image: A,
    low: Any = None,
    high: Any = None,
    *,
    threshold: str = "auto",
    border: str = "reflect101",
    border_value: float = 0,
    mask: A | None = None,
    layout: str | None = None,
    out: A | None = None,
    return_thresholds: Literal[False] = False,
    **options: Unpack[CannyOptions],
) -> A: ...


@overload
def canny(
    image: A,
    low: Any = None,
    high: Any = None,
    *,
    threshold: str = "auto",
    border: str = "reflect101",
    border_value: float = 0,
    mask: A | None = None,
    layout: str | None = None,
    out: A | None = None,
    return_thresholds: Literal[True],
    **options: Unpack[CannyOptions],
) -> tuple[A, list[tuple[float, float]]]: ...


@described
def canny(
    image: A,
    low: Any = None,
    high: Any = None,
    *,
    threshold: str = "auto",
    border: str = "reflect101",
    border_value: float = 0,
    mask: A | None = None,
    layout: str | None = None,
    out: A | None = None,
    return_thresholds: bool = False,
    **options: Unpack[CannyOptions],
) -> A | tuple[A, list[tuple[float, float]]]:
    """Canny's edges.

    Smoothing, gradient, thinning to one pixel, and hysteresis between two thresholds.

    Parameters
    ----------
    image : array
        uint8, uint16 or float32, one channel: (H, W), or a batch (N, H, W); other shapes with `layout`. Also three
        channels, (H, W, 3) or (N, H, W, 3), as `color` says. A second or fourth channel is alpha, which is left out.
    low, high : float or sequence of N floats, optional
        Thresholds in units of the gradient, as cv2.Canny's (gray levels; L1: up to 2040 for uint8 and aperture 3; up to
        8 for float32 from 0 to 1). Swapped when low > high. A batch may have a pair for each picture. Both or neither.
    **options
    threshold : {"auto", "otsu", "median", "percentile:P", "noise"}
        Where thresholds come from when they are not given: Otsu's over the non-zero magnitudes ("auto" too), 1.33 times
        their median, the magnitude that P percent of all pixels do not exceed, or Otsu's unless nothing is there but noise,
        of which nothing is found; low is half of high.
    border, border_value
        What the smoothing reads outside the picture: "reflect101", "symmetric", "replicate", "constant", "wrap" or
        "ignore". The gradient always replicates, and magnitudes outside are 0.
    mask : array, optional
        uint8 or bool of the image's shape without its channels; where it is 0 the magnitude is 0.
    layout : {"HW", "HWC", "CHW", "NHW", "NHWC", "NCHW"}, optional
        What the dimensions mean, where the shape alone does not say.
    out : array, optional
        uint8 of the result's shape, and the image's kind and device; receives the result.
    strategy, parameters
        Pins a strategy by name (`cuesta.strategies("canny")`) and sets its parameters; by default the best.
    threads : int, optional
        On the CPU; by default every core.
    stream : optional
        The CUDA stream (torch.cuda.Stream, cupy.cuda.Stream or its pointer); by default the library's current one.
    return_thresholds : bool
        Also return the pairs that were used.

    Returns
    -------
    array
        uint8, 0 or 255, of the image's shape (without three channels), kind and device; with `return_thresholds` also a
        list of (low, high), one a picture.

    Raises
    ------
    InvalidArgument
        Naming the argument, its value and what is accepted.
    Unsupported
        When the pinned strategy refuses the request.
    DeviceError
        When the image is on a GPU that this build or machine cannot use.

    Notes
    -----
    Source: Canny 1986 as OpenCV defines it; paper 001. On CUDA given thresholds only enqueue; automatic ones wait for
    the stream.

    Examples
    --------
    >>> import numpy as np, cuesta
    >>> picture = np.zeros((64, 64), np.uint8)
    >>> picture[16:48, 16:48] = 200
    >>> edges = cuesta.canny(picture, 50, 100)
    >>> int(edges.max()), edges.dtype.name, edges.shape
    (255, 'uint8', (64, 64))
    """
    s = Source(image, layout, "image", options.pop("stream", None), channels="colors")
    lows, highs = threshold_pairs(low, high)
    shape, flat = s.without_colors()
    inside = None if mask is None else companion(mask, s, "mask", shape, flat)
    r = Result(s, out, "uint8", shape)
    read = s.handle
    sigma = options.get("sigma")
    if sigma is None:
        sigma = default_of("CannyOptions", "sigma")
    if border != "reflect101" and sigma != 0:
        # The same smoothing with another border, as a step of its own.
        smoothed = Result(s, None, s.dtype)
        smoothing = {
            "sigma": sigma,
            "ksize": options.get("ksize"),
            "threads": options.get("threads"),
        }
        smoothing |= {"border": border, "border_value": border_value}
        _core.gaussian(s.handle, smoothed.handle, s.layout, smoothing, s.stream)
        read = s.kind.handle(smoothed.array, s.dtype)
        options |= {"sigma": 0, "ksize": None}
    used = _core.canny(
        read, r.handle, s.layout, flat, inside, threshold, lows, highs, options, s.stream
    )
    edges: A = r.finish()
    return (edges, used) if return_thresholds else edges


@overload
def canny_of_gradients(
    gx: A,
    gy: A,
    low: Any = None,
    high: Any = None,
    *,
    threshold: str = "auto",
    mask: A | None = None,
    layout: str | None = None,
    out: A | None = None,
    return_thresholds: Literal[False] = False,
    **options: Unpack[CannyGradientOptions],
) -> A: ...


@overload
def canny_of_gradients(
    gx: A,
    gy: A,
    low: Any = None,
    high: Any = None,
    *,
    threshold: str = "auto",
    mask: A | None = None,
    layout: str | None = None,
    out: A | None = None,
    return_thresholds: Literal[True],
    **options: Unpack[CannyGradientOptions],
) -> tuple[A, list[tuple[float, float]]]: ...


@described
def canny_of_gradients(
    gx: A,
    gy: A,
    low: Any = None,
    high: Any = None,
    *,
    threshold: str = "auto",
    mask: A | None = None,
    layout: str | None = None,
    out: A | None = None,
    return_thresholds: bool = False,
    **options: Unpack[CannyGradientOptions],
) -> A | tuple[A, list[tuple[float, float]]]:
    """Canny's edges where the gradients are given: thinning and hysteresis alone.

    Parameters
    ----------
    gx, gy : array
        The gradient to the right and down, int16 or float32 of one shape: (H, W), (N, H, W), or with three channels
        (H, W, 3), (N, H, W, 3); other shapes with `layout`.
    low, high : float or sequence of N floats, optional
        Thresholds in the gradient's units, as `canny` has them.
    **options
    threshold, mask, layout, out, strategy, parameters, threads, stream, return_thresholds
        As `canny` has them.

    Returns
    -------
    array
        As `canny`.

    Raises
    ------
    InvalidArgument, Unsupported, DeviceError
        As `canny`.

    Notes
    -----
    Of int16 these are the edges of cv2.Canny(dx, dy, ...) where abs(gx) is at most 27145; cv2's 32 bits overflow beyond.

    Examples
    --------
    >>> import numpy as np, cuesta
    >>> picture = np.zeros((64, 64), np.uint8)
    >>> picture[16:48, 16:48] = 200
    >>> gx, gy = cuesta.sobel(picture, outputs=("gx", "gy"), border="replicate")
    >>> edges = cuesta.canny_of_gradients(gx, gy, 50, 100)
    >>> bool((edges == cuesta.canny(picture, 50, 100, sigma=0)).all())
    True
    """
    s = Source(gx, layout, "gx", options.pop("stream", None))
    lows, highs = threshold_pairs(low, high)
    shape, flat = s.without_colors()
    down = companion(gy, s, "gy")
    inside = None if mask is None else companion(mask, s, "mask", shape, flat)
    r = Result(s, out, "uint8", shape)
    used = _core.canny_of_gradients(
        s.handle, down, r.handle, s.layout, flat, inside, threshold, lows, highs, options, s.stream
    )
    edges: A = r.finish()
    return (edges, used) if return_thresholds else edges


@described
def log_edges(
    image: A,
    threshold: float | None = None,
    *,
    response: bool = False,
    layout: str | None = None,
    out: A | None = None,
    **options: Unpack[LogOptions],
) -> A:
    """Edges by the Laplacian of a Gaussian.

    Parameters
    ----------
    image : array
        uint8 or uint16, one channel.
    **options
    response : bool
        Return the undivided integer response instead of edges: 289 L for the default window, 65536 L for others.
    layout, out, strategy, parameters, threads, stream
        As `canny` has them.

    Returns
    -------
    array
        uint8, 0 or 255; int32 with `response`.

    Raises
    ------
    InvalidArgument, Unsupported, DeviceError
        As `canny`.

    Notes
    -----
    Source: paper 000, with its equation 5 composed instead of added. The border extends the picture before the one
    stencil of both steps. Without ksize a sigma above 2.2 is made of two Gaussians of sigma / sqrt(2); the
    first one's picture is of the image's type.
    """
    s = Source(image, layout, "image", options.pop("stream", None), channels="one")
    r = Result(s, out, "int32" if response else "uint8")
    _core.log_edges(s.handle, r.handle, s.layout, {"threshold": threshold, **options}, s.stream)
    made: A = r.finish()
    return made


@described
def boundaries(
    image: A,
    threshold: float | None = None,
    *,
    layout: str | None = None,
    out: A | None = None,
    **options: Unpack[BoundaryOptions],
) -> A:
    """Boundaries between things and surfaces: edges of brightness and color, those of texture left out.

    Parameters
    ----------
    image : array
        uint8 or uint16, three channels of red, green and blue, (H, W, 3) or (N, H, W, 3), or one channel; other shapes
        with `layout`. Alpha is left out. On a GPU the strategy "plain" takes it.
    **options
    layout, out, strategy, parameters, threads, stream
        As `canny` has them.

    Returns
    -------
    array
        uint8, 0 or 255, of the image's shape (without three channels) and kind.

    Raises
    ------
    InvalidArgument, DeviceError
        As `canny`.

    Notes
    -----
    Gradients of three scales of a pyramid are added (Burt and Adelson 1983), of brightness and two opponent colors (Di
    Zenzo 1986), and a pixel's threshold rises with the mean gradient around it (Grigorescu, Petkov and Westenberg
    2003). One threshold serves all pictures; docs/user/accuracy.md has what is found with it.

    Examples
    --------
    >>> import numpy as np, cuesta
    >>> picture = np.zeros((64, 64, 3), np.uint8)
    >>> picture[:, 32:] = 60, 120, 200
    >>> edges = cuesta.boundaries(picture)
    >>> int(edges.max()), edges.dtype.name, edges.shape
    (255, 'uint8', (64, 64))
    """
    s = Source(image, layout, "image", options.pop("stream", None), channels="colors")
    shape, flat = s.without_colors()
    r = Result(s, out, "uint8", shape)
    _core.boundaries(
        s.handle, r.handle, s.layout, flat, {"threshold": threshold, **options}, s.stream
    )
    made: A = r.finish()
    return made


_SOBEL_OUTPUTS = ("gx", "gy", "magnitude", "direction")
# Of each source's type, the types that its outputs come in; the first is what comes without one.
_SOBEL_OF_U8: dict[str, tuple[str, ...]] = {
    "gx": ("int16", "int32"),
    "gy": ("int16", "int32"),
    "magnitude": ("uint8", "uint16", "float32"),
    "direction": ("uint8", "float32"),
}
_SOBEL_TYPES: dict[str, dict[str, tuple[str, ...]]] = {
    "uint16": _SOBEL_OF_U8 | {"magnitude": ("uint16", "uint8", "float32")},
    "float32": dict.fromkeys(_SOBEL_OUTPUTS, ("float32",)),
}


@overload
def sobel(
    image: A,
    *,
    outputs: str = "magnitude",
    dtype: str | None = None,
    layout: str | None = None,
    out: A | None = None,
    **options: Unpack[SobelOptions],
) -> A: ...


@overload
def sobel(
    image: A,
    *,
    outputs: tuple[str, ...] | list[str],
    dtype: str | None = None,
    layout: str | None = None,
    out: Sequence[A] | None = None,
    **options: Unpack[SobelOptions],
) -> tuple[A, ...]: ...


@described
def sobel(
    image: A,
    *,
    outputs: str | tuple[str, ...] | list[str] = "magnitude",
    dtype: str | None = None,
    layout: str | None = None,
    out: Any = None,
    **options: Unpack[SobelOptions],
) -> A | tuple[A, ...]:
    """Gradients by the Sobel operator, and what follows from them.

    Parameters
    ----------
    image : array
        uint8, uint16 or float32, one channel.
    outputs : str or tuple of str
        "gx", "gy", "magnitude", "direction": one name gives one array, a tuple a tuple.
    **options
    dtype : str, optional
        Of gx and gy "int16" (default, saturated) or "int32"; of the magnitude "uint8", "uint16" (saturated) or
        "float32", by default the image's type; of the direction "uint8" (default: 0 horizontal gradient, 1 diagonal \\,
        2 vertical, 3 diagonal /) or "float32" (radians). With several outputs it applies to those that take it. Of a
        float32 image all are float32.
    layout, strategy, parameters, threads, stream
        As `canny` has them.
    out : array, or sequence of arrays in the order of `outputs`, optional

    Returns
    -------
    array or tuple of arrays
        Of the image's shape, kind and device.

    Raises
    ------
    InvalidArgument, Unsupported, DeviceError
        As `canny`.

    Notes
    -----
    gx and gy of integers equal cv2.Sobel with scale 1; magnitude and direction are of the exact gradients, an l2
    magnitude of an integer type is rounded down. Of float32 images gradients are float32 sums, down the columns of the
    window and then across, by fma; every NaN is the same one. Paper 003's steps are strategies: on CUDA
    `sobel(t, strategy="shared-1d")`.
    """
    single = isinstance(outputs, str)
    wanted = (outputs,) if isinstance(outputs, str) else tuple(outputs)
    for name in wanted:
        if name not in _SOBEL_OUTPUTS or wanted.count(name) > 1:
            raise InvalidArgument(
                f"outputs is {outputs!r}; it must be one of {', '.join(_SOBEL_OUTPUTS)}, or a tuple of different ones",
                repr(outputs),
            )
    s = Source(image, layout, "image", options.pop("stream", None), channels="one")
    types = _SOBEL_TYPES.get(s.dtype, _SOBEL_OF_U8)
    if dtype is not None and not any(dtype in types[name] for name in wanted):
        accepted = sorted({t for name in wanted for t in types[name]})
        raise InvalidArgument(
            f"dtype is {dtype!r}; {', '.join(wanted)} take {', '.join(accepted)}", repr(dtype)
        )
    given = (out,) if single else (None,) * len(wanted) if out is None else tuple(out)
    if len(given) != len(wanted):
        raise InvalidArgument(
            f"out has {len(given)} arrays and outputs {len(wanted)} names", str(len(given))
        )
    results = [
        Result(s, array, dtype if dtype in types[name] and dtype is not None else types[name][0])
        for name, array in zip(wanted, given)
    ]
    handles: list[Any] = [None] * len(_SOBEL_OUTPUTS)
    for name, r in zip(wanted, results):
        handles[_SOBEL_OUTPUTS.index(name)] = r.handle
    gx, gy, magnitude, direction = handles
    _core.sobel(s.handle, gx, gy, magnitude, direction, s.layout, options, s.stream)
    made = tuple(r.finish() for r in results)
    return made[0] if single else made

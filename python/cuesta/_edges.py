"""Edge detectors: Canny, Laplacian of Gaussian."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from cuesta import _core
from cuesta._keywords import (
    CannyGradientOptions,
    CannyOptions,
    LogOptions,
)
from cuesta._lazy import by_chunks, by_pictures, gaussian_reach, is_divided, is_lazy
from cuesta._lazy_bands import CannyWay, edges_by_bands
from cuesta._options import described, flag, text, threshold_pairs
from cuesta._sources import Result, Source, companion
from cuesta.errors import InvalidArgument

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["canny", "canny_of_gradients", "log_edges", "strength_type"]

A = TypeVar("A")


def strength_type(image: str, options: Mapping[str, Any]) -> str:
    """Returns the type that holds every strength of an image of this type."""
    of_type = {name: options.get(name) for name in ("sigma", "ksize", "aperture")}
    of_type["strength"] = True
    found: str = _core.type_of_strengths(image, of_type)
    return found


def _type_of(
    image: str,
    options: Mapping[str, Any],
    strength: bool,
    low: Any,
    high: Any,
    threshold: str,
    return_thresholds: bool,
) -> str:
    """Returns the type of edges or strengths; raises InvalidArgument for strengths' thresholds."""
    if not flag("strength", strength):
        return "uint8"
    for name, given in (
        ("low", low is not None),
        ("high", high is not None),
        ("threshold", threshold != "auto"),
        ("return_thresholds", return_thresholds),
    ):
        if given:
            raise InvalidArgument(
                f"{name} is given with strength=True, which applies no thresholds; leave {name} "
                "out, and compare the strengths with the thresholds",
                name,
            )
    return strength_type(image, options)


def _lazy_canny(
    image: Any,
    low: Any,
    high: Any,
    threshold: str,
    layout: str | None,
    options: CannyOptions,
    refused: dict[str, Any],
    *,
    strength: bool,
    mask: Any,
) -> Any:
    """Returns canny() of a lazy array. `refused` are arguments that its result cannot have."""

    def picture(block: Any, name: str, inside: Any = None) -> Any:
        return canny(
            block,
            low,
            high,
            threshold=threshold,
            layout=name,
            mask=inside,
            strength=strength,
            **options,
        )

    wraps = options.get("border") == "wrap"  # which smooths the first rows with the last
    if strength and mask is None and not wraps:
        reach = gaussian_reach(options.get("sigma") or 1.4, options.get("ksize"))
        reach += (options.get("aperture") or 3) // 2 + 1
        return by_chunks(picture, image, layout, reach, **refused)
    if strength or wraps or not is_divided(image, layout):
        pairs = any(hasattr(limit, "__len__") for limit in (low, high))  # one for each picture
        return by_pictures(picture, image, layout, together=pairs, mask=mask, **refused)
    given: list[Any] = list(zip(*threshold_pairs(low, high))) or [None]
    ways = [CannyWay(False, threshold, None, pair, options={**options}) for pair in given]
    return edges_by_bands(image, ways, layout, picture, mask=mask, **refused)


@overload
def canny(
    image: A,
    low: Any = None,
    high: Any = None,
    *,
    threshold: str = "auto",
    mask: A | None = None,
    layout: str | None = None,
    out: A | None = None,
    strength: bool = False,
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
    mask: A | None = None,
    layout: str | None = None,
    out: A | None = None,
    strength: bool = False,
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
    mask: A | None = None,
    layout: str | None = None,
    out: A | None = None,
    strength: bool = False,
    return_thresholds: bool = False,
    **options: Unpack[CannyOptions],
) -> A | tuple[A, list[tuple[float, float]]]:
    """Finds edges with Canny's detector.

    The steps are smoothing, gradient, thinning to one pixel, and hysteresis between two thresholds.

    Parameters
    ----------
    image : array
        uint8, uint16 or float32. One channel: (H, W), or a batch (N, H, W). Three channels:
        (H, W, 3) or (N, H, W, 3); `color` selects how they are used. A second or fourth channel is
        alpha and is ignored. Other shapes need `layout`.
    low, high : float or sequence of N floats, optional
        Thresholds in units of the gradient, as in cv2.Canny. The L1 gradient with aperture 3
        reaches 2040 for uint8, and 8 for float32 from 0 to 1. As in cv2.Canny they are swapped when
        low > high, and may be below 0; `edges` and the command refuse both. A batch may have a pair
        for each picture. Give both or neither.
    **options
    threshold : {"auto", "otsu", "median", "percentile:P", "noise"}
        The rule that finds the high threshold when none is given; low is half of it. "otsu" and
        "auto": Otsu's threshold of the non-zero magnitudes. "median": 1.33 times their median.
        "percentile:P": the magnitude that P percent of all pixels do not exceed. "noise": as
        "otsu", but a picture of noise alone has no edges.
    mask : array, optional
        uint8 or bool of the image's shape without its channels. The magnitude is 0 where the mask
        is 0.
    layout : {"HW", "HWC", "CHW", "NHW", "NHWC", "NCHW"}, optional
        The meaning of the dimensions, where the shape alone is ambiguous.
    out : array, optional
        Of the result's type and shape, of the image's library and device; receives the result.
    strength : bool
        Return strengths instead of edges: the magnitude of each pixel that thinning keeps, in the
        units of thresholds, and 0 elsewhere. It is rounded up to a number that the result's type
        holds, so that comparing with `>` and hysteresis give the edges. Thresholds that the type
        can hold are exact. Takes no thresholds.
    page, band : int, optional
        Of a picture file: one page of several, and one channel alone, both from 1; see `imread`.
    strategy, parameters
        The strategy by name (`cuesta.strategies("canny")`) and its parameters. The default is the
        fastest that supports the request.
    threads : int, optional
        Number of CPU threads; by default every core.
    stream : optional
        The CUDA stream: a torch.cuda.Stream, a cupy.cuda.Stream or a pointer. The default is the
        library's current one.
    return_thresholds : bool
        Also return the thresholds that were used.

    Returns
    -------
    array
        uint8, 0 or 255, of the image's shape without three channels, on its device. With
        `strength` uint16 for uint8 images with a sigma up to 3 and aperture 3 or 5, otherwise float32. With `return_thresholds` also a list
        of (low, high), one for each picture.

    Raises
    ------
    InvalidArgument
        An argument is invalid. The message names it, its value and what is accepted.
    Unsupported
        The chosen strategy does not support the request.
    DeviceError
        The image is on a GPU that this build or machine cannot use.

    Notes
    -----
    Source: Canny 1986 as OpenCV defines it; paper 001. The border is the smoothing's: the gradient
    always replicates, and magnitudes outside are 0. Above a sigma of 3 on uint8, and of 5 on
    uint16, rounding the smoothed picture would draw contour lines; such an image is computed in
    float32. On CUDA a call with given thresholds only enqueues work. Automatic thresholds wait for the stream.

    Examples
    --------
    >>> import numpy as np, cuesta
    >>> picture = np.zeros((64, 64), np.uint8)
    >>> picture[16:48, 16:48] = 200
    >>> edges = cuesta.canny(picture, 50, 100)
    >>> int(edges.max()), edges.dtype.name, edges.shape
    (255, 'uint8', (64, 64))
    """
    if is_lazy(image):
        lazy: A = _lazy_canny(
            image,
            low,
            high,
            threshold,
            layout,
            options,
            {"out": out, "return_thresholds": return_thresholds},
            strength=strength,
            mask=mask,
        )
        return lazy
    s = Source(image, layout, "image", options, channels="colors").leveled()
    rule, (lows, highs) = text("threshold", threshold), threshold_pairs(low, high)
    shape, flat = s.without_colors()
    inside = None if mask is None else companion(mask, s, "mask", shape, flat)
    dtype = _type_of(s.dtype, options, strength, low, high, threshold, return_thresholds)
    r = Result(s, out, dtype, shape)
    used = _core.canny(
        s.handle, r.handle, s.layout, flat, inside, rule, lows, highs, options, s.stream
    )
    edges: A = r.finish()
    return (edges, used) if flag("return_thresholds", return_thresholds) else edges


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
    strength: bool = False,
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
    strength: bool = False,
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
    strength: bool = False,
    return_thresholds: bool = False,
    **options: Unpack[CannyGradientOptions],
) -> A | tuple[A, list[tuple[float, float]]]:
    """Finds Canny's edges from given gradients, by thinning and hysteresis alone.

    Parameters
    ----------
    gx, gy : array
        The gradient to the right and down, int16 or float32, of one shape: (H, W) or (N, H, W).
        With three channels: (H, W, 3) or (N, H, W, 3). Other shapes need `layout`.
    low, high : float or sequence of N floats, optional
        Thresholds in the gradient's units; see `canny`.
    **options
    threshold, mask, layout, out, strength, return_thresholds
        See `canny`.
    page, band, strategy, parameters, threads, stream
        See `canny`.

    Returns
    -------
    array
        As `canny` returns it.

    Raises
    ------
    InvalidArgument, Unsupported, DeviceError
        See `canny`.

    Notes
    -----
    For int16 the edges equal cv2.Canny(dx, dy, ...) where abs(gx) is at most 27145. Above that
    cv2's 32 bits overflow.

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
    s = Source(gx, layout, "gx", options)
    rule, (lows, highs) = text("threshold", threshold), threshold_pairs(low, high)
    shape, flat = s.without_colors()
    down = companion(gy, s, "gy")
    inside = None if mask is None else companion(mask, s, "mask", shape, flat)
    dtype = _type_of(s.dtype, {}, strength, low, high, threshold, return_thresholds)
    r = Result(s, out, dtype, shape)
    used = _core.canny_of_gradients(
        s.handle, down, r.handle, s.layout, flat, inside, rule, lows, highs, options, s.stream
    )
    edges: A = r.finish()
    return (edges, used) if flag("return_thresholds", return_thresholds) else edges


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
    """Finds edges as zero crossings of the Laplacian of a Gaussian.

    Parameters
    ----------
    image : array
        uint8 or uint16, one channel.
    **options
    response : bool
        Return the undivided integer response instead of edges: 289 L for the default window, 65536
        L for others.
    layout, out, page, band, strategy, parameters, threads, stream
        See `canny`.

    Returns
    -------
    array
        uint8, 0 or 255; with `response` int32.

    Raises
    ------
    InvalidArgument, Unsupported, DeviceError
        See `canny`.

    Notes
    -----
    Source: paper 000, with its equation 5 composed instead of added. The border extends the picture
    before the one stencil of both steps. Without `ksize` a sigma above 2.2 is composed of two
    Gaussians of sigma / sqrt(2). The picture between the two has the image's type.
    """
    if is_lazy(image):

        def chunk(block: Any, name: str) -> Any:
            return log_edges(block, threshold, response=response, layout=name, **options)

        border = options.get("border")
        if border == "wrap" and options.get("mode") == "zero-crossings":
            wrapped: A = by_pictures(chunk, image, layout, out=out)  # of the first and last row
            return wrapped
        reach = 2 * gaussian_reach(options.get("sigma") or 1.4, options.get("ksize")) + 2
        lazy: A = by_chunks(chunk, image, layout, reach, out=out, border=border)
        return lazy
    s = Source(image, layout, "image", options, channels="one", floats=False).leveled()
    r = Result(s, out, "int32" if flag("response", response) else "uint8")
    _core.log_edges(s.handle, r.handle, s.layout, {"threshold": threshold, **options}, s.stream)
    made: A = r.finish()
    return made

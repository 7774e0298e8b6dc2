"""Edges in one picture with the command's options and defaults."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import numpy as np

from cuesta import _core
from cuesta._keywords import EdgeLinesOptions, EdgesOptions
from cuesta._layouts import LAYOUTS
from cuesta._lazy import by_chunks, by_pictures, gaussian_reach, is_divided, is_lazy
from cuesta._lazy_bands import CannyWay, edges_by_bands, strengths_by_bands
from cuesta._lines import Line, Outline, lines_of, outlines_of
from cuesta._options import check_pair, described, flag, has_ends, number, text
from cuesta._pixels import to_gray
from cuesta._reading import tell
from cuesta._sources import Result, Source, companion
from cuesta.errors import InvalidArgument

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["EdgesUsed", "edge_lines", "edges"]

Method = Literal["canny", "log", "sobel", "boundaries", "regions"]


class EdgesUsed(NamedTuple):
    """What Canny used for one picture."""

    low: float
    """The low threshold, in units of the gradient."""
    high: float
    """The high threshold, in units of the gradient."""
    sigma: float
    """Of the Gaussian before the gradient, in pixels."""


def edge_levels(
    low: float | None, high: float | None, threshold: str | float | None
) -> tuple[str | None, float | None, tuple[float, float] | None]:
    """Returns a rule, a level or Canny's pair, as the extension takes them."""
    check_pair(low, high)
    if low is None or high is None:
        if isinstance(threshold, str):
            return threshold, None, None
        return None, None if threshold is None else number("threshold", threshold), None
    if threshold is not None:
        raise InvalidArgument(
            f"threshold is {threshold!r} beside low and high; give one or the other",
            repr(threshold),
        )
    return None, None, (number("low", low), number("high", high))


def _seen_gray(rows: Any, name: str) -> tuple[Any, str]:
    """Returns gray levels of colors, and their layout."""
    if name != "HWC" or rows.shape[-1] < 3:
        return rows, name
    return to_gray(rows, layout=name), "HW"


def _reach(method: Method, options: EdgesOptions) -> int:
    """Returns how many samples decide one: for log, sobel, and canny's strengths."""
    sigma, ksize = options.get("sigma"), options.get("ksize")
    if method == "log":
        return 2 * gaussian_reach(3.5 if sigma is None else sigma, ksize) + 2
    return gaussian_reach(sigma, ksize) + (options.get("aperture") or 3) // 2 + 2


def _is_local(image: Any, method: Method, options: EdgesOptions) -> bool:
    """Whether a few samples around each decide its result."""
    if options.get("white") == "light":  # whose white is found in the whole picture
        return False
    if method == "log":  # levels of floats are those of the picture
        crosses = options.get("mode") in (None, "zero-crossings")
        wraps = crosses and options.get("border") == "wrap"
        return image.dtype in (np.uint8, np.uint16) and not wraps
    sigma: Any = options.get("sigma")
    given = sigma not in (None, "auto") and options.get("border") != "wrap"
    return method == "sobel" or (method == "canny" and bool(options.get("strength")) and given)


def _lazy_edges(
    image: Any,
    method: Method,
    levels: dict[str, Any],
    layout: str | None,
    mask: Any,
    options: EdgesOptions,
    refused: dict[str, Any],
) -> Any:
    """Returns edges() of a lazy array. `refused` are arguments that its result cannot have."""

    def picture(block: Any, name: str, inside: Any = None) -> Any:
        known: Any = {**options}
        s = Source(block, name, "image", known).leveled()  # which a dark chunk does not warn of
        return _edges_of(s, method, mask=inside, options=known, **levels)

    ends, black = has_ends(options), options.get("black")
    if ends and options.get("white") in (None, "auto"):  # which is found in the whole picture
        raise InvalidArgument(f"black is {black!r} and image is lazy; give white, too", repr(black))
    if mask is None and _is_local(image, method, options):
        reach, border = _reach(method, options), options.get("border")
        return by_chunks(picture, image, layout, reach, border=border, **refused)
    wraps = options.get("border") == "wrap"  # which smooths the first rows with the last
    if method != "canny" or ends or wraps or not is_divided(image, layout):
        return by_pictures(picture, image, layout, mask=mask, **refused)
    strength = bool(options.get("strength"))
    if strength and mask is not None:
        return by_pictures(picture, image, layout, mask=mask, **refused)
    rule, level, given = edge_levels(**levels)
    others: dict[str, Any] = {**options}
    prepare = _seen_gray if others.get("color") == "gray" else None
    way = CannyWay(True, rule, level, given, options=others, prepare=prepare)
    if not strength:
        finds = others.get("sigma") in (None, "auto")
        return edges_by_bands(
            image, [way], layout, picture, mask=mask, finds_sigma=finds, **refused
        )

    def strengths(rows: Any, _: Any, name: str, first: int, end: int, sigma: float) -> Any:
        known: Any = {**others, "sigma": sigma}
        return edges(rows, method, layout=name, **levels, **known)[first:end]

    return strengths_by_bands(image, way, layout, strengths, picture, **refused)


def _warn_dim(image: Any, s: Source, method: Method, options: Any) -> None:
    """Warns where a method compares levels and a picture of 16 bits uses few of them."""
    compares = method in ("log", "boundaries", "regions") and not has_ends(options)
    if not compares or s.dtype != "uint16" or s.device >= 0:
        return
    if remark := _core.dim_remark(s.handle, s.layout):
        tell(image, f"{remark}; white sets another")


def _edges_of(
    s: Source,
    method: Method,
    low: float | None,
    high: float | None,
    threshold: str | float | None,
    mask: Any,
    options: Any,
    out: Any = None,
    return_thresholds: bool = False,
    image: Any = None,
) -> Any:
    """Returns edges() of an array that is not lazy. Warns by the name of `image`, if given."""
    shape, flat = s.shape, s.layout
    if (name := s.layout_name()) in ("HWC", "NHWC") and shape[-1] > 1:
        shape, flat = shape[:-1], LAYOUTS[name[:-1]]
    inside = None if mask is None else companion(mask, s, "mask", shape, flat)
    seen = "uint16" if has_ends(options) else s.dtype
    dtype = seen if method == "sobel" and threshold is None else "uint8"
    if method == "canny" and options.get("strength"):
        dtype = _core.type_of_strengths(seen, dict(options))
    if method == "regions" and options.get("labels"):
        dtype = "int32"
    r = Result(s, out, dtype, shape)
    rule, level, given = edge_levels(low, high, threshold)
    used, warning = _core.edges(
        s.handle,
        r.handle,
        s.layout,
        flat,
        inside,
        text("method", method),
        rule,
        level,
        given,
        dict(options),
        s.stream,
    )
    made = r.finish()
    if image is not None:
        tell(image, warning)
    return (
        (made, [EdgesUsed(*one) for one in used])
        if flag("return_thresholds", return_thresholds)
        else made
    )


@overload
def edges(
    image: Any,
    method: Method = "canny",
    *,
    low: float | None = None,
    high: float | None = None,
    threshold: str | float | None = None,
    mask: Any = None,
    layout: str | None = None,
    out: Any = None,
    return_thresholds: Literal[False] = False,
    **options: Unpack[EdgesOptions],
) -> Any: ...


@overload
def edges(
    image: Any,
    method: Method = "canny",
    *,
    low: float | None = None,
    high: float | None = None,
    threshold: str | float | None = None,
    mask: Any = None,
    layout: str | None = None,
    out: Any = None,
    return_thresholds: Literal[True],
    **options: Unpack[EdgesOptions],
) -> tuple[Any, list[EdgesUsed]]: ...


@described
def edges(
    image: Any,
    method: Method = "canny",
    *,
    low: float | None = None,
    high: float | None = None,
    threshold: str | float | None = None,
    mask: Any = None,
    layout: str | None = None,
    out: Any = None,
    return_thresholds: bool = False,
    **options: Unpack[EdgesOptions],
) -> Any:
    """Finds edges as the command `cuesta edges` does: the same options, defaults and bytes.

    Parameters
    ----------
    image : path or array
        A picture file, or uint8, uint16 or float32: (H, W), (H, W, C) with 1 to 4 channels, or a
        batch. Other shapes need `layout`. Alpha is ignored. NaN and masked pixels have no edges. Log and sobel use gray levels, the
        others colors. On the CPU, log, boundaries and regions take float32 as levels of 16 bits. Of
        bool, True is 255.
    method : {"canny", "log", "sobel", "boundaries", "regions"}
        "canny": Canny's edges. "log": zero crossings of the Laplacian of a Gaussian. "sobel": the
        strength of the Sobel gradient, or with `threshold` a mask. "boundaries": boundaries of
        objects, without texture. "regions": closed contours along boundaries, or with `labels` the
        number of each pixel's region.
    low, high : float, optional
        Canny's thresholds, in units of the gradient: 0 <= low <= high. Give both or neither.
    threshold : str or float, optional
        Canny: a rule ("auto", "otsu", "median", "percentile:P", "noise") or the high threshold; low
        is half of it. Log: gray levels. Sobel: the magnitude above which a pixel is an edge.
        Boundaries: strength. Regions: from 0 to 1; weaker contours are removed. Canny's, log's and
        sobel's numbers count in the image's levels.
    **options
    mask : array, optional
        Canny: uint8 or bool of the image's shape without its channels. No edges are found where it
        is 0.
    layout : {"HW", "HWC", "CHW", "NHW", "NHWC", "NCHW"}, optional
        The meaning of the dimensions, where the shape alone is ambiguous.
    page, band : int, optional
        One page of a picture file with several, and one channel alone, both from 1; see `imread`.
    out : array, optional
        Receives the result. It has the result's shape and type, and the image's library and device.
    strategy, parameters
        The method's strategy by name and its parameters. The default is the fastest that supports
        the request.
    threads : int, optional
        Number of CPU threads; by default every core.
    stream : optional
        The CUDA stream; see `canny`.
    return_thresholds : bool
        Also return the thresholds and the sigma that Canny used.

    Returns
    -------
    array
        uint8, 0 or 255, of the image's shape without channels. Canny with `strength`: uint16
        for uint8 images, or float32 where `sigma` exceeds 3 or `aperture` is 7, and of others. Sobel without `threshold`: the magnitudes in the image's type, or in uint16 with `white` or `black`, where the largest
        possible magnitude is white. Regions with `labels`: int32, from 1 on. With `return_thresholds` also a list of `EdgesUsed`, one for
        each picture.

    Raises
    ------
    InputError
        The file cannot be read.
    InvalidArgument, Unsupported, DeviceError
        See `canny`.

    Notes
    -----
    `canny`, `log_edges` and `sobel` are the plain operations with the papers' defaults.

    Examples
    --------
    >>> import numpy as np, cuesta
    >>> picture = np.zeros((64, 64, 3), np.uint8)
    >>> picture[16:48, 16:48] = 200, 40, 40
    >>> edges = cuesta.edges(picture)
    >>> int(edges.max()), edges.dtype.name, edges.shape
    (255, 'uint8', (64, 64))
    """
    if is_lazy(image):
        levels = {"low": low, "high": high, "threshold": threshold}
        refused = {"out": out, "return_thresholds": return_thresholds}
        return _lazy_edges(image, method, levels, layout, mask, options, refused)
    s = Source(image, layout, "image", options).leveled()
    _warn_dim(image, s, method, options)
    return _edges_of(s, method, low, high, threshold, mask, options, out, return_thresholds, image)


@overload
def edge_lines(
    image: Any,
    method: Literal["canny", "log"] = "canny",
    *,
    low: float | None = None,
    high: float | None = None,
    threshold: str | float | None = None,
    layout: str | None = None,
    **options: Unpack[EdgeLinesOptions],
) -> list[Line]: ...


@overload
def edge_lines(
    image: Any,
    method: Literal["regions"],
    *,
    low: float | None = None,
    high: float | None = None,
    threshold: str | float | None = None,
    layout: str | None = None,
    **options: Unpack[EdgeLinesOptions],
) -> list[Outline]: ...


@described
def edge_lines(
    image: Any,
    method: Literal["canny", "log", "regions"] = "canny",
    *,
    low: float | None = None,
    high: float | None = None,
    threshold: str | float | None = None,
    layout: str | None = None,
    **options: Unpack[EdgeLinesOptions],
) -> list[Line] | list[Outline]:
    """Finds edges as `edges` does and returns them as lines, as `cuesta edges --lines` writes them.

    Parameters
    ----------
    image : path or array
        One picture; see `edges`.
    method : {"canny", "log", "regions"}
        See `edges`. Regions have outlines, which follow the sides of pixels whatever `refinement`
        is. They need an image on the CPU.
    low, high, threshold : optional
        See `edges`.
    **options
    layout, page, band, strategy, parameters, threads, stream
        See `edges`.

    Returns
    -------
    list of Line or Outline
        As `trace` returns lines. With method "regions" the outlines in the order of their labels;
        those whose outer ring is shorter than `min_length` are left out.

    Raises
    ------
    InputError, InvalidArgument, Unsupported, DeviceError
        See `edges`.

    Examples
    --------
    >>> import numpy as np, cuesta
    >>> picture = np.zeros((64, 64, 3), np.uint8)
    >>> picture[16:48, 16:48] = 200, 40, 40
    >>> [line.closed for line in cuesta.edge_lines(picture)]
    [True]
    >>> sum(outline.area for outline in cuesta.edge_lines(picture, "regions"))
    4096
    """
    s = Source(image, layout, "image", options).leveled()
    _warn_dim(image, s, method, options)
    rule, level, given = edge_levels(low, high, threshold)
    if method == "regions":
        if rule is not None or given is not None:
            raise InvalidArgument(
                f"{'low' if rule is None else 'threshold'} is {low if rule is None else rule!r}; "
                "method 'regions' takes a number for threshold, and neither low nor high",
                "threshold",
            )
        found, warning = _core.region_outlines(s.handle, s.layout, level, dict(options), s.stream)
        tell(image, warning)
        return outlines_of(*found)
    lines, warning = _core.edge_lines(
        s.handle, s.layout, text("method", method), rule, level, given, dict(options), s.stream
    )
    tell(image, warning)
    return lines_of(*lines)

"""Point operations, morphology and connected components."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from cuesta import _core
from cuesta._keywords import LabelOptions, MorphologyOptions
from cuesta._layouts import LAYOUTS
from cuesta._options import Execution, described, element_of
from cuesta._sources import Result, Source, companion
from cuesta.errors import InvalidArgument

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "Labels",
    "absdiff",
    "close",
    "dilate",
    "erode",
    "histogram",
    "label",
    "open",
    "otsu_threshold",
    "threshold",
    "to_gray",
]

A = TypeVar("A")


@described
def to_gray(
    image: A,
    order: str = "rgb",
    *,
    layout: str | None = None,
    out: A | None = None,
    **options: Unpack[Execution],
) -> A:
    """Gray levels of a color picture: (9798 R + 19235 G + 3735 B + 16384) >> 15, as cv2.cvtColor.

    Parameters
    ----------
    image : array
        uint8, uint16 or float32 with 3 or 4 channels (a fourth, alpha, is ignored), or 1 or 2 (the first is copied).
        float32 gives (9798 R + 19235 G + 3735 B) / 32768. Channel-first pictures are brought into channel-last order
        first, which copies them.
    order : {"rgb", "bgr"}
    layout, out, strategy, parameters, threads, stream
        As `canny` has them.

    Returns
    -------
    array
        The image's shape without its channels.

    Raises
    ------
    InvalidArgument, Unsupported, DeviceError
        As `canny`.
    """
    stream = options.pop("stream", None)
    s = Source(image, layout, "image", stream, packed=False)
    array, name = s.array, s.layout_name()
    with s.kind.on(array, stream):
        if name in ("CHW", "NCHW") or (layout is None and name == "NHW"):
            if layout is None:
                raise InvalidArgument(
                    f"image has shape {s.shape}; name its layout, as in layout='CHW' or layout='NHW'",
                    str(s.shape),
                )
            array = s.kind.to_interleaved(array, 0 if name == "CHW" else 1)
            name = "HWC" if name == "CHW" else "NHWC"
        if name in ("HWC", "NHWC") and array.shape[-1] == 2:
            array, name = s.kind.without_alpha(array), name[:-1]
    s = Source(array, name, "image", stream)
    shape = s.shape[:-1] if name in ("HWC", "NHWC") else s.shape
    r = Result(s, out, s.dtype, shape)
    _core.to_gray(
        s.handle, s.layout, r.handle, LAYOUTS[name.removesuffix("C")], order, options, s.stream
    )
    made: A = r.finish()
    return made


@described
def absdiff(
    a: A,
    b: A,
    *,
    layout: str | None = None,
    out: A | None = None,
    **options: Unpack[Execution],
) -> A:
    """|a - b| of two uint8, uint16 or float32 pictures of one shape and type (cv2.absdiff).

    Raises
    ------
    InvalidArgument, Unsupported, DeviceError
        As `canny`.
    """
    s = Source(a, layout, "a", options.pop("stream", None))
    other = companion(b, s, "b", gray=False)
    r = Result(s, out, s.dtype)
    _core.absdiff(s.handle, other, r.handle, s.layout, options, s.stream)
    made: A = r.finish()
    return made


@described
def threshold(
    image: A,
    limit: float,
    *,
    layout: str | None = None,
    out: A | None = None,
    **options: Unpack[Execution],
) -> A:
    """image > limit as uint8, 0 or 255 (cv2.THRESH_BINARY). image: uint8, uint16 or float32, one channel.

    Raises
    ------
    InvalidArgument, Unsupported, DeviceError
        As `canny`.
    """
    s = Source(image, layout, "image", options.pop("stream", None), channels="one")
    r = Result(s, out, "uint8")
    _core.threshold(s.handle, r.handle, s.layout, limit, options, s.stream)
    made: A = r.finish()
    return made


@described
def histogram(
    image: Any, *, layout: str | None = None, **options: Unpack[Execution]
) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """Counts of the samples of one uint8 (256 bins) or uint16 (65,536 bins) picture, as numpy uint64.

    Raises
    ------
    InvalidArgument, Unsupported, DeviceError
        As `canny`.
    """
    s = Source(image, layout, "image", options.pop("stream", None), channels="one")
    return _core.histogram(s.handle, s.layout, options, s.stream)[:, 0]


def otsu_threshold(bins: Any) -> int:
    """Otsu's threshold of a histogram, as cv2.THRESH_OTSU chooses it: foreground is image > result.

    Parameters
    ----------
    bins : array
        Counts, 256 or 65,536 of them, or any number.
    """
    counts = np.asarray(bins)
    if counts.ndim != 1 or counts.dtype.kind not in "iu" or (counts.size and counts.min() < 0):
        raise InvalidArgument(
            f"bins has shape {counts.shape} and dtype {counts.dtype}; it must be one row of counts",
            str(counts.shape),
        )
    return _core.otsu_threshold(counts.tolist())


def _morphology(
    run: Callable[..., None],
    image: A,
    element: Any,
    layout: str | None,
    out: A | None,
    options: dict[str, Any],
) -> A:
    s = Source(image, layout, "image", options.pop("stream", None), channels="one")
    r = Result(s, out, s.dtype)
    run(s.handle, r.handle, s.layout, element_of(element), options, s.stream)
    made: A = r.finish()
    return made


@described
def erode(
    image: A,
    element: Any = "rect:3",
    *,
    layout: str | None = None,
    out: A | None = None,
    **options: Unpack[MorphologyOptions],
) -> A:
    """The minimum over a structuring element.

    Parameters
    ----------
    image : array
        uint8, uint16 or bool, one channel.
    element : str or array
        "disk:15" (Euclidean, 149 cells), "ellipse:15" (OpenCV's, 169 cells), "rect:5x3" (width × height), "cross:3", or
        (height, width) cells whose non-zero ones belong; 1 to 255 a side. The anchor is (height // 2, width // 2). Read
        unreflected, as cv2.erode reads it.
    **options
    layout, out, strategy, parameters, threads, stream
        As `canny` has them. `out` may be the image itself.

    Returns
    -------
    array
        Of the image's type, shape, kind and device.

    Raises
    ------
    InvalidArgument, Unsupported, DeviceError
        As `canny`.
    """
    return _morphology(_core.erode, image, element, layout, out, {**options})


@described
def dilate(
    image: A,
    element: Any = "rect:3",
    *,
    layout: str | None = None,
    out: A | None = None,
    **options: Unpack[MorphologyOptions],
) -> A:
    """The maximum over a structuring element; results and errors are `erode`'s.

    Parameters
    ----------
    image, element
        As `erode` has them.
    **options
    layout, out, strategy, parameters, threads, stream
        As `canny` has them.
    """
    return _morphology(_core.dilate, image, element, layout, out, {**options})


@described
def open(  # noqa: A001
    image: A,
    element: Any = "rect:3",
    *,
    layout: str | None = None,
    out: A | None = None,
    **options: Unpack[MorphologyOptions],
) -> A:
    """Erosion, then dilation with the reflected element: removes what the element does not fit into.

    Results and errors are `erode`'s.

    Parameters
    ----------
    image, element
        As `erode` has them.
    **options
    layout, out, strategy, parameters, threads, stream
        As `canny` has them.
    """
    return _morphology(_core.open, image, element, layout, out, {**options})


@described
def close(
    image: A,
    element: Any = "rect:3",
    *,
    layout: str | None = None,
    out: A | None = None,
    **options: Unpack[MorphologyOptions],
) -> A:
    """Dilation, then erosion with the reflected element: fills what the element does not fit into.

    Results and errors are `erode`'s.

    Parameters
    ----------
    image, element
        As `erode` has them.
    **options
    layout, out, strategy, parameters, threads, stream
        As `canny` has them.
    """
    return _morphology(_core.close, image, element, layout, out, {**options})


@dataclass(frozen=True, eq=False)
class Labels(Generic[A]):
    """Connected components, numbered from 1 by their first pixel in raster order."""

    labels: A
    """int32 of the mask's shape; 0 is background."""
    count: int
    """How many there are."""
    boxes: A
    """(count, 4) int32: x, y, width, height in pixels."""
    areas: A
    """(count,) int64, in pixels."""
    centroids: A
    """(count, 2) float64: x, y."""


@described
def label(
    mask: A,
    *,
    layout: str | None = None,
    out: A | None = None,
    **options: Unpack[LabelOptions],
) -> Labels[A]:
    """Connected components of one mask, with boxes, areas and centroids.

    Parameters
    ----------
    mask : array
        (H, W) uint8 or bool; non-zero is foreground.
    **options
    out : array, optional
        int32 of the mask's shape; receives the labels.
    layout, strategy, parameters, threads, stream
        As `canny` has them.

    Returns
    -------
    Labels
        All arrays of the mask's kind and on its device.

    Raises
    ------
    InvalidArgument, Unsupported, DeviceError
        As `canny`.

    Notes
    -----
    On CUDA it waits for the number of components. Source: paper 004, union-find by init, merge, compress.
    """
    s = Source(mask, layout, "mask", options.pop("stream", None), channels="one")
    r = Result(s, out, "int32")
    boxes, areas, centroids = _core.label(s.handle, r.handle, s.layout, options, s.stream)
    convert = s.kind.from_numpy
    return Labels(
        r.finish(),
        len(boxes),
        convert(boxes, s.given),
        convert(areas[:, 0], s.given),
        convert(centroids, s.given),
    )

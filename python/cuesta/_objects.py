"""Point operations, morphology and connected components."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from cuesta import _core
from cuesta._keywords import LabelOptions, MorphologyOptions
from cuesta._layouts import LAYOUTS
from cuesta._lazy import by_chunks, is_lazy
from cuesta._options import Execution, described, element_of, number
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
    """Converts a color picture to gray levels, as cv2.cvtColor.

    Parameters
    ----------
    image : array
        uint8, uint16 or float32. With 3 or 4 channels the fourth, alpha, is ignored. With 1 or 2
        channels the first is copied. Channel-first pictures are copied into channel-last order
        first.
    order : {"rgb", "bgr"}
        The order of the color channels.
    layout, out, page, band, strategy, parameters, threads, stream
        See `canny`.

    Returns
    -------
    array
        Of the image's shape without its channels, and of its type.

    Raises
    ------
    InvalidArgument, Unsupported, DeviceError
        See `canny`.

    Notes
    -----
    Integers: (9798 R + 19235 G + 3735 B + 16384) >> 15. float32: (9798 R + 19235 G + 3735 B) /
    32768.

    Examples
    --------
    >>> import numpy as np, cuesta
    >>> gray = cuesta.to_gray(np.full((8, 8, 3), (200, 100, 50), np.uint8))
    >>> int(gray[0, 0]), gray.shape
    (124, (8, 8))
    """
    if is_lazy(image):

        def chunk(block: Any, name: str) -> Any:
            return to_gray(block, order, layout=name, **options)

        lazy: A = by_chunks(chunk, image, layout, out=out)
        return lazy
    s = Source(image, layout, "image", options, packed=False)
    array, name, stream = s.array, s.layout_name(), s.stream_argument
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
    s = Source(array, name, "image", {"stream": stream})
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
    """Computes the absolute difference of two pictures, as cv2.absdiff.

    Parameters
    ----------
    a, b : array
        uint8, uint16 or float32, both of one shape and type.
    layout, out, page, band, strategy, parameters, threads, stream
        See `canny`.

    Returns
    -------
    array
        |a - b|, of the pictures' type, shape, library and device.

    Raises
    ------
    InvalidArgument, Unsupported, DeviceError
        See `canny`.
    """
    if is_lazy(a) or is_lazy(b):

        def chunk(block: Any, name: str, other: Any) -> Any:
            return absdiff(block, other, layout=name, **options)

        first, second = (a, b) if is_lazy(a) else (b, a)
        lazy: A = by_chunks(chunk, first, layout, out=out, what="a", others=(second,))
        return lazy
    s = Source(a, layout, "a", options)
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
    """Compares a picture with a limit: image > limit, as cv2.THRESH_BINARY.

    Parameters
    ----------
    image : array
        uint8, uint16 or float32, one channel.
    limit : float
        In the image's levels.
    layout, out, page, band, strategy, parameters, threads, stream
        See `canny`.

    Returns
    -------
    array
        uint8, 0 or 255, of the image's shape, library and device.

    Raises
    ------
    InvalidArgument, Unsupported, DeviceError
        See `canny`.
    """
    if is_lazy(image):

        def chunk(block: Any, name: str) -> Any:
            return threshold(block, limit, layout=name, **options)

        lazy: A = by_chunks(chunk, image, layout, out=out)
        return lazy
    s = Source(image, layout, "image", options, channels="one")
    r = Result(s, out, "uint8")
    level = number("limit", limit)
    _core.threshold(s.handle, r.handle, s.layout, level, options, s.stream)
    made: A = r.finish()
    return made


@described
def histogram(
    image: Any, *, layout: str | None = None, **options: Unpack[Execution]
) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """Counts the samples of one picture by their value.

    Parameters
    ----------
    image : array
        uint8 or uint16, one channel.
    layout, page, band, strategy, parameters, threads, stream
        See `canny`.

    Returns
    -------
    numpy array
        uint64 counts: 256 for uint8, 65,536 for uint16.

    Raises
    ------
    InvalidArgument, Unsupported, DeviceError
        See `canny`.
    """
    s = Source(image, layout, "image", options, channels="one")
    return _core.histogram(s.handle, s.layout, options, s.stream)[:, 0]


def otsu_threshold(bins: Any) -> int:
    """Finds Otsu's threshold of a histogram, as cv2.THRESH_OTSU.

    Parameters
    ----------
    bins : array
        Counts, of any number of bins, such as `histogram` returns.

    Returns
    -------
    int
        The foreground is image > threshold.

    Raises
    ------
    InvalidArgument
        `bins` is not one row of counts.

    Examples
    --------
    >>> import numpy as np, cuesta
    >>> picture = np.repeat(np.uint8([10, 200]), 50).reshape(10, 10)
    >>> limit = cuesta.otsu_threshold(cuesta.histogram(picture))
    >>> int((cuesta.threshold(picture, limit) > 0).sum())
    50
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
    cells = element_of(element)
    if is_lazy(image):

        def chunk(block: Any, name: str) -> Any:
            return _morphology(run, block, element, name, None, {**options})

        steps = 2 if run in (_core.open, _core.close) else 1
        lazy: A = by_chunks(
            chunk,
            image,
            layout,
            steps * cells.side,
            out=out,
            wraps=options.get("border") == "wrap",
        )
        return lazy
    s = Source(image, layout, "image", options, channels="one")
    r = Result(s, out, s.dtype)
    run(s.handle, r.handle, s.layout, cells, options, s.stream)
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
    """Erodes a picture: the minimum over a structuring element, as cv2.erode.

    Parameters
    ----------
    image : array
        uint8, uint16 or bool, one channel.
    element : str or array
        "disk:15" (Euclidean, 149 cells), "ellipse:15" (OpenCV's, 169 cells), "rect:5x3" (width ×
        height) or "cross:3". Or (height, width) cells, 1 to 255 a side, whose non-zero ones belong
        to the element. The anchor is (height // 2, width // 2). The element is not reflected.
    **options
    layout, out, page, band, strategy, parameters, threads, stream
        See `canny`. `out` may be the image itself.

    Returns
    -------
    array
        Of the image's type, shape, library and device.

    Raises
    ------
    InvalidArgument, Unsupported, DeviceError
        See `canny`.

    Examples
    --------
    >>> import numpy as np, cuesta
    >>> mask = np.zeros((7, 7), np.uint8)
    >>> mask[1:6, 1:6] = 255
    >>> int((cuesta.erode(mask, "rect:3") > 0).sum())
    9
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
    """Dilates a picture: the maximum over a structuring element, as cv2.dilate.

    Parameters
    ----------
    image, element
        See `erode`.
    **options
    layout, out, page, band, strategy, parameters, threads, stream
        See `canny`. `out` may be the image itself.

    Returns
    -------
    array
        As `erode` returns it.

    Raises
    ------
    InvalidArgument, Unsupported, DeviceError
        See `canny`.
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
    """Removes foreground that the structuring element does not fit into.

    This is an erosion, then a dilation with the reflected element.

    Parameters
    ----------
    image, element
        See `erode`.
    **options
    layout, out, page, band, strategy, parameters, threads, stream
        See `canny`. `out` may be the image itself.

    Returns
    -------
    array
        As `erode` returns it.

    Raises
    ------
    InvalidArgument, Unsupported, DeviceError
        See `canny`.
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
    """Fills background that the structuring element does not fit into.

    This is a dilation, then an erosion with the reflected element.

    Parameters
    ----------
    image, element
        See `erode`.
    **options
    layout, out, page, band, strategy, parameters, threads, stream
        See `canny`. `out` may be the image itself.

    Returns
    -------
    array
        As `erode` returns it.

    Raises
    ------
    InvalidArgument, Unsupported, DeviceError
        See `canny`.
    """
    return _morphology(_core.close, image, element, layout, out, {**options})


@dataclass(frozen=True, eq=False)
class Labels(Generic[A]):
    """Connected components, numbered from 1 by their first pixel in raster order."""

    labels: A
    """int32 of the mask's shape; 0 is background."""
    count: int
    """Number of components."""
    boxes: A
    """(count, 4) int32: x, y, width, height in pixels."""
    areas: A
    """(count,) int64, in pixels."""
    centroids: A
    """(count, 2) float64: x, y in pixels."""


@described
def label(
    mask: A,
    *,
    layout: str | None = None,
    out: A | None = None,
    **options: Unpack[LabelOptions],
) -> Labels[A]:
    """Labels the connected components of one mask, with boxes, areas and centroids.

    Parameters
    ----------
    mask : array
        (H, W) uint8 or bool; non-zero is foreground.
    **options
    out : array, optional
        int32 of the mask's shape; receives the labels.
    layout, page, band, strategy, parameters, threads, stream
        See `canny`.

    Returns
    -------
    Labels
        All arrays are of the mask's library and on its device.

    Raises
    ------
    InvalidArgument, Unsupported, DeviceError
        See `canny`.

    Notes
    -----
    On CUDA the call waits for the number of components. Source: paper 004, union-find by init,
    merge, compress.

    Examples
    --------
    >>> import numpy as np, cuesta
    >>> mask = np.zeros((8, 8), np.uint8)
    >>> mask[1:3, 1:4] = mask[5:7, 5:7] = 255
    >>> found = cuesta.label(mask)
    >>> found.count, found.boxes.tolist(), found.areas.tolist()
    (2, [[1, 1, 3, 2], [5, 5, 2, 2]], [6, 4])
    """
    s = Source(mask, layout, "mask", options, channels="one")
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

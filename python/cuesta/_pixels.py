"""Point operations: gray levels, differences, thresholds, histograms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from cuesta import _core
from cuesta._layouts import LAYOUTS
from cuesta._lazy import by_chunks, is_lazy
from cuesta._options import Execution, described, number
from cuesta._sources import Result, Source, companion
from cuesta.errors import InvalidArgument

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["absdiff", "histogram", "otsu_threshold", "threshold", "to_gray"]

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
    s = Source(image, layout, "image", options, channels="one").leveled()
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
    s = Source(image, layout, "image", options, channels="one", floats=False)
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

"""Linear filters and the median, for pictures of 1 to 4 channels.

Each channel is filtered by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from cuesta import _core
from cuesta._keywords import (
    BoxOptions,
    FilterOptions,
    GaussianOptions,
    MedianOptions,
    SharpenOptions,
)
from cuesta._lazy import by_chunks, gaussian_reach, is_lazy
from cuesta._options import OPTIONS, described, stencil_of
from cuesta._sources import Result, Source
from cuesta.errors import InvalidArgument

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["box", "convolve", "correlate", "gaussian", "laplacian", "median", "sharpen"]

A = TypeVar("A")


def _reach(run: Callable[..., None], options: dict[str, Any], more: tuple[Any, ...]) -> int:
    """Returns how many samples a filter's window reaches at most."""
    if run is _core.gaussian:
        return gaussian_reach(options.get("sigma"), options.get("ksize"))
    if more:  # correlate and convolve
        return int(more[0].side)
    struct = {
        _core.median: "MedianOptions",
        _core.box: "BoxOptions",
        _core.sharpen: "SharpenOptions",
    }
    if run not in struct:
        return 1
    side = OPTIONS[struct[run]].options[0]
    given = options.get(side.name)
    return int(side.default if given is None else given) // 2 + 1


def _filtered(
    run: Callable[..., None],
    image: A,
    layout: str | None,
    out: A | None,
    options: dict[str, Any],
    *more: Any,
    dtype: str | None = None,
) -> A:
    if is_lazy(image):

        def chunk(block: Any, name: str) -> Any:
            return _filtered(run, block, name, None, {**options}, *more, dtype=dtype)

        lazy: A = by_chunks(
            chunk,
            image,
            layout,
            _reach(run, options, more),
            out=out,
            border=options.get("border"),
        )
        return lazy
    s = Source(image, layout, "image", options)
    wanted = dtype or s.dtype
    if wanted not in (s.dtype, "int16", "float32"):
        raise InvalidArgument(
            f"dtype is {dtype!r}; it must be the image's ({s.dtype}), int16 or float32", repr(dtype)
        )
    s = s.widened()
    r = Result(s, out, wanted)
    run(s.handle, r.handle, s.layout, *more, options, s.stream)
    made: A = r.finish()
    return made


@described
def gaussian(
    image: A,
    sigma: float | None = None,
    *,
    layout: str | None = None,
    out: A | None = None,
    **options: Unpack[GaussianOptions],
) -> A:
    """Smooths a picture with a Gaussian.

    Parameters
    ----------
    image : array
        uint8, uint16, float16 or float32. float16 is computed in float32.
    **options
    layout, out, page, band, strategy, parameters, threads, stream
        See `canny`.

    Returns
    -------
    array
        Of the image's type, shape, library and device. On uint8 the bytes equal cv2.GaussianBlur's.

    Raises
    ------
    InvalidArgument, Unsupported, DeviceError
        See `canny`.

    Examples
    --------
    >>> import numpy as np, cuesta
    >>> picture = np.zeros((5, 5), np.uint8)
    >>> picture[2, 2] = 255
    >>> cuesta.gaussian(picture, ksize=3)[2].tolist()
    [0, 32, 64, 32, 0]
    """
    if sigma is None and options.get("ksize") is None:
        raise InvalidArgument("sigma and ksize are missing; give one or both", "None")
    return _filtered(_core.gaussian, image, layout, out, {"sigma": sigma, **options})


@described
def median(
    image: A,
    ksize: int | None = None,
    *,
    layout: str | None = None,
    out: A | None = None,
    **options: Unpack[MedianOptions],
) -> A:
    """Replaces each sample by the median of the window around it.

    Parameters
    ----------
    image : array
        uint8, uint16, float16 or float32. Floats are ordered by IEEE 754's totalOrder: -0 before
        +0, and NaNs at both ends by their sign.
    **options
    layout, out, page, band, strategy, parameters, threads, stream
        See `canny`.

    Returns
    -------
    array
        Of the image's type, shape, library and device. The bytes equal cv2.medianBlur's where it
        supports the image, unless floats have a NaN or -0.

    Raises
    ------
    InvalidArgument, Unsupported, DeviceError
        See `canny`.

    Examples
    --------
    >>> import numpy as np, cuesta
    >>> row = np.array([[1, 9, 2, 3, 8]], np.uint8)
    >>> cuesta.median(row, 3).tolist()
    [[1, 2, 3, 3, 8]]
    """
    return _filtered(_core.median, image, layout, out, {"ksize": ksize, **options})


@described
def correlate(
    image: A,
    stencil: Any,
    *,
    divisor: int | None = None,
    dtype: str | None = None,
    layout: str | None = None,
    out: A | None = None,
    **options: Unpack[FilterOptions],
) -> A:
    """Correlates a picture with any stencil, as cv2.filter2D and scipy.ndimage.correlate.

    Parameters
    ----------
    image : array
        uint8, uint16, float16 or float32.
    stencil : array or str
        (height, width), 1 to 255 each, whole numbers or floats; or text, "1 2 1; 2 4 2; 1 2 1 /
        16". The anchor is (height // 2, width // 2). For integer pictures, floats are first rounded
        to multiples of 2^-16.
    divisor : int, optional
        Divides the sum. For integer stencils on integer pictures the quotient is rounded half to
        even, then saturated.
    **options
    dtype : str, optional
        The result's type: the image's (default), "int16" or "float32".
    layout, out, page, band, strategy, parameters, threads, stream
        See `canny`.

    Returns
    -------
    array
        Of the image's shape, library and device.

    Raises
    ------
    InvalidArgument, Unsupported, DeviceError
        See `canny`.

    Notes
    -----
    The steps of papers 000, 002 and 003 are strategies on CUDA: `correlate(t, s,
    strategy="shared-constant")`.

    Examples
    --------
    >>> import numpy as np, cuesta
    >>> row = np.array([[0, 0, 4, 0, 0]], np.uint8)
    >>> cuesta.correlate(row, [[1, 2, 1]], divisor=4).tolist()
    [[0, 1, 2, 1, 0]]
    """
    taps = stencil_of(stencil, divisor)
    return _filtered(_core.correlate, image, layout, out, {**options}, taps, dtype=dtype)


@described
def convolve(
    image: A,
    stencil: Any,
    *,
    divisor: int | None = None,
    dtype: str | None = None,
    layout: str | None = None,
    out: A | None = None,
    **options: Unpack[FilterOptions],
) -> A:
    """Convolves a picture with any stencil.

    This is `correlate` with the stencil turned by 180 degrees (equation 3 of paper 000).

    Parameters
    ----------
    image, stencil, divisor, dtype
        See `correlate`.
    **options
    layout, out, page, band, strategy, parameters, threads, stream
        See `canny`.

    Returns
    -------
    array
        As `correlate` returns it.

    Raises
    ------
    InvalidArgument, Unsupported, DeviceError
        See `canny`.
    """
    taps = stencil_of(stencil, divisor)
    return _filtered(_core.convolve, image, layout, out, {**options}, taps, dtype=dtype)


@described
def box(
    image: A,
    n: int | None = None,
    *,
    layout: str | None = None,
    out: A | None = None,
    **options: Unpack[BoxOptions],
) -> A:
    """Computes the mean of n × n pixels, as cv2.blur.

    Parameters
    ----------
    image : array
        See `correlate`.
    **options
    layout, out, page, band, strategy, parameters, threads, stream
        See `canny`.

    Returns
    -------
    array
        Of the image's type, shape, library and device.

    Raises
    ------
    InvalidArgument, Unsupported, DeviceError
        See `canny`.
    """
    return _filtered(_core.box, image, layout, out, {"n": n, **options})


@described
def sharpen(
    image: A,
    n: int | None = None,
    *,
    layout: str | None = None,
    out: A | None = None,
    **options: Unpack[SharpenOptions],
) -> A:
    """Sharpens a picture: n² times each pixel minus the others of n × n pixels.

    The stencil is n × n times -1, with n² in its centre, so that its sum is 1.

    Parameters
    ----------
    image : array
        See `correlate`.
    **options
    layout, out, page, band, strategy, parameters, threads, stream
        See `canny`.

    Returns
    -------
    array
        Of the image's type, shape, library and device.

    Raises
    ------
    InvalidArgument, Unsupported, DeviceError
        See `canny`.

    Notes
    -----
    Source: paper 002.
    """
    return _filtered(_core.sharpen, image, layout, out, {"n": n, **options})


@described
def laplacian(
    image: A,
    *,
    dtype: str | None = None,
    layout: str | None = None,
    out: A | None = None,
    **options: Unpack[FilterOptions],
) -> A:
    """Computes the Laplacian with the stencil 0 1 0; 1 -4 1; 0 1 0, as cv2.Laplacian with ksize 1.

    Parameters
    ----------
    image, dtype
        See `correlate`.
    **options
    layout, out, page, band, strategy, parameters, threads, stream
        See `canny`.

    Returns
    -------
    array
        As `correlate` returns it.

    Raises
    ------
    InvalidArgument, Unsupported, DeviceError
        See `canny`.
    """
    return _filtered(_core.laplacian, image, layout, out, {**options}, dtype=dtype)

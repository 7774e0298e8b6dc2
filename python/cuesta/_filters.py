"""Linear filters and the median on pictures of 1 to 4 channels, each filtered by itself."""

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
from cuesta._options import described, stencil_of
from cuesta._sources import Result, Source
from cuesta.errors import InvalidArgument

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["box", "convolve", "correlate", "gaussian", "laplacian", "median", "sharpen"]

A = TypeVar("A")


def _filtered(
    run: Callable[..., None],
    image: A,
    layout: str | None,
    out: A | None,
    options: dict[str, Any],
    *more: Any,
    dtype: str | None = None,
) -> A:
    s = Source(image, layout, "image", options.pop("stream", None))
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
    """Gaussian smoothing.

    Parameters
    ----------
    image : array
        uint8, uint16, float16 or float32; float16 is computed in float32.
    **options
    layout, out, strategy, parameters, threads, stream
        As `canny` has them.

    Returns
    -------
    array
        Of the image's type, shape, kind and device. On uint8 equal to cv2.GaussianBlur, byte for byte.

    Raises
    ------
    InvalidArgument, Unsupported, DeviceError
        As `canny`.
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
    """The sample in the middle of each window's.

    Parameters
    ----------
    image : array
        uint8, uint16, float16 or float32. Floats are ordered as by IEEE 754's totalOrder: -0 before +0, NaNs at both
        ends by their sign.
    **options
    layout, out, strategy, parameters, threads, stream
        As `canny` has them.

    Returns
    -------
    array
        Of the image's type, shape, kind and device. Equal to cv2.medianBlur, byte for byte, wherever that takes the
        image and its floats have no NaN and no -0.

    Raises
    ------
    InvalidArgument, Unsupported, DeviceError
        As `canny`.
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
    """Correlation with any stencil (cv2.filter2D, scipy.ndimage.correlate).

    Parameters
    ----------
    image : array
        uint8, uint16, float16 or float32.
    stencil : array or str
        (height, width), 1 to 255 each, whole numbers or floats; or text, "1 2 1; 2 4 2; 1 2 1 / 16". The anchor is
        (height // 2, width // 2). Floats on integer pictures are first rounded to multiples of 2^-16.
    divisor : int, optional
        Divides the sum. Of integer stencils on integer pictures: round half to even of sum / divisor, then saturate.
    **options
    dtype : str, optional
        Of the result: the image's type (default), "int16" or "float32".
    layout, out, strategy, parameters, threads, stream
        As `canny` has them.

    Returns
    -------
    array
        Of the image's shape, kind and device.

    Raises
    ------
    InvalidArgument, Unsupported, DeviceError
        As `canny`.

    Notes
    -----
    The rows of papers 000, 002 and 003 are strategies on CUDA: `correlate(t, s, strategy="shared-constant")`.
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
    """Convolution: `correlate` with the stencil turned by 180 degrees (equation 3 of paper 000).

    Results and errors are `correlate`'s.

    Parameters
    ----------
    image, stencil, divisor, dtype
        As `correlate` has them.
    **options
    layout, out, strategy, parameters, threads, stream
        As `canny` has them.
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
    """The mean of n × n pixels (cv2.blur); results and errors are `correlate`'s.

    Parameters
    ----------
    image : array
        As `correlate` has it.
    **options
    layout, out, strategy, parameters, threads, stream
        As `canny` has them.
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
    """n² in the centre of n × n times -1 (paper 002; sum 1); results and errors are `correlate`'s.

    Parameters
    ----------
    image : array
        As `correlate` has it.
    **options
    layout, out, strategy, parameters, threads, stream
        As `canny` has them.
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
    """0 1 0; 1 -4 1; 0 1 0 (cv2.Laplacian with ksize 1); results and errors are `correlate`'s.

    Parameters
    ----------
    image, dtype
        As `correlate` has them.
    **options
    layout, out, strategy, parameters, threads, stream
        As `canny` has them.
    """
    return _filtered(_core.laplacian, image, layout, out, {**options}, dtype=dtype)

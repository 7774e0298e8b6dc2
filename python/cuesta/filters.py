"""Linear filters and the median on pictures of 1 to 4 channels, each filtered by itself."""

from __future__ import annotations

from typing import Any, TypeVar

from cuesta import _core
from cuesta._arrays import Result, Source
from cuesta._options import Parameters, border_mode, parameter_list, stencil_of
from cuesta.errors import InvalidArgument

__all__ = ["box", "convolve", "correlate", "gaussian", "laplacian", "median", "sharpen"]

A = TypeVar("A")


def gaussian(
    image: A,
    sigma: float | None = None,
    *,
    ksize: int | None = None,
    border: str = "reflect101",
    border_value: float = 0,
    layout: str | None = None,
    out: A | None = None,
    strategy: str | None = None,
    parameters: Parameters | None = None,
    threads: int | None = None,
    stream: Any = None,
) -> A:
    """Gaussian smoothing.

    Parameters
    ----------
    image : array
        uint8, uint16, float16 or float32; float16 is computed in float32.
    sigma : float, optional
        In pixels. Without it, 0.3 ((ksize - 1) / 2 - 1) + 0.8.
    ksize : int, optional
        Window, odd, 1 to 255. Without it, 5 for sigma 1.4, else round(6 sigma + 1) made odd. One of the two is needed.
    border, border_value, layout, out, strategy, parameters, threads, stream
        As `canny` has them; the border is "reflect101" unless told.

    Returns
    -------
    array
        Of the image's type, shape, kind and device. On uint8 equal to cv2.GaussianBlur, byte for byte.

    Raises
    ------
    InvalidArgument, Unsupported, DeviceError
        As `canny`.
    """
    if sigma is None and ksize is None:
        raise InvalidArgument("sigma and ksize are missing; give one or both", "None")
    s = Source(image, layout, "image", stream)
    dtype = s.dtype
    s = s.widened()
    r = Result(s, out, dtype)
    _core.gaussian(
        s.handle, r.handle, s.layout, ksize or 0, sigma or 0.0, border_mode(border), border_value, strategy,
        parameter_list(parameters), threads or 0, s.stream,
    )  # fmt: skip
    made: A = r.finish()
    return made


def median(
    image: A,
    ksize: int = 3,
    *,
    border: str = "replicate",
    border_value: float = 0,
    layout: str | None = None,
    out: A | None = None,
    strategy: str | None = None,
    parameters: Parameters | None = None,
    threads: int | None = None,
    stream: Any = None,
) -> A:
    """The sample in the middle of each window's.

    Parameters
    ----------
    image : array
        uint8, uint16, float16 or float32. Floats are ordered as by IEEE 754's totalOrder: -0 before +0, NaNs at both
        ends by their sign.
    ksize : int
        Side of the window: odd, 1 to 255; of floats 1, 3 or 5.
    border, border_value, layout, out, strategy, parameters, threads, stream
        As `canny` has them; the border is "replicate" unless told.

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
    s = Source(image, layout, "image", stream)
    dtype = s.dtype
    s = s.widened()
    r = Result(s, out, dtype)
    _core.median(
        s.handle, r.handle, s.layout, ksize, border_mode(border), border_value, strategy, parameter_list(parameters),
        threads or 0, s.stream,
    )  # fmt: skip
    made: A = r.finish()
    return made


def _linear(
    image: A,
    stencil: _core.Stencil,
    turned: bool,
    absolute: bool,
    offset: int,
    dtype: str | None,
    border: str,
    border_value: float,
    layout: str | None,
    out: A | None,
    strategy: str | None,
    parameters: Parameters | None,
    threads: int | None,
    stream: Any,
) -> A:
    s = Source(image, layout, "image", stream)
    wanted = dtype or s.dtype
    if wanted not in (s.dtype, "int16", "float32"):
        raise InvalidArgument(f"dtype is {dtype!r}; it is the image's ({s.dtype}), int16 or float32", repr(dtype))
    s = s.widened()
    r = Result(s, out, wanted)
    _core.linear(
        s.handle, r.handle, s.layout, stencil, turned, absolute, offset, border_mode(border), border_value, strategy,
        parameter_list(parameters), threads or 0, s.stream,
    )  # fmt: skip
    made: A = r.finish()
    return made


def correlate(
    image: A,
    stencil: Any,
    *,
    divisor: int | None = None,
    absolute: bool = False,
    offset: int = 0,
    dtype: str | None = None,
    border: str = "reflect101",
    border_value: float = 0,
    layout: str | None = None,
    out: A | None = None,
    strategy: str | None = None,
    parameters: Parameters | None = None,
    threads: int | None = None,
    stream: Any = None,
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
    absolute : bool
        Take |result| before the offset.
    offset : int
        Added after rounding, before saturation.
    dtype : str, optional
        Of the result: the image's type (default), "int16" or "float32".
    border, border_value, layout, out, strategy, parameters, threads, stream
        As `canny` has them; the border is "reflect101" unless told.

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
    return _linear(
        image, stencil_of(stencil, divisor), False, absolute, offset, dtype, border, border_value, layout, out,
        strategy, parameters, threads, stream,
    )  # fmt: skip


def convolve(
    image: A,
    stencil: Any,
    *,
    divisor: int | None = None,
    absolute: bool = False,
    offset: int = 0,
    dtype: str | None = None,
    border: str = "reflect101",
    border_value: float = 0,
    layout: str | None = None,
    out: A | None = None,
    strategy: str | None = None,
    parameters: Parameters | None = None,
    threads: int | None = None,
    stream: Any = None,
) -> A:
    """Convolution: `correlate` with the stencil turned by 180 degrees (equation 3 of paper 000).

    Parameters, results and errors are `correlate`'s.
    """
    return _linear(
        image, stencil_of(stencil, divisor), True, absolute, offset, dtype, border, border_value, layout, out,
        strategy, parameters, threads, stream,
    )  # fmt: skip


def box(
    image: A,
    n: int = 3,
    *,
    border: str = "reflect101",
    border_value: float = 0,
    layout: str | None = None,
    out: A | None = None,
    strategy: str | None = None,
    parameters: Parameters | None = None,
    threads: int | None = None,
    stream: Any = None,
) -> A:
    """The mean of n × n pixels (cv2.blur); parameters, results and errors are `correlate`'s."""
    return _linear(
        image, _core.Stencil.average(n), False, False, 0, None, border, border_value, layout, out, strategy,
        parameters, threads, stream,
    )  # fmt: skip


def sharpen(
    image: A,
    n: int = 3,
    *,
    border: str = "reflect101",
    border_value: float = 0,
    layout: str | None = None,
    out: A | None = None,
    strategy: str | None = None,
    parameters: Parameters | None = None,
    threads: int | None = None,
    stream: Any = None,
) -> A:
    """n² in the centre of n × n times -1 (paper 002; sum 1), n odd; parameters, results and errors are `correlate`'s."""
    return _linear(
        image, _core.Stencil.sharpen(n), False, False, 0, None, border, border_value, layout, out, strategy,
        parameters, threads, stream,
    )  # fmt: skip


def laplacian(
    image: A,
    *,
    absolute: bool = False,
    offset: int = 0,
    dtype: str | None = None,
    border: str = "reflect101",
    border_value: float = 0,
    layout: str | None = None,
    out: A | None = None,
    strategy: str | None = None,
    parameters: Parameters | None = None,
    threads: int | None = None,
    stream: Any = None,
) -> A:
    """0 1 0; 1 -4 1; 0 1 0 (cv2.Laplacian with ksize 1); parameters, results and errors are `correlate`'s."""
    return _linear(
        image, _core.Stencil.laplacian(), False, absolute, offset, dtype, border, border_value, layout, out, strategy,
        parameters, threads, stream,
    )  # fmt: skip

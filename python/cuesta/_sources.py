"""Sources and results of operations: arrays, paths and PIL pictures."""

from __future__ import annotations

import os
import sys
from typing import Any, Literal

import numpy as np

from cuesta._device_arrays import DeviceArray, of_interface
from cuesta._kinds import DTYPES, dtype_error, kind_of, known_kind, native, where
from cuesta._layouts import (
    INTERLEAVED,
    LAYOUT_WITHOUT_CHANNELS,
    NAMES,
    layout_of,
    pixels_adjoin,
    samples_overlap,
)
from cuesta._options import has_ends
from cuesta._reading import gray_levels, read_picture
from cuesta.errors import InvalidArgument, Unsupported

#: The channels that an operation supports.
Channels = Literal["any", "colors", "one"]


def opened(
    array: Any,
    what: str,
    *,
    gray: bool,
    floats: bool = True,
    page: int | None = None,
    band: int | None = None,
    raw: bool = False,
) -> tuple[Any, str | None]:
    """Returns a source as an array, and its layout where that is known.

    Files and PIL pictures become numpy arrays, gray ones with `gray`, files with `raw` of the
    numbers that they hold. Bare producers of DLPack or the CUDA array interface become arrays.
    """
    if isinstance(array, (str, os.PathLike)):
        read = read_picture(array, gray=gray, page=page, band=band, raw=raw)
        return read, "HW" if read.ndim == 2 else "HWC"
    if isinstance(array, np.ma.MaskedArray):
        return _of_masked(array, what, floats), None
    pil = sys.modules.get("PIL.Image")
    if pil is not None and isinstance(array, pil.Image):
        return _of_pil(array, gray)
    if hasattr(array, "shape") and hasattr(array, "dtype") and hasattr(array, "__dlpack__"):
        return array, None
    if hasattr(array, "__dlpack__") and hasattr(array, "__dlpack_device__"):
        on_gpu = int(array.__dlpack_device__()[0]) in (2, 13)
        return (DeviceArray(array) if on_gpu else np.from_dlpack(array)), None
    if isinstance(interface := getattr(array, "__cuda_array_interface__", None), dict):
        return of_interface(array, interface, what), None
    return _of_host(array, what), None


def refuse_parts(array: Any, what: str, page: int | None, band: int | None) -> None:
    """Raises InvalidArgument for a page or band of what is no file."""
    for name, value in (("page", page), ("band", band)):
        if value is not None and not isinstance(array, (str, os.PathLike)):
            raise InvalidArgument(
                f"{name} is {value!r} and {what} is an array; {name} is for picture files",
                str(value),
            )


def _of_host(array: Any, what: str) -> Any:
    """Returns an array of what offers `__array_interface__`, `__array__` or a buffer.

    Other things are returned as they are. Lazy arrays raise TypeError where the result cannot be
    lazy (`cuesta._lazy`): to compute one whole is a surprise.
    """
    graph = getattr(array, "__dask_graph__", None)
    if graph is not None and graph() is not None:  # None: an xarray object in memory
        raise TypeError(f"{what} is lazy, a {type(array).__name__} of dask; pass its compute()")
    if isinstance(array, (bytes, bytearray)):
        raise TypeError(
            f"{what} is {type(array).__name__} without a shape; use cuesta.imread for a picture file, "
            "numpy.frombuffer for samples"
        )
    if hasattr(array, "__array_interface__") or hasattr(array, "__array__"):
        return np.asarray(array)
    return np.asarray(array) if isinstance(array, memoryview) else array


def _of_masked(array: Any, what: str, floats: bool) -> Any:
    """Returns the samples of a masked array.

    Masked samples of a mask are background. Masked numbers become NaN in float32, which is no edge
    and does not count for thresholds.
    """
    if not np.ma.is_masked(array):
        return array.data
    if array.dtype == bool or what.endswith("mask"):
        return array.filled(0)
    if not floats:
        raise InvalidArgument(
            f"{what} has masked samples, which this does not support; pass {what}.filled(0)",
            "masked",
        )
    return array.astype(np.float32).filled(np.nan)


def _of_pil(picture: Any, gray: bool) -> tuple[Any, str]:
    mode = picture.mode
    if mode == "1":
        picture = picture.convert("L")
    elif mode in ("La", "RGBa"):  # colors times alpha
        picture = picture.convert("LA" if mode == "La" else "RGBA")
    elif mode == "P":
        picture = picture.convert("RGBA" if "transparency" in picture.info else "RGB")
    elif mode not in ("L", "LA", "I", "F", "RGB", "RGBA") and not mode.startswith("I;16"):
        picture = picture.convert("RGB")
    values = native(np.asarray(picture))
    if values.dtype == np.int32:  # numbers, as those of a file
        values = values.astype(np.float32)
    if gray:
        values = gray_levels(values)
    return values, "HW" if values.ndim == 2 else "HWC"


class Source:
    """One picture or several, as an operation reads them."""

    __slots__ = (
        "array",
        "device",
        "dtype",
        "given",
        "handle",
        "kind",
        "layout",
        "shape",
        "stream",
        "stream_argument",
    )

    def __init__(
        self,
        array: Any,
        layout: str | None = None,
        what: str = "image",
        options: Any = None,
        *,
        channels: Channels = "any",
        packed: bool = True,
        floats: bool = True,
    ) -> None:
        """Opens a source. `packed` copies pixels that are not adjacent, once.

        `floats`: whether the operation supports float32.

        `options` are those of `Execution`. The stream, page and band are taken out of them.
        `channels` is what the operation supports, for arrays, files and PIL pictures alike:

        - "any": each channel is processed by itself.
        - "colors": one channel, or three. Alpha is ignored.
        - "one": one channel. Files and PIL pictures give their gray levels. Arrays of colors raise
          an error that names `to_gray`.
        """
        stream = page = band = None
        raw = False
        if options:
            raw = has_ends(options)
            stream = options.pop("stream", None)
            page, band = options.pop("page", None), options.pop("band", None)
            if page is not None or band is not None:
                refuse_parts(array, what, page, band)
        kind = known_kind(array)
        if kind is None:
            array, known = opened(
                array, what, gray=channels == "one", floats=floats, page=page, band=band, raw=raw
            )
            layout = known if layout is None else layout
            kind = kind_of(array, what)
        self.given = array
        self.kind = kind
        self.dtype = dtype = kind.dtype(array)
        if dtype not in DTYPES:
            array = native(array)
            self.dtype = dtype = kind.dtype(array)
            if dtype not in DTYPES:
                raise dtype_error(what, dtype, floats=floats)
        if dtype == "float16" and not floats:
            raise dtype_error(what, dtype, floats=floats)
        self.shape = shape = tuple(array.shape)
        self.layout = (
            0 if layout is None and len(shape) == 2 else layout_of(shape, layout, kind, what)
        )
        if channels != "any" and self.layout in INTERLEAVED and shape[-1] > 1:
            if channels == "one":
                raise InvalidArgument(
                    f"{what} has {shape[-1]} channels, and this takes one; cuesta.to_gray makes gray levels of them",
                    str(shape[-1]),
                )
            if shape[-1] in (2, 4):
                if shape[-1] == 2:
                    self.layout = LAYOUT_WITHOUT_CHANNELS[self.layout]
                with kind.on(array, stream):
                    array = kind.without_alpha(array)
                self.shape = shape = tuple(array.shape)
        self.device = device = kind.device(array)
        self.stream = kind.stream(array, stream, device)
        self.stream_argument = stream
        if packed and not kind.contiguous(array) and not pixels_adjoin(kind, array, self.layout):
            with kind.on(array, stream):
                array = kind.pack(array)
        self.array = array
        self.handle = kind.handle(array, dtype)

    def leveled(self) -> Source:
        """Returns bool as uint8, where True is white as in a file, and float16 as float32."""
        return self._as("uint8", 255) if self.dtype == "bool" else self.widened()

    def widened(self) -> Source:
        """Returns float16 as float32, the type in which it is computed."""
        return self._as("float32") if self.dtype == "float16" else self

    def _as(self, dtype: str, factor: int = 1) -> Source:
        with self.kind.on(self.array, self.stream_argument):
            self.array = self.kind.cast(self.array, dtype)
            self.array = self.array if factor == 1 else self.kind.cast(self.array * factor, dtype)
        self.handle, self.dtype = self.kind.handle(self.array, dtype), dtype
        return self

    def layout_name(self) -> str:
        """Returns the name of the layout, such as "HWC"."""
        return NAMES[self.layout]

    def without_colors(self) -> tuple[tuple[int, ...], int]:
        """Returns shape and layout of a result with one channel where the source has three."""
        if self.layout in INTERLEAVED and self.shape[-1] == 3:
            return self.shape[:-1], LAYOUT_WITHOUT_CHANNELS[self.layout]
        return self.shape, self.layout


def companion(
    array: Any,
    s: Source,
    what: str,
    shape: tuple[int, ...] | None = None,
    layout: int | None = None,
    *,
    gray: bool = True,
) -> Any:
    """Returns the handle of a second input.

    It must have the first one's library and device, and its shape and layout unless others are
    given. With `gray`, files and PIL pictures give their gray levels.
    """
    shape = s.shape if shape is None else shape
    layout = s.layout if layout is None else layout
    array, _ = opened(array, what, gray=gray)
    kind = kind_of(array, what)
    array = native(array)
    if kind is not s.kind or kind.device(array) != s.device:
        raise InvalidArgument(
            f"{what} is {where(kind, array)} and image is {where(s.kind, s.given)}; they must be alike",
            where(kind, array),
        )
    if tuple(array.shape) != shape:
        of_image = (
            f"image {s.shape}; they must be equal"
            if shape == s.shape
            else f"image {s.shape}; it must be {shape}"
        )
        raise InvalidArgument(
            f"{what} has shape {tuple(array.shape)} and {of_image}", str(tuple(array.shape))
        )
    if not pixels_adjoin(kind, array, layout):
        with kind.on(array, s.stream_argument):
            array = kind.pack(array)
    return kind.handle(array, kind.dtype(array))


class Result:
    """The destination of an operation: the caller's `out`, or a new array like the source."""

    __slots__ = ("_cast", "_source", "_target", "array", "handle")

    def __init__(
        self,
        s: Source,
        out: Any,
        dtype: str,
        shape: tuple[int, ...] | None = None,
        what: str = "out",
    ) -> None:
        if shape is None:
            shape = s.shape
        self._source = s
        self._cast = ""
        self._target = None
        if out is None:
            if dtype == "float16":
                self._cast, dtype = dtype, "float32"
            self.array = s.kind.empty(shape, dtype, s.given, s.stream_argument)
        else:
            if dtype == "float16":
                raise Unsupported(
                    f"{what}: float16 results are converted from float32; leave {what} away",
                    "float16",
                )
            kind = kind_of(out, what)
            if kind is not s.kind or kind.device(out) != s.device:
                raise InvalidArgument(
                    f"{what} is {where(kind, out)} and image is {where(s.kind, s.given)}; they must be alike",
                    where(kind, out),
                )
            found = kind.dtype(out)
            if tuple(out.shape) != shape or (
                found != dtype and (found, dtype) != ("bool", "uint8")
            ):
                raise InvalidArgument(
                    f"{what} has shape {tuple(out.shape)} and dtype {found}; it must have {shape} and {dtype}",
                    f"{tuple(out.shape)} {found}",
                )
            if not kind.writable(out):
                raise InvalidArgument(
                    f"{what} is read-only; give an array that may be written to", "read-only"
                )
            strides = None if kind.contiguous(out) else kind.strides(out)
            if strides is not None and samples_overlap(shape, strides):
                raise InvalidArgument(
                    f"{what} has samples that overlap, by strides of {tuple(strides)} samples; "
                    "give an array whose samples are apart",
                    str(tuple(strides)),
                )
            self.array = out
            dtype = found
            layout = (
                s.layout if shape == s.shape else LAYOUT_WITHOUT_CHANNELS.get(s.layout, s.layout)
            )
            if not kind.contiguous(out) and not pixels_adjoin(kind, out, layout):
                self._target = out
                self.array = kind.empty(shape, dtype, s.given, s.stream_argument)
        self.handle = s.kind.handle(self.array, dtype)

    def finish(self) -> Any:
        """Returns the array, in the source's library and type."""
        kind = self._source.kind
        if self._target is not None:
            with kind.on(self._target, self._source.stream_argument):
                kind.assign(self._target, self.array)
            return self._target
        if self._cast:
            return kind.cast(kind.finish(self.array, self._source.given), self._cast)
        return kind.finish(self.array, self._source.given)

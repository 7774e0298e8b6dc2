"""Arrays of any library as pictures: kinds, layouts, streams, results.

A *kind* knows one array library: what its arrays look like, how to hand them to the extension without a copy, and
how to make a result like them. `Source`, `Result` and `companion` are all that the operations use.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from typing import Any, NoReturn, Protocol, TypeVar

import numpy as np

from cuesta import _core
from cuesta.errors import InvalidArgument, Unsupported

A = TypeVar("A")

LAYOUTS = {"HW": 0, "HWC": 1, "CHW": 2, "NHW": 3, "NHWC": 4, "NCHW": 5}
_NAMES = tuple(LAYOUTS)
_DIMENSIONS = {"HW": 2, "HWC": 3, "CHW": 3, "NHW": 3, "NHWC": 4, "NCHW": 4}
DTYPES = frozenset({"uint8", "bool", "uint16", "int16", "int32", "float16", "float32"})


class Kind(Protocol):
    """One array library."""

    name: str
    #: Whether pictures with channels are customarily channel-first, so that the last dimension says nothing.
    channel_first: bool

    def dtype(self, array: Any) -> str: ...
    def handle(self, array: Any, dtype: str) -> Any:
        """What the extension takes for an array of that type, without a copy."""

    def device(self, array: Any) -> int:
        """The CUDA device's index; -1 for the CPU."""

    def stream(self, array: Any, stream: Any, device: int) -> int:
        """The pointer of the caller's stream, or of the library's current one on that device; 0 on the CPU."""

    def on(self, array: Any, stream: Any) -> AbstractContextManager[Any]:
        """What the library itself does inside is enqueued on the caller's stream."""

    def contiguous(self, array: Any) -> bool: ...
    def strides(self, array: Any) -> Sequence[int] | None:
        """In samples; None where the library does not say, or they are no whole number of samples."""

    def pack(self, array: Any) -> Any:
        """A contiguous copy."""

    def assign(self, target: Any, values: Any) -> None: ...
    def empty(self, shape: tuple[int, ...], dtype: str, like: Any, stream: Any) -> Any: ...
    def writable(self, array: Any) -> bool: ...
    def cast(self, array: Any, dtype: str) -> Any: ...
    def to_interleaved(self, array: Any, axis: int) -> Any: ...
    def from_numpy(self, values: np.ndarray[Any, Any], like: Any) -> Any: ...
    def finish(self, result: Any, like: Any) -> Any: ...


class _Numpy:
    name = "numpy"
    channel_first = False
    _dtypes = {np.dtype(name): name for name in DTYPES}

    def dtype(self, array: Any) -> str:
        return self._dtypes.get(array.dtype) or str(array.dtype)

    def handle(self, array: Any, dtype: str) -> Any:
        return array.view(np.uint8) if dtype == "bool" else array

    def device(self, array: Any) -> int:
        return -1

    def stream(self, array: Any, stream: Any, device: int) -> int:
        return 0 if stream is None else _no_stream(stream)

    def on(self, array: Any, stream: Any) -> AbstractContextManager[Any]:
        return nullcontext()

    def contiguous(self, array: Any) -> bool:
        flags = array.flags
        return bool(flags.c_contiguous and flags.aligned)

    def strides(self, array: Any) -> Sequence[int] | None:
        size = array.itemsize
        if not array.flags.aligned or any(stride % size for stride in array.strides):
            return None
        return [stride // size for stride in array.strides]

    def pack(self, array: Any) -> Any:
        return array.copy("C")

    def assign(self, target: Any, values: Any) -> None:
        target[...] = values

    def empty(self, shape: tuple[int, ...], dtype: str, like: Any, stream: Any) -> Any:
        return np.empty(shape, dtype)

    def writable(self, array: Any) -> bool:
        return bool(array.flags.writeable)

    def cast(self, array: Any, dtype: str) -> Any:
        return array.astype(dtype)

    def to_interleaved(self, array: Any, axis: int) -> Any:
        return np.ascontiguousarray(np.moveaxis(array, axis, -1))

    def from_numpy(self, values: np.ndarray[Any, Any], like: Any) -> Any:
        return values

    def finish(self, result: Any, like: Any) -> Any:
        return result


class _Torch:
    name = "torch"
    channel_first = True

    def __init__(self) -> None:
        import torch

        self._torch = torch
        dlpack: Any = torch.utils.dlpack  # its stub does not export what its page documents
        self._to_dlpack: Callable[[Any], Any] = dlpack.to_dlpack
        self._names = {
            getattr(torch, name): name for name in DTYPES if hasattr(torch, name)
        }  # torch < 2.3 has no uint16
        self._types = {name: dtype for dtype, name in self._names.items()}
        # current_stream() makes an object, which costs more than the call it is for.
        self._raw_stream: Callable[[int], int] = getattr(
            torch._C, "_cuda_getCurrentRawStream", lambda device: torch.cuda.current_stream(device).cuda_stream
        )

    def dtype(self, array: Any) -> str:
        return self._names.get(array.dtype) or str(array.dtype).removeprefix("torch.")

    def handle(self, array: Any, dtype: str) -> Any:
        # No gradient flows through these operations; the tensor itself is left as it is.
        return self._to_dlpack(array.detach() if array.requires_grad else array)

    def device(self, array: Any) -> int:
        if array.is_cuda:
            device: int = array.get_device()
            return device
        if not array.is_cpu:
            raise InvalidArgument(
                f"image is on device {array.device}; it must be on the CPU or on a CUDA device",
                str(array.device),
            )
        return -1

    def stream(self, array: Any, stream: Any, device: int) -> int:
        if device < 0:
            return 0 if stream is None else _no_stream(stream)
        return self._raw_stream(device) if stream is None else int(getattr(stream, "cuda_stream", stream))

    def on(self, array: Any, stream: Any) -> AbstractContextManager[Any]:
        if stream is None or not array.is_cuda:
            return nullcontext()
        cuda: Any = self._torch.cuda
        given = stream if hasattr(stream, "cuda_stream") else cuda.ExternalStream(int(stream), device=array.device)
        made: AbstractContextManager[Any] = cuda.stream(given)
        return made

    def contiguous(self, array: Any) -> bool:
        return bool(array.is_contiguous())

    def strides(self, array: Any) -> Sequence[int] | None:
        made: Sequence[int] = array.stride()
        return made

    def pack(self, array: Any) -> Any:
        return array.contiguous()

    def assign(self, target: Any, values: Any) -> None:
        target.copy_(values)

    def empty(self, shape: tuple[int, ...], dtype: str, like: Any, stream: Any) -> Any:
        torch = self._torch
        if type(like) is torch.Tensor and like.shape == shape:  # half of the time
            made = torch.empty_like(like, dtype=self._types[dtype], memory_format=torch.contiguous_format)
        else:
            made = torch.empty(shape, dtype=self._types[dtype], device=like.device)
        if stream is not None and hasattr(stream, "cuda_stream"):
            # The allocator must not hand the memory out again before this stream has used it.
            made.record_stream(stream)
        return made

    def writable(self, array: Any) -> bool:
        return True

    def cast(self, array: Any, dtype: str) -> Any:
        return array.to(self._types[dtype])

    def to_interleaved(self, array: Any, axis: int) -> Any:
        return array.movedim(axis, -1).contiguous()

    def from_numpy(self, values: np.ndarray[Any, Any], like: Any) -> Any:
        return self._torch.from_numpy(values).to(like.device)

    def finish(self, result: Any, like: Any) -> Any:
        return result


class _Cupy:
    name = "cupy"
    channel_first = False

    def __init__(self) -> None:
        import cupy

        self._cupy = cupy

    def dtype(self, array: Any) -> str:
        return _NUMPY.dtype(array)  # its dtypes are numpy's

    def handle(self, array: Any, dtype: str) -> Any:
        viewed = array.view(self._cupy.uint8) if dtype == "bool" else array
        return viewed.__dlpack__(stream=-1)  # this call is on the caller's stream already

    def device(self, array: Any) -> int:
        return int(array.device.id)

    def stream(self, array: Any, stream: Any, device: int) -> int:
        if stream is None:
            if device == self._cupy.cuda.runtime.getDevice():
                return int(self._cupy.cuda.get_current_stream().ptr)
            with array.device:
                stream = self._cupy.cuda.get_current_stream()
        return int(getattr(stream, "ptr", stream))

    def on(self, array: Any, stream: Any) -> AbstractContextManager[Any]:
        stack = ExitStack()
        stack.enter_context(array.device)
        if stream is not None:
            cuda = self._cupy.cuda
            stack.enter_context(stream if hasattr(stream, "ptr") else cuda.ExternalStream(int(stream)))
        return stack

    def contiguous(self, array: Any) -> bool:
        return bool(array.flags.c_contiguous)

    def strides(self, array: Any) -> Sequence[int] | None:
        size = array.itemsize
        return None if any(stride % size for stride in array.strides) else [s // size for s in array.strides]

    def pack(self, array: Any) -> Any:
        return self._cupy.ascontiguousarray(array)

    def assign(self, target: Any, values: Any) -> None:
        target[...] = values

    def empty(self, shape: tuple[int, ...], dtype: str, like: Any, stream: Any) -> Any:
        if stream is None and self._cupy.cuda.runtime.getDevice() == like.device.id:
            return self._cupy.empty(shape, dtype)
        with like.device:
            if hasattr(stream, "ptr"):
                with stream:
                    return self._cupy.empty(shape, dtype)
            return self._cupy.empty(shape, dtype)

    def writable(self, array: Any) -> bool:
        return True

    def cast(self, array: Any, dtype: str) -> Any:
        return array.astype(dtype)

    def to_interleaved(self, array: Any, axis: int) -> Any:
        return self._cupy.ascontiguousarray(self._cupy.moveaxis(array, axis, -1))

    def from_numpy(self, values: np.ndarray[Any, Any], like: Any) -> Any:
        with like.device:
            return self._cupy.asarray(values)

    def finish(self, result: Any, like: Any) -> Any:
        return result


class DeviceArray:
    """Memory on a CUDA device that no array library stands for: DLPack and the CUDA array interface are all it has, and
    all that torch, cupy, numba and JAX need to read it.

    Bare producers become one to be read, and their results are one; `to_device` makes one of an array in host memory.
    """

    def __init__(self, producer: Any, stream: int = 0, owner: Any = None) -> None:
        self._producer = producer
        self._owner = owner
        self.stream = stream
        """Whose memory it is enqueues here; a call without a stream does too."""
        self.shape, self.strides, self.dtype, self._pointer = _core.facts(producer)

    def __dlpack__(self, **keywords: Any) -> Any:
        # What is enqueued has been waited for when the array was handed out.
        return self._producer.__dlpack__(**keywords)

    def __dlpack_device__(self) -> tuple[int, int]:
        kind, index = self._producer.__dlpack_device__()
        return int(kind), int(index)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        dtype = np.dtype(self.dtype)
        return {
            "shape": self.shape,
            "typestr": dtype.str,
            "data": (self._pointer, False),
            "strides": tuple(stride * dtype.itemsize for stride in self.strides),
            "stream": self.stream or None,  # None: nothing to wait for; 0 is not allowed
            "version": 3,
        }


def to_device(array: Any, device: int = 0) -> DeviceArray:
    """A copy of an array on a CUDA device, for machines without torch or cupy: the functions of this package take it, and
    give such arrays.

    Parameters
    ----------
    array : numpy array
        uint8, bool, uint16, int16, int32 or float32, of any shape and strides.
    device : int
        Its index in `devices()`.

    Returns
    -------
    DeviceArray
        Contiguous, with shape, dtype (a text), DLPack and the CUDA array interface. `to_host` brings it back.

    Raises
    ------
    InvalidArgument
        For an empty array, or another dtype.
    DeviceError
        Where there is no such GPU.

    Examples
    --------
    >>> import cuesta
    >>> def edges(image):
    ...     return cuesta.to_host(cuesta.canny(cuesta.to_device(image)))
    """
    if not isinstance(array, np.ndarray):
        raise TypeError(f"array is {type(array).__name__}; it must be a numpy array")
    dtype = _NUMPY.dtype(array)
    if dtype not in DTYPES or dtype == "float16":  # of which no operation takes one without a library that converts it
        raise InvalidArgument(
            f"array has dtype {dtype}; to_device takes uint8, bool, uint16, int16, int32 and float32 (convert with astype)",
            dtype,
        )
    if not array.size:
        raise InvalidArgument(f"array has shape {array.shape}; it must hold samples", str(array.shape))
    made = _core.device_array(list(array.shape), dtype, device)
    _core.copy_to_device(_NUMPY.handle(np.ascontiguousarray(array), dtype), made)
    return DeviceArray(made)


def to_host(array: DeviceArray) -> np.ndarray[Any, Any]:
    """A copy of a `DeviceArray` in host memory, when what is enqueued on its stream is done.

    Parameters
    ----------
    array : DeviceArray
        Contiguous, as `to_device` and the functions of this package make them.

    Returns
    -------
    numpy array
        Of its shape and dtype.

    Raises
    ------
    InvalidArgument
        For an array that is not contiguous.
    DeviceError
        Also for a fault in what was enqueued before.
    """
    if not isinstance(array, DeviceArray):
        raise TypeError(f"array is {type(array).__name__}; it must be a DeviceArray (other libraries copy their own arrays)")
    made = np.empty(array.shape, array.dtype)
    if array.strides != tuple(stride // made.itemsize for stride in made.strides):
        raise InvalidArgument(f"array has strides {array.strides}; to_host takes contiguous arrays", str(array.strides))
    _core.copy_to_host(array._producer, _NUMPY.handle(made, array.dtype), array.stream)
    return made


class _Dlpack:
    """Any other library that speaks DLPack and the array API; results go back through its from_dlpack."""

    name = "DLPack"
    channel_first = True

    def dtype(self, array: Any) -> str:
        return str(array.dtype).rpartition(".")[2]

    def handle(self, array: Any, dtype: str) -> Any:
        # Its stream is not known here, so the producer is asked to have the data ready on the default one.
        return array.__dlpack__(stream=1) if self.device(array) >= 0 else array

    def device(self, array: Any) -> int:
        kind, index = array.__dlpack_device__()
        return int(index) if int(kind) in (2, 13) else -1

    def stream(self, array: Any, stream: Any, device: int) -> int:
        if stream is None:
            return 0
        return _no_stream(stream) if device < 0 else int(stream)

    def on(self, array: Any, stream: Any) -> AbstractContextManager[Any]:
        return nullcontext()

    def contiguous(self, array: Any) -> bool:
        return True  # as far as it says; the extension sees the strides

    def strides(self, array: Any) -> Sequence[int] | None:
        return None

    def pack(self, array: Any) -> Any:
        raise NotImplementedError  # nothing here says that it is not contiguous

    def assign(self, target: Any, values: Any) -> None:
        raise NotImplementedError

    def empty(self, shape: tuple[int, ...], dtype: str, like: Any, stream: Any) -> Any:
        device = self.device(like)
        return np.empty(shape, dtype) if device < 0 else _core.device_array(shape, dtype, device)

    def writable(self, array: Any) -> bool:
        return isinstance(array, np.ndarray)

    def cast(self, array: Any, dtype: str) -> Any:
        return array.astype(dtype)

    def to_interleaved(self, array: Any, axis: int) -> Any:
        space = array.__array_namespace__()
        return space.asarray(space.moveaxis(array, axis, -1), copy=True)

    def from_numpy(self, values: np.ndarray[Any, Any], like: Any) -> Any:
        return like.__array_namespace__().asarray(values)

    def finish(self, result: Any, like: Any) -> Any:
        if self.device(like) >= 0:
            _core.wait(0)
        space = like.__array_namespace__() if hasattr(like, "__array_namespace__") else np
        return space.from_dlpack(result)


class _Device(_Dlpack):
    """`DeviceArray`s: producers of a CUDA device without a library behind them."""

    channel_first = False

    def dtype(self, array: Any) -> str:
        name: str = array.dtype
        return name

    def handle(self, array: Any, dtype: str) -> Any:
        return array._producer if isinstance(array, DeviceArray) else array  # or what `empty` made

    def stream(self, array: Any, stream: Any, device: int) -> int:
        return int(array.stream if stream is None else stream)

    def cast(self, array: Any, dtype: str) -> Any:
        raise Unsupported(
            f"image is {array.dtype} on a device and no library stands for it; give it as cupy or torch "
            f"array, or as {dtype}",
            array.dtype,
        )

    def to_interleaved(self, array: Any, axis: int) -> Any:
        raise Unsupported(
            "image has its channels first, and no library stands for it that could bring them last; give it as cupy "
            "or torch array",
            str(array.shape),
        )

    def from_numpy(self, values: np.ndarray[Any, Any], like: Any) -> Any:
        return values  # tables: boxes, areas, centroids

    def finish(self, result: Any, like: Any) -> Any:
        _core.wait(like.stream)
        return DeviceArray(result)


def _no_stream(stream: Any) -> NoReturn:
    raise InvalidArgument(
        f"stream is {stream!r}; it is for arrays on a CUDA device, and image is on the CPU",
        repr(stream),
    )


_NUMPY = _Numpy()
_kinds: dict[type, Kind] = {np.ndarray: _NUMPY, DeviceArray: _Device()}


def kind_of(array: Any, what: str) -> Kind:
    """The kind of an array. Raises TypeError for what is none."""
    found = _kinds.get(type(array))
    if found is not None:
        return found
    kind: Kind
    torch = sys.modules.get("torch")
    cupy = sys.modules.get("cupy")
    if isinstance(array, np.ndarray):
        kind = _NUMPY
    elif torch is not None and isinstance(array, torch.Tensor):
        kind = _Torch()
    elif cupy is not None and isinstance(array, cupy.ndarray):
        kind = _Cupy()
    elif hasattr(array, "__dlpack__") and hasattr(array, "shape"):
        kind = _Dlpack()
    else:
        raise TypeError(
            f"{what} is {type(array).__name__}; it must be an array: numpy, torch, cupy or any that has "
            "__dlpack__ or __cuda_array_interface__; a PIL picture; or the path of a picture file (numpy.asarray makes "
            "an array of nested lists)"
        )
    return _kinds.setdefault(type(array), kind)


def opened(array: Any, what: str, *, gray: bool) -> tuple[Any, str | None]:
    """What stands for an array, as one, and its layout where that is known: files and PIL's pictures as numpy arrays,
    gray ones where `gray` says so, and bare producers of DLPack or the CUDA array interface as arrays."""
    if isinstance(array, (str, os.PathLike)):
        from cuesta._picture_files import imread

        read = imread(array, gray=gray)
        return read, "HW" if read.ndim == 2 else "HWC"
    pil = sys.modules.get("PIL.Image")
    if pil is not None and isinstance(array, pil.Image):
        return _of_pil(array, gray)
    if hasattr(array, "shape") and hasattr(array, "dtype") and hasattr(array, "__dlpack__"):
        return array, None
    if hasattr(array, "__dlpack__") and hasattr(array, "__dlpack_device__"):
        on_gpu = int(array.__dlpack_device__()[0]) in (2, 13)
        return (DeviceArray(array) if on_gpu else np.from_dlpack(array)), None
    if isinstance(interface := getattr(array, "__cuda_array_interface__", None), dict):
        return _of_interface(array, interface, what), None
    return array, None


def _of_pil(picture: Any, gray: bool) -> tuple[Any, str]:
    mode = picture.mode
    if mode == "P":
        picture = picture.convert("RGBA" if "transparency" in picture.info else "RGB")
    elif mode not in ("1", "L", "LA", "I", "F", "RGB", "RGBA") and not mode.startswith("I;16"):
        picture = picture.convert("RGB")
    values = np.asarray(picture)
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    if gray and values.ndim == 3:
        from cuesta._objects import to_gray

        values = to_gray(values, layout="HWC") if values.shape[2] >= 3 else values[..., 0]
    return values, "HW" if values.ndim == 2 else "HWC"


def _of_interface(array: Any, interface: dict[str, Any], what: str) -> DeviceArray:
    """https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html, versions 2 and 3."""
    dtype = np.dtype(interface["typestr"])
    name = _NUMPY.dtype(np.empty(0, dtype))
    if name not in DTYPES:
        raise _dtype_error(what, name)
    strides = interface.get("strides")
    if strides is not None and any(stride % dtype.itemsize for stride in strides):
        raise InvalidArgument(f"{what} has strides {strides}; they must be multiples of {dtype.itemsize} bytes", str(strides))
    samples = None if strides is None else [stride // dtype.itemsize for stride in strides]
    pointer, _ = interface["data"]
    # 1 and 2 are the default streams, as CUDA numbers them too.
    stream = int(interface.get("stream") or 0)
    view = _core.device_view(int(pointer), list(interface["shape"]), samples, name, array)
    return DeviceArray(view, stream, array)


def _dtype_error(what: str, dtype: str) -> InvalidArgument:
    return InvalidArgument(
        f"{what} has dtype {dtype}; samples are uint8, bool, uint16, float16 or float32, as the operation "
        "takes them (convert with astype or to)",
        dtype,
    )


# Where the height, width and channels of each layout are; -1: absent.
_AXES = ((0, 1, -1), (0, 1, 2), (1, 2, 0), (1, 2, -1), (1, 2, 3), (2, 3, 1))
_INTERLEAVED = (1, 4)


def pixels_adjoin(kind: Kind, array: Any, layout: int) -> bool:
    """Whether a view can say it: the pixels of a row lie next to each other, and rows do not overlap. Rows, planes and
    pictures may be any distance apart, backwards too."""
    if kind.contiguous(array):
        return True
    strides = kind.strides(array)
    if strides is None:
        return False
    shape = array.shape
    height, width, channels = _AXES[layout]
    samples = shape[channels] if layout in _INTERLEAVED else 1
    if layout in _INTERLEAVED and samples > 1 and strides[channels] != 1:
        return False
    if shape[width] > 1 and strides[width] != samples:
        return False
    return bool(shape[height] <= 1 or abs(strides[height]) >= shape[width] * samples)


def layout_of(shape: Sequence[int], layout: str | None, kind: Kind, what: str) -> int:
    """The layout's number. Unnamed, 2 dimensions are HW. 3 dimensions are HWC when the last is 1 to 4 and the first is
    larger, and NHW when the last is larger than 4; 4 dimensions NHWC and NCHW alike (planes one by one). For libraries
    whose pictures are channel-first a small last dimension says nothing, and where both ends are small nobody can
    know: those must be named."""
    count = len(shape)
    if layout is not None:
        number = LAYOUTS.get(layout)
        if number is None:
            raise InvalidArgument(f"layout is {layout!r}; it is one of {', '.join(_NAMES)}", repr(layout))
        if _DIMENSIONS[layout] != count:
            raise InvalidArgument(
                f"{what} has {count} dimensions; layout {layout} has {_DIMENSIONS[layout]}", str(tuple(shape))
            )
        return number
    if count == 2:
        return 0
    if count in (3, 4):
        if shape[-1] > 4:
            return 3 if count == 3 else 5
        if not kind.channel_first and shape[-3] > 4:
            return 1 if count == 3 else 4
        names = [name for name in _NAMES if _DIMENSIONS[name] == count]
        raise InvalidArgument(
            f"{what} has shape {tuple(shape)}, which may be {' or '.join(names)}; name its layout, "
            f"as in layout={names[0]!r}",
            str(tuple(shape)),
        )
    raise InvalidArgument(
        f"{what} has {count} dimensions; pictures have 2 (HW), 3 (HWC, CHW, NHW) or 4 (NHWC, NCHW)",
        str(tuple(shape)),
    )


class Source:
    """A picture, or several, as an operation reads them."""

    __slots__ = ("array", "device", "dtype", "given", "handle", "kind", "layout", "shape", "stream", "stream_argument")

    def __init__(
        self,
        array: Any,
        layout: str | None = None,
        what: str = "image",
        stream: Any = None,
        *,
        gray: bool = False,
        packed: bool = True,
    ) -> None:
        """`gray`: of colored files and PIL pictures the operation takes the gray levels. `packed`: pixels that lie
        apart are copied, once."""
        kind = _kinds.get(type(array))
        if kind is None:
            array, known = opened(array, what, gray=gray)
            layout = known if layout is None else layout
            kind = kind_of(array, what)
        self.given = array
        self.kind = kind
        self.dtype = dtype = kind.dtype(array)
        if dtype not in DTYPES:
            raise _dtype_error(what, dtype)
        self.shape = shape = tuple(array.shape)
        self.layout = 0 if layout is None and len(shape) == 2 else layout_of(shape, layout, kind, what)
        self.device = device = kind.device(array)
        self.stream = kind.stream(array, stream, device)
        self.stream_argument = stream
        if packed and not kind.contiguous(array) and not pixels_adjoin(kind, array, self.layout):
            with kind.on(array, stream):
                array = kind.pack(array)
        self.array = array
        self.handle = kind.handle(array, dtype)

    def widened(self) -> Source:
        """float16 as float32, in which it is computed."""
        if self.dtype == "float16":
            self.array = self.kind.cast(self.array, "float32")
            self.handle = self.kind.handle(self.array, "float32")
            self.dtype = "float32"
        return self

    def layout_name(self) -> str:
        return _NAMES[self.layout]


def companion(array: Any, s: Source, what: str, shape: tuple[int, ...] | None = None, layout: int | None = None) -> Any:
    """The handle of a second input, which must be of the first one's kind and device, and of its shape and layout unless
    others are given."""
    shape = s.shape if shape is None else shape
    layout = s.layout if layout is None else layout
    array, _ = opened(array, what, gray=True)
    kind = kind_of(array, what)
    if kind is not s.kind or kind.device(array) != s.device:
        raise InvalidArgument(
            f"{what} is {where(kind, array)} and image is {where(s.kind, s.given)}; they must be alike",
            where(kind, array),
        )
    if tuple(array.shape) != shape:
        of_image = f"image {s.shape}; they must be equal" if shape == s.shape else f"image {s.shape}; it must be {shape}"
        raise InvalidArgument(f"{what} has shape {tuple(array.shape)} and {of_image}", str(tuple(array.shape)))
    if not pixels_adjoin(kind, array, layout):
        with kind.on(array, s.stream_argument):
            array = kind.pack(array)
    return kind.handle(array, kind.dtype(array))


def where(kind: Kind, array: Any) -> str:
    """An array's library and device in words."""
    device = kind.device(array)
    return f"{kind.name} on {'the CPU' if device < 0 else f'CUDA device {device}'}"


# Of results without channels: what to_gray makes.
_LAYOUT_OF_RESULT = {1: 0, 4: 3}


class Result:
    """Where an operation writes: the caller's `out`, or a new array like the source's."""

    __slots__ = ("_cast", "_source", "_target", "array", "handle")

    def __init__(self, s: Source, out: Any, dtype: str, shape: tuple[int, ...] | None = None, what: str = "out") -> None:
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
                raise Unsupported(f"{what}: float16 results are converted from float32; leave {what} away", "float16")
            kind = kind_of(out, what)
            if kind is not s.kind or kind.device(out) != s.device:
                raise InvalidArgument(
                    f"{what} is {where(kind, out)} and image is {where(s.kind, s.given)}; they must be alike",
                    where(kind, out),
                )
            found = kind.dtype(out)
            if tuple(out.shape) != shape or (found != dtype and (found, dtype) != ("bool", "uint8")):
                raise InvalidArgument(
                    f"{what} has shape {tuple(out.shape)} and dtype {found}; it must have {shape} and {dtype}",
                    f"{tuple(out.shape)} {found}",
                )
            if not kind.writable(out):
                raise InvalidArgument(f"{what} is read-only; give an array that may be written to", "read-only")
            self.array = out
            dtype = found
            layout = s.layout if shape == s.shape else _LAYOUT_OF_RESULT.get(s.layout, s.layout)
            if not kind.contiguous(out) and not pixels_adjoin(kind, out, layout):
                self._target = out
                self.array = kind.empty(shape, dtype, s.given, s.stream_argument)
        self.handle = s.kind.handle(self.array, dtype)

    def finish(self) -> Any:
        kind = self._source.kind
        if self._target is not None:
            with kind.on(self._target, self._source.stream_argument):
                kind.assign(self._target, self.array)
            return self._target
        if self._cast:
            return kind.cast(kind.finish(self.array, self._source.given), self._cast)
        return kind.finish(self.array, self._source.given)

"""Array libraries: how the extension reads their arrays, and how results are made.

A *kind* stands for one library. `kind_of` finds the kind of an array.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from typing import Any, NoReturn, Protocol

import numpy as np

from cuesta import _core
from cuesta.errors import InvalidArgument

DTYPES = frozenset({"uint8", "bool", "uint16", "int16", "int32", "float16", "float32"})


class Kind(Protocol):
    """One array library."""

    name: str
    #: Whether pictures are customarily channel-first, so that a small last dimension is ambiguous.
    channel_first: bool

    def dtype(self, array: Any) -> str:
        """Returns the name of an array's type, as numpy spells it."""

    def handle(self, array: Any, dtype: str) -> Any:
        """Returns what the extension reads for an array of that type, without a copy."""

    def device(self, array: Any) -> int:
        """Returns the CUDA device's index; -1 for the CPU."""

    def stream(self, array: Any, stream: Any, device: int) -> int:
        """Returns the pointer of the caller's stream; 0 on the CPU.

        The default is the library's current stream on that device.
        """

    def on(self, array: Any, stream: Any) -> AbstractContextManager[Any]:
        """Enqueues the library's own work inside the block on the caller's stream."""

    def contiguous(self, array: Any) -> bool:
        """Whether an array is contiguous and aligned."""

    def strides(self, array: Any) -> Sequence[int] | None:
        """Returns strides in samples; None where they are unknown or no whole number of samples."""

    def pack(self, array: Any) -> Any:
        """Returns a contiguous copy."""

    def assign(self, target: Any, values: Any) -> None:
        """Copies values into an array."""

    def empty(self, shape: tuple[int, ...], dtype: str, like: Any, stream: Any) -> Any:
        """Makes an array on the device of `like`."""

    def writable(self, array: Any) -> bool:
        """Whether an array may be written."""

    def cast(self, array: Any, dtype: str) -> Any:
        """Returns a copy in another type."""

    def to_interleaved(self, array: Any, axis: int) -> Any:
        """Returns a contiguous copy with the channels, at `axis`, last."""

    def without_alpha(self, array: Any) -> Any:
        """Returns a view without alpha of an array whose last dimension is 2 or 4 channels.

        Of 2 channels that dimension is dropped; of 4, three remain.
        """

    def from_numpy(self, values: np.ndarray[Any, Any], like: Any) -> Any:
        """Returns a numpy array as one of the library, on the device of `like`."""

    def finish(self, result: Any, like: Any) -> Any:
        """Returns a result as the caller gets it."""


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

    def without_alpha(self, array: Any) -> Any:
        return array[..., 0] if array.shape[-1] == 2 else array[..., :3]

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
        dlpack: Any = torch.utils.dlpack  # its stub lacks what its page documents
        self._to_dlpack: Callable[[Any], Any] = dlpack.to_dlpack
        self._names = {
            getattr(torch, name): name for name in DTYPES if hasattr(torch, name)
        }  # torch < 2.3 has no uint16
        self._types = {name: dtype for dtype, name in self._names.items()}
        # current_stream() makes an object, which costs more than the call it is for.
        self._raw_stream: Callable[[int], int] = getattr(
            torch._C,
            "_cuda_getCurrentRawStream",
            lambda device: torch.cuda.current_stream(device).cuda_stream,
        )

    def dtype(self, array: Any) -> str:
        return self._names.get(array.dtype) or str(array.dtype).removeprefix("torch.")

    def handle(self, array: Any, dtype: str) -> Any:
        # No gradient passes these operations; the tensor itself is unchanged.
        return self._to_dlpack(array.detach() if array.requires_grad else array)

    def device(self, array: Any) -> int:
        if array.layout is not self._torch.strided:
            raise InvalidArgument(
                f"image is a tensor of layout {array.layout}; pass its to_dense()",
                str(array.layout),
            )
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
        return (
            self._raw_stream(device)
            if stream is None
            else int(getattr(stream, "cuda_stream", stream))
        )

    def on(self, array: Any, stream: Any) -> AbstractContextManager[Any]:
        if stream is None or not array.is_cuda:
            return nullcontext()
        cuda: Any = self._torch.cuda
        given = (
            stream
            if hasattr(stream, "cuda_stream")
            else cuda.ExternalStream(int(stream), device=array.device)
        )
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
            made = torch.empty_like(
                like, dtype=self._types[dtype], memory_format=torch.contiguous_format
            )
        else:
            made = torch.empty(shape, dtype=self._types[dtype], device=like.device)
        if stream is not None and hasattr(stream, "cuda_stream"):
            # The allocator must not reuse the memory before this stream has used it.
            made.record_stream(stream)
        return made

    def writable(self, array: Any) -> bool:
        return True

    def cast(self, array: Any, dtype: str) -> Any:
        return array.to(self._types[dtype])

    def to_interleaved(self, array: Any, axis: int) -> Any:
        return array.movedim(axis, -1).contiguous()

    def without_alpha(self, array: Any) -> Any:
        return array[..., 0] if array.shape[-1] == 2 else array[..., :3]

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
        return NUMPY.dtype(array)  # its dtypes are numpy's

    def handle(self, array: Any, dtype: str) -> Any:
        viewed = array.view(self._cupy.uint8) if dtype == "bool" else array
        return viewed.__dlpack__(stream=-1)  # this call is already on the caller's stream

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
            stack.enter_context(
                stream if hasattr(stream, "ptr") else cuda.ExternalStream(int(stream))
            )
        return stack

    def contiguous(self, array: Any) -> bool:
        return bool(array.flags.c_contiguous)

    def strides(self, array: Any) -> Sequence[int] | None:
        size = array.itemsize
        return (
            None
            if any(stride % size for stride in array.strides)
            else [s // size for s in array.strides]
        )

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

    def without_alpha(self, array: Any) -> Any:
        return array[..., 0] if array.shape[-1] == 2 else array[..., :3]

    def from_numpy(self, values: np.ndarray[Any, Any], like: Any) -> Any:
        with like.device:
            return self._cupy.asarray(values)

    def finish(self, result: Any, like: Any) -> Any:
        return result


class Dlpack:
    """Any other library with DLPack and the array API. Results return through its from_dlpack."""

    name = "DLPack"
    channel_first = True

    def dtype(self, array: Any) -> str:
        return str(array.dtype).rpartition(".")[2]

    def handle(self, array: Any, dtype: str) -> Any:
        # Its stream is unknown here, so the producer makes the data ready on the default one.
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
        return True  # where it is known; the extension checks the strides

    def strides(self, array: Any) -> Sequence[int] | None:
        return None

    def pack(self, array: Any) -> Any:
        raise NotImplementedError  # there is no evidence that it is not contiguous

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

    def without_alpha(self, array: Any) -> Any:
        return array[..., 0] if array.shape[-1] == 2 else array[..., :3]

    def from_numpy(self, values: np.ndarray[Any, Any], like: Any) -> Any:
        return like.__array_namespace__().asarray(values)

    def finish(self, result: Any, like: Any) -> Any:
        if self.device(like) >= 0:
            _core.wait(0)
        space = like.__array_namespace__() if hasattr(like, "__array_namespace__") else np
        return space.from_dlpack(result)


def _no_stream(stream: Any) -> NoReturn:
    raise InvalidArgument(
        f"stream is {stream!r}; it is for arrays on a CUDA device, and image is on the CPU",
        repr(stream),
    )


NUMPY = _Numpy()
_kinds: dict[type, Kind] = {np.ndarray: NUMPY}


def register(of: type, kind: Kind) -> None:
    """Registers `kind` for arrays of a type."""
    _kinds[of] = kind


def known_kind(array: Any) -> Kind | None:
    """Returns the kind of an array whose type was seen before, otherwise None."""
    return _kinds.get(type(array))


def kind_of(array: Any, what: str) -> Kind:
    """Returns the kind of an array. Raises TypeError for anything else."""
    found = _kinds.get(type(array))
    if found is not None:
        return found
    kind: Kind
    torch = sys.modules.get("torch")
    cupy = sys.modules.get("cupy")
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"{what} is a masked array; pass its filled()")
    if isinstance(array, np.ndarray):
        kind = NUMPY
    elif torch is not None and isinstance(array, torch.Tensor):
        kind = _Torch()
    elif cupy is not None and isinstance(array, cupy.ndarray):
        kind = _Cupy()
    elif hasattr(array, "__dlpack__") and hasattr(array, "shape"):
        kind = Dlpack()
    else:
        raise TypeError(
            f"{what} is {type(array).__name__}; it must be an array (numpy, torch, cupy, __dlpack__, "
            "__array__, __cuda_array_interface__), a PIL picture or a path"
            + ("; numpy.asarray makes an array of it" if isinstance(array, (list, tuple)) else "")
        )
    return _kinds.setdefault(type(array), kind)


def native(array: Any) -> Any:
    """Returns a numpy array of swapped bytes in this machine's order; others as they are."""
    if isinstance(array, np.ndarray) and not array.dtype.isnative:
        return array.astype(array.dtype.newbyteorder("="))
    return array


def where(kind: Kind, array: Any) -> str:
    """Describes an array's library and device in words."""
    device = kind.device(array)
    return f"{kind.name} on {'the CPU' if device < 0 else f'CUDA device {device}'}"


_NUMBERS = ("int", "uint", "float", "bfloat")
#: What makes numbers of other things, by the beginning of their type's name.
_REMEDIES = (
    (_NUMBERS, "astype(np.float32) converts it"),
    (("complex",), "np.abs gives its magnitude"),
    (("datetime", "timedelta"), "astype(np.int64).astype(np.float32) gives numbers"),
    (
        ("object",),
        "its elements are Python objects; astype(np.float32) converts them if they are numbers",
    ),
    (("[",), "it has fields; pass one of them, as image['name']"),
    (("void", "|V"), "it has fields or raw bytes; view it as numbers first"),
    (("<U", ">U", "|S", "str", "bytes"), "it is text"),
)


def dtype_error(what: str, dtype: str, *, floats: bool = True) -> InvalidArgument:
    """Returns the error for a type that is not supported.

    `floats`: whether float32 is supported, so that the remedy is one step.
    """
    for begins, remedy in _REMEDIES:
        if dtype.startswith(begins):
            if begins is _NUMBERS and what.endswith("mask"):
                remedy = f"{what} != 0 makes a mask of it"
            elif begins is _NUMBERS and not floats:
                remedy = "scale it and convert it with astype(np.uint16)"
            by = "which no operation supports" if floats else "which this does not support"
            return InvalidArgument(f"{what} is {dtype}, {by}; {remedy}", dtype)
    return InvalidArgument(f"{what} is {dtype}, which no operation supports", dtype)

"""Memory on a CUDA device without an array library: `DeviceArray`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cuesta import _core
from cuesta._kinds import DTYPES, NUMPY, Dlpack, dtype_error, register
from cuesta._options import whole
from cuesta.errors import InvalidArgument, Unsupported


class DeviceArray:
    """Memory on a CUDA device that belongs to no array library.

    It offers DLPack and the CUDA array interface, which torch, cupy, numba and JAX can read. Bare
    producers become one when they are read, and their results are one. `to_device` makes one of an
    array in host memory.
    """

    def __init__(self, producer: Any, stream: int = 0, owner: Any = None) -> None:
        self._producer = producer
        self._owner = owner
        self.stream = stream
        """Whose memory it is enqueues here; a call without a stream does too."""
        self.shape, self.strides, self.dtype, self._pointer = _core.facts(producer)

    def __dlpack__(self, **keywords: Any) -> Any:
        # The work on the stream was complete when the array was exported.
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
            "stream": self.stream or None,  # None: no stream to wait for; 0 is not allowed
            "version": 3,
        }


def to_device(array: Any, device: int = 0) -> DeviceArray:
    """Copies an array to a CUDA device, for machines without torch or cupy.

    The functions of this package accept such arrays, and return such arrays for them.

    Parameters
    ----------
    array : numpy array
        uint8, bool, uint16, int16, int32 or float32, of any shape and strides.
    device : int
        Its index in `devices()`.

    Returns
    -------
    DeviceArray
        Contiguous, with shape, dtype (a str), DLPack and the CUDA array interface. `to_host` copies
        it back.

    Raises
    ------
    InvalidArgument
        The array is empty or has another dtype.
    DeviceError
        There is no such GPU.

    Examples
    --------
    >>> import cuesta
    >>> def edges(image):
    ...     return cuesta.to_host(cuesta.canny(cuesta.to_device(image)))
    """
    if not isinstance(array, np.ndarray):
        raise TypeError(f"array is {type(array).__name__}; it must be a numpy array")
    dtype = NUMPY.dtype(array)
    if (
        dtype not in DTYPES or dtype == "float16"
    ):  # no operation supports it without a library that converts it
        raise InvalidArgument(
            f"array has dtype {dtype}; to_device takes uint8, bool, uint16, int16, int32 and float32 (convert with astype)",
            dtype,
        )
    if not array.size:
        raise InvalidArgument(
            f"array has shape {array.shape}; it must hold samples", str(array.shape)
        )
    made = _core.device_array(list(array.shape), dtype, whole("device", device))
    _core.copy_to_device(NUMPY.handle(np.ascontiguousarray(array), dtype), made)
    return DeviceArray(made)


def to_host(array: DeviceArray) -> np.ndarray[Any, Any]:
    """Copies a `DeviceArray` to host memory, after the work on its stream.

    Parameters
    ----------
    array : DeviceArray
        Contiguous, as `to_device` and the functions of this package return it.

    Returns
    -------
    numpy array
        Of its shape and dtype.

    Raises
    ------
    InvalidArgument
        The array is not contiguous.
    DeviceError
        The GPU, or work that was enqueued before, failed.
    """
    if not isinstance(array, DeviceArray):
        raise TypeError(
            f"array is {type(array).__name__}; it must be a DeviceArray (other libraries copy their own arrays)"
        )
    made = np.empty(array.shape, array.dtype)
    if array.strides != tuple(stride // made.itemsize for stride in made.strides):
        raise InvalidArgument(
            f"array has strides {array.strides}; to_host takes contiguous arrays",
            str(array.strides),
        )
    _core.copy_to_host(array._producer, NUMPY.handle(made, array.dtype), array.stream)
    return made


class _Device(Dlpack):
    """The kind of `DeviceArray`: memory on a CUDA device without a library."""

    channel_first = False

    def dtype(self, array: Any) -> str:
        name: str = array.dtype
        return name

    def handle(self, array: Any, dtype: str) -> Any:
        return (
            array._producer if isinstance(array, DeviceArray) else array
        )  # or an array of `empty`

    def stream(self, array: Any, stream: Any, device: int) -> int:
        return int(array.stream if stream is None else stream)

    def cast(self, array: Any, dtype: str) -> Any:
        raise Unsupported(
            f"image is a bare device array of {array.dtype}, which cannot be converted; pass a cupy or torch "
            f"array, or {dtype}",
            array.dtype,
        )

    def to_interleaved(self, array: Any, axis: int) -> Any:
        raise Unsupported(
            "image is a bare device array with its channels first, which cannot be reordered; pass a cupy or torch "
            "array",
            str(array.shape),
        )

    def without_alpha(self, array: Any) -> Any:
        raise Unsupported(
            f"image is a bare device array of {array.shape[-1]} channels, whose alpha cannot be removed; pass it "
            "without alpha, or a cupy or torch array",
            str(array.shape),
        )

    def from_numpy(self, values: np.ndarray[Any, Any], like: Any) -> Any:
        return values  # tables: boxes, areas, centroids

    def finish(self, result: Any, like: Any) -> Any:
        _core.wait(like.stream)
        return DeviceArray(result)


def of_interface(array: Any, interface: dict[str, Any], what: str) -> DeviceArray:
    """Wraps a producer of the CUDA array interface, version 2 or 3, as an array.

    Source: https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html
    """
    dtype = np.dtype(interface["typestr"])
    name = NUMPY.dtype(np.empty(0, dtype))
    if name not in DTYPES:
        raise dtype_error(what, name)
    strides = interface.get("strides")
    if strides is not None and any(stride % dtype.itemsize for stride in strides):
        raise InvalidArgument(
            f"{what} has strides {strides}; they must be multiples of {dtype.itemsize} bytes",
            str(strides),
        )
    samples = None if strides is None else [stride // dtype.itemsize for stride in strides]
    pointer, _ = interface["data"]
    # 1 and 2 are the default streams, as CUDA numbers them too.
    stream = int(interface.get("stream") or 0)
    view = _core.device_view(int(pointer), list(interface["shape"]), samples, name, array)
    return DeviceArray(view, stream, array)


register(DeviceArray, _Device())

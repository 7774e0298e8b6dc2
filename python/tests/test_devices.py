"""What is said of CUDA arrays where this build or this machine cannot use them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cuesta
from cuesta.errors import _from_library


class DLTensor(ctypes.Structure):
    """The head of DLPack's tensor, as far as the device."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
    )


class OnTheGpu:
    """A CUDA array to all who ask, with memory that nobody may touch."""

    def __init__(self) -> None:
        self._values = np.zeros((12, 16), np.uint8)
        self.shape = self._values.shape
        self.dtype = self._values.dtype

    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, 0)  # kDLCUDA

    def __dlpack__(self, *, stream: int | None = None, **_options: Any) -> Any:
        capsule = self._values.__dlpack__()
        get = ctypes.pythonapi.PyCapsule_GetPointer
        get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
        tensor = ctypes.cast(get(capsule, b"dltensor"), ctypes.POINTER(DLTensor)).contents
        tensor.device_type, tensor.device_id = 2, 0
        return capsule


def has_gpu() -> bool:
    return bool(cuesta.devices())


@pytest.mark.skipif(has_gpu(), reason="this machine has a GPU; test_cuda.py uses it")
@pytest.mark.parametrize(
    "call",
    [cuesta.canny, cuesta.sobel, cuesta.log_edges, lambda x: cuesta.gaussian(x, 1.4), cuesta.label],
    ids=["canny", "sobel", "log_edges", "gaussian", "label"],
)
def test_a_cuda_array_is_refused_in_words(call: Any) -> None:
    with pytest.raises(cuesta.DeviceError) as caught:
        call(OnTheGpu())
    message = str(caught.value)
    assert caught.value.code == "device"
    # Why, and what would work.
    assert "CUDA" in message or "GPU" in message
    assert any(word in message for word in ("CPU", "'cpu'", "driver", "built", "CUESTA_CUDA")), (
        message
    )


@pytest.mark.skipif(has_gpu(), reason="this machine has a GPU; test_cuda.py uses it")
def test_what_would_help_is_said_in_pythons_words() -> None:
    with pytest.raises(cuesta.DeviceError) as caught:
        cuesta.verify("sobel", device="cuda")
    assert str(caught.value).endswith("; use device='cpu'")
    assert "--" not in str(caught.value)
    made = _from_library("device", "there is no GPU", "", "use_cpu")
    assert isinstance(made, cuesta.DeviceError)
    assert str(made) == "there is no GPU; use device='cpu', or an array in host memory"
    # Files are the command's: nothing that a caller from Python could set.
    assert (
        str(_from_library("input", "a.png: too many pixels", "a.png", "raise_max_pixels"))
        == "a.png: too many pixels"
    )


@pytest.mark.skipif(has_gpu(), reason="this machine has a GPU; test_cuda.py uses it")
def test_without_a_gpu_the_rest_says_nothing() -> None:
    """CUDA's absence is no error until a CUDA array comes."""
    assert cuesta.devices() == []
    image = np.zeros((12, 16), np.uint8)
    assert not cuesta.canny(image).any()
    assert cuesta.strategies(device="cpu")
    cuesta.release_memory()


@pytest.mark.skipif(has_gpu(), reason="this machine has a GPU; the tests marked gpu use it")
def test_without_a_gpu_nothing_goes_there() -> None:
    with pytest.raises(cuesta.DeviceError):
        cuesta.to_device(np.zeros((12, 16), np.uint8))


@pytest.mark.parametrize(
    ("array", "error", "why"),
    [
        ([[1]], TypeError, "array is list"),
        (np.zeros(3, np.float64), cuesta.InvalidArgument, "array has dtype float64"),
        (np.zeros(3, np.float16), cuesta.InvalidArgument, "array has dtype float16"),
        (np.zeros((0, 3), np.uint8), cuesta.InvalidArgument, r"array has shape \(0, 3\)"),
    ],
    ids=["list", "float64", "float16", "empty"],
)
def test_what_cannot_go_to_a_device(array: Any, error: type[Exception], why: str) -> None:
    with pytest.raises(error, match=why):
        cuesta.to_device(array)
    with pytest.raises(TypeError, match="it must be a DeviceArray"):
        cuesta.to_host(array)


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", ["uint8", "bool", "uint16", "int16", "int32", "float32"])
def test_arrays_go_there_and_back(picture: Any, dtype: str) -> None:
    values = picture[::2, ::-3].astype(dtype)
    there = cuesta.to_device(values)
    assert (there.shape, there.dtype, there.__dlpack_device__()) == (values.shape, dtype, (2, 0))
    values[...] = 0
    back = cuesta.to_host(there)
    assert back.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(back, picture[::2, ::-3].astype(dtype))


@pytest.mark.gpu
def test_operations_take_them_and_give_them(picture: Any) -> None:
    color = np.stack([picture, picture // 2, 255 - picture], axis=2)
    requests: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
        (picture, cuesta.canny),
        (picture.astype(np.uint16) * 200, lambda x: cuesta.gaussian(x, 2.0)),
        (color, lambda x: cuesta.median(x, 5, layout="HWC")),
        (picture > 100, lambda x: cuesta.open(x, "disk:3")),
    )
    for image, call in requests:
        made = call(cuesta.to_device(image))
        assert isinstance(made, cuesta.DeviceArray)
        np.testing.assert_array_equal(cuesta.to_host(made), call(image))
    gx, gy = cuesta.sobel(cuesta.to_device(picture), outputs=("gx", "gy"))
    for one, other in zip((gx, gy), cuesta.sobel(picture, outputs=("gx", "gy"))):
        np.testing.assert_array_equal(cuesta.to_host(one), other)


@pytest.mark.gpu
def test_there_is_no_such_device(picture: Any) -> None:
    with pytest.raises(cuesta.DeviceError, match="99"):
        cuesta.to_device(picture, 99)


@pytest.mark.parametrize("device", ["gpu", "cuda:x", ""])
def test_devices_by_unknown_names(device: str) -> None:
    with pytest.raises(cuesta.InvalidArgument, match="device"):
        cuesta.verify("sobel", device=device)


def test_a_stream_is_for_the_gpu() -> None:
    with pytest.raises(cuesta.InvalidArgument, match="stream"):
        cuesta.canny(np.zeros((12, 16), np.uint8), stream=7)


def test_tensors_of_other_devices_are_refused() -> None:
    torch = pytest.importorskip("torch")
    with pytest.raises(cuesta.InvalidArgument, match="meta"):
        cuesta.canny(torch.zeros(12, 16, dtype=torch.uint8, device="meta"))


def test_which_says_what_would_run() -> None:
    picture = np.zeros((40, 60), np.uint8)
    choice = cuesta.which("canny", picture, 20, 60, threads=1)
    assert (choice.operation, choice.strategy, choice.device, choice.tier) == (
        "canny",
        "simd",
        "cpu",
        "production",
    )
    assert (
        choice.threads == 1 and choice.processor and not choice.passed_over and not choice.refusal
    )
    assert cuesta.which(cuesta.canny, picture.astype(np.uint16)).strategy == "simd"
    why = "an offset beyond 131,072 either way"
    far = cuesta.which(cuesta.laplacian, picture, offset=200_000)
    assert (far.strategy, far.passed_over) == ("rows", {"simd": why})
    assert cuesta.which("gaussian", picture, 1.4).operation == "convolve"
    refused = cuesta.which("laplacian", picture, offset=200_000, strategy="simd")
    assert refused.strategy is None and why in refused.refusal


def test_which_all_has_every_step() -> None:
    picture = np.zeros((40, 60), np.uint8)
    assert [step.operation for step in cuesta.which_all("canny", picture)] == ["canny"]
    for steps in (
        cuesta.which_all("log_edges", picture, sigma=3),
        cuesta.which_all(cuesta.log_edges, picture, sigma=3, strategy="serial"),
    ):
        assert [step.operation for step in steps] == ["convolve", "log"]
    # Another border than OpenCV's is a smoothing of its own.
    steps = cuesta.which_all("canny", picture, border="replicate")
    assert [step.operation for step in steps] == ["convolve", "canny"]
    assert cuesta.which("canny", picture, border="replicate") == steps[-1]
    # The step that nothing takes is the one that which() reports.
    refused = cuesta.which("laplacian", picture, offset=200_000, strategy="simd")
    assert (refused.operation, refused.strategy) == ("convolve", None)


def test_which_runs_nothing_and_forgets_itself() -> None:
    out = np.full((40, 60), 7, np.uint8)
    cuesta.which("median", np.zeros((40, 60), np.uint8), 3, out=out)
    assert (out == 7).all()
    cuesta.median(np.zeros((40, 60), np.uint8), 3, out=out)
    assert (out == 0).all()
    with pytest.raises(cuesta.InvalidArgument, match="aperture"):
        cuesta.which("canny", out, aperture=4)
    assert (cuesta.canny(out, 20, 60) == 0).all()
    for wrong in ("cany", "Labels", "devices"):
        with pytest.raises(cuesta.InvalidArgument, match=wrong):
            cuesta.which(wrong)

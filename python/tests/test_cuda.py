"""CUDA arrays of torch and cupy: the CPU's bytes, on the caller's stream, without waiting.

Everything here needs a GPU and says so when it is skipped; CUESTA_REQUIRE_GPU=1 makes the skip a
failure. test_devices.py has what a machine without one must say.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import cuesta

pytest.importorskip("torch", minversion="2.6")
import torch

import cuesta.torch

pytestmark = pytest.mark.cuda

Picture = npt.NDArray[np.uint8]
Call = Callable[..., Any]

# For each operation of the tables, requests by the public functions. A device row may refuse some
# of them; test_ladder wants one at least from each.
REQUESTS: dict[str, dict[str, Call]] = {
    "canny": {
        "given": functools.partial(cuesta.canny, low=40, high=90),
        "plain": functools.partial(cuesta.canny, low=40, high=90, sigma=0),
        "automatic": cuesta.canny,
        "l2": functools.partial(cuesta.canny, low=40, high=90, norm="l2"),
        "floats": lambda x, **how: cuesta.canny(as_float(x), 40, 90, **how),
        "words": lambda x, **how: cuesta.canny(as_words(x), 40, 90, **how),
    },
    "log": {
        "edges": cuesta.log_edges,
        "ignore": functools.partial(cuesta.log_edges, border="ignore"),
        "response": functools.partial(cuesta.log_edges, response=True),
        "crossings": functools.partial(cuesta.log_edges, mode="zero-crossings"),
    },
    "sobel": {
        "magnitude": cuesta.sobel,
        "u8": functools.partial(cuesta.sobel, dtype="uint8"),
        "replicate": functools.partial(cuesta.sobel, dtype="uint8", border="replicate"),
        "ignore": functools.partial(cuesta.sobel, dtype="uint8", border="ignore"),
        "all": functools.partial(cuesta.sobel, outputs=("gx", "gy", "magnitude", "direction")),
        "gradients": functools.partial(cuesta.sobel, outputs=("gx", "gy")),
        "f32": functools.partial(cuesta.sobel, dtype="float32"),
        "floats": lambda x, **how: cuesta.sobel(
            as_float(x), outputs=("gx", "gy", "magnitude"), norm="l2", **how
        ),
        "aperture": lambda x, **how: cuesta.sobel(in_sixteens(x), dtype="uint8", aperture=5, **how),
    },
    "convolve": {
        "gaussian": functools.partial(cuesta.gaussian, sigma=1.4),
        "gaussian-f32": lambda x, **how: cuesta.gaussian(as_float(x), 1.4, **how),
        "box": cuesta.box,
        "sharpen": cuesta.sharpen,
        "text": functools.partial(cuesta.convolve, stencil="1 2 1;2 4 2;1 2 1 / 16"),
        "slope": functools.partial(cuesta.correlate, stencil="-1 0 1;-2 0 2;-1 0 1", dtype="int16"),
        "ignore": functools.partial(cuesta.box, n=5, border="ignore"),
        "constant": functools.partial(cuesta.box, n=5, border="constant"),
        "laplacian": cuesta.laplacian,
        "box-f32": lambda x, **how: cuesta.box(as_float(x), **how),
        "sharpen-f32": lambda x, **how: cuesta.sharpen(as_float(x), **how),
    },
    "boundaries": {"gray": cuesta.boundaries},
    "median": {
        "3": cuesta.median,
        "5-f32": lambda x, **how: cuesta.median(as_float(x), 5, **how),
        "15": functools.partial(cuesta.median, ksize=15),
        "ignore": functools.partial(cuesta.median, ksize=5, border="ignore"),
    },
    "label": {
        "8": lambda x, **how: cuesta.label(binary(x), **how),
        "4": lambda x, **how: cuesta.label(binary(x), connectivity=4, **how),
    },
    "morphology": {
        "open": functools.partial(cuesta.open, element="disk:5"),
        "erode": cuesta.erode,
    },
    "pixel": {
        "threshold": functools.partial(cuesta.threshold, limit=100),
        "absdiff": lambda x, **how: cuesta.absdiff(x, x, **how),
    },
}
DEVICE_ROWS = [row for row in cuesta.strategies(device="cuda") if row.built]


def in_sixteens(x: Any) -> Any:
    """Its first columns, rows at multiples of 16 bytes: there are device rows that want it so."""
    part = x[:, : x.shape[1] // 16 * 16]
    return part.contiguous() if isinstance(part, torch.Tensor) else part.copy()  # of NumPy or CuPy


def as_float(x: Any) -> Any:
    return x.to(torch.float32) if isinstance(x, torch.Tensor) else x.astype("float32")


def as_words(x: Any) -> Any:
    return x.to(torch.uint16) if isinstance(x, torch.Tensor) else x.astype("uint16")


def binary(x: Any) -> Any:
    """The mask x > 100 by the array's own library."""
    mask = x > 100
    return mask.to(torch.uint8) if isinstance(mask, torch.Tensor) else mask.astype("uint8")


def to_device(kind: str, image: Picture) -> Any:
    if kind == "torch":
        return torch.from_numpy(image.copy()).cuda()
    return pytest.importorskip("cupy").asarray(image)


def to_host(array: Any) -> Any:
    """numpy arrays of whatever a call made; tuples of tuples."""
    if isinstance(array, cuesta.Labels):
        array = (array.labels, array.count, array.boxes, array.areas, array.centroids)
    if isinstance(array, (tuple, list)):
        return tuple(to_host(a) for a in array)
    if isinstance(array, torch.Tensor):
        return array.cpu().numpy()
    return array.get() if hasattr(array, "get") else array


def assert_equal(made: Any, wanted: Any) -> None:
    if isinstance(wanted, (tuple, list)):
        assert len(made) == len(wanted)
        for a, b in zip(made, wanted, strict=True):
            assert_equal(a, b)
        return
    np.testing.assert_array_equal(made, wanted)


@pytest.fixture(params=["torch", "cupy"])
def kind(request: pytest.FixtureRequest) -> str:
    if request.param == "cupy":
        pytest.importorskip("cupy")
    return str(request.param)


def test_every_operation_has_a_floor() -> None:
    plain = {row.operation for row in DEVICE_ROWS if row.tier == "baseline"}
    assert plain == {row.operation for row in cuesta.strategies(device="cpu")}


@pytest.mark.parametrize("operation", REQUESTS)
def test_devices_equal_the_cpu(operation: str, kind: str, picture: Picture) -> None:
    """Every request runs on the GPU without a name, and its result stays there."""
    for name, call in REQUESTS[operation].items():
        image = to_device(kind, picture)
        made = call(image)
        first = made.labels if isinstance(made, cuesta.Labels) else made
        first = first[0] if isinstance(first, tuple) else first
        assert type(first) is type(image) and first.device == image.device
        wanted = call(picture)
        if "f32" in name:
            # Convolve's README: 2e-5 of the largest sample.
            bound = 2e-5 * 255 if operation == "convolve" else 0
            np.testing.assert_allclose(to_host(made), wanted, rtol=2e-6, atol=bound)
        else:
            assert_equal(to_host(made), to_host(wanted))


@pytest.mark.parametrize("row", DEVICE_ROWS, ids=lambda row: f"{row.operation}:{row.name}")
def test_ladder(row: Any, picture: Picture) -> None:
    """Every row of the tables, by its name, gives the reference's bytes."""
    if row.operation in ("motion", "background"):
        frames = moving(picture)
        watch: Callable[..., Any]
        if row.operation == "motion":
            watch = detections
        else:
            watch = functools.partial(
                backgrounds, model="samples" if row.name == "words" else "first"
            )
        made = watch(frames, "torch", strategy=row.name)
        assert_equal(made, watch(frames, "numpy", strategy="serial"))
        assert any(map(np.any, made))
        return
    image = torch.from_numpy(picture).cuda()
    refused = []
    for name, call in REQUESTS[row.operation].items():
        try:
            made = to_host(call(image, strategy=row.name))
        except cuesta.Unsupported as refusal:
            refused.append(f"{name}: {refusal}")
            continue
        wanted = to_host(call(picture, strategy="serial"))
        if "f32" in name:
            # Convolve's README: 2e-5 of the largest sample.
            np.testing.assert_allclose(made, wanted, rtol=2e-6, atol=2e-5 * 255)
        else:
            assert_equal(made, wanted)
    assert len(refused) < len(REQUESTS[row.operation]), "\n".join(refused)


def moving(picture: Picture) -> list[Picture]:
    frames = []
    for i in range(6):
        frame = picture.copy() // 2
        frame[20:60, 10 * i : 10 * i + 30] = 250
        frames.append(frame)
    return frames


def detections(frames: list[Picture], kind: str, **how: Any) -> list[Any]:
    """Box, area and centroid of the foreground, a frame after the other."""
    detector = cuesta.MotionDetector("first", blur=5, close="disk:3", open="disk:3")
    found = []
    for frame in frames:
        array = frame if kind == "numpy" else to_device(kind, frame)
        seen = [(*d.box, d.area, *d.centroid) for d in detector.push(array, **how)]
        found.append(np.array(seen, np.float64).reshape(-1, 7))
    return found


def backgrounds(frames: list[Picture], kind: str, model: str = "first", **how: Any) -> list[Any]:
    """Background, difference and mask, a frame after the other."""
    subtractor = cuesta.BackgroundSubtractor(model)
    made = []
    for frame in frames:
        array = frame if kind == "numpy" else to_device(kind, frame)
        made.extend(to_host(subtractor.push(array, 20, **how)))
    return made


def test_motion_on_the_device(kind: str, picture: Picture) -> None:
    frames = moving(picture)
    for how in ({}, {"strategy": "v1.3"}):
        assert_equal(detections(frames, kind, **how), detections(frames, "numpy"))
    assert_equal(backgrounds(frames, kind), backgrounds(frames, "numpy"))


def test_cameras_on_the_device(kind: str, picture: Picture) -> None:
    def watch(where: str) -> list[Any]:
        options: dict[str, Any] = {"blur": 5, "close": "disk:3", "open": "disk:3", "warm_up": 1}
        cameras = [cuesta.MotionDetector(model, **options) for model in ("first", "mean", "first")]
        found = []
        for frame in moving(picture):
            frames = [frame, frame[: frame.shape[0] // 2], np.ascontiguousarray(frame[:, ::-1])]
            there = frames if where == "numpy" else [to_device(kind, each) for each in frames]
            found.append(cuesta.MotionDetector.push_cameras(cameras, there))
        return [*found, *(camera.mask.tolist() for camera in cameras)]

    found = watch(kind)
    assert found == watch("numpy")
    assert all(map(any, zip(*found[:-3], strict=True)))


def test_a_detector_waits_for_the_frames_stream(picture: Picture) -> None:
    frames = moving(picture)
    wanted = detections(frames, "numpy")
    detector = cuesta.MotionDetector("first", blur=5, close="disk:3", open="disk:3")
    stream = torch.cuda.Stream()
    late = [torch.from_numpy(frame).cuda() for frame in frames]
    torch.cuda.synchronize()
    for frame, objects in zip(late, wanted, strict=True):
        with torch.cuda.stream(stream):
            image = torch.zeros_like(frame)
            torch.cuda._sleep(20_000_000)
            image.copy_(frame)
            found = detector.push(image, strategy="v1.2")
        assert [(*d.box, d.area) for d in found] == [tuple(row[:5]) for row in objects]


@pytest.mark.parametrize(
    "row",
    [r for r in DEVICE_ROWS if r.operation in REQUESTS and not (r.host_sync or r.allocates)],
    ids=lambda row: f"{row.operation}:{row.name}",
)
def test_nothing_waits(row: Any, picture: Picture) -> None:
    """A row that its table does not call waiting returns while its stream is still busy."""
    image = torch.from_numpy(picture).cuda()
    ran = 0
    for name, call in REQUESTS[row.operation].items():
        if name in ("automatic", "gaussian-f32", "5-f32", "8", "4"):
            continue  # thresholds and tables come to the host; a cast of the test's own
        stream = torch.cuda.Stream()
        try:
            with torch.cuda.stream(stream):
                wanted = to_host(call(image, strategy=row.name))  # this stream's scratch
        except cuesta.Unsupported:
            continue
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            torch.cuda._sleep(200_000_000)  # about 0.1 s
            made = call(image, strategy=row.name)
            busy = not stream.query()
        assert busy, f"{name} waited for its stream"
        stream.synchronize()
        assert_equal(to_host(made), wanted)
        ran += 1
    assert ran


def test_the_callers_stream_orders_the_work(picture: Picture) -> None:
    """What the stream writes before the call, late, is what the call reads."""
    stream = torch.cuda.Stream()
    image = torch.zeros(picture.shape, dtype=torch.uint8, device="cuda")
    late = torch.from_numpy(picture).cuda()
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(50_000_000)
        image.copy_(late)
        edges = cuesta.canny(image, 40, 90)
        by_operator = torch.ops.cuesta.canny(image, [40.0], [90.0])
    stream.synchronize()
    wanted = cuesta.canny(picture, 40, 90)
    assert_equal(to_host(edges), wanted)
    assert_equal(to_host(by_operator), wanted)


def test_a_stream_by_name(picture: Picture) -> None:
    image = torch.from_numpy(picture).cuda()
    torch.cuda.synchronize()
    wanted = cuesta.canny(picture, 40, 90)
    stream = torch.cuda.Stream()
    for argument in (stream, stream.cuda_stream):
        torch.cuda.synchronize()
        out = torch.zeros_like(image)
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            torch.cuda._sleep(100_000_000)
        made = cuesta.canny(image, 40, 90, stream=argument, out=out)
        assert made is out
        assert torch.cuda.current_stream().query() and not stream.query()
        stream.synchronize()
        assert_equal(to_host(made), wanted)


def test_cupy_streams(picture: Picture) -> None:
    cupy = pytest.importorskip("cupy")
    image = cupy.asarray(picture)
    cupy.cuda.Device().synchronize()
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        edges = cuesta.canny(image, 40, 90)
    stream.synchronize()
    assert isinstance(edges, cupy.ndarray)
    assert_equal(edges.get(), cuesta.canny(picture, 40, 90))


@pytest.mark.parametrize("operation", ["canny", "median", "gaussian", "label"])
def test_one_thread_on_two_gpus(operation: str, kind: str, picture: Picture) -> None:
    """Each GPU's scratch memory is its own, also where both work on their default streams."""
    if (gpus := torch.cuda.device_count()) < 2:
        pytest.skip(f"needs two GPUs, there are {gpus}")

    def on(gpu: int) -> Any:
        if kind == "torch":
            return torch.from_numpy(picture).to(f"cuda:{gpu}")
        import cupy

        with cupy.cuda.Device(gpu):
            return cupy.asarray(picture)

    calls: dict[str, Call] = {
        "canny": cuesta.canny,
        "median": functools.partial(cuesta.median, ksize=15),
        "gaussian": functools.partial(cuesta.gaussian, sigma=3),
        "label": cuesta.label,
    }
    wanted = to_host(calls[operation](picture))
    for gpu in (0, 1, 0, 1):
        assert_equal(to_host(calls[operation](on(gpu))), wanted)
    cuesta.release_memory()


def test_out_and_pitched_rows(kind: str, picture: Picture) -> None:
    image = to_device(kind, picture)
    region, cut = image[5:70, 9:100], picture[5:70, 9:100]
    wanted = cuesta.canny(cut, 40, 90)
    assert_equal(to_host(cuesta.canny(region, 40, 90)), wanted)
    frame = to_device(kind, np.full_like(picture, 7))
    out = frame[5:70, 9:100]
    assert cuesta.canny(region, 40, 90, out=out) is out
    host = to_host(frame)
    assert_equal(host[5:70, 9:100], wanted)
    host[5:70, 9:100] = 7
    assert (host == 7).all(), "written outside the region"


def test_batches_with_a_threshold_pair_each(kind: str, batch: Picture) -> None:
    low, high = [10, 20, 30, 5], [40, 60, 80, 15]
    wanted = np.stack([cuesta.canny(p, a, b) for p, a, b in zip(batch, low, high, strict=True)])
    images = to_device(kind, batch)
    assert_equal(to_host(cuesta.canny(images, low, high, layout="NHW")), wanted)
    planes = images[:, None]
    edges = cuesta.canny(planes, low, high, layout="NCHW")
    assert tuple(edges.shape) == tuple(planes.shape)
    assert_equal(to_host(edges)[:, 0], wanted)
    assert_equal(to_host(cuesta.sobel(images, layout="NHW")), cuesta.sobel(batch, layout="NHW"))


def test_operators_on_the_device(picture: Picture) -> None:
    image = torch.from_numpy(picture).cuda()
    for operator, arguments, options in (
        ("canny", ([40.0], [90.0]), {}),
        ("log_edges", (), {}),
        ("sobel", (), {"outputs": ["gx", "magnitude"]}),
        ("sobel", (), {"outputs": ["magnitude"], "strategy": "shared-1d"}),
        ("gaussian", (1.4,), {"strategy": "separable"}),
        ("label", (), {"strategy": "union-find"}),
    ):
        function = getattr(torch.ops.cuesta, operator).default
        torch.library.opcheck(function, (image, *arguments), options)
    compiled = torch.compile(
        lambda t: cuesta.canny(t, 40, 90).float() * 2, backend="aot_eager", fullgraph=True
    )
    assert_equal(to_host(compiled(image)), 2.0 * cuesta.canny(picture, 40, 90))


def test_streams_in_threads(picture: Picture) -> None:
    from concurrent.futures import ThreadPoolExecutor

    image = torch.from_numpy(picture).cuda()
    torch.cuda.synchronize()

    def work(i: int) -> Any:
        with torch.cuda.stream(torch.cuda.Stream()):
            return to_host([cuesta.canny(image, 20 + i, 90 + i) for _ in range(20)])

    with ThreadPoolExecutor(max_workers=4) as pool:
        for i, made in enumerate(pool.map(work, range(8))):
            wanted = cuesta.canny(picture, 20 + i, 90 + i)
            assert all(np.array_equal(edges, wanted) for edges in made)


def test_pixels_may_lie_apart(picture: Picture) -> None:
    color = np.stack([picture, picture[::-1], 255 - picture], -1)
    image = torch.from_numpy(color).cuda()
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    for view, plain in (
        (image[..., 1], color[..., 1]),
        (image[..., 0].T, picture.T),
        (image[:, ::2, 2], color[:, ::2, 2]),
    ):
        wanted = cuesta.canny(plain.copy(), 40, 90)
        assert_equal(to_host(cuesta.canny(view, 40, 90)), wanted)
        for given in (stream, stream.cuda_stream):
            out = torch.zeros(*view.shape, 2, dtype=torch.uint8, device="cuda")
            torch.cuda.synchronize()
            cuesta.canny(view, 40, 90, out=out[..., 1], stream=given)
            stream.synchronize()
            assert_equal(to_host(out[..., 1]), wanted)


class Bare:
    """A producer of DLPack and nothing else, such as a video decoder's frames."""

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor

    def __dlpack__(self, **keywords: Any) -> Any:
        return self.tensor.__dlpack__(**keywords)

    def __dlpack_device__(self) -> Any:
        return self.tensor.__dlpack_device__()


class Interface:
    """A producer of the CUDA array interface and nothing else, such as numba's arrays."""

    def __init__(self, tensor: Any, stream: int | None) -> None:
        self.tensor = tensor
        self.__cuda_array_interface__ = {
            **tensor.__cuda_array_interface__,
            "stream": stream,
            "version": 3,
        }


def test_producers_without_a_library(picture: Picture) -> None:
    image = torch.from_numpy(picture).cuda()
    region = image[3:50, 5:70]
    from_dlpack: Any = getattr(torch, "from_dlpack")
    side = torch.cuda.Stream()
    torch.cuda.synchronize()
    for tensor, plain in ((image, picture), (region, picture[3:50, 5:70].copy())):
        streams = (None, 1, side.cuda_stream)
        producers: list[Any] = [Bare(tensor), *(Interface(tensor, stream) for stream in streams)]
        for producer in producers:
            edges = cuesta.canny(producer, 40, 90)
            assert (
                edges.shape == plain.shape
                and edges.__dlpack_device__() == tensor.__dlpack_device__()
            )
            assert_equal(to_host(from_dlpack(edges)), cuesta.canny(plain, 40, 90))
            # What comes out goes in, and is what numba reads.
            smooth = cuesta.gaussian(edges, 1.4)
            assert_equal(
                to_host(from_dlpack(smooth)), cuesta.gaussian(cuesta.canny(plain, 40, 90), 1.4)
            )
            assert_equal(
                to_host(torch.as_tensor(edges, device="cuda")), cuesta.canny(plain, 40, 90)
            )
            found = cuesta.label(producer)
            assert_equal(found.areas, cuesta.label(plain).areas)
    apart: Any = Bare(image[:, ::2])
    with pytest.raises(cuesta.InvalidArgument, match="must be contiguous"):
        cuesta.canny(apart, 40, 90)
    host = np.zeros((4, 5), np.uint8)
    wrong: Any = Interface(image, None)
    wrong.__cuda_array_interface__ = {
        **wrong.__cuda_array_interface__,
        "data": (host.ctypes.data, False),
    }
    with pytest.raises((cuesta.InvalidArgument, cuesta.DeviceError), match="is not GPU memory"):
        cuesta.canny(wrong, 40, 90)


def test_kinds_do_not_mix(picture: Picture) -> None:
    image = torch.from_numpy(picture).cuda()
    calls: list[Call] = [
        lambda: cuesta.canny(image, out=torch.from_numpy(picture.copy())),
        lambda: cuesta.canny(image, mask=torch.from_numpy(picture)),
        lambda: cuesta.absdiff(image, picture),
    ]
    for call in calls:
        with pytest.raises(cuesta.InvalidArgument, match="CPU"):
            call()


LINES: dict[str, tuple[str, dict[str, Any]]] = {
    "automatic": ("uint8", {}),
    "given": ("uint8", {"low": 40, "high": 90, "min_length": 3, "refinement": "devernay"}),
    "u16": ("uint16", {"sigma": 2.0}),
    "f32": ("float32", {"aperture": 5}),
    "log": ("uint8", {"method": "log", "min_length": 3}),
    "log of u16": ("uint16", {"method": "log", "sigma": 3.0, "refinement": "parabola"}),
}


@pytest.mark.parametrize("request_name", LINES)
def test_lines_are_the_cpus(request_name: str, kind: str, picture: Picture) -> None:
    dtype, how = LINES[request_name]
    if dtype == "uint16" and kind == "torch" and not hasattr(torch, "uint16"):
        pytest.skip("this torch has no uint16")
    image: Any = picture.astype(dtype) * (256 if dtype == "uint16" else 1)
    there, host = to_device(kind, image), cuesta.trace(image, **how)
    assert len(host) > 5
    same_lines(cuesta.trace(there, **how), host)
    if "method" not in how:
        of_canny = ("low", "high", "sigma", "aperture")
        edges = cuesta.canny(image, **{name: how[name] for name in of_canny if name in how})
        assert isinstance(edges, np.ndarray)
        same_lines(cuesta.trace(there, edges=to_device(kind, edges), **how), host)
        mask = np.zeros_like(picture)
        mask[:, : picture.shape[1] // 2] = 1
        inside = cuesta.trace(image, mask=mask, **how)
        same_lines(cuesta.trace(there, mask=to_device(kind, mask), **how), inside)
        with pytest.raises(cuesta.InvalidArgument, match="edges is numpy on the CPU"):
            cuesta.trace(there, edges=edges, **how)


def same_lines(made: list[cuesta.Line], wanted: list[cuesta.Line]) -> None:
    assert len(made) == len(wanted)
    for a, b in zip(made, wanted, strict=True):
        assert (
            a.points.tobytes() == b.points.tobytes()
            and a.strengths.tobytes() == b.strengths.tobytes()
        )
        assert a[2:] == b[2:]


def test_lines_follow_the_callers_stream(picture: Picture) -> None:
    pinned = torch.from_numpy(picture.copy()).pin_memory()
    image = torch.zeros(picture.shape, dtype=torch.uint8, device="cuda")
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(50_000_000)
        image.copy_(pinned, non_blocking=True)
    same_lines(cuesta.trace(image, 40, 90, stream=stream), cuesta.trace(picture, 40, 90))


@pytest.mark.timeout(400)  # other suites may share the GPU
def test_verify_on_the_device() -> None:
    reports = cuesta.verify("sobel", device="cuda")
    assert reports and all(report.passed for report in reports)

"""Calls recorded into CUDA graphs: what must be said on any machine, and on a GPU the CPU's bytes again and again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import cuesta
from cuesta import _graphs as graphs
from cuesta._kinds import kind_of

torch = pytest.importorskip("torch")

Picture = npt.NDArray[np.uint8]


# ---- anywhere


@pytest.mark.parametrize("make", [np.asarray, torch.from_numpy], ids=["numpy", "torch"])
def test_host_arrays_are_refused_in_words(make: Callable[[Picture], Any], picture: Picture) -> None:
    with pytest.raises(
        cuesta.InvalidArgument, match="on the CPU; it must be a torch or cupy array on a CUDA"
    ):
        cuesta.graphed(cuesta.sobel, make(picture))


def test_a_call_without_arrays_is_refused() -> None:
    with pytest.raises(cuesta.InvalidArgument, match="no example"):
        cuesta.graphed(cuesta.sobel)
    with pytest.raises(TypeError, match="example 0 is str"):
        cuesta.graphed(cuesta.sobel, "picture.png")


class Recorded:
    """A graph on the host: launching it makes the call."""

    def __init__(self, call: Callable[[], Any], like: Any) -> None:
        self._call = call
        self.result = call()
        self.copies = 0

    def launch(self) -> None:
        self.result[...] = self._call()

    def copy(self, given: Any, into: Any) -> None:
        self.copies += 1
        into[...] = given


def recorded(picture: Picture) -> tuple[Recorded, graphs.Graphed[Picture]]:
    example = picture.copy()
    graph = Recorded(lambda: cuesta.sobel(example), example)
    return graph, graphs.Graphed(graph, kind_of(example, "image"), (example,))


def test_arrays_in_place_are_read_and_others_copied_first(picture: Picture) -> None:
    graph, step = recorded(picture)
    (example,) = step.arrays
    example[:] = picture[::-1]
    for made in (step(), step(example)):
        assert made is step.result
        assert (made == cuesta.sobel(picture[::-1])).all()
    assert graph.copies == 0
    assert (step(picture) == cuesta.sobel(picture)).all()
    assert graph.copies == 1 and (example == picture).all()


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (
            lambda p: (p[:-1],),
            r"array 0 has shape and type \(96, 131\) uint8 and was recorded with \(97, 131\) uint8",
        ),
        (
            lambda p: (p.astype(np.uint16),),
            r"\(97, 131\) uint16 and was recorded with \(97, 131\) uint8",
        ),
        (lambda p: (p, p), "2 arrays are given and the call was recorded with 1"),
        (
            lambda p: (torch.from_numpy(p),),
            "array 0 is torch on the CPU and was recorded as numpy on the CPU",
        ),
    ],
    ids=["shape", "type", "number", "library"],
)
def test_other_arrays_than_the_recorded_are_refused(
    wrong: Callable[[Picture], tuple[Any, ...]], says: str, picture: Picture
) -> None:
    graph, step = recorded(picture)
    with pytest.raises(cuesta.InvalidArgument, match=says):
        step(*wrong(picture))
    assert graph.copies == 0


# ---- on a GPU

CALLS: dict[str, Callable[[Any], Any]] = {
    "sobel": cuesta.sobel,
    "canny": lambda x: cuesta.canny(x, 40, 90),
    "log_edges": cuesta.log_edges,
    "gaussian": lambda x: cuesta.gaussian(x, 1.4),
    "median": lambda x: cuesta.median(x, 5),
    "close": lambda x: cuesta.close(x, "disk:15"),
    "chain": lambda x: cuesta.threshold(cuesta.absdiff(cuesta.box(x, 5), x), 3),
}


def to_gpu(library: str, picture: Picture) -> Any:
    if library == "cupy":
        return pytest.importorskip("cupy").asarray(picture)
    return torch.from_numpy(picture.copy()).cuda()


def to_host(array: Any) -> Picture:
    return np.asarray(array.get() if hasattr(array, "get") else array.cpu().numpy())


@pytest.mark.cuda
@pytest.mark.parametrize("library", ["torch", "cupy"])
@pytest.mark.parametrize("name", CALLS)
def test_a_recorded_call_runs_again_on_other_pictures(
    library: str, name: str, batch: Picture
) -> None:
    call = CALLS[name]
    step = cuesta.graphed(call, to_gpu(library, batch[0]))
    for picture in (*batch, batch[0]):
        assert (to_host(step(to_gpu(library, picture))) == call(picture)).all()
    # Calls of other sizes between, which take and give back memory, leave the graph's alone.
    call(to_gpu(library, np.tile(batch[1], (5, 5))))
    cuesta.release_memory()
    assert (to_host(step()) == call(batch[0])).all()


@pytest.mark.cuda
@pytest.mark.parametrize("name", CALLS)
def test_torchs_own_capture_takes_a_call(name: str, batch: Picture) -> None:
    call = CALLS[name]
    x = to_gpu("torch", batch[0])
    call(x)  # loads the kernels
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        made = call(x)
    call(to_gpu("torch", np.tile(batch[1], (5, 5))))
    for picture in (batch[2], batch[0]):
        x.copy_(to_gpu("torch", picture))
        graph.replay()
        assert (to_host(made) == call(picture)).all()


@pytest.mark.cuda
@pytest.mark.parametrize("library", ["torch", "cupy"])
@pytest.mark.parametrize(
    "call", [cuesta.canny, cuesta.histogram, cuesta.label], ids=["canny", "histogram", "label"]
)
def test_calls_that_wait_are_refused_in_words(
    library: str, call: Callable[[Any], Any], picture: Picture
) -> None:
    x = to_gpu(library, picture)
    with pytest.raises(cuesta.Unsupported, match="graph"):
        cuesta.graphed(call, x)
    # And the GPU continues.
    assert (to_host(cuesta.sobel(x)) == cuesta.sobel(picture)).all()

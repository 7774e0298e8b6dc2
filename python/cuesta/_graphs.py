"""Calls on a GPU recorded once and launched again: CUDA graphs."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar

from cuesta._kinds import Kind, kind_of, where
from cuesta.errors import Error, InvalidArgument, Unsupported

__all__ = ["Graphed", "graphed"]

R = TypeVar("R")

# The first call of a size takes memory, which a graph cannot hold; the second finds it in one piece.
_CALLS_BEFORE = 2


class _Graph(Protocol):
    """A graph of one array library: made from a call, it holds what that call returned."""

    result: Any

    def __init__(self, call: Callable[[], Any], like: Any) -> None: ...
    def launch(self) -> None:
        """On the library's current stream."""

    def copy(self, given: Any, into: Any) -> None:
        """The same, of an array into another."""


class _TorchGraph:
    def __init__(self, call: Callable[[], Any], like: Any) -> None:
        import torch

        with torch.cuda.device(like.device):
            side = torch.cuda.Stream()
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                for _ in range(_CALLS_BEFORE):
                    call()
            torch.cuda.current_stream().wait_stream(side)
            self._graph = torch.cuda.CUDAGraph()
            failure: Exception | None = None
            try:
                # Tensors that the call makes are the graph's: they stay while it does.
                with torch.cuda.graph(self._graph, capture_error_mode="thread_local"):
                    try:
                        self.result = call()
                    except Exception as error:
                        failure = error
            except RuntimeError as error:  # of torch: a call ended the recording
                failure = failure or error
            if failure is not None:
                raise _not_recorded(failure) from failure

    def launch(self) -> None:
        self._graph.replay()

    def copy(self, given: Any, into: Any) -> None:
        into.copy_(given)


class _CupyGraph:
    def __init__(self, call: Callable[[], Any], like: Any) -> None:
        import cupy

        self._cupy = cupy
        with like.device:
            before = cupy.cuda.get_current_stream()
            # Its own memory pool hands nothing that the graph uses to others while this lives.
            self._stream = stream = cupy.cuda.Stream(non_blocking=True)
            stream.wait_event(before.record())
            with stream:
                for _ in range(_CALLS_BEFORE):
                    call()
                stream.synchronize()
                stream.begin_capture(cupy.cuda.runtime.streamCaptureModeRelaxed)
                failure: Exception | None = None
                try:
                    self.result = call()
                except Exception as error:
                    failure = error
                try:
                    self._graph = stream.end_capture()
                except cupy.cuda.runtime.CUDARuntimeError as error:
                    failure = failure or error
            if failure is not None:
                raise _not_recorded(failure) from failure

    def launch(self) -> None:
        self._graph.launch(self._cupy.cuda.get_current_stream())

    def copy(self, given: Any, into: Any) -> None:
        into[...] = given


def _not_recorded(failure: Exception) -> Exception:
    """What the caller's function raised, in its words; what the library did, in ours."""
    if isinstance(failure, Error) or not isinstance(failure, RuntimeError):
        return failure
    return Unsupported(
        f"graphed: the calls cannot be recorded ({failure}); a CUDA graph holds what stays on the GPU: no call that "
        "waits for it or brings an answer to the host",
        str(failure),
    )


_GRAPHS: dict[str, type[_Graph]] = {"torch": _TorchGraph, "cupy": _CupyGraph}


class Graphed(Generic[R]):
    """A call recorded by `graphed`.

    Attributes
    ----------
    arrays : tuple of arrays
        What each launch reads: the examples.
    result
        What the call returned when it was recorded. Every launch writes the same arrays.
    """

    def __init__(self, graph: _Graph, kind: Kind, arrays: tuple[Any, ...]) -> None:
        self._graph = graph
        self._kind = kind
        self._device = kind.device(arrays[0])
        self.arrays = arrays
        self.result: R = graph.result

    def __call__(self, *arrays: Any) -> R:
        """Launches the graph on the current stream of the arrays' library, without waiting.

        Parameters
        ----------
        *arrays
            None: the examples are read as they are now, and the call is one launch. Else one for each example, of its
            library, device, shape and type; those that are not the example itself are copied into it before.

        Returns
        -------
        `result`, whose arrays hold the answer until the next launch.
        """
        if arrays:
            self._take(arrays)
        self._graph.launch()
        return self.result

    def _take(self, arrays: tuple[Any, ...]) -> None:
        if len(arrays) != len(self.arrays):
            raise InvalidArgument(
                f"{len(arrays)} arrays are given and the call was recorded with {len(self.arrays)}; give as many, or "
                "none where they are in place",
                str(len(arrays)),
            )
        kind = self._kind
        copies = []
        for i, (given, example) in enumerate(zip(arrays, self.arrays)):
            if given is example:
                continue
            found = kind_of(given, f"array {i}")
            if found is not kind or kind.device(given) != self._device:
                raise InvalidArgument(
                    f"array {i} is {where(found, given)} and was recorded {where(kind, example)}; they must be alike",
                    where(found, given),
                )
            says, recorded = (f"{tuple(a.shape)} {kind.dtype(a)}" for a in (given, example))
            if says != recorded:
                raise InvalidArgument(
                    f"array {i} has shape and type {says} and was recorded with {recorded}; record a call for each",
                    says,
                )
            copies.append((given, example))
        for given, example in copies:
            self._graph.copy(given, example)


def graphed(function: Callable[..., R], *examples: Any, **options: Any) -> Graphed[R]:
    """Records ``function(*examples, **options)`` into a CUDA graph, which then runs again at the cost of one launch.

    Parameters
    ----------
    function : callable
        A function of this package, or one of yours that makes several such calls (and, for torch, any operation of
        torch's that its graphs take). It is called three times; what it does on the host is not repeated by launches.
    *examples : torch or cupy arrays on one CUDA device
        What the call reads. The graph reads this memory again at every launch: fill the arrays, or hand others over.
    **options
        Handed on to `function`.

    Returns
    -------
    Graphed
        ``step()`` launches; ``step(array)`` copies the array into the example before. Both return the arrays that the
        recorded call made, which every launch writes anew.

    Raises
    ------
    InvalidArgument
        For arrays on the CPU, of other libraries, or on several devices.
    Unsupported
        For calls whose answer is a host object, which they wait for: automatic thresholds of `canny`, `histogram`,
        `label`, `MotionDetector`; and for filters that the strategy "plain" alone takes, which copies its taps from the
        host.

    Notes
    -----
    torch's and cupy's own capture take calls of this package too, in ``torch.cuda.graph(...)`` say: a recorded call's
    scratch memory is the graph's.

    Examples
    --------
    >>> step = cuesta.graphed(cuesta.canny, frame, low=50, high=100)  # doctest: +SKIP
    >>> edges = step(next_frame)  # doctest: +SKIP
    """
    if not examples:
        raise InvalidArgument(
            "graphed: no example is given; give the arrays that the call reads", "none"
        )
    kinds = [kind_of(array, f"example {i}") for i, array in enumerate(examples)]
    kind, device = kinds[0], kinds[0].device(examples[0])
    for i, (found, array) in enumerate(zip(kinds, examples)):
        if found.device(array) < 0 or found.name not in _GRAPHS:
            raise InvalidArgument(
                f"example {i} is {where(found, array)}; graphs are of torch's or cupy's arrays on a CUDA device",
                where(found, array),
            )
        if found is not kind or found.device(array) != device:
            raise InvalidArgument(
                f"example {i} is {where(found, array)} and example 0 {where(kind, examples[0])}; they must be alike",
                where(found, array),
            )
    graph = _GRAPHS[kind.name](functools.partial(function, *examples, **options), examples[0])
    return Graphed(graph, kind, examples)

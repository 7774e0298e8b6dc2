"""Calls on a GPU that are recorded once and launched many times: CUDA graphs."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar

from cuesta._kinds import Kind, kind_of, where
from cuesta.errors import Error, InvalidArgument, Unsupported

__all__ = ["Graphed", "graphed"]

R = TypeVar("R")

# The first call of a size allocates memory, which a graph cannot do; the second finds it in one
# piece.
_CALLS_BEFORE = 2


class _Graph(Protocol):
    """A graph of one array library, recorded from a call, with what that call returned."""

    result: Any

    def __init__(self, call: Callable[[], Any], like: Any) -> None: ...
    def launch(self) -> None:
        """Launches the graph on the library's current stream."""

    def copy(self, given: Any, into: Any) -> None:
        """Copies an array into another on that stream."""


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
                # Tensors that the call makes belong to the graph, and exist as long as it does.
                with torch.cuda.graph(self._graph, capture_error_mode="thread_local"):
                    try:
                        self.result = call()
                    except Exception as error:
                        failure = error
            except RuntimeError as error:  # from torch: a call ended the recording
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
            # While the stream exists, its memory pool does not reuse what the graph uses.
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
    """Returns the error of a failed recording.

    An error of the caller's function or of this package stays as it is; the array library's becomes
    Unsupported.
    """
    if isinstance(failure, Error) or not isinstance(failure, RuntimeError):
        return failure
    return Unsupported(
        f"graphed: the calls cannot be recorded ({failure}); a CUDA graph supports calls that neither wait for the GPU "
        "nor copy a result to the host",
        str(failure),
    )


_GRAPHS: dict[str, type[_Graph]] = {"torch": _TorchGraph, "cupy": _CupyGraph}


class Graphed(Generic[R]):
    """A call that `graphed` recorded.

    Attributes
    ----------
    arrays : tuple of arrays
        The examples, which each launch reads.
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
            With none the examples are read as they are now, in one launch. Otherwise give one for
            each example, with its library, device, shape and type. Arrays that are not the example
            itself are copied into it first.

        Returns
        -------
        object
            `result`, whose arrays are valid until the next launch.

        Raises
        ------
        InvalidArgument
            The number of arrays differs, or an array does not match its example.
        """
        if arrays:
            self._take(arrays)
        self._graph.launch()
        return self.result

    def _take(self, arrays: tuple[Any, ...]) -> None:
        if len(arrays) != len(self.arrays):
            raise InvalidArgument(
                f"{len(arrays)} arrays are given and the call was recorded with {len(self.arrays)}; give the same number, or "
                "none to launch with the examples",
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
                    f"array {i} is {where(found, given)} and was recorded as {where(kind, example)}; they must be of one library and device",
                    where(found, given),
                )
            given_as, recorded = (f"{tuple(a.shape)} {kind.dtype(a)}" for a in (given, example))
            if given_as != recorded:
                raise InvalidArgument(
                    f"array {i} has shape and type {given_as} and was recorded with {recorded}; record a graph for each shape and type",
                    given_as,
                )
            copies.append((given, example))
        for given, example in copies:
            self._graph.copy(given, example)


def graphed(function: Callable[..., R], *examples: Any, **options: Any) -> Graphed[R]:
    """Records ``function(*examples, **options)`` as a CUDA graph, which runs again with one launch.

    Parameters
    ----------
    function : callable
        A function of this package, or one of yours that makes several such calls. With torch it may
        also use any operation that torch's graphs support. It is called three times. What it does
        on the host is not repeated by launches.
    *examples : torch or cupy arrays on one CUDA device
        The arrays that the call reads. Every launch reads this memory again: fill the arrays, or
        pass others.
    **options
        Passed on to `function`.

    Returns
    -------
    Graphed
        ``step()`` launches; ``step(array)`` first copies the array into the example. Both return
        the arrays of the recorded call, which every launch overwrites.

    Raises
    ------
    InvalidArgument
        The arrays are on the CPU, of other libraries, or on several devices.
    Unsupported
        The call waits for a result on the host: automatic thresholds of `canny`, `histogram`,
        `label`, `MotionDetector`. Also filters that only the strategy "plain" supports, which
        copies its taps from the host.

    Notes
    -----
    The capture of torch and cupy records calls of this package too, as in
    ``torch.cuda.graph(...)``. The scratch memory of a recorded call belongs to the graph.

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
                f"example {i} is {where(found, array)}; it must be a torch or cupy array on a CUDA device",
                where(found, array),
            )
        if found is not kind or found.device(array) != device:
            raise InvalidArgument(
                f"example {i} is {where(found, array)} and example 0 {where(kind, examples[0])}; they must be of one library and device",
                where(found, array),
            )
    graph = _GRAPHS[kind.name](functools.partial(function, *examples, **options), examples[0])
    return Graphed(graph, kind, examples)

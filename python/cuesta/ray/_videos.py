"""Videos: chains of parts, processed by workers and joined in order.

The result for a frame depends on the background, which every model but one learns from all frames
before. To equal the result of one process, a part must therefore resume from the state of the part
before it. With a video for every worker, each worker processes its video to the end. It leaves the
detector's state after each part, for the worker that resumes if it dies. Otherwise the state is
passed from part to part on any worker, and the next parts are decoded while it is in flight. One
model is determined by its first frames (`MotionDetector.initialised_by`); only then are the parts of
one video processed in parallel.
"""

from __future__ import annotations

import inspect
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Union

import numpy as np
import ray
import ray.data

from cuesta import CountingLine, MotionDetector, Tracker, VideoPart, Zone
from cuesta.errors import InvalidArgument
from cuesta.ray import _places as places
from cuesta.ray._outputs import TABLES, Output, Summary, cause_of
from cuesta.ray._parts import _WHOLE, Fault, Found, Lost, Watch, look_at, parts_of
from cuesta.ray._rows import SCHEMAS, _finish

if TYPE_CHECKING:
    from ray.data import Dataset

__all__ = ["detect"]

Progress = Callable[[int, Union[int, None], int], None]
Path = Union[str, "os.PathLike[str]"]
#: Attempts at a part whose worker dies each time, before the video is given up.
_TRIES = 8
#: Attempts at a video whose state is lost.
_BEGINNINGS = 50


class Ended(NamedTuple):
    """A video that is complete."""

    name: str
    error: str
    part: str
    table: Any
    """A reference to its rows, where nothing is written."""


@dataclass
class _Cluster:
    """The tasks of a job.

    Each task may run twice, because a worker or machine may die. Its only effects are files whose
    names follow from their content's source. A part that is lost with its worker is restarted here,
    from the last available state. Ray does not restart it, because such a chain was seen to wait
    forever (docs/dev/decisions/0058).

    With a video for every worker, a task runs to the end of its video, and leaves the states after
    its parts. Otherwise the next parts are tasks of their own. They decode meanwhile, or detect
    where the state allows it.
    """

    watch: Watch
    num_cpus: float
    at_once: int
    """Largest number of parts of one video in flight; with 1 one task has all of them."""
    _stopped: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        often = {"max_retries": -1, "num_cpus": self.num_cpus}
        self._watch = ray.put(self.watch)
        self._cut: Any = ray.remote(**often)(parts_of)
        self._look: Any = ray.remote(num_cpus=self.num_cpus, max_retries=0)(look_at)
        self._finish: Any = ray.remote(**often, num_returns=2)(_finish)
        self._founded = self.watch.detector().initialised_by

    def stop(self) -> None:
        """Stops all videos, from any thread."""
        self._stopped.set()

    def _wait(self, reference: Any) -> Any:
        """Waits for a reference, or for the next result of a task."""
        while not ray.wait([reference], timeout=0.5)[0]:
            if self._stopped.is_set():
                raise InterruptedError("the job was stopped")
        return reference

    def _get(self, reference: Any) -> Any:
        return ray.get(self._wait(reference))

    def video(self, video: str, name: str) -> Ended:
        """Processes a video to its end; runs in a thread of its own."""
        parts = self._get(self._cut.remote(self._watch, video))
        found = parts if isinstance(parts, Fault) else self._parts(video, parts)
        if isinstance(found, Fault) and not isinstance(parts, Fault) and len(parts) > 1:
            # The video is damaged, or its container is wrong. One process finds the error of the whole.
            found = self._parts(video, [_WHOLE])
        part, table = self._finish.remote(self._watch, name, found)
        return Ended(name, found.reason if isinstance(found, Fault) else "", self._get(part), table)

    def _parts(self, video: str, parts: Sequence[VideoPart]) -> list[Found] | Fault:
        """Returns the moving objects of each part, or the reason why one cannot be read."""
        found: list[Found] = []
        states: dict[int, Any] = {
            0: None
        }  # before parts; those that no later part resumes from are dropped
        in_flight: deque[tuple[Any, Iterator[Any]]] = (
            deque()
        )  # tasks, and references to their results
        begun = tries = beginnings = 0
        while len(found) < len(parts):
            if begun < len(parts) and len(in_flight) < (
                self.at_once if self._is_final(parts[begun]) else min(self.at_once, 2)
            ):
                end = len(parts) if self.at_once == 1 else begun + 1
                saves = sum(
                    not self._is_final(part) for part in parts[begun : min(end, len(parts) - 1)]
                )
                before = [] if states[begun] is None else [states[begun]]
                # Results of several parts are streamed; those of one have references for the next task.
                look = self._look.options(num_returns="streaming" if self.at_once == 1 else 2)
                task = look.remote(self._watch, video, parts[begun:end], before, saves)
                if self.at_once > 1:
                    states[end] = task[0] if saves else states[begun]
                in_flight.append((task, iter(task)))
                begun = end
                continue
            part = parts[len(found)]
            _, given = in_flight[0]
            state, made = self._next(given)
            if isinstance(made, Found) and part.frames in (-1, len(made.numbers)):
                is_final = self._is_final(part)
                states[len(found) + 1] = states[len(found)] if is_final else state
                del states[len(found)]
                found.append(made)
                if len(found) == begun or self.at_once > 1:
                    in_flight.popleft()
                tries = 0
                continue
            in_flight.clear()  # not cancelled (docs/dev/decisions/0058): they end on their own
            if isinstance(made, Found):
                return Fault(
                    f"{video}: {len(made.numbers)} frames are decoded, and its packets promise {part.frames}"
                )
            if isinstance(made, Fault):
                return made
            if isinstance(made, Lost):
                found.clear()
                states = {0: None}
                beginnings += 1
            else:
                tries += 1
            if tries == _TRIES or beginnings == _BEGINNINGS:
                how = (
                    f"its worker died {tries} times"
                    if tries == _TRIES
                    else f"its state was lost {beginnings} times"
                )
                return Fault(f"{video}: {how} at frame {part.first}")
            begun = len(found)
            states = {begun: states[begun]}
        return found

    def _next(self, given: Iterator[Any]) -> tuple[Any, Any]:
        """Returns the state after a part and its moving objects; None where the task has died."""
        try:
            state = next(given) if self.at_once > 1 else next(self._wait(given))
            return state, self._get(next(given) if self.at_once > 1 else next(self._wait(given)))
        except ray.exceptions.RayTaskError:  # an error in our code
            raise
        except (ray.exceptions.RayError, StopIteration):
            return None, None

    def _is_final(self, part: VideoPart) -> bool:
        """Whether the state before a part no longer changes."""
        return self._founded is not None and part.first >= self._founded


def detect(
    videos: Path | Sequence[Path],
    *,
    output: str | os.PathLike[str] | None = None,
    format: str = "parquet",
    rows: str = "events",
    zones: Sequence[Zone] = (),
    lines: Sequence[CountingLine] = (),
    mask: Any = None,
    filesystem: Any = None,
    part_frames: int = 250,
    num_cpus: float = 1,
    at_once: int | None = None,
    max_pixels: int | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> Dataset | Summary:
    """Finds moving objects in videos, on the machines of a Ray cluster.

    Parameters
    ----------
    videos : path, or sequence of paths
        Files that every machine reads, or addresses (s3://, gs://). A folder is all files in it,
        and a pattern all that match.
    output : path or address, optional
        The folder for the results, on any of pyarrow's file systems. Without one nothing is
        written, and the rows are returned.
    format : {"parquet", "ndjson"}
        The format of the output, one file for each video.
    rows : {"events", "objects"}
        "events": a row is a `cuesta.Event`. "objects": a row is an object in a frame, a
        `cuesta.TrackedObject`. A video that cannot be read is one row with its `error`, which is
        empty in the others.
    zones, lines, mask, max_pixels
        See `cuesta.detect`.
    filesystem : pyarrow.fs.FileSystem, optional
        The file system of the videos and of the output, where an address does not name it.
    part_frames : int
        Least number of frames in a part. Videos are cut at key frames (`cuesta.video_parts`). The
        detector's state after each part is kept, about 15 bytes a pixel. When a worker dies, only
        its part is repeated.
    num_cpus : float
        CPUs of a task, which runs as many threads.
    at_once : int, optional
        Number of videos in flight; by default as many as the cluster has CPUs for.
    overwrite : bool
        Write into a folder that has a complete result.
    progress : callable, optional
        Called with (done, total, errors), after each video.
    **options
        Options of the detector and of tracking; see `cuesta.detect`.

    Returns
    -------
    Dataset or Summary
        Without `output` the rows, by video and time. With one the counts, and the videos with
        errors. The folder contains _SUCCESS when it is complete.

    Raises
    ------
    InvalidArgument, TypeError
        An argument is invalid. The message names it; nothing has run.
    InputError, OutputError
        A path or folder cannot be read or written. A single video that cannot be read is a row with
        an error instead.

    Notes
    -----
    The rows equal those of `cuesta.detect` on each video, number for number, with any number of
    workers. A part resumes from the state of the part before it. The parts of one video are
    therefore processed in order, and only their decoding overlaps. The background "first" without
    `relearn` and `steady` is the exception: its parts are processed in parallel. With as many
    videos as workers, a worker has its video to the end. Everything runs on the CPU, because states
    of detectors on a GPU cannot be saved.

    Examples
    --------
    >>> import cuesta.ray
    >>> def watch(folder):
    ...     return cuesta.ray.detect(folder, output="s3://bucket/events", min_area=400)
    """
    motion = {
        name: value
        for name, value in options.items()
        if name in inspect.signature(MotionDetector).parameters
    }
    tracking = {
        name: value
        for name, value in options.items()
        if name in inspect.signature(Tracker).parameters
    }
    if unknown := sorted(set(options) - set(motion) - set(tracking)):
        raise TypeError(f"detect() got an unexpected keyword argument {unknown[0]!r}")
    if options.get("min_area", 0) is None:
        del tracking["min_area"]
    if tracking.get("join") and motion.get("min_area"):  # as in cuesta.detect
        motion["min_area"] = 1
    for name, value, choices in (("format", format, TABLES), ("rows", rows, tuple(SCHEMAS))):
        if value not in choices:
            raise InvalidArgument(f"{name} is {value!r}; it must be {' or '.join(choices)}", value)
    for name, number in (("part_frames", part_frames), ("at_once", at_once)):
        if number is not None and number < 1:
            raise InvalidArgument(f"{name} is {number}; it must be 1 or more", str(number))
    to = (
        None
        if output is None
        else Output(places.everywhere(output, filesystem), format, filesystem)
    )
    watch = Watch(
        motion,
        tracking,
        tuple(zones),
        tuple(lines),
        mask,
        rows,
        to,
        filesystem,
        max_pixels,
        max(1, int(num_cpus)),
        part_frames,
    )
    watch.detector()  # invalid options raise before anything runs
    watch.scene((64, 64) if mask is None else np.shape(mask)[1::-1])
    files, base = places.expand(videos, filesystem)
    if not files:
        raise InvalidArgument("no videos are given", "[]")
    if to is not None:
        to.begin(overwrite)
    return _run(watch, files, base, num_cpus, at_once, progress)


def _run(
    watch: Watch,
    files: list[str],
    base: str,
    num_cpus: float,
    at_once: int | None,
    progress: Progress | None,
) -> Dataset | Summary:
    begun = time.monotonic()
    room = max(1, int(ray.cluster_resources().get("CPU", 1) / max(num_cpus, 1e-3)))
    threads = min(len(files), at_once or room)
    cluster = _Cluster(watch, num_cpus, at_once=1 if threads >= room else max(2, room // threads))
    ended: dict[int, Ended] = {}
    errors: list[tuple[str, str]] = []
    with ThreadPoolExecutor(threads) as pool:
        waiting: dict[Future[Ended], int] = {
            pool.submit(cluster.video, file, places.name_in(file, base, watch.filesystem)): i
            for i, file in enumerate(files)
        }
        try:
            while waiting:
                for one in wait(waiting, return_when=FIRST_COMPLETED)[0]:
                    i = waiting.pop(one)
                    ended[i] = one.result()
                    if ended[i].error:
                        errors.append((ended[i].name, ended[i].error))
                    if progress:
                        progress(len(ended), len(files), len(errors))
        except BaseException as error:
            cluster.stop()
            pool.shutdown(wait=False, cancel_futures=True)
            if isinstance(error, ray.exceptions.RayError):
                raise cause_of(error) from None
            raise
    if watch.output is None:
        made: Dataset = ray.data.from_arrow_refs([ended[i].table for i in range(len(files))])
        return made
    watch.output.commit([one.part for one in ended.values()], len(files) - len(errors), errors)
    return Summary(
        watch.output.uri, len(files) - len(errors), sorted(errors), time.monotonic() - begun
    )

"""Videos: chains of parts, each looked at where there is room, joined in order.

What is found in a frame follows from the background, which every model but one learns from all frames before. So a part
cannot be looked at before the one in front of it, if the result is to be that of one process. With as many videos as
workers, each worker goes on with its own to the end, and leaves the detector's state after each part for the one that
goes on when it dies. Else the state goes from part to part, wherever they run, and the next parts are decoded while it
comes. Only where the first frames found all that is known later (`MotionDetector.founded_by`) do the parts of one video
run beside each other too.
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
#: How often a part is begun that ends its worker each time, before the video is given up.
_TRIES = 8
#: How often a video is begun again whose state is lost.
_BEGINNINGS = 50


class Ended(NamedTuple):
    """A video that is done."""

    name: str
    error: str
    part: str
    table: Any
    """A reference to it, where nothing is written."""


@dataclass
class _Cluster:
    """The tasks of a job. Each may run twice, as a worker or machine may die: none has an effect but files whose names
    follow from what they are of. A part that is lost with its worker is begun again here, from the last state that is
    there, not by Ray, with which such a chain was seen to wait without end (docs/dev/decisions/0058).

    Where there is a video for every worker, a task goes on to the end of its video, and the states after its parts are there
    for when it dies. Else the next parts are tasks of their own, which decode, or where they can also look, meanwhile."""

    watch: Watch
    num_cpus: float
    at_once: int
    """Parts of one video that are under way together, where they may be; 1: one task has all of them."""
    _stopped: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        often = {"max_retries": -1, "num_cpus": self.num_cpus}
        self._watch = ray.put(self.watch)
        self._cut: Any = ray.remote(**often)(parts_of)
        self._look: Any = ray.remote(num_cpus=self.num_cpus, max_retries=0)(look_at)
        self._finish: Any = ray.remote(**often, num_returns=2)(_finish)
        self._founded = self.watch.detector().founded_by

    def stop(self) -> None:
        """From any thread: videos end where they are."""
        self._stopped.set()

    def _wait(self, reference: Any) -> Any:
        """Until what it stands for is there, or the next thing that a task gives."""
        while not ray.wait([reference], timeout=0.5)[0]:
            if self._stopped.is_set():
                raise InterruptedError("the job was stopped")
        return reference

    def _get(self, reference: Any) -> Any:
        return ray.get(self._wait(reference))

    def video(self, video: str, name: str) -> Ended:
        """Looks at a video to its end; runs in a thread of its own."""
        parts = self._get(self._cut.remote(self._watch, video))
        found = parts if isinstance(parts, Fault) else self._parts(video, parts)
        if isinstance(found, Fault) and not isinstance(parts, Fault) and len(parts) > 1:
            # Damaged, or not what its container says: one process finds what the whole in one piece gives, in its words.
            found = self._parts(video, [_WHOLE])
        part, table = self._finish.remote(self._watch, name, found)
        return Ended(name, found.reason if isinstance(found, Fault) else "", self._get(part), table)

    def _parts(self, video: str, parts: Sequence[VideoPart]) -> list[Found] | Fault:
        """What moves in each part, or why one is not what it should be."""
        found: list[Found] = []
        states: dict[int, Any] = {
            0: None
        }  # before parts; those that no part to come goes on from are let go
        under_way: deque[tuple[Any, Iterator[Any]]] = (
            deque()
        )  # tasks, and references to what they give
        begun = tries = beginnings = 0
        while len(found) < len(parts):
            if begun < len(parts) and len(under_way) < (
                self.at_once if self._is_final(parts[begun]) else min(self.at_once, 2)
            ):
                end = len(parts) if self.at_once == 1 else begun + 1
                saves = sum(
                    not self._is_final(part) for part in parts[begun : min(end, len(parts) - 1)]
                )
                before = [] if states[begun] is None else [states[begun]]
                # What a task of several parts gives is known when it is there; of one part at once, for the next one's task.
                look = self._look.options(num_returns="streaming" if self.at_once == 1 else 2)
                task = look.remote(self._watch, video, parts[begun:end], before, saves)
                if self.at_once > 1:
                    states[end] = task[0] if saves else states[begun]
                under_way.append((task, iter(task)))
                begun = end
                continue
            part = parts[len(found)]
            _, given = under_way[0]
            state, made = self._next(given)
            if isinstance(made, Found) and part.frames in (-1, len(made.numbers)):
                is_final = self._is_final(part)
                states[len(found) + 1] = states[len(found)] if is_final else state
                del states[len(found)]
                found.append(made)
                if len(found) == begun or self.at_once > 1:
                    under_way.popleft()
                tries = 0
                continue
            under_way.clear()  # not cancelled (docs/dev/decisions/0058): they end by themselves
            if isinstance(made, Found):
                return Fault(
                    f"{video}: {len(made.numbers)} frames where its packets promise {part.frames}"
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
        """The state after a part and what moves in it; None where the task has ended."""
        try:
            state = next(given) if self.at_once > 1 else next(self._wait(given))
            return state, self._get(next(given) if self.at_once > 1 else next(self._wait(given)))
        except ray.exceptions.RayTaskError:  # a fault of ours
            raise
        except (ray.exceptions.RayError, StopIteration):
            return None, None

    def _is_final(self, part: VideoPart) -> bool:
        """Whether what is known before a part stays so."""
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
    """Moving objects in videos, over the machines of a Ray cluster.

    Parameters
    ----------
    videos : path, or sequence of paths
        Files that every machine sees, or addresses (s3://, gs://); folders stand for all in them, patterns for what fits.
    output : path or address, optional
        The folder for the results, on any of pyarrow's file systems; without, nothing is written, and the rows come back.
    format : {"parquet", "ndjson"}
        Of what is written: one file a video.
    rows : {"events", "objects"}
        What a row is: an event as `cuesta.Event` has it, or an object in a frame, as `cuesta.TrackedObject` has it. A
        video that cannot be read is one row with its `error`; of the others it is empty.
    zones, lines, mask, max_pixels
        As `cuesta.detect` has them.
    filesystem : pyarrow.fs.FileSystem, optional
        Of the videos and of the output, where an address does not say it.
    part_frames : int
        Frames of a part, at least: videos are cut at key frames (`cuesta.video_parts`). After each the detector's state is
        kept, about 15 bytes a pixel; a worker that dies costs the part it was at.
    num_cpus : float
        CPUs of a task, which runs as many threads.
    at_once : int, optional
        Videos that are under way together; by default as many as the cluster has CPUs for.
    overwrite : bool
        Take a folder that holds a whole result.
    progress : callable, optional
        progress(done, of how many, errors), after each video.
    **options
        Of the detector and of tracking, as `cuesta.detect` has them.

    Returns
    -------
    Dataset or Summary
        Without `output` the rows, by video and time; with one, what was done, and which videos have errors. All results
        are there when _SUCCESS lies in the folder.

    Raises
    ------
    InvalidArgument, TypeError
        Naming the argument, before anything runs.
    InputError, OutputError
        Naming the path or folder. A single video that cannot be read is no error but a row with one.

    Notes
    -----
    Equal to `cuesta.detect` on each video, number for number, whatever the number of workers: a part goes on from the
    state that the one before it left. So the parts of one video follow each other, and only their decoding overlaps; but
    for the background "first" without `relearn` and `steady`, of which they run beside each other. Where there are as many
    videos as workers, a worker has its video to the end. On the CPU: states of detectors on a GPU are not saved.

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
    if tracking.get("join"):  # as cuesta.detect has it
        motion.pop("min_area", None)
    for name, value, choices in (("format", format, TABLES), ("rows", rows, tuple(SCHEMAS))):
        if value not in choices:
            raise InvalidArgument(f"{name} is {value!r}; choose {' or '.join(choices)}", value)
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
    watch.detector()  # what is wrong with the options is said before anything runs
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

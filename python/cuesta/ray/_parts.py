"""Parts of videos, as the workers process them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import ray

from cuesta import (
    CountingLine,
    MotionDetector,
    SceneWatch,
    VideoPart,
    Zone,
    read_video,
    video_parts,
)
from cuesta.errors import Error, InputError
from cuesta.ray import _places as places
from cuesta.ray._outputs import Output

#: A detection, with the index of its frame in the part.
_FOUND = np.dtype(
    [
        ("frame", "i8"),
        ("x", "i4"),
        ("y", "i4"),
        ("width", "i4"),
        ("height", "i4"),
        ("area", "i8"),
        ("cx", "f8"),
        ("cy", "f8"),
    ]
)


@dataclass(frozen=True)
class Watch:
    """The options of a job; they are sent to the workers."""

    motion: dict[str, Any]
    tracking: dict[str, Any]
    zones: Sequence[Zone] = ()
    lines: Sequence[CountingLine] = ()
    mask: Any = None
    rows: str = "events"
    output: Output | None = None
    filesystem: Any = None
    max_pixels: int | None = None
    threads: int = 1
    part_frames: int = 250
    ahead_bytes: int = 1 << 28

    def detector(self) -> MotionDetector:
        """Makes a detector."""
        return MotionDetector(**self.motion)

    def scene(self, size: tuple[int, int]) -> SceneWatch:
        """Makes a scene for frames of that size."""
        return SceneWatch(size, self.zones, self.lines, self.mask, **self.tracking)


class Found(NamedTuple):
    """The moving objects in the frames of a part."""

    size: tuple[int, int]
    """Width and height of the frames, in pixels."""
    numbers: Any
    """(N,) int64: the frames' numbers."""
    times: Any
    """(N,) float64: seconds."""
    detections: Any
    """Array of _FOUND, in the order of the frames."""


class Fault(NamedTuple):
    """The reason why a video, or a part, cannot be read."""

    reason: str


class Lost(NamedTuple):
    """The state from which a part resumes was lost with its machine, or was never made."""


_NOTHING = np.zeros(0, np.uint8)
"""Stands for a missing state."""
_WHOLE = VideoPart(0, -1, -(2**63), 2**63 - 1, 0, 0)


def parts_of(watch: Watch, video: str) -> list[VideoPart] | Fault:
    """Returns the parts of a video, without decoding it."""
    file = ""
    try:
        file = places.kept.local(video, watch.filesystem)
        return video_parts(file, watch.part_frames, max_pixels=watch.max_pixels)
    except Error as error:
        return Fault(str(places.named(error, video, file)))


def taken(before: list[Any]) -> bytes | None:
    """Returns the state from which a part resumes; None where it is lost."""
    try:
        state: bytes = ray.get(before[0]).tobytes()
    except ray.exceptions.RayError:
        return None
    return state or None


def look_at(
    watch: Watch, video: str, parts: Sequence[VideoPart], before: list[Any], saves: int
) -> Iterator[Any]:
    """Yields the detector's state after each of some consecutive parts, and its moving objects.

    States are yielded for the first `saves` parts only. `before` holds the state from which the
    detector resumes, or a reference to it. Until that state arrives, frames are decoded, as many as
    `ahead_bytes` hold.
    """
    file = ""
    try:
        detector = watch.detector()
        file = places.kept.local(video, watch.filesystem)
        all = parts[0]._replace(frames=sum(part.frames for part in parts), end=parts[-1].end)
        with read_video(
            file, keep_depth=True, max_pixels=watch.max_pixels, threads=watch.threads, part=all
        ) as reader:
            if reader.is_live:
                raise InputError(
                    f"{file}: the video is live; cuesta.ray.detect requires a file", file
                )
            decoded: deque[Any] = deque()
            if before:
                held = 0
                while held < watch.ahead_bytes and not ray.wait(before, timeout=0)[0]:
                    if (frame := next(reader, None)) is None:
                        break
                    decoded.append(frame)
                    held += frame.image.nbytes
                if (state := taken(before)) is None:
                    yield from (_NOTHING, Lost())
                    return
                detector.load(state)

            def left() -> Iterator[Any]:
                while decoded:
                    yield decoded.popleft()
                yield from reader

            frames = left()
            for i, part in enumerate(parts):
                numbers: list[int] = []
                times: list[float] = []
                found: list[Any] = []
                for k, frame in enumerate(
                    frames if part is parts[-1] else islice(frames, part.frames)
                ):
                    numbers.append(frame.number)
                    times.append(frame.time)
                    found += [
                        (k, *d.box, d.area, *d.centroid)
                        for d in detector.push(frame.image, threads=watch.threads)
                    ]
                # An array is stored by Ray with one copy.
                yield np.frombuffer(detector.save(), np.uint8) if i < saves else _NOTHING
                yield Found(
                    reader.size,
                    np.array(numbers, np.int64),
                    np.array(times, np.float64),
                    np.array(found, _FOUND),
                )
    except Error as error:
        yield from (_NOTHING, Fault(str(places.named(error, video, file))))

"""Objects over time: who is who, which zone, which line, when. Lists of detections in, from any detector."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from cuesta import _core
from cuesta._keywords import TrackingOptions
from cuesta._motion import Detection
from cuesta._options import described
from cuesta._sources import Source
from cuesta._state import HoldsState
from cuesta.errors import InvalidArgument

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "CountingLine",
    "Crossing",
    "Event",
    "EventObject",
    "SceneStep",
    "SceneWatch",
    "TrackedObject",
    "Tracker",
    "Zone",
]

Box = tuple[int, int, int, int]


class Zone(NamedTuple):
    """A part of the picture. Its limits are those of the options where it has none."""

    name: str
    polygon: Sequence[tuple[float, float]]
    """Corners (x, y), relative to width and height: 0 to 1."""
    kind: Literal["include", "exclude"] = "include"
    min_area: int | None = None
    max_area: int | None = None
    min_aspect: float | None = None
    max_aspect: float | None = None


class CountingLine(NamedTuple):
    """A line that is counted at, from one point to another; relative, 0 to 1."""

    name: str
    start: tuple[float, float]
    end: tuple[float, float]


class TrackedObject(NamedTuple):
    """An object in one frame, known since it was first seen."""

    id: int
    """1, 2, 3 ... in the order in which they are first reported."""
    box: Box
    """x, y, width, height in pixels."""
    area: int
    """Pixels."""
    centroid: tuple[float, float]
    """x, y."""
    zones: tuple[str, ...]
    """Names of the zones it stands in."""
    velocity: tuple[float, float]
    """Pixels a second, to the right and down."""
    speed: float
    """Pixels a second."""
    direction: float
    """Degrees: 0 to the right, 90 up, -90 down."""
    moved: float
    """Farthest that it was from where it began, in pixels."""
    first_frame: int
    """When it was first seen, reported or not."""
    hits: int
    """Frames it was seen in."""


class Crossing(NamedTuple):
    """An object went over a line."""

    line: str
    id: int
    to: Literal["right", "left"]
    """The side of somebody who walks from the line's start to its end."""
    frame: int
    time: float
    """Seconds."""


class EventObject(NamedTuple):
    """One object's part in an event."""

    id: int
    first_frame: int
    last_frame: int
    start: float
    """Seconds."""
    end: float
    """Seconds."""
    zones: tuple[str, ...]
    moved: float
    """Pixels."""
    max_speed: float
    """Pixels a second."""
    largest_box: Box
    max_area: int
    """Pixels."""


class Event(NamedTuple):
    """A time in which objects were there."""

    id: int
    """1, 2, 3 ..."""
    first_frame: int
    last_frame: int
    start: float
    """Seconds."""
    end: float
    """Seconds."""
    clip: tuple[float, float]
    """With pre- and post-roll, in seconds."""
    objects: tuple[EventObject, ...]
    max_at_once: int
    """Objects in one frame."""
    crossings: tuple[Crossing, ...]
    best_frame: int
    """Where its largest object is seen best."""
    best_id: int
    best_box: Box


class SceneStep(NamedTuple):
    """What a frame brought."""

    objects: list[TrackedObject]
    crossings: list[Crossing]
    event: int | None
    """Of the event that the frame belongs to: its id, 0 while it may still be too short; None without one."""
    began: bool
    """Whether it got its id in this frame."""
    is_best: bool
    """Whether this is its best frame so far."""
    ended: list[Event]


def _rows(detections: Iterable[Any]) -> list[Any]:
    """Detections, or boxes (x, y, width, height), as the extension takes them."""
    rows = []
    for one in detections:
        if isinstance(one, (Detection, TrackedObject)):
            rows.append((tuple(one.box), one.area, *one.centroid))
            continue
        box = tuple(int(number) for number in one)
        if len(box) != 4:
            raise InvalidArgument(f"a box is {box}; it must be x, y, width, height", str(box))
        x, y, width, height = box
        rows.append((box, width * height, x + (width - 1) / 2, y + (height - 1) / 2))
    return rows


def _names(bits: int, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for i, name in enumerate(names) if bits >> i & 1)


def _object(row: Any, zones: Sequence[str] = ()) -> TrackedObject:
    number, (box, area, x, y), bits, right, down, moved, (first, _), hits, speed, direction = row
    return TrackedObject(
        number,
        box,
        area,
        (x, y),
        _names(bits, zones),
        (right, down),
        speed,
        direction,
        moved,
        first,
        hits,
    )


@described
class Tracker(HoldsState):
    """Identities by SORT (Bewley et al. 2016): a Kalman filter of constant velocity for each object, and the exact
    assignment of detections to predictions by their overlap.

    Parameters
    ----------
    **options

    Raises
    ------
    InvalidArgument
        Naming the argument.

    Examples
    --------
    >>> import cuesta
    >>> tracker = cuesta.Tracker(min_hits=2)
    >>> for x in (10, 14, 18):
    ...     print([(found.id, found.box) for found in tracker.push([(x, 20, 30, 40)])])
    []
    [(1, (14, 20, 30, 40))]
    [(1, (18, 20, 30, 40))]
    """

    def __init__(self, **options: Unpack[TrackingOptions]) -> None:
        self._core = _core.Tracker(options)

    def push(
        self, detections: Iterable[Any], *, frame: int | None = None, time: float | None = None
    ) -> list[TrackedObject]:
        """The objects among the next frame's detections, by id.

        Parameters
        ----------
        detections : iterable
            What `MotionDetector.push` gives, or boxes (x, y, width, height).
        frame : int, optional
            Its number, which grows; by default the last one and 1.
        time : float, optional
            When it is shown, in seconds; by default frame / 25.
        """
        return [_object(row) for row in self._core.push(frame, time, _rows(detections))]

    def reset(self) -> None:
        """Forgets all objects; ids go on."""
        self._core.reset()


@described
class SceneWatch(HoldsState):
    """Detections in; objects, crossings and events out.

    Parameters
    ----------
    size : tuple
        Width and height of the frames, in pixels.
    zones : sequence of Zone
        Where to look. An object stands where the middle of its box's lower side is.
    lines : sequence of CountingLine
        Lines to count at.
    mask : array, optional
        (H, W): what stands on 0 never counts.
    **options

    Raises
    ------
    InvalidArgument
        Naming the zone, line or option, and its value.

    Examples
    --------
    >>> import cuesta
    >>> gate = cuesta.CountingLine("gate", (0.5, 1), (0.5, 0))
    >>> watch = cuesta.SceneWatch((200, 100), lines=[gate], min_hits=1)
    >>> for k in range(6):
    ...     for crossing in watch.push([(70 + 6 * k, 20, 30, 40)], time=k / 10).crossings:
    ...         print(crossing)
    Crossing(line='gate', id=1, to='right', frame=3, time=0.3)
    >>> [(event.start, event.end) for event in watch.finish()]
    [(0.0, 0.5)]
    """

    def __init__(
        self,
        size: tuple[int, int],
        zones: Sequence[Zone] = (),
        lines: Sequence[CountingLine] = (),
        mask: Any = None,
        **options: Unpack[TrackingOptions],
    ) -> None:
        rows: list[Any] = []
        for zone in zones:
            name, polygon, kind, *limits = zone
            if kind not in ("include", "exclude"):
                raise InvalidArgument(
                    f"zone {name!r}: kind is {kind!r}; it must be 'include' or 'exclude'", str(kind)
                )
            rows.append((name, kind == "exclude", [tuple(corner) for corner in polygon], *limits))
        handle = None
        if mask is not None:
            handle = Source(
                np.ascontiguousarray(np.asarray(mask) != 0).view(np.uint8), "HW", "mask", None
            ).handle
        width, height = size
        self._core = _core.SceneWatch(
            (width, height), rows, [(a, b, c) for a, b, c in lines], handle, options
        )
        self._zones = [zone.name for zone in zones]
        self._lines = [line.name for line in lines]

    def push(
        self, detections: Iterable[Any], *, frame: int | None = None, time: float | None = None
    ) -> SceneStep:
        """What the next frame's detections bring.

        Parameters
        ----------
        detections, frame, time
            As `Tracker.push` has them.
        """
        objects, crossings, event, began, is_best, ended = self._core.push(
            frame, time, _rows(detections)
        )
        return SceneStep(
            [_object(row, self._zones) for row in objects],
            [self._crossing(row) for row in crossings],
            None if event < 0 else event,
            began,
            is_best,
            [self._event(row) for row in ended],
        )

    def finish(self) -> list[Event]:
        """After the last frame: the event that was under way."""
        return [self._event(row) for row in self._core.finish()]

    @property
    def counts(self) -> dict[str, tuple[int, int]]:
        """Of each line, how often it was crossed to the right and to the left."""
        return dict(zip(self._lines, self._core.counts))

    def _crossing(self, row: Any) -> Crossing:
        line, number, to_right, (frame, time) = row
        return Crossing(self._lines[line], number, "right" if to_right else "left", frame, time)

    def _event(self, row: Any) -> Event:
        number, first, last, clip, objects, most, crossings, ((best, _), best_id, best_box) = row
        return Event(
            number,
            first[0],
            last[0],
            first[1],
            last[1],
            clip,
            tuple(
                EventObject(
                    i, a[0], b[0], a[1], b[1], _names(bits, self._zones), moved, speed, box, area
                )
                for i, a, b, bits, moved, speed, box, area in objects
            ),
            most,
            tuple(self._crossing(one) for one in crossings),
            best,
            best_id,
            best_box,
        )

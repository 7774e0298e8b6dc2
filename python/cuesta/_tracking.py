"""Objects over time: identities, zones, lines and events.

The input is a list of detections for each frame, from any detector.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from cuesta import _core
from cuesta._keywords import TrackingOptions
from cuesta._motion import Detection
from cuesta._options import described
from cuesta._scene_rows import line_rows, mask_handle, zone_rows
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
    "ZoneState",
    "ZoneVisit",
]

Box = tuple[int, int, int, int]


class Zone(NamedTuple):
    """A named part of the picture. The options' limits apply where it has none."""

    name: str
    """Its name in objects and events."""
    polygon: Sequence[tuple[float, float]]
    """Corners (x, y), relative to width and height, 0 to 1."""
    kind: Literal["include", "exclude"] = "include"
    """Where a zone is "include", only objects in such zones count.

    Objects in "exclude" zones never count.
    """
    min_area: int | None = None
    """Least area of an object, in pixels."""
    max_area: int | None = None
    """Largest area of an object, in pixels."""
    min_aspect: float | None = None
    """Least width divided by height of an object's box."""
    max_aspect: float | None = None
    """Largest width divided by height of an object's box."""
    min_hits: int | None = None
    """Consecutive frames with an object before it is reported."""
    min_moved: float | None = None
    """Distance that an object has moved before it is reported, in pixels."""
    min_score: float | None = None
    """Percentage of the zone that must move for an event and its state."""
    threshold: float | None = None
    """The detector's threshold in this zone, in gray levels; see `SceneWatch.thresholds`."""


class CountingLine(NamedTuple):
    """A line at which crossings are counted."""

    name: str
    """Its name in crossings and counts."""
    start: tuple[float, float]
    """x, y, relative to width and height, 0 to 1."""
    end: tuple[float, float]
    """x, y, relative to width and height, 0 to 1."""
    ways: tuple[str, str] = ("right", "left")
    """Names of the two ways: to the right and to the left of someone who walks from start to end."""


class TrackedObject(NamedTuple):
    """One object in one frame, with its identity."""

    id: int
    """1, 2, 3 ... in the order in which objects are first reported."""
    box: Box
    """x, y, width, height in pixels."""
    area: int
    """In pixels."""
    centroid: tuple[float, float]
    """x, y in pixels."""
    zones: tuple[str, ...]
    """Names of the zones that it stands in, within their limits."""
    velocity: tuple[float, float]
    """Pixels a second, to the right and down."""
    speed: float
    """Pixels a second."""
    direction: float
    """Degrees: 0 to the right, 90 up, -90 down."""
    moved: float
    """The largest distance from its first position, in pixels."""
    first_frame: int
    """The frame in which it was first seen, reported or not."""
    hits: int
    """Number of frames in which it was seen."""


class Crossing(NamedTuple):
    """One object crosses one line."""

    line: str
    """The line's name."""
    id: int
    """The object's id."""
    to: str
    """The name of the way, one of the line's `ways`."""
    frame: int
    """The number of the frame in which it passed the line."""
    time: float
    """That frame's time in seconds."""


class EventObject(NamedTuple):
    """One object's part in an event."""

    id: int
    """As `TrackedObject.id`."""
    first_frame: int
    """The frame's number."""
    last_frame: int
    """The frame's number."""
    start: float
    """In seconds."""
    end: float
    """In seconds."""
    zones: tuple[str, ...]
    """Names of the zones that it stood in."""
    moved: float
    """In pixels."""
    max_speed: float
    """Pixels a second."""
    largest_box: Box
    """x, y, width, height in pixels."""
    max_area: int
    """In pixels."""


class ZoneVisit(NamedTuple):
    """A stay of objects in a zone during an event."""

    zone: str
    """The zone's name."""
    entered: float
    """In seconds."""
    left: float
    """When something was last there, in seconds."""


class ZoneState(NamedTuple):
    """A zone in one frame."""

    score: float
    """Percentage of its area that the detections in it cover."""
    motion: bool
    """Whether something moves in it, at least its `min_score`."""
    present: bool
    """Whether there is motion if it has a `min_score`, otherwise an object."""
    occupied: bool
    """Whether something is present, or was within the merge window."""
    since: float
    """When `occupied` last changed, in seconds."""
    changed: bool
    """Whether `motion` or `occupied` changed in this frame."""


class Event(NamedTuple):
    """An interval of time with objects."""

    id: int
    """1, 2, 3 ..."""
    first_frame: int
    """The frame's number."""
    last_frame: int
    """The frame's number."""
    start: float
    """In seconds."""
    end: float
    """In seconds."""
    clip: tuple[float, float]
    """Start and end with pre-roll and post-roll, in seconds."""
    objects: tuple[EventObject, ...]
    """The objects of the event."""
    max_at_once: int
    """The largest number of objects in one frame."""
    crossings: tuple[Crossing, ...]
    """The crossings in the event."""
    best_frame: int
    """The frame that shows its largest object best."""
    best_id: int
    """That object's id; 0 if it was not followed."""
    best_box: Box
    """That object's box: x, y, width, height in pixels."""
    visits: tuple[ZoneVisit, ...] = ()
    """Stays in zones, by the time at which a zone was entered."""


class SceneStep(NamedTuple):
    """The result of one frame."""

    objects: list[TrackedObject]
    """Objects that count, in this frame."""
    crossings: list[Crossing]
    """Crossings in this frame."""
    event: int | None
    """The id of the frame's event; 0 while the event may still be too short, None without one."""
    began: bool
    """Whether the event got its id in this frame."""
    is_best: bool
    """Whether this is the event's best frame so far."""
    ended: list[Event]
    """Events that ended with this frame."""
    score: float = 0
    """Percentage of the frame that the selected detections cover."""
    zones: dict[str, ZoneState] = {}
    """The zones that include, by name."""


def _rows(detections: Iterable[Any]) -> list[Any]:
    """Returns detections, or boxes (x, y, width, height), as the extension takes them."""
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
    """Assigns identities to detections with SORT (Bewley et al. 2016).

    Each object has a Kalman filter of constant velocity. Detections are assigned to predictions by
    their overlap; the assignment is exact.

    Parameters
    ----------
    **options

    Raises
    ------
    InvalidArgument
        An option is invalid. The message names it.

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
        """Tracks the next frame's detections.

        Parameters
        ----------
        detections : iterable
            As `MotionDetector.push` returns them, or boxes (x, y, width, height).
        frame : int, optional
            The frame's number, which must grow. The default is the last number plus 1.
        time : float, optional
            The frame's time in seconds. The default is frame / 25.

        Returns
        -------
        list of TrackedObject
            The objects that are seen in this frame, by id.
        """
        return [_object(row) for row in self._core.push(frame, time, _rows(detections))]

    def reset(self) -> None:
        """Forgets all objects. The numbering of ids continues."""
        self._core.reset()


@described
class SceneWatch(HoldsState):
    """Finds objects, crossings and events in the detections of a scene.

    Parameters
    ----------
    size : tuple
        Width and height of the frames, in pixels.
    zones : sequence of Zone
        The zones; by default the whole picture. An object stands at the centre of the lower side of
        its box.
    lines : sequence of CountingLine
        The lines at which crossings are counted.
    mask : array, optional
        (H, W). Objects that stand on 0 never count.
    **options

    Raises
    ------
    InvalidArgument
        A zone, line or option is invalid. The message names it and its value.

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
        width, height = self._size = size
        self._core = _core.SceneWatch(
            (width, height), zone_rows(zones), line_rows(lines), mask_handle(mask), options
        )
        self._zones = [zone.name for zone in zones]
        self._included = [zone.kind == "include" for zone in zones]
        self._lines = [(line.name, *line.ways) for line in lines]

    def push(
        self, detections: Iterable[Any], *, frame: int | None = None, time: float | None = None
    ) -> SceneStep:
        """Processes the next frame's detections.

        Parameters
        ----------
        detections, frame, time
            See `Tracker.push`.

        Returns
        -------
        SceneStep
            The frame's objects, crossings and events.
        """
        objects, crossings, event, began, is_best, ended, score, states = self._core.push(
            frame, time, _rows(detections)
        )
        return SceneStep(
            [_object(row, self._zones) for row in objects],
            [self._crossing(row) for row in crossings],
            None if event < 0 else event,
            began,
            is_best,
            [self._event(row) for row in ended],
            score,
            {
                name: ZoneState(part, motion, present, occupied, since[1], changed)
                for name, includes, (part, motion, present, occupied, since, changed) in zip(
                    self._zones, self._included, states
                )
                if includes
            },
        )

    def set_active(self, zones: Iterable[str] | None = None) -> None:
        """Sets which zones take part from now on, by name.

        Parameters
        ----------
        zones : iterable of str, optional
            Names of zones; None stands for all. In other zones nothing counts, or, if they exclude,
            everything does.

        Raises
        ------
        InvalidArgument
            There is no such zone.
        """
        bits = 0
        for name in self._zones if zones is None else zones:
            if name not in self._zones:
                raise InvalidArgument(f"there is no zone {name!r}; there are {self._zones}", name)
            bits |= 1 << self._zones.index(name)
        self._core.set_active(bits)

    def thresholds(self, otherwise: float = 16) -> np.ndarray[Any, np.dtype[np.float32]] | None:
        """Returns the threshold of each pixel, for `MotionDetector.set_thresholds`.

        Parameters
        ----------
        otherwise : float, optional
            The threshold of pixels outside the zones that have one, in gray levels.

        Returns
        -------
        array or None
            (H, W) float32. Where zones overlap the lowest threshold counts. None if no zone has a
            threshold.

        Examples
        --------
        >>> import cuesta
        >>> road = cuesta.Zone("road", [(0, 0.5), (1, 0.5), (1, 1), (0, 1)], threshold=30)
        >>> cuesta.SceneWatch((2, 4), [road]).thresholds()[:, 0].tolist()
        [16.0, 16.0, 30.0, 30.0]
        """
        width, height = self._size
        made = np.empty((height, width), np.float32)
        return made if self._core.thresholds(otherwise, made) else None

    def finish(self) -> list[Event]:
        """Ends the scene after the last frame; returns the event that was active, if any."""
        return [self._event(row) for row in self._core.finish()]

    @property
    def counts(self) -> dict[str, tuple[int, int]]:
        """For each line the number of crossings each way, in the order of its `ways`."""
        return dict(zip((name for name, *_ in self._lines), self._core.counts))

    def _crossing(self, row: Any) -> Crossing:
        line, number, to_right, (frame, time) = row
        name, *ways = self._lines[line]
        return Crossing(name, number, ways[0 if to_right else 1], frame, time)

    def _event(self, row: Any) -> Event:
        (
            number,
            first,
            last,
            clip,
            objects,
            most,
            crossings,
            ((best, _), best_id, best_box),
            visits,
        ) = row
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
            tuple(ZoneVisit(self._zones[zone], a[1], b[1]) for zone, a, b in visits),
        )

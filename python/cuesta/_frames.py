"""Frames and parts of videos."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cuesta._motion import Detection, FrameState
from cuesta._tracking import Crossing, Event, TrackedObject, ZoneState

__all__ = ["MovingFrame", "VideoFrame", "VideoPart"]

Picture = np.ndarray[Any, np.dtype[Any]]


class VideoPart(NamedTuple):
    """Consecutive frames of a video file that can be decoded independently.

    They start at a key frame. `video_parts` makes them.
    """

    first: int
    """The number of its first frame."""
    frames: int
    """Number of frames; -1, unknown, for a video that was not cut."""
    begin: int
    """The first time of display, in the stream's units."""
    end: int
    """The time of display before which it ends, in the stream's units."""
    seek: int
    """The key frame's time of decoding, in the stream's units."""
    packet: int
    """The key frame's position among the stream's packets."""


class VideoFrame(NamedTuple):
    """One frame of a video, upright."""

    image: Picture
    """Luma (H, W), or with `color` RGB (H, W, 3); uint8.

    With `keep_depth` it is uint16 where the video has more bits. It is read-only, and does not
    change while it is referenced.
    """
    number: int
    """Counts from 0."""
    time: float
    """Seconds from the beginning of the video; for live video since its first frame."""
    lost: float | None
    """Seconds of a gap in live video just before it, by the frames' times; None without one."""
    damaged: bool
    """Whether it was decoded from damaged data of a live video."""


class MovingFrame(NamedTuple):
    """One frame of a video, with its moving objects."""

    image: Picture
    """uint8; see `VideoFrame`, also for the next four."""
    number: int
    """See `VideoFrame`."""
    time: float
    """See `VideoFrame`."""
    lost: float | None
    """See `VideoFrame`."""
    damaged: bool
    """See `VideoFrame`."""
    detections: list[Detection]
    """As `MotionDetector.push` returns them."""
    objects: list[TrackedObject]
    """Objects that count, with their identities."""
    crossings: list[Crossing]
    """Crossings in this frame."""
    event: int | None
    """The id of the frame's event; 0 while the event may still be too short, None without one."""
    ended: list[Event]
    """Events that ended with this frame or in the gap before it."""
    state: FrameState
    """The detector's state after the frame, beside its objects."""
    score: float = 0
    """See `SceneStep`, also for the next."""
    zones: dict[str, ZoneState] = {}
    """See `SceneStep`."""

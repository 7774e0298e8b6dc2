"""Videos, read as the command reads them: frame by frame, and what moves in them."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Iterator, Sequence
from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Union

import numpy as np

from cuesta._keywords import DetectOptions
from cuesta._motion import Detection, FrameState, MotionDetector
from cuesta._options import described, names_of
from cuesta._state import HoldsState
from cuesta._tracking import CountingLine, Crossing, Event, SceneWatch, TrackedObject, Zone
from cuesta.errors import InvalidArgument, Unsupported

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

__all__ = [
    "MovingFrame",
    "VideoDetector",
    "VideoFrame",
    "VideoPart",
    "VideoReader",
    "detect",
    "read_video",
    "video_parts",
]

Path = Union[str, "os.PathLike[str]"]
Picture = np.ndarray[Any, np.dtype[Any]]


class VideoPart(NamedTuple):
    """Consecutive frames of a video file that decode by themselves, from a key frame on; `video_parts` makes them."""

    first: int
    """The number of its first frame."""
    frames: int
    """How many there are; -1 where it is not known: of a video that is not cut."""
    begin: int
    """It holds the frames shown from here, in the stream's own units of time,"""
    end: int
    """to before here."""
    seek: int
    """The key frame's time of decoding."""
    packet: int
    """Its place among the stream's packets."""


class VideoFrame(NamedTuple):
    """One frame of a video, upright."""

    image: Picture
    """Luma, (H, W), or with `color` RGB, (H, W, 3); uint8, or with `keep_depth` uint16 where the video has more bits. It
    is not to be written to, and stays as it is as long as it is kept."""
    number: int
    """Counts from 0."""
    time: float
    """When it is shown, in seconds from the beginning of the video; of a live one, since its first frame."""
    lost: float | None
    """Seconds that a live video was away just before it, by the frames' times; None where it was not."""
    damaged: bool
    """Whether it was decoded from damaged data of a live video."""


class MovingFrame(NamedTuple):
    """One frame of a video, and what moves in it."""

    image: Picture
    """As `VideoFrame` has it, uint8, and so the next four."""
    number: int
    time: float
    lost: float | None
    damaged: bool
    detections: list[Detection]
    """As `MotionDetector` finds them."""
    objects: list[TrackedObject]
    """Those that count, known by their numbers."""
    crossings: list[Crossing]
    event: int | None
    """Of the event that the frame belongs to: its id, 0 while it may still be too short; None without one."""
    ended: list[Event]
    """Events that ended with this frame or in the gap before it."""
    state: FrameState
    """What the detector knows of it beside its objects."""


def _open(
    file: Path,
    max_pixels: int | None,
    allow_partial: bool,
    threads: int | None,
    timeout: float,
    reconnect: float,
    keep_depth: bool = False,
    part: VideoPart | None = None,
) -> Any:
    """A reader of the extension that links libav."""
    _check(file, max_pixels, threads, timeout, reconnect)
    limits = (max_pixels or 0, allow_partial, threads or 0, timeout, reconnect)
    return _extension().VideoReader(os.fspath(file), *limits, keep_depth, part)


def _check(
    file: Path,
    max_pixels: int | None = None,
    threads: int | None = None,
    timeout: float = 0,
    reconnect: float = 0,
) -> None:
    if not isinstance(file, (str, os.PathLike)):
        raise TypeError(f"file is {type(file).__name__}; it must be a path or an address")
    for name, number, least in (("max_pixels", max_pixels, 1), ("threads", threads, 0)):
        if number is not None and number < least:
            raise InvalidArgument(f"{name} is {number}; it must be {least} or more", str(number))
    for name, seconds in (("timeout", timeout), ("reconnect", reconnect)):
        if not seconds >= 0:
            raise InvalidArgument(
                f"{name} is {seconds}; it must be 0 or more seconds", str(seconds)
            )


def _extension() -> Any:
    try:
        return import_module("cuesta._video")
    except ImportError as error:
        raise Unsupported(
            f"video needs FFmpeg's libav libraries: {error}; install them (Debian: libavformat59, libswscale6), or pass "
            "frames from another library to MotionDetector",
            "libav",
        ) from error


class _Video(HoldsState):
    """What a video is, read by whichever class."""

    def __init__(self, core: Any) -> None:
        self._core = core

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the frames, in pixels."""
        width, height = self._core.size
        return width, height

    @property
    def rate(self) -> float:
        """Nominal frames a second."""
        return float(self._core.rate)

    @property
    def is_live(self) -> bool:
        """Whether it comes as it happens and may have no end: an address, a camera, a pipe."""
        return bool(self._core.is_live)

    @property
    def expected_frames(self) -> int | None:
        """How many frames there will be, where the file says so; for progress only."""
        expected: int | None = self._core.expected_frames
        return expected

    @property
    def damage(self) -> str:
        """What `allow_partial` passed over so far, as one sentence; empty for nothing."""
        return str(self._core.damage)

    def stop(self) -> None:
        """From any thread: the frame that is waited for is the end. `with` does it when it is left."""
        self._core.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


class VideoReader(_Video):
    """What `read_video` gives: an iterator over the frames of a video."""

    def __init__(self, core: Any, color: bool) -> None:
        super().__init__(core)
        self._color = color

    def __iter__(self) -> Iterator[VideoFrame]:
        return self

    def __next__(self) -> VideoFrame:
        """The next frame.

        Raises
        ------
        InputError
            Naming the file and the frame: it is damaged or cut off, its size changes, a live one does not come back.
        """
        row = self._core.next(self._color)
        if row is None:
            raise StopIteration
        luma, deep, rgb, *rest = row
        return VideoFrame(next(image for image in (rgb, deep, luma) if image is not None), *rest)


def read_video(
    file: Path,
    *,
    color: bool = False,
    keep_depth: bool = False,
    max_pixels: int | None = None,
    allow_partial: bool = False,
    threads: int | None = None,
    timeout: float = 10,
    reconnect: float = math.inf,
    part: VideoPart | None = None,
) -> VideoReader:
    """Reads a video, frame by frame.

    Parameters
    ----------
    file : path or address
        A file of any format that FFmpeg reads, or y4m; or live: an address (rtsp://, http://, ...), a camera
        (/dev/video0), a named pipe, "-" for standard input.
    color : bool
        RGB by the video's own matrix; by default luma as it was decoded, of which no copy is made. Most videos have
        16 for black and 235 for white in it.
    keep_depth : bool
        Luma of more than 8 bits a sample comes as uint16, those bits highest: a gray level of 8 bits is 256 there,
        whatever the depth. By default it is rounded to uint8.
    max_pixels : int, optional
        Larger frames are refused before one is decoded; 2^28 by default.
    allow_partial : bool
        Take what can be read of a damaged or truncated file; `damage` says what could not.
    threads : int, optional
        Of the decoder; by default every core.
    timeout : float
        Seconds that an address or camera may be silent.
    reconnect : float
        Seconds for which an address or camera that was lost is sought again; 0 not at all.
    part : VideoPart, optional
        Of a file: these frames alone, each with the number, time and samples that the whole gives it.

    Returns
    -------
    VideoReader
        An iterator over `VideoFrame`, which knows `size` and `rate`.

    Raises
    ------
    InputError
        Naming the file or address, without its password, and the reason.
    Unsupported
        Where there is no libav.

    Examples
    --------
    >>> import cuesta
    >>> def brightest(file):
    ...     return max((frame.image.mean(), frame.time) for frame in cuesta.read_video(file))
    """
    if color and keep_depth:
        raise InvalidArgument(
            "keep_depth is of luma, and color=True is RGB of 8 bits; give one of them", "True"
        )
    return VideoReader(
        _open(file, max_pixels, allow_partial, threads, timeout, reconnect, keep_depth, part), color
    )


def video_parts(
    file: Path, at_least: int = 250, *, max_pixels: int | None = None
) -> list[VideoPart]:
    """Cuts a video file at key frames into parts that several readers can read at once.

    The file is read once, without decoding. What cannot be cut and be the same is one part: live videos, y4m,
    animations; codecs whose key frames are not known to begin anew (H.264's do where they are IDR pictures; HEVC, VP8,
    VP9, MPEG-1, 2 and 4, FFV1, and all that code each frame by itself); files whose packets have no times of their own,
    or are marked as damaged or not to be shown.

    Parameters
    ----------
    file : path
    at_least : int
        Frames in a part; the last one has what is left.
    max_pixels : int, optional
        As `read_video` has it.

    Returns
    -------
    list of VideoPart
        In order, and together all frames.

    Raises
    ------
    InputError
        Naming the file and the reason.
    Unsupported
        Where there is no libav.

    Examples
    --------
    >>> import cuesta
    >>> def frames_of(file):
    ...     for part in cuesta.video_parts(file):
    ...         yield from cuesta.read_video(file, part=part)
    """
    _check(file, max_pixels)
    if at_least < 1:
        raise InvalidArgument(f"at_least is {at_least}; it must be 1 or more", str(at_least))
    return [
        VideoPart(*row)
        for row in _extension().video_parts(os.fspath(file), at_least, max_pixels or 0)
    ]


class VideoDetector(_Video):
    """What `detect` gives: an iterator over the frames of a video and what moves in them. Threads that share it get a frame
    each."""

    def __init__(
        self,
        core: Any,
        color: bool,
        threads: int | None,
        detector: MotionDetector,
        watch: SceneWatch,
    ) -> None:
        super().__init__(core)
        self._color = color
        self._threads = threads
        self._detector = detector
        self._watch = watch
        self._turn = (
            threading.Lock()
        )  # a frame is read, looked at and watched before the next is read

    def __iter__(self) -> Iterator[MovingFrame]:
        return self

    def __next__(self) -> MovingFrame:
        """The next frame.

        Raises
        ------
        InputError
            As reading has it.
        """
        with self._turn:
            row = self._core.next(self._color)
            if row is None:
                raise StopIteration
            luma, deep, rgb, number, time, lost, damaged = row
            ended = [] if lost is None else self._watch.finish()
            found = self._detector.push(luma if deep is None else deep, threads=self._threads)
            step = self._watch.push(found, frame=number, time=time)
            return MovingFrame(
                luma if rgb is None else rgb,
                number,
                time,
                lost,
                damaged,
                found,
                step.objects,
                step.crossings,
                step.event,
                ended + step.ended,
                self._detector.states[-1],
            )

    def finish(self) -> list[Event]:
        """After the last frame, or the last one that is wanted: the event that was under way."""
        return self._watch.finish()

    def events(self) -> Iterator[Event]:
        """The events alone, each when it ends, to the last."""
        for frame in self:
            yield from frame.ended
        yield from self.finish()

    @property
    def mask(self) -> Picture:
        """What moves in the last frame: (H, W) uint8, 0 or 255."""
        return self._detector.mask

    @property
    def counts(self) -> dict[str, tuple[int, int]]:
        """Of each line, how often it was crossed to the right and to the left."""
        return self._watch.counts


@described
def detect(
    file: Path,
    *,
    zones: Sequence[Zone] = (),
    lines: Sequence[CountingLine] = (),
    mask: Any = None,
    color: bool = False,
    max_pixels: int | None = None,
    allow_partial: bool = False,
    threads: int | None = None,
    timeout: float = 10,
    reconnect: float = math.inf,
    **options: Unpack[DetectOptions],
) -> VideoDetector:
    """Finds moving objects in a video, file or live: who they are, where they go, when something happens.

    `read_video`, `MotionDetector` and `SceneWatch` in a row, as `cuesta detect` has them. The detector sees the luma in
    all of its bits.

    Parameters
    ----------
    file : path or address
        As `read_video` has it.
    zones : sequence of Zone
        Where to look. An object stands where the middle of its box's lower side is.
    lines : sequence of CountingLine
        Lines to count at.
    mask : array, optional
        (H, W): what stands on 0 never counts.
    color, max_pixels, allow_partial, timeout, reconnect
        As `read_video` has them.
    threads : int, optional
        Of the decoder and of the detector, each; by default every core.
    **options

    Returns
    -------
    VideoDetector
        An iterator over `MovingFrame`; its `events()` iterates over the events alone.

    Raises
    ------
    InputError
        Naming the file or address and the reason.
    InvalidArgument
        Naming the zone, line or option, and its value.
    Unsupported
        Where there is no libav.

    Examples
    --------
    >>> import cuesta
    >>> def when(file):
    ...     return [(event.start, event.end, len(event.objects)) for event in cuesta.detect(file).events()]
    """
    motion = {name: value for name, value in options.items() if name in names_of("MotionOptions")}
    tracking = {
        name: value for name, value in options.items() if name in names_of("TrackingOptions")
    }
    unknown = sorted(set(options) - set(motion) - set(tracking))
    if unknown:
        raise TypeError(f"detect() got an unexpected keyword argument {unknown[0]!r}")
    if tracking.get("join"):  # parts are joined before they are held against the limit
        motion.pop("min_area", None)
    detector = MotionDetector(**motion)  # type: ignore[arg-type]
    core = _open(file, max_pixels, allow_partial, threads, timeout, reconnect, keep_depth=True)
    watch = SceneWatch(core.size, zones, lines, mask, **tracking)  # type: ignore[arg-type]
    return VideoDetector(core, color, threads, detector, watch)

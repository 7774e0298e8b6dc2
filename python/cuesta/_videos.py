"""Videos: frames, parts, and moving objects."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Iterator, Sequence
from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING, Any, Union

from cuesta._frames import MovingFrame, Picture, VideoFrame, VideoPart
from cuesta._keywords import DetectOptions
from cuesta._motion import MotionDetector
from cuesta._options import described, flag, names_of, number, whole
from cuesta._state import HoldsState
from cuesta._tracking import CountingLine, Event, SceneWatch, Zone
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
    """Opens a reader of the extension that links libav."""
    _check(file, max_pixels, threads, timeout, reconnect)
    is_partial = flag("allow_partial", allow_partial)
    limits = (max_pixels or 0, is_partial, threads or 0, timeout, reconnect)
    if part is not None and not isinstance(part, VideoPart):
        raise TypeError(f"part is {part!r}; it must be a VideoPart of cuesta.video_parts")
    return _extension().VideoReader(os.fspath(file), *limits, flag("keep_depth", keep_depth), part)


def _check(
    file: Path,
    max_pixels: int | None = None,
    threads: int | None = None,
    timeout: float = 0,
    reconnect: float = 0,
) -> None:
    if not isinstance(file, (str, os.PathLike)):
        raise TypeError(f"file is {type(file).__name__}; it must be a path or an address")
    for name, count, least in (("max_pixels", max_pixels, 1), ("threads", threads, 0)):
        if count is not None and whole(name, count) < least:
            raise InvalidArgument(f"{name} is {count}; it must be {least} or more", str(count))
    for name, seconds in (("timeout", timeout), ("reconnect", reconnect)):
        if not number(name, seconds) >= 0:
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
    """Properties of a video, shared by the classes that read it."""

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
        """Whether it is live and may have no end: an address, a camera or a pipe."""
        return bool(self._core.is_live)

    @property
    def expected_frames(self) -> int | None:
        """Number of frames by the file's own account, for progress only; None where it is unknown."""
        expected: int | None = self._core.expected_frames
        return expected

    @property
    def damage(self) -> str:
        """The damage that `allow_partial` skipped so far, as one sentence; empty without any."""
        return str(self._core.damage)

    def stop(self) -> None:
        """Stops reading, from any thread: the next frame is the last. Leaving `with` does the same."""
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
    """An iterator over the frames of a video; `read_video` returns it."""

    def __init__(self, core: Any, color: bool) -> None:
        super().__init__(core)
        self._color = flag("color", color)

    def __iter__(self) -> Iterator[VideoFrame]:
        return self

    def __next__(self) -> VideoFrame:
        """Reads the next frame.

        Raises
        ------
        InputError
            The file is damaged or cut off, its frame size changes, or a live video does not return.
            The message names the file and the frame.
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
        A file of any format that FFmpeg reads, or y4m. Live sources are an address (rtsp://,
        http://, ...), a camera (/dev/video0), a named pipe, and "-" for standard input.
    color : bool
        Return RGB by the video's own matrix. By default frames are luma as decoded, without a copy.
        In most videos its black is 16 and its white 235.
    keep_depth : bool
        Return luma of more than 8 bits a sample as uint16, in its highest bits. An 8-bit gray level
        is then 256 at any depth. By default luma is rounded to uint8.
    max_pixels : int, optional
        Larger frames raise InputError before one is decoded. The default is 2^28.
    allow_partial : bool
        Read what is left of a damaged or truncated file. `damage` reports the rest.
    threads : int, optional
        Number of the decoder's threads; by default every core.
    timeout : float
        Seconds that an address or camera may be silent.
    reconnect : float
        Seconds of attempts to reconnect to an address or camera that was lost; 0 is none.
    part : VideoPart, optional
        Read these frames of a file alone. Each has the number, time and samples that it has in the
        whole file.

    Returns
    -------
    VideoReader
        An iterator over `VideoFrame`, with the properties `size` and `rate`.

    Raises
    ------
    InputError
        The video cannot be read. The message names the file or address, without its password, and
        the reason.
    Unsupported
        libav is not installed.

    Examples
    --------
    >>> import cuesta
    >>> def brightest(file):
    ...     return max((frame.image.mean(), frame.time) for frame in cuesta.read_video(file))
    """
    if flag("color", color) and keep_depth:
        raise InvalidArgument(
            "keep_depth is of luma, and color=True is RGB of 8 bits; give one of them", "True"
        )
    return VideoReader(
        _open(file, max_pixels, allow_partial, threads, timeout, reconnect, keep_depth, part), color
    )


def video_parts(
    file: Path, at_least: int = 250, *, max_pixels: int | None = None
) -> list[VideoPart]:
    """Cuts a video file at key frames into parts that several readers can decode in parallel.

    The file is read once and not decoded. One part, the whole, is returned where cut parts would
    not decode to the same frames:

    - live video, y4m and animations;
    - codecs without key frames that are known to be independent. H.264's IDR pictures are, as are
      those of HEVC, VP8, VP9, MPEG-1, 2 and 4, FFV1, and all codecs that code each frame
      independently;
    - files with packets that have no times, are marked as damaged, or are not to be shown;
    - files whose container is damaged.

    Parameters
    ----------
    file : path
        The video file.
    at_least : int
        Least number of frames in a part. The last part has the remainder.
    max_pixels : int, optional
        See `read_video`.

    Returns
    -------
    list of VideoPart
        In order, covering all frames.

    Raises
    ------
    InputError
        The file cannot be read. The message names it and the reason.
    Unsupported
        libav is not installed.

    Examples
    --------
    >>> import cuesta
    >>> def frames_of(file):
    ...     for part in cuesta.video_parts(file):
    ...         yield from cuesta.read_video(file, part=part)
    """
    _check(file, max_pixels)
    if whole("at_least", at_least) < 1:
        raise InvalidArgument(f"at_least is {at_least}; it must be 1 or more", str(at_least))
    return [
        VideoPart(*row)
        for row in _extension().video_parts(os.fspath(file), at_least, max_pixels or 0)
    ]


class VideoDetector(_Video):
    """An iterator over the frames of a video and their moving objects; `detect` returns it.

    Threads that share it get different frames.
    """

    def __init__(
        self,
        core: Any,
        color: bool,
        threads: int | None,
        detector: MotionDetector,
        watch: SceneWatch,
    ) -> None:
        super().__init__(core)
        self._color = flag("color", color)
        self._threads = threads
        self._detector = detector
        self._watch = watch
        self._turn = (
            threading.Lock()
        )  # a frame is read, detected and tracked before the next is read

    def __iter__(self) -> Iterator[MovingFrame]:
        return self

    def __next__(self) -> MovingFrame:
        """Reads and analyses the next frame.

        Raises
        ------
        InputError
            See `VideoReader`.
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
                step.score,
                step.zones,
            )

    def finish(self) -> list[Event]:
        """Ends the scene after the last frame; returns the event that was active, if any."""
        return self._watch.finish()

    def events(self) -> Iterator[Event]:
        """Iterates over the events alone to the end of the video, each when it ends."""
        for frame in self:
            yield from frame.ended
        yield from self.finish()

    @property
    def mask(self) -> Picture:
        """The last frame's foreground mask: (H, W) uint8, 0 or 255."""
        return self._detector.mask

    @property
    def counts(self) -> dict[str, tuple[int, int]]:
        """For each line the number of crossings each way, in the order of its `ways`."""
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
    """Finds moving objects in a video, file or live, with their identities, crossings and events.

    The steps are `read_video`, `MotionDetector` and `SceneWatch`, as in `cuesta detect`. The
    detector reads luma at its full depth.

    Parameters
    ----------
    file : path or address
        See `read_video`.
    zones : sequence of Zone
        The zones; by default the whole picture. An object stands at the centre of the lower side of
        its box.
    lines : sequence of CountingLine
        The lines at which crossings are counted.
    mask : array, optional
        (H, W). Objects that stand on 0 never count.
    color, max_pixels, allow_partial, timeout, reconnect
        See `read_video`.
    threads : int, optional
        Threads of the decoder, and as many of the detector; by default every core.
    **options

    Returns
    -------
    VideoDetector
        An iterator over `MovingFrame`; its `events()` iterates over the events alone.

    Raises
    ------
    InputError
        The video cannot be read. The message names the file or address and the reason.
    InvalidArgument
        A zone, line or option is invalid. The message names it and its value.
    Unsupported
        libav is not installed.

    Examples
    --------
    >>> import cuesta
    >>> def times(file):
    ...     return [(event.start, event.end, len(event.objects)) for event in cuesta.detect(file).events()]
    """
    motion = {name: value for name, value in options.items() if name in names_of("MotionOptions")}
    tracking = {
        name: value for name, value in options.items() if name in names_of("TrackingOptions")
    }
    unknown = sorted(set(options) - set(motion) - set(tracking))
    if unknown:
        raise TypeError(f"detect() got an unexpected keyword argument {unknown[0]!r}")
    if options.get("min_area", 0) is None:  # the detector's own; the tracker's is 0
        del tracking["min_area"]
    if tracking.get("join") and motion.get("min_area"):
        motion["min_area"] = 1  # detections are joined before they are compared with the limit
    detector = MotionDetector(**motion)  # type: ignore[arg-type]
    core = _open(file, max_pixels, allow_partial, threads, timeout, reconnect, keep_depth=True)
    watch = SceneWatch(core.size, zones, lines, mask, **tracking)  # type: ignore[arg-type]
    detector.set_thresholds(watch.thresholds(detector._core.level))
    return VideoDetector(core, color, threads, detector, watch)

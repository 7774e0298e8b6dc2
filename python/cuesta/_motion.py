"""Moving objects in video, frame by frame (paper 004)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cuesta import _core
from cuesta._keywords import BackgroundOptions, MotionOptions
from cuesta._options import Execution, described
from cuesta._sources import Result, Source
from cuesta._state import HoldsState
from cuesta.errors import InvalidArgument

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["BackgroundSubtractor", "Detection", "FrameState", "MotionDetector"]


class Detection(NamedTuple):
    """One moving object in one frame."""

    box: tuple[int, int, int, int]
    """x, y, width, height in pixels."""
    area: int
    """Pixels."""
    centroid: tuple[float, float]
    """x, y."""


class FrameState(NamedTuple):
    """What a detector knows of one frame beside its objects."""

    warming_up: bool
    """The background is being learned: nothing is found."""
    changed: bool
    """Most of the picture changed at once (a lamp, an exposure, a cut); a warm-up begins here."""
    shift: tuple[int, int]
    """How far the camera's moves put the picture off its place: x, y in pixels, to the right and down."""


def _detections(found: list[tuple[int, int, int, int, int, float, float]]) -> list[Detection]:
    return [Detection((x, y, w, h), area, (cx, cy)) for x, y, w, h, area, cx, cy in found]


@described
class MotionDetector(HoldsState):
    """Finds moving objects: background, difference, threshold, closing, opening, components.

    Parameters
    ----------
    **options

    Raises
    ------
    InvalidArgument, Unsupported
        Naming the argument.

    Examples
    --------
    >>> import numpy as np, cuesta
    >>> detector = cuesta.MotionDetector("first", blur=1, close="rect:3", open="rect:3")
    >>> frame = np.zeros((40, 60), np.uint8)
    >>> detector.push(frame)
    []
    >>> frame[10:20, 30:45] = 255
    >>> detector.push(frame)
    [Detection(box=(30, 10, 15, 10), area=150, centroid=(37.0, 14.5))]
    """

    def __init__(self, background: str | None = None, **options: Unpack[MotionOptions]) -> None:
        self._core = _core.MotionDetector({"background": background, **options})

    @described
    def push(
        self,
        frame: Any,
        *,
        layout: str | None = None,
        **options: Unpack[Execution],
    ) -> list[Detection]:
        """The moving objects of the next frame, in raster order of their first pixel.

        Parameters
        ----------
        frame : array
            uint8 or uint16: (H, W), or (H, W, 3 or 4) in RGB order. A gray level is 256 in uint16, as `read_video` has it
            with `keep_depth`. Frames of the warm-up have no objects; all must be of one size and type and on one device.
        layout, strategy, parameters, threads, stream
            As `canny` has them.

        Raises
        ------
        InputError
            For a frame of another size, type or device; the detector is as before.
        """
        s = Source(frame, layout, "frame", options.pop("stream", None))
        return _detections(self._core.push(s.handle, s.layout, options, s.stream))

    @staticmethod
    @described
    def push_cameras(
        detectors: Sequence[MotionDetector],
        frames: Sequence[Any],
        *,
        layout: str | None = None,
        **options: Unpack[Execution],
    ) -> list[list[Detection]]:
        """The next frame of each of several cameras, on the GPU in the same launches and with one wait for all.

        Parameters
        ----------
        detectors : sequence of MotionDetector
            One a camera, each with a background, options and mask of its own.
        frames : sequence of arrays
            A frame for each detector, as `push` takes it. Sizes may differ; all must be on one device.
        layout, strategy, parameters, threads, stream
            As `canny` has them; the layout is that of every frame.

        Returns
        -------
        list of lists of Detection
            For each camera what its own `push` would find.

        Raises
        ------
        InvalidArgument
            For another number of frames than of detectors, none, a detector that stands there twice, and frames on
            several devices or streams.
        InputError
            For a frame of another size, type or device than its camera's before.

        Examples
        --------
        >>> import numpy as np, cuesta
        >>> cameras = [cuesta.MotionDetector(blur=1, close="rect:3", open="rect:3") for _ in range(2)]
        >>> frames = [np.zeros((40, 60), np.uint8), np.zeros((30, 30), np.uint8)]
        >>> cuesta.MotionDetector.push_cameras(cameras, frames)
        [[], []]
        >>> frames[1][10:20, 5:20] = 255
        >>> [len(found) for found in cuesta.MotionDetector.push_cameras(cameras, frames)]
        [0, 1]
        """
        stream = options.pop("stream", None)
        sources = [Source(frame, layout, f"frame {i}", stream) for i, frame in enumerate(frames)]
        for i, s in enumerate(sources):
            first = sources[0]
            if min(s.device, first.device) >= 0 and s.device != first.device:
                raise InvalidArgument(
                    f"frame {i} is on GPU {s.device} and frame 0 on GPU {first.device}; they must be on one",
                    str(s.device),
                )
            if s.stream != first.stream:
                raise InvalidArgument(
                    f"frame {i} is on another stream than frame 0; name one for all with stream=",
                    str(s.stream),
                )
        found = _core.MotionDetector.push_cameras(
            [detector._core for detector in detectors],
            [s.handle for s in sources],
            [s.layout for s in sources],
            options,
            sources[0].stream if sources else 0,
        )
        return [_detections(of_one) for of_one in found]

    @property
    def mask(self) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """The last frame's mask after closing and opening: (H, W) uint8, 0 or 255, numpy. Empty before the first."""
        while True:  # another thread may push frames of another size, or reset
            width, height = self._core.size
            made = np.empty((height, width), np.uint8)
            if not made.size or self._core.mask(made):
                return made

    @property
    def states(self) -> list[FrameState]:
        """What is known of each frame of the last call, which is one. Empty before the first."""
        return [
            FrameState(warming, changed, (x, y)) for warming, changed, x, y in self._core.states
        ]

    @property
    def threshold(self) -> float:
        """The threshold that the last frame used, in gray levels."""
        return self._core.threshold

    def reset(self) -> None:
        """Forgets the background; the next frame founds it anew and may have another size."""
        self._core.reset()

    def save(self) -> bytes:
        """All that is known after the frames so far, but for `mask` and `threshold`.

        A detector with the same options that loads it goes on as this one would, byte for byte, in another process or on
        another machine. About 15 bytes a pixel of the model "samples", twice that of uint16.

        Raises
        ------
        Unsupported
            After frames on the GPU.

        Examples
        --------
        >>> import numpy as np, cuesta
        >>> one, other = (cuesta.MotionDetector("first", blur=1, open="rect:3") for _ in range(2))
        >>> frame = np.zeros((40, 60), np.uint8)
        >>> one.push(frame)
        []
        >>> other.load(one.save())
        >>> frame[10:20, 30:45] = 255
        >>> one.push(frame) == other.push(frame) != []
        True
        """
        return self._core.save()

    def load(self, saved: bytes) -> None:
        """Goes on where the detector that was saved stood.

        Raises
        ------
        InputError
            For bytes that are no whole state of a detector with the same background, blur, blur_sigma, warm_up, relearn
            and steady; this one is then as before.
        """
        self._core.load(saved)

    @property
    def founded_by(self) -> int | None:
        """Of so many first frames all is made that is known later; None where every frame is learned from.

        Only the background "first" without `relearn` and `steady` has such a number: after so many frames `save` gives
        what is right before any later frame, so parts of a video may be looked at in any order.
        """
        return self._core.founded_by


@described
class BackgroundSubtractor(HoldsState):
    """A model of the background, learned frame by frame.

    Parameters
    ----------
    **options
    """

    def __init__(self, model: str | None = None, **options: Unpack[BackgroundOptions]) -> None:
        self._core = _core.BackgroundSubtractor({"model": model, **options})

    @described
    def push(
        self,
        frame: Any,
        limit: float = 25,
        *,
        layout: str | None = None,
        **options: Unpack[Execution],
    ) -> tuple[Any, Any, Any]:
        """Holds a frame against the background, then learns it.

        Parameters
        ----------
        frame : array
            (H, W) uint8 or uint16, all of one size and type and on one device. A gray level is 256 in uint16, as
            `read_video` has it with `keep_depth`: what is finer than a level is learned, too.
        limit : float
            The mask is difference > limit, in gray levels.
        layout, strategy, parameters, threads, stream
            As `canny` has them.

        Returns
        -------
        background, difference, mask : arrays
            Of the frame's shape, kind and device; the first two of its type, the mask uint8.

        Raises
        ------
        InputError
            For a frame of another size, type or device.
        """
        s = Source(frame, layout, "frame", options.pop("stream", None), channels="one")
        level = "uint16" if s.dtype == "uint16" else "uint8"
        background, difference, mask = (Result(s, None, dtype) for dtype in (level, level, "uint8"))
        self._core.push(
            s.handle,
            s.layout,
            background.handle,
            difference.handle,
            mask.handle,
            limit,
            options,
            s.stream,
        )
        return background.finish(), difference.finish(), mask.finish()

    @property
    def frames(self) -> int:
        """Frames since the background was founded, that one included."""
        return self._core.frames

    def reset(self) -> None:
        """Forgets everything; the next frame founds the background anew and may have another size."""
        self._core.reset()

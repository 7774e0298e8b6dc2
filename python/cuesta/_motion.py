"""Moving objects in video, frame by frame (paper 004)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cuesta import _core
from cuesta._keywords import BackgroundOptions, MotionOptions
from cuesta._options import Execution, described, number
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
    """In pixels."""
    centroid: tuple[float, float]
    """x, y in pixels."""


class FrameState(NamedTuple):
    """The state of a detector after one frame, beside the objects."""

    warming_up: bool
    """Whether the background is still being learned. Such frames have no objects."""
    changed: bool
    """Whether most of the picture changed at once, which starts a warm-up.

    Causes are a lamp, an exposure or a cut.
    """
    shift: tuple[int, int]
    """The picture's displacement by moves of the camera: x to the right and y down, in pixels."""


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
        An option is invalid or not supported. The message names it.

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
        """Finds the moving objects of the next frame.

        Parameters
        ----------
        frame : array
            uint8 or uint16: (H, W), or (H, W, 3 or 4) in RGB order. In uint16 a gray level is 256,
            as `read_video` returns it with `keep_depth`. All frames must have one size and type and
            be on one device.
        layout, page, band, strategy, parameters, threads, stream
            See `canny`.

        Returns
        -------
        list of Detection
            In raster order of their first pixel. Frames of the warm-up have no objects.

        Raises
        ------
        InputError
            The frame has another size, type or device. The detector is unchanged.
        """
        s = Source(frame, layout, "frame", options)
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
        """Finds the moving objects in the next frames of several cameras, one each.

        On the GPU all frames share the launches, and the call waits once.

        Parameters
        ----------
        detectors : sequence of MotionDetector
            One for each camera, each with its own background, options and mask.
        frames : sequence of arrays
            A frame for each detector; see `push`. Sizes may differ. All frames must be on one
            device.
        layout, page, band, strategy, parameters, threads, stream
            See `canny`. The layout is that of every frame.

        Returns
        -------
        list of lists of Detection
            For each camera the objects that its own `push` finds.

        Raises
        ------
        InvalidArgument
            The numbers of frames and detectors differ or are 0, a detector occurs twice, or the
            frames are on several devices or streams.
        InputError
            A frame has another size, type or device than the camera's frames before.

        Examples
        --------
        >>> import numpy as np, cuesta
        >>> options = {"blur": 1, "close": "rect:3", "open": "rect:3"}
        >>> cameras = [cuesta.MotionDetector("first", **options) for _ in range(2)]
        >>> frames = [np.zeros((40, 60), np.uint8), np.zeros((30, 30), np.uint8)]
        >>> cuesta.MotionDetector.push_cameras(cameras, frames)
        [[], []]
        >>> frames[1][10:20, 5:20] = 255
        >>> [len(found) for found in cuesta.MotionDetector.push_cameras(cameras, frames)]
        [0, 1]
        """
        part = {name: options.pop(name, None) for name in ("stream", "page", "band")}  # type: ignore[misc]
        sources = [
            Source(frame, layout, f"frame {i}", dict(part)) for i, frame in enumerate(frames)
        ]
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
        """The last frame's mask after closing and opening.

        A numpy array (H, W) of uint8, 0 or 255. It is empty before the first frame.
        """
        while True:  # another thread may push frames of another size, or reset
            width, height = self._core.size
            made = np.empty((height, width), np.uint8)
            if not made.size or self._core.mask(made):
                return made

    @property
    def states(self) -> list[FrameState]:
        """The states after the frames of the last call: one, or none before the first frame."""
        return [
            FrameState(warming, changed, (x, y)) for warming, changed, x, y in self._core.states
        ]

    @property
    def threshold(self) -> float:
        """The threshold of the last frame, in gray levels."""
        return self._core.threshold

    def set_thresholds(self, levels: Any) -> None:
        """Sets the threshold of each pixel, in place of the option `threshold`.

        The background stays the same whatever the thresholds.

        Parameters
        ----------
        levels : array or None
            (H, W) float32, in gray levels, 0 or more, of the frames' size. They stay until they are
            set again. None returns to the option.

        Raises
        ------
        InvalidArgument
            A threshold is negative or not finite. If the size is not that of the frames, the next
            `push` raises InputError.

        Examples
        --------
        >>> import numpy as np, cuesta
        >>> detector = cuesta.MotionDetector("first", blur=1, close="rect:1", open="rect:1")
        >>> levels = np.full((40, 60), 16, np.float32)
        >>> levels[:, 30:] = 50
        >>> detector.set_thresholds(levels)
        >>> detector.push(np.zeros((40, 60), np.uint8))
        []
        >>> [found.box for found in detector.push(np.full((40, 60), 40, np.uint8))]
        [(0, 0, 30, 40)]
        """
        self._core.set_thresholds(levels)

    def reset(self) -> None:
        """Forgets the background. The next frame initialises it and may have another size."""
        self._core.reset()

    def save(self) -> bytes:
        """Saves the state after the frames so far, without `mask` and `threshold`.

        A detector with the same options can load it, in another process or on another machine. It
        continues as this one would, byte for byte.

        Returns
        -------
        bytes
            About 15 bytes a pixel for the model "samples", twice that for uint16.

        Raises
        ------
        Unsupported
            The frames were on the GPU.

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
        """Loads a saved state, and continues where that detector stopped.

        Parameters
        ----------
        saved : bytes
            As `save` returns it.

        Raises
        ------
        InputError
            The bytes are not a complete, unchanged state of a detector with the same background,
            blur, blur_sigma, warm_up, relearn and steady, or are of another version of the
            format. This detector is unchanged.
        """
        self._core.load(saved)

    @property
    def initialised_by(self) -> int | None:
        """Number of first frames that determine the background; None where all frames do.

        Only the background "first" without `relearn` and `steady` has such a number. After these
        frames `save` returns the right state for any later frame. Parts of a video can then be
        processed in any order.
        """
        return self._core.initialised_by


@described
class BackgroundSubtractor(HoldsState):
    """A model of the background, learned frame by frame.

    Parameters
    ----------
    **options

    Raises
    ------
    InvalidArgument
        An option is invalid. The message names it.

    Examples
    --------
    >>> import numpy as np, cuesta
    >>> subtractor = cuesta.BackgroundSubtractor("first")
    >>> frame = np.zeros((4, 6), np.uint8)
    >>> background, difference, mask = subtractor.push(frame, 20)
    >>> frame[1, 2] = 90
    >>> background, difference, mask = subtractor.push(frame, 20)
    >>> int(difference.max()), int((mask > 0).sum()), subtractor.frames
    (90, 1, 2)
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
        """Compares a frame with the background, then learns it.

        Parameters
        ----------
        frame : array
            (H, W) uint8 or uint16. All frames must have one size and type and be on one device. In
            uint16 a gray level is 256, as `read_video` returns it with `keep_depth`. Fractions of a
            level are learned, too.
        limit : float
            The mask is difference > limit, in gray levels.
        layout, page, band, strategy, parameters, threads, stream
            See `canny`.

        Returns
        -------
        background, difference, mask : arrays
            Of the frame's shape, library and device. The first two have its type; the mask is
            uint8.

        Raises
        ------
        InputError
            The frame has another size, type or device.
        """
        s = Source(frame, layout, "frame", options, channels="one")
        level = "uint16" if s.dtype == "uint16" else "uint8"
        background, difference, mask = (Result(s, None, dtype) for dtype in (level, level, "uint8"))
        self._core.push(
            s.handle,
            s.layout,
            background.handle,
            difference.handle,
            mask.handle,
            number("limit", limit),
            options,
            s.stream,
        )
        return background.finish(), difference.finish(), mask.finish()

    @property
    def frames(self) -> int:
        """Number of frames since the background was initialised, including that one."""
        return self._core.frames

    def reset(self) -> None:
        """Forgets the background. The next frame initialises it and may have another size."""
        self._core.reset()

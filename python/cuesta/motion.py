"""Moving objects in video, frame by frame (paper 004)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cuesta import _core
from cuesta._arrays import Result, Source
from cuesta._keywords import BackgroundOptions, MotionOptions
from cuesta._options import Execution, described

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["BackgroundSubtractor", "Detection", "MotionDetector"]


class Detection(NamedTuple):
    """One moving object in one frame."""

    box: tuple[int, int, int, int]
    """x, y, width, height in pixels."""
    area: int
    """Pixels."""
    centroid: tuple[float, float]
    """x, y."""


@described
class MotionDetector:
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
    >>> detector = cuesta.MotionDetector(blur=1, close="rect:3", open="rect:3")
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
            uint8: (H, W), or (H, W, 3 or 4) in RGB order. The first frame founds the background and has no objects; all
            must be of its size and on its device.
        layout, strategy, parameters, threads, stream
            As `canny` has them.

        Raises
        ------
        InputError
            For a frame of another size or device; the detector is as before.
        """
        s = Source(frame, layout, "frame", options.pop("stream", None))
        found = self._core.push(s.handle, s.layout, options, s.stream)
        return [Detection((x, y, w, h), area, (cx, cy)) for x, y, w, h, area, cx, cy in found]

    @property
    def mask(self) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """The last frame's mask after closing and opening: (H, W) uint8, 0 or 255, numpy. Empty before the first."""
        width, height = self._core.size
        made = np.empty((height, width), np.uint8)
        if made.size:
            self._core.mask(made)
        return made

    @property
    def threshold(self) -> float:
        """The threshold that the last frame used, in gray levels."""
        return self._core.threshold

    def reset(self) -> None:
        """Forgets the background; the next frame founds it anew and may have another size."""
        self._core.reset()


@described
class BackgroundSubtractor:
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
            (H, W) uint8, all of one size and on one device.
        limit : float
            The mask is difference > limit, in gray levels.
        layout, strategy, parameters, threads, stream
            As `canny` has them.

        Returns
        -------
        background, difference, mask : arrays
            uint8 of the frame's shape, kind and device.

        Raises
        ------
        InputError
            For a frame of another size or device.
        """
        s = Source(frame, layout, "frame", options.pop("stream", None))
        background, difference, mask = (Result(s, None, "uint8") for _ in range(3))
        self._core.push(
            s.handle, s.layout, background.handle, difference.handle, mask.handle, limit, options, s.stream
        )
        return background.finish(), difference.finish(), mask.finish()

    @property
    def frames(self) -> int:
        """Frames since the background was founded, that one included."""
        return self._core.frames

    def reset(self) -> None:
        """Forgets everything; the next frame founds the background anew and may have another size."""
        self._core.reset()

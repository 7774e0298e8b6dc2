"""Moving objects in video, frame by frame (paper 004)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cuesta import _core
from cuesta._arrays import Result, Source
from cuesta._options import Parameters, element_of, parameter_list
from cuesta.errors import InvalidArgument

__all__ = ["BackgroundSubtractor", "Detection", "MotionDetector"]


class Detection(NamedTuple):
    """One moving object in one frame."""

    box: tuple[int, int, int, int]
    """x, y, width, height in pixels."""
    area: int
    """Pixels."""
    centroid: tuple[float, float]
    """x, y."""


class MotionDetector:
    """Finds moving objects: background, difference, threshold, closing, opening, components.

    Parameters
    ----------
    background : {"first", "mean", "median", "mixture"}
        How the background is known: the first frame (paper 004), a running mean, a sigma-delta median, or an integer
        mixture of Gaussians.
    rate_shift : int, optional
        Learning rate 2^-rate_shift, 1 to 12, of "mean" and "mixture".
    blur : int
        Window of the Gaussian before the difference, odd; 1 smooths nothing.
    blur_sigma : float, optional
        Its sigma in pixels; by default 0.3 ((blur - 1) / 2 - 1) + 0.8.
    threshold : float or "auto" or ("auto", float)
        Foreground is a difference above it, in gray levels. "auto" takes Otsu's of each frame, never below 25 or the
        number given beside it.
    close, open : str or array
        Structuring elements, as `erode` takes them.
    connectivity : {8, 4}
    min_area : int
        Smaller components are dropped; pixels.

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

    def __init__(
        self,
        background: str = "first",
        *,
        rate_shift: int | None = None,
        blur: int = 15,
        blur_sigma: float | None = None,
        threshold: float | str | tuple[str, float] = 25,
        close: Any = "disk:15",
        open: Any = "disk:15",  # noqa: A002
        connectivity: int = 8,
        min_area: int = 0,
    ) -> None:
        floor: Any = threshold
        automatic = False
        if isinstance(threshold, (str, tuple)):
            rule, floor = (threshold, 25) if isinstance(threshold, str) else threshold
            automatic = True
            if rule != "auto":
                raise InvalidArgument(f"threshold is {threshold!r}; it is a number or 'auto'", repr(threshold))
        self._core = _core.MotionDetector(
            background, rate_shift or 0, blur, blur_sigma or 0.0, automatic, float(floor), element_of(close),
            element_of(open), connectivity, min_area,
        )  # fmt: skip

    def push(
        self,
        frame: Any,
        *,
        layout: str | None = None,
        strategy: str | None = None,
        parameters: Parameters | None = None,
        threads: int | None = None,
        stream: Any = None,
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
        s = Source(frame, layout, "frame", stream)
        found = self._core.push(s.handle, s.layout, strategy, parameter_list(parameters), threads or 0, s.stream)
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


class BackgroundSubtractor:
    """A model of the background, learned frame by frame.

    Parameters
    ----------
    model : {"first", "mean", "median", "mixture"}
        As `MotionDetector` has it.
    rate_shift : int, optional
        Learning rate 2^-rate_shift, 1 to 12.
    """

    def __init__(self, model: str = "first", *, rate_shift: int | None = None) -> None:
        self._core = _core.BackgroundSubtractor(model, rate_shift or 0)

    def push(
        self,
        frame: Any,
        limit: float = 25,
        *,
        layout: str | None = None,
        strategy: str | None = None,
        parameters: Parameters | None = None,
        threads: int | None = None,
        stream: Any = None,
    ) -> tuple[Any, Any, Any]:
        """Holds a frame against the background, then learns it.

        Parameters
        ----------
        frame : array
            (H, W) uint8, all of one size and on one device.
        limit : float
            The mask is difference > limit, in gray levels.

        Returns
        -------
        background, difference, mask : arrays
            uint8 of the frame's shape, kind and device.

        Raises
        ------
        InputError
            For a frame of another size or device.
        """
        s = Source(frame, layout, "frame", stream)
        background, difference, mask = (Result(s, None, "uint8") for _ in range(3))
        self._core.push(
            s.handle, s.layout, background.handle, difference.handle, mask.handle, limit, strategy,
            parameter_list(parameters), threads or 0, s.stream,
        )  # fmt: skip
        return background.finish(), difference.finish(), mask.finish()

    @property
    def frames(self) -> int:
        """Frames since the background was founded, that one included."""
        return self._core.frames

    def reset(self) -> None:
        """Forgets everything; the next frame founds the background anew and may have another size."""
        self._core.reset()

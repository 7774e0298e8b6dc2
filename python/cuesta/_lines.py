"""Edges as lines of linked points, which are placed between the pixels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from cuesta import _core
from cuesta._keywords import TraceOptions
from cuesta._options import described, threshold_pairs
from cuesta._sources import Source, companion
from cuesta.errors import InvalidArgument

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Unpack

__all__ = ["Line", "Outline", "trace"]


class Line(NamedTuple):
    """One line of an edge. Along its points the brighter side is at the right."""

    points: NDArray[np.float64]
    """(N, 2): x to the right and y down, in pixels. (0, 0) is the centre of the upper left pixel."""
    strengths: NDArray[np.float64]
    """(N,): the gradient's magnitude in the units of Canny's thresholds.

    With method "log" it is the step of L, in gray levels.
    """
    closed: bool
    """Whether the last point joins the first. The first point is not repeated."""
    length: float
    """In pixels, before the line was simplified."""
    strength: float
    """Mean strength of the points, before the line was simplified."""


class Outline(NamedTuple):
    """The outline of one region, along the sides of its pixels."""

    label: int
    """The region's number, as ``edges(image, "regions", labels=True)`` has it."""
    area: int
    """In pixels, before the outline was simplified."""
    mean: float
    """Mean gray level of its pixels."""
    length: float
    """Of the outer ring in pixels, before it was simplified."""
    rings: list[NDArray[np.float64]]
    """The outer ring, then holes: (N, 2) each, x to the right and y down, in pixels.

    The region is at the right. The first point is not repeated.
    """


def outlines_of(
    places: bytes, rings: list[tuple[int, int]], rows: list[tuple[int, int, float, float]]
) -> list[Outline]:
    """Makes outlines from what the extension returns."""
    xy = np.frombuffer(places, np.float64).reshape(-1, 2).copy()
    outlines = [Outline(*row, []) for row in rows]
    at = 0
    for region, count in rings:
        outlines[region].rings.append(xy[at : at + count])
        at += count
    return outlines


def lines_of(
    places: bytes, strengths: bytes, rows: list[tuple[int, bool, float, float]]
) -> list[Line]:
    """Makes lines from what the extension returns."""
    xy = np.frombuffer(places, np.float64).reshape(-1, 2).copy()
    strong = np.frombuffer(strengths, np.float64).copy()
    lines, at = [], 0
    for count, closed, length, strength in rows:
        part = slice(at, at + count)
        lines.append(Line(xy[part], strong[part], closed, length, strength))
        at += count
    return lines


@described
def trace(
    image: Any,
    low: float | None = None,
    high: float | None = None,
    *,
    method: Literal["canny", "log"] = "canny",
    threshold: str | float | None = None,
    edges: Any = None,
    mask: Any = None,
    layout: str | None = None,
    **options: Unpack[TraceOptions],
) -> list[Line]:
    """Finds edges as lines, with points between the pixels.

    Parameters
    ----------
    image : array
        One picture (H, W), uint8, uint16 or float32. Method "canny" also reads (H, W, 3). Method
        "log" does not read float32. For an image on a GPU the edges are found there. The call waits
        for a copy of both, and the CPU makes the same lines.
    low, high : float, optional
        Method "canny": thresholds in units of the gradient; see `canny`. Give both or neither.
    **options
    method : {"canny", "log"}
        "canny": Canny's edges, linked by the directions of their gradients. "log": the zero
        crossings of the Laplacian of a Gaussian, as contours.
    threshold : str or float, optional
        Method "canny": the rule that finds the thresholds; see `canny` (default "auto"). Method
        "log": the difference of L between two neighbours, in gray levels (default 5).
    edges : array, optional
        Method "canny": uint8 or bool of the image's shape, non-zero on edges about a pixel wide.
        These edges are linked, and no others are found.
    mask : array, optional
        Method "canny": uint8 or bool of the image's shape. No edges are found where it is 0.
    layout : {"HW", "HWC", "CHW", "NHW", "NHWC", "NCHW"}, optional
        The meaning of the dimensions, where the shape alone is ambiguous.
    page, band : int, optional
        Of a picture file; see `canny`.
    strategy, parameters
        The strategy that finds the edges; see `canny` and `log_edges`.
    threads : int, optional
        By default every core. The lines are the same with any number.
    stream : optional
        The CUDA stream; see `canny`.

    Returns
    -------
    list of Line
        Ordered by their first points, row by row.

    Raises
    ------
    InvalidArgument
        An argument is invalid, or there are several pictures. The message names the argument, its
        value and what is accepted.
    Unsupported
        The chosen strategy does not support the request.

    Notes
    -----
    Points are refined after Devernay 1995 and Grompone von Gioi & Randall, IPOL 2017. Lines are
    simplified after Ramer 1972 and Douglas & Peucker 1973. docs/user/accuracy.md reports the error
    of the points.

    Examples
    --------
    >>> import numpy as np, cuesta
    >>> picture = np.zeros((64, 64), np.uint8)
    >>> picture[16:48, 16:48] = 200
    >>> (line,) = cuesta.trace(picture, 50, 100)
    >>> line.closed, line.points.shape[1]
    (True, 2)
    """
    s = Source(image, layout, "image", options, channels="one").leveled()
    if method == "log":
        others = {"low": low, "high": high, "edges": edges, "mask": mask}
        others |= {"norm": options.pop("norm", None), "aperture": options.pop("aperture", None)}
        for name, value in others.items():
            if value is not None:
                raise InvalidArgument(f"{name} requires method 'canny', not 'log'", repr(value))
        if isinstance(threshold, str):
            raise InvalidArgument(
                f"threshold is {threshold!r}; of method 'log' it is a number", repr(threshold)
            )
        places, strengths, rows = _core.trace_log(s.handle, s.layout, threshold, options, s.stream)
    elif method == "canny":
        if threshold is not None and not isinstance(threshold, str):
            raise InvalidArgument(
                f"threshold is {threshold!r}; of method 'canny' it is the name of a rule, and numbers are low and high",
                repr(threshold),
            )
        lows, highs = threshold_pairs(low, high)
        if len(lows) > 1:
            raise InvalidArgument(
                f"low and high have {len(lows)} pairs; trace takes one picture", str(len(lows))
            )
        places, strengths, rows = _core.trace_canny(
            s.handle,
            s.layout,
            None if edges is None else companion(edges, s, "edges"),
            None if mask is None else companion(mask, s, "mask"),
            "auto" if threshold is None else threshold,
            (lows[0], highs[0]) if lows else None,
            options,
            s.stream,
        )
    else:
        raise InvalidArgument(f"method is {method!r}; it must be 'canny' or 'log'", repr(method))
    return lines_of(places, strengths, rows)

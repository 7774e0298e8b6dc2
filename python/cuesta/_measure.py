"""Measures of labelled components."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from cuesta import _core
from cuesta._kinds import kind_of, native
from cuesta._options import Execution, described
from cuesta._sources import Source, companion, opened, refuse_parts
from cuesta.errors import InvalidArgument

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Measures", "measure"]

A = TypeVar("A")


@dataclass(frozen=True, eq=False)
class Measures(Generic[A]):
    """Measures of the components 1 to `count`: row i of each array is label i + 1.

    Names and definitions are those of `skimage.measure.regionprops`. Lengths are in pixels, angles
    in radians. A label without pixels has area 0, measures of 0 and intensities of NaN.
    """

    count: int
    """Number of labels."""
    boxes: A
    """(count, 4) int32: x, y, width, height in pixels."""
    areas: A
    """(count,) int64, in pixels."""
    centroids: A
    """(count, 2) float64: x, y in pixels."""
    extent: A
    """(count,) float64: the area over that of the box."""
    perimeter: A
    """(count,) float64: length of the outline, by 4 neighbours."""
    orientation: A
    """(count,) float64: angle from the vertical to the major axis, −π/2 to π/2."""
    eccentricity: A
    """(count,) float64: of the ellipse with the same second moments, 0 to 1."""
    axis_major_length: A
    """(count,) float64: of that ellipse."""
    axis_minor_length: A
    """(count,) float64: of that ellipse."""
    equivalent_diameter: A
    """(count,) float64: of the circle with the same area."""
    moments: A
    """(count, 4, 4) float64: sums of y^i x^j from the box's corner; 0 where i + j > 3."""
    moments_central: A
    """(count, 4, 4) float64: the same about the centroid."""
    intensity_mean: A
    """(count,) float64: mean of the intensity picture; NaN without one."""
    intensity_min: A
    """(count,) float64: its least value; NaN without one."""
    intensity_max: A
    """(count,) float64: its greatest value; NaN without one."""


_SINGLE = (
    "extent",
    "perimeter",
    "orientation",
    "eccentricity",
    "axis_major_length",
    "axis_minor_length",
    "equivalent_diameter",
    "intensity_mean",
    "intensity_min",
    "intensity_max",
)


def measures_of(table: np.ndarray[Any, Any], convert: Any = lambda values: values) -> Measures[Any]:
    """Returns the measures in a table of the extension: a row for each label."""
    count, n = len(table), 7 + len(_SINGLE)
    single = {name: convert(table[:, 7 + i].copy()) for i, name in enumerate(_SINGLE)}
    return Measures(
        count,
        convert(table[:, :4].astype(np.int32)),
        convert(table[:, 4].astype(np.int64)),
        convert(table[:, 5:7].copy()),
        moments=convert(table[:, n : n + 16].reshape(count, 4, 4).copy()),
        moments_central=convert(table[:, n + 16 :].reshape(count, 4, 4).copy()),
        **single,
    )


def measured(
    s: Source, labels: Any, count: int, intensity: Any, options: dict[str, Any]
) -> Measures[Any]:
    """Measures labels that have the source's shape and device; `labels` is their handle."""
    other = None if intensity is None else companion(intensity, s, "intensity")
    table = _core.measure(labels, count, other, s.layout, options, s.stream)
    return measures_of(table, lambda values: s.kind.from_numpy(values, s.given))


def _as_labels(labels: Any) -> Any:
    """Returns numpy arrays of other integers as int32; other arrays as they are."""
    if not isinstance(labels, np.ndarray) or labels.dtype.kind not in "iu":
        return labels
    largest = np.iinfo(np.int32).max
    if labels.size and labels.dtype.itemsize >= 4 and labels.max() > largest:
        raise InvalidArgument(
            f"labels go up to {labels.max()}; they must be at most {largest}", str(labels.max())
        )
    return native(labels).astype(np.int32, copy=False)


def _greatest(s: Source) -> int:
    greatest = getattr(s.given, "max", None)
    if greatest is None:
        raise InvalidArgument(
            f"labels are a {type(s.given).__name__}, which has no max(); set count", "count"
        )
    return max(0, int(greatest())) if all(s.shape) else 0


@described
def measure(
    labels: A,
    intensity: Any = None,
    *,
    count: int | None = None,
    layout: str | None = None,
    **options: Unpack[Execution],
) -> Measures[A]:
    """Measures the shapes and intensities of labelled components.

    Parameters
    ----------
    labels : array
        (H, W) int32; other integers for numpy; or a picture file, whose gray levels are the labels.
        Labels from 1 to `count` are measured, others are background. `label` makes them, or any
        other program: components may touch.
    intensity : array, optional
        uint8, uint16 or float32 of the labels' shape, library and device.
    count : int, optional
        The greatest label to measure. None: the greatest there is.
    **options
    layout, page, band, strategy, parameters, threads, stream
        See `canny`.

    Returns
    -------
    Measures
        All arrays are of the labels' library and on their device.

    Raises
    ------
    InvalidArgument, Unsupported, DeviceError
        See `canny`.

    Notes
    -----
    Results follow from exact integer sums. They do not depend on the device, on threads or on
    bands. Source: `skimage.measure.regionprops`.

    Examples
    --------
    >>> import numpy as np, cuesta
    >>> labels = np.zeros((8, 8), np.int32)
    >>> labels[1:3, 1:5] = 1
    >>> found = cuesta.measure(labels)
    >>> found.areas.tolist(), found.perimeter.tolist(), found.extent.tolist()
    ([8], [8.0], [1.0])
    """
    chosen: dict[str, Any] = {**options}
    page, band = chosen.pop("page", None), chosen.pop("band", None)
    refuse_parts(labels, "labels", page, band)
    array, known = opened(labels, "labels", gray=True, page=page, band=band)
    array = _as_labels(array)
    dtype = kind_of(array, "labels").dtype(array)
    if dtype != "int32":
        raise InvalidArgument(f"labels are {dtype}; they must be int32", dtype)
    s = Source(array, known if layout is None else layout, "labels", chosen, channels="one")
    if count is None:
        count = _greatest(s)
    elif not isinstance(count, (int, np.integer)) or not 0 <= count < 2**31:
        raise InvalidArgument(f"count is {count!r}; it must be from 0 to {2**31 - 1}", str(count))
    found: Measures[A] = measured(s, s.handle, int(count), intensity, chosen)
    return found

"""Connected components."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import cuesta
from cuesta.compat._dispatch import Array, leave
from cuesta.compat.cv2._arguments import deliver, picture_of
from cuesta.compat.cv2._constants import *
from cuesta.compat.cv2._table import original


def _components(function: str, image: Array, connectivity: int, ltype: int) -> tuple[Array, Any]:
    """Returns labels, and the result of `cuesta.label`.

    cv2 numbers 8-way labels by blocks, so they are left to cv2.
    """
    mask = picture_of(function, image).view(np.uint8)
    leave(connectivity != 4, f"connectivity is {connectivity}")
    leave(ltype not in (CV_32S, CV_16U), f"ltype is {ltype}")
    found = cuesta.label(mask, connectivity=4, layout="HW")
    leave(
        ltype == CV_16U and found.count > 65534,
        f"ltype is CV_16U and there are {found.count} components",
    )
    return np.asarray(found.labels, np.int32 if ltype == CV_32S else np.uint16), found


@original.answers
def connectedComponents(
    image: Array, labels: Array | None = None, connectivity: int = 8, ltype: int = CV_32S
) -> tuple[int, Array]:
    """Labels components as ``cv2.connectedComponents``.

    The parameters are those of ``cv2.connectedComponents``.

    Returns
    -------
    tuple
        The number of components, background included, and the labels.
    """
    numbered, found = _components("connectedComponents", image, connectivity, ltype)
    return int(found.count) + 1, deliver(numbered, labels)


@original.answers
def connectedComponentsWithStats(
    image: Array,
    labels: Array | None = None,
    stats: Array | None = None,
    centroids: Array | None = None,
    connectivity: int = 8,
    ltype: int = CV_32S,
) -> tuple[int, Array, Array, Array]:
    """Labels and measures components as ``cv2.connectedComponentsWithStats``.

    The parameters are those of ``cv2.connectedComponentsWithStats``.

    Returns
    -------
    tuple
        The number of components, background included; the labels; boxes and areas (CC_STAT_LEFT,
        CC_STAT_TOP, CC_STAT_WIDTH, CC_STAT_HEIGHT, CC_STAT_AREA); centroids as x, y. Row 0 is the
        background's. Without background pixels it is -1, 2147483647, 0, 0, 0, and its centroid NaN.
    """
    numbered, found = _components("connectedComponentsWithStats", image, connectivity, ltype)
    count = int(found.count) + 1
    areas, middles = np.asarray(found.areas), np.asarray(found.centroids)
    boxes, points = np.zeros((count, 5), np.int32), np.empty((count, 2), np.float64)
    boxes[1:, :4] = np.asarray(found.boxes)
    boxes[1:, 4] = areas
    points[1:] = middles
    boxes[0], points[0] = _background(numbered, areas, middles)
    return count, deliver(numbered, labels), deliver(boxes, stats), deliver(points, centroids)


def _background(
    labels: Array, areas: NDArray[Any], middles: NDArray[Any]
) -> tuple[list[int], list[float]]:
    """Returns the background's box and area, and its centroid."""
    height, width = labels.shape
    area = height * width - int(areas.sum())
    if area == 0:
        return [-1, int(np.iinfo(np.int32).max), 0, 0, 0], [np.nan, np.nan]
    background = labels == 0
    xs, ys = (
        np.flatnonzero(background.any(axis=0)).tolist(),
        np.flatnonzero(background.any(axis=1)).tolist(),
    )
    # Sums of coordinates are whole, so rounding recovers them from the centroids.
    sums = np.rint(middles * areas[:, np.newaxis]).astype(np.int64).sum(axis=0)
    whole = (height * (width * (width - 1) // 2), width * (height * (height - 1) // 2))
    centroid = [(all_of - int(part)) / area for all_of, part in zip(whole, sums, strict=True)]
    return [xs[0], ys[0], xs[-1] - xs[0] + 1, ys[-1] - ys[0] + 1, area], centroid

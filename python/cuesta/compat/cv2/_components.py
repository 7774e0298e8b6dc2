"""Connected components."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import cuesta
from cuesta.compat.cv2._arguments import *
from cuesta.compat.cv2._constants import *

def _numbers_of_blocks(labels: NDArray[np.int32], count: int) -> NDArray[np.intp]:
    """OpenCV's number of each label of ours. It numbers 8-way components by the first block of
    2 x 2 pixels, in raster order of blocks, that they touch; ours count by the first pixel."""
    height, width = labels.shape
    even = np.zeros((height + height % 2, width + width % 2), labels.dtype)
    even[:height, :width] = labels
    # The set pixels of one block are one component, and a component's first block begins a run.
    rows = np.maximum(even[::2], even[1::2])
    blocks = np.maximum(rows[:, ::2], rows[:, 1::2]).ravel()
    begins = blocks != 0
    begins[1:] &= blocks[1:] != blocks[:-1]
    at = np.flatnonzero(begins)[::-1]
    first = np.zeros(count + 1, np.intp)
    first[blocks[at]] = at  # the last write, of the first block, stays
    numbers = np.zeros(count + 1, np.intp)
    numbers[1 + np.argsort(first[1:], kind="stable")] = np.arange(1, count + 1)
    return numbers


def _components(
    image: Array, connectivity: int, ltype: int
) -> tuple[NDArray[np.int32], Any, NDArray[np.intp]]:
    """Labels in OpenCV's order, our components, and OpenCV's number of each of ours."""
    mask = picture_of(image, "image", (np.uint8, np.int8, np.bool_), 1).view(np.uint8)
    if connectivity not in (4, 8):
        raise invalid(f"connectivity is {connectivity}; it must be 4 or 8", connectivity)
    if ltype not in (CV_32S, CV_16U):
        raise invalid(f"ltype is {ltype}; it must be CV_32S or CV_16U", ltype)
    # Of 8 ways the labels' order is OpenCV's alone, and costs a second pass here.
    original.answers(connectivity == 8 or mask.size < SMALL)
    found = cuesta.label(mask, connectivity=connectivity, layout="HW")
    labels = np.asarray(found.labels, np.int32)
    if ltype == CV_16U and found.count > 65534:
        raise invalid(
            f"ltype is CV_16U and there are {found.count} components; CV_32S holds more than 65534",
            found.count,
        )
    if connectivity == 4:
        return labels, found, np.arange(found.count + 1)
    numbers = _numbers_of_blocks(labels, found.count)
    return np.take(numbers.astype(np.int32), labels), found, numbers


@original.replaces()
def connectedComponents(
    image: Array,
    labels: Array | None = None,
    connectivity: int = 8,
    ltype: int = CV_32S,
) -> tuple[int, Array]:
    """Components as ``cv2.connectedComponents``: their number, background included, and labels.

    See connectedComponentsWithStats.
    """
    numbered, found, _ = _components(image, connectivity, ltype)
    result = numbered if ltype == CV_32S else numbered.astype(np.uint16)
    return int(found.count) + 1, deliver(result, labels, "labels")


@original.replaces()
def connectedComponentsWithStats(
    image: Array,
    labels: Array | None = None,
    stats: Array | None = None,
    centroids: Array | None = None,
    connectivity: int = 8,
    ltype: int = CV_32S,
) -> tuple[int, Array, Array, Array]:
    """Components as ``cv2.connectedComponentsWithStats``, with its order of labels.

    Parameters
    ----------
    image : uint8, int8 or bool array (H, W)
        Non-zero pixels are set.
    labels, stats, centroids : array, optional
        Written and returned.
    connectivity : 4 or 8
    ltype : CV_32S or CV_16U
        Type of the labels. CV_16U holds 65534 components.

    Returns
    -------
    count : int
        With the background.
    labels : int32 or uint16 array (H, W)
        0 is the background.
    stats : int32 array (count, 5)
        Columns CC_STAT_LEFT, CC_STAT_TOP, CC_STAT_WIDTH, CC_STAT_HEIGHT and CC_STAT_AREA, pixels.
        Row 0 is the background's; where all pixels are set it is -1, 2147483647, 0, 0, 0.
    centroids : float64 array (count, 2)
        x, y; NaN for a background without pixels.
    """
    numbered, found, numbers = _components(image, connectivity, ltype)
    count = int(found.count) + 1
    areas, middles = np.asarray(found.areas), np.asarray(found.centroids)
    boxes = np.zeros((count, 5), np.int32)
    points = np.empty((count, 2), np.float64)
    boxes[numbers[1:], :4] = np.asarray(found.boxes)
    boxes[numbers[1:], 4] = areas
    points[numbers[1:]] = middles

    height, width = numbered.shape
    area = height * width - int(areas.sum())
    if area == 0:
        boxes[0, :2] = -1, np.iinfo(np.int32).max
        points[0] = np.nan
    else:
        background = numbered == 0
        xs = np.flatnonzero(background.any(axis=0))
        ys = np.flatnonzero(background.any(axis=1))
        boxes[0] = xs[0], ys[0], xs[-1] - xs[0] + 1, ys[-1] - ys[0] + 1, area
        # Sums of coordinates are whole: what the centroids stand for is found by rounding.
        sums = np.rint(middles * areas[:, np.newaxis]).astype(np.int64).sum(axis=0)
        whole = (height * (width * (width - 1) // 2), width * (height * (height - 1) // 2))
        points[0] = [(all_of - part) / area for all_of, part in zip(whole, sums, strict=True)]
    result = numbered if ltype == CV_32S else numbered.astype(np.uint16)
    return (
        count,
        deliver(result, labels, "labels"),
        deliver(boxes, stats, "stats"),
        deliver(points, centroids, "centroids"),
    )

"""Point operations."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

import cuesta
from cuesta.compat.cv2._arguments import *
from cuesta.compat.cv2._constants import *

_GRAY: Final = {
    COLOR_BGR2GRAY: ("bgr", 3),
    COLOR_RGB2GRAY: ("rgb", 3),
    COLOR_BGRA2GRAY: ("bgr", 4),
    COLOR_RGBA2GRAY: ("rgb", 4),
}


@original.replaces()
def absdiff(src1: Array, src2: Array, dst: Array | None = None) -> Array:
    """|src1 - src2| as ``cv2.absdiff``, byte for byte.

    Parameters
    ----------
    src1, src2 : uint8, uint16 or float32 arrays (H, W) or (H, W, C) of one shape and type
    dst : array like src1, optional
        Written and returned.
    """
    original.answers(True)
    types = (np.uint8, np.uint16, np.float32)
    first, second = picture_of(src1, "src1", types, 4), picture_of(src2, "src2", types, 4)
    if first.shape != second.shape or first.dtype != second.dtype:
        raise unsupported(
            f"src1 is {first.dtype} {first.shape} and src2 {second.dtype} {second.shape}; they must be alike",
            second.shape,
        )
    return deliver(cuesta.absdiff(first, second, layout=layout_of(first)), dst)


@original.replaces()
def cvtColor(src: Array, code: int, dst: Array | None = None, dstCn: int = 0, hint: int | None = None) -> Array:
    """Gray levels as ``cv2.cvtColor``, byte for byte; all other codes are cv2's.

    Parameters
    ----------
    src : uint8 array (H, W, 3), or (H, W, 4) with alpha, which is ignored
    code : COLOR_BGR2GRAY, COLOR_RGB2GRAY, COLOR_BGRA2GRAY or COLOR_RGBA2GRAY
    dst : uint8 array (H, W), optional
        Written and returned.
    dstCn : 0 or 1
    hint : optional
        Taken for the sake of newer versions.
    """
    picture = picture_of(src, "src", (np.uint8,), 4)
    original.answers(picture.size < SMALL)
    order, channels = _GRAY.get(code, ("", 0))
    if not order:
        raise unsupported(f"code is {code}; those from BGR, RGB, BGRA and RGBA to gray are taken", code)
    if picture.ndim != 3 or picture.shape[2] < 3:
        raise invalid(f"src has shape {picture.shape}; it must have {channels} channels", picture.shape)
    if dstCn not in (0, 1):
        raise invalid(f"dstCn is {dstCn}; gray levels have 1", dstCn)
    return deliver(cuesta.to_gray(picture, order, layout="HWC"), dst)


@original.replaces()
def threshold(
    src: Array, thresh: float, maxval: float, type: int, dst: Array | None = None  # noqa: A002
) -> tuple[float, Array]:
    """src > thresh as ``cv2.threshold`` with THRESH_BINARY, alone or with THRESH_OTSU; all others are cv2's.

    Parameters
    ----------
    src : uint8 array (H, W), or (H, W, C) without THRESH_OTSU
    thresh : float
        Rounded down. With THRESH_OTSU it is found from the histogram.
    maxval : 255
    type : THRESH_BINARY, or THRESH_BINARY + THRESH_OTSU
    dst : array like src, optional
        Written and returned.

    Returns
    -------
    float, uint8 array like src
        The threshold, and 255 where the sample is above it.
    """
    original.answers(True)
    otsu = type == THRESH_BINARY | THRESH_OTSU
    if type != THRESH_BINARY and not otsu:
        raise unsupported(f"type is {type}; THRESH_BINARY is taken, alone or with THRESH_OTSU", type)
    if maxval != 255:
        raise unsupported(f"maxval is {maxval}; 255 is taken", maxval)
    picture = picture_of(src, "src", (np.uint8,), 1 if otsu else 4)
    if otsu:
        limit = float(cuesta.otsu_threshold(cuesta.histogram(picture, layout="HW")))
    else:
        limit = float(math.floor(thresh))
    rows = picture if picture.ndim == 2 else picture.reshape(picture.shape[0], -1)
    found = cuesta.threshold(rows, limit, layout="HW").reshape(picture.shape)
    return limit, deliver(found, dst)

"""Canny and conversion to gray levels."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

import cuesta
from cuesta.compat._dispatch import Array, leave
from cuesta.compat.cv2._arguments import deliver, layout_of, picture_of
from cuesta.compat.cv2._constants import *
from cuesta.compat.cv2._table import original


def _of_picture(
    image: Array,
    threshold1: float,
    threshold2: float,
    edges: Array | None = None,
    apertureSize: int = 3,
    L2gradient: bool = False,
) -> Array:
    picture = picture_of("Canny", image)
    leave(picture.dtype != np.uint8, f"the picture has type {picture.dtype}")
    leave(apertureSize not in (3, 5, 7), f"apertureSize is {apertureSize}")
    found = cuesta.canny(
        picture,
        float(threshold1),
        float(threshold2),
        sigma=0,
        aperture=apertureSize,
        norm="l2" if L2gradient else "l1",
        layout=layout_of(picture),
    )
    return deliver(found, edges)


def _of_gradients(
    dx: Array,
    dy: Array,
    threshold1: float,
    threshold2: float,
    edges: Array | None = None,
    L2gradient: bool = False,
) -> Array:
    gx, gy = picture_of("Canny", dx), picture_of("Canny", dy)
    leave(
        not gx.dtype == gy.dtype == np.int16,
        f"the gradients have types {gx.dtype} and {gy.dtype}",
    )
    leave(gx.shape != gy.shape, f"the gradients have shapes {gx.shape} and {gy.shape}")
    found = cuesta.canny_of_gradients(
        gx,
        gy,
        float(threshold1),
        float(threshold2),
        norm="l2" if L2gradient else "l1",
        layout=layout_of(gx),
    )
    return deliver(found, edges)


@original.answers
def Canny(*given: Any, **named: Any) -> Array:
    """Finds edges as ``cv2.Canny``, byte for byte.

    The parameters are those of ``cv2.Canny``: ``Canny(image, threshold1, threshold2[, edges[,
    apertureSize[, L2gradient]]])``, or with gradients ``Canny(dx, dy, threshold1, threshold2[,
    edges[, L2gradient]])``. Where abs(dx) exceeds 27145 cv2's 32 bits overflow, and edges may
    differ.
    """
    second = given[1] if len(given) > 1 else named.get("dy")
    if "dx" in named or (isinstance(second, np.ndarray) and second.ndim >= 2):
        return _of_gradients(*given, **named)
    return _of_picture(*given, **named)


_GRAY: Final = {
    COLOR_BGR2GRAY: "bgr",
    COLOR_RGB2GRAY: "rgb",
    COLOR_BGRA2GRAY: "bgr",
    COLOR_RGBA2GRAY: "rgb",
}


@original.answers
def cvtColor(
    src: Array, code: int, dst: Array | None = None, dstCn: int = 0, hint: int | None = None
) -> Array:
    """Converts colors to gray levels as ``cv2.cvtColor``, byte for byte.

    The parameters are those of ``cv2.cvtColor``. `hint` exists in newer versions and has no effect.
    """
    picture = picture_of("cvtColor", src)
    leave(code not in _GRAY, f"code is {code}")
    leave(dstCn not in (0, 1), f"dstCn is {dstCn}")
    return deliver(cuesta.to_gray(picture, _GRAY[code], layout="HWC"), dst)

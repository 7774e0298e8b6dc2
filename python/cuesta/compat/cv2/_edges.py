"""Canny."""

from __future__ import annotations

from typing import Any, overload

import numpy as np

import cuesta
from cuesta.compat.cv2._arguments import *
from cuesta.compat.cv2._constants import *


def _of_picture(
    image: Array,
    threshold1: float,
    threshold2: float,
    edges: Array | None = None,
    apertureSize: int = 3,
    L2gradient: bool = False,
) -> Array:
    three = isinstance(image, np.ndarray) and image.ndim == 3 and image.shape[2] == 3
    picture = picture_of(image, "image", (np.uint8,), 3 if three else 1)
    if apertureSize not in (3, 5, 7):
        raise invalid(f"apertureSize is {apertureSize}; it must be 3, 5 or 7", apertureSize)
    found = cuesta.canny(
        picture,
        float(threshold1),
        float(threshold2),
        sigma=0,
        aperture=apertureSize,
        norm="l2" if L2gradient else "l1",
        layout=layout_of(picture),
    )
    return deliver(found, edges, "edges")


def _of_gradients(
    dx: Array,
    dy: Array,
    threshold1: float,
    threshold2: float,
    edges: Array | None = None,
    L2gradient: bool = False,
) -> Array:
    three = isinstance(dx, np.ndarray) and dx.ndim == 3 and dx.shape[2] == 3
    gx = picture_of(dx, "dx", (np.int16,), 3 if three else 1)
    gy = picture_of(dy, "dy", (np.int16,), 3 if three else 1)
    if gx.shape != gy.shape:
        raise invalid(f"dx has shape {gx.shape} and dy {gy.shape}; they must be equal", gy.shape)
    found = cuesta.canny_of_gradients(
        gx,
        gy,
        float(threshold1),
        float(threshold2),
        norm="l2" if L2gradient else "l1",
        layout=layout_of(gx),
    )
    return deliver(found, edges, "edges")


@overload
def Canny(
    image: Array,
    threshold1: float,
    threshold2: float,
    edges: Array | None = None,
    apertureSize: int = 3,
    L2gradient: bool = False,
) -> Array: ...


@overload
def Canny(
    dx: Array,
    dy: Array,
    threshold1: float,
    threshold2: float,
    edges: Array | None = None,
    L2gradient: bool = False,
) -> Array: ...


@original.replaces()
def Canny(*given: Any, **named: Any) -> Array:
    """Edges as ``cv2.Canny`` finds them, byte for byte.

    ``Canny(image, threshold1, threshold2[, edges[, apertureSize[, L2gradient]]])``, or of gradients
    ``Canny(dx, dy, threshold1, threshold2[, edges[, L2gradient]])``.

    Parameters
    ----------
    image : uint8 array (H, W) or (H, W, 3)
    dx, dy : int16 arrays (H, W) or (H, W, 3)
        Where abs(dx) exceeds 27145 cv2's 32 bits overflow, and edges may differ.
    threshold1, threshold2 : float
        The thresholds of the hysteresis in gradient units, in any order.
    edges : uint8 array (H, W), optional
        Written and returned.
    apertureSize : 3, 5 or 7
    L2gradient : bool
        sqrt(gx² + gy²) instead of |gx| + |gy|.

    Returns
    -------
    uint8 array (H, W), 255 on edges and 0 elsewhere.

    Raises
    ------
    cuesta.Unsupported
        For other numbers of channels, and for other types.
    cuesta.InvalidArgument
        For other apertures, and for gradients of two shapes.
    """
    second = given[1] if len(given) > 1 else named.get("dy")
    if "dx" in named or (isinstance(second, np.ndarray) and second.ndim >= 2):
        return _of_gradients(*given, **named)
    return _of_picture(*given, **named)

"""Canny."""

from __future__ import annotations

import numpy as np

import cuesta
from cuesta.compat.cv2._arguments import *
from cuesta.compat.cv2._constants import *

@original.replaces()
def Canny(
    image: Array,
    threshold1: float,
    threshold2: float,
    edges: Array | None = None,
    apertureSize: int = 3,
    L2gradient: bool = False,
) -> Array:
    """Edges as ``cv2.Canny`` finds them, byte for byte.

    Parameters
    ----------
    image : uint8 array (H, W) or (H, W, 3)
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
        For other numbers of channels, and for the form that takes gradients, ``Canny(dx, dy,
        threshold1, threshold2)``.
    cuesta.InvalidArgument
        For other apertures.
    """
    if isinstance(threshold1, np.ndarray) and threshold1.ndim >= 2:
        raise unsupported(
            "Canny(dx, dy, ...) is not supported; give the picture,"
            " Canny(image, threshold1, threshold2), and the gradients are made inside",
            "dx, dy",
        )
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

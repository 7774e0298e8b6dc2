"""OpenCV's module: Cuesta computes what it can with the same bytes, and cv2 the rest.

``from cuesta.compat import cv2`` replaces ``import cv2``. ``python -m cuesta.compat program.py``
runs an unchanged program that contains ``import cv2``. The functions here compute the requests of
the table in the README of ``cuesta.compat``. All other calls and names are passed to the installed
cv2. ``calls()`` counts both. The reference is OpenCV 4.6; the README lists the differences of newer
versions.

Notes
-----
- Pictures are numpy arrays ``(H, W)`` or ``(H, W, C)`` with 1 to 4 channels. As in cv2 the last
  axis of ``(H, W, 1)`` is dropped. Any strides are supported.
- ``dst`` (``edges``, ``labels``, ...) is written and returned when it has the shape and type of the
  result. Otherwise a new array is returned, as by cv2.
- ``borderType`` may contain ``BORDER_ISOLATED``, which changes nothing: an array is not part of a
  larger picture.
- Without cv2 a call that Cuesta does not support raises ``cuesta.Unsupported``. The message lists
  what Cuesta supports.
"""

from __future__ import annotations

from typing import Any

from cuesta.compat._dispatch import Calls
from cuesta.compat.cv2._components import connectedComponents, connectedComponentsWithStats
from cuesta.compat.cv2._constants import *
from cuesta.compat.cv2._edges import Canny, cvtColor
from cuesta.compat.cv2._filters import (
    GaussianBlur,
    Laplacian,
    Scharr,
    Sobel,
    filter2D,
    medianBlur,
    sepFilter2D,
)
from cuesta.compat.cv2._morphology import dilate, erode, morphologyEx
from cuesta.compat.cv2._table import original as original

__all__ = [
    "Canny",
    "GaussianBlur",
    "Laplacian",
    "Scharr",
    "Sobel",
    "calls",
    "connectedComponents",
    "connectedComponentsWithStats",
    "cvtColor",
    "dilate",
    "erode",
    "filter2D",
    "medianBlur",
    "morphologyEx",
    "sepFilter2D",
]


def calls() -> dict[str, Calls]:
    """Counts the calls of each function here that Cuesta computed, and those that cv2 did.

    Returns
    -------
    dict of str to Calls
        By the names of the functions that were called.
    """
    return original.calls()


def __getattr__(name: str) -> Any:
    if name.startswith("__") and name.endswith("__") and name != "__version__":
        raise AttributeError(name)
    found = original.attribute(name)
    if not original.alone:
        globals()[name] = found  # the next look-up finds it here
    return found


def __dir__() -> list[str]:
    module = original.module()
    return sorted({*globals(), *(dir(module) if module else ())})

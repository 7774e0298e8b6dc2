"""OpenCV's module: what Cuesta answers with the same bytes, and cv2 for everything else.

``from cuesta.compat import cv2`` replaces ``import cv2``, and ``python -m cuesta.compat program.py`` runs a
program that says ``import cv2`` as it is. The functions here answer the requests of the table in the README of
``cuesta.compat``; all other calls and names are passed to the cv2 that is installed. ``calls()`` counts who answered.
The reference is OpenCV 4.6; the README has what newer versions do differently.

Notes
-----
- Pictures are numpy arrays ``(H, W)`` or ``(H, W, C)`` with 1 to 4 channels; as in cv2 the last
  axis of ``(H, W, 1)`` is dropped. Any strides are taken.
- ``dst`` (``edges``, ``labels``, ...) is written and returned when it has the shape and type of the
  result; otherwise a new array is returned, as by cv2.
- ``borderType`` may hold ``BORDER_ISOLATED``, which changes nothing: arrays have nothing outside.
- Where cv2 is not installed, what Cuesta does not answer raises ``cuesta.Unsupported`` with what it answers.
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
    """Of each function here that was called: how often Cuesta answered, and how often cv2 did."""
    return original.calls()


def __getattr__(name: str) -> Any:
    if name.startswith("__") and name.endswith("__") and name != "__version__":
        raise AttributeError(name)
    found = original.attribute(name)
    if not original.alone:
        globals()[name] = found  # the next look-up finds it at once
    return found


def __dir__() -> list[str]:
    module = original.module()
    return sorted({*globals(), *(dir(module) if module else ())})

"""OpenCV's module: what Cuesta answers with the same bytes, and cv2 for everything else.

``from cuesta.compat import cv2`` replaces ``import cv2``, and ``python -m cuesta.compat program.py`` runs a
program that says ``import cv2`` as it is. Names that are not here go to the cv2 that is installed, and so do calls
that Cuesta does not take, or would answer with other bytes or more slowly. ``calls()`` counts who answered. The
reference is OpenCV 4.6; the README of ``cuesta.compat`` has the list of what is passed on, and the table of what
newer versions do differently.

Notes
-----
- Pictures are numpy arrays ``(H, W)`` or ``(H, W, C)`` with 1 to 4 channels; as in cv2 the last
  axis of ``(H, W, 1)`` is dropped. Any strides are taken.
- ``dst`` (``edges``, ``labels``, ...) is written and returned when it has the shape and type of the
  result; otherwise a new array is returned, as by cv2.
- ``borderType`` may hold ``BORDER_ISOLATED``, which changes nothing: arrays have nothing outside.
- Where cv2 is not installed, arguments that Cuesta does not take raise ``cuesta.Unsupported`` with
  what is taken, and arguments that cv2 refuses too raise ``cuesta.InvalidArgument``.
"""

from __future__ import annotations

from typing import Any

from cuesta.compat._original import Calls
from cuesta.compat.cv2._arguments import original as original
from cuesta.compat.cv2._components import connectedComponents, connectedComponentsWithStats
from cuesta.compat.cv2._constants import *
from cuesta.compat.cv2._edges import Canny
from cuesta.compat.cv2._filters import (
    GaussianBlur,
    Laplacian,
    Scharr,
    Sobel,
    blur,
    boxFilter,
    filter2D,
    medianBlur,
    sepFilter2D,
    spatialGradient,
)
from cuesta.compat.cv2._morphology import dilate, erode, getStructuringElement, morphologyEx
from cuesta.compat.cv2._points import absdiff, cvtColor, threshold

__all__ = [
    "Canny",
    "GaussianBlur",
    "Laplacian",
    "Scharr",
    "Sobel",
    "absdiff",
    "blur",
    "boxFilter",
    "calls",
    "connectedComponents",
    "connectedComponentsWithStats",
    "cvtColor",
    "dilate",
    "erode",
    "filter2D",
    "getStructuringElement",
    "medianBlur",
    "morphologyEx",
    "sepFilter2D",
    "spatialGradient",
    "threshold",
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

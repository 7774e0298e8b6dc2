"""Runs one of OpenCV's Python samples without a window and a camera, and prints what it showed.

    python opencv_sample.py cv2|cuesta FILE.py arguments ...

What is shown or written becomes a hash; keys are nobody's for three times, then Escape; a camera is the video
$CUESTA_OPENCV_DATA/vtest.avi; clocks and random numbers are the same in every run. The last line of the output is JSON.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import random
import runpy
import sys
import time
from typing import Any

import cv2
import numpy as np

MOST_PICTURES = 24  # where a sample does not listen to Escape
shown: list[str] = []
keys = itertools.chain([-1, -1, -1], itertools.repeat(27))
ticks = itertools.count(1_000_000, 1000)
sliders: dict[tuple[str, str], int] = {}


def show(name: str, picture: Any) -> bool:
    values = np.ascontiguousarray(picture)
    seen = hashlib.sha256(f"{name} {values.dtype} {values.shape}".encode() + values.tobytes())
    shown.append(seen.hexdigest()[:16])
    if len(shown) >= MOST_PICTURES:
        sys.exit(0)
    return True


def slider(name: str, window: str, value: int, count: int, changed: Any = None) -> None:
    sliders[name, window] = value


def camera(file: Any = 0, *arguments: Any) -> Any:
    return capture(
        os.environ["CUESTA_OPENCV_DATA"] + "/vtest.avi" if isinstance(file, int) else file
    )


def nothing(*arguments: Any, **keywords: Any) -> None:
    pass


class Meter:
    """cv2.TickMeter on the clock of here."""

    def __getattr__(self, name: str) -> Any:
        return lambda: 0.01 if name.startswith("get") else None


module: Any = cv2
capture = cv2.VideoCapture
for name, stand_in in {
    "imshow": show,
    "imwrite": lambda file, picture, *arguments: show("written", picture),
    "waitKey": lambda delay=0: next(keys),
    "pollKey": lambda: next(keys),
    "createTrackbar": slider,
    "getTrackbarPos": lambda name, window: sliders[name, window],
    "setTrackbarPos": lambda name, window, value: sliders.__setitem__((name, window), value),
    "getWindowProperty": lambda window, which: 1.0,
    "getTickCount": lambda: next(ticks),
    "getTickFrequency": lambda: 1e6,
    "TickMeter": Meter,
    "selectROI": lambda window, picture, *how: (200, 150, 60, 90),
    "VideoCapture": camera,
    **dict.fromkeys(
        (
            "namedWindow",
            "destroyAllWindows",
            "destroyWindow",
            "setMouseCallback",
            "moveWindow",
            "resizeWindow",
        ),
        nothing,
    ),
}.items():
    setattr(module, name, stand_in)
cv2.samples.addSamplesDataSearchPath(os.environ["CUESTA_OPENCV_DATA"])
cv2.setRNGSeed(1)
cv2.setNumThreads(1)
cv2.ocl.setUseOpenCL(False)
np.random.seed(1)
random.seed(1)
setattr(time, "time", lambda: next(ticks) / 1e6)
setattr(time, "perf_counter", lambda: next(ticks) / 1e6)
for old, new in {"int": int, "float": float, "bool": bool, "object": object}.items():
    np.__dict__.setdefault(old, new)  # the samples are of a time when numpy had these

which, file, *rest = sys.argv[1:]
calls: Any = dict
if which == "cuesta":
    from cuesta.compat import cv2 as ours

    ours.original.module()
    sys.modules["cv2"] = ours
    calls = ours.calls
sys.argv = [file, *rest]
sys.path[0] = os.path.dirname(os.path.abspath(file))
end = "done"
try:
    runpy.run_path(file, run_name="__main__")
except SystemExit as stop:
    end = f"exit {stop.code or 0}"
except BaseException as error:
    end = f"{type(error).__name__}: {str(error).strip().splitlines()[-1] if str(error).strip() else ''}"
sys.stdout.flush()
print(
    "\n"
    + json.dumps({"shown": shown, "end": end, "calls": {k: list(v) for k, v in calls().items()}}),
    flush=True,
)
os._exit(0)  # samples leave threads behind

"""What a call costs before its picture does: the time until it returns.

    python python/bench/bench_calls.py [--quick] [--json FILE]

Every operation on pictures of 8 x 8 on the CPU, from numpy and torch, one thread, and by its operator in torch.ops: what is
left is checking, choosing and handing over. On a machine with a GPU also on 256 x 256 there, from torch and cupy, where a call returns once its work is
enqueued, and as one launch of `cuesta.graphed`. Calls are made in bursts, waited for between them; of each burst the mean
counts, of all bursts the best and the median.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import importlib.util
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from beside import measured

import cuesta
from cuesta import _core

Call = Callable[..., object]
BURST = 20  # calls: fewer than a stream queues

CALLS: dict[str, Call] = {
    "sobel": cuesta.sobel,
    "log_edges": cuesta.log_edges,
    "canny": functools.partial(cuesta.canny, low=50, high=100, sigma=0),
    "gaussian": functools.partial(cuesta.gaussian, sigma=1.4, ksize=5),
    "box": functools.partial(cuesta.box, n=5),
    "sharpen": cuesta.sharpen,
    "median": cuesta.median,
    "close": functools.partial(cuesta.close, element="disk:5"),
    "threshold": functools.partial(cuesta.threshold, limit=100),
    "absdiff": lambda x, **how: cuesta.absdiff(x, x, **how),
}

# The same by torch.ops.cuesta, without options for threads.
OPERATORS: dict[str, dict[str, Any]] = {
    "sobel": {"outputs": ["magnitude"]},
    "log_edges": {},
    "canny": {"low": [50.0], "high": [100.0], "sigma": 0.0},
    "gaussian": {"sigma": 1.4, "ksize": 5},
    "box": {"n": 5},
    "sharpen": {},
    "median": {},
    "close": {"element": "disk:5"},
    "threshold": {"limit": 100.0},
}


def picture(side: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    return np.random.default_rng(3).integers(0, 256, (side, side), np.uint8)


def measure(
    call: Callable[[], object], wait: Callable[[], object], bursts: int
) -> tuple[float, float]:
    """The best and the median of the bursts' means, in microseconds a call."""
    for _ in range(3):
        call()
    taken = []
    for _ in range(bursts):
        wait()
        began = time.perf_counter()
        for _ in range(BURST):
            call()
        taken.append((time.perf_counter() - began) / BURST * 1e6)
    wait()
    return min(taken), statistics.median(taken)


def rows_of(
    library: str, image: Any, wait: Callable[[], object], bursts: int, on_gpu: bool
) -> list[dict[str, Any]]:
    rows = []
    for name, call in CALLS.items():
        how = {} if on_gpu else {"threads": 1}
        ways: dict[str, Callable[[], object]] = {"call": functools.partial(call, image, **how)}
        if on_gpu:
            ways["graph"] = cuesta.graphed(call, image)
        if library == "torch" and name in OPERATORS:
            import torch

            operator = getattr(torch.ops.cuesta, name)
            ways["operator"] = functools.partial(operator, image, **OPERATORS[name], **how)
        for way, run in ways.items():
            best, median = measure(run, wait, bursts)
            rows.append(
                {"operation": name, "library": library, "side": image.shape[0], "way": way}
                | {"best_us": round(best, 3), "median_us": round(median, 3)}
            )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description="What a call costs before its picture does.")
    parser.add_argument("--quick", action="store_true", help="fewer bursts")
    parser.add_argument("--json", help="write the figures here")
    parser.add_argument("--commit", help="what is measured, where this is no checkout of it")
    arguments = parser.parse_args()
    bursts = 40 if arguments.quick else 400

    rows = rows_of("numpy", picture(8), lambda: None, bursts, False)
    versions = {
        "python": platform.python_version(),
        "cuesta": cuesta.__version__,
        "numpy": np.__version__,
    }
    gpu = cuesta.devices()
    if importlib.util.find_spec("torch"):
        import torch

        importlib.import_module("cuesta.torch")  # makes the operators
        versions["torch"] = torch.__version__
        rows += rows_of("torch", torch.from_numpy(picture(8)), lambda: None, bursts, False)
        if gpu and torch.cuda.is_available():
            rows += rows_of(
                "torch", torch.from_numpy(picture(256)).cuda(), torch.cuda.synchronize, bursts, True
            )
    if gpu and importlib.util.find_spec("cupy"):
        import cupy

        versions["cupy"] = cupy.__version__
        wait = cupy.cuda.runtime.deviceSynchronize
        rows += rows_of("cupy", cupy.asarray(picture(256)), wait, bursts, True)
    result = {
        **measured(arguments.commit),
        "machine": {
            "processor": platform.processor() or platform.machine(),
            "cores": len(os.sched_getaffinity(0)),
            "simd": _core.simd_target(),
            "gpu": gpu[0].name if gpu else None,
        },
        "versions": versions,
        "burst": BURST,
        "rows": rows,
    }
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)
            file.write("\n")
    for row in rows:
        sys.stdout.write(
            "{operation:10} {library:6} {side:4}² {way:8} {best_us:8.2f} µs, median {median_us:.2f}\n".format(
                **row
            )
        )


if __name__ == "__main__":
    main()

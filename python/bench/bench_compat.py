"""cuesta.compat.cv2 beside cv2: which of the two is the faster one, request by request.

    python python/bench/bench_compat.py [--seconds S] [--only WORDS] [--json FILE]

Every request runs on a picture of 1920 x 1080 by Cuesta alone and by cv2, in pairs whose order alternates, so that what else the
machine does meets both. The figures are the medians, and the ratio is the median of the pairs' ratios. Answers are compared first.
Requests that cv2 answers faster are left to it where it is installed: tests/cuesta_compat/test_compat_original.py holds the module to the
figures on docs/results/compat.md.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import statistics
import sys
import time
from typing import Any, NamedTuple

import numpy as np


class CompatCall(NamedTuple):
    name: str
    function: str
    picture: str
    """Of `pictures`."""
    arguments: tuple[Any, ...]
    keywords: dict[str, Any] = {}


def pictures(width: int, height: int) -> dict[str, Any]:
    """A picture with slopes and edges, as its types and as a mask."""
    rng = np.random.default_rng(3)
    coarse = rng.integers(0, 256, (height // 8 + 2, width // 8 + 2, 3)).astype(np.float64)
    for axis, length in ((0, height), (1, width)):  # between the samples on straight lines
        at = np.arange(length) / 8
        left, part = at.astype(int), at % 1
        part = part.reshape([-1 if a == axis else 1 for a in range(3)])
        coarse = coarse.take(left, axis) * (1 - part) + coarse.take(left + 1, axis) * part
    bgr = coarse.astype(np.uint8)
    u8 = bgr[..., 1].copy()
    return {
        "u8": u8,
        "bgr": bgr,
        "bgra": np.dstack([bgr, u8]),
        "u16": u8.astype(np.uint16) * np.uint16(251),
        "f32": u8.astype(np.float32) / np.float32(255),
        "mask": ((u8 > 150) * 255).astype(np.uint8),
    }


def requests() -> list[CompatCall]:
    """What programs ask for, of each function that Cuesta has."""
    found: list[CompatCall] = []

    def add(what: str, function: str, of: str, *arguments: Any, **keywords: Any) -> None:
        found.append(
            CompatCall(f"{function} {of}{what and ' '}{what}", function, of, arguments, keywords)
        )

    whole = np.array(((-1, -1, -1), (-1, 9, -1), (-1, -1, -1)))
    row, column = np.array((-1, 0, 1)), np.array((1, 2, 1))
    depths = {"as it is": -1, "16S": 3, "32F": 5, "64F": 6}
    for of in ("u8", "bgr", "u16", "f32"):
        for size in ((3, 3), (5, 5), (5, 3), (9, 9), (15, 15), (31, 31)):
            add(f"{size[0]} x {size[1]}", "GaussianBlur", of, size, 0)
        for side in (3, 5) if of in ("u16", "f32") else (3, 5, 7, 15, 31):
            add(f"{side}", "medianBlur", of, side)
        for name, depth in depths.items():
            if of == "f32" and depth != -1:
                continue
            for side in (-1, 1, 3, 5, 7):
                add(f"{name}, ksize {side}", "Sobel", of, depth, 1, 0, ksize=side)
            add(name, "Scharr", of, depth, 0, 1)
            if of == "u16" and depth == 3:
                continue  # cv2 refuses
            for side in (1, 3, 5):
                add(f"{name}, ksize {side}", "Laplacian", of, depth, ksize=side)
            if of != "f32":
                add(f"{name}, 3 x 3", "filter2D", of, depth, whole)
        if of != "f32":
            add("32F, 3 x 3", "sepFilter2D", of, 5, row, column)
    for of in ("u8", "bgr"):
        add("7 x 7", "filter2D", of, -1, np.ones((7, 7), np.int32))
        add("16S, 3 x 3", "sepFilter2D", of, 3, row, column)
    elements = {
        f"{shape} {side}": (number, side)
        for number, shape, sides in (
            (0, "rectangle", (3, 5, 15, 31)),
            (1, "cross", (3, 5)),
            (2, "ellipse", (5, 9, 15, 31)),
        )
        for side in sides
    }
    import cv2

    for of in ("u8", "bgr", "u16"):
        for name, (shape, side) in elements.items():
            cells = cv2.getStructuringElement(shape, (side, side))
            add(name, "erode", of, cells)
            add(name, "dilate", of, cells)
            for operation, number in (("open", 2), ("close", 3), ("gradient", 4), ("top hat", 5)):
                add(f"{operation}, {name}", "morphologyEx", of, number, cells)
    add("hit or miss", "morphologyEx", "mask", 7, np.array(((0, 1, 0), (-1, 1, 1), (-1, -1, 0))))
    add("BGR to gray", "cvtColor", "bgr", 6)
    add("BGRA to gray", "cvtColor", "bgra", 10)
    for side in (3, 5, 7):
        for l2 in (False, True):
            add(
                f"aperture {side}{', L2' if l2 else ''}",
                "Canny",
                "u8",
                100,
                200,
                apertureSize=side,
                L2gradient=l2,
            )
    for ways in (4, 8):
        add(f"{ways} ways", "connectedComponents", "mask", connectivity=ways)
        add(f"{ways} ways", "connectedComponentsWithStats", "mask", connectivity=ways)
    return found


def arguments_of(request: CompatCall, of: dict[str, Any]) -> list[Any]:
    return [of[request.picture], *request.arguments]


def answer(module: Any, request: CompatCall, of: dict[str, Any]) -> Any:
    made = getattr(module, request.function)(*arguments_of(request, of), **request.keywords)
    return made if isinstance(made, tuple) else (made,)


def measure(
    ours: Any, theirs: Any, request: CompatCall, of: dict[str, Any], seconds: float
) -> dict[str, Any]:
    arguments = arguments_of(request, of)
    calls = [getattr(module, request.function) for module in (ours, theirs)]
    taken: tuple[list[float], list[float]] = ([], [])
    end = time.perf_counter() + seconds
    while len(taken[0]) < 7 or (time.perf_counter() < end and len(taken[0]) < 500):
        for i in (0, 1) if len(taken[0]) % 2 else (1, 0):
            began = time.perf_counter()
            calls[i](*arguments, **request.keywords)
            taken[i].append(time.perf_counter() - began)
    return {
        "request": request.name,
        "ours_ms": round(statistics.median(taken[0]) * 1e3, 4),
        "cv2_ms": round(statistics.median(taken[1]) * 1e3, 4),
        "ratio": round(statistics.median(b / a for a, b in zip(*taken)), 3),
        "pairs": len(taken[0]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="cuesta.compat.cv2 beside cv2.")
    parser.add_argument("--seconds", type=float, default=0.4, help="for each request")
    parser.add_argument("--only", default="", help="requests with these words in their names")
    parser.add_argument("--json", help="write the figures here")
    arguments = parser.parse_args()

    import cv2

    import cuesta
    from cuesta import _core
    from cuesta.compat import cv2 as ours

    of, small, rows = pictures(1920, 1080), pictures(640, 480), []
    for request in requests():
        if arguments.only not in request.name:
            continue
        before = ours.calls().get(request.function, (0, 0))
        answer(ours, request, small)
        left = ours.calls()[request.function].theirs > before[1]
        ours.original.alone = True
        try:
            try:
                mine, theirs = answer(ours, request, of), answer(cv2, request, of)
            except cuesta.Unsupported:  # which cv2 alone answers
                continue
            if (
                "f32" not in request.name
                and not all(np.array_equal(a, b) for a, b in zip(mine, theirs))
                and not left
            ):
                sys.exit(f"{request.name}: the answers differ")
            row = measure(ours, cv2, request, of, arguments.seconds)
            for longer in (4, 16):  # where they are close the machine's noise decides
                if row["ratio"] < 1 and not left:
                    row = measure(ours, cv2, request, of, longer * arguments.seconds)
        finally:
            ours.original.alone = False
        rows.append({**row, "left_to_cv2": left})
        print(f"{row['request']:40} {row['ours_ms']:9.3f} {row['cv2_ms']:9.3f} x{row['ratio']:6.2f} "
              f"{'cv2' if left else ''}{'' if left or row['ratio'] >= 1 else 'SLOWER'}", file=sys.stderr)  # fmt: skip
    names = [
        line.split(":")[1].strip()
        for line in open("/proc/cpuinfo", encoding="utf-8")
        if line.startswith("model name")
    ]
    versions = {"python": platform.python_version(), "cuesta": cuesta.__version__}
    versions |= {
        name: importlib.metadata.version(name) for name in ("numpy", "opencv-python-headless")
    }
    result = {
        "date": time.strftime("%Y-%m-%d"),
        "machine": {
            "cpu": names[0] if names else "",
            "cores": os.cpu_count(),
            "simd": _core.simd_target(),
        },
        "picture": "1920 x 1080",
        "versions": versions,
        "rows": rows,
    }
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1, ensure_ascii=False)
            file.write("\n")


if __name__ == "__main__":
    main()

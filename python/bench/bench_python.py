"""What Python costs, and Cuesta beside its peers on numpy arrays.

    python python/bench/bench_python.py --canny-loop build/release/bench/cuesta_canny_loop
        [--quick] [--threads N] [--json FILE]

Three tables: the overhead of a call on a 64 x 64 picture over the same call in C++, which the
program cuesta_canny_loop of the C++ build makes; `cuesta.canny` on larger ones beside the C++
figure (neither without --canny-loop); and operations beside OpenCV, scikit-image, kornia and
kornia-rs, as far as they are installed. Answers are compared before anything is timed, and where
they differ the table says in how many pixels. Times are the best of interleaved rounds: contestants
take turns, so a busy machine is busy for all.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from beside import HIGH, LOW, Picture, difference, measured, optional, picture, versions

import cuesta
from cuesta import _core

PATIENCE = 2.0  # seconds; what takes longer is called once


def rounds(calls: dict[str, Callable[[], object]], seconds: float) -> dict[str, list[float]]:
    """Seconds a call, one figure a round, for each, until each has had `seconds`."""
    repeats: dict[str, int] = {}
    taken: dict[str, list[float]] = {}
    for name, call in calls.items():
        call()
        began = time.perf_counter()
        call()
        once = time.perf_counter() - began
        repeats[name] = max(1, int(0.01 / max(once, 1e-7)))
        taken[name] = [once]
    spent = {name: times[0] for name, times in taken.items()}
    while running := [name for name in calls if spent[name] < seconds]:
        for name in running:
            began = time.perf_counter()
            for _ in range(repeats[name]):
                calls[name]()
            last = time.perf_counter() - began
            spent[name] += last
            taken[name].append(last / repeats[name])
    return taken


class CannyLoop:
    """The same call in a loop in C++ (canny_loop.cpp), on one picture."""

    def __init__(self, program: str, image: Picture, threads: int) -> None:
        self.file = tempfile.NamedTemporaryFile()
        self.file.write(image.tobytes())
        self.file.flush()
        height, width = image.shape
        numbers = (width, height, LOW, HIGH, 0, threads)
        self.process = subprocess.Popen(
            [program, self.file.name, *map(str, numbers)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
        )  # fmt: skip

    def seconds(self, what: str, repeats: int) -> float:
        """Of one call; `what` is "out" or "new"."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(f"{what} {repeats}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"cuesta_canny_loop ended with {self.process.wait()}")
        return float(line)

    def close(self) -> None:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
        self.file.close()


def against_cpp(program: str, side: int, threads: int, seconds: float) -> dict[str, Any]:
    """cuesta.canny with thresholds on numpy, and the same request in a loop in C++: each into one
    array (`out`), and each with a new result a call (`new`)."""
    image = picture(side)
    out = np.empty_like(image)
    loop = CannyLoop(program, image, threads)
    # As many calls a round as `rounds` makes of Python's: a mean of fewer finds lower minima.
    loop.seconds("out", 1)
    count = max(1, int(0.01 / loop.seconds("out", 3)))
    inside: dict[str, list[float]] = {"out": [], "new": []}

    def in_cpp(name: str) -> Callable[[], object]:
        return lambda: inside[name].append(loop.seconds(name, count))

    calls: dict[str, Callable[[], object]] = {
        "out": lambda: cuesta.canny(image, LOW, HIGH, sigma=0, out=out, threads=threads),
        "cpp_out": in_cpp("out"),
        "new": lambda: cuesta.canny(image, LOW, HIGH, sigma=0, threads=threads),
        "cpp_new": in_cpp("new"),
    }
    taken = rounds(calls, seconds)
    loop.close()
    figures: dict[str, Any] = {"side": side, "threads": threads}
    for name in ("out", "new"):
        # Of C++ only what the program's own clock saw.
        for key, times in ((name, taken[name]), (f"cpp_{name}", inside[name])):
            figures[f"{key}_us"] = min(times) * 1e6
            figures[f"median_{key}_us"] = statistics.median(times) * 1e6
    return figures


@dataclass
class Contest:
    """One operation: who does it, and how answers are brought into the form of Cuesta's."""

    name: str
    definition: str
    ours: Callable[[], npt.NDArray[Any]]
    peers: dict[str, Callable[[], Any]] = field(default_factory=dict)
    as_ours: dict[str, Callable[[Any], npt.NDArray[Any]]] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)


class Contests:
    """The operations that peers have too. `as_ours` only rescales and casts."""

    def __init__(self, image: Picture, threads: int) -> None:
        self.canny = Contest(
            "canny", f"thresholds {LOW} and {HIGH}, L1, no smoothing",
            lambda: cuesta.canny(image, LOW, HIGH, sigma=0, threads=threads),
        )  # fmt: skip
        self.canny_l2 = Contest(
            "canny", f"thresholds {LOW} and {HIGH}, L2, no smoothing",
            lambda: cuesta.canny(image, LOW, HIGH, sigma=0, norm="l2", threads=threads),
        )  # fmt: skip
        self.smooth = Contest(
            "gaussian", "5 x 5, sigma 1.4",
            lambda: cuesta.gaussian(image, 1.4, ksize=5, threads=threads),
        )  # fmt: skip
        self.sobel = Contest(
            "sobel", "3 x 3, gx as int16",
            lambda: cuesta.sobel(image, outputs="gx", threads=threads),
        )  # fmt: skip
        self.dilate = Contest(
            "dilate", "15 x 15 rectangle",
            lambda: cuesta.dilate(image, "rect:15", threads=threads),
        )  # fmt: skip
        mask = cuesta.threshold(image, 128)
        self.label = Contest(
            "label", "8-way, with boxes, areas and centroids; answers: the number of components",
            lambda: np.array(cuesta.label(mask, threads=threads).count),
        )  # fmt: skip
        self.image, self.mask, self.threads = image, mask, threads

    def all(self) -> list[Contest]:
        return [self.canny, self.canny_l2, self.smooth, self.sobel, self.dilate, self.label]

    def add_cv2(self, cv2: Any) -> None:
        image, mask, threads = self.image, self.mask, self.threads
        cv2.setNumThreads(threads if threads else -1)
        square = np.ones((15, 15), np.uint8)
        self.canny.peers["cv2"] = lambda: cv2.Canny(image, LOW, HIGH)
        self.canny_l2.peers["cv2"] = lambda: cv2.Canny(image, LOW, HIGH, L2gradient=True)
        self.smooth.peers["cv2"] = lambda: cv2.GaussianBlur(image, (5, 5), 1.4)
        self.sobel.peers["cv2"] = lambda: cv2.Sobel(image, cv2.CV_16S, 1, 0)
        self.dilate.peers["cv2"] = lambda: cv2.dilate(image, square)
        self.label.peers["cv2"] = lambda: cv2.connectedComponentsWithStats(mask, connectivity=8)
        self.label.as_ours["cv2"] = lambda r: np.array(r[0] - 1)

    def add_skimage(self) -> None:
        import skimage.feature
        import skimage.filters
        import skimage.measure
        import skimage.morphology

        image, mask = self.image, self.mask
        floats = image.astype(np.float32)
        self.canny_l2.peers["scikit-image"] = lambda: skimage.feature.canny(
            floats, sigma=0, low_threshold=LOW, high_threshold=HIGH, mode="nearest"
        )
        self.canny_l2.as_ours["scikit-image"] = lambda r: r.astype(np.uint8) * 255
        self.canny_l2.notes["scikit-image"] = "in floats, with interpolated suppression"
        self.smooth.peers["scikit-image"] = lambda: skimage.filters.gaussian(
            image, 1.4, mode="mirror", truncate=2 / 1.4, preserve_range=True
        )
        self.smooth.as_ours["scikit-image"] = lambda r: np.round(r).astype(np.uint8)
        self.smooth.notes["scikit-image"] = "in floats"
        self.sobel.peers["scikit-image"] = lambda: skimage.filters.sobel(
            floats, axis=1, mode="mirror"
        )
        self.sobel.as_ours["scikit-image"] = lambda r: np.round(r * 4).astype(np.int16)
        footprint = skimage.morphology.footprint_rectangle((15, 15))
        self.dilate.peers["scikit-image"] = lambda: skimage.morphology.dilation(image, footprint)
        self.label.peers["scikit-image"] = lambda: skimage.measure.label(
            mask, connectivity=2, return_num=True
        )
        self.label.as_ours["scikit-image"] = lambda r: np.array(r[1])
        self.label.notes["scikit-image"] = (
            "labels alone; values of a mask must be equal within a component"
        )

    def add_kornia(self, kornia: Any) -> None:
        import torch

        image, threads = self.image, self.threads
        if threads:
            torch.set_num_threads(threads)
        tensor = torch.from_numpy(image)[None, None].float()
        ones = torch.ones(15, 15)

        def plain(t: Any) -> npt.NDArray[Any]:
            return np.asarray(t[0, 0].numpy())

        self.canny_l2.peers["kornia"] = lambda: kornia.filters.canny(
            tensor / 255, LOW / 255, HIGH / 255, kernel_size=(1, 1), sigma=(1e-3, 1e-3)
        )[1]
        self.canny_l2.as_ours["kornia"] = lambda r: plain(r * 255).astype(np.uint8)
        self.canny_l2.notes["kornia"] = "in floats, the picture as a float32 tensor"
        self.smooth.peers["kornia"] = lambda: kornia.filters.gaussian_blur2d(
            tensor, (5, 5), (1.4, 1.4)
        )
        self.smooth.as_ours["kornia"] = lambda r: plain(r.round()).astype(np.uint8)
        self.smooth.notes["kornia"] = "in floats, the picture as a float32 tensor"
        self.sobel.peers["kornia"] = lambda: kornia.filters.spatial_gradient(
            tensor, normalized=False
        )
        self.sobel.as_ours["kornia"] = lambda r: r[0, 0, 0].round().numpy().astype(np.int16)
        self.sobel.notes["kornia"] = "makes gx and gy; replicates at the border"
        self.dilate.peers["kornia"] = lambda: kornia.morphology.dilation(tensor, ones)
        self.dilate.as_ours["kornia"] = lambda r: plain(r).astype(np.uint8)

    def add_kornia_rs(self, kornia_rs: Any) -> None:
        image, mask = self.image, self.mask
        one_channel = image[..., None]
        filters = kornia_rs.imgproc
        self.canny.peers["kornia-rs"] = lambda: filters.canny(one_channel, float(LOW), float(HIGH))
        self.canny_l2.peers["kornia-rs"] = lambda: filters.canny(
            one_channel, float(LOW), float(HIGH), True
        )
        self.smooth.peers["kornia-rs"] = lambda: filters.gaussian_blur(
            one_channel, (5, 5), (1.4, 1.4)
        )
        self.dilate.peers["kornia-rs"] = lambda: filters.dilate(one_channel, "box", (15, 15))
        self.dilate.notes["kornia-rs"] = "replicates at the border"
        self.label.peers["kornia-rs"] = lambda: filters.connected_components(mask[..., None], 8)
        self.label.as_ours["kornia-rs"] = lambda r: np.array(r[0] - 1)
        self.label.notes["kornia-rs"] = "labels alone"
        for contest in (self.canny, self.canny_l2, self.smooth, self.dilate):
            contest.as_ours["kornia-rs"] = lambda r: np.asarray(r)[..., 0]


def contests(image: Picture, threads: int) -> list[Contest]:
    """Every operation, with those peers that can be imported."""
    made = Contests(image, threads)
    made.add_skimage()
    if cv2 := optional("cv2"):
        made.add_cv2(cv2)
    if kornia := optional("kornia"):
        made.add_kornia(kornia)
    if kornia_rs := optional("kornia_rs"):
        made.add_kornia_rs(kornia_rs)
    return made.all()


def beside_peers(side: int, threads: int, seconds: float) -> list[dict[str, Any]]:
    rows = []
    for contest in contests(picture(side), threads):
        ours = contest.ours()
        answers = {"cuesta": "equal"}
        calls: dict[str, Callable[[], object]] = {"cuesta": contest.ours}
        slow: dict[str, list[float]] = {}
        for peer, call in contest.peers.items():
            began = time.perf_counter()
            try:
                made = contest.as_ours.get(peer, np.asarray)(call())
            except Exception as error:  # a peer's failure is a line of the table
                answers[peer] = f"fails: {type(error).__name__}"
                continue
            answers[peer] = difference(ours, made)
            once = time.perf_counter() - began
            if once < PATIENCE:
                calls[peer] = call
            else:
                slow[peer] = [once]
        taken = rounds(calls, seconds) | slow
        for who, answer in answers.items():
            rows.append(
                {
                    "operation": contest.name,
                    "definition": contest.definition,
                    "side": side,
                    "threads": threads,
                    "library": who,
                    "ms": min(taken[who]) * 1e3 if who in taken else None,
                    "median_ms": statistics.median(taken[who]) * 1e3 if who in taken else None,
                    "answer": answer,
                    "note": contest.notes.get(who, ""),
                }
            )
    return rows


def cpu_name() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            return next(line.split(":", 1)[1].strip() for line in lines if "model name" in line)
    except (OSError, StopIteration):
        return platform.processor()


def main() -> None:
    parser = argparse.ArgumentParser(description="What Python costs, and Cuesta beside its peers.")
    parser.add_argument("--quick", action="store_true", help="shorter rounds, 1024 alone")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 0], help="0 is every core")
    parser.add_argument("--canny-loop", help="the C++ program; without it no calls over C++")
    parser.add_argument("--no-peers", action="store_true", help="calls over C++ alone")
    parser.add_argument("--json", help="write the figures here")
    arguments = parser.parse_args()

    seconds = 0.1 if arguments.quick else 1.0  # for each contestant
    sizes = [1024] if arguments.quick else [1024, 2048]
    result: dict[str, Any] = {
        **measured(),
        "machine": {
            "cpu": cpu_name(),
            "cores": len(os.sched_getaffinity(0)),
            "simd": _core.simd_target(),
        },
        "versions": versions(
            "numpy", "opencv-python-headless", "scikit-image", "torch", "kornia", "kornia-rs"
        ),
        "overhead": [],
        "peers": [],
    }
    loop = arguments.canny_loop
    if loop:
        result["overhead"].append(against_cpp(loop, 64, 1, seconds))
    for threads in arguments.threads:
        for side in sizes:
            if loop:
                result["overhead"].append(against_cpp(loop, side, threads, seconds))
            if not arguments.no_peers:
                result["peers"] += beside_peers(side, threads, seconds)
    text = json.dumps(result, indent=1) + "\n"
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            file.write(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()

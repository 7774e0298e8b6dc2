"""Cuesta beside cupy, torch, kornia, cuCIM and CV-CUDA on one GPU.

    python python/bench/bench_gpu.py [--quick] [--sizes N ...] [--json FILE]

Operations that they have too, as far as each of them can be imported: the same uint8 picture in the
same buffer, which the others see through DLPack, and a new result a call. Answers are compared with
Cuesta's before anything is timed, and where they differ the table says in how many pixels. Times
are the GPU's, between two events around some calls on its default stream; contestants take turns,
and of the rounds the median counts. Each is divided by the time of a copy of the picture from the
same rounds.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import json
import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import cupy
import numpy as np
from beside import HIGH, LOW, difference, measured, optional, picture, versions

import cuesta

ROUNDS = 7
LONG = 0.2  # seconds; what takes longer is called once
DISK = "disk:15"


def seconds(call: Callable[[], object], repeats: int) -> float:
    """Of one of `repeats` calls, on the GPU."""
    begin, end = cupy.cuda.Event(), cupy.cuda.Event()
    begin.record()
    for _ in range(repeats):
        call()
    end.record()
    end.synchronize()
    return float(cupy.cuda.get_elapsed_time(begin, end)) / 1e3 / repeats


def release() -> None:
    """Gives back what the libraries keep for themselves: some take many times the picture."""
    cupy.get_default_memory_pool().free_all_blocks()
    if torch := optional("torch"):
        torch.cuda.empty_cache()


def medians(calls: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Seconds of each call: the median of rounds in which all take turns."""
    repeats = {}
    taken: dict[str, list[float]] = {}
    for name, call in calls.items():
        call()
        once = seconds(call, 1)
        repeats[name] = max(1, min(50, int(0.005 / max(once, 1e-6))))
        taken[name] = [once] if once > LONG else []
    for _ in range(ROUNDS):
        for name, call in calls.items():
            if len(taken[name]) != 1 or taken[name][0] <= LONG:
                taken[name].append(seconds(call, repeats[name]))
    return {name: statistics.median(times) for name, times in taken.items()}


@dataclass
class Contest:
    """One operation: who does it, and how answers are brought into the form of Cuesta's, uint8 or
    int16 of the picture's size on the host."""

    name: str
    definition: str
    ours: Callable[[], Any]
    peers: dict[str, Callable[[], Any]] = field(default_factory=dict)
    as_ours: dict[str, Callable[[Any], Any]] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)

    def add(self, peer: str, call: Callable[[], Any], as_ours: Any = None, note: str = "") -> None:
        self.peers[peer] = call
        if as_ours:
            self.as_ours[peer] = as_ours
        if note:
            self.notes[peer] = note


def on_host(result: Any) -> Any:
    return cupy.asnumpy(
        cupy.from_dlpack(result) if not isinstance(result, cupy.ndarray) else result
    )


class Contests:
    """The operations that peers have too. `as_ours` only rescales, rounds and casts."""

    def __init__(self, image: cupy.ndarray) -> None:
        mask = cuesta.threshold(image, 128)
        self.median3 = Contest("median", "3 x 3", lambda: cuesta.median(image, 3))
        self.median5 = Contest("median", "5 x 5", lambda: cuesta.median(image, 5))
        self.smooth = Contest(
            "gaussian", "5 x 5, sigma 1.4", lambda: cuesta.gaussian(image, 1.4, ksize=5)
        )
        self.sobel = Contest(
            "sobel", "3 x 3, gx as int16", lambda: cuesta.sobel(image, outputs="gx")
        )
        self.dilate = Contest(
            "dilate", "15 x 15 rectangle", lambda: cuesta.dilate(image, "rect:15")
        )
        self.closed = Contest(
            "close", f"{DISK}, of a mask of 0 and 255", lambda: cuesta.close(mask, DISK)
        )
        self.canny = Contest(
            "canny", f"thresholds {LOW} and {HIGH}, L2, no smoothing",
            lambda: cuesta.canny(image, LOW, HIGH, sigma=0, norm="l2"),
        )  # fmt: skip
        self.label = Contest(
            "label", "8-way, with boxes, areas and centroids; answers: the number of components",
            lambda: cuesta.label(mask),
        )  # fmt: skip
        self.label.as_ours["cuesta"] = lambda found: np.array(found.count)
        self.image, self.mask, self.floats = image, mask, image.astype(cupy.float32)
        # The cells of the disk, as every library takes them.
        y, x = np.mgrid[-7:8, -7:8]
        self.disk = cupy.asarray((x * x + y * y <= 49).astype(np.uint8))

    def all(self) -> list[Contest]:
        return [
            self.median3,
            self.median5,
            self.smooth,
            self.sobel,
            self.dilate,
            self.closed,
            self.canny,
            self.label,
        ]

    def plain(self, result: Any) -> Any:
        """A tensor of the picture's size, rounded."""
        return on_host(result.reshape(self.image.shape).round())

    def add_cupy(self, ndimage: Any) -> None:
        image, mask, disk = self.image, self.mask, self.disk
        self.median3.add("cupy", lambda: ndimage.median_filter(image, 3, mode="nearest"))
        self.median5.add("cupy", lambda: ndimage.median_filter(image, 5, mode="nearest"))
        self.smooth.add(
            "cupy",
            lambda: ndimage.gaussian_filter(image, 1.4, mode="mirror", truncate=2 / 1.4),
            note="cuts what it does not round",
        )
        self.sobel.add(
            "cupy",
            lambda: ndimage.sobel(image, axis=1, output=cupy.int16, mode="mirror"),
        )
        self.dilate.add(
            "cupy", lambda: ndimage.grey_dilation(image, (15, 15), mode="constant", cval=0)
        )
        self.closed.add(
            "cupy",
            lambda: ndimage.grey_closing(mask, footprint=disk, mode="nearest"),
            note="replicates at the border",
        )
        self.label.add(
            "cupy",
            lambda: ndimage.label(mask, cupy.ones((3, 3))),
            lambda found: np.array(int(found[1])),
            "labels alone",
        )

    def add_torch(self, torch: Any) -> None:
        image, floats = self.image, self.floats
        half = torch.from_dlpack(image)[None, None].half()
        full = torch.from_dlpack(floats)[None, None]
        functional = torch.nn.functional
        taps = np.exp(-((np.arange(5) - 2) ** 2) / (2 * 1.4**2))
        window = torch.tensor(np.outer(taps, taps) / taps.sum() ** 2, dtype=torch.float32).cuda()
        across = torch.tensor([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]], dtype=torch.float32).cuda()

        def correlated(stencil: Any, reach: int) -> Any:
            padded = functional.pad(full, (reach,) * 4, mode="reflect")
            return functional.conv2d(padded, stencil[None, None])

        self.smooth.add(
            "torch", lambda: correlated(window, 2), lambda r: self.plain(r).astype(np.uint8),
            "conv2d of float32",
        )  # fmt: skip
        self.sobel.add(
            "torch", lambda: correlated(across, 1), lambda r: self.plain(r).astype(np.int16),
            "conv2d of float32",
        )  # fmt: skip
        self.dilate.add(
            "torch", lambda: functional.max_pool2d(half, 15, 1, 7),
            lambda r: self.plain(r).astype(np.uint8), "max_pool2d of float16",
        )  # fmt: skip

    def add_kornia(self, kornia: Any) -> None:
        import torch
        from torch.utils.dlpack import from_dlpack

        mask, floats, disk = self.mask, self.floats, self.disk
        full = from_dlpack(floats)[None, None]
        unit = full / 255
        cells = from_dlpack(disk).float()
        lit = from_dlpack(mask)[None, None].float()
        square = torch.ones(15, 15, device="cuda")
        in_floats = "in float32"
        for contest, n in ((self.median3, 3), (self.median5, 5)):
            contest.add(
                "kornia", functools.partial(kornia.filters.median_blur, full, (n, n)),
                lambda r: self.plain(r).astype(np.uint8), in_floats + ", zeros at the border",
            )  # fmt: skip
        self.smooth.add(
            "kornia", lambda: kornia.filters.gaussian_blur2d(full, (5, 5), (1.4, 1.4)),
            lambda r: self.plain(r).astype(np.uint8), in_floats,
        )  # fmt: skip
        self.sobel.add(
            "kornia", lambda: kornia.filters.spatial_gradient(full, normalized=False),
            lambda r: self.plain(r[0, 0, 0]).astype(np.int16),
            in_floats + ", makes gx and gy; replicates at the border",
        )  # fmt: skip
        self.dilate.add(
            "kornia", lambda: kornia.morphology.dilation(full, square),
            lambda r: self.plain(r).astype(np.uint8), in_floats,
        )  # fmt: skip
        self.closed.add(
            "kornia", lambda: kornia.morphology.closing(lit, cells),
            lambda r: self.plain(r).astype(np.uint8), in_floats,
        )  # fmt: skip
        self.canny.add(
            "kornia",
            lambda: kornia.filters.canny(
                unit, LOW / 255, HIGH / 255, kernel_size=(1, 1), sigma=(1e-3, 1e-3)
            )[1],
            lambda r: self.plain(r * 255).astype(np.uint8),
            in_floats,
        )

    def add_cucim(self, filters: Any) -> None:
        image, mask, floats, disk = self.image, self.mask, self.floats, self.disk
        morphology = importlib.import_module("cucim.skimage.morphology")
        feature = importlib.import_module("cucim.skimage.feature")
        measure = importlib.import_module("cucim.skimage.measure")
        square3, square5 = cupy.ones((3, 3), cupy.uint8), cupy.ones((5, 5), cupy.uint8)
        self.median3.add("cuCIM", lambda: filters.median(image, square3))
        self.median5.add("cuCIM", lambda: filters.median(image, square5))
        self.smooth.add(
            "cuCIM",
            lambda: filters.gaussian(
                image, 1.4, mode="mirror", truncate=2 / 1.4, preserve_range=True
            ),
            lambda r: np.round(on_host(r)).astype(np.uint8),
            "in floats",
        )
        self.sobel.add(
            "cuCIM", lambda: filters.sobel(floats, axis=1, mode="mirror"),
            lambda r: np.round(on_host(r) * 4).astype(np.int16), "in floats",
        )  # fmt: skip
        self.dilate.add(
            "cuCIM", lambda: morphology.dilation(image, cupy.ones((15, 15), cupy.uint8))
        )
        self.closed.add("cuCIM", lambda: morphology.closing(mask, disk))
        self.canny.add(
            "cuCIM",
            lambda: feature.canny(
                floats, sigma=0, low_threshold=LOW, high_threshold=HIGH, mode="nearest"
            ),
            lambda r: on_host(r).astype(np.uint8) * 255,
            "in floats, with interpolated suppression",
        )
        self.label.add(
            "cuCIM", lambda: measure.label(mask, connectivity=2, return_num=True),
            lambda found: np.array(int(found[1])), "labels alone",
        )  # fmt: skip

    def add_cvcuda(self, cvcuda: Any) -> None:
        image, mask = self.image, self.mask
        theirs = cvcuda.as_tensor(image.reshape(*image.shape, 1), "HWC")
        lit_theirs = cvcuda.as_tensor(mask.reshape(*mask.shape, 1), "HWC")

        def flat(result: Any) -> Any:
            return on_host(cupy.asarray(result.cuda()))[..., 0]

        self.median3.add("CV-CUDA", lambda: cvcuda.median_blur(theirs, (3, 3)), flat)
        self.median5.add("CV-CUDA", lambda: cvcuda.median_blur(theirs, (5, 5)), flat)
        self.smooth.add(
            "CV-CUDA",
            lambda: cvcuda.gaussian(theirs, (5, 5), (1.4, 1.4), cvcuda.Border.REFLECT101),
            flat,
        )
        self.dilate.add(
            "CV-CUDA",
            lambda: cvcuda.morphology(theirs, cvcuda.MorphologyType.DILATE, (15, 15), (-1, -1)),
            flat,
        )
        self.label.add(
            "CV-CUDA", lambda: cvcuda.label(lit_theirs, cvcuda.CONNECTIVITY_4_2D, count=True),
            lambda found: np.array(int(on_host(cupy.asarray(found[1].cuda())).ravel()[0])),
            "4-way, labels alone",
        )  # fmt: skip


PEERS = {
    "cupyx.scipy.ndimage": Contests.add_cupy,
    "torch": Contests.add_torch,
    "kornia": Contests.add_kornia,
    "cucim.skimage.filters": Contests.add_cucim,
    "cvcuda": Contests.add_cvcuda,
}


def contests(image: cupy.ndarray) -> list[Contest]:
    """Every operation, with those peers that can be imported."""
    made = Contests(image)
    for name, add in PEERS.items():
        if module := optional(name):
            add(made, module)
    return made.all()


def beside_peers(side: int) -> list[dict[str, Any]]:
    image = cupy.asarray(picture(side))
    other = cupy.empty_like(image)
    rows = []
    for contest in contests(image):
        ours = contest.as_ours.get("cuesta", on_host)(contest.ours())
        answers = {"cuesta": "equal"}
        calls: dict[str, Callable[[], object]] = {
            "copy": lambda: cupy.copyto(other, image),
            "cuesta": contest.ours,
        }
        for peer, call in contest.peers.items():
            try:
                made = contest.as_ours.get(peer, on_host)(call())
                cupy.cuda.runtime.deviceSynchronize()
            except Exception as error:  # a peer's failure is a line of the table
                answers[peer] = f"fails: {type(error).__name__}: {error}"[:200]
                continue
            answers[peer] = difference(ours, made)
            calls[peer] = call
            release()
        taken = medians(calls)
        for who, answer in answers.items():
            row: dict[str, Any] = {
                "operation": contest.name,
                "definition": contest.definition,
                "side": side,
                "library": who,
                "ms": taken[who] * 1e3 if who in taken else None,
                "copies": taken[who] / taken["copy"] if who in taken else None,
                "answer": answer,
                "note": contest.notes.get(who, ""),
            }
            rows.append(row)
            figures = "{ms:9.4f} ms {copies:8.2f} copies".format(**row) if row["ms"] else "-"
            sys.stdout.write(
                f"{contest.name:9} {contest.definition[:18]:18} {side:5}² {who:8} {figures:32} "
                f"{answer}{'; ' + row['note'] if row['note'] else ''}\n"
            )
            sys.stdout.flush()
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description="Cuesta beside its peers on one GPU.")
    parser.add_argument("--quick", action="store_true", help="1024 alone")
    parser.add_argument("--sizes", type=int, nargs="+", default=[512, 1024, 2048, 4096, 8192])
    parser.add_argument("--json", help="write the figures here")
    parser.add_argument("--commit", help="what is measured, where this is no checkout of it")
    arguments = parser.parse_args()
    gpu = cuesta.devices()
    if not gpu:
        raise SystemExit("there is no GPU that cuesta can use")
    result: dict[str, Any] = {
        **measured(arguments.commit),
        "gpu": gpu[0].name,
        "versions": versions(
            "numpy", "cupy-cuda13x", "torch", "kornia", "cucim-cu13", "cvcuda-cu13"
        ),
        "absent": [
            name
            for name in (
                "cupyx.scipy.ndimage",
                "torch",
                "kornia",
                "cucim.skimage.filters",
                "cvcuda",
            )
            if optional(name) is None
        ],
        "rows": [],
    }
    for side in [1024] if arguments.quick else arguments.sizes:
        result["rows"] += beside_peers(side)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()

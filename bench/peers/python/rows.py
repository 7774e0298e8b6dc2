"""Rows and the whole file in the form of `cuesta bench --json` (bench/report/report.cpp, bench/FORMAT.md)."""

import datetime
import os
import platform
import subprocess
from pathlib import Path

import numpy as np
import torch

import works

from cuesta import _core


def answer_of(got, want, radius, bound):
    """How a peer's answer stands to cuesta's, in words. f32 sums in another order are within `bound`."""
    if got.shape != want.shape or got.dtype != want.dtype:
        return f"not equal: {got.dtype} {got.shape} for {want.dtype} {want.shape}"
    if got.tobytes() == want.tobytes():
        return "equal"
    off = np.abs(got.astype(np.float64) - want)
    inner = off[radius:-radius, radius:-radius]
    border = ", and another border" if not off.max() <= max(bound, inner.max()) else ""
    if not inner.any():
        return "equal but for its border" if border else "equal but for the sign of zeros"
    kind = "sums in another order" if inner.max() <= bound else "not equal"
    return f"{kind}: {100 * np.count_nonzero(inner) / inner.size:.2g} % of samples by up to {inner.max():.2g}{border}"


def row(work, strategy, space, times, copy_ms, ceilings, variant="", answer=None):
    """A row; without an answer that of a copy."""
    ms, spread = times
    made = {
        "experiment": work.experiment, "operation": work.operation if answer else "copy", "strategy": strategy, "space": space,
        "parameters": work.parameters, "strategy_parameters": "", "type": work.type, "width": work.side, "height": work.side,
        "threads": torch.get_num_threads() if space == "host" else 0, "ms": ms, "ms_spread": spread, "copy_ms": copy_ms,
        "times_copy": ms / copy_ms, "serial_ms": None, "speedup": None, "gflops": None,
        "bytes_per_pixel": work.bytes_per_pixel, "intensity": None, "intensity_paper": None, "roofline_gflops": None,
        "roofline_percent": None, "pageable_ms": None, "pinned_ms": None, "set_up_ms": None, "paper": "", "paper_figure": None,
        "accesses": None, "kernels": [], "stages": {}, "statistics": {},
    }  # fmt: skip
    if not answer:
        return made | {"bytes_per_pixel": 2 * np.dtype(works.TYPES[work.type]).itemsize}
    made |= {
        "answer": answer,
        "gflops": work.flops_per_pixel * work.side**2 / (ms * 1e6),
        "intensity": work.flops_per_pixel / work.bytes_per_pixel,
    }
    made["statistics"] = {
        name: float(value) for name, value in (word.split("=") for word in variant.split())
    }
    if ceilings and ceilings["copy_gbs"]:
        roof = min(ceilings["fma_gflops"] or float("inf"), made["intensity"] * ceilings["copy_gbs"])
        made |= {"roofline_gflops": roof, "roofline_percent": 100 * made["gflops"] / roof}
    return made


def cpu_name():
    try:
        return next(
            line.split(":", 1)[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if "model name" in line
        )
    except (OSError, StopIteration):
        return platform.processor()


def commit():
    try:
        return subprocess.run(["git", "-C", Path(__file__).parent, "rev-parse", "--short", "HEAD"], capture_output=True, text=True,
                              check=True).stdout.strip()  # fmt: skip
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def driver():
    try:
        return subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader", "--id=0"], capture_output=True,
                              text=True, check=True).stdout.strip()  # fmt: skip
    except (OSError, subprocess.CalledProcessError):
        return ""


def gpu(ceilings):
    properties = torch.cuda.get_device_properties(0)
    return {
        "name": properties.name,
        "compute_capability": f"{properties.major}.{properties.minor}",
        "driver": driver(),
        "runtime": torch.version.cuda,
        "multiprocessors": properties.multi_processor_count,
        "memory_bytes": properties.total_memory,
        "l2_bytes": properties.L2_cache_size,
        "ceilings": ceilings,
    }


def whole(rows, notes, peers, ceilings, why_no_gpu):
    """A result; `peers` are "name version"."""
    return {
        "machine": {"cpu": cpu_name(), "threads": len(os.sched_getaffinity(0)), "simd": _core.simd_target(),
                    "system": f"{platform.system()} {platform.release()}", "compiler": f"Python {platform.python_version()}",
                    "peers": peers},
        "gpu": gpu(ceilings) if ceilings else None, "why_no_gpu": why_no_gpu, "libraries": [f"numpy {np.__version__}"],
        "commit": commit(), "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "differences": [], "notes": notes, "theory": [], "figures": [], "rows": rows,
    }  # fmt: skip

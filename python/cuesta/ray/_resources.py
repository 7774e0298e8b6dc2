"""What is asked of a cluster for workers."""

from __future__ import annotations

import ray

import cuesta
from cuesta.errors import DeviceError, InvalidArgument

#: Of a GPU at least: Ray counts in ten-thousandths, and rounds.
_LEAST = 0.01


def check(workers: int | None, num_gpus: float = 0) -> None:
    """What is wrong wherever it runs.

    Raises
    ------
    InvalidArgument, DeviceError
    """
    if workers is not None and workers < 1:
        raise InvalidArgument(f"workers is {workers}; it must be 1 or more", str(workers))
    if num_gpus != 0 and not _LEAST <= num_gpus <= 1:
        raise InvalidArgument(
            f"num_gpus is {num_gpus}; it must be 0, for the CPU, or {_LEAST} to 1: the part of a GPU that is each worker's",
            str(num_gpus),
        )
    if num_gpus and not any(row.built for row in cuesta.strategies(device="cuda")):
        raise DeviceError(
            f"num_gpus is {num_gpus}, and this build of cuesta has no CUDA part; install one that was built with a CUDA toolkit, "
            "or leave num_gpus at 0",
            str(num_gpus),
        )


def at_once(workers: int | None, num_cpus: float, num_gpus: float = 0) -> int:
    """Workers at most: those that were asked for, else as many as the cluster has CPUs and GPUs for.

    Raises
    ------
    DeviceError
        Where the cluster has no GPU, and one is asked for.
    InvalidArgument
        Where its GPUs have no room for so many.
    """
    there = ray.cluster_resources()
    by_cpus = max(1, int(there.get("CPU", 1) / max(num_cpus, 1e-3)))
    if not num_gpus:
        return workers or by_cpus
    gpus = int(there.get("GPU", 0))
    if not gpus:
        raise DeviceError(
            f"num_gpus is {num_gpus}, and the Ray cluster has no GPU; join one that has, or leave num_gpus at 0",
            str(num_gpus),
        )
    by_gpus = gpus * int(1 / num_gpus + 1e-9)  # none is on two
    if workers is not None and workers > by_gpus:
        raise InvalidArgument(
            f"workers is {workers}, and the cluster's GPUs have room for {by_gpus} with num_gpus {num_gpus} ({gpus} GPUs)",
            str(workers),
        )
    return workers or min(by_cpus, by_gpus)

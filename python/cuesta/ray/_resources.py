"""Resources of a cluster that the workers require."""

from __future__ import annotations

import ray

import cuesta
from cuesta.errors import DeviceError, InvalidArgument

#: Least part of a GPU: Ray counts in ten-thousandths, and rounds.
_LEAST = 0.01


def check(workers: int | None, num_gpus: float = 0) -> None:
    """Checks what is invalid on any cluster.

    Raises
    ------
    InvalidArgument, DeviceError
        `workers` or `num_gpus` is invalid, or this build has no CUDA part.
    """
    if workers is not None and workers < 1:
        raise InvalidArgument(f"workers is {workers}; it must be 1 or more", str(workers))
    if num_gpus != 0 and not _LEAST <= num_gpus <= 1:
        raise InvalidArgument(
            f"num_gpus is {num_gpus}; it must be 0, for the CPU, or {_LEAST} to 1, each worker's part of a GPU",
            str(num_gpus),
        )
    if num_gpus and not any(row.built for row in cuesta.strategies(device="cuda")):
        raise DeviceError(
            f"num_gpus is {num_gpus}, and this build of cuesta has no CUDA part; install one with a CUDA part, or set "
            "num_gpus to 0",
            str(num_gpus),
        )


def at_once(workers: int | None, num_cpus: float, num_gpus: float = 0) -> int:
    """Returns the largest number of workers at a time.

    It is `workers` if given, otherwise as many as the cluster has CPUs and GPUs for.

    Raises
    ------
    DeviceError
        The cluster has no GPU, and `num_gpus` is above 0.
    InvalidArgument
        Its GPUs have no room for `workers`.
    """
    there = ray.cluster_resources()
    by_cpus = max(1, int(there.get("CPU", 1) / max(num_cpus, 1e-3)))
    if not num_gpus:
        return workers or by_cpus
    gpus = int(there.get("GPU", 0))
    if not gpus:
        raise DeviceError(
            f"num_gpus is {num_gpus}, and the Ray cluster has no GPU; join a cluster with GPUs, or set num_gpus to 0",
            str(num_gpus),
        )
    by_gpus = gpus * int(1 / num_gpus + 1e-9)  # no worker has parts of two
    if workers is not None and workers > by_gpus:
        raise InvalidArgument(
            f"workers is {workers}, and the cluster's GPUs have room for {by_gpus} with num_gpus {num_gpus} ({gpus} GPUs)",
            str(workers),
        )
    return workers or min(by_cpus, by_gpus)

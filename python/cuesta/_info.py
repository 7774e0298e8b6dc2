"""Strategies and devices, and their verification on this machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cuesta import _core
from cuesta.errors import DeviceError, InvalidArgument

__all__ = [
    "Choice",
    "Device",
    "Report",
    "Strategy",
    "devices",
    "release_memory",
    "strategies",
    "verify",
    "which",
    "which_all",
]


@dataclass(frozen=True)
class Strategy:
    """One implementation of an operation."""

    operation: str
    """Such as "canny"."""
    name: str
    """The name that `strategy=` takes."""
    device: str
    """"cpu" or "cuda"."""
    tier: str
    """"reference", "baseline", "ladder" (a step of a paper, runs only by name) or "production"."""
    idea: str
    """What it does that the strategies before it do not."""
    paper: str
    """The paper it comes from, "000" to "004"; empty for ours."""
    exactness: str
    """"equal bytes", or the bound on floating-point results."""
    parameters: dict[str, tuple[str, tuple[str, ...]]]
    """Name to meaning and accepted values, the default first.

    For a range the values are those that `verify` tries.
    """
    allocates: bool
    """Whether it allocates device memory also after the first call of a size."""
    host_sync: bool
    """Whether it waits for the GPU inside the call."""
    built: bool
    """Whether this build has it. GPU strategies are missing in a build without CUDA."""


@dataclass(frozen=True)
class Choice:
    """The strategy that a call runs, or the reason why it runs none."""

    operation: str
    """Such as "canny"."""
    strategy: str | None
    """None where no strategy supports the request."""
    device: str
    """"cpu" or "cuda"."""
    tier: str
    """See `Strategy`."""
    processor: str
    """The instruction set ("AVX2"), or the GPU's name."""
    threads: int
    """Number of CPU threads."""
    passed_over: dict[str, str]
    """Earlier strategies that do not support the request, with the reasons."""
    refusal: str
    """One sentence where no strategy supports the request, otherwise empty."""


@dataclass(frozen=True)
class Report:
    """The result of `verify` for one strategy."""

    operation: str
    """Such as "canny"."""
    strategy: str
    """Its name."""
    equal: int
    """Number of cases with the reference's bytes."""
    refused: int
    """Number of cases that the strategy does not support."""
    failed: int
    """Number of cases with other bytes."""
    failures: tuple[str, ...]
    """The first few failures, each with its case."""

    @property
    def passed(self) -> bool:
        """Whether nothing failed and something ran."""
        return self.failed == 0 and self.equal > 0


@dataclass(frozen=True)
class Device:
    """A GPU that this build can use."""

    index: int
    """Its number in `device=`."""
    name: str
    """As the driver reports it."""
    compute_capability: str
    """Such as "9.0"."""
    memory: int
    """In bytes."""


def _device_kind(device: str | None) -> str | None:
    if device is None or device in ("cpu", "cuda"):
        return device
    raise InvalidArgument(f"device is {device!r}; it must be 'cpu' or 'cuda'", repr(device))


def _check_operation(operation: str | None) -> None:
    names = _core.operations()
    if operation is not None and operation not in names:
        raise InvalidArgument(
            f"operation is {operation!r}; it must be one of {', '.join(names)}", repr(operation)
        )


def strategies(operation: str | None = None, device: str | None = None) -> list[Strategy]:
    """Lists the strategies in the order of their tables.

    A build without CUDA lists those for GPUs too; they are not ``built``.

    Parameters
    ----------
    operation : str, optional
        A name that `cuesta list operations` prints, such as "canny"; by default all.
    device : {"cpu", "cuda"}, optional
        By default both.

    Returns
    -------
    list of Strategy
        Those of one operation are adjacent.

    Raises
    ------
    InvalidArgument
        There is no such operation or device.

    Examples
    --------
    >>> import cuesta
    >>> cuesta.strategies("canny", "cpu")[0].device
    'cpu'
    """
    _check_operation(operation)
    wanted = _device_kind(device)
    rows = []
    for (
        op,
        name,
        space,
        tier,
        idea,
        paper,
        exactness,
        parameters,
        allocates,
        host_sync,
        built,
    ) in _core.strategies():
        where = "cpu" if space == "host" else "cuda"
        if operation in (None, op) and wanted in (None, where):
            values = {p: (meaning, tuple(accepted)) for p, meaning, accepted in parameters}
            rows.append(
                Strategy(
                    op,
                    name,
                    where,
                    tier,
                    idea,
                    paper,
                    exactness,
                    values,
                    allocates,
                    host_sync,
                    built,
                )
            )
    return rows


def verify(
    operation: str | None = None,
    *,
    strategy: str | None = None,
    level: str = "quick",
    device: str = "cpu",
) -> list[Report]:
    """Runs every strategy on generated pictures and compares its bytes with the reference's.

    Parameters
    ----------
    operation, strategy : str, optional
        Run only these.
    level : {"quick", "full", "sizes"}
        "full" tries more shapes and options, "sizes" all of 1..70 × 1..70.
    device : {"cpu", "cuda"}
        The processor of the strategies.

    Returns
    -------
    list of Report
        ``all(r.passed for r in verify())`` is True on a machine that computes right results.

    Raises
    ------
    InvalidArgument
        There is no such operation, strategy, level or device.
    DeviceError
        There is no usable GPU.
    """
    _check_operation(operation)
    if _device_kind(device) == "cuda":
        _need_gpu()
    known = {s.name for s in strategies(operation, device) if s.built}
    if strategy is not None and strategy not in known:
        raise InvalidArgument(
            f"strategy is {strategy!r}; there are {', '.join(sorted(known))}", repr(strategy)
        )
    return [
        Report(op, name, equal, refused, failed, tuple(failures))
        for op, name, equal, refused, failed, failures in _core.verify(
            operation or "", strategy or "", level, device
        )
    ]


def which_all(function: str | Callable[..., Any], *args: Any, **kwargs: Any) -> list[Choice]:
    """Lists every step that a call would run, in order, without running it.

    Parameters
    ----------
    function : str or callable
        A function of this package that reads arrays, or its name: "canny", "gaussian", "label" ...
    *args, **kwargs
        Its arguments. Arrays are checked, not read.

    Returns
    -------
    list of Choice
        One for each operation of the call, and for each picture of a batch that runs by itself.

    Raises
    ------
    InvalidArgument
        `function` is not of this package, or its arguments are invalid.

    Examples
    --------
    >>> import numpy as np, cuesta
    >>> picture = np.zeros((64, 64), np.uint8)
    >>> [step.operation for step in cuesta.which_all("log_edges", picture, sigma=3)]
    ['convolve', 'log']
    """
    name = function if isinstance(function, str) else getattr(function, "__name__", repr(function))
    call = getattr(sys.modules["cuesta"], name, None) if isinstance(function, str) else function
    if not callable(call) or isinstance(call, type):
        raise InvalidArgument(
            f"function is {name!r}; it must be the name of a function that takes arrays, as 'canny'",
            name,
        )
    steps = [
        Choice(
            operation,
            strategy or None,
            "cpu" if space == "host" else "cuda",
            tier,
            processor,
            threads,
            dict(passed_over),
            refusal,
        )
        for operation, strategy, space, tier, processor, threads, passed_over, refusal in _core.which(
            lambda: call(*args, **kwargs)
        )
    ]
    if not steps:
        raise InvalidArgument(f"function is {name!r}, which runs no operation", name)
    return steps


def which(function: str | Callable[..., Any], *args: Any, **kwargs: Any) -> Choice:
    """Returns the strategy that a call would run, without running it.

    Parameters
    ----------
    function : str or callable
        A function of this package that reads arrays, or its name: "canny", "gaussian", "label" ...
    *args, **kwargs
        Its arguments. Arrays are checked, not read.

    Returns
    -------
    Choice
        The first step that no strategy supports; otherwise the last step, which writes the result.
        `which_all` returns every step.

    Raises
    ------
    InvalidArgument
        `function` is not of this package, or its arguments are invalid.

    Examples
    --------
    >>> import numpy as np, cuesta
    >>> choice = cuesta.which("laplacian", np.zeros((64, 64), np.uint8), offset=200_000)
    >>> choice.strategy, choice.passed_over
    ('rows', {'simd': 'an offset beyond 131,072 either way'})
    """
    steps = which_all(function, *args, **kwargs)
    return next((step for step in steps if step.strategy is None), steps[-1])


def devices() -> list[Device]:
    """Lists the GPUs that this build can use.

    Returns
    -------
    list of Device
        Empty without CUDA or a driver.
    """
    found, _ = _core.devices()
    return [
        Device(i, name, capability, memory) for i, (name, capability, memory) in enumerate(found)
    ]


def _need_gpu() -> None:
    found, why = _core.devices()
    if not found:
        raise DeviceError(f"{why}; use device='cpu'")


def release_memory() -> None:
    """Frees the scratch memory that this thread's calls have cached, on the CPU and on GPUs."""
    _core.release_memory()

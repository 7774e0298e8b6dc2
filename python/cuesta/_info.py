"""What there is, and whether it is right on this machine."""

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
    """One way to compute an operation: one row of its table."""

    operation: str
    name: str
    device: str
    """"cpu" or "cuda"."""
    tier: str
    """"reference", "baseline", "ladder" (a paper's step, runs only by name) or "production"."""
    idea: str
    paper: str
    """The report it comes from, "000" to "004"; empty for ours."""
    exactness: str
    """"equal bytes", or the bound on floating-point results."""
    parameters: dict[str, tuple[str, tuple[str, ...]]]
    """Name to meaning and accepted values, the default first; of a range, those that `verify` tries."""
    allocates: bool
    """Takes device memory also after the first call of a size."""
    host_sync: bool
    """Waits for the GPU inside the call."""
    built: bool
    """False for those that need a GPU where this build has no CUDA."""


@dataclass(frozen=True)
class Choice:
    """What a call runs, or why nothing does."""

    operation: str
    strategy: str | None
    """None where no strategy takes the request."""
    device: str
    """"cpu" or "cuda"."""
    tier: str
    processor: str
    """The instruction set ("AVX2"), or the GPU's name."""
    threads: int
    """On the CPU."""
    passed_over: dict[str, str]
    """Strategies before it that refuse the request, and why."""
    refusal: str
    """One sentence where none takes it; else empty."""


@dataclass(frozen=True)
class Report:
    """What `verify` found of one strategy."""

    operation: str
    strategy: str
    equal: int
    """Cases whose bytes are the reference's."""
    refused: int
    failed: int
    failures: tuple[str, ...]
    """The first few, each naming its case."""

    @property
    def passed(self) -> bool:
        """Nothing failed, and something ran."""
        return self.failed == 0 and self.equal > 0


@dataclass(frozen=True)
class Device:
    """A GPU this build can use."""

    index: int
    name: str
    compute_capability: str
    memory: int
    """Bytes."""


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
    """Every strategy, in the order of the tables; a build without CUDA lists those for GPUs too, as not ``built``.

    Parameters
    ----------
    operation : str, optional
        One of those that `cuesta list operations` prints, such as "canny"; all of them without.
    device : {"cpu", "cuda"}, optional
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
    """Runs every strategy on made-up pictures and compares its bytes with the reference's, on this machine.

    Parameters
    ----------
    operation, strategy : str, optional
        Only these.
    level : {"quick", "full", "sizes"}
        "full" tries more shapes and options, "sizes" all of 1..70 × 1..70.
    device : {"cpu", "cuda"}

    Returns
    -------
    list of Report
        ``all(r.passed for r in verify())`` is what should hold.
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
    """Every step that a call would run, in order, without running it.

    Parameters
    ----------
    function : str or callable
        A function of this package that takes arrays, or its name: "canny", "gaussian", "label" ...
    *args, **kwargs
        Its arguments. Arrays are checked, not read.

    Returns
    -------
    list of Choice
        One for each operation that the call is made of, and for each picture of a batch that runs by itself.

    Raises
    ------
    InvalidArgument
        Where `function` is none of this package's, or as the call itself.

    Examples
    --------
    >>> import numpy as np, cuesta
    >>> [step.operation for step in cuesta.which_all("log_edges", np.zeros((64, 64), np.uint8), sigma=3)]
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
    """The strategy that a call would run, without running it.

    Parameters
    ----------
    function : str or callable
        A function of this package that takes arrays, or its name: "canny", "gaussian", "label" ...
    *args, **kwargs
        Its arguments. Arrays are checked, not read.

    Returns
    -------
    Choice
        Of the first step that no strategy takes; else of the last, which writes the result. `which_all` has every
        step.

    Raises
    ------
    InvalidArgument
        Where `function` is none of this package's, or as the call itself.

    Examples
    --------
    >>> import numpy as np, cuesta
    >>> choice = cuesta.which("canny", np.zeros((64, 64), np.uint16))
    >>> choice.strategy, choice.passed_over
    ('rows', {'simd': 'u16 source'})
    """
    steps = which_all(function, *args, **kwargs)
    return next((step for step in steps if step.strategy is None), steps[-1])


def devices() -> list[Device]:
    """The GPUs this build can use; none without CUDA or a driver."""
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

"""What the tests share: the `cuda` mark, the pictures, and where the package came from."""

from __future__ import annotations

import os
import pathlib
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import cuesta


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "gpu: needs a GPU that Cuesta can use, an emulated one too")
    config.addinivalue_line("markers", "cuda: needs an NVIDIA GPU that Cuesta and PyTorch can use")


def why_no_device() -> str | None:
    """Why tests marked `gpu` cannot run; None where they can."""
    return (
        None
        if cuesta.devices()
        else "no NVIDIA GPU that this build of Cuesta can use: cuesta.devices() is empty"
    )


def why_no_gpu() -> str | None:
    """Why tests marked `cuda` cannot run; None where they can."""
    if why := why_no_device():
        return why
    try:
        import torch
    except ImportError:
        return "no PyTorch here"
    return None if torch.cuda.is_available() else "PyTorch sees no GPU"


def pytest_runtest_setup(item: pytest.Item) -> None:
    why = (
        why_no_gpu()
        if item.get_closest_marker("cuda")
        else why_no_device()
        if item.get_closest_marker("gpu")
        else None
    )
    if why:
        # On a machine that has one, a skip would hide a fault.
        if os.environ.get("CUESTA_REQUIRE_GPU"):
            pytest.fail(f"CUESTA_REQUIRE_GPU is set, but {why}")
        pytest.skip(why)


def pytest_report_header() -> list[str]:
    return [f"cuesta {cuesta.__version__} from {pathlib.Path(cuesta.__file__).parent}"]


@pytest.fixture(scope="session")
def picture() -> npt.NDArray[np.uint8]:
    """97 x 131, uint8: blocks, a slope and noise, so that every threshold has something to do."""
    rng = np.random.default_rng(2026)
    y, x = np.mgrid[:97, :131]
    base = (x * 1.2 + 40 * ((x // 23 + y // 17) % 2)).astype(np.int64)
    noisy = np.clip(base + rng.integers(-12, 13, base.shape), 0, 255)
    return np.asarray(noisy, np.uint8)


@pytest.fixture(scope="session")
def batch(picture: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Four different pictures, (4, 97, 131) uint8."""
    return np.stack([picture, picture[::-1], 255 - picture, picture // 3])


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """What the tests count: programs and tests of other libraries that run on ours."""
    told: dict[str, list[Any]] = {}
    for report in terminalreporter.getreports("passed"):
        for name, value in report.user_properties:
            told.setdefault(name, []).append(value)
    if samples := told.get("sample"):
        whole = [
            pictures for pictures, end, _ in samples if end.split(":")[0] in ("done", "exit 0")
        ]
        terminalreporter.write_line(
            f"OpenCV's samples: {len(samples)} end as under cv2 with the same pictures, {sum(n for n, *_ in samples)} of them; "
            f"{len(whole)} run to their end, {sum(n > 0 for n in whole)} of these show pictures; "
            f"{sum(calls > 0 for *_, calls in samples)} call a function that Cuesta answers"
        )
    for line in told.get("count", []):
        terminalreporter.write_line(line)

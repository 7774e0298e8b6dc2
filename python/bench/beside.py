"""What the benches share: the picture, Canny's thresholds, how two answers differ, and what was
measured when."""

from __future__ import annotations

import datetime
import importlib
import importlib.metadata
import pathlib
import platform
import subprocess
from typing import Any

import numpy as np
import numpy.typing as npt

import cuesta

Picture = npt.NDArray[np.uint8]
LOW, HIGH = 50, 100


def made_picture(side: int) -> Picture:
    """Blocks, a slope and noise, of any size."""
    y, x = np.mgrid[:side, :side]
    base = x * 200 // side + 40 * ((x // 23 + y // 17) % 2)
    noisy = base + np.random.default_rng(2026).integers(-12, 13, base.shape)
    return np.asarray(np.clip(noisy, 0, 255), np.uint8)


def picture(side: int) -> Picture:
    """A photograph of any size, uint8; without scikit-image, which has it, a made picture."""
    try:
        import skimage.data
        import skimage.transform
    except ImportError:
        return made_picture(side)
    photograph = skimage.data.camera()
    if 200 + side <= min(photograph.shape):
        return np.ascontiguousarray(photograph[100 : 100 + side, 200 : 200 + side])
    grown = skimage.transform.resize(photograph, (side, side), order=3, preserve_range=True)
    return np.asarray(np.clip(np.round(grown), 0, 255), np.uint8)


def difference(ours: npt.NDArray[Any], theirs: npt.NDArray[Any]) -> str:
    """How two answers differ, in words."""
    if ours.shape != theirs.shape:
        return f"another shape, {theirs.shape}"
    apart = np.abs(ours.astype(np.float64) - theirs.astype(np.float64))
    if not apart.any():
        return "equal"
    if ours.ndim == 0:
        return f"{theirs} instead of {ours}"
    share = 100 * float((apart > 0).mean())
    return f"{share:.2g} % of pixels, by up to {apart.max():.0f}"


def optional(name: str) -> Any:
    """The module, or None where it is not there."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def versions(*names: str) -> dict[str, str]:
    """Of Python, of Cuesta, and of those packages that are there."""
    found = {"python": platform.python_version(), "cuesta": cuesta.__version__}
    for name in names:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def measured(commit: str | None = None) -> dict[str, str]:
    """The day, and the commit that is measured: the one that is checked out where none is named."""
    if not commit:
        root = pathlib.Path(__file__).resolve().parents[2]
        asked = ["git", "-C", str(root), "rev-parse", "HEAD"]
        commit = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    return {"date": str(datetime.date.today()), "commit": commit}

"""Which build of the extension `cuesta._core` is: the one with a CUDA part that the package cuesta-cuda13 brings, where that is
installed and of our version; else our own. Chosen before anything imports it, by `import cuesta`.
"""

from __future__ import annotations

import importlib.machinery
import importlib.metadata
import importlib.util
import sys
import warnings
from pathlib import Path

COMPANION, FOLDER = "cuesta-cuda13", "cuesta_cuda"


def _companion() -> Path | None:
    """The companion's extension, if one is there."""
    found = importlib.util.find_spec(FOLDER)  # looks, and imports nothing
    for folder in (found and found.submodule_search_locations) or []:
        for suffix in importlib.machinery.EXTENSION_SUFFIXES:
            path = Path(folder, "_core" + suffix)
            if path.is_file():
                return path
    return None


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _choose() -> None:
    name = "cuesta._core"
    path = _companion()
    if path is None or name in sys.modules:
        return
    ours, theirs = _version("cuesta"), _version(COMPANION)
    if ours is None or ours != theirs:
        if ours is None:  # a folder that was copied, or a bundle that leaves metadata out
            why, remedy = (
                "cuesta's version is not known, as its metadata is not here",
                "install cuesta with pip",
            )
        else:
            why, remedy = (
                f"{COMPANION} is {theirs} and cuesta is {ours}",
                f"pip install {COMPANION}=={ours}",
            )
        warnings.warn(f"{why}: GPUs are left out; {remedy}", RuntimeWarning, stacklevel=2)
        return
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    setattr(sys.modules["cuesta"], "_core", module)


_choose()

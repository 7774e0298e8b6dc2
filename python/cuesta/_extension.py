"""Selects the build of the extension `cuesta._core`.

It is the build with a CUDA part from the package cuesta-cuda13, where that is installed in our
version. Otherwise it is our own. `import cuesta` selects it before anything imports it.
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
    """Returns the companion's extension, if it is installed."""
    found = importlib.util.find_spec(FOLDER)  # finds it without importing it
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
        if ours is None:  # a copied folder, or a bundle without metadata
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

"""A plugin of pytest for scikit-image's own tests: cuesta.compat.skimage in place of what it replaces.

At the end one line of JSON: who answered how many calls, by function.
"""

from __future__ import annotations

import importlib
import json
from typing import Any

from cuesta.compat import skimage as ours

#: Where scikit-image's tests take each function from.
PLACES = {
    "canny": ("feature.canny", "feature._canny"),
    "sobel": ("filters.sobel", "filters.edges"),
    "laplace": ("filters.laplace", "filters.edges"),
    "gaussian": ("filters.gaussian", "filters._gaussian"),
    "label": ("measure.label", "measure._label"),
    "erosion": ("morphology.erosion", "morphology.gray"),
    "dilation": ("morphology.dilation", "morphology.gray"),
    "opening": ("morphology.opening", "morphology.gray"),
    "closing": ("morphology.closing", "morphology.gray"),
}

for path, _ in PLACES.values():
    ours.original.attribute(path)  # theirs, before ours has its place
for name, (path, home) in PLACES.items():
    for place in (path.split(".")[0], home):
        module: Any = importlib.import_module(f"skimage.{place}")
        setattr(module, name, getattr(ours, name))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    counts = {
        name: len(terminalreporter.getreports(name))
        for name in ("passed", "failed", "error", "skipped")
    }
    failed = [
        report.nodeid
        for name in ("failed", "error")
        for report in terminalreporter.getreports(name)
    ]
    calls = {name: list(count) for name, count in ours.calls().items()}
    terminalreporter.write_line(
        "\n" + json.dumps({"counts": counts, "failed": failed, "calls": calls})
    )

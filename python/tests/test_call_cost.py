"""What a call costs before its picture does: bounds that only a mistake passes, such as a file read or a module imported
in every call."""

from __future__ import annotations

import datetime
import json
import pathlib
import subprocess
import sys

import pytest

import cuesta

BENCH = pathlib.Path(__file__).parents[1] / "bench" / "bench_calls.py"
#: Microseconds, by the way of calling. A quiet machine takes a tenth, a busy one of two cores a third; the
#: dispatcher of PyTorch 2.15 took more than 100 on such a machine where an argument is a list.
LIMITS = {"call": 100, "graph": 100, "operator": 300}


def test_a_small_call_costs_microseconds(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "calls.json"
    words = [sys.executable, str(BENCH), "--quick", "--json", str(file), "--commit", "0123abc"]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    made = json.loads(file.read_text(encoding="utf-8"))
    assert made["commit"] == "0123abc" and datetime.date.fromisoformat(made["date"])
    rows = made["rows"]
    assert {row["operation"] for row in rows} >= {
        "sobel",
        "canny",
        "gaussian",
        "median",
        "threshold",
    }
    assert {row["library"] for row in rows} >= {"numpy"}
    slow = [row for row in rows if row["best_us"] > LIMITS[row["way"]]]
    assert not slow


@pytest.mark.cuda
def test_a_torch_call_asks_for_its_stream_without_an_object(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """torch.cuda.current_stream makes one at each call, which costs as much as the rest."""
    import torch

    image = torch.eye(8, dtype=torch.uint8, device="cuda")
    monkeypatch.setattr(torch.cuda, "current_stream", None)
    assert cuesta.sobel(image).shape == (8, 8)

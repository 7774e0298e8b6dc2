"""The simulated layout of a job of cuesta.ray by itself; test_ray.py holds it against a real cluster."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("simpy", reason="simpy is not installed: the layout of a job is not simulated (scripts/python-env)")
import ray_layout as layout  # noqa: E402


def test_the_simulation_keeps_its_books() -> None:
    quiet = layout.Layout([[10.0] * 6] * 40, nodes=4, workers=2).run()
    assert (quiet.runs, quiet.lost, quiet.useful) == (240, 0, 2400) and quiet.makespan == 300
    worker = layout.Layout([[10.0] * 6] * 40, nodes=4, workers=2, faults=[layout.Fault(15, 0, worker=True)]).run()
    assert worker.lost == 5 and worker.useful == 2400 and worker.runs == 241
    node = layout.Layout([[10.0] * 6] * 40, nodes=4, workers=2, faults=[layout.Fault(55, 0)]).run()
    # Two chains of five parts and a half each on the node that went, and what of theirs lay elsewhere.
    assert node.useful == 2400 and 10 <= node.lost <= 8 * 60 and node.makespan > 300
    for seed in range(20):
        faults = layout.faults_of(20, 0.3, 1.0, seed)
        made = layout.Layout([[10.0] * 6] * 200, nodes=20, workers=2, faults=faults).run()
        assert made.useful == 200 * 60 and len(made.ends) == 200
        assert (made.lost > 0) == any(fault.time < made.makespan for fault in faults)


def test_the_page_has_what_the_rates_give() -> None:
    script = pathlib.Path(__file__).resolve().parents[1] / "bench/scale_plan.py"
    checked = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr

"""The simulated layout of a job of cuesta.ray by itself; test_ray.py holds it against a real cluster."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys

import pytest

pytest.importorskip(
    "simpy",
    reason="simpy is not installed: the layout of a job is not simulated (scripts/python-env)",
)
import ray_layout as layout  # noqa: E402


def test_the_simulation_keeps_its_books() -> None:
    quiet = layout.Layout([[10.0] * 6] * 40, nodes=4, workers=2).run()
    assert (quiet.runs, quiet.lost, quiet.useful) == (240, 0, 2400) and quiet.makespan == 300
    worker = layout.Layout(
        [[10.0] * 6] * 40, nodes=4, workers=2, faults=[layout.Fault(15, 0, worker=True)]
    ).run()
    assert worker.lost == 5 and worker.useful == 2400 and worker.runs == 241
    node = layout.Layout([[10.0] * 6] * 40, nodes=4, workers=2, faults=[layout.Fault(55, 0)]).run()
    # Two chains of five parts and a half each on the node that went, and what of theirs lay elsewhere.
    assert node.useful == 2400 and 10 <= node.lost <= 8 * 60 and node.makespan > 300
    for seed in range(20):
        faults = layout.faults_of(20, 0.3, 1.0, seed)
        made = layout.Layout([[10.0] * 6] * 200, nodes=20, workers=2, faults=faults).run()
        assert made.useful == 200 * 60 and len(made.ends) == 200
        assert (made.lost > 0) == any(fault.time < made.makespan for fault in faults)


ROOT = pathlib.Path(__file__).resolve().parents[3]


def test_the_decision_has_the_figures_of_its_data() -> None:
    page = " ".join((ROOT / "docs/dev/decisions/0058-ray.md").read_text(encoding="utf-8").split())
    data = json.loads(
        (ROOT / "docs/results/data/2026-11-24-ray-steps.json").read_text(encoding="utf-8")
    )
    step = data["steps_cpu_ms"]
    before = json.loads(
        (ROOT / "docs/results/data/2026-11-23-ray.json").read_text(encoding="utf-8")
    )["beside_a_pool"]
    frames = {row["workers"]: row for row in before if row["of"] == "frames"}
    after = json.loads((ROOT / "docs/results/data/2026-11-24-ray.json").read_text(encoding="utf-8"))
    now = {(row["of"], row["workers"]): row for row in after["beside_a_pool"]}
    more = {key: f"{row['overhead_percent']:.0f} %" for key, row in now.items()}
    canny = [
        json.loads(
            (ROOT / f"docs/results/data/2026-11-{day}-ray.json").read_text(encoding="utf-8")
        )["rates_cpu_ms"]["canny"]
        for day in (23, 24)
    ]
    assert [
        key for key, row in now.items() if key[0] != "pictures" and row["overhead_percent"] <= 5
    ] == [("long", 2)]
    told = [
        f"{step['frames']} frames in {step['parts']} parts, the median of {step['turns']} turns, measured while {step['others']:.1f} other",
        f"`cuesta.detect` takes {step['detect']:.2f} ms a frame.",
        f"To open a reader takes {step['open_video']:.1f} ms,",
        f"to find where the video is cut, {step['cut']:.1f} ms.",
        f"takes {step['save']:.1f} ms to save and {step['load']:.1f} ms to load,",
        f"{step['put_bytes']:.1f} ms as `bytes` and {step['put_array']:.1f} ms as an array.",
        f"A task a part takes {step['task_a_part_more_percent']:.1f} % more than `cuesta.detect`,",
        f"beside to find the cuts {100 * step['open_video'] / step['frames'] / step['detect']:.1f} % more;",
        f"one task to the end takes {step['one_task_more_percent']:.1f} % more.",
        f"the {frames[1]['overhead_percent']:.0f} % and {frames[2]['overhead_percent']:.0f} % of",
        f"between {min(frames[2]['ray_cpu_ms_each']):.2f} and {max(frames[2]['ray_cpu_ms_each']):.2f} ms.",
        f"while {now['long', 1]['load']:.1f} other programs wanted the cores",
        f"each the median of {now['long', 1]['pairs']} pairs), videos of 250 frames take {more['frames', 1]} more",
        f"with one worker and {more['frames', 2]} with two, videos of 1000 frames {more['long', 1]} and {more['long', 2]}.",
        f"Canny by {canny[1] / canny[0]:.1f},",
        f"as far apart as {min(now['frames', 2]['ray_cpu_ms_each']):.2f} and {max(now['frames', 2]['ray_cpu_ms_each']):.2f} ms",
        f"costs as much as {(step['save'] + step['put_array']) / step['detect']:.1f} frames.",
    ]
    assert [words for words in told if words not in page] == []


def test_the_page_has_what_the_rates_give() -> None:
    script = ROOT / "python/bench/scale_plan.py"
    checked = subprocess.run(
        [sys.executable, str(script), "--check"], capture_output=True, text=True
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr

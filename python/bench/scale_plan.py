"""What a billion pictures and a million cameras cost, from measured rates: the tables of docs/scale.md.

    python python/bench/scale_plan.py          print them
    python python/bench/scale_plan.py --check  whether docs/scale.md has them so (python/tests/test_docs.py)
    python python/bench/scale_plan.py --write  put them there

Rates are of python/bench/bench_ray.py (the newest docs/benchmarks/*-ray.json), one core of that machine, 1 Mpixel; those of a
GPU are kernels of docs/benchmarks/2026-11-23-h200-production.json, which `cuesta.ray` does not run yet.
"""

from __future__ import annotations

import json
import pathlib
import sys
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/scale.md"
BEGIN, END = "<!-- scale_plan.py -->\n", "<!-- end -->\n"

PICTURES = 1e9
CAMERAS, FPS, CAMERA_MPIXELS = 1e6, 25, 1920 * 1080 / 2**20
PART_SECONDS = 10
LINK = 25e9 / 8  # bytes a second of a machine of CORES cores: what is assumed, not measured
CORES = 64


def measured() -> tuple[str, dict[str, Any]]:
    file = sorted((ROOT / "docs/benchmarks").glob("*-ray.json"))[-1]
    return file.name, json.loads(file.read_text(encoding="utf-8"))


def gpu_ms(operation: str, parameters: str) -> float:
    """Milliseconds a Mpixel of a kernel on the H200."""
    rows = json.loads((ROOT / "docs/benchmarks/2026-11-23-h200-production.json").read_text(encoding="utf-8"))["rows"]
    fitting = [r for r in rows if r["operation"] == operation and r["parameters"] == parameters and r["strategy"] == "fused"]
    row = max(fitting, key=lambda r: r["width"])
    pictures = 64 if parameters.endswith("64 cameras a call") else row["pictures"]
    ms: float = row["ms"] / (row["width"] * row["height"] * pictures / 2**20)
    return ms


def table(head: list[str], rows: list[list[str]]) -> str:
    return "".join("| " + " | ".join(row) + " |\n" for row in [head, ["---"] * len(head), *rows])


def made() -> str:
    name, data = measured()
    rate = data["rates_cpu_ms"]
    more = {row["of"]: 1 + row["overhead_percent"] / 100 for row in data["beside_a_pool"] if row["workers"] == 2}

    def hours(milliseconds: float, count: float) -> str:
        return f"{milliseconds * count / 3.6e6:,.0f}"

    steps = [
        ("read (PNG)", rate["read_png"]), ("read (JPEG)", rate["read_jpeg"]), ("Canny", rate["canny"]),
        ("write (PNG)", rate["write_png"]),
    ]  # fmt: skip
    for what, verb in (("fetch from the store", "get_both_ends"), ("put into the store", "put_both_ends")):
        steps.append((f"{what}, both ends on one machine", data["store_cpu_ms"][verb]))
    per_picture = (rate["read_jpeg"] + rate["canny"] + rate["write_png"]) * more["pictures"]
    moved = rate["jpeg_bytes"] + rate["edges_bytes"]
    seconds_compute = per_picture / 1000 / CORES
    seconds_link = moved / LINK
    text = f"From [{name}](benchmarks/{name}), commit {data['commit'][:7]}, {data['date']}; CPU time of one core at 1 Mpixel.\n\n"
    text += "**A billion pictures**, JPEG in, Canny, PNG out.\n\n"
    text += table(
        ["step", "ms a picture", "core-hours for 10⁹"],
        [[what, f"{ms:.2f}", hours(ms, PICTURES)] for what, ms in steps]
        + [["JPEG, Canny, PNG, with Ray's part", f"{per_picture:.2f}", hours(per_picture, PICTURES)]],
    )
    text += f"\nBytes moved: {rate['jpeg_bytes'] / 1e3:,.0f} kB in and {rate['edges_bytes'] / 1e3:,.0f} kB out a picture, "
    text += f"{moved * PICTURES / 1e15:,.2f} PB, and 2 × 10⁹ requests. "
    text += f"A machine of {CORES} cores asks its link for {moved / seconds_compute / 1e6:,.0f} MB/s, "
    text += f"{100 * seconds_link / seconds_compute:.0f} % of 25 Gbit/s: "
    text += "the cores bind, and of their time the files.\n" if seconds_link < seconds_compute else "the link binds.\n"
    kernel = gpu_ms("canny", "thresholds by Otsu")
    text += f"Canny alone is {hours(kernel, PICTURES)} GPU-hours of an H200 ({kernel * 1000:.1f} µs a picture): one GPU would want "
    text += f"{(rate['read_jpeg'] + rate['write_png']) / kernel:,.0f} cores that read and write, so a GPU pays only where the pictures are there already.\n\n"

    frames = CAMERAS * FPS
    decode, detect = rate["decode"] * CAMERA_MPIXELS, rate["detect_samples"] * CAMERA_MPIXELS
    whole = (decode + detect) * more["frames"]
    text += f"**A million cameras**, 1080p at {FPS} frames/s, around the clock.\n\n"
    rows = [
        ["decode (H.264)", f"{decode:.2f}", f"{decode * frames / 1000:,.0f}"],
        ["detect, `samples`", f"{detect:.2f}", f"{detect * frames / 1000:,.0f}"],
        ["detect, `first`", f"{rate['detect_first'] * CAMERA_MPIXELS:.2f}", f"{rate['detect_first'] * CAMERA_MPIXELS * frames / 1000:,.0f}"],
        ["decode and `samples`, with Ray's part", f"{whole:.2f}", f"{whole * frames / 1000:,.0f}"],
    ]
    text += table(["step", "ms a frame", "cores for 10⁶ cameras"], rows)
    state = rate["state_bytes_samples"] * CAMERA_MPIXELS
    video = rate["video_bytes_a_frame"] * CAMERA_MPIXELS * FPS
    text += f"\nA core has {1000 / FPS / whole:.2f} cameras, a day of all is {whole * frames * 24 / 1000:,.0f} core-hours. Bytes a camera and second: "
    text += f"{video / 1e6:.2f} MB of video (this one is noisy; 0.5 MB are usual), {state / PART_SECONDS / 1e6:.2f} MB of state where every part of "
    text += f"{PART_SECONDS} s runs on another machine, {CAMERA_MPIXELS * 2**20 * FPS / 1e6:.0f} MB if frames were sent. "
    lanes = gpu_ms("motion", "1080p gray, 64 cameras a call")
    text += f"An H200 detects {1000 / FPS / (lanes * CAMERA_MPIXELS):,.0f} such cameras by its kernels (another model, 64 a call; states stay there): it would want "
    text += f"{decode / (lanes * CAMERA_MPIXELS):,.0f} cores that decode, or its decoders, which nothing here has measured.\n"
    return text


def main() -> int:
    page = PAGE.read_text(encoding="utf-8")
    head, _, rest = page.partition(BEGIN)
    old, _, tail = rest.partition(END)
    new = made()
    if "--write" in sys.argv:
        PAGE.write_text(head + BEGIN + new + END + tail, encoding="utf-8")
    elif "--check" in sys.argv:
        if old != new:
            print("docs/scale.md is not what scale_plan.py makes of the measured rates; --write puts it there")
            return 1
    else:
        print(new)
    return 0


if __name__ == "__main__":
    sys.exit(main())

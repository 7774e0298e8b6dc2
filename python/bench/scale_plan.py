"""What a billion pictures and a million cameras cost, from measured rates: the tables of docs/user/many-machines.md. Needs simpy.

    python python/bench/scale_plan.py          print them
    python python/bench/scale_plan.py --check  whether docs/user/many-machines.md has them so (python/tests/cuesta_ray)
    python python/bench/scale_plan.py --write  put them there

Rates are those of python/bench/bench_ray.py (the newest docs/results/data/*-ray.json), for one core of that machine and 1 Mpixel.
Rates of GPUs are those of docs/results/data/scale-gpu.json. python/tests/cuesta_ray/ray_layout.py simulates what faults cost.
"""

from __future__ import annotations

import json
import pathlib
import sys
import textwrap
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python/tests/cuesta_ray"))
import ray_layout as layout  # noqa: E402

DATA = ROOT / "docs/results/data"
PAGE = ROOT / "docs/user/many-machines.md"
BEGIN, END = "<!-- scale_plan.py -->\n", "<!-- end -->\n"

PICTURES = 1e9
CAMERAS, FPS, CAMERA_MPIXELS = 1e6, 25, 1920 * 1080 / 2**20
PART_SECONDS = 10
LINK = 25e9 / 8  # bytes a second of a machine of CORES cores: what is assumed, not measured
CORES = 64
MACHINES, WORKERS, VIDEOS, HOURS, DRAWS = (
    5,
    4,
    80,
    1,
    6,
)  # of the simulation: workers of a machine, hours of a video
MEAN_HOURS = (10, 5, 3)  # between the ends of one machine


def measured() -> tuple[str, dict[str, Any]]:
    file = sorted(DATA.glob("*-ray.json"))[-1]
    return file.name, json.loads(file.read_text(encoding="utf-8"))


def on_gpus(name: str) -> float:
    """A figure of runs on GPUs, as bench/pages/scale_gpu.py reduced it."""
    (value,) = json.loads((DATA / "scale-gpu.json").read_text(encoding="utf-8"))["values"][name]
    made: float = value
    return made


def over_pcie() -> float:
    """Pictures of 1 Mpixel a second through Canny on the H200, up and down again, page-locked, eight in flight."""
    return on_gpus("canny_pictures_a_second")


def decoded() -> float:
    """Frames of 1080p a second that an H100 decodes and searches, of seven videos at once, after the start."""
    return on_gpus("decoded_frames_a_second")


def faults(seconds: float) -> str:
    """What the ends of machines cost a job whose parts take so long."""
    parts = [seconds] * round(HOURS * 3600 / PART_SECONDS)
    quiet = layout.Layout([parts] * VIDEOS, MACHINES, WORKERS).run()
    rows = [["never", "0", f"{quiet.runs:,}", "0.0", f"{quiet.makespan / 3600:.2f}"]]
    for mean in MEAN_HOURS:
        drawn = [
            layout.faults_of(MACHINES, quiet.makespan / 3600, mean, seed) for seed in range(DRAWS)
        ]
        every = [
            layout.Layout([parts] * VIDEOS, MACHINES, WORKERS, faults=ends, notice=20).run()
            for ends in drawn
        ]
        lost = 100 * sum(made.lost for made in every) / sum(made.useful for made in every)
        ended, runs = sum(map(len, drawn)) / DRAWS, sum(made.runs for made in every) / DRAWS
        hours = sum(made.makespan for made in every) / DRAWS / 3600
        rows.append([f"{mean:,} h", f"{ended:.1f}", f"{runs:,.0f}", f"{lost:.1f}", f"{hours:.2f}"])
    text = paragraph(
        f"**Faults.** {VIDEOS} videos of {HOURS} hour, 25 frames/s at 1080p, in parts of "
        f"{PART_SECONDS} s, on {MACHINES} machines of {WORKERS} workers. Figures are means of "
        f"{DRAWS} draws. A machine that fails does not return, and its states are lost."
    )
    return text + table(
        ["a machine fails every", "failed", "parts begun", "work lost, %", "hours to the end"], rows
    )


def paragraph(text: str) -> str:
    lines = textwrap.wrap(text, 100, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines) + "\n\n"


def table(head: list[str], rows: list[list[str]]) -> str:
    return "".join("| " + " | ".join(row) + " |\n" for row in [head, ["---"] * len(head), *rows])


def made() -> str:
    name, data = measured()
    rate = data["rates_cpu_ms"]
    # The most that Ray took, of any number of workers; nothing where it was not measured, and the words say so.
    more = {"pictures": 1.0, "frames": 1.0}
    told = {
        "pictures": "without Ray's part, which is not measured",
        "frames": "without Ray's part, which is not measured",
    }
    for row in data["beside_a_pool"]:
        for kind, of in (("pictures", "pictures"), ("frames", of_frames(data))):
            if row["of"] == of:
                more[kind] = max(more[kind], 1 + row["overhead_percent"] / 100)
                told[kind] = "with Ray's part"

    def hours(milliseconds: float, count: float) -> str:
        return f"{milliseconds * count / 3.6e6:,.0f}"

    steps = [
        ("read (PNG)", rate["read_png"]), ("read (JPEG)", rate["read_jpeg"]), ("Canny", rate["canny"]),
        ("write (PNG)", rate["write_png"]),
    ]  # fmt: skip
    for what, verb in (
        ("fetch from the store", "get_both_ends"),
        ("put into the store", "put_both_ends"),
    ):
        steps.append((f"{what}, both ends on one machine", data["store_cpu_ms"][verb]))
    per_picture = (rate["read_jpeg"] + rate["canny"] + rate["write_png"]) * more["pictures"]
    moved = rate["jpeg_bytes"] + rate["edges_bytes"]
    seconds_compute = per_picture / 1000 / CORES
    seconds_link = moved / LINK
    text = "\n" + paragraph(
        f"From [{name}](../results/data/{name}), commit {data['commit'][:7]}, {data['date']}: CPU "
        f"time of one core at 1 Mpixel, measured while {data['machine']['load_before']:.0f} other "
        f"programs ran on the {data['machine']['cores']} cores of that machine."
    )
    text += paragraph("**A billion pictures**: JPEG in, Canny, PNG out.")
    text += table(
        ["step", "ms a picture", "core-hours for 10⁹"],
        [[what, f"{ms:.2f}", hours(ms, PICTURES)] for what, ms in steps]
        + [
            [
                f"JPEG, Canny, PNG, {told['pictures']}",
                f"{per_picture:.2f}",
                hours(per_picture, PICTURES),
            ]
        ],
    )
    bound = (
        "so the cores are the limit, and most of their time is for files."
        if seconds_link < seconds_compute
        else "so the link is the limit."
    )
    text += "\n" + paragraph(
        f"Bytes moved: {rate['jpeg_bytes'] / 1e3:,.0f} kB in and {rate['edges_bytes'] / 1e3:,.0f} kB "
        f"out for each picture, {moved * PICTURES / 1e15:,.2f} PB in all, and 2 × 10⁹ requests. A "
        f"machine of {CORES} cores moves {moved / seconds_compute / 1e6:,.0f} MB/s. That is "
        f"{100 * seconds_link / seconds_compute:.0f} % of 25 Gbit/s, {bound}"
    )
    kernel = on_gpus("canny_ms_a_mpixel")
    files = rate["read_jpeg"] + rate["write_png"]
    text += paragraph(
        f"Canny alone takes {kernel * PICTURES / 3.6e6:.1f} GPU-hours of an H200 "
        f"({kernel * 1000:.1f} µs a picture). One GPU would need {files / kernel:,.0f} cores that "
        f"read and write. With both copies over PCIe it processes {over_pcie():,.0f} pictures/s "
        f"({over_pcie() * 2**20 / 1e9:.0f} GB/s each way), in {PICTURES / over_pcie() / 3600:.1f} "
        f"GPU-hours. It then needs {files * over_pcie() / 1000:,.0f} cores. PCIe limits before the "
        "kernel, and files before PCIe. A GPU pays only where the pictures already are."
    )

    frames = CAMERAS * FPS
    decode, detect = rate["decode"] * CAMERA_MPIXELS, rate["detect_samples"] * CAMERA_MPIXELS
    whole = (decode + detect) * more["frames"]
    text += paragraph(f"**A million cameras**: 1080p at {FPS} frames/s, around the clock.")
    rows = [
        ["decode (H.264)", f"{decode:.2f}", f"{decode * frames / 1000:,.0f}"],
        ["detect, `samples`", f"{detect:.2f}", f"{detect * frames / 1000:,.0f}"],
        [
            "detect, `first`",
            f"{rate['detect_first'] * CAMERA_MPIXELS:.2f}",
            f"{rate['detect_first'] * CAMERA_MPIXELS * frames / 1000:,.0f}",
        ],
        [
            f"decode and `samples`, {told['frames']}",
            f"{whole:.2f}",
            f"{whole * frames / 1000:,.0f}",
        ],
    ]
    text += table(["step", "ms a frame", "cores for 10⁶ cameras"], rows)
    state = rate["state_bytes_samples"] * CAMERA_MPIXELS
    video = rate["video_bytes_a_frame"] * CAMERA_MPIXELS * FPS
    lanes = on_gpus("motion_ms_a_mpixel")
    text += "\n" + paragraph(
        f"A core serves {1000 / FPS / whole:.2f} cameras. A day of all cameras is "
        f"{whole * frames * 24 / 1000:,.0f} core-hours. Bytes for a camera each second: "
        f"{video / 1e6:.2f} MB of video (this one is noisy; 0.5 MB are typical). State adds "
        f"{state / PART_SECONDS / 1e6:.2f} MB where every part of {PART_SECONDS} s runs on another "
        f"machine. Sending frames would take {CAMERA_MPIXELS * 2**20 * FPS / 1e6:.0f} MB."
    )
    text += paragraph(
        f"The kernels of an H200 detect {1000 / FPS / (lanes * CAMERA_MPIXELS):,.0f} such cameras "
        "(another model, 64 in a call; states stay there). They would need "
        f"{decode / (lanes * CAMERA_MPIXELS):,.0f} cores that decode. An H100 decodes and searches "
        f"{decoded():,.0f} frames/s of 1080p (seven videos concurrently, all defaults, "
        f"[devices.md](../results/devices.md)). That is {decoded() / FPS:,.0f} cameras, and "
        f"{CAMERAS * FPS / decoded():,.0f} GPUs for all of them. The decoders limit before the kernels."
    )
    text += faults(PART_SECONDS * FPS * whole / 1000)
    return text + ("\n" + beside(data) if data["beside_a_pool"] else "")


def of_frames(data: dict[str, Any]) -> str:
    """The rows that are most like a camera's video, which is long."""
    return "long" if any(row["of"] == "long" for row in data["beside_a_pool"]) else "frames"


def beside(data: dict[str, Any]) -> str:
    """Ray beside a plain pool, and OpenCV in Ray."""
    sides = [
        side
        for side in ("pool", "ray", "cv2", "kornia")
        if any(f"{side}_cpu_ms" in row for row in data["beside_a_pool"])
    ]
    kornia = (
        "kornia, on the CPU, has no automatic thresholds and uses its own."
        if "kornia" in sides
        else "kornia was not measured."
    )
    text = paragraph(
        "**Ray beside a plain pool of processes**: the same work by the same function. Figures are "
        "ms of CPU time of all processes for a picture or frame of 1 Mpixel. In brackets: results a "
        "second, where fewer than one other program used the cores. OpenCV does the same by hand in "
        f"Ray Data (PNG, Gauss, Otsu, Canny, PNG); {kornia}"
    )
    names = {
        "pictures": "pictures: PNG, Canny, PNG",
        "frames": "frames: H.264, `samples`, videos of 250 in parts of 100",
        "long": "frames: the same, videos of 1000 in parts of 250",
    }
    rows = []
    for row in data["beside_a_pool"]:
        cells = []
        for side in sides:
            a_second = 1000 / row[f"{side}_wall_ms"] if f"{side}_cpu_ms" in row else 0
            rate = (
                f" ({a_second:,.{0 if a_second >= 10 else 1}f})"
                if a_second and row["load"] < 1
                else ""
            )
            cells.append(f"{row[f'{side}_cpu_ms']:.2f}{rate}" if f"{side}_cpu_ms" in row else "")
        rows.append(
            [
                names[row["of"]],
                str(row["workers"]),
                *cells,
                f"{row['overhead_percent']:+.1f}",
                f"{row['load']:.1f}",
            ]
        )
    heads = {"pool": "pool", "ray": "cuesta.ray", "cv2": "cv2 in Ray", "kornia": "kornia in Ray"}
    if of_frames(data) != "long":
        text += paragraph(
            "Frames were measured before a worker stayed with its video "
            "([decision 72](../dev/decisions/0058-ray.md))."
        )
    return text + table(
        ["of", "workers", *(heads[side] for side in sides), "Ray's part, %", "others"], rows
    )


def main() -> int:
    page = PAGE.read_text(encoding="utf-8")
    head, _, rest = page.partition(BEGIN)
    old, _, tail = rest.partition(END)
    new = made()
    if "--write" in sys.argv:
        PAGE.write_text(head + BEGIN + new + END + tail, encoding="utf-8")
    elif "--check" in sys.argv:
        if old != new:
            print(
                "docs/user/many-machines.md is not what scale_plan.py makes of the measured rates; --write puts it there"
            )
            return 1
    else:
        print(new)
    return 0


if __name__ == "__main__":
    sys.exit(main())

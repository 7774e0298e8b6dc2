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
    text = f"**Faults.** {VIDEOS} videos of {HOURS} hour, 25 frames/s at 1080p, in parts of {PART_SECONDS} s on {MACHINES} machines of {WORKERS} workers, the mean of {DRAWS} draws;\n"
    text += "a machine that ends does not come back, and takes the states on it along.\n\n"
    return text + table(
        ["a machine ends every", "ended", "parts begun", "work lost, %", "hours to the end"], rows
    )


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
    text = f"From [{name}](results/data/{name}), commit {data['commit'][:7]}, {data['date']}; CPU time of one core at 1 Mpixel, measured while "
    text += f"{data['machine']['load_before']:.0f} other programs wanted that machine's {data['machine']['cores']} cores.\n\n"
    text += "**A billion pictures**, JPEG in, Canny, PNG out.\n\n"
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
    text += f"\nBytes moved: {rate['jpeg_bytes'] / 1e3:,.0f} kB in and {rate['edges_bytes'] / 1e3:,.0f} kB out a picture, "
    text += f"{moved * PICTURES / 1e15:,.2f} PB, and 2 × 10⁹ requests. "
    text += (
        f"A machine of {CORES} cores asks its link for {moved / seconds_compute / 1e6:,.0f} MB/s, "
    )
    text += f"{100 * seconds_link / seconds_compute:.0f} % of 25 Gbit/s: "
    text += (
        "the cores bind, and of their time the files.\n"
        if seconds_link < seconds_compute
        else "the link binds.\n"
    )
    kernel = on_gpus("canny_ms_a_mpixel")
    text += f"Canny alone is {kernel * PICTURES / 3.6e6:.1f} GPU-hours of an H200 ({kernel * 1000:.1f} µs a picture): one GPU would want "
    text += f"{(rate['read_jpeg'] + rate['write_png']) / kernel:,.0f} cores that read and write. With both copies over PCIe it does {over_pcie():,.0f} pictures/s "
    text += f"({over_pcie() * 2**20 / 1e9:.0f} GB/s each way), {PICTURES / over_pcie() / 3600:.1f} GPU-hours, and wants "
    text += f"{(rate['read_jpeg'] + rate['write_png']) * over_pcie() / 1000:,.0f} cores: PCIe binds before the kernel and the files before PCIe, "
    text += "so a GPU pays only where the pictures are there already.\n\n"

    frames = CAMERAS * FPS
    decode, detect = rate["decode"] * CAMERA_MPIXELS, rate["detect_samples"] * CAMERA_MPIXELS
    whole = (decode + detect) * more["frames"]
    text += f"**A million cameras**, 1080p at {FPS} frames/s, around the clock.\n\n"
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
    text += f"\nA core has {1000 / FPS / whole:.2f} cameras, a day of all is {whole * frames * 24 / 1000:,.0f} core-hours. Bytes a camera and second: "
    text += f"{video / 1e6:.2f} MB of video (this one is noisy; 0.5 MB are usual), {state / PART_SECONDS / 1e6:.2f} MB of state where every part of "
    text += f"{PART_SECONDS} s runs on another machine, {CAMERA_MPIXELS * 2**20 * FPS / 1e6:.0f} MB if frames were sent. "
    lanes = on_gpus("motion_ms_a_mpixel")
    text += f"An H200 detects {1000 / FPS / (lanes * CAMERA_MPIXELS):,.0f} such cameras by its kernels (another model, 64 a call; states stay there): it would want "
    text += f"{decode / (lanes * CAMERA_MPIXELS):,.0f} cores that decode. The decoders of an H100 bring and the GPU searches {decoded():,.0f} frames/s of 1080p "
    text += f"(seven videos at once, all defaults, [devices.md](results/devices.md)): {decoded() / FPS:,.0f} cameras, {CAMERAS * FPS / decoded():,.0f} such GPUs "
    text += "for all of them: its decoders bind before its kernels.\n"
    text += "\n" + faults(PART_SECONDS * FPS * whole / 1000)
    return text + ("\n" + beside(data) if data["beside_a_pool"] else "")


def of_frames(data: dict[str, Any]) -> str:
    """The rows that are most like a camera's video, which is long."""
    return "long" if any(row["of"] == "long" for row in data["beside_a_pool"]) else "frames"


def beside(data: dict[str, Any]) -> str:
    """Ray beside a plain pool, and OpenCV in Ray."""
    text = "**Ray beside a plain pool of processes**, the same work by the same function: ms of CPU time of all processes\n"
    text += "a picture or frame of 1 Mpixel, and in brackets how many came a second where fewer than one other program wanted the cores. OpenCV does the\n"
    text += "same by hand in Ray Data (PNG, Gauss, Otsu, Canny, PNG)"
    sides = [
        side
        for side in ("pool", "ray", "cv2", "kornia")
        if any(f"{side}_cpu_ms" in row for row in data["beside_a_pool"])
    ]
    text += (
        "; kornia, on the CPU, finds no thresholds and takes its own.\n\n"
        if "kornia" in sides
        else "; kornia was not measured.\n\n"
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
        text += "Frames were measured before a worker stayed with its video ([0072](decisions/0058-ray.md)).\n\n"
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

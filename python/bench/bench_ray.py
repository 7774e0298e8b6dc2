"""cuesta.ray beside a plain pool of processes, and beside OpenCV and kornia in Ray Data, on the same cores: CPU time a picture
and a frame.

    python python/bench/bench_ray.py --json docs/results/data/DATE-ray.json    everything, about half an hour
    python python/bench/bench_ray.py --only long --json FILE                 a part of it into that file; pictures, frames, long,
                                                                             rates, store
    python python/bench/bench_ray.py --only steps --json docs/results/data/DATE-ray-steps.json    what a frame costs in a worker
    python python/bench/bench_ray.py --gpus --json docs/results/data/DATE-ray-gpus.json           pictures on the CPU, on 1 GPU, on 2;
                                                                             --quick: some minutes; --only files, --only arrays

Figures are CPU time of all processes that take part (Ray's own too), as a control group of the kernel counts it, so that
what else the machine does hardly meets them; wall time stands beside. Each run is a process of its own with a number of
pictures or of videos, and a figure is the difference between a long run and a short one over what the long one has more:
beginning and ending are in neither. Pool and Ray do the same work by the same function, in turns, and the figure is the median
of the pairs. OpenCV and kornia (where it is installed: scripts/python-env bench; on the CPU) do the folder of pictures as
people write it by hand, `map_batches` of Ray Data over the same files. Needs root, for the control group.

With --gpus it is wall time, without a control group, and alone: PNG files of 1 Mpixel through `cuesta.ray.edges`, and rows of arrays, which
nothing decodes and nothing encodes. Each job begins its actors again, so a figure is the difference between a long job and a short one here too,
of the median of the rounds; results are compared with the CPU's.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import importlib.util
import json
import multiprocessing
import operator
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any

import cuesta
import numpy as np
from beside import measured

SIDE = 1024
PICTURES = (32, 432)  # in a short run, in a long one
FEWER_PICTURES = {"kornia": (4, 20)}  # of a side that takes seconds a picture
# Of videos: how many in a short run and in a long one, their frames, and those of a part, at least. Ray takes some ten
# seconds to begin, and not the same each time: long runs have thousands of frames more.
VIDEOS = {"frames": ((2, 14), 250, 100), "long": ((2, 8), 1000, 250)}
BATCH = 16
VERSIONS = ("cuesta", "numpy", "opencv-python-headless", "pyarrow", "ray", "kornia", "torch")
GROUPS = (("/sys/fs/cgroup/cpuacct", "cpuacct.usage", 1e-9), ("/sys/fs/cgroup", "cpu.stat", 1e-6))


def version_of(package: str) -> str | None:
    """None where it is not installed."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def others(seconds: float = 3.0) -> float:
    """How many other programs want a core now, on average: what the load would be if it were not of minutes ago."""
    seen = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        text = pathlib.Path("/proc/stat").read_text()
        seen.append(int(text.partition("procs_running")[2].split()[0]) - 1)  # without this one
        time.sleep(0.02)
    return round(statistics.mean(seen), 1)


class Account:
    """CPU seconds of this process's children from now on, and of theirs."""

    def __init__(self) -> None:
        for folder, name, unit in GROUPS:
            if (pathlib.Path(folder) / name).exists():
                self.folder = pathlib.Path(folder) / f"cuesta-bench-{os.getpid()}"
                self.name, self.unit = name, unit
                self.folder.mkdir()
                return
        raise SystemExit("no control group that counts CPU time")

    def seconds(self) -> float:
        text = (self.folder / self.name).read_text()
        return self.unit * float(text.split()[1] if "usage_usec" in text else text)

    def run(self, words: list[str]) -> tuple[float, float]:
        """CPU and wall seconds of a program, from its beginning until all that it began has ended."""
        before, begun = self.seconds(), time.monotonic()
        group = str(self.folder / "cgroup.procs")
        inner = 'echo $$ > "$0" && exec "$@"'
        subprocess.run(["bash", "-c", inner, group, *words], check=True, stdout=subprocess.DEVNULL)
        wall = time.monotonic() - begun
        while (self.folder / "cgroup.procs").read_text().strip():
            time.sleep(0.1)
        return self.seconds() - before, wall

    def close(self) -> None:
        self.folder.rmdir()


def make_pictures(folder: pathlib.Path, count: int) -> None:
    """PNG files of 1 Mpixel with slopes, edges and some noise; 24 of them are different."""
    rng = np.random.default_rng(3)
    for k in range(count):
        if k >= 24:
            shutil.copy(folder / f"{k % 24:04}.png", folder / f"{k:04}.png")
            continue
        coarse = rng.integers(0, 256, (SIDE // 16 + 2, SIDE // 16 + 2)).astype(np.float32)
        at = np.arange(SIDE) / 16
        left, part = at.astype(int), (at % 1).astype(np.float32)
        rows = coarse[left] * (1 - part[:, None]) + coarse[left + 1] * part[:, None]
        whole = rows[:, left] * (1 - part) + rows[:, left + 1] * part
        cuesta.imwrite(
            folder / f"{k:04}.png",
            np.clip(whole + rng.integers(-2, 3, whole.shape), 0, 255).astype(np.uint8),
        )


def make_videos(folder: pathlib.Path, count: int, frames: int) -> None:
    """H.264 of 1 Mpixel: a square that comes and continues a still scene with noise."""
    rng = np.random.default_rng(4)
    still = cuesta.gaussian(rng.integers(0, 256, (SIDE, SIDE), np.uint8), 4.0)
    grain = [rng.integers(-3, 4, (SIDE, SIDE), np.int16) for _ in range(7)]
    words = f"ffmpeg -v error -y -f yuv4mpegpipe -i - -c:v libx264 -preset veryfast -g 50 -crf 20 {folder}/0.mp4".split()
    with subprocess.Popen(words, stdin=subprocess.PIPE) as coder:
        assert coder.stdin
        coder.stdin.write(f"YUV4MPEG2 W{SIDE} H{SIDE} F25:1 Cmono XCOLORRANGE=FULL\n".encode())
        for k in range(frames):
            frame = still + grain[k % 7]
            x = 6 * k % SIDE
            frame[400:500, x : x + 90] = 230
            coder.stdin.write(b"FRAME\n" + np.clip(frame, 0, 255).astype(np.uint8).tobytes())
    for k in range(1, count):
        shutil.copy(folder / "0.mp4", folder / f"{k}.mp4")


_worker: Any = None


def _begin(work: Any) -> None:
    global _worker
    from cuesta.ray._workers import Worker

    _worker = Worker(work)


def _picture(path: str) -> str:
    error: str = _worker.row(_worker.names({"path": [path]})[0], path)["error"]
    return error


def _video(path: str) -> int:
    return sum(len(frame.objects) for frame in cuesta.detect(path, threads=1))


def _batch(files: list[str], output: str, edges: Any) -> dict[str, list[str]]:
    """A batch of Ray Data by hand: OpenCV reads and writes."""
    import cv2

    cv2.setNumThreads(1)
    for file in files:
        cv2.imwrite(
            f"{output}/{pathlib.Path(file).name}", edges(cv2.imread(file, cv2.IMREAD_GRAYSCALE))
        )
    return {"path": files}


def edges_of_cv2(batch: dict[str, Any], output: str) -> dict[str, list[str]]:
    """The same by OpenCV: Gauss, Canny between half of Otsu's threshold of the magnitudes and that threshold."""
    import cv2

    def edges(read: Any) -> Any:
        gray = cv2.GaussianBlur(read, (5, 5), 1.4)
        gx, gy = cv2.Sobel(gray, cv2.CV_16S, 1, 0), cv2.Sobel(gray, cv2.CV_16S, 0, 1)
        size = cv2.convertScaleAbs(cv2.add(np.abs(gx), np.abs(gy)), alpha=0.125)
        high, _ = cv2.threshold(size, 0, 255, cv2.THRESH_OTSU)
        return cv2.Canny(gx, gy, 4 * high, 8 * high)

    return _batch([str(path) for path in batch["path"]], output, edges)


def edges_of_kornia(batch: dict[str, Any], output: str) -> dict[str, list[str]]:
    """The nearest by kornia: Gauss, Canny between its own thresholds, for it finds none."""
    import kornia
    import torch

    torch.set_num_threads(1)

    def edges(read: Any) -> Any:
        with torch.inference_mode():
            _, found = kornia.filters.canny(
                torch.from_numpy(read)[None, None].float() / 255, sigma=(1.4, 1.4)
            )
        return found[0, 0].mul(255).byte().numpy()

    return _batch([str(path) for path in batch["path"]], output, edges)


BY_HAND = {"cv2": edges_of_cv2, "kornia": edges_of_kornia}


def one(kind: str, side: str, workers: int, count: int, folder: str) -> None:
    """What is timed: a program of its own."""
    files = [str(file) for file in sorted(pathlib.Path(folder).iterdir())][:count]
    assert len(files) == count
    spawn = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory(dir=pathlib.Path(folder).parent) as output:
        if side == "pool" and kind == "pictures":
            from cuesta.ray._outputs import Output
            from cuesta.ray._workers import Work

            work = Work("edges", "canny", {}, "path", folder, None, Output(output, "png"), 1)
            with spawn.Pool(workers, _begin, (work,)) as pool:
                assert not any(pool.imap_unordered(_picture, files, chunksize=16))
                pool.close()
                pool.join()
            return
        if side == "pool":
            with spawn.Pool(workers) as pool:
                assert all(pool.imap_unordered(_video, files, chunksize=1))
                pool.close()
                pool.join()
            return
        import ray
        from cuesta.ray.__main__ import join_cluster

        join_cluster(None, workers)
        if side in BY_HAND:
            import pyarrow as pa
            import ray.data

            tables = [pa.table({"path": files[i : i + BATCH]}) for i in range(0, len(files), BATCH)]
            done = ray.data.from_arrow(tables).map_batches(
                BY_HAND[side],
                fn_kwargs={"output": output},
                batch_size=BATCH,
                compute=ray.data.TaskPoolStrategy(workers),
            )
            assert sum(len(batch["path"]) for batch in done.iter_batches()) == count
            assert len(list(pathlib.Path(output).iterdir())) == count
            ray.shutdown()
            return
        if kind == "pictures":
            summary = cuesta.ray.edges(files, output=output, overwrite=True, workers=workers)
        else:
            summary = cuesta.ray.detect(
                files, output=output, rows="objects", part_frames=VIDEOS[kind][2]
            )
        assert (
            isinstance(summary, cuesta.ray.Summary) and summary.done == count and not summary.errors
        )
        ray.shutdown()


def compare(
    account: Account,
    kind: str,
    workers: int,
    folder: pathlib.Path,
    short: int,
    long: int,
    units: int,
    pairs: int,
) -> Any:
    """CPU and wall milliseconds a unit: a picture, a frame."""
    sides = ["pool", "ray", *(BY_HAND if kind == "pictures" else ())]
    if importlib.util.find_spec("kornia") is None:
        sides = [side for side in sides if side != "kornia"]
    figures: dict[str, list[tuple[float, float]]] = {side: [] for side in sides}
    load = others()
    for pair in range(pairs):
        for side in sides if pair % 2 == 0 else sides[::-1]:
            ends = []
            counts = FEWER_PICTURES.get(side, (short, long))
            for count in counts:
                words = [
                    sys.executable,
                    __file__,
                    "--one",
                    kind,
                    side,
                    str(workers),
                    str(count),
                    str(folder),
                ]
                ends.append(account.run(words))
            more = (counts[1] - counts[0]) * units
            (cpu, wall), (cpu_more, wall_more) = ends
            figures[side].append((1000 * (cpu_more - cpu) / more, 1000 * (wall_more - wall) / more))
            print(kind, side, workers, figures[side][-1], os.getloadavg()[0], flush=True)
    row: dict[str, Any] = {
        "of": kind,
        "workers": workers,
        "load": load,
        "pairs": pairs,
        "short": short * units,
        "long": long * units,
    }
    row["fewer"] = {side: FEWER_PICTURES[side] for side in sides if side in FEWER_PICTURES}
    for side, values in figures.items():
        row[f"{side}_cpu_ms"] = round(statistics.median(cpu for cpu, _ in values), 3)
        row[f"{side}_wall_ms"] = round(statistics.median(wall for _, wall in values), 3)
        row[f"{side}_cpu_ms_each"] = [round(cpu, 2) for cpu, _ in values]
    ratios = [ray[0] / pool[0] for ray, pool in zip(figures["ray"], figures["pool"])]
    row["overhead_percent"] = round(100 * (statistics.median(ratios) - 1), 1)
    return row


def cpu_of(work: Any, least: float = 1.0) -> float:
    """CPU milliseconds of this process a call."""
    work()
    calls, begun = 0, time.process_time()
    while time.process_time() - begun < least:
        work()
        calls += 1
    return round(1000 * (time.process_time() - begun) / calls, 3)


def rates(pictures: pathlib.Path, videos: pathlib.Path) -> dict[str, Any]:
    """CPU milliseconds a Mpixel picture or frame of what jobs are made of, one thread."""
    file = sorted(pictures.iterdir())[0]
    picture = cuesta.imread(file, gray=True)
    edges = cuesta.canny(picture)
    video = sorted(videos.iterdir())[0]
    made: dict[str, Any] = {
        "pixels": SIDE * SIDE,
        "picture_bytes": file.stat().st_size,
        "read_png": cpu_of(lambda: cuesta.imread(file, gray=True)),
        "canny": cpu_of(lambda: cuesta.canny(picture, threads=1)),
    }
    with tempfile.TemporaryDirectory() as folder:
        to = pathlib.Path(folder, "a.png")
        made["write_png"] = cpu_of(lambda: cuesta.imwrite(to, edges))
        made["edges_bytes"] = to.stat().st_size
        jpeg = pathlib.Path(folder, "a.jpg")
        cuesta.imwrite(jpeg, picture)
        made["read_jpeg"] = cpu_of(lambda: cuesta.imread(jpeg, gray=True))
        made["jpeg_bytes"] = jpeg.stat().st_size
    count = len(list(cuesta.read_video(video, threads=1)))
    made["frames"] = count
    made["video_bytes_a_frame"] = round(video.stat().st_size / count)
    made["decode"] = round(
        cpu_of(lambda: [None for _ in cuesta.read_video(video, threads=1)]) / count, 3
    )
    frames = [frame.image for frame in cuesta.read_video(video)]
    for background in ("samples", "first"):
        detector = cuesta.MotionDetector(background)
        for frame in frames[:60]:
            detector.push(frame, threads=1)

        def push(detector: cuesta.MotionDetector = detector) -> None:
            for frame in frames[60:100]:
                detector.push(frame, threads=1)

        made[f"detect_{background}"] = round(cpu_of(push) / 40, 3)
        made[f"state_bytes_{background}"] = len(detector.save())
        made[f"hand_over_{background}"] = cpu_of(
            lambda detector=detector: detector.load(detector.save())
        )
    made["video_parts"] = round(cpu_of(lambda: cuesta.video_parts(video)) / count, 4)
    return made


def steps(videos: pathlib.Path, turns: int = 8) -> dict[str, Any]:
    """CPU milliseconds of a worker of `cuesta.ray.detect`, one thread: a frame of a video that is looked at by `cuesta.detect`,
    by one task to its end, and by a task a part, in turns; and a call of what such a task does beside looking."""
    import ray
    from cuesta.ray import _parts as of
    from cuesta.ray.__main__ import join_cluster

    join_cluster(None, 1)
    _, frames, part_frames = VIDEOS["frames"]
    file = str(sorted(videos.iterdir())[0])
    watch = of.Watch({}, {}, part_frames=part_frames)
    parts = of.parts_of(watch, file)
    assert isinstance(parts, list) and len(parts) > 2

    def one_task() -> None:
        assert of.parts_of(watch, file) == parts
        for given in of.look_at(watch, file, parts, [], len(parts) - 1):
            ray.put(given)

    def task_a_part() -> None:
        assert of.parts_of(watch, file) == parts
        before: list[Any] = []
        for k, part in enumerate(parts):
            state, found = of.look_at(watch, file, [part], before, k + 1 < len(parts))
            assert isinstance(found, of.Found) and len(found.numbers) == part.frames
            before = [ray.put(state)]

    sides = {"detect": lambda: _video(file), "one_task": one_task, "task_a_part": task_a_part}
    taken: dict[str, list[float]] = {side: [] for side in sides}
    for turn in range(turns):
        for side in list(sides) if turn % 2 == 0 else list(sides)[::-1]:
            begun = time.process_time()
            sides[side]()
            taken[side].append(1000 * (time.process_time() - begun) / frames)
    made: dict[str, Any] = {
        "frames": frames,
        "parts": len(parts),
        "turns": turns,
        "others": others(),
    }
    for side, values in taken.items():
        made[side] = round(statistics.median(values), 3)
        made[f"{side}_each"] = [round(value, 2) for value in values]
        ratios = [value / detect for value, detect in zip(values, taken["detect"])]
        if side != "detect":
            made[f"{side}_more_percent"] = round(100 * (statistics.median(ratios) - 1), 1)

    def open_video() -> None:
        with cuesta.read_video(file, threads=1) as reader:
            assert reader.size == (SIDE, SIDE)

    detector = cuesta.MotionDetector()
    for frame in cuesta.read_video(file, part=parts[0]):
        detector.push(frame.image, threads=1)
    state = detector.save()
    made["open_video"] = cpu_of(open_video)
    made["cut"] = cpu_of(lambda: of.parts_of(watch, file))
    made["save"] = cpu_of(detector.save)
    made["load"] = cpu_of(lambda: detector.load(state))
    made["put_bytes"] = cpu_of(lambda: ray.put(state))
    made["put_array"] = cpu_of(lambda: ray.put(np.frombuffer(state, np.uint8)))
    ray.shutdown()
    return made


def store(pictures: pathlib.Path) -> dict[str, Any]:
    """An object store on the loopback (moto): CPU milliseconds of the client a picture, put and got."""
    from moto.server import ThreadedMotoServer
    from pyarrow import fs

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    _, port = server.get_host_and_port()
    there = fs.S3FileSystem(
        access_key="test", secret_key="test", region="us-east-1", scheme="http",
        endpoint_override=f"127.0.0.1:{port}", allow_bucket_creation=True,
    )  # fmt: skip
    there.create_dir("bucket")
    data = sorted(pictures.iterdir())[0].read_bytes()

    def put() -> None:
        with there.open_output_stream("bucket/a.png") as stream:
            stream.write(data)

    def get() -> None:
        with there.open_input_file("bucket/a.png") as stream:
            assert len(stream.read()) == len(data)

    # The server is a thread of this process: what both ends take together.
    made = {"bytes": len(data), "put_both_ends": cpu_of(put), "get_both_ends": cpu_of(get)}
    server.stop()
    return made


# Batches that each of the most workers has in a short job and in a long one, so that all are at work in both; rounds. By --quick.
GPU_BATCHES: dict[bool, tuple[tuple[int, int], int]] = {False: ((2, 10), 3), True: ((2, 6), 1)}
GPU_KINDS = ("files", "arrays")


class Counted:
    """Ray's rows of arrays as a job hands them on: how many, and a sum that tells other results."""

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        assert not any(batch["error"].tolist())
        sums = [int(np.count_nonzero(image)) for image in batch["image"]]
        return {"count": np.array([len(sums)]), "edges": np.array([sum(sums)])}


def arrays(count: int) -> Any:
    """Rows of 1 Mpixel, 16 different ones, in blocks of the job's batches."""
    import ray.data
    from cuesta.ray._pictures import BATCH

    def rows(batch: dict[str, Any]) -> dict[str, Any]:
        made = [
            np.random.default_rng(int(k) % 16).integers(0, 256, (SIDE // 8, SIDE // 8), np.uint8)
            for k in batch["id"]
        ]
        return {"image": np.stack([np.kron(one, np.ones((8, 8), np.uint8)) for one in made])}

    blocks = max(1, count // BATCH)
    return (
        ray.data.range(count, override_num_blocks=blocks)
        .map_batches(rows, batch_size=BATCH)
        .materialize()
    )


def on_gpus(folder: pathlib.Path, quick: bool, only: list[str]) -> dict[str, Any]:
    """Pictures a second: all cores alone, and with 1 GPU and 2, two, four and eight actors on each."""
    import ray
    from cuesta.ray.__main__ import join_cluster

    gpus = cuesta.devices()
    if not gpus:
        raise SystemExit(
            "--gpus: cuesta.devices() is empty: this build of cuesta has no CUDA part, or there is no GPU"
        )
    kinds = [kind for kind in GPU_KINDS if kind in only] or GPU_KINDS
    join_cluster(None, None)
    there = ray.cluster_resources()
    cpus, seen = int(there.get("CPU", 1)), int(there.get("GPU", 0))
    if not seen:
        raise SystemExit("--gpus: Ray sees no GPU on this machine")
    batches, rounds = GPU_BATCHES[quick]
    ends = [BATCH * cpus * n for n in batches]
    if "files" in kinds:
        make_pictures(folder, ends[1])
    files = [str(file) for file in sorted(folder.iterdir())]
    shares = (0.25,) if quick else (0.5, 0.25, 0.125)
    # GPUs and a GPU's part of an actor; workers make it one GPU of two.
    sides: list[tuple[int, float, int]] = [(0, 0.0, cpus)]
    for used in sorted({1, min(2, seen)}):
        sides += [
            (used, share, workers) for share in shares if (workers := used * int(1 / share)) <= cpus
        ]
    made: list[dict[str, Any]] = []
    wanted: dict[tuple[str, int], Any] = {}
    data = {count: arrays(count) for count in ends if "arrays" in kinds}

    def job(kind: str, count: int, share: float, workers: int) -> tuple[float, Any]:
        """Seconds, and what was made."""
        how: dict[str, Any] = {"num_gpus": share, "workers": workers}
        begun = time.monotonic()
        if kind == "arrays":
            made = (
                cuesta.ray.edges(data[count], **how)
                .map_batches(Counted, batch_size=None, concurrency=1, num_cpus=0)
                .take_all()
            )
            return time.monotonic() - begun, [
                sum(int(one[key]) for one in made) for key in ("count", "edges")
            ]
        with tempfile.TemporaryDirectory(dir=folder.parent) as output:
            summary = cuesta.ray.edges(files[:count], output=output, overwrite=True, **how)
            seconds = time.monotonic() - begun
            assert isinstance(summary, cuesta.ray.Summary) and (summary.done, summary.errors) == (
                count,
                [],
            )
            return seconds, [
                hashlib.sha256(one.read_bytes()).hexdigest()
                for one in sorted(pathlib.Path(output).glob("*.png"))
            ]

    for kind in kinds:
        for used, share, workers in sides:
            taken: dict[int, list[float]] = {count: [] for count in ends}
            for _ in range(rounds):
                for count in ends:
                    seconds, result = job(kind, count, share, workers)
                    taken[count].append(round(seconds, 2))
                    same = wanted.setdefault((kind, count), result) == result
                    assert same, f"{kind}: {used} GPUs, {workers} workers: not what the CPU makes"
            short, long = (statistics.median(taken[count]) for count in ends)
            rate = (
                round((ends[1] - ends[0]) / (long - short), 1) if long > short else None
            )  # None: lost in the beginning
            row = {
                "of": kind,
                "pictures": ends,
                "gpus": used,
                "num_gpus": share,
                "workers": workers,
            }
            made.append(row | {"seconds": list(taken.values()), "a_second": rate})
            print(
                f"{kind:7}{used:2} GPUs  num_gpus {share:<6}{workers:3} workers {rate!s:>9} pictures/s",
                flush=True,
            )
    ray.shutdown()
    return {
        "pixels": SIDE * SIDE,
        "cpus": cpus,
        "cards": [gpu.name for gpu in gpus],
        "rounds": rounds,
        "rows": made,
    }


def save(file: pathlib.Path | None, result: dict[str, Any]) -> dict[str, Any]:
    """Into the file, where earlier parts stay that are not measured again; the last part's date and commit are the file's."""
    before = json.loads(file.read_text(encoding="utf-8")) if file and file.exists() else {}
    key = operator.itemgetter("of", "workers")
    new = result.get("beside_a_pool", [])
    kept = [row for row in before.get("beside_a_pool", []) if key(row) not in map(key, new)]
    result = before | result | {"beside_a_pool": kept + new}
    if file:
        file.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return result


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument(
        "--only", nargs="+", default=["pictures", "frames", "long", "rates", "store"]
    )
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--gpus", action="store_true", help="pictures on GPUs, and nothing else")
    parser.add_argument(
        "--quick", action="store_true", help="with --gpus: fewer pictures, one round"
    )
    parser.add_argument("--one", nargs=5, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        kind, side, workers, count, folder = arguments.one
        return one(kind, side, int(workers), int(count), folder)
    model = next(
        (
            line.split(":")[1].strip()
            for line in open("/proc/cpuinfo")
            if line.startswith("model name")
        ),
        "",
    )
    result: dict[str, Any] = {
        **measured(),
        "machine": {"cpu": model, "cores": os.cpu_count(), "load_before": others()},
        "versions": {
            "python": platform.python_version(),
            **{name: version for name in VERSIONS if (version := version_of(name))},
        },
    }
    if arguments.gpus:
        with tempfile.TemporaryDirectory(
            dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        ) as scratch:
            folder = pathlib.Path(scratch, "pictures")
            folder.mkdir()
            result["gpus"] = on_gpus(folder, arguments.quick, arguments.only)
        if arguments.json:
            arguments.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        return
    with tempfile.TemporaryDirectory() as scratch:
        folders = {kind: pathlib.Path(scratch, kind) for kind in ("pictures", *VIDEOS)}
        for folder in folders.values():
            folder.mkdir()
        make_pictures(folders["pictures"], PICTURES[1])
        for kind, ((_, count), frames, _) in VIDEOS.items():
            if kind in arguments.only or kind == "frames":
                make_videos(folders[kind], count, frames)
        account = Account()
        if "rates" in arguments.only:
            result["rates_cpu_ms"] = rates(folders["pictures"], folders["frames"])
        if "steps" in arguments.only:
            result["steps_cpu_ms"] = steps(folders["frames"])
        if "store" in arguments.only:
            result["store_cpu_ms"] = store(folders["pictures"])
        save(arguments.json, result)
        for kind, counts, units in (
            ("pictures", PICTURES, 1),
            *((kind, counts, frames) for kind, (counts, frames, _) in VIDEOS.items()),
        ):
            for workers in arguments.workers if kind in arguments.only else ():
                row = compare(
                    account, kind, workers, folders[kind], *counts, units, arguments.pairs
                )
                result["beside_a_pool"] = [row]
                result = save(arguments.json, result)
        account.close()
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()

"""What the tests with Ray share: clusters of several nodes on this machine, and faults in them."""

from __future__ import annotations

import contextlib
import logging
import os
import pathlib
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import ray
import ray.data
from ray.cluster_utils import Cluster

import cuesta


def parent_of(pid: int) -> int:
    try:
        return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except (OSError, IndexError, ValueError):
        return 0


class Machines:
    """A Ray cluster of `nodes` nodes of `cpus` CPUs each, processes of this machine."""

    def __init__(self, nodes: int, cpus: int, memory: int = 100 << 20) -> None:
        # No CPU on the head: every other node may die, which is noticed in seconds.
        soon = {
            "health_check_initial_delay_ms": 1000,
            "health_check_period_ms": 1000,
            "health_check_failure_threshold": 3,
        }
        head = {"num_cpus": 0, "object_store_memory": memory, "_system_config": soon}
        self.cluster = Cluster(initialize_head=True, head_node_args=head)
        self.nodes = [
            self.cluster.add_node(num_cpus=cpus, object_store_memory=memory) for _ in range(nodes)
        ]
        ray.init(address=self.cluster.address, log_to_driver=False, logging_level=logging.ERROR)
        self.cluster.wait_for_nodes()
        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = False
        logging.getLogger("ray.data").setLevel(logging.ERROR)

    def close(self) -> None:
        ray.shutdown()
        self.cluster.shutdown()

    def workers(self, of: str, newest: bool = False) -> list[int]:
        """Processes of this cluster's nodes, or of the newest alone, that run what is called `of` now."""
        found = []
        nodes = self.nodes[-1:] if newest else self.nodes
        raylets = {
            node.all_processes["raylet"][0].process.pid
            for node in nodes
            if "raylet" in node.all_processes
        }
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                title = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if (
                title.startswith(b"ray::")
                and of.encode() in title
                and parent_of(int(folder.name)) in raylets
            ):
                found.append(int(folder.name))
        return found

    def kill_worker(self, of: str) -> bool:
        """SIGKILL to one of them."""
        for pid in self.workers(of):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                return True
        return False

    def kill_node(self) -> None:
        """The newest node goes at once, with all that is on it."""
        self.cluster.remove_node(self.nodes.pop(), allow_graceful=False)

    def add_node(self, cpus: int, memory: int = 100 << 20) -> None:
        """Another in its place."""
        self.nodes.append(self.cluster.add_node(num_cpus=cpus, object_store_memory=memory))
        self.cluster.wait_for_nodes()


@contextlib.contextmanager
def store_on_the_loopback() -> Iterator[Any]:
    """An object store (moto's S3) of this process, as a file system of pyarrow's; it has a bucket `bucket`."""
    from moto.server import ThreadedMotoServer
    from pyarrow import fs

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        _, port = server.get_host_and_port()
        store = fs.S3FileSystem(
            access_key="test", secret_key="test", region="us-east-1", scheme="http", endpoint_override=f"127.0.0.1:{port}",
            allow_bucket_creation=True,
        )  # fmt: skip
        store.create_dir("bucket")
        yield store
    finally:
        server.stop()


def rows_of(made: Any) -> list[dict[str, Any]]:
    """Of a job without an output."""
    rows: list[dict[str, Any]] = made.take_all()
    return rows


@contextlib.contextmanager
def meanwhile(act: Callable[[], bool], times: int = 1, every: float = 0.2) -> Iterator[list[float]]:
    """Tries `act` until it did something, this many times; gives when it did."""
    done: list[float] = []
    ended = threading.Event()

    def run() -> None:
        while len(done) < times and not ended.wait(every):
            if act():
                done.append(time.monotonic())

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield done
    finally:
        ended.set()
        thread.join()


def pictures(
    folder: pathlib.Path, count: int, shape: tuple[int, ...] = (90, 120)
) -> list[pathlib.Path]:
    """PNG files of blocks and noise, in folders below."""
    rng = np.random.default_rng(5)
    files = []
    for k in range(count):
        y, x = np.mgrid[: shape[0], : shape[1]]
        blocks = 90 * ((x // (9 + k % 5) + y // 11) % 2) + 60
        noisy = blocks.reshape(*blocks.shape, *(1 for _ in shape[2:])) + rng.integers(
            -20, 21, shape
        )
        file = folder / f"{k % 3}" / f"{k:03}.png"
        file.parent.mkdir(parents=True, exist_ok=True)
        cuesta.imwrite(file, np.clip(noisy, 0, 255).astype(np.uint8))
        files.append(file)
    return files


def pictures_and_a_bad_one(folder: pathlib.Path, count: int) -> None:
    """`pictures`, and 1/bad.png, which is none."""
    pictures(folder, count)
    (folder / "1" / "bad.png").write_bytes(b"no picture at all")


def everything(folder: pathlib.Path) -> dict[str, bytes]:
    """Files of a folder by their names, and what they hold."""
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def street(count: int, seed: int = 1, size: tuple[int, int] = (96, 128)) -> npt.NDArray[np.uint8]:
    """Frames in which squares come, cross each other and go, on grain."""
    rng = np.random.default_rng(seed)
    height, width = size
    still = rng.integers(60, 110, size)
    frames = np.empty((count, height, width), np.uint8)
    for k in range(count):
        frame = still + rng.integers(-4, 5, size)
        for number in range(3):
            begins, speed = 30 + 37 * number + 11 * seed, 2 + number
            x, y = (k - begins) % 80 * speed, 12 + 26 * number
            if k >= begins and x < width - 16:
                frame[y : y + 16, x : x + 14] = 200 + 15 * number
        frames[k] = np.clip(frame, 0, 255)
    return frames


def rows_of_one_process(file: Any, name: str, rows: str, **options: Any) -> list[dict[str, Any]]:
    """What cuesta.detect finds, as rows of cuesta.ray.detect, made without its code."""
    made: list[dict[str, Any]] = []
    box = ("x", "y", "width", "height")

    def event_row(event: cuesta.Event) -> dict[str, Any]:
        row: dict[str, Any] = {"name": name, "error": ""}
        for key in (
            "id",
            "first_frame",
            "last_frame",
            "start",
            "end",
            "max_at_once",
            "best_frame",
            "best_id",
        ):
            row[key] = getattr(event, key)
        row["clip_start"], row["clip_end"] = event.clip
        row["best_box"] = dict(zip(box, event.best_box))
        row["objects"] = []
        for one in event.objects:
            part = one._asdict()
            part["zones"], part["largest_box"] = list(one.zones), dict(zip(box, one.largest_box))
            row["objects"].append(part)
        row["crossings"] = [one._asdict() for one in event.crossings]
        row["visits"] = [one._asdict() for one in event.visits]
        return row

    video = cuesta.detect(file, **options)
    for frame in video:
        if rows == "events":
            made += [event_row(event) for event in frame.ended]
            continue
        for one in frame.objects:
            made.append(
                {
                    "name": name,
                    "error": "",
                    "frame": frame.number,
                    "time": frame.time,
                    "event": frame.event,
                    "id": one.id,
                    "box": dict(zip(box, one.box)),
                    "area": one.area,
                    "centroid_x": one.centroid[0],
                    "centroid_y": one.centroid[1],
                    "zones": list(one.zones),
                    "velocity_x": one.velocity[0],
                    "velocity_y": one.velocity[1],
                    "moved": one.moved,
                }
            )
    return made + ([event_row(event) for event in video.finish()] if rows == "events" else [])

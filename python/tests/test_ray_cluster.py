"""cuesta.ray on clusters of several nodes, at length: scripts/check-ray runs it."""

from __future__ import annotations

import json
import os
import pathlib
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import cuesta

if not os.environ.get("CUESTA_RAY_CLUSTER"):
    pytest.skip("the long tests of cuesta.ray: scripts/check-ray", allow_module_level=True)

import ray  # noqa: E402
import ray.data  # noqa: E402
import ray_layout as layout  # noqa: E402
import ray_support as support  # noqa: E402
from pyarrow import fs  # noqa: E402
from test_ray import OPTIONS, without_extra  # noqa: E402
from test_video_parts import coded  # noqa: E402

import cuesta.ray  # noqa: E402
from cuesta.ray import videos  # noqa: E402

pytestmark = pytest.mark.timeout(600)
ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers cannot import it


@pytest.fixture
def machines() -> Iterator[support.Machines]:
    made = support.Machines(nodes=3, cpus=2)
    yield made
    made.close()


def edges_of_one_process(folder: pathlib.Path) -> dict[str, Any]:
    return {
        str(file.relative_to(folder)): cuesta.canny(cuesta.imread(file, gray=True)) for file in sorted(folder.rglob("*.png"))
    }


def test_results_do_not_depend_on_the_number_of_workers(machines: support.Machines, tmp_path: pathlib.Path) -> None:
    support.pictures(tmp_path / "in", 50, (120, 90, 3))
    expected = edges_of_one_process(tmp_path / "in")
    outputs = []
    for workers in (1, 2, 4):
        cuesta.ray.edges(tmp_path / "in", output=tmp_path / f"{workers}", workers=workers)
        outputs.append(support.everything(tmp_path / f"{workers}"))
    assert outputs[0] == outputs[1] == outputs[2]
    assert len(outputs[0]) == 51
    for name, image in expected.items():
        np.testing.assert_array_equal(cuesta.imread(tmp_path / "4" / f"{name}.png"), image)


@pytest.mark.parametrize("rows", ["events", "objects"])
@pytest.mark.parametrize("background", ["samples", "mixture", "first"])
def test_videos_do_not_depend_on_parts_and_places(
    machines: support.Machines, tmp_path: pathlib.Path, background: str, rows: str
) -> None:
    file = coded(tmp_path, support.street(300), "mp4", "libx264 -g 15 -bf 2 -crf 12")
    options = {**OPTIONS, "background": background}
    if background == "first":
        options |= {"blur": 3, "threshold": 40, "warm_up": 20}
    expected = support.rows_of_one_process(file, file.name, rows, **options)
    assert len(expected) > 2 and (rows == "objects" or any(row["crossings"] for row in expected))
    for part_frames, at_once in ((15, 1), (40, 1), (100, 4), (1000, None)):
        found = cuesta.ray.detect(file, part_frames=part_frames, at_once=at_once, rows=rows, **options)
        assert found.take_all() == expected, (part_frames, at_once)


def test_a_damaged_video_is_what_one_process_finds(machines: support.Machines, tmp_path: pathlib.Path) -> None:
    file = coded(tmp_path, support.street(200), "mkv", "mpeg4 -g 12")
    good = file.read_bytes()
    # From the first byte of a packet in the middle on, so that its part cannot be decoded.
    file.write_bytes(good[: len(good) // 2])
    with pytest.raises(cuesta.InputError) as one:
        list(cuesta.detect(file, **OPTIONS))
    (row,) = cuesta.ray.detect(file, part_frames=12, **OPTIONS).take_all()
    assert row["error"] == str(one.value)


def test_a_node_that_goes_loses_and_doubles_nothing(machines: support.Machines, tmp_path: pathlib.Path) -> None:
    support.pictures(tmp_path / "in", 200, (400, 500))
    expected = edges_of_one_process(tmp_path / "in")
    gone = []

    def progress(done: int, total: int | None, errors: int) -> None:
        if done >= 48 and not gone:
            machines.kill_node()
            gone.append(done)

    summary = cuesta.ray.edges(tmp_path / "in", output=tmp_path / "out", workers=5, progress=progress)
    assert gone and gone[0] < 200 and (summary.done, summary.errors) == (200, [])
    assert sorted(without_extra(tmp_path / "out")) == sorted(f"{name}.png" for name in expected)
    for name, image in expected.items():
        np.testing.assert_array_equal(cuesta.imread(tmp_path / "out" / f"{name}.png"), image)

    folder = tmp_path / "videos"
    folder.mkdir()
    rows = {}
    for k in range(4):
        file = coded(folder, support.street(400, k, (192, 256)), f"{k}.mp4", "libx264 -g 20 -crf 12")
        rows[file.name] = support.rows_of_one_process(file, file.name, "objects", **OPTIONS)
    begun = time.monotonic()

    def kill() -> bool:
        if time.monotonic() - begun < 3 or not machines.workers("look_at"):
            return False
        machines.kill_node()
        return True

    with support.meanwhile(kill) as killed:
        summary = cuesta.ray.detect(
            folder, output=tmp_path / "rows", part_frames=20, rows="objects", format="ndjson", **OPTIONS
        )
    assert killed and summary.done == 4
    found: dict[str, list[Any]] = {}
    for part in sorted((tmp_path / "rows").glob("part-*")):
        for line in part.read_text().splitlines():
            row = json.loads(line)
            found.setdefault(row["name"], []).append(row)
    assert found == rows


def test_an_object_store(machines: support.Machines, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        _, port = server.get_host_and_port()
        store = fs.S3FileSystem(
            access_key="test", secret_key="test", region="us-east-1", scheme="http", endpoint_override=f"127.0.0.1:{port}",
            allow_bucket_creation=True,
        )  # fmt: skip
        store.create_dir("bucket/in", recursive=True)
        files = support.pictures(tmp_path / "in", 40)
        for file in [*files, coded(tmp_path, support.street(120), "mp4", "libx264 -g 20 -crf 12")]:
            name = file.relative_to(tmp_path)
            with store.open_output_stream(f"bucket/{name}") as stream:
                stream.write(file.read_bytes())
        with store.open_output_stream("bucket/in/1/bad.png") as stream:
            stream.write(b"no picture")
        told: list[int] = []

        def progress(done: int, total: int | None, errors: int) -> None:
            if not told:
                machines.kill_worker("Worker")
            told.append(done)

        summary = cuesta.ray.edges("bucket/in", output="bucket/edges", filesystem=store, workers=2, progress=progress)
        assert summary.done == 40
        assert summary.errors[0][0] == "1/bad.png" and "bucket/in/1/bad.png" in summary.errors[0][1]
        listed = store.get_file_info(fs.FileSelector("bucket/edges", recursive=True))
        there = {info.path for info in listed if info.type == fs.FileType.File}
        expected = edges_of_one_process(tmp_path / "in")
        assert there == {f"bucket/edges/{name}.png" for name in expected} | {
            "bucket/edges/_SUCCESS", "bucket/edges/_errors.ndjson",
        }  # fmt: skip
        for name, image in expected.items():
            with store.open_input_file(f"bucket/edges/{name}.png") as stream:
                (tmp_path / "read.png").write_bytes(stream.read())
            np.testing.assert_array_equal(cuesta.imread(tmp_path / "read.png"), image)

        found = cuesta.ray.detect("bucket/street.mp4", filesystem=store, part_frames=20, output="bucket/rows", **OPTIONS)
        assert (found.done, found.errors) == (1, [])
        import pyarrow.dataset

        table = pyarrow.dataset.dataset("bucket/rows", filesystem=store, format="parquet").to_table()
        video = tmp_path / "street.mp4"
        assert table.to_pylist() == support.rows_of_one_process(video, "street.mp4", "events", **OPTIONS)
        assert len(table) > 0
        with pytest.raises(cuesta.OutputError, match="a whole result is there"):
            cuesta.ray.edges("bucket/in", output="bucket/edges", filesystem=store)
    finally:
        server.stop()


def test_memory_stays_bounded(tmp_path: pathlib.Path) -> None:
    """600 MB of pictures go by a store of objects of 3 x 80 MB while the one who takes them is slow, and nothing spills."""
    machines = support.Machines(nodes=2, cpus=1, memory=80 << 20)
    try:
        rows = [{"name": str(k), "number": k} for k in range(300)]

        def picture_of(row: dict[str, Any]) -> dict[str, Any]:
            return {**row, "image": np.full((1000, 2000), row["number"] % 251, np.uint8)}

        data = ray.data.from_items(rows, override_num_blocks=100).map(picture_of)
        made = cuesta.ray.filter(data, "box", n=3, workers=1)
        seen = 0
        for batch in made.iter_batches(batch_size=4, batch_format="numpy", prefetch_batches=1):
            seen += len(batch["name"])
            time.sleep(0.01)
        assert seen == 300
        spilled = ray._private.internal_api.memory_summary(stats_only=True)
        assert "Spilled" not in spilled, spilled
    finally:
        machines.close()


def nap() -> None:
    time.sleep(1)


def part_that_sleeps(watch: Any, video: str, part: Any, before: list[Any], saves: bool) -> tuple[Any, bytes]:
    """In place of `look_at`: as long as the part's packets say, whatever the machine is busy with."""
    if before and videos.taken(before) is None:
        return videos.Lost(), b""
    time.sleep(part.packet / 1000)
    folder = pathlib.Path(watch.filesystem)
    (folder / f"{video}-{part.first}-{time.monotonic_ns()}").touch()
    numbers = np.arange(part.first, part.first + part.frames)
    return videos.Found(numbers, numbers / 25, np.zeros(0, videos._FOUND)), b"x" * 200_000 if saves else b""


@pytest.mark.parametrize("dies_at", [None, 2.0])
def test_the_simulated_layout_is_the_real_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path, dies_at: float | None
) -> None:
    """Six videos of five parts of 0.8 s on 2 nodes of 2 CPUs, of which one goes."""
    monkeypatch.setattr(videos, "look_at", part_that_sleeps)
    monkeypatch.setattr(
        videos,
        "plan_of",
        lambda watch, video: videos.Plan((64, 48), [cuesta.VideoPart(10 * k, 10, k, k + 1, 0, 800) for k in range(5)]),
    )
    machines = support.Machines(nodes=2, cpus=2)
    try:
        watch = videos.Watch({"background": "samples"}, {}, filesystem=str(tmp_path))
        # Workers are begun first: that is not of the layout.
        ray.get([ray.remote(num_cpus=1)(nap).remote() for _ in range(4)])
        begun = time.monotonic()

        def kill() -> bool:
            if dies_at is None or time.monotonic() - begun < dies_at:
                return False
            machines.kill_node()
            return True

        with support.meanwhile(kill, every=0.05):
            videos._run(watch, [f"v{k}" for k in range(6)], "", 1, 4, None)
        makespan = time.monotonic() - begun
    finally:
        machines.close()
    runs = len(list(tmp_path.iterdir()))
    faults = [] if dies_at is None else [layout.Fault(dies_at, 1)]
    simulated = layout.Layout([[0.8] * 5] * 6, nodes=2, workers=2, faults=faults, notice=5).run()
    print(f"real {makespan:.1f} s, {runs} parts; simulated {simulated.makespan:.1f} s, {simulated.runs} parts")
    assert runs >= 30 and abs(runs - simulated.runs) <= (0 if dies_at is None else 8)
    # Never faster; slower by what a task costs Ray on a machine that is busy.
    assert 0.95 * simulated.makespan <= makespan <= 3 * simulated.makespan + 5


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



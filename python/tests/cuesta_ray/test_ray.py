"""cuesta.ray on a cluster of two nodes: equal to one process, with bad files, killed workers and nodes, and on an object
store. One cluster serves all; test_ray_cluster.py has what takes longer."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import json
import os
import pathlib
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from typing import Any, cast

import numpy as np
import pages
import pytest

import cuesta

ray = pytest.importorskip(
    "ray", reason="Ray is not installed: cuesta.ray is not tested (scripts/python-env)"
)
pytest.importorskip(
    "simpy", reason="simpy is not installed: cuesta.ray is not tested (scripts/python-env)"
)
import ray_layout as layout  # noqa: E402
import ray_support as support  # noqa: E402
from test_video_parts import coded  # noqa: E402

import cuesta.ray  # noqa: E402
from cuesta.ray import __main__ as command  # noqa: E402
from cuesta.ray import _bands as bands  # noqa: E402
from cuesta.ray import _parts as parts_of_videos  # noqa: E402
from cuesta.ray import _places as places  # noqa: E402
from cuesta.ray import _resources as resources  # noqa: E402
from cuesta.ray import _videos as videos  # noqa: E402

ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers cannot import it


def part_that_sleeps(
    watch: Any, video: str, parts: Any, before: list[Any], saves: int
) -> Iterator[Any]:
    """In place of `look_at`: as long as each part's packets say, whatever the machine is busy with."""
    if before and parts_of_videos.taken(before) is None:
        yield from (parts_of_videos._NOTHING, parts_of_videos.Lost())
        return
    for i, part in enumerate(parts):
        with (pathlib.Path(watch.filesystem) / "begun").open("a") as file:
            file.write(f"{video} {part.first}\n")
        time.sleep(part.packet / 1000)
        numbers = np.arange(part.first, part.first + part.frames)
        yield np.ones(200_000, np.uint8) if i < saves else parts_of_videos._NOTHING
        yield parts_of_videos.Found(
            (64, 48), numbers, numbers / 25, np.zeros(0, parts_of_videos._FOUND)
        )


def part_that_ends_its_worker(
    watch: Any, video: str, parts: Any, before: list[Any], saves: int
) -> Iterator[Any]:
    os.kill(os.getpid(), signal.SIGKILL)
    yield


def look_that_is_killed(deaths: pathlib.Path) -> Any:
    """In place of `look_at`: a worker that has given the state after its third part, and not the foreground in it, takes a file of
    this folder, while there is one, decodes ten frames, and is killed."""

    def look_at(watch: Any, video: str, parts: Any, before: list[Any], saves: int) -> Iterator[Any]:
        for k, given in enumerate(parts_of_videos.look_at(watch, video, parts, before, saves)):
            yield given
            for death in deaths.iterdir() if video.endswith("mp4") and k == 4 else ():
                with contextlib.suppress(FileNotFoundError):
                    death.unlink()  # of two workers one can
                    assert (
                        len(list(itertools.islice(cuesta.read_video(video, part=parts[3]), 10)))
                        == 10
                    )
                    os.kill(os.getpid(), signal.SIGKILL)

    return look_at


def look_that_takes_a_while(
    watch: Any, video: str, parts: Any, before: list[Any], saves: int
) -> Iterator[Any]:
    """In place of `look_at`: long enough to be met on the way."""
    for given in parts_of_videos.look_at(watch, video, parts, before, saves):
        time.sleep(0.08)
        yield given


def band_that_takes_a_while(work: Any, step: str, first: int, end: int, *more: Any) -> Any:
    """In place of `do_band`: long enough to be met on the way, but for the histogram."""
    time.sleep(0.15 if step != "count" else 0)
    return bands.do_band(work, step, first, end, *more)


def layout_on(
    machines: support.Machines,
    monkeypatch: pytest.MonkeyPatch,
    folder: pathlib.Path,
    dies: bool,
    ms: int = 300,
) -> tuple[float, float, list[tuple[str, int]]]:
    """Six videos of five parts that sleep: seconds in all, and until a node died; the parts that were begun."""
    monkeypatch.setattr(videos, "look_at", part_that_sleeps)
    monkeypatch.setattr(
        videos,
        "parts_of",
        lambda watch, video: [cuesta.VideoPart(10 * k, 10, k, k + 1, 0, ms) for k in range(5)],
    )
    (folder / "begun").touch()
    begun = time.monotonic()

    def kill() -> bool:  # when every chain in flight has handed on a state
        if len((folder / "begun").read_text().splitlines()) < 14 or not machines.workers(
            "part_that", newest=True
        ):
            return False
        machines.kill_node()
        return True

    watch = parts_of_videos.Watch({"background": "samples"}, {}, filesystem=str(folder))
    if dies:
        with support.meanwhile(kill, every=0.02) as killed:
            videos._run(watch, [f"v{k}" for k in range(6)], "", 1, 4, None)
        assert killed
    else:
        killed = []
        videos._run(watch, [f"v{k}" for k in range(6)], "", 1, 4, None)
    lines = [line.split() for line in (folder / "begun").read_text().splitlines()]
    end = time.monotonic()
    return (
        end - begun,
        killed[0] - begun if killed else 0.0,
        [(video, int(first)) for video, first in lines],
    )


GATE = cuesta.CountingLine("gate", (0.5, 1.0), (0.5, 0.0))
OPTIONS: dict[str, Any] = {
    "open": "rect:3",
    "close": "rect:3",
    "min_hits": 2,
    "merge_window": 0.5,
    "lines": [GATE],
}


@pytest.fixture(scope="module")
def machines() -> Iterator[support.Machines]:
    made = support.Machines(nodes=2, cpus=2)
    yield made
    made.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    made = tmp_path_factory.mktemp("pictures")
    support.pictures_and_a_bad_one(made, 60)
    return made


@pytest.fixture(scope="module")
def expected(folder: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What one process makes of the folder."""
    to = tmp_path_factory.mktemp("expected")
    for file in sorted(folder.rglob("*.png")):
        if file.name != "bad.png":
            target = to / f"{file.relative_to(folder)}.png"
            target.parent.mkdir(exist_ok=True)
            cuesta.imwrite(target, cuesta.edges(file, sigma=1.0))
    return support.everything(to)


def without_extra(folder: pathlib.Path) -> dict[str, bytes]:
    return {
        name: data for name, data in support.everything(folder).items() if not name.startswith("_")
    }


@pytest.mark.timeout(300)
def test_edges_with_a_killed_worker_are_those_of_one_process(
    machines: support.Machines,
    folder: pathlib.Path,
    expected: dict[str, bytes],
    tmp_path: pathlib.Path,
) -> None:
    told: list[tuple[int, int | None, int]] = []

    def progress(done: int, total: int | None, errors: int) -> None:
        if not told:
            assert machines.kill_worker("Worker")
        told.append((done, total, errors))

    summary = cuesta.ray.edges(
        folder, output=tmp_path / "edges", sigma=1.0, workers=2, progress=progress
    )
    assert isinstance(summary, cuesta.ray.Summary)
    assert told[-1] == (61, 61, 1) and summary.done == 60
    ((name, reason),) = summary.errors
    assert name == "1/bad.png" and "bad.png" in reason
    assert without_extra(tmp_path / "edges") == expected
    assert json.loads((tmp_path / "edges/_SUCCESS").read_text()) == {
        "format": "png",
        "done": 60,
        "errors": 1,
        "files": [],
    }
    assert json.loads((tmp_path / "edges/_errors.ndjson").read_text())["name"] == "1/bad.png"
    with pytest.raises(cuesta.OutputError, match="it has a complete result"):
        cuesta.ray.edges(folder, output=tmp_path / "edges")


@pytest.mark.timeout(300)
def test_a_result_that_cannot_be_written_ends_the_job(
    machines: support.Machines, folder: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "edges/0/000.png.png").mkdir(parents=True)
    with pytest.raises(cuesta.OutputError, match=r"cannot write .*edges/0/000.png.png"):
        cuesta.ray.edges(folder, output=tmp_path / "edges", workers=2)
    assert not (tmp_path / "edges/_SUCCESS").exists()


@pytest.mark.timeout(300)
def test_rows_come_back_and_go_on(
    machines: support.Machines, picture: Any, tmp_path: pathlib.Path
) -> None:
    import ray.data

    color = np.stack([picture, picture // 2, 255 - picture], axis=2)
    rows = ray.data.from_items(
        [{"image": color[k:], "name": f"{k}", "number": k} for k in range(5)]
    )
    made = {row["name"]: row for row in cuesta.ray.edges(rows, "sobel", workers=1).take_all()}
    assert sorted(row["number"] for row in made.values()) == list(range(5))
    for k in range(5):
        np.testing.assert_array_equal(
            made[f"{k}"]["image"], cuesta.edges(color[k:], "sobel", layout="HWC")
        )
    cuesta.imwrite(tmp_path / "a.png", color)
    data = [{"bytes": (tmp_path / "a.png").read_bytes(), "name": "a"}, {"bytes": b"x", "name": "b"}]
    filtered = cuesta.ray.filter(
        ray.data.from_items(data), "gaussian", sigma=2.0, output=tmp_path / "rows", format="parquet"
    )
    assert isinstance(filtered, cuesta.ray.Summary) and [name for name, _ in filtered.errors] == [
        "b"
    ]
    import pyarrow.dataset

    table = {
        row["name"]: row
        for row in pyarrow.dataset.dataset(tmp_path / "rows", format="parquet")
        .to_table()
        .to_pylist()
    }
    (tmp_path / "made.png").write_bytes(table["a"]["picture"])
    np.testing.assert_array_equal(
        cuesta.imread(tmp_path / "made.png"), cuesta.gaussian(color, 2.0, layout="HWC")
    )
    assert table["b"]["picture"] is None and table["b"]["error"] and not table["a"]["error"]


@pytest.mark.timeout(300)
@pytest.mark.parametrize("background", ["samples", "first"])
def test_detect_with_killed_workers_is_that_of_one_process(
    machines: support.Machines,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: pathlib.Path,
    background: str,
) -> None:
    (tmp_path / "in").mkdir()
    deaths = tmp_path / "deaths"
    deaths.mkdir()
    options = {**OPTIONS, "background": background}
    if background == "first":  # the coder's noise is within it
        options |= {"blur": 3, "threshold": 40}
    expected = {}
    for k in range(2):
        file = coded(
            tmp_path / "in", support.street(200, k), f"{k}.mp4", "libx264 -g 20 -bf 2 -crf 12"
        )
        name = file.name
        expected[name] = support.rows_of_one_process(file, name, "objects", **options)
        assert expected[name] and expected[name][-1]["frame"] > 150
    (tmp_path / "in" / "bad.mp4").write_bytes(b"no video at all")
    mend = coded(tmp_path / "in", support.street(60), "cut.mkv", "mpeg4 -g 12")
    mend.write_bytes(mend.read_bytes()[: mend.stat().st_size * 2 // 3])
    with pytest.raises(cuesta.InputError) as of_one:
        list(cuesta.detect(mend, **options))
    for k in range(2):
        (deaths / f"{k}").touch()
    with monkeypatch.context() as patched:
        patched.setattr(videos, "look_at", look_that_is_killed(deaths))
        found = support.rows_of(
            cuesta.ray.detect(tmp_path / "in", part_frames=20, rows="objects", **options)
        )
    assert not any(deaths.iterdir())
    by_name: dict[str, list[Any]] = {}
    for row in found:
        by_name.setdefault(row["name"], []).append(row)
    for name, rows in expected.items():
        assert by_name[name] == rows
    (bad,), (cut,) = by_name.pop("bad.mp4"), by_name.pop(mend.name)
    assert "bad.mp4" in bad["error"] and cut["error"] == str(of_one.value)
    assert set(by_name) == set(expected)
    file = tmp_path / "in" / "street.0.mp4"
    events = support.rows_of_one_process(file, file.name, "events", **options)
    assert events
    for part_frames, at_once in ((1000, 1), (40, 4)):
        assert (
            support.rows_of(
                cuesta.ray.detect(file, part_frames=part_frames, at_once=at_once, **options)
            )
            == events
        )


@pytest.mark.timeout(300)
def test_a_picture_in_bands_is_that_of_one_process(
    machines: support.Machines, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    """With a worker and then a node that go in flight."""
    (color,) = support.pictures(tmp_path, 1, (700, 260, 3))
    one, made = tmp_path / "one.tif", tmp_path / "made.tif"
    expected = cuesta.edges_file(color, one, rows=90)
    told = [0]

    def progress(done: int, all: int) -> None:
        assert all == 2100  # counted, made, written
        told[0] = done

    def kill() -> bool:
        if told[0] < 800 or not killed:
            return told[0] >= 800 and machines.kill_worker("band_that_takes")
        if not machines.workers("band_that_takes", newest=True):
            return False
        machines.kill_node()
        return True

    with monkeypatch.context() as patched:
        patched.setattr(bands, "do_band", band_that_takes_a_while)
        with support.meanwhile(kill, times=2, every=0.02) as killed:
            result = cuesta.ray.edges_file(color, made, rows=50, workers=3, progress=progress)
    if len(killed) == 2:
        machines.add_node(2)
    assert len(killed) == 2
    assert made.read_bytes() == one.read_bytes()
    assert result == expected._replace(bands=14) and result.edge_pixels > 1000

    for call, whole, method, options in (
        (
            cuesta.ray.edges_file,
            cuesta.edges_file,
            "canny",
            {"low": 40, "high": 90, "tiff": "tiled"},
        ),
        (cuesta.ray.edges_file, cuesta.edges_file, "log", {"threshold": 3}),
        (cuesta.ray.filter_file, cuesta.filter_file, "gaussian", {"sigma": 2.5, "border": "wrap"}),
    ):
        call(color, made, method, rows=110, **options)
        whole(color, one, method, **options)
        assert made.read_bytes() == one.read_bytes(), method
    assert sorted(file.name for file in tmp_path.iterdir()) == ["0", "made.tif", "one.tif"]

    cut = tmp_path / "cut.png"
    cut.write_bytes(color.read_bytes()[: color.stat().st_size // 2])
    with pytest.raises(cuesta.InputError) as of_one:
        cuesta.edges_file(cut, one)
    with pytest.raises(cuesta.InputError) as of_many:
        cuesta.ray.edges_file(cut, made, rows=50)
    assert str(of_many.value) == str(of_one.value) and "cut.png" in str(of_one.value)


@pytest.mark.timeout(300)
def test_components_of_bands_are_those_of_one_process(
    machines: support.Machines, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    """With a worker that is killed in flight."""
    (color,) = support.pictures(tmp_path, 1, (700, 260, 3))
    told: list[int] = []

    def progress(done: int, all: int) -> None:
        assert all == 700
        told.append(done)

    with monkeypatch.context() as patched:
        patched.setattr(bands, "do_band", band_that_takes_a_while)
        with support.meanwhile(
            lambda: bool(told) and machines.kill_worker("band_that_takes"), every=0.02
        ) as killed:
            found = cuesta.ray.label_file(
                color, threshold=150, rows=50, workers=3, progress=progress
            )
    assert len(killed) == 1 and told == list(range(50, 701, 50))
    by_sides = cuesta.ray.label_file(color, threshold=150, memory="2MB", connectivity=4)
    for made, connectivity in ((found, 8), (by_sides, 4)):
        expected = cuesta.label_file(color, threshold=150, connectivity=connectivity)
        assert made.count == expected.count > 100 and (made.width, made.height) == (260, 700)
        for name in ("boxes", "areas", "centroids"):
            one, other = getattr(made, name), getattr(expected, name)
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)
    assert found.bands == 14

    cut = tmp_path / "cut.png"
    cut.write_bytes(color.read_bytes()[: color.stat().st_size // 2])
    with pytest.raises(cuesta.InputError) as of_one:
        cuesta.label_file(cut)
    with pytest.raises(cuesta.InputError) as of_many:
        cuesta.ray.label_file(cut, rows=50)
    assert str(of_many.value) == str(of_one.value)


@pytest.mark.timeout(300)
def test_the_command(
    machines: support.Machines, folder: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    def run(*words: object) -> subprocess.CompletedProcess[str]:
        address = ("--address", machines.cluster.address)
        return subprocess.run(
            [sys.executable, "-m", "cuesta.ray", *map(str, words), *address],
            capture_output=True,
            text=True,
            cwd=tmp_path,
        )

    done = run("edges", folder / "1", "-o", "out", "--format", "ndjson", "--sigma", "1.0")
    assert done.returncode == 3, done.stderr
    why, told = done.stderr.splitlines()
    assert why.startswith("cuesta.ray: ") and "bad.png" in why
    assert told.startswith(f"20 pictures into {tmp_path}/out in ") and told.endswith(
        ", 1 with errors"
    )
    rows = [
        json.loads(line)
        for file in (tmp_path / "out").glob("part-*.ndjson")
        for line in file.read_text().splitlines()
    ]
    assert sorted(row["name"] for row in rows) == sorted(f.name for f in (folder / "1").iterdir())
    assert run("edges", folder, "-o", "out").returncode == 4
    video = coded(tmp_path, support.street(80), "mp4", "libx264 -g 20 -crf 12")
    (tmp_path / "scene.json").write_text(
        '{"lines": [{"name": "gate", "from": [0.5, 1], "to": [0.5, 0]}]}'
    )
    words = "--format ndjson --rows objects --scene scene.json --open rect:3 --close rect:3 --min-hits 2 --part-frames 20"
    done = run("detect", video, "-o", "rows", *words.split())
    assert done.returncode == 0 and done.stderr.startswith("1 videos into"), done.stderr
    (part,) = (tmp_path / "rows").glob("part-*.ndjson")
    found = [json.loads(line) for line in part.read_text().splitlines()]
    options = {"open": "rect:3", "close": "rect:3", "min_hits": 2, "lines": [GATE]}
    assert found and found == support.rows_of_one_process(video, video.name, "objects", **options)
    polygon = '"name": "a", "polygon": [[0, 0], [1, 0], [1, 1]]'
    for key, text in (
        ("mask_privacy", '{"mask_privacy": "window.png"}'),
        ("when", '{"zones": [{%s, "when": "22:00-06:00"}]}' % polygon),
    ):
        (tmp_path / "scene.json").write_text(text)
        done = run("detect", video, "-o", "refused", "--scene", "scene.json")
        assert done.returncode and f"{key} is not supported here" in done.stderr, done.stderr


def test_the_command_takes_one_picture_in_bands(
    machines: support.Machines, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parser = command.make_parser()

    def run(*words: object) -> cuesta.FileResult:
        return command.run_bands(parser.parse_args([*map(str, words), "--bands", "-q"]), parser)

    (picture,) = support.pictures(tmp_path, 1, (300, 200))
    image, made = cuesta.imread(picture), tmp_path / "made.tif"
    assert run("edges", picture, "-o", made, "--memory", "1MB", "--sigma", "1.0").bands > 1
    np.testing.assert_array_equal(cuesta.imread(made), cuesta.edges(image, sigma=1.0))
    run("filter", "median", picture, "-o", made, "--ksize", 5)
    np.testing.assert_array_equal(cuesta.imread(made), cuesta.median(image, 5))
    for words, why in (
        (["edges", picture, picture, "-o", made], "--bands takes one picture; 2 are given"),
        (["edges", picture, "-o", made, "--format", "png"], "--format applies to folders"),
    ):
        with pytest.raises(SystemExit):
            run(*words)
        assert why in capsys.readouterr().err


def test_the_command_lists_components(
    machines: support.Machines, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Lists of text have the bytes that `cuesta label` writes (tests/cli/test_command.py: test_label)."""
    from pyarrow import parquet

    parser = command.make_parser()

    def run(*words: object) -> cuesta.FileComponents:
        return command.run_label(parser.parse_args(["label", *map(str, words), "-q"]), parser)

    mask = np.zeros((40, 60), np.uint8)
    mask[3:5, 10:14] = 200
    mask[20, 5], mask[21, 6] = 90, 90
    mask[30:33, 50:52] = 255
    picture, made = tmp_path / "mask.png", tmp_path / "parts.csv"
    cuesta.imwrite(picture, mask)
    head = "label,x,y,width,height,area,centroid_x,centroid_y\n"
    rows = ["1,10,3,4,2,8,11.5,3.5\n", "2,5,20,2,2,2,5.5,20.5\n", "3,50,30,2,3,6,50.5,31\n"]
    assert run(picture, "-o", made).count == 3
    assert made.read_text() == head + "".join(rows)
    assert run(picture, "-o", made, "--threshold", 90).count == 2
    assert run(picture, "-o", made, "--connectivity", 4).count == 4
    run(picture, "-o", tmp_path / "new" / "parts.ndjson", "--memory", "1MB")
    lines = (tmp_path / "new" / "parts.ndjson").read_text().splitlines()
    assert (
        lines[2] == '{"label":3,"x":50,"y":30,"width":2,"height":3,"area":6,"centroid":[50.5,31]}'
    )
    run(picture, "-o", tmp_path / "parts.parquet")
    table = parquet.read_table(tmp_path / "parts.parquet")
    assert table.column_names == head.strip().split(",") and table["centroid_y"].to_pylist() == [
        3.5,
        20.5,
        31.0,
    ]
    for words, why in (
        ((picture, "-o", "parts.xls"), "the name of a list must end in .csv, .ndjson, .parquet"),
        ((picture, "-o", made, "--min-area", 3), "unrecognized arguments"),
    ):
        with pytest.raises(SystemExit):
            run(*words)
        assert why in capsys.readouterr().err


def test_the_command_says_what_is_wrong(tmp_path: pathlib.Path) -> None:
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "cuesta.ray", *words],
            capture_output=True,
            text=True,
            cwd=tmp_path,
        )

    helped = run("detect", "--help")
    assert (
        helped.returncode == 0
        and "--warm-up VALUE" in helped.stdout
        and "Report nothing in the first frames" in " ".join(helped.stdout.split())
    )
    nobody = run("edges", ".", "-o", "out", "--address", "127.0.0.1:1")
    assert nobody.returncode == 5 and nobody.stderr.startswith(
        "cuesta.ray: cannot join a Ray cluster at 127.0.0.1:1"
    ), nobody.stderr
    assert run("edges", ".", "-o", "out", "--sigme", "1").returncode == 2


@pytest.mark.timeout(300)
def test_an_object_store(machines: support.Machines, tmp_path: pathlib.Path) -> None:
    pytest.importorskip("moto", reason="moto, the object store of this test, is not installed")
    from pyarrow import dataset, fs

    files = support.pictures(tmp_path / "in", 12)
    video = coded(tmp_path, support.street(80), "mp4", "libx264 -g 20 -crf 12")
    with support.store_on_the_loopback() as store:
        for file in [*files, video]:
            with store.open_output_stream(f"bucket/{file.relative_to(tmp_path)}") as stream:
                stream.write(file.read_bytes())
        with store.open_output_stream("bucket/in/1/bad.png") as stream:
            stream.write(b"no picture")
        done = cuesta.ray.edges("bucket/in", output="bucket/edges", filesystem=store, workers=2)
        assert isinstance(done, cuesta.ray.Summary) and done.done == 12
        assert done.errors[0][0] == "1/bad.png" and "bucket/in/1/bad.png" in done.errors[0][1]
        listed = store.get_file_info(fs.FileSelector("bucket/edges", recursive=True))
        there = {
            info.path.removeprefix("bucket/edges/")
            for info in listed
            if info.type == fs.FileType.File
        }
        assert there == {f"{file.relative_to(tmp_path / 'in')}.png" for file in files} | {
            "_SUCCESS",
            "_errors.ndjson",
        }
        for file in files:
            with store.open_input_file(
                f"bucket/edges/{file.relative_to(tmp_path / 'in')}.png"
            ) as stream:
                (tmp_path / "read.png").write_bytes(stream.read())
            expected = cuesta.edges(file)
            np.testing.assert_array_equal(cuesta.imread(tmp_path / "read.png"), expected)
        with pytest.raises(cuesta.OutputError, match="it has a complete result"):
            cuesta.ray.edges("bucket/in", output="bucket/edges", filesystem=store)

        cuesta.edges_file(files[0], tmp_path / "one.tif")
        cuesta.ray.edges_file(
            f"bucket/{files[0].relative_to(tmp_path)}",
            "bucket/edges.tif",
            rows=40,
            filesystem=store,
        )
        with store.open_input_file("bucket/edges.tif") as stream:
            assert stream.read() == (tmp_path / "one.tif").read_bytes()

        found = cuesta.ray.detect(
            f"bucket/{video.name}",
            filesystem=store,
            part_frames=20,
            output="bucket/rows",
            **OPTIONS,
        )
        assert isinstance(found, cuesta.ray.Summary) and (found.done, found.errors) == (1, [])
        table = dataset.dataset("bucket/rows", filesystem=store, format="parquet").to_table()
        assert len(table) > 0 and table.to_pylist() == support.rows_of_one_process(
            video, video.name, "events", **OPTIONS
        )


@pytest.mark.timeout(300)
def test_a_node_that_goes_loses_and_doubles_nothing(
    machines: support.Machines,
    monkeypatch: pytest.MonkeyPatch,
    folder: pathlib.Path,
    expected: dict[str, bytes],
    tmp_path: pathlib.Path,
) -> None:
    gone: list[int] = []

    def progress(done: int, total: int | None, errors: int) -> None:
        if not gone:
            machines.kill_node()
            gone.append(done)

    done = cuesta.ray.edges(
        folder, output=tmp_path / "edges", sigma=1.0, workers=3, progress=progress
    )
    machines.add_node(2)
    assert isinstance(done, cuesta.ray.Summary)
    assert (
        gone
        and (done.done, len(done.errors)) == (60, 1)
        and without_extra(tmp_path / "edges") == expected
    )

    (tmp_path / "in").mkdir()
    rows = {}
    for k in range(3):
        file = coded(tmp_path / "in", support.street(150, k), f"{k}.mp4", "libx264 -g 20 -crf 12")
        rows[file.name] = support.rows_of_one_process(file, file.name, "objects", **OPTIONS)

    def kill() -> bool:
        if not machines.workers("look_that", newest=True):
            return False
        machines.kill_node()
        return True

    monkeypatch.setattr(videos, "look_at", look_that_takes_a_while)
    with support.meanwhile(kill, every=0.05) as killed:
        summary = cuesta.ray.detect(
            tmp_path / "in",
            output=tmp_path / "rows",
            part_frames=20,
            rows="objects",
            format="ndjson",
            **OPTIONS,
        )
    machines.add_node(2)
    assert killed and isinstance(summary, cuesta.ray.Summary) and summary.done == 3
    found: dict[str, list[Any]] = {}
    for part in (tmp_path / "rows").glob("part-*"):
        for line in part.read_text().splitlines():
            row = json.loads(line)
            found.setdefault(row["name"], []).append(row)
    assert found == rows


@pytest.mark.timeout(300)
@pytest.mark.parametrize("dies", [False, True], ids=["quiet", "a node dies"])
def test_the_simulated_layout_is_the_real_one(
    machines: support.Machines, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path, dies: bool
) -> None:
    """Six videos of five parts on 2 nodes of 2 CPUs; one of them goes in flight: each chain is done in order, and what is
    done again is as much as the simulation says of some moment of death."""
    _, _, begun = layout_on(machines, monkeypatch, tmp_path, dies)
    chains: dict[str, list[int]] = {}
    for video, first in begun:
        chains.setdefault(video, []).append(first)
    assert {video: sorted(set(firsts)) for video, firsts in chains.items()} == {
        f"v{k}": [0, 10, 20, 30, 40] for k in range(6)
    }
    simulated = {
        layout.Layout([[0.3] * 5] * 6, nodes=2, workers=2, faults=[layout.Fault(at / 20, 1)])
        .run()
        .runs
        for at in range(45)
    }
    assert min(simulated) >= 30 and max(simulated) > 32
    if dies:
        assert 30 < len(begun) <= max(simulated)
        machines.add_node(2)
    else:
        assert all(firsts == [0, 10, 20, 30, 40] for firsts in chains.values())
        assert len(begun) == layout.Layout([[0.3] * 5] * 6, nodes=2, workers=2).run().runs


@pytest.mark.timeout(300)
def test_a_video_that_ends_its_worker_is_a_row_with_an_error(
    machines: support.Machines, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    file = coded(tmp_path, support.street(40), "mp4", "libx264 -g 20 -crf 12")
    monkeypatch.setattr(videos, "look_at", part_that_ends_its_worker)
    monkeypatch.setattr(videos, "_TRIES", 2)
    (row,) = support.rows_of(cuesta.ray.detect(file, **OPTIONS))
    assert row["name"] == "street.mp4" and row["error"].endswith(
        "its worker died 2 times at frame 0"
    )


@pytest.mark.timeout(300)
def test_the_page_shows_jobs_that_run(
    machines: support.Machines,
    folder: pathlib.Path,
    tmp_path: pathlib.Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    jobs = [block.code for block in pages.blocks(pages.ROOT / "docs/user/many-machines.md")]
    assert len(jobs) == 4
    (tmp_path / "cameras").mkdir()
    coded(tmp_path / "cameras", support.street(40), "mp4", "libx264 -g 20 -crf 12")
    (tmp_path / "pictures").symlink_to(folder)
    (scan,) = support.pictures(tmp_path / "large", 1, (200, 300))
    cuesta.imwrite(tmp_path / "scan.tif", cuesta.imread(scan))
    edges = np.count_nonzero(cuesta.edges(scan, sigma=1.4))
    for job in jobs:
        assert len(job.strip().splitlines()) <= 5
        exec(job.replace("s3://bucket/", f"{tmp_path}/"), {})
    cells = cuesta.label_file(tmp_path / "scan.tif", threshold=128).areas
    told = [
        "60 pictures, 1 with errors",
        f"300 x 200 pixels, {edges} of them edges",
        f"{len(cells)} cells, {cells.max()} pixels the largest",
        "1 videos, 0 with errors",
    ]
    # Ray says when it has time of workers that earlier tests ended.
    assert [line for line in capsys.readouterr().out.splitlines() if "(raylet)" not in line] == told


def test_arguments_are_checked_before_anything_runs(
    machines: support.Machines, folder: pathlib.Path
) -> None:
    for call, error, why in [
        (
            lambda: cuesta.ray.edges(folder, "cannny"),
            cuesta.InvalidArgument,
            "method is 'cannny'; it must be one of boundaries, canny, log, regions, sobel",
        ),
        (lambda: cuesta.ray.edges(folder, sigma=-1), cuesta.InvalidArgument, "sigma"),
        (lambda: cuesta.ray.edges(folder, sigme=1), TypeError, "sigme"),
        (lambda: cuesta.ray.edges(folder, mask=1), TypeError, "mask"),
        (
            lambda: cuesta.ray.edges(folder, output="/x", format="gif87"),
            cuesta.InvalidArgument,
            "gif87",
        ),
        (
            lambda: cuesta.ray.edges_file(folder, "/x.tif", "cannny"),
            cuesta.InvalidArgument,
            "method is 'cannny'",
        ),
        (lambda: cuesta.ray.edges_file(folder / "no.png", "/x.tif"), cuesta.InputError, "no.png"),
        (
            lambda: cuesta.ray.filter_file(folder, "/x.tif", "median", threads=3),
            TypeError,
            "num_cpus",
        ),
        (lambda: cuesta.ray.label_file(folder / "no.png"), cuesta.InputError, "no.png"),
        (
            lambda: cuesta.ray.label_file(folder / "0/000.png", connectivity=5),
            cuesta.InvalidArgument,
            "connectivity is 5",
        ),
        (lambda: cuesta.ray.label_file(folder, device="cuda"), TypeError, "num_cpus"),
        (lambda: cuesta.ray.edges(folder / "nowhere*"), cuesta.InputError, "no file matches"),
        (lambda: cuesta.ray.detect([]), cuesta.InvalidArgument, "no videos"),
        (
            lambda: cuesta.ray.detect(folder, rows="all"),
            cuesta.InvalidArgument,
            "events or objects",
        ),
        (lambda: cuesta.ray.detect(folder, **cast(Any, {"min_areas": 1})), TypeError, "min_areas"),
    ]:
        with pytest.raises(error, match=why):
            cast(Any, call)()


def test_workers_follow_from_cpus_and_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    there: dict[str, float] = {"CPU": 12}
    monkeypatch.setattr(ray, "cluster_resources", lambda: there)
    assert [
        resources.at_once(*asked)
        for asked in ((None, 1), (None, 5), (None, 0), (None, 100), (40, 1))
    ] == [12, 2, 12000, 1, 40]
    with pytest.raises(
        cuesta.DeviceError,
        match=r"num_gpus is 0\.25, and the Ray cluster has no GPU; .* set num_gpus to 0",
    ) as caught:
        resources.at_once(None, 1, 0.25)
    assert caught.value.value == "0.25"
    there["GPU"] = 2
    shares = {0.25: 8, 0.4: 4, 0.1: 12, 0.6: 2, 1: 2, 0.01: 12}
    assert {share: resources.at_once(None, 1, share) for share in shares} == shares
    assert resources.at_once(None, 4, 0.25) == 3 and resources.at_once(8, 4, 0.25) == 8
    with pytest.raises(
        cuesta.InvalidArgument, match="workers is 9, and the cluster's GPUs have room for 8"
    ):
        resources.at_once(9, 1, 0.25)


def test_what_is_wrong_with_gpus_is_said_first(
    machines: support.Machines,
    folder: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: pathlib.Path,
) -> None:
    to = tmp_path / "edges"
    monkeypatch.setattr(ray, "cluster_resources", lambda: {"CPU": 4.0})
    for wrong in (-0.5, 2, 0.001, float("nan")):
        with pytest.raises(
            cuesta.InvalidArgument, match="num_gpus is .*; it must be 0, for the CPU, or 0.01 to 1"
        ):
            cuesta.ray.edges(folder, output=to, num_gpus=wrong)
    built = [dataclasses.replace(row, built=True) for row in cuesta.strategies()]
    monkeypatch.setattr(
        cuesta,
        "strategies",
        lambda operation=None, device=None: [r for r in built if r.device == device],
    )
    with pytest.raises(cuesta.DeviceError, match="the Ray cluster has no GPU"):
        cuesta.ray.filter(folder, "box", output=to, num_gpus=0.5)
    for strategy in ("simd", "nobody"):
        with pytest.raises(
            cuesta.InvalidArgument, match=f"strategy is '{strategy}'; on a GPU there are .*fused"
        ):
            cuesta.ray.edges(folder, output=to, num_gpus=0.5, strategy=strategy)
    monkeypatch.setattr(cuesta, "strategies", lambda operation=None, device=None: [])
    with pytest.raises(
        cuesta.DeviceError, match="num_gpus is 0.5, and this build of cuesta has no CUDA part"
    ):
        cuesta.ray.edges(folder, output=to, num_gpus=0.5)
    assert not to.exists()
    with pytest.raises(TypeError, match="num_gpus is not supported"):
        cuesta.ray.edges_file(folder, "/x.tif", num_gpus=0.5)
    parser = command.make_parser()
    with pytest.raises(SystemExit):
        command.run_bands(
            parser.parse_args(["edges", "a.png", "-o", "b.tif", "--bands", "--num-gpus", "0.5"]),
            parser,
        )


def test_without_ray_the_error_says_what_to_install() -> None:
    program = textwrap.dedent(
        """
        import sys
        sys.modules["ray"] = None
        import cuesta
        try:
            import cuesta.ray
        except ImportError as error:
            print(error)
        """
    )
    said = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert "pip install 'cuesta[ray]'" in said
    code = "import runpy, sys; sys.modules['ray'] = None; sys.argv[0] = '-m'; runpy.run_module('cuesta.ray', run_name='__main__')"
    command = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (
        command.returncode == 2
        and command.stderr.startswith("cuesta.ray requires Ray")
        and "Traceback" not in command.stderr
    )
    import_alone = (
        "import sys, cuesta; assert 'ray' not in sys.modules and 'pyarrow' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", import_alone], check=True)


def test_names_in_the_results() -> None:
    assert places.name_in("/a/b/c.png", "/a") == "b/c.png"
    assert places.name_in("/a/b/c.png", "") == "a/b/c.png"
    assert (
        places.name_in("s3://bucket/x/c.png?endpoint_override=localhost%3A5", "bucket/x") == "c.png"
    )

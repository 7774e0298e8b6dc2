"""cuesta.ray on a cluster of two nodes: equal to one process, with a bad file and killed workers. The short form;
test_ray_cluster.py has the long one."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import cuesta

pytest.importorskip("ray")
import ray_support as support  # noqa: E402
from test_video_parts import coded  # noqa: E402

import cuesta.ray  # noqa: E402
from cuesta.ray import places  # noqa: E402

GATE = cuesta.CountingLine("gate", (0.5, 1.0), (0.5, 0.0))
OPTIONS: dict[str, Any] = {"open": "rect:3", "close": "rect:3", "min_hits": 2, "merge_window": 0.5, "lines": [GATE]}


@pytest.fixture(scope="module")
def machines() -> Iterator[support.Machines]:
    made = support.Machines(nodes=2, cpus=2)
    yield made
    made.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    made = tmp_path_factory.mktemp("pictures")
    support.pictures(made, 60)
    (made / "1" / "bad.png").write_bytes(b"no picture at all")
    return made


@pytest.fixture(scope="module")
def expected(folder: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What one process makes of the folder."""
    to = tmp_path_factory.mktemp("expected")
    for file in sorted(folder.rglob("*.png")):
        if file.name != "bad.png":
            target = to / f"{file.relative_to(folder)}.png"
            target.parent.mkdir(exist_ok=True)
            cuesta.imwrite(target, cuesta.canny(cuesta.imread(file, gray=True), sigma=1.0))
    return support.everything(to)


def without_extra(folder: pathlib.Path) -> dict[str, bytes]:
    return {name: data for name, data in support.everything(folder).items() if not name.startswith("_")}


@pytest.mark.timeout(300)
def test_edges_with_a_killed_worker_are_those_of_one_process(
    machines: support.Machines, folder: pathlib.Path, expected: dict[str, bytes], tmp_path: pathlib.Path
) -> None:
    told: list[tuple[int, int | None, int]] = []

    def progress(done: int, total: int | None, errors: int) -> None:
        if not told:
            assert machines.kill_worker("Worker")
        told.append((done, total, errors))

    summary = cuesta.ray.edges(folder, output=tmp_path / "edges", sigma=1.0, workers=2, progress=progress)
    assert isinstance(summary, cuesta.ray.Summary)
    assert told[-1] == (61, 61, 1) and summary.done == 60
    ((name, reason),) = summary.errors
    assert name == "1/bad.png" and "bad.png" in reason
    assert without_extra(tmp_path / "edges") == expected
    assert json.loads((tmp_path / "edges/_SUCCESS").read_text()) == {"format": "png", "done": 60, "errors": 1, "files": []}
    assert json.loads((tmp_path / "edges/_errors.ndjson").read_text())["name"] == "1/bad.png"
    with pytest.raises(cuesta.OutputError, match="a whole result is there"):
        cuesta.ray.edges(folder, output=tmp_path / "edges")


@pytest.mark.timeout(300)
def test_rows_come_back_and_go_on(machines: support.Machines, picture: Any, tmp_path: pathlib.Path) -> None:
    import ray.data

    color = np.stack([picture, picture // 2, 255 - picture], axis=2)
    rows = ray.data.from_items([{"image": color[k:], "name": f"{k}", "number": k} for k in range(5)])
    made = {row["name"]: row for row in cuesta.ray.edges(rows, "sobel", workers=1).take_all()}
    assert sorted(row["number"] for row in made.values()) == list(range(5))
    for k in range(5):
        np.testing.assert_array_equal(made[f"{k}"]["image"], cuesta.sobel(cuesta.to_gray(color[k:], layout="HWC")))
    cuesta.imwrite(tmp_path / "a.png", color)
    data = [{"bytes": (tmp_path / "a.png").read_bytes(), "name": "a"}, {"bytes": b"x", "name": "b"}]
    filtered = cuesta.ray.filter(ray.data.from_items(data), "gaussian", sigma=2.0, output=tmp_path / "rows", format="parquet")
    assert isinstance(filtered, cuesta.ray.Summary) and [name for name, _ in filtered.errors] == ["b"]
    import pyarrow.dataset

    table = {row["name"]: row for row in pyarrow.dataset.dataset(tmp_path / "rows", format="parquet").to_table().to_pylist()}
    (tmp_path / "made.png").write_bytes(table["a"]["picture"])
    np.testing.assert_array_equal(cuesta.imread(tmp_path / "made.png"), cuesta.gaussian(color, 2.0, layout="HWC"))
    assert table["b"]["picture"] is None and table["b"]["error"] and not table["a"]["error"]


@pytest.mark.timeout(300)
@pytest.mark.parametrize("background", ["samples", "first"])
def test_detect_with_killed_workers_is_that_of_one_process(
    machines: support.Machines, tmp_path: pathlib.Path, background: str
) -> None:
    (tmp_path / "in").mkdir()
    options = {**OPTIONS, "background": background}
    if background == "first":  # the coder's noise is within it
        options |= {"blur": 3, "threshold": 40}
    expected = {}
    for k in range(2):
        file = coded(tmp_path / "in", support.street(200, k), f"{k}.mp4", "libx264 -g 20 -bf 2 -crf 12")
        name = file.name
        expected[name] = support.rows_of_one_process(file, name, "objects", **options)
        assert expected[name] and expected[name][-1]["frame"] > 150
    (tmp_path / "in" / "bad.mp4").write_bytes(b"no video at all")
    cut = (tmp_path / "in" / "street.0.mp4").read_bytes()
    (tmp_path / "in" / "cut.mp4").write_bytes(cut[: len(cut) - 100])
    with support.meanwhile(lambda: machines.kill_worker("look_at"), times=2) as killed:
        found = cuesta.ray.detect(tmp_path / "in", part_frames=20, rows="objects", **options).take_all()
    assert killed
    by_name: dict[str, list[Any]] = {}
    for row in found:
        by_name.setdefault(row["name"], []).append(row)
    for name, rows in expected.items():
        assert by_name[name] == rows
    assert [row["error"] != "" for row in by_name["bad.mp4"]] == [True]
    assert set(by_name) == {*expected, "bad.mp4", "cut.mp4"} or "cut.mp4" not in by_name


@pytest.mark.timeout(300)
def test_the_command(machines: support.Machines, folder: pathlib.Path, tmp_path: pathlib.Path) -> None:
    def run(*words: object) -> subprocess.CompletedProcess[str]:
        address = ("--address", machines.cluster.address)
        return subprocess.run(
            [sys.executable, "-m", "cuesta.ray", *map(str, words), *address], capture_output=True, text=True, cwd=tmp_path
        )

    done = run("edges", folder / "0", "-o", "out", "--format", "ndjson", "--sigma", "1.0")
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith(f"20 pictures into {tmp_path}/out in ") and done.stderr.endswith(", 0 with errors\n")
    (part, *more) = sorted((tmp_path / "out").glob("part-*.ndjson"))
    rows = [json.loads(line) for file in (part, *more) for line in file.read_text().splitlines()]
    assert sorted(row["name"] for row in rows) == sorted(f.name for f in (folder / "0").iterdir())
    bad = run("edges", folder / "1" / "bad.png", "-o", "other")
    assert bad.returncode == 3 and "bad.png" in bad.stderr and "1 with errors" in bad.stderr
    assert run("edges", folder, "-o", "out").returncode == 4


def test_arguments_are_checked_before_anything_runs(machines: support.Machines, folder: pathlib.Path) -> None:
    for call, error, why in [
        (lambda: cuesta.ray.edges(folder, "cannny"), cuesta.InvalidArgument, "choose one of canny, log, sobel"),
        (lambda: cuesta.ray.edges(folder, sigma=-1), cuesta.InvalidArgument, "sigma"),
        (lambda: cuesta.ray.edges(folder, sigme=1), TypeError, "sigme"),
        (lambda: cuesta.ray.edges(folder, output="/x", format="gif87"), cuesta.InvalidArgument, "gif87"),
        (lambda: cuesta.ray.edges(folder / "nowhere*"), cuesta.InputError, "no file fits"),
        (lambda: cuesta.ray.detect([]), cuesta.InvalidArgument, "no videos"),
        (lambda: cuesta.ray.detect(folder, rows="all"), cuesta.InvalidArgument, "events or objects"),
        (lambda: cuesta.ray.detect(folder, min_areas=1), TypeError, "min_areas"),
    ]:
        with pytest.raises(error, match=why):
            call()


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
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert "pip install 'cuesta[ray]'" in said
    code = "import runpy, sys; sys.modules['ray'] = None; sys.argv[0] = '-m'; runpy.run_module('cuesta.ray', run_name='__main__')"
    command = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert command.returncode == 2 and command.stderr.startswith("cuesta.ray needs Ray") and "Traceback" not in command.stderr
    import_alone = "import sys, cuesta; assert 'ray' not in sys.modules and 'pyarrow' not in sys.modules"
    subprocess.run([sys.executable, "-c", import_alone], check=True)


def test_names_in_the_results() -> None:
    assert places.name_in("/a/b/c.png", "/a") == "b/c.png"
    assert places.name_in("/a/b/c.png", "") == "a/b/c.png"
    assert places.name_in("s3://bucket/x/c.png?endpoint_override=localhost%3A5", "bucket/x") == "c.png"

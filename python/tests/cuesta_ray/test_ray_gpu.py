"""cuesta.ray on GPUs: the CPU's bytes from actors that share one, with a bad file and a killed worker."""

from __future__ import annotations

import logging
import os
import pathlib
import signal
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import cuesta

ray = pytest.importorskip(
    "ray", reason="Ray is not installed: cuesta.ray is not tested (scripts/python-env)"
)
pytest.importorskip(
    "moto", reason="moto is not installed: cuesta.ray is not tested (scripts/python-env)"
)
import ray_support as support  # noqa: E402

import cuesta.ray  # noqa: E402
from cuesta.ray import __main__ as command  # noqa: E402

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module")
def cluster() -> Iterator[int]:
    """On this machine; how many GPUs it has."""
    gpus = len(cuesta.devices())
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    ray.init(
        address="local",
        num_cpus=4,
        num_gpus=gpus,
        include_dashboard=False,
        object_store_memory=200 << 20,
        **options,
    )
    ray.data.DataContext.get_current().enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    yield gpus
    ray.shutdown()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    made = tmp_path_factory.mktemp("pictures")
    support.pictures_and_a_bad_one(made, 24)
    support.pictures(made / "color", 4, (90, 120, 3))
    return made


def workers() -> list[int]:
    """Actors of Ray Data on this machine."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            title = (process / "cmdline").read_bytes()
        except OSError:
            continue
        if title.startswith(b"ray::") and b"Worker" in title:
            found.append(int(process.name))
    return found


@pytest.mark.timeout(300)
@pytest.mark.parametrize("dies", [False, True], ids=["quiet", "a worker dies"])
def test_files_are_those_of_the_cpu(
    cluster: int, folder: pathlib.Path, tmp_path: pathlib.Path, dies: bool
) -> None:
    killed: list[int] = []

    def progress(done: int, total: int | None, errors: int) -> None:
        if dies and not killed:
            killed.append(workers()[0])
            os.kill(killed[0], signal.SIGKILL)

    for call, words in ((cuesta.ray.edges, ("canny",)), (cuesta.ray.filter, ("gaussian",))):
        killed.clear()
        made = call(
            folder,
            *words,
            output=tmp_path / "gpu",
            num_gpus=0.5,
            workers=2,
            sigma=1.5,
            overwrite=True,
            progress=progress,
        )
        cpu = call(folder, *words, output=tmp_path / "cpu", sigma=1.5, overwrite=True)
        assert isinstance(made, cuesta.ray.Summary) and isinstance(cpu, cuesta.ray.Summary)
        assert (
            made.done == cpu.done == 28
            and made.errors == cpu.errors
            and made.errors[0][0] == "1/bad.png"
        )
        assert support.everything(tmp_path / "gpu") == support.everything(tmp_path / "cpu")
        assert len(killed) == dies


@pytest.mark.timeout(300)
def test_rows_come_back(cluster: int, picture: Any) -> None:
    import ray.data

    wide = picture.astype(np.uint16) * 250
    rows = [{"image": wide[k:], "name": f"{k}"} for k in range(3)]
    for strategy in (None, "plain"):
        made = cuesta.ray.edges(
            ray.data.from_items(rows), num_gpus=0.25, strategy=strategy, workers=1
        )
        by_name = {row["name"]: row for row in made.take_all()}
        for k in range(3):
            np.testing.assert_array_equal(by_name[f"{k}"]["image"], cuesta.edges(wide[k:]))
    halves = ray.data.from_items([{"image": picture.astype(np.float16), "name": "half"}])
    (half,) = cuesta.ray.edges(halves, num_gpus=0.25).take_all()
    assert half["error"].startswith("array has dtype float16")


@pytest.mark.timeout(300)
def test_the_command(cluster: int, folder: pathlib.Path, tmp_path: pathlib.Path) -> None:
    parser = command.make_parser()

    def run(*words: object) -> dict[str, bytes]:
        shared = [str(folder / "2"), "-o", str(tmp_path / "out"), "--overwrite", "-q"]
        assert command.run(parser.parse_args([*map(str, words), *shared]), parser).done == 8
        return support.everything(tmp_path / "out")

    assert run("edges", "--num-gpus", 0.25) == run("edges")
    assert run("filter", "median", "--num-gpus", 1, "--ksize", 5) == run(
        "filter", "median", "--ksize", 5
    )

"""cuesta.ray on clusters of several nodes, at length: scripts/check-ray runs it."""

from __future__ import annotations

import os
import pathlib
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
import ray_support as support  # noqa: E402
from test_ray import OPTIONS  # noqa: E402
from test_video_parts import coded  # noqa: E402

import cuesta.ray  # noqa: E402

pytestmark = pytest.mark.timeout(600)


def test_memory_stays_bounded(tmp_path: pathlib.Path) -> None:
    """600 MB of pictures go by a store of objects of 3 x 80 MB while the one who takes them is slow, and nothing spills."""
    machines = support.Machines(nodes=2, cpus=1, memory=80 << 20)
    try:
        rows = [{"name": str(k), "number": k} for k in range(300)]

        def picture_of(row: dict[str, Any]) -> dict[str, Any]:
            return {**row, "image": np.full((1000, 2000), row["number"] % 251, np.uint8)}

        data = ray.data.from_items(rows, override_num_blocks=100).map(picture_of)
        made: Any = cuesta.ray.filter(data, "box", n=3, workers=1)
        seen = 0
        for batch in made.iter_batches(batch_size=4, batch_format="numpy", prefetch_batches=1):
            seen += len(batch["name"])
            time.sleep(0.01)
        assert seen == 300
        spilled = ray._private.internal_api.memory_summary(stats_only=True)
        assert "Spilled" not in spilled, spilled
    finally:
        machines.close()


# After the test with a cluster of its own: there is one at a time.
@pytest.fixture(scope="module")
def machines() -> Iterator[support.Machines]:
    made = support.Machines(nodes=3, cpus=2)
    yield made
    made.close()


def edges_of_one_process(folder: pathlib.Path) -> dict[str, Any]:
    return {
        str(file.relative_to(folder)): cuesta.edges(file) for file in sorted(folder.rglob("*.png"))
    }


def test_results_do_not_depend_on_the_number_of_workers(
    machines: support.Machines, tmp_path: pathlib.Path
) -> None:
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
    assert len(expected) > 2 if rows == "objects" else any(row["crossings"] for row in expected)
    for part_frames, at_once in ((15, 1), (40, 1), (100, 4), (1000, None)):
        found = cuesta.ray.detect(
            file, part_frames=part_frames, at_once=at_once, rows=rows, **options
        )
        assert support.rows_of(found) == expected, (part_frames, at_once)


def test_a_damaged_video_is_what_one_process_finds(
    machines: support.Machines, tmp_path: pathlib.Path
) -> None:
    file = coded(tmp_path, support.street(200), "mkv", "mpeg4 -g 12")
    good = file.read_bytes()
    # From the first byte of a packet in the middle on, so that its part cannot be decoded.
    file.write_bytes(good[: len(good) // 2])
    with pytest.raises(cuesta.InputError) as one:
        list(cuesta.detect(file, **OPTIONS))
    (row,) = support.rows_of(cuesta.ray.detect(file, part_frames=12, **OPTIONS))
    assert row["error"] == str(one.value)

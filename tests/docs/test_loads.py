#!/usr/bin/env python3
"""The drawings of docs/ladder show what the kernels load and visit today: `cuesta_record_loads` gives bench/pages/loads.json.

`test_loads.py PROGRAM ROOT --write` writes the file; then `bench/pages/publish.py make ladder` draws."""

import functools
import json
import subprocess
import sys
import unittest
from pathlib import Path

PROGRAM, ROOT = Path(sys.argv[1]), Path(sys.argv[2])
LOADS = ROOT / "bench" / "pages" / "loads.json"


@functools.cache
def recorded():
    return subprocess.run([PROGRAM], capture_output=True, check=True, timeout=300).stdout.decode()


def steps_of(text):
    """The recordings by step; a step that loads what another does names it."""
    steps = json.loads(text)
    return {name: steps[one] if isinstance(one, str) else one for name, one in steps.items()}


def cells_of(rounds):
    return {cell for cells in rounds for cell in zip(cells[::2], cells[1::2])}


class Loads(unittest.TestCase):
    def test_the_file_is_what_kernels_load(self):
        self.assertEqual(json.loads(recorded()), json.loads(LOADS.read_text(encoding="utf-8")))

    def test_a_naive_thread_loads_its_window_and_a_tile_is_loaded_once(self):
        steps = steps_of(recorded())
        self.assertEqual(len(steps["convolve-naive"][0]["mine"]), 25)
        tile = steps["convolve-tiled"][0]["loads"]  # each sample once
        self.assertEqual(tile, [f"{4 * 16 + 4}x1"] * (16 + 4))

    def test_chains_load_windows_tiles_and_rolling_rows(self):
        steps = steps_of(recorded())
        blur, dilate = steps["motion-v1.1"]  # windows of 5 x 5 from global memory
        self.assertEqual((blur["name"], len(blur["mine"]), blur["taken"]), ("Blur", 25, []))
        self.assertEqual((dilate["name"], dilate["block"]), ("Dilate", [32, 32]))
        tile, taken = steps["motion-v1.2"][0]["loads"], steps["motion-v1.2"][0]["taken"]
        self.assertEqual((tile, len(taken)), ([f"{32 + 4}x1"] * (32 + 4), 25))
        self.assertEqual(len(steps["canny-global"][0]["mine"]), 25)
        self.assertEqual(len(steps["canny-global"][1]["mine"]), 9)
        self.assertEqual([len(one["made"]) for one in steps["convolve-halos"]], [8, 8])

    def test_searches_join_the_same_pixels_with_less_and_less_work(self):
        steps = steps_of(recorded())
        names = ("bfs-launch", "bfs-queue", "persistent", "tile-flood")
        launch, queue, persistent, flood = (steps[f"canny-{name}"][0] for name in names)
        joined = [cells_of(one["rounds"]) for one in (launch, queue, persistent, flood)]
        self.assertEqual(joined, [joined[0]] * 4)
        for one in (launch, queue, persistent, flood):
            self.assertEqual((one["strong"], one["open"]), (launch["strong"], launch["open"]))
        # Steps are the distance to what is strong, whoever makes them; tiles are crossed at once.
        self.assertEqual(queue["rounds"], launch["rounds"])
        self.assertEqual(persistent["rounds"], launch["rounds"])
        self.assertLess(len(flood["rounds"]), len(launch["rounds"]))
        runs = steps["canny-runs"][0]  # whole words at once, in one round where tiles meet no way
        self.assertEqual((cells_of(runs["rounds"]), len(runs["rounds"])), (joined[0], 1))
        width, height = launch["size"]
        self.assertEqual(launch["seen"], [f"{width}x1"] * height)
        edges = len(launch["strong"]) // 2 + len(joined[0])
        self.assertLessEqual(queue["visits"], 9 * edges)
        for before, now in zip(launch["rounds"], launch["rounds"][1:]):
            beside = {
                (x + i, y + j)
                for x, y in cells_of([before])
                for i in (-1, 0, 1)
                for j in (-1, 0, 1)
            }
            self.assertLessEqual(cells_of([now]), beside)

    def test_sets_have_one_root_a_component_and_runs_the_fewest_nodes(self):
        steps = steps_of(recorded())
        nodes = {}
        for name in ("canny-union-find", "label-union-find", "label-blocks", "label-runs"):
            links = steps[name][0]["links"]
            parents = {
                (x, y): (x + dx, y + dy)
                for x, y, dx, dy in zip(links[::4], links[1::4], links[2::4], links[3::4])
            }
            for node, parent in parents.items():  # which comes before it, row by row
                self.assertLessEqual(parent[::-1], node[::-1], name)
            nodes[name] = len(parents), sum(node == parent for node, parent in parents.items())
        search = steps["canny-bfs-launch"][0]
        marks = (
            len(search["strong"]) // 2 + len(search["open"]) // 2 + len(cells_of(search["rounds"]))
        )
        self.assertEqual(nodes["canny-union-find"], (marks, 2))
        self.assertEqual({roots for name, (_, roots) in nodes.items() if "label" in name}, {6})
        self.assertEqual(nodes["label-blocks"], nodes["label-union-find"])
        self.assertLess(nodes["label-runs"][0], nodes["label-union-find"][0])
        for name in ("label-union-find", "label-blocks", "label-runs"):
            self.assertEqual((steps[name][0]["then"], steps[name][0]["longest"]), ("compress", 1))


if __name__ == "__main__":
    if sys.argv[3:] == ["--write"]:
        LOADS.write_text(recorded(), encoding="utf-8")
    else:
        unittest.main(argv=sys.argv[:1], verbosity=2)

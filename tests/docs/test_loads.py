#!/usr/bin/env python3
"""The drawings of docs/ladder show what the kernels load today: `cuesta_record_loads` gives bench/pages/loads.json.

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


class Loads(unittest.TestCase):
    def test_the_file_is_what_kernels_load(self):
        self.assertEqual(json.loads(recorded()), json.loads(LOADS.read_text(encoding="utf-8")))

    def test_a_naive_thread_loads_its_window_and_a_tile_is_loaded_once(self):
        steps = json.loads(recorded())
        self.assertEqual(len(steps["convolve-naive"][0]["mine"]), 25)
        tile = steps["convolve-tiled"][0]["loads"]  # each sample once
        self.assertEqual(tile, [f"{4 * 16 + 4}x1"] * (16 + 4))

    def test_chains_load_windows_tiles_and_rolling_rows(self):
        steps = json.loads(recorded())
        blur, dilate = steps["motion-v1.1"]  # windows of 5 x 5 from global memory
        self.assertEqual((blur["name"], len(blur["mine"]), blur["taken"]), ("Blur", 25, []))
        self.assertEqual((dilate["name"], dilate["block"]), ("Dilate", [32, 32]))
        tile, taken = steps["motion-v1.2"][0]["loads"], steps["motion-v1.2"][0]["taken"]
        self.assertEqual((tile, len(taken)), ([f"{32 + 4}x1"] * (32 + 4), 25))
        self.assertEqual(len(steps["canny-global"][0]["mine"]), 25)
        self.assertEqual(len(steps["canny-global"][1]["mine"]), 9)


if __name__ == "__main__":
    if sys.argv[3:] == ["--write"]:
        LOADS.write_text(recorded(), encoding="utf-8")
    else:
        unittest.main(argv=sys.argv[:1], verbosity=2)

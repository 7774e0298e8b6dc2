#!/usr/bin/env python3
"""bench/report/join.py makes of the files of several experiments what one run would have written, and refuses files of two
machines and rows that stand in two files."""

import copy
import importlib.util
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from test_forms import figure, result, row

JOIN = Path(__file__).resolve().parents[2] / "bench" / "report" / "join.py"
spec = importlib.util.spec_from_file_location("join", JOIN)
join = importlib.util.module_from_spec(spec)
spec.loader.exec_module(join)


def run_of(experiment, ms, commit="abc"):
    whole = result(
        [row(experiment, "copy", "memcpy", ms=0.5), row(experiment, "log", "naive", ms=ms)],
        [
            figure("all", "paper", "P5000", "time", 1.0),
            figure(experiment, "paper", "P5000", "time", ms),
        ],
    )
    return {**whole, "commit": commit, "libraries": ["fmt 9"]}


class Joined(unittest.TestCase):
    def setUp(self):
        self.one, self.two = run_of("log-ladder", 2.0), run_of("canny-stages", 3.0, "def")

    def both(self):
        return join.joined([("one.json", self.one), ("two.json", self.two)])

    def test_has_the_rows_and_figures_of_all_once(self):
        both = self.both()
        self.assertEqual(
            [(r["experiment"], r["ms"]) for r in both["rows"] if r["operation"] == "log"],
            [("log-ladder", 2.0), ("canny-stages", 3.0)],
        )
        self.assertEqual(
            [f["experiment"] for f in both["figures"]], ["all", "log-ladder", "canny-stages"]
        )
        self.assertEqual(both["notes"], ["log-ladder: a note"])

    def test_says_which_runs_it_is_of(self):
        both = self.both()
        self.assertEqual(
            [(r["commit"], r["experiments"]) for r in both["runs"]],
            [("abc", ["log-ladder"]), ("def", ["canny-stages"])],
        )
        self.assertEqual(both["commit"], "abc")

    def test_another_pace_of_the_gpu_is_no_other_gpu(self):
        self.two["gpu"]["ceilings"]["copy_gbs"] = 4100.0
        both = self.both()
        self.assertEqual(both["gpu"]["ceilings"]["copy_gbs"], 4000.0)
        self.assertEqual([r["ceilings"]["copy_gbs"] for r in both["runs"]], [4000.0, 4100.0])

    def test_refuses_another_machine_by_name(self):
        for change, words in (
            (("gpu", "driver", "570"), "the GPU"),
            (("machine", "threads", 32), "the CPU"),
        ):
            two = copy.deepcopy(self.two)
            two[change[0]][change[1]] = change[2]
            with self.assertRaisesRegex(
                join.Refused, f"two.json is of another run than one.json: {words}"
            ):
                join.joined([("one.json", self.one), ("two.json", two)])

    def test_refuses_a_row_that_two_files_have(self):
        with self.assertRaisesRegex(
            join.Refused, "one.json and one.json both have log-ladder log naive at 512x512"
        ):
            join.joined([("one.json", self.one), ("one.json", copy.deepcopy(self.one))])

    def test_its_text_is_json_with_a_line_a_row(self):
        both = self.both()
        text = join.text_of(both)
        self.assertEqual(json.loads(text), both)
        self.assertEqual(
            sum(
                line.startswith('{"experiment":') and '"strategy"' in line
                for line in text.splitlines()
            ),
            4,
        )

    def test_the_command_writes_it_and_names_what_it_cannot_read(self):
        with tempfile.TemporaryDirectory() as folder:
            one, out = Path(folder, "one.json"), Path(folder, "all.json")
            one.write_text(json.dumps(self.one), encoding="utf-8")
            subprocess.run([sys.executable, JOIN, "--out", out, one], check=True)
            self.assertEqual(json.loads(out.read_text(encoding="utf-8"))["rows"], self.one["rows"])
            none = subprocess.run(
                [sys.executable, JOIN, "--out", out, "no.json"],
                capture_output=True,
                text=True,
                check=False,
            )
            self.assertEqual(none.returncode, 1)
            self.assertIn("no.json", none.stderr)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""An experiment of the bench on the emulated device: every rung is timed and equal to the reference, and the report has its
tables. Times are discarded.

`test_emulated_experiment.py PROGRAM`, with the program of emulation/run_experiment.cpp."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM, ROOT = sys.argv[1], Path(__file__).resolve().parents[2]
RUNGS = {"global", "shared-no-apron", "shared-apron", "shared-1d"}


class SobelLadder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.text = subprocess.run(
            [PROGRAM, "sobel-ladder", "32"], capture_output=True, check=True, timeout=800
        ).stdout.decode()
        cls.run_ = json.loads(cls.text)

    def test_answers_are_the_references(self):
        self.assertEqual(self.run_["differences"], [])

    def test_every_rung_has_rows_with_both_blocks_and_both_loads(self):
        rows = [row for row in self.run_["rows"] if row["space"] == "device"]
        self.assertLessEqual(
            RUNGS, {row["strategy"] for row in rows if row["operation"] == "sobel"}
        )
        for words in ("block=32", "block=16", "loads=once", "loads=four"):
            found = [row for row in rows if words in row["strategy_parameters"].split()]
            self.assertTrue(found, words)
        for row in rows:
            if row["strategy"] in RUNGS:
                self.assertGreater(sum(kernel["launches"] for kernel in row["kernels"]), 0, row)
                self.assertIn(row["kernels"][0]["threads"], (256, 1024), row)

    def test_the_report_has_the_papers_tables(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "run.json"
            file.write_text(self.text, encoding="utf-8")
            done = subprocess.run(
                [sys.executable, ROOT / "bench" / "report" / "report.py", file],
                capture_output=True,
                text=True,
            )
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for rung in RUNGS:
            self.assertIn(f"{rung} block=32", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)

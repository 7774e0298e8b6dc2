#!/usr/bin/env python3
"""Every exercise of scripts/exercise: its broken kernel fails, and the answer passes. `test_exercises.py BUILD`."""

import importlib.machinery
import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(sys.argv.pop(1)).resolve()
loader = importlib.machinery.SourceFileLoader("exercise", str(ROOT / "scripts" / "exercise"))
exercise = importlib.util.module_from_spec(importlib.util.spec_from_loader("exercise", loader))
loader.exec_module(exercise)


class Exercises(unittest.TestCase):
    def outcome(self, name, text):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / f"{name.replace(':', '-')}.cu"
            file.write_text(text, encoding="utf-8")
            return exercise.differs(name, exercise.build_check(name, file, BUILD))

    def test_the_broken_kernel_fails_and_the_answer_passes(self):
        for name in exercise.EXERCISES:
            with self.subTest(name):
                self.assertIn("threads in order", self.outcome(name, exercise.broken(name)))
                self.assertEqual(self.outcome(name, exercise.answer_of(name)), "")

    def test_the_page_has_every_exercise(self):
        page = (ROOT / "docs" / "ladder" / "exercises.md").read_text(encoding="utf-8")
        for name in exercise.EXERCISES:
            self.assertIn(f"scripts/exercise start {name}\n", page)

    def test_a_step_is_an_exercise_without_a_fault(self):
        for name in ("convolve:tiled", "convolve:global", "motion:v1.2", "label:blocks"):
            with self.subTest(name):
                self.assertEqual(self.outcome(name, exercise.broken(name)), "")
        self.assertIn(
            "does not run here", self.outcome("canny:graph", exercise.broken("canny:graph"))
        )
        for name in ("nothing", "convolve:nothing", "nothing:tiled"):
            with self.assertRaisesRegex(
                exercise.Failed, f"there is no exercise {name}; there are barrier"
            ):
                exercise.broken(name)

    @unittest.skipUnless(shutil.which("gdb"), "gdb is not installed")
    def test_the_page_steps_through_a_kernel(self):
        page = (ROOT / "docs" / "ladder" / "exercises.md").read_text(encoding="utf-8")
        commands = re.findall(r"^    \(gdb\) (.*)$", page, re.M)
        name = re.search(r"exercise check (\S+) --debug", page)[1]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "step.cu"
            file.write_text(exercise.broken(name), encoding="utf-8")
            program = exercise.build_check(name, file, BUILD, debug=True)
            asked = [word for command in commands for word in ("-ex", command)]
            said = subprocess.run(
                ["gdb", "-batch", *asked, "--args", program, *exercise.exercise_of(name)[:2]],
                capture_output=True,
                text=True,
                timeout=300,
                check=True,
            ).stdout
        self.assertIn("$1 = {x = 3, y = 1, z = 0}", said)
        before, after = re.findall(r'^\$[34] = (".*)$', said, re.M)
        self.assertNotEqual(before, after)

    def test_what_does_not_compile_is_said(self):
        with self.assertRaisesRegex(exercise.Failed, "does not compile"):
            self.outcome("barrier", exercise.broken("barrier") + "}")


if __name__ == "__main__":
    unittest.main(verbosity=2)

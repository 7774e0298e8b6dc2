#!/usr/bin/env python3
"""Every promise of SECURITY.md has a row of attempts to break it, and each of them exists and runs.

    test_claims.py SOURCE BUILD

An attempt is a test of CTest; behind a colon follow the test functions, or campaigns, of its
program that are meant. CTest must know it, with a command, and must not leave it out.
"""

import json
import re
import subprocess
import sys
import unittest
from pathlib import Path

SOURCE, BUILD = Path(sys.argv[1]), Path(sys.argv[2])


def table(text, head):
    """Rows of cells."""
    body = text.split(head + "\n", 1)[1].split("\n\n", 1)[0]
    return [
        [cell.strip() for cell in line.strip("|").split(" | ")] for line in body.splitlines()[1:]
    ]


def attempts(cell):
    """(test, functions) of each attempt."""
    found = []
    for part in re.split(r"; |, (?=`)", cell):
        match = re.fullmatch(r"`([\w.-]+)`(?:: (\w+(?:, \w+)*))?", part)
        if not match:
            raise ValueError(f"no attempt: {part}")
        found.append((match[1], (match[2] or "").split(", ") if match[2] else []))
    return found


def known_tests():
    shown = subprocess.run(
        ["ctest", "--test-dir", BUILD, "--show-only=json-v1"],
        capture_output=True,
        check=True,
        timeout=300,
    ).stdout
    return {test["name"]: test for test in json.loads(shown)["tests"]}


def fault_of(attempt, functions, known):
    """Why an attempt is none; empty for one that runs."""
    if re.fullmatch(r"\w+\.[A-Z]\w+", attempt):  # of the test program
        suite, name = attempt.split(".")
        pattern = re.compile(rf"TEST\w*\({suite},\s*{name}\)")
        if not any(pattern.search(path.read_text()) for path in (SOURCE / "tests").rglob("*.cpp")):
            return f"no TEST({suite}, {name})"
        attempt = suite  # CTest has an entry a suite
    test = known.get(attempt)
    if test is None:
        return f"CTest has no {attempt}"
    if not test.get("command"):
        return f"{attempt} has no command; build it first"
    if {"name": "DISABLED", "value": True} in test.get("properties", []):
        return f"{attempt} is disabled"
    programs = [Path(word) for word in test["command"] if word.endswith(".py")]
    text = "".join(path.read_text() for path in programs)
    for name in functions:
        if not re.search(rf"^    def {name}\(self", text, re.M):
            return f"{attempt} has no {name}"
    return ""


class Claims(unittest.TestCase):
    def setUp(self):
        text = (SOURCE / "SECURITY.md").read_text()
        self.promises = table(text, "| who | trusted | promise |")
        self.rows = table(text, "| row | attempts |")
        self.known = known_tests()

    def test_every_row_has_attempts_that_run(self):
        self.assertGreater(len(self.rows), 5)
        self.assertEqual(len(self.rows), len(self.promises))
        for row in self.rows:
            with self.subTest(row[0]):
                self.assertEqual(len(row), 2, row)
                for attempt, functions in attempts(row[1]):
                    self.assertEqual(fault_of(attempt, functions, self.known), "")

    def test_faults_are_found(self):
        self.assertIn("CTest has no", fault_of("nothing", [], self.known))
        self.assertIn("has no test_none", fault_of("costs", ["test_none"], self.known))
        self.assertIn("no TEST", fault_of("LeftBands.AreNothing", [], self.known))
        disabled = {
            "costs": {**self.known["costs"], "properties": [{"name": "DISABLED", "value": True}]}
        }
        self.assertIn("disabled", fault_of("costs", [], disabled))
        with self.assertRaises(ValueError):
            attempts("we promise")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

#!/usr/bin/env python3
"""docs/reliability.md has the figures of the JSON beside docs/benchmarks, all of them and no others; and a page that differs is found."""

import json
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reliability.md"
ATTACK = ROOT / "docs" / "benchmarks" / "2026-11-23-attack.json"


def rows_of(page, heading):
    """The cells of the table under a heading, without its two first lines."""
    text = page.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
    return rows[2:]


def faults(page, data):
    written = {row[0]: row[1:3] for row in rows_of(page, "What was measured")}
    measured = {name: [f"{row['runs']:,}", str(row["bad"])] for name, row in data["campaigns"].items()}
    found = [f"{name}: {written.get(name)} and measured {measured.get(name)}"
             for name in sorted(written.keys() | measured.keys()) if written.get(name) != measured.get(name)]
    total = f"{sum(row['runs'] for row in data['campaigns'].values()):,} runs"
    found += [f"the page does not say {text}" for text in (total, data["commit"]) if text not in page]
    # What other libraries end is said by their names.
    for row in data["campaigns"].values():
        for end in row["ends"]:
            library = re.match(r"(lib\w+(?:-\w+)?)[\w.-]*[.]so[.\d]* (ends the process|waits for ever)", end)
            if library and library[1] not in page:
                found.append(f"the page does not name {library[1]}, which {library[2]}")
    return found


class Figures(unittest.TestCase):
    def setUp(self):
        self.page = PAGE.read_text(encoding="utf-8")
        self.data = json.loads(ATTACK.read_text(encoding="utf-8"))

    def test_figures_are_measured(self):
        self.assertEqual(faults(self.page, self.data), [])

    def test_it_was_the_long_form_and_nothing_ended_badly(self):
        self.assertEqual(self.data["what"], "tests/attack, long form")
        self.assertEqual({name: row["bad"] for name, row in self.data["campaigns"].items() if row["bad"]}, {})

    def test_faults_are_found(self):
        name, row = next(iter(self.data["campaigns"].items()))
        line = f"| {name} | {row['runs']:,} | {row['bad']} |"
        self.assertIn(line, self.page)
        self.assertEqual(len(faults(self.page.replace(line, f"| {name} | 1 | 0 |"), self.data)), 1)
        self.assertEqual(len(faults(self.page.replace(line, ""), self.data)), 1)
        row["runs"] += 1
        self.assertEqual(len(faults(self.page, self.data)), 2)
        row["ends"]["libnobody.so.1 ends the process"] = 1
        self.assertEqual(len(faults(self.page, self.data)), 3)


if __name__ == "__main__":
    unittest.main()

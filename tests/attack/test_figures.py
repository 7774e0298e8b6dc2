#!/usr/bin/env python3
"""docs/dev/reliability.md has the figures of the JSON files in docs/results/data, all of them and no others; and a page that differs is found."""

import json
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "dev" / "reliability.md"
PROMISES = ROOT / "docs" / "user" / "reliability.md"
ATTACK = ROOT / "docs" / "results" / "data" / "2026-11-24-attack.json"
SOAK = ROOT / "docs" / "results" / "data" / "2026-11-23-h200-soak.json"
WEEK = ROOT / "docs" / "results" / "data" / "2026-11-29-camera-week.json"
LINES = ROOT / "docs" / "results" / "data" / "2026-11-23-coverage.json"
FREE_THREADED = ROOT / "docs" / "results" / "data" / "2026-11-24-free-threaded.json"


def rows_of(page, heading):
    """The cells of the table under a heading, without its two first lines."""
    text = page.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text.splitlines()
        if line.startswith("|")
    ]
    return rows[2:]


def faults(page, data):
    written = {row[0]: row[1:3] for row in rows_of(page, "Campaigns")}
    measured = {
        name: [f"{row['runs']:,}", str(row["bad"])] for name, row in data["campaigns"].items()
    }
    found = [
        f"{name}: {written.get(name)} and measured {measured.get(name)}"
        for name in sorted(written.keys() | measured.keys())
        if written.get(name) != measured.get(name)
    ]
    total = f"{sum(row['runs'] for row in data['campaigns'].values()):,} runs"
    found += [
        f"the page does not say {text}" for text in (total, data["commit"]) if text not in page
    ]
    # Names of the libraries that end a program.
    for row in data["campaigns"].values():
        for end in row["ends"]:
            library = re.match(
                r"(lib\w+(?:-\w+)?)[\w.-]*[.]so[.\d]* (ends the process|waits for ever)", end
            )
            if library and library[1] not in page:
                found.append(f"the page does not name {library[1]}, which {library[2]}")
    return found


def soak_faults(page, data):
    measured = [
        [
            soak["soak"],
            f"{soak['count']:,}",
            str(soak["seconds"]),
            *(f"{n:,}" for n in soak["growth"].values()),
        ]
        for soak in data["soaks"]
    ]
    found = [f"measured: {row}" for row in measured if row not in rows_of(page, "A long run")]
    said = page.split("On an NVIDIA H200", 1)[-1].split("|", 1)[0]
    return found + [
        f"the page does not say {data[key]}"
        for key in ("driver", "date", "commit")
        if data[key] not in said
    ]


class Figures(unittest.TestCase):
    def setUp(self):
        self.page = PAGE.read_text(encoding="utf-8")
        self.data = json.loads(ATTACK.read_text(encoding="utf-8"))

    def test_figures_are_measured(self):
        self.assertEqual(faults(self.page, self.data), [])

    def test_the_promises_have_the_number_of_runs(self):
        total = sum(row["runs"] for row in self.data["campaigns"].values())
        self.assertIn(f"{total:,} runs", PROMISES.read_text(encoding="utf-8"))

    def test_it_was_the_long_form_and_nothing_ended_badly(self):
        self.assertEqual(self.data["what"], "tests/attack, long form")
        self.assertEqual(
            {name: row["bad"] for name, row in self.data["campaigns"].items() if row["bad"]}, {}
        )

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

    def test_the_long_soak_on_a_gpu(self):
        soak = json.loads(SOAK.read_text(encoding="utf-8"))
        self.assertEqual(soak_faults(self.page, soak), [])
        self.assertEqual(
            [
                (one["soak"], one["count"] >= least, one["growth"]["device_bytes"])
                for one, least in zip(soak["soaks"], (1000000, 100000), strict=True)
            ],
            [("frames", True, 0), ("pictures", True, 0)],
        )
        soak["soaks"][1]["growth"]["malloc_bytes"] += 1
        soak["commit"] = "another"
        self.assertEqual(len(soak_faults(self.page, soak)), 2)


def week_faults(page, data):
    """What a page says otherwise about a run of bench/field/camera-week."""
    keys = ("times_there", "events", "not_listed", "not_heard")
    rows = [
        [name] + [str(data[name][key]) for key in keys] for name in ("tcp", "http", "udp", "rtp")
    ]
    found = [row for row in rows_of(page, "A week of live cameras") if row not in rows]
    said = " ".join(page.split("## A week of live cameras", 1)[1].split())
    mib = [f"{value / 2**20:.0f} MiB" for key in ("memory", "disk") for value in data[key]]
    texts = [
        data["date"],
        data["commit"],
        f"The {data['chunks']} chunks have {data['chunk_events']} events",
    ]
    texts += [
        f"{mib[0]} in the first third and {mib[1]} in the last, descriptors {data['descriptors'][0]} and "
        f"{data['descriptors'][1]}, recordings with clips {mib[2]} and {mib[3]}."
    ]
    return found + [text for text in texts if text not in said]


def line_faults(page, data):
    """What a page says otherwise about which lines ran."""
    texts = [data["commit"], data["date"], f"{len(data['not_compiled'])} files"]
    for tree, row in data["trees"].items():
        texts.append(
            f"{100 * row['ran'] / row['lines']:.1f} % of the {row['lines']:,} lines of `{tree}`"
        )
    return [text for text in texts if text not in page]


class Week(unittest.TestCase):
    def test_figures_are_measured(self):
        page, data = PAGE.read_text(encoding="utf-8"), json.loads(WEEK.read_text(encoding="utf-8"))
        self.assertEqual(week_faults(page, data), [])
        self.assertEqual((data["hours"], data["disk_was_full"]), (168, True))
        data["tcp"]["not_heard"] += 1
        data["memory"][1] += 100 << 20
        data["chunks"] += 1
        self.assertEqual(len(week_faults(page, data)), 3)


class Lines(unittest.TestCase):
    def setUp(self):
        page = PAGE.read_text(encoding="utf-8")
        self.page = page.split("**Lines.**", 1)[1].split("\n\n", 1)[0]
        self.data = json.loads(LINES.read_text(encoding="utf-8"))

    def test_figures_are_measured(self):
        self.assertEqual(line_faults(self.page, self.data), [])

    def test_what_did_not_run_is_listed(self):
        listed = sum(
            int(b or a) - int(a) + 1
            for text in self.data["not_run"].values()
            for a, b in re.findall(r"(\d+)(?:-(\d+))?", text)
        )
        self.assertEqual(
            listed, sum(row["lines"] - row["ran"] for row in self.data["trees"].values())
        )

    def test_faults_are_found(self):
        self.data["trees"]["cli"]["ran"] -= 100
        self.data["commit"] = "0123456789ab"
        self.assertEqual(len(line_faults(self.page, self.data)), 2)


def free_threaded_faults(page, data):
    """What a page says otherwise about the run of scripts/check-free-threaded."""
    texts = [
        data["date"],
        data["commit"],
        f"CPython {data['python']}",
        data["compiler"],
        f"{data['planted_reports']} reports of the planted race",
    ]
    texts += [f"{name} {version}" for name, version in data["versions"].items()]
    texts += [f"{count} {what}" for what, count in data["tests"].items()] + [
        f"{data['reports']} reports of ThreadSanitizer"
    ]
    return [text for text in texts if text not in page]


class FreeThreaded(unittest.TestCase):
    def setUp(self):
        page = PAGE.read_text(encoding="utf-8")
        self.page = " ".join(
            page.split("**Free-threaded Python**", 1)[1].split("\n\n", 1)[0].split()
        )
        self.data = json.loads(FREE_THREADED.read_text(encoding="utf-8"))

    def test_figures_are_measured(self):
        self.assertEqual(free_threaded_faults(self.page, self.data), [])

    def test_it_passed_and_would_have_seen_a_race(self):
        self.assertEqual(
            (self.data["lock"], self.data["reports"], self.data["tests"].get("failed", 0)),
            (False, 0, 0),
        )
        self.assertTrue(self.data["whole"])
        self.assertEqual(self.data["changed_since"], [])
        self.assertGreater(self.data["planted_reports"], 0)
        self.assertGreater(self.data["tests"]["passed"], 0)

    def test_faults_are_found(self):
        self.data["tests"]["passed"] += 1000
        self.data["reports"] += 1000
        self.data["commit"] = "0123456789ab"
        self.assertEqual(len(free_threaded_faults(self.page, self.data)), 3)


if __name__ == "__main__":
    unittest.main()

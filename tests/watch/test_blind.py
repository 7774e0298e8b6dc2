#!/usr/bin/env python3
"""Times in which cuesta detect found nothing, as the background was learned again: in every result that lists events.

    test_blind.py PATH-TO-CUESTA [unittest arguments]

Makes its inputs itself.
"""

import csv
import importlib.util
import json
import os
import sys
import unittest
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "cli"))

import test_command  # noqa: E402
from test_command import y4m  # noqa: E402
from test_detect import PLAIN  # noqa: E402
from test_events import FRAMES, HEIGHT, RATE, WIDTH, EventsTest, luma  # noqa: E402

LIT, WARM_UP = 60, 6
BLIND = (LIT, LIT + WARM_UP - 1)  # frames
RUN = (*PLAIN, "--warm-up", WARM_UP, "--relearn", 75)
BEGINS = ("--begins", "2026-11-25T06:00:00Z")


def lamp(frames=FRAMES):
    """Two visitors, and between them a lamp that is switched on."""
    light = bytes(min(2 * level, 255) for level in range(256))
    return y4m(
        WIDTH, HEIGHT, [luma(k).translate(light) if k >= LIT else luma(k) for k in range(frames)]
    )


def lines_of(text):
    return [json.loads(line) for line in text.splitlines()]


class Blind(EventsTest):
    def setUp(self):
        super().setUp()
        self.file("lamp.y4m", lamp())

    def detect(self, *arguments, name="lamp.y4m", run=RUN):
        return lines_of(self.run_cuesta("detect", name, "--json", "-", *run, *arguments).stdout)

    def blind_of(self, lines):
        return [line["blind"] for line in lines if line["kind"] == "blind"]

    def check(self, blind, last=BLIND[1]):
        self.assertEqual((blind["first_frame"], blind["last_frame"]), (LIT, last))
        self.assertAlmostEqual(blind["begin"], LIT / RATE)
        self.assertAlmostEqual(blind["end"], last / RATE)
        self.assertIn("most of the picture changed", blind["reason"])

    def test_it_is_a_line_whether_objects_are_tracked_or_not(self):
        for more in ((), ("--track",)):
            with self.subTest(more):
                lines = self.detect(*more)
                (blind,) = self.blind_of(lines)
                self.check(blind)
                self.assertNotIn("begin_clock", blind)
                # It comes before the first frame that is seen again.
                at = [line["kind"] for line in lines].index("blind")
                self.assertEqual(lines[at + 1]["frame"], BLIND[1] + 1)
                told = [line["frame"] for line in lines if line.get("changed")]
                self.assertEqual(told, [LIT])

    def test_a_warm_up_alone_and_no_change_are_none(self):
        self.assertEqual(self.blind_of(self.detect(name="visits.y4m")), [])
        self.assertEqual(self.blind_of(self.detect(run=(*RUN[:-1], 0))), [])

    def test_the_end_of_the_video_ends_it(self):
        self.file("short.y4m", lamp(LIT + 3))
        (blind,) = self.blind_of(self.detect(name="short.y4m"))
        self.check(blind, last=LIT + 2)

    def test_it_has_the_time_of_day(self):
        (blind,) = self.blind_of(self.detect(*BEGINS))
        self.assertEqual(blind["begin_clock"], "2026-11-25T06:00:02.000+00:00")
        self.assertEqual(blind["end_clock"], "2026-11-25T06:00:02.167+00:00")

    def test_lists_have_it_among_their_events(self):
        lines = self.detect("--events", "e.csv", "--events", "e.ndjson", *BEGINS)
        listed = lines_of((self.at / "e.ndjson").read_text())
        self.assertEqual([line["kind"] for line in listed], ["blind", "event", "event"])
        self.assertEqual(self.blind_of(listed), self.blind_of(lines))
        with open(self.at / "e.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["kind"] for row in rows], ["blind", "event", "event"])
        self.assertEqual([row["event"] for row in rows], ["0", "1", "2"])
        self.assertEqual([row["reason"] != "" for row in rows], [True, False, False])
        row = rows[0]
        self.assertEqual(
            (row["start"], row["end"], row["duration"], row["objects"]),
            ("2.000", "2.167", "0.167", "0"),
        )
        self.assertEqual((row["first_frame"], row["last_frame"]), tuple(map(str, BLIND)))
        self.assertEqual(row["start_clock"], "2026-11-25T06:00:02.000+00:00")

    def test_lines_have_their_schema(self):
        if not importlib.util.find_spec("jsonschema"):
            self.skipTest("jsonschema is not installed")
        import jsonschema

        path = Path(__file__).resolve().parents[2] / "docs/schemas/detect-1.schema.json"
        validator = jsonschema.Draft202012Validator(json.loads(path.read_text()))
        for line in self.detect("--track", *BEGINS):
            validator.validate(line)
        self.assertFalse(validator.is_valid({"kind": "blind", "blind": {"begin": 1}}))

    def test_python_reads_it_of_either_file(self):
        if not importlib.util.find_spec("cuesta"):
            self.skipTest("the package cuesta is not installed")
        import cuesta

        lines = self.detect("--events", "e.csv", "--events", "e.ndjson", *BEGINS)
        (self.at / "all.ndjson").write_text("".join(json.dumps(line) + "\n" for line in lines))
        for name in ("e.csv", "e.ndjson", "all.ndjson"):
            with self.subTest(name):
                table = cuesta.read_events(self.at / name)
                self.assertEqual(table["kind"].tolist(), ["blind", "event", "event"])
                self.assertEqual(table["event"].tolist(), [0, 1, 2])
                self.assertEqual(table["first_frame"].tolist()[0], LIT)
                self.assertAlmostEqual(table["end"].tolist()[0], BLIND[1] / RATE, places=3)
                self.assertIn("most of the picture changed", table["reason"][0])
                self.assertEqual(table["start_clock"][0], "2026-11-25T06:00:02.000+00:00")

    def test_the_report_shows_it(self):
        self.needs_pictures()
        self.detect("--report", "r.html")
        page = (self.at / "r.html").read_text()
        self.assertIn("<tr><td>0:02.0</td><td>0:02.2</td><td>most of the picture changed", page)
        self.assertEqual(page.count('<rect class="blind"'), 1)
        self.detect("--report", "none.html", name="visits.y4m")
        self.assertNotIn("<h2>Blind</h2>", (self.at / "none.html").read_text())


if __name__ == "__main__":
    test_command.CUESTA = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)

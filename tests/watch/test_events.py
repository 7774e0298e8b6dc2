#!/usr/bin/env python3
"""What cuesta detect says of objects and events, read back: scenes, identities, lists, pictures, the report, --on-event.

    test_events.py PATH-TO-CUESTA [unittest arguments]

Makes its inputs itself. Files in formats of other programs are read by those programs' own readers where they are installed
(python/requirements-test.txt); else these tests say so and skip themselves.
"""

import base64
import csv
import html.parser
import importlib
import io
import json
import os
import signal
import subprocess
import sys
import time
import unittest
import warnings
from contextlib import redirect_stdout
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "cli"))

import test_command  # noqa: E402
import test_detect  # noqa: E402
from test_command import INPUT, OUTPUT, USAGE, CommandTest, png, read_png, y4m  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
WIDTH, HEIGHT, RATE = 160, 120, 30
GROUND, BRIGHT = 40, 200
# Two visits, 2.5 s apart: a square of 20 pixels goes to the right, then one of 24 to the left.
FRAMES = 150
FIRST, SECOND = range(5, 35), range(110, 140)


def boxes(frame):
    """(visitor, x, y, width, height) of what is in the frame."""
    if frame in FIRST:
        return [(1, 6 + 4 * (frame - FIRST.start), 30, 20, 20)]
    if frame in SECOND:
        return [(2, 130 - 4 * (frame - SECOND.start), 80, 24, 24)]
    return []


def luma(frame):
    plane = [bytearray([GROUND]) * WIDTH for _ in range(HEIGHT)]
    for _, x, y, w, h in boxes(frame):
        for row in plane[y : y + h]:
            row[x : x + w] = bytes([BRIGHT]) * w
    return b"".join(plane)


def visits(chroma=b"mono"):
    color = {b"mono": 0, b"420jpeg": WIDTH * HEIGHT // 2}[chroma]
    return y4m(WIDTH, HEIGHT, [luma(k) + bytes([128]) * color for k in range(FRAMES)], chroma)


def reader(name):
    """The module of that name, or the test is skipped."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise unittest.SkipTest(f"{name} reads this back, and is not installed") from error


class EventsTest(CommandTest):
    # What is found is then exactly what is drawn.
    EXACT = ("--background", "first", "--blur", 1, "--close", "none", "--open", "none")

    def setUp(self):
        super().setUp()
        self.video = self.file("visits.y4m", visits())

    def watch(self, *arguments, name="visits.y4m", also=(), **options):
        return self.run_cuesta("detect", name, *also, *self.EXACT, *arguments, **options)

    def lines(self, *arguments, **options):
        """(frames, events) of --json."""
        parsed = [
            json.loads(line)
            for line in self.watch("--json", "-", *arguments, **options).stdout.splitlines()
        ]
        self.assertEqual(parsed[0]["schema"], 1)
        return [one for one in parsed if "frame" in one], [
            one["event"] for one in parsed if "event" in one
        ]

    def ended(self, *arguments, **options):
        return [
            event for event in self.lines(*arguments, **options)[1] if event["state"] == "ended"
        ]

    def needs_pictures(self):
        done = self.run_cuesta("edges", self.photo, "-o", "probe.png", code=None)
        if b"has no picture files" in done.stderr:
            self.skipTest("built without picture files")

    def run_cuesta(self, *arguments, code=0, **options):
        if code is not None:
            return super().run_cuesta(*arguments, code=code, **options)
        return subprocess.run(
            [test_command.CUESTA, *map(str, arguments)],
            capture_output=True,
            timeout=600,
            cwd=self.at,
        )

    def mp4(self, source, name):
        done = self.run_cuesta("filter", source, "-o", name, "--kernel", "average:1", code=None)
        if b"y4m only" in done.stderr:
            self.skipTest("built without libav")
        self.assertEqual(done.returncode, 0, done.stderr)

    def pictures(self, name):
        """The decoded luma of each frame."""
        stream = self.run_cuesta("filter", name, "-o", "-", "--kernel", "average:1").stdout
        header, rest = stream.split(b"\n", 1)
        samples = WIDTH * HEIGHT * (1 if b"Cmono" in header else 3 if b"C444" in header else 1.5)
        size = int(samples) + 6
        return [rest[k + 6 : k + 6 + WIDTH * HEIGHT] for k in range(0, len(rest), size)]

    def scene(self, text, name="scene.toml"):
        return self.file(name, text.encode())


class Identities(EventsTest):
    def test_objects_are_what_is_drawn_and_keep_their_ids(self):
        frames, _ = self.lines("--track")
        self.assertEqual([line["frame"] for line in frames], list(range(FRAMES)))
        for line in frames:
            wanted = [
                (visitor, [x, y, w, h], w * h)
                for visitor, x, y, w, h in boxes(line["frame"])
                if line["frame"] - (FIRST if visitor == 1 else SECOND).start
                >= 2  # the third frame reports it
            ]
            self.assertEqual(
                [(o["id"], o["box"], o["area"]) for o in line["objects"]], wanted, line["frame"]
            )
        last = frames[FIRST.stop - 1]["objects"][0]
        self.assertAlmostEqual(last["speed"], 4 * RATE, delta=1)
        self.assertAlmostEqual(last["direction"], 0, delta=0.5)
        self.assertEqual(last["moved"], 4 * (len(FIRST) - 1))
        self.assertAlmostEqual(
            abs(frames[SECOND.stop - 1]["objects"][0]["direction"]), 180, delta=0.5
        )

    def test_lines_without_tracking_are_as_they_were(self):
        frames, events = self.lines()
        self.assertEqual(events, [])
        self.assertEqual(set(frames[10]["objects"][0]), {"box", "area", "centroid"})

    def test_answers_do_not_depend_on_threads(self):
        one, three = (self.watch("--json", "-", "--track", "--threads", n).stdout for n in (1, 3))
        self.assertEqual(one, three)

    def test_min_moved_and_limits(self):
        self.assertEqual(len(self.ended("--min-moved", 100)), 2)
        self.assertEqual(len(self.ended("--min-moved", 117)), 0)
        self.assertEqual(
            [e["objects"][0]["max_area"] for e in self.ended("--max-area", 500)], [400]
        )
        self.assertEqual(
            [e["objects"][0]["max_area"] for e in self.ended("--track", "--min-area", 500)], [576]
        )
        self.assertEqual(self.ended("--min-aspect", 1.5), [])

    def test_parts_are_joined_before_they_are_held_against_limits(self):
        halves = [bytearray(luma(0)) for _ in range(8)]
        for plane in halves[1:]:
            for y in range(30, 60):
                if y in (40, 41):
                    continue
                plane[y * WIDTH + 50 : y * WIDTH + 70] = bytes([BRIGHT]) * 20
        self.file("halves.y4m", y4m(WIDTH, HEIGHT, [bytes(p) for p in halves]))
        frames, _ = self.lines("--track", name="halves.y4m")
        self.assertEqual(sorted(o["area"] for o in frames[-1]["objects"]), [200, 360])
        frames, _ = self.lines("--join", 3, "--min-area", 400, name="halves.y4m")
        self.assertEqual(
            [(o["box"], o["area"]) for o in frames[-1]["objects"]], [([50, 30, 20, 30], 560)]
        )

    def test_video_with_ids_and_times(self):
        for chroma in (b"mono", b"420jpeg"):
            with self.subTest(chroma):
                self.file("in.y4m", visits(chroma))
                outs = [
                    self.watch("-o", "-", *more, name="in.y4m").stdout
                    for more in ((), ("--track",), ("--track",))
                ]
                self.assertEqual(outs[1], outs[2])
                samples = (len(outs[0].split(b"\n", 1)[1]) // FRAMES) - 6

                def plane(stream, frame):
                    begin = len(stream.split(b"\n", 1)[0]) + 1 + frame * (samples + 6) + 6
                    return stream[begin : begin + WIDTH * HEIGHT]

                at = FIRST.start + 20  # it is clear of the time in the corner
                before, after = plane(outs[0], at), plane(outs[1], at)
                changed = {
                    (i % WIDTH, i // WIDTH) for i in range(WIDTH * HEIGHT) if before[i] != after[i]
                }
                x, y = boxes(at)[0][1:3]
                clock = {
                    (cx, cy) for cx, cy in changed if cx < 60 and cy < 18
                }  # "0:00.8": 6 cells of 10 x 18
                label = {
                    (cx, cy) for cx, cy in changed if x - 2 <= cx < x + 8 and y - 20 <= cy < y - 2
                }
                self.assertEqual(changed, clock | label)
                self.assertTrue(clock)
                # "1": 10 dots of 2 x 2 samples.
                bright = [p for p in label if after[p[1] * WIDTH + p[0]] > GROUND + 50]
                self.assertEqual(len(bright), 4 * 10)


class Events(EventsTest):
    def test_two_visits_are_two_events(self):
        _, events = self.lines("--track")
        self.assertEqual(
            [(e["id"], e["state"]) for e in events],
            [(1, "began"), (1, "ended"), (2, "began"), (2, "ended")],
        )
        for event, when in zip(events[1::2], (FIRST, SECOND)):
            self.assertEqual(
                (event["first_frame"], event["last_frame"]), (when.start, when.stop - 1)
            )
            self.assertAlmostEqual(event["start"], when.start / RATE)
            self.assertAlmostEqual(event["end"], (when.stop - 1) / RATE)
            self.assertAlmostEqual(event["clip"][0], max(0, event["start"] - 1))
            self.assertAlmostEqual(event["clip"][1], min((FRAMES - 1) / RATE, event["end"] + 1))
            self.assertEqual(event["max_at_once"], 1)
        self.assertEqual([o["id"] for e in events[1::2] for o in e["objects"]], [1, 2])
        best = events[1]["best"]
        self.assertEqual((best["id"], best["box"]), (1, list(boxes(best["frame"])[0][1:])))

    def test_merge_window_and_min_event(self):
        self.assertEqual(len(self.ended("--merge-window", 3)), 1)
        self.assertEqual(len(self.ended("--merge-window", 2.4)), 2)
        self.assertEqual(len(self.ended("--min-event", 0.9)), 2)
        self.assertEqual(len(self.ended("--min-event", 1)), 0)

    def test_lines_follow_the_schema(self):
        jsonschema = reader("jsonschema")
        schema = json.loads(
            (ROOT / "docs/schemas/detect-1.schema.json").read_text(encoding="utf-8")
        )
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(schema)
        self.scene(Scenes.GOOD.replace('mask = "mask.png"', ""))
        self.watch("--json", "all.ndjson", "--scene", "scene.toml", "--events", "list.ndjson")
        self.watch("--json", "plain.ndjson")
        night = ("--when", "22:00-06:00", "--begins", "2026-11-25T21:59:57")
        self.watch("--json", "duty.ndjson", "--scene", "scene.toml", *night)
        self.file("shaken.y4m", test_detect.shaken([(0, 0)] * 6 + [(3, 2), (0, 0)]))
        self.run_cuesta("detect", "shaken.y4m", "--json", "moved.ndjson", "--warm-up", 3)
        lit = visits().split(b"FRAME\n")[:12]
        lit[6:] = [bytes(255 - v for v in frame) for frame in lit[6:]]
        self.file("lit.y4m", b"FRAME\n".join(lit))
        self.run_cuesta("detect", "lit.y4m", "--json", "lit.ndjson", "--warm-up", 3)
        self.watch(
            "--json",
            "both.ndjson",
            "--events",
            "{name}.ndjson",
            "--track",
            name="shaken.y4m",
            also=("visits.y4m",),
        )
        kinds = set()
        for name in (
            "all.ndjson",
            "plain.ndjson",
            "duty.ndjson",
            "list.ndjson",
            "moved.ndjson",
            "lit.ndjson",
            "both.ndjson",
            "visits.ndjson",
        ):
            for line in (self.at / name).read_text().splitlines():
                validator.validate(json.loads(line))
                kinds |= set(json.loads(line))
        self.assertLessEqual(
            {"schema", "frame", "crossings", "event", "warming_up", "shift", "changed", "camera"},
            kinds,
        )
        # The schema sees what is wrong.
        for wrong in (
            {"frame": -1, "time": 0, "objects": []},
            {"frame": 1, "time": 0},
            {"event": {"id": 1}},
            {"frame": 1, "time": 0, "objects": [], "crosings": []},
            {"frame": 1, "time": 0, "objects": [], "shift": [1]},
            {"frame": 1, "time": 0, "objects": [], "changed": 1},
        ):
            self.assertFalse(validator.is_valid(wrong), wrong)

    def test_an_event_list_is_the_events_of_the_lines(self):
        self.watch("--events", "list.ndjson", "--json", "all.ndjson")
        listed = [
            json.loads(line)["event"] for line in (self.at / "list.ndjson").read_text().splitlines()
        ]
        self.assertEqual(listed, self.ended("--track"))
        self.assertEqual(len(listed), 2)


class Scenes(EventsTest):
    GOOD = """
mask = "mask.png"

[[zones]]
name = "upper"
polygon = [[0, 0], [1, 0], [1, 0.5], [0, 0.5]]

[[zones]]
name = "left, below"
kind = "include"
polygon = [[0, 0.5], [0.5, 0.5], [0.5, 1], [0, 1]]
max_area = 600

[[lines]]
name = "gate"
from = [0.5, 1]
to = [0.5, 0]
"""

    def setUp(self):
        super().setUp()
        self.file("mask.png", png(WIDTH, HEIGHT, [255] * (WIDTH * HEIGHT)))

    def test_zones_and_lines(self):
        self.needs_pictures()
        self.scene(self.GOOD)
        frames, events = self.lines("--scene", "scene.toml")
        ended = [e for e in events if e["state"] == "ended"]
        self.assertEqual([e["objects"][0]["zones"] for e in ended], [["upper"], ["left, below"]])
        # The second square counts from where its foot, at x + 12, is in the left half.
        for line in frames[SECOND.start :]:
            for o in line["objects"]:
                self.assertLess(o["box"][0] + 12, WIDTH / 2)
        crossed = [c for line in frames for c in line["crossings"]]
        self.assertEqual([(c["line"], c["id"], c["to"]) for c in crossed], [("gate", 1, "right")])
        x = next(x for _, x, *_ in (boxes(k)[0] for k in FIRST) if x + 10 > WIDTH / 2)
        self.assertEqual(crossed[0]["frame"], next(k for k in FIRST if boxes(k)[0][1] == x))
        # The same in JSON.
        import tomllib

        self.scene(json.dumps(tomllib.loads(self.GOOD)), "scene.json")
        self.assertEqual(self.lines("--scene", "scene.json"), (frames, events))

    def test_excluded_zones_and_masks(self):
        self.scene(
            '[[zones]]\nname = "a"\nkind = "exclude"\npolygon = [[0, 0], [1, 0], [1, 0.5], [0, 0.5]]\n'
        )
        self.assertEqual(
            [e["objects"][0]["max_area"] for e in self.ended("--scene", "scene.toml")], [576]
        )
        self.needs_pictures()
        self.file(
            "lower.png",
            png(WIDTH, HEIGHT, [255 * (i // WIDTH >= 60) for i in range(WIDTH * HEIGHT)]),
        )
        self.assertEqual(
            [e["objects"][0]["max_area"] for e in self.ended("--mask", "lower.png")], [576]
        )
        self.file("small.png", png(10, 10, [255] * 100))
        self.fails(
            INPUT,
            "detect",
            self.video,
            "--json",
            "o",
            "--mask",
            "small.png",
            says=("small.png", "10 x 10", "160 x 120"),
        )

    def test_a_region_keeps_the_coordinates_of_the_frame(self):
        self.scene('[[zones]]\nname = "a"\npolygon = [[0, 0], [1, 0], [1, 0.5], [0, 0.5]]\n')
        whole = self.lines("--scene", "scene.toml")
        self.assertEqual(self.lines("--scene", "scene.toml", "--region", "0,20,160,60"), whole)

    def test_errors_name_the_file_the_place_and_the_value(self):
        zone = '[[zones]]\nname = "a"\n'
        square = "polygon = [[0, 0], [1, 0], [1, 1]]\n"
        for text, says in (
            ("zones = 5", ("zones: 5 must be a list",)),
            ("[[zone]]", ('no key "zone"', "zones")),
            ("a = ", ("line 1, column",)),
            ("when = 2026-11-22", ("line 1", "dates")),
            (zone, ("zones[0]", '"polygon" is missing')),
            (square.join(("[[zones]]\n", "")), ("zones[0]", '"name" is missing')),
            (zone + 'polygon = "all"', ('zones[0].polygon: "all" must be a list',)),
            (
                zone + "polygon = [[0, 0], [1], [1, 1]]",
                ("zones[0].polygon[1]: [1] must be a point",),
            ),
            (
                zone + "polygon = [[0, 0], [1, 0], [1, 1.5]]",
                ("zones[0]: polygon[2] is (1, 1.5)", "0 to 1"),
            ),
            (zone + "polygon = [[0, 0], [1, 0], [nan, 1]]", ("zones[0]: polygon[2] is (nan, 1)",)),
            (zone + "polygon = [[0, 0], [1, 1]]", ("zones[0]", "3 corners")),
            (zone + square + "min_area = -4", ("zones[0]: min_area is -4",)),
            (zone + square + "min_area = 2.5", ("zones[0].min_area: 2.5 must be a whole number",)),
            (zone + square + 'max_area = "big"', ('zones[0].max_area: "big" must be a number',)),
            (
                zone + square + 'kind = "out"',
                ('zones[0].kind: "out" must be include or exclude',),
            ),
            (
                zone + square + "kind = 'exclude'\nmin_area = 5",
                ("zones[0]", "excluded", "do not support limits"),
            ),
            (zone + square + zone + square, ('zones[1]: the name "a" is used twice',)),
            (zone + square + "corners = 3", ('no key "corners"', "polygon")),
            ('[[lines]]\nname = "l"\nfrom = [0, 0]', ("lines[0]", '"to" is missing')),
            ('[[lines]]\nname = "l"\nfrom = [0, 0]\nto = [0, 0]', ("lines[0]", "the same point")),
            *(
                (
                    f'[[lines]]\nname = "l"\nfrom = [0, 0]\nto = [1, 0]\nways = {ways}',
                    ("lines[0]", says),
                )
                for ways, says in (
                    ('"in"', 'ways: "in" must be a list of two names'),
                    ('["in"]', 'ways: ["in"] must be a list of two names'),
                    ('["in", 3]', 'ways: ["in",3] must be a list of two names'),
                    ('["in", "in"]', 'both ways are "in"; they must differ'),
                    ('["a;b", "in"]', 'a way is "a;b"; it must be a name without : or ;'),
                )
            ),
            ("mask = 3", ("mask: 3 must be text",)),
        ):
            with self.subTest(text):
                self.scene(text)
                self.fails(
                    INPUT,
                    "detect",
                    self.video,
                    "--json",
                    "o.ndjson",
                    "--scene",
                    "scene.toml",
                    says=("scene.toml", *says),
                )
        self.scene('{"zones": [}', "scene.json")
        self.fails(
            INPUT,
            "detect",
            self.video,
            "--json",
            "o",
            "--scene",
            "scene.json",
            says=("scene.json", "line 1"),
        )
        self.scene("[" * 100000 + "]" * 100000, "scene.json")
        self.fails(
            INPUT, "detect", self.video, "--json", "o", "--scene", "scene.json", says=("64 deep",)
        )
        self.scene("[1]", "scene.json")
        self.fails(
            INPUT,
            "detect",
            self.video,
            "--json",
            "o",
            "--scene",
            "scene.json",
            says=("[1] must be a table",),
        )
        self.fails(
            INPUT,
            "detect",
            self.video,
            "--json",
            "o",
            "--scene",
            "none.toml",
            says=("none.toml", "No such file"),
        )
        self.scene("", "scene.yaml")
        self.fails(
            INPUT,
            "detect",
            self.video,
            "--json",
            "o",
            "--scene",
            "scene.yaml",
            says=(".toml or .json",),
        )


class Lists(EventsTest):
    def test_csv(self):
        self.scene(Scenes.GOOD.replace('mask = "mask.png"', ""))
        events = self.ended("--scene", "scene.toml", "--events", "events.csv")
        with open(self.at / "events.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 2)
        for row, event in zip(rows, events):
            self.assertEqual(int(row["event"]), event["id"])
            for key, value in (
                ("start", event["start"]),
                ("end", event["end"]),
                ("clip_start", event["clip"][0]),
                ("clip_end", event["clip"][1]),
                ("duration", event["end"] - event["start"]),
                ("best_time", event["best"]["time"]),
            ):
                self.assertAlmostEqual(float(row[key]), value, delta=0.00051)
            self.assertEqual(
                (int(row["first_frame"]), int(row["last_frame"])),
                (event["first_frame"], event["last_frame"]),
            )
            self.assertEqual(
                [int(i) for i in row["ids"].split()], [o["id"] for o in event["objects"]]
            )
            self.assertEqual(row["zones"], event["objects"][0]["zones"][0])
        self.assertEqual(rows[0]["crossings"], "gate:1:right")

    def test_objects(self):
        self.scene(Scenes.GOOD.replace('mask = "mask.png"', ""))
        frames, _ = self.lines("--scene", "scene.toml", "--objects", "objects.csv")
        with open(self.at / "objects.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        wanted = [
            (line["frame"], o["id"], o["box"], "; ".join(o["zones"]))
            for line in frames
            for o in line["objects"]
        ]
        self.assertGreater(len(wanted), 20)
        self.assertEqual(
            [
                (int(r["frame"]), int(r["id"]), [int(r[key]) for key in "xywh"], r["zone"])
                for r in rows
            ],
            wanted,
        )
        for row in rows:
            self.assertAlmostEqual(float(row["time"]), int(row["frame"]) / RATE, delta=0.00051)

    def test_ways_and_counts(self):
        self.scene(
            '[[lines]]\nname = "a, b"\nfrom = [0.5, 1]\nto = [0.5, 0]\nways = ["<in>", "out"]\n'
        )
        outputs = ("--events", "e.csv", "--counts", "c.csv", "--report", "r.html", "-o", "o.y4m")
        frames, events = self.lines("--scene", "scene.toml", *outputs)
        ways = [c["to"] for line in frames for c in line["crossings"]]
        self.assertEqual(ways, ["<in>", "out"])
        self.assertEqual([c["to"] for e in events[1::2] for c in e["crossings"]], ways)
        with open(self.at / "e.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([r["crossings"] for r in rows], ["a, b:1:<in>", "a, b:2:out"])
        with open(self.at / "c.csv", newline="") as file:
            counts = list(csv.reader(file))
        self.assertEqual(counts[0], ["line", "way", "day", "hour", "count"])
        self.assertEqual(
            counts[1:], [["a, b", "<in>", "0", "0", "1"], ["a, b", "out", "0", "0", "1"]]
        )
        page = (self.at / "r.html").read_text(encoding="utf-8")
        self.assertIn("<td>a, b</td><td>&lt;in&gt;</td><td>1</td>", page)
        self.assertIn("<svg viewBox", page.split("Where it moved")[1])
        # The line and the arrow to its right are in the picture, also in frames without objects.
        plane = (self.at / "o.y4m").read_bytes().split(b"FRAME\n")[1]
        bright = {
            (k % WIDTH, k // WIDTH)
            for k, value in enumerate(plane)
            if value > 200 and k % WIDTH > 60
        }
        self.assertLessEqual({(79, y) for y in range(2, HEIGHT - 2)}, bright)
        self.assertTrue(any(x > 90 for x, _ in bright), "the arrow")
        self.assertFalse(any(x < 76 for x, _ in bright))

    def test_counts_have_every_hour(self):
        header, *frames = visits().split(b"FRAME\n")
        # 150 frames in 25 hours.
        slow = header.replace(b"F30:1", b"F1:600")
        self.assertNotEqual(slow, header)
        self.file("slow.y4m", b"FRAME\n".join([slow, *frames]))
        self.scene('[[lines]]\nname = "gate"\nfrom = [0.5, 1]\nto = [0.5, 0]\n')
        self.watch("--counts", "c.csv", "--scene", "scene.toml", name="slow.y4m")
        with open(self.at / "c.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(
            [(int(row["day"]), int(row["hour"]), row["way"]) for row in rows],
            [(h // 24, h % 24, way) for h in range(25) for way in ("right", "left")],
        )
        crossed = [(row["way"], row["count"]) for row in rows if row["count"] != "0"]
        self.assertEqual(crossed, [("right", "1"), ("left", "1")])
        self.assertEqual(len({row["hour"] for row in rows if row["count"] != "0"}), 2)

    def test_counts_need_a_line(self):
        self.scene("")
        for scene in ((), ("--scene", "scene.toml")):
            says = ("--counts needs a line to count at", "[[lines]]")
            self.fails(USAGE, "detect", "visits.y4m", "--counts", "c.csv", *scene, says=says)
            self.assertFalse((self.at / "c.csv").exists())

    def test_tables_open_as_they_are(self):
        pandas = reader("pandas")
        self.scene(Scenes.GOOD.replace('mask = "mask.png"', ""))
        tables = ("--events", "events.csv", "--objects", "objects.csv", "--counts", "counts.csv")
        tables += ("--zones", "zones.csv", "--scores", "scores.csv")
        self.watch("--scene", "scene.toml", *tables)
        self.file("still.y4m", y4m(WIDTH, HEIGHT, [luma(0)] * 4))
        for rows in (True, False):
            if not rows:
                self.watch("--scene", "scene.toml", *tables, name="still.y4m")
            for name in tables[1::2]:
                with self.subTest((name, rows)):
                    table = pandas.read_csv(self.at / name)
                    with open(self.at / name, newline="") as file:
                        listed = list(csv.reader(file))
                    self.assertEqual(list(table.columns), listed[0])
                    self.assertEqual(len(table), len(listed) - 1)
                    self.assertEqual(len(table) > 0, rows or name in ("counts.csv", "scores.csv"))
                    names = {
                        "ids",
                        "zones",
                        "zone",
                        "crossings",
                        "line",
                        "way",
                        "motion",
                        "occupied",
                        "kind",
                        "reason",
                    }
                    for column in table if rows else ():
                        is_number = pandas.api.types.is_numeric_dtype(table[column])
                        self.assertTrue(is_number or column in names, column)

    def test_every_line_has_its_kind(self):
        self.scene(Scenes.GOOD.replace('mask = "mask.png"', ""))
        self.watch("--json", "o.ndjson", "--scene", "scene.toml", "--events", "e.ndjson")
        lines = [json.loads(line) for line in (self.at / "o.ndjson").read_text().splitlines()]
        mark = {"header": "schema"}
        mark |= {kind: kind for kind in ("frame", "event", "crossing", "zone")}
        self.assertEqual({line["kind"] for line in lines}, set(mark))
        for line in lines:
            self.assertEqual(next(iter(line)), "kind")
            self.assertIn(mark[line["kind"]], line)
        crossed = [line["crossing"] for line in lines if line["kind"] == "crossing"]
        self.assertEqual(crossed, [c for line in lines for c in line.get("crossings", ())])
        for line in (self.at / "e.ndjson").read_text().splitlines():
            self.assertEqual(json.loads(line)["kind"], "event")

    def test_python_reads_events_of_either_file(self):
        cuesta = reader("cuesta")
        self.scene(Scenes.GOOD.replace('mask = "mask.png"', "").replace("gate", "a; b:1:c, gate"))
        events = self.ended(
            "--scene", "scene.toml", "--events", "e.csv", "--events", "e.ndjson", "--track"
        )
        self.watch("--scene", "scene.toml", "--json", "all.ndjson")
        tables = [
            cuesta.read_events(self.at / name) for name in ("e.csv", "e.ndjson", "all.ndjson")
        ]
        for table in tables:
            self.assertEqual(table["event"].tolist(), [e["id"] for e in events])
            self.assertEqual(
                table["ids"].tolist(), [tuple(o["id"] for o in e["objects"]) for e in events]
            )
            self.assertEqual(table["crossings"].tolist()[0], (("a; b:1:c, gate", 1, "right"),))
            self.assertEqual(table["zones"].tolist(), [("upper",), ("left, below",)])
            for seconds, event in zip(table["start"], events):
                self.assertAlmostEqual(seconds, event["start"], delta=0.00051)

    def test_edl(self):
        otio = reader("opentimelineio")
        events = self.ended("--events", "events.edl")
        try:
            timeline = otio.adapters.read_from_file(str(self.at / "events.edl"), rate=RATE)
        except otio.exceptions.NoKnownAdapterForExtensionError:
            self.skipTest(
                "OpenTimelineIO reads .edl by otio-cmx3600-adapter, which is not installed"
            )
        clips = [
            clip
            for track in timeline.tracks
            for clip in track
            if isinstance(clip, otio.schema.Clip)
        ]
        self.assertEqual(timeline.name, "visits.y4m")
        self.assertEqual(len(clips), len(events))
        for clip, event in zip(clips, events):
            self.assertEqual(clip.name, "visits.y4m")
            span = clip.source_range
            self.assertEqual(span.start_time.value, round(event["clip"][0] * RATE))
            self.assertEqual(span.end_time_inclusive().value, round(event["clip"][1] * RATE))

    def test_coco(self):
        reader("numpy")
        coco = reader("pycocotools.coco")
        evaluation = reader("pycocotools.cocoeval")
        frames, _ = self.lines("--coco", "objects.json")
        with redirect_stdout(io.StringIO()):
            dataset = coco.COCO(str(self.at / "objects.json"))
            self.assertEqual(len(dataset.getImgIds()), FRAMES)
            for line in frames:
                found = dataset.loadAnns(dataset.getAnnIds(imgIds=[line["frame"] + 1]))
                self.assertEqual(
                    [(a["track_id"], a["bbox"], a["area"]) for a in found],
                    [(o["id"], o["box"], o["area"]) for o in line["objects"]],
                )
                self.assertEqual(dataset.imgs[line["frame"] + 1]["width"], WIDTH)
            self.assertEqual(len(dataset.getAnnIds()), sum(len(line["objects"]) for line in frames))
            # Held against itself by COCO's own evaluation.
            again = dataset.loadRes([{**a, "score": 1.0} for a in dataset.anns.values()])
            run = evaluation.COCOeval(dataset, again, "bbox")
            run.evaluate()
            run.accumulate()
            run.summarize()
        self.assertAlmostEqual(run.stats[0], 1)

    def test_mot(self):
        motmetrics = reader("motmetrics")
        warnings.simplefilter("ignore")  # of pandas, for motmetrics
        self.watch("--mot", "objects.txt", "--min-hits", 1)
        truth = "".join(
            f"{k + 1},{who},{x + 1},{y + 1},{w},{h},1,-1,-1,-1\n"
            for k in range(FRAMES)
            for who, x, y, w, h in boxes(k)
        )
        self.file("truth.txt", truth.encode())
        found, wanted = (
            motmetrics.io.loadtxt(str(self.at / name), fmt="mot15-2D")
            for name in ("objects.txt", "truth.txt")
        )
        held = motmetrics.MOTAccumulator()
        for k in range(1, FRAMES + 1):
            of_frame = [
                table.loc[k] if k in table.index.get_level_values(0) else table.iloc[:0]
                for table in (wanted, found)
            ]
            sides = [t[["X", "Y", "Width", "Height"]].values for t in of_frame]
            far = [
                [0.0 if tuple(a) == tuple(b) else float("nan") for b in sides[1]] for a in sides[0]
            ]
            held.update(*(list(t.index) for t in of_frame), far, frameid=k)
        summary = motmetrics.metrics.create().compute(
            held, metrics=["mota", "motp", "idf1", "num_switches", "num_objects"]
        )
        self.assertEqual(list(summary.iloc[0]), [1, 0, 1, 0, len(FIRST) + len(SECOND)])

    def test_files_are_whole_or_not_there(self):
        cut = self.file("cut.y4m", visits()[:-100])
        names = {"--events": "e.csv", "--objects": "o.csv", "--coco": "c.json", "--mot": "m.txt"}
        for option, name in names.items():
            with self.subTest(option):
                self.file(name, b"old")
                self.fails(INPUT, "detect", cut, "--strict", option, name, says=("cut.y4m",))
                self.assertEqual((self.at / name).read_bytes(), b"old")

    def test_names_that_cannot_be_meant(self):
        for arguments, says in (
            (("--events", "e.txt"), ("--events is e.txt", ".csv", ".edl", ".ndjson")),
            (("--counts", "o.txt"), ("--counts is o.txt", ".csv")),
            (("--objects", "o.txt"), ("--objects is o.txt", ".csv")),
            (("--heatmap", "h.mp4"), ("--heatmap is h.mp4", ".png")),
            (("--mot", "visits.y4m"), ("--mot visits.y4m", "overwritten")),
            (("--mot", "a", "--coco", "a"), ("--coco a and --mot a are one file",)),
            (("--mot", "-", "--json", "-"), ("--mot -", "--json -", "one of them")),
            (("--on-event", "'notify"), ("--on-event 'notify", "is not closed")),
            (("--on-event", " "), ("--on-event", "name a program")),
            (("--json", "o", "--min-iou", 3), ("--min-iou is 3", "0 to 1")),
            (("--json", "o", "--min-hits", 0), ("--min-hits is 0",)),
        ):
            with self.subTest(arguments):
                self.fails(USAGE, "detect", "visits.y4m", *arguments, says=says)
        self.fails(OUTPUT, "detect", "visits.y4m", "--mot", "none/m.txt", says=("none/m.txt",))


class Clips(EventsTest):
    def test_clips_show_their_events(self):
        # Cuts, where encoders put frames that can be decoded by themselves: a flash before each visit.
        flash = {FIRST.start - 3, SECOND.start - 10}
        frames = [bytes([230]) * (WIDTH * HEIGHT) if k in flash else luma(k) for k in range(FRAMES)]
        self.file("flashes.y4m", y4m(WIDTH, HEIGHT, frames))
        limits = ("--max-area", 1000, "--pre-roll", 0.2, "--post-roll", 0.2, "--min-area", 100)
        for name in ("visits.mp4", "visits.mkv", "visits.mov"):
            with self.subTest(name):
                self.mp4("flashes.y4m", name)
                events = self.ended(*limits, "--clips", f"clips/{name}", name=name)
                self.assertEqual(len(events), 2)
                clips = sorted((self.at / "clips" / name).iterdir())
                suffix = Path(name).suffix
                self.assertEqual(
                    [clip.name for clip in clips], [f"event-{k:04}{suffix}" for k in (1, 2)]
                )
                whole = self.pictures(name)
                for clip, event in zip(clips, events):
                    part = self.pictures(clip)
                    # The same pictures, one after the other, somewhere around the event.
                    first = next(k for k in range(len(whole)) if whole[k : k + len(part)] == part)
                    begin, end = (round(seconds * RATE) for seconds in event["clip"])
                    # The span is that of the clip: the requested one, and what is stored around it.
                    self.assertEqual(first, begin)
                    self.assertLessEqual(abs(first + len(part) - end), 3)
                    self.assertLessEqual(begin, max(0, event["start"] - 0.2) * RATE + 0.01)
                    last = (event["end"] + 0.2) * RATE
                    self.assertTrue(last - 0.01 <= end - 1 < last + 8, (last, end))

    def test_only_of_files(self):
        self.fails(
            USAGE,
            "detect",
            "-",
            "--clips",
            "clips",
            says=("--clips clips", "standard input"),
            stdin=visits(),
        )
        self.fails(
            USAGE,
            "detect",
            "visits.y4m",
            "--clips",
            "clips",
            says=("--clips clips", "visits.y4m is not encoded"),
        )
        self.file("taken", b"")
        self.mp4("visits.y4m", "visits.mp4")
        self.fails(OUTPUT, "detect", "visits.mp4", "--clips", "taken/clips", says=("taken/clips",))


class Page(html.parser.HTMLParser):
    """Tags that are open, images, references, and the data of the script."""

    VOID = {"meta", "img", "link", "br", "input"}

    def __init__(self, text):
        super().__init__()
        self.open, self.images, self.ids, self.links, self.script, self.text = (
            [],
            [],
            set(),
            [],
            "",
            "",
        )
        self.holds_data = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag not in self.VOID:
            self.open.append(tag)
        if tag == "script":
            self.holds_data = given.get("type") == "application/json"
        if "id" in given:
            self.ids.add(given["id"])
        if tag == "img":
            self.images.append(given["src"])
        if "href" in given:
            self.links.append(given["href"])

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.script += data if self.holds_data else ""
        else:
            self.text += data


class Pictures(EventsTest):
    def setUp(self):
        super().setUp()
        self.needs_pictures()

    def test_heat_map(self):
        self.watch("--heatmap", "heat.png")
        width, height, channels, _, samples = read_png((self.at / "heat.png").read_bytes())
        self.assertEqual((width, height, channels), (WIDTH, HEIGHT, 3))
        counts = [0] * (WIDTH * HEIGHT)
        for k in range(FRAMES):
            for _, x, y, w, h in boxes(k):
                for row in range(y, y + h):
                    for column in range(x, x + w):
                        counts[row * WIDTH + column] += 1
        ground = samples[0]
        self.assertTrue(0 < ground < GROUND, "dimmed")
        heat = {}
        for i, count in enumerate(counts):
            pixel = tuple(samples[3 * i : 3 * i + 3])
            if count == 0:
                self.assertEqual(pixel, (ground,) * 3)
            else:
                self.assertEqual(heat.setdefault(count, pixel), pixel, "one color a count")
        self.assertGreater(len(heat), 3)
        brightness = [sum(heat[count]) for count in sorted(heat)]
        self.assertEqual(brightness, sorted(brightness))
        self.assertEqual(heat[max(heat)], (255, 255, 255))

    def test_heat_map_of_a_region(self):
        self.watch("--heatmap", "whole.png")
        self.watch("--heatmap", "part.png", "--region", "0,20,160,95")
        self.assertEqual(
            read_png((self.at / "part.png").read_bytes()),
            read_png((self.at / "whole.png").read_bytes()),
        )

    def test_report(self):
        self.scene(
            Scenes.GOOD.replace('mask = "mask.png"', "").replace("gate", "<gate> & </script>")
        )
        name = "a <b> & c.y4m"
        (self.at / name).write_bytes(visits())
        source = str((self.at / name).resolve())
        events = self.ended("--scene", "scene.toml", "--report", "report.html", name=source)
        text = (self.at / "report.html").read_text(encoding="utf-8")
        page = Page(text)
        self.assertEqual(page.open, [])
        self.assertEqual(json.loads(page.script), events)
        self.assertIn(f"Moving objects in {name}", page.text)
        self.assertNotIn(str(self.at), page.text)
        self.assertIn("<gate> & </script>", page.text)
        self.assertIn("2 events, 2 objects", page.text)
        self.assertEqual(page.links, ["#event-1", "#event-2"])
        self.assertLessEqual({"event-1", "event-2"}, page.ids)
        self.assertNotIn("://", text, "nothing is fetched")
        self.assertNotIn("\0", text)
        self.assertEqual(len(page.images), 3)  # an event each, and the heat map
        for source in page.images:
            kind, data = source.split(",", 1)
            self.assertEqual(kind, "data:image/jpeg;base64")
            self.file("image.jpg", base64.b64decode(data, validate=True))
            self.run_cuesta("filter", "image.jpg", "-o", "image.png", "--kernel", "average:1")
            width, height, *_ = read_png((self.at / "image.png").read_bytes())
            self.assertTrue(0 < width <= 320 and 0 < height <= 240)

    def test_a_picture_of_each_event(self):
        events = self.ended("--pictures", "shots/{name}")
        names = sorted(path.name for path in (self.at / "shots/visits").iterdir())
        self.assertEqual(names, ["event-0001.jpg", "event-0002.jpg"])
        for name, event in zip(names, events):
            self.run_cuesta(
                "filter", f"shots/visits/{name}", "-o", "p.png", "--kernel", "average:1"
            )
            width, height, channels, _, samples = read_png((self.at / "p.png").read_bytes())
            self.assertEqual((width, height), (96, 72))
            x, y, w, h = event["best"]["box"]
            left = min(max((2 * x + w - 96) // 2, 0), WIDTH - 96) & ~1
            top = min(max((2 * y + h - 72) // 2, 0), HEIGHT - 72) & ~1
            middle = ((y + h // 2 - top) * width + x + w // 2 - left) * channels
            self.assertAlmostEqual(samples[middle], 214, delta=8)
        self.watch("--pictures", "dated", "--begins", "2026-11-25T06:00:00Z")
        self.assertIn("event-0001-20261125T060000+0000.jpg", os.listdir(self.at / "dated"))

    def test_a_report_of_nothing(self):
        self.file("still.y4m", y4m(WIDTH, HEIGHT, [luma(0)] * 4))
        self.watch("--report", "report.html", name="still.y4m")
        page = Page((self.at / "report.html").read_text(encoding="utf-8"))
        self.assertIn("None.", page.text)
        self.assertEqual(json.loads(page.script), [])


class LiveEvents(EventsTest):
    def until(self, holds, what):
        end = time.monotonic() + 60
        while not holds():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.02)

    def test_lists_grow_and_an_interrupt_ends_the_event(self):
        self.needs_pictures()
        header, frames = visits().split(b"\n", 1)
        size = 6 + WIDTH * HEIGHT
        process = subprocess.Popen(
            [
                test_command.CUESTA,
                "detect",
                "-",
                *map(str, self.EXACT),
                "--events",
                "e.csv",
                "--report",
                "r.html",
                "--mot",
                "m.txt",
                "--heatmap",
                "h.png",
                "--json",
                "o.ndjson",
                "--merge-window",
                "1",
            ],
            cwd=self.at,
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.addCleanup(process.stderr.close)

        def rows(name):
            path = self.at / name
            return path.read_bytes().count(b"\n") if path.exists() else 0

        try:
            process.stdin.write(header + b"\n" + frames[: 100 * size])
            process.stdin.flush()
            self.until(
                lambda: rows("e.csv") == 2, "the first event is in the list while the video goes on"
            )
            self.assertEqual(rows("m.txt"), len(FIRST) - 2)
            process.stdin.write(frames[100 * size : 130 * size])
            process.stdin.flush()
            self.until(lambda: rows("m.txt") > len(FIRST), "the second visitor is seen")
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(timeout=60), test_command.INTERRUPTED)
        finally:
            process.kill()
            try:
                process.stdin.close()
            except BrokenPipeError:
                pass
        self.assertEqual(rows("e.csv"), 3)
        last = json.loads((self.at / "o.ndjson").read_text().splitlines()[-1])
        self.assertEqual((last["event"]["id"], last["event"]["state"]), (2, "ended"))
        page = Page((self.at / "r.html").read_text(encoding="utf-8"))
        self.assertEqual((page.open, len(json.loads(page.script))), ([], 2))
        self.assertEqual(read_png((self.at / "h.png").read_bytes())[:2], (WIDTH, HEIGHT))


class Hook(EventsTest):
    def program(self, body):
        path = self.file(
            "hook.py", f"#!{sys.executable}\nimport json, os, sys, time\n{body}\n".encode()
        )
        path.chmod(0o755)
        return path

    def test_gets_each_event_as_json(self):
        self.program(
            "line = sys.stdin.read()\n"
            "name = json.loads(line)['event']\n"
            "open(f\"{name['id']}-{name['state']}\", 'w').write(line + repr(sys.argv[1:]))\n"
            "print('said')"
        )
        done = self.watch("--json", "-", "--on-event", "./hook.py 'two words' $HOME \"a;b\" \\*")
        self.assertIn(b"said", done.stderr)
        self.assertNotIn(b"said", done.stdout)
        events = [
            json.loads(line)["event"] for line in done.stdout.splitlines() if b'"event"' in line
        ]
        for event in events:
            line, arguments = (self.at / f"{event['id']}-{event['state']}").read_text().splitlines()
            self.assertEqual(json.loads(line), {"source": "visits.y4m", "event": event})
            self.assertEqual(
                arguments, repr(["two words", "$HOME", "a;b", "*"]), "there is no shell"
            )
        self.assertEqual(len(events), 4)

    def test_alone_is_a_result(self):
        self.program("open('ran', 'a').write('x')")
        self.assertEqual(self.watch("--on-event", "./hook.py").stderr, b"")
        self.assertEqual(len((self.at / "ran").read_text()), 4)

    def test_failures_are_warnings(self):
        self.program("sys.exit(3)")
        done = self.watch("--json", "o.ndjson", "--on-event", "./hook.py")
        self.assertEqual(done.stderr.count(b"exit status 3"), 4, done.stderr)
        self.assertTrue((self.at / "o.ndjson").exists())
        done = self.watch("--json", "o.ndjson", "--on-event", "./none.py")
        self.assertIn(b"--on-event ./none.py: No such file", done.stderr)

    def test_does_not_hold_up_frames(self):
        # Each waits until all four have begun.
        self.program(
            "import glob\n"
            "open(f'begun-{os.getpid()}', 'w').close()\n"
            "end = time.monotonic() + 8\n"
            "while len(glob.glob('begun-*')) < 4 and time.monotonic() < end: time.sleep(0.02)\n"
            "sys.exit(len(glob.glob('begun-*')) < 4)"
        )
        said = self.watch("--json", "o.ndjson", "--on-event", "./hook.py").stderr
        self.assertEqual(said, b"", "four at once, not one after the other")


if __name__ == "__main__":
    test_command.CUESTA = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)

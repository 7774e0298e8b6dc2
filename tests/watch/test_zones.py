#!/usr/bin/env python3
"""Zones of cuesta detect over time: their states in every result, their limits and schedules, scores, privacy.

    test_zones.py PATH-TO-CUESTA [unittest arguments]

Makes its inputs itself.
"""

import base64
import csv
import json
import os
import re
import sys
import unittest
from pathlib import Path
from random import Random

sys.path.append(str(Path(__file__).resolve().parents[1] / "cli"))

import test_command  # noqa: E402
from test_command import INPUT, USAGE, png, read_png, y4m  # noqa: E402
from test_events import (  # noqa: E402
    BRIGHT,
    FIRST,
    FRAMES,
    HEIGHT,
    RATE,
    SECOND,
    WIDTH,
    EventsTest,
    boxes,
    visits,
)

# The first visitor is in the upper half alone, the second in the lower one.
HALVES = """
[[zones]]
name = "upper"
polygon = [[0.0, 0.0], [1.0, 0.0], [1.0, 0.5], [0.0, 0.5]]
{upper}

[[zones]]
name = "lower"
polygon = [[0.0, 0.5], [1.0, 0.5], [1.0, 1.0], [0.0, 1.0]]
{lower}

[[zones]]
name = "nowhere"
kind = "exclude"
polygon = [[0.0, 0.98], [0.02, 0.98], [0.02, 1.0]]
"""
HALF = WIDTH * HEIGHT / 2


class ZonesTest(EventsTest):
    def halves(self, upper="", lower=""):
        return self.scene(HALVES.format(upper=upper, lower=lower))

    def all_lines(self, *arguments, **options):
        done = self.watch("--json", "-", *arguments, **options)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def rows(self, name):
        with open(self.at / name) as file:
            return list(csv.DictReader(file))

    def lines_of(self, name):
        return [json.loads(line) for line in (self.at / name).read_text().splitlines()]

    def zones(self, lines):
        return [line["zone"] for line in lines if line["kind"] == "zone"]


class States(ZonesTest):
    def test_a_zone_is_occupied_while_somebody_is_there(self):
        scene = self.halves()
        lines = self.all_lines(
            "--scene", scene, "--zones", "z.csv", "--post-roll", 0.2, "--merge-window", 0.2
        )
        for name, frames in (("upper", FIRST), ("lower", SECOND)):
            of = [zone for zone in self.zones(lines) if zone["name"] == name]
            # Motion at once, occupied after three frames; left behind by both in this order.
            self.assertEqual(
                [(z["motion"], z["occupied"]) for z in of],
                [(True, False), (True, True), (False, True), (False, False)],
            )
            self.assertEqual(of[0]["frame"], frames.start)
            self.assertEqual(of[1]["frame"], frames.start + 2)
            self.assertEqual(of[2]["frame"], frames.stop)
            self.assertAlmostEqual(
                of[3]["time"] - of[1]["time"], 0.2 + (len(frames) - 3) / RATE, delta=1.5 / RATE
            )
            self.assertEqual(of[2]["since"], of[1]["time"])
            self.assertEqual(of[3]["since"], of[3]["time"])
            self.assertEqual(of[3]["level"], 0)
            self.assertGreater(of[1]["level"], 0)
        rows = self.rows("z.csv")
        self.assertEqual(len(rows), len(self.zones(lines)))
        for row, zone in zip(rows, self.zones(lines)):
            self.assertEqual(int(row["frame"]), zone["frame"])
            self.assertEqual(row["zone"], zone["name"])
            self.assertEqual(row["motion"], "ON" if zone["motion"] else "OFF")
            self.assertEqual(row["occupied"], "ON" if zone["occupied"] else "OFF")
            self.assertEqual(int(row["level"]), zone["level"])
            self.assertAlmostEqual(float(row["since"]), zone["since"], delta=0.0006)
        self.assertEqual({zone["name"] for zone in self.zones(lines)}, {"upper", "lower"})

    def test_events_say_when_zones_were_entered_and_left(self):
        scene = self.halves()
        (event,) = (
            line["event"]
            for line in self.all_lines("--scene", scene, "--merge-window", 5)
            if line["kind"] == "event" and line["event"]["state"] == "ended"
        )
        self.assertEqual([visit["zone"] for visit in event["visits"]], ["upper", "lower"])
        for visit, frames in zip(event["visits"], (FIRST, SECOND)):
            self.assertAlmostEqual(visit["entered"], (frames.start + 2) / RATE, delta=0.001)
            self.assertAlmostEqual(visit["left"], (frames.stop - 1) / RATE, delta=0.001)

    def test_scores_are_what_is_drawn(self):
        scene = self.halves()
        lines = self.all_lines("--scene", scene, "--scores", "s.csv")
        frames = [line for line in lines if line["kind"] == "frame"]
        rows = self.rows("s.csv")
        self.assertEqual(len(rows), FRAMES)
        for line, row in zip(frames, rows):
            area = sum(w * h for _, _, _, w, h in boxes(line["frame"]))
            self.assertAlmostEqual(line["score"], 100 * area / (WIDTH * HEIGHT), delta=1e-4)
            self.assertAlmostEqual(float(row["score"]), line["score"], delta=1e-4)
            upper = 100 * area / HALF if line["frame"] in FIRST else 0
            lower = 100 * area / HALF if line["frame"] in SECOND else 0
            self.assertEqual(set(line["scores"]), {"upper", "lower"})
            self.assertAlmostEqual(line["scores"]["upper"], upper, delta=1e-4)
            self.assertAlmostEqual(float(row["lower"]), lower, delta=1e-4)
        # Without tracking, too.
        plain = [line for line in self.all_lines() if line["kind"] == "frame"]
        self.assertEqual([line["score"] for line in plain], [line["score"] for line in frames])
        self.assertNotIn("scores", plain[0])

    def test_tables_need_a_zone(self):
        said = self.watch("--zones", "z.csv", code=USAGE).stderr.decode()
        self.assertIn("--zones needs a zone", said)
        for option in ("--zones", "--scores"):
            said = self.watch(option, "z.txt", code=USAGE).stderr.decode()
            self.assertIn("the extension must be .csv", said)


class Limits(ZonesTest):
    def ids(self, *arguments):
        events = self.ended(*arguments)
        return [tuple(o["id"] for o in event["objects"]) for event in events], events

    def test_min_hits_and_min_moved_of_one_zone(self):
        for limit in ("min_hits = 31", "min_moved = 200"):
            with self.subTest(limit):
                ids, events = self.ids("--scene", self.halves(upper=limit))
                self.assertEqual(ids, [(1,)])
                self.assertGreaterEqual(events[0]["first_frame"], SECOND.start)
                ids, events = self.ids("--scene", self.halves(lower=limit))
                self.assertEqual(ids, [(1,)])
                self.assertLessEqual(events[0]["last_frame"], FIRST.stop)
        # Less than the options' own.
        ids, _ = self.ids("--scene", self.halves(upper="min_hits = 3"), "--min-hits", 31)
        self.assertEqual(ids, [(1,)])
        # The same limits as without their zones.
        for limits in ((), ("--min-hits", 5), ("--min-moved", 20)):
            own = (
                "\n".join(
                    f"{name[2:].replace('-', '_')} = {value}" for name, value in [limits] if limits
                )
                if limits
                else ""
            )
            with self.subTest(limits):
                _, whole = self.ids("--scene", self.halves(), *limits)
                _, zoned = self.ids("--scene", self.halves(upper=own, lower=own))
                self.assertEqual(zoned, whole)

    def test_threshold_of_one_zone(self):
        # Visitors differ from the ground by much less than 250 levels.
        for zones, wanted in (
            ({}, [FIRST, SECOND]),
            ({"upper": "threshold = 250"}, [SECOND]),
            ({"lower": "threshold = 250"}, [FIRST]),
        ):
            with self.subTest(zones):
                events = self.ended("--scene", self.halves(**zones))
                self.assertEqual(len(events), len(wanted))
                for event, frames in zip(events, wanted):
                    self.assertIn(event["first_frame"], frames)
        # Zones that ask for less than the option; and the same in every result.
        scene = self.halves(upper="threshold = 16", lower="threshold = 16")
        self.assertEqual(
            self.all_lines("--scene", scene, "--threshold", 250)[1:],
            self.all_lines("--scene", self.halves())[1:],
        )
        self.fails(
            INPUT,
            "detect",
            self.video,
            "--scene",
            self.halves(upper="threshold = -3"),
            "--json",
            "-",
            says=["zones[0]", "threshold is -3", "0 or more"],
        )

    def test_min_score_makes_events_of_motion(self):
        # 400 and 576 of 19200 pixels.
        for options, wanted in (
            (("--min-score", 1), [FIRST, SECOND]),
            (("--min-score", 2.5), [SECOND]),
            (("--min-score", 5), []),
            # No object is followed: events do not hang on identity.
            (("--min-score", 1, "--min-hits", 1000), [FIRST, SECOND]),
        ):
            with self.subTest(options):
                events = self.ended(*options)
                self.assertEqual(
                    [(e["first_frame"], e["last_frame"]) for e in events],
                    [(frames.start, frames.stop - 1) for frames in wanted],
                )
                for event in events:
                    frame = event["best"]["frame"]
                    _, x, y, w, h = boxes(frame)[0]
                    self.assertEqual(event["best"]["box"], [x, y, w, h])
        # 4.2 and 6 % of a half.
        for upper, lower, wanted in (
            ("min_score = 5", "", [SECOND]),
            ("min_score = 4", "min_score = 7", [FIRST]),
        ):
            events = self.ended("--scene", self.halves(upper, lower), "--min-hits", 1)
            self.assertEqual([e["first_frame"] for e in events], [f.start for f in wanted])

    def test_what_cannot_be_meant(self):
        for limit, says in (
            ("min_hits = 0", "min_hits is 0"),
            ("min_moved = -1", "min_moved is -1"),
            ("min_score = 101", "min_score is 101"),
            ('when = "22:00"', "22:00-06:00"),
            ('when = "22:00-25:00"', "22:00-06:00"),
            ('when = "06:00-06:00"', "22:00-06:00"),
            ("when = 22", "22:00-06:00"),
        ):
            with self.subTest(limit):
                done = self.watch("--scene", self.halves(upper=limit), "--json", "-", code=None)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(says, done.stderr.decode())


class Schedules(ZonesTest):
    BEGINS = ("--begins", "2026-11-25T21:59:57")  # the second visit is after 22:00

    def test_zones_have_times(self):
        night = 'when = "22:00-06:00"'
        for upper, lower, wanted in (
            (night, night, [SECOND]),
            (night, "", [SECOND]),
            ("", night, [FIRST, SECOND]),
            ('when = "06:00-22:00"', 'when = "06:00-22:00"', [FIRST]),
            ('when = "12:00-13:00,21:59-22:00"', night, [FIRST, SECOND]),
        ):
            with self.subTest((upper, lower)):
                events = self.ended("--scene", self.halves(upper, lower), *self.BEGINS)
                self.assertEqual([e["first_frame"] for e in events], [f.start for f in wanted])

    def test_cameras_have_times(self):
        for when, wanted in (
            ("22:00-06:00", [SECOND]),
            ("06:00-22:00", [FIRST]),
            ("00:00-24:00", [FIRST, SECOND]),
        ):
            lines = self.all_lines("--when", when, "--track", "--events", "e.csv", *self.BEGINS)
            self.assertEqual(
                [int(row["first_frame"]) for row in self.rows("e.csv")], [f.start for f in wanted]
            )
            for line in lines:
                if line["kind"] == "frame":
                    evening = line["clock"][11:16] < "22:00"
                    off = (
                        evening if when.startswith("22") else not evening and when.startswith("06")
                    )
                    self.assertEqual(line.get("off_duty", False), off)

    def test_they_need_a_clock(self):
        for arguments in (
            ("--when", "22:00-06:00"),
            ("--scene", self.halves('when = "22:00-06:00"')),
        ):
            said = self.watch(*arguments, "--json", "-", code=USAGE).stderr.decode()
            self.assertIn("needs the time of day", said)
            self.assertIn("--begins", said)
        said = self.watch("--when", "night", "--json", "-", code=USAGE).stderr.decode()
        self.assertIn("--when is night", said)


class Privacy(ZonesTest):
    def setUp(self):
        super().setUp()
        self.needs_pictures()
        # The upper half is nobody's business.
        rows = [bytes([0 if y < HEIGHT // 2 else 255]) * WIDTH for y in range(HEIGHT)]
        self.file("private.png", png(WIDTH, HEIGHT, b"".join(rows)))

    def test_nothing_shows_it(self):
        self.file("color.y4m", visits(b"420jpeg"))
        by_scene = self.scene('mask_privacy = "private.png"')
        for option in (("--mask-privacy", "private.png"), ("--scene", by_scene)):
            with self.subTest(option):
                self.watch(
                    *option, "-o", "o.y4m", "--json", "o.nd", "--heatmap", "h.png", name="color.y4m"
                )
                frames = (self.at / "o.y4m").read_bytes().split(b"FRAME\n")[1:]
                self.assertEqual(len(frames), FRAMES)
                for frame in frames:
                    self.assertEqual(set(frame[: WIDTH * (HEIGHT // 2 - 20)][WIDTH * 24 :]), {16})
                    chroma = frame[WIDTH * HEIGHT :][: WIDTH // 2 * (HEIGHT // 4 - 10)]
                    self.assertEqual(set(chroma[WIDTH // 2 * 12 :]), {128})
                lines = self.lines_of("o.nd")
                found = {
                    line["frame"] for line in lines if line["kind"] == "frame" and line["objects"]
                }
                self.assertEqual(found & set(FIRST), set())
                self.assertTrue(found & set(SECOND))

    def test_every_kind_of_sample(self):
        """Whatever is stored: no sample that covers a black pixel is left."""
        width, height, frames = 33, 21, 3
        random = Random(5)
        black = [[random.random() < 0.2 for _ in range(width)] for _ in range(height)]
        # Black as JPEG has it, and white.
        mask = bytes(random.randrange(30) if b else 255 for row in black for b in row)
        self.file("holes.png", png(width, height, mask))
        for chroma, across, down in (
            *((b"mono", 0, 0), (b"mono10", 0, 0), (b"420jpeg", 2, 2), (b"420p10", 2, 2)),
            *((b"422", 2, 1), (b"422p12", 2, 1), (b"444", 1, 1), (b"444p16", 1, 1)),
        ):
            with self.subTest(chroma):
                bits = int(re.search(rb"(?:p|mono)(\d+)$|$", chroma)[1] or 8)
                plane = (-(-width // across), -(-height // down)) if across else (0, 0)
                count = width * height + 2 * plane[0] * plane[1]
                one = (150 << (bits - 8)).to_bytes(1 if bits == 8 else 2, "little")
                self.file("deep.y4m", y4m(width, height, [one * count] * frames, chroma))
                self.watch("--mask-privacy", "holes.png", "-o", "o.y4m", name="deep.y4m")
                header, rest = (self.at / "o.y4m").read_bytes().split(b"\n", 1)
                seen = rest.split(b"FRAME\n")[1:]
                self.assertEqual([len(frame) for frame in seen], [count] * frames)
                for frame in seen:
                    luma, color = frame[: width * height], frame[width * height :]
                    blacks = {
                        luma[i] for i in range(width * height) if black[i // width][i % width]
                    }
                    self.assertEqual(blacks, {16 if b"FULL" not in header else 0})
                    for at in range(len(color) // 2):
                        y, x = divmod(at, plane[0])
                        rows = black[y * down : (y + 1) * down]
                        hides = any(any(row[x * across : (x + 1) * across]) for row in rows)
                        self.assertEqual(color[at], 128 if hides else 150)
                        self.assertEqual(color[at + len(color) // 2], color[at])

    def test_clips_are_encoded(self):
        # With a color: nothing of the first visitor is seen, who is in the clip of the second.
        self.file("color.y4m", visits(b"420jpeg"))
        for name in ("v.mp4", "v.mkv"):
            with self.subTest(name):
                self.mp4("color.y4m", name)
                options = ("--mask-privacy", "private.png", "--pre-roll", 3.5)
                lossy = ("--min-area", 100, "--threshold", 40)
                done = self.watch(*options, *lossy, "--clips", "clips", "--json", "o.nd", name=name)
                self.assertIn(b"clips are encoded", done.stderr)
                lines = self.lines_of("o.nd")
                (event,) = (
                    line["event"]
                    for line in lines
                    if line["kind"] == "event" and line["event"]["state"] == "ended"
                )
                (clip,) = (self.at / "clips").iterdir()
                self.assertEqual(clip.name, "event-0001.mp4")
                shown = self.pictures(clip)
                begin, end = (round(seconds * RATE) for seconds in event["clip"])
                self.assertAlmostEqual(len(shown), end - begin + 1, delta=1)
                self.assertLess(begin, FIRST.stop)
                brightest = [max(luma[WIDTH * (HEIGHT // 2) :]) for luma in shown]
                for at, luma in enumerate(shown):
                    self.assertLess(max(luma[: WIDTH * (HEIGHT // 2 - 8)]), 32, at)
                self.assertGreater(max(brightest), 150)
                clip.unlink()

    def test_pictures_and_the_report(self):
        self.file("color.y4m", visits(b"420jpeg"))
        self.watch(
            *("--mask-privacy", "private.png", "--heatmap", "h.png", "--report", "r.html"),
            name="color.y4m",
        )
        images = re.findall(r"base64,([A-Za-z0-9+/=]+)", (self.at / "r.html").read_text())
        self.assertTrue(images)
        self.file("0.png", (self.at / "h.png").read_bytes())
        for at, data in enumerate(images, 1):
            self.file(f"{at}.jpg", base64.b64decode(data))
            self.run_cuesta("filter", f"{at}.jpg", "-o", f"{at}.png", "--kernel", "average:1")
        seen = 0
        for at in range(len(images) + 1):
            width, height, channels, _, samples = read_png((self.at / f"{at}.png").read_bytes())
            if (width, height) != (WIDTH, HEIGHT):
                continue
            seen += 1
            upper = samples[: width * channels * (HEIGHT // 2 - 8)]
            self.assertLess(max(upper), 20, at)
            self.assertGreater(max(samples), 20)
        self.assertTrue(seen)

    def test_both_masks_hold(self):
        rows = [bytes([255 if y < HEIGHT // 2 else 0]) * WIDTH for y in range(HEIGHT)]
        self.file("lower.png", png(WIDTH, HEIGHT, b"".join(rows)))
        scene = self.scene('mask_privacy = "private.png"')
        options = ("--scene", scene, "--mask-privacy", "lower.png")
        self.watch(*options, "-o", "o.y4m", "--json", "o.nd")
        frames = (self.at / "o.y4m").read_bytes().split(b"FRAME\n")[1:]
        self.assertFalse(any(BRIGHT in frame[WIDTH * 24 :] for frame in frames))
        lines = self.lines_of("o.nd")
        self.assertFalse(any(line["objects"] for line in lines if line["kind"] == "frame"))

    def test_the_sandbox_reads_it(self):
        scene = self.scene('mask_privacy = "private.png"')
        for option in (("--mask-privacy", "private.png"), ("--scene", scene)):
            done = self.watch(*option, "--json", "-", "--sandbox", code=None)
            if b"sandbox" in done.stderr and done.returncode:
                self.skipTest(done.stderr.decode())
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_cannot_be_painted_out(self):
        self.file("small.png", png(8, 8, bytes(64)))
        self.file("white.png", png(WIDTH, HEIGHT, bytes([255]) * (WIDTH * HEIGHT)))
        empty = self.scene('mask_privacy = ""', "empty.toml")
        os.mkfifo(self.at / "pipe.json")
        missing = self.scene('mask_privacy = "none.png"', "missing.toml")
        mask = ("--mask-privacy", "private.png")
        for code, options, says in (
            (INPUT, ("--mask-privacy", "small.png"), ("the sizes must match",)),
            (INPUT, ("--mask-privacy", "white.png"), ("white.png", "no black pixel")),
            (INPUT, ("--mask-privacy", "none.png"), ("none.png",)),
            (USAGE, ("--mask-privacy", ""), ("--mask-privacy", "empty")),
            (INPUT, ("--scene", empty), ("mask_privacy", "the path of a picture")),
            (INPUT, ("--scene", missing), ("none.png",)),
            (INPUT, ("--scene", "pipe.json"), ("pipe.json", "not a regular file")),
            (USAGE, (*mask, "--decode", "cuda"), ("--decode is cuda", "mask_privacy")),
        ):
            with self.subTest(options):
                self.fails(code, "detect", "visits.y4m", *options, "-o", "o.y4m", says=says)
                self.assertFalse((self.at / "o.y4m").exists())


if __name__ == "__main__":
    test_command.CUESTA = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)

#!/usr/bin/env python3
"""cuesta detect --record: segments of live video from servers on the loopback interface.

test_record.py PATH-TO-CUESTA [unittest arguments]
"""

import csv
import os
import re
import signal
import sys
import time
import unittest

sys.path.append(os.path.dirname(os.path.abspath(__file__)))

from live_view import EVENTS, RATE, LiveViewTest  # noqa: E402

import test_command  # noqa: E402
from test_command import INTERRUPTED, OUTPUT, USAGE, png  # noqa: E402
from test_detect import FRAMES, HEIGHT, PLAIN, WIDTH, street  # noqa: E402

NAME = re.compile(r"segment-\d{8}T\d{6}[+-]\d{4}(-\d+)?\.mkv")


class RecordTest(LiveViewTest):
    def record(self, *arguments, times=4, code=3):
        """Records what a camera sends until it closes the connection; (what was said, its index)."""
        pictures = self.pictures() * times
        server = self.rtsp(lambda n: pictures, rate=RATE)
        done = self.run_cuesta("detect", server.address(), "--record", "rec", *EVENTS, *PLAIN,
                               "--reconnect", 0, *arguments, code=code)  # fmt: skip
        self.sent = len(pictures)
        return done.stderr.decode(), self.index()

    def index(self):
        with open(self.at / "rec/segments.csv", newline="") as file:
            return list(csv.DictReader(file))

    def segments(self):
        return sorted(path.name for path in (self.at / "rec").glob("*.mkv"))

    def frames_in(self, name):
        return self.frames_in_video(f"rec/{name}", *PLAIN)

    def check_index(self, rows):
        """Every segment is in it, as large as it says, and one follows the other."""
        self.assertEqual(sorted(row["file"] for row in rows), self.segments())
        for row in rows:
            self.assertRegex(row["file"], NAME)
            self.assertEqual(int(row["bytes"]), (self.at / "rec" / row["file"]).stat().st_size)
            self.assertLess(float(row["begin"]), float(row["end"]))
        for one, two in zip(rows, rows[1:]):
            self.assertAlmostEqual(float(one["end"]), float(two["begin"]), delta=0.03)


class Segments(RecordTest):
    def test_hold_every_frame_once(self):
        said, rows = self.record("--segment", 1, "--json", "o.nd")
        self.assertNotIn("warning: --record", said)
        self.check_index(rows)
        self.assertGreater(len(rows), 3, rows)
        seen = len([line for line in self.lines("o.nd") if line["kind"] == "frame"])
        counts = [self.frames_in(row["file"]) for row in rows]
        self.assertAlmostEqual(sum(counts), seen, delta=3)
        for row, count in zip(rows, counts):
            self.assertAlmostEqual(count, (float(row["end"]) - float(row["begin"])) * RATE, delta=2)
        # Segments end at the first key frame after their length; there is one in every FRAMES.
        for row in rows[:-1]:
            length = float(row["end"]) - float(row["begin"])
            self.assertTrue(0.97 <= length <= 1 + (FRAMES + 2) / RATE, length)

    def test_the_index_says_what_moved(self):
        _, rows = self.record("--segment", 1, "--events", "e.csv")
        with open(self.at / "e.csv") as file:
            events = list(csv.DictReader(file))
        self.assertEqual(sum(int(row["events"]) for row in rows), len(events))
        for row in rows:
            begin, end = float(row["begin"]), float(row["end"])
            inside = [e for e in events if float(e["start"]) < end and float(e["end"]) > begin]
            if not inside:
                self.assertEqual((float(row["moving"]), int(row["objects"])), (0, 0), row)
            self.assertLessEqual(float(row["moving"]), end - begin + 0.05)
        self.assertGreater(sum(float(row["moving"]) for row in rows), 0.5)
        self.assertGreater(max(float(row["max_score"]) for row in rows), 4)
        self.assertRegex(rows[0]["begin_clock"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]")

    def test_only_those_with_motion(self):
        pictures = self.pictures()
        still, visit = pictures[: 5 * FRAMES], pictures[5 * FRAMES :]
        server = self.rtsp(lambda n: still * 4 + visit + still * 4, rate=RATE)
        self.run_cuesta("detect", server.address(), "--record", "rec", "--record-motion", *EVENTS,
                        *PLAIN, "--segment", 1, "--reconnect", 0, code=3)  # fmt: skip
        rows = self.index()
        self.assertEqual(sorted(row["file"] for row in rows), self.segments())
        self.assertTrue(1 <= len(rows) <= 2, rows)
        self.assertTrue(
            all(float(row["max_score"]) > 0 or float(row["moving"]) > 0 for row in rows)
        )

    def test_with_clips(self):
        """Both take from one buffer what they need."""
        said, rows = self.record("--segment", 1, "--clips", "cut", "--events", "e.csv")
        self.assertNotIn("--clip-memory", said)
        self.check_index(rows)
        with open(self.at / "e.csv") as file:
            events = list(csv.DictReader(file))
        self.assertEqual(len(list((self.at / "cut").glob("*.mkv"))), len(events))
        for event in events:
            self.assertGreater(float(event["start"]) - float(event["clip_start"]), 0.4)

    def test_a_camera_that_comes_back(self):
        pictures = self.pictures()
        server = self.rtsp(lambda n: pictures, rate=RATE, most=2)
        self.run_cuesta("detect", server.address(), "--record", "rec", *EVENTS, *PLAIN,
                        "--reconnect", 1, "--timeout", 1, code=3)  # fmt: skip
        rows = self.index()
        self.assertEqual(len(rows), 2, "a segment for each connection")
        self.assertLess(float(rows[0]["end"]), float(rows[1]["begin"]))
        self.assertTrue(all(self.frames_in(row["file"]) > 50 for row in rows))


class Limits(RecordTest):
    def test_the_oldest_are_removed_by_size(self):
        foreign = self.file("rec/segment-foreign.mkv", b"of somebody else")
        _, rows = self.record("--segment", 1)
        (self.at / "rec" / rows[1]["file"]).write_bytes(b"changed by somebody")
        sizes = [int(row["bytes"]) for row in rows]
        limit = sum(sizes[-2:]) / 1e6 + 0.0005
        said, left = self.record("--segment", 1, "--keep", f"{limit:.6f}MB", times=1)
        self.assertLessEqual(sum(int(row["bytes"]) for row in left), limit * 1e6)
        self.assertNotIn(rows[0]["file"], self.segments())
        # What the recorder did not write as it is now stays.
        self.assertEqual(foreign.read_bytes(), b"of somebody else")
        self.assertEqual((self.at / "rec" / rows[1]["file"]).read_bytes(), b"changed by somebody")
        self.assertNotIn(rows[1]["file"], [row["file"] for row in left])

    def test_the_oldest_are_removed_by_age(self):
        _, rows = self.record("--segment", 1)
        old = time.time() - 3 * 86400
        for row in rows[:2]:
            os.utime(self.at / "rec" / row["file"], (old, old))
        _, left = self.record("--segment", 1, "--keep", "2d,1GB", times=1)
        names = [row["file"] for row in left]
        self.assertEqual(names[: len(rows) - 2], [row["file"] for row in rows[2:]])
        self.assertGreater(len(names), len(rows) - 2)
        self.assertEqual(sorted(names), self.segments())

    def test_a_folder_outside_of_the_index_is_safe(self):
        """Names in a forged index reach no other folder, and links are not followed."""
        self.record("--segment", 1)
        precious = self.file("precious.mkv", b"precious")
        (self.at / "rec/segment-link.mkv").symlink_to(precious)
        size = len(b"precious")
        with open(self.at / "rec/segments.csv", "a") as file:
            for name in ("../precious.mkv", "segment-/../../precious.mkv", "segment-link.mkv"):
                file.write(f"{name},0.0,1.0,,,{size},0.0,0.0,0,0\n")
        self.record("--segment", 1, "--keep", "0.000001MB", times=1)
        self.assertEqual(precious.read_bytes(), b"precious")
        self.assertTrue((self.at / "rec/segment-link.mkv").is_symlink())


class Ends(RecordTest):
    def test_a_signal_ends_the_segment_and_a_kill_leaves_it(self):
        pictures = self.pictures()
        server = self.rtsp(lambda n: pictures * 50, rate=RATE)
        for sign in (signal.SIGINT, signal.SIGKILL):
            process = self.start("detect", server.address(), "--record", "rec", *EVENTS, *PLAIN)
            self.until(
                lambda: any(p.stat().st_size > 4000 for p in (self.at / "rec").glob("*.part.mkv")),
                "a segment that grows",
            )
            process.send_signal(sign)
            process.communicate(timeout=60)
            self.assertEqual(process.returncode, INTERRUPTED if sign == signal.SIGINT else -9)
        whole, killed = self.index()
        self.assertEqual(killed["bytes"], "")
        part = killed["file"].replace(".mkv", ".part.mkv")
        for name in (whole["file"], part):
            self.assertGreater(self.frames_in(name), 30)
        # The next run knows both, and may remove them.
        self.record(times=1)
        self.assertEqual([row["file"] for row in self.index()][:2], [whole["file"], part])
        self.record("--keep", "0.000001MB", times=1)
        self.assertEqual(self.segments(), [])

    def test_a_folder_that_cannot_be_written_makes_it_pause(self):
        self.file("token", b"0123456789abcdef")
        view = self.view(
            self.camera(), "--record", "rec", "--segment", 1, *EVENTS, "--json", "o.nd"
        )
        self.until(lambda: len(self.segments()) > 1, "segments")
        for path in (self.at / "rec").iterdir():
            path.unlink()
        (self.at / "rec").rmdir()
        self.file("rec", b"no folder")
        said = lambda: b"".join(view.errors)  # noqa: E731
        self.until(lambda: b"the recording pauses" in said(), "a warning")
        before = view.json()["frame"]
        self.until(lambda: view.json()["frame"] > before + RATE, "detection continues")
        (self.at / "rec").unlink()
        (self.at / "rec").mkdir()
        self.until(lambda: b"the recording resumes" in said(), "it is tried again")
        self.until(lambda: len(self.segments()) > 1, "segments again")
        code, _, _ = view.end(signal.SIGINT)
        self.assertEqual(code, OUTPUT, said())
        self.assertEqual(said().count(b"pauses"), 1)
        self.check_index([row for row in self.index() if row["file"] in self.segments()])

    def test_what_is_refused(self):
        self.file("street.y4m", street())
        self.file("rec2/segments.csv", b"name,price\n")
        for words, says in (
            (("street.y4m", "--record", "rec"), ("--record rec", "only live video")),
            (("-", "--record", "rec"), ("--record rec", "not encoded")),
            (("street.y4m", "--json", "-", "--keep", "7d"), ("--keep", "--record")),
            (("street.y4m", "--json", "-", "--record-motion"), ("--record-motion", "--record")),
            (("street.y4m", "--json", "-", "--segment", "60"), ("--segment", "--record")),
            (("-", "--record", "rec", "--sandbox"), ("--record rec", "--sandbox")),
            (("-", "--record", "rec", "--keep", "7"), ("--keep is 7;", "200GB")),
            (("-", "--record", "rec", "--keep", "7d,8d"), ("7d,8d",)),
            (("-", "--record", "rec", "--keep", "-1GB"), ("-1GB",)),
        ):
            with self.subTest(words):
                self.fails(USAGE, "detect", *words, stdin=street(), says=says)
        self.assertFalse((self.at / "rec").exists())
        camera = self.camera()
        self.fails(OUTPUT, "detect", camera, "--record", "rec2", says=("segments.csv", "no index"))
        black = bytes(WIDTH * HEIGHT // 2) + bytes([255]) * (WIDTH * HEIGHT // 2)
        self.file("private.png", png(WIDTH, HEIGHT, black))
        self.fails(USAGE, "detect", camera, "--record", "rec", "--mask-privacy", "private.png",
                   says=("--record rec", "mask_privacy"))  # fmt: skip


if __name__ == "__main__":
    test_command.CUESTA = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)

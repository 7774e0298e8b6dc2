#!/usr/bin/env python3
"""cuesta detect --clips of live video, from servers on the loopback interface.

test_live_clips.py PATH-TO-CUESTA [unittest arguments]
"""

import csv
import os
import signal
import sys
import unittest

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))

import servers  # noqa: E402
import test_command  # noqa: E402
from test_command import INTERRUPTED, OUTPUT, USAGE, png, y4m  # noqa: E402
from test_detect import FRAMES, HEIGHT, PLAIN, WIDTH, luma, street  # noqa: E402
from test_network import NetworkTest  # noqa: E402

RATE = 60
EVENTS = ("--min-hits", 1, "--merge-window", 0.3, "--pre-roll", 0.5, "--post-roll", 0.3)


class LiveClipsTest(NetworkTest):
    def setUp(self):
        super().setUp()
        self.needs_video()
        still = [luma(None) + bytes([128]) * (WIDTH * HEIGHT // 2)] * FRAMES
        self.still = servers.access_units(
            self.video_bytes("still.h264", y4m(WIDTH, HEIGHT, still, b"420jpeg"))
        )
        self.street = self.units()

    def visits(self, count=1):
        """Pictures, a key picture in every FRAMES: a second of nothing before and after a visit."""
        return (self.still * 5 + self.street * 2) * count + self.still * 6

    def rows(self, name="e.csv"):
        with open(self.at / name) as file:
            return list(csv.DictReader(file))

    def clips(self, folder="cut"):
        return sorted(path.name for path in (self.at / folder).iterdir())

    def watch(self, *inputs, code=0, options=EVENTS):
        done = self.run_cuesta("detect", *inputs, "--events", "e.csv", "--clips", "cut", *options,
                               *PLAIN, "--reconnect", 0, code=code)  # fmt: skip
        return done.stderr.decode()

    def shows(self, name, row):
        """The clip has the frames of its span, and the visit in their middle."""
        self.run_cuesta("detect", name, "--json", "c.nd", *PLAIN)
        frames = [line for line in self.lines("c.nd") if line["kind"] == "frame"]
        begin, end = float(row["clip_start"]), float(row["clip_end"])
        self.assertAlmostEqual(len(frames), (end - begin) * RATE, delta=2)
        self.assertAlmostEqual(frames[-1]["time"], end - begin - 1 / RATE, delta=0.04)
        seen = [line["time"] + begin for line in frames if line["objects"]]
        self.assertAlmostEqual(seen[0], float(row["start"]), delta=0.04)
        self.assertAlmostEqual(seen[-1], float(row["end"]), delta=0.04)
        # From the key picture before the pre-roll to the post-roll.
        early = float(row["start"]) - 0.5 - begin
        self.assertTrue(-0.04 < early < FRAMES / RATE + 0.04, early)
        self.assertAlmostEqual(end, float(row["end"]) + 0.3, delta=0.06)


class Cameras(LiveClipsTest):
    def test_each_event_is_a_clip(self):
        server = self.rtsp(lambda n: self.visits(2), rate=RATE)
        said = self.watch(server.address(), code=3)
        rows = self.rows()
        self.assertEqual(len(rows), 2, said)
        names = self.clips()
        self.assertEqual(len(names), 2)
        for name, row in zip(names, rows):
            self.assertRegex(name, r"^event-000\d-\d{8}T\d{6}.*\.mkv$")
            self.shows(f"cut/{name}", row)
        self.assertNotIn("clip-memory", said)

    def test_of_several_cameras_at_once(self):
        addresses = [self.rtsp(lambda n: self.visits(), rate=RATE).address() for _ in range(2)]
        self.run_cuesta("detect", *addresses, "--events", "{name}.csv", "--clips", "cut-{name}",
                        *EVENTS, *PLAIN, "--reconnect", 0, code=3)  # fmt: skip
        lists = sorted(path.stem for path in self.at.glob("*.csv"))
        self.assertEqual(len(lists), 2)
        for name in lists:
            rows, clips = self.rows(f"{name}.csv"), self.clips(f"cut-{name}")
            self.assertEqual((len(rows), len(clips)), (1, 1))
            self.shows(f"cut-{name}/{clips[0]}", rows[0])

    def test_a_pipe_is_live_too(self):
        pictures = self.visits()
        stream = b"".join(b"\0\0\0\1" + nal for unit in pictures for nal in unit)
        self.file("raw.h264", stream)
        self.run_cuesta("filter", "raw.h264", "-o", "raw.mkv", "--kernel", "average:1")
        data = (self.at / "raw.mkv").read_bytes()
        self.run_cuesta("detect", "-", "--events", "e.csv", "--clips", "cut", *EVENTS, *PLAIN,
                        stdin=data)  # fmt: skip
        self.assertEqual(len(self.rows()), 1)
        self.assertEqual(self.clips(), ["event-0001.mkv"])

    def test_in_the_sandbox(self):
        frames = [luma(None)] * 20 + [luma((40, 40))] * 20 + [luma(None)] * 40
        data = self.video_bytes(
            "a.mkv",
            y4m(
                WIDTH,
                HEIGHT,
                [f + bytes([128]) * (WIDTH * HEIGHT // 2) for f in frames],
                b"420jpeg",
            ),
        )
        self.run_cuesta("detect", "-", "--clips", "cut", "--events", "e.csv", *EVENTS, *PLAIN,
                        "--sandbox", stdin=data)  # fmt: skip
        self.assertEqual(self.clips(), ["event-0001.mkv"])

    def test_a_camera_that_is_lost_ends_the_clip(self):
        plans = [self.still * 5 + self.street, self.visits()]
        server = self.rtsp(lambda n: plans[min(n, 1)], rate=RATE, most=2)
        self.run_cuesta("detect", server.address(), "--events", "e.csv", "--clips", "cut", *EVENTS,
                        *PLAIN, "--reconnect", 1, "--timeout", 1, code=3)  # fmt: skip
        rows, names = self.rows(), self.clips()
        self.assertEqual((len(rows), len(names)), (2, 2))
        self.assertLess(float(rows[0]["clip_end"]), float(rows[1]["clip_start"]))
        self.shows(f"cut/{names[1]}", rows[1])

    def test_the_buffer_was_too_small(self):
        server = self.rtsp(lambda n: self.visits(), rate=RATE)
        said = self.watch(server.address(), code=3, options=(*EVENTS, "--clip-memory", 1000))
        self.assertIn("--clip-memory is too small", said)
        row = self.rows()[0]
        self.assertGreater(float(row["clip_start"]), float(row["start"]) - 0.4)

    def test_a_signal_ends_the_clip_and_a_kill_leaves_it_under_its_first_name(self):
        for sign in (signal.SIGINT, signal.SIGKILL):
            with self.subTest(sign):
                folder = f"cut-{sign}"
                server = self.rtsp(lambda n: self.still * 5 + self.street * 60, rate=RATE)
                process = self.start("detect", server.address(), "--events", "e.csv", "--clips",
                                     folder, *EVENTS, *PLAIN)  # fmt: skip

                def grown():
                    parts = list((self.at / folder).glob("*.part.mkv"))
                    return parts and parts[0].stat().st_size > 4000

                self.until(grown, "a clip that grows")
                process.send_signal(sign)
                process.communicate(timeout=60)
                self.assertEqual(process.returncode, INTERRUPTED if sign == signal.SIGINT else -9)
                (name,) = self.clips(folder)
                self.assertEqual(name.endswith(".part.mkv"), sign == signal.SIGKILL)
                self.run_cuesta("detect", f"{folder}/{name}", "--json", "c.nd", *PLAIN)
                self.assertGreater(len(self.lines("c.nd")), 30)

    def test_a_folder_that_cannot_be_written_costs_clips_and_no_event(self):
        server = self.rtsp(lambda n: self.visits(3) + self.still * 60, rate=RATE)
        process = self.start("detect", server.address(), "--events", "e.csv", "--clips", "cut",
                             "--follow", *EVENTS, *PLAIN)  # fmt: skip
        self.until(
            lambda: (
                [n for n in self.clips() if not n.endswith(".part.mkv")]
                if (self.at / "cut").exists()
                else None
            ),
            "the first clip",
        )
        for path in (self.at / "cut").iterdir():
            path.unlink()
        (self.at / "cut").rmdir()
        self.file("cut", b"no folder")
        self.until(lambda: len(self.rows()) == 3, "every event")
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        self.assertEqual(said.count(b"have no whole clips"), 1, said)
        self.assertEqual(process.returncode, OUTPUT, said)
        for row in self.rows()[1:]:
            self.assertEqual(row["clip_start"], row["clip_end"])


class Refused(LiveClipsTest):
    def test_what_cannot_be_clipped(self):
        self.fails(
            USAGE,
            "detect",
            "-",
            "--clips",
            "cut",
            stdin=street(),
            says=("--clips cut", "not encoded"),
        )
        self.assertFalse((self.at / "cut").exists())
        self.file(
            "private.png",
            png(WIDTH, HEIGHT, bytes(WIDTH * HEIGHT // 2) + bytes([255]) * (WIDTH * HEIGHT // 2)),
        )
        server = self.rtsp(lambda n: self.still)
        self.fails(USAGE, "detect", server.address(), "--clips", "cut", "--mask-privacy", "private.png",
                   says=("--clips cut", "mask_privacy"))  # fmt: skip


if __name__ == "__main__":
    test_command.CUESTA = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)

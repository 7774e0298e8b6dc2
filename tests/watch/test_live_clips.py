#!/usr/bin/env python3
"""cuesta detect --clips of live video, from servers on the loopback interface.

test_live_clips.py PATH-TO-CUESTA [unittest arguments]
"""

import csv
import json
import os
import shutil
import signal
import subprocess
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


class Sound(LiveClipsTest):
    """Made by ffmpeg, judged by ffprobe: 10 s of pictures and a tone, and a visit in the middle."""

    SECONDS = 10

    def setUp(self):
        super().setUp()
        if not shutil.which("ffmpeg"):
            self.skipTest("ffmpeg is not installed")
        pictures = (self.still * 60)[: RATE * self.SECONDS]
        pictures[RATE * 5 : RATE * 6] = (self.street * 4)[:RATE]
        self.file("raw.h264", b"".join(b"\0\0\0\1" + nal for unit in pictures for nal in unit))

    def loud(self, name, *codec):
        self.tool("ffmpeg", "-v", "error", "-r", RATE, "-i", "raw.h264", "-f", "lavfi", "-i",
                  "sine=sample_rate=16000", "-t", self.SECONDS, "-c:v", "copy", "-c:a", *codec, name)  # fmt: skip
        return (self.at / name).read_bytes()

    def tool(self, *words):
        return subprocess.run([str(word) for word in words], cwd=self.at, check=True, timeout=120,
                              stdin=subprocess.DEVNULL, capture_output=True).stdout  # fmt: skip

    def streams(self, name):
        """{"video" or "audio": (codec, begin, end)} by the packets of a file."""
        told = json.loads(self.tool("ffprobe", "-v", "error", "-of", "json", "-show_packets",
                                    "-show_streams", name))  # fmt: skip
        found = {}
        for stream in told["streams"]:
            own = [p for p in told["packets"] if p["stream_index"] == stream["index"]]
            begins = [float(p["pts_time"]) for p in own]
            end = max(t + float(p.get("duration_time", 0)) for t, p in zip(begins, own))
            found[stream["codec_type"]] = (stream["codec_name"], min(begins), end)
        return found

    def in_step(self, name, codec):
        streams = self.streams(name)
        self.assertEqual(set(streams), {"video", "audio"}, name)
        self.assertEqual(streams["audio"][0], codec)
        for one, two in zip(streams["video"][1:], streams["audio"][1:]):
            self.assertAlmostEqual(one, two, delta=0.1, msg=streams)
        # What is heard can be decoded from end to end.
        self.tool("ffmpeg", "-v", "error", "-xerror", "-i", name, "-f", "null", "-")

    def test_of_live_clips_is_copied(self):
        for kind, codec in (("mkv", "aac"), ("ts", "aac"), ("mkv", "pcm_mulaw"), ("ts", "mp2")):
            with self.subTest(kind=kind, codec=codec):
                folder = f"{kind}-{codec}"
                data = self.loud(f"{folder}.{kind}", codec)
                self.run_cuesta("detect", "-", "--clips", folder, *EVENTS, *PLAIN, stdin=data)
                (name,) = self.clips(folder)
                self.in_step(f"{folder}/{name}", codec)

    def test_of_segments_is_copied(self):
        data = self.loud("a.ts", "aac")
        self.run_cuesta("detect", "-", "--record", "rec", "--segment", 3, *PLAIN, stdin=data)
        names = [name for name in self.clips("rec") if name.endswith(".mkv")]
        self.assertGreaterEqual(len(names), 3)
        for name in names:
            with self.subTest(name):
                self.in_step(f"rec/{name}", "aac")

    def test_counts_towards_the_bound(self):
        data = self.loud("a.mkv", "pcm_s16le")  # 32 kB a second; the pictures are smaller
        done = self.run_cuesta("detect", "-", "--clips", "cut", "--min-hits", 1, "--pre-roll", 4, *PLAIN,
                               "--clip-memory", 60000, stdin=data)  # fmt: skip
        self.assertIn(b"--clip-memory is too small", done.stderr)

    def test_of_files_is_copied_or_its_loss_is_told_once(self):
        for name, codec in (("a.mp4", "aac"), ("b.mkv", "flac")):
            with self.subTest(name):
                self.loud(name, codec)
                self.run_cuesta("detect", name, "--clips", f"cut-{codec}", *EVENTS, *PLAIN)
                (clip,) = self.clips(f"cut-{codec}")
                self.in_step(f"cut-{codec}/{clip}", codec)
        self.loud("c.mov", "pcm_mulaw")
        (self.at / "c.mov").rename(self.at / "c.mp4")
        done = self.run_cuesta("detect", "c.mp4", "--clips", "silent", *EVENTS, *PLAIN)
        self.assertEqual(done.stderr.count(b"clips are without its sound (mp4"), 1, done.stderr)
        (clip,) = self.clips("silent")
        self.assertEqual(set(self.streams(f"silent/{clip}")), {"video"})


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

#!/usr/bin/env python3
"""cuesta detect on recordings: in chunks, with damage, from one time to another.

test_recordings.py PATH-TO-CUESTA [unittest arguments]
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.append(os.path.dirname(os.path.abspath(__file__)))

import test_command  # noqa: E402
from test_command import INPUT, INTERRUPTED, USAGE, png, y4m  # noqa: E402
from test_detect import HEIGHT, PLAIN, WIDTH, luma, place  # noqa: E402
from test_live import LiveTest  # noqa: E402

FRAMES, RATE = 90, 30
CONTAINERS = ("mp4", "mkv", "avi", "mov")


def pictures(frames=FRAMES):
    return [luma(place(1 + k % 11)) + bytes([128]) * (WIDTH * HEIGHT // 2) for k in range(frames)]


def video(frames):
    return y4m(WIDTH, HEIGHT, frames, b"420jpeg")


class RecordingTest(LiveTest):
    def encoded(self, name, frames):
        """A video whose key frames are few, as a camera's."""
        self.mp4(name, video(frames))
        return name

    def has_video(self):
        try:
            self.needs_video()
            return True
        except unittest.SkipTest:
            return False

    def found(self, *arguments, **options):
        done = self.run_cuesta("detect", *arguments, *PLAIN, "--json", "-", **options)
        return [json.loads(line) for line in done.stdout.splitlines()], done.stderr.decode()

    def frames(self, *arguments, **options):
        return [line for line in self.found(*arguments, **options)[0] if line["kind"] == "frame"]


class Joined(RecordingTest):
    def chunks(self, suffix="y4m", cuts=(0, 30, 31, 62, FRAMES), folder="chunks"):
        (self.at / folder).mkdir(exist_ok=True)
        all_frames, names = pictures(), []
        for k, (begin, end) in enumerate(zip(cuts, cuts[1:])):
            names.append(f"{folder}/part{8 + k}.{suffix}")  # part8, part9, part10, part11
            part = all_frames[begin:end]
            if suffix == "y4m":
                self.file(names[-1], video(part))
            else:
                self.encoded(names[-1], part)
        return names

    def test_are_one_recording(self):
        self.file("whole.y4m", video(pictures()))
        watched = ("--track", "--min-hits", 1, "--merge-window", 0.2)
        whole = self.found("whole.y4m", *watched)[0]
        names = self.chunks()
        self.file("list.txt", b"ffconcat version 1.0\n# a\nfile 'chunks/part8.y4m'\nduration 1\n"
                  b"file chunks/part9.y4m\n" + f"file {self.at}/chunks/part10.y4m\n".encode()
                  + b"file 'chunks/'part11.y4m\n")  # fmt: skip
        self.file("chunks/notes.txt", b"no video")
        self.file("chunks/.hidden.y4m", b"no video")
        for inputs in (
            names,
            ["chunks"],
            ["chunks/*.y4m"],
            ["list.txt"],
            [names[0], "chunks/part9.y4m", "chunks/part1?.y4m"],
        ):
            for sandbox in ([], ["--sandbox"]):
                with self.subTest((inputs, sandbox)):
                    lines = self.found(*inputs, "--join-inputs", *watched, *sandbox)[0]
                    self.assertEqual(lines[1:], whole[1:])

    def test_every_container_has_a_clock_that_goes_on(self):
        for suffix in CONTAINERS:
            with self.subTest(suffix):
                names = self.chunks(suffix, folder=suffix)
                frames = self.frames(*names, "--join-inputs")
                self.assertEqual([line["frame"] for line in frames], list(range(FRAMES)))
                for line in frames:
                    self.assertAlmostEqual(line["time"], line["frame"] / RATE, delta=0.002)

    def test_a_camera_of_a_list_may_be_one(self):
        self.chunks()
        self.file("c.toml", b'[[cameras]]\ninput = "chunks"\njoin-inputs = true\nname = "yard"\n'
                  b'[[cameras]]\ninput = "street.y4m"\n')  # fmt: skip
        lines = self.found("--cameras", "c.toml")[0]
        yard = [l for l in lines if l["camera"] == "yard" and l["kind"] == "frame"]
        self.assertEqual(len(yard), FRAMES)

    def test_clips_go_on_from_file_to_file(self):
        frames = [luma(None) + bytes([128]) * (WIDTH * HEIGHT // 2)] * 12
        frames += pictures(30) + frames[:18]  # 60, with one event from 12 to 41
        event = ("--events", "e.csv", "--clips", "cut", "--min-hits", 1, "--post-roll", 0.2)
        black = bytes(8) + bytes([255]) * (WIDTH - 8)
        self.file("private.png", png(WIDTH, HEIGHT, black * HEIGHT))
        for suffix in CONTAINERS:
            for private in ([], ["--mask-privacy", "private.png"]):
                with self.subTest(suffix, private=private):
                    names = [f"c{k}.{suffix}" for k in (1, 2, 3)]
                    for k, name in enumerate(names):
                        self.encoded(name, frames[20 * k : 20 * (k + 1)])
                    self.run_cuesta("detect", *names, "--join-inputs", *event, *PLAIN,
                                    "--pre-roll", 0.2, *private)  # fmt: skip
                    rows = (self.at / "e.csv").read_text().splitlines()
                    self.assertEqual(len(rows), 2)
                    row = dict(zip(rows[0].split(","), rows[1].split(",")))
                    begin, end = (
                        round(float(row[key]) * RATE) for key in ("clip_start", "clip_end")
                    )
                    shown = self.frames("cut/event-0001." + ("mp4" if private else suffix))
                    if private:  # as requested, from frame to frame
                        self.assertTrue(0 < begin < 12 and 42 < end < 60, row)
                        self.assertEqual(len(shown), end + 1 - begin)
                    else:
                        # From the key frame that the first file begins with to those that are
                        # stored before the last.
                        self.assertEqual(begin, 0)
                        self.assertTrue(48 <= end <= 48 + 7, row)
                        self.assertTrue(48 <= len(shown) <= end, (row, len(shown)))
                    for line in shown[:42]:
                        self.assertAlmostEqual(line["time"], line["frame"] / RATE, delta=0.002)

    def test_what_cannot_be_joined(self):
        names = self.chunks()
        (self.at / "none").mkdir()
        self.file("odd.txt", b"file 'a.y4m'\ninpoint 3\n")
        self.file("small.y4m", y4m(WIDTH // 2, HEIGHT, [bytes(WIDTH // 2 * HEIGHT)]))
        out = ("--json", "o.nd")
        for code, inputs, says in (
            (INPUT, ["chunks"], ("chunks", "folder", "--join-inputs")),
            (INPUT, ["none", "--join-inputs"], ("none", "no videos")),
            (INPUT, ["no*.y4m", "--join-inputs"], ("no*.y4m", "no file")),
            (INPUT, ["odd.txt", "--join-inputs"], ("odd.txt", "line 2", "inpoint 3")),
            (INPUT, [names[0], "gone.y4m", "--join-inputs", "--strict"], ("gone.y4m",)),
            (INPUT, ["gone.y4m", "lost.y4m", "--join-inputs"], ("none of 2 files",)),
            (INPUT, [names[0], "small.y4m", "--join-inputs"], ("small.y4m", "80x120", "160x120")),
            (USAGE, ["-", "--join-inputs"], ("--join-inputs", "only files")),
            (USAGE, ["rtsp://127.0.0.1/a", "--join-inputs"], ("only files",)),
            (USAGE, [names[0], names[1], "--join-inputs", "--json", names[1]], ("overwritten",)),
        ):  # fmt: skip
            with self.subTest(inputs):
                given = inputs if "--json" in inputs else [*inputs, *out]
                self.fails(code, "detect", *given, says=says)

    def test_a_chunk_that_is_lost_is_left_out(self):
        names = self.chunks()
        self.file(names[1], b"")
        self.file("late.y4m", video(pictures(4))[:-9])
        for inputs, count in (([names[0], names[1], names[2]], 61), ([names[0], "late.y4m"], 33)):
            with self.subTest(inputs):
                lines, said = self.found(*inputs, "--join-inputs")
                self.assertEqual(len([l for l in lines if l["kind"] == "frame"]), count)
                self.assertIn("warning: ", said)
                self.assertIn(inputs[1], said)


class Excerpts(RecordingTest):
    def test_times(self):
        self.file("all.y4m", video(pictures()))
        names = ["all.y4m"]
        if self.has_video():
            names += [self.encoded(f"all.{suffix}", pictures()) for suffix in CONTAINERS]
        for name in names:
            whole = self.frames(name)
            for begin, end, every in (
                (0, 1, 1),
                (1, None, 1),
                (2.04, 3, 1),
                (0, None, 4),
                (0.4, 3.2, 7),
            ):
                with self.subTest((name, begin, end, every)):
                    given = ["--every", every]
                    given += ["--from", begin] if begin else []
                    given += ["--to", f"0:0{end}"] if end else []
                    part = self.frames(name, *given)
                    times = [line["time"] for line in whole if begin <= line["time"] < (end or 1e9)]
                    self.assertEqual([line["time"] for line in part], times[::every])
                    self.assertEqual([line["frame"] for line in part], list(range(len(part))))

    def test_of_pipes_ends_reading(self):
        data = video(pictures())
        done = self.run_cuesta("detect", "-", "--json", "-", "--to", 1, *PLAIN, stdin=data)
        self.assertEqual(len(done.stdout.splitlines()), 1 + RATE)

    def test_the_video_with_boxes_has_as_many(self):
        self.encoded("all.mp4", pictures())
        self.run_cuesta("detect", "all.mp4", "-o", "part.mkv", "--from", 1, "--to", "2", *PLAIN)
        self.assertEqual(len(self.frames("part.mkv")), RATE)

    def test_that_cannot_be_meant(self):
        self.file("all.y4m", video(pictures(20)))
        for code, given, says in (
            (USAGE, ["--from", "x"], ("--from is x", "H:M:S")),
            (USAGE, ["--from", "-3"], ("--from",)),
            (USAGE, ["--to", "1:60"], ("--to is 1:60",)),
            (USAGE, ["--to", "1:2:3:4"], ("--to is 1:2:3:4",)),
            (USAGE, ["--from", "0.5:10"], ("--from is 0.5:10",)),
            (USAGE, ["--from", "5", "--to", "5"], ("--from 5", "--to 5")),
            (USAGE, ["--to", "0"], ("--to 0",)),
            (USAGE, ["--every", "0"], ("--every",)),
            (INPUT, ["--from", "7"], ("all.y4m", "7 s", "0.7 s")),
        ):  # fmt: skip
            with self.subTest(given):
                self.fails(code, "detect", "all.y4m", "--json", "o", *given, says=says)
        self.fails(USAGE, "detect", "-", "--from", 1, "--json", "o", stdin=b"", says=("--from 1",))


class Damage(RecordingTest):
    def noisy(self):
        """Frames of many bytes: damage in the middle hits few of them."""
        noise = random.Random(7)
        return [
            luma(place(1 + k % 11)) + noise.randbytes(WIDTH * HEIGHT // 2) for k in range(FRAMES)
        ]

    def test_in_the_middle_is_passed_over(self):
        # libav's reader of Matroska leaves out the rest of a damaged cluster without a message.
        for suffix in ("mp4", "mov", "avi"):
            with self.subTest(suffix):
                name = self.encoded(f"whole.{suffix}", self.noisy())
                whole = self.frames(name)
                data = bytearray((self.at / name).read_bytes())
                middle = len(data) // 2
                broken = len(data) // 12
                data[middle : middle + broken] = random.Random(4).randbytes(broken)
                self.file(f"hit.{suffix}", bytes(data))
                (self.at / "o.nd").unlink(missing_ok=True)
                self.fails(INPUT, "detect", f"hit.{suffix}", "--json", "o.nd", "--strict",
                           *PLAIN, says=[f"hit.{suffix}"])  # fmt: skip
                self.assertFalse((self.at / "o.nd").exists(), suffix)
                lines, said = self.found(f"hit.{suffix}")
                frames = [line for line in lines if line["kind"] == "frame"]
                self.assertGreater(len(frames), FRAMES - 30)
                self.assertIn(f"warning: hit.{suffix}: ", said)
                # What came before is as it was, and nothing comes twice.
                first = next((k for k, l in enumerate(frames) if "damaged" in l), FRAMES // 3)
                self.assertEqual(frames[: first - 5], whole[: first - 5])
                times = [line["time"] for line in frames]
                self.assertEqual(times, sorted(set(times)))
                # AVI has no times: a packet that is lost moves all that follow.
                lost = 0.5 if suffix == "avi" else 0
                self.assertAlmostEqual(frames[-1]["time"], whole[-1]["time"], delta=lost)

    def test_an_end_that_is_missing(self):
        self.file("cut.y4m", video(pictures(20))[:-10])
        self.assertEqual(len(self.frames("cut.y4m")), 19)
        self.assertIn("cut.y4m: the stream breaks off in frame 19", self.found("cut.y4m")[1])
        self.fails(INPUT, "detect", "cut.y4m", "--strict", "--json", "o", says=("cut.y4m",))
        self.fails(USAGE, "detect", "cut.y4m", "--strict", "--partial", "--json", "o",
                   says=("--strict", "--partial"))  # fmt: skip


class Growing(RecordingTest):
    QUIET = 2

    def grown(self, name, data, *arguments, steps=6, send=None, first=()):
        """Runs detect on a file that is written meanwhile, in parts; send(process) ends it."""
        (self.at / name).write_bytes(b"")
        with open(self.at / name, "ab", buffering=0) as file:
            process = subprocess.Popen(
                [test_command.CUESTA, "detect", *first, name, "--growing", str(self.QUIET)]
                + ["--join-inputs"] * bool(first)
                + [str(one) for one in (*arguments, *PLAIN)],
                cwd=self.at,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            for k in range(steps):
                file.write(data[len(data) * k // steps : len(data) * (k + 1) // steps])
                time.sleep(0.2)
            if send:
                send(process)
            out, said = process.communicate(timeout=120)
        return process.returncode, out, said.decode()

    def test_a_file_is_read_to_the_end_that_it_gets(self):
        sources = {"a.y4m": video(pictures())}
        if self.has_video():
            for suffix in ("mkv", "avi"):
                self.encoded(f"whole.{suffix}", pictures())
                sources[f"a.{suffix}"] = (self.at / f"whole.{suffix}").read_bytes()
            self.file("m.y4m", video(pictures()))
            # In fragments, as MP4 is that can be read before its end.
            self.run_cuesta("detect", "m.y4m", "-o", "f.mp4", "--follow", *PLAIN)
            sources["a.mp4"] = (self.at / "f.mp4").read_bytes()
        for name, data in sources.items():
            with self.subTest(name):
                code, out, said = self.grown(name, data, "--json", "-")
                self.assertEqual(code, 0, said)
                grown = [json.loads(line) for line in out.splitlines()]
                self.assertEqual(grown[1:], self.found(name)[0][1:])
                self.assertGreater(len(grown), FRAMES)

    def test_of_several_the_last_may_grow(self):
        self.file("first.y4m", video(pictures()[:30]))
        data = video(pictures()[30:])
        code, out, said = self.grown("a.y4m", data, "--json", "-", first=["first.y4m"])
        self.assertEqual(code, 0, said)
        self.file("whole.y4m", video(pictures()))
        grown = [json.loads(line) for line in out.splitlines()]
        self.assertEqual(grown[1:], self.found("whole.y4m")[0][1:])

    def test_whole_files_of_a_folder_follow(self):
        """Recorders write MP4 under another name, or with its index at the end: it comes whole."""
        if not self.has_video():
            self.skipTest("built without libav")
        for k in range(3):
            self.encoded(f"{k}.mp4", pictures()[20 * k : 20 * (k + 1)])
        (self.at / "chunks").mkdir()
        os.rename(self.at / "0.mp4", self.at / "chunks/0.mp4")
        began = time.monotonic()
        process = self.start("detect", "chunks", "--join-inputs", "--growing", self.QUIET, "--json", "o.nd", *PLAIN)  # fmt: skip
        for k in (1, 2):
            self.until(lambda: len(self.lines_in("o.nd")) > 20 * k, "the file before")
            time.sleep(0.5)
            if k == 2:  # a recorder that keeps little
                for path in (self.at / "chunks").iterdir():
                    path.unlink()
                time.sleep(0.5)
            os.rename(self.at / f"{k}.mp4", self.at / f"chunks/{k}.mp4")
        self.assertEqual(process.wait(timeout=60), 0)
        self.assertEqual(len(self.lines_in("o.nd")), 1 + 60)
        self.assertGreater(time.monotonic() - began, self.QUIET)

    def test_a_signal_ends_it_and_keeps_what_came(self):
        data = video(pictures())
        self.QUIET = 100
        code, out, said = self.grown(
            "a.y4m", data, "--json", "o.nd", "-o", "o.y4m",
            send=lambda process: (self.until(lambda: len(self.lines_in("o.nd")) > FRAMES, "lines"),
                                  process.send_signal(signal.SIGINT)))  # fmt: skip
        self.assertEqual(code, INTERRUPTED, said)
        self.assertIn("kept: ", said)
        self.assertEqual(len(self.lines_in("o.nd")), 1 + FRAMES)

    def lines_in(self, name):
        return (self.at / name).read_bytes().splitlines() if (self.at / name).exists() else []

    def test_clips_are_there_while_it_grows(self):
        frames = [luma(None) + bytes([128]) * (WIDTH * HEIGHT // 2)] * 12
        frames += pictures(30) + frames[:30]
        self.encoded("whole.mkv", frames)
        data = (self.at / "whole.mkv").read_bytes()
        self.grown("a.mkv", data, "--events", "e.csv", "--clips", "cut", "--min-hits", "1",
                   "--post-roll", "0.2", "--pre-roll", "0.2")  # fmt: skip
        self.assertGreater(len(self.frames("cut/event-0001.mkv")), 35)

    def test_what_does_not_grow(self):
        self.file("a.y4m", video(pictures(9)))
        self.fails(USAGE, "detect", "rtsp://127.0.0.1/a", "--growing", 2, "--json", "o",
                   says=("--growing", "not a file"))  # fmt: skip
        self.fails(USAGE, "detect", "a.y4m", "--growing", 0, "--json", "o", says=("--growing",))

    def test_chunks_that_appear_later_may_be_read_in_the_sandbox(self):
        for name in ("chunks", "chunks/c*.y4m"):
            with self.subTest(name):
                shutil.rmtree(self.at / "chunks", ignore_errors=True)
                (self.at / "chunks").mkdir()
                self.file("chunks/c1.y4m", video(pictures(20)))
                process = self.start("detect", name, "--join-inputs", "--growing", 2, "--sandbox",
                                     "--json", "o.nd", *PLAIN)  # fmt: skip
                self.until(lambda: len(self.lines_in("o.nd")) > 20, "lines of the first chunk")
                self.file("chunks/c2.y4m", video(pictures(20)))
                said = process.communicate(timeout=60)[1]
                self.assertEqual((process.returncode, len(self.lines_in("o.nd"))), (0, 41), said)

    def test_an_end_that_never_comes(self):
        data = video(pictures(20))[:-10]
        code, out, said = self.grown("a.y4m", data, "--json", "-")
        self.assertEqual((code, len(out.splitlines())), (0, 1 + 19), said)
        self.assertIn("a.y4m: the stream breaks off in frame 19", said)
        self.assertEqual(self.grown("a.y4m", data, "--json", "-", "--strict")[0], INPUT)

    def test_an_index_at_the_end_is_awaited(self):
        noise = [os.urandom(WIDTH * HEIGHT) + bytes(WIDTH * HEIGHT // 2) for _ in range(12)]
        self.encoded("whole.mp4", noise)
        data = (self.at / "whole.mp4").read_bytes()
        code, out, said = self.grown("a.mp4", data, "--json", "-")
        self.assertEqual((code, len(out.splitlines())), (0, 1 + 12), said)

    def test_chunks_are_taken_as_they_appear(self):
        self.file("whole.y4m", video(pictures()))
        whole = self.found("whole.y4m")[0]
        parts = [pictures()[k : k + 15] for k in range(0, FRAMES, 15)]
        for suffix in ("y4m", "mkv", "mp4"):
            if suffix != "y4m" and not self.has_video():
                continue
            for name in (suffix, f"{suffix}/chunk*.{suffix}"):
                with self.subTest(name):
                    shutil.rmtree(self.at / suffix, ignore_errors=True)
                    (self.at / suffix).mkdir()
                    process = None
                    for k, part in enumerate(parts):
                        self.encoded(f"next.{suffix}", part) if suffix != "y4m" else self.file(
                            "next.y4m", video(part)
                        )
                        data = (self.at / f"next.{suffix}").read_bytes()
                        with open(self.at / suffix / f"chunk{k + 8}.{suffix}", "wb") as file:
                            for piece in (data[: len(data) // 2], data[len(data) // 2 :]):
                                file.write(piece)
                                file.flush()
                                process = process or self.start(
                                    "detect", name, "--join-inputs", "--growing", 2, "--json", "o.nd",
                                    *PLAIN)  # fmt: skip
                                time.sleep(0.3)
                    said = process.communicate(timeout=120)[1]
                    self.assertEqual(process.returncode, 0, said)
                    lines = [json.loads(line) for line in self.lines_in("o.nd")]
                    frames = [line for line in lines if line["kind"] == "frame"]
                    self.assertEqual([line["frame"] for line in frames], list(range(FRAMES)), said)
                    if suffix == "y4m":
                        self.assertEqual(lines[1:], whole[1:])

    def test_a_file_that_is_emptied_is_an_error(self):
        data = video(pictures(30))

        def shorten(process):
            self.until(lambda: len(self.lines_in("o.nd")) > 30, "lines")
            os.truncate(self.at / "a.y4m", 100)

        self.QUIET = 100
        code, _, said = self.grown("a.y4m", data, "--json", "o.nd", send=shorten)
        self.assertEqual(code, INPUT, said)
        self.assertIn("a.y4m: the file became shorter", said)


if __name__ == "__main__":
    test_command.CUESTA = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)

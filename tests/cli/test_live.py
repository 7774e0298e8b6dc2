#!/usr/bin/env python3
"""cuesta on video as it happens: pipes, addresses, interrupts, results that grow.

    test_live.py PATH-TO-CUESTA [unittest arguments]

Makes its inputs itself, and serves them on the loopback. Needs nothing but Python's standard
library.
"""

import json
import os
import pty
import re
import resource
import signal
import struct
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

import test_command
import test_detect
from test_command import INPUT, INTERRUPTED, OUTPUT, read_terminal, staged_files, y4m
from test_detect import FRAMES, HEIGHT, PLAIN, WIDTH, DetectTest, luma, street


def frames_of(text):
    """The lines of frames in text; every line must be whole."""
    if isinstance(text, bytes):
        text = text.decode()
    assert text == "" or text.endswith("\n"), text[-200:]
    return [line for line in map(json.loads, text.splitlines()) if "frame" in line]


def long_street(frames, chroma=b"mono"):
    """The square's way over and over."""
    header, once = street(chroma=chroma).split(b"\n", 1)
    size = len(once) // FRAMES
    return header + b"\n" + (once * (frames // FRAMES + 1))[: frames * size]


class LiveTest(DetectTest):
    def start(self, *arguments, **options):
        options = {
            "stdin": subprocess.PIPE,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            **options,
        }
        process = subprocess.Popen(
            [test_command.CUESTA, *map(str, arguments)], cwd=self.at, **options
        )
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
        try:
            process.communicate(timeout=30)
        except (BrokenPipeError, ValueError):
            process.wait(timeout=30)

    def until(self, holds, what, seconds=60):
        end = time.monotonic() + seconds
        while not holds():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.02)

    def until_it_heeds(self, process, sign=signal.SIGINT):
        """Until the process has a handler for the signal."""

        def heeds():
            status = Path(f"/proc/{process.pid}/status").read_text()
            return int(re.search(r"SigCgt:\s*(\w+)", status)[1], 16) >> (sign - 1) & 1

        self.until(heeds, "it does not begin")

    def lines_in(self, name):
        path = self.at / name
        return path.read_bytes().count(b"\n") if path.exists() else 0

    def frames_in_video(self, name, *options):
        done = self.run_cuesta("detect", name, "--json", "-", *options)
        return len(frames_of(done.stdout))

    def interrupt(self, process, sign=signal.SIGINT):
        process.send_signal(sign)
        said = process.communicate(timeout=60)[1].decode()
        self.assertEqual(process.returncode, INTERRUPTED, said)
        return said


class Interrupts(LiveTest):
    def test_a_pipe_keeps_both_results(self):
        self.needs_video()
        for sign in (signal.SIGINT, signal.SIGTERM):
            for out in ("o.y4m", "o.mp4", "o.mkv"):
                with self.subTest((sign, out)):
                    process = self.start("detect", "-", "-o", out, "--json", "o.nd")
                    process.stdin.write(street(chroma=b"420jpeg"))
                    process.stdin.flush()
                    # Results come as they are found: they can be followed while the pipe is open.
                    self.until(
                        lambda: self.lines_in("o.nd") == FRAMES + 1,
                        "lines do not come as frames do",
                    )
                    said = self.interrupt(process, sign)
                    self.assertIn(f"interrupted after {FRAMES} frames", said)
                    self.assertIn(f"kept: {out} (", said)
                    self.assertIn("), o.nd (", said)
                    self.assertEqual(len(frames_of((self.at / "o.nd").read_text())), FRAMES)
                    self.assertEqual(self.frames_in_video(out), FRAMES)
                    self.assert_no_leftovers()
                    os.unlink(self.at / "o.nd")

    def test_a_file_keeps_nothing_unless_followed(self):
        long = y4m(640, 480, [luma((8 * (k % 40), 60), 640, 480) for k in range(400)])
        self.file("long.y4m", long)
        for follow in ([], ["--follow"]):
            with self.subTest(follow):
                # Slow, so that it is not done before it is interrupted.
                process = self.start(
                    "detect",
                    "long.y4m",
                    "-o",
                    "o.y4m",
                    "--json",
                    "o.nd",
                    "--strategy",
                    "serial",
                    *follow,
                )
                files = (
                    (lambda: [self.at / "o.nd"])
                    if follow
                    else (lambda: staged_files(process, self.at))
                )
                self.until(
                    lambda: any(
                        path.exists() and path.read_bytes().count(b"\n") > 3 for path in files()
                    ),
                    "no line",
                )
                said = self.interrupt(process)
                self.assert_no_leftovers()
                self.assertEqual((self.at / "o.y4m").exists(), bool(follow))
                self.assertEqual((self.at / "o.nd").exists(), bool(follow))
                self.assertIn("kept: o.y4m" if follow else "--follow keeps what was written", said)
        frames = frames_of((self.at / "o.nd").read_text())
        self.assertTrue(3 <= len(frames) < 400, len(frames))
        self.assertEqual((self.at / "o.y4m").read_bytes().count(b"FRAME\n"), len(frames))

    def test_a_file_followed_to_its_end_is_the_same(self):
        self.run_cuesta("detect", self.video, "-o", "a.y4m", "--json", "a.nd")
        self.run_cuesta("detect", self.video, "-o", "b.y4m", "--json", "b.nd", "--follow")
        for kind in ("y4m", "nd"):
            self.assertEqual(
                (self.at / f"a.{kind}").read_bytes(), (self.at / f"b.{kind}").read_bytes()
            )

    def test_killed_outright(self):
        self.needs_video()
        for out in ("o.mp4", "o.mkv"):
            with self.subTest(out):
                process = self.start("detect", "-", "-o", out, "--json", "o.nd", "--threads", 1)
                process.stdin.write(long_street(90, b"420jpeg"))
                process.stdin.flush()
                self.until(lambda: self.lines_in("o.nd") == 91, "no lines")
                # 3 s of 30 frames: what is in memory is a second at most.
                played = lambda: (
                    subprocess.run(
                        [test_command.CUESTA, "detect", out, "--json", "-", "--partial", *PLAIN],
                        cwd=self.at,
                        capture_output=True,
                        timeout=60,
                    ).stdout
                )
                self.until(lambda: len(frames_of(played())) >= 58, "frames do not come")
                process.kill()
                process.wait(timeout=60)
                self.assertEqual(len(frames_of((self.at / "o.nd").read_text())), 90)
                self.assertGreaterEqual(self.frames_in_video(out, "--partial"), 58)
                os.unlink(self.at / "o.nd")

    def test_the_second_signal_ends_it(self):
        process = self.start("detect", "-", "--json", "o.nd", stdout=subprocess.DEVNULL)
        process.stdin.write(street())
        process.stdin.flush()
        self.until(lambda: self.lines_in("o.nd") == FRAMES + 1, "no lines")
        self.interrupt(process)

    def test_before_the_first_byte(self):
        process = self.start("detect", "-", "--json", "o.nd")
        self.until_it_heeds(process)
        time.sleep(0.1)  # it waits for the first byte
        self.interrupt(process)
        self.assertFalse((self.at / "o.nd").exists())


class Pipes(LiveTest):
    def test_a_reader_that_takes_one_line(self):
        self.file("long.y4m", long_street(1500))  # more lines than a pipe holds
        process = self.start("detect", "long.y4m", "--json", "-")
        self.assertIn(b"schema", process.stdout.readline())
        process.stdout.close()
        self.assertEqual(process.stderr.read(), b"")
        self.assertEqual(process.wait(timeout=60), OUTPUT)

    def test_other_results_are_kept_when_a_reader_goes(self):
        process = self.start("detect", "-", "--json", "-", "-o", "o.y4m")
        process.stdin.write(street())
        process.stdin.flush()
        for _ in range(5):
            process.stdout.readline()
        process.stdout.close()
        try:
            process.stdin.write(long_street(600).split(b"\n", 1)[1])
        except BrokenPipeError:
            pass
        said = process.stderr.read().decode()
        self.assertEqual(process.wait(timeout=60), OUTPUT)
        self.assertIn("kept: o.y4m", said)
        self.assertNotIn("error", said)
        self.assertGreater((self.at / "o.y4m").read_bytes().count(b"FRAME\n"), 0)

    def test_results_into_pipes_and_devices(self):
        done = self.run_cuesta("detect", self.video, "--json", "/dev/stdout")
        self.assertEqual(len(frames_of(done.stdout)), FRAMES)
        os.mkfifo(self.at / "fifo")
        process = self.start("detect", self.video, "--json", "fifo")
        self.assertEqual(len(frames_of((self.at / "fifo").read_text())), FRAMES)
        self.assertEqual(process.wait(timeout=60), 0)

    def test_containers_on_standard_input(self):
        self.needs_video()
        wanted = None
        for name in ("a.mkv", "a.ts", "a.avi", "a.mp4"):
            self.mp4(name)
            data = (self.at / name).read_bytes()
            if name.endswith("mp4"):
                data = test_detect.index_in_front(data)
            with self.subTest(name):
                done = self.run_cuesta("detect", "-", "--json", "-", *PLAIN, stdin=data)
                self.assert_follows_the_square(frames_of(done.stdout), 0.5)
                self.assertEqual(len(frames_of(done.stdout)), FRAMES)
            with self.subTest(name + " as a file there"), open(self.at / name, "rb") as file:
                done = subprocess.run(
                    [test_command.CUESTA, "detect", "-", "--json", "-"],
                    stdin=file,
                    capture_output=True,
                    timeout=60,
                )
                self.assertEqual(len(frames_of(done.stdout)), FRAMES, done.stderr)
        noise = [os.urandom(WIDTH * HEIGHT) + bytes(WIDTH * HEIGHT // 2) for _ in range(12)]
        long = self.mp4("long.mp4", y4m(WIDTH, HEIGHT, noise, b"420jpeg")).read_bytes()
        self.fails(INPUT, "detect", "-", "--json", "o", stdin=long, says=["index is at the end"])

    def test_deep_y4m(self):
        # A blur of deep samples keeps what one of bytes rounds away.
        without_blur = [*PLAIN, "--blur", "1"]
        shallow = frames_of(
            self.run_cuesta("detect", "-", "--json", "-", *without_blur, stdin=street()).stdout
        )
        header, frames = test_detect.planes_of(street(), WIDTH * HEIGHT)
        for bits in (9, 10, 12, 14, 16):
            with self.subTest(bits):
                wide = [
                    b"".join((v << (bits - 8)).to_bytes(2, "little") for v in frame)
                    for frame in frames
                ]
                data = y4m(WIDTH, HEIGHT, wide, b"mono%d" % bits)
                done = self.run_cuesta("detect", "-", "--json", "-", *without_blur, stdin=data)
                self.assertEqual(frames_of(done.stdout), shallow)
        # Color of every sampling is read past, the luma is the same.
        half = (WIDTH // 2) * (HEIGHT // 2)
        for name, size in (
            (b"420p10", 4 * half),
            (b"422p12", 8 * half),
            (b"444p16", 16 * half),
            (b"411", 2 * half),
            (b"410", half // 2),
            (b"440", 4 * half),
            (b"444alpha", 12 * half),
        ):
            with self.subTest(name):
                bits = int(name[4:]) if b"p" in name and b"alpha" not in name else 8
                wide = [
                    b"".join((v << (bits - 8)).to_bytes(2, "little") for v in f) if bits > 8 else f
                    for f in frames
                ]
                data = y4m(WIDTH, HEIGHT, [f + bytes([0x80]) * size for f in wide], name)
                done = self.run_cuesta("detect", "-", "--json", "-", *without_blur, stdin=data)
                self.assertEqual(frames_of(done.stdout), shallow)

    def test_silence_is_told(self):
        process = self.start("detect", "-", "--json", "-", "--timeout", 0.3)
        process.stdin.write(street())
        process.stdin.flush()
        said = process.stderr.readline().decode()
        self.assertIn("no data for 0.3 s", said)
        process.stdin.write(street().split(b"\n", 1)[1])
        process.stdin.close()
        self.assertEqual(len(frames_of(process.stdout.read())), 2 * FRAMES)
        self.assertIn("data again after", process.stderr.read().decode())
        self.assertEqual(process.wait(timeout=60), 0)

    def test_a_full_disc_keeps_whole_records(self):
        self.needs_video()
        for out, kept in (("o.y4m", "frames"), ("o.mkv", "some")):
            with self.subTest(out):
                noise = y4m(WIDTH, HEIGHT, [os.urandom(WIDTH * HEIGHT) for _ in range(40)])
                done = subprocess.run(
                    [test_command.CUESTA, "detect", "-", "-o", out, "--json", "o.nd"],
                    cwd=self.at,
                    capture_output=True,
                    input=noise,
                    timeout=120,
                    preexec_fn=lambda: (
                        resource.setrlimit(resource.RLIMIT_FSIZE, (200000, 200000)),
                        signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
                    ),
                )
                self.assertEqual(done.returncode, OUTPUT, done.stderr)
                self.assertIn(f"cannot write {out}".encode(), done.stderr)
                self.assertIn(f"kept: {out} (".encode(), done.stderr)
                self.assertIn(b"), o.nd (", done.stderr)
                frames_of((self.at / "o.nd").read_text())
                if kept == "frames":
                    _, frames = test_detect.planes_of((self.at / out).read_bytes(), WIDTH * HEIGHT)
                    self.assertTrue(
                        frames and all(len(frame) == WIDTH * HEIGHT for frame in frames)
                    )


class Terminals(LiveTest):
    def test_json_and_the_bar_do_not_share_lines(self):
        header, body = street().split(b"\n", 1)

        def feed(pipe):
            """Long enough for a bar, which comes after half a second."""
            pipe.write(header + b"\n")
            for _ in range(8):
                pipe.write(body)
                pipe.flush()
                time.sleep(0.1)
            pipe.close()

        def seen_by(*arguments, **options):
            leader, follower = pty.openpty()
            process = self.start(
                "detect",
                "-",
                *arguments,
                stderr=follower,
                stdout=options.get("stdout", follower),
                env={**os.environ, "TERM": "xterm"},
            )
            os.close(follower)
            feeder = threading.Thread(target=feed, args=[process.stdin])
            feeder.start()
            seen = read_terminal(leader)
            feeder.join()
            self.assertEqual(process.wait(timeout=60), 0)
            return seen

        lines = seen_by("--json", "-").decode().replace("\r\n", "\n").splitlines()
        self.assertEqual(len(lines), 8 * FRAMES + 1)
        for line in lines:
            json.loads(line)  # nothing else is on them
        self.assertIn(b"frames, ", seen_by("--json", "o.nd"))
        self.assertIn(b"frames, ", seen_by("--json", "-", stdout=subprocess.DEVNULL))


def chunk(name, data):
    return name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)


def avi_with_sound(width, height, frames, rate=25, samples=8000):
    """RIFF AVI of gray frames as 24-bit pixels, with a track of 16-bit samples."""
    listed = lambda name, data: chunk(b"LIST", name + data)
    picture = struct.pack(
        "<IiiHHIIiiII", 40, width, height, 1, 24, 0, 3 * width * height, 0, 0, 0, 0
    )
    sound = struct.pack("<HHIIHH", 1, 1, samples, 2 * samples, 2, 16)
    stream = lambda kind, scale, per, length, size: struct.pack(
        "<4s4sIHHIIIIIIIIhhhh",
        kind,
        b"\0" * 4,
        0,
        0,
        0,
        0,
        scale,
        per,
        0,
        length,
        1 << 16,
        0,
        size,
        0,
        0,
        width,
        height,
    )
    head = struct.pack(
        "<IIIIIIIIII4I",
        10**6 // rate,
        0,
        0,
        0x10,
        len(frames),
        0,
        2,
        1 << 16,
        width,
        height,
        0,
        0,
        0,
        0,
    )
    headers = chunk(b"avih", head)
    headers += listed(
        b"strl", chunk(b"strh", stream(b"vids", 1, rate, len(frames), 0)) + chunk(b"strf", picture)
    )
    headers += listed(
        b"strl",
        chunk(b"strh", stream(b"auds", 2, 2 * samples, samples * len(frames) // rate, 2))
        + chunk(b"strf", sound),
    )
    movie = b""
    for frame in frames:
        rows = [frame[y * width : (y + 1) * width] for y in reversed(range(height))]
        movie += chunk(b"00db", b"".join(bytes([v]) * 3 for row in rows for v in row))
        movie += chunk(b"01wb", bytes(2 * (samples // rate)))
    return chunk(b"RIFF", b"AVI " + listed(b"hdrl", headers) + listed(b"movi", movie))


class Sound(LiveTest):
    def test_sound_that_is_lost_is_told(self):
        self.needs_video()
        frames = test_detect.planes_of(street(), WIDTH * HEIGHT)[1]
        self.file("loud.avi", avi_with_sound(WIDTH, HEIGHT, frames))
        said = self.run_cuesta("detect", "loud.avi", "-o", "o.webm").stderr.decode()
        self.assertIn("warning: o.webm: without its sound", said)
        self.assertEqual(self.run_cuesta("detect", "loud.avi", "-o", "o.mkv").stderr, b"")
        self.assertIn(
            b"sound copied", self.run_cuesta("detect", "loud.avi", "-o", "o.mkv", "-v").stderr
        )


if __name__ == "__main__":
    test_command.CUESTA = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)

#!/usr/bin/env python3
"""--sandbox: the same results from a process that can make these and nothing else; and what comes of one whose decoder dies.

    test_fence.py PATH-TO-CUESTA [unittest arguments]

Makes its inputs itself; needs nothing but Python's standard library.
"""

import fcntl
import os
import re
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path
from types import SimpleNamespace

import test_command
from test_command import (
    DEVICE,
    INPUT,
    INTERRUPTED,
    OUTPUT,
    USAGE,
    CommandTest,
    png,
    square,
    staged_files,
)
from test_detect import HEIGHT, PLAIN, WIDTH, luma, place, street

# Which lines ran is written at the end, and nothing but results is in the sandbox, which the counter says on stderr.
UNCOUNTED = re.compile(rb"^LLVM Profile .*\n", re.MULTILINE)

# A sanitizer would answer the signal with an exit code of its own.
WITHOUT_HANDLER = {
    "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":handle_segv=0:handle_abort=0"
}


def within(seconds, found):
    end = time.monotonic() + seconds
    while not (it := found()):
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s")
        time.sleep(0.01)
    return it


def child_of(process):
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    return within(60, lambda: [int(word) for word in children.read_text().split()])[0]


class FenceTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.video = self.file("street.y4m", street())

    def made(self, *arguments, code=0):
        """What a command says and makes, by name, in a folder that it finds empty."""
        (self.at / "out").mkdir()
        try:
            done = self.run_cuesta(*arguments, code=code)
            files = {
                str(p.relative_to(self.at)): p.read_bytes()
                for p in (self.at / "out").rglob("*")
                if p.is_file()
            }
        finally:
            subprocess.run(["rm", "-r", self.at / "out"], check=True)
        return done.stdout, UNCOUNTED.sub(b"", done.stderr), files

    def started(self, *arguments, stdin=subprocess.DEVNULL):
        process = subprocess.Popen(
            [test_command.CUESTA, *map(str, arguments), "--sandbox"],
            cwd=self.at,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **WITHOUT_HANDLER},
        )
        for done in (process.wait, process.kill, process.stdout.close, process.stderr.close):
            self.addCleanup(done)
        return process

    def slow(self, *more):
        """One that works for minutes, and has its result staged; and its child."""
        process = self.started(
            "filter", "street.y4m", "-o", "o.y4m", "--median", "101", "--strategy", "serial", *more
        )
        child = child_of(process)
        within(60, lambda: staged_files(SimpleNamespace(pid=child), self.at))
        return process, child

    def live(self, *arguments):
        """One that has read a video from a pipe, which does not end."""
        process = self.started(*arguments, stdin=subprocess.PIPE)
        self.addCleanup(process.stdin.close)
        process.stdin.write(street())
        process.stdin.flush()
        return process


class Results(FenceTest):
    def same(self, *arguments):
        self.assertEqual(self.made(*arguments, "--sandbox"), self.made(*arguments), arguments)

    def test_are_the_same(self):
        self.same("edges", "photo.png", "-o", "out/o.png", "--lines", "out/o.svg")
        self.same("edges", "photo.png", "-o", "-")
        self.same("filter", "photo.png", "-o", "out/o.tif", "--kernel", "average:3")
        self.same("filter", "street.y4m", "-o", "out/o.y4m", "--median", "3", "--follow")
        self.same("label", "photo.png", "-o", "out/o.csv", "--threshold", "100")
        lists = [
            word
            for kind in (
                "json:ndjson",
                "coco:json",
                "mot:txt",
                "events:csv",
                "objects:csv",
                "heatmap:png",
                "mask-video:y4m",
                "report:html",
            )
            for word in ("--" + kind.split(":")[0], "out/{}.{}".format(*kind.split(":")))
        ]
        self.same("detect", "street.y4m", *PLAIN, "-o", "out/o.y4m", *lists)

    def test_are_what_options_of_type_out_name(self):
        """The fence knows results by that; what other options name is read."""
        for verb, names in (
            ("edges", "output lines"),
            ("filter", "output"),
            ("label", "output"),
            (
                "detect",
                "output json mask-video events objects counts zones scores report clips pictures record live-history coco mot heatmap resume",
            ),
        ):
            text = self.run_cuesta(verb, "--help").stdout.decode()
            self.assertEqual(set(re.findall(r"--([a-z-]+) OUT\b", text)), set(names.split()), verb)
            self.assertLessEqual(
                set(re.findall(r"--([a-z-]+) (?:FILE|FOLDER)\b", text)),
                {"config", "save-config", "mask", "scene", "cameras", "passwords", "intensity"}
                | {"mask-privacy", "live-token"},
                verb,
            )

    def test_of_a_folder_are_the_same(self):
        for k in range(4):
            self.file(f"album/{k}.png", png(40, 30, square()[k:] + [0] * k))
        self.file("album/broken.png", b"\x89PNG\r\n\x1a\n")
        words = ["edges", "album", "photo.png", "-o", "out/a/b", "--format", "pgm"]
        fenced, plain = self.made(*words, "--sandbox", code=INPUT), self.made(*words, code=INPUT)
        self.assertEqual(len(plain[2]), 5)
        self.assertEqual(fenced, plain)

    def test_replace_what_had_their_names_through_links(self):
        (self.at / "elsewhere").mkdir()
        old = self.file("elsewhere/old.png", b"old")
        old.chmod(0o640)
        (self.at / "link.png").symlink_to("elsewhere/old.png")
        self.run_cuesta("edges", "photo.png", "-o", "link.png", "--sandbox")
        self.edges()
        self.assertEqual(old.read_bytes(), (self.at / "out.png").read_bytes())
        self.assertEqual(
            (old.stat().st_mode & 0o777, (self.at / "link.png").is_symlink()), (0o640, True)
        )
        self.assert_no_leftovers()

    def test_of_files_elsewhere_are_the_same(self):
        """What options, scenes and links of a folder name may be read, wherever it is."""
        self.file("far/scene/s.json", b'{"mask": "../frame.png"}')
        self.file("far/frame.png", png(WIDTH, HEIGHT, bytes([255] * (WIDTH * HEIGHT))))
        self.file("far/m.png", png(40, 30, bytes([255] * 1200)))
        self.file("far/photo.png", png(40, 30, square()))
        self.file("album/a.png", png(40, 30, square()))
        (self.at / "album/b.png").symlink_to(self.at / "far/photo.png")
        self.file("far/k.txt", b"1 2 1\n2 4 2\n1 2 1\n")
        self.same("edges", "photo.png", "-o", "out/o.png", "--mask", "far/m.png")
        self.same("edges", "album", "-o", "out/deep")
        self.same("filter", "photo.png", "-o", "out/o.png", "--kernel", "far/k.txt")
        self.same("detect", "street.y4m", "--scene", "far/scene/s.json", "--json", "out/o.ndjson")

    def test_of_a_descriptor_that_an_input_names_are_the_same(self):
        words = ["edges", "/dev/fd/77", "-o", "-"]
        results = []
        for more in ([], ["--sandbox"]):
            with open(self.at / "photo.png", "rb") as file:
                number = fcntl.fcntl(file, fcntl.F_DUPFD, 77)
                self.assertEqual(number, 77)
                done = subprocess.run(
                    [test_command.CUESTA, *words, *more],
                    capture_output=True,
                    pass_fds=[number],
                )
                os.close(number)
            self.assertEqual(done.returncode, 0, done.stderr)
            results.append(done.stdout)
        self.assertEqual(*results)

    def test_in_bands_are_the_same(self):
        self.file(
            "tall.pgm",
            test_command.pgm(64, 4000, bytes(x * y % 251 for y in range(4000) for x in range(64))),
        )
        self.same("edges", "tall.pgm", "-o", "out/o.tif", "--memory", "1MB")

    def test_that_cannot_be_written(self):
        self.fails(
            OUTPUT,
            "edges",
            "photo.png",
            "-o",
            "missing/o.png",
            "--sandbox",
            says=("missing/o.png", "its folder does not exist; create it first"),
        )
        self.fails(
            OUTPUT,
            "edges",
            "photo.png",
            "-o",
            "photo.png/o.png",
            "--sandbox",
            says=("photo.png/o.png",),
        )
        self.file("there/o.png", b"old").chmod(0o400)
        if os.geteuid() != 0:
            self.fails(
                OUTPUT,
                "edges",
                "photo.png",
                "-o",
                "there/o.png",
                "--sandbox",
                says=("there/o.png", "Permission denied"),
            )


class Fence(FenceTest):
    def test_stands_around_the_decoder(self):
        process = self.live("detect", "-", *PLAIN, "--json", "o.ndjson")
        child = child_of(process)

        def fields(pid):
            lines = Path(f"/proc/{pid}/status").read_text().splitlines()
            return {
                key: value.strip()
                for key, _, value in (line.partition(":") for line in lines)
                if key in ("Seccomp", "NoNewPrivs")
            }

        within(60, lambda: fields(child) == {"Seccomp": "2", "NoNewPrivs": "1"})
        self.assertNotEqual(fields(process.pid), fields(child))

    def test_a_decoder_that_dies_is_a_bad_input(self):
        for number in (signal.SIGSEGV, signal.SIGABRT, signal.SIGKILL):
            with self.subTest(number):
                process, child = self.slow()
                os.kill(child, number)
                self.assertEqual(process.wait(60), INPUT)
                said = UNCOUNTED.sub(b"", process.stderr.read()).decode()
                self.assertRegex(
                    said,
                    rf"^error: street.y4m: the decoder of it was stopped by signal {int(number)} \(.+\); .*\n$",
                )
                self.assertFalse((self.at / "o.y4m").exists())
                self.assert_no_leftovers()

    def test_signals_end_it_as_ever(self):
        for number, code in (
            (signal.SIGINT, INTERRUPTED),
            (signal.SIGTERM, INTERRUPTED),
            (signal.SIGUSR1, -signal.SIGUSR1),
        ):
            with self.subTest(number):
                process = self.live("detect", "-", *PLAIN, "--json", "o.ndjson")
                within(
                    60,
                    lambda: (
                        (self.at / "o.ndjson").exists()
                        and (self.at / "o.ndjson").read_bytes().count(b"\n") > 3
                    ),
                )
                process.send_signal(number)
                self.assertEqual(process.wait(60), code)
                (self.at / "o.ndjson").unlink()

    def test_ends_with_who_started_it(self):
        process, child = self.slow()
        process.kill()
        process.wait()
        within(
            60,
            lambda: (
                not Path(f"/proc/{child}").exists()
                or "Z" in Path(f"/proc/{child}/stat").read_text().split(")")[-1].split()[0]
            ),
        )
        self.assertFalse((self.at / "o.y4m").exists())
        self.assert_no_leftovers()

    def test_has_no_longer_than_max_time(self):
        process, _ = self.slow("--max-time", "1")
        self.assertEqual(process.wait(60), DEVICE)
        self.assertIn(b"--max-time", process.stderr.read())
        self.assert_no_leftovers()

    def test_one_that_is_stopped_is_ended_after_it(self):
        process, child = self.slow("--max-time", "1")
        os.kill(child, signal.SIGSTOP)
        self.assertEqual(process.wait(60), DEVICE)
        self.assertIn(b"--max-time", process.stderr.read())

    def test_has_no_network_no_programs_and_no_gpu(self):
        for words in (
            ["detect", "street.y4m", "--on-event", "true"],
            ["detect", "street.y4m", "--mqtt", "mqtt://127.0.0.1/x"],
            ["detect", "--cameras", "c.toml"],
            ["edges", "rtsp://user:secret@127.0.0.1/1", "-o", "o.mkv"],
            ["edges", "photo.png", "-o", "o.png", "--device", "cuda"],
            ["detect", "street.y4m", "street.y4m", "--json", "{name}.ndjson"],
        ):
            said = self.fails(USAGE, *words, "--sandbox", says=("--sandbox",))
            self.assertNotIn("secret", said)


if __name__ == "__main__":
    test_command.CUESTA = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)

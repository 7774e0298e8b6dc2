#!/usr/bin/env python3
"""cuesta detect on several videos at once: each as if it were alone, one that breaks, an interrupt, shares of the machine.

test_cameras.py PATH-TO-CUESTA [unittest arguments]
"""

import json
import os
import sys
import threading
import unittest

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))

import test_command  # noqa: E402
from test_command import INPUT, OUTPUT, USAGE  # noqa: E402
from test_detect import FRAMES, HEIGHT, PLAIN, WIDTH, street  # noqa: E402
from test_live import LiveTest, long_street  # noqa: E402


def mirrored(video):
    """The same, upside down."""
    head, *frames = video.split(b"FRAME\n")
    rows = lambda f: b"".join(f[y * WIDTH : (y + 1) * WIDTH] for y in reversed(range(HEIGHT)))
    return head + b"".join(b"FRAME\n" + rows(f) for f in frames)


class CamerasTest(LiveTest):
    def setUp(self):
        super().setUp()
        self.file("yard.y4m", mirrored(street()))

    def lines(self, text):
        return [json.loads(line) for line in text.splitlines()]

    def of(self, lines, camera):
        """A camera's lines without its name, which must stand first in each."""
        for line in lines:
            self.assertEqual(next(iter(line)), "camera", line)
        return [
            {k: v for k, v in line.items() if k != "camera"}
            for line in lines
            if line["camera"] == camera
        ]

    def alone(self, name, *arguments):
        return self.lines(self.run_cuesta("detect", name, "--json", "-", *arguments).stdout)


class Inputs(CamerasTest):
    def test_lines_of_each_are_those_of_it_alone(self):
        for options in (PLAIN, (*PLAIN, "--track", "--min-hits", 1), ("--warm-up", 3)):
            with self.subTest(options):
                lines = self.lines(
                    self.run_cuesta(
                        "detect", "street.y4m", "yard.y4m", "--json", "-", *options
                    ).stdout
                )
                for name in ("street", "yard"):
                    self.assertEqual(self.of(lines, name), self.alone(f"{name}.y4m", *options))
                self.assertEqual(
                    len(lines), len(self.of(lines, "street")) + len(self.of(lines, "yard"))
                )
                self.assertNotEqual(self.of(lines, "street")[1:], self.of(lines, "yard")[1:])

    def test_files_named_after_each_are_those_of_it_alone(self):
        files = ("boxes.y4m", "masks.y4m", "events.csv", "mot.txt", "heat.png", "lines.nd")
        options = lambda name: (
            "-o",
            name(files[0]),
            "--mask-video",
            name(files[1]),
            "--events",
            name(files[2]),
            "--mot",
            name(files[3]),
            "--heatmap",
            name(files[4]),
            "--json",
            name(files[5]),
            *PLAIN,
            "--min-hits",
            1,
        )
        self.run_cuesta("detect", "street.y4m", "yard.y4m", *options(lambda file: "{name}-" + file))
        for name in ("street", "yard"):
            self.run_cuesta("detect", f"{name}.y4m", *options(lambda file: "alone-" + file))
            for file in files[:-1]:
                self.assertEqual(
                    (self.at / f"{name}-{file}").read_bytes(),
                    (self.at / f"alone-{file}").read_bytes(),
                    file,
                )
            self.assertEqual(
                self.of(self.lines((self.at / f"{name}-lines.nd").read_text()), name),
                self.lines((self.at / "alone-lines.nd").read_text()),
            )
        # Of one alone the name is that of its input; its lines have no camera.
        self.run_cuesta("detect", "yard.y4m", "--json", "only-{name}.nd")
        self.assertNotIn("camera", self.lines((self.at / "only-yard.nd").read_text())[0])

    def test_inputs_of_one_name_get_numbers(self):
        os.mkdir(self.at / "b")
        self.file("b/street.y4m", street())
        lines = self.lines(
            self.run_cuesta(
                "detect", "street.y4m", "b/street.y4m", "./street.y4m", "--json", "-", *PLAIN
            ).stdout
        )
        self.assertEqual({line["camera"] for line in lines}, {"street", "street-2", "street-3"})
        self.assertEqual(self.of(lines, "street")[1:], self.of(lines, "street-3")[1:])

    def test_sixteen(self):
        lines = self.lines(
            self.run_cuesta("detect", *["street.y4m"] * 16, "--json", "-", *PLAIN).stdout
        )
        names = ["street", *(f"street-{k}" for k in range(2, 17))]
        wanted = self.alone("street.y4m", *PLAIN)
        for name in names:
            self.assertEqual(self.of(lines, name), wanted)

    def test_no_camera_waits_for_another(self):
        # Alike and on one core, they come along alike: from when the last has begun until the first is done, none has twice
        # the frames of another. A frame takes long beside what a busy machine does to threads that begin and wake.
        count = 120
        videos = [self.file(f"{k}.y4m", long_street(count)) for k in range(3)]
        done = self.run_cuesta(
            "detect",
            *videos,
            "--json",
            "-",
            "--threads",
            1,
            "--strategy",
            "serial",
            "--close",
            "rect:3",
            "--open",
            "rect:3",
            *PLAIN,
        )
        order = [line["camera"] for line in self.lines(done.stdout) if "frame" in line]
        begun = max(order.index(camera) for camera in "012")
        over = min(len(order) - order[::-1].index(camera) for camera in "012")
        seen = [order[begun:over].count(camera) for camera in "012"]
        self.assertGreater(max(seen), count / 2, "they did not run together")
        self.assertGreater(min(seen), max(seen) / 2, seen)


class Files(CamerasTest):
    TEXT = """
[[cameras]]
name = "north gate"
input = "street.y4m"
background = "first"
min_area = 2000          # the square has 1600 pixels, and grows by the closing
blur = 1
close = "none"
open = "none"

[[cameras]]
input = "yard.y4m"
threshold = "auto:30"
downscale = 2
events = ["e.csv", "e.ndjson"]
track = false
"""

    def test_options_of_each_go_before_those_of_all(self):
        self.file("cameras.toml", self.TEXT.encode())
        self.run_cuesta(
            "detect",
            "--cameras",
            "cameras.toml",
            "--json",
            "all.nd",
            "--min-area",
            100,
            "--track",
            "--warm-up",
            2,
        )
        lines = self.lines((self.at / "all.nd").read_text())
        exact = (
            "--background",
            "first",
            "--blur",
            1,
            "--close",
            "none",
            "--open",
            "none",
            "--warm-up",
            2,
            "--track",
        )
        self.assertEqual(
            self.of(lines, "north gate"), self.alone("street.y4m", "--min-area", 2000, *exact)
        )
        self.assertEqual(
            self.of(lines, "yard"),
            self.alone(
                "yard.y4m",
                "--threshold",
                "auto:30",
                "--downscale",
                2,
                "--min-area",
                100,
                "--warm-up",
                2,
                "--events",
                "x.csv",
            ),
        )
        self.assertEqual((self.at / "e.csv").read_bytes(), (self.at / "x.csv").read_bytes())
        for line in self.lines((self.at / "e.ndjson").read_text()):
            self.assertEqual(list(line), ["camera", "kind", "event"])
        # The same in JSON; a file of one camera tags its lines too.
        self.file(
            "cameras.json",
            json.dumps(
                {"cameras": [{"name": "one", "input": "street.y4m", "min-area": 7}]}
            ).encode(),
        )
        lines = self.lines(
            self.run_cuesta("detect", "--cameras", "cameras.json", "--json", "-", *PLAIN).stdout
        )
        self.assertEqual(self.of(lines, "one"), self.alone("street.y4m", "--min-area", 7, *PLAIN))

    def test_the_program_of_an_event_is_told_the_camera(self):
        self.run_cuesta(
            "detect",
            "street.y4m",
            "yard.y4m",
            "--on-event",
            "tee -a told",
            *PLAIN,
            "--min-hits",
            1,
            "--blur",
            1,
        )
        told = self.lines((self.at / "told").read_text())
        self.assertEqual({line["camera"] for line in told}, {"street", "yard"})
        self.assertEqual({line["source"] for line in told}, {"street.y4m", "yard.y4m"})

    def test_what_is_wrong_is_said_with_its_place(self):
        def says(text, *words, code=INPUT, name="cameras.toml"):
            self.file(name, text.encode())
            with self.subTest(text):
                self.fails(code, "detect", "--cameras", name, "--json", "o.nd", says=(name, *words))
                self.assertFalse((self.at / "o.nd").exists())

        camera = '[[cameras]]\ninput = "street.y4m"\n'
        says("", "no cameras")
        says("cameras = 3", "cameras", "3 must be a list")
        says("[[cameras]]\nname = 'a'", "cameras[0]", '"input" is missing')
        says(camera + "min_aera = 3", "cameras[0].min_aera", "no such option")
        says(camera + "threads = 3", "cameras[0].threads", "whole run")
        says(camera + "min_area = -3", "cameras[0]", "min-area", "-3", code=USAGE)
        says(camera + 'close = "star:3"', "cameras[0]", "star:3", code=USAGE)
        says(camera + "track = 3", "cameras[0].track", "3 must be true or false")
        says(camera + "min_area = true", "cameras[0].min_area", "true must be text or a number")
        says(camera + "min_area = [3, 4]", "cameras[0]", "--min-area", code=USAGE)
        says(camera + "min_area = 3\nmin-area = 4", "cameras[0]", "set twice")
        says(camera + 'name = "../a"', "cameras[0].name", "../a")
        says(
            camera + "name = 'a'\n" + camera + "name = 'a'",
            "cameras[1].name",
            '"a" is used by two cameras',
        )
        says(camera + "[zones]", '"zones"')
        says("[[cameras]", "line 1")
        says("{", "line 1", name="cameras.json")
        self.fails(
            INPUT,
            "detect",
            "--cameras",
            "cameras.yaml",
            "--json",
            "o",
            says=("cameras.yaml", ".toml or .json"),
        )


class Broken(CamerasTest):
    def test_one_that_breaks_does_not_end_the_others(self):
        cut = self.file("cut.y4m", street()[:-100])
        done = self.run_cuesta(
            "detect",
            cut,
            "street.y4m",
            "none.y4m",
            "yard.y4m",
            "-o",
            "{name}-boxes.y4m",
            "--json",
            "all.nd",
            "--strict",
            *PLAIN,
            code=INPUT,
        )
        said = done.stderr.decode()
        self.assertIn("error: cut: ", said)
        self.assertIn("error: none: none.y4m: No such file", said)
        self.assertIn("2 of 4 cameras failed", said)
        self.run_cuesta("detect", "street.y4m", "-o", "alone.y4m", *PLAIN)
        self.assertEqual(
            (self.at / "street-boxes.y4m").read_bytes(), (self.at / "alone.y4m").read_bytes()
        )
        self.assertTrue((self.at / "yard-boxes.y4m").exists())
        self.assertFalse((self.at / "cut-boxes.y4m").exists())  # as of a file alone
        lines = self.lines((self.at / "all.nd").read_text())
        for name in ("street", "yard"):
            self.assertEqual(self.of(lines, name), self.alone(f"{name}.y4m", *PLAIN))

    def test_one_that_cannot_be_written_does_not_end_the_others(self):
        """A full disc, a reader that goes: from the first frame, in flight, of each kind of output."""
        self.file("long.y4m", long_street(300))
        self.run_cuesta("detect", "long.y4m", "-o", "alone.y4m", "--json", "alone.nd", *PLAIN)

        def others_are_whole(*full, says):
            cameras = "".join(
                f'[[cameras]]\nname = "{name}"\ninput = "long.y4m"\n'
                + "".join(f'{k} = "{v}"\n' for k, v in out)
                for name, out in (
                    ("a", [("output", "a.y4m")]),
                    ("full", full),
                    ("b", [("output", "b.y4m")]),
                )
            )
            self.file("cameras.toml", cameras.encode())
            done = self.run_cuesta(
                "detect", "--cameras", "cameras.toml", "--json", "{name}.nd", *PLAIN, code=OUTPUT
            )
            for name in "ab":
                self.assertEqual(
                    (self.at / f"{name}.y4m").read_bytes(), (self.at / "alone.y4m").read_bytes()
                )
                self.assertEqual(
                    self.of(self.lines((self.at / f"{name}.nd").read_text()), name),
                    self.lines((self.at / "alone.nd").read_text()),
                )
                os.unlink(self.at / f"{name}.y4m")
            said = done.stderr.decode()
            self.assertEqual(said.count("error: "), 1 if says else 0, said)
            self.assertIn("1 of 3 cameras failed", said)
            for text in says:
                self.assertIn(text, said)

        os.symlink("/dev/full", self.at / "full.y4m")
        with self.subTest("video"):
            others_are_whole(
                ("output", "full.y4m"), says=("error: full: cannot write full.y4m: No space left",)
            )
        with self.subTest("mask"):
            others_are_whole(
                ("mask_video", "full.y4m"),
                says=("error: full: cannot write full.y4m: No space left",),
            )
        with self.subTest("lines"):
            others_are_whole(
                ("json", "/dev/full"), says=("error: full: cannot write /dev/full: No space left",)
            )
        with self.subTest("events"):
            others_are_whole(("events", "no/such/e.csv"), says=("error: full: ", "no/such/e.csv"))
        with self.subTest("a reader that goes"):
            os.mkfifo(self.at / "some.y4m")

            def read_some():
                with open(self.at / "some.y4m", "rb") as pipe:
                    pipe.read(5 * WIDTH * HEIGHT)

            reader = threading.Thread(target=read_some)
            reader.start()
            others_are_whole(("output", "some.y4m"), says=())
            reader.join()

    def test_all_that_break(self):
        self.run_cuesta("detect", "none.y4m", "nor.y4m", "--json", "all.nd", code=INPUT)
        self.assertFalse((self.at / "all.nd").exists())

    def test_an_interrupt_finishes_all(self):
        for name in ("a", "b"):
            os.mkfifo(self.at / f"{name}.pipe")
        process = self.start(
            "detect", "a.pipe", "b.pipe", "--json", "all.nd", "-o", "{name}.y4m", *PLAIN
        )
        pipes = [open(self.at / f"{name}.pipe", "wb") for name in ("a", "b")]
        for pipe in pipes:
            self.addCleanup(pipe.close)
            pipe.write(street())
            pipe.flush()
        self.until(lambda: self.lines_in("all.nd") >= 2 * (FRAMES - 1), "no lines")
        said = self.interrupt(process)
        lines = self.lines((self.at / "all.nd").read_text())
        for name in ("a", "b"):
            seen = len([line for line in self.of(lines, name) if "frame" in line])
            self.assertGreater(seen, 0)
            self.assertIn(f"{name}.y4m", said)
            self.assertEqual((self.at / f"{name}.y4m").read_bytes().count(b"FRAME\n"), seen)
        self.assertIn("2 cameras: interrupted", said)
        self.assertIn("all.nd", said)

    def test_an_interrupt_ends_those_that_wait_for_a_writer(self):
        os.mkfifo(self.at / "a.pipe")
        os.mkfifo(self.at / "never.pipe")
        process = self.start("detect", "a.pipe", "never.pipe", "--json", "all.nd", *PLAIN)
        with open(self.at / "a.pipe", "wb") as pipe:
            pipe.write(street())
            pipe.flush()
            self.until(lambda: self.lines_in("all.nd") >= FRAMES - 1, "no lines")
            said = self.interrupt(process)
        self.assertIn("all.nd", said)
        self.assertGreaterEqual(len(self.lines((self.at / "all.nd").read_text())), FRAMES - 1)

    def test_a_reader_that_goes_ends_all_quietly(self):
        self.file("long.y4m", long_street(800))  # more lines than a pipe holds
        process = self.start("detect", "long.y4m", "long.y4m", "--json", "-")
        self.assertIn(b"camera", process.stdout.readline())
        process.stdout.close()
        said = process.stderr.read()
        self.assertEqual(process.wait(timeout=60), OUTPUT)
        self.assertNotIn(b"error", said)

    def test_names_that_cannot_be_meant(self):
        two = ("detect", "street.y4m", "yard.y4m")
        for arguments, says in (
            ((*two,), ("no output is set",)),
            ((*two, "-o", "o.y4m"), ("-o o.y4m of street", "of yard", "{name}")),
            ((*two, "-o", "-"), ("standard output takes one", "{name}")),
            ((*two, "--json", "-", "-o", "-"), ("standard output takes one",)),
            ((*two, "--json", "o.nd", "--mot", "o.nd"), ("--json o.nd", "--mot o.nd", "one file")),
            ((*two, "--clips", "clips"), ("--clips clips of street", "{name}")),
            ((*two, "-o", "yard.y4m"), ("yard.y4m", "would be overwritten")),
            (
                ("detect", "-", "-", "--json", "o.nd"),
                ("standard input is used by several cameras",),
            ),
            (("detect", "--json", "o.nd"), ("--cameras",)),
            ((*two, "--cameras", "c.toml", "--json", "o.nd"), ("--cameras",)),
            ((*two, "--json", "o.nd", "--min-area", "x"), ("--min-area", "x")),
        ):
            with self.subTest(arguments):
                self.fails(USAGE, *arguments, says=says)
                self.assertFalse((self.at / "o.nd").exists())


if __name__ == "__main__":
    test_command.CUESTA = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)

#!/usr/bin/env python3
"""The command, run as a user would run it, on good and bad input.

    test_command.py PATH-TO-CUESTA [unittest arguments]

Makes its inputs itself; needs nothing but Python's standard library.
"""

import json
import os
import pty
import random
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zlib
from pathlib import Path

CUESTA = ""


def bench_program():
    """cuesta-bench beside the command, or None: builds may leave it out."""
    path = Path(CUESTA).parent / "cuesta-bench"
    return path if path.exists() else None


USAGE, INPUT, OUTPUT, DEVICE, INTERRUPTED = 2, 3, 4, 5, 130


def png(width, height, samples, channels=1, bits=8):
    """A PNG file of the samples, row-major and interleaved."""
    color = {1: 0, 2: 4, 3: 2, 4: 6}[channels]
    size = bits // 8
    raw = b"".join(
        b"\0"
        + b"".join(
            s.to_bytes(size, "big")
            for s in samples[y * width * channels : (y + 1) * width * channels]
        )
        for y in range(height)
    )

    def chunk(kind, data):
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    header = struct.pack(">IIBBBBB", width, height, bits, color, 0, 0, 0)
    packed = zlib.compress(raw)
    data = b"".join(chunk(b"IDAT", packed[at : at + 64]) for at in range(0, len(packed), 64))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + data + chunk(b"IEND", b"")


def read_png(data):
    """(width, height, channels, bits, samples) of a PNG without interlacing or palette."""
    at, packed = 8, b""
    while at < len(data):
        (length,) = struct.unpack_from(">I", data, at)
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            width, height, bits, color = struct.unpack_from(">IIBB", body)
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    channels = {0: 1, 4: 2, 2: 3, 6: 4}[color]
    raw, bpp, row = zlib.decompress(packed), channels * bits // 8, width * channels * bits // 8
    before, out = bytearray(row), []
    for y in range(height):
        kind, line = raw[y * (row + 1)], bytearray(raw[y * (row + 1) + 1 : (y + 1) * (row + 1)])
        for i in range(row):
            a = line[i - bpp] if i >= bpp else 0
            b, c = before[i], before[i - bpp] if i >= bpp else 0
            p = a + b - c
            nearest = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            line[i] = (line[i] + [0, a, b, (a + b) // 2, nearest][kind]) & 255
        before = line
        out += [int.from_bytes(line[i : i + bits // 8], "big") for i in range(0, row, bits // 8)]
    return width, height, channels, bits, out


def pgm(width, height, samples):
    return b"P5\n%d %d\n255\n" % (width, height) + bytes(samples)


def square(width=40, height=30):
    """A bright rectangle on dark ground."""
    return [
        200 if 10 <= x < 30 and 8 <= y < 22 else 20 for y in range(height) for x in range(width)
    ]


def y4m(width, height, frames, chroma=b"mono"):
    header = b"YUV4MPEG2 W%d H%d F30:1 Ip A1:1 C%s\n" % (width, height, chroma)
    return header + b"".join(b"FRAME\n" + frame for frame in frames)


def staged_files(process, folder):
    """What a process writes in a folder and has not named yet: paths to read it by."""
    names = list(Path(folder).glob(".*"))  # where the system has no files without a name
    for link in Path(f"/proc/{process.pid}/fd").glob("*"):
        try:
            to = os.readlink(link)
        except OSError:
            continue
        if to.startswith(str(folder)) and to.endswith(" (deleted)"):
            names.append(link)
    return names


class CommandTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="cuesta-test-")
        self.addCleanup(self.folder.cleanup)
        self.at = Path(self.folder.name)
        self.photo = self.file("photo.png", png(40, 30, square()))

    def file(self, name, data):
        path = self.at / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    def run_cuesta(self, *arguments, code=0, stdin=b"", **options):
        done = subprocess.run(
            [CUESTA, *map(str, arguments)],
            input=stdin,
            capture_output=True,
            timeout=600,
            cwd=self.at,
            **options,
        )
        self.assertEqual(done.returncode, code, f"{arguments}\n{done.stderr.decode()}")
        return done

    def fails(self, code, *arguments, says=(), stdin=b"", **options):
        """Runs into one clear sentence: one line, naming what is wrong, and nothing on stdout."""
        done = self.run_cuesta(*arguments, code=code, stdin=stdin, **options)
        message = done.stderr.decode()
        self.assertEqual(done.stdout, b"")
        lines = [line for line in message.splitlines() if line.startswith("error: ")]
        self.assertEqual(len(lines), 1, message)
        for text in says:
            self.assertIn(str(text), lines[0])
        self.assert_no_leftovers()
        return message

    def assert_no_leftovers(self):
        hidden = [path for path in self.at.rglob(".*")]
        self.assertEqual(hidden, [], "half-written files are left")

    def edges(self, *arguments, **options):
        return self.run_cuesta("edges", self.photo, "-o", "out.png", *arguments, **options)


class Edges(CommandTest):
    def test_explains_what_ran(self):
        quiet = self.edges("--threads", 1)
        picture = (self.at / "out.png").read_bytes()
        done = self.edges("--threads", 1, "--explain")
        said = done.stderr.decode()
        self.assertEqual((done.returncode, done.stdout, quiet.stderr), (0, b"", b""))
        self.assertIn("canny: strategy 'simd' (production) on the CPU", said)
        self.assertIn("1 thread\n", said)
        for part in ("1 call,", "hysteresis", "scratch memory:"):
            self.assertIn(part, said)
        self.assertEqual((self.at / "out.png").read_bytes(), picture, "watching changes nothing")
        plain = self.edges("--strategy", "serial", "--explain").stderr.decode()
        self.assertIn("canny: strategy 'serial' (reference)", plain)
        two = self.edges(
            "--method", "sobel", "--sigma", 2, "--threshold", 60, "--explain"
        ).stderr.decode()
        for operation in ("convolve:", "sobel:", "pixel:"):
            self.assertIn(operation, two)

    def test_a_square_has_a_closed_outline(self):
        done = self.edges("--sigma", 0, "--low", 100, "--high", 200)
        self.assertEqual(done.stdout, b"")
        self.assertEqual(done.stderr, b"")
        width, height, channels, bits, samples = read_png((self.at / "out.png").read_bytes())
        self.assertEqual((width, height, channels, bits), (40, 30, 1, 8))
        self.assertEqual(set(samples), {0, 255})
        # Each side of the square: 20 + 20 + 14 + 14 pixels and corners, one pixel wide.
        self.assertTrue(60 <= samples.count(255) <= 72, samples.count(255))
        self.assert_no_leftovers()

    def test_every_method_and_every_strategy(self):
        rows = json.loads(self.run_cuesta("list", "strategies", "--json").stdout)
        for method in ("canny", "log", "sobel", "boundaries", "regions"):
            results = set()
            for row in rows:
                if row["operation"] != method or row["space"] != "host":
                    continue
                done = self.edges("--method", method, "--strategy", row["strategy"])
                results.add((self.at / "out.png").read_bytes())
            self.assertEqual(len(results), 1, method)

    def test_json_tells_what_was_done(self):
        line = json.loads(self.edges("--json", "--threshold", "auto:median").stdout)
        self.assertEqual((line["width"], line["height"], line["method"]), (40, 30, "canny"))
        self.assertEqual(line["low"], line["high"] / 2)
        self.assertEqual(
            line["edge_pixels"], read_png((self.at / "out.png").read_bytes())[4].count(255)
        )

    def test_thresholds(self):
        self.assertEqual(json.loads(self.edges("--json", "--threshold", 80).stdout)["low"], 40)
        for text in (
            "auto",
            "auto:otsu",
            "auto:median",
            "auto:percentile",
            "auto:percentile:95",
            "auto:noise",
        ):
            self.edges("--threshold", text)
        a = json.loads(self.edges("--json", "--threshold", "auto").stdout)
        b = json.loads(self.edges("--json").stdout)
        self.assertEqual(a["high"], b["high"])

    def test_a_region_is_a_picture_of_its_own(self):
        self.edges("--region", "5,4,20,12", "--sigma", 0, "--low", 100, "--high", 200)
        of_region = read_png((self.at / "out.png").read_bytes())
        cut = [square()[y * 40 + x] for y in range(4, 16) for x in range(5, 25)]
        self.photo.write_bytes(png(20, 12, cut))
        self.edges("--sigma", 0, "--low", 100, "--high", 200)
        self.assertEqual(of_region, read_png((self.at / "out.png").read_bytes()))

    def test_nothing_is_found_outside_a_mask(self):
        mask = self.file(
            "mask.png", png(40, 30, [255 if x < 20 else 0 for _ in range(30) for x in range(40)])
        )
        self.edges("--mask", mask)
        samples = read_png((self.at / "out.png").read_bytes())[4]
        self.assertTrue(any(samples[y * 40 + x] for y in range(30) for x in range(20)))
        self.assertFalse(any(samples[y * 40 + x] for y in range(30) for x in range(20, 40)))
        small = self.file("small.png", png(4, 4, [255] * 16))
        self.fails(
            INPUT,
            "edges",
            self.photo,
            "-o",
            "x.png",
            "--mask",
            small,
            says=["small.png", "4 x 4", "40 x 30"],
        )

    def test_color_alpha_and_sixteen_bits(self):
        gray = square()
        for channels in (1, 2, 3, 4):
            samples = [
                255 if channels in (2, 4) and c == channels - 1 else v
                for v in gray
                for c in range(channels)
            ]
            self.photo.write_bytes(png(40, 30, samples, channels))
            self.edges("--sigma", 0, "--low", 100, "--high", 200)
            first = first_result = (
                read_png((self.at / "out.png").read_bytes()) if channels == 1 else first_result
            )
            self.assertEqual(read_png((self.at / "out.png").read_bytes()), first)
        self.photo.write_bytes(png(40, 30, [v * 257 for v in gray], 1, 16))
        self.edges("--sigma", 0, "--low", 25700, "--high", 51400)
        self.assertEqual(read_png((self.at / "out.png").read_bytes()), first)

    def test_color(self):
        # Red beside a green of the same gray level: (9798 R + 19235 G + 16384) >> 15 is 60 and 60.
        pixels = [[200, 0, 0] if x < 20 else [0, 102, 0] for _ in range(30) for x in range(40)]
        self.photo.write_bytes(png(40, 30, [v for pixel in pixels for v in pixel], 3))

        def found(*arguments):
            line = json.loads(self.edges("--json", "--threshold", 100, *arguments).stdout)
            return line["edge_pixels"], (self.at / "out.png").read_bytes()

        def said(*arguments):
            return self.run_cuesta(
                "edges", self.photo, "--threshold", 100, "-v", *arguments
            ).stderr.decode()

        opaque = found()
        self.assertEqual(opaque[0], 30)
        self.assertEqual(found("--color", "strongest"), opaque)
        self.assertEqual(found("--color", "structure")[0], 30)
        self.assertEqual(found("--color", "gray")[0], 0)
        # Lines do not change the edges.
        self.assertEqual(found("--lines", "x.svg"), opaque)
        self.assertEqual(found("--lines", "x.svg", "--color", "gray"), found("--color", "gray"))
        for arguments, words in (
            ((), "of the strongest channel"),
            (("--color", "structure"), "of the structure tensor"),
            (("--color", "gray"), "of gray levels"),
            (("--memory", "64kB"), "of the strongest channel"),
        ):
            self.assertIn(words, said("-o", "x.png", *arguments))
        self.assertIn("of the strongest channel, 1 lines", said("--lines", "x.svg"))
        self.assertIn("of gray levels, 0 lines", said("--lines", "x.svg", "--color", "gray"))
        self.photo.write_bytes(png(40, 30, [v for pixel in pixels for v in [*pixel, 7]], 4))
        self.assertEqual(found(), opaque)  # alpha is no color
        self.photo.write_bytes(png(40, 30, [60] * (40 * 30)))
        self.assertNotIn(", of ", said("-o", "x.png"))  # nor is what has none
        self.photo.write_bytes(y4m(40, 30, [bytes(1200)]))
        self.assertIn("of gray levels", said("-o", "x.y4m"))
        self.fails(
            USAGE,
            "edges",
            self.photo,
            "-o",
            "x.png",
            "--method",
            "log",
            "--color",
            "gray",
            says=["--color gray", "--method canny"],
        )
        self.fails(
            USAGE, "edges", self.photo, "-o", "x.png", "--color", "grey", says=["--color", "gray"]
        )
        self.photo.write_bytes(png(40, 30, [v * 257 for pixel in pixels for v in pixel], 3, 16))
        for color in ([], ["--color", "strongest"], ["--color", "structure"]):
            line = json.loads(self.edges("--json", "--threshold", 25700, *color).stdout)
            self.assertEqual(line["edge_pixels"], 30, color)

    def test_boundaries(self):
        # The colors of test_color: what brightness does not tell apart.
        pixels = [[200, 0, 0] if x < 20 else [0, 102, 0] for _ in range(30) for x in range(40)]
        self.photo.write_bytes(png(40, 30, [v for pixel in pixels for v in pixel], 3))

        def found(*arguments):
            line = json.loads(self.edges("--json", "--method", "boundaries", *arguments).stdout)
            return line["edge_pixels"], (self.at / "out.png").read_bytes()

        usual = found()
        self.assertEqual(usual[0], 30)
        self.assertEqual(found("--threshold", 9), usual)
        self.assertEqual(found("--threshold", 5000)[0], 0)
        self.photo.write_bytes(png(40, 30, [v * 257 for pixel in pixels for v in pixel], 3, 16))
        self.assertEqual(found(), usual)
        for words, says in (
            (["--threshold", "auto"], ["--threshold is auto", "--method canny"]),
            (["--low", "3", "--high", "9"], ["--low is 3", "--method canny"]),
            (["--threshold", "-1"], ["--threshold is -1", "at least 0"]),
            (["--threshold", "10001"], ["threshold is 10001"]),
            (["--sigma", "2"], ["--sigma 2"]),
            (["--lines", "x.svg"], ["--lines is x.svg", "canny, log or regions"]),
        ):
            self.fails(
                USAGE,
                "edges",
                self.photo,
                "-o",
                "x.png",
                "--method",
                "boundaries",
                *words,
                says=says,
            )

    def test_regions(self):
        def found(*arguments):
            line = json.loads(self.edges("--json", "--method", "regions", *arguments).stdout)
            return line, read_png((self.at / "out.png").read_bytes())

        line, (width, height, channels, bits, contours) = found()
        self.assertEqual((width, height, channels, bits), (40, 30, 1, 8))
        self.assertEqual(line["edge_pixels"], sum(v == 255 for v in contours))
        self.assertEqual(set(contours), {0, 255})
        line, (*_, bits, labels) = found("--labels")
        self.assertNotIn("edge_pixels", line)
        self.assertEqual((bits, line["regions"]), (16, 2))
        # The square, of 20 by 14 pixels, in a region around it.
        self.assertEqual(sorted(set(labels)), [1, 2])
        self.assertEqual(labels[0], 1)
        self.assertEqual(labels[15 * 40 + 20], 2)
        for i, label in enumerate(labels):
            beside = labels[i + 1] if i % 40 < 39 else label
            below = labels[i + 40] if i < 29 * 40 else label
            self.assertEqual(contours[i] == 255, label != beside or label != below, i)
        self.assertEqual(found("--labels", "--threshold", 1)[0]["regions"], 1)
        explained = self.edges("--method", "regions", "--explain").stderr.decode()
        for operation in ("boundaries:", "regions:"):
            self.assertIn(operation, explained)
        for words, says in (
            (["--threshold", "1.5"], ["threshold is 1.5"]),
            (["--low", "3", "--high", "9"], ["--low is 3", "--method canny"]),
        ):
            self.fails(
                USAGE, "edges", self.photo, "-o", "x.png", "--method", "regions", *words, says=says
            )
        self.fails(USAGE, "edges", self.photo, "-o", "x.png", "--labels", says=["--labels"])

    def test_the_default_sigma_is_that_of_the_picture(self):
        done = self.edges("-v")
        usual = (self.at / "out.png").read_bytes()
        self.assertIn(b", sigma 1, low ", done.stderr)  # a square without texture
        for sigma in ("auto", 1):
            self.edges("--sigma", sigma)
            self.assertEqual((self.at / "out.png").read_bytes(), usual)
        self.edges("--sigma", 3)
        self.assertNotEqual((self.at / "out.png").read_bytes(), usual)
        self.assertEqual(json.loads(self.edges("--json").stdout)["sigma"], 1)
        self.assertIn(b"  sigma: 1\n", self.edges("--explain").stderr)

        # log has a level and a scale for crossings, and the paper's for bands.
        def of_log(*options):
            self.edges("--method", "log", "--mode", *options)
            return (self.at / "out.png").read_bytes()

        self.assertEqual(of_log("zero-crossings"), of_log("zero-crossings", "--sigma", 3.5))
        self.assertEqual(of_log("zero-crossings"), of_log("zero-crossings", "--threshold", 0.3))
        self.assertEqual(of_log("threshold"), of_log("threshold", "--threshold", 5))

    def test_sobel_gives_magnitudes_or_a_mask(self):
        self.edges("--method", "sobel")
        # In a corner of the square, |gx| = |gy| = 3 · 180; white is 1530, the largest there is.
        self.assertEqual(
            max(read_png((self.at / "out.png").read_bytes())[4]), 6 * 180 * 255 // 1530
        )
        self.edges("--method", "sobel", "--threshold", 100, "--norm", "l2", "--aperture", 5)
        self.assertEqual(set(read_png((self.at / "out.png").read_bytes())[4]), {0, 255})

    def test_several_inputs_and_folders_keep_names(self):
        self.file("in/b.png", self.photo.read_bytes())
        self.file("in/a.pgm", pgm(40, 30, square()))
        self.file("in/notes.txt", b"no picture")
        self.run_cuesta("edges", "in", "-o", "out")
        self.assertEqual(sorted(p.name for p in (self.at / "out").iterdir()), ["a.pgm", "b.png"])
        self.run_cuesta("edges", self.photo, "in/a.pgm", "-o", "deep/er/out")
        self.assertEqual(
            sorted(p.name for p in (self.at / "deep/er/out").iterdir()), ["a.pgm", "photo.png"]
        )
        self.run_cuesta("edges", "in", "-o", "other", "--format", "tif")
        self.assertEqual(sorted(p.name for p in (self.at / "other").iterdir()), ["a.tif", "b.tif"])
        (self.at / "into").mkdir()
        self.edges()
        self.run_cuesta("edges", self.photo, "-o", "into")
        self.assertEqual(
            (self.at / "into/photo.png").read_bytes(), (self.at / "out.png").read_bytes()
        )

    def test_the_same_bytes_with_any_number_of_threads(self):
        results = set()
        for threads in (0, 1, 2, 3, 8, 99):
            self.edges("--threads", threads)
            results.add((self.at / "out.png").read_bytes())
        self.assertEqual(len(results), 1)

    def test_verbose_and_quiet(self):
        self.assertIn(b"low", self.edges("-v").stderr)
        self.assertEqual(self.edges("-q").stderr, b"")


class Filter(CommandTest):
    def filtered(self, *arguments):
        self.run_cuesta("filter", self.photo, "-o", "out.png", *arguments)
        return read_png((self.at / "out.png").read_bytes())

    def test_identity_in_every_form(self):
        before = read_png(self.photo.read_bytes())
        kernel = self.file("kernel.txt", b"0 0 0\n0 1 0\n0 0 0\n")
        for text in (
            "average:1",
            "0 0 0;0 1 0;0 0 0",
            "0,0,0;0,2,0;0,0,0 / 2",
            str(kernel),
            "gaussian:1",
        ):
            self.assertEqual(self.filtered("--kernel", text), before, text)

    def test_average_rounds_half_to_even(self):
        width, height, _, _, out = self.filtered("--kernel", "average:3", "--border", "replicate")
        src = square()
        for y in range(height):
            for x in range(width):
                window = [
                    src[min(max(y + j, 0), height - 1) * width + min(max(x + i, 0), width - 1)]
                    for j in (-1, 0, 1)
                    for i in (-1, 0, 1)
                ]
                self.assertEqual(out[y * width + x], round(sum(window) / 9), (x, y))

    def test_laplacian_with_abs_and_offset(self):
        plain = self.filtered("--kernel", "laplacian")[4]
        absolute = self.filtered("--kernel", "laplacian", "--absolute")[4]
        shifted = self.filtered("--kernel", "laplacian", "--offset", 7)[4]
        self.assertEqual(max(plain), 180)  # beside an edge; the other side is negative
        self.assertEqual(max(absolute), 255)  # 360 in the corners
        self.assertTrue(all(a >= p for a, p in zip(absolute, plain)))
        self.assertEqual(shifted[0], 7)

    def test_depth(self):
        self.assertEqual(
            self.filtered("--kernel", "average:1", "--depth", 16)[3:],
            (16, [v * 257 for v in square()]),
        )
        self.photo.write_bytes(png(40, 30, [v * 257 for v in square()], 1, 16))
        self.assertEqual(self.filtered("--kernel", "average:1")[3], 16)
        self.assertEqual(self.filtered("--kernel", "average:1", "--depth", 8)[3:], (8, square()))
        self.run_cuesta(
            "filter", self.photo, "-o", "out.tif", "--kernel", "laplacian", "--depth", "float"
        )
        self.fails(
            OUTPUT,
            "filter",
            self.photo,
            "-o",
            "f.png",
            "--kernel",
            "laplacian",
            "--depth",
            "float",
            says=["f.png"],
        )

    def test_alpha_stays(self):
        alpha = [i % 256 for i in range(40 * 30)]
        self.photo.write_bytes(
            png(40, 30, [s for v, a in zip(square(), alpha) for s in (v, v, v, a)], 4)
        )
        out = self.filtered("--kernel", "average:5")
        self.assertEqual(out[2], 4)
        self.assertEqual(out[4][3::4], alpha)

    def test_median(self):
        width, height, _, _, out = self.filtered("--median", 3)
        src = square()
        for y in range(height):
            for x in range(width):
                window = sorted(
                    src[min(max(y + j, 0), height - 1) * width + min(max(x + i, 0), width - 1)]
                    for j in (-1, 0, 1)
                    for i in (-1, 0, 1)
                )
                self.assertEqual(out[y * width + x], window[4], (x, y))
        before = read_png(self.photo.read_bytes())
        self.assertEqual(self.filtered("--median", 1), before)
        zeros = self.filtered("--median", 15, "--border", "ignore")[4]
        self.assertEqual(zeros[: 7 * width], [0] * (7 * width))
        self.assertEqual(
            self.filtered("--median", 1, "--depth", 16)[3:], (16, [v * 257 for v in src])
        )
        done = self.run_cuesta("filter", self.photo, "-o", "out.png", "--median", 5, "--json")
        self.assertEqual(json.loads(done.stdout)["median"], 5)
        stream = y4m(40, 30, [bytes(src) + (bytes(range(256)) * 3)[: 2 * 20 * 15]], b"420jpeg")
        done = self.run_cuesta("filter", "-", "-o", "-", "--median", 1, stdin=stream)
        self.assertEqual(done.stdout.split(b"\n", 1)[1], stream.split(b"\n", 1)[1])

    def test_medians_that_cannot_be_meant(self):
        for k in (0, 4, -3, 257):
            self.fails(
                USAGE,
                "filter",
                self.photo,
                "-o",
                "x.png",
                f"--median={k}",
                says=["--median", str(k), "odd"],
            )
        self.fails(
            USAGE,
            "filter",
            self.photo,
            "-o",
            "x.png",
            "--median",
            3,
            "--kernel",
            "laplacian",
            says=["--median", "--kernel", "set one or the other"],
        )
        self.fails(
            USAGE,
            "filter",
            self.photo,
            "-o",
            "x.png",
            "--median",
            3,
            "--absolute",
            says=["--absolute", "--kernel"],
        )
        self.fails(
            USAGE,
            "filter",
            self.photo,
            "-o",
            "x.png",
            "--median",
            3,
            "--offset",
            7,
            says=["--offset 7", "--kernel"],
        )

    def test_kernels_that_cannot_be_meant(self):
        for kernel in (
            "average",
            "average:x",
            "average:0",
            "average:3:4",
            "sharpen:4",
            "gaussian:4",
            "gaussian:3:-1",
            "laplacian:3",
            "nonsense",
            "1 2;3",
            "1 2 3 / 0",
            ";;",
            "gaussian:99999999999",
        ):
            self.fails(
                USAGE,
                "filter",
                self.photo,
                "-o",
                "x.png",
                f"--kernel={kernel}",
                says=["--kernel", kernel],
            )
        self.file("empty.txt", b"")
        self.fails(
            USAGE, "filter", self.photo, "-o", "x.png", "--kernel", "empty.txt", says=["empty.txt"]
        )
        self.fails(
            INPUT, "filter", self.photo, "-o", "x.png", "--kernel", "/dev/zero", says=["/dev/zero"]
        )


class Label(CommandTest):
    HEAD = "label,x,y,width,height,area,centroid_x,centroid_y"
    # Two squares that meet in a corner, and a darker bar.
    ROWS = ("##....", "##....", "..##..", "..##..", "......", "=====.")

    def mask(self):
        levels = {".": 0, "=": 90, "#": 255}
        return self.file("mask.png", png(6, 6, bytes(levels[c] for row in self.ROWS for c in row)))

    def lines(self, *arguments, **options):
        return self.run_cuesta("label", *arguments, **options).stdout.decode().splitlines()

    def test_components(self):
        mask = self.mask()
        bar = "2,0,5,5,1,5,2,5"
        self.assertEqual(self.lines(mask), [self.HEAD, "1,0,0,4,4,8,1.5,1.5", bar])
        self.assertEqual(
            self.lines(mask, "--connectivity", 4),
            [self.HEAD, "1,0,0,2,2,4,0.5,0.5", "2,2,2,2,2,4,2.5,2.5", "3" + bar[1:]],
        )
        self.assertEqual(self.lines(mask, "--threshold", 90), [self.HEAD, "1,0,0,4,4,8,1.5,1.5"])
        self.assertEqual(
            self.lines(mask, "--threshold", 89.5), [self.HEAD, "1,0,0,4,4,8,1.5,1.5", bar]
        )
        self.assertEqual(
            self.lines(mask, "--region", "1,1,3,2"), [self.HEAD, "1,0,0,3,2,3,1,0.6666666666666666"]
        )
        self.assertEqual(
            self.lines("-", stdin=mask.read_bytes()), [self.HEAD, "1,0,0,4,4,8,1.5,1.5", bar]
        )
        self.assertEqual(self.lines(mask, "--threshold", 255), [self.HEAD])

    def test_formats(self):
        mask = self.mask()
        expected = [
            {
                "label": 1,
                "x": 0,
                "y": 0,
                "width": 4,
                "height": 4,
                "area": 8,
                "centroid": [1.5, 1.5],
            },
            {"label": 2, "x": 0, "y": 5, "width": 5, "height": 1, "area": 5, "centroid": [2, 5]},
        ]
        self.assertEqual(
            [json.loads(line) for line in self.lines(mask, "--format", "ndjson")], expected
        )
        self.assertEqual(self.lines(mask, "-o", "list.ndjson"), [])
        self.assertEqual(
            [json.loads(line) for line in (self.at / "list.ndjson").read_text().splitlines()],
            expected,
        )
        self.run_cuesta("label", mask, "-o", "list.csv")
        self.assertEqual((self.at / "list.csv").read_text().splitlines(), self.lines(mask))
        self.assert_no_leftovers()

    def test_bands(self):
        """However it is cut; with as little memory as rows of this width can be cut to."""
        side = 600
        noise = random.Random(1).randbytes(side * side)
        mask = self.file(
            "large.png", png(side, side, bytes(255 if level < 110 else 0 for level in noise))
        )
        whole = self.lines(mask)
        self.assertGreater(len(whole), 1000)
        for memory in ("250kB", "400kB", "1MB", "1GB"):
            self.assertEqual(self.lines(mask, "--memory", memory), whole)

    def test_measures(self):
        """Values of scikit-image for these shapes; python/tests/test_measure.py has many more."""
        mask = self.mask()
        levels = bytes(range(36))
        stain = self.file("stain.png", png(6, 6, levels))
        own = [json.loads(line) for line in self.lines(mask, "--measure", "--format", "ndjson")]
        other = [
            json.loads(line)
            for line in self.lines(mask, "--intensity", stain, "--format", "ndjson")
        ]
        self.assertEqual([row["perimeter"] for row in own], [8, 3])
        self.assertEqual([row["extent"] for row in own], [0.5, 1])
        self.assertEqual([row["mean"] for row in own], [255, 90])
        self.assertEqual(
            [(row["mu20"], row["mu11"], row["mu02"]) for row in own], [(10, 8, 10), (10, 0, 0)]
        )
        self.assertEqual(
            [(row["min"], row["mean"], row["max"]) for row in other], [(0, 10.5, 21), (30, 32, 34)]
        )
        lines = self.lines(mask, "--intensity", stain)
        self.assertTrue(lines[0].startswith(self.HEAD + ",perimeter,"))
        for line, row in zip(lines[1:], other):
            cells = line.split(",")
            self.assertEqual(len(cells), len(lines[0].split(",")))
            self.assertEqual(float(cells[lines[0].split(",").index("mean")]), row["mean"])
        self.assertEqual(self.lines(mask, "--intensity", stain, "--sandbox"), lines)
        self.assertEqual(self.lines(mask, "--threshold", 255, "--measure"), lines[:1])
        corner = self.lines(mask, "--intensity", stain, "--region", "1,1,3,2", "--format", "ndjson")
        self.assertEqual(json.loads(corner[0])["max"], 15)
        self.fails(USAGE, "label", mask, "--intensity", "photo.png", says=["photo.png is", "6 x 6"])
        self.fails(INPUT, "label", mask, "--intensity", "absent.png", says=["absent.png"])

    def test_measures_in_bands(self):
        side = 600
        draw = random.Random(2)
        mask = self.file(
            "large.png",
            png(
                side,
                side,
                bytes(255 if level < 140 else 0 for level in draw.randbytes(side * side)),
            ),
        )
        stain = self.file("stain.png", png(side, side, draw.randbytes(side * side)))
        for words in (
            ("--measure",),
            ("--intensity", stain),
            ("--intensity", stain, "--connectivity", 4),
        ):
            whole = self.lines(mask, *words)
            self.assertGreater(len(whole), 100)
            for memory in ("300kB", "500kB", "1MB", "1GB"):
                self.assertEqual(self.lines(mask, *words, "--memory", memory), whole)
        small = self.file("small.png", png(side, 20, bytes(side * 20)))
        self.fails(
            USAGE,
            "label",
            mask,
            "--intensity",
            small,
            "--memory",
            "400kB",
            says=["600 x 20", "600 x 600"],
        )

    def test_what_cannot_be_meant(self):
        mask = self.mask()
        for arguments, says in (
            (("--threshold", "bright"), ["--threshold", "bright"]),
            (("--connectivity", 6), ["--connectivity is 6", "4 or 8"]),
            (("-o", "list.png"), ["list.png", ".csv", ".ndjson"]),
            (("-o", "list.csv", "--format", "ndjson"), ["--format is ndjson", "list.csv"]),
            (("--format", "xml"), ["--format", "xml", "ndjson"]),
            (("--page", 2), ["--page 2", "mask.png"]),
            (("--region", "4,4,9,9"), ["--region is 4,4,9,9", "6 x 6"]),
            (("--memory", "much"), ["--memory is much"]),
        ):
            self.fails(USAGE, "label", mask, *arguments, says=says)
        self.fails(INPUT, "label", "absent.png", says=["absent.png"])
        self.fails(INPUT, "label", mask, "--max-pixels", 20, says=["--max-pixels"])
        self.fails(OUTPUT, "label", mask, "-o", "no/list.csv", says=["no/list.csv"])
        self.assertEqual(sorted(path.name for path in self.at.iterdir()), ["mask.png", "photo.png"])
        self.file("mask.csv", mask.read_bytes())
        self.fails(USAGE, "label", "mask.csv", "-o", "mask.csv", says=["mask.csv"])


class Streams(CommandTest):
    frame = bytes(square())

    def test_y4m_through_pipes(self):
        done = self.run_cuesta(
            "edges",
            "-",
            "-o",
            "-",
            "--sigma",
            0,
            "--low",
            100,
            "--high",
            200,
            stdin=y4m(40, 30, [self.frame] * 3),
        )
        header, rest = done.stdout.split(b"\n", 1)
        self.assertTrue(header.startswith(b"YUV4MPEG2 W40 H30 F30:1"), header)
        self.assertIn(b"Cmono", header)
        self.assertEqual(done.stderr, b"")
        self.edges("--sigma", 0, "--low", 100, "--high", 200)
        picture = bytes(read_png((self.at / "out.png").read_bytes())[4])
        self.assertEqual(rest, (b"FRAME\n" + picture) * 3)

    def test_color_is_kept_where_it_means_something(self):
        chroma = bytes(range(256))[:300] * 2
        frames = [self.frame + (chroma * 2)[: 2 * 20 * 15]] * 2
        stream = y4m(40, 30, frames, b"420jpeg")
        done = self.run_cuesta("filter", "-", "-o", "-", "--kernel", "average:1", stdin=stream)
        self.assertEqual(done.stdout.split(b"\n", 1)[1], stream.split(b"\n", 1)[1])
        done = self.run_cuesta("filter", "-", "-o", "-", "--kernel", "laplacian", stdin=stream)
        self.assertIn(b"Cmono", done.stdout.split(b"\n", 1)[0])

    def test_y4m_files(self):
        self.file("in.y4m", y4m(40, 30, [self.frame] * 2))
        self.run_cuesta("edges", "in.y4m", "-o", "out.y4m")
        self.assertEqual((self.at / "out.y4m").read_bytes().count(b"FRAME\n"), 2)
        self.assert_no_leftovers()

    def test_bad_streams(self):
        good = y4m(40, 30, [self.frame] * 2)
        cases = {
            "empty": b"",
            "no y4m": b"RIFF....AVI LIST",
            "no size": b"YUV4MPEG2 F30:1\nFRAME\n",
            "no height": b"YUV4MPEG2 W40\nFRAME\n",
            "bad width": b"YUV4MPEG2 W-4 H3\nFRAME\n",
            "huge": b"YUV4MPEG2 W2000000000 H2000000000\nFRAME\n",
            "seven bits": b"YUV4MPEG2 W4 H4 C420p7\nFRAME\n",
            "unknown chroma": b"YUV4MPEG2 W4 H4 C999\nFRAME\n",
            "cut ten bits": b"YUV4MPEG2 W4 H4 C420p10\nFRAME\n" + bytes(24),
            "bad rate": b"YUV4MPEG2 W4 H4 F30\nFRAME\n",
            "endless header": b"YUV4MPEG2 " + b"X" * 100000,
            "no frames": b"YUV4MPEG2 W4 H4 Cmono\n",
            "cut header": b"YUV4MPEG2 W4 H4 Cmono",
            "cut frame": good[:-5],
            "cut frame line": good + b"FRA",
            "no FRAME": good + b"GRAME\n" + self.frame,
        }
        for name, data in cases.items():
            with self.subTest(name):
                self.fails(
                    INPUT, "edges", "-", "-o", "out.y4m", stdin=data, says=["standard input"]
                )
                # Standard input is live: the frames before are kept.
                kept = {"cut frame": 1, "cut frame line": 2, "no FRAME": 2}.get(name)
                self.assertEqual((self.at / "out.y4m").exists(), kept is not None)
                if kept is not None:
                    self.assertEqual((self.at / "out.y4m").read_bytes().count(b"FRAME\n"), kept)
                    (self.at / "out.y4m").unlink()
                with self.subTest("as a file"):
                    self.fails(
                        INPUT,
                        "edges",
                        self.file("bad.y4m", data),
                        "-o",
                        "out.y4m",
                        says=["bad.y4m"],
                    )
                    self.assertFalse((self.at / "out.y4m").exists())
        self.fails(
            INPUT,
            "edges",
            "-",
            "-o",
            "out.y4m",
            stdin=good[:-5],
            says=["breaks off in frame 1", "--partial"],
        )
        self.run_cuesta("edges", "-", "-o", "out.y4m", "--partial", stdin=good[:-5])
        self.assertEqual((self.at / "out.y4m").read_bytes().count(b"FRAME\n"), 1)

    def test_a_closed_pipe_is_an_output_error(self):
        frames = y4m(40, 30, [self.frame] * 200)
        self.file("in.y4m", frames)
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [CUESTA, "edges", "in.y4m", "-o", "-"],
                cwd=self.at,
                stdout=full,
                stderr=subprocess.PIPE,
                timeout=60,
            )
        self.assertEqual(done.returncode, OUTPUT)
        self.assertIn(b"standard output", done.stderr)


class BadInput(CommandTest):
    def test_files_that_are_no_pictures(self):
        good = self.photo.read_bytes()
        self.file("empty.png", b"")
        self.file("text.png", b"this is no picture at all, whatever its name says\n")
        self.file("cut.png", good[: len(good) // 2])
        self.file("header.png", good[:20])
        corrupt = bytearray(good)
        corrupt[len(good) // 2] ^= 0xFF
        self.file("corrupt.png", bytes(corrupt))
        self.file("cut.pgm", pgm(400, 300, [9] * 1000))
        self.file("huge.pgm", b"P5\n2000000 2000000\n255\n\0")
        (self.at / "folder.png").mkdir()
        for name in (
            "missing.png",
            "empty.png",
            "text.png",
            "cut.png",
            "header.png",
            "corrupt.png",
            "cut.pgm",
            "huge.pgm",
            "missing/deep.png",
        ):
            for verb in (["edges"], ["filter", "--kernel", "average:3"]):
                with self.subTest(name):
                    self.fails(INPUT, *verb, name, "-o", "out.png", says=[name])
                    self.assertFalse((self.at / "out.png").exists())
        self.fails(INPUT, "edges", "folder.png", "-o", "out.png", says=["folder.png"])

    def test_a_wrong_name_does_not_matter(self):
        self.file("photo.jpg", self.photo.read_bytes())
        self.file("photo", self.photo.read_bytes())
        for name in ("photo.jpg", "photo"):
            self.run_cuesta("edges", name, "-o", "out.png")

    def test_limits_on_pixels(self):
        message = self.fails(
            INPUT,
            "edges",
            self.photo,
            "-o",
            "x.png",
            "--max-pixels",
            1199,
            says=["40 x 30", "1199"],
        )
        self.assertIn("--max-pixels", message)
        self.edges("--max-pixels", 1200)
        self.fails(
            INPUT,
            "edges",
            "-",
            "-o",
            "x.y4m",
            "--max-pixels",
            1199,
            stdin=y4m(40, 30, []),
            says=["1199", "--max-pixels"],
        )

    def test_limits_on_memory_and_time(self):
        self.fails(
            INPUT,
            "edges",
            self.photo,
            "-o",
            "x.png",
            "--max-memory",
            64 * 30 - 1,
            says=["40 x 30", "--max-memory"],
        )
        self.edges("--max-memory", 64 * 30)
        self.fails(USAGE, "edges", self.photo, "-o", "x.png", "--max-time", 0, says=["--max-time"])
        self.edges("--max-time", 600)
        self.file("big.pgm", pgm(3000, 3000, bytes(9_000_000)))
        slow = ["--median", 101, "--strategy", "serial", "--max-time", 0.3]  # minutes
        self.fails(DEVICE, "filter", "big.pgm", "-o", "x.png", *slow, says=["--max-time"])
        self.assertFalse((self.at / "x.png").exists())

    def test_partial_takes_what_is_there(self):
        cut = self.file("cut.pgm", pgm(40, 30, square())[:-200])
        self.fails(INPUT, "edges", cut, "-o", "out.png", says=["cut.pgm"])
        self.run_cuesta("filter", cut, "-o", "out.png", "--partial", "--kernel", "average:1")
        self.assertEqual(
            read_png((self.at / "out.png").read_bytes())[4], square()[:-200] + [0] * 200
        )
        head = self.file("head.pgm", pgm(4000, 3000, [7] * 11000))
        self.fails(
            INPUT, "edges", head, "-o", "out.png", "--partial", says=["less than a thousandth"]
        )
        noise = list(os.urandom(40 * 30))
        whole = png(40, 30, noise)
        self.file("cut.png", whole[: len(whole) // 2])
        self.run_cuesta("filter", "cut.png", "-o", "out.png", "--partial", "--kernel", "average:1")
        self.assertEqual(read_png((self.at / "out.png").read_bytes())[4][:400], noise[:400])

    def test_a_bad_file_does_not_end_a_batch(self):
        self.file("in/a.png", self.photo.read_bytes())
        self.file("in/b.png", b"broken")
        self.file("in/c.png", self.photo.read_bytes())
        done = self.run_cuesta("edges", "in", "-o", "out", code=INPUT)
        self.assertIn(b"b.png", done.stderr)
        self.assertEqual(sorted(p.name for p in (self.at / "out").iterdir()), ["a.png", "c.png"])
        done = self.run_cuesta(
            "edges", self.photo, "missing.png", "in/c.png", "-o", "out2", code=INPUT
        )
        self.assertIn(b"missing.png", done.stderr)
        self.assertEqual(
            sorted(p.name for p in (self.at / "out2").iterdir()), ["c.png", "photo.png"]
        )

    def test_a_folder_at_once_is_the_folder_one_by_one(self):
        names = []
        for number in range(11):
            names.append(f"p{number:02}.pgm")
            width = 30 + 7 * number
            self.file(
                f"in/{names[-1]}",
                pgm(
                    width,
                    30,
                    bytes((x * x + 3 * y * number) % 251 for y in range(30) for x in range(width)),
                ),
            )
        self.file("in/p04.pgm", b"broken")
        self.file("in/p08.pgm", b"P5 10 10 255\n")
        said = {}
        for threads in (1, 2, 3, 8, 0):
            out = f"out{threads}"
            done = self.run_cuesta(
                "edges",
                "in",
                "-o",
                out,
                "--format",
                "png",
                "--json",
                "--threads",
                threads,
                code=INPUT,
            )
            lines = [json.loads(line) for line in done.stdout.splitlines()]
            for line in lines:
                line.pop("seconds")
                line["output"] = Path(line["output"]).name
            said[threads] = (
                lines,
                done.stderr,
                sorted((p.name, p.read_bytes()) for p in (self.at / out).iterdir()),
            )
        self.assertEqual(
            [Path(line["input"]).name for line in said[1][0]],
            [n for n in names if n not in ("p04.pgm", "p08.pgm")],
        )
        self.assertLess(said[1][1].index(b"p04.pgm"), said[1][1].index(b"p08.pgm"))
        self.assertIn(b"2 of 11 inputs failed", said[1][1])
        for threads, everything in said.items():
            self.assertEqual(everything, said[1], f"--threads {threads}")
        self.assert_no_leftovers()

    def test_a_folder_without_pictures(self):
        (self.at / "nothing").mkdir()
        self.fails(INPUT, "edges", "nothing", "-o", "out", says=["nothing"])

    def test_options_that_cannot_be_meant(self):
        # What was given, and what the message must quote where that is not the last word.
        cases = [
            (["--sigma", "x"],),
            (["--sigma", "-1"],),
            (["--sigma", "nan"],),
            (["--sigma", "1e9"], "sigma is 1000000000"),
            (["--ksize", "4"],),
            (["--low", "5"],),
            (["--high", "5"],),
            (["--low", "9", "--high", "5"], "--low is 9"),
            (["--low", "-1", "--high", "5"], "--low is -1"),
            (["--threshold", "high"],),
            (["--threshold", "auto:best"],),
            (["--threshold", "auto:percentile:200"],),
            (["--threshold", "-3"],),
            (["--aperture", "4"],),
            (["--norm", "l3"],),
            (["--method", "prewitt"],),
            (["--threads", "-1"],),
            (["--border", "mirror", "--method", "log"], "mirror"),
            (["--border", "wrap:3", "--method", "log"], "wrap:3"),
            (["--region", "1,2,3"],),
            (["--region", "0,0,0,5"],),
            (["--region", "-1,0,5,5"],),
            (["--region", "30,20,11,11"],),
            (["--region", "0,0,99999999999,1"],),
            (["--param", "x"],),
            (["--param", "nonsense=1"], "nonsense"),
            (["--strategy", "fastest"],),
            (["--device", "gpu"],),
            (["--device", "cuda:x"],),
            (["--max-pixels", "0"],),
            (["--format", "png"],),
            (["--method", "log", "--low", "3", "--high", "4"], "--low is 3"),
            (["--method", "sobel", "--threshold", "auto"],),
            (["--method", "boundaries", "--border", "wrap"],),
            (["--method", "log", "--sigma", "0"],),
            (["--mode", "zero-crossings"], "--method log"),
            (["--method", "log", "--mode", "edges"], "zero-crossings"),
            (["--threshold", "9", "--low", "3", "--high", "4"], "--threshold is 9"),
            (["--no-such-option"],),
        ]
        for case, *quoted in cases:
            with self.subTest(case):
                self.fails(
                    USAGE, "edges", self.photo, "-o", "x.png", *case, says=quoted or [case[-1]]
                )
                self.assertFalse((self.at / "x.png").exists())

    def test_usage(self):
        self.fails(USAGE)
        self.fails(USAGE, "nonsense")
        self.fails(USAGE, "edges", self.photo)
        self.fails(USAGE, "edges", "-o", "x.png")
        self.fails(USAGE, "filter", self.photo, "-o", "x.png", says=["--kernel", "--median"])
        self.fails(USAGE, "edges", "-", "-o", "x.png", stdin=y4m(4, 4, [bytes(16)]), says=["x.png"])
        self.fails(USAGE, "edges", "-", "-o", "-", "--json", says=["--json"])

    def test_usage_says_what_would_work(self):
        picture = str(self.photo)
        for words, message in (
            (["edges"], "INPUT is missing; write cuesta edges INPUT"),
            (["edges", "-o"], "--output has no value; write --output OUT"),
            (["edges", picture, "--threads", "5000"], "--threads is 5000; it must be 0 to 4096"),
            (["edges", picture, "--threads", "two"], "--threads is two; it must be 0 to 4096"),
            (["edges", picture, "--reconnect", "-1"], "--reconnect is -1; it must be 0 or more"),
            (["edges", picture, "--timeout", "0"], "--timeout is 0; it must be 0.1 to 1000000"),
            (["edges", picture, "--band", "0"], "--band is 0; it must be 1 to 1048576"),
            (["edges", picture, "-z"], "-z: cuesta edges has no such option"),
            (["label", picture, "b.png"], "b.png: cuesta label takes no further arguments"),
            (["list", "none"], "WHAT is none; it must be operations, strategies or devices"),
        ):
            self.fails(USAGE, *words, says=[f"error: {message}"])

    def test_cuda_on_a_machine_without(self):
        devices = json.loads(self.run_cuesta("list", "devices", "--json").stdout)
        if any(device["device"].startswith("cuda") for device in devices):
            self.skipTest("this machine has a GPU")
        self.fails(
            DEVICE,
            "edges",
            self.photo,
            "-o",
            "x.png",
            "--device",
            "cuda",
            says=["--device cuda", "--device cpu"],
        )
        self.assertIn(b"CPU", self.edges("--device", "auto", "-v").stderr)
        self.edges("--device", "cpu")


class BadOutput(CommandTest):
    def test_places_that_cannot_be_written(self):
        self.file("file", b"")
        for out in ("missing/out.png", "out.xyz", "out", "file/out.png", "/proc/out.png"):
            self.fails(OUTPUT, "edges", self.photo, "-o", out, says=[out])
        for out in ("/dev/null", "/dev/full"):
            self.fails(OUTPUT, "edges", self.photo, "-o", out, says=[out])
        self.fails(
            OUTPUT,
            "edges",
            "-",
            "-o",
            "missing/out.y4m",
            stdin=y4m(4, 4, [bytes(16)]),
            says=["missing/out.y4m"],
        )

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_permissions(self):
        closed = self.at / "closed"
        closed.mkdir(mode=0o555)
        self.fails(OUTPUT, "edges", self.photo, "-o", "closed/out.png", says=["closed/out.png"])

    def test_a_full_disc_leaves_the_old_file(self):
        big = self.file("big.pgm", pgm(600, 600, os.urandom(600 * 600)))
        out = self.file("out.pgm", b"old")
        limited = lambda: __import__("resource").setrlimit(
            __import__("resource").RLIMIT_FSIZE, (10000, 10000)
        )
        done = subprocess.run(
            [CUESTA, "filter", big, "-o", out, "--kernel", "average:1"],
            capture_output=True,
            preexec_fn=lambda: (limited(), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)),
            timeout=60,
        )
        self.assertEqual(done.returncode, OUTPUT, done.stderr)
        self.assertIn(b"out.pgm", done.stderr)
        self.assertEqual(out.read_bytes(), b"old")
        self.assert_no_leftovers()

    def test_an_old_result_stays_when_the_new_one_fails(self):
        self.edges()
        before = (self.at / "out.png").read_bytes()
        self.photo.write_bytes(self.photo.read_bytes()[:60])
        self.fails(INPUT, "edges", self.photo, "-o", "out.png")
        self.assertEqual((self.at / "out.png").read_bytes(), before)

    def test_inputs_are_not_written_over(self):
        before = self.photo.read_bytes()
        (self.at / "link.png").symlink_to(self.photo)
        for out in ("photo.png", "./photo.png", "link.png", self.photo):
            self.fails(
                USAGE,
                "edges",
                self.photo,
                "-o",
                out,
                says=["photo.png"] if out != "link.png" else [out],
            )
        self.fails(USAGE, "edges", self.at, "-o", self.at)
        mask = self.file("mask.png", png(40, 30, [255] * 1200))
        self.fails(USAGE, "edges", self.photo, "-o", "mask.png", "--mask", mask, says=["mask.png"])
        self.assertEqual(self.photo.read_bytes(), before)

    def test_folders_and_files_are_not_confused(self):
        self.file("in/photo.png", self.photo.read_bytes())
        self.file("a.png", b"")
        self.fails(USAGE, "edges", self.photo, "in", "-o", "a.png", says=["a.png"])
        self.fails(USAGE, "edges", self.photo, "in/photo.png", "-o", "out", says=["photo.png"])
        self.fails(USAGE, "edges", self.photo, "in/photo.png", "-o", "-", says=["-o is -"])

    def test_links_are_followed_and_modes_kept(self):
        target = self.file("target.png", b"old")
        target.chmod(0o640)
        (self.at / "link.png").symlink_to(target)
        self.run_cuesta("edges", self.photo, "-o", "link.png")
        self.assertTrue((self.at / "link.png").is_symlink())
        self.assertTrue(target.read_bytes().startswith(b"\x89PNG"))
        self.assertEqual(target.stat().st_mode & 0o777, 0o640)

    def interrupted(self, sign, name, *options, stdin=None):
        """Interrupts `edges` on a long video once its result has begun."""
        process = subprocess.Popen(
            [CUESTA, "edges", name, "-o", "out.y4m", "--strategy", "serial", *options],
            cwd=self.at,
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        if stdin:
            process.stdin.write(stdin)
            process.stdin.flush()
        for _ in range(3000):
            # More than a header: a frame is there.
            if any(
                path.stat().st_size > 1000
                for path in [*staged_files(process, self.at), *self.at.glob("out.y4m")]
            ):
                break
            time.sleep(0.02)
        process.send_signal(sign)
        said = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, INTERRUPTED)
        self.assert_no_leftovers()
        return said.decode()

    def test_an_interrupt_leaves_nothing_of_a_file(self):
        self.file("long.y4m", y4m(800, 600, [bytes(800 * 600)] * 200))
        for sign in (signal.SIGINT, signal.SIGTERM):
            said = self.interrupted(sign, "long.y4m")
            self.assertIn("no result is kept", said)
            self.assertFalse((self.at / "out.y4m").exists())
        self.assertIn("kept: out.y4m", self.interrupted(signal.SIGINT, "long.y4m", "--follow"))
        self.assertGreater((self.at / "out.y4m").read_bytes().count(b"FRAME\n"), 0)

    def test_an_interrupt_keeps_what_came_of_a_pipe(self):
        for sign in (signal.SIGINT, signal.SIGTERM):
            said = self.interrupted(sign, "-", stdin=y4m(40, 30, [Streams.frame] * 50))
            self.assertIn("kept: out.y4m", said)
            frames = (self.at / "out.y4m").read_bytes().count(b"FRAME\n")
            self.assertGreater(frames, 0)
            self.assertIn(f"after {frames} frames", said)
            (self.at / "out.y4m").unlink()


def read_terminal(leader):
    """What a terminal sees until nobody writes to it any more; closes it."""
    seen = b""
    while select.select([leader], [], [], 60)[0]:
        try:
            more = os.read(leader, 65536)
        except OSError:
            break
        if not more:
            break
        seen += more
    os.close(leader)
    return seen


class Messages(CommandTest):
    def on_terminal(self, *arguments, **environment):
        """What a terminal sees on stderr."""
        leader, follower = pty.openpty()
        process = subprocess.Popen(
            [CUESTA, *map(str, arguments)],
            cwd=self.at,
            stderr=follower,
            stdout=subprocess.PIPE,
            env={**os.environ, "TERM": "xterm", **environment},
        )
        os.close(follower)
        seen = read_terminal(leader)
        process.communicate(timeout=60)
        return seen

    def test_color_and_progress_on_terminals_only(self):
        self.assertIn(b"\x1b[1;31merror", self.on_terminal("edges", "missing.png", "-o", "x.png"))
        plain = self.on_terminal("edges", "missing.png", "-o", "x.png", NO_COLOR="1")
        self.assertNotIn(b"\x1b[1;31m", plain)
        self.file("long.y4m", y4m(800, 600, [bytes(os.urandom(800 * 600))] * 30))
        seen = self.on_terminal("edges", "long.y4m", "-o", "out.y4m", "--strategy", "serial")
        self.assertIn(b"frames", seen)
        self.assertIn(b"left", seen)
        self.assertEqual(self.on_terminal("edges", "long.y4m", "-o", "out.y4m", "-q"), b"")
        self.assertEqual(self.run_cuesta("edges", "long.y4m", "-o", "out.y4m").stderr, b"")

    def test_help_and_version(self):
        self.assertRegex(self.run_cuesta("--version").stdout.decode(), r"^cuesta \d+\.\d+\.\d+\n$")
        for verb in ([], ["edges"], ["filter"], ["label"], ["list"], ["verify"]):
            done = self.run_cuesta(*verb, "--help")
            self.assertIn(b"\nExamples:\n  cuesta ", done.stdout)
            self.assertEqual(done.stderr, b"")
            lines = done.stdout.decode().splitlines()
            self.assertLess(max(map(len, lines)), 80)

    def test_defaults_of_methods_have_a_line_each(self):
        text = self.run_cuesta("edges", "--help").stdout.decode()
        block = text.split("Defaults:\n")[1].split("\n\n")[0]
        found = dict(re.findall(r"^  (\w+) +(--.*(?:\n {14}\S.*)*)", block, re.MULTILINE))
        self.assertEqual(list(found), ["canny", "log", "sobel", "boundaries", "regions"])
        self.assertEqual(found["regions"], "--threshold 0.45; --quality high")
        self.assertIn("--aperture 3", found["sobel"])
        self.assertNotIn("--quality", found["canny"])


class ListAndVerify(CommandTest):
    def test_list(self):
        rows = json.loads(self.run_cuesta("list", "strategies", "--json").stdout)
        keys = {
            "operation",
            "space",
            "strategy",
            "tier",
            "idea",
            "paper",
            "exactness",
            "parameters",
            "allocates",
            "host_sync",
            "built",
        }
        for row in rows:
            self.assertEqual(set(row), keys)
        operations = [
            o["operation"]
            for o in json.loads(self.run_cuesta("list", "operations", "--json").stdout)
        ]
        self.assertEqual(sorted({row["operation"] for row in rows}), sorted(operations))
        for operation in operations:
            names = [row["strategy"] for row in rows if row["operation"] == operation]
            self.assertIn("serial", names)
        rungs = {
            (row["operation"], row["strategy"]): row for row in rows if row["tier"] == "ladder"
        }
        for rung in (
            ("convolve", "tiled"),
            ("canny", "row-cyclic"),
            ("motion", "v1.3"),
        ):  # without CUDA too
            self.assertTrue(rungs[rung]["paper"], rung)
        for row in rows:
            self.assertTrue(row["built"] or row["space"] == "device", row)
        for what in ([], ["operations"], ["strategies"], ["devices"]):
            self.assertTrue(self.run_cuesta("list", *what).stdout)
        lines = self.run_cuesta("list").stdout.decode().splitlines()
        self.assertEqual(
            lines[0].split(), ["operation", "space", "strategy", "tier", "paper", "idea"]
        )
        self.assertTrue(
            any(line.split()[:5] == ["sobel", "host", "rows", "baseline", "001"] for line in lines),
            lines,
        )
        self.fails(USAGE, "list", "everything", says=["everything"])

    def test_bench_where_it_is_not_installed(self):
        """The command copied to a folder of its own: help leaves bench out, and the verb says why."""
        alone = self.at / "alone" / "cuesta"
        alone.parent.mkdir()
        shutil.copy2(CUESTA, alone)
        path = {"env": {**os.environ, "PATH": "/usr/bin:/bin"}}

        def run(*words):
            return subprocess.run([alone, *words], capture_output=True, timeout=60, **path)

        for words in (
            ["bench"],
            ["bench", "cpu", "--quick"],
            ["help", "bench"],
            ["explain-ladder"],
            ["help", "explain-ladder"],
        ):
            done = run(*words)
            self.assertEqual((done.returncode, done.stdout), (USAGE, b""), words)
            self.assertIn(b"cuesta-bench is not installed", done.stderr)
        self.assertNotIn(b"  bench", run("--help").stdout)
        if bench_program():
            self.assertIn(b"  bench", self.run_cuesta("--help").stdout)
            path["env"]["PATH"] = str(Path(CUESTA).parent)
            self.assertEqual(
                run("bench", "--help").stdout, self.run_cuesta("bench", "--help").stdout
            )

    def test_explain_ladder(self):
        if not bench_program():
            self.skipTest("cuesta-bench is not beside the command")

        def steps(*words):
            text = self.run_cuesta("explain-ladder", "--device", "cpu", *words).stdout.decode()
            return text, {
                line.split()[0]: line.split()[1:] for line in text.splitlines() if line[:2] == "  "
            }

        text, gaussian = steps()
        self.assertIn("filter gaussian:5, 4096 x 4096 u8, on NVIDIA H200", text)
        self.assertIn("Every time is predicted; no kernel ran.", text)
        self.assertLess(
            list(gaussian).index("tiled"), list(gaussian).index("tensor"), "production comes last"
        )
        for request, operation in (("sobel", "sobel"), ("canny", "canny"), ("label", "label")):
            text, known = steps(request, "--size", "640x480", "--gpu-model", "gtx-960m")
            self.assertIn(f"{request}, 640 x 480 u8", text)
            papers = {
                one["strategy"]
                for one in json.loads(self.run_cuesta("list", "strategies", "--json").stdout)
                if (one["operation"], one["space"], one["tier"]) == (operation, "device", "ladder")
            }
            self.assertLessEqual(papers, set(known))
        _, detect = steps("detect")
        self.assertIn("v1.5", detect)
        # A larger window takes longer on the same GPU, and a slower GPU longer for the same window.
        small, large = (
            float(steps("--kernel", f"average:{side}")[1]["naive"][0]) for side in (3, 9)
        )
        slow = float(steps("--kernel", "average:9", "--gpu-model", "gtx-1060")[1]["naive"][0])
        self.assertLess(small, large)
        self.assertLess(large, slow)
        self.run_cuesta("explain-ladder", "canny", "--html", "climb.html", "--device", "cpu")
        page = (self.at / "climb.html").read_text()
        for part in ("<!doctype html>", "row-cyclic", "march-fp16", "</html>"):
            self.assertIn(part, page)
        self.assertNotRegex(page, r'(src|href)="(?!#)')
        for words, says in (
            (["blur"], ["blur", "filter", "detect"]),
            (["--gpu-model", "p6000"], ["p6000", "gtx-1060", "h200"]),
            (["--size", "640x"], ["640x", "WIDTHxHEIGHT"]),
            (["--size", "8"], ["--size is 8", "16"]),
            (["--kernel", "1 2 3"], ["3 x 1", "odd side"]),
            (["canny", "--kernel", "average:3"], ["average:3", "canny"]),
            (["canny", "--depth", "16"], ["--depth is 16", "canny"]),
            (["sobel", "--steps", "4"], ["--steps is 4", "sobel"]),
        ):
            self.fails(USAGE, "explain-ladder", *words, says=says)

    def test_bench(self):
        if not bench_program():
            self.skipTest("cuesta-bench is not beside the command")
        quick = ("--quick", "--sizes", "32", "--device", "cpu", "--threads", "2")
        text = self.run_cuesta(
            "bench",
            "sobel-ladder",
            *quick,
            "--json",
            self.at / "a.json",
            "--csv",
            self.at / "a.csv",
        ).stdout
        self.assertIn(b"CUDA rows are absent: --device cpu was asked for", text)
        result = json.loads((self.at / "a.json").read_text())
        self.assertEqual(result["differences"], [])
        lines = (self.at / "a.csv").read_text().splitlines()
        self.assertEqual(len(lines), len(result["rows"]) + 1)
        again = self.run_cuesta(
            "bench", "sobel-ladder", *quick, "--baseline", self.at / "a.json"
        ).stdout
        self.assertIn(f"{len(result['rows'])} rows compared".encode(), again)
        alone = json.loads(
            self.run_cuesta("bench", "cpu", "--only", "log", *quick, "--json", "-").stdout
        )
        self.assertEqual({row["experiment"] for row in alone["rows"]}, {"log"})
        words = self.run_cuesta(
            "bench",
            "model",
            "--explain",
            "convolve:tiled",
            "--gpu-model",
            "p5000",
            "--sizes",
            "512",
        ).stdout
        self.assertIn(b"Quadro P5000 (from the data sheet)", words)
        self.assertIn(b"512 x 512", words)
        self.fails(
            USAGE, "bench", "--explain", "convolve:none", says=["convolve:none", "convolve:naive"]
        )
        self.fails(
            USAGE,
            "bench",
            "--explain",
            "convolve:naive",
            "--gpu-model",
            "p6000",
            says=["p6000", "p5000"],
        )
        self.fails(USAGE, "bench", "cpu", "--gpu-model", "p6000", says=["p6000", "p5000"])
        self.fails(USAGE, "bench", "speed", says=["speed", "log-ladder"])
        self.fails(USAGE, "bench", "cpu", "--only", "speed", says=["speed"])
        self.fails(USAGE, "bench", "roofline", "--sweep", "block", says=["block=8,16,32"])
        self.fails(USAGE, "bench", "roofline", "--sweep", "nonsense=1", says=["nonsense"])
        self.fails(
            USAGE, "bench", "roofline", "--json", "-", "--csv", "-", says=["takes one of them"]
        )
        self.fails(
            INPUT,
            "bench",
            "roofline",
            *quick,
            "--baseline",
            self.at / "absent.json",
            says=["absent.json"],
        )
        self.fails(
            OUTPUT,
            "bench",
            "roofline",
            *quick,
            "--json",
            self.at / "absent/a.json",
            says=["absent"],
        )

    def test_verify(self):
        report = json.loads(self.run_cuesta("verify", "sobel", "--device", "cpu", "--json").stdout)
        self.assertEqual(report["failed"], 0)
        self.assertEqual(report["passed"], len(report["rows"]))
        for row in report["rows"]:
            self.assertGreater(row["run"], 0)
            self.assertEqual((row["operation"], row["failed"], row["passed"]), ("sobel", 0, True))
        only = json.loads(self.run_cuesta("verify", "sobel", "--strategy", "rows", "--json").stdout)
        self.assertEqual([row["strategy"] for row in only["rows"]], ["rows"])
        self.fails(USAGE, "verify", "nonsense", says=["nonsense", "sobel"])
        self.fails(
            USAGE,
            "verify",
            "--strategy",
            "fastest",
            says=["fastest", "no operation has a strategy"],
        )

    def test_verify_without_a_row_to_run(self):
        """Not even a GPU is requested where no row would run on it."""
        rows = json.loads(self.run_cuesta("list", "strategies", "--json").stdout)
        on_device = {row["operation"] for row in rows if row["space"] == "device" and row["built"]}
        self.fails(
            USAGE,
            "verify",
            "sobel",
            "--strategy",
            "shared-1d",
            "--device",
            "cpu",
            says=["sobel has no CPU strategy", "simd"],
        )
        if not on_device:
            self.fails(DEVICE, "verify", "sobel", "--device", "cuda", says=["--device cuda"])
            return
        for operation in {row["operation"] for row in rows} - on_device:
            self.fails(
                USAGE,
                "verify",
                operation,
                "--device",
                "cuda",
                says=[f"{operation} has no CUDA strategy in this build"],
            )
        self.fails(
            USAGE,
            "verify",
            "sobel",
            "--strategy",
            "simd",
            "--device",
            "cuda",
            says=["--strategy simd: sobel has no CUDA strategy of that name", "fused"],
        )


class Typing(CommandTest):
    """The command as people type it."""

    def test_what_was_meant(self):
        for words, says in (
            (["edgse", "photo.png", "-o", "x.png"], ["edgse", "did you mean edges?"]),
            (["detcet", "a.mp4"], ["detcet", "did you mean detect?"]),
            (
                ["edges", "photo.png", "-o", "x.png", "--methd", "log"],
                ["--methd", "cuesta edges", "did you mean --method?"],
            ),
            (
                ["edges", "photo.png", "-o", "x.png", "--threshhold=5"],
                ["--threshhold", "did you mean --threshold?"],
            ),
            (
                ["edges", "photo.png", "-o", "x.png", "--method", "lgo"],
                ["lgo", "canny, log, sobel, boundaries or regions", "did you mean log?"],
            ),
            (["edges", "photo.png", "-o", "x.png", "--norm", "L2"], ["--norm is L2", "l1 or l2"]),
            (
                ["edges", "photo.png", "-o", "x.png", "--threshold", "otsu"],
                ["--threshold is otsu", "did you mean auto:otsu?"],
            ),
            (
                ["edges", "photo.png", "-o", "x.png", "--threshold", "auto:medain"],
                ["auto:medain", "did you mean auto:median?"],
            ),
            (
                ["edges", "photo.png", "-o", "x.png", "--border", "refelct101", "--method", "log"],
                ["did you mean reflect101?"],
            ),
            (
                ["edges", "photo.png", "-o", "x.png", "--border", "reflect", "--method", "log"],
                ["use reflect101", "or symmetric"],
            ),
            (
                ["filter", "photo.png", "-o", "x.png", "--kernle", "laplacian"],
                ["did you mean --kernel?"],
            ),
            (
                ["filter", "photo.png", "-o", "x.png", "--kernel", "laplacain"],
                ["did you mean laplacian?"],
            ),
        ):
            with self.subTest(words):
                self.fails(USAGE, *words, says=says)
        self.fails(
            INPUT,
            "edges",
            "phtoo.png",
            "-o",
            "x.png",
            says=["phtoo.png: No such file", "did you mean photo.png?"],
        )
        self.file("in/photo.png", b"")
        self.fails(
            INPUT, "edges", "in/pohto.png", "-o", "x.png", says=["did you mean in/photo.png?"]
        )
        self.assertNotIn("did you mean", self.fails(USAGE, "quadratic"))

    def test_borders_by_name(self):
        names = ("replicate", "symmetric", "reflect101", "constant", "wrap", "ignore")
        results = set()
        for name in names:
            self.photo.write_bytes(
                png(40, 30, [(7 * x + 31 * y) % 251 for y in range(30) for x in range(40)])
            )
            self.run_cuesta(
                "filter", self.photo, "-o", "out.png", "--kernel", "average:5", "--border", name
            )
            results.add((self.at / "out.png").read_bytes())
        self.assertEqual(len(results), len(names))

    def test_words_for_help_and_version(self):
        version = self.run_cuesta("--version").stdout
        self.assertEqual(self.run_cuesta("version").stdout, version)
        self.assertEqual(self.run_cuesta("-V").stdout, version)
        text = self.run_cuesta("--help").stdout
        self.assertEqual(self.run_cuesta("help").stdout, text)
        self.assertEqual(
            self.run_cuesta("help", "edges").stdout, self.run_cuesta("edges", "--help").stdout
        )
        # Every verb has a whole sentence.
        verbs = text.decode().split("Verbs:")[1]
        sentences = " ".join(verbs.split())
        for end in (
            "in pictures and videos.",
            "or the median.",
            "box, area, centroid.",
            "videos of fixed cameras.",
            "of this build.",
            "byte for byte.",
            "the picture and OpenCV.",
        ):
            self.assertIn(end, sentences)

    def test_a_name_of_a_file_is_no_folder(self):
        for out in ("many.png", "many.MP4"):
            self.fails(USAGE, "edges", self.photo, self.photo, "-o", out, says=[out, "folder"])
            self.assertFalse((self.at / out).exists())
        second = self.file("second.png", self.photo.read_bytes())
        self.run_cuesta("edges", self.photo, second, "-o", "many.png/")
        self.assertEqual(len(list((self.at / "many.png").iterdir())), 2)

    def test_settings_are_saved_and_read_back(self):
        given = ["--method", "log", "--threshold", 3, "--sigma", 2.5, "--partial"]
        self.edges(*given, "--save-config", "log.toml")
        first = (self.at / "out.png").read_bytes()
        text = (self.at / "log.toml").read_text()
        self.assertTrue(text.startswith("[edges]\n"), text)
        for line in ('method = "log"', 'threshold = "3"', 'sigma = "2.5"', "partial = true"):
            self.assertIn(line, text)
        for word in ("photo", "out.png", "config"):
            self.assertNotIn(word, text)
        self.edges("--config", "log.toml")
        self.assertEqual((self.at / "out.png").read_bytes(), first)
        self.edges("--config=log.toml", "--sigma", 1.4)
        other = (self.at / "out.png").read_bytes()
        self.edges("--method", "log", "--threshold", 3, "--sigma", 1.4)
        self.assertEqual(
            (self.at / "out.png").read_bytes(), other, "the command line counts before the file"
        )
        # A table of another verb says nothing of this one; values may be numbers; comments are allowed.
        self.file(
            "mixed.toml",
            b'# mine\n[filter]\nmedian = 3\n\n[edges]\nmethod = "log"\nsigma = 2.5\nthreshold = 3\n',
        )
        self.edges("--config", "mixed.toml")
        self.assertEqual((self.at / "out.png").read_bytes(), first)
        self.run_cuesta("filter", self.photo, "-o", "f.png", "--config", "mixed.toml")

    def test_settings_that_cannot_be_meant(self):
        for text, says in (
            ("[edges]\nmethd = 'log'\n", ["methd", "did you mean method?"]),
            ("[egdes]\nmethod = 'log'\n", ["egdes", "edges"]),
            ("method = 'log'\n", ["method", "[edges]"]),
            ("[edges]\nmethod = 'lgo'\n", ["lgo", "log"]),
            ("[edges]\noutput = 'x.png'\n", ["output"]),
        ):
            self.file("bad.toml", text.encode())
            self.fails(USAGE, "edges", self.photo, "-o", "x.png", "--config", "bad.toml", says=says)
        self.fails(
            INPUT,
            "edges",
            self.photo,
            "-o",
            "x.png",
            "--config",
            "absent.toml",
            says=["absent.toml"],
        )

    def test_man_page_and_completion(self):
        man = self.run_cuesta("generate", "man").stdout.decode()
        scripts = {
            shell: self.run_cuesta("generate", shell).stdout.decode()
            for shell in ("bash", "zsh", "fish")
        }
        self.assertIn("cuesta\\-bench(1)", man)
        verbs = ["edges", "filter", "detect", "list", "verify"]
        if bench_program():  # with a page and scripts of its own
            verbs += ["bench", "explain-ladder"]
            man += self.bench("generate", "man")
            for shell in scripts:
                scripts[shell] += self.bench("generate", shell)
        for verb in verbs:
            self.assertIn(f".SH CUESTA {verb}", man)
            options = set()
            for line in self.run_cuesta(verb, "--help").stdout.decode().splitlines():
                words = line.replace(",", " ").split()
                if line.startswith("  -"):
                    options.add(words[0] if words[0].startswith("--") else words[1])
            self.assertGreater(len(options), 3)
            for option in options:
                self.assertIn("\\fB" + option.replace("-", "\\-") + "\\fR", man)
                self.assertIn(option, scripts["bash"])
                self.assertIn(f"'{option}[", scripts["zsh"])
                self.assertIn(f" -l {option[2:]} ", scripts["fish"])
        self.assertNotIn("generate", self.run_cuesta("--help").stdout.decode())
        for words, expected in (
            (["ed"], ["edges"]),
            (["edges", "--meth"], ["--method"]),
            (["edges", "--method", "s"], ["sobel"]),
            (["detect", "--background", "mix"], ["mixture"]),
            (["list", "dev"], ["devices"]),
            (["help", "fil"], ["filter"]),
            *(
                [
                    (["bench", "--swe"], ["--sweep"]),
                    (["explain-ladder", "--ht"], ["--html"]),
                    (["explain-ladder", "so"], ["sobel"]),
                ]
                if bench_program()
                else []
            ),
        ):
            done = subprocess.run(
                [
                    "bash",
                    "-c",
                    scripts["bash"]
                    + f"""
                COMP_WORDS=(cuesta {" ".join(words)}); COMP_CWORD={len(words)}; _cuesta 2>/dev/null; echo "${{COMPREPLY[@]}}" """,
                ],
                capture_output=True,
                text=True,
                timeout=60,
            )
            self.assertEqual(done.stdout.split(), expected, (words, done.stderr))

    def bench(self, *words):
        done = subprocess.run([bench_program(), *words], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def typed(self):
        """What is typed, and what the one candidate makes of it."""
        return (*self.TYPED, *([("cuesta bench --swe", "--sweep")] if bench_program() else []))

    TYPED = (
        ("cuesta ed", "edges"),
        ("cuesta edges --meth", "--method"),
        ("cuesta edges --method s", "sobel"),
        ("cuesta detect --background mix", "mixture"),
        ("cuesta list dev", "devices"),
        ("cuesta help fil", "filter"),
        ("cuesta vers", "version"),
        ("cuesta edges pho", "photo.png"),
    )

    @unittest.skipUnless(shutil.which("fish"), "fish is missing: scripts/install-deps tests")
    def test_completion_in_fish(self):
        script = self.file("cuesta.fish", self.run_cuesta("generate", "fish").stdout)
        environment = {
            **os.environ,
            "HOME": str(self.at),
            "XDG_CONFIG_HOME": str(self.at),
            "XDG_DATA_HOME": str(self.at),
        }
        subprocess.run(["fish", "--no-execute", script], check=True, timeout=60, env=environment)
        sources = "source cuesta.fish"
        if bench_program():
            self.file("cuesta-bench.fish", self.bench("generate", "fish").encode())
            sources += "; source cuesta-bench.fish"
        asked = "; ".join(f"complete -C '{line}'; echo @@" for line, _ in self.typed())
        done = subprocess.run(
            ["fish", "--no-config", "-c", f"{sources}; {asked}"],
            capture_output=True,
            text=True,
            timeout=60,
            cwd=self.at,
            env=environment,
        )
        self.assertEqual(done.stderr, "")
        found = [
            [line.split("\t")[0] for line in part.splitlines()]
            for part in done.stdout.split("@@\n")[:-1]
        ]
        self.assertEqual(found, [[word] for _, word in self.typed()])

    @unittest.skipUnless(shutil.which("zsh"), "zsh is missing: scripts/install-deps tests")
    def test_completion_in_zsh(self):
        """On a terminal, as completion is only there: what Tab makes of the line."""
        script = self.file("_cuesta", self.run_cuesta("generate", "zsh").stdout)
        subprocess.run(["zsh", "--no-exec", script], check=True, timeout=60)
        if bench_program():
            self.file("_cuesta-bench", self.bench("generate", "zsh").encode())
        terminal, side = pty.openpty()
        zsh = subprocess.Popen(
            ["zsh", "--no-rcs", "-i"],
            stdin=side,
            stdout=side,
            stderr=side,
            cwd=self.at,
            start_new_session=True,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(self.at),
                "TERM": "dumb",
                "LC_ALL": "C.UTF-8",
            },
        )
        os.close(side)
        self.addCleanup(lambda: (zsh.kill(), zsh.wait(), os.close(terminal)))

        def until(mark):
            got, end = b"", time.monotonic() + 60
            while mark not in got:
                self.assertTrue(
                    select.select([terminal], [], [], max(0, end - time.monotonic()))[0], got
                )
                got += os.read(terminal, 65536)
            return got.decode()

        os.write(
            terminal,
            b"unsetopt prompt_cr prompt_sp; PROMPT= RPROMPT=; fpath=($PWD $fpath); autoload -Uz compinit && compinit -u -D\n"
            b"shown() { print -r -- \"<<$BUFFER>>\"; BUFFER= }; zle -N shown; bindkey '^T' shown; bindkey '^I' complete-word; print rea''dy\n",
        )
        until(b"ready\r\n")
        for line, word in self.typed():
            os.write(terminal, line.encode() + b"\t\x14")
            shown = re.search(r"<<(.*)>>", until(b">>"))
            self.assertEqual(shown[1].rstrip(), line[: line.rindex(" ") + 1] + word)


if __name__ == "__main__":
    CUESTA = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)

#!/usr/bin/env python3
"""Files of every kind that people have, read by what they hold: orientation, floats, pages, animations,
depths, alpha; masks that stay masks; pictures through pipes.

    test_files.py PATH-TO-CUESTA [unittest arguments]

Makes its inputs through libvips, by ctypes. Needs nothing else but Python's standard library.
"""

import ctypes
import json
import os
import struct
import subprocess
import sys
import unittest
import zlib

import test_command
from test_command import INPUT, OUTPUT, USAGE, CommandTest, png, read_png, y4m

UCHAR, USHORT, FLOAT = 0, 2, 6
CODES = {UCHAR: "B", USHORT: "H", FLOAT: "f"}


class Vips:
    """As much of libvips as makes and reads files."""

    def __init__(self):
        self.lib = ctypes.CDLL("libvips.so.42")
        assert self.lib.vips_init(b"test_files") == 0
        self.lib.vips_cache_set_max(0)  # a name is used twice
        pointer, text, number = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
        for name, result, arguments in (
            (
                "vips_image_new_from_memory_copy",
                pointer,
                [text, ctypes.c_size_t, number, number, number, number],
            ),
            ("vips_image_write_to_file", number, [pointer, text, pointer]),
            ("vips_image_new_from_file", pointer, [text, pointer]),
            ("vips_image_write_to_memory", pointer, [pointer, ctypes.POINTER(ctypes.c_size_t)]),
            ("vips_image_set_int", None, [pointer, text, number]),
            ("vips_image_set_array_int", None, [pointer, text, ctypes.POINTER(number), number]),
            ("vips_error_buffer", text, []),
            ("vips_error_clear", None, []),
        ):
            function = getattr(self.lib, name)
            function.restype, function.argtypes = result, arguments
        for name in ("width", "height", "bands", "format", "n_pages", "orientation", "page_height"):
            getattr(self.lib, "vips_image_get_" + name).argtypes = [pointer]

    def write(self, path, width, height, samples, bands=1, kind=UCHAR, delays=(), **fields):
        data = struct.pack(f"={len(samples)}{CODES[kind]}", *samples)
        image = self.lib.vips_image_new_from_memory_copy(
            data, len(data), width, height, bands, kind
        )
        for name, value in fields.items():
            self.lib.vips_image_set_int(image, name.replace("_", "-").encode(), value)
        if delays:
            self.lib.vips_image_set_array_int(
                image, b"delay", (ctypes.c_int * len(delays))(*delays), len(delays)
            )
        if self.lib.vips_image_write_to_file(image, os.fsencode(path), None) != 0:
            raise OSError(self.lib.vips_error_buffer().decode())

    def read(self, path, options=""):
        """(width, height, bands, format, samples), and what else is requested by name."""
        image = self.lib.vips_image_new_from_file(os.fsencode(path) + options.encode(), None)
        if not image:
            raise OSError(self.lib.vips_error_buffer().decode())
        facts = {
            name: getattr(self.lib, "vips_image_get_" + name)(image)
            for name in (
                "width",
                "height",
                "bands",
                "format",
                "n_pages",
                "orientation",
                "page_height",
            )
        }
        size = ctypes.c_size_t()
        memory = self.lib.vips_image_write_to_memory(image, ctypes.byref(size))
        data = ctypes.string_at(memory, size.value)
        if facts["format"] in CODES:
            code = CODES[facts["format"]]
            facts["samples"] = list(
                struct.unpack(f"={len(data) // struct.calcsize(code)}{code}", data)
            )
        return facts


VIPS = None
WIDTH, HEIGHT = 60, 40


def scene(width=WIDTH, height=HEIGHT, shift=0):
    """Gray levels with a bright square, a ramp and a dark disk: edges of several strengths."""
    out = []
    for y in range(height):
        for x in range(width):
            value = 30 + x
            if 8 <= x - shift < 24 and 8 <= y < 26:
                value = 220
            if (x - 42) ** 2 + (y - 20) ** 2 < 90:
                value = 5
            out.append(value)
    return out


def tiff(directories, order, big):
    """A TIFF of 8-bit gray directories (NewSubfileType, width, height, samples), classic or BigTIFF."""
    number = order + ("Q" if big else "I")
    data = bytearray(
        (b"II" if order == "<" else b"MM") + struct.pack(order + "H", 43 if big else 42)
    )
    if big:
        data += struct.pack(order + "HH", 8, 0)
    link = len(data)  # where the offset of the next directory is
    data += struct.pack(number, 0)
    for subfile, width, height, samples in directories:
        strip = len(data)
        data += bytes(samples) + b"\0" * (-len(samples) % 8)
        struct.pack_into(number, data, link, len(data))
        tags = ((254, 4, subfile), (256, 4, width), (257, 4, height), (258, 3, 8), (259, 3, 1),
                (262, 3, 1), (273, 4, strip), (277, 3, 1), (278, 4, height), (279, 4, len(samples)))  # fmt: skip
        data += struct.pack(order + ("Q" if big else "H"), len(tags))
        for tag, kind, value in tags:
            field = struct.pack(order + ("I" if kind == 4 else "H"), value)
            data += struct.pack(order + ("HHQ" if big else "HHI"), tag, kind, 1)
            data += field.ljust(8 if big else 4, b"\0")
        link = len(data)
        data += struct.pack(number, 0)
    return bytes(data)


def openexr(width, height, samples):
    """Scanlines of RGB, uncompressed, in 32-bit floats (openexr.com, "OpenEXR File Layout")."""

    def attribute(name, kind, value):
        return name.encode() + b"\0" + kind.encode() + b"\0" + struct.pack("<i", len(value)) + value

    channels = (
        b"".join(name + b"\0" + struct.pack("<iB3xii", 2, 0, 1, 1) for name in (b"B", b"G", b"R"))
        + b"\0"
    )
    window = struct.pack("<4i", 0, 0, width - 1, height - 1)
    head = (
        struct.pack("<2i", 20000630, 2)
        + b"".join(
            (
                attribute("channels", "chlist", channels),
                attribute("compression", "compression", b"\0"),
                attribute("dataWindow", "box2i", window),
                attribute("displayWindow", "box2i", window),
                attribute("lineOrder", "lineOrder", b"\0"),
                attribute("pixelAspectRatio", "float", struct.pack("<f", 1)),
                attribute("screenWindowCenter", "v2f", struct.pack("<2f", 0, 0)),
                attribute("screenWindowWidth", "float", struct.pack("<f", 1)),
            )
        )
        + b"\0"
    )
    lines = []
    for y in range(height):
        row = samples[y * width * 3 : (y + 1) * width * 3]
        planes = [v for channel in (2, 1, 0) for v in row[channel::3]]
        lines.append(struct.pack(f"<2i{len(planes)}f", y, 4 * len(planes), *planes))
    begin = len(head) + 8 * height
    return (
        head
        + b"".join(struct.pack("<Q", begin + y * len(lines[0])) for y in range(height))
        + b"".join(lines)
    )


def colored(gray):
    return [sample for v in gray for sample in (v, 255 - v, v // 2)]


def apng(width, height, frames):
    """An animated PNG of gray frames."""
    still = png(width, height, frames[0])

    def chunk(kind, data):
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    def control(number):
        return chunk(b"fcTL", struct.pack(">IIIIIHHBB", number, width, height, 0, 0, 1, 10, 0, 0))

    def packed(samples):
        return zlib.compress(
            b"".join(b"\0" + bytes(samples[y * width : (y + 1) * width]) for y in range(height))
        )

    header = still[: 8 + 25]
    out = (
        header
        + chunk(b"acTL", struct.pack(">II", len(frames), 0))
        + control(0)
        + chunk(b"IDAT", packed(frames[0]))
    )
    number = 1
    for frame in frames[1:]:
        out += control(number) + chunk(b"fdAT", struct.pack(">I", number + 1) + packed(frame))
        number += 2
    return out + chunk(b"IEND", b"")


class FilesTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.gray = scene()

    def make(self, name, samples, width=WIDTH, height=HEIGHT, **options):
        path = self.at / name.split("[")[0]
        VIPS.write(str(self.at / name), width, height, samples, **options)
        return path

    def edges_of(self, name, *arguments, out="mask.png"):
        line = json.loads(self.run_cuesta("edges", name, "-o", out, "--json", *arguments).stdout)
        return line, read_png((self.at / out).read_bytes())[4]


class Orientation(FilesTest):
    def test_is_applied_once_and_then_gone(self):
        # Stored on its side; shown, it stands: what is stored at (x, y) is shown at (height - 1 - y, x).
        stood = [
            self.gray[(HEIGHT - 1 - x) * WIDTH + y] for y in range(WIDTH) for x in range(HEIGHT)
        ]
        for name in ("a.tif", "a.webp[lossless]", "a.jpg[Q=100]"):
            with self.subTest(name):
                path = self.make(name, self.gray, orientation=6)
                self.assertEqual(
                    VIPS.read(path)["orientation"], 6, "the test's own file says how it is turned"
                )
                for extension in (".png", ".tif", ".jpg", ".webp", ".jp2"):
                    self.run_cuesta("filter", path, "-o", "f" + extension, "--kernel", "average:1")
                    facts = VIPS.read(self.at / ("f" + extension))
                    self.assertLessEqual(facts["orientation"], 1, extension)
                    self.assertEqual((facts["width"], facts["height"]), (HEIGHT, WIDTH), extension)
                samples = VIPS.read(self.at / "f.png")["samples"]
                bands = VIPS.read(self.at / "f.png")["bands"]
                worst = max(abs(a - b) for a, b in zip(samples[::bands], stood))
                self.assertLessEqual(worst, 12 if "jpg" in name else 0)
                _, mask = self.edges_of("f.png")
                self.assertEqual(self.edges_of(path)[1], mask)


class Floats(FilesTest):
    def near(self, mask, expected):
        """Numbers as they are: what 16 bits round differs in few pixels."""
        differing = sum(a != b for a, b in zip(mask, expected, strict=True))
        self.assertLess(differing, 0.05 * expected.count(255))

    def test_numbers_mean_what_they_are(self):
        """0 to 1, to 255 and to 65535, gray: as levels, the edges of the picture of 16 bits."""
        self.make("gray.tif", [v * 257 for v in self.gray], kind=USHORT)
        _, expected = self.edges_of("gray.tif")
        self.assertTrue(50 < expected.count(255) < 1000, expected.count(255))
        for name, scale in (
            ("one.tif", 1 / 255),
            ("bytes.tif", 1),
            ("words.tif", 257),
            ("bytes.pfm", 1),
        ):
            self.make(name, [v * scale for v in self.gray], kind=FLOAT)
            _, mask = self.edges_of(name, "--white", 255 * scale)
            self.assertEqual(mask, expected, name)
            self.near(self.edges_of(name)[1], expected)

    def test_color_as_gray(self):
        samples = colored(self.gray)
        self.make("color.tif", [v * 257 for v in samples], bands=3, kind=USHORT)
        _, expected = self.edges_of("color.tif")
        for name, scale in (
            ("one.tif", 1 / 255),
            ("bytes.tif", 1),
            ("words.tif", 257),
            ("bytes.pfm", 1),
        ):
            self.make(name, [v * scale for v in samples], bands=3, kind=FLOAT)
            self.assertEqual(self.edges_of(name, "--white", 255 * scale)[1], expected, name)
            self.near(self.edges_of(name)[1], expected)

    def test_thresholds_count_in_the_files_levels(self):
        self.make("gray.png", self.gray)
        given = ("--sigma", 0, "--low", 50, "--high", 150)
        _, expected = self.edges_of("gray.png", *given)
        self.make("bytes.tif", [float(v) for v in self.gray], kind=FLOAT)
        line, mask = self.edges_of("bytes.tif", *given)
        self.assertEqual(mask, expected)
        self.assertEqual((line["low"], line["high"]), (50, 150))
        self.make("one.tif", [v / 255 for v in self.gray], kind=FLOAT)
        self.assertEqual(
            self.edges_of("one.tif", "--sigma", 0, "--low", 50 / 255, "--high", 150 / 255)[1],
            expected,
        )
        _, log = self.edges_of("gray.png", "--method", "log", "--threshold", 9)
        self.assertEqual(self.edges_of("bytes.tif", "--method", "log", "--threshold", 9)[1], log)

    def test_filter_keeps_numbers_where_the_format_does(self):
        for bands, samples in ((1, self.gray), (3, colored(self.gray))):
            self.make("f.tif", [float(v) for v in samples], bands=bands, kind=FLOAT)
            self.run_cuesta("filter", "f.tif", "-o", "g.tif", "--kernel", "average:1")
            facts = VIPS.read(self.at / "g.tif")
            self.assertEqual(
                (facts["format"], facts["samples"]), (FLOAT, [float(v) for v in samples])
            )
            self.run_cuesta("filter", "f.tif", "-o", "g.png", "--kernel", "average:1")
            facts = VIPS.read(self.at / "g.png")
            self.assertEqual(
                (facts["format"], facts["samples"]), (USHORT, [v * 257 for v in samples])
            )
            self.run_cuesta(
                "filter", "f.tif", "-o", "g8.tif", "--kernel", "average:1", "--depth", 8
            )
            self.assertEqual(VIPS.read(self.at / "g8.tif")["samples"], samples)
        # What the command itself writes as floats it reads as the same picture.
        self.make("gray.png", self.gray)
        self.run_cuesta(
            "filter", "gray.png", "-o", "own.tif", "--kernel", "average:1", "--depth", "float"
        )
        self.make("gray.tif", [v * 257 for v in self.gray], kind=USHORT)
        self.near(self.edges_of("own.tif")[1], self.edges_of("gray.tif")[1])

    def test_what_was_taken_for_white_is_said_and_set(self):
        self.make("f.tif", [v * 100.0 for v in self.gray], kind=FLOAT)
        said = self.run_cuesta("edges", "f.tif", "-o", "e.png", "-v").stderr.decode()
        self.assertIn("f.tif: numbers as they are", said)
        log = ("--method", "log", "-v")
        said = self.run_cuesta("edges", "f.tif", "-o", "e.png", *log).stderr.decode()
        self.assertIn("f.tif: levels, 0 is black and 65535 is white", said)
        said = self.run_cuesta(
            "edges", "f.tif", "-o", "e.png", "-v", "--white", 25500
        ).stderr.decode()
        self.assertIn("25500 is white", said)
        self.make("gray.tif", [v * 257 for v in self.gray], kind=USHORT)
        self.assertEqual(self.edges_of("f.tif", "--white", 25500)[1], self.edges_of("gray.tif")[1])
        said = self.run_cuesta("edges", "f.tif", "-o", "e.png", "--white", 5000).stderr.decode()
        self.assertIn("are below black or above white", said)
        self.make("n.tif", [v * 100.0 - 20000 for v in self.gray], kind=FLOAT)
        ends = ("--black", -20000, "--white", 5500)
        self.assertEqual(self.edges_of("n.tif", *ends)[1], self.edges_of("gray.tif")[1])
        said = self.run_cuesta("edges", "n.tif", "-o", "e.png", *log).stderr.decode()
        self.assertRegex(said, "n.tif: levels, -[0-9]+ is black and -?[0-9]+ is white")
        self.fails(
            USAGE, "edges", "n.tif", "-o", "x.png", "--black=3", "--white=3", says=["above --black"]
        )
        self.fails(
            USAGE, "edges", "n.tif", "-o", "x.png", "--black=3", "--white=light", says=["--black"]
        )
        self.fails(USAGE, "edges", "n.tif", "-o", "x.png", "--black=none", says=["--black", "none"])
        for bad in ("none", "0", "-1", "nan"):
            self.fails(
                USAGE, "edges", "f.tif", "-o", "x.png", f"--white={bad}", says=["--white", bad]
            )

    def test_white_of_integers(self):
        """A camera's 12 bits in 16, and a dark picture of 8: levels as a float file's are."""
        self.make("f.tif", [v * 16.0 for v in self.gray], kind=FLOAT)
        self.make("camera.tif", [v * 16 for v in self.gray], kind=USHORT)
        self.make("gray.tif", [v * 257 for v in self.gray], kind=USHORT)
        self.make("dark.png", [v // 5 for v in self.gray])
        for method in ("canny", "log", "boundaries", "regions"):
            of = ("--method", method)
            self.assertEqual(
                self.edges_of("camera.tif", *of, "--white", 4080)[1],
                self.edges_of("gray.tif", *of)[1],
            )
            self.assertEqual(
                self.edges_of("camera.tif", *of, "--black", 100, "--white", 2000)[1],
                self.edges_of("f.tif", *of, "--black", 100, "--white", 2000)[1],
            )
            said = self.run_cuesta("edges", "camera.tif", "-o", "e.png", *of).stderr.decode()
            weak = "so that its edges are weak; --white sets another"
            self.assertEqual(weak in said, method != "canny", said)
            said = self.run_cuesta(
                "edges", "camera.tif", "-o", "e.png", *of, "--white", 4080
            ).stderr.decode()
            self.assertNotIn("weak", said)
            said = self.run_cuesta("edges", "f.tif", "-o", "e.png", *of).stderr.decode()
            self.assertNotIn("weak", said)  # its numbers have no type that says what white is
        log = ("--method", "log")
        few, many = (
            self.edges_of("dark.png", *log)[1],
            self.edges_of("dark.png", *log, "--white=51")[1],
        )
        self.assertGreater(sum(v > 0 for v in many), sum(v > 0 for v in few))
        self.make("clear.png", [c for v in self.gray for c in (v // 5, 3)], bands=2)
        self.run_cuesta("filter", "clear.png", "-o", "f.png", "--kernel", "average:1", "--white=51")
        self.assertEqual(set(VIPS.read(self.at / "f.png")["samples"][1::2]), {3 * 257})
        self.fails(
            INPUT,
            "edges",
            "camera.tif",
            "-o",
            "x.png",
            "--white=4080",
            "--memory=20kB",
            says=["its numbers become levels by the whole picture"],
        )

    def test_light(self):
        """Radiance: linear, far beyond 1 in the sun."""
        self.make(
            "sun.hdr",
            [v / 255 * (1000 if v > 200 else 1) for v in colored(self.gray)],
            bands=3,
            kind=FLOAT,
        )
        said = self.run_cuesta("edges", "sun.hdr", "-o", "e.png", "-v").stderr.decode()
        self.assertIn("levels of linear light", said)
        self.run_cuesta("filter", "sun.hdr", "-o", "f.png", "--kernel", "average:1")
        facts = VIPS.read(self.at / "f.png")
        self.assertEqual(facts["format"], USHORT)
        self.assertGreater(max(facts["samples"]), 60000)

    def test_openexr(self):
        """What Radiance's four bytes round, OpenEXR's floats hold: the same picture, the same edges."""
        light = [v / 256 * (1024 if v > 200 else 1) for v in colored(self.gray)]
        self.file("sun.exr", openexr(WIDTH, HEIGHT, light))
        said = self.run_cuesta("edges", "sun.exr", "-o", "e.png", "-v").stderr.decode()
        self.assertIn("sun.exr: levels of linear light", said)
        self.make("sun.tif", light, bands=3, kind=FLOAT)
        self.assertEqual(
            self.edges_of("sun.exr")[1], self.edges_of("sun.tif", "--white", "light")[1]
        )
        self.assertEqual(
            self.edges_of("sun.exr", "--white", "4")[1], self.edges_of("sun.tif", "--white", "4")[1]
        )
        self.run_cuesta(
            "filter", "sun.exr", "-o", "f.tif", "--kernel", "average:1", "--depth", "float"
        )
        piped = self.run_cuesta("edges", "-", "-o", "p.png", stdin=openexr(WIDTH, HEIGHT, light))
        self.assertEqual(piped.returncode, 0)
        self.assertEqual((self.at / "p.png").read_bytes(), (self.at / "e.png").read_bytes())
        cut = self.file("cut.exr", openexr(WIDTH, HEIGHT, light)[:-2000])
        self.fails(INPUT, "edges", cut, "-o", "x.png", says=["cut.exr"])
        self.fails(OUTPUT, "edges", "sun.exr", "-o", "x.exr", says=[".exr", ".png"])


class Pages(FilesTest):
    def test_all_of_them(self):
        first, second = scene(), scene(shift=9)
        self.make("pages.tif", first + second, height=2 * HEIGHT, page_height=HEIGHT)
        self.assertEqual(VIPS.read(self.at / "pages.tif")["n_pages"], 2)
        done = self.run_cuesta("edges", "pages.tif", "-o", "e.tif", "--json")
        self.assertEqual(json.loads(done.stdout)["pages"], 2)
        for number, samples in ((0, first), (1, second)):
            self.make("one.png", samples)
            _, mask = self.edges_of("one.png")
            page = VIPS.read(self.at / "e.tif", f"[page={number}]")
            self.assertEqual((page["n_pages"], page["samples"]), (2, mask))
            self.assertEqual(self.edges_of("pages.tif", "--page", number + 1)[1], mask)
        self.fails(
            USAGE,
            "edges",
            "pages.tif",
            "-o",
            "x.png",
            says=["pages.tif", "2 pages", ".tif", "--page"],
        )
        self.fails(
            USAGE, "edges", "pages.tif", "-o", "x.png", "--page", 3, says=["--page 3", "pages.tif"]
        )
        self.run_cuesta("filter", "pages.tif", "-o", "out/", "--kernel", "average:1")
        self.assertEqual(VIPS.read(self.at / "out/pages.tif", "[n=-1]")["samples"], first + second)

    def test_overviews_and_masks_are_no_pages(self):
        """Directories marked as reduced resolution or transparency mask do not count."""
        first, second = scene(), scene(shift=9)
        self.make("one.png", first)
        _, mask = self.edges_of("one.png")
        self.make("two.png", second)
        _, second_mask = self.edges_of("two.png")
        small = (WIDTH // 2, HEIGHT // 2, first[: WIDTH * HEIGHT // 4])
        for order, big in (("<", False), (">", False), ("<", True), (">", True)):
            with self.subTest(order=order, big=big):
                directories = [(0, WIDTH, HEIGHT, first), (1, *small), (4, WIDTH, HEIGHT, second)]
                self.file("cog.tif", tiff(directories, order, big))
                self.assertEqual(self.edges_of("cog.tif")[1], mask)
                self.fails(USAGE, "edges", "cog.tif", "-o", "x.png", "--page", 2, says=["has one"])
                directories.append((2, WIDTH, HEIGHT, second))
                self.file("pages.tif", tiff(directories, order, big))
                self.fails(USAGE, "edges", "pages.tif", "-o", "x.png", says=["2 pages", "--page"])
                self.assertEqual(self.edges_of("pages.tif", "--page", 2)[1], second_mask)
                self.fails(INPUT, "label", "pages.tif", says=["2 pages", "--page"])
                data = tiff(directories, order, big)
                self.fails(
                    INPUT, "edges", "-", "-o", "x.png", says=["2 pages", "--page"], stdin=data
                )
                self.assertEqual(
                    self.edges_of("pages.tif", "--page", 2, "--memory", "2MB")[1], second_mask
                )

    def test_our_own_pyramids_have_one_page(self):
        width, height = 700, 520
        samples = [(x * 7 + y * y // 9) % 256 for y in range(height) for x in range(width)]
        self.make("big.png", samples, width=width, height=height)
        self.run_cuesta(
            "filter", "big.png", "-o", "p.tif", "--kernel", "average:1", "--tiff", "pyramid"
        )
        self.assertGreater(VIPS.read(self.at / "p.tif")["n_pages"], 1)
        for name in ("big", "p"):
            end = ".png" if name == "big" else ".tif"
            self.run_cuesta("edges", name + end, "-o", name + "-edges.png")
        self.assertEqual(
            (self.at / "p-edges.png").read_bytes(), (self.at / "big-edges.png").read_bytes()
        )

    def test_a_chain_that_returns_to_itself_ends(self):
        data = bytearray(tiff([(0, WIDTH, HEIGHT, scene())], "<", False))
        (at,) = struct.unpack("<I", data[4:8])
        (entries,) = struct.unpack("<H", data[at : at + 2])
        end = at + 2 + 12 * entries
        data[end : end + 4] = struct.pack("<I", at)
        self.file("loop.tif", bytes(data))
        self.make("one.png", scene())
        self.assertEqual(self.edges_of("loop.tif")[1], self.edges_of("one.png")[1])


class Bands(FilesTest):
    def test_one_of_five(self):
        planes = [scene(shift=2 * c) for c in range(5)]
        mixed = [v for pixel in zip(*planes) for v in pixel]
        self.make("five.tif", mixed, bands=5)
        for verb in (("edges", "five.tif", "-o", "x.png"), ("label", "five.tif")):
            self.fails(INPUT, *verb, says=["five.tif", "5 channels", "--band"])
            self.fails(INPUT, *verb, "--band", 6, says=["band 6", "has 5"])
        self.make("third.png", planes[2])
        _, mask = self.edges_of("third.png")
        self.assertEqual(self.edges_of("five.tif", "--band", 3)[1], mask)
        self.assertEqual(
            self.run_cuesta("label", "five.tif", "--band", 3).stdout,
            self.run_cuesta("label", "third.png").stdout,
        )
        self.run_cuesta("filter", "five.tif", "-o", "f.png", "--kernel", "average:1", "--band", 3)
        self.assertEqual(VIPS.read(self.at / "f.png")["samples"], planes[2])

    def test_of_a_colored_picture_in_bands_of_rows(self):
        width, height = 400, 300
        planes = [
            [(x * (3 + c) + y * y // (5 + c)) % 256 for y in range(height) for x in range(width)]
            for c in range(3)
        ]
        self.make(
            "rgb.tif",
            [v for pixel in zip(*planes) for v in pixel],
            width=width,
            height=height,
            bands=3,
        )
        self.make("green.png", planes[1], width=width, height=height)
        self.run_cuesta("edges", "green.png", "-o", "a.png")
        self.run_cuesta("edges", "rgb.tif", "-o", "b.png", "--band", 2, "--memory", "250kB")
        self.assertEqual((self.at / "a.png").read_bytes(), (self.at / "b.png").read_bytes())


class Animations(FilesTest):
    def setUp(self):
        super().setUp()
        self.frames = [scene(shift=3 * i) for i in range(4)]
        samples = [v for frame in self.frames for v in colored(frame)]
        for name in ("a.gif", "a.webp[lossless]"):
            self.make(
                name, samples, height=4 * HEIGHT, bands=3, page_height=HEIGHT, delays=[100] * 4
            )
        self.file("a.png", apng(WIDTH, HEIGHT, self.frames))

    def test_every_frame_to_every_verb(self):
        for name in ("a.gif", "a.webp", "a.png"):
            with self.subTest(name):
                self.run_cuesta("edges", name, "-o", "e.y4m")
                self.assertEqual((self.at / "e.y4m").read_bytes().count(b"FRAME\n"), 4)
                self.run_cuesta("filter", name, "-o", "f.y4m", "--median", 3)
                self.assertEqual((self.at / "f.y4m").read_bytes().count(b"FRAME\n"), 4)
                lines = self.run_cuesta("detect", name, "--json", "-").stdout.splitlines()
                self.assertEqual(
                    [json.loads(line).get("frame") for line in lines], [None, 0, 1, 2, 3]
                )
                message = self.fails(
                    USAGE, "edges", name, "-o", "x.png", says=[name, "an animation", "--page 1"]
                )
                self.assertIn(".webp", message)
                self.run_cuesta("edges", name, "-o", "one.png", "--page", 1)

    def test_animations_are_written(self):
        self.run_cuesta("edges", "a.webp", "-o", "e.y4m")
        masks = (self.at / "e.y4m").read_bytes().split(b"FRAME\n")[1:]
        for out in ("e.webp", "e.gif"):
            self.run_cuesta("edges", "a.webp", "-o", out)
            facts = VIPS.read(self.at / out, "[n=-1]")
            self.assertEqual((facts["n_pages"], facts["page_height"]), (4, HEIGHT), out)
            samples = facts["samples"][:: facts["bands"]]
            self.assertEqual(bytes(samples), b"".join(masks), out)
        lines = self.run_cuesta("detect", "e.webp", "--json", "-").stdout.splitlines()
        self.assertEqual(
            [round(json.loads(line)["time"], 3) for line in lines[1:]], [0, 0.1, 0.2, 0.3]
        )
        self.run_cuesta("edges", "a.webp", "-o", "e.webm")

    def test_in_folders(self):
        (self.at / "in").mkdir()
        for name in ("a.gif", "a.webp", "a.png"):
            (self.at / name).rename(self.at / "in" / name)
        (self.at / "in/a.webp").rename(self.at / "in/b.webp")
        self.run_cuesta("edges", "in", "-o", "out")
        self.assertEqual(
            sorted(p.name for p in (self.at / "out").iterdir()), ["a.gif", "a.webp", "b.webp"]
        )
        for path in (self.at / "out").iterdir():
            self.assertEqual(VIPS.read(path)["n_pages"], 4, path)


class Masks(FilesTest):
    def test_stay_masks(self):
        for name in (
            "in/a.jpg",
            "in/b.jpg",
            "in/c.webp",
            "in/d.jp2",
            "in/e.tif",
            "in/f.gif",
            "in/b.png",
        ):
            (self.at / "in").mkdir(exist_ok=True)
            self.make(name, self.gray)
        self.run_cuesta("edges", "in", "-o", "out")
        names = sorted(p.name for p in (self.at / "out").iterdir())
        self.assertEqual(
            names, ["a.png", "b.jpg.png", "b.png", "c.webp", "d.jp2", "e.tif", "f.png"]
        )
        for name in names:
            self.assertEqual(set(VIPS.read(self.at / "out" / name)["samples"]), {0, 255}, name)
        _, mask = self.edges_of("in/b.png")
        for out in ("m.webp", "m.jp2", "m.jxl", "m.tif", "m.bmp", "m.pgm"):
            self.run_cuesta("edges", "in/b.png", "-o", out)
            if out != "m.bmp":
                facts = VIPS.read(self.at / out)
                self.assertEqual(facts["samples"][:: facts["bands"]], mask, out)
        self.run_cuesta("edges", "in", "-o", "asked", "--format", "jpg")
        self.assertEqual(
            sorted(p.name for p in (self.at / "asked").iterdir())[:3],
            ["a.jpg", "b.jpg", "b.png.jpg"],
        )


class Depths(FilesTest):
    def test_more_than_8_bits_of_video_are_said(self):
        luma = struct.pack(f"<{len(self.gray)}H", *(4 * v for v in self.gray))
        color = struct.pack("<600H", *[512] * 600) * 2
        stream = self.file("ten.y4m", y4m(WIDTH, HEIGHT, [luma + color] * 2, b"420p10"))
        said = self.run_cuesta("filter", stream, "-o", "f.y4m", "--median", 3).stderr.decode()
        self.assertIn("samples of 10 bits are rounded to 8", said)
        self.assertNotIn("rounded", self.run_cuesta("edges", stream, "-o", "e.y4m").stderr.decode())
        self.assertIn(
            "rounded to 8", self.run_cuesta("edges", stream, "-o", "e.y4m", "-v").stderr.decode()
        )
        self.run_cuesta("edges", stream, "-o", "e.mkv")

    def test_defaults_scale(self):
        self.make("eight.png", self.gray)
        self.make("sixteen.tif", [v * 257 for v in self.gray], kind=USHORT)
        self.assertEqual(VIPS.read(self.at / "sixteen.tif")["format"], USHORT)
        # What the usual sigma smooths first is rounded, of 8 bits to one of 255 levels.
        for method, most in (
            (["log"], 0.03),
            (["log", "--sigma", "2.2"], 0),
            (["log", "--mode", "threshold"], 0),
        ):
            line, eight = self.edges_of("eight.png", "--method", *method)
            _, sixteen = self.edges_of("sixteen.tif", "--method", *method)
            differing = sum(a != b for a, b in zip(eight, sixteen))
            self.assertLessEqual(
                differing, most * line["edge_pixels"], (method, differing, line["edge_pixels"])
            )
        _, eight = self.edges_of("eight.png", "--method", "sobel")
        _, sixteen = self.edges_of("sixteen.tif", "--method", "sobel")
        self.assertLessEqual(max(abs(a - b / 257) for a, b in zip(eight, sixteen)), 0.51)

    def test_log_draws_lines(self):
        self.make("eight.png", self.gray)
        line, _ = self.edges_of("eight.png", "--method", "log")
        bands, _ = self.edges_of("eight.png", "--method", "log", "--mode", "threshold")
        crossings, _ = self.edges_of("eight.png", "--method", "log", "--mode", "zero-crossings")
        self.assertEqual(line["edge_pixels"], crossings["edge_pixels"])
        self.assertLess(line["edge_pixels"], bands["edge_pixels"])

    def test_sobel_never_clips(self):
        noise = [255 * ((x * 7919 + x * x) % 3 == 0) for x in range(WIDTH * HEIGHT)]
        # The largest |gx| + |gy| there is: a corner of white in black, all that is above a diagonal.
        for y in range(12):
            for x in range(12):
                noise[y * WIDTH + x] = 255 if x > y else 0
        self.make("noise.png", noise)
        self.make("noise16.tif", [v * 257 for v in noise], kind=USHORT)
        for name, white in (("noise.png", 255), ("noise16.tif", 65535)):
            for aperture in (3, 5, 7):
                for norm in ("l1", "l2"):
                    _, out = self.edges_of(
                        name, "--method", "sobel", "--aperture", aperture, "--norm", norm
                    )
                    # Saturated samples would be many.
                    self.assertLess(out.count(white), 40, (name, aperture, norm))
                    self.assertGreater(max(out), white * 0.6, (name, aperture, norm))


class Alpha(FilesTest):
    def test_is_not_looked_at_and_said(self):
        alpha = [i % 256 for i in range(WIDTH * HEIGHT)]
        self.make("plain.png", colored(self.gray), bands=3)
        rgba = colored(self.gray)
        rgba = [s for i in range(WIDTH * HEIGHT) for s in (*rgba[3 * i : 3 * i + 3], alpha[i])]
        self.make("alpha.png", rgba, bands=4)
        self.assertEqual(self.edges_of("alpha.png")[1], self.edges_of("plain.png")[1])
        for verb, *more in (["edges"], ["filter", "--kernel", "average:1"]):
            said = self.run_cuesta(verb, "alpha.png", "-o", "out.png", "-v", *more).stderr.decode()
            self.assertIn("alpha is not looked at", said)
        self.assertEqual(VIPS.read(self.at / "out.png")["samples"], rgba)


class Others(FilesTest):
    def test_what_is_neither(self):
        for name, data in (
            ("notes.txt", b"no picture at all, but some text\n" * 9),
            ("a.psd", b"8BPS\0\1" + bytes(6) + b"\0\3\0\0\0\1\0\0\0\1\0\x08\0\3" + bytes(64)),
            ("a.pdf", b"%PDF-1.4\n1 0 obj\n<< >>\nendobj\n" * 4),
            ("a.ico", b"\0\0\1\0\1\0\1\1\0\0\1\0\x20\0\x30\0\0\0\x16\0\0\0" + bytes(48)),
            ("a.out", b"\x7fELF\2\1\1" + bytes(500)),
        ):
            self.file(name, data)
            for verb in (["edges"], ["filter", "--median", 3]):
                self.fails(INPUT, *verb, name, "-o", "x.png", says=[name, "not a picture or video"])


class Pipes(FilesTest):
    def test_pictures_on_standard_input_and_output(self):
        self.make("gray.png", self.gray)
        _, mask = self.edges_of("gray.png")
        for name in ("gray.png", "gray.tif", "gray.pgm", "gray.bmp", "gray.webp[lossless]"):
            data = self.make(name, self.gray).read_bytes()
            done = self.run_cuesta("edges", "-", "-o", "-", stdin=data)
            self.assertEqual(read_png(done.stdout)[4], mask, name)
        done = self.run_cuesta("edges", "-", "-o", "-", "--format", "pgm", stdin=data)
        self.assertTrue(done.stdout.startswith(b"P5") and done.stdout.endswith(bytes(mask)))
        done = self.run_cuesta("edges", "-", "-o", "file.png", stdin=data)
        self.assertEqual(read_png((self.at / "file.png").read_bytes())[4], mask)
        self.run_cuesta("edges", "-", "gray.png", "-o", "many", stdin=data)
        self.assertEqual(
            sorted(p.name for p in (self.at / "many").iterdir()), ["gray.png", "stdin.png"]
        )
        # The next program reads it.
        first = subprocess.run(
            [test_command.CUESTA, "filter", "-", "-o", "-", "--median", "3"],
            input=data,
            capture_output=True,
            check=True,
        )
        self.edges_of("gray.png")
        self.run_cuesta("edges", "-", "-o", "e.png", stdin=first.stdout)

    def test_a_picture_read_no_further(self):
        self.make("gray.png", self.gray)
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run(
            [test_command.CUESTA, "edges", "gray.png", "-o", "-"],
            cwd=self.at,
            stdout=writer,
            stderr=subprocess.PIPE,
        )
        os.close(writer)
        self.assertEqual((done.returncode, done.stderr), (4, b""))


class Videos(FilesTest):
    def test_a_folder_of_videos(self):
        frames = [bytes(scene(shift=i)) for i in range(3)]
        for name in ("v/a.y4m", "v/b.y4m"):
            self.file(name, y4m(WIDTH, HEIGHT, frames))
        self.file("v/notes.txt", b"nothing")
        self.run_cuesta("edges", "v", "-o", "out")
        self.assertEqual(sorted(p.name for p in (self.at / "out").iterdir()), ["a.y4m", "b.y4m"])
        self.run_cuesta("edges", "v/a.y4m", "v/b.y4m", "-o", "two/")
        self.assertEqual((self.at / "two/b.y4m").read_bytes(), (self.at / "out/b.y4m").read_bytes())


if __name__ == "__main__":
    test_command.CUESTA = os.path.abspath(sys.argv.pop(1))
    VIPS = Vips()
    unittest.main(verbosity=2)

#!/usr/bin/env python3
"""The C interface from another language, by ctypes and nothing else: what cuesta.h declares is exported and nothing besides,
structs are where ctypes puts them, and answers are those of plain loops.

    test_ctypes.py LIBRARY HEADER
"""

import ctypes
import re
import subprocess
import sys
import unittest
from ctypes import (
    POINTER,
    Structure,
    byref,
    c_char_p,
    c_double,
    c_int32,
    c_int64,
    c_size_t,
    c_uint8,
    c_void_p,
)
from pathlib import Path

LIBRARY, HEADER = Path(sys.argv[1]), Path(sys.argv[2])
library = ctypes.CDLL(str(LIBRARY))
library.cuesta_error_text.restype = c_char_p

OK, INVALID = 0, 1
U8, S16 = 1, 3


class View(Structure):
    _fields_ = [
        ("data", c_void_p),
        ("width", c_int32),
        ("height", c_int32),
        ("channels", c_int32),
        ("type", c_int32),
        ("space", c_int32),
        ("stride_bytes", c_int64),
    ]


class Border(Structure):
    _fields_ = [("mode", c_int32), ("value", c_double)]


class SobelOptions(Structure):
    _fields_ = [("size", c_size_t), ("aperture", c_int32), ("norm", c_int32), ("border", Border)]


class SobelOutputs(Structure):
    _fields_ = [("gx", View), ("gy", View), ("magnitude", View), ("direction", View)]


class Rect(Structure):
    _fields_ = [("x", c_int32), ("y", c_int32), ("width", c_int32), ("height", c_int32)]


class Component(Structure):
    _fields_ = [
        ("label", c_int32),
        ("box", Rect),
        ("area", c_int64),
        ("sum_x", c_int64),
        ("sum_y", c_int64),
    ]


class CannyOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("sigma", c_double),
        ("ksize", c_int32),
        ("rule", c_int32),
        ("low", c_double),
        ("high", c_double),
        ("percent", c_double),
        ("norm", c_int32),
        ("aperture", c_int32),
        ("mask", View),
        ("color", c_int32),
    ]


class BoundaryOptions(Structure):
    _fields_ = [("size", c_size_t), ("threshold", c_double), ("quality", c_int32)]


class RegionOptions(Structure):
    _fields_ = [("size", c_size_t), ("threshold", c_double)]


class TraceOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("tolerance", c_double),
        ("min_length", c_double),
        ("refinement", c_int32),
    ]


class LinePoint(Structure):
    _fields_ = [("x", c_double), ("y", c_double), ("strength", c_double)]


class Line(Structure):
    _fields_ = [
        ("points", POINTER(LinePoint)),
        ("count", c_size_t),
        ("length", c_double),
        ("strength", c_double),
        ("closed", c_int32),
    ]


library.cuesta_lines_all.restype = POINTER(Line)
library.cuesta_lines_free.restype = None

WIDTH, HEIGHT = 23, 17
PHOTO = [[(x * x * 7 + y * 31 + x * y * 3) % 256 for x in range(WIDTH)] for y in range(HEIGHT)]


def memory(rows, element=c_uint8):
    flat = [value for row in rows for value in row]
    return (element * len(flat))(*flat)


def view(samples, kind, channels=1):
    return View(ctypes.addressof(samples), WIDTH, HEIGHT, channels, kind, 0, 0)


def filled(options, init):
    """The struct with its defaults."""
    init(byref(options), c_size_t(ctypes.sizeof(options)))
    return options


GIVEN, STRUCTURE, PIXEL, UNBIASED = 3, 1, 0, 3
STEP = 9  # the first bright column


def reflect101(i, n):
    return -i if i < 0 else 2 * n - 2 - i if i >= n else i


def gradient_x(y, x):
    return sum(
        weight
        * (
            PHOTO[reflect101(y + dy, HEIGHT)][reflect101(x + 1, WIDTH)]
            - PHOTO[reflect101(y + dy, HEIGHT)][reflect101(x - 1, WIDTH)]
        )
        for dy, weight in ((-1, 1), (0, 2), (1, 1))
    )


class CInterface(unittest.TestCase):
    def test_exports(self):
        declared = set(re.findall(r"\b(cuesta_\w+)\s*\(", re.sub(r"//.*", "", HEADER.read_text())))
        lines = subprocess.run(
            ["nm", "--dynamic", "--defined-only", LIBRARY],
            check=True,
            capture_output=True,
            text=True,
        )
        exported = {line.split()[-1].split("@")[0] for line in lines.stdout.splitlines()}
        self.assertGreater(len(declared), 50)
        self.assertEqual(exported, declared)

    def test_sobel(self):
        photo, gx = memory(PHOTO), memory([[0] * WIDTH] * HEIGHT, ctypes.c_int16)
        out = SobelOutputs(gx=view(gx, S16))
        src = view(photo, U8)
        self.assertEqual(
            library.cuesta_sobel(None, byref(src), byref(out), None),
            OK,
            library.cuesta_error_text(),
        )
        self.assertEqual(list(gx), [gradient_x(y, x) for y in range(HEIGHT) for x in range(WIDTH)])
        self.assertGreater(max(gx), 0)

    def test_options(self):
        options = SobelOptions()
        library.cuesta_sobel_options_init(byref(options), c_size_t(ctypes.sizeof(options)))
        self.assertEqual(
            (options.size, options.aperture, options.border.mode), (ctypes.sizeof(options), 3, 2)
        )
        photo = memory(PHOTO)
        src, out = view(photo, U8), SobelOutputs(magnitude=view(photo, U8))
        options.aperture = 4
        self.assertEqual(
            library.cuesta_sobel(None, byref(src), byref(out), byref(options)), INVALID
        )
        self.assertEqual(library.cuesta_error_text(), b"sobel: aperture is 4; it must be 3, 5 or 7")

    def test_canny_of_colors(self):
        # Two channels take a step against each other: each is below the threshold, their tensor is not.
        color = memory(
            [
                [level for x in range(WIDTH) for level in ((100, 120, 7), (120, 100, 7))[x >= STEP]]
                for _ in range(HEIGHT)
            ]
        )
        edges = memory([[7] * WIDTH] * HEIGHT)
        src, dst = view(color, U8, 3), view(edges, U8)
        options = filled(CannyOptions(), library.cuesta_canny_options_init)
        self.assertEqual(
            (options.sigma, options.percent, options.aperture, options.color), (-1, 90, 3, 0)
        )
        options.sigma, options.rule, options.low, options.high = 0, GIVEN, 50, 100
        for options.color, expected in (0, 0), (STRUCTURE, 255 * HEIGHT):
            status = library.cuesta_canny(None, byref(src), byref(dst), byref(options), None)
            self.assertEqual(status, OK, library.cuesta_error_text())
            self.assertEqual(sum(edges), expected)

    def test_canny_of_gradients(self):
        ramp = [[100 * (x == STEP) for x in range(WIDTH)] for _ in range(HEIGHT)]
        gx, gy = memory(ramp, ctypes.c_int16), memory([[0] * WIDTH] * HEIGHT, ctypes.c_int16)
        edges = memory([[7] * WIDTH] * HEIGHT)
        options = filled(CannyOptions(), library.cuesta_canny_options_init)
        options.rule, options.low, options.high = GIVEN, 50, 99
        status = library.cuesta_canny_of_gradients(
            None,
            byref(view(gx, S16)),
            byref(view(gy, S16)),
            byref(view(edges, U8)),
            byref(options),
            None,
        )
        self.assertEqual(status, OK, library.cuesta_error_text())
        self.assertEqual(list(edges), [255 * (x == STEP) for x in range(WIDTH)] * HEIGHT)

    def test_boundaries(self):
        color = memory(
            [
                [level for x in range(WIDTH) for level in ((0, 0, 0), (60, 120, 200))[x >= STEP]]
                for _ in range(HEIGHT)
            ]
        )
        edges = memory([[7] * WIDTH] * HEIGHT)
        options = filled(BoundaryOptions(), library.cuesta_boundary_options_init)
        self.assertEqual((options.threshold, options.quality), (9, 0))
        status = library.cuesta_boundaries(
            None, byref(view(color, U8, 3)), byref(view(edges, U8)), byref(options)
        )
        self.assertEqual(status, OK, library.cuesta_error_text())
        middle = list(edges)[HEIGHT // 2 * WIDTH :][:WIDTH]
        self.assertEqual(middle.count(255), 1)
        self.assertLess(abs(middle.index(255) - STEP), 2)

    def test_regions(self):
        strengths = memory([[200 * (x == STEP) for x in range(WIDTH)]] * HEIGHT)
        contours = memory([[7] * WIDTH] * HEIGHT)
        options = filled(RegionOptions(), library.cuesta_region_options_init)
        self.assertEqual(options.threshold, 0.45)
        status = library.cuesta_regions(
            None, byref(view(strengths, U8)), byref(view(contours, U8)), byref(options)
        )
        self.assertEqual(status, OK, library.cuesta_error_text())
        for y in range(HEIGHT):
            row = list(contours)[y * WIDTH :][:WIDTH]
            self.assertEqual(row.count(255), 1)
            self.assertLess(abs(row.index(255) - STEP), 2)
        options.threshold = 2
        status = library.cuesta_regions(
            None, byref(view(strengths, U8)), byref(view(contours, U8)), byref(options)
        )
        self.assertEqual(status, INVALID)

    def test_trace(self):
        step = memory([[50 + 100 * (x >= STEP) for x in range(WIDTH)] for _ in range(HEIGHT)])
        how = filled(TraceOptions(), library.cuesta_trace_options_init)
        self.assertEqual((how.tolerance, how.min_length, how.refinement), (0.25, 10, UNBIASED))
        made, count = c_void_p(), c_size_t()
        status = library.cuesta_trace_canny(
            byref(made), None, byref(view(step, U8)), None, byref(how)
        )
        self.assertEqual(status, OK, library.cuesta_error_text())
        lines = library.cuesta_lines_all(made, byref(count))
        self.assertEqual(count.value, 1)
        line = lines[0]
        self.assertEqual((line.closed, line.count), (0, 2))
        for point in line.points[: line.count]:
            self.assertAlmostEqual(point.x, STEP - 0.5, delta=0.05)
        self.assertGreater(line.length, HEIGHT - 3)
        self.assertLessEqual(line.length, HEIGHT)
        library.cuesta_lines_free(made)

    def test_label(self):
        rows = [[0] * WIDTH for _ in range(HEIGHT)]
        for y in range(3, 6):
            rows[y][2:9] = [255] * 7
        rows[12][20] = 1
        mask = memory(rows)
        found, count = (Component * 4)(), c_size_t()
        src = view(mask, U8)
        status = library.cuesta_label(
            None, byref(src), None, found, c_size_t(4), byref(count), None
        )
        self.assertEqual(status, OK, library.cuesta_error_text())
        self.assertEqual(count.value, 2)
        box = found[0].box
        self.assertEqual((box.x, box.y, box.width, box.height, found[0].area), (2, 3, 7, 3, 21))
        self.assertEqual((found[1].label, found[1].sum_x, found[1].sum_y), (2, 20, 12))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

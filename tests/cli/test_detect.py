#!/usr/bin/env python3
"""cuesta detect, and the other verbs on video files, run as a user would run them.

    test_detect.py PATH-TO-CUESTA [unittest arguments]

Makes its inputs itself: y4m from here, other videos by the command. Needs nothing but Python's
standard library.
"""

import json
import os
import random
import signal
import struct
import subprocess
import sys
import time
import unittest
from pathlib import Path

import test_command
from test_command import INPUT, INTERRUPTED, OUTPUT, USAGE, CommandTest, png, y4m

ROOT = Path(__file__).resolve().parents[2]

WIDTH, HEIGHT, SIDE, FRAMES = 160, 120, 40, 12
GROUND, BRIGHT = 40, 200
PLAIN = ("--background", "first")  # paper 004's chain: it has no warm-up


def place(frame):
    """Upper left corner of the square; the first frame shows none."""
    return (8 + 8 * frame, 12 + 4 * frame) if frame > 0 else None


def luma(at, width=WIDTH, height=HEIGHT, side=SIDE):
    plane = [bytearray([GROUND]) * width for _ in range(height)]
    if at:
        x, y = at
        for row in plane[y : y + side]:
            row[x : x + side] = bytes([BRIGHT]) * side
    return b"".join(plane)


def street(frames=FRAMES, chroma=b"mono"):
    """A square that comes in and moves to the right and down."""
    color = {b"mono": 0, b"420jpeg": WIDTH * HEIGHT // 2, b"444": 2 * WIDTH * HEIGHT}[chroma]
    return y4m(
        WIDTH, HEIGHT, [luma(place(k)) + bytes([128]) * color for k in range(frames)], chroma
    )


def shaken(places):
    """A wall of stones, seen by a camera whose moves put it this many pixels to the right and down in each frame."""
    stones, margin = random.Random(5), 20
    tones = [
        [stones.randrange(60, 200) for _ in range(WIDTH // 6 + 10)] for _ in range(HEIGHT // 6 + 10)
    ]
    wall = [bytes(v for v in tones[y // 6] for _ in range(6)) for y in range(HEIGHT + 2 * margin)]
    seen = lambda x, y: b"".join(
        row[margin - x : margin - x + WIDTH] for row in wall[margin - y : margin - y + HEIGHT]
    )
    return y4m(WIDTH, HEIGHT, [seen(x, y) for x, y in places])


def overlap(box, at, side=SIDE):
    """Intersection over union of a box and the square."""
    x, y, w, h = box
    across = max(0, min(x + w, at[0] + side) - max(x, at[0]))
    down = max(0, min(y + h, at[1] + side) - max(y, at[1]))
    return across * down / (w * h + side * side - across * down)


def covered(box, at, side=SIDE):
    """How much of the square is in the box."""
    return overlap(box, at) * (box[2] * box[3] + side * side) / (1 + overlap(box, at)) / side**2


def planes_of(stream, samples):
    """The frames of a y4m stream with this many bytes each."""
    header, rest = stream.split(b"\n", 1)
    out = []
    while rest:
        assert rest.startswith(b"FRAME\n")
        out.append(rest[6 : 6 + samples])
        rest = rest[6 + samples :]
    return header, out


def index_in_front(mp4):
    """The same MP4 file with its moov box before the samples."""
    boxes, at = [], 0
    while at < len(mp4):
        size = int.from_bytes(mp4[at : at + 4], "big")
        boxes.append(mp4[at : at + size])
        at += size
    moov = bytearray(next(box for box in boxes if box[4:8] == b"moov"))
    at = moov.find(b"stco")
    while at >= 0:  # positions of samples in the file
        for i in range(int.from_bytes(moov[at + 8 : at + 12], "big")):
            entry = slice(at + 12 + 4 * i, at + 16 + 4 * i)
            moov[entry] = (int.from_bytes(moov[entry], "big") + len(moov)).to_bytes(4, "big")
        at = moov.find(b"stco", at + 1)
    rest = [box for box in boxes[1:] if box[4:8] != b"moov"]
    return boxes[0] + bytes(moov) + b"".join(rest)


class DetectTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.video = self.file("street.y4m", street())

    def lines(self, text):
        parsed = [json.loads(line) for line in text.decode().splitlines()]
        return parsed[0], parsed[1:]

    def detect(self, *arguments, name="street.y4m", **options):
        """The header and the lines of frames, of paper 004's chain by default."""
        if "--background" not in arguments:
            arguments = (*PLAIN, *arguments)
        done = self.run_cuesta("detect", name, "--json", "-", *arguments, **options)
        return self.lines(done.stdout)

    def needs_video(self):
        done = subprocess.run(
            [test_command.CUESTA, "filter", self.video, "-o", "probe.mp4", "--kernel", "average:1"],
            cwd=self.at,
            capture_output=True,
            timeout=120,
        )
        if b"y4m only" in done.stderr:
            self.skipTest("built without libav")
        self.assertEqual(done.returncode, 0, done.stderr)

    def mp4(self, name="street.mp4", data=None):
        """The same as an MP4 file with color."""
        source = self.file("make.y4m", data or street(chroma=b"420jpeg"))
        self.needs_video()
        self.run_cuesta("filter", source, "-o", name, "--kernel", "average:1")
        return self.at / name

    def assert_follows_the_square(self, frames, least=0.55, how=overlap):
        for line in frames:
            at = place(line["frame"])
            boxes = [o["box"] for o in line["objects"]]
            if not at:
                self.assertEqual(boxes, [])
            else:
                self.assertTrue(any(how(box, at) > least for box in boxes), (line, at))


class Results(DetectTest):
    def test_header_and_lines(self):
        header, frames = self.detect()
        for key, value in {
            "schema": 1,
            "width": WIDTH,
            "height": HEIGHT,
            "luma": "limited",
            "frame_rate": 30,
            "start_time": 0,
            "source": "street.y4m",
            "background": "first",
            "blur": 15,
            "threshold": 25,
            "close": "disk:15",
            "open": "disk:15",
            "min_area": 0,
            "rate_shift": 0,
            "blur_sigma": 0,
            "connectivity": 8,
        }.items():
            self.assertEqual(header[key], value, key)
        self.assertNotIn("region", header)
        self.assertRegex(header["cuesta"], r"^\d+\.\d+\.\d+")
        self.assertEqual([line["frame"] for line in frames], list(range(FRAMES)))
        for line in frames:
            self.assertEqual(set(line), {"kind", "frame", "time", "objects", "score"})
            self.assertAlmostEqual(line["time"], line["frame"] / 30, places=9)
            self.assertEqual(len(line["objects"]), 1 if line["frame"] else 0)
            for o in line["objects"]:
                self.assertEqual(set(o), {"box", "area", "centroid"})
                x, y, w, h = o["box"]
                self.assertTrue(0 <= x and 0 <= y and x + w <= WIDTH and y + h <= HEIGHT, o)
                self.assertTrue(0 < o["area"] <= w * h, o)
                self.assertTrue(x <= o["centroid"][0] < x + w and y <= o["centroid"][1] < y + h, o)
                # The square is symmetric, and so is all that is done to it.
                cx, cy = place(line["frame"])
                self.assertAlmostEqual(o["centroid"][0], cx + SIDE / 2 - 0.5, delta=2)
                self.assertAlmostEqual(o["centroid"][1], cy + SIDE / 2 - 0.5, delta=2)
        self.assert_follows_the_square(frames)

    def test_range_of_luma(self):
        full = street().replace(b"Cmono", b"Cmono XCOLORRANGE=FULL", 1)
        self.file("full.y4m", full)
        self.assertEqual(self.detect(name="full.y4m")[0]["luma"], "full")

    def test_messages_stay_off_stdout(self):
        quiet = self.run_cuesta("detect", self.video, "--json", "-")
        self.assertEqual(quiet.stderr, b"")
        loud = self.run_cuesta("detect", self.video, "--json", "-", "-v")
        self.assertEqual(loud.stdout, quiet.stdout)
        self.assertIn(b"12 frames", loud.stderr)

    def test_a_file_of_lines_equals_stdout(self):
        done = self.run_cuesta("detect", self.video, "--json", "out.ndjson")
        self.assertEqual((done.stdout, done.stderr), (b"", b""))
        self.assertEqual(
            (self.at / "out.ndjson").read_bytes(),
            self.run_cuesta("detect", self.video, "--json", "-").stdout,
        )
        self.assert_no_leftovers()

    def test_y4m_on_stdin_and_named_pipes(self):
        wanted = self.detect()[1]
        header, frames = self.detect(name="-", stdin=street())
        self.assertEqual(header["source"], "-")
        self.assertEqual(frames, wanted)
        os.mkfifo(self.at / "pipe")
        process = subprocess.Popen(
            [test_command.CUESTA, "detect", "pipe", "--json", "-", *PLAIN],
            cwd=self.at,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        with open(self.at / "pipe", "wb") as pipe:
            pipe.write(street())
        out, _ = process.communicate(timeout=60)
        self.assertEqual(self.lines(out)[1], wanted)

    def test_boxes_are_drawn_and_the_rest_is_kept(self):
        for chroma in (b"mono", b"420jpeg", b"444"):
            with self.subTest(chroma):
                before = street(chroma=chroma)
                done = self.run_cuesta(
                    "detect", "-", "-o", "-", "--json", "o.ndjson", *PLAIN, stdin=before
                )
                self.assertEqual(done.stderr, b"")
                samples = (len(before.split(b"\n", 1)[1]) - 6 * FRAMES) // FRAMES
                header, after = planes_of(done.stdout, samples)
                self.assertIn(b"C" + chroma, header)
                self.assertEqual(len(after), FRAMES)
                _, lines = self.lines((self.at / "o.ndjson").read_bytes())
                self.assertEqual(after[0], planes_of(before, samples)[1][0])
                for old, new, line in list(zip(planes_of(before, samples)[1], after, lines))[1:]:
                    x, y, w, h = line["objects"][0]["box"]
                    changed = [i for i in range(WIDTH * HEIGHT) if old[i] != new[i]]
                    self.assertTrue(changed)
                    for i in changed:  # a frame of up to 4 pixels around the box
                        px, py = i % WIDTH, i // WIDTH
                        self.assertTrue(
                            x - 4 <= px < x + w + 4 and y - 4 <= py < y + h + 4, (px, py, line)
                        )
                        inside = x + 1 < px < x + w - 2 and y + 1 < py < y + h - 2
                        self.assertFalse(inside, (px, py, line))

    def test_same_answer_from_every_strategy_and_any_threads(self):
        wanted = self.detect()[1]
        rows = json.loads(self.run_cuesta("list", "strategies", "--json").stdout)
        names = [r["strategy"] for r in rows if r["operation"] == "motion" and r["space"] == "host"]
        self.assertIn("serial", names)
        for name in names:
            with self.subTest(name):
                self.assertEqual(self.detect("--strategy", name)[1], wanted)
        self.assertEqual(self.detect("--threads", 1)[1], wanted)
        self.assertEqual(self.detect("--threads", 3)[1], wanted)


class MaskVideo(DetectTest):
    # What is found is then exactly what is drawn.
    EXACT = (*PLAIN, "--blur", 1, "--close", "none", "--open", "none")

    def masks(self, *arguments):
        self.run_cuesta("detect", self.video, "--mask-video", "masks.y4m", *arguments)
        head, frames = planes_of((self.at / "masks.y4m").read_bytes(), WIDTH * HEIGHT)
        self.assertIn(b" Cmono", head)
        self.assertIn(b"FULL", head)
        return frames

    def test_it_is_what_moves_in_every_frame(self):
        wanted = [bytes(255 * (v == BRIGHT) for v in luma(place(k))) for k in range(FRAMES)]
        self.assertEqual(self.masks(*self.EXACT), wanted)
        # With --region the rest of the frame stays black.
        inside = lambda i: 20 <= i % WIDTH < 90 and 10 <= i // WIDTH < 70
        self.assertEqual(
            self.masks(*self.EXACT, "--region", "20,10,70,60"),
            [bytes(v * inside(i) for i, v in enumerate(mask)) for mask in wanted],
        )
        self.assertEqual(self.masks(*self.EXACT, "--downscale", 4), wanted)

    def test_nothing_moves_while_it_warms_up(self):
        masks = self.masks("--warm-up", 5)
        self.assertEqual([any(mask) for mask in masks], [False] * 5 + [True] * (FRAMES - 5))

    def test_it_is_exact_in_containers_too(self):
        self.needs_video()
        wanted = self.masks()
        for name in ("masks.mkv", "masks.avi"):
            for follow in ((), ("--follow",)):
                with self.subTest(name, follow=follow):
                    self.run_cuesta("detect", self.video, "--mask-video", name, *follow)
                    frames = planes_of(
                        self.run_cuesta("filter", name, "-o", "-", "--kernel", 1).stdout,
                        WIDTH * HEIGHT,
                    )[1]
                    self.assertEqual(frames, wanted)
        self.run_cuesta("detect", self.video, "--mask-video", "other.mkv", "--threads", 3)
        self.run_cuesta("detect", self.video, "--mask-video", "masks.mkv", "--threads", 1)
        self.assertEqual((self.at / "other.mkv").read_bytes(), (self.at / "masks.mkv").read_bytes())
        self.fails(
            OUTPUT,
            "detect",
            self.video,
            "--mask-video",
            "masks.mp4",
            says=("masks.mp4", "FFV1", ".mkv, .avi or .y4m"),
        )
        self.assertFalse((self.at / "masks.mp4").exists())

    def test_cdnet_score_reads_it(self):
        truth = [bytes(255 * (v == BRIGHT) for v in luma(place(k))) for k in range(FRAMES)]
        (self.at / "made/groundtruth").mkdir(parents=True)
        for k, plane in enumerate(truth, 1):
            self.file(f"made/groundtruth/gt{k:06d}.png", png(WIDTH, HEIGHT, plane))
        self.file("made/temporalROI.txt", b"2 %d" % FRAMES)
        rows = WIDTH * HEIGHT
        self.file(
            "made/ROI.bmp",
            b"BM"
            + struct.pack(
                "<IHHIIiiHHIIiiII",
                1078 + rows,
                0,
                0,
                1078,
                40,
                WIDTH,
                HEIGHT,
                1,
                8,
                0,
                rows,
                0,
                0,
                0,
                0,
            )
            + b"".join(bytes([v, v, v, 0]) for v in range(256))
            + b"\xff" * rows,
        )
        for name in ("masks.y4m", "masks.mkv"):
            with self.subTest(name):
                if name.endswith("mkv"):
                    self.needs_video()
                self.run_cuesta("detect", self.video, "--mask-video", name, *self.EXACT)
                scored = subprocess.run(
                    [sys.executable, ROOT / "bench/field/cdnet-score", "made", name],
                    cwd=self.at,
                    text=True,
                    capture_output=True,
                    timeout=60,
                    env=os.environ | {"CUESTA": test_command.CUESTA},
                )
                self.assertEqual(
                    scored.stdout,
                    f"made\tframes {FRAMES - 1}\tprecision 1.0000\trecall 1.0000\tF 1.0000\n",
                    scored.stderr,
                )


class Options(DetectTest):
    def test_the_default_warms_up_and_says_so(self):
        header, frames = self.lines(self.run_cuesta("detect", self.video, "--json", "-").stdout)
        for key, value in {
            "background": "samples",
            "blur": 3,
            "threshold": 16,
            "close": "disk:9",
            "open": "disk:5",
            "warm_up": 25,
            "relearn": 75,
            "displacement": 3,
            "steady": 16,
        }.items():
            self.assertEqual(header[key], value, key)
        self.assertEqual([line.get("warming_up") for line in frames], [True] * FRAMES)
        _, frames = self.lines(
            self.run_cuesta("detect", self.video, "--json", "-", "--warm-up", 5).stdout
        )
        self.assertEqual(
            [line.get("warming_up") for line in frames], [True] * 5 + [None] * (FRAMES - 5)
        )
        self.assertTrue(any(line["objects"] for line in frames[5:]))

    def test_a_change_of_the_scene_is_told_and_not_boxed(self):
        head, *frames = street().split(b"FRAME\n")
        lit = [bytes(min(v * 3 // 2, 255) for v in frame) for frame in frames]
        video = self.file(
            "lit.y4m", head + b"".join(b"FRAME\n" + frame for frame in frames[:8] + lit[8:])
        )
        _, everything = self.lines(
            self.run_cuesta("detect", video, "--json", "-", "--warm-up", 3).stdout
        )
        lines = [line for line in everything if line["kind"] == "frame"]
        self.assertEqual([l["kind"] for l in everything if l not in lines], ["blind"])
        self.assertEqual([line["frame"] for line in lines if line.get("changed")], [8])
        self.assertEqual(
            [line.get("warming_up") for line in lines[8:]], [True] * 3 + [None] * (FRAMES - 11)
        )
        for line in lines:
            for o in line["objects"]:
                self.assertLess(o["box"][2] * o["box"][3], WIDTH * HEIGHT / 2, line)

    def test_moves_of_the_camera_are_told_and_taken_back(self):
        places = [(0, 0)] * 6 + [(3, 2), (-4, 1), (0, 0), (7, -5)]
        video = self.file("shaken.y4m", shaken(places))
        _, lines = self.lines(
            self.run_cuesta("detect", video, "--json", "-", "--warm-up", 3).stdout
        )
        self.assertEqual(
            [line.get("shift") for line in lines], [list(at) if any(at) else None for at in places]
        )
        self.assertEqual([line["objects"] for line in lines], [[]] * len(places))
        _, loose = self.lines(
            self.run_cuesta(
                "detect", video, "--json", "-", "--warm-up", 3, "--steady", 0, "--relearn", 40
            ).stdout
        )
        self.assertFalse(any("shift" in line for line in loose))
        self.assertTrue(loose[6]["changed"])  # this much moved

    def test_backgrounds(self):
        for model in ("first", "mean", "median", "mixture", "samples"):
            with self.subTest(model):
                header, frames = self.detect(
                    "--background", model, "--warm-up", 1, "--blur", 15, "--close", "disk:15"
                )
                self.assertEqual(header["background"], model)
                self.assertEqual(len(frames), FRAMES)
                # A model that learns also sees where the square was a moment ago.
                self.assert_follows_the_square(frames, least=0.8, how=covered)

    def test_min_area(self):
        areas = [o["area"] for line in self.detect()[1] for o in line["objects"]]
        limit = sorted(areas)[len(areas) // 2]
        header, frames = self.detect("--min-area", limit)
        self.assertEqual(header["min_area"], limit)
        self.assertEqual(
            [o["area"] for line in frames for o in line["objects"]],
            [a for a in areas if a >= limit],
        )
        self.assertEqual(
            [o for line in self.detect("--min-area", 10**6)[1] for o in line["objects"]], []
        )

    def test_threshold(self):
        header, frames = self.detect("--threshold", "auto")
        self.assertEqual(header["threshold"], "auto:25")  # the model's own
        usual = self.run_cuesta(
            "detect", self.video, "--json", "-", "--threshold", "auto"
        ).stdout.splitlines()[0]
        self.assertEqual(json.loads(usual)["threshold"], "auto:16")
        self.assert_follows_the_square(frames)
        self.assertEqual(
            [o for line in self.detect("--threshold", 200)[1] for o in line["objects"]], []
        )
        wide = self.detect("--threshold", 10)[1][5]["objects"][0]["area"]
        narrow = self.detect("--threshold", 100)[1][5]["objects"][0]["area"]
        self.assertGreater(wide, narrow)

    def test_a_sensitivity_chooses_defaults_and_given_options_win(self):
        def lines(*options):
            return self.lines(
                self.run_cuesta(
                    "detect", self.video, "--json", "-", "--warm-up", 3, *options
                ).stdout
            )

        high = lines("--sensitivity", "high")
        self.assertEqual(high, lines("--threshold", 6, "--displacement", 1))
        self.assertEqual(lines("--sensitivity", "normal"), lines())
        header, _ = lines("--sensitivity", "low")
        self.assertEqual(
            [header[key] for key in ("threshold", "open", "displacement")], [20, "disk:7", 5]
        )
        header, _ = lines("--displacement", 0, "--sensitivity", "low", "--threshold", "auto")
        self.assertEqual(
            [header[key] for key in ("threshold", "open", "displacement")],
            ["auto:20", "disk:7", 0],
        )
        header, _ = lines("--sensitivity", "high", "--background", "first")
        self.assertEqual([header["threshold"], header["open"]], [15.625, "disk:15"])
        failed = self.run_cuesta(
            "detect", self.video, "--json", "-", "--sensitivity", "medium", code=2
        )
        self.assertIn(b"low, normal or high", failed.stderr)

    def test_numbers_of_frames_may_be_times(self):
        def header(*options):
            done = self.run_cuesta("detect", self.video, "--json", "-", *options)
            return json.loads(done.stdout.splitlines()[0])

        self.assertEqual(header()["absorb"], 0)
        for text, frames in (("7", 7), ("2s", 60), ("0.5s", 15), ("0.001s", 1), ("90s", 2700)):
            with self.subTest(text):
                self.assertEqual(header("--absorb", text)["absorb"], frames)
        self.assertEqual(header("--warm-up", "0.2s")["warm_up"], 6)
        for text in ("0s", "-2s", "nans", "xs", "s", "1e30s", "1.5"):
            with self.subTest(text):
                self.fails(
                    USAGE, "detect", self.video, "--json", "x", "--absorb", text, says=[text]
                )
        for model in ("first", "mean", "median", "mixture"):
            self.fails(
                USAGE,
                "detect",
                self.video,
                "--json",
                "x",
                "--absorb",
                9,
                "--background",
                model,
                says=["absorb is 9", model, "samples"],
            )
        self.fails(
            USAGE, "detect", self.video, "--json", "x", "--rate-shift", 5, says=["rate_shift is 5"]
        )

    def test_what_stands_is_absorbed_in_time(self):
        # A square comes at the sixth frame, and stays.
        empty, *frames = street().split(b"FRAME\n")[1:]
        head = street().split(b"FRAME\n")[0]
        with_square = frames[4]
        video = self.file(
            "stands.y4m",
            head + b"".join(b"FRAME\n" + frame for frame in [empty] * 6 + [with_square] * 60),
        )

        def seen(*options):
            done = self.run_cuesta("detect", video, "--json", "-", "--warm-up", 5, *options)
            frames = [line for line in self.lines(done.stdout)[1] if line["kind"] == "frame"]
            return sum(bool(line["objects"]) for line in frames)

        self.assertEqual(seen(), 60)
        self.assertEqual(seen("--absorb", "10s"), 60)
        for frames in (10, 40):
            self.assertTrue(frames <= seen("--absorb", frames) <= frames + 12, frames)
        self.assertEqual(seen("--absorb", "0.5s"), seen("--absorb", 15))

    def test_samples_of_ten_bits_are_kept(self):
        """A square a quarter of a gray level above the ground, which 8 bits round away."""
        deep = lambda plane: b"".join(struct.pack("<H", 4 * GROUND + (v == BRIGHT)) for v in plane)
        self.file(
            "deep.y4m", y4m(WIDTH, HEIGHT, [deep(luma(place(k))) for k in range(FRAMES)], b"mono10")
        )
        exact = "--blur", 1, "--close", "none", "--open", "none", "--threshold", 0.2
        done = self.run_cuesta("detect", "deep.y4m", "--json", "-", "-v", *PLAIN, *exact)
        for line in self.lines(done.stdout)[1]:
            at = place(line["frame"])
            self.assertEqual([o["box"] for o in line["objects"]], [[*at, SIDE, SIDE]] if at else [])
        self.assertNotIn(b"rounded", done.stderr)
        drawn = self.run_cuesta("detect", "deep.y4m", "-o", "boxes.y4m", *PLAIN, *exact)
        self.assertIn(b"deep.y4m: samples of 10 bits are rounded to 8", drawn.stderr)

    def test_without_blur_and_elements_the_box_is_the_square(self):
        for line in self.detect("--blur", 1, "--close", "none", "--open", "none")[1][1:]:
            x, y = place(line["frame"])
            self.assertEqual(
                line["objects"],
                [
                    {
                        "box": [x, y, SIDE, SIDE],
                        "area": SIDE * SIDE,
                        "centroid": [x + SIDE / 2 - 0.5, y + SIDE / 2 - 0.5],
                    }
                ],
            )

    def test_region(self):
        plain = ("--blur", 1, "--close", "none", "--open", "none")
        x0, y0, w, h = 50, 30, 60, 50
        header, frames = self.detect("--region", f"{x0},{y0},{w},{h}", *plain)
        self.assertEqual(
            (header["width"], header["height"], header["region"]),
            (WIDTH, HEIGHT, f"{x0},{y0},{w},{h}"),
        )
        for line in frames[1:]:
            x, y = place(line["frame"])
            left, top = max(x, x0), max(y, y0)
            right, bottom = min(x + SIDE, x0 + w), min(y + SIDE, y0 + h)
            wanted = (
                [[left, top, right - left, bottom - top]] if left < right and top < bottom else []
            )
            self.assertEqual([o["box"] for o in line["objects"]], wanted)
        self.fails(USAGE, "detect", self.video, "--json", "x.ndjson", "--region", "150,100,20,20")

    def test_downscale(self):
        """Everything is reported in the video's pixels: the square's place is a multiple of 4, and so is its side."""
        exact = ("--blur", 1, "--close", "none", "--open", "none")
        whole = self.detect(*exact)
        self.assertEqual(whole[0]["downscale"], 1)
        for factor in (2, 4):
            for threads in (1, 3):
                header, frames = self.detect(
                    *exact, "--downscale", factor, "--min-area", SIDE * SIDE, "--threads", threads
                )
                self.assertEqual(
                    (header["downscale"], header["width"], header["min_area"]),
                    (factor, WIDTH, SIDE * SIDE),
                )
                self.assertEqual(frames, whole[1])
        self.assertEqual(
            [
                o
                for line in self.detect(*exact, "--downscale", 4, "--min-area", SIDE * SIDE + 1)[1]
                for o in line["objects"]
            ],
            [],
        )
        # Speeds, and what was moved, too.
        tracked = [self.detect(*exact, "--track", *more)[1] for more in ((), ("--downscale", 4))]
        self.assertEqual(*tracked)
        self.assertTrue(
            any(o["speed"] > 100 for line in tracked[1] for o in line.get("objects", ()))
        )
        # Samples of more than 8 bits.
        deep = lambda plane: b"".join(struct.pack("<H", 4 * GROUND + (v == BRIGHT)) for v in plane)
        self.file(
            "deep.y4m", y4m(WIDTH, HEIGHT, [deep(luma(place(k))) for k in range(FRAMES)], b"mono10")
        )
        self.assertEqual(
            self.detect(*exact, "--threshold", 0.2, "--downscale", 2, name="deep.y4m")[1], whole[1]
        )
        # A region's corner need be no multiple; its rest is looked at, too.
        x0, y0, w, h = 51, 33, 57, 50
        _, frames = self.detect(*exact, "--downscale", 2, "--region", f"{x0},{y0},{w},{h}")
        for line, full in zip(frames, whole[1]):
            if not full["objects"]:
                continue
            x, y, _, _ = full["objects"][0]["box"]
            left, top, right, bottom = (
                max(x, x0),
                max(y, y0),
                min(x + SIDE, x0 + w),
                min(y + SIDE, y0 + h),
            )
            self.assertEqual(len(line["objects"]), int(left < right and top < bottom))
            for o in line["objects"]:
                box = o["box"]
                self.assertTrue(
                    x0 <= box[0]
                    and y0 <= box[1]
                    and box[0] + box[2] <= x0 + w
                    and box[1] + box[3] <= y0 + h,
                    box,
                )
                wanted = [left, top, right, bottom]
                self.assertTrue(
                    all(
                        abs(a - b) <= 1
                        for a, b in zip([box[0], box[1], box[0] + box[2], box[1] + box[3]], wanted)
                    ),
                    (box, wanted),
                )

    def test_options_that_cannot_be_meant(self):
        for case in (
            ["--background", "last"],
            ["--threshold", "-1"],
            ["--threshold", "x"],
            ["--threshold", "nan"],
            ["--threshold", "auto:median"],
            ["--min-area", "-1"],
            ["--min-area", "x"],
            ["--blur", "4"],
            ["--blur", "0"],
            ["--blur", "257"],
            ["--close", "disk:0"],
            ["--close", "star:3"],
            ["--open", "rect:5x"],
            ["--region", "1,2,3"],
            ["--strategy", "fastest"],
            ["--threads", "-1"],
            ["--device", "gpu"],
            ["--max-pixels", "0"],
            ["--downscale", "0"],
            ["--downscale", "17"],
            ["--downscale", "1.5"],
            ["--no-such-option"],
        ):
            with self.subTest(case):
                self.fails(
                    USAGE, "detect", self.video, "--json", "x.ndjson", *case, says=[case[-1]]
                )
                self.assertFalse((self.at / "x.ndjson").exists())
        self.fails(USAGE, "detect")
        self.fails(USAGE, "detect", self.video, says=["-o", "--json"])
        self.fails(USAGE, "detect", self.video, "-o", "-", "--json", "-")
        self.fails(USAGE, "detect", self.video, "-o", "a.y4m", "--json", "./a.y4m", says=["a.y4m"])
        before = self.video.read_bytes()
        self.fails(USAGE, "detect", self.video, "-o", "street.y4m", says=["street.y4m"])
        self.fails(USAGE, "detect", self.video, "--json", "./street.y4m", says=["street.y4m"])
        self.assertEqual(self.video.read_bytes(), before)

    def test_help(self):
        done = self.run_cuesta("detect", "--help")
        self.assertIn(b"\nExamples:\n  cuesta detect ", done.stdout)


class VideoFiles(DetectTest):
    def test_mp4_there_and_back(self):
        video = self.mp4()
        header, frames = self.detect(name=video.name)
        self.assertEqual(
            (header["width"], header["height"], header["luma"]), (WIDTH, HEIGHT, "limited")
        )
        self.assertAlmostEqual(header["frame_rate"], 30)
        self.assertEqual([line["frame"] for line in frames], list(range(FRAMES)))
        for line in frames:
            self.assertAlmostEqual(line["time"], line["frame"] / 30, places=6)
        self.assert_follows_the_square(frames)

        self.run_cuesta("detect", video, "-o", "boxes.mp4", "--json", "o.ndjson", *PLAIN)
        self.assertEqual(self.lines((self.at / "o.ndjson").read_bytes())[1], frames)
        header, again = self.detect(name="boxes.mp4")
        self.assertEqual((header["width"], header["height"]), (WIDTH, HEIGHT))
        self.assertEqual([line["time"] for line in again], [line["time"] for line in frames])
        self.assert_no_leftovers()

    def test_every_container(self):
        video = self.mp4()
        for extension in ("mp4", "mkv", "mov", "avi", "webm", "y4m"):
            with self.subTest(extension):
                self.run_cuesta("detect", video, "-o", f"boxes.{extension}")
                self.assertEqual(len(self.detect(name=f"boxes.{extension}")[1]), FRAMES)

    def test_the_same_bytes_each_time(self):
        video = self.mp4()
        for name in ("a.mp4", "b.mp4"):
            self.run_cuesta("detect", video, "-o", name)
        self.assertEqual((self.at / "a.mp4").read_bytes(), (self.at / "b.mp4").read_bytes())

    def test_edges_of_a_video(self):
        video = self.mp4()
        self.run_cuesta("edges", video, "-o", "edges.mp4")
        self.assertEqual(len(self.detect(name="edges.mp4")[1]), FRAMES)

    def test_a_truncated_file(self):
        # Its index at the end, as most writers leave it, and the sizes of what is whole.
        frames = [luma(place(k % 15)) + os.urandom(WIDTH * HEIGHT // 2) for k in range(60)]
        for name, part in (("long.avi", 0.6), ("long.mkv", 0.6)):
            data = self.mp4(name, y4m(WIDTH, HEIGHT, frames, b"420jpeg")).read_bytes()
            self.file("cut-" + name, data[: int(len(data) * part)])
            self.file("o.ndjson", b"old")
            self.fails(
                INPUT,
                "detect",
                "cut-" + name,
                "--strict",
                "--json",
                "o.ndjson",
                "-o",
                "o.mp4",
                says=["cut-" + name],
            )
            self.assertEqual((self.at / "o.ndjson").read_bytes(), b"old")
            self.assertFalse((self.at / "o.mp4").exists())
            done = self.run_cuesta("detect", "cut-" + name, "--json", "-", "--partial")
            count = len(self.lines(done.stdout)[1])
            self.assertTrue(0 < count < 60, count)
            self.assertIn(b"--partial", done.stderr)

    def test_a_truncated_mp4(self):
        noise = [luma(place(k)) + os.urandom(WIDTH * HEIGHT // 2) for k in range(FRAMES)]
        data = self.mp4("long.mp4", y4m(WIDTH, HEIGHT, noise, b"420jpeg")).read_bytes()
        # The index comes last: nothing is known without it.
        self.file("cut.mp4", data[: len(data) // 2])
        for how in ([], ["--partial"], ["--strict"]):
            self.fails(INPUT, "detect", "cut.mp4", "--json", "o.ndjson", *how, says=["cut.mp4"])
            self.assertFalse((self.at / "o.ndjson").exists())
        # It comes first: what was not cut can be read.
        front = index_in_front(data)
        self.file("front.mp4", front)
        self.assertEqual(self.detect(name="front.mp4")[1], self.detect(name="long.mp4")[1])
        cut = front[: len(front) - (len(front) - front.index(b"mdat")) // 2]
        self.file("cut.mp4", cut)
        self.fails(INPUT, "detect", "cut.mp4", "--strict", "--json", "o.ndjson", says=["cut.mp4"])
        self.assertFalse((self.at / "o.ndjson").exists())
        done = self.run_cuesta("detect", "cut.mp4", "--json", "-", "--partial")
        self.assertTrue(0 < len(self.lines(done.stdout)[1]) < FRAMES)
        self.assertIn(b"--partial", done.stderr)

    def test_pictures_named_as_videos_and_the_other_way(self):
        self.needs_video()
        self.file("picture.mp4", self.photo.read_bytes())
        self.fails(
            INPUT, "detect", "picture.mp4", "--json", "o.ndjson", says=["picture.mp4", "picture"]
        )
        video = self.mp4()
        self.file("video.y4m", video.read_bytes())
        self.assertEqual(len(self.detect(name="video.y4m")[1]), FRAMES)


class BadInput(DetectTest):
    def test_files_that_are_no_videos(self):
        self.file("empty.mp4", b"")
        self.file("text.mp4", b"this is no video at all, whatever its name says\n" * 20)
        self.file("noise.mp4", bytes((k * k * 7919 >> 5) % 256 for k in range(5000)))
        self.file("cut.y4m", street()[:-10])
        self.file("header.y4m", b"YUV4MPEG2 W160")
        self.file("none.y4m", y4m(WIDTH, HEIGHT, []))
        (self.at / "folder.mp4").mkdir()
        for name in (
            "missing.mp4",
            "missing/deep.mp4",
            "empty.mp4",
            "text.mp4",
            "noise.mp4",
            "cut.y4m",
            "header.y4m",
            "none.y4m",
            "folder.mp4",
        ):
            with self.subTest(name):
                outputs = ("-o", "o.y4m", "--json", "o.ndjson", "--strict")
                self.fails(INPUT, "detect", name, *outputs, says=[name])
                self.assertFalse((self.at / "o.y4m").exists())
                self.assertFalse((self.at / "o.ndjson").exists())
        # An absent address is awaited otherwise.
        address = "http://example.invalid/a.mp4"
        self.fails(
            INPUT, "detect", address, "--reconnect", "0", "--json", "o.ndjson", says=[address]
        )
        self.fails(INPUT, "detect", "-", "--json", "o.ndjson", says=["standard input"])
        self.fails(
            INPUT, "detect", "-", "--json", "o.ndjson", stdin=b"text\n", says=["standard input"]
        )

    def test_missing_videos_of_the_other_verbs(self):
        for verb in (["edges"], ["filter", "--kernel", "average:3"]):
            for out in ("x.mp4", "x.y4m", "x.png", "out/"):
                with self.subTest((verb, out)):
                    self.fails(INPUT, *verb, "missing.mp4", "-o", out, says=["missing.mp4"])

    def test_partial_y4m(self):
        self.file("cut.y4m", street()[:-10])
        done = self.run_cuesta("detect", "cut.y4m", "--json", "-", "--partial")
        self.assertEqual(len(self.lines(done.stdout)[1]), FRAMES - 1)
        self.assertIn(b"--partial", done.stderr)

    def test_limits_on_pixels(self):
        self.fails(
            INPUT,
            "detect",
            self.video,
            "--json",
            "o",
            "--max-pixels",
            WIDTH * HEIGHT - 1,
            says=["street.y4m"],
        )
        self.detect("--max-pixels", WIDTH * HEIGHT)
        video = self.mp4()
        self.fails(
            INPUT,
            "detect",
            video,
            "--json",
            "o",
            "--max-pixels",
            WIDTH * HEIGHT - 1,
            says=["--max-pixels"],
        )


class BadOutput(DetectTest):
    def test_places_that_cannot_be_written(self):
        self.file("file", b"")
        for out in ("missing/o.mp4", "missing/o.y4m", "file/o.y4m", "/dev/full", "/proc/o.y4m"):
            with self.subTest(out):
                self.fails(OUTPUT, "detect", self.video, "-o", out, says=[out])
        for out in ("missing/o.ndjson", "file/o", "/dev/full"):
            with self.subTest(out):
                self.fails(OUTPUT, "detect", self.video, "--json", out, says=[out])
        self.fails(OUTPUT, "detect", self.video, "-o", "o.xyz", says=["o.xyz"])
        self.fails(OUTPUT, "detect", self.video, "-o", "missing/o.y4m", "--json", "o.ndjson")
        self.assertFalse((self.at / "o.ndjson").exists())

    def test_full_standard_output(self):
        for where in (["--json", "-"], ["-o", "-"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run(
                    [test_command.CUESTA, "detect", self.video, *where],
                    cwd=self.at,
                    stdout=full,
                    stderr=subprocess.PIPE,
                    timeout=60,
                )
            self.assertEqual(done.returncode, OUTPUT, done.stderr)
            self.assertIn(b"standard output", done.stderr)

    def test_a_reader_that_goes_away(self):
        process = subprocess.Popen(
            [test_command.CUESTA, "detect", "-", "-o", "-"],
            cwd=self.at,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        process.stdout.close()
        try:
            process.stdin.write(street() + street(60).split(b"\n", 1)[1])
        except BrokenPipeError:
            pass
        try:
            process.stdin.close()
        except BrokenPipeError:
            pass
        self.assertEqual(process.wait(timeout=60), OUTPUT)
        process.stderr.close()

    def test_a_full_disc_leaves_the_old_files(self):
        import resource

        noise = self.file(
            "noise.y4m", y4m(WIDTH, HEIGHT, [os.urandom(WIDTH * HEIGHT) for _ in range(40)])
        )
        self.needs_video()
        for out in ("o.y4m", "o.mp4"):
            with self.subTest(out):
                self.file(out, b"old")
                self.file("o.ndjson", b"old")
                done = subprocess.run(
                    [test_command.CUESTA, "detect", noise, "-o", out, "--json", "o.ndjson"],
                    cwd=self.at,
                    capture_output=True,
                    timeout=120,
                    preexec_fn=lambda: (
                        resource.setrlimit(resource.RLIMIT_FSIZE, (50000, 50000)),
                        signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
                    ),
                )
                self.assertEqual(done.returncode, OUTPUT, done.stderr)
                self.assertIn(out.encode(), done.stderr)
                self.assertEqual((self.at / out).read_bytes(), b"old")
                self.assertEqual((self.at / "o.ndjson").read_bytes(), b"old")
                self.assert_no_leftovers()


if __name__ == "__main__":
    test_command.CUESTA = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)

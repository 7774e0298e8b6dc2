"""bench/field/cdnet-score on a sequence that is made here."""

import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

SCORE = pathlib.Path(__file__).resolve().parents[2] / "bench" / "field" / "cdnet-score"
WIDTH, HEIGHT, FRAMES = 13, 7, 6


def png(pixels, filters=0):
    """A gray PNG of 8 bits, every row filtered in that way."""

    def chunk(kind, body):
        return (
            struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        )

    rows, above = b"", bytes(WIDTH)
    for y in range(HEIGHT):
        row = pixels[y * WIDTH : (y + 1) * WIDTH]
        left = b"\0" + row[:-1]
        corner = b"\0" + above[:-1]

        def guess(i):
            a, b, c = left[i], above[i], corner[i]
            return [0, a, b, (a + b) >> 1, min((a, b, c), key=lambda v: abs(a + b - c - v))][
                filters
            ]

        rows += bytes([filters]) + bytes((row[i] - guess(i)) & 255 for i in range(WIDTH))
        above = row
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


def bmp(pixels, depth):
    """Of two colors, black and white, bottom row first."""
    if depth == 24:
        palette, rows = (
            b"",
            [
                b"".join(bytes([v] * 3) for v in pixels[y * WIDTH : (y + 1) * WIDTH])
                for y in range(HEIGHT)
            ],
        )
    elif depth == 8:
        palette, rows = (
            b"".join(bytes([v, v, v, 0]) for v in range(256)),
            [pixels[y * WIDTH : (y + 1) * WIDTH] for y in range(HEIGHT)],
        )
    else:
        palette = b"\0\0\0\0\xff\xff\xff\0"
        rows = [
            int(
                "".join("01"[v > 0] for v in pixels[y * WIDTH : (y + 1) * WIDTH]).ljust(16, "0"), 2
            ).to_bytes(2, "big")
            for y in range(HEIGHT)
        ]
    body = b"".join(row + bytes(-len(row) % 4) for row in reversed(rows))
    offset = 54 + len(palette)
    return (
        b"BM"
        + struct.pack("<IHHI", offset + len(body), 0, 0, offset)
        + struct.pack("<IiiHHIIiiII", 40, WIDTH, HEIGHT, 1, depth, 0, len(body), 0, 0, 0, 0)
        + palette
        + body
    )


class CdnetScore(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.at = pathlib.Path(folder.name)
        self.sequence = self.at / "made"
        (self.sequence / "groundtruth").mkdir(parents=True)
        draw = random.Random(1)
        self.truths = [
            bytes(draw.choice([0, 50, 85, 170, 255]) for _ in range(WIDTH * HEIGHT))
            for _ in range(FRAMES)
        ]
        self.masks = [
            bytes(draw.choice([0, 255]) for _ in range(WIDTH * HEIGHT)) for _ in range(FRAMES)
        ]
        self.region = bytes(255 if draw.random() < 0.8 else 0 for _ in range(WIDTH * HEIGHT))
        for i, truth in enumerate(self.truths):
            (self.sequence / "groundtruth" / f"gt{i + 1:06d}.png").write_bytes(png(truth, i % 5))
        (self.sequence / "temporalROI.txt").write_text("2 5")
        (self.sequence / "ROI.bmp").write_bytes(bmp(self.region, 24))

    def write_y4m(self, chroma="mono", masks=None):
        rest = {"mono": 0, "420jpeg": 2 * 7 * 4}[chroma]
        text = f"YUV4MPEG2 W{WIDTH} H{HEIGHT} F25:1 C{chroma}\n".encode()
        for mask in self.masks if masks is None else masks:
            text += b"FRAME\n" + mask + bytes(rest)
        (self.at / "masks.y4m").write_bytes(text)
        return self.at / "masks.y4m"

    def expected(self):
        hit = alarm = miss = 0
        for number in range(2, 6):
            for told, truth, inside in zip(
                self.masks[number - 1], self.truths[number - 1], self.region
            ):
                if inside and truth in (0, 50, 255):
                    hit += bool(told) and truth == 255
                    alarm += bool(told) and truth != 255
                    miss += not told and truth == 255
        return (
            f"made\tframes 4\tprecision {hit / (hit + alarm):.4f}\trecall {hit / (hit + miss):.4f}"
            f"\tF {2 * hit / (2 * hit + alarm + miss):.4f}\n"
        )

    def run_it(self, masks):
        return subprocess.run(
            [sys.executable, SCORE, self.sequence, masks],
            capture_output=True,
            text=True,
            timeout=60,
        )

    def scored(self, masks):
        done = self.run_it(masks)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_videos_and_folders_score_as_counted_by_hand(self):
        self.assertEqual(self.scored(self.write_y4m()), self.expected())
        self.assertEqual(self.scored(self.write_y4m("420jpeg")), self.expected())
        folder = self.at / "masks"
        folder.mkdir()
        for i, mask in enumerate(self.masks):
            (folder / f"bin{i + 1:06d}.png").write_bytes(png(mask, (i + 2) % 5))
        self.assertEqual(self.scored(folder), self.expected())

    def test_regions_of_every_depth(self):
        for depth in 1, 8:
            (self.sequence / "ROI.bmp").write_bytes(bmp(self.region, depth))
            self.assertEqual(self.scored(self.write_y4m()), self.expected(), depth)

    def test_the_truth_itself_scores_one(self):
        self.masks = [bytes(255 * (v == 255) for v in truth) for truth in self.truths]
        self.assertTrue(
            self.scored(self.write_y4m()).endswith("precision 1.0000\trecall 1.0000\tF 1.0000\n")
        )

    def test_what_is_wrong_is_said(self):
        def says(masks, *words):
            done = self.run_it(masks)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stdout, "")
            for word in words:
                self.assertIn(word, done.stderr)

        says(self.at / "none.mkv", "none.mkv is not there")
        says(self.write_y4m(masks=self.masks[:4]), "has 4 masks", "to frame 5")
        (self.sequence / "temporalROI.txt").write_text("2")
        says(self.write_y4m(), "temporalROI.txt", "two numbers")
        (self.sequence / "temporalROI.txt").unlink()
        says(self.write_y4m(), "temporalROI.txt", "No such file")


if __name__ == "__main__":
    unittest.main()

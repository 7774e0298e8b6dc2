#!/usr/bin/env python3
"""What small files cost: each of some sixty, made to be dear, takes less than 300 MB and 2 s, or is
refused in one sentence.

    test_costs.py PATH-TO-CUESTA [unittest arguments]
"""

import os
import re
import struct
import subprocess
import sys
import time
import unittest
import zlib
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "cli"))

import test_command  # noqa: E402
from test_command import INPUT, OUTPUT, CommandTest, png, square  # noqa: E402

MOST_KB = 300_000
MOST_SECONDS = 2.0

TEXT = b"a" * 7_000_000


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def directory(entries, following=0, order="<"):
    """Entries of (tag, type, count, value)."""
    out = struct.pack(order + "H", len(entries))
    for tag, kind, count, value in entries:
        out += struct.pack(order + "HHII", tag, kind, count, value)
    return out + struct.pack(order + "I", following)


def exif(entries, following=0, order="<"):
    head = b"II*\0" if order == "<" else b"MM\0*"
    return head + struct.pack(order + "I", 8) + directory(entries, following, order)


# Each refers to itself thousands of times, or to values that are read as often as they are named.
EXIFS = {
    **{
        f"loop-{tag:x}{order}": exif([(tag, 4, 1, 8)] * 5400, order=order)
        for tag in (0x8769, 0x8825, 0xA005)
        for order in "<>"
    },
    "loop-of-two": exif([(0x8769, 4, 1, 8), (0x8825, 4, 1, 8)] * 2700),
    "loop-of-next": exif([(0x8769, 4, 1, 8)] * 40, following=8),
    "values": exif([(0x9286, 7, 64000, 8)] * 5000),
    "entries": exif([(0x010E, 2, 4, 0x61616161)] * 5400),
}


def tall_png(width, height):
    """Black, in little memory: the child's peak counts from its parent's."""
    coder = zlib.compressobj(9)
    samples = (
        b"".join(coder.compress(bytes(1000 * (width + 1))) for _ in range(height // 1000))
        + coder.compress(bytes(height % 1000 * (width + 1)))
        + coder.flush()
    )
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", samples) + chunk(b"IEND", b"")
    )


def with_chunks(chunks, samples=None):
    whole = samples or png(64, 64, bytes(64 * 64))
    at = whole.index(b"IDAT") - 4
    return whole[:at] + b"".join(chunks) + whole[at:]


def in_jpeg(base, data):
    segment = b"Exif\0\0" + data
    return base[:2] + b"\xff\xe1" + struct.pack(">H", len(segment) + 2) + segment + base[2:]


def in_webp(kind, data, image):
    body = b"WEBP"
    body += b"VP8X" + struct.pack("<I", 10) + bytes([0x2C, 0, 0, 0, 63, 0, 0, 63, 0, 0])
    body += image[12:]
    body += kind + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def tiff_chain(count, cycle=False, extra=()):
    """Directories of one gray pixel, each after the other."""
    out = bytearray(b"II*\0\x08\0\0\0")
    entries = 9 + len(extra)
    size = 2 + 12 * entries + 4
    for k in range(count):
        at = len(out)
        following = at + size if k + 1 < count else 8 if cycle else 0
        out += directory(
            [
                (256, 3, 1, 1),
                (257, 3, 1, 1),
                (258, 3, 1, 8),
                (259, 3, 1, 1),
                (262, 3, 1, 1),
                (273, 4, 1, 0),
                (277, 3, 1, 1),
                (278, 3, 1, 1),
                (279, 4, 1, 1),
                *extra,
            ],
            following,
        )
    return bytes(out)


def box(kind, *parts):
    return struct.pack(">I", 8 + sum(map(len, parts))) + kind + b"".join(parts)


SAMPLE = box(b"avc1", bytes(6) + b"\0\1" + bytes(16) + struct.pack(">HH", 64, 64) + bytes(50))
TABLES = (
    box(b"stsd", struct.pack(">II", 0, 1), SAMPLE)
    + box(b"stts", struct.pack(">4I", 0, 1, 1, 1))
    + box(b"stsz", struct.pack(">3I", 0, 1, 1))
    + box(b"stsc", struct.pack(">5I", 0, 1, 1, 1, 1))
    + box(b"stco", struct.pack(">3I", 0, 1, 8))
)
HANDLER = box(b"hdlr", bytes(8) + b"vide" + bytes(13))
TRACK = box(
    b"trak",
    box(b"tkhd", bytes(84)),
    box(
        b"mdia",
        box(b"mdhd", struct.pack(">6I", 0, 0, 0, 1000, 1000, 0)),
        HANDLER,
        box(b"minf", box(b"stbl", TABLES)),
    ),
)


def gif(frames, comments=0):
    out = b"GIF89a" + struct.pack("<HHBBB", 64, 64, 0x80, 0, 0) + b"\0\0\0\xff\xff\xff"
    out += (b"\x21\xfe" + b"\xff" + b"c" * 255 + b"\0") * comments
    frame = b"\x2c" + struct.pack("<HHHHB", 0, 0, 1, 1, 0) + b"\x02\x02\x44\x01\x00"
    return out + frame * frames + b"\x3b"


def bmp_rle(data, width=4, height=4):
    palette = bytes(v for k in range(256) for v in (k, k, k, 0))
    head = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 8, 1, len(data), 0, 0, 256, 0)
    begin = 14 + 40 + len(palette)
    return b"BM" + struct.pack("<IHHI", begin + len(data), 0, 0, begin) + head + palette + data


def small_files(base):
    """(name, bytes); `base` has a JPEG, a WebP and a TIFF of 64 x 64."""
    z = zlib.compress(TEXT, 9)
    for count in (2, 60, 200):
        yield (
            f"ztxt-{count}.png",
            with_chunks([chunk(b"zTXt", b"k%d\0\0" % k + z) for k in range(count)]),
        )
        yield (
            f"itxt-{count}.png",
            with_chunks([chunk(b"iTXt", b"k%d\0\1\0\0\0" % k + z) for k in range(count)]),
        )
        yield (
            f"ztxt-behind-{count}.png",
            with_chunks([])[:-12]
            + b"".join(chunk(b"zTXt", b"k%d\0\0" % k + z) for k in range(count))
            + chunk(b"IEND", b""),
        )
    yield "same-key.png", with_chunks([chunk(b"zTXt", b"k\0\0" + z)] * 100)
    yield "iccp.png", with_chunks([chunk(b"iCCP", b"p\0\0" + zlib.compress(bytes(60_000_000), 9))])
    yield "iccp-many.png", with_chunks([chunk(b"iCCP", b"p\0\0" + z)] * 100)
    yield "text-many.png", with_chunks([chunk(b"tEXt", b"k%d\0v" % k) for k in range(100_000)])
    yield "text-long.png", with_chunks([chunk(b"tEXt", b"k\0" + b"v" * 30_000_000)])
    yield "unknown.png", with_chunks([chunk(b"abCd", b"x")] * 200_000)
    yield "idats.png", with_chunks([chunk(b"IDAT", b"")] * 300_000)
    yield "tall.png", tall_png(1, 10_000_000)
    yield "wide.png", tall_png(4_000_000, 1)
    for name, data in EXIFS.items():
        if len(data) < 65_000:
            yield f"{name}.jpg", in_jpeg(base["jpg"], data)
        yield f"{name}.png", with_chunks([chunk(b"eXIf", data)])
        yield f"{name}.webp", in_webp(b"EXIF", data, base["webp"])
    jpeg = base["jpg"]
    yield "segments.jpg", jpeg[:2] + b"\xff\xe5\0\2" * 60_000 + jpeg[2:]
    yield "comments.jpg", jpeg[:2] + (b"\xff\xfe\xff\xff" + b"c" * 65_533) * 400 + jpeg[2:]
    yield "profile.webp", in_webp(b"ICCP", b"p" * 40_000_000, base["webp"])
    yield "xmp.webp", in_webp(b"XMP ", b"<" * 40_000_000, base["webp"])
    for count in (1000, 16_000, 70_000, 300_000):
        yield f"chain-{count}.tif", tiff_chain(count)
    yield "cycle.tif", tiff_chain(3, cycle=True)
    yield "self.tif", tiff_chain(1, cycle=True)
    yield "long-cycle.tif", tiff_chain(5000, cycle=True)
    long_value = bytes(20_000_000)
    yield (
        "values.tif",
        tiff_chain(1, extra=[(40_000 + k, 7, 20_000_000, 8) for k in range(200)]) + long_value,
    )
    yield "frames.gif", gif(200_000)
    yield "comments.gif", gif(1, comments=60_000)
    yield (
        "tracks.mp4",
        box(b"ftyp", b"isom\0\0\0\0isom") + box(b"moov", box(b"mvhd", bytes(100)), TRACK * 3000),
    )
    yield "run.bmp", bmp_rle(bytes([200, 7, 0, 0, 0, 2, 200, 200, 5, 9, 0, 1]))
    yield "step.bmp", bmp_rle(bytes([0, 2, 200, 200, 5, 9, 0, 1]))
    yield "many-rows.bmp", bmp_rle(bytes([4, 7, 0, 0] * 6 + [0, 1]))


class Costs(CommandTest):
    # Refused whatever else they are.
    REFUSED = re.compile(
        r"(ztxt|itxt|ztxt-behind)-(60|200)\.png|same-key|iccp-many|text-(many|long)|tall|loop-|values|entries\.|segments|"
        r"tracks|comments\.jpg|profile|xmp|chain-(70000|300000)|run\.bmp|step\.bmp|many-rows"
    )

    def measured(self, *arguments):
        begin = time.monotonic()
        process = subprocess.Popen(
            [test_command.CUESTA, *map(str, arguments)],
            cwd=self.at,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        said = process.stderr.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        # Time of the processor, so that a busy machine does not count; and not ten times as long.
        return (
            process.returncode,
            said,
            usage.ru_maxrss,
            usage.ru_utime + usage.ru_stime,
            time.monotonic() - begin,
        )

    def test_every_one(self):
        base = {}
        self.file("base.png", png(64, 64, bytes(64 * 64)))
        for ending in ("jpg", "webp"):
            self.run_cuesta("filter", "base.png", "-o", f"base.{ending}", "--kernel", "average:3")
            base[ending] = (self.at / f"base.{ending}").read_bytes()
        count = 0
        for name, data in small_files(base):
            self.file(name, data)
            count += 1
            page = ("--page", 1) if name.endswith((".tif", ".gif")) else ()
            edges = ("edges", name, "-o", "out.png", *page)
            label = ("label", name, "-o", "out.csv", *page)
            for words in (edges,) if name.endswith(".mp4") else (edges, label):
                with self.subTest(words[0], file=name):
                    code, said, kilobytes, seconds, wall = self.measured(*words)
                    self.assertIn(code, (0, INPUT), said)
                    self.assertLess(kilobytes, MOST_KB, said)
                    self.assertLess(seconds, MOST_SECONDS, said)
                    self.assertLess(wall, 20)
                    if code:
                        self.assertEqual(said.count("error: "), 1, said)
                        self.assertIn(name, said)
                    if self.REFUSED.match(name):
                        self.assertEqual(code, INPUT, said)
            (self.at / name).unlink()
        self.assertGreater(count, 55)

    def test_what_is_usual_is_taken(self):
        profile = zlib.compress(os.urandom(600_000))
        files = {
            "text.png": with_chunks(
                [
                    chunk(b"tEXt", b"Author\0me"),
                    chunk(b"zTXt", b"XMP\0\0" + zlib.compress(b"<x/>" * 9999)),
                ]
            ),
            "profile.png": with_chunks(
                [
                    chunk(
                        b"eXIf",
                        exif([(0x010E, 2, 4, 0x61616161), (0x8769, 4, 1, 38)])
                        + directory([(0x9000, 7, 4, 0)]),
                    )
                ]
            ),
            "pages.tif": tiff_chain(500),
        }
        for name, data in files.items():
            self.file(name, data)
            page = ("--page", 1) if name.endswith(".tif") else ()
            self.run_cuesta("edges", name, "-o", "out.png", *page)
        self.file("lenient.bmp", bmp_rle(bytes([200, 7, 0, 1])))
        self.fails(
            INPUT,
            "edges",
            "lenient.bmp",
            "-o",
            "out.png",
            says=("a run of pixels leaves the picture", "--partial"),
        )
        self.run_cuesta("edges", "lenient.bmp", "-o", "out.png", "--partial")
        self.assertTrue(profile)

    def test_lists_open_nothing(self):
        os.mkfifo(self.at / "pipe")
        lists = {
            "concat": "ffconcat version 1.0\nfile 'pipe'\n",
            "concat-sub": "ffconcat version 1.0\nfile 'sub/n.mkv'\n",
            "hls": "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\npipe\n",
            "master": "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\npipe\n",
            "dash": '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><BaseURL>pipe</BaseURL></MPD>',
            "sdp": "v=0\no=- 0 0 IN IP4 127.0.0.1\nc=IN IP4 127.0.0.1\nm=video 9 RTP/AVP 96\n",
            "pls": "[playlist]\nFile1=pipe\n",
            "imf": '<?xml version="1.0"?><AssetMap><Id>pipe</Id></AssetMap>',
        }
        for name, text in lists.items():
            for ending in ("mkv", "mp4", "ffconcat", "m3u8", "png", "txt"):
                path = f"{name}.{ending}"
                self.file(path, text.encode())
                for words in (
                    ("detect", path, "--json", "o.nd"),
                    ("edges", path, "-o", "o.mkv"),
                    ("detect", path, "--json", "o.nd", "--sandbox"),
                ):
                    with self.subTest(words):
                        code, said, _, _, wall = self.measured(*words)
                        self.assertIn(code, (INPUT, OUTPUT), said)
                        self.assertEqual(said.count("error: "), 1, said)
                        self.assertLess(wall, 20)

    def test_libraries_keep_quiet(self):
        self.file("a.png", png(40, 30, square()))
        for environment in ({"VIPS_PROFILE": "1"}, {"VIPS_INFO": "1", "G_MESSAGES_DEBUG": "all"}):
            done = self.run_cuesta(
                "edges", "a.png", "-o", "o.png", env={**os.environ, **environment}
            )
            self.assertEqual(done.stderr, b"", environment)
            self.assertFalse((self.at / "vips-profile.txt").exists())
        done = subprocess.run(
            ["bash", "-c", 'ulimit -n 5; exec "$0" edges a.png -o o.png', test_command.CUESTA],
            cwd=self.at,
            capture_output=True,
            timeout=60,
        )
        self.assertNotIn(b"VIPS-", done.stderr)


if __name__ == "__main__":
    test_command.CUESTA = os.path.abspath(sys.argv.pop(1))
    unittest.main()

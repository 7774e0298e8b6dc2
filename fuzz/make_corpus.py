#!/usr/bin/env python3
"""Makes the seeds in fuzz/corpus of every target.

    make_corpus.py PATH-TO-CUESTA

Pictures and videos are written by the command itself; findings that were added by hand stay.
"""

import hashlib
import random
import subprocess
import sys
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"

OPTIONS = [
    ["0,0,10,10", "5,4,20,12", "0,0,0,5", "1,2,3", "-1,0,5,5", "0,0,99999999999,1", ""],
    [
        "80",
        "auto",
        "auto:otsu",
        "auto:median",
        "auto:percentile:95",
        "auto:noise",
        "auto:best",
        "-3",
        "nan",
        "1e400",
    ],
    [
        "average:5",
        "sharpen:3",
        "unsharp:5",
        "gaussian:15:2.5",
        "laplacian",
        "1 2 1;2 4 2;1 2 1 / 16",
        "-1,0.5;2e-3,4",
        "1 2;3",
        "1 2 3 / 0",
        ";;",
        "gaussian:99999999999",
        "1\n2\n3",
    ],
    ["block=16", "=", "a=", "=b", "a=b=c"],
    ["replicate", "reflect101", "constant:7", "constant:", "wrap:3", "mirror"],
    ["cuda", "cuda:0", "cuda:-1", "cuda:99999999999", "gpu"],
    ["1.4", "0", "-1e300", "inf", "0x10", "1,5"],
    [
        "disk:15",
        "ellipse:15",
        "rect:5x3",
        "cross:3",
        "disk:0",
        "rect:5x",
        "disk:99999999999",
        "none",
    ],
]

ARGUMENTS = [
    "edges photo.jpg -o edges.png --sigma 0 --low 50 --high 150 --aperture 5 --norm l2",
    "edges - -o - --method log --mode zero-crossings --threshold 4 --border wrap --region 0,0,8,8 -v",
    "filter a.png b.png -o out --kernel laplacian --absolute --offset -5 --depth 16 --format tif",
    "detect v.mp4 -o boxes.mp4 --json out.ndjson --background mean --rate-shift 5 --min-area 20",
    "verify canny --strategy simd --level full --json -q",
    "list devices --json",
    "edges --help",
    "edges --aperture 4 --threads -1 --param a=b --param",
    "filter a.png -o b.png --median 5 --border reflect101",
]

SCENES = {
    0: [
        '{"mask": "m.png", "zones": [{"name": "door", "kind": "exclude", "polygon": [[0.1, 0.2], [0.5, 0.2], [0.5, 0.9]], '
        '"min_area": 400, "max_aspect": 2.5}], "lines": [{"name": "gate", "from": [0.2, 0.5], "to": [0.8, 0.5]}]}',
        '{"zones": [{"name": "a", "polygon": [[0, 0], [1, 0]]}]}',
        '{"zones": 3}',
        '{"lines": [{"name": 1e400}]}',
        "[[[[",
        "",
    ],
    1: [
        'mask = "m.png"\n[[zones]]\nname = "door"\nkind = "include"\npolygon = [[0.1, 0.2], [0.5, 0.2], [0.5, 0.9]]\n'
        'max_area = 4000\nmin_aspect = 0.5\n[[lines]]\nname = "gate"\nfrom = [0.2, 0.5]\nto = [0.8, 0.5]\n',
        "[[zones]]\nname = 1979-05-27\n",
        '[[lines]]\nname = "a"\nfrom = [nan, inf]\nto = [0, 1]\n',
        "zones = [[[[[",
        "a.b.c = {}",
    ],
}


CONFIGS = [
    (0, '[edges]\nsigma = "1.4"\nlow = "50"\nhigh = "150"\nquiet = true\n'),
    (1, '[filter]\nkernel = "average:5"\n[edges]\nnonsense = 1\n'),
    (2, '[detect]\nbackground = "mean"\nmin-area = 20\nparam = ["a=1", "b=2"]\n'),
    (2, '[detect]\nscene = "x.toml"\n[detect.deeper]\nx = 1\n'),
    (0, "sigma = 1\n"),
    (0, "[edges\n"),
    (0, '[edges]\nsigma = "\n'),
    (0, "[[[[[["),
    (1, ""),
]


# The first byte chooses the subject and the address (fuzz/tuner.cpp).
TUNER = [
    (0, '{"values": {}, "level": 0}'),
    (0, '{"values": {"method": "log", "sigma": "2", "lines": true}, "level": 1}'),
    (0, '{"values": {"threshold": "auto:best", "ksize": "5", "mask": "/etc/passwd"}}'),
    (1, '{"values": {"method": "canny"}, "bins": 64}'),
    (2, '{"values": {"method": "canny"}, "stage": "magnitude", "level": 0}'),
    (3, '{"values": {"method": "boundaries", "quality": "high"}}'),
    (16 + 4, "0"),
    (16 + 4, "9"),
    (8, '{"values": {"background": "mixture"}, "frame": 3, "id": 1}'),
    (8, '{"values": {"warm-up": "1"}, "frame": 5, "scene": {"zones": []}}'),
    (
        8 + 3,
        '{"values": {"min-area": "20"}, "scene": {"lines": [{"name": "a", "from": [0, 0], "to": [1, 1]}]}}',
    ),
    (8 + 16 + 4, "2"),
    (0, "[[[[[[[["),
    (8, '{"frame": 99999999999999999999}'),
]

HTTP = [
    "GET /TOKEN/about HTTP/1.1\r\nHost: HOST\r\n\r\n",
    "POST /TOKEN/result HTTP/1.1\r\nHost: HOST\r\nContent-Length: 2\r\n\r\n{}",
    "POST /TOKEN/result HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "GET /TOKEN/source?of=1 HTTP/1.1\r\nHost: HOST\r\nOrigin: http://HOST\r\nSec-Fetch-Site: same-origin\r\n\r\n",
    "GET /wrong/about HTTP/1.1\r\nHost: HOST\r\n\r\n",
    "GET /TOKEN/../about HTTP/1.1\r\nHost: elsewhere\r\nRange: bytes=0-3\r\n\r\n",
    "HEAD /TOKEN/ HTTP/1.0\r\nHost: HOST\r\nHost: HOST\r\n\r\n",
    "nothing",
]

# Two bytes choose the messages and the cut (fuzz/mqtt.cpp); CONNACK, PUBACK, PUBREC, PINGRESP, PUBLISH.
MQTT = [
    (1, 255, b"\x20\x02\x00\x00"),
    (4, 2, b"\x20\x02\x00\x00" + b"\x40\x02\x00\x01" + b"\x40\x02\x00\x02"),
    (8, 7, b"\x20\x02\x00\x00" + b"\x50\x02\x00\x01" + b"\x70\x02\x00\x01"),
    (0, 255, b"\x20\x02\x00\x05"),
    (2, 255, b"\x20\x02\x00\x00\xd0\x00\x30\x05\x00\x01abc"),
    (2, 4, b"\x20\x02\x00\x00\x30\xff\xff\xff\x7f"),
    (1, 0, b""),
    (1, 9, b"HTTP/1.1 400 Bad Request\r\n\r\n"),
]


def write(target, name, data):
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)


def main(cuesta):
    for which, texts in enumerate(OPTIONS):
        for number, text in enumerate(texts):
            write("options", f"{which}-{number}", bytes([which]) + text.encode())
    for number, (verb, text) in enumerate(CONFIGS):
        write("config", str(number), bytes([verb]) + text.encode())
    draw = random.Random(3)
    for number in range(24):
        write("lines", str(number), bytes(draw.randrange(256) for _ in range(400)))
        write("again", str(number), bytes(draw.randrange(256) for _ in range(400)))
    draw = random.Random(4)
    for target, size in (("state", 80), ("journal", 200), ("calls", 600)):
        for number in range(24):
            write(target, str(number), bytes(draw.randrange(256) for _ in range(size)))
    for number, (first, text) in enumerate(TUNER):
        write("tuner", str(number), bytes([first]) + text.encode())
    for number, text in enumerate(HTTP):
        write("http", str(number), text.encode())
    for number, (messages, cut, answers) in enumerate(MQTT):
        write("mqtt", str(number), bytes([messages, cut]) + answers)
    for number, line in enumerate(ARGUMENTS):
        write("arguments", str(number), line.replace(" ", "\n").encode())

    for language, texts in SCENES.items():
        for number, text in enumerate(texts):
            write("scene", f"{language}-{number}", bytes([language]) + text.encode())

    for number in range(60):
        write("requests", str(number), hashlib.sha512(bytes([number])).digest())

    gray = bytes((x * 13 + y * 29 + x * y) % 256 for y in range(12) for x in range(17))
    color = bytes(v for g in gray for v in (g, 255 - g, g // 2))
    pictures = {
        "gray.pgm": b"P5\n17 12\n255\n" + gray,
        "color.ppm": b"P6\n17 12\n255\n" + color,
        "text.pgm": b"P2\n3 2\n255\n0 1 2\n253 254 255\n",
        "bits.pbm": b"P1\n3 2\n0 1 0\n1 0 1\n",
    }
    folder = CORPUS / "picture"
    for name, data in pictures.items():
        write("picture", name, data)
    for source in ("gray.pgm", "color.ppm"):
        stem = source.split(".")[0]
        for extension in ("png", "jpg", "tif", "webp", "gif", "bmp", "jp2"):
            subprocess.run(
                [
                    cuesta,
                    "filter",
                    folder / source,
                    "-o",
                    folder / f"{stem}.{extension}",
                    "--kernel",
                    "average:1",
                ],
                check=True,
            )
        subprocess.run(
            [
                cuesta,
                "filter",
                folder / source,
                "-o",
                folder / f"{stem}-16.png",
                "--kernel",
                "average:1",
                "--depth",
                "16",
            ],
            check=True,
        )
    for name in ("gray.png", "color.jpg", "color.tif", "gray.pgm"):
        data = (folder / name).read_bytes()
        write("picture", "cut-" + name, data[: len(data) * 2 // 3])
        write(
            "picture",
            "bent-" + name,
            data[: len(data) // 2] + b"\x5a\xa5" + data[len(data) // 2 + 2 :],
        )
    write("picture", "huge.pgm", b"P5\n2000000 2000000\n255\n\0")

    luma, chroma = gray[: 8 * 6], gray[: 4 * 3]
    for name, kind, frame in (
        ("mono", b"mono", luma),
        ("420", b"420jpeg", luma + chroma * 2),
        ("444", b"444", luma * 3),
    ):
        stream = (
            b"YUV4MPEG2 W8 H6 F30000:1001 Ip A1:1 C"
            + kind
            + b" XCOLORRANGE=FULL\n"
            + (b"FRAME\n" + frame) * 2
        )
        write("y4m", name, stream)
        write("y4m", "cut-" + name, stream[:-7])
    for name, data in {
        "no-size": b"YUV4MPEG2 F30:1\nFRAME\n",
        "bad-width": b"YUV4MPEG2 W-4 H3\n",
        "huge": b"YUV4MPEG2 W2000000000 H2000000000\n",
        "ten-bits": b"YUV4MPEG2 W4 H4 C420p10\n",
        "rate": b"YUV4MPEG2 W4 H4 F0:0\n",
        "frame-options": b"YUV4MPEG2 W1 H1 Cmono\nFRAME Ip\n\7",
    }.items():
        write("y4m", name, data)

    # Small videos of every container and codec that the command writes; some cut, some bent.
    frames = [
        bytes((x * 5 + y * 3 + 9 * k) % 256 for y in range(16) for x in range(16))
        + bytes(range(100, 228))
        for k in range(3)
    ]
    stream = b"YUV4MPEG2 W16 H16 F25:1 Ip A1:1 C420jpeg\n" + b"".join(
        b"FRAME\n" + frame for frame in frames
    )
    folder = CORPUS / "video"
    write("video", "small.y4m", stream)
    for extension in ("mp4", "mkv", "avi", "webm", "mjpeg", "ts", "h264", "flv", "m1v", "ogv"):
        path = folder / f"small.{extension}"
        if subprocess.run(
            [cuesta, "filter", folder / "small.y4m", "-o", path, "--kernel", "average:1"]
        ).returncode:
            continue  # not in this build of libav
        data = path.read_bytes()
        write("video", "cut-" + path.name, data[: len(data) * 2 // 3] + b"\1")
        write(
            "video",
            "bent-" + path.name,
            data[: len(data) // 2] + b"\x5a\xa5" + data[len(data) // 2 + 2 :],
        )
    write("video", "text.mp4", b"no video at all\n" * 8)


if __name__ == "__main__":
    main(sys.argv[1])

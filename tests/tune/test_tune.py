#!/usr/bin/env python3
"""cuesta tune over plain HTTP, without a browser: who gets an answer, what the answers are, and that
what is copied gives them.

    test_tune.py PATH-TO-CUESTA [unittest arguments]

Needs nothing but Python's standard library; the copied Python program is run where `import cuesta`
works, and the C++ ones where CUESTA_PREFIX names an installed tree.
"""

import http.client
import importlib.util
import json
import math
import os
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

sys.path.append(str(Path(__file__).resolve().parents[1] / "cli"))

import test_command  # noqa: E402
import test_detect  # noqa: E402
from test_command import INPUT, OUTPUT, USAGE, CommandTest, png, read_png  # noqa: E402


# Which lines ran is written at the end, and nothing is written in the sandbox.
COUNTS_LINES = "LLVM_PROFILE_FILE" in os.environ


class Tuner:
    """`cuesta tune`, running."""

    def __init__(self, *arguments, cwd):
        outside = ["--no-sandbox"] if COUNTS_LINES and "--no-sandbox" not in arguments else []
        self.process = subprocess.Popen(
            [test_command.CUESTA, "tune", *map(str, arguments), "--no-open", *outside],
            cwd=cwd,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.address = self.process.stdout.readline().decode().strip()
        if not self.address:
            raise RuntimeError(self.process.stderr.read().decode())
        parts = urlsplit(self.address)
        self.host, self.port, self.token = parts.hostname, parts.port, parts.path.strip("/")

    # Seconds after which the server leaves a connection that says nothing.
    PATIENCE = 1

    def ask(self, method, path, body=None, token=None, **headers):
        """(status, headers, bytes). Where this process could not say it in time, it is said again, as browsers do."""
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        while True:
            connection = http.client.HTTPConnection(self.host, self.port, timeout=120)
            connection.connect()
            connected, said = time.monotonic(), None
            try:
                connection.request(
                    method, f"/{self.token if token is None else token}/{path}", body, names
                )
                said = time.monotonic()
                answer = connection.getresponse()
                return answer.status, dict(answer.getheaders()), answer.read()
            except (BrokenPipeError, ConnectionResetError, http.client.RemoteDisconnected):
                if (said or time.monotonic()) - connected < self.PATIENCE:
                    raise
            finally:
                connection.close()

    def post(self, path, **asked):
        return self.ask("POST", path, json.dumps(asked))

    def json(self, path, **asked):
        status, _, body = self.post(path, **asked) if asked else self.ask("GET", path)
        if status != 200:
            raise AssertionError(f"{path} {asked}: {status} {body[:500]!r}")
        return json.loads(body)

    def picture(self, path="result", **asked):
        """(about, samples): what the page would show, a mask as 0 and 255."""
        status, headers, body = self.post(path, **asked)
        if status != 200:
            raise AssertionError(f"{path} {asked}: {status} {body[:500]!r}")
        about = json.loads(headers["Cuesta-Picture"])
        self.lines = (
            body[about["lines_at"] :] if "lines_at" in about else None
        )  # the file of --lines
        return about, samples_of(about, body)

    def stop(self, signal_=signal.SIGTERM):
        self.process.send_signal(signal_)
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, err.decode()


def samples_of(about, body):
    if about["kind"] == "samples":
        return body
    out = bytearray()
    for y in range(about["height"]):
        row = body[y * about["stride"] : (y + 1) * about["stride"]]
        out += bytes(255 * (row[x >> 3] >> (x & 7) & 1) for x in range(about["width"]))
    return bytes(out)


def scene(width=160, height=120, white=255):
    """Gray levels with edges of several strengths: a ramp, squares, a disc, some noise."""
    noise = random.Random(3)
    out = []
    for y in range(height):
        for x in range(width):
            level = 0.2 + 0.15 * x / width
            if (x // 20 + y // 20) % 3 == 0:
                level += 0.05 * (1 + (x // 40) % 4)
            if math.hypot(x - 110, y - 60) < 30:
                level = 0.85
            out.append(round(white * min(1, max(0, level + noise.gauss(0, 0.012)))))
    return out


class TuneTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.photo = self.file("my photo.png", png(160, 120, scene()))

    def tuner(self, *arguments):
        tuner = Tuner(*(arguments or (self.photo.name,)), cwd=self.at)
        self.addCleanup(lambda: tuner.process.poll() is None and tuner.stop())
        self.addCleanup(tuner.process.stdout.close)
        self.addCleanup(tuner.process.stderr.close)
        return tuner

    def copied(self, tuner, **values):
        return tuner.json("copies", values=values)

    def run_line(self, line, name="my photo-edges.png"):
        """Runs a copied command as a shell does, and gives its picture's samples; of 16 bits the high byte."""
        (self.at / name).unlink(missing_ok=True)
        (self.at / "my photo-lines.svg").unlink(missing_ok=True)
        folder = Path(test_command.CUESTA).resolve().parent
        done = subprocess.run(
            ["sh", "-c", line],
            cwd=self.at,
            capture_output=True,
            env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"},
        )
        self.assertEqual(done.returncode, 0, f"{line}\n{done.stderr.decode()}")
        return self.samples_in(name)

    def lines_file(self, name="my photo-lines.svg"):
        return (self.at / name).read_bytes() if (self.at / name).exists() else None

    def samples_in(self, name):
        _, _, _, bits, samples = read_png((self.at / name).read_bytes())
        return bytes(sample >> 8 for sample in samples) if bits == 16 else bytes(samples)


class Guard(TuneTest):
    def test_only_the_page_gets_in(self):
        tuner = self.tuner()
        self.assertEqual(tuner.host, "127.0.0.1")
        self.assertGreaterEqual(len(tuner.token), 32)
        self.assertEqual(tuner.ask("GET", "")[0], 200)
        ours = f"http://127.0.0.1:{tuner.port}"
        body = json.dumps({"values": {}})
        self.assertEqual(tuner.ask("POST", "result", body, Origin=ours)[0], 200)
        for refused in (
            dict(token=""),
            dict(token="x" * len(tuner.token)),
            dict(token=tuner.token[:-1]),
            dict(token=tuner.token.upper()),
            dict(Origin="http://example.org"),
            dict(Origin="null"),
            dict(Origin=f"https://127.0.0.1:{tuner.port}"),
            dict(Origin=f"http://127.0.0.1:{tuner.port + 1}"),
            dict(Host="example.org"),
            dict(Host=f"example.org:{tuner.port}"),
            dict(Host="127.0.0.1"),
            dict(Host=f"127.0.0.1.example.org:{tuner.port}"),
            dict(Sec_Fetch_Site="cross-site"),
        ):
            for method, path in (("GET", "about"), ("POST", "result"), ("GET", "")):
                status, headers, said = tuner.ask(
                    method, path, body if method == "POST" else None, **refused
                )
                self.assertEqual(status, 403, f"{method} {path} {refused}")
                self.assertNotIn(tuner.token.encode(), said)
                self.assertNotIn("Access-Control-Allow-Origin", headers)

    def test_the_page_may_load_nothing_else(self):
        tuner = self.tuner()
        _, headers, body = tuner.ask("GET", "")
        policy = headers["Content-Security-Policy"]
        self.assertIn("default-src 'none'", policy)
        self.assertNotIn("unsafe", policy)
        self.assertIn("frame-ancestors 'none'", policy)
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        files = [b"index.html", b"style.css"] + [
            Path(p).name.encode()
            for p in (Path(__file__).resolve().parents[2] / "apps/tune/page").glob("*.js")
        ]
        for name in files:
            status, headers, text = tuner.ask("GET", name.decode())
            self.assertEqual(status, 200, name)
            for outside in (b"http://", b"https://", b"url("):
                self.assertNotIn(outside, text, name)

    def test_other_addresses_of_the_machine_do_not_answer(self):
        tuner = self.tuner()
        for address in ("127.0.0.2", "::1", *(socket.gethostbyname_ex(socket.gethostname())[2])):
            if address == "127.0.0.1":
                continue
            family = socket.AF_INET6 if ":" in address else socket.AF_INET
            with socket.socket(family) as one, self.assertRaises(OSError, msg=address):
                one.settimeout(2)
                one.connect((address, tuner.port))

    def test_large_and_odd_requests_are_refused(self):
        tuner = self.tuner()
        before = sorted(self.at.iterdir())
        status, _, _ = tuner.ask("POST", "result", b"x" * (2 << 20))
        self.assertEqual(status, 413)
        for body in (
            b"",
            b"[]",
            b"{",
            b'{"values": 3}',
            b'{"values": {"sigma": 2}}',
            b'{"values": {"output": "x"}}',
            b'{"values": {"sigma": "-1"}}',
            b'{"values": {"method": "cany"}}',
            b'{"level": 99}',
            b'{"level": -1}',
            b'{"level": "1"}',
            b'{"values": {"save-config": "x"}}',
            b'{"values": {"sigma": "1e999"}}',
            b'{"values": {"low": "3"}}',
            b'{"values": {"threshold": "nonsense"}}',
        ):
            status, _, said = tuner.ask("POST", "result", body)
            self.assertEqual(status, 400, body)
            self.assertTrue(json.loads(said)["error"], body)
        for path in ("nothing", "../server.cpp", "page.hpp", "source?of=x", "source?of=77"):
            self.assertIn(tuner.ask("GET", path)[0], (400, 404), path)
        self.assertEqual(sorted(self.at.iterdir()), before, "nothing was written")
        self.assertEqual(tuner.picture(values={})[0]["width"], 160, "and it still serves")

    def test_ports(self):
        tuner = self.tuner()
        self.fails(
            OUTPUT,
            "tune",
            self.photo,
            "--no-open",
            "--port",
            tuner.port,
            says=("--port", tuner.port),
        )
        tuner.stop()

    def test_ends_cleanly(self):
        for signal_ in (signal.SIGINT, signal.SIGTERM):
            tuner = self.tuner()
            tuner.picture(values={})
            code, said = tuner.stop(signal_)
            self.assertEqual(code, 0, said)
            self.assertIn("tuned at this address", said)

    def test_opens_a_browser_without_a_shell(self):
        script = self.file(
            "bin/xdg-open",
            b'#!/bin/sh\nprintf "%s" "$1" > "$OPENED.part" && mv "$OPENED.part" "$OPENED"\n',
        )
        script.chmod(0o755)
        opened = self.at / "opened"
        process = subprocess.Popen(
            [test_command.CUESTA, "tune", self.photo],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={
                **os.environ,
                "PATH": f"{script.parent}:{os.environ['PATH']}",
                "OPENED": str(opened),
            },
        )
        with process:
            address = process.stdout.readline().decode().strip()
            end = time.monotonic() + 60
            while not opened.exists() and time.monotonic() < end:
                time.sleep(0.02)
            process.terminate()
        self.assertEqual(opened.read_text(), address)

    @unittest.skipIf(COUNTS_LINES, "lines are counted, which the sandbox has no way out for")
    def test_decodes_in_a_sandbox(self):
        def state(*more):
            tuner = Tuner(self.photo, *more, cwd=self.at)
            pid = tuner.process.pid
            try:
                self.assertEqual(tuner.json("about")["verb"], "edges")
                if not more:  # the process that decodes is a child
                    pid = int(Path(f"/proc/{pid}/task/{pid}/children").read_text())
                lines = Path(f"/proc/{pid}/status").read_text().splitlines()
                return {
                    key: value.strip()
                    for key, _, value in (line.partition(":") for line in lines)
                    if key in ("Seccomp", "NoNewPrivs")
                }
            finally:
                tuner.stop()

        self.assertEqual(state(), {"Seccomp": "2", "NoNewPrivs": "1"})
        self.assertEqual(
            state("--no-sandbox"),
            {
                "Seccomp": Path("/proc/self/status").read_text().split("Seccomp:")[1].split()[0],
                "NoNewPrivs": Path("/proc/self/status")
                .read_text()
                .split("NoNewPrivs:")[1]
                .split()[0],
            },
        )

    def test_live_video_is_not_tuned(self):
        self.fails(INPUT, "tune", "rtsp://127.0.0.1:9/x", "--no-open", says=("live",))

    def test_files_that_cannot_be_tuned(self):
        self.fails(INPUT, "tune", "missing.png", "--no-open", says=("missing.png",))
        self.fails(USAGE, "tune", "-", "--no-open")
        self.fails(USAGE, "tune", self.photo, "--no-open", "--region", "0,0,500,500", says=("500",))


EDGES = [
    {},
    {"sigma": "0"},
    {"sigma": "2.5"},
    {"ksize": "9"},
    {"norm": "l2", "aperture": "5"},
    {"aperture": "7"},
    {"threshold": "auto:median"},
    {"threshold": "auto:percentile:80"},
    {"low": "20", "high": "60", "sigma": "1"},
    {"threshold": "55.5"},
    {"method": "log"},
    {"method": "log", "mode": "threshold", "threshold": "2.5"},
    {"method": "log", "sigma": "2", "border": "symmetric", "threshold": "1"},
    {"method": "log", "border": "constant:40"},
    {"method": "boundaries"},
    {"method": "boundaries", "threshold": "12.5"},
    {"method": "regions"},
    {"method": "regions", "quality": "fast", "threshold": "0.1"},
    {"method": "sobel"},
    {"method": "sobel", "norm": "l2", "aperture": "7"},
    {"method": "sobel", "threshold": "60"},
    {"method": "sobel", "sigma": "1.5", "border": "replicate", "threshold": "40"},
    {"method": "sobel", "ksize": "5"},
    {"lines": True},
    {"lines": True, "sigma": "1", "line_tolerance": "0", "refinement": "devernay"},
    {"lines": True, "method": "log", "min_length": "4.5"},
]
# Of colored pictures.
COLORS = [
    {"color": "strongest"},
    {"color": "structure", "threshold": "auto:median"},
    {"color": "gray", "sigma": "1", "low": "30", "high": "90"},
    {"lines": True},
    {"lines": True, "color": "gray"},
]


class Photo(TuneTest):
    def test_says_what_there_is(self):
        about = self.tuner().json("about")
        self.assertEqual((about["verb"], about["width"], about["height"]), ("edges", 160, 120))
        controls = about["controls"]
        help_ = self.run_cuesta("edges", "--help").stdout.decode()
        self.assertEqual(
            controls["method"]["choices"], ["canny", "log", "sobel", "boundaries", "regions"]
        )
        for option in controls["options"]:
            self.assertIn(option["flag"], help_)
            for spec in option["by"].values():
                self.assertTrue(spec["words"])

    def test_copied_commands_and_settings_give_what_is_shown(self):
        tuner = self.tuner()
        seen = set()
        for values in EDGES:
            about, shown = tuner.picture(values=values)
            copies = self.copied(tuner, **values)
            self.file("edges.toml", copies["config"].encode())
            for line in (copies["command"], copies["config"].splitlines()[0].removeprefix("# ")):
                self.assertEqual(self.run_line(line), shown, copies)
                self.assertEqual(self.lines_file(), tuner.lines, copies)
            seen.add((shown, tuner.lines))
        self.assertGreaterEqual(len(seen), len(EDGES) - 1, "the settings make different pictures")

    def test_depth_color_and_region(self):
        deep = self.file("deep.png", png(160, 120, scene(white=65535), bits=16))
        color = self.file(
            "color.png",
            png(160, 120, [v for s in scene() for v in (s, 255 - s, s // 2)], channels=3),
        )
        region = ("--region", "20,10,100,80")
        for name, more in ((deep, ()), (color, ()), (color, region), (color, ("--band", "2"))):
            tuner = self.tuner(name.name, *more)
            of_color = COLORS if name is color and "--band" not in more else []
            for values in (
                {},
                {"method": "log"},
                {"method": "sobel"},
                {"low": "2000", "high": "9000"},
                *of_color,
            ):
                _, shown = tuner.picture(values=values)
                copies = self.copied(tuner, **values)
                self.assertEqual(
                    self.run_line(copies["command"], f"{name.stem}-edges.png"),
                    shown,
                    copies["command"],
                )
            tuner.stop()

    def test_no_method_finds_edges_of_holes(self):
        rows = [[float(v) for v in scene()[160 * y : 160 * (y + 1)]] for y in range(120)]
        for row in rows[30:60]:
            row[100:130] = [math.nan] * 30
        samples = struct.pack("<19200f", *(v for row in reversed(rows) for v in row))
        self.file("holes.pfm", b"Pf\n160 120\n-1.0\n" + samples)
        for more in ((), ("--region", "20,10,120,100")):
            tuner = self.tuner("holes.pfm", *more)
            for method in ("canny", "log", "boundaries", "regions"):
                with self.subTest(method, more=more):
                    values = {} if method == "canny" else {"method": method}
                    _, shown = tuner.picture(values=values)
                    line = self.copied(tuner, **values)["command"]
                    line = line.replace("holes-edges.tif", "holes-edges.png")
                    self.assertEqual(self.run_line(line, "holes-edges.png"), shown, line)
                    self.assertGreater(shown.count(255), 100)
            tuner.stop()

    def test_histogram_and_stages(self):
        tuner = self.tuner()
        about = tuner.json("about")
        for method, stages in about["stages"].items():
            values = {} if method == "canny" else {"method": method}
            strengths = tuner.json("histogram", values=values)
            if method in ("boundaries", "regions"):  # their thresholds are of no gradient
                self.assertEqual(strengths["bins"], [])
                continue
            self.assertGreater(sum(strengths["bins"]), 1000, method)
            self.assertGreater(strengths["most"], 0)
            for one in stages:
                facts, samples = tuner.picture("stage", values=values, stage=one["name"])
                self.assertEqual((facts["width"], facts["height"]), (160, 120))
                self.assertGreater(len(set(samples)), 2, one)
        _, hysteresis = tuner.picture("stage", values={}, stage="hysteresis")
        _, edges = tuner.picture(values={})
        self.assertEqual(
            bytes(255 if v > 100 else 0 for v in hysteresis),
            edges,
            "strong and joined ones are the edges",
        )
        _, suppressed = tuner.picture("stage", values={}, stage="suppressed")
        self.assertTrue(all(s or not e for s, e in zip(suppressed, edges)), "edges are maxima")
        self.assertEqual(tuner.post("stage", values={}, stage="response")[0], 400)

    def test_previews_are_like_what_they_preview(self):
        big = self.file(
            "big.png",
            png(
                1200,
                900,
                [200 if (x // 150 + y // 150) % 2 else 60 for y in range(900) for x in range(1200)],
            ),
        )
        tuner = self.tuner(big.name)
        levels = tuner.json("about")["levels"]
        self.assertEqual(
            levels[:2], [{"width": 1200, "height": 900}, {"width": 600, "height": 450}]
        )
        for values in (
            {},
            {"low": "50", "high": "100"},
            {"method": "log"},
            {"method": "sobel", "threshold": "100"},
        ):
            _, exact = tuner.picture(values=values)
            about, preview = tuner.picture(values=values, level=1)
            self.assertEqual(about["width"], 600)
            # Each set pixel of the one is beside one of the other.
            for x, y in ((149, 75), (150, 400), (75, 300)):
                near = any(
                    preview[(y // 2 + j) * 600 + x // 2 + i] for i in (-1, 0, 1) for j in (-1, 0, 1)
                )
                real = any(
                    exact[(y + j) * 1200 + x + i]
                    for i in (-2, -1, 0, 1, 2)
                    for j in (-2, -1, 0, 1, 2)
                )
                self.assertEqual(near, real, (values, x, y))

    def test_requests_do_not_wait_for_each_other(self):
        tuner = self.tuner()
        # Connections that say nothing hold none up.
        idle = [socket.create_connection((tuner.host, tuner.port)) for _ in range(3)]
        with ThreadPoolExecutor(10) as pool:
            answers = list(
                pool.map(
                    lambda i: tuner.post("result", values={"sigma": str(1 + i / 10)})[0], range(10)
                )
            )
        for one in idle:
            one.close()
        self.assertLessEqual(
            set(answers), {200, 409}, "each has its answer, or is replaced by newer work"
        )
        self.assertIn(200, answers)

    def test_more_connections_than_browsers_make_wait_for_a_server_that_is_busy(self):
        tuner = self.tuner()
        head = f"GET /{tuner.token}/about HTTP/1.1\r\nHost: {tuner.host}:{tuner.port}\r\nConnection: close\r\n"
        connections = []
        tuner.process.send_signal(signal.SIGSTOP)
        try:
            for _ in range(40):
                connections.append(socket.create_connection((tuner.host, tuner.port), timeout=20))
                connections[-1].sendall(head.encode())
                connections[-1].sendall(b"\r\n")
        finally:
            tuner.process.send_signal(signal.SIGCONT)
        for one in connections:
            with one, one.makefile("rb") as answer:
                self.assertEqual(answer.readline(), b"HTTP/1.1 200 OK\r\n")

    def test_slow_and_silent_connections_keep_nobody_out(self):
        tuner = self.tuner()
        place = (tuner.host, tuner.port)

        def seconds():
            begin = time.monotonic()
            self.assertEqual(tuner.ask("GET", "about")[0], 200)
            return time.monotonic() - begin

        def closed(one):
            one.settimeout(0)
            try:
                return one.recv(1 << 16) == b""
            except BlockingIOError:
                return False
            except OSError:
                return True

        idle = [socket.create_connection(place, timeout=20) for _ in range(400)]
        self.assertLess(seconds(), 6, "with 400 connections that say nothing")
        for one in idle:
            one.close()

        body = f"POST /{tuner.token}/result HTTP/1.1\r\nHost: {tuner.host}:{tuner.port}\r\nContent-Length: 1000\r\n\r\n"
        head = f"GET /{tuner.token}/about HTTP/1.1\r\nX-Slow: "
        for begin in (body, head):
            slow = [socket.create_connection(place, timeout=20) for _ in range(16)]
            for one in slow:
                one.sendall(begin.encode())
            start = time.monotonic()
            ended = set()
            while len(ended) < len(slow) and time.monotonic() - start < 40:
                for one in slow:
                    if one not in ended and closed(one):
                        ended.add(one)
                for one in slow:
                    try:
                        one.setblocking(True)
                        if one not in ended:
                            one.sendall(b"x")
                    except OSError:
                        ended.add(one)
                self.assertLess(seconds(), 5, "while 16 requests come a byte at a time")
                time.sleep(0.5)
            took = time.monotonic() - start
            self.assertEqual(len(ended), len(slow), "each of them is ended")
            self.assertGreater(took, 8)
            self.assertLess(took, 30)
            for one in slow:
                one.close()


ZONES = {
    "zones": [
        {"name": "left", "kind": "include", "polygon": [[0, 0], [0.7, 0], [0.7, 1], [0, 1]]},
        {"name": "corner", "kind": "exclude", "polygon": [[0, 0], [0.2, 0], [0, 0.2]]},
    ],
    "lines": [{"name": "gate", "from": [0.5, 0], "to": [0.5, 1]}],
}
DETECT = [
    ({"warm_up": "5"}, {}),
    ({"background": "first"}, {}),
    ({"warm_up": "5", "min_area": "900", "threshold": "auto:12"}, {}),
    (
        {
            "background": "mixture",
            "rate_shift": "4",
            "warm_up": "3",
            "open": "rect:3x3",
            "close": "none",
            "blur": "5",
        },
        {},
    ),
    ({"warm_up": "5", "track": True, "min_hits": "2"}, {}),
    ({"warm_up": "5", "join": "30", "min_area": "50"}, {}),
    ({"warm_up": "5", "downscale": "2", "min_area": "50"}, {}),
    ({"warm_up": "5", "min_hits": "1"}, ZONES),
]


class StreetTest(TuneTest):
    FRAMES = 48

    def setUp(self):
        super().setUp()
        frames = [
            test_detect.luma((8 + 2 * k, 12 + k) if k > 2 else None) for k in range(self.FRAMES)
        ]
        self.street = self.file(
            "street.y4m", test_command.y4m(test_detect.WIDTH, test_detect.HEIGHT, frames)
        )

    def moving(self, tuner, **asked):
        status, headers, body = tuner.post("result", **asked)
        self.assertEqual(status, 200, body)
        about = json.loads(headers["Cuesta-Picture"])
        return about, json.loads(body[: about["skip"]]), samples_of(about, body[about["skip"] :])

    def ran(self, tuner, values, scene):
        """Lines of the copied command's JSON by frame, and the masks' frames."""
        copies = tuner.json("copies", values=values, scene=scene)
        if scene:
            self.file("street-scene.json", copies["scene"].encode())
        folder = Path(test_command.CUESTA).resolve().parent
        line = copies["command"].strip() + " --mask-video mask.y4m"
        done = subprocess.run(
            ["sh", "-c", line],
            cwd=self.at,
            capture_output=True,
            env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"},
        )
        self.assertEqual(done.returncode, 0, f"{line}\n{done.stderr.decode()}")
        lines = [
            json.loads(one) for one in (self.at / "street-objects.ndjson").read_text().splitlines()
        ]
        _, masks = test_detect.planes_of(
            (self.at / "mask.y4m").read_bytes(), test_detect.WIDTH * test_detect.HEIGHT
        )
        return {one["frame"]: one for one in lines if "frame" in one}, masks


class Film(StreetTest):
    def test_what_is_copied_finds_what_is_shown(self):
        tuner = self.tuner(self.street.name)
        found = 0
        for values, scene in DETECT:
            lines, masks = self.ran(tuner, values, scene)
            for frame in (40, 12, self.FRAMES - 1):
                about, objects, mask = self.moving(tuner, values=values, scene=scene, frame=frame)
                told = lines[frame]["objects"]
                self.assertEqual(
                    [one["box"] for one in objects], [one["box"] for one in told], (values, frame)
                )
                self.assertEqual(
                    [one.get("id") for one in objects], [one.get("id") for one in told]
                )
                if scene:
                    self.assertEqual(
                        [one["zones"] for one in objects], [one.get("zones", []) for one in told]
                    )
                self.assertEqual(mask, masks[frame], (values, frame))
                found += len(objects)
        self.assertGreater(found, 10)

    def test_limits_of_zones_are_copied(self):
        tuner = self.tuner(self.street.name)
        limits = {"min_area": 50, "max_area": 5000, "min_aspect": 0.25, "max_aspect": 4,
                  "min_hits": 2, "min_moved": 1.5, "min_score": 0.5}  # fmt: skip
        scene = {"zones": [{**ZONES["zones"][0], **limits, "when": "22:00-06:00"}]}
        copies = tuner.json("copies", values={"warm_up": "5"}, scene=scene)
        self.assertEqual(json.loads(copies["scene"]), scene)
        for name, value in limits.items():
            self.assertIn(f", {name}={value}", copies["python"])
            self.assertIn(f", .{name} = {value}", copies["cpp"])

    def test_settings_give_the_same(self):
        tuner = self.tuner(self.street.name)
        values, scene = DETECT[-1]
        lines, _ = self.ran(tuner, values, scene)
        copies = tuner.json("copies", values=values, scene=scene)
        self.file("detect.toml", copies["config"].encode())
        folder = Path(test_command.CUESTA).resolve().parent
        subprocess.run(
            ["sh", "-c", copies["config"].splitlines()[0].removeprefix("# ")],
            cwd=self.at,
            check=True,
            capture_output=True,
            env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"},
        )
        again = [
            json.loads(one) for one in (self.at / "street-objects.ndjson").read_text().splitlines()
        ]
        self.assertEqual({one["frame"]: one for one in again if "frame" in one}, lines)

    def test_the_next_frame_with_an_object(self):
        tuner = self.tuner(self.street.name)
        for values in ({"warm_up": "3"}, {"warm_up": "3", "min_hits": "5"}):
            lines, _ = self.ran(tuner, values, {})
            shows = [frame for frame, line in sorted(lines.items()) if line["objects"]]
            self.assertTrue(shows)
            for frame in (0, shows[0] - 1, shows[0], shows[-1], self.FRAMES - 1):
                later = [one for one in shows if one > frame]
                about, objects, _ = self.moving(tuner, values=values, frame=frame, next=1)
                self.assertEqual(about["found"], bool(later), (values, frame))
                shown = later[0] if later else frame
                self.assertEqual(about["frame"], shown)
                self.assertEqual(
                    [one["box"] for one in objects], [one["box"] for one in lines[shown]["objects"]]
                )

    def test_what_is_left_to_the_library_is_shown(self):
        tuner = self.tuner(self.street.name)
        unused = "not used by this background"
        for values, wanted in (
            ({}, {"blur_sigma": "0.8", "rate_shift": unused, "absorb": "250"}),
            ({"rate_shift": "4", "absorb": "90", "blur_sigma": "2"}, {"rate_shift": unused}),
            (
                {"background": "mean", "blur": "5"},
                {"blur_sigma": "1.1", "rate_shift": "6", "absorb": unused},
            ),
            (
                {"background": "mixture", "blur": "1", "absorb": "90"},
                {"blur_sigma": "no blur", "rate_shift": "9", "absorb": unused},
            ),
            ({"background": "mean", "rate_shift": "4", "blur_sigma": "2"}, {"absorb": unused}),
        ):
            about, _, _ = self.moving(tuner, values=values, frame=3)
            self.assertEqual(about["in_force"], wanted)

    def test_defaults_that_the_sensitivity_chooses_are_reported(self):
        tuner = self.tuner(self.street.name)
        about, _, _ = self.moving(tuner, values={}, frame=3)
        usual = {
            one["name"]: one["by"][""]["value"]
            for one in tuner.json("about")["controls"]["options"]
        }
        self.assertEqual(about["chosen"], {})
        about, _, _ = self.moving(tuner, values={"sensitivity": "high"}, frame=3)
        chosen = about["chosen"]
        self.assertNotEqual(chosen["threshold"], usual["threshold"])
        # The usual default, given, is a value of its own there, and wins.
        given = {"sensitivity": "high", "threshold": usual["threshold"]}
        about, _, _ = self.moving(tuner, values=given, frame=3)
        self.assertEqual(about["chosen"], chosen)
        self.assertNotIn("threshold", about["in_force"])
        command = tuner.json("copies", values=given)["command"]
        self.assertIn(f"--threshold {usual['threshold']}", command)

    def test_previews_and_refusals(self):
        tuner = self.tuner(self.street.name)
        about = tuner.json("about")
        self.assertEqual(
            (about["verb"], about["width"], about["frames"] <= self.FRAMES), ("detect", 160, True)
        )
        values = {"warm_up": "3"}
        _, exact, _ = self.moving(tuner, values=values, frame=45)
        about, preview, _ = self.moving(tuner, values=values, frame=45, level=1)
        self.assertEqual((about["level"], len(preview)), (1, len(exact)))
        for bad in (
            dict(frame=400),
            dict(values={"blur": "4"}),
            dict(values={"on_event": "rm"}),
            dict(values={"scene": "x"}),
            dict(scene={"zones": [{"name": "a", "polygon": [[0, 0], [2, 0], [0, 1]]}]}),
            dict(scene={"zones": [{}]}),
        ):
            status, _, said = tuner.post("result", **bad)
            self.assertEqual(status, 400, bad)
            self.assertTrue(json.loads(said)["error"])
        status, headers, body = tuner.ask("GET", "source?of=7")
        self.assertEqual((status, body), (200, bytes(test_detect.luma((22, 19)))))


def deep_street(bits, frames):
    """The street's square three quarters of a gray level above the ground, which 8 bits round to one; and noise below a level."""
    noise, level = random.Random(5), 1 << (bits - 8)
    ground = [
        [noise.randrange(level) // 2 for _ in range(test_detect.WIDTH * test_detect.HEIGHT)]
        for _ in range(3)
    ]
    planes = []
    for k in range(frames):
        plane = test_detect.luma((8 + 2 * k, 12 + k) if k > 2 else None)
        planes.append(
            b"".join(
                (
                    test_detect.GROUND * level + (v == test_detect.BRIGHT) * 3 * level // 4 + n
                ).to_bytes(2, "little")
                for v, n in zip(plane, ground[k % 3])
            )
        )
    return test_command.y4m(test_detect.WIDTH, test_detect.HEIGHT, planes, b"mono%d" % bits)


class DeepFilm(StreetTest):
    def test_is_looked_at_in_all_of_its_bits(self):
        """As detect does: the copied command's boxes and masks, which those of the video in 8 bits are not."""
        for bits in (10, 12, 16):
            with self.subTest(bits=bits):
                data = deep_street(bits, self.FRAMES)
                self.file("street.y4m", data)
                tuner = self.tuner("street.y4m")
                self.assertEqual(tuner.json("about")["bits"], bits)
                found = []
                for values in (
                    {"background": "first", "threshold": "0.5"},
                    {"background": "first", "threshold": "auto:0.25", "blur": "1"},
                    {
                        "warm_up": "3",
                        "background": "mean",
                        "threshold": "0.4",
                        "track": True,
                        "min_hits": "1",
                    },
                ):
                    lines, masks = self.ran(tuner, values, {})
                    for frame in (40, 12):
                        about, objects, mask = self.moving(tuner, values=values, frame=frame)
                        self.assertEqual(
                            [one["box"] for one in objects],
                            [one["box"] for one in lines[frame]["objects"]],
                            (values, frame),
                        )
                        self.assertEqual(mask, masks[frame], (values, frame))
                        found.append((values, frame, mask, objects))
                self.assertTrue(all(objects for *_, objects in found), found)
                header, planes = test_detect.planes_of(
                    data, 2 * test_detect.WIDTH * test_detect.HEIGHT
                )
                rounded = [
                    bytes(
                        min(
                            255,
                            (int.from_bytes(p[i : i + 2], "little") + (1 << (bits - 9)))
                            >> (bits - 8),
                        )
                        for i in range(0, len(p), 2)
                    )
                    for p in planes
                ]
                status, _, shown = tuner.ask("GET", "source?of=40")
                self.assertEqual((status, shown), (200, rounded[40]), "drawn as -o draws it")
                tuner.stop()
                self.file(
                    "street.y4m", test_command.y4m(test_detect.WIDTH, test_detect.HEIGHT, rounded)
                )
                shallow = self.tuner("street.y4m")
                self.assertEqual(shallow.json("about")["bits"], 8)
                self.assertTrue(
                    any(
                        self.moving(shallow, values=values, frame=frame)[2] != mask
                        for values, frame, mask, _ in found
                    )
                )
                shallow.stop()


PREFIX = os.environ.get("CUESTA_PREFIX", "")


class Programs(StreetTest):
    """Copied C++ and Python give what is shown. Each language's are run by one process, and the C++ ones are one program: a
    compiler takes seconds for our headers."""

    RUNNER = """
import runpy, sys
for i in range(int(sys.argv[1])):
    print("----", flush=True)
    runpy.run_path(f"program-{i}.py", run_name="__main__")
    sys.stdout.flush()
"""

    def setUp(self):
        super().setUp()
        self.checks = []  # a text and what holds of what it prints and writes

    def add(self, language, ending, copies, check):
        text = copies[language].replace('-edges.png"', f'-edges-{len(self.checks)}.png"')
        self.file(f"program-{len(self.checks)}.{ending}", text.encode())
        self.checks.append((text, check))

    def add_all(self, language, ending):
        photo = self.tuner()
        deep = self.tuner(self.file("deep.png", png(160, 120, scene(white=65535), bits=16)).name)
        veiled = self.file(
            "veiled.png",
            png(160, 120, [v for s in scene() for v in (s, 255 - s, s // 2, 200)], channels=4),
        )
        color = self.tuner(veiled.name, "--region", "20,10,100,80")
        for tuner, name, settings in (
            (photo, "my photo", EDGES),
            (deep, "deep", EDGES[::3]),
            (color, "veiled", COLORS),
        ):
            for values in settings:
                _, shown = tuner.picture(values=values)
                self.add(
                    language,
                    ending,
                    self.copied(tuner, **values),
                    self.same_picture(f"{name}-edges-{len(self.checks)}.png", shown, tuner.lines),
                )
        street = self.tuner(self.street.name)
        for values, scene_ in DETECT:
            lines, _ = self.ran(street, values, scene_)
            wanted = [
                f"{frame}: {' '.join(map(str, one['box']))}"
                for frame, line in sorted(lines.items())
                for one in line["objects"]
            ]
            self.add(
                language,
                ending,
                street.json("copies", values=values, scene=scene_),
                lambda printed, text, wanted=wanted: self.assertEqual(printed, wanted, text),
            )

    def same_picture(self, name, shown, svg):
        def check(printed, text):
            self.assertEqual(self.samples_in(name), shown, text)
            self.check_printed(printed, svg, text)

        return check

    def check_printed(self, printed, svg, what):
        """Lines that a copied program prints, from the centre of the first pixel, are those of the file, from its corner."""

        def numbers(text):
            return [float(number) for number in re.findall(r"[-\d.]+", text)]

        wanted = re.findall(rb'<path d="M([^"Z]*)(Z?)"', svg or b"")
        self.assertEqual(len(printed), len(wanted), what)
        for line, (points, closed) in zip(printed, wanted):
            self.assertEqual(line.split()[0], "closed" if closed else "open", what)
            for a, b in zip(numbers(line), numbers(points.decode()), strict=True):
                self.assertAlmostEqual(a + 0.5, b, delta=0.0015)

    def check_all(self, command):
        done = subprocess.run(command, cwd=self.at, capture_output=True, text=True)
        printed = done.stdout.split("----\n")[1:]
        last = self.checks[max(0, len(printed) - 1)][0]
        self.assertEqual(
            (done.returncode, len(printed)), (0, len(self.checks)), f"{last}\n{done.stderr}"
        )
        for (text, check), lines in zip(self.checks, printed):
            with self.subTest(text=text):
                check(lines.splitlines(), text)

    @unittest.skipUnless(importlib.util.find_spec("cuesta"), "there is no `import cuesta` here")
    def test_copied_programs_in_python(self):
        self.add_all("python", "py")
        self.check_all([sys.executable, "-c", self.RUNNER, str(len(self.checks))])

    @unittest.skipUnless(PREFIX, "CUESTA_PREFIX names no installed tree")
    def test_copied_programs_in_cpp(self):
        self.add_all("cpp", "cpp")
        heads, bodies, calls = set(), [], []
        for i, (text, _) in enumerate(self.checks):
            heads |= {line for line in text.splitlines() if line.startswith("#include")}
            body = "\n".join(line for line in text.splitlines() if not line.startswith("#include"))
            self.assertEqual(body.count("int main()"), 1, text)
            bodies.append(body.replace("int main()", f"void program_{i}()"))
            calls.append(f'  std::puts("----");\n  std::fflush(stdout);\n  program_{i}();')
        self.compile(
            "\n".join(["#include <cstdio>", *sorted(heads), *bodies, "int main() {", *calls, "}\n"])
        )
        self.check_all(["./programs"])

    def compile(self, source):
        self.file("programs.cpp", source.encode())
        flags = subprocess.run(
            ["pkg-config", "--static", "--cflags", "--libs", "cuesta-io"],
            capture_output=True,
            text=True,
            env={
                **os.environ,
                "PKG_CONFIG_PATH": ":".join(map(str, Path(PREFIX).rglob("pkgconfig"))),
            },
        )
        self.assertEqual(flags.returncode, 0, flags.stderr)
        compiler = os.environ.get("CXX") or shutil.which("c++")
        done = subprocess.run(
            [
                compiler,
                "-std=c++20",
                "-Wall",
                "-Wextra",
                "-Werror",
                "programs.cpp",
                "-o",
                "programs",
                *flags.stdout.split(),
            ],
            cwd=self.at,
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 0, f"{source}\n{done.stderr}")


if __name__ == "__main__":
    test_command.CUESTA = str(Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=2)

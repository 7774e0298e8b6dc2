"""`cuesta detect --live`, running, for tests of its page."""

import http.client
import json
import os
import subprocess
import sys
import threading
import time
from urllib.parse import urlsplit

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))

import servers  # noqa: E402
import test_command  # noqa: E402
from test_command import y4m  # noqa: E402
from test_detect import FRAMES, HEIGHT, PLAIN, WIDTH, luma  # noqa: E402
from test_network import NetworkTest  # noqa: E402

RATE = 60
EVENTS = ("--min-hits", 1, "--merge-window", 0.3, "--pre-roll", 0.5, "--post-roll", 0.3)
SAID = b"the page of --live is "
# The square passes through "all" and never stands in "corner".
SCENE = b"""
[[zones]]
name = "all"
polygon = [[0, 0], [1, 0], [1, 1], [0, 1]]
[[zones]]
name = "corner"
polygon = [[0.9, 0], [1, 0], [1, 0.1], [0.9, 0.1]]
[[lines]]
name = "gate"
from = [0.5, 0]
to = [0.5, 1]
ways = ["in", "out"]
"""


class View:
    """A run, and its page."""

    def __init__(self, process, address=None, token=None):
        self.process, self.errors = process, []
        while address is None:
            line = process.stderr.readline()
            if not line:
                raise RuntimeError(b"".join(self.errors).decode())
            self.errors.append(line)
            if line.startswith(SAID):
                address = line[len(SAID) :].split()[0].decode()
        # Nobody may wait for somebody to read what is said.
        self.reader = threading.Thread(target=lambda: self.errors.extend(process.stderr))
        self.reader.start()
        parts = urlsplit(address)
        self.address, self.host, self.port = address, parts.hostname, parts.port
        self.token = token or parts.path.strip("/")

    def ask(self, path, method="GET", token=None, host=None, **headers):
        """(status, headers, bytes)."""
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection(host or self.host, self.port, timeout=60)
        try:
            target = f"/{self.token if token is None else token}/{path}"
            connection.request(method, target, None, names)
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def json(self, path="state", camera=0):
        status, _, body = self.ask(path)
        if status != 200:
            raise AssertionError(f"{path}: {status} {body[:500]!r}")
        return json.loads(body)["cameras"][camera]

    def end(self, sign=None):
        """(exit code, seconds that it took, what was said)."""
        begin = time.monotonic()
        if sign:
            self.process.send_signal(sign)
        self.process.wait(timeout=60)
        seconds = time.monotonic() - begin
        self.reader.join(timeout=60)
        return self.process.returncode, seconds, b"".join(self.errors).decode()


class LiveViewTest(NetworkTest):
    def setUp(self):
        super().setUp()
        self.file("scene.toml", SCENE)

    def pictures(self):
        """Access units: a second of nothing, a visit, and more of nothing, over and over."""
        still = [luma(None) + bytes([128]) * (WIDTH * HEIGHT // 2)] * FRAMES
        data = y4m(WIDTH, HEIGHT, still, b"420jpeg")
        return servers.access_units(self.video_bytes("still.h264", data)) * 5 + self.units() * 2

    def view(self, *arguments, live="127.0.0.1:0", token=None, env=None):
        process = subprocess.Popen(
            [test_command.CUESTA, *map(str, ("detect", *arguments, "--live", live, *PLAIN))],
            cwd=self.at,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**os.environ, **(env or {})},
        )
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdin.close)
        view = View(process, token=token)
        self.addCleanup(view.reader.join, 60)
        self.addCleanup(process.wait, 60)
        self.addCleanup(process.kill)
        return view

    def camera(self, times=20):
        pictures = self.pictures()
        return self.rtsp(lambda n: pictures * times, rate=RATE).address()

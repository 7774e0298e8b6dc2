#!/usr/bin/env python3
"""What files of others cannot do, and what is nobody else's business: programs, passwords, lists for
spreadsheets, names of files, a broker that floods.

    test_trust.py PATH-TO-CUESTA [unittest arguments]
"""

import base64
import csv
import html.parser
import json
import os
import resource
import socket
import stat
import struct
import subprocess
import sys
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))

import test_command  # noqa: E402
from test_command import INPUT, OUTPUT, USAGE  # noqa: E402
from test_detect import PLAIN, street  # noqa: E402
from test_live import LiveTest  # noqa: E402

WATCH = (*PLAIN, "--blur", 1, "--min-hits", 1)
SQUARE = "polygon = [[0, 0], [1, 0], [1, 1], [0, 1]]\n"


class Hooks(LiveTest):
    """Files of options and cameras start no program unless the command line says so."""

    ON_EVENT = 'on-event = "touch ran"\n'

    def detect(self, *arguments, **options):
        return self.run_cuesta("detect", *arguments, *WATCH, **options)

    def ran(self):
        there = (self.at / "ran").exists()
        if there:
            (self.at / "ran").unlink()
        return there

    def test_options(self):
        self.file("o.toml", f"[detect]\n{self.ON_EVENT}".encode())
        arguments = ("street.y4m", "--json", "o.nd", "--config", "o.toml")
        self.fails(
            USAGE, "detect", *arguments, says=("--config o.toml", "on-event", "--allow-hooks")
        )
        self.assertFalse(self.ran())
        self.detect(*arguments, "--allow-hooks")
        self.assertTrue(self.ran())
        # The command line's own stands, and what a file says of it is not looked at.
        self.detect(*arguments, "--on-event", "touch mine")
        self.assertFalse(self.ran())
        self.assertTrue((self.at / "mine").exists())

    def test_cameras(self):
        camera = '[[cameras]]\ninput = "street.y4m"\njson = "o.nd"\n'
        for key in ("on-event", "on_event"):
            self.file("c.toml", (camera + self.ON_EVENT.replace("on-event", key)).encode())
            arguments = ("--cameras", "c.toml")
            self.fails(INPUT, "detect", *arguments, says=(f"cameras[0].{key}", "--allow-hooks"))
            self.assertFalse(self.ran())
            self.detect(*arguments, "--allow-hooks")
            self.assertTrue(self.ran())
        self.file(
            "c.json",
            json.dumps({"cameras": [{"input": "street.y4m", "on-event": "touch ran"}]}).encode(),
        )
        self.fails(INPUT, "detect", "--cameras", "c.json", says=("--allow-hooks",))

    def test_files_cannot_allow_it(self):
        self.file("o.toml", f"[detect]\nallow-hooks = true\n{self.ON_EVENT}".encode())
        arguments = ("street.y4m", "--json", "o.nd")
        self.fails(USAGE, "detect", *arguments, "--config", "o.toml", says=("allow-hooks",))
        self.file("c.toml", b'[[cameras]]\ninput = "street.y4m"\nallow-hooks = true\n')
        self.fails(INPUT, "detect", "--cameras", "c.toml", says=("command line",))
        # Nor one file for the other.
        self.file("o.toml", b'[detect]\ncameras = "c.toml"\nallow-hooks = true\n')
        self.fails(USAGE, "detect", "--config", "o.toml", says=("allow-hooks",))
        self.assertFalse(self.ran())
        self.detect(
            *arguments, "--on-event", "touch ran", "--allow-hooks", "--save-config", "saved.toml"
        )
        saved = (self.at / "saved.toml").read_text()
        self.assertIn("on-event", saved)
        self.assertNotIn("allow-hooks", saved)

    def test_scenes(self):
        self.file("s.toml", f'{self.ON_EVENT}[[zones]]\nname = "a"\n{SQUARE}'.encode())
        self.fails(
            INPUT, "detect", "street.y4m", "--json", "-", "--scene", "s.toml", says=("on-event",)
        )


class Guarded:
    """A video that HTTP serves for a password."""

    def __init__(self, data, user, password):
        wanted = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                if self.headers.get("Authorization") != wanted:
                    self.send_response(401)
                    self.send_header("WWW-Authenticate", 'Basic realm="yard"')
                    self.send_header("Content-Length", "0")
                    return self.end_headers()
                self.send_response(200)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                try:
                    self.wfile.write(data)
                except OSError:
                    pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,))
        self.thread.start()

    def address(self, before=""):
        return f"http://{before}127.0.0.1:{self.server.server_port}/yard"

    def close(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


class Passwords(LiveTest):
    SECRET = 'ge/heim:@ #"%'

    def setUp(self):
        super().setUp()
        self.needs_video()
        quoted = self.SECRET.replace('"', '\\"')
        self.file(
            "passwords",
            f"# ours\nmachine elsewhere login cam password wrong\nmachine 127.0.0.1\n  login cam\n"
            f'  password "{quoted}"\n'.encode(),
        )
        os.chmod(self.at / "passwords", 0o600)
        self.run_cuesta(
            "filter",
            "-",
            "-o",
            "yard.mkv",
            "--kernel",
            "average:1",
            stdin=street(chroma=b"420jpeg"),
        )
        self.http = Guarded((self.at / "yard.mkv").read_bytes(), "cam", self.SECRET)
        self.addCleanup(self.http.close)

    def watch(self, address, *arguments, **options):
        return self.run_cuesta(
            "detect", address, "--json", "-", "--reconnect", 0, *PLAIN, *arguments, **options
        )

    def assert_kept(self, *texts):
        for text in texts:
            for piece in ("geheim", "ge/heim", "heim:@", "%2Fheim"):
                self.assertNotIn(piece.encode(), text)

    def test_come_from_a_file(self):
        for before in ("", "cam@"):
            with self.subTest(before):
                done = self.watch(self.http.address(before), "--passwords", "passwords")
                self.assertIn(b'"frame":', done.stdout)
                self.assertEqual(done.stderr, b"")
                self.assert_kept(done.stdout)
        environment = {**os.environ, "CUESTA_PASSWORDS": str(self.at / "passwords")}
        done = self.watch(self.http.address(), env=environment)
        self.assertIn(b'"frame":', done.stdout)
        # Of a file of cameras and one of options as well.
        self.file(
            "c.toml",
            f'[[cameras]]\nname = "yard"\ninput = "{self.http.address()}"\njson = "c.nd"\n'
            'passwords = "passwords"\n'.encode(),
        )
        self.run_cuesta("detect", "--cameras", "c.toml", "--reconnect", 0, *PLAIN)
        self.assertIn(b'"frame":', (self.at / "c.nd").read_bytes())
        self.assert_kept((self.at / "c.nd").read_bytes())
        self.run_cuesta(
            "filter",
            self.http.address(),
            "-o",
            "f.mkv",
            "--kernel",
            "average:3",
            "--passwords",
            "passwords",
            "--reconnect",
            0,
        )
        self.assertTrue((self.at / "f.mkv").exists())

    def test_of_another_user_or_host_is_not_sent(self):
        for before in ("eve@", "cam:other@"):
            said = self.watch(self.http.address(before), "--passwords", "passwords", code=INPUT)
            self.assertIn(b"cannot be opened", said.stderr)
            self.assert_kept(said.stderr)
        self.file("passwords", b"machine elsewhere login cam password x\n")
        self.watch(self.http.address(), "--passwords", "passwords", code=INPUT)

    def test_files_that_are_none(self):
        for text, says in (
            (b"machine 127.0.0.1 login cam pass geheim", "line 1: the word is not"),
            (b"login cam", "machine must come first"),
            (b"machine a\nlogin", "line 2: nothing follows login"),
        ):
            self.file("bad", text)
            said = self.fails(
                INPUT,
                "detect",
                self.http.address(),
                "--json",
                "-",
                "--passwords",
                "bad",
                says=("bad", says),
            )
            self.assertNotIn("geheim", said)
        self.fails(
            INPUT,
            "detect",
            self.http.address(),
            "--json",
            "-",
            "--passwords",
            "none",
            says=("none",),
        )
        os.chmod(self.at / "passwords", 0o644)
        done = self.watch(self.http.address(), "--passwords", "passwords")
        self.assertIn(b"other users may read", done.stderr)

    FORMS = (
        "rtsp://u:geheim@127.0.0.1:1/",
        "rtsp://u:ge/heim@127.0.0.1:1/",
        "rtsp://u:geheim#@127.0.0.1:1/",
        "rtsp://u:ge?heim@127.0.0.1:1/",
        "rtsp://u:a@ge/heim@127.0.0.1:1/",
        "http://127.0.0.1:1/?token=geheim",
        "nothing://u:geheim@127.0.0.1/",
        "http://u:geheim@127.0.0.1:1/a.mkv?auth=geheim",
    )

    def test_are_in_no_message(self):
        for address in self.FORMS:
            for words in (
                ("detect", address, "--json", "-", "--timeout", 1, "--reconnect", 0, "-v"),
                ("edges", address, "-o", "e.mkv", "--timeout", 1, "--reconnect", 0, "-v"),
                (
                    "filter",
                    address,
                    address,
                    "-o",
                    "out/",
                    "--kernel",
                    "average:3",
                    "--timeout",
                    1,
                    "--reconnect",
                    0,
                    "--json",
                ),
                ("detect", address, address, "--json", "-", "--timeout", 1, "--reconnect", 0),
                ("edges", "--sandbox", address, "-o", "e.mkv"),
                ("tune", address),
                ("label", address, "-o", "l.png"),
                ("detect", "street.y4m", "--mqtt", address, "--json", "-"),
                ("edges", "street.y4m", "-o", "e.y4m", "--config", address),
            ):
                with self.subTest(words):
                    done = subprocess.run(
                        [test_command.CUESTA, *map(str, words)],
                        cwd=self.at,
                        capture_output=True,
                        timeout=120,
                    )
                    self.assertNotEqual(done.returncode, 0)
                    self.assertTrue(done.stderr)
                    said = (done.stdout + done.stderr).replace(b"heim@127", b"LEAK")
                    for piece in (b"geheim", b"LEAK", b"ge/", b"ge?"):
                        self.assertNotIn(piece, said)
        for path in self.at.rglob("*"):
            self.assertNotIn("geheim", path.name)

    def test_of_brokers(self):
        for address in (
            "mqtt://user:ge/heim@127.0.0.1:1",
            "mqtt://user:ge/heim@127.0.0.1:1/topic",
            "mqtt://user:1/geheim@127.0.0.1/topic/#",
            "mqtt://user:geheim#@127.0.0.1:1:2/a",
            "mqtt://:geheim@127.0.0.1",
        ):
            with self.subTest(address):
                said = self.fails(USAGE, "detect", "street.y4m", "--json", "-", "--mqtt", address)
                for piece in ("geheim", "heim", '"ge"'):
                    self.assertNotIn(piece, said)

    def test_files_of_options_that_have_one_are_ours_alone(self):
        arguments = ("detect", "street.y4m", "--json", "o.nd", *WATCH, "--mqtt-qos", 0)
        mode = lambda name: stat.S_IMODE((self.at / name).stat().st_mode)
        old = os.umask(0o022)
        self.addCleanup(os.umask, old)
        self.file("old.toml", b"")
        for name in ("new.toml", "old.toml"):
            self.run_cuesta(
                *arguments, "--mqtt", "mqtt://u:geheim@127.0.0.1:1/a", "--save-config", name
            )
            self.assertEqual(mode(name), 0o600)
            self.assertIn("geheim", (self.at / name).read_text())
        self.run_cuesta(
            *arguments, "--mqtt", "mqtt://u@127.0.0.1:1/a", "--save-config", "open.toml"
        )
        self.assertEqual(mode("open.toml"), 0o644)


class Lists(LiveTest):
    """What is written for other programs is what they can take."""

    NAMES = ("=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", 'a "quoted", name')

    def zones(self, name):
        return f"[[zones]]\nname = {json.dumps(name)}\n{SQUARE}[[lines]]\nname = {json.dumps(name)}\nfrom = [0.5, 0]\nto = [0.5, 1]\n"

    def test_cells_are_no_formulas(self):
        for name in self.NAMES:
            with self.subTest(name):
                self.file("s.toml", self.zones(name).encode())
                self.run_cuesta(
                    "detect", "street.y4m", "--events", "e.csv", "--scene", "s.toml", *WATCH
                )
                with open(self.at / "e.csv", newline="") as file:
                    rows = list(csv.reader(file))
                head, *rows = rows
                self.assertTrue(rows)
                for row in rows:
                    self.assertEqual(len(row), len(head))
                    for column in ("zones", "crossings"):
                        cell = row[head.index(column)]
                        self.assertIn(name, cell)
                        self.assertNotIn(cell[0], "=+-@\t\r")

    def test_names_have_no_control_codes(self):
        for name in ("a\0b", "\x1b[31m", "tab\t", "line\n", "\x7f", "\u0085", "\r"):
            with self.subTest(repr(name)):
                self.file(
                    "s.json",
                    json.dumps(
                        {"zones": [{"name": name, "polygon": [[0, 0], [1, 0], [1, 1]]}]}
                    ).encode(),
                )
                said = self.fails(
                    INPUT,
                    "detect",
                    "street.y4m",
                    "--json",
                    "-",
                    "--scene",
                    "s.json",
                    says=("zones[0]", "control code"),
                )
                self.assertNotIn("\x1b", said)
        self.file(
            "s.json",
            json.dumps({"lines": [{"name": "\x07", "from": [0, 0], "to": [1, 1]}]}).encode(),
        )
        self.fails(
            INPUT,
            "detect",
            "street.y4m",
            "--json",
            "-",
            "--scene",
            "s.json",
            says=("lines[0]", "control code"),
        )
        self.file(
            "c.json",
            json.dumps(
                {"cameras": [{"name": "a\x1bb", "input": "street.y4m", "json": "-"}]}
            ).encode(),
        )
        self.fails(INPUT, "detect", "--cameras", "c.json", says=("control codes",))

    def test_pages_are_utf8_whatever_a_file_is_called(self):
        name = b'\xff\xc3(\x1b[31m<b>&".y4m'
        with open(os.path.join(os.fsencode(self.at), name), "wb") as file:
            file.write(street())
        self.run_cuesta(
            "detect",
            os.fsdecode(name),
            "--report",
            "r.html",
            "--events",
            "e.edl",
            "--events",
            "e.ndjson",
            "--coco",
            "c.json",
            "--json",
            "o.nd",
            *WATCH,
        )
        for result in ("r.html", "e.edl", "e.ndjson", "c.json", "o.nd"):
            with self.subTest(result):
                text = (self.at / result).read_bytes().decode("utf-8")
                self.assertNotIn("\x1b", text)
        for line in (self.at / "o.nd").read_text().splitlines():
            json.loads(line)
        titles = []

        class Page(html.parser.HTMLParser):
            def handle_starttag(self, tag, _):
                if tag == "b":
                    titles.append(tag)

        Page().feed((self.at / "r.html").read_text())
        self.assertEqual(titles, [])


class Flood(LiveTest):
    """A broker that sends a client without subscriptions a packet of 256 MiB."""

    def serve(self, begin):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.sent = []

        def work():
            while True:
                try:
                    one, _ = self.listener.accept()
                except OSError:
                    return
                count = 0
                try:
                    one.recv(4096)
                    one.sendall(b"\x20\x02\x00\x00" + begin)
                    block = bytes(1 << 16)
                    while count < 1 << 28:
                        count += one.send(block)
                except OSError:
                    pass
                self.sent.append(count)
                one.close()

        self.thread = threading.Thread(target=work, daemon=True)
        self.thread.start()
        self.addCleanup(self.listener.close)

    def test_is_ended(self):
        publish = b"\x30" + b"\xff\xff\xff\x7f" + struct.pack(">H", 1) + b"a"
        unknown = b"\xf0" + b"\xff\xff\xff\x7f"
        for begin in (publish, unknown, publish[:5] + bytes(2)):
            with self.subTest(begin):
                self.serve(begin)
                address = f"mqtt://127.0.0.1:{self.listener.getsockname()[1]}/a"
                process = self.start(
                    "detect", "street.y4m", "--json", "o.nd", "--mqtt", address, *WATCH
                )
                said = process.communicate(timeout=60)[1].decode()
                _, _, used = 0, 0, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
                self.assertEqual(process.returncode, 0, said)
                if "has no MQTT" in said:
                    self.skipTest("no MQTT here")
                self.assertIn("sends what nobody subscribed to", said)
                self.assertLess(used, 200_000, "kB")
                self.listener.close()


if __name__ == "__main__":
    test_command.CUESTA = os.path.abspath(sys.argv.pop(1))
    unittest.main()

#!/usr/bin/env python3
"""cuesta detect --live over plain HTTP: who gets an answer, what the answers are, and that nobody who asks delays the detector.

test_live_view.py PATH-TO-CUESTA [unittest arguments]
"""

import os
import signal
import socket
import sys
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

sys.path.append(os.path.dirname(os.path.abspath(__file__)))

from live_view import EVENTS, RATE, LiveViewTest  # noqa: E402

import test_command  # noqa: E402
from test_command import INPUT, INTERRUPTED, OUTPUT, USAGE, read_png  # noqa: E402
from test_live import frames_of  # noqa: E402
from test_detect import FRAMES, HEIGHT, PLAIN, WIDTH, street  # noqa: E402

TOKEN = "a-token_of-20-signs.".replace(".", "X")
PATHS = ("", "state", "history", "picture/0/-1", "event/0/1", "clip/0/1")


class Guard(LiveViewTest):
    def test_only_the_page_gets_in(self):
        view = self.view("-")
        self.assertEqual(view.host, "127.0.0.1")
        self.assertGreaterEqual(len(view.token), 32)
        ours = f"http://127.0.0.1:{view.port}"
        self.assertEqual(view.ask("state", Origin=ours)[0], 200)
        self.assertEqual(view.ask("state", Host=f"localhost:{view.port}")[0], 200)
        for refused in (
            dict(token=""),
            dict(token="x" * len(view.token)),
            dict(token=view.token[:-1]),
            dict(Origin="http://example.org"),
            dict(Host=f"example.org:{view.port}"),
            dict(Host="127.0.0.1"),
            dict(Host=f"192.168.0.1:{view.port}"),
            dict(Sec_Fetch_Site="cross-site"),
        ):
            for path in PATHS:
                status, headers, said = view.ask(path, **refused)
                self.assertEqual(status, 403, f"{path} {refused}")
                self.assertNotIn(view.token.encode(), said)
                self.assertNotIn("Access-Control-Allow-Origin", headers)

    def test_odd_requests(self):
        view = self.view("-")
        for path in (
            "../../etc/passwd",
            "..%2f..%2fetc%2fpasswd",
            "clip/0/../../../etc/passwd",
            "clip/0/1/../../scene.toml",
            "clip/0/scene.toml",
            "clip/1/1",
            "clip/-1/1",
            "clip/0/99999999999999999999",
            "event/0/1",
            "event/0/",
            "event",
            "picture/7/0",
            "picture/0/1x",
            "nothing/0/0",
            "scene.toml",
            "live.html",
        ):
            status, _, body = view.ask(path)
            self.assertEqual(status, 404, path)
            self.assertNotIn(b"polygon", body)
        self.assertEqual(view.ask("state", method="POST")[0], 405)
        self.assertEqual(view.ask("picture/0/-1")[0], 204, "no frame came yet")
        self.assertNotIn("age", view.json())

    def test_the_page_is_one_file_and_may_load_nothing_else(self):
        view = self.view("-")
        pages = [view.ask("") for _ in range(2)]
        policies = {headers["Content-Security-Policy"] for _, headers, _ in pages}
        self.assertEqual(len(policies), 2, "a number is used for one answer")
        for status, headers, body in pages:
            self.assertEqual((status, headers["X-Content-Type-Options"]), (200, "nosniff"))
            policy = headers["Content-Security-Policy"]
            self.assertIn("default-src 'none'", policy)
            self.assertNotIn("unsafe", policy)
            self.assertNotIn("script-src 'self'", policy)
            number = policy.split("'nonce-")[1].split("'")[0].encode()
            self.assertEqual(body.count(b'nonce="' + number + b'"'), 2)
            text = body.replace(b"http://www.w3.org/2000/svg", b"")  # a name, not an address
            for outside in (b"http://", b"https://", b"url(", b'<link rel="style', b'src="'):
                self.assertNotIn(outside, text)

    def test_a_token_of_ones_own(self):
        self.file("token", TOKEN.encode() + b"\n").chmod(0o600)
        view = self.view("-", "--live-token", "token", token=TOKEN)
        self.assertEqual(view.ask("state")[0], 200)
        self.assertEqual(view.ask("state", token=TOKEN[:-1] + "Y")[0], 403)
        view.process.stdin.close()
        _, _, said = view.end()
        self.assertNotIn(TOKEN, said)
        self.assertNotIn("other users", said)
        (self.at / "token").chmod(0o644)
        view = self.view("-", token=TOKEN, env={"CUESTA_LIVE_TOKEN": str(self.at / "token")})
        self.assertEqual(view.ask("state")[0], 200)
        view.process.stdin.close()
        self.assertIn("token: other users may read this token", view.end()[2])

    def test_other_machines(self):
        self.file("token", TOKEN.encode()).chmod(0o600)
        view = self.view("-", "--live-token", "token", live="0.0.0.0:0", token=TOKEN)
        for host in {"127.0.0.1", "127.0.0.2", *socket.gethostbyname_ex(socket.gethostname())[2]}:
            self.assertEqual(view.ask("state", host=host)[0], 200, host)
        for name, status in (
            (socket.gethostname(), 200),
            (socket.gethostname() + ".local", 200),
            ("10.1.2.3", 200),
            ("example.org", 403),
            ("10.1.2.3.example.org", 403),
        ):
            found = view.ask("state", host="127.0.0.1", Host=f"{name}:{view.port}")[0]
            self.assertEqual(found, status, name)
        self.assertEqual(view.ask("state", host="127.0.0.1", token="x" * 20)[0], 403)

    def test_what_is_refused(self):
        self.file("street.y4m", street())
        self.file("token", TOKEN.encode())
        self.file("short", b"secret")
        self.file("cameras.toml", b'[[cameras]]\ninput = "street.y4m"\nlive = ":0"\n')
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            for code, words, says in (
                (USAGE, ("--live", "0.0.0.0:0"), ("0.0.0.0:0", "--live-token")),
                (USAGE, ("--live", "[::]:0"), ("[::]:0", "--live-token")),
                (USAGE, ("--live", "10.1.2.3:80"), ("10.1.2.3:80", "no token")),
                (USAGE, ("--live", "8080"), ("8080", ":PORT")),
                (USAGE, ("--live", ":99999"), (":99999", ":PORT")),
                (USAGE, ("--live", "camera.example:80"), ("camera.example:80", "in numbers")),
                (USAGE, ("--live", "::1:80"), ("::1:80", ":PORT")),
                (USAGE, ("--json", "-", "--live-token", "token"), ("--live-token", "--live :8080")),
                (INPUT, ("--live", ":0", "--live-token", "short"), ("short", "16 to 128")),
                (INPUT, ("--live", ":0", "--live-token", "none"), ("none",)),
                (OUTPUT, ("--live", f":{port}"), (f":{port}", "in use")),
                (USAGE, ("--live", ":0", "--sandbox"), ("--live :0", "--sandbox")),
            ):
                with self.subTest(words):
                    self.fails(code, "detect", "street.y4m", *words, says=says)
        self.fails(INPUT, "detect", "--cameras", "cameras.toml", says=("whole run",))


class Answers(LiveViewTest):
    def test_state_and_picture(self):
        view = self.view("-", "--scene", "scene.toml", "--min-hits", 1)
        head, *frames = street(chroma=b"420jpeg").split(b"FRAME\n")
        view.process.stdin.write(head + b"".join(b"FRAME\n" + frame for frame in frames))
        view.process.stdin.flush()
        self.until(lambda: view.json().get("frame") == FRAMES - 1, "the last frame")
        state = view.json()
        self.assertEqual((state["name"], state["width"], state["height"]), ("-", WIDTH, HEIGHT))
        self.assertEqual((state["objects"], state["event"], state["ended"]), (1, 1, False))
        zones = {zone["name"]: zone for zone in state["zones"]}
        self.assertEqual(
            {name: (zone["occupied"], zone["motion"]) for name, zone in zones.items()},
            {"all": (True, True), "corner": (False, False)},
        )
        self.assertEqual(zones["corner"]["polygon"][0], [0.9, 0])
        status, headers, jpeg = self.newest(view, b"FRAME\n" + frames[-1])
        self.assertEqual((status, headers["Content-Type"]), (200, "image/jpeg"))
        self.assertEqual(view.ask("picture/0/-1")[2], jpeg)
        self.assertEqual(view.ask(f"picture/0/{headers['Cuesta-Frame']}")[0], 204, "none is newer")
        self.check_box(jpeg)

    def newest(self, view, frame):
        """Pictures are of frames that come when somebody has asked."""
        view.ask("picture/0/-1")
        for _ in range(3):
            time.sleep(0.15)
            view.process.stdin.write(frame)
            view.process.stdin.flush()
        self.until(lambda: view.json()["frame"] == FRAMES + 2, "more frames")
        answer = view.ask("picture/0/-1")
        self.assertGreaterEqual(int(answer[1]["Cuesta-Frame"]), FRAMES)
        return answer

    def check_box(self, jpeg):
        """The square of the last frame is framed in green, outside of it."""
        self.file("p.jpg", jpeg)
        self.run_cuesta("filter", "p.jpg", "-o", "p.png", "--kernel", "average:1")
        width, height, channels, _, samples = read_png((self.at / "p.png").read_bytes())
        self.assertEqual((width, height, channels), (WIDTH, HEIGHT, 3))
        x, y = 8 + 8 * (FRAMES - 1), 12 + 4 * (FRAMES - 1)
        above = [samples[3 * (row * width + x + 20) :][:3] for row in range(y - 10, y)]
        self.assertTrue(any(g > 150 and r < 120 and b < 150 for r, g, b in above), above)
        self.assertLess(abs(samples[3 * ((y + 10) * width + x + 20)] - 200), 20)

    def test_events_clips_and_history(self):
        view = self.view(self.camera(), "--scene", "scene.toml", "--clips", "cut", *EVENTS)
        self.until(lambda: len(view.json()["events"]) > 2, "two events and more")
        newest, *_, first = view.json()["events"]
        self.assertGreater(newest["id"], first["id"])
        self.assertEqual((first["id"], first["state"], first["zones"]), (1, "ended", ["all"]))
        self.assertEqual(first["crossings"][0]["to"], "out")
        self.assertTrue(first["picture"] and first["clip_file"])
        self.assertRegex(first["start_clock"], r"^\d{4}-\d\d-\d\dT")
        pictures = [view.ask("event/0/1") for _ in range(2)]
        self.assertEqual(pictures[0][2][:3], b"\xff\xd8\xff")
        self.assertEqual(pictures[0][2], pictures[1][2])
        clip = view.ask("clip/0/1")
        self.assertEqual((clip[0], clip[1]["Content-Type"]), (200, "video/mp4"))
        self.assertEqual(clip[2][4:8], b"ftyp", "browsers play MP4; the clip is Matroska")
        status, headers, part = view.ask("clip/0/1", Range="bytes=100-299")
        self.assertEqual((status, part), (206, clip[2][100:300]))
        self.assertEqual(headers["Content-Range"], f"bytes 100-299/{len(clip[2])}")
        self.file("c.mp4", clip[2])
        files = [f"cut/{first['clip_file']}", "c.mp4"]
        self.assertEqual(*[self.frames_in_video(name, *PLAIN) for name in files])
        history = view.json("history")
        (hour,) = [one for one in history["hours"] if one["ago"] == 0]
        self.assertGreaterEqual(hour["events"], 2)
        self.assertGreater(hour["seconds"], 0.3)
        self.assertEqual(history["day"], newest["start_clock"][:10])
        self.assertGreater(history["minutes"][history["minute"]], 1)
        self.assertEqual(len(history["minutes"]), 24 * 60)

    def test_several_cameras(self):
        self.file("a.y4m", street())
        camera = self.camera()
        view = self.view("a.y4m", camera, "--min-hits", 1)
        self.until(lambda: view.json().get("ended"), "the file's end")
        self.until(lambda: view.json(camera=1).get("frame", 0) > FRAMES, "frames of the camera")
        self.assertEqual((view.json()["name"], view.json()["frame"]), ("a", FRAMES - 1))
        self.assertEqual(view.json(camera=1)["ended"], False)
        self.assertEqual(view.json("history")["day"], "0", "a file without a clock")
        for index in range(2):
            self.assertEqual(view.ask(f"picture/{index}/-1")[0], 200)

    def test_what_is_painted_out_is_not_shown(self):
        black = bytes(WIDTH * HEIGHT // 2) + bytes([255]) * (WIDTH * HEIGHT // 2)
        self.file("private.png", test_command.png(WIDTH, HEIGHT, black))
        view = self.view("-", "--mask-privacy", "private.png")
        data = street(chroma=b"420jpeg")
        view.process.stdin.write(data)
        view.process.stdin.flush()
        self.until(lambda: view.json().get("frame") == FRAMES - 1, "the last frame")
        self.file("p.jpg", self.newest(view, data[data.rindex(b"FRAME\n") :])[2])
        self.run_cuesta("filter", "p.jpg", "-o", "p.png", "--kernel", "average:1")
        samples = read_png((self.at / "p.png").read_bytes())[4]
        above = samples[: 3 * WIDTH * (HEIGHT // 2 - 30)]  # a box and its number reach there
        self.assertLess(max(above), 30)


class Clients(LiveViewTest):
    def test_slow_and_dead_ones_delay_nobody(self):
        view = self.view(self.camera(), "--json", "o.nd", *EVENTS)
        self.until(lambda: view.json().get("frame", 0) > 0, "frames")
        asked = f"GET /{view.token}/picture/0/-1 HTTP/1.1\r\nHost: 127.0.0.1:{view.port}\r\n\r\n"
        sockets = []
        try:
            for k in range(200):
                one = socket.create_connection(("127.0.0.1", view.port), timeout=60)
                sockets.append(one)
                # Some ask and never read, some never end their request, some say nothing.
                one.sendall((asked * 50).encode() if k % 3 == 0 else b"GET /" * (k % 3 - 1))
            before, begin = self.lines_in("o.nd"), time.monotonic()
            time.sleep(3)
            rate = (self.lines_in("o.nd") - before) / (time.monotonic() - begin)
            self.assertGreater(rate, 0.8 * RATE)
            files = os.listdir(f"/proc/{view.process.pid}/fd")
            self.assertLess(len(files), 64 + 40, "connections have a bound")
            code, seconds, said = view.end(signal.SIGINT)
            self.assertEqual(code, INTERRUPTED, said)
            self.assertLess(seconds, 5)
        finally:
            for one in sockets:
                one.close()

    def test_many_at_once(self):
        view = self.view(self.camera(), *EVENTS)
        self.until(lambda: view.json().get("frame", 0) > 0, "frames")

        def look(k):
            after, seen = -1, 0
            end = time.monotonic() + 3
            while time.monotonic() < end:
                status, headers, body = view.ask(f"picture/0/{after}")
                if status == 200:
                    self.assertEqual(body[:3] + body[-2:], b"\xff\xd8\xff\xff\xd9")
                    self.assertGreater(int(headers["Cuesta-Frame"]), after)
                    after, seen = int(headers["Cuesta-Frame"]), seen + 1
            return seen

        with ThreadPoolExecutor(20) as pool:
            seen = list(pool.map(look, range(20)))
        self.assertGreater(min(seen), 5)
        self.assertLess(max(seen), 3 * 10 + 4, "ten in a second")

    def test_results_are_the_same_and_the_page_ends_with_them(self):
        self.file("street.y4m", street())
        plain = self.run_cuesta("detect", "street.y4m", "--json", "-", *PLAIN, "--track").stdout
        done = self.run_cuesta("detect", "street.y4m", "--json", "-", *PLAIN, "--live", ":0")
        self.assertEqual(done.stdout, plain)
        self.run_cuesta("detect", "street.y4m", *PLAIN, "--live", "[::1]:0")
        self.assertEqual(len(frames_of(plain)), FRAMES)


if __name__ == "__main__":
    test_command.CUESTA = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)

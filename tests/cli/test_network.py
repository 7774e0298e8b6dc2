#!/usr/bin/env python3
"""cuesta detect on addresses: what is served on the loopback, what breaks off and comes back.

test_network.py PATH-TO-CUESTA [unittest arguments]
"""

import json
import os
import signal
import socket
import sys
import time
import unittest

import servers
import test_command
from test_command import INPUT, y4m
from test_detect import FRAMES, HEIGHT, PLAIN, WIDTH, luma, street
from test_live import LiveTest, frames_of, long_street


class NetworkTest(LiveTest):
    def setUp(self):
        super().setUp()
        self.needs_video()

    def video_bytes(self, name, data=None):
        """The street as a file of this kind, no picture out of order."""
        self.run_cuesta(
            "filter",
            "-",
            "-o",
            name,
            "--kernel",
            "average:1",
            "--threads",
            1,
            stdin=data or street(chroma=b"420jpeg"),
        )
        return (self.at / name).read_bytes()

    def units(self, width=WIDTH, height=HEIGHT):
        """Access units of the street; the first is a key picture with its parameters."""
        data = None
        if (width, height) != (WIDTH, HEIGHT):
            planes = [
                luma((8 + 2 * k, 12), width, height) + bytes([128]) * (width * height // 2)
                for k in range(FRAMES)
            ]
            data = y4m(width, height, planes, b"420jpeg")
        units = servers.access_units(self.video_bytes(f"{width}.h264", data))
        self.assertEqual(len(units), FRAMES)
        return units

    def http(self, pages):
        server = servers.Http(pages)
        self.addCleanup(server.close)
        return server

    def rtsp(self, plan, **options):
        server = servers.Rtsp(plan, **options)
        self.addCleanup(server.close)
        return server

    def lines(self, name):
        return [json.loads(line) for line in (self.at / name).read_text().splitlines()]


class Http(NetworkTest):
    def test_files(self):
        names = ("a.mp4", "a.mkv", "a.ts")
        server = self.http(
            {name: self.video_bytes(name) for name in names}
            | {"back.mp4": self.mp4("back.mp4").read_bytes(), "a.y4m": street()}
        )
        for name in (*names, "back.mp4", "a.y4m"):
            with self.subTest(name):
                done = self.run_cuesta("detect", server.address(name), "--json", "-", *PLAIN)
                self.assertEqual(
                    [line["frame"] for line in frames_of(done.stdout)], list(range(FRAMES))
                )
                self.assert_follows_the_square(frames_of(done.stdout), 0.4)
                self.assertEqual(
                    json.loads(done.stdout.splitlines()[0])["source"], server.address(name)
                )

    def test_a_playlist(self):
        segment = self.video_bytes("a.ts")
        head = b"#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:0\n"
        one = b"#EXTINF:0.4,\na.ts\n"
        parts = [head + one, b"#EXT-X-DISCONTINUITY\n" + one, b"#EXT-X-ENDLIST\n"]
        server = self.http({"whole.m3u8": b"".join(parts), "a.ts": segment})
        done = self.run_cuesta("detect", server.address("whole.m3u8"), "--json", "-")
        frames = frames_of(done.stdout)
        self.assertEqual([line["frame"] for line in frames], list(range(2 * FRAMES)))
        times = [line["time"] for line in frames]
        self.assertEqual(times, sorted(set(times)), "times go back at a discontinuity")

    def test_a_playlist_that_grows(self):
        segment = self.video_bytes("a.ts")
        head = b"#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:0\n"
        one = b"#EXT-X-DISCONTINUITY\n#EXTINF:0.4,\na.ts?%d\n"
        pages = {f"a.ts?{k}": segment for k in range(4)}

        def playlist(out, asked):
            shown = min(4, 2 + asked // 2)
            out.write(
                head
                + b"".join(one % k for k in range(shown))
                + (b"#EXT-X-ENDLIST\n" if asked > 6 else b"")
            )

        server = self.http(pages | {"live.m3u8": playlist})
        process = self.start(
            "detect", server.address("live.m3u8"), "--json", "o.nd", "--reconnect", 0
        )
        process.wait(timeout=60)
        self.assertGreaterEqual(len(frames_of((self.at / "o.nd").read_text())), 3 * FRAMES)

    def test_a_stream_that_breaks_off(self):
        clip = self.video_bytes("a.ts")
        ends = []

        def stream(out, asked):
            out.write(clip)
            while asked > 2 and not ends:
                time.sleep(0.2)
                out.write(clip)

        server = self.http({"live.ts": stream})
        self.addCleanup(ends.append, True)
        process = self.start("detect", server.address("live.ts"), "--json", "o.nd", "-o", "o.mkv")
        self.until(
            lambda: server.asked.get("live.ts", 0) >= 3 and self.lines_in("o.nd") >= 2 * FRAMES + 3,
            "it does not come back",
        )
        said = self.interrupt(process)
        lines = self.lines("o.nd")
        gaps = [line["gap"] for line in lines if "gap" in line]
        self.assertEqual(len(gaps), 2, said)
        self.assertIn("lost after", said)
        self.assertIn("back after", said)
        frames = [line["frame"] for line in lines if "frame" in line]
        self.assertEqual(frames, list(range(len(frames))))


class Rtsp(NetworkTest):
    def test_only_what_fell_in_the_gap_is_lost(self):
        units = self.units()
        plan = lambda n: units * 3 if n < 2 else units * 3 + [30]
        server = self.rtsp(plan)
        process = self.start(
            "detect",
            server.address("guard:secret@"),
            "--json",
            "o.nd",
            "-o",
            "o.mp4",
            "--timeout",
            5,
        )
        self.until(lambda: self.lines_in("o.nd") >= 1 + 2 + 8 * FRAMES, "it does not come back")
        said = self.interrupt(process)
        text = (self.at / "o.nd").read_text()
        self.assertNotIn("secret", said + text)
        self.assertIn("guard:***@", text)
        lines = self.lines("o.nd")[1:]
        parts, gaps = [[]], []
        for line in lines:
            if "gap" in line:
                gaps.append(line["gap"])
                parts.append([])
            else:
                parts[-1].append(line)
        self.assertEqual(len(gaps), 2, said)
        # Whole as sent, but for the connection that was interrupted.
        self.assertEqual([len(part) for part in parts[:2]], server.sent[:2])
        everything = [line for part in parts for line in part]
        self.assertEqual([line["frame"] for line in everything], list(range(len(everything))))
        times = [line["time"] for line in everything]
        self.assertEqual(times, sorted(set(times)))
        for gap, before, after in zip(gaps, parts, parts[1:]):
            self.assertGreaterEqual(gap["attempts"], 1)
            self.assertTrue(
                before[-1]["time"] < gap["begin"] <= gap["end"] == after[0]["time"], gap
            )
            self.assertGreater(gap["end"] - gap["begin"], 0.3, "the time away is in the times")
            self.assertTrue(gap["reason"])
        self.assertEqual(self.frames_in_video("o.mp4"), len(everything))
        self.assertIn(f"interrupted after {len(everything)} frames; kept: o.mp4", said)

    def test_a_stall_is_a_loss(self):
        units = self.units()
        server = self.rtsp(lambda n: units * 2 + [3 if n == 0 else 30])
        process = self.start("detect", server.address(), "--json", "o.nd", "--timeout", 1)
        self.until(lambda: self.lines_in("o.nd") >= 1 + 1 + 3 * FRAMES, "it does not come back")
        said = self.interrupt(process)
        self.assertIn("nothing came for 1 s", said)
        gaps = [line["gap"] for line in self.lines("o.nd") if "gap" in line]
        self.assertIn("nothing came for 1 s", gaps[0]["reason"])

    def test_one_that_does_not_come_back(self):
        units = self.units()
        server = self.rtsp(lambda n: units, most=1)
        process = self.start(
            "detect", server.address(), "--json", "o.nd", "-o", "o.mkv", "--reconnect", 1
        )
        said = process.communicate(timeout=60)[1].decode()
        self.assertEqual(process.returncode, INPUT, said)
        self.assertEqual(server.sent, [FRAMES])
        self.assertIn("not restored within 1 s", said)
        self.assertIn(f"ended after {FRAMES} frames; kept: o.mkv", said)
        lines = self.lines("o.nd")
        self.assertIsNone(lines[-1]["gap"]["end"])
        self.assertIn("refused", lines[-1]["gap"]["error"])
        self.assertIn("not found: cannot be opened: Connection refused", said)
        self.assertEqual(self.frames_in_video("o.mkv"), FRAMES)

    def test_another_size(self):
        plans = [self.units(), self.units(96, 64)]
        server = self.rtsp(lambda n: plans[min(n, 1)] * 2)
        process = self.start("detect", server.address(), "--json", "o.nd", "-o", "o.mkv")
        said = process.communicate(timeout=60)[1].decode()
        self.assertEqual(process.returncode, INPUT, said)
        self.assertIn("96x64 instead of 160x120", said)
        self.assertEqual(self.frames_in_video("o.mkv"), 2 * FRAMES)
        # In the middle of a connection.
        server = self.rtsp(lambda n: plans[0] * 2 + plans[1] * 2)
        process = self.start("detect", server.address(), "--json", "o.nd", "-o", "o.mkv")
        said = process.communicate(timeout=60)[1].decode()
        self.assertEqual(process.returncode, INPUT, said)
        self.assertIn("the frame size changes from 160x120 to 96x64", said)
        self.assertEqual(self.frames_in_video("o.mkv"), 2 * FRAMES)

    def test_a_broken_frame(self):
        units = self.units()
        broken = [list(unit) for unit in units * 3]
        # One in forty of random data is a slice like any other; of ones none is.
        broken[16] = [nal[:5] + b"\xff" * max(len(nal) - 5, 8) for nal in broken[16]]
        server = self.rtsp(lambda n: broken + [30])
        process = self.start("detect", server.address(), "--json", "o.nd")
        self.until(lambda: self.lines_in("o.nd") >= 3 * FRAMES - 4, "it does not go on")
        said = self.interrupt(process)
        self.assertIn("going on", said)
        frames = frames_of((self.at / "o.nd").read_text())
        self.assertFalse(any("gap" in line for line in self.lines("o.nd")))
        self.assertEqual([line["frame"] for line in frames], list(range(len(frames))))


class Absent(NetworkTest):
    """Cameras that are not there when the run begins, and those that come and go."""

    def first_line(self, process):
        line = process.stderr.readline().decode()
        self.assertIn("waiting for it", line)
        return line

    def test_a_server_that_is_not_there_yet(self):
        units, clip = self.units(), self.video_bytes("a.ts")
        for kind in ("rtsp", "http"):
            with self.subTest(kind):
                port = servers.free_port()
                process = self.start(
                    "detect", f"{kind}://127.0.0.1:{port}/street", "--json", "o.nd"
                )
                self.assertIn("Connection refused", self.first_line(process))
                self.assertFalse((self.at / "o.nd").exists())
                if kind == "rtsp":
                    self.rtsp(lambda n: units * 3 + [30], port=port)
                else:
                    server = servers.Http({"street": clip}, port)
                    self.addCleanup(server.close)
                self.until(lambda: self.lines_in("o.nd") >= FRAMES + 1, "it is not found")
                said = process.communicate(timeout=60)[1] if kind == "http" else None
                said = said.decode() if said else self.interrupt(process)
                self.assertIn("there after", said)
                self.assertFalse(any("gap" in line for line in self.lines("o.nd")))
                os.unlink(self.at / "o.nd")

    def test_waiting_ends(self):
        port = servers.free_port()
        for address in (f"rtsp://127.0.0.1:{port}/1", "/dev/video99"):
            reason = "No such file" if address.startswith("/") else "Connection refused"
            for limit, says in ((0, "cannot be opened"), (0.6, "not there within 0.6 s")):
                if address.startswith("/") and limit == 0:
                    says = ""
                with self.subTest((address, limit)):
                    self.fails(
                        INPUT,
                        "detect",
                        address,
                        "--json",
                        "o",
                        "--reconnect",
                        limit,
                        says=[says, reason],
                    )
            process = self.start("detect", address, "--json", "o.nd")
            self.first_line(process)
            self.assertIn("", self.interrupt(process))
            self.assertFalse((self.at / "o.nd").exists())

    def test_ports_that_one_can_hold(self):
        stream = self.video_bytes("long.ts", long_street(60, b"420jpeg"))
        for kind in ("udp", "rtp", "tcp"):
            with self.subTest(kind):
                port = servers.free_port(socket.SOCK_STREAM if kind == "tcp" else socket.SOCK_DGRAM)
                address = f"{kind}://127.0.0.1:{port}" + ("?listen=1" if kind == "tcp" else "")
                process = self.start("detect", address, "--json", "o.nd", "--timeout", 2)
                for visit in (1, 2):
                    before = self.lines_in("o.nd")
                    sender = servers.Sender(kind, port, stream, 2)
                    try:
                        self.until(
                            lambda wanted=before + 20: self.lines_in("o.nd") > wanted,
                            f"it is not found: {visit}",
                        )
                    finally:
                        sender.close()
                    if visit == 1:
                        time.sleep(3)
                said = self.interrupt(process)
                self.assertNotIn("in use", said)
                self.assertIn("back after", said)
                gaps = [line["gap"] for line in self.lines("o.nd") if "gap" in line]
                self.assertGreaterEqual(len([gap for gap in gaps if gap["end"]]), 1, said)
                os.unlink(self.at / "o.nd")

    def test_a_fragment_is_not_the_whole(self):
        # Results of a pipe are fragments; their lengths say nothing of the stream's.
        self.run_cuesta("detect", "-", "-o", "live.mp4", stdin=long_street(90, b"420jpeg"))
        clip = (self.at / "live.mp4").read_bytes()
        server = self.http({"live.mp4": lambda out, asked: out.write(clip)})
        process = self.start("detect", server.address("live.mp4"), "--json", "o.nd")

        def gaps():
            lines = (self.at / "o.nd").read_bytes() if (self.at / "o.nd").exists() else b""
            return sum(b'"gap"' in line for line in lines.split(b"\n"))

        self.until(lambda: gaps() >= 2, "it is not sought again")
        self.assertIn("back after", self.interrupt(process))
        self.assertGreaterEqual(sum("gap" in line for line in self.lines("o.nd")), 2)


class Refusals(NetworkTest):
    def test_what_cannot_be_opened(self):
        free = socket.create_server(("127.0.0.1", 0))
        silent = free.getsockname()[1]  # takes connections, says nothing
        self.addCleanup(free.close)
        with socket.create_server(("127.0.0.1", 0)) as closed:
            port = closed.getsockname()[1]
        server = self.http(
            {
                "text": b"no video\n" * 50,
                "empty": b"",
                "photo.png": self.photo.read_bytes(),
                "list.m3u8": b"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n",
            }
        )
        cases = {
            f"rtsp://127.0.0.1:{port}/1": "refused",
            f"rtsp://me:word@127.0.0.1:{port}/1": "me:***@",
            f"http://127.0.0.1:{port}/1.mp4": "refused",
            f"http://127.0.0.1:{silent}/1.mp4": "nothing came for 0.5 s",
            f"rtsp://127.0.0.1:{silent}/1": "nothing came for 0.5 s",
            server.address("missing.mp4"): "404",
            server.address("text"): server.address("text"),
            server.address("empty"): server.address("empty"),
            server.address("photo.png"): "picture",
            server.address("list.m3u8"): "list.m3u8",
            "ftp://127.0.0.1/1.mp4": "rtsp, rtsps, http",
            "/dev/video99": "No such file",
            "/dev/null": "/dev/null",
        }
        may_come = ("refused", "0.5 s", "404", "No such file", "***@", "/empty")
        for address, says in cases.items():
            with self.subTest(address):
                limit = ("--timeout", 0.5) if says.endswith("0.5 s") else ()
                if says.endswith(may_come):
                    limit += ("--reconnect", 0)
                message = self.fails(
                    INPUT, "detect", address, "--json", "o", "-o", "o.mkv", *limit, says=[says]
                )
                self.assertNotIn(":word@", message)
                self.assertFalse((self.at / "o").exists())
                self.assertFalse((self.at / "o.mkv").exists())

    def test_an_interrupt_while_it_is_opened(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            process = self.start(
                "detect",
                f"rtsp://127.0.0.1:{silent.getsockname()[1]}/1",
                "--json",
                "o.nd",
                "--timeout",
                60,
            )
            silent.settimeout(60)
            asking, _ = silent.accept()
            self.addCleanup(asking.close)
            self.assertEqual(self.interrupt(process, signal.SIGTERM), "")

    def test_other_verbs(self):
        server = self.http({"a.ts": self.video_bytes("a.ts")})
        self.run_cuesta("edges", server.address("a.ts"), "-o", "e.mkv")
        self.assertEqual(self.frames_in_video("e.mkv"), FRAMES)


if __name__ == "__main__":
    test_command.CUESTA = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)

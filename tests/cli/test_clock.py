#!/usr/bin/env python3
"""cuesta detect and the time of day: of files, of cameras, and as it is given.

test_clock.py PATH-TO-CUESTA [unittest arguments]
"""

import csv
import datetime
import json
import os
import re
import socket
import subprocess
import sys
import unittest

import servers
import test_command
from test_command import USAGE
from test_detect import FRAMES, PLAIN, street
from test_live import long_street
from test_network import NetworkTest

ZONE = {"TZ": "CET-1CEST,M3.5.0,M10.5.0/3"}  # as in Berlin, without its file
MADE = "2026-03-29T00:59:59Z"  # a second before its summer begins
MINUTE = datetime.timedelta(minutes=1)
utc = lambda text: datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


class ClockTest(NetworkTest):
    def watch(self, *arguments, code=0, stdin=b"", zone=None):
        """(lines of --json, stderr)."""
        done = subprocess.run(
            [test_command.CUESTA, "detect", *map(str, arguments), "--json", "-", *PLAIN],
            input=stdin,
            capture_output=True,
            timeout=300,
            cwd=self.at,
            env=os.environ | (zone or ZONE),
        )
        self.assertEqual(done.returncode, code, done.stderr)
        return list(map(json.loads, done.stdout.splitlines())), done.stderr.decode()

    def rows(self, name):
        with open(self.at / name) as file:
            return list(csv.DictReader(file))

    def dated(self, name="street.mp4", made=MADE):
        """The street as a file that says when it was made: as FFmpeg writes mvhd and DateUTC."""
        seconds = int(utc(made).timestamp())
        data = bytearray(self.video_bytes(name, long_street(60, chroma=b"420jpeg")))
        for box, since in ((b"mvhd", 2082844800), (b"tkhd", 2082844800), (b"mdhd", 2082844800)):
            for found in re.finditer(box, bytes(data)):
                version = data[found.end()]
                width = 8 if version == 1 else 4
                data[found.end() + 4 : found.end() + 4 + width] = (seconds + since).to_bytes(
                    width, "big"
                )
        (self.at / name).write_bytes(data)
        return name

    def clocks(self, lines):
        return [utc(line["clock"]) for line in lines if line["kind"] == "frame"]


class Files(ClockTest):
    def test_a_file_says_when_it_was_made(self):
        lines, _ = self.watch(self.dated())
        self.assertEqual(lines[0]["clock"], "2026-03-29T01:59:59.000+01:00")
        self.assertEqual(lines[0]["clock_source"], "file")
        frames = [line for line in lines if line["kind"] == "frame"]
        begins = utc(lines[0]["clock"])
        for line in frames:
            since = (utc(line["clock"]) - begins).total_seconds()
            self.assertAlmostEqual(since, line["time"], delta=0.0006)
        # Summer time begins a second later: the clock on the wall continues, and only its zone jumps.
        for line in frames:
            zone = "+01:00" if line["time"] < 0.9995 else "+02:00"
            self.assertTrue(line["clock"].endswith(zone), line)

    def test_joined_files_have_their_own(self):
        # A second file that FFmpeg split off has the time of the whole; the third is later.
        names = [self.dated(f"{k}.mp4") for k in range(2)]
        names.append(self.dated("2.mp4", "2026-03-29T01:07:00Z"))
        lines, said = self.watch(*names, "--join-inputs")
        frames = [line for line in lines if line["kind"] == "frame"]
        self.assertEqual(len(frames), 180)
        for line, at in zip(frames, self.clocks(lines)):
            seconds = line["time"] if line["frame"] < 120 else line["time"] - 4
            begin = utc(MADE if line["frame"] < 120 else "2026-03-29T01:07:00Z")
            self.assertAlmostEqual((at - begin).total_seconds(), seconds, delta=0.002)
        self.assertEqual([line["kind"] for line in lines].count("clock"), 1)
        self.assertEqual(said.count("the clock jumps"), 1)
        part, _ = self.watch(*names, "--join-inputs", "--from", 3, "--every", 5)
        self.assertEqual(self.clocks(part), self.clocks(lines)[90::5])

    def test_begins_is_obeyed_and_keeps_its_zone(self):
        self.file("a.y4m", street())
        for text, first in (
            ("2026-11-25T06:00", "2026-11-25T06:00:00.000+01:00"),
            ("2026-07-25 06:00", "2026-07-25T06:00:00.000+02:00"),
            ("2026-11-25T06:00:30.25-03:30", "2026-11-25T06:00:30.250-03:30"),
            ("2026-11-25T06:00Z", "2026-11-25T06:00:00.000+00:00"),
            ("1970-01-01T00:00Z", "1970-01-01T00:00:00.000+00:00"),
        ):
            for video, data in (("a.y4m", b""), ("-", street()), (self.dated(), b"")):
                with self.subTest(text, video=video):
                    lines, _ = self.watch(video, "--begins", text, stdin=data)
                    self.assertEqual(lines[0]["clock"], first)
                    self.assertEqual(lines[0]["clock_source"], "begins")
                    last = [line for line in lines if line["kind"] == "frame"][-1]
                    since = (utc(last["clock"]) - utc(first)).total_seconds()
                    self.assertAlmostEqual(since, last["time"], delta=0.0006)
        lines, _ = self.watch("a.y4m", "--begins", "now")
        away = datetime.datetime.now(datetime.timezone.utc) - utc(lines[0]["clock"])
        self.assertLess(abs(away), MINUTE)

    def test_without_a_clock_there_are_no_times_of_day(self):
        self.file("a.y4m", street())
        for video, data in (("a.y4m", b""), ("-", street())):
            lines, _ = self.watch(video, "--events", "e.csv", stdin=data)
            self.assertNotIn("clock", json.dumps(lines))
            (row,) = self.rows("e.csv")
            self.assertEqual((row["start_clock"], row["end_clock"]), ("", ""))

    def test_every_result_has_it(self):
        name = self.dated()
        self.file(
            "line.toml",
            b'[[lines]]\nname = "gate"\nfrom = [0.5, 0.0]\nto = [0.5, 1.0]\n',
        )
        results = ("--events", "e.csv", "--events", "e.ndjson", "--objects", "o.csv", "--counts")
        results = (*results, "c.csv", "--report", "r.html", "--clips", "clips", "--min-hits", 1)
        hook = ("--on-event", "sh -c 'cat >> hook'")
        lines, _ = self.watch(name, *results, *hook, "--scene", "line.toml")
        (event,) = (
            line["event"]
            for line in lines
            if line["kind"] == "event" and line["event"]["state"] == "ended"
        )
        clock_of = {line["time"]: line["clock"] for line in lines if line["kind"] == "frame"}
        self.assertEqual(event["start_clock"], clock_of[event["start"]])
        self.assertEqual(event["end_clock"], clock_of[event["end"]])
        self.assertEqual(event["best"]["clock"], clock_of[event["best"]["time"]])
        for one in event["objects"]:
            self.assertEqual(one["start_clock"], clock_of[one["start"]])
            self.assertEqual(one["end_clock"], clock_of[one["end"]])
        crossings = [line["crossing"] for line in lines if line["kind"] == "crossing"]
        self.assertTrue(crossings)
        for crossing in crossings:
            self.assertEqual(crossing["clock"], clock_of[crossing["time"]])
        (row,) = self.rows("e.csv")
        self.assertEqual(row["start_clock"], event["start_clock"])
        self.assertEqual(row["end_clock"], event["end_clock"])
        self.assertEqual(json.loads((self.at / "e.ndjson").read_text())["event"], event)
        for row in self.rows("o.csv"):
            self.assertEqual(
                row["clock"], clock_of[min(clock_of, key=lambda t: abs(t - float(row["time"])))]
            )
        counts = self.rows("c.csv")
        self.assertEqual({row["day"] for row in counts}, {"2026-03-29"})
        self.assertEqual([row["hour"] for row in counts], ["1", "1", "3", "3"])
        self.assertEqual(sum(int(row["count"]) for row in counts), len(crossings))
        told = [line["event"] for line in self.lines("hook")]
        self.assertEqual(told[-1], event)
        (clip,) = os.listdir(self.at / "clips")
        self.assertRegex(clip, r"^event-0001-20260329T01595\d\+0100\.mp4$")
        page = (self.at / "r.html").read_text()
        self.assertIn(f'<time datetime="{event["start_clock"]}">', page)
        self.assertIn("2026-03-29T01:59:59+01:00</time>", page)

    def test_a_stamp_is_in_the_picture(self):
        self.file("a.y4m", street(chroma=b"420jpeg"))
        self.watch("a.y4m", "-o", "plain.y4m")
        self.watch("a.y4m", "-o", "stamped.y4m", "--stamp", "--begins", "2026-11-25T06:00:08")
        plain, stamped = ((self.at / name).read_bytes() for name in ("plain.y4m", "stamped.y4m"))
        self.assertEqual(len(plain), len(stamped))
        self.assertTrue(plain != stamped)
        self.watch("a.y4m", "-o", "other.y4m", "--stamp", "--begins", "2026-11-25T06:00:09")
        self.assertTrue((self.at / "other.y4m").read_bytes() != stamped)

    def test_what_cannot_be_meant(self):
        self.file("a.y4m", street())
        for text in (
            "2026-02-30T06:00",
            "2026-11-25",
            "06:00",
            "2026-11-25T24:00",
            "2026-11-25T06:60",
            "2026-11-25T06:00:60",
            "2026-11-25T06:00+1",
            "2026-11-25T06:00 CET",
            "1969-12-31T06:00",
            "yesterday",
        ):
            with self.subTest(text):
                said = self.watch("a.y4m", "--begins", text, code=USAGE)[1]
                self.assertIn(f"--begins is {text}", said)
                self.assertIn("2026-11-25T06:00", said)
        self.assertIn("name it with -o", self.watch("a.y4m", "--stamp", code=USAGE)[1])
        said = self.watch("a.y4m", "--stamp", "-o", "o.y4m", code=USAGE)[1]
        self.assertIn("set it with --begins", said)
        self.assertFalse((self.at / "o.y4m").exists())


class Live(ClockTest):
    def live(self, server, *arguments):
        done = subprocess.run(
            [test_command.CUESTA, "detect", server.address(), "--json", "o.nd", *PLAIN]
            + ["--reconnect", "0", *map(str, arguments)],
            capture_output=True,
            timeout=300,
            cwd=self.at,
            env=os.environ | ZONE,
        )
        return self.lines("o.nd"), done.stderr.decode()

    def test_sender_reports_are_the_clock(self):
        taken = utc("2026-11-25T05:00:00Z").timestamp()
        units = self.units()
        plan = [servers.Report(taken), *units]
        server = self.rtsp(lambda n: plan, rate=20)
        lines, said = self.live(server)
        self.assertEqual(lines[0]["clock_source"], "camera", said)
        frames = [line for line in lines if line["kind"] == "frame"]
        self.assertGreater(len(frames), FRAMES // 2)
        first = utc(frames[0]["clock"])
        self.assertLess(abs(first.timestamp() - taken), 0.2)
        self.assertTrue(frames[0]["clock"].endswith("+01:00"))
        for line in frames:
            since = (utc(line["clock"]) - first).total_seconds()
            self.assertAlmostEqual(since, line["time"] - frames[0]["time"], delta=0.08)

    def check_arrivals(self, lines, begun, ended):
        clocks = self.clocks(lines)
        self.assertEqual(clocks, sorted(clocks))
        # Clocks are rounded, and may drift by a millisecond.
        read = clocks[-1] - datetime.timedelta(milliseconds=2)
        self.assertTrue(begun < clocks[0] < read < ended, (begun, clocks[0], read, ended))

    def test_a_clock_that_is_set_is_reported(self):
        taken = utc("2026-11-25T05:00:00Z").timestamp()
        units = self.units()
        server = self.rtsp(
            lambda n: [servers.Report(taken), *units, servers.Report(taken + 3600), *units], rate=20
        )
        lines, said = self.live(server)
        (jump,) = (line["clock"] for line in lines if line["kind"] == "clock")
        self.assertIn("the clock jumps from 2026-11-25T06:00:", said)
        by = (utc(jump["after"]) - utc(jump["before"])).total_seconds()
        self.assertAlmostEqual(by, 3600 - len(units) / 20, delta=0.3)
        self.assertEqual(jump["source"], "camera")
        after = [c for c in self.clocks(lines) if c.timestamp() > taken + 1800]
        self.assertGreater(len(after), FRAMES // 2)

    def test_without_reports_it_is_the_arrival(self):
        begun = datetime.datetime.now(datetime.timezone.utc)
        units = self.units()
        lines, _ = self.live(self.rtsp(lambda n: units, rate=20))
        ended = datetime.datetime.now(datetime.timezone.utc)
        self.assertEqual(lines[0]["clock_source"], "arrival")
        self.check_arrivals(lines, begun, ended)
        self.assertEqual([line for line in lines if line["kind"] == "clock"], [])

    def test_reports_do_not_date_the_pictures_of_a_transport_stream(self):
        # Its times are not those of RTP: a sender report says nothing of them.
        stream = self.video_bytes("long.ts", long_street(60, b"420jpeg"))
        port = servers.free_port(socket.SOCK_DGRAM)
        process = self.start("detect", f"rtp://127.0.0.1:{port}", "--json", "o.nd")
        begun = datetime.datetime.now(datetime.timezone.utc)
        sender = servers.Sender("rtp", port, stream, 2, report=begun.timestamp() - 3600)
        try:
            self.until(lambda: self.lines_in("o.nd") > 150, "three rounds")
        finally:
            sender.close()
        said = self.interrupt(process)
        lines = self.lines("o.nd")
        self.assertEqual(lines[0]["clock_source"], "arrival", said)
        ended = datetime.datetime.now(datetime.timezone.utc)
        self.check_arrivals(lines, begun, ended)

    def test_a_gap_is_dated(self):
        units = self.units()
        server = self.rtsp(lambda n: units * 2 if n == 0 else units * 4 + [30])
        process = self.start("detect", server.address(), "--json", "o.nd", "--timeout", 5)
        self.until(lambda: self.lines_in("o.nd") >= 1 + 1 + 4 * FRAMES, "it does not come back")
        self.interrupt(process)
        lines = self.lines("o.nd")
        (gap,) = (line["gap"] for line in lines if line["kind"] == "gap")
        away = (utc(gap["end_clock"]) - utc(gap["begin_clock"])).total_seconds()
        self.assertAlmostEqual(away, gap["end"] - gap["begin"], delta=0.5)
        clocks = self.clocks(lines)
        self.assertEqual(clocks, sorted(clocks))

    def test_begins_is_refused(self):
        units = self.units()
        server = self.rtsp(lambda n: units + [5])
        said = self.watch(server.address(), "--begins", "now", code=USAGE)[1]
        self.assertIn("has a clock of its own", said)


if __name__ == "__main__":
    test_command.CUESTA = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)

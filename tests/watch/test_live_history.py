#!/usr/bin/env python3
"""cuesta detect --live-history: what the page of --live keeps over runs, and folders that one run at a time writes to.

test_live_history.py PATH-TO-CUESTA [unittest arguments]
"""

import base64
import json
import os
import shutil
import signal
import sys
import time
import unittest

sys.path.append(os.path.dirname(os.path.abspath(__file__)))

from live_view import EVENTS, LiveViewTest  # noqa: E402

import test_command  # noqa: E402
from test_command import INTERRUPTED, OUTPUT, USAGE, png, read_png  # noqa: E402
from test_detect import HEIGHT, PLAIN, WIDTH, street  # noqa: E402

KEEP = ("--scene", "scene.toml", "--live-history", "kept", "--clips", "cut", *EVENTS)


class HistoryTest(LiveViewTest):
    def journal(self):
        return self.at / "kept/live.ndjson"

    def run_until(self, count, sign=signal.SIGINT, *arguments):
        """(state, history) of a run when that many events have ended, and what was said."""
        view = self.view(self.camera(), *KEEP, *arguments)
        self.until(
            lambda: sum(e["state"] == "ended" for e in view.json().get("events", [])) >= count,
            f"{count} events",
        )
        time.sleep(1.1)  # what SIGKILL may lose
        state, history = view.json(), view.json("history")
        pictures = {e["id"]: view.ask(f"event/0/{e['id']}")[2] for e in state["events"]}
        code, _, said = view.end(sign)
        self.assertEqual(code, INTERRUPTED if sign == signal.SIGINT else -sign, said)
        return state, history, pictures, said

    def ended(self, state):
        return [event for event in state["events"] if event["state"] == "ended"]


class Survives(HistoryTest):
    def check(self, sign):
        before, hours, pictures, _ = self.run_until(2, sign)
        after, more, _, said = self.run_until(4)
        self.assertNotIn("damaged", said)
        old = {
            event["id"]: event
            for event in after["events"]
            if event["id"] <= before["events"][0]["id"]
        }
        for event in self.ended(before):
            self.assertEqual(old[event["id"]], event)
        ids = [event["id"] for event in after["events"]]
        self.assertEqual(ids, sorted(set(ids), reverse=True))
        self.assertGreater(after["events"][0]["id"], before["events"][0]["id"])
        count = [sum(hour["events"] for hour in one["hours"]) for one in (hours, more)]
        self.assertGreaterEqual(count[1], count[0] + 2)
        if hours["day"] == more["day"]:
            for one, two in zip(hours["minutes"], more["minutes"]):
                self.assertGreaterEqual(two + 0.011, one)
        return before, pictures

    def test_an_interrupt(self):
        self.check(signal.SIGINT)

    def test_a_kill(self):
        before, pictures = self.check(signal.SIGKILL)
        view = self.view(self.camera(), *KEEP)
        self.until(lambda: view.json().get("events"), "the history")
        for event in self.ended(before):
            path = f"event/0/{event['id']}"
            self.assertEqual(view.ask(path)[2][:3], b"\xff\xd8\xff")
            self.assertEqual(view.ask(path)[2], pictures[event["id"]])
            self.assertEqual(view.ask(f"clip/0/{event['id']}")[0], 200, "its clip is still there")
            os.remove(self.at / "cut" / event["clip_file"])
        view.end(signal.SIGKILL)
        view = self.view(self.camera(), *KEEP)
        self.until(lambda: view.json().get("events"), "the history")
        for event in view.json()["events"]:
            if event["id"] in pictures:
                self.assertEqual(event["clip_file"], "")

    def test_a_kill_during_an_event(self):
        view = self.view(self.camera(), *KEEP[:6], "--min-hits", 1, "--merge-window", 30)
        self.until(lambda: view.json().get("events"), "an event")
        time.sleep(2.5)
        (event,) = view.json()["events"]
        view.end(signal.SIGKILL)
        view = self.view(self.camera(), *KEEP)
        self.until(lambda: view.json().get("events"), "the history")
        kept = view.json()["events"][-1]
        self.assertEqual((kept["id"], kept["state"]), (1, "ended"))
        self.assertEqual(kept["start_clock"], event["start_clock"])
        self.assertLess(event["end"] - kept["end"], 1)
        self.assertGreater(kept["end"] - kept["start"], 1)


class Damage(HistoryTest):
    def test_half_a_line_at_the_end_is_no_damage(self):
        before, *_ = self.run_until(1)
        with open(self.journal(), "ab") as file:
            file.write(b'{"key": "event/1", "val')
        after, _, _, said = self.run_until(2)
        self.assertNotIn("set aside", said)
        self.assertEqual(after["events"][-1], before["events"][-1])
        for line in self.journal().read_text().splitlines():
            json.loads(line)

    def test_damage_is_reported_and_set_aside(self):
        before, *_ = self.run_until(1)
        whole = self.journal().read_bytes()
        lines = whole.splitlines(keepends=True)
        for number, bad in enumerate((
            b"\x00" * 50,
            b"nothing",
            b'{"key": 5, "value": 1}',
            b'{"key": "hour/1", "value": {"number": "x"}}',
            b'{"key": "minutes/1", "value": {"day": "2030-01-01", "scores": [1]}}',
            b'{"key": "event/3", "value": {"id": 3, "clip": "", "about": {"state": "ended"}}}',
            b'{"key": "picture/1", "value": {"id": 1, "jpeg": "?"}}',
            b"[" * 100000,
        )):  # fmt: skip
            with self.subTest(bad[:40]):
                damaged = b"".join([lines[0], bad, b"\n", *lines[1:]])
                self.journal().write_bytes(damaged)
                view = self.view(self.camera(), *KEEP)
                self.until(lambda: view.json().get("events"), "the history")
                self.assertEqual(view.json()["events"][-1], before["events"][-1])
                _, _, said = view.end(signal.SIGKILL)
                self.assertIn("kept/live.ndjson: line 2 is damaged (1 in all)", said)
                self.assertIn("set aside as kept/live.ndjson.damaged", said)
                aside = self.at / "kept/live.ndjson.damaged"
                self.assertEqual(aside.read_bytes(), damaged)

    def test_other_files_are_set_aside(self):
        (self.at / "kept").mkdir()
        for what in (b"a diary\n", b"\xff" * 100):
            self.journal().write_bytes(what)
            view = self.view(self.camera(), *KEEP)
            self.until(lambda: view.json().get("frame", 0) > 0, "frames")
            _, _, said = view.end(signal.SIGINT)
            self.assertIn("it is no history of --live; the file is set aside", said)
            self.assertEqual((self.at / "kept/live.ndjson.damaged").read_bytes(), what)

    def test_clips_elsewhere_are_not_served(self):
        self.run_until(1)
        secret = self.file("secret.mp4", b"secret")
        text = self.journal().read_text().replace('"clip":"', f'"clip":"{secret}')
        self.journal().write_text(text)
        view = self.view(self.camera(), *KEEP)
        self.until(lambda: view.json().get("events"), "the history")
        self.assertEqual(view.ask("clip/0/1")[0], 404)


class Privacy(HistoryTest):
    """The square passes from the upper left to the lower right; what is left of it is painted out."""

    def setUp(self):
        super().setUp()
        half = bytes(WIDTH // 2) + bytes([255]) * (WIDTH - WIDTH // 2)
        self.file("private.png", png(WIDTH, HEIGHT, half * HEIGHT))
        self.video_bytes("street.mp4", street(chroma=b"420jpeg"))
        self.dated = ("--begins", "2026-11-25T06:00", "--min-hits", 1, "--post-roll", 0.1, *PLAIN)

    def run_on_file(self, *arguments):
        more = (
            "--live",
            ":0",
            "--live-history",
            "kept",
            "--clips",
            "cut",
            "--pictures",
            "shots",
            *self.dated,
        )
        return self.run_cuesta("detect", "street.mp4", *more, *arguments)

    def kept(self):
        """Of each picture of the journal and of the folder the brightest sample of every column."""
        lines = [json.loads(line) for line in self.journal().read_text().splitlines()[1:]]
        for line in lines:
            if not line["key"].startswith("picture/"):
                continue
            yield self.brightest(base64.b64decode(line["value"]["jpeg"]))
        for path in (self.at / "shots").iterdir():
            yield self.brightest(path.read_bytes())

    def brightest(self, jpeg):
        self.file("p.jpg", jpeg)
        self.run_cuesta("filter", "p.jpg", "-o", "p.png", "--kernel", "average:1")
        width, height, channels, _, samples = read_png((self.at / "p.png").read_bytes())
        row = width * channels
        return [max(max(samples[y * row + x * channels :][:channels]) for y in range(height)) for x in range(width)]  # fmt: skip

    def test_pictures_of_the_journal(self):
        self.run_on_file()
        for picture in self.kept():
            self.assertGreater(min(picture), 24, "the ground is seen everywhere")
        shutil.rmtree(self.at / "shots")
        shutil.rmtree(self.at / "kept")
        self.run_on_file("--mask-privacy", "private.png")
        for masked in self.kept():
            dark = [x for x, value in enumerate(masked) if value < 14]
            self.assertGreater(len(dark), 4, masked)
            self.assertEqual(dark[0], 0)

    def test_pictures_from_before_the_mask(self):
        self.run_on_file()
        (clip,) = (self.at / "cut").iterdir()
        mask = ("--mask-privacy", "private.png")
        for options, code in (((), 200), (mask, 404)):
            view = self.view("-", "--live-history", "kept", "--begins", "now", *options)
            view.process.stdin.write(street(chroma=b"420jpeg"))
            view.process.stdin.flush()
            self.until(lambda: view.json().get("events"), "the history")
            self.assertEqual(view.ask("event/0/1")[0], code, options)
            view.end(signal.SIGKILL)
        self.run_on_file(*mask)
        newest = max(
            json.loads(line)["value"].get("id", 0)
            for line in self.journal().read_text().splitlines()[1:]
        )
        view = self.view("-", "--live-history", "kept", "--begins", "now", *mask)
        view.process.stdin.write(street(chroma=b"420jpeg"))
        view.process.stdin.flush()
        self.until(lambda: view.json().get("events"), "the history")
        self.assertEqual([view.ask(f"event/0/{k}")[0] for k in (1, newest)], [404, 200])


class Bounds(HistoryTest):
    def test_the_file_has_a_bound(self):
        """Of many runs, 50 events are kept; the file is at most its values twice, and a MiB."""
        self.run_until(1)
        text = self.journal().read_text().splitlines()
        event = json.loads(next(line for line in text if '"event/' in line))
        with open(self.journal(), "a") as file:
            for number in range(2, 6000):
                event["key"], event["value"]["id"] = f"event/{number % 50}", number
                file.write(json.dumps(event) + "\n")
        self.assertGreater(self.journal().stat().st_size, 1 << 20)
        view = self.view(self.camera(), *KEEP)
        self.until(lambda: view.json().get("frame", 0) > 0, "frames")
        self.assertLess(self.journal().stat().st_size, 1 << 17)
        ids = [event["id"] for event in view.json()["events"]]
        self.assertEqual((len(ids), ids[-1]), (50, ids[0] - 49))
        self.assertGreaterEqual(ids[0], 5999)

    def test_what_is_refused(self):
        self.file("street.y4m", street())
        for words, says in (
            (("--json", "-", "--live-history", "kept"), ("--live-history", "--live :8080")),
            (("--live", ":0", "--live-history", "kept"), ("--live-history kept", "--begins")),
        ):
            self.fails(USAGE, "detect", "street.y4m", *words, says=says)
        self.run_cuesta("detect", "street.y4m", *PLAIN, "--live", ":0", "--live-history", "kept",
                        "--begins", "2026-11-25T06:00")  # fmt: skip
        hours = [json.loads(line) for line in self.journal().read_text().splitlines()[1:]]
        self.assertIn("2026-11-25,6", [line["value"].get("name") for line in hours])


class OneRun(HistoryTest):
    def test_a_second_run_is_refused(self):
        """Whatever ends the first, the folder is free then."""
        view = self.view(self.camera(), *KEEP, "--record", "rec")
        self.until(lambda: self.lines_in("rec/segments.csv") == 2, "a segment")
        self.until(lambda: self.journal().exists(), "the history")
        index = (self.at / "rec/segments.csv").read_bytes()
        (self.at / "link").symlink_to("rec")
        second = self.camera(100)
        for words, folder in (
            (("--record", "rec"), "--record rec"),
            (("--record", "link/"), "--record link/"),
            (("--clips", "cut"), "--clips cut"),
            (("--live", ":0", "--live-history", "kept"), "--live-history kept"),
        ):
            with self.subTest(words):
                said = self.run_cuesta("detect", second, *words, *PLAIN, code=OUTPUT).stderr
                self.assertIn(f"{folder}: another run writes to this folder".encode(), said)
                self.assertEqual(said.count(b"error:"), 1, said)
        self.assertEqual((self.at / "rec/segments.csv").read_bytes(), index)
        view.end(signal.SIGKILL)
        view = self.view(self.camera(), *KEEP, "--record", "rec")
        self.until(lambda: view.json().get("frame", 0) > 0, "frames")

    def test_clips_of_files(self):
        camera = self.view(self.camera(), "--clips", "cut", *EVENTS)
        self.until(lambda: camera.json().get("frame", 0) > 0, "frames")
        self.file("street.mp4", self.video_bytes("street.mp4", street(chroma=b"420jpeg")))
        for more in (PLAIN, (*PLAIN, "--sandbox")):
            said = self.run_cuesta("detect", "street.mp4", "--clips", "cut", *more, code=OUTPUT)
            self.assertIn(b"--clips cut: another run writes to this folder", said.stderr)
        camera.end(signal.SIGINT)
        self.run_cuesta("detect", "street.mp4", "--clips", "cut", *PLAIN)


if __name__ == "__main__":
    test_command.CUESTA = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)

#!/usr/bin/env python3
"""cuesta detect --resume: a recording of many files, continued by a later run.

test_resume.py PATH-TO-CUESTA [unittest arguments]
"""

import json
import os
import random
import signal
import subprocess
import sys
import unittest

sys.path.append(os.path.dirname(os.path.abspath(__file__)))

import test_command  # noqa: E402
from test_command import INPUT, INTERRUPTED, OUTPUT, USAGE, y4m  # noqa: E402
from test_detect import HEIGHT, PLAIN, WIDTH, luma, place  # noqa: E402
from test_live import LiveTest  # noqa: E402

LENGTH, CHUNKS = 20, 7  # frames, files
# Frames with the square: inside of a file, over a border, inside of the last file but one.
WALKS = ((24, 32), (47, 68), (105, 114))
LISTS = ("e.csv", "e.ndjson", "e.edl", "n.csv", "c.csv", "z.csv", "s.csv", "m.txt", "o.nd")
OUTPUTS = ("--events", "e.csv", "--events", "e.ndjson", "--events", "e.edl", "--objects", "n.csv", "--counts", "c.csv",
           "--zones", "z.csv", "--scores", "s.csv", "--mot", "m.txt", "--json", "o.nd")  # fmt: skip
SCENE = b"""[[lines]]
name = "gate"
from = [0.35, 0.0]
to = [0.35, 1.0]
[[zones]]
name = "yard"
polygon = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
"""
HOW = (*PLAIN, "--min-hits", 1, "--merge-window", 0.1, "--post-roll", 0.1, "--scene", "scene.toml")


def frame(k):
    inside = [k - begin for begin, end in WALKS if begin <= k < end]
    return luma(place(1 + inside[0] % 11) if inside else None)


class Resume(LiveTest):
    def setUp(self):
        super().setUp()
        self.file("scene.toml", SCENE)
        (self.at / "chunks").mkdir()

    def chunk(self, k):
        frames = [frame(n) for n in range(LENGTH * k, LENGTH * (k + 1))]
        self.file(f"new-{k}", y4m(WIDTH, HEIGHT, frames))
        os.rename(self.at / f"new-{k}", self.at / f"chunks/c{k}.y4m")

    def arguments(self, *more):
        return ("chunks", "--join-inputs", "--resume", "run.journal", *OUTPUTS, *HOW, *more)

    def run_all(self, *more, **options):
        return self.run_cuesta("detect", *self.arguments(*more), **options)

    def results(self):
        return {name: (self.at / name).read_text() for name in LISTS}

    def once(self, *more):
        """What a single run says of all files."""
        for k in range(CHUNKS):
            self.chunk(k)
        self.run_all(*more)
        whole = self.results()
        for name in (*LISTS, "run.journal"):
            os.unlink(self.at / name)
        self.assertEqual(len(whole["e.csv"].splitlines()), 1 + len(WALKS))
        self.assertIn("gate", whole["c.csv"])
        return whole

    def away(self, *numbers):
        for k in numbers:
            os.unlink(self.at / f"chunks/c{k}.y4m")

    def killed(self, frames, *more):
        """A run that waits for more files, and is killed when it has reported this number of frames."""
        process = self.start("detect", *self.arguments("--growing", 100, *more))
        self.until(lambda: self.lines_of("frame") >= frames, "frames")
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=30)

    def lines_of(self, kind):
        path = self.at / "o.nd"
        lines = path.read_bytes().splitlines() if path.exists() else []
        return sum(line.startswith(f'{{"kind":"{kind}"'.encode()) for line in lines)

    def test_a_killed_run_is_continued(self):
        whole = self.once()
        for chunks in range(1, CHUNKS):
            with self.subTest(chunks=chunks):
                self.away(*range(chunks, CHUNKS))
                self.killed(LENGTH * chunks)
                for k in range(chunks, CHUNKS):
                    self.chunk(k)
                self.run_all()
                self.assertEqual(self.results(), whole)
                for name in (*LISTS, "run.journal"):
                    os.unlink(self.at / name)

    def test_every_file_by_a_run_of_its_own(self):
        whole = self.once()
        for killed in (False, True):
            with self.subTest(killed=killed):
                self.away(*range(CHUNKS))
                for k in range(CHUNKS):
                    self.chunk(k)
                    self.killed(LENGTH * (k + 1)) if killed else self.run_all()
                self.run_all()
                self.assertEqual(self.results(), whole)
                for name in (*LISTS, "run.journal"):
                    os.unlink(self.at / name)

    def test_the_model_is_warm(self):
        how = ("--warm-up", 15, "--background", "samples", "--json", "w.nd")
        words = ("chunks", "--join-inputs", "--resume", "run.journal", *how)
        for k in range(3):
            self.chunk(k)
        self.run_cuesta("detect", *words)
        self.chunk(3)
        self.run_cuesta("detect", *words)
        lines = [json.loads(line) for line in (self.at / "w.nd").read_text().splitlines()]
        frames = [line for line in lines if line["kind"] == "frame"]
        self.assertEqual([line["frame"] for line in frames], list(range(4 * LENGTH)))
        warming_up = [line["frame"] for line in frames if "warming_up" in line]
        self.assertLess(max(warming_up), LENGTH)

    def test_clips_continue(self):
        self.needs_video()
        (self.at / "mp4").mkdir()
        made = ("--clips", "cut", "--pictures", "best", "--pre-roll", 0.2)
        for k in range(CHUNKS):
            self.chunk(k)
            self.run_cuesta(
                "filter", f"chunks/c{k}.y4m", "--kernel", "average:1", "-o", f"mp4/c{k}.mp4"
            )
        words = ("mp4", "--join-inputs", "--resume", "run.journal", "--events", "e.csv", *HOW)
        for name in [f"mp4/c{k}.mp4" for k in range(4, CHUNKS)]:
            os.rename(self.at / name, self.at / os.path.basename(name))
        self.run_cuesta("detect", *words, *made)
        for k in range(4, CHUNKS):
            os.rename(self.at / f"c{k}.mp4", self.at / f"mp4/c{k}.mp4")
        self.run_cuesta("detect", *words, *made)
        names = [f"event-{k:04}" for k in range(1, 1 + len(WALKS))]
        self.assertEqual(sorted(os.listdir(self.at / "cut")), [f"{name}.mp4" for name in names])
        self.assertEqual(sorted(os.listdir(self.at / "best")), [f"{name}.jpg" for name in names])

    def test_in_the_sandbox(self):
        whole = self.once()
        self.away(*range(3, CHUNKS))
        self.run_all("--sandbox")
        for k in range(3, CHUNKS):
            self.chunk(k)
        self.run_all("--sandbox")
        self.assertEqual(self.results(), whole)

    def test_one_frame_of_two(self):
        whole = self.once("--every", 2)
        self.away(*range(4, CHUNKS))
        self.run_all("--every", 2)
        for k in range(4, CHUNKS):
            self.chunk(k)
        self.run_all("--every", 2)
        self.assertEqual(self.results(), whole)

    def test_files_that_were_removed_keep_their_events(self):
        whole = self.once()
        self.away(5, 6)
        self.killed(5 * LENGTH)
        self.away(0, 1, 2, 3)
        self.chunk(5)
        self.chunk(6)
        self.run_all()
        self.assertEqual(self.results()["e.csv"], whole["e.csv"])
        self.assertEqual(self.results()["c.csv"], whole["c.csv"])

    def test_lines_after_the_last_quiet_border_are_written_again(self):
        whole = self.once()
        self.run_all()
        # As a machine that loses power leaves it: half a line of the journal, and lists with more.
        journal = (self.at / "run.journal").read_bytes()
        (self.at / "run.journal").write_bytes(journal[:-9])
        with open(self.at / "e.csv", "a") as file:
            file.write("9,half a")
        self.run_all()
        self.assertEqual(self.results(), whole)
        journal = [json.loads(line) for line in (self.at / "run.journal").read_text().splitlines()]
        # The border at which somebody walks is none to continue at.
        self.assertEqual([line["quiet"] for line in journal[1:]], [k != 3 for k in range(CHUNKS)])

    def test_an_interrupt_before_the_first_frame_keeps_the_lists(self):
        self.once()
        self.run_all()
        before = self.results()
        self.away(*range(CHUNKS))
        done = self.run_all("--growing", 0.3, code=INPUT)
        self.assertIn("chunks", done.stderr.decode())
        self.assertEqual(self.results(), before)

    def test_the_first_file_is_awaited(self):
        process = self.start("detect", *self.arguments("--growing", 100))
        self.until_it_heeds(process)
        self.chunk(0)
        self.until(lambda: self.lines_of("frame") == LENGTH, "frames")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=30), INTERRUPTED)

    def test_one_run_at_a_time(self):
        process = self.start("detect", *self.arguments("--growing", 100))
        self.until_it_heeds(process)
        self.chunk(0)
        self.until(lambda: self.lines_of("frame") == LENGTH, "frames")
        before = self.results()
        for more in ((), ("--sandbox",)):
            self.fails(OUTPUT, "detect", *self.arguments(*more),
                       says=("--resume run.journal", "another run writes to this file"))  # fmt: skip
        self.assertEqual(self.results(), before)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=30), INTERRUPTED)
        self.chunk(1)
        self.run_all()
        self.assertEqual(self.lines_of("frame"), 2 * LENGTH)

    def test_other_settings_are_refused(self):
        self.once()
        self.run_all()
        before = self.results()
        for more, name in (
            (("--min-area", 77), "min_area"),
            (("--every", 2), "every"),
            (("--begins", "2026-01-01T00:00"), "begins"),
            (("--region", "0,0,80,80"), "region"),
        ):
            with self.subTest(name):
                said = self.run_all(*more, code=USAGE).stderr.decode()
                self.assertIn(f"{name} was ", said)
                self.assertIn("remove run.journal to begin again", said)
        self.file("scene.toml", SCENE.replace(b"0.35", b"0.45"))
        self.assertIn("scene was ", self.run_all(code=USAGE).stderr.decode())
        self.assertEqual(self.results(), before)

    def test_what_cannot_be_continued(self):
        self.chunk(0)
        for more, says in (
            (("-o", "o.y4m"), "-o o.y4m: --resume cannot add to it"),
            (("--report", "r.html"), "--report r.html: --resume cannot add"),
            (("--coco", "c.json"), "--coco c.json: --resume cannot add"),
            (("--heatmap", "h.png"), "--heatmap h.png: --resume cannot add"),
            (("--from", 1), "--from and --to take a part"),
        ):
            with self.subTest(more):
                self.fails(USAGE, "detect", *self.arguments(*more), says=(says,))
        self.fails(USAGE, "detect", "chunks/c0.y4m", "--resume", "j", "--json", "o.nd",
                   says=("--resume j", "add --join-inputs"))  # fmt: skip
        self.file("run.journal", b"my notes\n")
        self.fails(INPUT, "detect", *self.arguments(), says=("run.journal", "no", "journal"))
        self.assertEqual((self.at / "run.journal").read_bytes(), b"my notes\n")

    def test_a_changed_journal_is_refused_or_makes_no_difference(self):
        whole = self.once()
        self.away(5, 6)
        self.run_all()
        before = {name: (self.at / name).read_bytes() for name in (*LISTS, "run.journal")}
        self.chunk(5)
        self.chunk(6)
        journal = before["run.journal"]
        lines = journal.splitlines(keepends=True)
        draw = random.Random(1)
        changed = [b"".join(lines[:k] + lines[k + 1 :]) for k in range(len(lines))]
        changed.append(b"".join([*lines[:3], lines[4], lines[3], *lines[5:]]))
        for at in draw.sample(range(len(journal)), 12):
            digit = b"7" if journal[at : at + 1].isdigit() and journal[at] != ord("7") else b"~"
            changed.append(journal[:at] + digit + journal[at + 1 :])
        for one in changed:
            with self.subTest(one):
                for name, data in before.items():
                    self.file(name, data)
                self.file("run.journal", one)
                words = [test_command.CUESTA, "detect", *map(str, self.arguments())]
                done = subprocess.run(words, cwd=self.at, capture_output=True)
                self.assertIn(done.returncode, (0, INPUT), done.stderr)
                if done.returncode == 0:
                    self.assertEqual(self.results(), whole)
                else:
                    self.assertIn(b"run.journal", done.stderr)

    def test_files_that_changed_before_the_checkpoint_are_an_error(self):
        for change in ("new", "shorter"):
            self.once()
            self.away(5, 6)
            self.run_all()
            if change == "new":
                os.rename(self.at / "chunks/c1.y4m", self.at / "chunks/c1b.y4m")
            else:
                os.truncate(self.at / "chunks/c1.y4m", 200_000)
            self.fails(INPUT, "detect", *self.arguments(),
                       says=("chunks/c4.y4m: its first frame", "run.journal"))  # fmt: skip
            for name in ("run.journal", *LISTS):
                os.unlink(self.at / name)
            self.away(*[k for k in range(5) if change == "shorter" or k != 1])
            (self.at / "chunks/c1b.y4m").unlink(missing_ok=True)

    def test_what_is_no_file_is_refused(self):
        self.chunk(0)
        os.mkfifo(self.at / "pipe")
        (self.at / "endless").symlink_to("/dev/zero")
        words = ("chunks", "--join-inputs", "--events", "e.csv", "--resume")
        for name, says in (
            ("pipe", "not a regular file"),
            ("endless", "not a regular file"),
            ("chunks", "folder"),
        ):
            self.fails(INPUT, "detect", *words, name, says=(name, says))  # fmt: skip

    def test_a_list_that_lost_lines_is_an_error(self):
        self.once()
        self.run_all()
        (self.at / "e.csv").write_text("event\n")
        self.fails(INPUT, "detect", *self.arguments(), says=("e.csv: it is shorter", "run.journal"))
        os.unlink(self.at / "e.csv")
        self.run_all()  # one that is gone begins again
        self.assertTrue((self.at / "e.csv").read_text().startswith("event,start"))


if __name__ == "__main__":
    test_command.CUESTA = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)

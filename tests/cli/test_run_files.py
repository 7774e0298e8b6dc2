#!/usr/bin/env python3
"""No result is a file that is read, or another result: every option that writes against every option that reads, and against every
other that writes, of every verb, by a file's own name and by other names of it.

    test_run_files.py PATH-TO-CUESTA [unittest arguments]
"""

import itertools
import os
import re
import shutil
import subprocess
import sys
import unittest

import test_command
from test_command import USAGE, CommandTest, pgm, png, square, y4m

SCENE = b'mask = "hidden.png"\n[[zones]]\nname = "z"\npolygon = [[0, 0], [1, 0], [1, 1]]\n'
# Of each verb: words before its options, what they read, and what they write with an extension that fits.
ALWAYS = ({"--config": "config.toml"}, {"--save-config": "saved.toml"})
PASSWORDS = {"--passwords": "names.netrc"}
VERBS = {
    "edges": (["photo.png"], {"": "photo.png", "--mask": "mask.png", **PASSWORDS}, {"-o": "o.png", "--lines": "o.svg"}),
    "filter": (["photo.png"], {"": "photo.png", "--kernel": "kernel.txt", **PASSWORDS}, {"-o": "o.png"}),
    "label": (["photo.png"], {"": "photo.png", "--intensity": "mask.png", **PASSWORDS}, {"-o": "o.csv"}),
    "detect": (
        ["street.y4m"],
        {"": "street.y4m", "--scene": "scene.toml", "--mask": "mask.png", "--mask-privacy": "private.png", "--cameras": "cameras.toml", "--live-token": "token", **PASSWORDS},
        {
            "-o": "o.y4m",
            "--json": "o.ndjson",
            "--mask-video": "m.y4m",
            "--events": "o.edl",
            "--objects": "o.csv",
            "--counts": "n.csv",
            "--zones": "z.csv",
            "--scores": "s.csv",
            "--report": "o.html",
            "--clips": "clips",
            "--record": "rec",
            "--live-history": "past",
            "--pictures": "shots",
            "--coco": "o.json",
            "--mot": "o.txt",
            "--heatmap": "h.png",
            "--resume": "j.ndjson",
        },
    ),
    "tune": (["photo.png", "--no-open"], {"": "photo.png", **PASSWORDS}, {}),
    "list": (["strategies"], {}, {}),
    "verify": (["label"], {}, {}),
    "explain-ladder": (["filter"], {"--gpu-model": "gpu.json", "--kernel": "kernel.txt"}, {"--html": "o.html"}),
    "bench": (
        ["model"],
        {"--baseline": "base.json", "--gpu-model": "gpu.json"},
        {"--json": "o.json", "--csv": "o.csv"},
    ),
}  # fmt: skip

# Results that are folders, and a file that is written there.
FOLDERS = {
    "--clips": "event-0007.y4m",
    "--record": "segments.csv",
    "--live-history": "live.ndjson",
    "--pictures": "event-0007.jpg",
}


def alias(kind, of, at):
    """A path at which `of` is found, too; `of` itself where it has no file yet and is to be found by links only."""
    if kind == "hard":
        os.link(of, at)
    elif kind == "link":
        at.symlink_to(of.name)
    elif kind == "links":
        (at.parent / "first").symlink_to(of.name)
        at.symlink_to("first")
    elif kind == "folder":
        (at.parent / "elsewhere").symlink_to(at.parent, target_is_directory=True)
        at = at.parent / "elsewhere" / of.name
    return at


class RunFiles(CommandTest):
    def lay(self):
        """The files that are read, and no other."""
        for path in self.at.iterdir():
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        frames = [bytes([60 + 20 * (k % 2)]) * 1200 for k in range(3)]
        for name, data in {
            "photo.png": png(40, 30, square()),
            "mask.png": png(40, 30, square()),
            "private.png": png(40, 30, square()),
            "hidden.png": png(40, 30, square()),
            "photo.pgm": pgm(40, 30, square()),
            "kernel.txt": b"0 0 0\n0 1 0\n0 0 0\n",
            "street.y4m": y4m(40, 30, frames),
            "scene.toml": SCENE,
            "config.toml": b"[edges]\n",
            "cameras.toml": b'[[cameras]]\ninput = "street.y4m"\n',
            "token": b"0123456789abcdef",
            "names.netrc": b"machine camera login me password it\n",
            "base.json": b"{}",
            "gpu.json": b"{}",
        }.items():
            self.file(name, data)
        for name in ("clips", "rec", "past", "shots"):
            (self.at / name).mkdir()

    def holds(self):
        return {
            str(path.relative_to(self.at)): path.read_bytes()
            for path in self.at.rglob("*")
            if path.is_file()
        }

    def refused(self, verb, words, says):
        with self.subTest(verb=verb, words=words):
            before = self.holds()
            self.fails(USAGE, verb, *words, says=says)
            self.assertEqual(self.holds(), before)

    def cases(self):
        for verb, (words, reads, writes) in VERBS.items():
            if verb in ("bench", "explain-ladder") and not test_command.bench_program():
                continue
            if self.run_cuesta(verb, "--help", code=None).returncode == 0:
                yield verb, words, {**reads, **ALWAYS[0]}, {**writes, **ALWAYS[1]}

    def run_cuesta(self, *arguments, code=0, **options):
        if code is not None:
            return super().run_cuesta(*arguments, code=code, **options)
        return subprocess.run([test_command.CUESTA, *arguments], capture_output=True, cwd=self.at)

    def test_every_option_is_known(self):
        for verb, _, reads, writes in self.cases():
            text = self.run_cuesta(verb, "--help").stdout.decode()
            for types, known in (("FILE|KERNEL", reads), ("OUT", writes)):
                found = set(re.findall(rf"(--[a-z-]+) (?:{types})\b", text)) - {"--save-config"}
                named = {"-o": "--output"}
                expected = {named.get(one, one) for one in known} - {"", "--save-config"}
                self.assertEqual(found, expected, verb)

    def test_nothing_that_is_read_is_written(self):
        kinds = ("hard", "link", "links")
        turn = itertools.cycle(kinds)
        for verb, words, reads, writes in self.cases():
            for (reading, source), (writing, target) in itertools.product(
                reads.items(), writes.items()
            ):
                # A new kind for each pair; all for inputs.
                for kind in kinds if not reading else [next(turn)]:
                    self.lay()
                    at = self.at / target
                    if writing in FOLDERS:
                        at = at / FOLDERS[writing]
                        if kind != "hard":
                            continue
                    alias(kind, self.at / source, at)
                    given = [reading, source] if reading else []
                    first = [] if reading == "--cameras" else words
                    rest = (
                        ["--json", "-"] if verb == "detect" and writing == "--save-config" else []
                    )
                    if writing == "--live-history":
                        rest = ["--live", ":0"]
                    if verb in ("edges", "filter") and writing != "-o":
                        rest = ["-o", "other.png"]
                    if verb == "filter" and reading != "--kernel":
                        rest += ["--median", "3"]
                    self.refused(
                        verb, [*first, *given, writing, target, *rest], ["would be overwritten"]
                    )

    def test_what_a_file_names_is_not_written(self):
        for writing, words in (
            ("--heatmap", ["street.y4m", "--scene", "scene.toml"]),
            ("--save-config", ["street.y4m", "--scene", "scene.toml", "--json", "-"]),
            ("--save-config", ["--cameras", "cameras.toml", "--json", "-"]),
        ):
            self.lay()
            read = "street.y4m" if "--cameras" in words else "hidden.png"
            target = alias("hard", self.at / read, self.at / "alias.png")
            self.refused("detect", [*words, writing, target.name], ["would be overwritten"])
        for words in (
            ["edges", self.at, "-o", "out", "--save-config", "photo.png"],
            ["edges", self.at, "-o", self.at],
            ["edges", "photo.png", "photo.pgm", "-o", "out", "--save-config", "out/photo.png"],
        ):
            self.lay()
            self.refused(words[0], words[1:], [])

    def test_no_result_is_another(self):
        turn = itertools.cycle(("hard", "link", "folder"))
        for verb, words, _, writes in self.cases():
            for (first, one), (second, two) in itertools.permutations(writes.items(), 2):
                if FOLDERS.keys() & {first, second}:
                    continue
                kind = next(turn)
                if kind == "folder" and one.split(".")[-1] != two.split(".")[-1]:
                    kind = "link"  # one name cannot have two extensions
                self.lay()
                if kind == "hard":
                    self.file(one, b"old")
                target = alias(kind, self.at / one, self.at / two)
                more = []
                if verb in ("edges", "filter") and "-o" not in (first, second):
                    more = ["-o", "other.png"]
                if verb == "filter":
                    more += ["--median", "3"]
                given = [first, one, second, target, *more]
                self.refused(verb, [*words, *given], ["are one file"])

    def test_one_file_by_two_ways_to_it(self):
        self.lay()
        twice = ["--events", "o.csv", "--events"]
        self.refused("detect", ["street.y4m", *twice, "o.csv"], ["are one file"])
        self.refused("detect", ["street.y4m", *twice, "clips/../o.csv"], ["are one file"])
        self.refused("detect", ["street.y4m", "--json", "-", "-o", "-"], ["standard output"])
        self.refused("detect", ["street.y4m", "--json", "-", "--mot", "/dev/stdout"], ["one file"])
        self.refused(
            "detect",
            ["street.y4m", "--json", "clips/event-1.nd", "--clips", "clips"],
            ["clips/event-1.nd"],
        )
        with open(self.at / "o.csv", "wb") as out:
            done = self.run_cuesta_to(out, "detect", "street.y4m", "--json", "-", "--mot", "o.csv")
            self.assertEqual(done.returncode, USAGE, done.stderr)
        with open(self.at / "photo.png", "rb") as data:
            done = self.run_cuesta_to(None, "edges", "-", "-o", "photo.png", stdin=data)
            self.assertEqual(done.returncode, USAGE, done.stderr)

    def run_cuesta_to(self, stdout, *arguments, stdin=None):
        return subprocess.run(
            [test_command.CUESTA, *arguments],
            cwd=self.at,
            stdin=stdin,
            stdout=stdout,
            stderr=subprocess.PIPE,
        )

    def test_what_is_allowed(self):
        self.lay()
        null = ["--json", "/dev/null", "--mot", "/dev/null"]
        self.run_cuesta("detect", "street.y4m", *null)
        self.run_cuesta("edges", "photo.png", "photo.pgm", "-o", "out/", "--lines", "out/")
        # Options are saved by runs that succeed, and say what was decoded nothing.
        self.run_cuesta("edges", "photo.png", "-o", "o.png", "--save-config", "saved.toml")
        self.assertEqual((self.at / "saved.toml").read_bytes(), b"[edges]\n")
        (self.at / "saved.toml").unlink()
        (self.at / "photo.png").write_bytes(b"no picture")
        self.run_cuesta("edges", "photo.png", "-o", "o.png", "--save-config", "saved.toml", code=3)
        self.assertFalse((self.at / "saved.toml").exists())


if __name__ == "__main__":
    test_command.CUESTA = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)

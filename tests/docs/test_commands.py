#!/usr/bin/env python3
"""Every `cuesta ...` line of README.md, docs/user and --help runs, on inputs that are made here.

    test_commands.py CUESTA
    test_commands.py --self-test

Lines are taken from code blocks. A line that needs a camera, a broker, a GPU or a browser must be
understood: it may end for want of these, but not with exit code 2 (usage). A line of a console
(`$ cuesta ...`) shows what follows it: each of these lines must be in the output, with any numbers.
The layout of the help of every verb is checked as well.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs/user").glob("*.md"))]
COMMAND = None
# Exit codes of lines that need something which a test does not have, by what they hold.
NEEDS = {
    "rtsp://": (3,),
    "mqtt": (3, 4),
    "cameras.toml": (3,),
    "--live": (3, 4),
    "cuda": (5,),
    "BSDS500": (3,),
}
# Verbs and inputs that run until they are ended; understood if they still run after a moment.
ENDLESS = ("tune", "bench", "verify", "rtsp://", "cameras.toml")
SCENE = '[[zones]]\nname = "a"\npolygon = [[0, 0], [1, 0], [1, 1], [0, 1]]\n'
# How the help of an option begins, behind the methods or the option that it is for.
IMPERATIVES = set(
    "add apply begin blur check close compare compensate connect convert count cut decode detect "
    "drop end exclude explain find join keep lay learn limit listen mark omit predict print process publish "
    "read record remove report require restart retry run select serve set show simplify smooth start take time "
    "track treat use verify watch write".split()
)
CAMERAS = '[[cameras]]\nname = "a"\ninput = "street.y4m"\n'


def shown(text):
    """(command line, lines shown after it) of every code block of a page."""
    lines, found, fenced = text.split("\n"), [], False
    for k, line in enumerate(lines):
        fenced ^= line.lstrip().startswith("```")
        match = re.match(
            r"(?:    |)(\$ )?(cuesta .*|ffmpeg .*\| cuesta .*|.*\bssh .* cuesta .*)", line
        )
        if not match or not (fenced or line.startswith("    ")) or line.startswith("     "):
            continue
        output = []
        if match[1]:
            for following in lines[k + 1 :]:
                if not following.startswith("    ") or following.startswith("    $"):
                    break
                output.append(following[4:])
        found.append((match[2], output))
    return found


def arguments_of(line):
    """(words behind `cuesta`, whether standard input is read) of a command line."""
    begin = line.index("cuesta ")
    # Nobody listens there, and no name is looked up.
    line = re.sub(r"(?<=://)(?=camera/|gate/|yard/)", "127.0.0.1:9/", line)
    line = re.sub(r"(?<=[/@])broker(?=/)", "127.0.0.1:9", line)
    words = shlex.split(line[begin:], comments=True)[1:]
    for k, word in enumerate(words):
        if word in ("|", ">", "<", "&&", ";"):
            words = words[:k]
            break
    return words, "-" in words and words[words.index("-") - 1] not in ("-o", "--json", "--lines")


def needs_of(line):
    return {code for word, codes in NEEDS.items() if word in line for code in codes}


def numberless(text):
    """Text with every number replaced, blanks as one, and what is counted in the plural."""
    text = re.sub(r"\d+(\.\d+)?", "N", text)
    return " ".join(re.sub(r"\bN component\b", "N components", text).split())


def make_inputs(folder):
    """Small files under the names that the pages use."""
    width, height = 800, 480
    pixels = bytearray()
    for y in range(height):
        for x in range(width):
            inside = 60 <= x < 160 and 80 <= y < 200
            pixels += bytes((220, 120, 60) if inside else (40 + x // 8, 50, 60 + y // 8))
    (folder / "made.ppm").write_bytes(b"P6 %d %d 255\n" % (width, height) + pixels)

    def convert(name):
        words = ["filter", "made.ppm", "-o", name, "--kernel", "average:1", "--threads", "1"]
        subprocess.run([COMMAND, *words], cwd=folder, check=True, capture_output=True)

    for name in ("photo.jpg", "scan.tif", "huge.tif", "speckled.png", "stain.tif"):
        convert(name)
    gray = bytes(255 if 40 <= k % width < 90 else 0 for k in range(width * height))
    (folder / "mask.pgm").write_bytes(b"P5 %d %d 255\n" % (width, height) + gray)
    for name in ("mask.png", "edges.png", "cells.png"):
        words = ["filter", "mask.pgm", "-o", name, "--kernel", "average:1"]
        subprocess.run([COMMAND, *words], cwd=folder, check=True, capture_output=True)
    for name in ("photos", "holiday", "BSDS500/data/images/test"):
        (folder / name).mkdir(parents=True)
        (folder / name / "photo.jpg").write_bytes((folder / "photo.jpg").read_bytes())
    frames = b"YUV4MPEG2 W160 H120 F10:1 C420jpeg\n"
    for k in range(60):
        luma = bytearray(b"\x5a" * (160 * 120))
        if 30 <= k < 55:
            for y in range(40, 70):
                luma[160 * y + 3 * k - 60 : 160 * y + 3 * k - 30] = b"\xc8" * 30
        frames += b"FRAME\n" + luma + b"\x80" * (2 * 80 * 60)
    (folder / "street.y4m").write_bytes(frames)
    for name in ("street.mp4", "street.avi", "gate.mp4", "yard.mp4", "dashcam.mp4"):
        words = ["filter", "street.y4m", "-o", name, "--median", "1"]
        done = subprocess.run([COMMAND, *words], cwd=folder, capture_output=True)
        if done.returncode:
            (folder / name).write_bytes(frames)  # this build has no such encoder
    (folder / "recordings").mkdir()
    for name in ("chunk1.mp4", "chunk2.mp4"):
        (folder / "recordings" / name).write_bytes((folder / "street.mp4").read_bytes())
    (folder / "yard.toml").write_text(SCENE, encoding="utf-8")
    (folder / "cameras.toml").write_text(CAMERAS, encoding="utf-8")
    for name in ("cameras.netrc", "home.netrc"):
        (folder / name).write_text("machine broker login home password x\n", encoding="utf-8")
        (folder / name).chmod(0o600)
    (folder / "page.token").write_text("0123456789abcdef\n", encoding="utf-8")
    (folder / "my.toml").write_text('[edges]\nsigma = "2"\n', encoding="utf-8")
    notify = folder / "notify-me"
    notify.write_text("#!/bin/sh\ncat >/dev/null\n", encoding="utf-8")
    notify.chmod(0o755)


class Commands(unittest.TestCase):
    def run_line(self, folder, line, output):
        words, reads = arguments_of(line)
        words = [word for word in words if word != "--no-open"]
        if words[0] == "tune":
            words.append("--no-open")
        source = b""
        if reads:
            video = words[0] == "detect" or "ffmpeg" in line
            source = (folder / ("street.y4m" if video else "photo.jpg")).read_bytes()
        endless = any(word in line for word in ENDLESS)
        environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
        process = subprocess.Popen(
            [COMMAND, *words], cwd=folder, env=environment, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        try:
            out, errors = process.communicate(source, timeout=1 if endless else 120)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            self.assertTrue(endless, "it does not end")
            return
        said = errors.decode(errors="replace")
        if b"cuesta-bench" in errors and words[0] == "bench":
            return  # built without it
        allowed = {0, 2} if output and output[0].startswith("error:") else {0, *needs_of(line)}
        self.assertIn(process.returncode, allowed, said)
        text = numberless(out.decode(errors="replace") + " " + said)
        for one in output:
            if "head " in line and "," in one:
                continue  # the rest of the pipe made it
            self.assertIn(numberless(one), text)

    def test_lines_of_the_pages(self):
        count = 0
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            make_inputs(folder)
            for page in PAGES:
                for line, output in shown(page.read_text(encoding="utf-8")):
                    count += 1
                    with self.subTest(page=page.name, line=line):
                        self.run_line(folder, line, output)
        self.assertGreater(count, 60)

    def test_every_task_page_shows_commands(self):
        for name in ("edges", "filters", "components", "moving-objects", "large-pictures"):
            page = ROOT / "docs/user" / f"{name}.md"
            self.assertGreater(len(shown(page.read_text(encoding="utf-8"))), 3, name)


def options_of(text):
    """(names, lines of the description) of every option of a help text."""
    found, names = [], None
    for line in text.split("\n"):
        head = re.match(r"  (-\S.*?)(?: {2,}(.*))?$", line)
        if head:
            names = head[1]
            found.append((names, [head[2]] if head[2] else []))
        elif names and re.match(r" {26}\S", line):
            found[-1][1].append(line.strip())
        else:
            names = None
    return found


def faults_of_help(text):
    """What is wrong with the layout of a help text."""
    lines = text.rstrip("\n").split("\n")
    faults = [f"{len(line)} columns: {line}" for line in lines if len(line) > 79]
    if len(lines) < 3 or not lines[0].endswith(".") or lines[1] or not lines[2].startswith("Usage"):
        faults.append("it does not begin with a summary, an empty line and the usage")
    if "\nExamples:\n  cuesta" not in text:
        faults.append("it has no examples")
    for names, description in options_of(text):
        if not 1 <= len(description) <= 3:
            faults.append(f"{names}: its description has {len(description)} lines")
        elif description[-1].endswith(".") and not description[-1].endswith("..."):
            faults.append(f"{names}: its description is no single phrase")
    return faults


def is_imperative(description):
    """Whether the help of an option begins with one of IMPERATIVES, behind the methods it is for."""
    words = re.sub(r"^(?:[-\w]+, )*[-\w]+: ", "", description).split()
    return words[0] in IMPERATIVES


class Help(unittest.TestCase):
    def texts(self):
        """(verb, help text) of every verb, and of the command itself."""

        def help_of(*words):
            words = [COMMAND, *words, "--help"]
            return subprocess.run(words, check=True, capture_output=True, text=True).stdout

        top = help_of()
        verbs = re.findall(r"^  ([a-z]+)(?= {2,})", top, re.MULTILINE)
        self.assertGreaterEqual(set(verbs), {"edges", "filter", "label", "detect", "verify"})
        return [("", top), *((verb, help_of(verb)) for verb in verbs)]

    def test_layout(self):
        count = 0
        for verb, text in self.texts():
            count += len(options_of(text))
            with self.subTest(verb=verb):
                self.assertEqual(faults_of_help(text), [])
        self.assertGreater(count, 150)

    def test_options_are_imperatives(self):
        found = [
            (names, " ".join(lines))
            for _, text in self.texts()
            for names, lines in options_of(text.partition("\nOptions:\n")[2])
        ]
        others = [one for one in found if not is_imperative(one[1])]
        self.assertLess(len(others), len(found) // 20, others)

    def test_examples(self):
        count = 0
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            make_inputs(folder)
            for verb, text in self.texts():
                examples = re.findall(r"^  ((?:ffmpeg .*\| )?cuesta .*)$", text, re.MULTILINE)
                self.assertTrue(examples, verb)
                for line in examples:
                    count += 1
                    with self.subTest(line=line):
                        Commands.run_line(self, folder, line, [])
        self.assertGreater(count, 25)


def self_test():
    good = (
        "Does it.\n\nUsage: x\n\nExamples:\n  cuesta x\n\nOptions:\n  -a,--all                run\n"
    )
    good += " " * 26 + "all\n  --much-longer-than-that NAME\n" + " " * 26 + "set it\n"
    assert options_of(good) == [
        ("-a,--all", ["run", "all"]),
        ("--much-longer-than-that NAME", ["set it"]),
    ]
    assert faults_of_help(good) == []
    for old, new in (
        ("Does it.", "Usage"), ("cuesta x", ""), ("set it", "set it. Or not."), ("set it", "set " + "s" * 70),
        (" " * 26 + "set it\n", ""), ("all\n", "all\n" + 2 * f"{' ' * 26}of\n"),
    ):  # fmt: skip
        assert len(faults_of_help(good.replace(old, new))) == 1, (old, new)
    assert is_imperative("canny: set it") and not is_imperative("canny: its name")
    page = "a `cuesta no`\n\n    cuesta edges a -o b  # c\n    $ cuesta label - | head\n    two 3\n\nx\n"
    assert shown(page) == [("cuesta edges a -o b  # c", []), ("cuesta label - | head", ["two 3"])]
    assert arguments_of("cuesta edges a -o b  # c") == (["edges", "a", "-o", "b"], False)
    assert arguments_of("cuesta edges - -o - < a > b") == (["edges", "-", "-o", "-"], True)
    assert arguments_of("cuesta detect a --json -") == (["detect", "a", "--json", "-"], False)
    assert needs_of("cuesta edges a --device cuda") == {5} and needs_of("cuesta edges a") == set()
    assert numberless("a -> b: 12 x 3.5,  low 2") == "a -> b: N x N, low N"
    assert numberless("a: 1 component") == numberless("a: 12 components")
    print("self-test passed")


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        sys.exit(0)
    COMMAND = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()

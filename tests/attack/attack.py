#!/usr/bin/env python3
"""An attack on the command: what fails around it, what is hostile in front of it.

    attack.py CUESTA SHIM [--long | --times N] [--seed N] [--jobs N [--limit SECONDS]] [--state FOLDER] [--figures FILE] [CAMPAIGN ...]

SHIM is the library of fault_shim.c, or "-" for a command with sanitizers: then what needs it is left out, and what these do not bear; or
the library of fault_cuda.cpp, for the campaign `cuda` on a GPU or an emulated device.
Without --long every campaign takes a sample of its points, which together run in about a minute of one core; with it,
all; --times takes N times as many of the points. A bad end is a crash, a hang, a wrong exit code, half a result, a file
that is left behind, or a success whose result differs from the undisturbed one. Every bad end is printed with the
command that shows it, the table of figures at the end; exit status 1 where there was one.

--jobs shares the points among processes. With --state a run that was stopped continues where it was, and campaigns that
are run alone later replace their own figures; --figures writes all of them as JSON.
"""

import argparse
import hashlib
import itertools
import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import threading
import time
import zlib
from pathlib import Path

from cuda_faults import CudaFaults
from ground import Journal, png, y4m

ERRORS = {
    "EIO": "Input/output error",
    "ENOSPC": "No space left on device",
    "EDQUOT": "Disk quota exceeded",
}
STILLS = [
    "tif",
    "ppm",
    "pgm",
    "pnm",
    "pbm",
    "jp2",
    "jpg",
    "png",
    "webp",
    "gif",
    "jxl",
    "avif",
    "bmp",
]
VIDEOS = ["mp4", "mkv", "mov", "avi", "webm", "flv", "nut", "ts", "y4m", "gif", "webp"]
LISTS = {
    "--json": "o.ndjson",
    "--coco": "o.json",
    "--mot": "o.txt",
    "--events": "o.csv",
    "--report": "o.html",
    "--heatmap": "o.png",
    "--mask-video": "o.mkv",
    "--save-config": "o.toml",
}
# Formats with a frame's or page's end anywhere: docs/user/reliability.md says which.
CANNOT_KNOW = {".ts"}
# A process that ends while it writes which of its lines ran would spoil the file of all others.
UNCOUNTED = {"LLVM_PROFILE_FILE": "/dev/null"}
# What libraries are made of, and who called them is asked instead.
BENEATH = re.compile(r"lib(c|gcc_s|stdc\+\+|m|pthread)[.]so|ld-linux|libtbb|libfmt")


def innermost_of(report, kind):
    """Of the calls that led to a "signal" or a "fault" which the shim reported: the innermost library, or "cuesta", that is not
    beneath all others; empty where nothing was reported."""
    lines = [line.split() for line in report.read_text().splitlines()] if report.exists() else []
    calls = next(
        (words[2 if kind == "signal" else 1 :] for words in reversed(lines) if words[0] == kind), []
    )
    return next((word for word in calls if not BENEATH.match(word)), "")


class Attack(CudaFaults):
    made = ()

    # The encoder of each file; the folder of results is fresh for every run.

    def outputs(self):
        cases = []
        for kind in STILLS:
            cases.append(
                (
                    f"still.{kind}",
                    lambda at, k=kind: [
                        "filter",
                        self.photo,
                        "-o",
                        at / f"o.{k}",
                        "--kernel",
                        "average:3",
                    ],
                )
            )
        for kind in VIDEOS:
            cases.append(
                (f"video.{kind}", lambda at, k=kind: ["edges", self.video, "-o", at / f"o.{k}"])
            )
        for option, name in LISTS.items():
            more = ["-o", "-"] if option == "--save-config" else []
            cases.append(
                (
                    f"list{option}",
                    lambda at, o=option, n=name, m=more: ["detect", self.video, *m, o, at / n],
                )
            )
        cases.append(
            ("follow.mkv", lambda at: ["edges", self.video, "-o", at / "o.mkv", "--follow"])
        )
        return cases

    def waits_in(self, make, fault):
        """The library whose code a command waits in for ever, empty where it ends or waits in ours: the last signal tells."""
        report = self.root / "report"
        report.unlink(missing_ok=True)
        run = self.run(
            make(self.fresh()), fault=fault, report=report, seconds=20, ask=bool(self.shim)
        )
        innermost = innermost_of(report, "signal") or "cuesta"
        return innermost if run.hung and innermost != "cuesta" else ""

    def disturbed(
        self, campaign, make, whole, fault, error, codes, grows=False, late=False, plain=None
    ):
        """`late`: what fails may fail when a result is done, which stands then, whole. `plain`: the command whose decoder runs in it,
        and does not tell: where that waits for a library, so may this."""

        def check():
            at = self.fresh()
            run = self.run(
                make(at), fault=f"{fault},{at}" if "write" in fault or error in ERRORS else fault
            )
            left = {p.name: p.read_bytes() for p in at.iterdir()}
            if run.hung and plain and not left and (library := self.waits_in(plain, fault)):
                return "", f"{library} waits for ever"
            if why := run.why((0, *codes)):
                return why
            if run.code == 0 and left != whole:
                return f"exit 0, and the result differs ({', '.join(f'{n}: {len(b)} bytes' for n, b in left.items()) or 'none'})"
            if (
                run.code != 0
                and left
                and not grows
                and not (late and left.items() <= whole.items())
            ):
                return f"exit {run.code} leaves {', '.join(left)}"
            if run.code == 4 and error in ERRORS and ERRORS[error] not in run.err:
                return f"exit 4 without the reason: {run.err.strip()}"
            return ""

        self.point(campaign, make(self.root / "out"), fault, check)

    def writes(self):
        """One write, close, fsync, rename, link, lseek or open of results fails."""
        for name, make in self.outputs():
            whole, counts = self.undisturbed(make)
            if whole is None:
                print(f"  without {name}: {counts.strip()[:120]}")
                continue
            self.point(
                "same twice",
                make(self.root / "out"),
                "",
                lambda: (
                    "" if self.undisturbed(make)[0] == whole else f"{name} differs from run to run"
                ),
            )
            named = ["rename", "link", "lseek", "open"]
            if not self.long and self.times == 1:
                named = [self.random.choice(named)]
            for kind in ["write", "close", "fsync", *named]:
                for n in self.sample(range(1, counts[kind] + 1), 1):
                    error = list(ERRORS)[
                        (n + len(name) + self.seed) % 3
                    ]  # the command treats them alike, but for the words
                    self.disturbed(
                        "failed calls",
                        make,
                        whole,
                        f"{kind}:{n}:{error}",
                        error,
                        (4,),
                        "follow" in name,
                    )
            if not counts["fsync"]:
                self.point(
                    "failed calls",
                    make(self.root / "out"),
                    "no fsync",
                    lambda: f"{name}: nothing is synced",
                )

    def replaced(self):
        """What fails leaves an old result as it was."""
        for kind in ("tif", "png"):
            for fault in ("write:1", "fsync:1", "link:1", "rename:1"):
                words = [
                    "filter",
                    self.photo,
                    "-o",
                    self.root / "out" / f"o.{kind}",
                    "--kernel",
                    "average:3",
                ]

                def check():
                    at = self.fresh()
                    (at / f"o.{kind}").write_bytes(b"old")
                    run = self.run(words, fault=f"{fault}:EIO,{at}")
                    left = {p.name: p.read_bytes() for p in at.iterdir()}
                    return run.why((4,)) or (
                        "" if left == {f"o.{kind}": b"old"} else f"{left.keys()}: {run.err.strip()}"
                    )

                self.point("replaced", words, fault, check)

    def full_disk(self):
        """A disc of 64 kB that is full: a mount of tmpfs, where that is allowed."""
        at = self.root / "disc"
        at.mkdir()
        if (
            subprocess.run(
                ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", at], capture_output=True
            ).returncode
            != 0
        ):
            print("  no mount is allowed here: not run")
            return
        try:
            draw = random.Random(2)
            noise = self.file(
                "noise.png", png(400, 300, [draw.randrange(256) for _ in range(400 * 300)])
            )
            frames = [bytes(draw.randrange(256) for _ in range(160 * 120)) for _ in range(8)]
            moving = self.file("noise.y4m", y4m(160, 120, frames))
            for kind in STILLS + [f"video.{v}" for v in VIDEOS]:
                is_video, ending = kind.startswith("video."), kind.split(".")[-1]
                words = [
                    "filter",
                    moving if is_video else noise,
                    "-o",
                    at / f"o.{ending}",
                    "--kernel",
                    "sharpen:3",
                ]
                for room in [0, 1, 4, 8, 16, 32, 48] if self.long else [4]:

                    def check():
                        for old in at.iterdir():
                            old.unlink()
                        (at / "filler").write_bytes(bytes(max(0, 65536 - room * 1024)))
                        run = self.run(words)
                        left = sorted(p.name for p in at.iterdir() if p.name != "filler")
                        why = run.why((0, 4))
                        if not why and (run.code == 4 and left or run.code == 0 and len(left) != 1):
                            why = f"exit {run.code}, leaves {left}: {run.err.strip()}"
                        if (
                            run.code == 4
                            and not why
                            and not any(
                                words in run.err
                                for words in ("lossy", ERRORS["ENOSPC"], "no picture format")
                            )
                        ):
                            why = f"exit 4 without the reason: {run.err.strip()}"
                        return why

                    self.point("full disc", words, f"{room} kB", check)
        finally:
            subprocess.run(["umount", at], check=False)

    def streams(self):
        """Standard streams that are full, closed or gone."""
        at = self.root / "out"

        def check(name, words, codes, out=None):
            def run():
                self.fresh()
                why = self.run(words, wrap=["bash", "-c", f'exec "$0" "$@" {name}']).why(codes)
                if "without a word" in why and "2>" in name:
                    why = ""
                if (
                    not why
                    and out is not None
                    and (at / out).exists()
                    and b"YUV4MPEG2" in (at / out).read_bytes()
                ):
                    why = f"{out} holds what was meant for standard output"
                return why

            self.point("standard streams", words, name, run)

        photo, video = self.photo, self.video
        for to in ("2>/dev/full", "2>&-", "2> >(true)"):
            check(to, ["edges", "missing.png", "-o", at / "o.png"], (3,))
            check(to, ["edges", photo, "-o", at / "o.png", "-v"], (0,))
            check(to, ["frobnicate"], (2,))
        for words in (
            ["--help"],
            ["--version"],
            ["list", "operations"],
            ["edges", photo, "-o", "-"],
            ["edges", video, "-o", "-"],
            ["detect", video, "--json", "-"],
            ["generate", "man"],
        ):
            for to in (">/dev/full", ">&-"):
                check(to, words, (4, 2) if words[0] in ("list", "generate") else (4,))
        check("0<&- 1>&-", ["detect", video, "-o", "-", "--json", at / "b.nd"], (4,), out="b.nd")
        check("0<&-", ["detect", "-", "--json", at / "b.nd"], (3,))

    def determinism(self):
        """Bytes do not depend on the number of threads, the machine's cores, or its instructions."""
        cases = [["edges", self.video, "-o", f"o.{kind}"] for kind in VIDEOS]
        cases += [
            ["edges", self.photo, "-o", "o.png", *more]
            for more in (
                [],
                ["--method", "log"],
                ["--method", "sobel"],
                ["--method", "boundaries"],
                ["--color", "gray"],
                ["--sigma", "0", "--threshold", "80"],
                ["--lines", "o.svg"],
            )
        ]
        cases += [
            ["filter", self.photo, "-o", "o.tif", "--kernel", "gaussian:15:2.5"],
            ["filter", self.photo, "-o", "o.pgm", "--median", "5"],
        ]
        cases += [
            ["detect", self.video, "--json", "o.nd", *more]
            for more in ([], ["--background", "mean"], ["--track"])
        ]
        ways = [("1", "", True), ("3", "", False)]
        if self.long:
            ways = [
                (str(threads), simd, threads == 1)
                for threads in (1, 2, 5, 64)
                for simd in ("", "sse4", "scalar")
            ]
        for case in cases:
            results = {}

            def result(threads, simd, one_core, case=case, results=results):
                at = self.fresh()
                wrap = ["taskset", "-c", "0"] if one_core and shutil.which("taskset") else []
                environment = {"CUESTA_SIMD": simd} if simd else {}
                words = [at / word if str(word).startswith("o.") else word for word in case]
                run = self.run([*words, "--threads", threads], wrap=wrap, environment=environment)
                if "no encoder" in run.err or "its name is not that" in run.err:
                    return "", {}
                return run.why((0,)), {p.name: p.read_bytes() for p in at.iterdir()}

            for threads, simd, one_core in ways:

                def check():
                    if not results:
                        results["whole"] = result("0", "", False)
                    why, found = result(threads, simd, one_core)
                    same = found == results["whole"][1]
                    return (
                        results["whole"][0]
                        or why
                        or (
                            ""
                            if same
                            else f"{case}: other bytes by {threads} threads, {simd or 'all'} instructions"
                        )
                    )

                self.point("threads and instructions", [*case, "--threads", threads], simd, check)

    def commands(self):
        return {
            "still": lambda at: ["edges", self.photo, "-o", at / "o.png"],
            "y4m": lambda at: ["edges", self.video, "-o", at / "o.y4m"],
            "avi": lambda at: ["edges", self.video, "-o", at / "o.avi"],
            "detect": lambda at: ["detect", self.video, "--json", at / "o.nd", "--track"],
        }

    def exhaustion(self):
        """Threads that cannot be made, descriptors that are refused, allocations of C++ that fail."""
        met = set()
        for name, make in self.commands().items():
            whole, counts = self.undisturbed(make)
            if whole is None:
                continue
            for kind, error, most in (("thread", "EAGAIN", 3), ("open", "EMFILE", 4)):
                for n in self.sample(range(1, counts[kind] + 1), most if name != "still" else 2):
                    for forever in ("", "+"):
                        self.disturbed(
                            f"no {kind}",
                            make,
                            whole,
                            f"{kind}:{n}{forever}:{error}",
                            error,
                            (3, 4, 5),
                        )
            _, places = self.undisturbed(make, "new")
            # A place that another command has met fails there; "and all after" begins at every fourth.
            fresh = [place for place in places if place not in met]
            met |= set(places)
            for place in self.sample(fresh, 6):
                for forever in (
                    ("", "+") if not self.long or int(place, 16) >> 12 & 3 == 0 else ("",)
                ):
                    self.disturbed(
                        "no new",
                        make,
                        whole,
                        f"new:@{place}{forever}:ENOMEM",
                        "ENOMEM",
                        (3, 4, 5),
                        late=True,
                    )

    def without_memory(self, make, fault, whole):
        """Why it is bad how a command ends whose allocation fails; nothing and a word for its end, otherwise."""
        report = self.root / "report"
        report.unlink(missing_ok=True)
        at = self.fresh()
        run = self.run(make(at), fault=fault, report=report, seconds=20, ask=bool(self.shim))
        left = {p.name: p.read_bytes() for p in at.iterdir()}
        innermost = innermost_of(report, "signal") or "cuesta"
        failed = innermost_of(report, "fault") or "nothing"
        if run.hung:  # in whose code it waits, the last signal tells
            return "it hangs" if innermost == "cuesta" else ("", f"{innermost} waits for ever")
        if run.code == 0 and left != whole:
            return f"exit 0, and the result differs: {failed} had no memory"
        if run.code != 0 and left and left != whole:
            return f"exit {run.code} leaves {', '.join(left)}: {failed} had no memory"
        if run.crashed():
            if "Fatal glibc error" in run.err:
                innermost = "libc.so.6"
            if innermost == "cuesta":
                return f"we end by signal {abs(run.code)}: {failed} had no memory"
            return "", f"{innermost} ends the process"
        if run.code not in (0, 1, 3, 4, 5):
            return f"exit {run.code}: {run.err.strip()}"
        return "", f"exit {run.code}"

    def malloc(self):
        """An allocation of a C library fails: what it makes of it is its own, but nothing is half done, and we do not crash."""
        met = set()
        for name, make in self.commands().items():
            whole, _ = self.undisturbed(make)
            if whole is None:
                continue
            _, places = self.undisturbed(make, "malloc")
            fresh = [place for place in places if place not in met]
            met |= set(places)
            if self.long:  # most are one kind: a name that GLib registers
                fresh = [place for place in fresh if int(place, 16) >> 12 & 3 == 0]
            for place in self.sample(fresh, 4):
                fault = f"malloc:@{place}:ENOMEM"

                self.point(
                    "no malloc",
                    make(self.root / "out"),
                    fault,
                    lambda: self.without_memory(make, fault, whole),  # noqa: B023
                )

    def lost_frames(self):
        """An allocation fails while a video is demultiplexed and decoded: no frame is lost or changed with success. By number, as
        the innermost calls are the same for most of them."""
        for ending, seed, is_still in self.seeds():
            if is_still:
                continue

            def make(at, seed=seed):
                return ["detect", seed, "--json", at / "o.ndjson"]

            whole, counts = self.undisturbed(make)
            if whole is None:
                continue
            for n in self.sample(range(1, counts["malloc"] + 1), 4):
                fault = f"malloc:{n}:ENOMEM"

                self.point(
                    "lost frames",
                    make(self.root / "out"),
                    f"{seed.name}:{n}",
                    lambda: self.without_memory(make, fault, whole),  # noqa: B023
                )

    def sandbox(self):
        """--sandbox: the same bytes, no signal that ends the command, nothing left of a decoder that a signal ended."""
        cases = self.outputs()
        for name, make in self.sample(cases, 3):

            def check():
                results = []
                for more in ([], ["--sandbox"]):
                    at = self.fresh()
                    run = self.run([*make(at), *more])
                    # That it was requested is one of the options that are saved.
                    results.append(
                        (
                            run.code,
                            {
                                p.name: p.read_bytes().replace(b"sandbox = true\n", b"")
                                for p in at.iterdir()
                            },
                        )
                    )
                    if more and (why := run.why((results[0][0],))):
                        return why
                return "" if results[0] == results[1] else f"{name}: other results in the sandbox"

            self.point("sandbox", [*make(self.root / "out"), "--sandbox"], "", check)
        fenced = {
            name: lambda at, make=make: [*make(at), "--sandbox"]
            for name, make in self.commands().items()
            if name in ("still", "avi")
        }
        for name, make in fenced.items():
            whole, _ = self.undisturbed(self.commands()[name])
            if whole is None:
                continue
            # The parent has few places; what is counted in a process of its own is not reported, so that the plain command's serve.
            _, places = self.undisturbed(self.commands()[name], "malloc")
            if self.long:  # one in 16; at one of those GLib waits for itself
                places = [place for place in places if int(place, 16) >> 12 & 15 == 4]
            for place in self.sample(places, 4):
                self.disturbed(
                    "sandbox",
                    make,
                    whole,
                    f"malloc:@{place}:ENOMEM",
                    "ENOMEM",
                    (1, 3, 4, 5),
                    plain=self.commands()[name],
                )
            for fault in ("write:1", "fsync:1", "link:1", "close:1"):
                self.disturbed("sandbox", make, whole, f"{fault}:EIO", "EIO", (4,))

    def limits(self):
        """Descriptors, address space, file size, processor time and stack that the system limits."""
        kinds = {
            "nofile": [3, 4, 5, 6, 7, 8, 10, 12, 16, 24],
            "fsize": [0, 1, 100, 1000, 5000, 20000],
            "stack": [64 << 10, 256 << 10],
            "as": [
                n << 20 for n in (300, 350, 400, 450, 500, 600, 700, 800, 1000, 1200, 1600, 2000)
            ],
        }
        for name, make in self.commands().items():
            at = self.fresh()
            alone = self.run(make(at))
            whole = {p.name: p.read_bytes() for p in at.iterdir()}
            if alone.code != 0:
                continue
            for kind, values in kinds.items():
                for value in self.sample(values, 1):

                    def check():
                        at, report = self.fresh(), self.root / "report"
                        report.unlink(missing_ok=True)
                        run = self.run(
                            make(at),
                            report=report,
                            environment={"LD_PRELOAD": self.shim},
                            wrap=["prlimit", f"--{kind}={value}", "--"],
                        )
                        left = {p.name: p.read_bytes() for p in at.iterdir()}
                        if run.code == 127 and ("shared librar" in run.err or "cannot" in run.err):
                            return "", "it could not be loaded"
                        if left and left != whole or run.code == 0 and left != whole:
                            return f"exit {run.code}, leaves {', '.join(left)}"
                        if (
                            run.crashed()
                            and (innermost := innermost_of(report, "signal") or "cuesta")
                            != "cuesta"
                        ):
                            return "", f"{innermost} ends the process"
                        why = run.why((0, 3, 4, 5))
                        return (
                            "" if kind == "fsize" and "without a word" in why else why
                        )  # its words go to a file, too

                    self.point("limits", make(self.root / "out"), f"{kind}={value}", check)

    def truncation(self):
        """Files that are cut off give an error, or what is there with --partial."""
        at = self.fresh("cut")
        for ending, seed, is_still in self.seeds():
            data = seed.read_bytes()
            cut, result = at / f"cut.{ending}", at / ("o.png" if is_still else "o.y4m")
            words = ["edges", cut, "-o", result]
            cut.write_bytes(data)
            result.unlink(missing_ok=True)
            run = self.run(words)
            if run.code != 0:
                self.point(
                    "truncation",
                    words,
                    seed.name,
                    lambda: f"{seed.name} itself is refused: {run.err.strip()}",
                )
                continue
            whole = result.read_bytes()
            points = sorted(
                {int(len(data) * i / 28) for i in range(1, 28)} | {len(data) - 1, len(data) - 8}
            )
            for size in self.sample(points, 3):

                def check():
                    cut.write_bytes(data[:size])
                    result.unlink(missing_ok=True)
                    run = self.run(words)
                    if why := run.why((0, 3)):
                        return why
                    if run.code == 0 and result.read_bytes() != whole:
                        if seed.suffix in CANNOT_KNOW:
                            return "", f"silent: {seed.suffix[1:]}"
                        return f"{seed.name} cut to {size} of {len(data)} bytes: exit 0, and the result differs"
                    return ""

                self.point("truncation", words, f"{seed.name}:{size}", check)

    def lost_packets(self):
        """A stretch of a video is zeros, as of a lost page, or is missing: no frame is lost with success."""
        at = self.fresh("lost")
        for ending, seed, is_still in self.seeds():
            if is_still or ending == "y4m":  # which has nothing but samples
                continue
            data = seed.read_bytes()
            damaged, result = at / f"damaged.{ending}", at / "o.y4m"
            words = ["edges", damaged, "-o", result, "--threads", "1"]
            damaged.write_bytes(data)
            self.run(words)
            frames = result.read_bytes().count(b"FRAME\n")
            draw = random.Random(f"{self.seed} lost {seed.name}")
            for i in range(60 if self.long else self.times):
                for zeros in (True, False):
                    begin = draw.randrange(len(data))
                    size = min(draw.choice((188, 512)), len(data) // 8)

                    def check():
                        between = bytes(min(size, len(data) - begin)) if zeros else b""
                        damaged.write_bytes(data[:begin] + between + data[begin + size :])
                        result.unlink(missing_ok=True)
                        run = self.run(words)
                        if "is not the extension of a picture format" in run.err:
                            return "", "one frame is left"  # a picture then
                        if why := run.why((0, 3)):
                            return why
                        left = frames
                        if run.code == 0:
                            left = result.read_bytes().count(b"FRAME\n")
                        if left >= frames:
                            return ""
                        if seed.suffix in CANNOT_KNOW:
                            return "", f"silent: {seed.suffix[1:]}"
                        return f"exit 0, and {left} of {frames} frames"

                    what = "zeros" if zeros else "missing"
                    self.point("lost packets", words, f"{seed.name} {what} {begin} {i}", check)

    def bounds(self):
        """What declares much and holds little is refused, with little time and memory."""
        at = self.fresh()
        fifo = self.root / "fifo"
        os.mkfifo(fifo)

        def sparse(name, head, size):
            path = self.file(name, head)
            os.truncate(path, size)
            return path

        beside = b"ffconcat version 1.0\nfile 'fifo'\n"
        huge = 16384
        bmp = b"BM" + struct.pack("<IIIIiiHHIIiiII", 0, 0, 54, 40, 16, 16, 1, 24, 0, 0, 0, 0, 0, 0)
        bomb = self.file("bomb.png", png_of_zeros(huge, huge, 6, 16))
        still = lambda path, *more: ["edges", path, "-o", at / "o.png", *more]  # noqa: E731
        # name, words, exit codes, MiB
        cases = [
            ("PNG, 16384² of 16-bit RGBA", still(bomb), (3,), 200),
            ("PNM text, 16384²", still(self.file("p1.pbm", b"P1\n16384 16384\n")), (3,), 200),
            (
                "PNM text, 16384², --partial",
                still(self.file("p2.pgm", b"P2\n200000 200000 255\n"), "--partial"),
                (3,),
                200,
            ),
            ("PNM of bits, 16384²", still(self.file("p4.pbm", b"P4\n16384 16384\n")), (3,), 200),
            (
                "PNM, 16384² of 16 bits, --partial",
                still(self.file("p6.ppm", b"P6\n16384 16384 65535\n"), "--partial"),
                (3,),
                200,
            ),
            (
                "PNM, 16384² of 16 bits of gray, --partial",
                still(self.file("p5.pgm", b"P5\n16384 16384\n65535\n"), "--partial"),
                (3,),
                200,
            ),
            (
                "BMP, 16384² of 24 bits",
                still(self.file("b.bmp", bmp[:18] + struct.pack("<ii", huge, huge) + bmp[26:])),
                (3,),
                200,
            ),
            (
                "PNM, width past 2^32",
                still(self.file("wrap.pgm", b"P5 4294967297 1 255\nA")),
                (3,),
                200,
            ),
            (
                "PNM, 2^62 pixels, --partial",
                still(self.file("w.pgm", b"P5 2147483647 2147483647 255\n"), "--partial"),
                (3,),
                200,
            ),
            (
                "PGM of 4 GiB behind 16 x 16, --partial",
                still(sparse("s.pgm", b"P5\n16 16\n255\n", 4 << 30), "--partial"),
                (0,),
                200,
            ),
            ("BMP of 6 GiB behind 16 x 16", still(sparse("s.bmp", bmp, 6 << 30)), (0, 3), 200),
            (
                "zeros, 4 GiB, as a video",
                ["edges", sparse("z.mp4", b"", 4 << 30), "-o", at / "o.mp4"],
                (3,),
                200,
            ),
            ("zeros, 4 GiB, as a picture", still(sparse("z.png", b"", 4 << 30)), (3,), 200),
            (
                "y4m of one column",
                ["edges", self.file("col.y4m", y4m_head(1, 1 << 28)), "-o", at / "o.y4m"],
                (3,),
                200,
            ),
            (
                "kernel, FIFO",
                ["filter", self.photo, "-o", at / "o.png", "--kernel", fifo],
                (2, 3),
                100,
            ),
            (
                "kernel, /proc/self/mem",
                ["filter", self.photo, "-o", at / "o.png", "--kernel", "/proc/self/mem"],
                (2, 3),
                100,
            ),
            (
                "a list as a video, FIFO beside it",
                ["detect", self.file("c.mkv", beside), "--json", at / "o.nd"],
                (3,),
                200,
            ),
            ("mask, FIFO", still(self.photo, "--mask", fifo), (2, 3), 100),
            ("config, FIFO", still(self.photo, "--config", fifo), (2, 3), 100),
            (
                "scene, FIFO",
                ["detect", self.video, "--json", at / "o.nd", "--scene", fifo],
                (2, 3),
                100,
            ),
            (
                "baseline, FIFO",
                ["bench", "cpu", "--quick", "--only", "sobel", "--baseline", fifo],
                (2, 3),
                100,
            ),
            (
                "threads, 4096",
                ["edges", self.video, "-o", at / "o.mkv", "--threads", "4096"],
                (0,),
                400,
            ),
        ]
        for name, words, codes, most in cases:

            def check(words=words, codes=codes, most=most):
                began = time.monotonic()
                run = self.run(words)
                seconds = time.monotonic() - began
                why = run.why(codes)
                if not why and self.shim and (seconds > 10 or run.mib > most):
                    why = f"{seconds:.1f} s and {run.mib} MiB (at least the attack's own {self.own_mib()} MiB)"
                return why

            self.point("bounds", words, name, check)

    def seeds(self):
        """One file of every format that this build writes: (ending, path, is a still). Made once."""
        if not self.made:
            self.made = self.make_seeds()
        return self.made

    def make_seeds(self):
        made = []
        big = self.file(
            "long.y4m",
            y4m(96, 64, [bytes((x + 3 * i) % 251 for x in range(96 * 64)) for i in range(40)]),
        )
        for ending in (
            "mp4",
            "mov",
            "mkv",
            "avi",
            "webm",
            "flv",
            "ogv",
            "wmv",
            "ts",
            "nut",
            "gif",
            "y4m",
        ):
            path = self.root / f"seed.{ending}"
            run = self.run(["filter", big, "-o", path, "--kernel", "average:3"])
            if run.code == 0:
                made.append((ending, path, False))
            else:
                print(f"  without {ending}: {run.err.strip()[:100]}")
        self.run(["edges", big, "-o", self.root / "fragments.mp4", "--follow"])
        self.run(["detect", big, "--mask-video", self.root / "ffv1.mkv"])
        made += [
            ("mp4", self.root / "fragments.mp4", False),
            ("mkv", self.root / "ffv1.mkv", False),
        ]
        if shutil.which("ffmpeg"):  # of whose packets any number of bytes decodes
            lossless = self.root / "ffv1.nut"
            make = [
                "ffmpeg",
                "-y",
                "-loglevel",
                "error",
                "-i",
                self.root / "ffv1.mkv",
                "-c",
                "copy",
            ]
            subprocess.run([*make, lossless], check=True)
            made.append(("nut", lossless, False))
        for kind in ("png", "tif", "jpg", "pgm", "webp", "gif", "bmp", "jp2", "jxl", "avif"):
            path = self.root / f"seed-still.{kind}"
            if self.run(["filter", self.photo, "-o", path, "--kernel", "average:3"]).code == 0:
                made.append((kind, path, True))
        samples = [i * 7 % 256 for i in range(100 * 100)]
        rows = "\n".join(" ".join(map(str, samples[y * 100 : y * 100 + 100])) for y in range(100))
        made.append(("pgm", self.file("text.pgm", f"P2\n100 100\n255\n{rows}\n".encode()), True))
        bits = "\n".join("01" * 50 for _ in range(100))
        made.append(("pbm", self.file("text.pbm", f"P1\n100 100\n{bits}\n".encode()), True))
        made.append(
            (
                "pbm",
                self.file("bits.pbm", b"P4\n100 100\n" + bytes(i % 256 for i in range(1300))),
                True,
            )
        )
        return [one for one in made if one[1].exists()]

    def mutated(self, data, draw):
        """A file with a few of its bytes, or parts of it, changed; most of all in its head."""
        out = bytearray(data)
        for _ in range(draw.choice((1, 1, 2, 4, 16))):
            at = draw.randrange(min(len(out), 256) if draw.random() < 0.6 else len(out))
            kind = draw.randrange(6)
            size = draw.randrange(1, 65)
            if kind == 0:
                out[at] ^= 1 << draw.randrange(8)
            elif kind == 1:
                out[at] = draw.choice((0, 1, 0x7F, 0x80, 0xFF, draw.randrange(256)))
            elif kind == 2:
                out[at : at + 4] = struct.pack(
                    draw.choice("<>") + "I", draw.choice((0, 1, 0x7FFFFFFF, 0xFFFFFFFF, 1 << 16))
                )
            elif kind == 3:
                del out[at : at + size]
            elif kind == 4:
                out[at:at] = out[at : at + size]
            else:
                other = draw.randrange(len(out))
                out[at : at + size] = out[other : other + size]
            if not out:
                return b"\0"
        return bytes(out)

    def mutations(self):
        """Files with changed bytes: an error or a picture, soon, in little memory, and the same one again."""
        for ending, seed, still in self.seeds():
            data = seed.read_bytes()
            # Pictures go many to a run. Videos are distinguished by their samples, which a batch has no format for.
            size = 40 if self.long and still else 1
            many = (20 if still else 60) if self.long else 2 * self.times
            for i in range(many):
                draw = random.Random(f"{self.seed} {seed.name} {i}")
                name = f"{seed.name} {i} {hashlib.sha256(data).hexdigest()[:8]}"
                files = lambda: [self.mutated(data, draw) for _ in range(size)]  # noqa: E731
                partial = ["--partial"] if i % 2 else []
                self.point(
                    "mutated pictures" if still else "mutated videos",
                    ["edges", f"{size} x {ending}", *partial],
                    name,
                    lambda: self.mutation(files(), ending, still, partial),
                )

    def mutation(self, files, ending, still, partial):
        at = self.fresh("mutated")
        paths = [at / f"m{k}.{ending}" for k in range(len(files))]
        for path, data in zip(paths, files):
            path.write_bytes(data)
        if len(paths) == 1:
            return self.decoded(paths, still, partial)[0], None, 2
        why, _ = self.decoded(paths, still, partial)
        if why:  # which of them it was
            alone = [(path, self.decoded([path], still, partial)[0]) for path in paths]
            for path, reason in alone:
                if reason:
                    kept = (
                        Path(os.environ.get("TMPDIR", "/tmp"))
                        / f"cuesta-bad-{os.getpid()}-{zlib.crc32(path.read_bytes())}.{ending}"
                    )
                    shutil.copy(path, kept)
                    why += f"\n    {kept}: {reason}"
        return why, None, 2 * len(files)

    def decoded(self, paths, still, partial):
        """What is bad about reading them, all in one run, in memory filled in two ways; and the results."""
        all_results = []
        for filler in ("85", "170"):
            out = self.fresh()
            words = ["edges", *paths, "-o", out, "--format", "png", *partial]
            if (
                len(paths) == 1
            ):  # by one thread: libav's frame threads see some damage of H.264 at one time and not at another
                words = [
                    "edges",
                    paths[0],
                    "-o",
                    out / ("o.png" if still else "o.y4m"),
                    "--threads",
                    "1",
                    *partial,
                ]
            run = self.run(words, environment={"MALLOC_PERTURB_": filler})
            # An animation may have become a still picture, which is no video; a batch continues.
            why = run.why(
                (0, 3, 4)
                if "is not the extension of a picture format" in run.err or len(paths) > 1
                else (0, 3)
            )
            if not why and run.mib > 1500 and self.shim:
                why = f"{run.mib} MiB"
            results = {p.name: p.read_bytes() for p in out.iterdir()}
            if not why and len(paths) == 1 and run.code and results:
                why = f"exit {run.code} and a result"
            if why:
                return why, results
            all_results.append(results)
        same = all_results[0] == all_results[1]
        return "" if same else "the result depends on what memory held before", all_results[0]

    def options(self):
        """Drawn lists of options: an error in words or a result, never a crash."""
        listing = subprocess.run(
            [self.cuesta, "generate", "fish"], capture_output=True, text=True, check=True
        ).stdout
        known = {}
        for line in listing.splitlines():
            if match := re.match(
                r"complete -c cuesta -n '__fish_seen_subcommand_from (\w+)' -l ([\w-]+)(?: -s \w)?(?: (-r|-x -a '([^']*)'))? -d",
                line,
            ):
                # Not what runs programs, talks to others, or never ends.
                if match[2] not in ("on-event", "reconnect", "mqtt", "device", "quick", "repeat"):
                    known.setdefault(match[1], []).append(
                        (match[2], bool(match[3]), (match[4] or "").split())
                    )
        hostile = [
            "",
            "0",
            "-1",
            "1",
            "2",
            "3",
            "5",
            "7",
            "254",
            "255",
            "1e308",
            "-1e308",
            "1e400",
            "nan",
            "inf",
            "-inf",
            "2147483647",
            "2147483648",
            "-2147483649",
            "9223372036854775807",
            "18446744073709551616",
            "0x10",
            "1,5",
            "a=b",
            "=",
            "simd",
            "serial",
            "rows",
            "auto",
            "auto:otsu",
            "auto:percentile:100",
            "constant:-5",
            "average:5",
            "gaussian:255:99",
            "1 2;3 4 / 0",
            ";;",
            "0,0,10,10",
            "119,79,1,1",
            "-1,0,5,5",
            "0,0,2147483647,2147483647",
            "disk:15",
            "ellipse:253",
            "rect:5x3",
            "rect:0x0",
            "photo.png",
            "video.y4m",
            "missing",
            ".",
            "..",
            "-",
            "/dev/null",
            "/dev/full",
            "/proc/self/mem",
            "o.tif",
            "o.mkv",
            "o.nd",
            "\u00e9\n\x1b[31m",
            "x" * 5000,
            "512MB",
            "1",
            "%s%n",
            "[" * 200,
        ]
        verbs = {
            "edges": [
                ["photo.png", "-o", "o.png"],
                ["video.y4m", "-o", "o.mkv"],
                ["photo.png", "--lines", "o.svg"],
            ],
            "filter": [
                ["photo.png", "-o", "o.png"],
                ["photo.png", "-o", "o.tif", "--kernel", "average:5"],
                ["video.y4m", "-o", "o.y4m", "--median", "3"],
            ],
            "detect": [["video.y4m", "--json", "o.nd"], ["video.y4m", "-o", "o.mp4"]],
            "list": [["strategies"], []],
        }
        for i in range(3000 if self.long else 10 * self.times):
            draw = random.Random(f"options {self.seed} {i}")
            verb = draw.choice(list(verbs))
            words = [verb, *draw.choice(verbs[verb])]
            for name, takes, choices in draw.choices(known[verb], k=draw.randrange(1, 6)):
                words.append(f"--{name}")
                if takes:
                    words.append(
                        draw.choice(choices)
                        if choices and draw.random() < 0.7
                        else draw.choice(hostile)
                    )
            if verb != "list":
                words += ["--max-time", "8"]
            if draw.random() < 0.1:
                draw.shuffle(words)

            def check():
                at = self.fresh()
                for source in (self.photo, self.video):
                    os.link(source, at / source.name)
                try:
                    run = self.run(words, cwd=at)
                except ValueError:  # no argument of a program has such bytes
                    return ""
                hidden = [p.name for p in at.iterdir() if p.name.startswith(".o.")]
                if run.code in (2, 3, 4, 5) and hidden:
                    return f"exit {run.code} leaves {hidden}"
                return run.why((0, 2, 3, 4, 5))

            self.point("options", words, str(i), check)

    def surroundings(self):
        """No environment, no home, other languages, names of files that mislead: the same result."""
        whole = self.fresh()
        self.run(["edges", self.photo, "-o", whole / "o.png"])
        expected = (whole / "o.png").read_bytes()
        wraps = {
            "empty environment": ["env", "-i"],
            "no home": [
                "env",
                "HOME=/nonexistent",
                "TMPDIR=/nonexistent",
                "XDG_CACHE_HOME=/nonexistent",
            ],
            "German": ["env", "LC_ALL=de_DE.UTF-8"],
            "Turkish": ["env", "LC_ALL=tr_TR.UTF-8"],
            "Persian": ["env", "LC_ALL=fa_IR.UTF-8"],
            "no language": ["env", "LC_ALL=xx"],
            "no colors": ["env", "TERM=", "NO_COLOR=1"],
            "nice": ["nice", "-n", "19"],
            "one core": ["taskset", "-c", "0"],
            "GLib's debugging": ["env", "G_SLICE=always-malloc", "G_DEBUG=gc-friendly"],
        }
        if subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode == 0:
            for folder in ("/proc", "/sys"):
                wraps[f"no {folder}"] = [
                    "unshare",
                    "-m",
                    "sh",
                    "-c",
                    f'mount -t tmpfs none {folder} && exec "$0" "$@"',
                ]
        names = [
            "o\n.png",
            "-o.png",
            "[o].png",
            "o" * 251 + ".png",
            "\u00e9\u4e2d.png",
            "o .png",
            "o%d%s.png",
            "o[page=3].png",
            "\x1b[31mo.png",
            "o:1.png",
        ]

        def check(wrap, name):
            at = self.fresh()
            source = at / f"in{name}" if len(name) < 200 else self.photo
            if source != self.photo:
                shutil.copy(self.photo, source)
            run = self.run(["edges", source, "-o", at / name], wrap=wrap)
            return run.why((0,)) or (
                "" if (at / name).read_bytes() == expected else "the result differs"
            )

        for what, wrap in wraps.items():
            self.point(
                "surroundings",
                ["edges", "photo.png", "-o", "o.png"],
                what,
                lambda: check(wrap, "o.png"),
            )
        for name in names:
            self.point(
                "surroundings", ["edges", "photo.png", "-o", name], "name", lambda: check([], name)
            )

    def kill(self):
        """SIGKILL and others at random moments leave no temporary and no half result."""
        big = self.file(
            "kill.y4m", y4m(320, 240, [random.Random(i).randbytes(320 * 240) for i in range(30)])
        )
        signals = [
            signal.SIGKILL,
            signal.SIGTERM,
            signal.SIGQUIT,
            signal.SIGALRM,
            signal.SIGUSR1,
            signal.SIGXCPU,
            signal.SIGINT,
            signal.SIGHUP,
            signal.SIGUSR2,
            signal.SIGABRT,
        ]
        words = ["edges", big, "-o", self.root / "out" / "o.mkv"]
        self.fresh()
        began = time.monotonic()
        if self.run(words).code != 0:
            return
        longest = 1.2 * (time.monotonic() - began)
        whole = (self.root / "out" / "o.mkv").read_bytes()
        for i in range(300 if self.long else 6 * self.times):
            number = signals[i % len(signals)]

            def check():
                at = self.fresh()
                process = subprocess.Popen(
                    [self.cuesta, *map(str, words)],
                    cwd=self.root,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    env={**os.environ, **UNCOUNTED},
                )
                time.sleep(random.Random(f"{self.seed} {i}").uniform(0.02, longest))
                process.send_signal(number)
                code = process.wait(60)
                left = {p.name: p.read_bytes() for p in at.iterdir()}
                # A signal may come when the result is there, whole.
                if left and left != {"o.mkv": whole} or code == 0 and not left:
                    return f"exit {code} leaves {', '.join(f'{n}: {len(b)} bytes' for n, b in left.items())}"
                return ""

            self.point("kill", words, f"{number.name} {i}", check)

    def soak(self):
        """Long streams and large batches: memory, descriptors and threads do not grow."""
        frames = 1_000_000 if self.long else 3000 * self.times
        street = [
            bytes(
                100 + 90 * (20 <= y < 50 and 3 * i <= x < 3 * i + 30) + (x * y + 7 * i) % 9
                for y in range(90)
                for x in range(120)
            )
            for i in range(30)
        ]
        chunk = b"".join(b"FRAME\n" + frame for frame in street)
        head = y4m(120, 90, [])
        pictures = self.fresh("pictures")
        many = 2400 if self.long else 100 * self.times
        # name, words, frames, kB that it may grow in its second half
        index = 4 + frames // 2 * 2 // 1000  # Matroska's index has a few bytes a key frame
        cases = [
            ("detect", ["detect", "-", "--json", "-"], frames, 64),
            (
                "detect, a video out",
                ["detect", "-", "--background", "mixture", "-o", "soak.mkv"],
                frames // 10,
                64 + index,
            ),
        ]
        for name, words, count, most in cases:
            self.point(
                "soak",
                words,
                f"{count} frames",
                lambda: self.grows(words, self.feed(head, chunk, count // len(street)), most),
            )

        def batch():
            files = [pictures / f"{k}.png" for k in range(many)]
            for k, path in enumerate(files):
                side = 40 + k % 80
                path.write_bytes(png(side, 60, [(x * k) % 251 for x in range(side * 60)]))
            return self.grows(["edges", *files, "-o", self.fresh()], None, 2048, many)

        self.point("soak", ["edges", f"{many} pictures"], f"{many} pictures", batch)

    @staticmethod
    def feed(head, chunk, times):
        def work(to):
            try:
                to.write(head)
                for _ in range(times):
                    to.write(chunk)
            except BrokenPipeError:
                pass
            finally:
                to.close()

        return work

    def grows(self, words, feed, most, runs=1):
        """What grew between the halves of a run, from its first threads on; the first tenth of that is not looked at."""
        source = subprocess.PIPE if feed else subprocess.DEVNULL
        with open(self.root / "soak.err", "w+") as err:
            process = subprocess.Popen(
                [self.cuesta, *map(str, words)],
                cwd=self.root,
                stdin=source,
                stdout=subprocess.DEVNULL,
                stderr=err,
            )
            if feed:
                threading.Thread(target=feed, args=(process.stdin,), daemon=True).start()
            seen, wait = [], 0.01
            while process.poll() is None:
                try:
                    fields = dict(
                        line.split(":", 1)
                        for line in Path(f"/proc/{process.pid}/status").read_text().splitlines()
                    )
                    seen.append(
                        (
                            int(fields["VmRSS"].split()[0]),
                            int(fields["Threads"]),
                            len(os.listdir(f"/proc/{process.pid}/fd")),
                        )
                    )
                except (OSError, KeyError):
                    continue  # it ended
                if len(seen) == 4000:
                    seen, wait = seen[::2], wait * 2
                time.sleep(wait)
            err.seek(0)
            said = err.read()
        if process.returncode != 0:
            return f"exit {process.returncode}: {said[-300:]}"
        seen = list(
            itertools.dropwhile(lambda one: one[1] == 1, seen)
        )  # on a busy machine to start takes long
        seen = seen[len(seen) // 10 : -max(1, len(seen) // 50)]  # not its end either
        first, second = seen[: len(seen) // 2], seen[len(seen) // 2 :]
        if len(first) < 10:
            return "" if not self.long else "it was over too soon to look"
        growth = max(s[0] for s in second) - max(s[0] for s in first)
        print(
            f"  {words[0]}: {first[0][0]} kB, later {growth:+} kB; threads {sorted({s[1] for s in seen})}, descriptors {sorted({s[2] for s in seen})}",
            flush=True,
        )
        if growth > most and (self.long or self.times > 1):
            return f"{growth} kB more in its second half"
        # A picture opens and closes what it needs; a stream has all it needs from its first frames on.
        spare = 0 if feed else 8
        if any(max(s[k] for s in second) > max(s[k] for s in first) + spare for k in (1, 2)):
            return "threads or descriptors grow"
        return "", f"{growth:+} kB", runs


def y4m_head(width, height):
    return b"YUV4MPEG2 W%d H%d F25:1 Cmono\n" % (width, height)


def png_of_zeros(width, height, color, bits):
    channels = {0: 1, 2: 3, 6: 4}[color]
    rows = bytes(64 * (1 + width * channels * bits // 8))
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(rows) + packer.flush(
        zlib.Z_FULL_FLUSH
    )  # stands by itself, so that it repeats
    count = len(rows) * (height // 64)
    checksum = (count % 65521) << 16 | 1  # Adler-32 of this many zeros
    data = b"\x78\x9c" + block * (height // 64) + b"\x03\x00" + struct.pack(">I", checksum)

    def chunk(kind, body):
        return (
            struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        )

    header = struct.pack(">IIBBBBB", width, height, bits, color, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")
    )


def part(text):
    number, parts = map(int, text.split("/"))
    return number, parts


def shared(options, campaigns):
    """The points, by several processes; what each of them prints."""
    import tempfile

    state = options.state or tempfile.mkdtemp(prefix="cuesta-attack-state-")
    words = [
        sys.executable,
        __file__,
        options.cuesta,
        options.shim,
        "--times",
        str(options.times),
        "--seed",
        str(options.seed),
        "--state",
        state,
    ]
    workers = [
        subprocess.Popen(
            [
                *words,
                *(["--long"] if options.long else []),
                "--part",
                f"{k}/{options.jobs}",
                *campaigns,
            ]
        )
        for k in range(options.jobs)
    ]
    try:
        end = None if options.limit is None else time.monotonic() + options.limit
        codes = [worker.wait(end and max(0, end - time.monotonic())) for worker in workers]
        if any(code not in (0, 1) for code in codes):
            raise SystemExit(f"a process of the attack itself failed: {codes}")
    except subprocess.TimeoutExpired:
        options.stopped = True
        for worker in workers:
            worker.send_signal(signal.SIGINT)
        for worker in workers:
            worker.wait()
    return Journal(state, "read", "")


def alone(options, campaigns):
    attack = Attack(options)
    try:
        for name in campaigns:
            began = time.monotonic()
            print(f"{name}: {(getattr(Attack, name).__doc__ or '').splitlines()[0]}", flush=True)
            getattr(attack, name)()
            print(f"  {name}: {time.monotonic() - began:.1f} s", flush=True)
    finally:
        attack.close()
    return attack.journal


def figures_of(options, journal):
    """What a page says about the attack."""

    def told(*words):
        return subprocess.run(
            words, capture_output=True, text=True, cwd=Path(__file__).parent, check=True
        ).stdout.strip()

    lines = journal.lines
    gpus = [
        row["name"]
        for row in json.loads(told(options.cuesta, "list", "devices", "--json"))
        if "name" in row
    ]
    what = (
        "tests/attack, long form"
        if options.long
        else f"tests/attack, {options.times} times the short form"
    )
    return {
        "what": f"{what}, stopped after {options.limit:g} s" if options.stopped else what,
        "commit": options.commit or told("git", "describe", "--always", "--dirty", "--abbrev=12"),
        "version": told(options.cuesta, "--version"),
        "gpus": gpus,
        "from": min(line["at"] for line in lines),
        "to": max(line["at"] for line in lines),
        "minutes_of_all_processes": round(sum(line["seconds"] for line in lines) / 60),
        "jobs": options.jobs,
        "cores": os.cpu_count(),
        "load": [round(load, 1) for load in os.getloadavg()],
        "campaigns": {
            name: {**row, "seconds": round(row["seconds"])}
            for name, row in journal.figures().items()
        },
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cuesta")
    parser.add_argument("shim")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument(
        "--limit",
        type=float,
        help="seconds, with --jobs; what was done by then is told, and --state goes on from it",
    )
    parser.add_argument("--part", type=part, default=(0, 1), help=argparse.SUPPRESS)
    parser.add_argument("--state", default="")
    parser.add_argument("--figures", default="")
    parser.add_argument("--commit", default="", help="what --figures says was attacked")
    parser.add_argument("campaigns", nargs="*")
    options = parser.parse_intermixed_args()
    options.stopped = False
    options.cuesta = str(Path(options.cuesta).resolve())
    known = [name for name in CAMPAIGNS if options.shim != "-" or name not in WITHOUT_SANITIZERS]
    if "fault_cuda" in Path(options.shim).name:
        known = ["cuda"]
    if unknown := set(options.campaigns) - set(known):
        parser.error(f"there is no campaign {', '.join(sorted(unknown))} here: {', '.join(known)}")
    campaigns = [name for name in known if name in options.campaigns or not options.campaigns]
    journal = shared(options, campaigns) if options.jobs > 1 else alone(options, campaigns)
    if options.part != (0, 1):  # who shares them tells
        return 0
    rows = journal.figures()
    print(f"\n{'campaign':<28}{'runs':>8}{'bad ends':>10}{'seconds':>9}")
    for name, row in rows.items():
        print(
            f"{name:<28}{row['runs']:>8}{row['bad']:>10}{row['seconds']:>9.0f}  {row['ends'] or ''}"
        )
    if options.figures:
        Path(options.figures).write_text(json.dumps(figures_of(options, journal), indent=1) + "\n")
    return 1 if any(row["bad"] for row in rows.values()) else 0


CAMPAIGNS = [
    "writes",
    "replaced",
    "full_disk",
    "streams",
    "surroundings",
    "determinism",
    "limits",
    "bounds",
    "truncation",
    "lost_packets",
    "kill",
    "exhaustion",
    "malloc",
    "lost_frames",
    "sandbox",
    "mutations",
    "options",
    "soak",
]
# What needs the shim, and what a sanitizer's runtime does not bear: limits of memory, no /proc, an empty environment, sizes past its own.
WITHOUT_SANITIZERS = {
    "writes",
    "replaced",
    "exhaustion",
    "malloc",
    "lost_frames",
    "sandbox",
    "limits",
    "surroundings",
    "options",
    "soak",
}

if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)

#!/usr/bin/env python3
"""An attack on the command: what fails around it, what is hostile in front of it.

    attack.py CUESTA SHIM [--long | --times N] [--seed N] [CAMPAIGN ...]

SHIM is the library of fault_shim.c, or "-": then what needs it is left out, and limits of memory with it (sanitizers).
Without --long every campaign takes a sample of its points, which together run in about a minute of one core; with it,
all; --times takes N times as many of the points. A bad end is a crash, a hang, a wrong exit code, half a result, a file
that is left behind, or a success whose result differs from the undisturbed one. Every bad end is printed with the
command that shows it, the table of figures at the end; exit status 1 where there was one.
"""

import argparse
import os
import random
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cli"))
from test_command import pgm, png, y4m  # noqa: E402

SECONDS = 60  # a run that takes longer hangs
ERRORS = {"EIO": "Input/output error", "ENOSPC": "No space left on device", "EDQUOT": "Disk quota exceeded"}
STILLS = ["tif", "ppm", "pgm", "pnm", "pbm", "jp2", "jpg", "png", "webp", "gif", "jxl", "avif", "bmp"]
VIDEOS = ["mp4", "mkv", "mov", "avi", "webm", "flv", "nut", "ts", "y4m", "gif", "webp"]
LISTS = {
    "--json": "o.ndjson", "--coco": "o.json", "--mot": "o.txt", "--events": "o.csv", "--report": "o.html",
    "--heatmap": "o.png", "--mask-video": "o.mkv", "--save-config": "o.toml",
}


class Attack:
    def __init__(self, options):
        self.cuesta = str(Path(options.cuesta).resolve())
        self.shim = "" if options.shim == "-" else str(Path(options.shim).resolve())
        self.long, self.times, self.random = options.long, options.times, random.Random(options.seed)
        self.bad, self.figures = [], {}
        self.root = Path(tempfile.mkdtemp(prefix="cuesta-attack-"))
        draw = random.Random(1)
        self.photo = self.file("photo.png", png(120, 80, [draw.randrange(256) for _ in range(120 * 80)]))
        frames = []
        for i in range(12):
            frame = bytearray(draw.randrange(90, 110) for _ in range(96 * 64))
            for y in range(20, 40):
                frame[y * 96 + 4 * i : y * 96 + 4 * i + 24] = b"\xf0" * 24
            frames.append(bytes(frame))
        self.video = self.file("video.y4m", y4m(96, 64, frames))

    def file(self, name, data):
        path = self.root / name
        path.write_bytes(data)
        return path

    def run(self, words, fault="", counts=None, wrap=(), environment=(), **options):
        environment = dict(os.environ, LC_ALL="C", **dict(environment))
        if fault or counts:
            environment["LD_PRELOAD"] = self.shim
            if fault:
                environment["CUESTA_FAULT"] = fault
            if counts:
                environment["CUESTA_FAULT_COUNT"] = str(counts)
        words = [*wrap, self.cuesta, *map(str, words)]
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        process = subprocess.Popen(words, env=environment, cwd=self.root, start_new_session=True, **options)
        try:
            out, err = process.communicate(timeout=SECONDS)
            hung = False
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            hung = True
        return process.returncode, out or b"", (err or b"").decode(errors="replace"), hung

    def measured(self, words, **environment):
        """As run(), and the most MiB that the process had."""
        log = self.root / "time"
        log.unlink(missing_ok=True)
        result = self.run(words, wrap=[sys.executable, "-c", MEASURE, str(log)], environment=environment)
        return *result, int(log.read_text() or 0) // 1024 if log.exists() else 0

    def count(self, campaign, words, fault, why):
        runs, bad = self.figures.get(campaign, (0, 0))
        self.figures[campaign] = (runs + 1, bad + bool(why))
        if why:
            line = f"{campaign}: {why}\n    CUESTA_FAULT={fault} cuesta {shlex.join(map(str, words))}"
            self.bad.append(line)
            print(line, flush=True)

    def sample(self, points, most):
        """All of them in the long form; else the first, the last and some between, or any one."""
        points, most = list(points), most * self.times
        if self.long or len(points) <= most:
            return points
        if most == 1:
            return [self.random.choice(points)]
        inner = self.random.sample(points[1:-1], max(0, most - 2))
        return sorted({points[0], points[-1], *inner})

    # What writes which file; the folder of results is fresh for every run.

    def outputs(self):
        cases = []
        for kind in STILLS:
            cases.append((f"still.{kind}", lambda at, k=kind: ["filter", self.photo, "-o", at / f"o.{k}", "--kernel", "average:3"]))
        for kind in VIDEOS:
            cases.append((f"video.{kind}", lambda at, k=kind: ["edges", self.video, "-o", at / f"o.{k}"]))
        for option, name in LISTS.items():
            more = ["-o", "-"] if option == "--save-config" else []
            cases.append((f"list{option}", lambda at, o=option, n=name, m=more: ["detect", self.video, *m, o, at / n]))
        cases.append(("follow.mkv", lambda at: ["edges", self.video, "-o", at / "o.mkv", "--follow"]))
        return cases

    def undisturbed(self, make):
        """(bytes of every result by name, how many calls of each kind); nothing where this build lacks the format."""
        at, counts = self.root / "out", self.root / "counts"
        shutil.rmtree(at, ignore_errors=True)
        at.mkdir()
        counts.unlink(missing_ok=True)
        code, _, err, _ = self.run(make(at), fault=f"write:0:EIO,{at}", counts=counts)
        if code != 0:
            return None, err
        numbers = dict(pair.split("=") for pair in counts.read_text().splitlines()[-1].split())
        return {p.name: p.read_bytes() for p in at.iterdir()}, {k: int(v) for k, v in numbers.items()}

    def disturbed(self, campaign, make, whole, fault, error, codes, grows=False, late=False):
        """`late`: what fails may fail when a result is done, which stands then, whole."""
        at = self.root / "out"
        shutil.rmtree(at, ignore_errors=True)
        at.mkdir()
        words = make(at)
        code, _, err, hung = self.run(words, fault=f"{fault},{at}" if "write" in fault or error in ERRORS else fault)
        left = {p.name: p.read_bytes() for p in at.iterdir()}
        why = ""
        if hung:
            why = "it hangs"
        elif code < 0 or code in (134, 139):
            why = f"it ends by signal {-code}: {err.strip()[-200:]}"
        elif code == 0 and left != whole:
            why = f"exit 0, and the result differs ({', '.join(f'{n}: {len(b)} bytes' for n, b in left.items()) or 'none'})"
        elif code != 0 and code not in codes:
            why = f"exit {code}: {err.strip()}"
        elif code != 0 and left and not grows and not (late and left.items() <= whole.items()):
            why = f"exit {code} leaves {', '.join(left)}"
        elif code != 0 and not err.strip():
            why = f"exit {code} without a word"
        elif code == 4 and error in ERRORS and ERRORS[error] not in err:
            why = f"exit 4 without the reason: {err.strip()}"
        self.count(campaign, words, fault, why)

    def writes(self):
        """One write, close, fsync, rename, link, lseek or open of results fails."""
        for name, make in self.outputs():
            whole, counts = self.undisturbed(make)
            if whole is None:
                print(f"  without {name}: {counts.strip()[:120]}")
                continue
            again, _ = self.undisturbed(make)
            self.count("same twice", make(self.root / "out"), "", "" if again == whole else f"{name} differs from run to run")
            named = ["rename", "link", "lseek", "open"]
            if not self.long and self.times == 1:
                named = [self.random.choice(named)]
            for kind in ["write", "close", "fsync", *named]:
                for n in self.sample(range(1, counts[kind] + 1), 1):
                    errors = list(ERRORS) if self.long else [self.random.choice(list(ERRORS))]
                    for error in errors:
                        self.disturbed("failed calls", make, whole, f"{kind}:{n}:{error}", error, (4,), "follow" in name)
            if not counts["fsync"]:
                self.count("failed calls", make(self.root / "out"), "", f"{name}: nothing is synced")

    def replaced(self):
        """What fails leaves an old result as it was."""
        for kind in ("tif", "png"):
            at = self.root / "out"
            for fault in ("write:1", "fsync:1", "link:1", "rename:1"):
                shutil.rmtree(at, ignore_errors=True)
                at.mkdir()
                (at / f"o.{kind}").write_bytes(b"old")
                words = ["filter", self.photo, "-o", at / f"o.{kind}", "--kernel", "average:3"]
                code, _, err, hung = self.run(words, fault=f"{fault}:EIO,{at}")
                left = {p.name: p.read_bytes() for p in at.iterdir()}
                good = code == 4 and left == {f"o.{kind}": b"old"} and not hung
                self.count("replaced", words, fault, "" if good else f"exit {code}, {left.keys()}: {err.strip()}")

    def full_disk(self):
        """A disc of 64 kB that is full: a mount of tmpfs, where that is allowed."""
        at = self.root / "disc"
        at.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", at], capture_output=True).returncode != 0:
            print("  no mount is allowed here: not run")
            return
        try:
            draw = random.Random(2)
            noise = self.file("noise.png", png(400, 300, [draw.randrange(256) for _ in range(400 * 300)]))
            frames = [bytes(draw.randrange(256) for _ in range(160 * 120)) for _ in range(8)]
            moving = self.file("noise.y4m", y4m(160, 120, frames))
            for kind in STILLS + [f"video.{v}" for v in VIDEOS]:
                is_video, ending = kind.startswith("video."), kind.split(".")[-1]
                words = ["filter", moving if is_video else noise, "-o", at / f"o.{ending}", "--kernel", "sharpen:3"]
                for room in (self.sample([0, 1, 4, 8, 16, 32, 48], 2) if self.long else [4]):
                    for old in at.iterdir():
                        old.unlink()
                    (at / "filler").write_bytes(bytes(max(0, 65536 - room * 1024)))
                    code, _, err, hung = self.run(words)
                    left = sorted(p.name for p in at.iterdir() if p.name != "filler")
                    why = ""
                    if hung or code not in (0, 4) or (code == 4 and (left or not err.strip())) or (code == 0 and len(left) != 1):
                        why = f"{kind} with {room} kB: {'it hangs' if hung else f'exit {code}'}, leaves {left}: {err.strip()}"
                    if code == 4 and not why and "lossy" not in err and ERRORS["ENOSPC"] not in err and "no picture format" not in err:
                        why = f"{kind}: exit 4 without the reason: {err.strip()}"
                    self.count("full disc", words, "", why)
        finally:
            subprocess.run(["umount", at], check=False)

    def streams(self):
        """Standard streams that are full, closed or gone."""
        at = self.root / "out"

        def check(name, words, codes, out=None, **options):
            shutil.rmtree(at, ignore_errors=True)
            at.mkdir()
            code, _, err, hung = self.run(words, **options)
            why = "it hangs" if hung else f"exit {code}: {err.strip()}" if code not in codes else ""
            if not why and out is not None:
                found = (at / out).read_bytes() if (at / out).exists() else b""
                if b"YUV4MPEG2" in found:
                    why = f"{out} holds what was meant for standard output"
            self.count("standard streams", words, name, why)

        shell = lambda text: ["bash", "-c", f'exec "$0" "$@" {text}']  # noqa: E731
        photo, video = self.photo, self.video
        for to in ("2>/dev/full", "2>&-", "2> >(true)"):
            check(to, ["edges", "missing.png", "-o", at / "o.png"], (3,), wrap=shell(to))
            check(to, ["edges", photo, "-o", at / "o.png", "-v"], (0,), wrap=shell(to))
            check(to, ["frobnicate"], (2,), wrap=shell(to))
        for words in (["--help"], ["--version"], ["list", "operations"], ["edges", photo, "-o", "-"],
                      ["edges", video, "-o", "-"], ["detect", video, "--json", "-"], ["generate", "man"]):
            for to in (">/dev/full", ">&-"):
                check(to, words, (4, 2) if words[0] in ("list", "generate") else (4,), wrap=shell(to))
        check("0<&- 1>&-", ["detect", video, "-o", "-", "--json", at / "b.nd"], (4,), out="b.nd", wrap=shell("0<&- 1>&-"))
        check("0<&-", ["detect", "-", "--json", at / "b.nd"], (3,), wrap=shell("0<&-"))

    def determinism(self):
        """A video's bytes do not depend on the number of threads, nor on the machine's cores."""
        at = self.root / "out"
        for kind in VIDEOS:
            results = {}
            for threads in (0, 1, 2, 5, 64) if self.long else (1, 3):
                shutil.rmtree(at, ignore_errors=True)
                at.mkdir()
                words = ["edges", self.video, "-o", at / f"o.{kind}", "--threads", threads]
                wrap = ["taskset", "-c", "0"] if threads == 1 and shutil.which("taskset") else []
                code, _, err, _ = self.run(words, wrap=wrap)
                if code == 0:
                    results[threads] = (at / f"o.{kind}").read_bytes()
                elif "no encoder" not in err and "its name is not that" not in err:
                    self.count("threads", words, "", f"exit {code}: {err.strip()}")
            if results:
                same = len(set(results.values())) == 1
                self.count("threads", ["edges", self.video, "-o", f"o.{kind}", "--threads", "N"], "",
                           "" if same else f"{kind}: {[len(b) for b in results.values()]} bytes by {list(results)} threads")

    def exhaustion(self):
        """Threads that cannot be made, descriptors that are refused, allocations that fail."""
        commands = {
            "still": lambda at: ["edges", self.photo, "-o", at / "o.png"],
            "y4m": lambda at: ["edges", self.video, "-o", at / "o.y4m"],
            "mkv": lambda at: ["edges", self.video, "-o", at / "o.mkv"],
            "detect": lambda at: ["detect", self.video, "--json", at / "o.nd", "--track"],
        }
        for name, make in commands.items():
            whole, counts = self.undisturbed(make)
            if whole is None:
                continue
            for kind, error, most in (("thread", "EAGAIN", 3), ("open", "EMFILE", 4), ("new", "ENOMEM", 6)):
                for n in self.sample(range(1, counts[kind] + 1), most if name != "still" else 2):
                    for forever in ("", "+"):
                        self.disturbed(f"no {kind}", make, whole, f"{kind}:{n}{forever}:{error}", error, (3, 4, 5),
                                       late=kind == "new")
        if self.long:  # what libvips, GLib and libav make of it is theirs; counted, not judged
            ends = {}
            whole, counts = self.undisturbed(commands["mkv"])
            for n in self.sample(range(1, counts["malloc"] + 1, 37), 10**6):
                at = self.root / "out"
                shutil.rmtree(at, ignore_errors=True)
                at.mkdir()
                code, _, _, hung = self.run(commands["mkv"](at), fault=f"malloc:{n}:ENOMEM")
                left = {p.name: p.read_bytes() for p in at.iterdir()}
                end = "hang" if hung else "lie" if code == 0 and left != whole else "left" if code and left else code
                ends[end] = ends.get(end, 0) + 1
                self.count("malloc", commands["mkv"](at), f"malloc:{n}:ENOMEM", str(end) if end in ("hang", "lie", "left") else "")
            print(f"  malloc, by exit code: {ends}")

    def truncation(self):
        """Files that are cut off give an error, or what is there with --partial."""
        at = self.root / "cut"
        at.mkdir()
        silent = {}
        for ending, seed, is_still in self.seeds():
            data = seed.read_bytes()
            result = at / ("o.png" if is_still else "o.y4m")
            words = ["edges", at / f"cut.{ending}", "-o", result]
            (at / f"cut.{ending}").write_bytes(data)
            code, _, err, _ = self.run(words)
            if code != 0:
                self.count("truncation", words, "", f"{seed.name} itself is refused: {err.strip()}")
                continue
            whole = result.read_bytes()
            points = sorted({int(len(data) * i / 28) for i in range(1, 28)} | {len(data) - 1, len(data) - 8})
            for size in self.sample(points, 3):
                (at / f"cut.{ending}").write_bytes(data[:size])
                result.unlink(missing_ok=True)
                code, _, err, hung = self.run(words)
                same = code == 0 and result.read_bytes() == whole
                if code == 0 and not same and seed.suffix in CANNOT_KNOW:
                    silent[seed.suffix] = silent.get(seed.suffix, 0) + 1
                    continue
                why = "it hangs" if hung else f"exit {code}: {err.strip()}" if code not in (0, 3) else ""
                if code == 0 and not same:
                    why = f"{seed.name} cut to {size} of {len(data)} bytes: exit 0, and the result differs"
                self.count("truncation", words, f"{seed.name}:{size}", why)
                (at / f"cut.{ending}").unlink(missing_ok=True)
        if silent:
            print(f"  silent, of formats that cannot know: {silent}")

    def bounds(self):
        """What declares much and holds little is refused, with little time and memory."""
        at = self.root / "out"
        shutil.rmtree(at, ignore_errors=True)
        at.mkdir()
        fifo = self.root / "fifo"
        os.mkfifo(fifo)

        def sparse(name, head, size):
            path = self.file(name, head)
            os.truncate(path, size)
            return path

        huge = 16384
        bmp = b"BM" + struct.pack("<IIIIiiHHIIiiII", 0, 0, 54, 40, 16, 16, 1, 24, 0, 0, 0, 0, 0, 0)
        bomb = self.file("bomb.png", png_of_zeros(huge, huge, 6, 16))
        still = lambda path, *more: ["edges", path, "-o", at / "o.png", *more]  # noqa: E731
        # name, words, exit codes, MiB
        cases = [
            ("PNG, 16384² of 16-bit RGBA", still(bomb), (3,), 200),
            ("PNM text, 16384²", still(self.file("p1.pbm", b"P1\n16384 16384\n")), (3,), 200),
            ("PNM text, 16384², --partial", still(self.file("p2.pgm", b"P2\n200000 200000 255\n"), "--partial"), (3,), 200),
            ("PNM of bits, 16384²", still(self.file("p4.pbm", b"P4\n16384 16384\n")), (3,), 200),
            ("PNM, 16384² of 16 bits, --partial", still(self.file("p6.ppm", b"P6\n16384 16384 65535\n"), "--partial"), (3,), 200),
            ("PNM, 16384² of 16 bits of gray, --partial", still(self.file("p5.pgm", b"P5\n16384 16384\n65535\n"), "--partial"), (3,), 200),
            ("BMP, 16384² of 24 bits", still(self.file("b.bmp", bmp[:18] + struct.pack("<ii", huge, huge) + bmp[26:])), (3,), 200),
            ("PNM, width past 2^32", still(self.file("wrap.pgm", b"P5 4294967297 1 255\nA")), (3,), 200),
            ("PNM, 2^62 pixels, --partial", still(self.file("w.pgm", b"P5 2147483647 2147483647 255\n"), "--partial"), (3,), 200),
            ("PGM of 4 GiB behind 16 x 16, --partial", still(sparse("s.pgm", b"P5\n16 16\n255\n", 4 << 30), "--partial"), (0,), 200),
            ("BMP of 6 GiB behind 16 x 16", still(sparse("s.bmp", bmp, 6 << 30)), (0, 3), 200),
            ("zeros, 4 GiB, as a video", ["edges", sparse("z.mp4", b"", 4 << 30), "-o", at / "o.mp4"], (3,), 200),
            ("zeros, 4 GiB, as a picture", still(sparse("z.png", b"", 4 << 30)), (3,), 200),
            ("y4m of one column", ["edges", self.file("col.y4m", y4m_head(1, 1 << 28)), "-o", at / "o.y4m"], (3,), 200),
            ("kernel, FIFO", ["filter", self.photo, "-o", at / "o.png", "--kernel", fifo], (2, 3), 100),
            ("kernel, /proc/self/mem", ["filter", self.photo, "-o", at / "o.png", "--kernel", "/proc/self/mem"], (2, 3), 100),
            ("mask, FIFO", still(self.photo, "--mask", fifo), (2, 3), 100),
            ("config, FIFO", still(self.photo, "--config", fifo), (2, 3), 100),
            ("scene, FIFO", ["detect", self.video, "--json", at / "o.nd", "--scene", fifo], (2, 3), 100),
            ("baseline, FIFO", ["bench", "cpu", "--quick", "--only", "sobel", "--baseline", fifo], (2, 3), 100),
            ("threads, 4096", ["edges", self.video, "-o", at / "o.mkv", "--threads", "4096"], (0,), 400),
        ]
        slowest, largest = 0.0, 0
        for name, words, codes, most in cases:
            began = time.monotonic()
            code, _, err, hung, mib = self.measured(words)
            seconds = time.monotonic() - began
            slowest, largest = max(slowest, seconds), max(largest, mib)
            why = "it hangs" if hung else f"exit {code}: {err.strip()}" if code not in codes else ""
            if not why and self.shim and (seconds > 10 or mib > most):
                why = f"{seconds:.1f} s and {mib} MiB"
            self.count("bounds", words, name, why)
        print(f"  the slowest took {slowest:.2f} s, the largest {largest} MiB")

    def seeds(self):
        """One file of every format that this build writes: (ending, path, is a still)."""
        made = []
        big = self.file("long.y4m", y4m(96, 64, [bytes((x + 3 * i) % 251 for x in range(96 * 64)) for i in range(40)]))
        for ending in ("mp4", "mov", "mkv", "avi", "webm", "flv", "ogv", "wmv", "ts", "nut", "gif", "y4m"):
            path = self.root / f"seed.{ending}"
            code, _, err, _ = self.run(["filter", big, "-o", path, "--kernel", "average:3"])
            if code == 0:
                made.append((ending, path, False))
            else:
                print(f"  without {ending}: {err.strip()[:100]}")
        self.run(["edges", big, "-o", self.root / "fragments.mp4", "--follow"])
        self.run(["detect", big, "--mask-video", self.root / "ffv1.mkv"])
        made += [("mp4", self.root / "fragments.mp4", False), ("mkv", self.root / "ffv1.mkv", False)]
        for kind in ("png", "tif", "jpg", "pgm", "webp", "gif", "bmp", "jp2", "jxl", "avif"):
            path = self.root / f"seed-still.{kind}"
            if self.run(["filter", self.photo, "-o", path, "--kernel", "average:3"])[0] == 0:
                made.append((kind, path, True))
        samples = [i * 7 % 256 for i in range(100 * 100)]
        rows = "\n".join(" ".join(map(str, samples[y * 100 : y * 100 + 100])) for y in range(100))
        made.append(("pgm", self.file("text.pgm", f"P2\n100 100\n255\n{rows}\n".encode()), True))
        bits = "\n".join("01" * 50 for _ in range(100))
        made.append(("pbm", self.file("text.pbm", f"P1\n100 100\n{bits}\n".encode()), True))
        made.append(("pbm", self.file("bits.pbm", b"P4\n100 100\n" + bytes(i % 256 for i in range(1300))), True))
        return [one for one in made if one[1].exists()]

    def mutated(self, data):
        """A file with a few of its bytes, or parts of it, changed; most of all in its head."""
        out, draw = bytearray(data), self.random
        for _ in range(draw.choice((1, 1, 2, 4, 16))):
            at = draw.randrange(min(len(out), 256) if draw.random() < 0.6 else len(out))
            kind = draw.randrange(6)
            size = draw.randrange(1, 65)
            if kind == 0:
                out[at] ^= 1 << draw.randrange(8)
            elif kind == 1:
                out[at] = draw.choice((0, 1, 0x7F, 0x80, 0xFF, draw.randrange(256)))
            elif kind == 2:
                out[at : at + 4] = struct.pack(draw.choice("<>") + "I", draw.choice((0, 1, 0x7FFFFFFF, 0xFFFFFFFF, 1 << 16)))
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
        at = self.root / "mutated"
        at.mkdir()
        for ending, seed, still in self.seeds():
            data = seed.read_bytes()
            for i in range(60 if self.long else 2 * self.times):
                path = at / f"m{i}.{ending}"
                path.write_bytes(self.mutated(data))
                partial = ["--partial"] if i % 2 else []
                results = []
                for filler in ("85", "170") if i % 2 or self.long else ("85",):
                    result = at / ("o.png" if still else "o.y4m")
                    result.unlink(missing_ok=True)
                    words = ["edges", path, "-o", result, *partial]
                    code, _, err, hung, mib = self.measured(words, MALLOC_PERTURB_=filler)
                    # An animation may have become a still picture, which is no video.
                    good = (0, 3, 4) if "no picture format has the extension" in err else (0, 3)
                    why = "it hangs" if hung else f"exit {code}: {err.strip()[-300:]}" if code not in good else ""
                    if not why and mib > 1500 and self.shim:
                        why = f"{mib} MiB"
                    if not why and code and result.exists():
                        why = f"exit {code} and a result"
                    results.append(result.read_bytes() if code == 0 and not why else None)
                    if why:
                        break
                if not why and len(set(results)) > 1:
                    why = "the result depends on what memory held before"
                self.count("mutated files", words, f"MALLOC_PERTURB_={filler}", why)
                if why:
                    kept = Path(tempfile.gettempdir()) / f"cuesta-bad-{len(self.bad)}.{ending}"
                    shutil.copy(path, kept)
                    print(f"    kept as {kept}", flush=True)
                path.unlink()

    def kill(self):
        """SIGKILL and others at random moments leave no temporary and no half result."""
        at = self.root / "out"
        big = self.file("kill.y4m", y4m(320, 240, [os.urandom(320 * 240) for _ in range(30)]))
        signals = [signal.SIGKILL, signal.SIGTERM, signal.SIGQUIT, signal.SIGALRM, signal.SIGUSR1, signal.SIGXCPU]
        words = ["edges", big, "-o", at / "o.mkv"]
        whole, _ = self.undisturbed(lambda at: words) if self.shim else (None, None)
        for i in range(200 if self.long else 6 * self.times):
            shutil.rmtree(at, ignore_errors=True)
            at.mkdir()
            process = subprocess.Popen([self.cuesta, *map(str, words)], cwd=self.root,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(self.random.uniform(0.02, 0.5))
            process.send_signal(signals[i % len(signals)])
            code = process.wait(SECONDS)
            left = {p.name: p.read_bytes() for p in at.iterdir()}
            # A signal may come when the result is there, whole.
            bad = code != 0 and left and whole and left != whole
            self.count("kill", words, signals[i % len(signals)].name, f"leaves {left.keys()}" if bad else "")


# Formats with a frame's or page's end anywhere: docs/reliability.md says which.
CANNOT_KNOW = {".ts", ".nut"}

MEASURE = """
import os, resource, sys
log, words = sys.argv[1], sys.argv[2:]
code = os.spawnv(os.P_WAIT, words[0], words)
open(log, "w").write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(code if code >= 0 else 128 - code)
"""


def y4m_head(width, height):
    return b"YUV4MPEG2 W%d H%d F25:1 Cmono\n" % (width, height)


def png_of_zeros(width, height, color, bits):
    channels = {0: 1, 2: 3, 6: 4}[color]
    rows = bytes(64 * (1 + width * channels * bits // 8))
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(rows) + packer.flush(zlib.Z_FULL_FLUSH)  # stands by itself, so that it repeats
    count = len(rows) * (height // 64)
    checksum = (count % 65521) << 16 | 1  # Adler-32 of so many zeros
    data = b"\x78\x9c" + block * (height // 64) + b"\x03\x00" + struct.pack(">I", checksum)

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", width, height, bits, color, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cuesta")
    parser.add_argument("shim")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("campaigns", nargs="*")
    options = parser.parse_intermixed_args()
    known = [name for name in CAMPAIGNS if options.shim != "-" or name not in NEED_THE_SHIM]
    if unknown := set(options.campaigns) - set(known):
        parser.error(f"there is no campaign {', '.join(sorted(unknown))} here: {', '.join(known)}")
    every = [name for name in known if name in options.campaigns or not options.campaigns]
    attack = Attack(options)
    try:
        for name in every:
            began = time.monotonic()
            print(f"{name}: {(getattr(Attack, name).__doc__ or '').splitlines()[0]}", flush=True)
            getattr(attack, name)()
            print(f"  {time.monotonic() - began:.1f} s", flush=True)
    finally:
        shutil.rmtree(attack.root, ignore_errors=True)
    print(f"\n{'campaign':<28}{'runs':>8}{'bad ends':>10}")
    for name, (runs, bad) in attack.figures.items():
        print(f"{name:<28}{runs:>8}{bad:>10}")
    return 1 if attack.bad else 0


CAMPAIGNS = ["writes", "replaced", "full_disk", "streams", "determinism", "exhaustion", "truncation",
             "mutations", "bounds", "kill"]
NEED_THE_SHIM = {"writes", "replaced", "exhaustion"}

if __name__ == "__main__":
    sys.exit(main())

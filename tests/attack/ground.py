"""Where attacks take place: runs of the command, points that several processes share, and what came of each."""

import errno
import hashlib
import json
import os
import random
import resource
import select
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cli"))
from test_command import png, y4m  # noqa: E402

SECONDS = 60  # a run that takes longer hangs


class Run:
    """How a run ended: exit code (negative: the signal), what it said, whether it hung, the most MiB it had."""

    def __init__(self, code, out, err, hung, mib):
        self.code, self.out, self.err, self.hung, self.mib = code, out, err, hung, mib

    def crashed(self):
        return self.code < 0 or self.code in (134, 139)

    def why(self, good):
        """What is bad about it, for `good` exit codes."""
        if self.hung:
            return "it hangs"
        if self.crashed():
            return f"it ends by signal {abs(self.code)}: {self.err.strip()[-300:]}"
        if self.code not in good:
            return f"exit {self.code}: {self.err.strip()[-300:]}"
        if self.code != 0 and not self.err.strip():
            return f"exit {self.code} without a word"
        return ""


def ends_within(process, seconds):
    """Whether a child ends in time; it still waits to be waited for."""
    try:
        ending = os.pidfd_open(process)
    except OSError:  # some kernels have none
        until = time.monotonic() + seconds
        while not os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            if time.monotonic() > until:
                return False
            time.sleep(0.005)
        return True
    try:
        return bool(select.select([ending], [], [], seconds)[0])
    finally:
        os.close(ending)


class Ground:
    def __init__(self, options):
        self.cuesta = str(Path(options.cuesta).resolve())
        self.shim = "" if options.shim == "-" else str(Path(options.shim).resolve())
        self.long, self.times, self.seed = options.long, options.times, options.seed
        self.random = random.Random(options.seed)
        self.part, self.parts = options.part
        self.root = Path(tempfile.mkdtemp(prefix="cuesta-attack-"))
        self.journal = Journal(options.state, f"part-{self.part}", self.identity())
        draw = random.Random(1)
        self.photo = self.file(
            "photo.png", png(120, 80, [draw.randrange(256) for _ in range(120 * 80)])
        )
        frames = []
        for i in range(12):
            frame = bytearray(draw.randrange(90, 110) for _ in range(96 * 64))
            for y in range(20, 40):
                frame[y * 96 + 4 * i : y * 96 + 4 * i + 24] = b"\xf0" * 24
            frames.append(bytes(frame))
        self.video = self.file("video.y4m", y4m(96, 64, frames))

    def identity(self):
        """Identify the attacked binaries and the form of the attack.

        Files are read in blocks: a child's peak of memory counts from its parent's, see run().
        """
        digest = hashlib.sha256()
        for path in filter(None, (self.cuesta, self.shim)):
            with open(path, "rb") as file:
                while block := file.read(1 << 20):
                    digest.update(block)
        return f"{digest.hexdigest()[:16]} {'long' if self.long else self.times} {self.seed}"

    def close(self):
        shutil.rmtree(self.root, ignore_errors=True)

    def file(self, name, data):
        path = self.root / name
        path.write_bytes(data)
        return path

    def fresh(self, name="out"):
        at = self.root / name
        shutil.rmtree(at, ignore_errors=True)
        at.mkdir()
        return at

    def run(
        self,
        words,
        fault="",
        counts=None,
        places=None,
        report=None,
        calls=None,
        wrap=(),
        environment=(),
        seconds=SECONDS,
        ask=False,
        **options,
    ):
        """Run the command once and return how it ended.

        `ask`: a run that hangs gets SIGABRT first, and its stack goes to `report`. `Run.mib` is the peak of memory in MiB.
        The kernel starts it at the peak of this process, so this process stays small.
        """
        environment = dict(os.environ, LC_ALL="C", **dict(environment))
        if fault or counts:
            environment["LD_PRELOAD"] = self.shim
            # libx264's bytes hang on what its memory held (docs/user/reliability.md): here always the same.
            environment["MALLOC_PERTURB_"] = "85"
        for name, value in (
            ("FAULT", fault),
            ("FAULT_COUNT", counts),
            ("FAULT_PLACES", places),
            ("FAULT_REPORT", report),
            ("FAULT_CALLS", calls),
        ):
            if value:
                environment[f"CUESTA_{name}"] = str(value)
        words = [*wrap, self.cuesta, *map(str, words)]
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("cwd", self.root)
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            options.setdefault("stdout", out)
            process = subprocess.Popen(
                words, env=environment, start_new_session=True, stderr=err, **options
            )
            hung = not ends_within(process.pid, seconds)
            if hung and ask:
                os.kill(process.pid, signal.SIGABRT)
                time.sleep(1)
            if hung:
                os.killpg(process.pid, signal.SIGKILL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            try:  # what it left running
                os.killpg(process.pid, signal.SIGKILL)
            except OSError as gone:
                assert gone.errno in (errno.ESRCH, errno.EPERM)
            out.seek(0)
            err.seek(0)
            return Run(
                process.returncode,
                out.read(),
                err.read().decode(errors="replace"),
                hung,
                usage.ru_maxrss // 1024,
            )

    def own_mib(self):
        """Peak of this process in MiB: a child's peak is never reported below it."""
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

    def point(self, campaign, words, fault, check):
        """One point of a campaign, which one process takes, once. check() returns what is bad about its end, or ""; with
        (…, NAME) what else is counted, and with (…, NAME, RUNS) how many runs it stands for."""
        key = f"{campaign} {fault} {shlex.join(map(str, words))}".replace(str(self.root), "@")
        if zlib.crc32(key.encode()) % self.parts != self.part or self.journal.has(key):
            return
        began = time.monotonic()
        found = check()
        found = found if isinstance(found, tuple) else (found,)
        why, end, runs = (*found, *(None, 1)[len(found) - 1 :])
        self.journal.add(campaign, key, why, end, runs, time.monotonic() - began)
        if why:
            print(
                f"{campaign}: {why}\n    CUESTA_FAULT={fault} cuesta {shlex.join(map(str, words))}",
                flush=True,
            )

    def sample(self, points, most):
        """All of them in the long form; else the first, the last and some between, or any one."""
        points, most = list(points), most * self.times
        if self.long or len(points) <= most:
            return points
        if most == 1:
            return [self.random.choice(points)]
        inner = self.random.sample(points[1:-1], max(0, most - 2))
        return sorted({points[0], points[-1], *inner})

    def undisturbed(self, make, kind="write"):
        """(bytes of every result by name, calls of each kind, places of `kind`); (None, why) where this build lacks the format."""
        at, counts, places = self.fresh(), self.root / "counts", self.root / "places"
        counts.unlink(missing_ok=True)
        run = self.run(make(at), fault=f"{kind}:0:EIO,{at}", counts=counts, places=places)
        if run.code != 0:
            return None, run.err
        numbers = dict(pair.split("=") for pair in counts.read_text().splitlines()[-1].split())
        left = {p.name: p.read_bytes() for p in at.iterdir()}
        if kind == "write":
            return left, {k: int(v) for k, v in numbers.items()}
        return left, sorted(places.read_text().split())


class Journal:
    """A line a point, so that a run which was stopped continues where it was. Lines of another command or form do not count."""

    def __init__(self, folder, name, identity):
        self.identity, self.lines, self.file = identity, [], None
        if folder:
            Path(folder).mkdir(parents=True, exist_ok=True)
            for path in sorted(Path(folder).glob("*.jsonl")):
                for line in path.read_text().splitlines():
                    if line.endswith("}"):  # not one that was cut
                        self.lines.append(json.loads(line))
            self.file = open(Path(folder) / f"{name}.jsonl", "a")
        # What ended badly is tried again.
        self.done = {
            line["point"] for line in self.lines if line["of"] == identity and not line["why"]
        }

    def has(self, key):
        return key in self.done

    def add(self, campaign, key, why, end, runs, seconds):
        line = {
            "campaign": campaign,
            "point": key,
            "of": self.identity,
            "why": why,
            "end": end,
            "runs": runs,
            "seconds": round(seconds, 3),
            "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        }
        self.lines.append(line)
        self.done.add(key)
        if self.file:
            self.file.write(json.dumps(line) + "\n")
            self.file.flush()

    def figures(self):
        """Runs, bad ends, other ends and seconds by campaign; of a campaign that was run again, the last time."""
        last = {line["campaign"]: line["of"] for line in self.lines}
        by_point = {
            line["point"]: line for line in self.lines if line["of"] == last[line["campaign"]]
        }
        rows = {}
        for line in by_point.values():
            row = rows.setdefault(
                line["campaign"],
                {"runs": 0, "bad": 0, "ends": {}, "seconds": 0.0, "of": line["of"]},
            )
            row["runs"] += line["runs"]
            row["bad"] += bool(line["why"])
            row["seconds"] += line["seconds"]
            if line["end"]:
                row["ends"][line["end"]] = row["ends"].get(line["end"], 0) + 1
        return rows

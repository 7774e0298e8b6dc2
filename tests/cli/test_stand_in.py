#!/usr/bin/env python3
"""What a decoder that strangers have taken over can do under --sandbox: nothing of a long list.

    test_stand_in.py PATH-TO-CUESTA PATH-TO-STAND-IN [unittest arguments]

A preloaded library (tests/attack/stand_in.c) takes the place of the first call of libvips or libav.
Every attempt must be refused; without the sandbox the same attempts are done, or this test would
show nothing. Run by root, each case is run as another user, too.
"""

import contextlib
import ctypes
import fcntl
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import test_command
from test_command import DEVICE, INPUT, png, square
from test_detect import street

STAND_IN = ""
NOBODY = 65534
LIBC = ctypes.CDLL(None, use_errno=True)
IPC_CREAT, IPC_RMID = 0o1000, 0
# The version of Landlock, 0 for none: what it alone refuses is not expected where it is older.
LANDLOCK = max(0, LIBC.syscall(444, None, ctypes.c_size_t(0), 1))
BY_LANDLOCK = ("read environ", "read maps", "read auxv", "read mem", "read cmdline")
OTHER_BY_LANDLOCK = {"read a file that was not named", "read /etc/passwd", "list a folder"}


def users():
    return [None, NOBODY] if os.geteuid() == 0 else [None]


class StandInTest(unittest.TestCase):
    def setUp(self):
        self.at = Path(tempfile.mkdtemp(prefix="cuesta-stand-in-"))
        self.addCleanup(shutil.rmtree, self.at, ignore_errors=True)

    def prepare(self, user):
        """Inputs, a folder of results and a folder of victims that belong to the user."""
        self.root = self.at / str(user)
        for name in ("in", "out", "victims"):
            (self.root / name).mkdir(parents=True)
        self.photo = self.root / "in/photo.png"
        self.photo.write_bytes(png(40, 30, square()))
        self.video = self.root / "in/street.y4m"
        self.video.write_bytes(street())
        self.video = self.encoded(self.video)
        (self.root / "victims/victim").write_bytes(b"precious")
        if user is not None:
            self.at.chmod(0o755)
            for path in [self.root, *self.root.rglob("*")]:
                os.chown(path, user, user)

    def encoded(self, path):
        """libav reads all but y4m."""
        done = subprocess.run(
            [test_command.CUESTA, "filter", path, "-o", path.with_suffix(".avi"), "--median", "3"],
            capture_output=True,
        )
        return path.with_suffix(".avi") if done.returncode == 0 else None

    def identity(self, user):
        return {} if user is None else {"user": user, "group": user, "extra_groups": []}

    @contextlib.contextmanager
    def victims(self, user):
        """A process, segments, queues and sockets that the attempts are made on: their environment."""
        with contextlib.ExitStack() as stack:
            process = stack.enter_context(
                subprocess.Popen(["sleep", "600"], env={"SECRET": "x"}, **self.identity(user))
            )
            stack.callback(process.kill)
            words = {}
            for name, make, remove in (
                ("SHM", lambda: LIBC.shmget(0, 4096, IPC_CREAT | 0o666), LIBC.shmctl),
                ("SEM", lambda: LIBC.semget(0, 1, IPC_CREAT | 0o666), LIBC.semctl),
                ("MSG", lambda: LIBC.msgget(0, IPC_CREAT | 0o666), LIBC.msgctl),
            ):
                number = make()
                self.assertGreaterEqual(number, 0, name)
                words["STAND_IN_" + name] = str(number)
                end = (number, 0, IPC_RMID) if name == "SEM" else (number, IPC_RMID, None)
                stack.callback(remove, *end)
            named = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
            named.bind(str(self.root / "victims/socket"))
            os.chmod(self.root / "victims/socket", 0o777)
            self.stdin = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
            log = stack.enter_context(open(self.root / "victims/log", "wb"))
            self.inherited = fcntl.fcntl(log, fcntl.F_DUPFD, 200)  # a number that nothing else gets
            stack.callback(os.close, self.inherited)
            self.named = named
            named.setblocking(False)
            yield {
                **os.environ,
                **words,
                "STAND_IN_PID": str(process.pid),
                "STAND_IN_DIR": str(self.root / "victims"),
                "STAND_IN_SOCKET": str(self.root / "victims/socket"),
                "STAND_IN_FD": str(self.inherited),
                "LD_PRELOAD": STAND_IN,
            }

    def commands(self):
        yield ["edges", self.photo, "-o", self.root / "out/o.png"]
        yield ["filter", self.photo, "-o", self.root / "out/f.tif", "--median", "3"]
        yield ["label", self.photo, "-o", self.root / "out/l.csv", "--threshold", "100"]
        if self.video:
            yield ["detect", self.video, "--json", self.root / "out/o.ndjson"]
            yield ["edges", self.video, "-o", self.root / "out/o.avi"]

    def attempts(self, command, user, environment):
        """What was tried: name, whether it was refused, and by whom it is done elsewhere."""
        words = [test_command.CUESTA, *map(str, command)]
        if "STAND_IN_CONTROL" in environment:  # with a parent of the same user, as the sandbox has
            words = ["sh", "-c", '"$@"; exit $?', "sh", *words]
        process = subprocess.Popen(
            words,
            stdin=self.stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**environment, "STAND_IN_INPUT": str(command[1])},
            pass_fds=[self.inherited],
            cwd=self.root,
            **self.identity(user),
        )
        with process:
            said = b""
            if command[0] == "tune":  # its address comes after the first call
                process.stdout.readline()
                process.terminate()
            said = process.communicate(timeout=120)[1].decode(errors="replace")
        rows = [line.split("\t")[1:] for line in said.splitlines() if line.startswith("stand-in\t")]
        self.assertIn(["acts"], rows, said)
        return [(r[0], r[1], int(r[2]), r[3]) for r in rows if len(r) == 4], said


class Attempts(StandInTest):
    def refused_all(self, command, user, environment):
        rows, said = self.attempts(command, user, environment)
        self.assertGreater(len(rows), 150, said)
        done = [
            (name, error)
            for name, end, error, _ in rows
            if end != "refused"
            and (LANDLOCK or not (name.startswith(BY_LANDLOCK) or name in OTHER_BY_LANDLOCK))
        ]
        self.assertEqual(done, [], f"{command}, user {user}")
        # By what it did, too.
        victims = self.root / "victims"
        self.assertEqual(
            sorted(p.name for p in victims.iterdir()), ["log", "socket", "victim"], command
        )
        self.assertEqual((victims / "victim").read_bytes(), b"precious")
        self.assertEqual((victims / "log").read_bytes(), b"")
        with self.assertRaises(BlockingIOError):
            self.named.recv(1)

    def test_are_refused_in_the_sandbox(self):
        for user in users():
            self.prepare(user)
            with self.victims(user) as environment:
                for command in self.commands():
                    with self.subTest(user=user, verb=command[:2]):
                        self.refused_all([*command, "--sandbox"], user, environment)

    def test_are_refused_in_the_tuner(self):
        if subprocess.run([test_command.CUESTA, "tune", "--help"], capture_output=True).returncode:
            self.skipTest("this build has no tuner")
        for user in users():
            self.prepare(user)
            with self.victims(user) as environment:
                for path in filter(None, (self.photo, self.video)):
                    with self.subTest(user=user, path=path.name):
                        self.refused_all(["tune", path, "--no-open"], user, environment)

    def test_are_done_without_it(self):
        """Each attempt that is harmless, or the tests above would pass for want of a right."""
        for user in users():
            self.prepare(user)
            is_root = user is None and os.geteuid() == 0
            with self.victims(user) as environment, self.subTest(user=user):
                environment["STAND_IN_CONTROL"] = "1"
                rows, said = self.attempts(next(self.commands()), user, environment)
                expected = {"y", "r"} if is_root else {"y"}
                refused = [
                    (name, error)
                    for name, end, error, control in rows
                    if control in expected and end == "refused"
                ]
                self.assertEqual(refused, [], said if not rows else "")
                self.assertGreater(sum(control in expected for *_, control in rows), 110)


class Ends(StandInTest):
    """A child that does not want to end."""

    def started(self, what, *more):
        self.prepare(None)
        return subprocess.Popen(
            [test_command.CUESTA, "edges", self.photo, "-o", self.root / "out/o.png", "--sandbox"]
            + [*more],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "STAND_IN": what, "LD_PRELOAD": STAND_IN},
        )

    def child_of(self, process):
        self.assertEqual(process.stderr.readline(), b"stand-in\tacts\n")
        time.sleep(0.1)  # until it is deaf
        return int(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text())

    def test_ends_with_its_parent(self):
        with self.started("survive") as process:
            child = self.child_of(process)
            process.kill()
            process.wait()
            end = time.monotonic() + 10
            stat = Path(f"/proc/{child}/stat")
            while stat.exists() and ") Z " not in stat.read_text():
                self.assertLess(time.monotonic(), end, "the child lives on")
                time.sleep(0.02)

    def test_ends_at_the_third_signal(self):
        with self.started("survive") as process:
            self.child_of(process)
            for _ in range(3):
                process.send_signal(signal.SIGTERM)
                time.sleep(0.1)
            self.assertEqual(process.wait(10), test_command.INTERRUPTED)

    def test_ends_after_max_time(self):
        for what in ("survive", "stop", "ask"):
            with self.subTest(what):
                started = time.monotonic()
                with self.started(what, "--max-time", "0.5") as process:
                    said = process.communicate(timeout=30)[1]
                    self.assertEqual(process.returncode, DEVICE, said)
                self.assertIn(b"--max-time", said)
                self.assertLess(time.monotonic() - started, 10)
            shutil.rmtree(self.root)

    def test_ends_above_its_memory(self):
        for what in ("eat", "share"):
            with self.subTest(what):
                with self.started(what, "--max-memory", "1000000") as process:
                    said = process.communicate(timeout=60)[1].decode()
                    self.assertEqual(process.returncode, INPUT, said)
                self.assertRegex(
                    said, r"error: \S+photo.png: with --max-memory 1000000, .*1025 MiB"
                )
            shutil.rmtree(self.root)


if __name__ == "__main__":
    test_command.CUESTA = os.path.abspath(sys.argv.pop(1))
    STAND_IN = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)

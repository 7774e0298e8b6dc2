#!/usr/bin/env python3
"""bench/peers/python: what the compilers are asked is what cuesta answers, Triton's kernels too (in its interpreter); rows have
the form of `cuesta bench --json`, and report.py puts them beside ours. Exits with 77 (skipped) where numpy, torch or the cuesta
package is absent; scripts/check-python runs it where they are."""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PEERS = ROOT / "bench" / "peers" / "python"
REPORT = ROOT / "bench" / "report" / "report.py"
BENCH = ROOT / "tests" / "bench" / "data" / "bench.json"
os.environ["TRITON_INTERPRET"] = "1"  # read where triton is imported
sys.path.insert(0, str(PEERS))

try:
    import clock
    import compilers
    import numpy as np
    import peer_torch_compile
    import peer_torch_conv2d
    import rows
    import torch
    import works
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)


def requests(side):
    """One of each, whatever its experiment."""
    found = {}
    for work in works.works([side]):
        found.setdefault((work.windows, work.type, work.rule), work)
    return list(found.values())


def tensors(work):
    """The source, and a result with bytes that no answer has everywhere."""
    result = torch.uint8 if work.result == "u8" else torch.float32
    return torch.from_numpy(work.source()), torch.full((work.side, work.side), 90, dtype=result)


class Definitions(unittest.TestCase):
    def check(self, work, got, allowed=("equal",)):
        """Whole numbers are equal; f32 sums in another order within the bound."""
        if work.bound:
            allowed = (*allowed, "sums in another order")
        answer = rows.answer_of(got.numpy(), work.answer(work.source()), work.radius, work.bound)
        self.assertIn(
            answer.split(":")[0],
            allowed,
            f"{work.operation} {work.parameters} {work.type} {work.side}: {answer}",
        )

    def test_requests_are_those_of_the_bench(self):
        ours = {
            tuple(row[key] for key in ("experiment", "operation", "parameters", "type", "width"))
            for row in json.loads(BENCH.read_text(encoding="utf-8"))["rows"]
        }
        sizes = [512, 1024, 2048, 4096]
        for experiment, size in (
            ("log-ladder", 4096),
            ("memory-ladder", 2048),
            ("sobel-ladder", 512),
            ("roofline", 2048),
        ):
            theirs = [w for w in works.works(sizes) if (w.experiment, w.side) == (experiment, size)]
            self.assertTrue(theirs)
            for work in theirs:
                self.assertIn(
                    (work.experiment, work.operation, work.parameters, work.type, work.side), ours
                )

    def test_counts_are_those_of_the_bench(self):
        counts = {
            tuple(row[key] for key in ("experiment", "operation", "parameters", "type")): (
                row["bytes_per_pixel"],
                row["intensity"],
            )
            for row in json.loads(BENCH.read_text(encoding="utf-8"))["rows"]
            if row["operation"] != "copy"
        }
        for work in requests(64):
            bytes_, intensity = counts[work.experiment, work.operation, work.parameters, work.type]
            self.assertEqual(work.bytes_per_pixel, bytes_)
            self.assertAlmostEqual(work.flops_per_pixel / bytes_, intensity)

    def check_root(self, work, got, inner):
        """torch's square root on a CPU may err in the last bit."""
        got, want = (picture[inner] for picture in (got.numpy(), work.answer(work.source())))
        self.assertLessEqual(np.max(np.abs(got - want) - np.spacing(want)), 0)

    def test_torch(self):
        for side in (16, 61):
            for work in requests(side):
                got = peer_torch_compile.definition(work)(*tensors(work))
                self.check_root(work, got, ...) if work.rule == "l2" else self.check(work, got)

    def test_conv2d(self):
        for work in requests(61):
            (bind,) = peer_torch_conv2d.contenders(work, "cpu")["torch-conv2d"].values()
            got = bind(*tensors(work))()
            if work.rule == "l2":
                self.check_root(work, got, (slice(1, -1), slice(1, -1)))
            else:
                self.check(work, got, ("equal", "equal but for its border"))

    def test_triton(self):
        try:
            import peer_triton
        except ImportError as error:
            self.skipTest(str(error))
        tile = (8, 8, 4)  # some are whole inside, some leave the picture
        for work in requests(29):
            bound = [peer_triton.one_pass(work, tile)] + (
                [peer_triton.two_pass(work, tile)] if work.column else []
            )
            for bind in bound:
                self.check(work, bind(*tensors(work))())

    def test_numba(self):
        try:
            import peer_numba
        except ImportError as error:
            self.skipTest(str(error))
        for work in requests(61):
            if work.rule != "filter" or work.type == "f32":  # what compiles takes seconds
                self.check(work, peer_numba.on_cpu(work)(*tensors(work))())

    def test_answers_in_words(self):
        want = np.zeros((8, 8), np.float32)
        want[3, 3] = 100

        def answer(x, y, value, bound=0.5):
            got = want.copy()
            got[y, x] = value
            return rows.answer_of(got, want, 1, bound)

        self.assertEqual(answer(3, 3, 100), "equal")
        self.assertEqual(answer(0, 0, 9), "equal but for its border")
        self.assertEqual(answer(2, 2, -0.0), "equal but for the sign of zeros")
        self.assertEqual(
            answer(3, 3, 100.25), "sums in another order: 2.8 % of samples by up to 0.25"
        )
        self.assertEqual(answer(3, 3, 102), "not equal: 2.8 % of samples by up to 2")
        self.assertTrue(answer(3, 3, float("nan")).startswith("not equal"))
        self.assertTrue(answer(0, 0, float("nan")).startswith("equal but for its border"))
        self.assertTrue(
            rows.answer_of(want.astype(np.uint8), want, 1, 0).startswith("not equal: uint8")
        )


class Clock(unittest.TestCase):
    def test_slots_exceed_the_cache(self):
        for whole, slot in ((100, 30), (100, 50), (0, 10), (100, 1000)):
            self.assertGreaterEqual(clock.slots_past(whole, slot), 2)
            self.assertGreaterEqual(clock.slots_past(whole, slot) * slot, whole)

    def test_calls_go_round(self):
        seen = []
        body = clock.Body([lambda slot=slot: seen.append(slot) or slot for slot in range(3)])
        for _ in range(4):
            body()
        self.assertEqual((seen, body.kept), ([0, 1, 2, 0], [0, 1, 2]))

    def test_medians(self):
        ((ms, spread),) = clock.HostClock(batches=5, batch_ms=0.1).times(
            [clock.Body([lambda: None])]
        )
        self.assertGreater(ms, 0)
        self.assertGreaterEqual(spread, 0)
        self.assertEqual(clock.summary([1, 2, 3, 4, 5]), (3, 2))


class Command(unittest.TestCase):
    def test_rows_stand_beside_ours(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "peers.json"
            done = subprocess.run(
                [
                    sys.executable,
                    PEERS / "compilers.py",
                    "--device",
                    "cpu",
                    "--sizes",
                    "32",
                    "--only",
                    "sobel-ladder",
                    "--batches",
                    "2",
                    "--json",
                    file,
                ],
                capture_output=True,
                text=True,
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("sobel-ladder: magnitude L1 to u8 u8 32", done.stdout)
            self.assertIn("not measured: triton: it needs a GPU", done.stdout)
            made, bench = (
                json.loads(file.read_text(encoding="utf-8")),
                json.loads(BENCH.read_text(encoding="utf-8")),
            )
            self.assertEqual(list(made), list(bench))
            self.assertEqual(list(made["machine"]), list(bench["machine"]))
            for row in made["rows"]:
                self.assertEqual([key for key in row if key != "answer"], list(bench["rows"][0]))
                self.assertGreater(row["ms"], 0)
                self.assertEqual("answer" in row, row["operation"] != "copy")
            strategies = {
                row["strategy"]: row
                for row in made["rows"]
                if row["parameters"] == "magnitude L1 to u8"
            }
            for name in ("cuesta", "torch.compile", "torch-conv2d"):
                self.assertEqual(strategies[name]["answer"], "equal")
            text = subprocess.run(
                [sys.executable, REPORT, BENCH, file, "--only", "sobel-ladder"],
                capture_output=True,
                text=True,
            )
            self.assertEqual((text.returncode, text.stderr), (0, ""))
            self.assertIn("torch.compile, ", text.stdout)
            self.assertIn("shared-1d block=32", text.stdout)

    def test_refusals_name_the_value(self):
        for options, words in (
            (["--sizes", "8"], "8"),
            (["--sizes", "x"], "'x'"),
            (["--peers", "jax"], "'jax'"),
            (["--only", "speed"], "'speed'"),
            (["--batches", "1"], "1"),
        ):
            said = io.StringIO()
            with contextlib.redirect_stderr(said), self.assertRaises(SystemExit) as ended:
                compilers.main(["--device", "cpu", *options])
            self.assertEqual(ended.exception.code, 2)
            self.assertIn(words, said.getvalue().splitlines()[-1])


if __name__ == "__main__":
    unittest.main()

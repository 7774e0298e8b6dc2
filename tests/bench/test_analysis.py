#!/usr/bin/env python3
"""bench/report/analysis.py: who is faster from where on, and how something grows, on figures made by hand."""

import contextlib
import io
import json
import math
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench" / "report"))
import analysis  # noqa: E402
import rows as earned  # noqa: E402


def row(strategy, ms, space="host", threads=2, operation="label", **more):
    return {
        "strategy": strategy,
        "space": space,
        "threads": 0 if space == "device" else threads,
        "operation": operation,
        "ms": ms,
        **more,
    }


class Where(unittest.TestCase):
    def test_words(self):
        places = "abcde"
        for wins, words in (
            (("11111"), "everywhere"),
            ("00000", "nowhere"),
            ("00111", "from c on"),
            ("00001", "from e on"),
            ("11000", "up to b"),
            ("01010", "at b, d"),
            ("-----", "-"),
            ("-0011", "from d on"),
            ("1---1", "everywhere"),
        ):
            self.assertEqual(
                analysis.where([(p, None if w == "-" else w == "1") for p, w in zip(places, wins)]),
                words,
            )
        self.assertEqual(analysis.where([(str(i), i % 2 == 1) for i in range(12)]), "at 6 of 12")


class Crossovers(unittest.TestCase):
    def cell(self, place, cpu, gpu, **more):
        return (
            place,
            [
                row("memcpy", 0.001, operation="copy"),
                row("serial", 0.01, threads=1),
                row("rows", 9 * cpu),
                row("simd", cpu),
                row("simd", 2 * cpu, threads=1),
                row("opencv", 5 * cpu),
                row("opencv", 6 * cpu, threads=1),
                row("npp", 0.001, "device"),
                row("device copy", 0.001, "device", operation="copy"),
                row("slow", 9 * gpu, "device"),
                row("fast", gpu, "device", **more),
            ],
        )

    def test_each_contender_by_where_the_pictures_lie(self):
        cells = [
            self.cell("64", 1.0, 1.5, pinned_ms=3.0, pageable_ms=None),
            self.cell("128", 4.0, 1.5, pinned_ms=5.0, pageable_ms=90.0),
        ]
        self.assertEqual(
            analysis.crossovers(cells),
            [
                ["ours, 1 thread", "everywhere", "from 128 on", "nowhere"],
                ["ours, 2 threads", "from 128 on", "nowhere", "nowhere"],
                ["opencv, 1 thread", "everywhere", "everywhere", "nowhere"],
                ["opencv, 2 threads", "everywhere", "everywhere", "nowhere"],
            ],
        )

    def test_without_a_device(self):
        self.assertEqual(
            analysis.crossovers([("64", [row("simd", 1.0)])]), [["ours, 2 threads", "-", "-", "-"]]
        )


class Growth(unittest.TestCase):
    def test_lines(self):
        self.assertIsNone(analysis.line_through([(1, 2), (2, 3)]))
        self.assertIsNone(analysis.line_through([(1, 2), (1, 3), (1, 4)]))
        a, b, r2 = analysis.line_through([(0, 1), (1, 3), (2, 5)])
        self.assertAlmostEqual(a, 1)
        self.assertAlmostEqual(b, 2)
        self.assertAlmostEqual(r2, 1)
        # By hand: means 1 and 2, Sxx 2, Sxy 1, Syy 2.
        a, b, r2 = analysis.line_through([(0, 2), (1, 1), (2, 3)])
        self.assertAlmostEqual(a, 1.5)
        self.assertAlmostEqual(b, 0.5)
        self.assertAlmostEqual(r2, 0.25)

    def test_logarithm_and_power(self):
        fits = {
            name: rest
            for name, *rest in analysis.growth(
                [(n, 3 + 2 * math.log2(n)) for n in (64, 128, 256, 512)]
            )
        }
        self.assertAlmostEqual(fits["logarithm"][1], 2)
        self.assertAlmostEqual(fits["logarithm"][2], 1)
        self.assertLess(fits["power"][2], 0.9999)
        fits = {
            name: rest for name, *rest in analysis.growth([(n, 5 * n**1.5) for n in (64, 128, 256)])
        }
        for got, want in zip(fits["power"], (5, 1.5, 1)):
            self.assertAlmostEqual(got, want)
        self.assertEqual(
            [name for name, *_ in analysis.growth([(1, 0), (2, 1), (4, 2)])], ["logarithm"]
        )
        self.assertEqual(analysis.growth([(64, 7)]), [])


class EarnedRows(unittest.TestCase):
    """rows.py: what each production row gains over the fastest other one."""

    @staticmethod
    def run_of(**times):
        made = []
        for request, by_strategy in times.items():
            for strategy, ms in by_strategy.items():
                made.append(
                    row(strategy, ms, "device", parameters=request, type="u8", width=64, height=64)
                )
        copy = row("copy", 1, "device", operation="copy", parameters="", type="u8")
        return {"rows": [*made, {**copy, "width": 64, "height": 64}]}

    def gains(self, **times):
        found = earned.gains_of(earned.requests_of(self.run_of(**times)))
        return {
            name[1]: sorted(gain for gain, _ in all_of_row) for name, all_of_row in found.items()
        }

    def test_a_gain_is_over_the_fastest_other_row(self):
        gains = self.gains(first={"a": 2, "b": 3, "c": 6, "npp": 1}, second={"a": 4, "b": 2})
        self.assertEqual(gains, {"a": [0.5, 1.5], "b": [2 / 3, 2], "c": [1 / 3]})

    def test_a_row_that_gains_nothing_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run.json"
            for times, end, last in (
                ({"first": {"a": 1, "b": 1.1}, "second": {"a": 1}}, 1, "label:b gains less than"),
                (
                    {"first": {"a": 1, "b": 1.1}, "second": {"b": 1}, "third": {"a": 1}},
                    0,
                    "label:b",
                ),
            ):
                path.write_text(json.dumps(self.run_of(**times)))
                text = io.StringIO()
                with contextlib.redirect_stdout(text):
                    self.assertEqual(earned.main(path), end)
                self.assertTrue(text.getvalue().splitlines()[-1].startswith(last), text.getvalue())


class Thinned(unittest.TestCase):
    def test_ends_stay(self):
        self.assertEqual(analysis.thinned(range(361), 13), list(range(0, 361, 30)))
        self.assertEqual(analysis.thinned([1, 2], 13), [1, 2])


if __name__ == "__main__":
    unittest.main()

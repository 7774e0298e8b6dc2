#!/usr/bin/env python3
"""bench/report/report.py lays out the papers' forms: of a made-up result with a GPU, of what the command writes on the CPU
(the first argument, where it was built), and of results of earlier versions. It refuses what is no result."""

import json
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NONE = "no paper figure"
REPORT = ROOT / "bench" / "report" / "report.py"
COMMAND = sys.argv.pop(1) if len(sys.argv) > 1 else None


def row(experiment, operation, strategy, space="device", variant="", side=512, ms=1.0, **more):
    whole = {
        "experiment": experiment,
        "operation": operation,
        "strategy": strategy,
        "space": space,
        "parameters": "request",
        "strategy_parameters": variant,
        "type": "u8",
        "width": side,
        "height": side,
        "threads": 0 if space == "device" else 1 if strategy == "serial" else 2,
        "ms": ms,
        "ms_spread": 0.01,
        "copy_ms": 0.5,
        "times_copy": 2 * ms,
        "serial_ms": 20.0,
        "speedup": 20 / ms,
        "gflops": 100.0,
        "bytes_per_pixel": 2,
        "intensity": 6.25,
        "intensity_paper": None,
        "roofline_gflops": None,
        "roofline_percent": None,
        "pageable_ms": None,
        "pinned_ms": None,
        "set_up_ms": None,
        "run_ms": None,
        "border": "",
        "pictures": 1,
        "pageable_costs": None,
        "pinned_costs": None,
        "paper": "",
        "paper_figure": None,
        "accesses": None,
        "kernels": [],
        "stages": {},
        "statistics": {},
    }
    return {**whole, **more}


def figure(
    experiment,
    source,
    subject,
    what,
    value,
    detail="",
    unit="",
    side=0,
    parameters="",
    words="",
    height=None,
):
    return {
        "experiment": experiment,
        "parameters": parameters,
        "width": side,
        "height": side if height is None else height,
        "source": source,
        "subject": subject,
        "detail": detail,
        "what": what,
        "unit": unit,
        "value": value,
        "words": words,
    }


def result(rows, figures):
    return {
        "machine": {"cpu": "a CPU", "threads": 2, "simd": "AVX3", "peers": []},
        "gpu": {
            "name": "a GPU",
            "driver": "580",
            "runtime": "13.0",
            "ceilings": {"copy_gbs": 4000.0, "fma_gflops": 60000.0},
        },
        "commit": "abc",
        "date": "2026-11-22T00:00:00Z",
        "differences": [],
        "notes": ["log-ladder: a note"],
        "theory": [],
        "figures": figures,
        "rows": rows,
    }


class Forms(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.file = Path(self.folder.name) / "result.json"

    def tearDown(self):
        self.folder.cleanup()

    def run_report(self, what, *options):
        if what is not None:
            self.file.write_text(
                what if isinstance(what, str) else json.dumps(what), encoding="utf-8"
            )
        return subprocess.run(
            [sys.executable, REPORT, self.file, *options], capture_output=True, text=True
        )

    def report(self, rows=None, figures=(), *options):
        done = self.run_report(None if rows is None else result(rows, list(figures)), *options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def assert_table(self, text, title, *lines):
        """The table whose title begins so has these lines, blanks between cells aside."""
        tables = [part.splitlines() for part in text.split("\n\n")]
        table = next((t for t in tables if t[0].startswith(title)), None)
        self.assertIsNotNone(table, f"{title}\n{text}")
        found = [" ".join(line.split()) for line in table]
        for line in lines:
            self.assertIn(line, found)

    def test_steps_of_sobel(self):
        rows = [
            row("sobel-ladder", "sobel", "global", variant="block=32", ms=0.08),
            row("sobel-ladder", "sobel", "shared-1d", variant="block=32", ms=0.02),
            row("sobel-ladder", "copy", "device copy", ms=0.01),
        ]
        steps = [
            figure(
                "sobel-ladder",
                "paper",
                name,
                "processing time",
                ms,
                "block=32",
                "ms",
                parameters="request",
            )
            for name, ms in (("global", 0.099328), ("shared-1d", 0.054272))
        ]
        self.assert_table(
            self.report(rows, steps),
            "paper 003: request, 512x512 u8, a GPU, block=32",
            "global 0.08000 - 0 % 0.099 - 0 %",
            "shared-1d 0.02000 75 % 75 % 0.054 45 % 45 %",
            "a copy of the picture 0.01000",
        )

    def test_goals_of_production(self):
        def goal(parameters, subject, what, value, beside="", side=8192):
            return figure(
                "production",
                "goal",
                subject,
                what,
                value,
                beside,
                parameters=parameters,
                side=side,
                height=8192,
            )

        def work(parameters, ms, strategy="tile", **more):
            return row(
                "production",
                "sobel",
                strategy,
                parameters=parameters,
                side=8192,
                ms=ms,
                **{"bytes_per_pixel": 3, **more},
            )

        copy = row("production", "copy", "device copy", parameters="state", side=8192, ms=0.5)
        rows = [
            work("a", 0.6),
            work("a", 4.0, "npp", answer="equal"),
            work("b", 0.7),
            work("a, odd", 0.6, width=8189),
            copy,
            work("state", 1.5),
            work("many", 0.64, statistics={"pictures a call": 64}),
            work("free", 0.5),
        ]
        figures = [
            goal("a", "reach", "times a copy", 1.3),
            goal("a", "stretch", "times a copy", 1.2),
            goal("b", "reach", "times a copy", 1.3),
            goal("a, odd", "reach", "times the aligned", 1.15, "a", 8189),
            goal("state", "reach", "of a copy's bandwidth", 0.75),
            goal("many", "reach", "us a picture", 8),
        ]
        self.assert_table(
            self.report(rows, figures),
            "production: 8192x8192, goals, a GPU",
            "sobel a tile 0.6000 1.20 1.20 times a copy 1.30 1.20 stretch 8.00 equal -",
            "sobel b tile 0.7000 1.40 1.40 times a copy 1.30 - no - - -",
            "sobel a, odd tile 0.6000 1.20 1.00 times the aligned 1.15 - reach - - -",
            "sobel state tile 1.500 3.00 0.50 of a copy's bandwidth 0.75 - no - - -",
            "sobel many tile 0.6400 1.28 10.00 us a picture 8.00 - no - - -",
            "sobel free tile 0.5000 1.00 - - - - - - - -",
        )

    def test_predictions(self):
        rows = [
            row(
                "model",
                "convolve",
                "naive",
                variant="block=32",
                ms=0.1,
                predicted_ms=0.08,
                bound_by="issue",
            ),
            row("model", "convolve", "plain", ms=0.3, predicted_ms=None, bound_by=""),
        ]
        self.assert_table(
            self.report(rows),
            "model: convolve request, u8, 512x512, a GPU",
            "naive block=32 0.08000 0.1000 -20 % issue",
        )
        host = [row("memory-ladder", "convolve", "simd", space="host", parameters="averaging 3x3")]
        figures = [
            figure(
                "memory-ladder",
                "predicted",
                "naive",
                "time on a P5000",
                0.5,
                "block=32",
                "ms",
                side=512,
                parameters="averaging 3x3",
                words="issue",
            )
        ]
        self.assert_table(
            self.report(host, figures),
            "memory-ladder: averaging 3x3, 512x512, predicted time on a P5000",
            "naive block=32 0.5000 issue",
        )

    def test_predicted_stages(self):
        stages = {"before the first stage": 0.002, "gaussian": 0.032, "hysteresis": 0.1}
        rows = [
            row(
                "canny-stages",
                "canny",
                "global",
                variant="block=32",
                stages=stages,
                predicted_stages={"gaussian": 0.027, "sobel": 0.01},
            ),
            row("canny-stages", "canny", "fused", stages=stages),
        ]
        found = self.report(rows)
        title = "stages predicted, and measured without the event between them"
        self.assertIn(title, found)
        lines = [
            line.split() for line in found[found.index(title) :].split("\n\n")[0].splitlines()[2:]
        ]
        # The stage that was not measured has no line, nor the strategy that is not predicted.
        self.assertEqual(
            lines, [["global", "block=32", "512x512", "gaussian", "0.02700", "0.03000", "-10", "%"]]
        )

    def test_tiles_and_theory_of_log(self):
        rows = [
            row(
                "log-ladder",
                "convolve",
                "tiled",
                variant=f"T={t}",
                ms=ms,
                intensity_paper=2.0,
                statistics={"tiles": t},
            )
            for t, ms in ((1, 0.2), (8, 0.1))
        ]
        figures = [
            figure("log-ladder", "paper", "the paper's GPU", "bandwidth", 80),
            figure("log-ladder", "paper", "the paper's GPU", "peak", 100),
        ]
        text = self.report(rows, figures)
        self.assert_table(
            text,
            "paper 000: convolve request, u8, a GPU: runtime",
            "tiled T=1 20.00",
            "tiled T=8 10.00 *",
        )
        self.assert_table(
            text,
            "paper 000: convolve request, u8, a GPU: theory",
            "tiled T=8 T=8 2.000 100.0 8000.0 100.0",
        )
        self.assertIn("log-ladder: a note", text)

    def test_memory_and_overhead_of_filters(self):
        of = {"parameters": "averaging 3x3", "type": "f32", "side": 256}
        rows = [
            row("memory-ladder", "convolve", "serial", "host", ms=20.0, **of),
            row(
                "memory-ladder",
                "convolve",
                "naive",
                ms=0.5,
                pageable_ms=2.5,
                pinned_ms=1.0,
                set_up_ms=0.25,
                **of,
            ),
        ]
        about = {"parameters": "averaging 3x3", "side": 256}
        figures = [
            figure("memory-ladder", "paper", "serial", "kernel time", 14.537, **about),
            figure("memory-ladder", "paper", "naive", "kernel time", 0.041, **about),
            figure("memory-ladder", "paper", "naive", "overhead", 84.529, **about),
            figure("memory-ladder", "counted", "naive", "accesses", 1245184, **about),
        ]
        text = self.report(rows, figures)
        title = "paper 002: averaging filter f32, a GPU: "
        self.assert_table(
            text,
            title + "kernel time",
            "256x256 3x3 20.00 0.5000" + 11 * " -",
            "256x256 3x3 paper 14.537 0.041" + 5 * " no paper figure",
        )
        self.assert_table(
            text,
            title + "overhead",
            "256x256 3x3 pageable 2.000 - - - - -",
            "256x256 3x3 pinned 0.5000 - - - - -",
            "256x256 3x3 set-up 0.2500 - - - - -",
            "256x256 3x3 paper 84.5" + 5 * " no paper figure",
        )
        self.assert_table(
            text, title + "global memory accesses", "256x256 3x3 counted 1245184 - - - - -"
        )

    def test_the_papers_figures_stand_without_a_gpu(self):
        about = {"parameters": "averaging 3x3", "side": 256}
        figures = [
            figure("memory-ladder", "paper", "serial", "kernel time", 14.537, **about),
            figure("memory-ladder", "paper", "naive", "overhead", 84.529, **about),
        ]
        figures += [
            figure(
                "sobel-ladder",
                "paper",
                name,
                "processing time",
                ms,
                "block=32",
                "ms",
                parameters="request",
            )
            for name, ms in (("global", 0.099328), ("shared-1d", 0.054272))
        ]
        whole = result(
            [
                row("memory-ladder", "convolve", "serial", "host", ms=20.0, type="f32", **about),
                row("sobel-ladder", "sobel", "serial", "host"),
            ],
            figures,
        )
        done = self.run_report({**whole, "gpu": None, "why_no_gpu": "there is none"})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assert_table(
            done.stdout,
            "paper 002: averaging filter f32, a CPU, no GPU: overhead",
            "256x256 3x3 paper 84.5" + 5 * " no paper figure",
        )
        self.assertNotIn("pinned", done.stdout.split("overhead, ms")[1].split("\n\n")[0])
        self.assert_table(
            done.stdout,
            "paper 003: request, 512x512 u8, a CPU, no GPU, block=32",
            "shared-1d - - - 0.054 45 % 45 %",
        )

    def test_stages_and_models_of_canny(self):
        rows, figures = (
            [],
            [
                figure(
                    "canny-stages",
                    "paper",
                    "the paper's GPU",
                    "share",
                    0,
                    "hysteresis",
                    words="40 to 60 %",
                ),
                figure("canny-stages", "model", "rolling rows", "gain", 5.74, "K = 3"),
            ],
        )
        for side, scale in ((64, 1), (128, 4)):
            for name, ms in (("global", 2.0), ("row-cyclic", 1.0)):
                rows.append(
                    row(
                        "canny-stages",
                        "canny",
                        name,
                        variant="hysteresis=bfs-launch",
                        side=side,
                        ms=ms * scale,
                        stages={
                            "gaussian": 0.5 * ms * scale,
                            "sobel": 0.25 * ms * scale,
                            "magnitude": 0.25 * ms * scale,
                        },
                    )
                )
            of = {"side": side}
            figures += [
                figure("canny-stages", "model", "operations", "operations", 3e6, "gaussian", **of),
                figure("canny-stages", "model", "operations", "operations", 1e6, "gradient", **of),
                figure("canny-stages", "found", "hysteresis", "c", 0.5, **of),
            ]
            figures += [
                figure("canny-stages", "found", "hysteresis", what, value, **of)
                for what, value in (("initial trees", 10), ("final trees", 30), ("depth", 7))
            ]
            figures += [
                figure("canny-stages", "model", subject, "time", value, part, "ms", **of)
                for subject in ("the paper's GPU", "this GPU")
                for part, value in (
                    ("memory", 0.2),
                    ("computation", 0.1),
                    ("transfer", 0.1),
                    ("all", 0.4),
                )
            ]
        figures.append(
            figure("canny-stages", "paper", "the paper's GPU", "time", 0.1758, "all", "ms", side=64)
        )
        text = self.report(rows, figures)
        title = "paper 001: Canny u8, a GPU"
        self.assert_table(
            text, f"{title}: gradient, ms", "global hysteresis=bfs-launch 1.000 4.000 N^2.0"
        )
        self.assert_table(
            text,
            f"{title}, 64x64: share",
            "global hysteresis=bfs-launch 50.0 % 50.0 % - - - - 2.000 2.000",
            "paper's GPU, in words" + 4 * " no paper figure" + " 40 to 60 %",
        )
        self.assert_table(
            text,
            f"{title}: the paper's operations",
            "64x64 3.000 1.000 0.50 4.000",
            "share 75.0 % 25.0 %",
        )
        self.assert_table(
            text, f"{title}: breadth-first", "64x64 request 1 10 30 7 no paper figure"
        )
        self.assert_table(
            text,
            f"{title}: the paper's time model",
            "64x64 7 0.2000 0.1000 0.1000 0.4000 0.1758 0.44 0.4000 2.000 1.000 5.00",
        )
        self.assert_table(
            text,
            f"{title}: gaussian and sobel",
            "64x64 1.500 0.7500 2.00 2.00 2.00 no paper figure",
        )
        self.assertIn("= 5.74 at K = 3)", text)

    def test_photographs_and_roots_have_tables_of_their_own(self):
        def canny(ms, parameters):
            stages = {"gaussian": ms / 2, "magnitude": ms / 2}
            return row("canny-stages", "canny", "global", side=64, ms=ms, parameters=parameters, stages=stages)  # fmt: skip

        rows = [
            canny(1.0, "L1, low 20, high 60, 100 made pictures"),
            canny(2.0, "L1, low 20, high 60, 9 photographs"),
            canny(3.0, "L2, low 20, high 60, 100 made pictures"),
        ]
        text = self.report(rows, [])
        for title, line in (
            ("means over 100 made pictures, a GPU: a picture, ms", "global 1.000"),
            ("photographs, a GPU: a picture, ms", "global 2.000 -"),
            ("magnitudes by the root, a GPU: a picture, ms", "global 3.000 -"),
            ("magnitudes by the root, a GPU: gradient, ms", "global 1.500 -"),
        ):
            self.assert_table(text, f"paper 001: Canny u8, {title}", line)

    def test_frames_of_canny(self):
        rows = [
            row(
                "canny-stages", "canny", "fused", side=1024, ms=0.5, pageable_ms=20.0, pinned_ms=2.0
            )
        ]
        paper = "the paper's GPU"
        figures = [
            figure(
                "canny-stages", "paper", paper, "time", 7.1329, detail="all", unit="ms", side=1024
            ),
            figure(
                "canny-stages",
                "paper",
                paper,
                "rate",
                140,
                detail="all",
                unit="frames/s",
                side=1024,
            ),
            figure(
                "canny-stages",
                "paper",
                "its goal",
                "rate",
                60,
                detail="all",
                unit="frames/s",
                side=1024,
            ),
        ]
        text = self.report(rows, figures)
        self.assert_table(
            text, "paper 001: Canny u8, a GPU: a picture, ms", "fused 0.5000", f"{paper} 7.1329"
        )
        self.assert_table(
            text,
            "paper 001: Canny u8, a GPU: frames a second, pictures resident",
            "fused 2000",
            f"{paper} 140",
            "the paper's CPU, 16 threads no paper figure",
        )
        self.assertIn("60 frames a second at 1024x1024, transfers included: missed by fused", text)

    def test_versions_of_motion(self):
        name = "motion-ladder"
        size = {"width": 596, "height": 336}
        kernel = {
            "name": "morph<x>",
            "launches": 4,
            "blocks": 9,
            "threads": 256,
            "registers": 30,
            "static_shared_bytes": 8,
            "dynamic_shared_bytes": 8,
            "local_bytes": 0,
            "occupancy": 0.75,
        }
        rows = [
            row(name, "motion", "v1.2", ms=0.2, stages={"blur": 0.2}, **size),
            row(
                name,
                "motion",
                "v1.3",
                variant="block_x=8 block_y=4",
                ms=0.1,
                stages={"blur": 0.05, "dilate": 0.05},
                kernels=[kernel],
                **size,
            ),
            row(
                name,
                "motion",
                "v1.3",
                variant="block_x=16 block_y=4",
                ms=0.4,
                stages={"blur": 0.4},
                **size,
            ),
            row(name, "motion", "simd", "host", **size),
            row(name, "motion", "simd", "host", ms=2.0, **size, threads=1),
        ]
        for of in rows:
            of["pictures"] = 4
        of = {"side": 596, "height": 336}
        figures = [
            figure(name, "model", step, "step", 0, part)
            for step, part in (("blur", ""), ("morphology", ""), ("dilate", "morphology"))
        ]
        figures += [
            figure(name, "paper", "v1.3", "rate", 224, unit="frames/s", **of),
            figure(name, "paper", "the paper's video", "frames", 124, **of),
            figure(name, "paper", "v1.3", "time of the video", 559, unit="ms", **of),
            figure(name, "paper", "v1.3", "time of a frame", 0.908, "blur", "ms", **of),
            figure(name, "paper", "v1.3", "time of the video", 113, "blur", "ms", **of),
            figure(name, "paper", "v1.3", "share", 20.1, "blur", "%", **of),
            figure(name, "paper", "v1.3", "registers", 37, "dilate", **of),
            figure(name, "paper", "v1.3", "occupancy", 0.715, "dilate", **of),
        ]
        figures += [
            figure(name, "model", "v1.0", what, value, "memory", "bytes", **of)
            for what, value in (
                ("held", 2 * 596 * 336),
                ("moved at launch", 7),
                ("moved a frame", 596 * 336),
            )
        ]
        text = self.report(rows, figures)
        title = "paper 004: 596x336 RGB, one object, a GPU"
        self.assert_table(
            text,
            f"{title}: frames a second",
            "v1.2 4 0.2000 0.01000 5000.0 - - - no paper figure",
            "v1.3 block_x=8 block_y=4 4 0.1000 0.01000 10000.0 - - - 224.0",
            "simd, 2 threads 4 1.000 0.01000 1000.0 - - - no paper figure",
            "simd, 1 thread 4 2.000 0.01000 500.0 - - - no paper figure",
        )
        self.assert_table(
            text,
            f"{title}: where the GPU",
            "ours, 1 thread everywhere - -",
            "ours, 2 threads everywhere - -",
        )
        self.assert_table(
            text,
            f"{title}: v1.3 block_x=8 block_y=4, by step",
            "step frame, ms the 4 timed, ms share over v1.2 paper: frame, ms its 124, ms share over the last",
            "blur 0.05000 0.2000 50.00 % -75 % 0.9080 113.0 20.1 % -",
            "morphology 0.05000 0.2000 50.00 % - no paper figure - - -",
            "all steps 0.1000 0.4000 100.00 % -50 % 4.508 559.0 100 % -",
        )
        papers = row(
            name,
            "motion",
            "v1.3",
            variant="block_x=16 block_y=16 boxes=host windows=mask",
            ms=0.05,
            stages={"blur": 0.05},
            pictures=4,
            **size,
            parameters="request, the paper's kernels",
        )
        both = self.report([*rows, papers], figures)
        beside = "paper 004: 596x336 RGB, one object, the paper's kernels, a GPU"
        self.assert_table(
            both,
            f"{beside}: frames a second",
            "v1.3 block_x=16 block_y=16 boxes=host windows=mask 4 0.05000 0.01000 20000.0 - - - 224.0",
        )
        self.assert_table(
            both,
            f"{title}: v1.3 block_x=8 block_y=4, by step",
            "blur 0.05000 0.2000 50.00 % -75 % 0.9080 113.0 20.1 % -",
        )
        for of in rows:
            del of["pictures"]  # earlier versions: how many were timed is not known
        self.assert_table(
            self.report(rows, figures),
            f"{title}: v1.3 block_x=8 block_y=4, by step",
            "step frame, ms share over v1.2 paper: frame, ms its 124, ms share over the last",
        )
        self.assert_table(text, f"{title}: memory", "v1.0 400512 2.00 7 200256 1.00")
        self.assert_table(text, f"{title}: kernels of v1.3", "morph<x> 4 9 256 30 37 16 75 % 72 %")
        self.assert_table(
            text, f"{title}: launch shape", "block_x=8 block_x=16", "block_y=4 0.1000 * 0.4000"
        )

    def test_density_of_labels(self):
        rows = [
            row(
                "label-density",
                "label",
                "union-find",
                ms=ms,
                statistics={"components": count},
                stages={"merge": ms / 2},
                parameters=f"{count} squares",
                side=2048,
            )
            for count, ms in ((0, 0.5), (3600, 1.0))
        ]
        text = self.report(rows)
        self.assert_table(
            text,
            "paper 004: labelling, squares of 20x20 in 2048x2048 u8, a GPU: ms by number",
            "strategy 0 3600 full/empty",
            "union-find 0.5000 1.000 2.00",
        )
        self.assert_table(
            text,
            "paper 004: labelling, squares of 20x20 in 2048x2048 u8, a GPU: ms by stage",
            "union-find: merge 0.2500 0.5000",
        )

    def test_any_other_experiment_is_a_table_a_request(self):
        rows = [
            row("canny", "copy", "memcpy", "host", ms=0.5),
            row("canny", "canny", "simd", "host"),
            row("canny", "canny", "opencv", "host", ms=4.0),
        ]
        self.assert_table(
            self.report(rows),
            "canny: canny request, u8, 512x512, a GPU",
            "simd, 2 threads 1.000 0.01000 2.00 20.0 4.00 100.0 6.25 - - - - - - - - -",
        )
        self.assertIn(
            "error: no rows of 'speed'; there are canny",
            self.run_report(None, "--only", "speed").stderr,
        )

    def test_several_files(self):
        """A peer's file beside a bench's: copies once, the serial time everyone's, what the peer answered in words."""
        peers = Path(self.folder.name) / "peers.json"
        theirs = [
            row("memory-ladder", "copy", "device copy", ms=7.0),
            row(
                "memory-ladder",
                "convolve",
                "triton",
                ms=0.5,
                serial_ms=None,
                speedup=None,
                answer="equal",
            ),
            row(
                "sobel-ladder",
                "sobel",
                "triton",
                side=1024,
                ms=0.25,
                serial_ms=None,
                speedup=None,
                answer="not equal: so",
            ),
        ]
        ours = [
            row("memory-ladder", "copy", "device copy", ms=0.25),
            row("memory-ladder", "convolve", "naive"),
            row("sobel-ladder", "sobel", "global", variant="block=32"),
        ]
        for whole in (theirs, ours):
            for each in whole:
                each["parameters"] = (
                    "averaging 3x3" if each["experiment"] == "memory-ladder" else "request"
                )
        peer = result(theirs, [])
        peer["machine"] = {**peer["machine"], "peers": ["triton 3.6"]}
        peers.write_text(json.dumps(peer), encoding="utf-8")
        steps = [
            figure(
                "sobel-ladder",
                "paper",
                "global",
                "processing time",
                0.099,
                "block=32",
                "ms",
                parameters="request",
            )
        ]
        text = self.report(ours, steps, peers)
        self.assertIn("; triton 3.6\n", text)
        self.assert_table(
            text,
            "paper 002: averaging filter f32, a GPU: kernel time",
            "image, filter serial naive shared constant texture texture-constant two-pass rows simd simd, 1 thread opencv "
            "opencv, 1 thread device copy triton",
            "512x512 3x3 - 1.000" + 10 * " -" + " 0.2500 0.5000",
        )
        self.assert_table(
            text,
            "paper 002: averaging filter f32, a GPU: speed-up",
            "512x512 3x3 20.0" + 10 * " -" + " 80.0 40.0",
        )
        self.assert_table(
            text,
            "sobel-ladder: sobel request, u8, 1024x1024, a GPU",
            "triton 0.2500 0.01000 0.50 - - 100.0 6.25 - - - - - - - - - not equal: so",
        )
        self.assertNotIn("1024x1024 u8", text)  # no paper's form of a size that no rung has
        peers.write_text(
            json.dumps({**peer, "gpu": {**peer["gpu"], "name": "another"}}), encoding="utf-8"
        )
        done = self.run_report(None, peers)
        self.assertEqual(done.returncode, 3)
        self.assertIn("of another GPU, another", done.stderr)

    def test_blocks_and_borders_and_what_pictures_cost(self):
        of = {"parameters": "sobel 3x3", "type": "f32", "side": 256, "border": "ignore"}
        costs = dict(
            zip(
                (
                    "host_allocate",
                    "device_allocate",
                    "first_upload",
                    "upload",
                    "first_download",
                    "download",
                    "release",
                ),
                (0.5, 1.0, 2.0, 1.5, 4.0, 3.0, 0.25),
            )
        )
        rows = [
            row("memory-ladder", "convolve", "serial", "host", ms=20.0, **of),
            row("memory-ladder", "convolve", "naive", variant="block=32", ms=0.5, **of),
            row(
                "memory-ladder",
                "convolve",
                "naive",
                variant="block=16",
                ms=0.25,
                pageable_ms=2.25,
                pinned_ms=1.25,
                run_ms=0.75,
                pageable_costs=costs,
                pinned_costs={**costs, "host_allocate": 9.5},
                **of,
            ),
        ]
        figures = [
            figure(
                "memory-ladder",
                "paper",
                "serial",
                "kernel time",
                0,
                words=NONE,
                parameters="sobel 3x3",
                side=256,
            ),
            figure(
                "memory-ladder",
                "counted",
                "naive",
                "accesses",
                7,
                "block=16",
                parameters="sobel 3x3",
                side=256,
            ),
        ]
        text = self.report(rows, figures)
        title = "paper 002: sobel filter f32, a GPU"
        self.assert_table(
            text,
            f"{title}: kernel time",
            "256x256 3x3, block 32 ignore 20.00 0.5000" + 11 * " -",
            "256x256 3x3, block 16 ignore 20.00 0.2500" + 11 * " -",
            "256x256 3x3 paper" + 7 * f" {NONE}",
        )
        self.assert_table(
            text, f"{title}: global memory accesses", "256x256 3x3 counted, block=16 7 - - - - -"
        )
        self.assert_table(
            text,
            f"{title}: overhead",
            "256x256 3x3 pageable 2.000 - - - - -",
            "256x256 3x3 run 0.7500 - - - - -",
        )
        self.assert_table(
            text,
            f"{title}: what the pictures cost",
            f"256x256 3x3 pageable 0.5000 1.000 2.000 1.500 4.000 3.000 0.2500 7.750 {NONE}",
            f"256x256 3x3 pinned 9.500 1.000 2.000 1.500 4.000 3.000 0.2500 16.75 {NONE}",
        )
        self.assert_table(
            text,
            f"{title}, 3x3: ms with pictures",
            "naive block=16, resident 0.2500",
            "naive block=16, pageable 2.250",
        )

    def test_idle_threads_and_who_wins_from_where(self):
        idle = {"threads of a block": 1024, "load nothing": 0, "compute nothing": 124}
        rows = []
        for side, cpu in ((256, 0.05), (512, 0.5)):
            rows += [
                row("log-ladder", "copy", "memcpy", "host", side=side),
                row("log-ladder", "convolve", "simd", "host", side=side, ms=cpu, border="ignore"),
                row(
                    "log-ladder",
                    "convolve",
                    "shared",
                    variant="load=one-each",
                    side=side,
                    ms=0.1,
                    pinned_ms=0.3,
                    pageable_ms=0.6,
                    statistics=idle,
                    border="ignore",
                ),
            ]
        text = self.report(rows)
        title = "paper 000: convolve request, u8, a GPU"
        self.assert_table(
            text,
            f"{title}: runtime",
            "strategy border 256x256 512x512",
            "memcpy, 2 threads 100.0 100.0",
            "shared load=one-each ignore 10.00 10.00",
        )
        self.assert_table(
            text, f"{title}: threads of a block", "shared load=one-each 1024 0 124 12.1 %"
        )
        self.assert_table(
            text,
            f"{title}: where the GPU",
            "ours, 2 threads from 512x512 on from 512x512 on nowhere",
        )

    def test_filter_sizes(self):
        rows = [
            row(
                "filter-sizes",
                "convolve",
                "naive",
                parameters=f"average {n}x{n}",
                type="f32",
                side=2048,
                gflops=250.0 * n,
                intensity_paper=0.25,
            )
            for n in (3, 5)
        ]
        text = self.report(rows)
        title = "paper 000, figs. 5 to 7: average, 2048x2048 f32, a GPU: GFLOP/s"
        self.assert_table(text, f"{title} attained", "strategy 3x3 5x5", "naive 750.0 1250.0")
        self.assert_table(text, f"{title} by the paper's formula", "naive 1000.0 1000.0")

    def test_pictures_in_every_phase(self):
        rows = [
            row("canny-pipeline", "copy", "memcpy", "host"),
            row("canny-pipeline", "canny", "simd", "host", ms=4.0),
            row(
                "canny-pipeline", "canny", "fused", ms=1.0, parameters="request, a phase at a time"
            ),
        ]
        figures = [
            figure("canny-pipeline", "found", "page-locked", "rate", value, detail, "frames/s")
            for detail, value in (("1 in flight, 1 GPU", 1000.0), ("3 in flight, 2 GPUs", 3210.4))
        ]
        bound = "bound of the longest phase, the upload, 1 GPU"
        figures.append(
            figure("canny-pipeline", "model", "page-locked", "rate", 1200.0, bound, "frames/s")
        )
        text = self.report(rows, figures)
        self.assert_table(
            text,
            "paper 001: Canny",
            "simd, 2 threads 250",
            "1 in flight, 1 GPU, page-locked 1000",
            "3 in flight, 2 GPUs, page-locked 3210",
            f"{bound}, page-locked 1200",
        )
        self.assertNotIn("fused", text)

    def test_searches_of_many_pictures(self):
        rows, figures = [], []
        for side, depth in ((64, 10), (128, 12.5), (256, 15)):
            rows.append(
                row(
                    "canny-stages",
                    "canny",
                    "simd",
                    "host",
                    side=side,
                    parameters="L1, 100 made pictures",
                )
            )
            for what, mean in (
                ("initial trees", 10.0),
                ("final trees", 2.0 * side),
                ("depth", depth),
            ):
                for detail, value in (
                    ("", mean),
                    ("between quartiles", 2),
                    ("least", 1),
                    ("most", 40),
                ):
                    figures.append(
                        figure(
                            "canny-stages", "found", "hysteresis", what, value, detail, side=side
                        )
                    )
            figures.append(
                figure("canny-stages", "found", "hysteresis", "pictures", 100, side=side)
            )
        text = self.report(rows, figures)
        title = "paper 001: Canny u8, means over 100 made pictures, a GPU"
        self.assert_table(
            text,
            f"{title}: breadth-first",
            f"128x128 100 made pictures 100 10 2, 1 to 40 256 2, 1 to 40 12.5 2, 1 to 40 {NONE}",
        )
        self.assert_table(
            text,
            f"{title}: how the search grows",
            "depth -5.0 + 2.50 log2 N 1.000 2.98 N^0.29 0.997",
            "final trees -1045.3 + 192.00 log2 N 0.964 2 N^1.00 1.000",
        )

    def test_granularity_of_labels(self):
        def of(square, count, ms, space="device", **more):
            return row(
                "label-density",
                "label",
                "simd" if space == "host" else "union-find",
                space,
                ms=ms,
                side=2048,
                statistics={
                    "square": square,
                    "set, %": 100 * count * square**2 / 2048**2,
                    "components": count,
                },
                **more,
            )

        rows = [of(20, count, 0.5) for count in range(0, 3601, 10)] + [of(20, 1800, 0.9, "host")]
        rows += [of(2, 131072, 1.0), of(2, 131072, 0.75, "host", threads=1)]
        text = self.report(rows)
        self.assert_table(
            text,
            "paper 004: labelling, squares of 20x20 in 2048x2048 u8, a GPU: ms by number",
            "strategy 0 300 600 900 1200 1500 1800 2100 2400 2700 3000 3300 3600 full/empty",
        )
        self.assert_table(
            text,
            "paper 004: labelling, squares in 2048x2048 u8, a GPU: ms by granularity",
            "2x2, 12 % set 131072 1.000 0.7500",
            "20x20, 17 % set 1800 0.5000 0.9000",
            "20x20, 34 % set 3600 0.5000",
        )
        self.assert_table(
            text,
            "paper 004: labelling, squares in 2048x2048 u8, a GPU, by granularity: where the GPU",
            "ours, 1 thread nowhere - -",
            "ours, 2 threads everywhere - -",
        )

    def test_of_what_an_earlier_version_wrote(self):
        file = ROOT / "tests" / "bench" / "data" / "bench.json"
        done = subprocess.run(
            [sys.executable, REPORT, file, "--details"], capture_output=True, text=True
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for title in ("paper 000", "paper 001", "paper 002", "paper 004"):
            self.assertIn(title, done.stdout)

    def test_a_page_has_the_tables_and_pictures_of_the_text(self):
        file, page, folder = (
            Path(self.folder.name) / name for name in ("bench.json", "page.html", "pictures")
        )
        file.write_bytes((ROOT / "tests" / "bench" / "data" / "bench.json").read_bytes())
        words = subprocess.run(
            [sys.executable, REPORT, file], capture_output=True, text=True
        ).stdout
        done = subprocess.run(
            [sys.executable, REPORT, file, "--html", page, "--pictures", folder],
            capture_output=True,
            text=True,
        )
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        text = page.read_text(encoding="utf-8")
        tree = xml.fromstring(
            text.removeprefix("<!DOCTYPE html>\n").replace('<meta charset="utf-8">', "")
        )
        captions = [caption.text for caption in tree.iter("caption")]
        self.assertGreater(len(captions), 30)
        for caption in captions:
            self.assertIn(f"\n\n{caption}\n", words)
        self.assertEqual(words.count("\n\n") - words.count("\n\nnotes"), len(captions))
        drawn = sorted(path.name for path in folder.iterdir())
        self.assertTrue(
            {"roofline.svg", "theory.svg", "speedup-log-ladder.svg", "stages-canny-stages.svg"}
            <= set(drawn),
            drawn,
        )
        self.assertEqual(text.count("<svg "), len(drawn))
        for name in drawn:
            xml.fromstring((folder / name).read_text(encoding="utf-8"))
        ids = [part.get("id") for part in tree.iter("{http://www.w3.org/2000/svg}marker")]
        self.assertEqual(len(ids), len(set(ids)))

    def test_a_page_escapes_what_a_file_says(self):
        made = result([row("sobel-ladder", "sobel", "<b>&", ms=0.08)], [])
        self.file.write_text(json.dumps(made), encoding="utf-8")
        page = Path(self.folder.name) / "page.html"
        self.assertEqual(self.run_report(None, "--html", page).returncode, 0)
        text = page.read_text(encoding="utf-8")
        self.assertIn("&lt;b&gt;&amp;", text)
        self.assertNotIn("<b>", text)

    @unittest.skipUnless(COMMAND, "the command was not built")
    def test_of_what_the_command_writes(self):
        titles = {
            "log-ladder": "speed-up over one serial core",
            "memory-ladder": "global memory accesses",
            "sobel-ladder": "sobel-ladder: sobel magnitude L1 to u8",
            "canny-stages": "the paper's time model",
            "filter-sizes": "GFLOP/s attained",
            "label-density": "full/empty",
            "roofline": "figs. 5 to 7",
        }
        # Together, so that each operation is verified once.
        done = subprocess.run(
            [COMMAND, *titles, "--quick", "--sizes", "64", "--device", "cpu"]
            + ["--threads", "2", "--json", self.file],
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        text = self.report(None)
        for experiment, title in titles.items():
            self.assertIn(f"\n{experiment}: ", done.stdout)
            self.assertIn(title, text)
        done = subprocess.run(
            [
                COMMAND,
                "motion-ladder",
                "--quick",
                "--sizes",
                "32,160",
                "--device",
                "cpu",
                "--json",
                self.file,
            ],
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        text = self.report(None)
        self.assertIn("32x32 is less than 160x160, left out", text)
        self.assert_table(
            text,
            "paper 004: 160x160 RGB",
            "strategy frames timed frame, ms spread frames/s times opencv paper's frames/s",
        )
        self.assertIn("10wh, 3wh + 5k², 7wh", text)

    def test_refuses_what_is_no_result(self):
        for text in ("", "{}", "[]", '{"rows": [{}]}'):
            done = self.run_report(text)
            self.assertEqual(done.returncode, 3, text)
            self.assertTrue(done.stderr.startswith("error: "), done.stderr)
            self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    unittest.main()

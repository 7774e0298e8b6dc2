#!/usr/bin/env python3
"""bench/report/plot.py draws every picture from a result's JSON alone, the same bytes each time, and refuses
what is no result. Exits with 77 (skipped) where matplotlib is absent."""

import copy
import importlib.util
import json
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

from test_html import COMMITTED, NODE, evaluate, quickjs

PLOT = Path(__file__).resolve().parents[2] / "bench" / "report" / "plot.py"


def row(experiment, strategy, space, side, gflops, **more):
    whole = {"experiment": experiment, "operation": "convolve", "strategy": strategy, "space": space,
             "parameters": "gaussian 5x5", "strategy_parameters": "", "type": "f32", "width": side, "height": side,
             "threads": 2, "ms": 1.0, "bytes_per_pixel": 8, "gflops": gflops, "intensity": 6.25, "speedup": gflops,
             "stages": {}, "statistics": {}}
    return {**whole, **more}


def result():
    rows = []
    for experiment in ("roofline", "log-ladder"):
        for side in (256, 512):
            rows += [row(experiment, "memcpy", "host", side, None, operation="copy", speedup=None, intensity=None),
                     row(experiment, "serial", "host", side, 0.5), row(experiment, "simd", "host", side, 70, ms=0.5),
                     row(experiment, "naive", "device", side, 900), row(experiment, "shared", "device", side, 1500),
                     row(experiment, "shared", "device", side, 1800, ms=0.5, strategy_parameters="block=16")]
    rows.append(row("canny-stages", "fused", "device", 512, None, speedup=None, stages={"blur": 0.1, "link": 0.3}))
    rows += [row("label-density", name, space, 2048, None, operation=operation, speedup=None, ms_spread=0.1,
                 ms=1 + count / 1000, statistics={"components": count})
             for operation, name, space in (("copy", "memcpy", "host"), ("label", "union-find", "device"))
             for count in (3600, 0, 1800)]
    theory = [{"strategy": "naive", "tiles": 1, "filter": n, "paper_gpu_gflops": 20, "gflops": 1000,
               "printed_gflops": 20 if n == 3 else None} for n in (3, 5)]
    return {"machine": {"cpu": "a CPU", "peers": []}, "commit": "abc", "date": "2026-11-21T12:00:00Z",
            "gpu": {"name": "NVIDIA H200", "ceilings": {"copy_gbs": 4000, "fma_gflops": 60000}},
            "theory": theory, "rows": rows}


class Plot(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.out = Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def draw(self, what, name="pictures"):
        file = self.out / "result.json"
        file.write_text(what if isinstance(what, str) else json.dumps(what), encoding="utf-8")
        return subprocess.run([sys.executable, PLOT, file, "--out", self.out / name], capture_output=True, text=True)

    def texts(self, name):
        """What a picture says; text is drawn as paths, and matplotlib keeps it in comments."""
        content = (self.out / "pictures" / name).read_text(encoding="utf-8")
        xml.fromstring(content)
        return content

    def test_every_picture(self):
        done = self.draw(result())
        self.assertEqual(done.returncode, 0, done.stderr)
        names = {Path(line).name for line in done.stdout.split()}
        self.assertEqual(names, {"roofline.svg", "theory.svg", "speedup-roofline.svg", "speedup-log-ladder.svg",
                                 "stages-canny-stages.svg", "density.svg"})
        for label in ("simd (CPU)", "naive", "shared", "copy 4000 GB/s", "FMA 60000 GFLOP/s", "NVIDIA H200"):
            self.assertIn(label, self.texts("roofline.svg"))
        self.assertIn("printed in the paper", self.texts("theory.svg"))
        self.assertIn("blur", self.texts("stages-canny-stages.svg"))
        for label in ("union-find", "memcpy (CPU)", "labelling 2048x2048"):
            self.assertIn(label, self.texts("density.svg"))

    def test_without_a_gpu(self):
        cpu = result()
        cpu["gpu"] = None
        cpu["rows"] = [r for r in cpu["rows"] if r["space"] == "host"]
        for point in cpu["theory"]:
            point["gflops"] = None
        done = self.draw(cpu)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no GPU", self.texts("roofline.svg"))

    def test_same_bytes(self):
        self.draw(result(), "a")
        self.draw(copy.deepcopy(result()), "b")
        for file in sorted((self.out / "a").iterdir()):
            self.assertEqual(file.read_bytes(), (self.out / "b" / file.name).read_bytes(), file.name)

    def test_refuses_what_is_no_result(self):
        for text in ("", "{}", "[]", '{"rows": [{}]}'):
            done = self.draw(text)
            self.assertEqual(done.returncode, 3, text)
            self.assertTrue(done.stderr.startswith("error: "), done.stderr)
            self.assertNotIn("Traceback", done.stderr)


@unittest.skipUnless(quickjs or NODE, "neither the module quickjs nor node is here to run the page's scripts")
class AsOnThePage(unittest.TestCase):
    """plot.py and html/data.js draw the same points."""

    def setUp(self):
        spec = importlib.util.spec_from_file_location("plot", PLOT)
        self.plot = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.plot)

    def test_points(self):
        for source in COMMITTED:
            whole = json.loads(source.read_text(encoding="utf-8"))
            with self.subTest(source.name):
                self.roofline(whole)
                self.theory(whole)
                self.density(whole)

    def roofline(self, whole):
        view, *_ = evaluate("rooflineViews(result)", result=whole)
        theirs = {(panel["title"], one["name"], point["x"], point["y"], point["open"])
                  for panel in view["panels"] for one in panel["series"] for point in one["points"]}
        rows = self.plot.best_variants([row for row in whole["rows"] if row["experiment"] == "roofline" and row["gflops"]
                                        and row["intensity"] and row["space"] == "device"])
        ours = {(f"{row['operation']} {row['parameters']}, {row['type']}", self.plot.label_of(row), x, row["gflops"], hollow)
                for row in rows for x, hollow in self.plot.rung_points(row)}
        self.assertGreater(len(ours), 80)
        self.assertEqual(ours, {point for point in theirs if "(CPU)" not in point[1]})

    def theory(self, whole):
        view, *_ = evaluate("theoryViews(result)", result=whole)
        theirs = {(one["name"], point["x"], point["y"]) for one in view["panels"][1]["series"] if one.get("dash")
                  for point in one["points"]}
        words, measured = self.plot.measured_by_filter(whole, {point["strategy"]: point["tiles"] for point in whole["theory"]})
        self.assertEqual(words, view["label"])
        self.assertEqual({(name, n, row["gflops"]) for name, curve in measured.items() for n, row in curve.items()}, theirs)
        self.assertGreater(len(theirs), 10)

    def density(self, whole):
        rows = [row for row in whole["rows"] if row["experiment"] == "label-density"]
        panels, views = self.plot.density_panels(rows), evaluate("densityViews(result)", result=whole)
        self.assertEqual(len(panels), len(views))
        for (title, _, x_of, some), view in zip(panels, views):
            self.assertIn(title, view["label"])
            self.assertEqual({(self.plot.label_of(row), x_of(row), row["ms"]) for row in some},
                             {(one["name"], point["x"], point["y"]) for one in view["panels"][0]["series"] for point in one["points"]})

    def test_density_and_granularity(self):
        whole = result()
        whole["rows"] = [row("label-density", name, space, 64, None, operation="label", threads=threads, ms=square + part, ms_spread=0.1,
                             statistics={"components": float(most * part // 4), "square": float(square)})
                         for name, space, threads in (("union-find", "device", 0), ("simd", "host", 1), ("simd", "host", 16))
                         for square, most in ((1, 1001), (20, 361), (80, 16)) for part in (0, 1, 2, 3, 4)]
        self.assertEqual(len(self.plot.density_panels(whole["rows"])), 7)
        self.density(whole)
        with tempfile.TemporaryDirectory() as folder:
            drawn = self.plot.density(whole, Path(folder)).read_text(encoding="utf-8")
        for words in ("squares of 20x20", "75 % of the squares that fit", "simd (CPU, 1 thread)"):
            self.assertIn(words, drawn)


if __name__ == "__main__":
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        print("skipped: matplotlib is not installed (bench/report/requirements.txt)")
        sys.exit(77)
    unittest.main()

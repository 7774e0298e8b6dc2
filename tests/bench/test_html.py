#!/usr/bin/env python3
"""`cuesta bench --html`: the page is one file that refers to no other, holds the run's JSON unchanged whatever its
strings are, and its scripts make of it what the charts and tables say.

    test_html.py COMMAND        the scripts are run by the module quickjs, else by node; else those tests are skipped
"""

import copy
import json
import math
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from html.parser import HTMLParser
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REPORT = ROOT / "bench" / "report"
sys.path.insert(0, str(REPORT))
from report import milliseconds  # noqa: E402

COMMITTED = [ROOT / "tests" / "bench" / "data" / "bench.json"]
COMMAND = ""
HOSTILE = "</script><script>alert(1)</script> <!-- rows --> <!-- result --> <b title='x'>&amp; \" \\ \u2028 𝛑 {0}"

try:
    import quickjs
except ImportError:
    quickjs = None
NODE = shutil.which("node")


def evaluate(expression, **names):
    """What an expression gives in the page's scripts, with JSON under those names."""
    code = "".join((REPORT / "html" / f"{name}.js").read_text(encoding="utf-8") for name in ("data", "svg", "page"))
    palette = (REPORT / "palette.json").read_text(encoding="utf-8")
    code += "".join(f"const {name} = {json.dumps(value)};\n" for name, value in names.items())
    code += f"const palette = {palette};\n"
    if quickjs:
        context = quickjs.Context()
        context.set_max_stack_size(1 << 24)
        return json.loads(context.eval(f"{code}JSON.stringify({expression})"))
    done = subprocess.run([NODE, "-"], input=f"{code}process.stdout.write(JSON.stringify({expression}))", capture_output=True,
                          text=True, encoding="utf-8")
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


class Page(HTMLParser):
    """Elements by their tags, attributes, and the texts of scripts by their id."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.texts, self.at, self.cells = [], [], {}, None, []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes
        self.at = dict(attributes).get("id", tag)

    def handle_endtag(self, tag):
        self.at = None

    def handle_data(self, data):
        if self.at:
            self.texts[self.at] = self.texts.get(self.at, "") + data
        if self.at == "td":
            self.cells.append(data)


def row(strategy="naive", space="device", **more):
    whole = {"experiment": "roofline", "operation": "convolve", "strategy": strategy, "space": space, "parameters": "gaussian 5x5",
             "strategy_parameters": "", "type": "f32", "width": 100, "height": 100, "threads": 0, "ms": 1.0, "ms_spread": 0.1,
             "bytes_per_pixel": 8, "gflops": 10.0, "intensity": 6.25, "intensity_paper": None, "accesses": None, "kernels": [],
             "stages": {}, "statistics": {}}
    return {**whole, **more}


def result(*rows, **more):
    gpu = {"name": "a GPU", "compute_capability": "9.0", "driver": "1", "runtime": "13.0",
           "ceilings": {"copy_gbs": 1000.0, "copy_spread": 1, "fma_gflops": 5000.0, "fma_spread": 1, "wait_us": 2.5}}
    return {"machine": {"cpu": "a CPU", "threads": 2, "simd": "AVX2", "system": "Linux", "compiler": "GNU", "peers": ["npp 13.0"]},
            "gpu": gpu, "why_no_gpu": "", "libraries": [], "commit": "abc", "date": "2026-11-22T00:00:00Z", "differences": [],
            "notes": [], "theory": [], "figures": [], "rows": list(rows), **more}


def points(panel):
    return {(one["name"], point["open"] if "open" in point else None): (point["x"], point["y"])
            for one in panel["series"] for point in one["points"]}


class TheFile(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.at = Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def bench(self, *arguments):
        return subprocess.run([COMMAND, "bench", *map(str, arguments)], capture_output=True, text=True, errors="replace")

    def page_of(self, source):
        done = self.bench("--from", source, "--html", self.at / "page.html")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        return (self.at / "page.html").read_text(encoding="utf-8")

    def test_committed_results(self):
        for source in COMMITTED:
            with self.subTest(source.name):
                text = self.page_of(source)
                page = Page(text)
                whole = json.loads(source.read_text(encoding="utf-8"))
                self.assertEqual(json.loads(page.texts["result"]), whole)
                self.assertEqual(page.tags.count("script"), 3)
                self.assertEqual(page.tags.count("td"), 10 * len(whole["rows"]))
                self.refers_to_nothing(text, page)

    def refers_to_nothing(self, text, page):
        names = {name for name, _ in page.attributes}
        self.assertFalse(names & {"src", "href", "action", "data", "poster", "srcset", "style"}, names)
        self.assertFalse({"link", "img", "iframe", "object", "base"} & set(page.tags))
        outside = text.replace(page.texts["result"], "")
        for word in ("http:", "https:", "//cdn", "@import", "url(", "fetch(", "XMLHttpRequest", "import(", "src="):
            self.assertNotIn(word, outside)
        for mark in ("@CUESTA", "<!-- result", "<!-- rows"):
            self.assertNotIn(mark, text)

    def test_hostile_strings(self):
        hostile = result(row(HOSTILE, parameters=HOSTILE, strategy_parameters=HOSTILE), notes=[HOSTILE], differences=[HOSTILE])
        hostile["gpu"]["name"] = HOSTILE
        (self.at / "a.json").write_text(json.dumps(hostile), encoding="utf-8")
        page = Page(self.page_of(self.at / "a.json"))
        self.assertEqual(json.loads(page.texts["result"]), hostile)
        self.assertEqual(page.tags.count("script"), 3)
        self.assertNotIn("b", page.tags)
        self.assertEqual(page.cells.count(HOSTILE), 3)

    def test_refuses(self):
        page = self.at / "page.html"
        page.write_text("before")
        for text in ("", "{}", "[]", '{"rows": [{}]}', json.dumps(result(row(ms="fast"))), '{"a": "\udcff"}'):
            (self.at / "a.json").write_text(text, encoding="utf-8", errors="surrogateescape")
            done = self.bench("--from", self.at / "a.json", "--html", page)
            self.assertEqual(done.returncode, 3, text)
            self.assertIn("a.json", done.stderr)
            self.assertEqual(page.read_text(), "before")
        self.assertEqual({file.name for file in self.at.iterdir()}, {"page.html", "a.json"})
        for arguments in (["--from", "a.json"], ["cpu", "--from", "a.json", "--html", page], ["--from", "a.json", "--html", page, "--quick"],
                          ["cpu", "--json", "-", "--html", "-"]):
            done = self.bench(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn("--html", done.stderr)
        done = self.bench("cpu", "--quick", "--html", self.at / "absent" / "a.html")
        self.assertEqual((done.returncode, done.stdout), (4, ""))  # nothing ran
        self.assertIn("absent", done.stderr)


@unittest.skipUnless(quickjs or NODE, "neither the module quickjs nor node is here to run the page's scripts")
class Scripts(unittest.TestCase):
    def test_rungs_stand_at_their_own_intensity(self):
        rows = [row("naive", experiment="log-ladder", intensity_paper=0.25),
                row("naive", intensity_paper=0.25, gflops=20.0, accesses={"paper": None, "counted": 510000.0}),
                row("tiled", intensity_paper=4.0, gflops=30.0, ms=2.0, strategy_parameters="T=4"),
                row("tiled", intensity_paper=5.0, gflops=60.0, strategy_parameters="T=8"),
                row("constant", gflops=25.0, accesses={"paper": None, "counted": 260000.0}),
                row("fused", gflops=90.0), row("simd", "host", gflops=2.0), row("serial", "host", gflops=0.1, ms=9.0),
                row("memcpy", "host", operation="copy", gflops=None),
                row("naive", type="u8", intensity=25.0, intensity_paper=0.25, accesses={"paper": None, "counted": 510000.0})]
        views = evaluate("rooflineViews(result)", result=result(*rows))
        self.assertEqual([view["label"] for view in views], ["roofline 100x100", "log-ladder 100x100"])
        f32, u8 = views[0]["panels"]
        counted = lambda accesses: 6.25 * 8 * 100 * 100 / (4 * accesses)  # noqa: E731
        self.assertEqual(points(f32), {
            ("naive", False): (0.25, 20), ("naive", True): (counted(510000), 20), ("tiled", False): (5, 60),
            ("constant", True): (counted(260000), 25), ("fused", True): (6.25, 90), ("simd (CPU)", True): (6.25, 2)})
        self.assertEqual(points(u8), {("naive", False): (0.25, 10)})
        roof, flat, request = f32["lines"][:3]
        self.assertEqual([y / x for x, y in roof["points"]], [1000, 1000])
        self.assertEqual(flat["points"][0], [5, 5000])
        self.assertEqual(request["points"], [[6.25, 2], [6.25, 5000]])
        self.assertEqual(evaluate("rooflineViews(result)[0].panels[0].lines[0].label", result=result(*rows)), "copy 1000 GB/s")

    def test_roofline_without_a_gpu(self):
        rows = [row("simd", "host", ms=0.5), row("serial", "host"), row("memcpy", "host", operation="copy", gflops=None, ms=0.01)]
        panel = evaluate("rooflineViews(result)[0].panels[0]", result=result(*rows, gpu=None))
        self.assertEqual(len(points(panel)), 2)
        self.assertEqual(panel["lines"][0]["label"], "copy 8 GB/s")

    def test_theory_beside_measured(self):
        theory = [{"strategy": name, "tiles": tiles, "filter": n, "paper_gpu_gflops": n * 10.0, "gflops": n * 100.0,
                   "printed_gflops": 31.0 if n == 3 else None} for name, tiles in (("naive", 1), ("tiled", 21)) for n in (3, 5, 7)]
        rows = [row(name, parameters=f"averaging {n}x{n}", experiment="memory-ladder", gflops=float(n), strategy_parameters=f"T={tiles}",
                    ms=tiles / 10, statistics={"tiles": float(tiles)})
                for name, tiles in (("naive", 1), ("tiled", 21), ("tiled", 4)) for n in (3, 5)]
        rows += [row("naive", parameters="laplacian 3x3"), row("naive", type="u8", parameters="averaging 7x7")]
        (view,) = evaluate("theoryViews(result)", result=result(*rows, theory=theory))
        self.assertEqual(view["label"], "memory-ladder averaging 100x100")
        theirs, ours = view["panels"]
        self.assertEqual([point["y"] for point in theirs["series"][-1]["points"]], [31, 31])
        measured = {one["name"]: one["points"] for one in ours["series"] if one.get("dash")}
        self.assertEqual([(point["x"], point["y"]) for point in measured["naive"]], [(3, 3), (5, 5)])
        self.assertIn("T=21", measured["tiled"][0]["hint"])  # as the formula has it, though T=4 is faster
        alone = evaluate("theoryViews(result)", result=result(theory=theory))
        self.assertEqual([len(view["panels"]) for view in alone], [2])
        self.assertEqual(evaluate("theoryViews(result)", result=result()), [])

    def test_density_and_granularity(self):
        def at(count, square=None, ms=1.0, threads=0, name="union-find"):
            statistics = {"components": float(count)} | ({"square": float(square)} if square else {})
            return row(name, "host" if threads else "device", experiment="label-density", operation="label", threads=threads, ms=ms,
                       parameters=f"{count} squares of {square or 20}x{square or 20}", type="u8", statistics=statistics)

        rows = [at(9, ms=2.0), at(0), at(4), at(4, ms=0.5), at(9, name="simd", threads=1), at(9, name="simd", threads=16)]
        (view,) = evaluate("densityViews(result)", result=result(*rows))
        series = {one["name"]: [(point["x"], point["y"]) for point in one["points"]] for one in view["panels"][0]["series"]}
        self.assertEqual(series, {"union-find": [(0, 1), (4, 0.5), (9, 2)], "simd (CPU, 1 thread)": [(9, 1)], "simd (CPU)": [(9, 1)]})
        both = [at(most * quarters // 4, square, ms=square + quarters) for square, most in ((1, 1001), (20, 361), (80, 16))
                for quarters in (1, 2, 3, 4)] + [at(7, 20), at(5, 40)]
        views = evaluate("densityViews(result)", result=result(*both))
        self.assertEqual([view["label"] for view in views],
                         [f"by number of squares of {square}x{square}, 100x100" for square in (20, 1, 80)]
                         + [f"by granularity, {percent} % of the squares that fit, 100x100" for percent in (25, 50, 75, 100)])
        for quarters, view in enumerate(views[3:], 1):
            points = [(point["x"], point["y"]) for point in view["panels"][0]["series"][0]["points"]]
            self.assertEqual(points, [(square, square + quarters) for square in (1, 20, 80)])

    def test_a_long_list_is_thinned(self):
        self.assertEqual(evaluate("[thinned([1, 2, 3], 3), thinned([...Array(361).keys()], 13)]"), [[1, 2, 3], [30 * i for i in range(13)]])

    def test_stages(self):
        rows = [row("fused", experiment="canny-stages", width=side, stages={"gradient": 1.0, "hysteresis": side / 100})
                for side in (200, 100)]
        rows += [row("v1.3", experiment="motion-ladder", ms=10.0 - n, strategy_parameters=f"block={n}", stages={"blur": 1.0, "merge": 2.0})
                 for n in range(6)]
        canny, motion = evaluate("stageViews(result)", result=result(*rows))
        self.assertEqual([(bar["label"], bar["total"]) for bar in canny["panels"][0]["bars"]], [("100x100", 2), ("200x100", 3)])
        self.assertEqual([panel["title"] for panel in motion["panels"]], ["v1.3 block=5"])  # of a search, the fastest
        names = evaluate("stageNames([{bars: [{parts: [{name: 'a'}, {name: 'c'}]}, {parts: [{name: 'a'}, {name: 'b'}]}]}])")
        self.assertEqual(names, ["a", "b", "c"])

    def test_predictions(self):
        rows = [row("naive", predicted_ms=ms, bound_by="issue") for ms in (0.79, 0.81, 1.19, 1.21)] + [row("tiled")]
        (view,) = evaluate("modelViews(result)", result=result(*rows))
        self.assertTrue(view["note"].startswith("2 of 4 "), view["note"])
        self.assertEqual([one["name"] for one in view["panels"][0]["series"]], ["issue"])
        self.assertEqual(evaluate("modelViews(result)", result=result(row())), [])

    def test_tables(self):
        use = {"name": "k", "registers": 30, "static_shared_bytes": 16, "dynamic_shared_bytes": 100, "occupancy": 0.5}
        rows = [row("naive", kernels=[use, {**use, "registers": 12, "occupancy": 0.25}], stages={"blur": 0.5}, border="ignore"),
                row("npp"), row("device copy", operation="copy"), row("naive", experiment="other")]
        table = evaluate("tableOf(result, 'roofline')", result=result(*rows))
        first = table["rows"][0]
        self.assertEqual((first["registers"], first["shared_bytes"], first["occupancy_percent"]), (30, 116, 25))
        self.assertEqual((first["size"], first["stages_ms"], first["border"]), ("100x100", "blur 0.5000", "ignore"))
        self.assertEqual([row.get("answer") for row in table["rows"]], ["verified", "a peer's", None])
        self.assertNotIn("paper_figure", table["columns"])
        self.assertEqual(set(table["columns"]), {name for row in table["rows"] for name in row})

    def test_sorting_and_filtering(self):
        rows = [{"n": 10, "size": "512x512", "t": "b"}, {"t": "a", "size": "64x64"}, {"n": 9, "size": "2048x8", "t": "b"},
                {"n": 10, "size": "1x1", "t": "c"}]
        order = lambda column, down: [rows.index(one) for one in  # noqa: E731
                                      evaluate(f"sortedBy(rows, {column!r}, {str(down).lower()})", rows=rows)]
        self.assertEqual(order("n", False), [2, 0, 3, 1])
        self.assertEqual(order("n", True), [0, 3, 2, 1])
        self.assertEqual(order("size", False), [3, 1, 2, 0])
        self.assertEqual(order("t", True), [3, 0, 2, 1])
        kept = lambda words: [rows.index(one) for one in evaluate("filtered(rows, words)", rows=rows, words=words)]  # noqa: E731
        self.assertEqual(kept(""), [0, 1, 2, 3])
        self.assertEqual(kept("10 512"), [0])
        self.assertEqual(kept("!10  b"), [2])

    def test_numbers_as_report_py_has_them(self):
        draw = random.Random(4)
        values = [10 ** draw.uniform(-7, 7) for _ in range(300)] + [0, -1, 1, 10, 100, 0.001, 12345.678]
        self.assertEqual(evaluate("values.map(milliseconds)", values=values), [milliseconds(value) for value in values])
        self.assertEqual(evaluate("[1e5, 1234567, 0.25, 0, 512].map(tickText)"), ["100,000", "1,234,567", "0.25", "0", "512"])

    def test_ticks_and_scales(self):
        self.assertEqual(evaluate("logTicks(0.3, 30)"), [0.5, 1, 2, 5, 10, 20])
        self.assertEqual(evaluate("logTicks(1, 5000)"), [1, 10, 100, 1000])
        self.assertEqual(evaluate("linearTicks(0, 100)"), [0, 20, 40, 60, 80, 100])
        low, middle, high = evaluate("[1, 10, 100].map(scaleOf({log: true}, [1, 100], 0, 500).at)")
        self.assertAlmostEqual(middle - low, high - middle)
        self.assertTrue(0 < low < high < 500)

    def test_spreads_are_inside(self):
        rows = [row("simd", experiment="label-density", statistics={"components": x}, ms=ms, ms_spread=spread)
                for x, ms, spread in ((1.0, 1.0, 1.999), (2.0, 1.1, 3.0), (3.0, 1.2, 0.0))]
        picture = xml.fromstring(evaluate("svgOfPlot(densityViews(result)[0].panels[0], palette, [])", result=result(*rows)))
        bars = [one for one in picture.iter("line") if one.get("stroke")]
        self.assertEqual(len(bars), 1)  # none where it would reach 0, none of 0
        self.inside(picture)

    def test_styles_are_distinct(self):
        names = [f"s{n}" for n in range(56)]
        styles = evaluate("names.map((name) => styleOf(palette, names, name))", names=names)
        self.assertEqual(len({(one["color"], one["marker"]) for one in styles}), 56)

    def test_every_chart_of_the_committed_results(self):
        views = """CHAPTERS.map(([id, , of]) => [id, of(result).map((view) => ({...view, drawn: view.panels.map((panel) =>
                   panel.bars ? svgOfBars(panel, palette, stageNames(view.panels)) : svgOfPlot(panel, palette, []))}))])"""
        for source in COMMITTED:
            whole = json.loads(source.read_text(encoding="utf-8"))
            chapters = dict(evaluate(views, result=whole))
            if whole.get("gpu"):
                self.assertTrue(all(chapters[name] for name in ("roofline", "theory", "density", "stages")), source.name)
            for name, of in chapters.items():
                for view in of:
                    for panel, drawn in zip(view["panels"], view["drawn"]):
                        with self.subTest(f"{source.name} {name} {view['label']} {panel['title']}"):
                            self.whole(panel, drawn)

    def whole(self, panel, drawn):
        picture = xml.fromstring(drawn)
        self.assertNotIn("NaN", drawn)
        self.assertNotIn("undefined", drawn)
        for bar in panel.get("bars", []):
            self.assertAlmostEqual(sum(part["value"] for part in bar["parts"]), bar["total"])
        wanted = [point for one in panel.get("series", []) for point in one["points"]]
        for point in wanted:
            self.assertTrue(point["y"] > 0 and math.isfinite(point["x"]), point)
        marks = [one for one in picture.iter() if one.get("class") in ("open", "mark")]
        self.assertEqual(len(marks), len(wanted))
        self.inside(picture)

    def inside(self, picture):
        """Nothing lies outside the picture, and names do not overlap."""
        _, _, width, height = map(float, picture.get("viewBox").split())
        for one in picture.iter():
            for name, limit in (("x", width), ("cx", width), ("x1", width), ("x2", width), ("y", height), ("y1", height), ("cy", height), ("y2", height)):
                if one.get(name):
                    self.assertTrue(0 <= float(one.get(name)) <= limit, xml.tostring(one))
        boxes = [(float(one.get("x")), float(one.get("y")), 6.1 * len(one.text)) for one in picture.iter("text")
                 if one.get("class") in ("point-name", "roof-name")]
        for at, (x, y, w) in enumerate(boxes):
            for other_x, other_y, other_w in boxes[:at]:
                self.assertFalse(x < other_x + other_w and other_x < x + w and abs(y - other_y) < 11.9, boxes)

    def test_hostile_strings_stay_text(self):
        hostile = copy.deepcopy(result(row(HOSTILE, parameters=HOSTILE, intensity_paper=1.0), row("fused", stages={HOSTILE: 1.0})))
        drawn = evaluate("""[svgOfPlot(rooflineViews(result)[0].panels[0], palette, []),
                             svgOfBars(stageViews(result)[0].panels[0], palette, [])]""", result=hostile)
        for picture in map(xml.fromstring, drawn):
            self.assertEqual({one.tag for one in picture.iter()} - {"svg", "g", "text", "line", "polyline", "polygon", "circle", "rect",
                                                                     "title"}, set())
            self.assertTrue(any(HOSTILE in (one.text or "") for one in picture.iter("title")))


if __name__ == "__main__":
    COMMAND = sys.argv.pop(1)
    if not (quickjs or NODE):
        print("the page's scripts are not run: neither the module quickjs (scripts/fetch-tools) nor node is here")
    unittest.main()

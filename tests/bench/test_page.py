#!/usr/bin/env python3
"""The pages of docs/benchmarks say what their JSON says (bench/report/page.py); that a page which does not is found; and
that the heads of the papers' rungs quote no measurement, which belong on a page."""

import functools
import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "bench" / "report" / "page.py"
PAGES = ROOT / "docs" / "benchmarks"
LADDER = PAGES / "h200-ladder.md"
sys.path.insert(0, str(SCRIPT.parent))
import claims  # noqa: E402
import page  # noqa: E402


def row(strategy, ms, side=64, space="device", shared=0, pageable=None, parameters="average 3x3"):
    kernels = [{"name": strategy, "static_shared_bytes": 0, "dynamic_shared_bytes": shared}] if space == "device" else []
    return {"experiment": "ladder", "operation": "convolve", "strategy": strategy, "space": space, "parameters": parameters,
            "strategy_parameters": "", "type": "f32", "width": side, "height": side, "threads": 0 if space == "device" else 16,
            "ms": ms, "pageable_ms": pageable, "pinned_ms": None, "times_copy": 2.0, "kernels": kernels, "stages": {"a": 1, "b": 3}}


RESULT = {"machine": {}, "gpu": {"name": "a GPU"}, "date": "2026-01-01T00:00:00Z",
          "figures": [{"experiment": "ladder", "parameters": "average 3x3", "width": 64, "source": "paper", "subject": "naive",
                       "detail": "", "what": "kernel time", "unit": "ms", "value": 0.5, "words": ""}],
          "rows": [row("naive", 0.2), row("shared", 0.1, shared=64, pageable=0.4), row("npp", 0.05), row("simd", 0.3, space="host"),
                   row("naive", 0.3, 128), row("shared", 0.36, 128, shared=64), row("simd", 1234.5, 128, space="host")]}

HEAD = "<!-- data: result.json -->\n# A page\n\n"
SENTENCE = "- `shared` takes 0.10 ms, 50 % less than `naive`, and wins in 1 of 2 cells.\n"
CLAIMS = """  <!-- claim
  0.10 ms = ms("64 shared")
  50 % = less(ms("64 shared"), ms("64 naive"))
  1 of 2 = wins(cells("ladder"), in_shared)
  ms("64 shared") < ms("64 simd")
  -->
"""
TABLE = '<!-- table: grid("µs", "ladder", ["naive", "shared"], ["64", "128"], us, True) -->\n\n%s\n\n<!-- end -->\n'
CELLS = "| µs | 64 | 128 |\n| --- | --- | --- |\n| `naive` | 200 | **300** |\n| `shared` | **100** | 360 |"


class MadeUp(unittest.TestCase):
    """A small page and the faults that it may have."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name, "page.md")
        self.data(RESULT)

    def data(self, whole):
        Path(self.folder.name, "result.json").write_text(json.dumps(whole), encoding="utf-8")

    def errors(self, text):
        return page.Page(self.path, text).check()

    def assert_found(self, text, *words):
        errors = self.errors(text)
        for word in words:
            self.assertTrue(any(word in error for error in errors), (word, errors))

    def test_a_true_page_has_no_error(self):
        self.assertEqual(self.errors(HEAD + SENTENCE + CLAIMS + "\n" + TABLE % CELLS), [])

    def test_a_changed_figure_on_the_page(self):
        for before, after in (("0.10 ms", "0.11 ms"), ("50 %", "51 %"), ("1 of 2", "2 of 2")):
            self.assert_found(HEAD + SENTENCE.replace(before, after) + CLAIMS, f"no figure '{before}'", "without a claim")
            both = SENTENCE + CLAIMS
            self.assert_found(HEAD + both.replace(before, after), f"{after} is ")

    def test_two_figures_that_changed_places(self):
        text = "`naive` takes 0.2 ms and `shared` 0.1 ms.\n<!-- claim\n0.2 ms = ms(\"64 naive\")\n0.1 ms = ms(\"64 shared\")\n-->\n"
        self.assertEqual(self.errors(HEAD + text), [])
        self.assert_found(HEAD + text.replace("0.2 ms and `shared` 0.1 ms", "0.1 ms and `shared` 0.2 ms"), "in the order")

    def test_a_changed_figure_in_the_data(self):
        self.data({**RESULT, "rows": [row("shared", 0.12, shared=64), *(r for r in RESULT["rows"] if (r["strategy"], r["width"]) != ("shared", 64))]})
        self.assert_found(HEAD + SENTENCE + CLAIMS + "\n" + TABLE % CELLS, "0.10 ms is 0.12", "50 % is 40", "the table is not")

    def test_a_winner_that_lost(self):
        rows = [{**r, "ms": r["ms"] * (4 if r["strategy"] == "shared" else 1)} for r in RESULT["rows"]]
        self.data({**RESULT, "rows": rows})
        self.assert_found(HEAD + SENTENCE + CLAIMS, "1 of 2 is 0 of 2", "not so: ms")

    def test_one_thread_beside_all(self):
        alone = {**row("simd", 2.0, space="host"), "threads": 1}
        run = claims.Run({**RESULT, "rows": [alone, *RESULT["rows"]]})
        self.assertEqual(run.ms("64 simd"), 0.3)
        self.assertEqual(run.ms("64 simd threads=16"), 0.3)
        self.assertEqual(run.ms("64 simd threads=1"), 2.0)
        self.assertEqual(len(run.rows("64")), 4)

    def test_a_claim_without_data(self):
        self.assert_found(HEAD + SENTENCE + CLAIMS.replace("64 shared", "64 texture"), "'64 texture' selects 0")
        self.assert_found(HEAD + SENTENCE + CLAIMS.replace("64 shared", "shared"), "'shared' selects 2")
        self.assert_found(HEAD + "`naive` makes 5 frames a second.\n<!-- claim\n5 frames a second = fps(\"64 naive\", \"pageable\")\n-->\n", "not timed pageable")
        self.assert_found(HEAD + "It takes 3 ms.\n<!-- claim\n3 ms = given(3, \"\")\n-->\n", "needs its source")
        self.assert_found(HEAD + TABLE.replace("us,", "speed,") % CELLS, "NameError")
        self.assert_found("# A page\n", "no <!-- data")

    def test_a_figure_without_a_claim(self):
        for text in ("It takes 3 ms.", "It takes 3\u00a0µs.", "4,202 GB/s", "12 GFLOP/s", "60 FPS", "3 times", "7 % of it", "7% of it", "3ms", "2x", "2 x faster", "5.0",
                     "16 of 20", "5 to 8 %", "(−6 %)", "1, 2 and 4 ms", "| a | 3 |", "| a | 3 · 4 |", "- an item of 3 ms"):
            self.assert_found(HEAD + text + "\n", "a figure without a claim")
        self.assertEqual(len(page.figures_in("1, 2 and 4 ms, block 16")), 3)

    def test_what_is_no_figure(self):
        for text in ("Paper 003 at 512 × 512 and blocks of 32.", "`3 ms`", "on 2026-11-22", "[a](3.0-ms.json)", "σ 1.4", "1024² and u8, f32", "64 x 16",
                     "T = 8", "    3 ms in code", "*Is it 3 ms?*"):
            self.assertEqual(self.errors(HEAD + text + "\n"), [], text)

    def test_a_comparison_without_a_claim(self):
        self.assert_found(HEAD + "`shared` is faster than `naive`.\n", "a comparison without a claim")
        self.assertEqual(self.errors(HEAD + "`shared` is faster than `naive`.\n<!-- claim\nms(\"64 shared\") < ms(\"64 naive\")\n-->\n"), [])
        self.assert_found(HEAD + "`naive` is faster than `shared`.\n<!-- claim\nms(\"64 naive\") < ms(\"64 shared\")\n-->\n", "not so")

    def test_a_changed_table(self):
        self.assert_found(HEAD + TABLE % CELLS.replace("360", "350"), "the table is not")
        self.assert_found(HEAD + '<!-- table: "" -->\n', "without an end")

    def test_what_can_be_asked(self):
        run = claims.Run(RESULT)
        self.assertEqual(run.winner("64"), "`shared` 100")
        self.assertEqual(run.figure("naive paper kernel"), 0.5)
        self.assertEqual(run.share("64 naive", "b"), 75)
        self.assertEqual(claims.ahead(run.cells("ladder"), "shared", "naive"), (1, 2))
        self.assertEqual(claims.losses(run.cells("ladder"), claims.named("naive")), (1, 2))
        self.assertEqual(run.pageable("64 shared"), 0.4)
        self.assertEqual(claims.steps([0.2, 0.1, 0.12]), ["0.200", "0.100 (50 %)", "0.120 (−20 %)"])

    def test_write_mends_tables_and_check_tells(self):
        self.path.write_text(HEAD + TABLE % "", encoding="utf-8")
        run = [sys.executable, str(SCRIPT)]
        done = subprocess.run([*run, self.path], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("page.md:4: the table is not", done.stderr)
        done = subprocess.run([*run, "--write", self.path], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.path.read_text(encoding="utf-8"), HEAD + TABLE % CELLS)


class Published(unittest.TestCase):
    def test_pages_hold(self):
        for path in sorted(PAGES.glob("*.md")):
            self.assertEqual(page.Page(path).check(), [], path)

    def test_the_ladder_is_of_the_newest_run(self):
        dates = {}
        for path in PAGES.glob("*-h200-*.json"):
            whole = json.loads(path.read_text(encoding="utf-8"))
            if any((row.get("experiment"), row.get("strategy")) == ("log-ladder", "naive") for row in whole.get("rows", [])):
                dates[whole["date"]] = path.name
        self.assertTrue(LADDER.read_text(encoding="utf-8").startswith(f"<!-- data: {dates[max(dates)]}"))

    def test_every_figure_is_held(self):
        """One digit of any figure on the page, changed, is an error."""
        text = LADDER.read_text(encoding="utf-8")
        whole = page.Page(LADDER, text)
        whole.ask = functools.cache(whole.ask)  # what the data say stays the same
        faults = 0
        for start, block, _ in list(whole.blocks()):
            for first, last in page.figures_in(block):
                at = start + last - 1
                faults += 1
                planted = page.Page.__new__(page.Page)
                planted.__dict__ = {**whole.__dict__, "errors": [], "text": text[:at] + str((int(text[at]) + 5) % 10) + text[at + 1 :]}
                for begin, changed, comments in planted.blocks():
                    if begin == start:
                        planted.check_block(begin, changed, [l.strip() for m in comments for l in m[2].splitlines() if l.strip()])
                self.assertTrue(planted.errors, block[:last])
        self.assertGreater(faults, 150)

    def test_every_table_is_held(self):
        """Times that are longer by a tenth change every table that has any, and most sentences."""
        whole = page.Page(LADDER)
        run = json.loads((PAGES / "2026-11-22-h200-bench.json").read_text(encoding="utf-8"))
        slower = claims.Run({**run, "rows": [{**r, "ms": 1.1 * r["ms"] if r["space"] == "device" else r["ms"]} for r in run["rows"]]})
        whole.names |= {ask: getattr(slower, ask) for ask in dir(claims.Run) if not ask.startswith("_")}
        errors = "\n".join(whole.check())
        self.assertGreater(errors.count("the table is not"), 8)
        self.assertGreater(errors.count(" is "), 40)

    def test_every_commit_is_in_the_history(self):
        """What was measured can be checked out: by its own name, or by that of the commit that commits.json joins it to."""
        def git(*words):
            return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True)

        if git("rev-parse", "--is-shallow-repository").stdout.strip() != "false":
            self.skipTest("no history here")
        joined = json.loads((PAGES / "commits.json").read_text(encoding="utf-8"))
        named = {match for path in PAGES.glob("*.json") for match in re.findall(r'"commit": "([0-9a-f]+)"', path.read_text(encoding="utf-8"))}
        self.assertGreater(len(named), 10)
        gone = {commit for commit in named if git("merge-base", "--is-ancestor", commit, "HEAD").returncode}
        self.assertEqual({commit[:7] for commit in gone}, set(joined))
        for commit in joined.values():
            self.assertEqual(git("merge-base", "--is-ancestor", commit, "HEAD").returncode, 0, commit)

    def test_heads_of_rungs_quote_no_measurement(self):
        unit = re.compile(r"\b\d[\d.,]*\s+(?:ms|µs|us|%|GB/s|GFLOP/s|FPS|times)(?!\w)|\bMeasured \(")
        quoting = {}
        for path in sorted((ROOT / "src" / "ops").glob("*/ladder/*.cu*")):
            words = " ".join(re.findall(r"(?m)^\s*//+ ?(.*)$", path.read_text(encoding="utf-8")))
            if found := unit.findall(words):
                quoting.setdefault(path.parents[1].name, []).append((path.name, found))
        self.assertEqual(quoting, {})


if __name__ == "__main__":
    unittest.main()

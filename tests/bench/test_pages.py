#!/usr/bin/env python3
"""The pages of docs/results are what their data and templates give (bench/pages), no cell is blank, and each says which sources
have changed since it was measured; that faults in any of this are found; and that the papers' steps quote no measurement."""

import json
import re
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import xml.etree.ElementTree as xml
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "bench" / "pages"
RESULTS = ROOT / "docs" / "results"
sys.path[:0] = [str(PAGES), str(ROOT / "bench" / "report")]

import charts  # noqa: E402
import ladder  # noqa: E402
import page as pages  # noqa: E402
import publish  # noqa: E402
import runs  # noqa: E402
import sources  # noqa: E402

# Files of docs/results/data that other pages quote.
QUOTED = {"commits.json", "equal-code.json", "scale-gpu.json", "2026-11-23-bsds500.json", "2026-11-23-coverage.json",
          "2026-11-23-h200-soak.json", "2026-11-23-lines.json", "2026-11-23-ray.json", "2026-11-24-attack.json",
          "2026-11-24-free-threaded.json", "2026-11-24-ray-steps.json", "2026-11-24-ray.json", "2026-11-29-camera-week.json",
          "2026-11-29-scenes.json", "2026-11-29-tracks.json", "2026-11-29-detectors.json", "2026-11-30-sweeps.json"}  # fmt: skip
UNITS = (r"ms|µs|us|ns|s|%|times|x|GB/s|GFLOP/s|FPS|frames/s|frames\s+a\s+second|copies|KiB|MiB|GiB|MB|GB|million|steps|"
         r"launches")  # fmt: skip
FIGURE = re.compile(
    rf"(?<![\w.,²^×])(?:\d[\d,]*\.\d+|\d[\d,]*(?=\s*(?:{UNITS})(?!\w))|\d+\s+of\s+\d+)"
)
# Code, placeholders, links, dates, questions, names of papers' parameters.
NOT_PROSE = re.compile(
    r"`[^`]*`|\{[^}]*\}|\]\([^)]*\)|(?m:^    .*$)|\d{4}-\d\d-\d\d|\*[^*]*\?\*|σ\s\d\.\d|AVX-\d+"
)


def tables_of(text):
    """The rows of a page's tables, as lists of cells."""
    for line in text.splitlines():
        if line.startswith("|"):
            yield line, [cell.strip() for cell in line.strip().strip("|").split("|")]


class Published(unittest.TestCase):
    def setUp(self):
        self.all = publish.known()
        self.known = {
            name: page for name, page in self.all.items() if name != "scale-gpu"
        }  # which has no page

    def test_pages_and_pictures_are_what_their_data_give(self):
        for page in self.known.values():
            self.assertEqual(publish.differences(page), [])

    def test_every_file_is_made_or_quoted(self):
        made = {
            path
            for page in self.known.values()
            for path in publish.made(page, publish.read(page.data))
        }
        made |= {page.data for page in self.known.values()}
        there = {
            path
            for path in RESULTS.rglob("*")
            if path.is_file()
            and (path.parent.name, path.name) not in {("data", name) for name in QUOTED}
        }
        self.assertEqual(there - made, set())

    def test_quoted_files_are_there(self):
        for name in QUOTED - {"equal-code.json"}:
            self.assertTrue((RESULTS / "data" / name).exists(), name)

    def test_no_cell_is_blank(self):
        cells = 0
        for page in self.known.values():
            for line, row in tables_of(page.path.read_text(encoding="utf-8")):
                cells += len(row)
                self.assertNotIn("", row, f"{page.path}: {line}")
        self.assertGreater(cells, 3000)

    def test_each_word_for_a_missing_cell_is_explained(self):
        for page in self.known.values():
            for name, table in publish.read(page.data)["tables"].items():
                for word in table.get("notes", {}):
                    self.assertTrue(
                        any(word in row for row in table["rows"]), (page.name, name, word)
                    )
                    self.assertIn(f"*{word}* (", pages.markdown(table))

    def test_pages_say_which_sources_changed_since(self):
        tree, equal = sources.Tree.of_folder(ROOT), publish.read(publish.EQUAL, [])
        for page in self.known.values():
            self.assertEqual(publish.stale(page, tree, equal), [],
                             f"{page.name}: run bench/pages/publish.py kernels; it lists what has changed since the page was measured. "
                             "If the machine code is the same, record that first: publish.py equal")  # fmt: skip

    def test_every_page_of_measurements_has_fingerprints(self):
        for page in self.known.values():
            measured = publish.read(page.data)["measured"]
            self.assertEqual({one["raw"] for one in measured}, set(page.measured), page.name)
            if page.name != "README":
                self.assertTrue(measured, page.name)

    def test_data_name_their_raw_runs(self):
        for page in self.known.values():
            raw = publish.read(page.data)["raw"]
            self.assertEqual(
                set(raw), {name for part in page.parts for name in pages.arguments(part)}, page.name
            )
            for described in raw.values():
                self.assertRegex(described["sha256"], "^[0-9a-f]{64}$")
                self.assertGreater(described["bytes"], 0)
                if described["file"] != "commits.json":
                    self.assertRegex(
                        described["date"], r"^\d{4}-\d\d-\d\d$", (page.name, described)
                    )

    def test_the_readme_quotes_its_page(self):
        table = publish.read(RESULTS / "data" / "h200-production.json")["tables"]["times_a_copy"]
        at = table["head"].index("8192")
        (figure,) = [row[at] for row in table["rows"] if row[0] == "sobel magnitude L1"]
        readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
        self.assertIn(
            "the L1 Sobel magnitude of an 8192 × 8192 picture takes "
            f"{figure:.2f} times as long as a copy",
            readme,
        )

    def test_every_step_has_its_page(self):
        tables = publish.read(self.all["ladder"].data)["tables"]
        steps = [f"{row[0]}-{ladder.named(row[1])}" for row in tables["steps"]["rows"]]
        self.assertEqual(sorted(steps), sorted(ladder.steps_words()))
        files = {path.name: text for path, text in ladder.more({"tables": tables}).items()}
        for step in steps:
            words = " ".join(ladder.steps_words()[step][0].split())
            self.assertEqual(len(re.findall(r"\.(?= |$)", words)), 3, f"{step}: three sentences")
            page = files[f"{step}.md"]
            lines = re.search(r"## The lines that matter\n\n((?:    .*\n|\n)+)", page)[1]
            self.assertIn(len(lines.strip().splitlines()), range(4, 14), f"{step}: about ten lines")
            for title in ("What it costs", "The paper's figure", "What to try"):
                self.assertIn(f"\n## {title}\n", page, step)
            self.assertNotIn("| - |", page)
        linked = (ladder.PAGE.folder / "README.md").read_text(encoding="utf-8")
        self.assertEqual([step for step in steps if f"({step}.md)" not in linked], [])

    def test_the_papers_figures_are_those_of_their_page(self):
        h200 = publish.read(RESULTS / "data" / "h200-ladder.json")["tables"]
        theirs = publish.read(self.all["ladder"].data)["tables"]["theirs"]["rows"]
        mine = {(row[0], row[1], row[2]): (row[5], row[7]) for row in theirs}
        naive = next(row for row in h200["memory_times"]["rows"] if row[0] == "5x5, 2048²")[2]
        self.assertEqual(mine["convolve", "naive", "002"], (naive[1], naive[0]))
        ours, paper = h200["sobel_steps"]["rows"][0][1], h200["sobel_steps"]["rows"][0][3]
        self.assertEqual(mine["sobel", "global", "003"], (float(paper), float(ours)))
        first = {row[0]: row[-1] for row in h200["canny_times"]["rows"]}
        expected = (first["paper's GPU, P5000"], first["`global`, breadth-first launches"])
        self.assertEqual(mine["canny", "global", "001"], expected)
        rate = h200["motion_rates"]["rows"][0]
        self.assertEqual(mine["motion", "v1.0", "004"], (1e6 / rate[4], 1e6 / rate[3]))

    def test_sizes(self):
        self.assertLess(
            sum(path.stat().st_size for path in RESULTS.rglob("*") if path.is_file()), 780_000
        )
        for path in (RESULTS / "data").glob("*.json"):
            self.assertLess(path.stat().st_size, pages.LARGEST, path.name)

    def test_templates_hold_no_figure(self):
        """A figure with a unit, a decimal or a ratio comes from the data."""
        for path in sorted(pages.TEMPLATES.glob("*.md")):
            text = NOT_PROSE.sub(
                lambda found: re.sub(r"[^\n]", "_", found.group()), path.read_text(encoding="utf-8")
            )
            found = [text[max(at.start() - 30, 0) : at.end() + 12] for at in FIGURE.finditer(text)]
            self.assertEqual(found, [], path.name)

    def test_every_value_is_printed(self):
        for page in self.known.values():
            reduced = publish.read(page.data)
            text = (pages.TEMPLATES / f"{page.name}.md").read_text(encoding="utf-8")
            names = set(re.findall(r"\{(\w+)", text)) | {
                name for name in re.findall(r"pictures/([\w-]+)\.svg", text)
            }
            self.assertEqual(
                names, {*reduced["values"], *reduced["tables"], *reduced["pictures"]}, page.name
            )

    def test_a_changed_datum_changes_its_page(self):
        for page in self.known.values():
            reduced = publish.read(page.data)
            before = publish.made(page, reduced)
            changed = json.loads(
                json.dumps(reduced), parse_float=lambda text: float(text) * 1.5 + 1
            )
            if changed != reduced:
                self.assertNotEqual(publish.made(page, changed), before, page.name)

    def test_every_commit_is_in_the_history(self):
        def git(*words):
            return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True)

        if git("rev-parse", "--is-shallow-repository").stdout.strip() != "false":
            self.skipTest("no history here")
        joined = publish.read(pages.JOINED)
        named = {
            one["commit"]
            for page in self.known.values()
            for one in publish.read(page.data)["measured"]
        }
        named |= {
            raw["commit"][:7]
            for page in self.known.values()
            for raw in publish.read(page.data)["raw"].values()
            if "commit" in raw
        }
        self.assertGreater(len(named), 10)
        for commit in {joined.get(commit, commit) for commit in named} | set(joined.values()):
            self.assertEqual(
                git("merge-base", "--is-ancestor", commit, "HEAD").returncode, 0, commit
            )

    def test_heads_of_rungs_quote_no_measurement(self):
        unit = re.compile(
            r"\b\d[\d.,]*\s+(?:ms|µs|us|%|GB/s|GFLOP/s|FPS|times)(?!\w)|\bMeasured \("
        )
        quoting = {}
        for path in sorted((ROOT / "src" / "ops").glob("*/ladder/*.cu*")):
            words = " ".join(re.findall(r"(?m)^\s*//+ ?(.*)$", path.read_text(encoding="utf-8")))
            if found := unit.findall(words):
                quoting.setdefault(path.parents[1].name, []).append((path.name, found))
        self.assertEqual(quoting, {})


def row(strategy, ms, side=64, space="device", threads=0, pageable=None):
    return {"experiment": "ladder", "operation": "convolve", "strategy": strategy, "space": space, "parameters": "average 3x3",
            "strategy_parameters": "", "type": "f32", "width": side, "height": side, "threads": threads, "ms": ms,
            "pageable_ms": pageable, "pinned_ms": None, "times_copy": 2.0, "kernels": [], "stages": {"a": 1, "b": 3}}  # fmt: skip


RESULT = {"machine": {"cpu": "a CPU"}, "gpu": {"name": "a GPU", "driver": "1"}, "date": "2026-01-01T00:00:00Z", "commit": "",
          "figures": [], "rows": [row("naive", 0.2), row("shared", 0.1, pageable=0.4), row("npp", 0.05),
                                  row("simd", 0.3, space="host", threads=16), row("naive", 0.3, 128)]}  # fmt: skip


class Reducing(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.page = pages.Page("made-up")

    def file(self, whole, name="run.json"):
        path = self.folder / name
        path.write_text(json.dumps(whole), encoding="utf-8")
        return path

    def reduce(self, kept=None, **raw):
        return self.page.reduce(raw or {"run": self.file(RESULT)}, kept or {})

    def test_values_become_sentences(self):
        @self.page.part
        def part(page, run):
            page.say(
                "shared",
                run.ms("64 shared"),
                [1, 2],
                runs.less(run.ms("64 shared"), run.ms("64 naive")),
            )
            page.holds("shared", run.ms("64 shared") < run.ms("64 naive"))

        reduced = self.reduce()
        text = pages.text_of(
            reduced,
            "# A page\n\n`shared` takes {shared[0]:.2f} ms, {shared[2]:.0f} % less, and wins in {shared[1]}.\n",
            "Old.",
        )
        self.assertEqual(
            text, "# A page\n\nOld.\n\n`shared` takes 0.10 ms, 50 % less, and wins in 1 of 2.\n"
        )
        described = reduced["raw"]["run"]
        self.assertEqual(
            [described[key] for key in ("file", "gpu", "driver", "cpu", "date")],
            ["run.json", "a GPU", "1", "a CPU", "2026-01-01"],
        )
        with self.assertRaisesRegex(pages.Broken, "made-up.md: KeyError"):
            pages.text_of(reduced, "# A page\n\n{no_such}\n")

    def test_what_no_longer_holds_is_refused(self):
        @self.page.part
        def part(page, run):
            page.holds("shared", True, run.ms("64 shared") > run.ms("64 naive"))

        with self.assertRaisesRegex(pages.Broken, "condition 2 of 'shared' does not hold"):
            self.reduce()

    def test_questions_without_an_answer(self):
        for question in ("64 texture", "naive"):
            page = pages.Page("made-up")

            @page.part
            def part(page, run):
                page.say("x", run.ms(question))

            with self.assertRaisesRegex(pages.Broken, question):
                page.reduce({"run": self.file(RESULT)}, {})

    def test_a_missing_cell_says_why(self):
        run = runs.Run(RESULT)
        table = pages.grid("µs", "ladder", ["naive", "shared"], ["64", "128"], run.us, mark=True)
        self.assertEqual(pages.markdown(table).splitlines(), [
            "| µs | 64 | 128 |", "| --- | --- | --- |", "| `naive` | 200 | **300** |", "| `shared` | **100** | not run |", "",
            "*not run* (1 cell): the run has no measurement of this combination."])  # fmt: skip
        copies = pages.grid(
            "fps", "ladder 64", ["simd"], [("pageable", lambda words: run.fps(words, "pageable"))]
        )
        self.assertEqual(copies["rows"], [["`simd`", "no copies"]])
        with self.assertRaises(runs.Wrong):  # timed on the device, but not so
            pages.grid(
                "fps",
                "ladder 64",
                ["naive"],
                [("pageable", lambda words: run.fps(words, "pageable"))],
            )
        with self.assertRaises(runs.Wrong):  # several rows answer
            pages.grid("µs", "ladder", ["naive"], [("all", "naive")], run.us)

    def test_a_blank_cell_is_refused(self):
        for table in ((["a", "b"], ["x", ""]), (["a", "b"], ["x", None]), (["", "b"], ["x", 1])):
            with self.assertRaisesRegex(pages.Broken, "blank cell"):
                pages.lines(*table)

    def test_forms(self):
        table = pages.lines(["a", "b"], ["x", [1234.5, 0.25]], ["y", [-1, 2]], form="{} · {:.1f}")
        self.assertEqual(pages.printed(table), [["x", "1,234 · 0.2"], ["y", "−1.00 · 2.0"]])

    def test_parts_keep_what_they_had(self):
        @self.page.part
        def first(page, run):
            page.say("ms", run.ms("64 naive"))

        @self.page.part
        def second(page, other):
            page.say("other", other["value"])

        other = self.file({"value": 7}, "other.json")
        with self.assertRaisesRegex(pages.Broken, "nothing is kept of part second; give other"):
            self.reduce(run=self.file(RESULT))
        before = self.reduce(run=self.file(RESULT), other=other)
        slower = {**RESULT, "rows": [row("naive", 0.5)]}
        after = self.reduce(before, run=self.file(slower, "new.json"))
        self.assertEqual(after["values"], {"ms": [0.5], "other": [7]})
        self.assertEqual(
            (after["raw"]["run"]["file"], after["raw"]["other"]),
            ("new.json", before["raw"]["other"]),
        )
        with self.assertRaisesRegex(pages.Broken, "no part reads third"):
            self.reduce(before, third=other)

    def test_a_part_needs_all_of_its_files(self):
        @self.page.part
        def both(page, run, before):
            page.say("x", 1)

        with self.assertRaisesRegex(pages.Broken, "part both reads run, before; give before too"):
            self.reduce(run=self.file(RESULT))

    def test_one_thread_beside_all(self):
        run = runs.Run(
            {**RESULT, "rows": [row("simd", 2.0, space="host", threads=1), *RESULT["rows"]]}
        )
        self.assertEqual(
            [run.ms(words) for words in ("64 simd", "64 simd threads=16", "64 simd threads=1")],
            [0.3, 0.3, 2.0],
        )

    def test_lines_are_at_most_100_wide(self):
        text = pages.wrapped(
            "word " * 60
            + "\n\n- item "
            + "word " * 40
            + "\n- second\n\n    "
            + "code " * 40
            + "\n\n| a |\n"
        )
        self.assertLessEqual(
            max(len(line) for line in text.splitlines() if not line.startswith("    ")), 100
        )
        self.assertIn("\n  word", text)
        self.assertIn("\n- second\n", text)
        self.assertIn("    " + "code " * 39, text)


class Sources(unittest.TestCase):
    FILES = {
        "src/ops/sobel/args.hpp": "struct Args {};",
        "src/ops/sobel/pairs.cu": '// Why.\n#include "cuda/tile.cuh"\n#include "ops/sobel/args.hpp"\nint a = 1;',
        "src/ops/sobel/ladder/01_global.cu": "int b = 2;",
        "src/ops/sobel/cpu.cpp": '#include "core/gradient.hpp"\nint c = 3;',
        "src/ops/sobel/cases.cpp": "int d = 4;",
        "src/core/gradient.hpp": "inline int g() { return 1; }",
        "src/cuda/tile.cuh": "#pragma once\nint t = 5;",
    }

    def tree(self, **changes):
        files = self.FILES | {path.replace("__", "/"): text for path, text in changes.items()}
        return sources.Tree(
            {path: text.encode() for path, text in files.items() if text is not None}
        )

    def changed(self, equal=(), **changes):
        before = self.tree()
        parts = [f"sobel/{who}" for who in ("papers/global", "gpu", "cpu")]
        measured = [{"part": part, "fingerprint": before.fingerprint(part)} for part in parts]
        return sources.changed(measured, self.tree(**changes), equal)

    def test_what_does_not_count(self):
        self.assertEqual(self.changed(), [])
        for path, text in (("src/ops/sobel/pairs.cu", '#include "cuda/tile.cuh"\n/* Other\nwords. */ int a  =\n  1; // so'),
                           ("src/ops/sobel/args.hpp", "struct Args { int more; };"), ("src/ops/sobel/cases.cpp", "int d = 5;"),
                           ("src/cuda/tile.cuh", "#ifndef CUESTA_T_HPP_\n#define CUESTA_T_HPP_\nint t = 5;"), ("src/ops/log/cuda.cu", "int x;")):  # fmt: skip
            self.assertEqual(self.changed(**{path: text}), [], path)

    def test_a_file_that_moved_is_the_same(self):
        moved = {"src/ops/sobel/pairs.cu": '#include "ops/shared/tile.cuh"\nint a = 1;', "src/cuda/tile.cuh": None,
                 "src/ops/shared/tile.cuh": "int t = 5;"}  # fmt: skip
        self.assertEqual(self.changed(**moved), [])

    def test_what_counts(self):
        self.assertEqual(
            self.changed(**{"src/ops/sobel/pairs.cu": '#include "cuda/tile.cuh"\nint a = 2;'}),
            ["sobel/gpu"],
        )
        self.assertEqual(self.changed(**{"src/cuda/tile.cuh": "int t = 6;"}), ["sobel/gpu"])
        self.assertEqual(
            self.changed(**{"src/ops/sobel/ladder/01_global.cu": "int b = 3;"}),
            ["sobel/papers/global"],
        )
        self.assertEqual(
            self.changed(**{"src/core/gradient.hpp": "inline int g() { return 2; }"}), ["sobel/cpu"]
        )
        self.assertEqual(self.changed(**{"src/ops/sobel/pairs.cu": None}), ["sobel/gpu"])
        self.assertEqual(
            self.changed(
                **{
                    "src/ops/sobel/cpu.cpp": '#include "core/gradient.hpp"\nint c = 3; char s[] = "// 4";'
                }
            ),
            ["sobel/cpu"],
        )

    def test_a_record_compares_a_commit_with_its_parent(self):
        asked = []

        def of_commit(_root, name):
            asked.append(name)
            return sources.Tree({})

        with (
            unittest.mock.patch.object(publish.sources.Tree, "of_commit", of_commit),
            self.assertRaises(pages.Broken),
        ):
            publish.record_equal("sobel/gpu", "HEAD", "not at all")
        self.assertEqual(asked, [asked[1] + "^", asked[1]])

    def test_equal_machine_code_is_recorded_in_steps(self):
        path = "src/ops/sobel/pairs.cu"
        texts = [f'#include "cuda/tile.cuh"\nint a = {value};' for value in (1, 2, 3)]
        prints = [self.tree(**{path: text}).fingerprint("sobel/gpu") for text in texts]
        steps = [{"part": "sobel/gpu", "from": a, "to": b} for a, b in zip(prints, prints[1:])]
        self.assertEqual(self.changed(steps, **{path: texts[2]}), [])
        self.assertEqual(self.changed(steps[1:], **{path: texts[2]}), ["sobel/gpu"])

    def test_the_notice_names_them(self):
        self.assertEqual(sources.notice([]), "")
        notice = sources.notice(["canny/gpu", "sobel/papers/global", "sobel/papers/shared-1d"])
        for words in (
            "Measured on older sources",
            "the papers' steps of `sobel` (`global`, `shared-1d`)",
            "`canny` on the GPU",
        ):
            self.assertIn(words, notice)

    def test_the_commit_of_each_operation(self):
        runs_ = [
            {"date": "2", "commit": "bb", "experiments": ["y"]},
            {"date": "1", "commit": "aa", "experiments": ["x"]},
        ]
        rows = [
            {"experiment": "x", "operation": "log"},
            {"experiment": "y", "operation": "log"},
            {"experiment": "y", "operation": "canny"},
        ]
        self.assertEqual(
            sources.commits_of({"runs": runs_, "rows": rows}, "cc"), {"log": "aa", "canny": "bb"}
        )
        self.assertEqual(sources.commits_of({"rows": rows}, "cc"), {"log": "cc", "canny": "cc"})

    def test_every_part_of_today_has_a_fingerprint(self):
        tree = sources.Tree.of_folder(ROOT)
        self.assertGreater(len(tree.operations()), 8)
        for operation in tree.operations():
            for who in ("gpu", "cpu"):
                found = tree.fingerprint(f"{operation}/{who}")
                if (operation, who) == ("regions", "gpu"):  # it works on the host
                    self.assertIsNone(found)
                    continue
                self.assertRegex(found or "", "^[0-9a-f]{16}$", (operation, who))


class Charts(unittest.TestCase):
    LINES = {"title": "a <title>\nof two lines", "panels": [
        {"title": "one", "x": {"label": "x", "log": True, "ticks": [1, 10]}, "y": {"label": "y"}, "named": True,
         "series": [{"name": "first", "style": 0, "points": [[1, 2], [10, 4]]}, {"name": "second", "style": 1, "hollow": True, "points": [[3, 3]]},
                    {"name": "roof", "style": None, "dashed": True, "points": [[1, 5], [10, 5]]}]}]}  # fmt: skip
    BARS = {
        "title": "shares",
        "names": ["a", "b"],
        "bars": [{"label": "row", "shares": [25, 75], "end": "1 ms"}],
    }

    MAP = {
        "title": "map",
        "names": ["few", "some", "many"],
        "map": [{"label": "first", "levels": "0012"}, {"label": "second", "levels": "2"}],
    }

    def test_drawings_are_well_formed_and_the_same_each_time(self):
        for drawing in (self.LINES, self.BARS, self.MAP):
            made = charts.svg(drawing)
            self.assertEqual(made, charts.svg(json.loads(json.dumps(drawing))))
            self.assertTrue(xml.fromstring(made).tag.endswith("svg"))

    def test_points_are_where_the_data_say(self):
        made = charts.svg(self.LINES)
        paths = [
            path.get("d")
            for path in xml.fromstring(made).iter("{http://www.w3.org/2000/svg}path")
            if path.get("class") == "c"
        ]
        (x1, y1), (x2, y2) = (
            map(float, point.split()) for point in re.findall(r"[\d.]+ [\d.]+", paths[0])
        )
        x3, y3 = map(float, re.match(r"M([\d.]+) ([\d.]+)h", paths[1]).groups())
        self.assertAlmostEqual(y3, (y1 + y2) / 2, delta=0.2)
        self.assertAlmostEqual((x3 - x1) / (x2 - x1), 0.4771, delta=0.002)  # log10 of 3

    def test_shares_fill_the_row(self):
        widths = re.findall(r"h([\d.]+)v14", charts.svg(self.BARS))
        self.assertEqual([float(width) for width in widths], [120, 360])

    def test_a_map_is_as_wide_as_its_levels_are_many(self):
        made = charts.svg(self.MAP)
        widths = [
            sum((int(one) + 1) // 5 for one in re.findall(rf'h(\d+)v9[^"]*" fill="{color}"', made))
            for color in charts.LEVELS[:3]
        ]
        self.assertEqual(widths, [2, 1, 2])

    def test_a_picture_without_data_is_none(self):
        import pictures

        result = {"rows": [], "machine": {"cpu": "a CPU"}, "commit": "c", "date": "d"}
        self.assertEqual(pictures.all_of(result), {})


if __name__ == "__main__":
    unittest.main()

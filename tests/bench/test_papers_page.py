#!/usr/bin/env python3
"""docs/dev/papers.md names what is in the tree: its paths, strategies, parameters and commands exist, every rung is on it, rows are
numbered and counted; what works is in the newest run; and a page with a fault is found. Speed belongs to docs/results: a figure of a
run is a fault here."""

import functools
import json
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "dev" / "papers.md"
VERDICTS = ("works", "in part", "not here")
BORDERS = ("ignore",)
PAPERS = ("000", "001", "002", "003", "004")
FIGURE = re.compile(r"\d[\d.,]*\s*(?:ms|µs|us|%|GB/s|GFLOP/s|FPS|times as|times the time)(?!\w)")


class Tree:
    """What a page may name, read from the sources."""

    def __init__(self, root=ROOT):
        self.root = root
        self.strategies, self.parameters = {}, {}
        for path in sorted(root.glob("src/ops/*/strategies.cpp")):
            text = path.read_text(encoding="utf-8")
            self.strategies[path.parent.name] = set(
                re.findall(r'(?:\.name = |\brung\()"([^"]+)"', text)
            )
        self.verbs = set(
            re.findall(
                r'add_subcommand\(\s*"(\w+)"',
                "".join(
                    path.read_text(encoding="utf-8")
                    for path in sorted((root / "cli").glob("*.cpp"))
                ),
            )
        )
        for path in sorted(root.glob("src/ops/**/*.[ch]*")):
            self.read_parameters(path.read_text(encoding="utf-8"))
        self.read_runs()
        self.rungs = sorted(
            str(path.relative_to(root)) for path in root.glob("src/ops/*/ladder/[0-9]*.cu")
        )

    def read_parameters(self, text):
        """{"name", meaning, NAME_values} and {"name", meaning, NAME_values, least, most}, with NAME_values[] = {...} before."""
        values = {
            name: set(re.findall(r'"([^"]*)"', body))
            for name, body in re.findall(r"string_view (\w+_values)\[\] = \{([^}]*)\}", text)
        }
        for name, list_name, rest in re.findall(
            r'\{\s*"(\w+)",\s*(?:"[^"]*"|\w+),\s*(\w+_values)([^}]*)\}', text
        ):
            known, _ = self.parameters.get(name, (set(), False))
            self.parameters[name] = (
                known | values.get(list_name, set()),
                bool(re.search(r"\d", rest)),
            )

    def read_runs(self):
        """The bench's experiments, and what the newest published runs of the papers' steps have timed."""
        listed = (self.root / "bench" / "run.cpp").read_text(encoding="utf-8")
        self.experiments = set(re.findall(r'\{\{"([\w-]+)", "', listed))
        data = self.root / "docs" / "results" / "data"
        runs = json.loads((data / "h200-ladder.json").read_text(encoding="utf-8"))["raw"]
        climb = json.loads((data / "ladder.json").read_text(encoding="utf-8"))["tables"]
        newest = [run for run in runs.values() if "strategies" in run]
        self.timed_experiments = {"climb"}.union(*(run["experiments"] for run in newest))
        self.timed = {
            f"{operation}:{name}"
            for run in newest
            for operation, names in run["strategies"].items()
            for name in names
        } | {
            f"{name.removesuffix('_climb')}:{re.search('`([^`]+)`', row[0])[1]}"
            for name, table in climb.items()
            if name.endswith("_climb")
            for row in table["rows"]
        }

    @functools.cache
    def file(self, target):
        """The path from the root of what a link on the page leads to; None where nothing is."""
        path = (self.root / "docs" / "dev" / target).resolve()
        return (
            path.relative_to(self.root).as_posix()
            if path.exists() and path.is_relative_to(self.root)
            else None
        )

    def takes(self, name, value):
        known, any_number = self.parameters.get(name, (set(), False))
        return value in known or (any_number and value.isdigit())


TREE = Tree()


def token_error(token, tree):
    """What is wrong with a word in backticks; None for nothing."""
    if token.startswith("cuesta "):
        return None if token.split()[1] in tree.verbs else "no such command"
    if token.startswith("--device "):
        return (
            None if re.fullmatch(r"--device (auto|cpu|cuda(:N|:\d+)?)", token) else "no such device"
        )
    token = token.removeprefix("--sweep ").removeprefix("--param ")
    if "=" in token:
        name, value = token.split("=", 1)
        return None if tree.takes(name, value) else "no such parameter or value"
    if ":" in token:
        operation, name = token.split(":", 1)
        return None if name in tree.strategies.get(operation, ()) else "no such strategy"
    if token in BORDERS:
        return None
    if "/" in token:
        return None if (tree.root / token).exists() else "no such path"
    return None if any(token in names for names in tree.strategies.values()) else "no such strategy"


def run_errors(where, tree):
    """What of a row that works is not in the newest run; and a row that names nothing to look at."""
    words = re.findall(r"`([^`]+)`", where)
    strategies = {word for word in words if word.split(":")[0] in tree.strategies and ":" in word}
    experiments = {word.split()[2] for word in words if word.startswith("cuesta bench ")} | {
        name.replace("_", "-")
        for name in re.findall(r"\(\.\./\.\./bench/papers/(\w+)\.cpp\)", where)
        if name.replace("_", "-") in tree.experiments
    }
    errors = [f"{name}: not in the newest run" for name in sorted(strategies - tree.timed)]
    errors += [
        f"{name}: no experiment of the newest run"
        for name in sorted(experiments - tree.timed_experiments)
    ]
    looked_at = strategies or experiments or "](../results/" in where or "/tests/" in where
    if not looked_at and not any(word.startswith("cuesta ") for word in words):
        errors.append("works, and names no experiment, page of results, command or test")
    return errors


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def check(text, tree=TREE):
    """Everything that is wrong with a page."""
    errors, counts, head, paper = [], {}, {}, None
    linked = set()
    for at, line in enumerate(text.splitlines(), 1):

        def wrong(what, at=at):
            errors.append(f"line {at}: {what}")

        for token in re.findall(r"`([^`]+)`", line):
            if error := token_error(token, tree):
                wrong(f"{token}: {error}")
        for words, target in re.findall(r"\[([^\]]+)\]\(([^)]+)\)", line):
            path = tree.file(target)
            linked.add(path)
            if path is None:
                wrong(f"{target}: no such path")
            elif not f"/{path}".endswith(f"/{words}"):
                wrong(f"{words} is not {target}")
        if found := FIGURE.search(line):
            wrong(f"{found.group(0)}: figures belong to docs/results")
        if found := re.match(r"## (\d{3}): ", line):
            paper = found.group(1)
            counts[paper] = dict.fromkeys(VERDICTS, 0)
        elif paper is None and re.match(r"\| (\d{3}|all) \|", line):
            name, *numbers = cells(line)
            head[name] = numbers
        elif paper and re.match(r"\| [^#]", line):
            row = cells(line)
            if len(row) != 4 or not all(row):
                wrong(f"{len(row)} cells of 4, or an empty one")
                continue
            if row[0] != str(sum(counts[paper].values()) + 1):
                wrong(f"row {row[0]} comes after {sum(counts[paper].values())}")
            verdict = next((word for word in VERDICTS if re.match(word + r"(:|$)", row[3])), None)
            if verdict is None:
                wrong(f"no verdict: {row[3]}")
                continue
            if verdict != "works" and not re.match(verdict + r": \S", row[3]):
                wrong(f"{verdict}, and no word of why")
            if verdict == "works":
                for error in run_errors(row[2], tree):
                    wrong(error)
            counts[paper][verdict] += 1
    if sorted(counts) != list(PAPERS):
        errors.append(f"papers {sorted(counts)}")
    rows = {name: [*by.values(), sum(by.values())] for name, by in counts.items()}
    rows["all"] = [sum(column) for column in zip(*rows.values())]
    for name in sorted({*rows, *head}):
        if head.get(name) != [str(number) for number in rows.get(name, [])]:
            errors.append(
                f"the head counts {head.get(name)} of {name}, the rows are {rows.get(name)}"
            )
    return errors + [f"{rung}: on no row" for rung in tree.rungs if rung not in linked]


class Published(unittest.TestCase):
    def test_page_is_true(self):
        self.assertEqual(check(PAGE.read_text(encoding="utf-8")), [])

    def test_something_was_read(self):
        self.assertIn("separable-tiled", TREE.strategies["convolve"])
        self.assertIn("v1.3", TREE.strategies["motion"])
        self.assertGreater(len(TREE.rungs), 20)
        self.assertGreater(len(TREE.timed), 60)
        self.assertLessEqual({"log-ladder", "canny-pipeline", "climb"}, TREE.timed_experiments)
        self.assertLessEqual(TREE.timed_experiments, TREE.experiments)
        self.assertLessEqual(
            {"T", "block", "block_x", "grid", "hysteresis", "limit", "load", "transpose", "window"},
            set(TREE.parameters),
        )
        self.assertTrue(
            TREE.takes("T", "21") and TREE.takes("T", "13") and TREE.takes("window", "5")
        )
        self.assertFalse(TREE.takes("window", "7") or TREE.takes("load", "two-each"))

    def test_the_page_is_found(self):
        for path in ("README.md", "docs/dev/tour.md"):
            self.assertIn("papers.md", (ROOT / path).read_text(encoding="utf-8"), path)


class Planted(unittest.TestCase):
    """One fault at a time in the page as it is."""

    def setUp(self):
        self.text = PAGE.read_text(encoding="utf-8")

    def assert_found(self, old, new, *words):
        self.assertIn(old, self.text)
        errors = check(self.text.replace(old, new, 1))
        for word in words:
            self.assertTrue(any(word in error for error in errors), (word, errors))

    def test_names_that_are_not_there(self):
        self.assert_found("`convolve:naive`", "`convolve:naif`", "convolve:naif: no such strategy")
        self.assert_found("`convolve:naive`", "`sobel:naive`", "sobel:naive: no such strategy")
        self.assert_found("`convolve:naive`", "`blur:naive`", "no such strategy")
        self.assert_found("`shared-constant`", "`shared-global`", "shared-global: no such strategy")
        self.assert_found("`T=21`", "`T=many`", "T=many: no such parameter")
        self.assert_found("`T=21`", "`tiling=21`", "tiling=21: no such parameter")
        self.assert_found("`window=5`", "`window=7`", "window=7: no such parameter")
        self.assert_found("`--sweep load=one-each`", "`--sweep load=two-each`", "no such parameter")
        self.assert_found("`cuesta verify`", "`cuesta prove`", "no such command")
        self.assert_found("`--device auto`", "`--device gpu`", "no such device")

    def test_works_and_is_not_in_the_newest_run(self):
        self.assert_found("`log:naive`", "`median:plain`", "median:plain: not in the newest run")
        line = next(
            line for line in self.text.splitlines() if line.startswith("| 15 | experiment: random")
        )
        other = line.replace("log_ladder.cpp", "canny_model.hpp").replace("log-ladder", "theory")
        self.assert_found(line, other.replace("../results/", "../user/"), "names no experiment")
        faults = run_errors("`cuesta bench surface`", TREE)
        self.assertEqual(faults, ["surface: no experiment of the newest run"])

    def test_paths_that_are_not_there(self):
        self.assert_found("ladder/01_naive.cu)", "ladder/01_naif.cu)", "01_naif.cu: no such path")
        self.assert_found(
            "](../../bench/papers/roofline.cpp)",
            "](../../bench/papers/log_ladder.cpp)",
            "is not ../../bench/papers/log_ladder.cpp",
        )
        self.assert_found("(../../src/ops/log/README.md)", "(../../../README.md)", "no such path")

    def test_every_link_is_held(self):
        links = re.findall(r"\]\([^)]+\)", self.text)
        self.assertGreater(len(links), 100)
        for link in sorted(set(links)):
            self.assertTrue(check(self.text.replace(link, link[:-1] + "x)", 1)), link)

    def test_every_strategy_is_held(self):
        named = set(re.findall(r"`(\w+:[\w.-]+)`", self.text))
        self.assertGreater(len(named), 30)
        for token in sorted(named):
            self.assertTrue(check(self.text.replace(f"`{token}`", f"`{token}x`", 1)), token)

    def test_a_rung_that_is_left_out(self):
        self.assert_found(
            "](../../src/ops/motion/ladder/02_v1_1.cu)",
            "](../../src/ops/motion/ladder/03_v1_2.cu)",
            "02_v1_1.cu: on no row",
        )

    def test_rows(self):
        lines = self.text.splitlines(keepends=True)
        rows = [
            at
            for at, line in enumerate(lines)
            if re.match(r"\| \d+ \|", line) and len(cells(line)) == 4
        ]
        self.assertGreater(len(rows), 80)
        for at in rows:
            self.assertTrue(check("".join(lines[:at] + lines[at + 1 :])), lines[at])
            self.assertTrue(check("".join(lines[: at + 1] + lines[at:])), lines[at])
        self.assert_found("| 2 | naive (3.1)", "| 3 | naive (3.1)", "row 3 comes after 1")

    def test_verdicts_and_counts(self):
        self.assert_found("| in part: ", "| works: ", "the head counts")
        self.assert_found("| works: ", "| mostly: ", "no verdict")
        found = re.search(r"\| in part: [^|]*\|", self.text)
        self.assert_found(found.group(0), "| in part |", "no word of why")
        for line in re.findall(r"(?m)^\| (?:\d{3}|all) \|.*$", self.text):
            for cell in re.finditer(r"(?<=\| )\d+(?= \|)", line):
                if cell.start() > 2:
                    self.assert_found(
                        line,
                        line[: cell.start()] + str(int(cell.group(0)) + 1) + line[cell.end() :],
                        "the head counts",
                    )

    def test_a_figure_of_a_run(self):
        for figure in ("0.1 ms", "12 %", "4,222 GB/s", "3 times as fast"):
            self.assert_found(
                "a thread a pixel", f"{figure}, a thread a pixel", "figures belong to docs/results"
            )


if __name__ == "__main__":
    unittest.main()

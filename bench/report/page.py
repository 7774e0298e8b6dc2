#!/usr/bin/env python3
"""The sentences and tables of a Markdown page, held against the JSON that they were read from.

    page.py [PAGE.md ...]            check; without a page, all of docs/benchmarks
    page.py --write [PAGE.md ...]    also make the tables anew
    page.py --ask 'EXPRESSION' PAGE  what an expression gives, with that page's data

A page names its data once. Words without a name in front ask the first file:

    <!-- data: 2026-11-22-h200-bench.json, profile = 2026-11-21-h200-profile.json -->

The figures of a paragraph, or of a list's item, stand again in a comment below it, each as it is printed there and
beside the Python expression that gives it. A line without a figure must be true:

    <!-- claim
    0.382 ms = ms("log-ladder log 4096 constant")
    16 of 20 = wins(cells("log-ladder convolve"), in_shared)
    ms("log-ladder log 4096 fused") < ms("log-ladder log 4096 npp")
    -->

A figure is true when the expression's value rounds to it. Every figure with a unit (and every decimal, every "3 of 4",
every cell of a table that is a number) needs such a line; a paragraph that compares ("faster", "wins", "half") needs at
least one. What no file holds says so: `60 frames a second = given(60, "paper 001's goal")`,
`given(True, "how it is measured")`.

A table is what the expression in its marker gives, grid(...) or lines(...):

    <!-- table: grid("µs", "log-ladder f32 laplacian", ["naive", "constant"], ["256", "512"], us) -->
    <!-- end -->

The words of a row are those of its experiment, operation, strategy, space, type, width and parameters, WxH and threads=N;
"!word" leaves rows out. Class Run says what can be asked.
"""

import argparse
import ast
import importlib.util
import json
import math
import re
import statistics
import sys
from pathlib import Path

from report import label, size

PAGES = Path(__file__).resolve().parents[2] / "docs" / "benchmarks"


class Wrong(Exception):
    """What an expression asks cannot be answered from the data."""


# What can be asked.


def words_of(thing, fields):
    return {word.strip(",") for field in fields for word in str(thing.get(field) or "").split()}


def matches(words, wanted):
    return all((word[1:] not in words) if word.startswith("!") else word in words for word in wanted.split())


def one(found, wanted, name):
    if len(found) != 1:
        first = "; ".join(name(thing) for thing in found[:4])
        raise Wrong(f"'{wanted}' selects {len(found)}{': ' + first if first else ''}")
    return found[0]


class Run:
    """A file that `cuesta bench --json` wrote."""

    def __init__(self, whole):
        self.whole = whole
        self.all_rows = []
        for row in whole["rows"]:
            words = words_of(row, ("experiment", "operation", "strategy", "space", "parameters", "strategy_parameters", "type",
                                   "width"))
            words |= {f"{row['width']}x{row['height']}", f"threads={row['threads']}"}
            self.all_rows.append((words, row))
        self.all_figures = [(words_of(f, ("experiment", "parameters", "width", "source", "subject", "detail", "what", "unit"))
                             | {f["subject"]}, f) for f in whole.get("figures", [])]

    def rows(self, wanted):
        return [row for words, row in self.all_rows if matches(words, wanted)]

    def row(self, wanted):
        return one(self.rows(wanted), wanted, lambda r: f"{r['experiment']} {r['parameters']} {r['type']} {size(r)} {label(r)}")

    def best(self, wanted):
        """The fastest of the rows."""
        if not (found := self.rows(wanted)):
            raise Wrong(f"'{wanted}' selects nothing")
        return fastest(found)

    def worst(self, wanted):
        """The slowest of them."""
        return slowest(self.rows(wanted))

    def winner(self, wanted):
        """The fastest of the papers' rungs and its microseconds."""
        row = fastest([row for row in self.rows(wanted) if is_rung(row)])
        return f"`{row['strategy']}` {number(1000 * row['ms'])}"

    def ms(self, wanted):
        return self.row(wanted)["ms"]

    def us(self, wanted):
        return 1000 * self.row(wanted)["ms"]

    def fps(self, wanted, copies="resident"):
        """Calls a second: resident, pageable or pinned."""
        ms = self.row(wanted)["ms" if copies == "resident" else f"{copies}_ms"]
        if ms is None:
            raise Wrong(f"'{wanted}' was not timed {copies}")
        return 1000 / ms

    def pageable(self, wanted):
        """Milliseconds with upload and download, from pageable memory; `pinned`: from pinned."""
        return 1000 / self.fps(wanted, "pageable")

    def pinned(self, wanted):
        return 1000 / self.fps(wanted, "pinned")

    def copies(self, wanted):
        """Times a copy of the picture."""
        return self.row(wanted)["times_copy"]

    def gflops(self, wanted):
        return self.row(wanted)["gflops"]

    def stage(self, wanted, *names):
        """Milliseconds of the stages that are named; of all without a name."""
        stages = self.row(wanted)["stages"]
        return sum(stages[name] for name in names or stages)

    def share(self, wanted, *names):
        """Percent of the stages' sum."""
        return 100 * self.stage(wanted, *names) / self.stage(wanted)

    def figure(self, wanted, field="value"):
        """A figure beside the rows: the paper's, a model's, a count."""
        found = [f for words, f in self.all_figures if matches(words, wanted)]
        return one(found, wanted, lambda f: f"{f['experiment']} {f['subject']} {f['detail']} {f['what']} {f['width']}")[field]

    def said(self, wanted):
        """The words that stand where the paper has no figure."""
        return self.figure(wanted, "words")

    def cells(self, wanted):
        """The rungs by cell, a request at a size: each a list of rows, one a strategy with its best parameters."""
        found = {}
        for row in self.rows(wanted):
            if is_rung(row):
                cell = found.setdefault((row["experiment"], row["operation"], row["parameters"], row["type"], row["width"]), {})
                if row["strategy"] not in cell or row["ms"] < cell[row["strategy"]]["ms"]:
                    cell[row["strategy"]] = row
        if not found:
            raise Wrong(f"'{wanted}' selects no rung")
        return [list(cell.values()) for cell in found.values()]


class Profile:
    """A file that profile_rungs.py wrote: kernels by words of operation, strategy, request and kernel."""

    def __init__(self, whole):
        self.whole = whole
        self.all_kernels = [(words_of({**row, **kernel}, ("operation", "strategy", "request", "width", "name")), kernel)
                            for row in whole["rows"] for kernel in row["kernels"]]

    def kernels(self, wanted):
        found = [kernel for words, kernel in self.all_kernels if matches(words, wanted)]
        if not found:
            raise Wrong(f"'{wanted}' selects no kernel")
        return found

    def of(self, wanted, field):
        """Of one kernel."""
        return one(self.kernels(wanted), wanted, lambda kernel: kernel["name"])[field]

    def sum(self, wanted, field):
        return sum(kernel[field] for kernel in self.kernels(wanted))


class Calls:
    """A file that bench_python.py wrote."""

    def __init__(self, whole):
        self.whole = whole
        self.peers, ours = [], 1
        for row in whole["peers"]:
            ours = row["ms"] if row["library"] == "cuesta" else ours
            if row["ms"]:
                words = words_of(row, ("operation", "definition", "side", "library"))
                self.peers.append((words | {f"threads={row['threads'] or 'all'}"}, row["ms"] / ours))

    def times(self, wanted):
        """How many times Cuesta's time, of each."""
        if not (found := [times for words, times in self.peers if matches(words, wanted)]):
            raise Wrong(f"'{wanted}' selects nothing")
        return found

    def more(self, side, name="out"):
        """What calls of that side cost more than in C++, as (microseconds, percent)."""
        return [(row[f"{name}_us"] - row[f"cpp_{name}_us"], 100 * (row[f"{name}_us"] / row[f"cpp_{name}_us"] - 1))
                for row in self.whole["overhead"] if row["side"] == side]


def ratios(now, before, wanted):
    """Times of the rows that both runs have, of the first over the second."""
    def identity(row):
        return tuple(row[key] for key in ("experiment", "operation", "strategy", "space", "parameters", "strategy_parameters", "type",
                                          "width", "height"))

    times = {identity(row): row["ms"] for row in before.rows(wanted)}
    return [row["ms"] / times[identity(row)] for row in now.rows(wanted) if identity(row) in times]


def is_rung(row):
    """A step of a paper: not plain, not fused, no peer and no copy."""
    return row["space"] == "device" and row["strategy"] not in ("plain", "fused", "npp", "device copy")


def in_shared(row):
    """Some kernel of the row has shared memory."""
    return any(use["static_shared_bytes"] + use["dynamic_shared_bytes"] for use in row["kernels"])


def named(*names):
    return lambda row: row["strategy"] in names


def among(cells, *names):
    """The cells with those strategies alone."""
    return [[row for row in cell if row["strategy"] in names] for cell in cells]


def fastest(cell):
    return min(cell, key=lambda row: row["ms"])


def slowest(cell):
    return max(cell, key=lambda row: row["ms"])


def wins(cells, which):
    """In how many cells the fastest is such a row, and of how many."""
    return sum(which(fastest(cell)) for cell in cells), len(cells)


def losses(cells, which):
    return sum(which(slowest(cell)) for cell in cells), len(cells)


def ahead(cells, one, other):
    """In how many cells strategy `one` is faster than `other`, of those that have both."""
    pairs = []
    for cell in cells:
        ms = {row["strategy"]: row["ms"] for row in cell}
        if one in ms and other in ms:
            pairs.append(ms[one] < ms[other])
    return sum(pairs), len(pairs)


def less(now, before):
    """In percent: 20 is four fifths of the time of before."""
    return 100 * (1 - now / before)


def more(now, before):
    return 100 * (now / before - 1)


def given(value, source):
    """A figure that no file holds: a goal, a limit, something that a paper says. `source` says which."""
    if not source:
        raise Wrong("a given figure needs its source")
    return value


# Tables.


def number(value, digits=None):
    """Three significant digits, or so many decimals; thousands with commas."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if digits is None:
        digits = 2 - math.floor(math.log10(abs(value))) if value else 0
        digits = max(digits, 0)
    return f"{value:,.{digits}f}".replace("-", "−")


def change(now, before):
    """"(20 %)" less than before; "−20 %" more."""
    return f"{less(now, before):.0f} %".replace("-", "−")


def lines(head, *rows):
    """A Markdown table; cells are texts or numbers."""
    text = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(number(cell) for cell in row) + " |" for row in text)


def steps(values):
    """Each value, and in brackets what it gains over the one before."""
    return [number(now) + (f" ({change(now, before)})" if before else "") for now, before in zip(values, [None, *values])]


def grid(corner, base, rows, columns, ask=None, mark=False):
    """A line a row, a column a column: words, or a head and words. `ask` makes a cell of the words of base, row and column;
    a row or a column may have a function of its own in the place of words. A cell that has no data is empty. With `mark`,
    the least of a column stands bold."""
    def named(items):
        return [((f"`{item}`" if item[0].islower() else item), item) if isinstance(item, str) else item for item in items]

    def cell(down, across):
        own = next((part for part in (down, across) if callable(part)), ask)
        try:
            return own(" ".join(part for part in (base, down, across) if isinstance(part, str)))
        except Wrong:
            return ""

    rows, columns = named(rows), named(columns)
    cells = [[cell(down, across) for _, across in columns] for _, down in rows]
    if mark:
        for i in range(len(columns)):
            best = min((line[i] for line in cells if line[i] != ""), default=None)
            for line in cells:
                line[i] = f"**{number(line[i])}**" if line[i] == best else line[i]
    return lines([corner, *(head for head, _ in columns)], *([head, *line] for (head, _), line in zip(rows, cells)))


GENERAL = {name: globals()[name] for name in ("is_rung", "in_shared", "named", "among", "fastest", "slowest", "wins", "losses", "ahead",
                                              "less", "more", "ratios", "given", "number", "change", "steps", "lines", "grid")}
GENERAL |= {"abs": abs, "all": all, "any": any, "dict": dict, "len": len, "max": max, "median": statistics.median, "min": min,
            "range": range, "round": round, "set": set, "sorted": sorted, "str": str, "sum": sum, "tuple": tuple, "zip": zip}


# Pages that a script makes whole, of the JSON of the same name.


def of_profile(whole, source):
    return importer(source).markdown_of(whole)


def of_calls(whole, source):
    """bench_python.py imports what it times; its form needs none of that."""
    tree = ast.parse(Path(source).read_text(encoding="utf-8"))
    tree.body = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "markdown"
                 or isinstance(node, ast.Assign) and "LOW" in ast.dump(node.targets[0])]
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            node.returns, node.args.args[0].annotation = None, None
    names = {}
    exec(compile(ast.fix_missing_locations(tree), str(source), "exec"), names)
    return names["markdown"](whole)


def importer(source):
    spec = importlib.util.spec_from_file_location(Path(source).stem, source)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MADE = {"-profile.md": (of_profile, "bench/profile/profile_rungs.py"), "-python.md": (of_calls, "python/bench/bench_python.py")}


# A page.

FIGURE = r"\d[\d,]*\d(?:\.\d+)*|\d+(?:\.\d+)*"
UNITS = (r"ms|µs|us|ns|s|%|times|x|×(?! ?\d)|GB/s|GFLOP/s|FPS|frames/s|frames a second|copies|KiB|MiB|GiB|MB|GB|bytes|million|"
         r"passed|failed|steps|launches")
NUMBER = re.compile(rf"(?<![\w.,²^])[−+]?(?:{FIGURE})(?![\w²³]|\.\d)")
WITH_UNIT = re.compile(rf"[  ]?(?:{UNITS})(?!\w)")
JOIN = re.compile(r"\s*(?:,|,? and|to|or|·|against|of)\s*")
NAMED = re.compile(r"(?:\bblocks? |\bblocks of |\b[KNT] = |\bpapers? |\bfigs?\. |\beq\. )$")  # numbers that are names
COMPARES = re.compile(r"\b(?:faster|fastest|slower|slowest|wins?|won|loses?|lost|beats?|gains?|gained|pays?|half|quarter|thirds?|"
                      r"twice|twofold|doubles?|tenfold|best|worst|ahead|behind)\b")
COMMENT = re.compile(r"<!--\s*(claim|data|table|end)\b:?(.*?)-->", re.DOTALL)
CLAIM = re.compile(rf"([−+]?(?:{FIGURE})(?: of (?:{FIGURE}))?[^=<>()\"]*?|\"[^\"]*\") = (.+)")


def value_of(figure):
    """What is printed, as a number, and half of its last digit; the sign is of the words around it."""
    digits = re.search(FIGURE, figure).group().replace(",", "")
    if digits.count(".") > 1:
        return digits, 0
    decimals = len(digits.partition(".")[2])
    return (-1 if figure.startswith("−") else 1) * float(digits), 0.5 * 10**-decimals


def agrees(figure, value):
    if figure.startswith('"'):
        return str(value) == figure.strip('"')
    if isinstance(value, tuple):
        return value == tuple(int(part.replace(",", "")) for part in re.findall(FIGURE, figure))
    wanted, half = value_of(figure)
    if isinstance(wanted, str) or isinstance(value, str):
        return str(value) == re.search(FIGURE, figure).group()
    return abs(value - wanted) <= half * (1 + 1e-9)


def shown(value):
    return " of ".join(map(str, value)) if isinstance(value, tuple) else f"{value:.6g}" if isinstance(value, float) else str(value)


def bare(text):
    """Without code, targets of links, dates, questions and sizes such as 3 × 3, which are names; the length stays."""
    def blank(match):
        return re.sub(r"[^\n|]", " ", match.group())

    text = re.sub(r"`[^`]*`", blank, text)
    text = re.sub(r"\]\([^)]*\)|\[\d{4}-[^\]]*\]", blank, text)
    text = re.sub(r"\d{4}-\d\d-\d\d", blank, text)
    text = re.sub(r"σ \d\.\d|\*[^*]*\?\*", blank, text)  # the second: a question
    return re.sub(r"\b\d+ × \d+(?: × \d+)*", blank, text)


def figures_in(text):
    """The places of all figures that need a claim."""
    plain = bare(text)
    found = list(NUMBER.finditer(plain))
    places = []
    needed = False  # the figure behind this one is; walking back through lists of figures with one unit
    for i in reversed(range(len(found))):
        at = found[i]
        behind = plain[at.end() : found[i + 1].start()] if i + 1 < len(found) else ""
        listed = needed and JOIN.fullmatch(behind) and not NAMED.search(plain[: at.start()])
        needed = bool(listed or WITH_UNIT.match(plain, at.end()) or "." in at.group() or "," in at.group()
                      or behind.split() == ["of"]
                      or (i and plain[found[i - 1].end() : at.start()].split() == ["of"]))
        if needed:
            places.append(at.span())
    for line in re.finditer(r"(?m)^\s*\|.*$", plain):  # cells that are numbers alone
        for cell in re.finditer(r"[^|]+", line.group()):
            if re.fullmatch(r"[\d\s.,·%()−+×]*\d[\d\s.,·%()−+×]*", cell.group()):
                start = line.start() + cell.start()
                places += [(start + m.start(), start + m.end()) for m in NUMBER.finditer(cell.group())]
    return sorted(set(places))


class Page:
    def __init__(self, path, text=None):
        self.path = Path(path)
        self.text = self.path.read_text(encoding="utf-8") if text is None else text
        self.errors = []
        self.claims = 0
        self.names = dict(GENERAL)
        for at in COMMENT.finditer(self.text):
            if at[1] == "data":
                self.read(at[2])

    def error(self, at, text):
        self.errors.append(f"{self.path.name}:{self.text.count(chr(10), 0, at) + 1}: {text}")

    def read(self, listed):
        for i, item in enumerate(listed.split(",")):
            name, _, file = item.rpartition("=")
            with open(self.path.parent / file.strip(), encoding="utf-8") as opened:
                whole = json.load(opened)
            kind = next((kind for key, kind in (("profiler", Profile), ("overhead", Calls), ("machine", Run)) if key in whole), dict)
            data = kind(whole)
            if name.strip():
                self.names[name.strip()] = data
            if i == 0 and isinstance(data, Run):
                self.names |= {ask: getattr(data, ask) for ask in dir(Run) if not ask.startswith("_")}
                self.names["run"] = data.whole

    def ask(self, expression):
        try:
            return eval(compile(ast.parse(expression.strip(), mode="eval"), "claim", "eval"), {"__builtins__": {}, **self.names})
        except Wrong:
            raise
        except Exception as error:
            raise Wrong(f"{type(error).__name__}: {error}") from error

    def tables(self):
        """The text with its tables made anew."""
        text, at = "", 0
        marks = [m for m in COMMENT.finditer(self.text) if m[1] in ("table", "end")]
        for mark, end in zip(marks, marks[1:] + [None]):
            if mark[1] == "end":
                continue
            if end is None or end[1] != "end":
                self.error(mark.start(), "a table without an end")
                continue
            try:
                made = self.ask(mark[2])
            except Wrong as wrong:
                self.error(mark.start(), str(wrong))
                continue
            if self.text[mark.end() : end.start()].strip("\n") != made:
                self.error(mark.start(), "the table is not what its data give; make it anew by bench/report/page.py --write")
            text += self.text[at : mark.end()] + f"\n\n{made}\n\n"
            at = end.start()
        return text + self.text[at:]

    def blocks(self):
        """Paragraphs, items and tables with the claims below them, as (start, text, claims)."""
        text = re.sub(r"<!--\s*table\b.*?<!--\s*end\b.*?-->", lambda m: re.sub(r"[^\n]", " ", m.group()), self.text, flags=re.DOTALL)
        claims = [m for m in re.finditer(r"<!--.*?-->", text, re.DOTALL)]
        for m in claims:  # a comment has the length of its text and no blank line
            text = text[: m.start()] + "\0" * (m.end() - m.start()) + text[m.end() :]
        starts = sorted({0, *(m.end() for m in re.finditer(r"\n[ \t]*\n", text)), *(m.start() for m in re.finditer(r"(?m)^ *(?:[-*]|\d+\.) ", text))})
        for start, end in zip(starts, starts[1:] + [len(text)]):
            inside = [COMMENT.fullmatch(m.group()) for m in claims if start <= m.start() < end]
            block = text[start:end]
            if all(line.startswith("    ") or not line.strip() for line in block.splitlines()) and "\0" not in block:
                continue  # a piece of code
            yield start, block, [m for m in inside if m and m[1] == "claim"]

    def made(self):
        """What a script makes this page of; its head may be by hand. None where sentences are held one by one."""
        for name, (form, source) in MADE.items():
            if self.path.name.endswith(name):
                with open(self.path.with_suffix(".json"), encoding="utf-8") as opened:
                    return form(json.load(opened), PAGES.parents[1] / source)
        return None

    def check(self):
        if made := self.made():
            if not self.text.endswith(made) or figures_in(self.text.removesuffix(made)):
                self.error(0, f"not what its script makes of {self.path.with_suffix('.json').name}")
            return self.errors
        if not any(m[1] == "data" for m in COMMENT.finditer(self.text)):
            self.error(0, "no <!-- data: FILE.json -->")
            return self.errors
        self.tables()
        for start, block, claims in self.blocks():
            self.check_block(start, block, [line.strip() for m in claims for line in m[2].splitlines() if line.strip()])
        return self.errors

    def check_block(self, start, block, claims):
        covered = set()
        for claim in claims:
            self.claims += 1
            figure, expression = claim.groups() if (claim := CLAIM.fullmatch(text := claim)) else (None, text)
            try:
                value = self.ask(expression)
            except Wrong as wrong:
                self.error(start, f"{text}: {wrong}")
                continue
            if figure is None:
                if value is not True:
                    self.error(start, f"not so: {text}" + ("" if value is False else f": {shown(value)}"))
                continue
            pattern = re.sub(r"\\? ", r"\\s+", re.escape(figure.strip('"')))
            places = list(re.finditer(rf"(?<![\d.,]){pattern}(?![\d]|[.,]\d)", block))
            if not places:
                self.error(start, f"no figure '{figure}' in the paragraph")
            covered |= {i for place in places for i in range(*place.span())}
            if not agrees(figure, value):
                self.error(start, f"{figure} is {shown(value)}: {expression}")
        for first, last in figures_in(block):
            if not covered & set(range(first, last)):
                self.error(start + first, f"a figure without a claim: {' '.join(block[max(first - 20, 0) : last + 20].split())}")
        if (word := COMPARES.search(bare(block))) and not claims:
            self.error(start + word.start(), f"a comparison without a claim: {' '.join(block[max(word.start() - 30, 0) : word.end() + 30].split())}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", type=Path)
    parser.add_argument("--write", action="store_true", help="make the tables anew")
    parser.add_argument("--check", action="store_true", help="write nothing (the default)")
    parser.add_argument("--ask", metavar="EXPRESSION", help="print what it gives")
    arguments = parser.parse_args()
    wrong = 0
    for path in arguments.pages or sorted(PAGES.glob("*.md")):
        page = Page(path)
        if arguments.ask:
            print(page.ask(arguments.ask))
            continue
        if arguments.write and (text := page.tables()) != page.text:
            path.write_text(text, encoding="utf-8")
            page = Page(path)
        for error in page.check():
            print(error, file=sys.stderr)
        wrong += len(page.errors)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""The sentences and tables of a Markdown page, held against the JSON that they were read from.

    page.py [PAGE.md ...]            check; without a page, all of docs/benchmarks
    page.py --write [PAGE.md ...]    also make the tables anew
    page.py --ask 'EXPRESSION' PAGE  what an expression gives, with that page's data

A page names its data once. Words without a name in front ask the first file:

    <!-- data: 2026-11-22-h200-bench.json, profile = 2026-11-21-h200-profile.json -->

The figures of a paragraph, or of a list's item, stand again in a comment below it, in their order, each as it is printed
there and beside the Python expression that gives it. A line without a figure must be true:

    <!-- claim
    0.343 ms = ms("log-ladder log 4096 constant")
    12 of 20 = wins(cells("log-ladder convolve"), in_shared)
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
"!word" leaves rows out. claims.py says what can be asked.
"""

import argparse
import ast
import importlib.util
import json
import re
import sys
from pathlib import Path

import claims

PAGES = Path(__file__).resolve().parents[2] / "docs" / "benchmarks"


# Pages that a script makes whole, of the JSON of the same name.


def of_profile(whole, source):
    return importer(source).markdown_of(whole)


def of_calls(whole, source):
    """The benches of Python import what they time; their forms need none of that."""
    shared = Path(source).with_name("beside.py")
    tree = ast.parse(shared.read_text(encoding="utf-8") + Path(source).read_text(encoding="utf-8"))
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


MADE = {"-profile.md": (of_profile, "bench/profile/profile_rungs.py"), "-python.md": (of_calls, "python/bench/bench_python.py"),
        "-compat.md": (of_calls, "python/bench/bench_compat.py")}


# A page.

FIGURE = r"\d[\d,]*\d(?:\.\d+)*|\d+(?:\.\d+)*"
UNITS = (r"ms|µs|us|ns|s|%|times|x|×(?! ?\d)|GB/s|GFLOP/s|FPS|frames/s|frames\s+a\s+second|copies|KiB|MiB|GiB|MB|GB|bytes|million|"
         r"passed|failed|steps|launches")
NUMBER = re.compile(rf"(?<![\w.,²^])[−+]?(?:{FIGURE})(?!\.\d|[²³]|(?!(?:{UNITS})(?!\w))\w)")
WITH_UNIT = re.compile(rf"\s*(?:{UNITS})(?!\w)")
JOIN = re.compile(r"\s*(?:,|,? and|to|or|·|against|of)\s*")
NAMED = re.compile(r"(?:\bblocks?|\bblocks\sof|\b[KNT]\s+=|\bpapers?|\bfigs?\.|\beq\.)\s+$")  # numbers that are names
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
    text = re.sub(r"σ\s\d\.\d|\*[^*]*\?\*", blank, text)  # the second: a question
    return re.sub(r"\b\d+\s+[×x]\s+\d+(?:\s+[×x]\s+\d+)*", blank, text)


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
        self.names = dict(claims.GENERAL)
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
            kinds = (({"profiler"}, claims.Profile), ({"overhead"}, claims.Calls), ({"burst"}, dict), ({"machine", "rows"}, claims.Run))
            kind = next((kind for keys, kind in kinds if keys <= whole.keys()), dict)
            data = kind(whole)
            if name.strip():
                self.names[name.strip()] = data
            if i == 0 and isinstance(data, claims.Run):
                self.names |= {ask: getattr(data, ask) for ask in dir(claims.Run) if not ask.startswith("_")}
                self.names["run"] = data.whole

    def ask(self, expression):
        try:
            return eval(compile(ast.parse(expression.strip(), mode="eval"), "claim", "eval"), {"__builtins__": {}, **self.names})
        except claims.Wrong:
            raise
        except Exception as error:
            raise claims.Wrong(f"{type(error).__name__}: {error}") from error

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
            except claims.Wrong as wrong:
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
        comments = list(re.finditer(r"<!--.*?-->", text, re.DOTALL))
        for m in comments:  # a comment has the length of its text and no blank line
            text = text[: m.start()] + "\0" * (m.end() - m.start()) + text[m.end() :]
        starts = sorted({0, *(m.end() for m in re.finditer(r"\n[ \t]*\n", text)), *(m.start() for m in re.finditer(r"(?m)^ *(?:[-*]|\d+\.) ", text))})
        for start, end in zip(starts, starts[1:] + [len(text)]):
            inside = [COMMENT.fullmatch(m.group()) for m in comments if start <= m.start() < end]
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
        for start, block, comments in self.blocks():
            self.check_block(start, block, [line.strip() for m in comments for line in m[2].splitlines() if line.strip()])
        return self.errors

    def check_block(self, start, block, asked):
        covered, behind = set(), 0
        for line in asked:
            figure, expression = claim.groups() if (claim := CLAIM.fullmatch(line)) else (None, line)
            try:
                value = self.ask(expression)
            except claims.Wrong as wrong:
                self.error(start, f"{line}: {wrong}")
                continue
            if figure is None:
                if value is not True:
                    self.error(start, f"not so: {line}" + ("" if value is False else f": {shown(value)}"))
                continue
            words = re.sub(r"\\? ", r"\\s+", re.escape(figure.strip('"')))
            if place := re.compile(rf"(?<![\d.,]){words}(?![\d]|[.,]\d)").search(block, behind):
                behind = place.end()
                covered |= set(range(*place.span()))
            else:
                self.error(start, f"no figure '{figure}' {'there' if behind else 'in the paragraph'}; claims stand in the order of the figures")
            if not agrees(figure, value):
                self.error(start, f"{figure} is {shown(value)}: {expression}")
        for first, last in figures_in(block):
            if not covered & set(range(first, last)):
                self.error(start + first, f"a figure without a claim: {' '.join(block[max(first - 20, 0) : last + 20].split())}")
        if (word := COMPARES.search(bare(block))) and not asked:
            self.error(start + word.start(),
                       f"a comparison without a claim: {' '.join(block[max(word.start() - 30, 0) : word.end() + 30].split())}")


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

"""A page of docs/results: what a run measured for it, reduced to named values, and the text that a template makes of them.

A module of a page defines PAGE and its parts. A part is a function whose arguments after the first name the raw files that it
reads. It says values, makes tables and pictures, and states what has to hold so that the template's words are true:

    PAGE = Page("gigapixel", measured={"run": ("sobel/cpu",)})

    @PAGE.part
    def strips(page, run):
        page.say("strips", run.value(what="resident at most"))      # {strips[0]:.0f} in the template
        page.holds("strips", run.value(what="time") < 100)          # no figure, but a sentence rests on it
        page.table("times", lines(["work", "ms"], ["Sobel", 1.5]))  # {times} on a line of its own
"""

import functools
import hashlib
import json
import math
import re
import string
import sys
import textwrap
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "report"))

import layout  # noqa: E402
import runs  # noqa: E402
import sources  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "docs" / "results"
TEMPLATES = Path(__file__).resolve().parent / "templates"
JOINED = RESULTS / "data" / "commits.json"
COLUMNS = 100
LARGEST = 150_000  # bytes of a reduced file


class Broken(Exception):
    """A page that cannot be reduced or made, in words for its author."""


# Reducing.


class Page:
    def __init__(self, name, measured=None, commits=None, folder=None):
        """A page is docs/results/NAME.md, or README.md of `folder`, which may hold more pages: `more` makes them of the reduced
        data. `measured` names, for each raw file, the parts of the sources that it measures (sources.py): "canny/gpu", or "*/gpu"
        for every operation in its rows. `commits` has the commits of raw files that do not say theirs."""
        self.name, self.parts, self.folder, self.more = name, [], folder, lambda reduced: {}
        self.measured, self.commits = measured or {}, commits or {}
        self.values, self.tables, self.pictures = {}, {}, {}

    def part(self, function):
        self.parts.append(function)
        return function

    @property
    def path(self):
        return self.folder / "README.md" if self.folder else RESULTS / f"{self.name}.md"

    @property
    def data(self):
        return RESULTS / "data" / f"{self.name}.json"

    def say(self, name, *values):
        if name in self.values:
            raise Broken(f"{self.name}: '{name}' is said twice")
        self.values[name] = [plain(value) for value in values]

    def holds(self, name, *conditions):
        for at, condition in enumerate(conditions, 1):
            if condition is not True:
                raise Broken(f"{self.name}: condition {at} of '{name}' does not hold in this run; "
                             f"its sentence in templates/{self.name}.md has to change")  # fmt: skip

    def table(self, name, table):
        self.tables[name] = table

    def picture(self, name, drawing):
        if drawing:
            self.pictures[name] = drawing

    def reduce(self, raw, kept):
        """The reduced page of the raw files {argument: path}. A part whose files are not given keeps what `kept` has of it."""
        known = {name for part in self.parts for name in arguments(part)}
        if unknown := set(raw) - known:
            raise Broken(
                f"{self.name}: no part reads {', '.join(sorted(unknown))}; there are {', '.join(sorted(known))}"
            )
        wholes = {name: whole_of(Path(path)) for name, path in raw.items()}
        opened = {name: runs.opened(whole) for name, whole in wholes.items()}
        parts, content = {}, {"values": {}, "tables": {}, "pictures": {}}
        for part in self.parts:
            wanted = arguments(part)
            self.values, self.tables, self.pictures = {}, {}, {}
            if set(wanted) <= set(raw):
                try:
                    part(self, *(opened[name] for name in wanted))
                except (runs.Wrong, runs.Missing) as error:
                    raise Broken(f"{self.name}, {part.__name__}: {error}") from None
                made = {"values": self.values, "tables": self.tables, "pictures": self.pictures}
            elif set(wanted) & set(raw):
                lacking = ", ".join(sorted(set(wanted) - set(raw)))
                raise Broken(
                    f"{self.name}: part {part.__name__} reads {', '.join(wanted)}; give {lacking} too"
                )
            elif part.__name__ in kept.get("parts", {}):
                made = {
                    kind: {name: kept[kind][name] for name in names}
                    for kind, names in kept["parts"][part.__name__].items()
                }
            else:
                raise Broken(
                    f"{self.name}: nothing is kept of part {part.__name__}; give {', '.join(wanted)}"
                )
            for kind, named in made.items():
                if again := set(named) & set(content[kind]):
                    raise Broken(f"{self.name}: two parts make {', '.join(sorted(again))}")
                content[kind] |= named
            parts[part.__name__] = {kind: list(named) for kind, named in made.items() if named}
        files = kept.get("raw", {}) | {
            name: described(Path(path), wholes[name])
            | (timed(wholes[name]) if name in self.measured else {})
            for name, path in raw.items()
        }
        measured = [one for one in kept.get("measured", []) if one["raw"] not in raw]
        for name in sorted(raw):
            measured += self.fingerprints(name, wholes[name], files[name])
        return {"page": self.name, "raw": {name: files[name] for name in sorted(files) if name in known},
                "measured": measured, "changed": [], "parts": parts, **content}  # fmt: skip

    def fingerprints(self, name, whole, described):
        """What was measured of the sources, by the commits of the raw file."""
        wanted = self.measured.get(name, ())
        commit = self.commits.get(name) or described.get("commit", "")
        if wanted and not commit:
            raise Broken(
                f"{self.name}: {described['file']} does not say its commit; PAGE has to, in `commits`"
            )
        commits = sources.commits_of(whole, commit)
        found = []
        for part in wanted:
            operation, who = part.split("/")
            for each in sorted(commits) if operation == "*" else [operation]:
                at = commits.get(each, commit)
                for one in tree_of(at).parts(each, who):
                    fingerprint = tree_of(at).fingerprint(one)
                    if fingerprint:
                        found.append(
                            {"part": one, "raw": name, "commit": at[:7], "fingerprint": fingerprint}
                        )
        return found


@functools.cache
def tree_of(commit):
    """Of a commit by the name that it had when it was measured."""
    joined = json.loads(JOINED.read_text(encoding="utf-8")) if JOINED.exists() else {}
    return sources.Tree.of_commit(ROOT, joined.get(commit[:7], commit[:12]))


def arguments(part):
    return part.__code__.co_varnames[1 : part.__code__.co_argcount]


def whole_of(path):
    """A raw file; of a list, as `cuesta list --json` prints one, its rows."""
    whole = json.loads(path.read_text(encoding="utf-8"))
    return {"rows": whole} if isinstance(whole, list) else whole


def described(path, whole):
    """What the reduced file keeps of a raw file: its hash, and what it says of the machine, the day and the commit."""
    content = path.read_bytes()
    machine, gpu = whole.get("machine") or {}, whole.get("gpu") or {}
    found = {
        "file": path.name,
        "sha256": hashlib.sha256(content).hexdigest(),
        "bytes": len(content),
        "gpu": gpu if isinstance(gpu, str) else gpu.get("name", ""),
        "driver": whole.get("driver")
        or (gpu.get("driver", "") if isinstance(gpu, dict) else "")
        or machine.get("driver", ""),
        "cpu": machine.get("cpu") or machine.get("host", ""),
        "date": (whole.get("date") or machine.get("date") or "")[:10]
        or dated(path.name)
        or whole.get("raw", {}).get("run", {}).get("date", ""),  # of another page's data
        "commit": (whole.get("commit") or machine.get("commit") or "")[:12],
    }
    return {key: value for key, value in found.items() if value}


def timed(whole):
    """The experiments of a run of the bench, and the strategies that they timed; docs/dev/papers.md is held against both."""
    rows = [row for row in whole.get("rows", []) if row.get("operation", "copy") != "copy"]
    figures = [one for one in whole.get("figures", []) if one["source"] == "found"]
    if not all("experiment" in row for row in rows):
        return {}
    strategies = {}
    for row in rows:
        strategies.setdefault(row["operation"], set()).add(row["strategy"])
    return {
        "experiments": sorted({one["experiment"] for one in [*rows, *figures]}),
        "strategies": {name: sorted(strategies[name]) for name in sorted(strategies)},
    }


def dated(name):
    day = re.match(r"\d{4}-\d\d-\d\d", name)
    return day.group() if day else ""


def plain(value):
    """As JSON has it."""
    return [plain(part) for part in value] if isinstance(value, (list, tuple)) else value


# Tables, as data.


def number(value, digits=None):
    """Three significant digits, or this many decimals; thousands with commas."""
    if isinstance(value, str):
        return value
    if digits is None:
        digits = max(2 - math.floor(math.log10(abs(value))), 0) if value else 0
    return f"{value:,.{digits}f}".replace("-", "−")


def lines(head, *rows, form="{}"):
    """A table of these rows. A cell is a text, a number, a list of numbers, or a runs.Missing. `form` prints numbers."""
    notes = {cell.word: cell.why for row in rows for cell in row if isinstance(cell, runs.Missing)}
    cells = [
        [cell.word if isinstance(cell, runs.Missing) else plain(cell) for cell in row]
        for row in rows
    ]
    if any(text == "" or text is None for row in [list(head), *cells] for text in row):
        raise Broken(f"a table has a blank cell: {', '.join(map(str, head))}")
    table = {"head": list(head), "rows": cells}
    return table | ({"notes": notes} if notes else {}) | ({"form": form} if form != "{}" else {})


def grid(corner, base, rows, columns, ask=None, mark=False, form="{}"):
    """A table of a cell for each row and column. Both are words, or a heading and words. `ask` answers the words of base, row
    and column together; a row or column may have a function in the place of words. A cell without data says why. With
    `mark`, the least number of each column is bold."""

    def titled(items):
        return [
            (f"`{item}`" if item[0].islower() else item, item) if isinstance(item, str) else item
            for item in items
        ]

    def cell(down, across):
        own = next((part for part in (down, across) if callable(part)), ask)
        try:
            value = own(" ".join(part for part in (base, down, across) if isinstance(part, str)))
        except runs.Missing as missing:
            return missing
        return list(value) if isinstance(value, tuple) else value

    columns = titled(columns)
    table = lines([corner, *(head for head, _ in columns)],
                  *([head, *(cell(down, across) for _, across in columns)] for head, down in titled(rows)), form=form)  # fmt: skip
    return table | ({"mark": True} if mark else {})


# Making.


class Ratio(list):
    """Prints as "3 of 4"."""

    def __format__(self, spec):
        return f"{self[0]:,} of {self[1]:,}"


class Cells(string.Formatter):
    """The form of a cell: a field without a specification has three significant digits."""

    def format_field(self, value, spec):
        return number(value) if not spec else format(value, spec).replace("-", "−")


def printed(table, form=None):
    """The rows of a table as texts."""
    form = form or table.get("form", "{}")

    def text(cell):
        return (
            cell
            if isinstance(cell, str)
            else Cells().format(form, *(cell if isinstance(cell, list) else [cell]))
        )

    rows = [[text(cell) for cell in row] for row in table["rows"]]
    if table.get("mark"):
        for column in range(1, len(table["head"])):
            values = [row[column] for row in table["rows"] if isinstance(row[column], (int, float))]
            for cells, row in zip(rows, table["rows"]):
                if values and row[column] == min(values):
                    cells[column] = f"**{cells[column]}**"
    return rows


def markdown(table):
    text = layout.markdown(table["head"], printed(table))
    notes = []
    for word, why in table.get("notes", {}).items():
        count = sum(cell == word for row in table["rows"] for cell in row)
        notes.append(f"*{word}* ({count} cell{'' if count == 1 else 's'}): {why}.")
    return text + ("\n\n" + " ".join(notes) if notes else "")


def wrapped(text):
    """Paragraphs and items at most COLUMNS wide; code, tables, headings and pictures as they are."""
    blocks = []
    for block in re.split(r"\n[ \t]*\n", text.strip("\n")):
        rows = block.split("\n")
        if all(row.startswith("    ") for row in rows) or rows[0].startswith(("|", "#", "![")):
            blocks.append(block)
            continue
        parts = []
        for part in re.split(r"\n(?=(?:[-*]|\d+\.) )", block):
            lead = re.match(r" *(?:(?:[-*>]|\d+\.) )?", part).group()
            below = lead if lead == "> " else " " * len(lead)
            parts.append(textwrap.fill(" ".join(part[len(lead) :].split()), COLUMNS, initial_indent=lead,
                                       subsequent_indent=below, break_long_words=False,
                                       break_on_hyphens=False))  # fmt: skip
        blocks.append("\n".join(parts))
    return "\n\n".join(blocks) + "\n"


def ratios(value):
    """Lists of two whole numbers are ratios."""
    if isinstance(value, list):
        if len(value) == 2 and all(isinstance(part, int) for part in value):
            return Ratio(value)
        return [ratios(part) for part in value]
    return value


def text_of(reduced, template, notice=""):
    """The page. `notice` stands below the title."""
    names = {
        name: [ratios(value) for value in values] for name, values in reduced["values"].items()
    }
    names |= {name: markdown(table) for name, table in reduced["tables"].items()}
    try:
        text = template.format_map(names)
    except (KeyError, IndexError, ValueError, TypeError, AttributeError) as error:
        raise Broken(f"templates/{reduced['page']}.md: {type(error).__name__}: {error}") from None
    title, _, rest = text.partition("\n")
    return f"{title}\n\n" + wrapped("\n\n".join(filter(None, (notice, rest.strip("\n")))))

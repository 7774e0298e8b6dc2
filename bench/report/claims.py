"""What the comments of a page can ask of the JSON files of a bench, and the tables that they make of it (page.py)."""

import math
import statistics

from report import PEERS, label, size


class Wrong(Exception):
    """What an expression asks cannot be answered from the data."""


def words_of(thing, fields):
    return {word.strip(",") for field in fields for word in str(thing.get(field) or "").split()}


class Selection:
    """Things by their words; which things a word belongs to is looked up."""

    def __init__(self, pairs):
        self.things, self.having = [], {}
        for words, thing in pairs:
            for word in words:
                self.having.setdefault(word, set()).add(len(self.things))
            self.things.append(thing)

    def of(self, wanted):
        """Those that have all of the words, and none of those after a "!", in their order."""
        at = set(range(len(self.things)))
        for word in wanted.split():
            at = at - self.having.get(word[1:], set()) if word.startswith("!") else at & self.having.get(word, set())
        return [self.things[i] for i in sorted(at)]


def one(found, wanted, name):
    if len(found) != 1:
        first = "; ".join(name(thing) for thing in found[:4])
        raise Wrong(f"'{wanted}' selects {len(found)}{': ' + first if first else ''}")
    return found[0]


class Run:
    """A file that `cuesta bench --json` wrote."""

    def __init__(self, whole):
        self.whole = whole
        self.all_rows = Selection((words_of(row, ("experiment", "operation", "strategy", "space", "parameters", "strategy_parameters",
                                                  "type", "width"))
                                   | {f"{row['width']}x{row['height']}", f"threads={row['threads']}"}, row) for row in whole["rows"])
        self.all_figures = Selection((words_of(f, ("experiment", "parameters", "width", "source", "subject", "detail", "what", "unit"))
                                      | {f["subject"]}, f) for f in whole.get("figures", []))

    def rows(self, wanted):
        """Without a word threads=N, of rows that differ in nothing else those on the most threads."""
        found = self.all_rows.of(wanted)
        if "threads=" in wanted:
            return found
        most = {}
        for row in found:
            most[identity(row)] = max(row["threads"], most.get(identity(row), 0))
        return [row for row in found if row["threads"] == most[identity(row)]]

    def row(self, wanted):
        """Without a word block=N, of rows that differ in nothing else the one with the largest block."""
        found = self.rows(wanted)
        if " block=" not in wanted and len({without_block(row) for row in found}) == 1:
            found = sorted(found, key=block_of)[-1:]
        return one(found, wanted, lambda r: f"{r['experiment']} {r['parameters']} {r['type']} {size(r)} {label(r)}")

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
        """A figure beside the rows: the paper's, a model's, a count; of several the one that has no detail."""
        found = self.all_figures.of(wanted)
        if len(found) > 1:
            found = [f for f in found if not f["detail"]] or found
        return one(found, wanted, lambda f: f"{f['experiment']} {f['subject']} {f['detail']} {f['what']} {f['width']}")[field]

    def detailed(self, wanted, detail):
        """The figure with that very detail."""
        found = [f for f in self.all_figures.of(wanted) if f["detail"] == detail]
        return one(found, f"{wanted}, {detail}", lambda f: f"{f['experiment']} {f['subject']} {f['what']} {f['width']}")["value"]

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
        self.all_kernels = Selection((words_of({**row, **kernel}, ("operation", "strategy", "request", "width", "name")), kernel)
                                     for row in whole["rows"] for kernel in row["kernels"])

    def kernels(self, wanted):
        found = self.all_kernels.of(wanted)
        if not found:
            raise Wrong(f"'{wanted}' selects no kernel")
        return found

    def of(self, wanted, field):
        """Of one kernel."""
        return one(self.kernels(wanted), wanted, lambda kernel: kernel["name"])[field]

    def bound(self, operation, parameters):
        """What binds the row of `bench production`: "memory 81 %", and for what warps wait where no unit is busy."""
        found = [row["bound"] for row in self.whole["rows"] if (row["operation"], row.get("parameters")) == (operation, parameters)]
        bound = one(found, f"{operation} {parameters}", lambda row: row["kernel"])
        kernel = "" if bound["share"] > 90 else f" ({bound['share']:.0f} % of the time)"
        return f"{bound['unit']} {bound['busy']:.0f} %{', waits: ' + bound['waits'] if 'waits' in bound else ''}{kernel}"

    def sum(self, wanted, field):
        return sum(kernel[field] for kernel in self.kernels(wanted))


class Calls:
    """A file that bench_python.py wrote."""

    def __init__(self, whole):
        self.whole = whole
        peers, ours = [], 1
        for row in whole["peers"]:
            ours = row["ms"] if row["library"] == "cuesta" else ours
            if row["ms"]:
                words = words_of(row, ("operation", "definition", "side", "library"))
                peers.append((words | {f"threads={row['threads'] or 'all'}"}, row["ms"] / ours))
        self.peers = Selection(peers)

    def times(self, wanted):
        """How many times Cuesta's time, of each."""
        if not (found := self.peers.of(wanted)):
            raise Wrong(f"'{wanted}' selects nothing")
        return found

    def more(self, side, name="out"):
        """What calls of that side cost more than in C++, as (microseconds, percent)."""
        return [(row[f"{name}_us"] - row[f"cpp_{name}_us"], 100 * (row[f"{name}_us"] / row[f"cpp_{name}_us"] - 1))
                for row in self.whole["overhead"] if row["side"] == side]


def identity(row):
    """But for the host's threads."""
    return tuple(row.get(key) for key in ("experiment", "operation", "strategy", "space", "parameters", "strategy_parameters", "type",
                                          "width", "height"))


def block_of(row):
    return next((int(word[6:]) for word in (row.get("strategy_parameters") or "").split() if word.startswith("block=")), 0)


def without_block(row):
    return identity({**row, "strategy_parameters": " ".join(word for word in (row.get("strategy_parameters") or "").split()
                                                            if not word.startswith("block="))})


def ratios(now, before, wanted):
    """Times of the rows that both runs have, of the first over the second."""
    times = {identity(row): row["ms"] for row in before.rows(wanted)}
    return [row["ms"] / times[identity(row)] for row in now.rows(wanted) if identity(row) in times]


def is_rung(row):
    """A step of a paper: not plain, not fused, no peer and no copy."""
    return row["space"] == "device" and row["strategy"] not in ("plain", "fused", "device copy", *PEERS)


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
    return f"{round(less(now, before))} %".replace("-", "−")


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

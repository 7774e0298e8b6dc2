"""Questions to the files that the benches write: rows by their words, ratios, wins by cell. The modules of the pages ask them."""

import statistics

from report import PEERS


class Wrong(Exception):
    """The data do not answer the question as it is put."""


class Missing(Exception):
    """The data have no answer. `word` stands in the cell of a table, `why` in the note below it."""

    def __init__(self, word, why, what=""):
        super().__init__(f"{what or word}: {why}")
        self.word, self.why = word, why


NO_ROW = ("not run", "the run has no measurement of this combination")
NO_COPIES = ("no copies", "the row runs on the CPU, so nothing is copied to a GPU and back")
NOT_PRINTED = ("not printed", "the paper prints no such figure")


def words_of(thing, fields):
    return {word.strip(",") for field in fields for word in str(thing.get(field) or "").split()}


class Selection:
    """Things, found by the words that belong to them."""

    def __init__(self, pairs):
        self.things, self.having = [], {}
        for words, thing in pairs:
            for word in words:
                self.having.setdefault(word, set()).add(len(self.things))
            self.things.append(thing)

    def of(self, wanted):
        """Things that have every word and none of the words after a "!", in their order."""
        at = set(range(len(self.things)))
        for word in wanted.split():
            at = (
                at - self.having.get(word[1:], set())
                if word.startswith("!")
                else at & self.having.get(word, set())
            )
        return [self.things[i] for i in sorted(at)]


def one(found, wanted, name, missing=NO_ROW):
    if not found:
        raise Missing(*missing, wanted)
    if len(found) > 1:
        raise Wrong(
            f"'{wanted}' selects {len(found)}: {'; '.join(name(thing) for thing in found[:4])}"
        )
    return found[0]


def name_of(row):
    size = f"{row['width']}x{row['height']}"
    return f"{row['experiment']} {row['parameters']} {row['type']} {size} {row['strategy']} {row['strategy_parameters']}"


class Run:
    """A file of `cuesta bench --json`, or one of the same form. The words of a row are those of its experiment, operation,
    strategy, space, parameters, strategy parameters, type and width, WxH and threads=N."""

    def __init__(self, whole):
        self.whole = whole
        fields = (
            "experiment operation strategy space parameters strategy_parameters type width".split()
        )
        self.all_rows = Selection(
            (
                words_of(row, fields)
                | {f"{row['width']}x{row['height']}", f"threads={row['threads']}"},
                row,
            )
            for row in whole["rows"]
        )
        fields = "experiment parameters width source subject detail what unit".split()
        self.all_figures = Selection(
            (words_of(f, fields) | {f["subject"]}, f) for f in whole.get("figures", [])
        )

    def __getitem__(self, key):
        return self.whole[key]

    def rows(self, wanted):
        """Of rows that differ only in their threads, the one with the most, unless a word threads=N is given."""
        found = [row for row in self.all_rows.of(wanted) if is_default(row, wanted)]
        if "threads=" in wanted:
            return found
        most = {}
        for row in found:
            most[identity(row)] = max(row["threads"], most.get(identity(row), 0))
        return [row for row in found if row["threads"] == most[identity(row)]]

    def row(self, wanted):
        """Of rows that differ only in their block, the one with the largest, unless a word block=N is given."""
        found = self.rows(wanted)
        if " block=" not in wanted and len({without_block(row) for row in found}) == 1:
            found = sorted(found, key=block_of)[-1:]
        return one(found, wanted, name_of)

    def best(self, wanted):
        if not (found := self.rows(wanted)):
            raise Missing(*NO_ROW, wanted)
        return fastest(found)

    def worst(self, wanted):
        return slowest(self.rows(wanted))

    def winner(self, wanted):
        """The fastest of the papers' steps and its microseconds."""
        row = fastest([row for row in self.rows(wanted) if is_rung(row)])
        return [f"`{row['strategy']}`", 1000 * row["ms"]]

    def ms(self, wanted):
        return self.row(wanted)["ms"]

    def us(self, wanted):
        return 1000 * self.row(wanted)["ms"]

    def fps(self, wanted, copies="resident"):
        """Calls a second. `copies`: resident, pageable or pinned."""
        row = self.row(wanted)
        ms = row["ms" if copies == "resident" else f"{copies}_ms"]
        if ms is None:
            raise (
                Missing(*NO_COPIES, wanted)
                if row["space"] == "host"
                else Wrong(f"'{wanted}' was not timed {copies}")
            )
        return 1000 / ms

    def pageable(self, wanted):
        """Milliseconds with upload and download, from pageable memory."""
        return 1000 / self.fps(wanted, "pageable")

    def pinned(self, wanted):
        return 1000 / self.fps(wanted, "pinned")

    def copies(self, wanted):
        """Times a copy of the picture."""
        return self.row(wanted)["times_copy"]

    def gflops(self, wanted):
        return self.row(wanted)["gflops"]

    def stage(self, wanted, *names):
        """Milliseconds of the named stages; of all stages without a name."""
        stages = self.row(wanted)["stages"]
        return sum(stages[name] for name in names or stages)

    def share(self, wanted, *names):
        """Percent of the sum of all stages."""
        return 100 * self.stage(wanted, *names) / self.stage(wanted)

    def figure(self, wanted, field="value"):
        """A figure beside the rows: the paper's, a model's, a count. Of several, the one without a detail."""
        found = self.all_figures.of(wanted)
        if len(found) > 1:
            found = [f for f in found if not f["detail"]] or found
        missing = NOT_PRINTED if " paper " in f" {wanted} " else NO_ROW
        return one(
            found,
            wanted,
            lambda f: f"{f['experiment']} {f['subject']} {f['detail']} {f['what']} {f['width']}",
            missing,
        )[field]

    def detailed(self, wanted, detail):
        """The figure with exactly that detail."""
        found = [f for f in self.all_figures.of(wanted) if f["detail"] == detail]
        return one(
            found,
            f"{wanted}, {detail}",
            lambda f: f"{f['experiment']} {f['subject']} {f['what']} {f['width']}",
        )["value"]

    def value(self, **wanted):
        """The first figure whose fields have these values."""
        for f in self.whole["figures"]:
            if all(f[key] == value for key, value in wanted.items()):
                return f["value"]
        raise Missing(*NO_ROW, str(wanted))

    def said(self, wanted):
        """The words of a figure that the paper gives in words."""
        return self.figure(wanted, "words")

    def cells(self, wanted):
        """The papers' steps by cell (a request at a size): lists of rows, one a strategy with its best parameters."""
        found = {}
        for row in self.rows(wanted):
            if is_rung(row):
                cell = found.setdefault(
                    (
                        row["experiment"],
                        row["operation"],
                        row["parameters"],
                        row["type"],
                        row["width"],
                    ),
                    {},
                )
                if row["strategy"] not in cell or row["ms"] < cell[row["strategy"]]["ms"]:
                    cell[row["strategy"]] = row
        if not found:
            raise Wrong(f"'{wanted}' selects no step of a paper")
        return [list(cell.values()) for cell in found.values()]


class Profile:
    """A file of profile_rungs.py: kernels, by the words of operation, strategy, request, width and kernel."""

    def __init__(self, whole):
        self.whole = whole
        fields = ("operation", "strategy", "request", "width", "name")
        self.all_kernels = Selection(
            (words_of({**row, **kernel}, fields), kernel)
            for row in whole["rows"]
            for kernel in row["kernels"]
        )

    def __getitem__(self, key):
        return self.whole[key]

    def kernels(self, wanted):
        found = self.all_kernels.of(wanted)
        if not found:
            raise Wrong(f"'{wanted}' selects no kernel")
        return found

    def of(self, wanted, field):
        return one(self.kernels(wanted), wanted, lambda kernel: kernel["name"])[field]

    def sum(self, wanted, field):
        return sum(kernel[field] for kernel in self.kernels(wanted))

    def bound(self, operation, parameters):
        """What binds a row of `bench production`, in words, and what its warps wait for where no unit is busy."""
        found = [
            row["bound"]
            for row in self.whole["rows"]
            if (row["operation"], row.get("parameters")) == (operation, parameters)
        ]
        bound = one(found, f"{operation} {parameters}", lambda row: row["kernel"])
        kernel = "" if bound["share"] > 90 else f" ({bound['share']:.0f} % of the time)"
        return f"{bound['unit']} {bound['busy']:.0f} %{', waits: ' + bound['waits'] if 'waits' in bound else ''}{kernel}"


class Calls:
    """A file of bench_python.py."""

    def __init__(self, whole):
        self.whole = whole
        peers, ours = [], 1
        for row in whole["peers"]:
            ours = row["ms"] if row["library"] == "cuesta" else ours
            if row["ms"]:
                words = words_of(row, ("operation", "definition", "side", "library"))
                peers.append((words | {f"threads={row['threads'] or 'all'}"}, row["ms"] / ours))
        self.peers = Selection(peers)

    def __getitem__(self, key):
        return self.whole[key]

    def times(self, wanted):
        """How many times Cuesta's time, for each row."""
        if not (found := self.peers.of(wanted)):
            raise Wrong(f"'{wanted}' selects nothing")
        return found

    def more(self, side, name="out"):
        """What calls with that side cost over the same call in C++: (microseconds, percent) each."""
        return [
            (
                row[f"{name}_us"] - row[f"cpp_{name}_us"],
                100 * (row[f"{name}_us"] / row[f"cpp_{name}_us"] - 1),
            )
            for row in self.whole["overhead"]
            if row["side"] == side
        ]


def opened(whole):
    """A file as what can be asked of it."""
    kinds = (
        ({"profiler"}, Profile),
        ({"overhead"}, Calls),
        ({"burst"}, dict),
        ({"picture"}, dict),
        ({"machine", "rows"}, Run),
    )
    return next((kind for keys, kind in kinds if keys <= whole.keys()), dict)(whole)


def identity(row):
    """All but the host's threads."""
    keys = "experiment operation strategy space parameters strategy_parameters type width height".split()
    return tuple(row.get(key) for key in keys)


def block_of(row):
    return next(
        (
            int(word[6:])
            for word in (row.get("strategy_parameters") or "").split()
            if word.startswith("block=")
        ),
        0,
    )


# Parameters whose other values are kernels of a paper, timed beside ours.
OURS = {
    "loads": "once",
    "unroll": "some",
    "threads": "256",
    "shape": "square",
    "suppression": "gpu",
    "window": "3",
    "boxes": "gpu",
    "windows": "cells",
    "copy": "async",
}


# Words of requests that an experiment times beside its own.
BESIDE = {"canny-stages": ("photographs", "L2"), "canny-pipeline": ("phase",)}


def is_default(row, wanted):
    """Whether a row has our kernels and the experiment's request, or what words ask for: name=value, or one of BESIDE."""
    beside = BESIDE.get(row["experiment"], ())
    if any(word in words_of(row, ["parameters"]) and word not in wanted for word in beside):
        return False
    given = dict(
        word.split("=", 1) for word in (row.get("strategy_parameters") or "").split() if "=" in word
    )
    return all(f"{name}=" in wanted or given.get(name, ours) == ours for name, ours in OURS.items())


def without_block(row):
    words = [
        word
        for word in (row.get("strategy_parameters") or "").split()
        if not word.startswith("block=")
    ]
    return identity({**row, "strategy_parameters": " ".join(words)})


def ratios(now, before, wanted):
    """Times of the rows that both runs have, of the first over the second."""
    times = {identity(row): row["ms"] for row in before.rows(wanted)}
    return [row["ms"] / times[identity(row)] for row in now.rows(wanted) if identity(row) in times]


# Canny's production rows on a GPU; runs before they had names of their own call all of them fused.
CANNY_ON_GPU = ("fused", "march-fp16", "march-fp32", "march-int16", "tiles")


def is_rung(row):
    """Whether a row is a step of a paper: not plain, not fused, no peer and no copy."""
    if row["operation"] == "canny" and row["strategy"] in CANNY_ON_GPU:
        return False
    return row["space"] == "device" and row["strategy"] not in (
        "plain",
        "fused",
        "device copy",
        *PEERS,
    )


def in_shared(row):
    """Whether some kernel of the row uses shared memory."""
    return any(use["static_shared_bytes"] + use["dynamic_shared_bytes"] for use in row["kernels"])


def named(*names):
    return lambda row: row["strategy"] in names


def among(cells, *names):
    """The cells, reduced to those strategies."""
    return [[row for row in cell if row["strategy"] in names] for cell in cells]


def fastest(cell):
    return min(cell, key=lambda row: row["ms"])


def slowest(cell):
    return max(cell, key=lambda row: row["ms"])


def wins(cells, which):
    """In how many cells the fastest row is such a row, and of how many."""
    return sum(which(fastest(cell)) for cell in cells), len(cells)


def losses(cells, which):
    return sum(which(slowest(cell)) for cell in cells), len(cells)


def ahead(cells, one, other):
    """In how many cells strategy `one` is faster than `other`, of the cells that have both."""
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
    """A figure that no file holds: a goal, a limit, a paper's. `source` names where it is from."""
    if not source:
        raise Wrong("a given figure needs its source")
    return value


def steps(values):
    """Each value, and what it gains over the one before, in percent."""
    return [
        [now, less(now, before)] if before else [now]
        for now, before in zip(values, [None, *values])
    ]


median = statistics.median

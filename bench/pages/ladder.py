"""docs/ladder: five requests from the papers' first step to production, and a page for each step.

The tables are made of a run of `cuesta bench climb`, one of `profile_rungs.py --climb`, and predictions for the papers' GPUs.
The pages of the steps quote steps.md and, by its marks, lines of their sources, so they follow the sources.
"""

import functools
import re
import textwrap
from pathlib import Path

import drawings
import page as pages
from page import Page, lines
from runs import Missing

OPERATIONS = {
    "convolve": "Gaussian of 5 × 5",
    "sobel": "Sobel's magnitude",
    "canny": "Canny",
    "label": "Connected components",
    "motion": "Moving objects",
}
TIERS = ("baseline", "ladder", "production")
LOADED = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
STORED = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"
EXECUTED = "smsp__inst_executed.sum"
HEAD = (
    "step|µs|gain|times a copy|registers|shared bytes|occupancy %|instructions a pixel|sectors a pixel|bound by|"
    "predicted µs|predicted on a GTX 960M, µs"
).split("|")
NO_FORMULA = Missing("no formula", "the model has no formula for this step")
LABELLING = ("components", "init", "merge", "compress", "number")  # stages of a frame
NOT_PROFILED = Missing("not profiled", "the profiler was not run on this row")
ALONE = Missing("first", "the definition and the papers' first step begin the climb")

PAGE = Page(
    "ladder", measured={"run": ("*/papers", "*/gpu")}, folder=pages.ROOT / "docs" / "ladder"
)


def steps_of(run, steps, operation):
    """The device's rows of an operation: the definition, the papers' steps in their order, production by time."""
    tiers = {
        (one["operation"], one["strategy"]): one["tier"]
        for one in steps["rows"]
        if one["space"] == "device"
    }
    rows = [
        row
        for row in run["rows"]
        if row["operation"] == operation
        and row["space"] == "device"
        and (operation, row["strategy"]) in tiers
    ]
    order = [one["strategy"] for one in steps["rows"] if one["operation"] == operation]

    def place(row):
        tier = tiers[operation, row["strategy"]]
        by_list = order.index(row["strategy"])
        return TIERS.index(tier), -row["ms"] if tier == "production" else by_list

    return sorted(rows, key=place)


def largest(row, *fields):
    return max((sum(kernel[field] for field in fields) for kernel in row["kernels"]), default=0)


def costs(profile, row):
    """Instructions and sectors a pixel, and what binds the kernel of most time."""
    own = (row["operation"], row["strategy"])
    found = [one for one in profile["rows"] if (one["operation"], one["strategy"]) == own]
    if not found:
        return NOT_PROFILED, NOT_PROFILED, NOT_PROFILED
    pixels = found[0]["width"] * found[0]["height"]
    counters = [kernel["counters"] for kernel in found[0]["kernels"]]
    executed = 32 * sum(one[EXECUTED] for one in counters) / pixels
    sectors = sum(one.get(LOADED, 0) + one.get(STORED, 0) for one in counters) / pixels
    bound = found[0]["bound"]
    words = f"{bound['unit']} {bound['busy']:.0f} %"
    if "waits" in bound:
        words += f", waits: {bound['waits']}"
    return executed, sectors, words


def predicted_on(gtx960m, row):
    """The time that the model predicts for a step at its default parameters; the figures name no operation."""
    found = [
        one
        for one in gtx960m["figures"]
        if one["source"] == "predicted"
        and one["parameters"] == row["parameters"]
        and one["subject"] == row["strategy"]
        and one["what"].startswith("time on")  # others are of stages
    ]
    return 1000 * found[0]["value"] if found else NO_FORMULA


@PAGE.part
def climb(page, run, profile, steps, gtx960m):
    def best_of(operation):
        return min(steps_of(run, steps, operation), key=lambda row: row["ms"])

    page.say("run", run["gpu"]["name"], run["date"][:10], run["commit"][:7])
    width = run["rows"][0]["width"]
    page.say("size", width)
    for operation in OPERATIONS:
        rows = steps_of(run, steps, operation)
        cells, before = [], None
        for row in rows:
            name = linked(operation, row["strategy"], steps)
            gain = before["ms"] / row["ms"] if before else ALONE
            registers = f"{largest(row, 'registers')}"
            shared = f"{largest(row, 'static_shared_bytes', 'dynamic_shared_bytes'):,}"
            least = min((kernel["occupancy"] for kernel in row["kernels"]), default=0)
            predicted = 1000 * row["predicted_ms"] if row["predicted_ms"] else NO_FORMULA
            cells.append([name, 1000 * row["ms"], gain, row["times_copy"], registers, shared,
                          f"{100 * least:.0f}", *costs(profile, row), predicted, predicted_on(gtx960m, row)])  # fmt: skip
            before = None if row["strategy"] == "plain" else row
        page.table(f"{operation}_climb", lines(HEAD, *cells))
        best, known = best_of(operation), papers_steps(steps)
        of_papers = [row for row in rows if f"{operation}/{row['strategy']}" in known]
        step = min(of_papers, key=lambda row: row["ms"])
        facts = (best["strategy"], 1000 * best["ms"], best["times_copy"], step["strategy"])
        page.say(operation, *facts, step["ms"] / best["ms"])
    peers = [row for row in run["rows"] if row["strategy"] == "npp"]
    times = [(row["operation"], row["ms"], best_of(row["operation"])["ms"]) for row in peers]
    cells = ([OPERATIONS[operation], 1000 * npp, 1000 * ours] for operation, npp, ours in times)
    page.table("peers", lines(["work", "NPP, µs", "fastest here, µs"], *cells))


@PAGE.part
def listed_steps(page, listed):
    """By `cuesta list strategies --json`, which needs no run."""
    page.table("steps", lines(["operation", "step", "idea", "paper", "parameters"], *about(listed)))


CHART = Missing("a chart", "paper 000 draws its times and prints none")
THEIRS = ["operation", "step", "paper", "its GPU", "request", "paper, µs", "model, µs", "H200, µs"]


@PAGE.part
def theirs(page, h200, log, memory, sobel, canny, motion):
    """What the papers print, the model's time on their GPU, and ours of h200-ladder.json; a test holds both files together."""

    def here(table, label, column):
        row = next(row for row in h200["tables"][table]["rows"] if row[0] == label)
        return row[h200["tables"][table]["head"].index(column)]

    def of(run, source, step, request, side, detail=""):
        """A figure of a paper or a prediction, in µs; `detail` is a part of its parameters."""
        for one in run["figures"]:
            same = (one["source"], one["subject"], one["width"]) == (source, step, side)
            asked = one["parameters"].startswith(request) and detail in one["detail"]
            if same and asked and one["what"].startswith("time"):
                return 1000 * one["value"]
        raise Missing("no figure", f"{source} has none of {step}, {request}")

    rows = []
    gaussian = ("000", "GTX 960M", "Gaussian 5 × 5 of f32, 4096 × 4096")
    for label, detail in (
        ("`naive`", "unroll"),
        ("`shared`, by position", "load=by"),
        ("`shared-constant`", "unroll"),
        ("`separable`", "unroll"),
        ("`tiled` T = 21", "T=21"),
        ("`adaptive-tiled` in 48 KiB", "limit=48k"),
        ("`separable-tiled` T = 21, transposed", "T=21"),
    ):
        step = named(label)
        model = of(log, "predicted", step, "gaussian 5x5", 4096, f"block=32 {detail}")
        ours = 1000 * here("log_steps", label, "Gaussian 5 × 5")[0]
        rows.append(["convolve", step, *gaussian, CHART, model, ours])
    average = ("002", "GTX 1060", "average 5 × 5 of f32, 2048 × 2048")
    for step in ("naive", "shared", "constant", "texture"):
        model = of(memory, "predicted", step, "averaging 5x5", 2048, "block=16")
        ours, paper = here("memory_times", "5x5, 2048²", f"`{step}`")
        rows.append(["convolve", step, *average, paper, model, ours])
    for operation, request, words, table in (
        ("convolve", "sharpening -1", "sharpening of f32, 512 × 512", "sharpening_steps"),
        ("sobel", "magnitude L2 to f32", "l2 magnitude of f32, 512 × 512", "sobel_steps"),
    ):
        for label, ours, _, paper, _ in h200["tables"][table]["rows"]:
            model = of(sobel, "predicted", named(label), request, 512, "block=32")
            paper, ours = (float(cell.split()[0]) for cell in (paper, ours))
            rows.append([operation, named(label), "003", "GTX 1080", words, paper, model, ours])
    whole = ("001", "Quadro P5000", "5 × 5, 1024 × 1024")
    for step, label in (
        ("global", "`global`, breadth-first launches"),
        ("row-cyclic", "`row-cyclic`, breadth-first launches"),
        ("bfs-launch", "`bfs-launch` (production front end)"),
    ):
        own = step != "bfs-launch"
        model = of(canny, "predicted", step, "5x5", 1024) if own else NO_FORMULA
        paper, ours = (here("canny_times", row, "1024") for row in ("paper's GPU, P5000", label))
        rows.append(["canny", step, *whole, paper, model, ours])
    stages = h200["pictures"]["stages-motion-ladder"]
    bar = next(one for one in stages["bars"] if one["label"].startswith("v1.3"))
    share = sum(bar["shares"][stages["names"].index(name)] for name in LABELLING)
    ours = 10 * share * float(bar["end"].split()[0])
    labels = ["label", "union-find", "004", "GTX 960M", "labels of a frame in `v1.3`"]
    rows.append([*labels, of(motion, "paper", "v1.3", "", 596, "components"), NO_FORMULA, ours])
    frame = ("004", "GTX 960M", "a frame of 596 × 336 with its copies")
    for label, _, _, pageable, paper in h200["tables"]["motion_rates"]["rows"][:4]:
        rows.append(["motion", named(label), *frame, 1e6 / paper, NO_FORMULA, 1e6 / pageable])
    page.table("theirs", lines(THEIRS, *rows))


def linked(operation, step, steps):
    """The name of a step, with a link to its page if it has one."""
    has_page = f"{operation}/{step}" in papers_steps(steps)
    return f"[`{step}`]({operation}-{step}.md)" if has_page else f"`{step}`"


def named(cell):
    return re.search(r"`([^`]+)`", cell)[1]


def papers_steps(steps):
    return {
        f"{one['operation']}/{one['strategy']}" for one in steps["rows"] if one["tier"] == "ladder"
    }


def about(steps):
    for one in steps["rows"]:
        if one["tier"] == "ladder" and one["operation"] in OPERATIONS:
            parameters = "; ".join(
                f"`{each['name']}={', '.join(each['values'])}` {each['meaning']}"
                for each in one["parameters"]
            )
            name = f"[`{one['strategy']}`]({one['operation']}-{one['strategy']}.md)"
            facts = (one["idea"], one["paper"] or "ours", parameters or "none")
            yield [one["operation"], name, *facts]


# The pages of the steps.


def source_of(operation, step):
    """The file of a step: the one whose head names it first, else the one of its name."""
    folder = pages.ROOT / "src" / "ops" / operation / "ladder"
    named = []
    for path in sorted(folder.glob("[0-9]*.cu")):
        stem = re.sub(r"^\d+_", "", path.stem).replace("_", "-")
        if stem in (step, step.replace(".", "-")):
            return path
        if f"`{step}`" in head_of(path).split(". ")[0]:
            named.append(path)
    if not named:
        raise pages.Broken(f"no file below {folder} names the step `{step}` in its first sentence")
    return named[0]


def head_of(path):
    """The comment that a file begins with, as one paragraph."""
    rows = []
    for row in path.read_text(encoding="utf-8").splitlines():
        if not row.startswith("//"):
            break
        rows.append(row[2:].strip())
    return " ".join(rows)


@functools.cache
def steps_words():
    """{operation-step: (three sentences, file, first text, last text)} of steps.md."""
    text = Path(__file__).with_name("steps.md").read_text(encoding="utf-8")
    found = {}
    for part in text.split("\n## ")[1:]:
        title, words, marks = part.strip().split("\n\n")
        name, first, last = marks.removeprefix("Lines: ").split(" | ")
        found[title.replace(": ", "-")] = (words, name, first, last)
    return found


def lines_of(operation, step, path):
    """The lines of a step's source that steps.md names."""
    _, name, first, last = steps_words()[f"{operation}-{step}"]
    rows = path.with_name(name).read_text(encoding="utf-8").splitlines()
    begin = next((n for n, row in enumerate(rows) if first in row), None)
    end = next((n for n in range(begin or 0, len(rows)) if last in rows[n] and n != begin), None)
    if begin is None or end is None:
        raise pages.Broken(f"{path.with_name(name)} has no lines from '{first}' to '{last}'")
    return textwrap.dedent("\n".join(rows[begin : end + 1]))


# Columns of a climb that say why a step is faster or slower than the one before.
COUNTERS = ("instructions a pixel", "sectors a pixel", "occupancy %", "bound by", "times a copy")


def next_step(operation, head, row, after, facts):
    """What the step that follows does else, and the counters that it changes."""
    following = named(after[0])
    fact = facts.get((operation, following))
    words = f": {fact[2]}" if fact else ", a production strategy"
    changes = [
        f"| {name} | {row[column]} | {after[column]} |"
        for column, name in enumerate(head)
        if name in COUNTERS and row[column] != after[column]
    ]
    table = "\n".join(["| counter | here | there |", "| --- | --- | --- |", *changes])
    return f"{after[0]}{words}. What it changes:\n\n{table}"


# Of a drawing, by what it has: its title, what it shows, and how it was recorded.
DRAWN = {
    "rounds": ("pixel joins when", "What joins in which round", "a ring whose left is strong."),
    "links": ("pixel leads to which", "Parents after merge", "the last thread first. On a GPU the links depend on "
              "who comes first; the roots do not."),
    "loads": ("thread loads what", "Loads of one block", "the smallest block of the step and a small picture."),
}  # fmt: skip


def drawn(operation, step, shown):
    first = drawings.recorded()[shown][0]
    title, shows, how = next(DRAWN[key] for key in DRAWN if key in first)
    picture = f"![{shows} of {operation}: {step}]({shown}.svg)"
    recorded = f"Recorded on the [emulated device](../../emulation/README.md), with {how}"
    return [f"## Which {title}", picture, recorded + SMALLER.get(operation, "")]


SMALLER = {"motion": " The blur and the element are of 5 × 5 here."}
WITHOUT_RUN = {
    True: "The climb's window is of 5 × 5, and this step takes 3 × 3 only, so it is not in the climb's tables.",
    False: "This step is newer than the climb's run. `cuesta bench climb --device cuda` times it on your GPU.",
}


def costs_of(head, before, row):
    """The step's row of its table as a column, beside that of the row before."""
    figures = list(zip(head, before, row))[1:]
    return pages.layout.markdown(["figure", f"`{named(before[0])}`", "here"], figures)


def papers_figures(operation, step, paper, theirs):
    """The step's rows of the papers' figures, or why it has none."""
    table = {**theirs, "rows": [row for row in theirs["rows"] if row[:2] == [operation, step]]}
    if not table["rows"]:
        printed = f"Paper {paper.replace(' ', ' and ')} prints no time of this step."
        return "No paper has this step." if paper == "ours" else printed
    cut = {**table, "head": table["head"][2:], "rows": [row[2:] for row in table["rows"]]}
    words = {cell for row in cut["rows"] for cell in row if isinstance(cell, str)}
    notes = {word: why for word, why in theirs.get("notes", {}).items() if word in words}
    model = " The model has that GPU from its data sheet: its time is an order of magnitude."
    text = pages.markdown({**cut, "notes": notes})
    return (
        text + "\n\n*H200* is of [the papers' steps on an H200](../results/h200-ladder.md)." + model
    )


def step_page(operation, head, around, facts, theirs):
    """Of a step, by the rows before, its own and after; its own has only its name if it was not in the run."""
    before, row, after = around
    step = named(row[0])
    path = source_of(operation, step)
    inside = path.relative_to(pages.ROOT).as_posix()
    _, _, idea, paper, parameters = facts[operation, step]
    papers = "Not of the papers" if paper == "ours" else f"Paper: {paper}"
    blocks = [
        f"# {operation}: {step}",
        steps_words()[f"{operation}-{step}"][0],
        f"{papers}. Source: [{inside}](../../{inside}). Its head has what bounds it, its bytes and its waste.",
        "## What it costs",
        costs_of(head, before, row) if len(row) > 1 else WITHOUT_RUN["3 x 3" in idea],
        "## The paper's figure",
        papers_figures(operation, step, paper, theirs),
    ]
    if shown := drawings.drawn_as(f"{operation}-{step}"):
        blocks += drawn(operation, step, shown)
    if step == "graph":
        blocks.append("## Which pixel joins when")
        blocks.append("It visits what [`persistent`](canny-persistent.md) does, which is drawn.")
    blocks += ["## The lines that matter", textwrap.indent(lines_of(operation, step, path), "    ")]
    if after:
        blocks += ["## The next step", next_step(operation, head, row, after, facts)]
    blocks += ["## What to try", tries(operation, step, parameters), "[All steps](README.md)"]
    return pages.wrapped("\n\n".join(blocks))


def tries(operation, step, parameters):
    emulated = step != "graph"  # a loop in a graph
    words = [
        "The emulated device has no loops in graphs, so a GPU is needed."
        if not emulated
        else f"Change the kernel and compare it with the reference, without a GPU ([how](exercises.md)):\n\n"
        f"    scripts/exercise start {operation}:{step}\n    scripts/exercise check {operation}:{step}"
    ]
    on_gpu = f"    cuesta verify {operation} --device cuda --strategy {step}\n    cuesta bench climb --device cuda"
    swept = re.findall(r"`(\w+)=([^`]*)`", parameters)
    for name, values in swept:
        on_gpu += f"\n    cuesta bench climb --device cuda --sweep {name}={values.replace(' ', '')}"
    if swept:
        words.append(f"Its parameters: {parameters}.")
    return "\n\n".join([*words, "With a GPU:", on_gpu])


def more(reduced):
    """The pages of the steps and their drawings, as {path: text}."""
    files = {PAGE.folder / f"{step}.svg": drawing for step, drawing in drawings.drawings().items()}
    tables = reduced["tables"]
    facts = {(row[0], named(row[1])): row for row in tables["steps"]["rows"]}
    for operation in OPERATIONS:
        table = tables[f"{operation}_climb"]
        rows = [None, *pages.printed(table), None]
        measured = {named(row[0]) for row in rows[1:-1]}
        alone = [step for of, step in facts if of == operation and step not in measured]
        around = [*zip(rows, rows[1:], rows[2:]), *((None, [f"`{step}`"], None) for step in alone)]
        for one in around:
            if (operation, step := named(one[1][0])) in facts:
                page = step_page(operation, table["head"], one, facts, tables["theirs"])
                files[PAGE.folder / f"{operation}-{step}.md"] = page
    return files


PAGE.more = more

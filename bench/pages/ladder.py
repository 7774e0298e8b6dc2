"""docs/ladder: five requests from the papers' first step to production, and a page for each step.

The tables are made of a run of `cuesta bench climb`, one of `profile_rungs.py --climb`, and predictions for a paper's GPU. The
pages of the steps quote the head and the kernel of their source file, so they follow the sources.
"""

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
HEAD = [
    "step",
    "µs",
    "gain",
    "times a copy",
    "registers",
    "shared bytes",
    "occupancy %",
    "instructions a pixel",
    "sectors a pixel",
    "bound by",
    "predicted µs",
    "predicted on a GTX 960M, µs",
]
NO_FORMULA = Missing("no formula", "the model has no formula for this step")
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
        return (
            TIERS.index(tier),
            -row["ms"] if tier == "production" else order.index(row["strategy"]),
        )

    return sorted(rows, key=place)


def largest(row, *fields):
    return max((sum(kernel[field] for field in fields) for kernel in row["kernels"]), default=0)


def costs(profile, row):
    """Instructions and sectors a pixel, and what binds the kernel of most time."""
    found = [
        one
        for one in profile["rows"]
        if (one["operation"], one["strategy"]) == (row["operation"], row["strategy"])
    ]
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
    page.say("run", run["gpu"]["name"], run["date"][:10], run["commit"][:7])
    width = run["rows"][0]["width"]
    page.say("size", width)
    for operation in OPERATIONS:
        rows = steps_of(run, steps, operation)
        cells, before = [], None
        for row in rows:
            executed, sectors, bound = costs(profile, row)
            gain = before["ms"] / row["ms"] if before else ALONE
            cells.append(
                [
                    linked(operation, row["strategy"], steps),
                    1000 * row["ms"],
                    gain,
                    row["times_copy"],
                    f"{largest(row, 'registers')}",
                    f"{largest(row, 'static_shared_bytes', 'dynamic_shared_bytes'):,}",
                    f"{100 * min((kernel['occupancy'] for kernel in row['kernels']), default=0):.0f}",
                    executed,
                    sectors,
                    bound,
                    1000 * row["predicted_ms"] if row["predicted_ms"] else NO_FORMULA,
                    predicted_on(gtx960m, row),
                ]
            )
            before = None if row["strategy"] == "plain" else row
        page.table(f"{operation}_climb", lines(HEAD, *cells))
        best = min(rows, key=lambda row: row["ms"])
        steps_only = [
            row for row in rows if f"{operation}/{row['strategy']}" in papers_steps(steps)
        ]
        fastest_step = min(steps_only, key=lambda row: row["ms"])
        page.say(
            operation,
            best["strategy"],
            1000 * best["ms"],
            best["times_copy"],
            fastest_step["strategy"],
            fastest_step["ms"] / best["ms"],
        )
    peers = [row for row in run["rows"] if row["strategy"] == "npp"]
    page.table(
        "peers",
        lines(
            ["work", "NPP, µs", "fastest here, µs"],
            *(
                [
                    OPERATIONS[row["operation"]],
                    1000 * row["ms"],
                    1000 * min(one["ms"] for one in steps_of(run, steps, row["operation"])),
                ]
                for row in peers
            ),
        ),
    )


@PAGE.part
def listed_steps(page, listed):
    """By `cuesta list strategies --json`, which needs no run."""
    page.table("steps", lines(["operation", "step", "idea", "paper", "parameters"], *about(listed)))


def linked(operation, step, steps):
    """The name of a step, with a link to its page if it has one."""
    named = f"`{step}`"
    return (
        f"[{named}]({operation}-{step}.md)"
        if f"{operation}/{step}" in papers_steps(steps)
        else named
    )


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
            yield [
                one["operation"],
                one["strategy"],
                one["idea"],
                one["paper"] or "ours",
                parameters or "none",
            ]


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


# Kernels that show a step where they are not the first of its file: the file in the step's folder, and the line that names them.
SHOWN = {
    "canny/union-find": ("08_union_find.cu", "void merge("),
    "canny/runs": ("09_runs.cu", ") flood("),
    "label/blocks": ("02_blocks.cu", "struct Merge"),
    "label/runs": ("03_runs.cu", "struct Merge"),
    "motion/v1.0": ("global.cuh", "blur_global("),
    "motion/v1.1": ("global.cuh", "morph_global("),
    "motion/v1.2": ("tiled.cuh", "blur_tiled("),
    "motion/v1.3": ("tiled.cuh", "morph_tiled("),
}


def kernel_of(operation, step, path):
    """The kernel that shows a step, by default the first of its file: from its template line to its closing brace."""
    name, mark = SHOWN.get(f"{operation}/{step}", (path.name, "__global__"))
    rows = path.with_name(name).read_text(encoding="utf-8").splitlines()
    at = next((n for n, row in enumerate(rows) if mark in row), None)
    if at is None:
        raise pages.Broken(f"{path.with_name(name)} has no line with '{mark}'")
    begin = at
    while rows[begin - 1].startswith(("template", "static", "__global__")):
        begin -= 1
    end = next(n for n in range(at, len(rows)) if rows[n].startswith("}"))
    return "\n".join(rows[begin : end + 1])


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


DRAWN = (
    "![Loads of one block of {0}: {1}]({0}-{1}.svg)\n\nRecorded on the [emulated device](../../emulation/README.md), "
    "with the smallest block of the step and a small picture."
)

SMALLER = {"motion": " The blur and the element are of 5 × 5 here."}


def step_page(operation, head, before, row, after, facts):
    step = named(row[0])
    path = source_of(operation, step)
    inside = path.relative_to(pages.ROOT).as_posix()
    _, _, idea, paper, parameters = facts[operation, step]
    figures = pages.layout.markdown(
        ["figure", f"`{named(before[0])}`" if before else "before", "here"],
        [
            [name, before[column] if before else "-", row[column]]
            for column, name in enumerate(head)
            if column > 0
        ],
    )
    blocks = [
        f"# {operation}: {step}",
        f"{idea[0].upper()}{idea[1:]}. Paper: {paper}. Source: [{inside}](../../{inside}).",
        head_of(path),
        "## What it costs",
        figures,
    ]
    if f"{operation}-{step}" in drawings.drawings():
        blocks += [
            "## Which thread loads what",
            DRAWN.format(operation, step) + SMALLER.get(operation, ""),
        ]
    kernel = kernel_of(operation, step, path)
    blocks += ["## The kernel", textwrap.indent(kernel, "    ")]
    if after:
        blocks += ["## The next step", next_step(operation, head, row, after, facts)]
    blocks += ["## What to try", tries(operation, step, parameters), "[All steps](README.md)"]
    return pages.wrapped("\n\n".join(blocks))


def tries(operation, step, parameters):
    pinned = f"    cuesta verify {operation} --device cuda --strategy {step}\n    cuesta bench climb --device cuda"
    swept = re.findall(r"`(\w+)=([^`]*)`", parameters)
    if swept:
        pinned += "".join(
            f"\n    cuesta bench climb --sweep {name}={values.replace(' ', '')}"
            for name, values in swept
        )
        return "Its parameters: " + parameters + ".\n\n" + pinned
    return pinned


def more(reduced):
    """The pages of the steps and their drawings, as {path: text}."""
    files = {PAGE.folder / f"{step}.svg": drawing for step, drawing in drawings.drawings().items()}
    facts = {(row[0], row[1]): row for row in reduced["tables"]["steps"]["rows"]}
    for operation in OPERATIONS:
        table = reduced["tables"][f"{operation}_climb"]
        rows = [None, *pages.printed(table), None]
        for before, row, after in zip(rows, rows[1:], rows[2:]):
            step = named(row[0])
            if (operation, step) in facts:
                files[PAGE.folder / f"{operation}-{step}.md"] = step_page(
                    operation, table["head"], before, row, after, facts
                )
    return files


PAGE.more = more

#!/usr/bin/env python3
"""The papers' tables from what `cuesta bench --json` wrote, their figures beside ours. Reads the JSON and nothing else.

    report.py RESULT.json [--only EXPERIMENT]

An experiment of a paper in the paper's own form; any other, and every row behind those forms with --details, as one
table a request. A figure that the paper does not print says so; a row that was not measured is "-".
"""

import argparse
import json
import math
import sys
from pathlib import Path

NONE = "no paper figure"
STAGES = ("gaussian", "gradient", "suppression", "threshold", "hysteresis", "gradient and suppression")


# Tables.


def table(title, head, lines):
    """Lines of cells under a title: the first column stands left, the others right."""
    if not lines:
        return ""
    widths = [max(len(line[i]) for line in [head, *lines] if i < len(line)) for i in range(len(head))]
    text = f"\n{title}\n"
    for line in [head, *lines]:
        cells = [cell.rjust(width) if i else cell.ljust(width) for i, (cell, width) in enumerate(zip(line, widths))]
        text += ("  " + "  ".join(cells)).rstrip() + "\n"
    return text


class Grid:
    """A table that is filled cell by cell; rows and columns come in the order of their first cell."""

    def __init__(self):
        self.columns, self.rows = [], {}

    def set(self, row, column, text):
        if column not in self.columns:
            self.columns.append(column)
        self.rows.setdefault(row, {})[column] = text

    def text(self, title, corner):
        lines = [[name, *(cells.get(column, "") for column in self.columns)] for name, cells in self.rows.items()]
        return table(title, [corner, *self.columns], lines)


def milliseconds(value):
    """Four significant digits."""
    if not value or value <= 0:
        return "-"
    before = math.floor(math.log10(value)) + 1
    return f"{value:.{min(max(4 - before, 0), 6)}f}"


def figure(value, digits=2):
    return f"{value:.{digits}f}" if value else "-"


def printed(value, digits=2):
    return f"{value:.{digits}f}" if value else NONE


def percent(part, whole, digits=1):
    return f"{100 * part / whole:.{digits}f} %" if part and whole else "-"


def change(before, now):
    """"-50 %" is half the time of before."""
    return f"{100 * (now / before - 1):+.0f} %" if before and now else "-"


def rate(ms):
    """Calls a second."""
    return f"{1000 / ms:.{1 if ms > 10 else 0}f}" if ms else "-"


# Rows and figures.


def label(row):
    if row["space"] != "host":
        return " ".join(filter(None, (row["strategy"], row["strategy_parameters"])))
    return f"{row['strategy']}, {row['threads']} thread{'' if row['threads'] == 1 else 's'}"


def parameter(row, name):
    for word in row["strategy_parameters"].split():
        if word.startswith(name + "="):
            return word[len(name) + 1 :]
    return ""


def size(row):
    return f"{row['width']}x{row['height']}"


def groups(rows, *keys):
    """Rows that agree in `keys`, in the order of their first."""
    found = {}
    for row in rows:
        found.setdefault(tuple(row[key] for key in keys), []).append(row)
    return found


def find(rows, strategy, space=None):
    return next((row for row in rows if row["strategy"] == strategy and space in (None, row["space"])), None)


class Result:
    """A run, and the figures of its experiments by what they are of."""

    def __init__(self, whole):
        self.whole = whole
        self.rows = whole["rows"]
        self.gpu = whole["gpu"]
        self.where = self.gpu["name"] if self.gpu else f"{whole['machine']['cpu']}, no GPU"
        self.figures = whole.get("figures", [])  # of earlier versions: none

    def rows_of(self, experiment):
        return [row for row in self.rows if row["experiment"] == experiment]

    def figures_of(self, experiment, **wanted):
        return [f for f in self.figures if f["experiment"] == experiment and all(f[k] == v for k, v in wanted.items())]

    def value(self, experiment, **wanted):
        """The first such figure; 0 where there is none."""
        found = self.figures_of(experiment, **wanted)
        return found[0]["value"] if found else 0


# Paper 000.


def log_ladder(result):
    rows = result.rows_of("log-ladder")
    text = ""
    for (operation, parameters, kind), group in groups(
        [row for row in rows if row["operation"] != "copy"], "operation", "parameters", "type"
    ).items():
        title = f"paper 000: {operation} {parameters}, {kind}, {result.where}"
        copies = [r for r in rows if r["operation"] == "copy" and (r["parameters"], r["type"]) == (parameters, kind)]
        runtime, speedup, flops = Grid(), Grid(), Grid()
        stars = False
        for (width,), at in groups(copies + group, "width").items():
            tiled = [r for r in at if r["strategy"].endswith("tiled") and r["strategy"] != "separable-tiled"]
            best = min(tiled, key=lambda row: row["ms"], default=None)
            stars = stars or best is not None
            for row in at:
                star = " *" if row is best else ""
                runtime.set(label(row), size(row), milliseconds(100 * row["ms"]) + star)
                speedup.set(label(row), size(row), figure(row["speedup"], 1))
                flops.set(label(row), size(row), figure(row["gflops"], 1))
        chart = "(no paper figure: chart only)"
        text += runtime.text(f"{title}: runtime over 100 images, ms {chart}", "strategy")
        text += "  * the fastest T at that size\n" if stars else ""
        text += speedup.text(f"{title}: speed-up over one serial core {chart}", "strategy")
        text += flops.text(f"{title}: GFLOP/s", "strategy")
        if result.gpu:
            text += log_theory(result, title, [row for row in group if row["width"] == group[-1]["width"]])
    return text


def log_theory(result, title, rows):
    ceilings = result.gpu["ceilings"]
    bandwidth = result.value("log-ladder", what="bandwidth")
    peak = result.value("log-ladder", what="peak")
    lines = []
    for row in rows:
        if intensity := row["intensity_paper"]:
            tiles = row["statistics"].get("tiles", 1)
            ours = min(ceilings["fma_gflops"], intensity * ceilings["copy_gbs"])
            lines.append([f"{label(row)} T={tiles:.0f}", figure(intensity, 3), figure(min(peak, intensity * bandwidth), 1),
                          figure(ours, 1), figure(row["gflops"], 1)])
    return table(f"{title}: theory of section 4 (4-byte samples), GFLOP/s = FLOP/byte x bandwidth",
                 ["strategy", "FLOP/byte", "on the paper's GPU", "on this GPU", "attained on this GPU"], lines)


def roofline(result):
    """Figs. 5 to 7."""
    curves = groups(result.whole.get("theory") or [], "strategy", "tiles")
    panels = [("paper_gpu_gflops", True, "paper 000, figs. 5 to 7: GFLOP/s on the paper's GPU, 80 GB/s and 1403 GFLOP/s")]
    if result.gpu:
        ceilings = result.gpu["ceilings"]
        panels.append(("gflops", False, f"the same on {result.gpu['name']}, {ceilings['copy_gbs']:.0f} GB/s and "
                                        f"{ceilings['fma_gflops']:.0f} GFLOP/s as measured then"))
    text = ""
    for field, theirs, title in panels:
        lines = []
        for (strategy, tiles), points in curves.items():
            at = {point["filter"]: point for point in points}
            line = [f"{strategy} T={tiles}" if tiles > 1 else strategy]
            for n in (3, 5, 9, 15):
                line.append(figure(at[n][field], 1) if n in at else "-")
                if n <= 5:
                    line.append(printed(at[n]["printed_gflops"], 1) if theirs and n in at else "-")
            lines.append(line)
        text += table(title, ["FLOP/byte x bandwidth", "3x3", "paper's 3x3", "5x5", "paper's 5x5", "9x9", "15x15"], lines)
        if theirs and lines:
            text += "  456.5 at 5x5 with 21 tiles is printed as 546.52 there: digits swapped\n"
    return text + details(result, "roofline")


# Paper 002.


MEMORY_STEPS = ("serial", "naive", "shared", "constant", "texture", "texture-constant", "two-pass")


def memory_ladder(result):
    """A line a size and filter width, ours over theirs where the paper has that size."""
    rows = result.rows_of("memory-ladder")
    text = ""
    for name in dict.fromkeys(row["parameters"].split()[0] for row in rows):
        grids = {key: Grid() for key in ("time", "speedup", "accesses", "overhead", "rate")}
        for (parameters, width), at in groups(rows, "parameters", "width").items():
            if parameters.split()[0] == name:
                memory_lines(result, grids, at, parameters, width)
        title = f"paper 002: {name} filter f32, {result.where}"
        corner = "image, filter"
        text += grids["time"].text(f"{title}: kernel time, ms", corner)
        text += grids["speedup"].text(f"{title}: speed-up over one serial core", corner)
        text += grids["accesses"].text(f"{title}: global memory accesses (counted: at block 32)", corner)
        text += grids["overhead"].text(f"{title}: overhead, ms (upload, download, enqueueing; set-up: scratch, taps and "
                                        "textures, the first call over the next; theirs also allocates)", corner)
        text += grids["rate"].text(f"{title}: GFLOP/s, 2LP a pixel (theirs is not comparable: it counts index arithmetic)",
                                   corner)
    return text


def memory_lines(result, grids, rows, parameters, width):
    line = f"{width}x{width} {parameters.split()[1]}"
    theirs = {(f["source"], f["subject"], f["what"]): f["value"]
              for f in result.figures_of("memory-ladder", parameters=parameters, width=width)}
    known = ("paper", "serial", "kernel time") in theirs  # a size that the paper has

    def paper(grid, column, what, digits):
        if known:
            grids[grid].set(f"{line} paper", column, printed(theirs.get(("paper", column, what)), digits))

    for column in (*MEMORY_STEPS, "simd", "device copy"):
        row = find(rows, column, "host" if column in ("serial", "simd") else "device")
        step = column in MEMORY_STEPS
        grids["time"].set(line, column, milliseconds(row["ms"]) if row else "-")
        grids["rate"].set(line, column, figure(row["gflops"], 1) if row else "-")
        if step:
            paper("time", column, "kernel time", 3)
            paper("rate", column, "rate", 1)
        if column == "serial":
            continue
        grids["speedup"].set(line, column, figure(row["speedup"], 1) if row else "-")
        if not step:
            continue
        paper("speedup", column, "speed-up", 1)
        for source, words in (("paper", "paper's formula"), ("counted", "counted")):
            grids["accesses"].set(f"{line} {words}", column, figure(theirs.get((source, column, "accesses")), 0))
        for words, field in (("pageable", "pageable_ms"), ("pinned", "pinned_ms")) if result.gpu else ():
            more = row[field] - row["ms"] if row and row[field] else None
            grids["overhead"].set(f"{line} {words}", column, milliseconds(more))
        if result.gpu:
            grids["overhead"].set(f"{line} set-up", column, milliseconds(row.get("set_up_ms") if row else None))
        paper("overhead", column, "overhead", 1)


# Paper 003.


def gain(before, after):
    return f"{100 * (1 - after / before):.0f} %" if before and after else "-"


def sobel_ladder(result):
    text = ""
    rows = result.rows_of("sobel-ladder")
    for (parameters, width), at in groups(rows, "parameters", "width").items():
        steps = result.figures_of("sobel-ladder", parameters=parameters, what="processing time")
        for (block,), printed_steps in groups(steps, "detail").items():
            lines, first, before, their_before = [], 0, 0, 0
            for step in printed_steps:
                row = next((r for r in at if r["space"] == "device" and r["strategy"] == step["subject"]
                            and parameter(r, "block") == block.split("=")[1]), None)
                ms, theirs = row["ms"] if row else 0, step["value"]
                first = first or ms
                lines.append([step["subject"], milliseconds(ms), gain(before, ms), gain(first, ms), f"{theirs:.3f}",
                              gain(their_before, theirs), gain(printed_steps[0]["value"], theirs)])
                before, their_before = ms, theirs
            if copy := find(at, "device copy"):
                lines.append(["a copy of the picture", milliseconds(copy["ms"]), "", "", "", "", ""])
            text += table(f"paper 003: {parameters}, {size(at[0])} {at[0]['type']}, {result.where}, {block} (theirs: 512x512)",
                          ["step", "ms", "over the step before", "over the first", "paper's ms", "over the step before",
                           "over the first"], lines)
    return text + details(result, "sobel-ladder")


# Paper 001.


def stage_column(stage):
    """What our strategies announce apart and the paper counts as gradient."""
    return "gradient" if stage in ("sobel", "magnitude") else stage


def stage_ms(row, column):
    return sum(ms for name, ms in row["stages"].items() if stage_column(name) == column)


def by_size(title, rows, time):
    """Times by size of the rows that have any, and how they grow between the first and the last."""
    grid, ends = Grid(), {}
    for row in rows:
        if (ms := time(row)) > 0:
            grid.set(label(row), size(row), milliseconds(ms))
            ends.setdefault(label(row), []).append((row["width"], ms))
    for name, points in ends.items():
        (small, first), (large, last) = points[0], points[-1]
        grows = f"N^{math.log(last / first) / math.log(large / small):.1f}" if large > small else "-"
        grid.set(name, "grows as", grows)
    return grid.text(title, "strategy")


def searching(rows, strategy):
    return next((r for r in rows if r["strategy"] == strategy and parameter(r, "hysteresis") == "bfs-launch"), None)


def canny_stages(result):
    rows = sorted(result.rows_of("canny-stages"), key=lambda row: row["width"])
    title = f"paper 001: Canny u8, {result.where}"
    text = ""
    for column in STAGES:
        text += by_size(f"{title}: {column}, ms (no paper figure: chart only)", rows, lambda row: stage_ms(row, column))
    runs = groups(rows, "width")
    for at in runs.values():
        text += stage_shares(result, title, at)
    text += stage_operations(result, title, runs) + edge_search(result, title, runs)
    text += time_model(result, title, runs) + cpu_model(result, title, rows)
    return text + rolling_rows(result, title, runs)


def stage_shares(result, title, rows):
    lines = []
    for row in rows:
        if row["stages"]:
            whole = sum(row["stages"].values())
            lines.append([label(row), *(percent(stage_ms(row, column), whole) for column in STAGES), milliseconds(whole),
                          milliseconds(row["ms"])])
    words = {f["detail"]: f["words"] for f in result.figures_of("canny-stages", what="share")}
    lines.append(["paper's GPU, in words", *(words.get(column, NONE) for column in STAGES[:-1])])
    return table(f"{title}, {size(rows[0])}: share of each stage", ["strategy", *STAGES, "stages, ms", "call, ms"],
                 [line + [""] * (3 + len(STAGES) - len(line)) for line in lines])


def stage_operations(result, title, runs):
    lines = []
    for (width,) in runs:
        counts = {f["detail"]: f["value"] for f in result.figures_of("canny-stages", what="operations", width=width)}
        if not counts:
            continue
        content = result.value("canny-stages", what="c", width=width)
        whole = sum(counts.values())
        lines.append([f"{width}x{width}", *(f"{value / 1e6:.3f}" for value in counts.values()), figure(content),
                      f"{whole / 1e6:.3f}"])
        shares = ["  share", *(percent(value, whole) for value in counts.values()), "", ""]
    if lines:
        lines.append(shares)
    return table(f"{title}: the paper's operations by stage, millions (2n²k², 4n²k² + 4n², 4n², n², cn²; c: 8 neighbours of "
                 "every edge)", ["image", *STAGES[:-1], "c", "all"], lines)


def edge_search(result, title, runs):
    lines = []
    for (width,), rows in runs.items():
        found = {f["what"]: f["value"] for f in result.figures_of("canny-stages", source="found", width=width)}
        if found:
            lines.append([f"{width}x{width}", rows[0]["parameters"].split("L1, ")[-1],
                          *(f"{found[what]:.0f}" for what in ("initial trees", "final trees", "depth")), NONE])
    text = table(f"{title}: breadth-first search of hysteresis, window 3x3",
                 ["image", "thresholds", "initial trees", "final trees", "depth", "paper's depth"], lines)
    return text + ("  theirs are means over 100 to 200 pictures, in charts\n" if lines else "")


def time_model(result, title, runs):
    head = ["image", "depth", "memory", "computation", "transfer", "predicted", "paper's ms", "paper's/predicted"]
    if result.gpu:
        head += ["this GPU: predicted", "global", "row-cyclic", "measured/predicted"]
    lines = []
    for (width,), rows in runs.items():
        def model(subject):
            return {f["detail"]: f["value"] for f in
                    result.figures_of("canny-stages", source="model", what="time", subject=subject, width=width)}

        if not (theirs := model("the paper's GPU")):
            continue
        ms = result.value("canny-stages", source="paper", what="time", subject="the paper's GPU", width=width)
        line = [f"{width}x{width}", f"{result.value('canny-stages', what='depth', width=width):.0f}",
                *(milliseconds(theirs[part]) for part in ("memory", "computation", "transfer", "all")), printed(ms, 4),
                figure(ms / theirs["all"])]
        if result.gpu:
            ours = model("this GPU")["all"]
            both = [searching(rows, "global"), searching(rows, "row-cyclic")]
            line += [milliseconds(ours), *(milliseconds(row["ms"]) if row else "-" for row in both),
                     figure(both[0]["ms"] / ours) if both[0] else "-"]
        lines.append(line)
    return table(f"{title}: the paper's time model, ms (its GPU by its own data)", head, lines)


def cpu_model(result, title, rows):
    grid = Grid()
    theirs = "the paper's CPU, 16 threads"
    for row in rows:
        if row["space"] != "host" or row["operation"] != "canny":
            continue
        for name, source, show in (("model N²/40960 (the paper's 16 threads)", "model", milliseconds),
                                   ("paper, 16 cores (1 / its FPS)", "paper", lambda ms: printed(ms, 3))):
            ms = result.value("canny-stages", source=source, subject=theirs, width=row["width"])
            grid.set(name, size(row), show(ms))
        grid.set(label(row), size(row), milliseconds(row["ms"]))
    return grid.text(f"{title}: the paper's model of the CPU beside measured times, ms", "")


def rolling_rows(result, title, runs):
    lines = []
    for at in runs.values():
        rows = [searching(at, name) for name in ("global", "row-cyclic")]
        if None in rows:
            continue
        (g1, g2), (c1, c2) = ([row["stages"].get(stage, 0) for stage in ("gaussian", "sobel")] for row in rows)
        gains = [figure(a / b) if b else "-" for a, b in ((g1 + g2, c1 + c2), (g1, c1), (g2, c2))]
        lines.append([size(rows[0]), milliseconds(g1 + g2), milliseconds(c1 + c2), *gains, NONE])
    words = ", ".join(f"{f['value']:.2f} at {f['detail']}" for f in result.figures_of("canny-stages", what="gain"))
    return table(f"{title}: gaussian and sobel from global memory and from rolling rows in shared memory, ms "
                 f"(the paper: 30K²/(3K²+20) = {words})",
                 ["image", "global", "row-cyclic", "gain", "gaussian alone", "sobel alone", "paper's gain"], lines)


def canny_fps(result):
    rows = result.rows_of("canny-fps")
    title = f"paper 001: Canny u8, {result.where}"
    resident = ", pictures resident on the GPU" if result.gpu else ""
    forms = [("ms", milliseconds, f"{title}: a picture, ms"), ("ms", rate, f"{title}: frames a second{resident}")]
    if result.gpu:
        forms += [(f"{kind}_ms", rate, f"{title}: frames a second with upload and download, {kind} memory")
                  for kind in ("pageable", "pinned")]
    text = ""
    for field, show, heading in forms:
        grid = Grid()
        for row in rows:
            if row[field] and (show is milliseconds or row["operation"] != "copy"):
                grid.set(label(row), size(row), show(row[field]))
        subjects = ["paper, Quadro P5000"] + (["paper, 16 cores"] if (field, show) == ("ms", rate) else [])
        for subject in subjects:
            for row in rows:
                theirs = result.value("canny-fps", subject=subject, width=row["width"],
                                      unit="ms" if show is milliseconds else "frames/s")
                grid.set(subject, size(row), printed(theirs, 4 if show is milliseconds else 0))
        text += grid.text(heading, "strategy")
    # The paper's hypothesis, at its largest size.
    for goal in result.figures_of("canny-fps", subject="the paper's goal"):
        missed = [label(row) for row in rows if row["width"] == goal["width"] and row["operation"] != "copy"
                  and max(row["ms"], row["pageable_ms"] or 0) > 1000 / goal["value"]]
        text += (f"  the paper's goal, {goal['value']:.0f} frames a second at {goal['width']}x{goal['height']}, transfers "
                 f"included: {'missed by ' + '; '.join(missed) if missed else 'every row reaches it'}\n")
    return text


# Paper 004.


def motion_ladder(result):
    rows = [row for row in result.rows_of("motion-ladder") if row["operation"] != "copy"]
    text = ""
    for at in groups(rows, "width", "height").values():
        fastest = {}
        for row in at:
            if row["strategy"] not in fastest or row["ms"] < fastest[row["strategy"]]["ms"]:
                fastest[row["strategy"]] = row
        few = list(fastest.values())
        title = f"paper 004: {size(at[0])} RGB, one object, {result.where}"
        text += motion_rates(result, title, few)
        before = None
        for row in few:
            if row["stages"]:
                text += motion_steps(result, title, row, before)
            before = row if row["space"] == "device" else before
        text += motion_memory(result, title, at[0])
        for row in few:
            text += motion_kernels(result, title, row)
        if best := fastest.get("v1.3"):
            grid = Grid()
            for row in at:
                if row["strategy"] == "v1.3":
                    grid.set(f"block_y={parameter(row, 'block_y')}", f"block_x={parameter(row, 'block_x')}",
                             milliseconds(row["ms"]) + (" *" if row is best else ""))
            text += grid.text(f"{title}: launch shape of v1.3, ms a frame (* best; the paper's is 16 x 16)", "")
    return text


def paper_of(result, row, **wanted):
    """What the paper prints of the row's strategy, at the paper's size."""
    return {(f["detail"], f["what"]): f["value"] for f in
            result.figures_of("motion-ladder", source="paper", subject=row["strategy"], width=row["width"],
                              height=row["height"], **wanted)}


def motion_rates(result, title, rows):
    head = ["strategy", "frame, ms", "spread", "frames/s", "times opencv"]
    copies = [("pageable_ms", "with copies, pageable"), ("pinned_ms", "with copies, pinned")] if result.gpu else []
    opencv = find(rows, "opencv")
    lines = []
    for row in rows:
        theirs = paper_of(result, row).get(("", "rate"))
        lines.append([label(row), milliseconds(row["ms"]), milliseconds(row["ms_spread"]), figure(1000 / row["ms"], 1),
                      milliseconds(opencv["ms"] / row["ms"]) if opencv else "-",
                      *(figure(1000 / row[field], 1) if row[field] else "-" for field, _ in copies), printed(theirs, 1)])
    return table(f"{title}: frames a second", [*head, *(name for _, name in copies), "paper's frames/s"], lines)


def motion_steps(result, title, row, before):
    """One version as the paper's table of it, whose figures stand on the right."""
    before = before if row["space"] == "device" else None
    theirs = paper_of(result, row)
    frames = int(result.value("motion-ladder", what="frames"))
    steps = {f["subject"]: f["detail"] for f in result.figures_of("motion-ladder", what="step")}

    def step_ms(of, step):
        return sum(ms for name, ms in of["stages"].items() if name == step or steps.get(name) == step)

    whole = sum(row["stages"].values())
    head = ["step", "frame, ms", f"{frames} frames, ms", "share"]
    head += [f"over {before['strategy']}"] if before else []
    head += ["paper: frame, ms", f"{frames} frames, ms", "share", "over the last"] if theirs else []
    lines = []

    def add(name, ms, ms_before, paper):
        line = [name, milliseconds(ms), milliseconds(frames * ms), percent(ms, whole, 2)]
        lines.append(line + ([change(ms_before, ms)] if before else []) + (paper if theirs else []))

    for step, part_of in (steps or {name: "" for name in row["stages"]}).items():
        ms, their_ms = step_ms(row, step), theirs.get((step, "time of a frame"))
        if not ms and not their_ms:
            continue
        paper = [NONE, "-", "-", "-"]
        if their_ms:
            less = theirs.get((step, "less than the version before"))
            paper = [milliseconds(their_ms), milliseconds(theirs[step, "time of the video"]), f"{theirs[step, 'share']:g} %",
                     f"-{less:.0f} %" if less else "-"]
        add(("  " if part_of else "") + step, ms, step_ms(before, step) if before else 0, paper)
    video = theirs.get(("", "time of the video"), 0)
    add("all steps", whole, sum(before["stages"].values()) if before else 0,
        [milliseconds(video / frames if frames else 0), milliseconds(video), "100 %", "-"])
    return (table(f"{title}: {label(row)}, by step", head, lines)
            + f"  a call that nobody observes: {milliseconds(row['ms'])} ms\n")


def motion_memory(result, title, row):
    found = result.figures_of("motion-ladder", detail="memory", width=row["width"], height=row["height"])
    pixels = row["width"] * row["height"]
    lines = []
    for (subject,), values in groups(found, "subject").items():
        by_name = {f["what"]: f["value"] for f in values if f["unit"] == "bytes"}
        held, launch, frame = (by_name[name] for name in ("held", "moved at launch", "moved a frame"))
        lines.append([subject, f"{held:.0f}", figure(held / pixels), f"{launch:.0f}", f"{frame:.0f}", figure(frame / pixels)])
    return table(f"{title}: memory on the GPU and over the bus, by formula, bytes",
                 ["version", "held", "a pixel", "moved at launch", "moved a frame", "a pixel"], lines)


def motion_kernels(result, title, row):
    theirs = {f["detail"]: f["value"] for f in result.figures_of("motion-ladder", source="paper", what="registers")}
    occupancy = {f["detail"]: f["value"] for f in result.figures_of("motion-ladder", source="paper", what="occupancy")}
    # Ours of difference is the background model's; dilation and erosion are one template.
    ours = {"difference": "background", "dilate": "morph"}
    lines = []
    for use in row["kernels"]:
        name = next((n for n in theirs if n in use["name"] or ours.get(n, n) in use["name"]), None)
        lines.append([use["name"], *(str(use[field]) for field in ("launches", "blocks", "threads", "registers")),
                      f"{theirs[name]:.0f}" if name else NONE,
                      str(use["static_shared_bytes"] + use["dynamic_shared_bytes"]), f"{100 * use['occupancy']:.0f} %",
                      f"{100 * occupancy[name]:.0f} %" if name else NONE])
    return table(f"{title}: kernels of {label(row)} (the paper's: v1.3, its occupancy as its profiler saw it)",
                 ["kernel", "launches", "blocks", "threads", "registers", "paper's", "shared B", "occupancy", "paper's"], lines)


def label_density(result):
    text = ""
    for (width,), rows in groups(result.rows_of("label-density"), "width").items():
        time, stages, ends = Grid(), Grid(), {}
        for row in rows:
            column = f"{row['statistics']['components']:.0f}"
            time.set(label(row), column, milliseconds(row["ms"]))
            ends.setdefault(label(row), []).append(row["ms"])
            if row["space"] != "host":
                for stage, ms in row["stages"].items():
                    stages.set(f"{label(row)}: {stage}", column, milliseconds(ms))
        for name, times in ends.items():  # how much the fullest mask costs over the empty one
            time.set(name, "full/empty", figure(times[-1] / times[0]))
        title = f"paper 004: labelling, squares of 20x20 in {width}x{width} u8, {result.where}"
        text += time.text(f"{title}: ms by number of components (no paper figure: chart only)", "strategy")
        text += stages.text(f"{title}: ms by stage and number of components", "stage")
    return text


# Any experiment.


def details(result, experiment):
    """A table a request, everything that is known of a row."""
    text = ""
    rows = result.rows_of(experiment)
    for (parameters, kind, width, height), at in groups(rows, "parameters", "type", "width", "height").items():
        opencv = find(at, "opencv")
        lines = []
        for row in at:
            uses = row["kernels"]
            ours = opencv and row["operation"] != "copy" and row is not opencv
            paper = row.get("paper_figure")
            lines.append([
                label(row), milliseconds(row["ms"]), milliseconds(row["ms_spread"]), figure(row["times_copy"]),
                figure(row["speedup"], 1), figure(opencv["ms"] / row["ms"]) if ours else "-", figure(row["gflops"], 1),
                figure(row["intensity"]), figure(row["intensity_paper"]), figure(row["roofline_percent"], 1),
                str(max(use["registers"] for use in uses)) if uses else "-",
                str(max(use["static_shared_bytes"] + use["dynamic_shared_bytes"] for use in uses)) if uses else "-",
                f"{100 * min(use['occupancy'] for use in uses):.0f} %" if uses else "-",
                f"{paper['value']:.4g} {paper['unit']}" if paper else "-",
            ])  # fmt: skip
        text += table(f"{experiment}: {at[-1]['operation']} {parameters}, {kind}, {width}x{height}, {result.where}",
                      ["strategy", "ms", "spread", "x copy", "speed-up", "x opencv", "GFLOP/s", "FLOP/byte", "by paper",
                       "% roofline", "registers", "shared B", "occupancy", "paper's"], lines)
    return text


def model(result):
    """Predicted, measured, bound by: a table a request."""
    text = ""
    for (operation, parameters, kind, width), rows in groups(
        [row for row in result.rows_of("model") if row.get("predicted_ms")], "operation", "parameters", "type", "width"
    ).items():
        lines = [[label(row), milliseconds(row["predicted_ms"]), milliseconds(row["ms"]),
                  change(row["ms"], row["predicted_ms"]), row["bound_by"]] for row in rows]
        text += table(f"model: {operation} {parameters}, {kind}, {width}x{width}, {result.where}",
                      ["strategy", "predicted, ms", "measured, ms", "error", "bound by"], lines)
    return text


def predictions(result, experiment):
    """For a GPU that was not there, where the run had none."""
    text = ""
    for (what, parameters, width, height), found in groups(
        result.figures_of(experiment, source="predicted"), "what", "parameters", "width", "height"
    ).items():
        lines = [[f"{f['subject']} {f['detail']}".strip(), milliseconds(f["value"]), f["words"]] for f in found]
        text += table(f"{experiment}: {parameters}, {width}x{height}, predicted {what}", ["strategy", "ms", "bound by"], lines)
    return text


FORMS = {
    "log-ladder": log_ladder,
    "memory-ladder": memory_ladder,
    "sobel-ladder": sobel_ladder,
    "canny-stages": canny_stages,
    "canny-fps": canny_fps,
    "motion-ladder": motion_ladder,
    "label-density": label_density,
    "roofline": roofline,
    "model": model,
}


def report(result, only=None, all_details=False):
    machine = result.whole["machine"]
    text = f"{machine['cpu']}, {machine['threads']} threads, {machine['simd']}; {', '.join(machine['peers']) or 'no peers'}\n"
    if gpu := result.gpu:
        ceilings = gpu["ceilings"]
        text += (f"{gpu['name']}, driver {gpu['driver']}, CUDA {gpu['runtime']}; copy {ceilings['copy_gbs']:.0f} GB/s, "
                 f"FMA {ceilings['fma_gflops']:.0f} GFLOP/s\n")
    text += f"commit {result.whole['commit']}, {result.whole['date']}\n"
    experiments = list(dict.fromkeys(row["experiment"] for row in result.rows))
    for experiment in experiments:
        if only and experiment != only:
            continue
        form = FORMS.get(experiment)
        text += form(result) if form else details(result, experiment)
        text += predictions(result, experiment)
        if form and all_details and form not in (roofline, sobel_ladder):
            text += details(result, experiment)
    notes = [note for note in result.whole.get("notes", []) if not only or note.startswith(only + ":")]
    if notes:
        text += "\nnotes\n" + "".join(f"  {note}\n" for note in notes)
    for difference in result.whole["differences"]:
        text += f"not equal, so not timed: {difference}\n"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", metavar="RESULT.json")
    parser.add_argument("--only", metavar="EXPERIMENT", help="one of those in the file")
    parser.add_argument("--details", action="store_true", help="every row behind the papers' forms too")
    arguments = parser.parse_args()
    try:
        result = Result(json.loads(Path(arguments.result).read_text(encoding="utf-8")))
        known = sorted({row["experiment"] for row in result.rows})
        if arguments.only and arguments.only not in known:
            print(f"error: no rows of '{arguments.only}'; there are {', '.join(known)}", file=sys.stderr)
            return 2
        text = report(result, arguments.only, arguments.details)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        print(f"error: no result of cuesta bench --json: {error!r}", file=sys.stderr)
        return 3
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())

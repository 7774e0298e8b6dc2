#!/usr/bin/env python3
"""The papers' tables from what `cuesta bench --json` wrote, their figures beside ours. Reads the JSON and nothing else.

    report.py RESULT.json [RESULT.json ...] [--only EXPERIMENT] [--html FILE] [--pictures FOLDER]

Results of several files are put together, as of `cuesta bench` and of bench/peers/python; the machine is the first file's.
An experiment of a paper in the paper's own form; any other, and every row behind those forms with --details, as one
table a request. A figure that the paper does not print says so; a row that was not measured is "-".
--html writes the same tables, and pictures of the result, as one page; --pictures writes the pictures as SVG.
"""

import argparse
import json
import math
import re
import sys
from pathlib import Path

import analysis
import charts
import claims
import layout
import pictures
from layout import Note, Table

NONE = "no paper figure"
# What is timed beside us and is no strategy of ours: bench/peers.
PEERS = (
    "opencv",
    "npp",
    "cuesta",
    "triton",
    "triton-two-pass",
    "torch.compile",
    "torch-conv2d",
    "numba",
    "cupy",
)
STAGES = (
    "gaussian",
    "gradient",
    "suppression",
    "threshold",
    "hysteresis",
    "gradient and suppression",
)


# Tables.


def table(title, head, lines):
    """A table as a list of one, which has none without lines: forms join their lists."""
    return [Table(title, head, lines)] if lines else []


class Grid:
    """A table that is filled cell by cell; rows and columns come in the order of their first cell."""

    def __init__(self):
        self.columns, self.rows = [], {}

    def set(self, row, column, text):
        if column not in self.columns:
            self.columns.append(column)
        self.rows.setdefault(row, {})[column] = text

    def table(self, title, corner):
        lines = [
            [name, *(cells.get(column, "") for column in self.columns)]
            for name, cells in self.rows.items()
        ]
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
    """ "-50 %" is half the time of before."""
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
    return next(
        (row for row in rows if row["strategy"] == strategy and space in (None, row["space"])), None
    )


REQUEST = ("experiment", "parameters", "type", "width", "height")
IDENTITY = (*REQUEST, "operation", "strategy", "space", "strategy_parameters", "threads")


def merged(paths):
    """The first file with the rows, figures, notes and peers of the others. Of rows that several files have, copies too, the
    first file's stay; a request's serial time is everyone's."""
    whole = None
    for path in paths:
        result = json.loads(Path(path).read_text(encoding="utf-8"))
        if whole is None:
            whole = result
            continue
        if whole["gpu"] and result["gpu"] and whole["gpu"]["name"] != result["gpu"]["name"]:
            raise ValueError(f"{path} is of another GPU, {result['gpu']['name']}")
        known = {tuple(row[key] for key in IDENTITY) for row in whole["rows"]}
        whole["rows"] += [
            row for row in result["rows"] if tuple(row[key] for key in IDENTITY) not in known
        ]
        for name in ("figures", "notes", "differences"):
            whole[name] = whole.get(name, []) + result.get(name, [])
        whole["theory"] = whole.get("theory") or result.get("theory", [])
        peers = whole["machine"]["peers"]
        peers += [peer for peer in result["machine"]["peers"] if peer not in peers]
    if len(paths) > 1:
        share_serial_times(whole["rows"])
    return whole


def share_serial_times(rows):
    """Speed-ups of rows whose file did not time the reference."""

    def request(row):
        return tuple(row[key] for key in (*REQUEST, "operation"))

    times = {request(row): row["serial_ms"] for row in rows if row.get("serial_ms")}
    for row in rows:
        if not row.get("serial_ms") and (serial := times.get(request(row))):
            row |= {"serial_ms": serial, "speedup": serial / row["ms"]}


# Tables that several papers have.


def bordered(grid, row, name=None):
    """The first column says what a row does at the picture's edge, where that is known."""
    if row.get("border"):
        if "border" not in grid.columns:
            grid.columns.insert(0, "border")
        grid.set(name or label(row), "border", row["border"])


def spreads(title, rows, column=size):
    """The distance between quartiles, in percent of the median."""
    grid = Grid()
    for row in rows:
        if row["ms"] and row["ms_spread"]:
            grid.set(label(row), column(row), percent(row["ms_spread"], row["ms"]))
    return grid.table(f"{title}: spread, the distance between quartiles, of the time", "strategy")


def copies(title, rows, column=size):
    """Device rows with their pictures on the GPU already, and with upload and download."""
    grid = Grid()
    for row in rows:
        for where, field in analysis.COPIES:
            if row.get("pageable_ms") and row.get(field):
                grid.set(f"{label(row)}, {where}", column(row), milliseconds(row[field]))
    return grid.table(
        f"{title}: ms with pictures resident, and with upload and download from pinned and pageable memory",
        "strategy",
    )


def crossovers(title, cells):
    """Where the GPU wins over the CPU; cells are (place, rows)."""
    if not any(row["space"] == "device" for _, rows in cells for row in rows):
        return []
    return table(
        f"{title}: where the GPU's fastest row is faster than the CPU's",
        ["than", *(f"pictures {where}" for where, _ in analysis.COPIES)],
        analysis.crossovers(cells),
    )


def by_width(rows):
    """Cells by size, the smallest first."""
    return [(size(at[0]), at) for _, at in sorted(groups(rows, "width", "height").items())]


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
        return [
            f
            for f in self.figures
            if f["experiment"] == experiment and all(f[k] == v for k, v in wanted.items())
        ]

    def value(self, experiment, **wanted):
        """The first such figure; 0 where there is none."""
        found = self.figures_of(experiment, **wanted)
        return found[0]["value"] if found else 0


# Paper 000.


def log_ladder(result):
    rows = result.rows_of("log-ladder")
    tables = []
    for (operation, parameters, kind), group in groups(
        [row for row in rows if row["operation"] != "copy"], "operation", "parameters", "type"
    ).items():
        title = f"paper 000: {operation} {parameters}, {kind}, {result.where}"
        moves = [
            r
            for r in rows
            if r["operation"] == "copy" and (r["parameters"], r["type"]) == (parameters, kind)
        ]
        runtime, speedup, flops = Grid(), Grid(), Grid()
        stars = False
        for (width,), at in groups(moves + group, "width").items():
            tiled = [
                r
                for r in at
                if r["strategy"].endswith("tiled") and r["strategy"] != "separable-tiled"
            ]
            best = min(tiled, key=lambda row: row["ms"], default=None)
            stars = stars or best is not None
            for row in at:
                star = " *" if row is best else ""
                for grid in (runtime, speedup, flops):
                    bordered(grid, row)
                runtime.set(label(row), size(row), milliseconds(100 * row["ms"]) + star)
                speedup.set(label(row), size(row), figure(row["speedup"], 1))
                flops.set(label(row), size(row), figure(row["gflops"], 1))
        chart = "(no paper figure: chart only)"
        tables += runtime.table(f"{title}: runtime over 100 images, ms {chart}", "strategy")
        tables += [Note("  * the fastest T at that size")] if stars else []
        tables += speedup.table(f"{title}: speed-up over one serial core {chart}", "strategy")
        tables += flops.table(f"{title}: GFLOP/s", "strategy")
        tables += spreads(title, group) + copies(title, group)
        tables += crossovers(title, by_width(group)) + idle_threads(title, group)
        if result.gpu:
            tables += log_theory(
                result, title, [row for row in group if row["width"] == group[-1]["width"]]
            )
    return tables


def idle_threads(title, rows):
    """Of each rung's blocks, by their launch, at the largest picture."""
    lines = []
    for row in rows:
        found = row["statistics"]
        if "threads of a block" in found and row["width"] == rows[-1]["width"]:
            threads, loads, sums = (
                found[name] for name in ("threads of a block", "load nothing", "compute nothing")
            )
            lines.append(
                [
                    label(row),
                    f"{threads:.0f}",
                    f"{loads:.0f}",
                    f"{sums:.0f}",
                    f"{100 * sums / threads:.1f} %",
                ]
            )
    return table(
        f"{title}: threads of a block that idle, away from the picture's edge (the paper: of (B + 2K)² threads that load "
        "one sample each, 2K(2B + 2K) compute nothing)",
        ["strategy", "threads", "load nothing", "compute nothing", "share"],
        lines,
    )


def log_theory(result, title, rows):
    ceilings = result.gpu["ceilings"]
    bandwidth = result.value("log-ladder", what="bandwidth")
    peak = result.value("log-ladder", what="peak")
    lines = []
    for row in rows:
        if intensity := row["intensity_paper"]:
            tiles = row["statistics"].get("tiles", 1)
            ours = min(ceilings["fma_gflops"], intensity * ceilings["copy_gbs"])
            lines.append(
                [
                    f"{label(row)} T={tiles:.0f}",
                    figure(intensity, 3),
                    figure(min(peak, intensity * bandwidth), 1),
                    figure(ours, 1),
                    figure(row["gflops"], 1),
                ]
            )
    return table(
        f"{title}: theory of section 4 (4-byte samples), GFLOP/s = FLOP/byte x bandwidth; of separable "
        "rungs it counts the operations of two passes, attained those of the definition",
        ["strategy", "FLOP/byte", "on the paper's GPU", "on this GPU", "attained on this GPU"],
        lines,
    )


def filter_sizes(result):
    """Figs. 5 to 7 measured: GFLOP/s by the filter's side, and the paper's theory for the same GPU."""
    tables = []
    rows = [row for row in result.rows_of("filter-sizes") if row["operation"] != "copy"]
    for (kind, width), at in groups(rows, "type", "width").items():
        title = f"paper 000, figs. 5 to 7: {at[0]['parameters'].split()[0]}, {size(at[0])} {kind}, {result.where}"
        attained, theory, share = Grid(), Grid(), Grid()
        for row in at:
            side = row["parameters"].split()[-1]
            bordered(attained, row)
            attained.set(label(row), side, figure(row["gflops"], 1))
            if result.gpu and row["intensity_paper"]:
                ceilings = result.gpu["ceilings"]
                most = min(ceilings["fma_gflops"], row["intensity_paper"] * ceilings["copy_gbs"])
                theory.set(label(row), side, figure(most, 1))
                share.set(label(row), side, percent(row["gflops"], most, 0))
        tables += attained.table(f"{title}: GFLOP/s attained, two operations a tap", "strategy")
        tables += theory.table(
            f"{title}: GFLOP/s by the paper's formula, FLOP/byte x bandwidth under the peak (4-byte samples; separable "
            "rungs by the operations of two passes)",
            "strategy",
        )
        tables += share.table(f"{title}: attained of that", "strategy")
    return tables


def roofline(result):
    """Figs. 5 to 7."""
    curves = groups(result.whole.get("theory") or [], "strategy", "tiles")
    panels = [
        (
            "paper_gpu_gflops",
            True,
            "paper 000, figs. 5 to 7: GFLOP/s on the paper's GPU, 80 GB/s and 1403 GFLOP/s",
        )
    ]
    if result.gpu:
        ceilings = result.gpu["ceilings"]
        panels.append(
            (
                "gflops",
                False,
                f"the same on {result.gpu['name']}, {ceilings['copy_gbs']:.0f} GB/s and "
                f"{ceilings['fma_gflops']:.0f} GFLOP/s as measured then",
            )
        )
    tables = []
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
        tables += table(
            title,
            ["FLOP/byte x bandwidth", "3x3", "paper's 3x3", "5x5", "paper's 5x5", "9x9", "15x15"],
            lines,
        )
        if theirs and lines:
            tables.append(
                Note("  456.5 at 5x5 with 21 tiles is printed as 546.52 there: digits swapped")
            )
    return tables + details(result, "roofline")


# Paper 002.


MEMORY_STEPS = ("serial", "naive", "shared", "constant", "texture", "texture-constant", "two-pass")
BESIDE = ("rows", "simd", "simd, 1 thread", "opencv", "opencv, 1 thread", "device copy")


def memory_ladder(result):
    """A line a size, filter width and block, ours over theirs where the paper has that size."""
    rows = result.rows_of("memory-ladder")
    tables = []
    for name in dict.fromkeys(row["parameters"].split()[0] for row in rows):
        grids = {
            key: Grid() for key in ("time", "speedup", "accesses", "overhead", "costs", "rate")
        }
        mine = [row for row in rows if row["parameters"].split()[0] == name]
        for (parameters, width), at in groups(mine, "parameters", "width").items():
            memory_lines(result, grids, at, parameters, width)
        title = f"paper 002: {name} filter f32, {result.where}"
        corner = "image, filter"
        tables += grids["time"].table(f"{title}: kernel time, ms (theirs: block 16)", corner)
        tables += grids["speedup"].table(f"{title}: speed-up over one serial core", corner)
        tables += grids["accesses"].table(f"{title}: global memory accesses", corner)
        tables += grids["overhead"].table(
            f"{title}: overhead, ms (upload, download, enqueueing over the kernel time; run: a call by the "
            "wall clock, waited for; set-up: scratch, taps and textures, the first call over the next; "
            "theirs also allocates)",
            corner,
        )
        tables += grids["costs"].table(
            f"{title}: what the pictures cost beside the kernels, ms (once: with memory that is made for the "
            "call; theirs: once, the means of its four strategies)",
            corner,
        )
        tables += grids["rate"].table(
            f"{title}: GFLOP/s, 2LP a pixel (theirs is not comparable: it counts index arithmetic)",
            corner,
        )
        for (parameters,), at in groups(mine, "parameters").items():
            about = f"{title}, {parameters.split()[1]}"
            tables += spreads(about, at) + copies(about, at) + crossovers(about, by_width(at))
    return tables


def blocks_of(rows):
    """The sides of blocks that rungs were timed with; "" where they have one alone."""
    found = list(dict.fromkeys(parameter(row, "block") for row in rows if parameter(row, "block")))
    return found if len(found) > 1 else [""]


def memory_lines(result, grids, rows, parameters, width):
    line = f"{width}x{width} {parameters.split()[1]}"
    theirs = {
        (f["source"], f["subject"], f["what"], f["detail"]): f["value"]
        for f in result.figures_of("memory-ladder", parameters=parameters, width=width)
    }
    known = ("paper", "serial", "kernel time", "") in theirs  # a size that the paper has
    counted = list(dict.fromkeys(detail for source, _, _, detail in theirs if source == "counted"))
    blocks = blocks_of(rows)
    others = list(
        dict.fromkeys(
            row["strategy"] for row in rows if row["space"] == "device" and "answer" in row
        )
    )
    found = {}
    for row in rows:
        alone = row["threads"] == 1 and row["strategy"] != "serial"
        found.setdefault(
            (
                row["strategy"] + ", 1 thread" * alone,
                parameter(row, "block") if len(blocks) > 1 else "",
            ),
            row,
        )

    def paper(grid, column, what, digits):
        if known:
            grids[grid].set(
                f"{line} paper", column, printed(theirs.get(("paper", column, what, "")), digits)
            )

    for block in blocks:
        name = f"{line}, block {block}" if block else line
        if ours := next(
            (row for row in rows if row.get("border") and row["strategy"] not in PEERS), None
        ):
            for grid in ("time", "rate", "speedup"):
                bordered(grids[grid], ours, name)
        for column in (*MEMORY_STEPS, *BESIDE, *others):
            row = found.get((column, block)) or found.get((column, ""))
            grids["time"].set(name, column, milliseconds(row["ms"]) if row else "-")
            grids["rate"].set(name, column, figure(row["gflops"], 1) if row else "-")
            if column != "serial":
                grids["speedup"].set(name, column, figure(row["speedup"], 1) if row else "-")
    for column in MEMORY_STEPS:
        paper("time", column, "kernel time", 3)
        paper("rate", column, "rate", 1)
        if column == "serial":
            continue
        paper("speedup", column, "speed-up", 1)
        grids["accesses"].set(
            f"{line} paper's formula",
            column,
            figure(theirs.get(("paper", column, "accesses", "")), 0),
        )
        for detail in counted:
            grids["accesses"].set(
                f"{line} counted" + f", {detail}" * bool(detail),
                column,
                figure(theirs.get(("counted", column, "accesses", detail)), 0),
            )
        for words, field in (
            (("pageable", "pageable_ms"), ("pinned", "pinned_ms")) if result.gpu else ()
        ):
            timed = next((row for row in rows if row["strategy"] == column and row[field]), None)
            grids["overhead"].set(
                f"{line} {words}",
                column,
                milliseconds(timed[field] - timed["ms"] if timed else None),
            )
        for words, field in (("run", "run_ms"), ("set-up", "set_up_ms")) if result.gpu else ():
            timed = analysis.fastest([row for row in rows if row["strategy"] == column], field)
            grids["overhead"].set(
                f"{line} {words}", column, milliseconds(timed[field] if timed else None)
            )
        paper("overhead", column, "overhead", 1)
    picture_costs(
        grids["costs"],
        line,
        rows,
        [
            value
            for (source, _, what, _), value in theirs.items()
            if (source, what) == ("paper", "overhead")
        ],
    )


COSTS = (
    ("host_allocate", "host memory"),
    ("device_allocate", "device memory"),
    ("first_upload", "first upload"),
    ("upload", "upload again"),
    ("first_download", "first download"),
    ("download", "download again"),
    ("release", "release"),
)
ONCE = ("host_allocate", "device_allocate", "first_upload", "first_download", "release")


def picture_costs(grid, line, rows, theirs):
    """The same for every strategy of the request."""
    for memory in ("pageable", "pinned"):
        costs = next((row[f"{memory}_costs"] for row in rows if row.get(f"{memory}_costs")), None)
        if not costs:
            continue
        for field, words in COSTS:
            grid.set(f"{line} {memory}", words, milliseconds(costs[field]))
        grid.set(f"{line} {memory}", "once", milliseconds(sum(costs[field] for field in ONCE)))
        grid.set(
            f"{line} {memory}", "paper's", printed(sum(theirs) / len(theirs) if theirs else 0, 1)
        )


# Paper 003.


def gain(before, after):
    return f"{100 * (1 - after / before):.0f} %" if before and after else "-"


def sobel_ladder(result):
    tables = []
    rows = result.rows_of("sobel-ladder")
    for (parameters, _, width), at in groups(rows, "parameters", "type", "width").items():
        steps = result.figures_of("sobel-ladder", parameters=parameters, what="processing time")
        for (block,), printed_steps in groups(steps, "detail").items():
            lines, first, before, their_before = [], 0, 0, 0
            for step in printed_steps:
                row = next(
                    (
                        r
                        for r in at
                        if r["space"] == "device"
                        and r["strategy"] == step["subject"]
                        and parameter(r, "block") == block.split("=")[1]
                    ),
                    None,
                )
                ms, theirs = row["ms"] if row else 0, step["value"]
                first = first or ms
                lines.append(
                    [
                        step["subject"],
                        milliseconds(ms),
                        gain(before, ms),
                        gain(first, ms),
                        f"{theirs:.3f}",
                        gain(their_before, theirs),
                        gain(printed_steps[0]["value"], theirs),
                    ]
                )
                before, their_before = ms, theirs
            if result.gpu and not first:  # a size of the peers' alone
                continue
            if copy := find(at, "device copy"):
                lines.append(
                    ["a copy of the picture", milliseconds(copy["ms"]), "", "", "", "", ""]
                )
            tables += table(
                f"paper 003: {parameters}, {size(at[0])} {at[0]['type']}, {result.where}, {block} (theirs: 512x512)",
                [
                    "step",
                    "ms",
                    "over the step before",
                    "over the first",
                    "paper's ms",
                    "over the step before",
                    "over the first",
                ],
                lines,
            )
    for (parameters,), at in groups(rows, "parameters").items():
        tables += crossovers(f"paper 003: {parameters}, {result.where}", by_width(at))
    return tables + details(result, "sobel-ladder")


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
        grows = (
            f"N^{math.log(last / first) / math.log(large / small):.1f}" if large > small else "-"
        )
        grid.set(name, "grows as", grows)
    return grid.table(title, "strategy")


def searching(rows, strategy):
    return next(
        (
            r
            for r in rows
            if r["strategy"] == strategy and parameter(r, "hysteresis") == "bfs-launch"
        ),
        None,
    )


def canny_title(rows, where):
    """A time is a mean where several pictures went round; runs before 2026-11-30 do not tell their kinds apart."""
    found = (
        re.search(r", (\d+ (?:made pictures|photographs))$", rows[0]["parameters"])
        if rows
        else None
    )
    several = (
        f"means over {found[1]}, "
        if found
        else (
            f"means over {rows[0]['pictures']} pictures, "
            if rows and rows[0].get("pictures", 1) > 1
            else ""
        )
    )
    return f"paper 001: Canny u8, {several}{where}"


def stages_by_size(title, rows):
    tables = []
    for column in STAGES:
        tables += by_size(
            f"{title}: {column}, ms (no paper figure: chart only)",
            rows,
            lambda row: stage_ms(row, column),
        )
    return tables


def canny_beside(result, rows):
    """What the experiment times beside the paper's request: photographs, and magnitudes that are roots."""
    tables = []
    for word, name in (("photographs", "photographs"), ("L2", "magnitudes by the root")):
        beside = [row for row in rows if word in re.split(r"[ ,]+", row["parameters"])]
        if beside:
            title = f"paper 001: Canny u8, {name}, {result.where}"
            tables += by_size(f"{title}: a picture, ms", beside, lambda row: row["ms"])
            tables += stages_by_size(title, beside)
        rows = [row for row in rows if row not in beside]
    return tables, rows


def canny_stages(result):
    rows = sorted(result.rows_of("canny-stages"), key=lambda row: row["width"])
    beside, rows = canny_beside(result, rows)
    title = canny_title(rows, result.where)
    tables = frames(result, title, rows) + spreads(title, rows) + stages_by_size(title, rows)
    runs = groups(rows, "width")
    for at in runs.values():
        tables += stage_shares(result, title, at)
    tables += predicted_stages(title, rows)
    tables += stage_operations(result, title, runs) + edge_search(result, title, runs)
    tables += time_model(result, title, runs) + cpu_model(result, title, rows)
    return tables + rolling_rows(result, title, runs) + beside


def frames(result, title, rows):
    """Whole calls: times and rates by size, with and without transfers."""
    resident = ", pictures resident on the GPU" if result.gpu else ""
    forms = [
        ("ms", milliseconds, f"{title}: a picture, ms"),
        ("ms", rate, f"{title}: frames a second{resident}"),
    ]
    if result.gpu:
        forms += [
            (
                f"{kind}_ms",
                rate,
                f"{title}: frames a second with upload and download, {kind} memory",
            )
            for kind in ("pageable", "pinned")
        ]
    tables = []
    for field, show, heading in forms:
        grid = Grid()
        for row in rows:
            if row[field] and (show is milliseconds or row["operation"] != "copy"):
                bordered(grid, row)
                grid.set(label(row), size(row), show(row[field]))
        subjects = ["the paper's GPU"] + (
            ["the paper's CPU, 16 threads"] if (field, show) == ("ms", rate) else []
        )
        for subject in subjects:
            for row in rows:
                theirs = result.value(
                    "canny-stages",
                    source="paper",
                    subject=subject,
                    width=row["width"],
                    unit="ms" if show is milliseconds else "frames/s",
                )
                grid.set(subject, size(row), printed(theirs, 4 if show is milliseconds else 0))
        tables += grid.table(heading, "strategy")
    tables += crossovers(title, by_width(rows))
    # The paper's hypothesis, at its largest size.
    for goal in result.figures_of("canny-stages", subject="its goal"):
        missed = [
            label(row)
            for row in rows
            if row["width"] == goal["width"]
            and row["operation"] != "copy"
            and max(row["ms"], row["pageable_ms"] or 0) > 1000 / goal["value"]
        ]
        tables.append(
            Note(
                f"  the paper's goal, {goal['value']:.0f} frames a second at {goal['width']}x{goal['height']}, transfers "
                f"included: {'missed by ' + '; '.join(missed) if missed else 'every row reaches it'}"
            )
        )
    return tables


def stage_shares(result, title, rows):
    lines = []
    for row in rows:
        if row["stages"]:
            whole = sum(row["stages"].values())
            lines.append(
                [
                    label(row),
                    *(percent(stage_ms(row, column), whole) for column in STAGES),
                    milliseconds(whole),
                    milliseconds(row["ms"]),
                ]
            )
    words = {f["detail"]: f["words"] for f in result.figures_of("canny-stages", what="share")}
    lines.append(["paper's GPU, in words", *(words.get(column, NONE) for column in STAGES[:-1])])
    return table(
        f"{title}, {size(rows[0])}: share of each stage",
        ["strategy", *STAGES, "stages, ms", "call, ms"],
        [line + [""] * (3 + len(STAGES) - len(line)) for line in lines],
    )


def stage_operations(result, title, runs):
    lines = []
    for (width,) in runs:
        counts = {
            f["detail"]: f["value"]
            for f in result.figures_of("canny-stages", what="operations", width=width)
        }
        if not counts:
            continue
        content = result.value("canny-stages", what="c", width=width)
        whole = sum(counts.values())
        lines.append(
            [
                f"{width}x{width}",
                *(f"{value / 1e6:.3f}" for value in counts.values()),
                figure(content),
                f"{whole / 1e6:.3f}",
            ]
        )
        shares = ["  share", *(percent(value, whole) for value in counts.values()), "", ""]
    if lines:
        lines.append(shares)
    return table(
        f"{title}: the paper's operations by stage, millions (2n²k², 4n²k² + 4n², 4n², n², cn²; c: 8 neighbours of "
        "every edge)",
        ["image", *STAGES[:-1], "c", "all"],
        lines,
    )


SEARCH = ("initial trees", "final trees", "depth")


def edge_search(result, title, runs):
    """Means over the pictures, their spread beside them, and how they grow."""
    lines, points = [], {}
    for (width,), rows in runs.items():
        found = {
            (f["detail"], f["what"]): f["value"]
            for f in result.figures_of("canny-stages", source="found", width=width)
        }
        for kind in (
            "",
            "made",
            "natural",
            "photographs",
        ):  # before 2026-11-30 all, made and natural
            if (kind, "depth") not in found:
                continue
            line = [
                f"{width}x{width}",
                kind or rows[0]["parameters"].split("L1, ")[-1],
                figure(found.get((kind, "pictures"), 1), 0),
            ]
            for what in SEARCH:
                value = found[kind, what]
                line.append(f"{value:.1f}".removesuffix(".0"))
                around = (
                    [found.get((part, what)) for part in ("between quartiles", "least", "most")]
                    if not kind
                    else [None]
                )
                line.append("" if None in around else "{:.0f}, {:.0f} to {:.0f}".format(*around))
                points.setdefault((kind, what), []).append((width, value))
            lines.append([*line, NONE])
    tables = table(
        f"{title}: breadth-first search of hysteresis, window 3x3; beside each mean the distance between quartiles, and the "
        "least and the most",
        [
            "image",
            "pictures",
            "of them",
            *(cell for what in SEARCH for cell in (what, "spread")),
            "paper's depth",
        ],
        lines,
    )
    return (
        tables
        + ([Note("  theirs are means over 100 to 200 pictures, in charts")] if lines else [])
        + growths(title, points)
    )


def growths(title, points):
    lines = []
    for (kind, what), by_n in points.items():
        fits = {name: rest for name, *rest in analysis.growth(by_n)}
        if not fits:
            continue
        line = [" ".join(filter(None, (what, kind and f"({kind} pictures)")))]
        a, b, r2 = fits.get("logarithm", (0, 0, 0))
        line += [f"{a:.1f} {'+' if b >= 0 else '-'} {abs(b):.2f} log2 N", f"{r2:.3f}"]
        line += (
            [f"{fits['power'][0]:.3g} N^{fits['power'][1]:.2f}", f"{fits['power'][2]:.3f}"]
            if "power" in fits
            else ["-", "-"]
        )
        lines.append(line)
    return table(
        f"{title}: how the search grows with the side N, fitted to the means above (the paper: N² log N in all, a depth that "
        "grows as log N)",
        ["", "by a logarithm", "R²", "by a power", "R² of logarithms"],
        lines,
    )


def time_model(result, title, runs):
    head = [
        "image",
        "depth",
        "memory",
        "computation",
        "transfer",
        "predicted",
        "paper's ms",
        "paper's/predicted",
    ]
    if result.gpu:
        head += ["this GPU: predicted", "global", "row-cyclic", "measured/predicted"]
    lines = []
    for (width,), rows in runs.items():

        def model(subject):
            return {
                f["detail"]: f["value"]
                for f in result.figures_of(
                    "canny-stages", source="model", what="time", subject=subject, width=width
                )
            }

        if not (theirs := model("the paper's GPU")):
            continue
        ms = result.value(
            "canny-stages", source="paper", what="time", subject="the paper's GPU", width=width
        )
        line = [
            f"{width}x{width}",
            f"{result.value('canny-stages', what='depth', width=width):.1f}".removesuffix(".0"),
            *(milliseconds(theirs[part]) for part in ("memory", "computation", "transfer", "all")),
            printed(ms, 4),
            figure(ms / theirs["all"]),
        ]
        if result.gpu:
            ours = model("this GPU")["all"]
            both = [searching(rows, "global"), searching(rows, "row-cyclic")]
            line += [
                milliseconds(ours),
                *(milliseconds(row["ms"]) if row else "-" for row in both),
                figure(both[0]["ms"] / ours) if both[0] else "-",
            ]
        lines.append(line)
    return table(f"{title}: the paper's time model, ms (its GPU by its own data)", head, lines)


def cpu_model(result, title, rows):
    grid = Grid()
    theirs = "the paper's CPU, 16 threads"
    for row in rows:
        if row["space"] != "host" or row["operation"] != "canny":
            continue
        for name, source, show in (
            ("model N²/40960 (the paper's 16 threads)", "model", milliseconds),
            ("paper, 16 cores (1 / its FPS)", "paper", lambda ms: printed(ms, 3)),
        ):
            ms = result.value("canny-stages", source=source, subject=theirs, width=row["width"])
            grid.set(name, size(row), show(ms))
        grid.set(label(row), size(row), milliseconds(row["ms"]))
    return grid.table(f"{title}: the paper's model of the CPU beside measured times, ms", "")


def rolling_rows(result, title, runs):
    lines = []
    for at in runs.values():
        rows = [searching(at, name) for name in ("global", "row-cyclic")]
        if None in rows:
            continue
        (g1, g2), (c1, c2) = (
            [row["stages"].get(stage, 0) for stage in ("gaussian", "sobel")] for row in rows
        )
        gains = [figure(a / b) if b else "-" for a, b in ((g1 + g2, c1 + c2), (g1, c1), (g2, c2))]
        lines.append([size(rows[0]), milliseconds(g1 + g2), milliseconds(c1 + c2), *gains, NONE])
    words = ", ".join(
        f"{f['value']:.2f} at {f['detail']}" for f in result.figures_of("canny-stages", what="gain")
    )
    return table(
        f"{title}: gaussian and sobel from global memory and from rolling rows in shared memory, ms "
        f"(the paper: 30K²/(3K²+20) = {words})",
        ["image", "global", "row-cyclic", "gain", "gaussian alone", "sobel alone", "paper's gain"],
        lines,
    )


def canny_pipeline(result):
    """The paper's future work: a picture in each phase, on one GPU and on several."""
    rows = result.rows_of("canny-pipeline")
    grid = Grid()
    for row in rows:
        if row["operation"] != "copy" and "a phase at a time" not in row["parameters"]:
            grid.set(label(row), size(row), rate(row["ms"]))
    bounds = result.figures_of("canny-pipeline", source="model", what="rate")
    for one in [*result.figures_of("canny-pipeline", source="found", what="rate"), *bounds]:
        grid.set(f"{one['detail']}, {one['subject']}", size(one), figure(one["value"], 0))
    return grid.table(
        f"{canny_title(rows, result.where)}: frames a second, pictures uploaded, worked on and downloaded at once",
        "way",
    )


# Paper 004.


def motion_ladder(result):
    rows = [row for row in result.rows_of("motion-ladder") if row["operation"] != "copy"]
    tables = []
    for at in groups(rows, "width", "height", "parameters").values():
        fastest = {}
        papers = ", the paper's kernels" if "the paper's kernels" in at[0]["parameters"] else ""
        for row in at:
            key = (row["strategy"], row["threads"])
            if key not in fastest or row["ms"] < fastest[key]["ms"]:
                fastest[key] = row
        few = list(fastest.values())
        title = f"paper 004: {size(at[0])} RGB, one object{papers}, {result.where}"
        tables += motion_rates(result, title, few)
        before = None
        for row in few:
            if row["stages"]:
                tables += motion_steps(result, title, row, before)
            before = row if row["space"] == "device" else before
        tables += [] if papers else motion_memory(result, title, at[0])
        for row in few:
            tables += motion_kernels(result, title, row)
        tables += [] if papers else crossovers(title, [(size(at[0]), at)])
        if best := fastest.get(("v1.3", 0)):
            grid = Grid()
            for row in at:
                if row["strategy"] == "v1.3":
                    grid.set(
                        f"block_y={parameter(row, 'block_y')}",
                        f"block_x={parameter(row, 'block_x')}",
                        milliseconds(row["ms"]) + (" *" if row is best else ""),
                    )
            tables += grid.table(
                f"{title}: launch shape of v1.3, ms a frame (* best; the paper's is 16 x 16)", ""
            )
    return tables


def paper_of(result, row, **wanted):
    """What the paper prints of the row's strategy, at the paper's size."""
    return {
        (f["detail"], f["what"]): f["value"]
        for f in result.figures_of(
            "motion-ladder",
            source="paper",
            subject=row["strategy"],
            width=row["width"],
            height=row["height"],
            **wanted,
        )
    }


def motion_rates(result, title, rows):
    head = ["strategy", "frames timed", "frame, ms", "spread", "frames/s", "times opencv"]
    moved = (
        [("pageable_ms", "with copies, pageable"), ("pinned_ms", "with copies, pinned")]
        if result.gpu
        else []
    )
    opencv = find(rows, "opencv")
    lines = []
    for row in rows:
        theirs = paper_of(result, row).get(("", "rate"))
        lines.append(
            [
                label(row),
                str(row.get("pictures", "-")),
                milliseconds(row["ms"]),
                milliseconds(row["ms_spread"]),
                figure(1000 / row["ms"], 1),
                milliseconds(opencv["ms"] / row["ms"]) if opencv else "-",
                *(figure(1000 / row[field], 1) if row[field] else "-" for field, _ in moved),
                printed(theirs, 1),
            ]
        )
    return table(
        f"{title}: frames a second",
        [*head, *(name for _, name in moved), "paper's frames/s"],
        lines,
    )


def motion_steps(result, title, row, before):
    """One version as the paper's table of it, whose figures stand on the right."""
    before = before if row["space"] == "device" else None
    theirs = paper_of(result, row)
    frames = row.get("pictures", 0)  # that were timed; earlier versions do not say
    their_frames = int(result.value("motion-ladder", what="frames"))
    steps = {f["subject"]: f["detail"] for f in result.figures_of("motion-ladder", what="step")}

    def step_ms(of, step):
        return sum(
            ms for name, ms in of["stages"].items() if name == step or steps.get(name) == step
        )

    whole = sum(row["stages"].values())
    head = ["step", "frame, ms"] + ([f"the {frames} timed, ms"] if frames else []) + ["share"]
    head += [f"over {before['strategy']}"] if before else []
    head += (
        ["paper: frame, ms", f"its {their_frames}, ms", "share", "over the last"] if theirs else []
    )
    lines = []

    def add(name, ms, ms_before, paper):
        line = [
            name,
            milliseconds(ms),
            *([milliseconds(frames * ms)] if frames else []),
            percent(ms, whole, 2),
        ]
        lines.append(line + ([change(ms_before, ms)] if before else []) + (paper if theirs else []))

    for step, part_of in (steps or {name: "" for name in row["stages"]}).items():
        ms, their_ms = step_ms(row, step), theirs.get((step, "time of a frame"))
        if not ms and not their_ms:
            continue
        paper = [NONE, "-", "-", "-"]
        if their_ms:
            less = theirs.get((step, "less than the version before"))
            paper = [
                milliseconds(their_ms),
                milliseconds(theirs[step, "time of the video"]),
                f"{theirs[step, 'share']:g} %",
                f"-{less:.0f} %" if less else "-",
            ]
        add(("  " if part_of else "") + step, ms, step_ms(before, step) if before else 0, paper)
    video = theirs.get(("", "time of the video"), 0)
    add(
        "all steps",
        whole,
        sum(before["stages"].values()) if before else 0,
        [
            milliseconds(video / their_frames if their_frames else 0),
            milliseconds(video),
            "100 %",
            "-",
        ],
    )
    return table(f"{title}: {label(row)}, by step", head, lines) + [
        Note(f"  a call that nobody observes: {milliseconds(row['ms'])} ms")
    ]


def motion_memory(result, title, row):
    found = result.figures_of(
        "motion-ladder", detail="memory", width=row["width"], height=row["height"]
    )
    pixels = row["width"] * row["height"]
    lines = []
    for (subject,), values in groups(found, "subject").items():
        by_name = {f["what"]: f["value"] for f in values if f["unit"] == "bytes"}
        held, launch, frame = (
            by_name[name] for name in ("held", "moved at launch", "moved a frame")
        )
        lines.append(
            [
                subject,
                f"{held:.0f}",
                figure(held / pixels),
                f"{launch:.0f}",
                f"{frame:.0f}",
                figure(frame / pixels),
            ]
        )
    return table(
        f"{title}: memory on the GPU and over the bus, by formula, bytes",
        ["version", "held", "a pixel", "moved at launch", "moved a frame", "a pixel"],
        lines,
    )


def motion_kernels(result, title, row):
    theirs = {
        f["detail"]: f["value"]
        for f in result.figures_of("motion-ladder", source="paper", what="registers")
    }
    occupancy = {
        f["detail"]: f["value"]
        for f in result.figures_of("motion-ladder", source="paper", what="occupancy")
    }
    # Ours of difference is the background model's; dilation and erosion are one template.
    ours = {"difference": "background", "dilate": "morph"}
    lines = []
    for use in row["kernels"]:
        name = next((n for n in theirs if n in use["name"] or ours.get(n, n) in use["name"]), None)
        lines.append(
            [
                use["name"],
                *(str(use[field]) for field in ("launches", "blocks", "threads", "registers")),
                f"{theirs[name]:.0f}" if name else NONE,
                str(use["static_shared_bytes"] + use["dynamic_shared_bytes"]),
                f"{100 * use['occupancy']:.0f} %",
                f"{100 * occupancy[name]:.0f} %" if name else NONE,
            ]
        )
    return table(
        f"{title}: kernels of {label(row)} (the paper's: v1.3, its occupancy as its profiler saw it)",
        [
            "kernel",
            "launches",
            "blocks",
            "threads",
            "registers",
            "paper's",
            "shared B",
            "occupancy",
            "paper's",
        ],
        lines,
    )


PAPERS_SQUARE = 20  # a side, in pixels
COLUMNS = 13  # of a table; the JSON and the picture have every density


def label_density(result):
    tables = []
    for (width,), rows in groups(result.rows_of("label-density"), "width").items():
        of_the_paper = [
            row for row in rows if row["statistics"].get("square", PAPERS_SQUARE) == PAPERS_SQUARE
        ]
        cells = sorted(
            groups(
                [{**row, "count": row["statistics"]["components"]} for row in of_the_paper], "count"
            ).items()
        )
        title = f"paper 004: labelling, squares of 20x20 in {width}x{width} u8, {result.where}"
        tables += label_by_count(title, analysis.thinned(cells, COLUMNS))
        tables += crossovers(title, [(f"{count:.0f}", at) for (count,), at in cells])
        tables += label_by_granularity(
            f"paper 004: labelling, squares in {width}x{width} u8, {result.where}", rows
        )
    return tables


def label_by_count(title, cells):
    time, moved, stages, ends = Grid(), Grid(), Grid(), {}
    for (count,), rows in cells:
        column = f"{count:.0f}"
        for row in rows:
            time.set(label(row), column, milliseconds(row["ms"]))
            ends.setdefault(label(row), []).append(row["ms"])
            for where, field in analysis.COPIES[1:]:
                if row.get(field):
                    moved.set(f"{label(row)}, {where}", column, milliseconds(row[field]))
            if row["space"] != "host":
                for stage, ms in row["stages"].items():
                    stages.set(f"{label(row)}: {stage}", column, milliseconds(ms))
    for name, times in ends.items():  # how much the fullest mask costs over the empty one
        time.set(name, "full/empty", figure(times[-1] / times[0]))
    tables = time.table(
        f"{title}: ms by number of components (no paper figure: chart only)", "strategy"
    )
    tables += moved.table(
        f"{title}: ms with upload and download by number of components", "strategy"
    )
    tables += spreads(
        title,
        [row for _, rows in cells for row in rows],
        lambda row: f"{row['statistics']['components']:.0f}",
    )
    return tables + stages.table(f"{title}: ms by stage and number of components", "stage")


def label_by_granularity(title, rows):
    """A line a mask: squares of other sizes, and of the paper's where a quarter of the cells, or more, is set."""

    def share(row):
        return row["statistics"]["set, %"]

    known = [row for row in rows if "square" in row["statistics"]]
    fullest = max(
        (
            row["statistics"]["components"]
            for row in known
            if row["statistics"]["square"] == PAPERS_SQUARE
        ),
        default=0,
    )
    cells, grid = {}, Grid()
    for row in sorted(known, key=lambda row: (row["statistics"]["square"], share(row))):
        square, count = row["statistics"]["square"], row["statistics"]["components"]
        if square == PAPERS_SQUARE and (not count or 4 * count % fullest):
            continue
        place = f"{square:.0f}x{square:.0f}, {share(row):.0f} % set"
        cells.setdefault(place, []).append(row)
        grid.set(place, "components", f"{count:.0f}")
        grid.set(place, label(row), milliseconds(row["ms"]))
    if len({row["statistics"]["square"] for row in known}) < 2:
        return []
    tables = grid.table(f"{title}: ms by granularity (no paper figure)", "squares")
    return tables + crossovers(f"{title}, by granularity", list(cells.items()))


# Any experiment.


def details(result, experiment):
    """A table a request, everything that is known of a row."""
    tables = []
    rows = result.rows_of(experiment)
    for (parameters, kind, width, height), at in groups(
        rows, "parameters", "type", "width", "height"
    ).items():
        opencv = find(at, "opencv")
        answers = ["answer"] if any(row.get("answer") for row in at) else []
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
                *(milliseconds(row.get(field)) for field in ("pinned_ms", "pageable_ms")), row.get("border") or "-",
                f"{paper['value']:.4g} {paper['unit']}" if paper else "-",
                *(row.get(name, "") for name in answers),
            ])  # fmt: skip
        tables += table(
            f"{experiment}: {at[-1]['operation']} {parameters}, {kind}, {width}x{height}, {result.where}",
            [
                "strategy",
                "ms",
                "spread",
                "x copy",
                "speed-up",
                "x opencv",
                "GFLOP/s",
                "FLOP/byte",
                "by paper",
                "% roofline",
                "registers",
                "shared B",
                "occupancy",
                "pinned",
                "pageable",
                "border",
                "paper's",
                *answers,
            ],
            lines,
        )
    return tables


def model(result):
    """Predicted, measured, bound by: a table a request."""
    tables = []
    for (operation, parameters, kind, width), rows in groups(
        [row for row in result.rows_of("model") if row.get("predicted_ms")],
        "operation",
        "parameters",
        "type",
        "width",
    ).items():
        lines = [
            [
                label(row),
                milliseconds(row["predicted_ms"]),
                milliseconds(row["ms"]),
                change(row["ms"], row["predicted_ms"]),
                row["bound_by"],
            ]
            for row in rows
        ]
        tables += table(
            f"model: {operation} {parameters}, {kind}, {width}x{width}, {result.where}",
            ["strategy", "predicted, ms", "measured, ms", "error", "bound by"],
            lines,
        )
    return tables + predicted_stages("model", result.rows_of("model"))


def predicted_stages(title, rows):
    """Of the stages that bench/model knows. Between two stages is an event; the stage before the first is nothing else, and is
    taken off what was measured."""
    lines = []
    for row in rows:
        for stage, ms in row.get("predicted_stages", {}).items():
            measured = row["stages"].get(stage, 0) - row["stages"].get("before the first stage", 0)
            if measured > 0:
                lines.append(
                    [
                        label(row),
                        size(row),
                        stage,
                        milliseconds(ms),
                        milliseconds(measured),
                        change(measured, ms),
                    ]
                )
    return table(
        f"{title}: stages predicted, and measured without the event between them",
        ["strategy", "image", "stage", "predicted, ms", "measured, ms", "error"],
        lines,
    )


def predictions(result, experiment):
    """For a GPU that was not there, where the run had none."""
    tables = []
    for (what, parameters, width, height), found in groups(
        result.figures_of(experiment, source="predicted"), "what", "parameters", "width", "height"
    ).items():
        lines = [
            [f"{f['subject']} {f['detail']}".strip(), milliseconds(f["value"]), f["words"]]
            for f in found
        ]
        tables += table(
            f"{experiment}: {parameters}, {width}x{height}, predicted {what}",
            ["strategy", "ms", "bound by"],
            lines,
        )
    return tables


def reaches(result, experiment="production"):
    """A table a size, a line a request: what a user of the GPU gets, beside a copy and what it is to reach."""
    tables = []
    rows = result.rows_of(experiment)
    lines_of = groups(rows, "height", "parameters", "type", "width")
    ours = {key: next((row for row in at if is_ours(row)), None) for key, at in lines_of.items()}
    by_height = {}  # the first request of each is the widest
    for key, at in lines_of.items():
        height, parameters, kind, width = key
        row, npp, opencv = ours[key], find(at, "npp"), find(at, "opencv")
        goals = {
            f["subject"]: f
            for f in result.figures_of(
                experiment, source="goal", parameters=parameters, width=width, height=height
            )
        }
        reach, stretch = goals.get("reach"), goals.get("stretch")
        value = 0
        if row and reach:
            # An odd width is a little less than its aligned one.
            beside = next(
                (r for k, r in ours.items() if r and k[:3] == (height, reach["detail"], kind)), None
            )
            value = judged(row, find(at, "device copy"), beside, reach["what"])
        operation = next((r["operation"] for r in at if r["operation"] != "copy"), "")
        by_height.setdefault(height, (width, []))[1].append([
            f"{operation} {parameters}", label(row) if row else "-", milliseconds(row and row["ms"]),
            figure(row["times_copy"]) if row else "-", figure(value), reach["what"] if reach else "-",
            figure(reach["value"]) if reach else "-", figure(stretch["value"]) if stretch else "-", met(value, reach, stretch),
            figure(npp["times_copy"]) if npp else "-", (npp.get("answer") or "-") if npp else "-",
            milliseconds(opencv and opencv["ms"])])  # fmt: skip
    for height, (width, lines) in by_height.items():
        tables += table(
            f"{experiment}: {width}x{height}, goals, {result.where}",
            [
                "work",
                "strategy",
                "ms",
                "x copy",
                "judged",
                "",
                "reach",
                "stretch",
                "met",
                "npp x copy",
                "npp's answer",
                "opencv, ms",
            ],
            lines,
        )
    return tables


def is_ours(row):
    return row["space"] == "device" and row["operation"] != "copy" and row["strategy"] not in PEERS


def judged(row, copy, beside, what):
    """A row in the unit of its goal; 0 where that is unknown."""
    if what == "times a copy":
        return row["times_copy"]
    if what == "us a picture":
        return 1e3 * row["ms"] / row["statistics"].get("pictures a call", 1)
    if what == "of a copy's bandwidth":
        return (
            row["bytes_per_pixel"] / copy["bytes_per_pixel"] * row["copy_ms"] / row["ms"]
            if copy
            else 0
        )
    return row["ms"] / row["width"] / (beside["ms"] / beside["width"]) if beside else 0


def met(value, reach, stretch):
    if not reach or not value:
        return "-"

    def by(goal):
        return goal and (
            value >= goal["value"]
            if goal["what"] == "of a copy's bandwidth"
            else value <= goal["value"]
        )

    return "stretch" if by(stretch) else "reach" if by(reach) else "no"


FORMS = {
    "log-ladder": log_ladder,
    "memory-ladder": memory_ladder,
    "sobel-ladder": sobel_ladder,
    "canny-stages": canny_stages,
    "canny-pipeline": canny_pipeline,
    "motion-ladder": motion_ladder,
    "label-density": label_density,
    "roofline": roofline,
    "filter-sizes": filter_sizes,
    "model": model,
    "production": reaches,
}


def heading(result):
    machine = result.whole["machine"]
    lines = [
        f"{machine['cpu']}, {machine['threads']} threads, {machine['simd']}; {', '.join(machine['peers']) or 'no peers'}"
    ]
    if gpu := result.gpu:
        ceilings = gpu["ceilings"]
        lines.append(
            f"{gpu['name']}, driver {gpu['driver']}, CUDA {gpu['runtime']}; copy {ceilings['copy_gbs']:.0f} GB/s, "
            f"FMA {figure(ceilings['fma_gflops'], 0)} GFLOP/s"
        )
    return [*map(Note, lines), Note(f"commit {result.whole['commit']}, {result.whole['date']}")]


def report(result, only=None, all_details=False):
    """Tables and notes (layout.py)."""
    items = heading(result)
    for experiment in dict.fromkeys(row["experiment"] for row in result.rows):
        if only and experiment != only:
            continue
        form = FORMS.get(experiment)
        items += form(result) if form else details(result, experiment)
        items += predictions(result, experiment)
        if form and all_details and form not in (roofline, sobel_ladder):
            items += details(result, experiment)
    notes = [
        note for note in result.whole.get("notes", []) if not only or note.startswith(only + ":")
    ]
    items += [Note("\nnotes"), *(Note(f"  {note}") for note in notes)] if notes else []
    return items + [
        Note(f"not as expected: {difference}") for difference in result.whole["differences"]
    ]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("results", nargs="+", metavar="RESULT.json")
    parser.add_argument("--only", metavar="EXPERIMENT", help="one of those in the file")
    parser.add_argument(
        "--details", action="store_true", help="every row behind the papers' forms too"
    )
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a page instead of text")
    parser.add_argument("--pictures", type=Path, metavar="FOLDER", help="also write pictures")
    arguments = parser.parse_args()
    try:
        result = Result(merged(arguments.results))
        known = sorted({row["experiment"] for row in result.rows})
        if arguments.only and arguments.only not in known:
            print(
                f"error: no rows of '{arguments.only}'; there are {', '.join(known)}",
                file=sys.stderr,
            )
            return 2
        items = report(result, arguments.only, arguments.details)
        drawn = {}
        if arguments.html or arguments.pictures:
            drawn = {
                name: charts.svg(drawing)
                for name, drawing in (
                    pictures.all_of(result.whole) | claims.all_of(result.whole)
                ).items()
            }
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        print(f"error: no result of cuesta bench --json: {error!r}", file=sys.stderr)
        return 3
    if arguments.pictures:
        arguments.pictures.mkdir(parents=True, exist_ok=True)
        for name, svg in drawn.items():
            (arguments.pictures / f"{name}.svg").write_text(svg, encoding="utf-8")
    if arguments.html:
        arguments.html.write_text(
            layout.html(f"cuesta bench: {result.where}", items, drawn.items()), encoding="utf-8"
        )
    else:
        sys.stdout.write(layout.text(items))
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""What the profiler counts of every device strategy, as a table. Needs Nsight Compute (ncu), a GPU whose
counters may be read, and cuesta_profile; Python's own library is all that it imports.

    profile_rungs.py --out NAME [--model | --production | --climb] [--program FILE] [--ncu FILE] [--without METRIC] [--only OPERATION]
    profile_rungs.py --out NAME --csv NAME.csv --list NAME.list.json

The first runs cuesta_profile (from beside this file by default) under ncu and keeps what both said, as
NAME.csv and NAME.list.json. Both write NAME.md, the tables, and NAME.json, the same with every kernel. The
second makes them from a run that was kept. Metrics that `ncu --query-metrics` does not list are left out and named;
--without leaves out others.

With --model every strategy is asked all requests of `bench model`, and each kernel in NAME.json has `counters`: what
bench/model predicts of it, sums over its launches under the profiler's own names. With --production what automatic choice
takes is asked the requests of `bench production`, and the counters are those that tell what binds a kernel. With --climb
every strategy is asked those of `bench climb`, for both: what a pixel costs, and what binds.

A kernel that a strategy launches several times is one line: times, instructions and bytes are sums, transactions a
request and SM efficiency are quotients of sums, the other percentages are means weighted by time. NAME.md leaves
out kernels below 5 % of their strategy's time and says how many.
"""

import argparse
import csv
import datetime
import io
import json
import re
import subprocess
import sys
from pathlib import Path

DURATION = "gpu__time_duration.sum"
SHARED_LOADS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
SHARED_STORES = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"
SHARED_LOAD_REQUESTS = "smsp__inst_executed_op_shared_ld.sum"
SHARED_STORE_REQUESTS = "smsp__inst_executed_op_shared_st.sum"
ACTIVE = "sm__cycles_active.avg"
ELAPSED = "sm__cycles_elapsed.max"
READ, WRITTEN = "dram__bytes_read.sum", "dram__bytes_write.sum"

# Units that ncu prints with `--print-units base`, by version.
UNITS = {DURATION: {"ns", "nsecond"}, READ: {"byte"}, WRITTEN: {"byte"}}

MAIN_SHARE = 0.05  # of its strategy's time, for a kernel to be in the Markdown


KINDS = ("model", "production", "climb")  # of requests; without one, profile_rungs.cpp's own


class Launches:
    """The launches of one kernel by one strategy: a dictionary from metric to value each, None for what ncu gave no number."""

    def __init__(self, launches):
        self.launches = launches

    def sum(self, metric):
        values = [launch[metric] for launch in self.launches if launch.get(metric) is not None]
        return sum(values) if values else None

    def most(self, metric):
        return max(
            (launch[metric] for launch in self.launches if launch.get(metric) is not None),
            default=None,
        )

    def mean(self, metric):
        pairs = [
            (launch[metric], launch[DURATION])
            for launch in self.launches
            if launch.get(metric) is not None
        ]
        whole = sum(weight for _, weight in pairs)
        return sum(value * weight for value, weight in pairs) / whole if whole else None

    def quotient(self, above, below, times=1):
        divisor = self.sum(below)
        return (
            times * self.sum(above) / divisor if divisor and self.sum(above) is not None else None
        )


# Name in the JSON; head in the Markdown; format; the metrics it needs; how they become the figure. The metrics are
# those that NVIDIA's transition guide puts in the place of nvprof's, which paper 004 used.
COLUMNS = [
    ("us", "µs", "{:.1f}", (DURATION,), lambda k: k.sum(DURATION) / 1000),
    ("registers", "registers", "{:.0f}", ("launch__registers_per_thread",), Launches.most),
    (
        "occupancy",
        "occupancy %",
        "{:.1f}",
        ("sm__warps_active.avg.pct_of_peak_sustained_active",),
        Launches.mean,
    ),
    ("sm_efficiency", "SM %", "{:.1f}", (ACTIVE, ELAPSED), lambda k, a, e: k.quotient(a, e, 100)),
    (
        "branch_efficiency",
        "branch %",
        "{:.1f}",
        ("smsp__sass_average_branch_targets_threads_uniform.pct",),
        Launches.mean,
    ),
    (
        "shared_load_transactions",
        "shared loads: transactions a request",
        "{:.2f}",
        (SHARED_LOADS, SHARED_LOAD_REQUESTS),
        Launches.quotient,
    ),
    (
        "shared_store_transactions",
        "stores",
        "{:.2f}",
        (SHARED_STORES, SHARED_STORE_REQUESTS),
        Launches.quotient,
    ),
    (
        "shared_efficiency",
        "shared %",
        "{:.1f}",
        ("smsp__sass_average_data_bytes_per_wavefront_mem_shared.pct",),
        Launches.mean,
    ),
    (
        "load_efficiency",
        "global load %",
        "{:.1f}",
        ("smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct",),
        Launches.mean,
    ),
    ("l1_hits", "L1 hits %", "{:.1f}", ("l1tex__t_sector_hit_rate.pct",), Launches.mean),
    (
        "sm_throughput",
        "SM throughput %",
        "{:.1f}",
        ("sm__throughput.avg.pct_of_peak_sustained_elapsed",),
        Launches.mean,
    ),
    (
        "dram_throughput",
        "DRAM throughput %",
        "{:.1f}",
        ("dram__throughput.avg.pct_of_peak_sustained_elapsed",),
        Launches.mean,
    ),
    ("instructions", "warp instructions, M", "{:.2f}", ("smsp__inst_executed.sum",), Launches.sum),
    ("bytes_read", "DRAM read, MB", "{:.2f}", (READ,), Launches.sum),
    ("bytes_written", "written, MB", "{:.2f}", (WRITTEN,), Launches.sum),
]
# What bench/model counts by formula: instructions; sectors and wavefronts of the first-level cache; sectors of the
# second; bytes of device memory; the launch. Then what it does not: for what a warp's next instruction waits, cycles of
# a warp for each that is issued. A pass of the profiler counts a few, so the list is short.
STALLS = [
    "long_scoreboard",
    "short_scoreboard",
    "wait",
    "barrier",
    "mio_throttle",
    "lg_throttle",
    "tex_throttle",
    "math_pipe_throttle",
    "not_selected",
]
COUNTERS = [
    "smsp__inst_executed.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__data_pipe_lsu_wavefronts.sum",
    SHARED_LOADS,
    SHARED_STORES,
    "l1tex__texin_requests.sum",
    "lts__t_sectors_op_read.sum",
    "lts__t_sectors_op_write.sum",
    READ,
    WRITTEN,
    *(f"smsp__average_warps_issue_stalled_{stall}_per_issue_active.ratio" for stall in STALLS),
    "launch__grid_size",
    "launch__block_size",
    "launch__registers_per_thread",
    "launch__shared_mem_per_block_static",
    "launch__shared_mem_per_block_dynamic",
]
# What a kernel may be bound by, in percent of the most that the GPU sustains; names as binding_of() prints them.
UNITS_BUSY = {
    "memory": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "second-level cache": "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "first-level cache and shared memory": "l1tex__throughput.avg.pct_of_peak_sustained_active",
    "issue": "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "integers": "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active",
    "fma": "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active",
    "halves": "sm__inst_executed_pipe_fp16.avg.pct_of_peak_sustained_active",
    "tensor cores": "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
}
BINDING = [
    READ,
    WRITTEN,
    "smsp__inst_executed.sum",
    *UNITS_BUSY.values(),
    *(f"smsp__average_warps_issue_stalled_{stall}_per_issue_active.ratio" for stall in STALLS),
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "launch__registers_per_thread",
]
# What a pixel costs, and what binds.
CLIMB = [
    *BINDING,
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "launch__shared_mem_per_block_static",
    "launch__shared_mem_per_block_dynamic",
]

MILLIONS = {"instructions", "bytes_read", "bytes_written"}  # whole in the JSON
METRICS = list(dict.fromkeys(metric for column in COLUMNS for metric in column[3]))
COUNTED = list(dict.fromkeys(COUNTERS + BINDING))
EVERY_METRIC = list(dict.fromkeys(METRICS + COUNTED))

LEGEND = """\
occupancy: warps resident while the multiprocessor works, of the most it holds. SM: cycles in which a multiprocessor has a warp, of
all. branch: branches whose warps stay together. transactions a request: passes through shared memory that a warp's load or
store takes; 1 has no bank conflict. shared: bytes used of those that a pass could move. global load: bytes used of the
32-byte sectors that loads fetch. Percentages are 0.0 where a kernel has no branches, no shared memory or no loads. Caches
are emptied before each kernel; clocks are left as they are."""

# Paper 004, table 2: nvprof on v1.3 with blocks of 16 x 16, a GTX 960M, and registers from table 3. Where a kernel
# was counted twice, for the background and the frame, the first. Ours, as NAME.json has them; theirs; occupancy %,
# SM %, branch %, shared load and store transactions a request, shared %, global load %, registers.
PAPER_004 = [
    ("grayscale", "grayscaleGPU", 79.6097, 84.48, 100, 0, 0, 0, 20.90, 11),
    ("blur_tiled", "blurTiledConstantGPU", 72.2304, 98.95, 100, 1, 0.539258, 24.96, 33.58, 37),
    ("background_first", "diffGPU", 78.6947, 81.86, 100, 0, 0, 0, 35.90, 8),
    ("threshold", "thresholdGPU", 80.5545, 85.16, 100, 0, 0, 0, 35.90, 7),
    (
        "morph_tiled<1>",
        "dilateTiledConstantGPU",
        71.4877,
        99.16,
        100,
        0.644444,
        0.539258,
        24.93,
        33.58,
        37,
    ),
    (
        "morph_tiled<0>",
        "erodeTiledConstantGPU",
        71.7115,
        99.12,
        100,
        0.644444,
        0.539258,
        24.93,
        33.58,
        37,
    ),
    ("init", "initCCL", 81.1553, 83.86, 100, 0, 0, 0, 36.36, 7),
    ("merge<1>", "mergeCCL", 61.4099, 63.50, 87.95, 0, 0, 0, 39.90, 15),
    ("compress", "compressCCL", 68.9342, 79.00, 95.05, 0, 0, 0, 42.63, 8),
]
RENAMED = {"background_first": "background_frames<First>"}  # since the kept profile
PAPER_COLUMNS = [
    "occupancy",
    "sm_efficiency",
    "branch_efficiency",
    "shared_load_transactions",
    "shared_store_transactions",
    "shared_efficiency",
    "load_efficiency",
    "registers",
]


class Refused(Exception):
    """Input that is not what it should be; the text says what was wanted."""


def short_name(demangled):
    """A kernel's name without its parameters, types of template arguments, and namespaces: `morph_tiled<1>`."""
    # Of `ops::<unnamed>::kernel` some versions of ncu leave no more than `unnamed>::kernel`.
    name = re.sub(
        r"\((?:anonymous namespace|unsigned \w+|[\w:]+)\)(?:::)?|(?:(?<!\w)<)?unnamed>::",
        "",
        demangled,
    )
    name = re.sub(r"^(?:static )?void ", "", name)
    name = re.sub(r"\btrue\b", "1", re.sub(r"\bfalse\b", "0", name))
    depth = 0
    for at, character in enumerate(name):
        depth += {"<": 1, ">": -1}.get(character, 0)
        if character == "(" and depth == 0:
            name = name[:at]
            break
    return re.sub(r"\b(?:\w+::)+", "", name)


def number(text):
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None  # "n/a", or nothing


def launches_of(text):
    """Every launch in the CSV of `ncu --csv --page raw --nvtx`: (operation, strategy, request, kernel, metrics),
    the first three None outside cuesta_profile's ranges."""
    lines = text.splitlines(keepends=True)
    begin = next((n for n, line in enumerate(lines) if line.startswith('"ID",')), None)
    if begin is None:
        raise Refused('no line begins with "ID": this is not the CSV of ncu --csv --page raw')
    table = list(
        csv.reader(
            io.StringIO("".join(line for line in lines[begin:] if not line.startswith("==")))
        )
    )
    head, units = table[0], table[1] if len(table) > 1 else []
    if len(units) != len(head) or units[0] != "":
        raise Refused("the line under the heads is not that of the units: run ncu with --page raw")
    for metric, known in UNITS.items():
        if metric in head and units[head.index(metric)] not in known | {""}:
            raise Refused(
                f"{metric} is in {units[head.index(metric)]}: run ncu with --print-units base"
            )
    ranges = [n for n, name in enumerate(head) if "Push/Pop_Range" in name]
    if not ranges or DURATION not in head or "Kernel Name" not in head:
        raise Refused(
            f"the CSV has no NVTX ranges, no Kernel Name or no {DURATION}: run ncu with --nvtx and --metrics"
        )
    for line in filter(None, table[2:]):
        if len(line) != len(head):
            raise Refused(f"a line has {len(line)} fields, the heads {len(head)}")
        label = re.search(
            r"\bcuesta/([^/:\"]+)/([^/:\"]+)/([^/:\"\s]+)", " ".join(line[n] for n in ranges)
        )
        metrics = {
            metric: number(line[head.index(metric)]) for metric in EVERY_METRIC if metric in head
        }
        if metrics[DURATION] is None:
            raise Refused(f"a launch of {line[head.index('Kernel Name')]} has no time")
        yield (
            *(label.groups() if label else (None,) * 3),
            short_name(line[head.index("Kernel Name")]),
            metrics,
        )


def figures_of(launches):
    kernel = Launches(launches)
    figures = {"launches": len(launches)}
    for name, _, _, metrics, make in COLUMNS:
        value = make(kernel) if name == "us" else make(kernel, *metrics)
        figures[name] = None if value is None else round(value, 4)
    return figures


def counters_of(launches):
    """What of COUNTED the CSV has: the launch's shape of the first launch, means of quotients, else sums."""
    kernel = Launches(launches)

    def value(metric):
        if metric.startswith("launch__"):
            return launches[0].get(metric)
        return (
            kernel.mean(metric)
            if metric.endswith(".ratio") or ".pct" in metric
            else kernel.sum(metric)
        )

    values = {metric: value(metric) for metric in COUNTED}
    return {
        metric: int(value) if value.is_integer() else value
        for metric, value in values.items()
        if value is not None
    }


def profile_of(text, listed):
    """The whole result, as NAME.json has it, from the CSV and what `cuesta_profile --list` said."""
    requests = {(r["operation"], r["name"]): r for r in listed["requests"]}
    grouped, outside = {}, 0
    for operation, strategy, request, kernel, metrics in launches_of(text):
        if operation is None:
            outside += 1
            continue
        if (operation, request) not in requests:
            raise Refused(f"the CSV has a request that the list lacks: {operation}, {request}")
        grouped.setdefault((operation, strategy, request), {}).setdefault(kernel, []).append(
            metrics
        )
    rows = []
    for (operation, strategy, request), kernels in grouped.items():
        asked = requests[operation, request]
        of_model = {
            key: asked[key] for key in ("parameters", "strategy_parameters", "type") if key in asked
        }
        counted = (
            (lambda launches: {"counters": counters_of(launches)})
            if of_model
            else (lambda launches: {})
        )
        made = [
            {"name": name, **figures_of(launches), **counted(launches)}
            for name, launches in kernels.items()
        ]
        rows.append(
            {
                "operation": operation,
                "strategy": strategy,
                "request": asked["text"],
                **of_model,
                "width": asked["width"],
                "height": asked["height"],
                **binding_of(made),
                "kernels": made,
            }
        )
    seen = {(row["operation"], row["strategy"]) for row in rows}
    absent = [
        f"{row['operation']} {row['strategy']}"
        for row in listed["rows"]
        if (row["operation"], row["strategy"]) not in seen
    ]
    return {
        "gpu": listed["gpu"],
        "commit": listed["commit"],
        "rows": rows,
        "not_profiled": absent,
        "launches_outside": outside,
    }


def binding_of(kernels):
    """What binds the kernel of most time, as a row's `bound`: its share of the row's time and how busy the busiest unit is, in
    percent; below 60 also what a warp waits for most. Nothing where the units were not counted."""
    kernel = max(kernels, key=lambda one: one["us"])
    counters = kernel.get("counters", {})
    busy = [(counters[metric], unit) for unit, metric in UNITS_BUSY.items() if metric in counters]
    if not busy:
        return {}
    most, unit = max(busy)
    bound = {
        "kernel": kernel["name"],
        "share": round(100 * kernel["us"] / sum(one["us"] for one in kernels), 1),
        "unit": unit,
        "busy": most,
    }
    if most < 60:
        waits = max(
            STALLS,
            key=lambda stall: counters.get(
                f"smsp__average_warps_issue_stalled_{stall}_per_issue_active.ratio", 0
            ),
        )
        bound["waits"] = waits.replace("_", " ")
    return {"bound": bound}


def cell(name, form, value):
    if value is None:
        return "-"
    return form.format(value / 1e6 if name in MILLIONS else value)


def table(heads, lines):
    return (
        "\n".join("| " + " | ".join(line) + " |" for line in [heads, ["---"] * len(heads), *lines])
        + "\n"
    )


def operation_lines(rows):
    """Head, lines, and how many kernels are left out of them."""
    lines, left_out = [], 0
    for row in rows:
        whole = sum(kernel["us"] for kernel in row["kernels"])
        for kernel in row["kernels"]:
            if kernel["us"] < MAIN_SHARE * whole:
                left_out += 1
                continue
            figures = [cell(name, form, kernel[name]) for name, _, form, _, _ in COLUMNS]
            lines.append(
                [f"`{row['strategy']}`", f"`{kernel['name']}`", str(kernel["launches"]), *figures]
            )
    return ["strategy", "kernel", "launches", *(column[1] for column in COLUMNS)], lines, left_out


def operation_table(rows):
    heads, lines, left_out = operation_lines(rows)
    return table(heads, lines) + (
        f"\nKernels left out, below {100 * MAIN_SHARE:.0f} % of their row's time: {left_out}.\n"
        if left_out
        else ""
    )


def paper_lines(rows):
    """Head and lines of paper 004's table 2 beside ours; None without motion's v1.3."""
    ours = next(
        (row for row in rows if (row["operation"], row["strategy"]) == ("motion", "v1.3")), None
    )
    if ours is None:
        return None
    kernels = {kernel["name"]: kernel for kernel in ours["kernels"]}
    columns = {column[0]: column for column in COLUMNS}
    lines = []
    for name, theirs, *figures in PAPER_004:
        name = name if name in kernels else RENAMED.get(name, name)
        line = [f"`{name}`", f"`{theirs}`"]
        for key, figure in zip(PAPER_COLUMNS, figures):
            form = columns[key][2]
            line.append(
                f"{cell(key, form, kernels.get(name, {}).get(key))} · {form.format(figure)}"
            )
        lines.append(line)
    return ["kernel", "paper's", *(columns[key][1] for key in PAPER_COLUMNS)], lines


def paper_table(rows):
    if not (made := paper_lines(rows)):
        return ""
    return (
        "\n## Paper 004, table 2\n\nOurs · the paper's: v1.3 at 596 × 336; theirs on a GTX 960M by nvprof, blocks of 16 × 16. "
        "Where a kernel has no shared memory the paper prints 0, we a dash.\n\n" + table(*made)
    )


def markdown_of(profile):
    gpu = profile["gpu"] or {"name": "a GPU that was not named"}
    text = [
        f"# Counters of every device strategy: {gpu['name']}\n\n"
        f"Made by bench/profile/profile_rungs.py on {profile.get('date', 'a day not kept')}, commit {profile['commit']}"
        f"{', ' + profile['profiler'] if profile.get('profiler') else ''}: each strategy once, parameters at their defaults.\n\n"
        f"{LEGEND}\n"
    ]
    groups = {}
    for row in profile["rows"]:
        groups.setdefault(
            (row["operation"], row["request"], row["width"], row["height"]), []
        ).append(row)
    for (operation, request, width, height), rows in groups.items():
        text.append(f"\n## {operation}: {request}, {width} × {height}\n\n{operation_table(rows)}")
    text.append(paper_table(profile["rows"]))
    if profile["not_profiled"]:
        text.append(f"\nNot profiled: {', '.join(profile['not_profiled'])}.\n")
    return "".join(text)


def output_of(command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except OSError as error:
        raise Refused(f"{command[0]} does not run: {error.strerror}") from None
    except subprocess.CalledProcessError as error:
        raise Refused(
            f"{' '.join(map(str, command))} ended with {error.returncode}: {error.stderr.strip()}"
        ) from None


def known_to(ncu, metrics):
    """Those of `metrics` that the ncu lists for its GPU; all where its list lacks even the duration. What describes a
    launch, and what is made of patched machine code, is in no list."""
    listed = {
        line.split()[0]
        for line in output_of([ncu, "--query-metrics"]).splitlines()
        if "__" in line[: line.find(" ")]
    }

    def known(metric):
        return (
            metric.startswith("launch__") or "__sass_" in metric or metric.split(".")[0] in listed
        )

    return (
        [metric for metric in metrics if known(metric)]
        if DURATION.split(".")[0] in listed
        else metrics
    )


def measure(arguments):
    """Runs the program under ncu; leaves NAME.csv and NAME.list.json."""
    wanted = (
        [DURATION, *COUNTERS]
        if arguments.model
        else [DURATION, *BINDING]
        if arguments.production
        else [DURATION, *CLIMB]
        if arguments.climb
        else METRICS
    )
    metrics = known_to(
        arguments.ncu, [metric for metric in wanted if metric not in arguments.without]
    )
    version = output_of([arguments.ncu, "--version"]).split("\n")
    kinds = [kind for kind in KINDS if getattr(arguments, kind)]
    asked = [f"--{kind}" for kind in kinds] + arguments.only
    listed = json.loads(output_of([arguments.program, "--list", *asked]))
    listed["not_counted"] = [metric for metric in wanted if metric not in metrics]
    listed["date"] = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    listed["profiler"] = next((line for line in version if line.startswith("Version")), "").replace(
        "Version", "ncu"
    )
    Path(arguments.list).write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")
    if arguments.model and len(arguments.only) != 1:
        names = arguments.only or list(dict.fromkeys(row["operation"] for row in listed["rows"]))
        return measure_each(arguments, names)
    command = [
        arguments.ncu,
        "--nvtx",
        "--csv",
        "--page",
        "raw",
        "--print-units",
        "base",
        "--clock-control",
        "none",
        "--metrics",
        ",".join(metrics),
        "--log-file",
        arguments.csv,
        arguments.program,
        *asked,
    ]
    done = subprocess.run(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False
    )
    sys.stderr.write(done.stderr)
    log = Path(arguments.csv).read_text(encoding="utf-8") if Path(arguments.csv).exists() else ""
    if '"ID",' not in log:
        raise Refused(
            f"ncu profiled nothing and ended with {done.returncode}: {log.strip()[-2000:]}"
        )
    if done.returncode != 0:
        print(
            f"warning: ncu ended with {done.returncode}; what it has is in the tables",
            file=sys.stderr,
        )


def measure_each(arguments, operations):
    """An ncu an operation, so that what came before one that was cut is kept: NAME-OPERATION.csv, and joined NAME.csv."""
    joined = ""
    for operation in operations:
        part = argparse.Namespace(**vars(arguments))
        part.only, part.csv, part.list = (
            [operation],
            f"{arguments.out}-{operation}.csv",
            f"{arguments.out}-{operation}.list.json",
        )
        try:
            measure(part)
        except Refused as error:
            print(f"warning: {operation}: {error}", file=sys.stderr)
            continue
        text = Path(part.csv).read_text(encoding="utf-8")
        lines = text[text.index('"ID",') :].splitlines(keepends=True)
        joined += "".join(lines if not joined else lines[2:])  # heads and units once
        Path(arguments.csv).write_text(joined, encoding="utf-8")
    if not joined:
        raise Refused("ncu profiled no operation")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--out",
        required=True,
        metavar="NAME",
        help="what the names of the files written begin with",
    )
    parser.add_argument(
        "--program", default=str(Path(__file__).resolve().parent / "cuesta_profile")
    )
    parser.add_argument("--ncu", default="ncu")
    parser.add_argument(
        "--without", action="append", default=[], choices=EVERY_METRIC, metavar="METRIC"
    )
    parser.add_argument(
        "--model",
        action="store_true",
        help="the requests and the counters that bench/model is tested with",
    )
    parser.add_argument(
        "--production",
        action="store_true",
        help="the requests of `bench production`, and what binds each",
    )
    parser.add_argument(
        "--climb",
        action="store_true",
        help="the requests of `bench climb`: what a pixel costs, and what binds",
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="OPERATION",
        help="may be given several times",
    )
    parser.add_argument("--csv", help="what an earlier run kept, with --list")
    parser.add_argument("--list")
    arguments = parser.parse_args()
    if sum(getattr(arguments, kind) for kind in KINDS) > 1:
        parser.error("--model, --production and --climb are separate runs")
    if bool(arguments.csv) != bool(arguments.list):
        parser.error("--csv and --list go together")
    try:
        if not arguments.csv:
            arguments.csv, arguments.list = arguments.out + ".csv", arguments.out + ".list.json"
            measure(arguments)
        listed = json.loads(Path(arguments.list).read_text(encoding="utf-8"))
        profile = profile_of(Path(arguments.csv).read_text(encoding="utf-8"), listed)
        profile = {
            key: listed[key] for key in ("date", "profiler", "not_counted") if key in listed
        } | profile
    except (Refused, OSError, KeyError, TypeError, ValueError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        print(f"error: {what}", file=sys.stderr)
        return 3
    Path(arguments.out + ".json").write_text(compact(profile), encoding="utf-8")
    Path(arguments.out + ".md").write_text(markdown_of(profile), encoding="utf-8")
    print(f"{arguments.out}.md\n{arguments.out}.json")
    if profile.get("not_counted"):
        print(f"warning: not counted: {', '.join(profile['not_counted'])}", file=sys.stderr)
    if profile["not_profiled"]:
        print(f"warning: not profiled: {', '.join(profile['not_profiled'])}", file=sys.stderr)
    return 0


def compact(profile):
    """JSON with a kernel a line."""
    rows = [
        json.dumps({key: value for key, value in row.items() if key != "kernels"})[:-1]
        + ', "kernels": [\n  '
        + ",\n  ".join(json.dumps(kernel) for kernel in row["kernels"])
        + "]}"
        for row in profile["rows"]
    ]
    rest = json.dumps({key: value for key, value in profile.items() if key != "rows"})[:-1]
    return rest + ', "rows": [\n' + ",\n".join(rows) + "\n]}\n"


if __name__ == "__main__":
    sys.exit(main())

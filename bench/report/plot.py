#!/usr/bin/env python3
"""Pictures of what `cuesta bench --json` wrote, as SVG. Reads the JSON and nothing else.

    plot.py RESULT.json [RESULT.json ...] --out FOLDER

    roofline.svg            every strategy of experiment `roofline` under the measured roof, log-log
    theory.svg              paper 000's curves (figs. 5 to 7), for its GPU and for the one in use
    speedup-EXPERIMENT.svg  speed-up over one serial core against size
    stages-EXPERIMENT.svg   share of each stage, for rows that have stages
    density.svg             time of labelling against the number of components (experiment `label-density`)

A picture without data is not written. Results of several files are put together; the machine is the
first file's.
"""

import argparse
import collections
import math
import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

from report import merged  # noqa: E402

MARKERS = "osD^v<>pPX*hd8"
COLORS = plt.get_cmap("tab20").colors


def device_name(result):
    gpu = result.get("gpu")
    return gpu["name"] if gpu else result["machine"]["cpu"] + ", no GPU"


def label_of(row):
    if row["space"] != "host":
        return row["strategy"]
    alone = row.get("threads") == 1 and row["strategy"] != "serial"
    return f"{row['strategy']} (CPU, 1 thread)" if alone else f"{row['strategy']} (CPU)"


class Styles:
    """One color and marker a strategy, the same in every picture: by the order of all labels."""

    def __init__(self, rows):
        self.order = list(dict.fromkeys(label_of(row) for row in rows))

    def of(self, label):
        at = self.order.index(label) if label in self.order else len(self.order)
        return {"color": COLORS[(2 * at + at // 10) % 20], "marker": MARKERS[at % len(MARKERS)]}


def best_variants(rows):
    """The fastest variant of each strategy for each request."""
    best = {}
    for row in rows:
        key = (row["operation"], row["parameters"], row["type"], row["width"], row["height"], row["space"], row["strategy"])
        if key not in best or row["ms"] < best[key]["ms"]:
            best[key] = row
    return list(best.values())


def host_bandwidth(rows):
    """GB/s of the largest copy on the host, read and written."""
    copies = [row for row in rows if row["operation"] == "copy" and row["space"] == "host"]
    if not copies:
        return None
    row = max(copies, key=lambda r: r["width"] * r["height"] * r["bytes_per_pixel"])
    return row["width"] * row["height"] * row["bytes_per_pixel"] / (row["ms"] * 1e6)


def spread_out(positions, least):
    """Positions moved apart to at least `least`, in their order."""
    moved = []
    for position in positions:
        moved.append(max(position, moved[-1] + least) if moved else position)
    shift = sum(m - p for m, p in zip(moved, positions)) / len(positions)
    return [m - shift for m in moved]


def draw_roof(axes, result, rows, low, high):
    gpu = result.get("gpu")
    bandwidth = gpu["ceilings"]["copy_gbs"] if gpu else host_bandwidth(rows)
    peak = gpu["ceilings"]["fma_gflops"] if gpu else None
    if not bandwidth:
        return
    ridge = min(peak / bandwidth, high) if peak else high
    axes.plot([low, ridge], [low * bandwidth, ridge * bandwidth], color="black", linewidth=1.5)
    axes.annotate(f"copy {bandwidth:.0f} GB/s", (low, low * bandwidth), xytext=(6, -2), textcoords="offset points",
                  fontsize=9, va="top")
    if peak:
        axes.plot([min(ridge, high), high], [peak, peak], color="black", linewidth=1.5)
        axes.annotate(f"FMA {peak:.0f} GFLOP/s", (high, peak), xytext=(-4, 6), textcoords="offset points", ha="right",
                      fontsize=9)


def roofline(result, out):
    rows = [row for row in result["rows"] if row["experiment"] == "roofline"]
    points = best_variants([row for row in rows if row["gflops"] and row["intensity"]])
    if not points:
        return None
    largest = max(row["width"] * row["height"] for row in points)
    points = [row for row in points if row["width"] * row["height"] == largest]
    styles = Styles(points)
    spaces = [space for space in ("device", "host") if any(row["space"] == space for row in points)]
    figure, panels = plt.subplots(len(spaces), 1, figsize=(13, 6.5 + 2 * len(spaces)), squeeze=False, sharex=True,
                                  height_ratios=[3, 1][:len(spaces)])
    panels = dict(zip(spaces, panels[:, 0]))
    low, high = min(r["intensity"] for r in points) / 1.6, max(r["intensity"] for r in points) * 1.6
    requests = {}
    for row in points:
        requests.setdefault((row["operation"], row["parameters"], row["type"]), []).append(row)
    top, bottom = panels[spaces[0]], panels[spaces[-1]]
    for space, axes in panels.items():
        axes.set(xscale="log", yscale="log", xlim=(low, high), ylabel=f"GFLOP/s, {'GPU' if space == 'device' else 'CPU'}")
        axes.grid(True, which="major", color="0.93")
    bottom.set_xlabel("operations a byte (definition)")
    draw_roof(top, result, rows, low, high)

    names = sorted(requests, key=lambda key: requests[key][0]["intensity"])
    # Names stand over their request, moved apart where requests are close.
    wanted = [math.log10(requests[key][0]["intensity"] / low) / math.log10(high / low) for key in names]
    for key, place in zip(names, spread_out(wanted, 0.035)):
        x = requests[key][0]["intensity"]
        top.annotate(f"{key[0]} {key[1]}, {key[2]}", (x, 1), xycoords=("data", "axes fraction"), xytext=(place, 1.05),
                     textcoords="axes fraction", rotation=40, fontsize=8, ha="left", va="bottom",
                     arrowprops={"arrowstyle": "-", "color": "0.7", "linewidth": 0.6})
        for space, axes in panels.items():
            group = sorted((row for row in requests[key] if row["space"] == space), key=lambda row: row["gflops"])
            axes.axvline(x, color="0.85", linewidth=0.8, zorder=0)
            for at, row in enumerate(group):
                aside = (at % 3 - 1) * 0.018 if len(group) > 3 else 0
                axes.plot(x * 10**aside, row["gflops"], linestyle="none", markersize=7, markeredgecolor="white",
                          markeredgewidth=0.5, label=label_of(row), **styles.of(label_of(row)))
    handles = {}
    for axes in panels.values():
        handles.update(zip(*reversed(axes.get_legend_handles_labels())))
    handles = {label: handles[label] for label in styles.order}
    top.legend(handles.values(), handles.keys(), loc="upper left", bbox_to_anchor=(1.01, 1.0), fontsize=8, frameon=False)
    figure.text(0.05, 0.02, f"{device_name(result)}; {points[0]['width']}x{points[0]['height']}; each strategy's fastest "
                f"variant; neighbours of one request stand a little aside; commit {result['commit']}, {result['date']}",
                fontsize=8)
    return save(figure, out / "roofline.svg")


def theory(result, out):
    points = result.get("theory") or []
    if not points:
        return None
    mine = any(point["gflops"] for point in points)
    figure, all_axes = plt.subplots(1, 2 if mine else 1, figsize=(12 if mine else 7, 4.8), squeeze=False)
    panels = [("paper_gpu_gflops", "the paper's GPU: 80 GB/s, 1403 GFLOP/s")]
    if mine:
        panels.append(("gflops", device_name(result)))
    for axes, (field, title) in zip(all_axes[0], panels):
        curves = {}
        for point in points:
            curves.setdefault((point["strategy"], point["tiles"]), []).append(point)
        for at, ((strategy, tiles), curve) in enumerate(curves.items()):
            label = f"{strategy}, T = {tiles}" if tiles > 1 else strategy
            axes.plot([p["filter"] for p in curve], [p[field] for p in curve], color=COLORS[2 * at], marker=MARKERS[at],
                      markersize=4, label=label)
            printed = [(p["filter"], p["printed_gflops"]) for p in curve if p["printed_gflops"]]
            if field == "paper_gpu_gflops" and printed:
                axes.plot(*zip(*printed), linestyle="none", marker="o", markersize=10, markerfacecolor="none",
                          markeredgecolor="black", label="printed in the paper" if at == 0 else None)
        axes.set(yscale="log", xlabel="filter, taps a side", ylabel="GFLOP/s by the formula", title=title,
                 xticks=sorted({p["filter"] for p in points}))
        axes.grid(True, which="major", color="0.9")
    all_axes[0][0].legend(fontsize=8)
    figure.tight_layout()
    return save(figure, out / "theory.svg")


def speedup(result, experiment, out):
    rows = [row for row in result["rows"] if row["experiment"] == experiment and row["speedup"]
            and not (row["space"] == "host" and row["strategy"] == "serial")]
    sizes = sorted({row["width"] for row in rows})
    if len(sizes) < 2:
        return None
    styles = Styles(rows)
    requests = list(dict.fromkeys((row["operation"], row["parameters"], row["type"]) for row in rows))
    columns = min(3, len(requests))
    lines = -(-len(requests) // columns)
    figure, all_axes = plt.subplots(lines, columns, figsize=(4.6 * columns + 2.6, 4.2 * lines), squeeze=False)
    flat = [axes for line in all_axes for axes in line]
    for axes in flat[len(requests):]:
        axes.set_visible(False)
    handles = {}
    for axes, request in zip(flat, requests):
        curves = {}
        for row in best_variants([r for r in rows if (r["operation"], r["parameters"], r["type"]) == request]):
            curves.setdefault(label_of(row), []).append((row["width"], row["speedup"]))
        for label, curve in curves.items():
            line, = axes.plot(*zip(*sorted(curve)), linewidth=1.2, markersize=5, label=label, **styles.of(label))
            handles[label] = line
        axes.set(xscale="log", yscale="log", title=" ".join(request), xlabel="pixels a side", ylabel="times one serial core")
        axes.title.set_fontsize(10)
        axes.set_xticks(sizes, [str(size) for size in sizes])
        axes.minorticks_off()
        axes.grid(True, color="0.9")
    figure.suptitle(f"{experiment}: speed-up, {device_name(result)}", fontsize=11)
    figure.tight_layout(rect=(0, 0, 1 - 2.2 / figure.get_size_inches()[0], 0.97))
    figure.legend(handles.values(), handles.keys(), loc="center right", fontsize=8, frameon=False)
    return save(figure, out / f"speedup-{experiment}.svg")


def stages(result, experiment, out):
    rows = [row for row in result["rows"] if row["experiment"] == experiment and row["stages"]]
    if not rows:
        return None
    # Of a strategy in many variants, as a grid search has, the fastest.
    few = {id(row) for row in best_variants(rows)}
    alike = collections.Counter((row["operation"], row["parameters"], row["width"], row["space"], row["strategy"])
                                for row in rows)
    rows = [row for row in rows if id(row) in few or alike[(row["operation"], row["parameters"], row["width"],
                                                            row["space"], row["strategy"])] <= 4]
    names = []  # in the order of a call: what a row adds stands behind its neighbour
    for row in rows:
        at = 0
        for name in row["stages"]:
            if name not in names:
                names.insert(at, name)
            at = names.index(name) + 1
    figure, axes = plt.subplots(figsize=(11, 1.6 + 0.34 * len(rows)))
    for at, row in enumerate(rows):
        total = sum(row["stages"].values()) or 1
        left = 0
        for number, name in enumerate(names):
            share = 100 * row["stages"].get(name, 0) / total
            axes.barh(at, share, left=left, color=COLORS[(2 * number + number // 10) % 20], label=name if at == 0 else None)
            if share >= 6:
                axes.text(left + share / 2, at, f"{share:.0f}", ha="center", va="center", fontsize=7)
            left += share
        axes.text(101, at, f"{total:.0f} ms" if total >= 100 else f"{total:.3g} ms", va="center", fontsize=8)
    axes.set_yticks(range(len(rows)), [f"{label_of(row)} {row['strategy_parameters']} {row['parameters']} "
                                       f"{row['width']}x{row['height']}" for row in rows], fontsize=8)
    axes.set(xlim=(0, 125), xlabel="share of the stages' time, %", title=f"{experiment}, {device_name(result)}")
    axes.invert_yaxis()
    # Every stage, also those that the first row lacks.
    axes.legend([plt.Rectangle((0, 0), 1, 1, color=COLORS[(2 * n + n // 10) % 20]) for n in range(len(names))], names,
                loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8, frameon=False)
    figure.tight_layout()
    return save(figure, out / f"stages-{experiment}.svg")


def density(result, out):
    # Squares of the paper's size, by production and rungs: the others were timed at some densities alone.
    rows = [row for row in result["rows"] if row["experiment"] == "label-density" and row["statistics"]
            and row["statistics"].get("square", 20) == 20]
    if not rows:
        return None
    largest = max(row["width"] for row in rows)
    rows = [row for row in rows if row["width"] == largest]
    styles = Styles(rows)
    figure, axes = plt.subplots(figsize=(9, 5))
    for label in styles.order:
        curve = sorted((row["statistics"]["components"], row["ms"], row["ms_spread"] / 2) for row in rows
                       if label_of(row) == label)
        axes.errorbar(*zip(*curve), linewidth=1.2, markersize=5, capsize=2, label=label, **styles.of(label))
    axes.set(yscale="log", xlabel="components, squares of 20x20", ylabel="ms (bars: between quartiles)",
             title=f"labelling {largest}x{largest}, {device_name(result)}")
    axes.grid(True, color="0.9")
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), fontsize=8, frameon=False)
    return save(figure, out / "density.svg")


def save(figure, path):
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)
    return path


def draw(result, out):
    """Every picture the result has data for; their paths."""
    plt.rcParams["svg.hashsalt"] = "cuesta"  # the same bytes from the same JSON
    out.mkdir(parents=True, exist_ok=True)
    written = [roofline(result, out), theory(result, out), density(result, out)]
    for experiment in dict.fromkeys(row["experiment"] for row in result["rows"]):
        written += [speedup(result, experiment, out), stages(result, experiment, out)]
    return [path for path in written if path]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", metavar="RESULT.json")
    parser.add_argument("--out", type=Path, default=Path("."), metavar="FOLDER")
    arguments = parser.parse_args()
    try:
        result = merged(arguments.results)
        written = draw(result, arguments.out)
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"error: no result of cuesta bench --json: {error!r}", file=sys.stderr)
        return 3
    for path in written:
        print(path)
    return 0 if written else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Pictures of what `cuesta bench --json` wrote, as SVG. Reads the JSON and nothing else.

    plot.py RESULT.json [RESULT.json ...] --out FOLDER

    roofline.svg            experiment `roofline`, a panel a request, log-log: each rung at its own operations a byte
    theory.svg              paper 000's curves (figs. 5 to 7), for its GPU and for the one in use, there beside what was measured
    speedup-EXPERIMENT.svg  speed-up over one serial core against size
    stages-EXPERIMENT.svg   share of each stage, for rows that have stages
    density.svg             time of labelling against the number of squares, and against their size (experiment `label-density`)

A picture without data is not written. html/data.js says the same of the page that `cuesta bench --html` writes; colours and markers
are palette.json's. Results of several files are put together; the machine is the
first file's.
"""

import argparse
import collections
import json
import re
import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.lines import Line2D  # noqa: E402
from matplotlib.ticker import LogLocator, NullFormatter  # noqa: E402

from analysis import thinned  # noqa: E402
from report import merged  # noqa: E402

PALETTE = json.loads((Path(__file__).parent / "palette.json").read_text(encoding="utf-8"))
COLORS, MARKERS = PALETTE["series"], PALETTE["markers"]
STAGE_COLORS = COLORS + PALETTE["tints"] + PALETTE["shades"]


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
        return {"color": COLORS[at % len(COLORS)], "marker": MARKERS[at % len(MARKERS)]}


def best_variants(rows):
    """The fastest variant of each strategy for each request."""
    best = {}
    for row in rows:
        key = (row["operation"], row["parameters"], row["type"], row["width"], row["height"], label_of(row))
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


# Names beside points, where there is room.


def boxes_along(ends):
    """Small boxes along a line, in pixels."""
    (x1, y1), (x2, y2) = ends
    steps = max(int(max(abs(x2 - x1), abs(y2 - y1)) / 4), 1)
    return [(x1 + (x2 - x1) * i / steps - 2, y1 + (y2 - y1) * i / steps - 2, 4, 4) for i in range(steps + 1)]


def name_point(axes, text, x, y, taken, **more):
    """Writes a text beside a point where it covers nothing that is taken, if there is such a place: in pixels, as axes' limits
    are now."""
    frame = axes.get_window_extent()
    (px, py), (w, h) = axes.transData.transform((x, y)), (4.4 * len(text), 8)
    for away in (0, 5):
        for left, low in ((px + 6 + away, py - h / 2), (px - w - 6 - away, py - h / 2), (px - w / 2, py + 5 + away),
                          (px - w / 2, py - h - 5 - away), (px + 5, py + 3 + away), (px - w - 5, py + 3 + away),
                          (px + 5, py - h - 3 - away), (px - w - 5, py - h - 3 - away)):
            inside = frame.x0 < left and left + w < frame.x1 and frame.y0 < low and low + h < frame.y1
            if inside and not any(left < a + c and a < left + w and low < b + d and b < low + h for a, b, c, d in taken):
                taken.append((left, low, w, h))
                axes.annotate(text, (left - frame.x0, low - frame.y0), xycoords="axes pixels", fontsize=7, va="bottom", **more)
                return


# The roofline.


def counted_intensity(row):
    """Operations a byte of the accesses that a rung makes; none where it counts none, or where not all are of four bytes."""
    counted = (row.get("accesses") or {}).get("counted")
    if not counted or row["type"] != "f32":
        return None
    return row["intensity"] * row["bytes_per_pixel"] * row["width"] * row["height"] / (4 * counted)


def rung_points(row):
    """(operations a byte, whether hollow): by the paper's formula, as counted, else the request's."""
    points = [(row.get("intensity_paper"), False), (counted_intensity(row), True)]
    return [point for point in points if point[0]] or [(row["intensity"], True)]


def draw_roof(axes, bandwidth, peak, low, high):
    """Its parts, as ends."""
    if not bandwidth:
        return []
    ridge = min(max(peak / bandwidth, low), high) if peak else high
    parts = []
    if low < ridge:
        parts.append(([low, ridge], [low * bandwidth, ridge * bandwidth], f"copy {bandwidth:.0f} GB/s"))
    if ridge < high:
        parts.append(([ridge, high], [peak, peak], f"FMA {peak:.0f} GFLOP/s"))
    for xs, ys, _ in parts:
        axes.plot(xs, ys, color="black", linewidth=1.4)
    return parts


def roofline_panel(axes, rows, styles, bandwidth, peak):
    points = [(row, x, hollow) for row in rows for x, hollow in rung_points(row)]
    request = rows[0]["intensity"]
    low, high = min(x for _, x, _ in points) / 2, max(request, *(x for _, x, _ in points)) * 4
    roof = draw_roof(axes, bandwidth, peak, low, high)
    bottom = min(row["gflops"] for row in rows)
    top = max([row["gflops"] for row in rows] + [y for _, ys, _ in roof for y in ys])
    axes.set(xscale="log", yscale="log", xlim=(low / 1.2, high * 1.2), ylim=(bottom / 1.6, top * 1.7))
    for along, span in ((axes.xaxis, high / low), (axes.yaxis, top / bottom)):
        along.set_major_locator(LogLocator(subs=(1, 2, 5) if span < 300 else (1,)))
        along.set_major_formatter(lambda value, _: f"{value:,.10g}")
        along.set_minor_formatter(NullFormatter())
    axes.grid(True, which="major", color="0.93")
    axes.axvline(request, color="0.6", linewidth=0.8, linestyle=":")
    pixels = axes.transData.transform
    taken = [(*(pixels((x, row["gflops"])) - 4), 8, 8) for row, x, _ in points]
    for xs, ys, _ in roof:
        taken += boxes_along(pixels(list(zip(xs, ys))))
    for row in rows:
        style = styles.of(label_of(row))
        own = [(x, hollow) for other, x, hollow in points if other is row]
        axes.plot([x for x, _ in own], [row["gflops"]] * len(own), color=style["color"], linewidth=1)
        taken += boxes_along(pixels([(own[0][0], row["gflops"]), (own[-1][0], row["gflops"])]))
        for x, hollow in own:
            axes.plot(x, row["gflops"], linestyle="none", markersize=6, label=label_of(row), zorder=3, marker=style["marker"],
                      markeredgecolor=style["color"] if hollow else "white", markeredgewidth=1.2 if hollow else 0.5,
                      markerfacecolor="white" if hollow else style["color"])
    for xs, ys, words in roof:
        name_point(axes, words, (xs[0] * xs[1])**0.5, (ys[0] * ys[1])**0.5, taken, color="0.35")
    for row in rows:
        name_point(axes, label_of(row), rung_points(row)[0][0], row["gflops"], taken)


def roofline(result, out):
    rows = [row for row in result["rows"] if row["experiment"] == "roofline" and row["gflops"] and row["intensity"]]
    if not rows:
        return None
    largest = max(row["width"] * row["height"] for row in rows)
    requests = {}
    for row in best_variants([row for row in rows if row["width"] * row["height"] == largest]):
        requests.setdefault((row["operation"], row["parameters"], row["type"]), []).append(row)
    gpu = result.get("gpu")
    bandwidth, peak = (gpu["ceilings"]["copy_gbs"], gpu["ceilings"]["fma_gflops"]) if gpu else (host_bandwidth(result["rows"]), None)
    columns = min(3, len(requests))
    lines = -(-len(requests) // columns)
    figure, all_axes = plt.subplots(lines, columns, figsize=(5.2 * columns, 3.9 * lines), squeeze=False)
    flat = [axes for line in all_axes for axes in line]
    for axes in flat[len(requests):]:
        axes.set_visible(False)
    styles = Styles(rows)
    figure.suptitle(f"{device_name(result)}, {rows[0]['width']}x{rows[0]['height']}; filled: operations a byte by the paper's formula; "
                    "hollow: by the accesses that the rung makes (f32),\nor the request's, at the dotted line, where there is neither; "
                    f"each strategy's fastest variant; commit {result['commit']}, {result['date']}", fontsize=9)
    for axes, request in zip(flat, requests):
        axes.set_title(f"{request[0]} {request[1]}, {request[2]}", fontsize=10)
        axes.set_xlabel("operations a byte", fontsize=9)
        axes.set_ylabel("GFLOP/s", fontsize=9)
    figure.tight_layout()
    figure.subplots_adjust(wspace=0.24)  # before the panels: names are placed in pixels
    drawn = []
    for axes, group in zip(flat, requests.values()):
        host = sorted((row for row in group if row["space"] == "host"), key=lambda row: row["ms"])
        drawn.append([row for row in group if row["space"] == "device"] + host[:1] if gpu else host)
        if drawn[-1]:
            roofline_panel(axes, drawn[-1], styles, bandwidth, peak)
    names = dict.fromkeys(label_of(row) for row in sum(drawn, []))
    figure.legend([Line2D([], [], linestyle="none", markersize=6, **styles.of(name)) for name in names], names, loc="upper center",
                  bbox_to_anchor=(0.5, 0), ncol=4 * columns, fontsize=8, frameon=False)
    return save(figure, out / "roofline.svg")


# Theory beside measured.


def filter_of(row):
    found = re.search(r"(\d+)x(\d+)", row["parameters"])
    return int(found[1]) if found and found[1] == found[2] else None


def measured_by_filter(result, tiles):
    """Of the requests that differ in the filter's size alone those with the most sizes and strategies, of these the largest picture:
    their words, and by strategy {taps a side: row}, with the theory's T where that was timed, else the fastest."""
    families = {}
    for row in result["rows"]:
        if (row["operation"] == "convolve" and row["space"] == "device" and row["type"] == "f32" and row["gflops"] and filter_of(row)
                and row["strategy"] in tiles):
            words = f"{row['experiment']} {re.sub(r'[ ]*[0-9]+x[0-9]+', '', row['parameters'])} {row['width']}x{row['height']}"
            families.setdefault(words, {}).setdefault(row["strategy"], {}).setdefault(filter_of(row), []).append(row)
    families = {words: curves for words, curves in families.items() if len({n for curve in curves.values() for n in curve}) > 1}
    if not families:
        return "", {}
    *_, words = sorted(families, key=lambda one: sum(len(curve) for curve in families[one].values()))

    def chosen(rows, wanted):
        same = [row for row in rows if wanted > 1 and row["statistics"].get("tiles") == wanted]
        return min(same or rows, key=lambda row: row["ms"])

    return words, {name: {n: chosen(rows, tiles[name]) for n, rows in sorted(curve.items())} for name, curve in families[words].items()}


def theory(result, out):
    points = result.get("theory") or []
    if not points:
        return None
    curves = {}
    for point in points:
        curves.setdefault((point["strategy"], point["tiles"]), []).append(point)
    words, measured = measured_by_filter(result, {strategy: tiles for strategy, tiles in curves})
    panels = [("paper_gpu_gflops", "the paper's GPU: 80 GB/s, 1403 GFLOP/s")]
    if any(point["gflops"] for point in points):
        panels.append(("gflops", device_name(result) + (f"; dashed: measured, {words}" if measured else "")))
    figure, all_axes = plt.subplots(1, len(panels), figsize=(7 * len(panels), 5), squeeze=False)
    for axes, (field, title) in zip(all_axes[0], panels):
        for at, ((strategy, tiles), curve) in enumerate(curves.items()):
            style = {"color": COLORS[at % len(COLORS)], "marker": MARKERS[at % len(MARKERS)]}
            label = f"{strategy}, T = {tiles}" if tiles > 1 else strategy
            axes.plot([p["filter"] for p in curve], [p[field] for p in curve], markersize=3, label=label, **style)
            printed = [(p["filter"], p["printed_gflops"]) for p in curve if p["printed_gflops"]]
            if field == "paper_gpu_gflops" and printed:
                axes.plot(*zip(*printed), linestyle="none", marker="o", markersize=10, markerfacecolor="none",
                          markeredgecolor="black", label="printed in the paper" if at == 0 else None)
            if field == "gflops" and strategy in measured:
                own = measured[strategy]
                axes.plot(own.keys(), [row["gflops"] for row in own.values()], linestyle="--", linewidth=1, markersize=7,
                          markerfacecolor="white", **style)
        axes.set(yscale="log", xlabel="filter, taps a side", ylabel="GFLOP/s", xticks=sorted({p["filter"] for p in points}))
        axes.set_title(title, fontsize=10)
        axes.grid(True, which="major", color="0.9")
    figure.tight_layout()
    handles, labels = all_axes[0][0].get_legend_handles_labels()
    all_axes[0][-1].legend(handles, labels, loc="upper left", bbox_to_anchor=(1.01, 1.0), fontsize=8, frameon=False)
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


def ink_on(color):
    """Black or white, whichever is read on it."""
    red, green, blue = (int(color[at:at + 2], 16) for at in (1, 3, 5))
    return "#14171a" if 0.3 * red + 0.59 * green + 0.11 * blue > 118 else "white"


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
    # By strategy, then by size; what all rows have in common stands in the title.
    def variant(row):
        return f"{label_of(row)} {row['strategy_parameters']}".rstrip()

    order = list(dict.fromkeys(variant(row) for row in rows))
    rows = [row for name in order for row in thinned([row for row in rows if variant(row) == name], 13)]
    rows.sort(key=lambda row: (order.index(variant(row)), row["width"]))
    requests = list(dict.fromkeys(row["parameters"] for row in rows))
    names = []  # in the order of a call: what a row adds stands behind its neighbour
    for row in rows:
        at = 0
        for name in row["stages"]:
            if name not in names:
                names.insert(at, name)
            at = names.index(name) + 1
    figure, axes = plt.subplots(figsize=(11, 1.4 + 0.24 * len(rows)))
    for at, row in enumerate(rows):
        total = sum(row["stages"].values()) or 1
        left = 0
        for number, name in enumerate(names):
            share = 100 * row["stages"].get(name, 0) / total
            color = STAGE_COLORS[number % len(STAGE_COLORS)]
            axes.barh(at, share, left=left, color=color, edgecolor="white", linewidth=0.6)
            if share >= 6:
                axes.text(left + share / 2, at, f"{share:.0f}", ha="center", va="center", fontsize=7, color=ink_on(color))
            left += share
        axes.text(101, at, f"{total:.0f} ms" if total >= 100 else f"{total:.3g} ms", va="center", fontsize=8)
    axes.set_yticks(range(len(rows)), [" ".join([variant(row)] + [row["parameters"]] * (len(requests) > 1)
                                                + [f"{row['width']}x{row['height']}"]) for row in rows], fontsize=8)
    axes.set(xlim=(0, 128), ylim=(len(rows) - 0.4, -0.6), xlabel="share of the stages' time, %")
    axes.set_xticks(range(0, 101, 20))
    axes.set_title(f"{experiment}, {device_name(result)}" + (f"\n{requests[0]}" if len(requests) == 1 else ""), fontsize=10)
    # Every stage, also those that the first row lacks.
    axes.legend([plt.Rectangle((0, 0), 1, 1, color=STAGE_COLORS[n % len(STAGE_COLORS)]) for n in range(len(names))], names,
                loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8, frameon=False)
    figure.tight_layout()
    return save(figure, out / f"stages-{experiment}.svg")


PAPERS_SQUARE = 20


def square_of(row):
    return row["statistics"].get("square", PAPERS_SQUARE)


def count_of(row):
    return row["statistics"]["components"]


def density_panels(rows):
    """(title, words of x, what is x of a row, rows): by the number of squares, for each size of them with three or more; then by
    their size, for each quarter of the most that was timed."""
    squares = {}
    for row in rows:
        squares.setdefault(square_of(row), []).append(row)
    squares = {square: own for square, own in squares.items() if len({count_of(row) for row in own}) > 2}
    most = {square: max(map(count_of, own)) for square, own in squares.items()}
    panels = [(f"squares of {square:g}x{square:g}", "components", count_of, squares[square])
              for square in sorted(squares, key=lambda square: (square != PAPERS_SQUARE, square))]
    for quarters in (1, 2, 3, 4):
        own = [row for row in rows if square_of(row) in most and count_of(row) == most[square_of(row)] * quarters // 4]
        if len({square_of(row) for row in own}) > 1:
            panels.append((f"{25 * quarters} % of the squares that fit", "granularity: side of the squares", square_of, own))
    return panels


def density(result, out):
    rows = [row for row in result["rows"] if row["experiment"] == "label-density" and "components" in row["statistics"]]
    largest = max((row["width"] for row in rows), default=0)
    rows = [row for row in rows if row["width"] == largest]
    if not (panels := density_panels(rows)):
        return None
    panels = panels[:1] + [panel for panel in panels if panel[2] is square_of]  # the page has the other squares' numbers
    styles = Styles(rows)
    columns = min(3, len(panels))
    lines = -(-len(panels) // columns)
    figure, all_axes = plt.subplots(lines, columns, figsize=(6.5 * columns + 2, 4.6 * lines), squeeze=False, sharey=True)
    flat = [axes for line in all_axes for axes in line]
    for axes in flat[len(panels):]:
        axes.set_visible(False)
    for axes, (title, words, x_of, some) in zip(flat, panels):
        for label in styles.order:
            fastest = {}
            for row in sorted((row for row in some if label_of(row) == label), key=lambda row: -row["ms"]):
                fastest[x_of(row)] = (row["ms"], row["ms_spread"] / 2)
            if curve := sorted((at, *time) for at, time in fastest.items()):
                many = len(curve) > 30
                axes.errorbar(*zip(*curve), linewidth=1.2, markersize=0 if many else 5, capsize=0 if many else 2, label=label,
                              **styles.of(label))
        axes.set(yscale="log", xlabel=words, ylabel="ms (bars: between quartiles)")
        axes.set_title(title, fontsize=10)
        if x_of is square_of:
            axes.set_xscale("log")
            sides = sorted({square_of(row) for row in some})
            axes.set_xticks(sides, [f"{side:g}" for side in sides])
            axes.minorticks_off()
        axes.grid(True, color="0.9")
    figure.suptitle(f"labelling {rows[0]['width']}x{rows[0]['height']}, {device_name(result)}", fontsize=11)
    figure.tight_layout()
    handles = {}
    for axes in flat[:len(panels)]:
        handles.update(zip(*reversed(axes.get_legend_handles_labels())))
    flat[columns - 1].legend(handles.values(), handles.keys(), loc="upper left", bbox_to_anchor=(1.01, 1.0), fontsize=8, frameon=False)
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

"""A picture for each claim of the papers (charts.py), of what `cuesta bench --json` wrote; None where the run has no data for it.

tiles       paper 000, many tiles a block gain with the picture: time by T over T = 1, by size
memories    paper 002, which memory wins: time against the side of the filter
crossover   paper 001, the GPU outperforms the CPU: time against N, with and without copies
search      paper 001, steps of the search grow as log N: depth against N, and two fits
versions    paper 004, each version is faster: its stages, and the time of a frame
predicted   the model's time of each rung against the measured one

The seventh, time against the number of components, is `density` of pictures.py.
"""

import analysis
from pictures import best_variants, rounded, where

CURVES = ("naive", "shared", "constant", "texture", "shared-constant", "two-pass")


def rows_of(result, experiment, **wanted):
    return [
        row
        for row in result["rows"]
        if row["experiment"] == experiment
        and all(row[key] == value for key, value in wanted.items())
    ]


def parameter(row, name):
    given = dict(word.split("=", 1) for word in row["strategy_parameters"].split() if "=" in word)
    return given.get(name)


def axis(label, ticks=None, log=True):
    return {"label": label, "log": log} | ({"ticks": ticks} if ticks else {})


def curves(named, **more):
    return [
        {"name": name, "style": at, "points": rounded(sorted(points))} | more
        for at, (name, points) in enumerate(named.items())
    ]


def tiles(result):
    panels = []
    for request in ("laplacian 3x3", "gaussian 5x5"):
        rows = [
            row
            for row in rows_of(
                result, "log-ladder", strategy="tiled", parameters=request, type="f32"
            )
            if parameter(row, "block") == "32" and parameter(row, "unroll") in (None, "some")
        ]
        ms = {(parameter(row, "T"), row["width"]): row["ms"] for row in rows}
        sizes = sorted({size for _, size in ms})
        if len(sizes) < 2 or any(("1", size) not in ms for size in sizes):
            continue
        by_tiles = {}
        for (count, size), value in sorted(ms.items(), key=lambda one: int(one[0][0])):
            by_tiles.setdefault(f"T = {count}", []).append((size, value / ms["1", size]))
        panels.append(
            {
                "title": f"{request}, f32, blocks of 32",
                "x": axis("pixels a side", sizes),
                "y": axis("time over that of T = 1", log=False),
                "series": curves(by_tiles),
            }
        )
    title = f"Paper 000: do many tiles from one load gain with the picture? {where(result)}"
    return {"title": title, "panels": panels} if panels else None


def memories(result):
    panels = []
    for size in (256, 2048):
        by_memory = {}
        for row in best_variants(rows_of(result, "memory-ladder", width=size, space="device")):
            if row["parameters"].startswith("averaging ") and row["strategy"] in CURVES:
                side = int(row["parameters"].rsplit("x", 1)[1])
                by_memory.setdefault(row["strategy"], []).append((side, 1000 * row["ms"]))
        if by_memory:
            ordered = {name: by_memory[name] for name in CURVES if name in by_memory}
            panels.append(
                {
                    "title": f"averaging, {size}x{size}",
                    "x": axis("taps a side", [3, 5, 9]),
                    "y": axis("µs"),
                    "series": curves(ordered),
                }
            )
    title = f"Paper 002: which memory wins? {where(result)}"
    return {"title": title, "panels": panels} if panels else None


def crossover(result):
    lines = {}
    device = [row for row in rows_of(result, "canny-stages", space="device", operation="canny")
              if row["strategy"] != "npp" and "photographs" not in row["parameters"]]  # fmt: skip
    for field, name in (
        ("ms", "GPU, pictures resident"),
        ("pinned_ms", "GPU, from pinned memory"),
        ("pageable_ms", "GPU, from pageable memory"),
    ):
        for size in sorted({row["width"] for row in device}):
            times = [row[field] for row in device if row["width"] == size and row[field]]
            if times:
                lines.setdefault(name, []).append((size, min(times)))
    for row in rows_of(result, "canny-stages", space="host", strategy="simd"):
        if "photographs" not in row["parameters"]:
            name = "CPU, 1 thread" if row["threads"] == 1 else f"CPU, {row['threads']} threads"
            lines.setdefault(name, []).append((row["width"], row["ms"]))
    if not device or len(lines) < 4:
        return None
    sizes = sorted({row["width"] for row in device})
    panel = {
        "title": "Canny, the fastest of each",
        "x": axis("pixels a side", sizes),
        "y": axis("ms a picture"),
        "series": curves(lines),
    }
    title = f"Paper 001: from which size does the GPU\noutperform the CPU? {where(result)}"
    return {"title": title, "panels": [panel]}


def search(result):
    """A panel for each kind of pictures."""
    found, panels = {}, []
    for one in result.get("figures", []):
        if (one["experiment"], one["what"], one["source"]) == ("canny-stages", "depth", "found"):
            found.setdefault(one["detail"], []).append((one["width"], one["value"]))
    kinds = {"made": "made pictures", "natural": "natural pictures", "photographs": "photographs"}
    if "made" not in found and "" in found:
        found["made"] = found[""]
    for kind, name in kinds.items():
        points = sorted(found.get(kind, []))
        if len(points) < 3:
            continue
        fits = {way: rest for way, *rest in analysis.growth(points)}
        series = curves({"measured": points})
        sides = [points[0][0] * (points[-1][0] / points[0][0]) ** (i / 20) for i in range(21)]
        if "logarithm" in fits:
            a, b, _ = fits["logarithm"]
            fitted = [(n, analysis.at_logarithm(a, b, n)) for n in sides]
            series.append(fit_of("a + b log N", 1, fitted))
        if "power" in fits:
            c, p, _ = fits["power"]
            series.append(fit_of(f"N^{p:.2f}", 2, [(n, c * n**p) for n in sides]))
        panels.append(
            {
                "title": name,
                "x": axis("pixels a side", [n for n, _ in points]),
                "y": axis("steps of the search", log=False),
                "series": series,
            }
        )
    title = f"Paper 001: do steps grow as log N? {where(result)}"
    return {"title": title, "panels": panels} if panels else None


def fit_of(name, style, points):
    return {"name": name, "style": style, "dashed": True, "plain": True, "points": rounded(points)}


def versions(result):
    rows = [
        row
        for row in rows_of(result, "motion-ladder", space="device")
        if row["stages"]
        and row["strategy"] not in ("plain", "npp")
        and parameter(row, "boxes") in (None, "gpu")
        and parameter(row, "windows") in (None, "cells")
    ]
    rows = sorted(
        best_variants(rows), key=lambda row: (not row["strategy"].startswith("v"), row["strategy"])
    )
    if not rows:
        return None
    names = list(dict.fromkeys(name for row in rows for name in row["stages"]))
    bars = []
    for row in rows:
        total = sum(row["stages"].values())
        shares = [float(f"{100 * row['stages'].get(name, 0) / total:.3g}") for name in names]
        bars.append(
            {"label": row["strategy"], "shares": shares, "end": f"{1000 * row['ms']:.0f} µs"}
        )
    title = f"Paper 004: is each version faster than the last? Time of a frame, shares of stages, {where(result)}"
    return {"title": title, "names": names, "bars": bars}


def predictions(result):
    """(operation, measured, predicted) of each rung of the experiment `model`, µs."""
    return [
        (row["operation"], 1000 * row["ms"], 1000 * row["predicted_ms"])
        for row in rows_of(result, "model", space="device")
        if row.get("predicted_ms") and row["ms"]
    ]


def is_close(one):
    _, measured, predicted_ = one
    return 0.8 <= predicted_ / measured <= 1.2


def predicted(result):
    found, points = predictions(result), {}
    if not found:
        return None
    for operation, *pair in found:
        points.setdefault(operation, []).append(tuple(pair))
    both = [value for _, *pair in found for value in pair]
    low, high = min(both) / 1.2, max(both) * 1.2
    series = curves(points, dots=True)
    for factor, dashed in ((1, False), (0.8, True), (1.2, True)):
        line = {"name": "", "style": None, "plain": True, "dashed": dashed,
                "points": rounded([(low, factor * low), (high, factor * high)])}  # fmt: skip
        series.append(line)
    panel = {
        "title": f"{sum(map(is_close, found))} of {len(found)} rows within a fifth (dashed)",
        "x": axis("measured, µs"),
        "y": axis("predicted, µs"),
        "series": series,
    }
    return {"title": f"The model's time of each rung, {where(result)}", "panels": [panel]}


def all_of(result):
    """Those that the result has data for, by name."""
    made = {
        one.__name__: one(result)
        for one in (tiles, memories, crossover, search, versions, predicted)
    }
    return {name: drawing for name, drawing in made.items() if drawing}

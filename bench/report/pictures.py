"""Drawings (charts.py) of what `cuesta bench --json` wrote; of a picture without data, None.

roofline    experiment `roofline`, a panel a request, log-log: each step at its own operations a byte
theory      paper 000's curves (figs. 5 to 7), for its GPU and for the one in use, beside what was measured
speedup     speed-up over one serial core against size, for an experiment
stages      share of each stage, for an experiment whose rows have stages
density     time of labelling against the number of squares, and against their size (experiment `label-density`)
"""

import collections
import re

from analysis import thinned

PAPERS_SQUARE = 20
MOST_POINTS = 46  # of a curve


def where(result):
    gpu = result.get("gpu")
    return gpu["name"] if gpu else result["machine"]["cpu"] + ", no GPU"


def label_of(row):
    if row["space"] != "host":
        return row["strategy"]
    alone = row.get("threads") == 1 and row["strategy"] != "serial"
    return f"{row['strategy']} (CPU, 1 thread)" if alone else f"{row['strategy']} (CPU)"


def styles_of(rows):
    """A style for each label, the same in every panel."""
    return {label: at for at, label in enumerate(dict.fromkeys(label_of(row) for row in rows))}


def rounded(points):
    return [[float(f"{x:.5g}"), float(f"{y:.4g}")] for x, y in points]


def best_variants(rows):
    """The fastest variant of each strategy for each request."""
    best = {}
    for row in rows:
        key = (
            row["operation"],
            row["parameters"],
            row["type"],
            row["width"],
            row["height"],
            label_of(row),
        )
        if key not in best or row["ms"] < best[key]["ms"]:
            best[key] = row
    return list(best.values())


def requests_of(rows):
    found = {}
    for row in rows:
        found.setdefault((row["operation"], row["parameters"], row["type"]), []).append(row)
    return found


# The roofline.


def host_bandwidth(rows):
    """GB/s of the largest copy on the host, read and written."""
    copies = [row for row in rows if row["operation"] == "copy" and row["space"] == "host"]
    if not copies:
        return None
    row = max(copies, key=lambda r: r["width"] * r["height"] * r["bytes_per_pixel"])
    return row["width"] * row["height"] * row["bytes_per_pixel"] / (row["ms"] * 1e6)


def counted_intensity(row):
    """Operations a byte of the accesses that a step makes; None where they are not counted or not all of four bytes."""
    counted = (row.get("accesses") or {}).get("counted")
    if not counted or row["type"] != "f32":
        return None
    return row["intensity"] * row["bytes_per_pixel"] * row["width"] * row["height"] / (4 * counted)


def rung_points(row):
    """(operations a byte, whether hollow): by the paper's formula, as counted, else the request's."""
    points = [(row.get("intensity_paper"), False), (counted_intensity(row), True)]
    return [point for point in points if point[0]] or [(row["intensity"], True)]


def roof(bandwidth, peak, low, high):
    """Its parts as series without a style."""
    if not bandwidth:
        return []
    ridge = min(max(peak / bandwidth, low), high) if peak else high
    parts = []
    if low < ridge:
        parts.append(
            (f"copy {bandwidth:.0f} GB/s", [(low, low * bandwidth), (ridge, ridge * bandwidth)])
        )
    if ridge < high:
        parts.append((f"FMA {peak:.0f} GFLOP/s", [(ridge, peak), (high, peak)]))
    return [{"name": name, "style": None, "points": rounded(points)} for name, points in parts]


def roofline_panel(title, rows, styles, bandwidth, peak):
    series = []
    for row in rows:
        label = label_of(row)
        for x, hollow in rung_points(row):
            series.append(
                {"name": label, "style": styles[label], "points": rounded([(x, row["gflops"])])}
                | ({"hollow": True} if hollow else {})
            )
    request = rows[0]["intensity"]
    xs = [x for one in series for x, _ in one["points"]]
    top = roof(bandwidth, peak, min(xs) / 2, max(request, *xs) * 4)
    values = [row["gflops"] for row in rows] + [y for part in top for _, y in part["points"]]
    bottom = min(row["gflops"] for row in rows)
    dotted = {
        "name": "",
        "style": None,
        "dashed": True,
        "points": rounded([(request, bottom / 1.5), (request, max(values) * 1.6)]),
    }
    return {"title": title, "x": {"label": "operations a byte", "log": True}, "y": {"label": "GFLOP/s", "log": True},
            "series": [*top, dotted, *series], "named": True}  # fmt: skip


def roofline(result):
    rows = [
        row
        for row in result["rows"]
        if row["experiment"] == "roofline" and row["gflops"] and row["intensity"]
    ]
    if not rows:
        return None
    largest = max(row["width"] * row["height"] for row in rows)
    gpu = result.get("gpu")
    bandwidth, peak = (
        (gpu["ceilings"]["copy_gbs"], gpu["ceilings"]["fma_gflops"])
        if gpu
        else (host_bandwidth(result["rows"]), None)
    )
    styles, panels = styles_of(rows), []
    for request, group in requests_of(
        best_variants([row for row in rows if row["width"] * row["height"] == largest])
    ).items():
        host = sorted((row for row in group if row["space"] == "host"), key=lambda row: row["ms"])
        shown = [row for row in group if row["space"] == "device"] + host[:1] if gpu else host
        if shown:
            panels.append(
                roofline_panel(
                    f"{request[0]} {request[1]}, {request[2]}", shown, styles, bandwidth, peak
                )
            )
    title = (f"{where(result)}, {rows[0]['width']}x{rows[0]['height']}; each strategy's fastest variant. Filled: operations a byte by "
             "the paper's formula.\nHollow: by the accesses that the step makes (f32), or the request's (dashed line) where "
             f"there is neither. Commit {result['commit']}, {result['date']}")  # fmt: skip
    return {"title": title, "panels": panels}


# Theory beside measured.


def filter_of(row):
    found = re.search(r"(\d+)x(\d+)", row["parameters"])
    return int(found[1]) if found and found[1] == found[2] else None


def measured_by_filter(result, tiles):
    """Of the requests that differ only in the filter's size, those with the most sizes and strategies, and of these the largest
    picture: their words, and by strategy {taps a side: row}, with the theory's T where it was timed, else the fastest."""
    families = {}
    for row in result["rows"]:
        fits = (
            row["operation"] == "convolve"
            and row["space"] == "device"
            and row["type"] == "f32"
            and row["gflops"]
        )
        if fits and filter_of(row) and row["strategy"] in tiles:
            words = f"{row['experiment']} {re.sub(r'[ ]*[0-9]+x[0-9]+', '', row['parameters'])} {row['width']}x{row['height']}"
            families.setdefault(words, {}).setdefault(row["strategy"], {}).setdefault(
                filter_of(row), []
            ).append(row)
    families = {
        words: curves
        for words, curves in families.items()
        if len({n for curve in curves.values() for n in curve}) > 1
    }
    if not families:
        return "", {}
    *_, words = sorted(
        families, key=lambda one: sum(len(curve) for curve in families[one].values())
    )

    def chosen(rows, wanted):
        same = [row for row in rows if wanted > 1 and row["statistics"].get("tiles") == wanted]
        return min(same or rows, key=lambda row: row["ms"])

    return words, {
        name: {n: chosen(rows, tiles[name]) for n, rows in sorted(curve.items())}
        for name, curve in families[words].items()
    }


def theory(result):
    points = result.get("theory") or []
    if not points:
        return None
    curves = {}
    for point in points:
        curves.setdefault((point["strategy"], point["tiles"]), []).append(point)
    words, measured = measured_by_filter(result, dict(curves.keys()))
    titles = {"paper_gpu_gflops": "the paper's GPU: 80 GB/s, 1403 GFLOP/s"}
    if any(point["gflops"] for point in points):
        titles["gflops"] = where(result) + ("; dashed: measured" if measured else "")
    panels = []
    for field, title in titles.items():
        series = []
        for at, ((strategy, tiles), curve) in enumerate(curves.items()):
            name = f"{strategy}, T = {tiles}" if tiles > 1 else strategy
            series.append(
                {
                    "name": name,
                    "style": at,
                    "points": rounded((p["filter"], p[field]) for p in curve),
                }
            )
            printed = [(p["filter"], p["printed_gflops"]) for p in curve if p["printed_gflops"]]
            if field == "paper_gpu_gflops" and printed:
                series += [
                    {
                        "name": "printed in the paper",
                        "style": len(curves),
                        "hollow": True,
                        "points": rounded([one]),
                    }
                    for one in printed
                ]
            if field == "gflops" and strategy in measured:
                own = rounded((n, row["gflops"]) for n, row in measured[strategy].items())
                series.append(
                    {"name": name, "style": at, "hollow": True, "dashed": True, "points": own}
                )
        axis = {"label": "filter, taps a side", "ticks": sorted({p["filter"] for p in points})}
        panels.append(
            {"title": title, "x": axis, "y": {"label": "GFLOP/s", "log": True}, "series": series}
        )
    title = "Paper 000, figs. 5 to 7: FLOP/byte times bandwidth" + (
        f"\nmeasured: {words}" if measured else ""
    )
    return {"title": title, "panels": panels}


# By size, by stage, by density.


def speedup(result, experiment):
    rows = [row for row in result["rows"] if row["experiment"] == experiment and row["speedup"]
            and not (row["space"] == "host" and row["strategy"] == "serial")]  # fmt: skip
    sizes = sorted({row["width"] for row in rows})
    if len(sizes) < 2:
        return None
    styles, panels = styles_of(rows), []
    for request, group in requests_of(best_variants(rows)).items():
        curves = {}
        for row in group:
            curves.setdefault(label_of(row), []).append((row["width"], row["speedup"]))
        series = [
            {"name": name, "style": styles[name], "points": rounded(sorted(curve))}
            for name, curve in curves.items()
        ]
        panels.append({"title": " ".join(request), "x": {"label": "pixels a side", "log": True, "ticks": sizes},
                       "y": {"label": "times one serial core", "log": True}, "series": series})  # fmt: skip
    return {
        "title": f"{experiment}: speed-up over one serial core, {where(result)}",
        "panels": panels,
    }


def variant(row):
    return f"{label_of(row)} {row['strategy_parameters']}".rstrip()


def stages(result, experiment):
    rows = [row for row in result["rows"] if row["experiment"] == experiment and row["stages"]]
    if not rows:
        return None
    # Of a strategy in many variants, as a grid search has, the fastest.
    few = {id(row) for row in best_variants(rows)}

    def request(row):
        return tuple(row[key] for key in ("operation", "parameters", "width", "space", "strategy"))

    alike = collections.Counter(map(request, rows))
    rows = [row for row in rows if id(row) in few or alike[request(row)] <= 4]
    order = list(dict.fromkeys(variant(row) for row in rows))
    rows = [
        row for name in order for row in thinned([row for row in rows if variant(row) == name], 13)
    ]
    rows.sort(key=lambda row: (order.index(variant(row)), row["width"]))
    requests = list(dict.fromkeys(row["parameters"] for row in rows))
    names = []  # in the order of a call: a stage that a row adds is behind the stage before it
    for row in rows:
        at = 0
        for name in row["stages"]:
            if name not in names:
                names.insert(at, name)
            at = names.index(name) + 1
    bars = []
    for row in rows:
        total = sum(row["stages"].values()) or 1
        words = (
            [variant(row)]
            + [row["parameters"]] * (len(requests) > 1)
            + [f"{row['width']}x{row['height']}"]
        )
        shares = [float(f"{100 * row['stages'].get(name, 0) / total:.3g}") for name in names]
        bars.append(
            {
                "label": " ".join(words),
                "shares": shares,
                "end": f"{total:.0f} ms" if total >= 100 else f"{total:.3g} ms",
            }
        )
    title = f"{experiment}, {where(result)}" + (f"\n{requests[0]}" if len(requests) == 1 else "")
    return {"title": title, "names": names, "bars": bars}


def square_of(row):
    return row["statistics"].get("square", PAPERS_SQUARE)


def count_of(row):
    return row["statistics"]["components"]


def density_panels(rows):
    """(title, what x is, x of a row, rows): by the number of the paper's squares; then by their size, for each quarter of the
    most squares that were timed."""
    squares = {}
    for row in rows:
        squares.setdefault(square_of(row), []).append(row)
    squares = {
        square: own for square, own in squares.items() if len({count_of(row) for row in own}) > 2
    }
    most = {square: max(map(count_of, own)) for square, own in squares.items()}
    first = min(squares, key=lambda square: (square != PAPERS_SQUARE, square), default=None)
    panels = (
        []
        if first is None
        else [(f"squares of {first:g}x{first:g}", "components", count_of, squares[first])]
    )
    for quarters in (1, 2, 3, 4):
        own = [
            row
            for row in rows
            if square_of(row) in most and count_of(row) == most[square_of(row)] * quarters // 4
        ]
        if len({square_of(row) for row in own}) > 1:
            panels.append(
                (
                    f"{25 * quarters} % of the squares that fit",
                    "side of the squares",
                    square_of,
                    own,
                )
            )
    return panels


def density(result):
    rows = [
        row
        for row in result["rows"]
        if row["experiment"] == "label-density" and "components" in row["statistics"]
    ]
    largest = max((row["width"] for row in rows), default=0)
    rows = [row for row in rows if row["width"] == largest]
    styles, panels = styles_of(rows), []
    for title, words, x_of, some in density_panels(rows):
        series = []
        for label, style in styles.items():
            fastest = {}
            for row in sorted(
                (row for row in some if label_of(row) == label), key=lambda row: -row["ms"]
            ):
                fastest[x_of(row)] = row["ms"]
            if fastest:
                points = thinned(sorted(fastest.items()), MOST_POINTS)
                series.append(
                    {"name": label, "style": style, "points": rounded(points)}
                    | ({"plain": True} if len(points) > 30 else {})
                )
        axis = {"label": words}
        if x_of is square_of:
            axis |= {"log": True, "ticks": sorted({square_of(row) for row in some})}
        panels.append(
            {"title": title, "x": axis, "y": {"label": "ms", "log": True}, "series": series}
        )
    return (
        {"title": f"labelling {largest}x{largest}, {where(result)}", "panels": panels}
        if panels
        else None
    )


def all_of(result):
    """Every picture that the result has data for, by name."""
    drawings = {"roofline": roofline(result), "theory": theory(result), "density": density(result)}
    for experiment in dict.fromkeys(row["experiment"] for row in result["rows"]):
        drawings[f"speedup-{experiment}"] = speedup(result, experiment)
        drawings[f"stages-{experiment}"] = stages(result, experiment)
    return {name: drawing for name, drawing in drawings.items() if drawing}

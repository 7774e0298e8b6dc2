"""What rows tell beside their own cells: from where on one is faster, how something grows. Plain arithmetic on what `cuesta bench
--json` wrote; report.py lays it out."""

import math

# Where a device's pictures are, and the field of its time so.
COPIES = (("resident", "ms"), ("pinned", "pinned_ms"), ("pageable", "pageable_ms"))


def fastest(rows, field="ms"):
    """The row with the least time; None where none has one."""
    return min((row for row in rows if row.get(field)), key=lambda row: row[field], default=None)


def contenders(rows):
    """The host's fastest by who and on how many threads: ours, then OpenCV, one thread first; copies and references apart."""
    found = {}
    for row in rows:
        if row["space"] == "host" and row["operation"] != "copy" and row["strategy"] != "serial":
            who = "opencv" if row["strategy"] == "opencv" else "ours"
            found.setdefault((who != "ours", row["threads"]), (who, row["threads"]))
    return [found[key] for key in sorted(found)]


def of_contender(rows, who, threads):
    return fastest(
        [
            row
            for row in rows
            if row["space"] == "host"
            and row["operation"] != "copy"
            and row["strategy"] != "serial"
            and row["threads"] == threads
            and (row["strategy"] == "opencv") == (who == "opencv")
        ]
    )


def of_device(rows, field="ms"):
    """Ours on the device: peers and copies apart."""
    return fastest(
        [
            row
            for row in rows
            if row["space"] == "device" and row["operation"] != "copy" and row["strategy"] != "npp"
        ],
        field,
    )


def where(wins):
    """In words, of pairs (place, whether it wins there) in their order; where that is None nothing is known."""
    known = [(place, won) for place, won in wins if won is not None]
    won = [place for place, yes in known if yes]
    if not known:
        return "-"
    if len(won) in (0, len(known)):
        return "everywhere" if won else "nowhere"
    if won == [place for place, _ in known[-len(won) :]]:
        return f"from {won[0]} on"
    if won == [place for place, _ in known[: len(won)]]:
        return f"up to {won[-1]}"
    return "at " + ", ".join(won) if len(won) <= 4 else f"at {len(won)} of {len(known)}"


def crossovers(cells):
    """Of cells (place, rows) in their order: a line for each contender of the host, where the device's fastest row is faster
    than it, with the device's pictures resident, pinned, pageable."""
    lines = []
    for who, threads in contenders([row for _, rows in cells for row in rows]):
        line = [f"{who}, {threads} thread{'' if threads == 1 else 's'}"]
        for _, field in COPIES:
            wins = []
            for place, rows in cells:
                ours, theirs = of_device(rows, field), of_contender(rows, who, threads)
                wins.append((place, ours[field] < theirs["ms"] if ours and theirs else None))
            line.append(where(wins))
        lines.append(line)
    return lines


def line_through(points):
    """Least squares: (a, b, R²) of y = a + b x; None for fewer than three points or a single x."""
    if len(points) < 3:
        return None
    n = len(points)
    mean_x, mean_y = sum(x for x, _ in points) / n, sum(y for _, y in points) / n
    xx = sum((x - mean_x) ** 2 for x, _ in points)
    yy = sum((y - mean_y) ** 2 for _, y in points)
    xy = sum((x - mean_x) * (y - mean_y) for x, y in points)
    if xx == 0:
        return None
    slope = xy / xx
    return mean_y - slope * mean_x, slope, xy * xy / (xx * yy) if yy else 1.0


def growth(points):
    """How a positive figure grows with N, of pairs (N, figure): ("logarithm", a, b, R²) for a + b log₂ N and ("power", c, p, R²)
    for c N^p; what cannot be fitted is left out. R² of the second is that of the logarithms."""
    fits = []
    if fit := line_through([(math.log2(n), value) for n, value in points]):
        fits.append(("logarithm", *fit))
    if all(value > 0 for _, value in points) and (
        fit := line_through([(math.log(n), math.log(v)) for n, v in points])
    ):
        fits.append(("power", math.exp(fit[0]), *fit[1:]))
    return fits


def at_logarithm(a, b, n):
    return a + b * math.log2(n)


def thinned(items, most):
    """At most this many, evenly, the first and the last among them."""
    if len(items) <= most:
        return list(items)
    return [items[round(i * (len(items) - 1) / (most - 1))] for i in range(most)]

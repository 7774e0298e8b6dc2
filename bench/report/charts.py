"""SVG from a drawing, which is plain data: panels of lines over axes, bars of shares, or a map of cells. The same bytes from the same data.

    {"title": "...", "panels": [{"title": "...", "x": AXIS, "y": AXIS, "series": [SERIES, ...], "named": false}, ...]}
    {"title": "...", "names": ["gaussian", ...], "bars": [{"label": "...", "shares": [12.5, ...], "end": "0.2 ms"}, ...]}
    {"title": "...", "names": ["below 2", ...], "map": [{"label": "...", "levels": "00213"}, ...]}

An AXIS has `label`, and may have `log`, `ticks` and `range`. A SERIES has `name`, `style` (its place in the palette, or null
for black), `points` as [x, y], and may have `dashed`, `hollow`, `plain` (no markers) or `dots` (no line). With `named`, names stand beside
points where there is room; otherwise the names are in a legend.
"""

import itertools
import json
import math
from html import escape
from pathlib import Path

PALETTE = json.loads((Path(__file__).parent / "palette.json").read_text(encoding="utf-8"))
COLORS = PALETTE["series"]
SHADES = COLORS + PALETTE["tints"] + PALETTE["shades"]
# Markers within a box of 8 by 8.
SHAPES = {
    "o": '<circle cx="4" cy="4" r="3"/>', "s": '<path d="M1 1h6v6h-6z"/>', "^": '<path d="M4 0.5 7.5 7h-7z"/>',
    "D": '<path d="M4 0.3 7.7 4 4 7.7 0.3 4z"/>', "v": '<path d="M4 7.5 7.5 1h-7z"/>', "P": '<path d="M3 1h2v2h2v2h-2v2h-2v-2h-2v-2h2z"/>',
    "X": '<path d="M2 0.6 4 2.6 6 0.6 7.4 2 5.4 4 7.4 6 6 7.4 4 5.4 2 7.4 0.6 6 2.6 4 0.6 2z"/>', "<": '<path d="M0.5 4 7 0.5v7z"/>',
    ">": '<path d="M7.5 4 1 0.5v7z"/>', "p": '<path d="M4 0.4 7.6 3 6.2 7.3h-4.4L0.4 3z"/>', "h": '<path d="M4 0.4 7.2 2.2v3.6L4 7.6 0.8 5.8V2.2z"/>',
    "*": '<path d="M4 0 5 3h3L5.6 4.8 6.5 8 4 6 1.5 8 2.4 4.8 0 3h3z"/>', "d": '<path d="M4 0.3 6.4 4 4 7.7 1.6 4z"/>',
}  # fmt: skip
WIDTH, HEIGHT = 300, 210  # of a panel's frame
LEFT, RIGHT, ABOVE, BELOW = 62, 14, 30, 42
LETTER = 5.6  # the mean width of a letter of 10 pixels


def short(value):
    """A coordinate with one decimal, without a trailing zero."""
    return f"{value:.1f}".removesuffix(".0")


def text(x, y, words, size=10, anchor="start", more=""):
    of = ("" if size == 10 else f' font-size="{size}"') + (
        "" if anchor == "start" else f' text-anchor="{anchor}"'
    )
    return f'<text x="{short(x)}" y="{short(y)}"{of}{more}>{escape(words)}</text>'


def color_of(style):
    return "#000" if style is None else COLORS[style % len(COLORS)]


def marker_of(style, hollow=False):
    return f"m{style % (len(COLORS) * len(PALETTE['markers']))}{'h' if hollow else ''}"


def markers(used):
    """Definitions of the markers that a picture uses."""
    parts = []
    for style, hollow in sorted(used):
        shape = SHAPES.get(PALETTE["markers"][style % len(PALETTE["markers"])], SHAPES["o"])
        paint = (
            f'fill="#fff" stroke="{color_of(style)}" stroke-dasharray="none"'
            if hollow
            else f'fill="{color_of(style)}"'
        )
        parts.append(f'<marker id="{marker_of(style, hollow)}" markerWidth="8" markerHeight="8" refX="4" refY="4" '
                     f'markerUnits="userSpaceOnUse"><g {paint}>{shape}</g></marker>')  # fmt: skip
    return f"<defs>{''.join(parts)}</defs>" if parts else ""


class Axis:
    """Data to pixels along one side of a panel."""

    def __init__(self, axis, values, begin, end):
        self.log, self.label, self.begin, self.end = (
            axis.get("log", False),
            axis["label"],
            begin,
            end,
        )
        low, high = axis.get("range") or self.around([*values, *axis.get("ticks", [])])
        self.low, self.high = self.scaled(low), self.scaled(high)
        self.ticks = axis.get("ticks") or self.chosen(low, high)

    def scaled(self, value):
        return math.log10(value) if self.log else value

    def around(self, values):
        low, high = min(values), max(values)
        if self.log:
            return low / 1.15, high * 1.15
        room = 0.04 * (high - low or 1)
        return (0 if 0 <= low < 0.3 * high else low - room), high + room

    def chosen(self, low, high):
        if self.log:
            digits = (1, 2, 5) if high / low < 300 else (1,)
            tens = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
            return [
                digit * 10**ten
                for ten in tens
                for digit in digits
                if low <= digit * 10**ten <= high
            ]
        step = 10 ** math.floor(math.log10((high - low) / 4))
        step *= next(factor for factor in (1, 2, 5, 10) if (high - low) / (step * factor) <= 6)
        return [step * at for at in range(math.ceil(low / step), math.floor(high / step) + 1)]

    def at(self, value):
        return self.begin + (self.scaled(value) - self.low) / ((self.high - self.low) or 1) * (
            self.end - self.begin
        )


def panel(drawing, left, above, used):
    """One panel with its frame at (left, above)."""
    points = [point for series in drawing["series"] for point in series["points"]]
    x = Axis(drawing["x"], [px for px, _ in points], left, left + WIDTH)
    y = Axis(drawing["y"], [py for _, py in points], above + HEIGHT, above)
    parts = [text(left + WIDTH / 2, above - 8, drawing["title"], 11, "middle")]
    for tick in x.ticks:
        parts.append(f'<path class="g" d="M{short(x.at(tick))} {above}v{HEIGHT}"/>')
        parts.append(text(x.at(tick), above + HEIGHT + 13, f"{tick:,.10g}", 9, "middle"))
    for tick in y.ticks:
        parts.append(f'<path class="g" d="M{left} {short(y.at(tick))}h{WIDTH}"/>')
        parts.append(text(left - 5, y.at(tick) + 3, f"{tick:,.10g}", 9, "end"))
    parts.append(f'<path class="f" d="M{left} {above}h{WIDTH}v{HEIGHT}h-{WIDTH}z"/>')
    parts.append(text(left + WIDTH / 2, above + HEIGHT + 28, x.label, 10, "middle"))
    middle = f"{left - 48} {above + HEIGHT // 2}"
    parts.append(
        text(
            left - 48,
            above + HEIGHT // 2,
            y.label,
            10,
            "middle",
            f' transform="rotate(-90 {middle})"',
        )
    )
    taken = []
    for series in drawing["series"]:
        parts.append(curve(series, x, y, used))
        pixels = [(x.at(px), y.at(py)) for px, py in series["points"]]
        taken += [(px - 4, py - 4, 8, 8) for px, py in pixels]
        if len(pixels) > 1:
            taken += along(pixels)
    if drawing.get("named"):
        frame = (left, above, left + WIDTH, above + HEIGHT)
        for series in drawing["series"]:
            px, py = (
                series["points"][0]
                if series.get("style") is not None
                else centre(series["points"], x.log, y.log)
            )
            parts.append(name_at(series["name"], x.at(px), y.at(py), taken, frame))
    return parts


def centre(points, *logs):
    """The middle of a line, as it is drawn."""
    (x1, y1), (x2, y2) = points[0], points[-1]
    return [
        math.sqrt(a * b) if log else (a + b) / 2
        for a, b, log in ((x1, x2, logs[0]), (y1, y2, logs[1]))
    ]


def along(pixels):
    """Small boxes along a line, which names must not cover."""
    boxes = []
    for (x1, y1), (x2, y2) in zip(pixels, pixels[1:]):
        steps = max(int(max(abs(x2 - x1), abs(y2 - y1)) / 5), 1)
        boxes += [
            (x1 + (x2 - x1) * i / steps - 2, y1 + (y2 - y1) * i / steps - 2, 4, 4)
            for i in range(steps + 1)
        ]
    return boxes


def name_at(name, px, py, taken, frame):
    """The name beside a point where it covers nothing, if there is such a place."""
    width, height = 0.8 * LETTER * len(name), 8
    for away in (0, 5):
        places = [(px + 6 + away, py - 4), (px - width - 6 - away, py - 4), (px - width / 2, py - 13 - away),
                  (px - width / 2, py + 5 + away), (px + 5, py - 11 - away), (px - width - 5, py - 11 - away),
                  (px + 5, py + 3 + away), (px - width - 5, py + 3 + away)]  # fmt: skip
        for left, top in places:
            inside = (
                frame[0] < left
                and left + width < frame[2]
                and frame[1] < top
                and top + height < frame[3]
            )
            if inside and not any(
                left < a + c and a < left + width and top < b + d and b < top + height
                for a, b, c, d in taken
            ):
                taken.append((left, top, width, height))
                return text(left, top + height - 1, name, 8)
    return ""


def curve(series, x, y, used):
    style, hollow = series.get("style"), bool(series.get("hollow"))
    path = " ".join(f"{short(x.at(px))} {short(y.at(py))}" for px, py in series["points"])
    path += "h0.1" if len(series["points"]) == 1 else ""  # a path of no length has no marker
    more = ' stroke-dasharray="5 3"' if series.get("dashed") else ""
    if style is not None and not series.get("plain"):
        used.add((style, hollow))
        mark = f"url(#{marker_of(style, hollow)})"
        more += f' marker-start="{mark}"' + (
            f' marker-mid="{mark}" marker-end="{mark}"' if len(series["points"]) > 1 else ""
        )
    stroke = "none" if series.get("dots") else color_of(style)
    return f'<path class="c" stroke="{stroke}" d="M{path}"{more}/>'


def legend(entries, left, top, columns, width):
    """Names beside their markers, in columns."""
    parts = []
    for at, (name, style) in enumerate(entries):
        px, py = left + at % columns * width, top + at // columns * 15
        parts.append(
            f'<path class="c" stroke="{color_of(style)}" d="M{px} {py}h22" marker-end="url(#{marker_of(style)})"/>'
        )
        parts.append(text(px + 30, py + 3, name))
    return parts


def lines(drawing):
    panels = drawing["panels"]
    columns = min(drawing.get("columns", 3), len(panels))
    titles = drawing["title"].split("\n")
    head, used, parts = 14 + 14 * len(titles), set(), []
    for at, one in enumerate(panels):
        left = LEFT + at % columns * (WIDTH + LEFT + RIGHT)
        above = head + ABOVE + at // columns * (HEIGHT + ABOVE + BELOW)
        parts += panel(one, left, above, used)
    width = columns * (WIDTH + LEFT + RIGHT)
    bottom = head + -(-len(panels) // columns) * (HEIGHT + ABOVE + BELOW)
    entries = list({series["name"]: series["style"] for one in panels for series in one["series"]
                    if series.get("style") is not None}.items())  # fmt: skip
    used |= {(style, False) for _, style in entries}
    longest = 48 + LETTER * max(len(name) for name, _ in entries)
    across = max(int((width - LEFT) / longest), 1)
    parts += legend(entries, LEFT, bottom + 12, across, (width - LEFT) / across)
    parts += [text(width / 2, 16 + 14 * at, words, 11, "middle") for at, words in enumerate(titles)]
    return wrapped(width, bottom + 12 + 15 * -(-len(entries) // across), [markers(used), *parts])


def ink_on(color):
    """Black or white, whichever is readable on it."""
    red, green, blue = (int(color[at : at + 2], 16) for at in (1, 3, 5))
    return "#14171a" if 0.3 * red + 0.59 * green + 0.11 * blue > 118 else "#fff"


def swatch(x, y, color, name):
    """An entry of a legend of colors."""
    return f'<path d="M{short(x)} {y}h12v10h-12z" fill="{color}"/>' + text(x + 17, y + 9, name)


def bars(drawing):
    rows, names = drawing["bars"], drawing["names"]
    left, wide, step = 20 + LETTER * max(len(row["label"]) for row in rows), 480, 17
    right = left + wide + 70
    parts = [
        text(right / 2, 16 + 14 * at, words, 11, "middle")
        for at, words in enumerate(drawing["title"].split("\n"))
    ]
    top = 36 + 14 * drawing["title"].count("\n")
    for at, row in enumerate(rows):
        y, x = top + at * step, left
        parts.append(text(left - 6, y + 11, row["label"], 10, "end"))
        for number, share in enumerate(row["shares"]):
            color, width = SHADES[number % len(SHADES)], wide * share / 100
            if share > 0:
                parts.append(
                    f'<path d="M{short(x)} {y}h{short(width)}v14h-{short(width)}z" fill="{color}"/>'
                )
            if share >= 6:
                parts.append(
                    text(
                        x + width / 2,
                        y + 10,
                        f"{share:.0f}",
                        8,
                        "middle",
                        f' fill="{ink_on(color)}"',
                    )
                )
            x += width
        parts.append(text(left + wide + 6, y + 11, row["end"]))
    bottom = top + len(rows) * step
    parts.append(text(left + wide / 2, bottom + 14, "share of the stages' time, %", 10, "middle"))
    longest = 30 + LETTER * max(len(name) for name in names)
    across = max(int((right - 20) / longest), 1)
    for number, name in enumerate(names):
        x, y = 20 + number % across * longest, bottom + 26 + number // across * 15
        parts.append(swatch(x, y, SHADES[number % len(SHADES)], name))
    return wrapped(right, bottom + 32 + 15 * -(-len(names) // across), parts)


LEVELS = (COLORS[2], PALETTE["tints"][5], PALETTE["tints"][4], COLORS[1], PALETTE["shades"][1])


def cells(drawing):
    """A row for each label, five pixels for each of its levels, in their order."""
    rows, names = drawing["map"], drawing["names"]
    left, step, side = 20 + LETTER * max(len(row["label"]) for row in rows), 11, 5
    right = left + side * max(len(row["levels"]) for row in rows) + 20
    parts = [text(right / 2, 16, drawing["title"], 11, "middle")]
    for at, row in enumerate(rows):
        y = 30 + at * step
        parts.append(text(left - 6, y + 8, row["label"], 9, "end"))
        x = left
        for level, of in itertools.groupby(row["levels"]):
            wide = side * len(list(of))
            parts.append(
                f'<path d="M{short(x)} {y}h{wide - 1}v9h-{wide - 1}z" fill="{LEVELS[int(level)]}"/>'
            )
            x += wide
    bottom = 30 + len(rows) * step
    for at, (name, color) in enumerate(zip(names, LEVELS)):
        x = left + at * 130
        parts.append(swatch(x, bottom + 8, color, name))
    return wrapped(max(right, left + 130 * len(names)), bottom + 30, parts)


def wrapped(width, height, parts):
    style = (".g{stroke:#e4e6e8;fill:none}.f{stroke:#555;fill:none}.c{fill:none;stroke-width:1.3}"
             "text{font-family:DejaVu Sans,Verdana,sans-serif;fill:#14171a}svg{font-size:10px}")  # fmt: skip
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {short(width)} {short(height)}" width="{short(width)}">'
    return (
        f'{head}<style>{style}</style><rect width="100%" height="100%" fill="#fff"/>\n'
        + "\n".join(filter(None, parts))
        + "\n</svg>\n"
    )


def svg(drawing):
    if "map" in drawing:
        return cells(drawing)
    return bars(drawing) if "bars" in drawing else lines(drawing)

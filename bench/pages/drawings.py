"""Drawings that show which thread loads what, and where searches go, from loads.json, which `cuesta_record_loads` of the preset `emulated` writes."""

import functools
import json
from pathlib import Path

LOADS = Path(__file__).with_name("loads.json")
STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#1b1f24}.n{font-size:9px;text-anchor:middle}.c{fill:#5b6470}.m{fill:none;"
    "stroke:#0059a0;stroke-width:1.5}.t{fill:#c2410c}.w{fill:none;stroke:#15803d;stroke-width:2}.f{fill:none;stroke:#1b1f24;"
    "stroke-width:1.5}@media(prefers-color-scheme:dark){text{fill:#e4e7eb}.n{fill:#e4e7eb}.c{fill:#9fb6cc}.m{stroke:#7cc0ff}"
    ".t{fill:#fb923c}.w{stroke:#4ade80}.f{stroke:#e4e7eb}}"
)
# In units of a cell.
CELLS = (
    ".g{fill:#15803d}.o,.l{fill:none;stroke:#0059a0;stroke-width:.13}.l{stroke:#c2410c}@media(prefers-color-scheme:dark){"
    ".g{fill:#4ade80}.o{stroke:#7cc0ff}.l{stroke:#fb923c}}"
)
WIDTH, LINE = 760, 17


def runs_of(rows):
    """Rows of runs, as (length, value)."""
    return [[tuple(map(int, run.split("x"))) for run in row.split()] for row in rows]


def box(x, y, width, height):
    return f"M{x:.4g} {y:.4g}h{width:.4g}v{height:.4g}h-{width:.4g}z"


def ring(x, y, radius):
    """A circle, as two arcs."""
    arc = f"a{radius:.2g} {radius:.2g} 0 1 1"
    return f"M{x - radius:.4g} {y:.4g}{arc} {2 * radius:.2g} 0{arc} -{2 * radius:.2g} 0"


def frame(makes, side):
    x, y, width, height = (f"{side * one:g}" for one in makes)
    return f'<rect class="f" x="{x}" y="{y}" width="{width}" height="{height}"/>'


def words(launch, most):
    threads = launch["block"][0] * launch["block"][1]
    thread = ", ".join(map(str, launch["thread"]))
    times = "once" if most == 1 else f"1 to {most} times, the darker the more often"
    count = len(launch["mine"])
    lines = [f"Shaded: samples that the block's {threads} threads load, each {times}."]
    lines.append(
        f"Blue: {'the load' if count == 1 else f'the {count} loads'} of thread ({thread}) from device memory."
    )
    if launch["taken"]:
        lines.append("Dots: what it reads from shared memory.")
    lines.append("Frame: what the block makes. Green: what the thread makes.")
    return lines


def panel(launch, top):
    """The elements of one launch, and where they end."""
    counts = runs_of(launch["loads"])
    most = max(times for row in counts for _, times in row)
    side = min(16, WIDTH / sum(length for length, _ in counts[0]), WIDTH / len(counts))
    parts = [f'<g transform="translate(4 {top})">']
    shades = {}
    for y, row in enumerate(counts):
        x = 0
        for length, times in row:
            if times:
                shades.setdefault(times, []).append(box(x * side, y * side, length * side, side))
            x += length
    for times, boxes in sorted(shades.items()):
        parts.append(
            f'<path class="c" opacity="{0.15 + 0.5 * times / most:.2g}" d="{"".join(boxes)}"/>'
        )
    mine = [box(x * side + 1, y * side + 1, side - 2, side - 2) for x, y in launch["mine"]]
    parts.append(f'<path class="m" d="{"".join(mine)}"/>')
    if side >= 14 and not launch["taken"]:
        parts += [
            f'<text class="n" x="{(x + 0.5) * side:g}" y="{(y + 0.7) * side:g}">{n}</text>'
            for n, (x, y) in enumerate(launch["mine"], 1)
        ]
    taken = sorted({(x, y) for x, y in launch["taken"]})
    for name, cells, part in (("t", taken, 0.17), ("w", launch["made"], 0.38)):
        rings = "".join(ring(*((at + 0.5) * side for at in cell), part * side) for cell in cells)
        if rings:
            parts.append(f'<path class="{name}" d="{rings}"/>')
    parts.append(frame(launch["makes"], side))
    below = len(counts) * side + LINE
    for n, line in enumerate(words(launch, most)):
        parts.append(f'<text x="0" y="{below + n * LINE:g}">{line}</text>')
    parts.append("</g>")
    return parts, top + below + LINE * len(words(launch, most))


def cells(flat, size=2):
    """(x, y, ...) of a flat list."""
    return zip(*(flat[n::size] for n in range(size)))


def boxes(places, inside=0):
    """A box of each cell, smaller by `inside` on every side."""
    size = 1 - 2 * inside
    return "".join(box(x + inside, y + inside, size, size) for x, y in places)


def scaled(launch, top, paths, lines, more=()):
    """Paths in units of a cell, what is `more` in pixels, and the lines below."""
    width, height = launch["size"]
    side = min(16, WIDTH / width)
    below = height * side + LINE
    parts = [f'<g transform="translate(4 {top:g})"><g transform="scale({side:.5g})">']
    parts += [f'<path class="{name}"{style} d="{path}"/>' for name, style, path in paths if path]
    parts.append("</g>")
    for x, y, word in more:
        parts.append(f'<text class="n" x="{x * side:.4g}" y="{y * side:.4g}">{word}</text>')
    parts += [f'<text y="{below + n * LINE:g}">{line}</text>' for n, line in enumerate(lines)]
    return [*parts, "</g>"], top + below + LINE * len(lines)


def search_panel(launch, top):
    """What joins in which round of a search."""
    rounds, shown = launch["rounds"], launch["shown"]
    read = []
    for y, row in enumerate(runs_of(launch["seen"])):
        ends = [sum(length for length, _ in row[: n + 1]) for n in range(len(row))]
        read += [box(end - run[0], y, run[0], 1) for end, run in zip(ends, row) if run[1]]
    paths = [("o", "", box(0, 0, *launch["size"])), ("c", ' opacity=".3"', "".join(read))]
    paths.append(("g", "", boxes(cells(launch["strong"]))))
    paths.append(("o", "", boxes(cells(launch["open"]), 0.2)))
    for n, joined in enumerate(rounds):
        style = f' opacity="{1 - 0.7 * n / len(rounds):.2g}"'
        paths.append(("t", style, boxes(cells(joined))))
    numbers = range(0, len(rounds), 4 if len(rounds) > 4 else 1)
    more = [(rounds[n][0] + 0.5, rounds[n][1] + 0.7, n + 1) for n in numbers]
    lines = [
        "Green: strong pixels, where the search begins. Orange: what joins, the paler the later.",
        f"Numbers are rounds, {len(rounds)} in all. Outlined: candidates that no edge reaches.",
        f"Shaded: marks that are read in round {shown + 1}. In all rounds that gain, {launch['threads']:,} threads "
        f"read {launch['visits']:,} {launch.get('unit', 'marks')}.",
    ]
    return scaled(launch, top, paths, lines, more)


def sets_panel(launch, top):
    """Which pixel leads to which, as `merge` leaves them."""
    parents = {(x, y): (x + dx, y + dy) for x, y, dx, dy in cells(launch["links"], 4)}

    def depth(node):
        return 0 if parents[node] == node else 1 + depth(parents[node])

    roots = [node for node, parent in parents.items() if node == parent]
    links = (f"M{x + 0.5:g} {y + 0.5:g}l{u - x} {v - y}" for (x, y), (u, v) in parents.items())
    paths = [("o", "", box(0, 0, *launch["size"])), ("c", ' opacity=".35"', boxes(parents))]
    paths += [("l", "", "".join(links)), ("g", "", boxes(roots, 0.2))]
    longest = max(map(depth, parents))
    lines = [
        f"Shaded: the {len(parents)} pixels that have a parent. A line leads from each to its own. Green: the {len(roots)} roots.",
        f"After merge the longest way to a root has {longest} links, after {launch['then']} {launch['longest']}.",
    ]
    return scaled(launch, top, paths, lines)


@functools.cache
def recorded():
    """{operation-step: its launches, or the step that does the same}."""
    return json.loads(LOADS.read_text(encoding="utf-8"))


def drawn_as(step):
    """The step whose drawing is that of `step`; none has no drawing."""
    found = recorded().get(step)
    return found if isinstance(found, str) else found and step


@functools.cache
def drawings():
    """{operation-step: SVG} of the steps that are drawn by themselves."""
    found = {}
    for step, launches in recorded().items():
        if isinstance(launches, str):
            continue
        parts, top = [], 8
        for n, launch in enumerate(launches, 1):
            if len(launches) > 1 or "name" in launch:
                name = launch.get("name", f"Kernel {n} of {len(launches)}")
                parts.append(f'<text x="4" y="{top + 12:g}">{name}</text>')
                top += LINE + 4
            kinds = {"rounds": search_panel, "links": sets_panel}
            kind = next((kinds[key] for key in kinds if key in launch), panel)
            more, top = kind(launch, top)
            parts += more
        found[step] = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH + 8} {top:g}" width="{WIDTH + 8}">'
            f"<style>{STYLE}{CELLS if 'size' in launches[0] else ''}</style>{''.join(parts)}</svg>\n"
        )
    return found

"""Drawings that show which thread loads what, from loads.json, which `cuesta_record_loads` of the preset `emulated` writes."""

import json
from pathlib import Path

LOADS = Path(__file__).with_name("loads.json")
STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#1b1f24}.n{font-size:9px;text-anchor:middle}.c{fill:#5b6470}.m{fill:none;"
    "stroke:#0059a0;stroke-width:1.5}.t{fill:#c2410c}.w{fill:none;stroke:#15803d;stroke-width:2}.f{fill:none;stroke:#1b1f24;"
    "stroke-width:1.5}@media(prefers-color-scheme:dark){text{fill:#e4e7eb}.n{fill:#e4e7eb}.c{fill:#9fb6cc}.m{stroke:#7cc0ff}"
    ".t{fill:#fb923c}.w{stroke:#4ade80}.f{stroke:#e4e7eb}}"
)
WIDTH, LINE = 760, 17


def box(x, y, width, height):
    return f"M{x:.4g} {y:.4g}h{width:.4g}v{height:.4g}h-{width:.4g}z"


def ring(x, y, radius):
    """A circle, as two arcs."""
    arc = f"a{radius:.2g} {radius:.2g} 0 1 1"
    return f"M{x - radius:.4g} {y:.4g}{arc} {2 * radius:.2g} 0{arc} -{2 * radius:.2g} 0"


def frame(makes, side):
    rows = [row for row, cells in enumerate(makes) if "#" in cells]
    left = min(makes[row].index("#") for row in rows)
    right = max(makes[row].rindex("#") for row in rows) + 1
    return (
        f'<rect class="f" x="{left * side:g}" y="{rows[0] * side:g}" width="{(right - left) * side:g}" '
        f'height="{(rows[-1] + 1 - rows[0]) * side:g}"/>'
    )


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
    counts = [[tuple(map(int, run.split("x"))) for run in row.split()] for row in launch["loads"]]
    most = max(times for row in counts for _, times in row)
    side = min(16, WIDTH / len(launch["makes"][0]))
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


def drawings():
    """{operation-step: SVG}."""
    found = {}
    for step, launches in json.loads(LOADS.read_text(encoding="utf-8")).items():
        parts, top = [], 8
        for n, launch in enumerate(launches, 1):
            if len(launches) > 1 or "name" in launch:
                name = launch.get("name", f"Kernel {n} of {len(launches)}")
                parts.append(f'<text x="4" y="{top + 12:g}">{name}</text>')
                top += LINE + 4
            more, top = panel(launch, top)
            parts += more
        found[step] = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH + 8} {top:g}" width="{WIDTH + 8}">'
            f"<style>{STYLE}</style>{''.join(parts)}</svg>\n"
        )
    return found

#!/usr/bin/env python3
"""Which production rows earn their place: what each gains over the fastest other row.

    cuesta bench production --every-row --device cuda --json run.json
    bench/report/rows.py run.json

A row stays if some request has no other production row, or if it is at least 1.15 times as fast as
the others at one. Prints a table of the device's rows; the exit code is 1 if a row earns nothing.
"""

import json
import sys
from pathlib import Path

GAIN = 1.15


def requests_of(run):
    """Times of the device's production rows by request: {request: {(operation, strategy): ms}}."""
    found = {}
    for row in run["rows"]:
        if row["space"] != "device" or row["operation"] == "copy" or row["strategy"] == "npp":
            continue
        request = (row["operation"], row["parameters"], row["type"], row["width"], row["height"])
        name = (row["operation"], row["strategy"])
        times = found.setdefault(request, {})
        times[name] = min(row["ms"], times.get(name, row["ms"]))
    return found


def gains_of(requests):
    """For each row its requests: (gain over the fastest other row, or None if none, request)."""
    found = {}
    for request, times in requests.items():
        for name, ms in times.items():
            others = [other for row, other in times.items() if row != name]
            found.setdefault(name, []).append((min(others) / ms if others else None, request))
    return found


def main(path):
    gains = gains_of(requests_of(json.loads(Path(path).read_text())))
    if not gains:
        sys.exit(f"{path} has no production rows of a GPU; make it with --every-row --device cuda")
    idle = []
    print(f"{'row':28} {'requests':>8} {'alone':>6} {'fastest':>8} {'best gain':>10}  where")
    for name, all_of_row in sorted(gains.items()):
        shared = [one for one in all_of_row if one[0] is not None]
        alone = len(all_of_row) - len(shared)
        best = max(shared, default=None, key=lambda one: one[0])
        won = sum(gain > 1 for gain, _ in shared)
        where = f"{best[1][1]}, {best[1][2]}, {best[1][3]}" if best else ""
        gain = f"{best[0]:.2f}" if best else "-"
        row = ":".join(name)
        print(f"{row:28} {len(all_of_row):8} {alone:6} {won:8} {gain:>10}  {where}")
        if not alone and best[0] < GAIN:
            idle.append(row)
    for row in idle:
        print(f"{row} gains less than {GAIN} everywhere")
    return 1 if idle else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))

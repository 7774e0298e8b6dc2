#!/usr/bin/env python3
"""The size of each part of the tree stays within the ceilings of docs/dev/tree-size.md.

Lines are all lines of C++, CUDA, Python, JavaScript, CSS, HTML and CMake files that git tracks.
The page has one row per measure: name, size aimed at, ceiling, reason. A measure above its ceiling
fails, and so does a ceiling above the aim without a reason, a missing row, or an unknown one.
`check_tree.py ROOT` prints the measures; `--self-test` checks planted pages.
"""

import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import checks  # noqa: E402

PAGE = "docs/dev/tree-size.md"
CODE = re.compile(r"\.(c|h|cpp|hpp|cu|cuh|py|js|css|html|cmake)$|(^|/)CMakeLists\.txt$")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
SKIPPED = 77  # for ctest

# name of a measure -> the paths that it counts lines of.
PARTS = {
    "lines outside tests": r"(?!(python/)?tests/|fuzz/)",
    "lines of the library, command and Python core": (
        r"include/|src/(?!verify/)|cli/|python/src/|python/cuesta/(?!ray/|compat/)"
    ),
    "of these, steps of the papers": r"src/.*/ladder/",
    "lines of the Python core": r"python/cuesta/(?!ray/|compat/)",
    "lines of cli": r"cli/",
    "lines of apps/watch": r"apps/watch/",
    "lines of apps/tune": r"apps/tune/",
    "lines of bench": r"bench/",
    "lines of bench/report": r"bench/report/",
}
BYTES = {"kilobytes tracked": r"", "kilobytes of docs/results": r"docs/results/"}
CLIENTS = re.compile(r"(cli|apps|python/src)/.*\.[ch]pp$")
PRIVATE = "private headers that cli, apps and python/src include"


def measure(root, names):
    """name -> size of the tree that has these files."""
    found = {}
    for name, pattern in PARTS.items():
        files = [n for n in names if CODE.search(n) and re.match(pattern, n)]
        found[name] = sum((root / n).read_bytes().count(b"\n") for n in files)
    for name, pattern in BYTES.items():
        sizes = [(root / n).stat().st_size for n in names if re.match(pattern, n)]
        found[name] = sum(sizes) // 1000
    included = set()
    for name in filter(CLIENTS.match, names):
        included.update(INCLUDE.findall((root / name).read_text(encoding="utf-8")))
    found[PRIVATE] = sum(f"src/{header}" in set(names) for header in included)
    return found


def rows_of(page):
    """name -> (aim, ceiling, reason) of the page's table; aim None where it is a dash."""
    rows = {}
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) == 4 and re.fullmatch(r"[\d,]+", cells[2]):
            aim, ceiling = (
                int(cell.replace(",", "")) if cell != "-" else None for cell in cells[1:3]
            )
            rows[cells[0]] = (aim, ceiling, cells[3])
    return rows


def breaches_of(found, rows):
    breaches = [f"{PAGE} has no row '{name}'" for name in found.keys() - rows.keys()]
    breaches += [
        f"{PAGE} has a row '{name}', which nothing measures" for name in rows.keys() - found.keys()
    ]
    for name in found.keys() & rows.keys():
        aim, ceiling, reason = rows[name]
        if found[name] > ceiling:
            breaches.append(f"{name}: {found[name]}; the ceiling is {ceiling}")
        if aim is not None and ceiling > aim and len(reason.split()) < 5:
            breaches.append(f"{name}: the ceiling is above the aim, and {PAGE} gives no reason")
    return sorted(breaches)


def self_test():
    page = "| a | 1,000 | 900 | |\n| b | 10 | 20 | because of this and that |\n| c | - | 5 | |\n"
    rows = rows_of(page)
    assert rows["a"] == (1000, 900, ""), rows
    assert rows["c"] == (None, 5, ""), rows
    assert breaches_of({"a": 900, "b": 20, "c": 5}, rows) == []
    assert len(breaches_of({"a": 901, "b": 20, "c": 5}, rows)) == 1
    assert len(breaches_of({"a": 1, "b": 1}, rows)) == 1
    assert len(breaches_of({"a": 1, "b": 1, "c": 1, "d": 1}, rows)) == 1
    assert len(breaches_of({"b": 1}, {"b": (10, 20, "no")})) == 1


def main():
    arguments = checks.options_of(__doc__, self_test)
    root = arguments.root
    listed = subprocess.run(
        ["git", "-C", root, "ls-files", "-z"], capture_output=True, text=True, check=False
    )
    if listed.returncode:
        print("SKIPPED: not a git checkout")
        return SKIPPED
    names = [n for n in listed.stdout.split("\0") if n and (root / n).is_file()]
    found = measure(root, names)
    for name, size in found.items():
        print(f"{size:8,} {name}")
    breaches = breaches_of(found, rows_of((root / PAGE).read_text(encoding="utf-8")))
    for breach in breaches:
        print(breach, file=sys.stderr)
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())

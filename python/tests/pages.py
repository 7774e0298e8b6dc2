"""The Python blocks of the project's pages, as the tests run them.

A block may be preceded by a comment that says what it needs beside numpy:

    <!-- needs: torch, cuda -->

`python pages.py PAGE [WORD...]` prints the blocks of a page that need nothing, or nothing but the
given words, as one program.
"""

from __future__ import annotations

import pathlib
import re
import sys
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[2]
_BLOCK = re.compile(
    r"(?:<!-- needs: (?P<needs>[\w., ]+) -->\n)?^```python\n(?P<code>.*?)^```$", re.M | re.S
)
_HEADING = re.compile(r"^##+ (.+)$", re.M)


@dataclass(frozen=True)
class Block:
    """One fenced Python block."""

    section: str
    line: int
    needs: tuple[str, ...]
    code: str


def blocks(page: pathlib.Path) -> list[Block]:
    """Every Python block of a page, in order."""
    text = page.read_text()
    found = []
    for match in _BLOCK.finditer(text):
        headings = [h.group(1) for h in _HEADING.finditer(text, 0, match.start())]
        needs = tuple(word.strip() for word in (match["needs"] or "").split(",") if word.strip())
        line = text.count("\n", 0, match.start("code")) + 1
        found.append(Block(headings[-1] if headings else page.stem, line, needs, match["code"]))
    return found


def main() -> None:
    page, allowed = pathlib.Path(sys.argv[1]), set(sys.argv[2:])
    code = [block.code for block in blocks(page) if set(block.needs) <= allowed]
    if not code:
        sys.exit(f"{page} has no Python block that needs only {sorted(allowed)}")
    print("\n".join(code))


if __name__ == "__main__":
    main()

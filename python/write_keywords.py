"""Writes cuesta/_keywords.py: the options of the functions and classes, as typed dictionaries.

    python python/write_keywords.py FILE

The extension says what there is. CMake runs this where `_core` is built and can be imported by that name.
"""

from __future__ import annotations

import pathlib
import sys
import textwrap

import _core  # type: ignore[import-not-found]

HEAD = '''\
"""Options by keyword. Made by python/write_keywords.py from their descriptions in C++ (src/ops/*/options.hpp)."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

from cuesta._options import Execution
'''


def lines_of(
    name: str, positional: str, of_call: bool, rows: list[tuple[str, str, object, str]]
) -> list[str]:
    """One class. What is taken by position too stands in the function's own signature."""
    lines = ["", "", f"class {name}({'Execution' if of_call else 'TypedDict'}, total=False):"]
    lines.append(f'    """The options of cuesta::{name}."""')
    for option, kind, _, text in rows:
        if option != positional:
            said = textwrap.fill(f'"""{text}"""', 92)
            lines += ["", f"    {option}: {kind}", textwrap.indent(said, "    ")]
    return lines


def main() -> None:
    lines = [HEAD.rstrip("\n")]
    for struct in _core.options():
        lines += lines_of(*struct)
    pathlib.Path(sys.argv[1]).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

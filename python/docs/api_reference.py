"""Prints docs/python-api.md: the public names of the installed package, from their docstrings.

    python python/docs/api_reference.py > docs/python-api.md

Sections of the docstrings are numpydoc's (a title underlined with dashes).
"""

from __future__ import annotations

import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator
from types import ModuleType
from typing import Any

HEAD = """\
# The Python package, name by name

Made by `python/docs/api_reference.py` from the docstrings; edit those.
[python.md](python.md) goes by task.
"""
MODULES = ("cuesta", "cuesta.torch", "cuesta.compat.cv2", "cuesta.compat.skimage")
SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.M)
# "name : type" or "name, other" at the start of a line in Parameters and the like.
ENTRY = re.compile(r"^(?P<name>\S.*?)(?: : (?P<type>.+))?$")


def signature(value: Any) -> str:
    try:
        text = str(inspect.signature(value))
    except (TypeError, ValueError):
        return ""
    # Addresses and module prefixes say nothing to a reader, and differ between versions.
    text = re.sub(r"<(?:function|object|class) .*?>", "...", text)
    return re.sub(r"\b(?:typing|collections\.abc|cuesta\.\w+)\.(?=[A-Z])", "", text).replace(
        "'", ""
    )


def entries(body: str) -> Iterator[str]:
    """A section's `name : type` lines with their indented texts, as a list."""
    for line in body.strip("\n").splitlines():
        if not line.strip():
            continue
        if line.startswith((" ", "\t")):
            yield "  " + line.strip()
            continue
        found = ENTRY.match(line)
        assert found
        kind = f": {found['type']}" if found["type"] else ""
        yield f"- `{found['name']}`{kind}"


def document(text: str) -> str:
    """A numpydoc docstring as Markdown."""
    parts = SECTION.split(inspect.cleandoc(text))
    made = [parts[0].strip()]
    for title, body in zip(parts[1::2], parts[2::2], strict=True):
        listed = title in ("Parameters", "Returns", "Raises", "Attributes", "Yields")
        made.append(f"**{title}**")
        made.append("\n".join(entries(body)) if listed else textwrap.dedent(body).strip())
    # numpydoc's double backquotes are Markdown's single ones.
    return "\n\n".join(made).replace("``", "`")


def members(value: type) -> Iterator[tuple[str, Any]]:
    for name, member in vars(value).items():
        if name.startswith("_"):
            continue
        if inspect.isfunction(member) or isinstance(member, property):
            yield name, member


def entry(name: str, value: Any, owner: str) -> Iterator[str]:
    is_class = inspect.isclass(value)
    is_error = is_class and issubclass(value, BaseException)
    shown = f"{owner}.{name}" + ("" if is_error else signature(value))
    yield f"### {name}"
    yield f"```\n{shown}\n```" if len(shown) < 100 else f"```\n{wrapped(shown)}\n```"
    if is_error:
        yield "Bases: " + ", ".join(f"`{base.__name__}`" for base in value.__bases__)
    if text := value.__doc__:
        yield document(text)
    for member_name, member in members(value) if is_class else ():
        target = member.fget if isinstance(member, property) else member
        call = "" if isinstance(member, property) else signature(member)
        text = document(target.__doc__) if target and target.__doc__ else ""
        yield f"**`.{member_name}{call}`** {text}".strip()


def wrapped(call: str) -> str:
    """A call's signature, one argument a line where it does not fit in one."""
    head, _, rest = call.partition("(")
    inner, _, result = rest.rpartition(")")
    arguments, depth, start = [], 0, 0
    for i, c in enumerate(inner):
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            arguments.append(inner[start:i].strip())
            start = i + 1
    arguments.append(inner[start:].strip())
    filled = textwrap.fill(
        ", ".join(a.replace(" ", "\0") for a in arguments),
        width=96,
        initial_indent="    ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    ).replace("\0", " ")
    return f"{head}(\n{filled}\n){result}"


def module_entries(module: ModuleType) -> Iterator[str]:
    names: list[str] = list(module.__all__)
    yield f"## {module.__name__}"
    if module.__doc__:
        yield document(module.__doc__)
    for name in names:
        value = getattr(module, name)
        if inspect.isclass(value) or callable(value):
            yield from entry(name, value, module.__name__)


def main() -> None:
    parts = [HEAD.strip()]
    for name in MODULES:
        parts.extend(module_entries(importlib.import_module(name)))
    print("\n\n".join(part for part in parts if part))


if __name__ == "__main__":
    main()

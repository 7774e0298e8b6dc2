"""Prints the reference of the installed package: its public names, from their docstrings.

    python python/docs/api_reference.py > reference.md
    python python/docs/api_reference.py --index > docs/user/python-api.md
    python python/docs/api_reference.py --pages FOLDER

The index has a line for each name. It is tracked, and the reference is not. With --pages each
module has a page of its own, for the documentation site (scripts/docs); without PyTorch,
cuesta.torch has none. Sections of the docstrings are numpydoc's (a title underlined with dashes).
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pathlib
import re
import sys
import textwrap
from collections.abc import Iterator
from types import ModuleType
from typing import Any

HEAD = """\
# The Python package, name by name

Made by `python/docs/api_reference.py` from the docstrings; edit those.
[python.md](python.md) goes by task.
"""
INDEX_HEAD = """\
# The Python package, name by name

`help(cuesta.canny)` prints the documentation of a name. `python python/docs/api_reference.py`
prints all of it. [python.md](python.md) goes by task. This page is made by
`python python/docs/api_reference.py --index`.
"""
MODULES = ("cuesta", "cuesta.bands", "cuesta.torch", "cuesta.compat.cv2", "cuesta.compat.skimage")
SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.M)
# "name : type" or "name, other" at the start of a line in Parameters and the like.
ENTRY = re.compile(r"^(?P<name>\S.*?)(?: : (?P<type>.+))?$")


def annotation(value: Any) -> str:
    """An annotation as it was written."""
    text = getattr(value, "__forward_arg__", value)
    return text if isinstance(text, str) else inspect.formatannotation(value)


def signature(value: Any) -> list[str]:
    """The arguments of a call and, last, what comes after them; empty where nobody knows."""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return []
    arguments, starred = [], False
    for parameter in found.parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            arguments.append("*")
        starred |= parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        text = str(parameter.replace(annotation=parameter.empty, default=parameter.empty))
        if parameter.annotation is not parameter.empty:
            text += f": {annotation(parameter.annotation)}"
        if parameter.default is not parameter.empty:
            text += f" = {parameter.default!r}"
        arguments.append(text)
    if found.return_annotation in (found.empty, None, "None"):
        return [*arguments, ""]
    return [*arguments, f" -> {annotation(found.return_annotation)}"]


def call(name: str, value: Any) -> str:
    """A call with its signature, in lines of a page's width."""
    *arguments, result = signature(value) or [""]
    line = f"{name}({', '.join(arguments)}){result}"
    if len(line) < 100:
        return line
    # Spaces within an argument are no place to break.
    filled = textwrap.fill(
        ", ".join(argument.replace(" ", "\0") for argument in arguments),
        width=96,
        initial_indent="    ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    ).replace("\0", " ")
    return f"{name}(\n{filled}\n){result}"


def fields(value: type) -> Iterator[tuple[str, str, str]]:
    """Name, type and text of the fields that a literal below documents."""
    body = ast.parse(textwrap.dedent(inspect.getsource(value))).body[0]
    assert isinstance(body, ast.ClassDef)
    for field, text in zip(body.body, [*body.body[1:], None], strict=True):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            said = ""
            if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
                said = inspect.cleandoc(str(text.value.value))
            yield field.target.id, ast.unparse(field.annotation), said


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
        if inspect.isfunction(member) or isinstance(member, (property, staticmethod)):
            yield name, member


def entry(name: str, value: Any, owner: str) -> Iterator[str]:
    is_class = inspect.isclass(value)
    yield f"### {name}"
    if is_class and issubclass(value, BaseException):
        yield "Bases: " + ", ".join(f"`{base.__name__}`" for base in value.__bases__)
    else:
        yield f"```\n{call(f'{owner}.{name}', value)}\n```"
    if text := value.__doc__:
        yield document(text)
    if not is_class:
        return
    if documented := list(fields(value)):
        yield "**Attributes**"
        yield "\n".join(
            f"- `{field}`: {kind}\n  {said}".rstrip() for field, kind, said in documented
        )
    for member_name, member in members(value):
        is_property = isinstance(member, property)
        is_static = isinstance(member, staticmethod)
        before = name if is_static else ""
        target = member.fget if is_property else member.__func__ if is_static else member
        yield f"#### {name}.{member_name}"
        if not is_property:
            yield f"```\n{call(f'{before}.{member_name}', target)}\n```"
        if target and target.__doc__:
            yield document(target.__doc__)


def module_entries(module: ModuleType) -> Iterator[str]:
    names: list[str] = list(module.__all__)
    yield f"## {module.__name__}"
    if module.__doc__:
        yield document(module.__doc__)
    for name in names:
        value = getattr(module, name)
        if inspect.isclass(value) or callable(value):
            yield from entry(name, value, module.__name__)


def summary(value: Any) -> str:
    """The first sentence of the documentation."""
    first = " ".join(inspect.cleandoc(value.__doc__ or "").split("\n\n")[0].split()).replace(
        "``", "`"
    )
    return re.split(r"(?<!et al)\.\s", first)[0].rstrip(".;:")


def index_entries(module: ModuleType) -> Iterator[str]:
    yield f"## {module.__name__}"
    lines = []
    for name in module.__all__:
        value = getattr(module, name)
        if inspect.isclass(value) or callable(value):
            text = f"- `{name}`: {summary(value)}"
            lines.append(
                textwrap.fill(
                    text, 98, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
                )
            )
    yield "\n".join(lines)


def linked(text: str, names: set[str]) -> str:
    """Names of the module in backquotes as links to their sections; not where they are one."""

    def link(match: re.Match[str]) -> str:
        name = match[1].partition("(")[0]
        return f"[{match[0]}](#{name.lower()})" if name in names else match[0]

    out = []
    for block in re.split(r"(?ms)(^```.*?^```$|^#[^\n]*$)", text):
        code = block.startswith(("```", "#"))
        out.append(block if code else re.sub(r"(?<!- )`(\w+(?:\(\))?)`", link, block))
    return "".join(out)


def write_pages(folder: pathlib.Path) -> None:
    """A page for each module, and index.md."""
    rows = []
    for name in MODULES:
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name != "torch":
                raise
            print(f"{name} has no page: {error}", file=sys.stderr)
            continue
        text = "\n\n".join(part for part in module_entries(module) if part)
        # A name and its type stand alone in a line, and the text about it below.
        text = re.sub(r"(?m)^(- `.*)\n(?=  \S)", r"\1  \n", text)
        text = linked(text, set(module.__all__))
        # Signatures are Python, and a heading is one level higher than in the page of all modules.
        text = re.sub(r"(?m)^#(#+ )", r"\1", re.sub(r"(?m)^```\n(?=\S*\w\()", "```python\n", text))
        (folder / f"{name}.md").write_text(text + "\n", encoding="utf-8")
        rows.append(f"| [{name}]({name}.md) | {summary(module)} |")
    head = "# Python\n\n| module | holds |\n| --- | --- |"
    (folder / "index.md").write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")


def main() -> None:
    if sys.argv[1:2] == ["--pages"]:
        write_pages(pathlib.Path(sys.argv[2]))
        return
    index = sys.argv[1:] == ["--index"]
    parts = [(INDEX_HEAD if index else HEAD).strip()]
    for name in MODULES:
        parts.extend((index_entries if index else module_entries)(importlib.import_module(name)))
    print("\n\n".join(part for part in parts if part))


if __name__ == "__main__":
    main()

"""The package's own structure: who imports whom, and how long files and functions are."""

from __future__ import annotations

import ast
import pathlib
from collections.abc import Iterator

import pytest

import cuesta

FOLDER = pathlib.Path(cuesta.__file__).parent
FILES = sorted(
    file for file in FOLDER.rglob("*.py") if file.name != "_keywords.py"
)  # which is generated
EXTENSIONS = {"cuesta._core", "cuesta._files", "cuesta._video"}


def module_of(file: pathlib.Path) -> str:
    parts = file.relative_to(FOLDER.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


TREES = {module_of(file): ast.parse(file.read_text()) for file in FILES}
MODULES = {*TREES, *EXTENSIONS, "cuesta._keywords"}


def imported(node: ast.AST) -> Iterator[str]:
    """Our own modules that an import statement names."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name in MODULES)
    elif isinstance(node, ast.ImportFrom) and node.module in MODULES:
        for alias in node.names:
            inner = f"{node.module}.{alias.name}"
            yield inner if inner in MODULES else node.module


def circle_in(graph: dict[str, set[str]]) -> list[str]:
    """Modules that import each other in a circle; empty where there is none."""
    done: set[str] = set()

    def visit(name: str, path: list[str]) -> list[str]:
        if name in path:
            return [*path[path.index(name) :], name]
        if name in done:
            return []
        for other in sorted(graph.get(name, ())):
            if found := visit(other, [*path, name]):
                return found
        done.add(name)
        return []

    return next((found for name in sorted(graph) if (found := visit(name, []))), [])


def test_a_circle_is_seen() -> None:
    assert circle_in({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]
    assert not circle_in({"a": {"b", "c"}, "b": {"c"}})


def test_the_import_graph_has_no_circle() -> None:
    graph = {
        name: {one for node in ast.walk(tree) for one in imported(node)}
        for name, tree in TREES.items()
    }
    assert {"cuesta._core", "cuesta._kinds"} <= graph["cuesta._sources"] | graph["cuesta._kinds"]
    assert circle_in(graph) == []


@pytest.mark.parametrize("name", sorted(TREES))
def test_functions_import_no_modules_of_ours(name: str) -> None:
    inside = [
        f"line {getattr(node, 'lineno', 0)}: {one}"
        for function in ast.walk(TREES[name])
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))
        for node in ast.walk(function)
        for one in imported(node)
    ]
    assert inside == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(FOLDER)))
def test_files_are_of_at_most_500_lines(file: pathlib.Path) -> None:
    assert len(file.read_text().splitlines()) <= 500


@pytest.mark.parametrize("name", sorted(TREES))
def test_functions_are_of_at_most_60_lines(name: str) -> None:
    """Signature and documentation left out."""
    long = []
    for node in ast.walk(TREES[name]):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            if body and (lines := (body[-1].end_lineno or 0) - body[0].lineno + 1) > 60:
                long.append(f"{node.name}: {lines}")
    assert long == []

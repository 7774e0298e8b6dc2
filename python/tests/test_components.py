"""cuesta.ray and cuesta.compat are components: they use the public names of `cuesta` alone, and can be left out."""

from __future__ import annotations

import ast
import pathlib
from collections.abc import Iterator

import pytest

import cuesta

FOLDER = pathlib.Path(cuesta.__file__).parent
FILES = sorted(file for name in ("compat", "ray") for file in (FOLDER / name).rglob("*.py"))
#: Public modules of the package, which components may import.
MODULES = {"cuesta", "cuesta.bands", "cuesta.errors"}


def private_names(tree: ast.AST, component: str) -> Iterator[str]:
    """Names of the package that are not public, and modules of another component."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "cuesta" and alias.name not in MODULES:
                    if not alias.name.startswith(component):
                        yield alias.name
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "cuesta":
            module = str(node.module)
            if module.startswith(component) or (module == "cuesta.compat" and component == module):
                continue
            for alias in node.names:
                if module not in MODULES or (
                    module == "cuesta" and alias.name not in cuesta.__all__
                ):
                    yield f"{module}.{alias.name}"
        elif (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id == "cuesta"
        ):
            if node.attr not in cuesta.__all__ and f"cuesta.{node.attr}" not in {
                *MODULES,
                component,
            }:
                yield f"cuesta.{node.attr}"


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("import cuesta._core", ["cuesta._core"]),
        ("from cuesta import _core, canny", ["cuesta._core"]),
        ("from cuesta._options import described", ["cuesta._options.described"]),
        ("import cuesta\ncuesta._core.options()", ["cuesta._core"]),
        ("from cuesta.ray import edges", ["cuesta.ray.edges"]),
        (
            "from cuesta.compat._dispatch import Row\nfrom cuesta.errors import Error\nfrom cuesta import canny",
            [],
        ),
    ],
)
def test_private_names_are_seen(code: str, found: list[str]) -> None:
    assert list(private_names(ast.parse(code), "cuesta.compat")) == found


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(FOLDER)))
def test_components_use_public_names_alone(file: pathlib.Path) -> None:
    component = f"cuesta.{file.relative_to(FOLDER).parts[0]}"
    assert list(private_names(ast.parse(file.read_text()), component)) == []


def test_the_core_does_not_import_components() -> None:
    for file in set(FOLDER.rglob("*.py")) - set(FILES):
        for node in ast.walk(ast.parse(file.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += (
                [f"{node.module}.{alias.name}" for alias in node.names]
                if isinstance(node, ast.ImportFrom)
                else []
            )
            assert not [
                name for name in names if name.startswith(("cuesta.ray", "cuesta.compat"))
            ], file

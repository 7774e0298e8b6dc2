"""The types that travel with the package: py.typed, and a stub with every name of the extension.

mypy's stubtest knows nothing of nanobind's functions; scripts/check-python runs mypy itself.
"""

from __future__ import annotations

import ast
import pathlib
import shutil
import subprocess

import pytest

import cuesta
from cuesta import _core

FOLDER = pathlib.Path(cuesta.__file__).parent


def names(body: list[ast.stmt]) -> set[str]:
    found = set()
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
    return {name for name in found if not name.startswith("_")}


def public(value: object) -> set[str]:
    return {name for name in dir(value) if not name.startswith("_")}


def test_the_stub_has_every_name_of_the_extension() -> None:
    stub = ast.parse((FOLDER / "_core.pyi").read_text())
    assert names(stub.body) == public(_core)
    classes = [node for node in stub.body if isinstance(node, ast.ClassDef)]
    assert classes
    for node in classes:
        assert names(node.body) == public(getattr(_core, node.name)), node.name


def test_the_package_says_that_it_is_typed() -> None:
    assert (FOLDER / "py.typed").exists()


def test_everything_in_all_is_there() -> None:
    assert all(hasattr(cuesta, name) for name in cuesta.__all__)
    assert cuesta.__all__ == sorted(cuesta.__all__)


@pytest.mark.skipif(shutil.which("nm") is None, reason="no nm to look into the extension with")
def test_the_extension_shows_other_libraries_its_entry_alone() -> None:
    seen = subprocess.run(
        ["nm", "--dynamic", "--defined-only", "--format=just-symbols", _core.__file__],
        check=True, capture_output=True, text=True,
    ).stdout.split()  # fmt: skip
    assert seen == ["PyInit__core"]

"""What people can import from the package: functions, classes and the documented submodules, and nothing else."""

from __future__ import annotations

import inspect
import pathlib
import pkgutil
import subprocess
import sys

import pytest

import cuesta

#: Modules that people import. All others begin with an underscore.
SUBMODULES = {"bands", "compat", "errors", "ray", "torch"}
FOLDER = pathlib.Path(cuesta.__file__).parent


def in_a_fresh_interpreter(code: str) -> list[str]:
    made = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return made.stdout.split()


def test_every_public_name_is_listed() -> None:
    """After `import cuesta` alone, as other tests import submodules."""
    found = in_a_fresh_interpreter(
        "import cuesta; print(*(name for name in dir(cuesta) if name[0] != '_'))"
    )
    assert "canny" in found
    assert set(found) - {"errors"} == set(cuesta.__all__) - {"__version__"}


@pytest.mark.parametrize("name", [name for name in cuesta.__all__ if name != "__version__"])
def test_public_names_are_documented_functions_and_classes(name: str) -> None:
    value = getattr(cuesta, name)
    assert inspect.isfunction(value) or inspect.isclass(value)
    assert inspect.getdoc(value)


def test_only_documented_submodules_are_public() -> None:
    found = {
        module.name
        for module in pkgutil.iter_modules([str(FOLDER)])
        if not module.name.startswith("_")
    }
    assert found == SUBMODULES


def test_importing_cuesta_imports_no_component() -> None:
    found = in_a_fresh_interpreter("import sys, cuesta; print(*sys.modules)")
    assert "cuesta.errors" in found
    assert not {"cuesta.compat", "cuesta.ray", "cuesta.torch"} & set(found)
    assert not {"cv2", "skimage", "ray", "torch", "pyarrow"} & set(found)

"""Every Python block of README.md and docs/user runs; the reference is up to date."""

from __future__ import annotations

import doctest
import importlib.util
import inspect
import itertools
import linecache
import pathlib
import re
import subprocess
import sys
from types import ModuleType
from typing import Any

import pages
import pytest

import cuesta
import cuesta.bands

# Module to import for a word of `needs`, where it differs.
MODULES = {
    name: name for name in ("skimage", "cv2", "dask", "torch", "cupy", "PIL", "cuesta._files")
}
# cuesta_ray/test_ray.py runs those of many-machines.md, on a cluster.
PAGES = ["README.md"] + [
    f"docs/user/{page.name}"
    for page in sorted((pages.ROOT / "docs/user").glob("*.md"))
    if page.name not in ("many-machines.md", "python-api.md")
]


def sections() -> list[Any]:
    """The blocks of a section share their names. One that needs a GPU is a test of its own, after
    the section's blocks that need none."""
    found = []
    for page in PAGES:
        every = pages.blocks(pages.ROOT / page)
        for section, group in itertools.groupby(every, key=lambda block: block.section):
            members = list(group)
            name = f"{page}:{section}"
            for_all = [b for b in members if "cuda" not in b.needs]
            if for_all:
                found.append(pytest.param(page, for_all, id=name))
            if len(for_all) < len(members):
                found.append(
                    pytest.param(page, members, id=name + " (cuda)", marks=pytest.mark.cuda)
                )
    return found


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("page", "members"), sections())
def test_blocks_run(
    page: str,
    members: list[pages.Block],
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in members:
        for word in block.needs:
            if word != "cuda":
                pytest.importorskip(MODULES[word])
        # Named so that a traceback shows the page's own line.
        shifted = "\n" * (block.line - 1) + block.code
        where = f"{page}#{block.section}"
        linecache.cache[where] = (len(shifted), None, shifted.splitlines(keepends=True), where)
        exec(compile(shifted, where, "exec"), names)


def test_pages_have_the_blocks_they_promise() -> None:
    """The README shows numpy; docs/user/python.md torch on the CPU, and CUDA with torch and cupy."""
    assert {block.needs for block in pages.blocks(pages.ROOT / "README.md")} == {()}
    needs = {block.needs for block in pages.blocks(pages.ROOT / "docs/user/python.md")}
    assert {(), ("torch",), ("torch", "cuda"), ("cupy", "cuda")} <= needs
    for task in ("edges", "filters", "components", "moving-objects", "large-pictures", "gpu"):
        assert pages.blocks(pages.ROOT / f"docs/user/{task}.md"), task


@pytest.mark.timeout(180)
def test_the_gallery_is_up_to_date(tmp_path: pathlib.Path) -> None:
    """python/docs/gallery.py makes what is in docs/gallery; each picture is below 60 kB."""
    pytest.importorskip("skimage")
    subprocess.run(
        [sys.executable, str(pages.ROOT / "python/docs/gallery.py"), str(tmp_path)], check=True
    )
    kept = pages.ROOT / "docs/gallery"
    assert (tmp_path / "README.md").read_text() == (kept / "README.md").read_text()
    names = sorted(path.name for path in tmp_path.glob("*.png"))
    assert len(names) >= 6 and names == sorted(path.name for path in kept.glob("*.png"))
    # Bytes of a PNG depend on who wrote it.
    assert all((kept / name).stat().st_size < 60_000 for name in names)


def reference(*words: str) -> str:
    return subprocess.run(
        [sys.executable, str(pages.ROOT / "python/docs/api_reference.py"), *words],
        capture_output=True,
        text=True,
        check=True,
    ).stdout


@pytest.mark.skipif(
    importlib.util.find_spec("torch") is None,
    reason="PyTorch is not installed: cuesta.torch is part of it",
)
def test_the_index_is_up_to_date() -> None:
    """docs/user/python-api.md is what python/docs/api_reference.py makes of the installed package."""
    written = (pages.ROOT / "docs/user/python-api.md").read_text()
    assert reference("--index") == written, (
        "run: python python/docs/api_reference.py --index > docs/user/python-api.md"
    )
    whole = reference()
    names = re.findall(r"(?m)^- `(\w+)`", written)
    assert len(names) > 90 and all(f"\n### {name}\n" in whole for name in names)


def test_the_index_has_every_public_name() -> None:
    written = (pages.ROOT / "docs/user/python-api.md").read_text()
    section = written.partition("\n## cuesta\n")[2].partition("\n## ")[0]
    assert re.findall(r"(?m)^- `(\w+)`", section) == [
        name for name in cuesta.__all__ if name != "__version__"
    ]


DOCUMENTED = [
    (f"{module.__name__}.{name}", value)
    for module in (cuesta, cuesta.bands)
    for name in module.__all__
    if callable(value := getattr(module, name))
    and "\nParameters\n---" in inspect.cleandoc(value.__doc__ or "")
]


@pytest.mark.parametrize(("name", "value"), DOCUMENTED, ids=[name for name, _ in DOCUMENTED])
def test_documentation_and_signature_agree(name: str, value: Any) -> None:
    """Every parameter of a function is documented, and nothing else."""
    sections = re.split(r"(?m)^(\w[\w ]*)\n-{3,}$", inspect.cleandoc(value.__doc__))
    listed = sections[sections.index("Parameters") + 1]
    heads = [
        line.partition(" : ")[0]
        for line in listed.splitlines()
        if line and not line.startswith(" ")
    ]
    documented = [one.strip().lstrip("*") for head in heads for one in head.split(",")]
    assert len(documented) == len(set(documented))
    assert set(documented) == set(inspect.signature(value).parameters)


def test_enough_functions_are_held_to_that() -> None:
    assert len(DOCUMENTED) > 35


def examples() -> list[Any]:
    """The examples of every docstring of the core package, a test for each docstring."""
    found: list[Any] = []
    for module in sorted(
        {getattr(cuesta, name).__module__ for name in cuesta.__all__ if name != "__version__"}
    ):
        if isinstance(value := sys.modules.get(module), ModuleType):
            found += [test for test in doctest.DocTestFinder().find(value) if test.examples]
    return [pytest.param(test, id=test.name) for test in found]


@pytest.mark.parametrize("test", examples())
def test_examples_in_docstrings_run(test: doctest.DocTest) -> None:
    report: list[str] = []
    outcome = doctest.DocTestRunner().run(test, out=report.append)
    assert not outcome.failed, "".join(report)

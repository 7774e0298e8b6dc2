"""Every Python block of README.md and docs/python.md runs; the reference is up to date."""

from __future__ import annotations

import itertools
import linecache
import pathlib
import subprocess
import sys
from typing import Any

import pages
import pytest

# Module to import for a word of `needs`, where it differs.
MODULES = {name: name for name in ("skimage", "cv2", "torch", "cupy", "PIL", "cuesta._files")}
PAGES = ["README.md", "docs/python.md"]


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
    """The README shows numpy, torch on the CPU, and CUDA with torch and cupy."""
    needs = {block.needs for block in pages.blocks(pages.ROOT / "README.md")}
    assert {(), ("torch",), ("torch", "cuda"), ("cupy", "cuda")} <= needs


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


def test_the_reference_is_up_to_date() -> None:
    """docs/python-api.md is what python/docs/api_reference.py makes of the installed package."""
    made = subprocess.run(
        [sys.executable, str(pages.ROOT / "python/docs/api_reference.py")],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    written = (pages.ROOT / "docs/python-api.md").read_text()
    assert made == written, "run: python python/docs/api_reference.py > docs/python-api.md"

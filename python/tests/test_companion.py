"""`import cuesta` takes the extension that cuesta-cuda13 brings, where it is of the same version."""

import shutil
import subprocess
import sys
from pathlib import Path

import cuesta
from cuesta import _core, _extension


def with_companion(folder: Path, version: str, *options: str) -> subprocess.CompletedProcess[str]:
    """A Python beside which a companion of this version is installed: our own extension in its place."""
    there = folder / _extension.FOLDER
    there.mkdir()
    shutil.copy(_core.__file__, there)
    for carried in Path(cuesta.__file__).parent.parent.glob("cuesta*.libs"):  # of wheels that auditwheel repaired
        (folder / carried.name).symlink_to(carried)
    info = folder / f"cuesta_cuda13-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {_extension.COMPANION}\nVersion: {version}\n")
    code = "import cuesta, numpy; print(cuesta._core.__file__); cuesta.canny(numpy.zeros((9, 9), numpy.uint8))"
    site = str(Path(cuesta.__file__).parent.parent)
    return subprocess.run(
        [sys.executable, *options, "-c", f"import sys; sys.path[:0] = [{str(folder)!r}, {site!r}]\n{code}"],
        capture_output=True,
        text=True,
        cwd=folder,
    )


def test_the_companion_is_taken(tmp_path: Path) -> None:
    ran = with_companion(tmp_path, cuesta.__version__, "-W", "error")
    assert ran.returncode == 0, ran.stderr
    assert Path(ran.stdout.strip()).parent == tmp_path / _extension.FOLDER


def test_another_version_is_not(tmp_path: Path) -> None:
    version = "0.0.1"
    ran = with_companion(tmp_path, version)
    assert ran.returncode == 0, ran.stderr
    assert Path(ran.stdout.strip()) == Path(cuesta.__file__).with_name(Path(_core.__file__).name)
    assert f"cuesta-cuda13 is {version} and cuesta is {cuesta.__version__}" in ran.stderr

"""`import cuesta` takes the extension that cuesta-cuda13 brings, where it is of the same version."""

import shutil
import subprocess
import sys
from pathlib import Path

import cuesta
from cuesta import _core, _extension


def write_metadata(folder: Path, name: str, version: str) -> None:
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")


NO_METADATA = """import importlib.metadata as m
version = m.version
def without_ours(name):
    if name == "cuesta":
        raise m.PackageNotFoundError(name)
    return version(name)
m.version = without_ours
"""


def with_companion(
    folder: Path, version: str, *options: str, before: str = ""
) -> subprocess.CompletedProcess[str]:
    """A Python beside which a companion of this version is installed: our own extension in its place. `before` runs first."""
    there = folder / _extension.FOLDER
    there.mkdir()
    shutil.copy(_core.__file__, there)
    for carried in Path(cuesta.__file__).parent.parent.glob(
        "cuesta*.libs"
    ):  # of wheels that auditwheel repaired
        (folder / carried.name).symlink_to(carried)
    write_metadata(folder, _extension.COMPANION, version)
    write_metadata(
        folder, "cuesta", cuesta.__version__
    )  # the package under test may be a folder that has none
    code = "import cuesta, numpy; print(cuesta._core.__file__); cuesta.canny(numpy.zeros((9, 9), numpy.uint8))"
    site = str(Path(cuesta.__file__).parent.parent)
    return subprocess.run(
        [
            sys.executable,
            *options,
            "-c",
            f"import sys; sys.path[:0] = [{str(folder)!r}, {site!r}]\n{before}{code}",
        ],
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


def test_where_our_version_is_not_known_it_is_said(tmp_path: Path) -> None:
    ran = with_companion(tmp_path, cuesta.__version__, before=NO_METADATA)
    assert ran.returncode == 0, ran.stderr
    assert Path(ran.stdout.strip()) == Path(cuesta.__file__).with_name(Path(_core.__file__).name)
    assert (
        "cuesta's version is not known, as its metadata is not here: GPUs are left out; install cuesta with pip"
        in ran.stderr
    )

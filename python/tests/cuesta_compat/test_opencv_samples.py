"""OpenCV's own Python samples, run as they are with cuesta.compat.cv2 as their cv2: they show and write the same pictures, and
end the same way. The counts are in the test run's summary.

The samples are those of Debian's opencv-doc, whose pictures `scripts/fetch-data` fetches too.
"""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
from typing import Any

import pytest

cv2 = pytest.importorskip("cv2", reason="OpenCV's Python package is not installed")

HERE = pathlib.Path(__file__).parent
DATA = pathlib.Path(
    os.environ.get("CUESTA_OPENCV_DATA")
    or HERE.parents[2] / "build/data/opencv-doc/usr/share/doc/opencv-doc/examples/data"
)
SAMPLES = sorted((DATA.parent / "python").glob("*.py"))

#: What a sample is started with, where its own defaults name files that opencv-doc does not have, features that newer
#: versions do not have, or a camera.
ARGUMENTS: dict[str, tuple[str, ...]] = {
    "asift.py": ("--feature=orb-flann",),
    "browse.py": ("DATA/baboon.jpg",),
    "calibrate.py": ("--threads=1", "DATA/left0*.jpg"),
    "digits_video.py": ("DATA/vtest.avi",),
    "essential_mat_reconstr.py": ("DATA/essential_mat_data.txt", "DATA"),
    "find_obj.py": ("--feature=orb-flann",),
    "floodfill.py": ("DATA/fruits.jpg",),
    "grabcut.py": ("DATA/messi5.jpg",),
    "hist.py": ("DATA/home.jpg",),
    "stitching.py": ("DATA/leuvenA.jpg", "DATA/leuvenB.jpg"),
    "stitching_detailed.py": ("DATA/leuvenA.jpg", "DATA/leuvenB.jpg", "--features=sift"),
    "text_skewness_correction.py": ("-i", "DATA/imageTextR.png"),
    "tracker.py": ("--input", "DATA/vtest.avi", "--tracker_algo", "mil"),
    "mouse_and_match.py": ("-i", "DATA"),
}


def run(which: str, sample: pathlib.Path, folder: pathlib.Path) -> dict[str, Any]:
    where = folder / "python"
    where.mkdir(exist_ok=True)
    if not (folder / "data").exists():
        (folder / "data").symlink_to(DATA)
    arguments = [word.replace("DATA", str(DATA)) for word in ARGUMENTS.get(sample.name, ())]
    done = subprocess.run(
        [sys.executable, str(HERE / "opencv_sample.py"), which, str(sample), *arguments],
        cwd=where, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=170,
        env={**os.environ, "CUESTA_OPENCV_DATA": str(DATA), "MPLBACKEND": "Agg"},
    )  # fmt: skip
    lines = done.stdout.strip().splitlines()
    assert lines and lines[-1].startswith("{"), done.stderr[-2000:]
    told: dict[str, Any] = json.loads(lines[-1])
    return told


@pytest.mark.timeout(360)
@pytest.mark.skipif(
    not SAMPLES,
    reason=f"no samples in {DATA.parent / 'python'}; scripts/fetch-data puts them there",
)
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.stem)
def test_sample(sample: pathlib.Path, tmp_path: pathlib.Path, record_property: Any) -> None:
    theirs, ours = run("cv2", sample, tmp_path), run("cuesta", sample, tmp_path)
    if (ours["shown"], ours["end"]) != (theirs["shown"], theirs["end"]):
        again = run("cv2", sample, tmp_path)
        assert again["shown"] != theirs["shown"], (
            f"{ours['end']} under cuesta, {theirs['end']} under cv2"
        )
        pytest.xfail("it shows other pictures under cv2 each time")
    record_property(
        "sample", [len(ours["shown"]), ours["end"], sum(n for n, _ in ours["calls"].values())]
    )


def test_the_samples_are_there() -> None:
    if not SAMPLES:
        pytest.skip(f"no samples in {DATA.parent / 'python'}; scripts/fetch-data puts them there")
    assert len(SAMPLES) == 66
    assert {name for name in ARGUMENTS} <= {sample.name for sample in SAMPLES}

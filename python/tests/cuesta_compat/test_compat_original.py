"""What the compat modules leave to the libraries that they stand in for, and that programs and tests of those run on them."""

from __future__ import annotations

import importlib.util
import json
import os
import pathlib
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

cv2 = pytest.importorskip("cv2", reason="OpenCV's Python package is not installed")

import cuesta
import cuesta.compat.cv2
import cuesta.compat.skimage

ours: Any = cuesta.compat.cv2

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[2]
MEASURED = ROOT / "docs/results/data/compat.json"
#: scikit-image with its tests, which newer wheels leave out: `pip install --no-deps --target FOLDER scikit-image==0.25.2`.
SKIMAGE = pathlib.Path(os.environ.get("CUESTA_SKIMAGE_TESTS") or ROOT / "build/python/scikit-image")


def picture(*shape: int, dtype: Any = np.uint8) -> Any:
    return np.random.default_rng(5).integers(0, 256, shape).astype(dtype)


@pytest.mark.parametrize("module", [cuesta.compat.cv2, cuesta.compat.skimage])
def test_the_readme_has_the_table(module: Any) -> None:
    text = " ".join((ROOT / "python/cuesta/compat/README.md").read_text(encoding="utf-8").split())
    assert set(module.original.table) == set(module.__all__) - {"calls"}
    for row in module.original.table.values():
        left = f" Left: {row.left()}." if row.left() else ""
        assert f"- `{row.path}`: {row.words()}.{left}" in text, row.path


def who(call: Any, name: str) -> str:
    before = ours.calls().get(name, (0, 0))
    call()
    after = ours.calls()[name]
    assert sum(after) == sum(before) + 1
    return "theirs" if after.theirs > before[1] else "ours"


def test_what_is_not_here_is_cv2s() -> None:
    assert ours.findContours is cv2.findContours
    assert ours.COLOR_BGR2HSV == cv2.COLOR_BGR2HSV
    assert ours.error is cv2.error and ours.__version__ == cv2.__version__
    assert {"createBackgroundSubtractorMOG2", "inRange", "Canny", "calls"} <= set(dir(ours))
    with pytest.raises(AttributeError, match="no_such_function"):
        ours.no_such_function
    assert set(ours.__all__) - {"calls"} <= set(dir(cv2))


def test_what_ours_refuses_cv2_answers() -> None:
    color = picture(600, 700, 3)
    dx, dy = (cv2.Sobel(color[..., 0], cv2.CV_16S, *order) for order in ((1, 0), (0, 1)))
    assert who(lambda: ours.Canny(dx, dy, 50, 150), "Canny") == "ours"
    np.testing.assert_array_equal(ours.Canny(dx, dy, 50, 150), cv2.Canny(dx, dy, 50, 150))
    doubles = color[..., 0] / 255
    for mine, theirs in (
        (ours.Sobel(doubles, cv2.CV_64F, 1, 0), cv2.Sobel(doubles, cv2.CV_64F, 1, 0)),
        (ours.GaussianBlur(doubles, (5, 5), 0), cv2.GaussianBlur(doubles, (5, 5), 0)),
        (ours.erode(doubles, None), cv2.erode(doubles, None)),
        (
            ours.GaussianBlur(doubles.astype(np.float32), (5, 5), 0),
            cv2.GaussianBlur(doubles.astype(np.float32), (5, 5), 0),
        ),
        (ours.GaussianBlur(color, (301, 301), 0), cv2.GaussianBlur(color, (301, 301), 0)),
        (ours.absdiff(color, 7), cv2.absdiff(color, 7)),
        (ours.cvtColor(color, cv2.COLOR_BGR2HSV), cv2.cvtColor(color, cv2.COLOR_BGR2HSV)),
        (
            ours.threshold(color, 9, 77, cv2.THRESH_TRUNC)[1],
            cv2.threshold(color, 9, 77, cv2.THRESH_TRUNC)[1],
        ),
        (
            ours.Laplacian(color, cv2.CV_16S, 5),
            cv2.Laplacian(color, cv2.CV_16S, 5),
        ),  # 5 is dst there, as a sample has it
        (ours.GaussianBlur(cv2.UMat(color), (5, 5), 0).get(), cv2.GaussianBlur(color, (5, 5), 0)),
    ):
        assert mine.dtype == theirs.dtype
        np.testing.assert_array_equal(mine, theirs)


def test_errors_are_cv2s_where_it_is_there_and_ours_where_not() -> None:
    image = picture(8, 9)
    with pytest.raises(cv2.error):
        ours.Canny(image, 1, 2, apertureSize=4)
    ours.original.alone = True
    try:
        with pytest.raises(cuesta.Unsupported, match="apertureSize is 4; Cuesta supports"):
            ours.Canny(image, 1, 2, apertureSize=4)
    finally:
        ours.original.alone = False


def bench() -> Any:
    spec = importlib.util.spec_from_file_location(
        "bench_compat", ROOT / "python/bench/bench_compat.py"
    )
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_is_slower_here_is_left_to_cv2() -> None:
    """Of every request that was measured on 1920 x 1080: who answers is who was the faster one; the answers are equal."""
    table = json.loads(MEASURED.read_text(encoding="utf-8"))["tables"]["requests"]
    assert table["head"] == ["request", "Cuesta", "cv2", "ratio", "answered by"]
    measured = {request: (float(ratio), by) for request, _, _, ratio, by in table["rows"]}
    made = bench()
    requests = made.requests()
    assert {request.name for request in requests} <= set(measured)
    # All that was measured of functions that are not here.
    passed_on = [by for name, (_, by) in measured.items() if name.split()[0] not in ours.__all__]
    assert set(passed_on) == {"cv2"}
    of, count = made.pictures(640, 480), {"ours": 0, "theirs": 0}
    for request in requests:
        by = who(lambda: made.answer(ours, request, of), request.function)
        count[by] += 1
        ratio, answered = measured[request.name]
        assert (by == "theirs") == (answered == "cv2"), request.name
        assert by == "theirs" or ratio >= 1, request.name
        if by == "ours":
            for mine, theirs in zip(
                made.answer(ours, request, of), made.answer(cv2, request, of), strict=True
            ):
                np.testing.assert_array_equal(mine, theirs, err_msg=request.name)
    assert min(count.values()) > 50


def test_small_pictures_are_cv2s() -> None:
    """A call costs more here than a picture of 20 x 20 does there."""
    small, large = picture(20, 20), picture(600, 700)
    for name, arguments in (
        ("Sobel", (cv2.CV_16S, 1, 0)),
        ("GaussianBlur", ((5, 5), 0)),
        ("Laplacian", (cv2.CV_16S,)),
    ):
        assert who(lambda: getattr(ours, name)(small, *arguments), name) == "theirs"
        assert who(lambda: getattr(ours, name)(large, *arguments), name) == "ours"
    assert who(lambda: ours.Canny(small, 50, 100), "Canny") == "ours"


def test_programs_run_as_they_are(tmp_path: pathlib.Path) -> None:
    program = tmp_path / "program.py"
    (tmp_path / "helper.py").write_text("import cv2 as cv\nblur = cv.GaussianBlur\n")
    program.write_text(
        "import sys, helper, cv2, numpy as np\n"
        "from cv2 import Canny, contourArea\n"
        "image = np.zeros((600, 700), np.uint8); image[100:300, 100:300] = 255\n"
        "edges = Canny(helper.blur(image, (5, 5), 0), 50, 100)\n"
        "found, _ = cv2.findContours(edges, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)\n"
        "print(cv2.__name__, contourArea(found[0]) > 30000, sys.argv[1:], __name__, cv2.calls()['Canny'].ours)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "cuesta.compat", str(program), "-x", "y"],
        cwd=tmp_path, check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout.split("\n")[0] == "cuesta.compat.cv2 True ['-x', 'y'] __main__ 1"
    usage = subprocess.run([sys.executable, "-m", "cuesta.compat"], capture_output=True, text=True)
    assert usage.returncode == 1 and usage.stderr.startswith(
        "usage: python -m cuesta.compat program.py"
    )


def test_our_name_does_not_hide_the_original() -> None:
    code = (
        "import sys; from cuesta.compat import cv2 as ours; sys.modules['cv2'] = ours\n"
        "assert ours.original.module() is not ours and ours.findContours and sys.modules['cv2'] is ours\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_the_originals_what_is_here_works() -> None:
    code = (
        "import sys; sys.modules['cv2'] = sys.modules['skimage'] = None\n"
        "import cuesta, numpy as np; from cuesta.compat import cv2, skimage\n"
        "image = np.zeros((20, 30), np.uint8)\n"
        "assert cv2.erode(image, None).shape == skimage.gaussian(image).shape == (20, 30)\n"
        "assert cv2.calls()['erode'].ours == 1\n"
        "for call in (lambda: cv2.inRange, lambda: cv2.erode(image / 255, None), lambda: skimage.sobel(image / 255)):\n"
        "    try: call()\n"
        "    except (AttributeError, cuesta.Unsupported) as error: assert '(pip install ' in str(error)\n"
        "    else: raise AssertionError\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_float64_stays_float64() -> None:
    """As scikit-image has it, to the last bit, where it is installed."""
    pytest.importorskip("skimage", reason="scikit-image is not installed")
    from skimage import feature, filters

    from cuesta.compat import skimage

    image = np.random.default_rng(1).random((40, 50))
    np.testing.assert_array_equal(skimage.gaussian(image, 2.0), filters.gaussian(image, 2.0))
    np.testing.assert_array_equal(skimage.sobel(image), filters.sobel(image))
    np.testing.assert_array_equal(skimage.laplace(image), filters.laplace(image))
    np.testing.assert_array_equal(skimage.canny(image, 1.0), feature.canny(image, 1.0))
    assert skimage.calls()["filters.gaussian"].theirs >= 1
    single = skimage.gaussian(image.astype(np.float32), 2.0)
    assert single.dtype == np.float32 and skimage.calls()["filters.gaussian"].ours >= 1


#: scikit-image's tests that do not pass with ours in place, and why.
OPEN = {
    "test_deprecated_shift": "the place in the caller's file that a FutureWarning names is one call deeper",
}


@pytest.mark.timeout(600)
@pytest.mark.skipif(
    not (SKIMAGE / "skimage").exists(),
    reason=f"no scikit-image with its tests in {SKIMAGE}; scripts/check-python puts it there",
)
def test_scikit_images_own_tests(tmp_path: pathlib.Path, record_property: Any) -> None:
    files = [
        "feature/tests/test_canny.py",
        "filters/tests/test_edges.py",
        "filters/tests/test_gaussian.py",
        "measure/tests/test_ccomp.py",
        "measure/tests/test_label.py",
        "morphology/tests/test_binary.py",
        "morphology/tests/test_gray.py",
    ]
    package = pathlib.Path(cuesta.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "skimage_in_place", "-c", os.devnull,
         "--rootdir", str(SKIMAGE), *(str(SKIMAGE / "skimage" / file) for file in files)],
        cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (SKIMAGE, package, HERE)))},
    )  # fmt: skip
    (line,) = [line for line in done.stdout.splitlines() if line.startswith('{"counts"')] or [
        done.stdout + done.stderr
    ]
    told = json.loads(line)
    unknown = [name for name in told["failed"] if not any(f"::{known}[" in name for known in OPEN)]
    assert not unknown
    passed, failed = told["counts"]["passed"], len(told["failed"])
    assert passed > 700 and passed >= 0.95 * (passed + failed)
    calls = ", ".join(f"{name} {ours} + {theirs}" for name, (ours, theirs) in told["calls"].items())
    record_property(
        "count",
        f"scikit-image's own tests with ours in place: {passed} of {passed + failed} pass; calls answered by ours + by "
        f"scikit-image: {calls}",
    )

"""100,000 calls leave memory and reference counts as they were; inputs are not copied."""

from __future__ import annotations

import gc
import mmap
import pathlib
import resource
import subprocess
import sys
import textwrap
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cuesta

CALLS = 100_000
# What the allocator may keep or drop between two readings; a leak of one 32 x 32 result a call
# would be 100 MB.
SLACK = 4 << 20

rng = np.random.default_rng(1)
IMAGE = rng.integers(0, 256, (32, 32), dtype=np.uint8)
MASK = (rng.random((32, 32)) > 0.5).astype(np.uint8)
OUT = np.empty_like(IMAGE)
STENCIL = np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]])
ELEMENT = np.ones((3, 3), np.uint8)
BATCH = np.stack([IMAGE, IMAGE])


def refused(call: Callable[[], Any]) -> Callable[[], Any]:
    def run() -> None:
        try:
            call()
        except (cuesta.Error, TypeError, ValueError):
            return
        raise AssertionError("this call should have been refused")

    return run


WORK: dict[str, Callable[[], Any]] = {
    "canny": lambda: cuesta.canny(IMAGE, threads=1),
    "canny-out-mask": lambda: cuesta.canny(IMAGE, 20, 60, mask=MASK, out=OUT, threads=1),
    "canny-batch": lambda: cuesta.canny(BATCH, [9, 9], [30, 40], layout="NHW", threads=1),
    "sobel-tuple": lambda: cuesta.sobel(IMAGE, outputs=("gx", "gy", "magnitude"), threads=1),
    "convolve-array": lambda: cuesta.convolve(IMAGE, STENCIL, divisor=16, threads=1),
    "erode-array": lambda: cuesta.erode(IMAGE, ELEMENT, threads=1),
    "label": lambda: cuesta.label(MASK, threads=1),
    "error-value": refused(lambda: cuesta.canny(IMAGE, aperture=4)),
    "error-name": refused(lambda: cuesta.canny(IMAGE, threshold="guess")),
    "error-strategy": refused(lambda: cuesta.sobel(IMAGE, strategy="no-such")),
    "error-type": refused(lambda: cuesta.canny("a picture")),
    "error-stencil": refused(lambda: cuesta.convolve(IMAGE, "1 2;3")),
    "error-out": refused(lambda: cuesta.canny(IMAGE, out=MASK[:5])),
}
INPUTS = (IMAGE, MASK, OUT, STENCIL, ELEMENT, BATCH)


def resident() -> int:
    pages = pathlib.Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * resource.getpagesize()


def left_behind(call: Callable[[], Any], calls: int) -> str:
    """What `calls` calls leave, in words; empty when nothing."""
    gc.collect()
    counts = [sys.getrefcount(x) for x in INPUTS]
    blocks, bytes_before = sys.getallocatedblocks(), resident()
    for _ in range(calls):
        call()
    gc.collect()
    if [sys.getrefcount(x) for x in INPUTS] != counts:
        return "references to inputs"
    if sys.getallocatedblocks() - blocks > 500:
        return f"{sys.getallocatedblocks() - blocks} objects"
    grown = resident() - bytes_before
    return f"{grown} bytes" if grown > SLACK else ""


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", WORK)
def test_many_calls_leave_nothing(name: str) -> None:
    call = WORK[name]
    # The first calls fill caches: workspaces, interned texts, the allocator's arenas.
    for _ in range(CALLS // 50):
        call()
    # Threads of other tests may allocate meanwhile; a leak shows in the second round as well.
    assert left_behind(call, CALLS) == "" or left_behind(call, CALLS) == ""


def test_a_planted_leak_is_seen() -> None:
    kept: list[Any] = []
    assert "references" in left_behind(lambda: kept.append(IMAGE), 10)
    assert "objects" in left_behind(lambda: kept.append(cuesta.canny(IMAGE)), 2_000)
    # Pages of the kernel's: an allocator's own may have been there before.
    buffers = mmap.mmap(-1, 64 << 20)
    pages = iter(range(0, len(buffers), mmap.PAGESIZE))
    assert "bytes" in left_behind(lambda: buffers.__setitem__(next(pages), 1), 10_000)


def test_results_are_freed_with_their_last_reference() -> None:
    edges = cuesta.canny(IMAGE)
    alive = weakref.ref(edges)
    view = edges[3:9]
    del edges
    # A view keeps its array, as numpy's views do.
    assert view.base is not None and view.sum() >= 0
    del view
    assert alive() is None


def test_out_is_returned_itself() -> None:
    out = np.zeros_like(IMAGE)
    count = sys.getrefcount(out)
    made = cuesta.canny(IMAGE, out=out)
    assert made is out
    del made
    assert sys.getrefcount(out) == count


def test_a_detector_is_freed() -> None:
    def watch() -> None:
        detector = cuesta.MotionDetector()
        for i in range(5):
            detector.push(np.full((256, 256), i, np.uint8))

    for _ in range(20):
        watch()
    gc.collect()
    before = resident()
    for _ in range(300):
        watch()
    gc.collect()
    assert resident() - before < 8 << 20


@pytest.mark.timeout(120)
def test_inputs_are_not_copied() -> None:
    """The peak of a process rises by the result, not by a second input."""
    code = """
        import re
        import numpy as np
        import cuesta

        def peak():
            # Not getrusage's: that is the parent's where the parent's was higher.
            with open("/proc/self/status") as status:
                return 1024 * int(re.search(r"VmHWM:\\s+(\\d+)", status.read())[1])

        side = 16384
        big = np.zeros((side, side), np.uint8)
        big[:] = 7  # the pages are there
        read_only = big[:, :-5]  # rows farther apart than they are wide
        read_only.flags.writeable = False
        cuesta.threshold(big[:64, :64], 3)
        before = peak()
        made = cuesta.threshold(read_only, 3)
        assert made.all()
        print((peak() - before) / big.nbytes)
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True
    )
    # 1 for the result; `made.all()` adds nothing.
    assert 0.9 < float(run.stdout) < 1.2


def test_nothing_is_left_at_exit() -> None:
    program = (
        "import cuesta, numpy\n"
        "picture = numpy.zeros((9, 9), numpy.uint8)\n"
        "cuesta.correlate(picture, [[1, 2, 1]])\n"
        "cuesta.erode(picture, numpy.ones((3, 3)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")

"""Two Python threads at once: one result, and the interpreter is free while a call runs.

On free-threaded builds of Python the extension declares that it needs no global lock, so importing
it must not bring the lock back; everywhere else calls release it for as long as they compute.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import cuesta

Picture = npt.NDArray[np.uint8]


def test_the_interpreter_is_free_during_a_call() -> None:
    rng = np.random.default_rng(3)
    image = rng.integers(0, 256, (2048, 2048), dtype=np.uint8)
    small = image[:64, :64]
    expected = cuesta.canny(small)
    side = 2
    # A call of half a second or more, whatever the machine.
    while True:
        big = np.tile(image, (side, 1))
        began = time.perf_counter()
        cuesta.canny(big, strategy="serial")
        if time.perf_counter() - began > 0.5:
            break
        side *= 2

    started, ended = threading.Event(), threading.Event()

    def long_call() -> None:
        started.set()
        cuesta.canny(big, strategy="serial")
        ended.set()

    thread = threading.Thread(target=long_call)
    thread.start()
    started.wait()
    done = 0
    while not ended.is_set():
        # Held for the whole call, the lock would let a handful through, at its beginning.
        assert np.array_equal(cuesta.canny(small, threads=1), expected)
        time.sleep(0.001)
        done += 1
    thread.join()
    assert done >= 50, f"only {done} short calls ran beside a long one"


@pytest.mark.parametrize("threads", [1, 2, None])
def test_threads_share_inputs_and_agree(threads: int | None, picture: Picture) -> None:
    big = np.tile(picture, (4, 4))
    work: list[Any] = [
        lambda: cuesta.canny(big, threads=threads),
        lambda: cuesta.gaussian(big, 2.0, threads=threads),
        lambda: cuesta.label(cuesta.threshold(big, 128), threads=threads).labels,
        lambda: cuesta.close(big, "disk:7", threads=threads),
    ]
    expected = [call() for call in work]
    with ThreadPoolExecutor(max_workers=4) as pool:
        made = list(pool.map(lambda i: work[i % len(work)](), range(80)))
    for i, result in enumerate(made):
        np.testing.assert_array_equal(result, expected[i % len(work)])


def test_detectors_in_threads_keep_their_own_state(picture: Picture) -> None:
    def watch(shift: int) -> list[Any]:
        detector = cuesta.MotionDetector("mean", blur=5, close="disk:3", open="disk:3", min_area=4, warm_up=1)
        found: list[Any] = []
        for i in range(12):
            frame = picture.copy()
            frame[20 : 20 + shift, 5 * i : 5 * i + 16] = 255
            found.append([(d.box, d.area) for d in detector.push(frame)])
        return found

    expected = [watch(n) for n in (10, 20, 30)]
    assert any(expected[0]) and expected[0] != expected[2]
    with ThreadPoolExecutor(max_workers=3) as pool:
        assert list(pool.map(watch, (10, 20, 30) * 4)) == expected * 4


def test_read_only_inputs_are_taken_and_left_alone(picture: Picture) -> None:
    locked = picture.copy()
    locked.flags.writeable = False
    mask = np.ones_like(locked)
    mask.flags.writeable = False
    before = locked.tobytes()
    cuesta.canny(locked, mask=mask)
    cuesta.sobel(locked)
    cuesta.label(mask)
    cuesta.absdiff(locked, locked)
    cuesta.MotionDetector().push(locked)
    assert locked.tobytes() == before and not locked.flags.writeable
    # bytes() has no writable memory at all.
    frozen = np.frombuffer(before, np.uint8).reshape(locked.shape)
    np.testing.assert_array_equal(cuesta.canny(frozen), cuesta.canny(picture))


def test_a_read_only_out_is_refused(picture: Picture) -> None:
    out = np.zeros_like(picture)
    out.flags.writeable = False
    with pytest.raises((cuesta.InvalidArgument, TypeError), match="out"):
        cuesta.canny(picture, out=out)
    assert not out.any()


def test_free_threaded_python_stays_free() -> None:
    if not sysconfig.get_config_var("Py_GIL_DISABLED"):
        pytest.skip("this Python was built with a global lock")
    assert not getattr(sys, "_is_gil_enabled")(), "importing cuesta brought the global lock back"


AT_EXIT = """
import sys, threading, numpy, cuesta
image = numpy.zeros((200, 300), numpy.uint8)
detector = cuesta.MotionDetector(blur=1, close="rect:3", open="rect:3")
calls = [lambda: cuesta.canny(image), lambda: cuesta.gaussian(image, 2.0), lambda: detector.push(image)]
begun = threading.Barrier(5)

def work(call):
    call()
    begun.wait()
    while True:
        call()

for i in range(4):
    threading.Thread(target=work, args=(calls[i % len(calls)],), daemon=True).start()
begun.wait()
print("over", flush=True)
"""


def test_daemon_threads_do_not_abort_the_interpreters_end() -> None:
    for _ in range(4):
        done = subprocess.run([sys.executable, "-c", AT_EXIT], capture_output=True, text=True, timeout=120)
        assert (done.returncode, done.stdout) == (0, "over\n"), done.stderr


def test_a_detector_is_one_frames_at_a_time_whoever_pushes_and_resets(picture: Picture) -> None:
    frames = [picture[:64, :80], picture[:48, :64]]
    detector = cuesta.MotionDetector(blur=1, close="rect:3", open="rect:3")
    wrong: list[Any] = []

    def work(frame: Picture) -> None:
        for _ in range(60):
            try:
                detector.push(frame)
            except cuesta.InputError as error:
                if "x" not in str(error):  # another thread's frame came before, of another size
                    wrong.append(error)
            shape = detector.mask.shape
            if shape not in [(64, 80), (48, 64), (0, 0)]:
                wrong.append(shape)
            detector.reset()

    with ThreadPoolExecutor(max_workers=4) as pool:
        for future in [pool.submit(work, frames[i % 2]) for i in range(4)]:
            future.result()
    assert wrong == []

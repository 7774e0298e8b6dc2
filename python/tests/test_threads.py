"""Many Python threads at once: one result, and the interpreter is free while a call runs.

On free-threaded builds of Python the extension declares that it needs no global lock, so importing
it must not bring the lock back; everywhere else calls release it for as long as they compute.
scripts/check-free-threaded runs this file under ThreadSanitizer.
"""

from __future__ import annotations

import pathlib
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pytest
from test_video import EXACT, moving_square, y4m

import cuesta

Picture = npt.NDArray[np.uint8]
T = TypeVar("T")


def at_once(calls: Sequence[Callable[[], T]]) -> list[T]:
    """What the calls give, a thread each, begun at one moment; with the lock they take turns as often as can be."""
    begin = threading.Barrier(len(calls))

    def run(call: Callable[[], T]) -> T:
        begin.wait(60)
        return call()

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(max_workers=len(calls)) as pool:
            return [future.result() for future in [pool.submit(run, call) for call in calls]]
    finally:
        sys.setswitchinterval(interval)


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
        detector = cuesta.MotionDetector(
            "mean", blur=5, close="disk:3", open="disk:3", min_area=4, warm_up=1
        )
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


FIRST_CALLS = """
import sys, threading, numpy, cuesta
file, video = sys.argv[1:]
calls = [lambda: cuesta.imread(file).sum(), lambda: sum(1 for frame in cuesta.read_video(video)), lambda: cuesta.canny(file).sum()]
begin, found = threading.Barrier(12), [None] * 12

def work(i):
    begin.wait()
    found[i] = int(calls[i % 3]())

threads = [threading.Thread(target=work, args=(i,)) for i in range(12)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert found == [int(call()) for call in calls] * 4, found
print("over")
"""


def has_libvips() -> bool:
    try:
        cuesta.imread("/nowhere.png")
    except cuesta.Unsupported:
        return False
    except cuesta.InputError:
        return True
    raise AssertionError


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
        done = subprocess.run(
            [sys.executable, "-c", AT_EXIT], capture_output=True, text=True, timeout=120
        )
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


def test_what_a_process_does_first_may_be_done_by_many_threads(
    picture: Picture, tmp_path: pathlib.Path
) -> None:
    if not has_libvips():
        pytest.skip("this build of Cuesta has no libvips")
    cuesta.imwrite(tmp_path / "a.png", picture)
    (tmp_path / "a.y4m").write_bytes(y4m(moving_square(6)))
    files = [str(tmp_path / "a.png"), str(tmp_path / "a.y4m")]
    done = subprocess.run(
        [sys.executable, "-c", FIRST_CALLS, *files], capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stdout) == (0, "over\n"), done.stderr


def test_files_are_read_and_written_by_many_threads(
    picture: Picture, tmp_path: pathlib.Path
) -> None:
    if not has_libvips():
        pytest.skip("this build of Cuesta has no libvips")
    shared, edges = tmp_path / "shared.png", cuesta.edges(picture)
    cuesta.imwrite(shared, picture)

    def work(i: int) -> None:
        own = tmp_path / f"{i}.tif"
        for _ in range(4):
            np.testing.assert_array_equal(cuesta.imread(shared), picture)
            assert cuesta.edges_file(shared, own, rows=16).height == picture.shape[0]
            np.testing.assert_array_equal(cuesta.imread(own), edges)
            cuesta.imwrite(tmp_path / "one.png", picture)  # whoever comes last; whole at any moment
            np.testing.assert_array_equal(cuesta.imread(tmp_path / "one.png"), picture)
            with pytest.raises(cuesta.InputError, match=f"absent{i}.png"):
                cuesta.imread(tmp_path / f"absent{i}.png")

    at_once([lambda i=i: work(i) for i in range(4)])  # type: ignore[misc]


@pytest.mark.parametrize("color", [False, True])
def test_threads_that_share_a_video_get_a_frame_each(tmp_path: pathlib.Path, color: bool) -> None:
    file = tmp_path / "a.y4m"
    file.write_bytes(y4m(moving_square(60)))
    expected = [(f.number, f.time, cuesta.to_gray(f.image).tobytes() if color else f.image.tobytes())
                for f in cuesta.read_video(file, color=color)]  # fmt: skip
    video = cuesta.read_video(file, color=color)

    def work() -> list[Any]:
        found = []
        for f in video:
            assert (video.size, video.is_live, video.damage) == ((64, 48), False, "")
            image = (
                cuesta.to_gray(f.image) if color else f.image
            )  # reads what the video's thread wrote, and lets go of it
            found.append((f.number, f.time, image.tobytes()))
        return found

    assert sorted(sum(at_once([work] * 4), [])) == expected


def test_threads_that_share_what_detect_gives_get_a_frame_each(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "a.y4m"
    file.write_bytes(y4m(moving_square(60)))
    gate = cuesta.CountingLine("gate", (0.5, 1), (0.5, 0))

    def facts(frame: cuesta.MovingFrame) -> Any:
        return frame[1:]  # all but the picture

    alone = cuesta.detect(file, lines=[gate], min_hits=1, **EXACT)
    expected = [facts(frame) for frame in alone]
    assert any(frame.detections for frame in cuesta.detect(file, **EXACT)) and alone.counts[
        "gate"
    ] != (0, 0)
    shared = cuesta.detect(file, lines=[gate], min_hits=1, **EXACT)

    def work() -> list[Any]:
        found = []
        for frame in shared:
            found.append(facts(frame))
            assert shared.mask.shape == (48, 64) and set(shared.counts) == {"gate"}
        return found

    assert sorted(sum(at_once([work] * 4), [])) == expected
    assert shared.counts == alone.counts and shared.finish() == alone.finish()


def test_threads_that_share_a_tracker_push_a_frame_each() -> None:
    tracker = cuesta.Tracker(min_hits=1)
    box = (20, 20, 30, 40)

    def work() -> None:
        for _ in range(50):
            assert [found.box for found in tracker.push([box])] == [box]

    at_once([work] * 4)
    (last,) = tracker.push([box])
    assert (last.id, last.hits, last.first_frame) == (1, 201, 0)


def test_threads_that_share_a_scene_push_a_frame_each(picture: Picture) -> None:
    zones = [
        cuesta.Zone("yard", [(0, 0), (1, 0), (1, 1), (0, 1)]),
        cuesta.Zone("sky", [(0, 0), (1, 0), (1, 0.1)], "exclude"),
    ]
    mask = np.ones((100, 200), np.uint8)
    box = (20, 20, 30, 40)

    def scene() -> cuesta.SceneWatch:
        return cuesta.SceneWatch((200, 100), zones, mask=mask, min_hits=1, min_moved=0)

    def watched(watch: cuesta.SceneWatch, frames: int) -> list[Any]:
        steps = [watch.push([box]) for _ in range(frames)]
        return [
            (step.event, [(found.id, found.zones, found.box) for found in step.objects])
            for step in steps
        ]

    # The zones and the mask are everybody's, the scene is one's own.
    found = at_once([lambda: watched(scene(), 30)] * 4)
    assert found == [found[0]] * 4 and found[0][-1] == (1, [(1, ("yard",), box)])
    # The scene is everybody's.
    shared = scene()
    at_once([lambda: watched(shared, 50)] * 4)
    (event,) = shared.finish()
    assert (event.first_frame, event.last_frame, event.max_at_once, len(event.objects)) == (
        0,
        199,
        1,
        1,
    )


def test_threads_that_share_a_background_teach_it_a_frame_each(picture: Picture) -> None:
    subtractor = cuesta.BackgroundSubtractor("mean")

    def work() -> None:
        for _ in range(25):
            background, difference, mask = subtractor.push(picture)
            np.testing.assert_array_equal(background, picture)
            assert not difference.any() and not mask.any()

    at_once([work] * 4)
    assert subtractor.frames == 100


def test_a_detector_is_saved_and_asked_while_others_push(picture: Picture) -> None:
    options: dict[str, Any] = {"blur": 1, "close": "rect:3", "open": "rect:3"}
    detector = cuesta.MotionDetector("first", **options)
    detector.push(picture)
    moved = picture.copy()
    moved[20:60, 30:80] ^= 128
    expected = cuesta.MotionDetector("first", **options)
    expected.push(picture)
    found = expected.push(moved)
    assert found

    def push() -> None:
        for _ in range(20):
            assert detector.push(moved) == found

    def ask() -> None:
        for _ in range(20):
            other = cuesta.MotionDetector("first", **options)
            other.load(detector.save())
            assert other.push(moved) == found
            assert detector.mask.shape == picture.shape and len(detector.states) == 1
            assert detector.initialised_by is not None and detector.threshold == expected.threshold

    detector.push(moved)
    at_once([push, ask] * 2)


def test_cameras_in_any_order_by_many_threads(picture: Picture) -> None:
    cameras = [
        cuesta.MotionDetector("first", blur=1, close="rect:3", open="rect:3") for _ in range(3)
    ]
    frames = [picture, picture[:50, :60], picture[10:80, 20:]]

    def work(turn: int) -> None:
        order = [(i + turn) % 3 for i in range(3)][:: 1 if turn < 3 else -1]
        for _ in range(15):
            found = cuesta.MotionDetector.push_cameras(
                [cameras[i] for i in order], [frames[i] for i in order]
            )
            assert found == [[], [], []]

    at_once([lambda turn=turn: work(turn) for turn in range(6)])  # type: ignore[misc]


def test_stencils_and_elements_that_threads_share(picture: Picture) -> None:
    import cuesta.compat.cv2 as compat

    def work() -> list[Any]:
        made = []
        for n in (3, 5, 7):
            # Made once for all threads and kept, by what they hold.
            made.append(
                compat.filter2D(
                    picture,
                    -1,
                    np.full((n, n), -1, np.float32) + (n * n) * np.eye(n, dtype=np.float32),
                )
            )
            made.append(compat.erode(picture, np.ones((n, n), np.uint8)))
        element, stencil = (
            cuesta._core.StructuringElement.parse("disk:5"),
            cuesta._core.Stencil.parse("1 2 1 / 4"),
        )
        made += at_once(
            [lambda: cuesta.dilate(picture, element), lambda: cuesta.correlate(picture, stencil)]
            * 2
        )
        return made

    found = at_once([work] * 4)
    for made in found[1:]:
        for one, other in zip(made, found[0], strict=True):
            np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(found[0][-1], cuesta.correlate(picture, "1 2 1 / 4"))
    np.testing.assert_array_equal(found[0][-2], cuesta.dilate(picture, "disk:5"))


def test_what_a_thread_asks_or_frees_is_its_own(picture: Picture) -> None:
    expected = cuesta.canny(picture)

    def compute() -> None:
        for _ in range(20):
            np.testing.assert_array_equal(cuesta.canny(picture), expected)
            cuesta.release_memory()

    def ask() -> None:
        for _ in range(20):
            assert cuesta.which("label", picture).operation == "label"
            with pytest.raises(cuesta.InvalidArgument, match="strategy"):
                cuesta.sobel(picture, strategy="no such one")

    at_once([compute, ask] * 3)

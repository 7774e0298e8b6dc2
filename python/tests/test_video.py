"""cuesta.read_video and cuesta.detect, on small videos made here."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
from typing import Any

import numpy as np
import pages
import pytest

import cuesta

sys.path.append(str(pages.ROOT / "tests/cli"))
from servers import Http  # type: ignore[import-not-found,unused-ignore]  # noqa: E402

# The background is the first frame: the foreground is known at every pixel.
EXACT: dict[str, Any] = {"background": "first", "blur": 1, "close": "rect:3", "open": "rect:3"}


def has_libav(tmp_path: pathlib.Path) -> bool:
    """Whether this package was built with it."""
    file = tmp_path / "no.mp4"
    file.write_bytes(b"no video")
    try:
        cuesta.read_video(file)
    except cuesta.Unsupported:
        return False
    except cuesta.InputError:
        return True
    finally:
        file.unlink()
    raise AssertionError


def moving_square(count: int, begins: int = 3) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Frames of 48 x 64 in which a square of 12 comes and goes to the right."""
    frames = np.full((count, 48, 64), 40, np.uint8)
    for k in range(begins, count):
        frames[k, 12:24, 2 * k % 50 : 2 * k % 50 + 12] = 200
    return frames


def y4m(frames: Any, head: str = "F10:1 Cmono XCOLORRANGE=FULL") -> bytes:
    height, width = frames[0].shape
    return f"YUV4MPEG2 W{width} H{height} {head}\n".encode() + b"".join(
        b"FRAME\n" + f.tobytes() for f in frames
    )


def test_frames_are_those_of_the_file(tmp_path: pathlib.Path) -> None:
    frames = moving_square(30)
    (tmp_path / "street.mp4").write_bytes(y4m(frames))  # detected from its bytes
    with cuesta.read_video(tmp_path / "street.mp4") as video:
        assert (video.size, video.rate, video.expected_frames) == ((64, 48), 10, 30)
        assert not video.is_live
        read = list(video)
        assert next(video, None) is None and video.damage == ""
    assert [frame.number for frame in read] == list(range(30))
    np.testing.assert_allclose([frame.time for frame in read], np.arange(30) / 10)
    # All of them at once: each keeps its own memory.
    np.testing.assert_array_equal([frame.image for frame in read], frames)
    assert read[0].lost is None and not read[0].damaged and not read[0].image.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        read[0].image[0, 0] = 1
    color = list(cuesta.read_video(str(tmp_path / "street.mp4"), color=True))
    np.testing.assert_array_equal(
        [frame.image for frame in color], np.repeat(frames[..., None], 3, axis=3)
    )


def test_deep_luma_keeps_its_bits(tmp_path: pathlib.Path) -> None:
    samples = np.arange(0, 1024, 3, dtype=np.uint16)[: 16 * 20].reshape(2, 8, 20)
    (tmp_path / "deep.y4m").write_bytes(y4m(samples, "F10:1 Cmono10"))
    deep = [frame.image for frame in cuesta.read_video(tmp_path / "deep.y4m", keep_depth=True)]
    assert deep[0].dtype == np.uint16
    np.testing.assert_array_equal(deep, samples << 6)
    plain = [frame.image for frame in cuesta.read_video(tmp_path / "deep.y4m")]
    assert plain[0].dtype == np.uint8
    np.testing.assert_array_equal(plain, np.minimum((samples + 2) >> 2, 255))
    (tmp_path / "a.y4m").write_bytes(y4m(moving_square(2)))
    assert next(cuesta.read_video(tmp_path / "a.y4m", keep_depth=True)).image.dtype == np.uint8
    with pytest.raises(cuesta.InvalidArgument, match="keep_depth is of luma"):
        cuesta.read_video(tmp_path / "a.y4m", keep_depth=True, color=True)


def test_moves_finer_than_a_gray_level_are_found(tmp_path: pathlib.Path) -> None:
    frames = np.full((6, 48, 64), 160, np.uint16)  # a quarter of a level, which uint8 rounds away
    for k in range(1, 6):
        frames[k, 10:22, 4 * k : 4 * k + 16] += 1
    (tmp_path / "deep.y4m").write_bytes(y4m(frames, "F10:1 Cmono10"))
    moving = list(
        cuesta.detect(
            tmp_path / "deep.y4m",
            background="first",
            blur=1,
            open="rect:3",
            close="rect:3",
            threshold=0.2,
        )
    )
    assert [[d.box for d in frame.detections] for frame in moving] == [[]] + [
        [(4 * k, 10, 16, 12)] for k in range(1, 6)
    ]
    assert all(frame.image.dtype == np.uint8 for frame in moving)


def test_a_coded_video_is_the_one_that_opencv_reads(tmp_path: pathlib.Path) -> None:
    cv2 = pytest.importorskip("cv2")
    if not has_libav(tmp_path):
        pytest.skip("this cuesta was built without libav")
    name = str(tmp_path / "a.avi")
    writer = cv2.VideoWriter(name, cv2.VideoWriter.fourcc(*"MJPG"), 12.5, (64, 48))
    for frame in moving_square(15):
        writer.write(np.repeat(frame[..., None], 3, axis=2))
    writer.release()
    theirs = cv2.VideoCapture(name)
    read = list(cuesta.read_video(name, color=True, threads=1))
    assert len(read) == 15
    np.testing.assert_allclose([frame.time for frame in read], np.arange(15) / 12.5)
    for frame in read:
        there, bgr = theirs.read()
        assert there
        # Chroma is 4:2:0, which they interpolate; this video is gray.
        assert np.abs(frame.image.astype(int) - bgr[..., ::-1]).max() <= 3


def test_detect_is_its_parts_in_a_row(tmp_path: pathlib.Path) -> None:
    frames = moving_square(22)
    (tmp_path / "a.y4m").write_bytes(y4m(frames))
    gate = cuesta.CountingLine("gate", (0.5, 1), (0.5, 0))
    yard = cuesta.Zone("yard", [(0, 0), (1, 0), (1, 1), (0, 1)])
    detector = cuesta.MotionDetector(**EXACT)
    watch = cuesta.SceneWatch((64, 48), [yard], [gate], min_hits=2)
    video = cuesta.detect(tmp_path / "a.y4m", zones=[yard], lines=[gate], min_hits=2, **EXACT)
    seen = 0
    for frame, picture in zip(video, frames, strict=True):
        found = detector.push(picture)
        step = watch.push(found, frame=frame.number, time=frame.time)
        assert (frame.detections, [frame.state]) == (found, detector.states)
        assert (frame.objects, frame.crossings, frame.event) == (
            step.objects,
            step.crossings,
            step.event,
        )
        np.testing.assert_array_equal(frame.image, picture)
        np.testing.assert_array_equal(video.mask, detector.mask)
        seen += len(frame.objects)
    assert seen == 22 - 3 - 4  # something small is reported in its fifth frame at first
    assert video.counts == watch.counts == {"gate": (1, 0)}
    ended = video.finish()
    assert ended == watch.finish() and len(ended) == 1
    alone = cuesta.detect(
        tmp_path / "a.y4m", zones=[yard], lines=[gate], min_hits=2, **EXACT
    ).events()
    assert list(alone) == ended


def test_what_is_looked_at_smaller_is_told_in_pixels_of_the_video(tmp_path: pathlib.Path) -> None:
    """Sides and places of the square are multiples of 2, and 3 leaves a rest of 64 columns."""
    frames = moving_square(22)
    (tmp_path / "a.y4m").write_bytes(y4m(frames))
    whole = cuesta.detect(tmp_path / "a.y4m", **EXACT)
    half = cuesta.detect(tmp_path / "a.y4m", downscale=2, **EXACT)
    seen = 0
    for one, other in zip(whole, half, strict=True):
        assert (one.detections, one.objects, one.state) == (
            other.detections,
            other.objects,
            other.state,
        )
        np.testing.assert_array_equal(whole.mask, half.mask)
        seen += len(one.objects)
    assert seen > 10
    alone, together, saved = (
        [cuesta.MotionDetector(downscale=n, **EXACT) for n in (1, 2, 3)] for _ in range(3)
    )
    for k, frame in enumerate(frames):
        color = np.stack([frame] * 3, axis=-1)
        expected = [detector.push(frame) for detector in alone]
        assert cuesta.MotionDetector.push_cameras(together, [frame, color, frame]) == expected
        for before, after in zip(alone, saved, strict=True):
            assert before.mask.shape == (48, 64)
            after.load(before.save())
            assert k < 4 or after.push(frame) != []
    with pytest.raises(cuesta.InputError, match="downscale 2 and this detector has 3"):
        alone[2].load(alone[1].save())
    with pytest.raises(cuesta.InputError, match="63 x 48 after frames of 64 x 48"):
        alone[1].push(frames[0][:, :63])
    alone[1].reset()
    alone[1].push(frames[0][:, :63])
    with pytest.raises(cuesta.InvalidArgument, match="downscale is 17; it must be 1 to 16"):
        cuesta.detect(tmp_path / "a.y4m", downscale=17)


def test_one_limit_of_area_holds_for_joined_objects(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.y4m").write_bytes(y4m(moving_square(12)))
    for join, least, objects in [(0, 144, 9), (0, 145, 0), (5, 144, 9), (5, 145, 0)]:
        video = cuesta.detect(tmp_path / "a.y4m", join=join, min_area=least, min_hits=1, **EXACT)
        assert sum(len(frame.objects) for frame in video) == objects


def test_a_live_video_that_breaks_off_goes_on_and_its_event_ends(tmp_path: pathlib.Path) -> None:
    if not has_libav(tmp_path):
        pytest.skip("this cuesta was built without libav")
    # Whoever connects gets 12 frames, then the connection breaks off.
    stream = y4m(moving_square(12, begins=1), "F10:1 Cmono")
    server = Http({"camera": lambda out, _: out.write(stream)})
    try:
        address = server.address("camera")
        with cuesta.detect(address, merge_window=100, timeout=5, **EXACT) as video:
            assert video.is_live
            seen = []
            for frame in video:
                seen.append(frame)
                if len(seen) == 20:
                    break
            rest = video.finish()
        assert [frame.number for frame in seen] == list(range(20))
        assert [frame.number for frame in seen if frame.lost is not None] == [12]
        assert all(a.time < b.time for a, b in zip(seen, seen[1:]))
        # The merge window would join them: nobody knows what was in the gap.
        ended = [(frame.number, event) for frame in seen for event in frame.ended]
        assert [index for index, _ in ended] == [12]
        assert ended[0][1].last_frame == 11 and len(rest) == 1 and rest[0].first_frame >= 12
        with pytest.raises(cuesta.InputError, match="lost"):
            list(cuesta.read_video(address, reconnect=0, timeout=5))
    finally:
        server.close()


def test_a_wait_ends_by_stop_and_by_ctrl_c(tmp_path: pathlib.Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    pipe = os.open(tmp_path / "pipe", os.O_RDWR)
    try:
        os.write(pipe, y4m(moving_square(2)))
        video = cuesta.read_video(tmp_path / "pipe")
        assert video.is_live and [next(video).number, next(video).number] == [0, 1]
        timer = threading.Timer(0.2, video.stop)
        timer.start()
        assert next(video, None) is None
        timer.join()

        os.write(pipe, y4m(moving_square(2)))
        code = (
            "import signal, sys, cuesta\n"
            "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # whoever started the tests may ignore it
            "try:\n"
            "    for frame in cuesta.read_video(sys.argv[1]): print(frame.number, flush=True)\n"
            "except KeyboardInterrupt: print('interrupted')\n"
        )
        child = subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path / "pipe")], stdout=subprocess.PIPE, text=True
        )
        assert child.stdout
        assert [child.stdout.readline() for _ in range(2)] == ["0\n", "1\n"]
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        assert child.communicate(timeout=20)[0] == "interrupted\n"
        assert child.returncode == 0
    finally:
        os.close(pipe)


def test_what_cannot_be_read_or_meant(tmp_path: pathlib.Path) -> None:
    with pytest.raises(cuesta.InputError, match="absent.mp4"):
        cuesta.read_video(tmp_path / "absent.mp4")
    whole = y4m(moving_square(3))
    (tmp_path / "cut.y4m").write_bytes(whole[:-10])
    with pytest.raises(cuesta.InputError, match="cut.y4m.*frame 2"):
        list(cuesta.read_video(tmp_path / "cut.y4m"))
    video = cuesta.read_video(tmp_path / "cut.y4m", allow_partial=True)
    assert len(list(video)) == 2 and "frame 2" in video.damage
    with pytest.raises(cuesta.InputError, match="64 x 48 pixels exceed the limit of 1000"):
        cuesta.read_video(tmp_path / "cut.y4m", max_pixels=1000)
    for options, word in [
        ({"max_pixels": 0}, "max_pixels is 0"),
        ({"timeout": -1}, "timeout is -1"),
        ({"reconnect": float("nan")}, "reconnect is nan"),
        ({"threads": -2}, "threads is -2"),
    ]:
        with pytest.raises(cuesta.InvalidArgument, match=word):
            cuesta.read_video(tmp_path / "cut.y4m", **options)  # type: ignore[arg-type]
    with pytest.raises(cuesta.InvalidArgument, match="blur"):
        cuesta.detect(tmp_path / "cut.y4m", blur=4)
    with pytest.raises(TypeError, match="unexpected keyword argument 'blurr'"):
        cuesta.detect(tmp_path / "cut.y4m", blurr=4)  # type: ignore[call-arg]
    for call in (cuesta.read_video, cuesta.detect):
        with pytest.raises(TypeError, match="file is int; it must be a path or an address"):
            call(3)  # type: ignore[arg-type]


def test_without_libav_the_rest_works() -> None:
    code = (
        "import sys; sys.modules['cuesta._video'] = None\n"
        "import numpy, cuesta; cuesta.canny(numpy.zeros((9, 9), numpy.uint8))\n"
        "for call in (cuesta.read_video, cuesta.detect):\n"
        "    try: call('a.mp4')\n"
        "    except cuesta.Unsupported as error: assert 'libav' in str(error) and error.value == 'libav'\n"
        "    else: raise AssertionError\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)

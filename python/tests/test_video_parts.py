"""Videos read in parts, and detectors that continue elsewhere: equal to one run over the whole."""

from __future__ import annotations

import pathlib
import pickle
import shutil
import subprocess
from typing import Any

import numpy as np
import pytest
from test_video import EXACT, has_libav, moving_square, y4m

import cuesta

#: Container, coder and its options, whether key frames begin again so that parts are more than one.
CODERS = [
    ("mp4", "libx264 -g 12 -bf 2", True),
    ("mkv", "libx264 -x264-params keyint=12:open-gop=1", False),  # of its I pictures one is an IDR
    ("ts", "libx264 -g 12 -bf 2", True),
    (
        "mp4",
        "libx265 -x265-params keyint=12:log-level=none",
        True,
    ),  # CRA: pictures shown before it are stored behind it
    ("webm", "libvpx -g 12 -b:v 200k -auto-alt-ref 1", None),
    ("webm", "libvpx-vp9 -g 12 -b:v 200k -cpu-used 8", None),
    ("ts", "mpeg2video -g 12 -bf 2", True),
    ("avi", "mpeg4 -g 12 -bf 2", None),
    ("mkv", "mpeg4 -g 12", True),
    ("avi", "mjpeg -q:v 2", True),
    ("mkv", "ffv1 -g 5", True),
    ("mov", "mjpeg -q:v 2", True),
]


def coded(folder: pathlib.Path, frames: Any, ending: str, coder: str) -> pathlib.Path:
    if shutil.which("ffmpeg") is None:
        pytest.skip("no ffmpeg here, which codes the videos")
    if not has_libav(folder):
        pytest.skip("this cuesta was built without libav")
    file = folder / f"street.{ending}"
    words = (
        f"ffmpeg -v error -y -f yuv4mpegpipe -i - -pix_fmt yuv420p -c:v {coder} -threads 1".split()
    )
    subprocess.run([*words, str(file)], input=y4m(frames), check=True)
    return file


def street(count: int) -> Any:
    """A square that comes and continues grain, so that no two frames are equal."""
    rng = np.random.default_rng(7)
    frames = moving_square(count).astype(np.int16) + rng.integers(-9, 10, (count, 48, 64), np.int16)
    return np.clip(frames, 0, 255).astype(np.uint8)


@pytest.mark.parametrize(
    ("ending", "coder", "is_cut"), CODERS, ids=[f"{e}-{c.split()[0]}" for e, c, _ in CODERS]
)
def test_parts_are_the_whole(
    tmp_path: pathlib.Path, ending: str, coder: str, is_cut: bool | None
) -> None:
    file = coded(tmp_path, street(60), ending, coder)
    whole = list(cuesta.read_video(file))
    parts = cuesta.video_parts(file, 10)
    if is_cut is not None:
        assert (len(parts) > 1) == is_cut, parts
    assert parts[0].first == 0
    for part in reversed(parts):  # in any order
        read = list(cuesta.read_video(file, part=part))
        assert part.frames in (-1, len(read))
        expected = whole[part.first : part.first + len(read)]
        assert [(frame.number, frame.time) for frame in read] == [
            (frame.number, frame.time) for frame in expected
        ]
        np.testing.assert_array_equal(
            [frame.image for frame in read], [frame.image for frame in expected]
        )
    assert len(parts) == 1 or sum(part.frames for part in parts) == len(whole)
    assert all(one.first + one.frames == other.first for one, other in zip(parts, parts[1:]))
    assert len(cuesta.video_parts(file, 1000)) == 1


def test_what_cannot_be_cut_is_one_part(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.y4m").write_bytes(y4m(moving_square(30)))
    (only,) = cuesta.video_parts(tmp_path / "a.y4m", 10)
    assert [frame.number for frame in cuesta.read_video(tmp_path / "a.y4m", part=only)] == list(
        range(30)
    )
    with pytest.raises(cuesta.InvalidArgument, match="cannot be read in parts"):
        cuesta.read_video(tmp_path / "a.y4m", part=only._replace(begin=3))
    with pytest.raises(cuesta.InvalidArgument, match="at_least is 0"):
        cuesta.video_parts(tmp_path / "a.y4m", 0)
    with pytest.raises(cuesta.InputError, match=r"no\.mp4"):
        cuesta.video_parts(tmp_path / "no.mp4")


def test_a_part_of_another_file_is_not_found(tmp_path: pathlib.Path) -> None:
    file = coded(tmp_path, street(40), "mp4", "libx264 -g 12")
    last = cuesta.video_parts(file, 10)[-1]
    with pytest.raises(cuesta.InputError, match="no key frame where this part begins"):
        cuesta.read_video(file, part=last._replace(begin=last.begin + 1))


@pytest.mark.parametrize("damage", ["cut off", "zeros"])
def test_a_damaged_file_is_one_part(tmp_path: pathlib.Path, damage: str) -> None:
    # The demuxer passes over what it cannot read; between two parts nobody would miss it.
    file = coded(tmp_path, street(60), "mkv", "mpeg4 -g 12")
    assert len(cuesta.video_parts(file, 10)) > 1
    data = file.read_bytes()
    middle = len(data) // 2
    file.write_bytes(
        data[:-2000] if damage == "cut off" else data[:middle] + bytes(512) + data[middle + 512 :]
    )
    with pytest.raises(cuesta.InputError) as whole:
        list(cuesta.read_video(file))
    (part,) = cuesta.video_parts(file, 10)
    with pytest.raises(cuesta.InputError) as last:
        list(cuesta.read_video(file, part=part))
    assert str(last.value) == str(whole.value)


def scene(count: int, shape: tuple[int, ...]) -> Any:
    """Frames of a moving square on texture, with a jolt of the camera and a change of light."""
    rng = np.random.default_rng(11)
    height, width = shape[:2]
    still = rng.integers(40, 120, (height + 8, width + 8, *shape[2:]))
    still = (still + np.roll(still, 1, 0) + np.roll(still, 1, 1)) // 3
    for k in range(count):
        y, x = (4, 4) if not 30 <= k < 36 else (6, 3)
        frame = still[y : y + height, x : x + width] + rng.integers(-3, 4, shape)
        if k >= 70:
            frame = frame + 60
        if k > 5:
            frame[20:36, 2 * k % 100 : 2 * k % 100 + 14] = 220
        yield np.clip(frame, 0, 255).astype(np.uint8)


MODELS: list[dict[str, Any]] = [
    {"background": "first"},
    {"background": "mean", "warm_up": 3},
    {"background": "median", "warm_up": 1, "relearn": 0},
    {"background": "mixture", "steady": 0},
    {"background": "samples"},
    {"background": "samples", "threshold": "auto", "warm_up": 40},
]


@pytest.mark.parametrize("shape", [(96, 130), (96, 130, 3)], ids=["gray", "color"])
@pytest.mark.parametrize(
    "options", MODELS, ids=[f"{m['background']}-{m.get('warm_up', 25)}" for m in MODELS]
)
def test_a_detector_goes_on_from_what_another_saved(
    options: dict[str, Any], shape: tuple[int, ...]
) -> None:
    frames = list(scene(90, shape))
    one = cuesta.MotionDetector(**options)
    # Every frame is learned by a new detector that knows what the one before it saved.
    saved = cuesta.MotionDetector(**options).save()
    found = 0
    for k, frame in enumerate(frames):
        other = cuesta.MotionDetector(**options)
        other.load(saved)
        expected = one.push(frame)
        assert other.push(frame, threads=1 + k % 3) == expected, k
        np.testing.assert_array_equal(other.mask, one.mask)
        if expected:  # frames of a warm-up use none
            assert other.threshold == one.threshold
        saved = other.save()
        assert saved == one.save(), k
        found += len(expected)
    assert found > 0


def test_what_the_first_frames_found_holds_for_all() -> None:
    for options, number in [
        ({"background": "first"}, 1),
        ({"background": "first", "warm_up": 7}, 7),
        ({"background": "first", "steady": 4}, None),
        ({"background": "first", "relearn": 60}, None),
        ({"background": "samples"}, None),
    ]:
        assert cuesta.MotionDetector(**options).initialised_by == number  # type: ignore[arg-type]
    frames = list(scene(40, (96, 130)))
    options = {"background": "first", "warm_up": 7, "blur": 3}
    one = cuesta.MotionDetector(**options)  # type: ignore[arg-type]
    found = [one.push(frame) for frame in frames[:7]]
    saved = one.save()
    found += [one.push(frame) for frame in frames[7:]]
    for k in (39, 7, 20):
        other = cuesta.MotionDetector(**options)  # type: ignore[arg-type]
        other.load(saved)
        assert other.push(frames[k]) == found[k]


def test_a_state_that_is_none_is_refused() -> None:
    frames = list(scene(8, (48, 64)))
    detector = cuesta.MotionDetector(**EXACT)
    for frame in frames[:4]:
        detector.push(frame)
    saved = detector.save()
    assert pickle.loads(pickle.dumps(saved)) == saved
    before = detector.save()
    middle = len(saved) // 2
    for damaged, why in [
        (b"", "cut off"),
        (saved[:-1], "cut off"),
        (saved + b"x", "1 bytes too long"),
        (b"x" * len(saved), "does not begin as one does"),
        (b"\x02" + saved[1:], "has version 2 of the format and this Cuesta reads version 5"),
        (saved[:middle] + bytes([saved[middle] ^ 1]) + saved[middle + 1 :], "damaged"),
    ]:
        with pytest.raises(cuesta.InputError, match=why):
            detector.load(damaged)
    assert detector.save() == before
    with pytest.raises(cuesta.InputError, match="has blur 1 and this detector has 3"):
        cuesta.MotionDetector(**{**EXACT, "blur": 3}).load(saved)

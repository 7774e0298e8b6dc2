"""Arguments of another type are refused by their names, in every function."""

from __future__ import annotations

import inspect
import io
import pathlib
from typing import Any

import numpy as np
import pytest

import cuesta

pytest.importorskip("cuesta._files", reason="this cuesta was built without libvips")
pytest.importorskip("cuesta._video", reason="this cuesta was built without libav")

IMAGE = np.zeros((40, 50), np.uint8)
IMAGE[10:20, 10:30] = 200
GRADIENT = IMAGE.astype(np.int16)
#: What functions take by place, where that is not one picture. "p", "o" and "v" are files.
GIVEN: dict[str, tuple[Any, ...]] = {
    "absdiff": (IMAGE, IMAGE),
    "canny_of_gradients": (GRADIENT, GRADIENT),
    "close": (IMAGE, "rect:3"),
    "convolve": (IMAGE, "1 1 1"),
    "correlate": (IMAGE, "1 1 1"),
    "count_pages": ("p",),
    "detect": ("v",),
    "dilate": (IMAGE, "rect:3"),
    "edges_file": ("p", "o"),
    "erode": (IMAGE, "rect:3"),
    "filter_file": ("p", "o", "box"),
    "gaussian": (IMAGE, 1.5),
    "imread": ("p",),
    "imwrite": ("o", IMAGE),
    "label_file": ("p",),
    "open": (IMAGE, "rect:3"),
    "read_video": ("v",),
    "threshold": (IMAGE, 9),
    "video_parts": ("v",),
}
#: What takes functions, events and devices.
OTHERS = {"graphed", "otsu_threshold", "read_events", "to_device", "to_host", "verify", "which"}
OTHERS |= {"which_all", "strategies", "devices", "release_memory"}
FUNCTIONS = [
    name
    for name in cuesta.__all__
    if inspect.isfunction(getattr(cuesta, name)) and name not in OTHERS
]
PUSHERS: dict[str, Any] = {
    "BackgroundSubtractor": lambda: cuesta.BackgroundSubtractor().push,
    "MotionDetector": lambda: cuesta.MotionDetector().push,
}


class Thing:
    def __repr__(self) -> str:
        return "<a thing>"


def refused(call: Any, given: tuple[Any, ...]) -> int:
    """Gives a thing to each parameter; returns how many there are."""
    parameters = inspect.signature(call).parameters
    names = [name for name, one in parameters.items() if one.kind is not one.VAR_KEYWORD]
    for place, name in enumerate(names):
        arguments, keywords = list(given), {}
        if place < len(arguments):
            arguments[place] = Thing()
        else:
            keywords[name] = Thing()
        if name in ("low", "high"):  # which are given together
            keywords = {"low": Thing(), "high": Thing()}
        with pytest.raises((TypeError, cuesta.InvalidArgument)) as caught:
            made = call(*arguments, **keywords)
            for _ in made if hasattr(made, "__next__") else ():
                pass
        said = str(caught.value)
        word = "low" if name == "high" else name
        assert said.startswith((f"{word} is ", f"{word}: ", f"{word} has ")), (name, said)
    return len(names)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, pathlib.Path]:
    folder: pathlib.Path = tmp_path_factory.mktemp("arguments")
    named = {"p": folder / "picture.png", "o": folder / "made.png", "v": folder / "video.y4m"}
    cuesta.imwrite(named["p"], IMAGE)
    frames = (b"FRAME\n" + IMAGE.tobytes()) * 4
    named["v"].write_bytes(b"YUV4MPEG2 W50 H40 F25:1 Cmono\n" + frames)
    return named


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_thing_is_refused_by_the_parameters_name(
    name: str, files: dict[str, pathlib.Path]
) -> None:
    given = tuple(
        files[one] if isinstance(one, str) and one in files else one
        for one in GIVEN.get(name, (IMAGE,))
    )
    assert refused(getattr(cuesta, name), given) > 0


@pytest.mark.parametrize("name", sorted(PUSHERS))
def test_pushers(name: str) -> None:
    assert refused(PUSHERS[name](), (IMAGE,)) > 1


def test_numbers_are_not_read_from_text() -> None:
    for value in ("50", None, [1], b"9"):
        with pytest.raises(TypeError, match="limit is .*; it must be a number"):
            cuesta.threshold(IMAGE, value)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="limit is .*; it must be a number"):
            cuesta.BackgroundSubtractor().push(IMAGE, value)  # type: ignore[arg-type]


def test_pictures_in_memory(files: dict[str, pathlib.Path]) -> None:
    data = files["p"].read_bytes()
    for file in (data, bytearray(data), memoryview(data), io.BytesIO(data)):
        np.testing.assert_array_equal(cuesta.imread(file), IMAGE)
    with files["p"].open("rb") as opened:
        np.testing.assert_array_equal(cuesta.imread(opened), IMAGE)
    with pytest.raises(cuesta.InputError, match="^file: the file is empty"):
        cuesta.imread(b"")
    with pytest.raises(cuesta.InputError, match="^file: not a picture"):
        cuesta.imread(b"words")
    with pytest.raises(cuesta.InputError, match="^file: "):
        cuesta.imread(data[: len(data) // 2])
    with pytest.raises(TypeError, match="read\\(\\) returned str; open the file as binary"):
        cuesta.imread(io.StringIO("words"))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="image is bytes without a shape; use cuesta.imread"):
        cuesta.canny(data)

"""White and black of pictures: one answer from arrays, files, bands, lazy arrays and the command."""

from __future__ import annotations

import json
import pathlib
import warnings
from typing import Any

import numpy as np
import pytest
from command import run

import cuesta

pytest.importorskip("cuesta._files", reason="this cuesta was built without libvips")
Y, X = np.mgrid[:70, :90]
#: Levels from 20 to 220: a slope with a disk and a square on it.
SCENE = 20 + (X + Y) // 4 + 120 * (np.hypot(X - 40, Y - 35) < 18) + 40 * (Y < 20) * (X > 60)
TYPES: dict[str, Any] = {
    "uint8": SCENE.astype(np.uint8),
    "uint16": (SCENE * 16).astype(np.uint16),
    "float32": (SCENE * 12.5 - 900).astype(np.float32),
}
METHODS: list[tuple[dict[str, Any], list[str]]] = [
    ({"method": "canny"}, []),
    (
        {"method": "canny", "sigma": 1.0, "low": 30, "high": 90},
        ["--sigma=1", "--low=30", "--high=90"],
    ),
    ({"method": "canny", "sigma": 6.0}, ["--sigma=6"]),
    ({"method": "canny", "strength": True}, ["--strength"]),
    ({"method": "log"}, []),
    ({"method": "log", "threshold": 0.5}, ["--threshold=0.5"]),
    ({"method": "sobel"}, []),
    ({"method": "sobel", "threshold": 60.0}, ["--threshold=60"]),
    ({"method": "boundaries"}, []),
    ({"method": "regions"}, []),
    ({"method": "regions", "labels": True}, ["--labels"]),
]


def names(value: Any) -> str:
    return " ".join(f"{k}={v}" for k, v in value.items()) if isinstance(value, dict) else ""


def colored(levels: Any, channels: int) -> Any:
    """The levels in several channels: gray and alpha, RGB, RGB and alpha."""
    if channels == 1:
        return levels
    most = 1 if levels.dtype == np.float32 else np.iinfo(levels.dtype).max
    alpha = np.full_like(levels, most)
    colors = [levels] if channels == 2 else [levels, levels[::-1], levels[:, ::-1]]
    return np.dstack([*colors, alpha] if channels % 2 == 0 else colors)


def by_command(path: pathlib.Path, method: str, words: list[str], **ends: Any) -> Any:
    """The command's edges, in the type that it makes."""
    target = path.with_name("command.tif")
    given = [f"--{name}={value}" for name, value in ends.items()]
    run("edges", path, "-o", target, f"--method={method}", *words, *given, "-q", "--device=cpu")
    return cuesta.imread(target)


def agree(
    path: pathlib.Path, array: Any, keywords: dict[str, Any], words: list[str], **ends: Any
) -> Any:
    """The edges of an array, which are those of its file from every interface."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of clipped samples
        made = cuesta.edges(array, **keywords, **ends)
        of_file = cuesta.edges(path, **keywords, **ends)
        target = path.with_name("bands.tif")
        cuesta.edges_file(path, target, rows=17, **keywords, **ends)
    assert made.shape == SCENE.shape and (made.any() or "white" not in ends)
    assert of_file.dtype == made.dtype
    np.testing.assert_array_equal(of_file, made)
    np.testing.assert_array_equal(cuesta.imread(target), made)
    np.testing.assert_array_equal(by_command(path, keywords["method"], words, **ends), made)
    return made


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize(("keywords", "words"), METHODS, ids=names)
def test_arrays_have_the_edges_of_files(
    tmp_path: pathlib.Path, keywords: dict[str, Any], words: list[str], kind: str, channels: int
) -> None:
    array = colored(TYPES[kind], channels)
    path = tmp_path / "picture.tif"
    cuesta.imwrite(path, array)
    usual: dict[str, Any] = {
        "white": float(TYPES[kind].max()),
        "black": float(TYPES[kind].min()) - 5,
    }
    made = agree(path, array, keywords, words, **usual)
    if keywords.get("strength"):
        assert made.dtype == np.float32
    elif keywords == {"method": "sobel"}:
        assert made.dtype == np.uint16
    if keywords["method"] in ("log", "boundaries"):
        agree(path, array, keywords, words, white=float(TYPES[kind].max()) * 0.7)
        agree(path, array, keywords, words, black=float(TYPES[kind].min()) + 0.5)
        agree(path, array, keywords, words, white="light")


@pytest.mark.parametrize("kind", ["int16", "int32", "uint32"])
def test_files_of_other_integers(tmp_path: pathlib.Path, kind: str) -> None:
    tifffile = pytest.importorskip("tifffile")
    numbers = (SCENE * 30 - (0 if kind == "uint32" else 2000)).astype(kind)
    path = tmp_path / "picture.tif"
    tifffile.imwrite(path, numbers)
    for keywords, words in METHODS:
        agree(path, numbers.astype(np.float32), keywords, words, white=4600, black=-100)


def test_a_camera_of_12_bits_is_the_picture_of_8() -> None:
    camera = (SCENE * 16).astype(np.uint16)
    for method in ("log", "boundaries", "regions"):
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # it is not dim with a white of its own
            made = cuesta.edges(camera, method, white=4080)
        levels = (SCENE * 257).astype(np.uint16)
        np.testing.assert_array_equal(made, cuesta.edges(levels, method))
    given = cuesta.edges(camera, low=480, high=1440, sigma=1.0, white=4080)
    # Levels of 16 bits: thresholds scale with them.
    levels = (SCENE * 257).astype(np.uint16)
    scaled = cuesta.edges(levels, low=30 * 257, high=90 * 257, sigma=1.0)
    np.testing.assert_array_equal(given, scaled)


def test_arrays_of_other_libraries_and_shapes() -> None:
    levels = TYPES["uint16"]
    for method in ("canny", "log", "sobel"):
        alone = cuesta.edges(levels, method, white=4000)
        for one in (levels[::-1].copy()[::-1], levels.astype(">u2"), memoryview(levels)):
            np.testing.assert_array_equal(cuesta.edges(one, method, white=4000), alone)
        both = np.stack([levels, levels // 2])
        made = cuesta.edges(both, method, layout="NHW", black=100)
        for k in range(2):  # each by its own largest sample
            np.testing.assert_array_equal(made[k], cuesta.edges(both[k], method, black=100))
        out = np.zeros_like(alone)
        assert cuesta.edges(levels, method, white=4000, out=out) is out
        np.testing.assert_array_equal(out, alone)
    mask = SCENE > 100
    bits = cuesta.edges(mask, "sobel", white=510)
    np.testing.assert_array_equal(
        bits, cuesta.edges(mask.astype(np.uint8) * 255, "sobel", white=510)
    )


def test_thresholds_count_in_the_images_levels() -> None:
    _, (used,) = cuesta.edges(TYPES["uint16"], white=4000, return_thresholds=True)
    _, (of_levels,) = cuesta.edges(
        np.round(TYPES["uint16"] * (65535 / 4000)).astype(np.uint16), return_thresholds=True
    )
    assert used.sigma == of_levels.sigma
    assert used.high * 65535 / 4000 == pytest.approx(of_levels.high, rel=1e-6)


def test_holes_have_no_edges(tmp_path: pathlib.Path) -> None:
    hole = np.hypot(X - 70, Y - 50) < 9
    numbers = np.where(hole, np.nan, SCENE).astype(np.float32)
    path = tmp_path / "holes.tif"
    cuesta.imwrite(path, numbers)
    for keywords, words in METHODS:
        made = agree(path, numbers, keywords, words, white=255)
        assert not made[hole].any()
    mask = (X < 45).astype(np.uint8)
    made = cuesta.edges(numbers, sigma=1.0, mask=mask, white=255)
    assert made[:, :45].any() and not made[:, 46:].any()


@pytest.mark.parametrize("method", ["canny", "log", "regions"])
def test_lines(tmp_path: pathlib.Path, method: Any) -> None:
    for kind, levels in TYPES.items():
        path, target = tmp_path / f"{kind}.tif", tmp_path / "lines.json"
        cuesta.imwrite(path, levels)
        ends: Any = {"white": float(levels.max()) + 7, "black": float(levels.min()) - 3}
        lines: Any = cuesta.edge_lines(levels, method, **ends)
        again: Any = cuesta.edge_lines(path, method, **ends)
        words = [f"--{name}={value}" for name, value in ends.items()]
        run("edges", path, "--lines", target, f"--method={method}", *words, "-q", "--device=cpu")
        written = json.loads(target.read_text())["regions" if method == "regions" else "lines"]
        assert len(lines) == len(again) == len(written) > 0
        for one, other, row in zip(lines, again, written, strict=True):
            if method == "regions":
                assert one[:4] == other[:4]
                assert (one.label, one.area) == (row["label"], row["area"])
                assert one.mean == pytest.approx(row["mean"], abs=2e-3)
            else:
                np.testing.assert_array_equal(one.points, other.points)
                np.testing.assert_allclose(one.points, np.array(row["points"])[:, :2], atol=2e-2)
                assert one.strength == pytest.approx(row["strength"], abs=2e-3)


def test_light_is_read_as_its_numbers(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "light.hdr"
    pixels = np.dstack([SCENE, SCENE // 2, SCENE // 3, np.full_like(SCENE, 130)]).astype(np.uint8)
    path.write_bytes(b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 70 +X 90\n" + pixels.tobytes())
    for ends in ({"white": 3.0}, {"black": 0.25}, {"white": "light"}):
        for method in ("canny", "log", "boundaries"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                made = cuesta.edges(path, method, **ends)
            np.testing.assert_array_equal(by_command(path, method, [], **ends), made)
    for method in ("canny", "log"):
        made = cuesta.edges(path, method, white="auto")  # type: ignore[call-overload]
        np.testing.assert_array_equal(made, cuesta.edges(path, method))  # type: ignore[call-overload]


@pytest.mark.parametrize("kind", TYPES)
def test_lazy_arrays(kind: str) -> None:
    da = pytest.importorskip("dask.array")
    array = TYPES[kind]
    ends: Any
    for keywords, _ in METHODS:
        for ends in (
            {"white": float(array.max()), "black": float(array.min())},
            {"white": float(array.max())},
            {"white": "light"},
        ):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected = cuesta.edges(array, **keywords, **ends)
            made = cuesta.edges(da.from_array(array, chunks=(20, 33)), **keywords, **ends)
            assert made.dtype == expected.dtype and made.shape == expected.shape
            np.testing.assert_array_equal(made.compute(), expected)
    with pytest.raises(cuesta.InvalidArgument, match="black is 3 and image is lazy; give white"):
        cuesta.edges(da.from_array(array), black=3)


def test_clipped_samples_are_told_of(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "picture.png"
    cuesta.imwrite(path, TYPES["uint8"])
    words = r"[0-9]+ % of its samples are below black or above white \(levels, 60 is black and 100"
    calls: list[Any] = [
        lambda image: cuesta.edges(image, black=60, white=100),
        lambda image: cuesta.edge_lines(image, black=60, white=100),
        lambda image: cuesta.edge_lines(image, "regions", black=60, white=100),
    ]
    for call in calls:
        with pytest.warns(UserWarning, match="image: " + words):
            call(TYPES["uint8"])
        with pytest.warns(UserWarning, match="picture.png: " + words):
            call(path)
    with pytest.warns(UserWarning, match="picture.png: " + words):
        result = cuesta.edges_file(path, tmp_path / "made.png", black=60, white=100)
    assert "are clipped" in result.warning


@pytest.mark.parametrize("filter", ["gaussian", "median"])
def test_filters_of_files(tmp_path: pathlib.Path, filter: str) -> None:
    words = ["--kernel=gaussian:5:1"] if filter == "gaussian" else ["--median=3"]
    keywords: dict[str, Any] = {"sigma": 1.0, "ksize": 5} if filter == "gaussian" else {"ksize": 3}
    for kind, levels in TYPES.items():
        path, target = tmp_path / f"{kind}.tif", tmp_path / "made.tif"
        cuesta.imwrite(path, levels)
        white = float(levels.max()) + 1
        run("filter", path, "-o", tmp_path / "command.tif", *words, f"--white={white}", "--black=3")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = cuesta.filter_file(path, target, filter, white=white, black=3, **keywords)
        assert result.type == "u16"
        made = cuesta.imread(target)
        np.testing.assert_array_equal(made, cuesta.imread(tmp_path / "command.tif"))
        assert made.dtype == np.uint16 and made.max() > 50000


BAD: list[tuple[dict[str, Any], type[Exception], str]] = [
    (
        {"white": 0},
        cuesta.InvalidArgument,
        "white is 0; it must be 'auto', 'light' or a number above 0",
    ),
    ({"white": -5}, cuesta.InvalidArgument, "white is -5; it must be .* above 0"),
    ({"white": float("nan")}, cuesta.InvalidArgument, "white is nan; it must be"),
    ({"white": float("inf")}, cuesta.InvalidArgument, "white is inf; it must be"),
    ({"white": "bright"}, cuesta.InvalidArgument, "white is 'bright'; it must be 'auto', 'light'"),
    ({"white": "4095"}, cuesta.InvalidArgument, "white is '4095'; it must be"),
    ({"white": [3]}, TypeError, r"white is \[3\]; it must be a number"),
    ({"white": 3, "black": 3}, cuesta.InvalidArgument, "white is 3; it must be .* above black"),
    (
        {"white": "light", "black": 3},
        cuesta.InvalidArgument,
        "black is 3 and white is 'light'; light has black at 0",
    ),
    ({"black": float("nan")}, cuesta.InvalidArgument, "black is nan; it must be a finite number"),
    ({"black": "dark"}, TypeError, "black is 'dark'; it must be a number"),
    (
        {"black": 70000},
        cuesta.InvalidArgument,
        "black is 70000 and white is [0-9]+; white must be above black",
    ),
]


@pytest.mark.parametrize(("ends", "error", "words"), BAD, ids=str)
def test_ends_that_cannot_be_meant(
    tmp_path: pathlib.Path, ends: dict[str, Any], error: type[Exception], words: str
) -> None:
    path = tmp_path / "picture.tif"
    cuesta.imwrite(path, TYPES["uint16"])
    calls: list[Any] = [
        lambda: cuesta.edges(TYPES["uint16"], **ends),
        lambda: cuesta.edges(path, "sobel", **ends),
        lambda: cuesta.edge_lines(path, **ends),
        lambda: cuesta.edge_lines(path, "regions", **ends),
        lambda: cuesta.edges_file(path, tmp_path / "made.tif", **ends),
        lambda: cuesta.filter_file(path, tmp_path / "made.tif", "box", n=3, **ends),
    ]
    for call in calls:
        with pytest.raises(error, match=words):
            call()
    assert not (tmp_path / "made.tif").exists()


def test_functions_without_levels_refuse_them() -> None:
    calls: list[Any] = [
        cuesta.sobel,
        cuesta.log_edges,
        lambda image, **ends: cuesta.canny(image, 1, 2, **ends),
    ]
    for call in calls:
        with pytest.raises(TypeError, match=r"unexpected keyword argument 'white'"):
            call(TYPES["uint8"], white=200)

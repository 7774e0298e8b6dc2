"""The edges of a picture: the same bytes from a path, an array, a file in bands, Ray, a GPU and the command."""

from __future__ import annotations

import pathlib
import subprocess
from typing import Any

import numpy as np
import pytest
from command import COMMAND

import cuesta

pytest.importorskip("cuesta._files", reason="this cuesta was built without libvips")

#: Keywords of `cuesta.edges`, and what the command is given.
QUESTIONS: list[tuple[dict[str, Any], str]] = [
    ({}, ""),
    ({"sigma": "auto", "norm": "l2"}, "--sigma auto --norm l2"),
    ({"sigma": 1, "low": 30, "high": 90}, "--sigma 1 --low 30 --high 90"),
    ({"sigma": 1.4}, "--sigma 1.4"),
    ({"threshold": 120}, "--threshold 120"),
    ({"threshold": "median", "color": "structure"}, "--threshold auto:median --color structure"),
    ({"color": "gray", "norm": "l2"}, "--color gray --norm l2"),
    ({"method": "log"}, "--method log"),
    ({"method": "log", "mode": "threshold"}, "--method log --mode threshold"),
    ({"method": "log", "sigma": 2, "threshold": 1}, "--method log --sigma 2 --threshold 1"),
    ({"method": "log", "sigma": 1.4}, "--method log --sigma 1.4"),
    (
        {"method": "log", "mode": "threshold", "sigma": 1.4},
        "--method log --mode threshold --sigma 1.4",
    ),
    ({"method": "sobel"}, "--method sobel"),
    ({"method": "sobel", "sigma": 2, "aperture": 7}, "--method sobel --sigma 2 --aperture 7"),
    ({"method": "sobel", "threshold": 60}, "--method sobel --threshold 60"),
    ({"method": "boundaries"}, "--method boundaries"),
    (
        {"method": "boundaries", "quality": "high", "threshold": 6},
        "--method boundaries --quality high --threshold 6",
    ),
    ({"method": "regions"}, "--method regions"),
    (
        {"method": "regions", "quality": "fast", "threshold": 0.3},
        "--method regions --quality fast --threshold 0.3",
    ),
    ({"method": "regions", "labels": True}, "--method regions --labels"),
]
KINDS = (
    "photo.jpg",
    "gray.png",
    "gray-alpha.png",
    "alpha.png",
    "deep.png",
    "text.png",
    "night.png",
)
#: The sigma that edges finds for some of them.
SIGMAS = {"text.png": 1, "night.png": 3}


def drawn(kind: str) -> Any:
    y, x = np.mgrid[:120, :160]
    if kind == "text.png":
        dark = ((x % 9 == 0) & (y % 12 < 8)) | ((y % 12 == 7) & (x % 9 < 5))
        return np.dstack([np.where(dark, 20, 250)] * 3).astype(np.uint8)
    if kind == "night.png":
        noise = np.random.default_rng(5).integers(0, 24, (120, 160, 3))
        return (14 + noise + 60 * ((x > 60) & (x < 90))[..., None]).astype(np.uint8)
    channels = {"gray.png": 1, "gray-alpha.png": 2, "alpha.png": 4}.get(kind, 3)
    disk = (x - 75) ** 2 + (y - 55) ** 2 < 900
    planes = [
        (x + 2 * y) // 4 + disk * (120, 60, 20, 200)[c] + (y < 30) * (x < 60) * 40 * c
        for c in range(channels)
    ]
    picture = np.clip(np.stack(planes, -1), 0, 255)
    picture = (picture * 251).astype(np.uint16) if kind == "deep.png" else picture.astype(np.uint8)
    return picture[..., 0] if channels == 1 else picture


@pytest.fixture(scope="module", params=KINDS)
def photo(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    path = tmp_path_factory.mktemp("photo") / str(request.param)
    cuesta.imwrite(path, drawn(str(request.param)))
    return path


@pytest.mark.parametrize(
    ("keywords", "words"), QUESTIONS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_paths_arrays_files_and_the_command(
    photo: pathlib.Path, tmp_path: pathlib.Path, keywords: Any, words: str
) -> None:
    expected = cuesta.edges(photo, **keywords)
    # Text has no boundaries of things and is one region, and a night no strong gradients.
    assert expected.any() or (photo.name, words) in {
        ("text.png", "--method boundaries"),
        ("text.png", "--method regions"),
        ("text.png", "--method boundaries --quality high --threshold 6"),
        ("night.png", "--threshold 120"),
    }
    array = cuesta.imread(photo)
    np.testing.assert_array_equal(cuesta.edges(array, **keywords), expected)
    np.testing.assert_array_equal(
        cuesta.edges(array[None], layout="NHWC" if array.ndim == 3 else "NHW", **keywords)[0],
        expected,
    )
    banded: dict[str, Any] = {"rows": 17}
    for more in ({}, banded):
        cuesta.edges_file(photo, tmp_path / "file.png", **keywords, **more)
        np.testing.assert_array_equal(cuesta.imread(tmp_path / "file.png"), expected)
    if not COMMAND.exists():
        return
    for more_words in (
        [],
        ["--lines", str(tmp_path / "e.svg")] if keywords.get("method", "canny") == "canny" else [],
    ):
        made = tmp_path / "command.png"
        arguments = [
            "edges",
            str(photo),
            *words.split(),
            *more_words,
            "-q",
            "--device",
            "cpu",
            "-o",
            str(made),
        ]
        subprocess.run([str(COMMAND), *arguments], check=True)
        np.testing.assert_array_equal(cuesta.imread(made), expected)


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("keywords", "words"), QUESTIONS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_gpus(photo: pathlib.Path, tmp_path: pathlib.Path, keywords: Any, words: str) -> None:
    expected = cuesta.edges(photo, **keywords)
    there = cuesta.to_device(cuesta.imread(photo))
    np.testing.assert_array_equal(cuesta.to_host(cuesta.edges(there, **keywords)), expected)
    cuesta.edges_file(photo, tmp_path / "file.png", device="cuda", rows=40, **keywords)
    np.testing.assert_array_equal(cuesta.imread(tmp_path / "file.png"), expected)


def test_lines_are_those_of_the_edges(photo: pathlib.Path) -> None:
    for method in ("canny", "log"):
        lines = cuesta.edge_lines(photo, method)
        assert lines
        for line, other in zip(lines, cuesta.edge_lines(cuesta.imread(photo), method), strict=True):
            np.testing.assert_array_equal(line.points, other.points)


def test_used_thresholds_are_returned(photo: pathlib.Path) -> None:
    edges, used = cuesta.edges(photo, return_thresholds=True)
    ((low, high, sigma),) = used
    assert sigma in ((SIGMAS[photo.name],) if photo.name in SIGMAS else (1, 1.4, 2, 3))
    np.testing.assert_array_equal(cuesta.edges(photo, low=low, high=high), edges)
    np.testing.assert_array_equal(cuesta.edges(photo, low=low, high=high, sigma=sigma), edges)
    file = cuesta.edges_file(photo, photo.with_name("sigma.png"), rows=17)
    assert (file.low, file.high, file.sigma) == used[0]
    assert cuesta.edges(photo, "log", return_thresholds=True)[1] == []


def test_thresholds_of_float_files_count_in_the_files_levels(tmp_path: pathlib.Path) -> None:
    levels = np.zeros((60, 60), np.float32)
    levels[20:40, 20:40] = 0.5
    levels[0, 0] = 1
    cuesta.imwrite(tmp_path / "a.tif", levels)
    found = cuesta.edges(tmp_path / "a.tif", sigma=0, low=0.5, high=1)
    np.testing.assert_array_equal(found, cuesta.edges(levels, sigma=0, low=0.5, high=1))
    assert found[10:50, 10:50].any()
    assert not cuesta.edges(tmp_path / "a.tif", sigma=0, low=30, high=40).any()


def test_what_is_refused() -> None:
    image = drawn("gray.png")

    def refused(words: str, *arguments: Any, **keywords: Any) -> None:
        with pytest.raises(cuesta.InvalidArgument, match=words):
            cuesta.edges(image, *arguments, **keywords)

    refused("method is 'prewitt'; it must be canny, log, sobel, boundaries or regions", "prewitt")
    refused("high is missing", low=3)
    refused("threshold is 'auto' beside low and high", low=3, high=4, threshold="auto")
    refused("low and high require method 'canny'; method is 'log'", "log", low=3, high=4)
    refused("with method 'sobel' it must be a number", "sobel", threshold="median")
    refused("mask requires method 'canny'; method is 'log'", "log", mask=image)
    refused("aperture is 4; it must be 3, 5 or 7", aperture=4)
    refused("mode requires method 'log'; method is 'canny'", mode="threshold")
    refused("labels requires method 'regions'; method is 'boundaries'", "boundaries", labels=True)
    refused("regions: threshold is 2;", "regions", threshold=2)
    refused("color requires method 'canny'; method is 'sobel'", "sobel", color="gray")
    # Every method that has the option.
    refused(
        "sigma requires method 'canny', 'log' or 'sobel'; method is 'regions'", "regions", sigma=2
    )
    refused("norm requires method 'canny' or 'sobel'; method is 'log'", "log", norm="l2")
    refused("quality requires method 'boundaries' or 'regions'; method is 'canny'", quality="high")

"""cuesta.edges_file, filter_file and label_file: the whole picture's results, errors, and what continues after a kill."""

from __future__ import annotations

import pathlib
import signal
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import cuesta

pytest.importorskip("cuesta._files", reason="this cuesta was built without libvips")
rng = np.random.default_rng(5)


def blotches(height: int, width: int, channels: int = 1, dtype: str = "uint8") -> Any:
    """Noise in cells, so that edges and components are long."""
    cells = rng.integers(0, 65536, (height // 5 + 1, width // 5 + 1, channels))
    large = cells.repeat(5, 0).repeat(5, 1)[:height, :width]
    values = (large >> (0 if dtype == "uint16" else 8)).astype(dtype)
    return values[..., 0] if channels == 1 else values


def names(folder: pathlib.Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("rows", [1, 7, 64, 500])
@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
@pytest.mark.parametrize("channels", [1, 3])
def test_edges_are_those_of_the_whole(
    tmp_path: pathlib.Path, rows: int, dtype: str, channels: int
) -> None:
    image = blotches(93, 120, channels, dtype)
    cuesta.imwrite(tmp_path / "source.png", image)
    target = tmp_path / "made.tif"

    def made(*method: str, **options: Any) -> tuple[cuesta.FileResult, Any]:
        result = cuesta.edges_file(tmp_path / "source.png", target, *method, rows=rows, **options)
        assert (result.width, result.height, result.channels) == (120, 93, 1)
        assert result.bands == -(-93 // rows)
        assert result.resumed_rows == 0
        assert names(tmp_path) == {"source.png", "made.tif"}
        return result, cuesta.imread(target)

    result, edges = made()
    np.testing.assert_array_equal(edges, cuesta.edges(image))
    assert result.edge_pixels == np.count_nonzero(edges) > 0
    assert 0 < result.low <= result.high
    _, edges = made("canny", low=result.low, high=result.high)
    np.testing.assert_array_equal(edges, cuesta.edges(image))
    _, edges = made("canny", threshold="median", sigma=0, color="gray")
    np.testing.assert_array_equal(
        edges, cuesta.edges(image, threshold="median", sigma=0, color="gray")
    )
    _, edges = made("log", threshold=3)
    np.testing.assert_array_equal(edges, cuesta.edges(image, "log", threshold=3))
    result, magnitudes = made("sobel", aperture=5)
    assert result.type == {"uint8": "u8", "uint16": "u16"}[dtype]
    np.testing.assert_array_equal(magnitudes, cuesta.edges(image, "sobel", aperture=5))


@pytest.mark.parametrize("rows", [1, 10, 200])
def test_filters_are_those_of_the_whole(tmp_path: pathlib.Path, rows: int) -> None:
    color, gray = blotches(61, 70, 3), blotches(61, 70)
    cuesta.imwrite(tmp_path / "color.png", color)
    cuesta.imwrite(tmp_path / "gray.png", gray)
    target = tmp_path / "made.png"

    def made(source: str, name: str, **options: Any) -> Any:
        cuesta.filter_file(tmp_path / source, target, name, rows=rows, **options)
        return cuesta.imread(target)

    np.testing.assert_array_equal(
        made("color.png", "gaussian", sigma=2.5), cuesta.gaussian(color, 2.5)
    )
    np.testing.assert_array_equal(made("color.png", "median", ksize=5), cuesta.median(color, 5))
    np.testing.assert_array_equal(
        made("color.png", "box", n=4, border="wrap"), cuesta.box(color, 4, border="wrap")
    )
    np.testing.assert_array_equal(made("color.png", "sharpen"), cuesta.sharpen(color))
    np.testing.assert_array_equal(
        made("color.png", "laplacian", absolute=True), cuesta.laplacian(color, absolute=True)
    )
    for name in ("erode", "dilate", "open", "close"):
        whole = getattr(cuesta, name)(gray, "disk:7")
        np.testing.assert_array_equal(made("gray.png", name, element="disk:7"), whole)
    assert names(tmp_path) == {"color.png", "gray.png", "made.png"}


@pytest.mark.parametrize("connectivity", [4, 8])
@pytest.mark.parametrize("rows", [1, 13, 300])
def test_components_are_those_of_the_whole(
    tmp_path: pathlib.Path, rows: int, connectivity: int
) -> None:
    image = blotches(160, 140)
    cuesta.imwrite(tmp_path / "mask.png", image)
    for threshold in (0, 180.5):
        whole = cuesta.label(image > threshold, connectivity=connectivity)
        found = cuesta.label_file(
            tmp_path / "mask.png", threshold=threshold, rows=rows, connectivity=connectivity
        )
        assert (found.width, found.height, found.count) == (140, 160, whole.count)
        assert found.bands == -(-160 // rows)
        assert found.count > (0 if threshold == 0 else 15)
        np.testing.assert_array_equal(found.boxes, whole.boxes)
        np.testing.assert_array_equal(found.areas, whole.areas)
        np.testing.assert_array_equal(found.centroids, whole.centroids)
    assert names(tmp_path) == {"mask.png"}


def test_components_of_what_is_read_whole(tmp_path: pathlib.Path) -> None:
    """Photographs that are turned, and light: rows of them cannot be read by themselves."""
    pil = pytest.importorskip("PIL.Image")
    cv2 = pytest.importorskip("cv2")
    colors = blotches(60, 90, 3)
    exif = pil.Exif()
    exif[0x112] = 6
    pil.fromarray(colors).save(tmp_path / "turned.jpg", exif=exif)
    cv2.imwrite(str(tmp_path / "light.hdr"), colors.astype(np.float32) / 255)
    for name in ("turned.jpg", "light.hdr"):
        gray = cuesta.imread(tmp_path / name, gray=True)
        limit = int(np.median(gray))
        whole = cuesta.label(gray > limit, intensity=gray)
        for rows in (None, 7):
            found = cuesta.label_file(tmp_path / name, threshold=limit, measure=True, rows=rows)
            assert (found.width, found.height) == gray.shape[
                ::-1
            ] and found.count == whole.count > 3
            np.testing.assert_array_equal(found.areas, whole.areas)
            assert found.measures is not None and whole.measures is not None
            np.testing.assert_array_equal(
                found.measures.intensity_mean, whole.measures.intensity_mean
            )
        other = cuesta.label_file(
            tmp_path / name, threshold=limit, intensity=tmp_path / name, memory="1MB"
        )
        assert other.count == whole.count
        with pytest.raises(
            cuesta.InputError, match=r"memory limit of 5000 bytes \(its .*memory limit"
        ):
            cuesta.label_file(tmp_path / name, memory=5000)


def test_a_mask_without_a_pixel(tmp_path: pathlib.Path) -> None:
    cuesta.imwrite(tmp_path / "black.png", np.zeros((20, 30), np.uint8))
    found = cuesta.label_file(tmp_path / "black.png")
    assert (found.count, found.boxes.shape, found.areas.shape, found.centroids.shape) == (
        0,
        (0, 4),
        (0,),
        (0, 2),
    )


def test_progress_is_told_and_may_end_the_work(tmp_path: pathlib.Path) -> None:
    source, target = tmp_path / "source.tif", tmp_path / "made.tif"
    cuesta.imwrite(source, blotches(100, 80))
    told: list[tuple[int, int]] = []
    cuesta.edges_file(
        source, target, "sobel", rows=20, progress=lambda done, all: told.append((done, all))
    )
    assert told == sorted(told) and told[-1] == (200, 200)  # made, and written
    target.unlink()

    def stop(done: int, all: int) -> None:
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        cuesta.edges_file(source, target, "sobel", rows=20, progress=stop)
    with pytest.raises(KeyError, match="enough"):
        cuesta.label_file(source, rows=20, progress=stop)
    assert names(tmp_path) == {"source.tif"}


def test_what_is_wrong_is_said(tmp_path: pathlib.Path) -> None:
    source, target = tmp_path / "source.tif", tmp_path / "made.tif"
    cuesta.imwrite(source, blotches(100, 80))

    def refused(
        words: str, call: Any, *arguments: Any, kind: Any = cuesta.InvalidArgument, **options: Any
    ) -> None:
        with pytest.raises(kind, match=words):
            call(*arguments, **options)
        assert names(tmp_path) == {"source.tif"}

    refused(
        "method is 'laplace'; it must be canny, log, sobel, boundaries or regions",
        cuesta.edges_file,
        source,
        target,
        "laplace",
    )
    refused("high is missing", cuesta.edges_file, source, target, low=3)
    refused(
        "low and high require method 'canny'; method is 'log'",
        cuesta.edges_file,
        source,
        target,
        "log",
        low=3,
        high=9,
    )
    refused(
        "with method 'log' it must be a number",
        cuesta.edges_file,
        source,
        target,
        "log",
        threshold="median",
    )
    refused("memory is '7 potatoes'", cuesta.edges_file, source, target, memory="7 potatoes")
    refused(
        "2000 bytes of memory hold too few rows of 80 pixels",
        cuesta.edges_file,
        source,
        target,
        memory=2000,
    )
    refused(
        "tiff is 'zigzag'; it must be one of strips",
        cuesta.edges_file,
        source,
        target,
        tiff="zigzag",
    )
    refused(
        "device is potato; it must be cpu, cuda, cuda:N",
        cuesta.edges_file,
        source,
        target,
        device="potato",
    )
    refused(
        "device cuda:99: ",
        cuesta.edges_file,
        source,
        target,
        device="cuda:99",
        kind=cuesta.DeviceError,
    )
    refused("rows is -1; it must be at least 0", cuesta.edges_file, source, target, rows=-1)
    refused("aperture", cuesta.edges_file, source, target, aperture=4)
    refused(
        "sigmoid",
        cuesta.edges_file,
        source,
        target,
        sigmoid=4,
        kind=(TypeError, cuesta.InvalidArgument),
    )
    refused("filter is 'blur'; it must be gaussian", cuesta.filter_file, source, target, "blur")
    refused("element", cuesta.filter_file, source, target, "open", element="potato:7")
    refused("connectivity is 6", cuesta.label_file, source, connectivity=6)
    refused("100 bytes of memory hold too few rows", cuesta.label_file, source, memory=100)
    absent = tmp_path / "absent.tif"
    refused("absent.tif", cuesta.edges_file, absent, target, kind=cuesta.InputError)
    refused("absent.tif", cuesta.filter_file, absent, target, "median", kind=cuesta.InputError)
    refused("absent.tif", cuesta.label_file, absent, kind=cuesta.InputError)
    refused(
        "no/made.tif",
        cuesta.edges_file,
        source,
        tmp_path / "no" / "made.tif",
        kind=cuesta.OutputError,
    )
    refused("made.abc", cuesta.edges_file, source, tmp_path / "made.abc", kind=cuesta.OutputError)
    cuesta.imwrite(tmp_path / "floats.tif", np.full((20, 30), 0.5, np.float32))
    with pytest.raises(cuesta.Error):  # bands cannot have levels of floats; the whole is larger
        cuesta.edges_file(tmp_path / "floats.tif", target, "log", memory=1000)
    assert names(tmp_path) == {"source.tif", "floats.tif"}


KILLED = """
import os, signal, sys, cuesta

def progress(done, all):
    if done >= int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)

cuesta.edges_file(sys.argv[1], sys.argv[2], sigma=3, low=40, high=90, rows=50, progress=progress)
"""


def test_a_killed_call_goes_on(tmp_path: pathlib.Path) -> None:
    image = blotches(400, 300)
    source, target = tmp_path / "source.png", tmp_path / "made.tif"
    cuesta.imwrite(source, image)

    def kill(rows: int) -> None:
        done = subprocess.run(
            [sys.executable, "-c", KILLED, source, target, str(rows)], timeout=120
        )
        assert done.returncode == -signal.SIGKILL
        assert names(tmp_path) == {
            "source.png",
            ".made.tif.cuesta-rows",
            ".made.tif.cuesta-journal",
        }

    kill(200)
    result = cuesta.edges_file(source, target, sigma=3, low=40, high=90, rows=60)
    assert 200 <= result.resumed_rows < 400
    np.testing.assert_array_equal(
        cuesta.imread(target), cuesta.edges(image, sigma=3, low=40, high=90)
    )
    assert names(tmp_path) == {"source.png", "made.tif"}
    target.unlink()
    kill(200)
    assert (
        cuesta.edges_file(
            source, target, sigma=3, low=40, high=90, rows=60, resume=False
        ).resumed_rows
        == 0
    )
    target.unlink()
    kill(200)
    # What was left of other work is not taken.
    assert cuesta.edges_file(source, target, low=40, high=91, rows=60).resumed_rows == 0
    np.testing.assert_array_equal(cuesta.imread(target), cuesta.edges(image, low=40, high=91))
    assert names(tmp_path) == {"source.png", "made.tif"}

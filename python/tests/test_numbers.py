"""Files of every type of samples: the numbers that they hold, and the edges of their arrays."""

from __future__ import annotations

import pathlib
import subprocess
import warnings
from typing import Any

import numpy as np
import pytest
from command import COMMAND

import cuesta
import cuesta.bands

pytest.importorskip("cuesta._files", reason="this cuesta was built without libvips")
READ = ("i1", "i2", "i4", "u4", "f4")
REFUSED = ("f2", "f8", "i8", "u8", "c8", "c16")


def scene() -> Any:
    """Numbers from 0 to 125: a slope with a disk and a square on it."""
    y, x = np.mgrid[:70, :90]
    disk = (x - 40) ** 2 + (y - 35) ** 2 < 300
    return ((x + y) // 4 + disk * 60 + (y < 20) * (x > 60) * 25).astype(np.float64)


def tiff(values: Any, order: str = "<") -> bytes:
    """An uncompressed TIFF of (H, W) or (H, W, 3) samples of any type, in either byte order."""
    values = np.asarray(values)
    kind = values.dtype
    channels = 1 if values.ndim == 2 else values.shape[2]
    samples: bytes = values.astype(kind.newbyteorder(order)).tobytes()
    code = {"u": 1, "i": 2, "f": 3, "c": 6}[kind.kind]

    def word(number: int, size: int) -> bytes:
        return number.to_bytes(size, "little" if order == "<" else "big")

    many = len(samples) + 8
    data = (b"II*\0" if order == "<" else b"MM\0*") + word(many + 12, 4) + samples
    data += word(kind.itemsize * 8, 2) * 3 + word(code, 2) * 3

    def entry(tag: int, size: int, numbers: list[int] | int, offset: int = 0) -> bytes:
        count = 1 if isinstance(numbers, int) else len(numbers)
        if isinstance(numbers, int):
            value = word(numbers, size) + b"\0" * (4 - size)
        elif count == 1:
            value = word(numbers[0], size) + b"\0" * (4 - size)
        else:
            value = word(offset, 4)
        return word(tag, 2) + word({2: 3, 4: 4}[size], 2) + word(count, 4) + value

    entries = [
        entry(256, 4, values.shape[1]),
        entry(257, 4, values.shape[0]),
        entry(258, 2, [kind.itemsize * 8] * channels, many),
        entry(259, 2, 1),
        entry(262, 2, 1 if channels == 1 else 2),
        entry(273, 4, 8),
        entry(277, 2, channels),
        entry(278, 4, values.shape[0]),
        entry(279, 4, len(samples)),
        entry(339, 2, [code] * channels, many + 6),
    ]
    return data + word(len(entries), 2) + b"".join(entries) + word(0, 4)


def edges_by_command(path: pathlib.Path, *words: str) -> Any:
    made = path.with_name("command.png")
    arguments = [str(COMMAND), "edges", str(path), "-o", str(made), "-q", "--device", "cpu", *words]
    subprocess.run(arguments, check=True)
    return cuesta.imread(made)


def agree(path: pathlib.Path, array: Any, **keywords: Any) -> Any:
    """The edges of an array, which must be those of its file from every interface."""
    expected = cuesta.edges(array, **keywords)
    np.testing.assert_array_equal(cuesta.edges(path, **keywords), expected)
    target = path.with_name("made.tif")
    for rows in (None, 17):
        cuesta.edges_file(path, target, rows=rows, **keywords)
        np.testing.assert_array_equal(cuesta.imread(target), expected)
    if COMMAND.exists():
        words = [f"--method={keywords['method']}"] if "method" in keywords else []
        if keywords.get("method") != "sobel":  # whose strengths in PNG are levels
            np.testing.assert_array_equal(edges_by_command(path, *words), expected)
    return expected


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("kind", READ)
def test_numbers_are_read_as_they_are(tmp_path: pathlib.Path, kind: str, order: str) -> None:
    signed = kind != "u4"
    values = (scene() - (100 if signed else 0)).astype(kind)
    path = tmp_path / "a.tif"
    path.write_bytes(tiff(values, order))
    read = cuesta.imread(path)
    assert read.dtype == np.float32
    np.testing.assert_array_equal(read, values.astype(np.float32))
    made = agree(path, read)
    assert 100 < (made > 0).sum() < 2000
    # An offset moves few edges: float32 rounds them otherwise.
    assert (made != cuesta.edges(scene().astype(np.float32))).sum() < 20
    colors = np.stack([values, values // 2, values // 3], -1).astype(kind)
    path.write_bytes(tiff(colors, order))
    read = cuesta.imread(path)
    np.testing.assert_array_equal(read, colors.astype(np.float32))
    assert agree(path, read).any()


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("kind", REFUSED)
def test_types_that_are_refused_by_name(tmp_path: pathlib.Path, kind: str, order: str) -> None:
    path = tmp_path / "a.tif"
    name = np.dtype(kind).name
    for values in (scene().astype(kind), np.stack([scene().astype(kind)] * 3, -1)):
        path.write_bytes(tiff(values, order))
        with pytest.raises(cuesta.InputError, match=f"its samples are {name}; save it as float32"):
            cuesta.imread(path)
        with pytest.raises(cuesta.InputError, match=f"its samples are {name}; save it as float32"):
            cuesta.edges_file(path, tmp_path / "made.tif")


def test_depths_and_vegetation_have_the_edges_of_their_arrays(tmp_path: pathlib.Path) -> None:
    levels = scene() * 2
    pictures = {"sea.tif": levels * -20, "ndvi.tif": levels / 127.5 - 1}
    for name, values in pictures.items():
        numbers = values.astype(np.float32)
        path = tmp_path / name
        cuesta.imwrite(path, numbers)
        read = cuesta.imread(path)
        assert read.dtype == np.float32
        np.testing.assert_array_equal(read, numbers)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for method in ("canny", "sobel", "log", "boundaries", "regions"):
                made = agree(path, numbers, method=method)
                assert (made > 0).any(), (name, method)
        np.testing.assert_array_equal(cuesta.canny(path, 1, 2), cuesta.canny(numbers, 1, 2))
        lines = cuesta.edge_lines(path)
        assert lines and len(lines) == len(cuesta.edge_lines(numbers))
        # Levels scale the picture alone: the same edges within a pixel. Of equal neighbours,
        # rounding decides which is thinned away.
        if COMMAND.exists():
            by_levels = edges_by_command(
                path, f"--black={numbers.min()}", f"--white={numbers.max()}"
            )
            expected = cuesta.edges(numbers)
            for one, other in ((by_levels, expected), (expected, by_levels)):
                assert not one[cuesta.dilate(other, "rect:3") == 0].any()
        # Labels of what is above a number below 0.
        limit = float(np.median(numbers))
        found = cuesta.label_file(path, threshold=limit)
        expected = cuesta.label((numbers > limit).astype(np.uint8))
        assert found.count == expected.count > 0
        np.testing.assert_array_equal(
            found.areas, cuesta.label_file(path, threshold=limit, rows=9).areas
        )


def test_bands_in_several_processes_take_numbers(tmp_path: pathlib.Path) -> None:
    numbers = (scene() * -40).astype(np.float32)
    cuesta.imwrite(tmp_path / "sea.tif", numbers)
    work = cuesta.bands.edges_work()
    source, target = str(tmp_path / "sea.tif"), str(tmp_path / "made.tif")
    join, maker = work.join(source, target, rows=17), work.maker(source)
    bands = [(y, min(70, y + 17)) for y in range(0, 70, 17)]
    if join.wants_counts:
        for band in bands:
            join.add_counts(maker.count(*band))
    found = join.find()
    for band in bands:
        join.add(maker.make(*band, found))
    join.finish()
    np.testing.assert_array_equal(cuesta.imread(target), cuesta.edges(numbers))


def test_filters_keep_numbers_in_files(tmp_path: pathlib.Path) -> None:
    numbers = (scene() * -20).astype(np.float32)
    cuesta.imwrite(tmp_path / "sea.tif", numbers)
    target = tmp_path / "made.tif"
    for rows in (None, 17):
        assert cuesta.filter_file(tmp_path / "sea.tif", target, "box", rows=rows).type == "f32"
        np.testing.assert_array_equal(cuesta.imread(target), cuesta.box(numbers))
    cuesta.filter_file(tmp_path / "sea.tif", tmp_path / "made.png", "box")
    levels = cuesta.imread(tmp_path / "made.png")
    assert levels.dtype == np.uint16 and levels.min() < 3000 and levels.max() > 60000


def test_logluv_is_the_rgb_that_opencv_reads(tmp_path: pathlib.Path) -> None:
    cv2 = pytest.importorskip("cv2")
    level = scene().astype(np.float32) + 15
    path = str(tmp_path / "luv.tif")
    for compression in (34676, 34677):
        parameters = [cv2.IMWRITE_TIFF_COMPRESSION, compression]
        if not cv2.imwrite(path, np.dstack([level, level / 2, 140 - level]), parameters):
            pytest.skip("this OpenCV writes no LogLuv")
        read = cuesta.imread(path)
        expected = cv2.imread(path, cv2.IMREAD_UNCHANGED)[..., ::-1]
        assert read.dtype == np.float32
        np.testing.assert_allclose(read, expected, rtol=1e-3, atol=0.02)
        assert (agree(pathlib.Path(path), read) > 0).any()


def test_arrays_are_refused_by_name_with_a_remedy() -> None:
    image = scene()
    for kind in ("f8", "i8", "u8", "u4", "i1", ">f8"):
        values = (image > 30).astype(kind)
        name = np.dtype(kind).newbyteorder("=").name
        with pytest.raises(
            cuesta.InvalidArgument,
            match=f"image is {name}, which no operation supports; astype\\(np.float32\\)",
        ):
            cuesta.canny(values)
    for function, kind, words in (
        (cuesta.canny, "i2", "canny: image is int16; it must be uint8, uint16, float32; astype"),
        (cuesta.edges, "i4", "edges: image is int32; it must be uint8, uint16, float32; astype"),
        (cuesta.log_edges, "f4", "log: image is float32; it must be uint8, uint16; scale it"),
        (cuesta.boundaries, "f4", "boundaries: image is float32; it must be uint8, uint16; scale"),
    ):
        with pytest.raises(cuesta.InvalidArgument, match=words):
            function(image.astype(kind))
    for name in ("erode", "dilate", "open", "close"):
        with pytest.raises(
            cuesta.InvalidArgument,
            match=f"^{name}: image is float32; it must be uint8, uint16, bool;",
        ):
            getattr(cuesta, name)(image.astype(np.float32), "rect:3")
    for shape in ((0, 10), (10, 0), (0, 10, 3), (2, 0, 10), (0, 5, 5, 3)):
        with pytest.raises(cuesta.InvalidArgument, match="image is empty: its shape is"):
            cuesta.canny(np.zeros(shape, np.uint8))
    with pytest.raises(TypeError, match="limit is"):
        cuesta.threshold(image.astype(np.uint8), "50")  # type: ignore[arg-type]

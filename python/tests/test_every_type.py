"""Arrays of every type, and objects of every library: the right edges, or a sentence with a remedy."""

from __future__ import annotations

import array
import io
import pathlib
import warnings
from typing import Any

import numpy as np
import pytest

import cuesta

Y, X = np.mgrid[:60, :80]
DISK = 60 + 100 * (np.hypot(Y - 30, X - 40) < 18)
COLORS = np.dstack([DISK, 255 - DISK, DISK // 2]).astype(np.uint8)
BYTES = cuesta.edges(DISK.astype(np.uint8))
FLOATS = cuesta.edges(DISK.astype(np.float32))

READ = {
    "bool": (DISK > 100, cuesta.edges((DISK > 100).astype(np.uint8) * 255)),
    "uint8": (DISK.astype(np.uint8), BYTES),
    "uint16": (DISK.astype("<u2"), cuesta.edges(DISK.astype(np.uint16))),
    "uint16, swapped": (DISK.astype(">u2"), cuesta.edges(DISK.astype(np.uint16))),
    "float16": (DISK.astype(np.float16), FLOATS),
    "float16, swapped": (DISK.astype(">f2"), FLOATS),
    "float32": (DISK.astype("<f4"), FLOATS),
    "float32, swapped": (DISK.astype(">f4"), FLOATS),
}
REFUSED = {
    **{
        kind: (DISK.astype(kind), r"astype\(np.float32\) converts it")
        for kind in ("i1", "<i2", ">i2", "<i4", ">i4", "<i8", ">i8", "<u4", ">u4", "<u8", ">u8")
    },
    **{
        kind: (DISK.astype(kind), r"astype\(np.float32\) converts it")
        for kind in ("<f8", ">f8", "longdouble")
    },
    "complex64": (DISK.astype(np.complex64), "complex64, .*np.abs gives its magnitude"),
    "complex128": (DISK.astype(">c16"), "complex128, .*np.abs gives its magnitude"),
    "object": (DISK.astype(object), r"object, .*astype\(np.float32\) converts them"),
    "datetime": (DISK.astype("M8[s]"), r"datetime64\[s\], .*astype\(np.int64\)"),
    "timedelta": (DISK.astype("m8[s]"), r"timedelta64\[s\], .*astype\(np.int64\)"),
    "fields": (np.zeros((9, 9), [("r", "u1"), ("g", "u1")]), "it has fields; pass one"),
    "void": (np.zeros((9, 9), "V4"), "raw bytes"),
    "text": (np.full((9, 9), "a"), "it is text"),
    "bytes": (np.full((9, 9), b"a"), "it is text"),
}


@pytest.mark.parametrize("kind", READ)
def test_types_that_are_read(kind: str) -> None:
    image, expected = READ[kind]
    before = image.copy()
    assert expected.any()
    np.testing.assert_array_equal(cuesta.edges(image), expected)
    np.testing.assert_array_equal(cuesta.edges(image[::-1][::-1]), expected)
    np.testing.assert_array_equal(cuesta.edges(np.asfortranarray(image)), expected)
    np.testing.assert_array_equal(image, before)
    lines = cuesta.edge_lines(image)
    assert len(lines) == 1 and lines[0].closed
    assert cuesta.canny(image).any()


#: What compares levels: of bool, False is black and True white.
BY_LEVELS: dict[str, Any] = {
    "canny": lambda image: cuesta.canny(image, 50, 100),
    "strengths": lambda image: cuesta.edges(image, strength=True),
    "log": lambda image: cuesta.edges(image, "log"),
    "sobel": lambda image: cuesta.edges(image, "sobel"),
    "boundaries": lambda image: cuesta.edges(image, "boundaries"),
    "regions": lambda image: cuesta.edges(image, "regions"),
    "log_edges": cuesta.log_edges,
    "of_objects": cuesta.boundaries,
    "gradient": cuesta.sobel,
    "contours": lambda image: cuesta.regions(image, output="contours"),
    "threshold": lambda image: cuesta.threshold(image, 100),
}


@pytest.mark.parametrize("name", BY_LEVELS)
def test_bool_is_black_and_white(name: str) -> None:
    function, mask = BY_LEVELS[name], DISK > 100
    expected = function(mask.astype(np.uint8) * 255)
    assert expected.any()
    lazy = pytest.importorskip("dask.array").from_array(mask, chunks=(25, 40))
    for image in (mask, lazy):
        made = np.asarray(function(image))
        assert made.dtype == expected.dtype
        np.testing.assert_array_equal(made, expected)


def test_lines_of_bool() -> None:
    mask = DISK > 100
    for lines in (cuesta.edge_lines(mask), cuesta.trace(mask, 50, 100)):
        assert len(lines) == 1 and lines[0].closed


def test_pictures_of_pil_with_one_bit(tmp_path: pathlib.Path) -> None:
    pil = pytest.importorskip("PIL.Image")
    pytest.importorskip("cuesta._files", reason="this cuesta was built without libvips")
    pil.fromarray(DISK > 100).save(tmp_path / "bit.png")
    path = tmp_path / "bit.png"
    for function in (
        *BY_LEVELS.values(),
        lambda image: cuesta.gaussian(image, 2.0),
        cuesta.histogram,
    ):
        with pil.open(path) as picture:
            assert picture.mode == "1"
            np.testing.assert_array_equal(function(picture), function(path))


def test_16_bits_that_hold_fewer_are_told_of() -> None:
    camera = DISK.astype(np.uint16) * 16
    for method in ("log", "boundaries", "regions"):
        with pytest.warns(UserWarning, match="largest sample is 2560 .* white sets another"):
            cuesta.edges(camera, method)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert cuesta.edges(camera * 25, method).any()
            cuesta.edges(camera * 0, method)
    with pytest.warns(UserWarning, match="largest sample is 2560"):
        cuesta.edge_lines(camera, "log")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cuesta.edges(camera)
        cuesta.edges(camera, "sobel")


@pytest.mark.parametrize("kind", REFUSED)
def test_types_that_are_refused_with_a_remedy(kind: str) -> None:
    image, words = REFUSED[kind]
    name = image.dtype.newbyteorder("=").name
    for function in (cuesta.edges, cuesta.canny, cuesta.edge_lines):
        with pytest.raises(cuesta.InvalidArgument, match=words) as error:
            function(image)
        if image.dtype.kind not in "VSU":
            assert name in str(error.value) and "image is" in str(error.value)


HALVES = DISK.astype(np.float16)


def test_halves_where_they_are_computed() -> None:
    full = HALVES.astype(np.float32)
    np.testing.assert_array_equal(cuesta.threshold(HALVES, 90), cuesta.threshold(full, 90))
    gx = cuesta.sobel(HALVES, outputs="gx")
    np.testing.assert_array_equal(gx, cuesta.sobel(full, outputs="gx"))


#: What takes no floats: a remedy must not lead to the next refusal.
WITHOUT_FLOATS: dict[str, Any] = {
    "boundaries": cuesta.boundaries,
    "regions": cuesta.regions,
    "log_edges": cuesta.log_edges,
    "erode": lambda image: cuesta.erode(image, "disk:3"),
    "histogram": cuesta.histogram,
}
OF_MASKS: dict[str, Any] = {
    "label": cuesta.label,
    "fill_holes": cuesta.fill_holes,
    "remove_small": lambda mask: cuesta.remove_small(mask, 5),
    "canny's mask": lambda mask: cuesta.canny(DISK.astype(np.uint8), mask=mask),
}


@pytest.mark.parametrize(
    "kind", ["int8", "int16", "uint32", ">i4", "float16", "float32", "float64"]
)
def test_remedies_are_one_step(kind: str) -> None:
    for name, function in WITHOUT_FLOATS.items():
        with pytest.raises(cuesta.InvalidArgument, match=r"astype\(np.uint16\)"):
            function(DISK.astype(kind))
        assert function(DISK.astype(np.uint16)) is not None, name
    for name, function in OF_MASKS.items():
        mask = (DISK > 100).astype(kind)
        with pytest.raises(cuesta.InvalidArgument, match="mask != 0 makes a mask of it"):
            function(mask)
        assert function(mask != 0) is not None, name


def test_masked_samples_where_holes_are_not_supported() -> None:
    gray = np.ma.masked_greater(DISK.astype(np.uint8), 100)
    for function in WITHOUT_FLOATS.values():
        with pytest.raises(cuesta.InvalidArgument, match=r"masked samples, .*image.filled\(0\)"):
            function(gray)
    mask = np.ma.masked_array(DISK > 100, X < 40).astype(np.uint8)
    assert cuesta.label(mask).areas.sum() == ((DISK > 100) & (X >= 40)).sum()


def test_channels_of_many_are_asked_about() -> None:
    bands = np.repeat(DISK.astype(np.uint8)[..., None], 7, 2)
    for image, axis in ((bands, 0), (bands[None], 1)):
        with pytest.raises(cuesta.InvalidArgument, match="may be channels, more than 4") as error:
            cuesta.edges(image)
        assert f"moveaxis(image, -1, {axis})" in str(error.value)
    np.testing.assert_array_equal(cuesta.edges(np.moveaxis(bands, -1, 0))[6], BYTES)
    assert cuesta.edges(bands, layout="NHW").shape == bands.shape


def test_any_shape() -> None:
    for shape in ((1, 80), (60, 1), (1, 1)):
        image = np.full(shape, 7, np.uint8)
        for method in ("canny", "log", "sobel", "boundaries", "regions"):
            assert cuesta.edges(image, method=method).shape == shape
        assert (cuesta.edges(image, "regions", labels=True) == 1).all()
    gray = DISK.astype(np.uint8)
    np.testing.assert_array_equal(cuesta.edges(gray[..., None])[..., 0], BYTES)
    np.testing.assert_array_equal(cuesta.edges(gray[None])[0], BYTES)
    np.testing.assert_array_equal(cuesta.edges(gray[None, ..., None])[0, ..., 0], BYTES)
    np.testing.assert_array_equal(cuesta.edges(np.broadcast_to(gray, (3, 60, 80)))[2], BYTES)
    for view in (gray.T, gray[::-1, ::-1], gray[::2, 1::3], COLORS[..., ::-1], COLORS[..., 1]):
        np.testing.assert_array_equal(cuesta.edges(view), cuesta.edges(view.copy()))
    fixed = gray.copy()
    fixed.flags.writeable = False
    np.testing.assert_array_equal(cuesta.edges(fixed), BYTES)
    for dimensions in (0, 1, 5):
        with pytest.raises(cuesta.InvalidArgument, match=f"image has {dimensions} dimensions"):
            cuesta.edges(np.zeros((5,) * dimensions, np.uint8))


def test_objects_of_other_libraries() -> None:
    gray = DISK.astype(np.uint8)
    np.testing.assert_array_equal(cuesta.edges(memoryview(gray)), BYTES)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.testing.assert_array_equal(cuesta.edges(np.matrix(gray)), BYTES)
    for thing in (gray.tolist(), tuple(gray.tolist())):
        with pytest.raises(
            TypeError, match="image is (list|tuple); .*numpy.asarray makes an array"
        ):
            cuesta.edges(thing)
    for thing in (None, array.array("B", gray.tobytes())):
        with pytest.raises(TypeError, match="it must be an array"):
            cuesta.edges(thing)


def test_data_frames() -> None:
    pandas = pytest.importorskip("pandas")
    np.testing.assert_array_equal(cuesta.edges(pandas.DataFrame(DISK.astype(np.uint8))), BYTES)
    with pytest.raises(cuesta.InvalidArgument, match="object, .*if they are numbers"):
        cuesta.edges(pandas.DataFrame({"a": [1, 2], "b": ["x", "y"]}))


def test_tensors_of_the_cpu() -> None:
    torch = pytest.importorskip("torch")
    tensor = torch.from_numpy(DISK.astype(np.uint8))
    np.testing.assert_array_equal(cuesta.edges(tensor).numpy(), BYTES)
    np.testing.assert_array_equal(cuesta.edges(tensor.T).numpy(), cuesta.edges(DISK.T.astype("u1")))
    np.testing.assert_array_equal(cuesta.edges(tensor.half()).numpy(), FLOATS)
    np.testing.assert_array_equal(cuesta.edges(tensor.float().requires_grad_()).numpy(), FLOATS)
    for wrong, words in (
        (tensor.double(), "float64"),
        (tensor.bfloat16(), "bfloat16"),
        (tensor.to_sparse(), r"layout torch.sparse_coo; pass its to_dense\(\)"),
        (tensor.to("meta"), "device meta"),
    ):
        with pytest.raises(cuesta.InvalidArgument, match=words):
            cuesta.edges(wrong)


@pytest.mark.parametrize(
    "mode",
    ["1", "L", "LA", "La", "P", "RGB", "RGBA", "RGBa", "CMYK", "YCbCr", "HSV", "I", "I;16", "F"],
)
def test_pictures_of_pil_of_every_mode(mode: str) -> None:
    pil = pytest.importorskip("PIL.Image")
    color = pil.fromarray(COLORS)
    gray = pil.fromarray(DISK.astype(np.uint8))
    if mode == "I;16":
        image = pil.fromarray(DISK.astype(np.uint16))
    elif mode in ("La", "RGBa"):
        image = color.convert("LA" if mode == "La" else "RGBA").convert(mode)
    else:
        image = (gray if mode in ("1", "L", "LA", "I", "F") else color).convert(mode)
    made = cuesta.edges(image)
    assert made.shape == (60, 80)
    grown = cuesta.dilate(cuesta.edges(COLORS), "rect:5")
    if mode != "1":  # dithered
        assert 80 < (made > 0).sum() < 200 and not made[grown == 0].any()
    if mode in ("I", "F"):
        np.testing.assert_array_equal(made, FLOATS)


def test_pictures_in_memory() -> None:
    pytest.importorskip("cuesta._files", reason="this cuesta was built without libvips")
    pil = pytest.importorskip("PIL.Image")
    stream = io.BytesIO()
    pil.fromarray(COLORS).save(stream, "PNG")
    for source in (stream.getvalue(), io.BytesIO(stream.getvalue())):
        np.testing.assert_array_equal(cuesta.imread(source), COLORS)

"""A path gives what `imread`'s array of it gives, for every function and every kind of file."""

from __future__ import annotations

import inspect
import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cuesta

pytest.importorskip("cuesta._files", reason="this cuesta was built without libvips")
pil = pytest.importorskip("PIL.Image")

rng = np.random.default_rng(8)
Call = Callable[..., Any]

#: Functions that take one channel, and by what they are called.
ONE: dict[str, Call] = {
    "BackgroundSubtractor.push": lambda image, **part: cuesta.BackgroundSubtractor().push(
        image, **part
    ),
    "close": cuesta.close,
    "dilate": cuesta.dilate,
    "erode": cuesta.erode,
    "fill_holes": cuesta.fill_holes,
    "histogram": cuesta.histogram,
    "label": cuesta.label,
    "remove_small": cuesta.remove_small,
    "log_edges": cuesta.log_edges,
    "regions": cuesta.regions,
    "open": cuesta.open,
    "sobel": lambda image, **part: cuesta.sobel(image, outputs=("gx", "magnitude"), **part),
    "threshold": lambda image, **part: cuesta.threshold(image, 99, **part),
    "trace": cuesta.trace,
}
#: Functions that take all that files hold.
ALL: dict[str, Call] = {
    "MotionDetector.push": lambda image, **part: cuesta.MotionDetector(warm_up=1).push(
        image, **part
    ),
    "absdiff": lambda image, **part: cuesta.absdiff(image, image, **part),
    "boundaries": cuesta.boundaries,
    "box": cuesta.box,
    "canny": cuesta.canny,
    "canny, given thresholds": lambda image, **part: cuesta.canny(
        image, 40, 90, color="structure", **part
    ),
    "convolve": lambda image, **part: cuesta.convolve(image, "1 2 1; 0 0 0; -1 -2 -1", **part),
    "correlate": lambda image, **part: cuesta.correlate(image, "1 2 1; 0 0 0; -1 -2 -1", **part),
    "edge_lines": lambda image, **part: np.concatenate(
        [line.points for line in cuesta.edge_lines(image, **part)]
    ),
    "edges": cuesta.edges,
    "edges, log": lambda image, **part: cuesta.edges(image, "log", **part),
    "edges, sobel": lambda image, **part: cuesta.edges(image, "sobel", **part),
    "gaussian": lambda image, **part: cuesta.gaussian(image, 1.4, **part),
    "laplacian": cuesta.laplacian,
    "median": cuesta.median,
    "sharpen": cuesta.sharpen,
    "to_gray": cuesta.to_gray,
}
#: What takes arrays, and no picture of a file: gradients, and numpy arrays alone.
NO_PICTURES = {"canny_of_gradients", "otsu_threshold", "to_device", "to_host", "imwrite", "trace"}


def picture(*shape: int, bits: int = 8) -> Any:
    """Blocks and noise, so that every function finds something."""
    blocks = (
        rng.integers(0, 2, (8, 10, *shape[2:])).repeat(6, 0).repeat(6, 1)[: shape[0], : shape[1]]
    )
    values = blocks * 180 + rng.integers(0, 60, shape)
    return (values * 257).astype(np.uint16) if bits == 16 else values.astype(np.uint8)


def save_palette(file: pathlib.Path) -> None:
    pil.fromarray(picture(40, 50, 3)).quantize(32).save(file)


def save_palette_with_alpha(file: pathlib.Path) -> None:
    pil.fromarray(picture(40, 50, 3)).quantize(32).save(file, transparency=3)


FILES: dict[str, tuple[Callable[[pathlib.Path], None], tuple[int, ...], str]] = {
    "gray.png": (lambda file: cuesta.imwrite(file, picture(40, 50)), (40, 50), "uint8"),
    "gray-alpha.png": (lambda file: cuesta.imwrite(file, picture(40, 50, 2)), (40, 50, 2), "uint8"),
    "rgb.png": (lambda file: cuesta.imwrite(file, picture(40, 50, 3)), (40, 50, 3), "uint8"),
    "rgb.jpg": (lambda file: cuesta.imwrite(file, picture(40, 50, 3)), (40, 50, 3), "uint8"),
    "rgba.png": (lambda file: cuesta.imwrite(file, picture(40, 50, 4)), (40, 50, 4), "uint8"),
    "gray16.png": (lambda file: cuesta.imwrite(file, picture(40, 50, bits=16)), (40, 50), "uint16"),
    "rgb16.tif": (
        lambda file: cuesta.imwrite(file, picture(40, 50, 3, bits=16)),
        (40, 50, 3),
        "uint16",
    ),
    "rgba16.png": (
        lambda file: cuesta.imwrite(file, picture(40, 50, 4, bits=16)),
        (40, 50, 4),
        "uint16",
    ),
    "float.tif": (
        lambda file: cuesta.imwrite(file, picture(40, 50) / np.float32(255)),
        (40, 50),
        "float32",
    ),
    "float-rgb.tif": (
        lambda file: cuesta.imwrite(file, picture(40, 50, 3) / np.float32(255)),
        (40, 50, 3),
        "float32",
    ),
    "palette.png": (save_palette, (40, 50, 3), "uint8"),
    "palette-alpha.png": (save_palette_with_alpha, (40, 50, 4), "uint8"),
}


@pytest.fixture(scope="module", params=sorted(FILES))
def file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    made: pathlib.Path = tmp_path_factory.mktemp("paths") / request.param
    save, shape, dtype = FILES[request.param]
    save(made)
    read = cuesta.imread(made)
    assert (read.shape, read.dtype.name) == (shape, dtype)
    return made


def outcome(call: Call, image: Any) -> Any:
    """What a call gives, or the error that it raises, as something to compare."""

    def plain(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return value.dtype.name, value.shape, value.tobytes()
        if isinstance(value, (tuple, list)):
            return [plain(one) for one in value]
        return plain(list(vars(value).values())) if isinstance(value, cuesta.Labels) else value

    try:
        return plain(call(image))
    except cuesta.Error as error:
        return type(error), str(error)


#: Functions that take integers alone.
INTEGERS = {"MotionDetector.push", "BackgroundSubtractor.push", "boundaries", "close", "dilate"}
INTEGERS |= {"erode", "histogram", "log_edges", "open", "regions"}
#: Functions that take masks, which have 8 bits.
MASKS = {"fill_holes", "label", "remove_small"}
INTEGERS |= MASKS


def is_error(found: Any) -> bool:
    return isinstance(found, tuple) and isinstance(found[0], type)


@pytest.mark.parametrize("name", sorted(ALL))
def test_what_takes_channels(name: str, file: pathlib.Path) -> None:
    image = cuesta.imread(file)
    expected = outcome(ALL[name], image)
    assert outcome(ALL[name], file) == expected
    assert outcome(ALL[name], str(file)) == expected
    # Gray levels with alpha are no frame.
    is_refused = name == "MotionDetector.push" and image.shape[2:] == (2,)
    assert is_error(expected) == (is_refused or (image.dtype == np.float32 and name in INTEGERS))


@pytest.mark.parametrize("name", sorted(ONE))
def test_what_takes_one_channel(name: str, file: pathlib.Path) -> None:
    image = cuesta.imread(file)
    gray = cuesta.imread(file, gray=True)
    if image.ndim == 3:
        kind, text = outcome(ONE[name], image)
        assert kind is cuesta.InvalidArgument and "cuesta.to_gray" in text
        np.testing.assert_array_equal(gray, cuesta.to_gray(image, layout="HWC"))
    expected = outcome(ONE[name], gray)
    assert outcome(ONE[name], file) == expected
    is_refused = name in MASKS and gray.dtype == np.uint16
    assert is_error(expected) == (is_refused or (gray.dtype == np.float32 and name in INTEGERS))


@pytest.mark.parametrize("name", sorted({**ONE, **ALL}.keys() - {"absdiff"}))
def test_a_page_or_a_channel_of_a_file(name: str, tmp_path: pathlib.Path) -> None:
    call = {**ALL, **ONE}[name]
    pages, colors = [picture(40, 50) for _ in range(3)], picture(40, 50, 3)
    stack, rgb = tmp_path / "stack.tif", tmp_path / "rgb.png"
    first, *others = [pil.fromarray(page) for page in pages]
    first.save(stack, save_all=True, append_images=others)
    cuesta.imwrite(rgb, colors)
    for file, parts, planes in (
        (stack, [{"page": number} for number in (1, 2, 3)], pages),
        (rgb, [{"band": number} for number in (1, 2, 3)], list(np.moveaxis(colors, 2, 0))),
    ):
        for part, plane in zip(parts, planes):
            expected = outcome(call, np.ascontiguousarray(plane))
            assert not is_error(expected)
            assert outcome(lambda image: call(image, **part), file) == expected  # noqa: B023
    with pytest.raises(cuesta.InputError, match="3 pages; choose one with page=N"):
        call(stack)
    with pytest.raises(cuesta.InputError, match="page 4 does not exist; the file has 3"):
        call(stack, page=4)
    with pytest.raises(cuesta.InputError, match="band 4 does not exist; the picture has 3"):
        call(rgb, band=4)
    for part in ({"page": 1}, {"band": 1}):
        with pytest.raises(cuesta.InvalidArgument, match="is an array; .* is for picture files"):
            call(pages[0], **part)
        with pytest.raises(TypeError, match="it must be a whole number"):
            call(stack, **{name: "x" for name in part})


@pytest.mark.parametrize("name", ["canny", "gaussian", "sobel", "to_gray"])
def test_pictures_of_pil_are_as_their_files(name: str, file: pathlib.Path) -> None:
    try:
        opened = pil.open(file)
    except OSError:
        pytest.skip("PIL does not read this file")
    if np.asarray(opened).dtype != cuesta.imread(file).dtype and opened.mode != "P":
        pytest.skip("PIL reads this file with other samples")
    call = {**ALL, **ONE}[name]
    assert outcome(call, opened) == outcome(call, file)


def test_masks_are_gray_levels(file: pathlib.Path) -> None:
    if cuesta.imread(file).dtype != np.uint8:
        pytest.skip("a mask has 8 bits")
    image = picture(40, 50)
    mask = cuesta.imread(file, gray=True)
    np.testing.assert_array_equal(cuesta.canny(image, mask=file), cuesta.canny(image, mask=mask))
    assert outcome(lambda one: cuesta.trace(image, edges=one), file) == outcome(
        lambda one: cuesta.trace(image, edges=one), mask
    )


def test_every_function_of_pictures_is_here() -> None:
    known = {name.split(",")[0] for name in (*ONE, *ALL)} | NO_PICTURES
    for name in cuesta.__all__:
        value = getattr(cuesta, name)
        if inspect.isfunction(value) and (parameters := list(inspect.signature(value).parameters)):
            if parameters[0] in ("image", "mask", "a", "gx", "array", "frame", "bins"):
                assert name in known, f"{name} takes pictures, and is not tested here"

"""Lazy arrays of dask: results stay lazy and equal those of the whole array."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import cuesta
import numpy as np
import pytest

da = pytest.importorskip("dask.array")

Operation = Callable[[Any], Any]


def picture(
    height: int = 90, width: int = 130, channels: int = 0, dtype: str = "uint8", seed: int = 1
) -> Any:
    """Blocks and noise, so that windows across the seams of chunks matter."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:height, :width]
    base = 90 + 80 * ((x // 13 + y // 9) % 2)
    shape = (height, width, channels) if channels else (height, width)
    noise = rng.integers(-30, 31, shape)
    values = (base[..., None] if channels else base) + noise
    if dtype == "uint16":
        return (values * 257).astype(np.uint16)
    return (values / 255).astype(np.float32) if dtype == "float32" else values.astype(np.uint8)


def unit(image: Any) -> float:
    """Levels of an image of this type for one of 255."""
    return {"uint8": 1.0, "uint16": 257.0}.get(str(image.dtype), 1 / 255)


#: Name, operation, and the sample types and channels that it takes.
LOCAL: list[tuple[str, Operation, str]] = [
    ("gaussian", lambda a: cuesta.gaussian(a, 2.5), "any"),
    ("gaussian ksize", lambda a: cuesta.gaussian(a, 1.4, ksize=11, border="replicate"), "any"),
    ("gaussian wrap", lambda a: cuesta.gaussian(a, 3, border="wrap"), "any"),
    ("gaussian ignore", lambda a: cuesta.gaussian(a, 2, border="ignore"), "any"),
    ("box", lambda a: cuesta.box(a, n=9, border="constant", border_value=40), "any"),
    ("box default", cuesta.box, "any"),
    ("sharpen", lambda a: cuesta.sharpen(a, n=5), "any"),
    ("laplacian", lambda a: cuesta.laplacian(a, dtype="float32"), "any"),
    ("median", lambda a: cuesta.median(a, 5), "any"),
    ("median default", cuesta.median, "any"),
    ("correlate", lambda a: cuesta.correlate(a, np.arange(35).reshape(5, 7) - 17), "any"),
    ("convolve", lambda a: cuesta.convolve(a, "1 2 1; 2 4 2; 1 2 1 / 16"), "any"),
    ("erode", lambda a: cuesta.erode(a, "ellipse:7"), "integer"),
    ("close", lambda a: cuesta.close(a, "disk:9"), "integer"),
    ("open", lambda a: cuesta.open(a, np.ones((3, 8))), "integer"),
    ("log", lambda a: cuesta.log_edges(a, 2), "integer"),
    ("log sigma", lambda a: cuesta.log_edges(a, 1, sigma=4, mode="zero-crossings"), "integer"),
    ("log response", lambda a: cuesta.log_edges(a, response=True, ksize=9), "integer"),
    ("sobel", cuesta.sobel, "one"),
    ("sobel gx", lambda a: cuesta.sobel(a, outputs="gx", aperture=7), "one"),
    ("threshold", lambda a: cuesta.threshold(a, 100), "one"),
    ("canny strength", lambda a: cuesta.canny(a, strength=True, sigma=5), "any"),
    ("edges log", lambda a: cuesta.edges(a, "log"), "any"),
    ("edges log wide", lambda a: cuesta.edges(a, "log", mode="threshold", sigma=5), "any"),
    ("edges sobel", lambda a: cuesta.edges(a, "sobel"), "any"),
    ("edges sobel mask", lambda a: cuesta.edges(a, "sobel", threshold=90, sigma=2), "any"),
    ("edges strength", lambda a: cuesta.edges(a, strength=True, sigma=2, aperture=7), "any"),
]
#: Canny in bands of chunks.
JOINED: list[tuple[str, Operation]] = [
    ("canny", cuesta.canny),
    ("canny given", lambda a: cuesta.canny(a, 60, 200, sigma=1)),
    ("canny wide", lambda a: cuesta.canny(a, sigma=7)),
    ("canny rule", lambda a: cuesta.canny(a, threshold="percentile:80", norm="l2", aperture=5)),
    (
        "canny border",
        lambda a: cuesta.canny(a, 4 * unit(a), 9 * unit(a), sigma=5, border="replicate"),
    ),
    ("edges", cuesta.edges),
    ("edges wide", lambda a: cuesta.edges(a, sigma=6, threshold="median")),
    ("edges level", lambda a: cuesta.edges(a, threshold=90)),
    ("edges given", lambda a: cuesta.edges(a, low=20, high=90, sigma=1)),
    ("edges strength", lambda a: cuesta.edges(a, strength=True)),
]
WHOLE: list[tuple[str, Operation]] = [
    ("canny wrap", lambda a: cuesta.canny(a, 60, 200, sigma=1, border="wrap")),
    ("log wrap", lambda a: cuesta.log_edges(a, 1, mode="zero-crossings", border="wrap")),
    ("edges log wrap", lambda a: cuesta.edges(a, "log", border="wrap")),
    ("edges log of floats", lambda a: cuesta.edges(a.astype(np.float32), "log")),
    ("boundaries", cuesta.boundaries),
    ("regions", cuesta.regions),
]
CHUNKS = [(31, 40), (90, 17), (13, 130), (1, 1), (90, 130)]


def check(operation: Operation, image: Any, chunks: tuple[int, ...]) -> None:
    made = operation(da.from_array(image, chunks=chunks))
    wanted = operation(image)
    assert isinstance(made, da.Array)
    assert made.dtype == wanted.dtype
    assert made.shape == wanted.shape
    np.testing.assert_array_equal(made.compute(), wanted)


@pytest.mark.parametrize("chunks", CHUNKS[:3], ids=str)
@pytest.mark.parametrize(("name", "operation", "kind"), LOCAL, ids=[row[0] for row in LOCAL])
def test_local_operations(
    name: str, operation: Operation, kind: str, chunks: tuple[int, ...]
) -> None:
    check(operation, picture(), chunks)
    if kind != "integer":
        check(operation, picture(dtype="float32"), chunks)
    if kind != "one":
        check(operation, picture(dtype="uint16"), chunks)


def test_chunks_of_one_pixel_and_of_the_whole() -> None:
    for chunks in CHUNKS[3:]:
        check(lambda a: cuesta.gaussian(a, 1), picture(9, 12), tuple(min(c, 9) for c in chunks))


@pytest.mark.parametrize("channels", [3, 4])
def test_channels_stay_together(channels: int) -> None:
    image = picture(channels=channels)
    for chunks in ((31, 40, 1), (31, 40, channels)):
        check(lambda a: cuesta.gaussian(a, 2), image, chunks)
        check(lambda a: cuesta.median(a, 5), image, chunks)
        check(cuesta.to_gray, image, chunks)
        check(cuesta.canny, image, chunks)
        check(cuesta.edges, image, chunks)
        other = da.from_array(picture(channels=channels, seed=2), chunks=(50, 50, 2))
        made = cuesta.absdiff(da.from_array(image, chunks=chunks), other)
        np.testing.assert_array_equal(made.compute(), cuesta.absdiff(image, other.compute()))


@pytest.mark.parametrize("chunks", CHUNKS[:3], ids=str)
@pytest.mark.parametrize(("name", "operation"), JOINED, ids=[row[0] for row in JOINED])
def test_canny_is_joined_over_seams(
    name: str, operation: Operation, chunks: tuple[int, ...]
) -> None:
    for dtype in ("uint8", "uint16", "float32"):
        image = picture(270, 130, dtype=dtype)
        check(operation, image, chunks)
    wanted = operation(picture(270, 130))
    assert (wanted > 0).sum() > 100


def test_canny_goes_on_over_many_seams() -> None:
    """A weak snake whose head alone is strong: hysteresis runs through all bands."""
    image = np.zeros((300, 300), np.uint8)
    for turn in range(14):
        top = 10 + 20 * turn
        image[top : top + 8, 10:290] = 40
        side = slice(10, 18) if turn % 2 else slice(282, 290)
        image[top : top + 28, side] = 40
    image[10:18, 10:18] = 255
    operations: list[Operation] = [
        lambda a: cuesta.canny(a, 100, 600, sigma=0),
        lambda a: cuesta.edges(a, low=60, high=500, sigma=0),
    ]
    for made in operations:
        wanted = made(image)
        assert (wanted > 0).sum() > 5000
        lazy = made(da.from_array(image, chunks=(64, 70)))
        assert lazy.numblocks == (5, 5)
        np.testing.assert_array_equal(lazy.compute(), wanted)


@pytest.mark.parametrize("color", ["strongest", "structure", "gray"])
def test_colors_and_masks_in_bands(color: Any) -> None:
    image = picture(200, 90, channels=3)
    mask = np.zeros((200, 90), bool)
    mask[20:150, 10:70] = True
    for inside in (mask, da.from_array(mask, chunks=(33, 50))):
        for chunks in ((64, 40, 1), (200, 90, 3)):
            lazy = da.from_array(image, chunks=chunks)
            made = cuesta.edges(lazy, color=color, mask=inside)
            np.testing.assert_array_equal(
                made.compute(), cuesta.edges(image, color=color, mask=mask)
            )
            if color != "gray":
                made = cuesta.canny(lazy, color=color, mask=inside)
                wanted = cuesta.canny(image, color=color, mask=mask)
                np.testing.assert_array_equal(made.compute(), wanted)
    with pytest.raises(cuesta.InvalidArgument, match=r"mask has shape \(200,\) and image"):
        cuesta.canny(da.from_array(image, chunks=64), mask=mask[:, 0])
    with pytest.raises(cuesta.InvalidArgument, match="mask has dtype int64"):
        cuesta.canny(da.from_array(image, chunks=64), mask=mask.astype(np.int64))


def test_chunks_are_read_once() -> None:
    seen: list[tuple[int, ...]] = []

    def noted(block: Any) -> Any:
        seen.append(block.shape)
        return block

    image = picture(400, 130)
    source = da.from_array(image, chunks=(100, 130)).map_blocks(noted, dtype=np.uint8)
    operations: list[Operation] = [
        lambda a: cuesta.canny(a, 60, 200),
        cuesta.canny,
        cuesta.edges,
        lambda a: cuesta.edges(a, strength=True),
        cuesta.remove_small,
    ]
    for operation in operations:
        seen.clear()
        made = operation(source)
        assert not [shape for shape in seen if 0 not in shape and shape[0] > 8]
        np.testing.assert_array_equal(made.compute(scheduler="synchronous"), operation(image))
        assert sum(shape == (100, 130) for shape in seen) == 4


@pytest.mark.parametrize(("name", "operation"), WHOLE, ids=[row[0] for row in WHOLE])
def test_operations_on_whole_pictures(name: str, operation: Operation) -> None:
    check(operation, picture(), (31, 40))


def things(height: int = 200, width: int = 150, seed: int = 1) -> Any:
    """Specks, rings, a spiral of one pixel's width, and a frame at the border."""
    mask = np.random.default_rng(seed).random((height, width)) > 0.8
    y, x = np.mgrid[:height, :width]
    for cy, cx, radius in ((60, 50, 40), (130, 90, 50), (150, 30, 12)):
        distance = np.hypot(y - cy, x - cx)
        mask[distance < radius] = False
        mask[abs(distance - radius + 3) < 1.5] = True
    mask[0], mask[:, 0] = True, True
    return mask


@pytest.mark.parametrize("connectivity", [4, 8])
@pytest.mark.parametrize("chunks", [(31, 40), (200, 150), (64, 150), (7, 150)], ids=str)
def test_components_are_joined_over_seams(connectivity: Any, chunks: tuple[int, ...]) -> None:
    mask = things()
    wanted = cuesta.label(mask, connectivity=connectivity)
    made: Any = cuesta.label(da.from_array(mask, chunks=chunks), connectivity=connectivity)
    for name in ("labels", "boxes", "areas", "centroids"):
        lazy, known = getattr(made, name), getattr(wanted, name)
        assert isinstance(lazy, da.Array) and lazy.dtype == known.dtype
        np.testing.assert_array_equal(lazy.compute(), known)
    assert made.count.compute() == wanted.count > 100
    for dtype in (bool, np.uint8):
        image = mask.astype(dtype)
        for operation in (
            lambda a: cuesta.remove_small(a, 6, connectivity=connectivity),
            lambda a: cuesta.remove_small(a, connectivity=connectivity),
            lambda a: cuesta.fill_holes(a, connectivity=connectivity),
            lambda a: cuesta.fill_holes(a, 9, connectivity=connectivity),
        ):
            check(operation, image, chunks)
        changed = cuesta.fill_holes(cuesta.remove_small(image, 6))
        assert not np.array_equal(changed > 0, mask)


def test_a_batch_of_masks() -> None:
    stack = np.stack([things(seed=i) for i in range(3)])
    for chunks in ((1, 64, 50), (2, 200, 150)):
        check(lambda a: cuesta.remove_small(a, 6), stack, chunks)
        check(cuesta.fill_holes, stack, chunks)


def test_batches() -> None:
    stack = np.stack([picture(seed=i) for i in range(5)])
    for operation in (lambda a: cuesta.gaussian(a, 2), cuesta.canny, cuesta.edges, cuesta.sobel):
        check(operation, stack, (2, 31, 40))
        check(operation, stack, (2, 90, 130))
    mask = stack > 60
    made = cuesta.canny(da.from_array(stack, chunks=(2, 31, 40)), mask=mask)
    np.testing.assert_array_equal(made.compute(), cuesta.canny(stack, mask=mask))
    check(lambda a: cuesta.canny(a, [50] * 5, [90, 120, 200, 90, 100]), stack, (2, 31, 40))
    planes = np.moveaxis(picture(channels=3), 2, 0)
    check(lambda a: cuesta.gaussian(a, 2, layout="CHW"), planes, (1, 31, 40))
    check(lambda a: cuesta.canny(a, layout="CHW"), planes, (1, 31, 40))


def test_sobel_with_several_outputs() -> None:
    image = picture()
    lazy = cuesta.sobel(
        da.from_array(image, chunks=(31, 40)), outputs=("gx", "direction"), dtype="int32"
    )
    for made, wanted in zip(lazy, cuesta.sobel(image, outputs=("gx", "direction"), dtype="int32")):
        assert made.dtype == wanted.dtype
        np.testing.assert_array_equal(made.compute(), wanted)


def test_absdiff_follows_the_first_chunks() -> None:
    a, b = picture(seed=1), picture(seed=2)
    wanted = cuesta.absdiff(a, b)
    for first, second in (
        (da.from_array(a, chunks=(31, 40)), da.from_array(b, chunks=(50, 50))),
        (da.from_array(a, chunks=(31, 40)), b),
        (a, da.from_array(b, chunks=(50, 50))),
    ):
        made = cuesta.absdiff(first, second)
        assert isinstance(made, da.Array)
        np.testing.assert_array_equal(made.compute(), wanted)


def test_nothing_is_computed_before_it_is_asked_for() -> None:
    seen: list[tuple[int, ...]] = []

    def noted(block: Any) -> Any:
        seen.append(block.shape)
        return block

    image = da.from_array(picture(), chunks=(30, 130)).map_blocks(noted, dtype=np.uint8)
    seen.clear()
    result = cuesta.gaussian(image, 1.4)
    assert not [shape for shape in seen if 0 not in shape]
    assert np.array_equal(result[:20].compute(), cuesta.gaussian(picture(), 1.4)[:20])
    assert sum(shape == (30, 130) for shape in seen) < 3  # not the rows below


def test_refusals_come_at_once() -> None:
    lazy = da.from_array(picture(), chunks=(31, 40))
    with pytest.raises(cuesta.InvalidArgument, match="sigma"):
        cuesta.gaussian(lazy, -1)
    with pytest.raises(cuesta.InvalidArgument, match="out is given and image is a lazy dask array"):
        cuesta.gaussian(lazy, 1, out=np.empty((90, 130), np.uint8))
    with pytest.raises(cuesta.InvalidArgument, match="return_thresholds"):
        cuesta.canny(lazy, return_thresholds=True)
    with pytest.raises(cuesta.InvalidArgument, match="out is given and image is a lazy dask array"):
        cuesta.edges(lazy, out=np.empty((90, 130), np.uint8))
    with pytest.raises(cuesta.InvalidArgument, match="sigma"):
        cuesta.canny(lazy, sigma=-1)
    wide: Any = "wide"
    with pytest.raises(TypeError, match="sigma is 'wide'; it must be a number"):
        cuesta.canny(lazy, sigma=wide)
    with pytest.raises(cuesta.InvalidArgument, match="may be"):
        cuesta.gaussian(da.zeros((4, 4, 3), dtype=np.uint8), 1)
    with pytest.raises(TypeError, match="image is lazy, a Array of dask; pass its compute"):
        cuesta.histogram(lazy)
    with pytest.raises(cuesta.InvalidArgument, match="measure is given and image is a lazy"):
        cuesta.label(lazy, measure=True)
    with pytest.raises(cuesta.InvalidArgument, match="min_area"):
        cuesta.remove_small(lazy, -1)
    with pytest.raises(cuesta.InvalidArgument, match="connectivity"):
        cuesta.label(lazy, connectivity=5)


def test_a_store_of_chunks(tmp_path: Path) -> None:
    zarr = pytest.importorskip("zarr")
    image = picture(dtype="uint16")
    stored = zarr.create_array(
        str(tmp_path / "a.zarr"), shape=image.shape, chunks=(40, 50), dtype=image.dtype
    )
    stored[:] = image
    wanted = cuesta.gaussian(image, 2)
    np.testing.assert_array_equal(cuesta.gaussian(stored, 2), wanted)  # read whole
    np.testing.assert_array_equal(cuesta.gaussian(da.from_zarr(stored), 2).compute(), wanted)

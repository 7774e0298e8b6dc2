"""Kinds, layouts, strides, results and errors: what `cuesta._sources` promises for every operation."""

from __future__ import annotations

import pickle
from typing import Any, cast

import numpy as np
import pytest

import cuesta

rng = np.random.default_rng(7)


def picture(*shape: int, dtype: str = "uint8") -> np.ndarray[Any, Any]:
    return rng.integers(0, 256, shape).astype(dtype)


class Wrapped:
    """An array of some library that is neither numpy, torch nor cupy: DLPack and the array API are all it has."""

    def __init__(self, values: np.ndarray[Any, Any]) -> None:
        self.values = values
        self.shape = values.shape
        self.dtype = f"wrapped.{values.dtype}"

    def __dlpack__(self, **keywords: Any) -> Any:
        return self.values.__dlpack__(**keywords)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def __array_namespace__(self) -> Any:
        class Namespace:
            @staticmethod
            def from_dlpack(array: Any) -> Wrapped:
                return Wrapped(np.from_dlpack(array))

            @staticmethod
            def asarray(array: Any) -> Wrapped:
                return Wrapped(np.asarray(array))

        return Namespace


def test_a_batch_is_its_pictures() -> None:
    batch = picture(5, 33, 47)
    edges = cuesta.canny(batch, 50, 120)
    for image, found in zip(batch, edges):
        np.testing.assert_array_equal(found, cuesta.canny(image, 50, 120))


def test_each_picture_has_its_thresholds() -> None:
    batch = picture(4, 40, 40)
    low, high = [10, 200, 400, 50], [60, 300, 900, 51]
    edges, used = cuesta.canny(batch, low, high, sigma=0, return_thresholds=True)
    assert used == [(float(a), float(b)) for a, b in zip(low, high)]
    for i, image in enumerate(batch):
        np.testing.assert_array_equal(edges[i], cuesta.canny(image, low[i], high[i], sigma=0))
    assert len({found.tobytes() for found in edges}) == 4
    with pytest.raises(
        cuesta.InvalidArgument,
        match="3 pairs of thresholds; there must be one, or one for each of the 4",
    ):
        cuesta.canny(batch, low[:3], high[:3])
    with pytest.raises(cuesta.InvalidArgument, match="low has 4 thresholds and high 3"):
        cuesta.canny(batch, low, high[:3])


@pytest.mark.parametrize(
    ("layout", "axes"),
    [("CHW", (2, 0, 1)), ("HWC", (0, 1, 2))],
    ids=["channel-first", "channel-last"],
)
def test_channels_are_filtered_one_by_one(layout: str, axes: tuple[int, int, int]) -> None:
    color = picture(31, 45, 3)
    smooth = cuesta.gaussian(np.ascontiguousarray(color.transpose(axes)), 2.0, layout=layout)
    for c in range(3):
        plane = cuesta.gaussian(np.ascontiguousarray(color[:, :, c]), 2.0)
        np.testing.assert_array_equal(smooth.transpose(np.argsort(axes))[:, :, c], plane)


def test_four_dimensions() -> None:
    batch = picture(2, 3, 20, 30)
    smooth = cuesta.gaussian(batch, 1.0, layout="NCHW")
    np.testing.assert_array_equal(smooth[1, 2], cuesta.gaussian(batch[1, 2], 1.0))
    last = np.ascontiguousarray(batch.transpose(0, 2, 3, 1))
    np.testing.assert_array_equal(cuesta.gaussian(last, 1.0), smooth.transpose(0, 2, 3, 1))
    edges = cuesta.canny(batch, [1, 2, 3, 4, 5, 6], [10, 20, 30, 400, 500, 600], layout="NCHW")
    np.testing.assert_array_equal(edges[1, 0], cuesta.canny(batch[1, 0], 4, 400))


@pytest.mark.parametrize("shape", [(3, 20, 3), (2, 2, 4), (2, 3, 20, 4)])
def test_an_ambiguous_shape_must_be_named(shape: tuple[int, ...]) -> None:
    with pytest.raises(cuesta.InvalidArgument, match=r"image has shape .* name its layout"):
        cuesta.gaussian(picture(*shape), 1.0)


def test_one_dimension_is_no_picture() -> None:
    with pytest.raises(cuesta.InvalidArgument, match="image has 1 dimensions"):
        cuesta.canny(picture(9))


def test_layouts_have_their_number_of_dimensions() -> None:
    with pytest.raises(cuesta.InvalidArgument, match="image has 2 dimensions; layout NHW has 3"):
        cuesta.canny(picture(9, 9), layout="NHW")
    with pytest.raises(cuesta.InvalidArgument, match="layout is 'WH'; it must be one of HW, HWC"):
        cuesta.canny(picture(9, 9), layout="WH")


def test_boundaries_take_one_channel_or_three() -> None:
    image = np.kron(picture(4, 5, 3), np.ones((16, 16, 1), np.uint8))
    edges = cuesta.boundaries(image)
    assert edges.shape == (64, 80) and set(np.unique(edges)) == {0, 255}
    for strategy in ("serial", "rows", "simd"):
        np.testing.assert_array_equal(cuesta.boundaries(image, 9, strategy=strategy), edges)
    many = np.stack([image, image[::-1]])
    found = cuesta.boundaries(many, layout="NHWC", out=np.empty((2, 64, 80), np.uint8))
    np.testing.assert_array_equal(found[0], edges)
    np.testing.assert_array_equal(found[1], cuesta.boundaries(image[::-1]))
    words = image.astype(np.uint16) * 257
    np.testing.assert_array_equal(cuesta.boundaries(words), edges)
    gray = image[..., 1].copy()
    np.testing.assert_array_equal(cuesta.boundaries(np.dstack([gray] * 3)), cuesta.boundaries(gray))
    assert cuesta.boundaries(image, 30).sum() < edges.sum() < cuesta.boundaries(image, 3).sum()
    with pytest.raises(cuesta.InvalidArgument, match="boundaries: threshold is -1"):
        cuesta.boundaries(image, -1)


def test_canny_takes_three_channels() -> None:
    image = picture(20, 30, 3)
    for color in ("strongest", "structure"):
        edges = cuesta.canny(image, 40, 90, color=color)
        assert edges.shape == (20, 30)
        np.testing.assert_array_equal(
            edges, cuesta.canny(image, 40, 90, color=color, strategy="serial")
        )
    many = np.stack([image, image[::-1]])
    mask = np.ones((2, 20, 30), bool)
    found = cuesta.canny(
        many, 40, 90, layout="NHWC", mask=mask, out=np.empty((2, 20, 30), np.uint8)
    )
    np.testing.assert_array_equal(found[0], cuesta.canny(image, 40, 90))
    # Equal channels are one.
    gray = picture(20, 30)
    np.testing.assert_array_equal(
        cuesta.canny(np.dstack([gray] * 3), 40, 90), cuesta.canny(gray, 40, 90)
    )
    with pytest.raises(
        cuesta.InvalidArgument,
        match="image has 3 channels, and this takes one; cuesta.to_gray makes",
    ):
        cuesta.sobel(image)


def test_alpha_is_left_out() -> None:
    """By what takes one channel or three: of numpy arrays of any strides, and of a batch."""
    for image in (picture(20, 30, 4), picture(20, 30, 4)[::-1], picture(20, 34, 4)[:, 2:-2]):
        colors, gray = image[..., :3].copy(), image[..., :1][..., 0].copy()
        np.testing.assert_array_equal(cuesta.canny(image, 40, 90), cuesta.canny(colors, 40, 90))
        np.testing.assert_array_equal(
            cuesta.canny(image[..., :2], 40, 90), cuesta.canny(gray, 40, 90)
        )
        np.testing.assert_array_equal(cuesta.boundaries(image), cuesta.boundaries(colors))
        np.testing.assert_array_equal(cuesta.to_gray(image[..., :2]), gray)
        np.testing.assert_array_equal(cuesta.to_gray(image), cuesta.to_gray(colors))
        out = np.empty((20, 30), np.uint8)
        assert cuesta.canny(image, 40, 90, out=out, mask=gray > 9) is out
        np.testing.assert_array_equal(out, cuesta.canny(colors, 40, 90, mask=gray > 9))
    many = picture(3, 20, 30, 4)
    np.testing.assert_array_equal(
        cuesta.canny(many, 40, 90, layout="NHWC"),
        cuesta.canny(many[..., :3].copy(), 40, 90, layout="NHWC"),
    )
    planes = np.ascontiguousarray(np.moveaxis(picture(20, 30, 2), -1, 0))
    np.testing.assert_array_equal(cuesta.to_gray(planes, layout="CHW"), planes[0])


def test_batches_of_gradients() -> None:
    images = picture(6, 20, 30).reshape(2, 3, 20, 30)
    gx, gy = cuesta.sobel(images, outputs=("gx", "gy"), border="replicate", layout="NCHW")
    mask = picture(6, 20, 30).reshape(2, 3, 20, 30) > 40
    low, high = [1, 2, 3, 4, 5, 6], [10, 20, 30, 400, 500, 600]
    edges, used = cuesta.canny_of_gradients(
        gx, gy, low, high, mask=mask, layout="NCHW", return_thresholds=True
    )
    assert used == list(zip(low, high, strict=True))
    for i in range(6):
        at = divmod(i, 3)
        np.testing.assert_array_equal(
            edges[at], cuesta.canny(images[at], low[i], high[i], sigma=0, mask=mask[at])
        )
    np.testing.assert_array_equal(
        cuesta.canny_of_gradients(gx[0], gy[0]),
        [cuesta.canny(image, sigma=0) for image in images[0]],
    )
    with pytest.raises(cuesta.InvalidArgument, match="3 pairs of thresholds"):
        cuesta.canny_of_gradients(gx, gy, low[:3], high[:3], layout="NCHW")


def test_regions_and_pitched_rows_are_read_in_place() -> None:
    big = picture(80, 90)
    region = big[11:60, 7:66]
    np.testing.assert_array_equal(cuesta.canny(region, 40, 90), cuesta.canny(region.copy(), 40, 90))
    flipped = big[::-1]
    np.testing.assert_array_equal(
        cuesta.canny(flipped, 40, 90), cuesta.canny(flipped.copy(), 40, 90)
    )
    every_other_row = big[::2]
    np.testing.assert_array_equal(
        cuesta.canny(every_other_row, 40, 90), cuesta.canny(every_other_row.copy(), 40, 90)
    )


VIEWS = {
    "channel": lambda a: a[..., 1],
    "transposed": lambda a: a[..., 0].T,
    "turned": lambda a: np.rot90(a[..., 0]),
    "mirrored": lambda a: a[:, ::-1, 0],
    "every other": lambda a: a[::2, ::2, 2],
    "fortran": lambda a: np.asfortranarray(a[..., 0]),
    "broadcast": lambda a: np.broadcast_to(a[0, :, 0], (30, a.shape[1])),
    "windows": lambda a: np.lib.stride_tricks.sliding_window_view(a[0, :, 0].copy(), 40),
    "unaligned": lambda a: np.frombuffer(
        bytes(1) + a[..., :2].tobytes(), np.uint16, 57 * 71, 1
    ).reshape(57, 71),
    "field": lambda a: a.view([("r", "u1"), ("g", "u1"), ("b", "u1")])[..., 0]["g"],
    "straddling": lambda a: a.view([("r", "u1"), ("g", "<u2")])[..., 0]["g"],
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS.keys())
def test_pixels_may_lie_apart(view: Any) -> None:
    """Image, mask, second image and out: each view is the picture that a copy of it is."""
    image = view(picture(57, 71, 3))
    plain = np.array(image, order="C")
    assert not image.flags.c_contiguous or not image.flags.aligned
    edges = cuesta.canny(plain, 50, 120)
    np.testing.assert_array_equal(cuesta.canny(image, 50, 120), edges)
    mask = np.zeros((plain.shape[1], plain.shape[0]), bool).T
    mask[5:20, 5:20] = True
    np.testing.assert_array_equal(
        cuesta.canny(image, 50, 120, mask=mask), cuesta.canny(plain, 50, 120, mask=mask.copy())
    )
    np.testing.assert_array_equal(cuesta.absdiff(plain, image), np.zeros_like(plain))
    np.testing.assert_array_equal(
        cuesta.label((image > 128)[:, ::-1]).labels, cuesta.label(plain[:, ::-1] > 128).labels
    )
    out = np.full((*plain.shape, 3), 7, np.uint8)
    assert np.shares_memory(cuesta.canny(image, 50, 120, out=out[..., 1]), out)
    np.testing.assert_array_equal(out[..., 1], edges)
    assert (out[..., ::2] == 7).all()


def test_channels_may_lie_apart() -> None:
    color = picture(3, 31, 45)
    last = np.moveaxis(color, 0, -1)
    np.testing.assert_array_equal(cuesta.gaussian(last, 2.0), cuesta.gaussian(last.copy("C"), 2.0))
    np.testing.assert_array_equal(cuesta.to_gray(last), cuesta.to_gray(color, layout="CHW"))
    np.testing.assert_array_equal(cuesta.to_gray(last), cuesta.to_gray(last.copy("C")))
    interleaved = np.moveaxis(last.copy("C"), -1, 0)
    np.testing.assert_array_equal(cuesta.to_gray(interleaved, layout="CHW"), cuesta.to_gray(last))
    batch = picture(4, 20, 30).transpose(0, 2, 1)
    for image, edges in zip(batch, cuesta.canny(batch, 50, 120, layout="NHW")):
        np.testing.assert_array_equal(edges, cuesta.canny(image.copy(), 50, 120))


def test_views_are_read_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """No copy where the pixels of a row adjoin, however far apart rows, planes and pictures are."""
    big = picture(4, 80, 90)
    views: list[tuple[Any, str]] = [
        (big[0, 11:60, 7:66], "HW"),
        (big[0, ::-3], "HW"),
        (big[::-2, ::2, 5:], "NHW"),
        (big.transpose(1, 0, 2), "NHW"),
        (picture(40, 50, 4)[:, 3:-3], "HWC"),
    ]
    expected = [cuesta.box(view.copy("C"), layout=layout) for view, layout in views]

    def refuse(self: Any, array: Any) -> Any:
        raise AssertionError("copied")

    monkeypatch.setattr("cuesta._kinds._Numpy.pack", refuse)
    for (view, layout), answer in zip(views, expected):
        np.testing.assert_array_equal(cuesta.box(view, layout=layout), answer)
    with pytest.raises(AssertionError, match="copied"):
        cuesta.box(big[0, :, ::2])


class Bare:
    """A producer of DLPack and nothing else."""

    def __init__(self, values: np.ndarray[Any, Any]) -> None:
        self.values = values

    def __dlpack__(self, **keywords: Any) -> Any:
        return self.values.__dlpack__(**keywords)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


def test_bare_dlpack_producers() -> None:
    image = picture(30, 40)
    expected = cuesta.canny(image, 50, 120)
    for array in (image, image.T.copy().T, image[:, ::-1].copy()[:, ::-1]):
        edges = cuesta.canny(cast(Any, Bare(array)), 50, 120)
        assert type(edges) is np.ndarray
        np.testing.assert_array_equal(edges, expected)
    inside = np.zeros((30, 40), bool)
    inside[3:9, 3:9] = True
    masked = cuesta.canny(image, 50, 120, mask=cast(Any, Bare(inside)))
    np.testing.assert_array_equal(masked, cuesta.canny(image, 50, 120, mask=inside))


def test_device_arrays_say_what_their_producer_has() -> None:
    """Read by its own words; test_cuda.py has it on a device."""
    values = np.arange(60, dtype=np.uint16).reshape(5, 12)[:, 2:9]
    array = cuesta.DeviceArray(Bare(values), 7)
    assert (array.shape, array.strides, array.dtype, array.stream) == ((5, 7), (12, 1), "uint16", 7)
    np.testing.assert_array_equal(np.from_dlpack(array), values)
    assert array.__cuda_array_interface__ == {
        "shape": (5, 7), "typestr": "<u2", "data": (values.ctypes.data, False), "strides": (24, 2), "stream": 7, "version": 3,
    }  # fmt: skip
    assert (
        cuesta.DeviceArray(Bare(values > 9)).dtype == "bool"
        and cuesta.DeviceArray(Bare(values / 2)).dtype == "float64"
    )


@pytest.mark.skipif(
    cuesta._core.has_cuda, reason="a build with CUDA asks the GPU whose memory it is: test_cuda.py"
)
def test_a_cuda_array_interface_needs_cuda() -> None:
    class Interface:
        __cuda_array_interface__ = {
            "shape": (4, 5),
            "typestr": "|u1",
            "data": (4096, False),
            "version": 3,
        }

    with pytest.raises(cuesta.DeviceError, match="this build of Cuesta has no CUDA part"):
        cuesta.canny(cast(Any, Interface()), 1, 2)


def test_pictures_of_pil() -> None:
    image = pytest.importorskip("PIL.Image")
    color = picture(31, 45, 4)
    gray = cuesta.to_gray(color)
    for mode, values in {
        "L": color[..., 0].copy(),
        "RGB": color[..., :3].copy(),
        "RGBA": color,
        "I;16": picture(31, 45, dtype="uint16") * 251,
    }.items():
        made = image.fromarray(values)
        assert made.mode == mode
        np.testing.assert_array_equal(cuesta.gaussian(made, 1.0), cuesta.gaussian(values, 1.0))
        np.testing.assert_array_equal(cuesta.canny(made, 50, 120), cuesta.canny(values, 50, 120))
        np.testing.assert_array_equal(
            cuesta.sobel(made), cuesta.sobel(values if values.ndim == 2 else gray)
        )
    mask = color[..., 0] > 128
    np.testing.assert_array_equal(
        cuesta.label(image.fromarray(mask)).labels, cuesta.label(mask).labels
    )
    palette = image.fromarray(color[..., :3].copy()).quantize(7)
    assert palette.mode == "P"  # whose samples are numbers of colors
    np.testing.assert_array_equal(
        cuesta.to_gray(palette), cuesta.to_gray(np.asarray(palette.convert("RGB")))
    )
    printed = image.fromarray(color[..., :3].copy()).convert("CMYK")
    np.testing.assert_array_equal(
        cuesta.to_gray(printed), cuesta.to_gray(np.asarray(printed.convert("RGB")))
    )
    assert cuesta.gaussian(image.fromarray(color[:2, :3]), 1.0).shape == (
        2,
        3,
        4,
    )  # PIL's layout is known


def test_out_receives_the_result_and_nothing_else_changes() -> None:
    image = picture(30, 40)
    frame = np.full((50, 60), 7, np.uint8)
    out = frame[5:35, 9:49]
    assert cuesta.canny(image, 50, 100, out=out) is out
    np.testing.assert_array_equal(out, cuesta.canny(image, 50, 100))
    frame[5:35, 9:49] = 7
    assert (frame == 7).all()


def test_what_out_must_be() -> None:
    image = picture(30, 40)
    for out in (np.empty((30, 41), np.uint8), np.empty((30, 40), np.int16)):
        with pytest.raises(
            cuesta.InvalidArgument, match=r"out has shape .* it must have \(30, 40\) and uint8"
        ):
            cuesta.canny(image, out=out)
    locked = np.empty((30, 40), np.uint8)
    locked.flags.writeable = False
    with pytest.raises(cuesta.InvalidArgument, match="out is read-only"):
        cuesta.canny(image, out=locked)
    with pytest.raises(cuesta.InvalidArgument, match="overlap in memory"):
        cuesta.canny(image, out=image)
    strided = np.lib.stride_tricks.as_strided
    for strides in ((0, 1), (1, 1), (8, 1), (40, 0), (39, 1), (-39, 1)):
        rows = strided(np.zeros(9000, np.uint8)[4000:], (30, 40), strides)
        with pytest.raises(cuesta.InvalidArgument, match="out has samples that overlap"):
            cuesta.canny(image, out=rows)
    for apart in (np.zeros((40, 30), np.uint8).T, np.zeros((60, 80), np.uint8)[::-2, ::2]):
        np.testing.assert_array_equal(
            cuesta.canny(image, 50, 100, out=apart), cuesta.canny(image, 50, 100)
        )


def test_threads_have_the_limit_of_the_command() -> None:
    for threads in (4097, 2**31 - 1):
        with pytest.raises(cuesta.InvalidArgument, match="at most 4096"):
            cuesta.canny(picture(30, 40), threads=threads)


def test_inputs_may_be_read_only_and_stay_as_they_are() -> None:
    image = picture(30, 40)
    before = image.copy()
    image.flags.writeable = False
    cuesta.canny(image, 10, 20)
    cuesta.label(image > 100)
    np.testing.assert_array_equal(image, before)


def test_half_precision_is_computed_in_single() -> None:
    image = rng.random((30, 40)).astype(np.float16)
    smooth = cuesta.gaussian(image, 1.5)
    assert smooth.dtype == np.float16
    np.testing.assert_array_equal(
        smooth, cuesta.gaussian(image.astype(np.float32), 1.5).astype(np.float16)
    )


def test_truth_values_are_masks() -> None:
    mask = picture(30, 40) > 128
    opened = cuesta.open(mask, "cross:3")
    assert opened.dtype == np.bool_
    np.testing.assert_array_equal(opened, cuesta.open(mask.astype(np.uint8), "cross:3") != 0)
    inside = np.zeros((30, 40), bool)
    inside[10:20, 10:20] = True
    edges = cuesta.canny(picture(30, 40), 1, 2, mask=inside)
    assert edges[10:20, 10:20].any() and not edges[~inside].any()


@pytest.mark.parametrize(
    ("dtype", "text"),
    [
        ("float64", "float64"),
        ("int64", "int64"),
        (">f8", "float64"),
        ("complex64", "complex64"),
        ("O", "object"),
    ],
)
def test_types_that_no_operation_takes(dtype: str, text: str) -> None:
    with pytest.raises(
        cuesta.InvalidArgument, match=f"image is {text}, which no operation supports"
    ):
        cuesta.gaussian(np.zeros((5, 5), dtype), 1.0)


def test_types_that_an_operation_does_not_take() -> None:
    with pytest.raises(
        cuesta.InvalidArgument, match="canny: image is int16; it must be uint8, uint16, float32"
    ):
        cuesta.canny(np.zeros((5, 5), np.int16))


@pytest.mark.parametrize("dtype", ["u2", "i2", "f4"])
def test_swapped_bytes_are_the_same_numbers(dtype: str) -> None:
    images = [picture(30, 40).astype("<" + dtype), picture(30, 40).T.reshape(30, 40) // 2]
    images[1] = images[1].astype("<" + dtype)
    calls: dict[str, Any] = {
        "u2": cuesta.absdiff,
        "f4": cuesta.absdiff,
        "i2": lambda a, b: cuesta.canny_of_gradients(a, b, 40, 90),
    }
    made = calls[dtype](*(image.astype(">" + dtype) for image in images))
    assert made.dtype.isnative
    np.testing.assert_array_equal(made, calls[dtype](*images))


class Offers:
    """An object that offers one protocol of numpy's."""

    def __init__(self, image: np.ndarray[Any, Any], protocol: str) -> None:
        self._image = image
        if protocol == "__array_interface__":
            self.__array_interface__ = image.__array_interface__


class OffersArray(Offers):
    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray[Any, Any]:
        return self._image


def test_objects_that_offer_an_array() -> None:
    image = picture(30, 40)
    wanted = cuesta.canny(image, 40, 90)
    for thing in (
        OffersArray(image, "__array__"),
        Offers(image, "__array_interface__"),
        image.data,
    ):
        made = cuesta.canny(thing, 40, 90)
        assert isinstance(made, np.ndarray)
        np.testing.assert_array_equal(made, wanted)
        np.testing.assert_array_equal(
            cuesta.canny(image, 40, 90, mask=thing), cuesta.canny(image, 40, 90, mask=image)
        )


def test_objects_that_are_lazy_or_have_no_shape() -> None:
    image = picture(30, 40)
    lazy = OffersArray(image, "__array__")
    lazy.__dask_graph__ = dict  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match="image is lazy, a OffersArray of dask; pass its compute"):
        cuesta.canny(lazy)
    lazy.__dask_graph__ = lambda: None  # type: ignore[attr-defined]
    assert np.array_equal(cuesta.canny(lazy), cuesta.canny(image))
    with pytest.raises(TypeError, match="image is bytes without a shape"):
        cuesta.canny(b"1234")


@pytest.mark.parametrize("wrong", ["50", b"50", [50], None, "high"])
def test_limits_that_are_no_numbers(wrong: Any) -> None:
    image = picture(30, 40)
    calls: list[tuple[str, Any]] = [("limit", lambda: cuesta.threshold(image, wrong))]
    if wrong is not None:
        calls += [
            ("low", lambda: cuesta.edges(image, low=wrong, high=90)),
            ("high", lambda: cuesta.edges(image, low=40, high=wrong)),
        ]
    if isinstance(wrong, (str, bytes)):
        calls.append(("low", lambda: cuesta.canny(image, wrong, 90)))
    for name, call in calls:
        with pytest.raises(TypeError, match=f"^{name} is .*; it must be a number"):
            call()


@pytest.mark.parametrize("thing", [None, [[1, 2], [3, 4]], 3.0])
def test_what_is_no_array(thing: Any) -> None:
    with pytest.raises(TypeError, match=f"image is {type(thing).__name__}; it must be an array"):
        cuesta.canny(thing)


def test_empty_pictures() -> None:
    with pytest.raises(cuesta.InvalidArgument, match=r"image is empty: its shape is \(0, 5\)"):
        cuesta.canny(np.zeros((0, 5), np.uint8))


def test_any_dlpack_array() -> None:
    image = picture(30, 40)
    edges = cuesta.canny(Wrapped(image), 50, 100)
    assert isinstance(edges, Wrapped)
    np.testing.assert_array_equal(edges.values, cuesta.canny(image, 50, 100))
    found = cuesta.label(Wrapped((image > 128).astype(np.uint8)))
    assert isinstance(found.labels, Wrapped) and isinstance(found.boxes, Wrapped)


def test_kinds_do_not_mix() -> None:
    image = picture(30, 40)
    with pytest.raises(
        cuesta.InvalidArgument, match="mask is DLPack on the CPU and image is numpy on the CPU"
    ):
        cuesta.canny(image, 1, 2, mask=Wrapped(image))
    with pytest.raises(
        cuesta.InvalidArgument, match=r"mask has shape \(3, 3\) and image \(30, 40\)"
    ):
        cuesta.canny(image, 1, 2, mask=picture(3, 3))


def test_streams_are_for_gpus() -> None:
    with pytest.raises(
        cuesta.InvalidArgument, match="stream is 5; it is for arrays on a CUDA device"
    ):
        cuesta.canny(picture(5, 5), stream=5)


def test_a_pinned_strategy_runs_or_says_why_not() -> None:
    image = picture(30, 40)
    reference = cuesta.canny(image, 50, 100, strategy="serial")
    for name in ("rows", "simd"):
        np.testing.assert_array_equal(cuesta.canny(image, 50, 100, strategy=name), reference)
    with pytest.raises(
        cuesta.InvalidArgument,
        match="no strategy 'fastest' on the host; there are serial, rows, simd",
    ):
        cuesta.canny(image, strategy="fastest")
    with pytest.raises(cuesta.Unsupported, match="an offset beyond 131,072"):
        cuesta.laplacian(image, offset=200_000, strategy="simd")
    with pytest.raises(cuesta.InvalidArgument, match="block"):
        cuesta.canny(image, strategy="simd", parameters={"block": 16})


def test_borders_by_name() -> None:
    image = picture(12, 12)
    names: Any = ("replicate", "symmetric", "reflect101", "constant", "wrap", "ignore")
    assert len({cuesta.box(image, 5, border=name).tobytes() for name in names}) == len(names)
    with pytest.raises(cuesta.InvalidArgument, match="'reflect101' .* or 'symmetric'"):
        cuesta.box(image, border="reflect")  # type: ignore[arg-type]
    with pytest.raises(
        cuesta.InvalidArgument, match="border is 'mirror'; it must be replicate, symmetric"
    ):
        cuesta.box(image, border="mirror")  # type: ignore[arg-type]


def test_the_border_of_cannys_smoothing() -> None:
    image = picture(40, 40)
    for given, smoothing in (
        ({}, (1.4, 5)),
        ({"sigma": 1.4}, (1.4, None)),
        ({"ksize": 7}, (1.4, 7)),
    ):
        smooth = cuesta.gaussian(image, smoothing[0], ksize=smoothing[1], border="wrap")
        expected = cuesta.canny(smooth, 30, 60, sigma=0)
        np.testing.assert_array_equal(cuesta.canny(image, 30, 60, border="wrap", **given), expected)
        assert (expected != cuesta.canny(image, 30, 60, **given)).any()


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32])
@pytest.mark.parametrize("sigma", [2, 9])
def test_that_border_reaches_as_far_as_the_window(dtype: Any, sigma: float) -> None:
    image = picture(150, 170).astype(dtype)
    low = 20 if sigma == 2 else 2
    usual = cuesta.canny(image, low, low, sigma=sigma)
    reach = 3 * sigma + 4
    inside = (slice(reach, -reach), slice(reach, -reach))
    assert usual[inside].any()
    for border in ("replicate", "symmetric", "constant", "wrap", "ignore"):
        found = cuesta.canny(image, low, low, sigma=sigma, border=border)
        np.testing.assert_array_equal(found[inside], usual[inside])
        assert (found != usual).any()
        np.testing.assert_array_equal(
            cuesta.edges(image, low=low, high=low, sigma=sigma, border=border), found
        )


def test_a_sigma_is_a_gaussian_of_that_sigma() -> None:
    image = picture(60, 80).astype(np.float32)
    near = [cuesta.gaussian(image, sigma) for sigma in (1.39, 1.4, 1.41)]
    assert abs(near[0] - near[1]).max() < 1 and abs(near[1] - near[2]).max() < 1
    # Without one canny and log_edges smooth by the papers' window of 5.
    picture_of_bytes = image.astype(np.uint8)
    np.testing.assert_array_equal(
        cuesta.canny(picture_of_bytes), cuesta.canny(picture_of_bytes, sigma=1.4, ksize=5)
    )
    assert (cuesta.canny(picture_of_bytes) != cuesta.canny(picture_of_bytes, sigma=1.4)).any()
    papers = cuesta.log_edges(picture_of_bytes, response=True)
    smooth = cuesta.correlate(image, np.outer([2, 4, 5, 4, 2], [2, 4, 5, 4, 2]))
    laplacian = cuesta.correlate(smooth, "0 1 0; 1 -4 1; 0 1 0")
    inner = np.s_[4:-4, 4:-4]
    np.testing.assert_array_equal(papers[inner], laplacian[inner].astype(np.int32))
    given = cuesta.log_edges(picture_of_bytes, sigma=1.4, response=True)
    np.testing.assert_array_equal(
        given, cuesta.log_edges(picture_of_bytes, sigma=1.4, ksize=9, response=True)
    )


@pytest.mark.parametrize("rule", ["auto", "otsu", "median", "percentile:80", "noise"])
def test_automatic_thresholds(rule: str) -> None:
    image = cuesta.gaussian(picture(60, 60), 2.0)
    edges, used = cuesta.canny(image, threshold=rule, return_thresholds=True)
    ((low, high),) = used
    assert high > 0 and abs(low - high / 2) <= 0.5
    np.testing.assert_array_equal(edges, cuesta.canny(image, low, high))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda a: cuesta.canny(a, 5), "high is missing"),
        (lambda a: cuesta.canny(a, aperture=4), "aperture is 4; it must be 3, 5 or 7"),
        (lambda a: cuesta.canny(a, norm=cast(Any, "l3")), "norm is 'l3'; it must be l1 or l2"),
        (lambda a: cuesta.canny(a, threshold="best"), "threshold is 'best'; it must be auto, otsu"),
        (lambda a: cuesta.canny(a, sigma=-1), "sigma is -1"),
        (lambda a: cuesta.canny(a, threads=-1), "threads is -1"),
        (lambda a: cuesta.gaussian(a), "sigma and ksize are missing"),
        (lambda a: cuesta.gaussian(a, ksize=4), "ksize is 4; it must be odd"),
        (lambda a: cuesta.log_edges(a, mode=cast(Any, "zeros")), "mode is 'zeros'"),
        (
            lambda a: cuesta.sobel(a, outputs="angle"),
            "outputs is 'angle'; it must be one of gx, gy",
        ),
        (
            lambda a: cuesta.sobel(a, dtype="int8"),
            "dtype is 'int8'; for magnitude it must be float32, uint16, uint8",
        ),
        (
            lambda a: cuesta.sobel(a.astype(np.float32), outputs="gx", dtype="int16"),
            "dtype is 'int16'; for gx it must be float32",
        ),
        (lambda a: cuesta.correlate(a, [1, 2, 1]), r"stencil has shape \(3,\)"),
        (lambda a: cuesta.correlate(a, "1 x"), "x"),
        (lambda a: cuesta.erode(a, "star:3"), "star:3"),
        (lambda a: cuesta.erode(a, np.zeros((3, 3))), "empty|no cell|none"),
        (lambda a: cuesta.label(a, connectivity=6), "connectivity is 6; it must be 4 or 8"),
        (lambda a: cuesta.to_gray(a, "grb"), "order is 'grb'"),
        (lambda a: cuesta.otsu_threshold(a), "bins has shape"),
        (lambda a: cuesta.strategies("blur"), "operation is 'blur'; it must be one of pixel"),
        (lambda a: cuesta.verify(level="deep"), "level is 'deep'"),
        (lambda a: cuesta.verify(device="tpu"), "device is 'tpu'"),
        (
            lambda a: cuesta.verify("canny", strategy="x"),
            "strategy is 'x'; there are rows, serial, simd",
        ),
        (lambda a: cuesta.MotionDetector("average"), "average"),
        (lambda a: cuesta.MotionDetector(blur=4), "blur is 4; it must be odd"),
        (lambda a: cuesta.MotionDetector(threshold="otsu"), "threshold is 'otsu'"),
    ],
)
def test_errors_name_the_argument_and_the_value(call: Any, text: str) -> None:
    with pytest.raises(cuesta.InvalidArgument, match=text) as caught:
        call(picture(20, 20))
    assert caught.value.code == "invalid_argument"
    assert isinstance(caught.value, ValueError)


def test_errors_travel_between_processes() -> None:
    with pytest.raises(cuesta.Error) as caught:
        cuesta.canny(picture(20, 20), aperture=4)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), str(again), again.value) == (
        type(caught.value),
        str(caught.value),
        caught.value.value,
    )


def test_strategies_are_the_tables() -> None:
    rows = cuesta.strategies("canny", "cpu")
    assert [row.name for row in rows] == ["serial", "rows", "simd"]
    assert {row.operation for row in cuesta.strategies()} >= {
        "convolve",
        "sobel",
        "log",
        "label",
        "motion",
    }
    assert all(row.idea and row.exactness for row in cuesta.strategies())
    rungs = {row.name for row in cuesta.strategies("sobel", "cuda") if row.tier == "ladder"}
    assert rungs == {"global", "shared-no-apron", "shared-apron", "shared-1d"}  # without CUDA too
    assert all(row.built for row in rows)


def test_verify_passes_here() -> None:
    reports = cuesta.verify("sobel")
    assert [r.strategy for r in reports] == ["serial", "rows", "simd"]
    assert all(r.passed and r.equal > 100 for r in reports)


def test_a_moving_square_is_followed() -> None:
    detector = cuesta.MotionDetector("first", close="rect:3", open="rect:3")
    frame = np.full((90, 120), 40, np.uint8)
    assert detector.push(frame) == []
    for x in (10, 30, 50):
        moved = frame.copy()
        moved[30:60, x : x + 30] = 220
        (found,) = detector.push(moved)
        left, top, width, height = found.box
        assert (
            abs(left - x) <= 7
            and abs(top - 30) <= 7
            and abs(width - 30) <= 14
            and abs(height - 30) <= 14
        )
        assert detector.mask[45, x + 15] == 255 and detector.mask[5, 5] == 0
    with pytest.raises(cuesta.InputError, match="frame"):
        detector.push(frame[:50])
    detector.reset()
    assert detector.push(frame[:50]) == []


def test_what_is_known_of_a_frame() -> None:
    tones = np.random.default_rng(3).integers(60, 180, (30, 40), dtype=np.uint8)
    wall = np.kron(tones, np.ones((6, 6), np.uint8))

    def seen(x: int, y: int) -> Any:
        return wall[20 - y : 140 - y, 20 - x : 180 - x]

    detector = cuesta.MotionDetector(warm_up=3)
    assert detector.states == []
    states = []
    for k in range(12):
        frame = seen(4, -3) if k == 5 else seen(0, 0)
        detector.push(frame // 2 if k >= 8 else frame)
        (state,) = detector.states
        states.append(state)
    assert [k for k, state in enumerate(states) if state.changed] == [8]
    assert [k for k, state in enumerate(states) if state.warming_up] == [0, 1, 2, 8, 9, 10]
    assert {k: state.shift for k, state in enumerate(states) if state.shift != (0, 0)} == {
        5: (4, -3)
    }
    one, other = (cuesta.MotionDetector(warm_up=warm_up) for warm_up in (1, 9))
    for _ in range(2):
        cuesta.MotionDetector.push_cameras([one, other], [seen(0, 0), seen(0, 0)])
    assert (one.states, other.states) == (
        [cuesta.FrameState(False, False, (0, 0))],
        [cuesta.FrameState(True, False, (0, 0))],
    )


def test_a_sensitivity_chooses_defaults() -> None:
    ground = np.random.default_rng(5).integers(90, 110, (60, 80), dtype=np.uint8)

    def found(**options: Any) -> int:
        detector = cuesta.MotionDetector(warm_up=3, steady=0, relearn=0, **options)
        count = 0
        for k in range(10):
            frame = ground.copy()
            if k > 4:
                frame[20:40, 5 * k : 5 * k + 20] = 118
            count += len(detector.push(frame))
        return count

    assert found(sensitivity="low") == found(sensitivity="normal") == found() == 0
    assert found(sensitivity="high") == found(threshold=6, displacement=1) > 0
    assert found(sensitivity="high", threshold=20) == 0
    assert found(sensitivity="high", open="none") >= found(sensitivity="high")
    with pytest.raises(cuesta.InvalidArgument, match="low, normal or high"):
        cuesta.MotionDetector(sensitivity="medium")  # type: ignore[arg-type]


def test_cameras_are_refused_in_words() -> None:
    one, other = cuesta.MotionDetector(), cuesta.MotionDetector()
    frame = np.full((40, 50), 40, np.uint8)
    push = cuesta.MotionDetector.push_cameras
    for detectors, frames, words in (
        ([], [], "0 detectors and 0 frames"),
        ([one, other], [frame], "2 detectors and 1 frames"),
        ([one], [frame, frame], "1 detectors and 2 frames"),
        ([one, one], [frame, frame], "is listed twice"),
        ([one, other], [frame, frame.astype(np.int16)], "frame is int16; it must be uint8, uint16"),
    ):
        with pytest.raises(cuesta.InvalidArgument, match=words):
            push(detectors, frames)
    with pytest.raises(TypeError, match="frame 1 is float; it must be an array"):
        push([one, other], [frame, 3.0])
    assert push([one, other], [frame, frame[:30]]) == [[], []]
    with pytest.raises(cuesta.InputError, match="frame is 50 x 40 after frames of 50 x 30"):
        push([one, other], [frame, frame])
    assert other.mask.shape == (30, 50)


def test_color_frames_and_their_gray_agree() -> None:
    frames = [picture(60, 80, 3) for _ in range(3)]
    color, gray = (cuesta.MotionDetector("mean", warm_up=1, relearn=0) for _ in range(2))
    for frame in frames:
        assert color.push(frame) == gray.push(cuesta.to_gray(frame))


def test_backgrounds() -> None:
    frames = [picture(40, 50) for _ in range(4)]
    for model in ("first", "mean", "median", "mixture", "samples"):
        subtractor = cuesta.BackgroundSubtractor(model)
        for frame in frames:
            background, difference, mask = subtractor.push(frame, limit=30)
            np.testing.assert_array_equal(mask, np.where(difference > 30, 255, 0))
            assert background.shape == frame.shape
        assert subtractor.frames == 4


def test_backgrounds_of_uint16_are_in_parts_of_a_level() -> None:
    frames = [picture(40, 50) for _ in range(6)]
    for model in ("first", "median", "samples"):
        of_bytes, of_words = cuesta.BackgroundSubtractor(model), cuesta.BackgroundSubtractor(model)
        for frame in frames:
            background, difference, mask = of_bytes.push(frame, limit=30)
            deep = of_words.push(frame.astype(np.uint16) << 8, limit=30)
            assert [array.dtype for array in deep] == [np.uint16, np.uint16, np.uint8]
            np.testing.assert_array_equal(deep[0], background.astype(np.uint16) << 8)
            np.testing.assert_array_equal(deep[1], difference.astype(np.uint16) << 8)
            np.testing.assert_array_equal(deep[2], mask)
    with pytest.raises(cuesta.InputError, match="frame is uint8 after frames of uint16"):
        of_words.push(frames[0])

"""cuesta.compat.cv2 against OpenCV: equal bytes, shapes and types.

The contract is OpenCV 4.6; these tests run on whichever version is installed. What versions do
differently is in python/cuesta/compat/README.md and in the last tests here.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracle import content, masks, pictures, plain, same, variance_between

cv2 = pytest.importorskip("cv2", reason="OpenCV's Python package is not installed")

import cuesta
from cuesta.compat import cv2 as ours

VERSION = tuple(int(part) for part in cv2.__version__.split(".")[:2])
IS_4_6, IS_5 = VERSION == (4, 6), VERSION >= (5, 0)

BORDERS = {
    "constant": cv2.BORDER_CONSTANT,
    "replicate": cv2.BORDER_REPLICATE,
    "reflect": cv2.BORDER_REFLECT,
    "reflect101": cv2.BORDER_REFLECT_101,
}
border_types = st.sampled_from(sorted(BORDERS.values())).flatmap(
    lambda mode: st.sampled_from([mode, mode | cv2.BORDER_ISOLATED])
)


@pytest.fixture(scope="module", autouse=True)
def alone() -> Iterator[None]:
    """What Cuesta answers by itself; test_compat_original.py has what goes to cv2."""
    ours.original.alone = True
    yield
    ours.original.alone = False


def test_the_libraries_they_stand_in_for_are_not_imported() -> None:
    code = (
        "import sys, cuesta.compat.cv2, cuesta.compat.skimage;"
        "found = {'cv2', 'skimage', 'scipy'} & set(sys.modules); assert not found, found"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_constants_have_cv2s_values() -> None:
    names = [
        name
        for name in vars(ours)
        if name.startswith(("BORDER_", "MORPH_", "CC_STAT_", "COLOR_", "CV_", "FILTER_", "THRESH_"))
    ]
    assert len(names) > 36
    for name in names:
        assert getattr(ours, name) == getattr(cv2, name), name


# --------------------------------------------------------------------------------------- edges


@given(
    pictures(channels=(0, 1)),
    st.floats(-0.1, 1),
    st.floats(-0.1, 1),
)
def test_canny(image: Any, low: float, high: float) -> None:
    for aperture, top in ((3, 2040), (5, 24480), (7, 326400)):
        for l2 in (False, True):
            options: dict[str, Any] = {"apertureSize": aperture, "L2gradient": l2}
            same(
                ours.Canny(image, low * top, high * top, **options),
                cv2.Canny(plain(image), low * top, high * top, **options),
            )


def test_canny_takes_positions_and_writes_edges() -> None:
    image = content(np.random.default_rng(1), (40, 50), "waves", np.uint8)
    edges = np.full((40, 50), 7, np.uint8)
    assert ours.Canny(image, 20, 60, edges, 5, True) is edges
    same(edges, cv2.Canny(plain(image), 20, 60, None, 5, True))


@pytest.mark.parametrize("aperture", [3, 5, 7])
@pytest.mark.parametrize("l2", [False, True])
def test_canny_of_three_channels(aperture: int, l2: bool) -> None:
    image = np.random.default_rng(7).integers(0, 256, (67, 93, 3), np.uint8)
    image[20:50, 30:70] = (250, 20, 20)
    top = {3: 1, 5: 12, 7: 60}[aperture]
    for picture in (image, image[::-1, 5:60]):
        same(
            ours.Canny(picture, 200 * top, 500 * top, None, aperture, l2),
            cv2.Canny(plain(picture), 200 * top, 500 * top, None, aperture, l2),
        )


@pytest.mark.parametrize("l2", [False, True])
@pytest.mark.parametrize("channels", [1, 3])
def test_canny_of_gradients(channels: int, l2: bool) -> None:
    shape = (61, 97) if channels == 1 else (61, 97, channels)
    random = np.random.default_rng(5)
    dx, dy = (random.integers(-27145, 27146, shape, np.int16) for _ in range(2))
    expected = cv2.Canny(dx, dy, 9000, 30000, L2gradient=l2)
    same(ours.Canny(dx, dy, 9000, 30000, L2gradient=l2), expected)
    same(ours.Canny(dx=dx, dy=dy, threshold1=30000, threshold2=9000, L2gradient=l2), expected)
    edges = np.empty((61, 97), np.uint8)
    assert ours.Canny(dx, dy, 9000, 30000, edges, l2) is edges
    same(edges, expected)
    assert 0 < np.count_nonzero(expected) < expected.size


def test_canny_says_what_it_does_not_take() -> None:
    image = np.zeros((8, 9), np.uint8)
    gradient = np.zeros((8, 9), np.int16)
    with pytest.raises(cuesta.Unsupported, match="uint8"):
        ours.Canny(image, gradient, 1, 2)
    with pytest.raises(cuesta.InvalidArgument, match=r"dx has shape \(8, 9\) and dy \(7, 9\)"):
        ours.Canny(gradient, gradient[1:], 1, 2)
    with pytest.raises(cuesta.Unsupported, match="to_gray"):
        ours.Canny(np.zeros((8, 9, 4), np.uint8), 1, 2)
    with pytest.raises(cuesta.Unsupported, match="uint16"):
        ours.Canny(image.astype(np.uint16), 1, 2)
    with pytest.raises(cuesta.InvalidArgument, match="apertureSize is 4"):
        ours.Canny(image, 1, 2, apertureSize=4)
    with pytest.raises(TypeError, match="image is list"):
        ours.Canny([[1]], 1, 2)  # type: ignore[call-overload]


# ------------------------------------------------------------------------------------- filters

sides = st.integers(0, 15).map(lambda n: 2 * n + 1)


@given(
    pictures((np.uint8, np.uint16), (0, 1, 2, 3, 4)),
    sides,
    st.one_of(st.none(), sides),
    st.one_of(st.just(0.0), st.floats(0.1, 12)),
    st.one_of(st.just(0.0), st.floats(0.1, 12)),
    st.one_of(border_types, st.just(cv2.BORDER_WRAP)),
)
def test_gaussian_blur(
    image: Any, width: int, height: int | None, sigma_x: float, sigma_y: float, border: int
) -> None:
    size = (width, height or width)
    same(
        ours.GaussianBlur(image, size, sigma_x, None, sigma_y, border),
        cv2.GaussianBlur(plain(image), size, sigma_x, None, sigma_y, border),
    )


@given(
    pictures((np.uint8, np.uint16, np.float32)),
    st.floats(0.1, 8),
    st.one_of(st.just(0.0), st.floats(0.1, 8)),
)
def test_gaussian_blur_finds_its_window(image: Any, sigma_x: float, sigma_y: float) -> None:
    mine = ours.GaussianBlur(image, (0, 0), sigma_x, sigmaY=sigma_y)
    theirs = cv2.GaussianBlur(plain(image), (0, 0), sigma_x, sigmaY=sigma_y)
    if image.dtype == np.float32:
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=140 * 2.0**-24)
    else:
        same(mine, theirs)


@given(
    pictures((np.float32,), (0, 3)),
    sides,
    sides,
    st.one_of(st.just(0.0), st.floats(0.1, 12)),
    border_types,
)
def test_gaussian_blur_of_floats(
    image: Any, width: int, height: int, sigma: float, border: int
) -> None:
    mine = ours.GaussianBlur(image, (width, height), sigma, borderType=border)
    theirs = cv2.GaussianBlur(plain(image), (width, height), sigma, borderType=border)
    assert (mine.dtype, mine.shape) == (theirs.dtype, theirs.shape)
    # Samples are at most 1; either side may round each of its sums.
    bound = 2 * (width + height + 4) * 2.0**-24
    np.testing.assert_allclose(mine, theirs, rtol=0, atol=bound)


@given(pictures((np.uint8, np.uint16, np.float32), (0, 1, 2, 3, 4)), sides)
def test_median_blur(image: Any, ksize: int) -> None:
    if image.dtype != np.uint8 or (image.ndim == 3 and image.shape[2] == 2):
        ksize = min(ksize, 5)
    same(ours.medianBlur(image, ksize), cv2.medianBlur(plain(image), ksize))


def test_median_blur_says_what_it_does_not_take() -> None:
    image = content(np.random.default_rng(1), (40, 50), "waves", np.uint8)
    into = np.empty_like(image)
    assert ours.medianBlur(image, 5, into) is into
    same(into, cv2.medianBlur(plain(image), 5))
    pairs = np.zeros((40, 50, 2), np.uint8)
    for src, ksize, words in (
        (image, 4, "ksize is 4; it must be odd"),
        (image, -3, "ksize is -3; it must be odd"),
        (image.astype(np.uint16), 7, "ksize is 7; of uint16 it must be 1, 3 or 5"),
        (image.astype(np.float32), 7, "ksize is 7; of float32 it must be 1, 3 or 5"),
        (pairs, 7, "ksize is 7; of two channels it must be 1, 3 or 5"),
    ):
        with pytest.raises(cuesta.InvalidArgument, match=words):
            ours.medianBlur(src, ksize)
        with pytest.raises(cv2.error):
            cv2.medianBlur(plain(src), ksize)
    with pytest.raises(cuesta.Unsupported, match="ksize is 257; at most 255"):
        ours.medianBlur(image, 257)
    with pytest.raises(cuesta.Unsupported, match="src is int16"):
        ours.medianBlur(image.astype(np.int16), 3)


DEPTHS = [-1, cv2.CV_8U, cv2.CV_16U, cv2.CV_16S, cv2.CV_32F, cv2.CV_64F]
ORDERS = [
    (ksize, dx, dy)
    for ksize in (1, 3, 5, 7)
    for dx in range(ksize + 2)
    for dy in range(ksize + 2)
    if 0 < dx + dy and max(dx, dy) < max(ksize, 3)
] + [(-1, 1, 0), (-1, 0, 1)]
FIRST_ORDERS = [(ksize, *order) for ksize in (-1, 1, 3, 5, 7) for order in ((1, 0), (0, 1))]
# cv2 sums uint16 in float; these windows stay below 2^24.
ORDERS_OF_U16 = [order for order in ORDERS if order[0] < 5] + [(5, 1, 0), (5, 0, 1), (5, 1, 1)]

scales = st.integers(-6, 6).flatmap(
    lambda k: st.tuples(
        st.sampled_from([2.0**k, -(2.0**k)]), st.integers(-300, 300).map(lambda n: n * 2.0**k)
    )
)


@given(
    pictures((np.uint8,), (0, 1, 2, 3, 4)),
    st.one_of(st.sampled_from(FIRST_ORDERS), st.sampled_from(ORDERS)),
    scales,
    border_types,
)
def test_sobel(
    image: Any, order: tuple[int, int, int], scale: tuple[float, float], border: int
) -> None:
    ksize, dx, dy = order
    for ddepth in DEPTHS:
        for factors in ((1.0, 0.0), (1.0, 128.0), scale):
            mine = ours.Sobel(image, ddepth, dx, dy, None, ksize, *factors, border)
            theirs = cv2.Sobel(plain(image), ddepth, dx, dy, None, ksize, *factors, border)
            if ddepth == cv2.CV_16S:
                # cv2's vector code may saturate a sum before delta, and again after it.
                before = ours.Sobel(image, cv2.CV_64F, dx, dy, None, ksize, factors[0], 0, border)
                theirs = np.where(np.abs(before) > 32767, mine, theirs)
            same(mine, theirs)


@given(
    pictures((np.uint16,), (0, 3)),
    st.sampled_from(ORDERS_OF_U16),
    st.sampled_from([-1, cv2.CV_16S, cv2.CV_32F]),
    border_types,
)
def test_sobel_of_uint16(image: Any, order: tuple[int, int, int], ddepth: int, border: int) -> None:
    ksize, dx, dy = order
    same(
        ours.Sobel(image, ddepth, dx, dy, ksize=ksize, borderType=border),
        cv2.Sobel(plain(image), ddepth, dx, dy, ksize=ksize, borderType=border),
    )


@given(
    pictures((np.uint8, np.float32)),
    st.sampled_from(FIRST_ORDERS),
    st.floats(0.01, 3),
    st.floats(-5, 5),
)
def test_sobel_scaled_by_anything(
    image: Any, order: tuple[int, int, int], scale: float, delta: float
) -> None:
    ksize, dx, dy = order
    mine = ours.Sobel(image, cv2.CV_32F, dx, dy, ksize=ksize, scale=scale, delta=delta)
    theirs = cv2.Sobel(plain(image), cv2.CV_32F, dx, dy, ksize=ksize, scale=scale, delta=delta)
    # The taps' absolute sum is at most 10 x 64, so this bounds every partial sum.
    top = 640 * scale * float(image.max()) + abs(delta)
    np.testing.assert_allclose(mine, theirs, rtol=0, atol=16 * 2.0**-24 * top)


@given(
    pictures((np.uint8,), (0, 1, 2, 3, 4)),
    st.sampled_from([1, 3, 5, 7]),
    scales,
    border_types,
)
def test_laplacian(image: Any, ksize: int, scale: tuple[float, float], border: int) -> None:
    for ddepth in DEPTHS:
        for factors in ((1.0, 0.0), (1.0, 128.0), scale):
            same(
                ours.Laplacian(image, ddepth, None, ksize, *factors, border),
                cv2.Laplacian(plain(image), ddepth, None, ksize, *factors, border),
            )


def test_filters_say_what_they_do_not_take() -> None:
    image = np.zeros((8, 9), np.uint8)
    with pytest.raises(cuesta.Unsupported, match="borderType is 3"):
        ours.GaussianBlur(image.astype(np.float32), (3, 3), 0, borderType=cv2.BORDER_WRAP)
    with pytest.raises(cuesta.Unsupported, match="borderType is 3"):
        ours.Sobel(image, -1, 1, 0, borderType=cv2.BORDER_WRAP)
    with pytest.raises(cuesta.InvalidArgument, match=r"ksize is \(4, 3\)"):
        ours.GaussianBlur(image, (4, 3), 0)
    with pytest.raises(cuesta.Unsupported, match="257"):
        ours.GaussianBlur(image, (257, 3), 0)
    with pytest.raises(cuesta.Unsupported, match="int16"):
        ours.GaussianBlur(image.astype(np.int16), (3, 3), 0)
    with pytest.raises(cuesta.Unsupported, match="5 channels"):
        ours.GaussianBlur(np.zeros((8, 9, 5), np.uint8), (3, 3), 0)
    with pytest.raises(cuesta.InvalidArgument, match="dx, dy are 0, 0"):
        ours.Sobel(image, -1, 0, 0)
    with pytest.raises(cuesta.InvalidArgument, match="dx, dy are 3, 0"):
        ours.Sobel(image, -1, 3, 0)
    with pytest.raises(cuesta.Unsupported, match="ksize is 9"):
        ours.Sobel(image, -1, 1, 0, ksize=9)
    with pytest.raises(cuesta.Unsupported, match="ddepth is 4"):
        ours.Laplacian(image, cv2.CV_32S)
    with pytest.raises(cuesta.InvalidArgument, match="empty"):
        ours.Laplacian(np.zeros((0, 9), np.uint8), cv2.CV_16S)


@given(pictures((np.uint8, np.uint16), (0, 1, 2, 3, 4)), st.data())
def test_filters_of_whole_numbers(image: Any, data: st.DataObject) -> None:
    width = data.draw(st.integers(1, 9))
    height = data.draw(st.integers(1, 49 // width))
    most = 200 if image.dtype == np.uint8 else 2
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    dtype = data.draw(st.sampled_from([np.int8, np.int32, np.float32, np.float64]))
    kernel = rng.integers(-most // 2, most // 2 + 1, (height, width)).astype(dtype)
    anchor = data.draw(st.integers(-1, width - 1)), data.draw(st.integers(-1, height - 1))
    delta = data.draw(st.integers(-300, 300))
    border = data.draw(border_types)
    # Sums beyond 16 bits that delta brings back: cv2 saturates them before or after it.
    for ddepth in (-1, cv2.CV_32F) if image.dtype == np.uint16 else (-1, cv2.CV_32F, cv2.CV_64F):
        arguments = (ddepth, kernel, None, anchor, delta, border)
        same(ours.filter2D(image, *arguments), cv2.filter2D(plain(image), *arguments))
    row, column = kernel[0], kernel[:, 0].copy()
    reach = np.abs(row.astype(np.float64)).sum() * np.abs(column.astype(np.float64)).sum()
    if reach * np.iinfo(image.dtype).max < 1 << 24:
        factors = (row, column, None, anchor, delta, border)
        same(
            ours.sepFilter2D(image, cv2.CV_32F, *factors),
            cv2.sepFilter2D(plain(image), cv2.CV_32F, *factors),
        )


@given(pictures((np.uint8,), (0, 1, 2, 3, 4)), sides, sides, border_types)
def test_blur(image: Any, width: int, height: int, border: int) -> None:
    if border == cv2.BORDER_CONSTANT | cv2.BORDER_ISOLATED:
        assume(1 not in image.shape[:2])
    expected = cv2.blur(plain(image), (width, height), None, (-1, -1), border)
    same(ours.blur(image, (width, height), None, (-1, -1), border), expected)
    same(ours.boxFilter(image, -1, (width, height), borderType=border), expected)


@given(pictures((np.uint8,), (0, 1, 3)), scales, border_types)
def test_scharr(image: Any, scale: tuple[float, float], border: int) -> None:
    for ddepth in DEPTHS:
        for order in ((1, 0), (0, 1)):
            for factors in ((1.0, 0.0), scale):
                mine = ours.Scharr(image, ddepth, *order, None, *factors, border)
                theirs = cv2.Scharr(plain(image), ddepth, *order, None, *factors, border)
                if ddepth == cv2.CV_16S:
                    before = ours.Scharr(image, cv2.CV_64F, *order, None, factors[0], 0, border)
                    theirs = np.where(np.abs(before) > 32767, mine, theirs)
                same(mine, theirs)


@given(pictures())
def test_spatial_gradient(image: Any) -> None:
    for border in (cv2.BORDER_DEFAULT, cv2.BORDER_REPLICATE):
        for mine, theirs in zip(
            ours.spatialGradient(image, borderType=border),
            cv2.spatialGradient(plain(image), borderType=border),
            strict=True,
        ):
            same(mine, theirs)


@given(pictures(channels=(3, 4)))
def test_gray_levels(image: Any) -> None:
    for code in (cv2.COLOR_BGR2GRAY, cv2.COLOR_RGB2GRAY, cv2.COLOR_BGRA2GRAY, cv2.COLOR_RGBA2GRAY):
        same(ours.cvtColor(image[..., :3], code), cv2.cvtColor(plain(image[..., :3]), code))
        same(ours.cvtColor(image, code), cv2.cvtColor(plain(image), code))


@given(pictures((np.uint8,), (0, 1, 2, 3, 4)), st.floats(-300, 300))
def test_threshold(image: Any, limit: float) -> None:
    kinds = [cv2.THRESH_BINARY]
    if image.ndim == 2 or image.shape[2] == 1:
        kinds.append(cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    for kind in kinds:
        mine, theirs = (m.threshold(a, limit, 255, kind) for m, a in ((ours, image), (cv2, plain(image))))
        if mine[0] != theirs[0] and kind != cv2.THRESH_BINARY:  # equal limits: OpenCV 5 rounds otherwise than 4
            assert variance_between(image, mine[0]) == pytest.approx(variance_between(image, theirs[0]), rel=1e-12)
            continue
        assert mine[0] == theirs[0]
        same(mine[1], theirs[1])


@given(pictures((np.uint8, np.uint16, np.float32), (0, 1, 2, 3, 4)))
def test_absdiff(image: Any) -> None:
    other = image[::-1, ::-1]
    same(ours.absdiff(image, other), cv2.absdiff(plain(image), plain(other)))


def test_added_functions_say_what_they_do_not_take() -> None:
    image = np.zeros((8, 9), np.uint8)
    calls: list[tuple[Any, str]] = [
        (lambda: ours.filter2D(image, -1, np.full((3, 3), 0.5)), "kernel holds fractions"),
        (lambda: ours.filter2D(image, -1, np.full((3, 3), 10000)), "the sums reach"),
        (lambda: ours.filter2D(image.astype(np.float32), -1, np.ones((3, 3))), "src is float32"),
        (lambda: ours.filter2D(image, -1, np.ones((3, 3)), anchor=(3, 0)), "anchor"),
        (lambda: ours.sepFilter2D(image, -1, np.ones(3), np.full(3, 0.1)), "kernelY holds fractions"),
        (lambda: ours.blur(image, (4, 3)), "ksize is"),
        (lambda: ours.blur(image, (3, 3), anchor=(0, 0)), "anchor is"),
        (lambda: ours.boxFilter(image, cv2.CV_32F, (3, 3)), "ddepth is 5"),
        (lambda: ours.spatialGradient(image, ksize=5), "ksize is 5"),
        (lambda: ours.cvtColor(image, cv2.COLOR_BGR2GRAY), r"src has shape \(8, 9\)"),
        (lambda: ours.cvtColor(image, cv2.COLOR_BGR2HSV), "code is 40"),
        (lambda: ours.threshold(image, 1, 200, 0), "maxval is 200"),
        (lambda: ours.threshold(image, 1, 255, 1), "type is 1"),
        (lambda: ours.absdiff(image, image[:4]), "they must be alike"),
    ]
    for call, words in calls:
        with pytest.raises((cuesta.Unsupported, cuesta.InvalidArgument), match=words):
            call()
    with pytest.raises(AttributeError, match="has no findContours of its own, and cv2, which may have it"):
        ours.findContours(image)


# --------------------------------------------------------------------------------- dst, by all


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(lambda m, a, dst: m.GaussianBlur(a, (5, 5), 1, dst=dst), id="GaussianBlur"),
        pytest.param(lambda m, a, dst: m.Sobel(a, -1, 1, 0, dst=dst), id="Sobel"),
        pytest.param(lambda m, a, dst: m.Laplacian(a, -1, dst=dst), id="Laplacian"),
        pytest.param(lambda m, a, dst: m.Scharr(a, -1, 0, 1, dst=dst), id="Scharr"),
        pytest.param(lambda m, a, dst: m.filter2D(a, -1, np.eye(3), dst=dst), id="filter2D"),
        pytest.param(lambda m, a, dst: m.sepFilter2D(a, -1, np.ones(3), np.ones(1), dst=dst), id="sepFilter2D"),
        pytest.param(lambda m, a, dst: m.blur(a, (5, 3), dst=dst), id="blur"),
        pytest.param(lambda m, a, dst: m.boxFilter(a, -1, (3, 3), dst=dst), id="boxFilter"),
        pytest.param(lambda m, a, dst: m.medianBlur(a, 3, dst=dst), id="medianBlur"),
        pytest.param(lambda m, a, dst: m.absdiff(a, a[::-1], dst=dst), id="absdiff"),
        pytest.param(lambda m, a, dst: m.threshold(a, 99, 255, 0, dst=dst)[1], id="threshold"),
        pytest.param(lambda m, a, dst: m.erode(a, None, dst=dst), id="erode"),
        pytest.param(lambda m, a, dst: m.dilate(a, None, dst=dst), id="dilate"),
        pytest.param(lambda m, a, dst: m.morphologyEx(a, 3, None, dst=dst), id="morphologyEx"),
    ],
)
def test_dst(call: Any) -> None:
    image = content(np.random.default_rng(3), (20, 30), "noise", np.uint8)
    expected = call(cv2, image, None)
    fits = np.zeros((20, 37), np.uint8)[:, :30]
    assert call(ours, image, fits) is fits
    same(fits, expected)
    for other in (np.zeros((3, 4), np.uint8), np.zeros((20, 30), np.float64)):
        before = other.copy()
        result = call(ours, image, other)
        assert result is not other
        same(result, expected)
        same(other, before)
    inplace = image.copy()
    assert call(ours, inplace, inplace) is inplace
    same(inplace, expected)
    fixed = np.zeros((20, 30), np.uint8)
    fixed.flags.writeable = False
    with pytest.raises(cuesta.InvalidArgument, match="dst is read-only"):
        call(ours, image, fixed)


# ---------------------------------------------------------------------------------- morphology


def test_structuring_elements() -> None:
    for shape in (cv2.MORPH_RECT, cv2.MORPH_CROSS, cv2.MORPH_ELLIPSE):
        for width in range(1, 34):
            for height in range(1, 34):
                same(
                    ours.getStructuringElement(shape, (width, height)),
                    cv2.getStructuringElement(shape, (width, height)),
                )
    same(
        ours.getStructuringElement(cv2.MORPH_CROSS, (5, 4), (0, 3)),
        cv2.getStructuringElement(cv2.MORPH_CROSS, (5, 4), (0, 3)),
    )
    with pytest.raises(cuesta.Unsupported, match="shape is 3"):
        ours.getStructuringElement(3, (5, 5))
    with pytest.raises(cuesta.InvalidArgument, match="anchor"):
        ours.getStructuringElement(cv2.MORPH_CROSS, (5, 4), (5, 0))


@st.composite
def elements(draw: st.DrawFn) -> tuple[Any, tuple[int, int]]:
    width, height = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    anchor = draw(
        st.one_of(
            st.just((-1, -1)), st.tuples(st.integers(-1, width - 1), st.integers(-1, height - 1))
        )
    )
    kind = draw(st.sampled_from([cv2.MORPH_RECT, cv2.MORPH_CROSS, cv2.MORPH_ELLIPSE, None]))
    if kind is not None:
        return cv2.getStructuringElement(kind, (width, height)), anchor
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return rng.integers(0, 3, (height, width), np.uint8), anchor


OPERATIONS = [
    cv2.MORPH_ERODE,
    cv2.MORPH_DILATE,
    cv2.MORPH_OPEN,
    cv2.MORPH_CLOSE,
    cv2.MORPH_GRADIENT,
    cv2.MORPH_TOPHAT,
    cv2.MORPH_BLACKHAT,
]


@given(
    pictures((np.uint8, np.uint16), (0, 1, 2, 3, 4)),
    elements(),
    st.integers(0, 3),
    border_types,
    st.one_of(
        st.floats(-10, 70000).map(lambda v: float(np.float32(v))),
        st.tuples(*[st.integers(0, 300)] * 4),
    ),
)
def test_morphology(
    image: Any, element: tuple[Any, tuple[int, int]], iterations: int, border: int, value: Any
) -> None:
    kernel, anchor = element
    places: dict[str, Any] = {"anchor": anchor, "iterations": iterations}
    for op in OPERATIONS:
        for outside in ({}, {"borderType": border}, {"borderType": border, "borderValue": value}):
            options = {**places, **outside}
            theirs = cv2.morphologyEx(plain(image), op, kernel, **options)
            same(ours.morphologyEx(image, op, kernel, **options), theirs)
            if op == cv2.MORPH_ERODE:
                same(ours.erode(image, kernel, **options), theirs)
            if op == cv2.MORPH_DILATE:
                same(ours.dilate(image, kernel, **options), theirs)


@pytest.mark.parametrize("op", OPERATIONS)
@pytest.mark.parametrize("border", sorted(BORDERS.values()))
def test_morphology_in_the_corners(op: int, border: int) -> None:
    # An element without cells, one whose iterations read the border, and one value for a color.
    image = content(np.random.default_rng(4), (23, 31, 3), "noise", np.uint8)
    for kernel in (np.zeros((3, 4), np.uint8), np.ones((2, 3), np.uint8)):
        for iterations in (1, 3):
            options: dict[str, Any] = {"iterations": iterations, "borderType": border}
            for value in (77, (10, 20, 30)):
                same(
                    ours.morphologyEx(image, op, kernel, borderValue=value, **options),
                    cv2.morphologyEx(image, op, kernel, borderValue=value, **options),
                )


@given(pictures(), st.sampled_from([*OPERATIONS, cv2.MORPH_HITMISS]), st.integers(0, 4))
def test_morphology_without_an_element(image: Any, op: int, iterations: int) -> None:
    same(
        ours.morphologyEx(image, op, None, iterations=iterations),
        cv2.morphologyEx(plain(image), op, None, iterations=iterations),
    )
    same(
        ours.erode(image, None, iterations=iterations),
        cv2.erode(plain(image), None, iterations=iterations),
    )


@given(
    pictures(),
    st.lists(st.lists(st.sampled_from([-1, 0, 1]), min_size=3, max_size=3), min_size=1, max_size=4),
    st.sampled_from([np.int8, np.int32, np.float32]),
)
def test_hit_or_miss(image: Any, rows: list[list[int]], dtype: Any) -> None:
    kernel = np.array(rows, dtype)
    same(
        ours.morphologyEx(image, cv2.MORPH_HITMISS, kernel),
        cv2.morphologyEx(plain(image), cv2.MORPH_HITMISS, kernel),
    )


def test_morphology_says_what_it_does_not_take() -> None:
    image = np.zeros((8, 9), np.uint8)
    with pytest.raises(cuesta.Unsupported, match="op is 8"):
        ours.morphologyEx(image, 8, None)
    with pytest.raises(cuesta.Unsupported, match="float32"):
        ours.erode(image.astype(np.float32), None)
    with pytest.raises(cuesta.InvalidArgument, match="anchor"):
        ours.erode(image, np.ones((3, 3), np.uint8), anchor=(3, 0))
    with pytest.raises(cuesta.InvalidArgument, match="kernel is int16"):
        ours.erode(image, np.eye(3, dtype=np.int16))
    with pytest.raises(cuesta.Unsupported, match="257"):
        ours.erode(image, np.ones((257, 1), np.uint8))
    with pytest.raises(cuesta.InvalidArgument, match="iterations is -1"):
        ours.erode(image, None, iterations=-1)


# ---------------------------------------------------------------------------------- components


def same_components(mine: Any, theirs: Any) -> None:
    assert isinstance(mine[0], int)
    assert mine[0] == theirs[0]
    for a, b in zip(mine[1:], theirs[1:], strict=True):
        same(a, b)


@given(
    masks(), st.sampled_from([4, 8]), st.sampled_from([cv2.CV_32S, cv2.CV_16U])
)
def test_components(mask: Any, connectivity: int, ltype: int) -> None:
    same_components(
        ours.connectedComponentsWithStats(mask, connectivity=connectivity, ltype=ltype),
        cv2.connectedComponentsWithStats(plain(mask), connectivity=connectivity, ltype=ltype),
    )
    same_components(
        ours.connectedComponents(mask, connectivity=connectivity, ltype=ltype),
        cv2.connectedComponents(plain(mask), connectivity=connectivity, ltype=ltype),
    )


@pytest.mark.parametrize("connectivity", [4, 8])
@pytest.mark.parametrize("shape", [(601, 799), (1080, 64), (64, 2001)])
def test_components_of_pictures_that_cv2_labels_by_strips(
    shape: tuple[int, int], connectivity: int
) -> None:
    rng = np.random.default_rng(11)
    for density in (0.1, 0.35, 0.5, 0.6):
        mask = (rng.random(shape) < density).astype(np.uint8)
        same_components(
            ours.connectedComponentsWithStats(mask, connectivity=connectivity),
            cv2.connectedComponentsWithStats(plain(mask), connectivity=connectivity),
        )


def test_components_into_given_arrays() -> None:
    mask = np.eye(6, dtype=np.uint8)
    labels = np.zeros((6, 6), np.int32)
    stats, centroids = np.zeros((2, 5), np.int32), np.zeros((2, 2))
    answer = ours.connectedComponentsWithStats(mask, labels, stats, centroids, 8, cv2.CV_32S)
    assert answer[1] is labels
    assert answer[2] is stats
    assert answer[3] is centroids
    same_components(answer, cv2.connectedComponentsWithStats(plain(mask)))
    signed = np.eye(5, dtype=np.int8) * -3
    same_components(
        ours.connectedComponentsWithStats(signed), cv2.connectedComponentsWithStats(signed)
    )


def test_components_say_what_they_do_not_take() -> None:
    mask = np.zeros((4, 4), np.uint8)
    with pytest.raises(cuesta.InvalidArgument, match="connectivity is 6"):
        ours.connectedComponents(mask, connectivity=6)
    with pytest.raises(cuesta.InvalidArgument, match="ltype is 0"):
        ours.connectedComponents(mask, ltype=cv2.CV_8U)
    with pytest.raises(cuesta.Unsupported, match="3 channels"):
        ours.connectedComponents(np.zeros((4, 4, 3), np.uint8))
    dots = np.zeros((600, 600), np.uint8)
    dots[::2, ::2] = 1
    with pytest.raises(cuesta.InvalidArgument, match="CV_16U"):
        ours.connectedComponents(dots, ltype=cv2.CV_16U)


# ---------------------------------------------------------------------- larger pictures, versions


@pytest.mark.parametrize("kind", ["noise", "waves", "extremes"])
@pytest.mark.parametrize("shape", [(517, 773), (270, 480, 3)])
def test_pictures_that_cv2_works_on_in_parallel(shape: tuple[int, ...], kind: str) -> None:
    image = content(np.random.default_rng(7), shape, kind, np.uint8)
    ellipse = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (15, 15))
    calls: list[Any] = [
        lambda m: m.GaussianBlur(image, (5, 5), 1.4),
        lambda m: m.GaussianBlur(image, (0, 0), 4, sigmaY=1),
        lambda m: m.GaussianBlur(image.astype(np.uint16) * 251, (9, 9), 0),
        lambda m: m.Sobel(image, cv2.CV_16S, 1, 0),
        lambda m: m.Sobel(image, cv2.CV_32F, 0, 1, ksize=7),
        lambda m: m.Sobel(image, -1, 1, 1, ksize=5, scale=0.25, delta=128),
        lambda m: m.Laplacian(image, cv2.CV_16S, ksize=5),
        lambda m: m.erode(image, ellipse),
        lambda m: m.morphologyEx(image, cv2.MORPH_CLOSE, ellipse, iterations=2),
        lambda m: m.morphologyEx(image, cv2.MORPH_TOPHAT, None),
    ]
    if image.ndim == 2:
        calls += [
            lambda m: m.Canny(image, 60, 150),
            lambda m: m.Canny(image, 600, 1500, apertureSize=5, L2gradient=True),
        ]
    for call in calls:
        same(call(ours), call(cv2))


@pytest.mark.skipif(not hasattr(cv2, "MORPH_DIAMOND"), reason="this OpenCV has no MORPH_DIAMOND")
def test_difference_diamonds() -> None:
    assert cv2.getStructuringElement(cv2.MORPH_DIAMOND, (3, 3)).sum() == 5
    with pytest.raises(cuesta.Unsupported, match="shape is 3"):
        ours.getStructuringElement(cv2.MORPH_DIAMOND, (3, 3))


@pytest.mark.skipif(not (IS_4_6 or IS_5), reason="checked on OpenCV 4.6 and 5")
def test_difference_one_dimension() -> None:
    row = np.arange(30, dtype=np.uint8)
    assert cv2.erode(row, None).shape == ((30, 1) if IS_4_6 else (1, 30))
    with pytest.raises(cuesta.Unsupported, match="1 dimensions"):
        ours.erode(row, None)


@pytest.mark.skipif(not (IS_4_6 or IS_5), reason="checked on OpenCV 4.6 and 5")
def test_difference_read_only_results() -> None:
    image, fixed = np.full((4, 5), 9, np.uint8), np.zeros((4, 5), np.uint8)
    fixed.flags.writeable = False
    if IS_4_6:
        assert cv2.erode(image, None, dst=fixed) is fixed
        assert fixed.all()
    else:
        with pytest.raises(cv2.error, match="readonly"):
            cv2.erode(image, None, dst=fixed)
    with pytest.raises(cuesta.InvalidArgument, match="dst is read-only"):
        ours.erode(image, None, dst=fixed)


@pytest.mark.skipif(not (IS_4_6 or IS_5), reason="checked on OpenCV 4.6 and 5")
def test_difference_bool() -> None:
    image = content(np.random.default_rng(1), (9, 9), "noise", np.uint8)
    full, diagonal = np.ones((3, 3), bool), np.eye(3, dtype=np.uint8)
    if IS_4_6:
        with pytest.raises(cv2.error):
            cv2.erode(image, full)
    else:  # an element without holes may be of any type
        same(ours.erode(image, full), cv2.erode(image, full))
    same(ours.erode(image, diagonal > 0), cv2.erode(image, diagonal))
    with pytest.raises(cv2.error):
        cv2.connectedComponents(image > 128)
    same_components(
        ours.connectedComponents(image > 128),
        cv2.connectedComponents((image > 128).astype(np.uint8)),
    )


@pytest.mark.skipif(not IS_5, reason="OpenCV 4.6 counts past its 16 bits here, and crashes later")
def test_difference_many_components_in_16_bits() -> None:
    # 275 rows that each join 275 dots above them: 75,625 numbers on the way to 275.
    mask = np.zeros((1100, 1100), np.uint8)
    mask[1::4, ::4] = mask[2::4] = 1
    with pytest.raises(cv2.error, match="overflow"):
        cv2.connectedComponents(mask, ltype=cv2.CV_16U)
    count, labels = ours.connectedComponents(mask, ltype=cv2.CV_16U)
    assert labels.dtype == np.uint16
    assert (count, int(labels.max())) == (276, 275)

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
from hypothesis import given
from hypothesis import strategies as st
from oracle import content, masks, pictures, plain, same

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
        if name.startswith(("BORDER_", "MORPH_", "CC_STAT_", "COLOR_", "CV_", "FILTER_"))
    ]
    assert len(names) > 30
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


# ------------------------------------------------------------------------------------- filters

sides = st.integers(0, 15).map(lambda n: 2 * n + 1)


@given(
    pictures(channels=(0, 1, 2, 3, 4)),
    st.one_of(st.just(0), sides),
    st.floats(0.1, 5),
    st.booleans(),
    st.one_of(border_types, st.just(cv2.BORDER_WRAP)),
)
def test_gaussian_blur(image: Any, side: int, sigma: float, from_size: bool, border: int) -> None:
    sigma = 0.0 if from_size and side else sigma
    same(
        ours.GaussianBlur(image, (side, side), sigma, None, 0, border),
        cv2.GaussianBlur(plain(image), (side, side), sigma, None, 0, border),
    )


def test_a_call_that_is_left_names_what_is_supported() -> None:
    """Without cv2 the error has the reason, what Cuesta supports, and what to install."""
    image, gradient = np.zeros((8, 9), np.uint8), np.zeros((8, 9), np.int16)
    third = np.full((3, 3), 1 / 3)
    calls: list[tuple[Any, str]] = [
        (lambda: ours.Canny(image, gradient, 1, 2), "gradients have types uint8 and int16"),
        (lambda: ours.Canny(gradient, gradient[1:], 1, 2), "gradients have shapes"),
        (
            lambda: ours.Canny(np.zeros((8, 9, 4), np.uint8), 1, 2),
            "has type uint8 and 4 channels",
        ),
        (lambda: ours.Canny(image.astype(np.uint16), 1, 2), "has type uint16 and 1 channels"),
        (lambda: ours.Canny(gradient, 1, 2), "the picture has type int16"),
        (lambda: ours.Canny(image, 1, 2, apertureSize=4), "apertureSize is 4"),
        (lambda: ours.Canny([[1]], 1, 2), "the picture is list, not a numpy array"),
        (lambda: ours.GaussianBlur(image, (5, 3), 0), r"ksize is \(5, 3\)"),
        (lambda: ours.GaussianBlur(image, (257, 257), 0), "ksize is"),
        (lambda: ours.GaussianBlur(image, (5, 5), 1, sigmaY=2), "sigmaX is 1.0 and sigmaY 2.0"),
        (lambda: ours.GaussianBlur(image.astype(np.uint16), (3, 3), 0), "uint16"),
        (lambda: ours.GaussianBlur(np.zeros((8, 9, 5), np.uint8), (3, 3), 0), "5 channels"),
        (lambda: ours.medianBlur(image, 4), "ksize is 4"),
        (lambda: ours.medianBlur(image.astype(np.uint16), 7), "ksize is 7"),
        (lambda: ours.medianBlur(np.zeros((8, 9, 2), np.uint8), 7), "ksize is 7"),
        (lambda: ours.Sobel(image, -1, 0, 0), "dx, dy are 0, 0"),
        (lambda: ours.Sobel(image, -1, 3, 0), "dx, dy are 3, 0"),
        (lambda: ours.Sobel(image, -1, 1, 0, ksize=9), "ksize is 9"),
        (
            lambda: ours.Sobel(image, -1, 1, 0, scale=0.3),
            "sums with scale 0.3 and delta 0 are rounded",
        ),
        (lambda: ours.Sobel(image, -1, 1, 0, borderType=cv2.BORDER_WRAP), "borderType is 3"),
        (lambda: ours.Laplacian(image, cv2.CV_32S), "ddepth is 4"),
        (lambda: ours.Laplacian(np.zeros((0, 9), np.uint8), cv2.CV_16S), "empty"),
        (lambda: ours.filter2D(image, -1, third), "the kernel holds fractions"),
        (lambda: ours.filter2D(image, -1, np.full((3, 3), 10000)), "the sums reach"),
        (lambda: ours.filter2D(image, -1, np.ones((3, 3)), anchor=(3, 0)), "anchor"),
        (lambda: ours.sepFilter2D(image, -1, np.ones(3), third[0]), "the kernel holds fractions"),
        (lambda: ours.cvtColor(image, cv2.COLOR_BGR2GRAY), "uint8 and 1 channels"),
        (lambda: ours.cvtColor(np.zeros((8, 9, 3), np.uint8), cv2.COLOR_BGR2HSV), "code is 40"),
        (lambda: ours.morphologyEx(image, cv2.MORPH_HITMISS, None), "op is 7"),
        (lambda: ours.erode(image.astype(np.float32), None), "float32"),
        (lambda: ours.erode(image, np.eye(3, dtype=np.int16)), "the element has type int16"),
        (lambda: ours.erode(image, np.ones((257, 1), np.uint8)), "257"),
        (lambda: ours.erode(image, None, iterations=-1), "iterations is -1"),
        (lambda: ours.connectedComponents(image), "connectivity is 8"),
        (lambda: ours.connectedComponents(image, connectivity=4, ltype=cv2.CV_8U), "ltype is 0"),
    ]
    for call, words in calls:
        with pytest.raises(
            cuesta.Unsupported, match=words + ".*; Cuesta supports .*pip install opencv-python"
        ):
            call()
    with pytest.raises(
        AttributeError, match="has no findContours; it has Canny, .* with cv2 .pip install"
    ):
        ours.findContours
    with pytest.raises(TypeError):
        ours.Canny(image, 1, 2, unknown=3)


@given(pictures((np.uint8, np.uint16, np.float32), (0, 1, 2, 3, 4)), sides)
def test_median_blur(image: Any, ksize: int) -> None:
    if image.dtype != np.uint8 or (image.ndim == 3 and image.shape[2] == 2):
        ksize = min(ksize, 5)
    same(ours.medianBlur(image, ksize), cv2.medianBlur(plain(image), ksize))


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


def may_saturate_twice(ddepth: int, delta: float) -> bool:
    """cv2's vector code may saturate a sum to 16 bits before delta, and again after it: such calls are cv2's."""
    return ddepth in (cv2.CV_16S, cv2.CV_16U) and delta != 0


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
            if not may_saturate_twice(ddepth, factors[1]):
                mine = ours.Sobel(image, ddepth, dx, dy, None, ksize, *factors, border)
                same(mine, cv2.Sobel(plain(image), ddepth, dx, dy, None, ksize, *factors, border))


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
    pictures((np.uint8,), (0, 1, 2, 3, 4)),
    st.sampled_from([1, 3, 5, 7]),
    scales,
    border_types,
)
def test_laplacian(image: Any, ksize: int, scale: tuple[float, float], border: int) -> None:
    for ddepth in DEPTHS:
        for factors in ((1.0, 0.0), (1.0, 128.0), scale):
            if not may_saturate_twice(ddepth, factors[1]):
                mine = ours.Laplacian(image, ddepth, None, ksize, *factors, border)
                same(mine, cv2.Laplacian(plain(image), ddepth, None, ksize, *factors, border))


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
    if reach * np.iinfo(image.dtype).max < 1 << 24 and (image.ndim == 2 or image.shape[2] == 1):
        factors = (row, column, None, anchor, delta, border)
        same(
            ours.sepFilter2D(image, cv2.CV_32F, *factors),
            cv2.sepFilter2D(plain(image), cv2.CV_32F, *factors),
        )


@given(pictures((np.uint8,), (0, 1, 3)), scales, border_types)
def test_scharr(image: Any, scale: tuple[float, float], border: int) -> None:
    for ddepth in DEPTHS:
        for order in ((1, 0), (0, 1)):
            for factors in ((1.0, 0.0), scale):
                if not may_saturate_twice(ddepth, factors[1]):
                    mine = ours.Scharr(image, ddepth, *order, None, *factors, border)
                    same(mine, cv2.Scharr(plain(image), ddepth, *order, None, *factors, border))


@given(pictures(channels=(3, 4)))
def test_gray_levels(image: Any) -> None:
    for code in (cv2.COLOR_BGR2GRAY, cv2.COLOR_RGB2GRAY, cv2.COLOR_BGRA2GRAY, cv2.COLOR_RGBA2GRAY):
        same(ours.cvtColor(image[..., :3], code), cv2.cvtColor(plain(image[..., :3]), code))
        same(ours.cvtColor(image, code), cv2.cvtColor(plain(image), code))


# --------------------------------------------------------------------------------- dst, by all


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(lambda m, a, dst: m.GaussianBlur(a, (5, 5), 1, dst=dst), id="GaussianBlur"),
        pytest.param(lambda m, a, dst: m.Sobel(a, -1, 1, 0, dst=dst), id="Sobel"),
        pytest.param(lambda m, a, dst: m.Laplacian(a, -1, dst=dst), id="Laplacian"),
        pytest.param(lambda m, a, dst: m.Scharr(a, -1, 0, 1, dst=dst), id="Scharr"),
        pytest.param(lambda m, a, dst: m.filter2D(a, -1, np.eye(3), dst=dst), id="filter2D"),
        pytest.param(
            lambda m, a, dst: m.sepFilter2D(a, -1, np.ones(3), np.ones(1), dst=dst),
            id="sepFilter2D",
        ),
        pytest.param(lambda m, a, dst: m.medianBlur(a, 3, dst=dst), id="medianBlur"),
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
    with pytest.raises(cuesta.Unsupported, match="the result is read-only"):
        call(ours, image, fixed)


# ---------------------------------------------------------------------------------- morphology


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


@given(pictures(), st.sampled_from(OPERATIONS), st.integers(0, 4))
def test_morphology_without_an_element(image: Any, op: int, iterations: int) -> None:
    same(
        ours.morphologyEx(image, op, None, iterations=iterations),
        cv2.morphologyEx(plain(image), op, None, iterations=iterations),
    )
    same(
        ours.erode(image, None, iterations=iterations),
        cv2.erode(plain(image), None, iterations=iterations),
    )


# ---------------------------------------------------------------------------------- components


def same_components(mine: Any, theirs: Any) -> None:
    assert isinstance(mine[0], int)
    assert mine[0] == theirs[0]
    for a, b in zip(mine[1:], theirs[1:], strict=True):
        same(a, b)


@given(masks(), st.sampled_from([cv2.CV_32S, cv2.CV_16U]))
def test_components(mask: Any, ltype: int) -> None:
    same_components(
        ours.connectedComponentsWithStats(mask, connectivity=4, ltype=ltype),
        cv2.connectedComponentsWithStats(plain(mask), connectivity=4, ltype=ltype),
    )
    same_components(
        ours.connectedComponents(mask, connectivity=4, ltype=ltype),
        cv2.connectedComponents(plain(mask), connectivity=4, ltype=ltype),
    )


@pytest.mark.parametrize("shape", [(601, 799), (1080, 64), (64, 2001)])
def test_components_of_pictures_that_cv2_labels_by_strips(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(11)
    for density in (0.1, 0.35, 0.5, 0.6):
        mask = (rng.random(shape) < density).astype(np.uint8)
        same_components(
            ours.connectedComponentsWithStats(mask, connectivity=4),
            cv2.connectedComponentsWithStats(plain(mask), connectivity=4),
        )


def test_components_into_given_arrays() -> None:
    mask = np.eye(6, dtype=np.uint8)
    labels = np.zeros((6, 6), np.int32)
    stats, centroids = np.zeros((7, 5), np.int32), np.zeros((7, 2))
    answer = ours.connectedComponentsWithStats(mask, labels, stats, centroids, 4, cv2.CV_32S)
    assert answer[1] is labels
    assert answer[2] is stats
    assert answer[3] is centroids
    same_components(answer, cv2.connectedComponentsWithStats(plain(mask), connectivity=4))
    signed = np.eye(5, dtype=np.int8) * -3
    same_components(
        ours.connectedComponentsWithStats(signed, connectivity=4),
        cv2.connectedComponentsWithStats(signed, connectivity=4),
    )


def test_components_beyond_16_bits_are_left() -> None:
    dots = np.zeros((600, 600), np.uint8)
    dots[::2, ::2] = 1
    with pytest.raises(cuesta.Unsupported, match="ltype is CV_16U and there are 90000 components"):
        ours.connectedComponents(dots, connectivity=4, ltype=cv2.CV_16U)


# ---------------------------------------------------------------------- larger pictures, versions


@pytest.mark.parametrize("kind", ["noise", "waves", "extremes"])
@pytest.mark.parametrize("shape", [(517, 773), (270, 480, 3)])
def test_pictures_that_cv2_works_on_in_parallel(shape: tuple[int, ...], kind: str) -> None:
    image = content(np.random.default_rng(7), shape, kind, np.uint8)
    ellipse = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (15, 15))
    calls: list[Any] = [
        lambda m: m.GaussianBlur(image, (5, 5), 1.4),
        lambda m: m.GaussianBlur(image, (0, 0), 4),
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
    with pytest.raises(cuesta.Unsupported, match="the result is read-only"):
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
        ours.connectedComponents(image > 128, connectivity=4),
        cv2.connectedComponents((image > 128).astype(np.uint8), connectivity=4),
    )


@pytest.mark.skipif(not IS_5, reason="OpenCV 4.6 counts past its 16 bits here, and crashes later")
def test_difference_many_components_in_16_bits() -> None:
    # 275 rows that each join 275 dots above them: 75,625 numbers on the way to 275.
    mask = np.zeros((1100, 1100), np.uint8)
    mask[1::4, ::4] = mask[2::4] = 1
    with pytest.raises(cv2.error, match="overflow"):
        cv2.connectedComponents(mask, ltype=cv2.CV_16U)
    count, labels = ours.connectedComponents(mask, connectivity=4, ltype=cv2.CV_16U)
    assert labels.dtype == np.uint16
    assert (count, int(labels.max())) == (276, 275)

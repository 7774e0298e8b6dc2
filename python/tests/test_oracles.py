"""The base calls against OpenCV, scipy, scikit-image and numpy.

Integer answers are compared value by value; float ones within the bound that the operation states.
Pictures are 1 x 1 to 70 x 70, in memory of every layout that a call takes, read-only ones included.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracle import content, masks, pictures, plain, same, variance_between

cv2 = pytest.importorskip("cv2", reason="OpenCV's Python package is not installed")
ndimage = pytest.importorskip("scipy.ndimage", reason="scipy is not installed")

import cuesta

# Ours: numpy.pad's, cv2's.
BORDERS = {
    "replicate": ("edge", cv2.BORDER_REPLICATE),
    "symmetric": ("symmetric", cv2.BORDER_REFLECT),
    "reflect101": ("reflect", cv2.BORDER_REFLECT_101),
    "constant": ("constant", cv2.BORDER_CONSTANT),
    "wrap": ("wrap", None),
}
CV_BORDERS = sorted(name for name, (_, number) in BORDERS.items() if number is not None)


def extended(image: Any, height: int, width: int, border: str, value: float = 0) -> Any:
    """The picture with what a height x width window reads around it, in its own type."""
    mode: Any = BORDERS[border][0]
    pads = [(height, height), (width, width)] + [(0, 0)] * (image.ndim - 2)
    options: Any = {"constant_values": value} if mode == "constant" else {}
    return np.pad(image, pads, mode, **options)


def sums(image: Any, taps: Any, border: str, value: float = 0, *, turned: bool = False) -> Any:
    """The exact sums of a stencil (whole numbers below 2^53, or float64)."""
    height, width = taps.shape
    number = np.int64 if taps.dtype.kind in "iu" and image.dtype.kind in "iu" else np.float64
    around = extended(image, height, width, border, value).astype(number)
    weights = taps.astype(number).reshape(taps.shape + (1,) * (image.ndim - 2))
    filtered = (ndimage.convolve if turned else ndimage.correlate)(around, weights)
    return filtered[height:-height, width:-width]


def divided(numerator: Any, divisor: int) -> Any:
    """Round half to even of the quotients, in whole numbers."""
    quotient, rest = np.divmod(numerator, divisor)
    up = (2 * rest > divisor) | ((2 * rest == divisor) & (quotient % 2 == 1))
    return quotient + up


def saturated(values: Any, dtype: Any) -> Any:
    limits = np.iinfo(dtype)
    return np.clip(values, limits.min, limits.max).astype(dtype)


# --------------------------------------------------------------------------------------- edges


@given(pictures(), st.floats(-0.1, 1), st.floats(-0.1, 1))
def test_canny_is_cv2s(image: Any, low: float, high: float) -> None:
    for aperture, top in ((3, 2040), (5, 24480), (7, 326400)):
        for norm in ("l1", "l2"):
            ours = cuesta.canny(image, low * top, high * top, sigma=0, aperture=aperture, norm=norm)
            theirs = cv2.Canny(
                plain(image), low * top, high * top, apertureSize=aperture, L2gradient=norm == "l2"
            )
            same(ours, theirs)


@given(pictures(), st.sampled_from(["l1", "l2"]), st.sampled_from([3, 5]))
def test_canny_of_floats_and_of_gradients_is_that_of_bytes(
    image: Any, norm: Any, aperture: int
) -> None:
    low, high = (60, 140) if aperture == 3 else (700, 1600)
    expected = cuesta.canny(image, low, high, sigma=0, norm=norm, aperture=aperture)
    same(
        cuesta.canny(image.astype(np.float32), low, high, sigma=0, norm=norm, aperture=aperture),
        expected,
    )
    gx, gy = cuesta.sobel(image, outputs=("gx", "gy"), aperture=aperture, border="replicate")
    for across, down in ((gx, gy), (gx.astype(np.float32), gy.astype(np.float32))):
        same(cuesta.canny_of_gradients(across, down, low, high, norm=norm), expected)
    edges, used = cuesta.canny_of_gradients(gx, gy, norm=norm, return_thresholds=True)
    again, same_used = cuesta.canny(
        image, sigma=0, norm=norm, aperture=aperture, return_thresholds=True
    )
    same(edges, again)
    assert used == same_used


# Wider Gaussians keep the fractions that cv2 rounds.
@given(
    pictures(),
    st.floats(0.3, 3),
    st.integers(1, 7).map(lambda n: 2 * n + 1),
    st.sampled_from(CV_BORDERS),
)
def test_canny_smooths_as_cv2(image: Any, sigma: float, ksize: int, border: Any) -> None:
    smooth = cv2.GaussianBlur(
        plain(image), (ksize, ksize), sigma, borderType=BORDERS[border][1]
    ).reshape(image.shape)
    same(
        cuesta.canny(image, 40, 90, sigma=sigma, ksize=ksize, border=border),
        cv2.Canny(smooth, 40, 90),
    )


@given(pictures(), st.floats(0, 300), st.sampled_from(["reflect101", "symmetric", "replicate"]))
def test_log_edges_are_one_stencil(image: Any, threshold: float, border: Any) -> None:
    g = np.array((2, 4, 5, 4, 2))
    laplacian = np.array(((0, 1, 0), (1, -4, 1), (0, 1, 0)))
    taps = ndimage.convolve(np.pad(np.outer(g, g), 1), laplacian, mode="constant")
    response = sums(image, taps, border)
    same(cuesta.log_edges(image, response=True, border=border), response.astype(np.int32))
    edges = np.where(np.abs(response) > math.floor(289 * threshold), 255, 0).astype(np.uint8)
    same(cuesta.log_edges(image, threshold, border=border), edges)


@given(pictures(), st.sampled_from([3, 5, 7]), st.sampled_from(CV_BORDERS))
def test_sobel_is_cv2s(image: Any, aperture: int, border: Any) -> None:
    gx, gy = cuesta.sobel(image, outputs=("gx", "gy"), aperture=aperture, border=border)
    number = BORDERS[border][1]
    for ours, order in ((gx, (1, 0)), (gy, (0, 1))):
        theirs = cv2.Sobel(plain(image), cv2.CV_16S, *order, ksize=aperture, borderType=number)
        same(ours, theirs.reshape(image.shape))


@given(
    pictures((np.uint8, np.uint16)),
    st.sampled_from([3, 5, 7]),
    st.sampled_from(sorted(BORDERS)),
    st.integers(0, 255),
)
def test_sobel_is_exact(image: Any, aperture: int, border: Any, value: int) -> None:
    smooth, edge = cv2.getDerivKernels(1, 0, aperture)[::-1]
    taps = np.outer(smooth, edge).astype(np.int64)
    gx, gy = sums(image, taps, border, value), sums(image, taps.T, border, value)
    options: dict[str, Any] = {"aperture": aperture, "border": border, "border_value": value}
    same(cuesta.sobel(image, outputs="gx", dtype="int32", **options), gx.astype(np.int32))
    same(cuesta.sobel(image, outputs="gy", dtype="int32", **options), gy.astype(np.int32))
    same(cuesta.sobel(image, outputs="gx", **options), saturated(gx, np.int16))
    lengths = {
        "l1": np.abs(gx) + np.abs(gy),
        "l2": np.array([math.isqrt(v) for v in (gx * gx + gy * gy).ravel().tolist()], np.int64),
    }
    norm: Any
    for norm, length in lengths.items():
        for dtype in (np.uint8, np.uint16):
            same(
                cuesta.sobel(image, norm=norm, dtype=np.dtype(dtype).name, **options),
                saturated(length.reshape(image.shape), dtype),
            )
    angles = cuesta.sobel(image, outputs="direction", dtype="float32", **options)
    # Within an ulp of the largest angle: what atan2f of C promises nowhere, and glibc keeps.
    np.testing.assert_allclose(angles, np.arctan2(gy, gx), rtol=0, atol=2.0**-21)


@given(pictures((np.uint8, np.uint16)), st.sampled_from([3, 5, 7]), st.sampled_from(CV_BORDERS))
def test_sobel_of_whole_floats_is_cv2s(image: Any, aperture: int, border: Any) -> None:
    floats = image.astype(np.float32)
    gx, gy, angles = cuesta.sobel(
        floats, outputs=("gx", "gy", "direction"), aperture=aperture, border=border
    )
    for ours, order in ((gx, (1, 0)), (gy, (0, 1))):
        theirs = cv2.Sobel(
            plain(floats), cv2.CV_32F, *order, ksize=aperture, borderType=BORDERS[border][1]
        )
        theirs = theirs.reshape(image.shape) + np.float32(0)  # theirs has zeros of both signs
        # Sums below 2^24 do not round.
        if image.dtype == np.uint8 or aperture < 7:
            same(ours, theirs)
        else:
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=64)
    np.testing.assert_allclose(angles, np.arctan2(gy, gx), rtol=0, atol=2.0**-21)
    l1, l2 = (
        cuesta.sobel(floats, norm=norm, aperture=aperture, border=border) for norm in ("l1", "l2")
    )
    same(l1, np.abs(gx) + np.abs(gy))
    np.testing.assert_allclose(l2, np.hypot(gx, gy), rtol=4e-7)


# ------------------------------------------------------------------------------------- filters


@given(
    pictures((np.uint8,), (0, 1, 2, 3, 4)),
    st.integers(0, 15).map(lambda n: 2 * n + 1),
    st.one_of(st.just(0.0), st.floats(0.1, 12)),
    st.sampled_from(CV_BORDERS),
)
def test_gaussian_is_cv2s(image: Any, ksize: int, sigma: float, border: Any) -> None:
    layout = "HW" if image.ndim == 2 else "HWC"
    theirs = cv2.GaussianBlur(plain(image), (ksize, ksize), sigma, borderType=BORDERS[border][1])
    same(
        cuesta.gaussian(image, sigma, ksize=ksize, border=border, layout=layout),
        theirs.reshape(image.shape),
    )


@given(pictures(), st.floats(0.3, 8))
def test_gaussian_finds_cv2s_window(image: Any, sigma: float) -> None:
    theirs = cv2.GaussianBlur(plain(image), (0, 0), sigma)
    same(cuesta.gaussian(image, sigma), theirs.reshape(image.shape))


@given(
    pictures((np.uint8, np.uint16, np.float32), (0, 1, 3, 4)),
    st.integers(0, 15).map(lambda n: 2 * n + 1),
)
def test_median_is_cv2s(image: Any, ksize: int) -> None:
    layout = "HW" if image.ndim == 2 else "HWC"
    ksize = ksize if image.dtype == np.uint8 else min(ksize, 5)
    theirs = cv2.medianBlur(plain(image), ksize)
    same(cuesta.median(image, ksize, layout=layout), theirs.reshape(image.shape))


@given(
    pictures((np.uint8, np.uint16)),
    st.integers(0, 6).map(lambda n: 2 * n + 1),
    st.sampled_from(sorted(BORDERS)),
    st.integers(0, 255),
)
def test_median_has_every_border(image: Any, ksize: int, border: Any, value: int) -> None:
    around = extended(image, ksize, ksize, border, value)
    wanted = ndimage.median_filter(around, ksize)[ksize:-ksize, ksize:-ksize]
    same(cuesta.median(image, ksize, border=border, border_value=value), wanted)


@st.composite
def whole_stencils(draw: st.DrawFn) -> Any:
    height, width = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    reach = draw(st.sampled_from([1, 3, 100, 5000]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if draw(st.booleans()):  # rank 1, which is filtered in two passes
        return np.outer(
            rng.integers(-reach, reach + 1, height), rng.integers(-reach, reach + 1, width)
        )
    return rng.integers(-reach, reach + 1, (height, width))


@given(
    pictures((np.uint8, np.uint16), (0, 1, 2, 3, 4)),
    whole_stencils(),
    st.one_of(st.just(1), st.sampled_from([2, 3, 16, 81, 1000]), st.integers(1, 10**6)),
    st.sampled_from(sorted(BORDERS)),
    st.integers(0, 255),
    st.booleans(),
    st.booleans(),
    st.integers(-300, 300),
    st.booleans(),
)
def test_whole_stencils_are_exact(
    image: Any,
    taps: Any,
    divisor: int,
    border: Any,
    value: int,
    to_int16: bool,
    absolute: bool,
    offset: int,
    turned: bool,
) -> None:
    dtype = np.dtype(np.int16) if to_int16 else image.dtype
    expected = divided(sums(image, taps, border, value, turned=turned), divisor)
    expected = (np.abs(expected) if absolute else expected) + offset
    same(
        (cuesta.convolve if turned else cuesta.correlate)(
            image,
            taps,
            divisor=divisor,
            border=border,
            border_value=value,
            dtype=dtype.name,
            absolute=absolute,
            offset=offset,
            layout="HW" if image.ndim == 2 else "HWC",
        ),
        saturated(expected, dtype),
    )


@given(pictures(), whole_stencils(), st.sampled_from(CV_BORDERS), st.booleans())
def test_whole_stencils_are_cv2s(image: Any, taps: Any, border: Any, to_int16: bool) -> None:
    # cv2 sums in float from some size on; below 2^24 it is exact.
    assume(np.abs(taps).sum() * 255 < 2**24)
    depth, name = (cv2.CV_16S, "int16") if to_int16 else (-1, "uint8")
    theirs = cv2.filter2D(
        plain(image), depth, taps.astype(np.float32), borderType=BORDERS[border][1]
    )
    same(cuesta.correlate(image, taps, border=border, dtype=name), theirs.reshape(image.shape))


@given(
    pictures((np.float32,), (0, 3)),
    st.integers(1, 9),
    st.integers(1, 9),
    st.integers(0, 2**32 - 1),
    st.booleans(),
    st.sampled_from(sorted(BORDERS)),
    st.booleans(),
)
def test_float_stencils_keep_their_bound(
    image: Any, height: int, width: int, seed: int, rank_1: bool, border: Any, turned: bool
) -> None:
    rng = np.random.default_rng(seed)
    if rank_1:
        taps = np.outer(rng.standard_normal(height), rng.standard_normal(width))
    else:
        taps = rng.standard_normal((height, width))
    taps = taps.astype(np.float32)
    expected = sums(image, taps, border, 0.5, turned=turned)
    weight = sums(np.abs(image), np.abs(taps), border, 0.5, turned=turned)
    samples = sums(np.abs(image), np.ones_like(taps), border, 0.5, turned=turned)
    passes = max(height * width + 1, height + width + 4)
    bound = passes * 2.0**-24 * weight + 1e-6 * np.abs(taps).max() * samples
    ours = (cuesta.convolve if turned else cuesta.correlate)(
        image, taps, border=border, border_value=0.5, layout="HW" if image.ndim == 2 else "HWC"
    )
    assert ours.dtype == np.float32
    assert (np.abs(ours - expected) <= bound).all()


@given(pictures((np.uint8, np.uint16)), st.integers(1, 4).map(lambda n: 2 * n + 1))
def test_named_stencils(image: Any, n: int) -> None:
    ones = np.ones((n, n), np.int64)
    same(
        cuesta.box(image, n),
        saturated(divided(sums(image, ones, "reflect101"), n * n), image.dtype),
    )
    sharp = -ones
    sharp[n // 2, n // 2] = n * n
    same(cuesta.sharpen(image, n), saturated(sums(image, sharp, "reflect101"), image.dtype))
    laplacian = np.array(((0, 1, 0), (1, -4, 1), (0, 1, 0)))
    same(
        cuesta.laplacian(image, dtype="int16"),
        saturated(sums(image, laplacian, "reflect101"), np.int16),
    )


# ---------------------------------------------------------------------------------- morphology


@st.composite
def elements(draw: st.DrawFn) -> Any:
    height, width = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    shape = draw(st.sampled_from([cv2.MORPH_RECT, cv2.MORPH_CROSS, cv2.MORPH_ELLIPSE, None]))
    if shape is not None:
        return cv2.getStructuringElement(shape, (width, height))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    cells = rng.integers(0, 2, (height, width), np.uint8)
    assume(cells.any())
    return cells


def morphology_by_cv2(image: Any, name: str, cells: Any, options: dict[str, Any]) -> Any:
    """Opening and closing turn the element for the second step."""
    height, width = cells.shape
    turned = np.ascontiguousarray(cells[::-1, ::-1])
    anchor = (width - 1 - width // 2, height - 1 - height // 2)
    image = plain(image)
    if name == "open":
        image = cv2.erode(image, cells, **options)
        return cv2.dilate(image, turned, anchor=anchor, **options)
    if name == "close":
        image = cv2.dilate(image, cells, **options)
        return cv2.erode(image, turned, anchor=anchor, **options)
    return getattr(cv2, name)(image, cells, **options)


@given(
    pictures((np.uint8, np.uint16)), elements(), st.sampled_from(CV_BORDERS), st.integers(0, 255)
)
def test_morphology_is_cv2s(image: Any, cells: Any, border: Any, value: int) -> None:
    outside = {"borderType": BORDERS[border][1], "borderValue": value}
    for name in ("erode", "dilate", "open", "close"):
        operation = getattr(cuesta, name)
        same(operation(image, cells), morphology_by_cv2(image, name, cells, {}))
        same(
            operation(image, cells, border=border, border_value=value),
            morphology_by_cv2(image, name, cells, outside),
        )


@given(masks(), st.sampled_from(["disk:5", "disk:15", "cross:3", "rect:7x3", "ellipse:9x5"]))
def test_morphology_of_masks_is_scipys(mask: Any, text: str) -> None:
    # The element itself, as the library draws it: what a single pixel dilates to.
    dot = np.zeros((31, 31), np.uint8)
    dot[15, 15] = 255
    cells = cuesta.dilate(dot, text) > 0
    binary = mask > 0
    white = np.where(binary, 255, 0).astype(np.uint8)
    same(cuesta.erode(white, text) > 0, ndimage.binary_erosion(binary, cells, border_value=1))
    same(cuesta.dilate(white, text) > 0, ndimage.binary_dilation(binary, cells))
    inside = ndimage.binary_erosion(binary, cells, border_value=1)
    same(cuesta.open(white, text) > 0, ndimage.binary_dilation(inside, cells))
    around = ndimage.binary_dilation(binary, cells)
    same(cuesta.close(white, text) > 0, ndimage.binary_erosion(around, cells, border_value=1))


@pytest.mark.parametrize("diameter", [1, 3, 7, 15, 31])
def test_disks_are_euclidean(diameter: int) -> None:
    y, x = np.mgrid[-20:21, -20:21]
    dot = np.where((x == 0) & (y == 0), 255, 0).astype(np.uint8)
    disk = np.where(x * x + y * y <= ((diameter - 1) // 2) ** 2, 255, 0).astype(np.uint8)
    same(cuesta.dilate(dot, f"disk:{diameter}"), disk)


# ---------------------------------------------------------------------------------- components


@given(masks(), st.sampled_from([4, 8]))
def test_labels_are_scipys(mask: Any, connectivity: int) -> None:
    measure = pytest.importorskip("skimage.measure", reason="scikit-image is not installed")
    found = cuesta.label(mask, connectivity=connectivity)
    structure = ndimage.generate_binary_structure(2, 1 if connectivity == 4 else 2)
    labels, count = ndimage.label(plain(mask), structure)
    assert found.count == count
    same(found.labels, labels.astype(np.int32))
    theirs = measure.label(plain(mask) > 0, connectivity=1 if connectivity == 4 else 2)
    same(found.labels, theirs.astype(np.int32))

    assert (found.boxes.dtype, found.areas.dtype) == (np.int32, np.int64)
    assert (found.boxes.shape, found.centroids.shape) == ((count, 4), (count, 2))
    properties = measure.regionprops(theirs)
    boxes = [(x0, y0, x1 - x0, y1 - y0) for y0, x0, y1, x1 in (p.bbox for p in properties)]
    assert found.boxes.tolist() == [list(box) for box in boxes]
    assert found.areas.tolist() == [int(p.area) for p in properties]
    centroids = np.array([p.centroid[::-1] for p in properties]).reshape(count, 2)
    np.testing.assert_allclose(found.centroids, centroids, rtol=1e-12)


# ----------------------------------------------------------------------------- point operations


@given(
    pictures((np.uint8, np.uint16), (3, 4)),
    st.sampled_from(["rgb", "bgr"]),
)
def test_to_gray_is_cv2s(image: Any, order: str) -> None:
    code = {
        ("rgb", 3): cv2.COLOR_RGB2GRAY,
        ("bgr", 3): cv2.COLOR_BGR2GRAY,
        ("rgb", 4): cv2.COLOR_RGBA2GRAY,
        ("bgr", 4): cv2.COLOR_BGRA2GRAY,
    }[order, image.shape[2]]
    theirs = cv2.cvtColor(plain(image), code).reshape(image.shape[:2])
    same(cuesta.to_gray(image, order, layout="HWC"), theirs)


@given(pictures((np.uint8, np.uint16)))
def test_histogram_is_numpys(image: Any) -> None:
    counts = np.bincount(plain(image).ravel(), minlength=np.iinfo(image.dtype).max + 1)
    same(cuesta.histogram(image), counts.astype(np.uint64))


@given(pictures((np.uint8, np.uint16)))
def test_otsu_is_cv2s(image: Any) -> None:
    ours = cuesta.otsu_threshold(cuesta.histogram(image))
    theirs, _ = cv2.threshold(plain(image), 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    # Where two limits part the pixels equally well, rounding decides, and OpenCV 5 rounds not as 4 (85, 170, 255).
    if ours != theirs:
        assert variance_between(image, ours) == pytest.approx(
            variance_between(image, theirs), rel=1e-12
        )


@given(pictures((np.uint8,)))
def test_otsu_parts_as_well_as_scikit_images(image: Any) -> None:
    filters = pytest.importorskip("skimage.filters", reason="scikit-image is not installed")
    ours = cuesta.otsu_threshold(cuesta.histogram(image))
    theirs = filters.threshold_otsu(plain(image))
    # Bins that are empty between two peaks part the pixels alike.
    best = variance_between(image, theirs)
    assert variance_between(image, ours) == pytest.approx(best, rel=1e-6, abs=1e-9)


@given(pictures((np.uint8, np.uint16, np.float32), (0, 1, 3, 4)), st.integers(0, 2**32 - 1))
def test_absdiff_is_cv2s(a: Any, seed: int) -> None:
    b = content(np.random.default_rng(seed), a.shape, "noise", a.dtype)
    layout = "HW" if a.ndim == 2 else "HWC"
    same(cuesta.absdiff(a, b, layout=layout), cv2.absdiff(plain(a), b).reshape(a.shape))


@given(pictures((np.uint8, np.uint16, np.float32)), st.floats(-0.25, 1.25, width=32))
def test_threshold_is_cv2s(image: Any, part: float) -> None:
    limit = part * (1 if image.dtype == np.float32 else np.iinfo(image.dtype).max)
    same(
        cuesta.threshold(image, limit),
        np.where(plain(image).astype(np.float64) > limit, 255, 0).astype(np.uint8),
    )
    if 0 <= part <= 1:  # cv2 saturates limits outside the type
        _, theirs = cv2.threshold(plain(image), limit, 255, cv2.THRESH_BINARY)
        same(cuesta.threshold(image, limit), theirs.reshape(image.shape).astype(np.uint8))


# ------------------------------------------------------------------------------------- motion


class Chain:
    """Paper 004 in OpenCV: smooth, difference to the first frame, threshold, close, open, label."""

    def __init__(
        self, blur: int, threshold: float | str, close: Any, open_: Any, ways: int
    ) -> None:
        self.blur, self.limit, self.close, self.open, self.ways = (
            blur,
            threshold,
            close,
            open_,
            ways,
        )
        self.background: Any = None
        self.mask: Any = None
        self.used = 0.0

    def push(self, frame: Any) -> list[tuple[Any, int, Any]]:
        gray = cv2.cvtColor(frame, cv2.COLOR_RGB2GRAY) if frame.ndim == 3 else frame
        smooth = cv2.GaussianBlur(gray, (self.blur, self.blur), 0)
        if self.background is None:
            self.background = smooth
        difference = cv2.absdiff(smooth, self.background)
        self.used = 25.0 if self.limit == "auto" else float(self.limit)
        if self.limit == "auto":
            otsu, _ = cv2.threshold(difference, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
            self.used = max(self.used, otsu)
        _, mask = cv2.threshold(difference, self.used, 255, cv2.THRESH_BINARY)
        mask = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, self.close)
        self.mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, self.open)
        count, labels, stats, centroids = cv2.connectedComponentsWithStats(
            self.mask, connectivity=self.ways
        )
        first = [int(np.flatnonzero(labels.ravel() == i)[0]) for i in range(1, count)]
        return [
            (tuple(stats[i, :4].tolist()), int(stats[i, 4]), tuple(centroids[i].tolist()))
            for i in (1 + np.argsort(first)).tolist()
        ]


def video(height: int, width: int, frames: int, channels: int, seed: int) -> Any:
    """Discs on their ways over a textured ground, with noise."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:height, :width]
    ground = 90 + 30 * np.sin(x / 9 + seed % 7) + 20 * np.cos(y / 5)
    balls = [
        (*(rng.random(2) * (height, width)), *(rng.random(2) * 12 - 6), 3 + 9 * rng.random())
        for _ in range(4)
    ]
    for t in range(frames):
        frame = ground.copy()
        for y0, x0, dy, dx, radius in balls:
            inside = (y - y0 - t * dy) ** 2 + (x - x0 - t * dx) ** 2 < radius**2
            if t > 0:
                frame[inside] = 240
        noisy = frame[..., np.newaxis] + rng.integers(-6, 7, (height, width, max(channels, 1)))
        picture = np.clip(noisy, 0, 255).astype(np.uint8)
        yield picture if channels else picture[..., 0]


DISK_15 = np.hypot(*np.mgrid[-7:8, -7:8]) <= 7


@pytest.mark.parametrize("channels", [0, 3])
@pytest.mark.parametrize("threshold", [25, 12.5, "auto"])
@pytest.mark.parametrize(
    ("blur", "close", "opening", "ways"),
    [
        (15, ("disk:15", DISK_15), ("disk:15", DISK_15), 8),
        (5, ("rect:5", np.ones((5, 5))), ("rect:3", np.ones((3, 3))), 4),
        (1, ("rect:1", np.ones((1, 1))), ("cross:3", [[0, 1, 0], [1, 1, 1], [0, 1, 0]]), 8),
    ],
)
def test_motion_is_the_chain_in_cv2(
    blur: int, close: Any, opening: Any, ways: int, threshold: float | str, channels: int
) -> None:
    detector = cuesta.MotionDetector(
        "first", blur=blur, threshold=threshold, close=close[0], open=opening[0], connectivity=ways
    )
    cells = [np.asarray(element[1]).astype(np.uint8) for element in (close, opening)]
    chain = Chain(blur, threshold, cells[0], cells[1], ways)
    seen = 0
    for frame in video(120, 161, 8, channels, seed=5):
        expected = chain.push(frame)
        ours = detector.push(frame)
        assert [(d.box, d.area, d.centroid) for d in ours] == expected
        same(detector.mask, chain.mask)
        assert detector.threshold == chain.used
        seen += len(ours)
    assert seen > 5


def test_motion_drops_small_objects() -> None:
    every, large = cuesta.MotionDetector("first"), cuesta.MotionDetector("first", min_area=300)
    kept = dropped = 0
    for frame in video(120, 161, 8, 0, seed=6):
        found = every.push(frame)
        assert large.push(frame) == [d for d in found if d.area >= 300]
        kept += sum(d.area >= 300 for d in found)
        dropped += sum(d.area < 300 for d in found)
    assert kept > 0
    assert dropped > 0


def test_frames_of_many_cameras_are_frame_by_frame() -> None:
    models = ("first", "mean", "median", "mixture")
    alone, together = (
        [cuesta.MotionDetector(model, blur=5, open="disk:3") for model in models] for _ in range(2)
    )
    videos = [
        video(60 + 20 * i, 161 - 30 * i, 6, 3 if i == 2 else 0, seed=i + 1)
        for i in range(len(models))
    ]
    seen = 0
    for frames in zip(*videos, strict=True):
        expected = [detector.push(frame) for detector, frame in zip(alone, frames, strict=True)]
        assert cuesta.MotionDetector.push_cameras(together, frames) == expected
        for one, other in zip(alone, together, strict=True):
            same(other.mask, one.mask)
            assert other.threshold == one.threshold
        seen += sum(map(len, expected))
    assert seen > 5


def test_first_background_is_the_first_frame() -> None:
    model = cuesta.BackgroundSubtractor("first")
    frames = list(video(40, 50, 5, 0, seed=2))
    for frame in frames:
        background, difference, mask = model.push(frame, 30)
        same(background, frames[0])
        same(difference, cv2.absdiff(frame, frames[0]))
        same(mask, np.where(difference > 30, 255, 0).astype(np.uint8))

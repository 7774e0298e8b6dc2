"""cuesta.compat.skimage against scikit-image: types and values within float32's rounding, and edges
that agree pixel for pixel but where rounding decides."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import arranged, masks, pictures, plain, same

data = pytest.importorskip("skimage.data", reason="scikit-image is not installed")
feature = pytest.importorskip("skimage.feature", reason="scikit-image is not installed")
filters = pytest.importorskip("skimage.filters", reason="scikit-image is not installed")
measure = pytest.importorskip("skimage.measure", reason="scikit-image is not installed")
morphology = pytest.importorskip("skimage.morphology", reason="scikit-image is not installed")

import cuesta
from cuesta.compat import skimage as ours

MODES = st.sampled_from(["reflect", "constant", "nearest", "mirror", "wrap"])
FLOAT_AND_INT = (np.uint8, np.uint16, np.float16, np.float32)  # float64 is scikit-image's
sigmas = st.one_of(st.just(0.0), st.floats(0.2, 6))


@pytest.fixture(scope="module", autouse=True)
def alone() -> Iterator[None]:
    """What Cuesta answers by itself; test_compat_original.py has what goes to scikit-image."""
    ours.original.alone = True
    yield
    ours.original.alone = False


def close_to(mine: Any, theirs: Any, bound: float) -> None:
    assert (mine.dtype, mine.shape) == (theirs.dtype, theirs.shape)
    np.testing.assert_allclose(mine, theirs, rtol=0, atol=bound)


# ------------------------------------------------------------------------------------ gaussian


@given(
    pictures(FLOAT_AND_INT),
    st.one_of(sigmas, st.tuples(sigmas, sigmas)),
    MODES,
    st.floats(0, 1),
    st.sampled_from([1.0, 2.5, 4.0]),
    st.booleans(),
)
def test_gaussian(
    image: Any, sigma: Any, mode: str, cval: float, truncate: float, preserve_range: bool
) -> None:
    options: dict[str, Any] = {
        "mode": mode,
        "cval": cval,
        "truncate": truncate,
        "preserve_range": preserve_range,
    }
    window = 2 * int(truncate * np.max(sigma) + 0.5) + 1
    top = float(image.max()) if preserve_range else 1.0
    close_to(
        ours.gaussian(image, sigma, **options),
        filters.gaussian(plain(image), sigma, **options),
        (window + 4) * 2.0**-23 * max(top, cval),
    )


# --------------------------------------------------------------------------------------- sobel


@given(pictures(FLOAT_AND_INT), st.sampled_from([None, 0, 1, (0, 1)]), MODES, st.floats(0, 1))
def test_sobel(image: Any, axis: Any, mode: str, cval: float) -> None:
    close_to(
        ours.sobel(image, axis=axis, mode=mode, cval=cval),
        filters.sobel(plain(image), axis=axis, mode=mode, cval=cval),
        2.0**-20,
    )


# -------------------------------------------------------------------- laplace, label, morphology


@given(pictures((np.uint8, np.uint16)))
def test_laplace(image: Any) -> None:
    close_to(ours.laplace(image), filters.laplace(plain(image)), 2.0**-48)


@given(masks(), st.sampled_from([None, 1, 2]))
def test_label(mask: Any, connectivity: int | None) -> None:
    mine, count = ours.label(mask > 0, return_num=True, connectivity=connectivity)
    theirs, expected = measure.label(plain(mask) > 0, return_num=True, connectivity=connectivity)
    same(mine, theirs)
    assert count == expected
    same(
        ours.label(mask > 0, 0), theirs if connectivity != 1 else measure.label(plain(mask) > 0, 0)
    )


@given(
    pictures((np.uint8, np.uint16, np.bool_)),
    st.tuples(*[st.integers(0, 4).map(lambda n: 2 * n + 1)] * 2),
    st.integers(0, 2**32 - 1),
    st.sampled_from(["reflect", "nearest", "mirror", "ignore"]),
)
def test_morphology(image: Any, shape: tuple[int, int], seed: int, mode: str) -> None:
    footprint: Any = np.random.default_rng(seed).integers(0, 2, shape, np.uint8)
    footprint[tuple(side // 2 for side in shape)] = 1
    for name in ("erosion", "dilation", "opening", "closing"):
        mine = getattr(ours, name)(image, footprint, mode=mode)
        same(mine, getattr(morphology, name)(plain(image), footprint, mode=mode))
        same(getattr(ours, name)(image), getattr(morphology, name)(plain(image)))
        out = np.empty_like(plain(image))
        assert getattr(ours, name)(image, footprint, out, mode=mode) is out
        same(out, mine)


# --------------------------------------------------------------------------------------- canny


def agreement(mine: Any, theirs: Any) -> float:
    """Dice: twice the common edges over the edges of both; 1 where neither has one."""
    assert mine.dtype == theirs.dtype == np.bool_
    assert mine.shape == theirs.shape
    total = int(mine.sum()) + int(theirs.sum())
    return 2 * int((mine & theirs).sum()) / total if total else 1.0


PHOTOGRAPHS = ["camera", "coins", "moon", "page", "text", "clock", "brick", "grass", "gravel"]


def photograph(name: str) -> Any:
    try:
        return getattr(data, name)()
    except Exception as error:  # not all of them come with the package
        pytest.skip(f"skimage.data.{name} is not on this machine: {type(error).__name__}")


@pytest.mark.parametrize("name", PHOTOGRAPHS)
def test_canny_of_photographs(name: str) -> None:
    image = photograph(name)
    cases: list[tuple[Any, dict[str, Any]]] = [
        (image, {}),
        (image, {"sigma": 2.0, "mode": "nearest"}),
        (image, {"sigma": (1.0, 3.0), "low_threshold": 8.0, "high_threshold": 20.0}),
        (image.astype(np.uint16) * 257, {"mode": "reflect"}),
        (image / np.float32(255), {"sigma": 1.7}),
    ]
    for picture, options in cases:
        score = agreement(ours.canny(picture, **options), feature.canny(picture, **options))
        assert score >= 0.9995, (options, score)


@given(
    st.integers(3, 70),
    st.integers(3, 70),
    st.integers(0, 2**32 - 1),
    st.floats(0.5, 3),
    MODES,
    st.sampled_from(["plain", "pitched", "fortran", "turned", "read-only"]),
)
def test_canny_of_noise(
    height: int, width: int, seed: int, sigma: float, mode: str, how: str
) -> None:
    # Of 16 bits, so that few lengths are equal: what differs is only what rounding moves.
    noise = np.random.default_rng(seed).integers(0, 65536, (height, width), np.uint16)
    options: dict[str, Any] = {"sigma": sigma, "mode": mode, "cval": 0.25}
    mine = ours.canny(arranged(noise, how), **options)
    assert agreement(mine, feature.canny(noise, **options)) >= 0.97


@pytest.mark.parametrize("picture", ["square", "disk", "checkerboard"])
def test_canny_of_drawings_is_theirs_up_to_ties(picture: str) -> None:
    # Beside a straight edge two lengths are equal, and scikit-image keeps one or both as its
    # rounding falls. Both are kept here, so nothing that it finds is missing.
    y, x = np.mgrid[:200, :220]
    image = {
        "square": ((x > 60) & (x < 140) & (y > 50) & (y < 130)),
        "disk": (x - 100) ** 2 + (y - 90) ** 2 < 70**2,
        "checkerboard": (x // 25 + y // 25) % 2 == 0,
    }[picture] * np.uint8(255)
    for sigma in (1.0, 2.0):
        mine, theirs = ours.canny(image, sigma), feature.canny(image, sigma)
        assert not (theirs & ~mine).any()
        grown = np.zeros_like(mine)
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                grown |= np.roll(theirs, (dy, dx), (0, 1))
        assert not (mine & ~grown).any()


def test_canny_of_pictures_without_edges() -> None:
    for shape in ((1, 1), (2, 9), (3, 3), (40, 50)):
        for image in (np.zeros(shape, np.uint8), np.full(shape, 0.5, np.float32)):
            same(ours.canny(image), np.zeros(shape, bool))


def test_gaussian_of_bool() -> None:
    mask = np.eye(30, 40, dtype=bool)
    close_to(ours.gaussian(mask, 2), filters.gaussian(mask, 2), 2.0**-20)


def test_a_call_that_is_left_names_what_is_supported() -> None:
    """Without scikit-image the error has the reason, what Cuesta supports, and what to install."""
    a_list: Any = [[1.0]]
    two_modes: Any = ("reflect", "wrap")
    image = np.zeros((8, 9), np.uint8)
    calls: list[tuple[Any, str]] = [
        (lambda: ours.gaussian(image, 32), "a window of 257"),
        (lambda: ours.gaussian(image, -1), "sigma is -1"),
        (lambda: ours.gaussian(image, mode="grid-wrap"), "mode is 'grid-wrap'"),
        (lambda: ours.gaussian(np.zeros((8, 9, 3), np.uint8)), "the picture has 3 dimensions"),
        (lambda: ours.gaussian(image, channel_axis=0), "channel_axis or out is given"),
        (lambda: ours.gaussian(image / 255), "float64 and 1 channels"),
        (lambda: ours.gaussian(a_list), "the picture is list"),
        (lambda: ours.sobel(image, axis=2), "axis is 2"),
        (lambda: ours.sobel(image, image > 0), "a mask is given"),
        (lambda: ours.sobel(image, mode=two_modes), r"mode is \('reflect', 'wrap'\)"),
        (lambda: ours.laplace(image.astype(np.float32)), "float32"),
        (lambda: ours.laplace(image, 5), "ksize is 5"),
        (lambda: ours.label(image), "uint8"),
        (lambda: ours.label(image > 0, 1), "background is 1"),
        (lambda: ours.erosion(image, np.ones((2, 3))), r"the footprint has shape \(2, 3\)"),
        (lambda: ours.erosion(image, mode="constant"), "mode is 'constant'"),
        (lambda: ours.dilation(image.astype(np.float32)), "float32"),
        (
            lambda: ours.opening(image, out=np.zeros((2, 2), np.uint8)),
            "out has another shape or type",
        ),
        (lambda: ours.canny(image, low_threshold=90, high_threshold=20), "low_threshold is 90"),
        (lambda: ours.canny(image, use_quantiles=True), "a mask or quantiles are given"),
    ]
    for call, words in calls:
        with pytest.raises(
            cuesta.Unsupported, match=words + ".*; Cuesta supports .*pip install scikit-image"
        ):
            call()

"""`measure` and `label(measure=True)` against scikit-image and numpy."""

from __future__ import annotations

from typing import Any

import cuesta
import numpy as np
import pytest

regionprops = pytest.importorskip("skimage.measure").regionprops


def masks() -> Any:
    random = np.random.default_rng(3)
    yy, xx = np.mgrid[0:120, 0:170]
    yield "noise", (random.random((61, 83)) < 0.5)
    yield "discs", (np.hypot(yy % 40 - 17.3, xx % 37 - 15) < 3 + xx / 14)
    yield "bars", (np.abs((yy - 60) * 0.8 - (xx - 85) * 0.6) < 5) | (yy % 50 == 3)
    yield "full", np.ones((9, 30), bool)
    yield "points", (yy % 7 == 0) & (xx % 5 == 0)


NAMES = {
    "extent": "extent",
    "perimeter": "perimeter",
    "eccentricity": "eccentricity",
    "axis_major_length": "axis_major_length",
    "axis_minor_length": "axis_minor_length",
    "equivalent_diameter": "equivalent_diameter_area",
    "intensity_mean": "intensity_mean",
    "intensity_min": "intensity_min",
    "intensity_max": "intensity_max",
}


def agree(found: Any, labels: Any, intensity: Any) -> None:
    expected = regionprops(labels, intensity)
    assert found.count == labels.max()
    places = [region.label - 1 for region in expected]
    for ours, theirs in NAMES.items():
        np.testing.assert_allclose(
            getattr(found, ours)[places],
            [getattr(region, theirs) for region in expected],
            rtol=1e-9,
            atol=2e-6,  # eccentricities near 0 are roots of rounding errors
            err_msg=ours,
        )
    boxes = [(b[1], b[0], b[3] - b[1], b[2] - b[0]) for b in (r.bbox for r in expected)]
    assert found.boxes[places].tolist() == [list(box) for box in boxes]
    assert found.areas[places].tolist() == [region.area for region in expected]
    np.testing.assert_allclose(found.centroids[places][:, ::-1], [r.centroid for r in expected])
    low = np.add.outer(np.arange(4), np.arange(4)) <= 3
    for ours, theirs in ("moments", "moments"), ("moments_central", "moments_central"):
        got = getattr(found, ours)[places]
        assert (got[:, ~low] == 0).all()
        for one, region in zip(got, expected):
            wanted = getattr(region, theirs)
            scale = np.maximum(
                1, np.outer(region.area * 170.0 ** np.arange(4), 170.0 ** np.arange(4))
            )
            np.testing.assert_allclose(one[low] / scale[low], wanted[low] / scale[low], atol=1e-12)
    for place, region in zip(places, expected):
        (a, b), (_, c) = region.inertia_tensor
        if abs(a - c) > 1e-6 or abs(b) > 1e-6:  # a circle has no direction
            turn = found.orientation[place] - region.orientation
            assert abs(np.sin(turn)) < 1e-6


@pytest.mark.parametrize("name, mask", list(masks()))
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32"])
@pytest.mark.parametrize("connectivity", [4, 8])
def test_equals_scikit_image(name: Any, mask: Any, dtype: Any, connectivity: Any) -> None:
    random = np.random.default_rng(5)
    intensity = random.normal(1000, 4000, mask.shape).clip(0, 250).astype(dtype)
    if dtype == "float32":
        intensity = random.normal(0, 1, mask.shape).astype(dtype)
    found = cuesta.label(mask, connectivity=connectivity, measure=True, intensity=intensity)
    assert found.measures is not None
    agree(found.measures, found.labels, intensity)
    assert found.measures.areas.tolist() == found.areas.tolist()
    assert np.array_equal(found.measures.boxes, found.boxes)
    assert np.array_equal(found.measures.centroids, found.centroids)


def test_labels_of_another_program() -> None:
    random = np.random.default_rng(9)
    labels = np.kron(random.integers(-2, 40, (12, 17)), np.ones((7, 5), int))  # they touch
    intensity = random.integers(0, 65536, labels.shape).astype(np.uint16)
    positive = np.where(labels > 0, labels, 0)
    for dtype in ("int8", "int16", "int32", "int64"):
        agree(cuesta.measure(labels.astype(dtype), intensity), positive, intensity)
    for dtype in ("uint8", "uint16", "uint32", "uint64"):
        agree(cuesta.measure(positive.astype(dtype), intensity), positive, intensity)
    few = cuesta.measure(labels, intensity, count=3)
    assert few.count == 3
    agree(few, np.where(positive <= 3, positive, 0), intensity)


def test_labels_from_files_and_other_objects(tmp_path: Any) -> None:
    labels = np.kron(np.arange(300).reshape(15, 20), np.ones((4, 3), int)).astype(np.uint16)
    cuesta.imwrite(str(tmp_path / "labels.png"), labels)
    of_file, of_array = cuesta.measure(tmp_path / "labels.png"), cuesta.measure(labels)
    assert np.array_equal(of_file.moments, of_array.moments) and of_file.count == 299

    class Offers:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return labels.astype(np.int64)

    offered: Any = Offers()
    assert cuesta.measure(offered).areas.tolist() == [12] * 299
    da = pytest.importorskip("dask.array")
    with pytest.raises(TypeError, match="labels is lazy"):
        cuesta.measure(da.from_array(labels.astype(np.int32)))


def test_strides_and_strategies_agree() -> None:
    labels = np.random.default_rng(1).integers(0, 9, (40, 64)).astype(np.int32)
    whole = cuesta.measure(labels, strategy="serial")
    wide = np.zeros((80, 128), np.int32)
    wide[::2, ::2] = labels
    for other in (wide[::2, ::2], np.asfortranarray(labels)):
        for threads in (1, 2, 5):
            got = cuesta.measure(other, threads=threads)
            assert np.array_equal(got.moments, whole.moments)
            assert np.array_equal(got.perimeter, whole.perimeter)


def test_absent_labels_and_none() -> None:
    labels = np.array([[0, 3], [3, 0]], np.int32)
    found = cuesta.measure(labels)
    assert found.areas.tolist() == [0, 0, 2]
    assert found.extent.tolist() == [0, 0, 0.5]
    assert np.isnan(found.intensity_mean).all()
    assert cuesta.measure(np.zeros((3, 3), np.int32)).count == 0
    empty = cuesta.label(np.zeros((3, 3), np.uint8), measure=True).measures
    assert empty is not None and empty.count == 0
    assert cuesta.label(np.ones((3, 3), np.uint8)).measures is None


def test_sums_of_floats_are_exact() -> None:
    """Numpy's sums of these lose the small ones, or overflow in f32."""
    labels = np.ones((1, 4), np.int32)
    for values, mean in (
        ([1e30, 1, -1e30, 1], 0.5),
        ([3e38, 3e38, 3e38, 3e38], float(np.float32(3e38))),
        ([1e-45, -1e-45, 1e-45, 1e-45], float(np.float32(1e-45)) / 2),
        ([-1, -2, -3, -5], -2.75),
    ):
        found = cuesta.measure(labels, np.array([values], np.float32))
        assert found.intensity_mean[0] == mean
        assert found.intensity_min[0] == np.float32(min(values))
        assert found.intensity_max[0] == np.float32(max(values))
    for values, mean in (
        ([np.inf, 1, 2, 3], np.inf),
        ([-np.inf, 1, 2, 3], -np.inf),
        ([-np.inf, np.inf, 2, 3], np.nan),
        ([np.nan, np.inf, 2, 3], np.nan),
    ):
        got = cuesta.measure(labels, np.array([values], np.float32)).intensity_mean
        np.testing.assert_equal(got[0], mean)


def test_far_from_the_origin() -> None:
    """Central moments keep their digits, which sums of floats lose."""
    labels = np.zeros((3, 200_000), np.int32)
    labels[:, -7:] = 1
    near = cuesta.measure(np.ones((3, 7), np.int32))
    far = cuesta.measure(labels)
    assert np.array_equal(near.moments_central, far.moments_central)
    assert np.array_equal(near.moments, far.moments)
    assert np.array_equal(far.centroids, [[199_996.0, 1.0]])


def test_wrong_requests() -> None:
    labels = np.ones((4, 4), np.int32)
    for words, wrong in (
        ("labels are float32", lambda: cuesta.measure(labels.astype(np.float32))),
        ("labels go up to 2147483648", lambda: cuesta.measure(labels.astype(np.int64) << 31)),
        ("intensity has shape", lambda: cuesta.measure(labels, np.ones((4, 5), np.uint8))),
        ("count is -1", lambda: cuesta.measure(labels, count=-1)),
        ("count is 2.5", lambda: cuesta.measure(labels, count=2.5)),  # type: ignore[arg-type]
        ("intensity", lambda: cuesta.measure(labels, np.ones((4, 4), np.int32))),
    ):
        with pytest.raises((cuesta.InvalidArgument, cuesta.Unsupported), match=words):
            wrong()

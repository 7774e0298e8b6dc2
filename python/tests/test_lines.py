"""Edges as lines: places that are known, threads, what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cuesta


def disk(side: int = 64, cx: float = 31.3, cy: float = 30.8, radius: float = 17) -> Any:
    """60 and 180 inside, every sample the mean of its pixel's area."""
    at = (np.arange(side * 16) + 0.5) / 16 - 0.5
    inside = radius - np.hypot(at[None, :] - cx, at[:, None] - cy)
    covered = np.clip(inside * 16 + 0.5, 0, 1).reshape(side, 16, side, 16).mean((1, 3))
    return np.round(60 + 120 * covered).astype(np.uint8)


@pytest.mark.parametrize(
    "arguments", [{"low": 80, "high": 160}, {"method": "log", "sigma": 1.5, "threshold": 1}]
)
def test_a_disk_is_one_closed_line(arguments: dict[str, Any]) -> None:
    (line,) = cuesta.trace(disk(), tolerance=0, **arguments)
    assert line.closed
    assert line.points.dtype == np.float64
    assert line.points.shape == (len(line.strengths), 2)
    off = np.hypot(*(line.points - [31.3, 30.8]).T) - 17
    assert np.sqrt(np.mean(off**2)) < 0.03
    assert np.abs(off).max() < 0.1
    assert line.length == pytest.approx(2 * np.pi * 17, rel=0.03)
    assert line.strength == pytest.approx(line.strengths.mean())


def test_fewer_points_pass_the_others_within_the_tolerance() -> None:
    (whole,) = cuesta.trace(disk(), 80, 160, tolerance=0)
    (fewer,) = cuesta.trace(disk(), 80, 160, tolerance=0.5)
    assert 4 <= len(fewer.points) < len(whole.points) / 4
    assert {tuple(p) for p in fewer.points} <= {tuple(p) for p in whole.points}
    assert (fewer.length, fewer.strength) == (whole.length, whole.strength)


def test_threads_change_nothing() -> None:
    image = np.random.default_rng(3).integers(0, 256, (150, 170), dtype=np.uint8)
    for method in ("canny", "log"):
        one = cuesta.trace(image, method=method, threads=1)
        more = cuesta.trace(image, method=method, threads=5)
        assert len(one) == len(more) > 10
        for a, b in zip(one, more):
            assert np.array_equal(a.points, b.points) and np.array_equal(a.strengths, b.strengths)
            assert a[2:] == b[2:]


def test_edges_that_were_found_before() -> None:
    image = disk()
    edges = cuesta.canny(image, 80, 160)
    assert isinstance(edges, np.ndarray)
    wanted = cuesta.trace(image, 80, 160)
    for given in (
        cuesta.trace(image, edges=edges),
        cuesta.trace(image.astype(np.float32), edges=edges > 0),
    ):
        assert [line.points.tolist() for line in given] == [line.points.tolist() for line in wanted]


def test_a_mask_hides_half() -> None:
    mask = np.zeros((64, 64), bool)
    mask[:, :32] = True
    (line,) = cuesta.trace(disk(), 80, 160, mask=mask)
    assert not line.closed
    assert line.points[:, 0].max() < 33


def test_what_cannot_be_meant() -> None:
    image = disk()
    for arguments, said in (
        ({"tolerance": -1}, "trace: tolerance is -1; it must be 0 or more"),
        (
            {"refinement": "best"},
            "refinement is 'best'; it must be pixel, parabola, devernay or unbiased",
        ),
        ({"method": "sobel"}, "method is 'sobel'; it must be 'canny' or 'log'"),
        ({"method": "log", "low": 3, "high": 4}, "low requires method 'canny', not 'log'"),
        ({"method": "log", "aperture": 5}, "aperture requires method 'canny', not 'log'"),
        ({"threshold": 5}, "of method 'canny' it is the name of a rule"),
        ({"low": 5}, "high is missing"),
    ):
        with pytest.raises(cuesta.InvalidArgument) as raised:
            cuesta.trace(image, **arguments)
        assert said in str(raised.value)
    with pytest.raises(cuesta.InvalidArgument, match="image holds 2 pictures; it must hold one"):
        cuesta.trace(np.stack([image, image]))
    with pytest.raises(TypeError, match="unexpected keyword"):
        cuesta.trace(image, sigmas=3)  # type: ignore[call-arg]

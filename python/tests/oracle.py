"""What the tests against other libraries share: pictures of every kind, laid out in every way.

`CUESTA_EXAMPLES=2000 pytest ...` tries more of them than the default of 100 a test.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

settings.register_profile(
    "oracle",
    max_examples=int(os.environ.get("CUESTA_EXAMPLES", "100")),
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("oracle")

ARRANGEMENTS = ["plain", "pitched", "region", "read-only", "fortran", "turned"]


def content(rng: np.random.Generator, shape: tuple[int, ...], kind: str, dtype: Any) -> Any:
    """Samples between 0 and the type's largest value (1 for floats)."""
    top = 1.0 if np.dtype(dtype).kind in "fb" else float(np.iinfo(dtype).max)
    values: Any
    if kind == "noise":
        values = rng.random(shape) * top
    elif kind == "extremes":
        values = rng.integers(0, 2, shape) * top
    elif kind == "steps":
        values = rng.integers(0, 4, shape) * (top / 3)
    elif kind == "flat":
        values = np.full(shape, rng.random() * top)
    elif kind == "waves":
        y, x = np.mgrid[: shape[0], : shape[1]]
        wave = 0.5 + 0.25 * (np.sin(x / 5 + rng.random()) + np.cos(y / 7 + rng.random()))
        values = wave.reshape(wave.shape + (1,) * (len(shape) - 2)) * np.full(shape, top)
    else:
        raise ValueError(kind)
    return values.astype(dtype)


def arranged(image: Any, how: str) -> Any:
    """The same samples in memory laid out otherwise."""
    height, width = image.shape[:2]
    if how == "pitched":
        view = np.zeros((height, width + 3, *image.shape[2:]), image.dtype)[:, :width]
    elif how == "region":
        # The samples around it must not be read.
        view = np.full((height + 4, width + 5, *image.shape[2:]), 93, image.dtype)[2:-2, 3:-2]
    elif how == "fortran":
        return np.asfortranarray(image)
    elif how == "turned":
        return np.ascontiguousarray(image[::-1, ::-1])[::-1, ::-1]
    else:
        view = image.copy()
        view.flags.writeable = how != "read-only"
        return view
    view[...] = image
    return view


@st.composite
def pictures(
    draw: st.DrawFn,
    dtypes: tuple[Any, ...] = (np.uint8,),
    channels: tuple[int, ...] = (0,),
) -> Any:
    """(H, W) or, for channels above 0, (H, W, C); 1 x 1 to 70 x 70."""
    depth = draw(st.sampled_from(channels))
    shape = (draw(st.integers(1, 70)), draw(st.integers(1, 70)), *([depth] if depth else []))
    kind = draw(st.sampled_from(["noise", "extremes", "steps", "waves", "flat"]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    image = content(rng, shape, kind, draw(st.sampled_from(dtypes)))
    return arranged(image, draw(st.sampled_from(ARRANGEMENTS)))


@st.composite
def masks(draw: st.DrawFn) -> Any:
    """(H, W) uint8 from empty to full; what is set has any value."""
    shape = draw(st.integers(1, 70)), draw(st.integers(1, 70))
    density = draw(st.sampled_from([0, 0.05, 0.3, 0.5, 0.6, 0.9, 1]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    mask = (rng.random(shape) < density) * rng.integers(1, 256, shape)
    return arranged(mask.astype(np.uint8), draw(st.sampled_from(ARRANGEMENTS)))


def plain(image: Any) -> Any:
    """What an oracle is given. OpenCV's Python package itself fails on some strides."""
    return np.array(image, order="C")


def same(ours: Any, theirs: Any) -> None:
    """One type, one shape, equal values."""
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    np.testing.assert_array_equal(ours, theirs)


def variance_between(image: Any, limit: float) -> float:
    """How well `limit` parts the values of `image`: what Otsu's threshold has the most of."""
    values = plain(image).astype(np.float64)
    high = values > limit
    if not high.any() or high.all():
        return 0.0
    return float(
        high.mean() * (1 - high.mean()) * (values[high].mean() - values[~high].mean()) ** 2
    )

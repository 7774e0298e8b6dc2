"""Objects are pickled and copied, or say in words that they are not."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import cuesta
from cuesta import _core

ways = pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)


@ways
@pytest.mark.parametrize("text", ["1 2 1;2 4 2;1 2 1 / 16", "0.5 1.25 0.5"])
def test_a_stencil_is_the_same_again(again: Any, text: str, picture: npt.NDArray[np.uint8]) -> None:
    stencil = _core.Stencil.parse(text)
    np.testing.assert_array_equal(
        cuesta.correlate(picture, again(stencil)), cuesta.correlate(picture, stencil)
    )


@ways
def test_a_structuring_element_is_the_same_again(again: Any) -> None:
    element = _core.StructuringElement.parse("ellipse:7x5")
    np.testing.assert_array_equal(again(element).cells(), element.cells())


@ways
def test_labels_and_errors_are_the_same_again(again: Any) -> None:
    mask = np.zeros((20, 30), np.uint8)
    mask[4:9, 5:11] = 255
    labels = cuesta.label(mask)
    np.testing.assert_array_equal(again(labels).labels, labels.labels)
    with pytest.raises(cuesta.InvalidArgument) as raised:
        cuesta.gaussian(mask, -1.0)
    same = again(raised.value)
    assert (type(same), str(same), same.value) == (
        type(raised.value),
        str(raised.value),
        raised.value.value,
    )


@ways
@pytest.mark.parametrize(
    "made",
    [
        cuesta.MotionDetector,
        cuesta.BackgroundSubtractor,
        cuesta.Tracker,
        lambda: cuesta.SceneWatch((40, 30)),
    ],
)
def test_what_holds_what_it_has_seen_refuses_in_words(again: Any, made: Any) -> None:
    one = made()
    with pytest.raises(TypeError, match=f"{type(one).__name__} keeps state"):
        again(one)

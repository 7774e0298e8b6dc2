"""Options that several operations take, checked and brought into the extension's form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Union

import numpy as np

from cuesta import _core
from cuesta.errors import InvalidArgument

#: Values of a strategy's own parameters, as in {"block": 16}.
Parameters = Mapping[str, Union[str, int]]

_NO_PARAMETERS: list[tuple[str, str]] = []

# In the order of cuesta::BorderMode.
_BORDERS = {
    "replicate": 0,  # aaaa|abcd|dddd
    "symmetric": 1,  # dcba|abcd|dcba
    "reflect101": 2,  # dcb|abcd|cba
    "constant": 3,  # vvvv|abcd|vvvv
    "wrap": 4,  # abcd|abcd|abcd
    "ignore": 5,  # results whose window leaves the picture are 0
}


def border_mode(border: str) -> int:
    mode = _BORDERS.get(border)
    if mode is not None:
        return mode
    if border == "reflect":
        raise InvalidArgument(
            "border is 'reflect', which libraries understand differently: 'reflect101' is dcb|abcd|cba (numpy's and "
            "torch's reflect, OpenCV's default), 'symmetric' is dcba|abcd|dcba (scipy's reflect, OpenCV's BORDER_REFLECT)",
            "reflect",
        )
    raise InvalidArgument(f"border is {border!r}; it is one of {', '.join(_BORDERS)}", repr(border))


def parameter_list(parameters: Parameters | None) -> list[tuple[str, str]]:
    if parameters is None:
        return _NO_PARAMETERS
    return [(str(name), str(value)) for name, value in parameters.items()]


def norm_is_l2(norm: str) -> bool:
    if norm == "l1":
        return False
    if norm == "l2":
        return True
    raise InvalidArgument(f"norm is {norm!r}; it is 'l1' (|gx| + |gy|) or 'l2' (the root of the squares)", repr(norm))


def stencil_of(stencil: Any, divisor: int | None) -> _core.Stencil:
    """A stencil from text, or from a 2-D array of whole numbers or floats."""
    if isinstance(stencil, _core.Stencil):
        return stencil
    if isinstance(stencil, str):
        if divisor is not None:
            raise InvalidArgument("divisor is given beside a stencil in text; write it there: '1 2 1 / 4'", str(divisor))
        return _core.Stencil.parse(stencil)
    taps = np.asarray(stencil)
    if taps.ndim != 2 or taps.size == 0:
        raise InvalidArgument(
            f"stencil has shape {taps.shape}; it must have two dimensions, height and width", str(taps.shape)
        )
    height, width = taps.shape
    if taps.dtype.kind in "iub":
        limits = np.iinfo(np.int32)
        if taps.min() < limits.min or taps.max() > limits.max:
            raise InvalidArgument("stencil: taps must fit 32 bits", str(taps.max()))
        return _core.Stencil.integers(width, height, taps.ravel().tolist(), 1 if divisor is None else int(divisor))
    if taps.dtype.kind != "f":
        raise InvalidArgument(f"stencil has dtype {taps.dtype}; it must hold whole numbers or floats", str(taps.dtype))
    if divisor is not None:
        taps = taps / divisor
    return _core.Stencil.floats(width, height, taps.astype(np.float32).ravel().tolist())


def element_of(element: Any) -> _core.StructuringElement:
    """A structuring element from text ("disk:15"), or from a 2-D array whose non-zero cells belong."""
    if isinstance(element, _core.StructuringElement):
        return element
    if isinstance(element, str):
        return _core.StructuringElement.parse(element)
    cells = np.asarray(element)
    if cells.ndim != 2 or cells.size == 0:
        raise InvalidArgument(
            f"element has shape {cells.shape}; it must have two dimensions, height and width", str(cells.shape)
        )
    height, width = cells.shape
    return _core.StructuringElement.of_cells(width, height, (cells != 0).astype(np.uint8).ravel().tolist())


def threshold_pairs(low: Any, high: Any) -> tuple[list[float], list[float]]:
    """One pair, or one for each picture, as two lists."""
    if isinstance(low, (int, float)) and isinstance(high, (int, float)):
        return [float(low)], [float(high)]
    lows, highs = (np.atleast_1d(np.asarray(v, dtype=np.float64)) for v in (low, high))
    if lows.ndim != 1 or highs.ndim != 1:
        raise InvalidArgument("low and high must be numbers, or one for each picture", f"{lows.shape} {highs.shape}")
    lows, highs = np.broadcast_arrays(lows, highs) if 1 in (len(lows), len(highs)) else (lows, highs)
    return lows.tolist(), highs.tolist()

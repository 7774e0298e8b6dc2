"""Zones, lines and masks of a scene as the extension takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cuesta._sources import Source
from cuesta.errors import InvalidArgument


def _check_list(what: str, given: Any) -> None:
    if not isinstance(given, (tuple, list)):
        raise TypeError(f"{what} is {given!r}; it must be a tuple or a list")


def zone_rows(zones: Sequence[Any]) -> list[Any]:
    """Returns zones as rows; raises InvalidArgument for a kind that there is not."""
    _check_list("zones", zones)
    rows: list[Any] = []
    for zone in zones:
        name, polygon, kind, *limits = zone
        if kind not in ("include", "exclude"):
            raise InvalidArgument(
                f"zone {name!r}: kind is {kind!r}; it must be 'include' or 'exclude'", str(kind)
            )
        rows.append((name, kind == "exclude", [tuple(corner) for corner in polygon], *limits))
    return rows


def line_rows(lines: Sequence[Any]) -> list[Any]:
    """Returns lines as rows; raises InvalidArgument unless the ways of each are two names."""
    _check_list("lines", lines)
    for line in lines:
        ways = line.ways
        if isinstance(ways, str) or len(ways) != 2 or not all(isinstance(way, str) for way in ways):
            raise InvalidArgument(
                f"line {line.name!r}: ways is {ways!r}; it must be two names", str(ways)
            )
    return [(line.name, tuple(line.start), tuple(line.end), tuple(line.ways)) for line in lines]


def mask_handle(mask: Any) -> Any:
    """Returns the handle of a mask of 0 and 1, or None where there is none."""
    if mask is None:
        return None
    is_set = np.ascontiguousarray(np.asarray(mask) != 0)
    return Source(is_set.view(np.uint8), "HW", "mask", None).handle

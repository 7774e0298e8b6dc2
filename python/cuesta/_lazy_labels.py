"""Components of lazy masks in bands of rows, joined over their seams."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from cuesta import _core
from cuesta._lazy import Axes, by_pictures, is_divided, refuse
from cuesta._lazy_bands import Picture, each_picture
from cuesta._sources import Source

__all__ = ["cleaned_by_bands", "labels_by_bands"]

Options = Mapping[str, Any]
#: Makes what is labelled of rows of a mask.
Seen = Callable[[Any], Any]


def _as_they_are(rows: Any) -> Any:
    return rows


def _background(rows: Any) -> Any:
    return np.asarray(rows) == 0


def _find(rows: Any, _: Any, name: str, first: int, end: int, seen: Seen, options: Options) -> Any:
    s = Source(seen(rows), name, "mask", channels="one")
    return (end - first, *_core.label_find(s.handle, s.layout, dict(options)))


def _labels(
    rows: Any,
    _: Any,
    name: str,
    _first: int,
    _end: int,
    seen: Seen,
    options: Options,
    known: tuple[Any, list[Any]],
    band: int,
) -> Any:
    """Returns the labels of a band's rows."""
    s = Source(seen(rows), name, "mask", channels="one")
    made = np.empty(s.shape, np.int32)
    _core.label(s.handle, s.kind.handle(made, "int32"), s.layout, dict(options), s.stream)
    return np.concatenate([[0], known[1][band][:, 0]]).astype(np.int32)[made]


def _join(width: int, found: list[Any], options: Options) -> Any:
    return _core.label_join(width, found, dict(options))


class _Joined:
    """The delayed components of one lazy mask."""

    def __init__(self, picture: Picture, seen: Seen, options: Options) -> None:
        dask: Any = sys.modules["dask"]

        found = picture.each(_find, seen, options)
        self.known = dask.delayed(_join)(picture.width, found, options)
        self.picture, self.more = picture, (seen, options, self.known)

    def each_label(self) -> list[Any]:
        """Returns the labels of every band, delayed."""
        bands = range(len(self.picture.bands))
        return [self.picture.one(band, _labels, *self.more, band) for band in bands]


def labels_by_bands(
    mask: Any,
    layout: str | None,
    options: Options,
    probe: Callable[[Any, str], Any],
    **refused: Any,
) -> Any:
    """Returns labels, count, boxes, areas and centroids of a lazy mask; all are lazy.

    `probe` labels a few pixels, which finds invalid arguments.
    """
    dask: Any = sys.modules["dask"]
    da: Any = sys.modules["dask.array"]

    refuse(**refused)
    axes = Axes(mask, layout, "mask")
    axes.result_of(mask, probe)
    joined = _Joined(Picture(mask, None, axes.name, 0), _as_they_are, options)
    lists = [dask.delayed(_list_of)(joined.known, which) for which in range(3)]
    count = da.from_delayed(dask.delayed(len)(lists[0]), (), np.int64)
    kinds = ((np.nan, 4), np.int32), ((np.nan,), np.int64), ((np.nan, 2), np.float64)
    return (
        joined.picture.array(joined.each_label(), np.int32),
        count,
        *(da.from_delayed(one, *kind) for one, kind in zip(lists, kinds)),
    )


def _list_of(known: tuple[Any, list[Any]], which: int) -> Any:
    """Returns the boxes, areas or centroids of all components."""
    found = known[0][which]
    return found[:, 0] if which == 1 else found


def _small(known: tuple[Any, list[Any]], min_area: int) -> Any:
    """Returns whether the components stay, behind that of the background."""
    return np.concatenate([[False], known[0][1][:, 0] >= min_area])


def _holes(known: tuple[Any, list[Any]], max_area: int, width: int, height: int) -> Any:
    """Returns whether the components of the background are filled, behind that of the mask."""
    boxes, areas = known[0][0].astype(np.int64), known[0][1][:, 0]
    left, top, right, bottom = (
        boxes[:, 0],
        boxes[:, 1],
        boxes[:, 0] + boxes[:, 2],
        boxes[:, 1] + boxes[:, 3],
    )
    inside = (left > 0) & (top > 0) & (right < width) & (bottom < height)
    return np.concatenate([[True], inside & ((areas <= max_area) if max_area else True)])


def _chosen(labels: Any, kept: Any, dtype: Any) -> Any:
    """Returns the mask of what is kept, of the mask's type."""
    made = kept[labels]
    return made if dtype == bool else made.astype(dtype) * dtype.type(255)


def cleaned_by_bands(
    mask: Any,
    layout: str | None,
    fills: bool,
    limit: int | None,
    options: Options,
    whole: Callable[[Any, str], Any],
    **refused: Any,
) -> Any:
    """Returns remove_small() or with `fills` fill_holes() of lazy masks; `whole` makes one."""
    dask: Any = sys.modules["dask"]

    if not is_divided(mask, layout):
        return by_pictures(whole, mask, layout, **refused)
    refuse(**refused)
    how = {name: value for name, value in options.items() if name == "threads"}
    connectivity = options.get("connectivity") or 8
    how["connectivity"] = connectivity if not fills else 12 - connectivity

    def make(one: Any, _: Any, name: str, _number: int, dtype: Any) -> Any:
        picture = Picture(one, None, name, 0)
        joined = _Joined(picture, _background if fills else _as_they_are, how)
        size = picture.width, picture.height
        kept = (
            dask.delayed(_holes)(joined.known, limit or 0, *size)
            if fills
            else dask.delayed(_small)(joined.known, 64 if limit is None else limit)
        )
        made = [dask.delayed(_chosen)(labels, kept, dtype) for labels in joined.each_label()]
        return joined.picture.array(made, dtype)

    return each_picture(mask, None, layout, whole, make)

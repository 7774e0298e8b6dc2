"""Canny's edges of lazy arrays in bands of rows, joined over their seams.

No task holds a picture of samples. Bands become marks, two bits a pixel, from which the edges are
joined. Where the picture determines the sigma or thresholds, all bands are counted before.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from cuesta import _core
from cuesta._lazy import Axes, refuse
from cuesta._sources import Source

__all__ = ["CannyWay", "Picture", "each_picture", "edges_by_bands", "strengths_by_bands"]

#: The axis of the rows and the layout; the rows that a call reads, and those that it makes.
Rows = tuple[int, str, int, int, int, int]
#: Rows of a band at least, and rows around it that a band may have for each of its own.
_ROWS, _SHARE = 64, 4


@dataclass(frozen=True)
class CannyWay:
    """How `canny` or `edges` finds edges in one picture."""

    is_edges: bool
    """Whether the options are those of `edges`."""
    rule: str | None = None
    """The rule for the thresholds."""
    level: float | None = None
    """The high threshold of `edges`."""
    given: tuple[float, float] | None = None
    """Both thresholds."""
    sigma: float | None = None
    """The sigma that `edges` found."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """The other options."""
    prepare: Callable[[Any, str], tuple[Any, str]] | None = None
    """Makes what is seen of rows, and its layout."""

    def of_core(self) -> tuple[Any, ...]:
        """Returns the fields that the extension takes."""
        return self.is_edges, self.rule, self.level, self.given, self.sigma


def _seen(rows: Any, name: str, way: CannyWay) -> Source:
    if way.prepare is not None:
        rows, name = way.prepare(rows, name)
    return Source(rows, name, "image", channels="colors").leveled()


def _flat(mask: Any) -> Any:
    return None if mask is None else np.ascontiguousarray(mask, dtype=np.uint8)


def _count(rows: Any, mask: Any, name: str, first: int, end: int, way: CannyWay) -> Any:
    s = _seen(rows, name, way)
    counts = _core.canny_count(
        s.handle, s.layout, _flat(mask), first, end, way.of_core(), dict(way.options)
    )
    return counts[:, 0], s.dtype


def _count_sigma(rows: Any, mask: Any, name: str, first: int, end: int, way: CannyWay) -> Any:
    s = _seen(rows, name, way)
    return _core.sigma_count(s.handle, s.layout, _flat(mask), first, end)[:, 0], s.dtype


def _total(counts: list[Any]) -> tuple[str, Any]:
    return counts[0][1], np.sum([each for each, _ in counts], axis=0, dtype=np.uint64)


def _find_sigma(counts: list[Any]) -> float:
    return float(_core.find_sigma(*_total(counts)))


def _with_sigma(way: CannyWay, sigma: float) -> CannyWay:
    return replace(way, sigma=sigma)


def _find_thresholds(counts: list[Any], way: CannyWay) -> tuple[float, float]:
    found: tuple[float, float] = _core.canny_thresholds(
        *_total(counts), way.of_core(), dict(way.options)
    )
    return found


def _mark(
    rows: Any,
    mask: Any,
    name: str,
    first: int,
    end: int,
    way: CannyWay,
    limits: tuple[float, float],
) -> Any:
    s = _seen(rows, name, way)
    return _core.canny_mark(
        s.handle, s.layout, _flat(mask), first, end, limits, way.of_core(), dict(way.options)
    )


def _edges_of(bits: Any, first: int, end: int, width: int) -> Any:
    """Returns rows of edges, 0 or 255, from bits."""
    rows = bits[first:end].astype("<u8").view(np.uint8)
    return np.unpackbits(rows, axis=1, bitorder="little")[:, :width] * np.uint8(255)


def _bands(rows: tuple[int, ...], reach: int) -> Iterator[tuple[int, int]]:
    """Yields bands of whole chunks.

    A band has at least 64 rows and a quarter of `reach`, unless the picture has fewer.
    """
    least, first, end = max(_ROWS, reach // _SHARE), 0, 0
    height = sum(rows)
    for size in rows:
        end += size
        if end == height or (end - first >= least and height - end >= least):
            yield first, end
            first = end


def _call(call: Callable[..., Any], parts: list[Any], inside: Any, rows: Rows, *more: Any) -> Any:
    """Calls `call` with the rows that it needs of whole bands, and of those of a mask."""
    axis, name, low, first, end, high = rows

    def cut(bands: list[Any], along: int) -> Any:
        index = (slice(None),) * along + (slice(low, high),)
        return np.concatenate(bands, along)[index]

    mask = None if inside is None else cut(inside, 0)
    return call(cut(parts, axis), mask, name, first - low, end - low, *more)


class Picture:
    """One lazy picture, and the delayed calls on its bands."""

    def __init__(self, image: Any, mask: Any, name: str, reach: int) -> None:
        self.axis = name.index("H")
        self.name, self.reach = name, reach
        self.height, self.width = (image.shape[name.index(side)] for side in "HW")
        self.bands = list(_bands(image.chunks[self.axis], reach))
        sizes = tuple(end - first for first, end in self.bands)
        one = {axis: -1 for axis in range(image.ndim)}
        self._rows = image.rechunk(one | {self.axis: sizes}).to_delayed(optimize_graph=False)
        self._rows = self._rows.ravel().tolist()
        self._mask = None
        if mask is not None:
            parts = mask.rechunk({0: sizes, 1: -1}).to_delayed(optimize_graph=False)
            self._mask = parts.ravel().tolist()

    def each(self, call: Callable[..., Any], *more: Any) -> list[Any]:
        """Returns call(rows, mask, layout, first, end, *more) of every band, delayed."""
        return [self.one(band, call, *more) for band in range(len(self.bands))]

    def one(self, band: int, call: Callable[..., Any], *more: Any) -> Any:
        """Returns `each` of one band."""
        dask: Any = sys.modules["dask"]

        first, end = self.bands[band]
        low, high = max(0, first - self.reach), min(self.height, end + self.reach)
        near = [i for i, (begin, past) in enumerate(self.bands) if past > low and begin < high]
        begin = self.bands[near[0]][0]
        rows = (self.axis, self.name, *(y - begin for y in (low, first, end, high)))
        parts = [self._rows[i] for i in near]
        inside = None if self._mask is None else [self._mask[i] for i in near]
        return dask.delayed(_call)(call, parts, inside, rows, *more)

    def array(self, parts: list[Any], dtype: Any) -> Any:
        """Returns the lazy array of delayed bands of one channel."""
        da: Any = sys.modules["dask.array"]
        return da.concatenate(
            [
                da.from_delayed(part, (end - first, self.width), dtype)
                for part, (first, end) in zip(parts, self.bands)
            ]
        )


def _edges(picture: Picture, way: CannyWay, finds_sigma: bool, counts: bool) -> Any:
    """Returns the lazy edges of one picture."""
    dask: Any = sys.modules["dask"]

    delayed, known = dask.delayed, way
    if finds_sigma:
        sigma = delayed(_find_sigma)(picture.each(_count_sigma, way))
        known = delayed(_with_sigma)(way, sigma)
    limits: Any
    if counts:
        limits = delayed(_find_thresholds)(picture.each(_count, known), known)
    else:
        limits = _core.canny_thresholds("uint8", None, way.of_core(), dict(way.options))
    bits = delayed(_core.canny_join)(picture.width, picture.each(_mark, known, limits))
    made = [delayed(_edges_of)(bits, first, end, picture.width) for first, end in picture.bands]
    return picture.array(made, np.uint8)


def _strengths(picture: Picture, way: CannyWay, run: Callable[..., Any], dtype: Any) -> Any:
    """Returns the lazy strengths of one picture whose sigma is found."""
    dask: Any = sys.modules["dask"]

    sigma = dask.delayed(_find_sigma)(picture.each(_count_sigma, way))
    return picture.array(picture.each(run, sigma), dtype)


def each_picture(
    image: Any,
    mask: Any,
    layout: str | None,
    probe: Callable[[Any, str], Any],
    make: Callable[[Any, Any, str, int, Any], Any],
) -> Any:
    """Returns the lazy result of make(image, mask, layout, number, dtype) of every picture.

    `probe` runs the whole operation on a few pixels, which finds invalid arguments.
    """
    da: Any = sys.modules["dask.array"]
    axes = Axes(image, layout, "image")
    wanted = axes.result_of(image, probe)
    outer = image.shape[: axes.sides[0]]
    name = axes.name[len(outer) :]
    if mask is not None:
        mask = axes.mask_of(image, mask)
    made = []
    for number, index in enumerate(np.ndindex(*outer)):
        inside = None if mask is None else mask[index]
        made.append(make(image[index], inside, name, number, wanted["dtype"]))
    result = da.stack(made).reshape((*outer, *made[0].shape))
    result = result.rechunk({side: image.chunks[side] for side in axes.sides})
    if name.endswith("C") and not wanted["drop_axis"]:
        result = result[..., np.newaxis]
    return result


def edges_by_bands(
    image: Any,
    ways: list[CannyWay],
    layout: str | None,
    probe: Callable[[Any, str], Any],
    *,
    mask: Any = None,
    finds_sigma: bool = False,
    **refused: Any,
) -> Any:
    """Returns Canny's lazy edges. There is one way, or one for each picture.

    `refused` are arguments that a lazy result cannot have, by name.
    """
    refuse(**refused)
    reach = _core.canny_reach(ways[0].of_core(), dict(ways[0].options))

    def make(one: Any, inside: Any, name: str, number: int, _: Any) -> Any:
        way = ways[number if len(ways) > 1 else 0]
        counts = way.given is None and way.level is None
        return _edges(Picture(one, inside, name, reach), way, finds_sigma, counts)

    return each_picture(image, mask, layout, probe, make)


def strengths_by_bands(
    image: Any,
    way: CannyWay,
    layout: str | None,
    run: Callable[..., Any],
    probe: Callable[[Any, str], Any],
    **refused: Any,
) -> Any:
    """Returns Canny's lazy strengths where the sigma is found.

    `run` is called with rows, None, their layout, the first and last row that are wanted, and the
    sigma. It returns the wanted rows.
    """
    refuse(**refused)
    reach = _core.canny_reach(way.of_core(), dict(way.options))

    def make(one: Any, inside: Any, name: str, _: int, dtype: Any) -> Any:
        return _strengths(Picture(one, inside, name, reach), way, run, dtype)

    return each_picture(image, None, layout, probe, make)

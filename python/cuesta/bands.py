"""One picture file in bands of rows, by several processes: the parts of `edges_file`, `filter_file` and `label_file`.

A `BandWork` says what is made of the file, and can be sent to other processes. Each of these makes bands with
`BandWork.maker`. One process joins them in order with `BandWork.join`. The result is that of one process, byte for byte.
`cuesta.ray` is made of this; most programs call the functions instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from cuesta import _band_files
from cuesta._band_files import FileResult
from cuesta._reading import files_extension

__all__ = ["BandWork", "edges_work", "filter_work", "label_work"]


@dataclass(frozen=True)
class BandWork:
    """What is made of a picture file: by `edges_work`, `filter_work` or `label_work`."""

    operation: str
    """"edges", "filter" or "label"."""
    arguments: tuple[Any, ...]
    """Of the operation, options excepted."""
    options: Mapping[str, Any]
    """As `edges_file`, `filter_file` and `label_file` take them."""
    memory: int | str = "512MB"
    """For rows, in each process."""

    def with_threads(self, threads: int) -> BandWork:
        """The same work with that many threads."""
        return replace(self, options={**self.options, "threads": threads})

    def maker(self, source: str) -> Any:
        """What makes bands, in any process.

        Parameters
        ----------
        source : str
            The picture file, as a path of this machine.

        Returns
        -------
        object
            Its methods take rows, [first, end). Of edges and filters: ``count(first, end)``, the histogram that automatic
            thresholds need, and ``make(first, end, thresholds)``, the band. Of components: ``find(first, end)``.

        Raises
        ------
        InputError, InvalidArgument
            As `edges_file`.
        """
        files = files_extension()
        return (files.LabelMaker if self.operation == "label" else files.BandMaker)(
            source, self._settled()
        )

    def join(
        self,
        source: str,
        target: str = "",
        *,
        rows: int | None = None,
        resume: bool = True,
        tiff: str = "strips",
        progress: Callable[[int, int], Any] | None = None,
    ) -> Any:
        """What joins bands, in one process.

        Parameters
        ----------
        source : str
            The picture file, as a path of this machine.
        target : str
            Where the result is written; not of components.
        rows, resume, tiff, progress
            As `edges_file` has them.

        Returns
        -------
        object
            ``width``, ``height`` and ``band_rows``, the rows of a band that fit into memory. Of edges and filters:
            ``rows``, those that are there already, ``wants_counts``, ``add_counts(counts)``, ``find_thresholds()`` and
            ``add(band)``. Of components: ``add(*found)``. Bands are added downwards.

        Raises
        ------
        InputError, OutputError, InvalidArgument
            As `edges_file`.
        """
        files = files_extension()
        work = self._settled(rows, resume, tiff, progress)
        return (
            files.LabelJoin(source, work)
            if self.operation == "label"
            else files.BandJoin(source, target, work)
        )

    def result(self, join: Any) -> Any:
        """Finishes what `join` gave, once all bands are added.

        Returns
        -------
        FileResult or FileComponents
        """
        found = join.finish()
        return (
            _band_files.components_of(found) if self.operation == "label" else FileResult(**found)
        )

    def _settled(
        self,
        rows: int | None = None,
        resume: bool = True,
        tiff: str = "strips",
        progress: Callable[[int, int], Any] | None = None,
    ) -> Any:
        """As the extension takes it."""
        banding = _band_files.banding(self.memory, rows, resume, tiff, "cpu", progress)
        make: Callable[..., Any] = getattr(_band_files, f"{self.operation}_work")
        return make(*self.arguments, dict(self.options), banding)


def edges_work(
    method: str = "canny",
    *,
    low: float | None = None,
    high: float | None = None,
    threshold: str | float | None = None,
    memory: int | str = "512MB",
    **options: Any,
) -> BandWork:
    """What `edges_file` makes; the parameters are its own."""
    return BandWork("edges", (method, low, high, threshold), options, memory)


def filter_work(
    filter: str, *, element: str = "rect:3", memory: int | str = "512MB", **options: Any
) -> BandWork:
    """What `filter_file` makes; the parameters are its own."""
    return BandWork("filter", (filter, element), options, memory)


def label_work(*, threshold: float = 0, memory: int | str = "512MB", **options: Any) -> BandWork:
    """What `label_file` finds; the parameters are its own."""
    return BandWork("label", (threshold,), options, memory)

"""One picture file in bands of rows, computed by several processes.

These are the parts of `edges_file`, `filter_file` and `label_file`. A `BandWork` describes what is
computed, and can be sent to other processes. Each of them makes bands with `BandWork.maker`. One
process joins the bands in order with `BandWork.join`. The result is that of one process, byte for
byte. `cuesta.ray` is built on this module; most programs call the functions instead.
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
    """What is computed from a picture file; `edges_work`, `filter_work` and `label_work` make it."""

    operation: str
    """"edges", "filter" or "label"."""
    arguments: tuple[Any, ...]
    """The operation's arguments, without options."""
    options: Mapping[str, Any]
    """The options of `edges_file`, `filter_file` or `label_file`."""
    memory: int | str = "512MB"
    """Memory limit for rows, in each process."""
    page: int | None = None
    """The page of a file with several, from 1."""
    band: int | None = None
    """The only channel that is used, from 1; None uses all."""

    def with_threads(self, threads: int) -> BandWork:
        """Returns the same work with another number of threads.

        Parameters
        ----------
        threads : int
            Number of CPU threads.
        """
        return replace(self, options={**self.options, "threads": threads})

    def maker(self, source: str) -> Any:
        """Returns the object that makes bands, in any process.

        Parameters
        ----------
        source : str
            The picture file, as a path on this machine.

        Returns
        -------
        object
            Its methods read the rows [first, end). For edges and filters: ``count(first, end)``
            returns histograms, from which Canny's thresholds and sigma are found, and
            ``make(first, end, found)`` the band. For components: ``find(first, end)``.

        Raises
        ------
        InputError, InvalidArgument
            See `edges_file`.
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
        """Returns the object that joins bands, in one process.

        Parameters
        ----------
        source : str
            The picture file, as a path on this machine.
        target : str
            The file of the result; components have none.
        rows, resume, tiff, progress
            See `edges_file`.

        Returns
        -------
        object
            ``width``, ``height`` and ``band_rows``, the number of rows that fit into memory. For
            edges and filters: ``rows``, the number of rows that exist already, ``wants_counts``,
            ``add_counts(counts)``, ``find()`` and ``add(band)``. For components:
            ``add(*found)``. Bands are added from top to bottom.

        Raises
        ------
        InputError, OutputError, InvalidArgument
            See `edges_file`.
        """
        files = files_extension()
        work = self._settled(rows, resume, tiff, progress)
        return (
            files.LabelJoin(source, work)
            if self.operation == "label"
            else files.BandJoin(source, target, work)
        )

    def result(self, join: Any) -> Any:
        """Finishes a join after all bands are added.

        Parameters
        ----------
        join : object
            As `join` returns it.

        Returns
        -------
        FileResult or FileComponents
            As the function of this work returns it.
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
        """Returns the work as the extension takes it."""
        banding = _band_files.banding(
            self.memory, rows, resume, tiff, "cpu", progress, self.page, self.band
        )
        make: Callable[..., Any] = getattr(_band_files, f"{self.operation}_work")
        return make(*self.arguments, dict(self.options), banding)


def edges_work(
    method: str = "canny",
    *,
    low: float | None = None,
    high: float | None = None,
    threshold: str | float | None = None,
    memory: int | str = "512MB",
    page: int | None = None,
    band: int | None = None,
    **options: Any,
) -> BandWork:
    """Describes what `edges_file` computes.

    Parameters
    ----------
    method, low, high, threshold, memory, page, band, **options
        See `edges_file`.

    Returns
    -------
    BandWork
        For any number of processes.
    """
    return BandWork("edges", (method, low, high, threshold), options, memory, page, band)


def filter_work(
    filter: str,
    *,
    element: str = "rect:3",
    memory: int | str = "512MB",
    page: int | None = None,
    band: int | None = None,
    **options: Any,
) -> BandWork:
    """Describes what `filter_file` computes.

    Parameters
    ----------
    filter, element, memory, page, band, **options
        See `filter_file`.

    Returns
    -------
    BandWork
        For any number of processes.
    """
    return BandWork("filter", (filter, element), options, memory, page, band)


def label_work(
    *,
    threshold: float = 0,
    memory: int | str = "512MB",
    page: int | None = None,
    band: int | None = None,
    **options: Any,
) -> BandWork:
    """Describes what `label_file` computes.

    Parameters
    ----------
    threshold, memory, page, band, **options
        See `label_file`.

    Returns
    -------
    BandWork
        For any number of processes.
    """
    return BandWork("label", (threshold,), options, memory, page, band)

"""Pictures larger than memory, in bands of rows.

Workers make the bands, and the caller joins them in order.
"""

from __future__ import annotations

import os
import pathlib
import tempfile
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Union

import ray

from cuesta import FileComponents, FileResult
from cuesta.bands import BandWork, edges_work, filter_work, label_work
from cuesta.errors import InputError, OutputError
from cuesta.ray import _places as places, _resources as resources
from cuesta.ray._outputs import cause_of

__all__ = ["edges_file", "filter_file", "label_file"]

#: Called with (done, all), numbers of rows.
Progress = Callable[[int, int], Any]
Path = Union[str, "os.PathLike[str]"]

#: Attempts at a band whose worker or machine dies each time, before the picture is given up.
_TRIES = 8
#: Most pixels of a band, unless rows are given: larger bands are no faster, and cost more to
#: repeat.
_PIXELS = 1 << 26


@dataclass(frozen=True)
class Work:
    """What is computed from which file; it is sent to the workers."""

    source: str
    filesystem: Any
    work: BandWork
    threads: int

    def local(self) -> str:
        """Returns the source as a file on this machine."""
        return places.kept.local(self.source, self.filesystem)


class _Kept:
    """The maker of this process's last picture, whose decoder continues downwards."""

    def __init__(self) -> None:
        self._key: tuple[Any, ...] = ()
        self._maker: Any = None

    def maker(self, work: Work, file: str) -> Any:
        """Returns the maker for a picture."""
        status = os.stat(file)
        times = (status.st_mtime_ns, status.st_ctime_ns)
        key = (file, status.st_dev, status.st_ino, status.st_size, times, repr(work.work))
        if key != self._key:
            self._key, self._maker = (), None
            self._maker = work.work.with_threads(work.threads).maker(file)
            self._key = key
        return self._maker


_kept = _Kept()


def do_band(work: Work, step: str, first: int, end: int, *more: Any) -> Any:
    """Computes a step of the maker for the rows [first, end).

    "count" returns histograms of Canny's magnitudes, "make" rows of the result or Canny's marks,
    and "find" components.
    """
    file = work.local()
    try:
        return getattr(_kept.maker(work, file), step)(first, end, *more)
    except InputError as error:
        raise places.named(error, work.source, file) from error


def _in_order(
    begin: Callable[[int, int], Any], bands: Iterator[tuple[int, int]], at_once: int, source: str
) -> Iterator[Any]:
    """Yields the results of the bands, from top to bottom.

    `at_once` bands are computed at a time, and at most as many wait to be consumed. Bands in flight
    run to their end even if nobody consumes them. Ray ends the whole process where a cancelled task
    ends by itself at that moment (docs/dev/decisions/0058).
    """
    in_flight: deque[tuple[tuple[int, int], Any]] = deque()
    while True:
        begun = [one for _, one in in_flight]
        done = ray.wait(begun, num_returns=len(begun), timeout=0)[0] if begun else []
        while len(in_flight) < min(2 * at_once, at_once + len(done)) and (
            band := next(bands, None)
        ):
            in_flight.append((band, begin(*band)))
        if not in_flight:
            return
        (first, end), one = in_flight[0]
        if one not in done:
            ray.wait([other for _, other in in_flight if other not in done])
            continue
        try:
            made = ray.get(one)
        except ray.exceptions.RayTaskError as error:
            raise cause_of(error) from None
        except ray.exceptions.RayError as error:
            raise InputError(
                f"{source}: the worker, or its machine, died {_TRIES} times at rows {first} to {end}",
                source,
            ) from error
        in_flight.popleft()
        yield made


def _run(
    work: Work,
    target: Path,
    rows: int | None,
    resume: bool,
    tiff: str,
    workers: int | None,
    num_cpus: float,
    progress: Progress | None,
) -> FileResult:
    resources.check(workers)
    name = places.everywhere(target, work.filesystem)
    found, inner = places.find(name, work.filesystem)
    if places.is_local(found):
        return _made(work, inner, rows, resume, tiff, workers, num_cpus, progress)
    with tempfile.TemporaryDirectory(prefix="cuesta-") as folder:
        file = pathlib.Path(folder, pathlib.PurePosixPath(inner).name)
        made = _made(work, str(file), rows, resume, tiff, workers, num_cpus, progress)
        try:
            with file.open("rb") as there, found.open_output_stream(inner) as stream:
                while piece := there.read(1 << 24):
                    stream.write(piece)
        except OSError as error:
            raise OutputError(f"cannot write {name}: {error.strerror or error}", name) from error
        return made


def _joined_by(work: Work, join: Callable[[str], Any]) -> Any:
    """Returns the extension's object that joins bands, for the source on this machine."""
    file = work.local()
    try:
        return join(file)
    except InputError as error:
        raise places.named(error, work.source, file) from error


def _bands_of(
    work: Work, join: Any, rows: int | None, workers: int | None, num_cpus: float
) -> Callable[..., Iterator[tuple[int, Any]]]:
    """Returns a function that computes a picture's bands over the cluster.

    It takes a step, the first row, and the step's other arguments. It yields the number of rows and
    the result of each band, from top to bottom.
    """
    at_once = resources.at_once(workers, num_cpus)
    high = rows or min(
        join.band_rows, max(1, _PIXELS // join.width), -(-join.height // (2 * at_once))
    )
    there = ray.put(work)
    begin = ray.remote(num_cpus=num_cpus, max_retries=_TRIES - 1)(do_band)

    def bands(step: str, first: int, *more: Any) -> Iterator[tuple[int, Any]]:
        cut = [(y, min(y + high, join.height)) for y in range(first, join.height, high)]
        made = _in_order(
            lambda first, end: begin.remote(there, step, first, end, *more),
            iter(cut),
            at_once,
            work.source,
        )
        return zip((end - first for first, end in cut), made)

    return bands


def _made(
    work: Work,
    target: str,
    rows: int | None,
    resume: bool,
    tiff: str,
    workers: int | None,
    num_cpus: float,
    progress: Progress | None,
) -> FileResult:
    how: dict[str, Any] = {"rows": rows, "resume": resume, "tiff": tiff, "progress": progress}
    join = _joined_by(work, lambda file: work.work.join(file, target, **how))
    bands = _bands_of(work, join, rows, workers, num_cpus)
    if join.wants_counts:
        for _, counts in bands("count", 0):
            join.add_counts(counts)
    found = join.find()
    for _, part in bands("make", join.rows, found):
        join.add(part)
    made: FileResult = work.work.result(join)
    return made


def _threads(num_cpus: float, options: dict[str, Any]) -> int:
    for name in ("threads", "device", "num_gpus"):
        if name in options:
            raise TypeError(
                f"{name} is not supported: workers compute bands on the CPU; give num_cpus"
            )
    return max(1, int(num_cpus))


def edges_file(
    source: Path,
    target: Path,
    method: str = "canny",
    *,
    low: float | None = None,
    high: float | None = None,
    threshold: str | float | None = None,
    memory: int | str = "512MB",
    rows: int | None = None,
    resume: bool = True,
    tiff: str = "strips",
    filesystem: Any = None,
    workers: int | None = None,
    num_cpus: float = 1,
    progress: Progress | None = None,
    **options: Any,
) -> FileResult:
    """Finds edges in a picture file of any size on a Ray cluster: the bytes of `cuesta.edges_file`.

    Each band of rows is made by a worker, which also reads the rows around it. The caller joins the
    bands in order and writes `target`. When a worker or machine dies, only its bands in flight are
    repeated. An interrupted call leaves its rows beside `target`, as in `cuesta.edges_file`; the
    same call resumes from them.

    Parameters
    ----------
    source, target : path or address
        The picture file and the result. The source is on a file system that every machine reads, or
        at an address (s3://, gs://). Each worker fetches an address. Compressed files are decoded
        from the top by each worker, which skips the bands of others.
    method, low, high, threshold, resume, tiff
        See `cuesta.edges_file`.
    memory : int or str
        Memory limit of each worker, for rows.
    rows : int, optional
        Rows of a band; by default as many as `memory` holds.
    filesystem : pyarrow.fs.FileSystem, optional
        The file system of both, where an address does not name it.
    workers : int, optional
        Bands that are computed at the same time; by default as many as the cluster has CPUs for. As
        many again may wait in Ray's store.
    num_cpus : float
        CPUs of a worker, which runs as many threads.
    progress : callable, optional
        Called with (done, all), numbers of rows.
    **options
        See `cuesta.edges_file`, without `threads` and `device`.

    Returns
    -------
    FileResult
        As `cuesta.edges_file` returns it.

    Raises
    ------
    InputError, OutputError, InvalidArgument
        See `cuesta.edges_file`.

    Examples
    --------
    >>> import cuesta.ray
    >>> def outlines(scan):
    ...     return cuesta.ray.edges_file(scan, "edges.tif", sigma=1.4)
    """
    threads = _threads(num_cpus, options)
    of = edges_work(method, low=low, high=high, threshold=threshold, memory=memory, **options)
    work = Work(places.everywhere(source, filesystem), filesystem, of, threads)
    return _run(work, target, rows, resume, tiff, workers, num_cpus, progress)


def filter_file(
    source: Path,
    target: Path,
    filter: str,
    *,
    element: str = "rect:3",
    memory: int | str = "512MB",
    rows: int | None = None,
    resume: bool = True,
    tiff: str = "strips",
    filesystem: Any = None,
    workers: int | None = None,
    num_cpus: float = 1,
    progress: Progress | None = None,
    **options: Any,
) -> FileResult:
    """Filters a picture file of any size on a Ray cluster; see `edges_file`.

    Parameters
    ----------
    source, target, memory, rows, resume, tiff, filesystem, workers, num_cpus, progress
        See `edges_file`.
    filter, element
        See `cuesta.filter_file`.
    **options
        See `cuesta.filter_file`, without `threads` and `device`.

    Returns
    -------
    FileResult
        As `cuesta.filter_file` returns it.

    Raises
    ------
    InputError, OutputError, InvalidArgument
        See `cuesta.filter_file`.
    """
    threads = _threads(num_cpus, options)
    of = filter_work(filter, element=element, memory=memory, **options)
    work = Work(places.everywhere(source, filesystem), filesystem, of, threads)
    return _run(work, target, rows, resume, tiff, workers, num_cpus, progress)


def label_file(
    source: Path,
    *,
    threshold: float = 0,
    memory: int | str = "512MB",
    rows: int | None = None,
    filesystem: Any = None,
    workers: int | None = None,
    num_cpus: float = 1,
    progress: Progress | None = None,
    **options: Any,
) -> FileComponents:
    """Finds the connected components of a picture file of any size on a Ray cluster.

    They are those of `cuesta.label_file`. Each band of rows is labelled by a worker, and the caller
    joins the lists in order. When a worker or machine dies, only its bands in flight are repeated.
    An interrupted call cannot be resumed.

    Parameters
    ----------
    source, memory, rows, filesystem, workers, num_cpus
        See `edges_file`. The components use memory in addition, where the call is.
    threshold
        See `cuesta.label_file`.
    progress : callable, optional
        Called with (done, all), numbers of rows.
    **options
        See `cuesta.label_file`, without `threads` and `device`.

    Returns
    -------
    FileComponents
        As `cuesta.label_file` returns it.

    Raises
    ------
    InputError, InvalidArgument
        See `cuesta.label_file`.

    Examples
    --------
    >>> import cuesta.ray
    >>> def cells(scan):
    ...     return cuesta.ray.label_file(scan, threshold=128).count
    """
    resources.check(workers)
    threads = _threads(num_cpus, options)
    of = label_work(threshold=threshold, memory=memory, **options)
    work = Work(places.everywhere(source, filesystem), filesystem, of, threads)
    join = _joined_by(work, lambda file: of.join(file, rows=rows))
    done = 0
    for high, found in _bands_of(work, join, rows, workers, num_cpus)("find", 0):
        join.add(*found)
        done += high
        if progress:
            progress(done, join.height)
    found_all: FileComponents = of.result(join)
    return found_all

"""Pictures larger than memory: bands of rows, each made where there is room, joined in order by the one who asks."""

from __future__ import annotations

import os
import pathlib
import tempfile
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Union

import ray

from cuesta import files
from cuesta.errors import InputError, InvalidArgument, OutputError
from cuesta.files import FileResult
from cuesta.ray import places
from cuesta.ray.outputs import cause_of

__all__ = ["edges_file", "filter_file"]

#: Told (done, all), numbers of rows.
Progress = Callable[[int, int], Any]
Path = Union[str, "os.PathLike[str]"]

#: How often a band is begun that ends its worker each time, or whose machine goes, before the picture is given up.
_TRIES = 8
#: Pixels of a band at most, unless rows are given: larger ones cost no less, and are more to do again.
_PIXELS = 1 << 26


@dataclass(frozen=True)
class Work:
    """What is made of which file; goes to the workers."""

    source: str
    filesystem: Any
    make: Callable[..., Any]
    """`files.edges_work` or `files.filter_work`, ..."""
    arguments: tuple[Any, ...]
    """... and what they take in front of the bands' settings."""
    memory: int | str
    threads: int

    def local(self) -> str:
        """The source as a file of this machine."""
        return places.kept.local(self.source, self.filesystem)

    def of(self, rows: int | None = None, resume: bool = True, tiff: str = "strips", progress: Progress | None = None) -> Any:
        """The same as the extension takes it, for this process."""
        extension: Any = files._files()
        return self.make(*self.arguments, files._banding(extension, self.memory, rows, resume, tiff, "cpu", progress))


class _Kept:
    """The picture that this process made bands of last: its decoder goes on downwards."""

    def __init__(self) -> None:
        self._key: tuple[Any, ...] = ()
        self._maker: Any = None

    def maker(self, work: Work) -> Any:
        file = work.local()
        status = os.stat(file)
        key = (file, status.st_ino, status.st_size, status.st_mtime_ns, work.make.__name__, repr(work.arguments), work.memory)
        if key != self._key:
            self._key, self._maker = (), None
            extension: Any = files._files()
            with_threads = (*work.arguments[:-1], {**work.arguments[-1], "threads": work.threads})
            here = Work(work.source, work.filesystem, work.make, with_threads, work.memory, work.threads)
            self._maker = extension.BandMaker(file, here.of())
            self._key = key
        return self._maker


_kept = _Kept()


def _named(error: InputError, work: Work, file: str) -> InputError:
    """By the name that people know the file by."""
    return InputError(str(error).replace(file, work.source), work.source)


def count_band(work: Work, first: int, end: int) -> Any:
    """The histogram of Canny's magnitudes in rows [first, end)."""
    try:
        return _kept.maker(work).count(first, end)
    except InputError as error:
        raise _named(error, work, work.local()) from error


def make_band(work: Work, first: int, end: int, thresholds: tuple[float, float] | None) -> Any:
    """What is made of rows [first, end): those of the result, or Canny's marks."""
    try:
        return _kept.maker(work).make(first, end, thresholds)
    except InputError as error:
        raise _named(error, work, work.local()) from error


def _in_order(begin: Callable[[int, int], Any], bands: Iterator[tuple[int, int]], at_once: int, source: str) -> Iterator[Any]:
    """What becomes of the bands, downwards: `at_once` of them are worked on, and as many wait to be taken at most."""
    under_way: deque[tuple[tuple[int, int], Any]] = deque()
    try:
        while True:
            begun = [one for _, one in under_way]
            done = ray.wait(begun, num_returns=len(begun), timeout=0)[0] if begun else []
            while len(under_way) < min(2 * at_once, at_once + len(done)) and (band := next(bands, None)):
                under_way.append((band, begin(*band)))
            if not under_way:
                return
            (first, end), one = under_way[0]
            if one not in done:
                ray.wait([other for _, other in under_way if other not in done])
                continue
            try:
                made = ray.get(one)
            except ray.exceptions.RayTaskError as error:
                raise cause_of(error) from None
            except ray.exceptions.RayError as error:
                raise InputError(
                    f"{source}: rows {first} to {end} ended their worker, or its machine, {_TRIES} times", source
                ) from error
            under_way.popleft()
            yield made
    finally:
        for _, one in under_way:
            ray.cancel(one, force=False)


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
    if workers is not None and workers < 1:
        raise InvalidArgument(f"workers is {workers}; it must be 1 or more", str(workers))
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
    extension: Any = files._files()
    file = work.local()
    try:
        join = extension.BandJoin(file, target, work.of(rows, resume, tiff, progress))
    except InputError as error:
        raise _named(error, work, file) from error
    at_once = workers or max(1, int(ray.cluster_resources().get("CPU", 1) / max(num_cpus, 1e-3)))
    high = rows or min(join.band_rows, max(1, _PIXELS // join.width), -(-join.height // (2 * at_once)))

    def bands(first: int) -> Iterator[tuple[int, int]]:
        return ((y, min(y + high, join.height)) for y in range(first, join.height, high))

    there = ray.put(work)
    often = {"num_cpus": num_cpus, "max_retries": _TRIES - 1}
    count, make = ray.remote(**often)(count_band), ray.remote(**often)(make_band)
    if join.wants_counts:
        for counts in _in_order(lambda first, end: count.remote(there, first, end), bands(0), at_once, work.source):
            join.add_counts(counts)
    thresholds = join.find_thresholds()
    for part in _in_order(
        lambda first, end: make.remote(there, first, end, thresholds), bands(join.rows), at_once, work.source
    ):
        join.add(part)
    return FileResult(**join.finish())


def _threads(num_cpus: float, options: dict[str, Any]) -> int:
    for name in ("threads", "device"):
        if name in options:
            raise TypeError(f"{name} is not of bands over workers; give num_cpus")
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
    """Edges of a picture file of any size over the machines of a Ray cluster: byte for byte those of `cuesta.edges_file`.

    Each band of rows is made by a worker, which reads the rows around it too; whoever calls this joins the bands in order
    and writes `target`. A worker or a machine that ends costs the bands it was at. A call that is killed leaves its rows
    beside `target`, as `cuesta.edges_file` does, and the same call goes on from them.

    Parameters
    ----------
    source, target : path or address
        The source must be seen by every machine, or be elsewhere (s3://, gs://): then each worker fetches it. Packed files
        are decoded from the top by each worker, which passes over the bands of others.
    method, low, high, threshold, resume, tiff
        As `cuesta.edges_file` has them.
    memory : int or str
        Of each worker, for rows.
    rows : int, optional
        Of a band, instead.
    filesystem : pyarrow.fs.FileSystem, optional
        Of both, where an address does not say it.
    workers : int, optional
        Bands that are worked on at once; by default as many as the cluster has CPUs for. As many again may wait in Ray's store.
    num_cpus : float
        CPUs of a worker, which runs as many threads.
    progress : callable, optional
        Told (done, all), numbers of rows.
    **options
        As `cuesta.edges_file` has them, but for `threads` and `device`.

    Raises
    ------
    InputError, OutputError, InvalidArgument
        As `cuesta.edges_file`.

    Examples
    --------
    >>> import cuesta.ray
    >>> def outlines(scan):
    ...     return cuesta.ray.edges_file(scan, "edges.tif", sigma=1.4)
    """
    arguments = (method, low, high, threshold, options)
    work = Work(
        places.everywhere(source, filesystem), filesystem, files.edges_work, arguments, memory, _threads(num_cpus, options)
    )
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
    """A filter of a picture file of any size over the machines of a Ray cluster, as `edges_file` works.

    Parameters
    ----------
    source, target, memory, rows, resume, tiff, filesystem, workers, num_cpus, progress
        As `edges_file` has them.
    filter, element
        As `cuesta.filter_file` has them.
    **options
        As `cuesta.filter_file` has them, but for `threads` and `device`.
    """
    arguments = (filter, element, options)
    work = Work(
        places.everywhere(source, filesystem), filesystem, files.filter_work, arguments, memory, _threads(num_cpus, options)
    )
    return _run(work, target, rows, resume, tiff, workers, num_cpus, progress)

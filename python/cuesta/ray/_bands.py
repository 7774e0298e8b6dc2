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

from cuesta import FileComponents, FileResult
from cuesta.bands import BandWork, edges_work, filter_work, label_work
from cuesta.errors import InputError, OutputError
from cuesta.ray import _places as places, _resources as resources
from cuesta.ray._outputs import cause_of

__all__ = ["edges_file", "filter_file", "label_file"]

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
    work: BandWork
    threads: int

    def local(self) -> str:
        """The source as a file of this machine."""
        return places.kept.local(self.source, self.filesystem)


class _Kept:
    """The picture that this process worked on bands of last: its decoder goes on downwards."""

    def __init__(self) -> None:
        self._key: tuple[Any, ...] = ()
        self._maker: Any = None

    def maker(self, work: Work, file: str) -> Any:
        status = os.stat(file)
        key = (file, status.st_ino, status.st_size, status.st_mtime_ns, repr(work.work))
        if key != self._key:
            self._key, self._maker = (), None
            self._maker = work.work.with_threads(work.threads).maker(file)
            self._key = key
        return self._maker


_kept = _Kept()


def do_band(work: Work, step: str, first: int, end: int, *more: Any) -> Any:
    """What a step of the maker gives of rows [first, end): "count" the histogram of Canny's magnitudes, "make" rows of the
    result, or Canny's marks, "find" components."""
    file = work.local()
    try:
        return getattr(_kept.maker(work, file), step)(first, end, *more)
    except InputError as error:
        raise places.named(error, work.source, file) from error


def _in_order(
    begin: Callable[[int, int], Any], bands: Iterator[tuple[int, int]], at_once: int, source: str
) -> Iterator[Any]:
    """What becomes of the bands, downwards: `at_once` of them are worked on, and as many wait to be taken at most. Those that
    are under way when nobody asks any more run to their end: Ray ends the whole process where a task that is cancelled
    ends by itself at that moment (docs/dev/decisions/0058)."""
    under_way: deque[tuple[tuple[int, int], Any]] = deque()
    while True:
        begun = [one for _, one in under_way]
        done = ray.wait(begun, num_returns=len(begun), timeout=0)[0] if begun else []
        while len(under_way) < min(2 * at_once, at_once + len(done)) and (
            band := next(bands, None)
        ):
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
                f"{source}: rows {first} to {end} ended their worker, or its machine, {_TRIES} times",
                source,
            ) from error
        under_way.popleft()
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
    """The extension's object that joins bands, of the source as a file of this machine."""
    file = work.local()
    try:
        return join(file)
    except InputError as error:
        raise places.named(error, work.source, file) from error


def _bands_of(
    work: Work, join: Any, rows: int | None, workers: int | None, num_cpus: float
) -> Callable[..., Iterator[tuple[int, Any]]]:
    """Of a picture over the cluster: a function of a step, the row to begin at, and what the step takes beside rows. It gives
    the number of rows of each band, downwards, and what becomes of it."""
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
    thresholds = join.find_thresholds()
    for _, part in bands("make", join.rows, thresholds):
        join.add(part)
    made: FileResult = work.work.result(join)
    return made


def _threads(num_cpus: float, options: dict[str, Any]) -> int:
    for name in ("threads", "device", "num_gpus"):
        if name in options:
            raise TypeError(
                f"{name} is not of bands over workers, which are on the CPU; give num_cpus"
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
    """Connected components of a picture file of any size over the machines of a Ray cluster: those of `cuesta.label_file`.

    Each band of rows is looked at by a worker; whoever calls this joins their lists in order. A worker or a machine that ends
    costs the bands it was at. A call that is killed begins again.

    Parameters
    ----------
    source, memory, rows, filesystem, workers, num_cpus
        As `edges_file` has them; the components come on top of `memory`, where the call is.
    threshold
        As `cuesta.label_file` has it.
    progress : callable, optional
        Told (done, all), numbers of rows.
    **options
        As `cuesta.label_file` has them, but for `threads` and `device`.

    Returns
    -------
    FileComponents

    Raises
    ------
    InputError, InvalidArgument
        As `cuesta.label_file`.

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

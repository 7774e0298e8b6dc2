"""Pictures: pipelines of Ray Data."""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Union, overload

import numpy as np
import pyarrow as pa
import ray
import ray.data

import cuesta
from cuesta.errors import InvalidArgument
from cuesta.ray import _places as places, _resources as resources
from cuesta.ray._outputs import TABLES, Output, Summary, cause_of
from cuesta.ray._workers import FILTERS, METHODS, Work, Worker

if TYPE_CHECKING:
    from ray.data import Dataset

__all__ = ["edges", "filter"]

#: Called with the numbers of inputs done, of all inputs (None: unknown) and of errors.
Progress = Callable[[int, Union[int, None], int], None]
Pictures = Union["Dataset", str, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]]]

#: Rows of a batch, for datasets, and for tables, where a batch becomes a file.
BATCH = 16
#: Most rows of a batch of files that become files. Ray's cost is the same for any number of rows.
LARGEST_BATCH = 32
SOURCES = ("path", "bytes", "image")
PICTURES = (
    "png",
    "jpg",
    "jpeg",
    "tif",
    "tiff",
    "webp",
    "ppm",
    "pgm",
    "bmp",
    "jxl",
    "jp2",
    "avif",
    "heif",
)


def _check_options(
    kind: str,
    operation: str,
    table: Mapping[str, Callable[..., Any]],
    options: Mapping[str, Any],
    on_gpu: bool,
) -> None:
    """Raises errors that would occur in every row, before any row is processed.

    A GPU may be on another machine, so only the names of its strategies are checked.
    """
    if operation not in table:
        argument = "method" if kind == "edges" else "name"
        raise InvalidArgument(
            f"{argument} is {operation!r}; it must be one of {', '.join(sorted(table))}", operation
        )
    for name in ("layout", "mask", "out", "return_thresholds", "stream", "threads"):
        if name in options:
            raise TypeError(f"{name} is not supported for rows of pictures")
    nothing = np.zeros((32, 32), np.uint8)
    if on_gpu and options.get("strategy") is not None:
        options = {name: value for name, value in options.items() if name != "parameters"}
        strategy = options.pop("strategy")
        of = cuesta.which(table[operation], nothing, **options).operation
        names = [row.name for row in cuesta.strategies(of, "cuda")]
        if strategy not in names:
            raise InvalidArgument(
                f"strategy is {strategy!r}; on a GPU there are {', '.join(names)}", repr(strategy)
            )
    made = table[operation](nothing, **options)
    if not isinstance(made, np.ndarray):
        raise InvalidArgument(
            f"{operation} returns several pictures for one with these options; request one",
            operation,
        )


def _batch(files: int, workers: int) -> int:
    """Returns the rows of a batch of files that become files.

    There are four batches for each worker, so that all end at about the same time.
    """
    return max(1, min(LARGEST_BATCH, files // (4 * workers)))


def _dataset(
    pictures: Pictures, filesystem: Any, batch_of: Callable[[int], int]
) -> tuple[Dataset, str, str, int | None]:
    """Returns the rows, their source column, the common folder of all files, and their number."""
    if isinstance(pictures, ray.data.Dataset):
        names = pictures.schema().names if pictures.schema() is not None else []
        source = next((name for name in SOURCES if name in names), None)
        if source is None:
            raise InvalidArgument(
                f"the rows have columns {names}; one of them must be {', '.join(SOURCES)}",
                str(names),
            )
        return pictures, source, "", None
    files, base = places.expand(pictures, filesystem)
    if not files:
        raise InvalidArgument("no pictures are given", "[]")
    rows = batch_of(len(files))
    blocks = [pa.table({"path": files[i : i + rows]}) for i in range(0, len(files), rows)]
    return ray.data.from_arrow(blocks), "path", base, len(files)


def _mapped(
    data: Dataset,
    work: Work,
    workers: int | None,
    most: int,
    num_cpus: float,
    num_gpus: float,
    batch_size: int | None,
) -> Dataset:
    made: Dataset = data.map_batches(
        Worker,
        fn_constructor_args=(work,),
        batch_size=batch_size,
        compute=ray.data.ActorPoolStrategy(min_size=workers or 1, max_size=most),
        num_cpus=num_cpus,
        **({"num_gpus": num_gpus} if num_gpus else {}),
    )
    return made


def _run(data: Dataset, output: Output, total: int | None, progress: Progress | None) -> Summary:
    """Runs the pipeline to its end, and commits."""
    begun = time.monotonic()
    parts: set[str] = set()
    errors: list[tuple[str, str]] = []
    done = 0
    try:
        for batch in data.iter_batches(batch_size=None, batch_format="numpy"):
            if failed := next((failed for failed in batch["failed"].tolist() if failed), None):
                raise pickle.loads(bytes.fromhex(failed))
            parts.update(part for part in batch["part"].tolist() if part)
            errors += [
                (name, why)
                for name, why in zip(batch["name"].tolist(), batch["error"].tolist())
                if why
            ]
            done += len(batch["name"])
            if progress:
                progress(done, total, len(errors))
    except ray.exceptions.RayError as error:
        raise cause_of(error) from None
    output.commit(sorted(parts), done - len(errors), errors)
    return Summary(output.uri, done - len(errors), sorted(errors), time.monotonic() - begun)


def _pipeline(
    kind: Literal["edges", "filter"],
    operation: str,
    table: Mapping[str, Callable[..., Any]],
    pictures: Pictures,
    output: str | os.PathLike[str] | None,
    format: str,
    filesystem: Any,
    workers: int | None,
    num_cpus: float,
    num_gpus: float,
    overwrite: bool,
    progress: Progress | None,
    options: dict[str, Any],
) -> Any:
    _check_options(kind, operation, table, options, num_gpus > 0)
    resources.check(workers, num_gpus)
    if format not in TABLES and format not in PICTURES:
        raise InvalidArgument(
            f"format is {format!r}; it must be {', '.join(TABLES)}, or for pictures {', '.join(PICTURES)}",
            format,
        )
    to = (
        None
        if output is None
        else Output(places.everywhere(output, filesystem), format, filesystem)
    )
    most = resources.at_once(workers, num_cpus, num_gpus)
    grows = to is not None and not to.is_table

    def rows_of(files: int) -> int:
        return _batch(files, most) if grows else BATCH

    data, source, base, total = _dataset(pictures, filesystem, rows_of)
    # Blocks of files are used as batches; Ray supports that on the CPU alone.
    batch_size = BATCH if total is None else rows_of(total) if num_gpus else None
    threads = max(1, int(num_cpus))
    work = Work(kind, operation, options, source, base, filesystem, to, threads, num_gpus > 0)
    if to is not None:
        to.begin(overwrite)
    mapped = _mapped(data, work, workers, most, num_cpus, num_gpus, batch_size)
    return mapped if to is None else _run(mapped, to, total, progress)


@overload
def edges(
    pictures: Pictures,
    method: str = "canny",
    *,
    output: None = None,
    format: str = "png",
    filesystem: Any = None,
    workers: int | None = None,
    num_cpus: float = 1,
    num_gpus: float = 0,
    overwrite: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> Dataset: ...


@overload
def edges(
    pictures: Pictures,
    method: str = "canny",
    *,
    output: str | os.PathLike[str],
    format: str = "png",
    filesystem: Any = None,
    workers: int | None = None,
    num_cpus: float = 1,
    num_gpus: float = 0,
    overwrite: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> Summary: ...


def edges(
    pictures: Pictures,
    method: str = "canny",
    *,
    output: str | os.PathLike[str] | None = None,
    format: str = "png",
    filesystem: Any = None,
    workers: int | None = None,
    num_cpus: float = 1,
    num_gpus: float = 0,
    overwrite: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> Dataset | Summary:
    """Finds edges in pictures, on the machines of a Ray cluster.

    Parameters
    ----------
    pictures : Dataset, path, or sequence of paths
        A Dataset, or files. A row of a Dataset has a column `path` (a path that every machine
        reads, or an address: s3://, gs://), `bytes` (a file's content) or `image` (an array:
        (H, W), or (H, W, C) in RGB order). Rows of bytes and arrays that are written require a
        column `name`. Among files a folder is all files in it, and a pattern all that match.
    method : {"canny", "log", "sobel", "boundaries", "regions"}
        See `cuesta.edges`.
    output : path or address, optional
        The folder for the results, on any of pyarrow's file systems. Without one nothing is
        written, and the rows are returned.
    format : str
        A picture's extension: "png" writes one file for each picture, by its name and that
        extension. "parquet" writes rows of name, error, width, height and picture (PNG). "ndjson"
        writes the same without pictures.
    filesystem : pyarrow.fs.FileSystem, optional
        The file system of the pictures and of the output, where an address does not name it.
    workers : int, optional
        Number of actors. The default is as many as the cluster has CPUs for, and with `num_gpus`
        GPUs.
    num_cpus : float
        CPUs of an actor, which runs as many threads.
    num_gpus : float
        An actor's part of a GPU, 0.01 to 1: with 0.25 four actors share a GPU. Files are read and
        written by the actor's CPU, and each picture is copied to the GPU and back. With 0
        everything is computed on the CPU.
    overwrite : bool
        Write into a folder that has a complete result. Pictures there that are not made again stay.
    progress : callable, optional
        Called with (done, total or None, errors), after every few pictures that are written.
    **options
        See `cuesta.edges`.

    Returns
    -------
    Dataset or Summary
        Without `output` a lazy Dataset: name, error (empty for none), image, and the columns of the
        input except `bytes` and `image`. With one the job runs to its end and returns the counts
        and the rows with errors. The folder contains _SUCCESS when it is complete.

    Raises
    ------
    InvalidArgument, TypeError
        An argument is invalid. The message names it; nothing has run.
    InputError, OutputError
        A path or folder cannot be read or written. A single picture that cannot be read is a row
        with an error instead.
    DeviceError
        With `num_gpus` this build has no CUDA part or the cluster no GPU; nothing has run. Or a GPU
        failed later, which ends the job.

    Notes
    -----
    The bytes are those of `cuesta.edges` on each picture. On GPUs too, except for filters of
    float32 arrays, which are within the bounds of `strategies()`. float16 arrays have an error
    there: use float32. An actor that dies is replaced, and its rows are repeated under the same
    names.

    Examples
    --------
    >>> import cuesta.ray
    >>> def outlines(folder):
    ...     return cuesta.ray.edges(folder, output="s3://bucket/edges", sigma=2.0)
    """
    return _pipeline(
        "edges",
        method,
        METHODS,
        pictures,
        output,
        format,
        filesystem,
        workers,
        num_cpus,
        num_gpus,
        overwrite,
        progress,
        options,
    )


def filter(
    pictures: Pictures,
    name: str,
    *,
    output: str | os.PathLike[str] | None = None,
    format: str = "png",
    filesystem: Any = None,
    workers: int | None = None,
    num_cpus: float = 1,
    num_gpus: float = 0,
    overwrite: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> Dataset | Summary:
    """Filters pictures, on the machines of a Ray cluster.

    Parameters
    ----------
    pictures, output, format, filesystem, workers, num_cpus, num_gpus, overwrite, progress
        See `edges`. Colors are kept.
    name : {"gaussian", "box", "median", "sharpen", "laplacian", "convolve", "correlate"}
        The function of that name in `cuesta`.
    **options
        The options of that function.

    Returns
    -------
    Dataset or Summary
        As `edges` returns it.

    Raises
    ------
    InvalidArgument, TypeError, InputError, OutputError, DeviceError
        See `edges`.

    Examples
    --------
    >>> import cuesta.ray
    >>> def smooth(dataset):
    ...     return cuesta.ray.filter(dataset, "gaussian", sigma=2.0)
    """
    return _pipeline(
        "filter",
        name,
        FILTERS,
        pictures,
        output,
        format,
        filesystem,
        workers,
        num_cpus,
        num_gpus,
        overwrite,
        progress,
        options,
    )

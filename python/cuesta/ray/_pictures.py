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

#: What is told of the progress: done so far, of how many (None: not known), how many of them are errors.
Progress = Callable[[int, Union[int, None], int], None]
Pictures = Union["Dataset", str, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]]]

#: Rows that go to an actor at once: of datasets, and of tables, whose files they become.
BATCH = 16
#: Of files that become files at most: what Ray does for a batch is the same for any number of rows.
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
    """What is wrong with all rows is said before any. A GPU may be elsewhere: of its strategies the name is looked at."""
    if operation not in table:
        raise InvalidArgument(
            f"{kind} {operation!r}: choose one of {', '.join(sorted(table))}", operation
        )
    for name in ("layout", "mask", "out", "return_thresholds", "stream", "threads"):
        if name in options:
            raise TypeError(f"{name} is not of pictures in rows")
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
            f"{operation} makes several pictures of one with these options; ask for one", operation
        )


def _batch(files: int, workers: int) -> int:
    """Rows of a batch of files that become files: four batches for each worker, so that all end together."""
    return max(1, min(LARGEST_BATCH, files // (4 * workers)))


def _dataset(
    pictures: Pictures, filesystem: Any, batch_of: Callable[[int], int]
) -> tuple[Dataset, str, str, int | None]:
    """Rows, the column that they are read from, the folder that all files are in, and how many there are."""
    if isinstance(pictures, ray.data.Dataset):
        names = pictures.schema().names if pictures.schema() is not None else []
        source = next((name for name in SOURCES if name in names), None)
        if source is None:
            raise InvalidArgument(
                f"the rows have columns {names}; they need one of {', '.join(SOURCES)}", str(names)
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
            f"format is {format!r}; choose {', '.join(TABLES)}, or of pictures {', '.join(PICTURES)}",
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
    # Blocks of files are batches as they are, which Ray takes for an answer on the CPU alone.
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
    """Edges in pictures, over the machines of a Ray cluster.

    Parameters
    ----------
    pictures : Dataset, path, or sequence of paths
        Rows with a column `path` (a path that every machine sees, or an address: s3://, gs://), `bytes` (a file's) or
        `image` (arrays: (H, W), or (H, W, C) in RGB order). Or files, of which folders stand for all in them and patterns for what fits. Rows of bytes and arrays that are written need a column `name`.
    method : {"canny", "log", "sobel", "boundaries"}
        As `cuesta.edges` has them: the results are its bytes.
    output : path or address, optional
        The folder for the results, on any of pyarrow's file systems; without, nothing is written, and the rows come back.
    format : str
        Of what is written: a picture's extension ("png": one file for each picture, by its name and that extension);
        "parquet", rows of name, error, width, height and picture (PNG); or "ndjson", the same without pictures.
    filesystem : pyarrow.fs.FileSystem, optional
        Of the pictures and of the output, where an address does not say it.
    workers : int, optional
        Actors; by default as many as the cluster has CPUs and, where `num_gpus` is given, GPUs for.
    num_cpus : float
        CPUs of an actor, which runs as many threads.
    num_gpus : float
        Of a GPU an actor's part, 0.01 to 1: with 0.25 four actors share a GPU. Files are read and written by the actor's CPU, and
        each picture is copied to the GPU and back. 0: all is done on the CPU.
    overwrite : bool
        Take a folder that holds a whole result; pictures there that are not made again stay.
    progress : callable, optional
        progress(done, of how many or None, errors), after every few pictures that are written.
    **options
        As `cuesta.edges` takes them.

    Returns
    -------
    Dataset or Summary
        Without `output` a lazy Dataset: name, error (empty for none), image, and the columns of the input but for
        `bytes` and `image`. With one, it runs to the end: what was done, and which rows have errors. All results are
        there when _SUCCESS lies in the folder.

    Raises
    ------
    InvalidArgument, TypeError
        Naming the argument, before anything runs.
    InputError, OutputError
        Naming the path or folder. A single picture that cannot be read is no error but a row with one.
    DeviceError
        With `num_gpus`: before anything runs where this build has no CUDA part or the cluster no GPU; a GPU that fails later ends
        the job.

    Notes
    -----
    Equal, byte for byte, to the method on each picture by itself; on GPUs too, but for filters of float32 arrays, which are within
    the bounds of `strategies()`. float16 arrays have an error there: give float32. An actor that is killed is replaced, and does its rows
    again under the same names.

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
    """Filtered pictures, over the machines of a Ray cluster.

    Parameters
    ----------
    pictures, output, format, filesystem, workers, num_cpus, num_gpus, overwrite, progress
        As `edges` has them; colors stay.
    name : {"gaussian", "box", "median", "sharpen", "laplacian", "convolve", "correlate"}
        The function of that name in `cuesta`.
    **options
        Its options.

    Returns
    -------
    Dataset or Summary
        As `edges` has it.

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

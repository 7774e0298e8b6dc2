"""Picture files of any size, worked on in bands of rows."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from cuesta._recipes import edge_levels
from cuesta._reading import Path, files_extension
from cuesta.errors import InvalidArgument

__all__ = ["FileComponents", "FileResult", "edges_file", "filter_file", "label_file"]


class FileResult(NamedTuple):
    """What `edges_file` and `filter_file` made."""

    width: int
    height: int
    channels: int
    type: str
    """"u8", "u16"."""
    low: float
    high: float
    """Thresholds used, of canny."""
    edge_pixels: int
    """Of canny and log."""
    bands: int
    """Bands that were worked on."""
    resumed_rows: int
    """Rows that an earlier process had made."""


_LAYOUTS = ("strips", "tiled", "pyramid")


def _bytes_of(memory: int | str) -> int:
    if not isinstance(memory, str):
        return int(memory)
    units = {
        "": 1,
        "B": 1,
        "kB": 10**3,
        "KB": 10**3,
        "MB": 10**6,
        "GB": 10**9,
        "KiB": 2**10,
        "MiB": 2**20,
        "GiB": 2**30,
    }
    number = memory.rstrip("kKMGiB")
    try:
        return int(float(number) * units[memory[len(number) :]])
    except (KeyError, ValueError, OverflowError):
        raise InvalidArgument(
            f"memory is {memory!r}; it must be a number of bytes, or a text such as '512MB' or '2GiB'",
            memory,
        ) from None


def banding(
    memory: int | str,
    rows: int | None,
    resume: bool,
    tiff: str,
    device: str,
    progress: Callable[[int, int], Any] | None,
) -> Any:
    """How a call works, as the extension takes it."""
    if tiff not in _LAYOUTS:
        raise InvalidArgument(f"tiff is {tiff!r}; it must be one of {', '.join(_LAYOUTS)}", tiff)
    return files_extension().Banding(
        _bytes_of(memory), rows or 0, resume, tiff, str(device), progress
    )


def edges_work(
    method: str,
    low: float | None,
    high: float | None,
    threshold: str | float | None,
    options: dict[str, Any],
    banding: Any,
) -> Any:
    """What `edges_file` does, as the extension takes it; `cuesta.ray` has it done in several processes."""
    rule, level, given = edge_levels(low, high, threshold)
    return files_extension().edges_work(method, rule, level, given, dict(options), banding)


def filter_work(filter: str, element: str, options: dict[str, Any], banding: Any) -> Any:
    """What `filter_file` does."""
    return files_extension().filter_work(filter, element, dict(options), banding)


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
    device: str = "cpu",
    progress: Callable[[int, int], Any] | None = None,
    **options: Any,
) -> FileResult:
    """Finds edges in a picture file of any size: the bytes of `edges` and of the command.

    The picture is processed in bands of rows, and `target` appears when it is complete. An interrupted call leaves its
    rows in hidden files beside `target`; the same call resumes from them. Pictures that bands cannot have (EXIF
    orientation, floats, method "boundaries") are read whole if `memory` holds them.

    Parameters
    ----------
    source, target : path
        `target` has one channel: 0 and 255; of sobel without `threshold` the magnitudes, in the source's type.
    method : {"canny", "log", "sobel", "boundaries"}
    low, high, threshold : optional
        As `edges` has them.
    memory : int or str
        For rows: bytes, or "512MB". libvips takes some tens of MB beside that.
    rows : int, optional
        Of a band, instead.
    resume : bool
        Go on where a killed process that made the same stopped.
    tiff : {"strips", "tiled", "pyramid"}
        How a .tif result lies. Above 4 GB it is a BigTIFF.
    device : str
        "cpu", "cuda", "cuda:1", or "cuda:all", which spreads the bands over all GPUs. The result is the same. Bands go
        through page-locked memory, three on their way for each GPU; all of them are in `memory`.
    progress : callable, optional
        Told (done, all), numbers of rows.
    **options
        As `edges` takes them, and how it runs: strategy, parameters, threads.

    Raises
    ------
    InputError
        Naming the file and the reason.
    OutputError
        Naming the file and the reason.
    InvalidArgument
        Also where `memory` does not hold the rows around one.
    DeviceError
        Where there is no such GPU.
    """
    files = files_extension()
    how = banding(memory, rows, resume, tiff, device, progress)
    work = edges_work(method, low, high, threshold, options, how)
    return FileResult(**files.run_file(os.fspath(source), os.fspath(target), work))


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
    device: str = "cpu",
    progress: Callable[[int, int], Any] | None = None,
    **options: Any,
) -> FileResult:
    """A filter of a picture file of any size, as `edges_file` works: byte for byte that of the whole picture.

    Parameters
    ----------
    source, target : path
        All channels but alpha are filtered, and keep their type.
    filter : {"gaussian", "box", "sharpen", "median", "laplacian", "erode", "dilate", "open", "close"}
        The last four take one channel.
    element : str
        Of the last four: "disk:15", "ellipse:15", "rect:5x3", "cross:3".
    memory, rows, resume, tiff, device, progress
        As `edges_file` has them.
    **options
        As the functions of these names take them, and how it runs: strategy, parameters, threads.
    """
    files = files_extension()
    work = filter_work(
        filter, element, options, banding(memory, rows, resume, tiff, device, progress)
    )
    return FileResult(**files.run_file(os.fspath(source), os.fspath(target), work))


@dataclass(frozen=True, eq=False)
class FileComponents:
    """What `label_file` found: components, numbered from 1 by their first pixel in raster order."""

    width: int
    height: int
    count: int
    """How many components there are."""
    boxes: np.ndarray[Any, Any]
    """(count, 4) int32: x, y, width, height in pixels."""
    areas: np.ndarray[Any, Any]
    """(count,) int64, in pixels."""
    centroids: np.ndarray[Any, Any]
    """(count, 2) float64: x, y."""
    bands: int
    """Bands that were worked on."""


def label_work(threshold: float, options: dict[str, Any], banding: Any) -> Any:
    """What `label_file` does."""
    return files_extension().label_work(float(threshold), dict(options), banding)


def components_of(found: dict[str, Any]) -> FileComponents:
    """What the extension found."""
    return FileComponents(count=len(found["boxes"]), **{**found, "areas": found["areas"][:, 0]})


def label_file(
    source: Path,
    *,
    threshold: float = 0,
    memory: int | str = "512MB",
    rows: int | None = None,
    device: str = "cpu",
    progress: Callable[[int, int], Any] | None = None,
    **options: Any,
) -> FileComponents:
    """Connected components of a picture file of any size: those that `label` finds in the whole picture.

    The picture is worked on in bands of rows. Nothing is written, so there is nothing to go on from: a call
    that is killed begins again.

    Parameters
    ----------
    source : path
        Gray levels above `threshold` are foreground; of colors they are taken as `imread(gray=True)` makes them.
    threshold : float
        0: all that is not black.
    memory, rows, device, progress
        As `edges_file` has them; the components come on top of `memory`, about 52 bytes each.
    **options
        As `label` takes them, and how it runs: connectivity, strategy, threads.

    Returns
    -------
    FileComponents

    Raises
    ------
    InputError, InvalidArgument
        As `edges_file`.
    """
    files = files_extension()
    work = label_work(threshold, options, banding(memory, rows, True, "strips", device, progress))
    return components_of(files.label_file(os.fspath(source), work))

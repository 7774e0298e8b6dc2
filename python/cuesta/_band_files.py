"""Picture files of any size, processed in bands of rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from cuesta._measure import Measures, measures_of
from cuesta._options import flag, number, text, whole
from cuesta._reading import Path, chosen, files_extension, path_of, tell
from cuesta._recipes import edge_levels
from cuesta.errors import InvalidArgument

__all__ = ["FileComponents", "FileResult", "edges_file", "filter_file", "label_file"]


class FileResult(NamedTuple):
    """The result of `edges_file` and `filter_file`."""

    width: int
    """In pixels."""
    height: int
    """In pixels."""
    channels: int
    """Channels of the target."""
    type: str
    """The target's type, "u8", "u16" or "f32"."""
    low: float
    """The low threshold that Canny used; 0 for others."""
    high: float
    """The high threshold that Canny used; 0 for others."""
    sigma: float
    """The sigma that Canny used, in pixels; 0 for others."""
    edge_pixels: int
    """Number of edge pixels of a mask; 0 for other results."""
    bands: int
    """Number of bands that were processed."""
    resumed_rows: int
    """Number of rows that an earlier process had made."""
    warning: str
    """A sentence where samples were clipped or a georeference was dropped; else empty."""


_LAYOUTS = ("strips", "tiled", "pyramid")


def _bytes_of(memory: int | str) -> int:
    if not isinstance(memory, str):
        return int(number("memory", memory))
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
    digits = memory.rstrip("kKMGiB")
    try:
        return int(float(digits) * units[memory[len(digits) :]])
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
    page: int | None = None,
    band: int | None = None,
) -> Any:
    """Returns how a call is divided into bands, as the extension takes it."""
    if tiff not in _LAYOUTS:
        raise InvalidArgument(f"tiff is {tiff!r}; it must be one of {', '.join(_LAYOUTS)}", tiff)
    if progress is not None and not callable(progress):
        raise TypeError(f"progress is {progress!r}; it must be a function of two numbers")
    return files_extension().Banding(
        _bytes_of(memory),
        0 if rows is None else whole("rows", rows),
        flag("resume", resume),
        tiff,
        str(device),
        progress,
        chosen("page", page),
        chosen("band", band),
    )


def edges_work(
    method: str,
    low: float | None,
    high: float | None,
    threshold: str | float | None,
    options: dict[str, Any],
    banding: Any,
) -> Any:
    """Returns what `edges_file` computes, as the extension takes it.

    `cuesta.ray` has it computed in several processes.
    """
    rule, level, given = edge_levels(low, high, threshold)
    return files_extension().edges_work(
        text("method", method), rule, level, given, dict(options), banding
    )


def filter_work(filter: str, element: str, options: dict[str, Any], banding: Any) -> Any:
    """Returns what `filter_file` computes, as the extension takes it."""
    work = files_extension().filter_work
    return work(text("filter", filter), text("element", element), dict(options), banding)


def _made(source: Path, found: dict[str, Any]) -> FileResult:
    tell(source, found["warning"])
    return FileResult(**found)


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
    page: int | None = None,
    band: int | None = None,
    **options: Any,
) -> FileResult:
    """Finds edges in a picture file of any size: the bytes of `edges` and of the command.

    The picture is processed in bands of rows, and `target` appears when it is complete. An
    interrupted call leaves its rows in hidden files beside `target`; the same call resumes from
    them. Some pictures cannot be read in bands: those with EXIF orientation, floats and pictures
    with a number for no data that the method needs as levels, and all with method "boundaries" or
    "regions". They are read whole if `memory` holds them.

    Parameters
    ----------
    source, target : path
        The picture file and the result. The result has one channel: 0 and 255, or with sobel
        without `threshold` the magnitudes in the source's type.
    method : {"canny", "log", "sobel", "boundaries", "regions"}
        See `edges`.
    low, high, threshold : optional
        See `edges`.
    memory : int or str
        Memory limit for rows, in bytes or as "512MB". libvips uses some tens of MB in addition.
    rows : int, optional
        Rows of a band; by default as many as `memory` holds.
    resume : bool
        Resume an interrupted run of the same call.
    tiff : {"strips", "tiled", "pyramid"}
        Layout of a .tif result. Above 4 GB it is a BigTIFF.
    device : str
        "cpu", "cuda", "cuda:1", or "cuda:all", which spreads the bands over all GPUs. The result is
        the same. Bands pass through page-locked memory, three in flight for each GPU. All of them
        count in `memory`.
    progress : callable, optional
        Called with (done, all), numbers of rows.
    page, band : int, optional
        One page of a file with several, and one channel alone, both from 1; see `imread`.
    **options
        The options of `edges`, and strategy, parameters and threads. With `white` or `black` the
        picture is read whole.

    Returns
    -------
    FileResult
        Size, thresholds and counts.

    Raises
    ------
    InputError
        The source cannot be read. The message names the file and the reason.
    OutputError
        The target cannot be written. The message names the file and the reason.
    InvalidArgument
        An argument is invalid, or `memory` does not hold the rows that one row requires.
    DeviceError
        There is no such GPU.

    Examples
    --------
    >>> import cuesta
    >>> def outlines(scan):
    ...     return cuesta.edges_file(scan, "edges.tif", memory="2GB", sigma=1.4)
    """
    files = files_extension()
    how = banding(memory, rows, resume, tiff, device, progress, page, band)
    work = edges_work(method, low, high, threshold, options, how)
    return _made(source, files.run_file(path_of("source", source), path_of("target", target), work))


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
    page: int | None = None,
    band: int | None = None,
    **options: Any,
) -> FileResult:
    """Filters a picture file of any size, in bands of rows; see `edges_file`.

    The bytes are those of the filter of the whole picture.

    Parameters
    ----------
    source, target : path
        The picture file and the result. All channels but alpha are filtered and keep their type.
    filter : {"gaussian", "box", "sharpen", "median", "laplacian", "erode", "dilate", "open", "close"}
        The function of that name. The last four support one channel.
    element : str
        Structuring element of the last four: "disk:15", "ellipse:15", "rect:5x3", "cross:3" or
        "none".
    memory, rows, resume, tiff, device, progress, page, band
        See `edges_file`.
    **options
        The options of that function, and strategy, parameters and threads. Also `white` and
        `black`, by which samples become levels of 16 bits; see `edges`. The picture is read whole
        then.

    Returns
    -------
    FileResult
        Size and counts.

    Raises
    ------
    InputError, OutputError, InvalidArgument, DeviceError
        See `edges_file`.
    """
    files = files_extension()
    how = banding(memory, rows, resume, tiff, device, progress, page, band)
    work = filter_work(filter, element, options, how)
    return _made(source, files.run_file(path_of("source", source), path_of("target", target), work))


@dataclass(frozen=True, eq=False)
class FileComponents:
    """The result of `label_file`: components, numbered from 1 by their first pixel in raster order."""

    width: int
    """Of the picture, in pixels."""
    height: int
    """Of the picture, in pixels."""
    count: int
    """Number of components."""
    boxes: np.ndarray[Any, Any]
    """(count, 4) int32: x, y, width, height in pixels."""
    areas: np.ndarray[Any, Any]
    """(count,) int64, in pixels."""
    centroids: np.ndarray[Any, Any]
    """(count, 2) float64: x, y in pixels."""
    bands: int
    """Number of bands that were processed."""
    measures: Measures[np.ndarray[Any, Any]] | None = None
    """More measures of each component, where they were asked for."""


def label_work(
    threshold: float,
    options: dict[str, Any],
    banding: Any,
    measure: bool = False,
    intensity: Path | None = None,
) -> Any:
    """Returns what `label_file` computes, as the extension takes it."""
    other = "" if intensity is None else path_of("intensity", intensity)
    return files_extension().label_work(
        number("threshold", threshold),
        flag("measure", measure) or bool(other),
        other,
        dict(options),
        banding,
    )


def components_of(found: dict[str, Any], measured: bool = False) -> FileComponents:
    """Makes the result of what the extension found."""
    count = len(found["boxes"])
    measures = measures_of(found["measures"]) if measured else None
    made = {**found, "areas": found["areas"][:, 0], "measures": measures}
    return FileComponents(count=count, **made)


def label_file(
    source: Path,
    *,
    threshold: float = 0,
    measure: bool = False,
    intensity: Path | None = None,
    memory: int | str = "512MB",
    rows: int | None = None,
    device: str = "cpu",
    progress: Callable[[int, int], Any] | None = None,
    page: int | None = None,
    band: int | None = None,
    **options: Any,
) -> FileComponents:
    """Finds the connected components of a picture file of any size: those of `label`.

    The picture is processed in bands of rows. Nothing is written, so an interrupted call cannot be
    resumed.

    Parameters
    ----------
    source : path
        The picture file. Gray levels above `threshold` are foreground. Colors become gray levels as
        with `imread(gray=True)`.
    threshold : float
        In gray levels; with 0 every pixel that is not black is foreground.
    measure : bool
        Also measure shapes and intensities, in `measures`. The file is read twice then.
    intensity : path, optional
        A picture of the same size whose gray levels are measured. None: the source itself.
    memory, rows, device, progress, page, band
        See `edges_file`. The components use about 52 bytes each in addition to `memory`.
    **options
        connectivity, strategy and threads; see `label`.

    Returns
    -------
    FileComponents
        Boxes, areas, centroids and, where asked for, measures.

    Raises
    ------
    InputError, InvalidArgument
        See `edges_file`.
    """
    files = files_extension()
    how = banding(memory, rows, True, "strips", device, progress, page, band)
    work = label_work(threshold, options, how, measure, intensity)
    found = files.label_file(path_of("source", source), work)
    return components_of(found, measure or intensity is not None)

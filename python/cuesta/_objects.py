"""Morphology and connected components."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar


from cuesta import _core
from cuesta._keywords import (
    FillHolesOptions,
    LabelOptions,
    MorphologyOptions,
    RemoveSmallOptions,
)
from cuesta._lazy import by_chunks, is_lazy
from cuesta._lazy_labels import cleaned_by_bands, labels_by_bands
from cuesta._measure import Measures, measured
from cuesta._options import described, element_of, flag
from cuesta._sources import Result, Source

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Labels", "close", "dilate", "erode", "fill_holes", "label", "open", "remove_small"]

A = TypeVar("A")


def _of_one_channel(
    run: Callable[..., None],
    image: A,
    what: str,
    layout: str | None,
    out: A | None,
    options: dict[str, Any],
    *more: Any,
) -> A:
    s = Source(image, layout, what, options, channels="one", floats=False)
    r = Result(s, out, s.dtype)
    run(s.handle, r.handle, s.layout, *more, options, s.stream)
    made: A = r.finish()
    return made


def _morphology(
    run: Callable[..., None],
    image: A,
    element: Any,
    layout: str | None,
    out: A | None,
    options: dict[str, Any],
) -> A:
    cells = element_of(element)
    if is_lazy(image):

        def chunk(block: Any, name: str) -> Any:
            return _morphology(run, block, element, name, None, {**options})

        steps = 2 if run in (_core.open, _core.close) else 1
        lazy: A = by_chunks(
            chunk,
            image,
            layout,
            steps * cells.side,
            out=out,
            border=options.get("border"),
        )
        return lazy
    return _of_one_channel(run, image, "image", layout, out, options, cells)


@described
def erode(
    image: A,
    element: Any = "rect:3",
    *,
    layout: str | None = None,
    out: A | None = None,
    **options: Unpack[MorphologyOptions],
) -> A:
    """Erodes a picture: the minimum over a structuring element, as cv2.erode.

    Parameters
    ----------
    image : array
        uint8, uint16 or bool, one channel.
    element : str or array
        "disk:15" (Euclidean, 149 cells), "ellipse:15" (OpenCV's, 169 cells), "rect:5x3" (width ×
        height), "cross:3" or "none" (one cell). Or (height, width) cells, 1 to 255 a side, whose
        non-zero ones belong to the element. The anchor is (height // 2, width // 2). The element is not reflected.
    **options
    layout, out, page, band, strategy, parameters, threads, stream
        See `canny`. `out` may be the image itself.

    Returns
    -------
    array
        Of the image's type, shape, library and device.

    Raises
    ------
    InvalidArgument, Unsupported, DeviceError
        See `canny`.

    Examples
    --------
    >>> import numpy as np, cuesta
    >>> mask = np.zeros((7, 7), np.uint8)
    >>> mask[1:6, 1:6] = 255
    >>> int((cuesta.erode(mask, "rect:3") > 0).sum())
    9
    """
    return _morphology(_core.erode, image, element, layout, out, {**options})


@described
def dilate(
    image: A,
    element: Any = "rect:3",
    *,
    layout: str | None = None,
    out: A | None = None,
    **options: Unpack[MorphologyOptions],
) -> A:
    """Dilates a picture: the maximum over a structuring element, as cv2.dilate.

    Parameters
    ----------
    image, element
        See `erode`.
    **options
    layout, out, page, band, strategy, parameters, threads, stream
        See `canny`. `out` may be the image itself.

    Returns
    -------
    array
        As `erode` returns it.

    Raises
    ------
    InvalidArgument, Unsupported, DeviceError
        See `canny`.
    """
    return _morphology(_core.dilate, image, element, layout, out, {**options})


@described
def open(  # noqa: A001
    image: A,
    element: Any = "rect:3",
    *,
    layout: str | None = None,
    out: A | None = None,
    **options: Unpack[MorphologyOptions],
) -> A:
    """Removes foreground that the structuring element does not fit into.

    This is an erosion, then a dilation with the reflected element.

    Parameters
    ----------
    image, element
        See `erode`.
    **options
    layout, out, page, band, strategy, parameters, threads, stream
        See `canny`. `out` may be the image itself.

    Returns
    -------
    array
        As `erode` returns it.

    Raises
    ------
    InvalidArgument, Unsupported, DeviceError
        See `canny`.
    """
    return _morphology(_core.open, image, element, layout, out, {**options})


@described
def close(
    image: A,
    element: Any = "rect:3",
    *,
    layout: str | None = None,
    out: A | None = None,
    **options: Unpack[MorphologyOptions],
) -> A:
    """Fills background that the structuring element does not fit into.

    This is a dilation, then an erosion with the reflected element.

    Parameters
    ----------
    image, element
        See `erode`.
    **options
    layout, out, page, band, strategy, parameters, threads, stream
        See `canny`. `out` may be the image itself.

    Returns
    -------
    array
        As `erode` returns it.

    Raises
    ------
    InvalidArgument, Unsupported, DeviceError
        See `canny`.
    """
    return _morphology(_core.close, image, element, layout, out, {**options})


@described
def remove_small(
    mask: A,
    min_area: int | None = None,
    *,
    layout: str | None = None,
    out: A | None = None,
    **options: Unpack[RemoveSmallOptions],
) -> A:
    """Removes the components of a mask that have fewer than `min_area` pixels.

    Parameters
    ----------
    mask : array
        uint8 or bool, one channel; non-zero is foreground.
    **options
    layout, out, page, band, strategy, parameters, threads, stream
        See `canny`.

    Returns
    -------
    array
        0 and 255, or bool, of the mask's type, shape, library and device.

    Raises
    ------
    InvalidArgument, Unsupported, DeviceError
        See `canny`.

    Notes
    -----
    Source: `skimage.morphology.remove_small_objects`.

    Examples
    --------
    >>> import numpy as np, cuesta
    >>> mask = np.zeros((9, 9), bool)
    >>> mask[1, 1] = mask[4:8, 4:8] = True
    >>> int(cuesta.remove_small(mask, 2).sum())
    16
    """
    if is_lazy(mask):

        def removed(block: Any, name: str) -> Any:
            return remove_small(block, min_area, layout=name, **options)

        lazy: A = cleaned_by_bands(mask, layout, False, min_area, options, removed, out=out)
        return lazy
    return _of_one_channel(
        _core.remove_small, mask, "mask", layout, out, {"min_area": min_area, **options}
    )


@described
def fill_holes(
    mask: A,
    max_area: int | None = None,
    *,
    layout: str | None = None,
    out: A | None = None,
    **options: Unpack[FillHolesOptions],
) -> A:
    """Fills the holes of a mask: background that does not touch the picture's border.

    Parameters
    ----------
    mask
        See `remove_small`.
    **options
    layout, out, page, band, strategy, parameters, threads, stream
        See `canny`.

    Returns
    -------
    array
        As `remove_small` returns it.

    Raises
    ------
    InvalidArgument, Unsupported, DeviceError
        See `canny`.

    Notes
    -----
    Holes are connected by 4 neighbours where the foreground has 8, and the reverse.
    Source: `scipy.ndimage.binary_fill_holes`.

    Examples
    --------
    >>> import numpy as np, cuesta
    >>> mask = np.ones((5, 5), bool)
    >>> mask[2, 1:4] = False
    >>> bool(cuesta.fill_holes(mask).all()), bool(cuesta.fill_holes(mask, 2).all())
    (True, False)
    """
    if is_lazy(mask):

        def filled(block: Any, name: str) -> Any:
            return fill_holes(block, max_area, layout=name, **options)

        lazy: A = cleaned_by_bands(mask, layout, True, max_area, options, filled, out=out)
        return lazy
    return _of_one_channel(
        _core.fill_holes, mask, "mask", layout, out, {"max_area": max_area, **options}
    )


@dataclass(frozen=True, eq=False)
class Labels(Generic[A]):
    """Connected components, numbered from 1 by their first pixel in raster order."""

    labels: A
    """int32 of the mask's shape; 0 is background."""
    count: int
    """Number of components."""
    boxes: A
    """(count, 4) int32: x, y, width, height in pixels."""
    areas: A
    """(count,) int64, in pixels."""
    centroids: A
    """(count, 2) float64: x, y in pixels."""
    measures: Measures[A] | None = None
    """More measures of each component, where they were asked for."""


@described
def label(
    mask: A,
    *,
    measure: bool = False,
    intensity: Any = None,
    layout: str | None = None,
    out: A | None = None,
    **options: Unpack[LabelOptions],
) -> Labels[A]:
    """Labels the connected components of one mask, with boxes, areas and centroids.

    Parameters
    ----------
    mask : array
        (H, W) uint8 or bool; non-zero is foreground.
    measure : bool
        Also measure shapes: perimeter, orientation, moments and more, in `measures`.
    intensity : array, optional
        uint8, uint16 or float32 of the mask's shape, library and device. Its mean and extremes are
        measured too.
    **options
    out : array, optional
        int32 of the mask's shape; receives the labels.
    layout, page, band, strategy, parameters, threads, stream
        See `canny`.

    Returns
    -------
    Labels
        All arrays are of the mask's library and on its device. Of a lazy dask array all are
        lazy, with a `count` of no dimensions and lists of unknown length.

    Raises
    ------
    InvalidArgument, Unsupported, DeviceError
        See `canny`.

    Notes
    -----
    On CUDA the call waits for the number of components. Source: paper 004, union-find by init,
    merge, compress.

    Examples
    --------
    >>> import numpy as np, cuesta
    >>> mask = np.zeros((8, 8), np.uint8)
    >>> mask[1:3, 1:4] = mask[5:7, 5:7] = 255
    >>> found = cuesta.label(mask)
    >>> found.count, found.boxes.tolist(), found.areas.tolist()
    (2, [[1, 1, 3, 2], [5, 5, 2, 2]], [6, 4])
    """
    wanted = flag("measure", measure)
    if is_lazy(mask):
        refused = {"measure": wanted, "intensity": intensity, "out": out}

        def labelled(block: Any, name: str) -> Any:
            return label(block, layout=name, **options).labels

        return Labels(*labels_by_bands(mask, layout, options, labelled, **refused))
    s = Source(mask, layout, "mask", options, channels="one", floats=False)
    r = Result(s, out, "int32")
    boxes, areas, centroids = _core.label(s.handle, r.handle, s.layout, options, s.stream)
    found = None
    if wanted or intensity is not None:
        how = {name: value for name, value in options.items() if name == "threads"}
        found = measured(s, r.handle, len(boxes), intensity, how)
    convert = s.kind.from_numpy
    return Labels(
        r.finish(),
        len(boxes),
        convert(boxes, s.given),
        convert(areas[:, 0], s.given),
        convert(centroids, s.given),
        found,
    )

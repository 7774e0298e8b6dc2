"""Boundaries of objects, and the regions inside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeVar

from cuesta import _core
from cuesta._keywords import BoundaryOptions, RegionOptions
from cuesta._lazy import by_pictures, is_lazy
from cuesta._options import described, flag
from cuesta._sources import Result, Source
from cuesta.errors import InvalidArgument

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["boundaries", "regions"]

A = TypeVar("A")


@described
def boundaries(
    image: A,
    threshold: float | None = None,
    *,
    layout: str | None = None,
    out: A | None = None,
    strength: bool = False,
    **options: Unpack[BoundaryOptions],
) -> A:
    """Finds boundaries of objects and surfaces, without the edges of texture.

    Parameters
    ----------
    image : array
        uint8 or uint16 in RGB order, (H, W, 3) or (N, H, W, 3), or one channel. Other shapes need
        `layout`. Alpha is ignored.
    **options
    strength : bool
        Return strengths instead of boundaries: 65535 times the root of the chance that a person
        draws a boundary at the pixel, and 0 where the gradient has no maximum. Takes no threshold.
    layout, out, page, band, strategy, parameters, threads, stream
        See `canny`.

    Returns
    -------
    array
        uint8, 0 or 255, or uint16 with `strength`; of the image's shape without three channels, on
        its device. Strengths are computed on the CPU.

    Raises
    ------
    InvalidArgument, DeviceError
        See `canny`.

    Notes
    -----
    Gradients of brightness and two opponent colors (Di Zenzo 1986) are added over three scales of a
    pyramid (Burt and Adelson 1983). The threshold of a pixel rises with the mean gradient around it
    (Grigorescu, Petkov and Westenberg 2003). One threshold serves all pictures.
    docs/user/accuracy.md reports the accuracy with it.

    Examples
    --------
    >>> import numpy as np, cuesta
    >>> picture = np.zeros((64, 64, 3), np.uint8)
    >>> picture[:, 32:] = 60, 120, 200
    >>> edges = cuesta.boundaries(picture)
    >>> int(edges.max()), edges.dtype.name, edges.shape
    (255, 'uint8', (64, 64))
    """
    if is_lazy(image):

        def picture(block: Any, name: str) -> Any:
            return boundaries(block, threshold, layout=name, strength=strength, **options)

        lazy: A = by_pictures(picture, image, layout, out=out)
        return lazy
    s = Source(image, layout, "image", options, channels="colors", floats=False).leveled()
    shape, flat = s.without_colors()
    if flag("strength", strength) and threshold is not None:
        raise InvalidArgument(
            "threshold is given with strength=True, which applies none; leave threshold out, and "
            "compare the strengths with it",
            "threshold",
        )
    r = Result(s, out, "uint16" if strength else "uint8", shape)
    _core.boundaries(
        s.handle, r.handle, s.layout, flat, {"threshold": threshold, **options}, s.stream
    )
    made: A = r.finish()
    return made


@described
def regions(
    image: A,
    threshold: float | None = None,
    *,
    output: Literal["labels", "contours", "strengths"] = "labels",
    layout: str | None = None,
    out: A | None = None,
    **options: Unpack[RegionOptions],
) -> A:
    """Divides an image into regions along its boundaries; every contour is closed.

    Parameters
    ----------
    image : array
        uint8 or uint16, one channel: strengths of thin boundaries, 0 elsewhere. Those of
        ``boundaries(image, quality="high", strength=True)`` suit the default threshold.
    **options
    output : {"labels", "contours", "strengths"}
        The result. "labels": int32, the number of each pixel's region, from 1 on. "contours":
        uint8, 255 where the pixel to the right or below is of another region. "strengths": uint16,
        the strength of each contour, for any threshold; 0 inside regions.
    layout, out, page, band, strategy, parameters, threads, stream
        See `canny`.

    Returns
    -------
    array
        Of the image's shape, on its device. One thread of the CPU works.

    Raises
    ------
    InvalidArgument, DeviceError
        See `canny`.

    Notes
    -----
    A watershed (Meyer 1994) finds small regions. Those between which the mean strength is least are
    merged first, small regions earlier; the strength of a contour is that at which it disappears
    (Arbelaez, Maire, Fowlkes and Malik 2011, OWT-UCM).

    Examples
    --------
    >>> import numpy as np, cuesta
    >>> picture = np.zeros((64, 64, 3), np.uint8)
    >>> picture[:, 32:] = 60, 120, 200
    >>> strengths = cuesta.boundaries(picture, quality="high", strength=True)
    >>> int(cuesta.regions(strengths, 0.1).max())
    2
    """
    if is_lazy(image):

        def picture(block: Any, name: str) -> Any:
            return regions(block, threshold, output=output, layout=name, **options)

        lazy: A = by_pictures(picture, image, layout, out=out)
        return lazy
    types = {"labels": "int32", "contours": "uint8", "strengths": "uint16"}
    if output not in types:
        raise InvalidArgument(
            f"output is {output!r}; it must be 'labels', 'contours' or 'strengths'", "output"
        )
    s = Source(image, layout, "image", options, channels="one", floats=False).leveled()
    r = Result(s, out, types[output])
    _core.regions(s.handle, r.handle, s.layout, {"threshold": threshold, **options}, s.stream)
    made: A = r.finish()
    return made

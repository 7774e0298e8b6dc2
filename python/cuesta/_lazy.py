"""Lazy arrays of dask: processed chunk by chunk, with results that stay lazy.

An operation with a window reads the rows and columns that it needs from neighbouring chunks. Canny
is joined over the seams of bands (`_lazy_bands`). Boundaries and regions compare distant pixels, so
each picture is one task. All give the bytes of the whole array.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from cuesta._kinds import kind_of
from cuesta._layouts import NAMES, layout_of
from cuesta.errors import InvalidArgument

__all__ = ["Axes", "by_chunks", "by_pictures", "gaussian_reach", "is_divided", "is_lazy", "refuse"]

#: Of a picture that is computed at once, to find the type and shape of a result.
_PROBE = 8


def is_lazy(array: Any) -> bool:
    """Whether an array is dask's."""
    dask = sys.modules.get("dask.array")
    return dask is not None and isinstance(array, dask.Array)


def is_divided(image: Any, layout: str | None) -> bool:
    """Whether a lazy array has several chunks for a picture, in host memory."""
    axes = Axes(image, layout, "image")
    return isinstance(axes.meta, np.ndarray) and any(
        image.numblocks[side] > 1 for side in axes.sides
    )


def gaussian_reach(sigma: float | None, ksize: int | None) -> int:
    """Returns how many samples a Gaussian reaches at most: it ends at 3 sigma."""
    return max((ksize or 0) // 2, math.ceil(3 * (sigma or 0)) + 1)


class Axes:
    """The layout of a lazy picture, and its axes."""

    def __init__(self, image: Any, layout: str | None, what: str) -> None:
        self.meta = image._meta
        self.name = NAMES[layout_of(image.shape, layout, kind_of(self.meta, what), what)]
        self.sides = (self.name.index("H"), self.name.index("W"))
        self.channels = self.name.find("C")
        self.planar = self.name in ("CHW", "NCHW")

    def mask_of(self, image: Any, mask: Any) -> Any:
        """Returns a mask as a lazy array; raises InvalidArgument for another type or shape."""
        da: Any = sys.modules["dask.array"]
        mask = da.asarray(mask)
        if mask.dtype not in (np.uint8, bool):
            raise InvalidArgument(
                f"mask has dtype {mask.dtype}; it must be uint8 or bool", str(mask.dtype)
            )
        dropped = () if self.planar else (self.channels,)
        shape = tuple(size for axis, size in enumerate(image.shape) if axis not in dropped)
        if mask.shape != shape:
            raise InvalidArgument(
                f"mask has shape {mask.shape} and image {image.shape}; mask must have {shape}",
                str(mask.shape),
            )
        return mask

    def result_of(self, image: Any, function: Callable[..., Any]) -> dict[str, Any]:
        """Returns type, meta and dropped axes of a result, as `dask.array.map_blocks` takes them.

        They are those of the result for a few pixels. Invalid arguments raise here, not in a chunk.
        """
        shape = [
            size if axis == self.channels else min(size, _PROBE)
            for axis, size in enumerate(image.shape)
        ]
        sample = function(np.zeros_like(self.meta, shape=tuple(shape)), self.name)
        return {
            "dtype": sample.dtype,
            "meta": sample[(slice(0, 0),) * sample.ndim],
            "drop_axis": [self.channels] if sample.ndim < image.ndim else None,
        }


def refuse(**given: Any) -> None:
    """Raises InvalidArgument for what a lazy result cannot have."""
    for name, value in given.items():
        if value is not None and value is not False:
            raise InvalidArgument(
                f"{name} is given and image is a lazy dask array, whose result is lazy, too; "
                f"leave {name} away, or pass the image's compute()",
                name,
            )


def by_chunks(
    function: Callable[..., Any],
    image: Any,
    layout: str | None,
    reach: int = 0,
    *,
    out: Any = None,
    what: str = "image",
    border: str | None = None,
    others: tuple[Any, ...] = (),
    **refused: Any,
) -> Any:
    """Returns the lazy result of an operation whose window reaches `reach` samples.

    `function` takes chunks and the name of their layout. `border` is the operation's: "wrap"
    continues on the other side. `others` are more arrays of the image's shape, whose chunks follow.
    `refused` are arguments that a lazy result cannot have, by name.
    """
    da: Any = sys.modules["dask.array"]
    refuse(out=out, **refused)
    axes = Axes(image, layout, what)
    whole = {axes.channels: -1} if axes.channels >= 0 else {}
    first = image.rechunk(whole)
    arrays = [first, *(da.asarray(other).rechunk(first.chunks) for other in others)]
    result = axes.result_of(
        image, lambda block, name: function(block, name, *(block for _ in others))
    )
    # One chunk across needs no neighbours: the operation extends the picture itself.
    depth = {axis: reach if image.numblocks[axis] > 1 else 0 for axis in axes.sides}

    def run(*blocks: Any) -> Any:
        return function(blocks[0], axes.name, *blocks[1:])

    if not any(depth.values()):
        return da.map_blocks(run, *arrays, **result)
    return da.map_overlap(
        run,
        *arrays,
        depth=depth,
        boundary={axis: "periodic" if border == "wrap" else "none" for axis in axes.sides},
        trim=True,
        dtype=result["dtype"],
        meta=result["meta"],
    )


def by_pictures(
    function: Callable[..., Any],
    image: Any,
    layout: str | None,
    *,
    together: bool = False,
    mask: Any = None,
    **refused: Any,
) -> Any:
    """Returns the lazy result of an operation that looks at a whole picture.

    Each picture is one chunk; those of a batch stay apart, unless they are to be `together`.
    `function` takes chunks and the name of their layout, then a chunk of the mask, if there is one.
    `refused` are arguments that a lazy result cannot have, by name.
    """
    da: Any = sys.modules["dask.array"]
    refuse(**refused)
    axes = Axes(image, layout, "image")
    alike = {axis: -1 for axis in range(image.ndim) if together or axes.name[axis] != "N"}
    whole = image.rechunk(alike)
    wanted = axes.result_of(image, function)
    if mask is None:
        return da.map_blocks(lambda block: function(block, axes.name), whole, **wanted)
    inside = axes.mask_of(image, mask)
    has_channels = inside.ndim < image.ndim
    if has_channels:
        inside = inside[..., np.newaxis]
    chunks = {axis: whole.chunks[axis] for axis in range(image.ndim) if inside.shape[axis] > 1}
    return da.map_blocks(
        lambda block, part: function(block, axes.name, part[..., 0] if has_channels else part),
        whole,
        inside.rechunk(chunks),
        **wanted,
    )

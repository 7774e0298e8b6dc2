"""Layouts: the meaning of an array's dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cuesta._kinds import Kind
from cuesta.errors import InvalidArgument

LAYOUTS = {"HW": 0, "HWC": 1, "CHW": 2, "NHW": 3, "NHWC": 4, "NCHW": 5}
NAMES = tuple(LAYOUTS)
_DIMENSIONS = {"HW": 2, "HWC": 3, "CHW": 3, "NHW": 3, "NHWC": 4, "NCHW": 4}
# Dimension of height, width and channels in each layout; -1: absent.
_AXES = ((0, 1, -1), (0, 1, 2), (1, 2, 0), (1, 2, -1), (1, 2, 3), (2, 3, 1))
INTERLEAVED = (1, 4)
# Layout of a result with one channel where the source has several.
LAYOUT_WITHOUT_CHANNELS = {1: 0, 4: 3}


def pixels_adjoin(kind: Kind, array: Any, layout: int) -> bool:
    """Whether the extension can read an array in place.

    It can where the pixels of a row are adjacent and rows do not overlap. Rows, planes and pictures
    may be any distance apart, backwards too.
    """
    if kind.contiguous(array):
        return True
    strides = kind.strides(array)
    if strides is None:
        return False
    shape = array.shape
    height, width, channels = _AXES[layout]
    samples = shape[channels] if layout in INTERLEAVED else 1
    if layout in INTERLEAVED and samples > 1 and strides[channels] != 1:
        return False
    if shape[width] > 1 and strides[width] != samples:
        return False
    return bool(shape[height] <= 1 or abs(strides[height]) >= shape[width] * samples)


def samples_overlap(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether two samples of an array may share their memory."""
    reach = 0
    for stride, size in sorted((abs(b), a) for a, b in zip(shape, strides) if a > 1):
        if stride <= reach:
            return True
        reach += stride * (size - 1)
    return False


def layout_of(shape: Sequence[int], layout: str | None, kind: Kind, what: str) -> int:
    """Returns the number of a layout, named or found from the shape.

    Without a name 2 dimensions are HW. Where the last exceeds 4, 3 dimensions are NHW and 4 are
    NCHW, whose planes are processed one by one; but not where the last is the least of the last
    three, which may be the bands of one picture. Otherwise they are HWC and NHWC where the height
    exceeds 4. In libraries whose pictures are channel-first a small last dimension is ambiguous. A
    layout that is ambiguous must be named.
    """
    count = len(shape)
    if 0 in shape:
        raise InvalidArgument(f"{what} is empty: its shape is {tuple(shape)}", str(tuple(shape)))
    if layout is not None:
        number = LAYOUTS.get(layout)
        if number is None:
            raise InvalidArgument(
                f"layout is {layout!r}; it must be one of {', '.join(NAMES)}", repr(layout)
            )
        if _DIMENSIONS[layout] != count:
            raise InvalidArgument(
                f"{what} has {count} dimensions; layout {layout} has {_DIMENSIONS[layout]}",
                str(tuple(shape)),
            )
        return number
    if count == 2:
        return 0
    if count in (3, 4):
        if shape[-1] > 4:
            if shape[-1] < min(shape[-3], shape[-2]):
                raise InvalidArgument(
                    f"{what} has shape {tuple(shape)}, whose last dimension may be channels, more than "
                    f"4; pass numpy.moveaxis({what}, -1, {count - 3}), or name the layout "
                    f"{'NHW' if count == 3 else 'NCHW'!r}",
                    str(tuple(shape)),
                )
            return 3 if count == 3 else 5
        if not kind.channel_first and shape[-3] > 4:
            return 1 if count == 3 else 4
        names = [name for name in NAMES if _DIMENSIONS[name] == count]
        raise InvalidArgument(
            f"{what} has shape {tuple(shape)}, which may be {' or '.join(names)}; name its layout, "
            f"as in layout={names[0]!r}",
            str(tuple(shape)),
        )
    raise InvalidArgument(
        f"{what} has {count} dimensions; pictures have 2 (HW), 3 (HWC, CHW, NHW) or 4 (NHWC, NCHW)",
        str(tuple(shape)),
    )

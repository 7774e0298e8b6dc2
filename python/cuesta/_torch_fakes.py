"""Shapes and types of the results of PyTorch's operators, for `torch.compile`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from cuesta._edges import strength_type
from cuesta._options import has_ends

Tensor = torch.Tensor
Fake = Callable[..., Any]


def like(dtype: torch.dtype | None = None) -> Fake:
    """Makes results of the image's size, of `dtype` or by default of the image's type."""

    def fake(image: Tensor, *_arguments: Any, **_options: Any) -> Tensor:
        return image.new_empty(image.shape, dtype=dtype or image.dtype)

    return fake


def named(dtype: str | None, otherwise: torch.dtype) -> torch.dtype:
    found = otherwise if dtype is None else getattr(torch, dtype)
    assert isinstance(found, torch.dtype)
    return found


def canny(
    image: Tensor,
    *_arguments: Any,
    layout: str | None = None,
    strength: bool = False,
    **options: Any,
) -> Tensor:
    colors = layout in ("HWC", "NHWC") and image.shape[-1] != 1
    of_strengths = strength_type(str(image.dtype).removeprefix("torch."), options)
    dtype = named(of_strengths if strength else None, torch.uint8)
    return image.new_empty(image.shape[:-1] if colors else image.shape, dtype=dtype)


def boundaries(
    image: Tensor, *_arguments: Any, layout: str | None = None, strength: bool = False, **_: Any
) -> Tensor:
    made = canny(image, layout=layout)
    return made.to(torch.uint16) if strength else made


def regions(image: Tensor, *_arguments: Any, output: str = "labels", **_options: Any) -> Tensor:
    types = {"labels": torch.int32, "contours": torch.uint8, "strengths": torch.uint16}
    return image.new_empty(image.shape, dtype=types[output])


def edges(
    image: Tensor,
    method: str = "canny",
    *_mask: Any,
    threshold: str | None = None,
    layout: str | None = None,
    strength: bool = False,
    labels: bool = False,
    **options: Any,
) -> Tensor:
    made: Tensor = canny(image, layout=layout)
    seen = torch.uint16 if has_ends(options) else image.dtype
    if strength:
        of_image = str(seen).removeprefix("torch.")
        return made.to(getattr(torch, strength_type(of_image, options)))
    if labels:
        return made.to(torch.int32)
    return made.to(seen) if method == "sobel" and threshold is None else made


def filter(image: Tensor, *_arguments: Any, dtype: str | None = None, **_options: Any) -> Tensor:
    return image.new_empty(image.shape, dtype=named(dtype, image.dtype))


def log_edges(image: Tensor, *_arguments: Any, response: bool = False, **_options: Any) -> Tensor:
    return image.new_empty(image.shape, dtype=torch.int32 if response else torch.uint8)


def sobel(
    image: Tensor, *, outputs: Sequence[str], dtype: str | None = None, **_options: Any
) -> list[Tensor]:
    # A type applies to the outputs that have it; the default is first.
    size = (
        (torch.uint16, torch.uint8) if image.dtype == torch.uint16 else (torch.uint8, torch.uint16)
    )
    types: dict[str, tuple[torch.dtype, ...]] = {
        "gx": (torch.int16, torch.int32),
        "gy": (torch.int16, torch.int32),
        "magnitude": (*size, torch.float32),
        "direction": (torch.uint8, torch.float32),
    }
    if image.dtype == torch.float32:
        types = dict.fromkeys(types, (torch.float32,))

    def type_of(output: str) -> torch.dtype:
        wanted = named(dtype, types[output][0])
        return wanted if wanted in types[output] else types[output][0]

    return [image.new_empty(image.shape, dtype=type_of(output)) for output in outputs]


def to_gray(image: Tensor, *_arguments: Any, layout: str | None = None, **_options: Any) -> Tensor:
    axes = layout or "HW"
    if len(axes) != image.dim():
        raise ValueError(
            f"layout is {layout!r}, and image has {image.dim()} dimensions; name its layout"
        )
    return image.new_empty([n for n, axis in zip(image.shape, axes, strict=True) if axis != "C"])


def label(mask: Tensor, **_options: Any) -> list[Tensor]:
    count = torch.library.get_ctx().new_dynamic_size()
    return [
        mask.new_empty(mask.shape, dtype=torch.int32),
        mask.new_empty((count, 4), dtype=torch.int32),
        mask.new_empty((count,), dtype=torch.int64),
        mask.new_empty((count, 2), dtype=torch.float64),
    ]

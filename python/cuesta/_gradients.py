"""Gradients: the Sobel operator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar, overload

from cuesta import _core
from cuesta._keywords import SobelOptions
from cuesta._lazy import by_chunks, is_lazy
from cuesta._options import described
from cuesta._sources import Result, Source
from cuesta.errors import InvalidArgument

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["sobel"]

A = TypeVar("A")

_SOBEL_OUTPUTS = ("gx", "gy", "magnitude", "direction")
# For each source type the types of its outputs, the default first.
_SOBEL_OF_U8: dict[str, tuple[str, ...]] = {
    "gx": ("int16", "int32"),
    "gy": ("int16", "int32"),
    "magnitude": ("uint8", "uint16", "float32"),
    "direction": ("uint8", "float32"),
}
_SOBEL_TYPES: dict[str, dict[str, tuple[str, ...]]] = {
    "uint16": _SOBEL_OF_U8 | {"magnitude": ("uint16", "uint8", "float32")},
    "float32": dict.fromkeys(_SOBEL_OUTPUTS, ("float32",)),
}


def _check_dtype(
    dtype: str | None, wanted: Sequence[str], types: dict[str, tuple[str, ...]]
) -> None:
    """Raises InvalidArgument for a type that no output can have."""
    if dtype is not None and not any(dtype in types[name] for name in wanted):
        accepted = sorted({t for name in wanted for t in types[name]})
        raise InvalidArgument(
            f"dtype is {dtype!r}; for {', '.join(wanted)} it must be {', '.join(accepted)}",
            repr(dtype),
        )


def _sobel_of_chunks(
    image: Any, outputs: Any, dtype: str | None, layout: str | None, out: Any, options: Any
) -> Any:
    """Returns sobel() of a lazy array: each output is a lazy array of its own."""
    if not isinstance(outputs, str):
        types = _SOBEL_TYPES.get(str(image.dtype), _SOBEL_OF_U8)
        _check_dtype(dtype, outputs, types)
        one = {name: dtype if dtype in types[name] else None for name in outputs}
        return tuple(
            _sobel_of_chunks(image, name, one[name], layout, out, options) for name in outputs
        )

    def chunk(block: Any, name: str) -> Any:
        return sobel(block, outputs=outputs, dtype=dtype, layout=name, **options)

    reach = (options.get("aperture") or 3) // 2
    return by_chunks(chunk, image, layout, reach, out=out, border=options.get("border"))


@overload
def sobel(
    image: A,
    *,
    outputs: str = "magnitude",
    dtype: str | None = None,
    layout: str | None = None,
    out: A | None = None,
    **options: Unpack[SobelOptions],
) -> A: ...


@overload
def sobel(
    image: A,
    *,
    outputs: tuple[str, ...] | list[str],
    dtype: str | None = None,
    layout: str | None = None,
    out: Sequence[A] | None = None,
    **options: Unpack[SobelOptions],
) -> tuple[A, ...]: ...


@described
def sobel(
    image: A,
    *,
    outputs: str | tuple[str, ...] | list[str] = "magnitude",
    dtype: str | None = None,
    layout: str | None = None,
    out: Any = None,
    **options: Unpack[SobelOptions],
) -> A | tuple[A, ...]:
    r"""Computes gradients with the Sobel operator, their magnitude and their direction.

    Parameters
    ----------
    image : array
        uint8, uint16 or float32, one channel.
    outputs : str or tuple of str
        "gx", "gy", "magnitude", "direction". One name returns one array, a tuple returns a tuple.
    **options
    dtype : str, optional
        Applies to the outputs that have this type; `Notes` lists the types, the default first.
        The outputs of a float32 image are all float32.
    layout, page, band, strategy, parameters, threads, stream
        See `canny`.
    out : array, or sequence of arrays in the order of `outputs`, optional
        Receives the results.

    Returns
    -------
    array or tuple of arrays
        Of the image's shape, library and device.

    Raises
    ------
    InvalidArgument, Unsupported, DeviceError
        See `canny`.

    Notes
    -----
    - gx and gy: "int16" (saturated) or "int32".
    - magnitude: the image's type, "uint8", "uint16" (saturated) or "float32".
    - direction: "uint8" (0 horizontal gradient, 1 diagonal \, 2 vertical, 3 diagonal /) or
      "float32" (radians).

    gx and gy of integers equal cv2.Sobel with scale 1. Magnitude and direction use the exact
    gradients. An l2 magnitude of an integer type is rounded down. The gradients of float32 images
    are float32 sums by fma, down the columns of the window and then across. Every NaN is the same
    one. The steps of paper 003 are strategies: on CUDA `sobel(t, strategy="shared-1d")`.

    Examples
    --------
    >>> import numpy as np, cuesta
    >>> picture = np.zeros((64, 64), np.uint8)
    >>> picture[:, 32:] = 100
    >>> gx, gy = cuesta.sobel(picture, outputs=("gx", "gy"))
    >>> int(gx.max()), int(gy.max()), gx.dtype.name
    (400, 0, 'int16')
    """
    single = not isinstance(outputs, (tuple, list))
    wanted: tuple[str, ...] = (outputs,) if single else tuple(outputs)  # type: ignore[assignment]
    for name in wanted:
        if name not in _SOBEL_OUTPUTS or wanted.count(name) > 1:
            raise InvalidArgument(
                f"outputs is {outputs!r}; it must be one of {', '.join(_SOBEL_OUTPUTS)}, or a tuple of different ones",
                repr(outputs),
            )
    if is_lazy(image):
        lazy: A | tuple[A, ...] = _sobel_of_chunks(image, outputs, dtype, layout, out, options)
        return lazy
    s = Source(image, layout, "image", options, channels="one").leveled()
    types = _SOBEL_TYPES.get(s.dtype, _SOBEL_OF_U8)
    _check_dtype(dtype, wanted, types)
    given = (out,) if single else (None,) * len(wanted) if out is None else tuple(out)
    if len(given) != len(wanted):
        raise InvalidArgument(
            f"out has {len(given)} arrays and outputs {len(wanted)} names", str(len(given))
        )
    results = [
        Result(s, array, dtype if dtype in types[name] and dtype is not None else types[name][0])
        for name, array in zip(wanted, given)
    ]
    handles: list[Any] = [None] * len(_SOBEL_OUTPUTS)
    for name, r in zip(wanted, results):
        handles[_SOBEL_OUTPUTS.index(name)] = r.handle
    gx, gy, magnitude, direction = handles
    _core.sobel(s.handle, gx, gy, magnitude, direction, s.layout, options, s.stream)
    made = tuple(r.finish() for r in results)
    return made[0] if single else made

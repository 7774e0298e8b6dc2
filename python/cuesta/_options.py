"""Options: their signatures and documentation from the extension, and arrays in its form.

The name, values, default and meaning of an option are written once, in C++. Functions take options
as `**options` and pass them on unchanged. `described` documents them.
"""

from __future__ import annotations

import atexit
import functools
import inspect
import operator
import re
import textwrap
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypedDict, TypeVar, Union

import numpy as np

from cuesta import _core
from cuesta.errors import InvalidArgument

F = TypeVar("F", bound=Callable[..., Any])

#: Values of a strategy's own parameters, such as {"block": 16}.
Parameters = Mapping[str, Union[str, int]]


class Execution(TypedDict, total=False):
    """Options of how a call runs, and of what it reads of a file."""

    page: int | None
    """The page of a picture file with several, from 1."""
    band: int | None
    """One channel of a picture file alone, from 1; by default all."""
    strategy: str | None
    """The strategy by name, one of `cuesta.strategies()`.

    The default is the fastest that supports the request.
    """
    parameters: Parameters | None
    """The strategy's own parameters, as in {"block": 16}."""
    threads: int | None
    """Number of CPU threads; by default every core."""
    stream: Any
    """The CUDA stream: a torch.cuda.Stream, a cupy.cuda.Stream or a pointer.

    The default is the library's current stream.
    """


class Option(NamedTuple):
    """One option."""

    name: str
    type: str
    """As Python writes it: "int | None"."""
    default: Any
    text: str
    """Its meaning, values and default."""

    def parameter(self) -> inspect.Parameter:
        """Returns its parameter of a signature.

        A choice of names is a str there; `entry` lists the names.
        """
        kind = re.sub(r"Literal\[.*\]", "str", self.type)
        return inspect.Parameter(
            self.name, inspect.Parameter.KEYWORD_ONLY, default=self.default, annotation=kind
        )

    def entry(self) -> str:
        """Returns its numpydoc entry under Parameters."""
        kind = re.sub(r"Literal\[(.*)\]", r"{\1}", self.type)
        kind = (
            kind.replace("Any", "str or array")
            .replace(" | None", ", optional")
            .replace(" | ", " or ")
        )
        return f"{self.name} : {kind}\n{textwrap.indent(textwrap.fill(self.text, 92), '    ')}"


class Options(NamedTuple):
    """One struct of options."""

    of_call: bool
    """Whether a call takes them, beside those of `Execution`; otherwise a constructor does."""
    options: tuple[Option, ...]


#: By the names of the structs.
OPTIONS = {
    name: Options(of_call, tuple(Option(*row) for row in rows))
    for name, _, of_call, rows in _core.options()
}
OPTIONS["Execution"] = Options(True, ())


def names_of(struct: str) -> set[str]:
    """Returns the names of a struct's options."""
    return {option.name for option in OPTIONS[struct].options}


def options_of(thing: Callable[..., Any]) -> Options | None:
    """Returns the options that a function's `**options` stands for."""
    function = vars(thing)["__init__"] if isinstance(thing, type) else thing
    found = re.fullmatch(r"Unpack\[(\w+)\]", function.__annotations__.get("options", ""))
    return OPTIONS[found[1]] if found else None


def described(thing: F) -> F:
    """Replaces `**options` in a function's signature and documentation by the options.

    For a class it documents the constructor.
    """
    function: Any = vars(thing)["__init__"] if isinstance(thing, type) else thing
    struct = options_of(thing)
    assert struct is not None, f"{function.__qualname__} takes no **options: Unpack[...]"
    written = inspect.signature(function)
    known = {option.name: option.parameter() for option in struct.options}
    positional: list[inspect.Parameter] = []
    keyword: list[inspect.Parameter] = []
    for parameter in written.parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            continue
        if parameter.name in known:
            parameter = known.pop(parameter.name).replace(kind=parameter.kind)
        (keyword if parameter.kind is parameter.KEYWORD_ONLY else positional).append(parameter)
    how = Execution.__annotations__ if struct.of_call else {}
    runs = [
        Option(name, getattr(kind, "__forward_arg__", "Any"), None, "").parameter()
        for name, kind in how.items()
    ]
    function.__signature__ = written.replace(
        parameters=[*positional, *known.values(), *keyword, *runs]
    )
    if thing.__doc__:  # not with python -OO
        entries = "\n".join(option.entry() for option in struct.options)
        thing.__doc__ = re.sub(
            r"(?m)^\*\*options$", lambda _: entries, inspect.cleandoc(thing.__doc__)
        )
    return thing


def stencil_of(stencil: Any, divisor: int | None) -> _core.Stencil:
    """Makes a stencil from text, or from a 2-D array of whole numbers or floats."""
    if isinstance(stencil, _core.Stencil):
        return stencil
    if isinstance(stencil, str):
        if divisor is not None:
            raise InvalidArgument(
                "divisor is given beside a stencil in text; write it there: '1 2 1 / 4'",
                str(divisor),
            )
        return _core.Stencil.parse(stencil)
    taps = np.asarray(stencil)
    if taps.dtype.kind not in "biuf" and taps.ndim == 0:
        raise TypeError(f"stencil is {stencil!r}; it must be text or an array")
    if taps.ndim != 2 or taps.size == 0:
        raise InvalidArgument(
            f"stencil has shape {taps.shape}; it must have two dimensions, height and width",
            str(taps.shape),
        )
    if taps.dtype.kind not in "iubf":
        raise InvalidArgument(
            f"stencil has dtype {taps.dtype}; it must hold whole numbers or floats", str(taps.dtype)
        )
    make = _stencil if taps.size <= _MOST_KEPT else _stencil.__wrapped__
    return make(taps.tobytes(), taps.dtype.str, *taps.shape, divisor)


# Stencils and elements with at most this many cells are cached: making one costs more than a call
# on a small picture.
_MOST_KEPT = 1024


@functools.lru_cache(maxsize=256)
def _stencil(
    values: bytes, dtype: str, height: int, width: int, divisor: int | None
) -> _core.Stencil:
    taps = np.frombuffer(values, dtype)
    if taps.dtype.kind == "f":
        if divisor is not None:
            taps = taps / divisor
        return _core.Stencil.floats(width, height, taps.astype(np.float32).tolist())
    limits = np.iinfo(np.int32)
    if taps.min() < limits.min or taps.max() > limits.max:
        raise InvalidArgument("stencil: taps must fit 32 bits", str(taps.max()))
    return _core.Stencil.integers(
        width, height, taps.tolist(), 1 if divisor is None else int(divisor)
    )


def element_of(element: Any, name: str = "element") -> _core.StructuringElement:
    """Makes a structuring element from text ("disk:15") or from a 2-D array of cells."""
    if isinstance(element, _core.StructuringElement):
        return element
    if isinstance(element, str):
        return _core.StructuringElement.parse(element)
    cells = np.asarray(element)
    if cells.dtype.kind not in "biuf":
        raise TypeError(f"{name} is {element!r}; it must be text such as 'disk:15' or an array")
    if cells.ndim != 2 or cells.size == 0:
        raise InvalidArgument(
            f"{name} has shape {cells.shape}; it must have two dimensions, height and width",
            str(cells.shape),
        )
    make = _element if cells.size <= _MOST_KEPT else _element.__wrapped__
    return make((cells != 0).tobytes(), *cells.shape)


@functools.lru_cache(maxsize=256)
def _element(cells: bytes, height: int, width: int) -> _core.StructuringElement:
    return _core.StructuringElement.of_cells(width, height, list(cells))


# What the caches hold is released before the extension is: it reports what is left.
atexit.register(_stencil.cache_clear)
atexit.register(_element.cache_clear)


def number(name: str, value: Any) -> float:
    """Returns a number that a caller gives. Raises TypeError for text and other objects."""
    if not isinstance(value, (str, bytes)):
        try:
            return float(value)
        except (TypeError, ValueError):
            pass
    raise TypeError(f"{name} is {value!r}; it must be a number")


def whole(name: str, value: Any) -> int:
    """Returns a whole number that a caller gives. Raises TypeError for other objects."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}; it must be a whole number") from None


def text(name: str, value: Any) -> str:
    """Returns a text that a caller gives. Raises TypeError for other objects."""
    if isinstance(value, str):
        return value
    raise TypeError(f"{name} is {value!r}; it must be a str")


def flag(name: str, value: Any) -> bool:
    """Returns a bool, also numpy's. Raises TypeError for other objects."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise TypeError(f"{name} is {value!r}; it must be True or False")


def has_ends(options: Mapping[str, Any]) -> bool:
    """Whether white or black is given, so that samples become levels."""
    white = options.get("white")
    by_itself = white is None or (isinstance(white, str) and white == "auto")
    return not by_itself or options.get("black") is not None


def check_pair(low: Any, high: Any) -> None:
    """Raises InvalidArgument where one of two thresholds is missing."""
    if (low is None) != (high is None):
        missing = "low" if low is None else "high"
        raise InvalidArgument(
            f"{missing} is missing; give both thresholds, or neither for automatic ones", "None"
        )


def threshold_pairs(low: Any, high: Any) -> tuple[list[float], list[float]]:
    """Returns None, one pair, or a pair for each picture, as two lists."""
    if low is None and high is None:
        return [], []
    check_pair(low, high)
    if isinstance(low, (int, float)) and isinstance(high, (int, float)):
        return [float(low)], [float(high)]
    for name, given in (("low", low), ("high", high)):
        if np.asarray(given).dtype.kind not in "biuf":
            raise TypeError(f"{name} is {given!r}; it must be a number, or one for each picture")
    lows, highs = (np.atleast_1d(np.asarray(v, dtype=np.float64)) for v in (low, high))
    if lows.ndim != 1 or highs.ndim != 1:
        raise InvalidArgument(
            "low and high must be numbers, or one for each picture", f"{lows.shape} {highs.shape}"
        )
    lows, highs = (
        np.broadcast_arrays(lows, highs) if 1 in (len(lows), len(highs)) else (lows, highs)
    )
    return lows.tolist(), highs.tolist()

"""Who answers a call: Cuesta, or the library whose name a module takes.

There is one rule. A module has a table with a `Row` for each function that Cuesta computes. A call whose picture is of
the row's types and channels, and large enough, goes to the function; a function that does not take its other
arguments calls `leave`. All other calls, and all other names, are the original's. Where the original is not
installed, such a call raises `cuesta.Unsupported` and says what Cuesta answers.
"""

from __future__ import annotations

import functools
import importlib
import sys
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

import numpy as np

import cuesta

F = TypeVar("F", bound=Callable[..., Any])
Array = np.ndarray[Any, np.dtype[Any]]


class Row(NamedTuple):
    """Which requests of a function Cuesta answers."""

    path: str
    """The function's name in the original."""
    types: tuple[str, ...]
    """Of the picture's samples."""
    channels: tuple[int, ...]
    """Of the picture; (H, W, 1) counts as 1."""
    others: str
    """What the other arguments may be, in words."""
    slower: str = ""
    """What is taken, and left to the original where it is installed because that is faster; in words."""
    smallest: int = 0
    """Samples. Smaller pictures are left to the original where it is installed, as the cost of a call decides there."""

    def words(self) -> str:
        """What is answered."""
        channels = {(1,): "1 channel", (1, 2, 3, 4): "1 to 4 channels"}.get(self.channels)
        return f"{', '.join(self.types)}; {channels or ' or '.join(map(str, self.channels)) + ' channels'}; {self.others}"

    def left(self) -> str:
        """What is taken, and left to the original where it is installed."""
        small = f"below {self.smallest:,} samples" if self.smallest else ""
        return "; ".join(part for part in (self.slower, small) if part)


class Calls(NamedTuple):
    """How many calls of a function were answered here, and how many by the original."""

    ours: int
    theirs: int


class Left(Exception):
    """The original answers; the text says why."""


def leave(condition: bool, why: str) -> None:
    """Leaves a call that Cuesta does not take to the original."""
    if condition:
        raise Left(why)


class Original:
    """A library that is imported when it is first needed, and may be absent."""

    def __init__(self, name: str, package: str, stand_in: str, table: Mapping[str, Row]) -> None:
        self.name = name
        #: What pip installs it by.
        self.package = package
        self.table = table
        #: Our module's name; what `import` calls `name` may be that one.
        self._stand_in = stand_in
        self._lock = threading.RLock()
        self._module: ModuleType | None = None
        self._asked = False
        #: Never asked where True, as where it is not installed.
        self.alone = False
        self._found: dict[str, Any] = {}
        self._ours: Counter[str] = Counter()
        self._theirs: Counter[str] = Counter()

    def module(self) -> ModuleType | None:
        """The library; None where it is not installed."""
        if self.alone:
            return None
        if not self._asked:
            with self._lock:
                if not self._asked:
                    self._module = self._imported()
                    self._asked = True
        return self._module

    def _imported(self) -> ModuleType | None:
        present = sys.modules.get(self.name)
        replaced = present is not None and present.__name__ == self._stand_in
        if replaced:
            del sys.modules[self.name]
        try:
            return importlib.import_module(self.name)
        except ImportError:
            return None
        finally:
            if replaced and present is not None:
                sys.modules[self.name] = present

    def attribute(self, name: str) -> Any:
        """What the original has under that name, which may be a path; AttributeError says what is missing."""
        if name in self._found and not self.alone:
            return self._found[name]
        module = self.module()
        if module is None:
            raise AttributeError(
                f"{self._stand_in} has no {name}: Cuesta computes {', '.join(sorted(self.table))}, and {self.name}, which "
                f"has the rest, is not installed (pip install {self.package})"
            )
        found: Any = module
        for part in name.split("."):
            found = getattr(found, part)
        self._found[name] = found
        return found

    def slower(self, condition: bool) -> None:
        """Leaves a call that Cuesta takes to the original where it is installed, because that is faster."""
        if condition and self.module() is not None:
            raise Left("slower")

    def answers(self, function: F) -> F:
        """A function of ours in place of the original's, by its row of the table."""
        name = function.__name__
        row = self.table[name]

        @functools.wraps(function)
        def call(*given: Any, **named: Any) -> Any:
            try:
                answer = function(*given, **named)
            except (Left, cuesta.Unsupported, cuesta.InvalidArgument) as error:
                if self.module() is None:
                    raise cuesta.Unsupported(
                        f"{name}: {error}; Cuesta answers {row.words()}, and {self.name}, which answers the rest, is "
                        f"not installed (pip install {self.package})",
                        self.name,
                    ) from error
            except TypeError:
                if self.module() is None:
                    raise
            else:
                self._ours[row.path] += 1
                return answer
            # Outside of the handlers: what the original raises is its own.
            self._theirs[row.path] += 1
            return self.attribute(row.path)(*given, **named)

        return call  # type: ignore[return-value]

    def picture(self, name: str, value: Any, dimensions: int | None = None) -> Array:
        """The picture of a call of that function as (H, W) or (H, W, C), by the row of the table."""
        row = self.table[name]
        if not isinstance(value, np.ndarray):
            raise Left(f"a picture of {type(value).__name__} is not a numpy array")
        if value.ndim not in ((2, 3) if dimensions is None else (dimensions,)):
            raise Left(f"a picture of {value.ndim} dimensions is not taken")
        picture = (
            value[..., 0]
            if dimensions is None and value.ndim == 3 and value.shape[2] == 1
            else value
        )
        channels = picture.shape[2] if dimensions is None and picture.ndim == 3 else 1
        if picture.dtype.name not in row.types or channels not in row.channels:
            raise Left(f"a picture of {picture.dtype} and {channels} channels is not taken")
        if picture.size == 0:
            raise Left(f"a picture of shape {value.shape} is empty")
        self.slower(picture.size < row.smallest)
        return picture

    def calls(self) -> dict[str, Calls]:
        """Of the functions of the table, since the start."""
        names = sorted({*self._ours, *self._theirs})
        return {name: Calls(self._ours[name], self._theirs[name]) for name in names}

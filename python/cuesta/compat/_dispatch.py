"""Selects who computes a call: Cuesta, or the library whose name a module has.

There is one rule. A module has a table with a `Row` for each function that Cuesta computes. A call
goes to that function if its picture is large enough and has the row's types and channels. The
function calls `leave` if it does not support the other arguments. All other calls and names go to
the original library. Where the original is not installed, such a call raises `cuesta.Unsupported`,
which names what Cuesta supports.
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
    """The requests of one function that Cuesta computes."""

    path: str
    """The function's name in the original."""
    types: tuple[str, ...]
    """Supported types of the picture's samples."""
    channels: tuple[int, ...]
    """Supported numbers of channels; (H, W, 1) counts as 1."""
    others: str
    """Supported values of the other arguments, in words."""
    slower: str = ""
    """Supported requests that are left to the original where it is installed, because it is faster."""
    smallest: int = 0
    """Pictures with fewer samples are left to the original where it is installed.

    The cost of a call dominates there.
    """

    def words(self) -> str:
        """Returns the supported requests in words."""
        channels = {(1,): "1 channel", (1, 2, 3, 4): "1 to 4 channels"}.get(self.channels)
        return f"{', '.join(self.types)}; {channels or ' or '.join(map(str, self.channels)) + ' channels'}; {self.others}"

    def left(self) -> str:
        """Returns the supported requests that are left to an installed original, in words."""
        small = f"below {self.smallest:,} samples" if self.smallest else ""
        return "; ".join(part for part in (self.slower, small) if part)


class Calls(NamedTuple):
    """Numbers of calls of one function."""

    ours: int
    """Calls that Cuesta computed."""
    theirs: int
    """Calls that the original computed."""


class Left(Exception):
    """Raised to leave a call to the original; the text is the reason."""


def leave(condition: bool, why: str) -> None:
    """Leaves a call that Cuesta does not support to the original."""
    if condition:
        raise Left(why)


class Original:
    """A library that is imported when it is first needed, and may be absent."""

    def __init__(self, name: str, package: str, stand_in: str, table: Mapping[str, Row]) -> None:
        self.name = name
        #: Its name for pip.
        self.package = package
        self.table = table
        #: Our module's name; `sys.modules` may hold that module under `name`.
        self._stand_in = stand_in
        self._lock = threading.RLock()
        self._module: ModuleType | None = None
        self._asked = False
        #: If True the library is never used, as if it were not installed.
        self.alone = False
        self._found: dict[str, Any] = {}
        self._ours: Counter[str] = Counter()
        self._theirs: Counter[str] = Counter()

    def module(self) -> ModuleType | None:
        """Returns the library; None where it is not installed."""
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
        """Returns the original's attribute of that name, which may be a path.

        Raises
        ------
        AttributeError
            The original is not installed, or has no such attribute.
        """
        if name in self._found and not self.alone:
            return self._found[name]
        module = self.module()
        if module is None:
            raise AttributeError(
                f"{self._stand_in} has no {name}; it has {', '.join(sorted(self.table))}, and more with {self.name} "
                f"(pip install {self.package})"
            )
        found: Any = module
        for part in name.split("."):
            found = getattr(found, part)
        self._found[name] = found
        return found

    def slower(self, condition: bool) -> None:
        """Leaves a supported call to the original where it is installed, because it is faster."""
        if condition and self.module() is not None:
            raise Left("slower")

    def answers(self, function: F) -> F:
        """Decorates a function that stands for the original's, by its row of the table."""
        name = function.__name__
        row = self.table[name]

        @functools.wraps(function)
        def call(*given: Any, **named: Any) -> Any:
            try:
                answer = function(*given, **named)
            except (Left, cuesta.Unsupported, cuesta.InvalidArgument) as error:
                if self.module() is None:
                    raise cuesta.Unsupported(
                        f"{name}: {error}; Cuesta supports {row.words()}, and the rest requires {self.name} "
                        f"(pip install {self.package})",
                        self.name,
                    ) from error
            except TypeError:
                if self.module() is None:
                    raise
            else:
                self._ours[row.path] += 1
                return answer
            # Outside of the handlers: errors of the original have no context of ours.
            self._theirs[row.path] += 1
            return self.attribute(row.path)(*given, **named)

        return call  # type: ignore[return-value]

    def picture(self, name: str, value: Any, dimensions: int | None = None) -> Array:
        """Returns the picture of a call as (H, W) or (H, W, C), checked by the row of the table."""
        row = self.table[name]
        if not isinstance(value, np.ndarray):
            raise Left(f"the picture is {type(value).__name__}, not a numpy array")
        if value.ndim not in ((2, 3) if dimensions is None else (dimensions,)):
            raise Left(f"the picture has {value.ndim} dimensions")
        picture = (
            value[..., 0]
            if dimensions is None and value.ndim == 3 and value.shape[2] == 1
            else value
        )
        channels = picture.shape[2] if dimensions is None and picture.ndim == 3 else 1
        if picture.dtype.name not in row.types or channels not in row.channels:
            raise Left(f"the picture has type {picture.dtype} and {channels} channels")
        if picture.size == 0:
            raise Left(f"the picture of shape {value.shape} is empty")
        self.slower(picture.size < row.smallest)
        return picture

    def calls(self) -> dict[str, Calls]:
        """Returns the numbers of calls so far, by the functions of the table."""
        names = sorted({*self._ours, *self._theirs})
        return {name: Calls(self._ours[name], self._theirs[name]) for name in names}

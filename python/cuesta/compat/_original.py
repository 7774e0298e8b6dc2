"""The library that a module stands in for: asked where it is installed and ours does not answer."""

from __future__ import annotations

import functools
import importlib
import sys
import threading
from collections import Counter
from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

import cuesta

F = TypeVar("F", bound=Callable[..., Any])


class Calls(NamedTuple):
    """How many calls of a function were answered here, and how many by the original."""

    ours: int
    theirs: int


class _Theirs(Exception):
    """The original answers: ours would differ, or is slower."""


class Original:
    """A library that is imported when it is first needed, and may be absent."""

    def __init__(self, name: str, stand_in: str) -> None:
        self.name = name
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
                f"{self._stand_in} has no {name} of its own, and {self.name}, which may have it, is not installed"
            )
        found: Any = module
        for part in name.split("."):
            found = getattr(found, part)
        self._found[name] = found
        return found

    def answers(self, condition: bool) -> None:
        """Leaves a function that `replaces` one of the original's to the original, where there is one."""
        if condition and self.module() is not None:
            raise _Theirs

    def replaces(self, path: str = "") -> Callable[[F], F]:
        """A function of ours in place of the original's under that path, which answers what ours refuses."""

        def wrap(function: F) -> F:
            name = path or function.__name__

            @functools.wraps(function)
            def call(*arguments: Any, **keywords: Any) -> Any:
                try:
                    answer = function(*arguments, **keywords)
                except (_Theirs, cuesta.Unsupported, cuesta.InvalidArgument, TypeError):
                    if self.module() is None:
                        raise  # and outside of this, what the original raises is its own
                else:
                    self._ours[name] += 1
                    return answer
                self._theirs[name] += 1
                return self.attribute(name)(*arguments, **keywords)

            return call  # type: ignore[return-value]

        return wrap

    def calls(self) -> dict[str, Calls]:
        """Of the functions that are replaced, since the start."""
        names = sorted({*self._ours, *self._theirs})
        return {name: Calls(self._ours[name], self._theirs[name]) for name in names}

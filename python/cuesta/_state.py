"""Objects that cannot be copied."""

from __future__ import annotations

from typing import NoReturn


class HoldsState:
    """Base of objects whose state is in the library's memory or behind an open file."""

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"{type(self).__name__} keeps state and can be neither pickled nor copied; "
            "make one where it is needed"
        )

"""Errors. A message names the argument, its value and what is accepted."""

from __future__ import annotations

import re

__all__ = [
    "DeviceError",
    "Error",
    "InputError",
    "InvalidArgument",
    "OutOfMemory",
    "OutputError",
    "Unsupported",
]


class Error(Exception):
    """Base of every error of the library.

    Attributes
    ----------
    code : str
        "invalid_argument", "unsupported", "input", "output", "device" or "out_of_memory".
    value : str
        The offending value as text; empty where there is none.
    """

    code = "invalid_argument"

    def __init__(self, message: str, value: str = "") -> None:
        super().__init__(message)
        self.value = value

    def __reduce__(self) -> tuple[type[Error], tuple[str, str]]:
        return type(self), (str(self), self.value)


class InvalidArgument(Error, ValueError):
    """An invalid argument."""


class Unsupported(Error, ValueError):
    """A valid request that the strategy, or every strategy of this build, does not support."""

    code = "unsupported"


class InputError(Error, OSError):
    """Data that cannot be read, such as a frame of another size than the first."""

    code = "input"


class OutputError(Error, OSError):
    """A result that cannot be written."""

    code = "output"


class DeviceError(Error, RuntimeError):
    """A GPU that is missing, cannot be used, or failed."""

    code = "device"


class OutOfMemory(Error, MemoryError):
    """Host or device memory is exhausted."""

    code = "out_of_memory"


_CLASSES: dict[str, type[Error]] = {
    kind.code: kind
    for kind in (InvalidArgument, Unsupported, InputError, OutputError, DeviceError, OutOfMemory)
}

# Names of arguments and sample types in the C++ library, and in Python.
_NAMES = {
    "src": "image",
    "dst": "out",
    "u8": "uint8",
    "u16": "uint16",
    "s16": "int16",
    "s32": "int32",
    "f32": "float32",
    "bit": "bool",
}
# Hints that apply to Python; other hints name options of the command.
_HINTS = {
    "use_cpu": "; use device='cpu', or an array in host memory",
    "choose_page": " with page=N, as in cuesta.imread(file, page=N)",
    "choose_band": " with band=N, as in cuesta.imread(file, band=N)",
}
_NAME = re.compile(r"(?<![\w.'-])(?:" + "|".join(_NAMES) + r")(?![\w'])")
# A source whose type an operation does not support; `out` is the caller's own.
_TYPE = re.compile(r"(?<!out) is (?:u?int|float)\d+; it must be (?P<types>[a-z0-9, ]+)$")


def _from_library(code: str, message: str, value: str, hint: str = "") -> Error:
    def renamed(text: str) -> str:
        return _NAME.sub(lambda match: _NAMES[match.group()], text)

    text = renamed(message) + _HINTS.get(hint, "")
    if (refused := _TYPE.search(text)) is not None:
        text += (
            "; mask != 0 makes a mask of it"
            if "mask is " in text
            else "; astype(np.float32) converts it"
            if "float32" in refused["types"]
            else "; scale it and convert it with astype(np.uint16)"
        )
    return _CLASSES[code](text, renamed(value))

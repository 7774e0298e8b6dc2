"""Errors: one sentence that names the argument, the value and what is accepted."""

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
    """An argument that cannot be meant."""


class Unsupported(Error, ValueError):
    """A valid request that the strategy, or every strategy of this build, refuses."""

    code = "unsupported"


class InputError(Error, OSError):
    """Data that cannot be read, such as a frame of another size than the first."""

    code = "input"


class OutputError(Error, OSError):
    """A result that cannot be written."""

    code = "output"


class DeviceError(Error, RuntimeError):
    """No usable GPU, or a fault on it."""

    code = "device"


class OutOfMemory(Error, MemoryError):
    """Host or device memory is used up."""

    code = "out_of_memory"


_CLASSES: dict[str, type[Error]] = {
    kind.code: kind
    for kind in (InvalidArgument, Unsupported, InputError, OutputError, DeviceError, OutOfMemory)
}

# What the C++ library calls its arguments and sample types, and what Python calls them.
_NAMES = {
    "src": "image",
    "dst": "out",
    "u8": "uint8",
    "u16": "uint16",
    "s16": "int16",
    "s32": "int32",
    "f32": "float32",
}
# What a caller from Python could do; what concerns files is the command's alone.
_HINTS = {"use_cpu": "; use device='cpu', or an array in host memory"}
_NAME = re.compile(r"(?<![\w.'])(?:" + "|".join(_NAMES) + r")(?![\w'])")


def _from_library(code: str, message: str, value: str, hint: str = "") -> Error:
    def renamed(text: str) -> str:
        return _NAME.sub(lambda match: _NAMES[match.group()], text)

    return _CLASSES[code](renamed(message) + _HINTS.get(hint, ""), renamed(value))

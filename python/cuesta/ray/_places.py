"""Files on any of pyarrow's file systems."""

from __future__ import annotations

import contextlib
import glob
import os
import pathlib
import tempfile
from collections.abc import Iterator, Sequence
from typing import Any, Union

from pyarrow import fs

from cuesta.errors import Error, InputError

Path = Union[str, "os.PathLike[str]"]


def find(path: Path, filesystem: Any = None) -> tuple[Any, str]:
    """Returns the file system of a path or address, and the file's name on it."""
    name = os.fspath(path)
    if filesystem is not None:
        return filesystem, name
    if "://" in name:
        try:
            found, inner = fs.FileSystem.from_uri(name)
        except (OSError, ValueError) as error:
            raise InputError(f"{name}: {error}", name) from error
        return found, inner
    return fs.LocalFileSystem(), os.path.abspath(name)


def everywhere(path: Path, filesystem: Any = None) -> str:
    """Returns a path that means the same to workers, which run in other folders."""
    name = os.fspath(path)
    return name if filesystem is not None or "://" in name else os.path.abspath(name)


def is_local(filesystem: Any) -> bool:
    """Whether its files are files of this machine."""
    return isinstance(filesystem, fs.LocalFileSystem)


def read(path: Path, filesystem: Any = None) -> bytes:
    """Returns the bytes of a file.

    Raises
    ------
    InputError
        The file cannot be read. The message names it and the reason.
    """
    found, inner = find(path, filesystem)
    try:
        with found.open_input_file(inner) as stream:
            data: bytes = stream.read()
    except OSError as error:
        raise InputError(
            f"{os.fspath(path)}: {error.strerror or error}", os.fspath(path)
        ) from error
    return data


def named(error: Error, path: Path, file: str) -> InputError:
    """Returns an error of a local file with the name that the caller gave.

    `file` is empty where the local file does not exist yet.
    """
    name = os.fspath(path)
    return InputError(str(error).replace(file, name) if file else str(error), name)


def _scratch() -> str | None:
    """Returns the folder for temporary files: in memory where there is such a folder."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


@contextlib.contextmanager
def held(data: bytes) -> Iterator[str]:
    """Stores bytes as a file on this machine, while the block runs."""
    with tempfile.NamedTemporaryFile(prefix="cuesta-", dir=_scratch()) as file:
        file.write(data)
        file.flush()
        yield file.name


@contextlib.contextmanager
def local(path: Path, filesystem: Any = None) -> Iterator[str]:
    """Provides a picture's file on this machine, while the block runs."""
    found, inner = find(path, filesystem)
    if is_local(found):
        yield inner
    else:
        with held(read(path, filesystem)) as name:
            yield name


class Kept:
    """The last video that this process fetched. Its parts are processed one after the other."""

    def __init__(self) -> None:
        self._key: tuple[str, Any] = ("", None)
        self._file: Any = None

    def local(self, path: Path, filesystem: Any = None) -> str:
        """Returns a video's file on this machine; it exists until the next video is requested."""
        found, inner = find(path, filesystem)
        if is_local(found):
            return inner
        try:
            info = found.get_file_info(inner)
            if info.type != fs.FileType.File:
                raise InputError(f"{os.fspath(path)}: no such file", os.fspath(path))
            key = (os.fspath(path), (info.size, info.mtime_ns))
            if key != self._key:
                self._key, self._file = ("", None), None
                self._file = tempfile.NamedTemporaryFile(
                    prefix="cuesta-", suffix=pathlib.PurePosixPath(inner).suffix
                )
                with found.open_input_stream(inner) as stream:
                    while piece := stream.read(1 << 24):
                        self._file.write(piece)
                self._file.flush()
                self._key = key
        except OSError as error:
            if isinstance(error, InputError):
                raise
            raise InputError(
                f"{os.fspath(path)}: {error.strerror or error}", os.fspath(path)
            ) from error
        name: str = self._file.name
        return name


kept = Kept()


def expand(paths: Path | Sequence[Path], filesystem: Any = None) -> tuple[list[str], str]:
    """Expands folders to all files in them and patterns (`*`) to matching files on this machine.

    Also returns the common folder of all files, which their names in the results omit.

    Raises
    ------
    InputError
        A path names nothing. The message names it.
    """
    files: list[str] = []
    bases: list[str] = []
    for path in [paths] if isinstance(paths, (str, os.PathLike)) else paths:
        name = os.fspath(path)
        found, inner = find(name, filesystem)
        if is_local(found) and glob.has_magic(inner) and not os.path.exists(inner):
            fitting = sorted(
                file for file in glob.glob(inner, recursive=True) if os.path.isfile(file)
            )
            if not fitting:
                raise InputError(f"{name}: no file matches", name)
            files += fitting
            bases += [os.path.dirname(file) for file in fitting]
            continue
        if found.get_file_info(inner).type == fs.FileType.Directory:
            start = name[: len(name) - len(inner)] if name.endswith(inner) else ""
            listed = found.get_file_info(fs.FileSelector(inner, recursive=True))
            inside = sorted(info.path for info in listed if info.type == fs.FileType.File)
            if not inside:
                raise InputError(f"{name}: the folder is empty", name)
            if "://" in name and not is_local(found):
                head, _, query = name.partition("?")
                start = head[: head.index("://") + 3]
                files += [start + file + ("?" + query if query else "") for file in inside]
            else:
                files += inside
            bases.append(inner.rstrip("/"))
            continue
        files.append(inner if is_local(found) and filesystem is None else name)
        bases.append(os.path.dirname(inner))
    same_kind = len({os.path.isabs(base) for base in bases}) == 1
    return files, os.path.commonpath(bases) if same_kind and all(bases) else ""


def name_in(path: str, base: str, filesystem: Any = None) -> str:
    """Returns a file's name in the results: its path below `base`."""
    _, inner = find(path, filesystem)
    inner = (
        os.path.relpath(inner, base) if base and inner.startswith(base.rstrip("/") + "/") else inner
    )
    return inner.lstrip("/")

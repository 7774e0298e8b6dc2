"""Results in a folder: staged, then committed once."""

from __future__ import annotations

import hashlib
import io
import json
import os
import pathlib
import tempfile
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
from pyarrow import fs

from cuesta import FileComponents, imwrite
from cuesta.errors import Error, InvalidArgument, OutputError
from cuesta.ray import _places as places

#: Marks a complete folder; contains a line of JSON.
MARKER = "_SUCCESS"
#: Inputs that could not be read, a line of JSON each; exists only if there are any.
ERRORS = "_errors.ndjson"
#: Rows of a run that is not committed; readers of folders skip it.
STAGING = "_staging-"
TABLES = ("parquet", "ndjson")


def cause_of(error: BaseException) -> BaseException:
    """Returns the error that a worker raised, from Ray's; otherwise the error itself."""
    at: BaseException | None = error
    while at is not None:
        if isinstance(at, Error) and not hasattr(at, "cause"):
            return at
        at = getattr(at, "cause", None) or at.__cause__
    return error


class Summary(NamedTuple):
    """The result of a job that writes a folder."""

    output: str
    """The folder."""
    done: int
    """Number of pictures or videos with a result."""
    errors: list[tuple[str, str]]
    """Name and reason of the inputs that cannot be read."""
    seconds: float
    """Duration of the job, in seconds."""


@dataclass(frozen=True)
class Output:
    """A folder that receives results; it is sent to the workers."""

    uri: str
    format: str
    """"parquet", "ndjson", or a picture's extension."""
    filesystem: Any = None
    run: str = field(default_factory=lambda: uuid.uuid4().hex[:12])

    @property
    def is_table(self) -> bool:
        """Whether results are rows of a table."""
        return self.format in TABLES

    def _place(self) -> tuple[Any, str]:
        found, inner = places.find(self.uri, self.filesystem)
        return found, inner.rstrip("/")

    def begin(self, overwrite: bool) -> None:
        """Makes the folder, and removes what uncommitted runs left in it.

        Raises
        ------
        OutputError
            The folder has a result, or cannot be made.
        """
        found, folder = self._place()
        try:
            found.create_dir(folder, recursive=True)
            there = found.get_file_info(fs.FileSelector(folder))
            names = {info.base_name for info in there}
            if MARKER in names:
                if not overwrite:
                    raise OutputError(
                        f"cannot write {self.uri}: it has a complete result ({MARKER}); use another folder, or overwrite=True",
                        self.uri,
                    )
                committed = json.loads(places.read(f"{folder}/{MARKER}", found))
                found.delete_file(f"{folder}/{MARKER}")
                for name in [*committed["files"], *({ERRORS} & names)]:
                    found.delete_file(f"{folder}/{name}")
            for info in there:
                if info.base_name.startswith(STAGING):
                    found.delete_dir(info.path)
        except OSError as error:
            if isinstance(error, OutputError):
                raise
            raise OutputError(
                f"cannot write {self.uri}: {error.strerror or error}", self.uri
            ) from error

    def put(self, name: str, data: bytes) -> None:
        """Writes a file of the folder; it appears when it is complete, and replaces an existing
        one.

        Raises
        ------
        OutputError
            The file cannot be written. The message names it.
        """
        found, folder = self._place()
        target = f"{folder}/{name}"
        try:
            if places.is_local(found):
                os.makedirs(os.path.dirname(target), exist_ok=True)
                descriptor, staged = tempfile.mkstemp(
                    prefix=f".{STAGING}", dir=os.path.dirname(target)
                )
                try:
                    with os.fdopen(descriptor, "wb") as file:
                        file.write(data)
                        file.flush()
                        os.fsync(descriptor)
                    os.chmod(staged, 0o644)
                    os.replace(staged, target)
                except BaseException:
                    os.unlink(staged)
                    raise
            else:
                with found.open_output_stream(target) as stream:
                    stream.write(data)
        except OSError as error:
            raise OutputError(
                f"cannot write {self.uri}/{name}: {error.strerror or error}", self.uri
            ) from error

    def picture(self, name: str, image: Any) -> str:
        """Writes a picture by its name and the format's extension; returns the file's name."""
        if not name or name.startswith("/") or ".." in pathlib.PurePosixPath(name).parts:
            raise InvalidArgument(
                f"name is {name!r}; it must be a path below the results' folder", name
            )
        ended = f"{name}.{self.format}"
        found, folder = self._place()
        if places.is_local(found):
            target = pathlib.Path(folder, ended)
            target.parent.mkdir(parents=True, exist_ok=True)
            imwrite(target, image)  # imwrite stages it
        else:
            self.put(ended, encoded(image, self.format))
        return ended

    def part(self, keys: Iterable[str], rows: Sequence[dict[str, Any]], schema: Any) -> str:
        """Writes rows as one file, staged until commit(); returns its name.

        The name follows from `keys`.
        """
        digest = hashlib.blake2b("\n".join(keys).encode(), digest_size=10).hexdigest()
        name = f"part-{digest}.{self.format}"
        table = pa.Table.from_pylist(list(rows), schema=schema)
        self.put(f"{STAGING}{self.run}/{name}", written(table, self.format))
        return name

    def commit(self, parts: Sequence[str], done: int, errors: Sequence[tuple[str, str]]) -> None:
        """Moves the staged parts to their names, then writes the marker."""
        found, folder = self._place()
        staging = f"{folder}/{STAGING}{self.run}"
        parts = sorted(set(parts))
        try:
            for part in parts:
                found.move(f"{staging}/{part}", f"{folder}/{part}")
            if parts:
                found.delete_dir(staging)
        except OSError as error:
            raise OutputError(
                f"cannot write {self.uri}: {error.strerror or error}", self.uri
            ) from error
        if errors:
            lines = (
                json.dumps({"name": name, "error": reason}, ensure_ascii=False)
                for name, reason in sorted(errors)
            )
            self.put(ERRORS, "".join(line + "\n" for line in lines).encode())
        marker = {"format": self.format, "done": done, "errors": len(errors), "files": parts}
        self.put(MARKER, (json.dumps(marker) + "\n").encode())


def encoded(image: Any, format: str) -> bytes:
    """Returns the bytes of a picture file."""
    with tempfile.TemporaryDirectory(prefix="cuesta-", dir=places._scratch()) as folder:
        file = pathlib.Path(folder, f"picture.{format}")
        imwrite(file, image)
        return file.read_bytes()


def written(table: Any, format: str) -> bytes:
    """Returns the bytes of a table's file."""
    if format == "parquet":
        buffer = io.BytesIO()
        parquet.write_table(table, buffer, compression="zstd")
        return buffer.getvalue()
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in table.to_pylist()).encode()


def components_written(found: FileComponents, format: str) -> bytes:
    """Returns the bytes of a file with a list of components.

    "csv" and "ndjson" are the formats of `cuesta label`; "parquet" is the third.
    """
    names = ("label", "x", "y", "width", "height", "area", "centroid_x", "centroid_y")
    columns = [np.arange(1, found.count + 1), *found.boxes.T, found.areas, *found.centroids.T]
    if format == "parquet":
        return written(pa.table(dict(zip(names, map(np.ascontiguousarray, columns)))), format)
    if format == "csv":
        head, line = ",".join(names) + "\n", ",".join(["{}"] * len(names)) + "\n"
    else:
        head, line = (
            "",
            '{{"label":{},"x":{},"y":{},"width":{},"height":{},"area":{},"centroid":[{},{}]}}\n',
        )
    rows = zip(*(column.tolist() for column in columns))
    return (
        head
        + "".join(
            line.format(*whole, *(repr(at).removesuffix(".0") for at in (x, y)))
            for *whole, x, y in rows
        )
    ).encode()

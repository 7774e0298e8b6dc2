"""Results in a folder: staged, and committed once."""

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

#: What lies in the folder when all results do: a line of JSON.
MARKER = "_SUCCESS"
#: What could not be read, a line of JSON each; only where there is any.
ERRORS = "_errors.ndjson"
#: Rows of a run that is not committed, which readers of folders pass over.
STAGING = "_staging-"
TABLES = ("parquet", "ndjson")


def cause_of(error: BaseException) -> BaseException:
    """What a worker raised, out of what Ray makes of it; else the error itself."""
    at: BaseException | None = error
    while at is not None:
        if isinstance(at, Error) and not hasattr(at, "cause"):
            return at
        at = getattr(at, "cause", None) or at.__cause__
    return error


class Summary(NamedTuple):
    """What a job did."""

    output: str
    """The folder."""
    done: int
    """Pictures or videos with a result."""
    errors: list[tuple[str, str]]
    """Name and reason of those that cannot be read."""
    seconds: float
    """From the first to the last."""


@dataclass(frozen=True)
class Output:
    """A folder that receives results; goes to the workers."""

    uri: str
    format: str
    """"parquet", "ndjson", or of pictures the extension."""
    filesystem: Any = None
    run: str = field(default_factory=lambda: uuid.uuid4().hex[:12])

    @property
    def is_table(self) -> bool:
        return self.format in TABLES

    def _place(self) -> tuple[Any, str]:
        found, inner = places.find(self.uri, self.filesystem)
        return found, inner.rstrip("/")

    def begin(self, overwrite: bool) -> None:
        """Makes the folder, and clears it of what runs left that were not committed.

        Raises
        ------
        OutputError
            Where a result is there already, or the folder cannot be made.
        """
        found, folder = self._place()
        try:
            found.create_dir(folder, recursive=True)
            there = found.get_file_info(fs.FileSelector(folder))
            names = {info.base_name for info in there}
            if MARKER in names:
                if not overwrite:
                    raise OutputError(
                        f"cannot write {self.uri}: a whole result is there ({MARKER}); take another folder, or overwrite=True",
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
        """A file of the folder, which appears when it is whole; one that is there is replaced.

        Raises
        ------
        OutputError
            Naming it.
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
        """A picture under its name and the format's ending, which it returns."""
        if not name or name.startswith("/") or ".." in pathlib.PurePosixPath(name).parts:
            raise InvalidArgument(
                f"name is {name!r}; it must be a path below the results' folder", name
            )
        ended = f"{name}.{self.format}"
        found, folder = self._place()
        if places.is_local(found):
            target = pathlib.Path(folder, ended)
            target.parent.mkdir(parents=True, exist_ok=True)
            imwrite(target, image)  # staged by itself
        else:
            self.put(ended, encoded(image, self.format))
        return ended

    def part(self, keys: Iterable[str], rows: Sequence[dict[str, Any]], schema: Any) -> str:
        """Rows as a file of their own, whose name follows from what they are of; it is staged until commit()."""
        digest = hashlib.blake2b("\n".join(keys).encode(), digest_size=10).hexdigest()
        name = f"part-{digest}.{self.format}"
        table = pa.Table.from_pylist(list(rows), schema=schema)
        self.put(f"{STAGING}{self.run}/{name}", written(table, self.format))
        return name

    def commit(self, parts: Sequence[str], done: int, errors: Sequence[tuple[str, str]]) -> None:
        """Puts the staged parts under their names, then the marker."""
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
        told = {"format": self.format, "done": done, "errors": len(errors), "files": parts}
        self.put(MARKER, (json.dumps(told) + "\n").encode())


def encoded(image: Any, format: str) -> bytes:
    """A picture file's bytes."""
    with tempfile.TemporaryDirectory(prefix="cuesta-", dir=places._scratch()) as folder:
        file = pathlib.Path(folder, f"picture.{format}")
        imwrite(file, image)
        return file.read_bytes()


def written(table: Any, format: str) -> bytes:
    """A table as a file's bytes."""
    if format == "parquet":
        buffer = io.BytesIO()
        parquet.write_table(table, buffer, compression="zstd")
        return buffer.getvalue()
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in table.to_pylist()).encode()


def components_written(found: FileComponents, format: str) -> bytes:
    """A list of components as a file's bytes: "csv" and "ndjson" are those of `cuesta label`; or "parquet"."""
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

"""The actors that process rows of pictures."""

from __future__ import annotations

import functools
import os
import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pyarrow as pa

import cuesta
from cuesta.errors import DeviceError, Error, InputError, InvalidArgument, OutputError
from cuesta.ray import _places as places
from cuesta.ray._outputs import Output, encoded

METHODS: dict[str, Callable[..., Any]] = {
    name: functools.update_wrapper(functools.partial(cuesta.edges, method=name), cuesta.edges)
    for name in ("canny", "log", "sobel", "boundaries", "regions")
}
FILTERS: dict[str, Callable[..., Any]] = {
    name: getattr(cuesta, name)
    for name in ("box", "convolve", "correlate", "gaussian", "laplacian", "median", "sharpen")
}
SCHEMA = pa.schema(
    [
        ("name", pa.string()),
        ("error", pa.string()),
        ("width", pa.int32()),
        ("height", pa.int32()),
        ("picture", pa.binary()),
    ]
)


@dataclass(frozen=True)
class Work:
    """The work on each row; it is sent to the workers."""

    kind: Literal["edges", "filter"]
    operation: str
    options: Mapping[str, Any]
    source: str = "path"
    base: str = ""
    filesystem: Any = None
    output: Output | None = None
    threads: int = 1
    on_gpu: bool = False


@dataclass
class Worker:
    """Processes rows, one after the other.

    The library keeps this thread's workspace between them, on a GPU too. A worker sees only the GPU
    that Ray gave it.
    """

    work: Work
    _apply: Callable[..., Any] = field(init=False)

    def __post_init__(self) -> None:
        table = METHODS if self.work.kind == "edges" else FILTERS
        self._apply = table[self.work.operation]

    def _read(self, value: Any) -> Any:
        if self.work.source == "image":
            return np.asarray(value)
        if self.work.source == "bytes":
            with places.held(bytes(value)) as name:
                return self._file(name, "bytes")
        with places.local(value, self.work.filesystem) as name:
            return self._file(name, os.fspath(value))

    @staticmethod
    def _file(name: str, known: str) -> Any:
        try:
            return cuesta.imread(name)
        except InputError as error:  # a temporary file: the error names the caller's file
            raise places.named(error, known, name) from error

    def result(self, value: Any) -> Any:
        """Returns the result for one picture."""
        image = self._read(value)
        layout = {"layout": "HWC"} if image.ndim == 3 else {}
        if self.work.on_gpu:
            return cuesta.to_host(
                self._apply(cuesta.to_device(image), **layout, **self.work.options)
            )
        return self._apply(image, threads=self.work.threads, **layout, **self.work.options)

    def row(self, name: str, value: Any) -> dict[str, Any]:
        """Returns the result as a row, which is written where there is an output.

        A picture that cannot be read has an `error`.
        """
        output = self.work.output
        nothing = np.zeros((0, 0), np.uint8)
        try:
            image = self.result(value)
        except (OutputError, DeviceError):  # not about this picture
            raise
        except (Error, TypeError, ValueError) as error:
            if output is None:
                return {"name": name, "error": str(error), "image": nothing}
            return {"name": name, "error": str(error), "width": 0, "height": 0, "picture": None}
        if output is None:
            return {"name": name, "error": "", "image": image}
        row = {
            "name": name,
            "error": "",
            "width": image.shape[1],
            "height": image.shape[0],
            "picture": None,
        }
        if output.format == "parquet":
            row["picture"] = encoded(image, "png")
        elif not output.is_table:
            output.picture(name, image)
        return row

    def names(self, batch: Mapping[str, Any]) -> list[str]:
        """Returns the rows' names in the results: the column `name`, or the paths."""
        if "name" in batch:
            return [str(name) for name in batch["name"]]
        if self.work.source == "path":
            return [
                places.name_in(str(path), self.work.base, self.work.filesystem)
                for path in batch["path"]
            ]
        if self.work.output is not None:
            raise InvalidArgument(
                "rows of bytes or arrays have no column 'name'; results require it", "name"
            )
        return [""] * len(batch[self.work.source])

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        names = self.names(batch)
        output = self.work.output
        if output is None:
            rows = [self.row(name, value) for name, value in zip(names, batch[self.work.source])]
            others = {
                key: value
                for key, value in batch.items()
                if key not in ("image", "bytes", "name", "error")
            }
            return {
                **others,
                **{key: _column([row[key] for row in rows]) for key in ("name", "error", "image")},
            }
        why, part, failed = [""] * len(names), "", ""
        try:
            rows = [self.row(name, value) for name, value in zip(names, batch[self.work.source])]
            why = [row["error"] for row in rows]
            part = (
                output.part(names, rows, _schema(output.format)) if output.is_table and rows else ""
            )
        except (
            OutputError,
            DeviceError,
        ) as error:  # as a value: Ray passes on only the text of what is raised
            failed = pickle.dumps(error).hex()
        return {
            "name": _column(names),
            "error": _column(why),
            "part": _column([part] * len(names)),
            "failed": _column([failed] * len(names)),
        }


def _schema(format: str) -> Any:
    return SCHEMA if format == "parquet" else SCHEMA.remove(SCHEMA.get_field_index("picture"))


def _column(values: list[Any]) -> Any:
    if values and isinstance(values[0], np.ndarray):
        if len({value.shape for value in values}) == 1:
            return np.stack(values)
        column = np.empty(len(values), object)
        column[:] = values
        return column
    return np.array(values, dtype=np.str_ if values and isinstance(values[0], str) else None)

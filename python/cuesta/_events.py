"""Events that `cuesta detect` wrote, as a table."""

from __future__ import annotations

import csv
import json
import os
import pathlib
import re
from collections.abc import Iterable
from typing import Any, Union

import numpy as np

from cuesta.errors import InputError

__all__ = ["read_events"]

Path = Union[str, "os.PathLike[str]"]
Column = np.ndarray[Any, np.dtype[Any]]

_TYPES: dict[str, Any] = {
    "camera": object,
    "event": np.int64,
    "start": np.float64,
    "end": np.float64,
    "first_frame": np.int64,
    "last_frame": np.int64,
    "clip_start": np.float64,
    "clip_end": np.float64,
    "objects": np.int64,
    "max_at_once": np.int64,
    "ids": object,
    "zones": object,
    "crossings": object,
    "best_frame": np.int64,
    "best_time": np.float64,
    "start_clock": object,
    "end_clock": object,
    "kind": object,
    "reason": object,
}
# line:id:way of each crossing; a line's name may hold any of the signs between them.
_CROSSING = re.compile(r"(.+?):(\d+):([^:;]+)(?:; |$)")


def _of_json(line: dict[str, Any]) -> dict[str, Any]:
    """Returns the row of an event's line."""
    event = line["event"]
    best, objects = event["best"], event["objects"]
    return {
        "camera": line.get("camera", ""),
        "event": event["id"],
        **{name: event[name] for name in ("start", "end", "first_frame", "last_frame")},
        "clip_start": event["clip"][0],
        "clip_end": event["clip"][1],
        "objects": len(objects),
        "max_at_once": event["max_at_once"],
        "ids": tuple(one["id"] for one in objects),
        "zones": tuple(dict.fromkeys(zone for one in objects for zone in one.get("zones", ()))),
        "crossings": tuple((one["line"], one["id"], one["to"]) for one in event["crossings"]),
        "best_frame": best["frame"],
        "best_time": best["time"],
        "start_clock": event.get("start_clock", ""),
        "end_clock": event.get("end_clock", ""),
        "kind": "event",
        "reason": "",
    }


def _of_blind(line: dict[str, Any]) -> dict[str, Any]:
    """Returns the row of a blind time's line."""
    blind = line["blind"]
    begin, end = blind["begin"], blind["end"]
    return {
        "camera": line.get("camera", ""),
        "event": 0,
        "start": begin,
        "end": end,
        "first_frame": blind["first_frame"],
        "last_frame": blind["last_frame"],
        "clip_start": begin,
        "clip_end": end,
        "objects": 0,
        "max_at_once": 0,
        "ids": (),
        "zones": (),
        "crossings": (),
        "best_frame": blind["first_frame"],
        "best_time": begin,
        "start_clock": blind.get("begin_clock", ""),
        "end_clock": blind.get("end_clock", ""),
        "kind": "blind",
        "reason": blind["reason"],
    }


def _of_csv(cells: dict[str, str]) -> dict[str, Any]:
    """Returns the row of a line of CSV."""
    row: dict[str, Any] = {name: cells[name] for name in _TYPES if name != "camera"}
    row["camera"] = cells.get("camera", "")
    row["ids"] = tuple(int(one) for one in cells["ids"].split())
    row["zones"] = tuple(cells["zones"].split("; ")) if cells["zones"] else ()
    row["crossings"] = tuple(
        (line, int(number), way) for line, number, way in _CROSSING.findall(cells["crossings"])
    )
    return row


def _rows(path: pathlib.Path) -> Iterable[dict[str, Any]]:
    with path.open(encoding="utf-8", newline="") as file:
        if path.suffix == ".csv":
            yield from map(_of_csv, csv.DictReader(file))
            return
        for line in map(json.loads, file):
            if not isinstance(line, dict):
                raise TypeError(f"a line is no object: {line!r}")
            if "event" in line and line["event"]["state"] == "ended":
                yield _of_json(line)
            elif "blind" in line:
                yield _of_blind(line)


def _column(name: str, rows: list[dict[str, Any]]) -> Column:
    kind = _TYPES[name]
    if kind is not object:
        return np.array([row[name] for row in rows], dtype=kind)
    column = np.empty(len(rows), dtype=object)
    column[:] = [row[name] for row in rows]
    return column


def read_events(file: Path) -> dict[str, Column]:
    """Reads the events that `cuesta detect` wrote, as a table.

    Parameters
    ----------
    file : path
        A file of `--events` (.csv or .ndjson) or of `--json`. Of the latter, only events and blind
        times are read.

    Returns
    -------
    dict
        The columns of the CSV by name, each a numpy array with one entry per event, in the order of
        the file. `start`, `end`, `clip_start`, `clip_end` and `best_time` are seconds; `event`,
        `objects`, `max_at_once` and the frames are integers. `ids` and `zones` are tuples.
        `crossings` are tuples of (line, id, way). `start_clock` and `end_clock` are times of day in
        ISO 8601, empty where they are unknown. `camera` is the name in lines of JSON; otherwise it
        is empty. `kind` is "event", or "blind": a time in which nothing could be found. Its row has
        a `reason`, no objects, and `event` is 0.

    Raises
    ------
    InputError
        The file cannot be read. The message names it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import cuesta
    >>> path = pathlib.Path(tempfile.mkdtemp(), "events.csv")
    >>> names = "event,start,end,duration,first_frame,last_frame,clip_start,clip_end,objects"
    >>> names += ",max_at_once,ids,zones,crossings,best_frame,best_time,start_clock,end_clock,kind,reason"
    >>> row = "1,0.2,1.4,1.2,5,35,0,2.4,2,1,1 2,drive,gate:1:in,20,0.8,,,event,"
    >>> _ = path.write_text(names + chr(10) + row + chr(10))
    >>> table = cuesta.read_events(path)
    >>> table["start"], table["ids"][0], table["crossings"][0]
    (array([0.2]), (1, 2), (('gate', 1, 'in'),))
    """
    path = pathlib.Path(file)
    try:
        rows = list(_rows(path))
        return {name: _column(name, rows) for name in _TYPES}
    except (OSError, LookupError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"{path}: the events cannot be read: {error!r}", str(path)) from error

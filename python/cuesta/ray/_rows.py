"""Rows of results: events and objects of a video, joined over its parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from cuesta import Detection
from cuesta.ray._parts import Fault, Found, Watch

_BOX = pa.struct(
    [("x", pa.int32()), ("y", pa.int32()), ("width", pa.int32()), ("height", pa.int32())]
)
_CROSSING = pa.struct(
    [
        ("line", pa.string()),
        ("id", pa.int64()),
        ("to", pa.string()),
        ("frame", pa.int64()),
        ("time", pa.float64()),
    ]
)
_IN_EVENT = pa.struct(
    [
        ("id", pa.int64()),
        ("first_frame", pa.int64()),
        ("last_frame", pa.int64()),
        ("start", pa.float64()),
        ("end", pa.float64()),
        ("zones", pa.list_(pa.string())),
        ("moved", pa.float64()),
        ("max_speed", pa.float64()),
        ("largest_box", _BOX),
        ("max_area", pa.int64()),
    ]
)
_VISIT = pa.struct([("zone", pa.string()), ("entered", pa.float64()), ("left", pa.float64())])
#: The columns, by the content of a row.
SCHEMAS = {
    "events": pa.schema(
        [
            ("name", pa.string()),
            ("error", pa.string()),
            ("id", pa.int64()),
            ("first_frame", pa.int64()),
            ("last_frame", pa.int64()),
            ("start", pa.float64()),
            ("end", pa.float64()),
            ("clip_start", pa.float64()),
            ("clip_end", pa.float64()),
            ("max_at_once", pa.int64()),
            ("best_frame", pa.int64()),
            ("best_id", pa.int64()),
            ("best_box", _BOX),
            ("objects", pa.list_(_IN_EVENT)),
            ("crossings", pa.list_(_CROSSING)),
            ("visits", pa.list_(_VISIT)),
        ]
    ),
    "objects": pa.schema(
        [
            ("name", pa.string()),
            ("error", pa.string()),
            ("frame", pa.int64()),
            ("time", pa.float64()),
            ("event", pa.int64()),
            ("id", pa.int64()),
            ("box", _BOX),
            ("area", pa.int64()),
            ("centroid_x", pa.float64()),
            ("centroid_y", pa.float64()),
            ("zones", pa.list_(pa.string())),
            ("velocity_x", pa.float64()),
            ("velocity_y", pa.float64()),
            ("moved", pa.float64()),
        ]
    ),
}


def _box(box: Any) -> dict[str, int]:
    return dict(zip(("x", "y", "width", "height"), map(int, box)))


def _event(name: str, event: Any) -> dict[str, Any]:
    return {
        "name": name,
        "error": "",
        **{key: value for key, value in event._asdict().items() if key != "clip"},
        "clip_start": event.clip[0],
        "clip_end": event.clip[1],
        "best_box": _box(event.best_box),
        "objects": [
            {**one._asdict(), "zones": list(one.zones), "largest_box": _box(one.largest_box)}
            for one in event.objects
        ],
        "crossings": [one._asdict() for one in event.crossings],
        "visits": [one._asdict() for one in event.visits],
    }


def joined(watch: Watch, name: str, parts: Sequence[Found]) -> list[dict[str, Any]]:
    """Returns the events, or objects, of a video whose parts were processed.

    Identities continue across the parts.
    """
    scene = watch.scene(parts[0].size)
    rows: list[dict[str, Any]] = []
    for part in parts:
        at = np.searchsorted(part.detections["frame"], np.arange(len(part.numbers) + 1))
        listed = part.detections.tolist()
        for k, (number, seconds) in enumerate(zip(part.numbers.tolist(), part.times.tolist())):
            found = [
                Detection((x, y, w, h), area, (cx, cy))
                for _, x, y, w, h, area, cx, cy in listed[at[k] : at[k + 1]]
            ]
            step = scene.push(found, frame=number, time=seconds)
            if watch.rows == "events":
                rows += [_event(name, event) for event in step.ended]
                continue
            for one in step.objects:
                rows.append(
                    {
                        "name": name,
                        "error": "",
                        "frame": number,
                        "time": seconds,
                        "event": step.event,
                        "id": one.id,
                        "box": _box(one.box),
                        "area": one.area,
                        "centroid_x": one.centroid[0],
                        "centroid_y": one.centroid[1],
                        "zones": list(one.zones),
                        "velocity_x": one.velocity[0],
                        "velocity_y": one.velocity[1],
                        "moved": one.moved,
                    }
                )
    if watch.rows == "events":
        rows += [_event(name, event) for event in scene.finish()]
    return rows


def _finish(watch: Watch, name: str, parts: list[Found] | Fault) -> tuple[str, Any]:
    """Returns the rows of a video: the name of a written part of the output, or a table."""
    rows = (
        [{"name": name, "error": parts.reason}]
        if isinstance(parts, Fault)
        else joined(watch, name, parts)
    )
    if watch.output is not None:
        return watch.output.part([name], rows, SCHEMAS[watch.rows]), None
    return "", pa.Table.from_pylist(rows, schema=SCHEMAS[watch.rows])

"""Objects over time: SORT as numpy and scipy have it, and what a scene says of made-up visits."""

from __future__ import annotations

import json
import math
import pathlib
import tempfile
from typing import Any

import numpy as np
import pytest

import cuesta

optimize = pytest.importorskip("scipy.optimize", reason="scipy is not installed")

Box = tuple[int, int, int, int]


class Filter:
    """The Kalman filter of SORT's authors: state (u, v, s, r and the velocities of the first three)."""

    F = np.eye(7) + np.eye(7, k=4)
    H = np.eye(4, 7)
    R = np.diag([1.0, 1, 10, 10])
    Q = np.diag([1.0, 1, 1, 1, 0.01, 0.01, 0.0001])

    def __init__(self, box: Box) -> None:
        self.x = np.concatenate([self.measured(box), np.zeros(3)])
        self.p = np.diag([10.0] * 4 + [1e4] * 3)

    @staticmethod
    def measured(box: Box) -> np.ndarray:
        x, y, w, h = box
        return np.array([x + w / 2, y + h / 2, w * h, w / h])

    def predict(self) -> None:
        if self.x[2] + self.x[6] <= 0:
            self.x[6] = 0
        self.x = self.F @ self.x
        self.p = self.F @ self.p @ self.F.T + self.Q

    def update(self, box: Box) -> None:
        gain = self.p @ self.H.T @ np.linalg.inv(self.H @ self.p @ self.H.T + self.R)
        self.x = self.x + gain @ (self.measured(box) - self.H @ self.x)
        self.p = (np.eye(7) - gain @ self.H) @ self.p

    def box(self) -> tuple[float, float, float, float]:
        w = float(np.sqrt(self.x[2] * self.x[3]))
        h = self.x[2] / w
        return self.x[0] - w / 2, self.x[1] - h / 2, w, h


def middle(box: Box) -> tuple[float, float]:
    return box[0] + box[2] / 2, box[1] + box[3] / 2


def overlap(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    across = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    down = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    if across <= 0 or down <= 0:
        return 0.0
    return across * down / (a[2] * a[3] + b[2] * b[3] - across * down)


class Sort:
    """SORT, and which of its objects Cuesta reports (src/track/confirmation.hpp)."""

    def __init__(self, min_hits: int, max_age: int) -> None:
        self.min_hits, self.max_age = min_hits, max_age
        self.targets: list[dict[str, Any]] = []
        self.next_id = 1
        # Area and hits of what came to nothing, and when; at first a speck.
        self.frame, self.nothing = 0, [(144, 3, 0)]

    def is_enough(self, t: dict[str, Any]) -> bool:
        area = t["box"][2] * t["box"][3]
        lives = [
            hits
            for other, hits, frame in self.nothing
            if area <= 2 * other and self.frame - frame < 50
        ]
        moves = t["moved"] >= area**0.5 or (t["moved"] >= area**0.5 / 4 and t["hits"] >= 5)
        return bool(moves or t["hits"] >= min(10, 2 * max(lives, default=0)))

    def push(self, boxes: list[Box]) -> list[tuple[int, Box]]:
        for t in self.targets:
            t["filter"].predict()
            t["streak"] = t["streak"] if t["missed"] == 0 else 0
            t["missed"] += 1
        worth = np.array([[overlap(t["filter"].box(), b) for b in boxes] for t in self.targets])
        worth = worth.reshape(len(self.targets), len(boxes))
        worth[worth < 0.3] = 0
        pairs = {d: t for t, d in zip(*optimize.linear_sum_assignment(-worth)) if worth[t, d] > 0}
        for d, box in enumerate(boxes):
            if d in pairs:
                t = self.targets[pairs[d]]
                t["filter"].update(box)
                t["streak"] += 1
            else:
                t = {"filter": Filter(box), "streak": 1, "id": 0, "hits": 0, "moved": 0}
                t["begin"] = middle(box)
                self.targets.append(t)
            t["missed"], t["box"] = 0, box
            t["hits"] += 1
            t["moved"] = max(t["moved"], math.dist(middle(box), t["begin"]))
        for t in self.targets:
            area = t["box"][2] * t["box"][3]
            if t["missed"] == 1 and t["hits"] < 10 and t["moved"] < area**0.5:
                self.nothing.append((area, t["hits"], self.frame))
        out = []
        for t in self.targets:  # in the order in which they were first seen
            if t["missed"] > 0:
                continue
            is_seen = t["streak"] >= self.min_hits
            if not t["id"] and is_seen and (self.min_hits == 1 or self.is_enough(t)):
                t["id"], self.next_id = self.next_id, self.next_id + 1
            if t["id"]:
                out.append((t["id"], t["box"]))
        self.targets = [t for t in self.targets if t["missed"] <= self.max_age]
        self.frame += 1
        return sorted(out)


def crowd(seed: int, frames: int = 80, people: int = 12) -> list[list[Box]]:
    """Boxes that walk through each other, now and then unseen, in an order that changes.

    They walk in lanes that overlap by less than 70 %, and are equally high: no box is taken for a
    part of another.
    """
    random = np.random.default_rng(seed)
    at = np.column_stack([random.uniform(0, 200, people), 16.0 * np.arange(people)])
    pace = np.column_stack([random.uniform(-6, 6, people), np.zeros(people)])
    size = np.column_stack([random.integers(20, 60, people), np.full(people, 40)])
    out = []
    for _ in range(frames):
        at += pace
        seen = [
            (int(x), int(y), int(w), int(h))
            for (x, y), (w, h) in zip(at + random.uniform(-2, 2, at.shape), size)
            if random.random() > 0.1
        ]
        random.shuffle(seen)
        out.append(seen)
    return out


@pytest.mark.parametrize("seed", range(6))
def test_tracker_is_sort(seed: int) -> None:
    min_hits, max_age = 1 + seed % 3, (0, 1, 5)[seed % 3]
    frames = crowd(seed)
    wanted = Sort(min_hits, max_age)
    reported = 0
    tracker = cuesta.Tracker(min_hits=min_hits, max_age=max_age, max_step=0)
    for boxes in frames:
        objects = tracker.push(boxes)
        assert [(o.id, o.box) for o in objects] == wanted.push(boxes)
        reported += len(objects)
    assert reported > 100


def test_what_the_detector_finds_goes_in() -> None:
    detector = cuesta.MotionDetector("first", blur=1, close="rect:1", open="rect:1")
    tracker = cuesta.Tracker(min_hits=1)
    for k in range(6):
        frame = np.zeros((60, 80), np.uint8)
        if k:
            frame[20:40, 5 * k : 5 * k + 20] = 200
        objects = tracker.push(detector.push(frame), frame=k, time=k / 10)
        assert [(o.id, o.box, o.area) for o in objects] == (
            [(1, (5 * k, 20, 20, 20), 400)] if k else []
        )
    assert objects[0].first_frame == 1
    assert objects[0].moved == 20


def visit(
    watch: cuesta.SceneWatch, first: int, frames: int, x: int, step: int
) -> list[cuesta.Event]:
    ended: list[cuesta.Event] = []
    for k in range(frames):
        ended += watch.push(
            [(x + k * step, 20, 30, 40)], frame=first + k, time=(first + k) / 10
        ).ended
    return ended


def test_a_scene_counts_and_gathers() -> None:
    watch = cuesta.SceneWatch(
        (200, 100),
        zones=[
            cuesta.Zone("left", [(0, 0), (0.5, 0), (0.5, 1), (0, 1)]),
            cuesta.Zone("right", [(0.5, 0), (1, 0), (1, 1), (0.5, 1)], max_area=1000),
        ],
        lines=[cuesta.CountingLine("gate", (0.25, 1), (0.25, 0), ("in", "out"))],
        min_hits=2,
        post_roll=0.5,
    )
    assert visit(watch, 0, 20, 10, 4) == []
    (first,) = visit(watch, 60, 10, 60, -4)
    (second,) = watch.finish()
    assert watch.finish() == []
    assert (first.id, first.first_frame, first.start) == (1, 0, 0)
    # From 10 + 4 k + 15 = 100 on it stands in the right zone, where it is too large.
    assert first.last_frame == 18
    assert [o.zones for o in first.objects] == [("left",)]
    assert [(c.line, c.to) for c in first.crossings] == [("gate", "in")]
    assert [(c.line, c.to) for c in second.crossings] == [("gate", "out")]
    assert watch.counts == {"gate": (1, 1)}
    assert second.objects[0].first_frame == 60
    assert first.clip == (0, first.end + 0.5)


def test_masks_and_excluded_zones() -> None:
    mask = np.zeros((100, 200), bool)
    mask[:, 100:] = True
    for scene in (
        {"mask": mask},
        {"mask": mask.astype(np.uint8) * 7},
        {"zones": [cuesta.Zone("out", [(0, 0), (0.5, 0), (0.5, 1), (0, 1)], "exclude")]},
    ):
        watch = cuesta.SceneWatch((200, 100), min_hits=1, **scene)
        objects = watch.push([(10, 10, 20, 20), (120, 10, 20, 20)]).objects
        assert [o.box for o in objects] == [(120, 10, 20, 20)]


def test_errors_name_the_value() -> None:
    corners = [(0, 0), (1, 0), (1, 1)]

    def lines_of(ways: Any) -> cuesta.SceneWatch:
        return cuesta.SceneWatch((9, 9), lines=[cuesta.CountingLine("g", (0, 1), (1, 0), ways)])

    for call, says in (
        (lambda: cuesta.Tracker(min_hits=0), "min_hits is 0"),
        (lambda: cuesta.Tracker().push([(1, 2, 3)]), r"a box is \(1, 2, 3\)"),
        (lambda: cuesta.Tracker().push([(1, 2, 0, 3)]), "a box is 0 x 3 pixels"),
        (lambda: cuesta.SceneWatch((9, 9), [cuesta.Zone("a", corners[:2])]), "3 corners"),
        (lambda: cuesta.SceneWatch((9, 9), [cuesta.Zone("a", corners, "out")]), "'out'"),  # type: ignore[arg-type]
        (lambda: cuesta.SceneWatch((9, 9), mask=np.ones((8, 9))), "mask is 9 x 8"),
        (lambda: cuesta.SceneWatch((9, 9), join=-1), "join is -1"),
        (lambda: cuesta.SceneWatch((9, 9), line_band=-1), "line_band is -1"),
        (lambda: lines_of("in"), "ways is 'in'; it must be two names"),
        (lambda: lines_of(("in", 3)), r"ways is \('in', 3\)"),
        (lambda: lines_of(("in", "in")), 'both ways are "in"; they must differ'),
        (lambda: lines_of(("a:b", "in")), 'a way is "a:b"; it must be a name without : or ;'),
    ):
        with pytest.raises(cuesta.InvalidArgument, match=says):
            call()
    with pytest.raises(TypeError, match="min_hit"):
        cuesta.Tracker(min_hit=3)  # type: ignore[call-arg]
    tracker = cuesta.Tracker()
    tracker.push([], frame=5)
    with pytest.raises(cuesta.InvalidArgument, match="indices must increase"):
        tracker.push([], frame=5)


def test_events_of_a_file() -> None:
    best = {"frame": 20, "time": 0.8, "id": 2, "box": [1, 2, 3, 4]}
    event = {
        "id": 3, "state": "ended", "start": 0.2, "end": 1.4, "first_frame": 5, "last_frame": 35,
        "clip": [0, 2.4], "max_at_once": 1, "best": best, "objects": [{"id": 2, "zones": ["a"]}],
        "crossings": [{"line": "gate", "id": 2, "to": "in", "frame": 9, "time": 0.4}],
    }  # fmt: skip
    began = {"kind": "event", "event": event | {"state": "began"}}
    lines = [{"kind": "header", "schema": 1}, {"kind": "frame", "frame": 0, "time": 0}, began]
    lines.append({"camera": "yard", "kind": "event", "event": event})
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "lines.ndjson")
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        table = cuesta.read_events(path)
        assert table["event"].dtype == np.int64 and table["event"].tolist() == [3]
        assert table["start"].dtype == np.float64 and table["clip_end"].tolist() == [2.4]
        assert table["camera"].tolist() == ["yard"] and table["zones"][0] == ("a",)
        assert table["crossings"][0] == (("gate", 2, "in"),)
        path.write_text("")
        assert len(cuesta.read_events(path)["ids"]) == 0
        for text in ("no json", '{"event": {}}', "[1]", '{"event": 3}'):
            path.write_text(text)
            with pytest.raises(cuesta.InputError, match=r"lines\.ndjson"):
                cuesta.read_events(path)
        table_of_others = pathlib.Path(folder, "other.csv")
        for text in ("a,b\n1,2\n", "event\n1\n"):
            table_of_others.write_text(text)
            with pytest.raises(cuesta.InputError, match=r"other\.csv"):
                cuesta.read_events(table_of_others)
        with pytest.raises(cuesta.InputError, match="none"):
            cuesta.read_events(pathlib.Path(folder, "none.csv"))


def test_zones_have_states_and_limits() -> None:
    zones = [
        cuesta.Zone("left", [(0, 0), (0.5, 0), (0.5, 1), (0, 1)], min_hits=2, min_moved=5),
        cuesta.Zone("right", [(0.5, 0), (1, 0), (1, 1), (0.5, 1)], min_score=1),
        cuesta.Zone("tree", [(0, 0), (0.1, 0), (0.1, 0.1)], "exclude"),
    ]
    watch = cuesta.SceneWatch((200, 100), zones, min_hits=3, merge_window=0.2, post_roll=0)
    steps = [watch.push([(10 + 10 * k, 20, 20, 40)], time=k / 10) for k in range(15)]
    assert list(steps[0].zones) == ["left", "right"]
    assert steps[0].score == 4 and steps[0].zones["left"].score == 8
    assert steps[0].zones["left"].motion and not steps[0].zones["left"].occupied
    assert [bool(step.objects) for step in steps[:3]] == [False, True, True]
    assert steps[1].zones["left"].occupied and steps[1].zones["left"].since == 0.1
    assert steps[14].zones["right"].present and not steps[14].zones["left"].present
    (event,) = watch.finish()
    assert [visit.zone for visit in event.visits] == ["left", "right"]
    assert event.visits[0].entered == 0.1 and event.visits[1].left == 1.4
    watch.set_active(["right"])
    assert watch.push([(10, 20, 20, 40)], time=9).score == 0
    watch.set_active()
    assert watch.push([(10, 20, 20, 40)], time=10).score == 4
    with pytest.raises(cuesta.InvalidArgument, match="no zone 'door'"):
        watch.set_active(["door"])
    for limit in ({"min_hits": 0}, {"min_moved": -1.0}, {"min_score": 101.0}, {"threshold": -1.0}):
        with pytest.raises(cuesta.InvalidArgument, match=next(iter(limit))):
            cuesta.SceneWatch((8, 8), [cuesta.Zone("a", zones[0].polygon, **limit)])


def test_pixels_have_the_thresholds_of_their_zones() -> None:
    left = cuesta.Zone("left", [(0, 0), (0.5, 0), (0.5, 1), (0, 1)], threshold=60)
    watch = cuesta.SceneWatch((80, 40), [left])
    levels = watch.thresholds(20)
    assert levels is not None and levels.shape == (40, 80) and levels.dtype == np.float32
    assert set(levels[:, :40].flat) == {60} and set(levels[:, 40:].flat) == {20}
    assert cuesta.SceneWatch((80, 40), [left._replace(threshold=None)]).thresholds() is None
    for downscale in (1, 2):
        detector = cuesta.MotionDetector(
            "first", blur=1, close="rect:1", open="rect:1", downscale=downscale
        )
        detector.set_thresholds(levels)
        assert detector.push(np.zeros((40, 80), np.uint8)) == []
        (found,) = detector.push(np.full((40, 80), 50, np.uint8))
        assert found.box == (40, 0, 40, 40) and detector.threshold == 20
        detector.set_thresholds(None)
        (found,) = detector.push(np.full((40, 80), 50, np.uint8))
        assert found.box == (0, 0, 80, 40) and detector.threshold == 25
        for wrong in (-levels, levels * np.nan, levels.astype(np.uint8), levels[None]):
            with pytest.raises(cuesta.InvalidArgument):
                detector.set_thresholds(wrong)
        detector.set_thresholds(levels[:, :40])
        with pytest.raises(cuesta.InputError, match="thresholds"):
            detector.push(np.zeros((40, 80), np.uint8))

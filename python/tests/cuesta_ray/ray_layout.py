"""The layout of a job of `cuesta.ray.detect` in discrete events (simpy): what faults of machines cost.

A video is a chain of parts; a worker continues from part to part to the end, each for as long as its work takes, and leaves a
state after each. A worker that dies takes the part it was at, which begins again where there is a free one; a machine that dies takes its workers and the states on it as well: a chain
whose last state was there begins again at its first part, as what it was made from is let go. test_ray.py holds this against a real cluster of several nodes.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

import simpy


@dataclass(frozen=True)
class Fault:
    """At `time`, seconds, node `node` dies, for good; or with `worker` one of its workers, which is replaced."""

    time: float
    node: int
    worker: bool = False


@dataclass
class Result:
    makespan: float = 0
    """Seconds to the last video's end."""
    useful: float = 0
    """Worker-seconds of parts whose result was used."""
    lost: float = 0
    """Worker-seconds that were begun again."""
    runs: int = 0
    """Parts begun."""
    ends: list[float] = field(default_factory=list)


class _Place:
    """A worker's place on a node."""

    def __init__(self, node: int) -> None:
        self.node = node
        self.alive = True
        self.busy: simpy.Process | None = None


class Layout:
    """`videos`: of each the seconds of its parts. `replace`: seconds until a worker that died is there again; `notice`:
    until a node that died is known to be gone."""

    def __init__(
        self,
        videos: Sequence[Sequence[float]],
        nodes: int,
        workers: int,
        faults: Sequence[Fault] = (),
        replace: float = 0.5,
        notice: float = 0,
    ) -> None:
        self.env = simpy.Environment()
        self.videos = videos
        self.replace = replace
        self.notice = notice
        self.known: dict[int, float] = {}  # when a node's end is
        self.places = [_Place(node) for node in range(nodes) for _ in range(workers)]
        self.free = simpy.FilterStore(self.env)
        for place in self.places:
            self.free.put(place)
        self.room = simpy.Resource(self.env, max(1, len(self.places)))  # videos in flight
        self.result = Result()
        for fault in faults:
            self.env.process(self._fault(fault))

    def run(self) -> Result:
        ends = [self.env.process(self._video(parts)) for parts in self.videos]
        self.env.run(simpy.AllOf(self.env, ends))
        self.result.makespan = float(self.env.now)
        return self.result

    def _fault(self, fault: Fault) -> Generator[Any, Any, None]:
        yield self.env.timeout(fault.time)
        hit = [place for place in self.places if place.node == fault.node and place.alive]
        if fault.worker:
            for place in sorted(hit, key=lambda place: place.busy is None)[:1]:
                if place.busy is not None:
                    place.busy.interrupt(fault)
            return
        self.known[fault.node] = float(self.env.now) + self.notice
        for place in hit:
            place.alive = False
            if place in self.free.items:
                self.free.items.remove(place)
            if place.busy is not None:
                place.busy.interrupt(fault)

    def _until_known(self, place: _Place) -> Any:
        return self.env.timeout(max(0.0, self.known[place.node] - float(self.env.now)))

    def _video(self, parts: Sequence[float]) -> Generator[Any, Any, None]:
        with self.room.request() as turn:
            yield turn
            k, state = 0, None  # the next part; the place where the state before it is
            place: _Place | None = None
            spent: list[float] = []
            while k < len(parts):
                if state is not None and not state.alive:
                    yield self._until_known(state)
                    self.result.lost += sum(spent)
                    k, state, spent = 0, None, []
                place = place or (yield self.free.get())
                begun = self.env.now
                self.result.runs += 1
                place.busy = self.env.active_process
                try:
                    yield self.env.timeout(parts[k])
                    place.busy = None
                    spent.append(parts[k])
                    k, state = k + 1, place
                except simpy.Interrupt as hit:
                    place.busy = None
                    self.result.lost += self.env.now - begun
                    if hit.cause.worker:
                        self.env.process(self._again(place))
                    else:
                        yield self._until_known(place)
                    place = None
            self.free.put(place)
            self.result.useful += sum(spent)
            self.result.ends.append(float(self.env.now))

    def _again(self, place: _Place) -> Generator[Any, Any, None]:
        yield self.env.timeout(self.replace)
        if place.alive:
            self.free.put(place)


def faults_of(
    nodes: int, hours: float, mean_hours: float, seed: int, restart: float = 0.5
) -> list[Fault]:
    """Nodes that die, each once at most, at the rate of one in `mean_hours` of a node."""
    draw = random.Random(seed)
    dying = [(draw.expovariate(1 / mean_hours), node) for node in range(nodes)]
    heapq.heapify(dying)
    return [Fault(3600 * at, node) for at, node in sorted(dying) if at < hours][: nodes - 1]

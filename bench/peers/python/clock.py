"""Times as `cuesta bench` takes them (bench/engine, bench/README.md, Method): contenders take turns batch by batch; on the GPU
events around calls that were enqueued behind a gate, over pictures that together exceed the L2 cache twice; medians over
batches. Everything runs on the legacy default stream, which torch, numba and CuPy share by default."""

import statistics
import time

import torch


class Body:
    """A contender's calls, one for each slot, that go round."""

    def __init__(self, calls):
        self.calls, self.turn, self.kept = calls, 0, [None] * len(calls)

    def __call__(self):
        slot = self.turn % len(self.calls)
        self.turn += 1
        # What a call makes again lives a round, so that its memory is not the last call's, still in the cache.
        self.kept[slot] = self.calls[slot]()


def summary(times):
    """Median and distance between quartiles."""
    lower, middle, upper = statistics.quantiles(times, n=4, method="inclusive")
    return middle, upper - lower


class Clock:
    """Medians over `batches` batches of about `batch_ms` each."""

    def __init__(self, batches=7, batch_ms=1.0):
        self.batches, self.batch_ms = batches, batch_ms

    def times(self, bodies, batches=None):
        """(milliseconds a call, spread) of each."""
        plans = [self.plan(body) for body in bodies]
        found = [[] for _ in bodies]
        for _ in range(batches or self.batches):
            for body, plan, times in zip(bodies, plans, found):
                times.append(self.batch(body, plan))
        return [summary(times) for times in found]


class HostClock(Clock):
    device, slots_bytes = "cpu", 0

    def wait(self):
        pass

    def plan(self, body):
        body()
        return max(1, round(self.batch_ms / self.batch(body, 1)))

    def batch(self, body, calls):
        began = time.perf_counter()
        for _ in range(calls):
            body()
        return (time.perf_counter() - began) * 1e3 / calls


class DeviceClock(Clock):
    device = "cuda"
    max_calls = 64
    longest_gate_ms = 100

    def __init__(self, **options):
        super().__init__(**options)
        self.slots_bytes = 2 * torch.cuda.get_device_properties(0).L2_cache_size
        cycles = 10_000_000
        torch.cuda._sleep(cycles)
        self.cycles_per_ms = cycles / self.between(lambda: torch.cuda._sleep(cycles))
        self.open_gates = 0  # batches during which the GPU waited for the host

    def wait(self):
        torch.cuda.synchronize()

    @staticmethod
    def between(work):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        work()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end)

    def plan(self, body):
        for _ in body.calls:  # every slot has been seen: modules, scratch, the allocator's memory
            body()
        self.wait()
        began = time.perf_counter()
        once = self.between(lambda: [body() for _ in range(4)]) / 4
        host = (time.perf_counter() - began) * 1e3 / 4
        calls = min(max(round(self.batch_ms / max(once, 1e-4)), 1), self.max_calls)
        return [calls, 0.1 + 2 * host * calls]

    def batch(self, body, plan):
        for attempt in range(4):
            calls, gate_ms = plan
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            torch.cuda._sleep(int(min(gate_ms, self.longest_gate_ms) * self.cycles_per_ms))
            begin.record()
            for _ in range(calls):
                body()
            shut = not begin.query()
            end.record()
            end.synchronize()
            if shut:
                break
            plan[1] *= 2
        else:
            self.open_gates += 1
        return begin.elapsed_time(end) / calls


def slots_past(whole_bytes, slot_bytes):
    """How many slots exceed this much: at least two."""
    return max(2, -(-whole_bytes // slot_bytes))

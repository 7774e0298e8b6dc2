#!/usr/bin/env python3
"""Compilers beside our rungs: Triton, torch.compile, torch's conv2d (cuDNN), numba and CuPy answer requests of the papers'
experiments, each compared with cuesta's answer on the very input, then timed as `cuesta bench` times.

    python3 bench/peers/python/compilers.py --json peers.json
    python3 bench/report/report.py bench.json peers.json        # the same requests, one table

Needs torch and the cuesta package; of the others what is not there is named and left out. A row whose answer is not equal
says how it differs. With --device cpu those that run on a CPU.
"""

import argparse
import importlib
import json
import sys
import traceback
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "report")]

import clock  # noqa: E402
import rows  # noqa: E402
import torch  # noqa: E402
import works  # noqa: E402
import layout  # noqa: E402
from report import Grid  # noqa: E402

PEERS = ("cuesta", "triton", "torch_compile", "torch_conv2d", "numba", "cupy")


class Run:
    """Rows, notes and what went wrong."""

    def __init__(self, device, ceilings=None, batches=7):
        self.clock = (
            clock.DeviceClock(batches=batches)
            if device == "cuda"
            else clock.HostClock(batches=batches)
        )
        self.device, self.ceilings = device, ceilings
        self.rows, self.notes, self.peers, self.modules, self.failed = [], [], [], [], 0

    def load(self, names):
        for name in names:
            try:
                module = importlib.import_module(f"peer_{name}")
            except ImportError as error:
                self.notes.append(f"not measured: {name}: {error}")
                continue
            why = "" if self.device in module.DEVICES else "it needs a GPU"
            if why := why or getattr(module, "refusal", lambda device: "")(self.device):
                self.notes.append(f"not measured: {module.NAME}: {why}")
                continue
            self.modules.append(module)
            self.peers.append(f"{module.NAME} {module.VERSION}")

    def fail(self, work, who, error):
        """A peer that raises is a line, not the end."""
        traceback.print_exception(error)
        first = str(error).strip().splitlines()[:1]
        self.note(
            work, f"not timed: {who}: {type(error).__name__}{': ' + first[0] if first else ''}"
        )
        self.failed += 1

    def note(self, work, text):
        self.notes.append(
            f"{work.experiment}: {work.operation} {work.parameters}, {work.side}x{work.side} {work.type}: {text}"
        )

    def slots(self, work):
        """Sources and results, enough to exceed the cache."""
        source = torch.from_numpy(work.source())
        bytes_ = work.side**2 * work.bytes_per_pixel
        count = clock.slots_past(self.clock.slots_bytes, bytes_)
        result = torch.uint8 if work.result == "u8" else torch.float32
        sources = torch.empty((count, *source.shape), dtype=source.dtype, device=self.device)
        sources[:] = source.to(self.device)
        return sources, torch.empty((count, *source.shape), dtype=result, device=self.device)

    def fastest(self, variants, sources, results):
        """(name, body) of the variant that takes the least."""
        bodies = {
            name: clock.Body([bind(s, d) for s, d in zip(sources, results)])
            for name, bind in variants.items()
        }
        if len(bodies) > 1:
            times = dict(zip(bodies, self.clock.times(list(bodies.values()), 3)))
            name = min(times, key=times.get)
        else:
            (name,) = bodies
        return name, bodies[name]

    def answer(self, work, body, results, want):
        results.fill_(90)
        got = body.calls[0]()
        self.clock.wait()
        return rows.answer_of(got.cpu().numpy(), want, work.radius, work.bound)

    def measure(self, work):
        sources, results = self.slots(work)
        want = work.answer(work.source())
        into = torch.empty_like(sources)
        timed = {"copy": clock.Body([lambda s=s, d=d: d.copy_(s) for s, d in zip(sources, into)])}
        told = {}
        for module in self.modules:
            try:
                for strategy, variants in module.contenders(work, self.device).items():
                    variant, body = self.fastest(variants, sources, results)
                    told[strategy] = variant, self.answer(work, body, results, want)
                    timed[strategy] = body
                    if told[strategy][1] != "equal":
                        self.note(work, f"{strategy}: {told[strategy][1]}")
            except Exception as error:
                self.fail(work, module.NAME, error)
        times = dict(zip(timed, self.clock.times(list(timed.values()))))
        space, copy = ("device", "device copy") if self.device == "cuda" else ("host", "memcpy")
        copy_ms = times["copy"][0]
        self.rows.append(rows.row(work, copy, space, times.pop("copy"), copy_ms, None))
        for strategy, found in times.items():
            variant, answer = told[strategy]
            self.rows.append(
                rows.row(work, strategy, space, found, copy_ms, self.ceilings, variant, answer)
            )


def ceilings_of_gpu():
    """A copy of 512 MiB and chains of fused multiply-adds, as the bench's; without Triton no such chain."""
    timer = clock.DeviceClock(batches=7, batch_ms=5)
    source, into = (torch.empty(1 << 29, dtype=torch.uint8, device="cuda") for _ in range(2))
    bodies, counts = [clock.Body([lambda: into.copy_(source)])], [2.0 * (1 << 29)]
    try:
        from peer_triton import fma

        call, count = fma(torch.cuda.get_device_properties(0).multi_processor_count)
        bodies.append(clock.Body([call]))
        counts.append(count)
    except ImportError:
        pass
    found = [
        (count / (ms * 1e6), count / (ms * 1e6) * spread / ms)
        for count, (ms, spread) in zip(counts, timer.times(bodies))
    ]
    (copy, copy_spread), (fma_rate, fma_spread) = [*found, (None, None)][:2]
    return {
        "copy_gbs": copy,
        "copy_spread": copy_spread,
        "fma_gflops": fma_rate,
        "fma_spread": fma_spread,
    }


def table(run):
    """Microseconds, a line a request; a peer whose answer is not equal has a star."""
    grid, stars = Grid(), {}
    for row in run.rows:
        request = f"{row['experiment']}: {row['parameters']} {row['type']} {row['width']}"
        answer = row.get("answer", "equal")
        star = "" if answer == "equal" else " *"
        grid.set(request, row["strategy"], f"{1000 * row['ms']:.1f}{star}")
        if star:
            stars.setdefault(row["strategy"], []).append(answer)
    text = layout.text(grid.table(f"microseconds, {run.device}", "request"))
    for strategy, answers in stars.items():
        kinds = dict.fromkeys(answer.split(":")[0] for answer in answers)
        text += f"  * {strategy}: {'; '.join(kinds)}\n"
    return text


def main(words=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument(
        "--sizes",
        metavar="N,N",
        default="512,1024,2048,4096",
        help="pixels a side (512,1024,2048,4096)",
    )
    parser.add_argument(
        "--peers", metavar="NAME,NAME", default=",".join(PEERS), help=f"some of {', '.join(PEERS)}"
    )
    parser.add_argument("--only", metavar="EXPERIMENT")
    parser.add_argument("--batches", type=int, default=7, help="that a median is of (7)")
    arguments = parser.parse_args(words)
    try:
        sizes = [int(size) for size in arguments.sizes.split(",")]
    except ValueError:
        parser.error(f"--sizes is '{arguments.sizes}'; it is numbers, as 512,1024")
    if min(sizes) < 16:
        parser.error(f"--sizes has {min(sizes)}; the least is 16")
    if arguments.batches < 2:
        parser.error(f"--batches is {arguments.batches}; the least is 2")
    peers = arguments.peers.split(",")
    if unknown := [name for name in peers if name not in PEERS]:
        parser.error(f"--peers has '{unknown[0]}'; there are {', '.join(PEERS)}")
    requests = [work for work in works.works(sizes) if arguments.only in (None, work.experiment)]
    if not requests:
        parser.error(
            f"--only is '{arguments.only}'; there are {', '.join(dict.fromkeys(w.experiment for w in works.works(sizes)))}"
        )
    on_gpu = arguments.device == "cuda"
    if on_gpu and not torch.cuda.is_available():
        parser.error("torch finds no GPU; --device cpu runs the peers that need none")
    torch.set_grad_enabled(False)
    run = Run(arguments.device, ceilings_of_gpu() if on_gpu else None, arguments.batches)
    run.load(peers)
    for work in requests:
        print(
            f"{work.experiment}: {work.operation} {work.parameters} {work.type} {work.side}",
            file=sys.stderr,
        )
        run.measure(work)
    if on_gpu and run.clock.open_gates:
        run.notes.append(f"{run.clock.open_gates} batches during which the GPU waited for the host")
    made = rows.whole(
        run.rows, run.notes, run.peers, run.ceilings, "" if on_gpu else "--device cpu"
    )
    if arguments.json:
        arguments.json.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    print(table(run))
    for note in run.notes:
        if any(words in note for words in ("not measured", "not timed", "not equal", "waited")):
            print(note)
    return 1 if run.failed else 0


if __name__ == "__main__":
    sys.exit(main())

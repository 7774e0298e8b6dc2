"""Edges and moving objects on a Ray cluster, without code.

    python -m cuesta.ray edges FOLDER -o s3://bucket/edges --sigma 2
    python -m cuesta.ray filter gaussian FOLDER -o smooth --sigma 2
    python -m cuesta.ray edges HUGE.tif -o edges.tif --bands
    python -m cuesta.ray label HUGE.tif -o parts.csv --threshold 128
    python -m cuesta.ray detect FOLDER -o events --format ndjson --min-area 400

It joins the cluster that --address or RAY_ADDRESS names. Without one it starts
a cluster on this machine. The results are those of one process on one machine,
byte for byte. A folder contains _SUCCESS when it is complete. Inputs that
cannot be read are listed in _errors.ndjson; the others are processed.

Exit status: 0 done; 3 some inputs, or all, cannot be read; 4 results cannot be
written; 5 no cluster; 2 usage; 130 interrupted.
"""

from __future__ import annotations

import argparse
import logging
import os
import re
import socket
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, TextIO

import ray
import ray.data

import cuesta
import cuesta.ray
from cuesta import FileComponents, FileResult
from cuesta.errors import DeviceError, Error, InputError, OutOfMemory, OutputError
from cuesta.ray import _places as places
from cuesta.ray._arguments import make_parser as make_parser
from cuesta.ray._arguments import options_in, read_scene
from cuesta.ray._outputs import Output, Summary, components_written
from cuesta.ray._workers import FILTERS, METHODS

#: The exit codes of the command (docs/user/command.md).
DONE, USAGE, INPUT, OUTPUT, DEVICE, INTERRUPTED = 0, 2, 3, 4, 5, 130

#: Formats of a list of components, by the file's extension.
LISTS = ("csv", "ndjson", "parquet")


class Bar:
    """A progress bar on a terminal, as the command shows it; it disappears when its block ends."""

    def __init__(self, unit: str, stream: TextIO, quiet: bool) -> None:
        self._unit, self._stream = unit, stream
        self._visible = not quiet and stream.isatty()
        self._begun = time.monotonic()

    def __call__(self, done: int, total: int | None, errors: int) -> None:
        if not self._visible:
            return
        rate = done / max(time.monotonic() - self._begun, 1e-6)
        line = f"{done} {self._unit}, {rate:.1f}/s"
        if total:
            full = 30 * done // total
            left = round((total - done) / max(rate, 1e-6))
            line = f"[{'#' * full}{'.' * (30 - full)}] {done}/{total} {self._unit}, {rate:.1f}/s, {left // 60}:{left % 60:02} left"
        self._stream.write(f"\r\033[K{line}{f', {errors} errors' if errors else ''}")
        self._stream.flush()

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._visible:
            self._stream.write("\r\033[K")


def join_cluster(address: str | None, cpus: int | None) -> None:
    """Joins or starts a cluster.

    Raises
    ------
    DeviceError
        There is no such cluster.
    """
    if ray.is_initialized():
        return
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    address = address or os.environ.get("RAY_ADDRESS")
    try:
        if address:
            if server := re.fullmatch(
                r"(?:ray://)?\[?([^/]+?)\]?:(\d+)", address
            ):  # Ray would try for minutes
                socket.create_connection((server[1], int(server[2])), timeout=20).close()
            ray.init(address=address, **options)
        else:
            ray.init(address="local", num_cpus=cpus, include_dashboard=False, **options)
    except (OSError, RuntimeError, ValueError) as error:
        raise DeviceError(
            f"cannot join a Ray cluster at {address or 'this machine'}: {error}", address or "local"
        ) from error
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.ERROR)


def run_bands(arguments: argparse.Namespace, parser: argparse.ArgumentParser) -> FileResult:
    """Processes one picture in bands."""
    if len(arguments.inputs) != 1:
        parser.error(f"--bands takes one picture; {len(arguments.inputs)} are given")
    for name in ("format", "overwrite"):
        if vars(arguments)[name]:
            parser.error(f"--{name} applies to folders; with --bands -o names a file")
    if arguments.num_gpus:
        parser.error("--num-gpus applies to folders; bands are computed on the CPU")
    said = {
        "memory": arguments.memory,
        "workers": arguments.workers,
        "num_cpus": arguments.num_cpus,
    }
    edges = arguments.verb == "edges"
    work: Callable[..., FileResult] = cuesta.ray.edges_file if edges else cuesta.ray.filter_file
    operation = arguments.method if edges else arguments.operation
    options = options_in(arguments, parser, (METHODS if edges else FILTERS)[operation])
    join_cluster(arguments.address, arguments.cpus)
    with Bar("rows", sys.stderr, arguments.quiet) as bar:
        return work(
            arguments.inputs[0],
            arguments.output,
            operation,
            progress=lambda done, all: bar(done, all, 0),
            **said,
            **options,
        )


def run_label(arguments: argparse.Namespace, parser: argparse.ArgumentParser) -> FileComponents:
    """Labels one picture and writes the components."""
    folder, _, name = places.everywhere(arguments.output).rpartition("/")
    format = name.rpartition(".")[2]
    if format not in LISTS:
        parser.error(
            f"-o is {arguments.output}; the name of a list must end in {', '.join('.' + one for one in LISTS)}"
        )
    options = options_in(arguments, parser, cuesta.label)
    join_cluster(arguments.address, arguments.cpus)
    said = {
        "threshold": arguments.threshold,
        "memory": arguments.memory,
        "workers": arguments.workers,
        "num_cpus": arguments.num_cpus,
    }
    with Bar("rows", sys.stderr, arguments.quiet) as bar:
        found = cuesta.ray.label_file(
            arguments.input, progress=lambda done, all: bar(done, all, 0), **said, **options
        )
    Output(folder, format).put(name, components_written(found, format))
    return found


def run(arguments: argparse.Namespace, parser: argparse.ArgumentParser) -> Summary:
    """Processes pictures or videos into a folder."""
    said: dict[str, Any] = {
        name: value for name in ("format",) if (value := vars(arguments)[name]) is not None
    }
    said |= {
        "output": arguments.output,
        "num_cpus": arguments.num_cpus,
        "overwrite": arguments.overwrite,
    }
    if arguments.verb == "detect":
        options = options_in(arguments, parser, cuesta.detect)
        scene = {} if arguments.scene is None else read_scene(arguments.scene)
        said |= {
            "rows": arguments.rows,
            "part_frames": arguments.part_frames,
            "at_once": arguments.at_once,
            **scene,
        }
        work: Callable[..., Any] = cuesta.ray.detect
    elif arguments.verb == "edges":
        options = options_in(arguments, parser, METHODS[arguments.method])
        said |= {
            "method": arguments.method,
            "workers": arguments.workers,
            "num_gpus": arguments.num_gpus,
        }
        work = cuesta.ray.edges
    else:
        options = options_in(arguments, parser, FILTERS[arguments.operation])
        said |= {
            "name": arguments.operation,
            "workers": arguments.workers,
            "num_gpus": arguments.num_gpus,
        }
        work = cuesta.ray.filter
    join_cluster(arguments.address, arguments.cpus)
    with Bar(
        "videos" if arguments.verb == "detect" else "pictures", sys.stderr, arguments.quiet
    ) as bar:
        done: Summary = work(arguments.inputs, progress=bar, **said, **options)
        return done


def exit_code_of(error: BaseException) -> int:
    """Returns the exit code for an error."""
    if isinstance(error, InputError):
        return INPUT
    if isinstance(error, OutputError):
        return OUTPUT
    if isinstance(error, (DeviceError, OutOfMemory, MemoryError)):
        return DEVICE
    return USAGE


def keep_ray_quiet() -> None:
    """Discards what Ray's own libraries write to standard error; messages of this program remain.

    RAY_BACKEND_LOG_LEVEL keeps Ray's output.
    """
    if "RAY_BACKEND_LOG_LEVEL" in os.environ:
        return
    sys.stderr.flush()
    sys.stderr = open(
        os.dup(2), "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False
    )  # noqa: SIM115
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    os.close(nowhere)


def main(words: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit code."""
    parser = make_parser(__doc__)
    arguments = parser.parse_args(words)
    keep_ray_quiet()
    begun = time.monotonic()
    try:
        if vars(arguments).get("bands"):
            made = run_bands(arguments, parser)
            if not arguments.quiet:
                report = f"{made.width} x {made.height} pixels into {arguments.output} in {time.monotonic() - begun:.1f} s"
                print(f"{report}, {made.bands} bands", file=sys.stderr)
            return DONE
        if arguments.verb == "label":
            found = run_label(arguments, parser)
            if not arguments.quiet:
                report = f"{found.count} components of {found.width} x {found.height} pixels into {arguments.output}"
                print(
                    f"{report} in {time.monotonic() - begun:.1f} s, {found.bands} bands",
                    file=sys.stderr,
                )
            return DONE
        summary = run(arguments, parser)
    except KeyboardInterrupt:
        print("cuesta.ray: interrupted; the result is not complete", file=sys.stderr)
        return INTERRUPTED
    except (Error, TypeError) as error:
        print(f"cuesta.ray: {error}", file=sys.stderr)
        return exit_code_of(error)
    if not arguments.quiet:
        for _, reason in summary.errors[:20]:
            print(f"cuesta.ray: {reason}", file=sys.stderr)
        if len(summary.errors) > 20:
            print(
                f"cuesta.ray: and {len(summary.errors) - 20} more in {summary.output}/_errors.ndjson",
                file=sys.stderr,
            )
        unit = "videos" if arguments.verb == "detect" else "pictures"
        print(
            f"{summary.done} {unit} into {summary.output} in {summary.seconds:.1f} s, {len(summary.errors)} with errors",
            file=sys.stderr,
        )
    return INPUT if summary.errors else DONE


if __name__ == "__main__":
    sys.exit(main())

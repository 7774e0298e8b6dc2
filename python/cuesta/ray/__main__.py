"""Edges and moving objects over a Ray cluster, without code.

    python -m cuesta.ray edges FOLDER -o s3://bucket/edges --sigma 2
    python -m cuesta.ray filter gaussian FOLDER -o smooth --sigma 2
    python -m cuesta.ray edges HUGE.tif -o edges.tif --bands
    python -m cuesta.ray label HUGE.tif -o parts.csv --threshold 128
    python -m cuesta.ray detect FOLDER -o events --format ndjson --min-area 400

It joins the cluster that --address or RAY_ADDRESS names, and else begins one on this machine. The results are those of
one process on one machine, byte for byte. A folder holds all of them when _SUCCESS lies in it; what could not be read
is in _errors.ndjson, and the others are done.

Exit status: 0 done; 3 some inputs, or all, cannot be read; 4 results cannot be written; 5 no cluster; 2 usage;
130 interrupted.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import json
import logging
import os
import pathlib
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
from cuesta.ray import places
from cuesta.ray.outputs import Output, Summary, components_written
from cuesta.ray.pictures import FILTERS, METHODS

#: As the command has them (docs/python.md).
DONE, USAGE, INPUT, OUTPUT, DEVICE, INTERRUPTED = 0, 2, 3, 4, 5, 130

#: What is of a call here or of its pictures, not of the operation.
_OURS = {"image", "out", "mask", "color", "layout", "return_thresholds", "strategy", "parameters", "threads", "stream", "file"}
_OURS |= {"videos", "output", "format", "rows", "zones", "lines", "filesystem", "part_frames", "num_cpus", "at_once"}
_OURS |= {"max_pixels", "overwrite", "progress"}
_OPTION = "option "
#: What a list of components is written as, by its name.
LISTS = ("csv", "ndjson", "parquet")


def options_of(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """What may be said of an operation."""
    return {name: one for name, one in inspect.signature(function).parameters.items() if name not in _OURS}


def value_of(text: str) -> Any:
    """A number, true or false, a list as Python writes it, or the text itself."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def texts_of(function: Callable[..., Any]) -> dict[str, str]:
    """What the documentation of a function says of each parameter, in one line; nothing with python -OO."""
    found: dict[str, str] = {}
    for names, text in re.findall(r"(?m)^([\w, ]+) : .*\n((?: {4}.*\n?)+)", inspect.getdoc(function) or ""):
        found.update(dict.fromkeys(names.split(", "), " ".join(text.split())))
    return found


def add_options(parser: argparse.ArgumentParser, functions: dict[str, Callable[..., Any]]) -> None:
    """--name VALUE for each option of any of the operations."""
    found: dict[str, tuple[inspect.Parameter, list[str]]] = {}
    for key, function in functions.items():
        for name, one in options_of(function).items():
            found.setdefault(name, (one, []))[1].append(key)
    texts = {key: texts_of(function) for key, function in functions.items()}
    group = parser.add_argument_group("options of the operation, as cuesta's function has them (docs/python-api.md)")
    for name, (one, keys) in found.items():
        said: dict[str, list[str]] = {}
        for key in keys:
            if text := texts[key].get(name):
                said.setdefault(text, []).append(key)
        some = len(said) > 1 or len(keys) < len(functions)
        words = " ".join(f"{', '.join(of)}: {text}" if some else text for text, of in said.items())
        how: dict[str, Any] = {"dest": _OPTION + name, "default": argparse.SUPPRESS, "help": words.replace("%", "%%")}
        how |= {"action": argparse.BooleanOptionalAction} if isinstance(one.default, bool) else {"type": value_of, "metavar": "VALUE"}
        group.add_argument("--" + name.replace("_", "-"), **how)


def options_in(arguments: argparse.Namespace, parser: argparse.ArgumentParser, function: Callable[..., Any]) -> dict[str, Any]:
    """Those that were said."""
    said = {name.removeprefix(_OPTION): value for name, value in vars(arguments).items() if name.startswith(_OPTION)}
    known = options_of(function)
    for name in said:
        if name not in known:
            parser.error(f"--{name.replace('_', '-')} is no option of {function.__name__}")
    return said


def read_scene(path: str) -> dict[str, Any]:
    """Zones, lines and mask from a file as `cuesta detect --scene` takes it: JSON, and TOML from Python 3.11 on."""
    try:
        text = pathlib.Path(path).read_text(encoding="utf-8")
        if path.endswith(".toml"):
            import tomllib

            table = tomllib.loads(text)
        else:
            table = json.loads(text)
        zones = [
            cuesta.Zone(
                one["name"],
                [(float(x), float(y)) for x, y in one["polygon"]],
                one.get("kind", "include"),
                *(one.get(limit) for limit in ("min_area", "max_area", "min_aspect", "max_aspect")),
            )
            for one in table.get("zones", [])
        ]
        lines = [cuesta.CountingLine(one["name"], tuple(one["from"]), tuple(one["to"])) for one in table.get("lines", [])]
    except (OSError, ImportError, LookupError, TypeError, ValueError) as error:
        raise InputError(f"{path}: no scene: {error}", path) from error
    scene: dict[str, Any] = {"zones": zones, "lines": lines}
    if "mask" in table:
        scene["mask"] = cuesta.imread(pathlib.Path(path).parent / table["mask"], gray=True)
    return scene


class Bar:
    """How far it is, on a terminal; as the command shows it. Gone when its block ends."""

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


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m cuesta.ray", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="edges|filter|label|detect")

    def verb(
        name: str, text: str, more: str, functions: dict[str, Callable[..., Any]], formats: str = ""
    ) -> argparse.ArgumentParser:
        """One whose results are a folder in one of the formats, or one of a picture whose result is a file."""
        one = verbs.add_parser(
            name, help=text, description=f"{text}\n\n{more}", allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        if name == "filter":
            one.add_argument("operation", choices=sorted(functions), help="the filter")
        if formats:
            one.add_argument("inputs", nargs="+", metavar="INPUT", help="files, folders, patterns, s3:// and gs:// addresses")
            one.add_argument("-o", "--output", required=True, help="the folder for the results, or its address")
            one.add_argument("--format", help=formats)
            one.add_argument("--overwrite", action="store_true", help="take a folder that holds a whole result")
        else:
            one.add_argument("input", metavar="INPUT", help="a picture file, or its s3:// or gs:// address")
            one.add_argument("-o", "--output", required=True, help="a .csv, .ndjson or .parquet file, or its address")
        one.add_argument("--address", help="of a Ray cluster; by default RAY_ADDRESS, else one begins here")
        one.add_argument("--cpus", type=int, help="of a cluster that begins here; by default all")
        one.add_argument("--num-cpus", type=float, default=1, help="of a worker (1)")
        one.add_argument("-q", "--quiet", action="store_true", help="no progress and no summary")
        add_options(one, functions)
        return one

    tables = "parquet or ndjson"
    of_pictures = f"a picture's extension (png): one file a picture, by its name; or {tables}"
    workers: dict[str, Any] = {"type": int, "help": "by default as many as there are CPUs for"}
    each = "Each picture by itself, in workers that stay. A color picture becomes gray."
    edges = verb("edges", "Edges in pictures.", each, dict(METHODS), of_pictures)
    edges.add_argument("--method", choices=sorted(METHODS), default="canny", help="canny by default")
    edges.add_argument("--workers", **workers)
    each = "Each picture by itself, in workers that stay. Colors stay."
    smooth = verb("filter", "Filtered pictures.", each, dict(FILTERS), of_pictures)
    smooth.add_argument("--workers", **workers)
    for one in (edges, smooth):
        one.add_argument(
            "--num-gpus", type=float, default=0, help="of a GPU a worker's part, 0.25: four share one (0: all is done on the CPU)"
        )
        one.add_argument(
            "--bands",
            action="store_true",
            help="INPUT is one picture, worked on in bands of rows, which may be larger than memory; -o is a picture file",
        )
        one.add_argument("--memory", default="512MB", help="with --bands: of each worker, for rows (512MB)")
    each = (
        "In bands of rows, so that the picture may be larger than memory; the list must fit into it. A mask is what is\n"
        "brighter than --threshold in the picture's gray levels."
    )
    label = verb("label", "The connected components of a mask, as a list.", each, {"label": cuesta.label})
    label.add_argument("--threshold", type=float, default=0, help="gray levels above it are set (0: all that is not black)")
    label.add_argument("--memory", default="512MB", help="of each worker, for rows (512MB)")
    label.add_argument("--workers", **workers)
    each = (
        "Videos run beside each other, and each is cut at key frames into parts that follow each other, wherever there is\n"
        "room; objects keep their numbers across them."
    )
    detect = verb("detect", "Moving objects in videos.", each, {"detect": cuesta.ray.detect}, f"{tables} (parquet)")
    detect.add_argument("--rows", choices=("events", "objects"), default="events", help="what a row is (events)")
    detect.add_argument("--part-frames", type=int, default=250, help="frames that are done at a time, at least (250)")
    detect.add_argument("--at-once", type=int, help="videos under way together; by default as many as there are CPUs for")
    detect.add_argument("--scene", help="zones, lines and mask, as `cuesta detect --scene` reads them")
    return parser


def join_cluster(address: str | None, cpus: int | None) -> None:
    """Raises DeviceError where there is none."""
    if ray.is_initialized():
        return
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    address = address or os.environ.get("RAY_ADDRESS")
    try:
        if address:
            if server := re.fullmatch(r"(?:ray://)?\[?([^/]+?)\]?:(\d+)", address):  # which Ray seeks for minutes
                socket.create_connection((server[1], int(server[2])), timeout=20).close()
            ray.init(address=address, **options)
        else:
            ray.init(address="local", num_cpus=cpus, include_dashboard=False, **options)
    except (OSError, RuntimeError, ValueError) as error:
        raise DeviceError(f"no Ray cluster at {address or 'this machine'}: {error}", address or "local") from error
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.ERROR)


def run_bands(arguments: argparse.Namespace, parser: argparse.ArgumentParser) -> FileResult:
    """One picture in bands."""
    if len(arguments.inputs) != 1:
        parser.error(f"--bands takes one picture; {len(arguments.inputs)} are given")
    for name in ("format", "overwrite"):
        if vars(arguments)[name]:
            parser.error(f"--{name} is of folders; with --bands the file that -o names is written")
    if arguments.num_gpus:
        parser.error("--num-gpus is of folders; bands are made on the CPU")
    said = {"memory": arguments.memory, "workers": arguments.workers, "num_cpus": arguments.num_cpus}
    edges = arguments.verb == "edges"
    work: Callable[..., FileResult] = cuesta.ray.edges_file if edges else cuesta.ray.filter_file
    operation = arguments.method if edges else arguments.operation
    options = options_in(arguments, parser, (METHODS if edges else FILTERS)[operation])
    join_cluster(arguments.address, arguments.cpus)
    with Bar("rows", sys.stderr, arguments.quiet) as bar:
        return work(arguments.inputs[0], arguments.output, operation, progress=lambda done, all: bar(done, all, 0), **said, **options)


def run_label(arguments: argparse.Namespace, parser: argparse.ArgumentParser) -> FileComponents:
    """The components of one picture, written."""
    folder, _, name = places.everywhere(arguments.output).rpartition("/")
    format = name.rpartition(".")[2]
    if format not in LISTS:
        parser.error(f"-o {arguments.output}: a list is named {', '.join('.' + one for one in LISTS)}")
    options = options_in(arguments, parser, cuesta.label)
    join_cluster(arguments.address, arguments.cpus)
    said = {"threshold": arguments.threshold, "memory": arguments.memory, "workers": arguments.workers, "num_cpus": arguments.num_cpus}
    with Bar("rows", sys.stderr, arguments.quiet) as bar:
        found = cuesta.ray.label_file(arguments.input, progress=lambda done, all: bar(done, all, 0), **said, **options)
    Output(folder, format).put(name, components_written(found, format))
    return found


def run(arguments: argparse.Namespace, parser: argparse.ArgumentParser) -> Summary:
    said: dict[str, Any] = {name: value for name in ("format",) if (value := vars(arguments)[name]) is not None}
    said |= {"output": arguments.output, "num_cpus": arguments.num_cpus, "overwrite": arguments.overwrite}
    if arguments.verb == "detect":
        options = options_in(arguments, parser, cuesta.ray.detect)
        scene = {} if arguments.scene is None else read_scene(arguments.scene)
        said |= {"rows": arguments.rows, "part_frames": arguments.part_frames, "at_once": arguments.at_once, **scene}
        work: Callable[..., Any] = cuesta.ray.detect
    elif arguments.verb == "edges":
        options = options_in(arguments, parser, METHODS[arguments.method])
        said |= {"method": arguments.method, "workers": arguments.workers, "num_gpus": arguments.num_gpus}
        work = cuesta.ray.edges
    else:
        options = options_in(arguments, parser, FILTERS[arguments.operation])
        said |= {"name": arguments.operation, "workers": arguments.workers, "num_gpus": arguments.num_gpus}
        work = cuesta.ray.filter
    join_cluster(arguments.address, arguments.cpus)
    with Bar("videos" if arguments.verb == "detect" else "pictures", sys.stderr, arguments.quiet) as bar:
        done: Summary = work(arguments.inputs, progress=bar, **said, **options)
        return done


def exit_code_of(error: BaseException) -> int:
    if isinstance(error, InputError):
        return INPUT
    if isinstance(error, OutputError):
        return OUTPUT
    if isinstance(error, (DeviceError, OutOfMemory, MemoryError)):
        return DEVICE
    return USAGE


def keep_ray_quiet() -> None:
    """What Ray's own libraries write to the standard error stream is for who asks for it by RAY_BACKEND_LOG_LEVEL; what
    this program says goes there still."""
    if "RAY_BACKEND_LOG_LEVEL" in os.environ:
        return
    sys.stderr.flush()
    sys.stderr = open(os.dup(2), "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    os.close(nowhere)


def main(words: Sequence[str] | None = None) -> int:
    parser = make_parser()
    arguments = parser.parse_args(words)
    keep_ray_quiet()
    begun = time.monotonic()
    try:
        if vars(arguments).get("bands"):
            made = run_bands(arguments, parser)
            if not arguments.quiet:
                told = f"{made.width} x {made.height} pixels into {arguments.output} in {time.monotonic() - begun:.1f} s"
                print(f"{told}, {made.bands} bands", file=sys.stderr)
            return DONE
        if arguments.verb == "label":
            found = run_label(arguments, parser)
            if not arguments.quiet:
                told = f"{found.count} components of {found.width} x {found.height} pixels into {arguments.output}"
                print(f"{told} in {time.monotonic() - begun:.1f} s, {found.bands} bands", file=sys.stderr)
            return DONE
        summary = run(arguments, parser)
    except KeyboardInterrupt:
        print("cuesta.ray: interrupted; what is there is no whole result", file=sys.stderr)
        return INTERRUPTED
    except (Error, TypeError) as error:
        print(f"cuesta.ray: {error}", file=sys.stderr)
        return exit_code_of(error)
    if not arguments.quiet:
        for _, reason in summary.errors[:20]:
            print(f"cuesta.ray: {reason}", file=sys.stderr)
        if len(summary.errors) > 20:
            print(f"cuesta.ray: and {len(summary.errors) - 20} more in {summary.output}/_errors.ndjson", file=sys.stderr)
        unit = "videos" if arguments.verb == "detect" else "pictures"
        print(
            f"{summary.done} {unit} into {summary.output} in {summary.seconds:.1f} s, {len(summary.errors)} with errors",
            file=sys.stderr,
        )
    return INPUT if summary.errors else DONE


if __name__ == "__main__":
    sys.exit(main())

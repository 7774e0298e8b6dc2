"""The arguments of `python -m cuesta.ray`."""

from __future__ import annotations

import argparse
import ast
import inspect
import json
import pathlib
import re
from collections.abc import Callable
from typing import Any

import cuesta
from cuesta.errors import InputError
from cuesta.ray._workers import FILTERS, METHODS

#: Parameters of a call or of its pictures, which are no options of the operation.
_OURS = {
    "image",
    "method",
    "out",
    "mask",
    "layout",
    "return_thresholds",
    "strategy",
    "parameters",
    "threads",
    "stream",
    "file",
}
_OURS |= {
    "videos",
    "output",
    "format",
    "rows",
    "zones",
    "lines",
    "filesystem",
    "part_frames",
    "num_cpus",
    "at_once",
}
_OURS |= {"max_pixels", "overwrite", "progress", "allow_partial", "timeout", "reconnect"}
_OPTION = "option "


def options_of(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Returns the options of an operation that the command line has."""
    return {
        name: one
        for name, one in inspect.signature(function).parameters.items()
        if name not in _OURS
    }


def value_of(text: str) -> Any:
    """Returns a number, True or False, a list as Python writes it, or the text itself."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def texts_of(function: Callable[..., Any]) -> dict[str, str]:
    """Returns each parameter's text in a function's documentation, in one line.

    There is none with python -OO.
    """
    found: dict[str, str] = {}
    for names, text in re.findall(
        r"(?m)^([\w, ]+) : .*\n((?: {4}.*\n?)+)", inspect.getdoc(function) or ""
    ):
        found.update(dict.fromkeys(names.split(", "), " ".join(text.split())))
    return found


def add_options(parser: argparse.ArgumentParser, functions: dict[str, Callable[..., Any]]) -> None:
    """Adds --name VALUE for each option of any of the operations."""
    found: dict[str, tuple[inspect.Parameter, list[str]]] = {}
    for key, function in functions.items():
        for name, one in options_of(function).items():
            found.setdefault(name, (one, []))[1].append(key)
    texts = {key: texts_of(function) for key, function in functions.items()}
    group = parser.add_argument_group(
        "options of the operation (help(cuesta.canny) lists those of canny)"
    )
    for name, (one, keys) in found.items():
        said: dict[str, list[str]] = {}
        for key in keys:
            if text := texts[key].get(name):
                said.setdefault(text, []).append(key)
        some = len(said) > 1 or len(keys) < len(functions)
        words = " ".join(f"{', '.join(of)}: {text}" if some else text for text, of in said.items())
        how: dict[str, Any] = {
            "dest": _OPTION + name,
            "default": argparse.SUPPRESS,
            "help": words.replace("%", "%%"),
        }
        how |= (
            {"action": argparse.BooleanOptionalAction}
            if isinstance(one.default, bool)
            else {"type": value_of, "metavar": "VALUE"}
        )
        group.add_argument("--" + name.replace("_", "-"), **how)


def options_in(
    arguments: argparse.Namespace, parser: argparse.ArgumentParser, function: Callable[..., Any]
) -> dict[str, Any]:
    """Returns the options that were given."""
    said = {
        name.removeprefix(_OPTION): value
        for name, value in vars(arguments).items()
        if name.startswith(_OPTION)
    }
    known = options_of(function)
    for name in said:
        if name not in known:
            parser.error(f"--{name.replace('_', '-')} is not an option of {function.__name__}")
    return said


_LIMITS = (
    "min_area",
    "max_area",
    "min_aspect",
    "max_aspect",
    "min_hits",
    "min_moved",
    "min_score",
    "threshold",
)


def read_scene(path: str) -> dict[str, Any]:
    """Reads zones, lines and mask from a file of `cuesta detect --scene`.

    It is JSON, or TOML from Python 3.11 on. What rows cannot follow is refused: `mask_privacy`, and
    `when` of a zone.
    """
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
                **{limit: one[limit] for limit in _LIMITS if limit in one},
            )
            for one in table.get("zones", [])
        ]
        lines = [
            cuesta.CountingLine(
                one["name"],
                tuple(one["from"]),
                tuple(one["to"]),
                one.get("ways", ("right", "left")),
            )
            for one in table.get("lines", [])
        ]
    except (OSError, ImportError, LookupError, TypeError, ValueError) as error:
        raise InputError(f"{path}: the scene cannot be read: {error}", path) from error
    for key, holders in (("mask_privacy", [table]), ("when", table.get("zones", []))):
        if any(key in one for one in holders):
            raise InputError(
                f"{path}: {key} is not supported here; use cuesta detect, or remove it", path
            )
    scene: dict[str, Any] = {"zones": zones, "lines": lines}
    if "mask" in table:
        scene["mask"] = cuesta.imread(pathlib.Path(path).parent / table["mask"], gray=True)
    return scene


def add_verb(
    verbs: Any,
    name: str,
    text: str,
    more: str,
    functions: dict[str, Callable[..., Any]],
    formats: str = "",
) -> argparse.ArgumentParser:
    """Adds a verb whose result is a folder in one of the formats, or a file."""
    one: argparse.ArgumentParser = verbs.add_parser(
        name,
        help=text,
        description=f"{text}\n\n{more}",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    if name == "filter":
        one.add_argument("operation", choices=sorted(functions), help="the filter")
    if formats:
        one.add_argument(
            "inputs",
            nargs="+",
            metavar="INPUT",
            help="files, folders, patterns, s3:// and gs:// addresses",
        )
        one.add_argument(
            "-o", "--output", required=True, help="folder for the results, or its address"
        )
        one.add_argument("--format", help=formats)
        one.add_argument(
            "--overwrite",
            action="store_true",
            help="write into a folder that has a complete result",
        )
    else:
        one.add_argument(
            "input", metavar="INPUT", help="a picture file, or its s3:// or gs:// address"
        )
        one.add_argument(
            "-o", "--output", required=True, help="a .csv, .ndjson or .parquet file, or its address"
        )
    one.add_argument(
        "--address", help="Ray cluster; by default RAY_ADDRESS, otherwise one is started here"
    )
    one.add_argument(
        "--cpus", type=int, help="CPUs of a cluster that is started here; by default all"
    )
    one.add_argument("--num-cpus", type=float, default=1, help="CPUs of a worker (1)")
    one.add_argument("-q", "--quiet", action="store_true", help="no progress and no summary")
    add_options(one, functions)
    return one


def make_parser(description: str | None = None) -> argparse.ArgumentParser:
    """Makes the parser of the command line."""
    parser = argparse.ArgumentParser(
        "python -m cuesta.ray",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="edges|filter|label|detect")
    add_picture_verbs(verbs)
    each = (
        "The picture is processed in bands of rows and may be larger than memory; the\n"
        "list must fit into memory. Gray levels above --threshold are foreground."
    )
    text = "Label connected components, as a list."
    label = add_verb(verbs, "label", text, each, {"label": cuesta.label})
    label.add_argument(
        "--threshold",
        type=float,
        default=0,
        help="gray levels above it are foreground (0: all that is not black)",
    )
    label.add_argument(
        "--memory", default="512MB", help="memory limit of each worker, for rows (512MB)"
    )
    label.add_argument("--workers", **WORKERS)
    each = (
        "Videos are processed in parallel. Each is cut at key frames into parts, which\n"
        "run in order on any worker; objects keep their numbers."
    )
    detect = add_verb(
        verbs,
        "detect",
        "Find moving objects in videos.",
        each,
        {"detect": cuesta.detect},
        f"{TABLES} (parquet)",
    )
    detect.add_argument(
        "--rows", choices=("events", "objects"), default="events", help="content of a row (events)"
    )
    detect.add_argument(
        "--part-frames",
        type=int,
        default=250,
        help="least number of frames in a part (250)",
    )
    detect.add_argument(
        "--at-once",
        type=int,
        help="videos in flight; by default as many as there are CPUs for",
    )
    detect.add_argument(
        "--scene", help="file with zones, lines and mask, as for `cuesta detect --scene`"
    )
    return parser


TABLES = "parquet or ndjson"
WORKERS: dict[str, Any] = {
    "type": int,
    "help": "number of workers; by default as many as there are CPUs for",
}


def add_picture_verbs(verbs: Any) -> None:
    """Adds edges and filter."""
    formats = f"a picture's extension (png) writes one file a picture, by its name; or {TABLES}"
    each = "The bytes are those of `cuesta edges` for each picture."
    edges = add_verb(
        verbs, "edges", "Find edges in pictures.", each, {"edges": cuesta.edges}, formats
    )
    edges.add_argument("--method", choices=sorted(METHODS), default="canny", help="method (canny)")
    each = "Each picture is filtered by itself. Colors are kept."
    smooth = add_verb(verbs, "filter", "Filter pictures.", each, dict(FILTERS), formats)
    for one in (edges, smooth):
        one.add_argument("--workers", **WORKERS)
        one.add_argument(
            "--num-gpus",
            type=float,
            default=0,
            help="part of a GPU for each worker, such as 0.25: four share one (0: CPU only)",
        )
        one.add_argument(
            "--bands",
            action="store_true",
            help="process one picture in bands of rows, which may be larger than memory; -o is a picture file",
        )
        one.add_argument(
            "--memory",
            default="512MB",
            help="with --bands: memory limit of each worker, for rows (512MB)",
        )

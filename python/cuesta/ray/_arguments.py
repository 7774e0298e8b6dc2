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

#: What is of a call here or of its pictures, not of the operation.
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
    """What may be said of an operation."""
    return {
        name: one
        for name, one in inspect.signature(function).parameters.items()
        if name not in _OURS
    }


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
    for names, text in re.findall(
        r"(?m)^([\w, ]+) : .*\n((?: {4}.*\n?)+)", inspect.getdoc(function) or ""
    ):
        found.update(dict.fromkeys(names.split(", "), " ".join(text.split())))
    return found


def add_options(parser: argparse.ArgumentParser, functions: dict[str, Callable[..., Any]]) -> None:
    """--name VALUE for each option of any of the operations."""
    found: dict[str, tuple[inspect.Parameter, list[str]]] = {}
    for key, function in functions.items():
        for name, one in options_of(function).items():
            found.setdefault(name, (one, []))[1].append(key)
    texts = {key: texts_of(function) for key, function in functions.items()}
    group = parser.add_argument_group(
        "options of the operation, as cuesta's function has them (help(cuesta.canny))"
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
    """Those that were said."""
    said = {
        name.removeprefix(_OPTION): value
        for name, value in vars(arguments).items()
        if name.startswith(_OPTION)
    }
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
        lines = [
            cuesta.CountingLine(one["name"], tuple(one["from"]), tuple(one["to"]))
            for one in table.get("lines", [])
        ]
    except (OSError, ImportError, LookupError, TypeError, ValueError) as error:
        raise InputError(f"{path}: no scene: {error}", path) from error
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
    """One whose results are a folder in one of the formats, or one of a picture whose result is a file."""
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
            "-o", "--output", required=True, help="the folder for the results, or its address"
        )
        one.add_argument("--format", help=formats)
        one.add_argument(
            "--overwrite", action="store_true", help="take a folder that holds a whole result"
        )
    else:
        one.add_argument(
            "input", metavar="INPUT", help="a picture file, or its s3:// or gs:// address"
        )
        one.add_argument(
            "-o", "--output", required=True, help="a .csv, .ndjson or .parquet file, or its address"
        )
    one.add_argument(
        "--address", help="of a Ray cluster; by default RAY_ADDRESS, else one begins here"
    )
    one.add_argument("--cpus", type=int, help="of a cluster that begins here; by default all")
    one.add_argument("--num-cpus", type=float, default=1, help="of a worker (1)")
    one.add_argument("-q", "--quiet", action="store_true", help="no progress and no summary")
    add_options(one, functions)
    return one


def make_parser(description: str | None = None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m cuesta.ray",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="edges|filter|label|detect")
    add_picture_verbs(verbs)
    each = (
        "In bands of rows, so that the picture may be larger than memory; the list must fit into it. A mask is what is\n"
        "brighter than --threshold in the picture's gray levels."
    )
    text = "The connected components of a mask, as a list."
    label = add_verb(verbs, "label", text, each, {"label": cuesta.label})
    label.add_argument(
        "--threshold",
        type=float,
        default=0,
        help="gray levels above it are set (0: all that is not black)",
    )
    label.add_argument("--memory", default="512MB", help="of each worker, for rows (512MB)")
    label.add_argument("--workers", **WORKERS)
    each = (
        "Videos run beside each other, and each is cut at key frames into parts that follow each other, wherever there is\n"
        "room; objects keep their numbers across them."
    )
    detect = add_verb(
        verbs,
        "detect",
        "Moving objects in videos.",
        each,
        {"detect": cuesta.detect},
        f"{TABLES} (parquet)",
    )
    detect.add_argument(
        "--rows", choices=("events", "objects"), default="events", help="what a row is (events)"
    )
    detect.add_argument(
        "--part-frames",
        type=int,
        default=250,
        help="frames that are done at a time, at least (250)",
    )
    detect.add_argument(
        "--at-once",
        type=int,
        help="videos under way together; by default as many as there are CPUs for",
    )
    detect.add_argument(
        "--scene", help="zones, lines and mask, as `cuesta detect --scene` reads them"
    )
    return parser


TABLES = "parquet or ndjson"
WORKERS: dict[str, Any] = {"type": int, "help": "by default as many as there are CPUs for"}


def add_picture_verbs(verbs: Any) -> None:
    """edges and filter."""
    formats = f"a picture's extension (png): one file a picture, by its name; or {TABLES}"
    each = "Each picture by itself, in workers that stay: the bytes of `cuesta edges`."
    edges = add_verb(verbs, "edges", "Edges in pictures.", each, {"edges": cuesta.edges}, formats)
    edges.add_argument(
        "--method", choices=sorted(METHODS), default="canny", help="canny by default"
    )
    each = "Each picture by itself, in workers that stay. Colors stay."
    smooth = add_verb(verbs, "filter", "Filtered pictures.", each, dict(FILTERS), formats)
    for one in (edges, smooth):
        one.add_argument("--workers", **WORKERS)
        one.add_argument(
            "--num-gpus",
            type=float,
            default=0,
            help="of a GPU a worker's part, 0.25: four share one (0: all is done on the CPU)",
        )
        one.add_argument(
            "--bands",
            action="store_true",
            help="INPUT is one picture, worked on in bands of rows, which may be larger than memory; -o is a picture file",
        )
        one.add_argument(
            "--memory", default="512MB", help="with --bands: of each worker, for rows (512MB)"
        )

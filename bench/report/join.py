#!/usr/bin/env python3
"""Joins --json files of `cuesta bench` from one machine: what one run of all their experiments would have written.

    join.py --out ALL.json LOG.json CANNY.json ...

A full run of all experiments takes long; they may run one by one, on several GPUs of a host at a time. What the files say of
the machine, the GPU, its driver and the libraries must be equal, what they measured of it need not: `gpu` is the first
file's, and `runs` names each file's commit, date, ceilings and experiments. An experiment at a size is in one file only.
"""

import argparse
import json
import sys
from pathlib import Path

LISTS = ("differences", "notes", "theory", "figures", "rows")
IDENTITY = (
    "experiment",
    "operation",
    "strategy",
    "space",
    "parameters",
    "strategy_parameters",
    "type",
    "width",
    "height",
    "threads",
    "pictures",
)


class Refused(Exception):
    """Words for the user."""


def host_of(whole):
    """What must be equal, in words that name it."""
    gpu = whole["gpu"] or {}
    return {
        "the CPU": whole["machine"],
        "the GPU": {key: value for key, value in gpu.items() if key != "ceilings"},
        "the libraries": whole["libraries"],
    }


def joined(wholes):
    """Of (name, what the file holds) each."""
    first_name, first = wholes[0]
    result = {key: value for key, value in first.items() if key not in LISTS}
    result["runs"] = []
    lists = {key: {} for key in LISTS}  # an entry once: figures of a paper stand in every file
    rows = {}
    for at, (name, whole) in enumerate(wholes):
        for what, value in host_of(whole).items():
            if value != host_of(first)[what]:
                raise Refused(
                    f"{name} is of another run than {first_name}: {what} is {value}, not {host_of(first)[what]}"
                )
        for row in whole["rows"]:
            if row["operation"] == "copy":
                continue
            identity = tuple(row.get(key) for key in IDENTITY)
            if rows.setdefault(identity, at) != at:
                raise Refused(
                    f"{name} and {wholes[rows[identity]][0]} both have {row['experiment']} {row['operation']} "
                    f"{row['strategy']} at {row['width']}x{row['height']}: leave one out"
                )
        for key in LISTS:
            lists[key].update((json.dumps(entry, sort_keys=True), entry) for entry in whole[key])
        result["runs"].append(
            {
                "commit": whole["commit"],
                "date": whole["date"],
                "experiments": list(dict.fromkeys(row["experiment"] for row in whole["rows"])),
                "ceilings": (whole["gpu"] or {}).get("ceilings"),
            }
        )
    return result | {key: list(entries.values()) for key, entries in lists.items()}


def text_of(whole):
    """JSON with a line for each entry of the lists, so that a row is a line to git."""

    def one(value):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    parts = []
    for key, value in whole.items():
        inner = ",\n".join(map(one, value)) if key in LISTS or key == "runs" else None
        parts.append(f"{one(key)}:[\n{inner}\n]" if inner else f"{one(key)}:{one(value)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", metavar="FILE.json")
    parser.add_argument("--out", required=True, metavar="FILE.json")
    arguments = parser.parse_args(arguments)
    try:
        wholes = [
            (name, json.loads(Path(name).read_text(encoding="utf-8"))) for name in arguments.files
        ]
        Path(arguments.out).write_text(text_of(joined(wholes)), encoding="utf-8")
    except (Refused, OSError, ValueError, KeyError) as error:
        sys.exit(f"join.py: {error}")


if __name__ == "__main__":
    main()

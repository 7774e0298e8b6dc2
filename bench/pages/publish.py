#!/usr/bin/env python3
"""Publishes measurements: reduces raw runs to docs/results/data and makes the pages of docs/results from it.

    publish.py reduce PAGE NAME=RAW.json ...   reduce raw runs for a page, then make it; PAGE alone lists the names
    publish.py make [PAGE ...]                 make pages and pictures again from their data and templates
    publish.py check [PAGE ...]                say what differs from the tracked files; exit 1 if anything does
    publish.py kernels                         list in the data which sources have changed since they were measured
    publish.py equal PART COMMIT --how WORDS   record that COMMIT changed the sources of PART and not its machine code

docs/results/README.md describes the files, bench/README.md how to write a page.
"""

import argparse
import importlib
import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "report")]

import charts  # noqa: E402
import page as pages  # noqa: E402
import sources  # noqa: E402

MODULES = ("index", "h200_ladder", "h200_production", "h200_profile", "cpu", "detect", "cameras", "devices", "gigapixel",
           "python_calls", "compat", "surface", "scale_gpu", "ladder")  # fmt: skip
EQUAL = pages.RESULTS / "data" / "equal-code.json"


def known():
    """Every page by its name."""
    found = {}
    for module in MODULES:
        page = importlib.import_module(module).PAGE
        found[page.name] = page
    return found


def read(path, otherwise=None):
    if otherwise is not None and not path.exists():
        return otherwise
    return json.loads(path.read_text(encoding="utf-8"))


def data_text(whole):
    """JSON with a line for each entry, so that a change of one figure is a line to git."""

    def one(value):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    parts = []
    for key, value in whole.items():
        if isinstance(value, dict):
            inner = ",\n".join(f" {one(name)}:{one(entry)}" for name, entry in value.items())
            parts.append(f"{one(key)}:{{\n{inner}\n}}" if inner else f"{one(key)}:{{}}")
        elif isinstance(value, list):
            inner = ",\n".join(f" {one(entry)}" for entry in value)
            parts.append(f"{one(key)}:[\n{inner}\n]" if inner else f"{one(key)}:[]")
        else:
            parts.append(f"{one(key)}:{one(value)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def made(page, reduced):
    """The files of a page, as {path: text}; none of data that only other programs read."""
    path = pages.TEMPLATES / f"{page.name}.md"
    if not path.exists():
        return {}
    template = path.read_text(encoding="utf-8")
    files = {
        page.path: pages.text_of(reduced, template, sources.notice(reduced["changed"])),
        **page.more(reduced),
    }
    for name, drawing in reduced["pictures"].items():
        files[pages.RESULTS / "pictures" / f"{name}.svg"] = charts.svg(drawing)
    return files


def write(files):
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def differences(page):
    """What of a page is not what its data and template give, in words."""
    reduced = read(page.data)
    found = [
        f"{path.relative_to(pages.ROOT)} is not what its data give: run bench/pages/publish.py make {page.name}"
        for path, text in made(page, reduced).items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    if (size := page.data.stat().st_size) > pages.LARGEST:
        found.append(f"{page.data.name} has {size} bytes; at most {pages.LARGEST}")
    return found


def stale(page, tree, equal):
    """Sources that have changed without a notice on the page, or that the notice names in vain."""
    reduced = read(page.data)
    now = sources.changed(reduced["measured"], tree, equal)
    return sorted(set(now) ^ set(reduced["changed"]))


def kernels(chosen):
    tree, equal = sources.Tree.of_folder(pages.ROOT), read(EQUAL, [])
    for page in chosen.values():
        reduced = read(page.data)
        reduced["changed"] = sources.changed(reduced["measured"], tree, equal)
        write({page.data: data_text(reduced), **made(page, reduced)})


def record_equal(part, commit, how):
    """That a commit changed only the text of a part; of "canny/papers", of every step that it changed."""
    words = ["git", "-C", pages.ROOT, "rev-parse", "--short=12", commit]
    full = subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    before, after = (sources.Tree.of_commit(pages.ROOT, name) for name in (f"{full}^", full))
    parts = after.parts(*part.split("/")) if part.count("/") == 1 else [part]
    records, changed = read(EQUAL, []), 0
    for one in parts:
        old, new = before.fingerprint(one), after.fingerprint(one)
        if old is None and len(parts) > 1:
            continue  # a step that the commit added
        if None in (old, new):
            raise pages.Broken(f"{one} has no sources at {commit}; a part is like canny/gpu")
        if old != new:
            changed += 1
            record = {"part": one, "commit": full, "from": old, "to": new, "how": how}
            records = [r for r in records if (r["part"], r["from"], r["to"]) != (one, old, new)]
            records.append(record)
    if not changed:
        raise pages.Broken(f"{commit} did not change {part}")
    lines = ",\n".join(" " + json.dumps(record, ensure_ascii=False) for record in records)
    EQUAL.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    reduce = commands.add_parser("reduce", help="reduce raw runs for a page, then make it")
    reduce.add_argument("page", choices=known())
    reduce.add_argument("raw", nargs="*", metavar="NAME=RAW.json")
    for name, words in (
        ("make", "make pages from their data"),
        ("check", "say what differs"),
        ("kernels", "list changed sources"),
    ):
        commands.add_parser(name, help=words).add_argument("pages", nargs="*", metavar="PAGE")
    equal = commands.add_parser("equal", help="record equal machine code")
    equal.add_argument("part")
    equal.add_argument("commit")
    equal.add_argument("--how", required=True, help="how it was shown")
    asked = parser.parse_args(arguments)
    try:
        return run(asked)
    except (pages.Broken, OSError, ValueError, subprocess.CalledProcessError) as error:
        print(f"publish.py: {error}", file=sys.stderr)
        return 1


def run(asked):
    every = known()
    if asked.command == "equal":
        record_equal(asked.part, asked.commit, asked.how)
        kernels(every)
    elif asked.command == "reduce":
        page = every[asked.page]
        if not asked.raw:
            for part in page.parts:
                print(f"{', '.join(pages.arguments(part)):30} part {part.__name__}")
            return 0
        if wrong := [one for one in asked.raw if "=" not in one]:
            raise pages.Broken(f"'{wrong[0]}' is not NAME=RAW.json")
        reduced = page.reduce(dict(one.split("=", 1) for one in asked.raw), read(page.data, {}))
        reduced["changed"] = sources.changed(
            reduced["measured"], sources.Tree.of_folder(pages.ROOT), read(EQUAL, [])
        )
        write(made(page, reduced) | {page.data: data_text(reduced)})
    else:
        if wrong := [name for name in asked.pages if name not in every]:
            raise pages.Broken(f"there is no page {wrong[0]}; there are {', '.join(every)}")
        chosen = {name: every[name] for name in asked.pages or every}
        if asked.command == "kernels":
            kernels(chosen)
        for page in chosen.values():
            if asked.command == "make":
                write(made(page, read(page.data)))
        if asked.command == "check":
            found = [words for page in chosen.values() for words in differences(page)]
            print("\n".join(found), end="\n" if found else "")
            return 1 if found else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Fingerprints of the sources behind a measurement, so that a page says when they have changed since.

A part is an operation and who runs it: "canny/gpu" (production and plain rows), "canny/cpu", and one for each of the papers'
steps, "canny/papers/row-cyclic". Its fingerprint is a hash of the part's files and of what they include from src/ops, src/cuda,
src/cpu and the arithmetic in src/core: without comments, white space, include lines and file names. Declarations and the
launch of kernels, which all strategies share, are left out.
"""

import hashlib
import io
import re
import subprocess
import tarfile
from pathlib import Path

DECLARATIONS = {
    "args.hpp",
    "options.hpp",
    "cuda.hpp",
    "reference.hpp",
    "ladder.hpp",
    "launch.cuh",
    "check.hpp",
    "limits.hpp",
}
# Host files of an operation that neither compute nor choose.
NOT_COMPUTING = {"strategies.cpp", "options.cpp", "cases.cpp", "saved.cpp"}
ARITHMETIC = re.compile(
    r"src/core/(?:gradient|otsu|background_\w+|pixel_arithmetic|border_sample|bits)\.hpp$"
)
TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/|R\"(\w*)\(.*?\)\1\"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'", re.DOTALL
)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)".*$', re.MULTILINE)
OTHER_LINES = re.compile(
    r"^[ \t]*#[ \t]*(?:include\b.*|pragma once|(?:ifndef|define)[ \t]+CUESTA_\w+_H(?:PP)?_?[ \t]*)$",
    re.MULTILINE,
)


def step_of(stem):
    """The step that a file of a ladder is named after: "02_row_cyclic" is row-cyclic, "03_v1_2" v1.2."""
    name = re.sub(r"^\d+_", "", stem)
    return name.replace("_", "." if re.fullmatch(r"v\d_\d", name) else "-")


class Tree:
    """Texts of files below src by their path in the repository."""

    def __init__(self, files):
        self.files, self.hashes = files, {}

    @classmethod
    def of_folder(cls, root):
        paths = (path for path in (Path(root) / "src").rglob("*") if path.is_file())
        return cls({path.relative_to(root).as_posix(): path.read_bytes() for path in paths})

    @classmethod
    def of_commit(cls, root, commit):
        made = subprocess.run(
            ["git", "-C", root, "archive", commit, "src"], capture_output=True, check=True
        ).stdout
        with tarfile.open(fileobj=io.BytesIO(made)) as archive:
            return cls(
                {
                    one.name: archive.extractfile(one).read()
                    for one in archive.getmembers()
                    if one.isfile()
                }
            )

    def operations(self):
        return sorted(
            {
                path.split("/")[2]
                for path in self.files
                if re.fullmatch(r"src/ops/\w+/args\.hpp", path)
            }
        )

    def text(self, path):
        return self.files[path].decode("utf-8", "replace")

    def bare_hash(self, path):
        if path not in self.hashes:
            self.hashes[path] = hashlib.sha256(bare(self.text(path)).encode()).hexdigest()
        return self.hashes[path]

    def included(self, path):
        """A header's own source file belongs to it."""
        for name in INCLUDE.findall(without_comments(self.text(path))):
            found = "src/" + name
            if found not in self.files or found.split("/")[-1] in DECLARATIONS:
                continue
            if found.startswith(("src/ops/", "src/cuda/", "src/cpu/")) or ARITHMETIC.match(found):
                yield found
                source = re.sub(r"\.cuh$", ".cu", found)
                if source != found and source in self.files:
                    yield source

    def parts(self, operation, who):
        """The parts of an operation: of the papers one a step."""
        if who != "papers":
            return [f"{operation}/{who}"]
        steps = re.compile(rf"src/ops/{operation}/ladder/(\d+_\w+)\.cu$")
        return sorted(
            f"{operation}/papers/{step_of(found[1])}"
            for path in self.files
            if (found := steps.match(path))
        )

    def roots(self, part):
        operation, who, *step = part.split("/")
        below = [path for path in self.files if path.startswith(f"src/ops/{operation}/")]
        if who == "cpu":
            names = [path for path in below if path.endswith(".cpp")]
            return [path for path in names if path.split("/")[-1] not in NOT_COMPUTING]
        files = [path for path in below if path.endswith(".cu")]
        if who == "gpu":
            return [path for path in files if "/ladder/" not in path]
        steps = [path for path in files if "/ladder/" in path]
        return [path for path in steps if [step_of(Path(path).stem)] == step]

    def fingerprint(self, part):
        """None where the part has no files."""
        waiting, seen = self.roots(part), set()
        while waiting:
            path = waiting.pop()
            if path not in seen:
                seen.add(path)
                waiting += self.included(path)
        if not seen:
            return None
        return hashlib.sha256(
            "".join(sorted({self.bare_hash(path) for path in seen})).encode()
        ).hexdigest()[:16]


def without_comments(text):
    return TOKEN.sub(
        lambda found: " " if found.group().startswith(("//", "/*")) else found.group(), text
    )


def bare(text):
    """What a compiler sees of a file, without white space."""
    return re.sub(r"\s+", "", OTHER_LINES.sub("", without_comments(text)))


def commits_of(whole, commit):
    """The commit that each operation of a raw file was measured at; of several, the first. `commit` where the file has none."""
    runs = [
        (run["date"], run["commit"], set(run["experiments"]))
        for run in whole.get("runs", [])
        if isinstance(run, dict)
    ]
    found = {}
    for row in whole["rows"] if isinstance(whole.get("rows"), list) else []:
        at = [
            (date, measured)
            for date, measured, experiments in runs
            if row.get("experiment") in experiments
        ]
        operation = row.get("operation", "")
        found[operation] = min(
            [*at, *([found[operation]] if operation in found else [])], default=("", commit)
        )
    return {operation: measured for operation, (_, measured) in found.items()}


def same(before, now, equal):
    """Whether records of equal machine code lead from one fingerprint to the other."""
    reached, more = {before}, True
    while more:
        more = {record["to"] for record in equal if record["from"] in reached} - reached
        reached |= more
    return now in reached


def changed(measured, tree, equal):
    """The parts of a reduced page whose sources are no longer those that were measured."""
    now = {}
    for one in measured:
        part = one["part"]
        if part not in now:
            now[part] = tree.fingerprint(part)
    return sorted(
        {one["part"] for one in measured if not same(one["fingerprint"], now[one["part"]], equal)}
    )


def notice(parts):
    """What the page says of them; nothing where nothing has changed."""
    if not parts:
        return ""
    found = {"papers": {}, "gpu": {}, "cpu": {}}
    for part in parts:
        operation, who, *step = part.split("/")
        found[who].setdefault(f"`{operation}`", []).extend(f"`{name}`" for name in step)
    steps = [f"{name} ({', '.join(names)})" for name, names in found["papers"].items()]
    listed = [f"the papers' steps of {', '.join(steps)}"] if steps else []
    listed += [
        f"{', '.join(found[who])} on the {who.upper()}" for who in ("gpu", "cpu") if found[who]
    ]
    return (
        "> **Measured on older sources.** These have changed since, and were not measured again: "
        f"{'. Also '.join(listed)}."
    )

#!/usr/bin/env python3
"""ClusterFuzzLite gets every target of fuzz/: .clusterfuzzlite/build.sh packs those of a build.

    test_clusterfuzzlite.py ROOT BUILD

Each target is in its folder, with seeds. It replays some with the libraries that were packed, and
no others. scripts/fuzz runs build.sh with its own build.
"""

import os
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path


# Of each target; the tests fuzz.NAME replay all.
SEEDS = 5


def targets_of(root):
    return sorted(path.stem for path in (root / "fuzz").glob("*.cpp"))


def faults_of(folder, targets):
    """What is missing or does not run in a folder that build.sh made."""
    faults = []
    for name in targets:
        program, seeds = folder / f"fuzz_{name}", folder / f"fuzz_{name}_seed_corpus.zip"
        if not os.access(program, os.X_OK):
            faults.append(f"fuzz/{name}.cpp was not built")
            continue
        if not seeds.is_file():
            faults.append(f"{name} has no seeds")
            continue
        with tempfile.TemporaryDirectory() as corpus, zipfile.ZipFile(seeds) as archive:
            archive.extractall(corpus, archive.namelist()[:SEEDS])
            found = subprocess.run(
                [program, "-runs=0", "-rss_limit_mb=2048", corpus],
                capture_output=True,
                text=True,
                env={
                    "PATH": "/usr/bin:/bin",
                    "LSAN_OPTIONS": os.environ.get("LSAN_OPTIONS", ""),
                    "LLVM_PROFILE_FILE": os.devnull,
                },
            )
        ran = re.search(r"INITED|DONE|Done \d+ runs", found.stderr)
        if found.returncode or not ran:
            faults.append(f"{name} ends with {found.returncode}: {found.stderr[-2000:]}")
    return faults


def self_test():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        assert faults_of(folder, ["a"]) == ["fuzz/a.cpp was not built"]
        program = folder / "fuzz_a"
        program.write_text("#!/bin/sh\nexit 1\n")
        program.chmod(0o755)
        assert faults_of(folder, ["a"]) == ["a has no seeds"]
        with zipfile.ZipFile(folder / "fuzz_a_seed_corpus.zip", "w") as archive:
            archive.writestr("0", "x")
        assert faults_of(folder, ["a"])[0].startswith("a ends with 1")
        program.write_text("#!/bin/sh\necho 'Done 2 runs' >&2\n")
        assert faults_of(folder, ["a"]) == []


def main():
    self_test()
    root, build = Path(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory(dir=build) as name:
        out = Path(name)
        environment = {key: value for key, value in os.environ.items() if key != "SRC"}
        subprocess.run(
            [root / ".clusterfuzzlite/build.sh", "--built", build],
            env={**environment, "OUT": name},
            check=True,
        )
        targets = targets_of(root)
        faults = faults_of(out, targets)
    for fault in faults:
        print(fault)
    print(f"{len(targets)} targets were built, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

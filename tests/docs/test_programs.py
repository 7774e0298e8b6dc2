#!/usr/bin/env python3
"""The C++ and C blocks of docs/user compile, and the C program prints what its page says.

    test_programs.py --cxx COMPILER --include GENERATED [--library LIBCUESTA_C]

C++ blocks are statements, unless they have a main(); `pictures` and `edges` are two batches there.
They are checked without code being made. Without a library the C program is compiled alone.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INCLUDES = "#include <cuesta/cuesta.hpp>\n#include <cuesta/io.hpp>\n#include <cstdio>\n"
HEAD = "void block(const cuesta::ConstBatch& pictures, const cuesta::Batch& edges) {\n"
HEAD += "(void)pictures, (void)edges; {\n"


def blocks(language):
    """(page, code) of every fenced block of a language."""
    for page in [ROOT / "README.md", *sorted((ROOT / "docs/user").glob("*.md"))]:
        for code in re.findall(rf"(?ms)^```{language}\n(.*?)^```", page.read_text("utf-8")):
            yield page, code


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cxx", required=True)
    parser.add_argument("--include", required=True, help="the folder of generated headers")
    parser.add_argument("--library", type=Path)
    options = parser.parse_args()
    faults, count = [], 0
    includes = [f"-I{ROOT / 'include'}", f"-I{options.include}"]

    def compiled(page, *words):
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode:
            faults.append(f"{page.name}: {done.stderr}")
        return done.returncode == 0

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for page, code in blocks("cpp"):
            count += 1
            whole = code if "int main(" in code else f"{INCLUDES}{HEAD}{code}}}\n}}\n"
            (folder / "block.cpp").write_text(whole, encoding="utf-8")
            words = [options.cxx, "-std=c++20", "-fsyntax-only", *includes]
            compiled(page, *words, folder / "block.cpp")
        for page, code in blocks("c"):
            count += 1
            (folder / "block.c").write_text(code, encoding="utf-8")
            words = [options.cxx, "-x", "c", "-std=c99", "-pedantic-errors", "-Wall", "-Wextra",
                     "-Werror", *includes, folder / "block.c"]  # fmt: skip
            if options.library is None:
                compiled(page, *words, "-fsyntax-only")
                continue
            program, place = folder / "block", options.library.resolve().parent
            if compiled(page, *words, "-x", "none", options.library, f"-Wl,-rpath,{place}",
                        f"-Wl,-rpath-link,{place.parent}", "-o", program):  # fmt: skip
                printed = subprocess.run([program], capture_output=True, text=True).stdout
                if not printed or f"prints `{printed.strip()}`" not in page.read_text("utf-8"):
                    faults.append(f"{page.name}: the program prints '{printed.strip()}'")
    if count < 5:
        faults.append(f"only {count} programs found; the search is broken")
    print("\n".join([*faults, f"{count} programs, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

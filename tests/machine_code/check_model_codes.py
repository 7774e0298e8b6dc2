#!/usr/bin/env python3
"""The instructions that bench/model/codes.hpp gives the straight rungs of convolve are those of the machine code, within a
tenth: from a kernel's begin through its first exit behind a store, which is the way of a pixel inside the picture. What
loops is not told by the code alone and stands in no line of `straight`.

    check_model_codes.py --cuobjdump FILE --objects FOLDER
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

CODES = Path(__file__).resolve().parents[2] / "bench" / "model" / "codes.hpp"
# Of codes.hpp's names: the object, and the mangled kernel of a type (f or h) and a window.
KERNELS = {
    "naive": ("01_naive", "kernelI{}Li{}E"),
    "constant": ("03_constant", "kernelI{}Li{}E"),
    "shared": ("02_shared", "kernel_global_tapsI{}Lb0ELi{}E"),
    "shared-constant": ("02_shared", "kernel_constant_tapsI{}Lb0ELi{}E"),
    "texture": ("04_texture", "kernel_global_tapsI{}Li{}E"),
    "texture-constant": ("04_texture", "kernel_constant_tapsI{}Li{}E"),
    "two-pass columns": ("09_two_pass", "7columnsI{}Li{}E"),
    "two-pass rows": ("09_two_pass", "4rowsI{}Li{}E"),
    "separable columns": ("06_separable", "7columnsI{}Li{}E"),
    "separable rows": ("06_separable", "4rowsI{}Li{}E"),
    "tiled T=1": ("05_tiled", "kernelI{}Li{}ELi1E"),
}
NUMBERS = r"\{([-\d., ]+)\}"


def codes():
    """(name, type) -> head, row, tap."""
    text = CODES.read_text(encoding="utf-8")
    found = {}
    for name, floats, whole in re.findall(rf'\{{"([^"]+)",\s*{NUMBERS},\s*{NUMBERS}\}}', text):
        found[name, "f"], found[name, "h"] = ([float(n) for n in numbers.split(",")] for numbers in (floats, whole))
    return found


def functions(listing):
    """Mangled name -> instructions."""
    code = {}
    for name, body in re.findall(r"Function : (\S+)\n(.*?)(?=Function : |\Z)", listing, re.S):
        lines = re.findall(r"/\*[0-9a-f]{4,5}\*/\s+((?:@!?U?P\d+\s+)?[A-Z][^;]*);", body)
        code[name] = [line for line in lines if not line.startswith("NOP")]
    return code


def straight_length(lines):
    stored = False
    for at, line in enumerate(lines):
        stored = stored or "STG" in line
        if stored and line.startswith("EXIT"):
            return at + 1
    raise ValueError("no exit behind a store")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cuobjdump", required=True)
    parser.add_argument("--objects", required=True, type=Path)
    arguments = parser.parse_args()
    model = codes()
    wanted = {(name, kind) for name in KERNELS for kind in "fh"}
    if set(model) != wanted:
        sys.exit(f"codes.hpp and this test know other kernels: {sorted(set(model) ^ wanted)}")
    listings, wrong, checked = {}, [], 0
    for (name, kind), (head, row, tap) in sorted(model.items()):
        object_name, pattern = KERNELS[name]
        if object_name not in listings:
            file = arguments.objects / f"{object_name}.cu.o"
            command = [arguments.cuobjdump, "-sass", "-arch", "sm_90", str(file)]
            listings[object_name] = functions(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        for k in (3, 5, 9):
            kernels = [code for mangled, code in listings[object_name].items() if pattern.format(kind, k) in mangled]
            if len(kernels) != 1:
                sys.exit(f"{len(kernels)} kernels {pattern.format(kind, k)} in {object_name}")
            real, said = straight_length(kernels[0]), head + row * k + tap * k * k
            checked += 1
            if abs(said / real - 1) > 0.1:
                wrong.append(f"{name} {'f32' if kind == 'f' else 'u8'} {k} x {k}: codes.hpp says {said:.0f}, it has {real}")
    print("\n".join(wrong) or f"{checked} kernels, no problem")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""The instructions that bench/model/codes.hpp gives kernels are those of the machine code, within a tenth.

The straight rungs of convolve: from a kernel's begin through its first exit behind a store, which is the way of a pixel
inside the picture. Sobel's and Canny's kernels have branches for requests that were not made: the shortest way through
the code that makes the loads and the stores of one that was. Other loops cannot be found in the code alone.

    check_model_codes.py --cuobjdump FILE --objects FOLDER    # of the library, ops
"""

import argparse
import heapq
import re
import subprocess
import sys
from pathlib import Path

CODES = Path(__file__).resolve().parents[2] / "bench" / "model" / "codes.hpp"
TYPES = {"f": "f32", "h": "u8", "t": "u16"}  # as names of kernels have them
# Of codes.hpp's names: the object, and the mangled kernel of a type and a window.
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
# Of a magnitude: the sum of two absolute values, or a root; of u8 the sum goes to u8 and the root to f32, by way of the whole
# number that another output would be.
SOBEL_ENDS = [
    ("h", ["IABS", r"STG\.E\.U8"]),
    ("h", ["RSQ64H", "RSQ64H", r"STG\.E "]),
    ("f", [r"FADD.*\|.*\|", "STG"]),
    ("f", [r"MUFU\.RSQ", "STG"]),
]
# The object, and the end of the kernel's name: loads=once.
SOBEL_OBJECTS = {
    "global": ("01_global", ""),
    "shared-no-apron": ("02_shared_no_apron", ""),
    "shared-apron": ("03_shared_apron", "Lb0E"),
    "shared-1d": ("04_shared_1d", "Lb0E"),
}
# Of canny's kernels: the object, and what the way passes; `suppress` is the whole code.
CANNY = {
    "sobel": ("01_global", "5sobelILi3E", ["LDG"] * 8 + ["STG"] * 2),
    "measure": ("stages", "7measure", ["LDG"] * 2 + ["0x13505"] + ["STG"] * 2),
    "suppress": ("stages", "8suppress", None),
    "compare": ("stages", "7compare", ["LDG", "STG"]),
    "step": ("03_bfs_launch", "4stepILi3E", ["LDG", "BAR"]),
    "collect": ("queue", "7collect", ["LDG", "STG"]),
    "write": ("hysteresis", "5write", ["LDG", "STG"]),
}


def codes():
    """(name, type) -> head, row, tap."""
    text = CODES.read_text(encoding="utf-8")
    found = {}
    for name, *types in re.findall(
        rf'\{{"([^"]+)",\s*{NUMBERS},\s*{NUMBERS},\s*{NUMBERS}\}}', text
    ):
        for kind, numbers in zip("fht", types):
            found[name, kind] = [float(n) for n in numbers.split(",")]
    return found


def functions(listing):
    """Mangled name -> (address, instruction), in order."""
    code = {}
    for name, body in re.findall(r"Function : (\S+)\n(.*?)(?=Function : |\Z)", listing, re.S):
        lines = re.findall(r"/\*([0-9a-f]{4,5})\*/\s+((?:@!?U?P\d+\s+)?[A-Z][^;]*);", body)
        code[name] = [
            (int(address, 16), line.strip())
            for address, line in lines
            if not line.startswith("NOP")
        ]
    return code


def straight_length(code):
    stored = False
    for at, (_, line) in enumerate(code):
        stored = stored or "STG" in line
        if stored and line.startswith("EXIT"):
            return at + 1
    raise ValueError("no exit behind a store")


def shortest_way(code, passed):
    """Instructions from a kernel's begin to an exit that go by an instruction of each pattern, in order. A call counts as
    one instruction."""
    place = {address: at for at, (address, _) in enumerate(code)}
    seen, heap = set(), [(0, 0, 0)]
    while heap:
        length, at, found = heapq.heappop(heap)
        if (at, found) in seen or at == len(code):
            continue
        seen.add((at, found))
        line = code[at][1]
        words = line.split()
        guarded = line.startswith("@")
        operation = words[1 if guarded else 0]
        length += 1
        found += found < len(passed) and bool(re.search(passed[found], line))
        if operation == "EXIT" and found == len(passed):
            return length
        if operation == "BRA":
            heapq.heappush(heap, (length, place[int(words[-1], 16)], found))
        # `BRA P1, 0x40` is conditional too.
        if (
            guarded
            or operation not in ("EXIT", "BRA", "RET.REL.NODEC")
            or len(words) > (3 if guarded else 2)
        ):
            heapq.heappush(heap, (length, at + 1, found))
    raise ValueError(f"no way by {passed}")


class Objects:
    def __init__(self, arguments):
        self.arguments, self.listings = arguments, {}

    def kernel(self, name, pattern):
        """Of an object of `ops`, the one kernel whose mangled name has the pattern."""
        if name not in self.listings:
            command = [
                self.arguments.cuobjdump,
                "-sass",
                "-arch",
                "sm_90",
                str(self.arguments.objects / f"{name}.cu.o"),
            ]
            self.listings[name] = functions(
                subprocess.run(command, capture_output=True, text=True, check=True).stdout
            )
        kernels = [code for mangled, code in self.listings[name].items() if pattern in mangled]
        if len(kernels) != 1:
            sys.exit(f"{len(kernels)} kernels {pattern} in {name}")
        return kernels[0]


def convolve_checks(objects):
    """(what, as codes.hpp says, as the code is)."""
    model = codes()
    wanted = {(name, kind) for name in KERNELS for kind in "fht"}
    if set(model) != wanted:
        sys.exit(f"codes.hpp and this test know other kernels: {sorted(set(model) ^ wanted)}")
    for (name, kind), (head, row, tap) in sorted(model.items()):
        object_name, pattern = KERNELS[name]
        for k in (3, 5, 9):
            code = objects.kernel(f"convolve/ladder/{object_name}", pattern.format(kind, k))
            yield (
                f"{name} {TYPES[kind]} {k} x {k}",
                head + row * k + tap * k * k,
                straight_length(code),
            )


def sobel_checks(objects):
    lines = re.findall(
        r'\{"([^"]+)",\s*(\d+),\s*(\d+),\s*(\d+),\s*(\d+),\s*(\d+)\}',
        CODES.read_text(encoding="utf-8"),
    )
    if {(name, block) for name, block, *_ in lines} != {
        (name, block) for name in SOBEL_OBJECTS for block in ("32", "16", "8")
    }:
        sys.exit(f"codes.hpp and this test know other kernels of sobel: {lines}")
    for name, block, *said in lines:
        for (kind, end), count in zip(SOBEL_ENDS, said):
            file, end_of_name = SOBEL_OBJECTS[name]
            code = objects.kernel(
                f"sobel/ladder/{file}", f"kernelI{kind}Li3ELi{block}E{end_of_name}"
            )

            def way(loads):
                return shortest_way(code, loads + end)

            if name == "global":
                real = way(["LDG"] * 8)
            elif name == "shared-no-apron":
                real = way(["LDG", "STS", "BAR"] + ["LDS"] * 8)
            else:
                real = way(["LDG"] * 4 + ["STS"] * 4 + ["BAR"] + ["LDS"] * 8)
            yield f"sobel {name} {block} {kind}, by {end[0]}", int(count), real


def canny_checks(objects):
    text = CODES.read_text(encoding="utf-8")
    said = dict(re.findall(r'\{"(\w+)",\s*(\d+)\}', text))
    if set(said) != set(CANNY):
        sys.exit(
            f"codes.hpp and this test know other kernels of canny: {sorted(set(said) ^ set(CANNY))}"
        )
    for name, count in said.items():
        object_name, pattern, passed = CANNY[name]
        code = objects.kernel(f"canny/ladder/{object_name}", pattern)
        yield (
            f"canny {name}",
            int(count),
            straight_length(code) if passed is None else shortest_way(code, passed),
        )
    head, row, tap = (
        float(n) for n in re.search(rf"canny_gaussian = {NUMBERS}", text).group(1).split(",")
    )
    code = objects.kernel("canny/ladder/01_global", "8gaussian")
    # The loop of rows begins with the work on a row's number, and ends with a way back to before that.
    begin, work = next((address, line) for address, line in code if line.startswith("BSSY"))
    back = [
        line
        for address, line in code
        if "BRA" in line and address > begin > int(line.split()[-1], 16)
    ]
    for k in (3, 5, 7, 9):
        rows = ([re.escape(work)] + ["LDG"] * k + [re.escape(back[0])]) * k
        yield (
            f"canny gaussian {k} x {k}",
            head + row * k + tap * k * k,
            shortest_way(code, rows[:-1] + ["STG"]),
        )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cuobjdump", required=True)
    parser.add_argument("--objects", required=True, type=Path)
    objects = Objects(parser.parse_args())
    wrong, checked = [], 0
    for checks in (convolve_checks, sobel_checks, canny_checks):
        for what, said, real in checks(objects):
            checked += 1
            if abs(said / real - 1) > 0.1:
                wrong.append(f"{what}: codes.hpp says {said:.0f}, it has {real:.0f}")
    print("\n".join(wrong) or f"{checked} kernels, no problem")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Looks into the machine code of the CUDA part: every rung does what its name says, and the binary
holds the architectures it was built for.

    check_machine_code.py --objects BUILD/src/CMakeFiles/cuesta.dir/ops --library LIB --architectures 90
    check_machine_code.py --self-test

Needs cuobjdump, with nvdisasm beside it or on the PATH (scripts/fetch-tools has both).
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

SHARED = [r"\bLDS\b", r"\bSTS\b", r"\bBAR\b"]
NO_SHARED = [r"\bLDS\b", r"\bSTS\b"]
# As the paper has it: one barrier between loads and sums.
ONE_BARRIER = {r"\bBAR\b": 1}
TEXTURE = [r"\b(TEX|TLD)\b"]
# A tap as an operand of a multiply-add comes from the constant bank, directly or by a uniform register.
CONSTANT_TAPS = [r"\bFFMA\b.*(c\[0x0\]|UR\d)"]
GLOBAL = [r"\bLDG\b"]
# A window read by an index, an argument of the kernel: a constant bank behind a register.
CONSTANT_WINDOW = [r"\bU?LDC\b.*c\[0x0\]\[U?R\d"]
# A pixel claimed in the word of its mark; places from a sum over the warp and one addition.
STEP_FROM_QUEUE = GLOBAL + [r"\bATOMG?\.E\.OR\b", r"\bSHFL\.UP\b", r"\bATOMG?\.E\.ADD\b"]
# Of the kernels that take a type and a window: f32 with the papers' windows, whose loops unroll.
F32 = r"If\w*Li[359]E"


class Rule:
    """Every function of `file` whose mangled name matches `function` has all of `must`, none of `never`, and as many
    lines with a pattern of `counts` as it says."""

    def __init__(self, file, function, must, never=(), counts=None):
        self.file, self.function, self.must, self.never = file, function, list(must), list(never)
        self.counts = counts or {}

    def check(self, name, code):
        missing = [p for p in self.must if not re.search(p, code)]
        present = [p for p in self.never if re.search(p, code)]
        found = {p: len(re.findall(p, code)) for p in self.counts}
        return (
            [f"{name}: nothing matches {p}" for p in missing]
            + [
                f"{name}: {found[p]} match {p}, not {n}"
                for p, n in self.counts.items()
                if found[p] != n
            ]
            + [
                f"{name}: has {re.search(p, code).group(0)!r}, which {self.file} must not"
                for p in present
            ]
        )


RULES = [
    Rule("convolve/ladder/01_naive", "kernel" + F32, GLOBAL, NO_SHARED + TEXTURE + CONSTANT_TAPS),
    Rule("convolve/ladder/02_shared", "kernel_global_taps" + F32, GLOBAL + SHARED, CONSTANT_TAPS),
    Rule("convolve/ladder/02_shared", "kernel_constant_taps" + F32, SHARED + CONSTANT_TAPS),
    Rule("convolve/ladder/03_constant", "kernel" + F32, GLOBAL + CONSTANT_TAPS, NO_SHARED),
    Rule(
        "convolve/ladder/04_texture",
        "kernel_global_taps" + F32,
        TEXTURE + GLOBAL,
        NO_SHARED + CONSTANT_TAPS,
    ),
    Rule(
        "convolve/ladder/04_texture",
        "kernel_constant_taps" + F32,
        TEXTURE + CONSTANT_TAPS,
        NO_SHARED,
    ),
    Rule("convolve/ladder/05_tiled", "kernel" + F32, SHARED + CONSTANT_TAPS),
    # Each pass of the separable rungs through shared memory.
    Rule(
        "convolve/ladder/06_separable",
        "(columns|rows)" + F32,
        GLOBAL + SHARED + CONSTANT_TAPS,
        counts=ONE_BARRIER,
    ),
    Rule(
        "convolve/ladder/06_separable",
        "tiled_(columns|rows)" + F32,
        GLOBAL + SHARED + CONSTANT_TAPS,
    ),
    Rule("convolve/ladder/07_row_cyclic", "kernel" + F32, SHARED + CONSTANT_TAPS),
    Rule("convolve/ladder/08_shared_1d", "kernelIf", SHARED + CONSTANT_TAPS, counts=ONE_BARRIER),
    Rule("convolve/ladder/11_registers", "kernel" + F32, GLOBAL + CONSTANT_TAPS, NO_SHARED),
    Rule(
        "convolve/ladder/12_vectors",
        "kernel" + F32,
        [r"\bLDG\.E\.128\b"] + CONSTANT_TAPS,
        NO_SHARED,
    ),
    Rule(
        "convolve/ladder/13_halos",
        "(columns|rows)" + F32,
        SHARED + CONSTANT_TAPS,
        counts=ONE_BARRIER,
    ),
    Rule("convolve/ladder/10_row_shift", "kernel" + F32, SHARED + CONSTANT_TAPS),
    Rule("convolve/ladder/09_two_pass", "(columns|rows)" + F32, GLOBAL + CONSTANT_TAPS, NO_SHARED),
    Rule("convolve/ladder/frame", "each_frame_pixel", GLOBAL + [r"\bSTG\b"], NO_SHARED + TEXTURE),
    Rule("sobel/ladder/01_global", "kernel", GLOBAL, NO_SHARED),
    Rule("sobel/ladder/02_shared_no_apron", "kernel", SHARED + GLOBAL),
    Rule("sobel/ladder/03_shared_apron", "kernel", SHARED, counts=ONE_BARRIER),
    Rule("sobel/ladder/04_shared_1d", "kernel", SHARED, counts=ONE_BARRIER),
    Rule("sobel/ladder/frame", "each_frame_pixel", GLOBAL + [r"\bSTG\b"], NO_SHARED),
    Rule("log/ladder/01_two_pass", "(extend|apply_rule)", [r"\bSTG\b"], NO_SHARED),
    Rule("canny/ladder/01_global", "(gaussian|sobel)", GLOBAL + [r"\bSTG\b"], NO_SHARED),
    Rule("canny/ladder/02_row_cyclic", "(gaussian|sobel)", GLOBAL + SHARED),
    Rule("canny/ladder/10_row_shift", "(gaussian|sobel)", GLOBAL + SHARED),
    Rule("canny/ladder/stages", "(measure|suppress|compare)", GLOBAL + [r"\bSTG\b"], NO_SHARED),
    # Counted over the block, then one addition.
    Rule(
        "canny/ladder/03_bfs_launch", "step", GLOBAL + [r"\bBAR\.RED\.POPC\b", r"\b(RED|ATOM)G?\b"]
    ),
    Rule("canny/ladder/04_bfs_queue", "step", STEP_FROM_QUEUE, NO_SHARED),
    Rule(
        "canny/ladder/05_tile_flood",
        "flood",
        SHARED + [r"\bBAR\.RED\.OR\b", r"\bATOMG?\.E\.EXCH\b"],
    ),
    # The grid meets inside the kernel: what other blocks counted is read past the first-level cache.
    Rule(
        "canny/ladder/06_persistent",
        "all_steps",
        STEP_FROM_QUEUE + [r"\bLDG?\.E\.STRONG\.GPU\b", r"\bMEMBAR\b"],
    ),
    Rule(
        "canny/ladder/07_graph",
        "graph_step",
        STEP_FROM_QUEUE + [r"\bLDG?\.E\.STRONG\.GPU\b", r"\bMEMBAR\b"],
    ),
    # Reads that see other threads' links, and the compare-and-swap that makes one.
    Rule(
        "canny/ladder/08_union_find", "merge", [r"\bLDG?\.E\.STRONG\.GPU\b", r"\bATOMG?\.E\.CAS\b"]
    ),
    Rule("canny/ladder/09_runs", "pack", GLOBAL + [r"\bVOTE"], NO_SHARED),
    Rule("canny/ladder/nms_marks", "unpack", GLOBAL, NO_SHARED),
    Rule(
        "canny/ladder/queue",
        "collect",
        GLOBAL + [r"\bSHFL\.UP\b", r"\bATOMG?\.E\.ADD\b"],
        NO_SHARED,
    ),
    Rule("canny/ladder/hysteresis", "write", GLOBAL + [r"\bSTG\b"], NO_SHARED),
    Rule("label/ladder/01_union_find", "merge", [r"\bATOMG?\b.*\bCAS\b"], NO_SHARED),
    Rule("label/ladder/01_union_find", "gather", [r"\bREDG?\b|\bATOMG?\b", r"\bVOTE"], NO_SHARED),
    # Bodies of each_pixel. A block of pixels stays in registers.
    Rule(
        "label/ladder/02_blocks",
        r"each_pixel\w*5Merge",
        [r"\bATOMG?\b.*\bCAS\b"],
        NO_SHARED + [r"\b(LDL|STL)\b"],
    ),
    Rule(
        "label/ladder/02_blocks", r"each_pixel\w*8Compress", GLOBAL, NO_SHARED + [r"\b(LDL|STL)\b"]
    ),
    Rule("label/ladder/03_runs", r"each_pixel\w*4Init", [r"\bVOTE"], NO_SHARED),
    Rule("label/ladder/03_runs", r"each_pixel\w*5Merge", [r"\bATOMG?\b.*\bCAS\b"], NO_SHARED),
    Rule(
        "label/ladder/03_runs",
        r"each_pixel\w*6Gather",
        [r"\bREDG?\b|\bATOMG?\b", r"\bPOPC\b"],
        NO_SHARED,
    ),
    # Strategy `tiles`: sets in shared memory; only open ones and finished components beyond it.
    Rule(
        "label/tiles",
        "find_tile_sets",
        [r"\bATOMS\b.*\bCAS\b", r"\bPOPC\b", r"\bREDUX\b|\bCREDUX\b"],
        [r"\b(LDL|STL)\b"],
    ),
    Rule(
        "label/tiles",
        "join_seams",
        [r"\bATOMG?\b.*\bCAS\b", r"\bMATCH\b"],
        NO_SHARED + [r"\b(LDL|STL)\b"],
    ),
    Rule(
        "label/tiles",
        "merge_open_sets",
        [r"\bREDG?\b|\bATOMG?\b", r"\bSHFL\b"],
        NO_SHARED + [r"\b(LDL|STL)\b"],
    ),
    Rule("motion/ladder/01_v1_0", "(blur|morph)_global", GLOBAL, NO_SHARED + CONSTANT_WINDOW),
    Rule("motion/ladder/02_v1_1", "(blur|morph)_global", GLOBAL, NO_SHARED + CONSTANT_WINDOW),
    Rule("motion/ladder/03_v1_2", "(blur|morph)_tiled", SHARED + CONSTANT_WINDOW),
    Rule("motion/ladder/04_v1_3", "(blur|morph)_tiled", SHARED + CONSTANT_WINDOW),
    # A load a cell, none of them of an index.
    Rule("motion/ladder/05_v1_4", "(blur|morph)_unrolled", SHARED, CONSTANT_WINDOW),
    Rule("motion/ladder/05_v1_4", "blur_unrolledILi15E", SHARED, counts={r"\bLDS\.U8\b": 225}),
    Rule("motion/ladder/05_v1_4", "morph_unrolledILi7E", SHARED, counts={r"\bLDS\.U8\b": 149}),
    # 16 bytes from global to shared memory past the registers, and rows by the copy engine.
    Rule(
        "motion/ladder/06_v1_5",
        "(blur|morph)_buffered",
        [r"\bLDGSTS\.E\.BYPASS\.128\b", r"\bUBLKCP\b", r"\bSYNCS\b"],
        CONSTANT_WINDOW + [r"\b(LDL|STL)\b"],
    ),
    # A thread a pixel, and nothing shared.
    Rule("convolve/plain", "each_pixel", GLOBAL + [r"\bSTG\b"], NO_SHARED + TEXTURE),
    Rule("sobel/plain", "each_pixel", GLOBAL + [r"\bSTG\b"], NO_SHARED),
    Rule("log/plain", "each_pixel", GLOBAL + [r"\bSTG\b"], NO_SHARED),
    Rule(
        "boundaries/plain",
        r"each_pixel\w*plain_cu",
        GLOBAL + [r"\bSTG\b"],
        NO_SHARED,
    ),
    # Sums by dot products of bytes and of pairs.
    Rule("boundaries/tiles", "make_levels", [r"\bIDP\.4A\b", r"\bIDP\.2A\b"], [r"\b(LDL|STL)\b"]),
    Rule("boundaries/tiles", "make_scales", [r"\bIDP\.2A\b"], [r"\b(LDL|STL)\b"]),
    Rule("boundaries/tiles", "make_cues", [r"\bIDP\.2A\b"], [r"\b(LDL|STL)\b"]),
    Rule("boundaries/tiles", "mark_scored", [r"\bATOMS\b", r"\bFLO\b"]),
    Rule("boundaries/tiles", "find_masks", [r"\bIDP\.2A\b", r"\bSHFL\b"], [r"\b(LDL|STL)\b"]),
    # Figures of the whole picture.
    Rule(
        "boundaries/plain",
        r"each_pixel.*(6AddRow|8FindMost)I",
        GLOBAL + [r"\b(REDG?|ATOMG?)\b"],
        NO_SHARED,
    ),
    Rule("boundaries/plain", "JoinMarks", [r"\bATOMG?\b.*\bCAS\b"], NO_SHARED),
    Rule("median/plain", "median_samples", GLOBAL + [r"\bSTG\b"], NO_SHARED),
    Rule("morphology/plain", "each_pixel", GLOBAL + [r"\bSTG\b"], NO_SHARED),
    # Moves by shifts and by the multiplier; two steps are two warps, which meet at barriers of their own.
    Rule(
        "morphology/octagon_bits", "march_down", GLOBAL + [r"\bSHFL\b", r"\bSHF\b", r"\bIMAD\.HI\b"]
    ),
    Rule("morphology/octagon_bits", "march_down.*Li1EEEv", GLOBAL, NO_SHARED + [r"\b(LDL|STL)\b"]),
    Rule("morphology/octagon_bits", "march_down.*Li2EEEv", SHARED),
    # Of pictures whose rows are whole vectors nothing leaves the registers.
    Rule("morphology/octagon_samples", "strip_march", [r"\bVIMNMX3?\.U16x2\b", r"\bSHFL\b"]),
    Rule(
        "morphology/octagon_samples", "strip_march.*Lb1EEEv", [r"\bLDG\.E\.128"], [r"\b(LDL|STL)\b"]
    ),
    Rule(
        "morphology/rectangle",
        "(strip|rectangle)_march",
        [r"\bVIMNMX3?\.U16x2\b", r"\bSHFL\b"],
        [r"\b(LDL|STL)\b"],
    ),
    Rule("morphology/runs_bits", "take_bits", SHARED, [r"\b(LDL|STL)\b"]),
    Rule(
        "morphology/runs_samples",
        "take_samples",
        SHARED + [r"\bVIMNMX3?\.U16x2\b"],
        [r"\b(LDL|STL)\b"],
    ),
    Rule("pixel/plain", "each_pixel", GLOBAL + [r"\bSTG\b"], NO_SHARED),
    Rule("pixel/plain", "countIh", GLOBAL + [r"\bATOMS\b", r"\b(RED|ATOM)G?\b"]),
    # Tensor cores; taps from the constant bank where they are more than registers hold, none of them 0.
    Rule(
        "convolve/cuda/mma_separable",
        "mma_separable_kernel",
        [r"\bIMMA\b", r"\bUBLKCP\b", r"\bSYNCS\b"],
    ),
    Rule(
        "convolve/cuda/mma_long",
        "mma_long_kernel",
        [r"\bIMMA\.16832\b", r"\bUBLKCP\b", r"\bLDS\.128\b"],
    ),
    *(
        Rule(
            f"convolve/cuda/tiles_f32{part}",
            rf"tiles_f32_kernelILi({sides})ELi\dELb0E",
            CONSTANT_TAPS + [r"\bUBLKCP\b", r"\bLDS\.128\b"],
            [r"\b(LDL|STL)\b"],
        )
        for part, sides in {
            "": "5|7|9",
            "_wide": "11|13|15",
            "_of_3": "5|7|9",
            "_of_4": "5|7|9",
        }.items()
    ),
    Rule(
        "convolve/cuda/separable_f32",
        r"separable_f32_kernelILi\d+ELb0E",
        GLOBAL + CONSTANT_TAPS + [r"\bLDS\.128\b"],
    ),
    *(
        Rule(
            f"convolve/cuda/separable_f32_tiles{part}",
            "separable_f32_tiles_kernel",
            CONSTANT_TAPS + [r"\bUBLKCP\b", r"\bLDS\.128\b"],
            [r"\b(LDL|STL)\b"],
        )
        for part in ("", "_of_3", "_of_4")
    ),
    Rule("convolve/cuda/pairwise", "pairwise_march", GLOBAL + [r"\bLDS\.128\b", r"\bSHFL\b"]),
    Rule("convolve/cuda/pairwise_lines", "pairwise_(down|across)", GLOBAL + SHARED + [r"\bSHFL\b"]),
    # Production kernels keep everything in registers.
    Rule(
        "canny/cuda/nms",
        r"gradient_nmsILi\dELi\dELNS_4NormE\dELb0",
        [r"\bSHFL\b", r"\bPRMT\b"],
        NO_SHARED,
    ),
    Rule(
        "canny/cuda/nms",
        r"gradient_nms_marchINS\d?_4Lane",
        [r"\bHADD2\b", r"\bHFMA2\b", r"\bSHFL\b"],
        [r"\b(LDL|STL)\b"],
    ),
    Rule(
        "canny/cuda/nms",
        r"gradient_nms_marchINS\d?_9ColorLane",
        [r"\bHADD2\b", r"\bPRMT\b", r"\bSHFL\b"],
        [r"\b(LDL|STL)\b"],
    ),
    Rule(
        "canny/cuda/nms",
        r"gradient_nms_marchINS\d?_10canny_wide4LaneILNS\d?_4NormE\dEEELb0",
        [r"\bFFMA\b", r"\bSHFL\b"],
        NO_SHARED,
    ),
    # Bins in shared memory.
    Rule("canny/cuda/count", "count_columns", GLOBAL + [r"\bATOMS\b"], [r"\b(LDL|STL)\b"]),
    Rule(
        "convolve/cuda/running",
        "running_sums",
        [r"\bSHFL\b", r"\bLDS\.128\b", r"\bSTS\.128\b"],
        [r"\b(LDL|STL)\b"],
    ),
    Rule("log/sums", "log_of_sums", [r"\bLDG\.E\.128"], NO_SHARED),
    Rule(
        "canny/cuda/tile_front",
        "tile_front",
        [r"\bLDS\b", r"\bVOTE"],
        [r"\b(LDL|STL)\b"],
    ),
    Rule(
        "canny/cuda/hysteresis", "resolve", [r"\bSHFL\b", r"\bVOTE", r"\bLDS\b"], [r"\b(LDL|STL)\b"]
    ),
    Rule("canny/cuda/hysteresis", "join_tiles", [r"\bATOMG?\.E\.CAS\b"], NO_SHARED),
    Rule("canny/ladder/09_runs", "flood", [r"\bSHFL\b", r"\bVOTE\b"], NO_SHARED),
    Rule("canny/ladder/09_runs", "merge", [r"\bATOMG?\.E\.CAS\b"]),
    Rule("sobel/cuda", "sobel_fused", GLOBAL, NO_SHARED),
    # Integers by fp16 instructions, products by the tensor cores, and vectors of 16 bytes.
    Rule(
        "sobel/pairs",
        "sobel_pairs",
        [r"\bHADD2\b", r"\bUBLKCP\b", r"\bSYNCS\b", r"\bSTG\.E\.128\b"],
        [r"\b(LDL|STL)\b"],
    ),
    Rule(
        "sobel/tensor",
        "sobel_tensor",
        [r"\bIMMA\.16832\b", r"\bIMMA\.16816\b", r"\bUBLKCP\b", r"\bSYNCS\b"],
        [r"\b(LDL|STL)\b"],
    ),
    Rule("sobel/march", "sobel_marchIh", [r"\bFADD\b"], NO_SHARED),
    Rule(
        "sobel/tiles",
        "sobel_tilesILi[35]E",
        [r"\bFFMA\b", r"\bUBLKCP\b", r"\bLDS\.128\b"],
        [r"\b(LDL|STL)\b"],
    ),
    Rule("pixel/vectors", "pixel_vectors", GLOBAL + [r"\bSTG\b"], NO_SHARED + [r"\b(LDL|STL)\b"]),
    Rule("pixel/vectors", "pixel_vectors.*4GrayIh", [r"\bIDP\.2A\b"]),
    Rule("pixel/vectors", "count_bytes", [r"\bATOMS\b", r"\b(RED|ATOM)G?\b"]),
    Rule(
        "median/cuda", "median_strips.*Median[35]", [r"\bVIMNMX3?\.U16x2\b", r"\bIMAD\b"], NO_SHARED
    ),
    # Exchanges of bytes on the pipe of fp16 pairs.
    Rule("median/cuda", "median_strips.*Median5INS.*PairingIh", [r"\bHADD2\b"], [r"\b(LDL|STL)\b"]),
    Rule("median/cuda", "median_columns", [r"\bVIMNMX\b"], NO_SHARED + [r"\b(LDL|STL)\b"]),
    Rule(
        "median/networks",
        "median_networks",
        SHARED + [r"\bVIMNMX3?\.U16x2\b"],
        [r"\b(LDL|STL)\b"],
    ),
    Rule("median/networks", "median_networksIh", [r"\bHADD2\b"]),
    # Addresses by dot products; ranks by sums of absolute differences. A warp needs no barrier.
    Rule(
        "median/lanes",
        "median_lanes",
        [r"\bATOMS\.ADD\b", r"\bIDP\.4A\b", r"\bVABSDIFF4\b"],
        [r"\bBAR\b", r"\b(LDL|STL)\b"],
    ),
    Rule(
        "median/ranks",
        "median_rank",
        SHARED + [r"\bATOMS\b", r"\bVOTE", r"\bBAR\b"],
        [r"\b(LDL|STL)\b"],
    ),
    Rule("median/ranks", "median_refine", [r"\bLDG\.E\.128"], NO_SHARED + [r"\b(LDL|STL)\b"]),
    # Matrices of bytes, from tiles that the copy engine brings.
    *(
        Rule(
            f"convolve/cuda/{file}",
            "stencil",
            [r"\bIMMA\.16832\b", r"\bUBLKCP\b", r"\bSYNCS\b"],
            [r"\b(LDL|STL)\b"],
        )
        for file in ("tensor", "tensor_two_planes", "tensor_words")
    ),
    Rule(
        "convolve/cuda/tensor_wide",
        "wide_stencil",
        [r"\bIMMA\.16832\b", r"\bUBLKCP\b", r"\bSYNCS\b"],
        [r"\b(LDL|STL)\b"],
    ),
    *(
        Rule(
            f"convolve/cuda/tensor_rows{part}",
            "row_stencil",
            [r"\bIMMA\.16832\b", r"\bUBLKCP\b", r"\bSYNCS\b"],
            [r"\b(LDL|STL)\b"],
        )
        for part in ("", "_of_planes", "_of_words")
    ),
    Rule(
        "log/tensor",
        "log_crossings",
        [r"\bIMMA\.16832\b", r"\bUBLKCP\b", r"\bVIADDMNMX\.U16x2\b"],
        [r"\b(LDL|STL)\b"],
    ),
    Rule(
        "log/tensor",
        "stencil",
        [r"\bIMMA\.16832\b", r"\bUBLKCP\b", r"\bSYNCS\b"],
        [r"\b(LDL|STL)\b"],
    ),
    Rule("log/mma_separable", "log_products", [r"\bIMMA\.16832\b", r"\bUBLKCP\b", r"\bSYNCS\b"]),
    Rule("log/cuda", "log_marchILb1E", [r"\bFADD\b", r"\bPRMT\b"], [r"\b(LDL|STL)\b"]),
]


def functions_of(text):
    """Mangled name to code, of cuobjdump -sass."""
    found, name = {}, None
    for line in text.splitlines():
        header = re.match(r"\s*Function : (\S+)", line)
        if header:
            name = header.group(1)
            found.setdefault(name, [])
        elif name and (code := re.match(r"\s+/\*[0-9a-f]{4,}\*/(.*)", line)):
            found[name].append(code.group(1))
    return {name: "\n".join(lines) for name, lines in found.items()}


def disassemble(cuobjdump, path):
    run = subprocess.run([cuobjdump, "-sass", str(path)], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"cuobjdump -sass {path}: {run.stderr.strip()}")
    return functions_of(run.stdout)


def judge(rules, file, functions):
    """Problems of one object file; `file` as in the rules."""
    problems = []
    for rule in rules:
        if rule.file != file:
            continue
        # The name of the kernel follows the length of it in the mangled name.
        named = {n: c for n, c in functions.items() if re.search(r"\d" + rule.function, n)}
        if not named:
            problems.append(f"{file}: no function matches {rule.function}")
        for name, code in named.items():
            problems += rule.check(name, code)
    return problems


def check_objects(cuobjdump, folder):
    objects = {}
    sources = pathlib.Path(__file__).resolve().parents[2] / "src/ops"
    for path in sorted(pathlib.Path(folder).glob("**/*.cu.o")):
        name = str(path.relative_to(folder)).removesuffix(".cu.o")
        if (sources / f"{name}.cu").exists():  # else it is left of an earlier build
            objects[name] = path
    ruled = {rule.file for rule in RULES}
    problems = [f"{f}: has rules but no object" for f in sorted(ruled - set(objects))]
    problems += [
        f"{f}: a rung without a rule; say in {pathlib.Path(__file__).name} what its machine code shows"
        for f in sorted(set(objects) - ruled)
        if "/ladder/" in f
    ]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        files = [f for f in sorted(ruled) if f in objects]
        for file, functions in zip(
            files, pool.map(lambda f: disassemble(cuobjdump, objects[f]), files)
        ):
            found = judge(RULES, file, functions)
            print(f"{'FAILED' if found else 'ok':7}{file}, {len(functions)} functions")
            problems += found
    return problems


def check_architectures(cuobjdump, library, wanted):
    """`wanted` as CMAKE_CUDA_ARCHITECTURES."""
    listing = subprocess.run(
        [cuobjdump, "--list-elf", library], capture_output=True, text=True, check=True
    ).stdout
    have = set(re.findall(r"sm_(\d+)", listing))
    want = {a.split("-")[0] for a in wanted.split(";") if not a.endswith("-virtual")}
    print(f"architectures in {library}: {', '.join(sorted(have, key=int)) or 'none'}")
    return [] if have == want else [f"{library}: holds {sorted(have)}, built for {sorted(want)}"]


def self_test():
    """Faults that must be found."""
    naive = RULES[0]
    good = "LDG.E R1, [R2] ;\nFFMA R3, R1, R4, R3 ;"
    assert naive.check("f", good) == []
    assert naive.check("f", good + "\nLDS R1, [R2] ;"), "a shared load in naive"
    assert naive.check("f", good + "\nFFMA R3, R1, c[0x0][0x280], R3 ;"), "a constant tap in naive"
    assert naive.check("f", "FFMA R3, R1, R4, R3 ;"), "naive without a global load"
    once = Rule("f", "kernel", [], counts=ONE_BARRIER)
    assert once.check("f", "BAR.SYNC 0x0 ;") == []
    assert once.check("f", "BAR.SYNC 0x0 ;\nBAR.SYNC 0x0 ;"), "a second barrier"
    assert judge(RULES, naive.file, {"_Z3fooIf": good}), "a kernel that is gone"
    assert functions_of("\t\tFunction : f\n  /*0000*/  LDS R1 ;\n") == {"f": "  LDS R1 ;"}
    print("self-test passed")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cuobjdump", default="cuobjdump")
    parser.add_argument("--objects")
    parser.add_argument("--library")
    parser.add_argument("--architectures")
    parser.add_argument("--self-test", action="store_true")
    args = parser.parse_args()
    if args.self_test:
        return self_test()
    # cuobjdump calls nvdisasm by name.
    os.environ["PATH"] = f"{pathlib.Path(args.cuobjdump).parent}:{os.environ['PATH']}"
    problems = check_objects(args.cuobjdump, args.objects) + check_architectures(
        args.cuobjdump, args.library, args.architectures
    )
    for problem in problems:
        print(problem, file=sys.stderr)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Includes point one way:

    include <- core <- {cpu, cuda} <- ops/shared <- ops <- {verify, io} <- {bench, cli}
                                              {bench, cli} <- {bench/main.cpp, tests}; cli <- apps
                 core <- {track, lines} <- {cli, python, tests}
                 include <- c <- tests
                                              {verify, io} <- {python, fuzz}
    bench:  peers <- engine <- {report, cuda, works <- {papers <- model, production, video}} <- bench.hpp, run.cpp, cpu.cpp

Public headers include public headers alone, and those of files (cuesta/io.hpp, cuesta/io/) and recipes (cuesta/recipes/) are of the layers io and
recipes. Operations meet only through public headers, the descriptions of their options, and ops/shared, the arithmetic that several of them use. Nothing but an
operation's own table sees its ladder/, and each library we build on is included only where it belongs. `check_layers.py ROOT` prints every line that breaks a
rule; `--self-test` plants one breach of each rule in a scratch tree and wants it found.
"""

import re
import sys
import tempfile
from pathlib import Path

SUFFIXES = {".hpp", ".cpp", ".cu", ".cuh", ".h"}
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')

# The first folder of a quoted include -> what a layer may name.
ALLOWED = {
    "include": {"cuesta"},
    "include/io": {"cuesta"},
    "include/recipes": {"cuesta"},
    "core": {"cuesta", "core"},
    "cpu": {"cuesta", "core", "cpu"},
    "cuda": {"cuesta", "core", "cuda"},
    "ops": {"cuesta", "core", "cpu", "cuda", "ops"},
    "ops/shared": {"cuesta", "core", "cpu", "cuda", "ops"},
    "track": {"cuesta", "core", "track"},
    "lines": {"cuesta", "core", "lines"},
    "recipes": {"cuesta", "core", "ops", "lines", "track", "recipes"},
    "c": {"cuesta", "c"},
    "verify": {"cuesta", "core", "verify", "ops"},
    "io": {"cuesta", "core", "recipes", "io"},
    "bench": {"cuesta", "core", "ops", "verify", "io", "bench"},
    "bench/cuda": {"cuesta", "core", "cuda", "bench"},
    "bench/main.cpp": {"cuesta", "verify", "io", "bench", "cli"},
    "cli": {
        "cuesta",
        "core",
        "ops",
        "track",
        "lines",
        "recipes",
        "verify",
        "io",
        "cli",
    },
    "apps": {"cuesta", "core", "ops", "track", "lines", "recipes", "io", "cli", "apps"},
    "python": {"cuesta", "core", "ops", "track", "lines", "recipes", "verify", "io", "python"},
    "fuzz": {"cuesta", "core", "cpu", "ops", "verify", "io", "lines", "cli", "apps", "fuzz"},
    "tests": {
        "cuesta",
        "core",
        "cpu",
        "cuda",
        "ops",
        "track",
        "lines",
        "recipes",
        "verify",
        "io",
        "bench",
        "cli",
        "apps",
        "c",
        "support",
        "emulated",
        "fuzz",
    },
}

# The same within bench: its folder -> the folders of bench that it may name.
BENCH = {
    "peers": {"peers"},
    "engine": {"engine", "peers"},
    "cuda": {"engine", "cuda"},
    "report": {"engine", "report"},
    "works": {"engine", "peers", "works"},
    "papers": {"engine", "peers", "works", "papers"},
    "model": {"engine", "peers", "works", "papers", "model"},
    "production": {"engine", "peers", "works", "production"},
    "video": {"engine", "peers", "works", "video"},
    "profile": {"engine", "works", "papers", "model", "production", "profile"},
}

# Files that see every operation's Args: the one list of them, and verify's fold over it.
SEES_EVERY_OPERATION = re.compile(r"^src/(ops/operations\.[ch]pp|verify/operations\.cpp)$")

# What operations share besides the public headers and core.
SHARED = re.compile(r"^ops/(shared/|ladder_parameters\.hpp$)")

# What there is to say of an operation's options: for its entry, for other descriptions, for the faces.
DESCRIPTION = re.compile(r"^ops/[^/]+/options\.hpp$")

# How many headers of src/ the interfaces may include. Lower it with what was reached.
PRIVATE_HEADERS = 11

# Public headers of a layer above the core, and the layers that may include them.
PUBLIC = [
    (
        re.compile(r"^cuesta/io(\.hpp$|/)"),
        {"include/io", "io", "bench", "bench/main.cpp", "cli", "apps", "python", "fuzz", "tests"},
        "files",
    ),
    (
        re.compile(r"^cuesta/recipes/"),
        {
            "include/io",
            "include/recipes",
            "recipes",
            "io",
            "cli",
            "apps",
            "python",
            "fuzz",
            "tests",
        },
        "recipes",
    ),
]

# cuesta-bench's verbs, which are of the command's layer.
VERBS_OF_BENCH = r"^bench/(main|explain_ladder)\.[ch]pp$"

# Libraries, and the paths that may include them.
LIBRARIES = [
    (re.compile(r"^hwy/"), re.compile(r"^src/(cpu|ops)/|^src/core/cpu_probe\.cpp$"), "Highway"),
    (
        re.compile(r"^(oneapi/)?tbb/"),
        re.compile(r"^src/core/threads\.cpp$|^tests/core/test_stages\.cpp$"),
        "oneTBB",
    ),
    (re.compile(r"^(vips/|glib)"), re.compile(r"^src/io/"), "libvips"),
    (re.compile(r"^lib(av|sw)[a-z]+/"), re.compile(r"^(src/io|tests|fuzz)/"), "FFmpeg's libraries"),
    (
        re.compile(r"^(cuda|cub/|thrust/|cooperative_groups|mma\.h|npp)"),
        re.compile(
            r"^src/cuda/|^src/ops/.*\.(cu|cuh)$|\.cu$|^bench/cuda/|^bench/peers/peer_npp|^tests/attack/fault_cuda"
            r"|^tests/docs/record_"
        ),
        "CUDA",
    ),
    (re.compile(r"^nvtx3/"), re.compile(r"^bench/profile/"), "NVTX"),
    (
        re.compile(r"^opencv2/"),
        re.compile(r"^(tests|bench/peers/peer_)|^include/cuesta/opencv\.hpp$"),
        "OpenCV",
    ),
    (re.compile(r"^CLI/"), re.compile(rf"^(cli|apps|tests|fuzz)/|{VERBS_OF_BENCH}"), "CLI11"),
    (
        re.compile(r"^nlohmann/"),
        re.compile(r"^(cli|apps|bench|tests|fuzz|src/io)/"),
        "nlohmann-json",
    ),
    (re.compile(r"^toml\+\+/"), re.compile(r"^cli/"), "toml++"),
    (re.compile(r"^mosquitto"), re.compile(r"^apps/watch/broker\.cpp$"), "libmosquitto"),
    (re.compile(r"^httplib\.h"), re.compile(r"^apps/web/server\.cpp$"), "cpp-httplib"),
    (re.compile(r"^nanobind/"), re.compile(r"^python/src/"), "nanobind"),
    (re.compile(r"^fmt/"), re.compile(r"^(src|cli|apps|bench|python|tests|fuzz)/"), "fmt"),
    (re.compile(r"^(gtest|gmock|rapidcheck)"), re.compile(r"^tests/"), "the test libraries"),
]


def layer_of(path):
    parts = path.split("/")
    if re.match(VERBS_OF_BENCH, path):
        return "bench/main.cpp"
    if path.startswith("bench/cuda/"):
        return "bench/cuda"
    if path.startswith("src/ops/shared/"):
        return "ops/shared"
    public = re.match(r"include/cuesta/(io|recipes)/|include/cuesta/(io)\.hpp$", path)
    if public:
        return f"include/{public[1] or public[2]}"
    return parts[1] if parts[0] == "src" else parts[0]


def breach(path, bracket, target):
    """Why `path` may not include `target`, or None."""
    layer = layer_of(path)
    rung = re.match(r"^ops/([^/]+)/ladder/", target)
    if rung:
        # Only the rungs themselves, the table that names them, and tests of their arithmetic.
        home = rf"^src/ops/{rung[1]}/(ladder/|strategies\.cpp$)|^tests/"
        return None if re.match(home, path) else "nothing uses ladder/"
    if bracket == "<":
        for pattern, home, name in LIBRARIES:
            if pattern.match(target) and not home.match(path):
                return f"{name} is not included here"
        return None
    if layer.startswith("include") and not target.startswith("cuesta/"):
        return "public headers include public headers alone"
    if "/" not in target:
        return None  # made by the build for this folder alone
    first = target.split("/")[0]
    if first not in ALLOWED[layer]:
        return f"{layer} does not include {first}"
    for pattern, layers, name in PUBLIC:
        if pattern.match(target) and layer not in layers:
            return f"{layer} does not include the public headers of {name}"
    folders = BENCH.get(path.split("/")[1]) if path.startswith("bench/") else None
    if first == "bench" and folders is not None and target.split("/")[1] not in folders:
        return f"{'/'.join(path.split('/')[:2])} does not include {target}"
    ours = {"web", path.split("/")[1]}  # the server of pages is for every component
    if layer == "apps" and first == "apps" and target.split("/")[1] not in ours:
        return "components do not include each other"
    if layer == "ops/shared":
        if first == "ops" and not target.startswith("ops/shared/"):
            return f"ops/shared knows no operation, not {target}"
    elif layer == "ops":
        # cases.cpp belongs to verify; it lives beside the operation it asks.
        if first == "ops" and not SEES_EVERY_OPERATION.match(path):
            own = "/".join(path.split("/")[1:3]) + "/"
            described = DESCRIPTION.match(target) and DESCRIPTION.match(path.removeprefix("src/"))
            if not target.startswith(own) and not SHARED.match(target) and not described:
                return f"operations meet only through public headers, not {target}"
    elif layer in ("python", "recipes") and first == "ops" and not DESCRIPTION.match(target):
        return f"{layer} sees the descriptions of operations' options alone"
    elif layer == "verify" and first == "ops":
        if not SEES_EVERY_OPERATION.match(path) and not DESCRIPTION.match(target):
            return "verify sees operations in its list, and the descriptions of their options"
    return None


def allowed_case_file(path, target):
    """`cases.cpp` is compiled into the verify layer."""
    return re.match(r"^src/ops/[^/]+/cases\.cpp$", path) and target.startswith("verify/")


def sources(root):
    for top in ("include", "src", "cli", "apps", "bench", "python", "fuzz", "tests"):
        for file in sorted((root / top).rglob("*")):
            if file.suffix in SUFFIXES:
                yield file


def check(root):
    breaches, files = [], 0
    for file in sources(root):
        path = file.relative_to(root).as_posix()
        if layer_of(path) not in ALLOWED:
            breaches.append(f"{path}: no rule knows the layer '{layer_of(path)}'")
            continue
        files += 1
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            if not match or allowed_case_file(path, match[2]):
                continue
            why = breach(path, match[1], match[2])
            if why:
                breaches.append(f"{path}:{number}: {match[2]}: {why}")
    return breaches + private_headers(root) + asked_in_vain(root) + headless_pages(
        root
    ) + stale_guards(root), files


def private_headers(root):
    """Headers of src/ that the interfaces include: there are at most PRIVATE_HEADERS of them."""
    used = set()
    for folder in ("cli", "apps", "python/src"):
        for file in (root / folder).rglob("*"):
            if file.suffix not in SUFFIXES:
                continue
            for line in file.read_text(encoding="utf-8").splitlines():
                match = INCLUDE.match(line)
                if match and match[1] == '"' and (root / "src" / match[2]).exists():
                    used.add(match[2])
    if len(used) <= PRIVATE_HEADERS:
        return []
    return [
        f"cli, apps and python/src include {len(used)} headers of src/, at most {PRIVATE_HEADERS} "
        f"are allowed: {', '.join(sorted(used))}"
    ]


def asked_in_vain(root):
    """FFmpeg's libraries that CMake wants and no source includes."""
    list_of_all = root / "cmake" / "CuestaDependencies.cmake"
    if not list_of_all.exists():
        return []
    wanted = re.findall(
        r"\blib(?:av|sw)[a-z]+\b",
        "".join(re.findall(r"pkg_check_modules\(libav [^)]*", list_of_all.read_text())),
    )
    text = "".join(
        file.read_text(encoding="utf-8")
        for file in sources(root)
        if file.is_relative_to(root / "src" / "io")
    )
    return [
        f"{list_of_all.relative_to(root)}: {name} is asked for and never included"
        for name in wanted
        if f"#include <{name}/" not in text
    ]


def guard_of(path):
    """The guard of a header that Highway compiles once for each instruction set: CUESTA_, its operation or layer, its name."""
    folders = [part for part in path.split("/")[:-1] if part not in ("src", "ops")]
    return (
        "_".join(["CUESTA", folders[0], path.split("/")[-1]])
        .upper()
        .replace("-", "_")
        .replace(".", "_")
    )


def stale_guards(root):
    breaches = []
    for file in sources(root):
        path = file.relative_to(root).as_posix()
        if not path.endswith("-inl.hpp"):
            continue
        for name in sorted(
            set(re.findall(r"\bCUESTA_\w+_INL_HPP\b", file.read_text(encoding="utf-8")))
        ):
            if name != guard_of(path):
                breaches.append(f"{path}: its guard is {name} instead of {guard_of(path)}")
    return breaches


def headless_pages(root):
    return [
        f"{page.relative_to(root)}: begins '{first}', not '# {page.parent.name}'"
        for page in sorted(root.glob("src/ops/*/README.md"))
        if (first := page.read_text(encoding="utf-8").split("\n")[0]) != f"# {page.parent.name}"
    ]


PLANTED = [
    ("include/cuesta/a.hpp", '#include "core/check.hpp"'),
    ("include/cuesta/a.hpp", '#include "check.hpp"'),
    ("include/cuesta/a.hpp", '#include "cuesta/io/frames.hpp"'),
    ("include/cuesta/a.hpp", '#include "cuesta/io.hpp"'),
    ("include/cuesta/a.hpp", '#include "cuesta/recipes/edges.hpp"'),
    ("include/cuesta/io/a.hpp", '#include "io/formats.hpp"'),
    ("include/cuesta/recipes/a.hpp", '#include "core/options.hpp"'),
    ("include/cuesta/recipes/a.hpp", '#include "cuesta/io/picture.hpp"'),
    ("src/core/a.cpp", '#include "cuesta/io/stop.hpp"'),
    ("src/recipes/a.cpp", '#include "cuesta/io/picture.hpp"'),
    ("src/ops/canny/canny.cpp", '#include "cuesta/recipes/edges.hpp"'),
    ("include/cuesta/a.hpp", "#include <hwy/highway.h>"),
    ("include/cuesta/a.hpp", "#include <cuda_runtime.h>"),
    ("include/cuesta/io.hpp", "#include <opencv2/core.hpp>"),
    ("include/cuesta/io.hpp", "#include <libavformat/avformat.h>"),
    ("src/core/a.cpp", '#include "io/pictures.hpp"'),
    ("src/core/a.cpp", '#include "ops/operations.hpp"'),
    ("src/cuda/a.cpp", '#include "ops/operations.hpp"'),
    ("src/core/a.cpp", '#include "ops/shared/otsu.hpp"'),
    ("src/cuda/a.cuh", '#include "ops/shared/gradient.hpp"'),
    ("src/ops/shared/a.hpp", '#include "ops/sobel/args.hpp"'),
    ("src/ops/shared/a.hpp", '#include "ops/sobel/options.hpp"'),
    ("src/ops/shared/a.cpp", '#include "verify/verify.hpp"'),
    ("src/ops/canny/canny.cpp", '#include "ops/operations.hpp"'),
    ("src/ops/canny/cuda.cu", '#include "ops/canny/ladder/ladder.hpp"'),
    ("src/core/a.cpp", "#include <oneapi/tbb/parallel_for.h>"),
    ("src/core/stages.cpp", "#include <oneapi/tbb/global_control.h>"),
    ("src/ops/convolve/cpu/pairs-inl.hpp", "#define CUESTA_CPU_PAIRS_INL_HPP"),
    ("src/cpu/a.hpp", '#include "ops/sobel/args.hpp"'),
    ("src/ops/canny/cpu.cpp", '#include "ops/label/args.hpp"'),
    ("src/ops/canny/cpu.cpp", '#include "verify/verify.hpp"'),
    ("src/ops/canny/cpu.cpp", "#include <oneapi/tbb/parallel_for.h>"),
    ("src/ops/canny/canny.cpp", '#include "ops/canny/ladder/01_naive.cuh"'),
    ("src/ops/canny/cuda.cu", '#include "ops/convolve/ladder/ladder.hpp"'),
    ("src/ops/canny/canny.cpp", "#include <opencv2/core.hpp>"),
    ("src/verify/harness.cpp", '#include "ops/sobel/args.hpp"'),
    ("src/verify/harness.cpp", '#include "io/pictures.hpp"'),
    ("src/track/a.cpp", '#include "ops/motion/options.hpp"'),
    ("src/lines/a.cpp", '#include "ops/canny/args.hpp"'),
    ("src/c/edges.cpp", '#include "core/check.hpp"'),
    ("src/ops/motion/motion.cpp", '#include "track/selection.hpp"'),
    ("src/io/a.cpp", '#include "ops/sobel/args.hpp"'),
    ("cli/main.cpp", "#include <vips/vips8>"),
    ("cli/bench.cpp", '#include "bench/bench.hpp"'),
    ("cli/detecting.cpp", '#include "apps/watch/lists.hpp"'),
    ("apps/watch/lists.cpp", '#include "apps/tune/code.hpp"'),
    ("apps/web/server.cpp", '#include "apps/watch/lists.hpp"'),
    ("bench/run.cpp", '#include "cli/common.hpp"'),
    ("bench/cpu.cpp", "#include <opencv2/core.hpp>"),
    ("src/track/a.cpp", "#include <toml++/toml.h>"),
    ("bench/engine/measure.cpp", "#include <cuda_runtime_api.h>"),
    ("bench/engine/measure.cpp", '#include "cuda/check.hpp"'),
    ("bench/engine/measure.cpp", '#include "bench/report/table.hpp"'),
    ("bench/engine/session.hpp", '#include "bench/bench.hpp"'),
    ("bench/report/report.cpp", '#include "bench/papers/formulas.hpp"'),
    ("bench/papers/roofline.cpp", '#include "bench/report/table.hpp"'),
    ("bench/works/edges.cpp", '#include "bench/papers/canny.hpp"'),
    ("python/src/info.cpp", '#include "bench/bench.hpp"'),
    ("python/src/info.cpp", '#include "ops/canny/args.hpp"'),
    ("src/ops/canny/canny.cpp", '#include "ops/sobel/options.hpp"'),
    ("src/cuda/device.cpp", "#include <nvtx3/nvtx3.hpp>"),
    ("cmake/CuestaDependencies.cmake", "pkg_check_modules(libav IMPORTED_TARGET libavfilter)"),
    ("src/ops/canny/README.md", "#canny"),
]

HARMLESS = [
    ("src/ops/canny/cpu.cpp", '#include "ops/canny/args.hpp"'),
    ("src/ops/canny/cpu.cpp", '#include "ops/shared/gradient.hpp"'),
    ("src/ops/shared/lanes.cuh", '#include "cuda/launch.cuh"'),
    ("src/ops/shared/lanes.cuh", '#include "ops/shared/gradient.hpp"'),
    ("src/ops/canny/options.hpp", '#include "ops/sobel/options.hpp"'),
    ("python/src/info.cpp", '#include "ops/canny/options.hpp"'),
    ("src/ops/canny/strategies.cpp", '#include "ops/canny/ladder/ladder.hpp"'),
    ("src/ops/canny/cases.cpp", '#include "verify/verify.hpp"'),
    ("src/ops/operations.cpp", '#include "ops/operations.hpp"'),
    ("src/ops/operations.hpp", '#include "ops/canny/args.hpp"'),
    ("src/core/threads.cpp", "#include <oneapi/tbb/parallel_for.h>"),
    ("src/ops/convolve/cpu/pairs-inl.hpp", "#define CUESTA_CONVOLVE_PAIRS_INL_HPP"),
    ("src/cpu/bits-inl.hpp", "#define CUESTA_CPU_BITS_INL_HPP"),
    ("src/io/a.cpp", "#include <libavformat/avformat.h>"),
    ("src/io/a.cpp", '#include "cuesta/io/frames.hpp"'),
    ("include/cuesta/io/a.hpp", '#include "cuesta/recipes/recipe.hpp"'),
    ("include/cuesta/io.hpp", '#include "cuesta/edges.hpp"'),
    ("src/c/a.cpp", '#include "cuesta/recipes.hpp"'),
    ("bench/profile/a.cpp", "#include <nvtx3/nvtx3.hpp>"),
    ("include/cuesta/opencv.hpp", "#include <opencv2/core.hpp>"),
    ("bench/papers/roofline.cpp", '#include "bench/works/edges.hpp"'),
    ("bench/run.cpp", '#include "bench/report/table.hpp"'),
    ("bench/main.cpp", '#include "cli/common.hpp"'),
    ("bench/peers/peer_opencv.cpp", "#include <opencv2/core.hpp>"),
    ("tests/ops/a.cpp", '#include "ops/canny/reference.hpp"'),
    ("src/ops/canny/README.md", "# canny"),
]


def self_test():
    failures = []
    for expected, plants in ((1, PLANTED), (0, HARMLESS)):
        for path, line in plants:
            with tempfile.TemporaryDirectory() as scratch:
                file = Path(scratch) / path
                file.parent.mkdir(parents=True)
                file.write_text(line + "\n", encoding="utf-8")
                found = len(check(Path(scratch))[0])
                if found != expected:
                    failures.append(f"{path}: {line}: {found} breaches instead of {expected}")
    return failures


def main():
    if sys.argv[1:] == ["--self-test"]:
        problems, looked_at = self_test(), f"{len(PLANTED) + len(HARMLESS)} planted lines"
    elif len(sys.argv) == 2:
        problems, files = check(Path(sys.argv[1]))
        looked_at = f"{files} files"
        if files < 20:
            problems.append(f"only {files} files under {sys.argv[1]}: not the source tree")
    else:
        sys.exit("usage: check_layers.py ROOT | --self-test")
    for problem in problems:
        print(problem)
    print(f"{looked_at}, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

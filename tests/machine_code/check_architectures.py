#!/usr/bin/env python3
"""Whether every CUDA source compiles for the oldest GPU that releases are built for. A build for one newer GPU does not
tell: an instruction that came later and stands under no #if compiles there.

    check_architectures.py --build BUILD --architecture 75
    check_architectures.py --build BUILD --self-test

Of each file that BUILD/compile_commands.json has for nvcc the device code is made, unoptimised, and thrown away: about
a second a file. ptxas does not run, so what a kernel may take of registers and shared memory is not looked at.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

OUTPUT = {
    "-MT": 2,
    "-MF": 2,
    "-o": 2,
    "-x": 2,
    "-MD": 1,
    "-c": 1,
}  # options that say what comes out, and their words


def device_code(command, source, architecture):
    """The words of a command that makes PTX of `source` as `command` makes an object."""
    words = shlex.split(command)
    while "nvcc" not in pathlib.Path(words[0]).name:  # ccache
        words.pop(0)
    kept = []
    i = 0
    while i < len(words):
        word = words[i]
        if word in OUTPUT:
            i += OUTPUT[word]
        else:
            if not word.startswith(
                ("--generate-code", "-gencode", "-arch", "--gpu-architecture")
            ) and not word.endswith(".cu"):
                kept.append(word)
            i += 1
    return [
        *kept,
        "-x",
        "cu",
        "-ptx",
        f"-arch=compute_{architecture}",
        "-Xcicc",
        "-O0",
        str(source),
        "-o",
        os.devnull,
    ]


def failure(entry, architecture, source=None):
    """What nvcc says, empty where it makes code."""
    done = subprocess.run(
        device_code(entry["command"], source or entry["file"], architecture),
        cwd=entry["directory"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return (
        f"{source or entry['file']}: exit {done.returncode}\n{done.stdout}"
        if done.returncode
        else ""
    )


def self_test(entry, architecture):
    """An instruction that came with 8.0 must be refused, and taken under its condition."""
    planted = "__global__ void sum(unsigned* v) {\n%s *v = __reduce_add_sync(~0u, *v);\n%s}\n"
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "planted.cu")
        source.write_text(planted % ("", ""))
        refused = failure(entry, architecture, source)
        source.write_text(planted % ("#if __CUDA_ARCH__ >= 800\n", "#endif\n"))
        taken = failure(entry, architecture, source)
    if "__reduce_add_sync" not in refused or taken:
        sys.exit(
            f"planted instruction: {refused or 'compiled for ' + architecture}\nunder its condition: {taken or 'compiled'}"
        )
    print(f"the planted instruction is refused for {architecture}, and taken under its condition")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--architecture", default="75")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    commands = json.loads((arguments.build / "compile_commands.json").read_text(encoding="utf-8"))
    entries = [entry for entry in commands if entry["file"].endswith(".cu")]
    if not entries:
        sys.exit(f"{arguments.build}/compile_commands.json has no CUDA source")
    if arguments.self_test:
        return self_test(entries[0], arguments.architecture)
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        failures = [
            said
            for said in pool.map(lambda entry: failure(entry, arguments.architecture), entries)
            if said
        ]
    print(*failures, sep="\n")
    print(
        f"{len(entries)} CUDA sources for compute capability {arguments.architecture}: {len(failures)} do not compile"
    )
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()

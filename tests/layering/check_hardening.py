#!/usr/bin/env python3
"""What an attacker of a program or library meets, as its file says: like checksec.

    check_hardening.py [--hardened] FILE...

Each file is position-independent, its relocations are done at the start and read-only, its stack
is not executable, no part is writable and executable, and no RUNPATH has an empty or relative
entry, which would be the working folder. With --hardened (CUESTA_HARDENED) it calls the checks of
the stack and of buffers, too. Prints what does not hold.
"""

import re
import subprocess
import sys


def read(option, path):
    done = subprocess.run(
        ["readelf", *option.split(), path], capture_output=True, text=True, check=True, timeout=300
    )
    return done.stdout


def faults_of(header, segments, dynamic, symbols, hardened):
    found = []
    if not re.search(r"Type:\s+DYN", header):
        found.append("is not position-independent")
    if "BIND_NOW" not in dynamic and not re.search(r"FLAGS_1.*\bNOW\b", dynamic):
        found.append("binds lazily (no BIND_NOW)")
    if "GNU_RELRO" not in segments:
        found.append("has relocations that stay writable (no RELRO)")
    stack = re.search(r"GNU_STACK.*\s(R?W?E?)\s+0x", segments)
    if not stack or "E" in stack[1]:
        found.append("has an executable stack")
    if re.search(r"LOAD.*\sRWE\s", segments):
        found.append("has memory that is writable and executable")
    for path in re.findall(r"R(?:UN)?PATH\).*\[(.*)\]", dynamic):
        for entry in path.split(":"):
            if not entry.startswith(("/", "$ORIGIN", "${ORIGIN}")):
                found.append(f"has the RUNPATH {path!r}, which means the working folder")
                break
    if hardened:
        if "__stack_chk_fail" not in symbols:
            found.append("has no stack protector")
        if not re.search(r"__\w+_chk\b", symbols.replace("__stack_chk_fail", "")):
            found.append("has no checks of buffers (FORTIFY)")
    return found


def self_test():
    good = ("Type: DYN", "GNU_RELRO\n GNU_STACK 0 0 0 0 0 RW  0x10", "FLAGS_1 NOW", "")
    assert faults_of(*good, False) == []
    for at, text in enumerate(("Type: EXEC", "GNU_STACK 0 0 RWE 0x10", "(RUNPATH) [::]")):
        changed = list(good)
        changed[at] = text
        assert faults_of(*changed, False), text
    assert len(faults_of(*good, True)) == 2
    relative = good[:2] + ("NOW FLAGS_1 NOW (RUNPATH) Library runpath: [lib:/usr/lib]", "")
    assert len(faults_of(*relative, False)) == 1


def main():
    self_test()
    arguments = sys.argv[1:]
    hardened = "--hardened" in arguments
    bad = 0
    for path in arguments:
        if path == "--hardened":
            continue
        faults = faults_of(
            read("-hW", path),
            read("-lW", path),
            read("-dW", path),
            read("-W --dyn-syms", path),
            hardened,
        )
        for fault in faults:
            print(f"{path} {fault}")
        bad += len(faults)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()

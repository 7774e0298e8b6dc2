#!/usr/bin/env python3
"""The ABI of libcuesta_c is as it was recorded in src/c/libcuesta_c.abi.

    check_abi.py ROOT [--record]
    check_abi.py --self-test ROOT

abidw (Debian's abigail-tools) describes what cuesta.h declares: functions, structs and constants. A
library of empty functions stands for the real one, whose sources include the same header and whose
symbols tests/c/test_ctypes.py compares with it. What differs from the record fails. --record writes
it again; under the same CUESTA_ABI_VERSION it refuses whatever would break a program that was
compiled before. docs/user/stability.md says how many there are. Without abidw the test is skipped
(77).
"""

import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path

RECORD = "src/c/libcuesta_c.abi"
HEADER = "include/cuesta.h"
PAGE = "docs/user/stability.md"
SKIPPED = 77


def stub_of(header):
    """A C file with everything that the header declares: empty functions, named constants."""
    code = re.sub(r"//[^\n]*", "", header)
    numbers = iter(range(1000))
    # Constants belong to the ABI, too: enumerations get names, and a variable each.
    code = re.sub(r"\benum\s*\{", lambda _: f"enum cuesta_constants_{next(numbers)} {{", code)
    for number in range(next(numbers)):
        code += f"enum cuesta_constants_{number} cuesta_constants_{number}_;\n"
    for kind, name, parameters in re.findall(
        r"CUESTA_API\s+([\w\s*]+?)\b(cuesta_\w+)\(([^)]*)\);", re.sub(r"//[^\n]*", "", header)
    ):
        body = "{}" if kind.strip() == "void" else "{ return 0; }"
        code += f"{kind} {name}({parameters}) {body}\n"
    return code


def described(header, folder):
    """abidw's description of the header; also its file."""
    version = re.search(r"#define CUESTA_ABI_VERSION (\d+)", header)[1]
    source, library = folder / "stub.c", folder / f"libcuesta_c.so.{version}"
    source.write_text(stub_of(header))
    # The layout is that of 64 bits everywhere; -fdebug-prefix-map: nothing of this folder.
    subprocess.run(
        ["cc", "-g", "-O0", "-shared", "-fPIC", f"-fdebug-prefix-map={folder}=.", "-w"]
        + [f"-Wl,-soname,{library.name}", "-o", library, source],
        check=True,
    )
    text = subprocess.run(
        ["abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--no-elf-needed"]
        + ["--type-id-style", "hash", library],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    text = re.sub(r" (architecture|language)='[^']*'", "", text)
    return re.sub(r" +<dependency[^>]*>\n| +</?elf-needed>\n", "", text), library


def parts_of(text):
    """kind and name -> what programs were compiled with: a tuple to be equal, or to begin alike."""
    root = xml.fromstring(text)
    types = {one.get("id"): one for one in root.iter() if one.get("id")}

    def shape(key, depth=0):
        """A type in words, down to what it points to."""
        one = types.get(key)
        if one is None or depth > 6:
            return key
        below = one.get("type-id")
        qualifiers = "".join(word for word in ("const", "volatile") if one.get(word) == "yes")
        name = one.get("name") or one.tag
        return (
            f"{qualifiers} {name}"
            if below is None
            else f"{qualifiers} {shape(below, depth + 1)} {one.tag}"
        )

    found = {}
    for one in root.iter("function-decl"):
        taken = tuple(shape(p.get("type-id")) for p in one.iter("parameter"))
        found["function", one.get("name")] = (shape(one.find("return").get("type-id")), *taken)
    for one in root.iter("class-decl"):
        members = [
            (m.get("layout-offset-in-bits"), v.get("name"), shape(v.get("type-id")))
            for m in one.iter("data-member")
            for v in m.iter("var-decl")
        ]
        if members:
            found["struct", one.get("name")] = tuple(members)
    for one in root.iter("enumerator"):
        found["constant", one.get("name")] = (one.get("value"),)
    return found


def breaks_of(old, new):
    """What programs that were compiled against `old` cannot bear."""
    found = []
    for (kind, name), was in old.items():
        now = new.get((kind, name))
        if now is None:
            found.append(f"{kind} {name} is gone")
        elif now != was:
            grew = kind == "struct" and was[0][1] == "size" and now[: len(was)] == was
            if not grew:
                found.append(f"{kind} {name} was {was} and is {now}")
    return found


def soname_of(text):
    return re.search(r"soname='([^']*)'", text)[1]


def verdict_of(recorded, header, folder):
    """(description, differences in words, what breaks programs under the same soname)."""
    text, library = described(header, folder)
    if text == recorded:
        return text, "", []
    record = folder / "recorded.abi"
    record.write_text(recorded)
    report = subprocess.run(
        ["abidiff", "--no-architecture", record, library], capture_output=True, text=True
    )
    old, new = parts_of(recorded), parts_of(text)
    breaks = breaks_of(old, new) if soname_of(text) == soname_of(recorded) else []
    # Other versions of abidw may use other words for the same.
    differs = report.returncode != 0 or old != new
    return text, report.stdout.strip() or "the description differs" if differs else "", breaks


def claim_of(parts):
    """What the page has to say."""
    counted = [sum(kind == one for kind, _ in parts) for one in ("function", "struct", "constant")]
    return "{} functions, {} structs and {} constants".format(*counted)


def self_test(root):
    header = (root / HEADER).read_text()
    changes = {  # planted -> whether it breaks programs
        ("CUESTA_API cuesta_status cuesta_wait(void* stream);", ""): True,
        ("cuesta_use_device(int32_t index)", "cuesta_use_device(int64_t index)"): True,
        ("cuesta_status cuesta_wait", "int64_t cuesta_wait"): True,
        ("CUESTA_U16 = 2", "CUESTA_U16 = 12"): True,
        ("  int32_t x, y, width, height;", "  int32_t x, y, height, width;"): True,
        ("  int32_t x, y, width, height;", "  int32_t x, y, width, height, depth;"): True,
        (
            "  int32_t aperture;      ///< 3",
            "  int32_t more;\n  int32_t aperture;      ///< 3",
        ): True,
        ("} cuesta_sobel_options;", "  double more;\n} cuesta_sobel_options;"): False,
        (
            "#ifdef __cplusplus\n}",
            "CUESTA_API void cuesta_new_one(void);\n#ifdef __cplusplus\n}",
        ): False,
        ("CUESTA_S32 = 4", "CUESTA_S32 = 4, CUESTA_F64 = 7"): False,
        ("#define CUESTA_ABI_VERSION 1", "#define CUESTA_ABI_VERSION 2"): False,
    }
    with tempfile.TemporaryDirectory() as name:
        recorded, _ = described(header, Path(name))
        assert verdict_of(recorded, header, Path(name)) == (recorded, "", [])
        for (old, new), breaks in changes.items():
            assert header.count(old) == 1, old
            _, differences, found = verdict_of(recorded, header.replace(old, new), Path(name))
            assert differences, f"{new!r} was not noticed"
            assert bool(found) == breaks, f"{new!r}: {found}"


def main():
    arguments = [one for one in sys.argv[1:] if not one.startswith("--")]
    root = Path(arguments[0])
    if not shutil.which("abidw"):
        print("SKIPPED: no abidw (scripts/install-deps tests)")
        return SKIPPED
    if "--self-test" in sys.argv:
        self_test(root)
        return 0
    header, record = (root / HEADER).read_text(), root / RECORD
    recorded = record.read_text() if record.exists() else ""
    with tempfile.TemporaryDirectory() as folder:
        if not recorded:
            text, differences, breaks = *described(header, Path(folder))[:1], "new", []
        else:
            text, differences, breaks = verdict_of(recorded, header, Path(folder))
    for one in breaks:
        print(f"breaks programs: {one}")
    if not differences:
        claim = claim_of(parts_of(text))
        print(f"{claim} are as recorded")
        if claim in " ".join((root / PAGE).read_text().split()):
            return 0
        print(f"{PAGE} says otherwise")
        return 1
    print(differences)
    if "--record" in sys.argv and not breaks:
        record.write_text(text)
        print(f"recorded in {RECORD}")
        return 0
    print(
        "raise CUESTA_ABI_VERSION, or take the change back"
        if breaks
        else f"the ABI has grown; record it: tests/c/check_abi.py {root} --record"
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())

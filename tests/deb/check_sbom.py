#!/usr/bin/env python3
"""A bill of materials lists what the files beside it are made of, and nothing else.

    check_sbom.py [--needs NAME,...] SBOM FILE...

SBOM is CycloneDX 1.6, with references that are right; where the package cyclonedx is installed it
also fits the schema. The libraries that it calls loaded are those that the FILEs load. Each belongs
to the package that dpkg names, in the version that is installed here. With --needs it lists these
packages (beginnings of names), which were compiled in.
"""

import json
import re
import subprocess
import sys
from pathlib import Path


def said(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def loaded_by(file):
    text = subprocess.run(
        ["readelf", "-dW", file], capture_output=True, text=True, check=True
    ).stdout
    return set(re.findall(r"\(NEEDED\)[^\[]*\[([^\]]+)\]", text))


def plain_names(sonames):
    """auditwheel renames the libraries of a wheel: libfmt-1a2b3c4d.so.9.1.0. Ours and the loader stay out."""
    plain = {re.sub(r"-[0-9a-f]{8}(?=[.]so)", "", name) for name in sonames}
    return {name for name in plain if not re.match(r"ld-linux|libcuesta", name)}


def form_faults(bill):
    found = []
    itself = bill["metadata"]["component"]
    if not itself["name"] or not re.fullmatch(r"\d+\.\d+\.\d+", itself["version"]):
        found.append(f"it is of {itself['name']!r} in version {itself['version']!r}")
    references = [one["bom-ref"] for one in bill["components"]]
    if len(references) != len(set(references)):
        found.append("two components have one reference")
    if bill["dependencies"] != [{"ref": itself["bom-ref"], "dependsOn": references}]:
        found.append("its dependencies are not its components")
    for one in bill["components"]:
        version = one.get("version")
        if not version or f"@{version}" not in one.get("purl", "").replace("%2B", "+"):
            found.append(f"{one['name']} has no version, or another one in its address")
    return found


def faults_of(bill, sonames, needs, installed):
    """`installed`: soname or package -> (package, version), as this machine has it."""
    if bill.get("bomFormat") != "CycloneDX" or bill.get("specVersion") != "1.6":
        return ["it is not CycloneDX 1.6"]
    found = form_faults(bill)
    listed = {}
    for one in bill["components"]:
        about = (one["name"], one.get("version"))
        if one.get("purl", "").startswith("pkg:deb/"):
            listed[one["name"]] = about
        for use in one["properties"]:
            if use["name"] == "cuesta:loaded":
                listed[use["value"]] = about
    loaded = {name for name in listed if ".so" in name}
    # auditwheel's names are those of the files: libfmt.so.9.1.0.
    for name in sorted(sonames):
        if not any(name == one or name.startswith(one + ".") for one in loaded):
            found.append(f"{name} is loaded, and no component has it")
    for name in sorted(loaded):
        if not any(name == one or one.startswith(name + ".") for one in sonames):
            found.append(f"{name} is listed, and nothing loads it")
    for name, about in sorted(listed.items()):
        if name in installed and installed[name] != about:
            found.append(f"{name} is of {installed[name]}, and listed as {about}")
    for need in needs:
        if not any(one["name"].startswith(need) for one in bill["components"]):
            found.append(f"no component is {need}")
    return found


def installed_here(sonames):
    """What dpkg says: of every package, and of every library that the loader finds."""
    found = {}
    for line in said("dpkg-query", "--show", "--showformat=${Package}\t${Version}\n").splitlines():
        package, version = line.split("\t")
        found[package] = (package, version)
    places = dict(re.findall(r"^\s*(\S+) \([^)]*x86-64\) => (\S+)", said("ldconfig", "-p"), re.M))
    names = {}
    for name in sorted(sonames & places.keys()):
        real = str(Path(places[name]).resolve())
        names[real] = names[real.removeprefix("/usr")] = name
    packages = dict(found)
    for line in said("dpkg-query", "--search", *names).splitlines():
        owner, path = line.split(":")[0], line.split(": ")[-1]
        if owner in packages and path in names:
            found[names[path]] = packages[owner]
    return found


def schema_faults(text):
    """None where nothing here knows the schema."""
    try:
        from cyclonedx.schema import SchemaVersion
        from cyclonedx.validation.json import JsonStrictValidator
    except ImportError:
        return None
    fault = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    return [] if fault is None else [f"it does not fit the schema: {fault}"]


def self_test():
    ref = "pkg:deb/debian/libfmt9@9.1?arch=amd64"
    component = {
        "bom-ref": ref,
        "name": "libfmt9",
        "version": "9.1",
        "purl": ref,
        "properties": [{"name": "cuesta:loaded", "value": "libfmt.so.9"}],
    }
    good = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "metadata": {"component": {"bom-ref": "a", "name": "cuesta", "version": "0.1.0"}},
        "components": [component],
        "dependencies": [{"ref": "a", "dependsOn": [ref]}],
    }
    renamed = plain_names({"libfmt-0123abcd.so.9.1.0", "ld-linux-x86-64.so.2"})
    here = {"libfmt9": ("libfmt9", "9.1"), "libfmt.so.9": ("libfmt9", "9.1")}

    def faults(bill, sonames=renamed, needs=(), installed=here):
        return len(faults_of(bill, sonames, needs, installed))

    assert faults(good) == faults(good, {"libfmt.so.9"}, ["libfmt"]) == 0
    assert faults(good, renamed | {"libvips.so.42"}, ["nlohmann"]) == 2
    assert faults(good, set()) == 1
    assert faults(good, installed={"libfmt9": ("libfmt9", "9.2")}) == 1
    assert faults(good, installed={"libfmt.so.9": ("libfmt10", "9.1")}) == 1
    assert faults({**good, "bomFormat": ""}) == faults({**good, "dependencies": []}) == 1
    assert faults({**good, "components": [{**component, "version": ""}]}, installed={}) == 1
    assert faults({**good, "components": [{**component, "version": "8"}]}, installed={}) == 1
    assert faults({**good, "components": [component] * 2}) == 2
    assert not schema_faults('{"bomFormat": "CycloneDX", "specVersion": "1.6"}')
    assert schema_faults('{"bomFormat": "CycloneDX", "specVersion": "1.6", "a": 1}') != []


def main():
    self_test()
    arguments, needs = sys.argv[1:], []
    if arguments[0] == "--needs":
        needs, arguments = arguments[1].split(","), arguments[2:]
    text = Path(arguments[0]).read_text(encoding="utf-8")
    bill = json.loads(text)
    sonames = plain_names(set().union(*(loaded_by(file) for file in arguments[1:])))
    schema = schema_faults(text)
    faults = faults_of(bill, sonames, needs, installed_here(sonames)) + (schema or [])
    for fault in faults:
        print(f"{arguments[0]}: {fault}")
    if not faults:
        fits = "" if schema is None else ", fits the schema"
        print(f"{arguments[0]}: {len(bill['components'])} components, {len(sonames)} loaded{fits}")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()

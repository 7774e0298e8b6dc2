"""Writes which packages are in a program or library, as a bill of materials (CycloneDX 1.6, JSON).

    sbom.py --name NAME --version VERSION --output FILE [--ninja NINJA] [--build BUILD] [--closure] FILE...

Everything is read from the files: the libraries that they load (with --closure also the libraries
that those load), and, from a Ninja build folder, the headers and static libraries that their
objects were made from. dpkg names the Debian package of each, a .dist-info folder the package of
PyPI. The CUDA toolkit and Python are one component each. What belongs to no package is listed by
its name. The date is SOURCE_DATE_EPOCH, or absent.
"""

import argparse
import datetime
import hashlib
import json
import os
import re
import shutil
import subprocess
import uuid
from pathlib import Path

# Libraries of the kernel, and what stands in front of every program.
NOT_FILES = re.compile(r"linux-vdso|ld-linux")


def said(*command):
    """What a command prints; nothing where it is missing or fails."""
    if not shutil.which(command[0]):
        return ""
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    return done.stdout


def loaded_by(file, closure):
    """soname -> path of the libraries that a file loads; an empty path where it is not here."""
    names = re.findall(r"\(NEEDED\)[^\[]*\[([^\]]+)\]", said("readelf", "-dW", file))
    found = dict(re.findall(r"(\S+) => (/\S+)", said("ldd", file)))
    wanted = found.keys() if closure else names
    return {name: found.get(name, "") for name in wanted if not NOT_FILES.match(name)}


def built_from(ninja, build, file):
    """Headers and static libraries outside the build folder that a file of it was made from."""
    target = os.path.relpath(os.path.realpath(file), os.path.realpath(build))
    inputs = said(ninja, "-C", build, "-t", "inputs", target).splitlines()
    found = {path for path in inputs if path.startswith("/") and path.endswith(".a")}
    for path in inputs:
        if path.endswith((".cpp", ".cc", ".c")) and "site-packages" in path:
            found.add(path)
    objects = [path for path in inputs if path.endswith(".o")]
    for at in range(0, len(objects), 200):
        for line in said(ninja, "-C", build, "-t", "deps", *objects[at : at + 200]).splitlines():
            path = line.strip()
            if line.startswith("    ") and path.startswith("/"):
                found.add(os.path.normpath(path))
    return found


def debian_owners(paths):
    """path -> (package, version, architecture) of those that dpkg knows."""
    names = {}
    for path in paths:
        for one in {path, os.path.realpath(path)}:
            for alias in {
                one,
                re.sub(r"^/usr(/lib)", r"\1", one),
                re.sub(r"^/lib", "/usr/lib", one),
            }:
                names.setdefault(alias, path)
    owners, asked = {}, sorted(names)
    for at in range(0, len(asked), 500):
        for line in said("dpkg-query", "--search", *asked[at : at + 500]).splitlines():
            package, _, path = line.partition(": ")
            if path in names and "diversion" not in package:
                owners[names[path]] = package.split(",")[0].strip()
    about = {}
    wanted = sorted(set(owners.values()))
    form = "${binary:Package}\t${Version}\t${Architecture}\n"
    for line in said("dpkg-query", "--show", f"--showformat={form}", *wanted).splitlines():
        package, version, architecture = line.split("\t")
        about[package] = about[package.split(":")[0]] = (
            package.split(":")[0],
            version,
            architecture,
        )
    return {path: about[package] for path, package in owners.items() if package in about}


def python_owner(path):
    """(package, version) of a file below site-packages; else nothing."""
    before, below, rest = path.rpartition("site-packages/")
    if not below:
        return None
    top = rest.split("/")[0]
    for folder in sorted(Path(before + below).glob(f"{top}-*.dist-info")):
        name, version = folder.name[: -len(".dist-info")].split("-")[:2]
        return name, version
    return None


# Headers that no package owns: where they are, the file that says the version, and how.
TOOLKITS = {
    "cuda-toolkit": (r"/.*?/cuda(-[0-9.]+)?(?=/)", "include/cuda.h", r"CUDA_VERSION (\d+)"),
    "cpython": (r"/.*?/include/python3[0-9.]*t?(?=/)", "patchlevel.h", r'PY_VERSION +"(.+?)"'),
}


def toolkit_owner(path):
    """(name, version) of what a file of the CUDA toolkit or of Python belongs to; else nothing."""
    for name, (folder, file, version) in TOOLKITS.items():
        found = re.match(folder, os.path.realpath(path))
        about = Path(found[0]) / file if found else Path()
        if about.is_file():
            number = re.search(f"#define {version}", about.read_text(errors="replace"))[1]
            if name == "cuda-toolkit":  # 13000
                number = f"{int(number) // 1000}.{int(number) % 1000 // 10}"
            return name, number
    return None


class Bill:
    """The components that were found so far."""

    def __init__(self):
        self.components = {}

    def add(self, path, name, link, owner):
        """`link`: loaded, static or headers; `owner`: of debian_owners()."""
        system = dict(
            re.findall(r"^(ID|VERSION_ID)=\"?([^\"\n]*)", said("cat", "/etc/os-release"), re.M)
        )
        python, toolkit = python_owner(path), toolkit_owner(path)
        if owner:
            package, version, architecture = owner
            place = f"{system.get('ID', 'debian')}-{system.get('VERSION_ID', '')}"
            purl = f"pkg:deb/{system.get('ID', 'debian')}/{package}@{version}?arch={architecture}&distro={place}"
            purl = purl.replace("+", "%2B")
        elif python:
            package, version = python
            purl = f"pkg:pypi/{package}@{version}"
        elif toolkit:
            package, version = toolkit
            purl = f"pkg:generic/{package}@{version}"
        else:
            place = "/".join(os.path.realpath(path).split("/")[:4])
            package, version, purl = place if link == "headers" else name, "", ""
        one = self.components.setdefault(
            purl or package, {"name": package, "version": version, "purl": purl, "uses": set()}
        )
        one["uses"].add((f"cuesta:{link}", "" if link == "headers" else name))

    def document(self, name, version):
        components = []
        for key, one in sorted(self.components.items()):
            component = {"type": "library", "bom-ref": key, "name": one["name"]}
            component |= {field: one[field] for field in ("version", "purl") if one[field]}
            component["properties"] = [{"name": k, "value": v} for k, v in sorted(one["uses"])]
            components.append(component)
        itself = {
            "type": "application",
            "bom-ref": f"pkg:generic/{name}@{version}",
            "name": name,
            "version": version,
            "purl": f"pkg:generic/{name}@{version}",
            "licenses": [{"license": {"id": "Apache-2.0"}}],
            "supplier": {"name": "The Cuesta authors"},
        }
        metadata = {
            "component": itself,
            "tools": {"components": [{"type": "application", "name": "cmake/sbom.py"}]},
        }
        if os.environ.get("SOURCE_DATE_EPOCH"):
            date = datetime.datetime.fromtimestamp(
                int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc
            )
            metadata = {"timestamp": date.strftime("%Y-%m-%dT%H:%M:%SZ"), **metadata}
        depends = [component["bom-ref"] for component in components]
        body = {
            "metadata": metadata,
            "components": components,
            "dependencies": [{"ref": itself["bom-ref"], "dependsOn": depends}],
        }
        digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
        head = {"bomFormat": "CycloneDX", "specVersion": "1.6"}
        head |= {"serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, digest)}", "version": 1}
        return head | body


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for option in ("--name", "--version", "--output"):
        parser.add_argument(option, required=True)
    parser.add_argument("--ninja", default="ninja")
    parser.add_argument("--build")
    parser.add_argument("--closure", action="store_true")
    parser.add_argument("files", nargs="+")
    asked = parser.parse_args()
    uses = {}  # path, name, link
    ours = {os.path.realpath(file) for file in asked.files}
    for file in asked.files:
        for soname, path in loaded_by(file, asked.closure).items():
            if os.path.realpath(path) not in ours and not soname.startswith("libcuesta"):
                uses[path or soname, soname, "loaded"] = None
        for path in built_from(asked.ninja, asked.build, file) if asked.build else ():
            uses[path, Path(path).name, "static" if path.endswith(".a") else "headers"] = None
    owners = debian_owners(sorted({path for path, _, _ in uses if path.startswith("/")}))
    own = tuple(
        f"{folder}/" for folder in (Path(__file__).resolve().parents[1], asked.build) if folder
    )
    bill = Bill()
    for path, name, link in sorted(uses):
        if link == "loaded" or not path.startswith(own) or "site-packages" in path:
            bill.add(path, name, link, owners.get(path))
    output = Path(asked.output)
    output.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(bill.document(asked.name, asked.version), indent=1)
    output.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

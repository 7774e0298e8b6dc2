#!/usr/bin/env python3
"""scripts/release and the recipes for Conan, vcpkg and conda, on a clone of the tree.

test_release.py TREE CMAKE
"""

import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

TREE, CMAKE = Path(sys.argv[1]), sys.argv[2]


def run(*words, cwd, code=0):
    done = subprocess.run([*map(str, words)], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


class Release(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.tree = Path(cls.folder.name) / "tree"
        run("git", "clone", "--quiet", "--no-local", TREE, cls.tree, cwd=TREE)
        cls.said = run("scripts/release", "--dry-run", "source", "recipes", cwd=cls.tree)
        cls.dist = cls.tree / "dist"

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_what_is_made_is_signed(self):
        self.assertIn("made twice with equal bytes, signed and verified", self.said)
        names = sorted(path.name for path in (self.dist / "release").iterdir())
        version = re.search(r"cuesta-(\d+\.\d+\.\d+)\.tar", " ".join(names))[1]
        self.assertEqual(
            names,
            ["SHA256SUMS", "SHA256SUMS.asc", f"cuesta-{version}.tar.gz", f"cuesta-recipes-{version}.tar.gz"],
        )  # fmt: skip
        with tarfile.open(self.dist / f"release/cuesta-{version}.tar.gz") as archive:
            inside = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
        tracked = set(run("git", "ls-files", cwd=self.tree).split("\n")) - {""}
        self.assertEqual({name for name in inside if name in tracked}, tracked)

    def test_a_changed_file_does_not_verify(self):
        with tempfile.TemporaryDirectory() as copy:
            shutil.copytree(self.dist / "release", copy, dirs_exist_ok=True)
            (archive,) = Path(copy).glob("cuesta-recipes-*.tar.gz")
            data = bytearray(archive.read_bytes())
            data[len(data) // 2] ^= 1
            archive.write_bytes(data)
            run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=copy, code=1)

    def test_what_is_refused(self):
        self.assertIn("--dry-run", run("scripts/release", cwd=self.tree, code=1))
        said = run("scripts/release", "--dry-run", "wheels", cwd=self.tree, code=1)
        self.assertIn("choose from source recipes wheel deb folder", said)
        (self.tree / "stray").touch()
        said = run("scripts/release", "--key", "me", "source", cwd=self.tree, code=1)
        self.assertIn("not committed", said)
        (self.tree / "stray").unlink()

    def test_recipes_are_filled_and_set_options_that_exist(self):
        declared = set(
            re.findall(
                r"(?:set|option|cmake_dependent_option)\((CUESTA_[A-Z]+) ",
                (self.tree / "CMakeLists.txt").read_text(),
            )
        )
        files = [path for path in (self.dist / "recipes").rglob("*") if path.is_file()]
        self.assertEqual(len(files), 7)
        named = set()
        for path in files:
            text = path.read_text()
            self.assertNotRegex(text, r"@[A-Z0-9]+@", path.name)
            named |= set(re.findall(r"\bCUESTA_(?!VERSION)[A-Z]+", text))
            if path.name == "conanfile.py":
                compile(text, path, "exec")
                for off in re.findall(r"off = \[(.*)\]", text):
                    named |= {f"CUESTA_{name}" for name in re.findall(r'"([A-Z]+)"', off)}
        self.assertGreater(len(named), 8)
        self.assertEqual(named - declared, set())
        port = json.loads((self.dist / "recipes/vcpkg/vcpkg.json").read_text())
        used = re.findall(r"^    ([a-z]+) CUESTA_", (self.dist / "recipes/vcpkg/portfile.cmake").read_text(), re.M)  # fmt: skip
        self.assertEqual(sorted(port["features"]), sorted(used))

    def test_the_port_configures_the_archive(self):
        for features in ("", "command;pictures;video"):
            with self.subTest(features), tempfile.TemporaryDirectory() as at:
                run(
                    CMAKE, "-D", f"PORT={self.dist}/recipes/vcpkg/portfile.cmake", "-D", f"AT={at}",
                    "-D", f"FEATURES={features}", "-P", TREE / "tests/release/stand_ins.cmake", cwd=at,
                )  # fmt: skip
                cache = (Path(at) / "build/CMakeCache.txt").read_text()
                self.assertIn(f"CUESTA_CLI:BOOL={'ON' if features else 'OFF'}", cache)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)

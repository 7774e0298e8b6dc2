#!/usr/bin/env python3
"""What scripts/coverage makes of what llvm-cov writes: shares, ranges, files that nobody compiled."""

import importlib.machinery
import importlib.util
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
loader = importlib.machinery.SourceFileLoader("coverage_script", str(ROOT / "scripts" / "coverage"))
coverage = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
loader.exec_module(coverage)

sys.dont_write_bytecode = True
LCOV = f"""SF:{ROOT}/src/core/image.cpp
DA:1,5
DA:2,0
DA:3,0
DA:4,1
DA:2,3
end_of_record
SF:/elsewhere/build/../cli/main.cpp
DA:10,1
DA:11,1
end_of_record
SF:{ROOT}/tests/core/test_image.cpp
DA:1,0
end_of_record
SF:/usr/include/c++/12/vector
DA:1,0
end_of_record
"""


class Coverage(unittest.TestCase):
    def setUp(self):
        tracked = [
            "src/core/image.cpp",
            "src/cuda/device.cpp",
            "src/ops/sobel/plain.cu",
            "src/core/image.hpp",
            "cli/main.cpp",
        ]
        self.files = coverage.read_lcov(LCOV, set(tracked))
        self.found = coverage.summary(self.files, tracked)

    def test_lines_are_counted_once(self):
        self.assertEqual(
            self.files["src/core/image.cpp"], {1: 5, 2: 3, 3: 0, 4: 1}
        )  # by any instance
        self.assertEqual(list(self.files), ["src/core/image.cpp", "cli/main.cpp"])
        self.assertEqual(
            self.found["trees"], {"src": {"lines": 4, "ran": 3}, "cli": {"lines": 2, "ran": 2}}
        )
        self.assertEqual(self.found["folders"]["src/core"], {"lines": 4, "ran": 3})
        self.assertNotIn("tests/core", self.found["folders"])

    def test_what_did_not_run_is_listed(self):
        self.assertEqual(self.found["low"], {"src/core/image.cpp": {"lines": 4, "ran": 3}})
        self.assertEqual(self.found["not_run"], {"src/core/image.cpp": "3"})
        self.assertEqual(coverage.ranges([7, 1, 2, 3, 9]), "1-3, 7, 9")

    def test_what_is_not_compiled_is_named(self):
        self.assertEqual(
            self.found["not_compiled"], ["src/cuda/device.cpp", "src/ops/sobel/plain.cu"]
        )


if __name__ == "__main__":
    unittest.main()

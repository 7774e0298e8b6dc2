"""scripts/test-gpu, on programs that answer as those of a GPU's host would."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts/test-gpu"
PROGRAMS = {
    "nvidia-smi": "echo 'NVIDIA H200, 9.0, 580.1'",
    "cuesta": """case "$*" in
        "list operations --json") echo '[{"operation": "sobel"}, {"operation": "canny"}]' ;;
        "list strategies --json") echo '[{"operation": "canny", "space": "device", "built": true, "strategy": "fused"},
            {"operation": "canny", "space": "device", "built": true, "strategy": "graph"},
            {"operation": "canny", "space": "host", "built": true, "strategy": "serial"}]' ;;
        *) echo "$2       device  fused   12 cases equal  3 refused  ok"; echo "1 strategies passed, 0 failed" ;;
    esac""",
    "cuesta_tests": "echo '[  PASSED  ] 2 tests.'; echo '[  SKIPPED ] 1 test, listed below:'",
    "cuesta_graph_loop": "echo 50 loops",
    # With the launches of what loops waited for, and of it alone. synccheck follows no loop, memcheck at its third start.
    "compute-sanitizer": """case "$* $CUDA_LAUNCH_BLOCKING" in *graph*\ 1 | *fused*\ | *sobel*\ ) ;; *) exit 3 ;; esac
        case "$*" in *synccheck*graph_loop) echo "turn 3: an illegal memory access"; exit 1 ;; *synccheck*graph*) exit 4 ;; *serial*) exit 5 ;; esac
        case "$*" in *memcheck*graph*) echo >> ${0%/*}/starts; [ $(wc -l < ${0%/*}/starts) -lt 3 ] && exit 9 ;; esac
        [ $2 = racecheck ] && echo '========= RACECHECK SUMMARY: 0 hazards displayed' || echo '========= ERROR SUMMARY: 0 errors'""",
}


class Suite(unittest.TestCase):
    def run_with(self, *arguments, **programs):
        """The script's exit code, output and JSON, some of the programs being others."""
        with tempfile.TemporaryDirectory() as folder:
            at = Path(folder)
            for name, script in {**PROGRAMS, **programs}.items():
                (at / name).write_text(f"#!/bin/bash\n{script}\n")
                (at / name).chmod(0o755)
            done = subprocess.run(
                [
                    sys.executable,
                    SCRIPT,
                    "--build",
                    at,
                    "--json",
                    at / "a.json",
                    "--commit",
                    "abc",
                    *arguments,
                ],
                env=os.environ | {"PATH": f"{at}:{os.environ['PATH']}"},
                capture_output=True,
                text=True,
            )
            result = json.loads((at / "a.json").read_text()) if (at / "a.json").exists() else None
            self.logs = {file.name: file.read_text() for file in (at / "a.logs").glob("*")}
            return done.returncode, done.stdout + done.stderr, result

    def test_all_is_well(self):
        code, text, result = self.run_with()
        self.assertEqual((code, text.splitlines()[-1]), (0, "all passed"), text)
        self.assertEqual(
            [result[key] for key in ("gpu", "driver", "commit", "not_passed")],
            ["NVIDIA H200", "580.1", "abc", []],
        )
        self.assertEqual((result["verify"]["passed"], result["verify"]["failed"]), (2, 0))
        self.assertEqual(
            result["verify"]["rows"][0],
            {
                "operation": "canny",
                "strategy": "fused",
                "equal": 12,
                "refused": 3,
                "passed": True,
                "level": "full",
            },
        )
        for tool in ("racecheck", "synccheck"):
            self.assertEqual(result["sanitizer"]["findings"][tool], {"canny": 0, "sobel": 0})
        self.assertEqual(
            result["sanitizer"]["starts"],
            {"canny graph": {"memcheck": 3, "racecheck": 1, "synccheck": 12, "initcheck": 1}},
        )
        self.assertEqual(
            result["sanitizer"]["left_out"],
            {
                "canny graph": {
                    "synccheck": "graph_loop, start 1 of 12: turn 3: an illegal memory access"
                }
            },
        )
        self.assertEqual(result["tests"]["passed"], 2 * len(result["tests"]["groups"]))

    def test_what_fails_is_named(self):
        code, text, result = self.run_with(
            "--only",
            "sobel",
            cuesta="""[ $2 = operations ] && echo '[{"operation": "sobel"}]' && exit; [ $2 = strategies ] && echo '[]' && exit
                echo "sobel  device  plain  4 cases equal  0 refused  FAILED"; exit 1""",
            cuesta_tests="echo '[  PASSED  ] 1 test.'; echo '[  FAILED  ] 1 test, listed below:'; echo '[  FAILED  ] A.B'; exit 1",
            **{"compute-sanitizer": "echo '========= ERROR SUMMARY: 7 errors'; exit 9"},
        )
        self.assertEqual(code, 1)
        self.assertEqual((result["verify"]["passed"], result["verify"]["failed"]), (0, 1))
        self.assertEqual(set(result["tests"]["failed"]), {"A.B"})
        self.assertEqual(result["sanitizer"]["findings"]["initcheck"], {"sobel": 7})
        for part in ("verify sobel", "sizes sobel", "sanitizer memcheck sobel", "tests canny"):
            self.assertIn(part, result["not_passed"])
        self.assertIn("not passed: ", text)
        self.assertIn("A.B", self.logs["tests-canny.txt"])

    def test_what_found_no_time_is_no_success(self):
        code, _, result = self.run_with(
            "--limit", "2", cuesta_tests="sleep 30", **{"compute-sanitizer": "sleep 30"}
        )
        self.assertEqual(code, 1)
        self.assertEqual(
            result["sanitizer"]["findings"]["memcheck"], {"canny": None, "sobel": None}
        )
        self.assertIn("tests canny", result["not_passed"])

    def test_without_a_gpu_it_says_so(self):
        code, text, result = self.run_with(**{"nvidia-smi": "echo no devices were found; exit 6"})
        self.assertNotEqual(code, 0)
        self.assertIn("no GPU", text)
        self.assertIsNone(result)


if __name__ == "__main__":
    unittest.main()

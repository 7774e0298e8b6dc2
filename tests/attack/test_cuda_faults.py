#!/usr/bin/env python3
"""What the campaign of CUDA's calls takes for a bad end, and what not."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from cuda_faults import CudaFaults  # noqa: E402
from ground import Run  # noqa: E402

WHOLE = {"o.png": b"whole"}
OLD = {"o.png": b"old"}
REASON = "cuesta: canny: CUDA reports 'unknown error' (last operation: canny)\n"


def why(
    code,
    left,
    before=(),
    err="",
    out=b"",
    failed="cudaMalloc",
    printed=None,
    whole=WHOLE,
    hung=False,
):
    undisturbed = None if printed is None else Run(0, printed, "", False, 1)
    return CudaFaults.why_bad(
        Run(code, out, err, hung, 1), failed, left, dict(before), whole, undisturbed
    )


class Ends(unittest.TestCase):
    def test_good_ones(self):
        self.assertEqual(why(0, WHOLE), "")
        self.assertEqual(why(0, WHOLE, OLD), "")
        self.assertEqual(why(5, {}, err=REASON), "")
        self.assertEqual(why(5, OLD, OLD, err=REASON), "")

    def test_crashes_hangs_and_other_codes(self):
        self.assertIn("signal 6", why(-6, {}, err=REASON))
        self.assertIn("hangs", why(5, {}, err=REASON, hung=True))
        for code in (1, 2, 3, 4):
            self.assertIn(f"exit {code}", why(code, {}, err=REASON))

    def test_wrong_results(self):
        self.assertIn("differs", why(0, {"o.png": b"whol"}))
        self.assertIn("differs", why(0, {}))
        self.assertIn("differs", why(0, {**WHOLE, ".o.1.png": b""}))

    def test_what_is_left(self):
        self.assertIn("leaves", why(5, {"o.png": b"who"}, err=REASON))
        self.assertIn("leaves", why(5, {".o.1.png": b"who"}, err=REASON))
        self.assertIn("leaves", why(5, WHOLE, err=REASON))
        self.assertIn("nothing of before", why(5, {}, OLD, err=REASON))
        self.assertIn("leaves", why(5, {**OLD, ".o.1.png": b""}, OLD, err=REASON))
        two = {"a.ndjson": b"a", "b.ndjson": b"b"}
        self.assertEqual(why(5, {"a.ndjson": b"a"}, err=REASON, whole=two), "")
        self.assertIn("leaves", why(5, two, err=REASON, whole=two))

    def test_words(self):
        self.assertIn("without a word", why(5, {}))
        self.assertIn("without a device's reason", why(5, {}, err="cuesta: something went wrong\n"))
        self.assertIn("where nothing failed", why(5, {}, err=REASON, failed=""))

    def test_what_prints(self):
        self.assertEqual(why(0, {}, whole={}, out=b"cuda:0\n", printed=b"cuda:0\n"), "")
        self.assertIn("something else", why(0, {}, whole={}, out=b"cpu\n", printed=b"cuda:0\n"))
        self.assertEqual(
            why(
                0, {}, whole={}, out=b"cpu\n", printed=b"cuda:0\n", err="no GPU: CUDA reports 'x'\n"
            ),
            "",
        )
        passed, failed = (
            b"sobel ok\n1 strategies passed, 0 failed\n",
            b"threw: sobel: CUDA reports 'x'\n0 strategies passed, 1 failed\n",
        )
        self.assertEqual(why(1, {}, whole={}, out=failed, printed=passed), "")
        self.assertIn(
            "exit 1", why(1, {}, whole={}, out=failed.replace(b"CUDA", b""), printed=passed)
        )


if __name__ == "__main__":
    unittest.main()

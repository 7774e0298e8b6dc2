"""Runs an OpenCV program with `cuesta.compat.cv2` as its `cv2`.

python -m cuesta.compat program.py arguments ...
"""

from __future__ import annotations

import os
import runpy
import sys

from cuesta.compat import cv2


def main() -> None:
    """Runs the program that the command line names."""
    if len(sys.argv) < 2:
        sys.exit("usage: python -m cuesta.compat program.py [arguments ...]")
    cv2.original.module()  # before its name becomes ours
    sys.modules["cv2"] = cv2
    del sys.argv[0]
    sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
    runpy.run_path(sys.argv[0], run_name="__main__")


main()

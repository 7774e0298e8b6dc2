"""The command, for tests that compare it with the package."""

from __future__ import annotations

import os
import pathlib
import subprocess
from typing import Any

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = pathlib.Path(os.environ.get("CUESTA_COMMAND", ROOT / "build/ci/cli/cuesta"))


def run(*words: Any) -> str:
    """Runs the command, skips the test without one, and returns its messages."""
    if not COMMAND.exists():
        pytest.skip("the command is not built")
    arguments = [str(word) for word in (COMMAND, *words)]
    return subprocess.run(arguments, check=True, capture_output=True, text=True).stderr

"""The command line that the checks of the tree share."""

import argparse
import sys
from pathlib import Path


def options_of(description, self_test, **flags):
    """Parses `ROOT` and the options `flags`, whose values are keywords of add_argument().

    With --self-test calls self_test() and exits. Without that and without ROOT, exits with an
    error.
    """
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("root", nargs="?", type=Path)
    for name, keywords in flags.items():
        parser.add_argument(f"--{name}", **keywords)
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        self_test()
        sys.exit(0)
    if options.root is None:
        parser.error("name the root of the sources, or --self-test")
    return options

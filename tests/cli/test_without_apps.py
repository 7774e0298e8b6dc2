#!/usr/bin/env python3
"""A command without the components of apps/: what is left runs, and what is not says so.

test_without_apps.py PATH-TO-CUESTA-WITHOUT-APPS [unittest arguments]
"""

import json
import os
import sys
import unittest

import test_command
from test_command import USAGE
from test_detect import PLAIN, DetectTest, street


class WithoutApps(DetectTest):
    def test_help_lists_what_is_there(self):
        text = self.run_cuesta("--help").stdout.decode()
        self.assertIn("  detect", text)
        self.assertNotIn("  tune", text)
        text = self.run_cuesta("detect", "--help").stdout.decode()
        self.assertIn("--track", text)
        man = self.run_cuesta("generate", "man").stdout.decode()
        for name in ("--cameras", "--report", "--mqtt", "--mqtt-objects", "--heatmap", "--live"):
            self.assertNotIn(f"\n  {name} ", text)
            self.assertNotIn("\n\\fB" + name.replace("-", "\\-"), man)
        self.assertIn("\n\\fB\\-\\-track", man)

    def test_what_is_left_out_says_so(self):
        self.file("a.y4m", street())
        self.file("b.y4m", street())
        for words, name in (
            (["tune", "a.y4m"], "CUESTA_TUNE=ON"),
            (["tune", "a.y4m", "--port", "0"], "CUESTA_TUNE=ON"),
            (["detect", "a.y4m", "--report", "r.html"], "--report"),
            (["detect", "a.y4m", "--mqtt", "mqtt://here"], "--mqtt"),
            (["detect", "a.y4m", "--live", ":0"], "--live"),
            (["detect", "a.y4m", "--record", "rec"], "--record"),
            (["detect", "a.y4m", "--json", "-", "--heatmap", "h.png"], "--heatmap"),
            (["detect", "--cameras", "c.toml", "--json", "-"], "--cameras"),
            (["detect", "a.y4m", "b.y4m", "--json", "{name}.ndjson"], "CUESTA_WATCH=ON"),
        ):
            self.fails(USAGE, *words, says=[name, "not in this build"])

    def test_one_video_is_watched_and_tracked(self):
        self.file("a.y4m", street())
        done = self.run_cuesta("detect", "a.y4m", "--json", "-", "--track", *PLAIN)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertTrue(any(one.get("objects") for one in lines))


if __name__ == "__main__":
    test_command.CUESTA = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)

#!/usr/bin/env python3
"""docs/user/accuracy.md and docs/dev/accuracy.md have the figures of the JSON in docs/results/data, all of them and no others; and a page that differs is found."""

import json
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "user" / "accuracy.md"
DETAILS = ROOT / "docs" / "dev" / "accuracy.md"
DATA = ROOT / "docs" / "results" / "data" / "2026-11-23-bsds500.json"


def faults(page, data):
    """What differs between the page's table of the test pictures and the JSON's rows."""
    written = {}
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) == 5 and re.fullmatch(r"0\.\d{3}", cells[4]):
            written[cells[0]] = (cells[1].strip("`"), *cells[2:])
    measured = {
        row["setting"]: (
            row["options"],
            *(f"{row[name]:.3f}" for name in ("recall", "precision", "F")),
        )
        for row in data["rows"]
    }
    found = [
        f"{name}: {written.get(name)} and measured {measured.get(name)}"
        for name in sorted(written.keys() | measured.keys())
        if written.get(name) != measured.get(name)
    ]
    # F follows from the other two.
    for row in data["rows"]:
        f = 2 * row["recall"] * row["precision"] / (row["recall"] + row["precision"])
        if abs(f - row["F"]) > 2e-4:
            found.append(f"{row['setting']}: F {row['F']} is not of its recall and precision")
    return found


SCENES = {
    "plain": "two people, one after the other",
    "clouds": "the shadow of a cloud drifts by",
    "halflight": "a lamp lights 45 % of the picture",
    "snow": "snow",
    "small": "objects of 5 to 12 pixels",
    "sway": "a swaying texture",
    "near": "something that fills 62 % of the picture",
    "leaves": "an object that stood there leaves",
    "parks": "a car that parks",
    "traffic": "two lanes of traffic from the first frame on",
    "people": "five people in pairs, behind a pole, who cross",
    "night": "a person at night, noise of 9 levels",
    "dusk": "an animal at dusk, 11 levels lighter than its ground",
}


def lines_of_scenes(rows):
    """The lines that the page has of generated scenes."""
    by = {(row["scene"], row["options"]): row for row in rows}
    named = [(title, by[scene, ""]) for scene, title in SCENES.items()]
    for scene, options in (("parks", "--absorb 60s"), ("dusk", "--sensitivity high")):
        named.append((f"the same with `{options}`", by[scene, options]))
    for title, r in named:
        yield f"| {title} | {r['false']:.1f} | {r['missed']:.1f} | {r['objects']} | {r['ids']} | {r['IDF1']:.2f} |"
    for scene, title in SCENES.items():
        of = [by[scene, f"--sensitivity {word}" if word else ""] for word in ("low", "", "high")]
        yield (
            f"| {title} | " + " | ".join(f"{r['false']:.1f} · {r['missed']:.1f}" for r in of) + " |"
        )


def lines_of_detectors(rows):
    """The lines that the page has of other detectors; what was not run is said."""
    names = ("Cuesta", "MOG2", "KNN", "SuBSENSE", "DVR-Scan")
    by = {(row["scene"], row["by"]): row for row in rows}

    def cell(scene, name):
        r = by.get((scene, name))
        return f"{r['false']:.1f} · {r['missed']:.1f}" if r else "not run"

    lines = [
        f"| {title} | " + " | ".join(cell(scene, name) for name in names) + " |"
        for scene, title in SCENES.items()
    ]
    times = []
    for name in names:
        of = sorted(row["ms"] for row in rows if row["by"] == name and "ms" in row)
        times.append(f"{of[len(of) // 2]:.3g} ms")
    return [*lines, "| a frame, median | " + " | ".join(times) + " |"]


def lines_of_trackers(rows):
    """The lines that the page has of trackers, and the mean HOTA of each."""
    names = ("Cuesta", "SORT", "ByteTrack", "OC-SORT")
    by = {(row["scene"], row["tracker"]): row for row in rows}
    scenes = list(dict.fromkeys(row["scene"] for row in rows))
    lines = []
    for scene in scenes:
        of = [by[scene, name] for name in names]
        cells = [f"{r['HOTA']:.2f} · {r['IDF1']:.2f} · {r['ids']}" for r in of]
        lines.append(f"| {SCENES[scene]} | " + " | ".join(cells) + f" | {of[0]['objects']} |")
    means = {
        name: [
            sum(by[scene, name][key] for scene in scenes) / len(scenes) for key in ("HOTA", "IDF1")
        ]
        for name in names
    }
    cells = [f"{hota:.2f} · {idf1:.2f}" for hota, idf1 in means.values()]
    return [*lines, "| mean | " + " | ".join(cells) + " | |"], means


SWEPT = {
    "": "Canny, σ of the picture (the default)",
    "--method log": "LoG",
    "--method boundaries": "boundaries",
    "--method boundaries --quality high": "boundaries of quality high",
    "--method regions": "regions",
}


def lines_of_sweeps(rows):
    """The lines that the page has of threshold sweeps."""
    by = {(row["data"], row["options"]): row for row in rows}
    for options, title in SWEPT.items():
        cells = [
            " · ".join(f"{by[data, options][name]:.3f}" for name in ("ODS", "OIS", "AP"))
            for data in ("bsds", "uded")
        ]
        yield f"| {title} | " + " | ".join(cells) + " |"


class AccuracyPage(unittest.TestCase):
    def setUp(self):
        self.page = PAGE.read_text(encoding="utf-8")
        self.details = DETAILS.read_text(encoding="utf-8")
        self.data = json.loads(DATA.read_text(encoding="utf-8"))

    def test_figures_are_measured(self):
        self.assertGreaterEqual(len(self.data["rows"]), 5)
        self.assertEqual(faults(self.page, self.data), [])

    def test_moving_objects_are_measured(self):
        at = DATA.parent
        rows = json.loads((at / "2026-11-29-scenes.json").read_text(encoding="utf-8"))["rows"]
        lines = [*lines_of_scenes(rows)]
        for row in rows:
            if not row["options"]:
                self.assertLessEqual(10 * row["short"], row["ids"], row["scene"])
        rivals = json.loads((at / "2026-11-29-tracks.json").read_text(encoding="utf-8"))["rows"]
        of_trackers, means = lines_of_trackers(rivals)
        detectors = json.loads((at / "2026-11-29-detectors.json").read_text(encoding="utf-8"))
        lines += lines_of_detectors(detectors["rows"])
        self.assertEqual(means["Cuesta"][0], max(hota for hota, _ in means.values()))
        part = self.page.split("## Moving objects")[1]
        written = [line for line in part.splitlines() if line.startswith("| ")]
        heads = [line for line in written if line.startswith("| scene")]
        self.assertEqual(sorted(written), sorted(lines + of_trackers + heads))
        self.assertEqual(len(heads), 4)

    def test_the_default_is_what_it_promises(self):
        best = {row["options"]: row["F"] for row in self.data["rows"]}
        self.assertGreaterEqual(best[""], 0.59)
        self.assertGreater(best["--sigma 3"], best["--color gray --sigma 3"])
        self.assertGreater(best["--color gray --sigma 3"], best["--color gray --sigma 1.4"])

    def test_edges_of_other_kinds_of_pictures(self):
        default, before = self.data["edges"]["rows"]
        self.assertGreater(default["F"], before["F"] + 0.1)
        for row, name in ((default, default["setting"]), (before, "σ 3, the default before")):
            cells = " | ".join(f"{row[key]:.3f}" for key in ("recall", "precision", "F"))
            self.assertIn(f"| {name} | {cells} |", self.page)

    def test_sweeps_are_measured(self):
        file = DATA.parent / "2026-11-30-sweeps.json"
        rows = json.loads(file.read_text(encoding="utf-8"))["rows"]
        part = self.page.split("## Kinds of pictures")[1].split("## Lines")[0]
        for line in lines_of_sweeps(rows):
            self.assertIn(line + "\n", part)
        for row in rows:
            if row["data"] == "bsds" and row["options"] not in ("", "--method log"):
                words = f"over {len(row['curve'])} thresholds is {row['AP']:.3f}"
                self.assertIn(words, self.details)
            # Of a finer threshold fewer edges are found, and AP is within what the rates allow.
            recalls = [recall for _, recall, _ in row["curve"]]
            self.assertEqual(recalls, sorted(recalls, reverse=True), row["options"])
            self.assertGreaterEqual(len(recalls), 15)
            best = max(2 * r * p / max(r + p, 1e-9) for _, r, p in row["curve"])
            self.assertLess(abs(row["ODS"] - best), 0.005, row["options"])
            self.assertLess(row["AP"], max(recalls))

    def test_log_smooths_twice(self):
        best = {row["options"]: row["F"] for row in self.data["rows"]}
        self.assertGreaterEqual(best["--method log"], 0.56)
        for r in self.data["log_choice"]:
            self.assertIn(
                f"| {r['sigma']}, {r['threshold']} | {r['v']:.3f} · {r['w']:.3f} | {r['t']:.3f} · {r['u']:.3f} |",
                self.details,
            )
        for r in self.data["log_kernel_error"]:
            self.assertIn(f"| {r['sigma']} | {r['at_once']:.2f} | {r['twice']:.3f} |", self.details)
            self.assertLess(r["twice"], 0.1)

    def test_boundaries_reach_their_targets(self):
        sweep = self.data["boundaries_sweep"]
        best = {row["options"]: row["F"] for row in self.data["rows"]}
        self.assertGreaterEqual(best["--method boundaries"], 0.66)
        self.assertGreaterEqual(sweep["ODS"], max(0.67, best["--method boundaries"] - 1e-4))
        settings = ", ".join(map(str, sweep["thresholds"]))
        self.assertIn(f"| ODS, thresholds {settings} | {sweep['ODS']:.3f} |", self.details)
        self.assertIn(f"| OIS, of the same | {sweep['OIS']:.3f} |", self.details)
        self.assertIn(
            f"| F of the default threshold, 9 | {best['--method boundaries']:.3f} |", self.details
        )

    def test_quality_high_reaches_its_target(self):
        best = {row["options"]: row["F"] for row in self.data["rows"]}
        high, fast = best["--method boundaries --quality high"], best["--method boundaries"]
        self.assertGreaterEqual(high, 0.71)
        self.assertIn(
            f"| F of quality high at the default threshold | {high:.3f} | 0.71 |", self.details
        )
        self.assertIn(f"| F of quality fast | {fast:.3f} | |", self.details)

    def test_regions_reach_their_target(self):
        found = self.data["regions"]
        self.assertGreaterEqual(found["ODS"], 0.72)
        settings = ", ".join(map(str, found["thresholds"]))
        for name, value in (
            (f"ODS, thresholds {settings}", f"{found['ODS']:.3f} | 0.72"),
            ("OIS, of the same", f"{found['OIS']:.3f} |"),
            ("F of the default threshold, 0.45", f"{found['F']:.3f} |"),
        ):
            self.assertIn(f"| {name} | {value} |", self.details)
        self.assertIn(
            "recall {recall:.3f},\nprecision {precision:.3f} and F {F:.3f}".format(**found),
            self.page,
        )

    def test_the_promises_are_the_figures(self):
        rows = {row["options"]: row for row in self.data["rows"]}
        default, boundaries = rows[""], rows["--method boundaries"]
        high = rows["--method boundaries --quality high"]
        for text in (
            f"finds {100 * default['recall']:.0f} % of the boundaries",
            f"{100 * default['precision']:.0f} % of what it finds is right",
            f"{100 * boundaries['recall']:.0f} % found, {100 * boundaries['precision']:.0f} % right",
            f"{100 * high['recall']:.0f} % found, {100 * high['precision']:.0f} % right",
        ):
            self.assertIn(text, self.page)

    def test_faults_are_found(self):
        f = f"| {self.data['rows'][0]['F']:.3f} |"
        self.assertIn(f, self.page)
        self.assertEqual(len(faults(self.page.replace(f, "| 0.999 |", 1), self.data)), 1)
        row = next(line for line in self.page.splitlines() if f in line)
        self.assertEqual(len(faults(self.page.replace(row + "\n", "", 1), self.data)), 1)
        self.data["rows"][0]["F"] += 0.01
        self.assertEqual(len(faults(self.page, self.data)), 2)


if __name__ == "__main__":
    unittest.main()

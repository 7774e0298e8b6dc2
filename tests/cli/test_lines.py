#!/usr/bin/env python3
"""cuesta edges --lines: the three kinds of file, where they go, what is refused, and the page of what they are off by.

    test_lines.py PATH-TO-CUESTA [unittest arguments]

Files are read back by jsonschema and geojson where Python has them; scripts/check-python runs it with both.
"""

import importlib
import json
import math
import os
import re
import runpy
import sys
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import test_command
from test_command import INPUT, USAGE, CommandTest, pgm, png, square, y4m

ROOT = Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"
GIVEN = ("--sigma", "1.4", "--low", 80, "--high", 160)


def reader(name):
    """The module of that name, or the test is skipped."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise unittest.SkipTest(f"{name} reads this back, and is not installed") from error


class LinesTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.square = self.file("square.pgm", pgm(40, 30, square()))

    def text(self, *arguments):
        return self.run_cuesta(
            "edges", "square.pgm", *GIVEN, "--lines", "-", *arguments
        ).stdout.decode()

    def json(self, *arguments):
        return json.loads(self.text("--lines-format", "json", *arguments))

    def refused(self, *arguments, code=USAGE):
        return self.run_cuesta("edges", *arguments, code=code).stderr.decode()


class Files(LinesTest):
    def test_json_is_the_square(self):
        found = self.json("--line-tolerance", 0)
        self.assertEqual(
            [found[name] for name in ("schema", "source", "width", "height", "method")],
            [1, "square.pgm", 40, 30, "canny"],
        )
        (line,) = found["lines"]
        self.assertTrue(line["closed"])
        self.assertGreater(line["strength"], 160)
        self.assertAlmostEqual(line["length"], 2 * (20 + 14), delta=6)  # round corners
        # Steps are between pixels: 9 and 10, 29 and 30; 7 and 8, 21 and 22. Corners are rounded by the smoothing.
        sides = [p for p in line["points"] if 15 <= p[0] <= 24 or 13 <= p[1] <= 16]
        self.assertGreater(len(sides), 20)
        for x, y, _ in sides:
            off = min(abs(x - 9.5), abs(x - 29.5), abs(y - 7.5), abs(y - 21.5))
            self.assertLess(off, 0.06, (x, y))

    def test_json_follows_the_schema(self):
        jsonschema = reader("jsonschema")
        schema = json.loads((ROOT / "docs/schemas/lines-1.schema.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(schema)
        for arguments in ((), ("--line-tolerance", 0), ("--min-length", 1000)):
            found = self.json(*arguments)
            validator.validate(found)
        self.assertEqual(found["lines"], [])
        log = json.loads(
            self.run_cuesta(
                "edges",
                "square.pgm",
                "--method",
                "log",
                "--sigma",
                1.4,
                "--threshold",
                5,
                "--lines",
                "-",
                "--lines-format",
                "json",
            ).stdout
        )
        validator.validate(log)
        self.assertTrue(log["lines"])
        regions = ("--method", "regions", "--lines", "regions.json")
        self.run_cuesta("edges", "square.pgm", *regions)
        validator.validate(json.loads((self.at / "regions.json").read_text()))
        # The schema sees what is wrong.
        log["lines"][0]["points"][0].append(0)
        self.assertFalse(validator.is_valid(log))

    def test_svg_is_drawn_over_the_picture(self):
        whole = self.json()["lines"]
        svg = ElementTree.fromstring(self.text())
        self.assertEqual(
            (svg.tag, svg.get("width"), svg.get("height"), svg.get("viewBox")),
            (f"{SVG}svg", "40", "30", "0 0 40 30"),
        )
        self.assertEqual(svg.findtext(f"{SVG}title"), "square.pgm")
        paths = svg.findall(f"{SVG}g/{SVG}path")
        self.assertEqual(len(paths), len(whole))
        for path, line in zip(paths, whole):
            told = re.fullmatch(r"M([-\d., ]+)(Z?)", path.get("d"))
            self.assertEqual(bool(told[2]), line["closed"])
            points = [tuple(map(float, pair.split(","))) for pair in told[1].split(" ")]
            self.assertEqual(len(points), len(line["points"]))
            for (x, y), (px, py, _) in zip(points, line["points"]):
                self.assertAlmostEqual(x, px + 0.5, delta=0.0011)
                self.assertAlmostEqual(y, py + 0.5, delta=0.0011)

    def test_geojson_lies_on_the_picture_with_y_up(self):
        found = json.loads(self.text("--lines-format", "geojson"))
        self.assertEqual((found["type"], found["name"]), ("FeatureCollection", "square"))
        for feature, line in zip(found["features"], self.json()["lines"], strict=True):
            self.assertEqual(feature["geometry"]["type"], "LineString")
            self.assertEqual(feature["properties"]["closed"], line["closed"])
            points = feature["geometry"]["coordinates"]
            self.assertEqual(points[0] == points[-1], line["closed"])
            for (x, y), (px, py, _) in zip(points, line["points"]):
                self.assertAlmostEqual(x, px + 0.5, delta=0.0011)
                self.assertAlmostEqual(y, -py - 0.5, delta=0.0011)

    def test_geojson_is_valid_to_a_reader(self):
        geojson = reader("geojson")
        for options in ((), ("--min-length", 1000)):
            found = geojson.loads(self.text("--lines-format", "geojson", *options))
            self.assertTrue(found.is_valid, found.errors())

    def test_a_name_that_markup_would_take_for_its_own(self):
        name = "a<b>&\"c'.pgm"
        self.file(name, pgm(40, 30, square()))
        svg = self.run_cuesta("edges", self.at / name, "--lines", "-").stdout
        self.assertEqual(ElementTree.fromstring(svg).findtext(f"{SVG}title"), name)
        for kind in ("json", "geojson"):
            json.loads(
                self.run_cuesta("edges", name, "--lines", "-", "--lines-format", kind).stdout
            )

    def test_sixteen_bits_have_their_own_levels(self):
        self.file("deep.png", png(40, 30, [257 * v for v in square()], bits=16))
        deep = json.loads(
            self.run_cuesta(
                "edges",
                "deep.png",
                "--sigma",
                1.4,
                "--low",
                80 * 257,
                "--high",
                160 * 257,
                "--lines",
                "-",
                "--lines-format",
                "json",
            ).stdout
        )
        plain = self.json()
        self.assertEqual(len(deep["lines"]), len(plain["lines"]))
        self.assertAlmostEqual(
            deep["lines"][0]["strength"] / plain["lines"][0]["strength"], 257, delta=1
        )

    def test_a_region_counts_from_its_own_corner(self):
        found = self.json("--region", "5,4,35,26")
        self.assertEqual((found["width"], found["height"]), (35, 26))
        self.assertAlmostEqual(
            min(p[0] for line in found["lines"] for p in line["points"]), 4.5, delta=0.2
        )


class Regions(LinesTest):
    def polygons(self, kind, *arguments):
        words = ("--method", "regions", "--lines", "-", "--lines-format", kind, *arguments)
        return self.run_cuesta("edges", "square.pgm", *words).stdout.decode()

    def test_polygons_are_the_regions(self):
        found = json.loads(self.polygons("json"))
        self.assertEqual(found["method"], "regions")
        around, inside = found["regions"]
        self.assertEqual((around["label"], inside["label"]), (1, 2))
        self.assertEqual(around["area"] + inside["area"], 40 * 30)
        self.assertEqual([len(one["rings"]) for one in (around, inside)], [2, 1])
        self.assertEqual(
            around["rings"][0], [[-0.5, -0.5], [39.5, -0.5], [39.5, 29.5], [-0.5, 29.5]]
        )
        self.assertGreater(inside["mean"], around["mean"] + 50)
        # The hole is the other region's border, walked the other way.
        self.assertEqual(sorted(around["rings"][1]), sorted(inside["rings"][0]))
        labels = ("-o", "labels.png", "--labels", "--lines", "of-labels.json")
        self.run_cuesta("edges", "square.pgm", "--method", "regions", *labels)
        self.assertEqual(
            json.loads((self.at / "of-labels.json").read_text())["regions"], found["regions"]
        )

    def test_geojson_has_polygons_that_are_closed_and_turn_to_the_left(self):
        for feature in json.loads(self.polygons("geojson"))["features"]:
            self.assertEqual(feature["geometry"]["type"], "Polygon")
            self.assertEqual(list(feature["properties"]), ["label", "area", "mean"])
            total = 0
            for ring in feature["geometry"]["coordinates"]:
                self.assertEqual(ring[0], ring[-1])
                area = sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, ring[1:])) / 2
                self.assertEqual(area > 0, ring is feature["geometry"]["coordinates"][0])
                total += area
            self.assertEqual(total, feature["properties"]["area"])

    def test_svg_has_a_path_a_region(self):
        root = ElementTree.fromstring(self.polygons("svg"))
        paths = root.findall(f".//{SVG}path")
        self.assertEqual([path.get("id") for path in paths], ["region-1", "region-2"])
        self.assertEqual([path.get("d").count("Z") for path in paths], [2, 1])

    def test_facts_and_what_is_refused(self):
        words = ("--method", "regions", "--lines", "l.svg")
        told = json.loads(self.run_cuesta("edges", "square.pgm", *words, "--json").stdout)
        self.assertEqual(told["polygons"], 2)
        self.assertNotIn("lines", told)
        self.assertIn(
            "--refinement is pixel; polygons of regions follow the sides of pixels",
            self.refused("square.pgm", *words, "--refinement", "pixel"),
        )
        one = self.polygons("json", "--threshold", 1)
        self.assertEqual(len(json.loads(one)["regions"]), 1)


class Places(LinesTest):
    def test_beside_and_instead_of_a_picture(self):
        self.run_cuesta("edges", "square.pgm", *GIVEN, "-o", "plain.png")
        self.run_cuesta("edges", "square.pgm", *GIVEN, "-o", "edges.png", "--lines", "lines.svg")
        self.assertEqual((self.at / "edges.png").read_bytes(), (self.at / "plain.png").read_bytes())
        self.assertEqual((self.at / "lines.svg").read_text(), self.text())

    def test_a_folder_gets_a_file_a_picture(self):
        (self.at / "in").mkdir()
        for name in ("a.pgm", "b.pgm", "b.png"):
            data = png(40, 30, square()) if name.endswith("png") else pgm(40, 30, square())
            (self.at / "in" / name).write_bytes(data)
        self.run_cuesta("edges", "in", "--lines", "out", "--lines-format", "geojson")
        self.assertEqual(
            sorted(p.name for p in (self.at / "out").iterdir()),
            ["a.geojson", "b.pgm.geojson", "b.png.geojson"],
        )
        self.run_cuesta("edges", "in/a.pgm", "--lines", "other/", "-o", "edges/")
        self.assertEqual([p.name for p in (self.at / "other").iterdir()], ["a.svg"])
        self.assertEqual([p.name for p in (self.at / "edges").iterdir()], ["a.pgm"])

    def test_a_bad_picture_leaves_no_file_and_the_others_theirs(self):
        self.file("bad.pgm", b"P5\n40 30\n255\n")
        self.refused("square.pgm", "bad.pgm", "--lines", "out/", code=INPUT)
        self.assertEqual([p.name for p in (self.at / "out").iterdir()], ["square.svg"])

    def test_threads_change_nothing(self):
        samples = [
            (x * x * 7 + y * y * 13 + x * y * 5) // 64 % 256 for y in range(120) for x in range(160)
        ]
        self.file("rings.pgm", pgm(160, 120, samples))
        for method in ("canny", "log"):
            told = {
                self.run_cuesta(
                    "edges",
                    "rings.pgm",
                    "--method",
                    method,
                    "--sigma",
                    1.4,
                    "--lines",
                    "-",
                    "--threads",
                    n,
                ).stdout
                for n in (1, 2, 5)
            }
            self.assertEqual(len(told), 1)
            self.assertGreater(told.pop().count(b"<path"), 20)

    def test_facts(self):
        told = json.loads(
            self.run_cuesta("edges", "square.pgm", *GIVEN, "--lines", "l.svg", "--json").stdout
        )
        self.assertEqual((told["lines_output"], told["lines"]), ("l.svg", 1))
        self.assertNotIn("output", told)
        self.assertIn(
            b"1 lines",
            self.run_cuesta("edges", "square.pgm", *GIVEN, "--lines", "l.svg", "-v").stderr,
        )

    def test_what_cannot_be_meant(self):
        self.file("movie.y4m", y4m(16, 16, [bytes(256)] * 2))
        for arguments, said in (
            ((), "no output is set; use -o OUT, --lines OUT or both"),
            (
                ("--lines", "l.dxf"),
                "--lines is l.dxf; the extension must be .svg, .geojson or .json",
            ),
            (
                ("--lines", "l.svg", "--lines-format", "json"),
                "--lines is l.svg; the extension sets the format",
            ),
            (("--lines-format", "json", "-o", "e.png"), "it requires --lines"),
            (("--min-length", 3, "-o", "e.png"), "--min-length is 3; it requires --lines"),
            (
                ("--lines", "l.svg", "--line-tolerance", -1),
                "--line-tolerance is -1; it must be 0 or more",
            ),
            (("--lines", "l.svg", "--refinement", "devernays"), "did you mean devernay"),
            (
                ("--lines", "l.svg", "--method", "sobel"),
                "--lines is l.svg; it requires --method canny, log or regions",
            ),
            (
                ("--lines", "l.svg", "--method", "log", "--mode", "threshold"),
                "--mode zero-crossings",
            ),
            (("--lines", "l.svg", "--strength"), "--strength is set; strengths have no lines"),
            (
                ("--strength", "-o", "e.png", "--threshold", 9),
                "--threshold is 9 and --strength is set",
            ),
            (
                ("--strength", "-o", "e.png", "--low", 1, "--high", 2),
                "--low is 1 and --strength is set",
            ),
            (
                ("--strength", "-o", "e.png", "--method", "log"),
                "--strength requires --method canny",
            ),
            (("--lines", "-", "-o", "-"), "-o - already takes standard output"),
            (("--lines", "-", "--json"), "--json already takes standard output"),
        ):
            with self.subTest(arguments=arguments):
                self.assertIn(said, self.refused("square.pgm", *arguments))
        self.assertIn("is a video", self.refused("movie.y4m", "--lines", "l.svg"))
        self.assertIn(
            "--strength is for pictures", self.refused("movie.y4m", "-o", "e.y4m", "--strength")
        )
        self.assertIn(
            "it must be a folder", self.refused("square.pgm", "square.pgm", "--lines", "l.svg")
        )


class Accuracy(LinesTest):
    """docs/dev/accuracy.md shows the figures of docs/results/data, and the command still reaches them."""

    def test_the_page_has_the_table_of_the_figures(self):
        tool = runpy.run_path(str(ROOT / "bench/field/lines-accuracy"))
        rows = json.loads(
            (ROOT / "docs/results/data/2026-11-23-lines.json").read_text(encoding="utf-8")
        )["rows"]
        page = (ROOT / "docs/dev/accuracy.md").read_text(encoding="utf-8")
        self.assertIn(tool["table_of"](rows), page)
        most = {
            n: max(row["methods"]["ours"]["most"] for row in rows if row["noise"] == n)
            for n in (0, 2, 5)
        }
        self.assertLess(most[0], 0.05)
        self.assertIn(
            f"of 2 levels leaves single points up to {most[2]:.3f} away, and of 5 levels up to {most[5]:.3f}",
            " ".join(page.split()),
        )
        promises = (ROOT / "docs/user/accuracy.md").read_text(encoding="utf-8")
        for noise in (2, 5):
            self.assertIn(f"| {noise} | {most[noise]:.3f} |", promises)
        self.assertEqual(
            {
                (row["edge"], row["blur"], row["noise"])
                for row in rows
                if row["methods"]["ours"]["rms"] >= 0.04
            },
            {("circle, radius 5", 0.7, 5)},
        )

    def test_straight_edges_are_as_the_figures_have_them(self):
        tool = runpy.run_path(str(ROOT / "bench/field/lines-accuracy"))
        squares = []
        for degrees in (9, 38, 201):
            distance, coverage = tool["half_plane"](degrees, 0.3, 0)
            side = tool["SIDE"]
            samples = [round(60 + 120 * coverage(x, y)) for y in range(side) for x in range(side)]
            self.file("edge.pgm", pgm(side, side, samples))
            found = json.loads(
                self.run_cuesta(
                    "edges",
                    "edge.pgm",
                    *tool["CANNY"],
                    "--line-tolerance",
                    0,
                    "--lines",
                    "-",
                    "--lines-format",
                    "json",
                ).stdout
            )
            squares += [
                distance(x, y) ** 2
                for line in found["lines"]
                for x, y, _ in line["points"]
                if 8 <= min(x, y) and max(x, y) <= side - 9
            ]
        self.assertGreater(len(squares), 100)
        self.assertLess(math.sqrt(sum(squares) / len(squares)), 0.015)
        self.assertLess(max(squares), 0.05**2)


if __name__ == "__main__":
    test_command.CUESTA = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)

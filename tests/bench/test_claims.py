#!/usr/bin/env python3
"""bench/report/claims.py: a picture for each claim of the papers, of figures made by hand."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench" / "report"))
import charts  # noqa: E402
import claims  # noqa: E402


def row(experiment, strategy, ms, space="device", operation="convolve", **more):
    return {
        "experiment": experiment, "strategy": strategy, "ms": ms, "space": space, "operation": operation,
        "parameters": "", "strategy_parameters": "", "type": "u8", "width": 64, "height": 64, "threads": 0,
        "stages": {}, "pinned_ms": None, "pageable_ms": None, "predicted_ms": None, **more,
    }  # fmt: skip


def run(rows, figures=()):
    return {
        "rows": rows,
        "figures": list(figures),
        "gpu": {"name": "a GPU"},
        "machine": {"cpu": "a CPU"},
        "commit": "c",
        "date": "d",
    }


def points_of(drawing, name, panel=0):
    return next(one["points"] for one in drawing["panels"][panel]["series"] if one["name"] == name)


class Claims(unittest.TestCase):
    def test_tiles_are_over_one_tile_of_the_papers_block(self):
        rows = [
            row("log-ladder", "tiled", ms, parameters="gaussian 5x5", type="f32", width=size,
                strategy_parameters=f"block={block} T={t} unroll=some")
            for size, block, t, ms in ((256, 32, 1, 2), (256, 32, 4, 4), (512, 32, 1, 8), (512, 32, 4, 4),
                                       (256, 16, 1, 99), (512, 16, 1, 99))
        ]  # fmt: skip
        drawing = claims.tiles(run(rows))
        self.assertEqual(
            [panel["title"] for panel in drawing["panels"]], ["gaussian 5x5, f32, blocks of 32"]
        )
        self.assertEqual(points_of(drawing, "T = 4"), [[256, 2], [512, 0.5]])
        self.assertEqual(points_of(drawing, "T = 1"), [[256, 1], [512, 1]])

    def test_memories_take_the_fastest_variant(self):
        rows = [
            row("memory-ladder", "naive", ms, parameters=f"averaging {n}x{n}", width=2048)
            for n, ms in ((3, 0.3), (3, 0.2), (9, 0.8))
        ]
        self.assertEqual(points_of(claims.memories(run(rows)), "naive"), [[3, 200], [9, 800]])

    def test_crossover_leaves_photographs_out(self):
        rows = []
        for size, cpu in ((64, 0.1), (1024, 5.0)):
            more = {"operation": "canny", "width": size}
            rows.append(row("canny-stages", "fused", 1.0, pinned_ms=2.0, pageable_ms=3.0, **more))
            rows.append(row("canny-stages", "global", 4.0, pinned_ms=9.0, pageable_ms=9.0, **more))
            rows.append(row("canny-stages", "fused", 0.01, pinned_ms=0.01, pageable_ms=0.01,
                            **more, parameters="L1, 9 photographs"))  # fmt: skip
            rows.append(row("canny-stages", "npp", 0.01, **more))
            rows.append(row("canny-stages", "simd", cpu, "host", **more | {"threads": 8}))
        drawing = claims.crossover(run(rows))
        self.assertEqual(points_of(drawing, "GPU, pictures resident"), [[64, 1], [1024, 1]])
        self.assertEqual(points_of(drawing, "GPU, from pageable memory"), [[64, 3], [1024, 3]])
        self.assertEqual(points_of(drawing, "CPU, 8 threads"), [[64, 0.1], [1024, 5]])

    def test_search_has_both_fits_of_each_kind(self):
        figures = [
            {"experiment": "canny-stages", "what": "depth", "source": "found", "detail": detail,
             "width": n, "value": value}
            for detail, values in (("", (8, 16, 32)), ("photographs", (6, 7, 8)), ("least", (0, 0, 0)))
            for n, value in zip((64, 128, 256), values)
        ]  # fmt: skip
        drawing = claims.search(run([], figures))
        self.assertEqual(
            [panel["title"] for panel in drawing["panels"]], ["made pictures", "photographs"]
        )
        grows = points_of(drawing, "N^1.00")
        self.assertAlmostEqual(grows[-1][1], 32, places=3)
        steady = points_of(drawing, "a + b log N", 1)
        self.assertEqual((steady[0][1], steady[-1][1]), (6, 8))

    def test_versions_are_ours_in_their_order(self):
        def version(name, ms, words="boxes=gpu"):
            return row("motion-ladder", name, ms, operation="motion", strategy_parameters=words,
                       stages={"blur": ms / 4, "dilate": 3 * ms / 4})  # fmt: skip

        rows = [
            version("v1.1", 0.3), version("v1.0", 0.4), version("fused", 0.1), version("v1.1", 0.2),
            version("v1.0", 0.1, "boxes=gpu windows=mask"), version("plain", 0.1),
        ]  # fmt: skip
        drawing = claims.versions(run(rows))
        found = [(bar["label"], bar["end"]) for bar in drawing["bars"]]
        self.assertEqual(found, [("v1.0", "400 µs"), ("v1.1", "200 µs"), ("fused", "100 µs")])
        self.assertEqual(drawing["bars"][0]["shares"], [25, 75])

    def test_predictions_within_a_fifth_are_counted(self):
        rows = [
            row("model", "naive", 1.0, predicted_ms=ms) for ms in (0.79, 0.81, 1.19, 1.21, None)
        ]
        drawing = claims.predicted(run(rows))
        self.assertTrue(drawing["panels"][0]["title"].startswith("2 of 4 rows"))
        made = charts.svg(drawing)
        self.assertEqual(made.count('stroke="none"'), 1, "points of an operation have no line")

    def test_a_run_without_data_has_no_picture(self):
        self.assertEqual(claims.all_of(run([])), {})


if __name__ == "__main__":
    unittest.main()

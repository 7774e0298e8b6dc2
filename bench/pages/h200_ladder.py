"""What docs/results/h200-ladder.md says of its runs (page.py)."""

import math

import claims
import pictures
from page import Page, grid, lines, number
from runs import (
    Missing,
    ahead,
    among,
    fastest,
    given,
    in_shared,
    is_rung,
    less,
    losses,
    median,
    more,
    named,
    ratios,
    wins,
)

PAGE = Page(
    "h200-ladder",
    measured={
        "run": ("*/papers", "*/gpu", "*/cpu"),
        "two": ("canny/gpu",),
        "compilers": ("convolve/gpu", "log/gpu", "sobel/gpu"),
    },
)
MEMORY = [
    f"memory-ladder {f} {k} {s}"
    for f in ("averaging", "sharpening")
    for k in ("3x3", "5x5", "9x9")
    for s in (256, 512, 1024, 2048)
]


def simd(cell):
    """The words of the CPU's row for the request of a cell."""
    return f"memory-ladder {cell[0]['parameters']} {cell[0]['width']} simd"


def whole(value):
    return f"{value:,.0f}"


@PAGE.part
def papers_steps_h200(page, run):
    page.say(
        "each_five_papers",
        run["gpu"]["name"],
        run["gpu"]["driver"],
        "CUDA " + run["gpu"]["runtime"],
        run["date"][:10],
        run["commit"][:7],
        run["machine"]["threads"],
        run["gpu"]["ceilings"]["copy_gbs"],
        run["gpu"]["ceilings"]["fma_gflops"],
    )


@PAGE.part
def papers_steps_h200_2(page, run, before):
    page.say(
        "turned_conclusions_round",
        wins(
            among(before.cells("memory-ladder"), "naive", "shared", "constant", "texture"),
            named("shared"),
        ),
        wins(
            among(run.cells("memory-ladder !sobel"), "naive", "shared", "constant", "texture"),
            named("shared"),
        ),
    )
    page.say(
        "host_was_slower",
        median(ratios(run, before, "simd")),
        len(ratios(run, before, "simd")),
        median(ratios(run, before, "serial")),
        median(ratios(run, before, "npp")),
    )


@PAGE.part
def papers_steps_h200_3(page, run):
    page.say(
        "experiments_ran_one",
        run.row("motion-ladder v1.0")["pictures"],
        run.row("motion-ladder serial")["pictures"],
    )
    page.holds(
        "experiments_ran_one",
        "100 made and 81 natural" in run.row("canny-stages 1024 fused")["parameters"],
    )
    page.holds(
        "not_ran_one",
        {e for r in run["runs"] if r["commit"][:7] == "405cfd2" for e in r["experiments"]}
        == {"canny-stages", "motion-ladder", "label-density", "model"},
        {e for r in run["runs"] if r["commit"][:7] == "e2997b0" for e in r["experiments"]}
        == {"filter-sizes"},
    )
    page.table(
        "set_up_table",
        grid(
            "step",
            "memory-ladder averaging 5x5",
            [
                "naive",
                "shared",
                "constant",
                "texture",
                "texture-constant",
                "two-pass",
                "separable",
                "separable-tiled",
            ],
            ["256", "512", "1024", "2048"],
            lambda words: (1000 * (run.row(words)["set_up_ms"] or 0), run.us(words)),
            form="{:.1f} · {}",
        ),
    )
    page.say(
        "taps_global_memory",
        1000 * min(r["set_up_ms"] for r in run.rows("convolve naive")),
        1000 * max(r["set_up_ms"] for r in run.rows("convolve naive")),
        1000 * min(r["set_up_ms"] for r in run.rows("convolve texture")),
        1000 * max(r["set_up_ms"] for r in run.rows("convolve texture")),
        1000 * min(r["set_up_ms"] for r in run.rows("convolve texture-constant")),
        1000 * max(r["set_up_ms"] for r in run.rows("convolve texture-constant")),
        1000 * max(r["set_up_ms"] or 0 for r in run.rows("convolve constant")),
        1000 * run.row("memory-ladder averaging 3x3 256 naive")["set_up_ms"],
        run.us("memory-ladder averaging 3x3 256 naive"),
        1000 * run.row("memory-ladder averaging 3x3 256 texture")["set_up_ms"],
        run.us("memory-ladder averaging 3x3 256 texture"),
    )
    page.say(
        "picture_between_two",
        1000
        * max(
            r["set_up_ms"]
            for name in ("two-pass", "separable", "separable-tiled")
            for r in run.rows("log-ladder convolve 4096 " + name)
        ),
        1000 * max(r["set_up_ms"] or 0 for r in run.rows("log-ladder log !plain !fused")),
    )


@PAGE.part
def paper_log_two_convolutions(page, run):
    page.table(
        "log_winners",
        grid(
            "fastest rung",
            "log-ladder convolve",
            [
                ("Laplacian 3 × 3, f32", "laplacian f32"),
                ("Gaussian 5 × 5, f32", "gaussian f32"),
                ("Laplacian 3 × 3, u8", "laplacian u8"),
                ("Gaussian 5 × 5, u8", "gaussian u8"),
            ],
            ["256", "512", "1024", "2048", "4096"],
            lambda words: tuple(run.winner(words)),
            form="{} {}",
        ),
    )
    page.say(
        "shared_memory_wins",
        wins(run.cells("log-ladder convolve"), in_shared),
        wins(
            run.cells("log-ladder convolve 256") + run.cells("log-ladder convolve 512"), in_shared
        ),
        wins(run.cells("log-ladder convolve 1024"), in_shared),
        wins(
            run.cells("log-ladder convolve 2048") + run.cells("log-ladder convolve 4096"), in_shared
        ),
        wins(run.cells("log-ladder convolve"), named("tiled")),
        wins(run.cells("log-ladder convolve"), named("adaptive-tiled")),
        wins(
            run.cells("log-ladder convolve 256") + run.cells("log-ladder convolve 512"),
            named("constant"),
        ),
    )
    page.say(
        "one_tile_block",
        ahead(run.cells("log-ladder convolve"), "shared", "naive"),
        ahead(run.cells("log-ladder convolve"), "shared-constant", "constant"),
        less(
            run.ms("log-ladder laplacian f32 4096 tiled T=8"),
            run.ms("log-ladder laplacian f32 4096 shared-constant"),
        ),
    )
    page.holds(
        "one_tile_block",
        ahead(
            run.cells("log-ladder laplacian") + run.cells("log-ladder gaussian f32"),
            "shared",
            "naive",
        )
        == (1, 20),
        ahead(
            run.cells("log-ladder laplacian") + run.cells("log-ladder gaussian f32"),
            "shared-constant",
            "constant",
        )
        == (0, 20),
    )
    page.say(
        "adaptive_tiling_paper",
        ahead(run.cells("log-ladder convolve"), "adaptive-tiled", "tiled"),
        ahead(
            run.cells("log-ladder convolve 2048") + run.cells("log-ladder convolve 4096"),
            "adaptive-tiled",
            "constant",
        ),
    )
    page.say(
        "taps_constant_bank",
        ahead(run.cells("log-ladder convolve"), "constant", "naive"),
        less(
            run.ms("log-ladder laplacian f32 4096 constant"),
            run.ms("log-ladder laplacian f32 4096 naive"),
        ),
        less(
            run.ms("log-ladder gaussian f32 4096 constant"),
            run.ms("log-ladder gaussian f32 4096 naive"),
        ),
    )
    page.say(
        "separable_filters_win",
        wins(run.cells("log-ladder gaussian"), named("separable", "two-pass", "separable-tiled")),
        ahead(run.cells("log-ladder gaussian"), "separable", "naive"),
        ahead(run.cells("log-ladder gaussian"), "separable", "constant"),
        ahead(run.cells("log-ladder gaussian"), "two-pass", "separable"),
        ahead(run.cells("log-ladder gaussian"), "separable-tiled", "constant"),
        ahead(run.cells("log-ladder gaussian"), "separable-tiled", "tiled"),
    )
    page.holds(
        "separable_filters_win",
        wins(run.cells("log-ladder gaussian f32 4096"), named("separable-tiled")) == (1, 1),
    )
    page.say(
        "transposing_column_tile",
        (
            sum(
                (
                    a["ms"] < b["ms"]
                    for a, b in zip(
                        run.rows("log-ladder convolve separable-tiled transpose=off"),
                        run.rows("log-ladder convolve separable-tiled transpose=on"),
                    )
                )
            ),
            len(run.rows("log-ladder convolve separable-tiled transpose=on")),
        ),
        100
        - 100
        * median(
            (
                a["ms"] / b["ms"]
                for a, b in zip(
                    run.rows("log-ladder convolve separable-tiled transpose=off"),
                    run.rows("log-ladder convolve separable-tiled transpose=on"),
                )
            )
        ),
        100
        - 100
        * min(
            (
                a["ms"] / b["ms"]
                for a, b in zip(
                    run.rows("log-ladder convolve separable-tiled transpose=off"),
                    run.rows("log-ladder convolve separable-tiled transpose=on"),
                )
            )
        ),
    )
    page.holds(
        "transposing_column_tile",
        all(
            (
                a["strategy_parameters"].replace("=off", "=on") == b["strategy_parameters"]
                and (a["type"], a["width"]) == (b["type"], b["width"])
                for a, b in zip(
                    run.rows("log-ladder convolve separable-tiled transpose=off"),
                    run.rows("log-ladder convolve separable-tiled transpose=on"),
                )
            )
        ),
    )
    page.say(
        "they_win",
        run.gflops("roofline average f32 separable-tiled"),
        run.gflops("roofline average f32 two-pass"),
        run.gflops("roofline average f32 separable"),
        run.gflops("roofline average f32 tiled"),
        run.gflops("roofline average f32 constant"),
        run.gflops("roofline average f32 naive"),
    )
    page.holds("they_win", wins(run.cells("roofline average"), named("separable-tiled")) == (2, 2))
    page.say(
        "rolling_rows_paper",
        ahead(run.cells("log-ladder convolve"), "naive", "row-cyclic"),
        run.ms("log-ladder laplacian f32 256 row-cyclic")
        / run.ms("log-ladder laplacian f32 256 naive"),
        run.ms("log-ladder laplacian f32 4096 row-cyclic")
        / run.ms("log-ladder laplacian f32 4096 naive"),
    )

    def tiles(words):
        times(words)
        count = run.row(words)["statistics"].get("tiles")
        if count is None:
            raise Missing("one", "a block of this step works on one tile, so it has no T", words)
        return f"{count:.0f}"

    def times(words):
        try:
            return run.ms(words), run.copies(words)
        except Missing:
            if "laplacian" not in words:
                raise
            raise Missing(
                "not separable",
                "the Laplacian has no factors, so steps of two passes do not take it",
                words,
            ) from None

    page.table(
        "log_steps",
        grid(
            "step",
            "log-ladder f32 4096",
            [
                "naive",
                "constant",
                ("`shared`, each thread loads one", "shared load=one-each"),
                ("`shared`, by position", "shared load=by-position"),
                "shared-constant",
                "texture",
                "texture-constant",
                ("`tiled` T = 1", "tiled T=1"),
                ("`tiled` T = 2", "tiled T=2"),
                ("`tiled` T = 4", "tiled T=4"),
                ("`tiled` T = 8", "tiled T=8"),
                ("`tiled` T = 21", "tiled T=21"),
                ("`adaptive-tiled` in 48 KiB", "adaptive-tiled limit=48k"),
                ("`adaptive-tiled` in all", "adaptive-tiled limit=device"),
                "two-pass",
                "separable",
                ("`separable-tiled` T = 4, transposed", "separable-tiled T=4 transpose=on"),
                ("`separable-tiled` T = 4, not transposed", "separable-tiled T=4 transpose=off"),
                ("`separable-tiled` T = 8, transposed", "separable-tiled T=8 transpose=on"),
                ("`separable-tiled` T = 8, not transposed", "separable-tiled T=8 transpose=off"),
                ("`separable-tiled` T = 21, transposed", "separable-tiled T=21 transpose=on"),
                ("`separable-tiled` T = 21, not transposed", "separable-tiled T=21 transpose=off"),
                "row-cyclic",
                ("NPP", "npp"),
            ],
            [
                ("Laplacian 3 × 3", "laplacian"),
                ("T", lambda words: tiles(words + " laplacian")),
                ("Gaussian 5 × 5", "gaussian"),
                ("T", lambda words: tiles(words + " gaussian")),
            ],
            times,
            form="{:.3f} ({:.1f})",
        ),
    )
    page.say("t_adaptive_rung", given(48, "what a block has without asking for more, by CUDA"))
    page.holds(
        "t_adaptive_rung",
        run.row("log-ladder laplacian f32 4096 adaptive-tiled limit=48k")["statistics"]["tiles"]
        == 11,
        run.row("log-ladder gaussian f32 4096 adaptive-tiled limit=48k")["statistics"]["tiles"]
        == 10,
        run.row("log-ladder laplacian f32 4096 adaptive-tiled limit=device")["statistics"]["tiles"]
        == 53,
        run.row("log-ladder gaussian f32 4096 adaptive-tiled limit=device")["statistics"]["tiles"]
        == 50,
        all(
            run.ms(f"log-ladder {f} f32 4096 adaptive-tiled limit=48k")
            < run.ms(f"log-ladder {f} f32 4096 adaptive-tiled limit=device")
            for f in ("laplacian", "gaussian")
        ),
    )
    page.say(
        "t_paper_s",
        more(
            run.ms("log-ladder laplacian f32 4096 tiled T=21"),
            run.ms("log-ladder laplacian f32 4096 tiled T=8"),
        ),
        more(
            run.ms("log-ladder gaussian f32 4096 tiled T=21"),
            run.ms("log-ladder gaussian f32 4096 tiled T=8"),
        ),
        100
        * run.ms("log-ladder laplacian f32 4096 tiled T=8")
        / run.ms("log-ladder laplacian f32 4096 tiled T=1"),
        100
        * run.ms("log-ladder gaussian f32 4096 tiled T=8")
        / run.ms("log-ladder gaussian f32 4096 tiled T=1"),
        run.ms("log-ladder laplacian f32 4096 tiled T=1")
        / run.ms("log-ladder laplacian f32 4096 shared-constant"),
    )
    page.say(
        "theory",
        run.row("roofline laplacian f32 naive")["intensity_paper"]
        * run["gpu"]["ceilings"]["copy_gbs"],
        run.gflops("roofline laplacian f32 naive"),
        run.gflops("roofline average f32 naive"),
        (
            round(run.gflops("log-ladder laplacian f32 4096 tiled T=8")),
            round(
                run.row("log-ladder laplacian f32 4096 tiled T=8")["intensity_paper"]
                * run["gpu"]["ceilings"]["copy_gbs"]
            ),
        ),
    )
    page.say("fast_log_as", run.row("log-ladder log u8 4096 simd")["threads"])
    page.table(
        "log_whole",
        grid(
            "two passes of",
            "log-ladder log u8",
            [
                "naive",
                "shared",
                "shared-constant",
                "constant",
                "texture",
                "texture-constant",
                "separable",
                "tiled",
                "adaptive-tiled",
                "separable-tiled",
                "row-cyclic",
                ("`fused`, one pass", "fused"),
                ("CPU `simd`", "simd"),
                ("CPU `serial`, one core", "serial"),
            ],
            ["256", "512", "1024", "2048", "4096"],
            run.us,
            True,
        ),
    )
    page.say(
        "fused_ahead_every",
        len(run.cells("log-ladder log u8")),
        less(
            run.ms("log-ladder log u8 256 fused"), run.best("log-ladder log u8 256 constant")["ms"]
        ),
        run.ms("log-ladder log u8 4096 fused"),
        run.copies("log-ladder log u8 4096 fused"),
        run.best("log-ladder log u8 4096 separable-tiled")["ms"]
        / run.ms("log-ladder log u8 4096 fused"),
        run.ms("log-ladder log u8 4096 simd") / run.ms("log-ladder log u8 4096 fused"),
        run.row("log-ladder log u8 4096 simd")["threads"],
        run.ms("log-ladder log u8 4096 serial") / run.ms("log-ladder log u8 4096 fused"),
        less(run.ms("log-ladder log u8 256 fused"), run.ms("log-ladder log u8 256 simd")),
    )
    page.holds(
        "fused_ahead_every",
        all(
            run.ms(f"log-ladder log u8 {size} fused")
            < min(r["ms"] for r in run.cells(f"log-ladder log u8 {size}")[0])
            for size in (256, 512, 1024, 2048, 4096)
        ),
        fastest(run.cells("log-ladder log u8 256")[0])["strategy"] == "constant",
        fastest(run.cells("log-ladder log u8 4096")[0])["strategy"] == "separable-tiled",
        all(
            run.ms(f"log-ladder log u8 {size} fused") < run.ms(f"log-ladder log u8 {size} simd")
            for size in (256, 512, 1024, 2048, 4096)
        ),
    )


@PAGE.part
def paper_convolution_gpu_s_memories(page, run):
    page.say(
        "memory_fastest",
        max(
            abs(
                more(
                    run.ms(f"memory-ladder sharpening {k} {s} {n}"),
                    run.ms(f"memory-ladder averaging {k} {s} {n}"),
                )
            )
            for k in ("3x3", "5x5", "9x9")
            for s in (256, 512, 1024, 2048)
            for n in ("naive", "shared", "constant", "texture")
        ),
    )
    page.holds(
        "memory_fastest",
        all(
            run.figure(f"memory-ladder averaging {k} {s} naive paper kernel")
            > run.ms(f"memory-ladder averaging {k} {s} naive")
            for k in ("3x3", "5x5", "9x9")
            for s in (256, 512, 1024, 2048)
        ),
    )
    page.table(
        "memory_times",
        grid(
            "filter, image",
            "memory-ladder averaging",
            [
                (f"{k}, {s}²", f"{k} {s}")
                for s in (256, 512, 1024, 2048)
                for k in ("3x3", "5x5", "9x9")
            ],
            [(f"`{name}`", name) for name in ("serial", "naive", "shared", "constant", "texture")],
            lambda words: (run.us(words), 1000 * run.figure(words + " paper kernel")),
            form="{} · {}",
        ),
    )
    page.table(
        "memory_winners",
        grid(
            "fastest rung",
            "memory-ladder",
            [
                (f"{name} {k}", f"{name} {k}")
                for name in ("averaging", "sharpening")
                for k in ("3x3", "5x5", "9x9")
            ],
            ["256", "512", "1024", "2048"],
            lambda words: tuple(run.winner(words)),
            form="{} {}",
        ),
    )
    page.say(
        "paper_s_four",
        wins(
            among(run.cells("memory-ladder !sobel"), "naive", "shared", "constant", "texture"),
            named("constant"),
        ),
        wins(
            among(run.cells("memory-ladder !sobel"), "naive", "shared", "constant", "texture"),
            named("naive"),
        ),
        ahead(run.cells("memory-ladder !sobel"), "naive", "shared"),
        losses(
            among(run.cells("memory-ladder !sobel"), "naive", "shared", "constant", "texture"),
            named("texture"),
        ),
        min(run.ms(f"{cell} texture") / run.ms(f"{cell} naive") for cell in MEMORY),
        max(run.ms(f"{cell} texture") / run.ms(f"{cell} naive") for cell in MEMORY),
    )
    page.holds(
        "paper_s_four",
        all(
            max((n, run.figure(f"{cell} {n} paper kernel")) for n in ("shared",))[1]
            >= max(run.figure(f"{cell} {n} paper kernel") for n in ("naive", "constant", "texture"))
            for cell in MEMORY
        ),
        all(
            min(run.figure(f"{cell} {n} paper kernel") for n in ("constant", "texture"))
            < min(run.figure(f"{cell} {n} paper kernel") for n in ("naive", "shared"))
            for cell in MEMORY
        ),
        max(run.ms(f"{cell} texture") / run.ms(f"{cell} naive") for cell in MEMORY)
        == max(
            run.ms(f"memory-ladder {f} 9x9 2048 texture")
            / run.ms(f"memory-ladder {f} 9x9 2048 naive")
            for f in ("averaging", "sharpening")
        ),
    )
    page.say(
        "shared_memory_pays",
        wins(run.cells("memory-ladder !sobel 3x3"), in_shared),
        wins(run.cells("memory-ladder 5x5"), in_shared),
        wins(run.cells("memory-ladder 9x9"), in_shared),
        wins(run.cells("memory-ladder !sobel"), named("tiled")),
        wins(run.cells("memory-ladder !sobel"), named("shared-constant")),
        wins(run.cells("memory-ladder !sobel"), named("separable-tiled")),
    )
    page.holds(
        "shared_memory_pays",
        wins(
            run.cells("memory-ladder !sobel 256") + run.cells("memory-ladder !sobel 512"),
            named("tiled"),
        )
        == (0, 12),
        wins(
            run.cells("memory-ladder 9x9 256") + run.cells("memory-ladder 9x9 512"),
            named("shared-constant"),
        )
        == (4, 4),
    )
    page.say(
        "separability_paper_s",
        run.us("memory-ladder averaging 9x9 2048 separable-tiled"),
        run.us("memory-ladder averaging 9x9 2048 two-pass"),
        run.us("memory-ladder averaging 9x9 2048 tiled"),
        run.us("memory-ladder averaging 9x9 2048 constant"),
        wins(
            run.cells("memory-ladder !sobel"),
            named("naive", "global", "constant", "shared-constant", "tiled"),
        ),
    )
    page.holds(
        "separability_paper_s",
        all(
            wins(run.cells(f"memory-ladder averaging 9x9 {s}"), named("separable-tiled")) == (1, 1)
            for s in (1024, 2048)
        ),
    )
    page.say(
        "small_pictures_measure",
        run.us("memory-ladder averaging 3x3 256 constant"),
        run.us("memory-ladder averaging 5x5 256 constant"),
        run.us("memory-ladder averaging 9x9 256 constant"),
        run.us("memory-ladder averaging 3x3 256 shared-constant"),
        run.us("memory-ladder averaging 5x5 256 shared-constant"),
        run.us("memory-ladder averaging 9x9 256 shared-constant"),
        1000 * run.row("memory-ladder averaging 3x3 256 constant")["copy_ms"],
    )
    page.table(
        "memory_speedups",
        grid(
            "filter, image",
            "memory-ladder averaging",
            [
                (f"{k}, {s}²", f"{k} {s}")
                for s in (256, 512, 1024, 2048)
                for k in ("3x3", "5x5", "9x9")
            ],
            [(f"`{name}`", name) for name in ("naive", "shared", "constant", "texture")],
            lambda words: (run.row(words)["speedup"], run.figure(words + " paper speed-up")),
            form="{:,.0f} · {:,.0f}",
        ),
    )

    def overhead(words):
        """Of the block for which the bench timed the transfers: the fastest."""
        row = fastest([row for row in run.rows(words) if row["pageable_ms"]])
        return (
            row["pageable_ms"] - row["ms"],
            row["pinned_ms"] - row["ms"],
            run.figure(words + " paper overhead"),
        )

    page.table(
        "memory_overhead",
        grid(
            "filter, image",
            "memory-ladder averaging",
            [
                (f"{k}, {s}²", f"{k} {s}")
                for s in (256, 512, 1024, 2048)
                for k in ("3x3", "5x5", "9x9")
            ],
            [(f"`{name}`", name) for name in ("naive", "shared", "constant", "texture")],
            overhead,
            form="{:.3f}, {:.3f} · {:.1f}",
        ),
    )


@PAGE.part
def paper_convolution_gpu_s_memories_2(page, run, before):
    page.say(
        "pageable_memory_gpu",
        run.row("memory-ladder averaging 3x3 256 simd")["threads"],
        (
            sum(
                min(r["pageable_ms"] for r in cell) > run.ms(simd(cell))
                for cell in run.cells("memory-ladder !sobel")
            ),
            24,
        ),
        (
            sum(
                min(r["pinned_ms"] for r in cell) < run.ms(simd(cell))
                for cell in run.cells("memory-ladder !sobel")
            ),
            24,
        ),
        (
            sum(
                min(r["pinned_ms"] for r in cell) < before.ms(simd(cell))
                for cell in before.cells("memory-ladder")
            ),
            24,
        ),
        (
            sum(
                fastest(cell)["ms"] < run.ms(simd(cell))
                for cell in run.cells("memory-ladder !sobel")
            ),
            24,
        ),
        min(run.ms(simd(cell)) / fastest(cell)["ms"] for cell in run.cells("memory-ladder !sobel")),
        max(run.ms(simd(cell)) / fastest(cell)["ms"] for cell in run.cells("memory-ladder !sobel")),
    )


@PAGE.part
def paper_convolution_gpu_s_memories_3(page, run):
    page.table(
        "memory_accesses",
        grid(
            "filter",
            "memory-ladder averaging 2048",
            ["3x3", "5x5", "9x9"],
            [(f"`{name}`", name) for name in ("naive", "shared", "constant", "texture")],
            lambda words: (
                run.figure(words + " paper accesses") / 1e6,
                run.detailed(words + " counted accesses", "block=32") / 1e6,
            ),
            form="{:.1f} · {:.1f}",
        ),
    )
    page.table(
        "memory_rates",
        grid(
            "filter",
            "memory-ladder averaging 2048",
            ["3x3", "5x5", "9x9"],
            [(f"`{name}`", name) for name in ("serial", "naive", "shared", "constant", "texture")],
            lambda words: (run.gflops(words), run.figure(words + " paper rate")),
            form="{} · {}",
        ),
    )


def sobel_steps(run, names, request):
    """Microseconds of each step at two blocks, ours and the paper's, and what it gains over the step before."""

    def ours(name, block):
        return run.us(f"sobel-ladder {request} {name} block={block}")

    def paper(name, block):
        return 1000 * run.figure(f"sobel-ladder {request} {name} block={block} paper")

    columns = [
        gains([times(name, block) for name in names])
        for times in (ours, paper)
        for block in (32, 16)
    ]
    return lines(
        ["step", "here, 32", "here, 16", "paper, 32", "paper, 16"],
        *zip([f"`{name}`" for name in names], *columns),
    )


def gains(values):
    texts = []
    for now, before in zip(values, [None, *values]):
        change = "" if before is None else f" ({number(less(now, before), 0)} %)"
        texts.append(number(now) + change)
    return texts


@PAGE.part
def paper_sobel_sharpening(page, run):
    page.holds(
        "each_use_shared",
        all(
            run.row("sobel-ladder L2 !u8 " + name + " block=32")["width"] == 512
            for name in ("global", "shared-apron")
        ),
    )
    page.table(
        "sobel_steps",
        sobel_steps(run, ("global", "shared-no-apron", "shared-apron", "shared-1d"), "L2 !u8"),
    )
    page.holds("sharpening_f32", run.row("sobel-ladder -1 global block=32")["type"] == "f32")
    page.table("sharpening_steps", sobel_steps(run, ("global", "shared-1d"), "-1"))


@PAGE.part
def paper_sobel_sharpening_2(page, run, before):
    page.say(
        "shared_memory_gains",
        more(
            run.ms("sobel-ladder L2 !u8 shared-apron block=32"),
            run.ms("sobel-ladder L2 !u8 global block=32"),
        ),
        more(
            run.ms("sobel-ladder L2 !u8 shared-apron block=16"),
            run.ms("sobel-ladder L2 !u8 global block=16"),
        ),
        less(
            run.figure("sobel-ladder L2 !u8 shared-apron block=32 paper"),
            run.figure("sobel-ladder L2 !u8 global block=32 paper"),
        ),
        less(
            run.figure("sobel-ladder L2 !u8 shared-apron block=16 paper"),
            run.figure("sobel-ladder L2 !u8 global block=16 paper"),
        ),
        less(
            before.ms("sobel-ladder L2 shared-apron block=32"),
            before.ms("sobel-ladder L2 global block=32"),
        ),
        less(
            before.ms("sobel-ladder L2 shared-apron block=16"),
            before.ms("sobel-ladder L2 global block=16"),
        ),
        min(
            run.us(f"sobel-ladder L2 !u8 {name} block={b}")
            for name in ("global", "shared-no-apron", "shared-apron", "shared-1d")
            for b in (16, 32)
        ),
        max(
            run.us(f"sobel-ladder L2 !u8 {name} block={b}")
            for name in ("global", "shared-no-apron", "shared-apron", "shared-1d")
            for b in (16, 32)
        ),
        1000 * run.row("sobel-ladder L2 !u8 global block=32")["copy_ms"],
    )


@PAGE.part
def paper_sobel_sharpening_3(page, run):
    page.say(
        "sharpening_loses",
        more(
            run.ms("sobel-ladder -1 shared-1d block=32"), run.ms("sobel-ladder -1 global block=32")
        ),
        more(
            run.ms("sobel-ladder -1 shared-1d block=16"), run.ms("sobel-ladder -1 global block=16")
        ),
        less(
            run.figure("sobel-ladder -1 shared-1d block=32 paper"),
            run.figure("sobel-ladder -1 global block=32 paper"),
        ),
        less(
            run.figure("sobel-ladder -1 shared-1d block=16 paper"),
            run.figure("sobel-ladder -1 global block=16 paper"),
        ),
        more(
            run.ms("memory-ladder sharpening 3x3 2048 shared-1d"),
            run.ms("memory-ladder sharpening 3x3 2048 global"),
        ),
    )
    page.say(
        "tile_without_apron",
        more(
            run.ms("sobel-ladder L2 !u8 shared-no-apron block=32"),
            run.ms("sobel-ladder L2 !u8 global block=32"),
        ),
        more(
            run.ms("sobel-ladder L2 !u8 shared-no-apron block=16"),
            run.ms("sobel-ladder L2 !u8 global block=16"),
        ),
        more(
            run.ms("sobel-ladder L2 !u8 shared-1d block=32"),
            run.ms("sobel-ladder L2 !u8 shared-apron block=32"),
        ),
        less(
            run.figure("sobel-ladder L2 !u8 shared-1d block=32 paper"),
            run.figure("sobel-ladder L2 !u8 shared-apron block=32 paper"),
        ),
        less(
            run.figure("sobel-ladder L2 !u8 shared-1d block=16 paper"),
            run.figure("sobel-ladder L2 !u8 shared-apron block=16 paper"),
        ),
    )
    page.holds(
        "tile_without_apron",
        all(
            run.figure(f"sobel-ladder L2 !u8 shared-no-apron block={b} paper")
            < run.figure(f"sobel-ladder L2 !u8 global block={b} paper")
            for b in (16, 32)
        ),
        round(
            more(
                run.ms("sobel-ladder L2 !u8 shared-1d block=16"),
                run.ms("sobel-ladder L2 !u8 shared-apron block=16"),
            )
        )
        == 1,
    )
    page.say(
        "figures",
        run.ms("roofline sobel global"),
        min(
            run.ms("roofline sobel " + name)
            for name in ("shared-no-apron", "shared-apron", "shared-1d")
        ),
        max(
            run.ms("roofline sobel " + name)
            for name in ("shared-no-apron", "shared-apron", "shared-1d")
        ),
        run.ms("roofline sobel fused"),
        run.ms("roofline sobel npp"),
        run.row("roofline sobel simd")["threads"],
        run.ms("roofline sobel simd"),
        run.us("sobel-ladder L1 fused"),
        run.us("sobel-ladder L1 global block=32"),
        run.us("sobel-ladder L2 !u8 fused"),
        run.us("sobel-ladder L2 !u8 global block=32"),
    )


@PAGE.part
def paper_canny(page, run):
    page.say("gpu_outperform_cpu", run.figure("canny-stages its goal"))
    page.table(
        "canny_times",
        grid(
            "way",
            "canny-stages",
            [
                (
                    "paper's GPU, P5000",
                    lambda words: 1000 * run.figure(words + " paper GPU all ms"),
                ),
                ("`global`, breadth-first launches", "global hysteresis=bfs-launch"),
                ("`row-cyclic`, breadth-first launches", "row-cyclic hysteresis=bfs-launch"),
                ("`bfs-launch` (production front end)", "bfs-launch !global !row-cyclic window=3"),
                ("`global`, union-find", "global hysteresis=union-find"),
                ("`row-cyclic`, union-find", "row-cyclic hysteresis=union-find"),
                ("`union-find` (production front end)", "union-find !hysteresis=union-find"),
                ("`fused`", "fused"),
                (
                    "`fused` from pageable memory",
                    lambda words: 1000 * run.pageable(words + " fused"),
                ),
                ("`fused` from pinned memory", lambda words: 1000 * run.pinned(words + " fused")),
                ("NPP, another answer", "npp"),
                ("CPU `simd`, 16 threads", "simd"),
                (
                    "paper's CPU, 16 cores",
                    lambda words: 1000 * run.figure(words + " paper CPU all ms"),
                ),
            ],
            ["64", "128", "256", "512", "1024"],
            run.us,
        ),
    )
    page.say(
        "paper_s_own",
        run.us("canny-stages 64 global hysteresis=bfs-launch")
        / (1000 * run.figure("canny-stages 64 paper GPU all ms")),
        run.us("canny-stages 128 global hysteresis=bfs-launch")
        / (1000 * run.figure("canny-stages 128 paper GPU all ms")),
        run.row("canny-stages 64 global hysteresis=bfs-launch")["pictures"],
        1000
        * run.figure("canny-stages 256 paper GPU all ms")
        / run.us("canny-stages 256 global hysteresis=bfs-launch"),
        1000
        * run.figure("canny-stages 512 paper GPU all ms")
        / run.us("canny-stages 512 global hysteresis=bfs-launch"),
        1000
        * run.figure("canny-stages 1024 paper GPU all ms")
        / run.us("canny-stages 1024 global hysteresis=bfs-launch"),
    )
    page.say(
        "union_find_fixed",
        1000
        * run.figure("canny-stages 64 paper GPU all ms")
        / run.us("canny-stages 64 global hysteresis=union-find"),
        1000
        * run.figure("canny-stages 1024 paper GPU all ms")
        / run.us("canny-stages 1024 global hysteresis=union-find"),
        run.ms("canny-stages 1024 global hysteresis=bfs-launch")
        / run.ms("canny-stages 1024 global hysteresis=union-find"),
        run.ms("canny-stages 1024 bfs-launch !global !row-cyclic")
        / run.ms("canny-stages 1024 union-find !global !row-cyclic"),
    )
    page.holds(
        "union_find_fixed",
        all(
            1000 * run.figure(f"canny-stages {s} paper GPU all ms")
            > run.us(f"canny-stages {s} global hysteresis=union-find")
            for s in (64, 128, 256, 512, 1024)
        ),
    )
    page.say(
        "gpu_or_cpu",
        run.row("canny-stages 64 simd")["threads"],
        run.ms("canny-stages 1024 simd") / run.best("canny-stages 1024 canny device !npp")["ms"],
        run.ms("canny-stages 1024 simd")
        / min(r["pinned_ms"] for r in run.rows("canny-stages 1024 canny device !npp")),
    )
    page.holds(
        "gpu_or_cpu",
        all(
            run.ms(f"canny-stages {s} simd") < run.best(f"canny-stages {s} canny device !npp")["ms"]
            for s in (64, 128, 256)
        ),
        all(
            run.ms(f"canny-stages {s} simd") > run.best(f"canny-stages {s} canny device !npp")["ms"]
            for s in (512, 1024)
        ),
        all(
            run.ms(f"canny-stages {s} simd")
            < min(r["pageable_ms"] for r in run.rows(f"canny-stages {s} canny device !npp"))
            for s in (64, 128, 256, 512, 1024)
        ),
        all(
            run.ms(f"canny-stages {s} simd")
            < min(r["pinned_ms"] for r in run.rows(f"canny-stages {s} canny device !npp"))
            for s in (64, 128, 256)
        ),
        run.ms("canny-stages 512 simd")
        > min(r["pinned_ms"] for r in run.rows("canny-stages 512 canny device !npp")),
        all(
            run.ms(f"canny-stages {s} npp") < run.ms(f"canny-stages {s} simd")
            for s in (64, 128, 256, 512, 1024)
        ),
    )
    page.say(
        "frames_second",
        run.figure("canny-stages its goal"),
        run.fps("canny-stages 1024 fused", "pageable"),
        run.fps("canny-stages 1024 fused", "pinned"),
        min(1000 / r["pageable_ms"] for r in run.rows("canny-stages 1024 canny device !npp")),
        run.fps("canny-stages 1024 simd"),
    )
    page.say("where_time_go", run.said("canny-stages paper hysteresis share"))
    page.table(
        "canny_search",
        grid(
            "figure",
            "canny-stages",
            [
                (
                    "hysteresis, %, breadth-first",
                    lambda words: whole(
                        run.share(words + " global hysteresis=bfs-launch", "hysteresis")
                    ),
                ),
                (
                    "hysteresis, %, union-find",
                    lambda words: whole(
                        run.share(words + " global hysteresis=union-find", "hysteresis")
                    ),
                ),
                (
                    "hysteresis, %, `fused`",
                    lambda words: whole(run.share(words + " fused", "hysteresis")),
                ),
                ("depth", lambda words: whole(run.figure(words + " found depth"))),
                ("trees before", lambda words: whole(run.figure(words + " found initial trees"))),
                ("trees after", lambda words: whole(run.figure(words + " found final trees"))),
                (
                    "P5000: paper's model, ms",
                    lambda words: run.figure(words + " model paper's GPU all time"),
                ),
                ("P5000: measured, ms", lambda words: run.figure(words + " paper GPU all time")),
                (
                    "this GPU: paper's model, ms",
                    lambda words: run.figure(words + " model this GPU all time"),
                ),
                (
                    "this GPU: measured, ms",
                    lambda words: run.ms(words + " global hysteresis=bfs-launch"),
                ),
            ],
            ["64", "128", "256", "512", "1024"],
        ),
    )
    page.say(
        "hysteresis_launches_left",
        run.share("canny-stages 1024 global hysteresis=bfs-launch", "hysteresis"),
        min(run.figure(f"canny-stages {s} depth") for s in (64, 128, 256, 512, 1024)),
        max(run.figure(f"canny-stages {s} depth") for s in (64, 128, 256, 512, 1024)),
        run.figure("canny-stages 1024 depth") / run.figure("canny-stages 512 depth"),
        run.figure("canny-stages 64 least depth"),
        run.figure("canny-stages 64 most depth"),
    )
    page.table(
        "hysteresis_ways",
        grid(
            "hysteresis",
            "canny-stages !global !row-cyclic",
            [
                "bfs-launch",
                "bfs-queue",
                "tile-flood",
                "persistent",
                "graph",
                "union-find",
                "runs",
                "fused",
            ],
            ["64", "128", "256", "512", "1024"],
            run.ms,
            True,
        ),
    )
    page.say(
        "queue_gains_nothing",
        more(
            run.ms("canny-stages 1024 bfs-queue"),
            run.ms("canny-stages 1024 bfs-launch !global !row-cyclic"),
        ),
        less(
            run.ms("canny-stages 1024 persistent"),
            run.ms("canny-stages 1024 bfs-launch !global !row-cyclic"),
        ),
        less(
            run.ms("canny-stages 1024 graph"),
            run.ms("canny-stages 1024 bfs-launch !global !row-cyclic"),
        ),
        less(
            run.ms("canny-stages 1024 tile-flood"),
            run.ms("canny-stages 1024 bfs-launch !global !row-cyclic"),
        ),
        less(
            run.ms("canny-stages 1024 union-find !global !row-cyclic"),
            run.ms("canny-stages 1024 bfs-launch !global !row-cyclic"),
        ),
    )
    page.say(
        "rolling_rows_lose",
        min(
            run.stage(f"canny-stages {s} row-cyclic hysteresis={h}", "gaussian", "sobel")
            / run.stage(f"canny-stages {s} global hysteresis={h}", "gaussian", "sobel")
            for s in (64, 128)
            for h in ("bfs-launch", "union-find")
        ),
        max(
            run.stage(f"canny-stages {s} row-cyclic hysteresis={h}", "gaussian", "sobel")
            / run.stage(f"canny-stages {s} global hysteresis={h}", "gaussian", "sobel")
            for s in (64, 128)
            for h in ("bfs-launch", "union-find")
        ),
        min(
            run.stage(f"canny-stages 256 row-cyclic hysteresis={h}", "gaussian", "sobel")
            / run.stage(f"canny-stages 256 global hysteresis={h}", "gaussian", "sobel")
            for h in ("bfs-launch", "union-find")
        ),
        min(
            run.stage(f"canny-stages 512 row-cyclic hysteresis={h}", "gaussian", "sobel")
            / run.stage(f"canny-stages 512 global hysteresis={h}", "gaussian", "sobel")
            for h in ("bfs-launch", "union-find")
        ),
        max(
            run.stage(f"canny-stages 512 row-cyclic hysteresis={h}", "gaussian", "sobel")
            / run.stage(f"canny-stages 512 global hysteresis={h}", "gaussian", "sobel")
            for h in ("bfs-launch", "union-find")
        ),
        min(
            run.stage(f"canny-stages 1024 row-cyclic hysteresis={h}", "gaussian", "sobel")
            / run.stage(f"canny-stages 1024 global hysteresis={h}", "gaussian", "sobel")
            for h in ("bfs-launch", "union-find")
        ),
        run.figure("canny-stages rolling 3"),
        run.figure("canny-stages rolling 5"),
    )
    page.holds(
        "rolling_rows_lose",
        all(
            (
                run.row(f"canny-stages {s} row-cyclic hysteresis=union-find")["kernels"][0][
                    "blocks"
                ]
                == blocks
                for s, blocks in ((64, 64), (128, 128), (256, 128), (512, 128), (1024, 128))
            )
        ),
        max(
            run.stage(f"canny-stages 256 row-cyclic hysteresis={h}", "gaussian", "sobel")
            / run.stage(f"canny-stages 256 global hysteresis={h}", "gaussian", "sobel")
            for h in ("bfs-launch", "union-find")
        )
        < 1.35,
        run.row("canny-stages 1024 row-cyclic hysteresis=union-find")["kernels"][0]["threads"]
        == 256,
        run["gpu"]["multiprocessors"] == 132,
    )
    page.say(
        "time_model",
        run.figure("canny-stages 64 paper GPU all ms")
        / run.figure("canny-stages 64 model paper's GPU all time"),
        run.figure("canny-stages 64 model paper's GPU all time"),
        run.figure("canny-stages 64 paper GPU all ms"),
        run.figure("canny-stages 1024 model paper's GPU all time")
        / run.figure("canny-stages 1024 paper GPU all ms"),
        run.figure("canny-stages 1024 model paper's GPU all time"),
        run.figure("canny-stages 1024 paper GPU all ms"),
        run.figure("canny-stages 1024 model this GPU all time"),
        run.ms("canny-stages 1024 global hysteresis=bfs-launch"),
    )


@PAGE.part
def paper_canny_2(page, two):
    ways = [
        (memory, gpus) for memory in ("page-locked", "pageable") for gpus in ("1 GPU", "2 GPUs")
    ]
    page.table(
        "pipeline",
        lines(
            ["in flight", *(f"{memory}, {gpus}" for memory, gpus in ways)],
            *(
                [flight]
                + [
                    whole(
                        two.detailed(f"canny-pipeline 1024 {memory}", f"{flight} in flight, {gpus}")
                    )
                    for memory, gpus in ways
                ]
                for flight in ("1", "2", "3", "8")
            ),
        ),
    )
    page.say(
        "eight_pictures_flight",
        two.detailed("canny-pipeline 1024 page-locked", "8 in flight, 1 GPU")
        / two.detailed("canny-pipeline 1024 page-locked", "1 in flight, 1 GPU"),
        two.detailed("canny-pipeline 1024 page-locked", "3 in flight, 1 GPU")
        / two.detailed("canny-pipeline 1024 page-locked", "1 in flight, 1 GPU"),
        more(
            two.detailed("canny-pipeline 1024 page-locked", "2 in flight, 2 GPUs"),
            two.detailed("canny-pipeline 1024 page-locked", "2 in flight, 1 GPU"),
        ),
        more(
            two.detailed("canny-pipeline 1024 page-locked", "8 in flight, 2 GPUs"),
            two.detailed("canny-pipeline 1024 page-locked", "8 in flight, 1 GPU"),
        ),
        two.detailed("canny-pipeline 1024 pageable", "3 in flight, 1 GPU")
        / two.detailed("canny-pipeline 1024 pageable", "1 in flight, 1 GPU"),
        more(
            two.detailed("canny-pipeline 1024 pageable", "3 in flight, 2 GPUs"),
            two.detailed("canny-pipeline 1024 pageable", "3 in flight, 1 GPU"),
        ),
    )


@PAGE.part
def paper_moving_objects(page, run):
    page.table(
        "motion_rates",
        grid(
            "frames/s",
            "motion-ladder",
            [
                ("`v1.0` allocates every frame", "v1.0"),
                ("`v1.1` allocates once", "v1.1"),
                ("`v1.2` tiles, constant memory", "v1.2"),
                ("`v1.3` launch shape by search", "v1.3 block_x=16 block_y=32"),
                ("CPU `simd`, 16 threads", "simd"),
                ("CPU `serial`", "serial"),
                ("OpenCV on the CPU", "opencv"),
            ],
            [
                ("resident", run.fps),
                ("from pinned memory", lambda words: run.fps(words, "pinned")),
                ("from pageable memory", lambda words: run.fps(words, "pageable")),
                (
                    "paper, with copies",
                    lambda words: run.figure(
                        words.replace("block_x=16 block_y=32", "") + " paper rate"
                    ),
                ),
            ],
        ),
    )
    page.say(
        "copies_pageable_memory",
        run.fps("motion-ladder v1.0", "pageable"),
        run.fps("motion-ladder v1.2", "pageable"),
        run.fps("motion-ladder simd"),
        run.row("motion-ladder simd")["threads"],
        run.fps("motion-ladder v1.2", "pinned"),
        1000 / run.best("motion-ladder v1.3")["pinned_ms"],
        run.figure("motion-ladder opencv rate"),
    )
    page.holds(
        "copies_pageable_memory",
        all(
            run.row("motion-ladder opencv")["ms"] > run.best("motion-ladder " + v)["pageable_ms"]
            for v in ("v1.0", "v1.1", "v1.2", "v1.3")
        ),
        max(
            run.fps("motion-ladder v1.1", "pageable"),
            1000 / run.best("motion-ladder v1.3")["pageable_ms"],
        )
        < run.fps("motion-ladder v1.2", "pageable"),
        run.fps("motion-ladder v1.1", "pinned") < run.fps("motion-ladder simd"),
        run.fps("motion-ladder v1.0", "pinned") < run.fps("motion-ladder simd"),
        run.fps("motion-ladder v1.1")
        < run.fps("motion-ladder simd")
        < run.fps("motion-ladder v1.2"),
        run.fps("motion-ladder v1.0") < run.fps("motion-ladder simd"),
        all(
            run.figure(f"motion-ladder {v} paper rate") < 450.4
            for v in ("v1.0", "v1.1", "v1.2", "v1.3")
        ),
    )
    page.say(
        "order_versions_holds",
        less(run.ms("motion-ladder v1.1"), run.ms("motion-ladder v1.0")),
        less(run.ms("motion-ladder v1.2"), run.ms("motion-ladder v1.1")),
        less(
            1 / run.figure("motion-ladder v1.1 paper rate"),
            1 / run.figure("motion-ladder v1.0 paper rate"),
        ),
        less(
            1 / run.figure("motion-ladder v1.2 paper rate"),
            1 / run.figure("motion-ladder v1.1 paper rate"),
        ),
    )
    page.say(
        "launch_shape_gains",
        less(run.best("motion-ladder v1.3")["ms"], run.ms("motion-ladder v1.2")),
        less(
            1 / run.figure("motion-ladder v1.3 paper rate"),
            1 / run.figure("motion-ladder v1.2 paper rate"),
        ),
        more(run.worst("motion-ladder v1.3")["ms"], run.best("motion-ladder v1.3")["ms"]),
        more(
            *(
                run.stage(f"motion-ladder v1.3 {shape}", "init", "merge", "compress", "number")
                for shape in ("block_x=8 block_y=4", "block_x=16 block_y=32")
            )
        ),
        more(
            *(
                run.stage(f"motion-ladder v1.3 {shape}", "blur", "dilate", "erode")
                for shape in ("block_x=8 block_y=4", "block_x=16 block_y=32")
            )
        ),
    )
    page.holds(
        "launch_shape_gains",
        run.best("motion-ladder v1.3")["strategy_parameters"].startswith(
            "block_x=16 block_y=32 boxes=gpu"
        ),
        run.worst("motion-ladder v1.3")["strategy_parameters"].startswith(
            "block_x=8 block_y=4 boxes=gpu"
        ),
        len(run.rows("motion-ladder v1.3")) == 15,
    )
    page.say(
        "paper_s_future",
        less(run.best("motion-ladder v1.4")["ms"], run.best("motion-ladder v1.3")["ms"]),
        more(run.best("motion-ladder v1.5")["ms"], run.best("motion-ladder v1.4")["ms"]),
    )
    page.holds(
        "paper_s_future",
        run.best("motion-ladder v1.4")["strategy_parameters"].startswith("block_x=8 block_y=16 "),
        run.best("motion-ladder v1.5")["strategy_parameters"].startswith("block_x=64 block_y=8 "),
    )
    page.say(
        "tiles_gain",
        less(run.stage("motion-ladder v1.2", "blur"), run.stage("motion-ladder v1.1", "blur")),
        less(run.stage("motion-ladder v1.2", "dilate"), run.stage("motion-ladder v1.1", "dilate")),
        run.share("motion-ladder v1.3 block_x=16 block_y=32", "memory"),
        run.share(
            "motion-ladder v1.3 block_x=16 block_y=32",
            "components",
            "init",
            "merge",
            "compress",
            "number",
            "boxes",
        ),
    )
    page.say("below_number_components", len(run.rows("label-density 20x20 union-find")))
    page.table(
        "density_table",
        grid(
            "squares",
            "label-density 20x20",
            [
                ("`tiles`, production", "tiles"),
                "union-find",
                "blocks",
                "runs",
                ("`tiles` from pinned memory", lambda words: run.pinned(words + " tiles")),
                ("`tiles` from pageable memory", lambda words: run.pageable(words + " tiles")),
                ("CPU `simd`, 16 threads", "simd"),
                ("CPU `simd`, one thread", "simd threads=1"),
                ("OpenCV, 16 threads", "opencv"),
                ("OpenCV, one thread", "opencv threads=1"),
                ("NPP, labels alone", "npp"),
                ("CPU `serial`", "serial"),
            ],
            ["0", "900", "1800", "2700", "3600"],
            run.ms,
        ),
    )
    page.say(
        "each_densities_union",
        len(run.rows("label-density 20x20 union-find")),
        run.row("label-density 20x20 0 simd")["threads"],
        min(
            (
                a["ms"] / b["ms"]
                for a, b in zip(
                    run.rows("label-density 20x20 simd"), run.rows("label-density 20x20 union-find")
                )
            )
        ),
        max(
            (
                a["ms"] / b["ms"]
                for a, b in zip(
                    run.rows("label-density 20x20 simd"), run.rows("label-density 20x20 union-find")
                )
            )
        ),
        min(
            (
                a["ms"] / b["ms"]
                for a, b in zip(
                    run.rows("label-density 20x20 opencv"),
                    run.rows("label-density 20x20 union-find"),
                )
            )
        ),
        max(
            (
                a["ms"] / b["ms"]
                for a, b in zip(
                    run.rows("label-density 20x20 opencv"),
                    run.rows("label-density 20x20 union-find"),
                )
            )
        ),
        run.ms("label-density 20x20 3600 npp") / run.ms("label-density 20x20 3600 union-find"),
        run.ms("label-density 20x20 3600 union-find") / run.ms("label-density 20x20 0 union-find"),
        given(50, "paper 004, on figure 14"),
        100 * 3600 * 20 * 20 / 2048**2,
    )
    page.holds(
        "each_densities_union",
        all(
            (
                a["parameters"] == b["parameters"]
                for a, b in zip(
                    run.rows("label-density 20x20 opencv"),
                    run.rows("label-density 20x20 union-find"),
                )
            )
        ),
    )
    page.say(
        "copies_cpu_mostly",
        run.row("label-density 20x20 0 simd")["threads"],
        (
            sum(
                (
                    a["ms"] < b["pageable_ms"]
                    for a, b in zip(
                        run.rows("label-density 20x20 simd"), run.rows("label-density 20x20 tiles")
                    )
                )
            ),
            len(run.rows("label-density 20x20 tiles")),
        ),
        (
            sum(
                (
                    a["ms"] < b["pinned_ms"]
                    for a, b in zip(
                        run.rows("label-density 20x20 simd"), run.rows("label-density 20x20 tiles")
                    )
                )
            ),
            len(run.rows("label-density 20x20 tiles")),
        ),
        2048**2 / 1000000.0,
        4 * 2048**2 / 1000000.0,
    )
    page.table(
        "granularity",
        grid(
            "squares",
            "label-density",
            [
                ("`tiles`, production", "tiles"),
                "union-find",
                "blocks",
                "runs",
                ("CPU `simd`, 16 threads", "simd"),
                ("OpenCV, 16 threads", "opencv"),
                ("NPP, labels alone", "npp"),
            ],
            [
                ("465,124 of 1 × 1", "465124 1x1"),
                ("262,144 of 2 × 2", "262144 2x2"),
                ("65,536 of 5 × 5", "65536 5x5"),
                ("14,400 of 10 × 10", "14400 10x10"),
                ("900 of 40 × 40", "900 40x40"),
                ("225 of 80 × 80", "225 80x80"),
                ("49 of 160 × 160", "49 160x160"),
            ],
            run.ms,
        ),
    )
    page.say(
        "more_density",
        given(465124, "most squares of 1 x 1; the next lines ask for that row"),
        run.ms("label-density 465124 1x1 union-find")
        / run.ms("label-density 3600 20x20 union-find"),
        given(3600, "most squares of 20 x 20"),
        run.ms("label-density 465124 1x1 tiles") / run.ms("label-density 3600 20x20 tiles"),
        run.row("label-density 20x20 0 simd")["threads"],
        run.ms("label-density 465124 1x1 union-find") / run.ms("label-density 465124 1x1 simd"),
        run.ms("label-density 465124 1x1 union-find") / run.ms("label-density 465124 1x1 npp"),
        run.ms("label-density 465124 1x1 opencv") / run.ms("label-density 3600 20x20 opencv"),
    )


@PAGE.part
def compilers_beside_rungs(page, compilers):
    page.say("triton_torch_compile", compilers.whole["commit"][:7])
    page.holds(
        "triton_torch_compile",
        all(
            r["answer"].startswith(("equal", "sums in another order"))
            for r in compilers.whole["rows"]
            if r["operation"] != "copy"
        ),
        all(
            r["answer"].startswith("equal")
            for r in compilers.whole["rows"]
            if r["operation"] != "copy" and r["type"] == "u8"
        ),
    )

    def us(words):
        """Triton's is the faster of one kernel and two passes."""
        forms = (" triton", " triton-two-pass") if " triton" in words else ("",)
        found = [
            row
            for form in forms
            for row in compilers.rows(words.replace(" triton", form) if form else words)
        ]
        if not found:
            raise Missing("not run", "the run has no measurement of this combination", words)
        return 1000 * fastest(found)["ms"]

    page.table(
        "compilers_table",
        grid(
            "request",
            "2048",
            [
                ("Laplacian 3 × 3", "log-ladder laplacian f32"),
                ("Gaussian 5 × 5", "log-ladder gaussian f32"),
                ("average 9 × 9", "memory-ladder averaging f32"),
                ("Laplacian 3 × 3, u8", "log-ladder laplacian u8"),
                ("Gaussian 5 × 5, u8", "log-ladder gaussian u8"),
                ("average 9 × 9, u8", "roofline average u8"),
                ("Sobel magnitude L1, u8", "sobel-ladder L1"),
                ("Sobel magnitude L2, u8 to f32", "sobel-ladder L2"),
                ("LoG edges, u8", "log-ladder log"),
            ],
            [
                ("Cuesta", "cuesta"),
                ("Triton", "triton"),
                "torch.compile",
                ("torch conv2d", "torch-conv2d"),
                ("CuPy", "cupy"),
            ],
            us,
        ),
    )
    page.say(
        "cuesta_s_choice",
        compilers.ms("log-ladder laplacian f32 2048 torch.compile")
        / compilers.ms("log-ladder laplacian f32 2048 cuesta"),
        compilers.ms("log-ladder laplacian f32 2048 triton")
        / compilers.ms("log-ladder laplacian f32 2048 cuesta"),
        min(
            compilers.ms(f"log-ladder log 2048 {who}")
            for who in ("triton", "triton-two-pass", "torch.compile", "torch-conv2d", "cupy")
        )
        / compilers.ms("log-ladder log 2048 cuesta"),
    )
    page.holds(
        "cuesta_s_choice",
        all(
            compilers.best(f"{words} 2048 !copy")["strategy"] == "cuesta"
            for words in (
                "log-ladder gaussian f32",
                "memory-ladder averaging f32",
                "log-ladder laplacian u8",
                "log-ladder gaussian u8",
                "roofline average u8",
                "sobel-ladder L1",
                "sobel-ladder L2",
                "log-ladder log",
            )
        ),
        any("row_stack" in note for note in compilers.whole["notes"]),
    )


@PAGE.part
def production_beside_rungs(page, run):
    page.say(
        "gpu_s_production",
        fastest(run.cells("log-ladder laplacian f32 4096")[0])["ms"]
        / run.ms("log-ladder laplacian f32 4096 npp"),
        fastest(run.cells("log-ladder gaussian f32 4096")[0])["ms"]
        / run.ms("log-ladder gaussian f32 4096 npp"),
        run.ms("roofline average f32 npp") / run.ms("roofline average f32 separable-tiled"),
    )


@PAGE.part
def why_profiler_s_counters(page, run, profile, before):
    page.say("them_paper_s", profile.whole["commit"][:7], profile.whole["date"][:10])
    page.holds(
        "them_paper_s",
        all(
            [k["registers"] for k in run.row("roofline " + words)["kernels"]]
            == [k["registers"] for k in before.row("roofline " + words)["kernels"]]
            for words in (
                "sobel fused",
                "log fused",
                "canny fused",
                "canny bfs-launch !global !row-cyclic",
            )
        ),
        all(
            [
                run.row("motion-ladder " + v)["kernels"][at]["registers"]
                == before.row("motion-ladder " + v)["kernels"][at]["registers"]
                for v in ("v1.1", "v1.2")
                for at in (0, 1, 3, 4, 5)
            ]
        ),
    )


@PAGE.part
def why_profiler_s_counters_2(page, profile):
    page.say(
        "convolution_was_bound",
        profile.of("convolve naive Gaussian", "dram_throughput"),
        profile.of("convolve naive Gaussian", "l1_hits"),
        given(25, "a bound, held by the next line"),
    )
    page.holds(
        "convolution_was_bound", max(k["dram_throughput"] for k in profile.kernels("convolve")) < 25
    )
    page.say(
        "shared_reads_taps",
        profile.of("convolve shared Gaussian", "load_efficiency"),
        profile.of("convolve shared-constant Gaussian", "shared_load_transactions"),
    )
    page.say(
        "texture_made_fewer",
        profile.of("convolve texture Gaussian", "instructions") / 1000000.0,
        profile.of("convolve naive Gaussian", "instructions") / 1000000.0,
        profile.of("convolve texture Gaussian", "us") / profile.of("convolve naive Gaussian", "us"),
        profile.of("convolve texture Gaussian", "sm_throughput"),
    )
    page.say(
        "shared_apron_sobel",
        profile.of("sobel shared-no-apron", "branch_efficiency"),
        profile.of("sobel global", "branch_efficiency"),
        less(
            profile.of("sobel shared-1d", "instructions"),
            profile.of("sobel shared-apron", "instructions"),
        ),
    )
    page.say(
        "fused",
        profile.of("sobel fused", "instructions") / 1000000.0,
        profile.of("log fused", "instructions") / 1000000.0,
        profile.of("log fused", "sm_throughput"),
        profile.of("sobel fused", "sm_throughput"),
        profile.of("log fused", "occupancy"),
        profile.of("sobel fused", "occupancy"),
    )
    page.say(
        "canny_launches",
        profile.of("canny bfs-launch step<3>", "bytes_read") / 1000000.0,
        profile.of("canny bfs-launch step<3>", "launches"),
        100 * profile.of("canny fused front<3", "us") / profile.sum("canny fused", "us"),
        profile.of("canny fused front<3", "occupancy"),
        100
        * (profile.of("canny fused merge", "us") + profile.of("canny fused write_edges", "us"))
        / profile.sum("canny fused", "us"),
        profile.of("canny fused merge", "sm_efficiency"),
        profile.of("canny fused write_edges", "sm_efficiency"),
    )
    page.holds("canny_launches", profile.of("canny fused front<3", "registers") == 128)


@PAGE.part
def why_profiler_s_counters_3(page, run, profile):
    page.say(
        "motion",
        profile.of("motion v1.1 blur_global", "instructions") / 1000000.0,
        profile.of("motion v1.2 blur_tiled", "instructions") / 1000000.0,
        profile.of("motion v1.1 morph_global<1>", "instructions") / 2000000.0,
        profile.of("motion v1.2 morph_tiled<1>", "instructions") / 2000000.0,
        profile.of("motion v1.1 blur_global", "dram_throughput"),
        profile.of("motion v1.2 morph_tiled<1>", "dram_throughput"),
        min(
            profile.of("motion v1.3 " + name, "sm_efficiency")
            for name in ("grayscale", "blur_tiled", "morph_tiled<1>", "morph_tiled<0>")
        ),
        max(
            profile.of("motion v1.3 " + name, "sm_efficiency")
            for name in ("grayscale", "blur_tiled", "morph_tiled<1>", "morph_tiled<0>")
        ),
        given(82, "paper 004, table 2, the least of its filters: 81.9"),
        given(99, "paper 004, table 2: 99.2"),
        profile.of("motion v1.3 blur_tiled", "shared_efficiency"),
        given(25.0, "paper 004, table 2"),
    )
    page.holds("motion", run["gpu"]["multiprocessors"] == 132)


@PAGE.part
def statements(page, run):
    """What the papers state in a sentence, asked of the run."""
    stages = ("gaussian", "sobel", "suppression", "threshold", "hysteresis")
    sides = (64, 128, 256, 512, 1024)
    serial = [run.share(f"canny-stages serial {n}", "gaussian") for n in sides]
    rows = [run.share(f"canny-stages rows {n}", "gaussian") for n in sides]
    page.say(
        "statement_shares",
        min(serial),
        max(serial),
        rows[0],
        rows[-1],
        run.share("canny-stages rows 64", "hysteresis"),
        run.share("canny-stages rows 1024", "hysteresis"),
    )
    page.holds("statement_shares", rows == sorted(rows))
    by_sets = "canny-stages global hysteresis=union-find"
    page.say(
        "statement_growth",
        *(
            math.log2(run.stage(f"{by_sets} 1024", one) / run.stage(f"{by_sets} 512", one))
            for one in stages
        ),
    )
    page.say(
        "statement_rates",
        *(run.gflops(f"memory-ladder averaging {k} 2048 shared") for k in ("3x3", "5x5", "9x9")),
    )
    small, large = (
        next(
            row["pageable_ms"] - row["ms"]
            for row in run.rows(f"memory-ladder averaging 3x3 {n} shared")
            if row["pageable_ms"]
        )
        for n in (256, 2048)
    )
    page.say("statement_bus", large / small, (2048 / 256) ** 2)
    page.say(
        "statement_blocks",
        *(
            run.ms(f"sobel-ladder !u8 512 L2 {one} block=16")
            / run.ms(f"sobel-ladder !u8 512 L2 {one} block=32")
            for one in ("global", "shared-no-apron", "shared-apron", "shared-1d")
        ),
    )
    full = {
        f"{row['strategy']} {row['strategy_parameters']}"
        for row in run.rows("sobel-ladder !u8 512 L2 sobel")
        if is_rung(row) and all(kernel["occupancy"] == 1 for kernel in row["kernels"])
    }
    page.holds(
        "statement_blocks",
        len(full) == 7,
        "shared-no-apron block=16" not in full,
    )
    page.say(
        "statement_filter",
        *(
            run.ms(f"filter-sizes f32 {k} naive block=32")
            / run.ms(f"filter-sizes f32 {k} tiled block=32")
            for k in ("3x3", "5x5", "9x9")
        ),
    )
    page.say(
        "statement_adaptive",
        *(
            run.ms(f"log-ladder f32 5x5 {n} naive block=32")
            / run.ms(f"log-ladder f32 5x5 {n} adaptive-tiled block=32 limit=48k")
            for n in (256, 1024, 4096)
        ),
    )
    page.say(
        "statement_steps",
        *(run.share("motion-ladder serial", one) for one in ("blur", "morphology")),
        given(61, "paper 004, table 4: the blur's share"),
        given(30, "paper 004, table 4: the morphology's share"),
    )
    shapes = run.rows("motion-ladder v1.3 boxes=gpu")
    best = min(row["ms"] for row in shapes)
    page.say(
        "statement_shape",
        len(shapes),
        run.ms("motion-ladder v1.3 boxes=gpu block_x=16 block_y=16") / best,
    )


@PAGE.part
def model(page, run):
    pairs = claims.predictions(run.whole)
    page.say("model_within", sum(map(claims.is_close, pairs)), len(pairs))


@PAGE.part
def drawn(page, run):
    page.picture("roofline", pictures.roofline(run.whole))
    page.picture("theory", pictures.theory(run.whole))
    page.picture("density", pictures.density(run.whole))
    page.picture("speedup-log-ladder", pictures.speedup(run.whole, "log-ladder"))
    for experiment in ("canny-stages", "motion-ladder"):
        page.picture(f"stages-{experiment}", pictures.stages(run.whole, experiment))
    for name, drawing in claims.all_of(run.whole).items():
        page.picture(name, drawing)

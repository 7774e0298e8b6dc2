"""What docs/results/h200-production.md says of its runs (page.py)."""

import re

from page import Page, lines, number
from runs import CANNY_ON_GPU, Missing, given

PAGE = Page(
    "h200-production",
    measured={"run": ("*/gpu", "*/cpu"), "others": ("*/gpu",), "color": ("canny/gpu",)},
)
NOT_RUN = Missing("not run", "the run has no measurement of this combination")
NO_GOAL = Missing("no goal", "none was set for this row in copies")
NO_FUNCTION = Missing(
    "not run", "the library has no function for this work, or the bench does not ask it"
)


@PAGE.part
def production_h200_beside_copy(page, run):
    page.say(
        "automatic_takes_gpu",
        run["gpu"]["name"],
        run["gpu"]["driver"],
        run["date"][:10],
        run["commit"][:7],
    )


NATURAL = "8192x8192 device !npp !odd !spiral !noise !dense"
SIDES = (512, 1024, 2048, 4096, 8192, 16384)


@PAGE.part
def times_copy(page, run):
    goals = {
        f["parameters"]: f["value"]
        for f in run["figures"]
        if (f["source"], f["subject"], f["what"], f["width"])
        == ("goal", "reach", "times a copy", 8192)
    }
    at = {
        (row["operation"], row["parameters"], row["width"]): row["times_copy"]
        for row in run.rows("device !npp")
        if row["width"] == row["height"]
    }
    rows = [row for row in run.rows(NATURAL) if row["operation"] not in ("copy", "background")]
    page.table(
        "times_a_copy",
        lines(
            ["work", "strategy", *(str(side) for side in SIDES), "goal"],
            *(
                [f"{row['operation']} {row['parameters']}", f"`{row['strategy']}`"]
                + [at.get((row["operation"], row["parameters"], side), NOT_RUN) for side in SIDES]
                + [goals.get(row["parameters"], NO_GOAL)]
                for row in rows
            ),
        ),
    )


@PAGE.part
def beside_other_libraries_binds(page, run, profile):
    found = run.rows("8192x8192 npp") + run.rows("8192x8192 opencv") + run.rows("8192x8192 simd")
    ms = {(row["strategy"], row["operation"], row["parameters"]): row["ms"] for row in found}

    def times(row, who):
        theirs = ms.get((who, row["operation"], row["parameters"]))
        return NOT_RUN if theirs is None else theirs / row["ms"]

    page.table(
        "beside_others",
        lines(
            ["work", "µs", "NPP", "OpenCV", "Cuesta, CPU", "bound by"],
            *(
                [f"{row['operation']} {row['parameters']}", 1000 * row["ms"]]
                + [times(row, who) for who in ("npp", "opencv", "simd")]
                + [profile.bound(row["operation"], row["parameters"])]
                for row in run.rows(NATURAL)
                if row["operation"] != "copy"
            ),
        ),
    )


@PAGE.part
def beside_other_libraries_binds_2(page, others):
    page.say(
        "libraries_python_same",
        others["commit"],
        "kornia " + others["versions"]["kornia"],
        "cuCIM " + others["versions"]["cucim-cu13"],
        "CV-CUDA " + others["versions"]["cvcuda-cu13"],
    )
    page.holds("libraries_python_same", others["absent"] == [])

    def cell(row):
        star = "" if row["answer"] == "equal" and "alone" not in row["note"] else " *"
        return (number(row["copies"]) if row["copies"] else "fails") + star

    libraries = ("cuesta", "cupy", "torch", "kornia", "cuCIM", "CV-CUDA")
    cells = {
        (row["operation"], row["definition"], row["library"]): cell(row)
        for row in others["rows"]
        if row["side"] == 8192
    }
    page.table(
        "python_libraries",
        lines(
            ["work", "Cuesta", "CuPy", "torch", "kornia", "cuCIM", "CV-CUDA"],
            *(
                [f"{operation} {definition.split(';')[0]}"]
                + [
                    cells.get((operation, definition, library), NO_FUNCTION)
                    for library in libraries
                ]
                for operation, definition in dict.fromkeys(
                    (row["operation"], row["definition"]) for row in others["rows"]
                )
            ),
        ),
    )


@PAGE.part
def canny_floats_three_channels(page, run):
    page.say("another_run_later", given(8, "the goal"))


@PAGE.part
def canny_floats_three_channels_2(page, color):
    rows = [
        row
        for row in color["rows"]
        if row["operation"] == "canny" and row["strategy"] in CANNY_ON_GPU
    ]
    at = {
        (row["parameters"], row["width"]): row["times_copy"]
        for row in rows
        if row["width"] == row["height"]
    }
    kinds = [
        row["parameters"]
        for row in rows
        if not re.search("spiral|noise|dense|odd", row["parameters"])
    ]
    page.table(
        "canny_kinds",
        lines(
            ["work", "1024", "8192"],
            *(
                [kind, *(at.get((kind, side), NOT_RUN) for side in (1024, 8192))]
                for kind in dict.fromkeys(kinds)
            ),
        ),
    )


@PAGE.part
def call_python_costs(page, calls):
    page.say(
        "until_returns_work",
        given(12, "the goal"),
        min(
            r["best_us"]
            for r in calls["rows"]
            if r["side"] == 256 and r["way"] == "graph" and (r["library"] == "torch")
        )
        // 1
        + 1,
    )
    page.holds(
        "until_returns_work",
        all(r["best_us"] > 12 for r in calls["rows"] if r["side"] == 256 and r["way"] == "call"),
        all(r["best_us"] < 12 for r in calls["rows"] if r["side"] == 256 and r["way"] == "graph"),
    )
    at = {
        (row["operation"], row["library"], row["way"]): row["best_us"]
        for row in calls["rows"]
        if row["side"] == 256
    }
    ways = [(library, way) for library in ("torch", "cupy") for way in ("call", "graph")]

    def us(name, way):
        return f"{at[(name, *way)]:.1f}" if (name, *way) in at else NOT_RUN

    page.table(
        "calls",
        lines(
            ["operation", "torch", "torch, graph", "CuPy", "CuPy, graph"],
            *(
                [name, *(us(name, way) for way in ways)]
                for name in dict.fromkeys(row["operation"] for row in calls["rows"])
            ),
        ),
    )


@PAGE.part
def reaches_goal(page, run):
    page.say(
        "reached",
        run.copies("8192x8192 device log edges 5x5 and u8"),
        given(1.35, "the goal"),
        run.copies("8192x8192 device log edges u16"),
        given(1.6, "the goal"),
        run.copies("8192x8192 device sobel gx"),
        given(2.7, "the goal"),
        run.copies("8192x8192 device sobel aperture 7"),
        given(1.6, "the goal"),
        run.copies("8192x8192 device sobel u16"),
        given(1.6, "the goal"),
        run.copies("8192x8192 device convolve gaussian 5x5 u8 !npp"),
        given(1.3, "the goal"),
        run.copies("8192x8192 device convolve gaussian 31x31 u8 !npp"),
        given(2, "the goal"),
        run.copies("8192x8192 device convolve gaussian u16"),
        given(1.6, "the goal"),
        run.copies("8192x8192 device convolve 3x3 full u8 !npp"),
        run.copies("8192x8192 device convolve 5x5 full u8 !npp !taps"),
        run.copies("8192x8192 device convolve 9x9 full u8 !npp"),
        given(1.27, "the goal"),
        given(1.26, "the goal"),
        given(1.47, "the goal"),
        run.copies("8192x8192 device convolve 15x15 full !npp"),
        given(3, "the goal"),
        run.copies("8192x8192 device convolve taps !npp"),
        run.copies("8192x8192 device convolve full u16 !npp"),
        given(1.6, "the goal"),
        run.copies("8192x8192 device convolve 3x3 full f32 !npp"),
        run.copies("8192x8192 device convolve 5x5 full f32 !npp"),
        given(1.1, "the goal"),
        given(1.16, "the goal"),
        run.copies("8192x8192 device pixel gray"),
        given(1.9, "the goal"),
        run.copies("8192x8192 device morphology dilate rect:15"),
        given(1.6, "the goal"),
        run.copies("8192x8192 device morphology dilate disk:15"),
        given(4, "the goal"),
        run.copies("8192x8192 device canny u16"),
        given(8, "the goal"),
    )
    page.say(
        "background_models",
        run.row("8192x8192 device background mean")["bytes_per_pixel"]
        / 2
        / run.copies("8192x8192 device background mean"),
        run.row("8192x8192 device background median")["bytes_per_pixel"]
        / 2
        / run.copies("8192x8192 device background median"),
        run.row("8192x8192 device background mixture")["bytes_per_pixel"]
        / 2
        / run.copies("8192x8192 device background mixture"),
        given(0.75, "the goal"),
    )
    page.say(
        "worst_pictures",
        given(3, "the goal"),
        run.ms("2048x2048 device canny noise !npp")
        / run.ms("2048x2048 device canny L1 u8 !5x5 !L2 !npp !spiral !noise !dense !odd"),
        run.ms("2048x2048 device canny dense !npp")
        / run.ms("2048x2048 device canny L1 u8 !5x5 !L2 !npp !spiral !noise !dense !odd"),
        run.ms("2048x2048 device canny spiral !npp")
        / run.ms("2048x2048 device canny L1 u8 !5x5 !L2 !npp !spiral !noise !dense !odd"),
        run.ms("2048x2048 device label list spiral")
        / run.ms("2048x2048 device label list !labels !spiral !noise !dense"),
        run.ms("2048x2048 device label list dense")
        / run.ms("2048x2048 device label list !labels !spiral !noise !dense"),
    )


@PAGE.part
def not_why(page, run, profile):
    page.say(
        "near",
        run.copies("8192x8192 device sobel L1 u8 !npp !aperture !odd"),
        given(1.2, "the goal"),
        run.copies("8192x8192 device convolve gaussian 15x15 u8 !npp !odd"),
        given(1.38, "the goal"),
        run.copies("8192x8192 device median 3x3"),
        given(1.5, "the goal"),
        run.copies("8192x8192 device log 15x15"),
        given(2, "the goal"),
        run.copies("8192x8192 device sobel L2"),
        given(1.4, "the goal"),
        run.copies("8192x8192 device convolve 9x9 f32 !npp"),
        given(1.7, "the goal"),
        run.copies("8192x8192 device convolve 31x31 f32 !npp"),
        given(1.5, "the goal"),
        profile.bound("sobel", "magnitude L1").split()[-2],
        profile.bound("convolve", "gaussian 15x15").split()[-2],
        profile.bound("median", "3x3, u8").split()[-2],
        profile.bound("convolve", "9x9, full rank, of f32").split()[-2],
        profile.bound("sobel", "magnitude L2").split()[-2],
    )
    page.say(
        "canny",
        run.copies(
            "8192x8192 device canny L1 72 256 u8 !npp !5x5 !L2 !Otsu !odd !spiral !noise !dense"
        ),
        given(4, "the goal"),
        run.copies("8192x8192 device canny 5x5 !npp"),
        given(5, "the goal"),
        run.copies("8192x8192 device canny L2"),
        given(4.5, "the goal"),
        run.copies("8192x8192 device canny Otsu"),
        given(5.2, "the goal"),
        run.copies("16384x16384 device canny L1 72 256 u8 !npp !5x5 !L2 !Otsu"),
        profile.bound("canny", "L1, low 72, high 256").split("(")[1].split()[0],
        profile.bound("canny", "L1, low 72, high 256").split()[1],
        run.us("512x512 device canny L1 72 256 u8 !npp !5x5 !L2 !Otsu !odd !spiral !noise !dense"),
        given(20, "the goal"),
        run.us(
            "1024x1024 device canny L1 72 256 u8 !npp !5x5 !L2 !Otsu !odd !spiral !noise !dense"
        ),
        given(30, "the goal"),
        run.us(
            "2048x2048 device canny L1 72 256 u8 !npp !5x5 !L2 !Otsu !odd !spiral !noise !dense"
        ),
        given(45, "the goal"),
    )
    page.say(
        "zero_crossings",
        run.copies("8192x8192 device log zero"),
        given(2, "the goal"),
        profile.bound("log", "5x5 and 3x3, zero crossings").split()[1],
    )
    page.say(
        "close_open_masks",
        run.copies("8192x8192 device morphology close"),
        given(0.8, "the goal"),
        run.copies("8192x8192 device median 5x5"),
        given(2.5, "the goal"),
        profile.bound("median", "5x5, u8").split()[1],
    )


@PAGE.part
def not_why_2(page, run):
    page.say(
        "components_bits",
        run.copies("8192x8192 device label !labels !list"),
        given(2, "the goal"),
        run.copies("8192x8192 device label labels !list"),
        given(4, "the goal"),
        run.copies("8192x8192 device label !labels list"),
        run.copies("8192x8192 device label labels list"),
        given(463037, "counted by the row on the made picture"),
        463037 * 40 / 1000000.0,
        run.ms("2048x2048 device label dense !list")
        / run.ms("2048x2048 device label !list !labels !spiral !noise !dense"),
        run.ms("2048x2048 device label list dense")
        / run.ms("2048x2048 device label list !labels !spiral !noise !dense"),
    )
    page.say(
        "odd_widths_bases",
        given(1.15, "the goal"),
        run.ms("8189x8192 device canny")
        / run.ms(
            "8192x8192 device canny L1 72 256 u8 !npp !5x5 !L2 !Otsu !odd !spiral !noise !dense"
        ),
        run.ms("8189x8192 device log") / run.ms("8192x8192 device log edges 5x5 and u8"),
        run.ms("8189x8192 device sobel") / run.ms("8192x8192 device sobel L1 u8 !npp !aperture"),
        run.ms("8189x8192 device convolve gaussian 5x5")
        / run.ms("8192x8192 device convolve gaussian 5x5 u8 !npp"),
        run.ms("8189x8192 device convolve 3x3 f32")
        / run.ms("8192x8192 device convolve 3x3 f32 !npp"),
        run.ms("8189x8192 device convolve gaussian 15x15")
        / run.ms("8192x8192 device convolve gaussian 15x15 u8 !npp"),
        run.ms("8189x8192 device median 3x3") / run.ms("8192x8192 device median 3x3"),
        run.ms("8189x8192 device morphology rect:15")
        / run.ms("8192x8192 device morphology rect:15"),
    )
    page.say(
        "detector",
        run.us("motion device alone"),
        given(25, "the goal"),
        run.us("motion device 64 frames") / 64,
        run.us("motion device 64 cameras") / 64,
        given(8, "the goal"),
    )

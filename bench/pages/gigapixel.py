"""What docs/results/gigapixel.md says of its runs (page.py)."""

from page import Page, lines
from runs import Missing, given

PAGE = Page(
    "gigapixel",
    measured={
        "run": ("canny/cpu", "label/cpu", "median/cpu", "sobel/cpu"),
        "quiet": ("canny/cpu", "label/cpu", "median/cpu", "sobel/cpu"),
    },
)
WORKS = (
    ("Canny, thresholds given", "canny-given"),
    ("Canny, automatic", "canny"),
    ("Sobel", "sobel"),
    ("median 5 × 5", "median"),
    ("components", "label"),
)
MEMORIES = ("512MB", "200MB")
GOAL = 1.15
DECODES = Missing(
    "too small", "little but decoding is left, so the difference of two times says nothing"
)


@PAGE.part
def whole_picture(page, run):
    def value(work, memory, what):
        return run.value(subject=work, height=40000, parameters=memory, what=what)

    forms = (("CPU time a pixel", ".2f"), ("time", ".0f"), ("resident at most", ".0f"))
    page.table(
        "bands",
        lines(
            [
                "work",
                "CPU time, ns a pixel: 512MB · 200MB",
                "time, s: 512MB · 200MB",
                "resident, MB: 512MB · 200MB",
            ],
            *(
                [name]
                + [
                    " · ".join(f"{value(work, memory, what):{form}}" for memory in MEMORIES)
                    for what, form in forms
                ]
                for name, work in WORKS
            ),
        ),
    )


@PAGE.part
def memory(page, run, after):
    wanted = {
        "subject": "canny-given",
        "height": 40000,
        "parameters": "200MB",
        "what": "resident at most",
    }
    page.say("strips", run.value(**wanted), after.value(**wanted))


@PAGE.part
def quarter(page, quiet):
    def value(work, parameters, what):
        return quiet.value(subject=work, height=10000, parameters=parameters, what=what)

    ratio = "bands / whole"
    columns = (
        ("whole", "time a pixel"),
        ("512MB", "time a pixel"),
        (ratio, "time"),
        (ratio, "CPU time"),
    )
    undecoded = {
        work: value(work, ratio, "time without decoding") for _, work in WORKS if work != "label"
    }
    page.table(
        "quiet",
        lines(
            [
                "work",
                "whole, ns a pixel",
                "in bands",
                "time, bands / whole",
                "CPU time, bands / whole",
                "time without decoding",
            ],
            *(
                [name, *(value(work, *column) for column in columns), undecoded.get(work, DECODES)]
                for name, work in WORKS
            ),
            form="{:.2f}",
        ),
    )
    page.say("goal", given(GOAL, "the goal"))
    page.say("decoding", value("canny", ratio, "time"))
    page.holds("decoding", all(time < GOAL for time in undecoded.values()))

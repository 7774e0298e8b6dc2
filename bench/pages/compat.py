"""What docs/results/compat.md says of its run (page.py)."""

from page import Page, lines
from python_calls import machine_of

PAGE = Page(
    "compat",
    measured={
        "run": (
            "canny/cpu",
            "convolve/cpu",
            "label/cpu",
            "median/cpu",
            "morphology/cpu",
            "sobel/cpu",
        )
    },
    commits={"run": "9935ae7"},
)


@PAGE.part
def requests(page, run):
    def line(row):
        who = "cv2" if row["left_to_cv2"] else "Cuesta"
        return [
            row["request"],
            f"{row['ours_ms']:.3g}",
            f"{row['cv2_ms']:.3g}",
            f"{row['ratio']:.2f}",
            who,
        ]

    page.say("machine", *machine_of(run), run["date"], run["picture"])
    page.table(
        "requests",
        lines(
            ["request", "Cuesta", "cv2", "ratio", "answered by"],
            *(line(row) for row in run["rows"]),
        ),
    )

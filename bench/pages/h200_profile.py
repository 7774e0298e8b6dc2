"""What docs/results/h200-profile.md says of its run (page.py); profile_rungs.py made the tables."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "profile"))

import profile_rungs  # noqa: E402
from page import Page, lines  # noqa: E402
from runs import Missing  # noqa: E402

PAGE = Page("h200-profile", measured={"run": ("*/papers", "*/gpu")})
REQUESTS = {
    "gaussian": ("convolve", "f32, Gaussian 5 x 5"),
    "sharpening": ("convolve", "f32, sharpening 3 x 3"),
    "sobel": ("sobel", "u8, magnitude l1 to u8"),
    "log": ("log", "u8, sigma 1.4, threshold 5"),
    "canny": ("canny", "u8, 5 x 5 sigma 1.4, l1, low 20, high 60"),
    "label": ("label", "u8 mask of discs and specks, label picture and components"),
    "background": ("background", "u8, the frame after the founding one, mask"),
    "motion": ("motion", "RGB, first frame as background, Gaussian 15, disk:15; a later frame"),
}
NONE = Missing("none", "the kernel makes no such access")


def worded(rows):
    return [[NONE if cell == "-" else cell for cell in row] for row in rows]


@PAGE.part
def counters(page, run):
    page.say("run", run["gpu"]["name"], run["date"], run["commit"][:12], run["profiler"])
    page.say("min_share", 100 * profile_rungs.MAIN_SHARE)
    page.holds("run", run["not_profiled"] == [])
    seen = set()
    for name, wanted in REQUESTS.items():
        rows = [row for row in run["rows"] if (row["operation"], row["request"]) == wanted]
        heads, cells, left_out = profile_rungs.operation_lines(rows)
        page.table(f"{name}_kernels", lines(heads, *worded(cells)))
        page.say(name, rows[0]["width"], rows[0]["height"], left_out)
        seen |= {wanted}
    page.holds("run", seen == {(row["operation"], row["request"]) for row in run["rows"]})
    heads, cells = profile_rungs.paper_lines(run["rows"])
    page.table("paper_004", lines(heads, *worded(cells)))

"""What docs/results/cameras.md says of its runs (page.py)."""

from page import Page

PAGE = Page(
    "cameras",
    measured={
        "run": ("background/cpu", "convolve/cpu", "label/cpu", "morphology/cpu", "motion/cpu")
    },
    commits={"run": "82bbcae"},
)


@PAGE.part
def several_cameras_cost(page, run):
    page.say(
        "camera_needs_cores",
        run.figure("cameras 1-cameras a camera"),
        run.figure("cameras 16-cameras a camera"),
        run.figure("cameras 1-cameras CPU time a frame"),
        run.figure("cameras 16-cameras CPU time a frame"),
    )
    page.say(
        "cameras_need_cores", run["figures"][15]["value"], run.figure("cameras 16-cameras memory")
    )
    page.holds(
        "cameras_need_cores",
        run.figure("cameras 16-cameras a camera") * 10 < 2,
        run.figure("cameras 16-cameras a camera") * 11 > 2,
    )

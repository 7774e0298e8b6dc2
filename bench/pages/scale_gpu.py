"""What python/bench/scale_plan.py takes of runs on GPUs for docs/user/many-machines.md. It has data and no page of its own (page.py)."""

from page import Page

PAGE = Page("scale-gpu")


def ms_a_mpixel(run, operation, parameters):
    """Of the largest picture. Cameras of one call are stacked, so `height` has them all."""
    rows = [
        row
        for row in run["rows"]
        if (row["operation"], row["parameters"], row["strategy"])
        == (operation, parameters, "fused")
    ]
    row = max(rows, key=lambda row: row["width"])
    return row["ms"] / (row["width"] * row["height"] * row["pictures"] / 2**20)


@PAGE.part
def kernels(page, production):
    page.say("canny_ms_a_mpixel", ms_a_mpixel(production, "canny", "thresholds by Otsu"))
    page.say(
        "motion_ms_a_mpixel", ms_a_mpixel(production, "motion", "1080p gray, 64 cameras a call")
    )


@PAGE.part
def over_pcie(page, two):
    page.say(
        "canny_pictures_a_second",
        two.value(width=1024, subject="page-locked", detail="8 in flight, 1 GPU"),
    )


@PAGE.part
def decoded(page, decode):
    wanted = {
        "parameters": "7 videos at once",
        "subject": "GPU decodes and detects",
        "what": "frames a second after the start",
    }
    page.say("decoded_frames_a_second", decode.value(**wanted))

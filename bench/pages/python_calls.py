"""What docs/results/python.md says of its run (page.py)."""

from page import Page, lines
from runs import Missing, given

PAGE = Page(
    "python",
    measured={"run": ("canny/cpu", "convolve/cpu", "label/cpu", "morphology/cpu", "sobel/cpu")},
    commits={"run": "f9e3f90"},
)
ABSENT = Missing("not run", "the library refused the request or is not installed")


def machine_of(run):
    machine, versions = (
        run["machine"],
        ", ".join(f"{name} {version}" for name, version in run["versions"].items()),
    )
    return machine["cpu"], machine["cores"], machine["simd"], versions


def threads(row):
    return str(row["threads"] or "all")


@PAGE.part
def calls(page, run):
    def line(row):
        cells = [f"{row['side']}²", threads(row)]
        for name in ("out", "new"):
            cpp, call = row[f"cpp_{name}_us"], row[f"{name}_us"]
            cells += [
                f"{cpp:.1f}",
                f"{call:.1f}",
                f"{call - cpp:+.1f} µs, {100 * (call - cpp) / cpp:+.1f} %",
            ]
        return cells

    head = [
        "size",
        "threads",
        "into one array: C++",
        "Python",
        "more",
        "a new result: C++",
        "Python",
        "more",
    ]
    page.say("machine", *machine_of(run))
    page.table("overhead", lines(head, *(line(row) for row in run["overhead"])))
    more = [percent for side in (1024, 2048) for _, percent in run.more(side)]
    page.say("more", run.more(64)[0][0], min(more), max(more), given(5, "the goal"))


@PAGE.part
def beside_others(page, run):
    canny, dilate = run.times("canny cv2"), run.times("dilate cv2 threads=1")
    page.say(
        "cv2",
        run["versions"]["opencv-python-headless"][:3],
        min(canny),
        max(canny),
        min(dilate),
        max(dilate),
    )
    page.holds(
        "cv2",
        all(
            row["answer"] == "equal"
            for row in run["peers"]
            if (row["library"], row["operation"]) == ("cv2", "canny")
        ),
    )
    page.say("kornia", min(run.times("label kornia-rs 2048 threads=1")))
    rows, ours = [], 1
    for row in run["peers"]:
        ours = row["ms"] if row["library"] == "cuesta" else ours
        times = (
            [ABSENT, ABSENT]
            if row["ms"] is None
            else [f"{row['ms']:.3g}", f"{row['ms'] / ours:.2f}"]
        )
        answer = "; ".join(filter(None, (row["answer"], row["note"])))
        rows.append(
            [
                f"{row['operation']}: {row['definition']}",
                f"{row['side']}²",
                threads(row),
                row["library"],
                *times,
                answer,
            ]
        )
    page.table(
        "peers",
        lines(["operation", "size", "threads", "library", "ms", "times Cuesta's", "answer"], *rows),
    )

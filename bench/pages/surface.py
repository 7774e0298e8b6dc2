"""What docs/results/surface.md says of its run (page.py)."""

import statistics

from page import Page, lines

PAGE = Page(
    "surface",
    measured={
        "run": (
            "boundaries/gpu",
            "canny/gpu",
            "convolve/gpu",
            "label/gpu",
            "log/gpu",
            "median/gpu",
            "morphology/gpu",
            "pixel/gpu",
            "sobel/gpu",
        )
    },
)

BOUNDS = (2, 5, 20, 100)
NAMES = ("below 2 copies", "2 to 5", "5 to 20", "20 to 100", "above 100")


def requests(run):
    """(class, ceiling, times a copy, row) of each request, in the order of the run."""
    goals = {
        (f["subject"], f["parameters"], f["detail"]): (f["what"], f["value"])
        for f in run["figures"]
    }
    for row in run["rows"]:
        group, ceiling = goals[row["operation"], row["parameters"], row["type"]]
        yield group, ceiling, row["ms"] / row["copy_ms"], row


def level(copies):
    return sum(copies >= bound for bound in BOUNDS)


def by_class(run):
    found = {}
    for group, ceiling, copies, row in requests(run):
        found.setdefault(group, []).append((copies, ceiling, row))
    return found


@PAGE.part
def whole(page, run):
    every = list(requests(run))
    counts = [sum(level(copies) == at for _, _, copies, _ in every) for at in range(len(NAMES))]
    judged = [(ceiling, copies) for _, ceiling, copies, _ in every if ceiling > 0]
    plain = [row for *_, row in every if "plain" in row["strategy"]]
    page.say("run", run["gpu"]["name"], run["gpu"]["driver"], run["date"][:10], run["commit"][:7])
    page.say("bounds", *BOUNDS)
    page.say("counts", len(every), *counts)
    page.say(
        "ceilings",
        len(judged),
        sum(copies <= ceiling for ceiling, copies in judged),
        len({group for group, *_ in every}),
    )
    page.say("plain", len(plain))
    page.picture(
        "surface",
        {
            "title": f"Requests on an {run['gpu']['name']} at 4096 x 4096, times a copy of the source",
            "names": list(NAMES),
            "map": [
                {"label": group, "levels": "".join(sorted(str(level(one[0])) for one in found))}
                for group, found in sorted(by_class(run).items())
            ],
        },
    )


@PAGE.part
def classes(page, run):
    page.table(
        "classes",
        lines(
            ["class", "requests", "ceiling", "within it", "median", "worst", "the worst, by"],
            *(
                [
                    group,
                    str(len(found)),
                    f"{found[0][1]:.2f}" if found[0][1] else "none",
                    str(sum(copies <= ceiling for copies, ceiling, _ in found))
                    if found[0][1]
                    else "-",
                    statistics.median(copies for copies, *_ in found),
                    max(found, key=lambda one: one[0])[0],
                    "{parameters} of {type}, `{strategy}`".format(
                        **max(found, key=lambda one: one[0])[2]
                    ),
                ]
                for group, found in sorted(by_class(run).items())
            ),
        ),
    )


@PAGE.part
def worst(page, run):
    found = sorted(requests(run), key=lambda one: -one[2])[:20]
    page.table(
        "worst",
        lines(
            ["request", "by", "ms", "times a copy"],
            *(
                [
                    f"{row['operation']}: {row['parameters']} of {row['type']}",
                    f"`{row['strategy']}`",
                    row["ms"],
                    copies,
                ]
                for _, _, copies, row in found
            ),
        ),
    )

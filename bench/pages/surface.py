"""What docs/results/surface.md says of its run (page.py)."""

import statistics

from page import Page, lines

OPERATIONS = "boundaries canny convolve label log median morphology pixel sobel"
TIMED = tuple(f"{operation}/gpu" for operation in OPERATIONS.split())
PAGE = Page("surface", measured={"run": TIMED, "small": TIMED, "large": TIMED})

BOUNDS = (2, 5, 20, 100)
SMALL_US = 40  # at 512², whatever the request
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


def shown(number):
    """As many digits as tables show, and one more."""
    return float(f"{number:.4g}")


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
                    shown(statistics.median(copies for copies, *_ in found)),
                    shown(max(found, key=lambda one: one[0])[0]),
                    "{parameters} of {type}, `{strategy}`".format(
                        **max(found, key=lambda one: one[0])[2]
                    ),
                ]
                for group, found in sorted(by_class(run).items())
            ),
        ),
    )


def key(row):
    return row["operation"], row["parameters"], row["type"]


@PAGE.part
def sizes(page, run, small, large):
    classes = {key(row): group for group, _, _, row in requests(run)}
    quick = {key(row): 1000 * row["ms"] for row in small["rows"]}
    slow = [one for one, us in quick.items() if us > SMALL_US]
    judged = [
        (group, ceiling, copies) for group, ceiling, copies, _ in requests(large) if ceiling > 0
    ]
    page.say("large", len(judged), sum(copies <= ceiling for _, ceiling, copies in judged))
    page.say("small", len(quick), len(quick) - len(slow), SMALL_US)
    misses = {
        group: (
            [quick[one] for one in slow if classes.get(one) == group],
            [copies for name, ceiling, copies in judged if name == group and copies > ceiling],
        )
        for group in sorted(set(classes.values()))
    }
    head = ["class", f"above {SMALL_US} µs at 512²", "most, µs"]
    head += ["above the ceiling at 8192²", "most, copies"]
    rows = [[group, *cells(us), *cells(copies)] for group, (us, copies) in misses.items()]
    page.table("sizes", lines(head, *(row for row in rows if row[1:] != [*cells([])] * 2)))


def cells(missed):
    return [str(len(missed)), shown(max(missed)) if missed else "-"]


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
                    shown(row["ms"]),
                    shown(copies),
                ]
                for _, _, copies, row in found
            ),
        ),
    )

"""What docs/results/README.md says of the runs (page.py). A new run is a part here and a row in the template."""

from page import Page, lines
from runs import median, ratios

PAGE = Page("README")


def machine(whole):
    """GPU, driver, CUDA, date and commit."""
    gpu = whole["gpu"]
    known = (
        gpu
        if isinstance(gpu, dict)
        else {"name": gpu, "driver": whole["driver"], "runtime": whole["cuda"]}
    )
    cuda = str(known.get("runtime", "13000")).replace("13000", "13.0")
    return (
        known["name"],
        known.get("driver", "driver not recorded"),
        cuda,
        whole["date"][:10],
        whole["commit"][:7],
    )


def findings(sanitizer):
    return sum(sum(tool.values()) for tool in sanitizer["findings"].values())


def names_of(failures):
    return [f"`{name.split('::')[-1]}`" for name in failures]


def clean(whole):
    """Whether nothing failed and compute-sanitizer found nothing."""
    found = [
        whole["sanitizer"][tool]["findings"]
        for tool in ("memcheck", "racecheck", "initcheck", "synccheck")
    ]
    return whole["tests"]["failed"] == whole["verify"]["failed"] == 0 and not any(found)


def say_pair(page, name, whole):
    """A suite on the GPUs of a host: machine, strategies, findings and tests."""
    page.say(
        name,
        *machine(whole),
        whole["gpus"],
        whole["verify"]["passed"],
        whole["verify"]["failed"],
        findings(whole["sanitizer"]),
    )
    page.say(
        f"{name}_tests",
        whole["tests"]["passed"],
        len(whole["tests"]["failed"]),
        whole["tests"]["skipped"],
    )


@PAGE.part
def suite_newest(page, newest):
    say_pair(page, "newest", newest)
    page.holds(
        "newest",
        findings(newest["sanitizer"]) == newest["verify"]["failed"] == 0,
        not newest["tests"]["failed"],
    )


@PAGE.part
def suite_two_gpus(page, pair):
    say_pair(page, "pair", pair)
    page.say("pair_python", pair["python"]["passed"], pair["python"]["failed"])


@PAGE.part
def suite_h200(page, suite):
    python = suite["python"]
    page.say(
        "suite",
        *machine(suite),
        suite["verify"]["passed"],
        suite["verify"]["failed"],
        suite["sizes"]["failed"],
    )
    page.say(
        "suite_sanitizer",
        findings(suite["sanitizer"]),
        ", ".join(suite["sanitizer"]["left_out"]["canny graph"]),
    )
    page.say(
        "suite_tests",
        suite["tests"]["passed"],
        len(suite["tests"]["failed"]),
        suite["tests"]["skipped"],
    )
    page.say("suite_drawn", suite["tests"]["drawn_requests"])
    page.say("suite_python", python["passed"], python["failed"])
    page.say("suite_failures", *names_of(suite["tests"]["failed"]))


@PAGE.part
def compilers_h200(page, compilers):
    peers = [peer for peer in compilers["machine"]["peers"] if "numba" not in peer]
    page.say("compilers", *machine(compilers.whole), ", ".join(peers))


@PAGE.part
def verified_22(page, verify):
    again, rungs = verify["again"], verify["rungs"]
    stopped = [name for name, end in rungs["sanitizer"]["memcheck"].items() if end != "clean"]
    page.say("verify", *machine(verify))
    page.say(
        "verify_again",
        again["commit"],
        len(again["rows"]),
        verify["python"]["passed"],
        len(verify["python"]["failed"]),
    )
    page.say(
        "verify_rungs",
        rungs["commit"],
        len(rungs["rows"]),
        sum(not row["passed"] for row in rungs["rows"]),
    )
    page.say(
        "verify_memcheck",
        len(rungs["sanitizer"]["memcheck"]),
        ", ".join(f"`{name}`" for name in stopped),
    )
    page.holds("verify", clean(verify), "1,000 repetitions" in verify["tests"]["what"])
    page.holds("verify_again", again["failed"] == 0, all(row["passed"] for row in again["rows"]))


@PAGE.part
def ladder_h200(page, full):
    experiments = list(dict.fromkeys(name for run in full["runs"] for name in run["experiments"]))
    page.say(
        "full", *machine(full.whole), ", ".join(experiments), " and ".join(full["machine"]["peers"])
    )


@PAGE.part
def pipeline_h200(page, two):
    page.say("two", *machine(two.whole), two["machine"]["threads"])


@PAGE.part
def production_h200(page, production):
    page.say("production", *machine(production.whole))


@PAGE.part
def quick_h200(page, h200, before):
    rungs, npp, host = (
        ratios(h200, before, words)
        for words in ("device convolve !plain !npp !copy !separable", "npp", "simd")
    )
    page.say("bench", *machine(h200.whole), h200["machine"]["peers"][0].upper())
    page.say(
        "bench_ratios", len(rungs), median(rungs), len(npp), median(npp), len(host), median(host)
    )
    page.say("before", *machine(before.whole))


@PAGE.part
def verified_21(page, verified):
    page.say("verified", *machine(verified), verified["sanitizer"]["cases_a_row"])
    page.holds("verified", clean(verified), "1,000 repetitions" in verified["tests"]["what"])


@PAGE.part
def profile_h200(page, profile):
    gpu = profile["gpu"] | {"driver": "driver not recorded"}
    page.say("profile", *machine(profile.whole | {"gpu": gpu}))


@PAGE.part
def history(page, commits):
    page.table(
        "commits",
        lines(
            ["measured at", "is in"], *([f"`{was}`", f"`{now}`"] for was, now in commits.items())
        ),
    )

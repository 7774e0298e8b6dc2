"""What docs/results/detect.md says of its runs (page.py)."""

from page import Page, lines
from runs import given

PAGE = Page(
    "detect",
    measured={
        "run": ("background/cpu", "convolve/cpu", "label/cpu", "morphology/cpu", "motion/cpu"),
        "scenes": ("background/cpu", "convolve/cpu", "label/cpu", "morphology/cpu", "motion/cpu"),
        "video": ("background/cpu", "convolve/cpu", "label/cpu", "morphology/cpu", "motion/cpu"),
    },
    commits={"run": "63338a5", "scenes": "63338a5"},
)


@PAGE.part
def detection_costs_beside_decoding(page, run):
    least = {
        name: run.figure(f"{name} least")
        for name in ("decode", "detect", "half", "third", "quarter", "eighth")
    }
    page.table(
        "cost",
        lines(
            ["program", "ms of CPU a frame, median", "least", "decode's least over it"],
            *(
                [name, run.figure(f"{name} CPU time a frame !least"), ms, least["decode"] / ms]
                for name, ms in least.items()
            ),
            form="{:.2f}",
        ),
    )
    page.say(
        "goal_decode_only",
        given(0.95, "the goal"),
        least["decode"] / 0.95 - least["decode"],
        least["quarter"] - least["decode"],
    )
    page.holds(
        "goal_decode_only",
        0.19 < (least["quarter"] - least["decode"]) / (least["detect"] - least["decode"]) < 0.21,
        all(
            least[name] > least["decode"] / 0.95
            for name in ("detect", "half", "third", "quarter", "eighth")
        ),
        least["half"] < least["detect"],
        least["third"] < least["half"],
        least["quarter"] < least["third"],
    )
    page.say(
        "quarter_costs_perf",
        given(9.09, "perf report"),
        given(3.01, "perf report"),
        given(0.073, "the least of 60 frames of 1920 x 1080"),
        given(0.2, "the same"),
        given(0.25, "the same, without prefetches"),
        given(1.73, "perf report"),
        given(0.34 + 0.28 + 0.24, "perf report"),
        given(0.43, "perf report"),
        given(14.6, "perf report"),
        given(6.49, "perf report"),
        given(3.15, "perf report"),
    )


@PAGE.part
def detection_costs_beside_decoding_2(page, scenes):
    kinds, seeds = ("noise", "coder", "sway", "shake", "shadow"), (3, 5)

    def mean(what, n, *kinds):
        found = [
            scenes.figure(f"{what} N={n} {kind} seed={seed} F") for kind in kinds for seed in seeds
        ]
        return sum(found) / len(found)

    page.table(
        "scenes",
        lines(
            [
                "N",
                "noise of 2 levels",
                "noise of 4, a coder",
                "leaves that sway",
                "a camera that shakes",
                "shadows",
                "mean",
            ],
            *(
                [str(n), *(mean("scenes", n, kind) for kind in kinds), mean("scenes", n, *kinds)]
                for n in (1, 2, 3, 4, 8)
            ),
            form="{:.3f}",
        ),
    )
    page.say(
        "n_points_f",
        100 * (mean("scenes", 1, "noise") - mean("scenes", 2, "noise")),
        100 * (mean("scenes", 2, "sway") - mean("scenes", 1, "sway")),
        *(mean("elements-kept", n, *kinds) for n in (2, 3, 4)),
    )
    page.holds("n_points_f", mean("scenes", 8, "noise") < mean("scenes", 4, "noise"))


@PAGE.part
def wall_time_two_quiet_cores(page, video):
    page.say(
        "cuesta_bench_video",
        video.whole["commit"],
        video.whole["rows"][0]["pictures"],
        video.whole["machine"]["peers"][0].replace("opencv", "OpenCV"),
    )
    page.holds("cuesta_bench_video", video.whole["machine"]["threads"] == 2)
    ratios = (
        ("events only, of decode-only frames/s", "0.95", "events only, of decode-only frames/s"),
        ("events only, times DVR-Scan's", "1.00", "events only, times DVR-Scan's frames/s"),
        (
            "with video written, of ffmpeg's transcode",
            "0.95",
            "with video written, of the same transcode's frames/s",
        ),
        ("paper 004's chain alone, times OpenCV's", "20.00", "the chain, times OpenCV's"),
    )
    page.table(
        "quiet",
        lines(
            ["ratio", "goal", "1920 × 1080", "1280 × 720", "596 × 336"],
            *(
                [name, goal, *(video.value(what=what, width=width) for width in (1920, 1280, 596))]
                for name, goal, what in ratios
            ),
            form="{:.2f}",
        ),
    )
    page.say(
        "missed_events_only",
        video.rows("detect cuesta samples 1920")[0]["ms"],
        video.rows("decode cuesta 1920")[0]["ms"],
    )
    page.holds(
        "missed_events_only",
        all(
            f["value"] < 0.95
            for f in video.whole["figures"]
            if f["what"].startswith(("events only, of", "with video"))
        ),
        all(f["value"] < 20 for f in video.whole["figures"] if f["what"].startswith("the chain")),
        all(
            f["value"] > 0.89 for f in video.whole["figures"] if f["what"].startswith("with video")
        ),
    )


@PAGE.part
def day_before(page, first):
    median = {
        name: first.figure(f"{name} CPU time a frame !least")
        for name in ("decode", "before", "detect")
    }
    page.table(
        "day_before",
        lines(
            ["program", "ms of CPU a frame", "least", "decode's over it"],
            *(
                [name, ms, first.figure(f"{name} least"), median["decode"] / ms]
                for name, ms in median.items()
            ),
            form="{:.2f}",
        ),
    )


@PAGE.part
def day_before_2(page, run):
    page.say(
        "left_perf_record",
        given(6, "a setting of its encoder"),
        given(14.5, "perf report"),
        given(6, "perf report"),
        given(2.7, "perf report"),
        given(0.9, "perf report"),
        given(3, "perf report"),
        given(8 * 1920 * 1080 / 1000000.0, "eight bytes a pixel") // 1,
    )
    page.say(
        "handing_steps_tenth",
        given(9.88, "a build that says threads = 1 to the detector, in turns with the next"),
        given(10.15, "a861283"),
    )

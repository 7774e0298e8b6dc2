"""What docs/results/devices.md says of its runs (page.py)."""

from page import Page, lines
from runs import given

PAGE = Page(
    "devices",
    measured={
        "run": ("background/gpu", "convolve/gpu", "label/gpu", "morphology/gpu", "motion/gpu"),
        "files": ("canny/gpu",),
        "ray": ("canny/gpu",),
    },
)


@PAGE.part
def gpu_s_decoder_files_over(page, run, files, ray):
    page.say(
        "hosts_two_h100",
        run["machine"]["cores"],
        run["machine"]["driver"],
        run["machine"]["commit"],
        files.whole["commit"][:7],
    )
    page.holds("hosts_two_h100", ray["commit"] == "f644272" and ray["machine"]["cores"] == 32)


@PAGE.part
def video(page, run):
    page.say("scripts_decode_load", given(2400, "the video"), given(6, "a setting of its encoder"))
    page.holds(
        "scripts_decode_load",
        all(
            run.value(parameters=work, subject="CPU", what="start")
            < run.value(parameters=work, subject="GPU decodes and detects", what="start")
            for work in ("one video", "one camera", "7 videos at once")
        ),
        0.8 < run.value(parameters="one video", subject="GPU decodes and detects", what="start") < 1
        and run.value(parameters="one video", subject="CPU", what="start") < 0.4,
    )
    forms = (
        ("frames a second", ".0f"),
        ("frames a second after the start", ".0f"),
        ("CPU time a frame", ".2f"),
    )
    page.table(
        "decoder",
        lines(
            ["work", "who works", "frames/s, start included", "after it", "ms of CPU a frame"],
            *(
                [
                    work,
                    way,
                    *(
                        f"{run.value(parameters=work, subject=way, what=what):{form}}"
                        for what, form in forms
                    ),
                ]
                for work in ("one video", "one camera", "7 videos at once")
                for way in ("CPU", "GPU detects", "GPU decodes and detects")
            ),
        ),
    )
    page.say(
        "gpu_s_decoder",
        run.value(
            parameters="one camera", subject="GPU decodes and detects", what="CPU time a frame"
        ),
        run.value(parameters="one camera", subject="CPU", what="CPU time a frame"),
        run.value(
            parameters="7 videos at once",
            subject="GPU decodes and detects",
            what="CPU time a frame",
        ),
        run.value(parameters="7 videos at once", subject="CPU", what="CPU time a frame"),
        run.value(
            parameters="7 videos at once",
            subject="GPU decodes and detects",
            what="frames a second after the start",
        )
        / run.value(
            parameters="7 videos at once", subject="CPU", what="frames a second after the start"
        ),
        run["machine"]["cores"],
        run.value(
            parameters="7 videos at once",
            subject="GPU decodes and detects",
            what="frames a second after the start",
        )
        / run.value(
            parameters="7 videos at once",
            subject="GPU detects",
            what="frames a second after the start",
        ),
    )
    page.say(
        "one_video_h",
        run.value(
            parameters="one video",
            subject="GPU decodes and detects",
            what="frames a second after the start",
        )
        / run.value(
            parameters="one video", subject="GPU detects", what="frames a second after the start"
        ),
        run["machine"]["cores"],
        run.value(
            parameters="one video",
            subject="GPU decodes and detects",
            what="frames a second after the start",
        )
        / run.value(
            parameters="one camera",
            subject="GPU decodes and detects",
            what="frames a second after the start",
        ),
        run.value(
            parameters="7 videos at once",
            subject="GPU decodes and detects",
            what="frames a second after the start",
        )
        / run.value(
            parameters="one camera",
            subject="GPU decodes and detects",
            what="frames a second after the start",
        ),
        given(250, "the least of three rounds of 60 frames, python, the same kind of host"),
        1000000.0 / 250,
    )


@PAGE.part
def files_over_two_gpus(page, run):
    page.say("canny_files_memory", given(1.9, "the goal"))


@PAGE.part
def files_over_two_gpus_2(page, files):
    page.say(
        "pixels_bigtiff_bands",
        files.value(parameters="8GB on cuda:0", height=10000, what="time"),
        files.value(parameters="8GB on cuda:all", height=10000, what="time"),
        files.value(parameters="8GB on cuda:0", height=10000, what="time")
        / files.value(parameters="8GB on cuda:all", height=10000, what="time"),
        files.value(subject="decode", what="time a pixel"),
        files.value(parameters="8GB on cuda:0", height=10000, what="time a pixel"),
    )
    page.say(
        "folder_pgm_files",
        files.value(experiment="folder"),
        [f["value"] for f in files.whole["figures"] if f["experiment"] == "folder"][2],
        [f["value"] for f in files.whole["figures"] if f["experiment"] == "folder"][1],
        [f["value"] for f in files.whole["figures"] if f["experiment"] == "folder"][3],
        96 * 4096 * 4096 / 1000000000.0,
    )


@PAGE.part
def ray_s_actors_two_gpus(page, ray):
    page.say(
        "python_bench_bench",
        ray["gpus"]["rows"][0]["a_second"],
        ray["gpus"]["cpus"],
        ray["gpus"]["rows"][1]["a_second"],
        ray["gpus"]["rows"][2]["a_second"],
        ray["gpus"]["rows"][2]["a_second"] / ray["gpus"]["rows"][1]["a_second"],
        ray["gpus"]["rows"][0]["pictures"][1],
        ray["gpus"]["rows"][0]["pictures"][0],
    )
    page.holds(
        "python_bench_bench",
        all(
            second < 10 for row in ray["gpus"]["rows"] for ends in row["seconds"] for second in ends
        ),
        [row["workers"] for row in ray["gpus"]["rows"]] == [32, 4, 8],
    )

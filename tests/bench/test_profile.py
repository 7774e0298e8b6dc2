#!/usr/bin/env python3
"""bench/profile/profile_rungs.py makes tables of a profiler's CSV without a GPU: sums and means over launches,
kernels named by their ranges, the paper's figures beside ours, and no table of what is no profile."""

import csv
import importlib.util
import io
import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "bench" / "profile" / "profile_rungs.py"
spec = importlib.util.spec_from_file_location("profile_rungs", SCRIPT)
rungs = importlib.util.module_from_spec(spec)
spec.loader.exec_module(rungs)

RANGE = "thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg"
UNITS = {
    "gpu__time_duration.sum": "nsecond",
    "dram__bytes_read.sum": "byte",
    "dram__bytes_write.sum": "byte",
}
LISTED = {
    "commit": "abc",
    "gpu": {"name": "NVIDIA H200"},
    "requests": [
        {
            "operation": "convolve",
            "name": "gaussian-5x5",
            "text": "f32, 5 x 5",
            "width": 64,
            "height": 32,
        },
        {"operation": "motion", "name": "frame", "text": "RGB", "width": 596, "height": 336},
    ],
    "rows": [
        {"operation": "convolve", "strategy": "naive"},
        {"operation": "convolve", "strategy": "shared"},
        {"operation": "motion", "strategy": "v1.3"},
    ],
}


def launch(label, kernel, nanoseconds, **counters):
    """A launch as ncu prints it; every metric is 1 by default."""
    values = dict.fromkeys(rungs.EVERY_METRIC, "1") | {rungs.DURATION: nanoseconds} | counters
    inside = f' 1  "<default domain>:{label}:none:none:none:none:none:none"  ' if label else ""
    return [
        inside,
        f"cuesta::<unnamed>::{kernel}(cuesta::Request<float>, (cuesta::Space)1, int)",
        values,
    ]


def raw(launches, units=UNITS, heads=None):
    """What `ncu --csv --page raw --nvtx --log-file` leaves."""
    heads = heads or ["ID", "Process ID", RANGE, "Kernel Name", "Block Size", *rungs.METRICS]
    text = io.StringIO()
    write = csv.writer(text, quoting=csv.QUOTE_ALL)
    write.writerow(heads)
    write.writerow([units.get(head, "") for head in heads])
    for number, (inside, kernel, values) in enumerate(launches):
        known = {
            "ID": number,
            "Process ID": 7,
            RANGE: inside,
            "Kernel Name": kernel,
            "Block Size": "(32, 32, 1)",
        }
        write.writerow([(known | values)[head] for head in heads])
    return (
        "==PROF== Connected to process 7\n"
        + text.getvalue()
        + "==PROF== Disconnected from process 7\n"
    )


NAIVE, SHARED, MOTION = (
    "cuesta/convolve/naive/gaussian-5x5",
    "cuesta/convolve/shared/gaussian-5x5",
    "cuesta/motion/v1.3/frame",
)
OCCUPANCY = "sm__warps_active.avg.pct_of_peak_sustained_active"


class Tables(unittest.TestCase):
    def test_sums_quotients_and_means(self):
        profile = rungs.profile_of(
            raw(
                [
                    launch("", "warm_up", "5"),
                    launch(
                        SHARED,
                        "kernel<(int)5>",
                        "1,000",
                        **{
                            OCCUPANCY: "90",
                            rungs.ACTIVE: "50",
                            rungs.ELAPSED: "100",
                            rungs.SHARED_LOADS: "30",
                            rungs.SHARED_LOAD_REQUESTS: "10",
                            "smsp__inst_executed.sum": "2,000,000",
                        },
                    ),
                    launch(
                        SHARED,
                        "kernel<(int)5>",
                        "3,000",
                        **{
                            OCCUPANCY: "70",
                            rungs.ACTIVE: "250",
                            rungs.ELAPSED: "300",
                            rungs.SHARED_LOADS: "60",
                            rungs.SHARED_LOAD_REQUESTS: "20",
                            "smsp__inst_executed.sum": "1,000,000",
                        },
                    ),
                ]
            ),
            LISTED,
        )
        self.assertEqual(len(profile["rows"]), 1)
        row = profile["rows"][0]
        self.assertEqual(
            (row["operation"], row["strategy"], row["request"], row["width"], row["height"]),
            ("convolve", "shared", "f32, 5 x 5", 64, 32),
        )
        (kernel,) = row["kernels"]
        self.assertEqual((kernel["name"], kernel["launches"], kernel["us"]), ("kernel<5>", 2, 4))
        self.assertEqual(kernel["occupancy"], 75)  # (90 · 1 + 70 · 3) / 4
        self.assertEqual(kernel["sm_efficiency"], 75)  # 300 of 400 cycles
        self.assertEqual(kernel["shared_load_transactions"], 3)
        self.assertEqual(kernel["instructions"], 3e6)
        self.assertEqual(profile["launches_outside"], 1)
        self.assertEqual(profile["not_profiled"], ["convolve naive", "motion v1.3"])

    def test_counters_of_the_model_s_requests(self):
        of_model = {
            "operation": "convolve",
            "name": "model-f32-gaussian-5x5-64",
            "text": "f32, gaussian 5x5",
            "width": 64,
            "height": 64,
            "parameters": "gaussian 5x5",
            "strategy_parameters": "block=16",
            "type": "f32",
        }
        listed = LISTED | {"requests": [*LISTED["requests"], of_model]}
        heads = [
            "ID",
            "Process ID",
            RANGE,
            "Kernel Name",
            *rungs.METRICS,
            "launch__grid_size",
            "lts__t_sectors_op_read.sum",
        ]
        twice = {"launch__grid_size": "64", "lts__t_sectors_op_read.sum": "1,024"}
        profile = rungs.profile_of(
            raw(
                [
                    launch(
                        "cuesta/convolve/naive/model-f32-gaussian-5x5-64", "kernel", "10", **twice
                    ),
                    launch(
                        "cuesta/convolve/naive/model-f32-gaussian-5x5-64", "kernel", "10", **twice
                    ),
                    launch(NAIVE, "kernel", "10"),
                ],
                heads=heads,
            ),
            listed,
        )
        model, other = profile["rows"]
        self.assertEqual(
            (model["parameters"], model["strategy_parameters"], model["type"]),
            ("gaussian 5x5", "block=16", "f32"),
        )
        counters = model["kernels"][0]["counters"]
        self.assertEqual(counters["launch__grid_size"], 64)  # of one launch
        self.assertEqual(counters["lts__t_sectors_op_read.sum"], 2048)
        self.assertNotIn("lts__t_sectors_op_write.sum", counters)  # the CSV has none
        self.assertNotIn("counters", other["kernels"][0])

    def test_what_binds_a_production_row(self):
        asked = {
            "operation": "sobel",
            "name": "production-u8-magnitude-8192",
            "text": "u8, magnitude",
            "width": 8192,
            "height": 8192,
            "parameters": "magnitude",
            "type": "u8",
        }
        listed = LISTED | {
            "requests": [asked],
            "rows": [{"operation": "sobel", "strategy": "pairs"}],
        }
        heads = ["ID", "Process ID", RANGE, "Kernel Name", rungs.DURATION, *rungs.BINDING]
        label = "cuesta/sobel/pairs/production-u8-magnitude-8192"
        fma, memory = rungs.UNITS_BUSY["fma"], rungs.UNITS_BUSY["memory"]
        stall = "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"

        def row(**counters):
            return rungs.profile_of(
                raw(
                    [
                        launch(label, "front", "30"),
                        launch(label, "main", "60", **counters),
                        launch(label, "main", "10", **counters),
                    ],
                    heads=heads,
                ),
                listed,
            )["rows"][0]

        self.assertEqual(
            row(**{memory: "81", fma: "70"})["bound"],
            {"kernel": "main", "share": 70, "unit": "memory", "busy": 81},
        )
        self.assertEqual(
            row(**{fma: "55", stall: "4"})["bound"],
            {"kernel": "main", "share": 70, "unit": "fma", "busy": 55, "waits": "long scoreboard"},
        )
        self.assertNotIn(
            "bound", rungs.profile_of(raw([launch(NAIVE, "kernel", "10")]), LISTED)["rows"][0]
        )

    def test_what_was_not_counted(self):
        profile = rungs.profile_of(
            raw(
                [
                    launch(
                        NAIVE,
                        "kernel",
                        "10",
                        **{
                            OCCUPANCY: "n/a",
                            rungs.SHARED_LOADS: "0",
                            rungs.SHARED_LOAD_REQUESTS: "0",
                        },
                    )
                ]
            ),
            LISTED,
        )
        (kernel,) = profile["rows"][0]["kernels"]
        self.assertIsNone(kernel["occupancy"])
        self.assertIsNone(kernel["shared_load_transactions"])
        line = next(
            line for line in rungs.markdown_of(profile).splitlines() if line.startswith("| `naive`")
        )
        self.assertEqual(line.split(" | ")[5], "-")

    def test_kernels_that_take_no_time_are_left_out_of_the_page(self):
        profile = rungs.profile_of(
            raw([launch(NAIVE, "kernel", "990"), launch(NAIVE, "clear", "10")]), LISTED
        )
        page = rungs.markdown_of(profile)
        self.assertIn("`kernel`", page)
        self.assertNotIn("`clear`", page)
        self.assertIn("Kernels left out, below 5 % of their row's time: 1.", page)
        self.assertEqual(
            [kernel["name"] for kernel in profile["rows"][0]["kernels"]], ["kernel", "clear"]
        )

    def test_the_paper_is_beside_ours(self):
        without = rungs.profile_of(raw([launch(NAIVE, "kernel", "10")]), LISTED)
        self.assertNotIn("Paper 004", rungs.markdown_of(without))
        kernels = ["grayscale", "morph_tiled<(bool)1>", "morph_tiled<false>"]
        page = rungs.markdown_of(
            rungs.profile_of(
                raw([launch(MOTION, kernel, "10", **{OCCUPANCY: "33.25"}) for kernel in kernels]),
                LISTED,
            )
        )
        rows = {
            line.split(" | ")[1]: line.split(" | ")
            for line in page.splitlines()
            if "GPU`" in line or "CCL`" in line
        }
        self.assertEqual(len(rows), 9)
        self.assertEqual(rows["`grayscaleGPU`"][2], "33.2 · 79.6")
        self.assertEqual(rows["`dilateTiledConstantGPU`"][2], "33.2 · 71.5")
        self.assertEqual(rows["`erodeTiledConstantGPU`"][2], "33.2 · 71.7")
        self.assertEqual(rows["`mergeCCL`"][2], "- · 61.4")

    def test_the_papers_figures_are_the_benches(self):
        """bench/papers/paper_004.hpp has occupancy and registers too, for motion-ladder."""
        text = (ROOT / "bench" / "papers" / "paper_004.hpp").read_text(encoding="utf-8")
        kernels = re.findall(r'\{"(\w+)", (\d+), (0\.\d+)\}', text[text.index("kernels[]") :])
        ours = [(line[-1], round(line[2] / 100, 3)) for line in rungs.PAPER_004]
        self.assertEqual(
            [(int(registers), float(occupancy)) for _, registers, occupancy in kernels], ours
        )

    def test_names(self):
        for demangled, short in (
            (
                "void cuesta::motion_ladder::morph_tiled<(bool)1>(cuesta::ImageView<const unsigned char, (cuesta::Space)1>)",
                "morph_tiled<1>",
            ),
            ("cuesta::(anonymous namespace)::init(cuesta::Picture)", "init"),
            (
                "void cuesta::<unnamed>::kernel<float, (int)5>(cuesta::Request<T1>, const float *)",
                "kernel<float, 5>",
            ),
            ("unnamed>::gaussian(ImageView<const unsigned char, 1>, canny_cuda::Taps)", "gaussian"),
            (
                "void cuda::each_pixel<unnamed>::Pixel<unsigned char, 3>>(int, int, T1)",
                "each_pixel<Pixel<unsigned char, 3>>",
            ),
            (
                "void cuda::each_frame_pixel<sobel_ladder::<unnamed>::Pixel<float, 3>>(cuda::Frame, T1)",
                "each_frame_pixel<Pixel<float, 3>>",
            ),
            ("merge", "merge"),
        ):
            self.assertEqual(rungs.short_name(demangled), short)

    def test_refuses_what_is_no_profile(self):
        good = launch(NAIVE, "kernel", "10")
        heads = ["ID", "Process ID", "Kernel Name", *rungs.METRICS]
        for text, says in (
            ("", "no line begins"),
            ("==ERROR== no permission", "no line begins"),
            ('"ID","Process ID"\n', "units"),
            (raw([good], heads=heads), "NVTX"),
            (raw([good], units=UNITS | {rungs.DURATION: "usecond"}), "--print-units"),
            (raw([launch(NAIVE, "kernel", "n/a")]), "has no time"),
            (raw([launch("cuesta/convolve/naive/box", "kernel", "10")]), "the list lacks"),
            (raw([good]).replace(',"(32, 32, 1)"', ""), "fields"),
        ):
            with self.assertRaisesRegex(rungs.Refused, re.escape(says)):
                rungs.profile_of(text, LISTED)


class Command(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.at = Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def run_script(self, *options):
        return subprocess.run(
            [sys.executable, SCRIPT, "--out", self.at / "profile", *options],
            capture_output=True,
            text=True,
        )

    def script(self, name, text):
        file = self.at / name
        file.write_text("#!/bin/sh\n" + text, encoding="utf-8")
        file.chmod(0o755)
        return file

    def test_under_a_profiler(self):
        """A made-up ncu, which prints its arguments and hands a kept CSV over."""
        (self.at / "kept.csv").write_text(raw([launch(NAIVE, "kernel", "10")]), encoding="utf-8")
        (self.at / "listed.json").write_text(json.dumps(LISTED), encoding="utf-8")
        program = self.script(
            "cuesta_profile",
            f'[ "$*" = "--list convolve motion" ] && cat "{self.at}/listed.json"\n',
        )
        ncu = self.script(
            "ncu",
            f'[ "$1" = --version ] && echo "Version 2025.3" && exit\necho "$@" >"{self.at}/told"\n'
            f'cp "{self.at}/kept.csv" "{self.at}/profile.csv"\n',
        )
        done = self.run_script(
            "--ncu",
            ncu,
            "--program",
            program,
            "--without",
            rungs.SHARED_STORES,
            "--only",
            "convolve",
            "--only",
            "motion",
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(
            [Path(line).name for line in done.stdout.split()], ["profile.md", "profile.json"]
        )
        self.assertIn("not profiled: convolve shared, motion v1.3", done.stderr)
        told = (self.at / "told").read_text(encoding="utf-8")
        self.assertIn("--nvtx --csv --page raw --print-units base --clock-control none", told)
        self.assertTrue(told.endswith("cuesta_profile convolve motion\n"), told)
        self.assertIn(rungs.SHARED_LOADS, told)
        self.assertNotIn(rungs.SHARED_STORES, told)
        result = json.loads((self.at / "profile.json").read_text(encoding="utf-8"))
        self.assertEqual(
            (result["gpu"]["name"], result["commit"], result["profiler"]),
            ("NVIDIA H200", "abc", "ncu 2025.3"),
        )
        page = (self.at / "profile.md").read_text(encoding="utf-8")
        self.assertIn("NVIDIA H200", page)
        # Again from what the run kept: the same bytes.
        again = self.run_script(
            "--csv", self.at / "profile.csv", "--list", self.at / "profile.list.json"
        )
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual((self.at / "profile.md").read_text(encoding="utf-8"), page)

    def test_metrics_that_ncu_does_not_list(self):
        listed = self.script(
            "ncu",
            'printf "Device NVIDIA H200\\n\\nMetric Name  Type\\n"\n'
            'printf "gpu__time_duration   Counter  ns\\nlts__t_sectors_op_read  Counter  sectors\\n"\n',
        )
        metrics = [
            "gpu__time_duration.sum",
            "lts__t_sectors_op_read.sum",
            "idc__requests.sum",
            "launch__grid_size",
            "smsp__sass_average_branch_targets_threads_uniform.pct",
        ]
        self.assertEqual(
            rungs.known_to(listed, metrics),
            [metric for metric in metrics if not metric.startswith("idc")],
        )
        silent = self.script("silent", "")
        self.assertEqual(rungs.known_to(silent, metrics), metrics)

    def test_the_model_s_operations_apart(self):
        """One ncu an operation, joined; one that is cut leaves the others."""
        request = {
            "name": "model-f32",
            "text": "f32",
            "width": 64,
            "height": 64,
            "parameters": "gaussian 5x5",
            "strategy_parameters": "block=16",
            "type": "f32",
        }
        listed = LISTED | {
            "requests": [
                request | {"operation": operation} for operation in ("convolve", "sobel", "log")
            ],
            "rows": [
                {"operation": operation, "strategy": "naive"}
                for operation in ("convolve", "sobel", "log")
            ],
        }
        (self.at / "listed.json").write_text(json.dumps(listed), encoding="utf-8")
        for operation in ("convolve", "log"):
            text = raw(
                [launch(f"cuesta/{operation}/naive/model-f32", "kernel", "10")],
                heads=[
                    "ID",
                    "Process ID",
                    RANGE,
                    "Kernel Name",
                    rungs.DURATION,
                    "smsp__inst_executed.sum",
                ],
            )
            (self.at / f"{operation}.csv").write_text(text, encoding="utf-8")
        program = self.script(
            "cuesta_profile", f'[ "$1 $2" = "--list --model" ] && cat "{self.at}/listed.json"\n'
        )
        ncu = self.script(
            "ncu",
            '[ "$1" = --version ] && exit\n[ "$1" = --query-metrics ] && exit\nfor last; do :; done\n'
            f'[ "$last" = sobel ] && exit 9\ncp "{self.at}/$last.csv" "{self.at}/profile-$last.csv"\n',
        )
        done = self.run_script("--model", "--ncu", ncu, "--program", program)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("warning: sobel: ncu profiled nothing", done.stderr)
        result = json.loads((self.at / "profile.json").read_text(encoding="utf-8"))
        self.assertEqual([row["operation"] for row in result["rows"]], ["convolve", "log"])
        self.assertEqual(
            result["rows"][0]["kernels"][0]["counters"], {"smsp__inst_executed.sum": 1}
        )
        self.assertEqual(result["not_profiled"], ["sobel naive"])

    def test_refusals(self):
        for options, says in (
            (["--ncu", "/nowhere/ncu"], "/nowhere/ncu does not run"),
            (["--csv", "/nowhere/a.csv", "--list", "/nowhere/a.json"], "No such file"),
        ):
            done = self.run_script(*options)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertTrue(done.stderr.startswith("error: "), done.stderr)
            self.assertIn(says, done.stderr)
            self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    unittest.main()

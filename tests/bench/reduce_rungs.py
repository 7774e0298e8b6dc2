#!/usr/bin/env python3
"""Reduces a full run and a profile of an H200 to what test_model.cpp compares the model of bench/model with.

    reduce_rungs.py FULL.json PROFILE.json

writes data/h200-rungs.json (rows of `cuesta bench model`, log-ladder, ... of 1024 pixels a side and more) and
data/h200-counters.json (what profile_rungs.py --model counted).
"""

import hashlib
import json
import re
import sys
from pathlib import Path

DATA = Path(__file__).resolve().parent / "data"
OPERATIONS = ("convolve", "log", "sobel", "canny")
COUNTERS = ("smsp__inst_executed.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
            "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
            "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum")  # fmt: skip


def modelled():
    """(operation, strategy) of the rows in bench/model/rungs.cpp."""
    text = (DATA.parents[2] / "bench" / "model" / "rungs.cpp").read_text(encoding="utf-8")
    return set(re.findall(r'"(convolve|log|sobel|canny)",\s*"([\w-]+)"', text))


def window(parameters):
    found = re.search(r"\b(\d+)x\1\b", parameters)
    return int(found[1]) if found else 0


def short(value):
    return float(f"{value:.6g}")


def rungs(run):
    known, requests, event = modelled(), {}, None
    for row in run["rows"]:
        if row["space"] == "device" and "before the first stage" in row["stages"]:
            event = min(event or 1, row["stages"]["before the first stage"])
        if (
            row["space"] != "device"
            or row["width"] < 1024
            or (row["operation"], row["strategy"]) not in known
        ):
            continue
        if row["operation"] == "convolve" and window(row["parameters"]) not in (3, 5, 9):
            continue
        one = [
            row["strategy"],
            row["strategy_parameters"],
            row["width"],
            row["height"],
            short(row["ms"]),
        ]
        if row["operation"] == "canny":
            one += [{name: short(ms) for name, ms in row["stages"].items()}, row["statistics"]]
        requests.setdefault((row["operation"], row["parameters"], row["type"]), []).append(one)
    return {"event_ms": event, "requests": [[*request, rows] for request, rows in requests.items()]}


def counters(profile):
    known, rows = modelled(), []
    for row in profile["rows"]:
        if "parameters" in row and (row["operation"], row["strategy"]) in known:
            kernels = [
                {
                    "name": kernel["name"],
                    "counters": {
                        name: kernel["counters"][name]
                        for name in COUNTERS
                        if name in kernel["counters"]
                    },
                }
                for kernel in row["kernels"]
            ]
            rows.append(
                {key: value for key, value in row.items() if key not in ("kernels", "bound")}
                | {"kernels": kernels}
            )
    return {"rows": rows}


def main():
    for path, reduce, name in zip(
        map(Path, sys.argv[1:]), (rungs, counters), ("h200-rungs.json", "h200-counters.json")
    ):
        whole = json.loads(path.read_text(encoding="utf-8"))
        made = {
            "file": path.name,
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            "date": whole["date"],
            "commit": whole["commit"],
        }
        made |= reduce(whole)
        text = re.sub(
            r"\[\"(?=convolve|log|sobel|canny)|(?<=\[)\{\"operation|(?<=,)\{\"operation",
            r"\n\g<0>",
            json.dumps(made, separators=(",", ":")),
        )
        (DATA / name).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(__doc__ if len(sys.argv) != 3 else main())

"""Pictures larger than memory by the command: the same bytes as whole ones, under a limit of the address space that the
whole does not fit, and after a SIGKILL. `test_bands.py COMMAND`."""

import json
import os
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

COMMAND = sys.argv.pop(1)
WIDTH, HEIGHT = 20_000, 10_000
MEGABYTE = 1_000_000
# Arenas and stacks of threads are address space, not memory: as many as two cores have.
ENVIRONMENT = {**os.environ, "MALLOC_ARENA_MAX": "2", "VIPS_CONCURRENCY": "2"}


def run(*arguments, limit=None, code=0):
    if limit:  # a CUDA driver's address space is larger
        arguments = (*arguments, "--device", "cpu")

    def bound():
        if limit:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    done = subprocess.run(
        [COMMAND, *map(str, arguments)],
        capture_output=True,
        text=True,
        preexec_fn=bound,
        env=ENVIRONMENT,
    )
    assert done.returncode == code, (arguments, done.returncode, done.stderr)
    return done


def resident(*arguments):
    """The most bytes that the command held in memory at once."""
    command = [COMMAND, *map(str, arguments), "--device", "cpu"]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, env=ENVIRONMENT)
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, arguments
    return usage.ru_maxrss * 1024


def write_tiff(path, width, height):
    """One strip a row, a picture of lines that cross every band, with a little noise."""
    noise = bytes((i * i * 7 + i * 13) % 23 for i in range(4096))
    wave = [
        bytes((((x + shift * 16) // 40) % 2) * 120 + 40 for x in range(width))
        for shift in range(80)
    ]
    rows = []
    for row in wave:
        grained = bytes(a + b for a, b in zip(row, noise * (width // 4096 + 1)))
        rows.append(grained)
    offset = 8
    with open(path, "wb") as file:
        file.write(struct.pack("<2sHI", b"II", 42, offset + width * height))
        for y in range(height):
            file.write(rows[(y // 8) % 80])
        entries = [
            (256, 4, 1, width),
            (257, 4, 1, height),
            (258, 3, 1, 8),
            (259, 3, 1, 1),
            (262, 3, 1, 1),
            (273, 4, height, 0),
            (277, 3, 1, 1),
            (278, 4, 1, 1),
            (279, 4, height, 0),
        ]
        begin = offset + width * height
        after = begin + 2 + 12 * len(entries) + 4
        file.write(struct.pack("<H", len(entries)))
        for tag, kind, count, value in entries:
            if tag == 273:
                value = after
            if tag == 279:
                value = after + 4 * height
            file.write(struct.pack("<HHII", tag, kind, count, value))
        file.write(struct.pack("<I", 0))
        file.write(struct.pack(f"<{height}I", *(offset + width * y for y in range(height))))
        file.write(struct.pack(f"<{height}I", *([width] * height)))


def same(a, b):
    return subprocess.run(["cmp", "-s", a, b]).returncode == 0


def hidden(folder):
    return sorted(p.name for p in folder.iterdir() if p.name.startswith("."))


def check_methods(folder, source, limit):
    """Each method, whole and in bands."""
    for name, options in {
        "canny": ["--sigma", "1.4"],
        "log": ["--method", "log"],
        "sobel": ["--method", "sobel"],
    }.items():
        whole, banded = folder / f"{name}-whole.tif", folder / f"{name}.tif"
        plain = json.loads(run("edges", source, "-o", whole, "--json", *options).stdout)
        facts = json.loads(
            run(
                "edges",
                source,
                "-o",
                banded,
                "--json",
                "--memory",
                "60MB",
                "--threads",
                "2",
                *options,
                limit=limit,
            ).stdout
        )
        assert same(whole, banded), name
        assert facts["bands"] > 3, facts
        assert facts.get("edge_pixels") == plain.get("edge_pixels"), (facts, plain)
        assert facts.get("high") == plain.get("high"), (facts, plain)
        assert hidden(folder) == []
        whole.unlink()
        if name != "canny":
            banded.unlink()


def check_labels(folder, source, limit):
    """The list of components, whole and in bands."""
    arguments = ["label", source, "--threshold", "150"]
    run(*arguments, "-o", folder / "whole.csv")
    said = run(
        *arguments,
        "-o",
        folder / "parts.csv",
        "-v",
        "--memory",
        "60MB",
        "--threads",
        "2",
        limit=limit,
    ).stderr
    assert same(folder / "whole.csv", folder / "parts.csv")
    assert int(said.split("in bands, ")[1].split()[0]) > 3, said
    lines = (folder / "parts.csv").read_text().splitlines()
    assert lines[0] == "label,x,y,width,height,area,centroid_x,centroid_y" and len(lines) > 100, (
        lines[:3]
    )
    assert hidden(folder) == []
    whole, banded = (
        resident(*arguments, "-o", folder / "again.csv", "--threads", "2", *more)
        for more in ([], ["--memory", "60MB"])
    )
    assert whole > banded + 100 * MEGABYTE, (whole, banded)


def check_limit(folder, source, limit):
    """The limit is one that whole pictures do not keep: else it showed nothing."""
    done = run(
        "edges",
        source,
        "-o",
        folder / "none.tif",
        "--sigma",
        "1.4",
        "--threads",
        "2",
        limit=limit,
        code=5,
    )
    assert "out of memory" in done.stderr, done.stderr
    assert not (folder / "none.tif").exists()


def check_kill(folder, source):
    """A process that is killed leaves nothing under the name, and the next one continues."""
    target = folder / "killed.tif"
    arguments = ["edges", source, "-o", target, "--sigma", "1.4", "--memory", "30MB", "--json"]
    journal = folder / ".killed.tif.cuesta-journal"
    process = subprocess.Popen([COMMAND, *map(str, arguments)], stdout=subprocess.DEVNULL)
    while process.poll() is None:
        if journal.exists() and journal.read_text().count("\nrows ") >= 3:
            process.send_signal(signal.SIGKILL)
            break
        time.sleep(0.002)
    process.wait()
    assert process.returncode == -signal.SIGKILL, "it was done before it was killed"
    assert not target.exists()
    assert hidden(folder) == [".killed.tif.cuesta-journal", ".killed.tif.cuesta-rows"]
    facts = json.loads(run(*arguments).stdout)
    assert facts["resumed_rows"] > 0, facts
    assert hidden(folder) == []
    assert same(folder / "canny.tif", target)


def write_colors(path, width, height):
    """A PNG of blotches whose channels differ."""
    rows = []
    for y in range(height):
        cells = [
            ((x // 16) * 73 + (y // 16) * 151 + c * 89) * (1 + c) % 256
            for x in range(width)
            for c in range(3)
        ]
        rows.append(b"\0" + bytes(cells))

    def chunk(name, data):
        return (
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        )

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(b"".join(rows)))
        + chunk(b"IEND", b"")
    )


def check_colors_and_devices(folder):
    """A packed picture of colors: canny takes one channel or three, on the CPU and on what GPUs there are."""
    source = folder / "colors.png"
    write_colors(source, 400, 500)
    gpus = [device["device"] for device in json.loads(run("list", "devices", "--json").stdout)]
    devices = ["cpu", "auto", *(["cuda"] if any(name.startswith("cuda") for name in gpus) else [])]
    edges = [
        [],
        ["--color", "gray"],
        ["--method", "log"],
        ["--method", "sobel"],
        ["--method", "sobel", "--threshold", "90"],
    ]
    for verb, options in [
        *(("edges", some) for some in edges),
        ("filter", ["--median", "5"]),
        ("filter", ["--kernel", "sharpen:3"]),
    ]:
        whole, banded = folder / "whole.tif", folder / "banded.tif"
        run(verb, source, "-o", whole, "--device", "cpu", *options)
        for device in devices:
            said = run(
                verb, source, "-o", banded, "-v", "--memory", "700kB", "--device", device, *options
            ).stderr
            assert int(said.split("in bands, ")[1].split()[0]) > 3, said
            assert same(whole, banded), (verb, device, options)
    for device in devices:
        for memory in ([], ["--memory", "300kB"]):
            run(
                "label",
                source,
                "-o",
                folder / f"{device}.csv",
                "--threshold",
                "90",
                "--device",
                device,
                *memory,
            )
            assert same(folder / f"{device}.csv", folder / "cpu.csv"), (device, memory)
    assert hidden(folder) == []


def check_small(folder):
    """What requires the whole picture, and fits."""
    small = folder / "small.tif"
    write_tiff(small, 300, 200)
    for options in (["--method", "regions"], ["--method", "boundaries"], ["--border", "wrap"]):
        run("edges", small, "-o", folder / "plain.tif", *options)
        run("edges", small, "-o", folder / "fits.tif", "--memory", "60MB", *options)
        assert same(folder / "plain.tif", folder / "fits.tif"), options


def check_words(folder, source):
    """What cannot be done is said, with what would."""
    out = folder / "x.tif"
    for arguments, code, words in [
        (["--memory", "much"], 2, "--memory is much; it must be a number of bytes"),
        (["--memory", "60MB", "--device", "cuda:99"], 5, "--device cpu"),
        (["--memory", "10kB"], 2, "hold too few rows of 20000 pixels"),
        (
            ["--memory", "60MB", "--lines", folder / "x.svg"],
            3,
            "--lines requires the whole picture; raise --memory",
        ),
        (["--memory", "60MB", "--method", "regions"], 3, "of all rows; raise --memory"),
        (["--memory", "60MB", "--border", "wrap"], 3, "the last; raise --memory"),
        (["--restart"], 2, "requires --memory"),
    ]:
        done = run("edges", source, "-o", out, *arguments, code=code)
        assert words in done.stderr, (arguments, done.stderr)
        assert not out.exists() and hidden(folder) == []


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = folder / "source.tif"
        write_tiff(source, WIDTH, HEIGHT)
        limit = int(os.environ.get("CUESTA_BANDS_LIMIT", "650")) * MEGABYTE
        check_methods(folder, source, limit)
        check_labels(folder, source, limit)
        check_limit(folder, source, limit)
        check_kill(folder, source)
        check_small(folder)
        check_words(folder, source)
        check_colors_and_devices(folder)
    print("bands: all passed")


if __name__ == "__main__":
    main()

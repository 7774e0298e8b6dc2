"""--device cuda, cuda:N and cuda:all give the CPU's files and lists, whatever the number of GPUs; where there is none it is
said. `test_devices.py COMMAND`; the emulated device's CUESTA_EMULATED_DEVICES says how many it plays (emulation/README.md)."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

COMMAND = sys.argv.pop(1)


def run(*arguments, code=0):
    done = subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, (arguments, done.returncode, done.stderr)
    return done


def level(x, y, t):
    """A board with grain, and a bright square that moves."""
    inside = 10 + 3 * t <= x < 26 + 3 * t and 20 <= y < 36
    return 230 if inside else 60 + ((x // 12 + y // 9) % 2) * 50 + (x * 7 + y * 13 + x * y) % 9


def write_picture(path, width, height, t):
    pixels = bytes(level(x, y, t) for y in range(height) for x in range(width))
    path.write_bytes(b"P5\n%d %d\n255\n" % (width, height) + pixels)


def write_pictures(folder, count):
    folder.mkdir()
    for t in range(count):
        write_picture(folder / f"{t:02}.pgm", 90 + t % 3 * 7, 60 + t % 2 * 5, t)


def write_video(path, frames):
    width, height = 96, 64
    with open(path, "wb") as file:
        file.write(b"YUV4MPEG2 W%d H%d F25:1 Ip A1:1 Cmono\n" % (width, height))
        for t in range(frames):
            file.write(
                b"FRAME\n" + bytes(level(x, y, t % 20) for y in range(height) for x in range(width))
            )


def files_of(path):
    return {p.name: p.read_bytes() for p in path.iterdir()} if path.is_dir() else path.read_bytes()


def facts_of(text):
    lines = [json.loads(line) for line in text.splitlines()]
    return [
        {key: value for key, value in line.items() if key not in ("output", "seconds")}
        for line in lines
    ]


def works(folder, gpus):
    """Name, command, and what it writes."""
    pictures, video, tall = folder / "pictures", folder / "street.y4m", folder / "tall.pgm"
    little = ["--memory", f"{70 * max(3, gpus)}kB"]  # for `tall`
    for name, options in {
        "canny": ["edges"],
        "given": ["edges", "--low", "40", "--high", "90"],
        "log": ["edges", "--method", "log"],
        "sobel": ["edges", "--method", "sobel"],
        "median": ["filter", "--median", "3"],
        "kernel": ["filter", "--kernel", "gaussian:7"],
    }.items():
        yield f"{name} of a folder", [options[0], pictures, *options[1:], "--json"], "results"
        yield f"{name} of a video", [options[0], video, *options[1:], "--json"], "result.y4m"
        if name != "given":
            yield (
                f"{name} in bands",
                [options[0], tall, *options[1:], "--json", *little],
                "result.tif",
            )
    yield "components", ["label", pictures / "01.pgm", "--threshold", "100"], "parts.csv"
    yield "components in bands", ["label", tall, "--threshold", "100", *little], "parts.csv"
    measured = ["label", tall, "--threshold", "100", "--intensity", tall, "--connectivity", "4"]
    yield "measured components", measured, "parts.csv"
    yield "measured components in bands", [*measured, *little], "parts.csv"


def same_everywhere(folder, devices, gpus):
    write_pictures(folder / "pictures", 13)
    write_picture(folder / "tall.pgm", 60, 350 * max(3, gpus), 0)
    write_video(folder / "street.y4m", 40)
    for name, command, made in works(folder, gpus):
        told = {}
        for device in ["cpu", *devices]:
            out = folder / device.replace(":", "-")
            out.mkdir(exist_ok=True)
            done = run(*command, "-o", out / made, "--device", device, "-v")
            assert (": in bands, " in done.stderr) == name.endswith("in bands"), (
                name,
                device,
                done.stderr,
            )
            facts = facts_of(done.stdout)
            for line in facts:
                line.pop("bands", None)  # they fit the memory of what works on them
            told[device] = (files_of(out / made), facts)
            assert told[device] == told["cpu"], (name, device)
        print(f"{name}: the same on {', '.join(told)}")
    moving = ["detect", folder / "street.y4m"]
    lists = {
        device: run(*moving, "--json", "-", "--device", device).stdout
        for device in ["cpu", *devices]
    }
    assert len(set(lists.values())) == 1 and lists["cpu"].count('"box"') > 10, {
        d: len(t) for d, t in lists.items()
    }
    # Several at once.
    for n in range(3):
        write_video(folder / f"camera{n}.y4m", 20 + 5 * n)
    cameras = [folder / f"camera{n}.y4m" for n in range(3)]
    several = {}
    for device in ["cpu", *devices]:
        lines = run("detect", *cameras, "--json", "-", "--device", device).stdout.splitlines()
        several[device] = sorted(lines)
        assert several[device] == several["cpu"] and len(lines) >= 75, device


def check_words():
    bad = run("edges", "x.png", "-o", "y.png", "--device", "cuda:every", code=2).stderr
    assert (
        "it must be auto, cpu, cuda or cuda:N (N counts from 0), or cuda:all with edges, filter, label and detect"
        in bad
    ), bad
    bad = run("verify", "sobel", "--device", "cuda:all", code=2).stderr
    assert "or cuda:all with edges" in bad, bad


def main():
    check_words()
    gpus = [
        d["device"]
        for d in json.loads(run("list", "devices", "--json").stdout)
        if d["device"] != "cpu"
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if gpus:
            same_everywhere(
                folder,
                ["auto", "cuda", *([gpus[-1]] if len(gpus) > 1 else []), "cuda:all"],
                len(gpus),
            )
        else:
            write_pictures(folder / "pictures", 1)
            for verb in (["edges"], ["filter", "--median", "3"], ["label"]):
                out = folder / ("x.csv" if verb == ["label"] else "x.png")
                said = run(
                    verb[0],
                    folder / "pictures/00.pgm",
                    "-o",
                    out,
                    *verb[1:],
                    "--device",
                    "cuda:all",
                    code=5,
                ).stderr
                assert (
                    "--device cuda:all: " in said and "--device cpu does without a GPU" in said
                ), said
                assert not out.exists()
    print(f"devices: all passed, with {len(gpus)} GPUs")


if __name__ == "__main__":
    main()

"""--decode cuda gives the lists, masks and videos of --decode cpu, of every codec and layout that the GPU's decoder takes; what it
does not take is said. `test_decode.py COMMAND`; without a GPU that decodes video it checks what is said there, and is skipped (77)."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

COMMAND = sys.argv.pop(1)
SKIPPED = 77


def run(*arguments, code=0):
    done = subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, (arguments, done.returncode, done.stderr)
    return done


def write_y4m(path, frames, width=192, height=160):
    colors = bytes([128]) * (2 * ((width + 1) // 2) * ((height + 1) // 2))
    with open(path, "wb") as file:
        file.write(b"YUV4MPEG2 W%d H%d F25:1 Ip A1:1 C420jpeg\n" % (width, height))
        for t in range(frames):
            luma = bytearray()
            for y in range(height):
                row = bytearray(
                    60 + (x // 12 + y // 9) % 2 * 50 + (x * 7 + y * 13 + x * y) % 9
                    for x in range(width)
                )
                if 20 <= y < 60:
                    left = 3 * t % (width - 30)
                    row[left : left + 24] = bytes([220]) * 24
                luma += row
            file.write(b"FRAME\n" + luma + colors)


def videos(folder):
    """Coded by the command itself: H.264 in several containers and with a part cut off at the right and below, VP9."""
    write_y4m(folder / "street.y4m", 150)
    write_y4m(folder / "odd.y4m", 40, 194, 162)
    for source, name in (
        ("street", "a.mp4"),
        ("street", "a.mkv"),
        ("street", "a.webm"),
        ("street", "a.mov"),
        ("odd", "odd.mp4"),
    ):
        run("filter", folder / f"{source}.y4m", "-o", folder / name, "--median", "3")
        yield folder / name
    # Parts: a key frame every two seconds.
    run("filter", folder / "street.y4m", "-o", folder / "grown.mkv", "--median", "3", "--follow")
    yield folder / "grown.mkv"


def results(folder, video, *options):
    """Bytes of all that is written; without frames in host memory, and with them."""
    made = folder / "made"
    made.mkdir()
    run("detect", video, "--json", made / "list.ndjson", *options)
    run(
        "detect",
        video,
        "--json",
        made / "again.ndjson",
        "-o",
        made / "boxes.y4m",
        "--mask-video",
        made / "mask.y4m",
        *options,
    )
    told = {path.name: path.read_bytes() for path in made.iterdir()}
    for path in made.iterdir():
        path.unlink()
    made.rmdir()
    assert told["list.ndjson"] == told["again.ndjson"], (video, options)
    return told


def check_gpu(folder):
    for video in videos(folder):
        for looks in (
            [],
            ["--downscale", "2"],
            ["--region", "7,5,100,80"],
            ["--background", "mixture"],
        ):
            wanted = results(folder, video, "--device", "cpu", "--decode", "cpu", *looks)
            for device in ("cuda", "cpu"):
                assert (
                    results(folder, video, "--device", device, "--decode", "cuda", *looks) == wanted
                ), (video, looks, device)
        assert wanted["list.ndjson"].count(b'"box"') > 10, video
        said = run(
            "detect", video, "--json", "-", "--device", "cuda", "--decode", "cuda", "-v"
        ).stderr
        assert "decoded by cuda:0" in said, said
        assert ("parts, " in said) == (video.name in ("grown.mkv", "a.webm")), said
    several = run(
        "detect",
        folder / "a.mp4",
        folder / "odd.mp4",
        "--json",
        "-",
        "--device",
        "cuda",
        "--decode",
        "cuda",
    ).stdout
    assert sorted(several.splitlines()) == sorted(
        run(
            "detect", folder / "a.mp4", folder / "odd.mp4", "--json", "-", "--device", "cpu"
        ).stdout.splitlines()
    )
    # What is live takes the GPU by itself.
    fed = subprocess.run(
        [COMMAND, "detect", "-", "--json", "-", "--device", "cuda", "-v"],
        input=(folder / "a.mkv").read_bytes(),
        capture_output=True,
    )
    assert fed.returncode == 0 and b"decoded by cuda:0" in fed.stderr, fed.stderr
    assert (
        b"decoded by cuda"
        not in run(
            "detect", folder / "a.mkv", "--json", "-", "--device", "cuda", "-v"
        ).stderr.encode()
    )
    # A video without a frame is not one that the GPU does not take.
    run("filter", folder / "street.y4m", "-o", folder / "grown.mp4", "--median", "3", "--follow")
    begin = (folder / "grown.mp4").read_bytes()
    (folder / "empty.mp4").write_bytes(begin[: begin.index(b"moof") - 4])
    for how in ("cpu", "cuda"):
        said = run("detect", folder / "empty.mp4", "--json", "-", "--decode", how, code=3).stderr
        assert said.endswith("empty.mp4: the video stream has no frames\n"), said
    # What its decoder does not take: VP9 of fewer than 128 rows. What was read of a pipe by then is decoded by the CPU.
    write_y4m(folder / "small.y4m", 60, 96, 64)
    run("filter", folder / "small.y4m", "-o", folder / "small.webm", "--median", "3")
    said = run("detect", folder / "small.webm", "--json", "-", "--decode", "cuda", code=2).stderr
    assert "cannot be decoded on cuda:0: its decoder does not take vp9, 96x64, yuv420p" in said, (
        said
    )
    fed = {}
    for how in ("cpu", "auto"):
        done = subprocess.run(
            [COMMAND, "detect", "-", "--json", "-", "--device", "cuda", "--decode", how, "-v"],
            input=(folder / "small.webm").read_bytes(),
            capture_output=True,
        )
        assert done.returncode == 0, done.stderr
        fed[how] = done.stdout
        assert (b"decoded by the CPU (its decoder does not take" in done.stderr) == (
            how == "auto"
        ), done.stderr
    assert fed["cpu"] == fed["auto"] and fed["cpu"].count(b'"frame"') == 60


def check_others(folder):
    """VA-API and Quick Sync where there is no such device: an error if they are required, or the CPU."""
    run("filter", folder / "street.y4m", "-o", folder / "street.mkv", "--median", "3")
    for how in ("vaapi", "qsv"):
        failed = run(
            "detect", folder / "street.mkv", "--json", folder / "x", "--decode", how, code=5
        )
        assert f"--decode {how}: " in failed.stderr, failed.stderr
        assert "/dev/dri/renderD" in failed.stderr, failed.stderr
        assert "--decode cpu" in failed.stderr, failed.stderr
        assert not (folder / "x").exists()
    plain = run("detect", folder / "street.mkv", "--json", "-", "--decode", "cpu").stdout
    for how in ("auto", "cpu"):
        fed = subprocess.run(
            [COMMAND, "detect", "-", "--json", "-", "--decode", how, "--device", "cpu"],
            input=(folder / "street.mkv").read_bytes(),
            capture_output=True,
        )
        assert fed.returncode == 0, fed.stderr
        assert fed.stdout.splitlines()[1:] == plain.encode().splitlines()[1:], how


def main():
    gpus = [d for d in json.loads(run("list", "devices", "--json").stdout) if d["device"] != "cpu"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_y4m(folder / "street.y4m", 3)
        said = run("detect", folder / "street.y4m", "--json", "-", "--decode", "gpu", code=2).stderr
        assert "--decode" in said and "auto" in said and "cuda" in said, said
        assert "vaapi" in said and "qsv" in said, said
        if not any(Path("/dev/dri").glob("renderD*")):
            check_others(folder)
        if not gpus:
            said = run(
                "detect", folder / "street.y4m", "--json", folder / "x", "--decode", "cuda", code=5
            ).stderr
            assert "--decode cuda" in said and "--decode cpu" in said, said
            assert not (folder / "x").exists()
            print("decode: no GPU here; what is said of that passed")
            sys.exit(SKIPPED)
        said = run(
            "detect", folder / "street.y4m", "--json", folder / "x", "--decode", "cuda", code=2
        ).stderr
        assert "decoding y4m on a GPU is not supported" in said, said
        check_gpu(folder)
    print("decode: all passed")


if __name__ == "__main__":
    main()

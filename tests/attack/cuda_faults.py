"""Calls of the CUDA runtime that fail under the command, on a GPU or an emulated device (fault_cuda.cpp)."""

import random
import re
import shutil
import subprocess

from ground import Ground, y4m

# What a call ends with, whether all after it do, and what the points are counted as.
FAULTS = {
    "UNKNOWN": ("", "a CUDA call fails"),
    "MEMORY": ("", "no device memory"),
    "LOST": ("+", "the device is lost"),
}
NAMED = re.compile(r"GPU|CUDA|page-locked|out of memory")
# Of the runtime, what cannot be made to fail: words, and what programs call before main() and after it.
NEVER_FAIL = re.compile(
    r"cudaGetError(String|Name)|cudaCreateChannelDesc|cuda(Get|PeekAt)LastError|__cuda(?!LaunchKernel).*"
)


class CudaFaults(Ground):
    def cuda_cases(self):
        """Name, words for a folder of results, and whether what is printed is the result."""
        draw = random.Random(3)
        scene = []
        for i in range(6):
            frame = bytearray(draw.randrange(90, 110) for _ in range(64 * 48))
            for y in range(12, 30):
                frame[y * 64 + 6 * i : y * 64 + 6 * i + 16] = b"\xf0" * 16
            scene.append(bytes(frame))
        short, scene = (
            self.file("short.y4m", y4m(64, 48, scene[:3])),
            self.file("scene.y4m", y4m(64, 48, scene)),
        )
        works = {
            "canny": ["edges"],
            "sobel": ["edges", "--method", "sobel"],
            "log": ["edges", "--method", "log"],
            "boundaries": ["edges", "--method", "boundaries"],
            "average": ["filter", "--kernel", "average:5"],
            "gaussian": ["filter", "--kernel", "gaussian:5"],
            "median": ["filter", "--median", "5"],
        }
        sources = [(short, "o.y4m")]
        cases = []
        # What travels to a host with a GPU may be a build without picture files.
        if (
            "no picture files"
            not in self.run(["edges", self.photo, "-o", self.fresh() / "o.png"]).err
        ):
            sources.append((self.photo, "o.png"))
            cases.append(
                ("lines", lambda at: ["edges", self.photo, "--lines", at / "o.svg"], False)
            )
        for name, words in works.items():
            for source, result in sources:
                cases.append(
                    (
                        f"{name} {result}",
                        lambda at, w=words, s=source, r=result: [*w, s, "-o", at / r],
                        False,
                    )
                )
        cases += [
            (
                "by itself",
                lambda at: ["edges", short, "-o", at / "o.y4m", "--device", "auto"],
                False,
            ),
            (
                "detect",
                lambda at: ["detect", scene, "--background", "first", "--json", at / "o.ndjson"],
                False,
            ),
            (
                "detect default",
                lambda at: [
                    "detect",
                    scene,
                    "--warm-up",
                    "2",
                    "-o",
                    at / "o.y4m",
                    "--json",
                    at / "o.ndjson",
                ],
                False,
            ),
            (
                "two cameras",
                lambda at: [
                    "detect",
                    scene,
                    short,
                    "--background",
                    "first",
                    "--json",
                    at / "{name}.ndjson",
                ],
                False,
            ),
            ("list", lambda at: ["list", "devices"], True),
            (
                "verify",
                lambda at: [
                    "verify",
                    "sobel",
                    "--level",
                    "sizes",
                    "--stride",
                    "2400",
                    "--strategy",
                    "plain",
                ],
                True,
            ),
        ]
        return cases

    def cuda(self):
        """One call of the CUDA runtime fails, or one and all after it, in every verb that uses a device."""
        self.point("CUDA calls are known", [], "", self.all_calls_are_known)
        calls_file = self.root / "calls"

        def run(words, fault):
            calls_file.unlink(missing_ok=True)
            if words[0] != "list" and "--device" not in words:
                words = [*words, "--device", "cuda"]
            done = self.run(words, fault=fault, calls=calls_file)
            return done, calls_file.read_text().splitlines() if calls_file.exists() else []

        for name, make, printed in self.cuda_cases():
            at = self.fresh()
            undisturbed, calls = run(make(at), "cuda:0:UNKNOWN")
            if undisturbed.code != 0 or not calls:
                print(f"  without {name}: {undisturbed.err.strip()[:120] or 'it calls no runtime'}")
                continue
            whole = {p.name: p.read_bytes() for p in at.iterdir()}
            draw = random.Random(f"{self.seed} {name}")
            # Each function's first call, and as many others.
            firsts = sorted({call: n for n, call in reversed(list(enumerate(calls, 1)))}.values())
            numbers = range(1, len(calls) + 1)
            if not self.long:
                numbers = sorted(
                    {
                        n
                        for some in (firsts, numbers)
                        for n in draw.sample(some, min(len(some), 5 * self.times))
                    }
                )
            for n in numbers:
                for error in FAULTS if self.long else [draw.choice(list(FAULTS))]:
                    later, campaign = FAULTS[error]
                    fault = f"cuda:{n}{later}:{error}"
                    old = n % 2 == 0  # results of before, which stay

                    def check():
                        at = self.fresh()
                        before = {name: b"old" for name in whole} if old else {}
                        for result in before:
                            (at / result).write_bytes(b"old")
                        done, seen = run(make(at), fault)
                        left = {p.name: p.read_bytes() for p in at.iterdir()}
                        failed = next(
                            (call.split()[0] for call in seen if call.endswith(" fails")), ""
                        )
                        why = self.why_bad(
                            done, failed, left, before, whole, undisturbed if printed else None
                        )
                        return (
                            why and f"{failed}: {why}",
                            ""
                            if not failed
                            else "no error, and right"
                            if done.code == 0
                            else "an error, in words",
                        )

                    self.point(campaign, make(self.root / "out"), fault, check)

    @staticmethod
    def why_bad(done, failed, left, before, whole, undisturbed):
        # verify continues with other cases, and reports those that failed.
        told = (
            done.out.decode(errors="replace")
            if undisturbed is not None and "0 strategies passed, 1 failed" in done.out.decode()
            else ""
        )
        if not (told and done.code == 1) and (why := done.why((0, 5))):
            return why
        if done.code == 0:
            if left != whole:
                return f"exit 0, and the result differs ({', '.join(f'{n}: {len(b)} bytes' for n, b in left.items()) or 'none'})"
            if (
                undisturbed is not None
                and done.out != undisturbed.out
                and not re.search(r"no GPU: .*CUDA reports", done.err)
            ):
                return f"exit 0, and says something else: {done.out[-300:]} {done.err[-300:]}"
            return ""
        if not failed:
            return f"exit {done.code} where nothing failed: {done.err.strip()}"
        # Of several results one may have been whole before; of one, none is.
        stand = {name: data for name, data in left.items() if data != before.get(name)}
        if (
            before.keys() - left.keys()
            or (stand and len(stand) == len(whole))
            or not stand.items() <= whole.items()
        ):
            return f"exit {done.code} leaves {', '.join(f'{n}: {len(b)} bytes' for n, b in left.items()) or 'nothing of before'}"
        if not NAMED.search(told + done.err):
            return f"exit {done.code} without a device's reason: {(told + done.err).strip()[-300:]}"
        return ""

    def all_calls_are_known(self):
        """What the command asks of the runtime is what the shim can make fail."""
        if not shutil.which("nm"):
            return "", "not asked: no nm"

        def symbols(path, which):
            out = subprocess.run(
                ["nm", "-D", which, path], capture_output=True, text=True, check=True
            ).stdout
            return set(re.findall(r" ([_]*cuda\w+?)(?:@.*)?$", out, re.MULTILINE))

        asked, known = (
            symbols(self.cuesta, "--undefined-only"),
            symbols(self.shim, "--defined-only"),
        )
        if not asked:
            return "the command is not linked with a shared CUDA runtime"
        unknown = {name for name in asked - known if not NEVER_FAIL.fullmatch(name)}
        return f"fault_cuda.cpp does not know {', '.join(sorted(unknown))}" if unknown else ""

#!/usr/bin/env python3
"""The tuner's page in a real browser: every control is moved as a hand or a keyboard moves it, and the
command that the page then offers, run for real, gives the bytes that are shown.

    test_tune_page.py PATH-TO-CUESTA [unittest arguments]

Needs a Chromium (scripts/install-deps tests has one) and Python's standard library; ends with 77 where there is none, unless
CUESTA_BROWSER_NEEDED is set. With CUESTA_TUNE_SHOTS=FOLDER the pictures of docs/user/tuner.md are written there; of the photograph
and video in CUESTA_OPENCV_DATA (scripts/fetch-data), else of what the test makes.
"""

import base64
import json
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "cli"), str(TESTS / "support")]

import browser  # noqa: E402
import test_command  # noqa: E402
import test_detect  # noqa: E402
import test_files  # noqa: E402
from test_command import png, read_png  # noqa: E402
from test_tune import TuneTest, deep_street, scene  # noqa: E402

SHOTS = os.environ.get("CUESTA_TUNE_SHOTS")
EVENTS = (
    "merge_window",
    "pre_roll",
    "post_roll",
    "min_event",
    "max_event",
)  # of whole videos: no frame shows them
QUIET = "document.querySelector('#stage-area').getAttribute('aria-busy') === 'false'"
OPEN = "globalThis.tuner && tuner.isSettled() && " + QUIET


class PageTest(TuneTest):
    browser = None

    @classmethod
    def setUpClass(cls):
        cls.browser = browser.Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def open(self, *arguments):
        page, tuner = self.browser, self.tuner(*arguments)
        page.complaints.clear()
        page.open(tuner.address)
        page.wait(OPEN)
        self.addCleanup(
            lambda: self.assertEqual(
                [one for one in page.complaints if "status of 409" not in one],
                [],
                "the page ran without a complaint",
            )
        )
        return page, tuner

    def settle(self):
        """Until the exact result, and the texts to copy, are those of the controls."""
        self.browser.wait(QUIET + " && tuner.isSettled()")

    def refused(self, words):
        """Waits until that is said, of every request that was refused; the browser has its own line on each."""
        page = self.browser
        page.wait(
            f"!document.querySelector('#problem').hidden && document.querySelector('#problem').textContent.includes({json.dumps(words)})"
            " && tuner.isIdle()"
        )
        page.run("0")
        page.complaints[:] = [one for one in page.complaints if "status of 400" not in one]

    def shown(self):
        """The samples on the page's canvas, of the exact result: a mask as 0 and 255."""
        return self.canvas("canvases.whole")

    def canvas(self, name):
        text = self.browser.run(
            f"""(() => {{
          const c = tuner.{name}; """
            + """const p = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
          const of = tuner.shown.about.kind === 'bits' ? 3 : 0, out = new Uint8Array(c.width * c.height);
          for (let i = 0; i < out.length; ++i) out[i] = p[4 * i + of];
          let text = '';
          for (let i = 0; i < out.length; i += 8192) text += String.fromCharCode(...out.subarray(i, i + 8192));
          return btoa(text); })()"""
        )
        return base64.b64decode(text)

    def offered(self, name="command"):
        return self.browser.run(f"tuner.copies.all[{name!r}]")

    def check(self, expected=None):
        """What is offered gives what is shown; and says `expected`."""
        self.settle()
        line = self.offered()
        if expected is not None:
            self.assertIn(expected, line)
        shown, lines = self.shown(), self.browser.run("tuner.shown.lines ?? null")
        self.assertEqual(self.run_line(line), shown, line)
        self.assertEqual(self.lines_file(), lines if lines is None else lines.encode(), line)
        return line, shown + (lines or "").encode()


class Edges(PageTest):
    def test_every_control_of_every_method(self):
        page, tuner = self.open()
        controls = tuner.json("about")["controls"]
        self.check()
        for method in controls["method"]["choices"]:
            page.click(f"[data-name=method] label:has([value={method}])")
            self.settle()
            self.assertEqual(page.run("tuner.method"), method)
            base = self.check()[1]
            if method in ("boundaries", "regions"):
                usual, other = ("9", "14") if method == "boundaries" else ("0.45", "0.02")
                box = """document.querySelector("[data-name=level] input[type=number]")"""
                self.assertEqual(page.run(f"{box}.value"), usual)
                page.run(
                    f"""(() => {{ {box}.value = "{other}"; {box}.dispatchEvent(new Event("change")); }})()"""
                )
                self.assertNotEqual(self.check(f"--threshold {other}")[1], base)
                page.run(
                    f"""(() => {{ {box}.value = "{usual}"; {box}.dispatchEvent(new Event("change")); }})()"""
                )
                self.assertEqual(self.check()[1], base)
                page.click("#reset")
                self.check()
                continue
            changed = 0
            for option in controls["options"]:
                if method not in option["by"] or option["name"] == "color":  # the picture is gray
                    continue
                with self.subTest(method=method, option=option["name"]):
                    changed += self.move(option["name"], option["flag"], option["by"][method], base)
            self.assertGreater(changed, 3)
            page.click("#reset")
            self.check()

    def test_color_and_lines(self):
        self.photo = self.file(
            "my photo.png",
            png(160, 120, [v for s in scene() for v in (s, s // 2 + 40, 255 - s)], channels=3),
        )
        page, tuner = self.open()
        controls = tuner.json("about")["controls"]
        seen = set()
        color_of = next(one for one in controls["options"] if one["name"] == "color")["by"]["canny"]
        for color in color_of["choices"]:
            page.click(f"[data-name=color] label:has([value={color}])")
            seen.add(self.check("" if color == "strongest" else f"--color {color}")[1])
            for stage in page.run(
                "[...document.querySelectorAll('#stages input')].map((e) => e.value)"
            ):
                page.click(f"#stages label:has([value={stage}])")
                self.settle()
        self.assertEqual(len(seen), 3)
        page.click("[data-name=color] label:has([value=structure])")
        page.click("[data-name=lines] input")
        self.assertIn("--color structure", self.check("--lines 'my photo-lines.svg'")[0])
        page.click("[data-name=color] label:has([value=strongest])")
        self.assertNotIn("--color", self.check("--lines 'my photo-lines.svg'")[0])
        page.click("[data-name=lines] input")
        for method in ("canny", "log"):
            page.click(f"[data-name=method] label:has([value={method}])")
            self.settle()
            page.click("[data-name=lines] input")
            base = self.check("--lines ")[1]
            for option in controls["tracing"]:
                with self.subTest(method=method, option=option["name"]):
                    self.assertGreater(
                        self.move(option["name"], option["flag"], option["by"][""], base), 0
                    )
            page.click("[data-name=lines] input")
            self.assertNotIn(
                "--", self.check()[0].split("-edges.png'")[1].replace("--method log", "")
            )
        page.click("[data-name=method] label:has([value=sobel])")
        self.check()
        self.assertFalse(
            page.run("!!document.querySelector('[data-name=lines], [data-name=color]')")
        )

    def test_defaults_by_mode(self):
        page, _ = self.open()
        page.click("[data-name=method] label:has([value=log])")
        self.settle()

        def values():
            return page.run(
                "['sigma', 'level'].map((n) => document.querySelector(`#options [data-name=${n}] [type=number]`).value)"
            )

        self.assertEqual(values(), ["3.5", "0.3"])
        page.click("[data-name=mode] label:has([value=threshold])")
        self.assertEqual(values(), ["1.4", "5"])
        line, _ = self.check("--mode threshold")
        self.assertNotIn("--sigma", line)
        for name, text in (
            ("sigma", "3.5"),
            ("level", "0.3"),
        ):  # the other mode's defaults, given here
            page.run(
                f"document.querySelector('#options [data-name={name}] [type=number]').select()"
            )
            page.type(text)
            self.settle()  # what comes meanwhile, of the other control, leaves it alone
            page.key("Enter")
        line, _ = self.check("--threshold 0.3")
        self.assertIn("--sigma 3.5", line)

    def move(self, name, flag, spec, base):
        """Moves one control through its values; how many of them changed the picture."""
        page, at, changed = self.browser, f"#options [data-name={name}]", 0
        kinds = page.run(
            f"[...document.querySelectorAll('{at} input, {at} select')].map((e) => e.type)"
        )
        if kinds[0] == "radio":
            values = page.run(f"[...document.querySelectorAll('{at} input')].map((e) => e.value)")
            self.assertEqual(values, spec["choices"])
            for value in values:
                page.click(f'{at} label:has([value="{value}"])')
                line, shown = self.check("" if value == spec["value"] else f"{flag} {value}")
                changed += shown != base
            page.click(f'{at} label:has([value="{spec["value"]}"])')
        elif kinds[0] == "select-one":
            values = page.run(f"[...document.querySelectorAll('{at} option')].map((e) => e.value)")
            page.run(f"document.querySelector('{at} select').focus()")
            page.key("Home")
            for i, value in enumerate(values):
                if i > 0:
                    page.key("ArrowDown")
                line, shown = self.check()
                self.assertEqual(page.run(f"document.querySelector('{at} select').value"), value)
                changed += shown != base
            if "range" in kinds:
                page.run(f"document.querySelector('{at} [type=range]').focus()")
                page.key("PageUp", 2)
                self.check(f"{flag} {values[-1]}:")
        else:
            self.assertEqual(kinds, ["range", "number"], name)
            page.run(f"document.querySelector('{at} [type=range]').focus()")
            for key, times in (("ArrowRight", 3), ("PageUp", 2), ("Home", 1), ("ArrowRight", 1)):
                page.key(key, times)
                text = page.run(f"document.querySelector('{at} [type=number]').value")
                if method_needs_more(name, text, self.browser.run("tuner.method")):
                    self.refused("sigma")
                    continue
                line, shown = self.check("" if text == spec["value"] else f"{flag} {text}")
                changed += shown != base
            self.drag_range(f"{at} [type=range]", flag)
            # A number that no slider reaches.
            page.run(f"document.querySelector('{at} [type=number]').select()")
            page.type("9")
            page.key("Enter")
            self.check(f"{flag} 9")
        return changed

    def drag_range(self, selector, flag):
        page = self.browser
        left, top, width, height = page.run(
            f"(() => {{ const b = document.querySelector('{selector}').getBoundingClientRect();"
            "return [b.left, b.top, b.width, b.height]; })()"
        )
        page.drag((left + 0.2 * width, top + height / 2), (left + 0.4 * width, top + height / 2))
        self.check(flag)

    def test_thresholds_by_rule_and_by_hand(self):
        page, _ = self.open()
        at = "#options [data-name=threshold]"
        for rule, word in (
            ("median", "auto:median"),
            ("noise", "auto:noise"),
            ("percentile", "auto:percentile:90"),
            ("otsu", ""),
        ):
            page.click(f"{at} label:has([value={rule}])")
            self.check(word)
        page.click(f"{at} label:has([value=percentile])")
        page.run("document.querySelector('[data-name=percent] [type=range]').focus()")
        page.key("ArrowLeft", 10)
        self.check("auto:percentile:")
        # Marks on the histogram, with the mouse and with keys.
        page.wait("document.querySelector('#plot .what').textContent !== ''")
        x, y = page.middle_of("[data-mark=high]")
        page.drag((x, y), (x + 60, y))
        line, _ = self.check("--high ")
        self.assertIn("--low ", line)
        page.run("document.querySelector('[data-mark=low]').focus()")
        before = page.run("tuner.thresholds.low")
        page.key("ArrowRight", 4)
        self.check("--low ")
        self.assertGreater(page.run("tuner.thresholds.low"), before)
        for name, text in (("low", "31"), ("high", "87.5")):
            page.run(f"document.querySelector('[data-name={name}] input').select()")
            page.type(text)
            page.key("Enter")
            self.check(f"--{name} {text}")
        # The low one pushes the high one before it.
        page.run("document.querySelector('[data-mark=low]').focus()")
        page.key("PageUp", 30)
        self.check()
        self.assertEqual(page.run("tuner.thresholds.low"), page.run("tuner.thresholds.high"))
        for method in ("log", "sobel"):
            page.click(f"[data-name=method] label:has([value={method}])")
            self.settle()
            if method == "sobel":
                page.click("#options [data-name=threshold] label:has([value=mask])")
                self.check("--threshold ")
            x, y = page.middle_of("[data-mark=level]")
            page.drag((x, y), (x + 25, y))
            self.check("--threshold ")
            page.run("document.querySelector('[data-name=level] [type=range]').focus()")
            page.key("ArrowRight", 3)
            self.check("--threshold ")

    def test_stages_divide_zoom_and_copy(self):
        page, _ = self.open()
        for stage in page.run(
            "[...document.querySelectorAll('#stages input')].map((e) => e.value)"
        ):
            page.click(f"#stages label:has([value={stage}])")
            self.settle()
            self.assertEqual(page.run("document.querySelector('#right-tag').textContent"), stage)
            page.wait("tuner.shown.about.width === 160")
        page.run("document.querySelector('#divide').focus()")
        page.key("ArrowLeft", 5)
        self.assertEqual(
            page.run("document.querySelector('#divide').getAttribute('aria-valuenow')"), "40"
        )
        x, y = page.middle_of("#divide")
        page.drag((x, y + 60), (x + 200, y + 60))
        self.assertGreater(page.run("tuner.view.divide"), 0.45)
        page.run("document.querySelector('#view').focus()")
        page.key("1")
        self.assertEqual(page.run("tuner.view.scale"), 1)
        page.key("+", 2)
        at = page.run("tuner.view.x")
        page.key("ArrowRight")
        self.assertLess(page.run("tuner.view.x"), at)
        self.assertEqual(page.run("document.querySelector('#zoom').textContent"), "156 %")
        page.key("0")
        self.assertTrue(page.run("tuner.view.fits"))
        page.click("#overlay")
        self.assertTrue(page.run("tuner.view.overlay"))
        page.click("#overlay")
        for tab, words in (
            ("cpp", "cuesta::edges"),
            ("python", "import cuesta"),
            ("config", "[edges]"),
            ("command", "cuesta edges"),
        ):
            page.click(f"#tab-{tab}")
            self.assertIn(words, page.run("document.querySelector('#copy-text').textContent"))
        page.run("document.querySelector('#tab-command').focus()")
        page.key("ArrowRight")
        self.assertEqual(page.run("document.activeElement.id"), "tab-cpp")
        page.call(
            "Browser.grantPermissions",
            permissions=["clipboardReadWrite", "clipboardSanitizedWrite"],
        )
        page.click("#copy")
        page.wait("document.querySelector('#status').textContent === 'Copied.'")

    def test_by_keyboard_and_with_a_screen_reader(self):
        page, _ = self.open()
        tree = page.call("Accessibility.getFullAXTree")["nodes"]
        interactive = {
            "slider",
            "spinbutton",
            "radio",
            "checkbox",
            "button",
            "tab",
            "combobox",
            "textbox",
        }
        seen = set()
        for node in tree:
            role = node.get("role", {}).get("value")
            if role in interactive and not node.get("ignored"):
                self.assertTrue(node.get("name", {}).get("value"), f"a {role} without a name")
                seen.add(role)
        self.assertLessEqual({"slider", "spinbutton", "radio", "checkbox", "button", "tab"}, seen)
        # Tab goes through all and comes to the last button.
        page.run("document.querySelector('#name').scrollIntoView(); document.activeElement.blur()")
        names = []
        for _ in range(80):
            page.key("Tab")
            names.append(
                page.run(
                    "document.activeElement.id || document.activeElement.dataset.mark || document.activeElement.name"
                )
            )
            if names[-1] == "reset":
                break
        for wanted in ("view", "divide", "low", "high", "tab-command", "copy", "reset"):
            self.assertIn(wanted, names)

    def test_contrast(self):
        for dark in (False, True):
            with browser.Browser(dark=dark) as page:
                tuner = self.tuner()
                page.open(tuner.address)
                page.wait(OPEN)
                pairs = page.run("""(() => {
                  const read = (name) => {
                    const c = document.createElement('canvas').getContext('2d');
                    c.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name);
                    c.fillRect(0, 0, 1, 1);
                    const light = [...c.getImageData(0, 0, 1, 1).data].slice(0, 3).map((v) => {
                      v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
                    return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2];
                  };
                  const ratio = (a, b) => (Math.max(read(a), read(b)) + 0.05) / (Math.min(read(a), read(b)) + 0.05);
                  return [['--ink', '--paper'], ['--ink', '--panel'], ['--soft', '--paper'], ['--soft', '--panel'],
                    ['--on-accent', '--accent'], ['--bad', '--paper']].map(([a, b]) => [a, b, ratio(a, b)]); })()""")
                for a, b, ratio in pairs:
                    self.assertGreaterEqual(
                        ratio, 4.5, f"{a} on {b}, dark {dark}"
                    )  # WCAG 2, level AA
                self.assertEqual(page.complaints, [])
                tuner.stop()

    def test_what_is_refused_is_said(self):
        page, tuner = self.open()
        page.click("[data-name=method] label:has([value=log])")
        self.settle()
        page.run("document.querySelector('[data-name=sigma] [type=number]').select()")
        page.type("60")
        page.key("Enter")
        self.refused("42")
        page.click("#reset")
        self.check()

    def test_newer_work_of_another_page_is_waited_for(self):
        page, _ = self.open()
        page.run("""(() => { const real = fetch; let replaced = 0;
            globalThis.fetch = (path, how) => path === "result" && ++replaced < 4
              ? Promise.resolve(new Response('{"superseded": true}', { status: 409 })) : real(path, how); })()""")
        page.run("document.querySelector('[data-name=sigma] [type=range]').focus()")
        page.key("ArrowRight", 3)
        self.check("--sigma ")


def method_needs_more(name, text, method):
    """Values that a slider has and the command refuses by itself."""
    return method == "log" and name == "sigma" and float(text) == 0


class Film(PageTest):
    FRAMES = 48

    def setUp(self):
        super().setUp()
        frames = [
            test_detect.luma((8 + 2 * k, 12 + k) if k > 2 else None) for k in range(self.FRAMES)
        ]
        self.street = self.file(
            "street.y4m", test_command.y4m(test_detect.WIDTH, test_detect.HEIGHT, frames)
        )

    def check(self, expected=None):
        """The copied command's objects of the frame that is shown, and their mask, are those on the page."""
        self.settle()
        line = self.offered().strip()
        if expected is not None:
            self.assertIn(expected, line)
        scene = self.offered("scene")
        if scene:
            self.file("street-scene.json", scene.encode())
        folder = Path(test_command.CUESTA).resolve().parent
        line = line.replace("-o street-boxes.mp4", "--mask-video mask.y4m")
        done = subprocess.run(
            ["sh", "-c", line],
            cwd=self.at,
            capture_output=True,
            env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"},
        )
        self.assertEqual(done.returncode, 0, f"{line}\n{done.stderr.decode()}")
        frame = self.browser.run("tuner.frame")
        lines = [
            json.loads(one) for one in (self.at / "street-objects.ndjson").read_text().splitlines()
        ]
        told = next(one for one in lines if one.get("frame") == frame)["objects"]
        shown = self.browser.run("tuner.shown.objects")
        self.assertEqual([one["box"] for one in shown], [one["box"] for one in told], line)
        _, masks = test_detect.planes_of(
            (self.at / "mask.y4m").read_bytes(), test_detect.WIDTH * test_detect.HEIGHT
        )
        self.assertEqual(self.canvas("maskCanvas"), masks[frame], line)
        return line, told

    def test_every_control(self):
        page, tuner = self.open(self.street.name)
        page.run(
            "tuner.view.overlay = false, document.querySelectorAll('details').forEach((e) => { e.open = true; })"
        )
        self.reach_frame(40)
        controls = tuner.json("about")["controls"]
        options = {one["name"]: one for one in controls["options"]} | {
            one["name"]: one for one in controls["tracking"]
        }
        seen = 0
        for name, option in options.items():
            if name in EVENTS:
                continue
            with self.subTest(option=name):
                if name == "rate_shift":  # the default background has none
                    page.run("tuner.values.background = 'mean'")
                self.move_one(name, option["flag"], option["by"][""])
                seen += 1
            page.click("#reset")
            self.settle()
            page.run("document.querySelectorAll('details').forEach((e) => { e.open = true; })")
        self.assertGreater(seen, 15)

    def test_ten_bits(self):
        self.street = self.file("street.y4m", deep_street(10, self.FRAMES))
        page, _ = self.open(self.street.name)
        self.assertIn("10 bits", page.run("document.querySelector('#facts').textContent"))
        page.run("tuner.values.background = 'first'")
        self.reach_frame(40)
        at = "#options [data-name=threshold] [type=range]"
        self.assertIn(
            "10 bits is 0.25",
            page.run("document.querySelector('#options [data-name=threshold]').dataset.help"),
        )
        page.run(f"document.querySelector('{at}').focus()")
        page.key("Home")
        page.key("ArrowRight", 2)
        self.assertTrue(
            self.check("--threshold 0.5")[1], "the square, which is three quarters of a level"
        )
        page.key("ArrowRight", 4)
        self.assertEqual(self.check("--threshold 1.5")[1], [])

    def reach_frame(self, frame):
        page = self.browser
        page.wait(f"tuner.about.frames === {self.FRAMES}")
        page.run("document.querySelector('#frame').focus()")
        page.key("Home")
        page.key("ArrowRight", frame)
        self.settle()
        self.assertEqual(page.run("tuner.frame"), frame)

    def move_one(self, name, flag, spec):
        page, at = self.browser, f"#options [data-name={name}]"
        kinds = page.run(
            f"[...document.querySelectorAll('{at} input, {at} select')].map((e) => e.type)"
        )
        if kinds[0] == "radio":
            for value in page.run(
                f"[...document.querySelectorAll('{at} input')].map((e) => e.value)"
            ):
                page.click(f'{at} label:has([value="{value}"])')
                self.check("" if value == spec["value"] else f"{flag} {value}")
            return
        page.run(f"document.querySelector('{at} select, {at} [type=range]').focus()")
        if kinds[0] == "select-one":
            page.key("ArrowDown" if "range" in kinds else "ArrowUp")
            self.check(flag)
            if "range" in kinds:
                page.run(f"document.querySelector('{at} [type=range]').focus()")
                page.key("ArrowRight")
                self.check(flag)
            return
        page.key("Home")
        page.key("ArrowRight", 2)
        if page.run(f"document.querySelector('{at} [type=number]').value") == spec["value"]:
            page.key("ArrowRight")
        self.check(flag)
        if "checkbox" in kinds:
            page.click(f"{at} [type=checkbox]")
            self.check(f"{flag} auto:")

    def test_zones_and_lines_are_drawn(self):
        page, tuner = self.open(self.street.name)
        page.click("#stages label:has([value=boxes])")
        for name in ("warm_up", "min_hits"):
            page.run(
                f"document.querySelector('[data-name={name}]').closest('details')?.setAttribute('open', '')"
            )
            page.run(
                f"document.querySelector('#options [data-name={name}] [type=number]').select()"
            )
            page.type("3")
            page.key("Enter")
        self.reach_frame(30)

        def at(x, y):
            return page.run(
                f"(() => {{ const b = tuner.view.canvas.getBoundingClientRect(), v = tuner.view; return "
                f"[b.left + v.x + {x} * v.shownWidth, b.top + v.y + {y} * v.size.height * v.scale]; }})()"
            )

        page.click("[data-draw=include]")
        for corner in ((0.1, 0.1), (0.9, 0.1), (0.9, 0.9), (0.1, 0.9)):
            page.click_at(*at(*corner))
        page.key("Enter")
        _, told = self.check("--scene street-scene.json")
        self.assertTrue(told and told[0]["zones"] == ["zone 1"], told)
        page.click("[data-draw=line]")
        page.click_at(*at(0.3, 0))
        page.click_at(*at(0.3, 0.99))
        self.check("--scene")
        self.assertIn("line 1: ", page.run("document.querySelector('#status').textContent"))
        # A corner is dragged away, and the zone is where the object is not.
        page.click("[data-draw=exclude]")
        for corner in ((0.02, 0.02), (0.98, 0.02), (0.98, 0.98), (0.02, 0.98)):
            page.click_at(*at(*corner))
        page.key("Enter")
        _, told = self.check("--scene")
        self.assertEqual(told, [])
        page.drag(at(0.98, 0.98), at(0.98, 0.03))
        page.drag(at(0.02, 0.98), at(0.02, 0.03))
        _, told = self.check("--scene")
        self.assertEqual(len(told), 1)
        # By the keyboard: names, corners, removing.
        for i, text in ((0, "yard"), (1, "0 0, 1 0, 1 1, 0 1")):
            page.run(f"document.querySelectorAll('#zones li:first-child input')[{i}].select()")
            page.type(text)
            page.key("Tab")
            self.check("--scene")
        self.assertIn('"yard"', self.offered("scene"))
        self.assertIn("[1,1]", self.offered("scene"))
        for _ in range(3):
            page.click("#zones li button")
            self.check()
        self.assertNotIn("--scene", self.offered())


class Shots(PageTest):
    @unittest.skipUnless(SHOTS, "CUESTA_TUNE_SHOTS names no folder")
    def test_pictures_of_the_docs(self):
        data = os.environ.get("CUESTA_OPENCV_DATA")
        photo, video = self.photo.name, None
        if data:
            photo, video = "building.jpg", "vtest.avi"
            for name in (photo, video):
                shutil.copy(Path(data) / name, self.at)
        with browser.Browser(size=(1180, 720)) as page:
            page.open(self.tuner(photo).address)
            page.wait(
                "globalThis.tuner && tuner.isSettled() && document.querySelector('#plot .what').textContent !== ''"
            )
            self.keep(page, "tune-edges")
            page.click("[data-name=lines] input")
            page.wait("tuner.isSettled() && tuner.shown.lines")
            page.run("tuner.view.zoomTo(3), document.querySelector('#options').scrollTop = 9999")
            self.keep(page, "tune-lines")
        if not video:
            return
        with browser.Browser(size=(1180, 720)) as page:
            page.open(self.tuner(video).address)
            page.wait("globalThis.tuner && !tuner.about.loading")
            page.run(
                "tuner.values = {min_area: '100'}, tuner.zones.all = [{kind: 'include', name: 'square', points: "
                "[[0.3, 0.2], [0.97, 0.3], [0.97, 0.97], [0.25, 0.97]]}], tuner.seek(120, false)"
            )
            page.wait("tuner.isSettled()")
            self.keep(page, "tune-detect")

    def keep(self, page, name):
        """As WebP, which has a fifth of the bytes of a PNG."""
        page.run("new Promise((done) => setTimeout(done, 300))")
        whole = self.at / "whole.png"
        page.screenshot(whole)
        width, height, channels, _, samples = read_png(whole.read_bytes())
        test_files.Vips().write(
            f"{Path(SHOTS) / name}.webp[Q=80,effort=6]", width, height, samples, bands=channels
        )


if __name__ == "__main__":
    browser.require("the tuner's page")
    test_command.CUESTA = str(Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=2)

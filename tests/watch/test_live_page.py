#!/usr/bin/env python3
"""The page of cuesta detect --live in a real browser, also as wide as a phone.

    test_live_page.py PATH-TO-CUESTA [unittest arguments]

Needs a Chromium (scripts/install-deps tests has one); ends with 77 where there is none, unless CUESTA_BROWSER_NEEDED is set.
"""

import signal
import sys
import unittest
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "watch"), str(TESTS / "support")]

import browser  # noqa: E402
from live_view import EVENTS, RATE, LiveViewTest  # noqa: E402

import test_command  # noqa: E402
from test_command import INTERRUPTED  # noqa: E402
from test_detect import HEIGHT, WIDTH  # noqa: E402

TEXT = "document.querySelector({!r})?.textContent"


class PageTest(LiveViewTest):
    def page(self, *arguments, size=(1280, 900)):
        view = self.view(*arguments, "--scene", "scene.toml", *EVENTS)
        page = browser.Browser(size=size)
        self.addCleanup(page.close)
        page.open(view.address)
        page.wait("globalThis.live && live.pictures > 2 && live.turns > 1")
        return view, page

    def text(self, page, selector):
        return page.run(TEXT.format(selector))

    def test_everything_is_shown(self):
        view, page = self.page(self.camera(), "--clips", "cut")
        page.wait("document.querySelectorAll('.events button').length > 1")
        self.assertEqual(self.text(page, "h2 .name"), view.json()["source"])
        self.assertRegex(self.text(page, ".status"), r"^\d\d:\d\d:\d\d (1 object|quiet)$")
        size = page.run(
            "(() => { const c = document.querySelector('canvas'); return [c.width, c.height]; })()"
        )
        self.assertEqual(size, [WIDTH, HEIGHT])
        self.check_pixels(page)
        self.assertEqual(page.run("document.querySelectorAll('.zones li').length"), 2)
        page.wait("document.querySelector('.zones li').textContent.startsWith('all: occupied')")
        self.assertEqual(self.text(page, ".zones li:nth-child(2)"), "corner: empty")
        page.wait("document.querySelector('.view polygon').getAttribute('class') === 'occupied'")
        page.wait(
            "!!document.querySelector('.hours24 rect') && !!document.querySelector('.hours720 rect')"
        )
        page.wait("!!document.querySelector('.minutes rect')")
        self.assertRegex(self.text(page, ".day"), r"^\d{4}-\d\d-\d\d$")
        self.assertRegex(self.text(page, ".sum24"), r"^\d+ events?, \d+ s$")
        page.wait("[...document.querySelectorAll('.events img')].some((e) => e.naturalWidth > 0)")
        self.assertEqual(page.complaints, [])
        code, _, said = view.end(signal.SIGINT)
        self.assertEqual(code, INTERRUPTED, said)
        page.wait("!document.querySelector('#problem').hidden")

    def check_pixels(self, page):
        """A box is drawn, and it moves."""
        green = """(() => { const c = document.querySelector('canvas');
          const p = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
          let x = 0, n = 0;
          for (let i = 0; i < p.length; i += 4)
            if (p[i + 1] > 150 && p[i] < 110 && p[i + 2] < 140) { x += i / 4 % c.width; ++n; }
          return n > 40 ? Math.round(x / n) : 0; })()"""
        page.wait(
            f"(() => {{ const at = {green}; return at > 0 && (globalThis.seen ??= new Set()).add(at).size > 2; }})()"
        )

    def test_a_clip_is_played(self):
        _, page = self.page(self.camera(), "--clips", "cut")
        page.wait("!!document.querySelector('.events button')")
        page.click(".events button")
        page.wait("live.plays > 0")
        self.assertGreater(page.run("document.querySelector('video').duration"), 0.5)
        self.assertIn("clip/0/", page.run("document.querySelector('#download').href"))
        page.click("#close")
        page.wait("!document.querySelector('dialog').open")
        self.assertEqual(page.complaints, [])

    def test_two_cameras_on_a_phone(self):
        _, page = self.page(self.camera(), self.camera(), size=(390, 844))
        page.wait("live.cards.length === 2")
        self.assertEqual(page.run("document.documentElement.scrollWidth"), 390)
        boxes = page.run(
            "[...document.querySelectorAll('article')].map((e) => e.getBoundingClientRect().toJSON())"
        )
        self.assertEqual(boxes[0]["left"], boxes[1]["left"], "one below the other")
        self.assertTrue(all(box["width"] > 350 for box in boxes), boxes)
        # The page fetches pictures as long as they are in view.
        page.run("document.querySelectorAll('article')[1].querySelector('.view').scrollIntoView()")
        page.wait("live.cards[1].picture > 0 && !live.cards[0].isVisible")
        page.run("new Promise((done) => setTimeout(done, 700))")
        before = page.run("live.cards[0].picture")
        page.run("new Promise((done) => setTimeout(done, 1000))")
        self.assertEqual(page.run("live.cards[0].picture"), before)
        self.assertEqual(page.complaints, [])


if __name__ == "__main__":
    browser.require("the page of --live")
    test_command.CUESTA = str(Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=2)

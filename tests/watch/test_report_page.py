#!/usr/bin/env python3
"""The page of cuesta detect --report in a real browser: its filters, its counts by hour, also as wide as a phone.

    test_report_page.py PATH-TO-CUESTA [unittest arguments]

Needs a Chromium (scripts/install-deps tests has one); ends with 77 where there is none, unless CUESTA_BROWSER_NEEDED is set.
"""

import os
import sys
import unittest
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "watch"), str(TESTS / "support"), str(TESTS / "cli")]

import browser  # noqa: E402
import test_command  # noqa: E402
from test_events import EventsTest, visits  # noqa: E402

# The first visitor goes to the right through the upper half, a second before six; the other to the left through the lower.
BEGINS = ("--begins", "2026-11-25T05:59:58+01:00")
SCENE = """
[[zones]]
name = "upper <b>"
polygon = [[0, 0], [1, 0], [1, 0.5], [0, 0.5]]
[[zones]]
name = "lower"
polygon = [[0, 0.5], [1, 0.5], [1, 1], [0, 1]]
[[lines]]
name = "gate"
from = [0.5, 1]
to = [0.5, 0]
ways = ["in", "out"]
"""


class ReportPage(EventsTest):
    def setUp(self):
        super().setUp()
        self.needs_pictures()
        self.scene(SCENE)

    def page(self, *arguments, size=(1400, 900), name="visits.y4m"):
        self.watch("--report", "r.html", *arguments, name=name)
        page = browser.Browser(size=size)
        self.addCleanup(page.close)
        page.open((self.at / "r.html").as_uri())
        page.wait("document.readyState === 'complete'")
        return page

    def texts(self, page, selector):
        """Of those that are seen."""
        return page.run(
            f"[...document.querySelectorAll({selector!r})].filter((e) => e.checkVisibility()).map((e) => e.textContent)"
        )

    def choose(self, page, name, value):
        page.run(
            f"""(() => {{ const field = document.querySelector('.filters').elements[{name!r}];
            field.value = {value!r}; field.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()"""
        )

    def charts(self, page):
        return [
            text.split(" by hour: ")
            for text in page.run(
                "[...document.querySelectorAll('.bars')].map((e) => e.getAttribute('aria-label'))"
            )
        ]

    def shown(self, page):
        bars = "[...document.querySelectorAll('.timeline a')].filter((e) => e.style.display !== 'none').map((e) => e.getAttribute('href'))"
        cards = page.run(
            "[...document.querySelectorAll('article')].filter((e) => !e.hidden).map((e) => '#' + e.id)"
        )
        self.assertEqual(page.run(bars), cards)
        (count,) = self.texts(page, "output")
        return cards, count

    def test_filters_and_hours(self):
        page = self.page("--scene", "scene.toml", *BEGINS)
        at5, at6 = "2026-11-25 05:00 1", "2026-11-25 06:00 1"
        all_charts = [["Events", f"{at5}, {at6}"], ["gate: in", at5], ["gate: out", at6]]
        self.assertEqual(self.shown(page), (["#event-1", "#event-2"], "2 events"))
        self.assertEqual(self.charts(page), all_charts)
        self.assertEqual(self.texts(page, ".hours h3"), ["Events: 2", "gate: in: 1", "gate: out: 1"])  # fmt: skip
        for name, value, card in (
            ("zone", "upper <b>", "#event-1"),
            ("zone", "lower", "#event-2"),
            ("way", "gate: out", "#event-2"),
            ("object", "1", "#event-1"),
        ):
            self.choose(page, name, value)
            self.assertEqual(self.shown(page), ([card], "1 of 2 events"), value)
            at = at5 if card == "#event-1" else at6
            self.assertEqual(self.charts(page)[0], ["Events", at], value)
            page.click(".filters button")
            page.wait("document.querySelector('output').textContent === '2 events'")
        self.choose(page, "object", "9")
        self.assertEqual(self.shown(page), ([], "0 of 2 events"))
        self.assertEqual(self.charts(page)[0], ["Events", "none"])
        self.assertEqual(page.complaints, [])

    def test_times_are_those_of_the_day(self):
        page = self.page("--scene", "scene.toml", *BEGINS)
        times = page.run(
            "[...document.querySelectorAll('time')].map((e) => [e.dateTime, e.textContent])"
        )
        for exact, text in times:
            self.assertRegex(exact, r"^2026-11-25T0[56]:\d\d:\d\d\.\d{3}\+01:00$")
            self.assertEqual(text, exact[:19] + exact[23:])
        self.assertEqual(times[0][1], "2026-11-25T05:59:58+01:00")
        headings = self.texts(page, "article h3")
        self.assertEqual(headings, ["1: 2026-11-25T05:59:58+01:00", "2: 2026-11-25T06:00:01+01:00"])
        self.assertEqual(self.texts(page, ".timeline title"), [])
        titles = page.run(
            "[...document.querySelectorAll('.timeline title')].map((e) => e.textContent)"
        )
        self.assertEqual(titles, headings)
        alt = page.run("document.querySelector('article img').alt")
        self.assertRegex(alt, r"^Object 1 at 2026-11-25T05:59:5\d\+01:00$")
        self.assertEqual(page.complaints, [])

    def test_without_a_clock_or_a_scene(self):
        page = self.page()
        self.assertEqual(self.texts(page, "h2"), ["When", "Events", "Where it moved"])
        self.assertEqual(self.texts(page, ".filters label"), ["Object "])
        self.assertEqual(self.texts(page, "article h3")[0], "1: 0:00.2–0:01.1")
        self.choose(page, "object", "2")
        self.assertEqual(self.shown(page), (["#event-2"], "1 of 2 events"))
        self.assertEqual(page.complaints, [])

    def test_zones_are_drawn_and_counted(self):
        page = self.page("--scene", "scene.toml")
        self.assertEqual(self.texts(page, ".heat text"), ["upper <b>", "lower", "in", "out"])
        rows = page.run(
            "[...document.querySelectorAll('tr')].map((e) => [...e.cells].map((c) => c.textContent))"
        )
        self.assertEqual(rows[3], ["zone", "events", "seconds"])
        self.assertEqual(
            [(name, count) for name, count, _ in rows[4:]], [("upper <b>", "1"), ("lower", "1")]
        )
        self.assertTrue(all(0.5 < float(seconds) < 1.1 for *_, seconds in rows[4:]), rows)

    def test_titles_are_no_paths(self):
        (self.at / "yard").mkdir()
        for name in ("a.y4m", "b.y4m"):
            (self.at / "yard" / name).write_bytes(visits())
        for name, more, title in (
            (str(self.at / "yard" / "a.y4m"), (), "Moving objects in a.y4m"),
            (str(self.at / "yard") + "/", ("--join-inputs",), "Moving objects in a.y4m"),
            ("-", (), "Moving objects in standard input"),
        ):
            self.watch("--report", "r.html", *more, name=name, stdin=visits())
            text = (self.at / "r.html").read_text(encoding="utf-8")
            self.assertIn(f"<h1>{title}</h1>", text)
            self.assertNotIn(str(self.at), text)

    def test_on_a_phone(self):
        page = self.page("--scene", "scene.toml", *BEGINS, size=(400, 800))
        self.assertEqual(page.run("document.documentElement.scrollWidth"), 400)
        self.assertEqual(len(self.shown(page)[0]), 2)


if __name__ == "__main__":
    browser.require("the page of --report")
    test_command.CUESTA = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)

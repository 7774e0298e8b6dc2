"""docs/dev/decisions: the index has every decision, pages have the numbers of their names, links resolve."""

import re
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Numbers that were never given.
GAP = range(17, 47)
ROW = re.compile(r"^\| \[(\d{4})\]\(([^)]+)\) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")


def numbers_of(text):
    """The decisions that a page holds: by its headings, "# 58. ..." or "# 0071: ..."."""
    first = re.match(r"# ([\d, ]+)[.:]", text)
    return [int(n) for n in first[1].split(",")] if first else []


def broken_links(path, root):
    """Relative links of a page that lead nowhere."""
    text = re.sub(
        r"```.*?```|`[^`\n]*`|<!--.*?-->", "", path.read_text(encoding="utf-8"), flags=re.DOTALL
    )
    errors = []
    for target in LINK.findall(text):
        if re.match(r"[a-z]+:", target) or target.startswith("#"):
            continue
        if not (path.parent / target.partition("#")[0]).exists():
            errors.append(f"{path.relative_to(root)}: {target} leads nowhere")
    return errors


def check(folder):
    """Everything that is wrong with the decisions and their index."""
    index = folder / "README.md"
    rows = ROW.findall(index.read_text(encoding="utf-8"))
    pages = {path.name: path for path in folder.glob("*.md") if path != index}
    errors = broken_links(index, folder)
    held = {}  # number: page
    for name, path in sorted(pages.items()):
        text = path.read_text(encoding="utf-8")
        numbers = numbers_of(text)
        if not numbers or numbers[0] != int(name[:4]):
            errors.append(f"{name}: the heading has not the number of the name")
        if (
            len(numbers) > 1
            and [int(n) for n in re.findall(r"^## (\d+)[.:]", text, re.MULTILINE)] != numbers
        ):
            errors.append(f"{name}: its parts are not those of its heading")
        for number in numbers:
            if number in held:
                errors.append(f"{name}: {number:04d} is in {held[number]} too")
            held[number] = name
        errors += broken_links(path, folder)
    listed = {int(number): target for number, target, _, _ in rows}
    if [int(number) for number, *_ in rows] != sorted(listed):
        errors.append("the index is not in order, or has a number twice")
    for number in sorted(held.keys() | listed.keys()):
        if listed.get(number) != held.get(number):
            errors.append(
                f"{number:04d}: the index has {listed.get(number)}, the folder {held.get(number)}"
            )
    expected = set(range(1, max(held, default=0) + 1)) - set(GAP)
    for number in sorted(expected ^ held.keys()):
        errors.append(f"{number:04d}: no decision, or one in the gap that the index names")
    for number, _, title, decision in rows:
        if not decision.endswith(".") or len(decision) > 100:
            errors.append(
                f"{number}: the index says its decision in one sentence of at most 100 characters"
            )
        if not title.strip():
            errors.append(f"{number}: no title")
    return errors


def pages_with_links():
    """README.md, CHANGELOG.md and the like, and every page of docs; what git ignores has none."""
    return [*ROOT.glob("*.md"), *sorted((ROOT / "docs").rglob("*.md"))]


class Decisions(unittest.TestCase):
    def test_index_and_pages(self):
        self.assertEqual(check(ROOT / "docs" / "dev" / "decisions"), [])

    def test_links_to_decisions(self):
        """Links from elsewhere, and mentions of a decision by its number."""
        held = {
            f"{n:04d}"
            for path in (ROOT / "docs" / "dev" / "decisions").glob("0*.md")
            for n in numbers_of(path.read_text(encoding="utf-8"))
        }
        pages = pages_with_links()
        self.assertGreater(len(pages), 20)
        errors = []
        for path in pages:
            errors += broken_links(path, ROOT)
        sources = [
            path
            for folder in (
                "src",
                "include",
                "cli",
                "apps",
                "python",
                "bench",
                "scripts",
                "tests",
                "packaging",
            )
            for path in (ROOT / folder).rglob("*")
            if path.is_file()
            and path.suffix in (".cpp", ".hpp", ".py", ".md", ".cu", ".cuh", ".h", "")
        ]
        self.assertGreater(len(sources), 500)
        for path in [*pages, *sources]:
            for number in re.findall(
                r"docs/dev/decisions/(\d{4})\b", path.read_text(encoding="utf-8", errors="replace")
            ):
                if number not in held:
                    errors.append(f"{path.relative_to(ROOT)}: there is no decision {number}")
        self.assertEqual(errors, [])


class Changelog(unittest.TestCase):
    MAX_LINES = 60

    def test_the_unreleased_version_is_short(self):
        text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
        section = text.split("\n## ")[1]
        self.assertTrue(section.startswith("Unreleased"), section[:40])
        self.assertLessEqual(len(section.splitlines()), self.MAX_LINES)


class Faults(unittest.TestCase):
    """What the check must find."""

    GOOD = {
        "README.md": "| [0001](0001-a.md) | A | Do a. |\n| [0002](0002-b.md) | B | Do b. |\n| [0003](0002-b.md) | C | Do c. |\n",
        "0001-a.md": "# 1. A\n\n[b](0002-b.md)\n",
        "0002-b.md": "# 2, 3. B\n\n## 2. B\n\n## 3. C\n",
    }

    def errors(self, **changes):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**self.GOOD, **changes}.items():
                if text is not None:
                    (Path(folder) / name).write_text(text, encoding="utf-8")
            return check(Path(folder))

    def test_faults_are_found(self):
        self.assertEqual(self.errors(), [])
        index = self.GOOD["README.md"]
        for changes in (
            {"0001-a.md": None},
            {"0001-a.md": "# 4. A\n"},
            {"0001-a.md": "# 1. A\n\n[c](0003-c.md)\n"},
            {"0002-b.md": "# 2, 3. B\n\n## 2. B\n"},
            {"0004-d.md": "# 4. D\n"},
            {"README.md": index.replace("0003", "0004")},
            {"README.md": index.replace("Do a.", "a, for a reason")},
            {"README.md": index.replace("0002-b.md) | C", "0001-a.md) | C")},
        ):
            with self.subTest(changes=changes):
                self.assertNotEqual(self.errors(**changes), [])


if __name__ == "__main__":
    sys.exit(unittest.main())

#!/usr/bin/env python3
"""Checks the form of the pages that people read: short sentences, short lines, and links that work.

check_pages.py ROOT          checks README, CONTRIBUTING, SECURITY, the pages of docs/user, docs/dev
                             and docs/results, the index of the decisions, every README of FOLDERS
check_pages.py ROOT --list   prints the figures of each page
check_pages.py --self-test   proves that each fault is found

A page has at most 18 words a sentence on average, and no line above 100 columns. Rows of tables
have at most 200 columns, those of README 100; README has at most 90 lines. Code, pictures, and lines of one word such as a link, are free, and so are
the rows of FREE_ROWS.

Sentences: code blocks, tables, headings, pictures and comments are left out. A link counts as its
text, and inline code as one word. A paragraph or list item ends a sentence; inside, one ends at
`.`, `!` or `?` (with a closing quote or bracket) before a blank and a capital, digit, quote,
bracket or code. A colon and a semicolon do not end one. A word has a letter or a digit.
"""

import re
import sys
import tempfile
import unicodedata
import urllib.parse
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import checks  # noqa: E402

WORDS, COLUMNS, ROW = 18, 100, 200
README_LINES = 90  # of 100 columns, rows of tables included
# Pages that do not hold this yet: at most this many words a sentence, and this many long lines. Figures
# may only go down, and a page that holds it leaves the list.
CEILINGS = {}
# Tables of evidence, whose rows may have any length: the papers' rows, and made pages.
FREE_ROWS = ("docs/dev/papers.md", "docs/ladder/", "docs/results/")
# Folders whose READMEs are pages; those of bench/pages/templates are made into docs/results.
FOLDERS = (
    "apps",
    "bench",
    "cli",
    "docs",
    "emulation",
    "fuzz",
    "packaging",
    "python",
    "scripts",
    "src",
)
MADE = "bench/pages/templates"
FENCE = re.compile(r"(?ms)^ *(```|~~~).*?^ *\1[ \t]*$")
COMMENT = re.compile(r"(?s)<!--.*?-->")
LIST_ITEM = re.compile(r"^ *([-*+]|\d+[.)]) +")
SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]*_]*\s+(?=[*_]*[A-Z0-9`\"'(\[])")
ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|Fig|Nr|No|St)|\b[A-Z])\.$")
LINK = re.compile(r"!?\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^)\s]+)(?: \"[^\"]*\")?\)")


def blank(text, expression):
    """Matches replaced by empty lines, so that line numbers stay."""
    return expression.sub(lambda match: "\n" * match.group().count("\n"), text)


def is_row(line):
    return line.lstrip().startswith("|")


def without_code(text):
    """Text without code blocks. Indented lines are code after a blank line, outside of lists."""
    out, code, in_list = [], False, False
    before = ""
    for line in blank(text, FENCE).split("\n"):
        if LIST_ITEM.match(line):
            in_list = True
        elif line and not line.startswith(" "):
            in_list = False
        indented = line.startswith(("    ", "\t")) and not in_list
        code = indented and (code or not before.strip()) or code and not line.strip()
        out.append("" if code else line)
        before = line
    return "\n".join(out)


def sentences(text):
    """The sentences of a page, each as its list of words."""
    text = re.sub(r"`[^`]*`", "`x`", blank(without_code(text), COMMENT))
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    text = LINK.sub(r"\1", text)
    blocks, block = [], []
    for line in [*text.split("\n"), ""]:
        bare = line.strip()
        if not bare or is_row(line) or bare.startswith("#") or re.fullmatch(r"[-*_ ]{3,}", bare):
            blocks.append(block)
            block = []
            continue
        if LIST_ITEM.match(line):
            blocks.append(block)
            block = []
            bare = LIST_ITEM.sub("", line)
        block.append(bare)
    found = []
    for block in blocks:
        parts, sentence = SENTENCE_END.split(" ".join(block)), ""
        for part in parts:
            sentence = f"{sentence} {part}"
            if not ABBREVIATION.search(part):
                found.append(sentence)
                sentence = ""
        found.append(sentence)
    worded = [[w for w in one.split() if re.search(r"\w", w)] for one in found]
    return [words for words in worded if words]


def average(text):
    found = sentences(text)
    return sum(map(len, found)) / len(found) if found else 0.0


def long_lines(text, free_rows=False, row=ROW):
    """(number, columns) of each line that is too long; rows of tables have at most `row` columns."""
    found = []
    for number, line in enumerate(without_code(text).split("\n"), 1):
        if line.startswith("![") or free_rows and is_row(line):
            continue
        most = row if is_row(line) else COLUMNS
        if len(line) > most and len(re.sub(LIST_ITEM, "", line).split()) > 1:
            # A link cannot be broken: its text can.
            shown = LINK.sub(lambda m: f"[{m[1]}]()", line) if is_row(line) else line
            if len(shown) > most:
                found.append((number, len(line)))
    return found


def anchors(text):
    """The anchors of a page's headings, as GitHub makes them."""
    found = set()
    for line in blank(text, FENCE).split("\n"):
        if match := re.match(r"#{1,6} +(.+?)[ #]*$", line):
            title = LINK.sub(r"\1", match[1]).replace("`", "").lower()
            title = unicodedata.normalize("NFC", title)
            slug = re.sub(r"[^\w\- ]", "", title).replace(" ", "-")
            name, n = slug, 0
            while name in found:
                n += 1
                name = f"{slug}-{n}"
            found.add(name)
    return found | set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))


def broken_links(path, text):
    """Relative links of a page to a file or an anchor that does not exist."""
    found = []
    for match in LINK.finditer(re.sub(r"`[^`\n]*`", "", without_code(text))):
        address = match[2]
        if re.match(r"[a-z][a-z0-9+.-]*:", address):
            continue
        file, _, anchor = urllib.parse.unquote(address).partition("#")
        target = (path.parent / file).resolve() if file else path
        if not target.exists():
            found.append(f"{address} leads nowhere")
        elif anchor and target.suffix == ".md" and anchor not in anchors(target.read_text("utf-8")):
            found.append(f"{address}: no such heading")
    return found


def pages_of(root):
    """The pages that are checked."""
    pages = [root / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")]
    for folder in ("docs/user", "docs/dev", "docs/results"):
        pages += sorted((root / folder).glob("*.md"))
    for folder in FOLDERS:
        pages += sorted((root / folder).rglob("README.md"))
    pages = [page for page in dict.fromkeys(pages) if MADE not in page.as_posix()]
    # The reference is made of docstrings, which python/tests/test_docs.py checks.
    return [page for page in pages if page.name != "python-api.md"]


def faults_of(root, ceilings):
    """Everything that is wrong with the pages below root."""
    faults, seen = [], set()
    for path in pages_of(root):
        name, text = path.relative_to(root).as_posix(), path.read_text("utf-8")
        seen.add(name)
        row = COLUMNS if name == "README.md" else ROW
        words, lines = average(text), long_lines(text, name.startswith(FREE_ROWS), row)
        if name == "README.md" and text.count("\n") > README_LINES:
            faults.append(f"{name}: {text.count(chr(10))} lines, at most {README_LINES}")
        max_words, max_lines = ceilings.get(name, (WORDS, 0))
        if words > max_words:
            faults.append(f"{name}: {words:.1f} words a sentence, at most {max_words}")
        if len(lines) > max_lines:
            faults += [f"{name}:{n}: {columns} columns" for n, columns in lines]
            faults.append(f"{name}: {len(lines)} long lines, at most {max_lines}")
        if name in ceilings and words <= WORDS and not lines:
            faults.append(f"{name}: holds the rules now; remove it from CEILINGS")
        faults += [f"{name}: {fault}" for fault in broken_links(path, text)]
    faults += [f"{name}: in CEILINGS, and not there" for name in sorted(ceilings.keys() - seen)]
    return faults


GOOD = """# A page

It has one sentence. It has `two. Three` of them [here](docs/user/b.md#a-b), e.g. this one!

    code that is long enough to be above one hundred columns, which code may be when somebody shows it to us

- an item
- another item

```sh
# no heading
```

| a | b |
"""
BAD = {
    "40.0 words a sentence": " ".join(["word"] * 40) + "\n",
    "README.md:3: 120 columns": "# A\n\n" + "It is so. " * 12 + "\n",
    "README.md:1: 203 columns": "|" + " a |" * 50 + " |\n",
    "README.md:1: 107 columns": "|" + " a |" * 26 + " |\n",
    "README.md: 91 lines": "It is.\n" * 91,
    "b/c.md leads nowhere": "It [is](b/c.md).\n",
    "#no: no such heading": "It [is](docs/user/b.md#no).\n",
    "#top: no such heading": "# A\n\nIt [is](#top).\n",
}


def self_test():
    def faults(text, ceilings):
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)
            (root / "docs/user").mkdir(parents=True)
            for path in ("CONTRIBUTING.md", "SECURITY.md"):
                (root / path).write_text("It is.\n", encoding="utf-8")
            (root / "docs/user/b.md").write_text("# A `b`\n\nIt is.\n", encoding="utf-8")
            (root / "README.md").write_text(text, encoding="utf-8")
            return faults_of(root, ceilings)

    assert faults(GOOD, {}) == [], faults(GOOD, {})
    assert [len(one) for one in sentences(GOOD)] == [4, 9, 2, 2], sentences(GOOD)
    for fault, text in BAD.items():
        found = faults(text, {})
        assert any(fault in one for one in found), (fault, found)
    long = " ".join(["word"] * 19) + "\n"
    assert faults(long, {"README.md": (19, 0)}) == []
    assert "holds the rules" in faults("It is.\n", {"README.md": (19, 0)})[0]
    assert "not there" in faults("It is.\n", {"docs/user/c.md": (19, 0)})[0]
    print("self-test passed")


def main():
    options = checks.options_of(__doc__, self_test, list=dict(action="store_true"))
    root = options.root.resolve()
    if options.list:
        for path in pages_of(root):
            text = path.read_text("utf-8")
            lines = len(long_lines(text))
            print(f"{path.relative_to(root)}: {average(text):.1f} words, {lines} long lines")
        return 0
    faults = faults_of(root, CEILINGS)
    print("\n".join([*faults, f"{len(pages_of(root))} pages, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

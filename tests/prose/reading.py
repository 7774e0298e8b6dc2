#!/usr/bin/env python3
"""Counts what a new user reads: until the first result, and sentences that are read twice.

reading.py ROOT                          figures of the texts below ROOT
reading.py ROOT --commit 71d43a3         figures of an earlier commit, by `git show`
reading.py ROOT --commit 71d43a3 --list  the sentences as well, each with its reasons
reading.py ROOT --pages                  every page for users instead of the sample
reading.py ROOT --most N                 fails where more than N sentences are read twice
reading.py --self-test                   proves that each reason is found

A reader reads README from its top, 230 words a minute, up to the line or block that gives the
result. "By headings" counts the text above the first heading, the section Install, and the section
of the result only. Code counts as words.

A sentence is read twice if it has more than 30 words, two subordinate clauses, a retired word of
docs/dev/words.md, or a term that is not defined where it first appears. A clause counts by its
first word (CLAUSES). A term (TERMS) counts as defined if its first sentence has a link, or an
explanation behind the term: `(`, `:`, `,`, `=`, `is` or `are`. Terms of messages are not looked at:
a message names what the caller wrote.

The sample: README, the help of edges and detect (the strings in the sources; of an option only the
part that --help prints), three pages, and ten messages, each of which must be in its source.
"""

import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
import check_pages  # noqa: E402
import check_words  # noqa: E402
import checks  # noqa: E402

SPEED = 230  # words a minute
WORDS = 30
BEFORE = "71d43a3"
CLAUSES = re.compile(
    r"\b(which|whose|who|whom|where|when|while|if|unless|until|because|since|although|whether"
    r"|what|whatever|however|that)\b",
    re.IGNORECASE,
)
# Terms that somebody who never processed a picture cannot know.
TERMS = (
    "Otsu", "hysteresis", "DLPack", "NDJSON", "luma", "aperture", "structure tensor", "Kalman",
    "stencil", "non-maximum suppression", "strategy", "CUDA graph", "FFV1",
    "MOTChallenge", "COCO", "EDL", "MQTT", "Ray", "octant",
)  # fmt: skip
PAGES = {
    "cameras and events": ("docs/events.md", "docs/user/cameras-and-events.md"),
    "Python": ("docs/python.md", "docs/user/python.md"),
    "GPU": ("docs/devices.md", "docs/user/gpu.md"),
}
# Sources of a verb's help; those that a commit lacks are left out.
HELP = {
    "edges": (
        "cli/edges.cpp", "cli/common.cpp", "cli/inputs.cpp", "cli/memory.cpp",
        "src/ops/canny/options.hpp", "src/ops/log/options.hpp", "src/ops/sobel/options.hpp",
        "src/ops/boundaries/options.hpp", "src/lines/options.hpp", "src/recipes/options.hpp",
        "src/recipes/descriptions.hpp",
    ),
    "detect": (
        "cli/detect.cpp", "cli/detecting.cpp", "cli/cameras.cpp", "cli/common.cpp",
        "cli/inputs.cpp", "cli/events/watching.cpp", "cli/watching.cpp", "apps/watch/cameras.cpp",
        "apps/watch/results.cpp", "src/ops/background/options.hpp",
        "src/ops/motion/options.hpp", "src/track/options.hpp",
    ),
}  # fmt: skip
# The same ten faults, before and after: the source and its message. `{}` is a value.
MESSAGES = (
    ("src/core/stencil.cpp", "stencil divisor is {}; it starts at 1",
     "src/ops/shared/stencil.cpp", "stencil divisor is {}; it must be at least 1"),
    ("src/ops/motion/motion.cpp", "motion: detector {} is none; give a detector for each frame",
     "src/ops/motion/motion.cpp", "motion: detectors[{}] is null; each frame requires a detector"),
    ("src/ops/motion/motion.cpp",
     "motion: detector {} stands there before; give a batch where frames of one camera follow each "
     "other",
     "src/ops/motion/motion.cpp",
     "motion: detectors[{}] is listed twice; pass consecutive frames of one camera as a batch"),
    ("python/src/arrays.cpp", "{} holds {} pictures and {} {}; they must be as many",
     "python/src/arrays.cpp", "{} holds {} pictures and {} {}; the counts must match"),
    ("src/io/picture_read.cpp",
     "samples are of type {}; pictures of 8 and 16 bits are read, and of floats",
     "src/io/picture_read.cpp",
     "its samples are {}; save it as float32"),
    ("cli/edges.cpp", "{}: --low and --high go together",
     "cli/edges.cpp", "{}: --low and --high must be set together"),
    ("cli/edges.cpp",
     "--memory {}: --method boundaries takes whole pictures; without --memory all of it is read",
     "cli/memory.cpp", "{}: the picture exceeds --memory {}, and {}"),
    ("cli/edges.cpp", "--mask {}: a picture that takes more than --memory {} has none",
     "cli/edges.cpp", "--mask {}: pictures above --memory {} do not support a mask"),
    ("cli/detecting.cpp",
     "detect: say where results go: -o boxes.mp4, --json objects.ndjson, or both",
     "cli/detecting.cpp",
     "detect: no output is set; use -o boxes.mp4, --json objects.ndjson or both"),
    ("cli/events/clips.cpp",
     "--clips {}: clips are copied as they are encoded, and {} is not encoded",
     "apps/watch/clips.cpp", "--clips {}: clips require encoded video, and {} is not encoded"),
)  # fmt: skip
MESSAGES_NAME = "ten messages"
RESULTS = {  # a result: what ends the reading, the section by headings
    "package installed": (r"pip install \.", "Install"),
    "edges of a picture": (r"cuesta edges photo\.jpg", r"The command|Three commands"),
    "events of a video": (r"cuesta detect .*--events", r"The command|Three commands"),
    "Python": ("```python", "Python"),
    "C++": ("```cpp", r"The library|C\+\+"),
}


class Tree:
    """The files of a folder, or of a commit of its repository."""

    def __init__(self, root, commit=None):
        self.root, self.commit = root, commit

    def read(self, path):
        """The text of a file, or None where there is none."""
        if self.commit is None:
            file = self.root / path
            return file.read_text("utf-8") if file.exists() else None
        show = ["git", "-C", str(self.root), "show", f"{self.commit}:{path}"]
        run = subprocess.run(show, capture_output=True, text=True)
        return run.stdout if run.returncode == 0 else None


def count(text):
    """The number of words: blank-separated, with a letter or digit."""
    return sum(1 for word in text.split() if re.search(r"\w", word))


def until(text, end):
    """The text up to the end of the line, or of the code block, that `end` matches first."""
    match = re.search(end, text)
    if not match:
        return None
    if end.startswith("```"):
        return text[: text.index("```", match.end())]
    return text[: (text + "\n").index("\n", match.end())]


def commands_of(text):
    """The number of command lines: indented or fenced lines that a shell takes."""
    line = r"(?m)^ *(?:\$ )?(?:\./)?(?:scripts/\w|pip |cmake |curl |cuesta |sudo )"
    return len(re.findall(line, text))


def first_results(readme):
    """(result, lines, commands, words, seconds, seconds by headings) of each of RESULTS."""
    sections = re.split(r"(?m)^(?=## )", readme)
    for name, (end, heading) in RESULTS.items():
        whole = until(readme, end)
        if whole is None:
            continue
        parts = [sections[0]]
        for section in sections[1:]:
            title = section.split("\n")[0][3:]
            if re.fullmatch(heading, title):
                parts.append(until(section, end) or section)
            elif title == "Install":
                parts.append(section)
        lines, commands = whole.count("\n") + 1, commands_of(whole)
        words = count(whole)
        quick = count("".join(parts))
        yield name, lines, commands, words, words * 60 / SPEED, quick * 60 / SPEED


def strings_of(text):
    """The texts of help in C++: neighbouring literals joined, those of one word left out."""
    text = re.sub(r"(?m)//.*$", "", text)
    literal = r'"((?:[^"\\\n]|\\.)*)"'
    found = []
    for match in re.finditer(rf"{literal}(?:\s*{literal})*", text):
        joined = "".join(re.findall(literal, match[0]))
        found.append(joined.replace('\\"', '"').replace("\\n", "\n"))
    return [one for one in found if " " in one.strip()]


def calls_of(text):
    """The parts of C++ text in which help is given: arguments of add_option() and the like."""
    start = r"(?:add_option|add_flag|add_flag_callback|add_subcommand|description|footer)\("
    for match in re.finditer(start, text):
        depth, end, quoted = 1, match.end(), False
        while depth and end < len(text):
            quoted ^= text[end] == '"' and text[end - 1] != "\\"
            depth += 0 if quoted else {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        yield text[match.end() : end - 1]


def help_of(tree, verb):
    """The sentences of a verb's help. --help prints the first of an option where help.cpp cuts."""
    cuts = "first_sentence" in (tree.read("cli/help.cpp") or "")
    found = []
    for path in HELP[verb]:
        text = tree.read(path)
        if text is None:
            continue
        described = path.endswith("options.hpp")
        for part in [text] if described else calls_of(text):
            option = described or not re.match(r'\s*"(?!-)', part)
            for one in strings_of(part):
                lines = [l for l in one.split("\n") if not re.match(r" *(cuesta |\$|\|)|  ", l)]
                if cuts and option:
                    found.append(lines[0].split(". ")[0] if lines else "")
                else:
                    found += check_pages.SENTENCE_END.split(" ".join(lines))
    return list(dict.fromkeys(one for one in found if count(one)))


def messages_of(tree):
    """The ten messages; each must be in its source."""
    for before_file, before, file, after in MESSAGES:
        path, text = (before_file, before) if tree.commit == BEFORE else (file, after)
        if text not in strings_of(tree.read(path)):
            raise SystemExit(f"{path} has no message '{text}'")
        yield text


def prose_of(text):
    """The sentences of a page as text."""
    return [" ".join(words) for words in check_pages.sentences(text)]


def defined(term, sentence):
    """Whether a sentence explains a term, by its form."""
    return re.search(
        rf"\b{re.escape(term)}\b['\w]*\W{{0,3}}(?:\(|:|,|=|is\b|are\b)|\]\(|\bthe {term} of\b",
        sentence,
    )


def reasons(sentence, retired, seen, terms=TERMS):
    """Why a sentence has to be read twice; `seen` collects the terms that have appeared."""
    found = []
    words = count(sentence)
    if words > WORDS:
        found.append(f"{words} words")
    clauses = [m[0].lower() for m in CLAUSES.finditer(sentence)]
    if len(clauses) > 1:
        found.append("clauses: " + ", ".join(clauses))
    found += [f"retired: {match[0]}" for word in retired if (match := word.search(sentence))]
    for term in terms:
        if re.search(rf"\b{re.escape(term)}\b", sentence) and term not in seen:
            seen.add(term)
            if not defined(term, sentence):
                found.append(f"undefined: {term}")
    return found


def pages(root):
    """(name, sentences) of each page for users."""
    paths = ["README.md", "CONTRIBUTING.md", "SECURITY.md"]
    paths += [f"docs/user/{path.name}" for path in sorted((root / "docs/user").glob("*.md"))]
    for path in paths:
        if path != "docs/user/python-api.md":
            yield path, prose_of((root / path).read_text("utf-8"))


def sample(tree):
    """(name, sentences) of each text of the sample."""
    yield "README.md", prose_of(tree.read("README.md"))
    for verb in HELP:
        yield f"help of {verb}", help_of(tree, verb)
    for name, paths in PAGES.items():
        text = next(text for path in reversed(paths) if (text := tree.read(path)) is not None)
        yield name, prose_of(text)
    yield MESSAGES_NAME, list(messages_of(tree))


def self_test():
    retired = [re.compile(r"\btold\b")]
    assert reasons("It is a cat.", retired, set()) == []
    assert reasons("word " * 31, retired, set()) == ["31 words"]
    assert reasons("A cat that eats when it can.", retired, set()) == ["clauses: that, when"]
    assert reasons("It is told.", retired, set()) == ["retired: told"]
    seen = set()
    assert reasons("By Otsu.", retired, seen) == ["undefined: Otsu"]
    assert reasons("By Otsu.", retired, seen) == []
    assert reasons("Otsu: a rule.", retired, set()) == []
    text = 'app.add_option("--a", x, "one (two) " "three")->add_flag("--b", "b c");'
    assert [strings_of(part) for part in calls_of(text)] == [["one (two) three"], ["b c"]]
    readme = (
        "# A\n\nIt is.\n\n## Install\n\n    pip install .\n\n## Python\n\n```python\na b\n```\n"
    )
    rows = {row[0]: row[1:] for row in first_results(readme)}
    assert rows["package installed"][:3] == (7, 1, 6), rows
    assert rows["Python"][2] == 10, rows
    print("self-test passed")


def main():
    options = checks.options_of(
        __doc__,
        self_test,
        commit=dict(help="a commit instead of the files"),
        list=dict(action="store_true", help="print the sentences"),
        pages=dict(action="store_true", help="every page for users instead of the sample"),
        most=dict(type=int, help="fail above this number of sentences"),
    )
    tree = Tree(options.root, options.commit)
    print("| until | lines | commands | words | seconds | by headings |\n|---|---|---|---|---|---|")
    for name, lines, commands, words, whole, quick in first_results(tree.read("README.md")):
        print(f"| {name} | {lines} | {commands} | {words} | {whole:.0f} | {quick:.0f} |")
    retired = check_words.read_words(options.root / check_words.WORDS)
    print("\n| text | sentences | words a sentence | read twice |\n|---|---|---|---|")
    total, listed = 0, []
    for name, sentences in pages(options.root) if options.pages else sample(tree):
        seen, twice = set(), 0
        for sentence in sentences:
            if why := reasons(sentence, retired, seen, () if name == MESSAGES_NAME else TERMS):
                twice += 1
                listed.append(f"{name}: {sentence}\n    [{'; '.join(why)}]")
        words = sum(map(count, sentences)) / max(1, len(sentences))
        print(f"| {name} | {len(sentences)} | {words:.1f} | {twice} |")
        total += twice
    print(f"\n{total} sentences are read twice")
    if options.list:
        print("\n".join(listed))
    return options.most is not None and total > options.most


if __name__ == "__main__":
    sys.exit(main())

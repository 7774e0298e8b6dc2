#!/usr/bin/env python3
"""Finds words that docs/dev/words.md retires, in every text that people read.

check_words.py ROOT [--command CUESTA]   checks the texts below ROOT, and the help of the command
check_words.py ROOT --count              prints how often each word occurs in each kind of text
check_words.py --self-test               proves that each kind of text is scanned

Scanned: README, CONTRIBUTING, SECURITY, docs/user and docs/dev (without words.md itself, and
without the decisions, which are an archive; their index is scanned); READMEs of the folders in
COMMENTS; public headers; docstrings of python/cuesta; comments of the folders in COMMENTS, in C++,
CUDA, Python, shell, CMake, JavaScript, CSS and settings; the help of every verb, and the man page.
check_messages.py scans messages for the same words.
"""

import ast
import collections
import io
import re
import subprocess
import sys
import tokenize
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import checks  # noqa: E402

WORDS = Path("docs/dev/words.md")
PAGES = (
    "README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/dev/decisions/README.md",
    "docs/gallery/README.md", "docs/results/README.md", "docs/schemas/README.md",
)  # fmt: skip
HEADERS = ("include", "src/c/include")
# Folders whose comments are scanned.
COMMENTS = (
    ".ci", "src", "cli", "apps", "bench", "cmake", "docs", "emulation", "fuzz", "packaging",
    "python", "scripts", "tests",
)  # fmt: skip
# How many retired words each kind of text still has: may only go down. Kinds that are not here have none.
CEILINGS = {}
CODE = {".cpp", ".hpp", ".cu", ".cuh", ".h", ".inl", ".js", ".css"}
# Files whose comments begin with `#`, by the end of their name.
HASH = (
    "CMakeLists.txt",
    "Containerfile",
    ".cmake",
    ".sh",
    ".toml",
    ".yml",
    ".yaml",
    ".supp",
    ".in",
)


def read_words(path, messages=False):
    """The retired expressions of a words.md; with `messages`, those of its last table as well."""
    text = path.read_text(encoding="utf-8")
    general, _, only_messages = text.partition("\n## In messages\n")
    expressions = []
    for part in (general, only_messages) if messages else (general,):
        for line in part.splitlines():
            if not line.startswith("|") or line.startswith("| ---"):
                continue
            last = re.split(r"(?<!\\)\|", line.strip().strip("|"))[-1]
            for word in re.findall(r"`([^`]+)`", last):
                word = word.replace(r"\|", "|")
                expressions.append(re.compile(rf"(?<![\w-])(?:{word})(?![\w-])", re.IGNORECASE))
    return expressions


def prose_of_markdown(text):
    """Markdown without code and link targets; lines are kept."""
    text = re.sub(r"```.*?```", lambda m: "\n" * m[0].count("\n"), text, flags=re.DOTALL)
    text = re.sub(r"^(    |\t).*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"`[^`\n]*`", "`x`", text)
    return re.sub(r"\]\([^)\n]*\)", "]", text)


def comments_of_cpp(text):
    """The comments of C++ text; everything else is blank, lines are kept."""
    pattern = re.compile(
        r'R"(\w*)\((?:.|\n)*?\)\1"|"(?:[^"\\\n]|\\.)*"|(?<![0-9a-fA-F])\'(?:[^\'\\\n]|\\.)+\''
        r"|//[^\n]*|/\*(?:.|\n)*?\*/"
    )
    out, last = [], 0
    for match in pattern.finditer(text):
        out.append("\n" * text.count("\n", last, match.start()))
        found = match.group()
        out.append(found if found.startswith("/") else "\n" * found.count("\n"))
        last = match.end()
    # A sentence goes over the lines of one comment: their slashes must not part its words.
    return re.sub(r"(?m)^///? ?", "", "".join(out))


def comments_of_python(text):
    """The comments and docstrings of Python text; lines are kept."""
    lines = [""] * (text.count("\n") + 2)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            lines[token.start[0]] = token.string.lstrip("# ")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            if ast.get_docstring(node, clean=False) is None:
                continue
            constant = node.body[0].value
            for k, line in enumerate(constant.value.split("\n")):
                lines[constant.lineno + k] = re.sub(r"`[^`]*`", "`x`", line).strip()
    return "\n".join(lines[1:])


def comments_of_hash(text):
    """The comments of text whose comments begin with `#`; lines are kept."""
    lines = []
    for line in text.split("\n"):
        match = re.search(r"(?:^|\s)#+ (.*)", line)
        lines.append(match[1] if match else "")
    return "\n".join(lines)


def language_of(path):
    """The function that finds the comments of a file, or None where it has none to scan."""
    if path.suffix in CODE:
        return comments_of_cpp
    if path.suffix == ".py":
        return comments_of_python
    if path.name.endswith(HASH):
        return comments_of_hash
    if path.suffix or not path.is_file():
        return None
    with path.open("rb") as file:
        first = file.readline(200)
    if first.startswith(b"//"):  # a header of another library's name, as in emulation/include
        return comments_of_cpp
    if not first.startswith(b"#!"):
        return None
    return comments_of_python if b"python" in first else comments_of_hash


def texts_of_tree(root):
    """(kind, name, text) of every text below root, line numbers as in the file."""
    pages = [root / name for name in PAGES]
    for folder in ("docs/user", "docs/dev"):
        pages += sorted((root / folder).glob("*.md"))
    for folder in COMMENTS:
        if folder != "docs":
            pages += sorted((root / folder).rglob("README.md"))
    for path in pages:
        if path != root / WORDS:
            yield "page", path.relative_to(root), prose_of_markdown(path.read_text("utf-8"))
    for folder in HEADERS:
        for path in sorted((root / folder).rglob("*.h*")):
            yield "header", path.relative_to(root), comments_of_cpp(path.read_text("utf-8"))
    for path in sorted((root / "python/cuesta").rglob("*.py")):
        yield "docstring", path.relative_to(root), comments_of_python(path.read_text("utf-8"))
    for path in [
        root / "CMakeLists.txt",
        *(p for f in COMMENTS for p in sorted((root / f).rglob("*"))),
    ]:
        if (root / "python/cuesta") in path.parents and path.suffix == ".py":
            continue  # Its docstrings and comments came above.
        if comments_of := language_of(path):
            yield "comment", path.relative_to(root), comments_of(path.read_text("utf-8"))


def texts_of_command(command):
    """(kind, name, text) of the help of every verb, and of the man page."""

    def run(*words):
        return subprocess.run([command, *words], check=True, capture_output=True, text=True).stdout

    top = run("--help")
    yield "help", "cuesta --help", top
    verbs = re.findall(r"^  ([a-z][a-z-]+)(?= {2,}|$)", top, re.MULTILINE)
    if len(verbs) < 5:
        raise SystemExit(f"only {len(verbs)} verbs found in the help; the search is broken")
    for verb in verbs:
        yield "help", f"cuesta {verb} --help", run(verb, "--help")
    yield "help", "man cuesta", re.sub(r"\\-", "-", run("generate", "man"))


def faults_of(text, words):
    """(line, match) of every retired word; a line break counts as a blank."""
    flat = re.sub(r"[ \t]*\n[ \t]*(?=\S)", "\n", text)
    spaced = flat.replace("\n", " ")
    found = []
    for expression in words:
        for match in expression.finditer(spaced):
            found.append((flat.count("\n", 0, match.start()) + 1, match.group()))
    return sorted(set(found))


def self_test():
    table = "| a | b | instead of |\n| --- | --- | --- |\n| stored | is | `lies?`, `(a\\|b) c` |\n"
    table += "\n## In messages\n| otherwise | `else` |\n"

    class Text:
        @staticmethod
        def read_text(encoding):
            return table

    words = read_words(Text)
    assert [w.search("it lies") is not None for w in words] == [True, False]
    assert words[1].search("B c") and not words[1].search("bc")
    assert len(read_words(Text, messages=True)) == 3
    assert faults_of("one\n  two lies\nb\nc", words) == [(2, "lies"), (3, "b c")]
    assert not faults_of("allies, lies-in", words)
    page = prose_of_markdown("a `lies`\n```\nlies\n```\n[x](lies)\n\n    lies\nlies")
    assert faults_of(page, words) == [(8, "lies")], faults_of(page, words)
    code = comments_of_cpp('int lies;  // a\nauto s = "// lies";\n/// it\n/// lies\n')
    assert faults_of(code, words) == [(4, "lies")], faults_of(code, words)
    script = comments_of_hash("#!lies\n# it\n#   lies\n${x#lies} # lies\n")
    assert faults_of(script, words) == [(3, "lies"), (4, "lies")], faults_of(script, words)
    for name, function in (
        ("scripts/test", comments_of_hash),
        ("scripts/tidy", comments_of_python),
        ("tests/CMakeLists.txt", comments_of_hash),
        ("emulation/include/cuda/ptx", comments_of_cpp),
        ("docs/edges-and-objects.png", None),
    ):
        assert language_of(Path(__file__).resolve().parents[2] / name) is function, name
    python = comments_of_python('"""A.\n\nlies `lies`"""\nlies = "lies"  # lies\n')
    assert faults_of(python, words) == [(3, "lies"), (4, "lies")], faults_of(python, words)
    print("self-test passed")


def main():
    options = checks.options_of(
        __doc__,
        self_test,
        command=dict(help="the built command, whose help is scanned as well"),
        only=dict(help="the kinds to scan: page,header,docstring,comment,help"),
        count=dict(action="store_true"),
    )
    words = read_words(options.root / WORDS)
    if len(words) < 30:
        print(f"only {len(words)} retired words found in {WORDS}; the table is broken")
        return 1
    texts = list(texts_of_tree(options.root))
    if options.command:
        texts += texts_of_command(options.command)
    if options.only:
        texts = [text for text in texts if text[0] in options.only.split(",")]
    wrong, counts = [], collections.Counter()
    for kind, name, text in texts:
        for line, match in faults_of(text, words):
            wrong.append(f'{name}:{line}: retired: "{match}"')
            counts[kind, match.lower()] += 1
    if options.count:
        for (kind, match), count in counts.most_common():
            print(f"{count:5} {kind:10} {match}")
    else:
        print("\n".join(wrong))
    print(f"{len(texts)} texts, {len(wrong)} retired words")
    kinds = collections.Counter()
    for (kind, _), count in counts.items():
        kinds[kind] += count
    over = [kind for kind in kinds if kinds[kind] > CEILINGS.get(kind, 0)]
    for kind in over:
        print(f"{kind}: {kinds[kind]} retired words, at most {CEILINGS.get(kind, 0)}")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())

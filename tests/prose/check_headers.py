#!/usr/bin/env python3
"""Checks the documentation comments of the public headers.

check_headers.py ROOT        checks include/cuesta.h and the headers below include/cuesta
check_headers.py --self-test proves that each fault is found

Every public function and type has a summary: a first sentence of at most 100 characters that ends
with a period. A declaration without a comment belongs to the documented one directly above it; a
comment in a class body counts for the members below it up to a blank line. An override has the
summary of its base class. Sentences have at most
18 words on average in a file. Lines have at most 100 columns. check_words.py looks for retired
words.
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import checks  # noqa: E402

COLUMNS = 100
SUMMARY = 100
WORDS = 18
# How many faults a header still has: may only go down. Headers that are not here have none.
CEILINGS = {}

TOKEN = re.compile(
    r"(?P<comment>//[^\n]*|/\*(?:.|\n)*?\*/)|(?P<text>\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)+')"
    r"|(?P<macro>^[ \t]*\#(?:\\\n|[^\n])*)|(?P<mark>[{};:()])",
    re.MULTILINE,
)


def clean(comment):
    """The words of a comment, without its marks; examples (indented lines) are left out."""
    if comment.startswith("/*"):
        lines = [re.sub(r"^\s*\*? ?", "", line) for line in comment[2:-2].lstrip("*<").split("\n")]
    else:
        lines = [re.sub(r"^\s*//[/!]?<? ?", "", line) for line in comment.split("\n")]
    return "\n".join(line for line in lines if not line.startswith("    ")).strip()


def sentences(text):
    """The sentences of a comment; periods of abbreviations and versions end none."""
    text = re.sub(r"\b(e\.g|i\.e|cf|eq|vs)\.", r"\1", text)
    found = []
    for paragraph in re.split(r"\n\s*\n", text):
        found += re.split(r"(?<=[.!?])\s+", re.sub(r"\s+", " ", paragraph).strip())
    return [sentence for sentence in found if sentence]


def kind_of(code):
    """namespace, type, function, skip or member: what the text of a declaration declares."""
    code = re.sub(r"\s+", " ", code).strip()
    code = re.sub(r"^(public|private|protected) ", "", code)
    if re.match(r"(inline )?namespace\b|extern \"C\"", code) or code.startswith("extern"):
        return "namespace"
    bare = re.sub(r"template ?<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*> ?", "", code)
    if re.match(r"(typedef )?(class|struct|enum)\b", bare) and "(" not in bare:
        return "type"
    if re.match(r"(using|typedef|friend|static_assert|concept)\b", bare):
        return "skip"
    inherits = re.search(r"\) (const )?(noexcept )?override\b", code)  # the summary of its base
    if re.search(r"= ?(delete|default) ?$", code) or "operator" in code or "~" in code or inherits:
        return "skip"
    return "function" if "(" in code.split("=")[0] else "member"


def declarations(text):
    """(line, kind, code, comment or None) of each declaration at namespace or public scope."""
    found, stack = [], [("namespace", True)]
    code, comment, start, depth, group, last_end = "", None, 0, 0, None, 0
    position, last_comment_end = 0, 0

    def visible():
        return all(shown for _, shown in stack) and stack[-1][0] in ("namespace", "type")

    def finish(end, at):
        nonlocal code, comment, group, last_end
        kind = kind_of(code)
        blank = re.search(r"\n[ \t]*\n", text[last_end:start])
        doc = comment if comment else (None if blank or last_end == 0 else group)
        if visible() and code.strip():
            found.append([text.count("\n", 0, start) + 1, kind, code.strip(), doc])
        group, last_end, comment, code = doc, end, None, ""
        return kind

    for match in TOKEN.finditer(text):
        between = text[position : match.start()]
        if between.strip() and not code.strip():
            start = position + len(between) - len(between.lstrip())
        code += between
        position = match.end()
        mark, body = match.group("mark"), match.group()
        if match.group("comment"):
            trailing = text[text.rfind("\n", 0, match.start()) + 1 : match.start()].strip()
            if body.startswith(("///<", "/*<", "/**<")) or (trailing and body.startswith("/*")):
                if found and not code.strip() and found[-1][3] is None:
                    found[-1][3] = group = body
            elif not code.strip() and body.startswith(("///", "/*")):
                gap = text[last_comment_end : match.start()] if comment else ""
                joined = (
                    comment and body.startswith("///") and "\n\n" not in gap and not gap.strip()
                )
                comment = comment + "\n" + body if joined else body
                last_comment_end = match.end()
            continue
        if match.group("macro"):
            continue
        if stack[-1][0] == "body":
            if mark == "{":
                stack.append(("body", False))
            elif mark == "}":
                stack.pop()
                last_end = match.end()
                code = ""
            continue
        if mark in ("(", ")"):
            depth += 1 if mark == "(" else -1
            code += body
        elif depth and mark != ";":
            code += body
        elif mark == "{":
            if (
                not code.strip()
                or kind_of(code) in ("member", "skip")
                and not code.strip().endswith(")")
            ):
                stack.append(("body", False))  # an initialiser
                finish(match.start(), start)
                continue
            enum = re.search(r"\benum\b", code)
            private = re.search(r"\bclass\b", code.split("{")[0]) and not enum
            hidden = re.search(r"\bdetail\b", code)
            kind = finish(match.start(), start)
            if kind == "namespace":
                stack.append(("namespace", not hidden))
            elif kind == "type" and not enum:
                stack.append(("type", not private))
            else:
                stack.append(("body", False))
            if kind in ("namespace", "type"):
                group, comment = None, None
        elif mark == "}":
            if len(stack) > 1:
                stack.pop()
            code, group, last_end, comment = "", None, match.end(), None
        elif mark == ";":
            depth = 0
            if code.strip():
                forward = kind_of(code) == "type"
                finish(match.end(), start)
                if forward and found:
                    found[-1][1] = "skip"
        elif mark == ":" and code.strip() in ("public", "private", "protected"):
            stack[-1] = (stack[-1][0], code.strip() == "public")
            code, comment, group = "", None, None
        else:
            code += body
    return found


def faults_of(text):
    """(line, fault) of everything wrong in the text of a header."""
    faults = []
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > COLUMNS:
            faults.append((number, f"{len(line)} columns"))
    for line, kind, code, comment in declarations(text):
        if kind not in ("function", "type"):
            continue
        name = re.sub(r"\s+", " ", code)[:50]
        if comment is None:
            faults.append((line, f"no summary: {name}"))
            continue
        first = (sentences(clean(comment)) or [""])[0]
        if "///<" in comment or comment.startswith("/*<"):
            continue
        if not first.rstrip(":").endswith(".") and not first.endswith(":"):
            faults.append((line, f'the summary has no period: "{first[:40]}": {name}'))
        elif len(first) > SUMMARY:
            faults.append((line, f"a summary of {len(first)} characters: {name}"))
    comments = re.findall(r"(?:^[ \t]*///(?!<).*\n)+|/\*\*?(?:.|\n)*?\*/", text, re.MULTILINE)
    counts = [len(s.split()) for c in comments for s in sentences(clean(c))]
    if counts and sum(counts) / len(counts) > WORDS:
        faults.append((1, f"{sum(counts) / len(counts):.1f} words in a sentence on average"))
    return sorted(set(faults))


def self_test():
    good = (
        "namespace a {\n/// Computes b.\nint b(int c);\nint b(long c);\n\n/// Holds d.\nclass D {\n"
    )
    good += " public:\n  D();  ///< Makes one.\n  /// Returns e.\n  int e() const { return e_; }\n"
    good += " private:\n  int f();\n  int e_ = 0;\n};\n}\n"
    assert faults_of(good) == [], faults_of(good)

    def finds(text, fault, line):
        found = [f for f in faults_of(text) if fault in f[1]]
        assert found and found[0][0] == line, (text, faults_of(text))

    finds("namespace a {\nint b();\n}\n", "no summary", 2)
    finds("/// Computes a.\nint a();\n\nint b();\n", "no summary", 4)
    finds("/// Holds.\nclass D {\n public:\n  int e();\n};\n", "no summary", 4)
    assert faults_of("/// Holds.\nclass D : C {\n public:\n  int e() const override;\n};\n") == []
    finds("struct S {\n  int a = 0;\n};\n", "no summary", 1)
    finds("enum class E : int { a, b };\n", "no summary", 1)
    finds("/// Computes a\nint a();\n", "no period", 2)
    finds("/// " + "long " * 25 + "one.\nint a();\n", "summary of", 2)
    finds("/// A.\nint a();  // " + "x" * 100 + "\n", "columns", 2)
    finds("/// Computes.\n/// " + "word " * 60 + ".\nint a();\n", "on average", 1)
    print("self-test passed")


def main():
    options = checks.options_of(__doc__, self_test)
    headers = sorted((options.root / "include/cuesta").rglob("*.hpp"))
    headers.append(options.root / "include/cuesta.h")
    functions, failed = 0, False
    for path in headers:
        text = path.read_text(encoding="utf-8")
        functions += sum(kind == "function" for _, kind, _, _ in declarations(text))
        faults = faults_of(text)
        for line, fault in faults:
            print(f"{path.relative_to(options.root)}:{line}: {fault}")
        ceiling = CEILINGS.get(path.name, 0)
        if len(faults) > ceiling:
            print(f"{path.name}: {len(faults)} faults, at most {ceiling}")
        failed |= len(faults) > ceiling
    if functions < 150:
        print(f"only {functions} functions found; the search is broken")
        return 1
    print(f"{len(headers)} headers, {functions} functions")
    return failed


if __name__ == "__main__":
    sys.exit(main())

"""Turns the public headers into Markdown: a page for each, in the order of the header.

Declarations are shown as they are written, without the bodies of functions; the comment above one
is its text. Declarations that follow each other without a comment or a blank line share a section,
and so do overloads.
"""

import re
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOKEN = re.compile(
    r'R"(\w*)\((?:.|\n)*?\)\1"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'|//[^\n]*|/\*(?:.|\n)*?\*/'
    r"|[{}()\[\];]|\n"
)
OPEN, CLOSE = "{([", "})]"
LABEL = re.compile(r"(public|private|protected):")


class Item:
    """A declaration with the comment above it; `joined` where no blank line is above."""

    def __init__(self, comment, code, joined):
        self.comment, self.code, self.joined = comment, code, joined


def split(text):
    """The items of the inside of a namespace or class."""
    items, at, comment, joined = [], 0, [], False
    while at < len(text):
        line_end = text.find("\n", at)
        line_end = len(text) if line_end < 0 else line_end
        line = text[at:line_end]
        bare = line.strip()
        if not bare:
            if comment:
                items.append(Item(comment, "", False))
            comment, joined = [], False
            at = line_end + 1
        elif bare.startswith("//"):
            comment.append(bare)
            at = line_end + 1
        elif bare.startswith("#"):
            comment, joined = [], False
            while text[at:line_end].endswith("\\"):
                following = text.find("\n", line_end + 1)
                at, line_end = line_end + 1, len(text) if following < 0 else following
            at = line_end + 1
        elif LABEL.fullmatch(bare):
            items.append(Item([], bare, False))
            at = line_end + 1
        else:
            end = end_of(text, at)
            items.append(Item(comment, text[at:end], joined and not comment))
            comment, joined, at = [], True, end + 1
    return items


def end_of(text, begin):
    """Where the declaration that begins at `begin` ends, a comment behind it included."""
    depth = 0
    for match in TOKEN.finditer(text, begin):
        token = match.group()
        if token in OPEN:
            depth += 1
        elif token in CLOSE:
            depth -= 1
            rest = text[match.end() :].lstrip(" ")
            if depth == 0 and token == "}" and (not rest or rest[0] == "\n" or rest[:2] == "//"):
                break
        elif token == ";" and depth == 0:
            break
    end = text.find("\n", match.end())
    end = len(text) if end < 0 else end
    if not re.match(r"[ \t]*//", text[match.end() : end]):
        return match.end() if text[match.end() : end].strip() else end
    # A comment after a declaration may continue in the next lines, under its slashes.
    column = text.index("//", match.end()) - (text.rfind("\n", 0, match.end()) + 1)
    while re.match(rf" {{{column}}}//", text[end + 1 :]):
        following = text.find("\n", end + 1)
        end = len(text) if following < 0 else following
    return end


def body_at(code):
    """Where the body of a function or class begins; None where there is none."""
    depth = 0
    for match in TOKEN.finditer(code):
        token = match.group()
        if token == "{" and depth == 0:
            return match.start()
        depth += (token in OPEN) - (token in CLOSE)
    return None


def without_template(code):
    """The declaration behind `template <...>` and its requires clause."""
    while match := re.match(r"\s*template\s*<", code):
        depth, at = 1, match.end()
        while depth:
            depth += (code[at] == "<") - (code[at] == ">")
            at += 1
        code = code[at:]
    code = code.lstrip()
    return code.partition("\n")[2].lstrip() if code.startswith("requires") else code


def kind_and_name(code):
    """('class' | 'function' | 'other', name)."""
    bare = re.sub(r"\[\[.*?\]\]\s*", "", without_template(code))
    match = re.match(r"(?:typedef\s+)?(struct|class|union|enum(?:\s+class)?)\s+(\w+)?", bare)
    if match and "{" in bare:
        typedef = re.search(r"}\s*(\w+);", bare) if bare.startswith("typedef") else None
        name = typedef[1] if typedef else match[2]
        if not name:
            names = re.findall(r"(?m)^\s*(\w+)\s*(?:=|,|$)", bare.partition("{")[2])
            names = names or re.findall(r"(\w+)\s*[=,}]", bare.partition("{")[2])
            name = names[0] + (", ..." if len(names) > 1 else "")
        return ("other" if match[1].startswith("enum") else "class"), name
    if match := re.match(r"(?:concept|using|typedef\s.*?|struct|class)\s+(\w+)\s*[=;]", bare):
        return "other", match[1]
    head = bare.partition("{")[0]
    if match := re.search(r"(~?\w+|operator[^()]+)\s*\(", head):
        if "=" not in head[: match.start()]:
            return "function", match[1]
    match = re.search(r"(\w+)\s*(?:\[.*?\])?\s*(?:=|;|{|$)", head)
    return "other", match[1] if match else head.split()[-1]


def shown(code):
    """A declaration without bodies of functions, and without what is private."""
    kind, _ = kind_and_name(code)
    begin = body_at(code)
    if begin is None or kind == "other":
        return textwrap.dedent(code).rstrip()
    if kind == "function":
        # A constructor's initialisers belong to its body.
        head = re.sub(r"\)( noexcept)?\s+: \w[^;]*$", r")\1", code[:begin])
        return textwrap.dedent(head).rstrip() + ";"
    end = code.rindex("}")
    lines, private = [], code.lstrip().startswith("class") or "\nclass " in code[:begin]
    for item in split(code[begin + 1 : end]):
        if LABEL.fullmatch(item.code.strip()):
            private = item.code.strip() != "public:"
        elif not private:
            if lines and not item.joined:
                lines.append("")
            lines += ["  " + line for line in item.comment]
            if item.code:
                lines += ["  " + line for line in shown(item.code).split("\n")]
    if private and not lines:
        return textwrap.dedent(code[:begin]).rstrip() + ";"
    while lines and not lines[0]:
        lines.pop(0)
    single = "\n" not in code[begin:end] and len(code) < 100
    if single:
        return textwrap.dedent(code).rstrip()
    return "\n".join([textwrap.dedent(code[: begin + 1]), *lines, code[end:].strip()])


def text_of(comment):
    """A comment as Markdown; its indented lines are code."""
    out, code = [], []
    for line in comment:
        line = re.sub(r"^///?<? ?", "", line)
        if line.startswith("    "):
            code.append(line[4:])
            continue
        if code and line.strip():
            out += ["", "```cpp", "\n".join(code).rstrip(), "```", ""]
            code = []
        elif code:
            code.append("")
            continue
        out.append(escaped(line))
    if code:
        out += ["", "```cpp", "\n".join(code).rstrip(), "```"]
    return "\n".join(out).strip("\n")


def escaped(line):
    """Outside of backticks, nothing is markup but a list's dash."""
    parts = re.split(r"(`[^`]*`)", line)
    for i in range(0, len(parts), 2):
        parts[i] = parts[i].replace("&", "&amp;").replace("<", "&lt;")
        parts[i] = re.sub(r"([*|\[\]\\]|\b_|_\b)", r"\\\1", parts[i])
    return "".join(parts)


def namespace_of(text):
    """(text above, inside of the namespace)."""
    match = re.search(r"(?m)^namespace (cuesta(?:::\w+)?) \{\n", text)
    if not match:
        return text, ""
    end = text.rindex(f"}}  // namespace {match[1]}\n")
    return text[: match.start()], text[match.end() : end]


def without_detail(text):
    return re.sub(r"(?ms)^namespace detail \{.*?^\}  // namespace detail\n", "", text)


def sections(items, level):
    """(name, Markdown) of each section of a page."""
    found = []
    for item in items:
        if re.match(r"(enum class|enum|struct|class)\s+\w+\s*;", item.code) or not item.code:
            if item.comment and (heading := re.match(r"// -+ (.+)", item.comment[0])):
                found.append(("", [f"{'#' * (level - 1)} {heading[1].capitalize()}"]))
                if rest := text_of(item.comment[1:]):
                    found[-1][1].append(rest)
            elif item.comment and found:
                found[-1][1].append(text_of(item.comment))
            continue
        if item.code.rstrip().endswith("= delete;"):
            continue
        _, name = kind_and_name(item.code)
        declaration = re.sub(r"///<?", "//", shown(item.code))
        code = f"```cpp\n{declaration}\n```"
        if found and found[-1][0] and (item.joined or found[-1][0] == name):
            parts = found[-1][1]
            if not item.comment and parts[-1].endswith("```"):
                parts[-1] = parts[-1].removesuffix("\n```") + code.removeprefix("```cpp")
            elif not item.comment:
                last = max(i for i, part in enumerate(parts) if part.endswith("```"))
                parts[last] = parts[last].removesuffix("\n```") + code.removeprefix("```cpp")
            else:
                parts.append(code)
        else:
            found.append((name, [f"{'#' * level} `{name}`", code]))
        if item.comment:
            found[-1][1].append(text_of(item.comment))
    return found


def slug(name):
    return re.sub(r"[^\w\- ]", "", name.lower()).replace(" ", "-")


def linked(text, places, page):
    """Functions written with (), types and pages of the repository as links."""

    def link(match):
        name, brackets, behind = match[1], match[2] or "", match[3]
        place, function = places.get(name, (None, False))
        # A type of one word is a word, too: only Error{...} and Norm::l2 are surely types.
        if (
            not place
            or (function and not brackets)
            or (not function and not behind and not re.search(r"[a-z][A-Z]", name))
        ):
            return match[0]
        target = f"#{slug(name)}" if place == page else f"{place}.md#{slug(name)}"
        return f"[`{name}{brackets}`]({target}){behind}"

    def repository(match):
        return f"[{match[0]}](../../{match[0]})" if (ROOT / match[0]).is_file() else match[0]

    out = []
    for block in re.split(r"(?ms)(^```.*?^```$|^#[^\n]*$|`[^`\n]*`)", text):
        if not block.startswith(("```", "#", "`")):
            block = re.sub(r"(?<![\w.:`/])([A-Za-z]\w+)(\(\))?(?![\w(.])((?:\{|::)?)", link, block)
            block = re.sub(r"\b(?:src|docs)/[\w/.-]+\.md\b", repository, block)
        out.append(block)
    return "".join(out)


def pages(include):
    """Markdown by name: index, one for each header of C++, and cuesta_h for C."""
    made, intros, found = {}, {}, []
    top = include / "cuesta"
    paths = [*sorted(top.glob("*.hpp")), *sorted(top.glob("*/*.hpp"))]
    files = {"-".join(p.relative_to(top).with_suffix("").parts): p for p in paths}
    for page, path in files.items():
        name = path.relative_to(top)
        above, inside = namespace_of(path.read_text(encoding="utf-8"))
        comment = re.match(r"(//[^\n]*\n)+", above)[0].splitlines()
        intro = text_of(comment)
        intros[page] = intro.split("\n\n")[0]
        parts = [f"# {name}", f"```cpp\n#include <cuesta/{name}>\n```", intro]
        for section, texts in sections(split(without_detail(inside)), 2):
            if section:
                found.append((len("".join(texts)), section, page))
            parts += texts
        made[page] = "\n\n".join(parts) + "\n"
    # Of the sections that several headers have, the longest is linked, or that of the page itself.
    places = {name: (page, name[0].islower()) for _, name, page in sorted(found)}
    own = {page: {n: (p, n[0].islower()) for _, n, p in found if p == page} for page in made}
    made = {name: linked(text, places | own[name], name) for name, text in made.items()}

    text = (include / "cuesta.h").read_text(encoding="utf-8").replace("CUESTA_API ", "")
    comment = re.match(r"(//[^\n]*\n)+", text)[0].splitlines()
    begin = text.index('extern "C" {') + len('extern "C" {\n#endif\n')
    inside = text[begin : text.rindex("#ifdef __cplusplus")]
    c = ["# cuesta.h", "```c\n#include <cuesta.h>\n```", text_of(comment)]
    for _, texts in sections(split(inside), 3):
        c += texts
    rows = [
        f"| [{files[page].relative_to(top)}]({page}.md) | {' '.join(intros[page].split())} |"
        for page in made
    ]
    index = "\n".join(["# C++", "", "| header | holds |", "| --- | --- |", *rows]) + "\n"
    return {"index": index, **made, "cuesta_h": "\n\n".join(c) + "\n"}

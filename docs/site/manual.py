"""Turns the man page that `cuesta generate man` writes into Markdown, a page for each verb."""

import re
import textwrap

PREFIX = "CUESTA "


def plain(text):
    """Text without roff's escapes."""
    text = re.sub(r"\\f[BIR]", "", text)
    return text.replace("\\-", "-").replace("\\&", "").replace("\\e", "\\")


def prose(text):
    """Text for Markdown: options are code, and nothing else is markup."""
    text = plain(text).replace("&", "&amp;").replace("<", "&lt;")
    text = re.sub(r"([*_`|\\\[\]])", r"\\\1", text)
    return re.sub(r"(?<![\w-])(--?[a-z][a-z-]*)", r"`\1`", text)


def head(text):
    """`-o`, `--output` OUT of an option's line in roff."""
    names = [f"`{plain(name)}`" for name in re.findall(r"\\fB(.*?)\\fR", text)]
    values = [plain(name) for name in re.findall(r"\\fI(.*?)\\fR", text)]
    if not names and not values:
        return f"`{plain(text.removeprefix('.B '))}`"
    if names:
        names[-1] = " ".join([names[-1][:-1], *values]) + "`"
        return ", ".join(names)
    return f"`{' '.join(values)}`"


def anchor(text):
    found = re.search(r"--([a-z][a-z-]*)", plain(text)) or re.search(r"([\w-]+)", plain(text))
    return found[1].lower()


def sections(page):
    """(title, lines) of each .SH."""
    found = []
    for line in page.splitlines():
        if line.startswith(".SH "):
            found.append((line[4:].strip('"'), []))
        elif found:
            found[-1][1].append(line)
    return found


def parts(lines):
    """('text' | 'code' | 'group' | 'entry', value) of a section."""
    at, paragraph = 0, []

    def flush():
        nonlocal paragraph
        if any(line.strip() for line in paragraph):
            yield "text", " ".join(paragraph)
        paragraph = []

    while at < len(lines):
        line = lines[at]
        if line == ".nf":
            yield from flush()
            end = lines.index(".fi", at)
            yield "code", "\n".join(lines[at + 1 : end])
            at = end
        elif line.startswith(".SS "):
            yield from flush()
            yield "group", plain(line[4:].strip('"'))
        elif line == ".TP":
            yield from flush()
            body = []
            at += 1
            first = lines[at]
            while at + 1 < len(lines) and not re.match(r"\.(TP|SS|SH|nf)\b", lines[at + 1]):
                at += 1
                body.append(lines[at])
            yield "entry", (first, " ".join(one for one in body if not one.startswith(".")))
        elif line.startswith("."):
            yield from flush()
        else:
            paragraph.append(line)
        at += 1
    yield from flush()


def verb_page(verb, lines):
    """The page of a verb: what it does, examples, arguments and options."""
    usage, text, options, examples = "", [], [], []
    if lines and lines[0].startswith(".B "):
        usage = plain(f"{lines[0][3:]} {lines[1]}")
        lines = lines[2:]
    group = "Options"
    for kind, value in parts(lines):
        if kind == "group":
            group = value
            if group != "Examples":
                options.append(f"## {group}")
        elif kind == "code" and group == "Examples":
            code = textwrap.dedent(plain(value)).strip("\n")
            examples = ["## Examples", f"```\n{code}\n```"]
            group = "Options"
        elif kind == "code":
            text += [prose(line) for line in re.split(r"\n{2,}", value) if line.strip()]
        elif kind == "text":
            (options if options else text).append(prose(value))
        else:
            if not options:
                options.append("## Options")
            first, said = value
            options += [f"#### {head(first)} {{ #{anchor(first)} }}", prose(said)]
    shown = f"```\n{usage}\n```"
    return "\n\n".join([f"# cuesta {verb}", *text, shown, *examples, *options]) + "\n"


def index_page(found, verbs):
    rows = ["| verb | does |", "| --- | --- |"]
    out = ["# The command"]
    for title, lines in found:
        if title in ("NAME", "SYNOPSIS") or title.startswith(PREFIX):
            continue
        if title != "DESCRIPTION":
            out.append(f"## {title.capitalize()}")
        entries = []
        for kind, value in parts(lines):
            if kind == "entry" and plain(value[0]).removeprefix(".B ") in verbs:
                verb = plain(value[0]).removeprefix(".B ")
                rows.append(f"| [{verb}]({verb}.md) | {prose(value[1])} |")
            elif kind == "entry":
                entries.append(f"| {head(value[0])} | {prose(value[1])} |")
            elif kind == "code":
                out.append(f"```\n{plain(value)}\n```")
            elif kind == "text":
                out.append(prose(value))
        if title == "DESCRIPTION":
            out.append("\n".join(rows))
        if entries:
            out.append("\n".join(["| | |", "| --- | --- |", *entries]))
    return "\n\n".join(out) + "\n"


def pages(page):
    """Markdown by name: index, and one for each verb."""
    found = sections(page)
    verbs = {t.removeprefix(PREFIX): lines for t, lines in found if t.startswith(PREFIX)}
    if len(verbs) < 5:
        raise SystemExit(f"the man page has only {len(verbs)} verbs; its form has changed")
    return {
        "index": index_page(found, verbs),
        **{verb: verb_page(verb, lines) for verb, lines in verbs.items()},
    }

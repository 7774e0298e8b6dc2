#!/usr/bin/env python3
"""Writes what MkDocs makes the documentation site of: the folder that scripts/docs names.

    stage.py OUT --command CUESTA --python PYTHON

Pages are the repository's Markdown, in folders as in the repository, so that their links hold. A
linked source becomes a page of its own, which the search leaves out. The reference is made of the
man page (manual.py), the public headers (headers.py) and the installed Python package
(python/docs/api_reference.py).
"""

import argparse
import html
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import headers
import manual

ROOT = Path(__file__).resolve().parents[2]
PAGES = (
    "*.md", "docs/dev/**/*.md", "docs/user/**/*.md", "docs/results/*.md", "docs/ladder/*.md",
    "docs/gallery/*.md",
    "docs/schemas/*.md", "src/**/README.md", "bench/*.md", "bench/field/*.md", "emulation/*.md",
    "python/**/README.md",
)  # fmt: skip
# Linked files of these kinds are copied; others become pages.
COPIED = {".png", ".webp", ".svg", ".json", ".jpg"}
LANGUAGES = {
    ".cu": "cuda",
    ".cuh": "cuda",
    ".hpp": "cpp",
    ".cpp": "cpp",
    ".h": "c",
    ".py": "python",
}
LINK = re.compile(r"(\]\()([^)\s]+)(\))")
CODE = re.compile(
    r"(?ms)^ *(```|~~~).*?^ *\1[ \t]*$|(`+)(?:(?!\n\n).)+?\2(?!`)|^(?: {4}|\t)[^\n]*$"
)
ITEM = re.compile(r"( *)([-*+]|\d+[.)]) +(?=\S)")


def outside_code(function, text):
    """The text with `function` applied to everything that is not code."""
    out, last = [], 0
    for match in CODE.finditer(text):
        out += [function(text[last : match.start()]), match.group()]
        last = match.end()
    return "".join([*out, function(text[last:])])


def four_columns(text):
    """CommonMark's lists as Python-Markdown reads them: after a blank line, indented by four."""
    out, columns, fence, before = [], [], None, ""
    for line in text.split("\n"):
        bare = line.strip()
        indent = len(line) - len(line.lstrip(" "))
        if fence or not bare:
            level = len(columns)
            moved = 4 * level + max(0, indent - columns[-1]) if columns and bare else indent
            out.append(" " * moved + bare if columns and bare else line)
            if fence and bare == fence:
                fence = None
            before = bare
            continue
        item = ITEM.match(line)
        if item and indent - (columns[-1] if columns else 0) < 4:
            while columns and indent < columns[-1]:
                columns.pop()
            if before and not columns and not out[-1].startswith(" ") and not ITEM.match(out[-1]):
                out.append("")
            out.append(" " * (4 * len(columns)) + item[2] + " " + line[item.end() :])
            columns.append(item.end())
        else:
            if before == "":
                while columns and indent < columns[-1]:
                    columns.pop()
            moved = 4 * len(columns) + max(0, indent - columns[-1]) if columns else indent
            out.append(" " * moved + bare if columns else line)
        if match := re.match(r"(```+|~~~+)", bare):
            fence = match[1]
        before = bare
    return "\n".join(out)


def table_pipes(text):
    """In a table's code, GitHub wants a pipe escaped, and Python-Markdown does not."""

    def row(line):
        if not line.startswith("|"):
            return line
        return re.sub(r"`[^`]*`", lambda code: code[0].replace("\\|", "|"), line)

    return "\n".join(row(line) for line in text.split("\n"))


class Site:
    def __init__(self, out):
        self.out = out / "pages"
        self.sources = {}  # pages of the repository, by path
        self.extra = {}  # files and folders that pages link to
        for pattern in PAGES:
            for path in sorted(ROOT.glob(pattern)):
                self.sources[path.relative_to(ROOT).as_posix()] = path.read_text(encoding="utf-8")

    def target(self, page, link):
        """A page's link as it is in the site."""
        if re.match(r"[a-z]+:|#", link):
            return link
        path, mark, anchor = link.partition("#")
        name = os.path.normpath(os.path.join(os.path.dirname(page), path))
        found = ROOT / name
        if name in self.sources or not found.exists():  # MkDocs reports what leads nowhere
            return link
        if found.is_dir():
            readme = f"{name}/README.md"
            self.extra.setdefault(f"{name}/index.md", name)
            inside = "README.md" if readme in self.sources else "index.md"
            if inside == "README.md":
                del self.extra[f"{name}/index.md"]
            return f"{path.rstrip('/')}/{inside}{mark}{anchor}"
        if found.suffix in COPIED:
            self.extra[name] = name
            return link
        self.extra[name + ".md"] = name
        return f"{path}.md"  # lines of a source have no anchors

    def write(self, name, text):
        path = self.out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def write_pages(self):
        for name, text in self.sources.items():
            text = outside_code(
                lambda part, page=name: LINK.sub(
                    lambda m: m[1] + self.target(page, m[2]) + m[3], part
                ),
                text,
            )
            text = table_pipes(four_columns(text))
            head = "hide: [navigation, toc]" if name == "README.md" else ""
            # What people look for is rather in the guide and the reference than in the records.
            if "/decisions/" in name or "negative-results" in name or name.startswith("bench/"):
                head = "search: {boost: 0.1}"
            elif name.startswith("docs/user/"):
                head = "search: {boost: 2}"
            self.write(name, f"---\n{head}\n---\n{text}" if head else text)

    def write_extra(self):
        for name, source in self.extra.items():
            path = ROOT / source
            if not name.endswith(".md") or source.endswith(".md"):
                (self.out / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, self.out / name)
            elif path.is_dir():
                files = sorted(one for one in path.iterdir() if one.is_file())
                rows = [f"| [{one.name}]({one.name}) | {one.stat().st_size:,} |" for one in files]
                (self.out / source).mkdir(parents=True, exist_ok=True)
                for one in files:
                    shutil.copyfile(one, self.out / source / one.name)
                head = f"# {source}\n\n| file | bytes |\n| --- | --- |\n"
                self.write(name, head + "\n".join(rows) + "\n")
            else:
                language = LANGUAGES.get(path.suffix, "text")
                code = path.read_text(encoding="utf-8")
                head = f"---\nsearch: {{exclude: true}}\n---\n# {source}\n\n"
                self.write(name, f"{head}````{language}\n{code}````\n")

    def linked_from(self, index):
        """An index, the pages of its folder that it links to, and the others of the folder."""
        folder = index.rpartition("/")[0]
        found = [index]
        for _, link, _ in LINK.findall(self.sources[index]):
            found.append(os.path.normpath(os.path.join(folder, link.partition("#")[0])))
        found += self.sources
        here = [n for n in found if n in self.sources and n.rpartition("/")[0] == folder]
        return list(dict.fromkeys(here))


def reference(site, command, python):
    """Writes docs/reference, and returns its part of the navigation."""
    page = subprocess.run([command, "generate", "man"], check=True, capture_output=True, text=True)
    verbs = manual.pages(page.stdout)
    for name, text in verbs.items():
        site.write(f"reference/command/{name}.md", text)

    api = site.out / "reference/python"
    api.mkdir(parents=True)
    script = ROOT / "python/docs/api_reference.py"
    subprocess.run([python, script, "--pages", api], check=True, cwd=api)
    modules = sorted(api.glob("*.md"), key=lambda path: (path.stem != "index", path.stem))
    for path in modules:
        path.write_text(four_columns(path.read_text(encoding="utf-8")), encoding="utf-8")

    cpp = headers.pages(ROOT / "include")
    for name, text in cpp.items():
        site.write(f"reference/cpp/{name}.md", text)
    c = cpp.keys() & {"cuesta_h"}
    return [
        {"Command": [f"reference/command/{name}.md" for name in verbs]},
        {"Python": [f"reference/python/{path.name}" for path in modules]},
        {"C++": [f"reference/cpp/{name}.md" for name in cpp if name not in c]},
        {"C": "reference/cpp/cuesta_h.md"},
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--command", required=True)
    parser.add_argument("--python", required=True)
    options = parser.parse_args()
    options.out = options.out.resolve()
    shutil.rmtree(options.out, ignore_errors=True)
    site = Site(options.out)
    site.write_pages()
    site.write_extra()
    here = Path(__file__).parent
    (site.out / "assets").mkdir()
    for name in ("site.css", "iframe-worker.js"):
        shutil.copyfile(here / name, site.out / "assets" / name)

    def of(*beginnings):
        return [name for name in site.sources if name.startswith(beginnings)]

    interfaces = reference(site, options.command, options.python)
    operations = of("src/")
    navigation = [
        {"Home": "README.md"},
        {"Guide": site.linked_from("docs/user/README.md")},
        {"Gallery": "docs/gallery/README.md"},
        {"Reference": ["reference/index.md", *interfaces, {"Operations": operations},
                       {"File formats": of("docs/schemas/")},
                       *[{"cv2 and scikit-image": n} for n in of("python/cuesta/compat/")]]},
        {"Results": site.linked_from("docs/results/README.md")},
        {"The climb": site.linked_from("docs/ladder/README.md")},
        {"Development": [
            *site.linked_from("docs/dev/README.md"),
            {"Decisions": site.linked_from("docs/dev/decisions/README.md")},
            *of("bench/", "emulation/"), "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md",
        ]},
    ]  # fmt: skip
    titles = "\n".join(f"- [{title(site, name)}](../{name})" for name in operations)
    site.write("reference/index.md", INDEX.format(operations=titles))
    config = (here / "mkdocs.yml").read_text(encoding="utf-8")
    (options.out / "mkdocs.yml").write_text(config + "nav: " + json.dumps(navigation) + "\n")


def title(site, name):
    return html.escape(re.search(r"(?m)^# (.+)$", site.sources[name])[1])


INDEX = """\
# Reference

| interface | made of |
| --- | --- |
| [Command](command/index.md) | the man page: every verb and option |
| [Python](python/index.md) | the docstrings of the package |
| [C++](cpp/index.md) | the public headers, `include/cuesta` |
| [C](cpp/cuesta_h.md) | `include/cuesta.h` |

The definition of an operation, with its borders, rounding and limits, is in its README:

{operations}
"""

if __name__ == "__main__":
    main()

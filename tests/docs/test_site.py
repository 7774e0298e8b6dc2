#!/usr/bin/env python3
"""The documentation site that scripts/docs builds: links and anchors resolve, nothing is loaded from
the network, and the search finds words; in a headless Chromium as well, where there is one.

    test_site.py FOLDER         the site
    test_site.py --self-test    that each fault is found

With CUESTA_DOCS_SHOTS=FOLDER pictures of some pages are written there.
"""

import html.parser
import json
import os
import re
import sys
import tempfile
import urllib.parse
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import browser

# Attributes whose address a browser loads by itself.
LOADED = {"src", "srcset", "poster", "data"}
LOADED_LINKS = {"stylesheet", "icon", "preload", "modulepreload", "preconnect", "dns-prefetch"}
# A page that each of these searches must list.
SEARCHES = {
    "--sigma": "command/edges",
    "resume": "",
    "median": "median",
    "cuesta_sobel": "cuesta_h",
    "hysteresis": "canny",
}
SHOWN = (
    "index.html",
    "docs/user/cameras-and-events.html",
    "docs/results/h200-production.html",
    "reference/command/edges.html",
    "reference/python/cuesta.html",
    "reference/cpp/edges.html",
)


class Page(html.parser.HTMLParser):
    """The ids of a page, what it links to, and what it loads."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loads = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = {name: value or "" for name, value in attributes}
        self.ids |= {found[name] for name in ("id", "name") if name in found}
        if tag == "link":
            kinds = LOADED_LINKS & set(found.get("rel", "").split())
            (self.loads if kinds else self.links).append(found.get("href", ""))
        elif "href" in found:
            self.links.append(found["href"])
        self.loads += [found[name].split()[0] for name in LOADED & found.keys() if found[name]]
        self.loads += re.findall(r"url\(([^)]*)\)", found.get("style", ""))


def is_external(address):
    return bool(re.match(r"(https?:)?//", address.strip("'\" ")))


def faults_of(folder):
    """Everything that is wrong with the files of a site."""
    pages = {p.resolve(): Page(p.read_text(encoding="utf-8")) for p in folder.rglob("*.html")}
    faults = []
    for path, page in pages.items():
        name = path.relative_to(folder.resolve())
        if name.name == "404.html":  # servers show it; its links begin at the root
            continue
        for address in page.loads:
            if is_external(address):
                faults.append(f"{name}: loads {address}")
        for address in {*page.links, *page.loads}:
            if is_external(address) or re.match(r"(mailto|data|javascript|https?):", address):
                continue
            part, _, anchor = address.partition("#")
            target = (path.parent / urllib.parse.unquote(part.partition("?")[0])).resolve()
            target = path if not part else target / "index.html" if target.is_dir() else target
            if not target.exists():
                faults.append(f"{name}: {address} leads nowhere")
            elif (
                anchor and target in pages and urllib.parse.unquote(anchor) not in pages[target].ids
            ):
                faults.append(f"{name}: {address} has no such anchor")
    for path in folder.rglob("*.css"):
        for address in re.findall(r"(?:url\(|@import\s+)([^);]*)", path.read_text("utf-8")):
            if is_external(address):
                faults.append(f"{path.relative_to(folder)}: loads {address}")
    index = folder / "search/search_index.js"
    if not index.is_file():
        return [*faults, "there is no search/search_index.js, which searches from disk"]
    documents = json.loads(index.read_text("utf-8").partition("=")[2])["docs"]
    for word, place in SEARCHES.items():
        if not any(word in d["text"] + d["title"] and place in d["location"] for d in documents):
            faults.append(f"the search index has no '{word}' in a page named '{place}'")
    return faults


def search_in_a_browser(folder):
    """Opens the site from disk and searches as a reader does."""
    address = folder.resolve().as_uri()
    with browser.Browser() as page:
        for word, place in SEARCHES.items():
            page.open("about:blank")
            page.open(f"{address}/index.html")
            page.wait(
                "document.readyState === 'complete' && document.querySelector('.md-search__input') !== null"
            )
            page.run("document.querySelector('.md-search__input').focus()")
            page.type(word)
            page.key("End")  # the page searches when a key is released
            found = "[...document.querySelectorAll('.md-search-result__link')].map((a) => a.href)"
            page.wait(f"{found}.some((one) => one.includes({json.dumps(place)}))", 30)
        if shots := os.environ.get("CUESTA_DOCS_SHOTS"):
            page.run("new Promise((done) => setTimeout(done, 500))")
            page.screenshot(f"{shots}/search.png")
            for name in SHOWN:
                page.open(f"{address}/{name}")
                page.wait(f"document.readyState === 'complete' && location.href.includes('{name}')")
                page.run("new Promise((done) => setTimeout(done, 500))")
                page.screenshot(f"{shots}/{name.replace('/', '-')}.png")
        if page.complaints:
            raise SystemExit("the browser complains: " + "; ".join(page.complaints))


GOOD = {
    "index.html": '<h1 id="top">a</h1><a href="b/c.html#d">c</a><a href="#top">a</a>',
    "b/c.html": '<h2 id="d">d</h2><img src="../e.png"><link rel="stylesheet" href="../f.css">',
    "e.png": "",
    "f.css": "a { background: url(e.png) }",
    "search/search_index.js": "var __index = "
    + json.dumps(
        {"docs": [{"title": w, "text": "", "location": f"{p}.html"} for w, p in SEARCHES.items()]}
    ),
}
BAD = {
    "leads nowhere": ("index.html", '<a href="b/x.html">c</a>'),
    "no such anchor": ("index.html", '<a href="b/c.html#e">c</a>'),
    "loads https": ("index.html", '<script src="https://example.org/x.js"></script>'),
    "loads //": ("index.html", '<link rel="stylesheet" href="//example.org/x.css">'),
    "f.css: loads": ("f.css", "@import 'https://example.org/x.css';"),
    "no search/": ("search/search_index.js", None),
    "no 'median'": ("search/search_index.js", 'var __index = {"docs": []}'),
    "b/c.html: ../e.png leads nowhere": ("e.png", None),
}


def self_test():
    def faults(**changes):
        with tempfile.TemporaryDirectory() as name:
            for path, text in {**GOOD, **changes}.items():
                if text is not None:
                    (Path(name) / path).parent.mkdir(exist_ok=True)
                    (Path(name) / path).write_text(text, encoding="utf-8")
            return faults_of(Path(name))

    assert faults() == [], faults()
    for fault, (path, text) in BAD.items():
        found = faults(**{path: text})
        assert any(fault in one for one in found), (fault, found)
    print("self-test passed")


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    folder = Path(sys.argv[1])
    pages = len(list(folder.rglob("*.html")))
    faults = faults_of(folder)
    if pages < 100:
        faults.append(f"only {pages} pages")
    print("\n".join([*faults, f"{pages} pages, {len(faults)} faults"]))
    if faults:
        return 1
    if not browser.path():
        print("there is no Chromium: the search was not tried in a browser")
        return 0
    search_in_a_browser(folder)
    print("the search works from disk")
    return 0


if __name__ == "__main__":
    sys.exit(main())

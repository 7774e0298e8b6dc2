"""The one layout of tables: as plain text, as Markdown, and as one HTML page that needs no other file."""

from html import escape
from typing import NamedTuple


class Table(NamedTuple):
    """The first column is aligned left, the others right."""

    title: str
    head: list[str]
    rows: list[list[str]]


class Note(NamedTuple):
    text: str


def text(items):
    """Tables and notes for a terminal."""
    return "".join(
        item.text + "\n" if isinstance(item, Note) else text_table(item) for item in items
    )


def text_table(table):
    lines = [table.head, *table.rows]
    widths = [max(len(line[i]) for line in lines if i < len(line)) for i in range(len(table.head))]
    made = f"\n{table.title}\n"
    for line in lines:
        cells = [
            cell.rjust(width) if i else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(line, widths))
        ]
        made += ("  " + "  ".join(cells)).rstrip() + "\n"
    return made


def markdown(head, rows):
    return "\n".join(
        "| " + " | ".join(cells) + " |" for cells in [head, ["---"] * len(head), *rows]
    )


STYLE = """
body { font: 14px/1.4 system-ui, sans-serif; margin: 2em; color: #14171a; }
table { border-collapse: collapse; margin: 0 0 1.5em; }
caption { text-align: left; font-weight: 600; padding: 0.4em 0; }
th, td { padding: 2px 10px; text-align: right; border-bottom: 1px solid #e4e6e8; }
th:first-child, td:first-child { text-align: left; }
tr:hover td { background: #f2f6f9; }
svg { display: block; max-width: 100%; height: auto; margin: 0 0 1.5em; }
"""


def html(title, items, pictures=()):
    """A page of the same tables and notes, and of pictures as SVG. `pictures` are (name, svg)."""
    parts = [f"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{escape(title)}</title>\n"
             f"<style>{STYLE}</style>\n</head>\n<body>\n<h1>{escape(title)}</h1>"]  # fmt: skip
    for at, (_, svg) in enumerate(pictures):
        # Names inside a picture must not meet those of the others.
        parts.append(svg.replace('id="m', f'id="p{at}m').replace("url(#m", f"url(#p{at}m"))
    for item in items:
        if isinstance(item, Note):
            parts.append(f"<p>{escape(item.text.strip())}</p>")
            continue
        parts.append(f"<table>\n<caption>{escape(item.title)}</caption>")
        for tag, line in [("th", item.head), *(("td", row) for row in item.rows)]:
            parts.append(
                "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in line) + "</tr>"
            )
        parts.append("</table>")
    return "\n".join(parts) + "\n</body>\n</html>\n"

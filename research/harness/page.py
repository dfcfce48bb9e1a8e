"""A page of headings, paragraphs, tables, pictures and folds, as Markdown and as one self-contained HTML file."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from hedgerow.web import Html, document, tag


@dataclass(frozen=True)
class Heading:
    """A heading of a section."""

    text: str


@dataclass(frozen=True)
class Paragraph:
    """Plain text."""

    text: str


@dataclass(frozen=True)
class PageTable:
    """A table; the first column holds names, the others numbers."""

    head: Sequence[str]
    body: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Picture:
    """A PNG file beside the page, with what it shows in words."""

    file: Path
    caption: str


@dataclass(frozen=True)
class FoldedPart:
    """What is shown when its title is clicked."""

    title: str
    blocks: Sequence[Block]


Block = Heading | Paragraph | PageTable | Picture | FoldedPart


@dataclass(frozen=True)
class Page:
    """What is written."""

    title: str
    blocks: Sequence[Block]


def to_markdown(page: Page, folder: Path) -> str:
    """Return the page as Markdown for a file in `folder`; pictures are linked."""
    return "\n\n".join([f"# {page.title}", *(_markdown(block, folder) for block in page.blocks)]) + "\n"


def to_html(page: Page) -> str:
    """Return the page as HTML that needs no other file and no network."""
    body = "\n".join(_html(block) for block in page.blocks)
    return document(page.title, Html(f"{tag('h1', page.title)}\n{body}\n"), _STYLE)


def _markdown(block: Block, folder: Path) -> str:
    match block:
        case Heading(text):
            return f"## {text}"
        case Paragraph(text):
            return text
        case Picture(file, caption):
            return f"![{caption}]({file.relative_to(folder).as_posix()})\n\n*{caption}*"
        case PageTable():
            return table_text(block)
        case FoldedPart(title, blocks):
            inner = "\n\n".join(_markdown(each, folder) for each in blocks)
            # The attribute is for the site's Markdown, the blank lines are for others'.
            return f'<details markdown="1">\n<summary>{escape(title)}</summary>\n\n{inner}\n\n</details>'


def table_text(table: PageTable, *, to_the_right: bool = False) -> str:
    """Return a table as Markdown; with `to_the_right`, all columns but the first are aligned there."""
    rule = ["---", *["---:" if to_the_right else "---"] * (len(table.head) - 1)]
    rows = [table.head, rule, *table.body]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in rows)


def _html(block: Block) -> str:
    match block:
        case Heading(text):
            return f"<h2>{escape(text)}</h2>"
        case Paragraph(text):
            return "".join(f"<p>{_with_code(part)}</p>" for part in text.split("\n\n"))
        case Picture(file, caption):
            data = base64.b64encode(file.read_bytes()).decode()
            image = f'<img alt="{escape(caption)}" src="data:image/png;base64,{data}">'
            return f"<figure>{image}<figcaption>{escape(caption)}</figcaption></figure>"
        case PageTable(head, body):
            top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
            rows = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in body)
            return f'<div class="wide"><table><thead><tr>{top}</tr></thead><tbody>{rows}</tbody></table></div>'
        case FoldedPart(title, blocks):
            inner = "".join(_html(each) for each in blocks)
            return f"<details><summary>{escape(title)}</summary>{inner}</details>"


def _with_code(text: str) -> str:
    """Return escaped text in which what stands between backticks is code, and between stars is stressed."""
    marked = re.sub("`([^`]*)`", r"<code>\1</code>", escape(text))
    strong = re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", marked)
    return re.sub(r"\*([^*\s][^*]*)\*", r"<em>\1</em>", strong)


_STYLE = """
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 72rem; color: var(--ink); background: var(--paper);
  font: 16px/1.55 system-ui, sans-serif }
h1 { font-size: 1.7rem; line-height: 1.25 } h2 { margin-top: 2.2rem; font-size: 1.25rem }
p { max-width: 48rem } .wide { overflow-x: auto }
table { border-collapse: collapse; font-size: .88rem; font-variant-numeric: tabular-nums }
th, td { padding: .3rem .7rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap }
th:first-child, td:first-child, th:nth-child(2), td:nth-child(2) { text-align: left }
thead th { background: var(--soft); position: sticky; top: 0 } tbody tr:hover { background: var(--soft) }
figure { margin: 1.5rem 0 } img { max-width: 100%; height: auto; background: #fff; border-radius: 6px }
figcaption { color: var(--quiet); font-size: .9rem }
summary { margin: 1.2rem 0; font-weight: 600; cursor: pointer }
"""

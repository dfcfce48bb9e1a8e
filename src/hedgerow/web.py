"""Pages that need no other file and no network: markup in which text stays text, and the frame around a page.

Whatever is not `Html` already is escaped where it enters, in text and in attributes, so no text of a user can become
markup. Pages may run the scripts they were made with and load nothing: a policy in the page says so to the browser.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from html import escape

_VOID = frozenset({"br", "hr", "img", "input", "meta"})


class Html(str):
    """Markup; all other text is escaped when it becomes part of it."""

    __slots__ = ()


def tag(element: str, *children: str, **attributes: str | float | None) -> Html:
    """Return an element. `class_` is written `class`, `aria_label` `aria-label`; attributes of None are left out."""
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    if element in _VOID:
        return Html(f"<{element}{written}>")
    return Html(f"<{element}{written}>{''.join(map(as_html, children))}</{element}>")


def as_html(text: str) -> Html:
    """Return markup as it is and any other text escaped."""
    return text if isinstance(text, Html) else Html(escape(text))


def join(parts: Iterable[str], between: str = "") -> Html:
    """Return parts one after the other."""
    return Html(as_html(between).join(map(as_html, parts)))


def document(title: str, body: Html, style: str, scripts: Sequence[str] = ()) -> str:
    """Return a whole page; its scripts stand at its end and are the only ones that a browser will run."""
    head = [
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", http_equiv="Content-Security-Policy", content=_policy(scripts)),
        tag("title", title),
        tag("style", Html(COLORS + style)),
    ]
    ending = join(tag("script", Html(script)) for script in scripts)
    page = tag("html", tag("head", *head), Html("\n"), tag("body", body, ending), lang="en")
    return f"<!DOCTYPE html>\n{page}\n"


def _policy(scripts: Sequence[str]) -> str:
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests) or "'none'"
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


COLORS = """
:root { color-scheme: light dark; --ink: #1d2733; --paper: #fff; --line: #d9dee4; --soft: #f4f6f8; --quiet: #5b6773;
  --best: #1a7a4a; --trial: #8a97a5; --bad: #b3532f }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8ec; --paper: #14191f; --line: #343d47; --soft: #1c232b; --quiet: #9aa6b2;
    --best: #5fd39a; --trial: #7d8a98; --bad: #f0906a } }
"""

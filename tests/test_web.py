"""Markup: whatever is not markup already is escaped, in text and in attributes."""

from __future__ import annotations

import base64
import hashlib
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from hedgerow.web import Html, as_html, document, join, tag


class Reader(HTMLParser):
    """Collects what a browser would see."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.attributes: dict[str, str | None] = {}
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.attributes |= dict(attrs)

    def handle_data(self, data: str) -> None:
        self.text += data


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\x00")))
def test_text_comes_back_from_text_and_attribute(text: str) -> None:
    read = Reader(tag("p", text, title=text))
    assert read.elements == ["p"]
    assert read.text == text
    assert read.attributes == {"title": text}


def test_markup_is_kept_and_everything_else_is_escaped() -> None:
    assert tag("b", "<i>", Html("<i></i>")) == "<b>&lt;i&gt;<i></i></b>"
    assert join(["<", Html("<br>")], ", ") == "&lt;, <br>"
    assert as_html("a & b") == "a &amp; b"
    assert tag("input", type="range", aria_label='"', max=3, hidden=None) == (
        '<input type="range" aria-label="&quot;" max="3">'
    )
    assert isinstance(tag("p") + Html(""), str)
    assert tag("p", tag("p") + "<") == "<p>&lt;p&gt;&lt;/p&gt;&lt;</p>", "adding gives text, which is escaped again"


def test_a_page_lets_only_its_own_scripts_run() -> None:
    script = "document.title = 'x';"
    page = document("T <b>", tag("p", "x"), "p { margin: 0 }", [script])
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src &#x27;sha256-{digest}&#x27;" in page
    assert "default-src &#x27;none&#x27;" in page
    assert "<title>T &lt;b&gt;</title>" in page
    assert "script-src &#x27;none&#x27;" in document("T", tag("p"), "")

"""Every picture of the gallery has a page, a drawing and words; nothing in them is loaded from elsewhere."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from tests.docs.gallery import OUTPUT, PICTURES, _climb, _svg
from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_there_and_needs_nothing_else(name: str) -> None:
    text = (OUTPUT / f"{name}.svg").read_text(encoding="utf-8")
    ElementTree.fromstring(text)
    assert len(text) < 40_000
    assert not re.search(r"(?:href|src|url)\s*[=(]\s*[\"']?https?:", text)
    assert name == "live" or f"images/gallery/{name}.svg" in PAGE


def test_a_run_is_drawn_trial_by_trial() -> None:
    drawn = _svg("a < b", _climb([3.0, None, 1.0, 2.0], 1.0))
    ElementTree.fromstring(drawn)
    assert drawn.count("<circle") == 3
    assert drawn.count("l8 8m0-8l-8 8") == 1

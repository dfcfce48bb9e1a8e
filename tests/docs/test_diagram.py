"""The drawn diagram is the one that the code compiles."""

from __future__ import annotations

import runpy

import hedgerow as hr
from tests.docs.pages import ROOT

SCRIPT = runpy.run_path(str(ROOT / "docs" / "draw_diagram.py"))


def test_the_picture_is_the_diagram_of_its_example() -> None:
    feasible = hr.FeasibleSet(SCRIPT["SPACE"], SCRIPT["RULES"])
    drawn = SCRIPT["OUTPUT"].read_text(encoding="utf-8")
    assert drawn == SCRIPT["picture"](feasible), "run: python docs/draw_diagram.py"


def test_the_page_tells_the_example_that_is_drawn() -> None:
    page = (ROOT / "docs" / "internals.md").read_text(encoding="utf-8")
    assert all(text in page for text in SCRIPT["RULES"].values())

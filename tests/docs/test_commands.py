"""The page of commands is made from the parser: every verb with every option."""

from __future__ import annotations

import runpy
from pathlib import Path

from hedgerow.cli.main import VERBS

SCRIPT = runpy.run_path(str(Path(__file__).parents[2] / "docs" / "write_commands.py"))


def test_every_verb_and_its_options_are_on_the_page() -> None:
    page = SCRIPT["page"]()
    assert [line.removeprefix("## ") for line in page.splitlines() if line.startswith("## ")] == list(VERBS)
    assert "`hedgerow explain FILE POINT [options]`" in page
    assert "| `--workers N` | " in page
    assert "None" not in page

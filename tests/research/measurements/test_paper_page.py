"""The tables of the page on the paper are those of the rows."""

from pathlib import Path

import pytest

from hedgerow.errors import HedgerowError
from research.measurements.paper_page import TABLES, filled, table_of

ROOT = Path(__file__).parents[3]


def test_the_page_holds_what_the_rows_say() -> None:
    text = (ROOT / "docs" / "paper.md").read_text(encoding="utf-8")
    assert filled(text, ROOT / "docs" / "results") == text


def test_all_but_the_blocks_is_left_alone(tmp_path: Path) -> None:
    text = "before\n<!-- rows: variants -->\nold\n<!-- end of rows -->\nafter"
    new = filled(text, tmp_path)
    assert new.startswith("before\n<!-- rows: variants -->\n\n| task |")
    assert new.endswith("\n<!-- end of rows -->\nafter")
    assert "old" not in new


def test_an_unknown_table_is_named(tmp_path: Path) -> None:
    with pytest.raises(HedgerowError, match="no table 'varaints'"):
        table_of("varaints", tmp_path)
    assert set(TABLES) == {"variants", "best-ranks", "starts", "rivals", "choice"}

"""Two versions of the source are compared ask by ask."""

from pathlib import Path

import pytest

import hedgerow as hr
from research.measurements.same_suggestions.__main__ import digests, show
from research.measurements.same_suggestions.ask import asked, digest
from research.measurements.same_suggestions.cases import cases


def test_twenty_problems_have_different_names() -> None:
    assert len({case.name for case in cases()}) == len(cases()) >= 20


def test_asked_points_keep_the_rules_and_end_with_the_set() -> None:
    case = next(case for case in cases() if case.name == "exhausted")
    points = asked(case, "random", 0)
    assert len({digest([point]) for point in points}) == len(points) == hr.FeasibleSet(case.space, case.rules).count


def test_a_difference_is_shown_with_the_ask_where_it_begins(capsys: pytest.CaptureFixture[str]) -> None:
    before = {"auto grid 0": {"all": "aa", "each": ["1", "2", "3"]}, "auto line 0": {"all": "bb", "each": ["1"]}}
    now = {"auto grid 0": {"all": "cc", "each": ["1", "4", "3"]}, "auto line 0": {"all": "bb", "each": ["1"]}}
    assert show(before, now) == 1
    printed = capsys.readouterr().out
    assert "differ from ask 2" in printed
    assert "1 of 2 runs equal" in printed
    assert show(now, now) == 0


def test_a_folder_without_the_package_is_named(tmp_path: Path) -> None:
    with pytest.raises(hr.HedgerowError, match="neither a source tree"):
        digests(tmp_path, 1)

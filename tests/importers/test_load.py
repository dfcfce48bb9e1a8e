"""What all importers share: one table of formats, errors that name the file, problem files that say the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hedgerow import Categorical, ProblemFileError, Rule
from hedgerow.expressions import Fold, Name
from hedgerow.importers import FORMATS, Reading, load
from hedgerow.importers.imported import assembled
from tests.importers.models import as_cnf, as_uvl, as_xml, feasible, random_model

MODEL = random_model(1, with_cardinalities=False)
T1 = {"ConfigurationSpace": {"TuningParameters": [{"Name": "x", "Values": "[1, 2]"}], "Conditions": []}}
TEXTS = {
    "t1": json.dumps(T1),
    "configspace": json.dumps({"hyperparameters": [{"type": "uniform_float", "name": "x", "lower": 0, "upper": 1}]}),
    "spl": as_xml(MODEL),
    "uvl": as_uvl(MODEL),
    "dimacs": as_cnf(MODEL),
    "smt": "(declare-const x Int)(assert (<= 1 x 3))(assert (not (= x 2)))",
    "baco": json.dumps({"input_parameters": {"x": {"parameter_type": "real", "values": [0, 1]}}}),
    "baybe": json.dumps(
        {"parameters": [{"type": "NumericalContinuousParameter", "name": "x", "bounds": {"lower": 0, "upper": 1}}]}
    ),
    "bofire": json.dumps({"inputs": {"features": [{"type": "ContinuousInput", "key": "x", "bounds": [0, 1]}]}}),
    "ax": json.dumps(
        {"search_space": {"parameters": [{"__type": "RangeParameter", "name": "x", "lower": 0, "upper": 1}]}}
    ),
    "csv": "x,time\n1,0.5\n2,0.7\n",
}


@pytest.mark.parametrize("kind", FORMATS)
def test_every_format_is_loaded_by_its_name(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "file.any"
    path.write_text(TEXTS[kind], encoding="utf-8")
    imported = load(kind, path)
    if imported.space.reals:
        assert feasible(imported, through_toml=True).space == imported.space
        assert feasible(imported).volume == (1.0, 1.0)
        return
    assert feasible(imported).count == feasible(imported, through_toml=True).count >= 2


@pytest.mark.parametrize("kind", ["configspace", "baco", "baybe", "bofire", "ax"])
def test_continuous_ranges_get_the_levels_asked_for(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_text(TEXTS[kind], encoding="utf-8")
    assert load(kind, path, Reading(levels=5)).space.size == 5


@pytest.mark.parametrize("kind", FORMATS)
def test_errors_name_the_file(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "broken.any"
    path.write_text("\x00 <&", encoding="utf-8")
    with pytest.raises(ProblemFileError, match=r"broken\.any"):
        load(kind, path)
    with pytest.raises(ProblemFileError, match=r"none\.any' cannot be opened"):
        load(kind, tmp_path / "none.any")
    with pytest.raises(ProblemFileError, match="cannot be opened"):
        load(kind, tmp_path)


def test_an_unknown_format_is_told() -> None:
    with pytest.raises(ProblemFileError, match="There is no format 'dimac'; did you mean 'dimacs'"):
        load("dimac", "x")


def test_notes_are_comments_whatever_they_say() -> None:
    imported = assembled(
        "a\nb", {"x": [1, 2]}, [Rule("x > 1", "r"), Rule("x < 3", "r")], ["new\nline [rules]\x00"], ["lost\r[space]"]
    )
    text = imported.to_toml()
    assert text.startswith("# a b, imported")
    assert "# NOT REPRESENTED: lost [space]\n# Note: new line [rules]?\n" in text
    assert feasible(imported, through_toml=True).count == 1


def test_text_that_no_file_can_hold_is_refused() -> None:
    imported = assembled("a", {"x": Categorical(["\ud800", "b"])}, [])
    with pytest.raises(ProblemFileError, match="not valid Unicode"):
        imported.to_toml()


def test_a_rule_that_no_file_can_hold_is_refused() -> None:
    names = [f"a_rather_long_name_for_a_variable_{number}" for number in range(1_000)]
    wide = Rule(Fold("or", tuple(Name(name) for name in names)), "wide")
    imported = assembled("a", dict.fromkeys(names, bool), [wide])
    with pytest.raises(ProblemFileError, match=r"Rule 'wide' is [\d,]+ characters long"):
        imported.to_toml()

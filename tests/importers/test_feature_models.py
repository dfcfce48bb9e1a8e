"""Feature models in three formats: points and configurations are in one-to-one correspondence."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hedgerow import ProblemFileError
from hedgerow.importers import Imported, read_dimacs, read_spl, read_uvl
from tests.importers.models import Model, as_cnf, as_uvl, as_xml, feasible, random_model, selections

FORMATS: dict[str, tuple[Callable[[str], Imported], Callable[[Model], str], bool]] = {
    "uvl": (read_uvl, as_uvl, True),
    "spl": (read_spl, as_xml, False),
    "dimacs": (read_dimacs, as_cnf, False),
}


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("seed", range(40))
def test_points_are_the_configurations(kind: str, seed: int) -> None:
    read, write, with_cardinalities = FORMATS[kind]
    model = random_model(seed, with_cardinalities)
    expected = model.selections()
    try:
        imported = read(write(model))
    except ProblemFileError as error:
        # Where every feature is fixed there is nothing to vary.
        assert "at least one variable" in str(error)
        assert len(expected) <= 1
        return
    found = selections(imported)
    assert len(found) == len(expected)
    assert set(found) == expected
    assert imported.missing == ()
    assert feasible(imported, through_toml=True).count == len(expected)


def test_every_feature_of_the_file_has_a_meaning() -> None:
    model = random_model(3)
    assert set(read_uvl(as_uvl(model)).meanings) == set(model.features)


def test_an_alternative_is_one_variable_and_its_optional_parent_none() -> None:
    text = "features\n  car\n    optional\n      radio\n        alternative\n          fm\n          dab\n"
    imported = read_uvl(text)
    assert list(imported.space) == ["radio"]
    assert imported.space.slots[0].variable.values == ("none", "fm", "dab")
    assert imported.rules == ()
    assert imported.original({"radio": "dab"}) == {"car": True, "radio": True, "fm": False, "dab": True}
    assert imported.original({"radio": "none"}) == {"car": True, "radio": False, "fm": False, "dab": False}


def test_alternatives_that_differ_in_a_number_are_ordered_by_it() -> None:
    text = "features\n  cache\n    alternative\n      kb_64\n      kb_8\n      kb_512\n"
    variable = read_uvl(text).space.slots[0].variable
    assert variable.is_ordered
    assert variable.values == ("kb_8", "kb_64", "kb_512")


def test_mandatory_features_need_no_variable() -> None:
    text = "features\n  a\n    mandatory\n      b\n        mandatory\n          c\n    optional\n      d\n"
    imported = read_uvl(text)
    assert list(imported.space) == ["d"]
    assert any("always selected: a, b, c" in note for note in imported.notes)

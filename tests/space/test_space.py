"""A space checks its names, lays vectors out as slots, and knows its size exactly."""

from __future__ import annotations

import pytest
from hypothesis import given

from hedgerow import Categorical, Integer, Space, SpaceError, Vector
from tests.strategies import examples, size_of, spaces


@examples(60)
@given(spaces())
def test_size_is_the_product_of_the_domains(space: Space) -> None:
    assert space.size == size_of(space)
    assert len(space.slots) == len(space.sizes)


def test_slots_follow_the_order_given_with_vectors_unrolled() -> None:
    space = Space({"b": bool, "x": Vector([1, 2], 3), "a": ["p", "q"]})
    assert [slot.name for slot in space.slots] == ["b", "x[0]", "x[1]", "x[2]", "a"]
    assert space.sizes == (2, 2, 2, 2, 2)
    assert space.first_slot == {"b": 0, "x": 1, "a": 4}


def test_size_is_exact_beyond_machine_numbers() -> None:
    assert Space({"x": Vector(Integer(1, 7), 500)}).size == 7**500


@pytest.mark.parametrize("name", ["1x", "a b", "a-b", "", "x.y", "x[0]", "a\n", "√"])
def test_a_name_that_rules_cannot_mention_is_refused(name: str) -> None:
    with pytest.raises(SpaceError, match="is not a name that a rule could mention"):
        Space({name: bool})


@pytest.mark.parametrize("name", ["and", "if", "in", "lambda", "None", "True", "not"])
def test_a_keyword_is_refused_as_a_name(name: str) -> None:
    with pytest.raises(SpaceError, match="is a word of the rule language"):
        Space({name: bool})


def test_a_name_that_python_would_rewrite_is_refused() -> None:
    with pytest.raises(SpaceError, match="reads as 'fi'"):
        Space({"ﬁ": bool})


def test_a_name_must_be_text() -> None:
    with pytest.raises(SpaceError, match="must be text, but 3 was given"):
        Space({3: bool})  # type: ignore[dict-item]


def test_letters_of_any_script_are_allowed_in_names() -> None:
    assert "größe" in Space({"größe": [1, 2], "角度": bool})


def test_an_empty_space_is_refused() -> None:
    with pytest.raises(SpaceError, match="needs at least one variable"):
        Space({})


def test_a_list_is_not_a_space() -> None:
    with pytest.raises(SpaceError, match="takes a dict of names and domains, but list was given"):
        Space([("a", bool)])  # type: ignore[arg-type]


def test_an_unknown_variable_suggests_the_near_one() -> None:
    with pytest.raises(SpaceError, match=r"no variable 'blok_x'; did you mean 'block_x'\?"):
        Space({"block_x": [1], "tile": [2]})["blok_x"]


def test_spaces_are_equal_when_their_variables_are() -> None:
    assert Space({"a": [1, 2]}) == Space({"a": [2, 1]})
    assert hash(Space({"a": [1, 2]})) == hash(Space({"a": [2, 1]}))
    assert Space({"a": [1, 2]}) != Space({"a": Categorical([1, 2])})
    assert Space({"a": bool, "b": bool}) != Space({"b": bool, "a": bool})


def test_the_variables_of_a_space_cannot_be_changed() -> None:
    space = Space({"a": [1, 2]})
    with pytest.raises(TypeError):
        space.variables["b"] = Integer(1, 2)  # type: ignore[index]
    assert list(space) == ["a"]
    assert len(space) == 1


def test_a_long_space_is_shown_in_short() -> None:
    assert repr(Space({f"v{i}": bool for i in range(100)})).endswith("...})")

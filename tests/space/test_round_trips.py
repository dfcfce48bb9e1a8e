"""JSON and TOML give back the same space, whatever the text in it; malformed files are refused with the reason."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow import Categorical, Integer, Ordinal, ProblemFileError, Real, Space, SpaceError, Vector
from hedgerow.space import Levels, Variable
from tests.strategies import examples, spaces

odd_text = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=6),
    st.sampled_from(
        [
            '"',
            "'",
            '"""',
            "'''",
            "\\",
            "\\n",
            "\n",
            "\r\n",
            "\t",
            "\x00",
            "\x7f",
            "\x85",
            "\u2028",
            "",
            "#",
            "[",
            "é",
            "🌳",
            "a = 1",
        ]
    ),
)
odd_floats = st.floats(allow_nan=False, allow_infinity=False)
odd_variables: st.SearchStrategy[Variable | Vector] = st.one_of(
    st.lists(odd_text, min_size=1, max_size=5, unique=True).map(Categorical),
    st.lists(odd_text, min_size=1, max_size=5, unique=True).map(Ordinal),
    st.lists(st.one_of(odd_text, st.integers(), odd_floats), min_size=1, max_size=5, unique=True).map(Categorical),
    st.lists(st.integers(), min_size=1, max_size=5, unique=True).map(Levels),
    st.lists(odd_floats, min_size=1, max_size=5, unique=True).map(Levels),
    st.builds(lambda e, n: Vector(Categorical(e), n), st.lists(odd_text, min_size=1, unique=True), st.integers(1, 9)),
)
odd_names = st.one_of(
    st.sampled_from(["größe", "角度", "x", "_", "sum"]), st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True)
)


def typed(space: Space) -> list[tuple[str, str]]:
    """Names and values with their types: 1, 1.0 and True are equal but not the same."""
    return [(slot.name, repr((type(slot.variable), slot.variable.values))) for slot in space.slots]


@examples(100)
@given(spaces())
def test_json_gives_back_the_space(space: Space) -> None:
    assert typed(Space.from_json(space.to_json())) == typed(space)
    assert Space.from_json(space.to_json()) == space


@examples(100)
@given(spaces())
def test_toml_gives_back_the_space(space: Space) -> None:
    assert typed(Space.from_toml(space.to_toml())) == typed(space)
    assert Space.from_toml(space.to_toml()) == space


@examples(200)
@given(st.dictionaries(odd_names, odd_variables, min_size=1, max_size=3))
def test_odd_values_survive_both_forms(variables: dict[str, Variable | Vector]) -> None:
    try:
        space = Space(variables)
    except SpaceError:  # a name that happens to be a keyword
        return
    assert typed(Space.from_json(space.to_json())) == typed(space)
    assert typed(Space.from_toml(space.to_toml())) == typed(space)


def test_the_form_of_problem_files_is_read() -> None:
    space = Space.from_toml(
        """
        [space]
        block_x = [16, 32, 64, 128, 256]
        block_y = { type = "integer", low = 1, high = 16 }
        padding = { type = "boolean" }
        kernel  = { type = "categorical", values = ["naive", "tiled", "tensor"] }
        rate    = { type = "real", low = 0.001, high = 1.0, levels = 4, log = true }
        dna     = { type = "vector", length = 3, of = ["A", "C"] }
        """
    )
    expected = {
        "block_x": [16, 32, 64, 128, 256],
        "block_y": Integer(1, 16),
        "padding": bool,
        "kernel": Categorical(["naive", "tiled", "tensor"]),
        "rate": Real(0.001, 1.0, 4, log=True),
        "dna": Vector(["A", "C"], 3),
    }
    assert space == Space(expected)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"low": 1}, "Variable 'x': The key 'type' is missing"),
        ({"type": "intger", "low": 1, "high": 2}, "There is no type 'intger'; did you mean 'integer'?"),
        ({"type": "integer", "low": 1}, "The type 'integer' needs the key 'high'"),
        ({"type": "integer", "low": 1, "hihg": 2}, "has no key 'hihg'; did you mean 'high'?"),
        ({"type": "integer", "low": "1", "high": 2}, "low is '1'"),
        ({"type": "categorical", "values": "abc"}, "takes a list of values"),
        ({"type": "categorical", "values": []}, "is empty"),
        ({"type": "vector", "length": 2, "of": {"type": "vector", "length": 2, "of": [1]}}, "cannot hold vectors"),
        ([], "The list of values is empty"),
        (None, "A domain cannot be None"),
        (3, "A domain cannot be 3"),
    ],
)
def test_a_malformed_variable_is_refused_by_name(spec: object, message: str) -> None:
    with pytest.raises(SpaceError) as caught:
        Space.from_dict({"x": spec})
    assert message in str(caught.value)
    assert "Variable 'x'" in str(caught.value)


def test_a_type_that_is_no_text_is_refused() -> None:
    with pytest.raises(SpaceError):
        Space.from_dict({"x": {"type": ["integer"]}})


@pytest.mark.parametrize("text", ["", "{", "[1, 2]", "null", '"x"', "{'x': 1}"])
def test_malformed_json_is_refused(text: str) -> None:
    with pytest.raises(SpaceError):
        Space.from_json(text)


@pytest.mark.parametrize("text", ["[space\nx = 1", "x = 1 = 2", "x = @"])
def test_malformed_toml_names_the_line(text: str) -> None:
    with pytest.raises(ProblemFileError, match="line 1"):
        Space.from_toml(text)


def test_toml_without_a_space_is_refused() -> None:
    with pytest.raises(SpaceError, match=r"no \[space\] table"):
        Space.from_toml("[rules]\na = 'x > 1'\n")

"""Points to codes and back, and what is said about points that do not fit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from hedgerow import Categorical, Integer, Ordinal, PointError, Real, Space, Vector
from hedgerow.space import decode, encode, encode_many
from tests.oracles import BruteForce, frozen
from tests.strategies import examples, spaces

SPACE = Space(
    {
        "block_x": [16, 32, 64],
        "block_y": Integer(1, 16),
        "padding": bool,
        "kernel": ["naive", "tiled"],
        "size": Ordinal(["small", "large"]),
        "share": Real(0, 1, 11),
        "dna": Vector(["A", "C", "G", "T"], 3),
    }
)
POINT = {
    "block_x": 32,
    "block_y": 4,
    "padding": True,
    "kernel": "tiled",
    "size": "small",
    "share": 0.3,
    "dna": ["G", "A", "T"],
}


@examples(60)
@given(spaces())
def test_codes_and_points_are_two_names_of_the_same(space: Space) -> None:
    brute = BruteForce(space)
    rows = encode_many(space, brute.points)
    assert rows.tolist() == [list(row) for row in brute.rows]
    assert [frozen(decode(space, row)) for row in rows] == [frozen(point) for point in brute.points]


def test_no_points_are_no_rows() -> None:
    assert encode_many(SPACE, []).shape == (0, 9)


def test_order_of_keys_does_not_matter() -> None:
    assert encode(SPACE, dict(reversed(POINT.items()))).tolist() == encode(SPACE, POINT).tolist()


@pytest.mark.parametrize(
    "change",
    [
        {"share": 0.1 + 0.2},
        {"share": np.float64(0.3)},
        {"block_x": 32.0},
        {"block_x": np.int32(32)},
        {"padding": 1},
        {"padding": np.bool_(True)},
        {"dna": "GAT"},
        {"dna": np.array(["G", "A", "T"])},
        {"dna": ("G", "A", "T")},
    ],
)
def test_the_same_value_in_another_guise_is_understood(change: dict[str, Any]) -> None:
    assert encode(SPACE, POINT | change).tolist() == encode(SPACE, POINT).tolist()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"block_x": 33}, "block_x = 33 is not in its domain [16, 32, 64]"),
        ({"block_x": "32"}, "block_x = '32' is not in its domain"),
        ({"block_x": None}, "block_x = None is not in its domain"),
        ({"block_x": [32]}, "block_x = [32] is not in its domain"),
        ({"block_x": math.nan}, "block_x = nan is not in its domain"),
        ({"block_y": 17}, "of 16 values from 1 to 16 (nearest is 16)"),
        ({"block_y": True}, "block_y = True is not in its domain"),
        ({"block_y": math.inf}, "block_y = inf is not in its domain"),
        ({"padding": "yes"}, "padding = 'yes' is not in its domain [False, True]"),
        ({"kernel": "fast"}, "kernel = 'fast' is not in its domain ['naive', 'tiled']"),
        ({"size": 0}, "size = 0 is not in its domain ['small', 'large']"),
        ({"dna": "GATT"}, "dna is a vector of 3 values, but 4 were given"),
        ({"dna": []}, "dna is a vector of 3 values, but 0 were given"),
        ({"dna": "GAX"}, "dna[2] = 'X' is not in its domain"),
        ({"dna": 5}, "dna is a vector of 3 values, but 5 was given. Give a list."),
        ({"dna": {"G", "A", "T"}}, "Give a list"),
        ({"blok_x": 1}, "a value for 'blok_x', which is not in the space; did you mean 'block_x'?"),
        ({7: 1}, "a value for '7', which is not in the space"),
    ],
)
def test_what_does_not_fit_is_named(change: dict[Any, Any], message: str) -> None:
    with pytest.raises(PointError) as caught:
        encode(SPACE, POINT | change)
    assert message in str(caught.value)


def test_missing_variables_are_listed() -> None:
    with pytest.raises(PointError, match=r"The point lacks 'padding', 'kernel'\. Give a value for every variable"):
        encode(SPACE, {name: value for name, value in POINT.items() if name not in ("padding", "kernel")})


def test_many_missing_variables_are_summed_up() -> None:
    with pytest.raises(PointError, match="and 2 more"):
        encode(SPACE, {})


@pytest.mark.parametrize("point", [None, [1, 2], "abc", 3, (("block_x", 32),)])
def test_a_point_must_be_a_dict(point: Any) -> None:
    with pytest.raises(PointError, match="A point is a dict of names and values, but"):
        encode(SPACE, point)


def test_a_number_beyond_every_float_is_out_of_domain() -> None:
    with pytest.raises(PointError, match="is not in its domain"):
        encode(Space({"y": Integer(1, 16)}), {"y": 10**400})


def test_a_float_is_compared_with_levels_beyond_every_float() -> None:
    with pytest.raises(PointError, match="is not in its domain"):
        encode(Space({"y": [5, 10**400]}), {"y": 5.5})


def test_many_mixed_categories_have_no_nearest_number() -> None:
    with pytest.raises(PointError, match="is not in its domain"):
        encode(Space({"y": Categorical([*range(12), "a"])}), {"y": 99})


def test_a_float_between_close_levels_goes_to_the_nearest() -> None:
    space = Space({"y": [1.0, 1.0000000001]})
    assert encode(space, {"y": 1.00000000009}).tolist() == [1]


def test_a_fraction_is_not_a_whole_number() -> None:
    with pytest.raises(PointError):
        encode(Space({"y": [10**10, 10**10 + 1]}), {"y": 1e10 + 0.5})

"""BaCO scenarios: kinds of parameter, constraints in NumExpr's syntax, permutations, and errors."""

from __future__ import annotations

import json
import random
from itertools import permutations, product
from typing import Any

import pytest

from hedgerow import Categorical, Integer, ProblemFileError, Real, Vector
from hedgerow.importers import read_baco
from hedgerow.space import Levels
from tests.importers.models import feasible


def scenario(**parameters: dict[str, Any]) -> str:
    return json.dumps({"application_name": "toy", "input_parameters": parameters})


def parameter(kind: str, values: Any, **more: Any) -> dict[str, Any]:
    return {"parameter_type": kind, "values": values, **more}


def test_each_kind_of_parameter_becomes_its_variable() -> None:
    imported = read_baco(
        scenario(
            tile=parameter("ordinal", [8, 2, 4], transform="log"),
            n=parameter("integer", [1, 5]),
            rate=parameter("real", [0.01, 1], transform="log"),
            kind=parameter("categorical", ["a", "b"], prior=[0.2, 0.8]),
            order=parameter("permutation", [3]),
            long=parameter("integer", [0, 10**7]),
        ),
        levels=5,
    )
    assert imported.name == "toy"
    variables = imported.space.variables
    assert variables["tile"] == Levels([2, 4, 8])
    assert variables["n"] == Integer(1, 5)
    assert variables["rate"] == Real(0.01, 1, 5, log=True)
    assert variables["kind"] == Categorical(["a", "b"])
    assert variables["order"] == Vector(Integer(0, 2), 3)
    assert variables["long"] == Levels([0, 2_500_000, 5_000_000, 7_500_000, 10_000_000])
    notes = "\n".join(imported.notes)
    assert "'rate' takes 5 of the values from 0.01 to 1 on a logarithmic scale" in notes
    assert "prior of 'kind' is not used" in notes


def test_constraints_mean_what_they_mean_to_arrays() -> None:
    imported = read_baco(
        scenario(
            a=parameter("ordinal", [1, 2, 3, 4], constraints=["((a < b) & (a != 2)) | ~(b > 2)"], dependencies=["b"]),
            b=parameter("integer", [1, 4], constraints=["where(a > 2, b % 2 == 0, b >= a)"]),
        )
    )
    expected = {
        (a, b)
        for a, b in product(range(1, 5), repeat=2)
        if ((a < b and a != 2) or not b > 2) and (b % 2 == 0 if a > 2 else b >= a)
    }
    assert {(point["a"], point["b"]) for point in feasible(imported)} == expected
    assert feasible(imported, through_toml=True).count == len(expected)


def test_permutations_are_constrained_by_element_and_by_place() -> None:
    text = "((p_1 != 1) & (p_i2 < p_i4) & (p_i0 < p_i2)) | ((p_i4 < p_i2) & (p_i1 < p_i4))"
    imported = read_baco(scenario(p=parameter("permutation", [5], constraints=[text], parametrization="spearman")))
    expected = {
        p
        for p in permutations(range(5))
        if (p[1] != 1 and p.index(2) < p.index(4) and p.index(0) < p.index(2))
        or (p.index(4) < p.index(2) and p.index(1) < p.index(4))
    }
    assert {tuple(imported.original(point)["p"]) for point in feasible(imported)} == expected
    assert feasible(imported, through_toml=True).count == len(expected)


def test_a_function_without_a_counterpart_is_listed() -> None:
    imported = read_baco(scenario(a=parameter("integer", [1, 4], constraints=["sqrt(a) < 2", "a < 4"])))
    assert len(imported.rules) == 1
    assert "constraint 1 of parameter 'a', 'sqrt(a) < 2'" in imported.missing[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "The file lacks the key 'input_parameters'"),
        ('{"input_parameters": {"a": 1, "a": 2}}', "The key 'a' is given twice"),
        ('{"input_parameters": {"a": {"values": NaN}}}', "NaN is no value"),
        (scenario(), "at least one variable"),
        (scenario(a=parameter("integral", [1, 2])), "is 'integral'; did you mean 'integer'"),
        (scenario(a=parameter("integer", [1, 2.5])), "'values' of parameter 'a': two whole numbers are needed"),
        (scenario(a=parameter("real", [0, 10**400])), "bounds are not finite numbers"),
        (scenario(a=parameter("ordinal", [0.5, 10**400])), "which no float can hold"),
        (scenario(a=parameter("real", [3, 1])), "upper bound 1 is below its lower bound 3"),
        (scenario(a=parameter("real", [0, 1], transform="log")), "a logarithmic scale needs a lower bound above zero"),
        (scenario(a=parameter("permutation", [1000])), "1000 elements cannot be permuted"),
        (scenario(a=parameter("ordinal", [])), "The list of values is empty"),
        (
            scenario(a=parameter("integer", [1, 2], constraints="a > 1")),
            "'constraints' of parameter 'a' should be a",
        ),
        (scenario(a=parameter("integer", [1, 2], constraints=[3])), "constraint 1 of parameter 'a' should be text"),
        (scenario(a=parameter("integer", [1, 2], constraints=["a >"])), "constraint 1 of parameter 'a': 'a >' cannot"),
        (scenario(a=parameter("integer", [1, 2], constraints=["b > 1"])), "Rule 'a 1': There is no variable 'b'"),
        (scenario(a=parameter("integer", [1, 2], constraints=["a > 1 & a < 2"])), "would work on the bits of numbers"),
        (scenario(a=parameter("integer", [1, 2], constraints=["a & 1 == 1"])), "would work on the bits of numbers"),
        (scenario(a=parameter("integer", [1, 2], constraints=["a.__class__ == 1"])), "Attribute access is not allowed"),
    ],
)
def test_a_mistake_is_told_with_its_place(text: str, message: str) -> None:
    with pytest.raises(ProblemFileError, match=message):
        read_baco(text)


def random_condition(rng: random.Random, depth: int) -> str:
    if depth == 0:
        left, right = (rng.choice(("a", "b", "2", "p_0", "p_2", "p_i1", "(a * b)", "(a % 3)")) for _ in range(2))
        return f"({left} {rng.choice(('<', '<=', '==', '!=', '>', '>='))} a + {right} / 2)"
    inner = [random_condition(rng, depth - 1) for _ in range(3)]
    shapes = ("({0} & {1} & {2})", "({0} | {1})", "~({0} | {2})", "where({0}, {1}, {2})", "({0} | {1} & {2})")
    return rng.choice(shapes).format(*inner)


def test_random_constraints_hold_where_numexpr_says_so() -> None:
    numexpr = pytest.importorskip("numexpr")
    rows = [(a, b, p) for a, b in product(range(-1, 4), repeat=2) for p in permutations(range(3))]
    columns: dict[str, list[Any]] = {"a": [row[0] for row in rows], "b": [row[1] for row in rows]}
    for place in range(3):
        columns[f"p_{place}"] = [row[2][place] for row in rows]
        columns[f"p_i{place}"] = [row[2].index(place) for row in rows]
    for seed in range(40):
        text = random_condition(random.Random(seed), depth=2)
        holds = numexpr.evaluate(text, columns)
        bounds = {"a": parameter("integer", [-1, 3]), "b": parameter("integer", [-1, 3])}
        imported = read_baco(scenario(**bounds, p=parameter("permutation", [3], constraints=[text])))
        found = {(point["a"], point["b"], tuple(point["p"])) for point in feasible(imported)}
        assert found == {row for row, is_held in zip(rows, holds, strict=True) if is_held}, text

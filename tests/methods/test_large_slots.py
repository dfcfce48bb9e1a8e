"""Slots of hundreds of codes, of which a search sees some: suggestions keep the rules, differ, and survive a resume."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import hedgerow as hr
from hedgerow.methods import CATD, Method
from hedgerow.space import Point
from tests.oracles import time_limit

N_TRIALS = 8

# Space, rules, the same rules in plain Python, and whether they fit into the diagram.
CASES: dict[str, tuple[hr.Space, list[str], Callable[[Point], bool], bool]] = {
    "a fixed sum": (
        hr.Space({"x": hr.Vector(hr.Integer(0, 299), 5)}),
        ["sum(x) == 700", "x[0] <= x[1]"],
        lambda point: sum(point["x"]) == 700 and point["x"][0] <= point["x"][1],
        True,
    ),
    "many names": (
        hr.Space({f"c{k}": hr.Categorical([f"v{i}" for i in range(200)]) for k in range(4)}),
        ["c0 != c1", "c2 == c3"],
        lambda point: point["c0"] != point["c1"] and point["c2"] == point["c3"],
        True,
    ),
    "rare products": (
        hr.Space({"a": hr.Integer(1, 500), "b": hr.Integer(1, 500), "c": hr.Integer(1, 2000), "d": hr.Integer(0, 99)}),
        ["a * b == c * 3"],
        lambda point: point["a"] * point["b"] == point["c"] * 3,
        False,
    ),
}


def value(point: Point) -> float:
    return float(sum(hash_free(item) for item in point.values()))


def hash_free(item: object) -> float:
    """A number from a value, the same in every process."""
    if isinstance(item, tuple | list):
        return float(sum((i + 1) * hash_free(part) for i, part in enumerate(item)))
    return float(str(item).lstrip("v")) % 97.0


@pytest.mark.parametrize("method", ["auto", CATD("cp", 2, max_epochs=30)], ids=["auto", "catd"])
@pytest.mark.parametrize("name", CASES)
def test_suggestions_keep_the_rules_differ_and_are_the_same_after_a_resume(name: str, method: str | Method) -> None:
    space, texts, is_right, fits = CASES[name]
    with time_limit(120):
        optimizer = hr.Optimizer(space, texts, seed=3, method=method)
        assert optimizer.feasible.is_exact == fits
        asked: list[Point] = []
        for _ in range(N_TRIALS):
            asked.append(optimizer.ask())
            optimizer.tell(asked[-1], value(asked[-1]))
        assert all(is_right(point) for point in asked)
        assert len({repr(point) for point in asked}) == N_TRIALS
        resumed = hr.Optimizer(space, texts, seed=3, method=method)
        for point in asked[:-1]:
            resumed.tell(point, value(point))
        assert resumed.ask() == asked[-1]

"""Rules about a batch: every batch keeps them, whatever the method, or the error says that none was found."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from hedgerow import ArgumentError, InfeasibleError, Integer, Optimizer, Real, RuleError, Space, Vector
from tests.oracles import frozen

SPACE = Space(
    {
        "temperature": [20, 40, 60, 80],
        "solvent": ["water", "ethanol", "toluene", "acetone", "hexane"],
        "catalyst": ["Pd", "Pt", "Ni"],
        "mg": Integer(1, 30),
        "x": Vector([0, 1, 2], 2),
    }
)
RULES = ["temperature < 80 or solvent != 'hexane'", "mg >= 3 or catalyst == 'Pd'"]


def value(point: dict[str, Any]) -> float:
    bonus = {"water": 0.0, "ethanol": 3.0, "toluene": 1.0, "acetone": 2.0, "hexane": -1.0}[point["solvent"]]
    distance = abs(point["temperature"] - 60) / 20 + (point["mg"] - 12) ** 2 / 40
    return float(distance - bonus - (point["catalyst"] == "Pd"))


@pytest.mark.parametrize("method", ["auto", "random"])
@pytest.mark.parametrize("n_told", [0, 12])
def test_a_batch_keeps_its_rules(method: str, n_told: int) -> None:
    optimizer = Optimizer(SPACE, RULES, seed=1, method=method)
    for _ in range(n_told):
        point = optimizer.ask()
        optimizer.tell(point, value(point))
    before = {frozen(seen.point) for seen in optimizer.observations}
    batch = optimizer.ask(
        16,
        batch_rules=[
            "same(temperature)",
            "distinct(solvent) <= 3",
            "distinct(x[0]) == 2",
            "sum(mg) <= 100",
            "at_most(4, catalyst == 'Pd')",
            "at_least(2, catalyst == 'Ni')",
        ],
    )
    assert len({frozen(point) for point in batch} - before) == 16
    assert all(point in optimizer.feasible for point in batch)
    assert len({point["temperature"] for point in batch}) == 1
    assert len({point["solvent"] for point in batch}) <= 3
    assert len({point["x"][0] for point in batch}) == 2
    assert sum(point["mg"] for point in batch) <= 100
    counts = Counter(point["catalyst"] for point in batch)
    assert counts["Pd"] <= 4 and counts["Ni"] >= 2
    assert len(optimizer.pending) == 16


def test_a_value_with_too_few_points_is_left_alone() -> None:
    space = Space({"t": [1, 2, 3], "x": Integer(1, 20)})
    rules = ["t == 3 or x <= 2"]
    for seed in range(5):
        batch = Optimizer(space, rules, seed=seed).ask(6, batch_rules=["same(t)"])
        assert {point["t"] for point in batch} == {3}


def test_tight_sums_are_met() -> None:
    batch = Optimizer(SPACE, RULES, seed=0).ask(10, batch_rules=["sum(mg) == 25", "sum(temperature) >= 300"])
    assert sum(point["mg"] for point in batch) == 25
    assert sum(point["temperature"] for point in batch) >= 300


def test_the_same_question_has_the_same_answer() -> None:
    rules = ["same(catalyst)", "distinct(mg) >= 4"]
    one, other = (Optimizer(SPACE, RULES, seed=3).ask(6, batch_rules=rules) for _ in range(2))
    assert one == other


def test_an_impossible_batch_is_said_and_nothing_is_pending() -> None:
    optimizer = Optimizer(SPACE, RULES, seed=0)
    with pytest.raises(InfeasibleError, match=r"No batch of 5 .* 'sum\(mg\) <= 3'"):
        optimizer.ask(5, batch_rules=["sum(mg) <= 3"])
    assert optimizer.pending == ()


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("temperature == 20", "cannot be read"),
        ("similar(temperature)", "none of the forms"),
        ("same(temperature) <= 2", "none of the forms"),
        ("distinct(solvent)", "none of the forms"),
        ("distinct(solvent) <= 2.5", "whole number"),
        ("sum(solvent) <= 3", "no numbers"),
        ("sum(mg) < 3", "write <="),
        ("same(mg + temperature)", "but 2 are read"),
        ("same(pressure)", "no variable 'pressure'"),
        ("at_most(two, mg > 3)", "whole number and a condition"),
        (3, "cannot be read"),
    ],
)
def test_what_cannot_be_read_is_said(rule: Any, message: str) -> None:
    with pytest.raises(RuleError, match=message):
        Optimizer(SPACE, RULES).ask(3, batch_rules=[rule])


def test_batch_rules_need_a_batch() -> None:
    with pytest.raises(ArgumentError, match="several points"):
        Optimizer(SPACE).suggest(batch_rules=["same(mg)"])  # type: ignore[call-overload]
    with pytest.raises(RuleError, match="in brackets"):
        Optimizer(SPACE).ask(3, batch_rules="same(mg)")


def test_rules_beyond_the_diagram_keep_batches_too() -> None:
    space = Space({"x": Vector(Integer(1, 5), 8)})
    rules = ["x[0] * x[1] * x[2] * x[3] * x[4] * x[5] * x[6] * x[7] == 5 ** 7 * 3"]
    optimizer = Optimizer(space, rules, node_budget=1, seed=0)
    batch = optimizer.ask(4, batch_rules=["same(x[0])"])
    assert np.unique([point["x"][0] for point in batch]).tolist() == [5]
    assert len({frozen(point) for point in batch}) == 4


def test_variables_that_do_not_exist_add_nothing() -> None:
    space = Space({"kind": ["a", "b"], "mg": Integer(5, 9, when="kind == 'b'"), "y": Integer(1, 40)})
    batch = Optimizer(space, seed=0).ask(10, batch_rules=["sum(mg) <= 12", "at_least(1, kind == 'b')"])
    assert sum(point.get("mg", 0) for point in batch) <= 12
    assert any(point["kind"] == "b" for point in batch)


def test_variables_that_take_any_float_stand_beside_those_that_a_batch_rule_reads() -> None:
    space = Space({"x": Real(0, 1), "y": [1, 2, 3], "kind": ["a", "b"], "c": Real(0, 1, when="kind == 'a'")})
    optimizer = Optimizer(space, ["x * y <= 2"], seed=0)
    for point in optimizer.ask(5):
        optimizer.tell(point, point["x"] - point["y"])
    batch = optimizer.ask(4, batch_rules=["same(y)", "at_least(2, kind == 'a')"])
    assert len({point["y"] for point in batch}) == 1
    assert sum(point["kind"] == "a" for point in batch) >= 2
    assert all(point in optimizer.feasible for point in batch)
    assert len({tuple(point.items()) for point in batch}) == 4


def test_a_batch_rule_that_reads_any_float_is_refused() -> None:
    space = Space({"x": Real(0, 1), "y": [1, 2, 3]})
    with pytest.raises(RuleError, match="reads 'x', which takes any float"):
        Optimizer(space, seed=0).ask(2, batch_rules=["sum(x) <= 3"])

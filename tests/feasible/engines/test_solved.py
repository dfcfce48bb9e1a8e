"""Sets whose rules stay outside the diagram: a point is found where there is one, and an exhausted set says so."""

from __future__ import annotations

import importlib.util
import pickle
import subprocess
import sys

import numpy as np
import pytest

from hedgerow import FeasibleSet, InfeasibleError, Integer, Optimizer, Space, SpaceExhausted, Vector
from hedgerow.feasible.engines.solved import SolvedSet
from tests.oracles import frozen, time_limit

# Nothing fits, and of 390,625 points few are feasible: draws of the diagram never find them.
SPACE = Space({"x": Vector(Integer(1, 5), 8)})
RARE = ["x[0] * x[1] * x[2] * x[3] * x[4] * x[5] * x[6] * x[7] == 5 ** 7 * 3"]


def random_clauses(n_variables: int, n_clauses: int, seed: int) -> tuple[Space, list[str]]:
    rng = np.random.default_rng(seed)
    rules = []
    for _ in range(n_clauses):
        chosen, signs = rng.choice(n_variables, 3, replace=False), rng.integers(0, 2, 3)
        rules.append(" or ".join(f"{'' if sign else 'not '}x[{i}]" for i, sign in zip(chosen, signs, strict=True)))
    return Space({"x": Vector(bool, n_variables)}), rules


@pytest.mark.parametrize("method", ["auto", "random"])
def test_an_exhausted_set_says_so(method: str) -> None:
    optimizer = Optimizer(SPACE, rules=RARE, node_budget=1, seed=0, method=method)
    seen = set()
    for value in range(8):
        point = optimizer.ask()
        assert sorted(point["x"]) == [3, 5, 5, 5, 5, 5, 5, 5]
        seen.add(frozen(point))
        optimizer.tell(point, float(value))
    assert len(seen) == 8
    with pytest.raises(SpaceExhausted, match="All 8 feasible points"):
        optimizer.ask()


def test_scores_of_many_codes_do_not_overflow_in_the_solver() -> None:
    rules = [
        *(f"not contains(y, [{a}, {(7 * a + 5) % 20}])" for a in range(20)),
        "count(y == 1) + count(y == 2) == 3",
        *(f"y[{a}] != y[{b}]" for a, b in ((0, 13), (1, 12), (2, 9), (3, 8))),
    ]
    codes = FeasibleSet(Space({"y": Vector(list(range(20)), 14)}), rules, node_budget=300).codes
    assert isinstance(codes, SolvedSet)
    for seed in range(6):
        rng = np.random.default_rng(seed)
        scores = list(rng.normal(size=(14, 20)))
        best = next(iter(codes.best(scores, 1)))
        drawn = codes.draw(50, rng)
        assert codes.accepts(best[None, :]).all()
        sums = np.stack(scores)[np.arange(14), np.concatenate([best[None, :], drawn])].sum(axis=1)
        assert sums.argmax() == 0


def test_a_copy_made_by_pickle_answers_the_same() -> None:
    feasible = FeasibleSet(SPACE, RARE, node_budget=1)
    points = feasible.sample(2, seed=0)
    assert pickle.loads(pickle.dumps(feasible)).sample(2, seed=0) == points  # noqa: S301 - our own bytes


def test_rare_points_are_listed_to_the_last() -> None:
    listed = list(FeasibleSet(SPACE, RARE, node_budget=1))
    assert len(listed) == len({frozen(point) for point in listed}) == 8


def test_random_clauses_beyond_the_diagram_have_diverse_draws() -> None:
    space, rules = random_clauses(100, 300, seed=0)
    with time_limit(60):
        feasible = FeasibleSet(space, rules, node_budget=1000)
        points = feasible.sample(6, seed=1)
    assert not feasible.is_exact
    assert feasible.sampling == "diverse"
    assert all(rule.holds(point["x"]) for point in points for rule in feasible.rules)
    rows = np.array([point["x"] for point in points])
    distances = [(rows[i] != rows[j]).sum() for i in range(6) for j in range(i)]
    assert min(distances) >= 10
    assert feasible.sample(6, seed=1) == points


def test_contradictions_beyond_the_diagram_are_named() -> None:
    space, rules = random_clauses(100, 300, seed=0)
    named = {f"clause {i}": rule for i, rule in enumerate(rules)}
    named["low"] = "count(x[:40]) <= 18"
    named["high"] = "count(x[:30]) >= 19"
    with time_limit(60), pytest.raises(InfeasibleError) as caught:
        FeasibleSet(space, named, node_budget=1000)
    assert caught.value.rules == ("low", "high")


def test_repair_beyond_the_diagram_is_nearest() -> None:
    space, rules = random_clauses(60, 150, seed=3)
    feasible = FeasibleSet(space, rules, node_budget=500)
    assert isinstance(feasible.codes, SolvedSet)
    start = feasible.sample(1, seed=0)[0]
    broken = {"x": [not value if i < 3 else value for i, value in enumerate(start["x"])]}
    mended = feasible.repair(broken)
    assert mended in feasible
    assert sum(a != b for a, b in zip(mended["x"], broken["x"], strict=True)) <= 3


def test_completions_beyond_the_diagram_are_found_or_refuted() -> None:
    space, rules = random_clauses(60, 150, seed=3)
    feasible = FeasibleSet(space, [*rules, "not x[0] or not x[1]"], node_budget=500)
    (point,) = feasible.completions({"x": [True] + [None] * 59}).sample(1, seed=0)
    assert point["x"][0] and not point["x"][1] and point in feasible
    with pytest.raises(InfeasibleError):
        feasible.completions({"x": [True, True] + [None] * 58}).sample(1, seed=0)


@pytest.mark.skipif(importlib.util.find_spec("cvxpy") is None, reason="CVXPY is not installed")
@pytest.mark.parametrize("solver_first", [True, False])
def test_the_solver_and_cvxpy_load_in_either_order(solver_first: bool) -> None:
    solve = (
        "import hedgerow as hr; f = hr.FeasibleSet(hr.Space({'x': hr.Vector(bool, 40)}), ['count(x) == 39'], "
        "node_budget=1); assert f.sample(1, seed=0)[0] in f; "
    )
    load = "from hedgerow.methods.catd.hsdp.solver import load_cvxpy; load_cvxpy(); "
    code = solve + load if solver_first else "import highspy; " + load + solve
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr

"""Rules as linear programs: what a program allows is what brute force finds, in every form a rule can take."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import hedgerow as hr
from hedgerow.arrays import Codes
from hedgerow.feasible.feasible_set import FeasibleSet
from hedgerow.space import Levels
from research.rivals.nn_milp.acquisition import lowest_prediction
from research.rivals.nn_milp.network import Network
from research.rivals.nn_milp.program import Limits
from research.rivals.nn_milp.rule_constraints import RuleRows, rule_rows
from tests.oracles import BruteForce, quiet_set
from tests.strategies import Problem, examples, problems

pytest.importorskip("ortools", reason="OR-Tools is not installed: pip install 'hedgerow[research]'")

LIMITS = Limits(max_nodes=100_000, seconds=60.0)
SPACE = hr.Space(
    {
        "x": hr.Vector(hr.Integer(0, 3), 3),
        "kind": ["a", "b", "c"],
        "size": hr.Ordinal(("small", "medium", "large")),
        "flag": bool,
        "rate": Levels((0.1, 0.2, 0.3)),
    }
)


def minimum(feasible: FeasibleSet, rules: RuleRows, network: Network, seen: Codes) -> Codes | None:
    def is_allowed(row: Codes) -> bool:
        return bool(feasible.codes.accepts(row[None, :])[0])

    return lowest_prediction(network, rules, seen, is_allowed, LIMITS, max_rounds=200)


def random_network(space: hr.Space, seed: int) -> Network:
    rng = np.random.default_rng(seed)
    untrained = Network.random(space.sizes, 5, rng)
    return Network(untrained.sizes, untrained.n_hidden, 3 * rng.normal(size=untrained.state.shape))


def check_minima(feasible: FeasibleSet, rows: Codes, seed: int, n_cuts: int = 2) -> None:
    """Compare the program's minimum with the listed rows, again after the best ones have been cut off."""
    rules = rule_rows(feasible.space, feasible.rules)
    network = random_network(feasible.space, seed)
    order = np.argsort(network.predict(rows), kind="stable") if rows.size else np.zeros(0, dtype=np.int64)
    for n_seen in range(n_cuts + 1):
        found = minimum(feasible, rules, network, rows[order[:n_seen]])
        if n_seen >= order.size:
            assert found is None
            break
        assert found is not None
        assert feasible.codes.accepts(found[None, :])[0]
        best = network.predict(rows[order[n_seen]][None, :])[0]
        assert network.predict(found[None, :])[0] == pytest.approx(best, abs=1e-5)


@given(problem=problems(max_points=150))
@examples(100)
def test_minimum_under_random_rules_equals_brute_force(problem: Problem) -> None:
    feasible = quiet_set(problem.space, problem.texts)
    brute = BruteForce(problem.space, problem.rules)
    rows = np.array(brute.feasible_rows, dtype=np.int64).reshape(-1, len(problem.space.slots))
    check_minima(feasible, rows, seed=len(problem.texts[0]))


LINEAR = [
    "sum(x) <= 4",
    "x[0] + 2 * x[1] - x[2] == 2",
    "sum(x**2) < 9",
    "x[0] != x[1]",
    "count(x == 1) >= 2",
    "x[2] >= x[0] + 1 and x[1] > 0",
    "2 * count(x != 0) == 4",
    'count(x >= 2) == count([kind == "a", flag, size == "large"])',
]
LOGICAL = [
    'implies(kind == "a", sum(x) == 3)',
    "iff(flag, x[0] < x[1])",
    'x[0] > x[1] or size >= "medium" and kind != "b"',
    "not (x[0] == x[1] or flag)",
    'xor(flag, kind == "c")',
    "x[0] < x[1] if flag else x[0] > x[2]",
    "x[0] in [x[1], x[2]]",
    "not (x[0] <= x[1] and x[1] <= x[2])",
    "count([x[0] < x[1], x[1] < x[2], flag]) == 2",
    "all_different(x)",
    "all_different(x, ignore=0)",
    "implies(flag, all_different(x))",
]
OTHERS = [
    "x[0] * x[1] <= 3",
    "x[0] * x[1] * x[2] == 4",
    'table([x[0], kind], [(0, "a"), (1, "b"), (3, "c"), (3, "a")])',
    'table([x[0], kind, flag], [(0, "a", True), (1, "b", False), (3, "c", True)])',
    "contains(x, [1, 2])",
    "longest_run(x) <= 1",
    "max(x) - min(x) >= 2",
    "x[0] / x[1] > 1",
    "x[1] == 0 or x[0] % x[1] == 1",
    "rate * x[0] <= 0.2",
    "rate + rate * x[0] == 0.3",
    "abs(x[0] - x[1]) >= 2",
]


@pytest.mark.parametrize("rule", LINEAR + LOGICAL + OTHERS)
def test_minimum_under_a_rule_of_each_kind_equals_brute_force(rule: str) -> None:
    feasible = quiet_set(SPACE, [rule])
    check_minima(feasible, np.concatenate(list(feasible.codes.batches())), seed=len(rule))


@pytest.mark.parametrize("rule", LINEAR + LOGICAL + OTHERS)
def test_no_rule_that_fits_is_left_to_be_checked(rule: str) -> None:
    assert rule_rows(SPACE, quiet_set(SPACE, [rule]).rules).unsure == ()


def test_linear_and_logical_rules_need_no_flow() -> None:
    one_hot = sum(SPACE.sizes)
    for rule in LINEAR[:3] + LINEAR[4:]:
        assert rule_rows(SPACE, quiet_set(SPACE, [rule]).rules).program.n_variables <= one_hot + 2


WEIGHTED = " + ".join(f"{weight} * x[{i}]" for i, weight in enumerate((2, 3, 5, 7, 11, 13, 17, 19))) + " <= 970000000"
ROOTS = [i**0.5 for i in range(12)]


@pytest.mark.parametrize(
    ("domain", "rule"),
    [
        pytest.param(ROOTS, "sum(x) <= 9.7", id="float sum"),
        pytest.param(ROOTS, "implies(flag, sum(x) < 9.7) and sum(x) >= 4.1", id="under if"),
        pytest.param([round(1e7 * root) for root in ROOTS], WEIGHTED, id="large whole numbers"),
    ],
)
def test_sums_too_large_for_exact_rows_are_loosened_and_checked(domain: list[Any], rule: str) -> None:
    space = hr.Space({"x": hr.Vector(Levels(domain), 8), "flag": bool})
    feasible = quiet_set(space, [rule])
    rules = rule_rows(space, feasible.rules)
    assert len(rules.unsure) >= 1
    network = random_network(space, 3)
    found = minimum(feasible, rules, network, np.zeros((0, 9), dtype=np.int64))
    assert found is not None
    drawn = feasible.codes.draw(2000, np.random.default_rng(0))
    assert network.predict(found[None, :])[0] <= network.predict(drawn).min() + 1e-5


def test_loose_rows_never_lose_a_point_on_the_boundary() -> None:
    space = hr.Space({"x": hr.Vector(Levels((0.1, 0.2, 0.3)), 3)})
    feasible = quiet_set(space, ["sum(x) == 0.6"])
    rules = rule_rows(space, feasible.rules)
    found = set()
    seen = np.zeros((0, 3), dtype=np.int64)
    while (row := minimum(feasible, rules, random_network(space, 1), seen)) is not None:
        found.add(tuple(row.tolist()))
        seen = np.concatenate([seen, row[None, :]])
    rows = [codes for codes in itertools.product(range(3), repeat=3) if feasible.codes.accepts(np.array([codes]))[0]]
    assert found == set(rows)

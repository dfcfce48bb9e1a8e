"""The doctor's findings are those of enumeration: dead and forced values, idle, redundant and contradicting rules."""

from __future__ import annotations

import json
from itertools import combinations

import pytest
from hypothesis import given

from hedgerow import FeasibleSet, InfeasibleError, Integer, RuleWarning, Space, Vector
from tests.oracles import BruteForce, quiet_set, time_limit
from tests.strategies import Problem, examples, problems


def names_of(problem: Problem) -> list[str]:
    return [f"rule number {i}" for i in range(len(problem.rules))]


@examples(150)
@given(problems(max_rules=2))
def test_dead_and_forced_values_match_enumeration(problem: Problem) -> None:
    brute = BruteForce(problem.space, problem.rules)
    found = quiet_set(problem.space, problem.texts).doctor()
    dead, forced = {}, {}
    for slot, domain, counts in zip(problem.space.slots, brute.domains, brute.marginals(), strict=True):
        used = [value for value, count in zip(domain, counts, strict=True) if count]
        if len(used) == 1 and len(domain) > 1:
            forced[slot.name] = used[0]
        elif 0 < len(used) < len(domain):
            dead[slot.name] = [value for value in domain if value not in used]
    assert found.dead_values == dead
    assert found.forced_values == forced
    assert found.count == len(brute.feasible_rows)
    assert found.space_size == len(brute.rows)


@examples(150)
@given(problems(max_rules=5, depth=2, max_points=100))
def test_idle_and_redundant_rules_match_enumeration(problem: Problem) -> None:
    brute = BruteForce(problem.space, problem.rules)
    names = names_of(problem)
    found = quiet_set(problem.space, dict(zip(names, problem.texts, strict=True))).doctor()
    everyone = range(len(names))
    idle = {i for i in everyone if brute.n_satisfying([i]) == len(brute.rows)}
    assert found.always_true_rules == tuple(names[i] for i in sorted(idle))
    if brute.feasible_rows:
        redundant = {
            i for i in everyone if brute.n_satisfying([j for j in everyone if j != i]) == len(brute.feasible_rows)
        }
        assert found.redundant_rules == tuple(names[i] for i in sorted(redundant - idle))
        assert found.undecided_rules == ()
    densities = {name: brute.n_satisfying([i]) / len(brute.rows) for i, name in enumerate(names)}
    assert found.rule_densities == pytest.approx(densities)


@examples(150)
@given(problems(max_rules=6, depth=2, max_points=100))
def test_a_contradiction_is_one_and_is_minimal(problem: Problem) -> None:
    brute = BruteForce(problem.space, problem.rules)
    names = names_of(problem)
    feasible = quiet_set(problem.space, dict(zip(names, problem.texts, strict=True)))
    culprits = [names.index(name) for name in feasible.doctor().contradiction]
    assert bool(culprits) is not bool(brute.feasible_rows)
    if culprits:
        assert brute.n_satisfying(culprits) == 0
        for smaller in combinations(culprits, len(culprits) - 1):
            assert brute.n_satisfying(smaller) > 0


@examples(60)
@given(problems(max_rules=3))
def test_rules_that_cannot_be_evaluated_are_named(problem: Problem) -> None:
    brute = BruteForce(problem.space, problem.rules)
    names = names_of(problem)
    found = quiet_set(problem.space, dict(zip(names, problem.texts, strict=True))).doctor()
    surely = {
        name
        for name, rule in zip(names, problem.rules, strict=True)
        if any(not rule.holds(point) and not rule.negated().holds(point) for point in brute.points)
    }
    assert surely <= set(found.undefined_rules)


def test_a_contradiction_of_many_rules_is_told_from_bystanders() -> None:
    rules = {f"step {i}": f"x[{i}] < x[{i + 1}]" for i in range(4)}
    rules |= {f"bystander {i}": f"y[{i}] > 0" for i in range(4)}
    with pytest.raises(InfeasibleError) as caught:
        FeasibleSet(Space({"x": Vector(Integer(0, 3), 5), "y": Vector([0, 1], 4)}), rules)
    assert caught.value.rules == tuple(f"step {i}" for i in range(4))


def test_the_report_reads_as_sentences() -> None:
    space = Space({"a": Integer(0, 4), "b": Integer(0, 4), "c": Integer(0, 4)})
    with pytest.warns(RuleWarning):
        feasible = FeasibleSet(
            space, {"low": "a < 2", "lower": "a < 3", "order": "b > a + 2", "idle": "c >= 0", "odd": "10 / c < 4"}
        )
    found = feasible.doctor()
    report = str(found)
    assert not found.is_healthy
    for sentence in (
        "125 points, 6 feasible (density 0.048)",
        "a can never be 2, 3, 4.",
        "b can never be 0, 1, 2.",
        "Rule 'idle' is always true.",
        "Rule 'lower' is redundant: the other rules imply it.",
        "Rule 'odd' cannot be evaluated at some points",
        "listing every feasible point would take",
    ):
        assert sentence in report
    json.dumps(found.to_dict())


def test_long_lists_of_dead_values_are_cut() -> None:
    report = str(FeasibleSet(Space({"m": Integer(1, 1024)}), ["1024 % m == 0"]).doctor())
    assert "m can never be 3, 5, 6, 7, 9, 10, 11, 12, 13, 14 and 1,003 other values." in report


def test_a_healthy_set_has_nothing_to_remark() -> None:
    found = FeasibleSet(Space({"a": Integer(0, 4), "b": Integer(0, 4)}), ["a + b < 7"]).doctor()
    assert found.is_healthy
    assert "Nothing to remark." in str(found)
    assert found.memory_bytes > 0
    assert found.n_nodes > 0


def test_a_vast_space_is_described_in_powers_of_ten() -> None:
    feasible = FeasibleSet(Space({"x": Vector(Integer(1, 30), 3000)}), ["x[0] < x[1]"])
    assert "of 2.31e4431 points" in repr(feasible)


def test_the_doctor_sees_hundreds_of_wide_variables_in_seconds() -> None:
    feasible = FeasibleSet(Space({"x": Vector(Integer(1, 30), 600)}), ["x[0] < x[1]"])
    with time_limit(3):
        found = feasible.doctor()
    assert found.dead_values == {"x[0]": [30], "x[1]": [1]}

"""Count, membership and marginals of compiled rules are those of plain enumeration."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from hedgerow import Ordinal, PointError, Space, Vector
from tests.oracles import BruteForce, Phrase, quiet_set
from tests.strategies import Problem, examples, problems


@examples(400)
@given(problems(max_rules=1, depth=4))
def test_count_and_membership_match_enumeration(problem: Problem) -> None:
    brute = BruteForce(problem.space, problem.rules)
    feasible = quiet_set(problem.space, problem.texts)
    assert feasible.codes.accepts(np.array(brute.rows)).tolist() == brute.is_feasible
    assert feasible.count == len(brute.feasible_rows)
    assert feasible.density == len(brute.feasible_rows) / len(brute.rows)


@examples(150)
@given(problems(max_rules=4))
def test_several_rules_together_match_enumeration(problem: Problem) -> None:
    brute = BruteForce(problem.space, problem.rules)
    feasible = quiet_set(problem.space, problem.texts)
    assert feasible.codes.accepts(np.array(brute.rows)).tolist() == brute.is_feasible
    assert feasible.count == len(brute.feasible_rows)


@examples(60)
@given(problems(max_points=60))
def test_in_agrees_point_by_point(problem: Problem) -> None:
    brute = BruteForce(problem.space, problem.rules)
    feasible = quiet_set(problem.space, problem.texts)
    assert [point in feasible for point in brute.points] == brute.is_feasible


@examples(120)
@given(problems())
def test_marginals_match_enumeration(problem: Problem) -> None:
    brute = BruteForce(problem.space, problem.rules)
    feasible = quiet_set(problem.space, problem.texts)
    assert feasible.codes.usage() == brute.marginals()
    by_slot = iter(
        dict(zip(domain, counts, strict=True)) for domain, counts in zip(brute.domains, brute.marginals(), strict=True)
    )
    expected = {
        name: [next(by_slot) for _ in range(variable.length)] if isinstance(variable, Vector) else next(by_slot)
        for name, variable in problem.space.variables.items()
    }
    assert feasible.marginals() == expected


def test_no_rules_leave_the_whole_space() -> None:
    space = Space({"a": [1, 2, 3], "v": Vector(bool, 2)})
    feasible = quiet_set(space)
    assert (feasible.count, feasible.density, feasible.is_exact) == (12, 1.0, True)


def test_membership_of_no_rows_is_empty() -> None:
    feasible = quiet_set(Space({"a": [1, 2], "b": [1, 2]}), ["a < b"])
    assert feasible.codes.accepts(np.zeros((0, 2), dtype=np.int64)).tolist() == []


def test_membership_asks_for_a_whole_point() -> None:
    feasible = quiet_set(Space({"a": [1, 2], "b": [1, 2]}), ["a < b"])
    with pytest.raises(PointError, match="The point lacks 'b'"):
        _ = {"a": 1} in feasible


# What random rules have broken, by its smallest example.
EXAMPLES = [
    ({"a": [0, 1], "b": [0, 1], "c": [0, 1]}, "count(a / b > 0, c / b > 0) != 1", "(a / b > 0) + (c / b > 0) != 1"),
    ({"a": [0, 1], "b": [0, 1], "c": [0, 1]}, "-(a / b > 0) + 1 == c", None),
    ({"a": [0, 1], "b": [0, 1], "c": [0, 1]}, "(a // b > 0) * 2 == c", None),
    ({"a": [10, 20], "b": [10.5, 30.5]}, "min(a, b) ** 400 > 0", None),
    ({"a": [10, 20], "b": [10.5, 30.5]}, "max(a, b) ** 400 > 0", None),
    ({"a": [1e200, 1.0], "b": [1e200, 1.0]}, "min(1.0, a * b * a - a * a * b) == 1.0", None),
    ({"a": [1e200, 1.0], "b": [1e200, 1.0]}, "max(a * b * a - a * a * b, 1.0) == 1.0", None),
    ({"a": [1e200, 1.0], "b": [1e200, 1.0]}, "all_different(a * b * a - a * a * b, 1)", "a * b * a - a * a * b != 1"),
    ({"a": [1e200, 1.0], "b": [1e200, 1.0]}, "not a * b * a - a * a * b < 1", None),
    ({"a": [1, 2], "b": [1, 2], "c": [2.5, 2**53 + 1]}, "a * b * c == 2**54 + 2 or a // b * c > 2**53", None),
    ({"a": [0, 1, 2], "b": [0, 1, 2]}, "(a and b) == 1", None),
    ({"a": [0, 1, 2], "b": [0, 1, 2]}, "(a or 1 / b) >= 1", None),
    ({"a": [0, 1, 2], "b": [0, 1, 2]}, "(1 / a if b else a) <= 1", None),
    ({"a": [0, 1, 2], "b": [0, 1, 2]}, "a in [1 / b, 2]", None),
    ({"a": [0.1, 0.2, 0.3], "b": [0.1, 0.2, 0.3], "c": [0.1, 0.2, 0.3]}, "a + b + c == 0.6", None),
    ({"a": [0.1, 0.2, 0.3], "b": [0.1, 0.2, 0.3], "c": [0.1, 0.2, 0.3]}, "c + b + a == 0.6", None),
    ({"a": [0.1, 0.7], "b": [3, 7], "c": [10, 100]}, "a * b * c == 21.0 or a * b * c == 7.0", None),
    ({"a": [2**53, 1], "b": [1, 2]}, "a + b > 2**53", None),
    ({"a": [2**53, 1], "b": [1, 2]}, "a + b - 1 == 2**53", None),
    ({"a": [True, 0], "b": [True, 0]}, "a + b == 2", None),
    ({"a": [-7, 7], "b": [-2, 2]}, "a // b == -4 or a % b == -1", None),
]  # fmt: skip


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize(("variables", "text", "plain"), EXAMPLES, ids=[text for _, text, _ in EXAMPLES])
def test_odd_rules_mean_what_python_says(variables: dict[str, list[float]], text: str, plain: str | None) -> None:
    space = Space({name: (bool if values == [True, 0] else values) for name, values in variables.items()})
    brute = BruteForce(space, (Phrase(text, plain or text),))
    feasible = quiet_set(space, [text])
    assert sorted(map(str, feasible)) == sorted(map(str, brute.feasible_points))


def test_conditions_on_ordinals_are_members_of_lists() -> None:
    space = Space({"size": Ordinal(["small", "large"]), "a": [0, 1]})
    assert quiet_set(space, ["a in [size > 'small', 5]"]).count == 2


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_floats_overflow_as_quietly_as_in_python() -> None:
    space = Space({"a": [1e308, 1.0], "b": [1e308, 1.0], "c": [1e308, 1.0]})
    assert quiet_set(space, ["a + b + c > 1e308"]).count == 4

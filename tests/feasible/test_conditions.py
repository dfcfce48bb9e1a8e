"""Spaces with conditions against plain Python: every answer about points, on small spaces that can be listed."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hedgerow import (
    Boolean,
    Categorical,
    FeasibleSet,
    InfeasibleError,
    Integer,
    Levels,
    Ordinal,
    PointError,
    Real,
    RuleWarning,
    Shares,
    Space,
    SpaceError,
    Vector,
)
from hedgerow.space import decode, encode
from tests.conditional import Point, Tree, key, random_tree
from tests.oracles import quiet_set
from tests.strategies import examples

BOOSTERS = Space(
    {
        "booster": ["gbtree", "dart"],
        "depth": Integer(2, 5),
        "drop": Real(0.0, 0.5, levels=3, when="booster == 'dart'"),
        "skip": Levels([1, 2], when="drop > 0.1"),
    }
)


def compiled(tree: Tree, **options: Any) -> FeasibleSet:
    """Compile a tree, or give the example up where the space itself is refused."""
    try:
        return quiet_set(tree.space, [rule.text for rule in tree.rules], **options)
    except SpaceError as error:
        assert "can never hold" in str(error)
        always_missing = [name for name in tree.conditions if all(name not in point for point in tree.points())]
        assert always_missing, error
        assume(False)
        raise


@given(st.integers(0, 2**40).map(Random))
@examples(120)
def test_every_answer_is_that_of_plain_python(random: Random) -> None:
    tree = random_tree(random)
    feasible = compiled(tree)
    points, expected = tree.points(), tree.feasible()
    assert feasible._n_points == len(points)
    assert feasible.count == len(expected)
    listed = list(feasible)
    assert sorted(map(key, listed)) == sorted(map(key, expected))
    kept = set(map(key, expected))
    for point in points:
        assert (point in feasible) == (key(point) in kept)
        assert feasible.explain(point).is_feasible == (key(point) in kept)
        assert decode(tree.space, encode(tree.space, point)) == point
    for place in range(min(len(expected), 5)):
        assert feasible.index(feasible[place]) == place
    if len(expected) < len(points):
        wrong = feasible.sample_infeasible(20, seed=1)
        assert all(key(point) not in kept and point in points for point in wrong)


@given(st.integers(0, 2**40).map(Random))
@examples(60)
def test_completions_marginals_and_repair(random: Random) -> None:
    tree = random_tree(random)
    feasible = compiled(tree)
    points, expected = tree.points(), tree.feasible()
    assume(expected)
    name = random.choice(list(tree.values))
    value = random.choice([*tree.values[name], *([None] if name in tree.conditions else [])])
    assert feasible.completions({name: value}).count == sum(point.get(name) == value for point in expected)
    for name, some in tree.values.items():
        if not isinstance(some[0], list):
            counts = feasible.marginals()[name]
            assert counts == {level: sum(p.get(name) == level for p in expected) for level in counts}
    start = random.choice(points)
    changes = [_distance(tree, start, point) for point in expected]
    assert _distance(tree, start, feasible.repair(start)) == min(changes)


def _distance(tree: Tree, start: Point, point: Point) -> tuple[int, int]:
    """Changed scalars, those that come or go among them; then how far levels moved that are in both."""
    n_changed, moved = 0, 0
    for name, values in tree.values.items():
        n_scalars = len(values[0]) if isinstance(values[0], list) else 1
        if (name in start) != (name in point):
            n_changed += n_scalars
        elif name in start:
            pairs = list(zip(start[name], point[name], strict=True)) if n_scalars > 1 else [(start[name], point[name])]
            levels = [0, 1] if n_scalars > 1 else values
            n_changed += sum(a != b for a, b in pairs)
            is_text = isinstance(levels[0], str)
            moved += sum(int(a != b) if is_text else abs(levels.index(a) - levels.index(b)) for a, b in pairs)
    return n_changed, moved


@given(st.integers(0, 2**40).map(Random))
@examples(40)
def test_neighbors_differ_in_one_scalar(random: Random) -> None:
    tree = random_tree(random)
    feasible = compiled(tree)
    expected = tree.feasible()
    assume(expected)
    start = random.choice(tree.points())
    near = [point for point in expected if _distance(tree, start, point)[0] == 1]
    assert sorted(map(key, feasible.neighbors(start))) == sorted(map(key, near))


@given(st.integers(0, 2**40).map(Random))
@examples(40)
def test_a_solver_beside_the_diagram_keeps_the_same_meaning(random: Random) -> None:
    tree = random_tree(random)
    exact = compiled(tree)
    feasible = compiled(tree, node_budget=1)
    rows = np.array([encode(tree.space, point) for point in tree.points()])
    assert (feasible.codes.accepts(rows) == exact.codes.accepts(rows)).all()
    if exact.count:
        for point in feasible.sample(5, seed=0):
            assert point in exact
    else:
        with pytest.raises(InfeasibleError):
            feasible.sample(1, seed=0)


def test_draws_are_uniform_over_points() -> None:
    feasible = FeasibleSet(BOOSTERS, ["drop * depth <= 1"])
    counts = Counter(map(key, feasible.sample(20_000, seed=0)))
    assert len(counts) == feasible.count
    expected = 20_000 / feasible.count
    assert all(abs(count - expected) < 6 * expected**0.5 for count in counts.values())


# --- what points look like ---------------------------------------------------------------------------------------


def test_points_lack_what_is_inactive_and_say_so() -> None:
    feasible = FeasibleSet(BOOSTERS)
    assert feasible.count == 4 * (1 + 1 + 2 * 2)
    assert str(feasible.explain({"booster": "gbtree", "depth": 2, "drop": 0.25})) == (
        "The point breaks 'drop exists when booster == 'dart'': "
        "drop is inactive because booster is 'gbtree', but has the value 0.25\n"
        "    with booster = 'gbtree', drop = 0.25\n"
        "and breaks 'skip exists when drop > 0.1': skip is active because drop is 0.25, but has no value\n"
        "    with drop = 0.25, skip inactive"
    )
    with pytest.raises(PointError, match="lacks 'depth'"):
        feasible.explain({"booster": "gbtree"})
    assert {"booster": "dart", "depth": 2} not in feasible
    assert {"booster": "gbtree", "depth": 2, "drop": None, "skip": None} in feasible
    assert feasible.repair({"booster": "gbtree", "depth": 2, "drop": 0.25}) == {"booster": "gbtree", "depth": 2}


def test_a_rule_speaks_of_what_is_there() -> None:
    """What docs/rules.md says of rules that mention inactive variables."""
    start = {"booster": "gbtree", "depth": 5}
    for rule, holds in {
        "drop <= 0.1": True,
        "not drop <= 0.1": True,
        "depth <= 2 or drop <= 0.1": True,
        "depth <= 2 and drop <= 0.1": False,
        "implies(depth > 2, drop > 0.1)": True,
        "depth + drop <= 1": True,
        "depth + (drop if active(drop) else 0) <= 1": False,
        "depth + (drop if booster == 'dart' else 0) <= 1": False,
        "active(drop)": False,
        "not (depth == 5 and drop == 0.0)": True,
        "all([drop > 0, depth == 2])": False,
        "count(drop > 0, depth == 2) >= 1": True,
        "all_different(depth, skip, 5)": False,
    }.items():
        assert (start in quiet_set(BOOSTERS, [rule])) is holds, rule


def test_functions_are_never_called_without_a_value() -> None:
    def fits(drop: float, skip: int) -> bool:
        assert drop is not None and skip is not None
        return drop * skip < 1

    feasible = FeasibleSet(BOOSTERS, [fits])
    assert feasible.count == 4 * (1 + 1 + 3)


def test_vectors_and_shares_come_and_go_whole() -> None:
    space = Space(
        {
            "kind": Ordinal(["plain", "coated", "mixed"]),
            "layers": Vector(Integer(1, 3), 2, when="kind >= 'coated'"),
            "mix": Shares(["a", "b"], step=0.25, when="kind == 'mixed'"),
            "hot": Boolean(when="sum(layers) > 4"),
            "gas": Categorical(["n", "o"], when="mix['a'] > 0.5"),
        }
    )
    feasible = FeasibleSet(space, ["layers[0] != layers[1]", "mix['b'] >= 0.25"])
    pairs = [(i, j) for i in (1, 2, 3) for j in (1, 2, 3) if i != j]
    n_layers = sum(2 if i + j > 4 else 1 for i, j in pairs)
    n_mixes = sum(2 if a > 0.5 else 1 for a in (0.0, 0.25, 0.5, 0.75))
    assert feasible.count == 1 + n_layers + n_layers * n_mixes
    assert {"kind": "plain"} in feasible
    for point in feasible:
        assert ("layers" in point, "mix" in point) == (point["kind"] != "plain", point["kind"] == "mixed")
        assert "mix" not in point or sum(point["mix"].values()) == 1
    assert Space.from_toml(space.to_toml()) == space
    assert Space.from_json(space.to_json()) == space
    broken = feasible.explain({"kind": "plain", "layers": [1, 2]})
    assert "layers is inactive because kind is 'plain', but has values" in str(broken)


def test_scores_and_completions_know_no_value() -> None:
    feasible = FeasibleSet(BOOSTERS)
    assert feasible.best({"drop": {None: 1.0}, "depth": {5: 0.5}}) == [{"booster": "gbtree", "depth": 5}]
    assert feasible.completions({"drop": None}).count == 4
    assert feasible.completions({"drop": 0.25}).count == 8
    assert feasible.marginals()["drop"] == {0.0: 4, 0.25: 8, 0.5: 8, None: 4}


def test_the_doctor_speaks_of_inactive() -> None:
    findings = FeasibleSet(BOOSTERS, ["booster == 'gbtree'"]).doctor().findings()
    assert "drop is always inactive." in findings
    assert "drop can never be inactive." in FeasibleSet(BOOSTERS, ["booster == 'dart'"]).doctor().findings()


# --- bad input ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        (
            {"a": [1, 2], "b": Integer(0, 3, when="aa == 1")},
            r"The condition of 'b' \(aa == 1\) names 'aa', which is not in the space.*'a'",
        ),
        (
            {"b": Integer(0, 3, when="a == 1"), "a": [1, 2]},
            r"The condition of 'b' \(a == 1\) names 'a', which comes later\. Put 'a' before 'b'\.",
        ),
        ({"a": [1, 2], "b": Integer(0, 3, when="b == 1")}, "names 'b' itself"),
        (
            {"a": Integer(0, 3, when="c == 1"), "b": Integer(0, 3, when="a == 1"), "c": Integer(0, 3, when="b > 0")},
            "Conditions run in a circle: a needs c needs b needs a",
        ),
        ({"a": [1, 2], "b": Integer(0, 3, when="a = 1")}, "The condition of 'b': .*write '==' to compare"),
        ({"a": [1, 2], "b": Integer(0, 3, when="a.real == 1")}, "Attribute access is not allowed"),
        ({"a": [1, 2], "b": Integer(0, 3, when="a == 'x'")}, "compares text with a number"),
        ({"a": ["x", "y"], "b": Integer(0, 3, when="a == 'z'")}, "can never hold as it stands: 'a' is never 'z'"),
        (
            {"a": [1, 2], "b": Integer(0, 3, when="a > 2")},
            r"The condition of 'b' \(a > 2\) can never hold: 'b' would never have a value",
        ),
        (
            {"a": [1, 2], "b": Integer(0, 3, when="a == 1"), "c": Integer(0, 1, when="a == 2 and b == 1")},
            "The condition of 'c' .* can never hold",
        ),
        ({"a": [0, 1], "b": Integer(0, 3, when="2 / a > 1")}, "cannot be evaluated at some points.*b != 0 and a / b"),
    ],
)
def test_conditions_that_make_no_sense_are_refused(variables: dict[str, Any], said: str) -> None:
    with pytest.raises(SpaceError, match=said):
        FeasibleSet(Space(variables))


@pytest.mark.parametrize(
    ("when", "said"),
    [
        (True, "when takes a condition as text.*but True was given"),
        ("  ", "when is empty"),
    ],
)
def test_a_condition_is_text(when: Any, said: str) -> None:
    with pytest.raises(SpaceError, match=said):
        Integer(0, 3, when=when)


def test_components_have_no_conditions_of_their_own() -> None:
    with pytest.raises(SpaceError, match=r"exist together: write Vector\(..., 3, when='a > 1'\)"):
        Vector(Integer(0, 3, when="a > 1"), 3)


def test_a_condition_that_always_holds_is_remarked_on() -> None:
    with pytest.warns(RuleWarning, match=r"The condition of 'b' \(a > 0\) always holds; it has no effect"):
        feasible = FeasibleSet(Space({"a": [1, 2], "b": Integer(0, 3, when="a > 0")}))
    assert feasible.count == 8


def test_an_expression_serves_as_a_condition() -> None:
    first = Space({"kind": ["x", "y"]})
    assert Integer(0, 3, when=first["kind"] == "x") == Integer(0, 3, when="kind == 'x'")  # type: ignore[arg-type]
    assert repr(Integer(0, 3, when="kind == 'x'")) == "Integer(low=0, high=3, step=1, when=\"kind == 'x'\")"
    assert repr(Integer(0, 3)) == "Integer(low=0, high=3, step=1)"

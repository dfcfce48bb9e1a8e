"""Orders of items under rules about positions: every question against all orders, listed one by one."""

from __future__ import annotations

import itertools
import json
import math
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare  # type: ignore[import-untyped]

import hedgerow as hr
from hedgerow.errors import EffortExceeded, InfeasibleError, PointError, RuleError, SpaceError
from hedgerow.feasible.engines import order_set
from hedgerow.feasible.engines.cp_sat_model import Answer
from hedgerow.feasible.engines.order_set import OrderSet
from hedgerow.feasible.engines.product import ProductSet
from hedgerow.feasible.engines.relaxed import RelaxedSet
from hedgerow.feasible.orders import counted, patterns, poset
from hedgerow.space import decode, encode
from tests.oracles import quiet_set

ITEMS = ("a", "b", "c", "d", "e", "f", "g", "h", "i", "j")
Order = tuple[str, ...]


def random_rules(n: int, chance: random.Random, kinds: str = "bp") -> list[str]:
    """Some rules that a hidden order keeps, so that there is one."""
    hidden = chance.sample(ITEMS[:n], n)
    rules = []
    for _ in range(chance.randint(0, n)):
        first, second = sorted(chance.sample(range(n), 2))
        a, b, kind = hidden[first], hidden[second], chance.choice(kinds)
        if kind == "b":
            rules.append(chance.choice([f"before(x, '{a}', '{b}')", f"not before(x, '{b}', '{a}')"]))
        elif kind == "p":
            low, high = max(1, first + 1 - chance.randint(0, 2)), first + 1 + chance.randint(0, 2)
            rules.append(f"{low} <= position(x, '{a}') <= {high}")
        elif kind == "n":
            rules.append(f"abs(position(x, '{a}') - position(x, '{b}')) <= {second - first}")
        else:
            rules.append(f"k < {chance.randint(2, 4)} or before(x, '{a}', '{b}')")
    return rules


def keeps(order: Order, rules: list[str], k: int = 0) -> bool:
    def position(_: object, item: str) -> int:
        return order.index(item) + 1

    def before(_: object, *items: str) -> bool:
        return all(position(_, a) < position(_, b) for a, b in itertools.pairwise(items))

    names: dict[str, Any] = {"position": position, "before": before, "x": None, "k": k}
    names |= {"adjacent": lambda _, a, b: abs(position(_, a) - position(_, b)) == 1, "abs": abs}
    return all(eval(rule, {"__builtins__": {}}, names) for rule in rules)  # noqa: S307 - rules written above


def all_orders(n: int, rules: list[str]) -> set[Order]:
    return {order for order in itertools.permutations(ITEMS[:n]) if keeps(order, rules)}


def orders_of(points: Any) -> list[Order]:
    return [tuple(point["x"]) for point in points]


@pytest.mark.parametrize("seed", range(25))
def test_counts_ranks_and_marginals_are_those_of_a_list(seed: int) -> None:
    chance = random.Random(seed)
    n = chance.randint(2, 6)
    rules = random_rules(n, chance)
    expected = all_orders(n, rules)
    feasible = quiet_set(hr.Space({"x": hr.Permutation(ITEMS[:n])}), rules)
    assert isinstance(feasible.codes, OrderSet)
    assert feasible.is_exact and feasible.sampling == "uniform"
    listed = orders_of(feasible)
    assert len(listed) == len(set(listed)) == feasible.count
    assert set(listed) == expected
    assert [feasible.index(feasible[place]) for place in range(feasible.count)] == list(range(feasible.count))
    for item, counts in feasible.marginals()["x"].items():
        assert counts == {at: sum(order[at - 1] == item for order in expected) for at in range(1, n + 1)}
    for order in itertools.islice(itertools.permutations(ITEMS[:n]), 100):
        assert ({"x": list(order)} in feasible) == (order in expected)
        assert feasible.explain({"x": list(order)}).is_feasible == (order in expected)


def distance(order: Order, other: Order) -> tuple[int, int]:
    apart = [abs(order.index(item) - other.index(item)) for item in order]
    return sum(step > 0 for step in apart), sum(apart)


@pytest.mark.parametrize("seed", range(8))
def test_repairs_neighbors_and_completions_are_those_of_a_list(seed: int) -> None:
    chance = random.Random(100 + seed)
    n = chance.randint(3, 5)
    rules = random_rules(n, chance)
    expected = all_orders(n, rules)
    feasible = quiet_set(hr.Space({"x": hr.Permutation(ITEMS[:n])}), rules)
    given = tuple(chance.sample(ITEMS[:n], n))
    point = {"x": list(given)}
    repaired = tuple(feasible.repair(point)["x"])
    assert repaired in expected
    assert distance(given, repaired) == min(distance(given, order) for order in expected)
    near = orders_of(feasible.neighbors(point))
    assert len(near) == len(set(near))
    assert set(near) == {order for order in expected if is_small_change(given, order)}
    swapped = {order for order in expected if sum(a != b for a, b in zip(given, order, strict=True)) == 2}
    assert set(orders_of(feasible.exchanges(point))) == swapped
    item, at = chance.choice(ITEMS[:n]), chance.randint(1, n)
    rest = {order for order in expected if order[at - 1] == item}
    for partial in ({item: at}, [item if place == at else None for place in range(1, n + 1)]):
        completions = feasible.completions({"x": partial})
        assert completions.count == len(rest)
        if rest:
            assert set(orders_of(completions.sample(30, seed=0))) <= rest


def is_small_change(order: Order, other: Order) -> bool:
    for i, j in itertools.combinations(range(len(order)), 2):
        part = list(order[i : j + 1])
        changes = ([part[-1], *part[1:-1], part[0]], [*part[1:], part[0]], [part[-1], *part[:-1]], part[::-1])
        if any((*order[:i], *changed, *order[j + 1 :]) == other for changed in changes):
            return True
    return False


def test_draws_are_uniform() -> None:
    rules = ["before(x, 'a', 'b')", "before(x, 'c', 'b', 'd')", "position(x, 'e') <= 3"]
    expected = all_orders(6, rules)
    drawn = Counter(orders_of(quiet_set(hr.Space({"x": hr.Permutation(ITEMS[:6])}), rules).sample(6000, seed=3)))
    assert set(drawn) == expected
    assert chisquare([drawn[order] for order in sorted(expected)]).pvalue > 1e-4


def test_the_best_orders_come_in_order() -> None:
    space = hr.Space({"x": hr.Permutation(ITEMS[:5])})
    chance = np.random.default_rng(0)
    scores = {item: {at: float(chance.integers(-20, 20)) for at in range(1, 6)} for item in ITEMS[:5]}
    for rules in ([], ["position(x, 'b') >= 3"], ["before(x, 'a', 'b')", "before(x, 'c', 'd')"]):
        best = orders_of(quiet_set(space, rules).best({"x": scores}, k=8))
        worths = {order: sum(scores[item][at] for at, item in enumerate(order, 1)) for order in all_orders(5, rules)}
        assert [worths[order] for order in best] == sorted(worths.values(), reverse=True)[:8]


@pytest.mark.parametrize("seed", range(8))
def test_orders_beside_other_variables_are_those_of_a_list(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # With more items no diagram would hold such rules; here the same paths are taken with few.
    monkeypatch.setattr("hedgerow.feasible.engines.choice._FEW_ITEMS", 0)
    chance = random.Random(200 + seed)
    n = chance.randint(3, 5)
    rules = random_rules(n, chance, kinds="bpnk")
    space = hr.Space({"k": hr.Integer(0, 4), "x": hr.Permutation(ITEMS[:n]), "p": bool})
    expected = {
        (order, k, p)
        for order in itertools.permutations(ITEMS[:n])
        for k in range(5)
        for p in (False, True)
        if keeps(order, rules, k) and (k <= 2 or p)
    }
    feasible = quiet_set(space, [*rules, "k <= 2 or p"])
    assert isinstance(feasible.codes, ProductSet | RelaxedSet)
    listed = [(tuple(point["x"]), point["k"], point["p"]) for point in feasible]
    assert len(listed) == len(set(listed))
    assert set(listed) == expected
    if feasible.is_exact:
        assert feasible.count == len(expected)
    point = {"x": list(chance.sample(ITEMS[:n], n)), "k": chance.randint(0, 4), "p": chance.random() < 0.5}
    repaired = feasible.repair(point)
    assert (tuple(repaired["x"]), repaired["k"], repaired["p"]) in expected
    row = encode(space, feasible.sample(1, seed=seed)[0])
    rows = np.array([encode(space, {"x": list(o), "k": k, "p": p}) for o, k, p in expected])
    for n_slots, found in ((1, feasible.codes.neighbors(row)), (2, feasible.codes.exchanges(row))):
        wanted = rows[(rows != row).sum(axis=1) == n_slots]
        assert sorted(map(tuple, found.tolist())) == sorted(map(tuple, wanted.tolist()))


def test_few_items_with_any_rules_are_counted() -> None:
    rules = ["adjacent(x, 'a', 'b')", "abs(position(x, 'c') - position(x, 'd')) >= 3"]
    feasible = quiet_set(hr.Space({"x": hr.Permutation(ITEMS[:6])}), rules)
    assert feasible.is_exact and feasible.count == len(all_orders(6, rules))


def test_what_cannot_be_counted_is_drawn_diverse_and_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(poset, "MAX_IDEALS", 3)
    monkeypatch.setattr(patterns, "MAX_STATES", 3)
    space = hr.Space({"x": hr.Permutation(ITEMS[:5])})
    for extra in ([], ["position(x, 'e') >= 3"]):
        rules = ["before(x, 'a', 'b')", "before(x, 'a', 'c')", "before(x, 'd', 'c')", "before(x, 'd', 'e')", *extra]
        expected = all_orders(5, rules)
        feasible = quiet_set(space, rules)
        assert feasible.sampling == "diverse" and not feasible.is_exact
        assert set(orders_of(feasible.sample(40, seed=0))) <= expected
        assert tuple(feasible.repair({"x": list("edcba")})["x"]) in expected
        rows = np.array([encode(space, {"x": list(order)}) for order in expected])
        assert feasible.codes.untried(rows, np.random.default_rng(0)) is None
        left = feasible.codes.untried(rows[1:], np.random.default_rng(0))
        assert left is not None and left.tolist() == rows[0].tolist()


def test_two_hundred_items() -> None:
    space = hr.Space({"x": hr.Permutation(range(200))})
    assert hr.FeasibleSet(space).count == math.factorial(200)
    rules = [f"before(x, {i}, {i + 7})" for i in range(60)] + ["position(x, 150) <= 5"]
    feasible = hr.FeasibleSet(space, rules)
    assert feasible.is_exact
    for point in feasible.sample(5, seed=0):
        at = {item: place for place, item in enumerate(point["x"], 1)}
        assert all(at[i] < at[i + 7] for i in range(60)) and at[150] <= 5
    assert feasible[feasible.index(point)] == point


def test_counting_stops_where_it_would_cost_too_much() -> None:
    before = np.zeros((60, 60), dtype=np.bool_)
    chance = np.random.default_rng(0)
    for a, b in chance.integers(0, 60, size=(150, 2)):
        before[min(a, b), max(a, b)] |= a != b
    for item in range(60):
        before |= np.outer(before[:, item], before[item])
    with pytest.raises(poset.IdealsExceeded):
        counted.CountedOrders(np.ones((60, 60), dtype=np.bool_), before)
    drawn = OrderSet(np.ones((60, 60), dtype=np.bool_), before).draw(3, np.random.default_rng(0))
    assert OrderSet(np.ones((60, 60), dtype=np.bool_), before).accepts(drawn).all()


def test_points_files_and_functions_hold_plain_lists() -> None:
    space = hr.Space({"x": hr.Permutation(["a", "b", "c"]), "n": hr.Permutation([10, 20])})
    assert space.size == 12
    assert hr.Space.from_toml(space.to_toml()) == hr.Space.from_json(space.to_json()) == space
    point = {"x": ["c", "a", "b"], "n": [20, 10]}
    assert decode(space, encode(space, point)) == point
    assert json.loads(json.dumps(decode(space, encode(space, point)))) == point
    feasible = hr.FeasibleSet(space, [lambda x, n: x[0] == "c" and n == [20, 10]])
    assert list(feasible) == [{"x": ["c", "a", "b"], "n": [20, 10]}, {"x": ["c", "b", "a"], "n": [20, 10]}]


def test_what_does_not_fit_is_said() -> None:
    for items, said in (
        ("abc", "list of items"),
        (["a"], "2 to 500"),
        (["a", "a"], "twice"),
        ([1, "1"], "twice"),
        ([1.5, 2], "whole numbers"),
        (["a[0]", "b"], "brackets"),
        ([True, False], "whole numbers"),
    ):
        with pytest.raises(SpaceError, match=said):
            hr.Permutation(items)  # type: ignore[arg-type]
    with pytest.raises(SpaceError, match="no condition"):
        hr.Permutation(["a", "b"], when="p")
    feasible = hr.FeasibleSet(hr.Space({"x": hr.Permutation(["a", "b", "c"])}))
    for given, said in (
        (["a", "b"], "2 were given"),
        (["a", "b", "b"], "holds 'b' twice"),
        (["a", "b", "z"], "no item 'z'"),
        ("abc", "Give a list"),
    ):
        with pytest.raises(PointError, match=said):
            feasible.explain({"x": given})
    with pytest.raises(PointError, match="positions from 1 to 3"):
        feasible.completions({"x": {"a": 4}})
    for rule, said in (
        ("x[0] == 'a'", "position\\(x, 'a'\\)"),
        ("before(x, 'a', 'z')", "no item 'z'"),
        ("before(x, 'a')", "at least 3"),
        ("position(x, 1.5) == 1", "an item"),
        ("position(y, 'a') == 1", "no variable 'y'"),
    ):
        with pytest.raises(RuleError, match=said):
            hr.FeasibleSet(feasible.space, [rule])


def test_contradictions_are_named() -> None:
    space = hr.Space({"x": hr.Permutation(range(30))})
    with pytest.raises(InfeasibleError) as caught:
        hr.FeasibleSet(space, {"one": "before(x, 1, 2)", "other": "before(x, 5, 6)", "two": "before(x, 2, 1)"})
    assert caught.value.rules == ("one", "two")


def test_an_item_that_must_come_before_itself_leaves_no_order() -> None:
    space = hr.Space({"x": hr.Permutation(ITEMS[:4]), "n": hr.Integer(0, 1)})
    rules = ["before(x, 'a', 'b')", "before(x, 'b', 'a')", "before(x, 'c', 'd')"]
    feasible = hr.FeasibleSet(space, rules, allow_empty=True)
    assert feasible.count == 0
    assert {"x": ["c", "d", "a", "b"], "n": 0} not in feasible


def test_a_solver_without_a_proof_does_not_say_that_no_order_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(order_set, "CountedOrders", _not_counted)
    codes = hr.FeasibleSet(hr.Space({"x": hr.Permutation(ITEMS[:4])}), ["before(x, 'a', 'b')"]).codes
    assert isinstance(codes, OrderSet) and not codes.is_exact
    monkeypatch.setattr(codes.solver, "find", lambda *_, **__: Answer(None, False))
    with pytest.raises(EffortExceeded, match="nor a proof"):
        codes.untried(np.zeros((0, 4), dtype=np.int64), np.random.default_rng(0))


def _not_counted(*_: object) -> None:
    raise poset.IdealsExceeded


def test_parts_of_tried_rows_are_tried_also_where_another_part_breaks_a_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(order_set, "CountedOrders", _not_counted)
    space = hr.Space({"x": hr.Permutation(ITEMS[:3]), "n": hr.Integer(0, 2)})
    feasible = hr.FeasibleSet(space, ["before(x, 'a', 'b')", "n != 1"])
    assert isinstance(feasible.codes, ProductSet) and not feasible.is_exact
    everything = [{"x": list(order), "n": n} for order in itertools.permutations("abc") for n in range(3)]
    rows = np.array([encode(space, point) for point in everything])
    is_kept = feasible.codes.accepts(rows)
    assert is_kept.sum() == 6
    # One order was tried with a number that breaks a rule only; with the others it is still to come.
    last = {"x": ["a", "b", "c"], "n": 2}
    left = [not (point["x"] == last["x"] and point["n"] != 1) for point in everything]
    for _ in range(2):
        found = feasible.codes.untried(rows[left], np.random.default_rng(1))
        assert found is not None and decode(space, found)["x"] == last["x"]
        left[everything.index(decode(space, found))] = True
    assert feasible.codes.untried(rows[left], np.random.default_rng(1)) is None
    assert sorted(str(point) for point in feasible) == sorted(
        str(point) for point, kept in zip(everything, is_kept, strict=True) if kept
    )


def test_the_doctor_tells_the_engine_and_what_says_nothing() -> None:
    space = hr.Space({"x": hr.Permutation(range(20)), "p": bool})
    rules = [
        "before(x, 1, 2)",
        "before(x, 2, 3)",
        "before(x, 1, 3)",
        "position(x, 0) == 1",
        "implies(p, before(x, 5, 6))",
    ]
    exact = quiet_set(space, rules[:4]).doctor()
    assert exact.redundant_rules == ("before(x, 1, 3)",) and exact.forced_values == {"x[0]": 1}
    assert exact.rule_densities["before(x, 1, 2)"] == pytest.approx(0.5)
    assert "orders of 20 items" in exact.engine and exact.engine.endswith("exact")
    beside = quiet_set(space, rules).doctor()
    assert beside.residual_rules == ("implies(p, before(x, 5, 6))",)
    assert "checked beside the orders" in str(beside) and "uniform draws" in beside.engine

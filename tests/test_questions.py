"""What can be asked of an optimizer besides points: what matters, what is left, and runs that stop by it."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.errors import HedgerowError
from hedgerow.methods import Auto, CodeProblem, History
from hedgerow.methods.auto.left import DOUBTING, chance_of_gain, joint_factor
from hedgerow.methods.auto.method import AutoRun

SPACE = hr.Space({"x": hr.Integer(0, 11), "y": hr.Integer(0, 11), "kind": ["a", "b", "c"]})
RULES = ["x + y <= 16", "kind != 'c' or x >= 2"]


def value(point: hr.Point) -> float:
    return float((point["x"] - 4) ** 2 + 0.3 * point["y"] + (point["kind"] == "b"))


def told(n: int, **named: object) -> hr.Optimizer:
    optimizer = hr.Optimizer(SPACE, RULES, method="random", seed=1, **named)  # type: ignore[arg-type]
    for point in optimizer.ask(n):
        optimizer.tell(point, value(point))
    return optimizer


def test_a_point_that_is_out_is_not_predicted_as_if_it_were_known() -> None:
    """Methods believe that what is out turns out as predicted; a user who asks about it is told what is known."""
    optimizer = told(8)
    points = [point for point in optimizer.ask(6) if point not in [seen.point for seen in optimizer.observations]]
    out = optimizer.predict(points)
    without = told(8).predict(points)
    assert [one["value"] for one in out] == [one["value"] for one in without]


def test_what_matters_is_found_with_its_interval() -> None:
    importance = told(50).importance()
    assert [share.names for share in importance.main] == [("x",), ("y",), ("kind",)]
    first = importance.main[0]
    assert first.share > 0.9
    assert 0 <= first.interval[0] <= first.share <= first.interval[1] <= 1
    assert all(share.share < 0.1 for share in importance.pairs)
    assert str(importance).startswith("Shares of the variance of value\nx: 9")


def test_pairs_that_act_together_are_found() -> None:
    space = hr.Space({"a": hr.Integer(-3, 3), "b": hr.Integer(-3, 3), "c": hr.Integer(0, 3)})
    optimizer = hr.Optimizer(space, method="random")
    for point in optimizer.ask(100):
        optimizer.tell(point, point["a"] * point["b"] + 0.1 * point["c"])
    assert optimizer.importance().pairs[0].names == ("a", "b")
    assert optimizer.importance().pairs[0].share > 0.8


@pytest.mark.parametrize("unit", [1e-250, 1e300])
def test_shares_have_no_unit(unit: float) -> None:
    optimizer = hr.Optimizer(SPACE, RULES, method="random", seed=1)
    for point in optimizer.ask(30):
        optimizer.tell(point, unit * value(point))
    with np.errstate(all="raise"):
        found = optimizer.importance()
    usual = told(30).importance()
    assert [each.names for each in found.main] == [each.names for each in usual.main]
    shares = [[each.share for each in importance.main] for importance in (found, usual)]
    assert shares[0] == pytest.approx(shares[1], abs=1e-6)


def test_importance_of_any_outcome_and_of_none() -> None:
    optimizer = hr.Optimizer(hr.Space({"x": hr.Integer(0, 9)}), objectives={"time": "maximize"})
    with pytest.raises(HedgerowError, match="no trial has given a value"):
        optimizer.importance()
    for x in (0, 3, 6, 9):
        optimizer.tell({"x": x}, {"time": 1.0, "size": 2.0 * x})
    with pytest.raises(HedgerowError, match="All trials gave the same 'time'"):
        optimizer.importance()
    assert optimizer.importance("size").main[0].share > 0.9
    with pytest.raises(HedgerowError, match="trials have given 'time' and 'size'"):
        optimizer.importance("sice")


def test_what_is_left_falls_to_nothing_and_is_no_less_than_one_trial_gives() -> None:
    optimizer = hr.Optimizer(SPACE, RULES, seed=0)
    seen = []
    for _ in range(25):
        point = optimizer.ask()
        optimizer.tell(point, value(point))
        if len(optimizer.observations) % 6 == 5 or len(optimizer.observations) == 25:
            seen.append(optimizer.room_left())
    assert all(left.is_exact for left in seen)
    assert all(left.next_trial <= left.expected <= left.cautious for left in seen)
    assert optimizer.best is not None
    assert optimizer.best.value == 0.0
    assert seen[-1].expected < 0.05
    assert seen[-1].n_points == optimizer.feasible.count - 25


def test_what_is_left_is_in_the_unit_of_the_objective_in_both_directions() -> None:
    lower, higher = told(20), hr.Optimizer(SPACE, RULES, direction="maximize", seed=0)
    other = hr.Optimizer(SPACE, RULES, seed=0)
    for seen in lower.observations:
        assert seen.value is not None
        higher.tell(seen.point, -1000 * seen.value)
        other.tell(seen.point, 1000 * seen.value)
    left = higher.room_left().expected
    assert math.isclose(left, other.room_left().expected, rel_tol=1e-6)
    again = hr.Optimizer(SPACE, RULES, seed=0)
    for seen in lower.observations:
        again.tell(seen.point, seen.value)
    assert math.isclose(left, 1000 * again.room_left().expected, rel_tol=1e-3)


def test_what_is_left_needs_values_and_one_objective() -> None:
    with pytest.raises(HedgerowError, match="before a trial has given a value"):
        hr.Optimizer(SPACE, RULES).room_left()
    two = hr.Optimizer(SPACE, RULES, objectives={"a": "minimize", "b": "minimize"})
    with pytest.raises(HedgerowError, match="several"):
        two.room_left()


def test_the_chance_of_a_gain_needs_one_objective() -> None:
    optimizer = hr.Optimizer(hr.Space({"x": [1, 2, 3]}), objectives={"time": "minimize", "size": "minimize"})
    with pytest.raises(HedgerowError, match="for one objective; here there are several"):
        optimizer.chance_of_gain(0.1)


def test_limits_and_noise_count_in_what_is_left() -> None:
    limited = hr.Optimizer(SPACE, RULES, limits={"fits": "size <= 12"}, seed=0)
    noisy = hr.Optimizer(SPACE, RULES, repeats="auto", seed=0)
    rng = np.random.default_rng(0)
    for point in told(30).feasible.sample(30, seed=3):
        limited.tell(point, {"value": value(point), "size": float(point["x"] + point["y"])})
        noisy.tell(point, value(point) + rng.normal())
    assert limited.room_left().expected >= 0
    assert noisy.room_left().expected > 0


def test_large_sets_are_looked_at_in_part() -> None:
    space = hr.Space({f"v{k}": hr.Integer(0, 9) for k in range(8)})
    optimizer = hr.Optimizer(space, method="random")
    for point in optimizer.ask(15):
        optimizer.tell(point, float(sum(point.values())))
    left = optimizer.room_left()
    assert not left.is_exact
    assert left.expected > 0


def test_a_run_stops_when_nothing_is_left() -> None:
    result = hr.minimize(value, SPACE, RULES, budget=150, stop="when nothing is left", least_gain=0.2)
    assert result.stopped is hr.Stopped.NOTHING_LEFT
    assert len(result.observations) < 60
    assert result.best_value == 0.0


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({"stop": "now"}, "stop is None or 'when nothing is left'"),
        ({"least_gain": 1.0}, "it needs stop="),
        ({"stop": "when nothing is left", "least_gain": 0}, "a number above 0"),
        ({"stop": "when nothing is left", "least_gain": "much"}, "a number above 0"),
        ({"stop": "when nothing is left", "objectives": {"a": "minimize", "b": "minimize"}}, "one objective"),
    ],
)
def test_bad_ways_to_stop_are_refused_before_the_first_trial(named: dict[str, object], said: str) -> None:
    with pytest.raises(HedgerowError, match=said):
        hr.minimize(value, SPACE, RULES, **named)  # type: ignore[arg-type]


def test_what_is_left_of_reals_is_refused_before_the_first_trial() -> None:
    with pytest.raises(HedgerowError, match="Give them levels"):
        hr.minimize(lambda point: point["x"], hr.Space({"x": hr.Real(0, 1)}), stop="when nothing is left")


def test_the_chance_of_a_gain_is_known_whatever_chooses_the_points_of_a_long_list() -> None:
    space = hr.Space({"x": hr.Integer(0, 19), "y": hr.Integer(0, 19), "z": hr.Integer(0, 9)})
    drawing = hr.Optimizer(space, ["x + y + z <= 40"], method="random")
    default = hr.Optimizer(space, ["x + y + z <= 40"])
    for point in drawing.ask(12):
        for optimizer in (drawing, default):
            optimizer.tell(point, (point["x"] - 7) ** 2 + point["y"] + 0.1 * point["z"])
    default.ask()
    assert drawing.feasible.count > 3000
    assert 0.0 <= drawing.chance_of_gain(1.0) <= 1.0
    assert drawing.chance_of_gain(1.0) == default.chance_of_gain(1.0)


def test_the_chance_of_a_gain_is_that_of_many_draws() -> None:
    space = hr.Space({"x": hr.Integer(0, 9), "y": hr.Integer(0, 5)})
    feasible = hr.FeasibleSet(space, ["x + y <= 12"])
    rng = np.random.default_rng(3)
    codes = feasible.codes.draw(14, rng)
    history = History(codes, (codes[:, 0] - 4.0) ** 2 + codes[:, 1] + rng.normal(size=14), codes[:0])
    posterior = AutoRun(Auto(), CodeProblem(feasible)).posterior(history, 0)
    rows = np.concatenate(list(feasible.codes.batches()))
    rows = rows[~history.is_seen(rows)]
    best, least = float(history.values.min()), 0.5
    expected = 0.0
    weights = np.exp([belief.log_weight for belief in posterior.beliefs])
    for belief, share in zip(posterior.beliefs, weights / weights.sum(), strict=True):
        model = posterior.model(belief)
        mean, factor = joint_factor(model, posterior.seen_by(belief, rows))
        own = math.sqrt(model.variance * model.factor.kernel.noise(model.factor.parameters))
        drawn = (
            mean + DOUBTING * rng.normal(size=(4000, mean.size)) @ factor.T + own * rng.normal(size=(4000, mean.size))
        )
        expected += share * (drawn.min(axis=1) < posterior.target(belief.transform, best - least)).mean()
    assert 0.05 < expected < 0.95
    assert chance_of_gain(posterior, best, rows, least, None) == pytest.approx(expected, abs=0.06)


def test_one_point_is_predicted_in_a_list() -> None:
    optimizer = hr.Optimizer(hr.Space({"x": hr.Integer(0, 9)}))
    optimizer.tell({"x": 1}, 2.0)
    with pytest.raises(hr.PointError, match=r"say predict\(\[point\]\)\[0\]"):
        optimizer.predict({"x": 1})  # type: ignore[dict-item]


# --- where variables take any real number ---

REALS = hr.Space({"x": hr.Real(0, 1), "y": hr.Real(0.01, 1, log=True), "n": hr.Integer(1, 4)})


def told_over_reals(n: int, cost: Callable[[hr.Point], float]) -> hr.Optimizer:
    optimizer = hr.Optimizer(REALS, ["x * n <= 3"], seed=0)
    for point in hr.FeasibleSet(REALS, ["x * n <= 3"]).sample(n, seed=1):
        optimizer.tell(point, cost(point))
    return optimizer


def test_importance_over_reals_names_what_matters_alone_and_in_pairs() -> None:
    importance = told_over_reals(40, lambda p: 4.0 * p["x"] + 0.5 * p["n"]).importance()
    assert importance.main[0].names == ("x",)
    shares = {share.names: share.share for share in importance.main}
    assert shares["x",] > 0.6
    assert shares["y",] < 0.05
    crossed = told_over_reals(60, lambda p: (p["x"] - 0.4) * (math.log(p["y"]) + 2.3)).importance()
    assert crossed.pairs[0].names == ("x", "y")
    assert crossed.pairs[0].share > 0.3


def test_importance_over_reals_wants_two_values() -> None:
    optimizer = hr.Optimizer(REALS)
    for point in optimizer.ask(3):
        optimizer.tell(point, 1.0)
    with pytest.raises(hr.HedgerowError, match="All trials gave the same 'value'"):
        optimizer.importance()


def test_room_left_over_reals_shrinks_as_the_best_is_found() -> None:
    def cost(point: hr.Point) -> float:
        return float((point["x"] - 0.3) ** 2 + 0.1 * (math.log10(point["y"]) + 1) ** 2 + 0.2 * abs(point["n"] - 2))

    optimizer = told_over_reals(10, cost)
    before = optimizer.room_left()
    for _ in range(12):
        point = optimizer.ask()
        optimizer.tell(point, cost(point))
    after = optimizer.room_left()
    assert not before.is_exact
    assert before.expected >= before.next_trial > 0
    assert after.expected < 0.2 * before.expected
    assert after.cautious >= after.expected


def test_room_left_over_reals_is_in_the_unit_of_the_objective() -> None:
    def cost(point: hr.Point) -> float:
        return float(10 + (point["x"] - 0.3) ** 2 + 0.2 * point["n"])

    small = told_over_reals(12, cost).room_left().expected
    large = told_over_reals(12, lambda point: 1000 * cost(point)).room_left().expected
    assert math.isclose(large, 1000 * small, rel_tol=1e-3)

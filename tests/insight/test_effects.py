"""Effects and interactions: what they average over, what they find, and when there are none."""

from __future__ import annotations

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.arrays import Codes, Column
from hedgerow.insight.effects import Effect, Effects, NoEffects, effects_of
from hedgerow.insight.importance import EffectShare, Importance
from hedgerow.insight.model import fit_model
from hedgerow.space import Point
from hedgerow.space.encoding import decode, encode_many

SPACE = hr.Space({"a": hr.Integer(0, 5), "b": hr.Integer(0, 5), "c": ["x", "y", "z"], "idle": bool})
FEASIBLE = hr.FeasibleSet(SPACE, ["a + b <= 7"])


def additive(point: Point) -> float:
    return float(2 * point["a"] + (point["b"] - 2) ** 2 + 3 * (point["c"] == "y"))


def told(points: list[Point], objective: object = additive) -> tuple[Codes, Column]:
    assert callable(objective)
    return encode_many(SPACE, points), np.array([objective(point) for point in points])


def by_name(effects: Effects | NoEffects) -> dict[str, Column]:
    assert isinstance(effects, Effects)
    return {effect.levels.name: effect.means for effect in effects.main}


def test_effects_are_means_over_the_feasible_points_alone() -> None:
    points = list(FEASIBLE)
    effects = effects_of(FEASIBLE, *told(points), is_maximized=False)
    assert isinstance(effects, Effects)
    assert effects.is_complete
    assert effects.n_rows == len(points)
    assert effects.trust > 0.98
    for name, means in by_name(effects).items():
        values = SPACE.variables[name].values  # type: ignore[union-attr]
        expected = [np.mean([additive(point) for point in points if point[name] == value]) for value in values]
        assert means == pytest.approx(expected, abs=0.15)


def test_an_additive_objective_has_no_interactions_and_an_idle_variable_no_share() -> None:
    effects = effects_of(FEASIBLE, *told(list(FEASIBLE)), is_maximized=False)
    assert isinstance(effects, Effects)
    assert effects.interactions == ()
    assert effects.main[-1].levels.name == "idle"
    assert effects.main[-1].share < 0.01


def test_a_pair_that_does_nothing_alone_is_found() -> None:
    def crossed(point: Point) -> float:
        return float((point["a"] >= 3) != (point["idle"]))

    effects = effects_of(FEASIBLE, *told(FEASIBLE.sample(80, seed=1), crossed), is_maximized=False)
    assert isinstance(effects, Effects)
    strongest = effects.interactions[0]
    assert {strongest.first.name, strongest.second.name} == {"a", "idle"}
    assert strongest.share > 0.5


def test_cells_without_feasible_points_are_empty() -> None:
    def product(point: Point) -> float:
        return float(point["a"] * point["b"])

    effects = effects_of(FEASIBLE, *told(list(FEASIBLE), product), is_maximized=False)
    assert isinstance(effects, Effects)
    pair = next(each for each in effects.interactions if {each.first.name, each.second.name} == {"a", "b"})
    empty = {(int(row), int(column)) for row, column in zip(*np.nonzero(np.isnan(pair.means)), strict=True)}
    assert empty == {(a, b) for a in range(6) for b in range(6) if a + b > 7}


def test_maximizing_the_opposite_mirrors_the_effects() -> None:
    codes, values = told(FEASIBLE.sample(40, seed=2))
    least = by_name(effects_of(FEASIBLE, codes, values, is_maximized=False))
    most = by_name(effects_of(FEASIBLE, codes, -values, is_maximized=True))
    for name, means in least.items():
        assert most[name] == pytest.approx(-means)


def test_nothing_of_the_size_of_the_space_is_needed() -> None:
    space = hr.Space({"dna": hr.Vector(["A", "C", "G", "T"], 60), "n": hr.Integer(1, 90_000)})
    feasible = hr.FeasibleSet(space, ["count(dna == 'G') + count(dna == 'C') <= 30"])
    assert feasible.count > 10**30
    rows = feasible.codes.draw(60, np.random.default_rng(0))
    values = np.array([10.0 * (decode(space, row)["dna"][7] == "T") + row[60] / 90_000 for row in rows])
    effects = effects_of(feasible, rows, values, is_maximized=False)
    assert isinstance(effects, Effects)
    assert not effects.is_complete
    assert effects.main[0].levels.name == "dna[7]"
    assert int(np.nanargmax(effects.main[0].means)) == 3


@pytest.mark.parametrize("values", [[1.0] * 9, [1.0], [], [1.0, 2.0, 3.0]])
def test_too_few_different_values_give_a_reason(values: list[float]) -> None:
    points = FEASIBLE.sample(len(values), seed=0)
    effects = effects_of(FEASIBLE, encode_many(SPACE, points), np.array(values), is_maximized=False)
    assert isinstance(effects, NoEffects)
    assert "at least 4 values that are not all the same" in effects.reason


@pytest.mark.parametrize("factor", [1e-300, 1.0, 1e300])
def test_the_magnitude_of_values_does_not_matter(factor: float) -> None:
    codes, values = told(FEASIBLE.sample(30, seed=4))
    shares = [effect.share for effect in _main(codes, values)]
    assert [effect.share for effect in _main(codes, factor * values)] == pytest.approx(shares, abs=1e-6)
    assert _main(codes, factor * values)[0].means == pytest.approx(factor * _main(codes, values)[0].means, rel=1e-4)


def _main(codes: Codes, values: Column) -> tuple[Effect, ...]:
    effects = effects_of(FEASIBLE, codes, values, is_maximized=False)
    assert isinstance(effects, Effects)
    return effects.main


def test_trust_is_what_leaving_each_value_out_gives() -> None:
    """The formula that needs one factorization, against the process conditioned on all others."""
    codes, values = told(FEASIBLE.sample(15, seed=5))
    model = fit_model(SPACE, codes, values, is_maximized=False)
    surrogate = model._surrogate
    kernel = surrogate.factor.kernel
    rows, targets = surrogate.factor.codes, surrogate.targets
    lower = surrogate.factor.lower
    covariance = lower @ lower.T
    missed = []
    for place in range(len(rows)):
        rest = np.delete(np.arange(len(rows)), place)
        weights = np.linalg.solve(covariance[np.ix_(rest, rest)], targets[rest] - surrogate.mean)
        missed.append(targets[place] - surrogate.mean - covariance[place, rest] @ weights)
    assert kernel.n_slots == 4
    explained = 1 - np.sum(np.square(missed)) / np.sum((targets - targets.mean()) ** 2)
    assert model.trust == pytest.approx(float(np.clip(explained, 0, 1)), abs=1e-6)


def test_shares_are_those_of_importance_where_they_are_given() -> None:
    codes, values = told(FEASIBLE.sample(30, seed=4))
    shares = tuple(EffectShare((name,), share, (share / 2, 1.0)) for name, share in (("idle", 0.9), ("a", 0.2)))
    pair = EffectShare(("a", "b"), 0.125, (0.1, 0.2))
    importance = Importance("value", shares, (pair,))
    product = values * (codes[:, 0] + codes[:, 1])
    effects = effects_of(FEASIBLE, codes, product, is_maximized=False, importance=importance)
    own = effects_of(FEASIBLE, codes, product, is_maximized=False)
    assert isinstance(effects, Effects)
    assert isinstance(own, Effects)
    assert (effects.main[0].levels.name, effects.main[0].share, effects.main[0].interval) == ("idle", 0.9, (0.45, 1.0))
    unknown = {effect.levels.name: effect.share for effect in effects.main if effect.interval is None}
    assert unknown == {effect.levels.name: effect.share for effect in own.main if effect.levels.name in ("b", "c")}
    assert [each.share for each in effects.interactions if (each.first.name, each.second.name) == ("a", "b")] == [0.125]

"""The default with several objectives and limits: rules kept, runs resumed, what is missing treated rightly."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.methods.auto.curves import Curve
from hedgerow.methods.auto.transforms import TRANSFORMS
from hedgerow.search.hypervolume import hypervolume

SPACE = hr.Space({"x": hr.Integer(0, 7), "y": hr.Integer(0, 7), "kind": ["a", "b"]})
RULES = ["x + y <= 10", "kind == 'a' or x >= 2"]
BOTH = {"cost": "minimize", "speed": "maximize"}
LARGE = hr.Space({f"v{k}": hr.Integer(0, 9) for k in range(8)})


def measured(point: dict[str, Any]) -> dict[str, float]:
    x, y, bonus = point["x"], point["y"], 0.5 * (point["kind"] == "b")
    return {"cost": (x - 2) ** 2 + y + bonus, "speed": 3.0 * x + y * bonus, "memory": float(x * y)}


def run(n: int, objective: Callable[[dict[str, Any]], Any] = measured, **options: Any) -> hr.Optimizer:
    optimizer = hr.Optimizer(SPACE, RULES, **{"objectives": BOTH, **options})
    for _ in range(n):
        point = optimizer.ask()
        assert point in optimizer.feasible
        assert all(seen.point != point for seen in optimizer.observations)
        optimizer.tell(point, objective(point))
    return optimizer


def test_the_front_is_found_sooner_than_by_chance() -> None:
    every = list(hr.FeasibleSet(SPACE, RULES))
    whole = hr.Optimizer(SPACE, RULES, objectives=BOTH, method="random")
    for point in every:
        whole.tell(point, measured(point))
    runs = run(20, seed=0), run(20, seed=0, method="random"), whole
    fronts = [np.array([[seen.outcomes["cost"], -seen.outcomes["speed"]] for seen in each.front]) for each in runs]
    volumes = [hypervolume(front, np.array([40.0, 0.0])) for front in fronts]
    assert volumes[1] < 0.95 * volumes[2] < volumes[0]


def test_a_run_goes_on_where_another_process_stopped() -> None:
    whole = run(9, limits={"fits": "memory <= 9"}, seed=3)
    resumed = hr.Optimizer(SPACE, RULES, objectives=BOTH, limits={"fits": "memory <= 9"}, seed=3)
    for seen in whole.observations:
        resumed.tell(seen.point, seen.told)
    assert resumed.ask(3) == whole.ask(3)


def test_the_best_within_a_limit_is_found() -> None:
    limited = run(18, objectives={"cost": "minimize"}, limits={"fast": "speed >= 12"}, seed=0)
    kept = [measured(point) for point in hr.FeasibleSet(SPACE, RULES)]
    assert limited.best is not None
    assert limited.best.value == min(each["cost"] for each in kept if each["speed"] >= 12)


def test_while_nothing_keeps_the_limits_trials_come_nearer_to_them() -> None:
    limited = run(14, objectives={"cost": "minimize"}, limits={"large": "memory >= 25"}, seed=0)
    slacks = [seen.slacks["large"] for seen in limited.observations]
    assert max(slacks[7:]) == 0.0
    assert limited.best is not None


def test_trials_that_lack_an_objective_or_fail_do_no_harm() -> None:
    def patchy(point: dict[str, Any]) -> Any:
        outcome = measured(point)
        if point["y"] == 3:
            return None
        return {**outcome, "speed": math.nan} if point["y"] % 2 else outcome

    patched = run(12, patchy, limits={"fits": "memory <= 30"})
    assert all("speed" in seen.outcomes for seen in patched.front)


def test_an_outcome_that_never_changes_does_no_harm() -> None:
    flat = run(8, lambda point: {**measured(point), "speed": 1.0, "memory": 5.0}, limits={"fits": "memory <= 3"})
    assert flat.front == ()
    assert len(flat.observations) == 8


def test_three_objectives_a_batch_and_a_given_reference() -> None:
    optimizer = hr.Optimizer(
        SPACE, RULES, objectives={**BOTH, "memory": "minimize"}, reference={"cost": 30.0, "speed": 0.0, "memory": 40.0}
    )
    for _ in range(3):
        batch = optimizer.ask(4)
        assert len({str(point) for point in batch}) == 4
        for point in batch:
            optimizer.tell(point, measured(point))
    assert optimizer.suggest().reason == hr.methods.Reason.BEST_OF_ALL


def test_sets_that_cannot_be_listed_are_searched_inside_the_rules() -> None:
    optimizer = hr.Optimizer(
        LARGE, ["v0 + v1 + v2 <= 15"], objectives={"a": "minimize", "b": "minimize"}, limits={"c": "c <= 30"}
    )
    for place in range(8):
        point = optimizer.ask()
        assert point in optimizer.feasible
        values = list(point.values())
        outcome = {"a": sum(values[:4]), "b": sum((v - 5) ** 2 for v in values), "c": sum(values)}
        optimizer.tell(point, None if place == 4 else outcome)
    assert optimizer.suggest().reason == hr.methods.Reason.BEST_FOUND


@pytest.mark.parametrize("transform", range(3))
def test_curves_are_the_transforms_and_go_back(transform: int) -> None:
    values = np.random.default_rng(0).lognormal(size=30)
    curve = Curve.of(transform, values)
    assert curve.targets(values) == pytest.approx(TRANSFORMS[transform](values).values)
    others = np.array([-3.0, 0.0, 0.5, 40.0])
    assert curve.values(curve.targets(others)) == pytest.approx(others)

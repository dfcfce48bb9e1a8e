"""Studies of Optuna with several directions, constraints and repeats: learned from, and never outside the rules."""

from __future__ import annotations

import warnings
from typing import Any

import optuna
import pytest
from optuna.trial import TrialState

import hedgerow as hr

SPACE = hr.Space({"x": hr.Integer(0, 9), "y": hr.Integer(0, 9)})
RULES = ["x + y <= 12"]


@pytest.fixture(autouse=True)
def _quiet() -> None:
    optuna.logging.set_verbosity(optuna.logging.CRITICAL)


def point_of(trial: Any) -> tuple[int, int]:
    return trial.suggest_int("x", 0, 9), trial.suggest_int("y", 0, 9)


def two(trial: optuna.Trial) -> tuple[float, float]:
    x, y = point_of(trial)
    if x == 7:
        raise RuntimeError("no seven")
    return float((x - 5) ** 2 + y), float(x * y)


def as_told(optimizer: hr.Optimizer, n: int, measure: Any) -> list[dict[str, int]]:
    """Return the points that an optimizer asks for, which is what a study with the same trials must ask for."""
    points = []
    for _ in range(n):
        point = optimizer.ask()
        points.append(point)
        optimizer.tell(point, measure(point))
    return points


def test_a_study_with_several_directions_asks_what_an_optimizer_asks() -> None:
    study = optuna.create_study(directions=["minimize", "maximize"], sampler=hr.HedgerowSampler(SPACE, RULES))
    study.optimize(two, n_trials=15, catch=(RuntimeError,))

    def measure(point: dict[str, int]) -> Any:
        if point["x"] == 7:
            return None
        return {"a": (point["x"] - 5) ** 2 + point["y"], "b": point["x"] * point["y"]}

    optimizer = hr.Optimizer(SPACE, RULES, objectives={"a": "minimize", "b": "maximize"})
    assert [trial.params for trial in study.trials] == as_told(optimizer, 15, measure)
    assert [trial.params for trial in study.best_trials] == [seen.point for seen in optimizer.front]
    assert all(trial.params["x"] + trial.params["y"] <= 12 for trial in study.trials)


def test_limits_are_learned_from_what_trials_keep_and_told_to_optuna() -> None:
    sampler = hr.HedgerowSampler(SPACE, RULES, objectives={"time": "minimize"}, limits={"fits": "memory < 8"})
    study = optuna.create_study(sampler=sampler)

    def measure(trial: optuna.Trial) -> float:
        x, y = point_of(trial)
        trial.set_user_attr("memory", x + y)
        return float(-x - 2 * y)

    study.optimize(measure, n_trials=20)
    optimizer = hr.Optimizer(SPACE, RULES, objectives={"time": "minimize"}, limits={"fits": "memory < 8"})
    told = as_told(optimizer, 20, lambda p: {"time": -p["x"] - 2 * p["y"], "memory": p["x"] + p["y"]})
    assert [trial.params for trial in study.trials] == told
    # Optuna knows limits as constraints, and a strict one does not hold at its border.
    assert study.best_params == {"x": 0, "y": 7}
    assert optimizer.best is not None
    assert optimizer.best.point == study.best_params


@pytest.mark.parametrize("how", ["constraints_func", "set_constraint"])
def test_constraints_of_optuna_are_learned(how: str) -> None:
    if how == "set_constraint" and not hasattr(optuna.Trial, "set_constraint"):
        pytest.skip("this Optuna has constraints_func alone")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        function = (lambda trial: (trial.user_attrs["over"],)) if how == "constraints_func" else None
        study = optuna.create_study(sampler=hr.HedgerowSampler(SPACE, RULES, constraints_func=function))

        def measure(trial: Any) -> float:
            x, y = point_of(trial)
            trial.set_user_attr("over", x + y - 7)
            if function is None:
                trial.set_constraint("memory", x + y - 7)
            return float(-x - 2 * y)

        study.optimize(measure, n_trials=20)
        assert study.best_params == {"x": 0, "y": 7}
    optimizer = hr.Optimizer(SPACE, RULES, limits={"memory": "over <= 0"})
    told = as_told(optimizer, 20, lambda p: {"value": -p["x"] - 2 * p["y"], "over": p["x"] + p["y"] - 7})
    assert [trial.params for trial in study.trials] == told


def test_points_are_repeated_as_often_as_meant() -> None:
    study = optuna.create_study(sampler=hr.HedgerowSampler(SPACE, RULES, repeats=3))
    study.optimize(lambda trial: two(trial)[0], n_trials=12, catch=(RuntimeError,))
    tried = [tuple(trial.params.values()) for trial in study.trials if trial.state is TrialState.COMPLETE]
    counts = {point: tried.count(point) for point in tried}
    assert set(list(counts.values())[:-1]) == {3}


def test_repeats_go_on_when_every_point_has_been_tried() -> None:
    study = optuna.create_study(sampler=hr.HedgerowSampler(hr.Space({"x": [1, 2]}), repeats=2))
    study.optimize(lambda trial: float(trial.suggest_categorical("x", [1, 2])), n_trials=20)
    assert sorted(trial.params["x"] for trial in study.trials) == [1, 1, 2, 2]


def test_names_that_do_not_fit_the_study_are_told() -> None:
    sampler = hr.HedgerowSampler(SPACE, objectives={"a": "minimize", "b": "minimize"})
    study = optuna.create_study(directions=["minimize", "maximize"], sampler=sampler)
    with pytest.raises(hr.StudyError, match="made to minimize and maximize, but objectives says minimize a and"):
        study.optimize(two, n_trials=1)
    with pytest.raises(hr.HedgerowError, match="learns from one number per trial"):
        optuna.create_study(directions=["minimize"] * 2, sampler=hr.HedgerowSampler(SPACE, method="catd")).optimize(
            two, n_trials=1
        )

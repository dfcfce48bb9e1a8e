"""The sampler in studies of every kind: no broken rule, no point twice, the same points from the same trials."""

from __future__ import annotations

import copy
import math
import pickle
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import optuna
import pytest
from optuna.storages.journal import JournalFileBackend
from optuna.trial import Trial, TrialState

import hedgerow as hr

SPACE = hr.Space({"x": hr.Integer(0, 12), "y": hr.Integer(0, 12), "kind": ["a", "b", "c"], "flag": bool})
RULES = ["x + y <= 14", "kind != 'a' or flag", "x != y"]
FEASIBLE = hr.FeasibleSet(SPACE, RULES)


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    yield
    optuna.logging.set_verbosity(before)


def bowl(point: dict[str, Any]) -> float:
    return float((point["x"] - 7) ** 2 + (point["y"] - 3) ** 2 + (point["kind"] == "b") - 0.5 * point["flag"])


def suggest(trial: Trial) -> dict[str, Any]:
    return {
        "flag": trial.suggest_categorical("flag", [False, True]),
        "y": trial.suggest_int("y", 0, 12),
        "kind": trial.suggest_categorical("kind", ["a", "b", "c"]),
        "x": trial.suggest_int("x", 0, 12),
    }


def objective(trial: Trial) -> float:
    return bowl(suggest(trial))


def new_study(method: Any = "random", seed: int = 0, **options: Any) -> optuna.Study:
    return optuna.create_study(sampler=hr.HedgerowSampler(SPACE, RULES, method=method, seed=seed), **options)


def key(trial: Any) -> tuple[Any, ...]:
    return tuple(trial.params[name] for name in SPACE)


def assert_feasible_and_different(study: optuna.Study) -> None:
    trials = [trial for trial in study.trials if len(trial.params) == len(SPACE)]
    assert all(trial.params in FEASIBLE for trial in trials)
    assert len({key(trial) for trial in trials}) == len(trials)


def test_a_study_tries_the_points_that_minimize_tries() -> None:
    study = new_study("auto", seed=3)
    study.optimize(objective, n_trials=20)
    result = hr.minimize(bowl, SPACE, rules=RULES, budget=20, seed=3)
    assert [{name: trial.params[name] for name in SPACE} for trial in study.trials] == [
        observation.point for observation in result.observations
    ]
    assert_feasible_and_different(study)


def test_maximizing_the_opposite_tries_the_same_points() -> None:
    lowest, highest = new_study("auto"), new_study("auto", direction="maximize")
    lowest.optimize(objective, n_trials=12)
    highest.optimize(lambda trial: -objective(trial), n_trials=12)
    assert [trial.params for trial in lowest.trials] == [trial.params for trial in highest.trials]


def test_asking_and_telling_gives_different_points_while_others_run() -> None:
    study = new_study("auto")
    sampler = study.sampler
    assert isinstance(sampler, hr.HedgerowSampler)
    for _ in range(4):
        batch = [study.ask(sampler.distributions) for _ in range(4)]
        for trial in batch:
            study.tell(trial, bowl(trial.params))
    assert len(study.trials) == 16
    assert_feasible_and_different(study)


def test_values_may_be_asked_in_any_order_or_only_some_of_them() -> None:
    study = new_study()
    first, second = study.ask(), study.ask()
    partly: dict[str, Any] = {"x": first.suggest_int("x", 0, 12)}
    whole = suggest(second)
    partly["kind"] = first.suggest_categorical("kind", ["a", "b", "c"])
    study.tell(first, 1.0)
    assert whole in FEASIBLE
    assert FEASIBLE.completions(partly).count > 0
    third = study.ask()
    suggest(third)
    assert key(third) != key(second)


def test_choices_may_be_listed_in_another_order() -> None:
    study = new_study()
    study.optimize(lambda trial: float(trial.suggest_categorical("kind", ["c", "a", "b"]) == "a"), n_trials=12)
    assert {trial.params["kind"] for trial in study.trials} == {"a", "b", "c"}


@pytest.mark.parametrize("storage", ["memory", "sqlite", "journal"])
def test_a_study_goes_on_in_a_new_process_as_in_the_old_one(storage: str, tmp_path: Path) -> None:
    def open_study(name: str) -> optuna.Study:
        opened: Any = None
        if storage == "sqlite":
            opened = f"sqlite:///{tmp_path}/study.db"
        elif storage == "journal":
            backend = JournalFileBackend(str(tmp_path / "study.log"))
            opened = optuna.storages.JournalStorage(backend)
        return new_study("auto", study_name=name, storage=opened, load_if_exists=True)

    whole = open_study("whole")
    whole.optimize(objective, n_trials=14)
    parts = open_study("parts")
    for n in (5, 1, 8):
        parts.optimize(objective, n_trials=n)
        parts = parts if storage == "memory" else open_study("parts")
        parts.sampler = hr.HedgerowSampler(SPACE, RULES, seed=0)
    assert [trial.params for trial in parts.trials] == [trial.params for trial in whole.trials]


def test_failed_and_pruned_trials_are_told_and_not_repeated() -> None:
    def fragile(trial: Trial) -> float:
        point = suggest(trial)
        if point["x"] < 3:
            raise OSError("does not run here")
        if point["x"] < 5:
            trial.report(100.0, 0)
            raise optuna.TrialPruned
        return math.inf if point["x"] == 5 else math.nan if point["x"] == 6 else bowl(point)

    study = new_study("auto")
    study.optimize(fragile, n_trials=40, catch=(OSError,))
    states = {trial.state for trial in study.trials}
    assert states == {TrialState.COMPLETE, TrialState.FAIL, TrialState.PRUNED}
    assert_feasible_and_different(study)


def test_hyperband_brackets_share_what_has_been_tried() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study = new_study(pruner=optuna.pruners.HyperbandPruner(min_resource=1, max_resource=9))

    def reporting(trial: Trial) -> float:
        value = objective(trial)
        for step in range(9):
            trial.report(value, step)
            if trial.should_prune():
                raise optuna.TrialPruned
        return value

    study.optimize(reporting, n_trials=30)
    assert_feasible_and_different(study)


def test_enqueued_points_are_tried_as_they_are_and_never_suggested_again() -> None:
    study = new_study("auto")
    broken = {"x": 12, "y": 12, "kind": "a", "flag": False}
    study.enqueue_trial(broken)
    study.enqueue_trial(FEASIBLE[5])
    study.optimize(objective, n_trials=12)
    assert study.trials[0].params == {name: broken[name] for name in study.trials[0].params}
    assert {name: study.trials[1].params[name] for name in SPACE} == FEASIBLE[5]
    rest = study.trials[1:]
    assert all(trial.params in FEASIBLE for trial in rest)
    assert len({key(trial) for trial in rest}) == len(rest)


def test_a_waiting_point_is_not_suggested_to_another_trial() -> None:
    small = hr.Space({"x": [1, 2, 3]})
    study = optuna.create_study(sampler=hr.HedgerowSampler(small, seed=0))
    running = [study.ask(hr.HedgerowSampler(small).distributions) for _ in range(2)]
    left = ({1, 2, 3} - {trial.params["x"] for trial in running}).pop()
    trial = study.ask()
    study.enqueue_trial({"x": left})
    with pytest.raises(hr.SpaceExhausted):
        trial.suggest_int("x", 1, 3)


def test_partly_fixed_trials_are_completed_inside_the_rules() -> None:
    study = new_study("auto")
    study.optimize(objective, n_trials=3)
    for x in (0, 11, 12, 12):
        study.enqueue_trial({"x": x, "kind": "a"})
    study.optimize(objective, n_trials=4)
    for trial, x in zip(study.trials[3:], (0, 11, 12, 12), strict=True):
        assert (trial.params["x"], trial.params["kind"]) == (x, "a")
    assert_feasible_and_different(study)


def test_a_partial_fixed_sampler_around_it_keeps_the_rules() -> None:
    study = new_study()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        study.sampler = optuna.samplers.PartialFixedSampler({"y": 12}, study.sampler)
    study.optimize(objective, n_trials=8)
    assert {trial.params["y"] for trial in study.trials} == {12}
    assert_feasible_and_different(study)


def test_fixed_values_without_a_feasible_completion_are_refused() -> None:
    study = new_study()
    study.enqueue_trial({"x": 12, "y": 12})
    with pytest.raises(hr.InfeasibleError, match="No feasible point has x = 12, y = 12"):
        study.optimize(objective, n_trials=1)
    study.enqueue_trial({"x": 99})
    with pytest.raises(hr.StudyError, match="x = 99 is not in its domain"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study.optimize(objective, n_trials=1)


def test_trials_added_by_others_inform_and_are_never_imitated() -> None:
    study = new_study("auto")
    distributions = hr.HedgerowSampler(SPACE, RULES).distributions
    known = {"x": 12, "y": 11, "kind": "b", "flag": True}
    study.add_trial(optuna.create_trial(params=known, distributions=distributions, value=-1e6))
    foreign = {"z": 1.5}
    study.add_trial(
        optuna.create_trial(
            params=foreign, distributions={"z": optuna.distributions.FloatDistribution(0, 2)}, value=0.0
        )
    )
    study.optimize(objective, n_trials=10)
    assert all(trial.params in FEASIBLE for trial in study.trials[2:])


def test_optimize_ends_when_every_point_has_been_tried() -> None:
    small = hr.Space({"x": [1, 2, 3], "y": [1, 2, 3]})
    study = optuna.create_study(sampler=hr.HedgerowSampler(small, ["x + y == 4"]))
    study.optimize(lambda trial: trial.suggest_int("x", 1, 3) + trial.suggest_int("y", 1, 3), n_trials=10)
    assert len(study.trials) == 3
    with pytest.raises(hr.SpaceExhausted, match="All 3 feasible points"):
        study.ask(hr.HedgerowSampler(small).distributions)


def test_threads_share_one_study_without_repeating_a_point() -> None:
    study = new_study()
    study.optimize(objective, n_trials=60, n_jobs=4)
    assert len(study.trials) == 60
    assert_feasible_and_different(study)


def test_a_trial_retried_by_optuna_keeps_its_point_and_stands_for_the_lost_one() -> None:
    study = new_study("auto", seed=5)
    study.optimize(objective, n_trials=4)
    lost = study.ask()
    lost.suggest_int("x", 0, 12)
    study.tell(lost, state=TrialState.FAIL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        optuna.storages.RetryHeartbeatStaleTrialCallback()(study, copy.deepcopy(study.trials[-1]))
    study.optimize(objective, n_trials=4)
    whole = new_study("auto", seed=5)
    whole.optimize(objective, n_trials=8)
    tried = [trial.params for trial in study.trials if trial.number != lost.number]
    assert tried == [trial.params for trial in whole.trials]


def test_a_copy_made_by_pickle_suggests_the_same() -> None:
    study = new_study("auto")
    study.optimize(objective, n_trials=6)
    other = optuna.create_study(sampler=pickle.loads(pickle.dumps(study.sampler)))  # noqa: S301
    other.add_trials(study.trials)
    other.optimize(objective, n_trials=1)
    study.optimize(objective, n_trials=1)
    assert other.trials[-1].params == study.trials[-1].params


def test_one_sampler_serves_several_studies() -> None:
    sampler = hr.HedgerowSampler(SPACE, RULES, method="random")
    studies = [optuna.create_study(sampler=sampler) for _ in range(2)]
    for _ in range(5):
        for study in studies:
            study.optimize(objective, n_trials=1)
    assert [trial.params for trial in studies[0].trials] == [trial.params for trial in studies[1].trials]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: hr.HedgerowSampler(SPACE, seed=-1), "seed is a whole number"),
        (
            lambda: hr.HedgerowSampler({"x": [1, 2]}),  # type: ignore[dict-item]
            "a dict of Optuna distributions",
        ),
        (lambda: hr.HedgerowSampler(SPACE, method="atuo"), "did you mean 'auto'"),
        (lambda: hr.HedgerowSampler(SPACE, ["x > 20"]), "No point satisfies the rules"),
    ],
)
def test_bad_options_are_refused_at_once(make: Callable[[], object], message: str) -> None:
    with pytest.raises(hr.HedgerowError, match=message):
        make()


def test_visualizations_and_data_frames_read_the_study() -> None:
    pytest.importorskip("plotly")
    study = new_study("auto")
    study.optimize(objective, n_trials=12)
    for plot in (
        optuna.visualization.plot_optimization_history,
        optuna.visualization.plot_slice,
        optuna.visualization.plot_parallel_coordinate,
        optuna.visualization.plot_contour,
        optuna.visualization.plot_param_importances,
    ):
        assert plot(study).data

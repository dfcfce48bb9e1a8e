"""TPE as a rival: what Optuna's study is told, and under which names."""

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.errors import HedgerowError
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from research.rivals import TPE

SPACE = hr.Space({"x": hr.Vector(hr.Integer(0, 3), 2), "kind": ["a", "b", "c"], "only": [7], "flag": bool})
RULES = ["sum(x) <= 4", "kind != 'a' or flag"]


@pytest.fixture(name="problem")
def problem_fixture() -> CodeProblem:
    pytest.importorskip("optuna")
    return CodeProblem(hr.FeasibleSet(SPACE, RULES))


def history_of(problem: CodeProblem, n: int) -> History:
    rows = problem.feasible.draw(n, np.random.default_rng(0))
    return History(rows, np.arange(float(n)), rows[:0])


def test_offline_points_are_in_the_study_under_the_names_that_are_asked_for(problem: CodeProblem) -> None:
    run = TPE(n_offline=50, infeasible_value=9.0).start(problem)
    trials = run.study(history_of(problem, 3), seed=0).get_trials(deepcopy=False)
    assert len(trials) == 53
    rows = np.zeros((50, 5), dtype=np.int64)
    for row, trial in zip(rows, trials, strict=False):
        assert trial.value == 9.0
        assert list(trial.params) == ["x[0]", "x[1]", "kind", "flag"]
        row[[0, 1, 2, 4]] = list(trial.params.values())
    assert not problem.feasible.accepts(rows).any()
    run.suggest(history_of(problem, 3), seed=0)
    asked = run.study(history_of(problem, 3), seed=0).get_trials(deepcopy=False)[-1]
    assert asked.distributions == trials[0].distributions


def test_offline_points_change_suggestions(problem: CodeProblem) -> None:
    history = history_of(problem, 12)
    plain = [TPE().start(problem).suggest(history, seed).codes.tolist() for seed in range(8)]
    told = [TPE(200, 99.0).start(problem).suggest(history, seed).codes.tolist() for seed in range(8)]
    assert plain != told


def test_ordered_slots_are_integers_and_others_categories(problem: CodeProblem) -> None:
    optuna = pytest.importorskip("optuna")
    trial = TPE().start(problem).study(history_of(problem, 1), seed=0).get_trials(deepcopy=False)[0]
    kinds = {name: type(distribution) for name, distribution in trial.distributions.items()}
    integer, category = optuna.distributions.IntDistribution, optuna.distributions.CategoricalDistribution
    assert kinds["x[0]"] is integer
    assert kinds["kind"] is category


def test_asking_leaves_no_trial_that_counts(problem: CodeProblem) -> None:
    run = TPE().start(problem)
    history = history_of(problem, 12)
    for n_pending in (0, 2):
        run.suggest(History(history.codes, history.values, history.codes[:n_pending]), 0)
    states = [trial.state.name for trial in run.study(history, 0).get_trials(deepcopy=False)]
    assert states.count("COMPLETE") == 12
    assert states.count("RUNNING") == 0


def test_the_verbosity_of_optuna_is_left_alone(problem: CodeProblem) -> None:
    optuna = pytest.importorskip("optuna")
    before = optuna.logging.get_verbosity()
    TPE().start(problem).suggest(history_of(problem, 2), 0)
    assert optuna.logging.get_verbosity() == before


def test_offline_points_without_a_value_are_refused() -> None:
    with pytest.raises(HedgerowError, match="200 offline points that break rules need a finite infeasible_value"):
        TPE(n_offline=200)

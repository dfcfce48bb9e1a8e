"""Beliefs that see structure where a trial gives more than one exact number, and where they are asked directly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.feasible.changes import Literals, changed_rows
from hedgerow.methods import Auto
from hedgerow.methods.auto.belief import BeliefSettings
from hedgerow.methods.auto.joint import JointPosterior
from hedgerow.methods.auto.kernel_problem import KernelProblem
from hedgerow.methods.auto.method import AutoRun
from hedgerow.methods.auto.several import Judged, SeveralBeliefs
from hedgerow.methods.auto.success import SuccessLearner
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from hedgerow.outcomes.goals import Goals

N_STAGES, N_SEEN = 14, 60
SPACE = hr.Space({"stage": hr.Vector(bool, N_STAGES)})
RULES = ["sum(stage) >= 4"]
TABLES = np.random.default_rng(3).normal(size=(2, N_STAGES - 1, 2, 2))
POINTS = hr.FeasibleSet(SPACE, RULES).sample(N_SEEN + 200, seed=1)
BOTH = {"cost": "minimize", "time": "minimize"}


def chain(point: dict[str, Any], which: int = 0) -> float:
    """A sum over windows of two neighbors."""
    bits = np.array(point["stage"], dtype=np.int64)
    return float(TABLES[which][np.arange(N_STAGES - 1), bits[:-1], bits[1:]].sum())


def given(point: dict[str, Any]) -> dict[str, float]:
    return {"cost": chain(point), "time": chain(point, 1), "heat": 0.3 * chain(point)}


@pytest.mark.parametrize("options", [{}, {"repeats": "auto"}, {"limits": {"calm": "heat <= 1"}}])
def test_predictions_see_structure(options: dict[str, Any]) -> None:
    asked = hr.Optimizer(SPACE, RULES, objectives={"cost": "minimize"}, **options)
    for point in POINTS[:N_SEEN]:
        asked.tell(point, {name: given(point)[name] for name in ("cost", "heat")})
    unseen = POINTS[N_SEEN:]
    predicted = [each["cost"].mean for each in asked.predict(unseen)]
    # A product over all slots comes to 0.89.
    assert np.corrcoef(predicted, [chain(point) for point in unseen])[0, 1] > 0.98


def _posterior(**limits: str) -> tuple[KernelProblem, JointPosterior, History]:
    goals = Goals.of("minimize", BOTH, limits, False, None)
    problem = CodeProblem(hr.FeasibleSet(SPACE, RULES), goals=goals)
    codes = np.array([[int(bit) for bit in point["stage"]] for point in POINTS[:N_SEEN]])
    outcomes = np.array([goals.columns(given(point)) for point in POINTS[:N_SEEN]])
    history = History(codes, outcomes[:, 0], codes[:0], outcomes=outcomes)
    kernel_problem = KernelProblem(problem)
    beliefs = SeveralBeliefs(BeliefSettings(), kernel_problem, goals, SuccessLearner(kernel_problem))
    judged = Judged(history, goals, np.ones(N_SEEN, dtype=bool))
    posterior = beliefs.posterior(judged, 0)
    assert posterior is not None
    assert any(each.view is not None for output in posterior.outputs for each in output.major)
    return kernel_problem, posterior, history


def test_what_a_search_climbs_on_is_what_rows_are_worth() -> None:
    problem, posterior, history = _posterior(calm="heat <= 1")
    center = history.codes[0]
    literals = Literals.all_of(problem.codes.space.sizes)
    changes = problem.codes.feasible.changes(center, 2, literals)
    near = posterior.neighborhood(center, literals)
    scores, exact = near.scores(changes), posterior.heights(changed_rows(center, changes))
    best = np.argsort(-exact)[:5]
    np.testing.assert_allclose(scores[best], exact[best], rtol=1e-6)


def test_listed_rows_are_bounded_by_what_they_are_worth() -> None:
    problem, posterior, _ = _posterior()
    rows = problem.codes.listed(30_000)
    assert rows is not None and rows.shape[0] > 10_000
    assert (posterior.bounds() >= posterior.heights(rows) - 1e-6).all()


def test_a_run_is_a_pure_function_of_what_was_told() -> None:
    problem, _, history = _posterior(calm="heat <= 1")

    def asked() -> np.ndarray:
        run = Auto().start(problem.codes)
        assert isinstance(run, AutoRun)
        return run.suggest(history, 5).codes

    np.testing.assert_array_equal(asked(), asked())
    assert problem.codes.feasible.accepts(asked()[None, :]).all()

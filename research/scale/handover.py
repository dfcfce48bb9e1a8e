"""Thousands of observations: the kernel on a part of them, or a finite-rank ensemble on all?

Both learn the same observations, half of them uniform draws and half next to the best of those, as a run would have
them, and predict others of the same kind. What counts is the rank correlation, over all and among the best fifth,
where a suggestion is chosen. The kernel keeps the best third and the latest of 1,500, as the default method does.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.stats import spearmanr  # type: ignore[import-untyped]

from hedgerow.arrays import Codes
from hedgerow.feasible import FeasibleSet
from hedgerow.feasible.changes import changed_rows
from hedgerow.methods.auto.belief import BeliefSettings, fit_beliefs
from hedgerow.methods.auto.kernel.process import KernelSurrogate
from hedgerow.methods.auto.kernel_problem import KernelProblem
from hedgerow.methods.auto.transforms import TRANSFORMS
from hedgerow.methods.catd.ensemble.infeasible import NoRows
from hedgerow.methods.catd.method import CATD
from hedgerow.methods.problem import CodeProblem
from hedgerow.methods.threads import one_thread
from hedgerow.space.encoding import decode
from research.problems import get_problem

TASKS = ("gap-30x10", "ising-60", "dna-100")
OBSERVATIONS = (1000, 5000)
_N_TEST = 500
_BEST_PART = 0.2

Values = NDArray[np.float64]
Predict = Callable[[Codes], Values]


@dataclass(frozen=True)
class Learned:
    """How well a model ranks new points, and how long it took to learn."""

    task: str
    n_observations: int
    model: str
    correlation: float
    among_best: float
    seconds: float


def compare(task: str, n: int, seed: int = 0) -> list[Learned]:
    """Return how each model does on one task."""
    problem = get_problem(task)
    assert problem.objective is not None
    code_problem = CodeProblem(FeasibleSet(problem.space, problem.rules))
    rng = np.random.default_rng([seed, n])

    def evaluate(rows: Codes) -> Values:
        assert problem.objective is not None
        return np.array([problem.objective(decode(problem.space, row)) for row in rows], dtype=np.float64)

    rows = _as_in_a_run(code_problem, evaluate, n + _N_TEST, rng)
    order = rng.permutation(rows.shape[0])
    train, test = rows[order[:-_N_TEST]], rows[order[-_N_TEST:]]
    values, truth = evaluate(train), evaluate(test)
    results = []
    for name, learn in _MODELS.items():
        begin = time.process_time()
        with one_thread():
            predict = learn(code_problem, train, values)
        seconds = time.process_time() - begin
        predicted = predict(test)
        best = truth <= np.quantile(truth, _BEST_PART)
        results.append(
            Learned(task, n, name, _correlation(predicted, truth), _correlation(predicted[best], truth[best]), seconds)
        )
    return results


def _as_in_a_run(problem: CodeProblem, evaluate: Callable[[Codes], Values], n: int, rng: Generator) -> Codes:
    """Return uniform draws, and as many random moves from the best tenth of these."""
    drawn = np.unique(problem.feasible.draw(n - n // 2, rng), axis=0)
    best = drawn[np.argsort(evaluate(drawn))[: drawn.shape[0] // 10]]
    near: list[Codes] = []
    while len(near) < n - drawn.shape[0]:
        row = best[rng.integers(best.shape[0])]
        for _ in range(int(rng.integers(1, 5))):
            changes = problem.feasible.changes(row, 1)
            changes = changes if changes.shape[0] else problem.feasible.changes(row, 2)
            row = changed_rows(row, changes[rng.integers(changes.shape[0])][None, :])[0]
        near.append(row)
    return np.concatenate([drawn, np.array(near)])


def _correlation(predicted: Values, truth: Values) -> float:
    return float(spearmanr(predicted, truth).statistic)


def _kernel(problem: CodeProblem, rows: Codes, values: Values) -> Predict:
    active = np.ascontiguousarray(rows[:, problem.active])
    fit = fit_beliefs(
        BeliefSettings(n_draws=0), KernelProblem(problem).kernel, active, values, np.random.default_rng(0)
    )
    belief = max(fit.beliefs, key=lambda belief: belief.log_weight)
    model = KernelSurrogate.condition(belief.factor, TRANSFORMS[belief.transform](values[fit.kept]).values)
    return lambda new: model.predict(np.ascontiguousarray(new[:, problem.active]))[0]


def _ensemble(form: str, rank: int) -> Callable[[CodeProblem, Codes, Values], Predict]:
    def learn(problem: CodeProblem, rows: Codes, values: Values) -> Predict:
        settings = CATD(form, rank, max_epochs=400)
        [surrogate] = settings.surrogates()
        prior = surrogate.prior(problem.space.sizes, [slot.variable.is_ordered for slot in problem.space.slots])
        ensemble = surrogate.fit(prior, rows, values, NoRows(), np.random.default_rng(0))
        return lambda new: ensemble.predict(new)[0]

    return learn


_MODELS = {"kernel on 1,500": _kernel, "CP-4 on all": _ensemble("cp", 4), "TT-4 on all": _ensemble("tt", 4)}


def all_comparisons() -> list[Learned]:
    """Return all comparisons."""
    return [learned for task in TASKS for n in OBSERVATIONS for learned in compare(task, n)]

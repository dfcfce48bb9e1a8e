"""BoTorch over the list of feasible points: qLogNEHVI for several objectives, constrained LogEI for limits.

A `SingleTaskGP` for each outcome with the defaults of the version that is installed, fitted anew before each trial;
every untried feasible point is scored. The reference is what BoTorch infers from the front. Logarithms cost qLogNEHVI
most of its time, and on a list serve only where plain gains vanish: the list is first scored by qNEHVI with the same
draws, and those of highest gain by qLogNEHVI; where none has any gain, all are.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from hedgerow.arrays import Codes, Column, Matrix
from hedgerow.space import Point
from hedgerow.space.encoding import decode, encode
from research.outcomes.task import Outcomes, OutcomeTask
from research.rivals.features import unit_cube
from research.rivals.packages import package

_N_FIRST = 5
_N_DRAWS = 64
_N_AT_ONCE = 256
_N_CLOSER = 256


class BotorchJoint:
    """Keeps what was told, and scores the list."""

    def __init__(self, task: OutcomeTask, seed: int) -> None:
        self._task = task
        self._rng = np.random.default_rng([seed, 78])
        self._features = unit_cube(task.space, task.rows)
        self._tried: list[int] = []
        self._columns: list[Column] = []
        _module("torch").set_num_threads(1)

    def ask(self) -> Point:
        """Return the untried feasible point of highest score; the first few are drawn."""
        untried = np.setdiff1d(np.arange(self._task.rows.shape[0]), self._tried)
        told = np.array(self._columns)
        if len(self._tried) < _N_FIRST or np.isfinite(told).all(axis=1).sum() < 2:
            return self._point(int(self._rng.choice(untried)))
        torch = _module("torch")
        torch.manual_seed(int(self._rng.integers(2**31)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scores = self._scores(told, untried)
        return self._point(int(untried[int(np.nanargmax(scores))]))

    def tell(self, point: Point, outcomes: Outcomes | None) -> None:
        """Take what the trial gave."""
        self._tried.append(self._task.places[encode(self._task.space, point).tobytes()])
        self._columns.append(self._task.goals.columns(outcomes or {}))

    def _point(self, place: int) -> Point:
        return decode(self._task.space, self._task.rows[place])

    def _scores(self, told: Matrix, untried: Codes) -> Column:
        known = np.isfinite(told).all(axis=1)
        inputs = self._features[np.array(self._tried)[known]]
        n = self._task.n_objectives
        # BoTorch maximizes; slacks are positive within the limits.
        values = np.concatenate([-told[known, :n], told[known, n:]], axis=1)
        scaled = (values - values.mean(axis=0)) / np.maximum(values.std(axis=0), 1e-9)
        zero = -values.mean(axis=0) / np.maximum(values.std(axis=0), 1e-9)
        model = _fitted(inputs, scaled)
        listed = self._features[untried]
        if n == 1:
            return _over(_improvement(model, values, scaled, zero), listed)
        seed = int(self._rng.integers(2**31))
        plain = _over(
            _volume_gain("monte_carlo.qNoisyExpectedHypervolumeImprovement", model, inputs, scaled, seed), listed
        )
        closer = np.argsort(-plain, kind="stable")[:_N_CLOSER]
        if not plain.max() > 0:
            closer = np.arange(plain.size)
        scores = np.full(plain.size, -np.inf)
        gain = _volume_gain("logei.qLogNoisyExpectedHypervolumeImprovement", model, inputs, scaled, seed)
        scores[closer] = _over(gain, listed[closer])
        return scores


def _over(acquisition: Any, features: Matrix) -> Column:
    torch = _module("torch")
    chunks = torch.from_numpy(features).unsqueeze(1).split(_N_AT_ONCE)
    with torch.no_grad():
        return np.concatenate([acquisition(chunk).numpy() for chunk in chunks])


def _volume_gain(name: str, model: Any, inputs: Matrix, scaled: Matrix, seed: int) -> Any:
    torch = _module("torch")
    infer = _module("botorch.utils.multi_objective.hypervolume").infer_reference_point
    pareto = _module("botorch.utils.multi_objective.pareto").is_non_dominated
    values = torch.from_numpy(scaled)
    sampler = _module("botorch.sampling.normal").SobolQMCNormalSampler(torch.Size([_N_DRAWS]), seed=seed)
    file, made = name.split(".")
    return getattr(_module(f"botorch.acquisition.multi_objective.{file}"), made)(
        model=model,
        ref_point=infer(values[pareto(values)]),
        X_baseline=torch.from_numpy(inputs),
        sampler=sampler,
        prune_baseline=True,
    )


def _improvement(model: Any, values: Matrix, scaled: Matrix, zero: Column) -> Any:
    """Return LogEI times the chance that the limits hold; while nothing is within, from the worst value."""
    within = (values[:, 1:] >= 0).all(axis=1)
    best = float(scaled[within, 0].max()) if within.any() else float(scaled[:, 0].min())
    limits = {place: (float(zero[place]), None) for place in range(1, values.shape[1])}
    made = _module("botorch.acquisition.analytic").LogConstrainedExpectedImprovement
    return made(model=model, best_f=best, objective_index=0, constraints=limits)


def _fitted(inputs: Matrix, scaled: Matrix) -> Any:
    torch = _module("torch")
    models = _module("botorch.models")
    own = []
    for column in scaled.T:
        one = models.SingleTaskGP(torch.from_numpy(inputs), torch.from_numpy(column[:, None].copy()))
        likelihood = _module("gpytorch.mlls").ExactMarginalLogLikelihood(one.likelihood, one)
        try:
            _module("botorch.fit").fit_gpytorch_mll(likelihood)
        except _module("botorch.exceptions").ModelFittingError:
            one = models.SingleTaskGP(torch.from_numpy(inputs), torch.from_numpy(column[:, None].copy()))
        own.append(one)
    return models.ModelListGP(*own).eval()


def _module(name: str) -> Any:
    return package(name, "BotorchJoint")

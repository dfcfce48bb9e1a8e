"""BoTorch over the feasible list: what a careful user of the leading library does when the valid rows can be listed.

`SingleTaskGP` with all its defaults (kernel, priors, standardized outcomes), fitted anew for every suggestion by
`fit_gpytorch_mll`, and `LogExpectedImprovement` at every feasible row that has not been tried. Inputs lie in the unit
cube (`features.py`). The first trial is one uniform draw, failed trials are left out of the model, and pending rows
are only excluded.

PyTorch and BoTorch are loaded here, at the first need, and nowhere else.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Codes
from hedgerow.errors import EffortExceeded
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from hedgerow.search.maximize import best_of
from hedgerow.search.suggestion import Reason, RowSuggestion
from research.rivals.features import unit_cube
from research.rivals.packages import package

# Squares of larger values would overflow; outcomes are standardized anyway, so their scale is free.
_LARGEST_VALUE = 1e100


@dataclass(frozen=True)
class BotorchList:
    """How many feasible rows may be listed, and how many are scored at once."""

    max_listed: int = 30_000
    # The joint covariance of a chunk is built and thrown away, so chunks are small.
    n_scored_at_once: int = 256

    @property
    def may_break_rules(self) -> bool:
        """Never."""
        return False

    def start(self, problem: CodeProblem) -> BotorchListRun:
        """Return BoTorch at work on a problem whose feasible rows can be listed."""
        _module("torch")
        _module("botorch")
        listed = problem.listed(self.max_listed)
        if listed is None:
            count = f"{problem.feasible.count:,} of them" if problem.feasible.is_exact else "an unknown number"
            raise EffortExceeded(
                f"BotorchList scores every feasible point, but there are {count}, above max_listed="
                f"{self.max_listed:,}. Raise max_listed, or use a method that searches, as 'auto' does."
            )
        return BotorchListRun(self, problem, listed)


class BotorchListRun:
    """Fits a Gaussian process to the history and scores the list."""

    def __init__(self, settings: BotorchList, problem: CodeProblem, listed: Codes) -> None:
        self._settings = settings
        self._problem = problem
        self._listed = listed
        self._features = unit_cube(problem.space, listed)

    def suggest(self, history: History, seed: int) -> RowSuggestion:
        """Return the untried row of highest expected improvement, or a uniform draw before the first value."""
        rng = np.random.default_rng([seed, history.n_told, history.pending.shape[0]])
        measured = history.is_measured
        if not measured.any():
            return RowSuggestion(self._problem.draw_unseen(history, rng), False, Reason.NOTHING_LEARNED)
        inputs = unit_cube(self._problem.space, history.codes[measured])
        unseen = ~self._problem.is_seen(history)
        with _one_seeded_thread(int(rng.integers(2**63))):
            scores = log_expected_improvement(
                inputs, history.values[measured], self._features[unseen], self._settings.n_scored_at_once
            )
        return RowSuggestion(best_of(self._listed[unseen], scores, rng), True, Reason.BEST_OF_ALL)


def log_expected_improvement(
    inputs: NDArray[np.float64],
    values: NDArray[np.float64],
    candidates: NDArray[np.float64],
    n_scored_at_once: int,
) -> NDArray[np.float64]:
    """Return BoTorch's LogEI of the candidates (n_candidates,) after values to be minimized."""
    torch = _module("torch")
    largest = np.abs(values).max()
    outcomes = torch.from_numpy(-values / largest if largest > _LARGEST_VALUE else -values).unsqueeze(-1)
    model = _fitted(torch.from_numpy(inputs), outcomes)
    score = _module("botorch.acquisition").LogExpectedImprovement(model, best_f=outcomes.max())
    chunks = torch.from_numpy(candidates).unsqueeze(1).split(n_scored_at_once)
    with torch.no_grad():
        return np.concatenate([score(chunk).numpy() for chunk in chunks])


def _fitted(inputs: Any, outcomes: Any) -> Any:
    """Return SingleTaskGP after maximum a posteriori fitting; where that fails, with its parameters as they start."""
    model = _module("botorch.models").SingleTaskGP(inputs, outcomes)
    likelihood = _module("gpytorch.mlls").ExactMarginalLogLikelihood(model.likelihood, model)
    try:
        _module("botorch.fit").fit_gpytorch_mll(likelihood)
    except _module("botorch.exceptions").ModelFittingError:
        model = _module("botorch.models").SingleTaskGP(inputs, outcomes)
    return model.eval()


@contextmanager
def _one_seeded_thread(seed: int) -> Iterator[None]:
    """Make PyTorch repeatable and quiet inside, and leave its random state and threads as they were."""
    torch = _module("torch")
    n_threads = torch.get_num_threads()
    with torch.random.fork_rng(devices=[]), warnings.catch_warnings():
        # Advice on scaling and on restarts of the fit, which a rival with default settings does not follow.
        warnings.simplefilter("ignore")
        torch.manual_seed(seed)
        torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(n_threads)


def _module(name: str) -> Any:
    return package(name, "BotorchList")

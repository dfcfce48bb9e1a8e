"""BayBE over the feasible list: its recommender with all defaults, asked for one of the rows that can be listed.

Ordered slots are discrete numbers, the indices of their levels; unordered ones are categorical, one-hot by BayBE's
default. The candidates are the untried feasible rows. The first trial is a uniform draw, failed trials are left out.

BayBE and pandas are loaded here, at the first need, and nowhere else.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow.arrays import Codes
from hedgerow.errors import EffortExceeded
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from hedgerow.search.suggestion import Reason, RowSuggestion
from research.rivals.packages import package

_TARGET = "value"


@dataclass(frozen=True)
class BaybeList:
    """How many feasible rows may be listed."""

    max_listed: int = 30_000

    @property
    def may_break_rules(self) -> bool:
        """Never."""
        return False

    def start(self, problem: CodeProblem) -> BaybeListRun:
        """Return BayBE at work on a problem whose feasible rows can be listed."""
        _module("baybe")
        listed = problem.listed(self.max_listed)
        if listed is None:
            raise EffortExceeded(
                f"BaybeList scores every feasible point, but there are more than max_listed={self.max_listed:,}. "
                "Raise max_listed, or use a method that searches, as 'auto' does."
            )
        return BaybeListRun(problem, listed)


class BaybeListRun:
    """Asks BayBE's recommender, which keeps nothing between two suggestions."""

    def __init__(self, problem: CodeProblem, listed: Codes) -> None:
        self._problem = problem
        self._listed = listed
        self._names = [f"slot{place}" for place in range(problem.active.size)]

    def suggest(self, history: History, seed: int) -> RowSuggestion:
        """Return what BayBE recommends among untried rows, or a uniform draw before the first value."""
        rng = np.random.default_rng([seed, history.n_told, history.pending.shape[0]])
        measured = history.is_measured
        if not measured.any():
            return RowSuggestion(self._problem.draw_unseen(history, rng), False, Reason.NOTHING_LEARNED)
        unseen = self._listed[~self._problem.is_seen(history)]
        told = self._frame(history.codes[measured])
        told[_TARGET] = history.values[measured]
        settings = _module("baybe").Settings(random_seed=int(rng.integers(2**31)))
        with warnings.catch_warnings(), settings:
            # Advice on scaling and on candidates, which a rival with default settings does not follow.
            warnings.simplefilter("ignore")
            found = self._recommended(self._frame(unseen), told)
        return RowSuggestion(np.asarray(unseen[found]), True, Reason.BEST_OF_ALL)

    def _recommended(self, candidates: Any, told: Any) -> int:
        space = _module("baybe.searchspace").SearchSpace.from_dataframe(candidates, self._parameters())
        target = _module("baybe.targets").NumericalTarget(_TARGET, minimize=True)
        recommender = _module("baybe.recommenders").BotorchRecommender()
        row = recommender.recommend(1, space, target.to_objective(), told)
        return int(row.index[0])

    def _parameters(self) -> list[Any]:
        """Return all levels of the slots that vary, whether or not they are among the candidates."""
        parameters = _module("baybe.parameters")
        found = []
        for name, slot in zip(self._names, self._problem.active, strict=True):
            n_levels = self._problem.space.sizes[int(slot)]
            if self._problem.space.slots[int(slot)].variable.is_ordered:
                found.append(parameters.NumericalDiscreteParameter(name, tuple(map(float, range(n_levels)))))
            else:
                found.append(parameters.CategoricalParameter(name, tuple(map(str, range(n_levels)))))
        return found

    def _frame(self, rows: Codes) -> Any:
        """Return rows as BayBE's table."""
        columns: dict[str, Any] = {}
        for name, slot in zip(self._names, self._problem.active, strict=True):
            is_ordered = self._problem.space.slots[int(slot)].variable.is_ordered
            columns[name] = rows[:, slot].astype(float) if is_ordered else list(map(str, rows[:, slot]))
        return _module("pandas").DataFrame(columns)


def _module(name: str) -> Any:
    return package(name, "BaybeList")

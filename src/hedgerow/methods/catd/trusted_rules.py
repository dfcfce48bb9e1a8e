"""Candidates where suggestions may break rules but the models' disagreement about what breaks one does not count.

A row that breaks a rule can only be chosen if its mean is below the best value, so the whole tensor is looked at
through its mean, which is cheap, and only the rows that are left are scored. The choice is the same as from all rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Codes
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem


@dataclass(frozen=True)
class TrustedRules:
    """The feasible rows, and which cells of the whole tensor break a rule."""

    problem: CodeProblem
    feasible: Codes
    breaks_rule: NDArray[np.bool_]  # (n_cells,)

    @classmethod
    def of(cls, problem: CodeProblem, max_listed: int) -> TrustedRules | None:
        """Return it for a problem whose whole space is small enough, else None."""
        sizes = tuple(problem.space.sizes)
        feasible = problem.listed(max_listed)
        if math.prod(sizes) > max_listed or feasible is None:
            return None
        breaks_rule = np.ones(math.prod(sizes), dtype=np.bool_)
        breaks_rule[np.ravel_multi_index(tuple(feasible.T), sizes)] = False
        return cls(problem, feasible, breaks_rule)

    def candidates(self, history: History, means: NDArray[np.float64], best: float) -> Codes:
        """Return the untried rows that are feasible, and those of the others whose mean is below the best value."""
        tempting = np.flatnonzero(self.breaks_rule & (means < best))
        others = np.stack(np.unravel_index(tempting, tuple(self.problem.space.sizes)), axis=1).astype(np.int64)
        return np.concatenate([self.feasible[~self.problem.is_seen(history)], others[~history.is_seen(others)]])

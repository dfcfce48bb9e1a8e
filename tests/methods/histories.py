"""Histories for tests of methods: the first rows of a listed set with values."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hedgerow.arrays import Codes
from hedgerow.methods import CodeProblem, History


def told(problem: CodeProblem, n: int, value: Callable[[Codes], float]) -> History:
    """Return the history after the first n listed rows."""
    rows = np.concatenate(list(problem.feasible.batches()))[:n]
    return History(rows, np.array([value(row) for row in rows]), rows[:0])

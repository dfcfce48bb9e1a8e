"""When to stop before the budget is used: where the untried points are not expected to be worth a trial any more."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hedgerow import checks
from hedgerow.errors import ArgumentError, HedgerowError
from hedgerow.outcomes.goals import Goals
from hedgerow.questions import Questions
from hedgerow.space import Space

NOTHING_LEFT = "when nothing is left"
# Before so many values, beliefs have seen too little to be asked.
LEAST_VALUES = 8
# Where no gain is named, it is this part of the way from the best value to the median.
SHARE = 0.01
# Beliefs about more points need more trials: so many for each bit of their number, as far as points are listed.
FOR_EACH_BIT, MOST_BITS = 3.0, 15.0
# Nothing is left where the chance that any untried point gains enough was below this after so many trials in a row, and
# so many trials have passed since the best one, with this part of those before it on top. Chosen on eleven recorded
# runs on random tasks (`python -m research stopping`): none was stopped too early, half of them after at most 1.5 times
# the trials needed; with a chance of 0.4, and fewer trials before and since the best, five of them were too early.
# On fifteen held-out tasks two were (docs/outcomes-measured.md, with the curve of thresholds).
MOST_CHANCE = 0.1
IN_A_ROW = 3
SINCE_BEST, SHARE_SINCE_BEST = 8, 0.1


@dataclass(frozen=True)
class Stopping:
    """Stop where it is unlikely that `least_gain`, in the unit of the objective, is still to be gained."""

    least_gain: float | None = None

    @classmethod
    def of(cls, stop: object, least_gain: object, goals: Goals, space: Space) -> Stopping | None:
        """Read what a user gives, or raise ArgumentError; None where runs go on to the end of the budget."""
        if stop is None:
            if least_gain is not None:
                raise ArgumentError(f"least_gain says when to stop early; it needs stop={NOTHING_LEFT!r}.")
            return None
        if stop != NOTHING_LEFT:
            raise ArgumentError(f"stop is None or {NOTHING_LEFT!r}, but {checks.shown(stop)} was given.")
        if goals.objectives.are_several:
            raise ArgumentError(f"stop={NOTHING_LEFT!r} is for one objective; what is left of a front is not known.")
        if space.reals:
            raise ArgumentError(
                f"stop={NOTHING_LEFT!r} is for variables with levels: what is left is not known where they take any "
                "real number. Give them levels, as in Real(low, high, levels=50)."
            )
        if least_gain is None:
            return cls()
        is_number = isinstance(least_gain, int | float | np.number) and not isinstance(least_gain, bool)
        if not is_number or not math.isfinite(float(least_gain)) or float(least_gain) <= 0:  # type: ignore[arg-type]
            raise ArgumentError(
                "least_gain is a number above 0, in the unit of the objective, but "
                f"{checks.shown(least_gain)} was given."
            )
        return cls(float(least_gain))  # type: ignore[arg-type]

    def nothing_is_left(self, trials: Questions) -> bool:
        """Return whether it is unlikely that any untried point gains enough; a function of the trials alone."""
        values = trials.good_values()
        if values.size < LEAST_VALUES or np.ptp(values) == 0:
            return False
        if values.size < FOR_EACH_BIT * _bits(trials):
            return False
        n_until, n_since = trials.n_since_best()
        if n_since < SINCE_BEST + SHARE_SINCE_BEST * n_until:
            return False
        least = self.least_gain or SHARE * float(np.median(values) - values.min())
        return all(trials.chance_of_gain(least, before) < MOST_CHANCE for before in range(IN_A_ROW))


def _bits(trials: Questions) -> float:
    """Return the logarithm of the number of feasible points, or the most that counts."""
    try:
        return min(MOST_BITS, math.log2(max(1, trials.feasible.count)))
    except HedgerowError:
        return MOST_BITS

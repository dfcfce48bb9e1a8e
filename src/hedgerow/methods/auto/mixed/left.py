"""What is left to gain on a space with reals, and functions drawn from what is believed of an outcome.

There is no end to the untried rows, so those that count are found as a suggestion is: draws, rows near the best, and
what a search climbs to. What is left is the expected improvement of the lowest of them, from joint draws, as over
levels (`auto.left`); it is never exact.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from hedgerow.arrays import Codes, Column, Matrix, Scores
from hedgerow.feasible.engines.mixed import MixedSet
from hedgerow.methods.auto.curves import Curve
from hedgerow.methods.auto.kernel.triangular import lower_factor, solve_lower
from hedgerow.methods.auto.left import CAUTIOUS, Left
from hedgerow.methods.auto.mixed.process import Process
from hedgerow.methods.history import History
from hedgerow.search.improvement_loops import log_improvements
from hedgerow.search.mixed import MixedLandscape, MixedSearch

# Uniform draws among which rows that count are sought, rows that are drawn together, and how often.
_N_DRAWN = 1000
_N_TOGETHER = 128
_N_DRAWS = 256
# Added to the diagonal of a covariance, which rounding makes singular: the less, the less a gain is made up by it.
_JITTERS = (1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2)


@dataclass(frozen=True, eq=False)
class SharedBelief:
    """One belief about an outcome: its share of the evidence, and the curve from values, in a unit, to its targets."""

    share: float
    process: Process
    curve: Curve
    unit: float

    def values(self, targets: Matrix) -> Matrix:
        """Return targets as values."""
        return self.unit * self.curve.values(targets)

    def draws(self, rows: Matrix, normals: Matrix, doubt: float = 1.0) -> Matrix:
        """Return joint draws of the targets at rows of coordinates, one for each row of standard normal numbers."""
        process = self.process
        explained = solve_lower(process.lower, process.kernel.between(process.parameters, process.rows, rows))
        covariance = process.kernel.between(process.parameters, rows, rows) - explained.T @ explained
        factor = math.sqrt(process.variance) * _root(covariance)
        return np.asarray(process.mean + process.whitened @ explained + doubt * (normals @ factor.T))


def _root(covariance: Matrix) -> Matrix:
    """Return its lower factor, with as little added to its diagonal as that needs."""
    added = 0.0
    for jitter in _JITTERS:
        covariance.flat[:: covariance.shape[0] + 1] += jitter - added
        added = jitter
        try:
            return lower_factor(covariance)
        except np.linalg.LinAlgError:
            continue
    raise AssertionError("a part of a correlation is not singular with that on its diagonal")


def drawn_functions(beliefs: Sequence[SharedBelief], rows: Matrix, n: int) -> Matrix:
    """Return about n functions drawn from beliefs (n, n_rows), in the unit of the values, within the range seen."""
    rng = np.random.default_rng(0)
    parts = []
    for belief in beliefs:
        count = max(1, round(n * belief.share))
        drawn = belief.draws(rows, rng.normal(size=(count, rows.shape[0])))
        parts.append(belief.values(np.clip(drawn, belief.process.targets.min(), belief.process.targets.max())))
    return np.concatenate(parts)


def rows_that_count(feasible: MixedSet, landscape: MixedLandscape, history: History, rng: Generator) -> Codes:
    """Return untried rows, the best that draws and a search find among them."""
    best = history.best_first
    centers = best[feasible.accepts(best)]
    climbs = MixedSearch(feasible, landscape, history.is_seen, best, rng).best_first(centers, is_stuck=True)
    found = feasible.rules.scales.codes(np.array([climb.row for climb in climbs]).reshape(-1, len(feasible.sizes)))
    rows = np.unique(np.concatenate([feasible.draw_up_to(_N_DRAWN, rng), found]), axis=0)
    rows = rows[feasible.accepts(rows)]
    return rows[~history.is_seen(rows)]


def left_among(
    beliefs: Sequence[SharedBelief], rows: Matrix, best: float | None, log_able: Scores
) -> tuple[Left, Left]:
    """Return what rows of coordinates are expected to gain on the best value, and the same to the cautious.

    Without a best value it is the lowest believed one. `log_able` are logarithms of the chances to work and to keep
    the limits.
    """
    return _left(beliefs, rows, best, log_able, 1.0), _left(beliefs, rows, best, log_able, CAUTIOUS)


def _left(beliefs: Sequence[SharedBelief], rows: Matrix, best: float | None, log_able: Scores, doubt: float) -> Left:
    goals = [_goal(belief, best) for belief in beliefs]
    alone = np.zeros(rows.shape[0])
    for belief, goal in zip(beliefs, goals, strict=True):
        mean, deviation = belief.process.predict(rows)
        # At and below the best value curves are straight lines.
        slope = float(np.ptp(belief.values(np.array([goal - 1.0, goal]))))
        alone += belief.share * slope * np.exp(log_improvements(mean, doubt * deviation, goal) + log_able)
    top = np.sort(np.argsort(-alone, kind="stable")[:_N_TOGETHER])
    rng = np.random.default_rng(0)
    normals, luck = rng.normal(size=(_N_DRAWS, top.size)), rng.random((_N_DRAWS, top.size))
    expected = chance = 0.0
    for belief, goal in zip(beliefs, goals, strict=True):
        drawn = belief.draws(np.ascontiguousarray(rows[top]), normals, doubt)
        lowest = np.minimum(goal, np.where(luck < np.exp(log_able[top]), drawn, goal).min(axis=1))
        gained: Column = belief.values(np.full(_N_DRAWS, goal)) - belief.values(lowest)
        expected += belief.share * float(gained.mean())
        chance += belief.share * float((lowest < goal).mean())
    of_one = float(alone.max(initial=0.0))
    return Left(max(expected, of_one), of_one, chance, rows.shape[0], False)


def _goal(belief: SharedBelief, best: float | None) -> float:
    if best is None:
        return float(belief.process.fitted.min())
    return float(belief.curve.targets(np.array([best / belief.unit]))[0])

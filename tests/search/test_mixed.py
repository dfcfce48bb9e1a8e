"""The search over reals: codes beside those of the best point, with reals that no draw meets."""

from __future__ import annotations

import numpy as np

import hedgerow as hr
from hedgerow.arrays import Column, Matrix, Scores
from hedgerow.feasible.engines.mixed import MixedSet
from hedgerow.feasible.reals.inside import Function
from hedgerow.methods.history import History
from hedgerow.search.mixed import MixedSearch
from hedgerow.space.encoding import decode, encode
from research.problems.engineering import pressure_vessel


class Cheapness:
    """Minus the cost of a vessel, with slopes by small differences."""

    def __init__(self, feasible: MixedSet) -> None:
        self._scales, self._design = feasible.rules.scales, pressure_vessel()

    def scores(self, rows: Matrix) -> Scores:
        points = [decode(self._design.space, row) for row in self._scales.codes(rows)]
        return np.array([-self._design.cost(point) for point in points])

    rough = scores

    def falling(self, row: Column) -> Function:
        def function(units: Column) -> tuple[float, Column]:
            moved = np.concatenate([units[None, :], units - 1e-7 * np.eye(units.size)])
            scores = self.scores(self._scales.placed(np.repeat(row[None, :], units.size + 1, axis=0), moved))
            return -float(scores[0]), -(scores[0] - scores[1:]) / 1e-7

        return function


def test_a_stuck_search_tries_the_codes_beside_the_best_with_reals_mended() -> None:
    design = pressure_vessel()
    feasible = hr.FeasibleSet(design.space, design.rules).codes
    assert isinstance(feasible, MixedSet)
    # The best vessel in plates one sixteenth thicker than those of the best of all, half a percent above it.
    local = {"shell": 0.875, "head": 0.4375, "radius": 45.3367, "length": 140.2546}
    assert design.gap(design.cost(local)) < 0.006
    row = encode(design.space, local)
    search = MixedSearch(
        feasible, Cheapness(feasible), History.empty(4).is_seen, row[None, :], np.random.default_rng(0)
    )
    found = [climb.row for climb in search._beside(feasible.rules.scales.numbers(row[None, :])[0])]
    points = [decode(design.space, row) for row in feasible.rules.scales.codes(np.array(found))]
    assert all(point in hr.FeasibleSet(design.space, design.rules) for point in points)
    assert min(design.gap(design.cost(point)) for point in points) < 0.001

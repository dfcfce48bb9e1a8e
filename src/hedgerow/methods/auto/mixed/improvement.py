"""The expected improvement as a search over reals climbs it: by the posterior, times the chance that a trial works."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedgerow.arrays import Column, Matrix, Scores
from hedgerow.feasible.reals.inside import Function
from hedgerow.methods.auto.mixed.belief import Chance, MixedPosterior, RowCoordinates
from hedgerow.methods.auto.mixed.joint import JointMixedPosterior


@dataclass(frozen=True, eq=False)
class Improvement:
    """The logarithm of what rows of numbers are worth; `chance` is that a trial works, None where all have."""

    coordinates: RowCoordinates
    posterior: MixedPosterior | JointMixedPosterior
    chance: Chance | None

    def scores(self, rows: Matrix) -> Scores:
        """Return the logarithm of the expected improvement of each row."""
        coordinates = self.coordinates.of_numbers(rows)
        return self._with_chance(coordinates, self.posterior.log_improvement(coordinates))

    def rough(self, rows: Matrix) -> Scores:
        """Return what rows are worth to the belief of highest evidence, which is cheap."""
        coordinates = self.coordinates.of_numbers(rows)
        return self._with_chance(coordinates, self.posterior.rough(coordinates))

    def _with_chance(self, coordinates: Matrix, scores: Scores) -> Scores:
        return scores if self.chance is None else scores + self.chance.log_rows(coordinates)

    def falling(self, row: Column) -> Function:
        """Return minus the logarithm with its slopes, as a function of where the reals lie."""
        reals = self.coordinates.reals
        base = self.coordinates.of_numbers(row[None, :])[0]

        def function(units: Column) -> tuple[float, Column]:
            at = base.copy()
            at[reals] = np.where(np.isnan(base[reals]), np.nan, units)
            value, slopes = self.posterior.with_slopes(at)
            return -value, -slopes[reals]

        return function

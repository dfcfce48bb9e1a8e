"""The compiled improvement against its plain twin."""

from __future__ import annotations

import numpy as np

from hedgerow.search.acquisition import log_expected_improvement
from hedgerow.search.improvement_loops import log_improvements


def test_it_is_that_of_the_plain_twin_at_all_magnitudes() -> None:
    z = np.concatenate([np.linspace(-60.0, 8.0, 5001), -np.logspace(1, 7, 200), np.logspace(1, 7, 50)])
    for sd in (1e-9, 0.3, 1e9):
        spread = np.full(z.size, sd)
        np.testing.assert_allclose(
            log_improvements(-z * sd, spread, 0.0), log_expected_improvement(-z * sd, spread, 0.0), rtol=1e-9, atol=1e-9
        )


def test_it_falls_steadily_where_formulas_meet() -> None:
    for place in (-1.0, -25.0):
        z = place + np.linspace(1e-3, -1e-3, 200)
        assert (np.diff(log_improvements(-z, np.ones(200), 0.0)) < 0.0).all()


def test_certain_rows_improve_by_their_gain_or_not_at_all() -> None:
    scores = log_improvements(np.array([0.1, 0.4, 0.7]), np.zeros(3), 0.4)
    np.testing.assert_allclose(scores, [np.log(0.3), -np.inf, -np.inf])

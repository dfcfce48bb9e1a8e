"""Factors and solves against what they mean, whichever way matrices are stored."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.methods.auto.kernel.triangular import lower_factor, solve_lower

RNG = np.random.default_rng(0)
ROOT = RNG.normal(size=(6, 6))
MATRIX = ROOT @ ROOT.T + np.eye(6)


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_factor_gives_the_matrix_back(order: str) -> None:
    lower = lower_factor(np.array(MATRIX, order=order))  # type: ignore[call-overload]
    np.testing.assert_allclose(lower @ lower.T, MATRIX)
    assert (np.triu(lower, 1) == 0.0).all()


def test_what_is_not_positive_definite_has_no_factor() -> None:
    with pytest.raises(np.linalg.LinAlgError, match="positive definite"):
        lower_factor(np.array([[1.0, 2.0], [2.0, 1.0]]))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("right_order", ["C", "F"])
def test_solutions_satisfy_their_equations(order: str, right_order: str) -> None:
    lower = np.array(lower_factor(MATRIX), order=order)  # type: ignore[call-overload]
    right = np.array(RNG.normal(size=(6, 3)), order=right_order)  # type: ignore[call-overload]
    before = right.copy()
    np.testing.assert_allclose(lower @ solve_lower(lower, right), right)
    np.testing.assert_allclose(lower.T @ solve_lower(lower, right, transposed=True), right)
    np.testing.assert_array_equal(right, before)

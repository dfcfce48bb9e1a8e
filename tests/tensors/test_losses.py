"""The loss kernel against its plain twin."""

from __future__ import annotations

import numpy as np

from hedgerow.tensors.losses import hinge_losses, hinge_losses_plain


def test_kernel_agrees_with_its_plain_twin() -> None:
    rng = np.random.default_rng(0)
    entries, values = rng.standard_normal((20, 3)), rng.standard_normal(7)
    losses, weights = np.zeros((3, 3)), np.empty((20, 3))
    hinge_losses(entries, values, 0.4, 0.5, losses, weights)
    expected_losses, expected_weights = hinge_losses_plain(entries, values, 0.4, 0.5)
    np.testing.assert_allclose(losses, expected_losses, rtol=1e-12)
    np.testing.assert_allclose(weights, expected_weights, rtol=1e-12)


def test_without_infeasible_rows_only_the_error_counts() -> None:
    losses, weights = np.zeros((3, 1)), np.empty((2, 1))
    hinge_losses(np.array([[1.0], [3.0]]), np.array([0.0, 1.0]), 9.0, 1.0, losses, weights)
    np.testing.assert_allclose(losses, [[2.5], [0.0], [0.0]])
    np.testing.assert_allclose(weights, [[1.0], [2.0]])

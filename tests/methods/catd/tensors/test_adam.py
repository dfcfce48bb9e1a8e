"""Adam: the kernel against its plain twin."""

from __future__ import annotations

import numpy as np

from hedgerow.methods.catd.tensors.adam import adam_step
from tests.methods.catd.tensors.adam_plain import adam_step_plain


def test_kernel_agrees_with_its_plain_twin() -> None:
    rng = np.random.default_rng(0)
    parameters = rng.standard_normal(21)
    fast = [parameters.copy(), np.zeros(21), np.zeros(21)]
    plain = [parameters.copy(), np.zeros(21), np.zeros(21)]
    for step in range(1, 6):
        gradient = rng.standard_normal(21)
        adam_step(fast[0], gradient, fast[1], fast[2], 0.01, step)
        adam_step_plain(plain[0], gradient, plain[1], plain[2], 0.01, step)
    np.testing.assert_allclose(fast, plain, rtol=1e-12)


def test_first_step_has_the_length_of_the_rate() -> None:
    parameters = np.zeros(2)
    adam_step(parameters, np.array([1e-3, -5.0]), np.zeros(2), np.zeros(2), 0.01, 1)
    np.testing.assert_allclose(parameters, [-0.01, 0.01], rtol=1e-4)


def test_parameters_without_gradient_stay() -> None:
    parameters = np.ones(2)
    adam_step(parameters, np.zeros(2), np.zeros(2), np.zeros(2), 0.01, 1)
    np.testing.assert_array_equal(parameters, np.ones(2))

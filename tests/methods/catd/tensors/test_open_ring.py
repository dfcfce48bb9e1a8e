"""A ring whose ends are summed over on their own, against its definition with all its numbers and a plain Adam."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import default_rng
from numpy.typing import NDArray

from hedgerow.errors import HedgerowError
from hedgerow.methods import CATD
from hedgerow.methods.catd.ensemble.factorized import Factorized
from hedgerow.methods.catd.ensemble.infeasible import ListedRows
from hedgerow.methods.catd.ensemble.pgrad import Pgrad, train
from hedgerow.methods.catd.readings import Readings

LEVELS, RANK, RATE, N_STEPS = (3, 4, 2), 3, 0.01, 25
GRID = np.stack(np.unravel_index(np.arange(24), LEVELS), axis=1).astype(np.int64)
SEEN, INFEASIBLE = GRID[::5], GRID[1::3]
VALUES = np.asarray(default_rng(1).uniform(size=SEEN.shape[0]))
Core = NDArray[np.float64]  # (rank, levels, rank)


def entries(cores: list[Core], codes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Sums over both ends of the product of matrices: no trace."""
    found = []
    for row in codes:
        product = np.eye(RANK)
        for core, code in zip(cores, row, strict=True):
            product = product @ core[:, code]
        found.append(product.sum())
    return np.array(found)


def slopes(cores: list[Core]) -> list[Core]:
    """Of the mean squared error on what was seen and the mean hinge below 1 at infeasible rows."""
    result = [np.zeros_like(core) for core in cores]
    gaps = entries(cores, SEEN) - VALUES
    weights = [*(2.0 * gaps / SEEN.shape[0]), *np.where(entries(cores, INFEASIBLE) < 1.0, -1.0 / len(INFEASIBLE), 0.0)]
    for row, weight in zip([*SEEN, *INFEASIBLE], weights, strict=True):
        for slot in range(3):
            left, right = np.ones(RANK), np.ones(RANK)
            for k in range(slot):
                left = left @ cores[k][:, row[k]]
            for k in range(2, slot, -1):
                right = cores[k][:, row[k]] @ right
            result[slot][:, row[slot]] += weight * np.outer(left, right)
    return result


def adam(cores: list[Core]) -> list[Core]:
    mean, square = [np.zeros_like(core) for core in cores], [np.zeros_like(core) for core in cores]
    for step in range(1, N_STEPS + 1):
        for k, slope in enumerate(slopes(cores)):
            mean[k] = 0.9 * mean[k] + 0.1 * slope
            square[k] = 0.999 * square[k] + 0.001 * slope**2
            move = mean[k] / (1 - 0.9**step) / (np.sqrt(square[k] / (1 - 0.999**step)) + 1e-8)
            cores[k] = cores[k] - RATE * move
    return cores


def test_training_follows_the_definition() -> None:
    readings = Readings(beginning="normal", ring="open")
    prior = Factorized("tr", RANK, 1, readings=readings).prior(LEVELS)
    cores = [default_rng(k).standard_normal((RANK, n, RANK)) for k, n in enumerate(LEVELS)]
    # What is kept of the ends is the sum of their terms; a deviation is moved by their number.
    first, last = cores[0].sum(axis=0), cores[2].sum(axis=2).T
    kept = np.concatenate([first.ravel() / RANK, cores[1].swapaxes(0, 1).ravel(), last.ravel() / RANK])[:, None]
    np.testing.assert_allclose(prior.tensor.entries(prior.factors(kept), GRID)[:, 0], entries(cores, GRID))
    settings = Pgrad(learning_rate=RATE, loss_target=0.0, max_epochs=N_STEPS, batch_size=None)
    rows, rng = ListedRows(INFEASIBLE), default_rng(0)
    trained, _ = train(prior, SEEN, VALUES, rows, settings, rng, deviations=kept, beginning=kept)
    expected = entries(adam(cores), GRID)
    np.testing.assert_allclose(prior.tensor.entries(prior.factors(trained), GRID)[:, 0], expected, rtol=1e-5)


def test_ends_begin_as_wide_as_a_sum_of_terms() -> None:
    factorized = Factorized("tr", 4, 1, readings=Readings(beginning="normal", ring="open"))
    prior = factorized.prior((5, 5, 5))
    factors = prior.factors(prior.draw(4000, default_rng(0)))
    spreads = [
        factors[start:end].std() for start, end in zip(prior.tensor.starts, prior.tensor.starts[1:], strict=False)
    ]
    np.testing.assert_allclose(spreads, [2.0, 1.0, 2.0], rtol=0.02)


def test_a_scaled_beginning_stays_scaled() -> None:
    factorized = Factorized("tr", 3, 1, readings=Readings(ring="open"))
    prior = factorized.prior((5, 5, 5))
    corner = prior.tensor.entries(prior.factors(prior.draw(4000, default_rng(0))), np.zeros((1, 3), np.int64))
    np.testing.assert_allclose([corner.mean(), corner.std()], [0.5, 0.25], rtol=0.1)


def test_the_authors_program_has_open_rings_and_nothing_else_does() -> None:
    assert CATD.as_programmed("tr", 4).ring == "open"
    assert CATD.as_published("tr", 4).ring == CATD("tr", 4).ring == "closed"
    assert CATD.as_programmed("tt", 4).surrogates()[0].prior((3, 3)).n_end_terms == 1


def test_an_unknown_ring_is_named() -> None:
    with pytest.raises(HedgerowError, match="no ring 'opne'"):
        CATD("tr", 2, ring="opne")  # type: ignore[arg-type]

"""Pairs of slots that act together: the sparse fit, what it finds, and what evidence makes of it."""

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgerow.methods.auto.belief import Belief, BeliefSettings, Fit, fit_beliefs, safe
from hedgerow.methods.auto.interactions import interacting_pairs, pairs_view
from hedgerow.methods.auto.interactions_loops import sparse_fit
from hedgerow.methods.auto.kernel.process import KernelSurrogate
from hedgerow.methods.auto.kernel.tensor_kernel import TensorKernel
from hedgerow.methods.auto.transforms import TRANSFORMS

N_SLOTS, N_SEEN = 16, 140
COUPLED = [(0, 9), (1, 14), (2, 7), (3, 11), (4, 12), (5, 15), (6, 10), (8, 13), (0, 3), (7, 12)]


def seen(size: int = 2, n: int = N_SEEN) -> NDArray[np.int64]:
    return np.random.default_rng(4).integers(0, size, (n, N_SLOTS))


def couplings(rows: NDArray[np.int64], size: int = 2) -> NDArray[np.float64]:
    tables = np.random.default_rng(5).normal(size=(len(COUPLED), size, size))
    parts = [table[rows[:, i], rows[:, j]] for table, (i, j) in zip(tables, COUPLED, strict=True)]
    return np.asarray(np.sum(parts, axis=0))


def fitted(rows: NDArray[np.int64], values: NDArray[np.float64]) -> Fit:
    kernel = TensorKernel.of([2] * N_SLOTS, [False] * N_SLOTS)
    return fit_beliefs(BeliefSettings(), kernel, rows, values, np.random.default_rng(0), finds_pairs=True)


def test_a_sparse_fit_has_the_pull_of_the_penalty_where_it_has_a_coefficient_and_no_more_elsewhere() -> None:
    rng = np.random.default_rng(1)
    columns, weights = rng.normal(size=(60, 40)), np.zeros(60)
    columns[7] = 0.0
    weights[:5] = rng.normal(size=5)
    targets, penalty = weights @ columns, 0.8
    found = sparse_fit(columns, targets, penalty)
    pull = columns @ (targets - found @ columns)
    used = found != 0
    assert 5 <= used.sum() < 40
    assert pull[used] == pytest.approx(penalty * np.sign(found[used]), abs=0.02)
    assert (np.abs(pull[~used]) <= penalty + 0.02).all()


@pytest.mark.parametrize("size", [2, 3])
def test_planted_pairs_are_found_before_all_others(size: int) -> None:
    rows = seen(size, n=60 * size * size)
    kernel = TensorKernel.of([size] * N_SLOTS, [False] * N_SLOTS)
    assert set(interacting_pairs(kernel, rows, couplings(rows, size))[: len(COUPLED)]) == set(COUPLED)


def test_evidence_speaks_for_pairs_where_they_are_and_predicts_what_was_not_seen() -> None:
    rows = seen()
    fit = fitted(rows, couplings(rows))
    best = max(fit.beliefs, key=lambda belief: belief.log_weight)
    assert best.view is not None and best.view.kinds == ("pairs",)
    assert fit.beliefs[0].view is None
    assert 10 * (1 - likeness(best, rows)) < 1 - likeness(fit.beliefs[0], rows)


def likeness(belief: Belief, rows: NDArray[np.int64]) -> float:
    """Return how well a belief predicts couplings at rows that were not told, as a correlation."""
    targets = TRANSFORMS[belief.transform](safe(couplings(rows))).values
    others = np.random.default_rng(6).integers(0, 2, (200, N_SLOTS))
    viewed = others if belief.view is None else belief.view.rows(others)
    means, _ = KernelSurrogate.condition(belief.factor, targets).predict(viewed)
    return float(np.corrcoef(means, couplings(others))[0, 1])


@pytest.mark.parametrize(
    "values",
    [
        pytest.param(lambda rows: rows @ np.arange(1.0, N_SLOTS + 1), id="a sum over slots"),
        pytest.param(lambda rows: np.random.default_rng(2).normal(size=rows.shape[0]), id="noise"),
    ],
)
def test_where_no_pair_matters_none_is_believed_in(values: object) -> None:
    rows = seen()
    assert callable(values)
    beliefs = fitted(rows, values(rows)).beliefs
    assert all(belief.view is None or belief.log_weight < -3 for belief in beliefs)


def test_few_slots_and_few_observations_have_no_pairs_to_look_for() -> None:
    rows = seen()
    kernel = TensorKernel.of([2] * N_SLOTS, [False] * N_SLOTS)
    assert pairs_view(kernel, rows[:30], couplings(rows)[:30]) is None
    assert pairs_view(TensorKernel.of([2] * 7, [False] * 7), rows[:, :7], couplings(rows)) is None
    # Slots of many levels have too many contents together.
    assert pairs_view(TensorKernel.of([9] * N_SLOTS, [True] * N_SLOTS), rows, couplings(rows)) is None


@pytest.mark.parametrize("sizes", [[2] * 201, [4] * 80, [2] * 5000])
def test_where_pairs_are_too_many_none_is_looked_at(sizes: list[int]) -> None:
    rows = np.random.default_rng(0).integers(0, 2, (50, len(sizes)))
    kernel = TensorKernel.of(sizes, [False] * len(sizes))
    assert interacting_pairs(kernel, rows, np.asarray(rows[:, 0] * rows[:, 1], dtype=np.float64)) == []


def test_of_two_hundred_options_the_pair_that_acts_is_found() -> None:
    rows = np.random.default_rng(0).integers(0, 2, (120, 200))
    kernel = TensorKernel.of([2] * 200, [False] * 200)
    values = 3.0 * (rows[:, 5] == rows[:, 150]) + rows[:, 7]
    assert interacting_pairs(kernel, rows, values)[0] == (5, 150)


def test_slots_whose_codes_are_not_those_of_the_space_are_left_out() -> None:
    rows = seen(2)
    kernel = TensorKernel.of([3] * N_SLOTS, [True] * N_SLOTS, may_miss=[slot == 0 for slot in range(N_SLOTS)])
    assert kernel.recoded == (0,)
    pairs = interacting_pairs(kernel, rows, couplings(rows))
    assert pairs and all(0 not in pair for pair in pairs)

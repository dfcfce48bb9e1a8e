"""PGRAD: the loss, its slopes, its T-norms, its rows, and what training achieves."""

from __future__ import annotations

import subprocess
import sys
from typing import get_args

import numpy as np
import pytest
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

import hedgerow as hr
from hedgerow.surrogates.pgrad import (
    DrawnRows,
    ListedRows,
    Pgrad,
    TNorm,
    TrainingReport,
    infeasible_rows,
    train,
    violation,
)
from hedgerow.tensors import FormatName, tensor_format
from hedgerow.tensors.tensor_format import Codes, Parameters

LEVELS = (5, 5, 5, 5)
GRID = np.stack(np.unravel_index(np.arange(625), LEVELS), axis=1).astype(np.int64)
IS_FEASIBLE = GRID.sum(axis=1) <= 8
INFEASIBLE = ListedRows(GRID[~IS_FEASIBLE])
TNORMS: tuple[TNorm, ...] = get_args(TNorm)


def observations(n: int, rng: Generator) -> tuple[Codes, NDArray[np.float64]]:
    codes = rng.permutation(GRID[IS_FEASIBLE])[:n]
    values = ((codes - [1.0, 2.0, 0.0, 3.0]) ** 2).sum(axis=1)
    return codes, values / values.max()


def trained(
    settings: Pgrad, name: FormatName = "tt", seed: int = 0, previous: Parameters | None = None, n: int = 20
) -> tuple[Parameters, TrainingReport]:
    rng = default_rng(seed)
    codes, values = observations(n, rng)
    tensor = tensor_format(name, LEVELS, 3)
    parameters = tensor.initial(4, rng) if previous is None else previous
    return train(tensor, codes, values, INFEASIBLE, settings, rng, parameters=parameters)


@pytest.mark.parametrize("name", ["cp", "tr", "tt"])
@pytest.mark.parametrize("exact_limit", [0, 10_000])
def test_training_reaches_its_target(name: FormatName, exact_limit: int) -> None:
    _, report = trained(Pgrad(loss_target=0.02, exact_limit=exact_limit, batch_size=64), name)
    assert (report.epochs < 1000).all()
    assert (report.data_loss + report.penalty <= 0.02).all()


def test_without_penalty_only_the_observations_count() -> None:
    _, report = trained(Pgrad(penalty=0.0, loss_target=1e-4))
    assert (report.data_loss <= 1e-4).all()
    assert not report.penalty.any() and not report.violated.any()


@pytest.mark.parametrize("tnorm", TNORMS)
def test_penalty_lifts_infeasible_rows_above_the_threshold(tnorm: TNorm) -> None:
    below = {}
    for penalty in (0.0, 1.0):
        parameters, _ = trained(Pgrad(penalty=penalty, tnorm=tnorm, loss_target=0.005))
        below[penalty] = (tensor_format("tt", LEVELS, 3).evaluate(parameters, INFEASIBLE.rows).entries < 1.0).mean()
    assert below[1.0] < 0.5 * below[0.0]


def test_batches_come_near_the_exact_expectation() -> None:
    tensor = tensor_format("tt", LEVELS, 3)
    penalties = []
    for exact_limit in (0, 10_000):
        parameters, _ = trained(Pgrad(loss_target=0.0, max_epochs=400, exact_limit=exact_limit, batch_size=128))
        penalties.append(violation(1.0 - tensor.evaluate(parameters, INFEASIBLE.rows).entries, "lukasiewicz")[0].mean())
    assert abs(penalties[0] - penalties[1]) < 0.01


def test_a_model_that_meets_the_target_does_not_move_any_more() -> None:
    settings = Pgrad(loss_target=0.05, exact_limit=10_000)
    parameters, report = trained(settings)
    assert len(set(report.epochs.tolist())) > 1
    again, second = trained(settings, previous=parameters)
    np.testing.assert_array_equal(again, parameters)
    assert not second.epochs.any()


def test_training_goes_on_from_where_it_was() -> None:
    first, _ = trained(Pgrad(loss_target=0.0, max_epochs=100))
    _, further = trained(Pgrad(loss_target=0.0, max_epochs=0), previous=first)
    _, anew = trained(Pgrad(loss_target=0.0, max_epochs=0))
    assert (further.data_loss + further.penalty < 0.5 * (anew.data_loss + anew.penalty)).all()


def test_epochs_are_bounded() -> None:
    _, report = trained(Pgrad(loss_target=-1.0, max_epochs=7))
    assert (report.epochs == 7).all()


def test_previous_parameters_are_left_as_they_are() -> None:
    first, _ = trained(Pgrad(max_epochs=3))
    kept = first.copy()
    trained(Pgrad(loss_target=0.0, max_epochs=3), previous=first)
    np.testing.assert_array_equal(first, kept)


@pytest.mark.parametrize("tnorm", TNORMS)
def test_slopes_of_penalties_agree_with_finite_differences(tnorm: TNorm) -> None:
    gaps = default_rng(0).uniform(-0.5, 1.8, size=(12, 3))
    _, slopes = violation(gaps, tnorm)
    for i in range(gaps.shape[0]):
        up, down = gaps.copy(), gaps.copy()
        up[i] += 1e-6
        down[i] -= 1e-6
        numeric = (violation(up, tnorm)[0] - violation(down, tnorm)[0]) / 2e-6
        np.testing.assert_allclose(slopes[i], numeric, atol=1e-6)


@pytest.mark.parametrize("tnorm", TNORMS)
def test_a_kept_rule_costs_nothing(tnorm: TNorm) -> None:
    value, slopes = violation(np.array([[-0.2], [0.0], [-1e9]]), tnorm)
    assert value[0] == pytest.approx(0.0, abs=1e-15)
    assert not slopes.any()


def test_penalties_are_ordered_from_mean_to_worst() -> None:
    gaps = default_rng(1).uniform(-0.5, 0.9, size=(50, 2))
    mean, product, goedel = (violation(gaps, tnorm)[0] for tnorm in TNORMS)
    assert (mean < product).all() and (mean < goedel).all()
    assert (goedel < gaps.max(axis=0)).all()


@pytest.mark.parametrize("tnorm", TNORMS)
def test_huge_gaps_stay_finite(tnorm: TNorm) -> None:
    value, slopes = violation(np.array([[1e200], [3.0]]), tnorm)
    assert np.isfinite(value).all() and np.isfinite(slopes).all()


def test_rows_of_a_small_space_are_listed() -> None:
    feasible = hr.FeasibleSet(hr.Space({"a": hr.Integer(0, 6), "b": hr.Integer(0, 4)}), ["a + b <= 4"])
    rows = infeasible_rows(feasible.codes, (7, 5))
    assert rows is not None and rows.listed is not None
    assert rows.listed.shape == (35 - feasible.count, 2)
    assert not feasible.codes.accepts(rows.draw(100, default_rng(0))).any()


def test_rows_of_a_large_space_are_drawn() -> None:
    feasible = hr.FeasibleSet(hr.Space({"a": hr.Integer(0, 6), "b": hr.Integer(0, 4)}), ["a + b <= 4"])
    rows = infeasible_rows(feasible.codes, (7, 5), list_limit=10)
    assert isinstance(rows, DrawnRows) and rows.listed is None
    assert not feasible.codes.accepts(rows.draw(100, default_rng(0))).any()


@pytest.mark.parametrize("list_limit", [1, 100])
def test_a_space_without_rules_has_no_infeasible_rows(list_limit: int) -> None:
    feasible = hr.FeasibleSet(hr.Space({"a": hr.Integer(0, 6)}), [])
    assert infeasible_rows(feasible.codes, (7,), list_limit=list_limit) is None


def test_settings_check_themselves() -> None:
    with pytest.raises(ValueError, match="T-norm"):
        Pgrad(tnorm="nilpotent")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="learning_rate"):
        Pgrad(learning_rate=0.0)


def test_training_is_the_same_twice_and_in_a_new_process() -> None:
    def fingerprint() -> str:
        parameters, report = trained(Pgrad(exact_limit=0, batch_size=100, loss_target=0.02))
        return parameters.tobytes().hex() + report.penalty.tobytes().hex()

    program = (
        "from tests.surrogates.test_pgrad import *\n"
        "parameters, report = trained(Pgrad(exact_limit=0, batch_size=100, loss_target=0.02))\n"
        "print(parameters.tobytes().hex() + report.penalty.tobytes().hex())"
    )
    elsewhere = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert fingerprint() == fingerprint() == elsewhere.stdout.strip()


def test_importing_hedgerow_does_not_load_numba() -> None:
    program = "import sys, hedgerow; print('numba' in sys.modules or 'scipy' in sys.modules)"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "False"

"""PGRAD: what training achieves, when it stops, and that it is a pure function."""

from __future__ import annotations

import subprocess
import sys
from typing import get_args

import numpy as np
import pytest
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from hedgerow.arrays import Codes
from hedgerow.methods.catd.ensemble.infeasible import DrawnRows, InfeasibleRows, ListedRows
from hedgerow.methods.catd.ensemble.pgrad import Pgrad, TrainingReport, train
from hedgerow.methods.catd.tensors import FormatName, tensor_format
from hedgerow.methods.catd.tensors.losses import TNorm
from hedgerow.methods.catd.tensors.prior import Prior
from hedgerow.methods.catd.tensors.tensor_format import Entries, Parameters
from tests.methods.catd.tensors.losses_plain import violation

LEVELS = (5, 5, 5, 5)
GRID = np.stack(np.unravel_index(np.arange(625), LEVELS), axis=1).astype(np.int64)
IS_FEASIBLE = GRID.sum(axis=1) <= 8
INFEASIBLE = ListedRows(GRID[~IS_FEASIBLE])
DRAWN = DrawnRows(lambda n, rng: rng.choice(INFEASIBLE.rows, n))
TNORMS: tuple[TNorm, ...] = get_args(TNorm)


def observations(n: int, rng: Generator) -> tuple[Codes, NDArray[np.float64]]:
    codes = rng.permutation(GRID[IS_FEASIBLE])[:n]
    values = ((codes - [1.0, 2.0, 0.0, 3.0]) ** 2).sum(axis=1)
    return codes, values / values.max()


def trained(
    settings: Pgrad,
    name: FormatName = "tt",
    previous: Parameters | None = None,
    infeasible: InfeasibleRows = INFEASIBLE,
) -> tuple[Parameters, TrainingReport]:
    rng = default_rng(0)
    codes, values = observations(20, rng)
    prior = Prior.of(tensor_format(name, LEVELS, 3))
    beginning = prior.draw(4, rng)
    deviations = beginning if previous is None else previous
    return train(prior, codes, values, infeasible, settings, rng, deviations=deviations, beginning=beginning)


def entries(deviations: Parameters, codes: Codes) -> Entries:
    tensor = tensor_format("tt", LEVELS, 3)
    return tensor.entries(Prior.of(tensor).factors(deviations), codes)


@pytest.mark.parametrize("name", ["cp", "tr", "tt"])
@pytest.mark.parametrize("infeasible", [INFEASIBLE, DRAWN], ids=["listed", "drawn"])
@pytest.mark.parametrize("batch_size", [64, 10_000])
def test_training_reaches_its_target(name: FormatName, infeasible: InfeasibleRows, batch_size: int) -> None:
    _, report = trained(Pgrad(loss_target=0.02, batch_size=batch_size), name, infeasible=infeasible)
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
        below[penalty] = (entries(parameters, INFEASIBLE.rows) < 1.0).mean()
    assert below[1.0] < 0.5 * below[0.0]


@pytest.mark.parametrize("infeasible", [INFEASIBLE, DRAWN], ids=["listed", "drawn"])
def test_batches_come_near_the_exact_expectation(infeasible: InfeasibleRows) -> None:
    penalties = []
    for batch_size in (64, 10_000):
        parameters, _ = trained(Pgrad(loss_target=0.0, max_epochs=400, batch_size=batch_size), infeasible=infeasible)
        penalties.append(violation(1.0 - entries(parameters, INFEASIBLE.rows), "lukasiewicz")[0].mean())
    assert abs(penalties[0] - penalties[1]) < 0.01


def test_a_model_that_meets_the_target_does_not_move_any_more() -> None:
    settings = Pgrad(loss_target=0.05, batch_size=10_000)
    parameters, report = trained(settings)
    assert len(set(report.epochs.tolist())) > 1
    again, second = trained(settings, previous=parameters)
    np.testing.assert_array_equal(again, parameters)
    assert not second.epochs.any()


def test_an_anchor_keeps_models_near_their_beginning() -> None:
    far = []
    for anchor in (0.0, 0.1, 100.0):
        deviations, _ = trained(Pgrad(loss_target=0.0, max_epochs=500, anchor=anchor))
        beginning, _ = trained(Pgrad(max_epochs=0))
        far.append(np.abs(deviations - beginning).mean())
    assert far[0] > far[1] > 10 * far[2]


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


def test_settings_check_themselves() -> None:
    with pytest.raises(ValueError, match="T-norm"):
        Pgrad(tnorm="nilpotent")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="learning_rate"):
        Pgrad(learning_rate=0.0)
    with pytest.raises(ValueError, match="anchor"):
        Pgrad(anchor=-1.0)


def test_training_is_the_same_twice_and_in_a_new_process() -> None:
    def fingerprint() -> str:
        parameters, report = trained(Pgrad(batch_size=100, loss_target=0.02))
        return parameters.tobytes().hex() + report.penalty.tobytes().hex()

    program = (
        "from tests.methods.catd.ensemble.test_pgrad import *\n"
        "parameters, report = trained(Pgrad(batch_size=100, loss_target=0.02))\n"
        "print(parameters.tobytes().hex() + report.penalty.tobytes().hex())"
    )
    elsewhere = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert fingerprint() == fingerprint() == elsewhere.stdout.strip()


def test_importing_hedgerow_does_not_load_numba() -> None:
    program = "import sys, hedgerow; print('numba' in sys.modules or 'scipy' in sys.modules)"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "False"

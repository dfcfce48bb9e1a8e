"""The compiled training loop against the same training in plain NumPy."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from numpy.random import default_rng

from hedgerow.methods.catd.ensemble.infeasible import ListedRows
from hedgerow.methods.catd.ensemble.pgrad import Pgrad, train
from hedgerow.methods.catd.tensors import FormatName, tensor_format
from hedgerow.methods.catd.tensors.losses import TNorm
from hedgerow.methods.catd.tensors.prior import Prior
from tests.methods.catd.tensors.training_plain import train_plain

NAMES: tuple[FormatName, ...] = ("cp", "tr", "tt")
TNORMS: tuple[TNorm, ...] = get_args(TNorm)
LEVELS = (3, 2, 4)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("tnorm", TNORMS)
@pytest.mark.parametrize("n_models", [3, 5])
def test_training_agrees_with_its_plain_twin(name: FormatName, tnorm: TNorm, n_models: int) -> None:
    rng = default_rng(0)
    prior = Prior.of(tensor_format(name, LEVELS, 2), [True, False, True], 0.5)
    codes, infeasible = rng.integers(0, LEVELS, size=(9, 3)), rng.integers(0, LEVELS, size=(6, 3))
    values, beginning = rng.random(9), prior.draw(n_models, rng)
    settings = Pgrad(
        max_epochs=8, loss_target=-1.0, penalty=0.7, tnorm=tnorm, anchor=0.2, dilutes_loss=True, weight_decay=0.3
    )
    trained, report = train(
        prior,
        codes,
        values,
        ListedRows(infeasible),
        settings,
        rng,
        deviations=beginning,
        beginning=beginning,
        n_infeasible=6,
    )
    expected = train_plain(
        prior,
        codes,
        values,
        [infeasible] * 8,
        beginning,
        penalty=0.7,
        tnorm=tnorm,
        threshold=1.0,
        pull=0.2 / prior.tensor.spread**2 / 9,
        rate=0.01,
        n_counted=15.0,
        decay=0.3,
    )
    np.testing.assert_allclose(trained, expected, atol=1e-10)
    assert (report.epochs == 8).all()

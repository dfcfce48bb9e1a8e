"""Ensembles: mean and spread over models."""

from __future__ import annotations

import numpy as np
from numpy.random import default_rng

from hedgerow.methods.catd.ensemble.ensemble import Ensemble
from hedgerow.methods.catd.ensemble.pgrad import TrainingReport
from hedgerow.methods.catd.ensemble.scaling import Scaling
from hedgerow.methods.catd.tensors import tensor_format
from hedgerow.methods.catd.tensors.prior import Prior


def fresh(n_models: int) -> Ensemble:
    prior = Prior.of(tensor_format("tt", (4, 3, 2), 2))
    beginning = prior.draw(n_models, default_rng(0))
    report = TrainingReport(np.zeros(n_models, dtype=np.int64), *np.zeros((3, n_models)))
    return Ensemble(prior, beginning, beginning, Scaling(0.0, 1.0), report)


CODES = default_rng(1).integers(0, (4, 3, 2), size=(30, 3))


def test_mean_and_spread_are_those_of_the_models() -> None:
    ensemble = fresh(5)
    predictions = ensemble.predictions(CODES)
    mean, sd = ensemble.predict(CODES)
    assert predictions.shape == (30, 5)
    np.testing.assert_allclose(mean, predictions.sum(axis=1) / 5)
    np.testing.assert_allclose(sd**2, ((predictions - mean[:, None]) ** 2).sum(axis=1) / 4)


def test_a_single_model_has_no_spread() -> None:
    _, sd = fresh(1).predict(CODES)
    assert not sd.any()


def test_no_rows_get_no_predictions() -> None:
    assert fresh(3).predictions(CODES[:0]).shape == (0, 3)

"""A fitted ensemble of tensors: what each model predicts, and their mean and spread (the paper's Section 3.4)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hedgerow.arrays import Codes, Column
from hedgerow.methods.catd.ensemble.pgrad import TrainingReport
from hedgerow.methods.catd.ensemble.scaling import Scaling, TamedScaling
from hedgerow.methods.catd.grids import Grids
from hedgerow.methods.catd.tensors.prior import Prior
from hedgerow.methods.catd.tensors.tensor_format import Entries, Parameters
from hedgerow.methods.catd.tensors.whole import mean_of_all


@dataclass(frozen=True)
class Ensemble:
    """M tensors of one format, trained on the same observations from different beginnings.

    Predictions are on the normalized scale; `scaling` leads back to the user's values.
    """

    prior: Prior
    beginning: Parameters
    deviations: Parameters
    scaling: Scaling | TamedScaling
    report: TrainingReport
    # Where reals lie; None where the space has none.
    grids: Grids | None = None

    @property
    def n_models(self) -> int:
        """The number of models."""
        return int(self.deviations.shape[1])

    @cached_property
    def parameters(self) -> Parameters:
        """The factors of all models."""
        return self.prior.factors(self.deviations)

    def predictions(self, codes: Codes) -> Entries:
        """Return what each model says at each row, as (n_rows, n_models)."""
        rows = codes if self.grids is None else self.grids.rows(codes)
        return self.prior.tensor.entries(self.parameters, rows)

    def predict(self, codes: Codes) -> tuple[Column, Column]:
        """Return mean and standard deviation (with n - 1) over the models; a single model has no spread."""
        return moments(self.predictions(codes))

    def mean_of_all(self) -> Column:
        """Return the mean at every combination of levels, the last slot running fastest; the tensor must be small."""
        return mean_of_all(self.prior.tensor, self.parameters)


def moments(predictions: Entries) -> tuple[Column, Column]:
    """Return mean and standard deviation (with n - 1) of each row of predictions; a single model has no spread."""
    n_models = predictions.shape[1]
    # As products with a vector of ones, which is many times faster than reducing short rows.
    mean = predictions @ np.full(n_models, 1.0 / n_models)
    if n_models == 1:
        return mean, np.zeros(predictions.shape[0])
    deviations = predictions - mean[:, None]
    return mean, np.sqrt((deviations * deviations) @ np.full(n_models, 1.0 / (n_models - 1)))

"""A fitted ensemble of tensors: what each model predicts, and their mean and spread (the paper's Section 3.4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedgerow.surrogates.pgrad import TrainingReport
from hedgerow.surrogates.scaling import Scaling
from hedgerow.surrogates.surrogate import Column
from hedgerow.tensors.tensor_format import Codes, Entries, Parameters, TensorFormat

# Rows evaluated at a time, so that asking about many rows needs little memory beside the answer.
_CHUNK = 2**14


@dataclass(frozen=True)
class Ensemble:
    """M tensors of one format, trained on the same observations from different beginnings.

    Predictions are on the normalised scale; `scaling` leads back to the user's values.
    """

    tensor: TensorFormat
    parameters: Parameters
    scaling: Scaling
    report: TrainingReport

    @property
    def n_models(self) -> int:
        """The number of models."""
        return int(self.parameters.shape[1])

    def predictions(self, codes: Codes) -> Entries:
        """Return what each model says at each row, as (n_rows, n_models)."""
        starts = range(0, max(1, codes.shape[0]), _CHUNK)
        return np.concatenate([self.tensor.evaluate(self.parameters, codes[i : i + _CHUNK]).entries for i in starts])

    def predict(self, codes: Codes) -> tuple[Column, Column]:
        """Return mean and standard deviation (with n - 1) over the models; a single model has no spread."""
        predictions = self.predictions(codes)
        if self.n_models == 1:
            return predictions[:, 0], np.zeros(codes.shape[0])
        return predictions.mean(axis=1), predictions.std(axis=1, ddof=1)

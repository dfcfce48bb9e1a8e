"""The paper's surrogate as a value: which tensor format, which rank, how many models, how trained; fitting gives an
ensemble."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from hedgerow.surrogates.ensemble import Ensemble
from hedgerow.surrogates.pgrad import InfeasibleRows, Pgrad, train
from hedgerow.surrogates.scaling import Scaling
from hedgerow.tensors import tensor_format
from hedgerow.tensors.tensor_format import Codes, FormatName, Parameters, TensorFormat


@dataclass(frozen=True)
class Factorized:
    """An ensemble of low-rank tensors to be trained by PGRAD."""

    format: FormatName = "tt"
    rank: int = 3
    n_models: int = 10
    training: Pgrad = field(default_factory=Pgrad)

    def __post_init__(self) -> None:
        if self.n_models < 1:
            raise ValueError(f"An ensemble needs at least one model; got n_models = {self.n_models}.")

    def fit(
        self,
        level_counts: Sequence[int],
        codes: Codes,
        values: ArrayLike,
        infeasible: InfeasibleRows | None,
        rng: Generator,
        *,
        previous: Ensemble | None = None,
        is_feasible: NDArray[np.bool_] | None = None,
    ) -> Ensemble:
        """Return the ensemble trained on these observations (finite values), going on from a previous one if given.

        `is_feasible` marks the observations that satisfy the rules, all of them unless told; the highest of their
        values is the threshold that infeasible rows should not be below.
        """
        tensor = tensor_format(self.format, level_counts, self.rank)
        scaling = Scaling.of(values)
        normalised = scaling.normalise(values)
        parameters, report = train(
            tensor,
            codes,
            normalised,
            infeasible,
            self.training,
            rng,
            parameters=self._beginning(tensor, previous, rng),
            threshold=_threshold(normalised, is_feasible),
        )
        return Ensemble(tensor, parameters, scaling, report)

    def _beginning(self, tensor: TensorFormat, previous: Ensemble | None, rng: Generator) -> Parameters:
        if previous is None:
            return tensor.initial(self.n_models, rng)
        if previous.tensor != tensor or previous.n_models != self.n_models:
            raise ValueError(
                f"Training can go on only from an ensemble of the same kind: {self.n_models} models of {tensor} are "
                f"wanted, {previous.n_models} of {previous.tensor} were given. Leave `previous` out to begin anew."
            )
        return previous.parameters


def _threshold(normalised: NDArray[np.float64], is_feasible: NDArray[np.bool_] | None) -> float:
    """Return tau (Section 3.2) on the normalised scale: 1, or 0.5 while all values are equal."""
    counted = normalised if is_feasible is None else normalised[is_feasible]
    return float(counted.max()) if counted.size else 1.0

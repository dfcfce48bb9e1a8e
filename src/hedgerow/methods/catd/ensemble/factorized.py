"""The paper's surrogate as a value: which tensor format, which rank, how many models, how trained; fitting gives an
ensemble."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from hedgerow.arrays import Codes
from hedgerow.methods.catd.ensemble.ensemble import Ensemble
from hedgerow.methods.catd.ensemble.infeasible import InfeasibleRows
from hedgerow.methods.catd.ensemble.pgrad import Pgrad, train
from hedgerow.methods.catd.ensemble.scaling import Scaling, TamedScaling
from hedgerow.methods.catd.grids import Grids
from hedgerow.methods.catd.readings import Readings
from hedgerow.methods.catd.tensors import TensorFormat, tensor_format
from hedgerow.methods.catd.tensors.prior import Prior


@dataclass(frozen=True)
class Factorized:
    """An ensemble of low-rank tensors to be trained by PGRAD.

    `smoothness` is the share of an ordered slot's range over which factors vary little (None: order does not matter);
    `tames_outliers` bends bad values (`TamedScaling`). `readings` say where models begin and which observations are
    fitted, lie on the unit interval and set the threshold. `n_nodes` is how many the grid of a real has.
    """

    format: str = "tt"
    rank: int = 3
    n_models: int = 10
    training: Pgrad = field(default_factory=Pgrad)
    smoothness: float | None = None
    tames_outliers: bool = False
    readings: Readings = field(default_factory=Readings)
    n_nodes: int = 12

    def __post_init__(self) -> None:
        if self.n_models < 1:
            raise ValueError(f"An ensemble needs at least one model; got n_models = {self.n_models}.")
        if self.smoothness is not None and not self.smoothness > 0:
            raise ValueError(f"smoothness is a positive share of the range, or None; got {self.smoothness}.")

    @property
    def _is_open(self) -> bool:
        return self.format == "tr" and self.readings.ring == "open"

    @property
    def _form(self) -> str:
        """The format that is kept: without the trace a ring is a train whose ends are sums."""
        return "tt" if self._is_open else self.format

    def prior(self, level_counts: Sequence[int], is_ordered: Sequence[bool] | None = None) -> Prior:
        """Return where models begin on a space with these numbers of levels."""
        return self._prior_of(tensor_format(self._form, level_counts, self.rank), is_ordered)

    def prior_on(self, grids: Grids) -> Prior:
        """Return where models begin on a space whose reals are on grids."""
        tensor = tensor_format(self._form, grids.level_counts, self.rank, grids.slots)
        return self._prior_of(tensor, grids.is_ordered, grids.has_none)

    def _prior_of(
        self, tensor: TensorFormat, is_ordered: Sequence[bool] | None, has_none: Sequence[bool] | None = None
    ) -> Prior:
        return Prior.of(
            tensor,
            is_ordered,
            self.smoothness,
            has_none=has_none,
            start=self.readings.beginning,
            spread=self.readings.beginning_spread,
            n_end_terms=self.rank if self._is_open else 1,
        )

    def fit(
        self,
        prior: Prior,
        codes: Codes,
        values: ArrayLike,
        infeasible: InfeasibleRows,
        rng: Generator,
        *,
        previous: Ensemble | None = None,
        is_feasible: NDArray[np.bool_] | None = None,
        n_infeasible: int = 0,
        grids: Grids | None = None,
    ) -> Ensemble:
        """Return the ensemble trained on these observations (finite values), going on from a previous one if given.

        `is_feasible` marks the observations that satisfy the rules, all of them unless told; the highest of their
        values is the threshold that infeasible rows should not be below. `n_infeasible` is how many points break one.
        Where the space has reals, `grids` says where they lie; infeasible rows are rows of places already.
        """
        if previous is not None and (previous.prior.tensor != prior.tensor or previous.n_models != self.n_models):
            raise ValueError(
                f"Training can go on only from an ensemble of the same kind: {self.n_models} models of {prior.tensor} "
                f"are wanted, {previous.n_models} of {previous.prior.tensor} were given. Leave `previous` out to "
                "begin anew."
            )
        given = np.asarray(values, dtype=np.float64)
        marked = np.ones(given.size, dtype=np.bool_) if is_feasible is None else is_feasible
        between = given if self.readings.normalizes == "all" else given[marked]
        scaling = TamedScaling.of(between) if self.tames_outliers else Scaling.of(between)
        normalized = scaling.normalize(given)
        fitted = slice(None) if self.readings.fits_infeasible else marked
        beginning = prior.draw(self.n_models, rng) if previous is None else previous.beginning
        deviations, report = train(
            prior,
            (codes if grids is None else grids.rows(codes))[fitted],
            normalized[fitted],
            infeasible,
            self.training,
            rng,
            deviations=beginning if previous is None else previous.deviations,
            beginning=beginning,
            threshold=_threshold(normalized if self.readings.threshold == "highest" else normalized[marked]),
            n_infeasible=n_infeasible,
        )
        return Ensemble(prior, beginning, deviations, scaling, report, grids)


def _threshold(counted: NDArray[np.float64]) -> float:
    """Return tau (Section 3.2) on the normalized scale: 1, or 0.5 while all values are equal."""
    return float(counted.max()) if counted.size else 1.0

"""PGRAD, the paper's training (Section 3.3, eq. (5)): squared error on the observations plus lambda times the
expected violation over the infeasible region, minimized by Adam for all models of an ensemble.

L_total = 1/|H| sum_H (y - Y[x])^2 + lambda E_{x ~ U(infeasible)} [violation of "Y[x] >= tau"]

Values are normalized, so tau, the highest feasible value seen, is 1. The mean squared error is taken over the
observations, as the text says. Every epoch takes a batch of infeasible rows, with all observations beside it
(Appendix F); where the batch holds all of them the expectation is exact. A model rests from the epoch on in which its
total loss meets the target. Adam's moments begin anew in every round; parameters go on.

Beyond the paper, `anchor` draws every model toward its own random beginning. To minimize sum_H (y - Y[x])^2 +
anchor * |deviation - beginning|^2 / spread^2 is, for a linear model, to draw from the posterior of a Gaussian prior
with noise of variance `anchor` (randomized maximum a posteriori), so that models agree where there is data and keep
their own minds elsewhere. The target does not count that term.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from hedgerow.arrays import Codes
from hedgerow.methods.catd.ensemble.infeasible import InfeasibleRows, NoRows
from hedgerow.methods.catd.tensors.losses import TNORM_NUMBERS, PerModel, TNorm
from hedgerow.methods.catd.tensors.prior import Prior
from hedgerow.methods.catd.tensors.tensor_format import Parameters, as_rows, blocks, joined
from hedgerow.methods.catd.tensors.training import Batch, Shape, State, Terms, run_epochs

# A step of Adam moves every factor of a product by about the learning rate, so an entry moves by that times the number
# of slots. Up to this number the learning rate is as given; above, it shrinks in proportion.
_SLOTS_AT_FULL_RATE = 16


@dataclass(frozen=True)
class Pgrad:
    """Settings of the training: penalty is the paper's lambda; loss_target and max_epochs end a model's training in
    each round; batch_size counts infeasible rows per epoch (None: all); anchor is a noise variance on the normalized
    scale. The others are explained in `hedgerow.methods.catd.readings`."""

    penalty: float = 1.0
    tnorm: TNorm = "lukasiewicz"
    learning_rate: float = 0.01
    loss_target: float = 0.1
    max_epochs: int = 1000
    batch_size: int | None = 128
    anchor: float = 0.0
    dilutes_loss: bool = False
    weight_decay: float = 0.0
    first_epochs: int | None = None
    min_epochs: int = 0
    penalty_target: float | None = None

    def __post_init__(self) -> None:
        if self.tnorm not in TNORM_NUMBERS:
            raise ValueError(f"There is no T-norm {self.tnorm!r}. Choose one of {', '.join(TNORM_NUMBERS)}.")
        has_rows = self.batch_size is None or self.batch_size > 0
        if not (self.penalty >= 0 and self.learning_rate > 0 and self.max_epochs >= 0 and has_rows):
            raise ValueError(
                "Training needs penalty >= 0, learning_rate > 0, max_epochs >= 0 and batch_size > 0; got "
                f"{self.penalty}, {self.learning_rate}, {self.max_epochs} and {self.batch_size}."
            )
        if not self.anchor >= 0:
            raise ValueError(f"anchor is a weight of at least 0; got {self.anchor}.")
        if not (self.weight_decay >= 0 and (self.penalty_target is None or self.penalty_target >= 0)):
            raise ValueError(
                "Training needs weight_decay >= 0 and penalty_target >= 0, or None for a target of the total; got "
                f"{self.weight_decay} and {self.penalty_target}."
            )
        if not 0 <= self.min_epochs <= min(self.max_epochs, self.n_first_epochs):
            raise ValueError(
                "Training needs 0 <= min_epochs <= max_epochs and first_epochs; got "
                f"{self.min_epochs}, {self.max_epochs} and {self.first_epochs}."
            )

    @property
    def n_first_epochs(self) -> int:
        """The most epochs of a first training."""
        return self.max_epochs if self.first_epochs is None else self.first_epochs


@dataclass(frozen=True)
class TrainingReport:
    """How the training of each model ended; penalty and violated are of the rows of its last epoch."""

    epochs: NDArray[np.int64]
    data_loss: PerModel
    penalty: PerModel
    violated: PerModel


def train(
    prior: Prior,
    codes: Codes,
    values: NDArray[np.float64],
    infeasible: InfeasibleRows,
    settings: Pgrad,
    rng: Generator,
    *,
    deviations: Parameters,
    beginning: Parameters,
    threshold: float = 1.0,
    n_infeasible: int = 0,
) -> tuple[Parameters, TrainingReport]:
    """Return trained deviations and how training went.

    `values` are normalized, `threshold` is tau on their scale, `beginning` is where models started in the first round.
    `n_infeasible` is the number of points that break a rule, which counts where the loss is diluted.
    """
    n_models = deviations.shape[1]
    n_values = max(1, values.size)
    terms = Terms(
        n_counted=float(n_values + n_infeasible if settings.dilutes_loss else n_values),
        penalty=float(settings.penalty),
        tnorm=TNORM_NUMBERS[settings.tnorm],
        threshold=float(threshold),
        pull=settings.anchor / prior.spread**2 / n_values,
        decay=float(settings.weight_decay),
        rate=settings.learning_rate * min(1.0, _SLOTS_AT_FULL_RATE / codes.shape[1]),
        loss_target=float(settings.loss_target),
        penalty_target=-1.0 if settings.penalty_target is None else float(settings.penalty_target),
        min_epochs=int(settings.min_epochs),
        max_epochs=int(settings.n_first_epochs if deviations is beginning else settings.max_epochs),
    )
    shape = Shape(prior.tensor.layout, prior.mixing, prior.center)
    states = [_fresh_state(now, start) for now, start in zip(blocks(deviations), blocks(beginning), strict=True)]
    source = NoRows() if settings.penalty == 0.0 else infeasible
    observed, targets = as_rows(codes), np.ascontiguousarray(values)
    done = 0
    # One more than the epochs: the last look at the loss is not followed by a step.
    for batches in source.batches(settings.batch_size, terms.max_epochs + 1, rng):
        batch = Batch(as_rows(batches.rows), batches.batch_size, batches.first)
        moving = [
            run_epochs(shape, observed, targets, batch, terms, state, done, batches.n_epochs)
            for state in states
            if state.is_moving.any()
        ]
        done += batches.n_epochs
        if not any(moving):
            break
    ends = joined([state.ends for state in states], n_models)
    epochs = np.concatenate([state.epochs for state in states])[:n_models]
    return joined([state.result for state in states], n_models), TrainingReport(epochs, *ends)


def _fresh_state(deviations: Parameters, beginning: Parameters) -> State:
    n_lanes = deviations.shape[1]
    return State(
        deviations=deviations,
        beginning=beginning,
        mean=np.zeros_like(deviations),
        square=np.zeros_like(deviations),
        result=deviations.copy(),
        is_moving=np.ones(n_lanes, dtype=np.bool_),
        ends=np.zeros((3, n_lanes)),
        epochs=np.zeros(n_lanes, dtype=np.int64),
    )

"""A ReLU network with one hidden layer over one-hot inputs, trained by Adam on all rows at once.

y(x) = w . relu(sum_k W[x_k] + b) + c, where every slot has a row of W per level: a one-hot input only picks rows.
Values are standardized for training, weights begin as uniform numbers within one over the root of the number of inputs
of their layer, and both the weights and Adam's moments go on from one training to the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from hedgerow.arrays import Codes
from hedgerow.methods.catd.ensemble.scaling import Scaling
from research.rivals.nn_milp.training import epochs

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Network:
    """Weights in one row, with Adam's two moments and its number of steps."""

    sizes: tuple[int, ...]
    n_hidden: int
    state: Numbers  # (3, n_weights): weights and moments; n_weights = (n_levels + 2) * n_hidden + 1
    n_steps: int = 0

    @classmethod
    def random(cls, sizes: Sequence[int], n_hidden: int, rng: Generator) -> Network:
        """Return a network that has seen nothing."""
        n_first = (sum(sizes) + 1) * n_hidden
        first = rng.uniform(-1.0, 1.0, n_first) / np.sqrt(max(1, sum(sizes)))
        second = rng.uniform(-1.0, 1.0, n_hidden + 1) / np.sqrt(n_hidden)
        weights = np.concatenate([first, second])
        return cls(tuple(sizes), n_hidden, np.stack([weights, np.zeros_like(weights), np.zeros_like(weights)]))

    @property
    def weights(self) -> Numbers:
        """All weights in one row."""
        return np.asarray(self.state[0])

    @property
    def level_weights(self) -> Numbers:
        """What each level of each slot adds to the hidden units, (n_levels of all slots, n_hidden)."""
        return self.weights[: sum(self.sizes) * self.n_hidden].reshape(-1, self.n_hidden)

    @property
    def hidden_bias(self) -> Numbers:
        """The constant of every hidden unit, (n_hidden,)."""
        return self.weights[-2 * self.n_hidden - 1 : -self.n_hidden - 1]

    @property
    def output_weights(self) -> Numbers:
        """What each hidden unit adds to the prediction, (n_hidden,)."""
        return self.weights[-self.n_hidden - 1 : -1]

    @property
    def output_bias(self) -> float:
        """The constant of the prediction."""
        return float(self.weights[-1])

    def columns(self, codes: Codes) -> NDArray[np.int64]:
        """Return which one-hot inputs are 1 in each row, (n_rows, n_slots)."""
        return np.ascontiguousarray(codes + first_columns(self.sizes), dtype=np.int64)

    def predict(self, codes: Codes) -> Numbers:
        """Return the predictions (n_rows,) on the scale of training."""
        hidden = np.tile(self.hidden_bias, (codes.shape[0], 1))
        for picked in self.columns(codes).T:
            hidden += self.level_weights[picked]
        return np.asarray(np.maximum(hidden, 0.0) @ self.output_weights + self.output_bias)

    def trained(self, codes: Codes, values: Numbers, n_epochs: int, rate: float) -> Network:
        """Return the network after so many more steps on these rows and their values."""
        state = self.state.copy()
        epochs(state, self.n_steps, self.n_hidden, self.columns(codes), standardized(values), n_epochs, rate)
        return Network(self.sizes, self.n_hidden, state, self.n_steps + n_epochs)


def first_columns(sizes: Sequence[int]) -> NDArray[np.int64]:
    """Return the column of each slot's first level."""
    return np.concatenate([[0], np.cumsum(np.asarray(sizes, dtype=np.int64))[:-1]]).astype(np.int64)


def standardized(values: Numbers) -> Numbers:
    """Return values of mean 0 and standard deviation 1; equal ones become 0."""
    # The unit interval first: squares of huge values would overflow.
    normalized = Scaling.of(values).normalize(values)
    spread = float(normalized.std())
    return np.asarray((normalized - normalized.mean()) / spread) if spread > 0.0 else np.zeros_like(normalized)

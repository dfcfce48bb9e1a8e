"""What has been tried: the only thing, besides problem, settings and seed, that a suggestion depends on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Codes, Mask, Matrix


@dataclass(frozen=True, eq=False)
class History:
    """Told rows with their values (to be minimized, NaN where the trial failed), and rows that are still out."""

    codes: Codes  # (n_told, n_slots)
    values: NDArray[np.float64]  # (n_told,)
    pending: Codes  # (n_pending, n_slots)
    # Where trials give more than one number: the objectives, to be minimized, then the slacks of the limits, negative
    # beyond them; NaN where not measured. A point with several readings has as many rows.
    outcomes: Matrix | None = None  # (n_told, n_columns)

    @classmethod
    def empty(cls, n_slots: int) -> History:
        """Return the history before the first trial."""
        return cls(np.zeros((0, n_slots), np.int64), np.zeros(0), np.zeros((0, n_slots), np.int64))

    @property
    def n_told(self) -> int:
        """The number of trials with an outcome."""
        return int(self.values.size)

    @cached_property
    def is_measured(self) -> NDArray[np.bool_]:
        """Which trials gave a value."""
        return np.isfinite(self.values)

    @cached_property
    def has_worked(self) -> Mask:
        """Which trials gave anything at all."""
        return self.is_measured if self.outcomes is None else np.isfinite(self.outcomes).any(axis=1) | self.is_measured

    def column(self, place: int) -> History:
        """Return the same with one of the outcomes as the value."""
        assert self.outcomes is not None
        return History(self.codes, self.outcomes[:, place], self.pending)

    @cached_property
    def n_stale(self) -> int:
        """How many trials have been told since the best value was."""
        if not self.is_measured.any():
            return self.n_told
        return self.n_told - 1 - int(np.nanargmin(self.values))

    @cached_property
    def best_first(self) -> Codes:
        """The told rows from the best down, failures last."""
        return self.codes[np.argsort(np.where(self.is_measured, self.values, np.inf), kind="stable")]

    @cached_property
    def seen(self) -> frozenset[bytes]:
        """All rows that must not be suggested again."""
        return frozenset(row.tobytes() for row in np.concatenate([self.codes, self.pending]))

    def is_seen(self, codes: Codes) -> NDArray[np.bool_]:
        """Return for each row whether it has been told or is pending."""
        return np.array([row.tobytes() in self.seen for row in np.ascontiguousarray(codes)], dtype=np.bool_)

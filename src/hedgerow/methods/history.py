"""What has been tried: the only thing, besides problem, settings and seed, that a suggestion depends on."""

from __future__ import annotations

from collections.abc import Container, Set
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Codes, Mask, Matrix


@dataclass(frozen=True, eq=False)
class History:
    """Told rows with their values, and rows that are still out: all that methods learn from.

    Attributes
    ----------
    codes : array of int, shape (n_told, n_slots)
        The rows that were told, in order.
    values : array of float, shape (n_told,)
        Their values, to be minimized; NaN where the trial failed.
    pending : array of int, shape (n_pending, n_slots)
        The rows that were asked and not told yet.
    outcomes : array of float, shape (n_told, n_columns), optional
        Where trials give more than one number: the objectives, to be minimized, then the slacks of the limits, negative
        beyond them; NaN where not measured. A point with several readings has as many rows.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow.methods import History
    >>> history = History(np.array([[0, 1], [2, 1]]), np.array([0.5, np.nan]), np.array([[1, 1]]))
    >>> history.n_told, len(history.seen)
    (2, 3)
    >>> history.is_measured
    array([ True, False])
    """

    codes: Codes  # (n_told, n_slots)
    values: NDArray[np.float64]  # (n_told,)
    pending: Codes  # (n_pending, n_slots)
    outcomes: Matrix | None = None  # (n_told, n_columns)

    @classmethod
    def empty(cls, n_slots: int) -> History:
        """Return the history before the first trial.

        Parameters
        ----------
        n_slots : int
            How many slots a row has.

        Returns
        -------
        History
            No rows, and nothing pending.

        Examples
        --------
        >>> from hedgerow.methods import History
        >>> History.empty(3).codes.shape
        (0, 3)
        """
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
        """Return the same with one of the outcomes as the value.

        Parameters
        ----------
        place : int
            Which column of `outcomes`.

        Returns
        -------
        History
            A history of one number per trial.

        Raises
        ------
        AssertionError
            Where there are no `outcomes`.

        Examples
        --------
        >>> import numpy as np
        >>> from hedgerow.methods import History
        >>> rows, pending = np.array([[0], [1]]), np.zeros((0, 1), dtype=int)
        >>> History(rows, np.array([1.0, 2.0]), pending, np.array([[1.0, 8.0], [2.0, 7.0]])).column(1).values
        array([8., 7.])
        """
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
    def seen(self) -> Set[bytes]:
        """All rows that must not be suggested again."""
        return frozenset(row.tobytes() for row in np.concatenate([self.codes, self.pending]))

    def with_pending(self, pending: Codes, seen: Set[bytes]) -> History:
        """Return the same with other rows pending.

        Parameters
        ----------
        pending : array of int, shape (n_pending, n_slots)
            The rows.
        seen : set of bytes
            The bytes of all rows, told and pending, which whoever asks for thousands of them keeps.

        Returns
        -------
        History
            A history that shares the told rows.

        Examples
        --------
        >>> import numpy as np
        >>> from hedgerow.methods import History
        >>> rows = np.array([[0, 1]])
        >>> History.empty(2).with_pending(rows, {rows[0].tobytes()}).is_seen(np.array([[0, 1], [1, 1]]))
        array([ True, False])
        """
        other = replace(self, pending=pending)
        other.__dict__["seen"] = seen
        return other

    def is_seen(self, codes: Codes) -> NDArray[np.bool_]:
        """Return for each row whether it has been told or is pending.

        Parameters
        ----------
        codes : array of int, shape (n, n_slots)
            Rows to look up.

        Returns
        -------
        array of bool, shape (n,)
            True where a row must not be suggested again.

        Examples
        --------
        >>> import numpy as np
        >>> from hedgerow.methods import History
        >>> history = History(np.array([[0, 1]]), np.array([0.5]), np.array([[1, 1]]))
        >>> history.is_seen(np.array([[0, 1], [1, 1], [2, 1]]))
        array([ True,  True, False])
        """
        if codes.shape[0] <= _FEW_ROWS:
            # Without putting all rows together, which takes long where there are many.
            return found_among(codes, self.seen, self.codes[:0])
        return found_among(codes, self.seen, np.concatenate([self.codes, self.pending]))


def found_among(codes: Codes, seen: Container[bytes], seen_rows: Codes) -> NDArray[np.bool_]:
    """Return for each row whether its bytes are in `seen`, which holds no rows but `seen_rows`.

    Parameters
    ----------
    codes : array of int, shape (n, n_slots)
        Rows to look up.
    seen : container of bytes
        Bytes of rows.
    seen_rows : array of int, shape (m, n_slots)
        The same rows, and perhaps more.

    Returns
    -------
    array of bool, shape (n,)
        True where a row was found.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow.methods.history import found_among
    >>> rows = np.array([[0, 1], [2, 1]])
    >>> found_among(rows, {rows[1].tobytes()}, rows)
    array([False,  True])
    """
    rows = np.ascontiguousarray(codes)
    found = np.zeros(rows.shape[0], dtype=np.bool_)
    if rows.shape[0] <= _FEW_ROWS:
        looked_at = np.arange(rows.shape[0])
    else:
        # One number per row rules nearly all of a long list out without looking at bytes; overflow wraps, as it may.
        weights = np.resize(_WEIGHTS, rows.shape[1])
        looked_at = np.flatnonzero(np.isin(rows @ weights, seen_rows @ weights))
    found[looked_at] = [row.tobytes() in seen for row in rows[looked_at]]
    return found


# Below this the bytes of every row are looked at.
_FEW_ROWS = 256
_WEIGHTS = np.random.default_rng(0).integers(1, 2**62, 64)

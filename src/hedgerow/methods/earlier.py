"""Trials of a related problem, such as the same kernel on another device: told of nothing here, but worth a look."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedgerow.arrays import Codes, Column


@dataclass(frozen=True, eq=False)
class EarlierTrials:
    """Rows of this space that were measured elsewhere, with their values there, to be minimized.

    Attributes
    ----------
    codes : array of int, shape (n, n_slots)
        The rows; they need not keep the rules of this problem.
    values : array of float, shape (n,)
        What they gave there, in whatever unit.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow.methods import EarlierTrials
    >>> earlier = EarlierTrials(np.array([[0], [1], [2]]), np.array([3.0, 1.0, 2.0]))
    >>> earlier.thinned(2).values
    array([1., 3.])
    """

    codes: Codes
    values: Column

    def thinned(self, limit: int) -> EarlierTrials:
        """Return at most so many of them: the best third, and others evenly from the good to the bad.

        Parameters
        ----------
        limit : int
            How many to keep.

        Returns
        -------
        EarlierTrials
            The kept ones, the best first; all of them where they are few enough.

        Examples
        --------
        >>> import numpy as np
        >>> from hedgerow.methods import EarlierTrials
        >>> EarlierTrials(np.arange(9)[:, None], np.arange(9.0)).thinned(3).values
        array([0., 4., 8.])
        """
        order = np.argsort(self.values, kind="stable")
        if order.size > limit:
            n_best = max(1, limit // 3)
            others = np.linspace(n_best, order.size - 1, limit - n_best + 1).round().astype(np.int64)[1:]
            order = order[np.concatenate([np.arange(n_best), others])]
        return EarlierTrials(self.codes[order], self.values[order])

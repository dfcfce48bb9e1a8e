"""The part of a feasible set that agrees with a partial assignment, and where draws take their random numbers from."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from hedgerow import checks
from hedgerow.feasible.code_set import CodeSet
from hedgerow.space.encoding import Point, decode
from hedgerow.space.space import Space
from hedgerow.wording import counted

Seed = int | Generator | None


class Completions:
    """The feasible points that agree with a partial assignment."""

    def __init__(self, space: Space, codes: CodeSet) -> None:
        self._space = space
        self.codes = codes

    @property
    def count(self) -> int:
        """How many there are; 0 when the assignment cannot be completed."""
        return self.codes.count

    def sample(self, n: int = 1, seed: Seed = None) -> list[Point]:
        """Return independent points, uniform over the completions.

        Parameters
        ----------
        n : int, optional
            How many; a point may occur twice.
        seed : int or numpy.random.Generator, optional
            Where random numbers come from; None is different at every call.

        Returns
        -------
        list of dict
            The points.

        Raises
        ------
        ArgumentError
            Where `n` or `seed` is no whole number of at least 0.
        InfeasibleError
            Where there is none.

        Examples
        --------
        >>> import hedgerow as hr
        >>> feasible = hr.FeasibleSet(hr.Space({"x": [0, 1, 2], "y": [0, 1, 2]}), ["x + y == 2"])
        >>> feasible.completions({"x": 2}).sample(1, seed=0)
        [{'x': 2, 'y': 0}]
        """
        return [decode(self._space, row) for row in self.codes.draw(checks.whole_number("n", n), generator_of(seed))]

    def __repr__(self) -> str:
        size = counted(self.count, "point") if self.codes.is_exact else "count unknown"
        return f"<Completions: {size}>"


def generator_of(seed: Seed) -> Generator:
    """Return where random numbers come from; None is different at every call."""
    return seed if isinstance(seed, Generator) else np.random.default_rng(None if seed is None else checks.seed(seed))

"""Low autocorrelation binary sequences: signs whose shifted copies are as unlike themselves as can be.

The value is minus the merit factor. Instances differ in which signs are turned around, so that no optimum is the same
row of codes. The energies of the best sequences are from the tables of the field (Packebusch and Mertens, 2016).
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from hedgerow.space import Point, Space, Vector
from research.problems.problem import BenchmarkProblem

_LEAST_ENERGY = {50: 153}


def labs(length: int, instance: int) -> BenchmarkProblem:
    """Return one of the instances of a length."""
    turned = np.random.default_rng([instance, 4, length]).choice([-1, 1], length)
    return BenchmarkProblem(
        name=f"labs-{length}-{instance}",
        description=f"{length} signs with the least autocorrelation",
        space=Space({"sign": Vector(bool, length)}),
        rules=(),
        objective=partial(_objective, turned),
        optimum=-(length**2) / (2 * _LEAST_ENERGY[length]),
        n_feasible=2**length,
        budget=300,
    )


def _objective(turned: NDArray[np.int64], point: Point) -> float:
    signs = turned * np.where(point["sign"], 1, -1)
    energy = sum(int(signs[:-shift] @ signs[shift:]) ** 2 for shift in range(1, signs.size))
    return -(signs.size**2) / (2 * energy)

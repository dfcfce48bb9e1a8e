"""A mixture of up to five of nineteen ingredients in steps of 5 %: 49 million recipes among 1e13 ways to fill
slots.

The response is Scheffé's quadratic canonical polynomial for mixtures (1958), with shares x_i that add up to 1:

sum_i b_i x_i + sum_{i<j} b_ij x_i x_j

The linear terms b_i are drawn from [0, 1) and the blending terms b_ij from (-4, 0], so that every pair gains from
being blended and the best recipe is a real mixture. The optimum comes from trying every recipe.
"""

from __future__ import annotations

from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from hedgerow.rules import Rule
from hedgerow.space import Integer, Ordinal, Point, Space, Vector
from research.problems.problem import BenchmarkProblem

# In this order only so that a recipe has one way to be written: slots are sorted, and "none" comes last.
INGREDIENTS = (
    "acrylic",
    "alumina",
    "biocide",
    "calcite",
    "cellulose",
    "defoamer",
    "dispersant",
    "epoxy",
    "glycol",
    "graphite",
    "kaolin",
    "latex",
    "mica",
    "plasticizer",
    "silica",
    "surfactant",
    "talc",
    "titania",
    "wax",
)
NONE = "none"
N_SLOTS = 5
# NumPy keeps the legacy stream of RandomState fixed for good, so the instance never changes.
_SEED = 0


def formulation() -> BenchmarkProblem:
    """Return the mixture problem."""
    return BenchmarkProblem(
        name="formulation",
        description="up to five of nineteen ingredients whose shares add up to 100 %, Scheffé's mixture response",
        space=Space(
            {
                "ingredient": Vector(Ordinal((*INGREDIENTS, NONE)), N_SLOTS),
                "share": Vector(Integer(0, 100, 5), N_SLOTS),
            }
        ),
        rules=(
            Rule("sum(share) == 100", name="whole"),
            Rule('all(iff(share == 0, ingredient == "none"))', name="used slots"),
            Rule('all_different(ingredient, ignore="none")', name="no ingredient twice"),
            Rule("increasing(ingredient)", name="sorted"),
        ),
        objective=partial(mixture_response, *(terms.tolist() for terms in mixture_terms())),
        optimum=-1.051933340515311,
        n_feasible=48_994_939,
    )


def mixture_terms() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the linear terms (n,) and the blending terms (n, n), of which those above the diagonal count."""
    stream = np.random.RandomState(_SEED)
    n = len(INGREDIENTS)
    return stream.rand(n), -4 * np.triu(stream.rand(n, n), 1)


_PLACE = {name: place for place, name in enumerate(INGREDIENTS)}


def mixture_response(linear: list[float], blending: list[list[float]], point: Point) -> float:
    """Return the response of a recipe, lower is better."""
    parts = sorted(
        (_PLACE[name], share / 100)
        for name, share in zip(point["ingredient"], point["share"], strict=True)
        if name != NONE
    )
    alone: float = sum(linear[i] * x for i, x in parts)
    together: float = sum(blending[i][j] * x * y for (i, x), (j, y) in combinations(parts, 2))
    return alone + together

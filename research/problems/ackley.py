"""Ackley's function on integer grids, feasible inside a ball (Appendix A and F of the paper)."""

from __future__ import annotations

import math

from hedgerow.rules import Rule
from hedgerow.space import Integer, Point, Space, Vector
from research.problems.problem import BenchmarkProblem, Published

# Half width of the grid, radius of the ball, feasible points, budget, published result.
_DISCS = {
    "ackley-3": (1, 1, 5, 5, Published(0.0, 3.4, "HSDP TT-2")),
    "ackley-5": (2, 2, 13, 15, Published(0.0, 5.6, "PGRAD TT-2")),
    "ackley-7": (3, 3, 29, 25, Published(0.0, 12.6, "PGRAD TT-2")),
    "ackley-65": (32, 10, 317, 500, Published(0.0, 36.3, "PGRAD TT-3")),
}
# Dimensions and feasible points of the ten-level grids.
_BALLS = {"ackley-4d": (4, 425), "ackley-5d": (5, 1343), "ackley-10d": (10, 198_765)}

NAMES = (*_DISCS, *_BALLS)
# In more dimensions than this the ball is too large to list.
_MOST_LISTED = 5


def ackley(name: str) -> BenchmarkProblem:
    """Return one of the Ackley problems."""
    if name in _DISCS:
        half, radius, n_feasible, budget, published = _DISCS[name]
        domain, dimension = Integer(-half, half), 2
    else:
        dimension, n_feasible = _BALLS[name]
        domain, radius, budget, published = Integer(-5, 4), 3, 500, None
    return BenchmarkProblem(
        name=name,
        description=f"Ackley's function of {dimension} whole numbers inside a ball of radius {radius}",
        space=Space({"x": Vector(domain, dimension)}),
        rules=(Rule(f"sum(x**2) <= {radius**2}", name="ball"),),
        objective=ackley_value,
        optimum=0.0,
        n_feasible=n_feasible,
        budget=budget,
        published=published,
        # No value of Ackley's function is higher; listing a large ball for its highest one would take too long.
        worst=20 + math.e if dimension > _MOST_LISTED else None,
    )


def ackley_value(point: Point) -> float:
    """Return Ackley's function, with means over the dimensions; it is 0 at the origin and positive elsewhere."""
    x = point["x"]
    mean_square = sum(value * value for value in x) / len(x)
    mean_cosine = sum(math.cos(2 * math.pi * value) for value in x) / len(x)
    return -20 * math.exp(-0.2 * math.sqrt(mean_square)) - math.exp(mean_cosine) + 20 + math.e

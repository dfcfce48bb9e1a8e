"""The same problem in every size: whole numbers from 0 to 9 with a given sum, from 10^4 points to 10^30."""

from __future__ import annotations

import numpy as np

import hedgerow as hr
from hedgerow.problems import Problem, get_problem
from hedgerow.rules import Rule
from hedgerow.space import Point


def problem_named(name: str) -> Problem:
    """Return a problem of the library, or `digits-n` with n digits."""
    return digits(int(name.removeprefix("digits-"))) if name.startswith("digits-") else get_problem(name)


def digits(n: int) -> Problem:
    """Return the problem of n digits with the sum 4 n: a weight for every digit, and products of neighbours."""
    stream = np.random.RandomState(n)
    weights, products = stream.randn(n), stream.randn(n - 1)

    def value(point: Point) -> float:
        x = np.array(point["x"]) / 9.0
        return float(weights @ x + products @ (x[1:] * x[:-1]))

    return Problem(
        name=f"digits-{n}",
        description=f"{n} digits with the sum {4 * n}",
        space=hr.Space({"x": hr.Vector(hr.Integer(0, 9), n)}),
        rules=(Rule(f"sum(x) == {4 * n}", name="sum"),),
        objective=value,
    )

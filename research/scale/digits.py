"""The same problem in every size, from 10^4 points to 10^30: more and more variables, or more and more levels."""

from __future__ import annotations

import numpy as np

import hedgerow as hr
from hedgerow.rules import Rule
from hedgerow.space import Point
from research.problems import BenchmarkProblem, get_problem


def problem_named(name: str) -> BenchmarkProblem:
    """Return a problem of the library, or `digits-n` with n digits, or `levels-n` with n levels."""
    family, _, number = name.partition("-")
    return _FAMILIES[family](int(number)) if family in _FAMILIES else get_problem(name)


def digits(n: int) -> BenchmarkProblem:
    """Return the problem of n digits with the sum 4 n: a weight for every digit, and products of neighbors."""
    stream = np.random.RandomState(n)
    weights, products = stream.randn(n), stream.randn(n - 1)

    def value(point: Point) -> float:
        x = np.array(point["x"]) / 9.0
        return float(weights @ x + products @ (x[1:] * x[:-1]))

    return BenchmarkProblem(
        name=f"digits-{n}",
        description=f"{n} digits with the sum {4 * n}",
        space=hr.Space({"x": hr.Vector(hr.Integer(0, 9), n)}),
        rules=(Rule(f"sum(x) == {4 * n}", name="sum"),),
        objective=value,
    )


def levels(n: int) -> BenchmarkProblem:
    """Return the problem of ten whole numbers below n, of which each pair of neighbors has a bounded sum."""
    stream = np.random.RandomState(n)
    goals, products = stream.rand(10), stream.randn(9)

    def value(point: Point) -> float:
        x = np.array(point["x"]) / (n - 1)
        return float(((x - goals) ** 2).sum() + products @ (x[1:] * x[:-1]))

    return BenchmarkProblem(
        name=f"levels-{n}",
        description=f"ten whole numbers below {n}, neighbors at most {n} together",
        space=hr.Space({"x": hr.Vector(hr.Integer(0, n - 1), 10)}),
        rules=tuple(Rule(f"x[{k}] + x[{k + 1}] <= {n}", name=f"pair {k}") for k in range(0, 10, 2)),
        objective=value,
    )


_FAMILIES = {"digits": digits, "levels": levels}

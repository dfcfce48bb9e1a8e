"""Lasserre's hierarchy on polynomials whose minimum is known."""

import numpy as np
import pytest

from hedgerow.methods.catd.hsdp.conic import ConicProgram, proven_bound
from hedgerow.methods.catd.hsdp.solver import solve
from tests.methods.catd.hsdp import needs_cvxpy  # noqa: F401 - skips without it
from tests.methods.catd.hsdp.dense import Polynomial, dense_relaxation, monomials


def bounds(program: ConicProgram, reach: float = 1.0) -> tuple[float, float]:
    """Return the solver's optimum, and what its multipliers prove where moments are at most `reach`."""
    solution = solve(program, "clarabel", 60.0)
    optimum = float(program.costs @ solution.unknowns) + program.constant
    return optimum, proven_bound(program, solution.multipliers, np.full(program.n_unknowns, reach))


def test_monomials_come_by_degree() -> None:
    assert monomials(2, 2) == [(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2)]


@pytest.mark.parametrize(
    ("polynomial", "minimum"),
    [
        # (x^2 - 1)^2 + (x - y)^2 has the minima (1, 1) and (-1, -1).
        ({(4, 0): 1.0, (2, 0): -1.0, (0, 0): 1.0, (1, 1): -2.0, (0, 2): 1.0}, 0.0),
        # x^4 + y^4 - 4xy has its minima where x = y = 1 or -1.
        ({(4, 0): 1.0, (0, 4): 1.0, (1, 1): -4.0}, -2.0),
        # The six-hump camel function, at order 3.
        (
            {(2, 0): 4.0, (4, 0): -2.1, (6, 0): 1 / 3, (1, 1): 1.0, (0, 2): -4.0, (0, 4): 4.0},
            -1.0316284534898774,
        ),
    ],
)
def test_the_bound_is_the_known_minimum(polynomial: Polynomial, minimum: float) -> None:
    order = 3 if (6, 0) in polynomial else 2
    optimum, proven = bounds(dense_relaxation(polynomial, order), reach=2.0)
    assert optimum == pytest.approx(minimum, abs=1e-5)
    assert minimum - 1e-5 < proven < minimum + 1e-9


def test_first_moments_of_an_even_polynomial_vanish() -> None:
    # The two minima are averaged: x alone says nothing, x^2 says where they are.
    program = dense_relaxation({(4,): 1.0, (2,): -2.0}, 2)
    first, second, *_ = solve(program, "clarabel", 60.0).unknowns
    assert first == pytest.approx(0.0, abs=1e-5)
    assert second == pytest.approx(1.0, abs=1e-4)


def test_motzkin_is_bounded_below_only_with_a_ball() -> None:
    # Motzkin's polynomial is non-negative and no sum of squares; inside a ball order 4 finds its minimum 0.
    motzkin: Polynomial = {(4, 2): 1.0, (2, 4): 1.0, (2, 2): -3.0, (0, 0): 1.0}
    ball: Polynomial = {(0, 0): 3.0, (2, 0): -1.0, (0, 2): -1.0}
    optimum, _ = bounds(dense_relaxation(motzkin, 4, at_least_zero=[ball]))
    assert optimum == pytest.approx(0.0, abs=1e-4)


def test_inequalities_and_equations_are_kept() -> None:
    # x on the circle, at most 0.6 high: the lowest -y is -0.6.
    circle: Polynomial = {(2, 0): 1.0, (0, 2): 1.0, (0, 0): -1.0}
    below: Polynomial = {(0, 0): 0.6, (0, 1): -1.0}
    optimum, proven = bounds(dense_relaxation({(0, 1): -1.0}, 2, [below], [circle]))
    assert optimum == pytest.approx(-0.6, abs=1e-5)
    assert proven == pytest.approx(-0.6, abs=1e-4)
    assert proven <= -0.6 + 1e-9


def test_the_bound_is_proven_even_from_wrong_multipliers() -> None:
    program = dense_relaxation({(4,): 1.0, (2,): -2.0}, 2)
    solution = solve(program, "clarabel", 60.0)
    rng = np.random.default_rng(0)
    spoiled = [block + 0.1 * rng.standard_normal(block.shape) for block in solution.multipliers.blocks]
    multipliers = type(solution.multipliers)(tuple(spoiled), solution.multipliers.rows)
    assert proven_bound(program, multipliers, np.ones(program.n_unknowns)) <= -1.0

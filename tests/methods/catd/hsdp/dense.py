"""Lasserre's hierarchy for any polynomials, plainly: one moment per monomial, one matrix over all monomials.

This is the definition that `moments` and `relaxation` are reductions of, and what tests compare them with. It is for a
handful of variables: n of them have binomial(n + 2k, 2k) moments at order k.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement

import numpy as np
import scipy.sparse as sp  # type: ignore[import-untyped]

from hedgerow.methods.catd.hsdp.affine import solve_out
from hedgerow.methods.catd.hsdp.conic import Block, ConicProgram

Exponents = tuple[int, ...]
Polynomial = Mapping[Exponents, float]


def dense_relaxation(
    objective: Polynomial,
    order: int,
    at_least_zero: Sequence[Polynomial] = (),
    equal_zero: Sequence[Polynomial] = (),
) -> ConicProgram:
    """Return the relaxation of this order of minimizing a polynomial under polynomial inequalities and equations."""
    n_variables = len(next(iter(objective)))
    places = {exponents: place for place, exponents in enumerate(monomials(n_variables, 2 * order))}
    times_all = [
        _times(polynomial, monomial, places)
        for polynomial in equal_zero
        for monomial in monomials(n_variables, 2 * order - degree(polynomial))
    ]
    equations = sp.vstack(times_all, format="csr") if times_all else sp.csr_matrix((0, len(places)))
    moments, _ = solve_out(equations, np.ones(len(places), dtype=np.bool_))
    one = (0,) * n_variables
    blocks = []
    for polynomial in ({one: 1.0}, *at_least_zero):
        basis = monomials(n_variables, order - -(-degree(polynomial) // 2))
        rows = [_times(polynomial, _product(left, right), places) for left in basis for right in basis]
        blocks.append(Block(len(basis), moments.after(sp.vstack(rows, format="csr"))))
    costs = moments.after(_times(objective, one, places))
    nothing = moments.after(sp.csr_matrix((0, len(places))))
    return ConicProgram(np.asarray(costs.matrix.todense()).ravel(), float(costs.offset[0]), tuple(blocks), nothing)


def monomials(n_variables: int, most: int) -> list[Exponents]:
    """Return the exponents of all monomials up to this degree, lower degrees first."""
    return [
        tuple(chosen.count(variable) for variable in range(n_variables))
        for power in range(most + 1)
        for chosen in combinations_with_replacement(range(n_variables), power)
    ]


def degree(polynomial: Polynomial) -> int:
    """Return the highest degree of a monomial."""
    return max(sum(exponents) for exponents in polynomial)


def _times(polynomial: Polynomial, monomial: Exponents, places: Mapping[Exponents, int]) -> sp.csr_matrix:
    """Return the expectation of polynomial times monomial, as one row over the moments."""
    columns = [places[_product(exponents, monomial)] for exponents in polynomial]
    rows = np.zeros(len(columns), dtype=np.int64)
    return sp.csr_matrix((np.array(list(polynomial.values()), dtype=np.float64), (rows, columns)), (1, len(places)))


def _product(left: Exponents, right: Exponents) -> Exponents:
    return tuple(a + b for a, b in zip(left, right, strict=True))

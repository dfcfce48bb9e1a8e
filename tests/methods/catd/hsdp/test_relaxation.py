"""The symmetry-reduced moments: real tables satisfy all that is asked, and the bound is that of the definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from hedgerow.errors import EffortExceeded
from hedgerow.methods.catd.hsdp.conic import ConicProgram
from hedgerow.methods.catd.hsdp.moments import TableMoments
from hedgerow.methods.catd.hsdp.program import TableProgram
from hedgerow.methods.catd.hsdp.relaxation import check_size, expected_squares, expected_table, relaxation, system_size
from hedgerow.methods.catd.hsdp.solver import solve
from tests.methods.catd.hsdp import needs_cvxpy  # noqa: F401 - skips without it
from tests.methods.catd.hsdp.dense import Exponents, Polynomial, dense_relaxation

NO_CELLS = np.zeros((0, 2), dtype=np.int64)


def random_program(shape: tuple[int, int], rank: int, rng: np.random.Generator, n_floors: int = 0) -> TableProgram:
    cells = rng.permutation(np.indices(shape).reshape(2, -1).T)
    n_observed = cells.shape[0] - n_floors
    return TableProgram(
        shape, rank, cells[:n_observed], rng.random(n_observed), cells[n_observed:], floor=0.8, ridge=1e-2
    )


def orthonormal_cores(
    shape: tuple[int, int], rank: int, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return np.linalg.qr(rng.standard_normal((shape[0], rank)))[0], rng.standard_normal((shape[1], rank))


def moments_of(moments: TableMoments, left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return all moments of the distribution that is sure of these cores."""
    vectors = np.concatenate([left, right])
    a, b = moments.pairs.T
    inner = (vectors[a] * vectors[b]).sum(axis=1)
    values = np.zeros(moments.n_moments)
    values[0] = 1.0
    values[1 : 1 + inner.size] = inner
    values[moments.product] = np.outer(inner, inner)
    return values


@settings(max_examples=30, deadline=None)
@given(
    shape=st.tuples(st.integers(2, 4), st.integers(2, 4)),
    rank=st.integers(1, 3),
    wide=st.booleans(),
    seed=st.integers(0, 2**20),
)
def test_every_mixture_of_tables_satisfies_the_relaxation(
    shape: tuple[int, int], rank: int, wide: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    rank = min(rank, *shape)
    moments = TableMoments(*shape, rank, wide)
    program = random_program(shape, rank, rng)
    cores = [orthonormal_cores(shape, rank, rng) for _ in range(3)]
    values = np.mean([moments_of(moments, left, right) for left, right in cores], axis=0)
    conic = relaxation(program, moments)
    unknowns = np.linalg.lstsq(moments.map.matrix.toarray(), values - moments.map.offset, rcond=None)[0]
    np.testing.assert_allclose(moments.map(unknowns)[moments.is_used], values[moments.is_used], atol=1e-9)
    for block in conic.blocks:
        matrix = block.entries(unknowns).reshape(block.size, block.size)
        np.testing.assert_allclose(matrix, matrix.T, atol=1e-9)
        assert np.linalg.eigvalsh(matrix)[0] > -1e-9
    losses = [program.loss(left @ right.T) for left, right in cores]
    assert conic.costs @ unknowns + conic.constant == pytest.approx(np.mean(losses))
    np.testing.assert_allclose(expected_table(moments, values), np.mean([a @ b.T for a, b in cores], axis=0))
    assert expected_squares(moments, values)[0, 0] == pytest.approx(np.mean([(a @ b.T)[0, 0] ** 2 for a, b in cores]))
    assert (np.abs(unknowns) <= moments.reach(max(float(np.linalg.norm(a @ b.T)) for a, b in cores)) + 1e-9).all()


def test_what_keeps_the_floors_satisfies_their_rows_and_blocks() -> None:
    rng = np.random.default_rng(3)
    program = random_program((3, 3), 2, rng, n_floors=4)
    moments = TableMoments(3, 3, 2, wide=True)
    # The span of the first core holds the constant vector, so tables near one keep to a floor of 0.8.
    left = np.linalg.qr(np.concatenate([np.ones((3, 1)), rng.random((3, 1))], axis=1))[0]
    right = (left.T @ np.ones((3, 3))).T + 0.05 * rng.random((3, 2))
    assert (program.margins(left @ right.T) >= 0).all()
    values = moments_of(moments, left, right)
    conic = relaxation(program, moments)
    unknowns = np.linalg.lstsq(moments.map.matrix.toarray(), values - moments.map.offset, rcond=None)[0]
    assert (conic.rows(unknowns) >= -1e-9).all()
    assert conic.rows.offset.size == 4 + 10
    assert len(conic.blocks) == 4 + 4
    for block in conic.blocks:
        assert np.linalg.eigvalsh(block.entries(unknowns).reshape(block.size, block.size))[0] > -1e-9


def optimum(program: ConicProgram) -> float:
    return float(program.costs @ solve(program, "clarabel", 60.0).unknowns) + program.constant


@pytest.mark.parametrize(("shape", "rank", "n_floors"), [((2, 3), 1, 2), ((2, 2), 2, 1)])
def test_the_reduced_bound_is_the_dense_one(shape: tuple[int, int], rank: int, n_floors: int) -> None:
    program = random_program(shape, rank, np.random.default_rng(5), n_floors)
    narrow = optimum(relaxation(program, TableMoments(*shape, rank, wide=False)))
    wide = optimum(relaxation(program, TableMoments(*shape, rank, wide=True)))
    dense = optimum(dense_relaxation(*as_polynomials(program)))
    assert narrow <= wide + 1e-6
    assert wide == pytest.approx(dense, abs=1e-5)


def as_polynomials(program: TableProgram) -> tuple[Polynomial, int, list[Polynomial], list[Polynomial]]:
    """Return loss, order, inequalities and gauge of a program as polynomials in the entries of both cores."""
    (n_left, n_right), rank = program.shape, program.rank
    n_variables = (n_left + n_right) * rank

    def variable(vector: int, term: int) -> Polynomial:
        return {tuple(int(k == vector * rank + term) for k in range(n_variables)): 1.0}

    one: Polynomial = {(0,) * n_variables: 1.0}

    def inner(a: int, b: int) -> Polynomial:
        return total([(1.0, times(variable(a, k), variable(b, k))) for k in range(rank)])

    entries = {(i, j): inner(i, n_left + j) for i in range(n_left) for j in range(n_right)}
    loss = total(
        [(program.constant, one)]
        + [(float(program.weights[cell]), times(entry, entry)) for cell, entry in entries.items()]
        + [(-2.0 * float(program.pulls[cell]), entry) for cell, entry in entries.items()]
    )
    floors = [total([(1.0, entries[int(i), int(j)]), (-program.floor, one)]) for i, j in program.floor_cells]
    products = [times(a, b) for k, a in enumerate(floors) for b in floors[k:]]
    gauge = [
        total([(1.0, times(variable(i, a), variable(i, b))) for i in range(n_left)] + ([(-1.0, one)] if a == b else []))
        for a in range(rank)
        for b in range(a, rank)
    ]
    return loss, 2, floors + products, gauge


def times(left: Polynomial, right: Polynomial) -> Polynomial:
    return total([(a * b, {tuple(np.add(x, y).tolist()): 1.0}) for x, a in left.items() for y, b in right.items()])


def total(parts: list[tuple[float, Polynomial]]) -> Polynomial:
    collected: dict[Exponents, float] = {}
    for factor, polynomial in parts:
        for exponents, coefficient in polynomial.items():
            collected[exponents] = collected.get(exponents, 0.0) + factor * coefficient
    return collected


@pytest.mark.parametrize("wide", [False, True])
def test_the_size_is_known_before_anything_is_built(wide: bool) -> None:
    rng = np.random.default_rng(0)
    conic = relaxation(random_program((4, 5), 2, rng, n_floors=3), TableMoments(4, 5, 2, wide))
    size = conic.n_unknowns + sum(block.size * (block.size + 1) // 2 for block in conic.blocks)
    assert system_size((4, 5), wide=wide, n_floors=3) == pytest.approx(size, rel=0.15)
    with pytest.raises(EffortExceeded, match=r"100 x 100 .* max_size=13,000"):
        check_size((100, 100), wide=wide, n_floors=0, max_size=13_000)

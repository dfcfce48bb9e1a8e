"""Moments of a table of inner products up to order four, reduced by its symmetry.

The cores of a two-variable tensor train of rank r are vectors u_i and v_j of length r, and an entry is y_ij = u_i .
v_j. Rotating all vectors changes nothing, so first moments vanish and a program may be averaged over rotations: only
moments of inner products remain, E[a.b] and E[(a.b)(c.d)]. The moment matrix of Lasserre's order 2 falls apart into
four blocks, indexed by the ways rotations act on monomials of degree at most two:

    vectors a:                 E[a.c]
    numbers 1, a.b:            E[(a.b)(c.d)]
    traceless symmetric a b':  E[(a.c)(b.d) + (a.d)(b.c)] / 2 - E[(a.b)(c.d)] / r
    antisymmetric a b':        E[(a.c)(b.d) - (a.d)(b.c)]

Beside rotations, u -> A u, v -> A^-T v for any invertible A changes no entry. Left alone, that freedom makes the
relaxation worthless: moments of u u' and v v' may be as large as they like and then bind nothing, and the bound is
that of a table of any rank. The gauge here is sum_i u_i u_i' = I. It excludes no table (the columns of the first core
can always be made orthonormal and, where the rank is less, completed), it keeps the rotations, and it ties the
moments together.

Of the products a b', those of u_i with v_j are always in the basis. `wide` adds those of u_i with u_k, with which an
inequality can be multiplied by u_k . u_l. Products of v_j with v_l are left out: they were seen to cost four times the
work and to move no bound. A part of the basis still gives a lower bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp  # type: ignore[import-untyped]
from numpy.typing import NDArray

from hedgerow.methods.catd.hsdp.affine import Affine, Vector, solve_out
from hedgerow.methods.catd.hsdp.conic import Block, matrix_of

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class TableMoments:
    """Numbers for the moments: 0 is the constant 1, then come inner products, then products of two of them.

    Vectors are numbered u_0, u_1, ..., v_0, v_1, ...
    """

    n_left: int
    n_right: int
    rank: int
    wide: bool

    @property
    def n_vectors(self) -> int:
        """The number of vectors."""
        return self.n_left + self.n_right

    @cached_property
    def pairs(self) -> Indices:
        """The inner products as pairs of vectors a <= b, as (n_pairs, 2)."""
        return np.stack(np.triu_indices(self.n_vectors), axis=1)

    @cached_property
    def pair(self) -> Indices:
        """The number of the pair of two vectors, in any order."""
        number = np.zeros((self.n_vectors, self.n_vectors), dtype=np.int64)
        a, b = self.pairs.T
        number[a, b] = number[b, a] = np.arange(a.size)
        return number

    @cached_property
    def product(self) -> Indices:
        """The moment of the product of two pairs; with rank 1 inner products are plain ones, and more are equal."""
        n_pairs = self.pairs.shape[0]
        both = np.sort(np.stack(np.meshgrid(np.arange(n_pairs), np.arange(n_pairs), indexing="ij"), axis=-1), axis=-1)
        keys = np.sort(self.pairs[both].reshape(-1, 4), axis=1) if self.rank == 1 else both.reshape(-1, 2)
        _, number = np.unique(keys, axis=0, return_inverse=True)
        return np.asarray(number.reshape(n_pairs, n_pairs) + 1 + n_pairs)

    @cached_property
    def n_moments(self) -> int:
        """How many moments have a number."""
        return int(self.product.max()) + 1

    def inner(self, a: Indices, b: Indices) -> Indices:
        """Return the moments E[a.b]."""
        return np.asarray(1 + self.pair[a, b])

    def entry(self, i: Indices, j: Indices) -> Indices:
        """Return the pairs that stand for entries of the table."""
        return np.asarray(self.pair[i, self.n_left + j])

    @cached_property
    def basis(self) -> Indices:
        """The pairs whose products a b' are in the basis."""
        a, b = self.pairs.T
        return np.flatnonzero((b >= self.n_left) & (a < self.n_left) | (self.wide & (b < self.n_left)))

    @cached_property
    def _independent_basis(self) -> Indices:
        """The basis without the last u u', which the gauge makes a combination of others."""
        last = self.pair[self.n_left - 1, self.n_left - 1]
        return np.asarray(self.basis[self.basis != last])

    @cached_property
    def is_used(self) -> NDArray[np.bool_]:
        """Which moments occur in a block."""
        used = np.zeros(self.n_moments, dtype=np.bool_)
        used[: 1 + self.pairs.shape[0]] = True
        for indices in self._products(self.basis):
            used[indices.ravel()] = True
        return used

    def _products(self, chosen: Indices) -> tuple[Indices, Indices, Indices]:
        """Return the moments of (a.c)(b.d), (a.d)(b.c) and (a.b)(c.d) for all choices of a b' and c d'."""
        a, b = self.pairs[chosen].T[:, :, None]
        c, d = self.pairs[chosen].T[:, None, :]
        return (
            self.product[self.pair[a, c], self.pair[b, d]],
            self.product[self.pair[a, d], self.pair[b, c]],
            self.product[np.ix_(chosen, chosen)],
        )

    @property
    def map(self) -> Affine:
        """All moments from the free ones: the equations of the gauge are solved out."""
        return self._solved[0]

    @cached_property
    def _solved(self) -> tuple[Affine, Indices]:
        return solve_out(self._gauge(), self.is_used)

    def _gauge(self) -> sp.csr_matrix:
        """Return what sum u u' = I says: its trace times anything, and it between any two vectors."""
        left = np.arange(self.n_left)
        numbers = np.arange(self.pairs.shape[0])
        c, d = self.pairs.T
        squares = self.pair[left, left]
        trace = matrix_of([(1.0, self.inner(a, a)) for a in left[:, None]], self.n_moments) - matrix_of(
            [(float(self.rank), np.zeros(1, dtype=np.int64))], self.n_moments
        )
        traces = [(1.0, self.product[square, numbers]) for square in squares] + [(-float(self.rank), 1 + numbers)]
        between = [(1.0, self.product[self.pair[c, a], self.pair[d, a]]) for a in left] + [(-1.0, 1 + numbers)]
        equations = sp.vstack(
            [trace, matrix_of(traces, self.n_moments), matrix_of(between, self.n_moments)], format="csr"
        )
        is_known = np.asarray(abs(equations) @ (~self.is_used).astype(np.float64)) == 0.0
        return equations[is_known]

    def blocks(self) -> list[Block]:
        """Return the blocks of the moment matrix."""
        vectors = np.arange(self.n_vectors)
        numbers = np.concatenate([[0], 1 + self._independent_basis])
        scalar = np.zeros((numbers.size, numbers.size), dtype=np.int64)
        scalar[0, :] = scalar[:, 0] = numbers
        scalar[1:, 1:] = self.product[np.ix_(self._independent_basis, self._independent_basis)]
        found = [
            self.block([(1.0, self.inner(vectors[:, None], vectors[None, :]))]),
            self.block([(1.0, scalar)]),
        ]
        if self.rank == 1:
            return found
        across, crossed, along = self._products(self._independent_basis)
        found.append(self.block([(0.5, across), (0.5, crossed), (-1.0 / self.rank, along)]))
        a, b = self.pairs[self.basis].T
        across, crossed, _ = self._products(self.basis[a < b])
        return [*found, self.block([(1.0, across), (-1.0, crossed)])]

    def block(self, terms: list[tuple[float, Indices]]) -> Block:
        """Return the matrix with these sums of moments as entries."""
        return Block(terms[0][1].shape[0], self.map.after(matrix_of(terms, self.n_moments)))

    def reach(self, norm: float) -> Vector:
        """Return bounds on the free moments at tables of at most this norm: |u_i| <= 1 and |v_j| <= norm."""
        largest = np.where(np.arange(self.n_vectors) < self.n_left, 1.0, max(norm, 1.0))
        inner = largest[self.pairs].prod(axis=1)
        bounds = np.ones(self.n_moments)
        bounds[1 : 1 + inner.size] = inner
        bounds[self.product] = inner[:, None] * inner[None, :]
        return bounds[self._solved[1]]

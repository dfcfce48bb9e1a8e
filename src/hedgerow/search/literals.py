"""Which codes a step of a search looks at: all of them, or some where slots have many.

A slot of a thousand codes makes a million pairs with another one. Of a large slot a step sees codes near the row's own,
at distances 1, 2, 4 and so on both ways, so that a change in one slot finds its counterpart in another under a rule
that fixes a sum, and others at random, so that none is left out for good.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from hedgerow.arrays import Codes
from hedgerow.feasible.changes import Literals
from hedgerow.search.landscape import Neighborhood


def literals_near(row: Codes, everything: Literals, max_codes: int, rng: Generator) -> Literals:
    """Return at most so many literals of each slot."""
    large = np.flatnonzero(everything.sizes > max_codes)
    if not large.size:
        return everything
    is_chosen = everything.is_chosen.copy()
    ends = np.cumsum(everything.sizes)
    for slot in large:
        size, own = int(everything.sizes[slot]), int(row[slot])
        steps = 2 ** np.arange(size.bit_length())
        near = np.concatenate([own - steps, [own], own + steps])
        near = near[(near >= 0) & (near < size)]
        is_looked_at = np.zeros(size, dtype=np.bool_)
        is_looked_at[near] = True
        is_looked_at[rng.integers(size, size=max(0, max_codes - near.size))] = True
        is_chosen[ends[slot] - size : ends[slot]] = is_looked_at
    return Literals(everything.sizes, is_chosen)


def literals_for_pairs(literals: Literals, neighborhood: Neighborhood, max_literals: int, rng: Generator) -> Literals:
    """Return at most so many literals in all: half of them those that are best alone, the others at random."""
    if literals.n <= max_literals:
        return literals
    order = np.argsort(-neighborhood.rough_scores(literals.changes), kind="stable")
    n_best = max_literals // 2
    others = rng.choice(order[n_best:], max_literals - n_best, replace=False)
    return literals.only(np.concatenate([order[:n_best], others]))


def literals_toward(end: Codes, row: Codes, everything: Literals) -> Literals:
    """Return the literals of codes that `end` has and the row has not."""
    is_chosen = np.zeros_like(everything.is_chosen)
    is_chosen[(np.cumsum(everything.sizes) - everything.sizes + end)[end != row]] = True
    return Literals(everything.sizes, is_chosen)

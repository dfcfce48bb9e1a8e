"""A DNA sequence of a hundred letters: 4^100 of them, under rules of synthesis, scored by position and by pairs.

The score is a position weight matrix, as binding sites are described by, plus a table of interactions for every pair of
positions drawn. Its lowest value on the feasible set is not proven: the best known one is what CP-SAT finds in 400 s,
and what Hedgerow's own search on the true score comes back to; CP-SAT's bound is -196.6.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from hedgerow.rules import Rule
from hedgerow.space import Point, Space, Vector
from research.problems.problem import BenchmarkProblem

LETTERS = "ACGT"
LENGTH = 100
N_PAIRS = 100
# Places where common enzymes cut.
SITES = ("GAATTC", "GGATCC", "AAGCTT")
_SEED = 0

Weights = NDArray[np.float64]  # (LENGTH, 4)
Pairs = NDArray[np.int64]  # (N_PAIRS, 2)
Tables = NDArray[np.float64]  # (N_PAIRS, 4, 4)


def dna_100() -> BenchmarkProblem:
    """Return the sequence problem."""
    return BenchmarkProblem(
        name="dna-100",
        description="100 letters of DNA: bounded GC content, short runs, no cutting site; position weights and pairs",
        space=Space({"dna": Vector(list(LETTERS), LENGTH)}),
        rules=(
            Rule("40 <= count(dna == 'G') + count(dna == 'C') <= 60", name="GC content"),
            Rule("longest_run(dna) <= 4", name="runs"),
            *(Rule(f"not contains(dna, '{site}')", name=f"no {site}") for site in SITES),
        ),
        objective=partial(sequence_score, *sequence_terms()),
        best_known=-165.76135076519176,
        n_feasible=1090497304938603568704914540192305142359987437011251616299996,
    )


def sequence_terms() -> tuple[Weights, Pairs, Tables]:
    """Return the weights of letters at positions, the interacting positions, and their tables."""
    stream = np.random.RandomState(_SEED)
    weights = stream.randn(LENGTH, len(LETTERS))
    pairs = np.array([sorted(stream.choice(LENGTH, 2, replace=False)) for _ in range(N_PAIRS)])
    return weights, pairs, stream.randn(N_PAIRS, len(LETTERS), len(LETTERS))


def sequence_score(weights: Weights, pairs: Pairs, tables: Tables, point: Point) -> float:
    """Return the score of a sequence, lower is better."""
    letters = np.array([LETTERS.index(letter) for letter in point["dna"]])
    return float(sequence_scores(weights, pairs, tables, letters[None, :])[0])


def sequence_scores(weights: Weights, pairs: Pairs, tables: Tables, letters: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the scores of sequences given as rows of letter numbers."""
    alone = weights[np.arange(LENGTH), letters].sum(axis=1)
    together = tables[np.arange(len(pairs)), letters[:, pairs[:, 0]], letters[:, pairs[:, 1]]].sum(axis=1)
    return np.asarray(alone + together)

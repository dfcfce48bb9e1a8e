"""Ehrlich functions: sequences that hold several spaced motifs, where some letters may not follow others.

The value is minus the product over motifs of how much of each is there somewhere, in steps; the optimum is -1. Which
transitions are banned, the motifs and their spacings are drawn so that a sequence with all of them exists.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from hedgerow.rules import Rule
from hedgerow.space import Categorical, Point, Space, Vector
from research.problems.problem import BenchmarkProblem

# Letters, length, motifs, letters of a motif.
SHAPES = {"20x15": (20, 15, 2, 4), "24x24": (24, 24, 3, 4), "32x32": (32, 32, 4, 4), "32x128": (32, 128, 4, 4)}
# The chance that a transition is banned.
_BANNED = 0.2

Transitions = NDArray[np.bool_]
Motif = tuple[tuple[int, int], ...]


def ehrlich(shape: str, instance: int) -> BenchmarkProblem:
    """Return one of the instances of a shape."""
    n_letters, length, n_motifs, n_elements = SHAPES[shape]
    rng = np.random.default_rng([instance, 7, n_letters, length])
    banned = _transitions(n_letters, rng)
    motifs = _motifs(banned, n_motifs, n_elements, length // n_motifs, rng)
    rules = tuple(
        Rule(f"not contains(letter, [{a}, {b}])", name=f"no {b} after {a}")
        for a, b in zip(*map(list, np.nonzero(banned)), strict=True)
    )
    return BenchmarkProblem(
        name=f"ehrlich-{shape}-{instance}",
        description=f"{n_motifs} spaced motifs of {n_elements} in {length} letters, with banned transitions",
        space=Space({"letter": Vector(Categorical(range(n_letters)), length)}),
        rules=rules,
        objective=partial(_objective, motifs),
        optimum=-1.0,
        budget=300,
    )


def _transitions(n_letters: int, rng: Generator) -> Transitions:
    """Return which letter may not follow which; one may always follow itself, and the next in a drawn circle."""
    banned = rng.random((n_letters, n_letters)) < _BANNED
    circle = rng.permutation(n_letters)
    banned[circle, np.roll(circle, -1)] = False
    np.fill_diagonal(banned, False)
    return banned


def _motifs(banned: Transitions, n_motifs: int, n_elements: int, room: int, rng: Generator) -> tuple[Motif, ...]:
    """Return motifs as (offset, letter) pairs, of letters that may follow each other: repeats fill the gaps."""
    letters = list(rng.permutation(banned.shape[0]))
    motifs = []
    for _ in range(n_motifs):
        word = [letters.pop()]
        while len(word) < n_elements:
            after = [letter for letter in letters if not banned[word[-1], letter]]
            word.append(after[0] if after else word[-1])
            if after:
                letters.remove(after[0])
        offsets = [0, *sorted(rng.choice(np.arange(1, room), n_elements - 1, replace=False).tolist())]
        motifs.append(tuple((int(offset), int(letter)) for offset, letter in zip(offsets, word, strict=True)))
    return tuple(motifs)


def _objective(motifs: tuple[Motif, ...], point: Point) -> float:
    letters = [int(letter) for letter in point["letter"]]
    value = 1.0
    for motif in motifs:
        last = motif[-1][0]
        held = max(
            sum(letters[start + offset] == letter for offset, letter in motif) for start in range(len(letters) - last)
        )
        value *= held / len(motif)
    return -value

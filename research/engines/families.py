"""Rules beyond one diagram, by name: generated with fixed seeds, and the feature models of a folder of CNF files.

`BEFORE` is what the same family gave when rules outside the diagram were searched depth first, without a solver.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hedgerow import Integer, Space, Vector
from hedgerow.importers import load_dimacs
from hedgerow.rules import RuleLike

Rules = tuple[Space, list[RuleLike]]


@dataclass(frozen=True)
class Family:
    """How to make one set of rules, and what was known of it before."""

    make: Callable[[], Rules]
    before: str


def clauses(n_variables: int, per_variable: float, seed: int = 0) -> Rules:
    """Random clauses of three literals."""
    rng = np.random.default_rng(seed)
    rules: list[RuleLike] = []
    for _ in range(round(n_variables * per_variable)):
        chosen, signs = rng.choice(n_variables, 3, replace=False), rng.integers(0, 2, 3)
        rules.append(" or ".join(f"{'' if sign else 'not '}x[{i}]" for i, sign in zip(chosen, signs, strict=True)))
    return Space({"x": Vector(bool, n_variables)}), rules


def subset_sum(n_items: int, seed: int = 0) -> Rules:
    """Which of the items, with weights to a million, weigh exactly so much."""
    rng = np.random.default_rng(seed)
    weights, chosen = rng.integers(1, 10**6, n_items), rng.integers(0, 2, n_items)
    total = " + ".join(f"{weight} * x[{i}]" for i, weight in enumerate(weights))
    return Space({"x": Vector(bool, n_items)}), [f"{total} == {int(weights @ chosen)}"]


def knapsack(n_items: int, seed: int = 0) -> Rules:
    """Up to nine of each item, in all at most a third of the largest weight."""
    weights = np.random.default_rng(seed).integers(1, 10**6, n_items)
    total = " + ".join(f"{weight} * x[{i}]" for i, weight in enumerate(weights))
    return Space({"x": Vector(Integer(0, 9), n_items)}), [f"{total} <= {int(weights.sum()) * 3}"]


def product(n_factors: int, seed: int = 0) -> Rules:
    """Factors whose product is a given number."""
    wanted = math.prod(map(int, np.random.default_rng(seed).integers(1, 10, n_factors)))
    factors = " * ".join(f"x[{i}]" for i in range(n_factors))
    return Space({"x": Vector(Integer(1, 9), n_factors)}), [f"{factors} == {wanted}"]


def permutation(n_items: int) -> Rules:
    """All different."""
    return Space({"x": Vector(Integer(1, n_items), n_items)}), ["all_different(x)"]


def coloring(n_nodes: int, n_colors: int, n_edges: int, seed: int = 0) -> Rules:
    """Colors of the nodes of a random graph; ends of an edge differ."""
    rng = np.random.default_rng(seed)
    edges = {tuple(sorted(map(int, rng.choice(n_nodes, 2, replace=False)))) for _ in range(n_edges)}
    rules: list[RuleLike] = [f"x[{a}] != x[{b}]" for a, b in sorted(edges)]
    return Space({"x": Vector(Integer(1, n_colors), n_nodes)}), rules


def queens(n: int) -> Rules:
    """Queens that do not attack each other; x[i] is the column of the one in row i."""
    diagonals = [f"all_different([{', '.join(f'x[{i}] {sign} {i}' for i in range(n))}])" for sign in "+-"]
    return Space({"x": Vector(Integer(0, n - 1), n)}), ["all_different(x)", *diagonals]


def latin_square(n: int, boxes: int = 0) -> Rules:
    """Every number once in each row and column, and in each box of a Sudoku."""
    lines = [[n * i + j for j in range(n)] for i in range(n)] + [[n * j + i for j in range(n)] for i in range(n)]
    if boxes:
        corners = [(a, b) for a in range(0, n, boxes) for b in range(0, n, boxes)]
        lines += [[n * (a + i) + b + j for i in range(boxes) for j in range(boxes)] for a, b in corners]
    rules: list[RuleLike] = [f"all_different([{', '.join(f'x[{cell}]' for cell in line)}])" for line in lines]
    return Space({"x": Vector(Integer(1, n), n * n)}), rules


def magic_square(n: int) -> Rules:
    """Different numbers with equal sums of rows, columns and diagonals."""
    lines = [[n * i + j for j in range(n)] for i in range(n)] + [[n * j + i for j in range(n)] for i in range(n)]
    lines += [[n * i + i for i in range(n)], [n * i + n - 1 - i for i in range(n)]]
    total = n * (n * n + 1) // 2
    sums: list[RuleLike] = [f"{' + '.join(f'x[{cell}]' for cell in line)} == {total}" for line in lines]
    return Space({"x": Vector(Integer(1, n * n), n * n)}), ["all_different(x)", *sums]


def shares(n_parts: int) -> Rules:
    """Shares on a grid of a hundredth that add up to one."""
    grid = [round(0.01 * i, 2) for i in range(101)]
    return Space({"x": Vector(grid, n_parts)}), ["abs(sum(x) - 1) < 1e-9", "count(x > 0) <= 6"]


def feature_model(n_options: int, seed: int = 0) -> Rules:
    """A tree of options, each of which needs its parent, with a cross-tree rule for every fifth."""
    rng = np.random.default_rng(seed)
    rules: list[RuleLike] = ["x[0]"]
    rules += [f"not x[{i}] or x[{int(rng.integers(max(0, i - 40), i))}]" for i in range(1, n_options)]
    for _ in range(n_options // 5):
        a, b = map(int, rng.choice(n_options, 2, replace=False))
        rules.append(f"not x[{a}] or {'not ' if rng.random() < 0.5 else ''}x[{b}]")
    return Space({"x": Vector(bool, n_options)}), rules


def chain(n_options: int) -> Rules:
    """Options each of which needs the one before it."""
    return Space({"x": Vector(bool, n_options)}), [f"not x[{i}] or x[{i - 1}]" for i in range(1, n_options)]


FAMILIES: dict[str, Family] = {
    "3-SAT, 100 variables, 300 clauses": Family(lambda: clauses(100, 3), "26 to 42 s, then no point"),
    "3-SAT, 100 variables, 400 clauses": Family(lambda: clauses(100, 4), "no point"),
    "3-SAT, 200 variables, 400 clauses": Family(lambda: clauses(200, 2), "26 to 42 s, then no point"),
    "3-SAT, 50 variables, 150 clauses": Family(lambda: clauses(50, 3), "exact"),
    "feature model, 500 options": Family(lambda: feature_model(500), "not exact, no point"),
    "feature model, 1,000 options": Family(lambda: feature_model(1000), "not exact, no point"),
    "feature model, 2,000 options": Family(lambda: feature_model(2000), "no answer in 170 s"),
    "feature model, 5,000 options": Family(lambda: feature_model(5000), "-"),
    "chain of 5,000 options": Family(lambda: chain(5000), "stalled"),
    "subset sum, 40 weights to a million": Family(lambda: subset_sum(40), "no point"),
    "knapsack, 20 variables of 10 values": Family(lambda: knapsack(20), "6 s per ask"),
    "product of 30 factors": Family(lambda: product(30), "no point"),
    "permutation of 20": Family(lambda: permutation(20), "0.2 s per ask"),
    "permutation of 25": Family(lambda: permutation(25), "third ask 54 s, fourth 108 s"),
    "permutation of 100": Family(lambda: permutation(100), "-"),
    "coloring, 60 nodes, 3 colors, 120 edges": Family(lambda: coloring(60, 3, 120), "no point"),
    "queens, 12": Family(lambda: queens(12), "-"),
    "queens, 20": Family(lambda: queens(20), "-"),
    "Latin square, 7": Family(lambda: latin_square(7), "-"),
    "Sudoku, empty": Family(lambda: latin_square(9, 3), "4 s per ask"),
    "magic square, 5": Family(lambda: magic_square(5), "no point"),
    "shares of 12 parts": Family(lambda: shares(12), "-"),
}


def of_folder(folder: Path) -> dict[str, Family]:
    """Return the feature models of a folder of CNF files."""

    def made(path: Path) -> Rules:
        problem = load_dimacs(path)
        return problem.space, list(problem.rules)

    return {path.stem: Family(lambda path=path: made(path), "-") for path in sorted(folder.glob("*.cnf"))}  # type: ignore[misc]

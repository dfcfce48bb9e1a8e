"""Rules beyond one diagram, by name: generated with fixed seeds, and the feature models of a folder of CNF files.

`before` is what the same family gave when rules outside the diagram were searched depth first, without a solver.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from hedgerow import Integer, Permutation, Space, Vector
from hedgerow.importers import load_dimacs
from hedgerow.rules import RuleLike
from research.problems.product_line import line_rules

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


def with_budget(n_options: int, seed: int = 0) -> Rules:
    """A product line whose options cost one to ten each, with a budget of three tenths of all costs."""
    costs = np.random.default_rng(seed).integers(1, 11, n_options)
    total = " + ".join(f"{cost} * option[{i}]" for i, cost in enumerate(costs))
    rules: list[RuleLike] = [*line_rules(n_options, seed), f"{total} <= {int(costs.sum()) * 3 // 10}"]
    return Space({"option": Vector(bool, n_options)}), rules


def orders(n_items: int, n_rules: int, seed: int = 0) -> Rules:
    """An order of items in which some come before others."""
    rng = np.random.default_rng(seed)
    hidden = rng.permutation(n_items).tolist()
    pairs = sorted({tuple(sorted(rng.choice(n_items, 2, replace=False).tolist())) for _ in range(n_rules)})
    return Space({"order": Permutation(range(n_items))}), [f"before(order, {hidden[a]}, {hidden[b]})" for a, b in pairs]


def chain(n_options: int) -> Rules:
    """Options each of which needs the one before it."""
    return Space({"x": Vector(bool, n_options)}), [f"not x[{i}] or x[{i - 1}]" for i in range(1, n_options)]


def _three_sat() -> dict[str, Family]:
    """Four densities, up to near the one from which on most have no solution, and three sizes."""
    before: dict[tuple[int, float], str] = {
        (100, 3): "26 to 42 s, then no point",
        (200, 2): "26 to 42 s, then no point",
        (100, 4): "no point",
    }
    return {
        f"3-SAT, {n} variables, {round(n * ratio)} clauses": Family(
            partial(clauses, n, ratio), before.get((n, ratio), "-")
        )
        for ratio in (2, 3, 3.5, 4)
        for n in (50, 100, 200)
    }


FAMILIES: dict[str, Family] = {
    **_three_sat(),
    "feature model, 500 options": Family(partial(feature_model, 500), "not exact, no point"),
    "feature model, 1,000 options": Family(partial(feature_model, 1000), "not exact, no point"),
    "feature model, 2,000 options": Family(partial(feature_model, 2000), "no answer in 170 s"),
    "feature model, 5,000 options": Family(partial(feature_model, 5000), "-"),
    "product line, 200 options, a budget": Family(partial(with_budget, 200), "-"),
    "product line, 400 options, a budget": Family(partial(with_budget, 400), "-"),
    "chain of 5,000 options": Family(partial(chain, 5000), "stalled"),
    "subset sum, 40 weights to a million": Family(partial(subset_sum, 40), "no point"),
    "knapsack, 20 variables of 10 values": Family(partial(knapsack, 20), "6 s per ask"),
    "product of 20 factors": Family(partial(product, 20), "-"),
    "product of 30 factors": Family(partial(product, 30), "no point"),
    "all different, 20": Family(partial(permutation, 20), "0.2 s per ask"),
    "all different, 25": Family(partial(permutation, 25), "third ask 54 s, fourth 108 s"),
    "all different, 100": Family(partial(permutation, 100), "-"),
    "order of 25 items, 10 rules": Family(partial(orders, 25, 10), "-"),
    "order of 50 items, 25 rules": Family(partial(orders, 50, 25), "-"),
    "order of 200 items, 100 rules": Family(partial(orders, 200, 100), "-"),
    "coloring, 60 nodes, 3 colors, 120 edges": Family(partial(coloring, 60, 3, 120), "no point"),
    "coloring, 100 nodes, 4 colors, 300 edges": Family(partial(coloring, 100, 4, 300), "-"),
    "queens, 8": Family(partial(queens, 8), "-"),
    "queens, 12": Family(partial(queens, 12), "-"),
    "queens, 16": Family(partial(queens, 16), "-"),
    "queens, 20": Family(partial(queens, 20), "-"),
    "Latin square, 5": Family(partial(latin_square, 5), "-"),
    "Latin square, 7": Family(partial(latin_square, 7), "-"),
    "Latin square, 9": Family(partial(latin_square, 9), "-"),
    "Sudoku, empty": Family(partial(latin_square, 9, 3), "4 s per ask"),
    "magic square, 3": Family(partial(magic_square, 3), "-"),
    "magic square, 4": Family(partial(magic_square, 4), "-"),
    "magic square, 5": Family(partial(magic_square, 5), "no point"),
    "shares of 12 parts": Family(partial(shares, 12), "-"),
}

_MODELS_BEFORE = {
    "eshop": "exact, 0.7 to 10 s",
    "windows7": "exact, 0.7 to 10 s",
    "busybox": "exact, 0.7 to 10 s",
    "uclinuxbase": "exact, 0.7 to 10 s",
    "fiasco": "exact in 12 s; doctor() over 170 s",
    "finance": "33 to 95 s, not exact, sampling raises",
    "am31": "33 to 95 s, not exact, sampling raises",
}


def of_folder(folder: Path) -> dict[str, Family]:
    """Return the feature models of a folder of CNF files."""

    def made(path: Path) -> Rules:
        problem = load_dimacs(path)
        return problem.space, list(problem.rules)

    return {
        path.stem: Family(partial(made, path), _MODELS_BEFORE.get(path.stem, "-"))
        for path in sorted(folder.glob("*.cnf"))
    }

"""Roads across a map of m x n cells: lay pieces of road from the first cell to the last, over cheap ground.

The paper describes moves and a Euclidean distance; the form here (a piece of road or nothing in every cell, and the
distance that the road is short of its goal) is the one whose counts and optima agree with its tables.
"""

from __future__ import annotations

from functools import partial

from hedgerow.rules import Rule
from hedgerow.space import Categorical, Point, Space, Vector
from research.problems.problem import BenchmarkProblem, Published

EMPTY = "empty"
# A piece of road joins two sides of its cell: left, up, right, down.
PIECES = ("LU", "LR", "LD", "UR", "UD", "RD")
_STEP = {"L": (0, -1), "U": (-1, 0), "R": (0, 1), "D": (1, 0)}
_OPPOSITE = {"L": "R", "U": "D", "R": "L", "D": "U"}

Costs = tuple[tuple[int, ...], ...]
Cell = tuple[int, int]

# Cost of each cell, feasible points, optimum, published result.
_MAPS: dict[str, tuple[Costs, int, float, Published | None]] = {
    "warcraft-2x2": (((1, 4), (2, 1)), 300, 0.5, Published(0.5, 25.6, "PGRAD CP-6")),
    "warcraft-2x3": (((1, 4, 1), (2, 1, 1)), 5400, 0.5, Published(0.5, 115.7, "PGRAD TT-4")),
    "warcraft-3x3": (((1, 4, 1), (2, 1, 3), (5, 2, 1)), 189_000, 0.35, None),
}
NAMES = tuple(_MAPS)


def warcraft(name: str) -> BenchmarkProblem:
    """Return the problem of one map."""
    costs, n_feasible, optimum, published = _MAPS[name]
    n_rows, n_columns = len(costs), len(costs[0])
    n_pieces = n_rows + n_columns - 1
    return BenchmarkProblem(
        name=name,
        description=f"the cheapest road across a map of {n_rows} x {n_columns} cells",
        space=Space({"cell": Vector(Categorical((EMPTY, *PIECES)), n_rows * n_columns)}),
        rules=(
            Rule('cell[0] not in ["empty", "LU"]', name="start"),
            Rule('cell[-1] not in ["empty", "RD"]', name="goal"),
            Rule(f'2 * count(cell != "empty") == {2 * n_pieces}', name="length"),
        ),
        objective=partial(road_cost, costs),
        optimum=optimum,
        n_feasible=n_feasible,
        published=published,
    )


def road_cost(costs: Costs, point: Point) -> float:
    """Return the share of the map's cost that lies under road, plus how far the road is from the goal (0 to 1)."""
    pieces: list[str] = point["cell"]
    flat = [cost for row in costs for cost in row]
    under_road = sum(cost for cost, piece in zip(flat, pieces, strict=True) if piece != EMPTY)
    return under_road / sum(flat) + distance_to_goal(pieces, len(costs), len(costs[0]))


def distance_to_goal(pieces: list[str], n_rows: int, n_columns: int) -> float:
    """Return the Manhattan distance from the end of the road to the outer sides of the last cell, scaled to 0..1.

    It is measured on a grid of (2m+1) x (2n+1) places, where cell (i, j) has its center at (2i+1, 2j+1) and its sides
    one step from it.
    """
    end = _end_of_road(pieces, n_rows, n_columns)
    if end is None:
        return 1.0
    row, column = 2 * end[0] + 1, 2 * end[1] + 1
    sides = [_STEP[side] for side in pieces[end[0] * n_columns + end[1]]]
    places = [(row, column), *((row + down, column + right) for down, right in sides)]
    goals = [(2 * n_rows, 2 * n_columns - 1), (2 * n_rows - 1, 2 * n_columns)]
    nearest = min(abs(a - c) + abs(b - d) for a, b in places for c, d in goals)
    return nearest / (2 * n_rows + 2 * n_columns - 1)


def _end_of_road(pieces: list[str], n_rows: int, n_columns: int) -> Cell | None:
    """Follow the road from outside the first cell; None when it has no way in."""
    entrance = next((side for side in "LU" if pieces[0] != EMPTY and side in pieces[0]), None)
    if entrance is None:
        return None
    row, column = 0, 0
    while (row, column) != (n_rows - 1, n_columns - 1):
        exit_side = pieces[row * n_columns + column].replace(entrance, "")
        entrance = _OPPOSITE[exit_side]
        down, right = _STEP[exit_side]
        following = row + down, column + right
        if not (0 <= following[0] < n_rows and 0 <= following[1] < n_columns):
            break
        piece = pieces[following[0] * n_columns + following[1]]
        if piece == EMPTY or entrance not in piece:
            break
        row, column = following
    return row, column

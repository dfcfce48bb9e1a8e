"""Fresh problems for every engine: rules written twice, as text and as plain Python, over spaces that can be listed."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator

from hedgerow import FeasibleSet, InfeasibleError, Integer, Space, Vector
from hedgerow.space import Point
from hedgerow.space.encoding import decode, encode
from tests.oracles import frozen

Written = tuple[str, Callable[[Point], bool]]

_COMPARED: dict[str, Callable[[float, float], bool]] = {
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
}
N_FLAGS = 5


@cache
def fresh_space() -> Space:
    """Return flags, whole numbers, labels, and a number that no rule reads."""
    numbers = Vector(Integer(0, 3), 2)
    return Space({"b": Vector(bool, N_FLAGS), "n": numbers, "c": ["u", "v", "w"], "alone": [0.5, 1.5]})


@cache
def _listed(space: Space) -> list[Point]:
    return [decode(space, np.array(row)) for row in itertools.product(*(range(size) for size in space.sizes))]


def all_points(space: Space) -> list[Point]:
    """List the space."""
    return _listed(space)


def _clause(rng: Generator) -> Written:
    atoms: list[Written] = [(f"b[{i}]", lambda p, i=i: p["b"][i]) for i in range(N_FLAGS)]  # type: ignore[misc]
    atoms += [(f"n[{i}] == {k}", lambda p, i=i, k=k: p["n"][i] == k) for i in range(2) for k in range(4)]  # type: ignore[misc]
    atoms += [(f"c == '{k}'", lambda p, k=k: p["c"] == k) for k in "uvw"]  # type: ignore[misc]
    chosen = [atoms[place] for place in rng.choice(len(atoms), int(rng.integers(2, 4)), replace=False)]
    signs = (rng.random(len(chosen)) < 0.6).tolist()
    text = " or ".join(one if sign else f"not ({one})" for (one, _), sign in zip(chosen, signs, strict=True))
    return text, lambda p: any(holds(p) == sign for (_, holds), sign in zip(chosen, signs, strict=True))


def _sum(rng: Generator) -> Written:
    own = rng.integers(-3, 6, N_FLAGS + 2).tolist()
    symbol, limit = str(rng.choice(list(_COMPARED))), int(rng.integers(0, 9))
    terms = [f"{weight} * b[{i}]" for i, weight in enumerate(own[:N_FLAGS])]
    terms += [f"{weight} * n[{i}]" for i, weight in enumerate(own[N_FLAGS:])]

    def holds(p: Point) -> bool:
        total = sum(w * v for w, v in zip(own, [*p["b"], *p["n"]], strict=True))
        return _COMPARED[symbol](total, limit)

    return f"{' + '.join(terms)} {symbol} {limit}", holds


def _decimals(rng: Generator) -> Written:
    own = rng.integers(1, 9, 3).tolist()
    # Halves of a tenth lie between all sums, so that rounding does not matter.
    limit = int(rng.integers(3, 20)) / 10 + 0.05
    text = " + ".join(f"0.{weight} * n[{i}]" for i, weight in enumerate(own[:2])) + f" + 0.{own[2]} * b[0]"
    return f"{text} < {limit}", lambda p: own[0] * p["n"][0] + own[1] * p["n"][1] + own[2] * p["b"][0] < limit * 10


def _when(rng: Generator) -> Written:
    text, holds = _sum(rng)
    flag = int(rng.integers(N_FLAGS))
    return f"not b[{flag}] or {text}", lambda p: not p["b"][flag] or holds(p)


def _different(rng: Generator) -> Written:
    shift = int(rng.integers(0, 3))
    text = f"all_different([n[0], n[1] + {shift}, 2 * b[0] + b[1]])"
    return text, lambda p: len({p["n"][0], p["n"][1] + shift, 2 * p["b"][0] + p["b"][1]}) == 3


def _product(rng: Generator) -> Written:
    limit = int(rng.integers(1, 7))
    return f"n[0] * n[1] + b[4] <= {limit}", lambda p: p["n"][0] * p["n"][1] + p["b"][4] <= limit


KINDS: dict[str, Callable[[Generator], Written]] = {
    "clauses": _clause,
    "sum": _sum,
    "decimals": _decimals,
    "sum under a condition": _when,
    "all different": _different,
    "product": _product,
}


def fresh_rules(kind: str, seed: int) -> list[Written]:
    """Return some clauses, and a rule of a kind or two of them."""
    rng = np.random.default_rng([seed, len(kind)])
    rules = [_clause(rng) for _ in range(int(rng.integers(3, 6)))]
    return rules + [KINDS[kind](rng) for _ in range(int(rng.integers(1, 3)))]


def check_promises(feasible: FeasibleSet, expected: list[Point], seed: int) -> None:
    """Compare every answer with the list of what must be in the set."""
    space, rng = feasible.space, np.random.default_rng(seed)
    everything = all_points(space)
    wanted = {frozen(point) for point in expected}
    every_row = np.array([encode(space, point) for point in everything])
    assert feasible.codes.accepts(every_row).tolist() == [frozen(point) in wanted for point in everything]
    assert Counter(map(frozen, feasible)) == Counter(wanted)
    drawn = feasible.codes.draw(20, rng)
    assert all(frozen(decode(space, row)) in wanted for row in drawn)
    if feasible.is_exact:
        _check_counts(feasible, expected)
    for place in rng.integers(0, len(everything), 2).tolist():
        _check_around(feasible, everything[place], expected)
    _check_best(feasible, expected, rng)
    _check_untried(feasible, expected, rng)


def _check_counts(feasible: FeasibleSet, expected: list[Point]) -> None:
    assert feasible.count == len(expected)
    rows = np.concatenate(list(feasible.codes.batches()))
    assert feasible.codes.rank(rows) == list(range(len(expected)))
    codes = np.array([encode(feasible.space, point) for point in expected])
    usage = [np.bincount(codes[:, slot], minlength=size).tolist() for slot, size in enumerate(feasible.space.sizes)]
    assert feasible.codes.usage() == usage


def _check_around(feasible: FeasibleSet, point: Point, expected: list[Point]) -> None:
    row = encode(feasible.space, point)
    rows = np.array([encode(feasible.space, other) for other in expected])
    apart = (rows != row).sum(axis=1)
    for n_slots, found in ((1, feasible.codes.neighbors(row)), (2, feasible.codes.exchanges(row))):
        near = [other.tobytes() for other in rows[apart == n_slots]]
        assert Counter(other.tobytes() for other in found) == Counter(near)
    mended = encode(feasible.space, feasible.repair(point))
    assert int((mended != row).sum()) == int(apart.min())
    partial = {"c": point["c"], "b": [point["b"][0], *[None] * (N_FLAGS - 1)]}
    left = {frozen(other) for other in expected if (other["c"], other["b"][0]) == (point["c"], point["b"][0])}
    part = feasible.completions(partial)
    if not left:
        with pytest.raises(InfeasibleError):
            part.sample(1, seed=0)
        return
    assert all(frozen(found) in left for found in part.sample(3, seed=0))
    if feasible.is_exact:
        assert part.count == len(left)


def _check_best(feasible: FeasibleSet, expected: list[Point], rng: Generator) -> None:
    scores = [rng.integers(-4, 5, size).astype(float) for size in feasible.space.sizes]

    def worth(row: Any) -> float:
        return float(sum(score[code] for score, code in zip(scores, row, strict=True)))

    n = len(expected) if feasible.is_exact else 3
    found = list(itertools.islice(feasible.codes.best(scores), n))
    every = sorted((worth(encode(feasible.space, point)) for point in expected), reverse=True)
    assert [worth(row) for row in found] == every[:n]
    assert len({row.tobytes() for row in found}) == len(found)


def _check_untried(feasible: FeasibleSet, expected: list[Point], rng: Generator) -> None:
    rows = np.array([encode(feasible.space, point) for point in expected])
    assert feasible.codes.untried(rows, rng) is None
    one = int(rng.integers(rows.shape[0]))
    found = feasible.codes.untried(np.delete(rows, one, axis=0), rng)
    assert found is not None and (found == rows[one]).all()

"""Many motifs that one sequence may not hold are read by one automaton."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import hedgerow as hr


@pytest.mark.parametrize("seed", range(6))
def test_many_forbidden_motifs_leave_what_brute_force_leaves(seed: int) -> None:
    rng = np.random.default_rng(seed)
    motifs = [list(rng.choice(list("abc"), rng.integers(1, 5) if k else 2)) for k in range(7)]
    motifs = [motif for motif in motifs if len(motif) > 1]
    space = hr.Space({"x": hr.Vector(list("abc"), 7), "y": [1, 2]})
    rules = [f"not contains(x, '{''.join(motif)}')" for motif in motifs]
    feasible = hr.FeasibleSet(space, [*rules, "y == 1 or x[0] == 'a'"])
    expected = {
        ("".join(letters), y)
        for letters in product("abc", repeat=7)
        for y in (1, 2)
        if not any("".join(motif) in "".join(letters) for motif in motifs) and (y == 1 or letters[0] == "a")
    }
    assert feasible.is_exact
    assert {("".join(point["x"]), point["y"]) for point in feasible} == expected


def test_hundreds_of_banned_transitions_are_exact() -> None:
    rng = np.random.default_rng(0)
    banned = (rng.random((32, 32)) < 0.2) & ~np.eye(32, dtype=bool)
    space = hr.Space({"x": hr.Vector(hr.Categorical(range(32)), 32)})
    rules = [f"not contains(x, [{a}, {b}])" for a, b in zip(*np.nonzero(banned), strict=True)]
    feasible = hr.FeasibleSet(space, rules)
    allowed = (~banned).astype(object)
    ways = np.ones(32, dtype=object)
    for _ in range(31):
        ways = allowed @ ways
    assert len(rules) > 150
    assert feasible.is_exact
    assert feasible.count == sum(ways)


def test_motifs_of_several_lengths_in_two_vectors_leave_what_brute_force_leaves() -> None:
    """Rules about two vectors take turns, so that what is kept of one must not serve for the other."""
    rng = np.random.default_rng(1)
    motifs = {"".join(rng.choice(list("abcd"), rng.integers(2, 6))) for _ in range(40)}
    space = hr.Space({"x": hr.Vector(list("abcd"), 5), "y": hr.Vector(list("cdab"), 3)})
    places = {"x": 5, "y": 3}
    rules = [f"not contains({v}, '{m}')" for m in sorted(motifs) for v, n in places.items() if len(m) <= n]
    feasible = hr.FeasibleSet(space, rules)
    left = {
        n: {"".join(w) for w in product("abcd", repeat=n) if not any(m in "".join(w) for m in motifs)} for n in (3, 5)
    }
    assert feasible.is_exact
    assert {("".join(point["x"]), "".join(point["y"])) for point in feasible} == set(product(left[5], left[3]))

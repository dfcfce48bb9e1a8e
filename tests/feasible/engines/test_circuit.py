"""Sets held by a d-DNNF: every answer against brute force, by a small compiler of our own and by d4 where installed."""

from __future__ import annotations

import itertools
import json
import pickle
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from hedgerow import ArgumentError, FeasibleSet, InfeasibleError, Integer, Optimizer, Space, SpaceExhausted, Vector
from hedgerow.feasible.engines import circuit_draws, clause_compiler
from hedgerow.feasible.engines.circuit_set import CircuitSet
from hedgerow.feasible.engines.clause_width import elimination_width
from hedgerow.space import Point
from tests.feasible.engines.small_compiler import compile_file
from tests.oracles import frozen

HAS_D4 = clause_compiler.is_installed()
BIG = 2**62


@pytest.fixture(params=["small", pytest.param("d4", marks=pytest.mark.skipif(not HAS_D4, reason="no d4Solver"))])
def _compiler(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if request.param == "small":
        monkeypatch.setattr(clause_compiler, "is_installed", lambda: True)
        monkeypatch.setattr(clause_compiler, "_run", lambda arguments: compile_file(*arguments[:2]))
    yield


def random_problem(seed: int) -> tuple[Space, list[str]]:
    """A few variables of two to four levels, with clauses, a sum and an implication."""
    rng = np.random.default_rng(seed)
    space = Space({"b": Vector(bool, 4), "n": Vector(Integer(0, 2), 2), "c": ["u", "v", "w", "z"], "one": [7]})
    literals = [f"b[{i}]" for i in range(4)] + [f"n[{i}] == {k}" for i in range(2) for k in range(3)]
    literals += [f"c == '{label}'" for label in "uvwz"]
    rules = []
    for _ in range(int(rng.integers(2, 6))):
        some = rng.choice(literals, int(rng.integers(2, 4)), replace=False)
        rules.append(" or ".join(f"not ({text})" if rng.random() < 0.5 else str(text) for text in some))
    rules.append(f"b[0] + b[1] + b[2] + n[0] + n[1] {rng.choice(['<=', '>=', '!='])} {rng.integers(2, 5)}")
    return space, rules


def all_points(space: Space) -> list[Point]:
    domains = [slot.variable.values for slot in space.slots]
    rows = itertools.product(*domains)
    return [{"b": list(row[:4]), "n": list(row[4:6]), "c": row[6], "one": row[7]} for row in rows]


@pytest.mark.filterwarnings("ignore::hedgerow.errors.RuleWarning")
@pytest.mark.usefixtures("_compiler")
@pytest.mark.parametrize("seed", range(12))
def test_every_answer_is_that_of_brute_force(seed: int) -> None:
    space, rules = random_problem(seed)
    plain = FeasibleSet(space, rules, engine="diagram", allow_empty=True)
    expected = [point for point in all_points(space) if point in plain]
    feasible = FeasibleSet(space, rules, engine="d-DNNF", allow_empty=True)
    assert isinstance(feasible.codes, CircuitSet) and feasible.is_exact and feasible.engine == "d-DNNF"
    assert feasible.count == len(expected)
    listed = list(feasible)
    assert Counter(map(frozen, listed)) == Counter(map(frozen, expected))
    if not listed:
        return
    assert [feasible.index(point) for point in listed] == list(range(len(listed)))
    assert feasible.marginals() == plain.marginals()
    codes = feasible.codes.draw(64, np.random.default_rng(seed))
    assert feasible.codes.accepts(codes).all()
    point = listed[seed % len(listed)]
    assert Counter(map(frozen, feasible.neighbors(point))) == Counter(map(frozen, plain.neighbors(point)))
    assert Counter(map(frozen, feasible.exchanges(point))) == Counter(map(frozen, plain.exchanges(point)))
    partial = {"c": point["c"], "b": [None, point["b"][1], None, None]}
    part, plain_part = feasible.completions(partial), plain.completions(partial)
    assert part.count == plain_part.count
    assert all(found in feasible and found["c"] == point["c"] for found in part.sample(8, seed=seed))
    check_best(feasible, plain, seed)


def check_best(feasible: FeasibleSet, plain: FeasibleSet, seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores = [rng.integers(-5, 5, size).astype(float) for size in feasible.space.sizes]

    def sums(rows: Any) -> list[float]:
        return [sum(score[code] for score, code in zip(scores, row, strict=True)) for row in rows]

    found, wanted = list(feasible.codes.best(scores)), list(plain.codes.best(scores))
    assert sums(found) == sums(wanted)
    assert len({row.tobytes() for row in found}) == len(found) == feasible.count
    assert len(list(feasible.codes.best(scores, 3))) == min(3, feasible.count)
    for point in (feasible.space.sizes, [0] * 8):
        start = np.minimum(point, np.array(feasible.space.sizes) - 1)
        broken = {"b": [bool(code) for code in start[:4]], "n": start[4:6].tolist(), "c": "uvwz"[start[6]], "one": 7}
        assert distance(feasible.repair(broken), broken) == distance(plain.repair(broken), broken)


def distance(one: Point, other: Point) -> int:
    pairs = zip([*one["b"], *one["n"], one["c"]], [*other["b"], *other["n"], other["c"]], strict=True)
    return sum(a != b for a, b in pairs)


def parity(n: int) -> tuple[Space, list[str]]:
    """Every third variable follows from two others; the rest is free."""
    rules = [f"x[{i}] == (x[{i + 1}] != x[{i + 2}])" for i in range(0, n - 2, 3)]
    return Space({"x": Vector(bool, n)}), rules


@pytest.mark.usefixtures("_compiler")
def test_draws_are_uniform() -> None:
    feasible = FeasibleSet(*parity(7), engine="d-DNNF")
    assert feasible.count == 2**5
    seen = Counter(frozen(point) for point in feasible.sample(32_000, seed=0))
    assert len(seen) == 32
    # Each is expected 1,000 times, with a deviation of 31.
    assert max(abs(n - 1000) for n in seen.values()) < 160


@pytest.mark.usefixtures("_compiler")
def test_counts_beyond_machine_numbers_have_ranks_and_exact_draws() -> None:
    feasible = FeasibleSet(*parity(200), engine="d-DNNF")
    assert feasible.count == 2**134
    codes = feasible.codes
    assert isinstance(codes, CircuitSet)
    for place in (0, 1, 2**100 + 17, feasible.count - 1):
        assert feasible.index(feasible[place]) == place
    drawn = circuit_draws.draw(codes.counts, 3, np.random.default_rng(5))
    seeds = np.random.default_rng(5).integers(-(2**63), 2**63, size=(3, 2)).tolist()
    exact = [circuit_draws.drawn_exactly(codes.counts, *pair) for pair in seeds]
    assert np.array_equal(drawn, exact)


def test_a_choice_on_a_boundary_takes_more_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clause_compiler, "is_installed", lambda: True)
    monkeypatch.setattr(clause_compiler, "_run", lambda arguments: compile_file(*arguments[:2]))
    codes = FeasibleSet(Space({"x": Vector(bool, 2)}), ["x[0] or x[1]"], engine="d-DNNF").codes
    assert isinstance(codes, CircuitSet)
    node = next(n for n in range(codes.n_nodes) if len(codes.circuit.edges_of(n)) == 2)
    # Thirds have no end in binary: the number at a boundary is open, its neighbors are not.
    boundary = int(codes.counts.thresholds[codes.circuit.edges_of(node).start])
    settled: Callable[[int], int | None] = lambda word: circuit_draws._settled(codes.counts, node, word, 62)  # noqa: E731
    assert settled(boundary) is None
    assert {settled(boundary - 1), settled(boundary + 1)} == set(codes.circuit.edges_of(node))
    longer = [circuit_draws._settled(codes.counts, node, (boundary << 62) + word, 124) for word in (0, BIG - 1)]
    assert set(longer) == set(codes.circuit.edges_of(node))


@pytest.mark.usefixtures("_compiler")
def test_an_optimizer_stays_inside_and_says_when_nothing_is_left() -> None:
    optimizer = Optimizer(*parity(6), seed=0, engine="d-DNNF")
    assert isinstance(optimizer.feasible.codes, CircuitSet)
    total = optimizer.feasible.count
    seen = set()
    for value in range(total):
        point = optimizer.ask()
        assert point in optimizer.feasible
        seen.add(frozen(point))
        optimizer.tell(point, float(value % 7))
    assert len(seen) == total
    with pytest.raises(SpaceExhausted):
        optimizer.ask()


@pytest.mark.usefixtures("_compiler")
def test_copies_and_the_doctor() -> None:
    feasible = FeasibleSet(*parity(12), engine="d-DNNF")
    copy = pickle.loads(pickle.dumps(feasible))  # noqa: S301 - our own bytes
    assert copy.sample(3, seed=1) == feasible.sample(3, seed=1)
    diagnosis = feasible.doctor()
    assert "1 d-DNNF with" in str(diagnosis) and "exact" in diagnosis.engine
    json.dumps(diagnosis.to_dict())


@pytest.mark.usefixtures("_compiler")
def test_contradictions_are_named() -> None:
    space, rules = parity(9)
    named = {f"parity {i}": rule for i, rule in enumerate(rules)} | {"all": "count(x[:3]) == 3"}
    with pytest.raises(InfeasibleError) as caught:
        FeasibleSet(space, named, engine="d-DNNF")
    assert caught.value.rules == ("parity 0", "all")


def test_a_missing_compiler_is_said_and_changes_nothing_that_is_feasible(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clause_compiler, "is_installed", lambda: False)
    with pytest.warns(UserWarning, match="d4Solver is not installed"):
        feasible = FeasibleSet(*parity(7), engine="d-DNNF")
    assert feasible.engine == "diagram" and feasible.count == 2**5


def test_a_compiler_that_gives_up_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clause_compiler, "is_installed", lambda: True)
    monkeypatch.setattr(clause_compiler, "_run", lambda arguments: None)
    with pytest.warns(UserWarning, match="gave up"):
        feasible = FeasibleSet(*parity(7), engine="d-DNNF")
    assert feasible.count == 2**5


def test_how_entangled_clauses_are() -> None:
    assert elimination_width([(i, -i - 1) for i in range(1, 50)], 10) == 1
    assert elimination_width([(a, b) for a in range(1, 7) for b in range(1, a)], 10) == 5
    grid = [(6 * i + j + 1, 6 * i + j + 2) for i in range(6) for j in range(5)]
    grid += [(6 * i + j + 1, 6 * i + j + 7) for i in range(5) for j in range(6)]
    assert 6 <= elimination_width(grid, 20) <= 9
    assert elimination_width(grid, 3) == 4
    assert elimination_width([tuple(range(1, 30))], 5) == 0


def test_an_engine_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ArgumentError, match="engine"):
        FeasibleSet(Space({"x": [1, 2]}), engine="magic")  # type: ignore[arg-type]


@pytest.mark.skipif(not HAS_D4, reason="no d4Solver")
def test_rules_beyond_one_diagram_are_exact_with_d4() -> None:
    rng = np.random.default_rng(0)
    rules = [f"not x[{i}] or x[{int(rng.integers(max(0, i - 40), i))}]" for i in range(1, 200)]
    rules += [f"not x[{a}] or not x[{b}]" for a, b in rng.choice(200, (40, 2))]
    feasible = FeasibleSet(Space({"x": Vector(bool, 200)}), rules)
    assert feasible.engine == "d-DNNF" and feasible.sampling == "uniform"
    assert all(point in feasible for point in feasible.sample(5, seed=0))

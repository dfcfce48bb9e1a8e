"""Every promise on fresh problems, on every engine and on engines combined, against plain Python."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from hedgerow import FeasibleSet, Integer, Space, Vector
from hedgerow.checks import Engine
from hedgerow.feasible.engines import choice, circuit_sums, clause_compiler, cnf, hung
from hedgerow.feasible.engines.circuit_set import CircuitSet
from hedgerow.feasible.engines.product import ProductSet
from hedgerow.feasible.engines.relaxed import RelaxedSet
from hedgerow.feasible.engines.union import UnionSet
from hedgerow.space import Point
from tests.feasible.engines.fresh import KINDS, all_points, check_promises, fresh_rules, fresh_space
from tests.feasible.engines.small_compiler import compile_file
from tests.oracles import frozen

# The second one: nothing fits the diagram, so that every row comes from the solver.
ENGINES: list[tuple[Engine, int | None]] = [("diagram", None), ("diagram", 1), ("solver", None), ("d-DNNF", None)]


@pytest.fixture(autouse=True)
def _small_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clause_compiler, "is_installed", lambda: True)
    monkeypatch.setattr(clause_compiler, "_run", lambda arguments: compile_file(*arguments[:2]))


@pytest.fixture
def _only_clauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave no rule small enough to be written as clauses but those that are clauses."""
    for name in ("_MAX_EDGES", "_MAX_EDGES_OF_FEW"):
        monkeypatch.setattr(cnf, name, 40)
    for name in ("_MAX_WIDTH", "_MAX_WIDTH_OF_FEW"):
        monkeypatch.setattr(cnf, name, 3)


def problem(kind: str, seed: int) -> tuple[Space, list[str], list[Point]]:
    """Return a space, rules as text, and the points that keep them by plain Python; seeds without any are passed."""
    space = fresh_space()
    while True:
        rules = fresh_rules(kind, seed)
        expected = [point for point in all_points(space) if all(holds(point) for _, holds in rules)]
        if expected:
            return space, [text for text, _ in rules], expected
        seed += 1000


@pytest.mark.filterwarnings("ignore::hedgerow.errors.RuleWarning")
@pytest.mark.parametrize(("engine", "node_budget"), ENGINES)
@pytest.mark.parametrize("kind", KINDS)
def test_every_engine_keeps_every_promise(kind: str, engine: Engine, node_budget: int | None) -> None:
    space, rules, expected = problem(kind, 7)
    check_promises(FeasibleSet(space, rules, engine=engine, node_budget=node_budget), expected, 7)


@pytest.mark.filterwarnings("ignore::hedgerow.errors.RuleWarning")
@pytest.mark.usefixtures("_only_clauses")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_engines_combined_keep_every_promise(kind: str, seed: int) -> None:
    space, rules, expected = problem(kind, seed)
    feasible = FeasibleSet(space, rules, engine="d-DNNF")
    assert feasible.is_exact
    check_promises(feasible, expected, seed)


@pytest.mark.filterwarnings("ignore::hedgerow.errors.RuleWarning")
@pytest.mark.usefixtures("_only_clauses")
@pytest.mark.parametrize("kind", ["all different", "product"])
def test_rules_beside_a_circuit_are_kept(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hung, "_MAX_WAYS", 0)
    space, rules, expected = problem(kind, 2)
    feasible = FeasibleSet(space, [*rules, *TIES], engine="d-DNNF")
    kept = [point for point in expected if _keeps_ties(point)]
    assert isinstance(feasible.codes, RelaxedSet)
    assert (feasible.is_exact, feasible.sampling, feasible.engine) == (False, "uniform", "d-DNNF")
    assert feasible.doctor().residual_rules
    check_promises(feasible, kept, 2)


# These tie everything but the last variable together.
TIES = ["b[0] or b[1] or n[0] < 3", "b[1] or b[2] or n[1] > 0", "b[3] or b[4] or c != 'u'", "b[2] or b[3] or c != 'v'"]


def _keeps_ties(point: Point) -> bool:
    flags, numbers, label = point["b"], point["n"], point["c"]
    first = (flags[0] or flags[1] or numbers[0] < 3) and (flags[1] or flags[2] or numbers[1] > 0)
    return bool(first and (flags[3] or flags[4] or label != "u") and (flags[2] or flags[3] or label != "v"))


@pytest.mark.usefixtures("_only_clauses")
def test_what_holds_a_mix_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    space = Space({"b": Vector(bool, 6), "n": Vector(Integer(1, 4), 3), "k": Vector(Integer(0, 5), 2)})
    clauses = [f"b[{i}] or not b[{(i + 1) % 6}]" for i in range(6)]
    with_sum = FeasibleSet(space, [*clauses, "3 * b[0] + 2 * b[1] + k[0] + k[1] <= 6", "b[2] or k[0] != 3"])
    assert with_sum.codes.description.startswith("1 diagram") and with_sum.engine == "diagram"
    with_sum = FeasibleSet(space, [*clauses, "3 * b[0] + 2 * b[1] + k[0] + k[1] <= 6"], engine="d-DNNF")
    assert isinstance(with_sum.codes, CircuitSet) and "1 sum in it" in with_sum.doctor().engine
    tied = [*clauses, "all_different(n)", "n[0] * n[1] + n[2] <= 9", "b[0] or n[0] > 1"]
    combined = FeasibleSet(space, tied, engine="d-DNNF")
    assert isinstance(combined.codes, UnionSet)
    assert combined.codes.description.startswith("1 diagram with") and "1 d-DNNF" in combined.codes.description
    monkeypatch.setattr(choice, "_QUICK_WORK", 0)
    monkeypatch.setattr(choice, "_MORE_WORK", 0)
    apart = FeasibleSet(space, [*tied, "(k[0] * k[1]) % 5 == 1"], engine="d-DNNF")
    assert isinstance(apart.codes, ProductSet) and apart.is_exact
    assert apart.count * 36 == combined.count * sum(a * b % 5 == 1 for a in range(6) for b in range(6))


@pytest.mark.usefixtures("_only_clauses")
def test_draws_of_engines_combined_are_uniform(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "_QUICK_WORK", 0)
    monkeypatch.setattr(choice, "_MORE_WORK", 0)
    space = Space({"b": Vector(bool, 3), "n": Vector(Integer(1, 3), 3)})
    for rules in (
        ["b[0] or b[1]", "all_different(n)", "b[2] or n[0] > 1"],
        ["b[0] or b[1]", "b[1] or not b[2]", "b[0] + b[1] + 2 * b[2] + n[0] + 2 * n[1] + n[2] == 7"],
    ):
        feasible = FeasibleSet(space, rules, engine="d-DNNF")
        assert isinstance(feasible.codes, CircuitSet | ProductSet)
        n_each = 400
        seen = Counter(frozen(point) for point in feasible.sample(n_each * feasible.count, seed=1))
        assert len(seen) == feasible.count
        # The sum of squares has this many degrees of freedom; six deviations above is out of the question.
        free = feasible.count - 1
        assert sum((n - n_each) ** 2 for n in seen.values()) / n_each < free + 6 * np.sqrt(2 * free)


def test_a_sum_too_large_for_the_circuit_is_checked_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(circuit_sums, "_MAX_PAIRS", 20)
    for name in ("_MAX_WIDTH", "_MAX_WIDTH_OF_FEW"):
        monkeypatch.setattr(cnf, name, 3)
    space = Space({"b": Vector(bool, 9)})
    clauses = [f"b[{i}] or not b[{(i + 1) % 9}] or b[{(i + 4) % 9}]" for i in range(9)]
    total = " + ".join(f"{i + 2} * b[{i}]" for i in range(9))
    feasible = FeasibleSet(space, [*clauses, f"{total} <= 30", f"{total} >= 10"], engine="d-DNNF")
    assert isinstance(feasible.codes, RelaxedSet) and not feasible.is_exact
    whole = FeasibleSet(space, [*clauses, f"{total} <= 30", f"{total} >= 10"], engine="diagram")
    assert Counter(map(frozen, feasible)) == Counter(map(frozen, whole))

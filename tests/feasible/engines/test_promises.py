"""Every promise on every engine: fresh families of rules, held by each engine in turn and compared with brute force."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from hedgerow import FeasibleSet, InfeasibleError, Optimizer, SpaceExhausted
from hedgerow.checks import Engine
from hedgerow.feasible.engines import clause_compiler
from tests.feasible.engines.small_compiler import compile_file
from tests.feasible.engines.test_circuit import all_points, distance, random_problem
from tests.oracles import frozen

# The second one: nothing fits the diagram, so that every row comes from the solver.
ENGINES: list[tuple[Engine, int | None]] = [("diagram", None), ("diagram", 1), ("solver", None), ("d-DNNF", None)]


@pytest.fixture(autouse=True)
def _small_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clause_compiler, "is_installed", lambda: True)
    monkeypatch.setattr(clause_compiler, "_run", lambda arguments: compile_file(*arguments[:2]))


@pytest.mark.filterwarnings("ignore::hedgerow.errors.RuleWarning")
@pytest.mark.parametrize(("engine", "node_budget"), ENGINES)
@pytest.mark.parametrize("seed", range(100, 103))
def test_every_promise_holds(engine: Engine, node_budget: int | None, seed: int) -> None:
    space, rules = random_problem(seed)
    rules += [f"c != '{'uvwz'[seed % 4]}' or b[3]", "n[0] == 1 or b[0]", "b[1] != b[2]"]
    feasible = FeasibleSet(space, rules, engine=engine, node_budget=node_budget)
    # What holds is asked of the rules themselves, one point at a time.
    expected = [point for point in all_points(space) if feasible.explain(point).is_feasible]
    assert expected
    assert [point in feasible for point in all_points(space)] == [point in expected for point in all_points(space)]
    if feasible.is_exact:
        assert feasible.count == len(expected)
    assert Counter(map(frozen, feasible)) == Counter(map(frozen, expected))
    assert all(point in expected for point in feasible.sample(5, seed=seed))
    rng = np.random.default_rng(seed)
    everything = all_points(space)
    for place in rng.integers(0, len(everything), 2).tolist():
        point = everything[place]
        nearest = min(distance(point, other) for other in expected)
        assert distance(feasible.repair(point), point) == nearest
        near = [frozen(other) for other in expected if distance(point, other) == 1]
        assert Counter(map(frozen, feasible.neighbors(point))) == Counter(near)
        partial = {"c": point["c"], "b": [point["b"][0], None, None, None]}
        left = [other for other in expected if other["c"] == point["c"] and other["b"][0] == point["b"][0]]
        if left:
            assert all(found in left for found in feasible.completions(partial).sample(2, seed=seed))
        else:
            with pytest.raises(InfeasibleError):
                feasible.completions(partial).sample(1, seed=seed)
    scores = {"c": {"u": 0.5, "v": -1.0}, "b": [{True: 1.0}, {True: -0.25}, {}, {False: 2.0}]}
    (best,) = feasible.best(scores)
    assert _score(best) == max(map(_score, expected))


def _score(point: dict[str, object]) -> float:
    flags = point["b"]
    assert isinstance(flags, list)
    by_label = {"u": 0.5, "v": -1.0}.get(str(point["c"]), 0.0)
    return float(by_label + flags[0] - 0.25 * flags[1] + 2.0 * (not flags[3]))


@pytest.mark.filterwarnings("ignore::hedgerow.errors.RuleWarning")
@pytest.mark.parametrize(("engine", "node_budget"), ENGINES)
def test_every_point_is_asked_once_and_the_end_is_said(engine: Engine, node_budget: int | None) -> None:
    space, rules = random_problem(100)
    rules += ["n[0] == 1 or n[1] == 1", "b[1] != b[2]", "c == 'u' or c == 'z'", "b[3] or c == 'z'"]
    optimizer = Optimizer(space, rules, engine=engine, node_budget=node_budget, seed=0, method="random")
    expected = {frozen(point) for point in all_points(space) if optimizer.feasible.explain(point).is_feasible}
    asked = optimizer.ask(len(expected))
    assert {frozen(point) for point in asked} == expected
    with pytest.raises(SpaceExhausted):
        optimizer.ask()

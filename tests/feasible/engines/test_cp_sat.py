"""The solver against brute force: its rows are the feasible rows, all of them, and its best is the best."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow import Integer, Space, Vector
from hedgerow.arrays import Codes
from hedgerow.errors import HedgerowError
from hedgerow.feasible.compile import compile_rules
from hedgerow.feasible.engines.checker import RuleChecker
from hedgerow.feasible.engines.cp_sat import RuleSolver
from hedgerow.feasible.engines.cp_sat_model import CodeModel, Search
from hedgerow.rules import bind_rules
from tests.oracles import BruteForce
from tests.strategies import Problem, examples, problems


def solver_for(space: Space, texts: list[str] | tuple[str, ...]) -> RuleSolver:
    """A solver that has no diagrams to fall back on."""
    rules = bind_rules(space, texts)
    compiled = compile_rules(space, rules, node_budget=1)
    domains = [slot.variable.values for slot in space.slots]
    checker = RuleChecker(compiled.parts, compiled.order, domains)
    return RuleSolver(compiled.parts, compiled.order, domains, checker.accepts)


def listed(solver: RuleSolver, n_slots: int, limit: int) -> list[tuple[int, ...]]:
    rng = np.random.default_rng(0)
    rows: list[Codes] = []
    while len(rows) <= limit:
        answer = solver.find(rng, excluded=rows)
        if answer.row is None:
            assert answer.is_proven
            break
        assert answer.row.shape == (n_slots,)
        rows.append(answer.row)
    return [tuple(row.tolist()) for row in rows]


@pytest.fixture(params=["with tables", "without tables"], autouse=True)
def tables(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small parts of rules are tabulated; without tables every other way must be right as well."""
    if request.param == "without tables":
        monkeypatch.setattr("hedgerow.feasible.engines.cp_sat_values._MAX_TABLE", 0)


@pytest.mark.filterwarnings("ignore::hedgerow.errors.RuleWarning")
@examples(60)
@given(problems(max_rules=3))
def test_the_solver_finds_the_feasible_rows_and_no_others(problem: Problem) -> None:
    brute = BruteForce(problem.space, problem.rules)
    if len(brute.feasible_rows) > 40:
        return
    found = listed(solver_for(problem.space, problem.texts), len(problem.space.slots), 41)
    assert sorted(found) == sorted(brute.feasible_rows)


@pytest.mark.filterwarnings("ignore::hedgerow.errors.RuleWarning")
@examples(60)
@given(problems(max_rules=3), st.integers(0, 2**32))
def test_the_best_row_is_the_best(problem: Problem, seed: int) -> None:
    brute = BruteForce(problem.space, problem.rules)
    scores = [
        np.random.default_rng([seed, slot]).integers(-9, 9, size) for slot, size in enumerate(problem.space.sizes)
    ]
    solver = solver_for(problem.space, problem.texts)
    answer = solver.best(scores)
    if not answer.is_proven:
        assert not solver.is_exact
        return
    if not brute.feasible_rows:
        assert answer.row is None
        return
    assert answer.row is not None
    total = sum(int(score[code]) for score, code in zip(scores, answer.row, strict=True))
    assert total == max(
        sum(int(score[code]) for score, code in zip(scores, row, strict=True)) for row in brute.feasible_rows
    )


@pytest.mark.parametrize(
    "rule",
    [
        "x[0] * x[1] * x[2] * x[3] == 24",
        "x[0] * x[1] * x[2] * x[3] != 24",
        "x[0] * x[1] * x[2] * x[3] <= 24",
        "x[0] == 1 or x[0] * x[1] * x[2] * x[3] > 300",
        "x[0] // x[1] + x[2] % x[3] == 3",
        "0.1 * x[0] + 0.2 * x[1] == 0.3 * x[2]",
        "abs(0.1 * x[0] - 0.1 * x[1] + 0.3) < 0.25",
        "x[0] ** 0.5 + x[1] ** 0.5 + x[2] ** 0.5 <= 4.2",
        "max(x) - min(x) == count(x == 2)",
        "all_different(x, ignore=2)",
        "contains(x, [1, 2])",
        "longest_run(x) == 2",
    ],
)
def test_each_kind_of_rule_is_exact(rule: str) -> None:
    space = Space({"x": Vector(Integer(1, 5), 4)})
    bound = bind_rules(space, [rule])
    rows = np.stack(np.meshgrid(*[np.arange(5)] * 4, indexing="ij"), axis=-1).reshape(-1, 4)
    expected = {tuple(row.tolist()) for row in rows if bound[0].holds([int(code) + 1 for code in row])}
    solver = solver_for(space, [rule])
    answers = [solver.find(np.random.default_rng(seed)) for seed in range(20)]
    assert all(answer.row is not None and tuple(answer.row.tolist()) in expected for answer in answers)
    scores = [np.random.default_rng(slot).integers(-50, 50, 5) for slot in range(4)]
    best = solver.best(scores)
    assert best.row is not None and best.is_proven
    assert sum(scores[i][c] for i, c in enumerate(best.row)) == max(
        sum(scores[i][c] for i, c in enumerate(row)) for row in expected
    )


def test_a_model_that_the_solver_refuses_is_no_effort_that_ran_out() -> None:
    model = CodeModel((2, 2))
    model.maximize([np.array([0, 2**62]), np.array([0, 2**62])])
    with pytest.raises(HedgerowError, match="overflow"):
        model.solve(Search(1.0))

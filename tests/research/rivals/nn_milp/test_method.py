"""NN+MILP as a method: exact suggestions by either solver, and what happens at its limits."""

import sys
import warnings
from typing import Literal

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.arrays import Codes
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from hedgerow.search.suggestion import RowSuggestion
from hedgerow.space import decode
from research.problems import get_problem
from research.rivals import NNMILP

SPACE = hr.Space({"x": hr.Vector(hr.Integer(0, 3), 3), "kind": ["a", "b", "c"], "flag": bool})
RULES = ["sum(x) == 4", "kind != 'a' or flag", "x[0] <= x[1] or kind == 'c'"]
WORST = 50.0


def code_problem(space: hr.Space = SPACE, rules: list[str] | None = None) -> CodeProblem:
    return CodeProblem(hr.FeasibleSet(space, RULES if rules is None else rules))


def value(problem: CodeProblem, row: Codes) -> float:
    if not problem.feasible.accepts(row[None, :])[0]:
        return WORST
    point = decode(problem.space, row)
    distance = sum((v - i) ** 2 for i, v in enumerate(point["x"]))
    return float(distance + (point["kind"] == "b") - 0.5 * point["flag"])


def history_of(problem: CodeProblem, rows: list[Codes]) -> History:
    codes = np.array(rows, dtype=np.int64).reshape(len(rows), -1)
    values = np.array([value(problem, row) for row in rows])
    return History(codes, values, np.zeros((0, codes.shape[1]), np.int64))


def run(method: NNMILP, n: int, seed: int = 0) -> list[RowSuggestion]:
    problem = code_problem()
    started = method.start(problem)
    found: list[RowSuggestion] = []
    for _ in range(n):
        rows = [one.codes for one in found]
        history = history_of(problem, rows) if rows else History.empty(len(SPACE.slots))
        found.append(started.suggest(history, seed))
    return found


@pytest.fixture(name="ortools", autouse=True)
def ortools_fixture(request: pytest.FixtureRequest) -> None:
    if "without" not in request.node.name:
        pytest.importorskip("ortools", reason="OR-Tools is not installed: pip install 'hedgerow[research]'")


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ortools", None)
    monkeypatch.setitem(sys.modules, "ortools.linear_solver.python.model_builder_helper", None)
    with pytest.raises(hr.HedgerowError, match=r"needs ortools.*hedgerow\[research\].*solver='list'"):
        NNMILP().start(code_problem())


@pytest.mark.parametrize("respect_rules", [True, False])
def test_both_solvers_find_the_same_lowest_prediction(respect_rules: bool) -> None:
    problem = code_problem()
    rows = list(problem.feasible.draw(12, np.random.default_rng(1)))
    milp, listed = (
        NNMILP(respect_rules=respect_rules, n_epochs=200, solver=solver).start(problem) for solver in ("milp", "list")
    )
    for n in range(3, 13):
        history = history_of(problem, rows[:n])
        ours, theirs = milp.suggest(history, 7), listed.suggest(history, 7)
        network = milp._network(history, 7)
        assert ours.is_exact and theirs.is_exact
        predictions = network.predict(np.array([ours.codes, theirs.codes]))
        assert predictions[0] == pytest.approx(predictions[1], abs=1e-5)


def test_the_optimum_is_found_and_nothing_is_suggested_twice() -> None:
    problem = code_problem()
    rows = np.array([found.codes for found in run(NNMILP(n_epochs=300), 30)])
    listed = problem.listed(10_000)
    assert listed is not None
    assert min(value(problem, row) for row in rows) == min(value(problem, row) for row in listed)
    assert np.unique(rows, axis=0).shape == rows.shape


@pytest.mark.parametrize("carries_weights", [True, False])
def test_a_new_process_rebuilds_the_network_from_the_history(carries_weights: bool) -> None:
    problem = code_problem()
    method = NNMILP(n_epochs=150, n_start=3, carries_weights=carries_weights)
    found = run(method, 10, seed=4)
    history = history_of(problem, [one.codes for one in found[:9]])
    again = method.start(problem).suggest(history, 4)
    np.testing.assert_array_equal(again.codes, found[9].codes)


def test_the_network_of_another_history_is_not_used() -> None:
    problem = code_problem()
    rows = list(problem.feasible.draw(12, np.random.default_rng(2)))
    started = NNMILP(n_epochs=100).start(problem)
    started.suggest(history_of(problem, rows[:8]), 0)
    other = history_of(problem, rows[::-1])
    fresh = NNMILP(n_epochs=100).start(problem)
    np.testing.assert_array_equal(started._network(other, 0).state, fresh._network(other, 0).state)


def test_pending_rows_are_not_suggested() -> None:
    problem = code_problem()
    told = history_of(problem, list(problem.feasible.draw(6, np.random.default_rng(3))))
    started = NNMILP(n_epochs=100).start(problem)
    pending = told.pending
    for _ in range(5):
        row = started.suggest(History(told.codes, told.values, pending), 0).codes
        assert row.tolist() not in pending.tolist()
        pending = np.concatenate([pending, row[None, :]])


def test_the_variant_without_rules_starts_inside_them_and_may_then_break_them() -> None:
    method = NNMILP(respect_rules=False, n_start=20, n_epochs=100)
    assert method.may_break_rules and not NNMILP().may_break_rules
    assert (NNMILP.unaware().n_start, NNMILP.unaware().respect_rules) == (50, False)
    rows = np.array([found.codes for found in run(method, 25)])
    accepted = code_problem().feasible.accepts(rows)
    assert accepted[0]
    assert not accepted.all()
    assert np.unique(rows, axis=0).shape == rows.shape


@pytest.mark.parametrize("limits", [{"max_nodes": 1}, {"time_limit": 1e-4}])
def test_a_limit_that_runs_out_leaves_a_feasible_row_that_is_not_called_exact(limits: dict[str, float]) -> None:
    problem = code_problem(hr.Space({"x": hr.Vector(bool, 30)}), ["sum(x) == 15"])
    rng = np.random.default_rng(0)
    rows = problem.feasible.draw(150, rng)
    history = History(rows, rng.normal(size=150), rows[:0])
    found = NNMILP(n_start=150, **limits).start(problem).suggest(history, 0)  # type: ignore[arg-type]
    assert not found.is_exact
    assert problem.feasible.accepts(found.codes[None, :])[0]
    assert not history.is_seen(found.codes[None, :])[0]


@pytest.mark.parametrize("solver", ["milp", "list"])
def test_a_set_without_untried_rows_is_exhausted(solver: Literal["milp", "list"]) -> None:
    problem = code_problem()
    rows = problem.listed(10_000)
    assert rows is not None
    history = history_of(problem, list(rows))
    with pytest.raises(hr.SpaceExhausted, match="nothing is left to ask"):
        NNMILP(n_epochs=1, solver=solver).start(problem).suggest(history, 0)


def test_ten_to_the_tenth_points_are_no_trouble() -> None:
    problem = get_problem("ackley-10d")
    optimizer = hr.Optimizer(problem.space, problem.rules, method=NNMILP(n_epochs=200))
    assert problem.objective is not None
    for _ in range(6):
        point = optimizer.ask()
        assert point in optimizer.feasible
        optimizer.tell(point, problem.objective(point))


def test_a_set_too_large_to_list_is_refused_at_once() -> None:
    with pytest.raises(hr.EffortExceeded, match="solver='milp'"):
        NNMILP(solver="list").start(code_problem(hr.Space({"x": hr.Vector(bool, 40)}), []))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"solver": "mlip"}, "no solver 'mlip'.*milp"),
        ({"n_epochs": 0}, "n_epochs must be at least 1"),
        ({"time_limit": 0.0}, "time_limit and learning_rate must be above 0"),
    ],
)
def test_impossible_settings_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(hr.HedgerowError, match=message):
        NNMILP(**settings)  # type: ignore[arg-type]


def test_equal_values_raise_no_warning() -> None:
    problem = code_problem()
    rows = problem.feasible.draw(4, np.random.default_rng(5))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = NNMILP(n_epochs=50).start(problem).suggest(History(rows, np.full(4, 2.0), rows[:0]), 0)
    assert found.is_exact

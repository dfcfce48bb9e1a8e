"""What every rival that may break rules must do: begin inside them, be a pure function, and survive any values.

The experiments drive runs directly, with the task's worst value for points that break a rule.
"""

import math
from collections.abc import Callable

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.arrays import Codes
from hedgerow.methods import Method
from hedgerow.methods.history import History
from hedgerow.methods.method import MethodRun
from hedgerow.methods.problem import CodeProblem
from research.rivals import PROTES, SMAC, TPE, GaussianProcess, OptunaGP

WORST = 20.0
# SMAC turns to its model after a quarter of its trials; both variants of PROTES do the same but for their beginning.
RIVALS: dict[str, tuple[str, Callable[[], Method]]] = {
    "tpe-u": ("optuna", TPE),
    "tpe-c": ("optuna", lambda: TPE(n_offline=30, infeasible_value=WORST)),
    "optuna-gp": ("torch", OptunaGP),
    "gp-u": ("scipy", GaussianProcess),
    "gp-c": ("scipy", lambda: GaussianProcess(n_offline=30, infeasible_value=WORST)),
    "gp-searched": ("scipy", lambda: GaussianProcess(max_listed=10, n_drawn=50)),
    "protes-c": ("protes", lambda: PROTES(knows_rules=True, n_batch=6, n_top=2)),
    "smac": ("smac", lambda: SMAC(n_trials=20)),
}
SPACE = hr.Space({"x": hr.Vector(hr.Integer(0, 3), 2), "kind": ["a", "b", "c"], "only": [7], "flag": bool})
RULES = ["sum(x) <= 4", "kind != 'a' or flag"]

Values = Callable[[Codes], float]


@pytest.fixture(params=RIVALS, name="method")
def method_fixture(request: pytest.FixtureRequest) -> Method:
    package, build = RIVALS[request.param]
    pytest.importorskip(package)
    return build()


@pytest.fixture(name="problem")
def problem_fixture() -> CodeProblem:
    return CodeProblem(hr.FeasibleSet(SPACE, RULES))


def bowl(row: Codes) -> float:
    return float(((row - 1) ** 2).sum())


def told(history: History, row: Codes, value: float) -> History:
    return History(np.vstack([history.codes, row]), np.append(history.values, value), history.pending)


def driven(run: MethodRun, problem: CodeProblem, n: int, values: Values = bowl, seed: int = 3) -> History:
    history = History.empty(len(problem.space.slots))
    for _ in range(n):
        row = run.suggest(history, seed).codes
        is_feasible = problem.feasible.accepts(row[None, :])[0]
        history = told(history, row, values(row) if is_feasible else WORST)
    return history


def test_replaying_a_history_gives_what_going_on_gives(method: Method, problem: CodeProblem) -> None:
    run = method.start(problem)
    history = driven(run, problem, 15)
    going_on = run.suggest(history, 3).codes
    assert method.start(problem).suggest(history, 3).codes.tolist() == going_on.tolist()
    # What a run remembers must not leak into another history or seed, nor asking into the next ask.
    other = History(history.codes[:8], history.values[:8][::-1].copy(), history.pending)
    assert run.suggest(other, 4).codes.tolist() == method.start(problem).suggest(other, 4).codes.tolist()
    assert run.suggest(history, 3).codes.tolist() == going_on.tolist()
    assert run.suggest(history, 3).codes.tolist() == going_on.tolist()


def test_the_first_trial_is_a_feasible_draw(method: Method, problem: CodeProblem) -> None:
    empty = History.empty(5)
    rows = np.array([method.start(problem).suggest(empty, seed).codes for seed in range(12)])
    assert problem.feasible.accepts(rows).all()
    assert len({row.tobytes() for row in rows}) > 4


def test_seeds_differ(method: Method, problem: CodeProblem) -> None:
    histories = [driven(method.start(problem), problem, 8, seed=seed) for seed in (0, 1)]
    assert histories[0].codes.tolist() != histories[1].codes.tolist()


@pytest.mark.parametrize(
    "values",
    [
        pytest.param(lambda _: 5.0, id="constant"),
        pytest.param(lambda row: math.nan if row.sum() % 2 else bowl(row), id="failing"),
        pytest.param(lambda row: -bowl(row), id="negative"),
    ],
)
def test_values_of_any_kind_are_no_trouble(method: Method, problem: CodeProblem, values: Values) -> None:
    history = driven(method.start(problem), problem, 14, values)
    assert history.n_told == 14
    assert (history.codes >= 0).all()
    assert (history.codes < np.array(problem.space.sizes)).all()


def test_nothing_but_failures_is_no_end(method: Method, problem: CodeProblem) -> None:
    assert driven(method.start(problem), problem, 8, lambda _: math.nan).n_told == 8


def test_one_variable_is_enough(method: Method) -> None:
    problem = CodeProblem(hr.FeasibleSet(hr.Space({"x": hr.Integer(0, 40)}), ["x % 2 == 0"]))
    history = driven(method.start(problem), problem, 9)
    assert history.n_told == 9


def test_pending_rows_change_nothing_for_later(method: Method, problem: CodeProblem) -> None:
    run = method.start(problem)
    history = driven(run, problem, 5)
    expected = run.suggest(history, 3).codes
    run.suggest(History(history.codes, history.values, expected[None, :]), 3)
    assert run.suggest(history, 3).codes.tolist() == expected.tolist()

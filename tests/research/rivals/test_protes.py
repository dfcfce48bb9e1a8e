"""PROTES as a rival: the package's own batches, begun inside the rules in its variant -c."""

import math
from typing import Any

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.arrays import Codes
from hedgerow.errors import HedgerowError
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from research.rivals import PROTES
from research.rivals.protes import ProtesRun, jax_seed

SPACE = hr.Space({"x": hr.Vector(hr.Integer(0, 3), 3), "kind": ["a", "b", "c"], "flag": bool})
RULES = ["sum(x) == 4", "kind != 'a' or flag", "x[0] <= x[1] or kind == 'c'"]


@pytest.fixture(name="problem")
def problem_fixture() -> CodeProblem:
    pytest.importorskip("protes")
    pytest.importorskip("jax")
    return CodeProblem(hr.FeasibleSet(SPACE, RULES))


def distance(codes: Codes) -> float:
    return float(((codes - 1) ** 2).sum())


def batch_of(run: ProtesRun, history: History, n: int) -> Codes:
    """Return the next n rows, asked one after another without telling."""
    rows: list[Codes] = []
    for _ in range(n):
        pending = np.array(rows, dtype=np.int64).reshape(-1, history.codes.shape[1])
        rows.append(run.suggest(History(history.codes, history.values, pending), seed=5).codes)
    return np.array(rows)


def extended(history: History, rows: Codes) -> History:
    values = np.array([distance(row) for row in rows])
    return History(np.concatenate([history.codes, rows]), np.concatenate([history.values, values]), history.pending[:0])


def first_told(problem: CodeProblem) -> History:
    return extended(History.empty(5), problem.feasible.draw(1, np.random.default_rng(0)))


def test_the_first_batch_of_a_train_that_knows_the_rules_is_feasible(problem: CodeProblem) -> None:
    # Beyond a batch that has not been told, the same train is drawn from.
    rows = batch_of(PROTES(knows_rules=True, n_batch=20).start(problem), first_told(problem), 400)
    assert problem.feasible.accepts(rows).all()
    # Uniform draws leave out a given one of the feasible rows with probability (1 - 1/count)^400.
    assert len({row.tobytes() for row in rows}) > 0.9 * problem.feasible.count


def test_a_single_feasible_point_is_all_of_the_first_batch() -> None:
    alone = CodeProblem(hr.FeasibleSet(hr.Space({"x": [1, 2], "y": [1, 2, 3]}), ["x + y == 5"]))
    history = History(np.array([[1, 2]]), np.array([1.0]), np.zeros((0, 2), np.int64))
    run = PROTES(knows_rules=True, n_batch=7).start(alone)
    # Gradient steps may leave the rules, so only what comes before the first of them is certain.
    for _ in range(7):
        row = run.suggest(history, 0).codes
        assert row.tolist() == [1, 2]
        history = History(np.vstack([history.codes, row]), np.append(history.values, 1.0), history.pending)


@pytest.mark.parametrize("sizes", [(4, 4, 4, 3, 2), (7, 5)])
def test_batches_are_those_of_the_package(problem: CodeProblem, sizes: tuple[int, ...]) -> None:
    jax = pytest.importorskip("jax")
    package = pytest.importorskip("protes")
    free = CodeProblem(hr.FeasibleSet(hr.Space({f"x{k}": list(range(n)) for k, n in enumerate(sizes)})))
    theirs: list[Codes] = []

    def objective(rows: Any) -> Any:
        theirs.append(np.asarray(rows, dtype=np.int64))
        return np.array([distance(row) for row in theirs[-1]])

    with jax.experimental.enable_x64():
        package.protes_general(objective, list(sizes), m=60, k=20, k_top=4, r=3, seed=jax_seed(5), info={})
    run = PROTES(n_batch=20, n_top=4, rank=3).start(free)
    history = extended(History.empty(len(sizes)), np.zeros((1, len(sizes)), np.int64))
    for rows in theirs:
        ours = batch_of(run, history, 20)
        assert ours.tolist() == rows.tolist()
        history = extended(history, ours)
    assert len(theirs) == 3


def test_pending_trials_beyond_a_batch_are_further_draws(problem: CodeProblem) -> None:
    history = first_told(problem)
    rows = batch_of(PROTES(knows_rules=True, n_batch=20).start(problem), history, 45)
    assert rows[:20].tolist() != rows[20:40].tolist()
    assert problem.feasible.accepts(rows).all()


def test_a_batch_of_failures_teaches_nothing_and_a_failure_is_worst(problem: CodeProblem) -> None:
    run = PROTES(knows_rules=True, n_batch=20, n_top=2).start(problem)
    history = first_told(problem)
    for values in (np.full(20, math.nan), np.tile([math.nan, 1.0, math.inf, 2.0, 0.5], 4)):
        rows = batch_of(run, history, 20)
        assert np.isfinite(np.concatenate([np.ravel(core) for core in run.cores])).all()
        history = History(np.vstack([history.codes, rows]), np.append(history.values, values), history.pending)
    fresh = PROTES(knows_rules=True, n_batch=20, n_top=2).start(problem)
    assert fresh.suggest(history, 5).codes.tolist() == run.suggest(history, 5).codes.tolist()


def test_rows_outside_the_train_do_not_break_it(problem: CodeProblem) -> None:
    run = PROTES(knows_rules=True, n_batch=20, n_top=2).start(problem)
    broken = np.zeros((21, 5), dtype=np.int64)
    row = run.suggest(History(broken, np.arange(21.0), broken[:0]), 0).codes
    assert problem.feasible.accepts(row[None, :])[0]


def test_sizes_below_one_are_refused() -> None:
    with pytest.raises(HedgerowError, match="n_batch, n_top, rank and n_steps are at least 1, but are 0"):
        PROTES(n_batch=0)

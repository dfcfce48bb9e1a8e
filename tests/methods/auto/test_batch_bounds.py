"""Bounds while points are out: kept from ask to ask or worked out anew they are the same, and they are bounds."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.methods import Auto, CodeProblem
from hedgerow.methods.auto.method import AutoRun
from hedgerow.methods.history import History

N_TOLD, N_OUT = 60, 6


@pytest.fixture(scope="module")
def problem() -> CodeProblem:
    space = hr.Space({"dna": hr.Vector(list("ACGT"), 8), "x": hr.Integer(0, 2)})
    return CodeProblem(hr.FeasibleSet(space, ["count(dna == 'A') == 3"]))


@pytest.fixture(scope="module")
def history(problem: CodeProblem) -> History:
    rows = problem.feasible.draw(N_TOLD + N_OUT, np.random.default_rng(0))
    has_motif = ((rows[:, :-2] == 2) & (rows[:, 1:-1] == 1)).any(axis=1)
    values = rows[:, 0] - 2.0 * has_motif + rows[:, -1] + 0.3 * (rows[:, 2] == rows[:, 5])
    return History(rows[:N_TOLD], values[:N_TOLD], rows[N_TOLD:])


def auto(problem: CodeProblem) -> AutoRun:
    # So that lists are bounded before they are scored.
    run = replace(Auto(), one_pass_work=0, shortlists=(40, 10)).start(problem)
    assert isinstance(run, AutoRun)
    return run


def with_out(history: History, n: int) -> History:
    return History(history.codes, history.values, history.pending[:n])


def test_deviations_are_at_most_their_bounds_and_means_are_those_of_the_told(
    problem: CodeProblem, history: History
) -> None:
    problem.listed(100_000)
    run = auto(problem)
    kernel_problem = run._kernel_problem
    active = kernel_problem.active_part(problem.all_listed)
    is_first_out = (active == kernel_problem.active_part(history.pending[:1])).all(axis=1)
    before = run.posterior(with_out(history, 0), 1)
    for n in range(1, N_OUT + 1):
        posterior = run.posterior(with_out(history, n), 1)
        for belief in posterior.major:
            mean, bound = posterior.bound(belief, 20)
            expected, deviation = posterior.predict(belief, active)
            np.testing.assert_allclose(mean, expected, atol=1e-8)
            assert (bound >= deviation - 1e-9).all()
            # What is out is as good as known.
            assert bound[is_first_out] < 0.5 * before.bound(belief, 20)[1][is_first_out]


def test_a_batch_is_the_same_point_by_point_and_by_runs_that_begin_in_its_middle(
    problem: CodeProblem, history: History
) -> None:
    one = auto(problem)
    batch: list[np.ndarray] = []
    for _ in range(N_OUT):
        pending = np.array(batch, dtype=np.int64).reshape(-1, len(problem.space.slots))
        now = History(history.codes, history.values, pending)
        row = one.suggest(now, 3).codes
        np.testing.assert_array_equal(auto(problem).suggest(now, 3).codes, row)
        batch.append(row)
    assert len({row.tobytes() for row in batch}) == N_OUT
    # Other points out, another told row with the same value, one more told: what was kept is of no use any more.
    codes = history.codes.copy()
    codes[-1] = history.pending[-1]
    for other in (with_out(history, 3), with_out(history, 2), History(codes, history.values, history.pending[:2])):
        np.testing.assert_array_equal(one.suggest(other, 3).codes, auto(problem).suggest(other, 3).codes)
    told = History(
        np.concatenate([history.codes, batch[:1]]), np.append(history.values, 0.5), np.array(batch[1:], dtype=np.int64)
    )
    np.testing.assert_array_equal(one.suggest(told, 3).codes, auto(problem).suggest(told, 3).codes)


def test_bounds_are_those_of_their_own_posterior_whatever_else_was_asked(
    problem: CodeProblem, history: History
) -> None:
    problem.listed(100_000)
    run = auto(problem)
    few, many = (run.posterior(with_out(history, n), 1) for n in (2, N_OUT))
    belief = many.major[0]
    for posterior, n_used in ((many, 20), (few, 20), (many, 30), (few, 30)):
        alone = auto(problem).posterior(with_out(history, 2 if posterior is few else N_OUT), 1)
        for mine, own in zip(posterior.bound(belief, n_used), alone.bound(alone.major[0], n_used), strict=True):
            np.testing.assert_array_equal(mine, own)


def test_what_is_kept_stays_behind_when_an_optimizer_is_sent(problem: CodeProblem, history: History) -> None:
    run = auto(problem)
    before = len(pickle.dumps(run._bounds))
    run.suggest(with_out(history, 3), 3)
    assert len(pickle.dumps(run._bounds)) == before

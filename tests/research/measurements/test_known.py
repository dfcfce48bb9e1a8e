"""What is known beforehand are parameters, and nothing about the points of a run."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.methods import CodeProblem
from hedgerow.methods.history import History
from research.harness.tasks import load_task
from research.measurements import known


def test_beliefs_see_what_was_told_and_no_more() -> None:
    task = load_task("ackley-5")
    problem = CodeProblem(task.feasible)
    run = known.KnowingRun(problem, known.fitted_to_all("ackley-5"))
    rows = problem.feasible.draw(4, np.random.default_rng(0))
    posterior = run.posterior(History(rows, np.array([3.0, 1.0, 2.0, 5.0]), rows[:0]), 0)
    assert posterior.n_conditioned == 4
    for belief in posterior.beliefs:
        np.testing.assert_array_equal(belief.codes[:, :2], run._kernel_problem.active_part(rows))


def test_the_table_has_both_and_runs_end_at_the_optimum(capsys: pytest.CaptureFixture[str]) -> None:
    assert known.main(["--tasks", "ackley-5", "--seeds", "2"]) == 0
    printed = capsys.readouterr().out
    assert "| ackley-5 | " in printed
    assert "| ratio, tasks alike | |" in printed
    assert all(known.trials("ackley-5", 0, knows) <= 13 for knows in (False, True))

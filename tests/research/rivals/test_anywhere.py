"""Draws that know no rules."""

from __future__ import annotations

import numpy as np

import hedgerow as hr
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from research.rivals import Anywhere


def test_draws_are_uniform_over_the_whole_space() -> None:
    feasible = hr.FeasibleSet(hr.Space({"a": [1, 2, 3], "b": bool}), ["a == 1"])
    run = Anywhere().start(CodeProblem(feasible))
    history = History.empty(2)
    n = 3000
    rows, counts = np.unique([run.suggest(history, seed).codes for seed in range(n)], axis=0, return_counts=True)
    assert rows.shape[0] == feasible.space.size
    # Five standard deviations of a binomial count.
    share = 1 / feasible.space.size
    assert np.all(np.abs(counts - n * share) < 5 * np.sqrt(n * share * (1 - share)))


def test_the_same_seed_and_history_give_the_same_draw() -> None:
    feasible = hr.FeasibleSet(hr.Space({"a": hr.Integer(0, 999), "b": hr.Integer(0, 999)}), ["a <= b"])
    first, second = (Anywhere().start(CodeProblem(feasible)) for _ in range(2))
    rows = feasible.codes.draw(3, np.random.default_rng(0))
    for n in range(4):
        history = History(rows[:n], np.zeros(n), rows[:0])
        assert np.array_equal(first.suggest(history, 7).codes, second.suggest(history, 7).codes)

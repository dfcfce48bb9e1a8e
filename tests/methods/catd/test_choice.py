"""Format and rank by predictive evidence."""

from __future__ import annotations

import numpy as np

import hedgerow as hr
from hedgerow.methods import CATD
from hedgerow.methods.catd.choice import ChosenTraining, predictive_evidence, scheduled
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem

SPACE = hr.Space({"x": hr.Vector(["a", "b", "c", "d"], 4)})
PROBLEM = CodeProblem(hr.FeasibleSet(SPACE, ["count(x == 'a') <= 2"]))


def history(n: int, seed: int = 0) -> History:
    """Observations of a sum over slots, which rank 2 holds."""
    rng = np.random.default_rng(seed)
    rows = np.unique(PROBLEM.feasible.draw(3 * n, rng), axis=0)
    rows = rows[rng.permutation(rows.shape[0])[:n]]
    weights = np.random.default_rng(7).normal(size=(4, 4))
    return History(rows, weights[np.arange(4), rows].sum(axis=1), rows[:0])


def test_choices_are_made_at_powers_of_two() -> None:
    assert [scheduled(n) for n in (0, 7, 8, 15, 16, 100)] == [0, 0, 8, 8, 16, 64]


def test_evidence_speaks_for_models_that_learn() -> None:
    told = history(60)
    folds = np.arange(60) % 4
    able, unable = CATD("cp", 2, max_epochs=300).surrogates()[0], CATD("cp", 2, max_epochs=1).surrogates()[0]
    evidence = [predictive_evidence(each, PROBLEM, told.codes, told.values, folds, 0) for each in (able, unable)]
    assert evidence[0] > evidence[1]


def test_a_replayed_history_gives_the_same_choice_and_the_same_model() -> None:
    settings = CATD("auto", None, n_models=4, max_epochs=30)
    whole = history(20)
    live = ChosenTraining(settings.surrogates(), PROBLEM)
    for n in range(1, 21):
        last = live.after(History(whole.codes[:n], whole.values[:n], whole.pending), 3)
    again = ChosenTraining(settings.surrogates(), PROBLEM)
    rebuilt = again.after(whole, 3)
    assert again.chosen == live.chosen
    np.testing.assert_array_equal(rebuilt.predictions(whole.codes), last.predictions(whole.codes))


def test_one_of_format_and_rank_may_be_given() -> None:
    assert {(each.format, each.rank) for each in CATD("cp", None).surrogates()} == {("cp", r) for r in (2, 3, 4, 6)}
    assert {each.format for each in CATD("auto", 3).surrogates()} == {"cp", "tr", "tt"}

"""Leads from related problems: what they guess around a row, on lists and in searches, against plain predictions."""

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.feasible.changes import Literals, changed_rows
from hedgerow.methods import Auto, EarlierTrials
from hedgerow.methods.auto.method import AutoRun
from hedgerow.methods.auto.transfer import Related
from hedgerow.methods.candidates import CandidateSettings
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem

SPACE = hr.Space({"x": hr.Vector(hr.Integer(0, 4), 4), "kind": ["a", "b", "c"], "only": ["one"]})
RULES = ["sum(x) <= 7", "kind != 'a' or x[0] == x[1]"]


def problem_and_history(seed: int) -> tuple[CodeProblem, History]:
    feasible = hr.FeasibleSet(SPACE, RULES)
    rng = np.random.default_rng(seed)
    rows = np.unique(feasible.codes.draw(120, rng), axis=0)
    rows = rows[rng.permutation(rows.shape[0])]
    weights = rng.normal(size=rows.shape[1])
    values = rows @ weights + rows[:, 0] * rows[:, 1]
    problem = CodeProblem(feasible, earlier=[EarlierTrials(rows[:40], 5.0 * values[:40] + 100.0)])
    told = rows[40:52]
    return problem, History(told, values[40:52], rows[52:54])


@pytest.mark.parametrize("seed", range(3))
def test_leads_around_a_row_and_on_the_list_are_those_of_the_rows(seed: int) -> None:
    problem, history = problem_and_history(seed)
    run = AutoRun(Auto(), problem)
    listed = problem.listed(10**4)
    assert listed is not None
    posterior = run.posterior(history, seed)
    assert {belief.lead for belief in posterior.beliefs} >= {0}
    (lead,) = posterior._leads
    assert lead.listed() == pytest.approx(lead.at(listed), rel=1e-6)
    row = history.codes[0]
    literals = Literals.all_of(SPACE.sizes)
    changes = problem.feasible.changes(row, 2, literals)
    rows = changed_rows(row, changes)
    near = lead.near(row, literals)
    assert near.means(*literals.of(changes)) == pytest.approx(lead.at(rows), rel=1e-6)
    # Scores of changes are exact for the most promising ones, which are those that count.
    scores = posterior.neighborhood(row, literals).scores(changes)
    best = np.argsort(-scores)[:5]
    assert scores[best] == pytest.approx(posterior.heights(rows[best]), abs=1e-5)


@pytest.mark.parametrize("settings", [Auto(), Auto(candidates=CandidateSettings(max_listed=0))], ids=["list", "search"])
def test_suggestions_keep_the_rules_and_depend_on_the_history_alone(settings: Auto) -> None:
    problem, history = problem_and_history(5)
    one = AutoRun(settings, problem)
    for n in (0, 1, 2, 5, 12):
        part = History(history.codes[:n], history.values[:n], history.pending)
        row = one.suggest(part, 3).codes
        assert problem.feasible.accepts(row[None, :])[0]
        assert not part.is_seen(row[None, :])[0]
        assert np.array_equal(AutoRun(settings, problem).suggest(part, 3).codes, row)


def test_predictions_are_in_the_unit_of_the_related_problem() -> None:
    problem, _ = problem_and_history(1)
    trials = problem.earlier[0]
    run = AutoRun(Auto(), problem)
    related = Related(run._kernel_problem, Auto().belief, trials)
    assert np.corrcoef(related.predicted(trials.codes), trials.values)[0, 1] > 0.95
    assert related.predicted(trials.codes).mean() == pytest.approx(trials.values.mean(), rel=0.1)

"""The facts of a report: what was best, what it cost, what failed, as the study has it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hedgerow.errors import StudyError
from hedgerow.report.facts import gather
from hedgerow.report.page import report_of
from hedgerow.runs.problem import load_problem
from hedgerow.runs.snapshot import read_snapshot
from hedgerow.runs.study import Study
from hedgerow.runs.workers.job import Outcome
from tests.report.conftest import SMALL, Studies


def distance(point: dict[str, int]) -> Outcome:
    return Outcome(float((point["x"] - 5) ** 2), seconds=0.5, output="x")


def test_the_best_points_are_different_sorted_and_those_of_the_study(studies: Studies) -> None:
    facts = studies.facts(SMALL, 15, distance)
    values = [best.value for best in facts.best]
    assert values == sorted(trial.value for trial in facts.kept if trial.value is not None)[:5]
    assert len({str(best.point) for best in facts.best}) == 5
    assert (facts.best[0].number, facts.best[0].value) == (facts.status.best_number, facts.status.best_value)
    assert [rule.name for rule in facts.best[0].rules] == ["cap", "pair"]


def test_maximizing_puts_the_largest_first(studies: Studies) -> None:
    facts = studies.facts(SMALL + '[objective]\ndirection = "maximize"\n', 10, distance)
    values = [best.value for best in facts.best]
    assert values == sorted(values, reverse=True)
    assert values[0] == facts.status.best_value


def test_points_that_break_a_rule_by_now_inform_and_are_never_best(studies: Studies) -> None:
    file = studies.make(SMALL, 20, lambda point: Outcome(float(-point["x"])))
    file.write_text(file.read_text().replace("x <= 7", "x <= 4"))
    facts = report_of(load_problem(file), file)
    assert all(best.point["x"] <= 4 for best in facts.best)
    assert len(facts.kept) < len(facts.ended) == 20
    # Looking records nothing: the change is the next run's to make.
    assert [change["rules"]["cap"] for change in read_snapshot(load_problem(file)).rule_changes] == ["x <= 7"]
    Study(load_problem(file))
    assert [change["rules"]["cap"] for change in read_snapshot(load_problem(file)).rule_changes] == ["x <= 7", "x <= 4"]


def test_failures_keep_their_reason_and_output(studies: Studies) -> None:
    facts = studies.facts(SMALL, 3, lambda _: Outcome(None, "exit code 3", 1.5, "line 1\nline 2"))
    assert [(trial.state, trial.reason, trial.output, trial.seconds) for trial in facts.trials] == [
        ("failed", "exit code 3", "line 1\nline 2", 1.5)
    ] * 3
    assert not facts.best
    assert not facts.kept


def test_values_told_unasked_took_no_time_and_trials_say_what_asked_for_them(studies: Studies) -> None:
    file = studies.make(SMALL, 2, distance)
    Study(load_problem(file, {"seed": 7})).tell({"x": 1, "y": "a"}, 3.0)
    Study(load_problem(file, {"seed": 7})).ask_by_hand(1)
    facts = report_of(load_problem(file), file)
    told = next(trial for trial in facts.trials if trial.value == 3.0 and not trial.asked_with)
    assert told.seconds is None
    assert [trial.seconds for trial in facts.ended if trial is not told] == [0.5, 0.5]
    asked = [trial.asked_with for trial in facts.trials if trial.asked_with]
    assert [words.split(", ")[:2] for words in asked] == [["method random", "seed 0"]] * 2 + [
        ["method random", "seed 7"]
    ]
    assert facts.status.n_by_hand == 1


def test_lost_trials_are_counted_apart(studies: Studies) -> None:
    file = studies.make(SMALL, 3, distance, n_running=1)
    study = Study(load_problem(file))
    study.lose(study.trials()[-1]._trial_id, "vanished")
    facts = report_of(load_problem(file), file)
    assert [trial.state for trial in facts.trials].count("lost") == 1
    assert len(facts.ended) == 3


def test_nothing_is_made_by_looking(studies: Studies) -> None:
    file = studies.folder / "new.toml"
    file.write_text(SMALL)
    with pytest.raises(StudyError, match=r"no storage .*new\.db yet\. Make trials first: hedgerow ask"):
        report_of(load_problem(file), file)
    with pytest.raises(StudyError, match="no storage"):
        report_of(load_problem(file, {"storage": f"journal:{studies.folder}/j.log"}), file)
    assert [path.name for path in studies.folder.iterdir()] == ["new.toml"]


def test_a_study_without_trials_or_of_another_problem_is_refused(studies: Studies) -> None:
    file = studies.make(SMALL, 0, distance)
    with pytest.raises(StudyError, match="has no trials yet"):
        report_of(load_problem(file), file)
    with pytest.raises(StudyError, match="has no study 'other'"):
        report_of(load_problem(file, {"study": "other"}), file)
    asked = file.read_text()
    file.write_text(asked + '[objective]\ndirection = "maximize"\n')
    with pytest.raises(StudyError, match="started to minimize"):
        report_of(load_problem(file), file)
    file.write_text(asked.replace("x = {", "z = [1]\nx = {"))
    with pytest.raises(StudyError, match="'z' is new to the study"):
        report_of(load_problem(file), file)


def test_trials_are_in_the_order_in_which_they_ended(studies: Studies) -> None:
    file = studies.make(SMALL, 4, distance, n_running=1)
    facts = gather(read_snapshot(load_problem(file)), file.name, "", datetime.now(UTC))
    moments = [trial.ended for trial in facts.ended]
    assert moments == sorted(moment for moment in moments if moment is not None)
    assert facts.trials[-1].state == "running"

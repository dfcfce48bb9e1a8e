"""The laboratory of outcomes: tasks are what they say, runs are resumed, and tables come from rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.stopping import MOST_CHANCE, Stopping
from research.outcomes.__main__ import main
from research.outcomes.contestants import CONTESTANTS
from research.outcomes.nats import size_parameters, topology_parameters
from research.outcomes.page import overtaken, paired, put_into_page, table
from research.outcomes.random_tasks import FAMILIES, random_task
from research.outcomes.runs import OutcomeRow, jobs
from research.outcomes.stopping_rules import StoppingRule, Verdict, curve
from research.outcomes.stops import Record, names
from research.outcomes.stops import append as append_record
from research.outcomes.stops import read as read_records
from research.outcomes.table import append, made_by, read
from research.outcomes.task import OutcomeTask
from research.outcomes.tasks import dtlz, recipe, tiles


def test_parameters_of_networks_are_those_that_are_published() -> None:
    # NAS-Bench-201 gives 1.531546 million for six large convolutions, and 0.073306 million for none.
    assert topology_parameters(["nor_conv_3x3"] * 6) == 1_531_546
    assert topology_parameters(["none"] * 6) == 73_306
    assert size_parameters([8, 8, 8, 8, 8]) < size_parameters([8, 8, 8, 8, 16])


@pytest.mark.parametrize("task", [tiles(), recipe()], ids=lambda task: task.name)
def test_trials_fail_exactly_beyond_the_planted_rule(task: OutcomeTask) -> None:
    kept = OutcomeTask(task.name, task.space, (*task.rules, str(task.planted)), task.objectives, task.truth)
    assert np.isfinite(kept.columns).all()
    assert kept.rows.shape[0] == int(np.isfinite(task.columns).all(axis=1).sum())


def test_the_whole_front_has_the_whole_volume() -> None:
    task = dtlz()
    assert task.volume(task.columns[:, :3]) == pytest.approx(1.0)
    assert task.volume(task.columns[:1, :3]) < 1.0
    assert task.volume(task.columns[:0, :3]) == 0.0


@pytest.mark.parametrize("name", ["hedgerow", "random", "optuna tpe", "optuna nsga-ii", "smac parego"])
def test_contestants_ask_for_feasible_points_and_for_none_twice(name: str) -> None:
    if name.startswith("smac"):
        pytest.importorskip("smac")
    task = tiles()
    contestant = CONTESTANTS[name](task, 0)
    asked = []
    for _ in range(6):
        point = contestant.ask()
        assert point in task.feasible
        contestant.tell(point, task.truth(point))
        asked.append(tuple(point.values()))
    assert len(set(asked)) == 6


def test_runs_are_kept_and_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stored = tmp_path / "rows.csv"
    arguments = ["--parts", "rules", "--tasks", "tiles", "--seeds", "1", "--table", str(stored)]
    assert main(arguments) == 0
    (row,) = read(stored)
    assert (row.part, row.task, row.value) == ("rules", "tiles", 1.0)
    capsys.readouterr()
    assert main(arguments) == 0
    assert capsys.readouterr().out == ""
    with stored.open("a", encoding="utf-8") as file:
        file.write("rules,tiles")
    assert read(stored) == [row]


def test_tables_come_from_rows(tmp_path: Path) -> None:
    rows = [
        OutcomeRow("failures", "tiles", method, seed, 200, 0.1 * seed, 5 + seed, 3.0)
        for method in ("hedgerow", "evolution")
        for seed in (0, 1)
    ]
    append(tmp_path / "rows.csv", rows)
    assert read(tmp_path / "rows.csv") == rows
    assert "| tiles | evolution | 2 | 0.0500 ± 0.0500 | 5.5 | 3 |" in table("failures", rows)
    assert table("pareto", rows) == "Not measured yet.\n"
    stops = [
        OutcomeRow("stopping", "a", "m", 0, 30, 0.5, 25, 1.0),
        OutcomeRow("stopping", "a", "m", 1, 20, 2.0, 0, 1.0),
    ]
    assert "| all | 2 | 25 | 25 | 1 | 1 | 0 |" in table("stopping", stops)
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- outcomes rules -->\nold\n<!-- end of outcomes -->\nb\n")
    put_into_page(page, rows)
    assert page.read_text() == "a\n<!-- outcomes rules -->\n\nNot measured yet.\n\n<!-- end of outcomes -->\nb\n"


def test_every_part_has_runs() -> None:
    parts = ("pareto", "limits", "noise", "failures", "rules", "stopping")
    assert {job.part for job in jobs(parts, [], [0])} == set(parts)


@pytest.mark.parametrize("family", FAMILIES)
def test_random_tasks_are_the_same_again_and_have_rules_that_cut(family: str) -> None:
    task, again, other = (random_task(f"{family} {number}") for number in (3, 3, 1003))
    assert np.array_equal(task.columns, again.columns)
    assert task.rules == again.rules
    assert 300 <= task.rows.shape[0] <= 6000
    assert task.rows.shape[0] < np.prod(task.space.sizes)
    assert task.space.sizes != other.space.sizes or not np.array_equal(task.columns, other.columns)


def test_rules_for_stopping_are_judged_by_recorded_runs(tmp_path: Path) -> None:
    gaps = (9.0, 5.0, *[0.5] * 28)
    soon = Record("forest 0", 512, gaps, (float("nan"), float("nan"), *[0.3] * 18, *[0.05] * 10))
    never = Record("waves 1000", 512, (3.0,) * 30, (0.05,) * 30)
    for run in (soon, never):
        append_record(tmp_path / "runs.csv", run)
    found = read_records(tmp_path / "runs.csv")
    assert found[1] == never
    assert [run.needed for run in found] == [3, None]
    assert [run.is_held_out for run in found] == [False, True]
    # Nine bits want eighteen trials; three chances in a row are below a tenth after twenty-three.
    assert StoppingRule(0.4, 3, 2.0, 2.0, 0.3).stopped(soon) == 18
    assert StoppingRule(0.1, 3, 2.0, 2.0, 0.3).stopped(soon) == 23
    assert StoppingRule(0.01, 3, 2.0, 2.0, 0.3).stopped(soon) is None
    assert StoppingRule(0.4, 3, 2.0, 20.0, 0.0).stopped(soon) == 23
    verdict = Verdict.of(StoppingRule(0.1, 3, 2.0, 2.0, 0.3), [soon, never])
    assert (verdict.n_runs, verdict.n_early, verdict.n_within, verdict.n_late) == (2, 1, 0, 0)
    assert "| 0.05 |" in curve(found)
    assert list(names(True, 4)) == ["forest 1000", "polynomial 1000", "waves 1000", "forest 1001"]


def test_the_rule_that_is_judged_is_the_one_that_runs_stop_by() -> None:
    """What a recorded run says of the default is what `stop` does."""
    task = random_task("polynomial 1")
    values = task.columns[:, 0]
    least = 0.01 * float(np.median(values) - values.min())
    optimizer = hr.Optimizer(task.space, task.rules, objectives=task.objectives)
    gaps, chances, stopped = [], [], None
    rule = Stopping(least)
    for n in range(1, 61):
        point = optimizer.ask()
        optimizer.tell(point, task.truth(point))
        gaps.append((float(optimizer.good_values().min()) - float(values.min())) / least)
        chances.append(optimizer.chance_of_gain(least) if n >= 8 else float("nan"))
        if rule.nothing_is_left(optimizer):
            stopped = n
            break
    run = Record(task.name, task.rows.shape[0], tuple(gaps), tuple(chances))
    assert StoppingRule(MOST_CHANCE).stopped(run) == stopped


def test_pairs_say_by_how_much_ours_is_ahead_on_the_same_seeds() -> None:
    def row(part: str, method: str, seed: int, value: float) -> OutcomeRow:
        return OutcomeRow(part, "t", method, seed, 25, value, 0, 1.0)

    rows = [row("pareto", "hedgerow", seed, 0.5 + seed / 10) for seed in range(4)]
    rows += [row("pareto", "random", seed, 0.25) for seed in range(1, 4)]
    rows += [row("limits", "hedgerow", 0, 0.1), row("limits", "random", 0, 0.4), row("limits", "random", 1, 0.9)]
    text = paired(rows)
    assert "| t | random | 3 | +0.450 (+0.202 to +0.698) |" in text
    assert "| t | random | 1 | +0.300 |" in text
    assert paired(rows[:2]) == "Not measured yet.\n"


def test_failures_are_counted_until_ours_is_as_good_as_a_rival_at_its_end() -> None:
    def runs(method: str, seed: int, values: list[float], failed: list[int]) -> list[OutcomeRow]:
        pairs = zip((50, 100, 200), values, failed, strict=True)
        return [OutcomeRow("failures", "t", method, seed, after, value, n, 1.0) for after, value, n in pairs]

    rows = runs("hedgerow", 0, [0.5, 0.2, 0.1], [2, 5, 9]) + runs("evolution", 0, [0.6, 0.4, 0.3], [1, 4, 20])
    assert "| t | 1 | 1 of 1 | 100 | 5.0 | 20.0 |" in overtaken(rows)
    rows += runs("hedgerow", 1, [0.5, 0.5, 0.5], [1, 3, 8]) + runs("evolution", 1, [0.6, 0.4, 0.3], [0, 0, 2])
    assert "| t | 2 | 1 of 2 | 100 | 6.5 | 11.0 |" in overtaken(rows)


def test_a_run_made_again_replaces_the_one_before(tmp_path: Path) -> None:
    old = OutcomeRow("pareto", "t", "hedgerow", 0, 25, 0.5, 0, 1.0)
    table_file = tmp_path / "rows.csv"
    append(table_file, [old])
    append(table_file, [OutcomeRow("pareto", "t", "hedgerow", 0, 25, 0.7, 0, 1.0, "later")])
    assert [(row.value, row.version) for row in read(table_file)] == [(0.7, "later")]
    assert made_by("repeats auto") == made_by("hedgerow") != made_by("evolution")
    assert "optuna-" in made_by("optuna tpe")

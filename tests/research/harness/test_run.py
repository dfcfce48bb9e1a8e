"""Runs: they start alike, count what breaks rules, and go on where they were stopped."""

from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

import hedgerow as hr
from research.harness import tasks
from research.harness.cell import Cell
from research.harness.execute import default_store, execute
from research.harness.row import Row, RunKey
from research.harness.run import Work, run_once, start_point
from research.harness.spec import load_spec
from research.harness.tasks import load_task
from research.problems import get_problem

SPEC = """
title = "A small one"
tasks = ["ackley-5"]
seeds = 2
budget = 6
[[methods]]
kind = "random"
[[methods]]
kind = "catd"
format = "tt"
rank = 2
variant = ["c", "u"]
"""


def result(row: Row) -> tuple[object, ...]:
    return row.job, row.improvements, row.invalid_rounds, row.n_repeated, row.stopped


@pytest.fixture
def spec(tmp_path: Path) -> str:
    path = tmp_path / "small.toml"
    path.write_text(SPEC)
    return str(path)


def test_runs_with_one_seed_begin_at_the_same_feasible_point() -> None:
    task = load_task("gap-a")
    first = [run_once(Work(RunKey("gap-a", cell, 4, 2), 60.0)).improvements[0] for cell in ("random", "evolution")]
    assert first[0] == first[1]
    assert task.feasible.codes.accepts(start_point(task, 4)[None, :]).all()
    assert any((start_point(task, 4) != start_point(task, 5)).tolist())


def test_suggestions_that_break_a_rule_cost_a_round_and_are_counted() -> None:
    row = run_once(Work(RunKey("ackley-5", "catd;follows=text;format=tt;rank=2;variant=u", 1, 12, "full"), 60.0))
    assert row.n_rounds == 12
    assert 0 < len(row.invalid_rounds) < 12
    assert not set(row.invalid_rounds) & {number for number, _ in row.improvements}


def test_a_run_ends_at_the_optimum_unless_it_is_to_go_on() -> None:
    cell = Cell.of("auto", {}).name
    stopped = run_once(Work(RunKey("ackley-5", cell, 0, 13), 60.0))
    assert stopped.stopped == "optimum"
    assert stopped.best == pytest.approx(0.0, abs=1e-9)
    assert stopped.n_rounds == stopped.first_round
    assert run_once(Work(RunKey("ackley-5", cell, 0, 14, "full"), 60.0)).stopped == "exhausted"


def test_a_run_that_takes_too_long_is_cut_off() -> None:
    row = run_once(Work(RunKey("gap-a", "catd;format=tt;rank=2;variant=c", 0, 50), 0.0))
    assert (row.stopped, row.n_rounds < 50) == ("time", True)


def test_a_training_can_be_followed() -> None:
    cell = "catd;follows=text;format=tt;rank=2;variant=c"
    series = run_once(Work(RunKey("ackley-5", cell, 0, 40, "training"), 60.0)).series
    assert series["steps"][0] == 0
    assert series["steps"][-1] == 40
    assert series["loss"][-1] < series["loss"][0]
    assert 0.0 <= series["violated"][-1] <= 1.0


def test_an_interrupted_experiment_goes_on_and_ends_the_same(spec: str, tmp_path: Path) -> None:
    experiment = load_spec(spec)
    console = Console(quiet=True)
    whole = default_store("small", tmp_path / "whole")
    outcome = execute(experiment, whole, 1, redo_changed=False, console=console)
    assert (outcome.n_finished, outcome.is_complete, outcome.troubles) == (6, True, ())
    half = default_store("small", tmp_path / "half")
    for work in list(experiment.works())[:3]:
        half.append(run_once(work))
    again = execute(experiment, half, 2, redo_changed=False, console=console)
    assert (again.n_stored, again.n_finished) == (3, 3)
    assert {result(row) for row in half.read().values()} == {result(row) for row in whole.read().values()}
    assert execute(experiment, half, 1, redo_changed=True, console=console).n_finished == 0


def test_a_task_without_objective_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "get_problem", lambda name: replace(get_problem("gap-b"), name=name, objective=None))
    with pytest.raises(hr.HedgerowError, match="'measured-nowhere' has no objective"):
        load_task("measured-nowhere")


def test_a_run_can_keep_how_its_trainings_ended_and_is_the_same_otherwise() -> None:
    cell = "catd;epochs=20;follows=program;format=tt;rank=2;variant=c"
    plain, kept = (run_once(Work(RunKey("ackley-7", cell, 1, 6, measure), 60.0)) for measure in ("run", "losses"))
    assert kept.improvements == plain.improvements and kept.invalid_rounds == plain.invalid_rounds
    assert not plain.series
    assert {len(column) for column in kept.series.values()} == {kept.n_rounds - 1}
    # Twenty steps for each training.
    assert kept.series["steps"] == [20.0 * (number + 1) for number in range(kept.n_rounds - 1)]
    assert kept.series["penalty"][0] > 0


def test_a_method_without_trainings_has_no_losses_to_keep() -> None:
    with pytest.raises(hr.HedgerowError, match="Only runs of CATD"):
        run_once(Work(RunKey("ackley-5", "random", 0, 4, "losses"), 60.0))

"""Studies whose trials give more than one number: what is stored, asked, told, repeated and resumed."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import optuna
import pytest

import hedgerow as hr
from hedgerow import schema
from hedgerow.runs.leases import Lease
from hedgerow.runs.loop import Pace, run_study
from hedgerow.runs.problem import Problem, load_problem
from hedgerow.runs.snapshot import read_snapshot
from hedgerow.runs.study import Study

SPACE = """
[space]
x = { type = "integer", low = 0, high = 9 }
y = { type = "integer", low = 0, high = 9 }
[rules]
total = "x + y <= 12"
"""
TWO = """
[objectives]
time = "minimize"
work = "maximize"
[limits]
fits = "memory <= 10"
"""
QUICK = Pace(watch=0.2, show=0.05, wait=0.05)


@pytest.fixture(autouse=True)
def _quiet() -> None:
    optuna.logging.set_verbosity(optuna.logging.ERROR)


def problem_of(folder: Path, text: str = TWO, run: str = "[run]\nbudget = 12\n") -> Problem:
    file = folder / "problem.toml"
    file.write_text(SPACE + text + run)
    return load_problem(file)


def two(point: dict[str, Any]) -> Any:
    x, y = point["x"], point["y"]
    if x == 8:
        return hr.Failure("no eight")
    if (x + y) % 5 == 4:
        return {"work": x * y, "memory": x + y}
    return {"time": (x - 5) ** 2 + y, "work": x * y, "memory": x + y}


def noisy(point: dict[str, Any]) -> float:
    return float((point["x"] - 5) ** 2 + point["y"])


def run_here(problem: Problem, function: Any, workers: int = 1) -> Any:
    with ThreadPoolExecutor(workers) as pool:
        return run_study(replace(problem, function=function, workers=workers), executor=pool, pace=QUICK)


def asked(problem: Problem) -> list[dict[str, Any]]:
    return [trial.params for trial in Study(problem).trials()]


def optimizer_like(problem: Problem) -> hr.Optimizer:
    names = ("objectives", "limits", "repeats", "reference")
    return hr.Optimizer(problem.space, problem.rules, **{name: getattr(problem, name) for name in names})


@pytest.mark.parametrize(
    ("text", "run", "function"),
    [
        (TWO, "[run]\nbudget = 12\n", two),
        ("", "[run]\nbudget = 10\nrepeats = 3\n", noisy),
        ("", '[run]\nbudget = 14\nrepeats = "auto"\n', noisy),
    ],
)
def test_a_study_asks_what_an_optimizer_asks(text: str, run: str, function: Any, tmp_path: Path) -> None:
    problem = problem_of(tmp_path, text, run)
    # In two runs: the second goes on where the first stopped, repeats included.
    run_here(replace(problem, budget=5), function)
    run_here(problem, function)
    optimizer = optimizer_like(problem)
    optimizer.expect_end(5)
    points = []
    for n in range(problem.budget):
        if n == 5:
            optimizer.expect_end(problem.budget - n)
        point = optimizer.ask()
        points.append(point)
        optimizer.tell(point, function(point))
    assert asked(problem) == points
    status = read_snapshot(problem).status
    judged = status.judged
    assert judged is not None
    assert [point.seen.point for point in judged.front] == [seen.point for seen in optimizer.front]
    if not problem.goals.objectives.are_several:
        assert optimizer.best is not None
        assert status.best_point == optimizer.best.point
        assert judged.best is not None
        assert judged.best.seen.believed == optimizer.best.believed


def wavering(point: dict[str, Any], number: int) -> float:
    return noisy(point) + ((7 * number) % 11 - 5) * 0.2


@pytest.mark.parametrize("stops", [(), (5, 17, 28)])
def test_the_last_trials_of_a_stored_run_confirm_and_a_resumed_run_asks_the_same(
    stops: tuple[int, ...], tmp_path: Path
) -> None:
    problem = problem_of(tmp_path, "", '[run]\nbudget = 30\nrepeats = "auto"\n')
    n_made = 0

    for until in (*stops, problem.budget):
        stop = threading.Event()

        def measure(point: dict[str, Any], until: int = until, stop: threading.Event = stop) -> float:
            nonlocal n_made
            n_made += 1
            if n_made == until and until < problem.budget:
                stop.set()
            return wavering(point, n_made)

        with ThreadPoolExecutor(1) as pool:
            run_study(replace(problem, function=measure, workers=1), executor=pool, pace=QUICK, stop=stop)
        assert n_made == until
    optimizer = optimizer_like(problem)
    optimizer.expect_end(problem.budget)
    points = []
    for number in range(1, problem.budget + 1):
        points.append(optimizer.ask())
        optimizer.tell(points[-1], wavering(points[-1], number))
    assert asked(problem) == points
    # The last tenth is spent on points that were measured before.
    assert all(point in points[:27] for point in points[27:])


def test_readings_told_by_hand_do_not_bring_the_end_nearer(tmp_path: Path) -> None:
    problem = problem_of(tmp_path, "", '[run]\nbudget = 20\nrepeats = "auto"\n')
    Study(problem).tell({"x": 0, "y": 0}, [25.0, 26.0, 24.0, 25.5, 24.5])
    n_made = 0

    def measure(point: dict[str, Any]) -> float:
        nonlocal n_made
        n_made += 1
        return wavering(point, n_made)

    run_here(problem, measure)
    optimizer = optimizer_like(problem)
    optimizer.tell({"x": 0, "y": 0}, [25.0, 26.0, 24.0, 25.5, 24.5])
    optimizer.expect_end(problem.budget)
    points = [{"x": 0, "y": 0}]
    for number in range(1, problem.budget + 1):
        points.append(optimizer.ask())
        optimizer.tell(points[-1], wavering(points[-1], number))
    assert asked(problem) == points
    assert all(point in points[:19] for point in points[19:])


def test_everything_measured_is_stored_and_seen_by_optuna(tmp_path: Path) -> None:
    problem = problem_of(tmp_path)
    run_here(replace(problem, budget=25), two)
    study = Study(problem)
    read = study.read()
    for item in read.told:
        point = study.sampler.claim(item.row)
        given = two(point)
        expected = () if isinstance(given, hr.Failure) else (given,)
        assert item.outcome.readings == expected
        assert item.outcome.reason == (given.reason if isinstance(given, hr.Failure) else item.outcome.reason)
    partial = [item for item in read.told if item.outcome.readings and "time" not in item.outcome.numbers]
    assert partial
    assert all("gave no 'time', which is an objective" in (item.outcome.reason or "") for item in partial)
    judged = study.status().judged
    assert judged is not None
    found = {json.dumps(point.seen.point) for point in judged.front}
    assert {json.dumps(trial.params) for trial in study.in_optuna.best_trials} == found
    assert study.status().n_complete + study.status().n_failed == 25


def test_workers_repeat_what_is_meant_and_nothing_else(tmp_path: Path) -> None:
    problem = problem_of(tmp_path, "", "[run]\nbudget = 24\nrepeats = 3\n")
    with ThreadPoolExecutor(2) as runs:
        for future in [runs.submit(run_here, problem, noisy, 2) for _ in range(2)]:
            future.result()
    study = Study(problem)
    told = study.read().told
    keys = [item.key for item in told]
    assert len(keys) == len(set(keys)) == 24
    counts = {key[0]: 0 for key in keys}
    for key in keys:
        counts[key[0]] += 1
    assert max(counts.values()) == 3
    assert len(counts) <= 24 / 3 + 3


def test_two_who_want_the_same_reading_do_not_both_take_it(tmp_path: Path) -> None:
    problem = problem_of(tmp_path, "", "[run]\nbudget = 24\nrepeats = 3\n")
    one, other = Study(problem), Study(problem)
    seen = [study.ask(Lease.mine()) for study in (one, other, one, other)]
    points = [trial.point for trial in seen if trial is not None]
    assert points[0] == points[1] == points[2] != points[3]
    readings = [trial.system_attrs.get(schema.READING, 0) for trial in one.trials()]
    assert readings == [0, 1, 2, 0]


def test_a_lost_reading_is_taken_again(tmp_path: Path) -> None:
    problem = problem_of(tmp_path, "", "[run]\nbudget = 24\nrepeats = 3\n")
    study = Study(problem)
    first, second = study.ask_by_hand(2)
    study.tell(first.point, 1.0)
    study.lose(study._stored.id_of(second.number), schema.INTERRUPTED)
    again = study.ask_by_hand(1)[0]
    assert again.point == first.point
    attrs = study.trials()[again.number].system_attrs
    assert (attrs[schema.READING], attrs[schema.AGAIN]) == (1, [second.number])


def test_readings_told_by_hand_are_pooled(tmp_path: Path) -> None:
    problem = problem_of(tmp_path, "", '[run]\nrepeats = "auto"\n')
    study = Study(problem)
    study.tell({"x": 1, "y": 1}, [4.0, 6.0])
    study.tell({"x": 1, "y": 1}, 5.0)
    study.tell({"x": 2, "y": 2}, 4.9)
    judged = study.status().judged
    assert judged is not None
    assert judged.noise == {"value": pytest.approx(1.0)}
    assert {point.n_readings for point in judged.front} <= {1, 3}


@pytest.mark.parametrize(
    ("text", "run", "message"),
    [
        ('[objectives]\ntime = "smaller"\n', "", "line 8, key 'time' in .objectives.: The direction of 'time'"),
        ('[limits]\nfits = "memory = 16"\n', "", "line 8, key 'fits' in .limits.*cannot be read"),
        ('[limits]\nfits = "memory < 1 and memory > 2"\n', "", "No trial can keep the limit 'fits'"),
        ('[objectives]\na = "minimize"\n[objective]\ndirection = "maximize"\n', "", "gives each its own direction"),
        ("", "[run]\nrepeats = 0\n", "repeats is False"),
        ("", '[run]\nrepeats = "always"\n', "repeats is False"),
        ('[objectives]\na = "minimize"\n', "[run]\nreference = { b = 1 }\n", "reference maps each objective .a."),
        ('[objectivs]\na = "minimize"\n', "", "did you mean 'objectives'"),
    ],
)
def test_goals_that_cannot_be_meant_are_refused_before_anything_runs(
    text: str, run: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(hr.ProblemFileError, match=message):
        problem_of(tmp_path, text, run)


def test_objectives_do_not_change_in_mid_study(tmp_path: Path) -> None:
    Study(problem_of(tmp_path)).tell({"x": 1, "y": 1}, {"time": 1, "work": 2, "memory": 3})
    for text, message in (
        (TWO.replace('"maximize"', '"minimize"'), "started to minimize time and maximize work, but the file says"),
        (TWO.replace("work =", "effort ="), "the file says minimize time and maximize effort"),
        (TWO.replace("[limits]", 'cost = "minimize"\n[limits]'), "and minimize cost"),
        ("", "the file says minimize"),
    ):
        with pytest.raises(hr.StudyError, match=message):
            read_snapshot(problem_of(tmp_path, text))
        with pytest.raises(hr.StudyError, match=message):
            Study(problem_of(tmp_path, text))
    # Limits may: what was measured is judged by those of the file.
    tighter = problem_of(tmp_path, TWO.replace("memory <= 10", "memory <= 2"))
    judged = Study(tighter).status().judged
    assert judged is not None
    assert (judged.n_within, judged.n_points, judged.front) == (0, 1, ())


def test_an_old_study_of_one_number_may_get_limits_and_a_name(tmp_path: Path) -> None:
    plain = problem_of(tmp_path, "")
    Study(plain).tell({"x": 1, "y": 1}, 2.0)
    named = problem_of(tmp_path, '[objectives]\ntime = "minimize"\n[limits]\nfits = "memory <= 3"\n')
    study = Study(named)
    study.tell({"x": 2, "y": 2}, {"time": 3.0, "memory": 1.0})
    assert [item.outcome.numbers for item in study.read().told] == [{"time": 2.0}, {"time": 3.0, "memory": 1.0}]
    assert study.status().best_point == {"x": 2, "y": 2}


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ('[objective]\nunit = "ms"\n', {"value": "ms"}),
        ('[objective]\nunit = "ms"\n[objectives]\ntime = "minimize"\n', {"time": "ms"}),
        (TWO + '[objective]\nunit = { time = "ms", memory = "KB" }\n', {"time": "ms", "memory": "KB"}),
        (TWO, {}),
    ],
)
def test_a_unit_belongs_to_an_outcome(text: str, units: dict[str, str], tmp_path: Path) -> None:
    assert problem_of(tmp_path, text).units == units


def test_what_cannot_be_meant_is_not_stored(tmp_path: Path) -> None:
    study = Study(problem_of(tmp_path))
    point = {"x": 1, "y": 1}
    for told, message in (
        (3.0, "gives numbers by name, 'time' and 'work', but the number 3.0"),
        ([{"time": 1.0}], "Several readings of one point need repeats"),
        ({"time": "fast"}, "The outcome 'time' cannot be read"),
        ({}, "An empty dict was told"),
    ):
        with pytest.raises(hr.PointError, match=message):
            study.tell(point, told)
    assert study.trials() == []
    study.tell(point, {"time": float("nan"), "work": 2.0, "memory": 1.0})
    assert study.read().told[0].outcome.numbers == {"work": 2.0, "memory": 1.0}


def test_a_limit_about_what_no_trial_gives_stops_the_run(tmp_path: Path) -> None:
    problem = problem_of(tmp_path, '[objectives]\ntime = "minimize"\n[limits]\nfits = "memroy <= 3"\n')
    report = run_here(problem, lambda point: {"time": point["x"], "memory": 1.0})
    assert report.stopped is hr.Stopped.FAILING
    assert report.n_here < 12
    assert report.status.judged.never_given == ("memroy",)
    reason = read_snapshot(problem).trials[0].user_attrs[schema.DETAILS]["reason"]
    assert reason.startswith("gave no 'memroy', which the limit 'fits' is about; it gave 'time' and 'memory'")


@pytest.mark.parametrize(
    ("goals", "function"),
    [
        ({"objectives": {"time": "minimize", "work": "maximize"}, "limits": {"fits": "memory <= 10"}}, two),
        ({"repeats": 2}, noisy),
        ({"repeats": "auto"}, noisy),
    ],
)
def test_minimize_with_a_storage_is_minimize_without(goals: Any, function: Any, tmp_path: Path) -> None:
    space = hr.Space({"x": hr.Integer(0, 9), "y": hr.Integer(0, 9)})
    told: list[int] = []
    callbacks = [lambda optimizer: told.append(len(optimizer.observations))]
    options = {"budget": 8, "progress": False, **goals}
    stored = hr.minimize(function, space, storage=tmp_path / "s.db", callbacks=callbacks, **options)
    plain = hr.minimize(function, space, **options)
    assert [(seen.point, seen.outcomes, seen.value) for seen in stored.observations] == [
        (seen.point, seen.outcomes, seen.value) for seen in plain.observations
    ]
    assert [seen.point for seen in stored.front] == [seen.point for seen in plain.front]
    assert told[-1] == 8


def test_a_run_from_python_says_that_its_set_up_is_broken(tmp_path: Path) -> None:
    problem = replace(problem_of(tmp_path), python="no_such_module_anywhere:measure")
    with pytest.warns(hr.TrialWarning, match="cannot be imported.*Nothing was counted against any point"):
        result = hr.run(problem)
    assert result.stopped is hr.Stopped.BROKEN
    assert isinstance(result.error, hr.StudyError)
    assert result.observations == ()

"""The report of studies whose trials give more than one number: the front, limits, readings, failures by value."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import optuna
import pytest

import hedgerow as hr
from hedgerow.report.facts import TrialFact
from hedgerow.report.page import render, report_of
from hedgerow.report.record import complaint_of
from hedgerow.report.volume import growth_of
from hedgerow.runs.problem import load_problem
from hedgerow.runs.study import Study

FILE = """
[space]
x = { type = "integer", low = 0, high = 9 }
y = { type = "integer", low = 0, high = 9 }
[rules]
total = "x + y <= 14"
"""


@pytest.fixture(autouse=True)
def _quiet() -> None:
    optuna.logging.set_verbosity(optuna.logging.ERROR)


def page_of(folder: Path, more: str, told: list[tuple[dict[str, int], Any]]) -> str:
    file = folder / "study.toml"
    file.write_text(FILE + more)
    problem = load_problem(file)
    study = Study(problem)
    for point, outcome in told:
        study.tell(point, outcome)
    return render(report_of(problem, file))


def measured(x: int, y: int) -> Any:
    if x == 7:
        return hr.Failure("exit code 1: out of <memory>")
    return {"time": float((x - 5) ** 2 + y), "work": float(x * y), "memory": float(x + y)}


GOALS = '[objectives]\ntime = "minimize"\nwork = "maximize"\n[limits]\nfits = "memory <= 9"\n'
TOLD = [({"x": x, "y": y}, measured(x, y)) for x in (1, 3, 5, 7, 9) for y in (0, 2, 5)]


def test_the_front_the_limits_and_failures_by_value_are_shown(tmp_path: Path) -> None:
    page = page_of(tmp_path, GOALS, TOLD)
    assert "Minimize time and maximize work" in page
    assert '<section id="front">' in page
    assert "beyond a limit" in page
    assert "Points of the front" in page
    assert "slack of fits" in page
    assert "slack over all trials (negative: limit exceeded)" in page
    assert "Limits with their margins" in page
    assert "of 12" in page
    assert "Failures by value" in page
    assert "x = 7" in page
    assert "3 of 3" in page
    assert "out of <memory>" not in page
    assert "out of &lt;memory&gt;" in page


def test_what_no_trial_gives_is_told(tmp_path: Path) -> None:
    page = page_of(tmp_path, GOALS, [({"x": 1, "y": 1}, {"heat": 3.0}), ({"x": 2, "y": 1}, {"heat": 2.0})])
    assert "No trial has given &#x27;time&#x27;, &#x27;work&#x27; and &#x27;memory&#x27; yet" in page


def test_readings_and_noise_are_shown(tmp_path: Path) -> None:
    told = [({"x": x, "y": 1}, (x - 2) ** 2 + shift) for x in range(5) for shift in (0.0, 0.5, -0.5)]
    page = page_of(tmp_path, '[run]\nrepeats = "auto"\n', told)
    assert "Readings and noise" in page
    assert "pooled over all points: value 0.5" in page
    assert "single reading" in page
    assert "mean of 3 readings; believed" in page
    assert "(one standard deviation)" in page
    (tmp_path / "same").mkdir()
    same = page_of(tmp_path / "same", '[run]\nrepeats = "auto"\n', [({"x": x, "y": 1}, x) for x in (1, 1, 2)])
    assert "Several readings of one point have been the same." in same


def test_the_page_of_a_result_shows_the_same(tmp_path: Path) -> None:
    optimizer = hr.Optimizer(
        hr.Space({"x": hr.Integer(0, 9), "y": hr.Integer(0, 9)}),
        ["x + y <= 14"],
        objectives={"time": "minimize", "work": "maximize"},
        limits={"fits": "memory <= 9"},
    )
    for point, outcome in TOLD:
        optimizer.tell(point, outcome)
    hr.write_report(optimizer, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert '<section id="front">' in page
    assert "Limits with their margins" in page


def test_each_outcome_has_its_own_unit(tmp_path: Path) -> None:
    page = page_of(tmp_path, GOALS + '[objective]\nunit = { time = "ms", memory = "KB" }\n', TOLD)
    assert "time, ms (minimize ←)" in page
    assert "work (maximize)" in page
    for name in ("time, ms", "work", "memory, KB"):
        assert f'<th scope="row">{name}</th>' in page


def test_doing_it_again_takes_the_trials_that_were_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    file.write_text(f"{FILE}[run]\nbudget = 3\n")
    problem = load_problem(file, {"budget": 5})
    study = Study(problem)
    study.tell({"x": 0, "y": 0}, 3.0)
    for _ in range(5):
        asked = study.ask(None)
        assert asked is not None
        study.tell(asked.point, 1.0)
    page = render(report_of(load_problem(file), file))
    assert "--budget 5<" in page
    assert "3 trials in the file, 5 asked for and ended, 1 worker" in page


def test_what_is_left_is_shown(tmp_path: Path) -> None:
    told = [({"x": x, "y": y}, float((x - 5) ** 2 + y)) for x in range(0, 10, 2) for y in (0, 4)]
    page = page_of(tmp_path, '[run]\nbudget = 3\n[objective]\nunit = "ms"\n', told)
    assert '<section id="left">' in page
    assert "80 of 90 feasible points are untried." in page
    assert "5 trials ended since the best point was found, in trial 4." in page
    assert "80 points: every untried feasible point" in page
    assert re.search(r"Expected of the next trial</dt><dd>[\d.e-]+ ms<", page)
    (tmp_path / "other").mkdir()
    several = page_of(tmp_path / "other", GOALS, TOLD)
    assert "trials ended since the front last grew" in several
    assert "no single number" in several


def test_the_first_line_of_what_a_trial_complained_of_is_shown() -> None:
    failures = [
        TrialFact(k, "failed", None, None, True, None, None, "exit code 1", output, "")
        for k, output in enumerate(
            (
                "out\n--- standard error ---\nfirst <complaint>\nsecond",
                "--- standard error ---\nTraceback (most recent call last):\n  File\nMemoryError: too much",
                "out",
            )
        )
    ]
    assert [complaint_of(trial) for trial in failures] == ["first <complaint>", "MemoryError: too much", "exit code 1"]


def optuna_study(sampler: Any, *, is_named: bool = False) -> optuna.Study:
    study = optuna.create_study(study_name="theirs", directions=["minimize", "maximize"], sampler=sampler)
    if is_named:
        study.set_metric_names(["time", "work"])

    def objective(trial: optuna.Trial) -> tuple[float, float]:
        x, y = trial.suggest_int("x", 0, 9), trial.suggest_int("y", 0, 9)
        if x == 7:
            raise ValueError("no seven")
        trial.set_constraint("memory's", float(x + y - 9))
        trial.set_user_attr("memory", float(x + y))
        return float((x - 5) ** 2 + y), float(x * y)

    study.optimize(objective, n_trials=25, catch=ValueError)
    return study


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
@pytest.mark.parametrize("is_ours", [True, False])
def test_an_optuna_study_with_several_directions_and_constraints_has_the_same_page(
    is_ours: bool, tmp_path: Path
) -> None:
    space = hr.Space({"x": hr.Integer(0, 9), "y": hr.Integer(0, 9)})
    ours = hr.HedgerowSampler(space, ["x + y <= 14"], method="random")
    study = optuna_study(ours if is_ours else optuna.samplers.RandomSampler(seed=1), is_named=True)
    hr.write_report(study, tmp_path / "page.html", rules=None if is_ours else ["x + y <= 14"])
    page = (tmp_path / "page.html").read_text()
    assert "Minimize time and maximize work" in page
    assert '<section id="front">' in page
    n_front = len(study.best_trials)
    within = [trial for trial in study.best_trials if sum(trial.params.values()) <= 14]
    assert n_front == len(within)
    assert f"{n_front} points" in page
    assert "slack of constraint memory&#x27;s" in page
    assert "Limits with their margins" in page
    assert "constraint_0 &lt;= 0" in page
    assert "trials ended since the front last grew" in page
    assert '<section id="failures">' in page


def test_limits_names_and_repeats_of_our_sampler_are_on_the_page_of_its_study(tmp_path: Path) -> None:
    space = hr.Space({"x": hr.Integer(0, 9), "y": hr.Integer(0, 9)})
    goals = {"time": "minimize", "work": "maximize"}
    sampler = hr.HedgerowSampler(space, objectives=goals, limits={"fits": "memory <= 9"}, method="random")
    hr.write_report(optuna_study(sampler), tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "memory &lt;= 9" in page
    assert "Minimize time and maximize work" in page
    single = optuna.create_study(sampler=hr.HedgerowSampler(space, method="random", repeats=3))
    single.optimize(lambda trial: trial.suggest_int("x", 0, 9) + trial.number % 3 + 0 * trial.suggest_int("y", 0, 9), 9)
    hr.write_report(single, tmp_path / "single.html")
    page = (tmp_path / "single.html").read_text()
    assert "pooled over all points: value 1" in page


def test_a_pruned_trial_of_an_optuna_study_with_constraints_is_never_best(tmp_path: Path) -> None:
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=2))

    def objective(trial: optuna.Trial) -> float:
        x = trial.suggest_int("x", 0, 9)
        trial.set_constraint("cap", float(x - 8))
        if trial.number == 3:
            trial.report(-100.0, step=1)
            raise optuna.TrialPruned
        return float(x)

    study.optimize(objective, n_trials=12)
    hr.write_report(study, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert study.trials[3].state is optuna.trial.TrialState.PRUNED
    assert f"<strong>{study.best_value:g}</strong>" in page
    assert "<strong>-100" not in page


def part_of(page: str, name: str) -> str:
    start = page.index(f'<section id="{name}">')
    return page[start : page.index("</section>", start)]


def test_each_objective_has_its_own_sections_by_name(tmp_path: Path) -> None:
    page = page_of(tmp_path, GOALS, TOLD)
    effects = part_of(page, "effects")
    assert "<h2>What each variable does to time</h2>" in effects
    assert "What each variable does to work" in effects
    assert "Predictions of work by a model of 12 values" in effects
    assert "<h2>What variables do together to time</h2>" in part_of(page, "interactions")
    assert "What variables do together to work" in part_of(page, "interactions")
    convergence = part_of(page, "convergence")
    assert "dominated volume" in convergence
    assert "Convergence of time" in convergence
    assert "Convergence of work" in convergence
    parallel = part_of(page, "parallel")
    assert "<h2>All observations, across the variables and time</h2>" in parallel
    assert "the better its work" in parallel


def test_what_binds_is_said_of_the_first_point_of_the_front(tmp_path: Path) -> None:
    page = page_of(tmp_path, GOALS, TOLD)
    assert "at the first point of the front" in part_of(page, "rules")
    assert "at the best point" not in page


def test_outcomes_are_bold_only_where_they_differ(tmp_path: Path) -> None:
    told = [({"x": x, "y": 0}, {"time": float(x), "work": float(x), "memory": 5.0}) for x in (1, 2, 3)]
    best = part_of(page_of(tmp_path, GOALS, told), "best")
    rows = {name: re.search(f">{name}</th>(.*?)</tr>", best) for name in ("memory", "time", "slack of fits")}
    marked = {name: found.group(1).count("differs") for name, found in rows.items() if found is not None}
    assert marked == {"memory": 0, "time": 2, "slack of fits": 0}
    assert "<b>" not in best


@pytest.mark.parametrize("repeats", ["false", '"auto"'])
def test_the_dominated_volume_grows_to_that_of_the_front(tmp_path: Path, repeats: str) -> None:
    file = tmp_path / "study.toml"
    file.write_text(f"{FILE}{GOALS}[run]\nrepeats = {repeats}\n")
    problem = load_problem(file)
    study = Study(problem)
    for point, outcome in TOLD:
        study.tell(point, outcome)
    growth = growth_of(report_of(problem, file))
    assert growth is not None
    shares = [share for _, share in growth.shares]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert shares[0] < 1.0


def test_a_front_of_one_point_dominates_no_volume_worth_a_picture(tmp_path: Path) -> None:
    told = [({"x": x, "y": 0}, {"time": float(x), "work": 1.0, "memory": 5.0}) for x in (1, 2, 3)]
    convergence = part_of(page_of(tmp_path, GOALS, told), "convergence")
    assert "dominated volume" not in convergence
    assert "Convergence of time" in convergence


def test_what_is_left_if_beliefs_were_less_sure_says_so(tmp_path: Path) -> None:
    told = [({"x": x, "y": y}, float((x - 5) ** 2 + y)) for x in range(0, 10, 2) for y in (0, 4)]
    page = page_of(tmp_path, "[run]\nbudget = 3\n", told)
    assert "If the beliefs were half as sure" in page
    assert "cautious</dt>" not in page

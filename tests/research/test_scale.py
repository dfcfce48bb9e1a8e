"""The scale benchmark's own bookkeeping."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.methods.threads import one_thread
from research.harness.row import Row
from research.harness.spec import load_spec
from research.problems import get_problem
from research.scale.costs import Cost, measure, refit_period
from research.scale.digits import problem_named
from research.scale.handover import compare
from research.scale.page import Searches, page, slope
from research.scale.regret import ahead, lowest_known, regrets
from research.scale.searches import against_listing, against_solver, true_values


def row(cell: str, seed: int, *improvements: tuple[int, float], stopped: str = "budget", n_rounds: int = 500) -> Row:
    return Row(
        task="ising-60",
        cell=cell,
        seed=seed,
        budget=500,
        measure="run",
        n_rounds=n_rounds,
        stopped=stopped,
        improvements=improvements,
        invalid_rounds=(),
        n_repeated=0,
        seconds=5.0,
        version="0",
        machine="a machine",
        date="2026-11-16",
        series={},
    )


ROWS = [
    row("auto", 0, (1, -10.0), (60, -80.0)),
    row("auto", 1, (1, -20.0), (90, -70.0)),
    row("evolution", 0, (1, -10.0), (80, -75.5)),
    row("tpe;variant=u", 0, (150, -5.0)),
]


def test_regret_is_counted_from_the_lowest_value_known() -> None:
    lowest = lowest_known(get_problem("ising-60"), ROWS)
    assert lowest == get_problem("ising-60").best_known
    ours, evolution, blind = regrets(ROWS, {"ising-60": -80.0})
    assert [ours.at(n) for n in (50, 100, 500)] == [65.0, 5.0, 5.0]
    assert np.isnan(blind.at(100)) and blind.at(200) == 75.0
    assert ahead(ours, [evolution, blind]) == {50: True, 100: False, 200: False, 500: False}


def test_the_page_says_who_is_ahead() -> None:
    lowest = {"ising-60": -80.0}
    text = page(ROWS, [regrets(ROWS, lowest)], lowest, [], Searches([], [], []), "What it means.")
    assert "What it means." in text
    assert "| Hedgerow default | 2 | **65** | 5 |" in text
    assert "none feasible" in text


def test_slopes_are_those_of_powers() -> None:
    costs = [Cost("t", 30.0, n, 0.001 * n**0.7, 0.0, 0.0, 0.0) for n in (50, 500, 5000)]
    assert slope(costs) == pytest.approx(0.7)


def test_the_specification_names_what_exists() -> None:
    experiment = load_spec("scale")
    assert "gap-30x10" in experiment.tasks
    assert len(list(experiment.works())) > 100


def test_costs_are_measured_in_any_size() -> None:
    small, large, fine = measure("digits-4", 20), measure("digits-12", 20), measure("levels-100", 20)
    assert [round(cost.log10_points) for cost in (small, large, fine)] == [4, 12, 20]
    assert min(small.seconds, large.seconds, large.peak_mib) > 0
    assert small.median <= small.slowest


def test_asks_are_measured_over_whole_periods_of_the_schedule() -> None:
    assert [refit_period(n) for n in (20, 100, 1000)] == [1, 4, 32]


def test_searches_are_compared_with_the_truth() -> None:
    with one_thread():
        listed = against_listing("digits-4", 20)
    assert listed.n_exact >= 4 and listed.mean_share <= 1 + 1e-9
    problem = get_problem("ising-60")
    solved = against_solver(problem, true_values()["ising-60"])
    assert problem.best_known is not None
    assert problem.best_known <= solved.best + 1e-9 and solved.mean < 0.97 * problem.best_known


def test_models_of_many_observations_are_compared_on_new_points() -> None:
    kernel, *ensembles = compare("ising-60", 150)
    assert [learned.model for learned in ensembles] == ["CP-4 on all", "TT-4 on all"]
    assert all(-1 <= learned.correlation <= 1 for learned in ensembles)
    assert kernel.correlation > 0.3


def test_digits_have_the_sum_they_should() -> None:
    problem = problem_named("digits-6")
    assert problem.objective is not None
    value = problem.objective({"x": [9, 9, 6, 0, 0, 0]})
    assert value is not None and np.isfinite(value)

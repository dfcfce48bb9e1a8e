"""The means that the sample-efficiency benchmark reports, on runs made by hand."""

import json
import math
from collections.abc import Sequence

import pytest

from research.harness.tasks import FAMILIES, problem_name
from research.problems import Published, problem_names
from research.sample_efficiency.plot import curves_of
from research.sample_efficiency.runs import Run
from research.sample_efficiency.show import compared
from research.sample_efficiency.summary import Summary, geometric_mean, is_as_good, mean_best, summarize
from research.sample_efficiency.tasks import TASKS, Reference


def run(
    best: Sequence[float | None],
    *,
    reached: bool,
    task: str = "gap-a",
    method: str = "auto",
    budget: int = 20,
    seed: int = 0,
) -> Run:
    return Run(task, method, seed, budget, tuple(best), reached, seconds_per_ask=0.5, invalid=0, duplicates=1)


REFERENCE = Reference("gap-a", optimum=-2.0, published=Published(-1.99, 8.0, "some rank"))


def test_a_miss_counts_as_the_budget() -> None:
    summary = summarize([run([1.0, -2.0], reached=True), run([1.0] * 20, reached=False)], REFERENCE)
    assert summary.evaluations == (2 + 20) / 2
    assert summary.misses == 1
    assert summary.mean_best == (-2.0 + 1.0) / 2
    assert summary.duplicates == 2
    assert summary.milliseconds_per_ask == 500


def test_a_run_that_ended_stays_at_its_best() -> None:
    runs = [run([3.0, 1.0, -2.0], reached=True), run([5.0, 4.0, 3.0, 2.0], reached=False)]
    assert [mean_best(runs, n) for n in (1, 2, 3, 4, 20)] == [4.0, 2.5, 0.5, 0.0, 0.0]
    assert curves_of(runs).tolist() == [[3, 1, -2, -2], [5, 4, 3, 2]]


def test_a_mean_is_unknown_until_every_run_has_a_value() -> None:
    runs = [run([None, 1.0], reached=False, budget=25), run([2.0, 2.0], reached=False, budget=25)]
    assert math.isnan(mean_best(runs, 1))
    assert mean_best(runs, 2) == 1.5
    nothing = summarize([run([None] * 25, reached=False, budget=25)], REFERENCE)
    assert json.loads(json.dumps(nothing.to_dict(), allow_nan=False))["mean_best_at"] == {"25": None}


@pytest.mark.parametrize(
    ("value", "published", "expected"),
    [(-7.315973, -7.32, True), (-7.314, -7.32, False), (0.004, 0.0, True), (0.006, 0.0, False), (None, 1.0, False)],
)
def test_values_are_compared_as_printed(value: float | None, published: float, expected: bool) -> None:
    assert is_as_good(value, published) is expected


def test_an_unknown_mean_is_not_as_good() -> None:
    assert not is_as_good(math.nan, 1.0)


def test_the_published_value_is_looked_for_after_half_and_a_quarter_of_its_round() -> None:
    published = summarize([run([0.0, -1.0, -1.5, -1.99, -2.0], reached=True)], REFERENCE).published
    assert published is not None
    assert published.must is not None
    assert published.hoped is not None
    assert (published.must.evaluations, published.must.mean_best, published.must.is_met) == (4, -1.99, True)
    assert (published.hoped.evaluations, published.hoped.mean_best, published.hoped.is_met) == (2, -1.0, False)
    assert (published.evaluations, published.misses) == (4, 0)


def test_on_warcraft_2x2_the_published_round_itself_counts() -> None:
    reference = Reference("warcraft-2x2", 0.5, Published(0.5, 25.6, "some rank"))
    published = summarize([run([1.0] * 24 + [0.5], reached=True, budget=30)], reference).published
    assert published is not None
    assert published.must is not None
    assert (published.must.evaluations, published.must.is_met) == (25, True)


def test_what_lies_beyond_the_budget_is_known_only_of_runs_that_ended() -> None:
    reference = Reference("gap-a", -2.0, Published(-1.99, 100.0, "some rank"))
    ended, cut = run([-2.0], reached=True), run([0.0] * 20, reached=False)
    both = summarize([ended, cut], reference).published
    one = summarize([ended], reference).published
    assert both is not None
    assert one is not None
    assert both.must is None
    assert one.must is not None
    assert one.must.is_met


def test_a_family_is_held_to_the_published_mean_as_a_whole() -> None:
    reference = Reference("diabetes", None, Published(0.18, 8.0, "some rank"))
    runs = [
        run([0.5, 0.3, 0.21], reached=True, task="diabetes", seed=0),
        run([0.5, 0.2, 0.15], reached=True, task="diabetes", seed=1),
    ]
    published = summarize(runs, reference).published
    assert published is not None
    assert (published.evaluations, published.misses) == (3, 0)


def test_the_geometric_mean_covers_tasks_that_all_methods_ran_as_often() -> None:
    def summary(task: str, method: str, n: int, n_runs: int = 1) -> Summary:
        runs = [run([0.0] * n, reached=True, task=task, method=method)] * n_runs
        return summarize(runs, Reference(task, 0.0, None))

    both = [summary(task, method, n) for task in ("gap-a", "gap-b") for method, n in (("auto", 4), ("random", 9))]
    alone = [summary("ising-a", "auto", 100)]
    fewer = [summary("ising-b", "auto", 100, 2), summary("ising-b", "random", 50, 1)]
    (line,) = compared([*both, *alone, *fewer])
    assert line.endswith("over 2 of 9 tasks: auto 4.0, random 9.0")
    assert compared(alone) == []
    assert geometric_mean([2.0, 8.0]) == pytest.approx(4.0)


def test_every_task_is_a_problem_or_a_family_of_them() -> None:
    assert {problem_name(task, seed) for task in TASKS for seed in range(10)} <= set(problem_names())
    assert problem_name("diabetes", 13) == FAMILIES["diabetes"][3]

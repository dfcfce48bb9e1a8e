"""How soon runs are as good as something known, on rows made by hand."""

import math
from collections.abc import Sequence

import pytest

from research.harness.milestones import compared_on, geometric_mean, is_as_good, mean_best, milestone, to_published
from research.harness.row import Row
from research.harness.spec import load_spec
from research.harness.summary import summarize
from research.harness.tasks import FAMILIES, problem_name
from research.problems import Published, problem_names
from tests.research.harness.rows import row

PUBLISHED = Published(-1.99, 8.0, "some rank")


def run(best: Sequence[float | None], *, reached: bool, **changes: object) -> Row:
    values = [(number, value) for number, value in enumerate(best, start=1) if value is not None]
    improvements = tuple(pair for place, pair in enumerate(values) if not place or pair[1] < values[place - 1][1])
    given = {"improvements": improvements, "n_rounds": len(best), "stopped": "optimum" if reached else "budget"}
    return row(**{**given, **changes})  # type: ignore[arg-type]


def test_a_miss_counts_as_the_budget() -> None:
    (summary,) = summarize([run([1.0, -2.0], reached=True), run([1.0] * 20, reached=False, seed=1)])
    assert summary.evaluations == (2 + 20) / 2
    assert summary.misses == 1


def test_a_run_that_ended_stays_at_its_best() -> None:
    runs = [run([3.0, 1.0, -2.0], reached=True), run([5.0, 4.0, 3.0, 2.0], reached=False)]
    assert [mean_best(runs, n) for n in (1, 2, 3, 4, 20)] == [4.0, 2.5, 0.5, 0.0, 0.0]


def test_a_mean_is_unknown_until_every_run_has_a_value() -> None:
    runs = [run([None, 1.0], reached=False), run([2.0, 2.0], reached=False)]
    assert math.isnan(mean_best(runs, 1))
    assert mean_best(runs, 2) == 1.5


@pytest.mark.parametrize(
    ("value", "published", "expected"),
    [(-7.315973, -7.32, True), (-7.314, -7.32, False), (0.004, 0.0, True), (0.006, 0.0, False), (math.nan, 1.0, False)],
)
def test_values_are_compared_as_printed(value: float, published: float, expected: bool) -> None:
    assert is_as_good(value, published) is expected


def test_the_published_value_is_looked_for_after_parts_of_its_round() -> None:
    runs = [run([0.0, -1.0, -1.5, -1.99, -2.0], reached=True)]
    must, hoped = milestone(runs, PUBLISHED, 0.5), milestone(runs, PUBLISHED, 0.25)
    assert must is not None
    assert hoped is not None
    assert (must.n_rounds, must.mean_best, must.is_met) == (4, -1.99, True)
    assert (hoped.n_rounds, hoped.mean_best, hoped.is_met) == (2, -1.0, False)
    reached = to_published(runs, PUBLISHED)
    assert (reached.rounds, reached.n_missed) == (4, 0)


def test_what_lies_beyond_the_budget_is_known_only_of_runs_that_ended() -> None:
    late = Published(-1.99, 100.0, "some rank")
    ended, cut = run([-2.0], reached=True), run([0.0] * 20, reached=False)
    assert milestone([ended, cut], late, 0.5) is None
    known = milestone([ended], late, 0.5)
    assert known is not None
    assert known.is_met


def test_a_family_is_held_to_the_published_mean_as_a_whole() -> None:
    runs = [
        run([0.5, 0.3, 0.21], reached=True, task="diabetes"),
        run([0.5, 0.2, 0.15], reached=True, task="diabetes", seed=1),
    ]
    reached = to_published(runs, Published(0.18, 8.0, "some rank"))
    assert (reached.rounds, reached.n_missed) == (3, 0)


def test_the_geometric_mean_covers_tasks_that_all_methods_ran_as_often() -> None:
    def runs(task: str, cell: str, n: int, n_runs: int = 1) -> list[Row]:
        values = list(range(n, 0, -1))
        return [run(values, reached=True, task=task, cell=cell, seed=seed, budget=200) for seed in range(n_runs)]

    both = [
        row for task in ("gap-a", "gap-b") for cell, n in (("auto", 4), ("random", 9)) for row in runs(task, cell, n)
    ]
    alone = runs("ising-a", "auto", 100)
    fewer = [*runs("ising-b", "auto", 100, 2), *runs("ising-b", "random", 50), *runs("ising-b", "evolution", 3)]
    tasks = ["gap-a", "gap-b", "ising-a", "ising-b"]
    sentence = compared_on(summarize([*both, *alone, *fewer]), tasks)
    assert sentence.endswith("over 2 of 4 tasks: Hedgerow default 4.0, random feasible 9.0.")
    assert compared_on(summarize(alone), tasks) == ""
    assert geometric_mean([2.0, 8.0]) == pytest.approx(4.0)


def test_every_task_is_a_problem_or_a_family_of_them() -> None:
    tasks = load_spec("sample-efficiency").tasks
    assert {problem_name(task, seed) for task in tasks for seed in range(10)} <= set(problem_names())
    assert problem_name("diabetes", 13) == FAMILIES["diabetes"][3]

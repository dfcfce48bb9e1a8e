"""Problems whose functions are drawn: their optima, the same again for an instance, and another for the next."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.feasible import FeasibleSet
from hedgerow.space.encoding import decode
from research.problems import BenchmarkProblem, get_problem
from research.problems.drawn.bits import Tables, _descended, _lowest, scattered, spins
from research.problems.drawn.labels import rounded

LISTED = ("motif-8", "tiles", "options", "forest", "network")


def values(problem: BenchmarkProblem, n: int, whole: bool = False) -> np.ndarray:
    assert problem.objective is not None
    codes = FeasibleSet(problem.space, problem.rules).codes
    rows = np.concatenate(list(codes.batches())) if whole else codes.draw(n, np.random.default_rng(0))
    return np.array([problem.objective(decode(problem.space, row)) for row in rows])


@pytest.mark.parametrize("family", LISTED)
def test_the_optimum_is_the_lowest_of_all_points(family: str) -> None:
    problem = get_problem(f"{family}-1")
    every = values(problem, 0, whole=True)
    assert every.size == problem.n_feasible
    assert every.size <= 30_000
    assert every.min() == problem.optimum


@pytest.mark.parametrize("family", LISTED)
def test_an_instance_is_the_same_again_and_the_next_another(family: str) -> None:
    one, again, other = (values(get_problem(f"{family}-{k}"), 20) for k in (0, 0, 1))
    assert (one == again).all()
    assert one.shape != other.shape or (one != other).any()


def test_no_drawn_row_is_below_the_optimum_of_bits() -> None:
    problem = scattered(10, 0)
    every = values(problem, 0, whole=True)
    assert every.min() == pytest.approx(problem.optimum)


def test_spins_keep_their_rule_and_their_optimum() -> None:
    problem = spins(10, 3)
    every = values(problem, 0, whole=True)
    assert every.size == 252
    assert every.min() == pytest.approx(problem.optimum)


def test_rounded_sums_have_the_optimum_of_each_label_and_come_in_whole_numbers() -> None:
    problem = get_problem("rounded-20-2")
    assert problem.objective is not None
    every = values(problem, 200)
    assert (every == np.round(every)).all()
    assert np.unique(every).size < every.size / 4
    lowest = rounded(3, 2)
    assert values(lowest, 0, whole=True).min() == lowest.optimum


def test_descents_come_near_the_optimum() -> None:
    rng = np.random.default_rng(0)
    places = np.stack([rng.choice(12, 3, replace=False) for _ in range(24)])
    function = Tables(places, rng.normal(size=(24, 8)))
    assert _descended(function, 12, rng) == pytest.approx(_lowest(function, 12, None))

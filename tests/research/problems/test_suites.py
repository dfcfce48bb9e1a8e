"""Problems of published suites: an instance of each builds, gives numbers, and survives being sent to a worker."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import hedgerow as hr
from research.harness.tasks import problem_name
from research.problems import get_problem
from research.problems.suites import FAMILIES, PROBLEMS


@pytest.mark.parametrize("family", sorted(set(FAMILIES) - {"ehrlich-32x32", "ehrlich-32x128"}))
def test_an_instance_gives_numbers_no_better_than_its_optimum(family: str) -> None:
    problem = get_problem(problem_name(family, 1))
    assert problem.name == f"{family}-1"
    objective = pickle.loads(pickle.dumps(problem.objective))  # noqa: S301 - our own bytes
    assert problem.objective is not None
    for point in hr.FeasibleSet(problem.space, problem.rules).sample(3, seed=1):
        value = problem.objective(point)
        assert isinstance(value, float)
        assert value == objective(point)
        assert problem.optimum is None or value >= problem.optimum - 1e-9


def test_names_lead_to_problems_of_that_name() -> None:
    assert set(PROBLEMS) == {name for names in FAMILIES.values() for name in names}
    assert get_problem("chain-24-7").name == "chain-24-7"


def test_a_chain_s_optimum_is_that_of_brute_force() -> None:
    from research.problems.suites.chain import _least  # noqa: PLC0415

    tables = np.random.default_rng(0).normal(size=(6, 8))
    rows = (np.arange(2**8)[:, None] >> np.arange(8)) & 1
    numbers = 4 * rows[:, :-2] + 2 * rows[:, 1:-1] + rows[:, 2:]
    assert _least(tables) == pytest.approx(tables[np.arange(6), numbers].sum(axis=1).min())


def test_signs_and_stages_are_worth_what_is_published() -> None:
    labs = get_problem("labs-50-0")
    assert labs.optimum == pytest.approx(-8.17, abs=0.01)
    ehrlich = get_problem("ehrlich-20x15-0")
    assert len(ehrlich.rules) > 40

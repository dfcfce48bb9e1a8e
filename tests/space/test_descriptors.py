"""Numbers that describe labels: every form they are given in, files, bad input, and what they are worth."""

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.errors import SpaceError
from hedgerow.methods.auto.kernel.described import DescribedCodes
from hedgerow.methods.auto.kernel_problem import KernelProblem
from hedgerow.methods.problem import CodeProblem
from hedgerow.problem_file import format_problem, parse_problem

pd = pytest.importorskip("pandas")

SOLVENTS = ["water", "ethanol", "hexane"]
DESCRIBED = hr.Categorical(SOLVENTS, descriptors={"polarity": [1.0, 0.65, 0.01], "size": [18, 46, 86]})


@pytest.mark.parametrize(
    "given",
    [
        {"polarity": (1.0, 0.65, 0.01), "size": np.array([18, 46, 86])},
        {"polarity": {"hexane": 0.01, "water": 1, "ethanol": 0.65}, "size": [18, 46, 86]},
        pd.DataFrame({"polarity": [1.0, 0.65, 0.01], "size": [18, 46, 86]}),
        pd.DataFrame({"polarity": [0.01, 0.65, 1.0], "size": [86, 46, 18]}, index=["hexane", "ethanol", "water"]),
    ],
    ids=["lists", "by-label", "frame", "frame-by-label"],
)
def test_all_forms_say_the_same(given: Any) -> None:
    assert hr.Categorical(SOLVENTS, descriptors=given) == DESCRIBED


def test_they_go_through_files_and_reprs() -> None:
    space = hr.Space({"solvent": DESCRIBED, "hours": [1, 2]})
    assert parse_problem(format_problem(space, {})).space == space
    assert eval(repr(DESCRIBED), {"Categorical": hr.Categorical}) == DESCRIBED  # noqa: S307 - our own text
    assert "descriptors" not in repr(hr.Categorical(SOLVENTS))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([1, 2, 3], "descriptors is a data frame with a row for each label, or a dict .* list was given"),
        ({}, "descriptors has no columns"),
        ({"size": [1, 2]}, "The descriptor 'size' has 2 numbers for 3 labels"),
        ({"size": {"water": 1, "ethanol": 2, "hexan": 3}}, "no number for 'hexane'.*hexan"),
        ({"size": [1, "2", 3]}, "The descriptor 'size' of 'ethanol' is '2', which is no finite number"),
        ({"size": [1, float("nan"), 3]}, "'ethanol' is nan, which is no finite number"),
        ({"size": 5}, "The descriptor 'size' is a list of numbers, but 5 was given"),
    ],
)
def test_bad_input_is_named(given: Any, message: str) -> None:
    with pytest.raises(SpaceError, match=message):
        hr.Categorical(SOLVENTS, descriptors=given)


@pytest.mark.parametrize("n", [1, 2, 3, 10, 40])
def test_every_pair_of_labels_has_its_own_difference(n: int) -> None:
    numbers = np.random.default_rng(n).normal(size=n)
    described = DescribedCodes.of((("size", tuple(numbers.tolist())),), may_miss=True)
    differences = np.abs(described.codes[:, None] - described.codes)[np.triu_indices(n + 1, 1)]
    assert np.unique(differences).size == differences.size
    expected = np.abs(numbers[:, None] - numbers) / (np.ptp(numbers) or 1.0)
    assert described.distances[np.abs(described.codes[:n, None] - described.codes[:n])] == pytest.approx(expected)


def test_labels_that_are_alike_are_closer_and_no_value_is_far() -> None:
    space = hr.Space(
        {
            "kind": ["a", "b"],
            "solvent": hr.Categorical(SOLVENTS, descriptors={"polarity": [1.0, 0.9, 0.0]}, when="kind == 'a'"),
        }
    )
    problem = KernelProblem(CodeProblem(hr.FeasibleSet(space)))
    kernel = problem.kernel
    tables = kernel.tables(kernel.center)
    rows = problem.active_part(np.array([[0, 0], [0, 1], [0, 2], [1, 3]]))
    water, ethanol, hexane, none = rows[:, 1]
    close, far, missing = (tables[1, abs(int(water - other))] for other in (ethanol, hexane, none))
    assert 1.0 > close > far > missing


def test_without_descriptors_nothing_changes() -> None:
    plain = hr.Space({"solvent": hr.Categorical(SOLVENTS), "x": hr.Integer(0, 4)})
    problem = KernelProblem(CodeProblem(hr.FeasibleSet(plain)))
    assert not problem.kernel.recoded


def trials_to_best(seed: int, descriptors: str) -> int:
    """How many trials it takes where a label matters through one number that describes it."""
    rng = np.random.default_rng(seed)
    labels = [f"s{k}" for k in range(16)]
    polarity, other = rng.uniform(size=16), rng.uniform(size=16)
    known = {"polarity": polarity.tolist()} if descriptors == "true" else {"other": other.tolist()}
    space = hr.Space(
        {
            "solvent": hr.Categorical(labels, descriptors=None if descriptors == "none" else known),
            "t": hr.Integer(0, 9),
            "u": hr.Integer(0, 9),
        }
    )

    def measured(point: dict[str, Any]) -> float:
        number = float(polarity[labels.index(point["solvent"])])
        t, u = float(point["t"]), float(point["u"])
        return 4.0 * abs(number - 0.4) + 0.05 * (t - 3) ** 2 + 0.1 * t * number + 0.2 * u

    grid = itertools.product(labels, range(10), range(10))
    optimum = min(measured({"solvent": label, "t": t, "u": u}) for label, t, u in grid if t + u >= 3)

    def is_best(optimizer: hr.Optimizer) -> bool:
        return optimizer.best is not None and optimizer.best.value == optimum

    result = hr.minimize(measured, space, ["t + u >= 3"], budget=40, seed=seed, callbacks=[is_best])
    return len(result.observations)


def test_descriptors_that_matter_save_trials_and_others_cost_little() -> None:
    trials = {kind: sum(trials_to_best(seed, kind) for seed in range(3)) for kind in ("none", "true", "other")}
    assert trials["true"] < 0.9 * trials["none"], trials
    assert trials["other"] < 1.3 * trials["none"], trials


def test_a_copy_keeps_them() -> None:
    assert replace(DESCRIBED, when="x == 1").descriptors == DESCRIBED.descriptors
    assert replace(hr.Categorical(SOLVENTS), when="x == 1").descriptors == ()

"""Spaces and Optuna distributions say the same thing."""

from __future__ import annotations

import pytest
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution

import hedgerow as hr
from hedgerow.optuna.distributions import (
    N_LEVELS,
    as_suggested,
    check_fits,
    distributions_of,
    space_from_distributions,
)

SPACE = hr.Space(
    {
        "count": hr.Integer(1, 10, step=4),
        "size": [16, 32, 64],
        "even": [2, 4, 6],
        "share": hr.Real(0.0, 1.0, levels=5),
        "rate": hr.Real(1e-4, 1e-1, levels=4, log=True),
        "flag": bool,
        "kind": ["a", "b"],
        "grade": hr.Ordinal(["low", "high"]),
        "part": hr.Vector(hr.Integer(0, 2), 2),
    }
)


def test_every_level_is_in_its_distribution() -> None:
    distributions = distributions_of(SPACE)
    assert list(distributions) == [slot.name for slot in SPACE.slots]
    for slot in SPACE.slots:
        distribution = distributions[slot.name]
        check_fits(SPACE, slot.name, distribution)
        for value in slot.variable.values:
            suggested = as_suggested(value, distribution)
            assert distribution._contains(distribution.to_internal_repr(suggested))
            assert suggested == value


@pytest.mark.parametrize(
    ("name", "distribution"),
    [
        ("count", IntDistribution(1, 9, step=4)),
        ("count", CategoricalDistribution([9, 1, 5])),
        ("size", CategoricalDistribution([64, 16, 32])),
        ("even", IntDistribution(2, 6, step=2)),
        ("even", CategoricalDistribution([2, 4, 6])),
        ("share", FloatDistribution(0, 1, step=0.25)),
        ("share", FloatDistribution(0, 1)),
        ("share", CategoricalDistribution([0.0, 0.25, 0.5, 0.75, 1.0])),
        ("flag", CategoricalDistribution([True, False])),
        ("part[1]", IntDistribution(0, 2)),
    ],
)
def test_the_same_values_fit_in_any_form(name: str, distribution: BaseDistribution) -> None:
    check_fits(SPACE, name, distribution)


@pytest.mark.parametrize(
    ("name", "distribution", "both"),
    [
        ("count", IntDistribution(1, 10), ("whole numbers from 1 to 10", "[1, 5, 9]")),
        ("size", IntDistribution(16, 64), ("whole numbers from 16 to 64", "[16, 32, 64]")),
        ("share", FloatDistribution(0, 2), ("numbers from 0.0 to 2.0", "[0.0, 0.25, 0.5, 0.75, 1.0]")),
        ("flag", CategoricalDistribution([0, 1]), ("[0, 1]", "[False, True]")),
        ("kind", CategoricalDistribution(["a", "b", "c"]), ("['a', 'b', 'c']", "['a', 'b']")),
        ("kind", IntDistribution(0, 1), ("whole numbers from 0 to 1", "['a', 'b']")),
    ],
)
def test_a_mismatch_names_the_parameter_and_both_domains(
    name: str, distribution: BaseDistribution, both: tuple[str, str]
) -> None:
    with pytest.raises(hr.StudyError) as caught:
        check_fits(SPACE, name, distribution)
    message = str(caught.value)
    assert f"'{name}'" in message
    assert all(domain in message for domain in both)
    assert f"trial.suggest_{'categorical' if name in ('size', 'flag', 'kind') else ''}" in message


def test_an_unknown_parameter_is_named_with_a_near_one() -> None:
    with pytest.raises(hr.StudyError, match="'knd', which is not in the space; did you mean 'kind'"):
        check_fits(SPACE, "knd", CategoricalDistribution(["a", "b"]))


def test_distributions_become_a_space_that_they_fit() -> None:
    given: dict[str, BaseDistribution] = {
        "i": IntDistribution(1, 9, step=2),
        "l": IntDistribution(1, 100, log=True),
        "big": IntDistribution(1, 10**9, log=True),
        "f": FloatDistribution(-10, 10, step=0.1),
        "c": FloatDistribution(1e-5, 1.0, log=True),
        "one": FloatDistribution(2.0, 2.0),
        "b": CategoricalDistribution([True, False]),
        "m": CategoricalDistribution([1, "a"]),
    }
    space = space_from_distributions(given)
    for name, distribution in given.items():
        if name != "big":
            check_fits(space, name, distribution)
    sizes = dict(zip(space, space.sizes, strict=True))
    assert (sizes["i"], sizes["l"], sizes["f"]) == (5, 100, 201)
    assert space.variables["c"] == hr.Real(1e-5, 1.0, log=True)
    assert space.slots[2].n_levels <= N_LEVELS
    levels = space.slots[2].variable.values
    assert (levels[0], levels[-1]) == (1, 10**9)
    assert 0.3 in space.slots[3].variable.values


@pytest.mark.parametrize(
    ("distribution", "message"),
    [
        (CategoricalDistribution([None, "a"]), "Parameter 'x': .*None"),
        (IntDistribution(0, 10**9), "Parameter 'x': .*levels"),
        (FloatDistribution(0, 1, step=1e-7), "Parameter 'x': .*levels"),
    ],
)
def test_distributions_without_a_space_are_refused(distribution: BaseDistribution, message: str) -> None:
    with pytest.raises(hr.SpaceError, match=message):
        space_from_distributions({"x": distribution})

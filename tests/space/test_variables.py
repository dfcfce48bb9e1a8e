"""Every kind of variable lists its values once, in order, and refuses what makes no sense."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hedgerow import Categorical, Integer, Ordinal, Real, Space, SpaceError, Vector
from hedgerow.space import Boolean, Levels, Variable
from hedgerow.space.domains import as_variable
from tests.oracles import time_limit


@pytest.mark.parametrize(
    ("domain", "kind", "values"),
    [
        ([32, 16, 64], Levels, (16, 32, 64)),
        ([0.5, 2], Levels, (0.5, 2.0)),
        (range(3), Levels, (0, 1, 2)),
        (np.array([3, 1]), Levels, (1, 3)),
        (["b", "a"], Categorical, ("b", "a")),
        (bool, Boolean, (False, True)),
        ([True, False], Boolean, (False, True)),
        ([True], Categorical, (True,)),
        (Integer(1, 7, step=3), Integer, (1, 4, 7)),
        (Integer(1, 6, step=3), Integer, (1, 4)),
        (Integer(-2, -2), Integer, (-2,)),
        (Real(0, 1, 11), Real, (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)),
        (Real(0.001, 10, 5, log=True), Real, (0.001, 0.01, 0.1, 1.0, 10.0)),
        (Ordinal(["low", "high"]), Ordinal, ("low", "high")),
        (Categorical([3, "x", 0.5]), Categorical, (3, "x", 0.5)),
    ],
)
def test_values_are_plain_and_in_order(domain: object, kind: type[Variable], values: tuple[object, ...]) -> None:
    variable = as_variable(domain)
    assert isinstance(variable, kind)
    assert [(type(v), v) for v in variable.values] == [(type(v), v) for v in values]


@pytest.mark.parametrize(
    ("variable", "is_ordered"),
    [
        (Levels([1, 2]), True),
        (Integer(1, 2), True),
        (Real(0, 1, 2), True),
        (Boolean(), True),
        (Ordinal(["a"]), True),
        (Categorical([1, 2]), False),
    ],
)
def test_only_categories_are_unordered(variable: Variable, is_ordered: bool) -> None:
    assert variable.is_ordered is is_ordered


Build = Callable[[], Any]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: as_variable([]), "The list of values is empty"),
        (lambda: Categorical([]), "Categorical is empty"),
        (lambda: Ordinal([]), "Ordinal is empty"),
        (lambda: as_variable([1, 2, 1]), "contains 1 twice"),
        (lambda: as_variable(["a", "a"]), "contains 'a' twice"),
        (lambda: Categorical([1, True]), "1 and True, which are equal"),
        (lambda: as_variable([1, 1.0]), "contains 1.0 twice"),
        (lambda: as_variable([1.0, math.nan]), "nan. Every value must be a finite number"),
        (lambda: as_variable([math.inf, 1]), "inf. Every value must be a finite number"),
        (lambda: Categorical([math.nan]), "nan"),
        (lambda: as_variable([1, "a"]), "mixes numbers with text"),
        (lambda: as_variable([1, True]), "mixes numbers with text or booleans"),
        (lambda: as_variable("abc"), "A domain cannot be 'abc'"),
        (lambda: as_variable(3), 'in a problem file [3], or a table such as { type = "integer", low = 1, high = 8 }'),
        (lambda: as_variable({1, 2}), "A domain cannot be"),
        (lambda: as_variable(None), "A domain cannot be None"),
        (lambda: as_variable(int), "A domain cannot be"),
        (lambda: as_variable([None]), "None of type NoneType"),
        (lambda: as_variable([[1, 2]]), "of type list"),
        (lambda: Categorical("abc"), "takes a list of values, but 'abc'"),
        (lambda: Ordinal([1, 2]), "Ordinal takes text labels, but 1"),  # type: ignore[list-item]
        (lambda: Levels(["a"]), "Levels takes numbers, but 'a'"),  # type: ignore[list-item]
        (lambda: Integer(3, 1), "Integer(3, 1) is empty: high is below low"),
        (lambda: Integer(1, 3, step=0), "step of at least 1, but step is 0"),
        (lambda: Integer(1, 3, step=-1), "step of at least 1, but step is -1"),
        (lambda: Integer(1.5, 3), "low is 1.5"),  # type: ignore[arg-type]
        (lambda: Integer(1, "3"), "high is '3'"),  # type: ignore[arg-type]
        (lambda: Integer(True, 3), "low is True"),
        (lambda: Integer(0, 10**6), "1,000,001 levels; at most 100,000"),
        (lambda: Real(1, 0, 5), "high must be above low"),
        (lambda: Real(1, 1, 5), "high must be above low"),
        (lambda: Real(0, 1, 1), "at least 2 levels"),
        (lambda: Real(0.5, 0.1), "Real(0.5, 0.1) is empty: high must be above low. Swap them."),
        (lambda: Real(0.5, 0.5), "which are equal: high must be above low. Write [0.5] for a single value."),
        (lambda: Real(0.1, float("inf")), "Real takes finite numbers, but high is inf."),
        (lambda: Real(float("nan"), 1), "Real takes finite numbers, but low is nan."),
        (lambda: Real(0, 1, log=True), "Real with log=True needs a positive low, but low is 0.0."),
        (lambda: Real(-1e308, 1e308), "wider than the largest float"),
        (lambda: Real(1e-300, 1e300, log=True), "has ends whose ratio is beyond the largest float. Move one."),
        (lambda: Real(0, 1, levels=0), "Real needs at least 2 levels as a whole number, but levels is 0."),
        (lambda: Real(0, 1, log="yes"), "log is True or False"),  # type: ignore[arg-type]
        (lambda: Space({"x": (1e-3, 0.5)}), "Write [0.001, 0.5] for just these two, or Real(0.001, 0.5)"),
        (lambda: Space({"x": (1, 8)}), "(1, 8) could mean two values or a range"),
        (lambda: Real(0, 1, 2.5), "levels is 2.5"),  # type: ignore[arg-type]
        (lambda: Real(0, math.nan, 5), "high is nan"),
        (lambda: Real(-math.inf, 0, 5), "low is -inf"),
        (lambda: Real(0, 1, 5, log=True), "needs a positive low, but low is 0.0"),
        (lambda: Real("0", 1, 5), "low is '0'"),  # type: ignore[arg-type]
        (lambda: Real(1, 1 + 1e-14, 50), "twice"),
        (lambda: Vector(bool, 0), "length of at least 1"),
        (lambda: Vector(bool, 1.5), "length is 1.5"),  # type: ignore[arg-type]
        (lambda: Vector(bool, True), "length is True"),
        (lambda: Vector(Vector(bool, 2), 2), "cannot hold vectors"),
        (lambda: Vector([], 2), "empty"),
    ],
)
def test_nonsense_is_refused_with_what_was_seen(build: Build, message: str) -> None:
    with pytest.raises(SpaceError) as caught:
        build()
    assert message in str(caught.value)


def test_an_error_names_the_variable() -> None:
    with pytest.raises(SpaceError, match="Variable 'width': The list of values is empty"):
        Space({"height": [1], "width": []})


def test_numpy_scalars_become_plain_numbers() -> None:
    values: list[Any] = [np.int64(3), np.float64(0.5), np.bool_(False), np.str_("x")]
    variable = Categorical(values)
    assert [type(value) for value in variable.values] == [int, float, bool, str]


def test_an_absurd_integer_range_is_refused() -> None:
    with pytest.raises(SpaceError, match="at most 100,000"):
        Integer(0, 10**30)


def test_a_real_bound_beyond_every_float_is_refused() -> None:
    with pytest.raises(SpaceError):
        Real(0, 10**400, 3)


def test_levels_beyond_every_float_are_refused_among_floats() -> None:
    with pytest.raises(SpaceError):
        as_variable([0.5, 10**400])


@pytest.mark.parametrize(
    "build",
    [
        lambda: Real(-1e308, 1e308, 3),
        lambda: Real(1e-200, 1e200, 3, log=True),
        lambda: Real(1.0000000000004, 1.0000000000009, 3),
        lambda: Real(-1, 1, 5),
        lambda: Real(0.1, 0.3, 7),
    ],
)
def test_real_levels_increase_and_are_finite(build: Build) -> None:
    try:
        values = build().values
    except SpaceError:
        return
    assert all(math.isfinite(value) for value in values)
    assert all(a < b for a, b in itertools.pairwise(values))


def test_a_long_range_is_refused_at_once() -> None:
    with time_limit(1), pytest.raises(SpaceError, match="at most 100,000 are allowed"):
        as_variable(range(10**8))

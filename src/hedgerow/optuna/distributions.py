"""Spaces as Optuna distributions and back: one parameter for each slot, with the slot's name (`x[0]` in a vector).

A distribution fits a slot when both allow the same values, whatever form is used to say so: a list of numbers may be
suggested as a categorical, or with a step where it has one. The exception is a float range without a step, which fits
any slot of reals with the same ends, with levels or without: whatever is suggested lies in the range.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution

from hedgerow.errors import SpaceError, StudyError
from hedgerow.expressions import Scalar
from hedgerow.space import Boolean, Categorical, Integer, Levels, Real, Space, Variable
from hedgerow.space.scalars import MAX_LEVELS
from hedgerow.wording import ending

# A logarithmic range of very many whole numbers is divided into this many levels.
N_LEVELS = 101
_TOLERANCE = 1e-9
_MAX_SHOWN = 8


def distributions_of(space: Space) -> dict[str, BaseDistribution]:
    """Return the distribution of each slot, in the order of the slots."""
    return {slot.name: distribution_of(slot.variable) for slot in space.slots}


def distribution_of(variable: Variable) -> BaseDistribution:
    """Return the form of a variable that plots best: a number where it can be one, a choice otherwise."""
    if isinstance(variable, Integer):
        return IntDistribution(
            variable.low, variable.low + variable.step * (len(variable.values) - 1), step=variable.step
        )
    if isinstance(variable, Real):
        return FloatDistribution(variable.low, variable.high, log=variable.log)
    if isinstance(variable, Levels):
        step = _whole_step(variable.levels)
        if step is not None:
            return IntDistribution(int(variable.levels[0]), int(variable.levels[-1]), step=step)
    return CategoricalDistribution(variable.values)


def space_from_distributions(distributions: Mapping[str, BaseDistribution]) -> Space:
    """Return the space that Optuna distributions span; float ranges without a step take any float between the ends."""
    variables: dict[str, Variable] = {}
    for name, distribution in distributions.items():
        try:
            variables[name] = _variable_of(distribution)
        except SpaceError as error:
            raise SpaceError(f"Parameter '{name}': {error}") from None
    return Space(variables)


def check_fits(space: Space, name: str, distribution: BaseDistribution) -> Variable:
    """Return the variable of a parameter, or say how its distribution differs from the space."""
    by_name = {slot.name: slot.variable for slot in space.slots}
    if name not in by_name:
        raise StudyError(
            f"The objective suggests the parameter '{name}', which is not in the space{ending(name, list(by_name))} "
            "Add it to the space, or take it out of the objective."
        )
    variable = by_name[name]
    if not _fits(variable, distribution):
        raise StudyError(
            f"The parameter '{name}' is suggested from {_shown(distribution)}, but in the space it is "
            f"{_listed(variable.values)}. Suggest it from the same values, for example as {_call(name, variable)}."
        )
    return variable


def as_suggested(value: Scalar, distribution: BaseDistribution) -> Any:
    """Return a level as the type that the distribution's own suggestions have."""
    if isinstance(distribution, CategoricalDistribution):
        return next(choice for choice in distribution.choices if choice == value and _same_kind(choice, value))
    return float(value) if isinstance(distribution, FloatDistribution) else int(value)


def _variable_of(distribution: BaseDistribution) -> Variable:
    if isinstance(distribution, CategoricalDistribution):
        choices: Sequence[Any] = distribution.choices
        if len(choices) == 2 and all(isinstance(choice, bool) for choice in choices) and choices[0] != choices[1]:
            return Boolean()
        return Categorical(choices)
    if isinstance(distribution, IntDistribution):
        return _integers(distribution)
    if not isinstance(distribution, FloatDistribution):
        raise SpaceError(f"{type(distribution).__name__} is not a distribution that Hedgerow knows.")
    if distribution.low == distribution.high:
        return Levels([distribution.low])
    if distribution.step is not None:
        return Levels(_steps(distribution))
    return Real(distribution.low, distribution.high, log=distribution.log)


def _integers(distribution: IntDistribution) -> Variable:
    low, high = distribution.low, distribution.high
    if not distribution.log or high - low < MAX_LEVELS:
        return Integer(low, high, distribution.step)
    ratio = math.log(high / low)
    return Levels(sorted({round(low * math.exp(ratio * i / (N_LEVELS - 1))) for i in range(N_LEVELS)} | {low, high}))


def _fits(variable: Variable, distribution: BaseDistribution) -> bool:
    values = variable.values
    if isinstance(distribution, CategoricalDistribution):
        choices = distribution.choices
        same = {(_kind(value), value) for value in values} == {(_kind(choice), choice) for choice in choices}
        return same and len(choices) == len(values)
    if any(isinstance(value, bool | str) for value in values):
        return False
    if isinstance(distribution, IntDistribution):
        fits_range = len(range(distribution.low, distribution.high + 1, distribution.step)) == len(values)
        return fits_range and list(values) == list(range(distribution.low, distribution.high + 1, distribution.step))
    assert isinstance(distribution, FloatDistribution)
    numbers = [float(value) for value in values]
    if distribution.step is None:
        ends = (distribution.low, distribution.high)
        return isinstance(variable, Real | Levels) and _close((numbers[0], numbers[-1]), ends)
    return _n_steps(distribution) == len(numbers) and _close(numbers, _steps(distribution))


def _close(numbers: Sequence[float], others: Sequence[float]) -> bool:
    scale = max(map(abs, others), default=0.0)
    return all(abs(a - b) <= _TOLERANCE * scale for a, b in zip(numbers, others, strict=True))


def _n_steps(distribution: FloatDistribution) -> int:
    assert distribution.step is not None
    return round((distribution.high - distribution.low) / distribution.step) + 1


def _steps(distribution: FloatDistribution) -> list[float]:
    assert distribution.step is not None
    n = _n_steps(distribution)
    if n > MAX_LEVELS:
        raise SpaceError(f"{_shown(distribution)} has {n:,} levels; at most {MAX_LEVELS:,} are allowed.")
    # As many digits as people write, so that the third tenth is 0.3; the ends as they are.
    inner = [float(f"{distribution.low + i * distribution.step:.12g}") for i in range(1, n - 1)]
    return [distribution.low, *inner, distribution.high]


def _whole_step(levels: Sequence[int | float]) -> int | None:
    """Return the step of evenly spaced whole numbers."""
    if len(levels) < 2 or not all(isinstance(level, int) for level in levels):
        return None
    steps = {int(b - a) for a, b in pairwise(levels)}
    return steps.pop() if len(steps) == 1 else None


def _kind(value: object) -> str:
    """True and 1 are different choices, 1 and 1.0 are not."""
    return "number" if isinstance(value, int | float) and not isinstance(value, bool) else type(value).__name__


def _same_kind(value: object, other: object) -> bool:
    return _kind(value) == _kind(other)


def _shown(distribution: BaseDistribution) -> str:
    if isinstance(distribution, CategoricalDistribution):
        return _listed(distribution.choices)
    assert isinstance(distribution, IntDistribution | FloatDistribution)
    kind = "whole numbers" if isinstance(distribution, IntDistribution) else "numbers"
    step = f" in steps of {distribution.step}" if distribution.step not in (None, 1) else ""
    return f"{kind} from {distribution.low} to {distribution.high}{step}{', log-spaced' if distribution.log else ''}"


def _listed(values: Sequence[Any]) -> str:
    if len(values) <= _MAX_SHOWN:
        return f"[{', '.join(map(repr, values))}]"
    return f"one of {len(values):,} values from {values[0]!r} to {values[-1]!r}"


def _call(name: str, variable: Variable) -> str:
    distribution = distribution_of(variable)
    if isinstance(distribution, CategoricalDistribution):
        more = ", ..." if len(variable.values) > _MAX_SHOWN else ""
        return f"trial.suggest_categorical({name!r}, [{', '.join(map(repr, variable.values[:_MAX_SHOWN]))}{more}])"
    assert isinstance(distribution, IntDistribution | FloatDistribution)
    kind = "int" if isinstance(distribution, IntDistribution) else "float"
    step = f", step={distribution.step}" if distribution.step not in (None, 1) else ""
    log = ", log=True" if distribution.log else ""
    return f"trial.suggest_{kind}({name!r}, {distribution.low}, {distribution.high}{step}{log})"

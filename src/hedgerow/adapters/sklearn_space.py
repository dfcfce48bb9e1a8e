"""The parameters of an estimator as a space: lists, distributions of `scipy.stats`, and values that are no scalars."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hedgerow.errors import SpaceError
from hedgerow.space import Categorical, Integer, Levels, Real, Space, Variable, Vector
from hedgerow.space.domains import as_variable

# A continuous distribution becomes this many levels.
N_LEVELS = 101
# Where a discrete distribution has no end, the whole numbers between these quantiles are its values.
_TAIL = 0.001


@dataclass(frozen=True)
class Candidates:
    """A space, and what stands behind those of its values that are labels."""

    space: Space
    behind: Mapping[str, Mapping[Any, Any]] = field(default_factory=dict)

    def params(self, point: Mapping[str, Any]) -> dict[str, Any]:
        """Return a point as the parameters to set."""
        return {name: self.behind[name][value] if name in self.behind else value for name, value in point.items()}


def candidates_of(given: Mapping[str, Any] | Space) -> Candidates:
    """Read a space, or a dict of parameters as `RandomizedSearchCV` takes it."""
    if isinstance(given, Space):
        return Candidates(given)
    if not isinstance(given, Mapping):
        raise SpaceError(
            f"param_distributions is a Space or a dict of parameters, but {type(given).__name__} was given. "
            "In place of a list of dicts, give one dict, and rules for what belongs together."
        )
    variables: dict[str, Variable | Vector] = {}
    behind: dict[str, dict[Any, Any]] = {}
    for name, values in given.items():
        try:
            variables[name], labels = _read(values)
        except SpaceError as error:
            raise SpaceError(f"Parameter '{name}': {error}") from None
        if labels:
            behind[name] = labels
    return Candidates(Space(variables), behind)


def _read(values: Any) -> tuple[Variable | Vector, dict[Any, Any]]:
    """Return a variable, and for choices that are no scalars what each label stands for."""
    if hasattr(values, "rvs"):
        return _from_distribution(values), {}
    is_list = isinstance(values, Iterable) and not isinstance(values, str | Mapping | Variable | Vector)
    listed = [_plain(value) for value in values] if is_list else []
    if not is_list or all(isinstance(value, int | float) for value in listed):
        return as_variable(listed if is_list else values), {}
    if all(isinstance(value, str | bool) for value in listed):
        return as_variable(listed), {}
    labels = [value if isinstance(value, bool | int | float | str) else _label(value) for value in listed]
    return Categorical(labels), dict(zip(labels, listed, strict=True))


def _label(value: object) -> str:
    """Return how rules call a choice: the text of it on one line."""
    return " ".join(repr(value).split())


def _plain(value: Any) -> Any:
    return value.item() if getattr(value, "ndim", None) == 0 and hasattr(value, "item") else value


def _from_distribution(given: Any) -> Variable:
    """Return the levels of a frozen distribution: evenly spaced for the common ones, by quantiles for others."""
    kind = getattr(getattr(given, "dist", None), "name", "")
    if not hasattr(given, "ppf") or not hasattr(given, "support"):
        raise SpaceError(f"{given!r} is not a distribution of scipy.stats. Give a list of values, or hr.Real(...).")
    low, high = (float(end) for end in given.support())
    if hasattr(given, "pmf") and not hasattr(given, "pdf"):
        first = given.ppf(_TAIL) if math.isinf(low) else low
        last = given.ppf(1 - _TAIL) if math.isinf(high) else high
        return Integer(int(first), int(last))
    if kind == "uniform":
        return Real(low, high, N_LEVELS)
    if kind in ("loguniform", "reciprocal"):
        return Real(low, high, N_LEVELS, log=True)
    return Levels(_quantiles(given))


def _quantiles(given: Any) -> Sequence[float]:
    shares = [(i + 0.5) / N_LEVELS for i in range(N_LEVELS)]
    return sorted({float(f"{float(value):.12g}") for value in given.ppf(shares)})

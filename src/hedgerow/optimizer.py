"""Ask and tell: the one object that changes. Everything it proposes satisfies every rule and has not been tried.

The exceptions are rival methods that know nothing of rules (`may_break_rules`): they may break them, and repeat.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, overload

import numpy as np

from hedgerow.arrays import Codes
from hedgerow.errors import HedgerowError, PointError
from hedgerow.feasible import FeasibleSet
from hedgerow.methods.history import History
from hedgerow.methods.method import Method
from hedgerow.methods.problem import CodeProblem
from hedgerow.methods.registry import method_named
from hedgerow.methods.suggester import Suggester
from hedgerow.rules import RuleLike
from hedgerow.space import Point, Space
from hedgerow.space.encoding import decode, encode

Direction = Literal["minimize", "maximize"]


@dataclass(frozen=True)
class Observation:
    """A told trial; `value` is None when it failed."""

    point: Point
    value: float | None

    @property
    def failed(self) -> bool:
        """Whether the trial gave no value."""
        return self.value is None


class Optimizer:
    """Proposes feasible points and learns from what it is told.

    The same problem, history, method and seed give the same proposal, in this process or another.
    """

    def __init__(
        self,
        space: Space,
        rules: Iterable[RuleLike] | Mapping[str, RuleLike] = (),
        *,
        method: str | Method = "auto",
        seed: int = 0,
        direction: Direction = "minimize",
        node_budget: int | None = None,
    ) -> None:
        if direction not in ("minimize", "maximize"):
            raise HedgerowError(f"direction is 'minimize' or 'maximize', but {direction!r} was given.")
        if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
            raise HedgerowError(f"seed is a whole number of at least 0, but {seed!r} was given.")
        self.feasible = FeasibleSet(space, rules, node_budget=node_budget)
        self.direction: Direction = direction
        self._seed = int(seed)
        self._problem = CodeProblem(self.feasible)
        self._suggester = Suggester(self._problem, method_named(method), self._seed)
        self._observations: list[Observation] = []
        self._codes: list[Codes] = []
        self._values: list[float] = []
        self._pending: list[Codes] = []
        self._was_exact: bool | None = None

    @property
    def space(self) -> Space:
        """The space."""
        return self.feasible.space

    @property
    def observations(self) -> tuple[Observation, ...]:
        """Everything told, in order."""
        return tuple(self._observations)

    @property
    def pending(self) -> tuple[Point, ...]:
        """Points that were asked and not told yet."""
        return tuple(decode(self.space, row) for row in self._pending)

    @property
    def best(self) -> Observation | None:
        """The best feasible observation so far, or None before the first value."""
        best: Observation | None = None
        best_value = math.inf
        for observation, row, value in zip(self._observations, self._codes, self._values, strict=True):
            if value < best_value and self._problem.feasible.accepts(row[None, :])[0]:
                best, best_value = observation, value
        return best

    @property
    def was_exact(self) -> bool | None:
        """Whether the last point asked was the method's best of all untried feasible points, or the best it found.

        None before the first ask. Points drawn at random, as the first one is, count as found.
        """
        return self._was_exact

    @overload
    def ask(self) -> Point: ...

    @overload
    def ask(self, n: int) -> list[Point]: ...

    def ask(self, n: int | None = None) -> Point | list[Point]:
        """Return a feasible point that has not been tried, or a list of n different ones."""
        if n is None:
            return self._ask_one()
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
            raise HedgerowError(f"ask takes a whole number of at least 1, but {n!r} was given.")
        return [self._ask_one() for _ in range(n)]

    def tell(self, point: Mapping[str, Any], value: float | None) -> None:
        """Record the outcome of a trial, asked or not; None, NaN and infinity mean that it failed."""
        row = encode(self.space, point)
        number = _as_number(value)
        self._observations.append(Observation(decode(self.space, row), number))
        self._codes.append(row)
        sign = 1.0 if self.direction == "minimize" else -1.0
        self._values.append(math.nan if number is None else sign * number)
        self._pending = [other for other in self._pending if not np.array_equal(other, row)]

    def _ask_one(self) -> Point:
        suggestion = self._suggester.suggest(self._history())
        self._pending.append(suggestion.codes)
        self._was_exact = suggestion.is_exact
        return decode(self.space, suggestion.codes)

    def _history(self) -> History:
        n_slots = len(self.space.slots)
        return History(
            np.array(self._codes, dtype=np.int64).reshape(-1, n_slots),
            np.array(self._values, dtype=np.float64),
            np.array(self._pending, dtype=np.int64).reshape(-1, n_slots),
        )


def _as_number(value: Any) -> float | None:
    if value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise PointError(f"A value is a number, or None for a failed trial, but {value!r} was given.") from None
    return number if math.isfinite(number) else None

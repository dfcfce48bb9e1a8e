"""Ask and tell: the one object that changes. Everything it suggests satisfies every rule and has not been tried.

The exceptions are methods that know nothing of rules (`may_break_rules`): they may break them, and repeat.
"""

from __future__ import annotations

import math
import pickle
import threading
from collections.abc import Iterable, Mapping
from typing import Any, Literal, overload

import numpy as np

from hedgerow import checks
from hedgerow.arrays import Codes
from hedgerow.errors import HedgerowError, SpaceExhausted
from hedgerow.expressions import Expression, Opaque
from hedgerow.feasible import FeasibleSet
from hedgerow.methods.history import History
from hedgerow.methods.method import Method
from hedgerow.methods.problem import CodeProblem
from hedgerow.methods.registry import method_named
from hedgerow.methods.suggester import Suggester
from hedgerow.observations import Observation, Suggestion, as_value
from hedgerow.rules import RuleLike
from hedgerow.space import Point, Space
from hedgerow.space.encoding import decode, encode
from hedgerow.web import Html, tag
from hedgerow.wording import readable_number

Direction = Literal["minimize", "maximize"]


class Optimizer:
    """Suggests feasible points and learns from what it is told.

    The same problem, history, method and seed give the same point, in this process or another. Asking and telling may
    be done from several threads: each call is atomic, so no point is given out twice.

    Parameters
    ----------
    space : Space
        What may vary.
    rules : iterable or mapping of rules, optional
        What must hold: text, expressions, functions or `Rule` objects; a mapping names them.
    method : str or Method, optional
        `"auto"`, another short name, or settings from `hedgerow.methods`.
    seed : int, optional
        Where random numbers begin.
    direction : {"minimize", "maximize"}, optional
        Which values are good.
    node_budget : int, optional
        How many nodes the diagram of the rules may have; None is a default that fits in memory.

    Raises
    ------
    HedgerowError
        Where an argument is not what it must be.
    RuleError
        Where a rule cannot be read.
    InfeasibleError
        Where no point satisfies the rules.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"x": hr.Integer(0, 9), "y": hr.Integer(0, 9)})
    >>> optimizer = hr.Optimizer(space, rules=["x + y <= 9"], seed=0)
    >>> for _ in range(20):
    ...     point = optimizer.ask()
    ...     optimizer.tell(point, (point["x"] - 3) ** 2 + point["y"])
    >>> optimizer.best.point
    {'x': 3, 'y': 0}
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
        checks.one_of("direction", direction, ("minimize", "maximize"))
        checked_seed = checks.seed(seed)
        self.feasible = FeasibleSet(space, rules, node_budget=node_budget)
        self.direction: Direction = direction
        self._problem = CodeProblem(self.feasible)
        self._suggester = Suggester(self._problem, method_named(method), checked_seed)
        self._observations: list[Observation] = []
        self._codes: list[Codes] = []
        self._values: list[float] = []
        self._pending: list[Codes] = []
        self._lock = threading.RLock()

    @property
    def space(self) -> Space:
        """The space."""
        return self.feasible.space

    @property
    def observations(self) -> tuple[Observation, ...]:
        """Everything told, in order."""
        with self._lock:
            return tuple(self._observations)

    @property
    def pending(self) -> tuple[Point, ...]:
        """Points that were asked and not told yet."""
        with self._lock:
            return tuple(decode(self.space, row) for row in self._pending)

    @property
    def best(self) -> Observation | None:
        """The best feasible observation so far, or None before the first value.

        Examples
        --------
        >>> import hedgerow as hr
        >>> optimizer = hr.Optimizer(hr.Space({"x": [1, 2, 3]}), ["x != 2"])
        >>> optimizer.tell({"x": 1}, 5.0)
        >>> optimizer.tell({"x": 2}, 1.0)       # breaks the rule
        >>> optimizer.best.point
        {'x': 1}
        """
        with self._lock:
            told = zip(self._values, self._observations, strict=True)
            feasible = [(value, seen) for value, seen in told if seen.is_feasible and not math.isnan(value)]
            return min(feasible, key=lambda pair: pair[0], default=(0.0, None))[1]

    @overload
    def ask(self) -> Point: ...

    @overload
    def ask(self, n: int) -> list[Point]: ...

    def ask(self, n: int | None = None) -> Point | list[Point]:
        """Return a feasible point that has not been tried, or a list of different ones.

        Parameters
        ----------
        n : int, optional
            How many points to give out at once. Where fewer are left, those are returned.

        Returns
        -------
        dict or list of dict
            A point; a list of points where n is given.

        Raises
        ------
        SpaceExhausted
            Where nothing is left to try.
        HedgerowError
            Where n is no whole number of at least 1.

        Examples
        --------
        >>> import hedgerow as hr
        >>> optimizer = hr.Optimizer(hr.Space({"x": [1, 2, 3]}), ["x != 2"])
        >>> len(optimizer.ask(5))
        2
        """
        if n is None:
            return self.suggest().point
        return [suggestion.point for suggestion in self.suggest(n)]

    @overload
    def suggest(self) -> Suggestion: ...

    @overload
    def suggest(self, n: int) -> list[Suggestion]: ...

    def suggest(self, n: int | None = None) -> Suggestion | list[Suggestion]:
        """Do what `ask` does, and say of each point whether it is the exact maximum and why it was chosen.

        Parameters
        ----------
        n : int, optional
            How many points to give out at once. Where fewer are left, those are returned.

        Returns
        -------
        Suggestion or list of Suggestion
            The point to try, with what is known about it; a list where n is given.

        Raises
        ------
        SpaceExhausted
            Where nothing is left to try.
        HedgerowError
            Where n is no whole number of at least 1.

        Examples
        --------
        >>> import hedgerow as hr
        >>> optimizer = hr.Optimizer(hr.Space({"x": [1, 2, 3, 4, 5, 6]}))
        >>> for x in (1, 3, 6):
        ...     optimizer.tell({"x": x}, (x - 4) ** 2)
        >>> optimizer.suggest().is_exact        # all points can be looked at
        True
        """
        if n is None:
            with self._lock:
                return self._suggest_one()
        checks.whole_number("n", n, least=1)
        suggestions: list[Suggestion] = []
        with self._lock:
            try:
                while len(suggestions) < n:
                    suggestions.append(self._suggest_one())
            except SpaceExhausted:
                if not suggestions:
                    raise
        return suggestions

    def tell(self, point: Mapping[str, Any], value: float | None) -> None:
        """Record the outcome of a trial, asked or not.

        Parameters
        ----------
        point : mapping
            A value for every variable. Points that break a rule may be told; they inform, and are never the best.
        value : float or None
            What the trial gave; None, NaN and infinity mean that it failed.

        Raises
        ------
        PointError
            Where the point does not fit the space, or the value is no number. Nothing is recorded then.

        Examples
        --------
        >>> import hedgerow as hr
        >>> optimizer = hr.Optimizer(hr.Space({"x": [1, 2, 3]}))
        >>> optimizer.tell({"x": 2}, None)
        >>> optimizer.observations[0].failed
        True
        """
        row = encode(self.space, point)
        number = as_value(value)
        is_feasible = bool(self._problem.feasible.accepts(row[None, :])[0])
        sign = 1.0 if self.direction == "minimize" else -1.0
        with self._lock:
            self._observations.append(Observation(decode(self.space, row), number, is_feasible))
            self._codes.append(row)
            self._values.append(math.nan if number is None else sign * number)
            self._pending = [other for other in self._pending if not np.array_equal(other, row)]

    def _suggest_one(self) -> Suggestion:
        suggestion = self._suggester.suggest(self._history())
        self._pending.append(suggestion.codes)
        return Suggestion(decode(self.space, suggestion.codes), suggestion.is_exact, str(suggestion.reason))

    def _history(self) -> History:
        n_slots = len(self.space.slots)
        return History(
            np.array(self._codes, dtype=np.int64).reshape(-1, n_slots),
            np.array(self._values, dtype=np.float64),
            np.array(self._pending, dtype=np.int64).reshape(-1, n_slots),
        )

    def __getstate__(self) -> dict[str, Any]:
        stuck = [rule.name for rule in self.feasible.rules if not _can_be_pickled(rule.written)]
        if stuck:
            raise HedgerowError(
                "An Optimizer with a function as a rule that has no name of its own in a module, such as a lambda, "
                f"cannot be pickled; here {', '.join(stuck)}. Write such rules as text, or make the Optimizer anew "
                "and tell it its `observations`."
            )
        with self._lock:
            return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        best = self.best
        found = "no value yet" if best is None else f"best {best.value!r} at {best.point!r}"
        told, pending = len(self.observations), len(self.pending)
        waiting = f", {pending} pending" if pending else ""
        return f"Optimizer({self.direction} over {len(self.space)} variables, {told} told{waiting}, {found})"

    def _repr_html_(self) -> Html:
        best = self.best
        counts = f"{len(self.observations)} told, {len(self.pending)} pending"
        head = tag("strong", f"Optimizer, {self.direction}")
        if best is None or best.value is None:
            return tag("div", head, tag("div", f"{counts}, no value yet"))
        rows = [tag("tr", tag("th", name), tag("td", repr(value))) for name, value in best.point.items()]
        return tag(
            "div",
            head,
            tag("div", f"{counts}; best {readable_number(best.value)}"),
            tag("table", *rows),
        )


def _can_be_pickled(rule: Expression) -> bool:
    if not isinstance(rule, Opaque):
        return True
    try:
        pickle.dumps(rule.function)
    except (pickle.PicklingError, AttributeError, TypeError):
        return False
    return True

"""Shares of a whole: a vector with named components that adds up to 1, in steps or real.

A share in steps is a whole number of ticks; its value is the float nearest to that fraction, so that three twentieths
are 0.15. Without a step it is any float from 0 to 1; what is drawn or asked adds up to 1.0 exactly, summed from left to
right, and points of others count where they do so to within 1e-9. That shares add up is not a matter of the
components, but a rule that belongs to the space (`rules.rule.rules_of_space`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from hedgerow.errors import PointError, SpaceError
from hedgerow.space.domains import Vector
from hedgerow.space.numeric import Levels, Real
from hedgerow.space.scalars import MAX_LEVELS
from hedgerow.wording import ending

_TOLERANCE = 1e-9
# These would make a component's name hard to tell from what stands around it in rules and commands.
_RESERVED = set("[]{}'\"\\")


@dataclass(frozen=True, repr=False)
class Shares(Vector):
    """Shares that add up to 1: a dict in points, `mix['wax']`, `sum(mix)`, `count(mix > 0)` in rules.

    Parameters
    ----------
    names : iterable of str
        What there are shares of, at least two.
    step : float, optional
        How far one share is from the next; it divides 1. Without it, shares are real numbers.
    when : str, optional
        The condition under which they exist, in the language of rules, over variables that come before them.

    Raises
    ------
    SpaceError
        Where names are no texts, or there twice, or fewer than two; or where `step` does not divide 1.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"mix": hr.Shares(["resin", "filler", "wax"], step=0.05)})
    >>> space.size
    231
    >>> feasible = hr.FeasibleSet(space, ["mix['wax'] <= 0.3", "count(mix > 0) <= 2"])
    >>> feasible.count
    33
    >>> feasible.repair({"mix": {"resin": 0.5, "filler": 0.0, "wax": 0.6}})
    {'mix': {'resin': 0.7, 'filler': 0.0, 'wax': 0.3}}
    >>> real = hr.FeasibleSet(hr.Space({"mix": hr.Shares(["resin", "filler", "wax"])}), ["mix['wax'] <= 0.3"])
    >>> shares = real.sample(1, seed=0)[0]["mix"]
    >>> shares["resin"] + shares["filler"] + shares["wax"]
    1.0
    """

    type_name: ClassVar[str] = "shares"
    names: tuple[str, ...]
    step: float | None

    def __init__(self, names: Iterable[str], step: float | None = None, *, when: object = None) -> None:
        checked = _checked_names(names)
        n_ticks = None if step is None else _n_ticks(step)
        element = Real(0.0, 1.0) if n_ticks is None else Levels([tick / n_ticks for tick in range(n_ticks + 1)])
        super().__init__(element, len(checked), when=when)
        object.__setattr__(self, "names", checked)
        object.__setattr__(self, "step", None if n_ticks is None else 1 / n_ticks)

    @property
    def n_ticks(self) -> int:
        """How many steps make a whole; where shares are real, as many as there are floats from 0 to 1."""
        return self.element.n_levels - 1

    @property
    def size(self) -> int:
        """The number of mixtures: the ways to put the ticks into so many places; real shares leave one to the rest."""
        if self.step is None:
            return math.prod([self.element.n_levels] * (self.length - 1))
        return math.comb(self.n_ticks + self.length - 1, self.length - 1)

    def to_dict(self) -> dict[str, Any]:
        """Return the form that problem files use."""
        step = {} if self.step is None else {"step": self.step}
        return self._with_when({"type": self.type_name, "names": list(self.names), **step})

    def __repr__(self) -> str:
        step = [] if self.step is None else [f"step={self.step!r}"]
        return f"Shares({', '.join([repr(list(self.names)), *step, *self._shown_when()])})"


def listed_shares(variable: Shares, name: str, given: object) -> list[Any]:
    """Return the shares of a point in the order of the names."""
    if not isinstance(given, Mapping):
        raise PointError(
            f"{name} holds shares of {', '.join(variable.names)}, but {given!r} was given. "
            "Give a dict of names and shares."
        )
    for key in given:
        if key not in variable.names:
            raise PointError(f"{name} has no share of {key!r}{ending(str(key), variable.names)}")
    for key in variable.names:
        if key not in given:
            raise PointError(f"{name} lacks the share of {key!r}. Give every share, 0.0 where there is none.")
    return [given[key] for key in variable.names]


def _checked_names(names: Iterable[str]) -> tuple[str, ...]:
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise SpaceError(f"Shares takes a list of names, but {names!r} was given.")
    listed = tuple(names)
    for name in listed:
        if not isinstance(name, str) or not name.strip() or not name.isprintable() or _RESERVED & set(name):
            raise SpaceError(f"Shares takes names without brackets and quotes, but {name!r} was given.")
        if listed.count(name) > 1:
            raise SpaceError(f"Shares has the name {name!r} twice.")
    if len(listed) < 2:
        raise SpaceError(
            f"Shares needs at least two names, but {list(listed)!r} was given; one share would always be 1."
        )
    return listed


def _n_ticks(step: object) -> int:
    number = step.item() if hasattr(step, "item") else step
    if isinstance(number, bool) or not isinstance(number, int | float) or not 0 < number <= 1:
        raise SpaceError(f"Shares needs a step above 0 and up to 1, but step is {step!r}.")
    n_ticks = round(1 / number)
    if n_ticks > MAX_LEVELS:
        raise SpaceError(f"Shares has {n_ticks:,} steps; at most {MAX_LEVELS:,} are allowed.")
    if abs(n_ticks * number - 1) > _TOLERANCE:
        near = f"{1 / n_ticks:.6g}"
        raise SpaceError(f"Shares needs a step that divides 1, but step is {step!r}; {near} would (one of {n_ticks}).")
    return n_ticks

"""Random mixed problems that look for trouble: nested conditions, long log scales, ratios near 0, slivers, tight sums.

Rules are grown as trees, each node as a text for Hedgerow and as a function for Python. Limits are taken from what
expressions are worth at points of the space, far out in the tail of these as often as in the middle. Most problems have
a planted point, at which every rule holds, some of them by a hair: to say that such a problem is infeasible is wrong
whatever draws find.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

import hedgerow as hr
from research.mixed.random_problems import RandomProblem

Point = Mapping[str, Any]

# Points at which an expression is tried before a limit is put to it.
_N_TRIED = 40
_ENDS = [(-3.0, 5.0), (0.0, 1.0), (-1e3, 1e3), (0.0, 1e-6), (0.999, 1.001), (-1.0, 0.0), (2.0, 2.0 + 1e-9)]
_LOG_ENDS = [(1e-8, 1e8), (1e-5, 0.1), (0.5, 2.0), (1e-3, 1e3)]


@dataclass(frozen=True)
class NumberTerm:
    """An expression: its text, its worth at a point, and whether all that it reads there has a value."""

    text: str
    at: Callable[[Point], Any]
    is_known: Callable[[Point], bool] = lambda _: True


@dataclass(frozen=True)
class TruthTerm:
    """A condition: its text, and whether it holds at a point, given what counts for parts that are open."""

    text: str
    at: Callable[[Point, bool], bool]


def nasty_problem(rng: Generator) -> RandomProblem:
    """Return a problem of random make."""
    return _Maker(rng).problem()


class _Maker:
    def __init__(self, rng: Generator) -> None:
        self._rng = rng
        self._space: dict[str, Any] = {}
        self._draws: list[tuple[str, Callable[[Generator], Any]]] = []
        self._exists: dict[str, TruthTerm] = {}
        self._ends: dict[str, tuple[float, float]] = {}
        self._numbers: list[NumberTerm] = []
        self._has_equality = False

    def problem(self) -> RandomProblem:
        self._grow_space()
        space = hr.Space(self._space)
        planted = self.draw(self._rng) if self._rng.random() < 0.75 else None
        rules = [self._rule(planted) for _ in range(int(self._rng.integers(1, 5)))]
        judges: list[Callable[[Point], bool]] = [self._is_point]
        judges += [lambda p, rule=rule: rule.at(p, True) for rule in rules]  # type: ignore[misc]
        problem = RandomProblem(space, [rule.text for rule in rules], judges, self.draw, self._has_equality, planted)
        if planted is not None and not problem.holds(planted):
            # A rule that could not be made to hold there: it is left without a planted point.
            return RandomProblem(space, problem.rules, judges, self.draw, self._has_equality)
        return problem

    # --- the space ---

    def _grow_space(self) -> None:
        rng = self._rng
        self._add("kind", ["a", "b", "c"], lambda own: "abc"[int(own.integers(3))], is_number=False)
        low = int(rng.integers(-3, 3))
        high = low + int(rng.integers(1, 9))
        self._add("n", hr.Integer(low, high), lambda own: int(own.integers(low, high + 1)))
        if rng.random() < 0.4:
            levels = sorted({round(float(value), 3) for value in rng.uniform(-2, 4, 5)})
            self._add("level", hr.Levels(levels), lambda own: levels[int(own.integers(len(levels)))])
        for name in ("x", "y", "z")[: int(rng.integers(1, 4))]:
            self._add_real(name)
        if rng.random() < 0.3:
            self._add(
                "v", hr.Vector(hr.Real(0.0, 1.0), 3), lambda own: [float(u) for u in own.random(3)], is_number=False
            )
            self._numbers.append(NumberTerm("sum(v)", lambda p: 0 + p["v"][0] + p["v"][1] + p["v"][2]))
            self._numbers += [NumberTerm(f"v[{k}]", lambda p, k=k: p["v"][k]) for k in range(3)]  # type: ignore[misc]
        if rng.random() < 0.7:
            self._add_real("c", self._condition())
            if rng.random() < 0.5:
                self._add_real("d", self._condition("c"))

    def _add(self, name: str, variable: Any, draw: Callable[[Generator], Any], is_number: bool = True) -> None:
        self._space[name] = variable
        self._draws.append((name, draw))
        if is_number:
            self._numbers.append(_variable(name))

    def _add_real(self, name: str, exists: TruthTerm | None = None) -> None:
        rng = self._rng
        is_log = bool(rng.random() < 0.35)
        low, high = (_LOG_ENDS if is_log else _ENDS)[int(rng.integers(len(_LOG_ENDS if is_log else _ENDS)))]
        if exists is not None:
            self._exists[name] = exists
        self._ends[name] = (low, high)

        def draw(own: Generator) -> float:
            if not is_log:
                return float(np.clip(own.uniform(low, high), low, high))
            return float(np.clip(math.exp(own.uniform(math.log(low), math.log(high))), low, high))

        when = None if exists is None else exists.text
        self._add(name, hr.Real(low, high, log=is_log, when=when), draw)

    def _condition(self, of: str | None = None) -> TruthTerm:
        """Return a condition that sometimes holds and sometimes does not, about one variable where it is named."""
        for _ in range(20):
            number = self._number(1) if of is None else _variable(of)
            condition = self._compared(number, None, quantiles=(0.2, 0.8))
            if of is None and self._rng.random() < 0.5:
                condition = self._label()
            points = [self.draw(self._rng) for _ in range(_N_TRIED)]
            try:
                found = {condition.at(point, False) for point in points}
            except ArithmeticError:
                continue
            if found == {True, False}:
                return condition
        return self._label()

    def draw(self, own: Generator) -> dict[str, Any]:
        """Return a point of the space, whatever the rules say."""
        point: dict[str, Any] = {}
        for name, draw in self._draws:
            if name not in self._exists or self._exists[name].at(point, False):
                point[name] = draw(own)
        return point

    def _is_point(self, point: Point) -> bool:
        """Whether all is there that should be, between its ends, and nothing else."""
        for name, condition in self._exists.items():
            if (name in point) != condition.at(point, False):
                return False
        if any(not low <= point[name] <= high for name, (low, high) in self._ends.items() if name in point):
            return False
        return all(0.0 <= share <= 1.0 for share in point.get("v", [])) and set(point) <= set(self._space)

    # --- expressions ---

    def _number(self, depth: int) -> NumberTerm:
        rng = self._rng
        if depth == 0 or rng.random() < 0.15:
            return self._numbers[int(rng.integers(len(self._numbers)))]
        a, b = self._number(depth - 1), self._number(depth - 1)
        t = round(float(rng.normal()), 2)
        ways: list[tuple[str, Callable[..., Any], tuple[NumberTerm, ...]]] = [
            (f"({a.text} + {b.text})", lambda u, v: u + v, (a, b)),
            (f"({a.text} - {b.text})", lambda u, v: u - v, (a, b)),
            (f"({a.text} * {b.text})", lambda u, v: u * v, (a, b)),
            (f"({t} * {a.text} - {b.text})", lambda u, v: t * u - v, (a, b)),
            (f"({a.text} / {b.text})", lambda u, v: u / v, (a, b)),
            (f"({a.text} / ({b.text} - {t}))", lambda u, v: u / (v - t), (a, b)),
            (f"abs({a.text} - {t})", lambda u: abs(u - t), (a,)),
            (f"min({a.text}, {b.text})", min, (a, b)),
            (f"max({a.text}, {b.text}, {t})", lambda u, v: max(u, v, t), (a, b)),
            (f"({a.text})**2", lambda u: u**2, (a,)),
            (f"({a.text})**3", lambda u: u**3, (a,)),
            (f"({a.text})**-1", lambda u: u**-1, (a,)),
            (f"abs({a.text})**0.5", lambda u: abs(u) ** 0.5, (a,)),
            (f"({a.text} // 0.5)", lambda u: u // 0.5, (a,)),
            (f"({a.text} % 0.7)", lambda u: u % 0.7, (a,)),
        ]
        place = int(rng.integers(len(ways) + 1))
        return _computed(*ways[place]) if place < len(ways) else self._chosen(a, b)

    def _chosen(self, a: NumberTerm, b: NumberTerm) -> NumberTerm:
        if set("cd") & set(self._exists) and self._rng.random() < 0.5:
            name = sorted(self._exists)[int(self._rng.integers(len(self._exists)))]
            return NumberTerm(f"({name} if active({name}) else 0)", lambda p: p.get(name, 0))
        return NumberTerm(
            f"({a.text} if kind == 'a' else {b.text})",
            lambda p: (a if p["kind"] == "a" else b).at(p),
            lambda p: (a if p["kind"] == "a" else b).is_known(p),
        )

    # --- conditions ---

    def _label(self) -> TruthTerm:
        label = "abc"[int(self._rng.integers(3))]
        if self._rng.random() < 0.5:
            return TruthTerm(f"kind == '{label}'", lambda p, _: bool(p["kind"] == label))
        return TruthTerm(f"kind in ['{label}', 'b']", lambda p, _: p["kind"] in (label, "b"))

    def _compared(self, number: NumberTerm, planted: Point | None, quantiles: tuple[float, ...] = ()) -> TruthTerm:
        """Return a comparison of a number with a limit, which the planted point keeps, perhaps only just."""
        rng = self._rng
        at_planted = _worth(number, planted)
        quantiles = quantiles or (0.0, 0.001, 0.02, 0.1, 0.5, 0.9, 0.98, 0.999, 1.0)
        tried = [_worth(number, self.draw(rng)) for _ in range(_N_TRIED)]
        known = [value for value in tried if value is not None] or [0.0]
        limit = float(np.quantile(known, quantiles[int(rng.integers(len(quantiles)))], method="nearest"))
        is_upper = bool(rng.random() < 0.5)
        if at_planted is not None:
            if rng.random() < 0.3:
                # A hair's breadth from where the planted point lies, or just there.
                limit = at_planted + float(rng.choice([0.0, 1e-12, 1e-6, 1e-3])) * abs(at_planted) * (-1) ** is_upper
            is_upper = at_planted <= limit
        return _upper(number, limit) if is_upper else _lower(number, limit)

    def _equal(self, number: NumberTerm, planted: Point | None) -> TruthTerm:
        """Return an equality, or one with a tolerance that may be tight."""
        limit = _worth(number, planted)
        if limit is None:
            limit = _worth(number, self.draw(self._rng)) or 0.0
        self._has_equality = True
        if self._rng.random() < 0.4:
            return TruthTerm(f"{number.text} == {limit!r}", _truth_of(number, lambda p: number.at(p) == limit))
        tol = float(self._rng.choice([1e-12, 1e-9, 1e-6, 1e-3]))
        text = f"isclose({number.text}, {limit!r}, tol={tol!r})"
        return TruthTerm(text, _truth_of(number, lambda p: abs(number.at(p) - limit) <= tol))

    def _rule(self, planted: Point | None) -> TruthTerm:
        rng = self._rng
        way = int(rng.integers(9))
        depth = int(rng.integers(1, 4))
        first = self._compared(self._number(depth), planted)
        if way <= 2:
            return first
        second = self._compared(self._number(2), planted)
        if way == 3:
            return self._equal(self._number(int(rng.integers(1, 3))), planted)
        if way == 4:
            return TruthTerm(f"{first.text} or {second.text}", lambda p, o: first.at(p, o) or second.at(p, o))
        if way == 5:
            return TruthTerm(
                f"not ({first.text} and {second.text})", lambda p, o: not (first.at(p, not o) and second.at(p, not o))
            )
        if way == 6:
            label = self._label()
            return TruthTerm(
                f"implies({label.text}, {first.text})", lambda p, o: not label.at(p, not o) or first.at(p, o)
            )
        if way == 7:
            label = self._label()
            return TruthTerm(
                f"{label.text} or ({first.text} and {second.text})",
                lambda p, o: label.at(p, o) or (first.at(p, o) and second.at(p, o)),
            )
        return self._between(self._number(depth), planted)

    def _between(self, number: NumberTerm, planted: Point | None) -> TruthTerm:
        """Return a chain of comparisons that leaves a narrow band."""
        middle = _worth(number, planted)
        if middle is None:
            middle = _worth(number, self.draw(self._rng)) or 0.0
        half = float(self._rng.choice([1e-7, 1e-4, 1e-2, 0.3])) * max(abs(middle), 1e-3)
        low, high = middle - half, middle + half
        return TruthTerm(
            f"{low!r} <= {number.text} < {high!r}", _truth_of(number, lambda p: low <= number.at(p) < high)
        )


def _upper(number: NumberTerm, limit: float) -> TruthTerm:
    return TruthTerm(f"{number.text} <= {limit!r}", _truth_of(number, lambda p: number.at(p) <= limit))


def _lower(number: NumberTerm, limit: float) -> TruthTerm:
    return TruthTerm(f"{number.text} >= {limit!r}", _truth_of(number, lambda p: number.at(p) >= limit))


def _truth_of(number: NumberTerm, compare: Callable[[Point], bool]) -> Callable[[Point, bool], bool]:
    return lambda point, if_open: bool(compare(point)) if number.is_known(point) else if_open


def _variable(name: str) -> NumberTerm:
    return NumberTerm(name, lambda point: point[name], lambda point: name in point)


def _computed(text: str, compute: Callable[..., Any], parts: tuple[NumberTerm, ...]) -> NumberTerm:
    return NumberTerm(
        text,
        lambda point: compute(*[part.at(point) for part in parts]),
        lambda point: all(part.is_known(point) for part in parts),
    )


def _worth(number: NumberTerm, point: Point | None) -> float | None:
    """Return what a number is worth at a point; None where it has no worth there."""
    if point is None or not number.is_known(point):
        return None
    try:
        value = number.at(point)
    except ArithmeticError:
        return None
    return float(value) if math.isfinite(value) else None

"""Random spaces with conditions, and what they mean in plain Python: three-valued logic over dicts, written apart.

A phrase is a pair of rule text and a function from a point, a dict without what is inactive, to True, False or None
for open. Nothing here uses the library but the classes of variables.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import Any

from hedgerow import Boolean, Categorical, Integer, Levels, Real, Space, Vector

Truth = bool | None
Point = dict[str, Any]

SYMBOLS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True)
class Said:
    """What a rule or a condition says, as text and as a function."""

    text: str
    truth: Callable[[Point], Truth]


@dataclass(frozen=True)
class Tree:
    """A space with conditions, as variables and as what Python makes of them."""

    space: Space
    values: dict[str, list[Any]]
    conditions: dict[str, Said]
    rules: list[Said]

    def points(self) -> list[Point]:
        """Every point, each once, rules aside."""
        return list(self._extended({}, list(self.values)))

    def _extended(self, point: Point, names: list[str]) -> Iterator[Point]:
        if not names:
            yield dict(point)
            return
        name, *rest = names
        condition = self.conditions.get(name)
        if condition is not None and condition.truth(point) is not True:
            yield from self._extended(point, rest)
            return
        for value in self.values[name]:
            yield from self._extended({**point, name: value}, rest)

    def feasible(self) -> list[Point]:
        """Every point that breaks no rule."""
        return [point for point in self.points() if all(rule.truth(point) is not False for rule in self.rules)]


def key(point: Point) -> str:
    """A point as text, the same for equal points."""
    return json.dumps(point, sort_keys=True)


def random_tree(random: Random, n_rules: int = 2) -> Tree:
    """Return a small space, in which about half of the variables have conditions, and rules over it."""
    values: dict[str, list[Any]] = {}
    conditions: dict[str, Said] = {}
    variables: dict[str, object] = {}
    for place in range(random.randint(3, 5)):
        name = "abcde"[place]
        when: str | None = None
        if values and random.random() < 0.6:
            conditions[name] = said(random, values, depth=random.randint(0, 2))
            when = conditions[name].text
        variables[name], values[name] = _variable(random, when)
    rules = [said(random, values, depth=random.randint(0, 3)) for _ in range(random.randint(0, n_rules))]
    return Tree(Space(variables), values, conditions, rules)


def _variable(random: Random, when: str | None) -> tuple[object, list[Any]]:
    kind = random.randrange(6)
    if kind == 0:
        return Categorical(["x", "y", "z"], when=when), ["x", "y", "z"]
    if kind == 1:
        return Boolean(when=when), [False, True]
    if kind == 2:
        return Levels([0, 1, 4], when=when), [0, 1, 4]
    if kind == 3:
        return Real(0.0, 1.0, levels=3, when=when), [0.0, 0.5, 1.0]
    if kind == 4:
        return Vector(Integer(0, 1), 2, when=when), [[i, j] for i in (0, 1) for j in (0, 1)]
    return Integer(0, 2, when=when), [0, 1, 2]


def said(random: Random, values: dict[str, list[Any]], depth: int) -> Said:
    """Return a random condition over variables with these values."""
    if depth == 0:
        return _comparison(random, values)
    parts = [said(random, values, depth - 1) for _ in range(random.randint(2, 3))]
    texts = [f"({part.text})" for part in parts]
    kind = random.randrange(9)
    if kind == 0:
        return Said(f"not {texts[0]}", lambda point: _not(parts[0].truth(point)))
    if kind == 1:
        return Said(" and ".join(texts), lambda point: _and([part.truth(point) for part in parts]))
    if kind == 2:
        return Said(" or ".join(texts), lambda point: _or([part.truth(point) for part in parts]))
    if kind == 3:
        first, second = parts[:2]
        return Said(
            f"implies({texts[0]}, {texts[1]})", lambda point: _or([_not(first.truth(point)), second.truth(point)])
        )
    if kind == 4:
        name, symbol = random.choice([("at_least", ">="), ("at_most", "<="), ("exactly", "==")])
        k = random.randint(0, len(parts))
        return Said(
            f"{name}({k}, {', '.join(texts)})", lambda point: _count([p.truth(point) for p in parts], symbol, k)
        )
    if kind == 5:
        symbol, k = random.choice(list(SYMBOLS)), random.randint(0, len(parts))
        return Said(
            f"{k} {symbol} count({', '.join(texts)})",
            lambda point: _count([p.truth(point) for p in parts], _mirrored(symbol), k),
        )
    if kind == 6:
        name = random.choice(["all", "any"])
        join = _and if name == "all" else _or
        return Said(f"{name}([{', '.join(texts)}])", lambda point: join([part.truth(point) for part in parts]))
    if kind == 7:
        yes, condition, no = parts[0], parts[1], parts[-1]

        def chosen(point: Point) -> Truth:
            holds = condition.truth(point)
            return None if holds is None else yes.truth(point) if holds else no.truth(point)

        return Said(f"({yes.text}) if ({condition.text}) else ({no.text})", chosen)
    name = random.choice(list(values))
    return Said(f"active({name})", lambda point: name in point)


def _comparison(random: Random, values: dict[str, list[Any]]) -> Said:
    numbers = [name for name, some in values.items() if isinstance(some[0], int | float)]
    name = random.choice(list(values))
    kind = random.randrange(6)
    if kind == 0 and len(numbers) > 1:
        left, right = random.sample(numbers, 2)
        symbol = random.choice(list(SYMBOLS))
        return Said(
            f"{left} {symbol} {right}", _open_without([left, right], lambda p: SYMBOLS[symbol](p[left], p[right]))
        )
    if kind == 1 and len(numbers) > 2:
        some = random.sample(numbers, 3)
        symbol, limit = random.choice(list(SYMBOLS)), random.randint(0, 5)
        return Said(
            f"{' + '.join(some)} {symbol} {limit}",
            _open_without(some, lambda p: SYMBOLS[symbol](sum(p[each] for each in some), limit)),
        )
    if kind == 2 and len(numbers) > 1:
        return _different(random.sample(numbers, min(len(numbers), 3)))
    if kind == 3 and numbers:
        return _guarded_sum(random, numbers)
    some = values[name]
    if isinstance(some[0], list):
        limit = random.randint(0, 2)
        return Said(f"sum({name}) >= {limit}", _open_without([name], lambda p: sum(p[name]) >= limit))
    if kind == 4:
        kept = random.sample(some, random.randint(1, len(some)))
        return Said(f"{name} in {kept!r}", _open_without([name], lambda p: p[name] in kept))
    symbol = random.choice(["==", "!="] if isinstance(some[0], str) else list(SYMBOLS))
    constant = random.choice(some)
    return Said(f"{name} {symbol} {constant!r}", _open_without([name], lambda p: SYMBOLS[symbol](p[name], constant)))


def _different(names: Sequence[str]) -> Said:
    def truth(point: Point) -> Truth:
        pairs = [None if a not in point or b not in point else point[a] != point[b] for a, b in combinations(names, 2)]
        return _and(pairs)

    return Said(f"all_different({', '.join(names)})", truth)


def _guarded_sum(random: Random, names: Sequence[str]) -> Said:
    """`x if active(x) else 0`: what a reader writes who wants a number in place of nothing."""
    some = random.sample(list(names), min(len(names), 2))
    limit = random.randint(0, 4)
    text = " + ".join(f"({name} if active({name}) else 0)" for name in some)
    return Said(f"{text} <= {limit}", lambda point: sum(point.get(name, 0) for name in some) <= limit)


def _open_without(names: Sequence[str], holds: Callable[[Point], bool]) -> Callable[[Point], Truth]:
    return lambda point: holds(point) if all(name in point for name in names) else None


def _not(truth: Truth) -> Truth:
    return None if truth is None else not truth


def _and(truths: Sequence[Truth]) -> Truth:
    return False if False in truths else None if None in truths else True


def _or(truths: Sequence[Truth]) -> Truth:
    return True if True in truths else None if None in truths else False


def _count(truths: Sequence[Truth], symbol: str, limit: int) -> Truth:
    n_true, n_open = truths.count(True), truths.count(None)
    answers = {SYMBOLS[symbol](n, limit) for n in range(n_true, n_true + n_open + 1)}
    return answers.pop() if len(answers) == 1 else None


def _mirrored(symbol: str) -> str:
    return {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(symbol, symbol)

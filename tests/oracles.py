"""Brute force: what every compiled answer is compared with.

Points are listed with `itertools.product`, rules are evaluated by Python's own `eval` on the *plain* form of a phrase:
vectors unrolled by hand, ordinal labels replaced by their places, catalog functions defined below in a line or two.
Nothing in that uses the library's parser, evaluator or diagrams.
"""

from __future__ import annotations

import itertools
import signal
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, reduce
from types import CodeType
from typing import Any

from hedgerow import FeasibleSet, RuleWarning, Space, Vector
from hedgerow.rules import RuleLike
from hedgerow.space import Point, Variable


@dataclass(frozen=True)
class Phrase:
    """A rule, or a part of one: as rule text, and as plain Python over scalars and lists."""

    text: str
    plain: str

    @cached_property
    def code(self) -> CodeType:
        """The plain form, compiled."""
        return compile(self.plain, "<plain>", "eval")

    def holds(self, point: Mapping[str, Any]) -> bool:
        """Whether the rule holds at a point; where Python raises an arithmetic error it does not."""
        try:
            return bool(eval(self.code, CATALOG, dict(point)))  # noqa: S307 - text made by our own strategies
        except ArithmeticError:
            return False

    def negated(self) -> Phrase:
        """The opposite; where Python raises, neither holds."""
        return Phrase(f"not ({self.text})", f"not ({self.plain})")

    def as_function(self, names: Iterable[str]) -> Callable[..., object]:
        """The plain form as a function of the named variables that it reads."""
        read = [name for name in names if name in self.code.co_names]
        function: Callable[..., object] = eval(f"lambda {', '.join(read)}: {self.plain}", CATALOG)  # noqa: S307
        return function


def total(*items: Any) -> Any:
    """Add from left to right."""
    return reduce(lambda a, b: a + b, items) if items else 0


def counted(*conditions: Any) -> int:
    """Count what is true."""
    return len([condition for condition in conditions if condition])


def power(base: Any, exponent: Any) -> Any:
    """Raise to a power; a complex result is an arithmetic error."""
    result = base**exponent
    if isinstance(result, complex):
        raise ArithmeticError("complex")
    return result


def different(items: Sequence[Any], ignore: Any = None) -> bool:
    """No two are equal, apart from those equal to `ignore`."""
    kept = [item for item in items if ignore is None or item != ignore]
    return all(a != b for a, b in itertools.combinations(kept, 2))


def has_motif(items: Sequence[Any], motif: Sequence[Any]) -> bool:
    """The motif occurs as consecutive items."""
    places = range(len(items) - len(motif) + 1)
    return any(all(items[place + i] == wanted for i, wanted in enumerate(motif)) for place in places)


def run_length(items: Sequence[Any], value: Any = None) -> int:
    """The length of the longest run of equal items, of `value` when given."""
    best = current = 0
    for i, item in enumerate(items):
        current = current + 1 if i and item == items[i - 1] else 1
        if value is None or item == value:
            best = max(best, current)
    return best


CATALOG: dict[str, Any] = {
    function.__name__: function for function in (total, counted, power, different, has_motif, run_length)
}


def elements(variable: Variable | Vector) -> list[tuple[Any, ...]]:
    """The domain of each scalar of a variable."""
    if isinstance(variable, Vector):
        return [variable.element.values] * variable.length
    return [variable.values]


@dataclass(frozen=True)
class BruteForce:
    """All points of a small space, and which rules each of them keeps."""

    space: Space
    rules: tuple[Phrase, ...] = ()

    @cached_property
    def domains(self) -> list[tuple[Any, ...]]:
        """The values of every scalar, vectors unrolled."""
        return [domain for variable in self.space.variables.values() for domain in elements(variable)]

    @cached_property
    def rows(self) -> list[tuple[int, ...]]:
        """All points as integer codes, in lexicographic order."""
        return list(itertools.product(*(range(len(domain)) for domain in self.domains)))

    @cached_property
    def points(self) -> list[Point]:
        """All points, in the same order."""
        return [self.point(row) for row in self.rows]

    def point(self, row: Sequence[int]) -> Point:
        """The point of a row of codes."""
        values = iter([domain[code] for domain, code in zip(self.domains, row, strict=True)])
        return {
            name: list(itertools.islice(values, variable.length)) if isinstance(variable, Vector) else next(values)
            for name, variable in self.space.variables.items()
        }

    @cached_property
    def verdicts(self) -> list[tuple[bool, ...]]:
        """For each point whether each rule holds."""
        return [tuple(rule.holds(point) for rule in self.rules) for point in self.points]

    @cached_property
    def is_feasible(self) -> list[bool]:
        """For each point whether all rules hold."""
        return [all(verdict) for verdict in self.verdicts]

    @cached_property
    def feasible_rows(self) -> list[tuple[int, ...]]:
        """The rows that satisfy all rules."""
        return [row for row, feasible in zip(self.rows, self.is_feasible, strict=True) if feasible]

    @cached_property
    def feasible_points(self) -> list[Point]:
        """The points that satisfy all rules."""
        return [point for point, feasible in zip(self.points, self.is_feasible, strict=True) if feasible]

    def marginals(self) -> list[list[int]]:
        """For each scalar and code how many feasible rows use it."""
        return [
            [sum(row[slot] == code for row in self.feasible_rows) for code in range(len(domain))]
            for slot, domain in enumerate(self.domains)
        ]

    def n_satisfying(self, indices: Iterable[int]) -> int:
        """How many points satisfy these rules."""
        chosen = list(indices)
        return sum(all(verdict[i] for i in chosen) for verdict in self.verdicts)

    def distance(self, row: Sequence[int], other: Sequence[int]) -> tuple[int, int]:
        """The number of changed scalars, then the distance in ordered levels."""
        is_ordered = [slot.variable.is_ordered for slot in self.space.slots]
        changes = [(a, b, ordered) for a, b, ordered in zip(row, other, is_ordered, strict=True) if a != b]
        return len(changes), sum(abs(a - b) if ordered else 1 for a, b, ordered in changes)

    def differing(self, row: Sequence[int], n_places: int) -> set[tuple[int, ...]]:
        """The feasible rows that differ from a row in exactly so many places."""
        return {
            other for other in self.feasible_rows if sum(a != b for a, b in zip(row, other, strict=True)) == n_places
        }


def frozen(point: Mapping[str, Any]) -> tuple[tuple[str, Any, str], ...]:
    """A point as a hashable value that also tells 1, 1.0 and True apart."""
    return tuple((name, tuple(v) if isinstance(v, list) else v, repr(v)) for name, v in sorted(point.items()))


# How many times longer than expected counts as a hang: machines differ.
PATIENCE = 6


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Stop what takes far longer, so that a hang is a failure; in processor time, so that a busy machine is none."""

    def stop(_signal: int, _frame: object) -> None:
        raise TimeoutError(f"still running after {seconds} s")

    before = signal.signal(signal.SIGPROF, stop)
    # Again and again: an exception inside a callback of the garbage collector is swallowed.
    signal.setitimer(signal.ITIMER_PROF, PATIENCE * seconds, 0.2)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def quiet_set(
    space: Space, rules: Iterable[RuleLike] | Mapping[str, RuleLike] = (), node_budget: int | None = None
) -> FeasibleSet:
    """The feasible set, empty or not, without warnings: random rules are often trivial."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuleWarning)
        return FeasibleSet(space, rules, node_budget=node_budget, allow_empty=True)

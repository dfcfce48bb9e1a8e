"""What is fuzzed: functions that read a text and use what it says. They may raise HedgerowError and nothing else."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Callable, Iterable, Mapping
from functools import partial

from hedgerow import EffortExceeded, FeasibleSet, HedgerowError, RuleWarning, Space, importers
from hedgerow.importers import Imported
from hedgerow.importers.list_source import read_list
from hedgerow.problem_file import format_problem, parse_problem
from hedgerow.rules import RuleLike
from hedgerow.space import Boolean, Categorical, Integer, Ordinal, Real, Vector

# Spaces up to this size are compiled as well as read; a small diagram is enough to meet every kind of machine.
_MAX_SLOTS = 30
_MAX_LEVELS = 300
_NODE_BUDGET = 3_000

SPACE = Space(
    {
        "x": [1, 2, 4],
        "y": Integer(-1, 3),
        "r": Real(0.0, 1.0, 3),
        "flag": Boolean(),
        "kind": Categorical(["a", "b", 3]),
        "size": Ordinal(["small", "large"]),
        "v": Vector(Integer(0, 2), 3),
    }
)


def rule(text: str) -> None:
    """Read a rule, and compile it."""
    _use(SPACE, [text])


def problem(text: str) -> None:
    """Read a problem file, write it, and read it again: the same points."""
    read = parse_problem(text)
    again = parse_problem(format_problem(read.space, read.rules))
    if again.space != read.space:
        raise AssertionError("the space changed when it was written and read")
    counts = [_use(found.space, found.rules) for found in (read, again)]
    if counts[0] != counts[1]:
        raise AssertionError(f"the count changed from {counts[0]} to {counts[1]} when the file was written and read")


def values(text: str) -> None:
    """Read a list of values written as Python source."""
    json.dumps(read_list(text))


def imported(read: Callable[[str], Imported]) -> Callable[[str], None]:
    """Return a target: import, write the problem file, and read that: the same points."""

    def target(text: str) -> None:
        found = read(text)
        again = parse_problem(found.to_toml())
        counts = [_use(found.space, found.rules), _use(again.space, again.rules)]
        if counts[0] != counts[1]:
            raise AssertionError(f"the count changed from {counts[0]} to {counts[1]} on the way through TOML")
        if counts[0]:
            point = FeasibleSet(found.space, found.rules, node_budget=_NODE_BUDGET).sample(1, seed=0)[0]
            found.original(point)

    return target


TARGETS: dict[str, Callable[[str], None]] = {
    "rule": rule,
    "problem": problem,
    "values": values,
    "t1": imported(importers.read_t1),
    "configspace": imported(importers.read_configspace),
    "spl": imported(importers.read_spl),
    "uvl": imported(importers.read_uvl),
    "dimacs": imported(importers.read_dimacs),
    "smt": imported(importers.read_smt),
    "baco": imported(importers.read_baco),
    # With few levels, so that sets are counted and compared.
    "baybe": imported(partial(importers.read_baybe, levels=3)),
    "bofire": imported(partial(importers.read_bofire, levels=3)),
    "ax": imported(partial(importers.read_ax, levels=3)),
    "csv": imported(importers.read_csv),
}


def survives(name: str, text: str) -> bool:
    """Run a target; True where it succeeds, False where it refuses the text as it should."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuleWarning)
        try:
            TARGETS[name](text)
        except HedgerowError:
            return False
    return True


def _use(space: Space, rules: Iterable[RuleLike] | Mapping[str, RuleLike]) -> int | None:
    """Return how many points there are, or None where the space is too large to try."""
    if len(space.slots) > _MAX_SLOTS or max(space.sizes) > _MAX_LEVELS or math.prod(space.sizes) > 10**30:
        return None
    try:
        return FeasibleSet(space, rules, node_budget=_NODE_BUDGET, allow_empty=True).count
    except EffortExceeded:
        return None

"""What an evaluation gave by name: from what a function returned, or from what a command printed.

A command says its outcomes in the last line, as JSON (`{"time": 3.1, "memory": 11.8}`, or lists of readings), or in
lines such as `time: 3.1` and `memory=11.8 GB` anywhere; of several lines about one outcome the last counts. An
objective without a name is the last number of a line that names no outcome.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import IO, Any

from hedgerow.outcomes.failure import Failure
from hedgerow.outcomes.goals import Goals
from hedgerow.outcomes.reading import TrialOutcome, read_outcome
from hedgerow.runs.workers.outcome import Outcome
from hedgerow.runs.workers.printed import WORD, UnclearOutput, last_number, lines_from_end, number_in, read_json
from hedgerow.wording import quoted


def outcome_of(told: Any, goals: Goals) -> Outcome:
    """Return what was told of a trial as it is stored; PointError where it cannot be meant."""
    outcome = read_outcome(told, goals)
    if not outcome.readings:
        reason = told.reason if isinstance(told, Failure) else outcome.reason or "nothing was measured"
        return Outcome(None, reason)
    first, *others = goals.objectives.names
    value = None if others else outcome.numbers.get(first)
    return Outcome(value, missing(outcome, goals), readings=[dict(reading) for reading in outcome.readings])


def missing(outcome: TrialOutcome, goals: Goals) -> str:
    """Return what a trial was to give and did not, in words; nothing where it gave all."""
    given = outcome.numbers
    wanted = dict.fromkeys(goals.objectives.names, "is an objective")
    for limit in goals.limits:
        wanted |= {name: f"the limit '{limit.name}' is about" for name in limit.outcomes if name not in wanted}
    lacking = [f"'{name}', which {why}" for name, why in wanted.items() if name not in given]
    if not lacking:
        return ""
    return f"gave no {' and no '.join(lacking)}; it gave {quoted(goals.ordered(given))}{question_of(given, goals)}"


def question_of(given: Iterable[str], goals: Goals) -> str:
    """Return the end of a sentence: whether a name that was given is meant for one that is missing."""
    mistyped = goals.mistyped(given)
    return "." if mistyped is None else f"; is '{mistyped[0]}' meant to be '{mistyped[1]}'?"


def told_in(printed: IO[bytes], goals: Goals) -> Any:
    """Return what a command told: JSON, numbers by name, a number; UnclearOutput where there is nothing to read."""
    lines = lines_from_end(printed)
    for last in lines:
        if last[0] in "{[" and (said := read_json(last)) is not None:
            return _numbers_alone(said, goals) if isinstance(said, dict) else said
        break
    names = list(goals.names)
    found = _found_in(printed, names, takes_value=not goals.objectives.is_named)
    if not any(number is not None for number in found.values()):
        raise UnclearOutput(
            f"the command printed nothing about {quoted(names)}. Print a last line in JSON, or lines such as "
            f"'{names[0]}: 1.5'"
        )
    is_value_alone = not (goals.objectives.is_named or goals.limits)
    return found.get(names[0]) if is_value_alone else found


def _numbers_alone(said: Mapping[str, Any], goals: Goals) -> Any:
    """Return the parts of an object that are outcomes: those that are wanted, and other numbers by name."""
    wanted = goals.names
    kept = {
        name: item
        for name, item in said.items()
        if name in wanted or (name.isidentifier() and isinstance(item, int | float) and not isinstance(item, bool))
    }
    if not any(name in kept for name in wanted):
        raise UnclearOutput(
            f"the command printed no {' and no '.join(map(repr, wanted))}, but {quoted(said)}{question_of(said, goals)}"
        )
    is_value_alone = not (goals.objectives.is_named or goals.limits)
    return kept.get(wanted[0]) if is_value_alone else kept


def _found_in(printed: IO[bytes], names: list[str], takes_value: bool) -> dict[str, float | None]:
    """Return what lines say of each name, from the last line up; None where the last that names it has no number."""
    patterns = {name: re.compile(rf"(?<![\w.]){re.escape(name)}\s*[:=]\s*(\S*)") for name in names}
    found: dict[str, float | None] = {}
    for line in lines_from_end(printed):
        said = {name: spots[-1] for name, pattern in patterns.items() if (spots := pattern.findall(line))}
        for name, word in said.items():
            if name not in found:
                found[name] = _number(word)
        if takes_value and not said and names[0] not in found and WORD.search(line):
            found[names[0]] = last_number(line)
        if len(found) == len(names):
            break
    return found


def _number(word: str) -> float | None:
    spot = WORD.match(word)
    number = math.nan if spot is None else number_in(spot.group())
    return number if math.isfinite(number) else None

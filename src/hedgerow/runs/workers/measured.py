"""What an evaluation gave by name: from what a function returned, or from what a command printed.

A command says its outcomes in the last line, as JSON (`{"time": 3.1, "memory": 11.8}`, or lists of readings), or in
lines such as `time: 3.1` and `memory=11.8 GB` anywhere; of several lines about one outcome the last counts. An
objective without a name is the last number of a line that names no outcome.

Where outcomes have names, further numbers with a name of their own (`energy: 3.1 J`) are kept too, since a limit may be
about them later. A name that stands after another word (`warming up: 3`) and those of variables say something else.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import IO, Any

from hedgerow.outcomes.failure import Failure
from hedgerow.outcomes.goals import Goals
from hedgerow.outcomes.reading import TrialOutcome, read_outcome
from hedgerow.runs.workers.outcome import Outcome
from hedgerow.runs.workers.printed import WORD, UnclearOutput, last_number, lines_from_end, number_in, read_json
from hedgerow.wording import quoted

# So many lines, from the last one up, are searched for numbers that nobody named, and so many are kept: a long log
# takes neither time nor room.
_MOST_LINES = 1_000
_MOST_FURTHER = 100
# A word that is cut off here is no number that anybody prints.
_LONGEST_WORD = 100
_NAMED = re.compile(rf"(?<![\w.])([^\W\d]\w*+)\s*+[:=]\s*+(?=(\S{{0,{_LONGEST_WORD}}}))")


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
    """Return the end of a sentence: whether a name that was given is meant for one that is missing, or the other way.

    Objectives stay what they are in mid-study; a limit may be written anew.
    """
    mistyped = goals.mistyped(given)
    if mistyped is None:
        return "."
    near, missing = mistyped
    if missing in goals.objectives.names:
        return f"; is '{near}' meant to be '{missing}'?"
    return f"; did you mean '{near}'?"


def told_in(printed: IO[bytes], goals: Goals, variables: Collection[str] = ()) -> Any:
    """Return what a command told: JSON, numbers by name, a number; UnclearOutput where there is nothing to read.

    Further numbers under the name of a variable repeat the point, and are left out.
    """
    lines = lines_from_end(printed)
    for last in lines:
        if last[0] in "{[" and (said := read_json(last)) is not None:
            return _numbers_alone(said, goals, variables) if isinstance(said, dict) else said
        break
    names = list(goals.names)
    found = _found_in(printed, names, takes_value=not goals.objectives.is_named)
    further = {} if _is_value_alone(goals) else _further_in(printed, {*names, *variables})
    if not any(number is not None for number in found.values()):
        instead = f", but {quoted(further)}{question_of(further, goals)}" if further else "."
        raise UnclearOutput(
            f"the command printed nothing about {quoted(names)}{instead} Print a last line in JSON, or lines such as "
            f"'{names[0]}: 1.5'"
        )
    return found.get(names[0]) if _is_value_alone(goals) else {**found, **further}


def _is_value_alone(goals: Goals) -> bool:
    return not (goals.objectives.is_named or goals.limits)


def _numbers_alone(said: Mapping[str, Any], goals: Goals, variables: Collection[str]) -> Any:
    """Return the parts of an object that are outcomes: those that are wanted, and other numbers by name."""
    wanted = goals.names
    numbers = {name for name, item in said.items() if isinstance(item, int | float) and not isinstance(item, bool)}
    further = {name for name in numbers if name.isidentifier() and name not in variables}
    kept = {name: item for name, item in said.items() if name in wanted or name in further}
    if not any(name in kept for name in wanted):
        raise UnclearOutput(
            f"the command printed no {' and no '.join(map(repr, wanted))}, but {quoted(said)}{question_of(said, goals)}"
        )
    return kept.get(wanted[0]) if _is_value_alone(goals) else kept


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


def _further_in(printed: IO[bytes], known: Collection[str]) -> dict[str, float]:
    """Return the numbers that lines give under other names than the known ones; of several the last counts."""
    found: dict[str, float | None] = {}
    for line in islice(lines_from_end(printed), _MOST_LINES):
        for name, word in reversed(list(_named_in(line))):
            if name not in known and name not in found and len(found) < _MOST_FURTHER:
                found[name] = _plain_number(word)
    # In the order in which they were printed.
    return {name: number for name, number in reversed(found.items()) if number is not None}


def _named_in(line: str) -> Iterator[tuple[str, str]]:
    """Return the names in a line that begin it, or stand after a mark, a number or its unit, each with what follows."""
    end = 0
    for spot in _NAMED.finditer(line):
        before = line[end : spot.start()].split()
        is_after_unit = end > 0 and len(before) < 2
        if not before or not before[-1][-1].isalpha() or is_after_unit:
            yield spot.group(1), spot.group(2)
        number = WORD.match(spot.group(2))
        end = spot.end() + (0 if number is None else number.end())


def _plain_number(word: str) -> float | None:
    """Return the number that a word is, perhaps with a unit; None where it may be a date, a ratio or two numbers."""
    spot = WORD.match(word)
    if spot is None or spot.end() == _LONGEST_WORD:
        return None
    rest = word[spot.end() :]
    if rest[:1] not in (",", ";") and any(letter.isdigit() for letter in rest):
        return None
    try:
        return _number(spot.group())
    except UnclearOutput:
        return None


def _number(word: str) -> float | None:
    spot = WORD.match(word)
    number = math.nan if spot is None else number_in(spot.group())
    return number if math.isfinite(number) else None

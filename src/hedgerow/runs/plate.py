"""Telling many results at once: all are checked before the first is stored, and telling them again changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hedgerow.errors import HedgerowError, StudyError
from hedgerow.optuna.trials import FinishedRow
from hedgerow.outcomes.reading import TrialOutcome, read_outcome
from hedgerow.runs.study import Study
from hedgerow.runs.table import TableResult
from hedgerow.schema import StoredState
from hedgerow.space import Point
from hedgerow.space.encoding import decode, encode
from hedgerow.wording import counted


@dataclass(frozen=True)
class PlateReport:
    """The trials that were told now, those that had the same outcome already, and the places of what was left out.

    `breaking` has the told trials whose points break rules, and `broken` the names of these rules.
    """

    told: tuple[int, ...]
    known: tuple[int, ...]
    left_out: tuple[str, ...] = ()
    breaking: tuple[int, ...] = ()
    broken: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = [f"{counted(len(self.told), 'result')} told{self._breaking()}"]
        if self.known:
            parts.append(f"{len(self.known)} had been told before")
        if self.left_out:
            parts.append(f"{len(self.left_out)} outside the space left out")
        return "; ".join(parts) + "."

    def _breaking(self) -> str:
        if not self.breaking:
            return ""
        verb, noun = "breaks" if len(self.breaking) == 1 else "break", "rule" if len(self.broken) == 1 else "rules"
        return f" ({len(self.breaking)} {verb} {noun} {', '.join(self.broken)})"


def tell_all(study: Study, results: Sequence[TableResult], skips_unfit: bool = False) -> PlateReport:
    """Store results; a result that cannot be stored is told before any other is.

    Results at no point of the space are among these, unless they are to be skipped.
    """
    fitting = [result for result in results if not result.misfit]
    unfit = [result for result in results if result.misfit]
    if unfit and not skips_unfit:
        more = f" {len(unfit)} lines are outside the space." if len(unfit) > 1 else ""
        raise StudyError(
            f"{unfit[0].place} of the results: {unfit[0].misfit}{more} --skip-unfit leaves such lines out and tells "
            "the others."
        )
    new, known = _new_and_known(study, fitting)
    told = tuple(study.tell(point, outcome) for point, outcome in new)
    broken = [[rule.name for rule in study.sampler.feasible.explain(point)] for point, _ in new]
    return PlateReport(
        told,
        tuple(known),
        tuple(result.place for result in unfit),
        tuple(number for number, names in zip(told, broken, strict=True) if names),
        tuple(dict.fromkeys(name for names in broken for name in names)),
    )


def _new_and_known(study: Study, results: Sequence[TableResult]) -> tuple[list[tuple[Point, Any]], list[int]]:
    """Return what is still to be told, and the trials that have the other results already."""
    read = study.read()
    space, goals = study.problem.space, study.problem.goals
    # Each stored trial stands for one result: two equal readings of a point are two.
    outcomes = {item.number: item for item in read.told}
    waiting = {asked.number: asked.point for asked in study.pending_by_hand()}
    finished = {trial.number for trial in read.trials if trial.state in (StoredState.COMPLETE, StoredState.FAIL)}
    new: list[tuple[Point, Any]] = []
    known: list[int] = []
    for result in results:
        try:
            told = read_outcome(result.told, goals)
            if result.number is None:
                row = encode(space, result.point or {})
                point = decode(space, row)
                key = row.tobytes()
                same = [n for n, item in outcomes.items() if item.row.tobytes() == key and _same(item.outcome, told)]
            elif result.number in waiting:
                point, same = waiting[result.number], []
            else:
                point, same = {}, _known(result.number, told, outcomes, finished)
        except HedgerowError as error:
            raise StudyError(f"{result.place} of the results: {error}") from None
        if same:
            known.append(same[0])
            if result.number is None and goals.may_repeat:
                outcomes.pop(same[0])
        else:
            new.append((point, result.told))
    return new, known


def _known(number: int, told: TrialOutcome, outcomes: dict[int, FinishedRow], finished: set[int]) -> list[int]:
    """Return the trial where it has this outcome already; one with another outcome, or none, is a mistake."""
    if number not in outcomes or number not in finished:
        raise StudyError(f"no trial {number} waits for a value; hedgerow status lists those that do.")
    if not _same(outcomes[number].outcome, told):
        raise StudyError(f"trial {number} was told already, as {_shown(outcomes[number].outcome)}.")
    return [number]


def _same(stored: TrialOutcome, told: TrialOutcome) -> bool:
    """Whether a trial has what is told of it; it may have given further numbers, which a table does not tell."""
    pairs = zip(stored.readings, told.readings, strict=False)
    return len(stored.readings) == len(told.readings) and all(had.items() >= now.items() for had, now in pairs)


def _shown(outcome: TrialOutcome) -> str:
    if not outcome.readings:
        return "failed"
    if len(outcome.numbers) == 1:
        return f"{next(iter(outcome.numbers.values())):g}"
    return ", ".join(f"{name} = {number:g}" for name, number in outcome.numbers.items())

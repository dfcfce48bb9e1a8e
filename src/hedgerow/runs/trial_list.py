"""The trials of a study for those who look at them: each with its point, what it gave, its state, times and reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from hedgerow import schema
from hedgerow.arrays import Codes
from hedgerow.outcomes.observation import Estimate
from hedgerow.outcomes.reading import TrialOutcome
from hedgerow.runs.snapshot import Snapshot
from hedgerow.schema import StoredState, StoredTrial, is_lost
from hedgerow.space import Point
from hedgerow.space.encoding import decode


@dataclass(frozen=True)
class Trial:
    """One trial of a study, with its number, which is the same wherever trials are named.

    Attributes
    ----------
    number : int
        Its number, from 0; `ask`, `tell`, `run`, `status`, `export` and the report call it by this.
    state : str
        "complete", "failed", "partial" (some of its objectives), "pruned", "running", "waiting" (enqueued), "waiting
        for its value" (asked by hand) or "lost" (it counts for nothing).
    point : dict
        Its point.
    value : float or None
        The value of the objective; None where it gave none, and where there are several objectives.
    outcomes : dict
        What it gave by name; of several readings, their means.
    readings : tuple of dict
        The single readings, where it gave several.
    is_feasible : bool
        Whether its point keeps the rules as they are now.
    reason : str or None
        Why it failed, or what else was said of it.
    seconds : float or None
        How long its evaluation took, where that was measured.
    began, ended : datetime or None
        When, in local time.
    asked_with : str or None
        Method, seed and version that suggested it; None where it was told without being asked for.
    believed : Estimate or None
        Of `LoadedStudy.best` where points are measured again: what is believed of its value.

    Examples
    --------
    >>> from hedgerow.runs.trial_list import Trial
    >>> Trial(3, "complete", {"x": 2}, 0.5)
    Trial(number=3, state='complete', point={'x': 2}, value=0.5)
    """

    number: int
    state: str
    point: Point
    value: float | None
    outcomes: Mapping[str, float] = field(default_factory=dict, repr=False)
    readings: tuple[Mapping[str, float], ...] = field(default=(), repr=False)
    is_feasible: bool = field(default=True, repr=False)
    reason: str | None = field(default=None, repr=False)
    seconds: float | None = field(default=None, repr=False)
    began: datetime | None = field(default=None, repr=False)
    ended: datetime | None = field(default=None, repr=False)
    asked_with: str | None = field(default=None, repr=False)
    believed: Estimate | None = field(default=None, repr=False)


def trials_of(snapshot: Snapshot) -> list[tuple[Trial, Codes]]:
    """Return every trial that has a point, with its row, in the order of their numbers."""
    read, problem = snapshot.read, snapshot.problem
    outcomes = {item.number: item.outcome for item in read.told}
    rows = {item.number: item.row for item in (*read.told, *read.lost)}
    rows |= {claim.number: claim.row for claim in read.claimed}
    stored = sorted((trial for trial in snapshot.trials if trial.number in rows), key=lambda trial: trial.number)
    kept = problem.keeps_rules([rows[trial.number] for trial in stored])
    found: list[tuple[Trial, Codes]] = []
    for trial, keeps_rules in zip(stored, kept, strict=True):
        row, outcome = rows[trial.number], outcomes.get(trial.number, TrialOutcome())
        details = trial.user_attrs.get(schema.DETAILS)
        said = details if isinstance(details, dict) else {}
        one = Trial(
            trial.number,
            "lost" if trial.number in read.forgotten else _state(trial),
            decode(problem.space, row),
            trial.values[0] if trial.values and not problem.goals.objectives.are_several else None,
            problem.goals.ordered(outcome.numbers),
            tuple(outcome.readings) if len(outcome.readings) > 1 else (),
            bool(keeps_rules),
            said.get("reason"),
            said.get("seconds"),
            trial.datetime_start,
            trial.datetime_complete,
            trial.system_attrs.get(schema.ASKED_WITH),
        )
        found.append((one, row))
    return found


def _state(trial: StoredTrial) -> str:
    """Return the state of a trial as `status` counts it."""
    if is_lost(trial):
        return "lost"
    if trial.state == StoredState.RUNNING and schema.BY_HAND in trial.system_attrs:
        return "waiting for its value"
    if schema.has_readings(trial):
        return "complete" if trial.values else "partial"
    return "failed" if trial.state == StoredState.FAIL else StoredState(trial.state).name.lower()

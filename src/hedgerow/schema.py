"""What a study keeps in its storage: every key, and the states of a trial. Studies of years ago are read by it.

A trial is a row of Optuna's storage. Its state is Optuna's; what Hedgerow adds stands in attributes, whose keys are
here and nowhere else. Keys and states are never renamed, and new keys are ones that old trials may lack.

              enqueued by a person                        made by ask, tell or Optuna
                      |                                                |
                      v              taken up by one worker            v
                  WAITING  --------------------------------------->  RUNNING  ("hedgerow:point" once it has a point)
                                                                       |
          +---------------------+--------------------+----------------+----------------------+
          |                     |                    |                                       |
      its worker, or      its worker, or       Optuna's pruner,               its worker, or whoever finds that
      the person who      the person who       in a study of Optuna           the lease has not moved
      has it, tells       has it, tells        that uses the sampler          for its whole length
      a value             of a failure               |                                       |
          |                     |                    |                                       |
          v                     v                    v                                       v
      COMPLETE                FAIL                PRUNED                      FAIL with "hedgerow:lost" = why
    an observation      an observation      an observation with               no observation: the point is
    with a value        without a value     the last reported value           free, and asked for again

A trial that gives some of its objectives and not all of them ends as FAIL with "hedgerow:readings", since Optuna has no
place for a part: it is an observation of what it gave. A finished trial that is to be forgotten is named by another one
("hedgerow:forgets"), which ends at once or waits to try the point again: then the first counts as lost.

A running trial has a *lease* (a worker evaluates it, and alone may renew the lease) or is *by hand* (a person or a
program has it, however long it takes). The storage lets one process end a trial; whoever comes second gets an error
and, with a value in hand, stores it as a trial of its own that names the first ("hedgerow:late_for"). Finished trials
never change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import IntEnum
from typing import Any, Protocol

# --- of a study: user attributes ---

# The space, as `Space.to_dict` gives it. Written by the first who opens the study, and anew where it changes.
SPACE = "hedgerow:space"
# What changed about the space since the study began: a list of {"since", "after_trials", "changes", "before"}, the last
# with the values that new variables had in trials of before; where variables went, "removed" has their values by slot.
# The newest space is under SPACE.
SPACES = "hedgerow:spaces"
# The rules over time: a list of {"since", "after_trials", "rules"}. Whoever opens the study to write adds what is new.
RULES = "hedgerow:rules"
# The engine that holds the newest rules. Written with them by whoever adds them; later runs ask for the same, whatever
# is installed there, so that they suggest the same. Studies from before it was written: "diagram".
ENGINE = "hedgerow:engine"

# What trials are judged by: {"time": "minimize", ...}, where objectives have names. Written as the space is.
OBJECTIVES = "hedgerow:objectives"
# What measures points: {"command": ...} or {"python": ...}. Written by a run; one with another command is refused.
MEASURED_BY = "hedgerow:measured_by"
# The files that take part in measuring, over time: a list of {"since", "after_trials", "files"}, the last by name with
# a digest of each. Written by a run that finds them changed.
MEASURED_FILES = "hedgerow:measured_files"

# --- of a trial: system attributes, written by whoever makes the trial, and by its worker while it runs ---

# The point, by slot; others see it before the objective asks for its values. None: stepped back, and choosing again.
CLAIM = "hedgerow:point"
# Who evaluates the trial, and how often that worker has said so: the fields of `Lease`.
LEASE = "hedgerow:lease"
# A person or another program evaluates it. It has no lease, and waits as long as it takes. True, or the mark of the
# transaction of a service that made it, by which that finds its trials where the answer of the storage got lost.
BY_HAND = "hedgerow:by_hand"
# What suggested the point: method, seed and version, as text.
ASKED_WITH = "hedgerow:asked_with"
# True: told without having been asked for. Uses up no budget.
UNASKED = "hedgerow:unasked"
# The number of the trial in whose place a value arrived, after that trial had been given up.
LATE = "hedgerow:late_for"
# The numbers of the trials that tried the point before and were lost.
AGAIN = "hedgerow:again"
# Which reading of its point a trial takes, where points may be measured several times; the first, 0, is not written.
READING = "hedgerow:reading"
# The numbers of finished trials that count for nothing from now on.
FORGETS = "hedgerow:forgets"
# Why a failed trial says nothing about its point: one of the words below.
LOST = "hedgerow:lost"

# --- of a trial: user attributes, written by whoever ends it ---

# What the evaluation said besides the value: "reason", "seconds", "output", "details".
DETAILS = "hedgerow"
# What was measured, where that is more than one number for each objective: a list of {name: number}.
READINGS = "hedgerow:readings"

# --- why a trial was lost ---

WITHDRAWN = "withdrawn"  # before it began: somebody else had the point, or the budget
INTERRUPTED = "interrupted"  # through no fault of its point
VANISHED = "vanished"  # together with its evaluation, which may be the point's doing
FORGOTTEN = "forgotten"  # by the person who had it
BROKEN = "broken"  # what measures points could not be started, which no point is to blame for

# --- Optuna's own keys that are read ---

FIXED = "fixed_params"
RETRIES = "retry_history"
# How far a trial is beyond each constraint, at most 0 within: a list, or a number for each name after a colon.
CONSTRAINTS = "constraints"


class StoredState(IntEnum):
    """The states of a trial, with Optuna's numbers; they compare equal to Optuna's own, which need not be loaded."""

    RUNNING = 0
    COMPLETE = 1
    PRUNED = 2
    FAIL = 3
    WAITING = 4


FINISHED = (StoredState.COMPLETE, StoredState.PRUNED, StoredState.FAIL)


class StoredTrial(Protocol):
    """A trial as it is read from a storage: Optuna's, or one that was read without Optuna."""

    @property
    def number(self) -> int: ...  # noqa: D102

    @property
    def state(self) -> IntEnum: ...  # noqa: D102

    @property
    def values(self) -> Sequence[float] | None: ...  # noqa: D102

    @property
    def params(self) -> Mapping[str, Any]: ...  # noqa: D102

    @property
    def user_attrs(self) -> Mapping[str, Any]: ...  # noqa: D102

    @property
    def system_attrs(self) -> Mapping[str, Any]: ...  # noqa: D102

    @property
    def datetime_start(self) -> datetime | None: ...  # noqa: D102

    @property
    def datetime_complete(self) -> datetime | None: ...  # noqa: D102


def is_finished(trial: StoredTrial) -> bool:
    """Whether a trial has ended, and will not change."""
    return trial.state in FINISHED


def is_lost(trial: StoredTrial) -> bool:
    """Whether a trial ended with its worker, and says nothing about its point."""
    return trial.state == StoredState.FAIL and bool(trial.system_attrs.get(LOST))


def has_readings(trial: StoredTrial) -> bool:
    """Whether a trial says by name what it measured, all of its objectives or a part."""
    return isinstance(trial.user_attrs.get(READINGS), list)


def is_counted(trial: StoredTrial) -> bool:
    """Whether a trial uses up budget: it was asked for here and not lost; those by hand count when they have ended."""
    attrs = trial.system_attrs
    if is_lost(trial) or trial.state == StoredState.WAITING or UNASKED in attrs:
        return False
    return LEASE in attrs or (BY_HAND in attrs and is_finished(trial))

"""Many trials made, ended and read at a time.

Optuna makes and ends a trial by two dozen statements in several transactions, which takes 30 ms of processor time.
Where its tables are as they are known here, a group of trials takes one transaction of a few statements. What is stored
is the same, so that nobody who reads the study can tell; everywhere else Optuna does it, trial by trial.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from optuna.exceptions import UpdateFinishedTrialError
from optuna.trial import FrozenTrial, TrialState

from hedgerow import schema
from hedgerow.runs.sqlite_reader import PlainTrial
from hedgerow.runs.stored import StoredStudy
from hedgerow.runs.telling import Ending, end
from hedgerow.schema import StoredState


@dataclass(frozen=True)
class NewTrial:
    """A trial to make: its point by slot, and its system attributes."""

    claim: Mapping[str, Any]
    attrs: Mapping[str, Any]


class Bulk(Protocol):
    """How many trials at a time get into the storage of a study, and out of it."""

    def create(self, trials: Sequence[NewTrial], mark: str) -> list[tuple[int, int]]:
        """Make running trials by hand, all or none, and return the id and the number of each.

        The mark is stored with them and is used once: by it they are known again where the answer got lost.
        """

    def end(self, endings: Mapping[int, Ending]) -> dict[int, datetime | None]:
        """End trials by their ids; return those that have ended so, and when: None where they had before.

        The others were ended in another way by somebody else.
        """

    def read(
        self, after: int, besides: Iterable[int] = (), without: Container[int] = frozenset()
    ) -> dict[int, PlainTrial]:
        """Return the trials whose ids are larger, but for some, and besides them those with the given ids."""

    def finished(self, ids: Iterable[int]) -> set[int]:
        """Return those of the trials that have ended."""


class OneByOne:
    """Optuna's own way, which every storage has."""

    def __init__(self, stored: StoredStudy) -> None:
        self._stored = stored

    def create(self, trials: Sequence[NewTrial], mark: str) -> list[tuple[int, int]]:
        """As `Bulk` says, like all that follow."""
        made = [self._stored.create({**trial.attrs, schema.BY_HAND: mark}, trial.claim) for trial in trials]
        return [(trial_id, self._stored.storage.get_trial(trial_id).number) for trial_id in made]

    def end(self, endings: Mapping[int, Ending]) -> dict[int, datetime | None]:  # noqa: D102
        ended: dict[int, datetime | None] = {}
        for trial_id, ending in endings.items():
            with suppress(UpdateFinishedTrialError):
                end(self._stored, trial_id, ending)
                ended[trial_id] = self._stored.storage.get_trial(trial_id).datetime_complete
        return ended

    def read(  # noqa: D102
        self, after: int, besides: Iterable[int] = (), without: Container[int] = frozenset()
    ) -> dict[int, PlainTrial]:
        wanted = set(besides)
        trials = {trial._trial_id: trial for trial in self._stored.trials()}
        return {i: _plain(t) for i, t in trials.items() if i in wanted or (i > after and i not in without)}

    def finished(self, ids: Iterable[int]) -> set[int]:  # noqa: D102
        wanted = set(ids)
        return {t._trial_id for t in self._stored.trials() if t._trial_id in wanted and t.state.is_finished()}


def is_as_told(trial: PlainTrial, ending: Ending) -> bool:
    """Whether a trial has ended in this way already, and the answer to that got lost."""
    return trial.state == ending.state and list(trial.values or ()) == list(ending.values)


def _plain(trial: FrozenTrial) -> PlainTrial:
    return PlainTrial(
        trial.number,
        StoredState(int(trial.state)),
        None if trial.state is TrialState.WAITING else trial.values,
        trial.params,
        trial.user_attrs,
        trial.system_attrs,
        trial.datetime_start,
        trial.datetime_complete,
    )

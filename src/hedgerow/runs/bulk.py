"""Trials made, ended and read, many or one at a time.

Optuna makes and ends a trial by two dozen statements in several transactions, which takes 10 to 30 ms of the processor.
Where its tables are as they are known here, any number of trials takes one transaction of a few statements. What is
stored is the same, so that nobody who reads the study can tell; everywhere else Optuna does it, trial by trial.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

import optuna
from optuna.distributions import BaseDistribution
from optuna.exceptions import UpdateFinishedTrialError
from optuna.storages import BaseStorage
from optuna.trial import FrozenTrial, TrialState

from hedgerow import schema
from hedgerow.optuna.distributions import as_suggested
from hedgerow.runs.sqlite_reader import PlainTrial
from hedgerow.schema import StoredState, is_lost


@dataclass(frozen=True)
class StudyPlace:
    """Where a study is kept, and what its parameters are there: by slot, the distribution and the stored name."""

    storage: BaseStorage
    study_id: int
    distributions: Mapping[str, BaseDistribution]
    names: Mapping[str, str]

    def parameters(self, claim: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of a claim as Optuna's suggestions would be; what is inactive is no parameter."""
        return {
            name: as_suggested(value, self.distributions[name]) for name, value in claim.items() if value is not None
        }


@dataclass(frozen=True)
class NewTrial:
    """A trial to make: its point by slot, and its system attributes."""

    claim: Mapping[str, Any]
    attrs: Mapping[str, Any]


@dataclass(frozen=True)
class Ending:
    """How a trial ends in the storage: its state, a value per objective where it has all, and attributes."""

    state: StoredState
    values: tuple[float, ...] = ()
    user_attrs: Mapping[str, Any] = field(default_factory=dict)
    system_attrs: Mapping[str, Any] = field(default_factory=dict)


class Bulk(Protocol):
    """How many trials at a time get into the storage of a study, and out of it."""

    def create(self, trials: Sequence[NewTrial], mark: str | None = None) -> list[tuple[int, int]]:
        """Make running trials, all or none, and return the id and the number of each.

        A mark makes them trials by hand and is used once: by it they are known again where the answer got lost. Without
        one, trials may be made twice then; whoever makes them has leases, which say that nobody works on the first.
        """

    def give(self, trial_id: int, claim: Mapping[str, Any]) -> None:
        """Store the parameters of a running trial; UpdateFinishedTrialError where it has ended."""

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

    def __init__(self, place: StudyPlace) -> None:
        self._place = place
        self._storage = place.storage

    def create(self, trials: Sequence[NewTrial], mark: str | None = None) -> list[tuple[int, int]]:
        """As `Bulk` says, like all that follow."""
        made = [self._storage.create_new_trial(self._place.study_id, self._template(new, mark)) for new in trials]
        return [(trial_id, self._storage.get_trial(trial_id).number) for trial_id in made]

    def _template(self, trial: NewTrial, mark: str | None) -> FrozenTrial:
        place = self._place
        values = place.parameters(trial.claim)
        return optuna.create_trial(
            state=TrialState.RUNNING,
            params={place.names[name]: value for name, value in values.items()},
            distributions={place.names[name]: place.distributions[name] for name in values},
            system_attrs={**trial.attrs, **by_mark(mark)},
        )

    def give(self, trial_id: int, claim: Mapping[str, Any]) -> None:  # noqa: D102
        for name, value in self._place.parameters(claim).items():
            distribution = self._place.distributions[name]
            internal = distribution.to_internal_repr(value)
            self._storage.set_trial_param(trial_id, self._place.names[name], internal, distribution)

    def end(self, endings: Mapping[int, Ending]) -> dict[int, datetime | None]:  # noqa: D102
        ended: dict[int, datetime | None] = {}
        for trial_id, ending in endings.items():
            with suppress(UpdateFinishedTrialError):
                self._end(trial_id, ending)
                ended[trial_id] = self._storage.get_trial(trial_id).datetime_complete
        return ended

    def _end(self, trial_id: int, ending: Ending) -> None:
        for key, value in ending.user_attrs.items():
            self._storage.set_trial_user_attr(trial_id, key, value)
        for key, value in ending.system_attrs.items():
            self._storage.set_trial_system_attr(trial_id, key, value)
        self._storage.set_trial_state_values(trial_id, TrialState(int(ending.state)), list(ending.values) or None)

    def read(  # noqa: D102
        self, after: int, besides: Iterable[int] = (), without: Container[int] = frozenset()
    ) -> dict[int, PlainTrial]:
        wanted = set(besides)
        trials = {trial._trial_id: trial for trial in self._trials()}
        return {i: _plain(t) for i, t in trials.items() if i in wanted or (i > after and i not in without)}

    def finished(self, ids: Iterable[int]) -> set[int]:  # noqa: D102
        wanted = set(ids)
        return {t._trial_id for t in self._trials() if t._trial_id in wanted and t.state.is_finished()}

    def _trials(self) -> list[FrozenTrial]:
        return self._storage.get_all_trials(self._place.study_id, deepcopy=False)


def by_mark(mark: str | None) -> dict[str, str]:
    """Return the attribute of trials by hand that keeps the mark of what made them."""
    return {} if mark is None else {schema.BY_HAND: mark}


def is_as_told(trial: PlainTrial, ending: Ending) -> bool:
    """Whether a trial has ended in this way already, and the answer to that got lost.

    One that was given up has ended in no way that a worker tells of, and keeps nothing of what was measured.
    """
    is_same = trial.state == ending.state and list(trial.values or ()) == list(ending.values)
    measured = [attrs.get(schema.READINGS) for attrs in (trial.user_attrs, ending.user_attrs)]
    return is_same and measured[0] == measured[1] and is_lost(trial) == (schema.LOST in ending.system_attrs)


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

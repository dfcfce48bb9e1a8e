"""A problem's study in its storage, with the sampler that reads it, and how trials come into being and end.

Every change is one that the storage keeps or refuses as a whole, so whatever process ends at whatever moment, what was
told stays told once, and what was only asked can be asked again.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import optuna
from optuna.exceptions import UpdateFinishedTrialError
from optuna.storages import BaseStorage
from optuna.study import Study as OptunaStudy
from optuna.trial import FrozenTrial

from hedgerow import schema
from hedgerow.arrays import Codes
from hedgerow.checks import Engine
from hedgerow.errors import RuleWarning
from hedgerow.optuna.sampler import HedgerowSampler
from hedgerow.optuna.trials import TrialRows
from hedgerow.runs.bulk import Ending, NewTrial, StudyPlace
from hedgerow.runs.bulk_sql import BulkSql, bulk_of
from hedgerow.runs.glance import glance_at
from hedgerow.runs.growth import before_by_slot, parameter_names, removed_by_slot, space_changes
from hedgerow.runs.known import KnownTrials
from hedgerow.runs.prior_files import earlier_of
from hedgerow.runs.problem import Problem
from hedgerow.runs.same_problem import check_same_problem, engine_again, rule_changes
from hedgerow.runs.storage import open_storage
from hedgerow.schema import StoredState
from hedgerow.space import Point
from hedgerow.space.encoding import decode


@dataclass(frozen=True)
class Asked:
    """A trial that has its point."""

    trial_id: int
    number: int
    point: Point


@contextmanager
def _quietly() -> Iterator[None]:
    """Keep Optuna from saying that it made or found a study, which is no news to those who run one."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(max(before, optuna.logging.WARNING))
    try:
        yield
    finally:
        optuna.logging.set_verbosity(before)


class StoredStudy:
    """A study in its storage, opened or made, with the sampler that suggests for it."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.sampler = self._sampler(problem.engine)
        self.storage: BaseStorage = open_storage(problem.storage)
        engine = engine_again(problem, self._attrs_before())
        if engine not in ("auto", self.sampler.feasible.engine):
            self.sampler = self._sampler(engine)
        with _quietly():
            self.in_optuna: OptunaStudy = optuna.create_study(
                study_name=problem.study,
                storage=self.storage,
                sampler=self.sampler,
                directions=list(problem.goals.objectives.directions),
                load_if_exists=True,
            )
        self.study_id = self.in_optuna._study_id
        self.distributions = self.sampler.distributions
        # What each slot is called in the storage.
        self.names = {name: name for name in self.distributions}
        self.spool = problem.spool
        self._record_problem()
        self.place = StudyPlace(self.storage, self.study_id, self.distributions, self.names)
        self.bulk = bulk_of(self.place)
        self._known = KnownTrials(self.sampler.reader(self.in_optuna), len(problem.space.slots))
        if isinstance(self.bulk, BulkSql):
            self.sampler.source = self._rows

    def _sampler(self, engine: Engine) -> HedgerowSampler:
        problem = self.problem
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuleWarning)
            sampler = HedgerowSampler(
                problem.space,
                problem.rules,
                method=problem.method,
                seed=problem.seed,
                objectives=problem.objectives,
                limits=problem.limits,
                repeats=problem.repeats,
                reference=problem.reference,
                node_budget=problem.node_budget,
                engine=engine,
            )
            if problem.prior is not None:
                sampler.earlier = partial(earlier_of, problem)
            return sampler

    def _attrs_before(self) -> dict[str, Any]:
        """Return the user attributes of the study, none where there is no study yet."""
        try:
            return self.storage.get_study_user_attrs(self.storage.get_study_id_from_name(self.problem.study))
        except KeyError:
            return {}

    def _record_problem(self) -> None:
        """Raise where the study is about another problem; write down what is new about this one."""
        attrs = self.attrs()
        directions = self.storage.get_study_directions(self.study_id)
        check_same_problem(self.problem, tuple(item.name.lower() for item in directions), attrs)
        self.sampler.before = before_by_slot(self.problem, attrs)
        self.sampler.removed = removed_by_slot(self.problem, attrs)
        known = glance_at(self.storage, self.study_id)
        changes = space_changes(self.problem, attrs, known.n_trials)
        if changes != attrs.get(schema.SPACES, []):
            self.storage.set_study_user_attr(self.study_id, schema.SPACES, changes)
        if attrs.get(schema.SPACE) != self.problem.space.to_dict():
            self.storage.set_study_user_attr(self.study_id, schema.SPACE, self.problem.space.to_dict())
        # Also a study that was begun in Optuna may know a parameter by other choices, or on another scale.
        self.names = parameter_names(self.distributions, known.distributions)
        if self.problem.objectives and schema.OBJECTIVES not in attrs:
            self.storage.set_study_user_attr(self.study_id, schema.OBJECTIVES, dict(self.problem.objectives))
        rules = rule_changes(self.problem, attrs, known.n_trials)
        if rules != attrs.get(schema.RULES):
            # The engine first: rules without one are from before engines were written down.
            self.storage.set_study_user_attr(self.study_id, schema.ENGINE, self.sampler.feasible.engine)
            self.storage.set_study_user_attr(self.study_id, schema.RULES, rules)

    def attrs(self) -> dict[str, Any]:
        """Return the user attributes of the study."""
        return self.storage.get_study_user_attrs(self.study_id)

    def trials(self) -> list[FrozenTrial]:
        """Return all trials as they are now."""
        return self.storage.get_all_trials(self.study_id, deepcopy=False)

    def read(self) -> TrialRows:
        """Return what all trials tell now."""
        return self.sampler.read(self.in_optuna)

    def _rows(self, study: OptunaStudy) -> TrialRows | None:
        """Return what the trials of this study tell now, of which only the new and the unfinished ones are read."""
        if study._storage is not self.storage or study._study_id != self.study_id:
            return None
        known = self._known
        new = self.bulk.read(known.newest, [known.ids[number] for number in known.open])
        known.take(new)
        known.newest = max([known.newest, *new])
        return known.rows()

    def id_of(self, number: int) -> int:
        """Return the storage's id of a trial."""
        return self.storage.get_trial_id_from_study_id_trial_number(self.study_id, number)

    def asked(self, trial: FrozenTrial, row: Codes) -> Asked:
        """Return a trial with its point."""
        return self.asked_as(trial._trial_id, trial.number, row)

    def asked_as(self, trial_id: int, number: int, row: Codes) -> Asked:
        """Return a trial by id and number with its point."""
        return Asked(trial_id, number, decode(self.problem.space, row))

    def create(self, attrs: Mapping[str, Any], claim: Mapping[str, Any]) -> tuple[int, int]:
        """Create a running trial, with its point where it is known, and return its id and its number."""
        [made] = self.bulk.create([NewTrial(claim, attrs)])
        return made

    def reading(self, number: int) -> dict[str, int]:
        """Return the attribute that says which reading of its point a trial takes; the first needs none."""
        return {schema.READING: number} if number else {}

    def set_attrs(self, trial_id: int, attrs: Mapping[str, Any]) -> None:
        """Set system attributes of a running trial."""
        for key, value in attrs.items():
            self.storage.set_trial_system_attr(trial_id, key, value)

    def end(self, trial_id: int, ending: Ending) -> None:
        """End a trial; UpdateFinishedTrialError where it has ended in another way."""
        if trial_id not in self.bulk.end({trial_id: ending}):
            raise UpdateFinishedTrialError(f"The trial with the id {trial_id} has ended before.")

    def lose(self, trial_id: int, why: str) -> None:
        """End a trial that nobody works on any more, if it has not ended; its point is free again."""
        with suppress(UpdateFinishedTrialError):
            self.end(trial_id, Ending(StoredState.FAIL, system_attrs={schema.LOST: why}))

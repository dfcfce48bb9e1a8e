"""A campaign: one study in one storage, which any number of runs, people and programs ask and tell.

Every change is one that the storage keeps or refuses as a whole, so whatever process ends at whatever moment, what was
told stays told once, and what was only asked can be asked again.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import optuna
from optuna.exceptions import UpdateFinishedTrialError
from optuna.storages import BaseStorage
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from hedgerow import __version__
from hedgerow.errors import RuleWarning, SpaceExhausted, StudyError
from hedgerow.evaluation.job import Outcome
from hedgerow.space import Codes, Point
from hedgerow.space.encoding import decode, encode
from hedgerow.study.leases import LEASE, Lease
from hedgerow.study.optuna_claims import keeps_row
from hedgerow.study.optuna_distributions import as_suggested
from hedgerow.study.optuna_sampler import HedgerowSampler
from hedgerow.study.optuna_storage import open_storage
from hedgerow.study.optuna_trials import CLAIM, LOST, WITHDRAWN, Claimed, Snapshot, Told
from hedgerow.study.plan import RunPlan
from hedgerow.study.standing import ASKED_WITH, BY_HAND, DETAILS, Standing, is_counted, standing

_SPACE = "hedgerow:space"
_RULES = "hedgerow:rules"
_MAX_ATTEMPTS = 20
# The trials that tried a point before and were lost.
AGAIN = "hedgerow:again"
# The trial in whose place a value arrived after that trial had been given up.
LATE = "hedgerow:late_for"


@dataclass(frozen=True)
class Asked:
    """A trial that has its point."""

    trial_id: int
    number: int
    point: Point


class Campaign:
    """A study of the plan's problem, opened or created."""

    def __init__(self, plan: RunPlan) -> None:
        self.plan = plan
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuleWarning)
            self.sampler = HedgerowSampler(
                plan.space, plan.rules, method=plan.method, seed=plan.seed, node_budget=plan.node_budget
            )
        self.storage: BaseStorage = open_storage(plan.storage)
        self.study: Study = optuna.create_study(
            study_name=plan.study,
            storage=self.storage,
            sampler=self.sampler,
            direction=plan.direction,
            load_if_exists=True,
        )
        self._study_id = self.study._study_id
        self._distributions = self.sampler.distributions
        self._spool = plan.spool
        self._check_same_problem()

    @property
    def is_maximised(self) -> bool:
        """Whether larger values are better."""
        return self.plan.direction == "maximize"

    @property
    def rule_changes(self) -> list[dict[str, Any]]:
        """The rules as they were over time, each with when and after how many trials they came."""
        return list(self.storage.get_study_user_attrs(self._study_id).get(_RULES, []))

    def trials(self) -> list[FrozenTrial]:
        """Return all trials as they are now."""
        return self.storage.get_all_trials(self._study_id, deepcopy=False)

    def snapshot(self, trials: Sequence[FrozenTrial]) -> Snapshot:
        """Return what the trials tell."""
        return self.sampler.snapshot(self.study, trials)

    def standing(self, trials: Sequence[FrozenTrial] | None = None) -> Standing:
        """Return how the study stands."""
        listed = self.trials() if trials is None else trials
        return standing(listed, self.snapshot(listed), self.sampler.feasible, self.is_maximised)

    # --- asking ---

    def ask(
        self, lease: Lease | None, budget: int | None = None, hold: Callable[[int], object] = lambda _: None
    ) -> Asked | None:
        """Return a new trial with a point of its own, or None where the budget is used up.

        Without a lease the trial is one that somebody evaluates by hand; with one, `hold` is called as soon as there
        is a lease to keep alive. A trial that is given up by others all the same is left to them, and another made.
        """
        for _ in range(_MAX_ATTEMPTS):
            with suppress(UpdateFinishedTrialError):
                return self._ask(lease, budget, hold)
        raise StudyError(
            f"{_MAX_ATTEMPTS} trials in a row were given up by other workers while they got their points. "
            "Set a longer 'lease' in [run]."
        )

    def _ask(self, lease: Lease | None, budget: int | None, hold: Callable[[int], object]) -> Asked | None:
        marks: dict[str, Any] = {BY_HAND: True} if lease is None else {LEASE: lease.to_dict()}
        marks[ASKED_WITH] = f"method {self.plan.method}, seed {self.plan.seed}, hedgerow {__version__}"
        trials = self.trials()
        waiting = self._take_waiting(trials, marks, hold)
        if waiting is not None:
            return waiting
        if budget is not None and _n_counted(trials) >= budget:
            return None
        if not _are_others_at_work(trials, lease):
            asked = self._ask_alone(trials, marks, budget, hold)
            if asked is not None:
                return asked
        return self._ask_among_others(marks, budget, hold)

    def ask_by_hand(self, n: int) -> list[Asked]:
        """Return up to n trials that somebody else evaluates; fewer where fewer feasible points are left."""
        asked: list[Asked] = []
        for _ in range(n):
            try:
                trial = self.ask(None)
            except SpaceExhausted:
                if not asked:
                    raise
                break
            assert trial is not None
            asked.append(trial)
        return asked

    def _ask_alone(
        self,
        trials: Sequence[FrozenTrial],
        marks: Mapping[str, Any],
        budget: int | None,
        hold: Callable[[int], object],
    ) -> Asked | None:
        """Create a trial with its point in one step; None where somebody else took that, or the budget, before."""
        snapshot = self.snapshot(trials)
        row = self.sampler.suggest(self.study, snapshot)
        point = self.sampler.claim(row)
        trial_id = self._create({**marks, CLAIM: point, **_again(row, snapshot)}, point)
        hold(trial_id)
        now = self.trials()
        number = next(trial.number for trial in now if trial._trial_id == trial_id)
        is_within = budget is None or _n_counted(now, before=number) < budget
        if is_within and keeps_row(number, row, self.snapshot(now)):
            return Asked(trial_id, number, decode(self.plan.space, row))
        self.lose(trial_id, WITHDRAWN)
        return None

    def _ask_among_others(
        self, marks: Mapping[str, Any], budget: int | None, hold: Callable[[int], object]
    ) -> Asked | None:
        """Create a trial first and choose its point against those who are choosing too."""
        trial_id = self._create(marks, {})
        hold(trial_id)
        now = self.trials()
        number = next(trial.number for trial in now if trial._trial_id == trial_id)
        if budget is not None and _n_counted(now, before=number) >= budget:
            self.lose(trial_id, WITHDRAWN)
            return None
        try:
            return self._give_point(trial_id)
        except BaseException:
            self.lose(trial_id, WITHDRAWN)
            raise

    def _give_point(self, trial_id: int) -> Asked:
        """Choose a trial's point against all others, and store its parameters."""
        trial = self.storage.get_trial(trial_id)
        row = self.sampler.choose(self.study, trial)
        self._mark(trial_id, _again(row, self.snapshot(self.trials())))
        for name, value in self._parameters(self.sampler.claim(row)).items():
            if name not in trial.params:
                distribution = self._distributions[name]
                self.storage.set_trial_param(trial_id, name, distribution.to_internal_repr(value), distribution)
        return Asked(trial_id, trial.number, decode(self.plan.space, row))

    def _take_waiting(
        self, trials: Sequence[FrozenTrial], marks: Mapping[str, Any], hold: Callable[[int], object]
    ) -> Asked | None:
        """Take up a trial that somebody enqueued with Optuna or its dashboard."""
        for trial in trials:
            if trial.state is not TrialState.WAITING:
                continue
            try:
                self._mark(trial._trial_id, marks)
                if self.storage.set_trial_state_values(trial._trial_id, TrialState.RUNNING):
                    # Another worker may have marked it in between, without getting it.
                    self._mark(trial._trial_id, marks)
                    hold(trial._trial_id)
                    return self._give_point(trial._trial_id)
            except UpdateFinishedTrialError:
                continue
        return None

    def _mark(self, trial_id: int, marks: Mapping[str, Any]) -> None:
        for key, value in marks.items():
            self.storage.set_trial_system_attr(trial_id, key, value)

    def _create(self, marks: Mapping[str, Any], point: Mapping[str, Any]) -> int:
        template = optuna.create_trial(
            state=TrialState.RUNNING,
            params=self._parameters(point),
            distributions={name: self._distributions[name] for name in point},
            system_attrs=dict(marks),
        )
        return self.storage.create_new_trial(self._study_id, template)

    def _parameters(self, point: Mapping[str, Any]) -> dict[str, Any]:
        return {name: as_suggested(value, self._distributions[name]) for name, value in point.items()}

    # --- telling ---

    def finish(self, asked: Asked, outcome: Outcome) -> None:
        """Store the outcome of a trial; one that was given up in the meantime keeps its value as a trial of its own."""
        state = TrialState.FAIL if outcome.value is None else TrialState.COMPLETE
        values = None if outcome.value is None else [outcome.value]
        try:
            if outcome.output or outcome.reason:
                self.storage.set_trial_user_attr(asked.trial_id, DETAILS, outcome.to_dict())
            self.storage.set_trial_state_values(asked.trial_id, state, values)
        except UpdateFinishedTrialError:
            stored = self.storage.get_trial(asked.trial_id)
            if outcome.value is not None and stored.state is not TrialState.COMPLETE:
                self._add(asked.point, outcome, {LATE: asked.number})
        self._spool.drop(asked.number)

    def tell(self, point: Mapping[str, Any], value: float | None) -> int:
        """Store the outcome of a point that was asked by hand, or never asked; return the trial's number."""
        row = encode(self.plan.space, point)
        outcome = Outcome(value, "" if value is not None else "told as failed")
        asked = self._asked_by_hand(row)
        if asked is None:
            return self._add(decode(self.plan.space, row), outcome, {})
        self.finish(asked, outcome)
        return asked.number

    def forget(self, point: Mapping[str, Any]) -> int:
        """Give up a point that was asked by hand and will not be measured; return the trial's number."""
        asked = self._asked_by_hand(encode(self.plan.space, point))
        if asked is None:
            raise StudyError(f"No trial waits for the point {dict(point)}. hedgerow status lists those that do.")
        self.lose(asked.trial_id, "forgotten")
        return asked.number

    def pending_by_hand(self) -> list[Asked]:
        """Return the trials that somebody evaluates by hand."""
        trials = self.trials()
        by_id = {trial.number: trial for trial in trials if BY_HAND in trial.system_attrs}
        return [
            Asked(by_id[claim.number]._trial_id, claim.number, decode(self.plan.space, claim.row))
            for claim in self.snapshot(trials).claimed
            if claim.number in by_id
        ]

    def lose(self, trial_id: int, why: str) -> None:
        """End a trial that nobody works on any more, if it has not ended; its point is free again."""
        with suppress(UpdateFinishedTrialError):
            self.storage.set_trial_system_attr(trial_id, LOST, why)
            self.storage.set_trial_state_values(trial_id, TrialState.FAIL)

    def reclaim(self, trials: Sequence[FrozenTrial]) -> list[FrozenTrial]:
        """End the trials whose workers vanished, and return them; those still evaluated on this machine go on."""
        ended = [trial for trial in trials if not self._spool.is_busy(trial.number)]
        snapshot = self.snapshot(self.trials()) if ended else None
        for trial in ended:
            assert snapshot is not None
            row = self.sampler.row_of(trial)
            outcome = self._spool.take(trial.number)
            if row is not None and outcome is not None:
                self.finish(Asked(trial._trial_id, trial.number, decode(self.plan.space, row)), outcome)
            else:
                self._give_up(trial, row, snapshot)
        return ended

    def _give_up(self, trial: FrozenTrial, row: Codes | None, snapshot: Snapshot) -> None:
        """Free a lost trial's point, or tell it as failed where its workers vanished again and again."""
        key = None if row is None else row.tobytes()
        n_losses = 1 + sum(item.row.tobytes() == key for item in snapshot.lost)
        everyone: list[Told | Claimed] = [*snapshot.told, *snapshot.claimed, *snapshot.lost]
        is_second = any(item.number < trial.number and item.row.tobytes() == key for item in everyone)
        if is_second and AGAIN not in trial.system_attrs:
            # Its worker vanished before it could see that the point was taken; it never began.
            self.lose(trial._trial_id, WITHDRAWN)
            return
        if row is None or n_losses < self.plan.max_losses:
            self.lose(trial._trial_id, "vanished")
            return
        with suppress(UpdateFinishedTrialError):
            details = Outcome(None, f"its workers vanished {n_losses} times").to_dict()
            self.storage.set_trial_user_attr(trial._trial_id, DETAILS, details)
            self.storage.set_trial_state_values(trial._trial_id, TrialState.FAIL)

    def recover(self) -> None:
        """Tell what was measured on this machine for trials that have been given up since."""
        with self._spool.alone():
            trials = {trial.number: trial for trial in self.trials()}
            told_late = {trial.system_attrs.get(LATE) for trial in trials.values()}
            for number in self._spool:
                trial, outcome = trials.get(number), self._spool.take(number)
                row = None if trial is None else self.sampler.row_of(trial)
                is_told = trial is not None and (trial.state is TrialState.COMPLETE or number in told_late)
                if trial is None or row is None or outcome is None or is_told:
                    self._spool.drop(number)
                elif trial.state is TrialState.FAIL:
                    self.finish(Asked(trial._trial_id, number, decode(self.plan.space, row)), outcome)

    def _asked_by_hand(self, row: Codes) -> Asked | None:
        key = row.tobytes()
        pending = self.pending_by_hand()
        return next((asked for asked in pending if encode(self.plan.space, asked.point).tobytes() == key), None)

    def _add(self, point: Point, outcome: Outcome, marks: Mapping[str, Any]) -> int:
        claim = self.sampler.claim(encode(self.plan.space, point))
        template = optuna.create_trial(
            state=TrialState.FAIL if outcome.value is None else TrialState.COMPLETE,
            value=outcome.value,
            params=self._parameters(claim),
            distributions=self._distributions,
            system_attrs={CLAIM: claim, **marks},
            user_attrs={DETAILS: outcome.to_dict()},
        )
        return self.storage.get_trial(self.storage.create_new_trial(self._study_id, template)).number

    # --- the problem itself ---

    def _check_same_problem(self) -> None:
        wanted = StudyDirection.MAXIMIZE if self.is_maximised else StudyDirection.MINIMIZE
        if self.study.direction is not wanted:
            raise StudyError(
                f"The study '{self.plan.study}' was started to {self.study.direction.name.lower()}, but the file says "
                f"{self.plan.direction}. Change it back, or give the study another name in [run]."
            )
        stored = self.storage.get_study_user_attrs(self._study_id)
        space = self.plan.space.to_dict()
        if _SPACE not in stored:
            self.storage.set_study_user_attr(self._study_id, _SPACE, space)
        elif stored[_SPACE] != space:
            changed = [name for name in {**space, **stored[_SPACE]} if space.get(name) != stored[_SPACE].get(name)]
            raise StudyError(
                f"The space of the study '{self.plan.study}' differs from the file's in {', '.join(changed)}. Rules "
                "may change between runs, the space may not: give the study another name in [run]."
            )
        self._record_rules(stored.get(_RULES, []))

    def _record_rules(self, before: list[dict[str, Any]]) -> None:
        rules = {rule.name: rule.text for rule in self.sampler.feasible.rules}
        if before and before[-1]["rules"] == rules:
            return
        now = datetime.now(UTC).isoformat(timespec="seconds")
        entry = {"since": now, "after_trials": len(self.trials()), "rules": rules}
        self.storage.set_study_user_attr(self._study_id, _RULES, [*before, entry])


def _n_counted(trials: Sequence[FrozenTrial], before: int | None = None) -> int:
    return sum(is_counted(trial) for trial in trials if before is None or trial.number < before)


def _are_others_at_work(trials: Sequence[FrozenTrial], lease: Lease | None) -> bool:
    running = (trial for trial in trials if trial.state is TrialState.RUNNING)
    leases = [found for trial in running if (found := Lease.of(trial)) is not None]
    return any(lease is None or found.worker != lease.worker for found in leases)


def _again(row: Codes, snapshot: Snapshot) -> dict[str, list[int]]:
    """Return the declaration that a point is tried again, where it is."""
    key = row.tobytes()
    before = [lost.number for lost in snapshot.lost if lost.row.tobytes() == key]
    return {AGAIN: before} if before else {}

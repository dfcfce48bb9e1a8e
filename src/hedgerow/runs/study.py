"""A study: the stored trials of one problem, which any number of runs, people and programs ask and tell."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from optuna.storages import BaseStorage
from optuna.study import Study as OptunaStudy
from optuna.trial import FrozenTrial

from hedgerow import schema
from hedgerow.errors import SpaceExhausted, StudyError
from hedgerow.optuna.sampler import HedgerowSampler
from hedgerow.optuna.trials import TrialRows
from hedgerow.rules.batch import bind_batch_rules
from hedgerow.runs import asking, forgetting, lost, telling
from hedgerow.runs.leases import Lease
from hedgerow.runs.problem import Problem
from hedgerow.runs.same_problem import newest_rules
from hedgerow.runs.status import Status, believed, status_of
from hedgerow.runs.stored import Asked, StoredStudy
from hedgerow.runs.workers.job import Outcome
from hedgerow.schema import StoredTrial
from hedgerow.space import Point
from hedgerow.space.encoding import decode, encode

# Each point takes the others into account, so that many of them take long; more than people evaluate at once.
MAX_BY_HAND = 1_000


class Study:
    """The study of a problem, opened or made in the problem's storage."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._stored = StoredStudy(problem)

    @property
    def sampler(self) -> HedgerowSampler:
        """What suggests the points."""
        return self._stored.sampler

    @property
    def storage(self) -> BaseStorage:
        """Where the study is kept."""
        return self._stored.storage

    @property
    def in_optuna(self) -> OptunaStudy:
        """The study, for Optuna's own functions."""
        return self._stored.in_optuna

    @property
    def rule_changes(self) -> list[dict[str, Any]]:
        """The rules as they were over time, each with when and after how many trials they came."""
        return list(self._stored.attrs().get(schema.RULES, []))

    def check_rules(self) -> None:
        """Raise where somebody has gone on with other rules, or another space, since this study was opened."""
        attrs = self._stored.attrs()
        newest = newest_rules(attrs)
        if attrs.get(schema.SPACE) != self.problem.space.to_dict():
            raise StudyError(
                f"Another run works on the study '{self.problem.study}' with another space now. This one stops; bring "
                "the files together and run it again, or name another study in [run] or with --study."
            )
        mine = {rule.name: rule.text for rule in self.problem.bound_rules}
        if newest is not None and newest != mine:
            changed = [name for name in {**mine, **newest} if mine.get(name) != newest.get(name)]
            raise StudyError(
                f"Another run works on the study '{self.problem.study}' with other rules now; they differ in "
                f"{', '.join(changed)}. This one stops, so that no point breaks them. Bring the files together and "
                "run it again, or name another study in [run] or with --study."
            )

    def trials(self) -> list[FrozenTrial]:
        """Return all trials as they are now."""
        return self._stored.trials()

    def read(self) -> TrialRows:
        """Return what all trials tell now."""
        return self._stored.read()

    def status(self) -> Status:
        """Return the counts and the best of the study, by the means of readings where points are measured again."""
        accepts = self.sampler.feasible.codes.accepts
        return status_of(self._stored.read(), self.problem, accepts)

    def believed_status(self) -> Status:
        """Return the same by what is believed, as `hedgerow status` does; that takes a fit where there are readings."""
        read, feasible = self._stored.read(), self.sampler.feasible
        status = status_of(read, self.problem, feasible.codes.accepts)
        return believed(status, self.problem, read.told, lambda: feasible)

    def ask(
        self, lease: Lease | None, budget: int | None = None, hold: Callable[[int], object] = lambda _: None
    ) -> Asked | None:
        """Return a new trial with a point of its own, or None where the budget is used up.

        Without a lease the trial is one that somebody evaluates by hand; with one, `hold` is called as soon as there
        is a lease to keep alive.
        """
        return asking.ask(self._stored, lease, budget, hold)

    def ask_by_hand(self, n: int) -> list[Asked]:
        """Return up to n trials that somebody else evaluates; fewer where fewer feasible points are left.

        Where the problem has rules of a batch, all n points keep them together.
        """
        if n > MAX_BY_HAND:
            raise StudyError(f"At most {MAX_BY_HAND:,} points are given out at once, but {n:,} were asked for.")
        asked: list[Asked] = []
        rules = bind_batch_rules(self.problem.space, self.problem.batch_rules)
        if rules:
            rows = self.sampler.suggest_batch(self.in_optuna, self.read(), n, rules)
            return [self.ask_for(decode(self.problem.space, row)) for row in rows]
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

    def ask_for(self, point: Mapping[str, Any]) -> Asked:
        """Return a new trial of a point of one's own, to evaluate by hand; one that was tried is refused."""
        return asking.ask_for(self._stored, point)

    def enqueue(self, point: Mapping[str, Any]) -> None:
        """Have a point tried before others are asked for; it must keep the rules."""
        claim = self.sampler.claim(encode(self.problem.space, point))
        self.in_optuna.enqueue_trial(claim)

    def pending_point(self, number: int) -> Point:
        """Return the point of a trial that waits for its value by hand."""
        waiting = {asked.number: asked.point for asked in self.pending_by_hand()}
        if isinstance(number, bool) or number not in waiting:
            raise StudyError(f"No trial {number!r} waits for a value. hedgerow status lists those that do.")
        return waiting[number]

    @property
    def stored(self) -> StoredStudy:
        """The study in its storage."""
        return self._stored

    def waiting(self, number: int) -> Asked:
        """Return a trial by its number that waits for its value, or that was given up and may yet get one."""
        read = self.read()
        rows = {item.number: item.row for item in read.lost} | {item.number: item.row for item in read.claimed}
        if number not in rows:
            raise StudyError(f"No trial {number!r} waits for a value. hedgerow status lists those that do.")
        return Asked(self._stored.id_of(number), number, decode(self.problem.space, rows[number]))

    def finish(self, asked: Asked, outcome: Outcome) -> None:
        """Store the outcome of a trial; one that was given up in the meantime keeps its value as a trial of its own."""
        telling.finish(self._stored, asked, outcome)

    def tell(self, point: Mapping[str, Any], told: Any) -> int:
        """Store the outcome of a point that was asked by hand, or never asked; return the trial's number.

        It is told as an `Optimizer` is: a number, numbers by name, readings, None or a `Failure`. A name that looks
        mistyped is refused.
        """
        telling.check_names(told, self.problem.goals)
        return self.take(point, told)

    def take(self, point: Mapping[str, Any], told: Any) -> int:
        """Store what was known of a point before, under whatever names; return the trial's number."""
        return telling.tell(self._stored, point, told)

    def check_objective(self, accept_change: bool = False) -> None:
        """Raise where what measures points has changed since trials were measured; write down what is new."""
        forgetting.check_objective(self._stored, accept_change)

    def forget(self, point: Mapping[str, Any]) -> int:
        """Let a point count as not tried: one that was asked by hand, or whose trials have ended.

        Return the number of a trial. Its outcome stays in the storage, and counts for nothing.
        """
        return forgetting.forget_point(self._stored, encode(self.problem.space, point))

    def forget_trial(self, number: int) -> int:
        """Let a trial count for nothing, whether it waits for its value by hand or has ended; return its number."""
        return forgetting.forget_trial(self._stored, number)

    def retry(self, reason: str | None = None) -> forgetting.Retried:
        """Let failed trials be tried again, those whose reason contains a text, or all."""
        return forgetting.retry(self._stored, reason)

    def pending_by_hand(self) -> list[Asked]:
        """Return the trials that somebody evaluates by hand."""
        return telling.pending_by_hand(self._stored)

    def lose(self, trial_id: int, why: str) -> None:
        """End a trial that nobody works on any more, if it has not ended; its point is free again."""
        self._stored.lose(trial_id, why)

    def reclaim(self, trials: Sequence[StoredTrial]) -> list[StoredTrial]:
        """End the trials whose workers vanished, and return them; those still evaluated on this machine go on."""
        return lost.reclaim(self._stored, trials)

    def recover(self) -> None:
        """Tell what was measured on this machine for trials that have been given up since."""
        lost.recover(self._stored)

"""Who takes part where trials give several outcomes: each asks for a point and is told what the trial gave.

Those that know nothing of rules are treated kindly. A point that breaks a rule is told to them as such, a point that
was tried before with what it gave, and neither counts as a trial; after several such points in a row they are given an
untried feasible point drawn at random.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np

import hedgerow as hr
from hedgerow.arrays import Codes
from hedgerow.outcomes.goals import Repeats
from hedgerow.space import Point
from hedgerow.space.encoding import decode, encode
from research.outcomes.task import Outcomes, OutcomeTask
from research.rivals.packages import package


class Contestant(Protocol):
    """Asks for points, one at a time, and is told outcomes."""

    def ask(self) -> Point:
        """Return the point to try."""

    def tell(self, point: Point, outcomes: Outcomes | None) -> None:
        """Take what the trial gave."""


class Hedgerow:
    """An optimizer of ours, with the default method or another."""

    def __init__(self, task: OutcomeTask, seed: int, method: Any = "auto", repeats: Repeats = False) -> None:
        self.optimizer = hr.Optimizer(
            task.space,
            task.rules,
            method=method,
            seed=seed,
            objectives=task.objectives,
            limits=task.limits or None,
            repeats=repeats,
        )

    def ask(self) -> Point:
        """Return the point to try."""
        return self.optimizer.ask()

    def tell(self, point: Point, outcomes: Outcomes | None) -> None:
        """Take what the trial gave."""
        self.optimizer.tell(point, outcomes)


class OptunaRival:
    """A sampler of Optuna. It sees the rules as constraints: one that a point breaks, or keeps."""

    def __init__(self, task: OutcomeTask, sampler: Any, seed: int, n_free: int) -> None:
        optuna = package("optuna", "OptunaRival")
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self._task = task
        self._rng = np.random.default_rng([seed, 77])
        self._n_free = n_free
        self._given: dict[bytes, Outcomes | None] = {}
        self._asked: dict[bytes, Any] = {}
        self._worst = np.zeros(task.n_objectives)
        self._study = optuna.create_study(directions=["minimize"] * task.n_objectives, sampler=sampler)
        self._active = [place for place, size in enumerate(task.space.sizes) if size > 1]

    def ask(self) -> Point:
        """Return a feasible untried point."""
        for _ in range(self._n_free):
            trial = self._study.ask()
            row = self._row(trial)
            if row.tobytes() not in self._task.places:
                trial.set_user_attr("broken", 1.0)
                self._study.tell(trial, list(self._worst))
            elif row.tobytes() in self._given:
                self._finish(trial, self._given[row.tobytes()])
            else:
                self._asked[row.tobytes()] = trial
                return decode(self._task.space, row)
        untried = [place for key, place in self._task.places.items() if key not in self._given]
        row = self._task.rows[untried[self._rng.integers(len(untried))]]
        self._study.enqueue_trial({f"s{slot}": int(row[slot]) for slot in self._active})
        trial = self._study.ask()
        self._row(trial)
        self._asked[row.tobytes()] = trial
        return decode(self._task.space, row)

    def tell(self, point: Point, outcomes: Outcomes | None) -> None:
        """Take what the trial gave."""
        key = encode(self._task.space, point).tobytes()
        self._given[key] = outcomes
        self._finish(self._asked.pop(key), outcomes)

    def _row(self, trial: Any) -> Codes:
        row = np.zeros(len(self._task.space.slots), dtype=np.int64)
        for slot in self._active:
            n_levels = self._task.space.sizes[slot]
            if self._task.space.slots[slot].variable.is_ordered:
                row[slot] = trial.suggest_int(f"s{slot}", 0, n_levels - 1)
            else:
                row[slot] = trial.suggest_categorical(f"s{slot}", list(range(n_levels)))
        return row

    def _finish(self, trial: Any, outcomes: Outcomes | None) -> None:
        columns = self._task.goals.columns(outcomes or {})
        values, slacks = columns[: self._task.n_objectives], columns[self._task.n_objectives :]
        trial.set_user_attr("slacks", [float(slack) for slack in slacks])
        if outcomes is None:
            self._study.tell(trial, state=package("optuna.trial", "OptunaRival").TrialState.FAIL)
        else:
            self._worst = np.maximum(self._worst, values)
            self._study.tell(trial, [float(value) for value in values])


def constraints(task: OutcomeTask) -> Callable[[Any], list[float]]:
    """Return what tells Optuna how far a trial is beyond rules and limits: positive numbers are broken."""
    n_limits = len(task.goals.thresholds)

    def broken(trial: Any) -> list[float]:
        slacks = trial.user_attrs.get("slacks", [0.0] * n_limits)
        return [trial.user_attrs.get("broken", -1.0), *(-slack if math.isfinite(slack) else 1.0 for slack in slacks)]

    return broken


def _optuna(name: str, n_free: int) -> Callable[[OutcomeTask, int], Contestant]:
    def start(task: OutcomeTask, seed: int) -> Contestant:
        made = getattr(package("optuna.samplers", "OptunaRival"), name)
        return OptunaRival(task, made(seed=seed, constraints_func=constraints(task)), seed, n_free)

    return start


def _botorch(task: OutcomeTask, seed: int) -> Contestant:
    from research.outcomes.botorch_joint import BotorchJoint  # noqa: PLC0415 - PyTorch, on demand

    return BotorchJoint(task, seed)


def _smac(task: OutcomeTask, seed: int) -> Contestant:
    from research.outcomes.smac_parego import SmacParego  # noqa: PLC0415 - SMAC, on demand

    return SmacParego(task, seed)


CONTESTANTS: Mapping[str, Callable[[OutcomeTask, int], Contestant]] = {
    "hedgerow": Hedgerow,
    "random": lambda task, seed: Hedgerow(task, seed, "random"),
    "optuna nsga-ii": _optuna("NSGAIISampler", 30),
    "optuna tpe": _optuna("TPESampler", 30),
    "optuna gp": _optuna("GPSampler", 4),
    "botorch, listed": _botorch,
    "smac parego": _smac,
}

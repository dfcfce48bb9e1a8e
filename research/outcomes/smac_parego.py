"""SMAC with ParEGO: random forests on random scalarizations, with the rules as forbidden clauses where they fit.

The defaults are those of SMAC's facade for hyperparameter optimization. SMAC knows no limits: how far a trial is beyond
them, all limits together, is one more objective to it, which ParEGO weighs at random as the others. Where the rules
need too many clauses, and where SMAC finds nothing new, points are treated as those of others that know no rules.
"""

from __future__ import annotations

import math
import tempfile
from typing import Any

import numpy as np

from hedgerow.arrays import Codes
from hedgerow.errors import EffortExceeded
from hedgerow.methods.problem import CodeProblem
from hedgerow.space import Point
from hedgerow.space.encoding import decode, encode
from research.outcomes.task import Outcomes, OutcomeTask
from research.rivals.config_space import codes_of, config_space, configuration
from research.rivals.forbidden import forbidden_boxes
from research.rivals.packages import package
from research.rivals.smac import quiet_smac

_MAX_CLAUSES = 1000
_N_FREE = 30


class SmacParego:
    """Keeps SMAC's facade, and what each row gave."""

    def __init__(self, task: OutcomeTask, seed: int, n_trials: int = 100) -> None:
        smac = package("smac", "SmacParego")
        self._task = task
        self._problem = CodeProblem(task.feasible)
        self._rng = np.random.default_rng([seed, 81])
        self._given: dict[bytes, list[float]] = {}
        self._asked: tuple[bytes, Any] | None = None
        self._has_given_up = False
        try:
            boxes = forbidden_boxes(task.space, task.feasible.rules, _MAX_CLAUSES)
        except EffortExceeded:
            boxes = []
        self._names = [*task.objectives, *(["beyond"] if task.limits else [])]
        self._worst = [0.0] * len(self._names)
        self._folder = tempfile.TemporaryDirectory(prefix="hedgerow-smac-")
        self._space = config_space(self._problem, boxes)
        with quiet_smac():
            scenario = smac.Scenario(
                self._space,
                objectives=self._names,
                deterministic=True,
                n_trials=n_trials,
                output_directory=self._folder.name,
                seed=int(np.random.default_rng([seed, 82]).integers(2**31)),
            )
            parego = package("smac.multi_objective.parego", "SmacParego").ParEGO(scenario)
            self._facade = smac.HyperparameterOptimizationFacade(
                scenario, multi_objective_algorithm=parego, logging_level=False, overwrite=True
            )

    def ask(self) -> Point:
        """Return a feasible untried point: SMAC's, or a drawn one where it has none to offer."""
        with quiet_smac():
            for _ in range(_N_FREE):
                trial = self._trial()
                if trial is None:
                    break
                row = codes_of(trial.config, self._problem)
                key = row.tobytes()
                if key in self._task.places and key not in self._given:
                    self._asked = key, trial
                    return decode(self._task.space, row)
                self._tell(trial, self._given.get(key, self._worst))
        untried = [place for key, place in self._task.places.items() if key not in self._given]
        row = self._task.rows[untried[self._rng.integers(len(untried))]]
        self._asked = row.tobytes(), self._trial_of(row)
        return decode(self._task.space, row)

    def tell(self, point: Point, outcomes: Outcomes | None) -> None:
        """Take what the trial gave."""
        key = encode(self._task.space, point).tobytes()
        assert self._asked is not None
        columns = self._task.goals.columns(outcomes or {})
        n = self._task.n_objectives
        costs = [float(value) for value in columns[:n]]
        if self._task.limits:
            costs.append(float(sum(max(0.0, -slack) for slack in columns[n:] if math.isfinite(slack))))
        self._given[key] = costs if outcomes is not None else self._worst
        self._worst = [max(pair) for pair in zip(self._worst, self._given[key], strict=True)]
        with quiet_smac():
            self._tell(self._asked[1], self._given[key])

    def _trial(self) -> Any:
        """Return what SMAC asks for; None once it finds nothing new in some draws."""
        exhausted = package("smac.main.exceptions", "SmacParego").ConfigurationSpaceExhaustedException
        if not self._has_given_up:
            try:
                return self._facade.ask()
            except (StopIteration, exhausted):
                self._has_given_up = True
        return None

    def _trial_of(self, row: Codes) -> Any:
        given = configuration(self._space, self._problem, row)
        return package("smac.runhistory", "SmacParego").TrialInfo(given, seed=0)

    def _tell(self, trial: Any, costs: list[float]) -> None:
        value = package("smac.runhistory", "SmacParego").TrialValue(cost=list(costs))
        self._facade.tell(trial, value, save=False)

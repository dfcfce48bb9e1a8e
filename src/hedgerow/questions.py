"""What can be asked of an optimizer besides the next point: what is believed, and what failures suggest."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.arrays import Codes
from hedgerow.errors import HedgerowError
from hedgerow.feasible import FeasibleSet
from hedgerow.methods.problem import CodeProblem
from hedgerow.observations import Estimate, Observation, Prediction
from hedgerow.outcomes.goals import Goals
from hedgerow.outcomes.observation import signed
from hedgerow.space import Space
from hedgerow.space.encoding import decode, encode
from hedgerow.trial_log import TrialLog

if TYPE_CHECKING:
    from hedgerow.methods.auto.outcome_model import OutcomeModel
    from hedgerow.methods.borders import SuggestedRule


class Questions:
    """Answers from what was told, by the beliefs of the default method, whatever method chooses the points."""

    def __init__(self, feasible: FeasibleSet, goals: Goals, seed: int) -> None:
        self.goals = goals
        self.feasible = feasible
        self._problem = CodeProblem(feasible, goals=goals)
        self._seed = seed
        self._log = TrialLog(len(feasible.space.slots), goals)
        self._lock = threading.RLock()
        self._model: OutcomeModel | None = None

    @property
    def space(self) -> Space:
        """The space."""
        return self.feasible.space

    def predict(self, points: Iterable[Mapping[str, Any]]) -> list[Prediction]:
        """Return what is believed of trials at some points, tried or not.

        The beliefs are those of the default method, whatever method chooses the points, and are about what a trial
        would give on average: noise of single readings is not part of them.

        Parameters
        ----------
        points : iterable of mappings
            A value for every variable; they need not keep the rules.

        Returns
        -------
        list of Prediction
            For each point an estimate of each outcome (mean, deviation and an interval of 90 %), the chance that the
            trial works and the chance that it keeps the limits.

        Raises
        ------
        HedgerowError
            Before any trial gave a value.
        PointError
            Where a point does not fit the space.

        Examples
        --------
        >>> import hedgerow as hr
        >>> optimizer = hr.Optimizer(hr.Space({"x": hr.Integer(0, 9)}))
        >>> for x in (0, 2, 4, 6, 9):
        ...     optimizer.tell({"x": x}, 2.0 * x)
        >>> prediction = optimizer.predict([{"x": 5}])[0]
        >>> abs(prediction["value"].mean - 10.0) < 1.0, prediction.chance
        (True, 1.0)
        """
        given = [encode(self.space, point) for point in points]
        with self._lock:
            names = self._log.names
            if not names:
                raise HedgerowError("Nothing can be predicted before a trial has given a value.")
            if not given:
                return []
            rows, history = np.array(given), self._log.history()
            estimates = {name: self._estimates(name, rows) for name in names}
            within = self._outcome_model().chances_of_limits(history, self._log.slacks(), rows)
            chances = self._outcome_model().chances_of_success(history, self._log.column(names[0]), rows)
        return [
            Prediction(
                decode(self.space, row),
                {name: own[k] for name, own in estimates.items()},
                float(chances[k]),
                float(within[k]),
            )
            for k, row in enumerate(rows)
        ]

    def suggest_rules(self) -> tuple[SuggestedRule, ...]:
        """Return short rules that separate trials that failed from trials that worked, each with its evidence.

        They are about one or two variables: thresholds, products, sums, single values. Nothing is adopted; put those
        that make sense with the rules of the next optimizer, and tell it the `observations` of this one.

        Returns
        -------
        tuple of SuggestedRule
            The rules, those that explain most first; none where too few trials failed or failures look like chance.

        Examples
        --------
        >>> import hedgerow as hr
        >>> optimizer = hr.Optimizer(hr.Space({"x": hr.Integer(1, 8), "y": hr.Integer(1, 8)}), method="random")
        >>> for point in optimizer.ask(50):
        ...     optimizer.tell(point, None if point["x"] * point["y"] > 20 else 1.0)
        >>> print(optimizer.suggest_rules()[0])
        x * y <= 20: all 21 failures and none of 29 successes have x * y > 20
        """
        from hedgerow.methods.borders import Landmarks, suggested_rules  # noqa: PLC0415 - SciPy, on demand

        with self._lock:
            if not self._log.codes:
                return ()
            worked = np.array([bool(reading) for reading in self._log.readings])
            return suggested_rules(Landmarks(self.space), np.array(self._log.codes), worked)

    def _estimates(self, name: str, rows: Codes) -> list[Estimate]:
        """Return what is believed of one outcome."""
        place, column = self._log.names.index(name), self._log.column(name)
        found = self._outcome_model().estimates(self._log.history(), place, column, rows)
        return [signed(estimate, self._log.sign(name)) for estimate in found]

    def _outcome_model(self) -> OutcomeModel:
        from hedgerow.methods.auto.outcome_model import OutcomeModel  # noqa: PLC0415 - Numba and SciPy, on demand

        if self._model is None:
            self._model = OutcomeModel(self._problem, self._seed)
        return self._model

    def _believed_best(self, able: list[Observation]) -> Observation:
        """Return the observation of lowest believed value, readings of one point taken together."""
        rows = np.array([encode(self.space, seen.point) for seen in able])
        name, sign = self.goals.objectives.names[0], self.goals.objectives.signs[0]
        estimates = self._estimates(name, rows)
        place = min(range(len(able)), key=lambda k: sign * estimates[k].mean)
        return replace(able[place], believed=estimates[place])

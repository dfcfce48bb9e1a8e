"""What can be asked of an optimizer besides the next point: what is believed, what matters, what is left."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from hedgerow.arrays import Codes, Column
from hedgerow.errors import HedgerowError, PointError
from hedgerow.feasible import FeasibleSet
from hedgerow.methods.earlier import EarlierTrials
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from hedgerow.observations import Estimate, Observation, Prediction
from hedgerow.outcomes.goals import Goals
from hedgerow.outcomes.observation import signed
from hedgerow.outcomes.reading import TrialOutcome
from hedgerow.space import Space
from hedgerow.space.encoding import decode, encode
from hedgerow.trial_log import TrialLog
from hedgerow.wording import quoted, suggestion

if TYPE_CHECKING:
    from hedgerow.insight.importance import Importance
    from hedgerow.methods.auto.mixed.outcome_model import MixedOutcomeModel
    from hedgerow.methods.auto.outcome_model import OutcomeModel
    from hedgerow.methods.borders import SuggestedRule

# Variables of more levels have no importance of their own where it is not asked for.
_MAX_LEVELS = 4096


@dataclass(frozen=True)
class RoomLeft:
    """What untried feasible points are expected to gain on the best, in the unit of the objective.

    Attributes
    ----------
    expected : float
        How much better than the best the best untried point is expected to be.
    cautious : float
        The same if the beliefs were half as sure as they are: what stopping goes by, since beliefs err.
    next_trial : float
        What the most promising single trial is expected to gain.
    chance : float
        The chance that any untried point is better than the best.
    n_points : int
        How many untried points were looked at.
    is_exact : bool
        Whether these are all; where they cannot be listed, draws and the neighbors of the best points stand for them.

    Examples
    --------
    >>> import hedgerow as hr
    >>> hr.Optimizer(hr.Space({"x": [1]}), data=[{"x": 1, "value": 2.0}]).room_left().expected
    0.0
    """

    expected: float
    cautious: float
    next_trial: float
    chance: float
    n_points: int
    is_exact: bool


class Questions:
    """Answers from what was told, by the beliefs of the default method, whatever method chooses the points."""

    def __init__(self, feasible: FeasibleSet, goals: Goals, seed: int, earlier: Sequence[EarlierTrials] = ()) -> None:
        self.goals = goals
        self.feasible = feasible
        self._problem = CodeProblem(feasible, goals=goals, earlier=earlier)
        self._seed = seed
        self._log = TrialLog(len(feasible.space.slots), goals)
        self._lock = threading.RLock()
        # The chance of a gain after so many readings: a stopping rule asks for the last few again and again.
        self._chances: dict[tuple[int, float], float] = {}
        self._model: OutcomeModel | MixedOutcomeModel | None = None

    @property
    def space(self) -> Space:
        """The space."""
        return self.feasible.space

    def _take(self, row: Codes, outcome: TrialOutcome) -> None:
        """Add what a trial gave."""
        is_feasible = bool(self._problem.feasible.accepts(row[None, :])[0])
        self._log.add(row, outcome, Observation.of(decode(self.space, row), is_feasible, outcome, self.goals))

    @property
    def best(self) -> Observation | None:
        """The best feasible observation so far, or None before the first value.

        Only trials that keep the limits can be the best. Where points may be measured several times, it is the point of
        the best believed value, with all its readings and how sure the belief is (`believed`). With several objectives
        there is no best: see `front`.

        Examples
        --------
        >>> import hedgerow as hr
        >>> optimizer = hr.Optimizer(hr.Space({"x": [1, 2, 3]}), ["x != 2"])
        >>> optimizer.tell({"x": 1}, 5.0)
        >>> optimizer.tell({"x": 2}, 1.0)       # breaks the rule
        >>> optimizer.best.point
        {'x': 1}
        """
        if self.goals.objectives.are_several:
            raise HedgerowError(
                f"With several objectives ({quoted(self.goals.objectives.names)}) no observation is the best; "
                "`front` has those that no other dominates."
            )
        with self._lock:
            able = self._able()
            best = min(able, key=lambda pair: pair[0], default=(0.0, None))[1]
            return (
                best if best is None or not self.goals.may_repeat else self._believed_best([seen for _, seen in able])
            )

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
        if isinstance(points, Mapping):
            raise PointError("predict takes a list of points, but one point was given: say predict([point])[0].")
        given = [encode(self.space, point) for point in points]
        with self._lock:
            names = self._log.names
            if not names:
                raise HedgerowError("Nothing can be predicted before a trial has given a value.")
            if not given:
                return []
            rows, history = np.array(given), self._log.told_history()
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

    def importance(self, outcome: str | None = None) -> Importance:
        """Return which variables matter, alone and in pairs: their shares of the variance over the feasible points.

        Shares are those of functions drawn from what is believed, so that their intervals say how much is known. What
        the rules forbid does not count; because rules tie variables together, shares need not add up to one. Where
        variables take any real number, values of a real count together by ranges.

        Parameters
        ----------
        outcome : str, optional
            Which outcome; the first objective where none is named.

        Returns
        -------
        Importance
            Main effects and pairs, the most important first; `print` shows them as lines.

        Raises
        ------
        HedgerowError
            Where no trial gave this outcome, or all gave the same value.

        Examples
        --------
        >>> import hedgerow as hr
        >>> optimizer = hr.Optimizer(hr.Space({"x": hr.Integer(0, 9), "y": hr.Integer(0, 9)}), method="random")
        >>> for point in optimizer.ask(40):
        ...     optimizer.tell(point, 5.0 * point["x"] + point["y"])
        >>> strongest = optimizer.importance().main[0]
        >>> strongest.names, strongest.share > 0.9
        (('x',), True)
        """
        # Numba and SciPy, on demand.
        from hedgerow.insight.importance import importance_of, importance_over_reals  # noqa: PLC0415

        with self._lock:
            name = self.goals.objectives.names[0] if outcome is None else outcome
            names = self._log.names
            if name not in names:
                seen = f"trials have given {quoted(names)}" if names else "no trial has given a value"
                raise HedgerowError(f"Nothing is known of the outcome {name!r}: {seen}{suggestion(name, names)}.")
            column, history, model = self._log.column(name), self._log.told_history(), self._outcome_model()
            known = column[np.isfinite(column)]
            same = HedgerowError(f"All trials gave the same {name!r}: nothing can be told apart by it.")
            if self.space.reals:
                if known.size < 2 or np.ptp(known) == 0:
                    raise same
                mixed = cast("MixedOutcomeModel", model)
                return importance_over_reals(
                    name,
                    self.feasible,
                    lambda rows, n: mixed.functions(history, column, rows, n),
                    mixed.influence(history, column),
                )
            posterior = cast("OutcomeModel", model).posterior(history, names.index(name), column)
            if posterior is None:
                raise same
            return importance_of(name, self.feasible, posterior)

    def room_left(self) -> RoomLeft:
        """Return how much better than the best the untried feasible points are expected to be.

        It is exact where all feasible points can be listed (up to 30,000), as far as the beliefs are right; else it is
        that of the points that draws and a search find, as `is_exact` says. Points that are out count as untried. Under
        noise the best is that of the best believed value.

        Returns
        -------
        RoomLeft
            What is left, in the unit of the objective.

        Raises
        ------
        HedgerowError
            With several objectives, and before there are two different values and a best one.

        Examples
        --------
        >>> import hedgerow as hr
        >>> optimizer = hr.Optimizer(hr.Space({"x": hr.Integer(0, 30)}))
        >>> for x in range(0, 31, 3):
        ...     optimizer.tell({"x": x}, (x - 15) ** 2)
        >>> left = optimizer.room_left()
        >>> left.is_exact, left.n_points, left.expected < 1.0
        (True, 20, True)
        """
        if self.goals.objectives.are_several:
            raise HedgerowError("What is left is known for one objective; here there are several.")
        with self._lock:
            able = self._able()
            if not able:
                raise HedgerowError("Nothing can be said of what is left before a trial has given a value that counts.")
            best = None if self.goals.may_repeat else min(value for value, _ in able)
            left, cautious = self._outcome_model().left(self._log.history(), self._log.slacks(), best)
        return RoomLeft(left.expected, cautious.expected, left.of_one, left.chance, left.n_rows, left.is_exact)

    def chance_of_gain(self, least_gain: float, before: int = 0) -> float:
        """Return the chance that any untried feasible point is better than the best by more than a gain.

        Beliefs err, so deviations are taken to be half as large again as they say. It is what stopping goes by.

        Parameters
        ----------
        least_gain : float
            What an improvement must be worth, in the unit of the objective.
        before : int, optional
            The chance as it was so many readings ago.

        Returns
        -------
        float
            Between 0 and 1; 1 where too little is known.

        Raises
        ------
        HedgerowError
            With several objectives.

        Examples
        --------
        >>> import hedgerow as hr
        >>> optimizer = hr.Optimizer(hr.Space({"x": hr.Integer(0, 30)}))
        >>> for x in range(0, 31, 3):
        ...     optimizer.tell({"x": x}, (x - 15) ** 2)
        >>> optimizer.chance_of_gain(10.0) < 0.1
        True
        """
        if self.goals.objectives.are_several:
            raise HedgerowError("The chance of a gain is known for one objective; here there are several.")
        with self._lock:
            n = len(self._log.codes) - before
            if (n, least_gain) not in self._chances:
                self._chances[n, least_gain] = self._chance_after(n, least_gain)
            return self._chances[n, least_gain]

    def _chance_after(self, n: int, least_gain: float) -> float:
        """Return the chance of a gain after the first n readings."""
        whole = self._log.history()
        slacks = [slack[:n] for slack in self._log.slacks()]
        outcomes = None if whole.outcomes is None else whole.outcomes[:n]
        told = History(whole.codes[:n], whole.values[:n], whole.pending[:0], outcomes)
        able = told.is_measured & self.feasible.codes.accepts(told.codes)
        for slack in slacks:
            able &= slack >= 0
        if not able.any() or np.ptp(told.values[able]) == 0:
            return 1.0
        best = None if self.goals.may_repeat else float(told.values[able].min())
        return self._level_model("chance_of_gain()", "predict(points)").chance_of_gain(told, slacks, best, least_gain)

    def n_since_best(self) -> tuple[int, int]:
        """Return after how many readings the best point was first measured, and how many came since.

        Returns
        -------
        tuple of two ints
            Zeros before there is a best point.

        Examples
        --------
        >>> import hedgerow as hr
        >>> optimizer = hr.Optimizer(hr.Space({"x": [1, 2, 3]}))
        >>> for x in (3, 1, 2):
        ...     optimizer.tell({"x": x}, float(x))
        >>> optimizer.n_since_best()
        (2, 1)
        """
        with self._lock:
            able = self._able()
            if not able:
                return 0, 0
            row = encode(self.space, min(able, key=lambda pair: pair[0])[1].point).tobytes()
            first = next(place for place, codes in enumerate(self._log.codes, start=1) if codes.tobytes() == row)
            return first, len(self._log.codes) - first

    def good_values(self) -> Column:
        """Return the values of all points that can be the best, so that less is better.

        Returns
        -------
        array of float
            Minus the values where the objective is maximized.

        Examples
        --------
        >>> import hedgerow as hr
        >>> optimizer = hr.Optimizer(hr.Space({"x": [1, 2]}), direction="maximize")
        >>> optimizer.tell({"x": 1}, 5.0)
        >>> optimizer.good_values()
        array([-5.])
        """
        with self._lock:
            return np.array([value for value, _ in self._able()])

    def _able(self) -> list[tuple[float, Observation]]:
        """Return the observations that can be the best, each with its value so that less is better."""
        sign = self.goals.objectives.signs[0]
        return [
            (sign * seen.value, seen)
            for seen in self._log.by_point()
            if seen.is_feasible and seen.value is not None and not seen.broken_limits
        ]

    def _estimates(self, name: str, rows: Codes) -> list[Estimate]:
        """Return what is believed of one outcome."""
        place, column = self._log.names.index(name), self._log.column(name)
        found = self._outcome_model().estimates(self._log.told_history(), place, column, rows)
        return [signed(estimate, self._log.sign(name)) for estimate in found]

    def _level_model(self, what: str, instead: str) -> OutcomeModel:
        """Return the beliefs over levels, for questions that are answered over levels alone."""
        model = self._outcome_model()
        if self.space.reals:
            raise HedgerowError(
                f"{what} is not known yet where variables take any real number; {instead} is. Give them levels, as in "
                "Real(low, high, levels=50), where it matters."
            )
        return cast("OutcomeModel", model)

    def _outcome_model(self) -> OutcomeModel | MixedOutcomeModel:
        # Numba and SciPy, on demand.
        from hedgerow.methods.auto.mixed.outcome_model import MixedOutcomeModel  # noqa: PLC0415
        from hedgerow.methods.auto.outcome_model import OutcomeModel  # noqa: PLC0415

        if self._model is None:
            is_mixed = bool(self.space.reals)
            self._model = MixedOutcomeModel(self._problem) if is_mixed else OutcomeModel(self._problem, self._seed)
        return self._model

    def _believed_best(self, able: list[Observation]) -> Observation:
        """Return the observation of lowest believed value, readings of one point taken together."""
        rows = np.array([encode(self.space, seen.point) for seen in able])
        name, sign = self.goals.objectives.names[0], self.goals.objectives.signs[0]
        estimates = self._estimates(name, rows)
        place = min(range(len(able)), key=lambda k: sign * estimates[k].mean)
        return replace(able[place], believed=estimates[place])


def questions_after(
    feasible: FeasibleSet, goals: Goals, seed: int, told: Iterable[tuple[Codes, TrialOutcome]]
) -> Questions:
    """Return what answers questions about trials that others have kept: rows with what they gave, in order."""
    questions = Questions(feasible, goals, seed)
    for row, outcome in told:
        questions._take(row, outcome)
    return questions


def importance_after(
    feasible: FeasibleSet, goals: Goals, seed: int, told: Iterable[tuple[Codes, TrialOutcome]], outcomes: Iterable[str]
) -> dict[str, Importance]:
    """Return which variables matter for these outcomes, as an optimizer with these trials says; unknown ones left out.

    Variables of very many levels are left out of it, too: their kernels would not fit into memory.
    """
    sizes = [size for slot, size in enumerate(feasible.space.sizes) if slot not in feasible.space.reals]
    if max(sizes, default=0) > _MAX_LEVELS:
        return {}
    questions = questions_after(feasible, goals, seed, told)
    found = {}
    for outcome in outcomes:
        # Values of extreme magnitudes may overflow; nothing is known then.
        with suppress(HedgerowError), np.errstate(over="ignore", invalid="ignore"):
            importance = questions.importance(outcome)
            if all(np.isfinite(each.share) for each in (*importance.main, *importance.pairs)):
                found[outcome] = importance
    return found

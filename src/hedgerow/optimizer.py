"""Ask and tell: the one object that changes. Everything it suggests satisfies every rule and has not been tried.

The exceptions are methods that know nothing of rules (`may_break_rules`): they may break them, and repeat.
"""

from __future__ import annotations

import os
import pickle
import threading
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from typing import Any, overload

from hedgerow import checks, frames, saved
from hedgerow.arrays import Codes
from hedgerow.checks import Engine
from hedgerow.errors import ArgumentError, HedgerowError, PointError, SpaceExhausted, TrialWarning
from hedgerow.expressions import Expression, Opaque
from hedgerow.feasible import FeasibleSet
from hedgerow.insight.display import best_tables, front_table
from hedgerow.methods.batch import BatchMaker
from hedgerow.methods.history import History
from hedgerow.methods.method import Method
from hedgerow.methods.registry import method_named
from hedgerow.methods.repeats import last_readings
from hedgerow.methods.suggester import Suggester
from hedgerow.observations import Observation, Suggestion
from hedgerow.outcomes.goals import Goals, Repeats
from hedgerow.outcomes.objectives import Direction
from hedgerow.outcomes.observation import front_of
from hedgerow.outcomes.reading import TrialOutcome, read_outcome
from hedgerow.plots.pictured import Pictured
from hedgerow.priors import earlier_trials, pairs_of
from hedgerow.questions import Questions
from hedgerow.result import Result, Stopped
from hedgerow.rules import RuleLike
from hedgerow.rules.batch import BatchRule, bind_batch_rules
from hedgerow.rules.conditions import inactive_in
from hedgerow.space import Point, Space
from hedgerow.space.encoding import decode, encode, slot_values
from hedgerow.web import Html, tag
from hedgerow.wording import quoted, readable_number

__all__ = ["Direction", "Optimizer"]

REPEATED = "This point is measured again: each point has several readings."


class Optimizer(Questions, Pictured):
    """Suggests feasible points and learns from what it is told.

    The same problem, history, method and seed give the same point, in this process or another. Asking and telling may
    be done from several threads: each call is atomic, so no point is given out twice.

    Parameters
    ----------
    space : Space
        What may vary.
    rules : iterable or mapping of rules, optional
        What must hold: text, expressions, functions or `Rule` objects; a mapping names them.
    method : str or Method, optional
        `"auto"`, another short name, or settings from `hedgerow.methods`.
    seed : int, optional
        Where random numbers begin.
    direction : {"minimize", "maximize"}, optional
        Which values are good, where a trial gives one number.
    objectives : mapping, optional
        Several objectives, or one by name: from names to "minimize" or "maximize". Trials then give dicts of numbers.
    limits : mapping, optional
        Rules about what trials give, by name, such as `{"fits": "memory <= 16"}`: measured and learned.
    repeats : bool, int or "auto", optional
        False: no point twice. A number: each point so often. "auto": where another reading is worth more than a new
        point.
    reference : mapping, optional
        For several objectives, a value of each that is just not good enough; inferred where it is not given.
    node_budget : int, optional
        How many nodes the diagram of the rules may have; None is a default that fits in memory.
    engine : {"auto", "diagram", "d-DNNF", "solver"}, optional
        What holds the rules; see `FeasibleSet`.
    data : data frame or list of dicts, optional
        What is known before: rows to tell, with a column for every variable and one for what the trial gave, `value`
        or its outcomes by name. Empty cells are trials that failed, other columns are passed over.
    prior : list, optional
        Trials of related problems, such as the same kernel on another device or an earlier release: an entry for each,
        a data frame, rows, a `Result`, an `Optimizer` or an Optuna study. Nothing is told; beliefs begin from them, in
        whatever unit they are, and follow them as far as the trials of this problem bear them out. For methods that
        learn from them, which is the default.

    Raises
    ------
    HedgerowError
        Where an argument is not what it must be.
    RuleError
        Where a rule cannot be read.
    InfeasibleError
        Where no point satisfies the rules.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"x": hr.Integer(0, 9), "y": hr.Integer(0, 9)})
    >>> optimizer = hr.Optimizer(space, rules=["x + y <= 9"], seed=0)
    >>> for _ in range(20):
    ...     point = optimizer.ask()
    ...     optimizer.tell(point, (point["x"] - 3) ** 2 + point["y"])
    >>> optimizer.best.point
    {'x': 3, 'y': 0}
    """

    def __init__(  # noqa: PLR0913 - each is a choice of the user's, by keyword
        self,
        space: Space,
        rules: Iterable[RuleLike] | Mapping[str, RuleLike] = (),
        *,
        method: str | Method = "auto",
        seed: int = 0,
        direction: Direction = "minimize",
        objectives: Mapping[str, str] | None = None,
        limits: Mapping[str, str] | None = None,
        repeats: Repeats = False,
        reference: Mapping[str, float] | None = None,
        node_budget: int | None = None,
        engine: Engine = "auto",
        data: Any = None,
        prior: Any = None,
    ) -> None:
        goals = Goals.of(direction, objectives, limits, repeats, reference)
        checked_seed = checks.seed(seed)
        earlier = earlier_trials(prior, space, goals)
        feasible = FeasibleSet(space, rules, node_budget=node_budget, engine=engine)
        super().__init__(feasible, goals, checked_seed, earlier)
        self._suggester = Suggester(self._problem, method_named(method), checked_seed)
        self._has_warned = False
        self._settings = {
            "method": method,
            "seed": checked_seed,
            "direction": direction,
            "objectives": None if objectives is None else dict(objectives),
            "limits": None if limits is None else dict(limits),
            "repeats": repeats,
            "reference": None if reference is None else dict(reference),
            "node_budget": node_budget,
            # What holds the rules is kept, so that an optimizer read back where more is installed asks the same.
            "engine": self.feasible.engine,
            **({"prior": pairs_of(earlier, space, goals)} if earlier else {}),
        }
        if data is not None:
            self._tell_rows(data)

    def _tell_rows(self, data: Any) -> None:
        for number, (point, told) in enumerate(frames.rows_in(data, self.space, self.goals)):
            try:
                self.tell(point, told)
            except PointError as error:
                raise PointError(f"Row {number} of data, counted from 0: {error}") from None

    @property
    def direction(self) -> Direction:
        """Which values are good; the direction of the first objective where there are several."""
        return self.goals.objectives.directions[0]

    @property
    def observations(self) -> tuple[Observation, ...]:
        """Everything told, in order."""
        with self._lock:
            return tuple(self._log.observations)

    @property
    def pending(self) -> tuple[Point, ...]:
        """Points that were asked and not told yet."""
        with self._lock:
            return tuple(decode(self.space, row) for row in self._log.pending)

    @property
    def front(self) -> tuple[Observation, ...]:
        """The observations that no other dominates, in the order in which they were told.

        They keep the rules and are known to keep the limits, and gave every objective. With one objective they are the
        best, and those equal to it.

        Examples
        --------
        >>> import hedgerow as hr
        >>> optimizer = hr.Optimizer(hr.Space({"x": [1, 2, 3]}), objectives={"time": "minimize", "size": "minimize"})
        >>> optimizer.tell({"x": 1}, {"time": 1.0, "size": 5.0})
        >>> optimizer.tell({"x": 2}, {"time": 2.0, "size": 6.0})
        >>> optimizer.tell({"x": 3}, {"time": 3.0, "size": 4.0})
        >>> [seen.point["x"] for seen in optimizer.front]
        [1, 3]
        """
        with self._lock:
            return front_of(self._log.by_point(), self.goals)

    @overload
    def ask(self) -> Point: ...

    @overload
    def ask(self, n: int, *, batch_rules: Iterable[str] = ()) -> list[Point]: ...

    def ask(self, n: int | None = None, *, batch_rules: Iterable[str] = ()) -> Point | list[Point]:
        """Return a feasible point that has not been tried, or a list of different ones.

        Parameters
        ----------
        n : int, optional
            How many points to give out at once. Where fewer are left, those are returned.
        batch_rules : iterable of str, optional
            What the points keep together: `same(x)`, `distinct(x) <= 3`, `sum(x) <= 500`, `at_most(2, x == 'a')`,
            `at_least(2, x == 'a')`, each about one variable. Then all n points are returned, or none.

        Returns
        -------
        dict or list of dict
            A point; a list of points where n is given.

        Raises
        ------
        SpaceExhausted
            Where nothing is left to try.
        InfeasibleError
            Where no batch of n points was found that keeps the batch rules.
        RuleError
            Where a batch rule cannot be read.
        HedgerowError
            Where n is no whole number of at least 1.

        Examples
        --------
        >>> import hedgerow as hr
        >>> optimizer = hr.Optimizer(hr.Space({"x": [1, 2, 3]}), ["x != 2"])
        >>> len(optimizer.ask(5))
        2
        >>> plates = hr.Optimizer(hr.Space({"mg": hr.Integer(1, 50), "solvent": ["a", "b", "c"], "light": bool}))
        >>> plate = plates.ask(12, batch_rules=["same(light)", "distinct(solvent) <= 2", "sum(mg) <= 120"])
        >>> sum(point["mg"] for point in plate) <= 120
        True
        """
        if n is None:
            return self.suggest().point
        return [suggestion.point for suggestion in self.suggest(n, batch_rules=batch_rules)]

    @overload
    def suggest(self) -> Suggestion: ...

    @overload
    def suggest(self, n: int, *, batch_rules: Iterable[str] = ()) -> list[Suggestion]: ...

    def suggest(self, n: int | None = None, *, batch_rules: Iterable[str] = ()) -> Suggestion | list[Suggestion]:
        """Do what `ask` does, and say of each point whether it is the exact maximum and why it was chosen.

        Parameters
        ----------
        n : int, optional
            How many points to give out at once. Where fewer are left, those are returned.
        batch_rules : iterable of str, optional
            What the points keep together: `same(x)`, `distinct(x) <= 3`, `sum(x) <= 500`, `at_most(2, x == 'a')`,
            `at_least(2, x == 'a')`, each about one variable. Then all n points are returned, or none.

        Returns
        -------
        Suggestion or list of Suggestion
            The point to try, with what is known about it; a list where n is given.

        Raises
        ------
        SpaceExhausted
            Where nothing is left to try.
        InfeasibleError
            Where no batch of n points was found that keeps the batch rules.
        RuleError
            Where a batch rule cannot be read.
        HedgerowError
            Where n is no whole number of at least 1.

        Examples
        --------
        >>> import hedgerow as hr
        >>> optimizer = hr.Optimizer(hr.Space({"x": [1, 2, 3, 4, 5, 6]}))
        >>> for x in (1, 3, 6):
        ...     optimizer.tell({"x": x}, (x - 4) ** 2)
        >>> optimizer.suggest().is_exact        # all points can be looked at
        True
        """
        together = bind_batch_rules(self.space, batch_rules)
        if n is None:
            if together:
                raise ArgumentError("batch_rules are about several points: say how many, as in ask(8, ...).")
            with self._lock:
                return self._suggest_one()
        checks.whole_number("n", n, least=1)
        if together:
            with self._lock:
                return self._suggest_together(n, together)
        suggestions: list[Suggestion] = []
        with self._lock:
            try:
                while len(suggestions) < n:
                    suggestions.append(self._suggest_one())
            except SpaceExhausted:
                if not suggestions:
                    raise
        return suggestions

    def expect(self, point: Mapping[str, Any]) -> None:
        """Count a point of one's own as asked: it is being tried, so nothing suggests it, until it is told.

        Parameters
        ----------
        point : mapping
            A value for every variable.

        Raises
        ------
        PointError
            Where the point does not fit the space, or breaks a rule.

        Examples
        --------
        >>> import hedgerow as hr
        >>> optimizer = hr.Optimizer(hr.Space({"x": [1, 2]}))
        >>> optimizer.expect({"x": 1})
        >>> optimizer.ask(), optimizer.pending
        ({'x': 2}, ({'x': 1}, {'x': 2}))
        """
        explanation = self.feasible.explain(point)
        if not explanation.is_feasible:
            raise PointError(f"{dict(point)} cannot be tried. {explanation}")
        with self._lock:
            self._log.pending.append(encode(self.space, point))

    def expect_end(self, n_left: int) -> None:
        """Say how many trials are still to come, so that the last of them confirm the best points.

        It matters with `repeats="auto"`, where the last tenth measures good points again rather than new ones: the
        point that is named best at the end is then more surely so. Runs with a budget say it themselves.

        Parameters
        ----------
        n_left : int
            How many trials will be told from now on, those that are out included.

        Raises
        ------
        HedgerowError
            Where `n_left` is no whole number from 1.

        Examples
        --------
        >>> import hedgerow as hr
        >>> optimizer = hr.Optimizer(hr.Space({"x": hr.Integer(0, 9)}), repeats="auto")
        >>> optimizer.expect_end(50)
        """
        n = checks.whole_number("n_left", n_left, least=1)
        with self._lock:
            self._problem.ending = last_readings(len(self._log.codes) + n, n)

    def tell(self, point: Mapping[str, Any], value: Any) -> None:
        """Record the outcome of a trial, asked or not.

        Parameters
        ----------
        point : mapping
            A value for every variable. Points that break a rule may be told; they inform, and are never the best.
        value : float, dict, list, None or Failure
            What the trial gave; None, NaN and infinity mean that it failed, and `Failure` says why. With named
            objectives or limits, a dict of numbers: one that is missing or NaN was not measured, and a trial without
            an objective informs the others and is never the best. With repeats, a list of readings; telling a point
            again adds a reading.

        Raises
        ------
        PointError
            Where the point does not fit the space, or the value is no number. Nothing is recorded then.

        Examples
        --------
        >>> import hedgerow as hr
        >>> optimizer = hr.Optimizer(hr.Space({"x": [1, 2, 3]}))
        >>> optimizer.tell({"x": 2}, None)
        >>> optimizer.observations[0].failed
        True
        """
        row = encode(self.space, point)
        self.feasible.check_presence(point)
        outcome = read_outcome(value, self.goals)
        with self._lock:
            self._warn_of_what_is_missing(outcome)
            self._take(row, outcome)

    def _warn_of_what_is_missing(self, outcome: TrialOutcome) -> None:
        """Warn once where a trial works and does not give what a limit is about, which may be a slip of the pen."""
        given = list(outcome.numbers)
        lacking = [(name, limit.name) for limit in self.goals.limits for name in limit.outcomes if name not in given]
        if self._has_warned or not given or not lacking:
            return
        self._has_warned = True
        name, limit = lacking[0]
        mistyped = self.goals.mistyped(given)
        question = "" if mistyped is None else f" ('{mistyped[0]}' may be meant to be '{mistyped[1]}')"
        warnings.warn(
            f"The trial gave no '{name}', which the limit '{limit}' is about; it gave {quoted(given)}"
            f"{question}. Such a trial informs, and is never the best.",
            TrialWarning,
            stacklevel=3,
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the optimizer to a file, as JSON; `Optimizer.load` goes on with the very points it would have given.

        Parameters
        ----------
        path : path
            Where to. A file that is there is replaced as a whole.

        Raises
        ------
        HedgerowError
            Where a rule is a Python function, the method is not one of Hedgerow's own, or the file cannot be written.

        Examples
        --------
        >>> import hedgerow as hr
        >>> import pathlib, tempfile
        >>> optimizer = hr.Optimizer(hr.Space({"x": hr.Integer(0, 99)}), ["x % 7 != 0"], seed=1)
        >>> for _ in range(5):
        ...     point = optimizer.ask()
        ...     optimizer.tell(point, abs(point["x"] - 30))
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "optimizer.json"
        >>> optimizer.save(file)
        >>> hr.Optimizer.load(file).ask() == optimizer.ask()
        True
        """
        with self._lock:
            saved.write(path, self.feasible, self._settings, self.observations, self.pending)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        space: Space | None = None,
        rules: Iterable[RuleLike] | Mapping[str, RuleLike] | None = None,
        before: Mapping[str, Any] | None = None,
    ) -> Optimizer:
        """Read an optimizer that `save` wrote, also into a space that has changed since.

        Parameters
        ----------
        path : path
            The file.
        space : Space, optional
            Another space than the file's, with values more or fewer. Observations that do not fit it are left out, and
            a warning says how many.
        rules : iterable or mapping of rules, optional
            Other rules than the file's.
        before : mapping, optional
            For variables that the file's space does not have, the value that they had in its observations.

        Returns
        -------
        Optimizer
            One with the same space, rules, settings, observations and pending points.

        Raises
        ------
        HedgerowError
            Where the file cannot be opened, is damaged, or is no saved optimizer.

        Examples
        --------
        >>> import hedgerow as hr
        >>> hr.Optimizer.load("none.json")
        Traceback (most recent call last):
            ...
        hedgerow.errors.HedgerowError: The file 'none.json' cannot be opened: No such file or directory.
        """
        said = saved.read(path)
        rules = said["rules"] if rules is None else rules
        # Another space may need another engine.
        settings = said["settings"] if space is None else {**said["settings"], "engine": "auto"}
        optimizer = cls(said["space"] if space is None else space, rules, **settings)
        left_out = []
        for point, told in said["told"]:
            try:
                optimizer.tell(_as_now(optimizer.space, before or {}, point), told)
            except PointError:
                if space is None:
                    raise
                left_out.append(point)
        if left_out:
            n_told = len(optimizer.observations)
            warnings.warn(
                f"{n_told} of {n_told + len(left_out)} observations were carried over; the others do not fit the "
                f"space as it is now, the first of them {left_out[0]}. Variables that are new need a value in "
                "`before`.",
                TrialWarning,
                stacklevel=2,
            )
        for point in said["pending"]:
            with nullcontext() if space is None else suppress(PointError):
                optimizer._log.pending.append(encode(optimizer.space, _as_now(optimizer.space, before or {}, point)))
        return optimizer

    def result(self) -> Result:
        """Return what is known so far as a `Result`, which has pictures, tables and the best value over time.

        Returns
        -------
        Result
            The best point and all observations; `stopped` is "open".

        Examples
        --------
        >>> import hedgerow as hr
        >>> optimizer = hr.Optimizer(hr.Space({"x": [1, 2, 3]}))
        >>> optimizer.tell({"x": 2}, 5.0)
        >>> optimizer.result().best_so_far()
        [5.0]
        """
        with self._lock:
            best = None if self.goals.objectives.are_several else self.best
            return Result(
                None if best is None else best.point,
                None if best is None else best.value,
                self.observations,
                Stopped.OPEN,
                0.0,
                self.direction == "maximize",
                self.feasible,
                None,
                self.front,
                self.goals,
            )

    def _suggest_one(self) -> Suggestion:
        history = self._log.history()
        again = self._suggester.lacking(history)
        if again is not None:
            self._log.pending.append(again)
            return Suggestion(decode(self.space, again), False, REPEATED)
        suggested = self._suggester.suggest(history)
        self._log.pending.append(suggested.codes)
        return Suggestion(decode(self.space, suggested.codes), suggested.is_exact, str(suggested.reason))

    def _suggest_together(self, n: int, rules: Sequence[BatchRule]) -> list[Suggestion]:
        before = list(self._log.pending)

        def history_with(rows: Sequence[Codes]) -> History:
            self._log.pending = [*before, *rows]
            return self._log.history()

        try:
            batch = BatchMaker(self._suggester, rules).made(n, history_with)
        finally:
            self._log.pending = before
        self._log.pending += [suggested.codes for suggested in batch]
        return [Suggestion(decode(self.space, item.codes), item.is_exact, str(item.reason)) for item in batch]

    def __getstate__(self) -> dict[str, Any]:
        stuck = [rule.name for rule in self.feasible.rules if not _can_be_pickled(rule.written)]
        if stuck:
            raise HedgerowError(
                "An Optimizer with a function as a rule that has no name of its own in a module, such as a lambda, "
                f"cannot be pickled; here {', '.join(stuck)}. Write such rules as text, or make the Optimizer anew "
                "and tell it its `observations`."
            )
        with self._lock:
            return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        told, pending = len(self.observations), len(self.pending)
        waiting = f", {pending} pending" if pending else ""
        found = self._found()
        return f"Optimizer({self.goals.objectives} over {len(self.space)} variables, {told} told{waiting}, {found})"

    def _found(self) -> str:
        if self.goals.objectives.are_several:
            return f"{len(self.front)} on the front" if self.front else "no value yet"
        best = self.best
        return "no value yet" if best is None else f"best {best.value!r} at {best.point!r}"

    def _repr_html_(self) -> Html:
        counts = f"{len(self.observations)} told, {len(self.pending)} pending"
        head = tag("strong", f"Optimizer, {self.goals.objectives}")
        best = None if self.goals.objectives.are_several else self.best
        if best is None or best.value is None:
            return tag("div", head, tag("div", f"{counts}, {self._found()}"), front_table(self.front))
        words = tag("div", f"{counts}; best {readable_number(best.value)}")
        return tag("div", head, words, best_tables(self.feasible, best.point))


def _can_be_pickled(rule: Expression) -> bool:
    if not isinstance(rule, Opaque):
        return True
    try:
        pickle.dumps(rule.function)
    except (pickle.PicklingError, AttributeError, TypeError):
        return False
    return True


def _as_now(space: Space, before: Mapping[str, Any], point: Mapping[str, Any]) -> dict[str, Any]:
    """Return a point of an earlier space with what variables had before they were added, where they are active."""
    whole = {**before, **point}
    if not space.conditional or not before:
        return whole
    inactive = inactive_in(space, slot_values(space, encode(space, whole)))
    return {name: value for name, value in whole.items() if name in point or name not in inactive}

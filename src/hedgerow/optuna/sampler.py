"""`HedgerowSampler`: the library as a sampler of Optuna studies, for Optuna 4.9 and 5.

A trial gets its whole point when its objective asks for the first value. The point satisfies every rule, agrees with
the values that are fixed already (`enqueue_trial`, `PartialFixedSampler`), and belongs to no other trial of the study,
in whatever thread, process or machine that runs. The objective may ask for the values in any order, or only for some.
Suggestions depend on the study's trials and the seed alone, so a study goes on in a new process as in the old one.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler, PartialFixedSampler
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from hedgerow import checks, schema
from hedgerow.arrays import Codes
from hedgerow.checks import Engine
from hedgerow.errors import HedgerowError, InfeasibleError, PointError, RuleWarning, SpaceExhausted, StudyError
from hedgerow.feasible import FeasibleSet
from hedgerow.methods.batch import BatchMaker
from hedgerow.methods.earlier import EarlierTrials
from hedgerow.methods.history import History
from hedgerow.methods.method import Method
from hedgerow.methods.problem import CodeProblem
from hedgerow.methods.registry import method_named
from hedgerow.methods.repeats import last_readings
from hedgerow.methods.suggester import Suggester
from hedgerow.optuna.claims import Claiming, claim_row
from hedgerow.optuna.distributions import (
    as_suggested,
    check_fits,
    distributions_of,
    space_from_distributions,
)
from hedgerow.optuna.study_goals import StudyGoals
from hedgerow.optuna.trials import TrialReader, TrialRows
from hedgerow.outcomes.goals import Goals, Repeats
from hedgerow.priors import check_prior, earlier_trials
from hedgerow.rules import RuleLike
from hedgerow.rules.batch import BatchRule
from hedgerow.space import Space

if TYPE_CHECKING:
    from optuna.storages import BaseStorage


class HedgerowSampler(BaseSampler):
    """Samples feasible points for an Optuna study with one objective or several.

    Objectives call `trial.suggest_*` with the values of the space, a vector's components under names such as `x[0]`.
    When every feasible point has been tried, `study.optimize` ends, and asking again raises SpaceExhausted. No point is
    given out twice, however many workers share the study, unless `repeats` says so.

    In a study with several `directions`, points are chosen for the front (`study.best_trials`). What Optuna calls
    constraints is learned from, whoever sets them: `constraints_func`, `trial.set_constraint`, or `limits` here.

    Parameters
    ----------
    space : Space or dict of Optuna distributions
        What may vary.
    rules : iterable or mapping of rules, optional
        What must hold: text, expressions, functions or `Rule` objects; a mapping names them.
    method : str or Method, optional
        `"auto"`, another short name, or settings from `hedgerow.methods`.
    seed : int, optional
        Where random numbers begin.
    limits : mapping, optional
        Rules about what trials give, by name, such as `{"fits": "memory <= 16"}`, over numbers that objectives keep
        with `trial.set_user_attr("memory", 11.8)`, and over objectives where they have names.
    constraints_func : callable, optional
        As in Optuna's samplers: takes a finished trial, returns numbers that are at most 0 within the constraints.
    objectives : mapping, optional
        Names for the study's directions, in their order: `{"time": "minimize", "energy": "minimize"}`.
    repeats : bool, int or "auto", optional
        False: no point twice. A number: each point so often. "auto": where another reading is worth more than a new
        point.
    reference : mapping, optional
        For several objectives by name, a value of each that is just not good enough; inferred where it is not given.
    node_budget : int, optional
        How many nodes the diagram of the rules may have; None is a default that fits in memory.
    engine : {"auto", "diagram", "d-DNNF", "solver"}, optional
        What holds the rules; see `FeasibleSet`.
    claiming : Claiming, optional
        How long a trial waits for others that want the same point.
    prior : list, optional
        Trials of related problems, an entry for each, as in `Optimizer`; for studies with one objective.

    Attributes
    ----------
    space : Space
        The space.
    distributions : dict
        The parameters as Optuna distributions, for `study.ask(sampler.distributions)`.
    feasible : FeasibleSet
        What points are taken from.

    Raises
    ------
    HedgerowError
        Where an argument is not what it must be, or the method may break rules.
    InfeasibleError
        Where no point satisfies the rules.

    Examples
    --------
    >>> import hedgerow as hr, optuna
    >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
    >>> sampler = hr.HedgerowSampler(hr.Space({"x": hr.Integer(0, 9), "y": hr.Integer(0, 9)}), ["x + y >= 4"])
    >>> study = optuna.create_study(sampler=sampler)
    >>> study.optimize(lambda t: (t.suggest_int("x", 0, 9) - 3) ** 2 + t.suggest_int("y", 0, 9), n_trials=30)
    >>> study.best_params
    {'x': 3, 'y': 1}
    """

    def __init__(  # noqa: PLR0913 - each is a choice of the user's, by keyword
        self,
        space: Space | Mapping[str, BaseDistribution],
        rules: Iterable[RuleLike] | Mapping[str, RuleLike] = (),
        *,
        method: str | Method = "auto",
        seed: int = 0,
        limits: Mapping[str, str] | None = None,
        constraints_func: Callable[[FrozenTrial], Sequence[float]] | None = None,
        objectives: Mapping[str, str] | None = None,
        repeats: Repeats = False,
        reference: Mapping[str, float] | None = None,
        node_budget: int | None = None,
        engine: Engine = "auto",
        claiming: Claiming | None = None,
        prior: Any = None,
    ) -> None:
        self._method = method_named(method)
        self._wanted = StudyGoals.of(objectives, limits, repeats, reference, constraints_func)
        if self._method.may_break_rules:
            raise HedgerowError(
                "A sampler keeps the rules, but this method may break them. Set restrict_to_rules=True."
            )
        self._space = space if isinstance(space, Space) else _as_space(space)
        self._rules = dict(rules) if isinstance(rules, Mapping) else list(rules)
        self._seed = checks.seed(seed)
        self._node_budget = node_budget
        self._engine = engine
        self._claiming = claiming or Claiming()
        # Trials of related problems, read when it is known what a study's trials are judged by.
        self.earlier: Callable[[Goals], tuple[EarlierTrials, ...]] = partial(earlier_trials, prior, self._space)
        check_prior(prior)
        # The values, by slot, of trials that were made before the slot was in the space.
        self.before: Mapping[str, Any] = {}
        # The values, by slot, that slots had which are in the space no more.
        self.removed: Mapping[str, Any] = {}
        # How many trials the study will have in all, where that is known: the last of them confirm the best points.
        self.n_trials: int | None = None
        # Where trials are read from instead of Optuna, by whoever keeps them in memory; None for a study not kept.
        self.source: Callable[[Study], TrialRows | None] = _nowhere
        self._prepare()

    def _prepare(self) -> None:
        self.feasible = FeasibleSet(self._space, self._rules, node_budget=self._node_budget, engine=self._engine)
        self._lock = threading.RLock()
        self._suggesters: dict[tuple[tuple[int, int], ...], Suggester] = {}
        self._study: tuple[BaseStorage, int] | None = None
        self._goals = Goals()
        self._constraints: tuple[str, ...] = ()
        self._reader = TrialReader(self._space)
        self._reader.before, self._reader.removed = self.before, self.removed
        self._rows: dict[int, Codes] = {}
        self._ending: range | None = None

    def __getstate__(self) -> dict[str, Any]:
        kept = (
            "_method",
            "_space",
            "_rules",
            "_seed",
            "_node_budget",
            "_claiming",
            "_wanted",
            "before",
            "removed",
            "earlier",
            "n_trials",
        )
        # The same engine holds the rules wherever the copy goes, so that it suggests the same.
        return {name: self.__dict__[name] for name in kept} | {"_engine": self.feasible.engine}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.source = _nowhere
        with warnings.catch_warnings():
            # What there was to say about the rules was said when the sampler was made.
            warnings.simplefilter("ignore", RuleWarning)
            self._prepare()

    @property
    def space(self) -> Space:
        """The space."""
        return self._space

    @property
    def wanted(self) -> StudyGoals:
        """What was said about objectives, limits, constraints and repeats."""
        return self._wanted

    @property
    def distributions(self) -> dict[str, BaseDistribution]:
        """The parameters as Optuna distributions, for `study.ask(sampler.distributions)`."""
        return distributions_of(self._space)

    # --- what Optuna calls ---

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:  # noqa: ARG002
        """Return nothing: values are given out one by one, to check each against the space where it is asked for."""
        return {}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Return the values of the given parameters, which is what a sampler around this one may ask for."""
        return {
            name: self.sample_independent(study, trial, name, distribution)
            for name, distribution in search_space.items()
        }

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """Return one value of the trial's point; the first call suggests the point."""
        variable = check_fits(self._space, param_name, param_distribution)
        row = self._row_of(study, trial)
        place = next(i for i, slot in enumerate(self._space.slots) if slot.name == param_name)
        if self._space.slots[place].value_at(int(row[place])) is None:
            owner = self._space.slots[place].owner
            raise StudyError(
                f"The objective suggests '{param_name}', which is inactive in trial {trial.number}. Suggest it only "
                f"where {self._space.variables[owner].when}."
            )
        return as_suggested(variable.value_at(int(row[place])), param_distribution)

    def after_trial(
        self,
        study: Study,
        trial: FrozenTrial,
        state: TrialState,
        values: Sequence[float] | None,
    ) -> None:
        """Keep the constraints of a trial, and end `study.optimize` when nothing is left to try."""
        constraints = self._wanted.constraints(study, trial, state, values)
        if constraints is not None:
            study._storage.set_trial_system_attr(trial._trial_id, schema.CONSTRAINTS, constraints)
        with self._lock:
            self._rows.pop(trial._trial_id, None)
            if not self.feasible.is_exact or self.feasible.count > trial.number + 1:
                return
            try:
                seen = self.read(study)
                history = self._history(seen, without=None)
                if self._suggester({}).lacking(history) is None:
                    self._suggester({}).check_left(history)
            except SpaceExhausted:
                with suppress(RuntimeError):
                    # Outside of `optimize` there is no loop to stop.
                    study.stop()

    def reseed_rng(self) -> None:
        """Do nothing: workers differ by what the others have claimed, not by their random numbers."""

    # --- points ---

    def claim_row(self, study: Study, trial: FrozenTrial, seen: TrialRows) -> tuple[Codes, TrialRows]:
        """Return the row of a trial, claimed where that has not been done, and the trials as they were then.

        Parameters
        ----------
        study : optuna.Study
            The study of the trial.
        trial : optuna.trial.FrozenTrial
            A trial that runs.
        seen : TrialRows
            What the trials told before, from `read`.

        Returns
        -------
        row : array of int, shape (n_slots,)
            A row that no other trial of the study has or will have.
        seen : TrialRows
            What the trials told when the row was settled.

        Raises
        ------
        SpaceExhausted
            Where nothing is left to try.
        InfeasibleError
            Where no feasible point has the values that are fixed for the trial.
        StudyError
            Where a fixed value is not in the space, or other workers took every row first.

        Examples
        --------
        >>> import hedgerow as hr, optuna
        >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
        >>> sampler = hr.HedgerowSampler(hr.Space({"x": [1, 2, 3]}), ["x == 2"])
        >>> study = optuna.create_study(sampler=sampler)
        >>> seen, trial = sampler.read(study), study.ask()
        >>> row, seen = sampler.claim_row(study, study.trials[0], seen)
        >>> row, len(seen.claimed)
        (array([1]), 1)
        """
        with self._lock:
            self._turn_to(study)
            known = self._reader.row(trial)
            return self._claim(study, trial, seen) if known is None else (known, self.read(study))

    def claim(self, row: Codes) -> dict[str, Any]:
        """Return a row as values by slot, which is how trials store it.

        Parameters
        ----------
        row : array of int, shape (n_slots,)
            A row.

        Returns
        -------
        dict
            Values by the names of slots; a vector's components are `x[0]`, `x[1]` and so on.

        Examples
        --------
        >>> import numpy as np, hedgerow as hr
        >>> sampler = hr.HedgerowSampler(hr.Space({"x": hr.Vector([0, 5], 2), "y": ["a", "b"]}))
        >>> sampler.claim(np.array([0, 1, 1]))
        {'x[0]': 0, 'x[1]': 5, 'y': 'b'}
        """
        return self._reader.claim(row)

    def row_of(self, trial: FrozenTrial) -> Codes | None:
        """Return the row of a trial, or None where it has no whole point of this space.

        Parameters
        ----------
        trial : optuna.trial.FrozenTrial
            A trial of any state.

        Returns
        -------
        array of int, shape (n_slots,), or None
            The row that it has claimed, was given, or has tried.

        Examples
        --------
        >>> import hedgerow as hr, optuna
        >>> sampler = hr.HedgerowSampler(hr.Space({"x": [1, 2, 3]}))
        >>> trial = optuna.create_trial(params={"x": 2}, distributions=sampler.distributions, value=0.5)
        >>> sampler.row_of(trial)
        array([1])
        """
        return self._reader.row(trial)

    def suggest(self, study: Study, seen: TrialRows) -> Codes:
        """Return the row that a new trial should try, without making one.

        Parameters
        ----------
        study : optuna.Study
            The study, for its direction.
        seen : TrialRows
            What its trials tell, from `read`.

        Returns
        -------
        array of int, shape (n_slots,)
            A feasible row that belongs to none of these trials.

        Raises
        ------
        SpaceExhausted
            Where nothing is left to try.

        Examples
        --------
        >>> import hedgerow as hr, optuna
        >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
        >>> sampler = hr.HedgerowSampler(hr.Space({"x": [1, 2, 3]}), ["x == 3"])
        >>> study = optuna.create_study(sampler=sampler)
        >>> sampler.suggest(study, sampler.read(study))
        array([2])
        """
        return self.suggest_after(self.history(study, seen))

    def history(self, study: Study, seen: TrialRows) -> History:
        """Return what methods learn from.

        Parameters
        ----------
        study : optuna.Study
            The study, for its direction.
        seen : TrialRows
            What its trials tell, from `read`.

        Returns
        -------
        History
            Told and pending rows.

        Examples
        --------
        >>> import hedgerow as hr, optuna
        >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
        >>> sampler = hr.HedgerowSampler(hr.Space({"x": [1, 2, 3]}), ["x == 3"])
        >>> study = optuna.create_study(sampler=sampler)
        >>> sampler.history(study, sampler.read(study)).n_told
        0
        """
        with self._lock:
            self._turn_to(study)
            self._look_at(study, seen)
            return self._history(seen, without=None)

    def suggest_after(self, history: History) -> Codes:
        """Return the row that a new trial should try after a history, without making one.

        Parameters
        ----------
        history : History
            What was tried in the study that was read last.

        Returns
        -------
        array of int, shape (n_slots,)
            A feasible row that the history does not have.

        Raises
        ------
        SpaceExhausted
            Where nothing is left to try.

        Examples
        --------
        >>> import hedgerow as hr, optuna
        >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
        >>> sampler = hr.HedgerowSampler(hr.Space({"x": [1, 2, 3]}), ["x == 3"])
        >>> study = optuna.create_study(sampler=sampler)
        >>> sampler.suggest_after(sampler.history(study, sampler.read(study)))
        array([2])
        """
        with self._lock:
            return self._suggested({}, history)

    def suggest_batch(self, study: Study, seen: TrialRows, n: int, rules: Sequence[BatchRule]) -> list[Codes]:
        """Return rows for n new trials that keep rules of a batch together, without making trials.

        Parameters
        ----------
        study : optuna.Study
            The study, for its direction.
        seen : TrialRows
            What its trials tell, from `read`.
        n : int
            How many rows.
        rules : sequence of BatchRule
            What they keep together, from `hedgerow.rules.batch.bind_batch_rules`.

        Returns
        -------
        list of arrays of int, each of shape (n_slots,)
            Feasible rows that belong to none of these trials.

        Raises
        ------
        InfeasibleError
            Where no such batch exists.
        EffortExceeded
            Where none was found.

        Examples
        --------
        >>> import hedgerow as hr, optuna
        >>> from hedgerow.rules.batch import bind_batch_rules
        >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
        >>> space = hr.Space({"x": [1, 2, 3], "y": [1, 2, 3]})
        >>> sampler = hr.HedgerowSampler(space)
        >>> study = optuna.create_study(sampler=sampler)
        >>> rows = sampler.suggest_batch(study, sampler.read(study), 3, bind_batch_rules(space, ["same(x)"]))
        >>> len({int(row[0]) for row in rows})
        1
        """
        with self._lock:
            self._turn_to(study)
            self._look_at(study, seen)
            history = self._history(seen, without=None)

            def with_rows(rows: Sequence[Codes]) -> History:
                pending = np.concatenate([history.pending, np.array(rows).reshape(-1, history.codes.shape[1])])
                return replace(history, pending=pending.astype(np.int64))

            made = BatchMaker(self._suggester({}), rules).made(n, with_rows)
            return [suggestion.codes for suggestion in made]

    @property
    def goals(self) -> Goals:
        """What trials of the study that was read last are judged by."""
        return self._goals

    def reader(self, study: Study) -> TrialReader:
        """Return what reads trials of a study, apart from what the sampler has read.

        Parameters
        ----------
        study : optuna.Study
            A study over the sampler's space.

        Returns
        -------
        TrialReader
            Reads trials as `read` does.

        Examples
        --------
        >>> import hedgerow as hr, optuna
        >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
        >>> sampler = hr.HedgerowSampler(hr.Space({"x": [1, 2, 3]}))
        >>> study = optuna.create_study(sampler=sampler)
        >>> len(sampler.reader(study).read(study.trials).told)
        0
        """
        with self._lock:
            self._turn_to(study)
            return self._new_reader()

    def _new_reader(self) -> TrialReader:
        reader = TrialReader(self._space, self._goals.objectives.names, self._wanted.besides)
        reader.before, reader.removed = self.before, self.removed
        return reader

    def read(self, study: Study) -> TrialRows:
        """Return what the study's trials tell.

        Parameters
        ----------
        study : optuna.Study
            A study over the sampler's space.

        Returns
        -------
        TrialRows
            Told, claimed and lost rows at this moment.

        Examples
        --------
        >>> import hedgerow as hr, optuna
        >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
        >>> sampler = hr.HedgerowSampler(hr.Space({"x": [1, 2, 3]}))
        >>> study = optuna.create_study(sampler=sampler)
        >>> study.optimize(lambda trial: trial.suggest_categorical("x", [1, 2, 3]), n_trials=2)
        >>> len(sampler.read(study).told)
        2
        """
        with self._lock:
            self._turn_to(study)
            seen = self.source(study)
            if seen is None:
                # All trials of the storage: the study that a Hyperband pruner passes shows those of one bracket.
                seen = self._reader.read(study._storage.get_all_trials(study._study_id, deepcopy=False))
            self._look_at(study, seen)
            return seen

    def _row_of(self, study: Study, trial: FrozenTrial) -> Codes:
        with self._lock:
            self._turn_to(study)
            if trial._trial_id not in self._rows:
                known = self._reader.row(trial)
                row = self._claim(study, trial, self.read(study))[0] if known is None else known
                self._rows[trial._trial_id] = row
            return self._rows[trial._trial_id]

    def _claim(self, study: Study, trial: FrozenTrial, seen: TrialRows) -> tuple[Codes, TrialRows]:
        fixed = self._fixed(study, trial)

        def write(row: Codes | None, reading: int) -> None:
            point = None if row is None else self._reader.claim(row)
            if point is not None and (reading or self._goals.may_repeat):
                # Before the point, which is what others look for; they never see it with the reading of another one.
                study._storage.set_trial_system_attr(trial._trial_id, schema.READING, reading)
            study._storage.set_trial_system_attr(trial._trial_id, schema.CLAIM, point)

        return claim_row(
            trial.number,
            seen,
            lambda: self.read(study),
            lambda now: self._history(now, without=trial.number),
            lambda history: self._suggested(fixed, history),
            write,
            self._claiming,
        )

    def _fixed(self, study: Study, trial: FrozenTrial) -> dict[int, int]:
        """Return what is decided before the point is suggested, by slot."""
        around = study.sampler
        by_wrapper = around._fixed_params if isinstance(around, PartialFixedSampler) else {}
        values = {**by_wrapper, **trial.system_attrs.get(schema.FIXED, {}), **trial.params}
        try:
            return self._reader.fixed(values)
        except PointError as error:
            raise StudyError(f"Trial {trial.number} has a fixed value that is not in the space: {error}") from None

    def _suggested(self, fixed: Mapping[int, int], history: History) -> Codes:
        suggester = self._suggester(fixed)
        again = suggester.lacking(history)
        return suggester.suggest(history).codes if again is None else again

    def _suggester(self, fixed: Mapping[int, int]) -> Suggester:
        key = tuple(sorted(fixed.items()))
        if key not in self._suggesters:
            self._suggesters[key] = Suggester(self._problem(fixed), self._method, self._seed)
        self._suggesters[key].problem.ending = self._ending
        return self._suggesters[key]

    def _problem(self, fixed: Mapping[int, int]) -> CodeProblem:
        if not fixed:
            return CodeProblem(self.feasible, goals=self._goals, earlier=self.earlier(self._goals))
        part = self.feasible.codes.with_codes(fixed)
        if part.is_empty:
            slots = self._space.slots
            given = ", ".join(f"{slots[i].name} = {slots[i].value_at(code)!r}" for i, code in fixed.items())
            raise InfeasibleError(f"No feasible point has {given}. Free one of these values, or relax a rule.")
        return CodeProblem(self.feasible, part, self._goals, self.earlier(self._goals))

    def _turn_to(self, study: Study) -> None:
        """Forget what was read of another study."""
        here = (study._storage, study._study_id)
        if self._study is None or self._study[0] is not here[0] or self._study[1] != here[1]:
            self._study = here
            self._set_goals(self._wanted.goals(study, ()))
            self._reader = self._new_reader()
            self._rows = {}

    def _look_at(self, study: Study, seen: TrialRows) -> None:
        """Take up constraints that trials have come to tell of."""
        names = seen.constraint_names
        if names != self._constraints:
            self._set_goals(self._wanted.goals(study, names), names)

    def _set_goals(self, goals: Goals, constraints: tuple[str, ...] = ()) -> None:
        if not (goals.is_plain and self._goals == goals):
            self._suggesters = {}
        self._goals, self._constraints = goals, constraints

    def _history(self, seen: TrialRows, without: int | None) -> History:
        """Return what methods see of the trials; from then on it is known which readings end the study."""
        history = seen.history(len(self._space.slots), self._goals, without)
        self._ending = None
        if self.n_trials is not None:
            # Trials that were told several readings, or whose points left the space, count as one each all the same.
            shift = history.n_told + history.pending.shape[0] - seen.n_counted(without)
            last = last_readings(self.n_trials, self.n_trials)
            self._ending = range(last.start + shift, last.stop + shift)
        return history


def _nowhere(_study: Study) -> None:
    """Say that trials are read from Optuna."""


def _as_space(distributions: Mapping[str, BaseDistribution]) -> Space:
    is_distributions = isinstance(distributions, Mapping) and distributions
    if is_distributions and all(isinstance(item, BaseDistribution) for item in distributions.values()):
        return space_from_distributions(distributions)
    raise HedgerowError(f"A sampler takes a Space or a dict of Optuna distributions, but {distributions!r} was given.")

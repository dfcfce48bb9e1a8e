"""An Optuna study as a problem with stored trials: its directions, constraints and readings in Hedgerow's own terms.

Whoever sampled it: what trials are judged by comes from the study, and from the sampler where that is ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hedgerow import schema
from hedgerow.errors import StudyError
from hedgerow.feasible import FeasibleSet
from hedgerow.optuna.trials import CONSTRAINT, FinishedRow, TrialReader
from hedgerow.outcomes.goals import Goals
from hedgerow.runs.problem import Problem
from hedgerow.runs.sqlite_reader import PlainTrial
from hedgerow.schema import StoredState, StoredTrial

if TYPE_CHECKING:
    from optuna import Study as OptunaStudy


@dataclass(frozen=True)
class ToldStudy:
    """What a report needs of an Optuna study besides its space and rules."""

    trials: Sequence[StoredTrial]
    attrs: Mapping[str, Any]
    goals: Goals
    limits: Mapping[str, str]

    def judged(self, problem: Problem) -> Problem:
        """Return a problem with what the study's trials are judged by."""
        objectives = self.goals.objectives
        named = dict(zip(objectives.names, objectives.directions, strict=True)) if objectives.is_named else None
        return replace(
            problem,
            direction=objectives.directions[0],
            objectives=named,
            limits=dict(self.limits) or None,
            repeats=self.goals.repeats,
        )


def is_optuna_study(source: Any) -> bool:
    """Whether something is a study of Optuna; Optuna is not loaded to see that."""
    return type(source).__name__ == "Study" and type(source).__module__.partition(".")[0] == "optuna"


def feasible_of(study: OptunaStudy, rules: Any) -> FeasibleSet:
    """Return the set that a study's points are judged by: that of our sampler, or one of its distributions."""
    from hedgerow.optuna.distributions import space_from_distributions  # noqa: PLC0415 - loads Optuna
    from hedgerow.optuna.sampler import HedgerowSampler  # noqa: PLC0415

    if isinstance(study.sampler, HedgerowSampler) and rules is None:
        return study.sampler.feasible
    trials = study.get_trials(deepcopy=False)
    distributions = {name: found for trial in trials for name, found in trial.distributions.items()}
    if not distributions:
        raise StudyError(f"The study '{study.study_name}' has no trials yet, so there is nothing to report.")
    return FeasibleSet(space_from_distributions(distributions), () if rules is None else rules)


def told_study(study: OptunaStudy, feasible: FeasibleSet) -> ToldStudy:
    """Return the trials of a study as they would be stored, with what they are judged by."""
    from hedgerow.optuna.sampler import HedgerowSampler  # noqa: PLC0415 - loads Optuna
    from hedgerow.optuna.study_goals import StudyGoals  # noqa: PLC0415

    own = study.sampler if isinstance(study.sampler, HedgerowSampler) else None
    wanted = StudyGoals.of(None, None, False, None, None) if own is None else own.wanted
    names = wanted.goals(study, ()).objectives.names
    reader = TrialReader(feasible.space, names, wanted.besides)
    if own is not None:
        reader.before, reader.removed = own.before, own.removed
    trials = study.get_trials(deepcopy=False)
    read = reader.read(trials)
    goals = wanted.goals(study, read.constraint_names)
    # A limit is a text over words; what Optuna calls its constraints may be any text.
    constraints = [limit.name for limit in goals.limits if limit.name.startswith(f"{CONSTRAINT} ")]
    words = {name: f"{CONSTRAINT}_{place}" for place, name in enumerate(constraints)}
    limits = {limit.name: f"{words[limit.name]} <= 0" if limit.name in words else limit.text for limit in goals.limits}
    renamed = _metric_names(study, names, words) if wanted.named is None else {}
    objectives = replace(goals.objectives, names=tuple(renamed.get(name, name) for name in names))
    told = {item.number: item for item in read.told}
    attrs = {key: value for key, value in study.user_attrs.items() if key == schema.RULES and isinstance(value, list)}
    goals = replace(goals, objectives=objectives)
    if goals.is_plain:
        return ToldStudy(trials, attrs, goals, limits)
    stored = [_stored(trial, told.get(trial.number), {**words, **renamed}) for trial in trials]
    return ToldStudy(stored, attrs, goals, limits)


def _metric_names(study: OptunaStudy, names: Iterable[str], taken: Mapping[str, str]) -> dict[str, str]:
    """Return what the study itself calls its values, where these are different words."""
    given = list(study.metric_names or ())
    own = list(names)
    is_usable = len(set(given)) == len(own) > 1 and all(name.isidentifier() for name in given)
    return dict(zip(own, given, strict=True)) if is_usable and not set(given) & set(taken.values()) else {}


def _stored(trial: Any, told: FinishedRow | None, words: Mapping[str, str]) -> StoredTrial:
    """Return a trial with its readings by name; one that gave nothing, or was pruned on the way, stays as it is."""
    if told is None or not told.outcome.readings or trial.state != StoredState.COMPLETE:
        return trial  # type: ignore[no-any-return]
    readings = [{words.get(name, name): number for name, number in each.items()} for each in told.outcome.readings]
    return PlainTrial(
        trial.number,
        StoredState(int(trial.state)),
        trial.values,
        trial.params,
        {**trial.user_attrs, schema.READINGS: readings},
        trial.system_attrs,
        trial.datetime_start,
        trial.datetime_complete,
    )

"""What a front dominates after each trial: how convergence is seen where there is no best value."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hedgerow.arrays import Column, Matrix
from hedgerow.outcomes.front import non_dominated
from hedgerow.outcomes.goals import Goals
from hedgerow.outcomes.reading import TrialOutcome
from hedgerow.report.facts import Facts
from hedgerow.search.hypervolume import hypervolume

# Volumes of more objectives take too long to cut; of a long study so many are measured.
_MAX_OBJECTIVES = 3
_MAX_VOLUMES = 80
# What was better than the front is now, by earlier readings, counts as far as this, in extents of the front.
_FAR = 10.0


@dataclass(frozen=True, eq=False)
class Growth:
    """The places of trials, counted from one, with the volume dominated after each as a share of the last one."""

    shares: list[tuple[int, float]]
    is_given: bool  # whether it is measured from the reference of the problem


def growth_of(facts: Facts) -> Growth | None:
    """Return how the dominated volume grew; nothing where it has no extent or cannot be measured."""
    if len(facts.objectives) > _MAX_OBJECTIVES:
        return None
    fronts = list(_fronts(facts))
    if not fronts:
        return None
    last = fronts[-1][1]
    reference = facts.goals.signed_reference
    with np.errstate(over="ignore", invalid="ignore"):
        ends = np.maximum(last.max(axis=0), _middle(facts)) if reference is None else reference
        extent = ends - last.min(axis=0)
    if not np.isfinite(extent).all() or (extent <= 0).any():
        return None
    kept = np.unique(np.linspace(0, len(fronts) - 1, min(len(fronts), _MAX_VOLUMES)).round().astype(int))
    volumes = [(fronts[place][0], _volume(fronts[place][1], ends, extent)) for place in kept]
    whole = volumes[-1][1]
    return Growth([(place, volume / whole) for place, volume in volumes], reference is not None) if whole > 0 else None


def _volume(front: Matrix, ends: Column, extent: Column) -> float:
    """Return the volume as a part of a box, which is of no extreme magnitude."""
    with np.errstate(over="ignore"):
        return hypervolume(np.maximum((front - ends) / extent, -_FAR), np.zeros(ends.size))


def _middle(facts: Facts) -> Column:
    """Return the median of each objective over the trials within the rules, so that less is better."""
    values = np.array([facts.goals.columns(trial.numbers)[: len(facts.objectives)] for trial in facts.kept])
    return np.asarray(np.nanmedian(values, axis=0))


def _fronts(facts: Facts) -> Iterator[tuple[int, Matrix]]:
    """Yield the front after trials that may have changed it, so that less is better, with the trial's place."""
    ended = [(place, trial) for place, trial in enumerate(facts.ended, start=1) if trial.row is not None]
    kept = [(place, trial) for place, trial in ended if trial.state == "measured" and trial.keeps_rules]
    told: defaultdict[object, list[Mapping[str, float]]] = defaultdict(list)
    standing: dict[object, Column] = {}
    # Where points are measured again, what was dominated may come back, so all points stand: looked at now and then.
    every = max(1, len(kept) // _MAX_VOLUMES) if facts.goals.may_repeat else 1
    for n, (place, trial) in enumerate(kept, start=1):
        key: object = trial.row.tobytes() if facts.goals.may_repeat and trial.row is not None else place
        told[key].append(trial.numbers)
        values = _values(facts.goals, told[key])
        standing.pop(key, None)
        if values is not None:
            standing[key] = values
        if not standing or (n % every and n < len(kept)):
            continue
        rows = np.array(list(standing.values()))
        is_front = non_dominated(rows)
        if not facts.goals.may_repeat:
            standing = {key: row for (key, row), stays in zip(standing.items(), is_front, strict=True) if stays}
        if facts.goals.may_repeat or place in standing:
            yield place, rows[is_front]


def _values(goals: Goals, told: Sequence[Mapping[str, float]]) -> Column | None:
    """Return the objectives of a point by the means of what its trials gave; nothing where it cannot be on a front."""
    numbers = TrialOutcome(tuple(map(dict, told))).numbers
    values = goals.columns(numbers)[: len(goals.objectives.names)]
    return values if np.isfinite(values).all() and not goals.broken(numbers) else None

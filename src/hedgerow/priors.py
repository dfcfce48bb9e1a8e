"""What users give as `prior`: trials of related problems, as frames, rows, results, optimizers or Optuna studies."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from hedgerow import frames
from hedgerow.arrays import Codes
from hedgerow.errors import HedgerowError, PointError, TrialWarning
from hedgerow.methods.earlier import EarlierTrials
from hedgerow.outcomes.goals import Goals
from hedgerow.space import Space
from hedgerow.space.encoding import decode, encode

Pair = tuple[Mapping[str, Any], Any]


def earlier_trials(prior: Any, space: Space, goals: Goals) -> tuple[EarlierTrials, ...]:
    """Return the trials of each related problem as rows of this space; warn of those that do not fit it."""
    if prior is None:
        return ()
    if not goals.is_single:
        raise HedgerowError(
            "prior is for problems with one objective, without limits and without repeats='auto'; leave it out here."
        )
    if space.reals:
        name = space.slots[space.reals[0]].name
        raise HedgerowError(
            f"prior is not known yet where variables take any real number, as '{name}' does. Give it levels, as in "
            "hr.Real(0.0, 1.0, levels=11), or leave prior out."
        )
    return tuple(_read(source, number, space, goals) for number, source in enumerate(_sources(prior), start=1))


def check_prior(prior: Any) -> None:
    """Raise where what is given as `prior` is nothing that can be read."""
    if prior is not None:
        _sources(prior)


def pairs_of(earlier: Sequence[EarlierTrials], space: Space, goals: Goals) -> list[list[list[Any]]]:
    """Return what `earlier_trials` gave as plain (point, value) pairs, which it reads again."""
    sign = goals.objectives.signs[0]
    return [
        [[decode(space, row), sign * value] for row, value in zip(one.codes, one.values.tolist(), strict=True)]
        for one in earlier
    ]


def _sources(prior: Any) -> list[Any]:
    """Return what each related problem is given as; one alone needs no list around it."""
    if _is_source(prior):
        return [prior]
    if isinstance(prior, str | bytes | Mapping) or not isinstance(prior, Iterable):
        raise HedgerowError(f"prior is a list with an entry for each related problem, {_KINDS}; {_seen(prior)}.")
    listed = list(prior)
    for number, source in enumerate(listed, start=1):
        if not _is_source(source):
            raise HedgerowError(f"prior {number} is {_KINDS}; {_seen(source)}.")
    return listed


_KINDS = "a data frame, a list of rows or of (point, value) pairs, a Result, an Optimizer or an Optuna study"


def _seen(given: Any) -> str:
    return f"{type(given).__name__} was given"


def _is_source(given: Any) -> bool:
    if hasattr(given, "observations") or _is_frame(given) or _is_study(given):
        return True
    return isinstance(given, list | tuple) and all(isinstance(item, Mapping) or _is_pair(item) for item in given)


def _is_frame(given: Any) -> bool:
    return hasattr(given, "to_dict") and hasattr(given, "columns")


def _is_study(given: Any) -> bool:
    return hasattr(given, "trials") and hasattr(given, "directions")


def _is_pair(given: Any) -> bool:
    return isinstance(given, list | tuple) and len(given) == 2 and isinstance(given[0], Mapping)


def _read(source: Any, number: int, space: Space, goals: Goals) -> EarlierTrials:
    sign = goals.objectives.signs[0]
    rows: list[Codes] = []
    values: list[float] = []
    misfits: list[str] = []
    for point, told in _pairs(source, space, goals):
        value = _number(told)
        if value is None:
            continue
        try:
            rows.append(encode(space, {name: point[name] for name in point if name in space}))
            values.append(sign * value)
        except PointError as error:
            misfits.append(str(error))
    if misfits and not rows:
        raise HedgerowError(f"None of the {len(misfits)} trials of prior {number} fits this space: {misfits[0]}")
    if misfits:
        warnings.warn(
            f"{len(misfits)} of {len(misfits) + len(rows)} trials of prior {number} do not fit this space and are left "
            f"out. The first: {misfits[0]}",
            TrialWarning,
            stacklevel=5,
        )
    return EarlierTrials(np.array(rows, dtype=np.int64).reshape(-1, len(space.slots)), np.array(values))


def _pairs(source: Any, space: Space, goals: Goals) -> Iterable[Pair]:
    if hasattr(source, "observations"):
        return [(seen.point, seen.value) for seen in source.observations]
    if _is_study(source):
        return [(trial.params, trial.value) for trial in source.trials if trial.values]
    if not _is_frame(source) and all(_is_pair(item) for item in source):
        return [(point, value) for point, value in source]
    return frames.rows_in(source, space, goals)


def _number(told: Any) -> float | None:
    """Return a measured value; a mean where it has several readings, None where the trial failed."""
    if isinstance(told, Mapping):
        told = next(iter(told.values()), None)
    if isinstance(told, bool) or not isinstance(told, int | float | np.number):
        return None
    return float(told) if math.isfinite(told) else None

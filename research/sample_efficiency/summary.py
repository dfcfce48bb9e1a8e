"""Means over the runs of one method on one task, and how they compare with the published result."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from research.sample_efficiency.runs import Run
from research.sample_efficiency.tasks import HOPED_FOR_AFTER, Reference

CHECKPOINTS = (25, 50, 100, 200, 500)
# The paper prints its values with two decimals.
PRINTED_DIGITS = 2


@dataclass(frozen=True)
class Mark:
    """The mean best value after so many evaluations, and whether it is as good as the published one as printed."""

    evaluations: int
    mean_best: float
    is_met: bool


@dataclass(frozen=True)
class AgainstPublished:
    """The published mean value and round beside ours.

    `evaluations` is the mean over runs until each has the published value, a miss counting as the budget. Where seeds
    run different problems the published value is a mean that single runs cannot be held to; there it is the
    evaluation after which the mean of all runs is as good.
    """

    value: float
    round: float
    must: Mark | None
    hoped: Mark | None
    evaluations: float
    misses: int


@dataclass(frozen=True)
class Summary:
    """What the runs of one method on one task show."""

    task: str
    method: str
    n_runs: int
    budget: int
    evaluations: float
    misses: int
    mean_best: float
    mean_best_at: dict[int, float]
    milliseconds_per_ask: float
    invalid: int
    duplicates: int
    published: AgainstPublished | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, in which an unknown mean is null."""
        plain = _without_nan(asdict(self))
        assert isinstance(plain, dict)
        return plain


def summarize(runs: Sequence[Run], reference: Reference) -> Summary:
    """Return the means over the runs of one method on one task."""
    budget = runs[0].budget
    return Summary(
        task=runs[0].task,
        method=runs[0].method,
        n_runs=len(runs),
        budget=budget,
        evaluations=float(np.mean([len(run.best) if run.reached else budget for run in runs])),
        misses=sum(not run.reached for run in runs),
        mean_best=mean_best(runs, budget),
        mean_best_at={n: mean_best(runs, n) for n in CHECKPOINTS if n <= budget},
        milliseconds_per_ask=1000 * float(np.mean([run.seconds_per_ask for run in runs])),
        invalid=sum(run.invalid for run in runs),
        duplicates=sum(run.duplicates for run in runs),
        published=against_published(runs, reference),
    )


def mean_best(runs: Sequence[Run], n: int) -> float:
    """Return the mean best value after n evaluations; NaN while a run has no value. Runs stay at where they ended."""
    values = [run.best[min(n, len(run.best)) - 1] for run in runs]
    return float(np.mean([math.nan if value is None else value for value in values]))


def against_published(runs: Sequence[Run], reference: Reference) -> AgainstPublished | None:
    """Return the comparison, or None where nothing was published."""
    published = reference.published
    if published is None:
        return None
    budget = runs[0].budget

    def mark(part: float) -> Mark | None:
        n = int(part * published.round)
        # Beyond the budget only runs that have ended at the optimum are known.
        if n < 1 or (n > budget and not all(run.reached for run in runs)):
            return None
        value = mean_best(runs, n)
        return Mark(n, value, is_as_good(value, published.value))

    curves: list[Sequence[float | None]] = [run.best for run in runs]
    if reference.is_family:
        curves = [[mean_best(runs, n) for n in range(1, budget + 1)]]
    firsts = [_first_as_good(curve, published.value) for curve in curves]
    return AgainstPublished(
        published.value,
        published.round,
        must=mark(reference.must_be_met_after),
        hoped=mark(HOPED_FOR_AFTER),
        evaluations=float(np.mean([budget if first is None else first for first in firsts])),
        misses=firsts.count(None),
    )


def is_as_good(value: float | None, published: float) -> bool:
    """Return whether a value to be minimised, printed like the published one, is not above it."""
    return value is not None and round(value, PRINTED_DIGITS) <= published


def geometric_mean(numbers: Sequence[float]) -> float:
    """Return the geometric mean of positive numbers."""
    return float(np.exp(np.mean(np.log(numbers))))


def _first_as_good(curve: Sequence[float | None], published: float) -> int | None:
    return next((n for n, value in enumerate(curve, start=1) if is_as_good(value, published)), None)


def _without_nan(value: object) -> object:
    if isinstance(value, dict):
        return {str(key): _without_nan(item) for key, item in value.items()}
    return None if isinstance(value, float) and math.isnan(value) else value

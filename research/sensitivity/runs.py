"""One run of one variant on one task, and the table in which runs are kept, a row each."""

from __future__ import annotations

import csv
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from pathlib import Path

import numpy as np

from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from hedgerow.methods.suggester import Suggester
from research.sensitivity.constants import DEFAULT, Variant
from research.sensitivity.tasks import KINDS, Kind, SensitivityTask

BUDGET = 40


@dataclass(frozen=True)
class SensitivityRow:
    """How one run went.

    `log_trials` is the logarithm of the number of trials until the optimum was found, of one and a half budgets where
    it was not. `regret` is how far the best true value was from the optimum after the last trial, in standard
    deviations of the function.
    """

    variant: str
    task: str
    seed: int
    log_trials: float
    regret: float
    seconds: float


def wanted(variants: Sequence[Variant], n_seeds: int) -> Iterator[tuple[Variant, Kind, int]]:
    """Yield every run, seed by seed, so that whatever is finished is balanced; only where a variant can act."""
    for seed in range(n_seeds):
        for kind in KINDS:
            for variant in variants:
                if _reaches(variant, kind):
                    yield variant, kind, seed


def _reaches(variant: Variant, kind: Kind) -> bool:
    return {
        "all": not kind.is_long or variant is DEFAULT,
        "long lists": kind.is_long,
        "searched": kind.is_searched,
        "long or searched": kind.is_long or kind.is_searched,
        "large slots": kind.has_large_slots,
        "failing": kind.fails > 0,
    }[variant.reach]


def run(variant: Variant, kind: Kind, seed: int) -> SensitivityRow:
    """Return how a variant fares on the problem of a seed, with the same seed."""
    task, problem = _prepared(kind, seed)
    started = time.process_time()
    with variant.in_place():
        truth = _trace(task, Suggester(problem, variant.method(), seed))
    seconds = time.process_time() - started
    best = np.minimum.accumulate(truth)
    is_found = best <= task.optimum + 1e-12
    n_trials = int(is_found.argmax()) + 1 if is_found.any() else 1.5 * BUDGET
    regret = float(best[-1]) - task.optimum
    return SensitivityRow(variant.name, kind.name, seed, math.log(n_trials), regret, round(seconds, 3))


@lru_cache(maxsize=1)
def _prepared(kind: Kind, seed: int) -> tuple[SensitivityTask, CodeProblem]:
    task = kind.task(seed)
    return task, CodeProblem(task.feasible)


def _trace(task: SensitivityTask, suggester: Suggester) -> np.ndarray:
    """Return the true values of the rows that were tried; where a trial fails, infinity."""
    n_slots = len(task.feasible.space.slots)
    codes, values, truth = np.zeros((0, n_slots), np.int64), np.zeros(0), np.zeros(0)
    for _ in range(BUDGET):
        row = suggester.suggest(History(codes, values, codes[:0])).codes
        place = task.places[row.tobytes()]
        codes = np.concatenate([codes, row[None, :]])
        values = np.append(values, task.told[place])
        truth = np.append(truth, task.values[place] if np.isfinite(task.told[place]) else np.inf)
    return truth


def read(table: Path) -> list[SensitivityRow]:
    """Return the rows that are there; a last row that was cut off is left out."""
    if not table.exists():
        return []
    with table.open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if all(row.get(each.name) for each in fields(SensitivityRow))]
    return [
        SensitivityRow(
            row["variant"],
            row["task"],
            int(row["seed"]),
            float(row["log_trials"]),
            float(row["regret"]),
            float(row["seconds"]),
        )
        for row in rows
    ]


def append(table: Path, row: SensitivityRow) -> None:
    """Add a row to the table, which is made where it is not there."""
    table.parent.mkdir(parents=True, exist_ok=True)
    is_new = not table.exists()
    with table.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [each.name for each in fields(SensitivityRow)], lineterminator="\n")
        if is_new:
            writer.writeheader()
        values = {name: f"{value:.6g}" if isinstance(value, float) else value for name, value in asdict(row).items()}
        writer.writerow(values)

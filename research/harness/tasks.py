"""The tasks as experiments run them: the problem of a seed, and what a point that breaks a rule is worth."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from hedgerow.errors import HedgerowError, RuleWarning
from hedgerow.feasible import FeasibleSet
from hedgerow.space.encoding import decode
from research.problems import BenchmarkProblem, Objective, get_problem
from research.problems.diabetes import NAMES as PATIENTS
from research.problems.drawn import FAMILIES as DRAWN
from research.problems.suites import FAMILIES as SUITES

# One task made of several problems, one per seed in turn; its published value is a mean over them.
FAMILIES = {"diabetes": PATIENTS, **SUITES, **DRAWN}
_MAX_LISTED = 200_000
_N_DRAWN = 10_000


@dataclass(frozen=True)
class Task:
    """A problem ready to be run."""

    problem: BenchmarkProblem
    feasible: FeasibleSet
    objective: Objective

    @cached_property
    def worst(self) -> float:
        """What the paper's methods are told for a point that breaks a rule."""
        stated = self.problem.worst
        return stated if stated is not None else _highest(self.feasible, self.objective)


def problem_name(task: str, seed: int) -> str:
    """Return the problem that a seed runs."""
    family = FAMILIES.get(task)
    return task if family is None else family[seed % len(family)]


@cache
def load_task(name: str) -> Task:
    """Return a problem with its feasible set; kept, because many runs share it."""
    problem = get_problem(name)
    if problem.objective is None:
        raise HedgerowError(f"The problem '{name}' has no objective, so no experiment can run on it.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuleWarning)
        feasible = FeasibleSet(problem.space, problem.rules)
    return Task(problem, feasible, problem.objective)


def _highest(feasible: FeasibleSet, objective: Objective) -> float:
    """Return the highest value on the feasible set, or of many draws where the set is too large to list."""
    codes = feasible.codes
    batches = codes.batches() if codes.count <= _MAX_LISTED else [codes.draw(_N_DRAWN, np.random.default_rng(0))]
    values = (objective(decode(feasible.space, row)) for rows in batches for row in rows)
    return max(value for value in values if value is not None)

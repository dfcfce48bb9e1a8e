"""What a benchmark problem is: a space, its rules, an objective to minimize, and what is known about the answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hedgerow.rules import Rule
from hedgerow.space import Point, Space

# None stands for an evaluation that failed, as a kernel that does not compile.
Objective = Callable[[Point], float | None]


@dataclass(frozen=True)
class Published:
    """The best CA-TD row of the paper: mean best value over ten seeds, and the mean round where it first appeared."""

    value: float
    round: float
    method: str


@dataclass(frozen=True)
class BenchmarkProblem:
    """A benchmark problem, to be minimized.

    `optimum` is the proven lowest value on the feasible set and `best_known` the lowest value seen where no proof
    exists; `worst` is what the paper's naive baselines are told for a point that breaks a rule.
    """

    name: str
    description: str
    space: Space
    rules: tuple[Rule, ...]
    objective: Objective | None = None
    optimum: float | None = None
    best_known: float | None = None
    n_feasible: int | None = None
    budget: int = 500
    published: Published | None = None
    worst: float | None = None

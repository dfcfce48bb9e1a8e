"""The tasks, and what is known about their answers."""

from __future__ import annotations

from dataclasses import dataclass

from research.harness.tasks import FAMILIES, problem_name
from research.problems import Problem, Published, get_problem

# Small enough for every rival, and solved by each of them: the geometric mean is taken over these.
COMPARED = (
    "ackley-65",
    "pressure-vessel",
    "warcraft-2x2",
    "warcraft-2x3",
    "gap-a",
    "gap-b",
    "ising-a",
    "ising-b",
    "nas-tss",
)
GPU_TASKS = ("convolution_milo", "dedispersion_milo")
TASKS = (*COMPARED, "nas-sss", "tf-bind", "diabetes", *GPU_TASKS)
# The published value must be met after this part of the published round, and is hoped for after a quarter. On
# warcraft-2x2 good rivals need longer than the published round, so that round itself is the mark.
MUST_BE_MET_AFTER = {"warcraft-2x2": 1.0}
USUALLY_MET_AFTER = 0.5
HOPED_FOR_AFTER = 0.25


@dataclass(frozen=True)
class Reference:
    """What runs on a task are compared with. Only a single problem has an optimum that a curve can end at."""

    task: str
    optimum: float | None
    published: Published | None

    @property
    def is_family(self) -> bool:
        """Whether seeds run different problems."""
        return self.task in FAMILIES

    @property
    def must_be_met_after(self) -> float:
        """The part of the published round after which its value must be met."""
        return MUST_BE_MET_AFTER.get(self.task, USUALLY_MET_AFTER)


def reference(task: str) -> Reference:
    """Return what is known about a task."""
    problem: Problem = get_problem(problem_name(task, 0))
    return Reference(task, None if task in FAMILIES else problem.optimum, problem.published)

"""One run of one method on one task with one seed, and the file where finished runs are kept, a line each."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from functools import cache
from pathlib import Path

import hedgerow as hr
from research.harness.store import ends_within_a_line
from research.harness.tasks import problem_name
from research.problems import get_problem
from research.sample_efficiency.contestants import contestant, fingerprint, missing_libraries

# Values this close to the optimum have reached it: lookups and sums are rounded.
TOLERANCE = 1e-6
# Runs and problem instances draw from unrelated streams.
_FIRST_SEED = 10_000


@dataclass(frozen=True)
class Job:
    """What identifies a run."""

    task: str
    method: str
    seed: int
    budget: int


@dataclass(frozen=True)
class Run:
    """What a run did: the best value after each trial (None before the first success) and its conduct."""

    task: str
    method: str
    seed: int
    budget: int
    best: tuple[float | None, ...]
    reached: bool
    seconds_per_ask: float
    invalid: int
    duplicates: int
    fingerprint: str | None = None

    @property
    def job(self) -> Job:
        """What identifies it."""
        return Job(self.task, self.method, self.seed, self.budget)


def described(job: Job) -> str:
    """Return what a job is called in messages."""
    return f"{job.task}, {job.method}, seed {job.seed}"


def run_once(job: Job) -> Run:
    """Run a job in this process; it ends at the optimum, or with the budget."""
    warnings.simplefilter("ignore", hr.RuleWarning)
    _warm_up(job.method)
    problem = get_problem(problem_name(job.task, job.seed))
    if problem.objective is None:
        raise hr.HedgerowError(f"The problem '{problem.name}' has no objective.")
    target = -float("inf") if problem.optimum is None else problem.optimum + TOLERANCE
    optimizer = hr.Optimizer(problem.space, problem.rules, method=contestant(job.method), seed=_FIRST_SEED + job.seed)
    best: list[float | None] = []
    asking = 0.0
    n_invalid = 0
    proposed: set[str] = set()
    while len(best) < job.budget and not (best and best[-1] is not None and best[-1] <= target):
        start = time.perf_counter()
        try:
            point = optimizer.ask()
        except hr.SpaceExhausted:
            break
        asking += time.perf_counter() - start
        # The plain evaluator of the rules, not the diagram that proposals come from.
        n_invalid += not optimizer.feasible.explain(point).is_feasible
        proposed.add(repr(point))
        optimizer.tell(point, problem.objective(point))
        best.append(None if optimizer.best is None else optimizer.best.value)
    return Run(
        **asdict(job),
        best=tuple(best),
        reached=best[-1] is not None and best[-1] <= target,
        seconds_per_ask=asking / len(best),
        invalid=n_invalid,
        duplicates=len(best) - len(proposed),
        fingerprint=fingerprint(job.method),
    )


@cache
def _warm_up(method: str) -> None:
    """Load and compile what a method needs, so that the first run of a process is timed like the others."""
    space = hr.Space({"x": hr.Vector(hr.Integer(0, 3), 3), "kind": ["a", "b", "c"]})
    hr.minimize(lambda point: sum(point["x"]), space, rules=["sum(x) <= 5"], budget=5, method=contestant(method))


def read_runs(path: Path) -> list[Run]:
    """Return the runs of a file; a last line that was cut off by a crash is no run."""
    if not path.exists():
        return []
    names = {field.name for field in fields(Run)}
    runs = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            row = json.loads(line)
        except json.JSONDecodeError:
            continue
        kept = {name: value for name, value in row.items() if name in names}
        runs.append(Run(**{**kept, "best": tuple(row["best"])}))
    return runs


def append_run(path: Path, run: Run) -> None:
    """Add a finished run to a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # A line that a crash cut off must not swallow this one.
    separator = "\n" if ends_within_a_line(path) else ""
    with path.open("a", encoding="utf-8") as file:
        file.write(separator + json.dumps(asdict(run)) + "\n")


def reusable(runs: Iterable[Run], *, any_version: bool) -> dict[Job, Run]:
    """Return the latest stored run of each job that was made by the code as it is now, or by any.

    A rival that is not installed cannot be run again, so what was stored of it is shown whatever its version.
    """
    return {
        run.job: run
        for run in runs
        if any_version or missing_libraries(run.method) or run.fingerprint == fingerprint(run.method)
    }

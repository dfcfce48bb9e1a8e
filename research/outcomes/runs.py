"""One run of one contestant on one task, by what is compared, and how it went after some trials."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

import hedgerow as hr
from hedgerow.feasible import FeasibleSet
from hedgerow.methods import Auto
from hedgerow.methods.auto.belief import BeliefSettings
from hedgerow.space import Point
from hedgerow.space.encoding import encode
from research.outcomes import tasks
from research.outcomes.contestants import CONTESTANTS, Contestant, Hedgerow
from research.outcomes.readings import KERNELS, Reading, kernel, with_noise
from research.outcomes.task import Outcomes, OutcomeTask
from research.problems import get_problem
from research.rivals import Evolution

SHORT, LONG = (25, 50, 100), (50, 100, 200)
NOISE = (0.0, 0.01, 0.05, 0.2)
N_FAILED = 30
STOP_BUDGET = 200
LOWEST, AUTO = "lowest reading", "repeats auto"


@dataclass(frozen=True)
class OutcomeRow:
    """How a run stood after some trials.

    `value` is the share of the volume for several objectives, else the regret as a share of the range. `count` is what
    is counted: failed trials, trials within the limits, readings of the point that is named. Of a run that stops by
    itself, `after` is when, `value` how far from the optimum it was, in what a gain must be worth, and `count` after
    how many trials it was near enough. Of rules, `after` is the number of failures, `value` is 1 where the planted
    one was found, and `count` the number of trials. `version` is what made the row; older rows do not say.
    """

    part: str
    task: str
    method: str
    seed: int
    after: int
    value: float
    count: int
    milliseconds: float
    version: str = ""


@dataclass(frozen=True)
class OutcomeJob:
    """A run that is wanted."""

    part: str
    task: str
    method: str
    seed: int


PARETO = tuple(CONTESTANTS)
LIMITS = tuple(CONTESTANTS)
STOPPING = ("pressure-vessel", "hsqldb", "nas-tss", "nas-sss", "hipacc", "convolution_milo")
FAILURES = ("hedgerow", "evolution", "hedgerow, no borders", "random")


def jobs(parts: Sequence[str], methods: Sequence[str], seeds: Sequence[int]) -> Iterator[OutcomeJob]:
    """Yield every run, seed by seed, so that whatever is finished is balanced."""
    noisy = [f"{name}, {share:.0%}" for name in tasks.noise_tasks() for share in NOISE] + list(KERNELS)
    failing = [*list(KERNELS)[:2], *tasks.failure_tasks()]
    wanted = {
        "pareto": (list(tasks.pareto_tasks()), PARETO),
        "limits": (list(tasks.limit_tasks()), LIMITS),
        "noise": (noisy, (AUTO, LOWEST)),
        "failures": (failing, FAILURES),
        "rules": (list(tasks.failure_tasks()), ("suggest_rules",)),
        "stopping": (list(STOPPING), ("when nothing is left",)),
    }
    for seed in seeds:
        for part in parts:
            names, takes_part = wanted[part]
            for task in names:
                yield from (
                    OutcomeJob(part, task, method, seed) for method in takes_part if not methods or method in methods
                )


def run(job: OutcomeJob) -> list[OutcomeRow]:
    """Return how a run stands after each number of trials."""
    parts: dict[str, Callable[[OutcomeJob], list[OutcomeRow]]] = {
        "pareto": _pareto,
        "limits": _limits,
        "noise": _noise,
        "failures": _failures,
        "rules": _rules,
        "stopping": _stopping,
    }
    return parts[job.part](job)


@lru_cache(maxsize=1)
def _task(part: str, name: str) -> tuple[OutcomeTask, Reading]:
    """Return a task with its readings; those of parts without noise are exact."""
    if name in KERNELS:
        return kernel(name)
    base, _, share = name.rpartition(", ") if part == "noise" else (name, "", "")
    families = {
        "pareto": tasks.pareto_tasks,
        "limits": tasks.limit_tasks,
        "noise": tasks.noise_tasks,
        "failures": tasks.failure_tasks,
        "rules": tasks.failure_tasks,
    }
    task = families[part]()[base]()
    if part == "noise":
        return task, with_noise(task, float(share.rstrip("%")) / 100)
    return task, lambda point, _: task.truth(point)


def _trials(
    contestant: Contestant,
    evaluate: Callable[[Point], Outcomes | None],
    checkpoints: Sequence[int],
    look: Callable[[list[Point]], tuple[float, int]],
    job: OutcomeJob,
) -> list[OutcomeRow]:
    """Make trials; what `look` sees of them after each checkpoint is a row, with processor time per ask."""
    rows: list[OutcomeRow] = []
    tried: list[Point] = []
    seconds = 0.0
    for after in range(1, max(checkpoints) + 1):
        start = time.process_time()
        point = contestant.ask()
        seconds += time.process_time() - start
        tried.append(point)
        contestant.tell(point, evaluate(point))
        if after in checkpoints:
            value, count = look(tried)
            milliseconds = round(1000 * seconds / after, 2)
            rows.append(OutcomeRow(job.part, job.task, job.method, job.seed, after, value, count, milliseconds))
    return rows


def _places(task: OutcomeTask, tried: list[Point]) -> list[int]:
    return [task.places[encode(task.space, point).tobytes()] for point in tried]


def _pareto(job: OutcomeJob) -> list[OutcomeRow]:
    task, _ = _task(job.part, job.task)

    def look(tried: list[Point]) -> tuple[float, int]:
        return task.volume(task.columns[_places(task, tried), : task.n_objectives]), 0

    return _trials(CONTESTANTS[job.method](task, job.seed), task.truth, SHORT, look, job)


def _limits(job: OutcomeJob) -> list[OutcomeRow]:
    task, _ = _task(job.part, job.task)

    def look(tried: list[Point]) -> tuple[float, int]:
        places = np.array(_places(task, tried))
        within = places[task.is_within[places]]
        return task.regret(float(task.columns[within, 0].min()) if within.size else None), within.size

    return _trials(CONTESTANTS[job.method](task, job.seed), task.truth, SHORT, look, job)


def _noise(job: OutcomeJob) -> list[OutcomeRow]:
    task, reading = _task(job.part, job.task)
    rng = np.random.default_rng([job.seed, 79])
    contestant = Hedgerow(task, job.seed, repeats="auto" if job.method == AUTO else False)
    # As a run with this budget does; it makes no difference where no point is measured twice.
    contestant.optimizer.expect_end(max(LONG))

    def look(_: list[Point]) -> tuple[float, int]:
        best = contestant.optimizer.best
        if best is None:
            return 1.0, 0
        truth = task.truth(best.point)
        assert truth is not None
        return task.regret(next(iter(truth.values()))), best.n_readings

    return _trials(contestant, lambda point: reading(point, rng), LONG, look, job)


def _failures(job: OutcomeJob) -> list[OutcomeRow]:
    task, _ = _task(job.part, job.task)
    methods = {
        "hedgerow": "auto",
        "hedgerow, no borders": Auto(belief=BeliefSettings(sharp_borders=False)),
        "evolution": Evolution(),
        "random": "random",
    }
    contestant = Hedgerow(task, job.seed, methods[job.method])

    def look(_: list[Point]) -> tuple[float, int]:
        best = contestant.optimizer.best
        return task.regret(None if best is None else best.value), sum(
            s.failed for s in contestant.optimizer.observations
        )

    return _trials(contestant, task.truth, LONG, look, job)


def _rules(job: OutcomeJob) -> list[OutcomeRow]:
    """Draw until thirty trials have failed, and see whether the planted rule is suggested."""
    task, _ = _task(job.part, job.task)
    assert task.planted is not None
    optimizer = Hedgerow(task, job.seed, "random").optimizer
    n_failed = 0
    while n_failed < N_FAILED:
        point = optimizer.ask()
        given = task.truth(point)
        n_failed += given is None
        optimizer.tell(point, given)
    wanted = FeasibleSet(task.space, [*task.rules, task.planted])
    found = [FeasibleSet(task.space, [*task.rules, each.rule]) for each in optimizer.suggest_rules()]
    is_found = any(
        each.count == wanted.count and bool(each.codes.accepts(np.concatenate(list(wanted.codes.batches()))).all())
        for each in found
    )
    n_trials = len(optimizer.observations)
    return [OutcomeRow(job.part, job.task, job.method, job.seed, N_FAILED, float(is_found), n_trials, 0.0)]


def _stopping(job: OutcomeJob) -> list[OutcomeRow]:
    """Let a run stop by itself; a gain is worth a hundredth of the way from the optimum to the median."""
    problem = get_problem(job.task)
    objective, optimum = problem.objective, problem.optimum
    assert objective is not None
    assert optimum is not None
    feasible = FeasibleSet(problem.space, problem.rules)
    drawn = [objective(point) for point in feasible.sample(1000, seed=0)]
    least = 0.01 * (float(np.median([value for value in drawn if value is not None])) - optimum)
    start = time.process_time()
    result = hr.minimize(
        objective,
        problem.space,
        problem.rules,
        budget=STOP_BUDGET,
        seed=job.seed,
        stop="when nothing is left",
        least_gain=least,
        progress=False,
    )
    n_made = len(result.observations)
    milliseconds = round(1000 * (time.process_time() - start) / n_made, 2)
    curve = [math.inf if best is None else best - optimum for best in result.best_so_far()]
    needed = next((n + 1 for n, gap in enumerate(curve) if gap <= least), 0)
    return [OutcomeRow(job.part, job.task, job.method, job.seed, n_made, curve[-1] / least, needed, milliseconds)]

"""One run: rounds of candidates, looking at the rules, evaluating and telling, as in the paper's Algorithm 1.

Every run starts from a uniformly random feasible point, the same for all methods with one seed, so that they can be
compared in pairs. A suggestion that breaks a rule, or repeats, costs a round like any other; the former is told as the
worst value of the task. The clock runs only while the method chooses, and counts the processor's time, which other
work on the machine does not change.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache

import numpy as np

from hedgerow.arrays import Codes
from hedgerow.errors import SpaceExhausted
from hedgerow.feasible import FeasibleSet
from hedgerow.methods import CATD, Method
from hedgerow.methods.history import History
from hedgerow.methods.method import MethodRun
from hedgerow.methods.problem import CodeProblem
from hedgerow.methods.threads import one_thread
from hedgerow.space.encoding import decode
from research.harness.cell import Cell
from research.harness.contestants import make_method
from research.harness.fresh import fresh_series
from research.harness.kernel_tuner import run_strategy
from research.harness.row import Row, RunKey
from research.harness.tasks import Task, load_task, problem_name
from research.harness.training import TrainingLosses, training_series
from research.harness.version import made_by

# Values this close to the optimum have reached it: lookups and sums are rounded.
TOLERANCE = 1e-6
# First points and methods draw from streams that are unrelated to each other and to those of problem instances.
_START_STREAM = 7_919
_FIRST_SEED = 10_000


@dataclass(frozen=True)
class Work:
    """A job, and after how many seconds of choosing points it is cut off."""

    job: RunKey
    seconds: float


def run_once(work: Work) -> Row:
    """Run a job in this process."""
    outside = _OUTSIDE.get(Cell.parse(work.job.cell).kind)
    return _MEASURES[work.job.measure](work) if outside is None else outside(work.job)


def start_point(task: Task, seed: int, method: Method | None = None) -> Codes:
    """Return the feasible row that every run with this seed begins with; methods may ask for one of the whole grid."""
    begins_anywhere = isinstance(method, CATD) and method.first == "anywhere"
    codes = FeasibleSet(task.feasible.space).codes if begins_anywhere else task.feasible.codes
    return np.asarray(codes.draw(1, np.random.default_rng([_START_STREAM, seed]))[0])


@dataclass
class _Progress:
    """What a run has done so far; told values are kept beside the rows."""

    rows: list[Codes]
    values: list[float]
    improvements: list[tuple[int, float]]
    invalid_rounds: list[int]
    n_repeated: int = 0
    seconds: float = 0.0
    losses: TrainingLosses | None = None

    def history(self) -> History:
        """Return what a method is told."""
        rows = np.array(self.rows)
        return History(rows, np.array(self.values), rows[:0])


def _optimize(work: Work) -> Row:
    job = work.job
    task = load_task(problem_name(job.task, job.seed))
    method = make_method(Cell.parse(job.cell), lambda: task.worst)
    _warm_up(job.cell)
    problem = CodeProblem(task.feasible)
    progress = _Progress([], [], [], [], losses=TrainingLosses() if job.measure == "losses" else None)
    begin = time.process_time()
    run = method.start(problem)
    progress.seconds = time.process_time() - begin
    _evaluate(task, start_point(task, job.seed, method), progress)
    stopped = _rounds(work, task, method, run, problem, progress)
    return Row(
        **asdict(job),
        n_rounds=len(progress.rows),
        stopped=stopped,
        improvements=tuple(progress.improvements),
        invalid_rounds=tuple(progress.invalid_rounds),
        n_repeated=progress.n_repeated,
        seconds=progress.seconds,
        **made_by(Cell.parse(job.cell).kind),
        series={} if progress.losses is None else progress.losses.series,
    )


def _rounds(work: Work, task: Task, method: Method, run: MethodRun, problem: CodeProblem, progress: _Progress) -> str:
    """Suggest and evaluate until something ends the run; return what did."""
    optimum = task.problem.optimum
    target = -np.inf if optimum is None or work.job.measure == "full" else optimum + TOLERANCE
    while not (progress.improvements and progress.improvements[-1][1] <= target):
        if len(progress.rows) >= work.job.budget:
            return "budget"
        if progress.seconds > work.seconds:
            return "time"
        history = progress.history()
        begin = time.process_time()
        try:
            if not method.may_break_rules:
                problem.check_left(history)
            with one_thread():
                row = run.suggest(history, _FIRST_SEED + work.job.seed).codes
        except SpaceExhausted:
            return "exhausted"
        progress.seconds += time.process_time() - begin
        progress.n_repeated += bool(history.is_seen(row[None, :])[0])
        if progress.losses is not None:
            progress.losses.note(run)
        _evaluate(task, row, progress)
    return "optimum"


def _evaluate(task: Task, row: Codes, progress: _Progress) -> None:
    """Look at the rules, evaluate, and note what happened."""
    point = decode(task.feasible.space, row)
    progress.rows.append(row)
    number = len(progress.rows)
    # The plain evaluator of the rules, not the diagram that suggestions come from.
    if not task.feasible.explain(point).is_feasible:
        progress.invalid_rounds.append(number)
        progress.values.append(task.worst)
        return
    value = task.objective(point)
    progress.values.append(np.nan if value is None else value)
    if value is not None and (not progress.improvements or value < progress.improvements[-1][1]):
        progress.improvements.append((number, float(value)))


def _train(work: Work) -> Row:
    job = work.job
    task = load_task(problem_name(job.task, job.seed))
    method = make_method(Cell.parse(job.cell), lambda: task.worst)
    begin = time.process_time()
    rng = np.random.default_rng([_START_STREAM, job.seed])
    is_followed = job.measure == "training"
    series = training_series(method, task, job.budget, rng) if is_followed else fresh_series(method, task, rng)
    return Row(
        **asdict(job),
        n_rounds=job.budget,
        stopped="budget",
        improvements=(),
        invalid_rounds=(),
        n_repeated=0,
        seconds=time.process_time() - begin,
        **made_by(Cell.parse(job.cell).kind),
        series=series,
    )


# `run` ends at the optimum, `full` goes on to the budget, `losses` keeps how each training of a run ended; `training`
# follows one training instead, and `fresh` asks a model that has just begun.
_MEASURES: dict[str, Callable[[Work], Row]] = {
    "run": _optimize,
    "full": _optimize,
    "losses": _optimize,
    "training": _train,
    "fresh": _train,
}
MEASURES = tuple(_MEASURES)
_OUTSIDE: dict[str, Callable[[RunKey], Row]] = {"kernel-tuner": run_strategy}


@cache
def _warm_up(cell: str) -> None:
    """Load and compile what a method needs, so that the first run of a process is timed like the others."""
    task = load_task("ackley-5")
    run = make_method(Cell.parse(cell), lambda: task.worst).start(CodeProblem(task.feasible))
    progress = _Progress([], [], [], [])
    for row in task.feasible.codes.draw(3, np.random.default_rng(0)):
        _evaluate(task, row, progress)
    run.suggest(progress.history(), 0)

"""What it takes to know a function: the default as it is, and with the parameters of its kernels known beforehand.

`python -m research known` fits the beliefs of the default to the table of a task (its best points and draws, so many as
can be fitted), and runs it with these parameters from the first trial on, in pairs with the default that has to find
them. What is left is what the kernel and the choice of points need, however parameters are learned. Parameters that
suit the whole table need not suit its best corner, so this is no lower bound.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache

import numpy as np
from rich.console import Console
from rich.progress import track

from hedgerow.arrays import Codes, Scores
from hedgerow.methods import Auto, CodeProblem
from hedgerow.methods.auto.belief import Belief, BeliefSettings, Fit, fit_beliefs
from hedgerow.methods.auto.kernel_problem import KernelProblem
from hedgerow.methods.auto.leads import Lead
from hedgerow.methods.auto.method import AutoRun
from hedgerow.methods.history import History
from hedgerow.space.encoding import decode
from research.harness.run import TOLERANCE, start_point
from research.harness.tasks import Task, load_task, problem_name

TASKS = (
    "ackley-65",
    "pressure-vessel",
    "warcraft-2x2",
    "warcraft-2x3",
    "gap-a",
    "gap-b",
    "ising-a",
    "ising-b",
    "nas-tss",
    "nas-sss",
)
_BUDGET = 300
# Rows that parameters are fitted to: a quarter of them the best, the others drawn.
_N_FITTED = 400


class KnowingRun(AutoRun):
    """The default with beliefs that need no fit; observations are conditioned on as ever."""

    def __init__(self, problem: CodeProblem, known: Sequence[Belief]) -> None:
        super().__init__(Auto(), problem)
        self._known = known

    def _fitted(self, history: History, seed: int) -> tuple[Fit, Sequence[Lead]]:  # noqa: ARG002 - known is known
        rows = self._kernel_problem.active_part(history.codes[history.is_measured])
        beliefs = [replace(belief, codes=np.ascontiguousarray(belief.rows_of(rows))) for belief in self._known]
        return Fit(rows.shape[0], np.arange(rows.shape[0]), beliefs), ()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all pairs and print the table."""
    parser = argparse.ArgumentParser(prog="python -m research known", description=__doc__)
    parser.add_argument("--tasks", nargs="+", default=list(TASKS))
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first-seed", type=int, default=500)
    options = parser.parse_args(arguments)
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    lines, logs = [], []
    for name in track(options.tasks, console=Console(stderr=True), transient=True):
        found, knowing = (np.array([trials(name, seed, knows) for seed in seeds]) for knows in (False, True))
        logs.append(np.log(knowing.mean() / found.mean()))
        lines.append(f"| {name} | {_mean(found)} | {_mean(knowing)} |")
    print(f"{options.seeds} pairs a task, at most {_BUDGET} trials, measured {datetime.now(UTC):%Y-%m-%d}.\n")
    print("| task | trials, the default | parameters known |\n|---|---|---|")
    print("\n".join([*lines, f"| ratio, tasks alike | | {math.exp(float(np.mean(logs))):.2f} |"]))
    return 0


def trials(name: str, seed: int, knows: bool) -> int:
    """Return after how many trials the optimum is found, or the budget."""
    task = load_task(problem_name(name, seed))
    problem = CodeProblem(task.feasible)
    run = KnowingRun(problem, fitted_to_all(problem_name(name, seed))) if knows else AutoRun(Auto(), problem)
    rows = [start_point(task, seed)]
    values = [_value(task, rows[0])]
    optimum = task.problem.optimum
    assert optimum is not None
    while min(values) > optimum + TOLERANCE and len(rows) < _BUDGET:
        told = np.array(rows)
        rows.append(run.suggest(History(told, np.array(values), told[:0]), seed).codes)
        values.append(_value(task, rows[-1]))
    return len(rows)


@cache
def fitted_to_all(name: str) -> list[Belief]:
    """Return the beliefs of the default about the whole table of a problem."""
    task = load_task(name)
    rows = np.concatenate(list(task.feasible.codes.batches()))
    values: Scores = np.array([_value(task, row) for row in rows])
    rng = np.random.default_rng(0)
    drawn = rng.choice(values.size, min(values.size, _N_FITTED), replace=False)
    kept = np.union1d(np.argsort(values, kind="stable")[: _N_FITTED // 4], drawn)
    settings = BeliefSettings(n_draws=0, max_fitted=kept.size, max_conditioned=kept.size)
    seen = KernelProblem(CodeProblem(task.feasible))
    return fit_beliefs(
        settings, seen.kernel, seen.active_part(rows[kept]), values[kept], rng, views=seen.views[1:]
    ).beliefs


def _value(task: Task, row: Codes) -> float:
    value = task.objective(decode(task.feasible.space, row))
    assert value is not None
    return value


def _mean(numbers: np.ndarray) -> str:
    return f"{numbers.mean():.1f} ± {numbers.std(ddof=1) / math.sqrt(numbers.size):.1f}"


if __name__ == "__main__":
    sys.exit(main())

"""Semidefinite solvers on rounds of HSDP: `python -m research hsdp-solvers [--solvers ...] [--tasks ...] [--narrow]`.

Prints processor seconds, how far a solver had to go (the wide basis follows where the small one does not certify the
model), its status, the attained loss, and the gap from there down to the proven bound. The observations of a round are
the first feasible points of a fixed shuffle.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

import hedgerow as hr
from hedgerow.methods.catd.hsdp import Grid, Hsdp, HsdpReport, fit
from hedgerow.space.encoding import decode
from research.problems import get_problem

SHARES_SEEN = (0.3, 0.6)


@dataclass(frozen=True, eq=False)
class Round:
    """What is known in a round: observations, and rows that break a rule."""

    sizes: tuple[int, ...]
    codes: NDArray[np.int64]
    values: NDArray[np.float64]
    infeasible: NDArray[np.int64]

    @classmethod
    def of(cls, task: str, share_seen: float, with_rules: bool) -> Round:
        """Return a round of a task after this share of its feasible points."""
        problem = get_problem(task)
        assert problem.objective is not None
        sizes = problem.space.sizes
        rows = np.indices(sizes).reshape(len(sizes), -1).T
        is_feasible = hr.FeasibleSet(problem.space, problem.rules).codes.accepts(rows)
        shuffled = np.random.default_rng(0).permutation(rows[is_feasible])
        codes = shuffled[: max(1, round(share_seen * shuffled.shape[0]))]
        values = np.array([problem.objective(decode(problem.space, row)) for row in codes])
        return cls(sizes, codes, values, rows[~is_feasible] if with_rules else rows[:0])

    def fitted(self, settings: Hsdp) -> HsdpReport:
        """Return how training to rank 2 went."""
        grid, rng = Grid.of(self.sizes), np.random.default_rng(0)
        return fit(grid, 2, self.codes, self.values, self.infeasible, settings, rng).report


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m research hsdp-solvers",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--solvers", nargs="+", default=["clarabel", "scs", "sdpa"])
    parser.add_argument("--tasks", nargs="+", default=["ackley-3", "ackley-5"])
    parser.add_argument("--narrow", action="store_true", help="stay with the small basis")
    parser.add_argument("--time-limit", type=float, default=300.0, help="seconds per round; SDPA does not know it")
    options = parser.parse_args(arguments)
    # Loading CVXPY is not part of the first round.
    Hsdp().check((3, 3))
    print("task       seen rules solver      cpu s basis  status                   loss       gap")
    for task, share, with_rules, solver in product(options.tasks, SHARES_SEEN, (True, False), options.solvers):
        settings = Hsdp(solver=solver, time_limit=options.time_limit, widens=not options.narrow)
        this = Round.of(task, share, with_rules)
        began = time.process_time()
        try:
            outcome = described(this.fitted(settings))
        except hr.HedgerowError as error:
            outcome = str(error)
        rules = "yes" if with_rules else "no"
        seconds = time.process_time() - began
        print(f"{task:10} {this.values.size:4} {rules:5} {solver:9} {seconds:7.2f} {outcome}", flush=True)
    return 0


def described(report: HsdpReport) -> str:
    basis = "wide" if report.is_wide else "small"
    return f"{basis:6} {report.status:18} {report.loss:10.3e} {report.loss - report.lower_bound:9.1e}"


if __name__ == "__main__":
    sys.exit(main())

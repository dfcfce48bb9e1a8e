"""Memory of tensors that are built and of tensors that are not: `python -m research memory` (the paper's Appendix F).

Ackley's function on ten levels in 4 to 10 dimensions. "Dense" is one model that reconstructs its whole tensor and takes
one gradient through it, in float64, as `dense_pgrad` does, up to 10^7 points; what the paper states is the tensor alone
in float32. "Ours" is a whole suggestion of mini-batched CA-TD: ten tensor trains of rank 3 trained for 200 steps
on 20 observations and batches of 1,024 infeasible points, then 1,024 points scored. Each is a process of its own;
memory is the growth of its peak over what it held with everything loaded and compiled.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from hedgerow.feasible import FeasibleSet
from hedgerow.methods import CATD, CandidateSettings, CodeProblem, History
from hedgerow.rules import Rule
from hedgerow.space import Integer, Space, Vector
from hedgerow.space.encoding import decode
from research.measurements.dense_pgrad import DenseTask, dense_loss
from research.problems.ackley import ackley_value

_DIMENSIONS = tuple(range(4, 11))
_MOST_DENSE = 7
_N_LEVELS, _N_OBSERVED, _N_STEPS, _BATCH = 10, 20, 200, 1024
_MIB = 1024.0


def ball(dimension: int) -> FeasibleSet:
    """Return the paper's ball of radius 3 on ten levels."""
    space = Space({"x": Vector(Integer(-5, 4), dimension)})
    return FeasibleSet(space, [Rule("sum(x**2) <= 9", name="ball")])


def ours(dimension: int) -> dict[str, float]:
    """Return the growth in MiB of one suggestion, and milliseconds of the processor for one step of training."""
    program = CATD.as_programmed("tt", 3)
    scored = CandidateSettings(n_drawn=_BATCH)
    method = replace(program, max_epochs=_N_STEPS, loss_target=0.0, batch_size=_BATCH, candidates=scored)
    # Loading and compiling is not what is measured.
    _suggest(method, ball(3))
    feasible = ball(dimension)
    before = _peak()
    seconds = _suggest(method, feasible)
    return {"mib": _peak() - before, "ms_per_step": 1000.0 * seconds / _N_STEPS}


def dense(dimension: int) -> dict[str, float]:
    """Return the growth in MiB of one gradient of one model."""
    cores = [np.ones((left, _N_LEVELS, right)) for left, right in _ranks(dimension)]
    before = _peak()
    n_points = _N_LEVELS**dimension
    task = DenseTask((_N_LEVELS,) * dimension, np.arange(5), np.zeros(5), np.ones(n_points, dtype=np.bool_))
    dense_loss(cores, task)
    return {"mib": _peak() - before}


def _suggest(method: CATD, feasible: FeasibleSet) -> float:
    """Suggest once after some observations; return the processor's seconds for the training."""
    rows = feasible.codes.draw(_N_OBSERVED, np.random.default_rng(0))
    history = History(rows, np.array([ackley_value(decode(feasible.space, row)) for row in rows]), rows[:0])
    problem = CodeProblem(feasible)
    training = method.training(problem)
    begin = time.process_time()
    training.at_once(history, 0)
    seconds = time.process_time() - begin
    few = History(rows[:1], history.values[:1], rows[:0])
    method.start(problem).suggest(few, 0)
    return seconds


def _ranks(dimension: int) -> list[tuple[int, int]]:
    ranks = [1, *[3] * (dimension - 1), 1]
    return list(pairwise(ranks))


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _MIB


_SIDES: dict[str, Callable[[int], dict[str, float]]] = {"ours": ours, "dense": dense}


def measured(side: str, dimension: int) -> dict[str, float]:
    """Measure one side in a process of its own."""
    command = [sys.executable, "-m", "research", "memory", "--one", side, str(dimension)]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return {key: float(value) for key, value in json.loads(out.splitlines()[-1]).items()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, or measure one of its cells."""
    parser = argparse.ArgumentParser(prog="python -m research memory", description=__doc__)
    parser.add_argument("--one", nargs=2, metavar=("SIDE", "DIMENSION"), help="measure one cell in this process")
    options = parser.parse_args(arguments)
    if options.one:
        print(json.dumps(_SIDES[options.one[0]](int(options.one[1]))))
        return 0
    print("| points | the tensor in float32 | dense, one model | ours, ten models | ms per step of ours |")
    print("|---|---|---|---|---|")
    for dimension in _DIMENSIONS:
        whole = 4.0 * _N_LEVELS**dimension / _MIB**2
        built = f"{measured('dense', dimension)['mib']:,.0f} MiB" if dimension <= _MOST_DENSE else "-"
        mine = measured("ours", dimension)
        print(
            f"| 10^{dimension} | {whole:,.1f} MiB | {built} | {mine['mib']:,.0f} MiB | {mine['ms_per_step']:.2f} |",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""How runs under one label compare with those under another, in pairs of one task and seed.

Both runs of a pair are measured by when they came to the value that the worse of them ended with, and by when they came
to that of the better, which counts as one and a half budgets for the one that missed it: so a task needs no known
optimum, and neither being early nor coming to the end is all that counts. Below 1 is better.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from research.tuning.runs import TuningRun

Pair = tuple[TuningRun, TuningRun]


def table(runs: Sequence[TuningRun], label: str, against: str, tasks: Sequence[str]) -> str:
    """Return a table of ratios, a line for each task and one for all of them."""
    pairs = {task: _pairs(runs, label, against, task) for task in tasks}
    lines = [
        f"| task | pairs | trials, {label} / {against} | ends better, equal, worse | time |",
        "|---|---|---|---|---|",
    ]
    lines += [_line(task, found) for task, found in pairs.items() if found]
    every = [found for found in pairs.values() if found]
    if every:
        lines.append(_line("all tasks", [pair for found in every for pair in found]))
    return "\n".join(lines)


def _pairs(runs: Sequence[TuningRun], label: str, against: str, task: str) -> list[Pair]:
    by_key = {(one.seed, one.budget): one for one in runs if one.label == against and one.task == task}
    return [
        (one, by_key[one.seed, one.budget])
        for one in runs
        if one.label == label and one.task == task and (one.seed, one.budget) in by_key
    ]


def log_ratio(pair: Pair) -> float:
    """Return the logarithm of the ratio of trials: the mean of those to what the worse and the better came to."""
    ratios = [pair[0].rounds_to(target) / pair[1].rounds_to(target) for target in (one.best for one in pair)]
    return float(np.log(ratios).mean())


def _line(name: str, pairs: Sequence[Pair]) -> str:
    logs = np.array([log_ratio(pair) for pair in pairs])
    ratio = f"{math.exp(logs.mean()):.2f}"
    if logs.size > 1:
        error = 1.96 * float(logs.std(ddof=1)) / math.sqrt(logs.size)
        ratio += f" ({math.exp(logs.mean() - error):.2f} to {math.exp(logs.mean() + error):.2f})"
    differences = np.array([one.best - other.best for one, other in pairs])
    n_better, n_worse = int((differences < -1e-9).sum()), int((differences > 1e-9).sum())
    seconds = np.array([[one.milliseconds, other.milliseconds] for one, other in pairs]).mean(axis=0)
    return (
        f"| {name} | {len(pairs)} | {ratio} | "
        f"{n_better}, {len(pairs) - n_better - n_worse}, {n_worse} | x{seconds[0] / seconds[1]:.2f} |"
    )

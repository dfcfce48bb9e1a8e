"""How far two versions are from the optimum after so many trials: `python -m research gaps RESULTS --against RESULTS`.

Each version runs the same experiment in its own checkout with its own `--results`; runs of one task and seed are a
pair. A gap is how much more than the optimum the best value is, as a share of the optimum.

    python -m research run sample-efficiency --methods auto --tasks convolution_milo --first-seed 5000 --seeds 20 \\
        --budget 100 --results now
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hedgerow.errors import HedgerowError
from research.harness.row import Row
from research.harness.store import Store
from research.problems import get_problem

# Resampled pairs for an interval of the ratio of two means.
_N_RESAMPLED = 10_000

Gaps = NDArray[np.float64]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the mean gaps of both, and their ratio."""
    options = _options(arguments)
    ours, theirs = _rows(options.results, options), _rows(options.against, options)
    tasks = sorted({task for task, _ in ours.keys() & theirs.keys()})
    if not tasks:
        raise HedgerowError(f"{options.results} and {options.against} have no task and seed in common.")
    pairs = {task: sorted(seed for name, seed in ours.keys() & theirs.keys() if name == task) for task in tasks}
    print("| task | pairs | trials | gap | against | ratio |\n|---|---|---|---|---|---|")
    for n_trials in options.at:
        gaps = []
        for task, seeds in pairs.items():
            optimum = get_problem(task, options.data_dir).optimum
            if not optimum:
                raise HedgerowError(f"The optimum of '{task}' is not known or 0: there is no gap to compare.")
            gaps.append(
                np.array([[_gap(rows[task, seed], n_trials, optimum) for rows in (ours, theirs)] for seed in seeds])
            )
            print(_line(task, n_trials, [gaps[-1]]))
        if len(gaps) > 1:
            print(_line("all, tasks alike", n_trials, gaps))
    return 0


def _rows(results: Path, options: argparse.Namespace) -> Mapping[tuple[str, int], Row]:
    stem = options.experiment
    store = Store(results / "journals" / f"{stem}.jsonl", results / f"{stem}.csv.gz")
    rows = store.read().values()
    return {(row.task, row.seed): row for row in rows if row.improvements and row.cell == options.cell}


def _gap(row: Row, n_trials: int, optimum: float) -> float:
    best = row.best_at(n_trials)
    return np.inf if best is None else (best - optimum) / abs(optimum)


def _line(name: str, n_trials: int, gaps: Sequence[Gaps]) -> str:
    """Return a line of means over tasks of the means over pairs, and of their ratio with an interval of 95 %."""
    ours, theirs = _means(gaps)
    rng = np.random.default_rng(0)
    resampled = [_means([each[rng.integers(len(each), size=len(each))] for each in gaps]) for _ in range(_N_RESAMPLED)]
    ratios = [one / other for one, other in resampled if other > 0]
    n_pairs = sum(map(len, gaps))
    ratio = "-"
    # Where the other version is at the optimum in every pair there is nothing to compare with.
    if theirs > 0:
        low, high = np.quantile(ratios, [0.025, 0.975])
        ratio = f"{ours / theirs:.2f} ({low:.2f} to {high:.2f})"
    return f"| {name} | {n_pairs} | {n_trials} | {ours:.2%} | {theirs:.2%} | {ratio} |"


def _means(gaps: Sequence[Gaps]) -> tuple[float, float]:
    ours, theirs = np.mean([each.mean(axis=0) for each in gaps], axis=0)
    return float(ours), float(theirs)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m research gaps", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("results", type=Path, help="the directory of results of one version")
    parser.add_argument("--against", type=Path, required=True, metavar="DIR", help="that of the other")
    parser.add_argument("--experiment", default="sample-efficiency", help="default sample-efficiency")
    parser.add_argument("--cell", default="auto", help="the method with its settings, as rows name it (default auto)")
    parser.add_argument("--at", type=int, nargs="+", default=[50, 100], metavar="N", help="after so many trials")
    parser.add_argument("--data-dir", type=Path, default=None, help="measured data (default HEDGEROW_DATA)")
    return parser.parse_args(arguments)

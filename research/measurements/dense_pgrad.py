"""What never building the tensor is worth: `python -m research dense-pgrad [--epochs N] [--batch-size N]`.

The rival is the paper's training as one would write it down in NumPy: each model of the ensemble reconstructs its whole
tensor in every step, compares all of it with the threshold, and takes the gradient back through the same matrix
products. It is written with care (matrix products only, no Python loop over points, buffers of the size of the tensor)
and does the same number of epochs as ours. Ours estimates the penalty on a batch of infeasible rows per epoch (the
paper's mini-batches, Appendix F; unbiased); the rival, having built the tensor, takes all of them. Both then score with
expected improvement and pick a point: one ask. One thread, warcraft-2x3 (7^6 points, 112,249 of them infeasible), ten
tensor trains of rank 3.
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

import hedgerow as hr
from hedgerow.arrays import Codes
from hedgerow.methods.catd.ensemble.factorized import Factorized
from hedgerow.methods.catd.ensemble.infeasible import infeasible_rows
from hedgerow.methods.catd.ensemble.pgrad import Pgrad
from hedgerow.search.acquisition import ensemble_expected_improvement
from hedgerow.space.encoding import decode
from research.problems import get_problem

Floats = NDArray[np.float64]
# One core per slot, as (left rank, levels, right rank).
Cores = list[Floats]

_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
_REPEATS = 5


@dataclass(frozen=True)
class DenseTask:
    """What dense training needs: flat numbers of the observed cells, and a mark on every infeasible one."""

    level_counts: tuple[int, ...]
    cells: NDArray[np.int64]
    values: Floats
    is_infeasible: NDArray[np.bool_]
    penalty: float = 1.0
    threshold: float = 1.0


def dense_ensemble(
    task: DenseTask, rank: int, n_models: int, epochs: int, rng: Generator, rate: float = 0.01
) -> Floats:
    """Return the trained tensors of all models, (n_models, n_cells)."""
    tensors = [_train(task, _fresh(task.level_counts, rank, rng), epochs, rate) for _ in range(n_models)]
    return np.stack([_reconstruct(cores)[-1].ravel() for cores in tensors])


def dense_loss(cores: Cores, task: DenseTask) -> tuple[float, Cores]:
    """Return the total loss, eq. (5), and its gradient in every core."""
    prefixes = _reconstruct(cores)
    tensor = prefixes[-1].ravel()
    residuals = tensor[task.cells] - task.values
    gaps = task.threshold - tensor
    violated = task.is_infeasible & (gaps > 0.0)
    n_infeasible = np.count_nonzero(task.is_infeasible)
    loss = np.mean(residuals**2) + task.penalty * gaps[violated].sum() / n_infeasible
    slopes = np.where(violated, -task.penalty / n_infeasible, 0.0)
    np.add.at(slopes, task.cells, 2.0 * residuals / residuals.size)
    return float(loss), _pull_back(cores, prefixes, slopes)


def _reconstruct(cores: Cores) -> Cores:
    """Return the products of the first 1, 2, ..., d cores, each as (cells so far, right rank)."""
    prefixes = [cores[0].reshape(-1, cores[0].shape[2])]
    for core in cores[1:]:
        prefixes.append((prefixes[-1] @ core.reshape(core.shape[0], -1)).reshape(-1, core.shape[2]))
    return prefixes


def _pull_back(cores: Cores, prefixes: Cores, slopes: Floats) -> Cores:
    gradients = []
    for core, prefix in zip(cores[:0:-1], prefixes[-2::-1], strict=True):
        slopes = slopes.reshape(prefix.shape[0], -1)
        gradients.append((prefix.T @ slopes).reshape(core.shape))
        slopes = slopes @ core.reshape(core.shape[0], -1).T
    return [slopes.reshape(cores[0].shape), *gradients[::-1]]


def _train(task: DenseTask, cores: Cores, epochs: int, rate: float) -> Cores:
    means = [np.zeros_like(core) for core in cores]
    squares = [np.zeros_like(core) for core in cores]
    for step in range(1, epochs + 1):
        _, gradients = dense_loss(cores, task)
        for k, gradient in enumerate(gradients):
            means[k] += 0.1 * (gradient - means[k])
            squares[k] += 0.001 * (gradient**2 - squares[k])
            cores[k] -= rate * (means[k] / (1 - 0.9**step)) / (np.sqrt(squares[k] / (1 - 0.999**step)) + 1e-8)
    return cores


def _fresh(level_counts: tuple[int, ...], rank: int, rng: Generator) -> Cores:
    ranks = [1, *[rank] * (len(level_counts) - 1), 1]
    scale = (0.25 / rank ** (len(level_counts) - 1)) ** (0.5 / len(level_counts))
    return [scale * rng.standard_normal(shape) for shape in zip(ranks[:-1], level_counts, ranks[1:], strict=True)]


def asks(
    epochs: int, n_observations: int, batch_size: int, rank: int = 3, n_models: int = 10
) -> tuple[Callable[[], int], ...]:
    """Return one ask by dense training and one by ours, on the same observations, each as a function."""
    problem = get_problem("warcraft-2x3")
    if problem.objective is None:
        raise ValueError("The task has lost its objective.")
    feasible = hr.FeasibleSet(problem.space, list(problem.rules)).codes
    level_counts = tuple(len(slot.variable.values) for slot in problem.space.slots)
    codes = feasible.draw(n_observations, default_rng(0))
    told = [problem.objective(decode(problem.space, row)) for row in codes]
    values = np.array([value for value in told if value is not None])
    rows: Codes = np.concatenate(list(feasible.batches()))
    infeasible = infeasible_rows(feasible, level_counts)
    training = Pgrad(max_epochs=epochs, loss_target=-math.inf, batch_size=batch_size)
    normalized = (values - values.min()) / np.ptp(values)
    grid = np.stack(np.unravel_index(np.arange(math.prod(level_counts)), level_counts), axis=1)
    cells = np.ravel_multi_index(tuple(codes.T), level_counts)
    task = DenseTask(level_counts, cells, normalized, ~feasible.accepts(grid))

    def dense() -> int:
        predictions = dense_ensemble(task, rank, n_models, epochs, default_rng(1))
        return int(ensemble_expected_improvement(predictions.T, 0.0).argmax())

    surrogate = Factorized("tt", rank, n_models, training)
    prior = surrogate.prior(level_counts)

    def ours() -> int:
        ensemble = surrogate.fit(prior, codes, values, infeasible, default_rng(1))
        return int(ensemble_expected_improvement(ensemble.predictions(rows), 0.0).argmax())

    return dense, ours


def seconds(*works: Callable[[], object]) -> list[float]:
    """Return the processor time of each work, at best of a few turns; other programs on the machine count little."""
    turns = np.empty((_REPEATS, len(works)))
    for turn in turns:
        for i, work in enumerate(works):
            begin = time.process_time()
            work()
            turn[i] = time.process_time() - begin
    return [float(best) for best in turns.min(axis=0)]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m research dense-pgrad", description="One ask of CATD TT-3: dense training against ours."
    )
    parser.add_argument("--epochs", type=int, default=200)
    parser.add_argument("--observations", type=int, default=30)
    parser.add_argument("--batch-size", type=int, default=128, help="infeasible rows per epoch of ours")
    options = parser.parse_args(arguments)
    if any(os.environ.get(name) != "1" for name in _THREADS):
        # Numerical libraries read these once, when they are loaded.
        command = [sys.executable, "-m", "research", "dense-pgrad", *(sys.argv[2:] if arguments is None else arguments)]
        sys.exit(subprocess.run(command, env={**os.environ, **dict.fromkeys(_THREADS, "1")}, check=False).returncode)
    dense, ours = asks(options.epochs, options.observations, options.batch_size)
    ours()  # Numba compiles on the first call.
    slow, fast = seconds(dense, ours)
    print(f"warcraft-2x3, TT-3, 10 models, {options.observations} observations, {options.epochs} epochs, one thread")
    print(f"dense  {slow:9.3f} s per ask")
    print(f"ours   {fast:9.3f} s per ask")
    print(f"ratio  {slow / fast:9.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

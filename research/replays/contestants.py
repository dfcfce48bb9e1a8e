"""Who takes part in the replays: cells of the experiments, and Kernel Tuner's own strategies on GPU kernels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from research.harness.row import Job

GPU_KERNELS = ("convolution_milo", "dedispersion_milo")
FEATURE_MODELS = ("hipacc", "hsqldb")
TASKS = (*GPU_KERNELS, *FEATURE_MODELS)
# What opens the name of a cell that Kernel Tuner itself runs.
KERNEL_TUNER = "kernel-tuner"


@dataclass(frozen=True)
class Contestant:
    """A method: how its rows are stored, and how it is called."""

    cell: str
    label: str
    tasks: tuple[str, ...] = TASKS


def contestants(budget: int) -> tuple[Contestant, ...]:
    """Return all methods; SMAC is told the budget, a quarter of which its initial design takes at most."""
    general = (
        Contestant("auto", "Hedgerow"),
        Contestant(f"smac;n_trials={budget};variant=c", "SMAC, told the rules"),
        Contestant("tpe;variant=u", "Optuna TPE, not told"),
        Contestant("random", "random inside the rules"),
        Contestant("anywhere", "random, not told"),
    )
    strategies = (
        "bayes_opt",
        "genetic_algorithm",
        "simulated_annealing",
        "pso",
        "diff_evo",
        "basinhopping",
        "greedy_ils",
        "hybrid_vndx",
        "adaptive_tabu_greywolf",
        "random_sample",
    )
    own = (Contestant(f"{KERNEL_TUNER};strategy={name}", f"Kernel Tuner {name}", GPU_KERNELS) for name in strategies)
    return (*general, *own)


def jobs(budget: int, seeds: int) -> Iterator[Job]:
    """Yield all runs, one seed after the other, so that early results cover everything."""
    for seed in range(seeds):
        for contestant in contestants(budget):
            for task in contestant.tasks:
                yield Job(task, contestant.cell, seed, budget, "full")

"""The spaces that `research.rules` measures: four GPU kernels, and spaces far too large to list."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import hedgerow as hr
from hedgerow.importers.t1 import load_t1
from hedgerow.rules import RuleLike
from research.problems import get_problem

GPU_CASES = ("convolution", "dedispersion", "gemm", "hotspot")


@dataclass(frozen=True)
class RuleCase:
    """A space with rules, and the count that it must have where that is known in closed form or from the data."""

    space: hr.Space
    rules: list[RuleLike]
    expected: int | None


def gpu_case(name: str, data_dir: Path, expected: int) -> RuleCase:
    """Return a search space of the T1 files."""
    imported = load_t1(data_dir / "kernel_tuner" / f"{name}_milo.json")
    return RuleCase(imported.space, list(imported.rules), expected)


def permutations() -> RuleCase:
    """Return 20 variables, all different in 1..20."""
    return RuleCase(hr.Space({"x": hr.Vector(hr.Integer(1, 20), 20)}), ["all_different(x)"], math.factorial(20))


def dna() -> RuleCase:
    """Return the DNA 60-mers with bounded GC content, short runs, and without three restriction sites."""
    rules: list[RuleLike] = [
        "24 <= count(dna == 'G') + count(dna == 'C') <= 36",
        "longest_run(dna) <= 4",
        *(f"not contains(dna, '{site}')" for site in ("GAATTC", "GGATCC", "AAGCTT")),
    ]
    return RuleCase(hr.Space({"dna": hr.Vector(["A", "C", "G", "T"], 60)}), rules, None)


def motifs(n_motifs: int, n_letters: int, length: int, longest: int) -> RuleCase:
    """Return sequences that may not hold any of many drawn motifs of two letters and more, a rule for each."""
    rng = np.random.default_rng(0)
    drawn: dict[tuple[int, ...], None] = {}
    while len(drawn) < n_motifs:
        motif = rng.integers(0, n_letters, int(rng.integers(2, longest + 1)))
        drawn[tuple(motif.tolist())] = None
    rules: list[RuleLike] = [f"not contains(x, {list(motif)})" for motif in drawn]
    return RuleCase(hr.Space({"x": hr.Vector(hr.Integer(0, n_letters - 1), length)}), rules, None)


def problem_case(name: str, expected: int | None) -> RuleCase:
    """Return one of the library's own problems."""
    problem = get_problem(name)
    return RuleCase(problem.space, list(problem.rules), expected)


def cases(data_dir: Path | None) -> dict[str, Callable[[], RuleCase]]:
    """Return how to make each case; the GPU spaces need the data."""
    known: dict[str, Callable[[], RuleCase]] = {}
    if data_dir is not None:
        for name, expected in zip(GPU_CASES, (4362, 11130, 116928, 82984), strict=True):
            known[name] = lambda name=name, expected=expected: gpu_case(name, data_dir, expected)  # type: ignore[misc]
    known["gap-30x10"] = lambda: problem_case("gap-30x10", math.factorial(30) // 6**10)
    known["permutations-20"] = permutations
    known["ising-60"] = lambda: problem_case("ising-60", math.comb(30, 10) ** 2)
    known["dna-60"] = dna
    known["formulation"] = lambda: problem_case(
        "formulation", sum(math.comb(19, k) * math.comb(19, k - 1) for k in range(1, 6))
    )
    # How rules about one sequence add up: one automaton reads all of them.
    known["motifs-31"] = lambda: motifs(31, 32, 32, 2)
    known["motifs-218"] = lambda: motifs(218, 32, 32, 2)
    known["motifs-1000"] = lambda: motifs(1000, 20, 100, 5)
    known["ackley-10d"] = lambda: problem_case("ackley-10d", None)
    return known

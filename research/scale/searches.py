"""How good the search is where the answer is known: against listing, and against CP-SAT.

Where the feasible set can be listed, the surrogate's score of every row tells the true maximum, and the search, which
does not list, is compared with it. On the true objectives of large problems, which are sums over slots and pairs as a
surrogate's are, it is compared with the optimum that CP-SAT proves or, where it proves none, finds in minutes.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Codes
from hedgerow.feasible import FeasibleSet
from hedgerow.methods.auto.method import Auto, AutoRun
from hedgerow.methods.candidates import CandidateSettings
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from hedgerow.methods.threads import one_thread
from hedgerow.search.landscape import ScoredRows
from hedgerow.search.maximize import SearchSettings, search
from hedgerow.space.encoding import decode
from research.problems import BenchmarkProblem, get_problem
from research.problems.dna import sequence_scores, sequence_terms
from research.problems.gap import gap_30x10_profits
from research.problems.ising import potentials
from research.problems.product_line import response_terms, response_values
from research.scale.digits import problem_named

# The largest has 4,303,545 feasible points.
LISTED = ("digits-6", "ackley-10d", "digits-7", "digits-8")
OBSERVED = (30, 100)
N_LISTINGS = 5
N_SEEDS = 10

Values = Callable[[Codes], NDArray[np.float64]]


@dataclass(frozen=True)
class AgainstListing:
    """How far below the true maximum of the score the search ended, as a factor of expected improvement."""

    task: str
    n_feasible: int
    n_observations: int
    n_exact: int
    n_searches: int
    mean_share: float
    seconds: float
    seconds_listing: float


@dataclass(frozen=True)
class AgainstSolver:
    """The mean value that searches reached, beside what a solver knows."""

    task: str
    known: float
    is_proven: bool
    mean: float
    best: float
    n_reached: int
    n_searches: int
    seconds: float


def against_listing(task: str, n_observations: int) -> AgainstListing:
    """Compare the search with scoring every row, on the beliefs after random observations."""
    problem = problem_named(task)
    assert problem.objective is not None
    feasible = FeasibleSet(problem.space, problem.rules)
    everything = np.concatenate(list(feasible.codes.batches()))
    shares: list[float] = []
    searching = listing = 0.0
    for seed in range(N_LISTINGS):
        rng = np.random.default_rng([seed, n_observations])
        rows = everything[rng.choice(everything.shape[0], n_observations, replace=False)]
        values = np.array([problem.objective(decode(problem.space, row)) for row in rows], dtype=np.float64)
        history = History(rows, values, rows[:0])
        run = AutoRun(Auto(candidates=CandidateSettings(max_listed=0)), CodeProblem(feasible))
        begin = time.process_time()
        found = run.suggest(history, seed).codes
        searching += time.process_time() - begin
        posterior = run.posterior(history, seed)
        begin = time.process_time()
        scores = np.concatenate([posterior.log_improvement(part) for part in np.array_split(everything, 64)])
        scores[history.is_seen(everything)] = -np.inf
        listing += time.process_time() - begin
        shares.append(float(np.exp(posterior.log_improvement(found[None, :])[0] - scores.max())))
    return AgainstListing(
        task=task,
        n_feasible=everything.shape[0],
        n_observations=n_observations,
        n_exact=sum(share > 1 - 1e-6 for share in shares),
        n_searches=N_LISTINGS,
        mean_share=float(np.mean(shares)),
        seconds=searching / N_LISTINGS,
        seconds_listing=listing / N_LISTINGS,
    )


def true_values() -> dict[str, Values]:
    """Return the objectives of large problems as functions of many rows."""
    pairs, profits, terms, response = potentials(60), gap_30x10_profits(), sequence_terms(), response_terms()
    return {
        "gap-30x10": lambda rows: -profits[np.arange(rows.shape[1]), rows].sum(axis=1),
        "ising-60": lambda rows: np.einsum("ni,ij,nj->n", rows, pairs, rows, optimize=True),
        "product-line-200": lambda rows: response_values(response, rows.astype(np.float64)),
        "dna-100": lambda rows: sequence_scores(*terms, rows),
    }


def all_against_listing() -> list[AgainstListing]:
    """Return all comparisons with listing."""
    with one_thread():
        return [against_listing(task, n) for task in LISTED for n in OBSERVED]


def all_against_solver() -> list[AgainstSolver]:
    """Return all comparisons with solvers."""
    return [against_solver(get_problem(task), values) for task, values in true_values().items()]


def against_solver(problem: BenchmarkProblem, values: Values) -> AgainstSolver:
    """Compare the search on a true objective with what is known of its lowest value."""
    known = problem.optimum if problem.optimum is not None else problem.best_known
    assert known is not None
    codes = FeasibleSet(problem.space, problem.rules).codes
    landscape = ScoredRows(lambda rows: -values(rows))
    reached: list[float] = []
    begin = time.process_time()
    for seed in range(N_SEEDS):
        rng = np.random.default_rng(seed)
        found = search(
            codes,
            landscape,
            lambda rows: np.zeros(rows.shape[0], dtype=np.bool_),
            codes.draw(10, rng),
            rng,
            SearchSettings(),
            sizes=problem.space.sizes,
        )
        assert found is not None
        reached.append(float(values(found.codes[None, :])[0]))
    return AgainstSolver(
        task=problem.name,
        known=known,
        is_proven=problem.optimum is not None,
        mean=float(np.mean(reached)),
        best=min(reached),
        n_reached=sum(value <= known + 1e-6 for value in reached),
        n_searches=N_SEEDS,
        seconds=(time.process_time() - begin) / N_SEEDS,
    )

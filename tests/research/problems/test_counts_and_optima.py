"""Every problem has the number of feasible points and the optimum that its definition states."""

from __future__ import annotations

import math
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import hedgerow as hr
from research.problems import BenchmarkProblem, get_problem, problem_names
from research.problems.formulation import INGREDIENTS, N_SLOTS, mixture_terms
from research.problems.gap import gap_30x10_profits

COUNTS = {
    "ackley-3": 5,
    "ackley-5": 13,
    "ackley-7": 29,
    "ackley-65": 317,
    "pressure-vessel": 3916,
    "warcraft-2x2": 300,
    "warcraft-2x3": 5400,
    "warcraft-3x3": 25 * math.comb(7, 3) * 6**3,
    "diabetes": 10_197,
    "gap-a": 1260,
    "gap-b": 2368,
    "gap-30x10": math.factorial(30) // math.factorial(3) ** 10,
    "ising-a": 441,
    "ising-b": 1260,
    "ising-60": math.comb(30, 10) ** 2,
    "formulation": sum(math.comb(19, k) * math.comb(19, k - 1) for k in range(1, 6)),
}
COUNTS_WITH_DATA = {
    "nas-tss": 1525,
    "nas-sss": 6552,
    "tf-bind": 23_808,
    "convolution_milo": 4362,
    "convolution_milo_A6000": 4362,
    "dedispersion_milo": 11_130,
    "hotspot_milo": 82_984,
    "hipacc": 13_485,
    "hsqldb": 864,
    "hsqldb-2.2.6": 864,
    "hsqldb-2.3.2": 864,
}
# Optimum, half a unit of its last printed digit, and how many points share it.
OPTIMA = {
    "ackley-3": (0, 1e-12, 1),
    "ackley-5": (0, 1e-12, 1),
    "ackley-7": (0, 1e-12, 1),
    "ackley-65": (0, 1e-12, 1),
    "ackley-4d": (0, 1e-12, 1),
    "ackley-5d": (0, 1e-12, 1),
    "pressure-vessel": (12408.3421, 5e-5, 1),
    "warcraft-2x2": (0.5, 1e-12, 4),
    "warcraft-2x3": (0.5, 1e-12, 4),
    "gap-a": (-6.205065, 5e-7, 1),
    "gap-b": (-4.188386, 5e-7, 1),
    "ising-a": (-7.315973, 5e-7, 1),
    "ising-b": (-9.428536, 5e-7, 1),
}
OPTIMA_WITH_DATA = {
    "nas-tss": (-93.84, 1e-9, 1),
    "nas-sss": (-92.28, 1e-9, 1),
    "tf-bind": (-1.0, 1e-9, 2),
    "convolution_milo": (0.554, 5e-4, 1),
    "dedispersion_milo": (68.117, 5e-4, 1),
    "hipacc": (21.173, 1e-9, 1),
    "hsqldb": (54_027.0, 1e-9, 1),
    "hsqldb-2.2.6": (53_970.0, 1e-9, 1),
    "hsqldb-2.3.2": (53_918.0, 1e-9, 1),
}
BEST_OF_ISING_60 = {3, 5, 6, 9, 10, 14, 21, 23, 24, 25, 31, 34, 35, 41, 43, 44, 45, 49, 51, 57}


def values_of(problem: BenchmarkProblem) -> list[float]:
    """The values of all feasible points whose evaluation does not fail."""
    assert problem.objective is not None
    values = [problem.objective(point) for point in hr.FeasibleSet(problem.space, problem.rules)]
    return [value for value in values if value is not None]


def check_count(problem: BenchmarkProblem, expected: int) -> None:
    feasible = hr.FeasibleSet(problem.space, problem.rules)
    assert feasible.is_exact
    assert feasible.count == problem.n_feasible == expected


def check_optimum(problem: BenchmarkProblem, expected: float, tolerance: float, n_ties: int) -> None:
    values = values_of(problem)
    lowest = min(values)
    assert lowest == pytest.approx(expected, abs=tolerance)
    assert problem.optimum == pytest.approx(lowest, abs=1e-9)
    assert sum(value < lowest + 1e-9 for value in values) == n_ties


@pytest.mark.parametrize("name", COUNTS)
def test_count_follows_from_the_rules(name: str) -> None:
    check_count(get_problem(name), COUNTS[name])


@pytest.mark.parametrize("name", COUNTS_WITH_DATA)
def test_count_follows_from_the_rules_with_data(name: str, data_dir: Path) -> None:
    check_count(get_problem(name, data_dir), COUNTS_WITH_DATA[name])


def test_gemm_counts_and_warns_of_its_idle_condition(data_dir: Path) -> None:
    problem = get_problem("gemm_milo", data_dir)
    with pytest.warns(hr.RuleWarning, match="'KWG % KWI == 0' is always true"):
        check_count(problem, 116_928)


@pytest.mark.parametrize("dimension", [4, 5, 10])
def test_ackley_counts_the_lattice_points_of_its_ball(dimension: int) -> None:
    one = np.bincount(np.arange(-5, 5) ** 2)
    ways = np.ones(1, dtype=np.int64)
    for _ in range(dimension):
        ways = np.convolve(ways, one)
    check_count(get_problem(f"ackley-{dimension}d"), int(ways[:10].sum()))


@pytest.mark.parametrize("name", OPTIMA)
def test_optimum_of_the_feasible_set(name: str) -> None:
    check_optimum(get_problem(name), *OPTIMA[name])


@pytest.mark.parametrize("name", OPTIMA_WITH_DATA)
def test_optimum_of_the_feasible_set_with_data(name: str, data_dir: Path) -> None:
    check_optimum(get_problem(name, data_dir), *OPTIMA_WITH_DATA[name])


def test_ackley_10d_is_best_at_the_origin() -> None:
    problem = get_problem("ackley-10d")
    assert problem.objective is not None
    assert problem.objective({"x": [0] * 10}) == pytest.approx(0, abs=1e-12)
    feasible = hr.FeasibleSet(problem.space, problem.rules)
    others = [point for point in feasible.sample(200, seed=0) if any(point["x"])]
    assert all((problem.objective(point) or 0) > 1 for point in others)


def test_warcraft_3x3_optimum() -> None:
    check_optimum(get_problem("warcraft-3x3"), 0.35, 1e-12, 4)


def test_gap_30x10_optimum_is_that_of_the_assignment_problem() -> None:
    optimize = pytest.importorskip("scipy.optimize")
    places = np.repeat(gap_30x10_profits(), 3, axis=1)
    items, chosen = optimize.linear_sum_assignment(-places)
    problem = get_problem("gap-30x10")
    assert problem.optimum == pytest.approx(-places[items, chosen].sum(), abs=1e-9)
    assert problem.objective is not None
    best = {"bin": [int(place) // 3 + 1 for place in chosen]}
    assert best in hr.FeasibleSet(problem.space, problem.rules)
    assert problem.objective(best) == pytest.approx(problem.optimum, abs=1e-9)


def test_formulation_optimum_over_all_recipes() -> None:
    lowest = min(_lowest_response(n_parts) for n_parts in range(1, N_SLOTS + 1))
    assert get_problem("formulation").optimum == pytest.approx(lowest, abs=1e-9)


def test_formulation_objective_agrees_with_its_optimum() -> None:
    problem = get_problem("formulation")
    best = {
        "ingredient": ["dispersant", "kaolin", "silica", "talc", "none"],
        "share": [25, 10, 30, 35, 0],
    }
    assert best in hr.FeasibleSet(problem.space, problem.rules)
    assert problem.objective is not None
    assert problem.objective(best) == pytest.approx(problem.optimum, abs=1e-9)


def _lowest_response(n_parts: int) -> float:
    """The lowest Scheffé response of any recipe with this many ingredients, from scratch."""
    linear, blending = mixture_terms()
    shares = np.array([np.diff((0, *cuts, 20)) for cuts in combinations(range(1, 20), n_parts - 1)]) / 20
    chosen = np.array(list(combinations(range(len(INGREDIENTS)), n_parts)))
    pairs = list(combinations(range(n_parts), 2))
    monomials = np.column_stack([shares, *(shares[:, a] * shares[:, b] for a, b in pairs)])
    terms = np.column_stack([linear[chosen], *(blending[chosen[:, a], chosen[:, b]] for a, b in pairs)])
    return min(_lowest_product(block, monomials) for block in np.array_split(terms, 1 + len(terms) // 1000))


def _lowest_product(terms: NDArray[np.float64], monomials: NDArray[np.float64]) -> float:
    return float((terms @ monomials.T).min())


def test_ising_60_best_known_is_a_value_of_a_feasible_point() -> None:
    problem = get_problem("ising-60")
    assert problem.objective is not None
    assert problem.optimum is None
    point = {"selected": [item in BEST_OF_ISING_60 for item in range(60)]}
    assert point in hr.FeasibleSet(problem.space, problem.rules)
    assert problem.objective(point) == pytest.approx(problem.best_known, abs=1e-6)


def test_every_problem_is_counted_here() -> None:
    elsewhere = {"dna-100", "product-line-200"}
    counted = {*COUNTS, *COUNTS_WITH_DATA, *elsewhere, "gemm_milo", "ackley-4d", "ackley-5d", "ackley-10d"}
    assert counted - {"diabetes"} == {name for name in problem_names() if not name.startswith("diabetes")}

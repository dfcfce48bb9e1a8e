"""Who is compared over mixed spaces, by libraries that may be missing: solvers that prove, SMAC, BoTorch."""

from __future__ import annotations

import math

import pytest

import hedgerow as hr
from research.mixed.conditional import SPACE, TUNERS, config_space, section
from research.mixed.contestants import CONTESTANTS
from research.mixed.proven import proven
from research.problems.engineering import DESIGNS


def test_listing_all_gears_finds_the_known_design() -> None:
    assert proven("gear-train").value == pytest.approx(DESIGNS["gear-train"]().best_known, rel=1e-12)


@pytest.mark.parametrize("name", ["coil-spring", "three-bar-truss", "mixture"])
def test_known_optima_are_proven(name: str) -> None:
    pytest.importorskip("pyscipopt")
    proof, design = proven(name), DESIGNS[name]()
    assert abs(design.gap(proof.value)) < 1e-6
    assert -1e-5 < design.gap(proof.bound) < 1e-6


def test_smac_is_told_what_breaks_rules() -> None:
    pytest.importorskip("smac")
    values = list(CONTESTANTS["smac"](DESIGNS["concrete-beam"](), 0, 8))
    assert len(values) == 8
    assert all(value > 359 for value in values)


def test_botorch_stays_inside_the_rules() -> None:
    pytest.importorskip("botorch")
    design = DESIGNS["three-bar-truss"]()
    values = list(CONTESTANTS["botorch in the rules"](design, 0, 6))
    assert all(math.isfinite(value) and design.gap(value) > -1e-9 for value in values)


def test_both_spaces_of_the_conditional_problem_are_the_same() -> None:
    spaces = pytest.importorskip("ConfigSpace")
    space = config_space(0)
    for point in hr.FeasibleSet(SPACE).sample(40, seed=0):
        held = dict(spaces.Configuration(space, values=point))
        # ConfigSpace rounds what it holds.
        assert set(held) == set(point)
        assert all(
            held[name] == value or math.isclose(held[name], value, rel_tol=1e-9) for name, value in point.items()
        )
    feasible = hr.FeasibleSet(SPACE)
    assert all(dict(configuration) in feasible for configuration in space.sample_configuration(40))


def test_the_table_of_the_conditional_problem_counts_pairs() -> None:
    rows = [
        {"method": method, "seed": "0", "best_15": "0.6", "best_25": "0.6", "best_50": best, "seconds": "1"}
        for method, best in (("hedgerow", "0.5"), ("smac", "0.55"))
    ]
    assert set(TUNERS) >= {"hedgerow", "smac", "optuna-tpe"}
    assert section(rows)[-1] == "| smac | 1 | 0.6000 ± 0.0000 | 0.6000 ± 0.0000 | 0.5500 ± 0.0000 | 1 of 1 |"

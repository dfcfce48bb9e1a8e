"""The design problems with reals: known designs keep their rules and cost what is known; tables are made of rows."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import hedgerow as hr
from research.mixed.__main__ import page
from research.mixed.contestants import CONTESTANTS
from research.problems.engineering import DESIGNS

KNOWN: dict[str, dict[str, Any]] = {
    "pressure-vessel": {"shell": 0.8125, "head": 0.4375, "radius": 42.0984455, "length": 176.63660},
    "welded-beam": {"h": 0.20573, "l": 3.470489, "t": 9.036624, "b": 0.20573},
    "coil-spring": {"wire": 0.283, "coil": 1.223041010, "coils": 9},
    "concrete-beam": {"steel": 6.32, "width": 34, "depth": 8.5},
    "gear-train": {"a": 43, "b": 16, "c": 19, "d": 49},
}


@pytest.mark.parametrize("name", KNOWN)
def test_known_designs_keep_the_rules_and_cost_what_is_known(name: str) -> None:
    design = DESIGNS[name]()
    rules = hr.rules.bind_rules(design.space, design.rules)
    values = [KNOWN[name][variable] for variable in design.space]
    assert all(rule.holds(values) for rule in rules)
    assert abs(design.gap(design.cost(KNOWN[name]))) < 1e-4


def test_what_stays_in_the_rules_does() -> None:
    design = DESIGNS["concrete-beam"]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in ("random in the rules", "evolution in the rules"):
            assert all(value < 600 for value in CONTESTANTS[name](design, 0, 17))


def test_the_page_has_a_line_for_each_design() -> None:
    row = {"design": "mixture", "method": "hedgerow", "seed": "0", "to_1_percent": "12", "to_01_percent": ""}
    assert "| mixture | 12 (–) |" in page([row])

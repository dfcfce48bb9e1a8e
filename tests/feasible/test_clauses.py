"""Clauses are written down at once, and are what the general way makes of them."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from hedgerow import Integer, Space, Vector
from hedgerow.diagram.walk import accepts
from hedgerow.feasible import compile as compiling
from hedgerow.feasible.compile import compile_rules
from hedgerow.rules.rule import bind_rules

SPACE = Space({"b": Vector(bool, 4), "n": Vector(Integer(0, 2), 2), "c": ["u", "v", "w"]})


@pytest.mark.parametrize(
    "rule",
    [
        "b[0] or not b[1]",
        "not (b[0] and b[2] and n[0] == 1)",
        "n[1] < 2 or c == 'u' or b[3]",
        "b[0] or b[0] or n[0] > 0",
        "b[1] or not b[1] or b[2]",
        "n[0] > 5 or b[0]",
        "1 / n[0] > 0.6 or b[0]",
        "b[0] or (b[1] and b[2])",
        "(n[0] == 1) if b[0] else (c == 'v')",
    ],
)
def test_a_clause_has_the_diagram_of_the_general_way(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = bind_rules(SPACE, [rule])
    quick = compile_rules(SPACE, rules)
    monkeypatch.setattr(compiling, "clause_diagram", lambda *_: None)
    general = compile_rules(SPACE, rules)
    assert quick.order == general.order
    for one, other in zip(quick.parts, general.parts, strict=True):
        assert one.diagram is not None and other.diagram is not None
        assert one.can_fail_to_evaluate == other.can_fail_to_evaluate
        assert one.diagram.layers == other.diagram.layers and one.diagram.n_nodes == other.diagram.n_nodes
    rows = np.array(list(product(*(range(size) for size in quick.sizes))))
    assert np.array_equal(accepts(quick.diagram, rows), accepts(general.diagram, rows))

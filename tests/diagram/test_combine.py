"""The conjunction of sets and the product of machines, against every sequence; and the budget that stops them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow import EffortExceeded
from hedgerow.diagram.combine import conjunction, product
from hedgerow.diagram.effort import Effort, NodeBudgetExceeded
from hedgerow.diagram.machine import Diagram, Machine, everything
from hedgerow.diagram.walk import accepts
from tests.diagram.diagrams import all_rows, diagram_of
from tests.strategies import examples

SIZES = (2, 3, 2, 3)


@st.composite
def partial_sets(draw: st.DrawFn) -> tuple[tuple[int, ...], set[tuple[int, ...]]]:
    """Some layers of SIZES, and a set of sequences over them."""
    layers = tuple(sorted(draw(st.sets(st.integers(0, len(SIZES) - 1), min_size=1))))
    rows = all_rows([SIZES[layer] for layer in layers])
    n_all = len(rows)
    bits = draw(st.integers(0, 2**n_all - 1))
    return layers, {row for i, row in enumerate(rows) if bits >> i & 1}


def as_diagram(layers: Sequence[int], rows: set[tuple[int, ...]]) -> Diagram:
    return diagram_of(rows, [SIZES[layer] for layer in layers], layers)


@examples(100)
@given(partial_sets(), partial_sets())
def test_conjunction_accepts_what_both_accept(
    left: tuple[tuple[int, ...], set[tuple[int, ...]]], right: tuple[tuple[int, ...], set[tuple[int, ...]]]
) -> None:
    both = conjunction(as_diagram(*left), as_diagram(*right), Effort())
    assert both.layers == tuple(sorted({*left[0], *right[0]}))
    rows = all_rows([SIZES[layer] for layer in both.layers])

    def is_in(part: tuple[tuple[int, ...], set[tuple[int, ...]]], row: tuple[int, ...]) -> bool:
        return tuple(row[both.layers.index(layer)] for layer in part[0]) in part[1]

    expected = [is_in(left, row) and is_in(right, row) for row in rows]
    assert accepts(both, np.array(rows)).tolist() == expected
    assert both.is_empty is not any(expected)


def test_conjunction_with_everything_changes_nothing() -> None:
    diagram = as_diagram((1, 3), {(0, 1), (2, 2)})
    same = conjunction(everything(), diagram, Effort())
    assert [table.tolist() for table in same.tables] == [table.tolist() for table in diagram.tables]


def random_machine(layers: tuple[int, ...], seed: int) -> Machine:
    rng = np.random.default_rng(seed)
    widths = [1, *rng.integers(1, 4, size=len(layers)).tolist()]
    tables = tuple(
        rng.integers(0, widths[k + 1], size=(widths[k], SIZES[layer])).astype(np.int32)
        for k, layer in enumerate(layers)
    )
    return Machine(layers, tables, widths[-1])


def run(machine: Machine, row: Sequence[int]) -> int:
    state = 0
    for layer, table in zip(machine.layers, machine.tables, strict=True):
        state = int(table[state, row[layer]])
    return state


@pytest.mark.parametrize("seed", range(20))
def test_a_product_ends_in_the_states_of_both(seed: int) -> None:
    rng = np.random.default_rng(seed)
    left = random_machine(tuple(np.flatnonzero(rng.integers(0, 2, size=4)).tolist()), seed)
    right = random_machine(tuple(np.flatnonzero(rng.integers(0, 2, size=4)).tolist()), seed + 100)
    both, lefts, rights = product(left, right, SIZES, Effort())
    for row in all_rows(SIZES):
        end = run(both, row)
        assert (lefts[end], rights[end]) == (run(left, row), run(right, row))


def test_a_budget_stops_a_diagram_before_it_is_built() -> None:
    left = as_diagram((0, 1), {(0, 0), (1, 1)})
    right = as_diagram((1, 2), {(0, 0), (2, 1)})
    with pytest.raises(NodeBudgetExceeded) as caught:
        conjunction(left, right, Effort(max_edges=3))
    assert isinstance(caught.value, EffortExceeded)


def test_work_is_taken_off_the_allowance_until_it_is_spent() -> None:
    left = as_diagram((0, 1), {(0, 0), (1, 1)})
    effort = Effort(work_left=6000)
    before = effort.work_left
    conjunction(left, left, effort)
    assert effort.work_left < before
    with pytest.raises(NodeBudgetExceeded):
        for _ in range(10):
            conjunction(left, left, effort)


@pytest.mark.parametrize("n_nodes", [1, 5, 50, 10**6])
def test_a_node_budget_is_a_number_of_edges(n_nodes: int) -> None:
    effort = Effort.for_nodes(n_nodes, SIZES)
    assert effort.max_edges == max(1, round(n_nodes * sum(SIZES) / len(SIZES)))
    assert effort.max_layer <= effort.max_edges
    assert math.isfinite(effort.work_left)

"""Diagrams that are made directly: everything, boxes, and the extension to layers that are not read."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.diagram.count import count_completions
from hedgerow.diagram.machine import Machine, box, constant_machine, everything, extend, single_layer
from hedgerow.diagram.walk import accepts
from tests.diagram.diagrams import CodeRows, all_rows, code_rows, diagram_of
from tests.strategies import examples


def test_everything_accepts_all() -> None:
    diagram = everything((0, 1), (3, 4))
    assert accepts(diagram, np.array(all_rows((3, 4)))).all()
    assert count_completions(diagram).total == 12
    assert not diagram.is_empty


def test_free_layers_take_no_memory() -> None:
    diagram = everything(range(10), [100_000] * 10)
    assert diagram.n_bytes < 1000
    assert count_completions(diagram).total == 100_000**10


@examples(50)
@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=4), min_size=1, max_size=4))
def test_a_box_accepts_what_every_layer_allows(allowed: list[list[bool]]) -> None:
    diagram = box(range(len(allowed)), [np.array(mask) for mask in allowed])
    rows = all_rows([len(mask) for mask in allowed])
    expected = [all(mask[code] for mask, code in zip(allowed, row, strict=True)) for row in rows]
    assert accepts(diagram, np.array(rows)).tolist() == expected
    assert diagram.is_empty is not any(expected)


@examples(50)
@given(code_rows(max_layers=3, max_size=3), st.randoms(use_true_random=False))
def test_extension_leaves_other_layers_free(content: CodeRows, source: st.DataObject) -> None:
    n_layers = len(content.sizes) + 2
    layers = sorted(np.random.default_rng(len(content.rows)).permutation(n_layers)[: len(content.sizes)].tolist())
    sizes = [2] * n_layers
    for layer, size in zip(layers, content.sizes, strict=True):
        sizes[layer] = size
    extended = extend(diagram_of(content.rows, content.sizes, layers), sizes)
    rows = all_rows(sizes)
    expected = [tuple(row[layer] for layer in layers) in set(content.rows) for row in rows]
    assert accepts(extended, np.array(rows)).tolist() == expected
    assert extended.sizes == tuple(sizes)


def test_sizes_and_edges_add_up() -> None:
    machine = single_layer(3, [0, 1, 1, 2])
    assert (machine.layers, machine.n_outputs, machine.n_edges) == ((3,), 3, 4)
    assert constant_machine() == Machine((), (), 1)
    diagram = diagram_of([(0, 1), (1, 0)], (2, 2))
    assert diagram.n_edges == math.prod((2, 2)) + 3 * 2
    assert diagram.n_nodes == 3

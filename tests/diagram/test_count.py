"""Counts are exact at any size: limbs against Python's integers."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.diagram.count import LIMB_BITS, carried, count_codes, count_completions, to_int, to_limbs
from hedgerow.diagram.machine import everything
from tests.diagram.diagrams import CodeRows, code_rows, large_diagram, plain_counts
from tests.strategies import examples


@examples(100)
@given(code_rows())
def test_count_matches_the_rows(content: CodeRows) -> None:
    assert count_completions(content.diagram).total == len(content.rows)
    n_all = math.prod(content.sizes)
    assert count_completions(content.diagram, to_false=True).total == n_all - len(content.rows)


@examples(100)
@given(code_rows())
def test_codes_are_counted_per_layer(content: CodeRows) -> None:
    expected = [
        [sum(row[layer] == code for row in content.rows) for code in range(size)]
        for layer, size in enumerate(content.sizes)
    ]
    assert count_codes(content.diagram, count_completions(content.diagram)) == expected


@pytest.mark.parametrize("exponent", [1, 43, 44, 45, 61, 62, 63, 64, 87, 88, 89, 100, 132, 1000])
def test_powers_of_two_are_exact_around_every_limb(exponent: int) -> None:
    assert count_completions(everything(range(exponent), [2] * exponent)).total == 2**exponent


@pytest.mark.parametrize("sizes", [[99_991] * 3, [100_000] * 6 + [7], [3] * 63, [1] * 5, [99_999, 2] * 10])
def test_wide_free_layers_are_exact(sizes: list[int]) -> None:
    assert count_completions(everything(range(len(sizes)), sizes)).total == math.prod(sizes)


LARGE = [
    pytest.param([7] * 17, 5, id="beyond 2**44"),
    pytest.param([13] * 18, 9, id="beyond 2**62"),
    pytest.param([1000] * 12, 20, id="beyond 2**100"),
    pytest.param([2, 2000, 3] * 8, 40, id="uneven"),
    pytest.param([2] * 300, 3, id="300 layers"),
]


@pytest.mark.parametrize(("sizes", "width"), LARGE)
@pytest.mark.parametrize("to_false", [False, True])
def test_long_counts_match_python_integers_at_every_node(sizes: Sequence[int], width: int, to_false: bool) -> None:
    diagram = large_diagram(1, sizes, width)
    expected = plain_counts(diagram, to_false)
    counts = count_completions(diagram, to_false)
    assert [[to_int(limbs) for limbs in layer] for layer in counts.layers] == expected
    assert counts.total == expected[0][diagram.root]
    assert all(int(layer.max()) < 2**LIMB_BITS and int(layer.min()) >= 0 for layer in counts.layers)


@pytest.mark.parametrize(("sizes", "width"), LARGE)
def test_long_counts_per_code_match_python_integers(sizes: Sequence[int], width: int) -> None:
    diagram = large_diagram(2, sizes, width)
    below = plain_counts(diagram)
    ways = [0] * diagram.tables[0].shape[0]
    ways[diagram.root] = 1
    expected: list[list[int]] = []
    for k, table in enumerate(diagram.tables):
        rows = table.tolist()
        used = [sum(w * below[k + 1][row[code]] for w, row in zip(ways, rows, strict=True)) for code in range(sizes[k])]
        expected.append(used)
        following = [0] * len(below[k + 1])
        for w, row in zip(ways, rows, strict=True):
            for child in row:
                following[child] += w
        ways = following
    assert count_codes(diagram, count_completions(diagram)) == expected


@examples(100)
@given(st.lists(st.integers(0, 2**200), min_size=1, max_size=5))
def test_limbs_give_back_the_numbers(numbers: list[int]) -> None:
    assert [to_int(row) for row in to_limbs(numbers, 5)] == numbers


@examples(100)
@given(st.lists(st.lists(st.integers(0, 2**62), min_size=3, max_size=3), min_size=1, max_size=4))
def test_carrying_keeps_the_number(rows: list[list[int]]) -> None:
    limbs = np.array(rows, dtype=np.int64)
    settled = carried(limbs)
    assert [to_int(row) for row in settled] == [to_int(row) for row in limbs]
    assert int(settled.max()) < 2**LIMB_BITS

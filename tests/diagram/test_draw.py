"""Ranks and draws: unrank of rank is the identity, and every sequence is drawn equally often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from scipy.stats import chisquare  # type: ignore[import-untyped]

from hedgerow.diagram.count import Counts, count_codes, count_completions
from hedgerow.diagram.draw import draw, rank, unrank
from hedgerow.diagram.machine import Diagram, everything
from hedgerow.diagram.walk import accepts
from tests.diagram.diagrams import (
    CodeRows,
    all_rows,
    code_rows,
    diagram_of,
    large_diagram,
    plain_counts,
    plain_unrank,
)
from tests.strategies import examples


@examples(100)
@given(code_rows())
def test_ranks_follow_lexicographic_order(content: CodeRows) -> None:
    diagram = content.diagram
    counts = count_completions(diagram)
    ranks = list(range(len(content.rows)))
    assert unrank(diagram, counts, ranks).tolist() == [list(row) for row in content.rows]
    if content.rows:
        assert rank(diagram, counts, np.array(content.rows)) == ranks


@examples(60)
@given(code_rows())
def test_rejected_sequences_have_ranks_too(content: CodeRows) -> None:
    diagram = content.diagram
    counts = count_completions(diagram, to_false=True)
    rejected = [list(row) for row in all_rows(content.sizes) if row not in set(content.rows)]
    assert unrank(diagram, counts, range(len(rejected))).tolist() == rejected


@pytest.mark.parametrize(
    ("sizes", "width"), [([7] * 17, 5), ([13] * 18, 9), ([50, 2] * 12, 30), ([2] * 200, 3), ([3000] * 9, 5)]
)
def test_long_ranks_match_python_integers(sizes: Sequence[int], width: int) -> None:
    diagram = large_diagram(4, sizes, width)
    counts = count_completions(diagram)
    plain = plain_counts(diagram)
    edges = [0, 1, counts.total // 2, counts.total - 2, counts.total - 1]
    limbs = [2**44 - 1, 2**44, 2**44 + 1, 2**62, 2**63, 2**88 - 1, 2**88]
    ranks = [*edges, *(limb for limb in limbs if limb < counts.total)]
    rows = unrank(diagram, counts, ranks)
    assert [tuple(row) for row in rows.tolist()] == [plain_unrank(diagram, plain, place) for place in ranks]
    assert rank(diagram, counts, rows) == ranks


def frequencies(diagram: Diagram, counts: Counts, n: int, seed: int) -> Counter[tuple[int, ...]]:
    rows = draw(diagram, counts, n, np.random.default_rng(seed))
    return Counter(tuple(row) for row in rows.tolist())


SETS = [
    pytest.param([(0, 0), (0, 1), (0, 2), (1, 0), (2, 2)], (3, 3), id="five"),
    pytest.param([row for row in all_rows((4, 4, 4)) if sum(row) == 5], (4, 4, 4), id="a sum"),
    pytest.param([row for row in all_rows((2,) * 8) if sum(row) != 4], (2,) * 8, id="most"),
    pytest.param([(0,), (99,)], (100,), id="two of a hundred"),
]


@pytest.mark.parametrize(("rows", "sizes"), SETS)
@pytest.mark.parametrize("to_false", [False, True])
def test_draws_are_uniform(rows: list[tuple[int, ...]], sizes: tuple[int, ...], to_false: bool) -> None:
    diagram = diagram_of(rows, sizes)
    counts = count_completions(diagram, to_false)
    wanted = [row for row in all_rows(sizes) if (row in rows) is not to_false]
    n = 100 * len(wanted)
    seen = frequencies(diagram, counts, n, seed=5)
    assert set(seen) <= set(wanted)
    assert chisquare([seen[row] for row in wanted], [100.0] * len(wanted)).pvalue > 1e-3


@pytest.mark.parametrize("exponent", [43, 44, 45, 62, 63, 64, 88, 132, 1100])
def test_draws_of_powers_of_two_end_and_are_fair(exponent: int) -> None:
    diagram = everything(range(exponent), [2] * exponent)
    rows = draw(diagram, count_completions(diagram), 400, np.random.default_rng(0))
    ones = rows.sum(axis=0)
    assert chisquare([*ones, *(400 - ones)], [200.0] * (2 * exponent)).pvalue > 1e-3


@pytest.mark.parametrize("to_false", [False, True])
@pytest.mark.parametrize(("sizes", "width"), [([13] * 20, 9), ([5, 2] * 40, 4), ([3] * 1200, 3)])
def test_draws_beyond_machine_numbers_have_the_right_marginals(
    sizes: Sequence[int], width: int, to_false: bool
) -> None:
    diagram = large_diagram(6, sizes, width)
    counts = count_completions(diagram)
    assert counts.total > 2**62
    usage = count_codes(diagram, counts)
    total = counts.total
    n_all = 1
    for size in sizes:
        n_all *= size
    if to_false:
        usage = [[n_all // size - used for used in layer] for size, layer in zip(sizes, usage, strict=True)]
        counts, total = count_completions(diagram, to_false=True), n_all - total
    n = 3000
    rows = draw(diagram, counts, n, np.random.default_rng(7))
    assert accepts(diagram, rows).any() != to_false
    for layer in (0, 1, len(sizes) // 2, len(sizes) - 1):
        shares = [used / total for used in usage[layer]]
        observed = np.bincount(rows[:, layer], minlength=sizes[layer]).tolist()
        assert all(seen == 0 for seen, share in zip(observed, shares, strict=True) if share == 0)
        kept = [(seen, n * share) for seen, share in zip(observed, shares, strict=True) if n * share >= 5]
        if len(kept) > 1:
            assert chisquare([seen for seen, _ in kept], [share for _, share in kept]).pvalue > 1e-4


def test_a_rare_branch_beside_a_huge_one_is_never_favored() -> None:
    # One sequence starts with 0, 2**70 start with 1.
    tables = [np.array([[0, 0], [1, 2]], dtype=np.int32)]
    tables += [np.array([[0, 0], [1, 0], [2, 2]], dtype=np.int32)] * 69
    tables += [np.array([[0, 0], [1, 0], [1, 1]], dtype=np.int32)]
    diagram = Diagram(tuple(range(71)), tuple(tables), 1)
    counts = count_completions(diagram)
    assert counts.total == 2**70 + 1
    rows = draw(diagram, counts, 2000, np.random.default_rng(0))
    assert rows[:, 0].all()


def test_the_same_seed_draws_the_same() -> None:
    diagram = large_diagram(8, [7] * 30, 6)
    counts = count_completions(diagram)
    first, second = (draw(diagram, counts, 50, np.random.default_rng(3)) for _ in range(2))
    assert first.tolist() == second.tolist()


def test_no_draws_are_no_rows() -> None:
    diagram = everything((0, 1), (2, 3))
    assert draw(diagram, count_completions(diagram), 0, np.random.default_rng(0)).shape == (0, 2)

"""The best sequences under a sum of scores, in order, with ties in lexicographic order."""

from __future__ import annotations

import math
from itertools import islice, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.diagram.best import best_first, whole_scores
from hedgerow.diagram.machine import everything
from tests.diagram.diagrams import CodeRows, Row, code_rows, large_diagram, plain_counts
from tests.strategies import examples


def scored(content: CodeRows, scores: list[list[float]]) -> list[Row]:
    """The rows from the best down, ties in order; forbidden ones left out."""
    total = {row: sum(scores[layer][code] for layer, code in enumerate(row)) for row in content.rows}
    return sorted((row for row in content.rows if total[row] > -math.inf), key=lambda row: (-total[row], row))


def best_rows(content: CodeRows, scores: list[list[float]], most: int | None = None) -> list[Row]:
    arrays = [np.array(score, dtype=np.float64) for score in scores]
    return [tuple(row.tolist()) for row in best_first(content.diagram, arrays, most)]


def scores_for(content: CodeRows, values: st.SearchStrategy[float], data: st.DataObject) -> list[list[float]]:
    return [data.draw(st.lists(values, min_size=size, max_size=size)) for size in content.sizes]


@examples(150)
@given(code_rows(), st.data())
def test_whole_scores_come_in_exact_order_with_ties_lexicographic(content: CodeRows, data: st.DataObject) -> None:
    scores = scores_for(content, st.sampled_from([-2.0, -1.0, 0.0, 1.0, 3.0]), data)
    assert best_rows(content, scores) == scored(content, scores)


@examples(150)
@given(code_rows(), st.data(), st.integers(0, 6))
def test_the_first_few_are_those_of_all(content: CodeRows, data: st.DataObject, most: int) -> None:
    scores = scores_for(content, st.sampled_from([-2.0, -1.0, 0.0, 1.0, 3.0]), data)
    assert best_rows(content, scores, most) == scored(content, scores)[:most]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@examples(150)
@given(code_rows(), st.data())
def test_minus_infinity_forbids_a_code(content: CodeRows, data: st.DataObject) -> None:
    scores = scores_for(content, st.sampled_from([-math.inf, -1.0, 0.0, 2.0]), data)
    assert best_rows(content, scores) == scored(content, scores)


@examples(80)
@given(code_rows(), st.data())
def test_real_scores_come_in_order_up_to_forty_bits(content: CodeRows, data: st.DataObject) -> None:
    scores = scores_for(content, st.floats(-10, 10), data)
    found = best_rows(content, scores)
    totals = [sum(scores[layer][code] for layer, code in enumerate(row)) for row in found]
    assert sorted(found) == sorted(content.rows)
    assert all(a >= b - 20 * 2.0**-36 for a, b in pairwise(totals))


def test_ties_between_eighths_are_ties() -> None:
    content = CodeRows((2, 2, 2, 2), ((0, 0, 1, 0), (1, 1, 0, 0)))
    scores = [[0.0, 0.125], [0.0, 0.125], [0.0, 0.25], [0.0, 0.75]]
    assert best_rows(content, scores) == [(0, 0, 1, 0), (1, 1, 0, 0)]


def test_equal_scores_list_the_set_in_order() -> None:
    content = CodeRows((3, 3), ((2, 1), (0, 2), (1, 0), (0, 0)))
    assert best_rows(content, [[7.5] * 3, [-2.0] * 3]) == [(0, 0), (0, 2), (1, 0), (2, 1)]


def test_nothing_is_best_in_the_empty_set() -> None:
    assert best_rows(CodeRows((2, 2), ()), [[0.0, 1.0], [0.0, 1.0]]) == []


@pytest.mark.filterwarnings("error")
def test_nothing_is_left_when_a_layer_is_forbidden() -> None:
    assert best_rows(CodeRows((2, 2), ((0, 0), (1, 1))), [[0.0, 1.0], [-math.inf, -math.inf]]) == []


def test_the_first_of_many_sequences_comes_at_once() -> None:
    diagram = everything(range(3000), [3] * 3000)
    scores = [np.array([0.0, 1.0, -1.0])] * 3000
    first, second = islice(best_first(diagram, scores), 2)
    assert first.tolist() == [1] * 3000
    assert sum(second.tolist()) == 2999


def test_the_best_sum_of_a_large_diagram_matches_dynamic_programming() -> None:
    diagram = large_diagram(3, [4] * 40, 30)
    rng = np.random.default_rng(0)
    scores = [rng.integers(-9, 9, size=4).astype(np.float64) for _ in range(40)]
    best: list[float] = [-math.inf, 0.0]
    for table, score in zip(reversed(diagram.tables), reversed(scores), strict=True):
        best = [max(best[child] + value for child, value in zip(row, score, strict=True)) for row in table.tolist()]
    found = [
        sum(float(scores[layer][code]) for layer, code in enumerate(row.tolist()))
        for row in islice(best_first(diagram, scores), 200)
    ]
    assert found[0] == best[diagram.root]
    assert found == sorted(found, reverse=True)
    assert plain_counts(diagram)[0][diagram.root] > 200


def test_whole_scores_are_kept_as_they_are() -> None:
    arrays = whole_scores([np.array([3.0, 1.0]), np.array([0.0, -5.0])])
    assert [array.tolist() for array in arrays] == [[0, -2], [0, -5]]


def test_a_small_score_beside_a_large_one_still_counts() -> None:
    assert best_rows(CodeRows((2, 2), ((0, 1), (1, 1))), [[0.0, 1e-13], [0.0, 1.0]]) == [(1, 1), (0, 1)]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_scores_of_any_finite_size_forbid_nothing() -> None:
    assert best_rows(CodeRows((2,), ((0,), (1,))), [[1e308, -1e308]]) == [(0,), (1,)]

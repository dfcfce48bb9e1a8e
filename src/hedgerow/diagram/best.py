"""The best accepted sequences under a sum of one score per level: exact, in order, one at a time.

One sweep from the end gives the best completion of every node; a best-first search then expands prefixes in the
order of what they can still reach, so the k-th sequence costs only the prefixes that could compete with it. Scores
are compared as 40-bit integers: sums are then exact, ties are real ties, and equal prefixes are not searched twice
over rounding noise.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from hedgerow.diagram.machine import Diagram

Scores = Sequence[NDArray[np.float64]]  # one array (n_codes,) per level; larger is better, -inf forbids

_SCORE_BITS = 40
_FORBIDDEN = -(2**62)


def best_first(diagram: Diagram, scores: Scores) -> Iterator[tuple[int, ...]]:
    """Yield codes from the best down; ties come in lexicographic order of codes."""
    if diagram.is_empty:
        return
    whole = whole_scores(scores)
    reachable = _best_completions(diagram, whole)
    heap: list[tuple[int, tuple[int, ...], int, int]] = [(-int(reachable[0][diagram.root]), (), diagram.root, 0)]
    n_levels = len(diagram.tables)
    while heap:
        _, prefix, node, gained = heapq.heappop(heap)
        k = len(prefix)
        if k == n_levels:
            yield prefix
            continue
        children = diagram.tables[k][node]
        promises = reachable[k + 1][children] + whole[k] + gained
        for code in np.flatnonzero(promises > _FORBIDDEN // 2).tolist():
            step = gained + int(whole[k][code])
            heapq.heappush(heap, (-int(promises[code]), (*prefix, code), int(children[code]), step))


def whole_scores(scores: Scores) -> list[NDArray[np.int64]]:
    """Return the scores as integers on one scale, the best code of each level at zero."""
    shifted = [score - score[np.isfinite(score)].max(initial=-np.inf) for score in scores]
    finite = [level[np.isfinite(level)] for level in shifted]
    spread = max((float(-level.min()) for level in finite if level.size), default=0.0)
    is_whole = all(bool((level == np.round(level)).all()) for level in finite) and spread < 2**_SCORE_BITS
    scale = 1.0 if is_whole else 2.0**_SCORE_BITS / spread
    whole: list[NDArray[np.int64]] = []
    for level in shifted:
        forbidden = ~np.isfinite(level)
        whole.append(
            np.where(forbidden, _FORBIDDEN, np.round(np.where(forbidden, 0.0, level) * scale)).astype(np.int64)
        )
    return whole


def _best_completions(diagram: Diagram, scores: Sequence[NDArray[np.int64]]) -> list[NDArray[np.int64]]:
    layers = [np.array([_FORBIDDEN, 0])]
    for table, score in zip(reversed(diagram.tables), reversed(scores), strict=True):
        best = np.full(table.shape[0], _FORBIDDEN)
        # One column at a time, so that nothing larger than a layer is allocated.
        for code in range(table.shape[1]):
            np.maximum(best, layers[-1][table[:, code]] + score[code], out=best)
        # Far below every real sum, yet far from overflow however many levels follow.
        best[best < _FORBIDDEN // 2] = _FORBIDDEN
        layers.append(best)
    layers.reverse()
    return layers

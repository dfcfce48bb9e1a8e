"""The best accepted sequences under a sum of one score per layer: exact, in order, one at a time.

One sweep from the end gives the best completion of every node. The best sequence follows it greedily; every other
one leaves an earlier sequence at some layer, and a heap holds these branches by what they can reach (Lawler, 1972).
Scores are compared as integers: sums are then exact, ties are real ties, and rounding noise opens no
branches.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hedgerow.arrays import Codes, CodeScores, Column, Transitions, Whole
from hedgerow.diagram.machine import Diagram

_SUM_BITS = 60
_SMALL_BITS = 40
FORBIDDEN = -(2**62)
# Edges of a layer from which on compiled loops pay.
_LARGE = 20_000


def best_first(diagram: Diagram, scores: CodeScores, most: int | None = None) -> Iterator[Codes]:
    """Yield codes (n_layers,) from the best down; ties come in lexicographic order of codes.

    Whoever wants only the first few says so in `most`: then branches that cannot be among them are never opened.
    """
    whole = whole_scores(scores)
    reachable = best_completions(diagram, whole)
    if diagram.is_empty or reachable[0][diagram.root] == FORBIDDEN:
        return
    heap = [_Branch(int(reachable[0][diagram.root]), np.zeros(0, dtype=np.int64), 0, -1, diagram.root, 0)]
    n_left = most
    while heap and n_left != 0:
        branch = heapq.heappop(heap)
        codes = _completed(diagram, whole, reachable, branch)
        yield codes
        n_left = None if n_left is None else n_left - 1
        for other in _left_open(diagram, whole, reachable, branch, codes, n_left):
            heapq.heappush(heap, other)


def _completed(diagram: Diagram, whole: Sequence[Whole], reachable: Sequence[Whole], branch: _Branch) -> Codes:
    """Follow the best completion of a branch; of equals the lowest code."""
    codes = branch.prefix().tolist()
    node = branch.node
    for layer in range(len(codes), len(diagram.tables)):
        children = diagram.tables[layer][node]
        codes.append(int((reachable[layer + 1][children] + whole[layer]).argmax()))
        node = int(children[codes[-1]])
    return np.array(codes, dtype=np.int64)


@dataclass(frozen=True, eq=False, slots=True)
class _Branch:
    """All sequences that follow `path` up to `layer`, take `code` there, and go on from `node`."""

    promise: int
    path: Codes
    layer: int
    code: int
    node: int
    gained: int

    def prefix(self) -> Codes:
        """Return the codes that are fixed."""
        return np.append(self.path[: self.layer], self.code) if self.code >= 0 else self.path[:0]

    def __lt__(self, other: _Branch) -> bool:
        if self.promise != other.promise:
            return self.promise > other.promise
        # Two branches differ somewhere within the shorter prefix.
        return bool(self.prefix().tolist() < other.prefix().tolist())


def _left_open(
    diagram: Diagram,
    whole: Sequence[Whole],
    reachable: Sequence[Whole],
    branch: _Branch,
    codes: Codes,
    most: int | None,
) -> Iterator[_Branch]:
    """Yield the branches that leave a finished sequence after the branch it came from, of each layer the best."""
    node, gained = branch.node, branch.gained
    for layer in range(branch.prefix().size, len(diagram.tables)):
        children = diagram.tables[layer][node]
        promises = reachable[layer + 1][children] + whole[layer]
        promises[codes[layer]] = FORBIDDEN
        others = np.flatnonzero(promises > FORBIDDEN // 2)
        if most is not None and others.size > most:
            others = others[np.argsort(-promises[others], kind="stable")[:most]]
        for code in others.tolist():
            step = gained + int(whole[layer][code])
            yield _Branch(gained + int(promises[code]), codes, layer, code, int(children[code]), step)
        node, gained = int(children[codes[layer]]), gained + int(whole[layer][codes[layer]])


def whole_scores(scores: CodeScores, n_terms: int | None = None) -> list[Whole]:
    """Return the scores as integers on one scale, the best code of each layer at zero.

    The scale is a power of two, as large as sums of so many of them allow, one for each layer by default, so that
    ordinary scores are kept exactly.
    """
    if all(_is_small_whole(score) for score in map(_finite, scores)):
        tops = [_finite(score).max() if _finite(score).size else 0.0 for score in scores]
        return [_as_integers(score - top) for score, top in zip(scores, tops, strict=True)]
    sizes = [float(np.abs(score).max()) for score in map(_finite, scores) if score.size]
    _, exponent = math.frexp(max(sizes, default=1.0))
    # Half of that: the difference of two scores may be twice as large as either.
    halves = [np.ldexp(score, -exponent - 1) for score in scores]
    shifted = [
        half - top.max(initial=-np.inf) if top.size else half
        for half, top in zip(halves, map(_finite, halves), strict=True)
    ]
    spread = max((float(-_finite(score).min()) for score in shifted if _finite(score).size), default=0.0)
    _, spread_exponent = math.frexp(spread)
    bits = _SUM_BITS - math.ceil(math.log2((n_terms or len(scores)) + 1)) - spread_exponent
    return [_as_integers(np.ldexp(score, bits)) for score in shifted]


def _as_integers(score: Column) -> Whole:
    forbidden = ~np.isfinite(score)
    return np.where(forbidden, FORBIDDEN, np.round(np.where(forbidden, 0.0, score)).astype(np.int64))


def _is_small_whole(score: Column) -> bool:
    return bool((score == np.round(score)).all()) and bool((np.abs(score) < 2**_SMALL_BITS).all())


def _finite(score: Column) -> Column:
    return np.asarray(score[np.isfinite(score)])


def best_completions(diagram: Diagram, scores: Sequence[Whole]) -> list[Whole]:
    """Return for each layer the best sum that every node can still reach."""
    layers = [np.array([FORBIDDEN, 0])]
    for table, score in zip(reversed(diagram.tables), reversed(scores), strict=True):
        best = _best_of_layer(table, score, layers[-1])
        # Far below every real sum, yet far from overflow however many layers follow.
        best[best < FORBIDDEN // 2] = FORBIDDEN
        layers.append(best)
    layers.reverse()
    return layers


def _best_of_layer(table: Transitions, score: Whole, after: Whole) -> Whole:
    if table.strides[1] == 0:
        # All codes lead to the same node.
        return np.asarray(np.maximum(after[table[:, 0]] + score.max(), FORBIDDEN))
    if table.size > _LARGE and table.flags.c_contiguous:
        # Compiled loops are loaded only where they pay.
        from hedgerow.diagram.best_loops import best_of_layer  # noqa: PLC0415

        return best_of_layer(table, score, after, FORBIDDEN)
    best = np.full(table.shape[0], FORBIDDEN)
    # One column at a time, so that nothing larger than a layer is allocated.
    for code in range(table.shape[1]):
        np.maximum(best, after[table[:, code]] + score[code], out=best)
    return best

"""Rules as lists of forbidden boxes: choices of codes for some slots that no point may take together.

This is what ConfigSpace can be told. The boxes of a conjunct are the ways through its diagram that end in false, with
codes that lead to the same node taken together, so the list is exact; it is short for rules that need not count far.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from hedgerow.diagram.machine import Diagram
from hedgerow.errors import EffortExceeded
from hedgerow.feasible.compile import Compiled, compile_rules
from hedgerow.rules import BoundRule
from hedgerow.rules.simplify import conjuncts
from hedgerow.space import Space

# From slots to the codes that, all together, are forbidden.
Box = Mapping[int, tuple[int, ...]]


def forbidden_boxes(space: Space, rules: tuple[BoundRule, ...], max_boxes: int) -> list[Box]:
    """Return boxes that hold exactly the points which break a rule."""
    boxes: list[Box] = []
    for rule in rules:
        for piece in conjuncts(rule.expression):
            compiled = compile_rules(space, [BoundRule(rule.name, rule.text, piece, piece)])
            n_boxes = _n_boxes(compiled.diagram) if compiled.is_exact else math.inf
            if len(boxes) + n_boxes > max_boxes:
                listed = f"{int(n_boxes):,}" if n_boxes < 10**15 else "countless"
                raise EffortExceeded(
                    f"Rule '{rule.name}' forbids {listed} combinations of values; with those of the rules before it "
                    f"they are above max_clauses={max_boxes:,}. Use a method that knows rules, or ignore the rules."
                )
            boxes += _boxes(compiled)
    return boxes


def _groups(table: NDArray[np.int32], node: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield each next node with the codes that lead to it."""
    following = table[node]
    for child in np.unique(following):
        yield int(child), tuple(np.flatnonzero(following == child).tolist())


def _n_boxes(diagram: Diagram) -> int:
    """Return the number of ways to false, without walking them."""
    below: list[int] = [1, 0]
    for table in reversed(diagram.tables):
        here = [1]
        here += [sum(below[child] for child, _ in _groups(table, node)) for node in range(1, table.shape[0])]
        below = here
    return below[diagram.root]


def _boxes(compiled: Compiled) -> Iterator[Box]:
    """Yield one box per way to false; a level where all codes go the same way is left out."""
    tables = compiled.diagram.tables
    waiting: list[tuple[int, int, dict[int, tuple[int, ...]]]] = [(0, compiled.diagram.root, {})]
    while waiting:
        level, node, box = waiting.pop()
        if node == 0:
            yield box
        elif level < len(tables):
            for child, codes in _groups(tables[level], node):
                is_choice = len(codes) < tables[level].shape[1]
                chosen = {**box, compiled.order[level]: codes} if is_choice else box
                waiting.append((level + 1, child, chosen))

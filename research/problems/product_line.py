"""Two hundred options of a product line under a random feature model, with a sparse response.

The model is a tree, as feature models are: below a feature stand single children, mandatory or optional, and groups of
which a chosen parent needs exactly one (alternative) or at least one (or). Cross-tree rules say that one feature
requires or excludes another nearby. A quarter of the options matter on their own and some pairs together. The optimum
is proven by CP-SAT, with terms rounded to six decimals.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from hedgerow.rules import Rule
from hedgerow.space import Point, Space, Vector
from research.problems.problem import BenchmarkProblem

N_OPTIONS = 200
N_ALONE = 50
N_PAIRS = 60
_N_CROSS_RULES = 30
# Cross-tree rules join options at most this far apart.
_REACH = 12
_SEED = 0


@dataclass(frozen=True)
class Response:
    """What options add to the response, alone and in pairs."""

    alone: NDArray[np.float64]  # (N_OPTIONS,), mostly zero
    pairs: NDArray[np.int64]  # (N_PAIRS, 2)
    together: NDArray[np.float64]  # (N_PAIRS,)


def product_line_200() -> BenchmarkProblem:
    """Return the product line."""
    stream = RandomState(_SEED)
    tree, cross = _tree_rules(stream), _cross_rules(stream)
    return BenchmarkProblem(
        name="product-line-200",
        description="200 options under a feature model with groups and cross-tree rules; a sparse response with pairs",
        space=Space({"option": Vector(bool, N_OPTIONS)}),
        rules=(*tree, *cross),
        objective=partial(response_value, response_terms()),
        optimum=-21.879403940302893,
        n_feasible=381_393_927_700_708_589_568_000,
    )


def response_terms() -> Response:
    """Return the terms of the response."""
    stream = RandomState(_SEED + 1)
    alone = np.zeros(N_OPTIONS)
    alone[stream.choice(N_OPTIONS, N_ALONE, replace=False)] = stream.randn(N_ALONE)
    pairs = np.array([stream.choice(N_OPTIONS, 2, replace=False) for _ in range(N_PAIRS)])
    return Response(alone, pairs, stream.randn(N_PAIRS))


def response_value(response: Response, point: Point) -> float:
    """Return the response of a configuration, lower is better."""
    return float(response_values(response, np.array(point["option"], dtype=np.float64)[None, :])[0])


def response_values(response: Response, chosen: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the responses of configurations given as rows of zeros and ones."""
    both = chosen[:, response.pairs[:, 0]] * chosen[:, response.pairs[:, 1]]
    return np.asarray(chosen @ response.alone + both @ response.together)


def _tree_rules(stream: RandomState) -> list[Rule]:
    """Number the options depth first, so that a subtree is a range of numbers, and return the rules of the tree."""
    rules = [Rule("option[0]", name="root")]
    _add_children(0, 1, N_OPTIONS, stream, rules)
    return rules


def _add_children(parent: int, start: int, stop: int, stream: RandomState, rules: list[Rule]) -> None:
    """Hang the options from `start` up to `stop` below a parent."""
    while start < stop:
        kind = stream.choice(["optional", "mandatory", "alternative", "or"], p=[0.45, 0.1, 0.25, 0.2])
        n_heads = 1 if kind in ("optional", "mandatory") else int(stream.randint(2, 5))
        n_below = int(stream.randint(n_heads, 6 * n_heads + 1))
        end = min(stop, start + n_below)
        ends = np.linspace(start, end, min(n_heads, end - start) + 1).astype(int)
        heads = [int(head) for head in ends[:-1]]
        rules += _group_rules(kind, parent, heads)
        for head, last in zip(heads, ends[1:], strict=True):
            _add_children(head, head + 1, int(last), stream, rules)
        start = end


def _group_rules(kind: str, parent: int, heads: list[int]) -> list[Rule]:
    names = ", ".join(f"option[{head}]" for head in heads)
    if kind == "mandatory":
        return [Rule(f"iff(option[{parent}], {names})", name=f"mandatory {heads[0]}")]
    if kind == "optional":
        return [Rule(f"implies({names}, option[{parent}])", name=f"optional {heads[0]}")]
    if kind == "alternative":
        return [Rule(f"count({names}) == (1 if option[{parent}] else 0)", name=f"alternative {heads[0]}")]
    return [Rule(f"iff(option[{parent}], any({names}))", name=f"or {heads[0]}")]


def _cross_rules(stream: RandomState) -> list[Rule]:
    rules = []
    for _ in range(_N_CROSS_RULES):
        first = int(stream.randint(1, N_OPTIONS - _REACH))
        second = first + int(stream.randint(2, _REACH + 1))
        word = str(stream.choice(["requires", "excludes"]))
        text = "implies(option[{}], option[{}])" if word == "requires" else "not (option[{}] and option[{}])"
        rules.append(Rule(text.format(first, second), name=f"{first} {word} {second}"))
    return rules

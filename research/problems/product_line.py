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
_CROSS_RULES_IN_20 = 3
# Cross-tree rules join options at most this far apart.
_REACH = 12
_SEED = 0


@dataclass(frozen=True)
class Response:
    """What options add to the response, alone and in pairs."""

    alone: NDArray[np.float64]  # (n_options,), mostly zero
    pairs: NDArray[np.int64]  # (n_pairs, 2)
    together: NDArray[np.float64]  # (n_pairs,)


def product_line_200() -> BenchmarkProblem:
    """Return the product line."""
    return BenchmarkProblem(
        name="product-line-200",
        description="200 options under a feature model with groups and cross-tree rules; a sparse response with pairs",
        space=Space({"option": Vector(bool, N_OPTIONS)}),
        rules=line_rules(N_OPTIONS, _SEED),
        objective=partial(response_value, response_terms()),
        optimum=-21.879403940302893,
        n_feasible=381_393_927_700_708_589_568_000,
    )


def line_rules(n_options: int, seed: int) -> tuple[Rule, ...]:
    """Return the rules of a product line of so many options."""
    stream = RandomState(seed)
    tree = _tree_rules(stream, n_options)
    return (*tree, *_cross_rules(stream, n_options))


def response_terms(n_options: int = N_OPTIONS, seed: int = _SEED + 1) -> Response:
    """Return the terms of the response: a quarter of the options, and three pairs for every ten of them."""
    stream = RandomState(seed)
    n_alone, n_pairs = n_options // 4, 3 * n_options // 10
    alone = np.zeros(n_options)
    alone[stream.choice(n_options, n_alone, replace=False)] = stream.randn(n_alone)
    pairs = np.array([stream.choice(n_options, 2, replace=False) for _ in range(n_pairs)])
    return Response(alone, pairs, stream.randn(n_pairs))


def response_value(response: Response, point: Point) -> float:
    """Return the response of a configuration, lower is better."""
    return float(response_values(response, np.array(point["option"], dtype=np.float64)[None, :])[0])


def response_values(response: Response, chosen: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the responses of configurations given as rows of zeros and ones."""
    both = chosen[:, response.pairs[:, 0]] * chosen[:, response.pairs[:, 1]]
    return np.asarray(chosen @ response.alone + both @ response.together)


def _tree_rules(stream: RandomState, n_options: int) -> list[Rule]:
    """Number the options depth first, so that a subtree is a range of numbers, and return the rules of the tree."""
    rules = [Rule("option[0]", name="root")]
    _add_children(0, 1, n_options, stream, rules)
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


def _cross_rules(stream: RandomState, n_options: int) -> list[Rule]:
    rules = []
    for _ in range(_CROSS_RULES_IN_20 * n_options // 20):
        first = int(stream.randint(1, n_options - _REACH))
        second = first + int(stream.randint(2, _REACH + 1))
        word = str(stream.choice(["requires", "excludes"]))
        text = "implies(option[{}], option[{}])" if word == "requires" else "not (option[{}] and option[{}])"
        rules.append(Rule(text.format(first, second), name=f"{first} {word} {second}"))
    return rules

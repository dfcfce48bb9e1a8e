"""Rules with a structure of their own (weighted sums, products, remainders, sequences) on thousands of points."""

from __future__ import annotations

import random

import numpy as np
import pytest

from hedgerow import Space, Vector
from tests.oracles import BruteForce, Phrase, quiet_set

DOMAINS: list[list[float]] = [[0, 1, 2], [0, 1], [1, 2, 3, 4], [-2, 0, 3], [0.1, 0.2, 0.3], [0.25, 0.5, 1.0], [3, 5, 7]]
COMPARISONS = ["<", "<=", ">", ">=", "==", "!="]
LIMITS = [0, 1, 2, 3, 5, 7, 10, -3, 0.6, 1.5]


class Author:
    """Writes one kind of rule at a time over a vector x of so many components and a number k."""

    def __init__(self, source: random.Random, domain: list[float], length: int) -> None:
        self.source, self.domain, self.length = source, domain, length

    def some(self) -> str:
        chosen = self.source.sample(range(self.length), self.source.randint(2, self.length))
        return ", ".join(f"x[{i}]" for i in chosen)

    def weighted(self) -> str:
        weights = [1, 1, 2, 3, 7, -5, 0.5, 10]
        chosen = self.source.sample(range(self.length), self.source.randint(2, self.length))
        return " + ".join(f"{self.source.choice(weights)} * x[{i}]" for i in chosen)

    def rule(self) -> Phrase:
        pick = self.source.choice
        compared = f"{pick(COMPARISONS)} {pick([*LIMITS, 'k'])}"
        kind = self.source.randrange(11)
        same = {
            0: f"{self.weighted()} {compared}",
            1: f"({self.weighted()}) % {pick([2, 3, 5, 0.5])} {compared}",
            2: f"{self.some().replace(', ', ' * ')} {compared}",
            3: f"{self.weighted()} {pick(COMPARISONS)} {self.weighted()}",
            4: f"max({self.some()}) - min({self.some()}) {compared}",
            5: f"({self.weighted()}) // (x[0] + {pick([0, 1, 3])}) {compared}",
            6: f"abs(x[0] - x[1]) {compared}",
        }.get(kind)
        if same is not None:
            return Phrase(same, same)
        value, items = pick(self.domain), self.some()
        motif = [pick(self.domain) for _ in range(pick([1, 2, 3]))]
        return {
            7: Phrase(f"all_different({items}, ignore={value})", f"different([{items}], ignore={value})"),
            8: Phrase(f"not contains(x, {motif})", f"not has_motif(x, {motif})"),
            9: Phrase(f"longest_run(x, {value}) {compared}", f"run_length(x, {value}) {compared}"),
            10: Phrase(f"count(x == {value}) {compared}", f"x.count({value}) {compared}"),
        }[kind]


@pytest.mark.parametrize("seed", range(40))
def test_structured_rules_match_enumeration(seed: int) -> None:
    source = random.Random(seed)
    domain = source.choice(DOMAINS)
    length = {2: 8, 3: 6, 4: 5}[len(domain)]
    space = Space({"x": Vector(domain, length), "k": [0, 1, 2, 3]})
    author = Author(source, domain, length)
    brute = BruteForce(space, tuple(author.rule() for _ in range(source.choice([1, 2, 3]))))
    texts = [rule.text for rule in brute.rules]
    for budget in (None, 100):
        feasible = quiet_set(space, texts, node_budget=budget)
        assert feasible.codes.accepts(np.array(brute.rows)).tolist() == brute.is_feasible
    exact = quiet_set(space, texts)
    assert exact.count == len(brute.feasible_rows)
    assert exact.codes.usage() == brute.marginals()

"""The largest problems against counts and values made in other ways."""

from __future__ import annotations

import re
from collections import defaultdict

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.rules import Rule
from research.problems import get_problem
from research.problems.dna import LETTERS, sequence_scores, sequence_terms
from research.problems.product_line import N_OPTIONS, response_terms, response_values

BEST_OPTIONS = (
    "0-2 7-9 12-15 18-20 26-28 43-44 58-60 64-69 71-72 75-76 94-98 100-102 114 117-120 122 127-129 131-133 135-139 "
    "142-144 146 149-151 154-162 164 167 175-182 189-192 194-195"
)


def test_the_product_line_has_as_many_configurations_as_a_sweep_over_its_options_counts() -> None:
    problem = get_problem("product-line-200")
    assert hr.FeasibleSet(problem.space, problem.rules).count == problem.n_feasible == _swept(problem.rules)


def _swept(rules: tuple[Rule, ...]) -> int:
    """Count by deciding options one by one, with a count for every choice of those that a later rule still needs."""
    texts = [str(rule.content) for rule in rules]
    needs = [[int(n) for n in re.findall(r"option\[(\d+)\]", text)] for text in texts]
    last_use = [max([option, *(max(need) for need in needs if option in need)]) for option in range(N_OPTIONS)]
    states: dict[tuple[tuple[int, bool], ...], int] = {(): 1}
    for option in range(N_OPTIONS):
        due = [(text, need) for text, need in zip(texts, needs, strict=True) if max(need) == option]
        following: dict[tuple[tuple[int, bool], ...], int] = defaultdict(int)
        for state, count in states.items():
            for value in (False, True):
                chosen = {**dict(state), option: value}
                if all(_holds(text, [chosen[n] for n in need]) for text, need in due):
                    following[tuple((n, chosen[n]) for n in chosen if last_use[n] > option)] += count
        states = following
    return sum(states.values())


def _holds(text: str, values: list[bool]) -> bool:
    """What a rule means, read off its form; the parent of an alternative group comes last, of others first."""
    if text.startswith("iff") and "any" in text:
        return values[0] == any(values[1:])
    if text.startswith("iff"):
        return values[0] == values[1]
    if text.startswith("implies"):
        return not values[0] or values[1]
    if text.startswith("count"):
        return sum(values[:-1]) == values[-1]
    return not all(values) if text.startswith("not") else values[0]


def test_the_proven_optimum_of_the_product_line_is_the_value_of_a_configuration() -> None:
    problem = get_problem("product-line-200")
    ranges = [[int(end) for end in part.split("-")] for part in BEST_OPTIONS.split()]
    chosen = {option for first, *last in ranges for option in range(first, (last or [first])[0] + 1)}
    point = {"option": [option in chosen for option in range(N_OPTIONS)]}
    assert point in hr.FeasibleSet(problem.space, problem.rules)
    assert problem.objective is not None
    assert problem.objective(point) == pytest.approx(problem.optimum, abs=1e-9)


def test_values_of_many_rows_are_those_of_points() -> None:
    sequence, line = get_problem("dna-100"), get_problem("product-line-200")
    assert sequence.objective is not None and line.objective is not None
    for point in hr.FeasibleSet(sequence.space, sequence.rules).sample(3, seed=1):
        letters = np.array([[LETTERS.index(letter) for letter in point["dna"]]])
        assert sequence_scores(*sequence_terms(), letters)[0] == pytest.approx(sequence.objective(point))
    for point in hr.FeasibleSet(line.space, line.rules).sample(3, seed=1):
        options = np.array([point["option"]], dtype=np.float64)
        assert response_values(response_terms(), options)[0] == pytest.approx(line.objective(point))

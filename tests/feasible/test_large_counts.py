"""Counts of spaces that cannot be listed, against closed forms and independent sums."""

import math

import hedgerow as hr
from research.problems import get_problem

SITES = ("GAATTC", "GGATCC", "AAGCTT")


def _count_dna(length: int, low: int, high: int, longest: int) -> int:
    """Count the sequences by their last five letters; the number of G and C is packed into one integer's digits."""
    digit = 2 * length + 1
    states = {"": 1}
    for _ in range(length):
        following: dict[str, int] = {}
        for recent, packed in states.items():
            for letter in "ACGT":
                text = recent + letter
                if text[-(longest + 1) :] == letter * (longest + 1) or any(text.endswith(site) for site in SITES):
                    continue
                grown = packed << digit if letter in "GC" else packed
                following[text[-5:]] = following.get(text[-5:], 0) + grown
        states = following
    total = sum(states.values())
    return sum((total >> (digit * gc)) & ((1 << digit) - 1) for gc in range(low, high + 1))


def test_dna_60_mers_match_an_independent_sum() -> None:
    space = hr.Space({"dna": hr.Vector(["A", "C", "G", "T"], 60)})
    rules = [
        "0.4 <= (count(dna == 'G') + count(dna == 'C')) / 60 <= 0.6",
        "longest_run(dna) <= 4",
        *(f"not contains(dna, '{site}')" for site in SITES),
    ]
    feasible = hr.FeasibleSet(space, rules)
    assert feasible.count == _count_dna(60, 24, 36, 4)
    whole = hr.FeasibleSet(space, ["24 <= count(dna == 'G') + count(dna == 'C') <= 36", *rules[1:]])
    assert whole.count == feasible.count
    for point in feasible.sample(50, seed=0):
        text = "".join(point["dna"])
        assert 24 <= text.count("G") + text.count("C") <= 36
        assert not any(site in text for site in SITES)
        assert not any(letter * 5 in text for letter in "ACGT")


def test_dna_100_mers_match_the_same_sum() -> None:
    problem = get_problem("dna-100")
    assert hr.FeasibleSet(problem.space, problem.rules).count == problem.n_feasible == _count_dna(100, 40, 60, 4)


def test_twenty_different_values_are_twenty_factorial() -> None:
    feasible = hr.FeasibleSet(hr.Space({"x": hr.Vector(hr.Integer(1, 20), 20)}), ["all_different(x)"])
    assert feasible.count == math.factorial(20)
    assert sorted(feasible[math.factorial(20) - 1]["x"]) == list(range(1, 21))


def test_balanced_halves_are_binomials() -> None:
    feasible = hr.FeasibleSet(hr.Space({"y": hr.Vector(bool, 60)}), ["sum(y) == 20", "sum(y[0:30]) == sum(y[30:60])"])
    assert feasible.count == math.comb(30, 10) ** 2


def test_assignments_are_a_multinomial() -> None:
    bins = [str(index) for index in range(10)]
    feasible = hr.FeasibleSet(hr.Space({"bin": hr.Vector(bins, 30)}), [f"count(bin == '{b}') == 3" for b in bins])
    assert feasible.count == math.factorial(30) // math.factorial(3) ** 10
    point = feasible.sample(1, seed=1)[0]
    assert feasible[feasible.index(point)] == point
    assert len(feasible.neighbors(point)) == 0
    assert len(feasible.exchanges(point)) == 30 * 27 // 2

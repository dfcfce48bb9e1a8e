"""Random mixed problems, each rule written twice: once for Hedgerow and once for Python, which is all a judge knows.

A problem has reals on both scales, whole numbers, labels, a real with a condition and perhaps real shares; its rules
are products, ratios, powers, choices, counts and equalities.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from numpy.random import Generator

import hedgerow as hr

Point = Mapping[str, Any]


@dataclass(frozen=True)
class RandomProblem:
    """A space, its rules as texts, and what both mean in Python."""

    space: hr.Space
    rules: list[str]
    judges: list[Callable[[Point], bool]]
    draw: Callable[[Generator], dict[str, Any]]
    has_equality: bool
    # A point at which all rules hold, if one is known.
    planted: Point | None = None

    def holds(self, point: Point) -> bool:
        """Return Python's word on a point."""
        return all(_without_trouble(judge, point) for judge in self.judges)


def random_problem(rng: Generator) -> RandomProblem:
    """Return a problem of random make."""
    has_shares = bool(rng.random() < 0.3)
    first, second = np.sort(rng.uniform(-4, 6, 2)).tolist()
    ends = {"x": (float(first), float(second)), "y": (float(rng.uniform(0.01, 0.5)), 20.0)}
    space: dict[str, Any] = {
        "kind": ["a", "b", "c"],
        "n": hr.Integer(1, int(rng.integers(3, 9))),
        "x": hr.Real(ends["x"][0], ends["x"][1]),
        "y": hr.Real(ends["y"][0], ends["y"][1], log=True),
        "z": hr.Real(0.0, 1.0),
    }
    condition, exists = _condition(rng)
    space["c"] = hr.Real(-1.0, 2.0, when=condition)
    if has_shares:
        space["mix"] = hr.Shares(["p", "q", "r"])
    whole = int(space["n"].high)

    def draw(own: Generator) -> dict[str, Any]:
        point: dict[str, Any] = {
            "kind": "abc"[int(own.integers(3))],
            "n": int(own.integers(1, whole + 1)),
            "x": float(own.uniform(*ends["x"])),
            "y": float(np.clip(math.exp(own.uniform(*np.log(ends["y"]))), *ends["y"])),
            "z": float(own.random()),
        }
        if exists(point):
            point["c"] = float(own.uniform(-1.0, 2.0))
        if has_shares:
            p, q = np.sort(own.random(2)).tolist()
            point["mix"] = {"p": p, "q": q - p, "r": 1.0 - (p + (q - p))}
        return point

    rules: list[str] = []
    judges: list[Callable[[Point], bool]] = [lambda p: ("c" in p) == exists(p)]
    if has_shares:
        judges.append(lambda p: abs(reduce(add, p["mix"].values()) - 1.0) <= 1e-9)
        judges.append(lambda p: all(0.0 <= share <= 1.0 for share in p["mix"].values()))
    judges.append(lambda p: ends["x"][0] <= p["x"] <= ends["x"][1] and ends["y"][0] <= p["y"] <= ends["y"][1])
    has_equality = False
    for text, judge, is_equality in _rules(rng, has_shares):
        rules.append(text)
        judges.append(judge)
        has_equality |= is_equality
    return RandomProblem(hr.Space(space), rules, judges, draw, has_equality)


def _condition(rng: Generator) -> tuple[str, Callable[[Point], bool]]:
    limit = round(float(rng.uniform(0.2, 0.8)), 2)
    choices: list[tuple[str, Callable[[Point], bool]]] = [
        ("kind == 'a'", lambda p: p["kind"] == "a"),
        ("kind != 'b' and n > 1", lambda p: p["kind"] != "b" and p["n"] > 1),
        (f"z > {limit}", lambda p: p["z"] > limit),
        (f"kind == 'c' or z * n <= {limit}", lambda p: p["kind"] == "c" or p["z"] * p["n"] <= limit),
    ]
    return choices[int(rng.integers(len(choices)))]


def _rules(rng: Generator, has_shares: bool) -> Iterator[tuple[str, Callable[[Point], bool], bool]]:
    """Yield two to four rules: the text, what it means, and whether it is an equality."""
    t = round(float(rng.uniform(-1.5, 4)), 2)
    u = round(float(rng.uniform(0.05, 2.5)), 2)
    counted = f"count(x > {t}, y > {u}, z > 0.5)"
    pool: list[tuple[str, Callable[[Point], bool], bool]] = [
        (f"x * n <= {t}", lambda p: p["x"] * p["n"] <= t, False),
        (f"x / y >= {t}", lambda p: p["x"] / p["y"] >= t, False),
        (f"y / (x - {t}) < {u}", lambda p: p["y"] / (p["x"] - t) < u, False),
        (f"x**2 + z**2 <= {u}", lambda p: p["x"] ** 2 + p["z"] ** 2 <= u, False),
        (f"y**0.5 * z > {u / 3}", lambda p: p["y"] ** 0.5 * p["z"] > u / 3, False),
        (f"kind == 'a' or x + y >= {t}", lambda p: p["kind"] == "a" or p["x"] + p["y"] >= t, False),
        (f"not (kind == 'b' and z < {u / 3})", lambda p: not (p["kind"] == "b" and p["z"] < u / 3), False),
        (f"(x if n > 2 else y) <= {t}", lambda p: (p["x"] if p["n"] > 2 else p["y"]) <= t, False),
        (f"{counted} >= 1", lambda p: (p["x"] > t) + (p["y"] > u) + (p["z"] > 0.5) >= 1, False),
        (f"{counted} != 2", lambda p: (p["x"] > t) + (p["y"] > u) + (p["z"] > 0.5) != 2, False),
        (f"abs(x - {t}) >= {u / 4}", lambda p: abs(p["x"] - t) >= u / 4, False),
        (f"max(x, z) * min(y, n) <= {t + 3}", lambda p: max(p["x"], p["z"]) * min(p["y"], p["n"]) <= t + 3, False),
        ("n % 2 == 0 or x // 1 != 1", lambda p: p["n"] % 2 == 0 or p["x"] // 1 != 1, False),
        (f"c * x <= {t}", lambda p: "c" not in p or p["c"] * p["x"] <= t, False),
        (f"c > {u / 2} or n <= 2", lambda p: p["n"] <= 2 or "c" not in p or p["c"] > u / 2, False),
        (f"c / y < {u} and z < 0.9", lambda p: ("c" not in p or p["c"] / p["y"] < u) and p["z"] < 0.9, False),
        ("active(c) or n > 1", lambda p: "c" in p or p["n"] > 1, False),
        (f"0.5 < y * z < {t + 4}", lambda p: 0.5 < p["y"] * p["z"] < t + 4, False),
        (f"x + z == {t}", lambda p: p["x"] + p["z"] == t, True),
        (f"y == {u} * n", lambda p: p["y"] == u * p["n"], True),
        (f"kind == 'c' or y * z == {u}", lambda p: p["kind"] == "c" or p["y"] * p["z"] == u, True),
        (f"isclose(x * n + y, {t + 2}, tol=1e-6)", lambda p: abs(p["x"] * p["n"] + p["y"] - (t + 2)) <= 1e-6, True),
        (f"c + z == {u}", lambda p: "c" not in p or p["c"] + p["z"] == u, True),
        (f"isclose(x**2 + z**2, {u}, tol=0.05)", lambda p: abs(p["x"] ** 2 + p["z"] ** 2 - u) <= 0.05, False),
        ("x < x - 1", lambda p: p["x"] < p["x"] - 1, False),
        (f"z > {u} or z * z < z - 0.3", lambda p: p["z"] > u or p["z"] * p["z"] < p["z"] - 0.3, False),
    ]
    if has_shares:
        pool += [
            (f"mix['p'] <= {u / 3}", lambda p: p["mix"]["p"] <= u / 3, False),
            ("mix['q'] * n <= 1 or kind == 'b'", lambda p: p["mix"]["q"] * p["n"] <= 1 or p["kind"] == "b", False),
            ("mix['r'] >= mix['p']", lambda p: p["mix"]["r"] >= p["mix"]["p"], False),
            ("mix['p'] >= 0.6 and mix['q'] >= 0.6", lambda p: p["mix"]["p"] >= 0.6 and p["mix"]["q"] >= 0.6, False),
        ]
    # What is surely empty is left to one problem in some.
    weights = np.array([0.15 if text.startswith(("x < x", "mix['p'] >= 0.6")) else 1.0 for text, _, _ in pool])
    for place in rng.choice(len(pool), size=int(rng.integers(2, 5)), replace=False, p=weights / weights.sum()):
        yield pool[int(place)]


def _without_trouble(judge: Callable[[Point], bool], point: Point) -> bool:
    try:
        return bool(judge(point))
    except ArithmeticError:
        return False

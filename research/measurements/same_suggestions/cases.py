"""Twenty-two problems in which suggestions are made in different ways, each with the way its user behaves.

They use only what every version of the package has had from the first: spaces, rules, ask and tell.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import hedgerow as hr

Point = Mapping[str, Any]


@dataclass(frozen=True)
class AskedCase:
    """A problem, and what its user does: how many points are asked at once, and what is told before the first ask."""

    name: str
    space: hr.Space
    rules: Sequence[Any]
    objective: Callable[[Point], float | None]
    direction: Literal["minimize", "maximize"] = "minimize"
    node_budget: int | None = None
    n_at_once: int = 1
    told_first: Sequence[Point] = ()
    # Of the points asked at once, so many are never told.
    n_left_pending: int = 0


def cases() -> list[AskedCase]:
    """Return the problems."""
    return [
        *_listed(),
        *_searched(),
        *_vectors(),
        *_large_slots(),
        *_habits(),
        *_rules_outside(),
    ]


def _listed() -> list[AskedCase]:
    kernel = hr.Space({"x": [1, 2, 4, 8, 16, 32], "y": [1, 2, 4, 8, 16], "tile": [1, 2, 3, 4], "vector": [1, 2, 4]})
    recipe = hr.Space({"base": list("abcd"), "dye": list("rgbw"), "salt": ["none", "low", "high"], "heat": [1, 2, 3]})
    steps = hr.Space(
        {
            "size": hr.Ordinal(["xs", "s", "m", "l", "xl"]),
            "speed": hr.Ordinal(["slow", "medium", "fast"]),
            "coat": [True, False],
            "depth": hr.Integer(2, 20, step=2),
            "only": ["one"],
        }
    )
    ranks = {"xs": 0, "s": 1, "m": 2, "l": 3, "xl": 4}
    return [
        AskedCase(
            "listed-numbers",
            kernel,
            ["32 <= x * y * vector <= 512", "tile * vector <= 8"],
            lambda p: abs(math.log2(p["x"]) - 3.3) + 0.4 * abs(p["y"] - 5) + 3 / p["tile"] + 0.1 * p["vector"],
        ),
        AskedCase(
            "listed-labels",
            recipe,
            ["base != dye or salt == 'none'", "implies(base == 'a', heat >= 2)", "not (dye == 'w' and salt == 'high')"],
            lambda p: 3.0 * (p["base"] != "c") + 2.0 * (p["dye"] != "g") + p["heat"] * (1 + (p["salt"] == "low")),
        ),
        AskedCase(
            "listed-ordinals",
            steps,
            ["implies(size >= 'l', speed <= 'medium')", "coat or depth <= 10"],
            lambda p: (
                (ranks[p["size"]] - 2.4) ** 2 + 0.3 * (p["speed"] == "fast") - 0.05 * p["depth"] + 0.2 * p["coat"]
            ),
            direction="maximize",
        ),
    ]


def _searched() -> list[AskedCase]:
    wide = hr.Space({f"x{i}": hr.Integer(0, 9) for i in range(10)})
    labels = hr.Space({f"part{i}": list("abcde") for i in range(12)})
    switches = hr.Space({f"s{i}": [False, True] for i in range(36)})
    reals = hr.Space({f"r{i}": hr.Real(0.01, 10.0, 40, log=i % 2 == 0) for i in range(5)})
    mixed = hr.Space(
        {
            **{f"n{i}": hr.Integer(1, 12) for i in range(4)},
            **{f"k{i}": ["red", "green", "blue"] for i in range(4)},
            "grade": hr.Ordinal(["low", "middle", "high"]),
        }
    )
    return [
        AskedCase(
            "searched-integers",
            wide,
            ["x0 + x1 + x2 + x3 + x4 <= 20", "x5 * x6 >= 6", "x7 != x8"],
            lambda p: sum((p[f"x{i}"] - (3 * i) % 7) ** 2 for i in range(10)),
        ),
        AskedCase(
            "searched-labels",
            labels,
            [f"part{i} != part{i + 1}" for i in range(11)],
            lambda p: sum(ord(p[f"part{i}"]) * (-1) ** i + 2 * (p[f"part{i}"] == p["part0"]) for i in range(12)),
        ),
        AskedCase(
            "searched-switches",
            switches,
            [f"exactly(12, {', '.join(f's{i}' for i in range(36))})", "implies(s0, s35)"],
            lambda p: sum((1 + i % 5) * p[f"s{i}"] - 2.5 * (p[f"s{i}"] and p[f"s{(i + 1) % 36}"]) for i in range(36)),
        ),
        AskedCase(
            "searched-reals",
            reals,
            ["r0 + r1 + r2 <= 12", "r3 <= r4"],
            lambda p: sum((math.log(p[f"r{i}"]) - 0.3 * i) ** 2 for i in range(5)),
        ),
        AskedCase(
            "searched-mixed",
            mixed,
            ["n0 + n1 >= n2 + n3", "all_different(k0, k1, k2)", "implies(grade == 'high', n0 >= 6)"],
            lambda p: abs(p["n0"] * p["n1"] - 35) + abs(p["n2"] - p["n3"]) + 2 * (p["k3"] == "red") + len(p["grade"]),
            direction="maximize",
        ),
        AskedCase("no-rules", hr.Space({f"x{i}": hr.Integer(-5, 5) for i in range(7)}), [], _bowl),
    ]


def _vectors() -> list[AskedCase]:
    dna = hr.Space({"dna": hr.Vector(["A", "C", "G", "T"], 14)})
    order = hr.Space({"order": hr.Vector(hr.Integer(0, 8), 9)})
    rising = hr.Space({"knots": hr.Vector(hr.Integer(0, 30), 6), "kind": ["linear", "cubic"]})
    return [
        AskedCase(
            "dna-vector",
            dna,
            ["5 <= count(dna == 'G') + count(dna == 'C') <= 9", "not contains(dna, 'GATC') and longest_run(dna) <= 3"],
            lambda p: sum((ord(letter) * (place + 3)) % 11 for place, letter in enumerate(p["dna"])),
        ),
        AskedCase(
            "permutation",
            order,
            ["all_different(order)"],
            lambda p: sum(
                abs(a - b) * (1 + i % 3) for i, (a, b) in enumerate(zip(p["order"], p["order"][1:], strict=False))
            ),
        ),
        AskedCase(
            "rising-vector",
            rising,
            ["increasing(knots, strict=True)", "knots[-1] - knots[0] >= 10"],
            lambda p: sum((k - 4.5 * i) ** 2 for i, k in enumerate(p["knots"])) + 5 * (p["kind"] == "linear"),
        ),
    ]


def _large_slots() -> list[AskedCase]:
    large = hr.Space({"a": hr.Integer(1, 4000), "b": hr.Integer(1, 3000), "c": hr.Integer(0, 999)})
    beside = hr.Space({"size": hr.Integer(1, 2048), "cut": hr.Integer(1, 2048), "kind": ["x", "y", "z"]})
    return [
        AskedCase(
            "large-slots",
            large,
            ["a + b <= 5000"],
            lambda p: (p["a"] / 1000 - 2.1) ** 2 + (p["b"] / 1000 - 1.7) ** 2 + math.sin(p["c"] / 100),
        ),
        AskedCase(
            "large-beside-small",
            beside,
            ["implies(kind == 'x', size <= 1000)", "cut <= 1500 or kind == 'z'"],
            lambda p: abs(p["size"] - 700) / 100 + abs(p["cut"] - 1600) / 300 + (p["kind"] == "y"),
        ),
    ]


def _habits() -> list[AskedCase]:
    grid = hr.Space({"x": hr.Integer(0, 15), "y": hr.Integer(0, 15), "z": list("abc")})
    near = ["x + y <= 22"]
    first = [{"x": 1, "y": 1, "z": "a"}, {"x": 15, "y": 15, "z": "b"}, {"x": 3, "y": 14, "z": "c"}]
    few = hr.Space({"x": hr.Integer(0, 4), "y": hr.Integer(0, 3)})
    return [
        AskedCase("failures", grid, near, lambda p: None if p["x"] > p["y"] else _hill(p)),
        AskedCase("failures-at-first", grid, near, lambda p: _hill(p) if (p["x"] * 7 + p["y"] * 3) % 5 == 0 else None),
        AskedCase("three-at-once", grid, near, _hill, n_at_once=3),
        AskedCase("left-pending", grid, near, _hill, n_at_once=3, n_left_pending=1),
        AskedCase("told-first", grid, near, _hill, told_first=first),
        AskedCase("exhausted", few, ["x + y <= 5"], lambda p: (p["x"] - 2) ** 2 + p["y"]),
    ]


def _rules_outside() -> list[AskedCase]:
    space = hr.Space({f"x{i}": hr.Integer(1, 9) for i in range(8)})
    product = " * ".join(f"x{i}" for i in range(8))
    opaque = hr.Space({f"x{i}": hr.Integer(0, 6) for i in range(6)})
    return [
        AskedCase(
            "outside-the-diagram",
            space,
            [f"1000 <= {product} <= 200000", "x0 <= x7"],
            lambda p: sum((p[f"x{i}"] - 4) ** 2 * (1 + i % 2) for i in range(8)),
            node_budget=60,
        ),
        AskedCase(
            "function-rule",
            opaque,
            [lambda x0, x1, x2: (x0 * x1 + x2) % 3 != 0, "x3 + x4 + x5 >= 5"],
            lambda p: sum((p[f"x{i}"] - 2.5) ** 2 for i in range(6)) + p["x0"] * p["x5"],
        ),
    ]


def _bowl(point: Point) -> float:
    return float(sum((i + 1) * (point[f"x{i}"] - 2) ** 2 for i in range(7)))


def _hill(point: Point) -> float:
    return float((point["x"] - 9.3) ** 2 / 10 + abs(point["y"] - 11) + {"a": 0.0, "b": 1.5, "c": 4.0}[point["z"]])

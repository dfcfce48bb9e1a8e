"""Ten known problems of engineering design with real and whole variables; their constraints are the rules.

Each has the best value known from the literature, in the units of its objective; `python -m research mixed` looks for
it again with solvers that know the formulas. The mixture is of our own making.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import hedgerow as hr

Point = Mapping[str, Any]

# Found by SLSQP from four starts for each of the 70 choices of ingredients.
MIXTURE_BEST = 9.168
_SIXTEENTHS = [k / 16 for k in range(1, 100)]
_WIRES = [
    0.009, 0.0095, 0.0104, 0.0118, 0.0128, 0.0132, 0.014, 0.015, 0.0162, 0.0173, 0.018, 0.020, 0.023, 0.025, 0.028,
    0.032, 0.035, 0.041, 0.047, 0.054, 0.063, 0.072, 0.080, 0.092, 0.105, 0.120, 0.135, 0.148, 0.162, 0.177, 0.192,
    0.207, 0.225, 0.244, 0.263, 0.283, 0.307, 0.331, 0.362, 0.394, 0.4375, 0.500,
]  # fmt: skip


@dataclass(frozen=True)
class Design:
    """A design problem: what may vary, its rules, what it costs, and the least known cost."""

    name: str
    space: hr.Space
    rules: dict[str, str]
    cost: Callable[[Point], float]
    best_known: float
    # Gaps are parts of the best value; where that is next to nothing, they are absolute.
    is_absolute: bool = False

    def gap(self, value: float) -> float:
        """Return how far a value is from the best known, as a part of it."""
        apart = value - self.best_known
        return apart if self.is_absolute else apart / abs(self.best_known)


def pressure_vessel() -> Design:
    """Return the vessel of Sandgren (1990): plates in sixteenths of an inch, radius and length real."""

    def cost(p: Point) -> float:
        s, h, r, length = p["shell"], p["head"], p["radius"], p["length"]
        return float(0.6224 * s * r * length + 1.7781 * h * r**2 + 3.1661 * s**2 * length + 19.84 * s**2 * r)

    space = hr.Space(
        {"shell": _SIXTEENTHS, "head": _SIXTEENTHS, "radius": hr.Real(10, 200), "length": hr.Real(10, 200)}
    )
    rules = {
        "shell": "shell >= 0.0193 * radius",
        "head": "head >= 0.00954 * radius",
        "volume": "3.141592653589793 * radius**2 * length + 4 / 3 * 3.141592653589793 * radius**3 >= 1296000",
    }
    return Design("pressure vessel", space, rules, cost, 6059.714335)


def welded_beam() -> Design:
    """Return the beam of Ragsdell and Phillips (1976) as commonly stated: stress, buckling and deflection."""

    def cost(p: Point) -> float:
        return float(1.10471 * p["h"] ** 2 * p["l"] + 0.04811 * p["t"] * p["b"] * (14 + p["l"]))

    space = hr.Space({"h": hr.Real(0.125, 2), "l": hr.Real(0.1, 10), "t": hr.Real(0.1, 10), "b": hr.Real(0.1, 2)})
    radius2 = "(l**2 / 4 + ((h + t) / 2)**2)"
    primary = "(6000 / (2**0.5 * h * l))"
    polar = "(2 * 2**0.5 * h * l * (l**2 / 12 + ((h + t) / 2)**2))"
    second = f"(6000 * (14 + l / 2) * {radius2}**0.5 / {polar})"
    shear = f"({primary}**2 + 2 * {primary} * {second} * l / (2 * {radius2}**0.5) + {second}**2)**0.5"
    rules = {
        "shear": f"{shear} <= 13600",
        "bending": "504000 / (b * t**2) <= 30000",
        "sides": "h <= b",
        "cost": "0.10471 * h**2 + 0.04811 * t * b * (14 + l) <= 5",
        "deflection": "2.1952 / (t**3 * b) <= 0.25",
        "buckling": "102372.449 * (1 - 0.0282346 * t) * t * b**3 >= 6000",
    }
    return Design("welded beam", space, rules, cost, 1.724852)


def tension_spring() -> Design:
    """Return the spring of Arora (1989): the lightest under a load."""

    def cost(p: Point) -> float:
        return float((p["coils"] + 2) * p["coil"] * p["wire"] ** 2)

    space = hr.Space({"wire": hr.Real(0.05, 2), "coil": hr.Real(0.25, 1.3), "coils": hr.Real(2, 15)})
    rules = {
        "deflection": "coil**3 * coils >= 71785 * wire**4",
        "shear": "(4 * coil**2 - wire * coil) / (12566 * (coil * wire**3 - wire**4)) + 1 / (5108 * wire**2) <= 1",
        "surge": "140.45 * wire / (coil**2 * coils) >= 1",
        "outside": "coil + wire <= 1.5",
        "order": "coil > wire",
    }
    return Design("tension spring", space, rules, cost, 0.012665233)


def speed_reducer() -> Design:
    """Return the gear box of Golinski (1970), with the second shaft from 7.3: six reals and a number of teeth."""

    def cost(p: Point) -> float:
        b, m, z, l1, l2, d1, d2 = (p[name] for name in ("b", "m", "z", "l1", "l2", "d1", "d2"))
        return float(
            0.7854 * b * m**2 * (3.3333 * z**2 + 14.9334 * z - 43.0934)
            - 1.508 * b * (d1**2 + d2**2)
            + 7.4777 * (d1**3 + d2**3)
            + 0.7854 * (l1 * d1**2 + l2 * d2**2)
        )

    space = hr.Space(
        {
            "b": hr.Real(2.6, 3.6),
            "m": hr.Real(0.7, 0.8),
            "z": hr.Integer(17, 28),
            "l1": hr.Real(7.3, 8.3),
            "l2": hr.Real(7.3, 8.3),
            "d1": hr.Real(2.9, 3.9),
            "d2": hr.Real(5.0, 5.5),
        }
    )
    rules = {
        "bending": "27 <= b * m**2 * z",
        "contact": "397.5 <= b * m**2 * z**2",
        "deflection 1": "1.93 * l1**3 <= m * z * d1**4",
        "deflection 2": "1.93 * l2**3 <= m * z * d2**4",
        "stress 1": "((745 * l1 / (m * z))**2 + 16900000)**0.5 <= 110 * d1**3",
        "stress 2": "((745 * l2 / (m * z))**2 + 157500000)**0.5 <= 85 * d2**3",
        "size": "m * z <= 40",
        "width 1": "5 * m <= b",
        "width 2": "b <= 12 * m",
        "shaft 1": "1.5 * d1 + 1.9 <= l1",
        "shaft 2": "1.1 * d2 + 1.9 <= l2",
    }
    return Design("speed reducer", space, rules, cost, 2994.4710661)


def coil_spring() -> Design:
    """Return the spring of Sandgren (1990): wires from a table, whole coils, a real diameter."""

    def cost(p: Point) -> float:
        return float(math.pi**2 * p["coil"] * p["wire"] ** 2 * (p["coils"] + 2) / 4)

    space = hr.Space({"wire": _WIRES, "coil": hr.Real(0.6, 3.0), "coils": hr.Integer(1, 70)})
    index, rate = "(coil / wire)", "(11500000 * wire**4 / (8 * coils * coil**3))"
    rules = {
        "index": f"{index} >= 3",
        "shear": f"8 * ((4 * {index} - 1) / (4 * {index} - 4) + 0.615 / {index}) * 1000 * coil "
        "<= 189000 * 3.141592653589793 * wire**3",
        "length": f"1000 / {rate} + 1.05 * (coils + 2) * wire <= 14",
        "least wire": "wire >= 0.2",
        "preload": f"300 / {rate} <= 6",
        "travel": f"700 / {rate} >= 1.25",
    }
    return Design("coil spring", space, rules, cost, 2.658559)


def concrete_beam() -> Design:
    """Return the beam of Amir and Hasegawa (1989): bars from a table, a whole width, a real depth."""

    def cost(p: Point) -> float:
        return float(29.4 * p["steel"] + 0.6 * p["width"] * p["depth"])

    space = hr.Space(
        {
            "steel": [6.0, 6.16, 6.32, 6.6, 7.0, 7.11, 7.2, 7.8, 7.9, 8.0, 8.4],
            "width": hr.Integer(28, 40),
            "depth": hr.Real(5, 10),
        }
    )
    rules = {"slender": "width / depth <= 4", "moment": "180 + 7.375 * steel**2 / depth <= steel * width"}
    return Design("concrete beam", space, rules, cost, 359.208)


def three_bar_truss() -> Design:
    """Return the truss of Nowacki (1974): two cross sections under stress limits."""

    def cost(p: Point) -> float:
        return float(100 * (2 * math.sqrt(2) * p["a"] + p["b"]))

    space = hr.Space({"a": hr.Real(0, 1), "b": hr.Real(0, 1)})
    whole = "(2**0.5 * a**2 + 2 * a * b)"
    rules = {
        "first": f"2 * (2**0.5 * a + b) / {whole} <= 2",
        "second": f"2 * b / {whole} <= 2",
        "third": "2 / (a + 2**0.5 * b) <= 2",
    }
    return Design("three-bar truss", space, rules, cost, 263.895843)


def himmelblau() -> Design:
    """Return Himmelblau's problem (1972): five reals, three two-sided constraints."""

    def cost(p: Point) -> float:
        a, c, e = p["a"], p["c"], p["e"]
        return float(5.3578547 * c**2 + 0.8356891 * a * e + 37.293239 * a - 40792.141)

    space = hr.Space(
        {
            "a": hr.Real(78, 102),
            "b": hr.Real(33, 45),
            "c": hr.Real(27, 45),
            "d": hr.Real(27, 45),
            "e": hr.Real(27, 45),
        }
    )
    first = "85.334407 + 0.0056858 * b * e + 0.0006262 * a * d - 0.0022053 * c * e"
    second = "80.51249 + 0.0071317 * b * e + 0.0029955 * a * b + 0.0021813 * c**2"
    third = "9.300961 + 0.0047026 * c * e + 0.0012547 * a * c + 0.0019085 * c * d"
    rules = {
        "first low": f"{first} >= 0",
        "first high": f"{first} <= 92",
        "second low": f"{second} >= 90",
        "second high": f"{second} <= 110",
        "third low": f"{third} >= 20",
        "third high": f"{third} <= 25",
    }
    return Design("Himmelblau", space, rules, cost, -30665.538672)


def gear_train() -> Design:
    """Return the gears of Sandgren (1990): four numbers of teeth, as near to a ratio of 1 to 6.931 as can be."""

    def cost(p: Point) -> float:
        return float(abs(p["b"] * p["c"] / (p["a"] * p["d"]) * 6.931 - 1))

    space = hr.Space({name: hr.Integer(12, 60) for name in "abcd"})
    # The known design: 16 * 19 / (43 * 49).
    return Design("gear train", space, {}, cost, abs(16 * 19 / (43 * 49) * 6.931 - 1), is_absolute=True)


def mixture() -> Design:
    """Return a mixture of our own: four of eight ingredients, real shares that add up to 1, a heat and some passes."""
    prices = [1.0, 1.4, 0.7, 2.2, 1.8, 0.9, 3.0, 1.2]
    picks, shares = ("first", "second", "third", "fourth"), ("a", "b", "c", "d")

    def cost(p: Point) -> float:
        amounts = dict.fromkeys(range(8), 0.0)
        for pick, share in zip(picks, shares, strict=True):
            amounts[p[pick]] += p[share]
        blend = sum(price * amounts[k] for k, price in enumerate(prices))
        synergy = 2.5 * amounts[0] * amounts[3] + 3.0 * amounts[4] * amounts[6] + 1.5 * amounts[1] * amounts[5]
        waste = 0.0002 * (p["heat"] - 140 - 60 * amounts[6]) ** 2 + 0.3 * abs(p["passes"] - 3)
        return float(10 + 4 * blend - 12 * synergy + waste)

    space = hr.Space(
        {
            **{name: hr.Integer(0, 7) for name in picks},
            **{name: hr.Real(0.02, 0.6) for name in shares},
            "heat": hr.Real(100, 220),
            "passes": hr.Integer(1, 6),
        }
    )
    pairs = list(zip(picks, shares, strict=True))
    binder = " + ".join(f"({share} if {pick} in [0, 4] else 0)" for pick, share in pairs)
    hot = " + ".join(f"({share} if {pick} in [3, 6] else 0)" for pick, share in pairs)
    rules = {
        "whole": "isclose(a + b + c + d, 1)",
        "four of eight": "increasing(first, second, third, fourth, strict=True)",
        "binder": f"{binder} >= 0.25",
        "heat": f"heat * ({hot}) <= 60",
    }
    return Design("mixture", space, rules, cost, MIXTURE_BEST)


DESIGNS: dict[str, Callable[[], Design]] = {
    "pressure-vessel": pressure_vessel,
    "welded-beam": welded_beam,
    "tension-spring": tension_spring,
    "speed-reducer": speed_reducer,
    "coil-spring": coil_spring,
    "concrete-beam": concrete_beam,
    "three-bar-truss": three_bar_truss,
    "himmelblau": himmelblau,
    "gear-train": gear_train,
    "mixture": mixture,
}

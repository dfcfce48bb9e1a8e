"""The optima of the design problems proven by SCIP, a solver that bounds from below, or by listing every design.

Each problem is written down again from its formulas, without Hedgerow: what is proven here does not hang on how rules
are read. SCIP branches over all variables until its bound meets the best design that it found; it takes constraints as
kept within 1e-7 of their sides, so that values may lie by as much below what floats allow.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from research.rivals.packages import package

# How near the bound has to come to the best design found, as a part of it.
_GAP = 1e-6
# How far a constraint may be broken, as a part of its sides.
_TOLERANCE = 1e-7
_WIRES = [
    0.009, 0.0095, 0.0104, 0.0118, 0.0128, 0.0132, 0.014, 0.015, 0.0162, 0.0173, 0.018, 0.020, 0.023, 0.025, 0.028,
    0.032, 0.035, 0.041, 0.047, 0.054, 0.063, 0.072, 0.080, 0.092, 0.105, 0.120, 0.135, 0.148, 0.162, 0.177, 0.192,
    0.207, 0.225, 0.244, 0.263, 0.283, 0.307, 0.331, 0.362, 0.394, 0.4375, 0.500,
]  # fmt: skip
_STEELS = [6.0, 6.16, 6.32, 6.6, 7.0, 7.11, 7.2, 7.8, 7.9, 8.0, 8.4]


@dataclass(frozen=True)
class Proof:
    """The least cost found, what no design can cost less than, and who says so."""

    value: float
    bound: float
    by: str


def proven(name: str, seconds: float = 300.0) -> Proof:
    """Return the optimum of a design problem, within the time given."""
    if name == "gear-train":
        return _gear_train()
    proof = _by_scip(_MODELS[name], seconds)
    return _in_hundredths(proof) if name == "tension-spring" else proof


def _by_scip(formulate: Callable[[_Model], Any], seconds: float) -> Proof:
    model = _Model()
    model.minimize(formulate(model))
    model.scip.setRealParam("limits/time", seconds)
    model.scip.setRealParam("limits/gap", _GAP)
    model.scip.setRealParam("numerics/feastol", _TOLERANCE)
    model.scip.optimize()
    return Proof(model.scip.getObjVal(), model.scip.getDualbound(), f"SCIP {model.scip.version():.0f}")


def _in_hundredths(proof: Proof) -> Proof:
    return Proof(proof.value / 100, proof.bound / 100, proof.by)


class _Model:
    """A model of SCIP with few words."""

    def __init__(self) -> None:
        self.scip = package("pyscipopt", "Proofs").Model()
        self.scip.hideOutput()

    def real(self, low: float, high: float) -> Any:
        return self.scip.addVar(lb=low, ub=high)

    def whole(self, low: int, high: int) -> Any:
        return self.scip.addVar(lb=low, ub=high, vtype="I")

    def one_of(self, values: list[float]) -> Any:
        """Return a variable that takes one of some values."""
        flags = [self.scip.addVar(vtype="B") for _ in values]
        self.keep(sum(flags) == 1)
        chosen = self.real(min(values), max(values))
        self.keep(chosen == sum(value * flag for value, flag in zip(values, flags, strict=True)))
        return chosen

    def keep(self, constraint: Any) -> None:
        self.scip.addCons(constraint)

    def minimize(self, cost: Any) -> None:
        # SCIP takes linear objectives alone.
        value = self.scip.addVar(lb=-self.scip.infinity())
        self.keep(value >= cost)
        self.scip.setObjective(value)


def _pressure_vessel(m: _Model) -> Any:
    s, h = m.whole(1, 99) / 16, m.whole(1, 99) / 16
    r, length = m.real(10, 200), m.real(10, 200)
    m.keep(s >= 0.0193 * r)
    m.keep(h >= 0.00954 * r)
    m.keep((math.pi * r**2 * length + 4 / 3 * math.pi * r**3) / 1296000 >= 1)
    return 0.6224 * s * r * length + 1.7781 * h * r**2 + 3.1661 * s**2 * length + 19.84 * s**2 * r


def _welded_beam(m: _Model) -> Any:
    h, length, t, b = m.real(0.125, 2), m.real(0.1, 10), m.real(0.1, 10), m.real(0.1, 2)
    # The square of the shear stress, in which the roots are gone; in units of what is allowed.
    inner = length**2 / 12 + (h + t) ** 2 / 4
    polar = 2 * math.sqrt(2) * h * length * inner
    radius2 = length**2 / 4 + (h + t) ** 2 / 4
    primary = 6000 / (math.sqrt(2) * 13600) / (h * length)
    moment = 6000 / 13600 * (14 + length / 2)
    m.keep(primary**2 + primary * moment * length / polar + moment**2 * radius2 / polar**2 <= 1)
    m.keep(b * t**2 >= 504000 / 30000)
    m.keep(h <= b)
    m.keep(0.10471 * h**2 + 0.04811 * t * b * (14 + length) <= 5)
    m.keep(t**3 * b >= 2.1952 / 0.25)
    m.keep(102372.449 / 6000 * (1 - 0.0282346 * t) * t * b**3 >= 1)
    return 1.10471 * h**2 * length + 0.04811 * t * b * (14 + length)


def _tension_spring(m: _Model) -> Any:
    # The wire, the coil in wires, and the number of coils; the shear rule is multiplied out.
    d, index, n = m.real(0.05, 2), m.real(1 + 1e-6, 26), m.real(2, 15)
    coil = index * d
    m.keep(coil >= 0.25)
    m.keep(coil <= 1.3)
    m.keep(index**3 * n >= 71785 * d)
    m.keep(5108 * d**2 >= 5108 / 12566 * (4 * index**2 - index) / (index - 1) + 1)
    m.keep(index**2 * d * n <= 140.45)
    m.keep(coil + d <= 1.5)
    # Costs near 0.01 are within the solver's own tolerance: in hundredths.
    return 100 * (n + 2) * index * d**3


def _speed_reducer(m: _Model) -> Any:
    b, t, z = m.real(2.6, 3.6), m.real(0.7, 0.8), m.whole(17, 28)
    l1, l2, d1, d2 = m.real(7.3, 8.3), m.real(7.3, 8.3), m.real(2.9, 3.9), m.real(5.0, 5.5)
    m.keep(b * t**2 * z / 27 >= 1)
    m.keep(b * t**2 * z**2 / 397.5 >= 1)
    m.keep(t * z * d1**4 >= 1.93 * l1**3)
    m.keep(t * z * d2**4 >= 1.93 * l2**3)
    m.keep((745 * l1 / (t * z)) ** 2 / 16.9e6 + 1 <= (110 * d1**3) ** 2 / 16.9e6)
    m.keep((745 * l2 / (t * z)) ** 2 / 157.5e6 + 1 <= (85 * d2**3) ** 2 / 157.5e6)
    m.keep(t * z <= 40)
    m.keep(5 * t <= b)
    m.keep(b <= 12 * t)
    m.keep(1.5 * d1 + 1.9 <= l1)
    m.keep(1.1 * d2 + 1.9 <= l2)
    return (
        0.7854 * b * t**2 * (3.3333 * z**2 + 14.9334 * z - 43.0934)
        - 1.508 * b * (d1**2 + d2**2)
        + 7.4777 * (d1**3 + d2**3)
        + 0.7854 * (l1 * d1**2 + l2 * d2**2)
    )


def _coil_spring(m: _Model) -> Any:
    d, c, n = m.one_of([wire for wire in _WIRES if wire >= 0.2]), m.real(0.6, 3.0), m.whole(1, 70)
    index = c / d
    m.keep(c >= 3 * d)
    m.keep(8 * ((4 * index - 1) / (4 * index - 4) + 0.615 / index) * 1000 * c <= 189000 * math.pi * d**3)
    softness = 8 * n * c**3 / (11500000 * d**4)
    m.keep(1000 * softness + 1.05 * (n + 2) * d <= 14)
    m.keep(300 * softness <= 6)
    m.keep(700 * softness >= 1.25)
    return math.pi**2 * c * d**2 * (n + 2) / 4


def _concrete_beam(m: _Model) -> Any:
    steel, width, depth = m.one_of(_STEELS), m.whole(28, 40), m.real(5, 10)
    m.keep(width <= 4 * depth)
    m.keep(180 * depth + 7.375 * steel**2 <= steel * width * depth)
    return 29.4 * steel + 0.6 * width * depth


def _three_bar_truss(m: _Model) -> Any:
    a, b = m.real(0, 1), m.real(0, 1)
    whole = math.sqrt(2) * a**2 + 2 * a * b
    m.keep(math.sqrt(2) * a + b <= whole)
    m.keep(b <= whole)
    m.keep(a + math.sqrt(2) * b >= 1)
    return 100 * (2 * math.sqrt(2) * a + b)


def _himmelblau(m: _Model) -> Any:
    a, b = m.real(78, 102), m.real(33, 45)
    c, d, e = (m.real(27, 45) for _ in range(3))
    first = 85.334407 + 0.0056858 * b * e + 0.0006262 * a * d - 0.0022053 * c * e
    second = 80.51249 + 0.0071317 * b * e + 0.0029955 * a * b + 0.0021813 * c**2
    third = 9.300961 + 0.0047026 * c * e + 0.0012547 * a * c + 0.0019085 * c * d
    for side, low, high in ((first, 0, 92), (second, 90, 110), (third, 20, 25)):
        m.keep(side >= low)
        m.keep(side <= high)
    return 5.3578547 * c**2 + 0.8356891 * a * e + 37.293239 * a - 40792.141


def _mixture(m: _Model) -> Any:
    prices = [1.0, 1.4, 0.7, 2.2, 1.8, 0.9, 3.0, 1.2]
    # Amounts of eight ingredients, four of them there: what the four picks and their shares come to.
    amounts = [m.real(0, 0.6) for _ in prices]
    is_there = [m.whole(0, 1) for _ in prices]
    m.keep(sum(is_there) == 4)
    for amount, flag in zip(amounts, is_there, strict=True):
        m.keep(amount >= 0.02 * flag)
        m.keep(amount <= 0.6 * flag)
    heat, passes, off = m.real(100, 220), m.whole(1, 6), m.real(0, 5)
    m.keep(off >= passes - 3)
    m.keep(off >= 3 - passes)
    m.keep(sum(amounts) == 1)
    m.keep(amounts[0] + amounts[4] >= 0.25)
    m.keep(heat * (amounts[3] + amounts[6]) <= 60)
    blend = sum(price * amount for price, amount in zip(prices, amounts, strict=True))
    synergy = 2.5 * amounts[0] * amounts[3] + 3.0 * amounts[4] * amounts[6] + 1.5 * amounts[1] * amounts[5]
    waste = 0.0002 * (heat - 140 - 60 * amounts[6]) ** 2 + 0.3 * off
    return 10 + 4 * blend - 12 * synergy + waste


def _gear_train() -> Proof:
    """Every product of two gears against every other: what order they come in makes no difference."""
    teeth = np.arange(12, 61)
    products = np.unique(np.outer(teeth, teeth)).astype(np.float64)
    value = float(np.abs(products[:, None] / products[None, :] * 6.931 - 1).min())
    return Proof(value, value, "listing all")


_MODELS: dict[str, Callable[[_Model], Any]] = {
    "pressure-vessel": _pressure_vessel,
    "welded-beam": _welded_beam,
    "tension-spring": _tension_spring,
    "speed-reducer": _speed_reducer,
    "coil-spring": _coil_spring,
    "concrete-beam": _concrete_beam,
    "three-bar-truss": _three_bar_truss,
    "himmelblau": _himmelblau,
    "mixture": _mixture,
}

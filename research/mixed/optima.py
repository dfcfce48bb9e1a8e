"""The optima of the design problems found again by solvers that know the formulas: SciPy, whole variables enumerated.

Differential evolution with a penalty over all variables, whole ones rounded, then SLSQP over the reals from its result
and from feasible draws, with the codes as they are. Nothing of the default's search takes part.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.optimize import differential_evolution, minimize  # type: ignore[import-untyped]

import hedgerow as hr
from hedgerow.expressions import Absolute, Comparison, Constant
from hedgerow.feasible.reals.slacks import Slacks
from hedgerow.rules.evaluate import evaluate
from hedgerow.rules.simplify import conjuncts
from research.problems.engineering import Design

_PENALTY = 1e3


def found_again(design: Design, seed: int = 0, n_steps: int = 300) -> tuple[float, dict[str, Any]]:
    """Return the lowest cost that the solvers find inside the rules, and where."""
    solver = _Solver(design)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        evolved = differential_evolution(
            solver.penalized, [(0.0, 1.0)] * solver.n, seed=seed, maxiter=n_steps, popsize=12, tol=1e-12, polish=False
        )
        starts = [evolved.x, *solver.near(evolved.x, np.random.default_rng(seed))]
        candidates = [solver.polished(start) for start in starts]
    return min((one for one in candidates if one is not None), key=lambda one: one[0], default=(math.nan, {}))


class _Solver:
    def __init__(self, design: Design) -> None:
        self._design = design
        self._rules = hr.rules.bind_rules(design.space, design.rules)
        self._parts: list[Any] = [part for rule in self._rules for part in conjuncts(rule.expression)]
        self._variables = [slot.variable for slot in design.space.slots]
        self.n = len(self._variables)

    def point(self, units: Any) -> dict[str, Any]:
        values: list[Any] = []
        for unit, variable in zip(np.clip(units, 0.0, 1.0), self._variables, strict=True):
            if variable.is_continuous:
                low, high = (float(end) for end in variable.values)
                values.append(low + float(unit) * (high - low))
            else:
                values.append(variable.values[min(len(variable.values) - 1, int(unit * len(variable.values)))])
        return dict(zip(self._design.space, values, strict=True))

    def slacks(self, point: Mapping[str, Any]) -> list[float]:
        """Return the slacks of all rules, relative to what they compare."""
        at = Slacks([point[name] for name in self._design.space], self._design.space.reals)
        parts = [part for part in self._parts if not _is_equality(part)]
        return [at.of(part).value / _size_of(part, point, self._design.space) for part in parts]

    def differences(self, point: Mapping[str, Any]) -> list[float]:
        """Return how far apart the sides of equalities are."""
        values = [point[name] for name in self._design.space]
        return [float(evaluate(part.left.operand, values)) for part in self._parts if _is_equality(part)]

    def penalized(self, units: Any) -> float:
        point = self.point(units)
        broken = sum(max(0.0, -slack) + (slack < 0) * 1e-3 for slack in self.slacks(point))
        broken += sum(max(0.0, abs(apart) - 1e-3) for apart in self.differences(point))
        scale = abs(self._design.best_known) if self._design.best_known else 1.0
        return self._design.cost(point) + _PENALTY * (scale if math.isfinite(scale) else 1.0) * broken

    def near(self, units: Any, rng: np.random.Generator) -> list[Any]:
        """Return other places to begin: whole variables one step away."""
        steps = np.array([0.0 if v.is_continuous else 1.0 / len(v.values) for v in self._variables])
        return [np.clip(units + rng.integers(-1, 2, self.n) * steps, 0.0, 1.0) for _ in range(8)]

    def polished(self, units: Any) -> tuple[float, dict[str, Any]] | None:
        """Return where SLSQP leads the reals, if that keeps the rules."""
        reals = [k for k, variable in enumerate(self._variables) if variable.is_continuous]

        def whole(part: Any) -> Any:
            result = np.array(units)
            result[reals] = part
            return result

        best = None
        if reals:
            constraints = [
                {"type": "ineq", "fun": lambda part: np.array(self.slacks(self.point(whole(part)))) - 1e-9},
                {"type": "eq", "fun": lambda part: np.array(self.differences(self.point(whole(part))))},
            ]
            result = minimize(
                lambda part: self._design.cost(self.point(whole(part))),
                np.array(units)[reals],
                method="SLSQP",
                bounds=[(0.0, 1.0)] * len(reals),
                constraints=constraints,
                options={"maxiter": 300, "ftol": 1e-14},
            )
            best = whole(result.x)
        for candidate in ([] if best is None else [best]) + [np.array(units)]:
            point = self.point(candidate)
            if all(rule.holds([point[name] for name in self._design.space]) for rule in self._rules):
                return self._design.cost(point), point
        return None


def _is_equality(part: Any) -> bool:
    """Whether a rule is isclose(left, right) with a tolerance that is next to nothing."""
    is_distance = isinstance(part, Comparison) and isinstance(part.left, Absolute)
    return is_distance and isinstance(part.right, Constant) and float(part.right.value) < 1e-6


def _size_of(part: Any, point: Mapping[str, Any], space: hr.Space) -> float:
    values = [point[name] for name in space]
    try:
        return max(1e-6, *(abs(float(evaluate(side, values))) for side in part.children))
    except (ArithmeticError, TypeError, ValueError):
        return 1.0

"""The design of a cylindrical pressure vessel at least cost, on ten levels per variable (Appendix A of the paper)."""

from __future__ import annotations

import math

from hedgerow.rules import Rule
from hedgerow.space import Levels, Point, Space
from research.problems.problem import BenchmarkProblem, Published

N_LEVELS = 10


def pressure_vessel() -> BenchmarkProblem:
    """Return the pressure vessel problem."""
    thickness, extent = _midpoints(0.0625, 6.1875), _midpoints(10, 200)
    return BenchmarkProblem(
        name="pressure-vessel",
        description="cost of a pressure vessel with thickness and volume requirements",
        space=Space({"shell": thickness, "head": thickness, "radius": extent, "length": extent}),
        rules=(
            Rule("-shell + 0.0193 * radius <= 0", name="shell thickness"),
            Rule("-head + 0.00954 * radius <= 0", name="head thickness"),
            # The bound on the length holds everywhere on this grid; as a rule of its own it would only raise a warning.
            Rule(
                f"-{math.pi} * radius**2 * length - 4 / 3 * {math.pi} * radius**3 + 1296000 <= 0 and length - 240 <= 0",
                name="volume and length",
            ),
        ),
        objective=vessel_cost,
        optimum=12408.342082763673,
        n_feasible=3916,
        published=Published(12408.34, 65.6, "PGRAD TR-2"),
    )


def vessel_cost(point: Point) -> float:
    """Return the cost of material, forming and welding."""
    shell, head, radius, length = (float(point[name]) for name in ("shell", "head", "radius", "length"))
    return (
        0.6224 * shell * radius * length
        + 1.7781 * head * radius**2
        + 3.1661 * shell**2 * length
        + 19.84 * shell**2 * radius
    )


def _midpoints(low: float, high: float) -> Levels:
    """The middles of ten equal bins."""
    width = (high - low) / N_LEVELS
    return Levels(low + (i + 0.5) * width for i in range(N_LEVELS))

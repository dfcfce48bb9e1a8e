"""Several objectives, limits and repeats over reals: fronts grow, limits are kept, noisy points are measured again."""

from __future__ import annotations

from typing import Any

import numpy as np

import hedgerow as hr

SPACE = hr.Space({"x": hr.Real(0, 1), "y": hr.Real(0.01, 1, log=True), "k": ["a", "b"]})
RULES = ["x + y <= 1.5"]


def test_two_objectives_find_a_front() -> None:
    def measure(p: dict[str, Any]) -> dict[str, float]:
        off = 0.2 * (p["k"] == "b") + (np.log10(p["y"]) + 1) ** 2
        return {"f": p["x"] ** 2 + off, "g": (p["x"] - 1) ** 2 + off}

    objectives = {"f": "minimize", "g": "minimize"}
    found = hr.minimize(measure, SPACE, RULES, budget=24, objectives=objectives, seed=0)
    front = np.array([list(seen.outcomes.values()) for seen in found.front])
    assert all(seen.is_feasible for seen in found.observations)
    assert (np.sqrt(front).sum(axis=1) < 1.35).sum() >= 4
    assert len({tuple(seen.point.values()) for seen in found.observations}) == 24


def test_limits_are_kept_by_the_best() -> None:
    def measure(p: dict[str, Any]) -> dict[str, float]:
        return {"cost": (p["x"] - 0.9) ** 2 + (np.log10(p["y"]) + 1) ** 2, "heat": p["x"] * 2 + (p["k"] == "b")}

    found = hr.minimize(
        measure, SPACE, RULES, budget=16, objectives={"cost": "minimize"}, limits={"cool": "heat <= 1"}, seed=0
    )
    assert found.best_point is not None
    assert found.best_value is not None
    assert found.best_point["k"] == "a"
    assert found.best_point["x"] <= 0.5
    assert found.best_value < 0.2


def test_noisy_points_are_measured_again_and_failures_avoided() -> None:
    rng = np.random.default_rng(0)
    optimizer = hr.Optimizer(SPACE, RULES, repeats="auto", seed=0)
    for trial in range(18):
        p = optimizer.ask()
        optimizer.tell(p, None if trial == 4 else (p["x"] - 0.5) ** 2 + 0.3 * float(rng.normal()))
    told = [tuple(seen.point.values()) for seen in optimizer.observations]
    assert len(set(told)) < len(told)
    assert optimizer.best is not None
    assert optimizer.predict([optimizer.best.point])[0].outcomes["value"].sd > 0


def test_exact_readings_end_the_repeats() -> None:
    optimizer = hr.Optimizer(SPACE, RULES, repeats="auto", seed=0)
    for _ in range(16):
        p = optimizer.ask()
        optimizer.tell(p, (p["x"] - 0.5) ** 2 + p["y"])
    told = [tuple(seen.point.values()) for seen in optimizer.observations]
    assert 1 <= len(told) - len(set(told)) <= 3

"""The default on spaces with reals: inside the rules always, the same in every process, quick to the best."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import hedgerow as hr

SPACE = hr.Space({"x": hr.Real(0, 4), "y": hr.Real(0.1, 10, log=True), "n": hr.Integer(1, 5), "k": ["a", "b"]})
RULES = ["x * n <= 6", "x + y >= 2", "k == 'a' or n > 1"]


def cost(p: dict[str, Any]) -> float:
    """Return a smooth function whose lowest point lies on a border: x * n = 6 at n = 3."""
    by_codes = 0.5 * (p["n"] - 3.4) ** 2 + (0.3 if p["k"] == "b" else 0.0)
    return float((p["x"] - 3) ** 2 + (p["y"] - 1) ** 2 + by_codes)


def told(n: int, **options: object) -> hr.Optimizer:
    optimizer = hr.Optimizer(SPACE, RULES, **options)  # type: ignore[arg-type]
    for _ in range(n):
        point = optimizer.ask()
        optimizer.tell(point, cost(point))
    return optimizer


def test_every_point_keeps_the_rules_and_none_repeats() -> None:
    optimizer = told(16)
    points = [seen.point for seen in optimizer.observations]
    assert all(p["x"] * p["n"] <= 6 and p["x"] + p["y"] >= 2 and (p["k"] == "a" or p["n"] > 1) for p in points)
    assert len({tuple(p.values()) for p in points}) == 16
    assert optimizer.best is not None
    assert optimizer.best.value is not None
    assert optimizer.best.value < 1.3


def test_a_saved_optimizer_goes_on_bit_for_bit(tmp_path: Path) -> None:
    optimizer = told(9)
    optimizer.save(tmp_path / "saved.json")
    again = hr.Optimizer.load(tmp_path / "saved.json")
    assert [seen.point for seen in again.observations] == [seen.point for seen in optimizer.observations]
    assert again.ask(2) == optimizer.ask(2)


def test_batches_failures_and_points_of_others_are_taken() -> None:
    optimizer = told(7)
    batch = optimizer.ask(3)
    assert len({tuple(p.values()) for p in batch}) == 3
    optimizer.tell(batch[0], None)
    optimizer.tell({"x": 4.0, "y": 9.5, "n": 5, "k": "a"}, 100.0)
    assert optimizer.observations[-1].is_feasible is False
    assert optimizer.ask()["k"] in ("a", "b")


def test_random_draws_reals() -> None:
    optimizer = told(5, method="random")
    assert all(seen.is_feasible for seen in optimizer.observations)


def test_equalities_are_kept_in_every_ask() -> None:
    space = hr.Space({name: hr.Real(0, 1) for name in "abc"})
    optimizer = hr.Optimizer(space, ["a + b + c == 1", "a <= 0.3"])
    for _ in range(9):
        p = optimizer.ask()
        assert p["a"] + p["b"] + p["c"] == 1
        optimizer.tell(p, (p["a"] - 0.5) ** 2 + (p["b"] - 0.2) ** 2)
    assert optimizer.best is not None
    assert optimizer.best.value is not None
    assert optimizer.best.value < 0.05

"""BayBE over the feasible list; skipped where the extra `research` is not installed."""

import sys

import pytest

import hedgerow as hr
from hedgerow.space import Point
from research.rivals import BaybeList

SPACE = hr.Space({"x": hr.Vector(hr.Integer(0, 3), 3), "kind": ["a", "b", "c"], "only": [7]})
RULES = ["sum(x) == 4", "kind != 'a' or x[0] > 0"]


def bowl(point: Point) -> float:
    return float(sum((v - i) ** 2 for i, v in enumerate(point["x"])) + (point["kind"] == "b"))


def suggested(n: int) -> list[Point]:
    optimizer = hr.Optimizer(SPACE, RULES, method=BaybeList())
    for _ in range(n):
        point = optimizer.ask()
        optimizer.tell(point, None if len(optimizer.observations) == 1 else bowl(point))
    return [observation.point for observation in optimizer.observations]


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "baybe", None)
    with pytest.raises(hr.HedgerowError, match=r"needs baybe.*hedgerow\[research\]"):
        hr.Optimizer(SPACE, RULES, method=BaybeList())


def test_suggestions_keep_the_rules_never_repeat_and_come_again() -> None:
    pytest.importorskip("baybe", reason="BayBE is not installed: pip install 'hedgerow[research]'")
    feasible = hr.FeasibleSet(SPACE, RULES)
    points = suggested(8)
    assert all(feasible.explain(point).is_feasible for point in points)
    assert len({repr(point) for point in points}) == len(points)
    assert points == suggested(8)


def test_a_set_too_large_to_list_is_refused_at_once() -> None:
    pytest.importorskip("baybe", reason="BayBE is not installed: pip install 'hedgerow[research]'")
    with pytest.raises(hr.EffortExceeded, match="max_listed=30,000"):
        hr.Optimizer(hr.Space({"x": hr.Vector(bool, 40)}), ["sum(x) == 20"], method=BaybeList())

"""Real variables where others work: saved optimizers, data frames, results and their reports, with either method."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hedgerow as hr
from hedgerow.frames import to_frame
from hedgerow.methods import CATD

SPACE = hr.Space(
    {
        "rate": hr.Real(1e-4, 1.0, log=True),
        "mix": hr.Shares(["p", "q"]),
        "kind": ["a", "b"],
        "drop": hr.Real(0.0, 0.5, when="kind == 'a'"),
    }
)
RULES = ["rate * 2 <= 1", "drop <= mix['p']"]


def cost(point: hr.Point) -> float:
    return float(point["rate"] + point["mix"]["p"] + point.get("drop", 0.2))


def told(method: CATD | str) -> hr.Optimizer:
    optimizer = hr.Optimizer(SPACE, RULES, method=method, seed=0)
    for _ in range(6):
        point = optimizer.ask()
        optimizer.tell(point, cost(point))
    return optimizer


@pytest.mark.parametrize("method", ["auto", CATD("cp", 2, n_models=4, max_epochs=30)], ids=["auto", "catd"])
def test_a_saved_optimizer_goes_on_as_it_would_have(method: CATD | str, tmp_path: Path) -> None:
    optimizer = told(method)
    optimizer.save(tmp_path / "saved.json")
    again = hr.Optimizer.load(tmp_path / "saved.json")
    assert [seen.point for seen in again.observations] == [seen.point for seen in optimizer.observations]
    assert again.ask() == optimizer.ask()


def test_frames_give_back_the_very_floats() -> None:
    pytest.importorskip("pandas", reason="pandas is not installed: pip install 'hedgerow[pandas]'")
    observations = told("random").observations
    again = hr.Optimizer(SPACE, RULES, data=to_frame(observations))
    assert [seen.point for seen in again.observations] == [seen.point for seen in observations]


def test_results_are_reported_with_reals(tmp_path: Path) -> None:
    result = hr.minimize(cost, SPACE, rules=RULES, budget=8, seed=0)
    result.report(tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert result.best_point is not None
    assert all(name in text for name in ("rate", "mix[p]", "drop"))
    assert json.loads(json.dumps(result.best_point)) == result.best_point

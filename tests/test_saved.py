"""An optimizer as a file: it goes on with the very points it would have given, and says what it cannot hold."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import hedgerow as hr

SPACE = hr.Space({"x": hr.Integer(0, 30), "kind": ["a  b", "c"], "v": hr.Vector(hr.Real(0, 1, 5), 2)})
RULES = {"low": "x <= 20 or kind == 'a  b'"}


def value(point: dict[str, Any]) -> float | None:
    return None if point["x"] == 5 else abs(point["x"] - 11) + sum(point["v"]) / 3 + (point["kind"] == "c") / 7


def advance(optimizer: hr.Optimizer, n: int) -> list[dict[str, Any]]:
    points = []
    for _ in range(n):
        points.append(optimizer.ask())
        optimizer.tell(points[-1], value(points[-1]))
    return points


USUAL = hr.methods.Auto()
# Settings of every kind: a number, two numbers, and those of parts.
PART = replace(USUAL.belief, n_draws=2, prior=replace(USUAL.belief.prior, length_spread=0.5))
SET = hr.methods.Auto(patience=5, shortlists=(40, 10), belief=PART)


@pytest.mark.parametrize("method", ["auto", "random", hr.methods.Random(), SET])
def test_it_goes_on_with_the_very_points_it_would_have_given(tmp_path: Path, method: Any) -> None:
    optimizer = hr.Optimizer(SPACE, {"low": RULES["low"], "sum": "sum(v) <= 1"}, seed=4, method=method)
    advance(optimizer, 8)
    waiting = optimizer.ask(2)
    optimizer.save(tmp_path / "a.json")
    other = hr.Optimizer.load(tmp_path / "a.json")
    assert other.observations == optimizer.observations
    assert other.pending == tuple(waiting)
    for one in (optimizer, other):
        one.tell(waiting[0], 3.25)
    assert advance(other, 4) == advance(optimizer, 4)
    other.save(tmp_path / "b.json")
    optimizer.save(tmp_path / "a.json")
    assert (tmp_path / "a.json").read_text() == (tmp_path / "b.json").read_text()


def test_outcomes_failures_and_settings_are_kept(tmp_path: Path) -> None:
    optimizer = hr.Optimizer(
        hr.Space({"x": [1, 2, 3, 4]}),
        objectives={"time": "minimize", "size": "maximize"},
        limits={"fits": "memory <= 16"},
        repeats=2,
        reference={"time": 9.0, "size": 0.0},
    )
    optimizer.tell({"x": 1}, {"time": 1.0, "size": 0.1 + 0.2, "memory": 3})
    optimizer.tell({"x": 2}, hr.Failure("out of memory"))
    optimizer.tell({"x": 3}, [{"time": 1.0, "size": 2.0, "memory": 3}, {"time": 1.5, "size": 2.5, "memory": 4}])
    optimizer.save(tmp_path / "o.json")
    other = hr.Optimizer.load(tmp_path / "o.json")
    assert other.observations == optimizer.observations
    assert repr(other.goals) == repr(optimizer.goals)
    assert other.observations[1].reason == "out of memory"


def test_settings_of_a_method_are_kept_as_far_as_they_are_not_the_usual_ones(tmp_path: Path) -> None:
    hr.Optimizer(SPACE, method=SET).save(tmp_path / "o.json")
    written = json.loads((tmp_path / "o.json").read_text())["settings"]["method"]
    parts = {"n_draws": 2, "prior": {"length_spread": 0.5}}
    assert written == {"name": "auto", "settings": {"patience": 5, "shortlists": [40, 10], "belief": parts}}
    hr.Optimizer.load(tmp_path / "o.json").save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text() == (tmp_path / "o.json").read_text()


def test_what_has_no_text_is_refused(tmp_path: Path) -> None:
    class Own:
        may_break_rules = False

        def start(self, problem: Any) -> Any:
            return self

        def suggest(self, history: Any, seed: int) -> Any:
            raise NotImplementedError

    space = hr.Space({"x": [1, 2]})
    with pytest.raises(hr.HedgerowError, match=r"cannot be saved: rule .* is a Python function"):
        hr.Optimizer(space, [lambda x: x > 1]).save(tmp_path / "o.json")
    with pytest.raises(hr.HedgerowError, match=r"its method .* is not one of auto, catd, random"):
        hr.Optimizer(space, method=Own()).save(tmp_path / "o.json")
    with pytest.raises(hr.HedgerowError, match="cannot be written"):
        hr.Optimizer(space).save(tmp_path / "no" / "o.json")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_saved_optimizer_is_told(tmp_path: Path) -> None:
    file = tmp_path / "o.json"
    hr.Optimizer(hr.Space({"x": [1, 2]})).save(file)
    good = json.loads(file.read_text())
    for text, message in (
        ("{", "is damaged"),
        ("[]", "is no saved optimizer"),
        (json.dumps({**good, "version": 99}), "has version 99, which is not known here"),
        (json.dumps({**good, "problem": "[space]"}), "is damaged"),
        (json.dumps({key: value for key, value in good.items() if key != "settings"}), "is damaged"),
        (json.dumps({**good, "settings": {**good["settings"], "method": {"name": "os"}}}), "is damaged"),
    ):
        file.write_text(text)
        with pytest.raises(hr.HedgerowError, match=message):
            hr.Optimizer.load(file)
    with pytest.raises(hr.HedgerowError, match="cannot be opened"):
        hr.Optimizer.load(tmp_path / "none.json")

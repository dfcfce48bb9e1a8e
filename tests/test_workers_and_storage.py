"""`minimize` with several workers, and with a storage that another run goes on with."""

from __future__ import annotations

import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import hedgerow as hr

SPACE = hr.Space({"x": hr.Integer(0, 9), "y": hr.Integer(0, 9)})
RULES = ["x + y >= 4"]


def distance(point: dict[str, Any]) -> float:
    return float((point["x"] - 3) ** 2 + point["y"])


def test_workers_evaluate_at_the_same_time() -> None:
    together = threading.Barrier(3, timeout=30)

    def meet(point: dict[str, Any]) -> float:
        together.wait()
        return distance(point)

    result = hr.minimize(meet, SPACE, RULES, budget=9, workers=3, method="random")
    assert len(result.observations) == 9
    assert len({tuple(seen.point.items()) for seen in result.observations}) == 9
    assert all(seen.is_feasible for seen in result.observations)
    assert result.stopped == "budget"


def test_what_ends_a_run_of_several_loses_nothing() -> None:
    result = hr.minimize(distance, SPACE, RULES, budget=50, workers=4, method="random", callbacks=[lambda _: True])
    assert result.stopped == "callback"
    assert 1 <= len(result.observations) <= 4
    small = hr.minimize(distance, hr.Space({"x": [1, 2, 3], "y": [4]}), budget=50, workers=2)
    assert small.stopped == "exhausted"
    assert len(small.observations) == 3
    with pytest.warns(hr.TrialWarning, match="raised ZeroDivisionError"):
        broken = hr.minimize(lambda _: 1 / 0, SPACE, budget=50, workers=2, method="random")
    assert broken.stopped == "failing"
    assert hr.minimize(distance, SPACE, budget=50, workers=2, timeout=0.0).stopped == "timeout"


def test_points_to_try_first_are_tried_once_by_several() -> None:
    first = [{"x": 3, "y": 1}, {"x": 9, "y": 9}, {"x": 3, "y": 1}]
    result = hr.minimize(distance, SPACE, RULES, budget=4, workers=2, method="random", initial=first)
    points = [seen.point for seen in result.observations]
    assert all(points.count(point) == 1 for point in first)


def test_an_executor_of_ones_own_evaluates() -> None:
    with ThreadPoolExecutor(2, thread_name_prefix="mine") as pool:
        names = []

        def named(point: dict[str, Any]) -> float:
            names.append(threading.current_thread().name)
            return distance(point)

        hr.minimize(named, SPACE, RULES, budget=3, workers=2, executor=pool, method="random")
    assert all(name.startswith("mine") for name in names)


@pytest.mark.parametrize("name", ["study.db", Path("study.sqlite"), "journal:trials.log"])
def test_a_storage_is_gone_on_with(tmp_path: Path, name: str | Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    options: dict[str, Any] = {"storage": name, "method": "random", "workers": 2}
    first = hr.minimize(distance, SPACE, RULES, budget=5, **options)
    assert (first.stopped, len(first.observations)) == ("budget", 5)
    more = hr.minimize(distance, SPACE, RULES, budget=8, **options)
    assert len(more.observations) == 8
    assert set(map(repr, first.observations)) <= set(map(repr, more.observations))
    assert more.best_value == min(seen.value or 99 for seen in more.observations)
    again = hr.minimize(distance, SPACE, RULES, budget=8, **options)
    assert again.observations == more.observations
    assert len(hr.maximize(distance, SPACE, RULES, budget=2, study="other", **options).observations) == 2


def test_a_stored_run_takes_what_an_unstored_one_takes(tmp_path: Path) -> None:
    file = tmp_path / "study.db"
    initial: list[Any] = [({"x": 9, "y": 9}, 45.0), {"x": 3, "y": 1}, ({"x": 0, "y": 9}, None)]
    seen: list[int] = []

    def stop(optimizer: hr.Optimizer) -> bool:
        seen.append(len(optimizer.observations))
        return len(optimizer.observations) >= 5

    result = hr.minimize(
        distance, SPACE, RULES, budget=50, storage=file, method="random", initial=initial, callbacks=[stop]
    )
    assert result.stopped == "callback"
    # After each trial, and after no other once they have said so.
    assert seen == [3, 4, 5] and len(result.observations) == 5
    assert result.best_point == {"x": 3, "y": 1}
    assert result.n_failed == 1
    before = len(result.observations)
    again = hr.minimize(distance, SPACE, RULES, budget=before - 2, storage=file, method="random", initial=initial)
    assert len(again.observations) == before
    assert hr.minimize(distance, SPACE, RULES, budget=99, storage=file, timeout=0.0).stopped in ("timeout", "budget")


def test_failures_of_a_stored_run_say_why(tmp_path: Path) -> None:
    def fail(_: dict[str, Any]) -> float:
        raise RuntimeError("no license")

    result = hr.minimize(fail, SPACE, RULES, budget=50, storage=tmp_path / "study.db", method="random")
    assert result.stopped == "failing"
    assert result.observations[0].reason == "RuntimeError: no license"

    def trip(_: hr.Optimizer) -> None:
        raise ValueError("in the plot")

    tripped = hr.minimize(distance, SPACE, budget=5, storage=tmp_path / "b.db", method="random", callbacks=[trip])
    assert tripped.stopped == "error"
    assert str(tripped.error) == "in the plot"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"workers": 0}, "workers is a whole number of at least 1"),
        ({"study": "a"}, "needs a storage"),
        ({"executor": "dask:here"}, "Clusters work with a storage"),
        ({"storage": "nowhere://x"}, "cannot be"),
        ({"storage": "study.db", "prior": [5]}, "prior 1 is a data frame"),
        ({"storage": "study.db", "method": "bst"}, "no method 'bst'"),
        ({"storage": "study.db", "initial": [5]}, "none of them"),
        ({"storage": "study.db", "initial": [{"x": 0, "y": 0}]}, "to evaluate first"),
    ],
)
def test_bad_arguments_are_named(
    tmp_path: Path, options: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings(), pytest.raises(hr.HedgerowError, match=message):
        hr.minimize(distance, SPACE, RULES, budget=3, **options)

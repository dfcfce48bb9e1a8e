"""Studies whose runs end where nothing is left to gain."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import hedgerow as hr
from hedgerow.errors import HedgerowError
from hedgerow.space import Point

FILE = """
[space]
x = {type = "integer", low = 0, high = 9}
y = {type = "integer", low = 0, high = 9}

[rules]
together = "x + y >= 4"

[run]
budget = 100
stop = "when nothing is left"
least_gain = 0.5
"""


def value(point: Point) -> float:
    return float((point["x"] - 3) ** 2 + point["y"])


def test_a_run_of_a_file_stops_and_stays_stopped(tmp_path: Path) -> None:
    file = tmp_path / "problem.toml"
    file.write_text(FILE)
    with ThreadPoolExecutor(1) as pool:
        result = hr.run(file, objective=value, executor=pool)
        assert result.stopped is hr.Stopped.NOTHING_LEFT
        assert result.best_point == {"x": 3, "y": 1}
        again = hr.run(file, objective=value, executor=pool)
        assert again.stopped is hr.Stopped.NOTHING_LEFT
        assert len(again.observations) == len(result.observations) < 60


def test_a_function_with_a_storage_stops(tmp_path: Path) -> None:
    space = hr.Space({"x": hr.Integer(0, 9), "y": hr.Integer(0, 9)})
    result = hr.minimize(
        value,
        space,
        ["x + y >= 4"],
        storage=tmp_path / "study.db",
        stop="when nothing is left",
        least_gain=0.5,
        progress=False,
    )
    assert result.stopped is hr.Stopped.NOTHING_LEFT
    assert result.best_value == 1.0
    assert len(result.observations) < 60


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('stop = "soon"', "stop is None or 'when nothing is left'"),
        ("stop = 3", "stop is None or"),
        ("least_gain = 1", "it needs stop="),
        ('stop = "when nothing is left"\nleast_gain = -1', "a number above 0"),
    ],
)
def test_bad_ways_to_stop_are_told_when_the_file_is_read(tmp_path: Path, line: str, said: str) -> None:
    file = tmp_path / "problem.toml"
    file.write_text(f"[space]\nx = [1, 2]\n[run]\n{line}\n")
    with pytest.raises(HedgerowError, match=said):
        hr.load_problem(file)

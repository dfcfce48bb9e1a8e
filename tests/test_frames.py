"""Tables in and out of Python: `data=` of an optimizer, `to_pandas` of a result, and what is wrong with a table."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

import hedgerow as hr

SPACE = hr.Space({"x": hr.Integer(0, 9), "kind": ["a", "b"], "v": hr.Vector([1, 2], 2)})
ROWS: list[dict[str, Any]] = [
    {"x": 1, "kind": "a", "v[0]": 1, "v[1]": 2, "value": 3.5, "who": "me"},
    {"x": 2.0, "kind": "b", "v[0]": 2, "v[1]": 2, "value": math.nan, "who": "you"},
    {"x": 3, "kind": "b", "v[0]": 1, "v[1]": 1, "value": 1.5, "who": None},
]


def test_rows_are_told_at_the_start() -> None:
    optimizer = hr.Optimizer(SPACE, ["x >= 2"], data=ROWS, seed=0)
    assert [seen.value for seen in optimizer.observations] == [3.5, None, 1.5]
    assert [seen.is_feasible for seen in optimizer.observations] == [False, True, True]
    assert optimizer.best is not None
    assert optimizer.best.point == {"x": 3, "kind": "b", "v": [1, 1]}


def test_the_only_other_column_needs_no_name() -> None:
    optimizer = hr.Optimizer(hr.Space({"x": [1, 2]}), data=[{"x": 1, "yield": 5.0}, {"x": 2, "yield": None}])
    assert [seen.value for seen in optimizer.observations] == [5.0, None]


def test_the_only_other_column_needs_no_name_where_points_may_repeat() -> None:
    optimizer = hr.Optimizer(hr.Space({"x": [1, 2, 3]}), data=[{"x": 1, "time": 3.0}], repeats="auto")
    assert optimizer.observations[0].value == 3.0


def test_a_row_that_cannot_be_told_is_named_by_its_place_from_0() -> None:
    with pytest.raises(hr.PointError, match="Row 1 of data, counted from 0: "):
        hr.Optimizer(hr.Space({"x": [1, 2]}), data=[{"x": 1, "value": 3.0}, {"x": 7, "value": 3.0}])


def test_outcomes_are_matched_by_name() -> None:
    optimizer = hr.Optimizer(
        hr.Space({"x": [1, 2, 3]}),
        objectives={"time": "minimize", "size": "minimize"},
        limits={"fits": "memory <= 16"},
        data=[
            {"x": 1, "time": 1.0, "size": 2.0, "memory": 3.0},
            {"x": 2, "time": math.nan, "size": None, "memory": None},
        ],
    )
    first, second = optimizer.observations
    assert dict(first.outcomes) == {"time": 1.0, "size": 2.0, "memory": 3.0}
    assert second.failed


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("x", "data is a data frame, or a list of dicts"),
        ([1, 2], "data is a data frame, or a list of dicts"),
        ([{"x": 1, "value": 2}], "no column 'kind'"),
        ([{"y": 1, "kind": "a", "v": [1, 1], "value": 2}], "no column 'x'"),
        ([{"x": 1, "kind": "a", "v": [1, 1]}], "no columns besides the variables"),
        ([{"x": 1, "kind": "a", "v": [1, 1], "a": 1, "b": 2}], "several columns besides the variables: a, b"),
        ([{"x": 99, "kind": "a", "v": [1, 1], "value": 2}], "Row 0 of data, counted from 0: "),
        ([{"x": 1, "kind": "a", "v": [1, 1], "value": "fast"}], "Row 0 of data, counted from 0: A value is a number"),
    ],
)
def test_a_table_with_a_mistake_is_told(data: Any, message: str) -> None:
    with pytest.raises(hr.PointError, match=message):
        hr.Optimizer(SPACE, data=data)


def test_a_result_becomes_a_frame_and_back() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    result = hr.Optimizer(SPACE, ["x >= 2"], data=pandas.DataFrame(ROWS)).result()
    frame = result.to_pandas()
    assert list(frame.columns) == ["x", "kind", "v[0]", "v[1]", "value", "is_feasible", "failed", "reason"]
    assert list(frame["failed"]) == [False, True, False]
    again = hr.Optimizer(SPACE, ["x >= 2"], data=frame)
    assert again.observations == result.observations


def test_an_optimizer_shows_what_a_result_shows() -> None:
    result = hr.Optimizer(SPACE, data=ROWS, direction="maximize").result()
    assert (result.best_value, result.is_maximized, str(result.stopped)) == (3.5, True, "open")
    assert result.best_so_far()[-1] == 3.5


def test_shares_have_a_column_each_and_come_back(tmp_path: Path) -> None:
    space = hr.Space({"mix": hr.Shares(["wax", "oil", "dye"], step=0.05), "pair": hr.Vector([0, 1], 2)})
    optimizer = hr.Optimizer(space, ["mix['wax'] >= 0.1"], method="random", seed=0)
    for point in optimizer.ask(5):
        optimizer.tell(point, point["mix"]["wax"])
    frame = optimizer.result().to_pandas()
    assert list(frame.columns)[:5] == ["mix[wax]", "mix[oil]", "mix[dye]", "pair[0]", "pair[1]"]
    frame.to_csv(tmp_path / "trials.csv", index=False)
    pandas = pytest.importorskip("pandas")
    for data in (
        frame,
        pandas.read_csv(tmp_path / "trials.csv"),
        [{**seen.point, "value": seen.value} for seen in optimizer.observations],
    ):
        again = hr.Optimizer(space, ["mix['wax'] >= 0.1"], data=data)
        assert again.observations == optimizer.observations


def test_a_table_of_shares_is_told_which_columns_it_lacks() -> None:
    space = hr.Space({"mix": hr.Shares(["resin", "wax"], step=0.25)})
    with pytest.raises(hr.PointError) as caught:
        hr.Optimizer(space, data=[{"mix.resin": 0.5, "mix.wax": 0.5, "value": 1.0}])
    said = "nor one for each of its parts: mix[resin], mix[wax]. It has mix.resin, mix.wax, value."
    assert said in str(caught.value)
    assert len(hr.Optimizer(space, data=[{"mix[resin]": 0.5, "mix[wax]": 0.5, "value": 1.0}]).observations) == 1

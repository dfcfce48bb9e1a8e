"""The convergence plot: what it shows, where it goes, and what happens without Matplotlib."""

import math
import sys
from pathlib import Path
from typing import Any

import pytest

import hedgerow as hr

SPACE = hr.Space({"x": hr.Integer(0, 20)})


@pytest.fixture(name="axes")
def axes_fixture() -> Any:
    figures = pytest.importorskip(
        "matplotlib.figure", reason="Matplotlib is not installed: pip install 'hedgerow[plots]'"
    )
    return figures.Figure().subplots()


def labeled(axes: Any) -> dict[str, Any]:
    return {str(line.get_label()).split()[0]: line for line in axes.get_lines()}


def test_trials_best_and_optimum_are_drawn(axes: Any) -> None:
    result = hr.minimize(lambda point: (point["x"] - 7) ** 2, SPACE, budget=8)
    drawn = result.plot_convergence(axes, optimum=0.0, title="A parabola", value_label="height [m]")
    assert drawn is axes
    lines = labeled(axes)
    assert list(lines["trial"].get_ydata()) == [observation.value for observation in result.observations]
    assert axes.get_title(loc="left") == "A parabola"
    assert axes.get_ylabel() == "height [m]"
    assert set(lines["optimum"].get_ydata()) == {0.0}
    ringed: Any = next(line for line in axes.get_lines() if "trial " in str(line.get_label()))
    assert list(ringed.get_ydata()) == [result.best_value]


def test_the_best_line_of_a_maximization_rises(axes: Any) -> None:
    result = hr.maximize(lambda point: point["x"] + 1, SPACE, budget=8)
    result.plot_convergence(axes)
    best = next(line for line in axes.get_lines() if line.get_label() == "best so far").get_ydata()
    assert list(best) == result.best_so_far() == sorted(result.best_so_far())


def test_failed_trials_are_crosses_and_leave_gaps(axes: Any) -> None:
    result = hr.minimize(lambda point: None if point["x"] % 2 else point["x"], SPACE, budget=12)
    result.plot_convergence(axes)
    lines = labeled(axes)
    assert len(lines["failed"].get_xdata()) == result.n_failed > 0
    assert sum(math.isnan(value) for value in lines["trial"].get_ydata()) == result.n_failed


def test_nothing_but_failures_can_be_drawn(axes: Any) -> None:
    hr.minimize(lambda _: None, SPACE, budget=3).plot_convergence(axes)
    assert "best" not in labeled(axes)


@pytest.mark.parametrize(("factor", "scale"), [(1.0, "linear"), (100.0, "log")])
def test_values_of_many_magnitudes_get_a_logarithmic_axis(axes: Any, factor: float, scale: str) -> None:
    initial = [({"x": 20}, 10.0 * factor)]
    result = hr.minimize(lambda _: 9.0, SPACE, budget=3, initial=initial)
    result.plot_convergence(axes)
    assert axes.get_yscale() == scale


def test_a_file_name_gives_a_picture(axes: Any, tmp_path: Path) -> None:
    path = tmp_path / "run.png"
    hr.minimize(lambda point: point["x"], SPACE, budget=5).plot_convergence(path)
    assert path.read_bytes().startswith(b"\x89PNG")


def test_without_matplotlib_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    result = hr.minimize(lambda point: point["x"], SPACE, budget=3)
    with pytest.raises(hr.HedgerowError, match=r"need Matplotlib.*hedgerow\[plots\]"):
        result.plot_convergence("run.png")


def test_told_points_that_break_a_rule_are_hollow_and_not_the_best(axes: Any) -> None:
    known = [({"x": 9}, -5.0), ({"x": 3}, 16.0)]
    result = hr.minimize(lambda point: (point["x"] - 7) ** 2, SPACE, ["x != 9"], budget=3, initial=known)
    result.plot_convergence(axes)
    lines = labeled(axes)
    assert lines["breaks"].get_ydata()[0] == -5.0
    assert all(math.isnan(value) for value in lines["breaks"].get_ydata()[1:])
    assert math.isnan(lines["trial"].get_ydata()[0])
    best = next(line for line in axes.get_lines() if line.get_label() == "best so far").get_ydata()
    assert min(best[1:]) == result.best_value != -5.0


@pytest.mark.parametrize("repeats", [2, "auto"])
def test_a_best_point_of_several_readings_is_ringed_at_their_mean(axes: Any, repeats: Any) -> None:
    optimizer = hr.Optimizer(SPACE, repeats=repeats)
    for x, value in ((3, 5.0), (7, 1.0), (3, 4.0), (7, 2.0), (9, 6.0)):
        optimizer.tell({"x": x}, value)
    optimizer.plot_convergence(axes)
    ringed: Any = next(line for line in axes.get_lines() if str(line.get_label()).startswith("best 1.5"))
    assert str(ringed.get_label()) == "best 1.5, mean of 2 readings"
    assert (list(ringed.get_xdata()), list(ringed.get_ydata())) == ([4], [1.5])
    best = next(line for line in axes.get_lines() if line.get_label() == "best mean so far").get_ydata()
    assert list(best) == [5.0, 1.0, 1.0, 1.5, 1.5]


SEVERAL = {"time": "minimize", "work": "maximize"}


def several() -> hr.Optimizer:
    optimizer = hr.Optimizer(SPACE, objectives=SEVERAL, limits={"fits": "memory <= 9"})
    optimizer.tell({"x": 1}, {"time": 5.0, "work": 1.0, "memory": 1.0})
    optimizer.tell({"x": 2}, {"time": 3.0, "work": 4.0, "memory": 99.0})
    optimizer.tell({"x": 3}, {"time": 4.0, "work": 2.0, "memory": 2.0})
    optimizer.tell({"x": 4}, {"work": 3.0, "memory": 2.0})
    optimizer.tell({"x": 5}, None)
    return optimizer


@pytest.mark.parametrize(
    ("outcome", "values", "best"),
    [
        (None, [5.0, None, 4.0, None, None], [5.0, 5.0, 4.0, 4.0, 4.0]),
        ("work", [1.0, None, 2.0, 3.0, None], [1.0, 1.0, 2.0, 3.0, 3.0]),
        ("memory", [1.0, None, 2.0, 2.0, None], None),
    ],
)
def test_one_of_several_outcomes_is_drawn_by_its_name(axes: Any, outcome: Any, values: Any, best: Any) -> None:
    several().plot_convergence(axes, outcome=outcome)
    lines = labeled(axes)
    assert axes.get_ylabel() == (outcome or "time")
    assert [None if math.isnan(y) else y for y in lines["trial"].get_ydata()] == values
    assert list(lines["breaks"].get_ydata())[1] == {"work": 4.0, "memory": 99.0}.get(outcome, 3.0)
    assert list(lines["failed"].get_xdata()) == [5]
    drawn = [list(line.get_ydata()) for line in axes.get_lines() if line.get_label() == "best so far"]
    assert drawn == ([] if best is None else [best])
    assert ("gave" in lines) == (outcome is None)


def test_an_unknown_outcome_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    optimizer = several()
    with pytest.raises(hr.ArgumentError, match=r"no outcome 'tme' to draw: .*'work' and 'memory'; did you mean 'time'"):
        optimizer.plot_convergence(tmp_path / "a.png", outcome="tme")
    with pytest.raises(hr.ArgumentError, match="no outcome 'tme'"):
        optimizer.plot_effects(tmp_path / "a.png", outcome="tme")
    with pytest.raises(hr.ArgumentError, match="no outcome 'speed' to draw: trials give 'value'"):
        hr.Optimizer(SPACE).plot_parallel(tmp_path / "a.png", outcome="speed")

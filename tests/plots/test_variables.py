"""Pictures of the variables: what they show, where they go, and what cannot be drawn."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.space import Point

SPACE = hr.Space({"x": hr.Integer(0, 9), "kind": ["plain", "$coated$", "double"], "on": bool})
RULES = {"cap": "x <= 7 or on"}


def objective(point: Point) -> float | None:
    if point["x"] == 2:
        return None
    return float((point["x"] - 5) ** 2 + 9 * ((point["x"] > 4) != point["on"]) + len(point["kind"]) / 10)


@pytest.fixture(name="result", scope="module")
def result_fixture() -> hr.Result:
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed: pip install 'hedgerow[plots]'")
    return hr.minimize(objective, SPACE, rules=RULES, budget=25, method="random")


@pytest.fixture(autouse=True)
def without_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "agg")


def test_every_variable_has_its_panel_with_means_at_its_levels(result: hr.Result, tmp_path: Path) -> None:
    figure: Any = result.plot_effects(tmp_path / "effects.png")
    panels = {axes.get_title(loc="left").split()[0]: axes for axes in figure.get_axes() if axes.get_visible()}
    assert set(panels) == {"x", "kind", "on"}
    line = panels["x"].get_lines()[0]
    assert list(line.get_xdata()) == list(range(10))
    assert int(np.argmin(line.get_ydata())) in (4, 5, 6)
    assert len({axes.get_ylim() for axes in panels.values()}) == 1
    assert (tmp_path / "effects.png").read_bytes().startswith(b"\x89PNG")


def test_the_strongest_interaction_is_drawn_first(result: hr.Result, tmp_path: Path) -> None:
    figure: Any = result.plot_interactions(tmp_path / "pairs.svg")
    first = figure.get_axes()[0]
    assert {first.get_xlabel(), first.get_ylabel()} == {"x", "on"}
    assert (tmp_path / "pairs.svg").read_text().startswith("<?xml")


def test_every_feasible_value_is_a_line(result: hr.Result, tmp_path: Path) -> None:
    figure: Any = result.plot_parallel(tmp_path / "lines.png")
    n_values = sum(not seen.failed for seen in result.observations)
    lines = [line for line in figure.get_axes()[0].get_lines() if len(line.get_xdata()) == 4]
    assert len(lines) == n_values
    assert [label.get_text() for label in figure.get_axes()[0].get_xticklabels()] == ["x", "kind", "on", "value"]


def test_without_a_path_the_figure_is_pyplot_s(result: hr.Result) -> None:
    from matplotlib import pyplot as plt  # noqa: PLC0415

    figure = result.plot_parallel()
    assert figure in [plt.figure(number) for number in plt.get_fignums()]
    plt.close("all")


def test_a_notebook_shows_a_figure_once(result: hr.Result, monkeypatch: pytest.MonkeyPatch) -> None:
    import matplotlib as mpl  # noqa: PLC0415
    from matplotlib import pyplot as plt  # noqa: PLC0415

    monkeypatch.setattr(mpl, "get_backend", lambda: "module://matplotlib_inline.backend_inline")
    assert result.plot_effects() is not None
    assert plt.get_fignums() == []


def test_what_cannot_be_drawn_is_told(result: hr.Result) -> None:
    flat = hr.minimize(lambda _: 1.0, SPACE, budget=5)
    with pytest.raises(hr.HedgerowError, match="not all the same"):
        flat.plot_effects("x.png")
    failed = hr.minimize(lambda _: None, SPACE, budget=3)
    with pytest.raises(hr.HedgerowError, match="No trial gave a value"):
        failed.plot_parallel("x.png")
    simple = hr.minimize(lambda point: point["x"], hr.Space({"x": hr.Integer(0, 5)}), budget=6)
    with pytest.raises(hr.HedgerowError, match="No pair of variables"):
        simple.plot_interactions("x.png")
    made_by_hand = hr.Result(None, None, result.observations, hr.Stopped.BUDGET, 1.0)
    with pytest.raises(hr.HedgerowError, match="does not know its space"):
        made_by_hand.plot_effects("x.png")


def test_without_matplotlib_the_error_names_the_extra(result: hr.Result, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(hr.HedgerowError, match=r"need Matplotlib.*hedgerow\[plots\]"):
        result.plot_effects("effects.png")


def test_results_go_to_other_processes_and_leave_functions_behind(result: hr.Result, tmp_path: Path) -> None:
    copied = pickle.loads(pickle.dumps(result))  # noqa: S301 - what was pickled a moment ago
    assert copied == result
    copied.plot_parallel(tmp_path / "copy.png")
    functional = hr.minimize(objective, SPACE, rules=[lambda x, on: x <= 7 or on], budget=2)
    assert pickle.loads(pickle.dumps(functional)) == functional  # noqa: S301
    assert pickle.loads(pickle.dumps(functional)).feasible is None  # noqa: S301


def test_each_of_several_objectives_has_its_pictures(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    optimizer = hr.Optimizer(SPACE, RULES, objectives={"time": "minimize", "gain": "maximize"}, method="random")
    for point in optimizer.ask(20):
        time = objective(point)
        optimizer.tell(point, None if time is None else {"time": time, "gain": float(point["x"] * (1 + point["on"]))})
    result = optimizer.result()
    for outcome in ("time", "gain"):
        effects: Any = result.plot_effects(tmp_path / "effects.png", outcome=outcome)
        assert f"Mean prediction of {outcome} by variable" in effects.get_suptitle()
        assert effects.get_axes()[0].get_ylabel() == outcome
        lines: Any = result.plot_parallel(tmp_path / "lines.png", outcome=outcome)
        assert lines.get_axes()[0].get_xticklabels()[-1].get_text() == outcome
    first: Any = result.plot_effects(tmp_path / "effects.png")
    assert "of time" in first.get_suptitle()
    pairs: Any = optimizer.plot_interactions(tmp_path / "pairs.png", outcome="gain")
    assert "of gain" in pairs.get_suptitle()

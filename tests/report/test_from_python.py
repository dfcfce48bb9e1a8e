"""The page from Python: of results, optimizers, Optuna studies and problem files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import optuna
import pytest

import hedgerow as hr
from hedgerow.insight.effects import share_in_words

SPACE = hr.Space({"x": hr.Integer(0, 9), "v": hr.Vector([0, 1], 2)})
RULES = {"cap": "x + sum(v) <= 9", "odd": "x % 2 == 1"}


def value(point: dict[str, Any]) -> float | None:
    return None if point["x"] == 3 else float(point["x"] - point["v"][0])


def test_a_result_and_an_optimizer_have_a_page(tmp_path: Path) -> None:
    result = hr.maximize(value, SPACE, RULES, budget=9, method="random")
    result.report(tmp_path / "page.html", title="Mine <b>")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Mine &lt;b&gt; – Hedgerow report" in page
    assert f"in trial {[seen.value for seen in result.observations].index(result.best_value)}" in page
    assert "Higher is better" in page
    assert "x % 2 == 1" in page
    assert "hedgerow run" not in page
    optimizer = hr.Optimizer(SPACE, [lambda x: str(x) != "4"], data=result.to_pandas())
    optimizer.report(str(tmp_path / "optimizer.html"))
    page = (tmp_path / "optimizer.html").read_text(encoding="utf-8")
    assert "Python functions have no text" in page


@pytest.mark.parametrize("is_ours", [True, False])
def test_an_optuna_study_has_a_page(tmp_path: Path, is_ours: bool) -> None:
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    own = hr.HedgerowSampler(hr.Space({"x": hr.Integer(0, 9)}), ["x >= 2"], method="random")
    sampler = own if is_ours else optuna.samplers.RandomSampler(seed=1)
    study = optuna.create_study(study_name="theirs", sampler=sampler)
    study.optimize(lambda trial: trial.suggest_int("x", 0, 9) ** 2, n_trials=8)
    hr.write_report(study, tmp_path / "page.html", rules=None if is_ours else ["x >= 2"])
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "theirs – Hedgerow report" in page
    assert "x &gt;= 2" in page
    assert ("breaks a rule as the rules are now" in page) != is_ours


def test_what_cannot_be_shown_is_named(tmp_path: Path) -> None:
    with pytest.raises(hr.ArgumentError, match="A report is about"):
        hr.write_report(5, tmp_path / "page.html")
    with pytest.raises(hr.HedgerowError, match="no trials yet"):
        hr.Optimizer(SPACE).report(tmp_path / "page.html")
    with pytest.raises(hr.HedgerowError, match="no trials yet"):
        hr.write_report(optuna.create_study(), tmp_path / "page.html")
    with pytest.raises(hr.HedgerowError, match="no file"):
        hr.write_report(tmp_path / "none.toml", tmp_path / "page.html")
    result = hr.minimize(value, SPACE, budget=2, method="random")
    with pytest.raises(hr.HedgerowError, match="cannot be written"):
        result.report(tmp_path / "no" / "page.html")


def test_an_optimizer_draws_what_its_result_draws(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    optimizer = hr.Optimizer(SPACE, RULES)
    for x in (1, 5, 7):
        optimizer.tell({"x": x, "v": [0, 1]}, float(x))
    optimizer.plot_convergence(tmp_path / "a.png", title="Mine")
    optimizer.plot_parallel(tmp_path / "b.png")
    assert (tmp_path / "a.png").exists()
    assert (tmp_path / "b.png").exists()


def test_the_page_and_the_pictures_say_the_shares_of_importance(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    space = hr.Space({"x": hr.Integer(0, 9), "y": hr.Integer(0, 9), "z": ["a", "b", "c"]})
    optimizer = hr.Optimizer(space, ["x + y <= 14"], method="random")
    # So few that most is unknown, and a mean prediction alone would be too sure.
    for point in optimizer.ask(9):
        optimizer.tell(point, float((point["x"] - 5) ** 2 + point["x"] * (point["y"] - 4) + 9 * (point["z"] == "b")))
    shares = [share_in_words(each.share, each.interval) for each in optimizer.importance().main]
    optimizer.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    effects = page[page.index('id="effects"') :]
    assert re.findall(r"<h3>.*?<em>(.*?)</em>", effects)[:3] == [share.replace("<", "&lt;") for share in shares]
    assert "importance()" in effects
    figure: Any = optimizer.plot_effects(tmp_path / "effects.png")
    titles = [axes.get_title(loc="left").split(maxsplit=1)[1] for axes in figure.get_axes() if axes.get_visible()]
    assert titles == shares

"""Variables with conditions through everything a user does: ask and tell, files, frames, Optuna, studies, pictures."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import optuna
import pytest

import hedgerow as hr
from hedgerow.methods import Auto, CandidateSettings, CodeProblem
from hedgerow.methods.auto.kernel.tensor_kernel import TensorKernel
from hedgerow.methods.auto.kernel_problem import KernelProblem
from hedgerow.runs.table import point_in
from hedgerow.runs.workers.command import CommandTemplate
from tests.conditional import key, random_tree

SPACE = hr.Space(
    {
        "booster": ["gbtree", "dart"],
        "rate": hr.Real(0.01, 1.0, levels=9, log=True),
        "depth": hr.Integer(2, 8),
        "drop": hr.Real(0.0, 0.5, levels=6, when="booster == 'dart'"),
        "skip": hr.Boolean(when="drop > 0.1"),
        "units": hr.Vector(hr.Levels([8, 16]), 2, when="booster == 'dart' and depth >= 6"),
    }
)
RULES = ["rate * depth <= 2", "drop * depth <= 2", "implies(skip, rate < 0.5)"]


def loss(point: dict[str, Any]) -> float:
    """Smallest with dart, a drop of 0.2 and a small rate."""
    base = abs(point["depth"] - 6) + 3 * abs(np.log10(point["rate"]) + 1)
    if point["booster"] == "gbtree":
        return float(base + 2)
    return float(base + 10 * abs(point["drop"] - 0.2) + sum(point.get("units", [8])) / 32)


def test_asked_points_keep_rules_and_conditions_and_never_repeat() -> None:
    optimizer = hr.Optimizer(SPACE, RULES, seed=1)
    seen = set()
    for _ in range(30):
        point = optimizer.ask()
        assert point in optimizer.feasible
        assert ("drop" in point) == (point["booster"] == "dart")
        assert ("skip" in point) == (point.get("drop", 0) > 0.1)
        assert key(point) not in seen
        seen.add(key(point))
        optimizer.tell(point, loss(point))
    assert optimizer.best is not None and (optimizer.best.value or 0) <= 0.8


@pytest.mark.filterwarnings("ignore::hedgerow.RuleWarning")
def test_random_spaces_are_tried_to_the_last_point() -> None:
    random = Random(5)
    n_done = 0
    while n_done < 4:
        tree = random_tree(random)
        try:
            optimizer = hr.Optimizer(tree.space, [rule.text for rule in tree.rules], seed=0)
        except (hr.SpaceError, hr.InfeasibleError):
            continue
        expected = tree.feasible()
        if not tree.conditions or not 8 <= len(expected) <= 40:
            continue
        asked = []
        for _ in expected:
            asked.append(optimizer.ask())
            optimizer.tell(asked[-1], float(len(key(asked[-1])) % 7))
        assert sorted(map(key, asked)) == sorted(map(key, expected))
        with pytest.raises(hr.SpaceExhausted):
            optimizer.ask()
        n_done += 1


def test_a_search_reaches_both_sides_of_a_condition() -> None:
    """Where ten variables come at once, no small change leads to the few points without them."""
    space = hr.Space(
        {
            "deep": bool,
            "shallow": hr.Integer(0, 20, when="not deep"),
            "layers": hr.Vector(hr.Integer(0, 9), 10, when="deep"),
        }
    )

    def value(point: dict[str, Any]) -> float:
        return 50.0 + sum(point["layers"]) if point["deep"] else float(abs(point["shallow"] - 13))

    optimizer = hr.Optimizer(space, seed=0, method=Auto(candidates=CandidateSettings(max_listed=10)))
    for _ in range(25):
        point = optimizer.ask()
        assert point in optimizer.feasible
        optimizer.tell(point, value(point))
    assert optimizer.best is not None and (optimizer.best.value or 0) <= 3
    assert len(CodeProblem(optimizer.feasible).branches) == 4


def test_an_optimizer_is_saved_and_goes_on_the_same(tmp_path: Path) -> None:
    optimizer = hr.Optimizer(SPACE, RULES, seed=2)
    for _ in range(6):
        point = optimizer.ask()
        optimizer.tell(point, loss(point))
    optimizer.save(tmp_path / "saved.json")
    again = hr.Optimizer.load(tmp_path / "saved.json")
    assert again.space == SPACE and [seen.point for seen in again.observations] == [
        seen.point for seen in optimizer.observations
    ]
    assert again.ask() == optimizer.ask()


def test_tell_and_initial_say_what_is_wrong() -> None:
    optimizer = hr.Optimizer(SPACE, RULES)
    whole = {"booster": "gbtree", "rate": 0.01, "depth": 2}
    with pytest.raises(hr.PointError, match=r"drop is inactive because booster is 'gbtree', but has the value 0.1\."):
        optimizer.tell({**whole, "drop": 0.1}, 1.0)
    with pytest.raises(hr.PointError, match=r"drop is active because booster is 'dart', but has no value\."):
        optimizer.tell({**whole, "booster": "dart"}, 1.0)
    assert not optimizer.observations
    optimizer.tell({**whole, "drop": None}, 1.0)
    assert optimizer.observations[0].point == whole
    with pytest.raises(hr.HedgerowError, match="drop is inactive because booster is 'gbtree'"):
        hr.minimize(loss, SPACE, RULES, budget=2, initial=[{**whole, "drop": 0.1}])


def test_a_data_frame_has_empty_cells(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    result = hr.minimize(loss, SPACE, RULES, budget=8, seed=0)
    again = hr.Optimizer(SPACE, RULES, data=result.to_pandas())
    assert [seen.point for seen in again.observations] == [seen.point for seen in result.observations]


def test_a_problem_file_keeps_conditions() -> None:
    text = """
[space]
booster = ["gbtree", "dart"]
drop = { type = "real", low = 0.0, high = 0.5, levels = 3, when = "booster == 'dart'" }
flag = { type = "boolean", when = "drop > 0.1" }

[rules]
small = "drop <= 0.3"
"""
    space = hr.Space.from_toml(text)
    assert hr.FeasibleSet(space, ["drop <= 0.3"]).count == 1 + 1 + 2
    with pytest.raises(hr.SpaceError, match=r"The type 'boolean' has no key 'wen'.*'when'"):
        hr.Space.from_dict({"p": {"type": "boolean", "wen": "x"}})


# --- the kernel --------------------------------------------------------------------------------------------------


def test_no_value_is_equal_to_itself_and_to_no_level() -> None:
    problem = KernelProblem(CodeProblem(hr.FeasibleSet(SPACE)))
    kernel = problem.kernel
    tables = kernel.tables(kernel.center)
    slot = next(place for place, each in enumerate(problem.active) if SPACE.slots[int(each)].name == "drop")
    codes = kernel.codes_in(slot, np.arange(7))
    similarity = tables[slot][np.abs(codes[:, None] - codes[None, :])]
    assert np.allclose(np.diag(similarity), 1.0)
    assert np.ptp(similarity[:6, 6]) == 0
    assert similarity[:6, 6].max() < similarity[:6, :6].min()
    assert (np.diff(similarity[0, :6]) < 0).all()


def test_slots_without_conditions_keep_their_kernel() -> None:
    plain = TensorKernel.of([5, 3, 2], [True, False, True])
    mixed = TensorKernel.of([5, 3, 2], [True, False, True], may_miss=[False, False, True])
    assert plain.n_differences == mixed.n_differences == 5
    assert np.array_equal(plain.tables(plain.center)[:2], mixed.tables(plain.center)[:2])
    assert mixed.sizes == (5, 3, 3)


# --- Optuna, studies, pictures ------------------------------------------------------------------------------------


def test_the_sampler_knows_conditions_beforehand() -> None:
    sampler = hr.HedgerowSampler(SPACE, RULES, seed=0)
    study = optuna.create_study(sampler=sampler)

    def objective(trial: optuna.Trial) -> float:
        point: dict[str, Any] = {
            "booster": trial.suggest_categorical("booster", ["gbtree", "dart"]),
            "rate": trial.suggest_float("rate", 0.01, 1.0, log=True),
            "depth": trial.suggest_int("depth", 2, 8),
        }
        if point["booster"] == "dart":
            point["drop"] = trial.suggest_float("drop", 0.0, 0.5)
            if point["drop"] > 0.1:
                point["skip"] = trial.suggest_categorical("skip", [False, True])
            if point["depth"] >= 6:
                point["units"] = [trial.suggest_categorical(f"units[{i}]", [8, 16]) for i in range(2)]
        assert point in sampler.feasible
        return loss(point)

    study.optimize(objective, n_trials=12)
    assert len(sampler.read(study).told) == 12
    study.enqueue_trial({"booster": "dart", "depth": 6})
    study.optimize(objective, n_trials=1)
    assert study.trials[-1].params["depth"] == 6 and "drop" in study.trials[-1].params
    with pytest.raises(
        hr.StudyError, match=r"'drop', which is inactive in trial 13\. Suggest it only where booster =="
    ):
        study.enqueue_trial({"booster": "gbtree"})
        study.optimize(lambda trial: trial.suggest_float("drop", 0.0, 0.5), n_trials=1)


def test_a_stored_study_holds_conditional_points(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'study.db'}"
    first = hr.minimize(loss, SPACE, RULES, budget=5, storage=url, seed=0)
    more = hr.minimize(loss, SPACE, RULES, budget=8, storage=url, seed=0)
    assert len(first.observations) == 5 and len(more.observations) == 8
    assert all(seen.point in hr.FeasibleSet(SPACE, RULES) for seen in more.observations)
    assert len({key(seen.point) for seen in more.observations}) == 8


def test_cells_and_commands_leave_out_what_is_inactive() -> None:
    cells = {"booster": "gbtree", "rate": "0.1", "depth": "3", "drop": "", "skip": "", "units[0]": "", "units[1]": ""}
    assert point_in(cells, SPACE) == {"booster": "gbtree", "rate": 0.1, "depth": 3}
    command = CommandTemplate.parse("train --depth {depth} --drop={drop} '{drop}' {point}", SPACE)
    assert command.fill({"depth": 3}) == ["train", "--depth", "3", "", '{"depth": 3}']
    assert command.fill({"depth": 3, "drop": 0.1})[3:5] == ["--drop=0.1", "0.1"]


def test_pictures_and_the_report_show_inactive(tmp_path: Path) -> None:
    result = hr.minimize(loss, SPACE, RULES, budget=14, seed=0)
    hr.write_report(result, tmp_path / "page.html")
    assert "inactive" in (tmp_path / "page.html").read_text(encoding="utf-8")
    pytest.importorskip("matplotlib")
    for picture in (result.plot_effects, result.plot_interactions):
        assert picture() is not None


def test_other_methods_outcomes_and_failures_stay_inside() -> None:
    for options in ({"method": "catd"}, {"objectives": {"loss": "minimize", "depth": "minimize"}}, {}):
        optimizer = hr.Optimizer(SPACE, RULES, seed=0, **options)
        for number in range(6):
            point = optimizer.ask()
            assert point in optimizer.feasible
            outcome = {"loss": loss(point), "depth": point["depth"]} if "objectives" in options else loss(point)
            optimizer.tell(point, None if number == 3 and not options else outcome)
    assert not any(slot.has_order for slot in SPACE.slots if slot.is_conditional)


def test_a_variable_with_a_condition_may_be_added_later(tmp_path: Path) -> None:
    old = hr.Space({"booster": ["gbtree", "dart"], "depth": hr.Integer(2, 3)})
    new = hr.Space({**old.variables, "drop": hr.Real(0.0, 0.5, levels=6, when="booster == 'dart'")})
    optimizer = hr.Optimizer(old, seed=0)
    for _ in range(4):
        point = optimizer.ask()
        optimizer.tell(point, float(point["depth"]))
    optimizer.save(tmp_path / "saved.json")
    later = hr.Optimizer.load(tmp_path / "saved.json", space=new, before={"drop": 0.1})
    assert len(later.observations) == 4
    assert all(("drop" in seen.point) == (seen.point["booster"] == "dart") for seen in later.observations)

"""Reals with conditions, and real shares: absent where they do not exist, drawn evenly, mended, written and read."""

from __future__ import annotations

import json
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.cli.main import main
from hedgerow.space.encoding import decode, encode

SPACE = hr.Space(
    {
        "booster": ["gbtree", "dart"],
        "depth": hr.Integer(2, 12),
        "rate": hr.Real(1e-5, 0.1, log=True),
        "drop": hr.Real(0.0, 0.5, when="booster == 'dart'"),
        "skip": hr.Real(0.0, 1.0, when="drop > 0.25"),
    }
)
RULES = ["rate * depth <= 0.2", "drop <= 0.2 or depth > 6"]


def holds(p: dict[str, Any]) -> bool:
    """Return what space and rules mean, in plain Python."""
    drop, skip = p.get("drop"), p.get("skip")
    exists = (drop is not None) == (p["booster"] == "dart") and (skip is not None) == (drop is not None and drop > 0.25)
    return bool(exists and p["rate"] * p["depth"] <= 0.2 and (drop is None or drop <= 0.2 or p["depth"] > 6))


def uniform(n: int) -> list[dict[str, Any]]:
    rng = np.random.default_rng(3)
    points = []
    for _ in range(n):
        point: dict[str, Any] = {"booster": str(rng.choice(["gbtree", "dart"])), "depth": int(rng.integers(2, 13))}
        point["rate"] = float(10 ** rng.uniform(-5, -1))
        if point["booster"] == "dart":
            point["drop"] = float(rng.random() / 2)
            if point["drop"] > 0.25:
                point["skip"] = float(rng.random())
        points.append(point)
    return points


@pytest.fixture(scope="module")
def feasible() -> hr.FeasibleSet:
    return hr.FeasibleSet(SPACE, RULES)


def test_what_is_inactive_is_absent_and_draws_are_uniform(feasible: hr.FeasibleSet) -> None:
    drawn = feasible.sample(3000, seed=0)
    assert feasible.sampling == "uniform"
    assert all(holds(point) for point in drawn)
    kept = [point for point in uniform(6000) if holds(point)]
    for measure in (lambda p: "drop" in p, lambda p: "skip" in p, lambda p: p["depth"], lambda p: p.get("drop", 0.0)):
        ours, theirs = (np.array([measure(p) for p in points], dtype=np.float64) for points in (drawn, kept))
        error = np.sqrt(ours.var() / ours.size + theirs.var() / theirs.size)
        assert abs(ours.mean() - theirs.mean()) < 4 * error


def test_the_volume_is_a_share_of_the_points(feasible: hr.FeasibleSet) -> None:
    low, high = feasible.volume
    share = np.mean([holds(point) for point in uniform(6000)])
    assert low - 0.02 < share < high + 0.02
    assert hr.FeasibleSet(SPACE).volume[1] == 1.0


def test_points_travel_through_codes_text_and_files(feasible: hr.FeasibleSet) -> None:
    for point in feasible.sample(30, seed=1):
        assert decode(SPACE, encode(SPACE, point)) == point
        assert json.loads(json.dumps(point)) in feasible
        assert ({**point, "drop": None, "skip": None} in feasible) == ("drop" not in point)
    assert hr.Space.from_toml(SPACE.to_toml()) == SPACE


def test_wrong_presence_is_explained_and_mended(feasible: hr.FeasibleSet) -> None:
    wrong = {"booster": "gbtree", "depth": 12, "rate": 0.1, "drop": 0.3}
    assert "drop is inactive because booster is 'gbtree', but has the value 0.3" in str(feasible.explain(wrong))
    mended = feasible.repair(wrong)
    assert holds(mended)
    assert mended["booster"] == "gbtree"
    assert mended["depth"] == 12
    assert holds(feasible.repair({"booster": "dart", "depth": 9, "rate": 0.01}))
    with pytest.raises(hr.PointError, match=r"drop = 0.7 is not in its domain of numbers from 0.0 to 0.5"):
        feasible.explain({**wrong, "drop": 0.7})


def test_completions_know_of_no_value(feasible: hr.FeasibleSet) -> None:
    assert all(point["booster"] == "gbtree" for point in feasible.completions({"drop": None}).sample(20, seed=0))
    for point in feasible.completions({"drop": 0.3}).sample(20, seed=0):
        assert point["drop"] == 0.3
        assert holds(point)


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"b": [1, 2], "a": hr.Real(0, 1, when="b == 3")}, "'a' (b == 3) can never hold"),
        ({"x": hr.Real(0, 1), "a": hr.Real(0, 1, when="x > 2")}, "'a' (x > 2) can never hold"),
        (
            {"n": hr.Integer(0, 90), "x": hr.Real(0, 1), "a": hr.Real(0, 1, when="x / n > 0.01")},
            "'a' (x / n > 0.01) cannot be evaluated at some points",
        ),
        (
            {"x": hr.Real(0, 1), "y": hr.Real(-1, 1), "a": hr.Real(0, 1, when="1 / (y // 1) < x")},
            "'a' (1 / (y // 1) < x) cannot be evaluated at some points",
        ),
        ({"a": hr.Real(0, 1, when="b == 1"), "b": [1, 2]}, "names 'b', which comes later"),
        ({"a": hr.Real(0, 1, when="a > 0.5")}, "names 'a' itself"),
        ({"a": hr.Real(0, 1, when="c > 0.5"), "b": [1, 2]}, "names 'c', which is not in the space"),
    ],
)
def test_conditions_that_cannot_be_say_so(variables: dict[str, Any], message: str) -> None:
    with pytest.raises(hr.SpaceError) as caught:
        hr.FeasibleSet(hr.Space(variables))
    assert message in str(caught.value)


def test_a_condition_that_always_holds_is_remarked_on() -> None:
    with pytest.warns(hr.RuleWarning, match=r"'a' \(x >= 0\) always holds"):
        hr.FeasibleSet(hr.Space({"x": hr.Real(0, 1), "a": hr.Real(0, 1, when="x >= 0")}))


def test_an_equality_behind_a_guard_holds_where_it_must() -> None:
    space = hr.Space(
        {"k": ["free", "tied"], "x": hr.Real(0, 1), "y": hr.Real(0, 1), "z": hr.Real(0, 1, when="k == 'tied'")}
    )
    drawn = hr.FeasibleSet(space, ["k == 'free' or x + y == 1", "y + z == 0.75"]).sample(300, seed=0)
    tied = [p for p in drawn if p["k"] == "tied"]
    assert 60 < len(tied) < 240
    assert all(p["x"] + p["y"] == 1 and p["y"] + p["z"] == 0.75 for p in tied)
    assert len({p["x"] for p in drawn}) == 300


@pytest.mark.parametrize("n", [2, 3, 10])
def test_real_shares_add_up_exactly_and_evenly(n: int) -> None:
    names = [f"n{i}" for i in range(n)]
    space = hr.Space({"k": ["with", "without"], "mix": hr.Shares(names, when="k == 'with'")})
    feasible = hr.FeasibleSet(space, ["mix['n0'] <= 0.9"])
    drawn = feasible.sample(2000, seed=0)
    mixes = [point["mix"] for point in drawn if "mix" in point]
    assert feasible.sampling == "uniform"
    assert all(reduce(add, mix.values()) == 1.0 and mix["n0"] <= 0.9 for mix in mixes)
    # Each share of all mixtures is (1 - x)**(n - 1) likely to be above x; a mixture is as likely as none.
    above = np.mean([mix["n1"] > 0.2 for mix in mixes])
    taken = 0.1 ** (n - 1)
    expected = (0.8 ** (n - 1) - (0.0 if n > 2 else taken)) / (1 - taken)
    assert abs(above - expected) < 0.06 + taken
    assert abs(len(mixes) / 2000 - (1 - taken) / (2 - taken)) < 0.05


def test_real_shares_are_mended_and_read() -> None:
    space = hr.Space({"mix": hr.Shares(["resin", "filler", "wax"]), "depth": hr.Integer(2, 12)})
    feasible = hr.FeasibleSet(space, ["mix['wax'] <= 0.3 or depth > 6"])
    mended = feasible.repair({"mix": {"resin": 0.5, "filler": 0.5, "wax": 0.5}, "depth": 3})
    assert reduce(add, mended["mix"].values()) == pytest.approx(1.0, abs=1e-9)
    assert mended in feasible
    assert {"mix": {"resin": 0.5, "filler": 0.3, "wax": 0.2 + 1e-12}, "depth": 3} in feasible
    assert {"mix": {"resin": 0.5, "filler": 0.3, "wax": 0.2 + 1e-6}, "depth": 3} not in feasible
    assert hr.Space.from_toml(space.to_toml()) == space
    assert repr(space.variables["mix"]) == "Shares(['resin', 'filler', 'wax'])"


def test_the_default_finds_the_branch_and_its_best() -> None:
    def cost(p: dict[str, Any]) -> float:
        extra = 4 * (p["drop"] - 0.2) ** 2 - 0.5 if "drop" in p else 0.0
        return float((np.log10(p["rate"]) + 2) ** 2 + 0.05 * (p["depth"] - 7) ** 2 + extra)

    optimizer = hr.Optimizer(SPACE, RULES, seed=1)
    for _ in range(16):
        point = optimizer.ask()
        assert holds(point)
        optimizer.tell(point, cost(point))
    assert optimizer.best is not None
    assert optimizer.best.value is not None
    assert optimizer.best.value < -0.4


def test_studies_reports_and_commands_hold_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "cost.py").write_text("def cost(p):\n    return p['rate'] + p.get('drop', 0.3)\n")
    file, page = tmp_path / "p.toml", tmp_path / "p.html"
    objective = '\n[objective]\ndirection = "minimize"\npython = "cost:cost"\n[run]\nbudget = 8\n'
    file.write_text(SPACE.to_toml() + '\n[rules]\n"rate" = "rate * depth <= 0.2"\n' + objective)
    for words in (
        ["sample", str(file), "-n", "8"],
        ["run", str(file)],
        ["report", str(file), "-o", str(page)],
        ["check", str(file)],
    ):
        assert main([*words]) == 0, capsys.readouterr().err
    assert main(["status", str(file), "--json"]) == 0
    best = json.loads(capsys.readouterr().out.splitlines()[-1])["best"]
    assert holds(best["point"])
    assert "drop" in page.read_text()

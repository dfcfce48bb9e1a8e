"""Shares add up to 1 by construction, in exact ticks, through everything that a space and its rules can do."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import optuna
import pytest
from scipy.stats import chisquare  # type: ignore[import-untyped]

import hedgerow as hr
from hedgerow.optuna.distributions import distributions_of
from hedgerow.rules import RuleLike
from hedgerow.runs.table import point_in
from hedgerow.runs.workers.command import CommandTemplate
from hedgerow.space import decode, encode
from tests.oracles import quiet_set

NAMES = ("resin", "filler", "wax")
MIX = hr.Shares(NAMES, step=0.1)
SPACE = hr.Space({"mix": MIX, "depth": hr.Integer(1, 4)})
RULES: list[RuleLike] = [
    "mix['wax'] <= 0.3 or depth > 2",
    "count(mix > 0) >= 2",
    lambda mix, depth: mix["resin"] * depth <= 2,
]


def mixtures(n_ticks: int = 10, n: int = 3) -> Iterator[tuple[float, ...]]:
    """All mixtures, from whole ticks."""
    for ticks in itertools.product(range(n_ticks + 1), repeat=n):
        if sum(ticks) == n_ticks:
            yield tuple(tick / n_ticks for tick in ticks)


def points() -> list[dict[str, Any]]:
    return [{"mix": dict(zip(NAMES, mix, strict=True)), "depth": depth} for mix in mixtures() for depth in range(1, 5)]


def holds(point: dict[str, Any]) -> bool:
    mix, depth = point["mix"], point["depth"]
    is_few = mix["wax"] <= 0.3 or depth > 2
    return bool(is_few and sum(share > 0 for share in mix.values()) >= 2 and mix["resin"] * depth <= 2)


@pytest.mark.parametrize(("n_ticks", "n"), [(10, 3), (20, 3), (7, 3), (3, 4), (100, 2), (4, 5)])
def test_a_space_has_every_mixture_once(n_ticks: int, n: int) -> None:
    space = hr.Space({"x": hr.Shares([f"s{i}" for i in range(n)], step=1 / n_ticks)})
    listed = [tuple(point["x"].values()) for point in hr.FeasibleSet(space)]
    assert sorted(listed) == sorted(mixtures(n_ticks, n))
    assert space.size == len(listed) == hr.FeasibleSet(space).count


def test_shares_are_plain_decimals() -> None:
    assert hr.Shares(["a", "b"], step=0.05).element.values == tuple(float(f"{i * 5 / 100:.2f}") for i in range(21))


def test_rules_keep_what_python_keeps() -> None:
    feasible = quiet_set(SPACE, RULES)
    wanted = [point for point in points() if holds(point)]
    assert sorted(map(repr, feasible)) == sorted(map(repr, wanted))
    assert feasible.count == len(wanted)
    assert feasible.density == len(wanted) / len(points())
    assert all((point in feasible) == holds(point) for point in points())
    assert [feasible[feasible.index(point)] for point in wanted[:5]] == wanted[:5]


def test_marginals_and_completions_count() -> None:
    feasible = quiet_set(SPACE, RULES)
    wanted = [point for point in points() if holds(point)]
    used = feasible.marginals()["mix"]["wax"]
    assert used == {share: sum(p["mix"]["wax"] == share for p in wanted) for share in MIX.element.values}
    assert feasible.completions({"mix": {"wax": 0.2}}).count == used[0.2]
    assert feasible.completions({"mix": {"wax": 0.2, "resin": None}, "depth": 1}).count == sum(
        p["mix"]["wax"] == 0.2 and p["depth"] == 1 for p in wanted
    )


def test_draws_are_uniform_on_both_sides() -> None:
    feasible = quiet_set(SPACE, RULES)
    for draws, is_feasible in ((feasible.sample(8000, 0), True), (feasible.sample_infeasible(8000, 0), False)):
        counts = Counter(map(repr, draws))
        wanted = [repr(point) for point in points() if holds(point) is is_feasible]
        assert set(counts) <= set(wanted)
        assert chisquare([counts[point] for point in wanted]).pvalue > 1e-3


def test_there_is_nothing_infeasible_without_rules() -> None:
    with pytest.raises(hr.InfeasibleError, match="there is no infeasible point"):
        hr.FeasibleSet(SPACE).sample_infeasible()


def test_what_does_not_add_up_is_explained_and_repaired() -> None:
    feasible = hr.FeasibleSet(SPACE)
    point = {"mix": {"resin": 0.5, "filler": 0.4, "wax": 0.3}, "depth": 1}
    assert point not in feasible
    assert [rule.name for rule in feasible.explain(point)] == ["mix adds up to 1"]
    repaired = feasible.repair(point)
    assert repaired["mix"] in (
        {"resin": 0.3, "filler": 0.4, "wax": 0.3}, {"resin": 0.5, "filler": 0.2, "wax": 0.3},
        {"resin": 0.5, "filler": 0.4, "wax": 0.1},
    )  # fmt: skip


def test_neighbors_move_a_part_of_one_share_to_another() -> None:
    feasible = hr.FeasibleSet(SPACE)
    point: dict[str, Any] = {"mix": {"resin": 0.5, "filler": 0.3, "wax": 0.2}, "depth": 1}
    found = feasible.neighbors(point)
    wanted = [
        other
        for other in points()
        if (other["mix"] == point["mix"]) != (other["depth"] == point["depth"])
        and sum(other["mix"][name] != point["mix"][name] for name in NAMES) in (0, 2)
    ]
    assert sorted(map(repr, found)) == sorted(map(repr, wanted))


def test_text_round_trips_change_nothing() -> None:
    assert hr.Space.from_toml(SPACE.to_toml()) == SPACE
    assert hr.Space.from_json(SPACE.to_json()) == SPACE
    point = hr.FeasibleSet(SPACE)[17]
    assert decode(SPACE, encode(SPACE, json.loads(json.dumps(point)))) == point


def test_scores_by_name() -> None:
    best = hr.FeasibleSet(SPACE, ["mix['wax'] <= 0.4"]).best({"mix": {"wax": {s: s for s in MIX.element.values}}})
    assert best[0]["mix"]["wax"] == 0.4


def test_the_doctor_does_not_speak_of_the_space() -> None:
    feasible = quiet_set(SPACE, ["isclose(sum(mix), 1)", "mix['wax'] <= 0.9"])
    assert feasible.doctor().redundant_rules == ("isclose(sum(mix), 1)",)
    assert "2 rules" in repr(feasible)


def test_minimize_stays_in_the_mixtures() -> None:
    def cost(point: dict[str, Any]) -> float:
        mix = point["mix"]
        return float((mix["wax"] - 0.2) ** 2 + (mix["resin"] - 0.3) ** 2 + (point["depth"] - 3) ** 2 / 20)

    result = hr.minimize(cost, SPACE, rules=["mix['wax'] <= 0.3"], budget=25, seed=0)
    assert all(sum(round(10 * share) for share in o.point["mix"].values()) == 10 for o in result.observations)
    assert result.best_value is not None
    assert result.best_value < 0.02


def test_a_study_of_optuna_suggests_shares_one_by_one() -> None:
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    distributions = distributions_of(SPACE)

    def objective(trial: optuna.Trial) -> float:
        shares: list[Any] = [
            trial.suggest_categorical(f"mix[{name}]", distributions[f"mix[{name}]"].choices)  # type: ignore[attr-defined]
            for name in NAMES
        ]
        assert round(10 * sum(shares)) == 10
        return float(shares[0] - shares[1]) + trial.suggest_int("depth", 1, 4)

    study = optuna.create_study(sampler=hr.HedgerowSampler(SPACE, rules=["mix['wax'] <= 0.3"], seed=0))
    study.optimize(objective, n_trials=5)
    assert len(study.trials) == 5


def test_commands_and_tables_name_a_share() -> None:
    template = CommandTemplate.parse("measure --wax {mix[wax]} --all {mix} {point}", SPACE)
    point = {"mix": {"resin": 0.5, "filler": 0.3, "wax": 0.2}, "depth": 1}
    assert template.fill(point) == ["measure", "--wax", "0.2", "--all", "0.5,0.3,0.2", json.dumps(point)]
    cells = {"mix[resin]": "0.5", "mix[filler]": "0.3", "mix[wax]": "0.2", "depth": "1"}
    assert point_in(cells, SPACE) == point


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: hr.Shares(["a", "b"], 0.3), "divides 1, but step is 0.3; 0.333333 would (one of 3)"),
        (lambda: hr.Shares(["a", "b"], 0), "a step above 0 and up to 1, but step is 0"),
        (lambda: hr.Shares(["a", "b"], True), "but step is True"),
        (lambda: hr.Shares(["a"], 0.5), "at least two names"),
        (lambda: hr.Shares(["a", "a"], 0.5), "the name 'a' twice"),
        (lambda: hr.Shares(["a", "b]"], 0.5), "names without brackets and quotes, but 'b]'"),
        (lambda: hr.Shares("ab", 0.5), "a list of names, but 'ab' was given"),
        (lambda: hr.Shares(["a", "b"], 1e-7), "at most 100,000"),
        (lambda: hr.FeasibleSet(SPACE, ["mix['wx'] < 1"]), "'mix' has no share of 'wx'; did you mean 'wax'?"),
        (lambda: hr.FeasibleSet(SPACE, ["depth['wax'] < 1"]), "'depth' has no components with names"),
        (lambda: hr.FeasibleSet(SPACE, ["mix < 1"]), "gives 3 truth values"),
        (lambda: hr.FeasibleSet(SPACE, ["sum(mix) > 1.5"]), "'sum(mix) > 1.5' and 'mix adds up to 1' contradict"),
        (lambda: encode(SPACE, {"mix": [0.1, 0.2, 0.7], "depth": 1}), "Give a dict of names and shares"),
        (lambda: encode(SPACE, {"mix": {"wax": 1.0}, "depth": 1}), "mix lacks the share of 'resin'"),
        (lambda: encode(SPACE, {"mix": {"wx": 1.0}, "depth": 1}), "mix has no share of 'wx'; did you mean 'wax'?"),
    ],
)
def test_mistakes_say_what_to_do(build: Callable[[], object], message: str) -> None:
    with pytest.raises(hr.HedgerowError) as caught:
        build()
    assert message in str(caught.value)

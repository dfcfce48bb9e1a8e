"""Trials of related problems: every form they are given in, what does not fit, and what they are worth."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest

import hedgerow as hr
from hedgerow.errors import HedgerowError, TrialWarning

pd = pytest.importorskip("pandas")

SPACE = hr.Space({"x": hr.Integer(0, 9), "kind": ["a", "b", "c"]})
RULES = ["kind != 'c' or x >= 3"]
PAIRS = [({"x": x, "kind": kind}, float((x - 6) ** 2 + 3 * (kind != "b"))) for x in (0, 3, 6, 9) for kind in "abc"]


def studied() -> optuna.Study:
    study = optuna.create_study()
    distributions: dict[str, optuna.distributions.BaseDistribution] = {
        "x": optuna.distributions.IntDistribution(0, 9),
        "kind": optuna.distributions.CategoricalDistribution(["a", "b", "c"]),
    }
    for point, value in PAIRS:
        study.add_trial(optuna.trial.create_trial(params=point, distributions=distributions, value=value))
    return study


def told() -> hr.Optimizer:
    optimizer = hr.Optimizer(SPACE)
    for point, value in PAIRS:
        optimizer.tell(point, value)
    return optimizer


ROWS = [{**point, "value": value} for point, value in PAIRS]
FORMS: dict[str, Any] = {
    "pairs": PAIRS,
    "rows": ROWS,
    "frame": pd.DataFrame(ROWS),
    "optimizer": told(),
    "result": told().result(),
    "study": studied(),
}


@pytest.mark.parametrize("form", FORMS)
def test_all_forms_say_the_same(form: str) -> None:
    expected = hr.Optimizer(SPACE, RULES, prior=[PAIRS])
    for given in ([FORMS[form]], FORMS[form]):
        optimizer = hr.Optimizer(SPACE, RULES, prior=given)
        assert optimizer._problem.earlier[0].values.tolist() == expected._problem.earlier[0].values.tolist()
        assert optimizer._problem.earlier[0].codes.tolist() == expected._problem.earlier[0].codes.tolist()


def test_the_first_point_is_the_best_one_elsewhere_that_keeps_the_rules() -> None:
    assert hr.Optimizer(SPACE, RULES, prior=[PAIRS]).ask() == {"x": 6, "kind": "b"}
    suggestion = hr.Optimizer(SPACE, [*RULES, "x != 6"], prior=[PAIRS]).suggest()
    assert suggestion.point["kind"] == "b"
    assert suggestion.point["x"] in (3, 9)
    assert suggestion.reason == "It was the best of the earlier trials of a related problem."


def test_maximizing_begins_at_the_highest() -> None:
    assert hr.Optimizer(SPACE, direction="maximize", prior=[PAIRS]).ask() in ({"x": 0, "kind": k} for k in "ac")


def test_trials_that_do_not_fit_are_left_out_and_named() -> None:
    more = [*PAIRS, ({"x": 12, "kind": "a"}, 1.0), ({"x": 2, "kind": "a", "unknown": 5}, 2.0), ({"x": 1}, 3.0)]
    with pytest.warns(TrialWarning, match=r"2 of 15 trials of prior 1 do not fit this space and are left out\. .*12"):
        optimizer = hr.Optimizer(SPACE, prior=[more])
    assert optimizer._problem.earlier[0].values.size == 13


def test_failed_trials_and_trials_without_numbers_say_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        optimizer = hr.Optimizer(
            SPACE, prior=[[*PAIRS, ({"x": 1, "kind": "a"}, None), ({"x": 2, "kind": "a"}, np.nan)]]
        )
    assert optimizer._problem.earlier[0].values.size == len(PAIRS)


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        ("study.db", r"prior is a list with an entry for each related problem, .*; str was given"),
        ([5], r"prior 1 is a data frame, .*; int was given"),
        ([[({"y": 1}, 2.0)]], r"None of the 1 trials of prior 1 fits this space"),
    ],
)
def test_bad_input_is_named(prior: Any, message: str) -> None:
    with pytest.raises(HedgerowError, match=message):
        hr.Optimizer(SPACE, prior=prior)


def test_several_objectives_are_refused() -> None:
    with pytest.raises(HedgerowError, match="prior is for problems with one objective"):
        hr.Optimizer(SPACE, objectives={"a": "minimize", "b": "minimize"}, prior=[PAIRS])


def test_real_variables_are_refused() -> None:
    space = hr.Space({"rate": hr.Real(0.0, 1.0)})
    with pytest.raises(HedgerowError, match=r"prior is not known yet where variables take any real number, as 'rate'"):
        hr.Optimizer(space, prior=[[({"rate": 0.5}, 1.0)]])


@pytest.mark.parametrize("values", [[1.0], [2.0, 2.0, 2.0], []])
def test_a_prior_that_says_nothing_changes_nothing(values: list[float]) -> None:
    prior = [({"x": x, "kind": "a"}, value) for x, value in enumerate(values)]
    plain, given = hr.Optimizer(SPACE), hr.Optimizer(SPACE, prior=[prior])
    for _ in range(5):
        point = plain.ask()
        assert given.ask() == point
        for optimizer in (plain, given):
            optimizer.tell(point, float(point["x"]))


def test_a_saved_optimizer_goes_on_with_its_prior(tmp_path: Path) -> None:
    optimizer = hr.Optimizer(SPACE, RULES, prior=[PAIRS, PAIRS[:5]])
    for _ in range(4):
        point = optimizer.ask()
        optimizer.tell(point, 2.0 * (point["x"] - 5) ** 2)
    optimizer.save(tmp_path / "optimizer.json")
    assert hr.Optimizer.load(tmp_path / "optimizer.json").ask(6) == optimizer.ask(6)


def trials_to_best(prior: Any, seed: int) -> int:
    """How many trials a landscape takes whose related one is the same but for units, a small shift and a term."""
    space = hr.Space({name: hr.Integer(0, 9) for name in "abcd"})

    def here(point: dict[str, Any]) -> float:
        far: int = sum((point[name] - best) ** 2 for name, best in zip("abcd", (7, 2, 8, 3), strict=True))
        return 1000.0 * far + 50.0 * float(abs(point["a"] - point["b"] - 5))

    def is_best(optimizer: hr.Optimizer) -> bool:
        return optimizer.best is not None and optimizer.best.value == 0.0

    rules = ["a + b + c + d <= 24"]
    result = hr.minimize(here, space, rules, budget=40, seed=seed, prior=prior, callbacks=[is_best])
    return len(result.observations)


def elsewhere(seed: int, sign: float) -> list[tuple[dict[str, Any], float]]:
    rng = np.random.default_rng(seed)
    points = [dict(zip("abcd", map(int, rng.integers(0, 10, 4)), strict=True)) for _ in range(60)]
    best = (6, 2, 8, 4)
    return [(p, sign * sum((p[n] - b) ** 2 for n, b in zip("abcd", best, strict=True))) for p in points]


def test_a_related_problem_saves_trials_and_a_misleading_one_costs_few() -> None:
    cold = [trials_to_best(None, seed) for seed in range(2)]
    led = [trials_to_best([elsewhere(seed, 1.0)], seed) for seed in range(2)]
    misled = [trials_to_best([elsewhere(seed, -1.0)], seed) for seed in range(2)]
    assert sum(led) < 0.7 * sum(cold), (cold, led)
    assert sum(misled) < 1.4 * sum(cold), (cold, misled)

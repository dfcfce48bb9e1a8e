"""What the paper's text leaves open: what each setting changes in training and suggesting, and what cannot be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.methods import CATD
from hedgerow.methods.catd.ensemble.ensemble import Ensemble
from hedgerow.methods.catd.ensemble.infeasible import infeasible_rows
from hedgerow.methods.catd.ensemble.pgrad import Pgrad
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem

SPACE = hr.Space({"x": hr.Vector(hr.Integer(0, 5), 2)})
PROBLEM = CodeProblem(hr.FeasibleSet(SPACE, ["sum(x) <= 5"]))
N_INFEASIBLE = 36 - 21
# Two feasible observations and one that breaks the rule, told as worse than both.
ROWS = np.array([[0, 0], [2, 2], [5, 5]])
VALUES = np.array([4.0, 1.0, 9.0])
TEXT = CATD.as_published("cp", 2)


def history(n: int = 3) -> History:
    return History(ROWS[:n], VALUES[:n], np.zeros((0, 2), np.int64))


def trained(method: CATD, n: int = 3) -> Ensemble:
    model = method.training(PROBLEM).after(history(n), 0)
    assert isinstance(model, Ensemble)
    return model


def test_models_begin_within_the_unit_interval_or_as_standard_normal_factors() -> None:
    grid = np.stack(np.unravel_index(np.arange(36), (6, 6)), axis=1).astype(np.int64)
    untrained = replace(TEXT, n_models=200, max_epochs=0)
    scaled = trained(untrained)
    normal = trained(replace(untrained, beginning="normal"))
    wider = trained(replace(untrained, beginning="normal", beginning_spread=3.0))
    assert scaled.predictions(grid).mean() == pytest.approx(0.5, abs=0.05)
    assert scaled.predictions(grid).std() == pytest.approx(0.25, abs=0.05)
    # A sum of two products of two standard normal numbers.
    assert normal.parameters.std() == pytest.approx(1.0, abs=0.05)
    assert normal.predictions(grid).mean() == pytest.approx(0.0, abs=0.1)
    assert normal.predictions(grid).std() == pytest.approx(np.sqrt(2.0), abs=0.2)
    assert wider.parameters.std() == pytest.approx(3.0, abs=0.15)


def test_the_first_trial_may_lie_anywhere() -> None:
    def firsts(method: CATD) -> list[bool]:
        rows = [method.start(PROBLEM).suggest(History.empty(2), seed).codes for seed in range(30)]
        return [bool(PROBLEM.feasible.accepts(row[None, :])[0]) for row in rows]

    assert all(firsts(TEXT))
    assert not all(firsts(replace(TEXT, first="anywhere")))


def test_a_tried_point_may_come_again_only_where_that_is_allowed() -> None:
    def n_different(method: CATD) -> int:
        optimizer = hr.Optimizer(SPACE, ["sum(x) <= 5"], method=method, seed=0)
        for _ in range(12):
            point = optimizer.ask()
            optimizer.tell(point, float(sum(point["x"])) if point in optimizer.feasible else 20.0)
        return len({str(observation.point) for observation in optimizer.observations})

    steady = replace(TEXT, acquisition="mean", penalty=0.0, loss_target=1e-3)
    assert n_different(steady) == 12
    assert n_different(replace(steady, repeats=True)) < 12


def test_the_value_of_a_tried_point_may_stand_for_what_models_say() -> None:
    # Untrained models of one kind think that everything is alike; only the told value tells the best point apart.
    untrained = replace(TEXT, n_models=1, max_epochs=0, acquisition="mean", repeats=True, beginning_spread=1e-9)
    trusting = replace(untrained, trusts_observations=True)
    suggested = {tuple(trusting.start(PROBLEM).suggest(history(), seed).codes) for seed in range(5)}
    assert suggested == {(2, 2)}
    assert {tuple(untrained.start(PROBLEM).suggest(history(), seed).codes) for seed in range(5)} != {(2, 2)}


def test_observations_that_break_a_rule_may_be_left_out_of_the_fit() -> None:
    settings = replace(TEXT, penalty=0.0, loss_target=1e-6)
    told, left_out = trained(settings), trained(replace(settings, fits_infeasible=False))
    np.testing.assert_allclose(told.predictions(ROWS[2:]), 1.0, atol=0.01)
    assert np.abs(left_out.predictions(ROWS[2:]) - 1.0).max() > 0.05
    np.testing.assert_allclose(left_out.predictions(ROWS[:2]), [[0.375] * 10, [0.0] * 10], atol=0.01)


def test_values_are_normalized_over_all_observations_or_the_feasible_ones() -> None:
    assert trained(TEXT).scaling.normalize([1.0, 4.0, 9.0]) == pytest.approx([0.0, 0.375, 1.0])
    assert trained(replace(TEXT, normalizes="feasible")).scaling.normalize([1.0, 4.0, 9.0])[:2] == pytest.approx([0, 1])


def test_the_threshold_is_the_highest_value_of_a_feasible_observation_or_of_any() -> None:
    rows = next(infeasible_rows(PROBLEM.feasible, (6, 6)).batches(None, 1, np.random.default_rng(0))).rows
    untrained = replace(TEXT, batch_size=None, max_epochs=0)
    for model, tau in ((trained(untrained), 0.375), (trained(replace(untrained, threshold="highest")), 1.0)):
        gaps = np.maximum(tau - model.predictions(rows), 0.0)
        np.testing.assert_allclose(model.report.penalty, gaps.mean(axis=0))


def test_a_diluted_loss_is_divided_by_infeasible_points_and_observations() -> None:
    plain = trained(replace(TEXT, max_epochs=0)).report.data_loss
    diluted = trained(replace(TEXT, max_epochs=0, dilutes_loss=True)).report.data_loss
    np.testing.assert_allclose(diluted, plain * 3 / (N_INFEASIBLE + 3))
    left_out = trained(replace(TEXT, max_epochs=0, dilutes_loss=True, fits_infeasible=False)).report.data_loss
    errors = trained(replace(TEXT, max_epochs=0)).predictions(ROWS[:2]) - np.array([[0.375], [0.0]])
    np.testing.assert_allclose(left_out, (errors**2).sum(axis=0) / (N_INFEASIBLE + 2))


def test_factors_decay_where_nothing_speaks_for_them() -> None:
    settings = replace(TEXT, penalty=0.0, beginning="normal", loss_target=-1.0, max_epochs=300)
    untouched = replace(settings, weight_decay=0.0), replace(settings, weight_decay=0.1)
    # Level 4 of either slot was never observed.
    plain, decayed = (np.abs(trained(each).predictions(np.array([[4, 4]]))).mean() for each in untouched)
    assert decayed < 0.1 * plain


def test_the_first_training_may_be_longer_than_the_others() -> None:
    settings = replace(TEXT, loss_target=-1.0, max_epochs=4, first_epochs=9)
    assert (trained(settings, n=1).report.epochs == 9).all()
    assert (trained(settings, n=2).report.epochs == 4).all()


def test_every_training_has_the_least_number_of_steps() -> None:
    settings = replace(TEXT, loss_target=1e9, max_epochs=40)
    assert (trained(settings).report.epochs == 0).all()
    assert (trained(replace(settings, min_epochs=12)).report.epochs == 12).all()


def test_data_and_penalty_may_have_targets_of_their_own() -> None:
    settings = replace(TEXT, loss_target=0.05, max_epochs=2000, batch_size=None)
    together, apart = trained(settings).report, trained(replace(settings, penalty_target=0.04)).report
    assert (together.data_loss + together.penalty <= 0.05).all()
    assert (apart.data_loss <= 0.05).all()
    assert (apart.penalty <= 0.04).all()
    assert (apart.data_loss + apart.penalty).max() > 0.05


def test_the_penalty_is_over_all_infeasible_points_or_a_batch() -> None:
    settings = replace(TEXT, loss_target=-1.0, max_epochs=0)
    beginning = trained(replace(settings, batch_size=None))
    rows = next(infeasible_rows(PROBLEM.feasible, (6, 6)).batches(None, 1, np.random.default_rng(0))).rows
    assert rows.shape[0] == N_INFEASIBLE
    gaps = np.maximum(0.375 - beginning.predictions(rows), 0.0)
    np.testing.assert_allclose(beginning.report.penalty, gaps.mean(axis=0))
    assert np.abs(trained(replace(settings, batch_size=4)).report.penalty - gaps.mean(axis=0)).max() > 1e-3


def test_all_infeasible_points_of_a_large_space_are_refused_at_the_start() -> None:
    space = hr.Space({"x": hr.Vector(hr.Integer(0, 9), 8)})
    with pytest.raises(hr.HedgerowError, match="too large to list"):
        replace(TEXT, batch_size=None).start(CodeProblem(hr.FeasibleSet(space, ["sum(x) <= 40"])))


def test_no_observation_at_all_may_be_fitted() -> None:
    method = replace(CATD.as_programmed("tt", 2), max_epochs=50)
    only_infeasible = History(ROWS[2:], VALUES[2:], np.zeros((0, 2), np.int64))
    row = method.start(PROBLEM).suggest(only_infeasible, 0).codes
    assert row.shape == (2,)


def test_the_authors_program_has_its_own_choices() -> None:
    method = CATD.as_programmed("tr", 4, penalty=0.0)
    assert (method.format, method.rank, method.penalty, method.beginning) == ("tr", 4, 0.0, "normal")
    assert (method.loss_target, method.penalty_target, method.min_epochs) == (0.01, 0.1, 12)
    assert method.repeats and method.dilutes_loss and method.trusts_observations
    assert not (method.fits_infeasible or method.doubts_rules)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"beginning": "uniform"}, "no beginning 'uniform'"),
        ({"first": "middle"}, "no first 'middle'"),
        ({"normalizes": "none"}, "no normalizes 'none'"),
        ({"threshold": "lowest"}, "no threshold 'lowest'"),
        ({"beginning_spread": 0.0}, "positive"),
        ({"repeats": True}, "restrict_to_rules=False"),
        ({"first": "anywhere"}, "restrict_to_rules=False"),
        ({"restrict_to_rules": False, "trusts_observations": True}, "repeats=True"),
        ({"trainer": "hsdp", "beginning": "normal"}, "beginning: that rules trainer='pgrad'"),
        ({"trainer": "hsdp", "dilutes_loss": True, "weight_decay": 0.1}, "dilutes_loss, weight_decay"),
    ],
)
def test_choices_that_cannot_be_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(hr.HedgerowError, match=message):
        CATD(**settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "settings",
    [
        {"weight_decay": -1.0},
        {"penalty_target": -0.1},
        {"min_epochs": 5, "max_epochs": 4},
        {"min_epochs": 5, "first_epochs": 4},
    ],
)
def test_numbers_that_cannot_be_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="Training needs"):
        Pgrad(**settings)  # type: ignore[arg-type]

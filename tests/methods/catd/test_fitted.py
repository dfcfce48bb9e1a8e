"""Surrogates trained on data without an optimizer, and formats and trainers under names of one's own."""

from __future__ import annotations

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.methods.catd import CATD, Fitted, TensorTrain, fit, register_format, register_trainer
from hedgerow.methods.catd.tensors import FORMATS
from hedgerow.methods.catd.trainers import TRAINERS

SPACE = hr.Space({"x": hr.Integer(0, 5), "y": hr.Integer(0, 5)})
POINTS = [{"x": x, "y": y} for x in range(6) for y in range(6) if x + y <= 6]
VALUES = [100.0 + point["x"] * point["y"] for point in POINTS]
RULES = ["x + y <= 6"]


@pytest.mark.parametrize("tames", [False, True])
def test_predictions_are_on_the_scale_of_the_values(tames: bool) -> None:
    method = CATD("cp", 2, max_epochs=3000, loss_target=1e-5, anchor=0.0, tames_outliers=tames)
    mean, spread = fit(method, SPACE, POINTS, VALUES, rules=RULES).predict(POINTS)
    np.testing.assert_allclose(mean, VALUES, atol=0.3)
    assert spread.max() < 0.5


def test_a_penalty_lifts_what_breaks_a_rule() -> None:
    def lowest(penalty: float) -> float:
        method = CATD("tt", 3, penalty=penalty, tames_outliers=False, max_epochs=2000)
        fitted = fit(method, SPACE, POINTS, [-value for value in VALUES], rules=RULES)
        return float(fitted.predict([{"x": 5, "y": 5}, {"x": 4, "y": 5}])[0].min())

    assert lowest(1.0) > lowest(0.0)
    assert lowest(1.0) > -105.0


def test_the_same_data_and_seed_give_the_same_surrogate() -> None:
    def one(seed: int) -> Fitted:
        return fit(CATD("auto", None, max_epochs=30), SPACE, POINTS, VALUES, seed=seed)

    np.testing.assert_array_equal(one(3).predictions(POINTS), one(3).predictions(POINTS))
    assert not np.array_equal(one(3).predictions(POINTS), one(4).predictions(POINTS))


@pytest.mark.parametrize("values", [[1.0], [1.0, np.nan], [[1.0, 2.0]], []])
def test_values_that_do_not_fit_the_points_are_refused(values: list[float]) -> None:
    with pytest.raises(hr.HedgerowError, match="as many finite values"):
        fit(CATD(), SPACE, POINTS[:2], values)


def test_names_that_are_taken_are_refused() -> None:
    with pytest.raises(hr.HedgerowError, match="already"):
        register_format("tt", TensorTrain)
    with pytest.raises(hr.HedgerowError, match="already"):
        register_trainer("pgrad", TRAINERS["hsdp"])


def test_a_new_name_is_known_from_then_on(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(hr.HedgerowError, match="no format 'train'"):
        CATD("train", 2)
    monkeypatch.setitem(FORMATS, "train", TensorTrain)
    monkeypatch.setitem(TRAINERS, "gradient", TRAINERS["pgrad"])
    named = fit(CATD("train", 2, trainer="gradient"), SPACE, POINTS, VALUES)
    np.testing.assert_array_equal(
        named.predictions(POINTS), fit(CATD("tt", 2), SPACE, POINTS, VALUES).predictions(POINTS)
    )

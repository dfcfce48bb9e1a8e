"""The factorized surrogate from observations to ensemble, for ordinary and for odd observations."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import default_rng
from numpy.typing import ArrayLike

from hedgerow.arrays import Codes
from hedgerow.methods.catd.ensemble.ensemble import Ensemble
from hedgerow.methods.catd.ensemble.factorized import Factorized
from hedgerow.methods.catd.ensemble.infeasible import DrawnRows, InfeasibleRows, NoRows
from hedgerow.methods.catd.ensemble.pgrad import Pgrad
from hedgerow.methods.catd.tensors import FormatName

NAMES: tuple[FormatName, ...] = ("cp", "tr", "tt")


def anywhere(level_counts: tuple[int, ...]) -> DrawnRows:
    return DrawnRows(lambda n, rng: rng.integers(0, level_counts, size=(n, len(level_counts))))


def drawn(level_counts: tuple[int, ...], n: int) -> Codes:
    return default_rng(3).integers(0, level_counts, size=(n, len(level_counts)))


def fit(
    surrogate: Factorized,
    level_counts: tuple[int, ...],
    codes: Codes,
    values: ArrayLike,
    infeasible: InfeasibleRows | None = None,
) -> Ensemble:
    rows = anywhere(level_counts) if infeasible is None else infeasible
    return surrogate.fit(surrogate.prior(level_counts), codes, values, rows, default_rng(0))


@pytest.mark.parametrize("name", NAMES)
def test_ensemble_follows_the_observations(name: FormatName) -> None:
    codes = drawn((4, 3, 5), 15)
    values = 100.0 + 20.0 * codes[:, 0] - 3.0 * codes[:, 2]
    ensemble = fit(Factorized(name, 3, 5, Pgrad(penalty=0.0, loss_target=1e-4)), (4, 3, 5), codes, values, NoRows())
    mean, sd = ensemble.predict(codes)
    assert np.abs(ensemble.scaling.restore(mean) - values).max() < 5.0
    assert (sd >= 0.0).all()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scale", [1.0, 1e-300, 1e300])
@pytest.mark.parametrize("tames_outliers", [False, True])
def test_the_scale_of_values_does_not_matter(name: FormatName, scale: float, tames_outliers: bool) -> None:
    codes = drawn((4, 3), 6)
    values = np.array([0.5, -1.0, 1.5, 0.25, 0.0, 1.0]) * scale
    surrogate = Factorized(name, 2, 3, tames_outliers=tames_outliers)
    fitted = fit(surrogate, (4, 3), codes, values)
    unit = fit(surrogate, (4, 3), codes, values / scale)
    np.testing.assert_allclose(fitted.predictions(codes), unit.predictions(codes), rtol=1e-6)
    assert np.isfinite(fitted.scaling.restore(fitted.predict(codes)[0])).all()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n", [1, 4])
def test_constant_values_and_single_observations_are_fitted(name: FormatName, n: int) -> None:
    codes = drawn((3, 3), n)
    ensemble = fit(Factorized(name, 2, 4), (3, 3), codes, np.full(n, 7.0))
    assert ((ensemble.report.data_loss + ensemble.report.penalty) <= 0.1).all()
    np.testing.assert_array_equal(ensemble.scaling.restore(ensemble.predict(codes)[0]), np.full(n, 7.0))


@pytest.mark.parametrize("name", NAMES)
def test_one_variable_is_enough(name: FormatName) -> None:
    codes = np.array([[0], [2], [4], [4]])
    ensemble = fit(Factorized(name, 3, 4), (5,), codes, [1.0, 2.0, 3.0, 3.5])
    assert ensemble.predictions(np.arange(5)[:, None]).shape == (5, 4)


@pytest.mark.parametrize("name", NAMES)
def test_two_hundred_variables_neither_vanish_nor_explode(name: FormatName) -> None:
    level_counts = (3,) * 200
    codes = drawn(level_counts, 20)
    values = codes[:, :10].sum(axis=1).astype(np.float64)
    settings = Pgrad(batch_size=64, max_epochs=150)
    ensemble = fit(Factorized(name, 2, 3, settings), level_counts, codes, values)
    assert (ensemble.report.data_loss < 0.15).all()
    predictions = ensemble.predictions(drawn(level_counts, 50))
    assert np.isfinite(predictions).all() and np.abs(predictions).max() < 100.0


def test_one_huge_outlier_is_no_trouble() -> None:
    codes = drawn((4, 4), 6)
    ensemble = fit(Factorized("tt", 2, 3), (4, 4), codes, [0.0, 1.0, 2.0, 3.0, 4.0, 1e308])
    assert np.isfinite(ensemble.predictions(codes)).all()


def test_threshold_is_the_highest_feasible_value() -> None:
    codes = np.array([[0, 0], [1, 1], [2, 2]])
    is_feasible = np.array([True, True, False])
    surrogate = Factorized("cp", 2, 2, Pgrad(loss_target=0.001))
    prior = surrogate.prior((3, 3))
    fits = [
        surrogate.fit(prior, codes, [0.0, 0.5, 1.0], anywhere((3, 3)), default_rng(0), is_feasible=marks)
        for marks in (None, is_feasible)
    ]
    rest = drawn((3, 3), 40)
    assert fits[1].predict(rest)[0].mean() < fits[0].predict(rest)[0].mean()


def test_going_on_takes_fewer_epochs_than_beginning() -> None:
    codes = drawn((5, 5, 5), 25)
    values = codes.sum(axis=1).astype(np.float64)
    settings = Factorized("tt", 3, 5, Pgrad(loss_target=0.15))
    prior = settings.prior((5, 5, 5))
    first = settings.fit(prior, codes[:24], values[:24], anywhere((5, 5, 5)), default_rng(0))
    further = settings.fit(prior, codes, values, anywhere((5, 5, 5)), default_rng(1), previous=first)
    assert further.report.epochs.sum() < first.report.epochs.sum()


def test_another_kind_of_ensemble_cannot_be_continued() -> None:
    codes = drawn((3, 3), 4)
    first = fit(Factorized("tt", 2, 3), (3, 3), codes, np.arange(4.0))
    other = Factorized("tt", 3, 3)
    with pytest.raises(ValueError, match="same kind"):
        other.fit(other.prior((3, 3)), codes, np.arange(4.0), NoRows(), default_rng(0), previous=first)


def test_settings_check_themselves() -> None:
    with pytest.raises(ValueError, match="n_models"):
        Factorized(n_models=0)
    with pytest.raises(ValueError, match="smoothness"):
        Factorized(smoothness=0.0)


def test_what_is_learned_about_a_level_reaches_its_neighbors_where_levels_are_ordered() -> None:
    codes = np.array([[0, 0], [4, 1], [9, 0]])
    errors = []
    for smoothness in (None, 0.5):
        surrogate = Factorized("cp", 2, 8, Pgrad(penalty=0.0, loss_target=1e-4, anchor=1e-3), smoothness)
        prior = surrogate.prior((10, 2), [True, False])
        mean, _ = surrogate.fit(prior, codes, [0.0, 0.4, 1.0], NoRows(), default_rng(0)).predict(
            np.array([[1, 0], [8, 0]])
        )
        errors.append(np.abs(mean - [0.1, 0.9]).max())
    assert errors[1] < 0.5 * errors[0]


def test_anchored_models_agree_on_observations_and_not_elsewhere() -> None:
    codes = drawn((6, 6, 6), 12)
    surrogate = Factorized("cp", 3, 8, Pgrad(penalty=0.0, loss_target=1e-4, anchor=1e-3))
    ensemble = fit(surrogate, (6, 6, 6), codes, codes.sum(axis=1).astype(np.float64), NoRows())
    assert ensemble.predict(codes)[1].mean() < 0.2 * ensemble.predict(drawn((6, 6, 6), 100)[12:])[1].mean()

"""Where models begin: smooth along ordered slots, and the compiled mixing against the plain one."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import default_rng

from hedgerow.methods.catd.tensors import FormatName, tensor_format
from hedgerow.methods.catd.tensors.prior import Prior, mix, unmix

NAMES: tuple[FormatName, ...] = ("cp", "tr", "tt")


def smooth(name: FormatName = "cp") -> Prior:
    return Prior.of(tensor_format(name, (6, 3, 2, 9), 2), [True, False, True, True], 0.4)


@pytest.mark.parametrize("name", NAMES)
def test_compiled_mixing_agrees_with_plain(name: FormatName) -> None:
    prior = smooth(name)
    deviations = prior.draw(4, default_rng(0))
    factors, slopes = np.empty_like(deviations), deviations.copy()
    mix(prior.tensor.layout, prior.mixing, prior.tensor.center, deviations, factors)
    unmix(prior.tensor.layout, prior.mixing, slopes)
    np.testing.assert_allclose(factors, prior.factors(deviations), rtol=1e-12)
    np.testing.assert_allclose(slopes, prior.pull_back(deviations), rtol=1e-12, atol=1e-15)


def test_pulling_back_is_the_transpose_of_mixing() -> None:
    prior, rng = smooth(), default_rng(0)
    deviations, slopes = prior.draw(1, rng), prior.draw(1, rng)
    mixed = prior.factors(deviations) - prior.tensor.center[:, None]
    assert (mixed * slopes).sum() == pytest.approx((deviations * prior.pull_back(slopes)).sum())


def test_only_ordered_slots_with_several_levels_are_smooth() -> None:
    assert [mixture is None for mixture in smooth().mixtures] == [False, True, True, False]


def test_neighboring_levels_are_alike_and_every_level_has_the_same_spread() -> None:
    tensor = tensor_format("cp", (12, 12), 1)
    prior = Prior.of(tensor, [True, False], 0.3)
    factors = prior.factors(prior.draw(4000, default_rng(0)))
    correlation = np.asarray(np.corrcoef(factors))
    assert correlation[5, 6] > 0.9
    assert correlation[0, 11] < 0.3
    assert abs(correlation[12 + 5, 12 + 6]) < 0.1
    np.testing.assert_allclose(factors.std(axis=1), tensor.spread, rtol=0.1)


def test_without_smoothness_order_does_not_matter() -> None:
    assert Prior.of(tensor_format("tt", (5, 5), 2), [True, True], None).mixtures == (None, None)

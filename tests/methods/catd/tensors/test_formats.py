"""Tensor formats: compiled loops against plain NumPy, gradients against finite differences, and fresh models."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgerow.arrays import Codes
from hedgerow.methods.catd.tensors import FormatName, TensorFormat, tensor_format
from hedgerow.methods.catd.tensors.prior import Prior
from hedgerow.methods.catd.tensors.tensor_format import Entries, Parameters, blocks, joined
from tests.methods.catd.tensors.training_plain import entries_plain, gradient_plain

NAMES: tuple[FormatName, ...] = ("cp", "tr", "tt")
SHAPES = [((4,), 3), ((3, 5), 1), ((2, 3, 4), 2), ((3, 1, 2, 5, 2), 3), ((2,) * 9, 4)]


def case(
    name: FormatName, level_counts: tuple[int, ...], rank: int, n: int, n_models: int = 3
) -> tuple[TensorFormat, Parameters, Codes, Entries]:
    rng = np.random.default_rng([rank, n, len(level_counts)])
    tensor = tensor_format(name, level_counts, rank)
    codes = np.stack([rng.integers(0, count, size=n) for count in level_counts], axis=1)
    weights = rng.standard_normal((n, n_models)) * (rng.random((n, n_models)) < 0.7)
    return tensor, rng.standard_normal((tensor.n_parameters, n_models)), codes, weights


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("level_counts", "rank"), SHAPES)
@pytest.mark.parametrize("n_models", [1, 4, 6])
def test_loops_agree_with_their_plain_twins(
    name: FormatName, level_counts: tuple[int, ...], rank: int, n_models: int
) -> None:
    tensor, parameters, codes, weights = case(name, level_counts, rank, 30, n_models)
    np.testing.assert_allclose(
        tensor.entries(parameters, codes), entries_plain(tensor, parameters, codes), rtol=1e-9, atol=1e-9
    )
    np.testing.assert_allclose(
        tensor.gradient(parameters, codes, weights), gradient_plain(tensor, parameters, codes, weights), atol=1e-8
    )


@pytest.mark.parametrize("name", NAMES)
def test_rows_that_share_their_beginning_have_the_entries_they_have_alone(name: FormatName) -> None:
    tensor, parameters, codes, _ = case(name, (3, 4, 2, 3), 2, 60)
    in_order = codes[np.lexsort(codes.T[::-1])]
    alone = [tensor.entries(parameters, row[None, :])[0] for row in in_order]
    np.testing.assert_allclose(tensor.entries(parameters, in_order), alone, rtol=1e-12)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n", [3, 80])
def test_gradient_agrees_with_finite_differences(name: FormatName, n: int) -> None:
    tensor, parameters, codes, weights = case(name, (3, 2, 4), 2, n, n_models=2)

    def loss(given: Parameters) -> NDArray[np.float64]:
        return np.asarray((tensor.entries(given, codes) * weights).sum(axis=0))

    step = 1e-6
    slopes = np.empty_like(parameters)
    for i in range(tensor.n_parameters):
        up, down = parameters.copy(), parameters.copy()
        up[i] += step
        down[i] -= step
        slopes[i] = (loss(up) - loss(down)) / (2 * step)
    np.testing.assert_allclose(tensor.gradient(parameters, codes, weights), slopes, atol=1e-6)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("rank", [1, 3, 6])
@pytest.mark.parametrize(("n_slots", "n_levels"), [(1, 40), (2, 30), (6, 7), (15, 2), (200, 3)])
def test_fresh_entries_lie_around_a_half(name: FormatName, rank: int, n_slots: int, n_levels: int) -> None:
    rng = np.random.default_rng(0)
    tensor = tensor_format(name, (n_levels,) * n_slots, rank)
    # Rows of one model share their factors: many models tell more about the distribution than many rows.
    prior = Prior.of(tensor)
    entries = tensor.entries(prior.factors(prior.draw(60, rng)), rng.integers(0, n_levels, size=(60, n_slots)))
    assert entries.mean() == pytest.approx(0.5, abs=0.07)
    assert 0.18 < entries.std() < 0.34


@pytest.mark.parametrize("name", NAMES)
def test_read_only_and_strided_arrays_are_welcome(name: FormatName) -> None:
    tensor, parameters, codes, weights = case(name, (3, 4, 2), 2, 50)
    expected = tensor.entries(parameters, codes), tensor.gradient(parameters, codes, weights)
    strided = np.asfortranarray(codes)
    for array in (parameters, strided, weights):
        array.flags.writeable = False
    np.testing.assert_array_equal(tensor.entries(parameters, strided), expected[0])
    np.testing.assert_array_equal(tensor.gradient(parameters, strided, weights), expected[1])


@pytest.mark.parametrize("name", NAMES)
def test_no_rows_have_no_entries_and_no_gradient(name: FormatName) -> None:
    tensor, parameters, codes, weights = case(name, (3, 4), 2, 5)
    assert tensor.entries(parameters, codes[:0]).shape == (0, 3)
    assert not tensor.gradient(parameters, codes[:0], weights[:0]).any()


def test_unknown_formats_and_empty_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="Choose one of cp, tr, tt"):
        tensor_format("tucker", (2, 2), 2)
    with pytest.raises(ValueError, match="at least one slot"):
        tensor_format("tt", (), 2)
    with pytest.raises(ValueError, match="rank"):
        tensor_format("cp", (2, 2), 0)


@pytest.mark.parametrize("n_models", [1, 4, 5, 8])
def test_blocks_of_four_come_back_as_they_were(n_models: int) -> None:
    numbers = np.arange(3.0 * n_models).reshape(3, n_models)
    parts = blocks(numbers)
    assert {part.shape for part in parts} == {(3, 4)}
    np.testing.assert_array_equal(joined(parts, n_models), numbers)

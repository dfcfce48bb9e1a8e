"""Tensor formats: kernels against plain NumPy, gradients against finite differences, and where fresh models begin."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgerow.tensors import FormatName, TensorFormat, TensorRing, TensorTrain, chain, cp, halves, tensor_format
from hedgerow.tensors.cp import CanonicalPolyadic
from hedgerow.tensors.tensor_format import Codes, Entries, Parameters

NAMES: tuple[FormatName, ...] = ("cp", "tr", "tt")
SHAPES = [((4,), 3), ((3, 5), 1), ((2, 3, 4), 2), ((3, 1, 2, 5, 2), 3), ((2,) * 9, 4)]


def plain_entries(tensor: TensorFormat, parameters: Parameters, codes: Codes) -> Entries:
    if isinstance(tensor, CanonicalPolyadic):
        return cp.entries_plain(tensor, parameters, codes)
    assert isinstance(tensor, TensorTrain | TensorRing)
    return chain.entries_plain(parameters, codes, tensor.starts, tensor.ranks)


def plain_gradient(tensor: TensorFormat, parameters: Parameters, codes: Codes, weights: Entries) -> Parameters:
    if isinstance(tensor, CanonicalPolyadic):
        return cp.gradient_plain(tensor, parameters, codes, weights)
    assert isinstance(tensor, TensorTrain | TensorRing)
    return chain.gradient_plain(parameters, codes, weights, tensor.starts, tensor.ranks)


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
# Few rows are walked one by one, many go through tables of halves.
@pytest.mark.parametrize("n", [1, 4, 150])
def test_kernels_agree_with_their_plain_twins(
    name: FormatName, level_counts: tuple[int, ...], rank: int, n: int
) -> None:
    tensor, parameters, codes, weights = case(name, level_counts, rank, n)
    evaluation = tensor.evaluate(parameters, codes)
    np.testing.assert_allclose(evaluation.entries, plain_entries(tensor, parameters, codes), atol=1e-10)
    slopes = plain_gradient(tensor, parameters, codes, weights)
    np.testing.assert_allclose(evaluation.gradient(weights), slopes, atol=1e-9)


@pytest.mark.parametrize("ring", [False, True])
def test_walking_rows_and_meeting_in_the_middle_agree(ring: bool) -> None:
    tensor, parameters, codes, weights = case("tr" if ring else "tt", (3, 4, 2, 3), 2, 60)
    assert isinstance(tensor, TensorTrain | TensorRing)
    assert halves.rows_to_pay(tensor.level_counts) <= 60
    in_order = codes[np.lexsort(codes.T[::-1])]
    for rows in (codes, in_order):
        walked = chain.walked_entries(parameters, rows, tensor.starts, tensor.ranks)
        np.testing.assert_allclose(tensor.evaluate(parameters, rows).entries, walked, atol=1e-12)
        slopes = chain.walked_gradient(parameters, rows, weights, tensor.starts, tensor.ranks)
        np.testing.assert_allclose(tensor.evaluate(parameters, rows).gradient(weights), slopes, atol=1e-11)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n", [3, 80])
def test_gradient_agrees_with_finite_differences(name: FormatName, n: int) -> None:
    tensor, parameters, codes, weights = case(name, (3, 2, 4), 2, n, n_models=2)

    def loss(given: Parameters) -> NDArray[np.float64]:
        return np.asarray((tensor.evaluate(given, codes).entries * weights).sum(axis=0))

    step = 1e-6
    slopes = np.empty_like(parameters)
    for i in range(tensor.n_parameters):
        up, down = parameters.copy(), parameters.copy()
        up[i] += step
        down[i] -= step
        slopes[i] = (loss(up) - loss(down)) / (2 * step)
    np.testing.assert_allclose(tensor.evaluate(parameters, codes).gradient(weights), slopes, atol=1e-6)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("rank", [1, 3, 6])
@pytest.mark.parametrize(("n_slots", "n_levels"), [(1, 40), (2, 30), (6, 7), (15, 2), (200, 3)])
def test_fresh_entries_lie_around_a_half(name: FormatName, rank: int, n_slots: int, n_levels: int) -> None:
    rng = np.random.default_rng(0)
    tensor = tensor_format(name, (n_levels,) * n_slots, rank)
    # Rows of one model share their factors: many models tell more about the distribution than many rows.
    entries = tensor.evaluate(tensor.initial(60, rng), rng.integers(0, n_levels, size=(60, n_slots))).entries
    assert entries.mean() == pytest.approx(0.5, abs=0.07)
    assert 0.18 < entries.std() < 0.34


@pytest.mark.parametrize("name", NAMES)
def test_read_only_and_strided_arrays_are_welcome(name: FormatName) -> None:
    tensor, parameters, codes, weights = case(name, (3, 4, 2), 2, 50)
    expected = tensor.evaluate(parameters, codes).entries, tensor.evaluate(parameters, codes).gradient(weights)
    strided = np.asfortranarray(codes)
    for array in (parameters, strided, weights):
        array.flags.writeable = False
    np.testing.assert_array_equal(tensor.evaluate(parameters, strided).entries, expected[0])
    np.testing.assert_array_equal(tensor.evaluate(parameters, strided).gradient(weights), expected[1])


@pytest.mark.parametrize("name", NAMES)
def test_no_rows_have_no_entries_and_no_gradient(name: FormatName) -> None:
    tensor, parameters, codes, weights = case(name, (3, 4), 2, 5)
    assert tensor.evaluate(parameters, codes[:0]).entries.shape == (0, 3)
    assert not tensor.evaluate(parameters, codes[:0]).gradient(weights[:0]).any()


def test_unknown_formats_and_empty_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="Choose one of cp, tr, tt"):
        tensor_format("tucker", (2, 2), 2)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at least one slot"):
        tensor_format("tt", (), 2)
    with pytest.raises(ValueError, match="rank"):
        tensor_format("cp", (2, 2), 0)

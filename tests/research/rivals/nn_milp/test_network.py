"""The network: its compiled training equals the plain one, and training follows the data."""

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgerow.arrays import Codes
from research.rivals.nn_milp.network import Network, standardized
from research.rivals.nn_milp.training import epochs
from tests.research.rivals.nn_milp.training_plain import epochs_plain

SIZES = (3, 2, 5)


def rows(n: int, seed: int) -> tuple[Codes, NDArray[np.float64]]:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, SIZES, size=(n, len(SIZES)))
    return codes, codes @ np.array([1.0, -2.0, 0.5]) + (codes[:, 0] == codes[:, 2])


@pytest.mark.parametrize("n_hidden", [1, 4, 16])
def test_compiled_training_equals_the_plain_twin(n_hidden: int) -> None:
    codes, values = rows(20, 1)
    network = Network.random(SIZES, n_hidden, np.random.default_rng(2))
    compiled, plain = network.state.copy(), network.state.copy()
    arguments = (5, n_hidden, network.columns(codes), standardized(values), 40, 0.01)
    errors = epochs(compiled, *arguments), epochs_plain(plain, *arguments)
    np.testing.assert_allclose(compiled, plain, rtol=1e-9, atol=1e-11)
    assert errors[0] == pytest.approx(errors[1], rel=1e-9)


def test_training_follows_the_data_and_goes_on_where_it_stopped() -> None:
    codes, values = rows(25, 3)
    untrained = Network.random(SIZES, 16, np.random.default_rng(0))

    def error(network: Network) -> float:
        return float(((network.predict(codes) - standardized(values)) ** 2).mean())

    once = untrained.trained(codes, values, 400, 0.01)
    assert error(untrained) > 0.5
    assert error(once) < 0.02
    in_two = untrained.trained(codes, values, 150, 0.01).trained(codes, values, 250, 0.01)
    np.testing.assert_array_equal(once.state, in_two.state)


def test_prediction_is_the_network_on_one_hot_inputs() -> None:
    codes, _ = rows(10, 4)
    network = Network.random(SIZES, 6, np.random.default_rng(5))
    inputs = np.concatenate([np.eye(n)[column] for n, column in zip(SIZES, codes.T, strict=True)], axis=1)
    hidden = np.maximum(inputs @ network.level_weights + network.hidden_bias, 0)
    np.testing.assert_allclose(network.predict(codes), hidden @ network.output_weights + network.output_bias)


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300])
def test_values_of_any_size_are_standardized(scale: float) -> None:
    scaled = standardized(scale * np.array([1.0, -1.0, 0.5, 0.0]))
    assert scaled.mean() == pytest.approx(0, abs=1e-12)
    assert scaled.std() == pytest.approx(1)
    assert standardized(np.full(3, scale)).tolist() == [0, 0, 0]

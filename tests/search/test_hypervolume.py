"""The volume beyond a front: boxes tile it, expectations match simulations, one objective is expected improvement."""

import itertools

import numpy as np
import pytest

from hedgerow.search.acquisition import log_expected_improvement
from hedgerow.search.hypervolume import VolumeGain, boxes_beyond, hypervolume


def dominated_by_grid(front: np.ndarray, reference: np.ndarray, n: int) -> float:
    axes = [(np.arange(n) + 0.5) / n * r for r in reference]
    cells = np.array(list(itertools.product(*axes)))
    is_dominated = [bool((front <= cell).all(axis=1).any()) for cell in cells]
    return float(np.mean(is_dominated) * np.prod(reference))


@pytest.mark.parametrize(("n_objectives", "n_cells"), [(1, 1000), (2, 60), (3, 24), (4, 12)])
def test_boxes_fill_what_is_not_dominated(n_objectives: int, n_cells: int) -> None:
    rng = np.random.default_rng(n_objectives)
    reference = np.ones(n_objectives)
    front = rng.integers(0, n_cells, size=(6, n_objectives)) / n_cells
    covered = sum(
        np.prod(np.array(high) - np.maximum(np.array(low), 0.0)) for low, high in boxes_beyond(front, reference)
    )
    assert covered == pytest.approx(1.0 - dominated_by_grid(front, reference, n_cells))
    assert hypervolume(front, reference) == pytest.approx(dominated_by_grid(front, reference, n_cells))


def test_boxes_of_three_objectives_stay_few() -> None:
    rng = np.random.default_rng(0)
    points = rng.normal(size=(40, 3))
    front = points / -np.linalg.norm(points, axis=1, keepdims=True) * np.sign(points)
    assert len(boxes_beyond(front, np.ones(3))) < 5 * 40


@pytest.mark.parametrize("n_objectives", [2, 3])
def test_the_expected_gain_matches_simulation(n_objectives: int) -> None:
    rng = np.random.default_rng(5)
    front = np.array([[0.2, 0.7, 0.5], [0.5, 0.4, 0.6], [0.8, 0.1, 0.3]])[:, :n_objectives]
    reference = np.ones(n_objectives)
    means, deviations = rng.uniform(0.1, 0.9, size=(n_objectives, 4)), rng.uniform(0.05, 0.4, size=(n_objectives, 4))
    expected = np.exp(VolumeGain.of(front, reference).log_expected(list(means), list(deviations)))
    for row in range(4):
        draws = rng.normal(means[:, row], deviations[:, row], size=(4000, n_objectives))
        before = hypervolume(np.vstack([front, np.full(n_objectives, -3.0)]), reference)
        assert before > 0
        gains = [_gain(front, reference, draw) for draw in draws]
        assert expected[row] == pytest.approx(np.mean(gains), abs=4 * np.std(gains) / np.sqrt(4000))


def _gain(front: np.ndarray, reference: np.ndarray, outcome: np.ndarray) -> float:
    boxes = boxes_beyond(front, reference)
    return float(
        sum(
            np.prod([max(0.0, h - max(lo, y)) for lo, h, y in zip(low, high, outcome, strict=True)])
            for low, high in boxes
        )
    )


def test_with_one_objective_it_is_the_expected_improvement() -> None:
    mean, sd = np.array([0.1, 0.5, 3.0]), np.array([0.2, 0.1, 0.3])
    gain = VolumeGain.of(np.array([[0.3], [0.6]]), np.array([2.0]))
    assert gain.log_expected([mean], [sd]) == pytest.approx(log_expected_improvement(mean, sd, 0.3))


def test_far_rows_are_still_told_apart() -> None:
    gain = VolumeGain.of(np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([2.0, 2.0]))
    far = gain.log_expected([np.array([60.0, 80.0])] * 2, [np.ones(2)] * 2)
    assert np.isfinite(far).all()
    assert far[0] > far[1]


def test_an_empty_front_leaves_everything_below_the_reference() -> None:
    gain = VolumeGain.of(np.zeros((0, 2)), np.array([1.0, 1.0]))
    score = gain.log_expected([np.array([0.0])] * 2, [np.array([1e-9])] * 2)
    assert score == pytest.approx(0.0, abs=1e-6)

"""What a trial adds to a front: the expected improvement of the dominated volume, exact for independent Gaussians.

Less is better in every objective. The region that a front does not dominate, up to a reference point, is cut into boxes
[l, u]. A trial with outcomes Y adds the part of it above Y, whose expectation is a sum over boxes of products
prod_j (E max(0, u_j - Y_j) - E max(0, l_j - Y_j)): with one objective, and the best value as the only corner, that is
the expected improvement. The cut is by slices along the last objective (Emmerich et al. 2011 use the same sum).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Column, Matrix, Scores, Whole
from hedgerow.search.improvement_loops import log_improvements

Corner = tuple[float, ...]
Boxes = dict[tuple[Corner, Corner], None]  # in a fixed order


def boxes_beyond(front: Matrix, reference: Column) -> list[tuple[Corner, Corner]]:
    """Return disjoint boxes (low, high) that fill what the rows of a front do not dominate below a reference point."""
    inside = front[(front < reference).all(axis=1)]
    return list(_boxes(inside[np.argsort(inside[:, -1], kind="stable")], tuple(reference)))


def _boxes(front: Matrix, reference: Corner) -> Boxes:
    """Cut along the last objective; a box goes on through all slices in which it stays the same."""
    if len(reference) == 1:
        high = min([reference[0], *front[:, 0]])
        return {((-math.inf,), (high,)): None}
    levels = [-math.inf, *np.unique(front[:, -1]), reference[-1]]
    opened: dict[tuple[Corner, Corner], float] = {}
    closed: Boxes = {}
    for low in levels[:-1]:
        current = _boxes(front[front[:, -1] <= low][:, :-1], reference[:-1])
        for box in [box for box in opened if box not in current]:
            closed[_with_last(box, opened.pop(box), low)] = None
        for box in current:
            opened.setdefault(box, low)
    for box, start in opened.items():
        closed[_with_last(box, start, reference[-1])] = None
    return closed


def _with_last(box: tuple[Corner, Corner], low: float, high: float) -> tuple[Corner, Corner]:
    return (*box[0], float(low)), (*box[1], float(high))


def hypervolume(front: Matrix, reference: Column) -> float:
    """Return the volume that rows dominate below a reference point and above the least value of each column."""
    inside = front[(front < reference).all(axis=1)]
    if not inside.size:
        return 0.0
    least = inside.min(axis=0)
    beyond = sum(
        math.prod(max(0.0, high - max(low, floor)) for low, high, floor in zip(*box, least, strict=True))
        for box in boxes_beyond(inside, reference)
    )
    return float(np.prod(reference - least) - beyond)


@dataclass(frozen=True, eq=False)
class VolumeGain:
    """The boxes beyond a front, by the places of their corners among the coordinates of each objective."""

    coordinates: tuple[Column, ...]  # ascending, the last is the reference
    low: Whole  # (n_boxes, n_objectives), 0 for minus infinity, else one more than the place
    high: Whole

    @classmethod
    def of(cls, front: Matrix, reference: Column) -> VolumeGain:
        """Prepare a front, of which rows may dominate each other."""
        boxes = boxes_beyond(front, reference)
        low, high = (np.array([box[side] for box in boxes]) for side in (0, 1))
        coordinates = tuple(np.unique(np.append(high[:, k], reference[k])) for k in range(reference.size))
        places = [
            np.stack([_place(corners[:, k], coordinates[k]) for k in range(reference.size)], axis=1)
            for corners in (low, high)
        ]
        return cls(coordinates, *places)

    def log_expected(self, means: Sequence[Column], deviations: Sequence[Column]) -> Scores:
        """Return the logarithm of the expected gain of rows with these Gaussian outcomes, one array per objective."""
        logs = [
            [log_improvements(mean, sd, float(corner)) for corner in corners]
            for mean, sd, corners in zip(means, deviations, self.coordinates, strict=True)
        ]
        # Relative to the gain in each objective alone up to the reference, so that far rows do not underflow.
        scale = np.sum([log[-1] for log in logs], axis=0)
        shares = [np.concatenate([np.zeros((1, means[0].size)), _shares(np.array(log))]) for log in logs]
        total = np.zeros(means[0].size)
        for low, high in zip(self.low, self.high, strict=True):
            part = shares[0][high[0]] - shares[0][low[0]]
            for share, below, above in zip(shares[1:], low[1:], high[1:], strict=True):
                part = part * (share[above] - share[below])
            total += part
        with np.errstate(divide="ignore"):
            return np.asarray(np.maximum(scale + np.log(total), self._least(logs)))

    def _least(self, logs: list[list[Column]]) -> Scores:
        """Return the gain of the box below the front in one objective: a bound that does not underflow."""
        ends = [
            log[0] + sum(other[-1] for place, other in enumerate(logs) if place != own) for own, log in enumerate(logs)
        ]
        return np.asarray(np.max(ends, axis=0))


def _place(corners: Column, coordinates: Column) -> NDArray[np.int64]:
    return np.where(np.isfinite(corners), np.searchsorted(coordinates, corners) + 1, 0)


def _shares(logs: Matrix) -> Matrix:
    with np.errstate(invalid="ignore"):
        return np.asarray(np.nan_to_num(np.exp(logs - logs[-1])))

"""A surrogate trained on data that is there, without an optimizer: points and values in, predictions out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgerow.arrays import Codes, Column
from hedgerow.errors import HedgerowError
from hedgerow.feasible import FeasibleSet
from hedgerow.methods.catd.method import CATD
from hedgerow.methods.catd.training import Trained
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from hedgerow.rules import RuleLike
from hedgerow.space import Space
from hedgerow.space.encoding import encode


@dataclass(frozen=True, eq=False)
class Fitted:
    """A trained surrogate that speaks of points and of the user's values; `model` is what was trained."""

    space: Space
    model: Trained

    def predictions(self, points: Sequence[Mapping[str, Any]]) -> NDArray[np.float64]:
        """Return what each model says of each point, as (n_points, n_models)."""
        entries = self.model.predictions(_rows(self.space, points))
        return self.model.scaling.restore(entries.ravel()).reshape(entries.shape)

    def predict(self, points: Sequence[Mapping[str, Any]]) -> tuple[Column, Column]:
        """Return mean and standard deviation over the models at each point; a single model has no spread."""
        said = self.predictions(points)
        spread = said.std(axis=1, ddof=1) if said.shape[1] > 1 else np.zeros(said.shape[0])
        return said.mean(axis=1), spread


def fit(
    method: CATD,
    space: Space,
    points: Sequence[Mapping[str, Any]],
    values: ArrayLike,
    *,
    rules: Iterable[RuleLike] | Mapping[str, RuleLike] = (),
    seed: int = 0,
) -> Fitted:
    """Return the surrogate of a method, trained once on all observations.

    Arguments: points as dicts, as many finite values, and the rules that a penalty is to teach. Raises HedgerowError
    where numbers of points and values differ, there is none, or a value is not finite.
    """
    told = np.asarray(values, dtype=np.float64)
    if len(points) != told.size or told.ndim != 1 or not told.size or not np.isfinite(told).all():
        raise HedgerowError(
            f"fit takes as many finite values as points, at least one; got {len(points)} points and values of shape "
            f"{told.shape}. Leave failed trials out."
        )
    problem = CodeProblem(FeasibleSet(space, rules))
    rows = _rows(space, points)
    model = method.training(problem).at_once(History(rows, told, rows[:0]), seed)
    return Fitted(space, model)


def _rows(space: Space, points: Sequence[Mapping[str, Any]]) -> Codes:
    return np.array([encode(space, point) for point in points], dtype=np.int64).reshape(-1, len(space.slots))

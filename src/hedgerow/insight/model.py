"""A model of the objective that is made after the fact, from all values of a study, whatever method suggested them.

It is the default method's belief: the tensor kernel under the output transform of highest evidence. Predictions are in
the units of the values, and stay within the range that was seen. Slots with very many levels are read by groups, so
that nothing grows with the square of their number.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular  # type: ignore[import-untyped]

from hedgerow.arrays import Codes, Column
from hedgerow.insight.levels import LevelGroups, group_levels
from hedgerow.methods.auto.belief import BeliefSettings, fit_beliefs, safe
from hedgerow.methods.auto.kernel.process import KernelSurrogate
from hedgerow.methods.auto.kernel.tensor_kernel import TensorKernel
from hedgerow.methods.auto.transforms import TRANSFORMS
from hedgerow.methods.threads import one_thread
from hedgerow.space.space import Space

# The most likely parameters alone: a picture is no place for draws.
_SETTINGS = BeliefSettings(n_draws=0, max_conditioned=1000)
_MAX_LEVELS = 40
_CHUNK = 512


@dataclass(frozen=True, eq=False)
class ValueModel:
    """Predicts values at rows of codes; `trust` is the share of the variance it explains in values left out."""

    levels: tuple[LevelGroups, ...]
    trust: float
    _surrogate: KernelSurrogate
    _targets: Column  # increasing, with
    _values: Column  # what was measured there
    _sign: float

    def predict(self, rows: Codes) -> Column:
        """Return what is expected at each row."""
        codes = _grouped(self.levels, rows)
        with one_thread():
            chunks = [
                self._surrogate.predict(codes[start : start + _CHUNK])[0] for start in range(0, codes.shape[0], _CHUNK)
            ]
        return self._sign * np.interp(np.concatenate(chunks), self._targets, self._values)

    def influence(self) -> Column:
        """Return how strongly each of `levels` matters, alone or together with others, on a scale of its own."""
        return np.asarray(self._surrogate.factor.parameters[: len(self.levels)])


def fit_model(space: Space, codes: Codes, values: Column, is_maximized: bool) -> ValueModel:
    """Fit the model to measured rows, which must not all have the same value."""
    levels = tuple(group_levels(space, slot, _MAX_LEVELS) for slot, size in enumerate(space.sizes) if size > 1)
    kernel = TensorKernel.of([each.n for each in levels], [each.is_ordered for each in levels])
    sign = -1.0 if is_maximized else 1.0
    # Among values of extreme magnitudes a transform may overflow; its evidence is then none, and another one is used.
    with one_thread(), np.errstate(over="ignore", invalid="ignore"):
        fit = fit_beliefs(_SETTINGS, kernel, _grouped(levels, codes), sign * values, np.random.default_rng(0))
        belief = max(fit.beliefs, key=lambda each: each.log_weight)
        kept = sign * values[fit.kept]
        targets = TRANSFORMS[belief.transform](safe(kept)).values
        surrogate = KernelSurrogate.condition(belief.factor, targets)
        trust = _share_explained(surrogate)
    order = np.argsort(targets, kind="stable")
    return ValueModel(levels, trust, surrogate, targets[order], kept[order], sign)


def _grouped(levels: tuple[LevelGroups, ...], rows: Codes) -> Codes:
    return np.ascontiguousarray(np.stack([each.groups(rows) for each in levels], axis=1))


def _share_explained(surrogate: KernelSurrogate) -> float:
    """Return the share of the targets' variance that is predicted when each is left out in turn (Dubrule 1983)."""
    lower = surrogate.factor.lower
    inverse = solve_triangular(lower, np.eye(lower.shape[0]), lower=True, check_finite=False)
    missed = (inverse.T @ surrogate.whitened) / np.einsum("ij,ij->j", inverse, inverse)
    spread = surrogate.targets - surrogate.targets.mean()
    return float(np.clip(1 - missed @ missed / (spread @ spread), 0.0, 1.0))

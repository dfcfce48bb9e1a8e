"""How far the rule is violated, and the slope of that in each gap, in plain NumPy for many gaps at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hedgerow.methods.catd.tensors.losses import SHARPNESS, STRAIGHT_FROM, PerModel, TNorm
from hedgerow.methods.catd.tensors.tensor_format import Entries


def violation(gaps: Entries, tnorm: TNorm) -> tuple[PerModel, Entries]:
    """Return how far the rule is violated by each model, and the slope of that in each gap (n_rows, n_models)."""
    return _VIOLATIONS[tnorm](gaps)


def _lukasiewicz(gaps: Entries) -> tuple[PerModel, Entries]:
    n = gaps.shape[0]
    return np.maximum(gaps, 0.0).sum(axis=0) / n, (gaps > 0.0) * (1.0 / n)


def _product(gaps: Entries) -> tuple[PerModel, Entries]:
    n = gaps.shape[0]
    curved = np.clip(gaps, 0.0, STRAIGHT_FROM)
    steepness = 1.0 / (1.0 - curved)
    straight = np.maximum(gaps - STRAIGHT_FROM, 0.0) * steepness
    return (straight - np.log1p(-curved)).mean(axis=0), np.where(gaps > 0.0, steepness, 0.0) / n


def _goedel(gaps: Entries) -> tuple[PerModel, Entries]:
    n = gaps.shape[0]
    heights = SHARPNESS * np.maximum(gaps, 0.0)
    highest = heights.max(axis=0)
    shares = np.exp(heights - highest)
    total = shares.sum(axis=0)
    return (highest + np.log(total / n)) / SHARPNESS, np.where(gaps > 0.0, shares / total, 0.0)


_VIOLATIONS: dict[TNorm, Callable[[Entries], tuple[PerModel, Entries]]] = {
    "lukasiewicz": _lukasiewicz,
    "product": _product,
    "goedel": _goedel,
}

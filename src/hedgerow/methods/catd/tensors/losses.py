"""How far the rule "every infeasible row lies at the threshold or above" is violated, by T-norm.

Gaps are tau - Y[x]. A row's truth score is s = 1 - max(0, gap). For every T-norm the residuum of "infeasible implies
high" with a true antecedent is I(1, s) = sup{z : T(1, z) <= s} = s, so T-norms differ in how the rows are joined:
by the T-norm itself. With an additive generator f, joined truth is a sum of f(s), which is the loss.

- Lukasiewicz, f(s) = 1 - s: the mean of max(0, gap), the paper's hinge. (Not cut at 1: far rows keep their slope.)
- product, f(s) = -log s: the mean of -log(1 - max(0, gap)), continued as a straight line from 0.9 on.
- Goedel, T = min, without generator: the largest gap counts. For useful slopes the maximum is softened to
  log(mean(exp(k max(0, gap)))) / k with k = 10, which lies between the mean and the largest.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hedgerow.compiled import compiled

PerModel = NDArray[np.float64]  # (n_models,)
TNorm = Literal["lukasiewicz", "product", "goedel"]

# The product penalty is a straight line from this violation on, where its logarithm would soon be infinite.
STRAIGHT_FROM = 0.9
# How sharply the Goedel penalty looks at the worst rows.
SHARPNESS = 10.0

# T-norms as compiled code knows them.
LUKASIEWICZ, PRODUCT, GOEDEL = 0, 1, 2
TNORM_NUMBERS: dict[TNorm, int] = {"lukasiewicz": LUKASIEWICZ, "product": PRODUCT, "goedel": GOEDEL}


@compiled
def product_violation(gap: float) -> float:
    """Return what a row with a positive gap adds to the mean, by the product T-norm."""
    curved = min(gap, STRAIGHT_FROM)
    return float((gap - curved) / (1.0 - curved) - np.log1p(-curved))


@compiled
def product_slope(gap: float) -> float:
    """Return the slope of `product_violation`."""
    return 1.0 / (1.0 - min(gap, STRAIGHT_FROM))

"""HSDP: the paper's training by semidefinite relaxation, for two variables.

`program` is what is minimized, `moments` and `relaxation` its relaxation, `solver` hands it to CVXPY, `conic` proves
the bound, `extract` makes a table of the moments, `training` is a round, `model` the surrogate.
Tests compare with the same hierarchy for any polynomials without symmetry.
"""

from __future__ import annotations

from hedgerow.methods.catd.hsdp.model import Grid, TableModel, fit
from hedgerow.methods.catd.hsdp.training import Hsdp, HsdpReport

__all__ = ["Grid", "Hsdp", "HsdpReport", "TableModel", "fit"]

"""Whole runs: an objective, a budget, and a result."""

from hedgerow.study.minimize import maximize, minimize
from hedgerow.study.result import Result

__all__ = ["Result", "maximize", "minimize"]

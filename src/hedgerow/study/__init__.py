"""Whole runs: an objective, a budget, and a result."""

from hedgerow.study.minimize import Result, maximize, minimize

__all__ = ["Result", "maximize", "minimize"]

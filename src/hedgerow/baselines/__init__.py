"""Honest rivals, each a method like any other: what the default is measured against."""

from hedgerow.baselines.evolution import Evolution

__all__ = ["Evolution"]

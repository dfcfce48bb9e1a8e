"""Hedgerow's sampler, as OptunaHub loads it."""

from hedgerow import HedgerowSampler

__all__ = ["HedgerowSampler"]

"""Evaluating one point: commands and functions in worker processes or on clusters, and what they leave on disk."""

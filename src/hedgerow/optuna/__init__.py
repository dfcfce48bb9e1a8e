"""Hedgerow as an Optuna sampler: what Optuna's `BaseSampler` asks for, and nothing more."""

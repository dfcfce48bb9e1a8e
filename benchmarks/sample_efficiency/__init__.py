"""Trials to the optimum, method against method: `python -m benchmarks.sample_efficiency --help`."""

"""Trials to the optimum, method against method: `python -m research.sample_efficiency --help`."""

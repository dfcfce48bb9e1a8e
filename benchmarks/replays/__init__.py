"""Replays of measured data, method against method: `python -m benchmarks.replays --help`."""

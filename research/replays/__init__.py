"""Replays of measured data, method against method: `python -m research replays --help`."""

"""Which points are measured again where each shall have several readings."""

from __future__ import annotations

import math

from hedgerow.arrays import Codes
from hedgerow.methods.history import History
from hedgerow.outcomes.goals import Repeats

# The part of a run with which it ends, where readings are noisy: what is known is confirmed.
_LAST = 0.1


def last_readings(n_end: int, n_trials: int) -> range:
    """Return the numbers of the readings that end a run of so many trials."""
    return range(n_end - max(1, round(_LAST * n_trials)), n_end)


def lacking_readings(history: History, repeats: Repeats) -> list[Codes]:
    """Return the rows with fewer readings, told and pending, than each shall have; failures have enough."""
    if isinstance(repeats, bool | str) or repeats == 1:
        return []
    n_readings: dict[bytes, float] = {}
    rows: dict[bytes, Codes] = {}
    counts = [1.0 if has_worked else math.inf for has_worked in history.has_worked] + [1.0] * len(history.pending)
    for row, count in zip([*history.codes, *history.pending], counts, strict=True):
        rows.setdefault(row.tobytes(), row)
        n_readings[row.tobytes()] = n_readings.get(row.tobytes(), 0.0) + count
    return [rows[key] for key, n in n_readings.items() if n < repeats]

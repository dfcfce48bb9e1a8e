"""The best point of a study by what is believed while a run is at work: now and then, since a belief takes a fit."""

from __future__ import annotations

import math
import time
from dataclasses import replace

from hedgerow.runs.judged import PooledPoint
from hedgerow.runs.status import Status, with_best_of
from hedgerow.runs.study import Study

# The share of a run's time that beliefs for those who look on may take.
_SHARE = 0.1


class BelievedBest:
    """The status of a study; where points are measured again, with the best point as it was believed last."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._best: PooledPoint | None = None
        self._n_told = -1
        self._next = -math.inf

    def status(self) -> Status:
        """Return how the study stands."""
        status = self._study.status()
        judged = status.judged
        if judged is None or not judged.is_believed:
            return status
        began, n_told = time.monotonic(), len(self._study.read().told)
        if n_told != self._n_told and began >= self._next:
            status = self._study.believed_status()
            # The first look loads and compiles what later ones find ready, so it says nothing of what they take.
            seconds = 0.0 if self._best is None else time.monotonic() - began
            self._next, self._n_told = began + seconds / _SHARE, n_told
            self._best = None if status.judged is None else status.judged.best
            return status
        return with_best_of(status, replace(judged, best=self._best or judged.best))

"""Who works on a trial, and whether they still do.

A running trial carries a lease: its worker, and a counter that the worker keeps counting up. Whoever watches a lease
that has not moved for its whole length, by the watcher's own clock, may declare the trial lost; clocks of different
machines are never compared, and time in which the watcher saw nothing, because the storage was away or the watcher
busy, does not count: nobody could renew a lease then. A worker of the same machine whose process is gone is known to be
lost at once.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Container, Iterable
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from hedgerow import schema
from hedgerow.runs.workers.processes import ProcessMark
from hedgerow.schema import StoredState, StoredTrial

_T = TypeVar("_T", bound=StoredTrial)


@dataclass(frozen=True)
class Lease:
    """Who holds a trial: a worker, its process, and how often it has said so."""

    worker: str
    machine: str
    process: int
    born: str
    beat: int = 0

    @classmethod
    def mine(cls) -> Lease:
        """Return a lease of a new worker in this process."""
        return cls(os.urandom(6).hex(), **asdict(ProcessMark.of(os.getpid())))

    @classmethod
    def of(cls, trial: StoredTrial) -> Lease | None:
        """Return the lease of a trial, if it has one."""
        found = trial.system_attrs.get(schema.LEASE)
        return cls(**found) if isinstance(found, dict) else None

    def to_dict(self) -> dict[str, Any]:
        """Return the form that is stored."""
        return asdict(self)

    @property
    def holder(self) -> ProcessMark:
        """The process of the worker."""
        return ProcessMark(self.machine, self.process, self.born)


class Watch:
    """Finds trials whose workers are gone, among what one worker sees over time."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        # By trial: the last beat, and for how long it has been seen to stand still.
        self._seen: dict[int, tuple[int, float]] = {}
        self._gone: set[int] = set()
        self._watched = -math.inf

    def lost(self, trials: Iterable[_T], worker: str, held: Container[int] = frozenset()) -> list[_T]:
        """Return the running trials whose leases have ended, and those of this worker that it does not hold.

        Where the answer of a storage got lost, a trial may have been created without its worker knowing.
        """
        now = time.monotonic()
        # Between two looks that are far apart there was no looking.
        passed = min(now - self._watched, self._seconds / 4)
        self._watched = now
        running = {trial.number: trial for trial in trials if trial.state == StoredState.RUNNING}
        self._seen = {number: seen for number, seen in self._seen.items() if number in running}
        self._gone &= running.keys()
        return [trial for trial in running.values() if self._has_ended(trial, worker, held, passed)]

    def forget(self, trials: Iterable[StoredTrial]) -> None:
        """Stop watching trials that have been given up."""
        for trial in trials:
            self._gone.discard(trial.number)
            self._seen.pop(trial.number, None)

    @property
    def in_doubt(self) -> frozenset[int]:
        """The trials that have not been given up yet though their workers, on this machine, are gone."""
        return frozenset(self._gone)

    def _has_ended(self, trial: StoredTrial, worker: str, held: Container[int], passed: float) -> bool:
        lease = Lease.of(trial)
        if lease is None:
            return False
        if lease.worker == worker:
            return trial.number not in held
        if lease.holder.is_surely_gone:
            self._gone.add(trial.number)
            return True
        beat, stood = self._seen.get(trial.number, (-1, 0.0))
        stood = 0.0 if beat != lease.beat else stood + passed
        self._seen[trial.number] = (lease.beat, stood)
        return stood > self._seconds

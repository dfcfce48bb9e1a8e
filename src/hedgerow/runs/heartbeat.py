"""The sign of life of a worker: it keeps the leases of the trials that the worker holds alive."""

from __future__ import annotations

import sys
import threading
from dataclasses import replace

from optuna.exceptions import UpdateFinishedTrialError
from optuna.storages import BaseStorage

from hedgerow import schema
from hedgerow.runs.leases import Lease


class Heartbeat:
    """Keeps the leases of this worker's trials alive from a thread of its own, so that long asks do not end them."""

    def __init__(self, storage: BaseStorage, lease: Lease, seconds: float) -> None:
        self._storage = storage
        self._lease = lease
        self._period = seconds / 4
        self._held: set[int] = set()
        self._guard = threading.Lock()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._beat_on, daemon=True)
        self._thread.start()

    def hold(self, trial_id: int) -> None:
        """Keep a trial's lease alive from now on."""
        with self._guard:
            self._held.add(trial_id)

    def release(self, trial_id: int) -> None:
        """Leave a trial alone, because it has ended."""
        with self._guard:
            self._held.discard(trial_id)

    def stop(self) -> None:
        """End the thread."""
        self._is_over.set()
        self._thread.join(timeout=5.0)

    def _beat_on(self) -> None:
        beat = 0
        while not self._is_over.wait(self._period):
            beat += 1
            with self._guard:
                held = list(self._held)
            for trial_id in held:
                self._beat_once(trial_id, replace(self._lease, beat=beat))

    def _beat_once(self, trial_id: int, lease: Lease) -> None:
        try:
            self._storage.set_trial_system_attr(trial_id, schema.LEASE, lease.to_dict())
        except UpdateFinishedTrialError:
            self.release(trial_id)
        except Exception as error:
            # A heartbeat must not stop for a storage that is away longer than calls wait; the next beat tries again.
            print(f"hedgerow: a lease could not be renewed: {error}", file=sys.stderr)

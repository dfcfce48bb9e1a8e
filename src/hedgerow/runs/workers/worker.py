"""The process in which evaluations take place, one after the other: `python -m hedgerow.runs.workers.worker`.

Jobs come in as lines on standard input, outcomes go out as lines on standard output; what objectives print is caught.
When the input ends, the run that started this process is gone, so it ends too, and a running command with it; first it
says that the evaluation was well, and what is measured in this moment is kept.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from dataclasses import replace

from hedgerow.runs.workers.job import MAX_OUTPUT, Job, Outcome, evaluate, kill_group
from hedgerow.runs.workers.spool import leave, spare

_LAST_MOMENT = 2.0  # seconds
READY = "ready\n"


class _Worker:
    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[Job] = queue.SimpleQueue()
        self._job: Job | None = None
        self._answers = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
        self._running: subprocess.Popen[bytes] | None = None
        self._is_idle = threading.Event()
        self._is_idle.set()

    def serve(self) -> None:
        threading.Thread(target=self._listen, daemon=True).start()
        # The time limit of an evaluation does not count how long this process took to start.
        self._answers.write(READY)
        while True:
            job = self._jobs.get()
            outcome = evaluate(job, self._started) if job.command else _with_output(job)
            self._running = None
            leave(job, outcome)
            self._is_idle.set()
            self._answers.write(json.dumps(vars(outcome)) + "\n")

    def _started(self, process: subprocess.Popen[bytes]) -> None:
        self._running = process

    def _listen(self) -> None:
        for line in sys.stdin:
            # Not idle from here on, so that the end of the input cannot overtake a job.
            self._is_idle.clear()
            self._job = Job.from_json(line)
            self._jobs.put(self._job)
        if self._job is not None and not self._is_idle.is_set():
            spare(self._job)
        self._is_idle.wait(_LAST_MOMENT)
        running = self._running
        if running is not None:
            with suppress(OSError):
                kill_group(running)
        os._exit(0)


def _with_output(job: Job) -> Outcome:
    """Call a function and keep the end of what it printed, at whatever level it did so."""
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
        outcome = evaluate(job)
        sys.stdout.flush()
        sys.stderr.flush()
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - MAX_OUTPUT))
        output = file.read().decode("utf-8", errors="replace").strip()
    _silence()
    return replace(outcome, output=output)


def _silence() -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.close(nowhere)


if __name__ == "__main__":
    worker = _Worker()
    _silence()
    worker.serve()

"""Evaluations on this machine: one process per worker, started once and replaced when it has to be killed."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

from hedgerow.runs.workers.job import Job, Outcome, kill_group, own_session
from hedgerow.runs.workers.spool import begin, left
from hedgerow.runs.workers.worker import READY

# A command is stopped by the process that runs it; that has this long to say so.
_GRACE = 5.0


class LocalWorkers:
    """Runs jobs in processes of their own, so that no objective can harm the run, or outlive it."""

    def __init__(self, n_workers: int) -> None:
        self._threads = ThreadPoolExecutor(n_workers, thread_name_prefix="worker")
        self._idle: queue.SimpleQueue[_WorkerProcess] = queue.SimpleQueue()
        self._all = [_WorkerProcess() for _ in range(n_workers)]
        for worker in self._all:
            self._idle.put(worker)

    def submit(self, job: Job) -> Future[Outcome]:
        """Start a job as soon as a process is free."""
        return self._threads.submit(self._run, job)

    def close(self) -> None:
        """End all processes, at once."""
        for worker in self._all:
            worker.end()
        self._threads.shutdown(wait=True, cancel_futures=True)

    def _run(self, job: Job) -> Outcome:
        worker = self._idle.get()
        try:
            return worker.run(job)
        finally:
            self._idle.put(worker)


class _WorkerProcess:
    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._is_ended = False

    def run(self, job: Job) -> Outcome:
        process = self._alive()
        if process is None:
            return Outcome(None, "the evaluation's process could not be started")
        assert process.stdin is not None
        assert process.stdout is not None
        limit = None if job.timeout is None else job.timeout + (_GRACE if job.command else 0.0)
        is_late = threading.Event()
        alarm = threading.Timer(limit, self._kill, (is_late,)) if limit is not None else None
        if alarm is not None:
            alarm.start()
        begin(job, process.pid)
        try:
            process.stdin.write(job.to_json() + "\n")
            process.stdin.flush()
            outcome = _read(process.stdout.readline())
        except OSError:
            outcome = None
        finally:
            if alarm is not None:
                alarm.cancel()
        if outcome is not None:
            return outcome
        self._process = None
        process.wait()
        # What was measured in the last moment counts, though nobody was left to say so.
        outcome = left(job.spool, job.point)
        if outcome is not None:
            return outcome
        if is_late.is_set():
            return Outcome(None, f"stopped after the time limit of {job.timeout:g} s", job.timeout or 0.0)
        return Outcome(None, f"the evaluation's process ended by itself ({_ending(process)})")

    def end(self) -> None:
        self._is_ended = True
        process = self._process
        if process is not None and process.stdin is not None:
            with suppress(OSError):
                # It stops its command and itself; whatever a function is in the middle of goes with it.
                process.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                process.wait(_GRACE)
                return
            self._kill(threading.Event())

    def _alive(self) -> subprocess.Popen[str] | None:
        """Return a process that is ready for a job, or None where none comes up."""
        if self._process is None or self._process.poll() is not None:
            if self._is_ended:
                raise RuntimeError("the run is over")
            # A session of its own: an interrupt at the keyboard is for the run, which lets evaluations finish.
            self._process = subprocess.Popen(
                [sys.executable, "-m", "hedgerow.runs.workers.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                **own_session(),
            )
            assert self._process.stdout is not None
            if self._process.stdout.readline() != READY:
                self._process = None
        return self._process

    def _kill(self, is_late: threading.Event) -> None:
        process = self._process
        if process is None:
            return
        is_late.set()
        kill_group(process)


def _read(answer: str) -> Outcome | None:
    """Return the outcome in a line; None where the process ended before it had written all of it."""
    try:
        return Outcome(**json.loads(answer))
    except ValueError:
        return None


def _ending(process: subprocess.Popen[str]) -> str:
    code = process.wait()
    return f"killed by signal {-code}" if code < 0 else f"exit code {code}"

"""The fault drill: workers killed without warning, objectives that fail and hang, a database that restarts.

`python -m research faults` runs 8 workers through 400 trials on SQLite and on a private PostgreSQL, kills one worker
every second with SIGKILL, restarts the database on the way, and then compares what the objective measured with what the
study says. It ends with exit code 1 if anything was lost, stored twice, tried twice without being declared, or invalid,
and says which trials those were.

A measurement is complete when the objective has its value. The objective notes the value in a file of its own, as its
last act, before any part of Hedgerow can know of it: what is noted there and not in the study has been lost. A kill
hits the process of a run; the process that evaluates is another one, which has two seconds from then to end what it is
doing. The time limit of an evaluation is far above what a measurement takes even on a busy machine, because it is
right to fail an evaluation that runs into its limit, even between its note and its return.

With `--repeats 3` each point is measured three times, and every measurement gives another value. Then no reading of a
point may be taken twice, and no point may have more readings than meant.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import optuna
from optuna.trial import FrozenTrial, TrialState

from hedgerow.runs.loop import Pace, run_study
from hedgerow.runs.problem import load_problem
from hedgerow.runs.study import Study
from hedgerow.runs.workers.job import Outcome
from hedgerow.schema import AGAIN, LATE, LOST, READING, WITHDRAWN
from research.measurements.postgres import Postgres

PROBLEM = """
[space]
x = { type = "integer", low = 0, high = 60 }
y = { type = "integer", low = 0, high = 60 }
kind = ["a", "b", "c"]
[rules]
total = "x + y <= 80"
apart = "x != y"
only_b = "kind != 'b' or x % 2 == 0"
[objective]
python = "drill_objective:measure"
timeout = 3.0
[run]
lease = 3.0
"""
OBJECTIVE = """
import json, os, time, zlib
from pathlib import Path
def measure(point):
    text = json.dumps(point, sort_keys=True)
    luck = zlib.crc32(text.encode()) % 1000
    if luck < 20:
        time.sleep(1000)
    if luck < 120:
        raise RuntimeError("unlucky")
    time.sleep(0.05)
    value = (point["x"] - 41) ** 2 + (point["y"] - 17) ** 2 + 10.0 * (point["kind"] != "b")
    # noise
    line = json.dumps([point, value]) + "\\n"
    file = os.open(Path(__file__).with_name("measured.jsonl"), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, line.encode())
    os.close(file)
    return value
"""


@dataclass(frozen=True)
class Drill:
    """How hard the drill is."""

    n_workers: int = 8
    n_trials: int = 400
    kill_every: float = 1.0  # seconds
    method: str = "random"
    seed: int = 0
    max_seconds: float = 900.0
    # A kill also waits for so many measurements since the last one, so that slow machines get through too.
    min_progress: int = 0
    repeats: int = 1

    @property
    def overrides(self) -> dict[str, Any]:
        """What stands in for entries of the problem file."""
        return {"method": self.method, "repeats": self.repeats if self.repeats > 1 else False}


@dataclass(frozen=True)
class Report:
    """What the drill found; everything from `n_measured_not_stored` to `n_workers_crashed` must be 0."""

    n_complete: int
    n_failed: int
    n_lost: int
    n_late: int
    n_measured: int
    n_measured_not_stored: int
    n_stored_not_measured: int
    n_measured_twice: int
    n_stored_twice: int
    n_undeclared_repeats: int
    n_invalid: int
    n_still_running: int
    n_missing: int
    n_workers_crashed: int = 0
    seconds: float = 0.0
    n_kills: int = 0
    n_restarts: int = 0

    @property
    def is_clean(self) -> bool:
        """Whether nothing went wrong."""
        wrong = ("not_stored", "not_measured", "twice", "repeats", "invalid", "still_running", "missing", "crashed")
        return not any(value for name, value in asdict(self).items() if name.endswith(wrong))


def run_drill(folder: Path, storage: str, drill: Drill, server: Postgres | None = None) -> Report:
    """Run the drill in a folder and return what it found."""
    (folder / "drill.toml").write_text(PROBLEM, encoding="utf-8")
    noise = "value += int.from_bytes(os.urandom(4)) / 2**33" if drill.repeats > 1 else "# exact"
    (folder / "drill_objective.py").write_text(OBJECTIVE.replace("# noise", noise), encoding="utf-8")
    rng = random.Random(drill.seed)
    start = time.monotonic()
    with _workers(folder, storage, drill) as (workers, new_worker):
        n_kills, n_crashes, n_restarts = _trouble(folder, workers, new_worker, drill, rng, server)
    report, suspects = _report(folder, storage, drill)
    for line in suspects:
        print(line, file=sys.stderr)
    return replace(
        report,
        seconds=round(time.monotonic() - start, 1),
        n_kills=n_kills,
        n_workers_crashed=n_crashes,
        n_restarts=n_restarts,
    )


def _trouble(
    folder: Path,
    workers: list[BaseProcess],
    new_worker: Callable[[], BaseProcess],
    drill: Drill,
    rng: random.Random,
    server: Postgres | None,
) -> tuple[int, int, int]:
    """Kill and replace workers until they have ended by themselves; return the kills, crashes and restarts."""
    n_kills = n_crashes = n_restarts = 0
    deadline = time.monotonic() + drill.max_seconds
    n_at_kill = 0
    while any(worker.is_alive() for worker in workers):
        if time.monotonic() > deadline:
            raise TimeoutError(f"The drill did not end within {drill.max_seconds:g} s.")
        time.sleep(drill.kill_every)
        n_measured = len(_measured(folder))
        if server is not None and not n_restarts and n_measured >= drill.n_trials // 3:
            server.stop()
            time.sleep(2.0)
            server.start()
            n_restarts += 1
        for place, worker in enumerate(workers):
            if worker.exitcode not in (None, 0):
                n_crashes += 1
                workers[place] = new_worker()
        place = rng.randrange(len(workers))
        # A worker that has ended saw the budget used up; the others are about to.
        has_moved = n_measured >= n_at_kill + drill.min_progress
        if has_moved and all(worker.is_alive() for worker in workers):
            n_at_kill = n_measured
            os.kill(workers[place].pid or 0, signal.SIGKILL)
            workers[place].join()
            workers[place] = new_worker()
            n_kills += 1
    return n_kills, n_crashes, n_restarts


@contextmanager
def _workers(folder: Path, storage: str, drill: Drill) -> Iterator[tuple[list[BaseProcess], Callable[[], BaseProcess]]]:
    # Forked from this process, which has loaded everything: starting anew would take longer than they live.
    context = multiprocessing.get_context("fork")
    _warm_up(folder, drill)

    def new_worker() -> BaseProcess:
        worker = context.Process(target=_work, args=(folder, storage, drill))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            worker.start()
        return worker

    workers = [new_worker() for _ in range(drill.n_workers)]
    try:
        yield workers, new_worker
    finally:
        for worker in workers:
            worker.kill()
            worker.join()


def _warm_up(folder: Path, drill: Drill) -> None:
    """Load and compile all that a study needs, for the workers to inherit."""
    with tempfile.TemporaryDirectory() as name:
        overrides = {"storage": f"sqlite:///{name}/warm.db", **drill.overrides}
        study = Study(load_problem(folder / "drill.toml", overrides))
        for asked in study.ask_by_hand(2):
            study.finish(asked, Outcome(1.0))
        study.status()


def _work(folder: Path, storage: str, drill: Drill) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    overrides = {"storage": storage, "budget": drill.n_trials, "seed": drill.seed, **drill.overrides}
    report = run_study(load_problem(folder / "drill.toml", overrides), pace=Pace(watch=0.5, show=0.1, wait=0.2))
    sys.exit(0 if report.stopped == "budget" else 1)


def _report(folder: Path, storage: str, drill: Drill) -> tuple[Report, list[str]]:
    """Return what the drill found, and a line for each trial of a point with which something went wrong."""
    overrides = {"storage": storage, "budget": drill.n_trials, **drill.overrides}
    study = Study(load_problem(folder / "drill.toml", overrides))
    # Whatever measured in the last moment of a killed worker is told when somebody comes back.
    study.recover()
    trials = study.trials()
    complete = [trial for trial in trials if trial.state is TrialState.COMPLETE]
    stored = Counter(_key(trial.params, trial.values[0]) for trial in complete if trial.values)
    measured = Counter(_measured(folder))
    suggested = Counter(_reading_key(trial) for trial in trials if _is_undeclared(trial))
    beyond = [
        trial
        for trial in trials
        if trial.system_attrs.get(READING, 0) >= drill.repeats and LATE not in trial.system_attrs
    ]
    status = study.status()
    report = Report(
        n_complete=status.n_complete,
        n_failed=status.n_failed,
        n_lost=status.n_lost,
        n_late=sum(LATE in trial.system_attrs for trial in trials),
        n_measured=sum(measured.values()),
        n_measured_not_stored=sum((measured - stored).values()),
        n_stored_not_measured=sum((stored - measured).values()),
        n_measured_twice=sum(n - 1 for n in measured.values()),
        n_stored_twice=sum(n - 1 for n in stored.values()),
        n_undeclared_repeats=sum(n - 1 for n in suggested.values()) + len(beyond),
        n_invalid=sum(trial.params not in study.sampler.feasible for trial in trials if len(trial.params) == 3),
        n_still_running=sum(trial.state is TrialState.RUNNING for trial in trials),
        n_missing=max(0, drill.n_trials - status.n_counted_finished),
    )
    wrong = {key.partition(" -> ")[0] for key in ((measured - stored) + (stored - measured))}
    wrong |= {key.partition(" -> ")[0] for key, n in [*measured.items(), *stored.items()] if n > 1}
    wrong |= {key.partition(" reading ")[0] for key, n in suggested.items() if n > 1}
    wrong |= {_point_key(trial.params) for trial in beyond}
    return report, [_described(trial) for trial in trials if _point_key(trial.params) in wrong]


def _described(trial: FrozenTrial) -> str:
    marks = {key: trial.system_attrs[key] for key in (AGAIN, LATE, LOST, READING) if key in trial.system_attrs}
    reason = trial.user_attrs.get("hedgerow", {}).get("reason", "")
    return f"trial {trial.number} {trial.params} {trial.state.name} {trial.values} {marks} {reason}"


def _is_undeclared(trial: FrozenTrial) -> bool:
    """Whether a trial tried its point without saying that somebody had tried it before."""
    is_declared = AGAIN in trial.system_attrs or LATE in trial.system_attrs
    is_withdrawn = trial.system_attrs.get(LOST) == WITHDRAWN
    return len(trial.params) == 3 and not is_declared and not is_withdrawn


def _measured(folder: Path) -> list[str]:
    file = folder / "measured.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return [_key(*json.loads(line)) for line in lines]


def _key(point: dict[str, Any], value: float) -> str:
    return f"{_point_key(point)} -> {value!r}"


def _reading_key(trial: FrozenTrial) -> str:
    return f"{_point_key(trial.params)} reading {trial.system_attrs.get(READING, 0)}"


def _point_key(point: dict[str, Any]) -> str:
    return json.dumps(point, sort_keys=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the drill on SQLite and PostgreSQL and print what it found."""
    parser = argparse.ArgumentParser(prog="python -m research faults", description=__doc__)
    parser.add_argument("--storage", choices=("sqlite", "postgresql", "both"), default="both")
    parser.add_argument("--workers", type=int, default=Drill.n_workers)
    parser.add_argument("--trials", type=int, default=Drill.n_trials)
    parser.add_argument("--kill-every", type=float, default=Drill.kill_every)
    parser.add_argument(
        "--min-progress", type=int, default=Drill.min_progress, help="measurements between kills, for busy machines"
    )
    parser.add_argument("--method", default=Drill.method)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--repeats", type=int, default=Drill.repeats, help="measure each point so often")
    parser.add_argument("--max-seconds", type=float, default=Drill.max_seconds)
    options = parser.parse_args(arguments)
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    drill = Drill(
        options.workers,
        options.trials,
        options.kill_every,
        options.method,
        options.seed,
        max_seconds=options.max_seconds,
        min_progress=options.min_progress,
        repeats=options.repeats,
    )
    is_clean = True
    for kind in ("sqlite", "postgresql") if options.storage == "both" else (options.storage,):
        with tempfile.TemporaryDirectory(prefix="hedgerow-drill-") as name:
            if kind == "sqlite":
                report = run_drill(Path(name), f"sqlite:///{name}/drill.db", drill)
            else:
                with Postgres() as server:
                    report = run_drill(Path(name), server.url, drill, server)
        is_clean = is_clean and report.is_clean
        print(json.dumps({"storage": kind, "clean": report.is_clean, **asdict(report)}), flush=True)
    return 0 if is_clean else 1


if __name__ == "__main__":
    sys.exit(main())
